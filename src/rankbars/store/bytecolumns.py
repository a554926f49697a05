"""Columns of a store: arrays and lists of names as bytes, each kept once.

Whole numbers and decimal numbers of few digits are kept as small integers, compressed; other
numbers as they are. Every value comes back with all its bits.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError

__all__ = ["check_name", "decode", "decode_names", "digest", "encode", "encode_names"]

# What the bytes of a column begin with: names, one number for all rows, whole numbers, decimal
# numbers of so many digits, floats.
_NAMES, _CONSTANT, _WHOLE, _DECIMAL, _FLOATS = b"T", b"C", b"I", b"D", b"F"
_INTEGERS = (np.dtype("<i1"), np.dtype("<i2"), np.dtype("<i4"), np.dtype("<i8"))
_FLOAT = np.dtype("<f8")

_MOST_DIGITS = 6
_PROBE = 64
_FASTEST = 1  # level of compression
_DIGEST_BYTES = 16


def digest(data: bytes | memoryview) -> str:
    """What tells the bytes from others."""
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()


def encode_names(names: Sequence[str]) -> bytes:
    """A list of names as bytes.

    Raises
    ------
    DataError
        If a name holds what is no character.

    Examples
    --------
    >>> decode_names(encode_names(["a", "ä"]))
    ('a', 'ä')
    """
    text = json.dumps(list(names), ensure_ascii=False)
    try:
        raw = text.encode("utf-8")
    except UnicodeEncodeError as error:
        for name in names:
            check_name(name)
        raise DataError("A name cannot be stored.") from error
    return _NAMES + zlib.compress(raw, _FASTEST)


def check_name(name: str) -> None:
    """Raise `DataError` if a name holds what is no character."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(
            f"The name {name!r} holds {error.object[error.start : error.end]!r}, which is not a "
            "valid character, and cannot be stored. Rename it."
        ) from error


def decode_names(data: bytes) -> tuple[str, ...]:
    """The list of names."""
    return tuple(json.loads(zlib.decompress(data[1:])))


def encode(values: NDArray[Any]) -> bytes:
    """Numbers as bytes.

    Parameters
    ----------
    values : ndarray of int or float64, shape (n,)
        Floats may be NaN or infinite.

    Examples
    --------
    >>> decode(encode(np.array([0.25, np.nan, -1.5]))).tolist()
    [0.25, nan, -1.5]
    >>> len(encode(np.zeros(1000))) < 30, decode(encode(np.arange(3))).tolist()
    (True, [0, 1, 2])
    """
    if values.dtype.kind in "iu":
        if values.size > 1 and values.strides == (0,):
            return _CONSTANT + _size(values) + encode(values[:1])
        kept = values.astype(_width(values), copy=False)
        return _WHOLE + _tag(kept) + zlib.compress(kept.tobytes(), _FASTEST)
    values = np.ascontiguousarray(values, dtype=_FLOAT)
    digits = next((k for k in range(_MOST_DIGITS + 1) if _scaled(values[:_PROBE], k) is not None),
                  None)  # fmt: skip
    found = None if digits is None else _scaled(values, digits)
    while found is None and digits is not None and digits < _MOST_DIGITS:
        digits += 1
        found = _scaled(values, digits)
    if found is None:
        return _FLOATS + values.tobytes()
    head = _DECIMAL + bytes([digits or 0]) + _tag(found)
    return head + zlib.compress(found.tobytes(), _FASTEST)


def decode(data: bytes) -> NDArray[Any]:
    """The numbers: int32 or int64, or float64."""
    kind, rest = data[:1], memoryview(data)[1:]
    if kind == _FLOATS:
        return np.frombuffer(rest, dtype=_FLOAT)
    if kind == _CONSTANT:
        return np.broadcast_to(decode(bytes(rest[8:])), (int.from_bytes(rest[:8], "little"),))
    if kind == _WHOLE:
        stored = _stored(rest)
        return stored.astype(np.int64 if stored.dtype.itemsize == 8 else np.int32, copy=False)
    stored = _stored(rest[1:])
    values = stored.astype(np.float64)
    values[stored == np.iinfo(stored.dtype).min] = np.nan
    if rest[0]:
        values /= 10.0 ** rest[0]
    return values


def _scaled(values: NDArray[np.float64], digits: int) -> NDArray[Any] | None:
    """The values times a power of ten, as integers; None where that loses a bit.

    A decimal number is read as the float nearest to it, and so is the quotient of two integers.
    """
    empty = np.isnan(values)
    filled = np.where(empty, 0.0, values)
    scale = 10.0**digits
    with np.errstate(over="ignore", invalid="ignore"):
        whole = np.rint(filled * scale)
        if not (np.abs(whole) < np.iinfo(np.int32).max).all():
            return None
        found = whole.astype(np.int32)
        # Compared bit by bit, so that minus zero is not taken for zero.
        if not np.array_equal((found / scale).view(np.int64), filled.view(np.int64)):
            return None
    kept = found.astype(_width(found))
    if not empty.any():
        return kept
    kept[empty] = np.iinfo(kept.dtype).min
    return kept


def _width(values: NDArray[Any]) -> np.dtype[Any]:
    """The smallest type of integers that holds the values, and a number below all of them."""
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    return next(
        kind for kind in _INTEGERS if np.iinfo(kind).min < low and high <= np.iinfo(kind).max
    )


def _tag(values: NDArray[Any]) -> bytes:
    return bytes([values.dtype.itemsize])


def _size(values: NDArray[Any]) -> bytes:
    return values.size.to_bytes(8, "little")


def _stored(data: memoryview) -> NDArray[Any]:
    kind = np.dtype(f"<i{data[0]}")
    return np.frombuffer(zlib.decompress(data[1:]), dtype=kind)
