"""Wrong files and wrong options: one line that says what was found and what to do."""

from __future__ import annotations

import gzip
import io
import zipfile

from everyday.case import Case, lines, long_table, one_file, parquet, right

RESULTS = {"r.csv": long_table({"a": 0.9, "b": 0.5, "c": 0.2})}


def archive(**members: str) -> bytes:
    """A ZIP archive; __ in names of members is a slash."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name.replace("__", "/"), content)
    return file.getvalue()


MAKE = "rank r.csv -o board.json --html report.html ; "
MANY = {
    "m.csv": lines(
        "model,item,epoch,score",
        *(
            f"{m},{i},{e},{(i * 3 + e + k) % 4 // 2}"
            for k, m in enumerate("abc")
            for i in range(30)
            for e in range(3)
        ),
    )
}

CASES = (
    # Files of this package in the wrong place.
    Case(
        "own files/rank a board",
        MAKE + "rank board.json",
        RESULTS,
        ("board.json", "rankbars show"),
        code=1,
    ),
    Case(
        "own files/compare boards",
        MAKE + "rank r.csv --tasks r -o new.json ; compare new.json board.json",
        RESULTS,
        ("rankbars diff OLD NEW",),
        code=1,
    ),
    Case(
        "own files/rank a page",
        MAKE + "rank report.html",
        RESULTS,
        ("report.html", "a web page"),
        code=1,
    ),
    Case("results shown/show", "show r.csv", RESULTS, ("rankbars rank r.csv",), code=1),
    Case(
        "results shown/report",
        "report r.csv -o page.html",
        RESULTS,
        ("rankbars rank r.csv",),
        code=1,
    ),
    Case("results shown/diff", "diff r.csv r.csv", RESULTS, ("rankbars compare",), code=1),
    # Options.
    Case(
        "variants/of nobody",
        "rank r.csv --variants nobody=20",
        RESULTS,
        ("nobody", "a, b, c"),
        code=2,
    ),
    Case("variants/below 1", "rank r.csv --variants a=-1", RESULTS, ("a=-1", "at least 1"), code=2),
    Case("variants/not a number", "rank r.csv --variants a=many", RESULTS, ("a=many",), code=2),
    Case(
        "shared runs/without runs",
        "rank r.csv --runs shared",
        RESULTS,
        ("several answers",),
        code=1,
    ),
    Case(
        "shared runs/with runs", "rank m.csv --runs shared", MANY, models=("a", "b", "c"), items=30
    ),
    Case(
        "scope/best alone",
        "rank r.csv --scope each --best-alone",
        RESULTS,
        ("Use --scope all",),
        code=1,
    ),
    Case("zero errors/unknown word", "rank r.csv --zero-se biggest", RESULTS, ("largest",), code=2),
    Case(
        "unknown model/near",
        "rank r.csv --models A --models b",
        RESULTS,
        ("'A'", "a, b, c"),
        code=2,
    ),
    Case("unknown task/far", "rank r.csv --tasks math", RESULTS, ("math",), code=2),
    Case("unknown column/near", "rank r.csv --column score=scores", RESULTS, ("'score'",), code=1),
    Case("unknown option/typo", "rank r.csv --model a", RESULTS, ("--models",), code=2),
    # Files that are not there, empty, or something else.
    Case(
        "no file/typo",
        "rank result.csv",
        {"results.csv": RESULTS["r.csv"]},
        ("result.csv", "results.csv"),
        code=1,
    ),
    Case("no file/empty folder", "rank out", {"out/.keep": ""}, ("out",), code=1),
    Case("empty/no byte", "rank e.csv", {"e.csv": ""}, ("empty",), code=1),
    Case(
        "empty/header only",
        "rank e.csv",
        {"e.csv": "model,item,score\n"},
        ("no row below",),
        code=1,
    ),
    Case(
        "empty/no score at all",
        "rank e.csv",
        {"e.csv": lines("model,item,score", "a,1,", "b,1,")},
        ("score",),
        code=1,
    ),
    Case(
        "something else/picture",
        "rank plot.csv",
        {"plot.csv": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4},
        ("plot.csv",),
        code=1,
    ),
    Case(
        "called csv/zip",
        "rank z.csv",
        {"z.csv": archive(r=RESULTS["r.csv"])},
        ("z.csv: it is a ZIP archive. Unpack it",),
        ("UTF-8", "no row below"),
        code=1,
    ),
    Case(
        "called csv/workbook",
        "compare r.csv w.csv",
        {**RESULTS, "w.csv": archive(xl__workbook="<workbook/>")},
        ("w.csv: it is a workbook (Excel). Save its sheet as CSV",),
        code=1,
    ),
    Case(
        "called csv/parquet",
        "rank r.csv",
        {
            "r.csv": parquet(
                {"model": list("ab") * 9, "item": sorted([*range(9)] * 2), "score": right(0.5, 18)}
            )
        },
        (),
        ("line break",),
        models=("a", "b"),
        items=9,
    ),
    Case(
        "called json/gzip",
        'check r.json --claim "a > b"',
        {"r.json": gzip.compress(b'[{"model": "a", "item": 1, "score": 1}]')},
        ("it is compressed (gzip), which its name does not say. Call it r.json.gz",),
        code=1,
    ),
    Case(
        "called json/database",
        "add r.json --store s.rankbars",
        {"r.json": b"SQLite format 3\0" + bytes(range(256))},
        ("it is a database (SQLite)", "CSV"),
        code=1,
    ),
    Case(
        "called gz/text",
        "rank r.csv.gz",
        {"r.csv.gz": RESULTS["r.csv"]},
        ("not compressed, whatever its name says. Call it r.csv.",),
        code=1,
    ),
    Case(
        "something else/words",
        "rank notes.txt",
        {"notes.txt": "We ran it twice.\nThe second was better, I think.\n"},
        ("notes.txt",),
        code=1,
    ),
    Case(
        "something else/settings",
        "rank config.json",
        {"config.json": '{"model": "gpt", "temperature": 0.7, "max_tokens": 512}'},
        ("config.json",),
        code=1,
    ),
    Case(
        "cut off/jsonl",
        "rank r.jsonl",
        {"r.jsonl": '{"model": "a", "id": 1, "score": 1}\n{"model": "a", "id": 2, "sc'},
        ("r.jsonl",),
        code=1,
    ),
    Case("cut off/csv", "rank r.csv", {"r.csv": RESULTS["r.csv"] + "c,q9"}, ("cells",), code=1),
    Case(
        "several damaged/tables",
        "rank 1.csv r.csv 2.csv 3.csv 4.csv",
        {**RESULTS, **{f"{n}.csv": f"model,item,score\nm{n},1,1\nm{n}" for n in range(1, 5)}},
        ("1.csv, row 3:", "2.csv, row 3:", "3.csv, row 3:", "And so with 1 more."),
        ("r.csv",),
        code=1,
    ),
    Case(
        "several damaged/logs",
        "rank --format openai-evals 1.jsonl 2.jsonl",
        {f"{n}.jsonl": '{"spec": {"completion_fns": ["m"], "ev' for n in (1, 2)},
        ("1.jsonl", "2.jsonl"),
        code=1,
    ),
    Case(
        "a web page/saved as csv",
        "rank t.csv",
        {"t.csv": "<!DOCTYPE html>\n<html><head><title>Board</title></head><body></body></html>\n"},
        ("HTML",),
        code=1,
    ),
    # Too little.
    Case(
        "too little/one model",
        "rank one.csv",
        {"one.csv": one_file("correct", 0.7)},
        ("only one model, one: nothing to rank",),
    ),
    Case(
        "too little/one item",
        "rank o.csv",
        {"o.csv": lines("model,item,score", "a,1,1", "b,1,0")},
        ("1 item",),
        models=("a", "b"),
    ),
    Case(
        "too little/all the same",
        "rank o.csv",
        {"o.csv": lines("model,item,score", *(f"{m},{i},1" for m in "abc" for i in range(30)))},
        models=("a", "b", "c"),
        hides=("is shown better",),
    ),
    Case(
        "names/empty cells",
        "rank o.csv",
        {
            "o.csv": lines(
                "model,item,score",
                *(f"{m},{i},{v}" for m in ("a", "") for i, v in enumerate(right(0.5, 20))),
            )
        },
        ("model",),
        code=1,
    ),
    Case(
        "header/named twice",
        "rank o.csv",
        {"o.csv": lines("model,item,score,score", "a,1,1,2", "b,1,0,2")},
        ("named twice",),
        code=1,
    ),
    Case(
        "header/none",
        "rank o.csv",
        {"o.csv": lines("a,1,1", "a,2,0", "b,1,1", "b,2,1")},
        ("header",),
        code=1,
    ),
    Case(
        "numbers/infinite",
        "rank o.csv",
        {"o.csv": lines("model,item,score", "a,1,1", "a,2,inf", "b,1,0", "b,2,1")},
        ("inf",),
        code=1,
    ),
    Case(
        "no name over models or questions/0 and 1",
        "rank r.csv",
        {"r.csv": lines(",q1,q2,q3", "a,1,0,1", "b,0,0,1", "c,1,1,1")},
        ("--layout models-by-items", "--layout items-by-models"),
        code=1,
    ),
    Case(
        "a folder with one damaged file/bytes",
        "rank f",
        {"f/r.json": bytes(range(256))},
        ("The only file there cannot be read: f/r.json",),
        ("None of 1",),
        code=1,
    ),
    Case(
        "a model without any score/board",
        "rank r.csv",
        {
            "r.csv": lines(
                "model,item,score",
                *(f"{m},{i},{'' if m == 'b' else i % 2}" for m in "abc" for i in range(12)),
            )
        },
        ("'b' has no score at all", "--missing drop_models"),
        ("--missing pairwise", "--missing listwise"),
        code=1,
    ),
    Case(
        "a model without any score/comparison",
        "compare r.csv",
        {
            "r.csv": lines(
                "model,item,score",
                *(f"{m},{i},{'' if m == 'b' else i % 2}" for m in "ab" for i in range(12)),
            )
        },
        ("'b' has no score at all", "Nothing was compared"),
        ("--missing pairwise",),
        code=1,
    ),
    Case(
        "a metric of no answers/pass@0",
        "rank r.csv --metric pass@0",
        {
            "r.csv": lines(
                "model,item,attempt,score",
                *(f"{m},{i},{k},{i * k % 2}" for m in "ab" for i in range(12) for k in range(4)),
            )
        },
        ("'pass@0' needs a number of answers of 1 or more behind @", "pass@4"),
        code=1,
    ),
)
