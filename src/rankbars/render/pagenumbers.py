"""Numbers as the script of the page reads them: plain, or packed as bytes."""

from __future__ import annotations

import base64
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "known_number",
    "known_numbers",
    "one_or_packed",
    "pack_bits",
    "pack_counts",
    "pack_reals",
]

_WIDTHS = (("u1", 1), ("u2", 2), ("u4", 4))


def pack_counts(values: ArrayLike) -> dict[str, str]:
    """Whole numbers from 0 on as base64 of the narrowest little-endian type that holds them.

    Examples
    --------
    >>> pack_counts([1, 2, 3])
    {'kind': 'u1', 'bytes': 'AQID'}
    """
    counts = np.asarray(values, dtype=np.int64)
    kind = next(k for k, width in _WIDTHS if counts.max(initial=0) < 256**width)
    return {"kind": kind, "bytes": _base64(counts.astype(f"<{kind}"))}


def pack_bits(values: NDArray[np.bool_]) -> dict[str, str]:
    """Yes or no, eight in a byte, the first in its lowest bit.

    Examples
    --------
    >>> import numpy as np
    >>> pack_bits(np.array([[True, False], [False, True]]))
    {'kind': 'u1', 'bytes': 'CQ=='}
    """
    return {"kind": "u1", "bytes": _base64(np.packbits(values, bitorder="little"))}


def pack_reals(values: ArrayLike, *, exact: bool = True) -> dict[str, str]:
    """Real numbers as base64 of little-endian doubles, or of single precision."""
    kind = "f8" if exact else "f4"
    with np.errstate(over="ignore"):
        packed = np.asarray(values, dtype=np.float64).astype(f"<{kind}")
    # One bit pattern for "not known": the sign of NaN differs between processors.
    packed = np.where(np.isnan(packed), np.array(np.nan, dtype=packed.dtype), packed)
    return {"kind": kind, "bytes": _base64(packed)}


def _base64(array: NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")


def one_or_packed(values: NDArray[np.float64]) -> dict[str, str] | float | None:
    """One number where all are equal; None stands for a normal tail."""
    return known_number(values[0]) if (values == values[0]).all() else pack_reals(values)


def known_number(value: Any) -> float | None:
    """The number, or None where it is not known."""
    return float(value) if math.isfinite(value) else None


def known_numbers(values: NDArray[np.float64]) -> list[float | None]:
    """The numbers, each None where it is not known."""
    return [known_number(value) for value in values]
