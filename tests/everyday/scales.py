"""Numbers that have no average: ratings, amounts and distances beside shares and percentages."""

from __future__ import annotations

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
)
