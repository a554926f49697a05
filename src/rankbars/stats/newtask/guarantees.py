"""What a rank prediction interval promises: exact index arithmetic on error rates.

All rates are decimals as they are written: 0.3 means 3/10, not the binary number nearest to it.
In binary floating point the index of an order statistic is off by one for some rates
(99 tasks at 0.58 would get 28 instead of 29).

Source: Neuhof & Benjamini 2026, Definition 3.2 and Theorem 3.3, with the sharper division by
``1 - side level`` in place of adding the task-level rate.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from rankbars.calls import check_name
from rankbars.errors import DataError, OptionError

__all__ = [
    "Budget",
    "Rate",
    "exact_rate",
    "guarantee",
    "joint_index",
    "miss_bound",
    "order_index",
    "smallest_number_of_tasks",
    "split_budget",
    "split_index",
]


Rate = float | str | Fraction | Decimal
"""An error rate; floats and strings are read as exact decimals."""


def exact_rate(alpha: Rate, name: str = "alpha") -> Fraction:
    """Error rate as the exact decimal that was written.

    Parameters
    ----------
    alpha : float, str, Fraction or Decimal
        A rate strictly between 0 and 1.
    name : str
        What the error message calls it.

    Returns
    -------
    Fraction
        The rate.

    Raises
    ------
    OptionError
        If it is not a number strictly between 0 and 1.

    Examples
    --------
    >>> exact_rate(0.3)
    Fraction(3, 10)
    """
    try:
        # str() of a float is its shortest decimal, which is what the caller wrote.
        exact = isinstance(alpha, Fraction | Decimal)
        rate = Fraction(alpha) if exact else _read_decimal(str(alpha))
    except (ValueError, OverflowError, ZeroDivisionError) as error:
        raise OptionError.out_of_range(name, alpha, "a number between 0 and 1") from error
    if not 0 < rate < 1:
        raise OptionError.out_of_range(name, alpha, "strictly between 0 and 1")
    return rate


@lru_cache(maxsize=64)
def _read_decimal(text: str) -> Fraction:
    """The number in `text`; the same few rates are read once for every prediction."""
    return Fraction(text)


def order_index(n_tasks: int, alpha: Rate) -> int:
    """Index k of the order statistics of the quantile merge: ``floor((N + 1) alpha / 2)``.

    Parameters
    ----------
    n_tasks : int
        N, number of tasks.
    alpha : float, str, Fraction or Decimal
        Error rate of the prediction interval, both sides together.

    Returns
    -------
    int
        The interval runs from the k-th smallest ``best`` to the k-th largest ``worst``;
        0 stands for the trivial interval.

    Raises
    ------
    DataError
        If there is no task.
    OptionError
        If `alpha` is not strictly between 0 and 1.

    Examples
    --------
    >>> order_index(20, 0.3), order_index(99, 0.58), order_index(5, 0.3)
    (3, 29, 0)
    """
    return math.floor((_check_count(n_tasks) + 1) * exact_rate(alpha) / 2)


def joint_index(n_tasks: int, alpha: Rate) -> int:
    """Number of intervals, of N + 1, that the joint merge may leave out: ``floor((N + 1) alpha)``.

    Parameters
    ----------
    n_tasks, alpha
        As in `order_index`.

    Returns
    -------
    int
        0 stands for the trivial interval.

    Raises
    ------
    DataError, OptionError
        As in `order_index`.

    Examples
    --------
    >>> joint_index(9, 0.1), joint_index(8, 0.1)
    (1, 0)
    """
    return math.floor((_check_count(n_tasks) + 1) * exact_rate(alpha))


def split_index(n_tasks: int, alpha: Rate) -> tuple[int, int]:
    """Sizes that the split score uses: tasks that set the centres, and index of the quantile.

    Parameters
    ----------
    n_tasks, alpha
        As in `order_index`.

    Returns
    -------
    n_first : int
        The first ``floor(N / 2)`` tasks set centres and scales.
    k : int
        ``ceil((n2 + 1) (1 - alpha))`` among the other n2 tasks; 0 stands for the trivial interval.

    Raises
    ------
    DataError, OptionError
        As in `order_index`.

    Examples
    --------
    >>> split_index(20, 0.3), split_index(3, 0.3)
    ((10, 8), (1, 0))
    """
    n_first = _check_count(n_tasks) // 2
    n_second = n_tasks - n_first
    k = math.ceil((n_second + 1) * (1 - exact_rate(alpha)))
    return n_first, k if n_first > 0 and k <= n_second else 0


def miss_bound(merge: str, n_tasks: int, alpha: Rate) -> Fraction:
    """Bound on the probability that the new task's interval leaves the prediction interval.

    Parameters
    ----------
    merge : {"quantile", "union", "joint", "family", "simultaneous"}
        The merge. The last one speaks of all models at once, the others of one model.
        A weighted merge has a bound of its own, `weighted_miss_bound`.
    n_tasks : int
        Number of tasks; for "family" the number of families.
    alpha : float, str, Fraction or Decimal
        Error rate of the merge; the union does not use it.

    Returns
    -------
    Fraction
        q; 0 where the interval is trivial, for whatever data.

    Raises
    ------
    UnknownOptionError
        If the merge is not known.
    DataError
        If there is no task.
    OptionError
        If `alpha` is not strictly between 0 and 1.

    Notes
    -----
    Tasks must be exchangeable with the new one; for "family", families with the new family.

    Examples
    --------
    >>> miss_bound("quantile", 47, 0.5), miss_bound("joint", 8, 0.1)
    (Fraction(1, 2), Fraction(0, 1))
    """
    check_name("merge", merge, _MISS_BOUNDS)
    return _MISS_BOUNDS[merge](_check_count(n_tasks), exact_rate(alpha))


def guarantee(q: Fraction, side_level: Rate | int) -> float:
    """Probability that the prediction interval contains the true rank set on a new task.

    Parameters
    ----------
    q : Fraction
        Bound from `miss_bound`.
    side_level : float, str, Fraction, Decimal or 0
        Error rate of each side of the task-level intervals: ``alpha / 2`` for scope "each" with
        the two sides tested apart, `alpha` for scope "all".
        0 for the probability that the new task's *interval* is contained.

    Returns
    -------
    float
        ``1 - q / (1 - side_level)``, at least 0.

    Raises
    ------
    OptionError
        If `side_level` is not in [0, 1).

    Notes
    -----
    Suppose the prediction interval misses the true rank set, say at its best end.
    With probability at least ``1 - side_level`` that one side of the new task's interval is right,
    and then it leaves the prediction interval too. So
    ``P(miss) (1 - side_level) <= P(new interval leaves) <= q``.
    It asks that the side holds given the task, with noise independent of the other tasks.

    Examples
    --------
    >>> round(guarantee(miss_bound("quantile", 47, 0.5), 0.025), 3)
    0.487
    """
    side = Fraction(0) if side_level == 0 else exact_rate(side_level, "side_level")
    return float(max(Fraction(0), 1 - q / (1 - side)))


def smallest_number_of_tasks(merge: str, alpha: Rate) -> int:
    """Fewest tasks with which a merge can say more than "rank 1 to M".

    Parameters
    ----------
    merge : str
        As in `miss_bound`, and "weighted", which stands for equal weights.
    alpha : float, str, Fraction or Decimal
        Error rate of the merge.

    Returns
    -------
    int
        Number of tasks; for "family" the number of families.
        For the union, which is never trivial, the number from which its bound is at most `alpha`.

    Raises
    ------
    UnknownOptionError
        If the merge is not known.
    OptionError
        If `alpha` is not strictly between 0 and 1.

    Examples
    --------
    >>> smallest_number_of_tasks("quantile", 0.2), smallest_number_of_tasks("joint", 0.2)
    (9, 4)
    """
    check_name("merge", merge, _SMALLEST)
    return _SMALLEST[merge](exact_rate(alpha))


def _check_count(n_tasks: int) -> int:
    """`n_tasks` itself, or an error if there is none."""
    if n_tasks < 1:
        raise DataError(f"A rank on a new task needs at least one task; got {n_tasks}.")
    return n_tasks


def _quantile_miss(n_tasks: int, alpha: Fraction) -> Fraction:
    return Fraction(2 * order_index(n_tasks, alpha), n_tasks + 1)


def _union_miss(n_tasks: int, alpha: Fraction) -> Fraction:
    return min(Fraction(1), Fraction(2, n_tasks + 1))


def _joint_miss(n_tasks: int, alpha: Fraction) -> Fraction:
    return Fraction(joint_index(n_tasks, alpha), n_tasks + 1)


def _family_miss(n_families: int, alpha: Fraction) -> Fraction:
    return alpha if order_index(n_families, alpha) else Fraction(0)


def _split_score_miss(n_tasks: int, alpha: Fraction) -> Fraction:
    n_first, k = split_index(n_tasks, alpha)
    return 1 - Fraction(k, n_tasks - n_first + 1) if k else Fraction(0)


def _two_sided_smallest(alpha: Fraction) -> int:
    return math.ceil(2 / alpha) - 1


def _joint_smallest(alpha: Fraction) -> int:
    return max(1, math.ceil(1 / alpha) - 1)


def _split_score_smallest(alpha: Fraction) -> int:
    # The second part must have 1 / alpha - 1 tasks, the first part at least one.
    return max(2, 2 * _joint_smallest(alpha) - 1)


_MISS_BOUNDS: dict[str, Callable[[int, Fraction], Fraction]] = {
    "quantile": _quantile_miss,
    "union": _union_miss,
    "joint": _joint_miss,
    "family": _family_miss,
    "simultaneous": _split_score_miss,
}

_SMALLEST: dict[str, Callable[[Fraction], int]] = {
    "quantile": _two_sided_smallest,
    "union": _two_sided_smallest,
    "joint": _joint_smallest,
    "family": _two_sided_smallest,
    "weighted": _two_sided_smallest,
    "simultaneous": _split_score_smallest,
}


LEAST_SIDE, MOST_SIDE = Fraction(1, 5), Fraction(2, 5)
"""Between these rates of a side intervals are narrowest, in simulations and on real boards."""


class Budget(NamedTuple):
    """What is spent where.

    Attributes
    ----------
    need : int
        How many of N + 1 intervals the merge may leave out; 0 stands for the trivial interval.
    side : Fraction
        Error rate of one side of the task intervals that are merged, below one half.
    """

    need: int
    side: Fraction

    @property
    def alpha_task(self) -> float:
        """Error rate of the task intervals, both sides together."""
        return float(2 * self.side)


def split_budget(n_tasks: int, alpha_overall: Rate, alpha: Rate) -> Budget:
    """The split between tasks that are left out and errors of the intervals on tasks.

    Parameters
    ----------
    n_tasks : int
        N, number of tasks.
    alpha_overall : float, str, Fraction or Decimal
        Error rate of the merge.
    alpha : float, str, Fraction or Decimal
        Error rate of the board's task intervals, both sides together.

    Returns
    -------
    Budget
        With ``1 - [need / (N + 1)] / (1 - side)`` at least
        ``1 - alpha_overall / (1 - alpha / 2)``, what the board's own task intervals promise at the
        least.

    Raises
    ------
    DataError
        If there is no task.
    OptionError
        If a rate is not strictly between 0 and 1.

    Notes
    -----
    The guarantee is ``1 - [need / (N + 1)] / (1 - side)``. With task intervals at the board's own
    level, `need` is rounded down to a whole number, and what is cut off is lost. Here the rest goes
    to the task intervals, which get narrower. The rule reads the number of tasks and the two rates
    only, never results, so tasks stay exchangeable.

    Examples
    --------
    >>> split_budget(14, 0.2, 0.05), split_budget(14, 0.2, 0.05).alpha_task
    (Budget(need=2, side=Fraction(7, 20)), 0.7)
    >>> split_budget(4, 0.2, 0.05), split_budget(3, 0.2, 0.05)
    (Budget(need=1, side=Fraction(1, 40)), Budget(need=0, side=Fraction(1, 40)))
    """
    usual = exact_rate(alpha) / 2
    # The most that need / (1 - side) may be.
    spent = (_check_count(n_tasks) + 1) * exact_rate(alpha_overall, "alpha_overall") / (1 - usual)
    need = min(math.floor((1 - LEAST_SIDE) * spent), n_tasks)
    if need and 1 - need / spent <= MOST_SIDE:
        return Budget(need, 1 - need / spent)
    need = min(math.floor((1 - usual) * spent), n_tasks)
    return Budget(need, min(1 - need / spent, MOST_SIDE) if need else usual)
