"""Whether a mean difference lies beyond a border that is not zero, and how far it may reach.

The t-test of the shifted difference serves for rows of many values. Answers of 0 and 1 have few
rows that differ, and the spread of the sample says too little about a border that the sample does
not touch: two models that agree on all of 50 rows may still differ by 1 %. There the spread under
the null counts, too, and the larger p-value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from rankbars.stats.averaging.allpairs import upper_order_statistic
from rankbars.stats.multiplicity.symmetricbootstrap import symmetric_p
from rankbars.stats.tails import critical_value, upper_tail

__all__ = ["Difference", "bet_on", "chance_if_equal", "half_width", "null_error", "p_beyond"]


_SHARES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7)  # of the capital, fixed in advance


class Difference(NamedTuple):
    """A mean difference, and what it is judged by.

    Attributes
    ----------
    value, se, df : float
        The difference, its standard error (NaN or 0 without spread) and degrees of freedom.
    resampled : array of float, shape (B,), optional
        Largest ``|t|`` of each resample, ascending, where they decide instead of t.
    """

    value: float
    se: float
    df: float
    resampled: NDArray[np.float64] | None = None


def p_beyond(found: Difference, border: float, null: tuple[float, float] | None = None) -> float:
    """One-sided p-value that the true difference is above the border.

    Parameters
    ----------
    found : Difference
        What was observed.
    border : float
        The largest difference under the null.
    null : (float, float), optional
        Standard error of the difference if the border is the truth, and its degrees of freedom.

    Returns
    -------
    float
        1 where nothing varies and no error under the null is known.

    Examples
    --------
    Two models agree on all of 50 rows; are they within .01? The chance of that many agreements is
    at least ``0.99**50``, about .6, if they differ by as much.

    >>> p = p_beyond(Difference(0.0, 0.0, 49.0), -0.01, null_error(-0.01, [(1.0, 0.0, 50)]))
    >>> p > 0.2
    True
    """
    distance = found.value - border
    spread = found.se > 0 and found.df > 0
    if not spread and null is None:
        return 1.0
    p = 0.0
    if spread:
        t = distance / found.se
        if found.resampled is None:
            p = float(upper_tail(t, found.df))
        else:
            p = symmetric_p(t, found.resampled) if t > 0 else 1.0
    if null is not None:
        p = max(p, float(upper_tail(distance / null[0], null[1])))
    return p


def bet_on(differences: ArrayLike, border: float, reach: float) -> float:
    """P-value that the true mean is above the border, valid however often new rows are added.

    Parameters
    ----------
    differences : array of float, shape (n,)
        Independent rows, all of them since the first look.
    border : float
        The largest mean under the null.
    reach : float
        No difference is farther from 0 than that.

    Notes
    -----
    A gambler bets shares of the capital on rows above the border; under the null the capital is a
    martingale that seldom grows (Ville 1939): at any look the p-value is one over it.

    Examples
    --------
    >>> round(bet_on([0.5, 0.25, 0.0, 0.75, 0.5, 0.25, 0.5, 1.0], 0.0, 1.0), 4)
    0.3269
    """
    scaled = (np.asarray(differences, dtype=np.float64) - border) / (reach + abs(border))
    logs = np.array([np.log1p(share * scaled).sum() for share in _SHARES])
    return float(min(1.0, np.exp(math.log(len(_SHARES)) - np.logaddexp.reduce(logs))))


def half_width(found: Difference, level: float) -> float:
    """How far a one-sided bound at this level is from the difference; NaN without spread."""
    if not (found.se > 0 and found.df > 0):
        return math.nan
    if found.resampled is not None:
        return upper_order_statistic(found.resampled, level) * found.se
    return float(critical_value(level, found.df)) * found.se


def null_error(border: float, tasks: Sequence[tuple[float, float, int]]) -> tuple[float, float]:
    """Standard error of a difference of 0/1 answers whose truth is the border, and its df.

    Parameters
    ----------
    border : float
        The true difference, between -1 and 1, on each task.
    tasks : sequence of (float, float, int)
        For each task its weight, the share of rows that speak for the other side of zero than the
        border lies on, and the number of rows.

    Notes
    -----
    A difference of -1, 0 or 1 with mean m has the mean square ``|m| + 2 q``, q the share of rows
    on the other side. Over tasks variances add up with squared weights.
    """
    variance = math.fsum(
        weight**2 * (abs(border) + 2.0 * share - border**2) / rows for weight, share, rows in tasks
    )
    return math.sqrt(variance), float(sum(rows - 1 for _, _, rows in tasks))


def chance_if_equal(margin: float, se: float, level: float) -> float:
    """Probability that two equal models are shown to be within a margin, on one side.

    Parameters
    ----------
    margin : float
        How much worse the one may be.
    se : float
        Standard error of the difference, taken as known and normal.
    level : float
        Error rate of the one-sided test.

    Examples
    --------
    >>> round(chance_if_equal(0.01, 0.006, 0.05), 3)
    0.509
    """
    return float(ndtr(margin / se - critical_value(level, math.inf)))
