"""JSON of tools that nobody knows, read by paths: what a path measures, and what roles it has."""

from __future__ import annotations

import json

from everyday.case import Case, lines, right

NAMES = {"alpha": 0.6, "beta": 0.8}


def evaluations(**measured: float) -> dict[str, str]:
    """One file per model: answers, and what was measured of each beside them."""
    return {
        f"{name}.json": json.dumps({
            "model": name,
            "results": [
                {"id": n, "correct": bool(one),
                 **{key: scale * (1 + n % 7) for key, scale in measured.items()},
                 "stats": {"mean": 1 + n % 5}}
                for n, one in enumerate(right(share))
            ],
        })
        for name, share in NAMES.items()
    }  # fmt: skip


COUNTED = ("alpha,gsm8k,1200,900", "alpha,mmlu,14000,7000",
           "beta,gsm8k,1200,600", "beta,mmlu,14000,7700")  # fmt: skip
COUNTS = json.dumps(
    [dict(zip(("m", "t", "all", "ok"), row.split(","), strict=True)) for row in COUNTED]
)

PATHS = "rank . --map 'model=model,item=results[].id,score=results[].{}'"

CASES = (
    Case(
        "side of a mapped score/an amount",
        PATHS.format("latency"),
        evaluations(latency=0.2),
        ("'latency' is usually lower-is-better", "--direction latency=lower"),
        ("Direction: higher",),
        code=1,
    ),
    Case(
        "side of a mapped score/a mean of nobody knows what",
        PATHS.format("stats.mean"),
        evaluations(),
        ("not known which side of 'stats.mean' is better",),
        code=1,
    ),
    Case(
        "side of a mapped score/declared",
        PATHS.format("latency") + " --direction latency=lower",
        evaluations(latency=0.2),
        ("Metric: 'latency'", "Direction: lower is better (declared)"),
    ),
    Case(
        "side of mapped answers/known by name",
        PATHS.format("correct"),
        evaluations(),
        ("Metric: 'correct'", "Direction: higher is better (by what 'correct' means)"),
        items=60,
    ),
    *(
        Case(
            f"right answers of so many per task/{name}",
            line,
            files,
            ("c of n answers of a task are right", "Standard errors of all tasks are binomial"),
            models=("alpha", "beta"),
            tasks=("gsm8k", "mmlu"),
            means={"alpha": 0.75, "beta": 0.5},
        )
        for name, line, files in (
            ("a map", "rank r.json --map model=m,task=t,n=all,c=ok", {"r.json": COUNTS}),
            ("columns", "rank r.csv", {"r.csv": lines("model,task,n,c", *COUNTED)}),
        )
    ),
    Case(
        "a cost that is no number/names its place",
        "rank r.json --map model=m,item=t,score=ok,cost=m",
        {"r.json": COUNTS},
        ("the cost is 'alpha', not a number. The map says where it is: cost=m.",),
        code=1,
    ),
    Case(
        "one message for files alike/records deeper in each",
        "rank .",
        {
            name: text.replace('{"model"', '{"config": {"shots": 5}, "metrics": {}, "model"')
            for name, text in evaluations().items()
        },
        ("alpha.json, beta.json: The JSON holds an object",),
        (".;", "; beta.json"),
        code=1,
    ),
    Case(
        "roles of a map/task is the task",
        "rank . --map 'model=model,task=results[].part,score=results[].correct'",
        {
            f"{name}.json": json.dumps(
                {
                    "model": name,
                    "results": [
                        {"part": f"p{n % 2}", "correct": bool(one)}
                        for n, one in enumerate(right(share))
                    ],
                }
            )
            for name, share in NAMES.items()
        },
        ("task = results[].part", "2 tasks"),
        tasks=("p0", "p1"),
        items=30,
    ),
    Case(
        "paths of records first/settings of many keys before them",
        "formats x.json",
        {
            "x.json": json.dumps(
                {
                    "machine": {f"flag{n}": n for n in range(60)},
                    "runs": [{"case": f"c{n}", "took": 0.1 * n} for n in range(5)],
                }
            )
        },
        ("runs[].case", "runs[].took", "and 22 more paths"),
        code=1,
    ),
)
