"""Read-only arrays: copied on the way in, cast without loss, locked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.errors import DataError

__all__ = ["frozen_array", "frozen_optional"]


def frozen_array(
    value: ArrayLike, dtype: type[Any], name: str, shape: tuple[int, ...] | None = None
) -> NDArray[Any]:
    """Copy of `value` that cannot be written to, with its type and shape checked.

    The cast follows NumPy's ``same_kind`` rule, so a rank of 1.5 raises instead of becoming 1.
    An array that is locked already, with whatever owns its data, is shared, not copied.
    The lock protects against slips; it does not survive pickling and nothing may rely on it.
    """
    given = np.asarray(value)
    if not np.can_cast(given.dtype, dtype, casting="same_kind"):
        raise DataError(f"{name} must hold {np.dtype(dtype).name} values; got {given.dtype}.")
    locked = _is_locked(given) and given.flags.c_contiguous
    array = given if locked and given.dtype == dtype else np.array(given, dtype=dtype, order="C")
    if shape is not None and array.shape != shape:
        raise DataError(f"{name} must have shape {shape}; got {array.shape}.")
    array.setflags(write=False)
    return array


def _is_locked(array: NDArray[Any]) -> bool:
    owner = array.base
    if owner is not None and not (isinstance(owner, np.ndarray) and owner.base is None):
        return False
    return not array.flags.writeable and (owner is None or not owner.flags.writeable)


def frozen_optional(
    value: ArrayLike | None, dtype: type[Any], name: str, shape: tuple[int, ...] | None = None
) -> NDArray[Any] | None:
    """`frozen_array`, or None where nothing was given."""
    return None if value is None else frozen_array(value, dtype, name, shape)
