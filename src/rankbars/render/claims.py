"""What ranks state and what is averaged, in words: level, scope, target, quantity."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankbars.data.aggregate import Aggregate, Over
from rankbars.data.board import Leaderboard, TaskResult
from rankbars.data.intervals import RankIntervals, Scope
from rankbars.render.notation import show_guarantee, show_level

__all__ = [
    "NO_GUARANTEE",
    "SCOPE_WORDS",
    "Claim",
    "average_title",
    "average_words",
    "drawn_words",
    "is_weighted",
    "lead_claim",
    "leads_with_band",
    "levels_hold",
    "new_task_claim",
    "overall_claim",
    "quantity_words",
    "says_nothing",
    "scale_words",
    "task_claim",
]

NO_GUARANTEE = "no guarantee"
SCOPE_WORDS: dict[Scope, str] = {
    "each": "each model, chosen in advance",
    "all": "all models at once",
}
# What the new task is, where it is not simply one more like these.
_NEW_TASKS = {
    "group": " of a known category",
    "family": " of a new family",
    "weighted": " of another source",
    "observed": ", as measured",
}
_POPULATIONS: dict[Over, str] = {
    "items": "",
    "tasks": ", tasks like these",
    "families": ", families like these",
}
_PREDICTED: dict[Over, str] = {
    "items": "on fresh items",
    "tasks": "on one new task",
    "families": "on one new family",
}
# Corrections that describe, without a guarantee.
_UNPROMISING = frozenset({"none", "bootstrap_band"})
_INVALID_TESTS = frozenset({"folds-as-independent", "clusters-ignored"})
_EQUAL = 1e-12  # of the largest weight; closer weights are equal but for rounding
_TITLES = {
    "mean": "Score",
    "geometric": "Geometric mean",
    "borda": "Borda points",
    "win_rate": "Win rate",
    "win_rate_field": "Wins against the field",
    "win_rate_top1": "First places",
}
_WORDS = {
    "mean": "average of scores",
    "geometric": "geometric mean of the scores",
    "average_rank": "average of ranks within tasks",
    "average_rank_noise": "average of ranks within tasks, after adding noise of one percent",
    "average_rank_bins": "average of ranks within tasks, by whole percent",
    "borda": "mean number of models beaten on a task (Borda)",
    "win_rate": "share of the other models beaten on a task",
    "win_rate_field": "share of tasks won against the mean of the other models",
    "win_rate_top1": "share of tasks won, ties shared",
}
_QUANTITIES = {
    "geometric": "geometric mean",
    "average_rank": "average rank",
    "average_rank_noise": "average rank (after adding noise of one percent)",
    "average_rank_bins": "average rank (by whole percent)",
    "borda": "average number of models beaten (Borda)",
    "win_rate": "average share of models beaten",
    "win_rate_field": "share of wins against the field",
    "win_rate_top1": "share of first places",
}
_DRAWN = {
    "bayes": "draws from the posterior of a hierarchical model of each model's tasks",
    "bayes_predictive": "predictive draws from a hierarchical model of each model's tasks",
}
_SCALES = {
    "bounds": "scaled to the limits of each task",
    "chance": "with guessing as 0 and the best score as 1",
    "zscore": "in standard deviations of the models on each task",
    "minmax_draws": "scaled to the range of the draws of each task",
}


class Claim(NamedTuple):
    """What a column of rank intervals states: the question, the level, and for whom it holds."""

    title: str
    level: str
    scope: str

    @property
    def words(self) -> str:
        """Level and scope, as they stand in a header."""
        return f"{self.level}, {self.scope}" if self.scope else self.level


def lead_claim(board: Leaderboard) -> Claim:
    """What the first column of ranks states."""
    if board.lead == "task":
        return task_claim(next(iter(board.tasks.values())))
    if board.lead == "aggregate" and board.aggregate is not None:
        average = board.aggregate
        band = leads_with_band(board)
        sure = board.spec.correction not in _UNPROMISING and not band and levels_hold(board)
        what = "Range of ranks" if band else "Rank"
        title = f"{what} on average{_POPULATIONS[average.over]}"
        if average.estimator == "bayes_predictive":
            title = f"{what} {_PREDICTED[average.over]}"
        return _claim(title, show_level(average.alpha) if sure else None, average.scope)
    if board.overall is None:
        return Claim("Rank on a new task", NO_GUARANTEE, "")
    claim = overall_claim(board.overall)
    return claim._replace(title=f"Rank on a {claim.title.lower()}")


def task_claim(task: TaskResult) -> Claim:
    """What the rank intervals of one task state."""
    level = None if task.guarantee is None else show_guarantee(task.guarantee)
    return _claim("Rank on this task", level, task.scope)


def new_task_claim(board: Leaderboard) -> Claim | None:
    """What the new-task intervals state; None where no model's interval says anything."""
    overall = board.overall
    if overall is None or says_nothing(overall):
        return None
    return overall_claim(overall)


def overall_claim(overall: RankIntervals) -> Claim:
    """What new-task intervals state, whether or not they say anything."""
    promised = overall.guarantee
    if promised is None and overall.method == "observed":
        promised = 1.0 - overall.alpha  # of the measured rank, whatever holds for the true one
    level = None if promised is None else show_guarantee(promised)
    return _claim(f"New task{_NEW_TASKS.get(overall.method, '')}", level, overall.scope)


def says_nothing(overall: RankIntervals) -> bool:
    """Whether no interval excludes any rank, for want of tasks or for want of agreement."""
    size = len(overall.models)
    return size > 1 and bool(((overall.best == 1) & (overall.worst == size)).all())


def levels_hold(board: Leaderboard) -> bool:
    """Whether the tests behind what is shown first keep the error rates they are given."""
    if any(note.code in _INVALID_TESTS for note in board.notes):
        return False
    average = board.aggregate
    if board.spec.correction in _UNPROMISING or (average is not None and average.over != "items"):
        return True
    return all(task.guarantee is not None for task in board.tasks.values() if task.weight > 0)


def _claim(title: str, level: str | None, scope: Scope) -> Claim:
    if level is None:
        return Claim(title, NO_GUARANTEE, "")
    return Claim(title, level, SCOPE_WORDS[scope])


def average_title(average: Aggregate) -> str:
    """Header of the column of averages.

    Examples
    --------
    >>> import rankbars as rb
    >>> task = rb.Estimates(("a", "b"), [0.5, 0.7], se=[0.1, 0.1])
    >>> average_title(rb.aggregate(rb.Scores({"x": task, "y": task}), method="borda"))
    'Borda points'
    """
    return "Mean rank" if average.unit == "rank" else _TITLES.get(average.method, average.method)


def average_words(average: Aggregate) -> str:
    """What one average is, as it stands in a sentence."""
    name = _kind(average)
    words = _WORDS.get(name, name)
    scale = scale_words(average)
    return f"{words} ({scale})" if scale else words


def quantity_words(average: Aggregate) -> str:
    """What was averaged, in a few words; empty for scores, where "average" says it all.

    Examples
    --------
    >>> import rankbars as rb
    >>> task = rb.Estimates(("a", "b"), [0.5, 0.7], se=[0.1, 0.1])
    >>> quantity_words(rb.aggregate(rb.Scores({"x": task, "y": task}), method="win_rate_top1"))
    'share of first places'
    """
    return _QUANTITIES.get(_kind(average), "")


def _kind(average: Aggregate) -> str:
    ranks = average.unit == "rank" and average.method == "mean"
    return "average_rank" if ranks else average.method


def scale_words(average: Aggregate) -> str:
    """How scores were brought to a common scale, in words; empty where they were not."""
    return _SCALES.get(average.normalise or "", "")


def drawn_words(average: Aggregate) -> str:
    """What the draws of an average are, as they stand in a sentence."""
    return _DRAWN.get(average.estimator, "draws")


def is_weighted(board: Leaderboard) -> bool:
    """Whether the tasks that count in the average count differently."""
    weights = np.array([task.weight for task in board.tasks.values() if task.weight > 0])
    return bool(np.ptp(weights / weights.max(initial=0.0)) > _EQUAL) if weights.size else False


def leads_with_band(board: Leaderboard) -> bool:
    """Whether the ranks shown first are counted in draws and claim nothing about pairs."""
    return board.lead == "aggregate" and any(note.code == "average-band" for note in board.notes)
