"""Arrays as plain lists of the board file, and back: NaN and infinite numbers become None."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["convert", "plain_real", "plain_reals", "plain_table", "real_array", "real_table",
           "whole_array"]  # fmt: skip

T = TypeVar("T")


def plain_real(value: float) -> float | None:
    """A finite number; None for any other."""
    return value if math.isfinite(value) else None


def plain_reals(array: NDArray[np.float64]) -> list[float | None]:
    """A vector as a list.

    Examples
    --------
    >>> plain_reals(np.array([0.5, np.nan]))
    [0.5, None]
    """
    return [plain_real(value) for value in array.tolist()]


def plain_table(table: NDArray[np.float64]) -> list[list[float | None]]:
    """A matrix as a list of lists."""
    return [plain_reals(row) for row in table]


def real_array(values: list[float | None]) -> NDArray[np.float64]:
    """The inverse of `plain_reals`; None becomes NaN."""
    return np.array([math.nan if value is None else value for value in values], dtype=np.float64)


def real_table(rows: list[list[float | None]]) -> NDArray[np.float64]:
    """The inverse of `plain_table`."""
    return np.array([real_array(row) for row in rows])


def whole_array(values: list[int]) -> NDArray[np.int64]:
    """Whole numbers, as they stand in the file: a rank of 1.5 is left for the types to refuse."""
    return np.array(values) if values else np.zeros(0, dtype=np.int64)


def convert(values: Any, how: Callable[[Any], T]) -> T | None:
    """`how` of the values; None where there are none."""
    return None if values is None else how(values)
