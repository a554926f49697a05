"""Where each model of a board stands: as rows, as columns, and in draws of its scores.

The score of the model that leads allows for its having been picked for leading. Shares of draws say
of ranks what draws of the scores do that a board shows first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_name
from rankbars.data.fields import Numbers, Rate, names_where
from rankbars.data.spec import check_rate
from rankbars.errors import DataError, OptionError
from rankbars.stats.ranks import RankBounds
from rankbars.stats.resampling.rankcounts import (
    StatedPairs,
    choose_top,
    expected_rank,
    rank_band,
    state_pairs,
    top_probability,
)

if TYPE_CHECKING:
    from rankbars.data.aggregate import Aggregate
    from rankbars.data.board import Leaderboard
    from rankbars.data.intervals import RankIntervals
    from rankbars.data.taskresult import TaskResult

__all__ = [
    "TASK_DRAWS",
    "RankShares",
    "Reasons",
    "Standing",
    "Winner",
    "reasons_of",
    "shares_of",
    "shown_first",
    "standing_of",
    "standings",
    "task_columns",
]

TASK_DRAWS = 10_000  # that ranks on one task are counted in


class Standing(NamedTuple):
    """One model of a board, on what the board shows first; None where nothing applies.

    Parameters
    ----------
    model : str
        Its name.
    tier : int, optional
        Number of its tier, counted from 1.
    score, score_low, score_high : float, optional
        Score in the units of the input, and its own interval.
    best, worst : int, optional
        Rank interval.
    new_task_best, new_task_worst : int, optional
        Rank interval on a new task.
    coverage : float
        Share of all expected rows that have a score.
    level : str
        Of the rank interval: such as ``"95 %"``, ``"approximate"``, or ``"no guarantee"``.
    new_task_level : str, optional
        The same of the rank interval on a new task.
    """

    model: str
    tier: int | None
    score: float | None
    score_low: float | None
    score_high: float | None
    best: int | None
    worst: int | None
    new_task_best: int | None
    new_task_worst: int | None
    coverage: float
    level: str
    new_task_level: str | None


def standings(board: Leaderboard) -> list[Standing]:
    """Every model of the board, best score first."""
    order = np.asarray(board.order)
    nothing: list[Any] = [None] * len(board.models)
    score = low = high = best = worst = nothing
    if board.lead == "task":
        task = next(iter(board.tasks.values()))
        score, low, high = (_reals(values[order]) for values in (task.mean, *task.score_interval()))
        best, worst = task.best[order].tolist(), task.worst[order].tolist()
    elif board.aggregate is not None:
        average = board.aggregate
        score, low, high = (
            _reals(values[order]) for values in (average.score, average.low, average.high)
        )
        best, worst = average.best[order].tolist(), average.worst[order].tolist()
    new = board.overall
    columns = (
        [board.models[i] for i in order],
        board.tier[order].tolist() if board.tiers else nothing,
        score,
        low,
        high,
        best,
        worst,
        nothing if new is None else new.best[order].tolist(),
        nothing if new is None else new.worst[order].tolist(),
        board.coverage[order].tolist(),
        [_level(shown_first(board))] * len(order),
        nothing if new is None else [_level(new)] * len(order),
    )
    return [Standing(*row) for row in zip(*columns, strict=True)]


def shown_first(board: Leaderboard) -> TaskResult | Aggregate | RankIntervals | None:
    """What a board shows first: its only task, the average, or the rank on a new task."""
    if board.lead == "task":
        return next(iter(board.tasks.values()))
    return board.aggregate if board.lead == "aggregate" else board.overall


def _level(found: TaskResult | Aggregate | RankIntervals | None) -> str:
    """The level of ranks, rounded down to a tenth of a percent; or that there is none."""
    if found is not None and found.approximate:
        return "approximate"
    if found is None or found.guarantee is None:
        return "no guarantee"
    return f"{math.floor(round(1000 * found.guarantee, 6)) / 10:g} %"


def standing_of(board: Leaderboard, model: str) -> Standing:
    """Where one model stands; raises `OptionError` if it has no row."""
    if board.partly is not None and model in board.partly.models:
        raise OptionError(
            f"Model {model!r} lacks some tasks, so it has a place among the others and no row: "
            "board.partly has the places of such models."
        )
    check_name("model", model, board.models)
    return next(row for row in standings(board) if row.model == model)


class Reasons(NamedTuple):
    """Why a model has its ranks on what a board shows first: whom it is told apart from.

    Parameters
    ----------
    model : str
        Its name.
    best, worst : int
        Its rank interval.
    models : int
        How many models are ranked.
    level : str
        Of the ranks: such as ``"95 %"``, ``"approximate"``, or ``"no guarantee"``.
    above, within, below : tuple of str
        Models shown better than it, models that it is not told apart from, and models that it was
        shown better than; in the order of the board. Not told apart does not mean equal.
    """

    model: str
    best: int
    worst: int
    models: int
    level: str
    above: tuple[str, ...]
    within: tuple[str, ...]
    below: tuple[str, ...]

    @property
    def follow(self) -> bool:
        """Whether the ranks are those that the single pairs count up to.

        The set of the models that may be first, and ranks of one model by itself, may say more
        or less than pairs do.
        """
        return self.best == 1 + len(self.above) and self.worst == self.models - len(self.below)


def reasons_of(board: Leaderboard, model: str) -> Reasons:
    """Why a model has its ranks; raises `OptionError` if it has no row.

    Raises
    ------
    DataError
        If the board shows ranks on a new task first: nothing is said about single pairs there.
    """
    row = standing_of(board, model)
    if board.lead == "new_task" or row.best is None or row.worst is None:
        raise DataError("This board says nothing about single pairs of models, so there is no why.")
    place = board.models.index(model)
    above, below = board.shown_better[:, place], board.shown_better[place]

    def named(chosen: NDArray[np.bool_]) -> tuple[str, ...]:
        return tuple(board.models[i] for i in board.order if chosen[i] and i != place)

    return Reasons(
        model, row.best, row.worst, len(board.models), row.level, named(above),
        named(~above & ~below), named(below),
    )  # fmt: skip


def task_columns(board: Leaderboard, tasks: Sequence[str]) -> dict[str, list[Any]]:
    """Columns about single tasks, one row per task and model, best score on it first."""
    columns: dict[str, list[Any]] = {name: [] for name in _TASK_COLUMNS}
    for name in tasks:
        check_name("task", name, board.tasks)
        task = board.tasks[name]
        low, high = task.score_interval()
        inside = task.mean if task.direction == "higher" else -task.mean
        order = np.lexsort((np.arange(inside.size), -np.where(np.isnan(inside), -np.inf, inside)))
        size = len(order)
        parts: dict[str, list[Any]] = {
            "task": [name] * size,
            "model": [board.models[i] for i in order],
            "score": _reals(task.mean[order]),
            "se": _reals(task.se[order]),
            "score_low": _reals(low[order]),
            "score_high": _reals(high[order]),
            "n": [task.n or None] * size,
            "best": task.best[order].tolist(),
            "worst": task.worst[order].tolist(),
            "coverage": task.coverage[order].tolist(),
            "level": [_level(task)] * size,
        }
        for column, cells in parts.items():
            columns[column] += cells
    return columns


_TASK_COLUMNS = (
    "task", "model", "score", "se", "score_low", "score_high", "n", "best", "worst", "coverage",
    "level",
)  # fmt: skip


def _reals(values: NDArray[np.float64]) -> list[float | None]:
    return [None if np.isnan(value) else value for value in values.tolist()]


@dataclass(frozen=True, slots=True)
class Winner:
    """What is known of the score of the model that leads, given that it was picked for leading.

    Parameters
    ----------
    model : str
        The model with the best score on what the board shows first.
    score : float
        Estimate of its score, in the units of the board: median-unbiased with ``"hybrid"``, as
        observed with ``"simultaneous"``.
    low, high : float
        Interval at level ``1 - alpha`` that allows for the selection.
    method : {"hybrid", "simultaneous"}
        The hybrid interval of Andrews, Kitagawa and McCloskey, or the one that holds for every
        candidate at once.
    variants : int
        How many tries of this model were declared, of which it is the best; 1 = it stands for
        itself.
    alpha : float
        Error rate.

    Raises
    ------
    DataError
        If the ends are out of order.

    Examples
    --------
    >>> Winner("a", 0.613, 0.56, 0.66, "hybrid").model
    'a'
    """

    model: str
    score: float
    low: float
    high: float
    method: Literal["hybrid", "simultaneous"]
    variants: Annotated[int, Numbers(least=1)] = 1
    alpha: Rate = 0.05

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise DataError(f"The interval of the leader's score ends before it begins: {self}.")


@dataclass(frozen=True, slots=True, eq=False)
class RankShares:
    """What draws of scores say of ranks: a description, not a confidence statement.

    `rankbars.Leaderboard.rank_shares` makes it.

    Parameters
    ----------
    models : tuple of str
        The M models.
    probability : array of float, shape (M, M)
        ``[i, r]``: probability that model i has rank r + 1; NaN for a model without a score.
    dominance : array of float, shape (M, M), optional
        ``[i, j]``: probability that i is better than j. None for more than 200 models.
    draws : int
        How many draws ranks were counted in.
    computed : bool
        Whether `dominance` was computed from the errors of differences, and not counted in draws.
    alpha : float
        Error rate of the board.
    agrees : bool
        False where the shares say more of who is first, or among the first three, than the ranks
        of the board do: ranks allow for the number of models, draws do not.
    """

    models: tuple[str, ...]
    probability: NDArray[np.float64]
    dominance: NDArray[np.float64] | None
    draws: int
    computed: bool
    alpha: float
    agrees: bool

    def __repr__(self) -> str:
        return f"RankShares({len(self.models)} models, {self.draws} draws)"

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which models have a score, shape (M,)."""
        return ~np.isnan(self.probability[:, 0])

    @property
    def expected_rank(self) -> NDArray[np.float64]:
        """Mean rank of each model over the draws, shape (M,)."""
        return expected_rank(self.probability)

    def top_probability(self, k: int) -> NDArray[np.float64]:
        """Probability that each model is among the `k` best, shape (M,); NaN without a score."""
        return top_probability(self.probability, k)

    def top(self, k: int, *, exactly: bool = True) -> tuple[str, ...]:
        """The models best reported as the `k` best, in order of their names.

        Parameters
        ----------
        k : int
            Between 1 and the number of models.
        exactly : bool
            True: exactly k models, those with the largest probability of being among the k best.
            False: every model for which that is likelier than not, however many.
        """
        chosen = choose_top(np.nan_to_num(self.probability, nan=0.0), k, exactly=exactly)
        return names_where(self.models, chosen)

    def band(self, alpha: float | None = None) -> RankBounds:
        """Central band of the ranks over the draws, as ``best`` and ``worst``, shape (M,).

        A description: tied models are missed far more often than the level says. A model without a
        score may stand anywhere, which widens the bands of the others at their worse end.

        Parameters
        ----------
        alpha : float, optional
            Share of the draws outside of the band; that of the board where not given.
        """
        rate = self.alpha if alpha is None else check_rate("alpha", alpha)
        size, present = len(self.models), np.flatnonzero(self.present)
        best, worst = np.ones(size, np.int64), np.full(size, size, np.int64)
        found = rank_band(self.probability[present, : present.size], self.draws, rate)
        best[present], worst[present] = found.best, found.worst + (size - present.size)
        return RankBounds(best, worst)

    def state_pairs(
        self,
        correction: Literal["bonferroni", "holm", "bh"] = "bonferroni",
        alpha: float | None = None,
    ) -> StatedPairs:
        """Pairs whose order may be stated, with all pairs accounted for.

        Parameters
        ----------
        correction : {"bonferroni", "holm", "bh"}
            ``"bonferroni"``, ``"holm"``: all stated pairs are right, with probability
            ``1 - alpha``, as far as the errors describe the uncertainty. ``"bh"`` (Benjamini and
            Hochberg): on average at most a share of `alpha` of them is wrong, so they are no order
            in which every line is claimed.
        alpha : float, optional
            Error rate, two-sided; that of the board where not given.

        Raises
        ------
        DataError
            If the probabilities of pairs are not known.
        """
        if self.dominance is None:
            raise DataError("This board holds no probabilities of pairs: it has over 200 models.")
        rate = self.alpha if alpha is None else check_rate("alpha", alpha)
        present = np.flatnonzero(self.present)
        block = np.ix_(present, present)
        draws = np.inf if self.computed else self.draws
        found = state_pairs(self.dominance[block], draws, rate, correction)
        stated = np.zeros((len(self.models),) * 2, dtype=np.bool_)
        stated[block] = found.stated
        return found._replace(stated=stated)


def shares_of(board: Leaderboard) -> RankShares:
    """What draws say of ranks on what the board shows first; raises `DataError` without any."""
    shown: TaskResult | Aggregate
    if board.lead == "task":
        shown = next(iter(board.tasks.values()))
        reason = "it has one model, or more than 200, or the errors of its scores are not known or "
        reason += "fit no joint distribution"
        draws = TASK_DRAWS
    elif board.aggregate is not None:
        shown = board.aggregate
        reason = "the errors of its average are not known"
        draws = board.spec.resamples
    else:
        raise DataError("This board has no rank probabilities: it has no average of tasks.")
    if shown.rank_probability is None:
        raise DataError(f"This board has no rank probabilities: {reason}.")
    return RankShares(
        models=board.models,
        probability=shown.rank_probability,
        dominance=shown.dominance,
        draws=draws,
        computed=board.lead == "task",
        alpha=shown.alpha,
        agrees=shown.draws_agree is not False,
    )
