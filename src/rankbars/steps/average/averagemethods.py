"""What is made of the scores of a model on several tasks: a mean, a geometric mean, ranks, wins.

Ranks and wins over few tasks have an exact test of two models, and something to be said of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_name
from rankbars.data.notes import Note
from rankbars.errors import DataError, OptionError
from rankbars.stats.averaging.points import (
    binned_ranks,
    borda_points,
    elo_rows,
    field_wins,
    first_places,
    noise_ranks,
    noisy_ranks,
    win_shares,
)
from rankbars.stats.multiplicity.nulllaws import MOST_TASKS, fewest_tasks
from rankbars.stats.orders import kemeny_orders, pair_wins
from rankbars.stats.pairwise.signflip import sign_flip
from rankbars.stats.ranks import midranks

__all__ = [
    "FEWEST_FOR_INTERVALS",
    "LARGEST_RATIO",
    "METHODS",
    "Method",
    "check_range",
    "few_tasks_notes",
    "rank_assumptions",
    "rank_p_values",
    "take_method",
]

FEWEST_FOR_INTERVALS = 13
"""Tasks; a mean rank over fewer has no interval: that of t would hold less often than it says."""


_DRAWS = 9_999  # reversals of more than 20 tasks


Points: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64]]
NoisyPoints: TypeAlias = Callable[[NDArray[np.float64], np.random.Generator], NDArray[np.float64]]
Reach: TypeAlias = Callable[[int], tuple[float, float]]


class Method(NamedTuple):
    """One way to make a number of many task scores; higher is better throughout.

    Attributes
    ----------
    words : str
        What the number is.
    points : callable
        What models earn on a task, from their scores there, shape (..., M).
    back : callable
        From the average of the points to the number that is shown.
    noisy : callable, optional
        What they earn in one draw, where that is random in itself; `points` is its mean.
    unit : {"score", "rank"}
        Whether the number is an average rank, for which lower is better.
    linear : {"difference", "log ratio"}, optional
        What a contrast of two models is, where contrasts over items follow from those of scores.
    range : {"any", "positive", "share"}
        Scores it can be used for, in the units of the input; a share lies between 0 and 1.
    sign : float
        -1 where scores are losses, which are stored negated.
    reach : callable, optional
        Least and greatest value of the number that is shown, among so many models; None where
        they are those of the scores.
    settle : callable, optional
        From the average of the points to that of the models, where points are of pairs of models,
        shape (..., M * M).
    rows : callable, optional
        From the points of all tasks, shape (N, M), to rows whose mean is the number, where it is no
        mean of points.
    """

    words: str
    points: Points
    back: Points = np.asarray
    noisy: NoisyPoints | None = None
    unit: Literal["score", "rank"] = "score"
    linear: Literal["difference", "log ratio"] | None = None
    range: Literal["any", "positive", "share"] = "any"
    reach: Reach | None = None
    sign: float = 1.0
    settle: Points | None = None
    rows: Points | None = None

    def draw(self, values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        """What models earn in each draw of their scores, shape (S, M)."""
        return self.points(values) if self.noisy is None else self.noisy(values, rng)

    def of_losses(self) -> Method:
        """The same of losses, which are stored negated; a product of them needs their sign.

        Examples
        --------
        >>> losses = METHODS["geometric"].of_losses()
        >>> losses.back(losses.points(np.array([-1.0, -4.0])).mean()).item()
        -2.0
        """
        if self.range != "positive":
            return self
        return self._replace(
            points=lambda values: -self.points(-values),
            back=lambda points: -self.back(-points),
            sign=-1.0,
        )

    def width(self, models: int) -> int:
        """How many points there are for so many models."""
        return models if self.settle is None else models * models

    def lacks(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which scores have no logarithm, where one is needed."""
        return np.asarray((self.range == "positive") & (self.sign * values <= 0))


def _ranks(models: int) -> tuple[float, float]:
    return 1.0, float(max(models, 1))


def _rivals(models: int) -> tuple[float, float]:
    return 0.0, float(max(models - 1, 0))


def _shares(models: int) -> tuple[float, float]:
    return 0.0, 1.0


METHODS: dict[str, Method] = {
    "mean": Method("average score", np.asarray, linear="difference"),
    "geometric": Method(
        "geometric mean of the scores", np.log, np.exp, linear="log ratio", range="positive"
    ),
    "average_rank": Method(
        "average rank", lambda values: -midranks(values), np.negative, unit="rank", reach=_ranks
    ),
    "average_rank_noise": Method(
        "average rank after adding noise of one percent to the scores",
        lambda values: -noise_ranks(values),
        np.negative,
        noisy=lambda values, rng: -noisy_ranks(values, rng),
        unit="rank",
        range="share",
        reach=_ranks,
    ),
    "average_rank_bins": Method(
        "average rank by whole percent",
        lambda values: -binned_ranks(values),
        np.negative,
        unit="rank",
        range="share",
        reach=_ranks,
    ),
    "kemeny": Method(
        "rank in Kemeny's order",
        pair_wins,
        np.negative,
        unit="rank",
        reach=_ranks,
        settle=lambda wins: -kemeny_orders(wins).ranks,
    ),
    "elo": Method("Elo rating", win_shares, reach=lambda models: (-np.inf, np.inf), rows=elo_rows),
    "borda": Method("average number of models beaten (Borda)", borda_points, reach=_rivals),
    "win_rate": Method("share of the other models beaten", win_shares, reach=_shares),
    "win_rate_field": Method(
        "share of tasks won against the mean of the other models", field_wins, reach=_shares
    ),
    "win_rate_top1": Method("share of tasks won, ties shared", first_places, reach=_shares),
}
"""What is averaged, by name."""

_SKILL = Method(
    "skill score",
    lambda losses: -np.log(-losses),
    lambda points: 1.0 - np.exp(-points),
    linear="log ratio",
    range="positive",
    reach=lambda models: (-np.inf, 1.0),
    sign=-1.0,
)
"""One minus the geometric mean of the losses relative to those of a baseline model."""

LARGEST_RATIO = 100.0
"""A loss counts as at most so many times the baseline's on a task, and at least as its inverse."""


def take_method(name: str) -> Method:
    """The method called `name`; raises `UnknownOptionError`."""
    if name == "skill":
        return _SKILL
    check_name("method of the average", name, METHODS)
    return METHODS[name]


def check_range(
    name: str,
    method: Method,
    values: NDArray[np.float64],
    models: tuple[str, ...],
    task: str,
) -> None:
    """Refuse scores that a method cannot use.

    Parameters
    ----------
    name : str
        What is averaged.
    method : Method
        How.
    values : array of float, shape (M,)
        Scores of `models` on `task`.

    Raises
    ------
    DataError
        If a score is not positive where a geometric mean is asked for.
    OptionError
        If a score is no share where percents are needed.
    """
    lacking = method.lacks(values)
    if lacking.any():
        least = int(np.argmin(method.sign * values))
        negated = method.sign > 0 and bool((values < 0).all())
        way = (
            "If these are losses with a minus sign, take the minus signs away and add --direction "
            "lower."
            if negated
            else "Use another method, such as mean or average_rank."
        )
        raise DataError(
            f"{_PRODUCTS[method.sign]} above 0; {models[least]!r} has "
            f"{method.sign * values[least] + 0.0:g} on task {task!r}. {way}"
        )
    if method.range == "share" and ((values < 0) | (values > 1)).any():
        outside = int(np.argmax(np.maximum(-values, values - 1)))
        raise OptionError(
            f"Method {name!r} counts in percent and needs scores between 0 and 1; "
            f"{models[outside]!r} has {values[outside]:g} on task {task!r}. Give the limits of "
            "the scale (--normalise bounds), or use average_rank."
        )


_PRODUCTS = {1.0: "A geometric mean needs scores", -1.0: "A geometric mean needs losses"}


def rank_assumptions(count: int, units: str) -> tuple[str, ...]:
    """What mean ranks (or wins) over few tasks rest on."""
    return (
        f"The {count} {units} are independent draws, and equal models are interchangeable on each "
        "(exact test on ranks).",
        "Shown better means ahead more often on tasks like these; with few tasks that is not the "
        "same as a better mean rank in the long run.",
    )


def few_tasks_notes(
    count: int, units: str, alpha: float, *, ranks: bool = True
) -> tuple[Note, ...]:
    """A note on mean ranks (or wins) over few tasks: by which law they are told apart."""
    if count > MOST_TASKS:
        return ()
    if 2.0 ** (1 - count) > alpha:
        times = 2 ** (count - 1)
        what = "ranks on " if ranks and units == "tasks" else ""
        text = (
            f"With {what}{count} {units} nothing can be shown at "
            f"{100 * (1 - alpha):g} %: even a model ahead on all {count} would be so by luck once "
            f"in {times:,} times. It takes at least {fewest_tasks(alpha)}."
        )
    else:
        text = (
            f"Better on {units} like these (exact test on {'ranks' if ranks else 'wins'}, {count} "
            f"{units}; assumes that equal models are interchangeable on a task)."
        )
    if count < FEWEST_FOR_INTERVALS:
        text += (
            f" A mean over fewer than {FEWEST_FOR_INTERVALS} {units} has no interval of its own."
        )
    return (Note("few-tasks", text),)


def rank_p_values(rows: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """One-sided p-values of two models by reversing the rankings of tasks, shape (2, 2).

    Parameters
    ----------
    rows : array of float, shape (N, 2)
        What both earn on each task, times its weight; higher is better.
    seed : int
        Start of the random stream, for more than 20 tasks.
    """
    return sign_flip(rows, draws=_DRAWS, seed=seed, key=("average",))
