"""The unit that was sampled: runs that several tasks share, persons, places, raters."""

from __future__ import annotations

import random

from everyday.case import Case, lines

TASKS = ("arc", "boolq", "hellaswag", "piqa", "siqa", "winogrande")


def seeds_on_tasks() -> str:
    """Five seeds of two equal optimizers, each scored on six tasks; a seed moves all of its scores.

    Over tasks the difference is small and steady, over the five seeds it is not.
    """
    source = random.Random(11)
    moved = {"adamw": (-6, 4, -9, 3, -4), "muon": (5, -3, 8, 9, -2)}
    return lines(
        "model,seed,task,accuracy",
        *(
            f"{model},{seed},{task},{0.5 + place / 20 + shift / 1000 + source.gauss(0, 0.003):.4f}"
            for model, shifts in moved.items()
            for seed, shift in enumerate(shifts)
            for place, task in enumerate(TASKS)
        ),
    )


SEEDS = {"k.csv": seeds_on_tasks()}
ANEW = '--runs anew (runs="anew") says that every task was trained anew'

CASES = (
    Case(
        "seeds on several tasks/compare",
        "compare k.csv",
        SEEDS,
        ("Cannot tell", "Of these 5 training runs", ANEW),
    ),
    Case(
        "seeds on several tasks/a claim",
        'check k.csv --claim "muon > adamw"',
        SEEDS,
        ("CANNOT TELL", "5 training runs", ANEW),
        code=3,
    ),
    Case(
        "seeds on several tasks/trained anew",
        "rank k.csv --runs anew",
        SEEDS,
        ("muon leads",),
        hides=("--runs anew",),
        models=("adamw", "muon"),
    ),
)
