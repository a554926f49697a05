"""Pilots: results as far as a plan needs them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.board import Leaderboard
from rankbars.data.evidence import Items
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.taskresult import TaskResult
from rankbars.errors import DataError
from rankbars.stats.newtask.guarantees import smallest_number_of_tasks
from rankbars.stats.repeatedanswers import split_pairs
from rankbars.stats.samplesize import FEWEST_TASKS

__all__ = ["AnswerNoise", "JudgedShares", "Pilot", "answer_noise", "pilot_of"]


_NAMELESS = "all"  # what readers call the task of files that name none


class JudgedShares(NamedTuple):
    """What a judge does to the variance of differences.

    Attributes
    ----------
    fixed : array of float, shape (M, M)
        Share of it that more labels do not make smaller: that of the judge's mean over all items.
    gain : array of float, shape (M, M)
        How many labels without the judge one with it is worth.
    most : float
        Labels when every judged item has one.
    """

    fixed: NDArray[np.float64]
    gain: NDArray[np.float64]
    most: float


class Pilot(NamedTuple):
    """Results as far as a plan needs them; every array is about the same M models.

    Attributes
    ----------
    models : tuple of str
        The models.
    score : array of float, shape (M,)
        Means, higher is better.
    difference, se, df : array of float, shape (M, M)
        ``[i, j]``: how far i is ahead of j, its standard error and degrees of freedom.
    n : int
        Rows.
    unit, place : str
        What a row is, and what was asked, in words.
    discordant : array of float, shape (M, M), optional
        Share of rows on which answers of 0 and 1 differ.
    task_difference, task_se : array of float, shape (N, P), optional
        Of every pair (0, 1), (0, 2), ... on each of N tasks.
    fewest, fewest_rate
        Tasks that a rank interval for a new task needs, and its error rate.
    notes : tuple of Note
        What must be said of them.
    judged : JudgedShares, optional
        Where a judge corrects labels.
    rows : array of float, shape (M, M), optional
        Rows that both models of a pair have, where each pair is compared on its own.
    """

    models: tuple[str, ...]
    score: NDArray[np.float64]
    difference: NDArray[np.float64]
    se: NDArray[np.float64]
    df: NDArray[np.float64]
    n: int
    unit: str
    place: str
    discordant: NDArray[np.float64] | None = None
    task_difference: NDArray[np.float64] | None = None
    task_se: NDArray[np.float64] | None = None
    fewest: int = 0
    fewest_rate: float = 0.2
    notes: tuple[Note, ...] = ()
    judged: JudgedShares | None = None
    rows: NDArray[np.float64] | None = None

    def of_pairs(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> Pilot:
        """The same with as many rows as the one of these pairs with the fewest has."""
        if self.rows is None:
            return self
        least = self.rows[first, second].min()
        if least == 0:
            return self  # that two models share no row is said where their spread is asked for
        n = max(round(float(least)), 1)
        return self._replace(n=n, se=self.se * np.sqrt(self.rows / n))


class AnswerNoise(NamedTuple):
    """How much answers to an item vary, in the difference of two models.

    Attributes
    ----------
    rerun : float
        Variance of answers in the difference of an item, as it was averaged in the pilot.
    single : float
        What one answer of each model adds to it.
    low, high : float
        Interval of the share of `rerun` in the variance of a difference; NaN where not known.
    """

    rerun: float
    single: float
    low: float = math.nan
    high: float = math.nan


def pilot_of(board: Leaderboard) -> Pilot:
    """What a board says of its only task, or of its average.

    Raises
    ------
    DataError
        If the errors of differences are not known, or more rows of that kind do not make them
        smaller.
    """
    if board.lead == "task":
        return _of_task(board, next(iter(board.tasks.values())))
    return _of_average(board)


def _of_task(board: Leaderboard, task: TaskResult) -> Pilot:
    if task.kind == "folds":
        raise DataError(
            "Folds share the data of one data set: more of them do not make a difference surer. "
            "Plan with several data sets as tasks."
        )
    if task.n == 0:
        raise DataError(
            f"How many rows are behind the scores on {task.name!r} is not known, so no number of "
            "them follows. Give results by item, or plan without a pilot (--rates)."
        )
    size, discordant = len(board.models), None
    notes: tuple[Note, ...] = ()
    score = task.mean if task.direction == "higher" else -task.mean
    if board.pairs is not None:
        pairs = board.pairs.tasks[task.name]
        difference, se = _square(pairs.difference, size, -1.0), _square(pairs.se, size)
        df = _square(np.broadcast_to(pairs.df, pairs.se.shape), size)
        if pairs.binary and pairs.ahead is not None and pairs.behind is not None:
            discordant = _square((pairs.ahead + pairs.behind) / np.maximum(pairs.n, 1), size)
    else:
        difference = score[:, None] - score[None, :]
        se = np.sqrt(task.se[:, None] ** 2 + task.se[None, :] ** 2)
        df = np.full((size, size), np.inf)
        notes = (
            Note(
                "independent-models",
                "This board file does not hold what the models have in common, so their errors are "
                "taken as independent: more rows than are needed where they agree. Write the board "
                "with --pairs, or plan from the results themselves.",
            ),
        )
    judged = _judged(board, [task])
    unit = "labels" if judged else task.kind if task.kind in ("votes", "runs") else "items"
    place = "" if task.name == _NAMELESS else f"on {task.name}"
    return Pilot(
        board.models, score, difference, se, df, task.n, unit, place,
        None if judged else discordant, notes=notes, judged=judged, rows=_rows(board, [task]),
    )  # fmt: skip


def _of_average(board: Leaderboard) -> Pilot:
    average, size = board.aggregate, len(board.models)
    if average is None or average.method not in ("mean", "average_rank"):
        raise DataError(
            "A plan needs one task, or an average of scores or ranks, and these results have "
            "neither. Choose a task (--tasks NAME)."
        )
    ranks = average.unit == "rank"
    table = average.differences
    if average.contrasts is not None:
        pairs = average.contrasts.pairs
        difference, se = pairs.diff, pairs.se
        df = np.broadcast_to(pairs.df, se.shape)
    elif table is not None and table.source == "test":
        difference, se = _square(table.difference, size, -1.0), _square(table.se, size)
        df = np.full((size, size), np.inf)
    else:
        raise DataError(
            "The errors of differences on this average are not known, so no plan follows. Plan "
            "from the results themselves, over tasks (--aggregate tasks), or of one task (--tasks "
            "NAME)."
        )
    sign = 1.0 if average.direction == "higher" else -1.0
    used = [task for task in board.tasks.values() if task.weight > 0]
    if average.over == "items":
        kinds = {task.kind for task in used}
        if "folds" in kinds or any(task.n == 0 for task in used):
            raise DataError(
                "More rows do not make this average surer: folds share their data, or the rows "
                "behind scores are not known. Plan over tasks (--aggregate tasks)."
            )
        whole, judged = sum(task.n for task in used), _judged(board, used)
        n = average.n or whole
        unit: str = next(iter(kinds)) if kinds in ({"votes"}, {"runs"}) else "items"
        unit = "labels" if judged else unit
        place = f"on the average of {len(used)} tasks"
    else:
        n, whole, unit, judged = len(used), len(used), "tasks", None
        place = f"on the average{' rank' if ranks else ''} over tasks like these"
    rows = None if unit == "tasks" else _rows(board, used)
    if rows is not None and n < whole:  # rows of one name on several tasks are one draw
        rows = rows * (n / whole)
    by_task, by_task_se = (None, None) if ranks else _by_task(board, used)
    return Pilot(
        board.models, sign * average.score, difference, se, np.asarray(df), n, unit, place,
        task_difference=by_task, task_se=by_task_se,
        fewest=smallest_number_of_tasks("joint", board.spec.alpha_overall),
        fewest_rate=board.spec.alpha_overall, judged=judged, rows=rows,
    )  # fmt: skip


def _rows(board: Leaderboard, tasks: Sequence[TaskResult]) -> NDArray[np.float64] | None:
    """Rows that both models of a pair have; None where nobody lacks one.

    Behind clusters only their number is known: then as many as the one with fewer has.
    """
    if board.pairs is None or all((task.coverage == 1).all() for task in tasks):
        return None
    size = len(board.models)
    rows = np.zeros((size, size))
    for task in tasks:
        own = task.n * np.minimum.outer(task.coverage, task.coverage)
        if task.kind in ("items", "runs") and task.test != "cluster_t":
            both = np.zeros(size * (size - 1) // 2) + board.pairs.tasks[task.name].n
            own = _square(both, size) + np.diag(own.diagonal())
        rows += own
    return rows


def _judged(board: Leaderboard, tasks: Sequence[TaskResult]) -> JudgedShares | None:
    """What judges do to the variance over these tasks; None where they are used on none.

    With r² the part of the labels' variance that the judge explains, n labels and N judged items,
    the variance of a difference is that of a label times ``(1 - r²) / n + r² / N``.
    """
    used = [task for task in tasks if task.name in board.judge and board.judge[task.name].used]
    if not used or board.pairs is None:
        return None
    size = len(board.models)
    whole, fixed, alone = np.zeros((3, size, size))
    most = math.inf
    for task in tasks:
        share = _square((task.weight * board.pairs.tasks[task.name].se) ** 2, size)
        whole = whole + share
        if task not in used:
            alone = alone + share
            continue
        use = board.judge[task.name]
        r2, done = use.correlation**2, use.labels / use.judged
        left = 1.0 - r2 * (1.0 - done)
        fixed, alone = fixed + share * r2 * done / left, alone + share / left
        most = min(most, use.judged / use.labels)
    with np.errstate(invalid="ignore"):
        shares = fixed / whole, alone / whole
    return JudgedShares(*shares, most * sum(task.n for task in tasks))


def _by_task(
    board: Leaderboard, used: Sequence[TaskResult]
) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None]:
    """Differences of all pairs on each task, and their errors, where tasks are one sample."""
    alike = len({task.weight for task in used}) == 1
    if board.pairs is None or not alike or len(used) < FEWEST_TASKS:
        return None, None
    parts = [board.pairs.tasks[task.name] for task in used]
    return np.array([one.difference for one in parts]), np.array([one.se for one in parts])


def _square(values: NDArray[np.float64], size: int, mirrored: float = 1.0) -> NDArray[np.float64]:
    """Values of all pairs as a matrix with 0 on its diagonal."""
    full = np.zeros((size, size))
    upper = np.triu_indices(size, 1)
    full[upper] = values
    full[upper[::-1]] = mirrored * np.asarray(values)
    return full


def answer_noise(scores: Scores, a: str, b: str) -> AnswerNoise | None:
    """How much answers to one item vary, for the difference of two models on all tasks.

    Parameters
    ----------
    scores : Scores
        Results with several answers to each item; other models are not looked at.
    a, b : str
        The two models.

    Returns
    -------
    AnswerNoise, optional
        As parts of the variance of a row of the average. Items with one answer count as others
        do; None where a task has no others.
    """
    pair = scores.select(models=(a, b))
    weighted = {name: pair.info[name].weight for name in pair.tasks}
    total = math.fsum(weighted.values())
    rows, rerun, single = 0, 0.0, 0.0
    ends = (math.nan, math.nan)
    both = np.array([0]), np.array([1])
    for name, evidence in pair.tasks.items():
        if weighted[name] <= 0:
            continue
        if not isinstance(evidence, Items) or evidence.within is None or evidence.answers is None:
            return None
        found = split_pairs(
            evidence.values, evidence.answers, evidence.within, both, evidence.weights,
            evidence.clusters,
        )  # fmt: skip
        if np.isnan(found.rerun[0]):
            return None
        n = int(found.n[0])
        share = (weighted[name] / total) ** 2 / n
        rows += n
        single += share * float(found.once[0])
        rerun += share * float(found.rerun[0])
        ends = float(found.low[0]), float(found.high[0])
    if len(pair.tasks) > 1:
        ends = (math.nan, math.nan)
    return AnswerNoise(rows * rerun, rows * single, *ends)
