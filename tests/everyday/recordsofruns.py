"""What trackers, spreadsheets and judges write beside scores: times, spreads, marks of failure."""

from __future__ import annotations

import json

from everyday.case import Case, json_lines, lines, right

EVALS = ("name", "mmlu/acc", "gsm8k/exact_match", "arc/acc_norm")
FOUR = ("base,0.612,0.412,0.530", "sft,0.605,0.488,0.538", "dpo,0.618,0.502,0.551")
NO_MEANS = ("3 models, 4 tasks", "3 models, 5 tasks", "5 runs")


def tracked(column: str, values: tuple[object, ...]) -> str:
    """An export of an experiment tracker, with a column about the run."""
    rows = [row.replace(",", f",{value},", 1) for row, value in zip(FOUR, values, strict=True)]
    return lines(",".join((EVALS[0], column, *EVALS[1:])), *rows)


def seeds(header: str, mark: str = ",") -> str:
    rows = (
        ("ckpt-1k", "0.612", "0.618", "0.601", "0.610", "0.009"),
        ("ckpt-2k", "0.655", "0.641", "0.662", "0.653", "0.011"),
        ("ckpt-3k", "0.661", "0.668", "0.649", "0.659", "0.010"),
    )
    body = [mark.join(row) for row in rows]
    return lines(header, *(row.replace(".", ",") if mark == ";" else row for row in body))


def last(share: float) -> str:
    """What a training writes at its end."""
    return json.dumps({"accuracy": share, "loss": 0.3, "epoch": 10})


LAST = {
    f"runs/{model}_seed{seed}/metrics.json": last(share)
    for model, shares in (("resnet", (81, 83, 80, 82, 84)), ("vit", (71, 70, 73, 69, 72)))
    for seed, share in enumerate(shares)
}
TURNS = json_lines(
    {
        "question_id": [q for q in range(81, 111) for _ in range(4)],
        "model": ["vicuna", "vicuna", "alpaca", "alpaca"] * 30,
        "judge": [["gpt-4", "single-v1"]] * 120,
        "score": [9, 8, 6, 5] * 30,
        "turn": [1, 2] * 60,
    }
)
AB_TEST = lines(
    "user_id,variant,converted", *(f"u{n},{'AB'[n % 2]},{int(n % 7 < 2)}" for n in range(210))
)
AB_NAMES = "--column model=variant --column item=user_id --column score=converted"


def graded(mark: int, top: int) -> str:
    """Two judged systems; the better one has more answers that the judge could not grade."""
    rows = []
    for number in range(60):
        grade = top - number % 3
        rows.append(f"{number},a,{mark if number % 6 == 0 else grade}")
        rows.append(f"{number},b,{grade - (number % 2)}")
    return lines("question_id,model,judge_score", *rows)


FAILED = {
    f"{name}.csv": lines(
        "model,id,output,passed",
        *(f"{name},q{n},{'Error: timeout' if n % 9 == k else 'B'},{int(n % 9 != k and n % 3 > 0)}"
          for n in range(90)),
    )
    for name, k in (("new", 10), ("old", 1))
}  # fmt: skip

SHARES = {"new": 0.9, "old": 0.5}


def with_settings(name: str, share: float) -> str:
    """A line of settings, one for each item, and one of the whole."""
    records: list[dict[str, object]] = [{"type": "config", "model": name, "dataset": "tools"}]
    for n, one in enumerate(right(share, 60)):
        records.append({"type": "sample", "sample_id": n, "model": name, "correct": bool(one)})
    records.append({"type": "summary", "model": name, "accuracy": share, "n": 60})
    return "".join(json.dumps(record) + "\n" for record in records)


CASES = (
    Case(
        "failed calls with a score/an error for an answer",
        "compare new.csv old.csv",
        FAILED,
        ("10 of the first 90 rows have an error in 'output'", "output not like 'Error%'"),
    ),
    Case(
        "one score per run in folders/after seeds",
        "rank runs",
        LAST,
        ("2 models, 1 task; 5 runs", "resnet leads"),
        means={"resnet": 82.0, "vit": 71.0},
    ),
    Case(
        "a list beside judged answers/the turn tells rows apart",
        "rank judged.jsonl",
        {"judged.jsonl": TURNS},
        ("as mt-bench", "2 answers to each"),
        ("holds a list",),
        means={"vicuna": 8.5, "alpaca": 5.5},
        items=30,
    ),
    Case(
        "a list beside judged answers/told",
        "rank judged.jsonl --format tidy --column epoch=turn",
        {"judged.jsonl": TURNS},
        ("vicuna leads",),
        means={"vicuna": 8.5, "alpaca": 5.5},
        items=30,
    ),
    Case("two samples/which is which", "rank ab.csv", {"ab.csv": AB_TEST}, (AB_NAMES,), code=1),
    Case(
        "two samples/no shared rows",
        f"rank ab.csv {AB_NAMES}",
        {"ab.csv": AB_TEST},
        ("--test welch --missing pairwise",),
        code=1,
    ),
    Case(
        "two samples/told",
        f"rank ab.csv {AB_NAMES} --test welch --missing pairwise",
        {"ab.csv": AB_TEST},
        ("tell the two models apart",),
        means={"A": 30 / 105, "B": 30 / 105},
    ),
    Case(
        "times of a tracker/seconds since 1970",
        "rank w.csv",
        {"w.csv": tracked("_timestamp", (1795610000.0, 1795710000.0, 1795810000.0))},
        ("3 models, 3 tasks",),
        tasks=EVALS[1:],
    ),
    Case(
        "times of a tracker/short",
        "rank w.csv",
        {"w.csv": tracked("ts", (1795610000, 1795710000, 1795810000))},
        tasks=EVALS[1:],
    ),
    Case(
        "spread beside runs/German sheet",
        "rank s.csv",
        {"s.csv": seeds("Checkpoint;Seed 1;Seed 2;Seed 3;Mittelwert;StdAbw", ";")},
        ("frame.melt('Checkpoint', ['Seed 1', 'Seed 2', 'Seed 3'], 'run', 'score')",),
        code=1,
    ),
    Case(
        "spread beside runs/SD",
        "rank s.csv",
        {"s.csv": seeds("checkpoint,run1,run2,run3,avg,SD")},
        ("frame.melt('checkpoint', ['run1', 'run2', 'run3'], 'run', 'score')",),
        code=1,
    ),
    Case(
        "spread beside runs/least and greatest",
        "rank s.csv",
        {"s.csv": seeds("checkpoint,seed_0,seed_1,seed_2,min,max")},
        ("['seed_0', 'seed_1', 'seed_2']",),
        code=1,
    ),
    Case(
        "means among runs/melted",
        "rank m.csv",
        {
            "m.csv": lines(
                "checkpoint,run,score",
                *(
                    f"ckpt-{k}k,{run},{0.5 + k / 25 + place / 200 if run != 'std' else 0.01}"
                    for k in (1, 2, 3)
                    for place, run in enumerate(("seed_0", "seed_1", "seed_2", "mean", "std"))
                ),
            )
        },
        ("'mean', 'std' summarise the others", "3 runs"),
        NO_MEANS,
        means={"ckpt-1k": 0.545},
    ),
    Case(
        "spread beside tasks/SD next to a mean",
        "rank t.csv",
        {"t.csv": lines("model,MMLU,GSM8K,ARC,Mean,SD", "a,70,60,50,60,10", "b,65,66,52,61,7.8")},
        tasks=("MMLU", "GSM8K", "ARC"),
    ),
    Case(
        "grades that failed/-1 beside 1 to 5",
        "rank g.csv",
        {"g.csv": graded(-1, 5)},
        ("-1 stands 10 times beside scores from 2 to 5", "--score-min 1"),
        code=1,
    ),
    Case(
        "grades that failed/99 beside 1 to 5",
        "rank g.csv",
        {"g.csv": graded(99, 5)},
        ("99 stands 10 times", "--score-max 5"),
        code=1,
    ),
    Case(
        "grades that failed/told",
        "rank g.csv --score-min 1 --missing pairwise",
        {"g.csv": graded(-1, 5)},
        ("a leads",),
    ),
    Case(
        "records of several kinds/settings and a summary around them",
        "compare new.jsonl old.jsonl",
        {f"{name}.jsonl": with_settings(name, share) for name, share in SHARES.items()},
        ("Only lines with type = 'sample' are rows", "new is better than old", "60 items"),
    ),
    Case(
        "records of several kinds/of items that failed",
        "rank new.jsonl",
        {
            "new.jsonl": with_settings("new", 0.8)
            + '{"type": "error", "model": "new", "sample_id": 60, "error": "timeout"}\n'
        },
        hides=("Only lines with",),
        code=1,
    ),
    Case(
        "records deeper in JSON/beside settings",
        "compare new.json old.json",
        {
            f"{name}.json": json.dumps(
                {
                    "model": name,
                    "config": {"temperature": 0},
                    "metrics": {"accuracy": share},
                    "results": [
                        {"id": f"q{n}", "correct": bool(one), "ms": 300 + n}
                        for n, one in enumerate(right(share, 60))
                    ],
                }
            )
            for name, share in SHARES.items()
        },
        ("--map 'model=model,item=results[].id,score=results[].correct'",),
        code=1,
    ),
    Case(
        "records deeper in JSON/objects in lines",
        "rank r.jsonl",
        {
            "r.jsonl": "".join(
                json.dumps(
                    {
                        "meta": {"model": name},
                        "sample": {"id": f"s{n}"},
                        "metrics": {"exact_match": one, "length": 7 + n},
                    }
                )
                + "\n"
                for name, share in SHARES.items()
                for n, one in enumerate(right(share, 60))
            )
        },
        ("--map 'model=meta.model,item=sample.id,score=metrics.exact_match'",),
        ("model=meta ",),
        code=1,
    ),
    Case(
        "checkpoints of one training/a metric at each step",
        "rank s.csv",
        {"s.csv": lines("step,acc,acc_stderr", *(f"{n}000,0.5{n},0.01" for n in range(1, 6)))},
        ("--column model=step --column score=acc",),
        code=1,
    ),
    Case(
        "checkpoints of one training/of several runs",
        "rank w.jsonl",
        {
            "w.jsonl": json_lines(
                {
                    "_step": [1000, 2000] * 2,
                    "run": ["a", "a", "b", "b"],
                    "train/loss": [2.7, 2.5, 2.6, 2.4],
                    "eval/acc": [0.41, 0.52, 0.43, 0.57],
                }
            )
        },
        ('--where "_step = 2000" --column model=run --column score=eval/acc',),
        code=1,
    ),
)
