"""Frozen types as plain values for JSON, by the type hints of their fields.

A dataclass is a dict, a tuple and an array are lists, NaN is None, a choice of models is the list
of their names, and a relation between models the list of pairs of names for which it holds.
What a type keeps otherwise stands in a small table of `Keys`. `plainreading` is the way back.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache
from importlib import import_module
from typing import Any, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from rankbars.data.fields import Numbers, numbers_of, without_none

__all__ = [
    "INFINITE",
    "USUAL",
    "Derived",
    "Keys",
    "Table",
    "answer_json",
    "hints_of_members",
    "json_text",
    "to_plain",
]

INFINITE = "infinite"  # JSON has no such number, and null stands for "not known"


@dataclass(frozen=True, slots=True)
class Derived:
    """A value that a file holds for its readers, and that follows from the others.

    Where it is `checked`, a file that says something else is refused.
    """

    value: Callable[[Any], Any]
    hint: Any
    checked: bool = False


@dataclass(frozen=True, slots=True)
class Keys:
    """How a type is kept, where that is not every field under its own name.

    Parameters
    ----------
    renamed : mapping from field to key
        Fields with another name in the file.
    inherited : collection of str
        Fields that are taken from what the object is a part of.
    left_out : collection of str
        Fields that are not kept; they get their defaults.
    named_by : str, optional
        The field that is the object's name in the mapping it stands in.
    optional : collection of str
        Fields whose key is left out where they are None.
    emptied : mapping from field to function
        Fields that are kept as null where the function of the object says so.
    derived : mapping from key to Derived
        Keys that are written and not read.
    """

    renamed: Mapping[str, str] = field(default_factory=dict)
    inherited: Collection[str] = ()
    left_out: Collection[str] = ()
    named_by: str | None = None
    optional: Collection[str] = ()
    emptied: Mapping[str, Callable[[Any], bool]] = field(default_factory=dict)
    derived: Mapping[str, Derived] = field(default_factory=dict)

    def kept(self, kind: type) -> list[tuple[str, str, Any, bool]]:
        """Field, key, hint, and whether it must be there, of everything that is kept."""
        without = {*self.inherited, *self.left_out, self.named_by}
        hints = _hints_of(kind)
        return [
            (
                one.name,
                self.renamed.get(one.name, one.name),
                hints[one.name],
                one.default is MISSING and one.default_factory is MISSING,
            )
            for one in fields(kind)
            if one.name not in without
        ]


Table = Mapping[type, Keys]
USUAL = Keys()


def json_text(values: Any) -> str:
    """Plain values as JSON: keys as they come, shortest round trip of floats, one final newline."""
    text = json.dumps(values, indent=1, ensure_ascii=False, allow_nan=False)
    return text + "\n"


def answer_json(values: Any) -> str:
    """What was found as JSON, as `json_text` writes it: a number that cannot be had is null.

    Examples
    --------
    >>> answer_json({"share": math.nan}).split()
    ['{', '"share":', 'null', '}']
    """
    return json_text(_finite(values))


def to_plain(value: Any, table: Table, hint: Any = None, models: tuple[str, ...] = ()) -> Any:
    """A value as lists, dicts, strings and numbers.

    Parameters
    ----------
    value : object
        A dataclass, or what a field of one holds.
    table : mapping from type to Keys
        Types that are kept in a way of their own.
    hint : type hint, optional
        Of a field; not needed for a dataclass.
    models : tuple of str
        The models that relations are between.

    Examples
    --------
    >>> from rankbars.data.notes import Note
    >>> to_plain(Note("few-items", "3 items.", models=("a",)), {Note: Keys(left_out=["task"])})
    {'code': 'few-items', 'message': '3 items.', 'models': ['a']}
    """
    if value is None:
        return None
    if is_dataclass(value):
        return _object_to_plain(value, table, models)
    hint = without_none(hint)
    numbers = numbers_of(hint)
    if isinstance(value, np.ndarray):
        return _array_to_plain(value, models)
    if isinstance(value, float):
        return _number_to_plain(value, numbers)
    parts = get_args(hint)
    if isinstance(value, Mapping):
        kind = parts[1] if parts else None
        return {name: to_plain(value[name], table, kind, models) for name in sorted(value)}
    if isinstance(value, (tuple, list)):
        inner = hints_of_members(parts, len(value))
        return [to_plain(one, table, kind, models) for one, kind in zip(value, inner, strict=True)]
    return value


def _object_to_plain(value: Any, table: Table, models: tuple[str, ...]) -> dict[str, Any]:
    kind = type(value)
    keys = table.get(kind, USUAL)
    models = getattr(value, "models", models)
    found = {}
    for name, key, hint, _ in keys.kept(kind):
        part = getattr(value, name)
        if part is None and name in keys.optional:
            continue
        if name in keys.emptied and keys.emptied[name](value):
            part = None
        found[key] = to_plain(part, table, hint, models)
    for key, derived in keys.derived.items():
        found[key] = to_plain(derived.value(value), table, derived.hint, models)
    return found


def _array_to_plain(array: NDArray[Any], models: tuple[str, ...]) -> Any:
    if array.dtype == np.bool_ and array.ndim == 1:
        return [models[i] for i in np.flatnonzero(array)]
    if array.dtype == np.bool_:
        return [[models[i], models[j]] for i, j in np.argwhere(array)]
    plain = array.tolist()
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return plain
    return _finite(plain)


def _finite(plain: Any) -> Any:
    if isinstance(plain, Mapping):
        return {key: _finite(one) for key, one in plain.items()}
    if isinstance(plain, (list, tuple)):
        return [_finite(one) for one in plain]
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain


def _number_to_plain(value: float, numbers: tuple[type[Any], Numbers] | None) -> float | str | None:
    if math.isfinite(value):
        return value
    return INFINITE if value == math.inf and numbers is not None and numbers[1].word else None


def hints_of_members(parts: tuple[Any, ...], size: int) -> tuple[Any, ...]:
    """Hint of each member of a tuple, from what stands in its own."""
    if not parts:
        return (None,) * size
    return (parts[0],) * size if len(parts) == 2 and parts[1] is Ellipsis else parts


# What few boards hold is not loaded to rank, so that its types are names for type checkers only.
_SELDOM_HELD = {
    "SuspectGroup": "rankbars.data.suspects",
    "SuspectVoters": "rankbars.data.suspects",
    "TaskNoise": "rankbars.data.noise",
}


class _SeldomHeld(dict[str, Any]):
    """Those types by name; other names are looked up in the module of the dataclass."""

    def __missing__(self, name: str) -> Any:
        return getattr(import_module(_SELDOM_HELD[name]), name)


@cache
def _hints_of(kind: Any) -> dict[str, Any]:
    """Type hints of the fields of a dataclass, with what is annotated."""
    known = get_type_hints(kind, localns=_SeldomHeld(), include_extras=True)
    return {name: known[name] for name in kind.__dataclass_fields__}
