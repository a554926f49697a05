"""Public leaderboards as they are saved: places, means, links, intervals, shares and their rest."""

from __future__ import annotations

from everyday.case import Case, lines

LEVELS = (2.1, 2.6, 3.0, 3.9, 4.4, 5.2, 6.0, 7.7)
TASKS = ("de", "fr", "it")


def board(*, first: str = "", last: str = "", levels: tuple[float, ...] = LEVELS) -> str:
    """A table whose rows are in the order of their scores, by names that say no side."""
    rows = []
    for place, level in enumerate(levels, start=1):
        scores = [
            round(level * (1 + 0.3 * k * k) + (place * (k + 3) % 7) / 19, 2) for k in range(3)
        ]
        mean = [f"{sum(scores) / 3:.2f}"] * bool(last)
        rows.append(",".join(map(str, [*[place] * bool(first), f"m{place}", *scores, *mean])))
    return lines(",".join(filter(None, [first, "System", *TASKS, last])), *rows)


RATES = lines(
    "| Model | Hallucination Rate | Factual Consistency Rate | Answer Rate |",
    "|----|----:|----:|----:|",
    "|ash|1.8 %|98.2 %|99.5 %|",
    "|birch|3.3 %|96.7 %|99.4 %|",
    "|cedar|3.7 %|96.3 %|80.7 %|",
)
IMAGES = lines(
    "model,img_size,top1,top1_err,param_count",
    "eva,448,90.056,9.944,305.08",
    'giant,560,89.790,10.210,"1,014.45"',
    "beit,512,88.584,11.416,305.67",
)
ERRORS = lines(
    "model,Avg. WER,RTFx,AMI WER,Tedlium WER,Earnings WER",
    *(f"{name},{mean},{speed},{ami},{ted},{far}" for name, mean, speed, ami, ted, far in (
        ("whale", "5.42", 524.88, 8.13, 2.49, 5.64), ("seal", "5.47", 81.1, 10.03, 3.22, 3.16),
        ("orca", "6.50375", 235.3, 13.9, 3.56, 2.05125), ("otter", "7.15", 749, 12.01, 4.29, 5.15),
        ("tiny", "12.8", 348.1, 20.24, 5.97, 12.19), ("mini", "9.99", 565.9, 17.49, 5.65, 6.83),
    )),
)  # fmt: skip
BRACKETS = lines(
    "Model,MMLU,MMLU 95% CI,GSM8K,GSM8K 95% CI",
    'ash,71.3,"[70.1, 72.5]",80.2,78.0-82.4',
    'birch,69.3,"[68.1, 70.5]",71.2,69.0–73.4',
)
ARENA = lines(
    "Rank* (UB),Model,Arena Elo,95% CI,Votes,License",
    '1,ash,"1,287",+4/-3,"32,181",MIT',
    '2,birch,"1,268",+3/-3,"25,519",MIT',
    '2,cedar,"1,266",+3/-3,"27,225",MIT',
)
LINKED = lines(
    "Rank (Borda),Model,vocabulary_size,STS,Retrieval",
    "1,[whale](https://hf.co/a/whale),262144,80.1,70.2",
    "2,<a href='https://hf.co/b/seal'>b/seal (val)</a>,32000,79.1,66.2",
    '3,"<a href=""https://hf.co/c"">c/orca</a>  <a href=""https://hf.co/d"">📑</a>",32000,71.1,56.2',
)
SMALL_PRINT = lines(
    "Method,Cora,Citeseer,Avg",
    "GCN,$81.5_{0.5}$,70.3<sub>±0.6</sub>,75.9",
    r"GAT,$\underline{83.0}_{0.7}$,$\mathbf{72.5}_{\pm 0.7}$,77.8",
    r"Ours,$\mathbf{\underline{83.6}}_{\pm0.4}$,71.9 {\scriptsize $\pm$ 0.5},77.8",
)
LANGUAGES = lines(
    "model,task,language,seed,accuracy",
    *(f"{model},{task},{language},{seed},{level + at + seed * 7 % 3 / 10}"
      for model, level in (("ash", 70), ("birch", 74)) for task, at in (("qa", 4), ("nli", 0))
      for language in ("de", "en", "sw") for seed in range(5)),
)  # fmt: skip

CASES = (
    Case("lowest first/by a rank", "rank t.csv", {"t.csv": board(first="Rank")},
         ("'Rank' counts up with the scores", "--direction lower"), code=1),
    Case("lowest first/by the order of the mean", "rank t.csv", {"t.csv": board(last="Avg")},
         ("rows are in the order of 'Avg', and the lowest come first",), code=1),
    Case("lowest first/told", "rank t.csv --direction lower",
         {"t.csv": board(first="Rank", last="Avg")}, tasks=TASKS, means={"m1": 2.26}),
    Case("lowest first by chance/few rows that get better", "rank t.csv",
         {"t.csv": board(last="Avg", levels=LEVELS[:6])}, tasks=TASKS),
    Case("lowest first by chance/best first", "rank t.csv",
         {"t.csv": board(first="Rank", last="Avg", levels=LEVELS[::-1])}, tasks=TASKS),
    Case("a share and its rest/asked", "rank t.md", {"t.md": RATES},
         ("'Factual Consistency Rate' and 'Hallucination Rate' add up to the whole",
          "--metric 'Factual Consistency Rate' --metric 'Answer Rate'"), code=1),
    Case("a share and its rest/still, where a side is told",
         "rank t.md --direction 'Hallucination Rate=lower'", {"t.md": RATES},
         ("would count twice",), code=1),
    Case("a share and its rest/chosen",
         "rank t.md --metric 'Factual Consistency Rate' --metric 'Answer Rate'", {"t.md": RATES},
         tasks=("Factual Consistency Rate", "Answer Rate"), means={"ash": 98.2}),
    Case("errors that are wrong answers/asked", "rank t.csv", {"t.csv": IMAGES},
         ("'top1' and 'top1_err' add up to the whole", "--metric top1 (in Python: metric='top1')"),
         code=1),
    Case("errors that are wrong answers/no standard errors", "rank t.csv --metric top1",
         {"t.csv": IMAGES}, ("without uncertainty",), ("se = 'top1_err'",), means={"eva": 90.056}),
    Case("a mean with other digits/named after the metric", "rank t.csv --direction lower",
         {"t.csv": ERRORS}, ("'Avg. WER' (the mean of all others)",),
         tasks=("AMI WER", "Tedlium WER", "Earnings WER")),
    Case("intervals in columns/one for each task", "rank t.csv", {"t.csv": BRACKETS},
         ("are taken for the 95 % intervals of 'MMLU', 'GSM8K'", "ash leads"),
         tasks=("MMLU", "GSM8K")),
    Case("intervals in columns/beside thousands", "rank t.csv", {"t.csv": ARENA},
         ("'95% CI' is taken for the 95 % intervals of 'Arena Elo'", "ash leads"),
         means={"ash": 1287.0}),
    Case("links to models/in two languages", "rank t.csv", {"t.csv": LINKED},
         models=("whale", "b/seal (val)", "c/orca"), tasks=("STS", "Retrieval")),
    Case("errors in small print/asked", "rank t.csv", {"t.csv": SMALL_PRINT},
         ("$81.5_{0.5}$", "--cells std5"), code=1),
    Case("errors in small print/told", "rank t.csv --cells std5", {"t.csv": SMALL_PRINT},
         ("In 6 cells",), tasks=("Cora", "Citeseer"), means={"GAT": 83.0, "Ours": 83.6}),
    Case("cells of a store/a submission with columns of errors",
         "add t.csv --cells std5 --store s.duckdb ; submit new.csv --store s.duckdb",
         {"t.csv": SMALL_PRINT, "new.csv": lines("Method,Cora,Cora_se,Citeseer,Citeseer_se",
                                                 "New,85.6,0.2,74.9,0.2")},
         ("May be first then, and not before: New",)),
    Case("languages beside tasks/runs of each", "rank t.csv", {"t.csv": LANGUAGES},
         ("if it names parts of 'task' and one counts, --where \"language = 'de'\"",
          "frame['task'] + ' ' + frame['language']"), ("--column epoch=language",), code=1),
    Case("sizes of tasks/counted by a sign", "rank t.csv",
         {"t.csv": lines("Task,#test,ash,birch", "a,1000,80,72", "b,100,70,65", "c,5000,75.2,71")},
         models=("ash", "birch"), tasks=("a", "b", "c")),
)  # fmt: skip
