"""What is averaged: the population, the scale and the weights; decided by the input's structure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np

from rankbars.data.evidence import Items
from rankbars.data.scores import Direction, Scores
from rankbars.data.spec import OVERS
from rankbars.data.tabular.metrics import depends_on_scale
from rankbars.errors import DataError, OptionError, UnknownOptionError

__all__ = ["ESTIMATORS", "AveragePlan", "plan_average"]

ESTIMATORS: dict[str, Literal["items", "tasks"]] = {"analytic": "items", "t": "tasks"}
"""Which average each estimator is for."""


class AveragePlan(NamedTuple):
    """What is averaged: which population, scores or ranks, with which weights."""

    over: Literal["items", "tasks"]
    unit: Literal["score", "rank"]
    direction: Direction
    weights: Mapping[str, float]


def plan_average(
    scores: Scores,
    over: str = "auto",
    estimator: str = "auto",
    weights: Mapping[str, float] | None = None,
) -> AveragePlan:
    """What can and should be averaged, decided by the structure of the input alone."""
    known = tuple(value for value in OVERS if value != "none")
    if over not in known:
        raise UnknownOptionError.among("average (over)", over, known)
    if estimator != "auto" and estimator not in ESTIMATORS:
        raise UnknownOptionError.among("estimator", estimator, ("auto", *ESTIMATORS))
    shares = _shares(scores, weights)
    if len(shares) < 2:
        raise DataError(f"An average needs at least two tasks with weight; found {len(shares)}.")
    one_scale = _one_scale(scores, shares)
    sure = all(_has_error(scores, name) for name in shares)
    wanted = over if estimator == "auto" else ESTIMATORS[estimator]
    if over not in ("auto", wanted):
        raise OptionError(f"Estimator {estimator!r} is for over={wanted!r}; got over={over!r}.")
    if wanted == "items":
        _refuse_items(one_scale, sure)
    chosen: Literal["items", "tasks"] = (
        "items" if wanted != "tasks" and one_scale and sure else "tasks"
    )
    directions = {scores.info[name].direction for name in shares}
    direction: Direction = "lower" if not one_scale or directions == {"lower"} else "higher"
    return AveragePlan(chosen, "score" if one_scale else "rank", direction, shares)


def _shares(scores: Scores, weights: Mapping[str, float] | None) -> dict[str, float]:
    if weights is None:
        raw = {name: scores.info[name].weight for name in scores.tasks}
    else:
        for name, value in weights.items():
            if name not in scores.tasks:
                raise UnknownOptionError.among("task in the weights", name, tuple(scores.tasks))
            if not (np.isfinite(value) and value >= 0):
                raise OptionError.out_of_range(f"weight of task {name!r}", value, "0 or more")
        raw = {name: float(weights.get(name, 0.0)) for name in scores.tasks}
    total = sum(raw.values())
    if total == 0:
        raise OptionError("All weights of tasks are zero; at least one must be above 0.")
    return {name: value / total for name, value in raw.items() if value > 0}


def _one_scale(scores: Scores, shares: Mapping[str, float]) -> bool:
    infos = [scores.info[name] for name in shares]
    metrics = {info.metric for info in infos}
    if len(metrics) > 1 or len({info.direction for info in infos}) > 1:
        return False
    metric = metrics.pop()
    return metric is None or not depends_on_scale(metric)


def _has_error(scores: Scores, name: str) -> bool:
    evidence = scores.tasks[name]
    if isinstance(evidence, Items):
        return evidence.n >= 2
    return evidence.has_uncertainty


def _refuse_items(one_scale: bool, sure: bool) -> None:
    if not one_scale:
        raise OptionError(
            "These tasks are measured in different ways (metric, direction or unit), so their "
            'scores cannot be averaged. Use over="tasks" (--aggregate tasks): it averages ranks '
            "within tasks."
        )
    if not sure:
        raise OptionError(
            "Some tasks have one score per model without an error, so nothing is known about the "
            'average over exactly these tasks. Use over="tasks" (--aggregate tasks).'
        )
