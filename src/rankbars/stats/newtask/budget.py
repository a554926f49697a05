"""How an interval for a new task spends its error rate: on task intervals, or on tasks left out.

The guarantee is ``1 - [need / (N + 1)] / (1 - side)``: `need` of the N + 1 intervals may be left
out, and `side` is the error rate of one side of the intervals on tasks. With task intervals at the
board's own level, `need` is rounded down to a whole number, and what is cut off is lost. Here the
rest goes to the task intervals, which get narrower. The rule reads the number of tasks and the two
rates only, never results, so tasks stay exchangeable.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from rankbars.errors import DataError
from rankbars.stats.newtask.guarantees import Rate, exact_rate

__all__ = ["Budget", "split_budget"]

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

    Examples
    --------
    >>> split_budget(14, 0.2, 0.05), split_budget(14, 0.2, 0.05).alpha_task
    (Budget(need=2, side=Fraction(7, 20)), 0.7)
    >>> split_budget(4, 0.2, 0.05), split_budget(3, 0.2, 0.05)
    (Budget(need=1, side=Fraction(1, 40)), Budget(need=0, side=Fraction(1, 40)))
    """
    if n_tasks < 1:
        raise DataError(f"A rank on a new task needs at least one task; got {n_tasks}.")
    usual = exact_rate(alpha) / 2
    # The most that need / (1 - side) may be.
    spent = (n_tasks + 1) * exact_rate(alpha_overall, "alpha_overall") / (1 - usual)
    need = min(math.floor((1 - LEAST_SIDE) * spent), n_tasks)
    if need and 1 - need / spent <= MOST_SIDE:
        return Budget(need, 1 - need / spent)
    need = min(math.floor((1 - usual) * spent), n_tasks)
    return Budget(need, min(1 - need / spent, MOST_SIDE) if need else usual)
