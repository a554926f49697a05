"""Comparisons: for every pair of models of one task, how sure it is that one is better."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Evidence
from rankbars.data.fields import PairTable, freeze
from rankbars.data.notes import Note
from rankbars.errors import DataError
from rankbars.stats.pairwise.pairstatistics import PairStatistics, p_values

if TYPE_CHECKING:
    from rankbars.data.suspects import SuspectGroup, SuspectVoters
    from rankbars.data.taskresult import Effects

__all__ = ["Comparisons"]


@dataclass(frozen=True, slots=True, eq=False)
class Comparisons:
    """Paired tests of all ordered pairs of models on one task; ``[i, j]`` reads "i better than j".

    Parameters
    ----------
    models : tuple of str
        The M models, in code-point order.
    mean, mean_se : array of float, shape (M,)
        Score of each model and its own standard error; NaN for a model that is absent.
    mean_df : array of float, shape (M,)
        Degrees of freedom behind `mean_se`.
    pairs : PairStatistics, optional
        Differences, standard errors and statistics of all pairs. None for tests that give
        p-values only.
    exact_p : array of float, shape (M, M), optional
        One-sided p-values of a test that has no statistic with a known tail.
    test : str
        Name of the test.
    task : str
        Name of the task.
    rows : int
        Rows of the task.
    decided_by : PairStatistics, optional
        Statistics that decide instead of `pairs`, for a test of something else than the mean.
    assumptions : tuple of str
        What must hold for the p-values to be valid, in plain sentences.
    notes : tuple of Note
        What the reader must know about these comparisons.
    evidence : Items or Estimates, optional
        The evidence itself, for corrections that resample; for votes the fitted strengths.
    guaranteed : bool
        False where the test does not fit the design of the rows, so that no error rate holds.
    design : str, optional
        What the rows are, as the table of tests and corrections has it.
    insisted : bool
        Whether the test was asked for by name; else the design of the rows chose it.
    skewness : float, optional
        How much a few rows weigh: the 90th percentile over pairs of the skewness of their
        differences over the root of n; infinite with fewer than five rows. None where it does not
        matter, as for answers of 0 and 1.
    log_e : array of float, shape (M, M), optional
        Logarithms of e-values that i is better than j, where the test gives them.
    effects : Effects, optional
        What strengths from votes were adjusted for.
    suspects : SuspectVoters, optional
        Voters whose votes do not fit those of the others, where there are any.
    suspect_groups : tuple of SuspectGroup, optional
        Periods and prompts of which the same is true, where there are any.

    Raises
    ------
    DataError
        If shapes disagree or neither `pairs` nor `exact_p` is given.
    """

    models: tuple[str, ...]
    mean: NDArray[np.float64]
    mean_se: NDArray[np.float64]
    mean_df: NDArray[np.float64]
    pairs: PairStatistics | None
    test: str
    rows: int
    task: str = ""
    exact_p: PairTable | None = None
    decided_by: PairStatistics | None = None
    assumptions: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    evidence: Evidence | None = None
    guaranteed: bool = True
    design: str | None = None
    insisted: bool = False
    skewness: float | None = None
    log_e: PairTable | None = None
    effects: Effects | None = None
    suspects: SuspectVoters | None = None
    suspect_groups: tuple[SuspectGroup, ...] | None = None
    _p: list[NDArray[np.float64]] = field(default_factory=list, init=False, repr=False)

    def __repr__(self) -> str:
        task = f"task {self.task!r}, " if self.task else ""
        return f"Comparisons({task}{len(self.models)} models, {self.rows} rows, test {self.test})"

    def __post_init__(self) -> None:
        freeze(self)
        square = (len(self.models),) * 2
        if self.pairs is None and self.exact_p is None:
            raise DataError("Comparisons need statistics of the pairs or p-values; got neither.")
        if self.pairs is not None and self.pairs.statistic.shape != square:
            raise DataError(
                f"The statistics must have shape {square}; got {self.pairs.statistic.shape}."
            )

    @property
    def deciding(self) -> PairStatistics | None:
        """The statistics that decide; None for tests that give p-values only."""
        if self.exact_p is not None:
            return None
        return self.pairs if self.decided_by is None else self.decided_by

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which models have evidence on this task, shape (M,)."""
        return ~np.isnan(self.mean)

    @property
    def diff(self) -> NDArray[np.float64]:
        """Mean difference, shape (M, M); NaN where two models share no rows."""
        if self.pairs is None:
            return self.mean[:, None] - self.mean[None, :]
        return self.pairs.diff

    @property
    def se(self) -> NDArray[np.float64]:
        """Standard error of each difference, shape (M, M); NaN where the test has none."""
        if self.pairs is None:
            return np.full((len(self.models),) * 2, np.nan)
        return self.pairs.se

    @property
    def df(self) -> NDArray[np.float64]:
        """Degrees of freedom, shape (M, M); infinite for a normal tail, NaN if there are none."""
        size = (len(self.models),) * 2
        if self.pairs is None:
            return np.full(size, np.nan)
        return np.broadcast_to(np.asarray(self.pairs.df, dtype=np.float64), size)

    @property
    def n(self) -> NDArray[np.int64]:
        """Rows behind each pair, shape (M, M)."""
        size = (len(self.models),) * 2
        count = self.rows if self.pairs is None else self.pairs.n
        return np.broadcast_to(np.asarray(count, dtype=np.int64), size)

    @property
    def p(self) -> NDArray[np.float64]:
        """One-sided p-values that i is better than j, shape (M, M); computed at first access."""
        if self.exact_p is not None:
            return self.exact_p
        deciding = self.deciding
        if not self._p and deciding is not None:
            self._p.append(p_values(deciding))
        return self._p[0]
