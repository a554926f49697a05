"""Log densities of what the tasks of one model have in common, each up to a constant."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "exponential_pair",
    "exponential_spread",
    "flat_log_spread",
    "flat_mean_flat_log",
    "flat_mean_normal_log",
    "flat_spread",
    "normal_pair",
]


def exponential_pair(
    a: NDArray[np.float64], b: NDArray[np.float64], mean: float
) -> NDArray[np.float64]:
    """Both independent and exponential with one mean."""
    return -(a + b) / mean


def normal_pair(
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    centres: tuple[float, float],
    deviations: tuple[float, float],
) -> NDArray[np.float64]:
    """Both independent and normal, cut off at 0."""
    one, two = (a - centres[0]) / deviations[0], (b - centres[1]) / deviations[1]
    return -0.5 * (np.square(one) + np.square(two))


def flat_mean_flat_log(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean ``a / (a + b)`` uniform, and the log of ``a + b``: da db = (a + b)^2 dm dlog."""
    return np.asarray(-2.0 * np.log(a + b))


def flat_mean_normal_log(
    a: NDArray[np.float64], b: NDArray[np.float64], centre: float, deviation: float
) -> NDArray[np.float64]:
    """The mean uniform, and the log of ``a + b`` normal."""
    log = np.log(a + b)
    return np.asarray(-2.0 * log - 0.5 * np.square((log - centre) / deviation))


def flat_spread(tau: NDArray[np.float64]) -> NDArray[np.float64]:
    """Tau uniform on all positive numbers."""
    return np.zeros(tau.shape)


def exponential_spread(tau: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Tau exponential."""
    return -tau / mean


def flat_log_spread(tau: NDArray[np.float64]) -> NDArray[np.float64]:
    """The log of tau uniform."""
    return -np.log(tau)
