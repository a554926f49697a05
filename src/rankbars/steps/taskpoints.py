"""What is averaged: scores, or what a model earns on a task; a table from name to rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError, OptionError, UnknownOptionError
from rankbars.stats.averaging.points import (
    binned_ranks,
    borda_points,
    field_wins,
    first_places,
    noise_ranks,
    noisy_ranks,
    win_shares,
)
from rankbars.stats.ranks import midranks

__all__ = ["METHODS", "Method", "check_range", "take_method"]

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
        Scores it can be used for; a share lies between 0 and 1.
    reach : callable, optional
        Least and greatest value of the number that is shown, among so many models; None where
        they are those of the scores.
    """

    words: str
    points: Points
    back: Points = np.asarray
    noisy: NoisyPoints | None = None
    unit: Literal["score", "rank"] = "score"
    linear: Literal["difference", "log ratio"] | None = None
    range: Literal["any", "positive", "share"] = "any"
    reach: Reach | None = None

    def draw(self, values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        """What models earn in each draw of their scores, shape (S, M)."""
        return self.points(values) if self.noisy is None else self.noisy(values, rng)


def _negative(ranks: Points) -> Points:
    return lambda values: -ranks(values)


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
        "average rank", _negative(midranks), np.negative, unit="rank", reach=_ranks
    ),
    "average_rank_noise": Method(
        "average rank after adding noise of one percent to the scores",
        _negative(noise_ranks),
        np.negative,
        noisy=lambda values, rng: -noisy_ranks(values, rng),
        unit="rank",
        range="share",
        reach=_ranks,
    ),
    "average_rank_bins": Method(
        "average rank by whole percent",
        _negative(binned_ranks),
        np.negative,
        unit="rank",
        range="share",
        reach=_ranks,
    ),
    "borda": Method("average number of models beaten (Borda)", borda_points, reach=_rivals),
    "win_rate": Method("share of the other models beaten", win_shares, reach=_shares),
    "win_rate_field": Method(
        "share of tasks won against the mean of the other models", field_wins, reach=_shares
    ),
    "win_rate_top1": Method("share of tasks won, ties shared", first_places, reach=_shares),
}


def take_method(name: str) -> Method:
    """The method called `name`; raises `UnknownOptionError`."""
    if name not in METHODS:
        raise UnknownOptionError.among("method of the average", name, tuple(METHODS))
    return METHODS[name]


def check_range(name: str, values: NDArray[np.float64], models: tuple[str, ...], task: str) -> None:
    """Refuse scores that a method cannot use.

    Parameters
    ----------
    name : str
        The method.
    values : array of float, shape (M,)
        Scores of `models` on `task`.

    Raises
    ------
    DataError
        If a score is not positive where a geometric mean is asked for.
    OptionError
        If a score is no share where percents are needed.
    """
    wanted = METHODS[name].range
    if wanted == "positive" and (values <= 0).any():
        model = models[int(np.argmin(values))]
        raise DataError(
            f"A geometric mean needs scores above 0; {model!r} has {values.min():g} on task "
            f"{task!r}. Use another method, such as mean or average_rank."
        )
    if wanted == "share" and ((values < 0) | (values > 1)).any():
        outside = int(np.argmax(np.maximum(-values, values - 1)))
        raise OptionError(
            f"Method {name!r} counts in percent and needs scores between 0 and 1; "
            f"{models[outside]!r} has {values[outside]:g} on task {task!r}. Give the limits of "
            "the scale (--normalise bounds), or use average_rank."
        )
