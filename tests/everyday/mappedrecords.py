"""JSON of tools that nobody knows, read by paths: what a path measures, and what roles it has."""

from __future__ import annotations

import json

from everyday.case import Case, right

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
)
