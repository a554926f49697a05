"""Tests of claims: of one beyond a border, of several parts, of several with one error rate.

A claim has two nulls: that it is false, which is rejected to support it, and that it is true,
which is rejected to refute it. A claim that all parts hold takes the largest p-value
(intersection-union); that it fails somewhere, the smallest times their number.

A border is judged by the t-test of the shifted difference where rows have many values. Answers of
0 and 1 have few rows that differ, and the spread of the sample says too little about a border that
the sample does not touch: two models that agree on all of 50 rows may still differ by 1 %. There
the spread under the null counts, too, and the larger p-value.

Sources: Berger 1982 (intersection-union); Benjamini and Heller 2008 (at least u of m); Simes 1986;
Holm 1979.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from rankbars.errors import OptionError
from rankbars.stats.multiplicity.stepdown import holm_rejects
from rankbars.stats.multiplicity.symmetricbootstrap import symmetric_p
from rankbars.stats.tails import critical_of_draws, critical_value, upper_tail

__all__ = [
    "Difference",
    "Judgement",
    "TwoSides",
    "all_hold",
    "at_least",
    "bet_on",
    "chance_if_equal",
    "half_width",
    "holm_level",
    "judge_sides",
    "null_error",
    "p_beyond",
    "top_places",
]

Judgement: TypeAlias = Literal["supported", "refuted", "cannot_tell"]


class TwoSides(NamedTuple):
    """P-values of a claim: small where it is supported, small where it is refuted."""

    support: float
    refute: float


def all_hold(parts: Sequence[TwoSides]) -> TwoSides:
    """That every part holds.

    Examples
    --------
    >>> all_hold([TwoSides(0.01, 0.9), TwoSides(0.03, 0.6)])
    TwoSides(support=0.03, refute=1.0)
    """
    return TwoSides(
        max(part.support for part in parts),
        min(1.0, len(parts) * min(part.refute for part in parts)),
    )


def at_least(parts: Sequence[TwoSides], least: int, *, independent: bool) -> TwoSides:
    """That at least so many of the parts hold (partial conjunction).

    Parameters
    ----------
    parts : sequence of TwoSides
        One for each of m parts.
    least : int
        Number u of parts that must hold, 1 to m.
    independent : bool
        Whether the parts are independent of each other (or positively dependent), so that Simes
        holds; else Bonferroni.

    Examples
    --------
    >>> parts = [TwoSides(p, 1 - p) for p in (0.001, 0.004, 0.03, 0.2, 0.6)]
    >>> at_least(parts, 3, independent=True).support
    0.09
    """
    m = len(parts)
    if not 1 <= least <= m:
        raise OptionError.out_of_range("the number of parts that must hold", least, f"1 to {m}")
    combine = _simes if independent else _bonferroni
    support = sorted(part.support for part in parts)[least - 1 :]
    refute = sorted(part.refute for part in parts)[m - least :]
    return TwoSides(combine(support), combine(refute))


def top_places(over: Sequence[float], under: Sequence[float], k: int) -> TwoSides:
    """That a model is among the first k of M.

    Parameters
    ----------
    over, under : sequence of float, length M - 1
        P-values that the model is better than each other one, and that each other is better.
    k : int
        The place, 1 to M - 1.

    Notes
    -----
    In the top k, at most k - 1 models are better, so it is better than (or level with) at least
    M - k; out of it, at least k are better.

    Examples
    --------
    >>> top_places([0.0004, 0.002, 0.01, 0.3], [0.9] * 4, 2).support
    0.02
    """
    others = len(over)
    if not 1 <= k <= others:
        raise OptionError.out_of_range("k", k, f"1 to {others}")
    support = k * sorted(over)[others - k]
    refute = (others + 1 - k) * sorted(under)[k - 1]
    return TwoSides(min(1.0, support), min(1.0, refute))


def holm_level(p: ArrayLike, alpha: float) -> float:
    """Level that Holm's procedure holds each of these p-values to in the end.

    Every null with a p-value at or below it is rejected, and no other.

    Examples
    --------
    >>> holm_level([0.001, 0.02, 0.9, 0.3], 0.025)
    0.008333333333333333
    """
    rejected = holm_rejects(np.asarray(p, dtype=np.float64), alpha)
    return alpha / max(rejected.size - int(rejected.sum()), 1)


def judge_sides(
    sides: Sequence[TwoSides], alpha: float, *, together: bool = True
) -> tuple[list[Judgement], float, float]:
    """Verdicts about claims: supported, refuted or cannot_tell.

    Parameters
    ----------
    sides : sequence of TwoSides
        P-values of each claim.
    alpha : float
        Error rate: of all verdicts together, or of each.
    together : bool
        Whether all verdicts hold together: Holm over all claims, half of `alpha` for what is
        supported and half for what is refuted.

    Returns
    -------
    list of {"supported", "refuted", "cannot_tell"}, float, float
        The verdicts; the levels that the p-values of either side were held to in the end.

    Notes
    -----
    A claim that is supported and refuted at once cannot be told. All verdicts are right with
    probability ``1 - alpha`` or more, however the claims depend on each other.

    Examples
    --------
    >>> given = zip((0.001, 0.02, 0.9, 0.3), (0.999, 0.98, 0.004, 0.7))
    >>> judge_sides([TwoSides(*one) for one in given], 0.05)[0]
    ['supported', 'cannot_tell', 'refuted', 'cannot_tell']
    """
    if together:
        support = holm_level([one.support for one in sides], alpha / 2)
        refute = holm_level([one.refute for one in sides], alpha / 2)
    else:
        support = refute = alpha / 2
    verdicts: list[Judgement] = []
    for one in sides:
        shown, denied = one.support <= support, one.refute <= refute
        if shown == denied:
            verdicts.append("cannot_tell")
        else:
            verdicts.append("supported" if shown else "refuted")
    return verdicts, support, refute


def _simes(ordered: Sequence[float]) -> float:
    m = len(ordered)
    return min(1.0, *(m * p / (rank + 1) for rank, p in enumerate(ordered)))


def _bonferroni(ordered: Sequence[float]) -> float:
    return min(1.0, len(ordered) * ordered[0])


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
        return float(critical_of_draws(found.resampled, level)) * found.se
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
