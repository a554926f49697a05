"""What a field of a frozen type holds, said once: read-only arrays, ranges, names of models."""

from __future__ import annotations

import builtins
import math
import sys
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.errors import DataError

__all__ = [
    "Chances",
    "Chosen",
    "Counts",
    "Errors",
    "Freedom",
    "Frozen",
    "Level",
    "Numbers",
    "PairTable",
    "Ranks",
    "Rate",
    "Reals",
    "Relation",
    "check_level",
    "check_models",
    "check_ranks",
    "freeze",
    "frozen_array",
    "locate_models",
    "names_where",
    "numbers_of",
    "spread_columns",
    "without_none",
]


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


def check_models(models: tuple[str, ...]) -> tuple[str, ...]:
    """The names as a tuple; raises `DataError` if one is repeated or there is none."""
    names = tuple(models)
    if not names:
        raise DataError("At least one model is needed; found none.")
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"Model {twice!r} is named twice; each model needs a name of its own.")
    return names


def locate_models(names: Sequence[str], models: Sequence[str]) -> NDArray[np.intp]:
    """Position of each of `names` in `models`, which holds them all.

    Examples
    --------
    >>> locate_models(["c", "a"], ["a", "b", "c"]).tolist()
    [2, 0]
    """
    place = {model: i for i, model in enumerate(models)}
    return np.array([place[name] for name in names], dtype=np.intp)


def spread_columns(values: NDArray[Any], columns: NDArray[np.intp], size: int) -> NDArray[Any]:
    """Values of some models, along the last axis, among those of `size`; NaN, or 0, elsewhere.

    Examples
    --------
    >>> spread_columns(np.array([[5.0, 7.0]]), np.array([2, 0]), 3).tolist()
    [[7.0, nan, 5.0]]
    """
    empty = np.nan if values.dtype.kind == "f" else 0
    spread = np.full((*values.shape[:-1], size), empty, values.dtype)
    spread[..., columns] = values
    return spread


def names_where(names: Sequence[str], chosen: ArrayLike) -> tuple[str, ...]:
    """Those of `names` for which `chosen` holds.

    Examples
    --------
    >>> names_where(["a", "b", "c"], [True, False, True])
    ('a', 'c')
    """
    return tuple(name for name, kept in zip(names, np.asarray(chosen), strict=True) if kept)


@dataclass(frozen=True, slots=True)
class Numbers:
    """What stands in an ``Annotated`` hint beside a number or an array of numbers.

    Parameters
    ----------
    axes : str
        One letter per axis: M models, P pairs, C categories, S draws, B bins, E edges, R rows.
    least, most : float
        Ends of the range.
    open : bool
        Whether the ends are outside of it.
    null : float, optional
        What null stands for in a file; without it null is refused.
    word : bool
        Whether a file writes infinity as the word ``"infinite"``, because null is NaN there.
    or_one : bool
        Whether one number may stand for all.
    """

    axes: str = ""
    least: float = -math.inf
    most: float = math.inf
    open: bool = False
    null: float | None = None
    word: bool = False
    or_one: bool = False

    def holds(self, least: float, most: float) -> bool:
        """Whether everything from `least` to `most` lies in the range."""
        if self.open:
            return self.least < least and most < self.most
        return self.least <= least and most <= self.most


Rate = Annotated[float, Numbers(least=0.0, most=1.0, open=True)]
"""An error rate."""
Level = Annotated[float, Numbers(least=0.0, most=1.0)]
"""A probability that something holds."""
Reals = Annotated[NDArray[np.float64], Numbers("M", null=math.nan)]
"""One number per model; NaN where there is none."""
Errors = Annotated[NDArray[np.float64], Numbers("M", least=0.0, null=math.nan)]
"""One standard error per model."""
Freedom = Annotated[NDArray[np.float64], Numbers("M", least=0.0, null=math.inf)]
"""Degrees of freedom per model; infinite for a normal tail."""
Ranks = Annotated[NDArray[np.int64], Numbers("M", least=1)]
"""One rank per model."""
Counts = Annotated[NDArray[np.int64], Numbers("M", least=0)]
"""One number of rows per model."""
Chances = Annotated[NDArray[np.float64], Numbers("MM", least=0.0, most=1.0, null=np.nan)]
Chosen = Annotated[NDArray[np.bool_], Numbers("M")]
"""Whether it holds for each model; a file lists the names."""
PairTable = Annotated[NDArray[np.float64], Numbers("MM")]
"""One number per pair of models."""
Relation = Annotated[NDArray[np.bool_], Numbers("MM")]
"""``[i, j]``: whether it holds between i and j; a file lists the pairs of names."""


def without_none(hint: Any) -> Any:
    """The hint of a value that is there.

    Examples
    --------
    >>> without_none(int | None)
    <class 'int'>
    """
    if get_origin(hint) in (Union, types.UnionType):
        kept = [one for one in get_args(hint) if one is not type(None)]
        return kept[0] if len(kept) == 1 else hint
    return hint


def numbers_of(hint: Any) -> tuple[type[Any], Numbers] | None:
    """Type of the numbers of an annotated array or number, and what they may be; else None.

    Examples
    --------
    >>> numbers_of(Ranks)[0].__name__, numbers_of(Ranks)[1].axes
    ('int64', 'M')
    """
    if get_origin(hint) is not Annotated:
        return None
    kind, *beside = get_args(hint)
    about = next((one for one in beside if isinstance(one, Numbers)), None)
    if about is None:
        return None
    if get_origin(kind) is NDArray:  # since NumPy 2.5 the alias has a name of its own
        return get_args(kind)[0], about
    # Before, NDArray[np.int64] is ndarray[shape, dtype[int64]].
    return (get_args(get_args(kind)[1])[0] if get_origin(kind) is np.ndarray else kind), about


class _Names(dict[str, Any]):
    """Names in hints; what a module imports for type checkers only holds no numbers itself."""

    def __missing__(self, name: str) -> Any:
        return Any


class _Declared(NamedTuple):
    """What the hints of a type say of its fields."""

    arrays: tuple[tuple[str, type[Any], Numbers], ...]
    mappings: tuple[str, ...]


@cache
def _declared(kind: Any) -> _Declared:
    known = _Names(vars(builtins) | vars(sys.modules[kind.__module__]))
    arrays, mappings = [], []
    for name, given in get_type_hints(kind, localns=known, include_extras=True).items():
        hint = without_none(given)
        numbers = numbers_of(hint)
        if numbers is not None and numbers[1].axes:
            arrays.append((name, *numbers))
        elif get_origin(hint) is Mapping:
            mappings.append(name)
    return _Declared(tuple(arrays), tuple(mappings))


def freeze(owner: Any, **sizes: int) -> None:
    """Check the names of models, and make what a frozen object holds read-only.

    Arrays become copies of the declared type and shape, mappings proxies of copies.

    Parameters
    ----------
    owner : dataclass
        Called from its ``__post_init__``.
    **sizes : int
        Length of axes, such as ``S=3``. M and P are the models of the object and their pairs;
        of other axes the first array that has one says how long it is.

    Raises
    ------
    DataError
        If a model is named twice, or an array has another shape, or a type that does not fit.
    """
    kind: Any = type(owner)
    if "models" in kind.__dataclass_fields__:
        object.__setattr__(owner, "models", check_models(owner.models))
        count = len(owner.models)
        sizes = {"M": count, "P": count * (count - 1) // 2, **sizes}
    declared = _declared(kind)
    for name, dtype, about in declared.arrays:
        value = getattr(owner, name)
        if value is None:
            continue
        given = np.shape(value)
        if len(given) == len(about.axes):
            for axis, length in zip(about.axes, given, strict=True):
                sizes.setdefault(axis, length)
        shape = tuple(sizes.get(axis, given[0] if given else 0) for axis in about.axes)
        if about.or_one:
            if given not in ((), shape):
                raise DataError(f"{name} must be one number or have shape {shape}; got {given}.")
            shape = given
        object.__setattr__(owner, name, frozen_array(value, dtype, name, shape))
    for name in declared.mappings:
        value = getattr(owner, name)
        if value is not None:
            object.__setattr__(owner, name, MappingProxyType(dict(value)))


class Frozen:
    """Parent of frozen types: what they hold is made read-only, see `freeze`.

    Copies and other processes make the object anew, for proxies of mappings cannot be pickled.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        freeze(self)

    def __reduce__(self) -> tuple[Any, ...]:
        kept: Any = self
        values = (getattr(self, one.name) for one in fields(kept) if one.init)
        return type(self), tuple(
            dict(value) if isinstance(value, MappingProxyType) else value for value in values
        )


def check_level(guarantee: float | None, approximate: bool, measured_level: float | None) -> None:
    """Raise `DataError` where a level is assured and approximate at once, or measured for nothing.

    Examples
    --------
    >>> check_level(None, True, 0.88)
    """
    if approximate and guarantee is not None:
        raise DataError("A level that is approximate is no guarantee: guarantee must be None.")
    if measured_level is not None and not approximate:
        raise DataError("measured_level belongs to statements that are approximate.")


def check_ranks(
    models: tuple[str, ...], best: NDArray[Any], worst: NDArray[Any], task: str | None = None
) -> None:
    """Raise `DataError` unless ``1 <= best <= worst <= M`` for each of the M models."""
    inside = (best >= 1) & (best <= worst) & (worst <= len(models))
    if not inside.all():
        i = int(np.flatnonzero(~inside)[0])
        where = "" if task is None else f" on task {task!r}"
        raise DataError(
            f"Rank interval of {models[i]!r}{where} is {best[i]} to {worst[i]}; "
            f"it must lie within 1 to {len(models)}."
        )
