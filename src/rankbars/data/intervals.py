"""Where each model's rank may lie: on one task, or on a new one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from rankbars.data.fields import (
    Chances,
    Frozen,
    Level,
    Numbers,
    Ranks,
    Rate,
    Relation,
    check_level,
    check_ranks,
    freeze,
)
from rankbars.data.notes import Note
from rankbars.errors import DataError
from rankbars.stats.ranks import RankBounds
from rankbars.stats.resampling.rankcounts import TOP, exceeding_ranks

__all__ = ["DrawnRanks", "RankIntervals", "Scope"]

Scope = Literal["each", "all"]


@dataclass(frozen=True, slots=True, eq=False)
class RankIntervals(Frozen):
    """Best and worst possible rank of each model; rank 1 is the best.

    Parameters
    ----------
    models : tuple of str
        The M models.
    best, worst : array of int, shape (M,)
        Ends of the interval, ``1 <= best <= worst <= M``.
    alpha : float
        Error rate that was asked for.
    scope : {"each", "all"}
        Whether the guarantee holds for one model named in advance, or for all models at once.
    target : {"task", "new_task", "aggregate"}
        The question the interval answers.
    method : str
        The correction (``"holm"``) or the merge (``"joint"``).
    guarantee : float, optional
        Probability with which the interval contains the true rank; None = no such statement.
    assumptions : tuple of str
        What must hold for the guarantee, in plain sentences.
    trivial : bool
        Whether every interval is 1 to M because there were too few tasks.
    shown_better : array of bool, shape (M, M), optional
        ``[i, j]``: i was shown better than j; only from ``scope="all"``, where all such
        statements hold at once.
    side_level : float, optional
        Error rate of one side of the interval; None where it has no guarantee.
    spread : array of int, shape (M,), optional
        Width the interval would keep if the observed ranks of every task were exact: the part
        that comes from ranks that differ between tasks.
    task_alpha : float, optional
        Error rate of the task intervals, each model by itself, that a new-task interval was made
        of, where it is not that of the board.
    left_out : int, optional
        How many of the N + 1 intervals of tasks the merge may leave out, where that came with
        `task_alpha`.
    groups : mapping from str to RankIntervals, optional
        Intervals per category, for the ``group`` merge.
    notes : tuple of Note
        What the reader must know.
    approximate : bool
        Whether statements are only nearly made at their level; there is no guarantee then.
    measured_level : float, optional
        Share of simulations with such evidence in which 95 % statements held; None where that is
        not known.

    Raises
    ------
    DataError
        If the ends are out of order or out of range, or disagree with `shown_better`.

    Examples
    --------
    >>> ranks = RankIntervals(("a", "b"), [1, 1], [1, 2], 0.05, "each", "task", "holm")
    >>> ranks["b"]
    (1, 2)
    """

    models: tuple[str, ...]
    best: Ranks
    worst: Ranks
    alpha: Rate
    scope: Scope
    target: Literal["task", "new_task", "aggregate"]
    method: str
    guarantee: Level | None = None
    assumptions: tuple[str, ...] = ()
    trivial: bool = False
    shown_better: Relation | None = None
    side_level: float | None = None
    spread: Annotated[NDArray[np.int64], Numbers("M", least=0)] | None = None
    task_alpha: Rate | None = None
    left_out: Annotated[int, Numbers(least=0)] | None = None
    groups: Mapping[str, RankIntervals] | None = None
    notes: tuple[Note, ...] = ()
    approximate: bool = False
    measured_level: Level | None = None

    def __repr__(self) -> str:
        return (
            f"RankIntervals({len(self.models)} models, {self.target}, alpha={self.alpha:g}, "
            f"{self.method}, scope {self.scope})"
        )

    def __post_init__(self) -> None:
        freeze(self)
        check_ranks(self.models, self.best, self.worst)
        check_level(self.guarantee, self.approximate, self.measured_level)
        shown = self.shown_better
        if shown is not None and (shown & shown.T).any():
            raise DataError("Two models cannot each be shown better than the other.")

    def __getitem__(self, model: str) -> tuple[int, int]:
        """Interval of one model as ``(best, worst)``."""
        if model not in self.models:
            raise KeyError(model)
        i = self.models.index(model)
        return int(self.best[i]), int(self.worst[i])

    @property
    def may_be_first(self) -> NDArray[np.bool_]:
        """Models whose interval begins with 1, shape (M,).

        With ``scope="all"`` this holds together with all intervals. With ``scope="each"`` the set
        contains a model that is the best with at least the probability of one interval; on a new
        task it is several statements, each about one model.
        """
        return np.asarray(self.best == 1)

    @property
    def width(self) -> NDArray[np.int64]:
        """``worst - best`` per model, shape (M,)."""
        return self.worst - self.best


class DrawnRanks:
    """Parent of what shows ranks and, beside them, what draws of the scores say of ranks."""

    __slots__ = ()

    best: Ranks
    worst: Ranks
    alpha: Rate
    guarantee: Level | None
    approximate: bool
    rank_probability: Chances | None

    @property
    def is_counted(self) -> bool:
        """Whether nothing is promised of ranks, as where they are a band counted in draws."""
        return self.guarantee is None and not self.approximate

    @property
    def draws_exceed(self) -> bool:
        """Whether draws say more than ranks do of who is first, or among the first three.

        Never where nothing is promised of ranks.
        """
        return any(self.exceeding(k).any() for k in (1, min(TOP, self.best.size)))

    def exceeding(self, k: int) -> NDArray[np.bool_]:
        """Models of which draws say more than ranks do, at the places from 1 to `k`, shape (M,).

        None of them where nothing is promised of ranks, as where they are counted in the draws.
        """
        if self.rank_probability is None or self.is_counted:
            return np.zeros(self.best.size, dtype=np.bool_)
        bounds = RankBounds(self.best, self.worst)
        return exceeding_ranks(self.rank_probability, bounds, k, self.alpha)

    def top_share(self, k: int) -> NDArray[np.float64] | None:
        """Share of the draws in which each model ranks `k` or better, to stand beside the ranks.

        Draws know nothing of what ranks allow for: how many models were compared, that few tasks
        or skewed rows need other laws. So shares of draws can say more than the ranks do, as
        "first in 98 % of draws" beside the ranks 1 to 31. Such shares contradict what stands
        beside them; `rank_probability` keeps them.

        Parameters
        ----------
        k : int
            From 1 to the number of models.

        Returns
        -------
        array of float, shape (M,), or None
            None without draws, and where the shares say more than the ranks: of a model that may
            rank lower than `k` that it ranks there in more than ``1 - alpha`` of the draws, or of
            one that ranks lower that it reaches `k` in more than `alpha` of them.

        Examples
        --------
        >>> import rankbars as rb
        >>> task = rb.Estimates(("a", "b", "c"), [0.5, 0.7, 0.9], se=[0.1, 0.1, 0.1])
        >>> average = rb.aggregate(rb.Scores({"x": task, "y": task}), scope="all")
        >>> average.best.tolist(), average.worst.tolist()
        ([2, 1, 1], [3, 3, 2])
        >>> average.rank_probability[2].round(2).tolist()
        [0.98, 0.02, 0.0]
        >>> average.top_share(1) is None
        True
        """
        if self.rank_probability is None or self.exceeding(k).any():
            return None
        return np.asarray(self.rank_probability[:, :k].sum(axis=1))
