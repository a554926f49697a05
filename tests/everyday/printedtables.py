"""Tables of published scores, as papers, sheets and web pages have them."""

from __future__ import annotations

from everyday.case import Case, lines

PLAIN = """\
Model,MMLU,GSM8K,HumanEval,ARC
gpt-4,86.4,92.0,67.0,96.3
claude-2,78.5,88.0,71.2,91.0
llama-2-70b,68.9,56.8,29.9,85.1
"""
THREE = ("gpt-4", "claude-2", "llama-2-70b")
FOUR = ("MMLU", "GSM8K", "HumanEval", "ARC")


def same(name: str, text: str | bytes, *says: str, path: str = "t.csv", options: str = "") -> Case:
    """The plain table, written in another way."""
    return Case(name, f"rank {path}{options}", {path: text}, says, models=THREE, tasks=FOUR,
                means={"gpt-4": 86.4, "llama-2-70b": 68.9})  # fmt: skip


def with_row(row: str) -> str:
    return PLAIN + row + "\n"


MARKDOWN = """\
| Model       | MMLU     | GSM8K | HumanEval | ARC  |
|-------------|---------:|------:|:---------:|------|
| gpt-4       | **86.4** | 92.0  | 67.0      | 96.3 |
| claude-2    | 78.5     | 88.0  | **71.2**  | 91.0 |
| llama-2-70b | 68.9     | 56.8  | 29.9      | 85.1 |
"""
LATEX = "\n".join(
    (r"\begin{tabular}{lrrrr}",
     *(line.replace(",", " & ") + r" \\" for line in PLAIN.splitlines()), r"\end{tabular}", "")
)  # fmt: skip
COMMAS = PLAIN.replace(",", ";").replace(".", ",").replace("gpt-4", "gpt-4")
PIVOT = PLAIN.replace("Model", "", 1)


def grown(header: str, *cells: str, place: int = 99) -> str:
    """The plain table with one column more."""
    found = []
    for line, cell in zip(PLAIN.splitlines(), (header, *cells), strict=True):
        parts = line.split(",")
        parts.insert(place, cell)
        found.append(",".join(parts))
    return "\n".join(found) + "\n"


PLACES = lines(
    "Model,ARC,MATH,MMLU,IFEval",
    "a,71.2,73.1,69.8,80.1",
    "b,68.1,69.2,66.9,78.9",
    "c,66.0,67.9,64.1,77.0",
    "d,63.9,64.0,62.2,76.1",
    "e,60.1,58.8,60.9,74.9",
)
SLIP = lines("Model,MMLU,GSM8K", "a,70.1,80.2", "b,68.1,79.2", "c,60.1,702", "d,50.1,60.2")

WITH_ERRORS = lines(
    "Model,Average,MMLU,GSM8K",
    "a,75.7,71.3 ± 1.2,80.1 ± 1.1",
    "b,72.5,70.9 ± 1.2,74.0 ± 1.2",
    "c,65.3,60.2 ± 1.3,70.3 ± 1.3",
)


def beside(*columns: tuple[str, ...]) -> str:
    """The plain table with further columns behind its tasks."""
    rows = [PLAIN.splitlines(), *columns]
    return lines(*(",".join(cells) for cells in zip(*rows, strict=True)))


# What leaderboards print beside tasks, for the three models.
BESIDE = {
    "ranks and counts": (
        ("#", "1", "2", "3"), ("Rank (Borda)", "1", "2", "3"), ("Overall rank", "1", "3", "2"),
        ("Δ", "0", "1", "-1"), ("Votes", "5012", "420", "99"), ("n votes", "5012", "420", "99"),
        ("Mean (Task)", "85.4", "82.1", "60.2"), ("Mean (TaskType)", "80.4", "79.1", "58.2"),
        ("Average (easy)", "89.4", "83.1", "63.2"),
    ),
    "sizes": (
        ("Memory Usage (MB)", "13563", "2100", "90"),
        ("Number of Parameters", "7000000", "560000", "23000"),
        ("Active params", "7", "3", "1"), ("Embedding Dimensions", "4096", "1024", "384"),
        ("Max Tokens", "32768", "514", "256"), ("Avg length", "1890", "2049", "1010"),
    ),
    "times and dates": (
        ("TTFT", "0.41", "0.52", "0.11"), ("GPU hours", "1200", "800", "90"),
        ("Energy (kWh)", "310", "220", "40"), ("Release (2025)", "3", "5", "7"),
        ("Knowledge cutoff", "202410", "202406", "202312"),
        ("Last updated", "20260301", "20260201", "20260105"), ("CO₂ cost (kg)", "13", "9", "2"),
    ),
}  # fmt: skip

AVG = grown("Avg", "85.425", "82.175", "60.175")

PLUS_MINUS = lines(
    "model,org,mmlu,gsm8k,arc",
    "A,x,71.3 ± 0.4,80.1 ± 1.1,66.0 ± 1.4",
    "B,x,69.0 ± 0.4,76.0 ± 1.2,64.0 ± 1.4",
    "C,y,65.2 ± 0.4,60.0 ± 1.3,58.0 ± 1.4",
)

INTERVALS = lines(
    "Model,Arena-Hard score,95% CI lower,95% CI upper,Avg tokens",
    "aurora,82.6,80.8,84.5,662",
    "borealis,79.3,77.5,81.0,619",
    "cirrus,78.0,76.1,79.7,591",
    "drift,50.0,48.1,51.8,423",
)

PASTED_CELLS = lines(
    "Method,Cora,Citeseer,Pubmed",
    "GCN,81.5$\\pm$0.5,70.3$\\pm$0.6,79.0$\\pm$0.3",
    "GAT,\\underline{83.0}$\\pm$0.7,\\textbf{72.5}$\\pm$0.7,79.0$\\pm$0.3",
    "Ours,\\textbf{83.6}$\\pm$0.4,71.9$\\pm$0.5,\\textbf{80.1}$\\pm$0.2",
)

CASES = (
    same("plain/csv", PLAIN),
    same("plain/tsv", PLAIN.replace(",", "\t"), path="t.tsv"),
    same("plain/semicolons", PLAIN.replace(",", ";")),
    # Summaries.
    same("summary column/Avg", AVG, "'Avg'"),
    same(
        "summary column/Average in the middle",
        grown("Average", "85.425", "82.175", "60.175", place=1),
        "'Average'",
    ),
    same(
        "summary column/does not agree",
        grown("Average", "85.4", "82.2", "66.0"),
        "'Average'",
        "llama-2-70b",
        "60.17",
    ),
    same("summary row/Mean", with_row("Mean,77.93,78.93,56.03,90.8"), "'Mean'"),
    same(
        "summary row/does not agree", with_row("mean,77.9,78.9,56.0,70.0"), "'mean'", "ARC", "90.8"
    ),
    same(
        "summary row/std",
        with_row("mean,77.93,78.93,56.03,90.8") + "std,8.8,19.3,22.7,5.6\n",
        "'mean', 'std'",
    ),
    Case(
        "summary tidy/overall task",
        "rank t.csv",
        {
            "t.csv": lines(
                "model,task,score",
                *(
                    f"{m},{t},{v}"
                    for m, k in (("a", 70), ("b", 60), ("c", 50))
                    for t, v in (("law", k), ("math", k + 4), ("overall", k + 2))
                ),
            )
        },
        ("'overall'",),
        models=("a", "b", "c"),
        tasks=("law", "math"),
    ),
    Case(
        "summary tidy/average model",
        "rank t.csv",
        {
            "t.csv": lines(
                "model,task,score",
                *(
                    f"{m},{t},{v}"
                    for m, k in (("a", 70), ("b", 60), ("average", 65))
                    for t, v in (("law", k), ("math", k + 4))
                ),
            )
        },
        ("'average'",),
        models=("a", "b"),
        tasks=("law", "math"),
    ),
    Case(
        "summary words/part of a name",
        "rank t.csv",
        {
            "t.csv": lines(
                "model,median_salary_qa,meaning", "mean-teacher,70,60", "average-joe,50,61"
            )
        },
        models=("mean-teacher", "average-joe"),
        tasks=("median_salary_qa", "meaning"),
    ),
    # Columns that are not scores.
    same("not a score/cost and latency", grown("Cost ($)", "30", "24", "1"), "'Cost ($)'"),
    same(
        "not a score/latency", grown("Latency (s)", "2.1", "3.0", "0.4", place=1), "'Latency (s)'"
    ),
    same("not a score/size and tokens", grown("Size (GB)", "400", "300", "140"), "'Size (GB)'"),
    same("kinds of columns/context", grown("Context (k)", "128", "32", "8"), "'Context (k)'"),
    *(
        same(
            f"columns beside tasks/{name}",
            beside(*columns),
            "'MMLU', 'GSM8K', 'HumanEval'",
            f"Not used: {', '.join(repr(header) for header, *_ in columns)}",
        )
        for name, columns in BESIDE.items()
    ),
    *(
        Case(
            f"values with errors/beside {name}{options}",
            f"rank t.csv{options}",
            {"t.csv": WITH_ERRORS.replace("Average", name)},
            says,
            code=code,
            tasks=() if code else ("MMLU", "GSM8K"),
        )
        for name, options, says, code in (
            ("Average", "", ("column 'MMLU'", "71.3 ± 1.2", "--cells se"), 1),
            ("Score", "", ("column 'MMLU'", "71.3 ± 1.2", "--cells se"), 1),
            ("Average", " --cells se", ("'Average'",), 0),
        )
    ),
    *(
        Case(
            f"slips/{name}",
            f"rank t.csv{options}",
            {"t.csv": table},
            says,
            code=code,
        )
        for name, options, table, says, code in (
            ("of percents", "", SLIP, ("'c' has 702 on 'GSM8K', 9 times the next, 80.2",), 1),
            ("declared", " --score-max 702", SLIP, (), 0),
            (
                "of shares",
                "",
                SLIP.replace("702", "7.02")
                .replace("80.2", "0.802")
                .replace("79.2", "0.792")
                .replace("60.2", "0.602"),
                ("'c' has 7.02 on 'GSM8K'",),
                1,
            ),
        )
    ),
    *(
        Case(
            f"slips by a place/{name}",
            f"rank t.csv{options}",
            {"t.csv": PLACES.replace("69.2", written)},
            says,
            hides,
        )
        for name, options, written, says, hides in (
            ("too low", "", "6.92", ("[1] MATH: 'b' has 6.92 here", "about 69.2"), ()),
            ("too high", " --score-max 692", "692", (), ("decimal point",)),
            ("a weak task", "", "29.2", (), ("decimal point",)),
        )
    ),
    Case(
        "second day of a store/made without reruns",
        "add board_2026-11-25.csv --store s.duckdb ; add board_2026-11-26.csv --store s.duckdb",
        {"board_2026-11-25.csv": PLAIN, "board_2026-11-26.csv": PLAIN.replace("86.4", "86.5")},
        ("s.duckdb was made without --reruns", "make another of all files"),
        code=1,
    ),
    Case(
        "kinds of columns/with truths and a rating",
        "rank t.csv",
        {
            "t.csv": lines(
                "Model,x_wall_s,Merged,Elo,MMLU,GSM8K,HumanEval,ARC,BBH,IFEval,MUSR,GPQA,AIME",
                "a,3,True,1250,80,81,82,83,84,85,86,87,88",
                "b,2,False,1200,70,71,72,73,74,75,76,77,78",
            )
        },
        ("--metric GPQA --metric AIME (in Python",),
        ("…", "--metric Merged", "--metric Elo"),
        code=1,
    ),
    Case(
        "slips of submissions/beside a store",
        "add t.csv --store s.duckdb ; submit new.csv --store s.duckdb",
        {
            "t.csv": SLIP.replace("702", "70.2"),
            "new.csv": lines("Model,MMLU,GSM8K", "e,71.2,813"),
        },
        ("Not fit to be added", "'e' has 813 on 'GSM8K'"),
        code=1,
    ),
    Case(
        "ratings of models/beside percents",
        "rank t.csv",
        {"t.csv": grown("Elo", "1250", "1240", "1150")},
        ("'Elo'", "a rating, which has no average with scores"),
        ("different scales",),
        tasks=FOUR,
    ),
    same(
        "mean in brackets/of all",
        grown("Average (all)", "85.425", "82.175", "60.175"),
        "'Average (all)'",
    ),
    same(
        "mean in brackets/of all, does not agree",
        grown("Average (all)", "85.4", "82.2", "66.0"),
        "does not agree",
        "60.17",
    ),
    Case(
        "mean in brackets/of each kind",
        "rank t.csv",
        {"t.csv": lines("Model,Average (math),Average (code)", "a,70,60", "b,50,40", "c,30,20")},
        tasks=("Average (math)", "Average (code)"),
    ),
    Case(
        "words of tasks/as those of amounts",
        "rank t.csv",
        {
            "t.csv": lines(
                "Model,Reranking,Knowledge,Date understanding,Energy,Length",
                "a,70,60,50,40,81",
                "b,50,40,30,20,79",
            )
        },
        tasks=("Reranking", "Knowledge", "Date understanding", "Energy", "Length"),
    ),
    Case(
        "kinds/accuracy and latency per task",
        "rank t.csv",
        {
            "t.csv": lines(
                "model,gsm8k_acc,gsm8k_latency_s,mmlu_acc,mmlu_latency_s",
                "a,0.91,2.1,0.71,1.2",
                "b,0.85,0.7,0.66,0.4",
                "c,0.52,0.2,0.41,0.1",
            )
        },
        ("gsm8k_latency_s", "--metric gsm8k_acc --metric mmlu_acc"),
        code=1,
    ),
    Case(
        "kinds/chosen",
        "rank t.csv --metric gsm8k_acc --metric mmlu_acc",
        {
            "t.csv": lines(
                "model,gsm8k_acc,gsm8k_latency_s,mmlu_acc,mmlu_latency_s",
                "a,0.91,2.1,0.71,1.2",
                "b,0.85,0.7,0.66,0.4",
                "c,0.52,0.2,0.41,0.1",
            )
        },
        ("gsm8k_latency_s",),
        models=("a", "b", "c"),
        tasks=("gsm8k_acc", "mmlu_acc"),
    ),
    Case(
        "kinds/accuracy and calibration",
        "rank t.csv",
        {
            "t.csv": lines(
                "model,acc,ece,brier", "a,0.91,0.02,0.1", "b,0.85,0.07,0.15", "c,0.52,0.2,0.3"
            )
        },
        ("--metric acc",),
        code=1,
    ),
    Case(
        "only amounts/asked",
        "rank t.csv",
        {"t.csv": lines("model,latency_p50_s,latency_p99_s", "a,0.91,2.1", "b,0.85,0.7")},
        ("--direction",),
        code=1,
    ),
    Case(
        "one score and a cost/published",
        "rank t.csv",
        {"t.csv": lines("model,accuracy,cost_usd", "a,0.91,2.1", "b,0.85,0.7", "c,0.52,0.2")},
        ("cost_usd",),
        models=("a", "b", "c"),
        tasks=("t",),
    ),
    # How tables are exported.
    same("pivot/empty first header", PIVOT, "no name"),
    same("pivot/Unnamed: 0", PLAIN.replace("Model", "Unnamed: 0", 1), "no name"),
    same(
        "index/numbered rows",
        "\n".join(f"{n},{line}" for n, line in zip(("", 0, 1, 2), PLAIN.splitlines(), strict=True))
        + "\n",
    ),
    same("excel/bom and crlf", "\ufeff" + PLAIN.replace("\n", "\r\n")),
    same("excel/sep line", "sep=;\r\n" + PLAIN.replace(",", ";").replace("\n", "\r\n")),
    same(
        "excel/empty rows and columns",
        "\n".join(line + ",," for line in PLAIN.splitlines()) + "\n,,,,,,\n,,,,,,\n",
    ),
    same("unicode text/utf-16", PLAIN.replace(",", "\t").encode("utf-16"), path="t.txt"),
    Case(
        "not utf-8/latin-1",
        "rank t.csv",
        {"t.csv": "Modèle,law,math\nbébé,61.0,52.0\nb,58.0,49.0\n".encode("latin-1")},
        ("Windows-1252",),
        models=("bébé", "b"),
    ),
    Case(
        "workbook/xlsx",
        "rank t.xlsx",
        {"t.xlsx": b"PK\x03\x04" + b"\x00" * 200},
        ("Excel", "CSV"),
        code=1,
    ),
    # Decimal commas.
    same("decimal comma/semicolons", COMMAS, "decimal mark"),
    same(
        "decimal comma/tabs",
        PLAIN.replace(",", "\t").replace(".", ","),
        "decimal mark",
        path="t.tsv",
        options=" --decimal ,",
    ),
    Case(
        "decimal comma/asked",
        "rank t.tsv",
        {"t.tsv": PLAIN.replace(",", "\t").replace(".", ",")},
        ("--decimal ,",),
        code=1,
    ),
    same(
        "decimal comma quoted/csv",
        "\n".join(
            ",".join(f'"{c.replace(".", ",")}"' if "." in c else c for c in line.split(","))
            for line in PLAIN.splitlines()
        )
        + "\n",
        "decimal mark",
        options=" --decimal ,",
    ),
    # Titles.
    same("title/a line", "Table 3: Results on four benchmarks\n" + PLAIN, "Table 3"),
    same("title/of a sheet", "Results May 2026,,,,\n,,,,\n" + PLAIN, "Results May 2026"),
    same("title/comment", "# exported 2026-05-01 by eval.py\n# seed 3\n" + PLAIN, "# exported"),
    # Markdown.
    same("markdown/md", MARKDOWN, path="README.md"),
    same("markdown/pasted into csv", MARKDOWN, path="t.csv"),
    same(
        "markdown/text around",
        "# Results\n\nSome words first.\n\n" + MARKDOWN + "\nMore words.\n",
        path="results.md",
    ),
    Case(
        "tables of one page/two of markdown",
        "rank results.md",
        {"results.md": "# Law\n\n" + MARKDOWN + "\nMore words.\n\n" + MARKDOWN},
        ("2 tables", "lines 3 to 7, lines 11 to 15", "a file of its own"),
        code=1,
    ),
    # LaTeX.
    *(
        Case(
            f"latex{name}",
            f"rank {path}",
            {path: text},
            (path, "LaTeX", "as CSV", "Markdown"),
            code=1,
        )
        for name, path, text in (
            ("/a table", "t.tex", LATEX),
            ("/pasted", "t.txt", LATEX),
            ("/a document", "paper.tex", "% draft\n\\documentclass{article}\n" + LATEX),
            (" without its frame/rows alone", "t.csv", "\n".join(LATEX.splitlines()[1:-1]) + "\n"),
        )
    ),
    # What is no table.
    Case(
        "no table/report of tests in XML",
        "rank junit.xml",
        {"junit.xml": '<testsuites><testsuite name="a" tests="1"/></testsuites>\n'},
        ("junit.xml: the file is not recognised. It is XML.", "as CSV", "1 is a test that passed"),
        code=1,
    ),
    Case(
        "no table/unknown",
        "rank notes.bin",
        {"notes.bin": "a few words\n"},
        ("No format knows such a file. What can be read: rankbars formats.",),
        code=1,
    ),
    # Marks and units.
    same(
        "marks/star and dagger",
        PLAIN.replace("67.0", "67.0*").replace("71.2", "71.2†"),
        "marks behind a value",
    ),
    same(
        "footnotes/numbers and letters",
        PLAIN.replace("67.0", "67.0 [1]").replace("71.2", "71.2^a").replace("86.4", "86.4¹"),
        "Cells such as '86.4¹': marks behind a value are left aside",
    ),
    Case(
        "footnotes/a whole number in brackets is asked about",
        "rank t.csv",
        {"t.csv": lines("model,law,math", "a,71 [3],60", "b,65,61")},
        ("the cell '71 [3]' is not one plain number", "--cells value"),
        code=1,
    ),
    Case(
        "left aside/names no column that is not there",
        "rank t.csv --cells value",
        {"t.csv": lines("model,law,math,Mean", "a,71.3 ± 1,60.0,65", "b,65.0 ± 1,61.0,63")},
        ("What follows the values in the cells of 'law' was left aside.",),
        hides=("_se",),
    ),
    same(
        "marks/percent signs",
        "\n".join(
            [
                PLAIN.splitlines()[0],
                *(
                    ",".join([line.split(",")[0], *(f"{c}%" for c in line.split(",")[1:])])
                    for line in PLAIN.splitlines()[1:]
                ),
            ]
        )
        + "\n",
        "percentages",
    ),
    same(
        "marks/bold",
        PLAIN.replace("86.4", "**86.4**").replace("71.2", "__71.2__"),
        "marks around a value",
    ),
    Case(
        "thousands/arena scores",
        "rank t.csv",
        {"t.csv": 'model,task,score\na,arena,"1,284"\nb,arena,"1,190"\nc,arena,987\n'},
        ("thousands",),
        models=("a", "b", "c"),
        means={"a": 1284.0},
    ),
    Case(
        "plus or minus/asked",
        "rank t.csv",
        {"t.csv": lines("model,law,math", "a,71.3 ± 1.2,60.0 ± 1.0", "b,65.0 ± 1.1,61.0 ± 1.0")},
        ("--cells se",),
        code=1,
    ),
    Case(
        "plus or minus/told",
        "rank t.csv --cells se",
        {"t.csv": lines("model,law,math", "a,71.3 ± 1.2,60.0 ± 1.0", "b,65.0 ± 1.1,61.0 ± 1.0")},
        models=("a", "b"),
        means={"a": 71.3},
    ),
    # Cells without a score.
    Case(
        "no score/dashes",
        "rank t.csv --missing pairwise",
        {"t.csv": PLAIN.replace("29.9", "-").replace("91.0", "N/A")},
        models=THREE,
    ),
    Case(
        "no score/excel error",
        "rank t.csv --tasks MMLU --tasks GSM8K",
        {"t.csv": PLAIN.replace("29.9", "#N/A").replace("91.0", "#DIV/0!")},
        models=THREE,
        tasks=("MMLU", "GSM8K"),
    ),
    Case(
        "no score/to be done",
        "rank t.csv",
        {"t.csv": PLAIN.replace("29.9", "TBD")},
        ("'TBD'", "HumanEval"),
        code=1,
    ),
    # Other layouts.
    Case(
        "turned/benchmarks as rows",
        "rank t.csv",
        {
            "t.csv": lines(
                "Benchmark,gpt-4,llama", "MMLU,86.4,68.9", "GSM8K,92.0,56.8", "ARC,96.3,85.1"
            )
        },
        models=("gpt-4", "llama"),
        tasks=("MMLU", "GSM8K", "ARC"),
    ),
    Case(
        "two header rows/joined",
        "rank t.csv",
        {
            "t.csv": lines(
                "model,MMLU,MMLU,GSM8K,GSM8K",
                ",5-shot,0-shot,5-shot,0-shot",
                "a,1,2,3,4",
                "b,2,3,4,5",
            )
        },
        ("The 2 rows of the header were joined",),
        models=("a", "b"),
        tasks=("MMLU_5-shot", "MMLU_0-shot", "GSM8K_5-shot", "GSM8K_0-shot"),
    ),
    Case(
        "errors beside/columns",
        "rank t.csv",
        {
            "t.csv": lines(
                "model,law,law_stderr,math,math_stderr",
                "a,0.71,0.01,0.6,0.01",
                "b,0.61,0.01,0.5,0.01",
            )
        },
        models=("a", "b"),
        tasks=("law", "math"),
    ),
    Case(
        "leaderboard/links and ranks",
        "rank t.csv",
        {
            "t.csv": lines(
                "Rank,Model,Organization,License,MMLU,GSM8K,Link,Date",
                "1,gpt-4,OpenAI,Proprietary,86.4,92.0,https://a.b,2023-03-14",
                "2,llama,Meta,Open,68.9,56.8,https://c.d,2023-07-18",
            )
        },
        ("'Rank'",),
        models=("gpt-4", "llama"),
        tasks=("MMLU", "GSM8K"),
    ),
    same(
        "no scores/speed",
        grown("Speed (tok/s)", "155", "180", "240"),
        "Not used: 'Speed (tok/s)'",
    ),
    same("no scores/price", grown("$/1M tok", "0.9", "0.5", "0.2"), "Not used: '$/1M tok'"),
    Case(
        "no scores/mean rank and wins",
        "rank t.csv",
        {
            "t.csv": lines(
                "dataset,gpt,llama,qwen",
                *(f"d{n},{80 + n % 3},{70 + n % 5},{60 + n % 4}" for n in range(6)),
                "Mean rank,1,2,3",
                "# wins,6,0,0",
            )
        },
        ("'Mean rank', '# wins' summarise the others",),
        models=("gpt", "llama", "qwen"),
        tasks=tuple(f"d{n}" for n in range(6)),
    ),
    Case(
        "scales far apart/a rating of a contest beside percents",
        "rank t.csv --direction Codeforces=higher",
        {"t.csv": grown("Codeforces", "1250", "1210", "1101")},
        ("different scales", "1250 on 'Codeforces'", "Mean rank"),
        models=THREE,
    ),
    Case(
        "scales far apart/a share beside percents",
        "rank t.csv",
        {"t.csv": PLAIN.replace("86.4", "0.864").replace("78.5", "0.785").replace("68.9", "0.689")},
        ("different scales", "0.864 on 'MMLU'", "--average-anyway"),
        models=THREE,
    ),
    Case(
        "scales far apart/a hard task is on the same one",
        "rank t.csv",
        {"t.csv": grown("HLE", "3.1", "2.2", "0.9")},
        hides=("different scales",),
        models=THREE,
    ),
    Case(
        "empty first header/beside what describes models",
        "rank t.csv",
        {"t.csv": grown("License", "MIT", "MIT", "Apache-2.0").replace("Model", "", 1)},
        ("Not used: 'License'", "The first column has no name"),
        models=THREE,
        tasks=FOUR,
    ),
    Case(
        "bold numbers/with their errors",
        "rank t.md --cells se",
        {
            "t.md": lines(
                "| Model | MMLU | GSM8K |",
                "|:--|--:|--:|",
                "| gpt-4 | **86.4** ± 0.4 | **92.0** ± 0.9 |",
                "| llama | 68.9 ± 0.4 | _56.8_ ± 1.1 |",
            )
        },
        models=("gpt-4", "llama"),
        tasks=("MMLU", "GSM8K"),
    ),
    Case(
        "another language/columns are asked for by name",
        "rank t.csv",
        {
            "t.csv": lines(
                "Modell;Aufgabe;Punkte",
                *(f"{m};t{n};{60 + 3 * k + n % 4},5" for k, m in enumerate("ab") for n in range(8)),
            )
        },
        ("--column model=Modell --column task=Aufgabe --column score=Punkte",),
        code=1,
    ),
    Case(
        "errors in cells/beside a column of text",
        "rank t.csv --cells se",
        {"t.csv": PLUS_MINUS},
        ("A leads",),
        models=("A", "B", "C"),
        tasks=("mmlu", "gsm8k", "arc"),
    ),
    Case(
        "errors in cells/chosen tasks",
        "rank t.csv --cells se --metric mmlu --metric gsm8k",
        {"t.csv": PLUS_MINUS},
        ("A leads",),
        tasks=("mmlu", "gsm8k"),
    ),
    Case(
        "errors in cells/of five runs",
        "rank t.csv --cells std5",
        {"t.csv": PLUS_MINUS},
        ("A leads", "standard deviation of 5 runs"),
    ),
    Case(
        "a sheet with a title/named delimiter and groups",
        "rank s.csv",
        {
            "s.csv": lines(
                "sep=;",
                "Export 12.07.2026;;;;",
                ";;;;",
                ";Reasoning;;Coding;",
                "Model;GSM8K;MATH;HumanEval;MBPP",
                "Alpha;92,1;55,0;81,2;70,1",
                "Beta;90,3;58,4;77,4;72,0",
            )
        },
        ("Export 12.07.2026",),
        models=("Alpha", "Beta"),
        tasks=("GSM8K", "MATH", "HumanEval", "MBPP"),
    ),
    Case(
        "marked names/footnotes and strokes",
        "rank m.md",
        {
            "m.md": lines(
                "| Model | ARC | MMLU |",
                "|---|---:|---:|",
                "| ash<sup>†</sup> | 71.1 | 69.8 |",
                "| ~~birch~~ | 68.4 | 72.2 |",
                "| cedar *(prelim.)* | 61.0 | 55.1 |",
            )
        },
        models=("ash", "birch", "cedar (prelim.)"),
    ),
    Case(
        "points between thousands/between semicolons",
        "rank x.csv --direction higher",
        {"x.csv": lines("Model;Elo;Punkte", "a;1.280,1;1.200,5", "b;1.090;0,8", "c;940;9,5")},
        ("points between thousands are left out",),
        models=("a", "b", "c"),
        tasks=("Elo", "Punkte"),
        means={"a": 1280.1, "b": 1090.0, "c": 940.0},
    ),
    Case(
        "points between thousands/between commas",
        "rank x.csv",
        {"x.csv": lines("model,item,score", 'a,1,"1.234,5"', 'b,1,"0,8"')},
        ("no number with a decimal point (2 such cells)", "--decimal ,"),
        ("score=NAME",),
        code=1,
    ),
    Case(
        "points between thousands/as the message says",
        "rank x.csv --decimal ,",
        {"x.csv": lines("model,item,score", 'a,1,"1.234,5"', "a,2,2.000", 'b,1,"0,8"', 'b,2,"7"')},
        ("points between thousands are left out",),
        models=("a", "b"),
        means={"a": 1617.25, "b": 3.9},
    ),
    Case(
        "columns of models/tasks by models is offered",
        "rank c.csv",
        {
            "c.csv": lines(
                "category,task,metric,gpt,claude,llama,Best",
                "Knowledge,MMLU,acc,0.85,0.86,0.79,claude",
                "Knowledge,TriviaQA,acc,0.80,0.78,0.75,gpt",
            )
        },
        ("--layout tasks-by-models if each column of numbers is a model",),
        hides=("score=gpt",),
        code=1,
    ),
    Case(
        "a square of wins/with totals",
        "rank w.csv",
        {
            "w.csv": lines(
                ",orca,qwen,gemma,Total wins",
                "orca,,60,75,135",
                "qwen,40,,66,106",
                "gemma,25,34,,59",
            )
        },
        ("300 votes",),
        models=("orca", "qwen", "gemma"),
    ),
    Case(
        "ends of intervals of one score/by themselves",
        "rank t.csv",
        {"t.csv": INTERVALS},
        ("ci_low = '95% CI lower', ci_high = '95% CI upper'", "aurora leads"),
    ),
    Case(
        "ends of intervals of one score/pasted",
        "rank t.csv --column 'score=Arena-Hard score' --column 'ci_low=95% CI lower' "
        "--column 'ci_high=95% CI upper'",
        {"t.csv": INTERVALS},
        ("aurora leads",),
    ),
    Case(
        "standard deviations of ten folds in cells/data sets by classifiers",
        "rank t.csv --cells std10",
        {
            "t.csv": lines(
                "dataset,LR,RF",
                *(f"set-{k},{60 + k % 5}.3 ± 3.4,{63 + k % 4}.1 ± 3.7" for k in range(12)),
            )
        },
        ("√10 standard errors",),
        models=("LR", "RF"),
    ),
    Case(
        "commands of LaTeX in cells/asked",
        "rank t.csv",
        {"t.csv": PASTED_CELLS},
        ("Say what stands behind the values: --cells se",),
        code=1,
    ),
    Case(
        "commands of LaTeX in cells/told",
        "rank t.csv --cells std5",
        {"t.csv": PASTED_CELLS},
        ("In 9 cells",),
        models=("GCN", "GAT", "Ours"),
        tasks=("Cora", "Citeseer", "Pubmed"),
    ),
    Case(
        "a word in place of a score/its line",
        "rank t.csv",
        {"t.csv": lines("Method,Cora,arxiv", "GCN,81.5,71.7", "GAT,83.0,OOM", "SGC,80.1,69.9")},
        ("--word OOM=missing",),
        code=1,
    ),
    Case(
        "numbers of examples beside tasks/in a column",
        "rank t.csv",
        {"t.csv": lines("Task,A,B,#ex", "BoolQ,88.1,89.0,3270", "CB,90.5,87.2,250", "RTE,80,79,9")},
        models=("A", "B"),
        tasks=("BoolQ", "CB", "RTE"),
    ),
)
