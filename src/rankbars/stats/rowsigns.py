"""Signs that rows are not what a test takes them for: alike, or a few weigh heavily.

Residuals are what is left of scores when the level of every row and of every model is taken away.
Rows whose residuals point the same way as those beside them, or those of their group, bring less
than independent rows do. What chance does to such a statistic is known exactly: the mean and the
variance over all orders of the rows have closed forms, so nothing is drawn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "PairThirds",
    "Resemblance",
    "group_resemblance",
    "neighbour_resemblance",
    "pair_moments",
    "residuals",
    "skewness_index",
]

_MOST_MODELS = 300  # of more, as many evenly spaced ones stand for the field
_MOST_CELLS = 5e7  # rows times pairs of models that are looked at
_NO_SPREAD = 1e-9  # of the largest variance: less is rounding


_BLOCK = 10  # rows in a block whose sums say how much wider an error is


class Resemblance(NamedTuple):
    """How much rows resemble each other.

    Attributes
    ----------
    correlation : float
        Of neighbouring rows, or of rows of one group.
    z : float
        By how many standard deviations of chance it lies above what chance gives.
    widening : float
        How many times larger the standard error of a mean is than for independent rows.
    """

    correlation: float
    z: float
    widening: float


def residuals(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores without the level of their row and of their model; 0 where there is none.

    Parameters
    ----------
    values : array of float, shape (n, M)
        Scores; NaN where there is none.

    Examples
    --------
    >>> residuals(np.array([[1.0, 0.0], [0.0, 0.0]])).tolist()
    [[0.25, -0.25], [-0.25, 0.25]]
    """
    missing = np.isnan(values)
    if values.size and not missing.any():
        centred: NDArray[np.float64] = values - values.mean(axis=1, keepdims=True)
        centred -= centred.mean(axis=0)
        return centred
    left = np.where(missing, 0.0, values)
    left -= (left.sum(axis=1) / np.maximum((~missing).sum(axis=1), 1))[:, None]
    left[missing] = 0.0
    left -= left.sum(axis=0) / np.maximum((~missing).sum(axis=0), 1)
    left[missing] = 0.0
    return left


def neighbour_resemblance(
    errors: NDArray[np.float64], above: float = -np.inf
) -> Resemblance | None:
    """Resemblance of consecutive rows; None where residuals have no spread.

    Parameters
    ----------
    errors : array of float, shape (n, M)
        Residuals, in the order of the rows.
    above : float
        Smaller correlations, and this one, are None.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> alike = np.repeat(rng.normal(size=(50, 4)), 4, axis=0)
    >>> found = neighbour_resemblance(residuals(alike))
    >>> round(found.correlation, 2), found.z > 3, round(found.widening, 1)
    (0.76, True, 1.9)
    """
    n = len(errors)
    trace = float(np.vdot(errors, errors))
    if n < 3 or trace <= 0.0:
        return None
    total = 2.0 * float(np.vdot(errors[:-1], errors[1:]))
    if total / 2.0 / trace <= above:
        return None
    degrees = np.full(n, 2.0)
    degrees[[0, -1]] = 1.0
    z = _standardised(errors, total, 2.0 * (n - 1), degrees)
    blocks = n // _BLOCK
    sums = errors[: blocks * _BLOCK].reshape(blocks, _BLOCK, errors.shape[1]).sum(axis=1)
    own = errors.var(axis=0).sum()
    wider = np.sqrt(sums.var(axis=0).sum() / (_BLOCK * own)) if blocks > 1 else np.nan
    return Resemblance(total / 2.0 / trace, z, float(wider))


def group_resemblance(
    errors: NDArray[np.float64], groups: NDArray[np.int64], above: float = -np.inf
) -> Resemblance | None:
    """Resemblance of rows of one group; None where no group has two rows, or nothing varies.

    Parameters
    ----------
    errors : array of float, shape (n, M)
        Residuals.
    groups : array of int, shape (n,)
        Group of each row, numbered from 0.
    above : float
        Smaller widenings, and this one, are None.

    Notes
    -----
    The correlation is the intraclass one, corrected for what centring takes away,
    ``1 / (n - 1)``; the widening is the root of the design effect
    ``1 + (sum m_g^2 / n - 1) * correlation`` for groups of ``m_g`` rows.

    Examples
    --------
    >>> x = [[1, 0, 1], [1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 1, 1], [0, 0, 0], [1, 1, 1], [1, 0, 1]]
    >>> found = group_resemblance(residuals(np.array(x, float)), np.array([0, 0, 0, 1, 1, 2, 2, 2]))
    >>> round(found.correlation, 6), round(found.widening**2, 6)
    (0.233766, 1.409091)
    """
    n = len(errors)
    sizes = np.bincount(groups).astype(np.float64)
    pairs = float((sizes * (sizes - 1)).sum())
    own = np.square(errors).sum(axis=1)
    trace = float(own.sum())
    if n < 4 or pairs == 0.0 or trace <= 0.0:
        return None
    sums = np.zeros((len(sizes), errors.shape[1]))
    np.add.at(sums, groups, errors)
    total = float(np.square(sums).sum()) - trace
    icc = total / pairs / (trace / n) + 1.0 / (n - 1)
    effect = 1.0 + (float(np.square(sizes).sum()) / n - 1.0) * icc
    wider = float(np.sqrt(max(effect, 0.0)))
    if wider <= above:
        return None
    z = _standardised(errors, total, pairs, sizes[groups] - 1.0)
    return Resemblance(icc, z, wider)


def _standardised(
    errors: NDArray[np.float64], total: float, weight: float, degrees: NDArray[np.float64]
) -> float:
    """A sum of products of rows, in standard deviations above its mean over all orders of rows.

    Parameters
    ----------
    errors : array of float, shape (n, M)
        Residuals, with the Gram matrix G of their rows.
    total : float
        Sum of ``w[a, b] * G[a, b]`` over ordered pairs, for weights of 0 and 1.
    weight : float
        Sum of the weights.
    degrees : array of float, shape (n,)
        Sums of the rows of the weights.

    Notes
    -----
    With A the sum of G[a, b]^2, B that of G[a, b] G[b, c] and C that of G[a, b] G[c, d] over
    different rows, the second moment is ``2 w A + 4 v B + u C``, each divided by the number of its
    tuples, where v and u count the same tuples of weights. Only sums over models are formed.
    """
    n = float(len(errors))
    own = np.square(errors).sum(axis=1)
    smaller = errors.T @ errors if errors.shape[1] <= len(errors) else errors @ errors.T
    squares = float(np.square(smaller).sum()) - float(np.square(own).sum())
    others = errors @ errors.sum(axis=0) - own
    chains = float(np.square(others).sum()) - squares
    whole = float(others.sum())
    apart = whole**2 - 4.0 * chains - 2.0 * squares
    v = float(np.square(degrees).sum()) - weight
    u = weight**2 - 4.0 * v - 2.0 * weight
    mean = weight * whole / (n * (n - 1))
    second = 2.0 * weight * squares / (n * (n - 1)) + 4.0 * v * chains / (n * (n - 1) * (n - 2))
    if n > 3:
        second += u * apart / (n * (n - 1) * (n - 2) * (n - 3))
    variance = second - mean**2
    return (total - mean) / float(np.sqrt(variance)) if variance > 0 else 0.0


def skewness_index(values: NDArray[np.float64]) -> float:
    """The 90th percentile over pairs of ``|skewness| / sqrt(n)`` of their differences.

    Parameters
    ----------
    values : array of float, shape (n, M)
        Scores of M models on n rows; NaN where there is none. A pair is looked at on the rows that
        both have.

    Returns
    -------
    float
        0 where no pair has differences that vary on two rows or more.

    Notes
    -----
    A single pair cannot show its own tail on few rows, hence the whole field. Pairs without spread
    are left out.

    Examples
    --------
    >>> rows = np.zeros((10, 2))
    >>> rows[0, 0] = 25.0
    >>> round(skewness_index(rows), 3)
    0.843
    """
    most = min(_MOST_MODELS, int(np.sqrt(_MOST_CELLS / max(len(values), 1))))
    if values.shape[1] > most:
        values = values[:, np.linspace(0, values.shape[1] - 1, most).astype(np.intp)]
    upper = np.triu_indices(values.shape[1], k=1)
    count, variance, third = (table[upper] for table in pair_moments(values))
    usable = (count >= 2) & (variance > _NO_SPREAD * variance.max(initial=0.0))
    if not usable.any():
        return 0.0
    size = np.abs(third[usable]) / variance[usable] ** 1.5 / np.sqrt(count[usable])
    return float(np.quantile(size, 0.9))


class PairThirds(NamedTuple):
    """Rows of every pair, and the second and third central moment of its differences."""

    rows: NDArray[np.float64]
    variance: NDArray[np.float64]
    third: NDArray[np.float64]


def pair_moments(values: NDArray[np.float64]) -> PairThirds:
    """Central moments of the differences of all pairs, on the rows that both have.

    Parameters
    ----------
    values : array of float, shape (n, M)
        Scores; NaN where there is none.

    Examples
    --------
    >>> made = pair_moments(np.array([[3.0, 0.0], [0.0, 0.0], [0.0, 0.0]]))
    >>> made.variance[0, 1].item(), made.third[0, 1].item(), made.third[1, 0].item()
    (2.0, 2.0, -2.0)
    """
    seen = ~np.isnan(values)
    # Rows and columns are centred first, so that large levels leave no rounding in third powers.
    held = residuals(values)
    largest = np.abs(held).max(initial=0.0)
    held /= largest if largest > 0 else 1.0
    square = held**2
    mixed = square.T @ held
    if seen.all():  # sums over the rows of a pair are those over all rows
        models = values.shape[1]
        sums = held.sum(axis=0), square.sum(axis=0), np.einsum("ij,ij->j", square, held)
        first, second, third = (np.broadcast_to(one[:, None], (models, models)) for one in sums)
        count = np.full((models, models), float(max(len(values), 1)))
    else:
        mask = seen.astype(np.float64)
        # One power at a time: each is as large as the rows.
        third, second, first = (held * square).T @ mask, square.T @ mask, held.T @ mask
        count = np.maximum(mask.T @ mask, 1.0)
        del mask
    del square
    mean = (first - first.T) / count
    raw = (second + second.T - 2.0 * held.T @ held) / count
    raw_third = (third - third.T - 3.0 * (mixed - mixed.T)) / count
    variance = largest**2 * np.maximum(raw - mean**2, 0.0)
    central = largest**3 * (raw_third - 3.0 * mean * raw + 2.0 * mean**3)
    return PairThirds(count, variance, central)
