"""What each column of rank intervals states: which question, at which level, for whom."""

from __future__ import annotations

from typing import NamedTuple

from rankbars.data.aggregate import Over
from rankbars.data.board import Leaderboard, TaskResult
from rankbars.data.intervals import RankIntervals, Scope
from rankbars.render.averages import leads_with_band
from rankbars.render.numbers import show_guarantee, show_level

__all__ = [
    "NO_GUARANTEE",
    "SCOPE_WORDS",
    "Claim",
    "lead_claim",
    "levels_hold",
    "new_task_claim",
    "overall_claim",
    "says_nothing",
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
UNPROMISING = frozenset({"none", "bootstrap_band"})
_INVALID_TESTS = frozenset({"folds-as-independent", "clusters-ignored"})


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
        sure = board.spec.correction not in UNPROMISING and not band and levels_hold(board)
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
    if board.spec.correction in UNPROMISING or (average is not None and average.over != "items"):
        return True
    return all(task.guarantee is not None for task in board.tasks.values() if task.weight > 0)


def _claim(title: str, level: str | None, scope: Scope) -> Claim:
    if level is None:
        return Claim(title, NO_GUARANTEE, "")
    return Claim(title, level, SCOPE_WORDS[scope])
