"""What a command answers, and results to run it on."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Answer(NamedTuple):
    """What a command answered."""

    code: int
    out: str
    err: str


Command = Callable[..., Answer]


def table(shape: tuple[int, int, int] = (3, 4, 40), seed: int = 1) -> list[str]:
    """Lines of a tidy table: models by tasks by items, the first model clearly the best."""
    models, tasks, items = shape
    rng = np.random.default_rng(seed)
    lines = ["model,task,item,score"]
    for task in range(tasks):
        chance = np.linspace(0.9, 0.4, models)
        answers = rng.random((items, models)) < chance
        lines += [
            f"m{model},t{task},{item},{int(answers[item, model])}"
            for model in range(models)
            for item in range(items)
        ]
    return lines
