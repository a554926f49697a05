"""Priors of the hierarchical models: what is assumed about the tasks of a model beforehand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_name
from rankbars.errors import OptionError, UnknownOptionError

__all__ = ["PRIORS", "Prior", "PriorChoice", "prior_kind", "take_prior"]


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """What is assumed beforehand about the tasks of one model.

    For counts of right answers, the true shares of a model's tasks come from Beta(a, b), and the
    prior is a density of (a, b). For scores with standard errors, its true scores come from a
    normal distribution with a mean that has a flat prior and a spread tau, and the prior is a
    density of tau.

    Parameters
    ----------
    kind : {"shares", "scores"}
        For counts of right answers, or for scores with standard errors.
    log_density : callable
        Natural logarithm of the density up to a constant: of ``(a, b)``, or of ``tau``. Takes and
        returns arrays; has one peak.
    words : str
        What it says, in a few words; printed with the result.
    limits : (float, float)
        Ends of ``a + b``, or of ``tau``, beyond which the density is 0.

    Raises
    ------
    OptionError
        If the kind is not known or the limits are out of order.

    Examples
    --------
    >>> Prior.exponential(1000).words
    'a and b exponential with mean 1000'
    >>> mine = Prior("shares", lambda a, b: -0.001 * (a + b), "my own")
    >>> float(mine.log_density(2.0, 3.0))
    -0.005
    """

    kind: Literal["shares", "scores"]
    log_density: Callable[..., NDArray[np.float64]]
    words: str = "given by the user"
    limits: tuple[float, float] = (0.0, np.inf)

    def __post_init__(self) -> None:
        check_name("kind of prior", self.kind, ("shares", "scores"))
        low, high = self.limits
        if not 0.0 <= low < high:
            raise OptionError.out_of_range("limits", self.limits, "0 or more, the lower one first")

    @classmethod
    def exponential(cls, mean: float = 10_000.0) -> Prior:
        """Both a and b exponential with mean `mean`: Longjohn, Gopalan and Casleton's choice.

        With the large mean it expects the tasks of a model to be alike. Few tasks cannot talk it
        out of that, and intervals for other tasks are then far too short: with 6 tasks of 50
        items that differ as tasks do, 95 % intervals for a new task held in half of the cases.
        """
        _positive("mean", mean)
        density = partial(_exponential_pair, mean=float(mean))
        return cls("shares", density, f"a and b exponential with mean {mean:g}")

    @classmethod
    def uniform_log(cls, low: float = 0.05, high: float = 200_000.0) -> Prior:
        """The mean share uniform, and the log of ``a + b`` uniform between two ends: the default.

        A small ``a + b`` means tasks on which a model fares very differently; a large one, tasks
        that are alike.
        """
        _positive("low", low)
        return cls(
            "shares",
            _flat_mean_flat_log,
            f"mean share uniform, log of a + b uniform from {low:g} to {high:g}",
            (float(low), float(high)),
        )

    @classmethod
    def log_normal(cls, centre: float = 3.0, deviation: float = 1.5) -> Prior:
        """The mean share uniform, and the log of ``a + b`` normal."""
        _positive("deviation", deviation)
        density = partial(_flat_mean_normal_log, centre=float(centre), deviation=float(deviation))
        words = f"mean share uniform, log of a + b normal with mean {centre:g}, SD {deviation:g}"
        return cls("shares", density, words)

    @classmethod
    def normal(
        cls, a: float, b: float, deviation: float, deviation_b: float | None = None
    ) -> Prior:
        """Both normal, around `a` and `b`, cut off at 0."""
        _positive("deviation", deviation)
        other = deviation if deviation_b is None else deviation_b
        _positive("deviation_b", other)
        density = partial(
            _normal_pair,
            centres=(float(a), float(b)),
            deviations=(float(deviation), float(other)),
        )
        words = f"a normal around {a:g} (SD {deviation:g}), b around {b:g} (SD {other:g})"
        return cls("shares", density, words)

    @classmethod
    def uniform_spread(cls) -> Prior:
        """The spread of true scores between tasks uniform; needs three tasks or more."""
        return cls("scores", _flat_spread, "spread between tasks uniform")

    @classmethod
    def exponential_spread(cls, mean: float) -> Prior:
        """The spread of true scores between tasks exponential, in units of the score."""
        _positive("mean", mean)
        density = partial(_exponential_spread, mean=float(mean))
        return cls("scores", density, f"spread between tasks exponential with mean {mean:g}")

    @classmethod
    def uniform_log_spread(cls, low: float, high: float) -> Prior:
        """The log of the spread of true scores between tasks uniform between two ends."""
        _positive("low", low)
        words = f"log of the spread between tasks uniform from {low:g} to {high:g}"
        return cls("scores", _flat_log_spread, words, (float(low), float(high)))


PriorChoice: TypeAlias = str | Prior | Callable[..., NDArray[np.float64]]
"""A name, a `Prior`, or a function of (a, b) that gives a log density."""

PRIORS: dict[str, Callable[..., Prior]] = {
    "exponential": Prior.exponential,
    "uniform_log": Prior.uniform_log,
    "log_normal": Prior.log_normal,
    "normal": Prior.normal,
    "uniform_spread": Prior.uniform_spread,
    "exponential_spread": Prior.exponential_spread,
    "uniform_log_spread": Prior.uniform_log_spread,
}
"""Named densities; the numbers of a name such as ``"exponential:1000"`` are their arguments."""

_DEFAULTS: dict[str, Callable[[], Prior]] = {
    "shares": Prior.uniform_log,
    "scores": Prior.uniform_spread,
}


def prior_kind(
    choice: PriorChoice | Mapping[str, PriorChoice],
) -> Literal["shares", "scores"] | None:
    """What a prior is for, where it says so; None for ``"auto"`` and for functions.

    Raises
    ------
    UnknownOptionError
        If there is no prior of that name.

    Examples
    --------
    >>> prior_kind("exponential"), prior_kind("uniform_spread"), prior_kind("auto")
    ('shares', 'scores', None)
    """
    if isinstance(choice, Mapping):
        kinds = {prior_kind(one) for one in choice.values()} - {None}
        return kinds.pop() if len(kinds) == 1 else None
    if isinstance(choice, str):
        return None if choice == "auto" else _named(choice).kind
    return choice.kind if isinstance(choice, Prior) else None


def take_prior(
    choice: PriorChoice | Mapping[str, PriorChoice], model: str, kind: Literal["shares", "scores"]
) -> Prior:
    """The prior of one model.

    Parameters
    ----------
    choice : str, Prior, callable, or mapping from str to one of them
        ``"auto"`` is uniform_log for shares, uniform on the spread for scores.
    model : str
        Its name.
    kind : {"shares", "scores"}
        What is modelled.

    Raises
    ------
    UnknownOptionError
        If there is no prior of that name.
    OptionError
        If a mapping leaves the model out, the prior is for the other kind, or its numbers are
        not understood.

    Examples
    --------
    >>> take_prior("exponential:500", "a", "shares").words
    'a and b exponential with mean 500'
    """
    if isinstance(choice, Mapping):
        if model not in choice:
            raise OptionError(f"prior= names no prior for model {model!r}.")
        choice = choice[model]
    if isinstance(choice, Prior):
        found = choice
    elif isinstance(choice, str):
        found = _DEFAULTS[kind]() if choice == "auto" else _named(choice)
    elif callable(choice):
        found = Prior(kind, choice)
    else:
        raise OptionError(
            "prior= must be a name, a Prior, a function of (a, b), or a mapping from model to one "
            f"of these; got {type(choice).__name__}."
        )
    if found.kind != kind:
        what = {
            "shares": "counts of right answers, which need a prior of (a, b) such as 'exponential'",
            "scores": "scores with standard errors, which need a prior of the spread between "
            "tasks such as 'uniform_spread'",
        }[kind]
        raise OptionError(f"The tasks give {what}; got the prior {found.words!r}.")
    return found


def _named(text: str) -> Prior:
    name, *parts = text.split(":")
    if name not in PRIORS:
        raise UnknownOptionError.among("prior", name, ("auto", *PRIORS))
    try:
        return PRIORS[name](*(float(part) for part in parts))
    except (TypeError, ValueError) as error:
        if isinstance(error, OptionError):
            raise
        raise OptionError(
            f"Prior {text!r} is not understood. Numbers follow the name after colons, such as "
            "exponential:10000, uniform_log:0.05:200000 or exponential_spread:0.1."
        ) from error


def _positive(name: str, value: float) -> None:
    if not (np.isfinite(value) and value > 0):
        raise OptionError.out_of_range(name, value, "above 0")


def _exponential_pair(
    a: NDArray[np.float64], b: NDArray[np.float64], mean: float
) -> NDArray[np.float64]:
    """Both independent and exponential with one mean."""
    return -(a + b) / mean


def _normal_pair(
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    centres: tuple[float, float],
    deviations: tuple[float, float],
) -> NDArray[np.float64]:
    """Both independent and normal, cut off at 0."""
    one, two = (a - centres[0]) / deviations[0], (b - centres[1]) / deviations[1]
    return -0.5 * (np.square(one) + np.square(two))


def _flat_mean_flat_log(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean ``a / (a + b)`` uniform, and the log of ``a + b``: da db = (a + b)^2 dm dlog."""
    return np.asarray(-2.0 * np.log(a + b))


def _flat_mean_normal_log(
    a: NDArray[np.float64], b: NDArray[np.float64], centre: float, deviation: float
) -> NDArray[np.float64]:
    """The mean uniform, and the log of ``a + b`` normal."""
    log = np.log(a + b)
    return np.asarray(-2.0 * log - 0.5 * np.square((log - centre) / deviation))


def _flat_spread(tau: NDArray[np.float64]) -> NDArray[np.float64]:
    """Tau uniform on all positive numbers."""
    return np.zeros(tau.shape)


def _exponential_spread(tau: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Tau exponential."""
    return -tau / mean


def _flat_log_spread(tau: NDArray[np.float64]) -> NDArray[np.float64]:
    """The log of tau uniform."""
    return -np.log(tau)
