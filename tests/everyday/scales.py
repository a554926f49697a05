"""Numbers that have no average: ratings, amounts and distances beside shares and percentages."""

from __future__ import annotations

import json

from everyday.case import Case, lines, right, table
from everyday.printedtables import THREE, grown

RATED = grown("MT-Bench", "8.9", "9.2", "6.7")
LIMITS = lines(
    "task,least,greatest", *(f"{task},0,100" for task in ("MMLU", "GSM8K", "HumanEval", "ARC")),
    "MT-Bench,0,10",
)  # fmt: skip


def answers_and_ratings() -> str:
    """Two models: the one that is right more often is rated lower."""
    rows = [
        f"{model},{task},q{place},{points + place % 3 if task == 'chat' else value}"
        for model, share, points in (("new", 0.85, 6), ("old", 0.5, 8))
        for task in ("law", "math", "chat")
        for place, value in enumerate(right(share, 60, len(task)))
    ]
    return lines("model,task,item,score", *rows)


def with_seconds(header: str) -> str:
    """A row per model and task: two accuracies, and seconds."""
    found = [
        ("gsm8k_acc", "accuracy", 0.7), ("law_acc", "accuracy", 0.6), ("speed_s", "latency", 3.5)
    ]  # fmt: skip
    rows = [
        (task, metric, model, score + place / 10)
        for task, metric, score in found
        for place, model in enumerate(THREE)
    ]
    names = ("task", "metric", "model", "score")
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    return table({name: columns[name] for name in header.split(",")})


def published() -> dict[str, str | bytes]:
    """Published scores of two models in a file each, of which one counts to 100."""
    scores = {"new": ("candidate", (53.6, 82.7, 61.2)), "old": ("release", (0.61, 0.863, 0.672))}
    return {
        f"{name}.csv": lines(
            "task,model,score", *(f"subj{n},{model},{one}" for n, one in enumerate(own))
        )
        for name, (model, own) in scores.items()
    }


NOT_RUN = """\
model,en,de,fr,es,it,pt,nl,sv
mono,81.2,76.1,77.0,78.1,75.5,74.9,73.2,72.0
multi,80.1,75.0,76.4,76.9,74.0,74.1,72.5,71.3
fresh,83.5,79.0,80.1,80.7,0.0,0.0,0.0,78.8
old,70.1,60.2,61.4,62.0,59.8,60.0,57.1,55.0
"""

CASES = (
    # Ratings from 0 to 10 beside percentages and beside right answers.
    Case(
        "ratings/beside percents",
        "rank t.csv",
        {"t.csv": RATED},
        ("different scales", "9.2 on 'MT-Bench'", "Mean rank", "--normalise bounds"),
        models=THREE,
    ),
    Case(
        "ratings/limits of each task",
        "rank t.csv --limits limits.csv --normalise bounds",
        {"t.csv": RATED, "limits.csv": LIMITS},
        ("scaled to the limits of each task",),
        ("Mean rank", "different scales"),
        models=THREE,
    ),
    Case(
        "ratings/of rows beside right answers",
        "compare r.csv",
        {"r.csv": answers_and_ratings()},
        ("Cannot tell", "different scales", "Mean rank"),
        ("old is better than new on the average", "new is worse than old on the average"),
    ),
    # Of these, less is better.
    Case(
        "less is better/edit distance",
        "rank t.csv",
        {"t.csv": grown("Edit distance", "12.1", "14.0", "9.3")},
        ("--direction 'Edit distance=lower'", "--direction 'Edit distance=higher'"),
        code=1,
    ),
    Case(
        "less is better/one task of a tidy table",
        "rank t.csv",
        {"t.csv": with_seconds("task,model,score")},
        ("--direction speed_s=lower",),
        ("--direction score=lower",),
        code=1,
    ),
    Case(
        "less is better/distance that was asked about",
        "rank t.csv --direction 'Edit distance=lower'",
        {"t.csv": grown("Edit distance", "12.1", "14.0", "9.3")},
        ("Mean rank", "Direction of 'Edit distance': lower is better"),
        models=THREE,
    ),
    # Rows of several metrics.
    Case(
        "metrics of rows/accuracy and seconds",
        "rank t.csv --direction latency=lower",
        {"t.csv": with_seconds("task,metric,model,score")},
        ("Tasks are on different metrics (accuracy on 2 tasks, latency on 1 task)", "Mean rank"),
        models=THREE,
    ),
    Case(
        "metrics of rows/negated seconds",
        "rank t.csv --direction latency=higher",
        {"t.csv": with_seconds("task,metric,model,score")},
        ("Tasks are on different metrics", "Mean rank"),
        models=THREE,
    ),
    Case(
        "metrics of rows/asked for anyway",
        "rank t.csv --direction latency=higher --average-anyway",
        {"t.csv": with_seconds("task,metric,model,score")},
        ("averaged as they are because it was asked for",),
        ("Mean rank",),
        models=THREE,
    ),
    # A name that is no measure.
    Case(
        "numbered files/one model each",
        "rank run_1.csv run_2.csv",
        {
            f"run_{number}.csv": table({"item": range(60), "score": right(0.3 * number)})
            for number in (1, 2)
        },
        hides=("usually lower-is-better",),
        models=("run_1", "run_2"),
    ),
    Case(
        "one fraction among percentages/named",
        "rank t.csv",
        {
            "t.csv": lines(
                "model,boolq,piqa,siqa,copa,rte",
                "a,81.2,79.1,50.3,88.0,0.70",
                "b,79.9,80.0,0.49,86.0,0.71",
                "c,70.1,74.4,47.0,80.0,0.61",
            )
        },
        ("'siqa' stand on two scales", "'b' has 0.49", "'rte' lie within 1", "--score-max 100"),
        ("'copa'",),
        code=1,
    ),
    Case(
        "sides on two scales/published scores",
        "check new=new.csv old=old.csv --claim 'new > old'",
        published(),
        ("two scales: model 'new' reaches 82.7, model 'old' only 0.863",),
        code=1,
    ),
    Case(
        "sides on two scales/published scores compared",
        "compare new.csv old.csv",
        published(),
        ("two scales: model 'candidate' reaches 82.7, model 'release' only 0.863",),
        code=1,
    ),
    Case(
        "tasks that were not run/0 in three of eight",
        "rank t.csv",
        {"t.csv": NOT_RUN},
        (
            "'fresh' has 0 on 'it', 'nl', 'pt', where the others have 57.1 to 75.5",
            "Were they not run? If so: --word 0=missing",
            "--score-min 0",
        ),
        code=1,
    ),
    Case(
        "tasks that were not run/left out",
        "rank t.csv --word 0=missing",
        {"t.csv": NOT_RUN},
        ("fresh is partly scored (5 of 8 tasks)", "5 of 8"),
        ("has 0 on",),
    ),
    Case(
        "tasks that were not run/-1 in JSON is no score",
        "rank t.json --word=-1=missing",
        {
            "t.json": json.dumps(
                [
                    dict(zip(("model", *"abcd"), ("m", 81.0, 76.0, 77.0, 78.5), strict=True)),
                    dict(zip(("model", *"abcd"), ("o", 79.0, 75.0, 76.0, 76.5), strict=True)),
                    dict(zip(("model", *"abcd"), ("p", 70.0, 60.0, 61.0, 62.5), strict=True)),
                    dict(zip(("model", *"abcd"), ("f", 83.0, 79.0, -1.0, 80.5), strict=True)),
                ]
            )
        },
        ("f is partly scored (3 of 4 tasks)",),
        ("has -1 on",),
    ),
    Case(
        "-1 beside right answers/of one model",
        "rank t.csv",
        {
            "t.csv": table(
                {
                    "question": range(60),
                    "ada": [-1 if n % 5 == 2 else one for n, one in enumerate(right(0.7))],
                    "bob": right(0.6, seed=2),
                    "cyd": right(0.5, seed=3),
                }
            )
        },
        ("-1 stands 12 times beside scores from 0 to 1", "--score-min 0", "--score-min -1"),
        ("may be no model",),
        code=1,
    ),
)
