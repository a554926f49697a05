"""Differences between models on an average, with intervals that hold together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_name
from rankbars.data.fields import Frozen, Numbers, PairTable, Rate, freeze, frozen_array
from rankbars.data.partialorder import PartialOrder
from rankbars.errors import DataError, OptionError
from rankbars.stats.averaging.allpairs import (
    adjust_by_maxima,
    adjust_pairs,
    comparable_pairs,
    critical_pairs,
)
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.tails import critical_of_draws

__all__ = ["ADJUSTMENTS", "Contrasts", "Differences"]

ADJUSTMENTS = ("holm", "bonferroni", "maxt", "none")

PairReals = Annotated[NDArray[np.float64], Numbers("P", null=np.nan)]
PairErrors = Annotated[NDArray[np.float64], Numbers("P", least=0.0, null=np.nan)]
PairLevels = Annotated[NDArray[np.float64], Numbers("P", least=0.0, most=1.0, null=np.nan)]


@dataclass(frozen=True, slots=True, eq=False)
class Differences(Frozen):
    """Differences of all pairs of models on an average, one row per pair.

    Pairs are (0, 1), (0, 2), ..., (1, 2), ..., P in all; a difference is the first less the second,
    above 0 where the first is better. NaN where nothing is known.

    Parameters
    ----------
    models : tuple of str
        The M models.
    alpha : float
        Error rate of all intervals together.
    source : {"test", "draws"}
        Whether pairs were tested, or are described by draws (a posterior, resampled ranks): then
        no level is promised.
    correction : {"holm", "bonferroni", "maxt", "none"}
        What `low`, `high` and `p` account for the number of pairs by. With Holm the intervals are
        those of Bonferroni.
    scale : {"difference", "log ratio"}
        A difference of averages, or the logarithm of a ratio of geometric means.
    difference, se : array of float, shape (P,)
        Difference of the averages in the units of the average, and its standard error (standard
        deviation of the draws).
    low, high : array of float, shape (P,)
        Intervals that hold together.
    p : array of float, shape (P,)
        Two-sided p-value, adjusted by `correction`. Of draws: twice the share on the other side of
        0, adjusted.
    p_bonferroni, p_holm : array of float, shape (P,)
        The same, adjusted by Bonferroni and by Holm; NaN where the law of a pair by itself is not
        known (ranks over few tasks).

    Raises
    ------
    DataError
        If the number of pairs does not fit.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rng = np.random.default_rng(0)
    >>> tasks = {name: rng.random((40, 3)) + [0.0, 0.5, 0.5] for name in ("math", "law")}
    >>> found = rb.aggregate(rb.Scores.from_arrays(tasks, ["a", "b", "c"])).differences
    >>> found.pairs, found.excludes_zero.tolist()
    ((('a', 'b'), ('a', 'c'), ('b', 'c')), [True, True, False])
    """

    models: tuple[str, ...]
    alpha: Rate
    source: Literal["test", "draws"]
    correction: Literal["holm", "bonferroni", "maxt", "none"]
    scale: Literal["difference", "log ratio"]
    difference: PairReals
    se: PairErrors
    low: PairReals
    high: PairReals
    p: PairLevels
    p_bonferroni: PairLevels
    p_holm: PairLevels

    def __repr__(self) -> str:
        return (
            f"Differences({len(self.models)} models, {self.difference.size} pairs, "
            f"{int(self.excludes_zero.sum())} exclude 0, {self.source})"
        )

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Names of the two models of each row."""
        first, second = np.triu_indices(len(self.models), 1)
        return tuple(
            (self.models[i], self.models[j])
            for i, j in zip(first.tolist(), second.tolist(), strict=True)
        )

    @property
    def excludes_zero(self) -> NDArray[np.bool_]:
        """Whether `p` is at most `alpha`, shape (P,)."""
        return np.asarray(np.nan_to_num(self.p, nan=1.0) <= self.alpha)


@dataclass(frozen=True, slots=True, eq=False)
class Contrasts:
    """Differences of all pairs of models; ``[i, j]`` reads "i minus j", positive if i is better.

    Parameters
    ----------
    models : tuple of str
        The M models.
    pairs : PairStatistics
        Differences, standard errors, statistics and degrees of freedom, shape (M, M).
    alpha : float
        Error rate of all intervals together.
    correction : {"holm", "bonferroni", "maxt", "none"}
        How the number of pairs is accounted for.
    scale : {"difference", "log ratio"}
        What a contrast is: a difference of averages, or the logarithm of a ratio of geometric
        means.
    maxima : array of float, shape (B,), optional
        Draws of the largest studentised difference, ascending; max-T needs them.
    largest : float
        The largest contrast that there can be, either way; intervals are cut there. Infinite where
        averages have no known ends.
    exact : array of float, shape (M, M), optional
        Adjusted two-sided p-values of an exact test, where that decides (mean ranks over few
        tasks); there are no intervals then. NaN where too few tasks show anything.

    Raises
    ------
    DataError
        If shapes disagree, or max-T has no draws.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rng = np.random.default_rng(0)
    >>> tasks = {name: rng.random((40, 3)) + [0.0, 0.5, 0.5] for name in ("math", "law")}
    >>> contrasts = rb.aggregate(rb.Scores.from_arrays(tasks, ["a", "b", "c"])).contrasts
    >>> contrasts.excludes_zero.astype(int).tolist()
    [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    """

    models: tuple[str, ...]
    pairs: PairStatistics
    alpha: float
    correction: Literal["holm", "bonferroni", "maxt", "none"]
    scale: Literal["difference", "log ratio"] = "difference"
    maxima: Annotated[NDArray[np.float64], Numbers("S")] | None = None
    largest: float = np.inf
    exact: PairTable | None = None

    def __post_init__(self) -> None:
        freeze(self)
        check_name("correction", self.correction, ADJUSTMENTS)
        square = (len(self.models),) * 2
        frozen = {
            name: frozen_array(getattr(self.pairs, name), np.float64, name, square)
            for name in ("diff", "se", "statistic")
        }
        object.__setattr__(self, "pairs", self.pairs._replace(**frozen))
        if self.correction == "maxt" and self.maxima is None and self.exact is None:
            raise DataError("Contrasts with max-T need the draws of the largest difference.")

    def __repr__(self) -> str:
        return (
            f"Contrasts({len(self.models)} models, {self.count} pairs, "
            f"{int(self.excludes_zero.sum()) // 2} differ at {self.alpha:g}, {self.correction})"
        )

    @property
    def diff(self) -> NDArray[np.float64]:
        """Differences, shape (M, M); NaN where two models cannot be compared."""
        return self.pairs.diff

    @property
    def se(self) -> NDArray[np.float64]:
        """Standard errors of the differences, shape (M, M)."""
        return self.pairs.se

    @property
    def df(self) -> NDArray[np.float64]:
        """Degrees of freedom, shape (M, M); infinite for a normal tail."""
        df = np.asarray(self.pairs.df, dtype=np.float64)
        return np.broadcast_to(df, self.pairs.diff.shape)

    @property
    def count(self) -> int:
        """Number of pairs that can be compared, each counted once."""
        return int(comparable_pairs(self.pairs).sum()) // 2

    @property
    def critical(self) -> NDArray[np.float64]:
        """How many standard errors an interval reaches to either side, shape (M, M).

        Holm has no intervals of its own that are as simple; they are Bonferroni's, so that an
        interval may contain zero where the adjusted p-value is below `alpha`.
        """
        if self.maxima is not None and self.correction == "maxt":
            return np.full(self.diff.shape, critical_of_draws(self.maxima, self.alpha))
        return critical_pairs(self.pairs, self.alpha, 1 if self.correction == "none" else None)

    @property
    def low(self) -> NDArray[np.float64]:
        """Lower ends of the intervals, shape (M, M).

        NaN where two models cannot be compared, where an exact test decides, and where their
        difference is the same in the whole sample: without spread nothing says how far it may be
        off. What is known of such a pair is its sign, which `p` takes from a sign test, ``2**-n``
        a side.
        """
        return np.maximum(self.diff - self._half(), -self.largest)

    @property
    def high(self) -> NDArray[np.float64]:
        """Upper ends of the intervals, shape (M, M); NaN as in `low`."""
        return np.minimum(self.diff + self._half(), self.largest)

    @property
    def p(self) -> NDArray[np.float64]:
        """Two-sided adjusted p-values, shape (M, M); NaN where nothing is compared or claimed."""
        if self.exact is not None:
            return self.exact
        if self.maxima is None or self.correction != "maxt":
            return adjust_pairs(self.pairs, self.correction)
        usable = comparable_pairs(self.pairs)
        p = adjust_by_maxima(self.pairs.statistic, self.maxima)
        # Draws hold no pair without spread: its sign test counts for one pair of all (Bonferroni).
        p = np.where(self.se > 0, p, np.fmax(p, adjust_pairs(self.pairs, "bonferroni")))
        return np.where(usable, p, np.nan)

    @property
    def excludes_zero(self) -> NDArray[np.bool_]:
        """Whether two models differ: the adjusted p-value is at most `alpha`, shape (M, M)."""
        p = self.p
        return np.asarray(np.nan_to_num(p, nan=1.0) <= self.alpha)

    def table(self) -> Differences:
        """The same with one row per pair, and p-values by Bonferroni and Holm beside its own."""
        rows = np.triu_indices(len(self.models), 1)
        # Where an exact test decides, single pairs have no law that could be adjusted.
        single = [
            np.full(len(rows[0]), np.nan)
            if self.exact is not None
            else adjust_pairs(self.pairs, name)[rows]
            for name in ("bonferroni", "holm")
        ]
        return Differences(
            self.models, self.alpha, "test", self.correction, self.scale,
            self.diff[rows], self.se[rows], self.low[rows], self.high[rows], self.p[rows], *single,
        )  # fmt: skip

    def partial_order(self) -> PartialOrder:
        """Models whose difference is not zero, with what follows, as an order with its diagram.

        All its statements hold at once with probability ``1 - alpha``.

        Raises
        ------
        OptionError
            If the number of pairs was not accounted for (``correction="none"``).
        DataError
            If the statements have a cycle.

        Examples
        --------
        >>> import numpy as np, rankbars as rb
        >>> rng = np.random.default_rng(0)
        >>> tasks = {name: rng.random((40, 3)) + [0.0, 0.5, 0.5] for name in ("math", "law")}
        >>> average = rb.aggregate(rb.Scores.from_arrays(tasks, ["a", "b", "c"]))
        >>> average.contrasts.partial_order().edges
        (('b', 'a'), ('c', 'a'))
        """
        if self.correction == "none":
            raise OptionError(
                "An order is drawn from pairs that all hold at once, and these contrasts do not "
                'account for their number (correction="none"). Use correction="holm", '
                '"bonferroni" or "maxt".'
            )
        return PartialOrder(self.models, self.excludes_zero & (self.diff > 0))

    def _half(self) -> NDArray[np.float64]:
        if self.exact is not None:
            return np.full(self.diff.shape, np.nan)
        usable = comparable_pairs(self.pairs) & (self.se > 0)
        with np.errstate(invalid="ignore"):
            return np.where(usable, self.critical * self.se, np.nan)
