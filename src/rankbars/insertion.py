"""Models that lack tasks, placed among those scored on every task: the main path for one at a time.

Each is tested against every model of the board on the tasks that it has, and ranked in the field
of those models and itself. Nobody else is looked at, so that no row depends on other such models.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rankbars.data.aggregate import Aggregate
from rankbars.data.board import Leaderboard
from rankbars.data.boardparts import PartlyScored, TaskPlaces
from rankbars.data.comparisons import Comparisons
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec
from rankbars.stats.averaging.incomplete import GapScreen, screen_gaps
from rankbars.stats.streams import stream
from rankbars.steps.average.aggregation import AverageCollector, Place
from rankbars.steps.average.averagechoices import plan_average
from rankbars.steps.pairtests import compare_evidence
from rankbars.steps.ranking import rank_task
from rankbars.steps.testrows import Setting

__all__ = ["insert_models"]

# Of rows at 95 %, where models lack the tasks that they failed: .81 to .87 on three boards.
_MEASURED = 0.81
_USUAL_ALPHA = 0.05
_DRAWS = 999


class _OnTask(NamedTuple):
    """One model on one task, in the units of the input."""

    mean: float
    se: float
    best: int
    worst: int


class _Row(NamedTuple):
    """One model: its place on the average, its adjusted score, and its places on tasks."""

    best: int
    worst: int
    adjusted: float
    places: Mapping[str, _OnTask]


def insert_models(
    whole: Scores,
    partly: Mapping[str, tuple[str, ...]],
    new_tasks: tuple[str, ...],
    board: Leaderboard,
    centre: float = np.nan,
) -> PartlyScored:
    """Place models that lack tasks among the models of a board.

    Parameters
    ----------
    whole : Scores
        Results of the models of the board and of those that are placed, on the tasks that count.
    partly : mapping from str to tuple of str
        The models to place, with the tasks that each has.
    new_tasks : tuple of str
        Tasks that do not count, to be listed.
    board : Leaderboard
        Of the models that are scored on every task.
    centre : float
        Mean of its averages, on the scale that is averaged.

    Notes
    -----
    A row assumes that what a model lacks has nothing to do with its differences to the models of
    the board. Ranks on a task, and on the average, are confidence intervals for that one model
    (`rankbars.rank`, ``scope="each"``), on the tasks that it has.
    """
    spec = replace(board.spec, scope="each", best_alone=False, top_alone=None, variants={})
    names = tuple(sorted(partly))
    rows = [_insert(whole, name, partly[name], board, spec, centre) for name in names]
    screen = _screen(board, rows)
    best = np.array([row.best for row in rows])
    return PartlyScored(
        models=names,
        field=len(board.models) + 1,
        n_tasks=len(board.tasks),
        tasks=np.array([len(partly[name]) for name in names]),
        adjusted=np.array([row.adjusted for row in rows]),
        best=best,
        worst=np.array([row.worst for row in rows]),
        may_be_first=best == 1,
        alpha=spec.alpha,
        by_task=_by_task(board, names, rows),
        new_tasks=new_tasks,
        lean=None if np.isnan(screen.lean) else screen.lean,
        lean_p=None if np.isnan(screen.p) else screen.p,
        measured_level=_MEASURED if spec.alpha == _USUAL_ALPHA else None,
    )


def _insert(
    whole: Scores, name: str, there: tuple[str, ...], board: Leaderboard, spec: Spec, centre: float
) -> _Row:
    scores = whole.select(models={*board.models, name}, tasks=there)
    setting = Setting(
        spec.seed, spec.resamples, votes=spec.votes, zero_se=spec.zero_se, runs=spec.runs
    )
    average = board.aggregate
    collector = None if average is None else _collector(scores, average, spec)
    places: dict[str, _OnTask] = {}
    for task, evidence in scores.tasks.items():
        compared = compare_evidence(evidence, scores.models, spec.test, task, setting)
        places[task] = _on_task(compared, name, spec, scores.info[task].direction == "lower")
        if collector is not None:
            collector.add(task, compared)
        del compared  # before the next task needs the room
    field = len(scores.models)
    counted = [task for task in scores.tasks if scores.info[task].weight > 0]
    if average is None or not counted:
        return _Row(1, field, np.nan, places)
    if collector is not None:
        place = collector.place(name)
        return _Row(
            place.best,
            place.worst,
            _adjusted(average, scores.models.index(name), place, centre),
            places,
        )
    one = places[counted[0]]  # nothing to average; and one task says nothing of tasks like it
    best, worst = (one.best, one.worst) if average.over == "items" else (1, field)
    plain = average.method == "mean" and average.normalise is None
    adjusted = np.nan
    if plain:
        adjusted = one.mean + float(np.nanmean(average.score) - board.tasks[counted[0]].mean.mean())
    return _Row(best, worst, _clipped(adjusted, average), places)


def _collector(scores: Scores, average: Aggregate, spec: Spec) -> AverageCollector | None:
    """What averages the tasks that a model has, as the board does; None where one is left."""
    shares = [info for info in scores.info.values() if info.weight > 0]
    groups = {info.family for info in shares} if average.over == "families" else shares
    if len(groups) < 2:
        return None
    alike = replace(
        spec,
        over=average.over,
        estimator=average.estimator,
        method=average.method,
        normalise=average.normalise,
    )
    return AverageCollector(scores, plan_average(scores, alike))


def _on_task(compared: Comparisons, name: str, spec: Spec, lower: bool) -> _OnTask:
    intervals = rank_task(
        compared, spec.correction, "each", spec.alpha, seed=spec.seed, resamples=spec.resamples
    )
    best, worst = intervals[name]
    i = compared.models.index(name)
    mean = float(compared.mean[i])
    return _OnTask(-mean if lower else mean, float(compared.mean_se[i]), best, worst)


def _adjusted(average: Aggregate, at: int, place: Place, centre: float) -> float:
    """The average a model would have if tasks it lacks went for it as for the board's models.

    In the field of the board's models and this one, that is the mean of the additive fit of models
    and tasks.
    """
    own, others = place.mean[at], np.delete(place.mean, at)
    if place.rule.linear is not None:  # ranks and wins are those in this field
        own = own + centre - others.mean()
    sign = -1.0 if average.direction == "lower" and place.rule.unit == "score" else 1.0
    return _clipped(sign * float(place.rule.back(np.array([own]))[0]), average)


def _clipped(shown: float, average: Aggregate) -> float:
    """An average that can be, in the units of the board."""
    return float(np.clip(shown, *average.bounds))


def _by_task(
    board: Leaderboard, names: tuple[str, ...], rows: list[_Row]
) -> tuple[TaskPlaces, ...]:
    found = []
    for task in board.tasks:
        there = [(name, row.places[task]) for name, row in zip(names, rows, strict=True)
                 if task in row.places]  # fmt: skip
        if there:
            mean, se, best, worst = zip(*(place for _, place in there), strict=True)
            found.append(
                TaskPlaces(
                    task,
                    tuple(name for name, _ in there),
                    np.array(mean),
                    np.array(se),
                    np.array(best),
                    np.array(worst),
                )
            )
    return tuple(found)


def _screen(board: Leaderboard, rows: list[_Row]) -> GapScreen:
    """Whether the tasks that models lack are harder or easier than the rest."""
    metrics = {(task.metric, task.direction, task.kind) for task in board.tasks.values()}
    if len(metrics) > 1 or {kind for *_, kind in metrics} == {"votes"}:
        return GapScreen(np.nan, np.nan)
    tasks = list(board.tasks.values())
    sign = -1.0 if tasks[0].direction == "lower" else 1.0
    values = np.array(
        [
            [*task.mean, *(row.places[task.name].mean if task.name in row.places else np.nan
                           for row in rows)]
            for task in tasks
        ]
    )  # fmt: skip
    return screen_gaps(sign * values, stream(board.spec.seed, "gaps", "screen"), _DRAWS)
