"""Sample sizes: how many rows a difference needs, and how sure a pilot makes that.

A row is an item that both models answer, or a task, or a vote. ``delta`` is the true difference,
``sd`` the standard deviation of paired differences of single rows, ``level`` the error rate of one
side.

Source: the non-central t for paired differences (Cohen 1988).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, nctdtr, ndtr

from rankbars.stats.blocks import row_blocks
from rankbars.stats.pairwise.estimates import wilson_ends
from rankbars.stats.tails import critical_value

__all__ = [
    "FEWEST_ROWS",
    "FEWEST_TASKS",
    "Needed",
    "answers_for_items",
    "approximate_size",
    "discordance_bound",
    "error_covariance",
    "family_size",
    "needed_by_pilot",
    "needed_for_effect",
    "paired_power",
    "sample_size",
    "separated_neighbours",
    "variance_share",
]

FEWEST_ROWS, FEWEST_TASKS = 20, 3
"""Of a pilot; fewer say too little of the spread."""
SURE = 0.8  # how sure the careful number is to give the power
_INTERVAL = 0.95
_LARGE = 1e5  # degrees of freedom from which on t is normal
_FIXED_POINTS = 100
_MOST = 1e12  # rows; more are no plan
_CELLS, _HARDEST = 2**21, 300


class Needed(NamedTuple):
    """How many rows are needed, and how sure that is.

    Attributes
    ----------
    likely : float
        If the truth is what was observed, or supposed; infinite where no number does.
    safe : float
        With this many the power is reached with a probability of 80 % over pilots.
    low, high : float
        Interval of the number that is truly needed, at 95 %.
    """

    likely: float
    safe: float
    low: float
    high: float


def paired_power(delta: float, sd: float, n: float, level: float, freedom: float = 1.0) -> float:
    """Probability that a one-sided paired t-test of n rows shows a true difference.

    Parameters
    ----------
    delta, sd : float
        True difference above 0, and the standard deviation of differences of single rows.
    n : float
        Rows, at least 2.
    level : float
        Error rate of one side.
    freedom : float
        Degrees of freedom and one, per row; infinite for a normal test.

    Examples
    --------
    >>> round(paired_power(0.5, 1.0, 34, 0.025), 4), round(paired_power(0.5, 1.0, 33, 0.025), 4)
    (0.8078, 0.7954)
    """
    df, centre = n * freedom - 1, delta * math.sqrt(n) / sd
    if df <= 0:
        return 0.0
    if df > _LARGE:
        return float(ndtr(centre - critical_value(level, math.inf)))
    # The other tail of the mirrored variable keeps digits where the power is near 1.
    return float(nctdtr(df, -centre, -critical_value(level, df)))


def approximate_size(
    delta: float, sd: float, level: float, power: float, freedom: float = 1.0
) -> float:
    """Rows that show a difference with a probability, by ``((t(level) + z(power)) sd / delta)²``.

    Parameters
    ----------
    delta, sd, level, freedom
        As in `paired_power`.
    power : float
        The probability.

    Returns
    -------
    float
        Not rounded; within 1 of `sample_size` from ten rows on. Infinite without a difference.

    Examples
    --------
    >>> round(approximate_size(0.06, 0.47, 0.025, 0.8), 2)
    483.31
    """
    if not delta > 0:
        return math.inf
    target = float(critical_value(1 - power, math.inf))
    found = ((float(critical_value(level, math.inf)) + target) * sd / delta) ** 2
    for _ in range(_FIXED_POINTS):
        df = max(max(found, 3.0) * freedom - 1, 2.0)
        later = ((float(critical_value(level, df)) + target) * sd / delta) ** 2
        # Half steps: with few rows whole ones go to and fro.
        found, before = (found + later) / 2, found
        if abs(found - before) <= 1e-12 * found:
            break
    return found


def sample_size(delta: float, sd: float, level: float, power: float, freedom: float = 1.0) -> float:
    """The smallest number of rows with which a paired t-test has the power.

    Parameters
    ----------
    delta, sd, level, power, freedom
        As in `approximate_size`.

    Returns
    -------
    float
        A whole number of at least 2; infinite where the difference is not above 0, or no number
        that anybody could ask is enough.

    Examples
    --------
    >>> sample_size(0.5, 1.0, 0.025, 0.8), sample_size(0.06, 0.47, 0.025, 0.8)
    (34.0, 484.0)
    """
    start = approximate_size(delta, sd, level, power, freedom)
    if not start < _MOST:
        return math.inf
    n = max(math.ceil(start), 2)
    while n > 2 and paired_power(delta, sd, n - 1, level, freedom) >= power:
        n -= 1
    while paired_power(delta, sd, n, level, freedom) < power:
        n += 1
    return float(n)


def needed_by_pilot(
    delta: float, se: float, n: float, level: float, power: float, df: float = math.inf
) -> Needed:
    """Rows that show the difference of a pilot, as far as the pilot knows it.

    Parameters
    ----------
    delta, se : float
        Difference in the pilot, above 0, and its standard error.
    n : float
        Rows of the pilot.
    level, power : float
        Error rate of one side, and the probability to show the difference.
    df : float
        Degrees of freedom of `se`; infinite: normal.

    Returns
    -------
    Needed
        `safe` and the interval take the ends of one-sided 80 % and two-sided 95 % intervals of the
        true difference in place of the observed one: what was observed reaches the power half of
        the time only. The spread is taken as known.

    Examples
    --------
    43 wins and 24 losses in 300 items:

    >>> delta, sd = 19 / 300, math.sqrt((67 - 19**2 / 300) / 299)
    >>> [round(x) for x in needed_by_pilot(delta, sd / math.sqrt(300), 300, 0.025, 0.8, 299)]
    [433, 1055, 129, 17155]
    """
    sd, freedom = se * math.sqrt(n), (df + 1) / n
    ends = [critical_value(rate, df) * se for rate in (1 - SURE, (1 - _INTERVAL) / 2)]
    return Needed(
        *(
            sample_size(delta + float(shift), sd, level, power, freedom)
            for shift in (0.0, -ends[0], ends[1], -ends[1])
        )
    )


def needed_for_effect(
    effect: float,
    sd: float,
    n: float,
    level: float,
    power: float,
    *,
    df: float,
    discordant: float | None = None,
) -> Needed:
    """Rows that show a supposed difference; what is unsure is the spread in the pilot.

    Parameters
    ----------
    effect : float
        The supposed difference, above 0.
    sd, n, df : float
        Spread of differences in the pilot, its rows and degrees of freedom.
    level, power : float
        As in `needed_by_pilot`.
    discordant : float, optional
        Share of rows on which answers of 0 and 1 differ. Its Wilson interval is that of the
        spread then; else that of a normal variance.

    Examples
    --------
    >>> [round(x) for x in needed_for_effect(0.05, 0.5, 300, 0.025, 0.8, df=299.0)]
    [787, 846, 675, 930]
    """
    freedom = (df + 1) / n

    def size(variance: float) -> float:
        return sample_size(effect, math.sqrt(max(variance, 0.0)), level, power, freedom)

    shares = (1 - SURE, 1 - (1 - _INTERVAL) / 2, (1 - _INTERVAL) / 2)
    if discordant is not None and 0 < discordant < 1:
        upper, low, high = (_wilson(discordant, n, share) for share in shares)
        scale = sd**2 / discordant
        return Needed(*(size(scale * one) for one in (discordant, upper, low, high)))
    if math.isinf(df):
        return Needed(size(sd**2), math.nan, math.nan, math.nan)
    upper, low, high = (sd**2 * df / float(chdtri(df, 1 - share)) for share in shares)
    return Needed(size(sd**2), size(upper), size(low), size(high))


def _wilson(share: float, n: float, level: float) -> float:
    """The end of Wilson's interval with `level` of the error rate above it."""
    z = float(critical_value(min(level, 1 - level), math.inf))
    low, high = wilson_ends(np.array([share]), np.array([n]), z)
    return float((high if level < 0.5 else low)[0])


def variance_share(part: float, whole: float, df: float) -> tuple[float, float, float]:
    """Share of a variance that a known part of it has, with a 95 % interval.

    Parameters
    ----------
    part : float
        The part, taken as known.
    whole, df : float
        An estimate of the whole, of normal values, and its degrees of freedom.

    Returns
    -------
    (float, float, float)
        Share and ends, each at most 1.

    Examples
    --------
    >>> [round(one, 2) for one in variance_share(1.0, 4.0, 13)]
    [0.25, 0.1, 0.48]
    """
    share = part / whole
    ends = (float(chdtri(df, 1 - level)) / df for level in (0.025, 0.975))
    low, high = (min(share * end, 1.0) for end in ends)
    return min(share, 1.0), low, high


def discordance_bound(p: float, q: float) -> float:
    """Largest share of items on which two models with these rates of right answers can differ.

    Examples
    --------
    >>> round(discordance_bound(0.7, 0.65), 2)
    0.65
    """
    return min(p + q, 2 - p - q)


def error_covariance(se: NDArray[np.float64]) -> NDArray[np.float64]:
    """Covariance of errors of means whose differences have these standard errors.

    Parameters
    ----------
    se : array of float, shape (M, M)
        Of all differences.

    Returns
    -------
    array of float, shape (M, M)
        Rows sum to 0: what is common to all models does not show in differences. Where the errors
        fit no covariance, the nearest one.

    Examples
    --------
    >>> error_covariance(np.array([[0.0, 2.0], [2.0, 0.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    squares = np.square(se)
    rows = squares.mean(axis=1)
    covariance = (rows[:, None] + rows[None, :] - squares - squares.mean()) / 2
    values, vectors = np.linalg.eigh(covariance)
    if values[0] >= -1e-12 * max(values[-1], 0.0):
        return np.asarray(covariance)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)


def family_size(
    difference: NDArray[np.float64],
    se: NDArray[np.float64],
    loads: NDArray[np.float64],
    normals: NDArray[np.float64],
    n: float,
    level: float,
    power: float,
    df: float = math.inf,
) -> Needed:
    """Rows that show all of several differences at once.

    Parameters
    ----------
    difference, se : array of float, shape (P,)
        Differences in the pilot, positive in the direction that is to be shown; standard errors.
    loads : array of float, shape (R, P)
        What makes the errors of the differences of R independent standard normal numbers.
    normals : array of float, shape (B, R)
        Draws of these.
    n, df : float
        Rows of the pilot and degrees of freedom of its errors.
    level, power : float
        Error rate of one side of each pair; probability that all are shown.

    Returns
    -------
    Needed
        In a draw all pairs are shown from ``max((t(level) - error) sd / delta)²`` rows on; the
        number needed is the quantile of that over draws, of the hardest 300 pairs. `safe` and the
        interval take ends of intervals of all differences that hold at once.
    """
    if len(difference) == 1:
        return needed_by_pilot(float(difference[0]), float(se[0]), n, level, power, df)
    above, apart = (np.zeros(len(normals)) for _ in range(2))
    for block in row_blocks(len(se), len(normals), _CELLS):
        scaled = normals @ (loads[:, block] / se[block])
        np.maximum(above, scaled.max(axis=1), out=above)
        np.maximum(apart, np.abs(scaled).max(axis=1), out=apart)
    # Errors of few rows are themselves unsure: by as much as a tail of t is longer.
    sure, wide = (
        float(np.quantile(worst, share) * critical_value(tail, df) / critical_value(tail, math.inf))
        for worst, share, tail in (
            (above, SURE, 1 - SURE),
            (apart, _INTERVAL, (1 - _INTERVAL) / 2),
        )
    )
    # However far the ends are, the same pairs are the hardest.
    hardest = np.argsort(difference / se, kind="stable")[:_HARDEST]
    difference, se = difference[hardest], se[hardest]
    scaled, freedom = normals @ (loads[:, hardest] / se), (df + 1) / n

    def size(shift: float) -> float:
        shown = difference + shift * se
        if not (shown > 0).all():
            return math.inf
        ratio, found = se * math.sqrt(n) / shown, float(n)
        for _ in range(_FIXED_POINTS):
            critical = float(critical_value(level, max(found * freedom - 1, 2.0)))
            roots = np.maximum((critical - scaled) * ratio, 0.0).max(axis=1)
            later = float(np.quantile(roots, power)) ** 2
            found, before = (found + later) / 2, found
            if abs(found - before) <= 1e-4 * found:
                break
        # Never fewer than the hardest by itself, which draws could say.
        alone = sample_size(1.0, float(ratio.max()), level, power, freedom)
        return max(float(math.ceil(found)), alone)

    return Needed(size(0.0), size(-sure), size(wide), size(-wide))


def answers_for_items(
    item_variance: float, answer_variance: float, variance: float, most_items: float
) -> float:
    """Answers per item that reach a variance of the mean where no more items exist.

    Returns
    -------
    float
        A whole number; infinite where items, not answers, are the limit.

    Examples
    --------
    >>> answers_for_items(0.1, 0.15, 0.0008, 200), answers_for_items(0.1, 0.15, 0.0005, 200)
    (3.0, inf)
    """
    left = most_items * variance - item_variance
    if left <= 0:
        return math.inf
    return float(max(math.ceil(answer_variance / left - 1e-9), 1))


def separated_neighbours(
    score: NDArray[np.float64],
    se: NDArray[np.float64],
    n: float,
    sizes: NDArray[np.float64],
    level: float,
    normals: NDArray[np.float64],
) -> NDArray[np.int64]:
    """How many neighbours in the order would be told apart with other numbers of rows.

    Parameters
    ----------
    score : array of float, shape (M,)
        Means in the pilot.
    se : array of float, shape (M, M)
        Standard errors of their differences.
    n : float
        Rows of the pilot.
    sizes : array of float, shape (S,)
        Numbers of rows.
    level : float
        Error rate of one side of a pair.
    normals : array of float, shape (3, B, M)
        Standard normal numbers: for what is true, for what is seen then, and for how widely true
        scores spread.

    Returns
    -------
    array of int, shape (B, S)
        One count per draw and size, of M - 1 neighbours.

    Notes
    -----
    True scores are drawn given the pilot: observed ones are drawn towards their mean as far as
    their spread is that of errors, since observed gaps are wider than true ones. The prior is
    normal, and its variance what a chi-square draw leaves of the observed spread; for two models
    it is flat. Then a board of each size is drawn, ordered, and its neighbours tested with a normal
    tail.
    """
    covariance = error_covariance(se)
    values, vectors = np.linalg.eigh(covariance)
    values = np.maximum(values, 0.0)
    size = len(score)
    seen_parts = vectors.T @ (score - score.mean())
    kept = np.ones((normals.shape[1], size))
    if size > 2:
        total = float(seen_parts @ seen_parts) / np.square(normals[2, :, 1:]).sum(axis=1)
        spread = np.maximum(total - values.sum() / (size - 1), 0.0)[:, None]
        np.divide(spread, spread + values, out=kept, where=spread + values > 0)
    truth = (kept * seen_parts + np.sqrt(kept * values) * normals[0]) @ vectors.T
    noise = (normals[1] * np.sqrt(values)) @ vectors.T
    critical = float(critical_value(level, math.inf))
    counts = np.empty((len(truth), len(sizes)), dtype=np.int64)
    for column, rows in enumerate(sizes):
        shrunk = math.sqrt(n / rows)
        seen = truth + noise * shrunk
        order = np.argsort(-seen, axis=1, kind="stable")
        ahead, behind = order[:, :-1], order[:, 1:]
        gaps = np.take_along_axis(seen, ahead, 1) - np.take_along_axis(seen, behind, 1)
        counts[:, column] = (gaps >= critical * shrunk * se[ahead, behind]).sum(axis=1)
    return counts
