"""Resampled rows, counts and signs are the same bit for bit, whoever draws them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
import pytest

from rankbars.stats.multiplicity.maxt import sign_patterns
from rankbars.stats.pairwise.signflip import draw_flips
from rankbars.stats.resampling.distributions import draw_counts
from rankbars.stats.streams import stream

Draw = Callable[[], np.ndarray]


def digest(values: np.ndarray) -> str:
    """Of the whole numbers, in whatever type they are held."""
    return hashlib.sha256(np.ascontiguousarray(values, "<i8").tobytes()).hexdigest()[:16]


def patterns(units: int, draws: int) -> np.ndarray:
    return np.concatenate(list(sign_patterns(units, lambda k: stream(0, "maxt", k), draws)))


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        (
            "stream",
            lambda: stream(0, "math", "bootstrap", 0).integers(0, 40, (64, 40)),
            "4dfe970c125ae77b",
        ),
        (
            "other seed",
            lambda: stream(7, "math", "bootstrap", 0).integers(0, 40, (64, 40)),
            "24617f30e1161294",
        ),
        ("counts", lambda: draw_counts(stream(0, "counts"), 40, 64), "2b9276be3dbb209a"),
        ("flips", lambda: draw_flips(40, 1000, 0, ("math",)), "fbf2713d2045a6e0"),
        ("all signs", lambda: patterns(8, 1000), "7cc5ba999e5de8c1"),
        ("random signs", lambda: patterns(40, 1000), "32af93b05a770baa"),
    ],
)
def test_draws_are_the_same_bit_for_bit(name: str, values: Draw, expected: str) -> None:
    assert digest(values()) == expected, name


def test_the_first_draws_are_these() -> None:
    assert stream(0, "math").integers(0, 100, 10).tolist() == [
        76,
        30,
        17,
        29,
        35,
        70,
        25,
        70,
        23,
        7,
    ]
    assert draw_flips(10, 1, 0, ("math",))[0].tolist() == [1, 1, -1, -1, -1, -1, -1, 1, -1, 1]
