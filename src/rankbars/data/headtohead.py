"""Two models, face to face: the difference, how sure it is, and what could have been seen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import explaining_methods
from rankbars.data.fields import Frozen, freeze
from rankbars.data.notes import Note
from rankbars.data.taskinfo import Direction, Input
from rankbars.stats.samplesize import FEWEST_ROWS, FEWEST_TASKS, Needed, needed_by_pilot

__all__ = ["Contrast", "HeadToHead", "Verdict"]

Verdict = Literal["better", "worse", "cannot tell"]


@dataclass(frozen=True, slots=True)
class Contrast:
    """One comparison of model `a` with model `b`: on a task, or on the average of tasks.

    A quantity that cannot be had is NaN.

    Parameters
    ----------
    name : str
        The task, or what the average is over.
    kind : {"items", "folds", "runs", "estimates", "votes", "tasks"}
        What a row is; ``"tasks"`` for an average over a population of tasks.
    test : str
        How the difference was tested.
    n : int
        Rows that both models have; 0 where not known.
    n_a, n_b : int
        Rows that each of them has.
    score_a, score_b : float
        Mean scores over the rows that both have, in the units of the input.
    difference : float
        How far a is ahead of b; positive = a is better, whatever the direction of the score.
    low, high : float
        Interval of the difference at level ``1 - alpha``.
        NaN where the differences do not vary, so that no spread can be estimated.
    se, df : float
        Standard error of the difference, and its degrees of freedom (infinite: normal).
    p_better, p_worse : float
        One-sided p-values: small where the data show that a is better, or that it is worse. They
        are no probabilities that it is; `p_value` is the usual one of both sides.
    detectable : float
        Smallest true difference that this test would show with probability `HeadToHead.power`,
        given these rows and this spread.
    ahead, behind : int, optional
        Rows on which a scores higher than b, and lower; for 0/1 scores the discordant counts.
    binary : bool
        Whether all scores are 0 or 1.
    verdict : {"better", "worse", "cannot tell"}
        Whether a was shown better than b, or worse, at error rate ``alpha`` (both sides).
    direction : {"higher", "lower"}
        Which side of the scores is better.
    unit : {"score", "rank"}
        Whether the average is of scores, or of ranks within tasks.
    metric : str, optional
        What is measured.
    assumptions : tuple of str
        What must hold, in plain sentences.
    approximate : bool
        Whether statements are only nearly made at their level; there is no guarantee then.
    measured_level : float, optional
        Share of simulations with such evidence in which 95 % statements held; None where that is
        not known.
    """

    name: str
    kind: Literal["items", "folds", "runs", "estimates", "votes", "tasks"]
    test: str
    n: int
    n_a: int
    n_b: int
    score_a: float
    score_b: float
    difference: float
    low: float
    high: float
    se: float
    df: float
    p_better: float
    p_worse: float
    detectable: float
    verdict: Verdict
    ahead: int | None = None
    behind: int | None = None
    binary: bool = False
    direction: Direction = "higher"
    unit: Literal["score", "rank"] = "score"
    metric: str | None = None
    assumptions: tuple[str, ...] = ()
    approximate: bool = False
    measured_level: float | None = None
    resampled: NDArray[np.float64] | None = field(default=None, repr=False, compare=False)

    @property
    def p_value(self) -> float:
        """Two-sided p-value of no difference: twice the smaller one-sided one, 1 at most.

        A verdict falls where it is at most `HeadToHead.alpha`, unless nothing can be shown.
        """
        if math.isnan(self.p_better) or math.isnan(self.p_worse):
            return math.nan
        return min(1.0, 2.0 * min(self.p_better, self.p_worse))


@explaining_methods
@dataclass(frozen=True, slots=True, eq=False)
class HeadToHead(Frozen):
    """Model `a` against model `b`, task by task and on the average.

    Parameters
    ----------
    a, b : str
        The two models; every difference reads "a minus b", signed so that positive favours a.
    tasks : mapping from str to Contrast
        One per task, in code-point order.
    average : Contrast, optional
        The average over tasks; None for a single task, or where it was not asked for.
    alpha : float
        Error rate of each verdict and each interval by itself.
    power : float
        Probability behind `Contrast.detectable`.
    notes : tuple of Note
        What the reader must know.
    inputs : tuple of Input
        What was read.
    """

    a: str
    b: str
    tasks: Mapping[str, Contrast]
    average: Contrast | None
    alpha: float
    power: float
    notes: tuple[Note, ...] = ()
    inputs: tuple[Input, ...] = ()

    def __repr__(self) -> str:
        return f"HeadToHead({self.a!r}, {self.b!r}, {len(self.tasks)} tasks)"

    def __str__(self) -> str:
        return self.to_text()

    def __post_init__(self) -> None:
        freeze(self)
        object.__setattr__(self, "notes", tuple(self.notes))
        object.__setattr__(self, "inputs", tuple(self.inputs))

    @property
    def approximate(self) -> bool:
        """Whether what is answered first is only nearly at its level."""
        return self.main is not None and self.main.approximate

    @property
    def measured_level(self) -> float | None:
        """Share of simulations in which 95 % statements like the first answer held, if known."""
        return None if self.main is None else self.main.measured_level

    @property
    def main(self) -> Contrast | None:
        """What is answered first: the average, or the only task; None where there is neither."""
        if self.average is not None:
            return self.average
        return next(iter(self.tasks.values())) if len(self.tasks) == 1 else None

    @property
    def verdict(self) -> Verdict | None:
        """What is answered first in a word, as ``main.verdict``; None without a `main`.

        Examples
        --------
        >>> import rankbars as rb
        >>> scores = rb.Scores.from_arrays({"math": [[1, 0], [0, 1]] * 9}, ["a", "b"])
        >>> rb.head_to_head(scores, "a", "b").verdict
        'cannot tell'
        """
        return None if self.main is None else self.main.verdict

    @property
    def needed(self) -> Needed | None:
        """Rows that would tell the two apart, as `rankbars.plan` says of this pilot.

        None where they are told apart already, or the observed difference says nothing of that:
        there is none, or no spread, or there are fewer than 20 rows (3 tasks); and where runs are
        drawn, too, for more items alone do not narrow what runs do.
        """
        main = self.main
        if main is None or main.verdict != "cannot tell" or main.kind in ("folds", "estimates"):
            return None
        few = main.n < (FEWEST_TASKS if main.kind == "tasks" else FEWEST_ROWS)
        gap = abs(main.difference)
        few = few or any(task.test == "two_way" for task in self.tasks.values())
        if few or not gap > 0 or math.isnan(main.detectable):
            return None
        return needed_by_pilot(gap, main.se, main.n, self.alpha / 2, self.power, main.df)

    def to_text(self) -> str:
        """The verdict with the numbers behind it, as ``rankbars compare`` prints it.

        Examples
        --------
        >>> import rankbars as rb
        >>> rows = [[1, 0], [1, 0], [1, 1], [0, 0], [1, 0], [1, 0], [1, 1], [1, 0]]
        >>> scores = rb.Scores.from_arrays({"math": rows}, ["new", "old"])
        >>> print(rb.head_to_head(scores, "new", "old").to_text().splitlines()[0])
        new is better than old (at 95 %).
        """
        from rankbars.render.duel import head_to_head_text

        return head_to_head_text(self)

    def to_json(self) -> str:
        """The comparison as ``rankbars compare --json`` prints it."""
        from rankbars.render.duel import head_to_head_json

        return head_to_head_json(self)

    def _repr_html_(self) -> str:
        # Notebooks look for this name.
        from rankbars.render.duel import head_to_head_html

        return head_to_head_html(self)
