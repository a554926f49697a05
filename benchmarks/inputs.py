"""Made-up results that the rows share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw_scores", "draw_votes", "draw_wins", "model_names", "task_arrays"]


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


def draw_votes(models: int, votes: int) -> dict[str, Any]:
    """Columns of a table of votes: two models and who won, three in ten times nobody."""
    rng = np.random.default_rng(0)
    names = np.array(model_names(models))
    strength = np.linspace(-1.5, 1.5, models)
    first = rng.integers(0, models, votes)
    second = (first + rng.integers(1, models, votes)) % models
    won = rng.random(votes) < 1 / (1 + np.exp(strength[second] - strength[first]))
    winner = np.where(won, "model_a", "model_b")
    nobody = rng.random(votes)
    winner = np.where(nobody < 0.2, "tie", np.where(nobody < 0.3, "both_bad", winner))
    return {"model_a": names[first], "model_b": names[second], "winner": winner}


def draw_wins(models: int, reach: int) -> NDArray[np.float64]:
    """Table of wins among models at most `reach` places apart."""
    rng = np.random.default_rng(0)
    strength = np.linspace(-1.5, 1.5, models)
    first, second = np.triu_indices(models, 1)
    near = second - first <= reach
    first, second = first[near], second[near]
    votes = rng.integers(20, 60, first.size)
    won = rng.binomial(votes, 1 / (1 + np.exp(strength[second] - strength[first])))
    wins = np.zeros((models, models))
    # One vote each way, so that nobody is undefeated.
    wins[first, second], wins[second, first] = won + 1, votes - won + 1
    return wins
