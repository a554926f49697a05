"""Draws of scores: what is known about all models together, as a sample."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.calls import check_name, check_whole
from rankbars.data.contrasts import Differences
from rankbars.data.fields import Numbers, check_models, freeze, frozen_array, names_where
from rankbars.data.partialorder import PartialOrder
from rankbars.data.spec import check_rate
from rankbars.errors import DataError, OptionError
from rankbars.stats.averaging.allpairs import adjust_p
from rankbars.stats.ranks import RankBounds
from rankbars.stats.resampling.rankcounts import (
    DOMINANCE_CORRECTIONS,
    StatedPairs,
    choose_top,
    dominance,
    rank_band,
    rank_probability,
    state_pairs,
    top_probability,
)
from rankbars.stats.resampling.taskmeans import Ends, fewest_draws, percentile_ends

__all__ = ["SOURCES", "Draws", "Source"]

Source = Literal["normal", "t", "bootstrap", "posterior", "predictive"]
SOURCES: tuple[Source, ...] = ("normal", "t", "bootstrap", "posterior", "predictive")


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Joint draws of the scores of all models; ranks are counted from them.

    Parameters
    ----------
    models : tuple of str
        The M models.
    values : array of float, shape (S, M)
        One draw of all scores per row, higher is better; all NaN for a model without a score.
    source : {"normal", "t", "bootstrap", "posterior", "predictive"}
        Where they come from: the normal or t distribution of the estimates, resampled data, the
        posterior of the score, or the posterior prediction of a score on fresh data of the same
        size.
    target : str
        What the score is an average of, in plain words.
    effective : float, optional
        How many independent draws these are worth; their number where not given.
    alike : tuple of tuple of int
        Positions of models that share one distribution and are independent of each other. What is
        counted in the draws is the same for all of a group: the mean over the group.

    Raises
    ------
    DataError
        If there is no draw, a value is infinite, or a model has a value in some draws only.

    Examples
    --------
    >>> draws = Draws(("a", "b"), [[0.9, 0.1], [0.8, 0.2], [0.4, 0.6]], "bootstrap")
    >>> draws.size, draws.rank_probability()[0].round(2).tolist()
    (3, [0.67, 0.33])
    """

    models: tuple[str, ...]
    values: Annotated[NDArray[np.float64], Numbers("SM")]
    source: Source
    target: str = ""
    effective: float = np.nan
    alike: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        check_name("source of draws", self.source, SOURCES)
        freeze(self)
        values, size = self.values, len(self.values)
        if size == 0:
            raise DataError("At least one draw is needed; found none.")
        missing = np.isnan(values)
        partly = missing.any(axis=0) & ~missing.all(axis=0)
        bad = partly | np.isinf(values).any(axis=0)
        if bad.any():
            name = self.models[int(np.flatnonzero(bad)[0])]
            raise DataError(
                f"The draws of model {name!r} must all be finite, or all be NaN for a model "
                "without a score."
            )
        if np.isnan(self.effective):
            object.__setattr__(self, "effective", float(size))
        if not self.effective > 0:
            raise OptionError.out_of_range("effective", self.effective, "above 0")

    @classmethod
    def normal(
        cls,
        models: Sequence[str],
        mean: ArrayLike,
        cov: ArrayLike,
        *,
        size: int = 10_000,
        seed: int = 0,
        target: str = "",
    ) -> Draws:
        """Joint normal draws around estimated scores: ranks where all there is are estimates.

        Parameters
        ----------
        models : sequence of str
            The M models.
        mean : array of float, shape (M,)
            Estimates, higher is better.
        cov : array of float, shape (M, M)
            Their covariance; ``np.diag(se ** 2)`` for independent estimates. Scores on the same
            items are not independent: taking them so makes ranks look less sure than they are.
        size : int
            Number of draws.
        seed : int
            Start of the random stream. Draws do not depend on the order of models.
        target : str
            What the score is, in plain words.

        Raises
        ------
        DataError
            If shapes disagree, a value is not finite, or `cov` is no covariance matrix.
        OptionError
            If there is no draw, or the seed is negative.

        Examples
        --------
        >>> draws = Draws.normal(["a", "b", "c"], [0.7, 0.8, 0.5], np.diag([0.05, 0.05, 0.05]) ** 2)
        >>> draws.dominance()[1, 0].round(2).item(), draws.top(2)
        (0.92, ('a', 'b'))
        """
        from rankbars.stats.resampling.distributions import normal_draws, symmetric_root
        from rankbars.stats.streams import stream

        names = check_models(tuple(models))
        draws, start = check_whole("size", size, 1), check_whole("seed", seed, 0)
        centre = frozen_array(mean, np.float64, "mean", (len(names),))
        spread = frozen_array(cov, np.float64, "cov", (len(names),) * 2)
        if not (np.isfinite(centre).all() and np.isfinite(spread).all()):
            raise DataError("mean and cov must be finite; leave a model without a score out.")
        if not np.allclose(spread, spread.T, rtol=1e-8, atol=0.0):
            raise DataError("cov must be symmetric: the covariance of i and j is that of j and i.")
        by_name = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.intp)
        found = symmetric_root((spread + spread.T)[np.ix_(by_name, by_name)] / 2)
        if found.deficit or (np.diagonal(spread) < 0).any():
            raise DataError("cov is no covariance matrix: some weighting has a variance below 0.")
        values = np.empty((draws, len(names)))
        values[:, by_name] = normal_draws(
            centre[by_name], found.root, lambda chunk: stream(start, "draws", chunk), draws
        )
        return cls(names, values, "normal", target)

    def __repr__(self) -> str:
        return f"Draws({len(self.models)} models, {self.size} draws, {self.source})"

    @property
    def size(self) -> int:
        """Number of draws S."""
        return int(self.values.shape[0])

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which models have a score, shape (M,)."""
        return np.asarray(~np.isnan(self.values[0]))

    def _of(self, positions: NDArray[np.intp]) -> NDArray[np.float64]:
        whole = positions.size == len(self.models)
        return self.values if whole else np.asarray(self.values[:, positions])

    def interval(self, alpha: float = 0.05) -> Ends:
        """Central share ``1 - alpha`` of the draws of each model: ``low`` and ``high``."""
        ends = percentile_ends(self.values, check_rate("alpha", alpha))
        return Ends(*(self._shared(end.copy()) for end in ends))

    def rank_probability(self) -> NDArray[np.float64]:
        """Share of the draws in which each model has each rank, shape (M, M).

        ``[i, r]`` belongs to model i and rank r + 1. Models that are tied in a draw share their
        ranks evenly. Ranks count the models that have a score; a model without one has NaN.
        """
        present = np.flatnonzero(self.present)
        found = np.zeros((len(self.models),) * 2)
        found[~self.present] = np.nan
        if present.size:
            found[present, : present.size] = rank_probability(self._of(present))
        return self._shared(found)

    def rank_band(self, alpha: float = 0.05) -> RankBounds:
        """Central band of the ranks over the draws, as ``best`` and ``worst``, shape (M,).

        A description: not a confidence interval under ties. Models without a score may stand
        anywhere, which widens the bands of the others at their worse end.
        """
        size = len(self.models)
        present = np.flatnonzero(self.present)
        best, worst = np.ones(size, np.int64), np.full(size, size, np.int64)
        if present.size:
            found = self.rank_probability()[present, : present.size]
            band = rank_band(found, self.size, alpha)
            best[present] = band.best
            worst[present] = band.worst + (size - present.size)
        return RankBounds(best, worst)

    def dominance(self) -> NDArray[np.float64]:
        """Share of the draws in which i scores higher than j, shape (M, M); NaN without scores."""
        present = np.flatnonzero(self.present)
        found = np.full((len(self.models),) * 2, np.nan)
        found[np.ix_(present, present)] = dominance(self._of(present))
        return self._even(found)

    def _even(self, found: NDArray[np.float64]) -> NDArray[np.float64]:
        """A table of pairs in which models of one group are the same to all others."""
        even = self._shared(self._shared(found.copy()).T.copy()).T.copy()
        for group in self.alike:
            inside = np.ix_(group, group)
            even[inside] = found[inside][~np.eye(len(group), dtype=np.bool_)].mean()
        np.fill_diagonal(even, np.diagonal(found))
        return even

    def _shared(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """The table, with the mean of each group in the rows of its models."""
        for group in self.alike:
            table[list(group)] = table[list(group)].mean(axis=0)
        return table

    def differences(self, alpha: float = 0.05) -> Differences:
        """Differences of all pairs of models, as far as the draws describe them.

        Parameters
        ----------
        alpha : float
            Error rate of all intervals together, by Bonferroni.

        Returns
        -------
        Differences
            Means and standard deviations of the differences; percentile intervals at
            ``alpha / P`` each, NaN where there are too few draws to count their ends in; and for
            p-values twice the share of draws on the other side of 0. `source` is ``"draws"``: a
            description, without a guarantee.

        Examples
        --------
        >>> import numpy as np, rankbars as rb
        >>> draws = rb.Draws.normal(["a", "b", "c"], [0.7, 0.8, 0.5], np.eye(3) * 0.05**2)
        >>> found = draws.differences()
        >>> found.difference.round(1).tolist(), found.p_holm.round(1).tolist()
        ([-0.1, 0.2, 0.3], [0.2, 0.0, 0.0])
        """
        level = check_rate("alpha", alpha)
        size, present = len(self.models), np.flatnonzero(self.present)
        each = level / max(present.size * (present.size - 1) // 2, 1)
        mean, spread, low = np.full((3, size, size), np.nan)
        centre = self._shared(self.values.mean(axis=0)[:, None].copy())[:, 0]
        for i in present:
            others = present[present > i]
            gap = self.values[:, [i]] - self.values[:, others]
            mean[i, others] = centre[i] - centre[others]
            spread[i, others] = spread[others, i] = gap.std(axis=0)
            if self.size >= fewest_draws(each) and others.size:
                ends = percentile_ends(gap, each)
                low[i, others], low[others, i] = ends.low, -ends.high
        chances = self.dominance()
        against = np.minimum(1.0 - chances, 1.0 - chances.T) * self.size
        p = np.minimum(2.0 * (np.rint(against) + 1.0) / (self.size + 1.0), 1.0)
        rows = np.triu_indices(size, 1)
        low, spread = self._even(low), self._even(spread)
        single = [adjust_p(p[rows], name) for name in ("bonferroni", "holm")]
        return Differences(
            self.models, level, "draws", "bonferroni", "difference", mean[rows], spread[rows],
            low[rows], -low.T[rows], single[0], *single,
        )  # fmt: skip

    def state_pairs(
        self, alpha: float = 0.05, correction: Literal["bonferroni", "holm", "bh"] = "bonferroni"
    ) -> StatedPairs:
        """Pairs whose order these draws allow to state, with all pairs accounted for.

        Parameters
        ----------
        alpha : float
            Error rate, two-sided.
        correction : {"bonferroni", "holm", "bh"}
            ``"bonferroni"``, ``"holm"``: all stated pairs are right, with probability
            ``1 - alpha``. ``"bh"``: on average at most a share of `alpha` of them is wrong, so
            they are no order in which every line is claimed.

        Returns
        -------
        StatedPairs
            ``stated[i, j]``: i is better than j; ``reachable``: whether there are draws enough to
            state anything; ``promise``: whether all of it is right, or but a share.
        """
        present = np.flatnonzero(self.present)
        check_rate("alpha", alpha)
        check_name("correction of dominance", correction, DOMINANCE_CORRECTIONS)
        chances = self.dominance()[np.ix_(present, present)]
        found = state_pairs(chances, self.size, alpha, correction)
        stated = np.zeros((len(self.models),) * 2, dtype=np.bool_)
        stated[np.ix_(present, present)] = found.stated
        return found._replace(stated=stated)

    def partial_order(
        self, alpha: float = 0.05, correction: Literal["bonferroni", "holm"] = "holm"
    ) -> PartialOrder:
        """The pairs that `state_pairs` states, with what follows from them, and their diagram.

        Every line is claimed to be true, so pairs of which a share may be wrong ("bh") make none.

        Parameters
        ----------
        alpha : float
            Error rate of all lines together, two-sided, as far as the draws describe the
            uncertainty.
        correction : {"holm", "bonferroni"}
            How the number of pairs is accounted for.

        Raises
        ------
        OptionError
            If the correction does not hold for all pairs at once, or there are too few draws to
            state anything at this level; says how many are needed.
        DataError
            If the stated pairs have a cycle.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> made = rng.normal([0.0, 0.1, 3.0, 6.0], 0.5, size=(2000, 4))
        >>> Draws(("a", "b", "c", "d"), made, "normal").partial_order().edges
        (('c', 'a'), ('c', 'b'), ('d', 'c'))
        """
        if not isinstance(correction, str) or correction not in ("bonferroni", "holm"):
            raise OptionError(
                f"An order is drawn from pairs that all hold at once (holm, bonferroni); got "
                f"correction={correction!r}. For pairs of which a share may be wrong use "
                "state_pairs()."
            )
        found = self.state_pairs(alpha, correction)
        if not found.reachable:
            count = int(self.present.sum())
            needed = math.ceil(count * (count - 1) / alpha) - 1
            raise OptionError(
                f"{self.size} draws are too few to state any of {count * (count - 1) // 2} pairs "
                f"at {alpha:g}; at least {needed} are needed (resamples={needed}). "
                "average.partial_order() needs none."
            )
        return PartialOrder(self.models, found.stated)

    def top_probability(self, k: int) -> NDArray[np.float64]:
        """Probability that each model is among the `k` best, shape (M,); NaN without a score."""
        return top_probability(self.rank_probability(), k)

    def top(self, k: int, *, exactly: bool = True) -> tuple[str, ...]:
        """The models best reported as the `k` best, in order of their names.

        Parameters
        ----------
        k : int
            Between 1 and the number of models.
        exactly : bool
            True: exactly k models, those with the largest probability of being among the k
            best. False: every model for which that is likelier than not, however many.
        """
        found = np.nan_to_num(self.rank_probability(), nan=0.0)
        chosen = choose_top(found, k, exactly=exactly)
        return names_where(self.models, chosen)
