"""Holm's step-down, Bonferroni, and no correction: which models are shown better than which.

The statistic is compared with critical values; no p-value is computed. Tests that have no
statistic give p-values, which are compared with the levels themselves.
``statistic[i, j]`` is evidence that i is better than j, and ``statistic[j, i]`` is its exact
negative, so that one sort of a row serves both sides of a model.

Three procedures. In a family of K pairs of which r are decided, *holm* holds the next one to
``level / (K - r)``, *bonferroni* to ``level / K``, and *none* to ``level``, which corrects nothing
and carries no guarantee for a rank. Only the first depends on r; for the others counting replaces
sorting.

Two scopes. *each*: two families per model ("who is better than it", "than whom is it better"),
each at ``alpha / 2``, so that the statement about one model named in advance holds.
*all*: one family of all ordered pairs at ``alpha``, so that all statements hold at once.

Sources: Holm 1979 (the procedure); Holm 2013 and Neuhof & Benjamini 2026, Algorithm 1 (ranks).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.stats.blocks import row_blocks
from rankbars.stats.tails import Decisions, check_alpha, critical_steps, positive_critical, reach

__all__ = ["Procedure", "Scope", "decide", "decide_from_p", "decide_stacked", "holm_rejects"]

Procedure = Literal["holm", "bonferroni", "none"]
Scope = Literal["each", "all"]

# Levels of p-values stay below one half, as critical values stay above zero: one half and above
# favours the other direction.
_BELOW_HALF = float(np.nextafter(0.5, 0.0))


def decide(
    statistic: NDArray[np.float64],
    df: NDArray[np.float64] | float,
    alpha: float,
    procedure: Procedure = "holm",
    scope: Scope = "each",
) -> Decisions:
    """Decisions about all pairs, from statistics.

    Parameters
    ----------
    statistic : ndarray of float64, shape (M, M)
        ``[i, j]``: evidence that i is better than j; exactly antisymmetric, no NaN.
    df : float or ndarray, shape (M, M)
        Degrees of freedom of the null distribution, shared or of each pair; infinity is normal.
    alpha : float
        Error rate, in (0, 1): of one model's two sides together, or of all statements together.
    procedure : {"holm", "bonferroni", "none"}
        How the level of a family is divided among its pairs.
    scope : {"each", "all"}
        Two families for each model, or one of all ordered pairs.

    Returns
    -------
    Decisions
        Counts of each model. ``shown_better`` is None for the scope *each*; for *all* it never
        holds in both directions of a pair.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).
    DataError
        If a statistic is NaN.

    Notes
    -----
    Holm for each model, with a shared `df`: each row is sorted once and both ends are compared
    with ``critical(alpha / 2 / (K - r))``, K = M - 1. Otherwise the count of a row grows from
    ``r = 0`` to ``r = #{p <= alpha / 2 / (K - r)}``; the bound falls as r grows, so the first
    fixed point is Holm's count.

    Holm over all pairs: only statistics above zero can be decided, and at most one direction of
    a pair has one. Statistics beyond the first step's critical value are counted, those that no
    step could reach are left out, and only the thin band between is sorted.

    Scratch memory is O(M) times a constant block of rows.

    Examples
    --------
    >>> t = np.array([[0.0, 4.0, 2.3], [-4.0, 0.0, 1.0], [-2.3, -1.0, 0.0]])
    >>> for procedure in ("holm", "bonferroni", "none"):
    ...     each = decide(t, 20.0, 0.05, procedure)
    ...     every = decide(t, 20.0, 0.05, procedure, "all")
    ...     print(each.worse.tolist(), every.worse.tolist())
    [2, 0, 0] [1, 0, 0]
    [1, 0, 0] [1, 0, 0]
    [2, 0, 0] [2, 0, 0]
    """
    own_df = isinstance(df, np.ndarray) and df.ndim > 0
    if procedure == "holm" and scope == "each" and not own_df:
        made = decide_stacked(statistic[None], float(df), alpha)
        return Decisions(made.better[0], made.worse[0], None)
    return _decide(_Statistics(statistic, df), alpha, procedure, scope)


def decide_from_p(
    p: NDArray[np.float64],
    alpha: float,
    procedure: Procedure = "holm",
    scope: Scope = "each",
) -> Decisions:
    """Decisions about all pairs, from p-values.

    Parameters
    ----------
    p : ndarray of float64, shape (M, M)
        ``[i, j]``: one-sided p-value of 'i is better than j'; the diagonal is 1; no NaN.
    alpha, procedure, scope
        As in `decide`.

    Returns
    -------
    Decisions
        The same as from `decide` wherever the test has a statistic.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).
    DataError
        If a p-value is NaN.

    Notes
    -----
    A p-value of one half or more is never decided, at any `alpha`: it favours the other direction.

    Examples
    --------
    >>> p = np.array([[1.0, 0.001, 0.01], [0.999, 1.0, 0.2], [0.99, 0.8, 1.0]])
    >>> decide_from_p(p, 0.05).worse.tolist(), decide_from_p(p, 0.05, scope="all").worse.tolist()
    ([2, 0, 0], [2, 0, 0])
    """
    return _decide(_PValues(p), alpha, procedure, scope)


def decide_stacked(statistic: NDArray[np.float64], df: float, alpha: float) -> Decisions:
    """Holm for each model, on many tasks at once, which costs little more than on one.

    Parameters
    ----------
    statistic : ndarray of float64, shape (T, M, M)
        Statistics of each task; all of its pairs are tested.
    df : float
        Degrees of freedom, shared by all tasks.
    alpha : float
        As in `decide`.

    Returns
    -------
    Decisions
        Counts of each task, shape (T, M); ``shown_better`` is None.

    Raises
    ------
    OptionError, DataError
        As in `decide`.

    Examples
    --------
    >>> t = np.array([[0.0, 4.0, 6.0], [-4.0, 0.0, 1.0], [-6.0, -1.0, 0.0]])
    >>> decide_stacked(np.stack([t, 0 * t]), 20.0, 0.05).worse.tolist()
    [[2, 0, 0], [0, 0, 0]]
    """
    level = check_alpha(alpha) / 2
    *shape, n_models = statistic.shape
    better, worse = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    if n_models < 2:
        return Decisions(better, worse, None)
    # A family is a row, so that tasks can stand below each other.
    tall, above, below = statistic.reshape(-1, n_models), better.reshape(-1), worse.reshape(-1)
    steps = critical_steps(level, n_models - 1, df)[None, :0:-1]
    for rows in row_blocks(len(tall), n_models):
        ordered = _reject_nan(np.sort(tall[rows], axis=1))
        below[rows] = _leading_run(ordered[:, :0:-1], steps)
        above[rows] = _leading_run(-ordered[:, :-1], steps)
    return Decisions(better, worse, None)


def holm_rejects(p: NDArray[np.float64], alpha: float) -> NDArray[np.bool_]:
    """Which hypotheses of one family Holm's method rejects at `alpha`, by p-values of shape (P,).

    Examples
    --------
    >>> holm_rejects(np.array([0.02, 0.9, 0.01]), 0.05).tolist()
    [True, False, True]
    """
    order = np.argsort(p, kind="stable")
    passed = p[order] <= alpha / np.arange(p.size, 0, -1)
    rejected = np.zeros(p.size, dtype=np.bool_)
    rejected[order] = np.logical_and.accumulate(passed)
    return rejected


class _Statistics(NamedTuple):
    """Statistics of all pairs; what is stronger is larger, and bounds are critical values."""

    statistic: NDArray[np.float64]
    df: NDArray[np.float64] | float

    @property
    def n_models(self) -> int:
        return len(self.statistic)

    @property
    def own_df(self) -> NDArray[np.float64] | None:
        return self.df if isinstance(self.df, np.ndarray) and self.df.ndim else None

    @property
    def most(self) -> int:
        """Number of ordered pairs that can be decided: one direction of each pair."""
        return self.n_models * (self.n_models - 1) // 2

    def better(self, rows: slice) -> NDArray[np.float64]:
        """Evidence that the model of a row is better than that of a column."""
        return self.statistic[rows]

    def worse(self, rows: slice) -> NDArray[np.float64]:
        """Evidence that the model of a column is better than that of a row."""
        return -self.statistic[rows]

    def bounds(self, level: NDArray[np.float64]) -> NDArray[np.float64]:
        """What evidence must reach at each level, where all pairs share their `df`."""
        return positive_critical(level, self.df)

    def steps(self, level: float) -> NDArray[np.float64]:
        """Bounds of the steps of a model's family; entry m is for ``level / m``."""
        return critical_steps(level, self.n_models - 1, float(self.df))


class _PValues(NamedTuple):
    """p-values of all pairs, negated: -p >= -level is p <= level, bit for bit."""

    p: NDArray[np.float64]

    @property
    def n_models(self) -> int:
        return len(self.p)

    @property
    def own_df(self) -> NDArray[np.float64] | None:
        return None

    @property
    def most(self) -> int:
        """Number of ordered pairs that can be decided: both directions, for what is known here."""
        return self.n_models * (self.n_models - 1)

    def better(self, rows: slice) -> NDArray[np.float64]:
        """As in `_Statistics`."""
        return -self.p[rows]

    def worse(self, rows: slice) -> NDArray[np.float64]:
        """As in `_Statistics`."""
        return -self.p.T[rows]

    def bounds(self, level: NDArray[np.float64]) -> NDArray[np.float64]:
        """As in `_Statistics`."""
        return -np.minimum(level, _BELOW_HALF)

    def steps(self, level: float) -> NDArray[np.float64]:
        """As in `_Statistics`."""
        return np.append(np.inf, -level / np.arange(1, self.n_models))


_Evidence = _Statistics | _PValues


def _decide(evidence: _Evidence, alpha: float, procedure: Procedure, scope: Scope) -> Decisions:
    """Decisions from either kind of evidence."""
    rate = check_alpha(alpha)
    if scope == "all":
        size = evidence.n_models * (evidence.n_models - 1)
        if procedure == "holm":
            grow = _grow_relation if evidence.own_df is None else _grow_relation_own_df
            shown = grow(evidence, rate, size)
        else:
            shown = _relate(evidence, rate / max(size, 1) if procedure == "bonferroni" else rate)
        return Decisions(
            better=np.count_nonzero(shown, axis=0).astype(np.int64),
            worse=np.count_nonzero(shown, axis=1).astype(np.int64),
            shown_better=shown,
        )
    counts = []
    for side in (evidence.worse, evidence.better):
        if procedure == "holm":
            counts.append(_count_stepwise(evidence, side, rate / 2))
        else:
            left = max(evidence.n_models - 1, 1) if procedure == "bonferroni" else 1
            counts.append(_count_reached(evidence, side, rate / 2 / left))
    return Decisions(counts[0], counts[1], None)


_Side = Callable[[slice], NDArray[np.float64]]


def _count_reached(evidence: _Evidence, side: _Side, level: float) -> NDArray[np.int64]:
    """Number of pairs of each row that reach `level`."""
    counts = np.zeros(evidence.n_models, dtype=np.int64)
    for rows in row_blocks(counts.size, counts.size):
        block = _reject_nan(side(rows))
        counts[rows] = np.count_nonzero(_reached(evidence, block, rows, level), axis=1)
    return counts


def _relate(evidence: _Evidence, level: float) -> NDArray[np.bool_]:
    """The relation 'reaches `level`'."""
    size = evidence.n_models
    shown = np.zeros((size, size), dtype=bool)
    for rows in row_blocks(size, size):
        block = _reject_nan(evidence.better(rows))
        shown[rows] = _reached(evidence, block, rows, level)
    return shown


def _reached(
    evidence: _Evidence, block: NDArray[np.float64], rows: slice, level: float
) -> NDArray[np.bool_]:
    """Whether evidence reaches `level`, with shared or own degrees of freedom."""
    if evidence.own_df is not None:
        return reach(block, evidence.own_df[rows], np.full(block.shape[0], level))
    return np.asarray(block >= evidence.bounds(np.array([level])))


def _count_stepwise(evidence: _Evidence, side: _Side, level: float) -> NDArray[np.int64]:
    """Holm's count of each row."""
    size = evidence.n_models
    counts = np.zeros(size, dtype=np.int64)
    if size < 2:
        return counts
    bounds = evidence.steps(level)[None, :0:-1] if evidence.own_df is None else np.empty(0)
    for rows in row_blocks(size, size):
        if evidence.own_df is not None:
            counts[rows] = _grow_rows(_reject_nan(side(rows)), evidence.own_df[rows], level)
        else:
            ordered = _reject_nan(np.sort(side(rows), axis=1))
            counts[rows] = _leading_run(ordered[:, :0:-1], bounds)
    return counts


def _leading_run(ordered: NDArray[np.float64], bounds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Length of each row's run of values, strongest first, that reach their bounds."""
    reached = ordered >= bounds
    run = np.asarray(np.argmin(reached, axis=1), dtype=np.int64)
    run[reached[np.arange(run.size), run]] = reached.shape[1]
    return run


def _grow_rows(
    statistic: NDArray[np.float64], df: NDArray[np.float64], level: float
) -> NDArray[np.int64]:
    """Holm's count of each row when cells differ in degrees of freedom."""
    size = statistic.shape[1] - 1
    counts = np.zeros(len(statistic), dtype=np.int64)
    active = np.arange(counts.size)
    while active.size:
        levels = level / (size - counts[active])
        grown = np.count_nonzero(reach(statistic[active], df[active], levels), axis=1)
        going_on = (grown > counts[active]) & (grown < size)
        counts[active] = grown
        active = active[going_on]
    return counts


def _grow_relation(evidence: _Evidence, alpha: float, size: int) -> NDArray[np.bool_]:
    """Relation of one Holm over `size` pairs that share their bounds."""
    n_models = evidence.n_models
    shown = np.zeros((n_models, n_models), dtype=bool)
    if size == 0:
        return shown

    def bound(level: float) -> float:
        return float(evidence.bounds(np.array([level]))[0])

    first, last = bound(alpha / size), bound(alpha / (size - min(size, evidence.most) + 1))
    certain, band = 0, [np.empty(0)]
    for rows in row_blocks(n_models, n_models):
        block = _reject_nan(evidence.better(rows))
        certain += int(np.count_nonzero(block >= first))
        band.append(block[(block >= last) & (block < first)])
    open_values = np.sort(np.concatenate(band))
    count, critical = certain, first
    while count < size:
        critical = bound(alpha / (size - count))
        grown = certain + open_values.size - int(np.searchsorted(open_values, critical))
        if grown == count:
            break
        count = grown
    for rows in row_blocks(n_models, n_models):
        shown[rows] = evidence.better(rows) >= critical
    return shown


def _grow_relation_own_df(evidence: _Evidence, alpha: float, size: int) -> NDArray[np.bool_]:
    """As `_grow_relation`, for statistics with their own degrees of freedom."""
    n_models, df = evidence.n_models, np.asarray(evidence.own_df)
    shown = np.zeros((n_models, n_models), dtype=bool)
    if size == 0:
        return shown
    first, last = alpha / size, alpha / (size - min(size, evidence.most) + 1)
    places, values = [np.empty(0, dtype=np.intp)], [np.empty(0)]
    for rows in row_blocks(n_models, n_models):
        block = _reject_nan(evidence.better(rows))
        height = block.shape[0]
        shown[rows] = reach(block, df[rows], np.full(height, first))
        lasting = reach(block, df[rows], np.full(height, last)) & ~shown[rows]
        places.append(np.flatnonzero(lasting) + rows.start * n_models)
        values.append(block[lasting])
    place, value = np.concatenate(places), np.concatenate(values)
    freedom = df.ravel()[place]
    certain = int(np.count_nonzero(shown))
    count, passed = certain, np.zeros(place.size, dtype=bool)
    while count < size:
        level = np.array([alpha / (size - count)])
        passed = reach(value[None, :], freedom[None, :], level)[0]
        grown = certain + int(np.count_nonzero(passed))
        if grown == count:
            break
        count = grown
    shown.ravel()[place[passed]] = True
    return shown


def _reject_nan(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """`values` themselves, if none of them is NaN."""
    # The maximum is NaN as soon as one value is.
    if np.isnan(values.max(initial=-np.inf)):
        raise DataError(
            "A pair of models has NaN as its evidence; "
            "a pair without evidence must carry statistic 0 or p-value 1."
        )
    return values
