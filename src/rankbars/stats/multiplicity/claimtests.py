"""Claims of several parts, and several claims with one error rate; of p-values.

A claim has two nulls: that it is false, which is rejected to support it, and that it is true,
which is rejected to refute it. A claim that all parts hold takes the largest p-value
(intersection-union); that it fails somewhere, the smallest times their number.

Sources: Berger 1982 (intersection-union); Benjamini and Heller 2008 (at least u of m); Simes 1986;
Holm 1979.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankbars.errors import OptionError

__all__ = [
    "Judgement",
    "TwoSides",
    "all_hold",
    "at_least",
    "holm_level",
    "judge_sides",
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
    ordered = np.sort(np.asarray(p, dtype=np.float64))
    rejected = 0
    while rejected < ordered.size and ordered[rejected] <= alpha / (ordered.size - rejected):
        rejected += 1
    return alpha / max(ordered.size - rejected, 1)


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
