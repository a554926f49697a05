"""Made-up results that the rows share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw_scores", "model_names", "task_arrays"]


def draw_scores(models: int, items: int, seed: int = 0) -> NDArray[np.float64]:
    """Scores of shape (items, models): ability, difficulty of the item, and noise."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((items, models))
    values += rng.standard_normal((items, 1))
    values += np.linspace(0.0, 1.0, models)
    return values


def model_names(models: int) -> tuple[str, ...]:
    """Names in code-point order."""
    return tuple(f"model {i:04d}" for i in range(models))


def task_arrays(models: int, items: int, tasks: int) -> dict[str, NDArray[np.float64]]:
    """Scores of several tasks; the arrays are locked, so that they are shared and not copied."""
    arrays = {f"task {t:03d}": draw_scores(models, items, seed=t) for t in range(tasks)}
    for values in arrays.values():
        values.flags.writeable = False
    return arrays
