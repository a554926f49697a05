"""Frozen types from plain values, as `plain` makes them; all that is read is checked.

An error names the place by its key.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import is_dataclass
from itertools import chain
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np
from numpy.typing import NDArray

from rankbars.data.fields import Numbers, numbers_of, without_none
from rankbars.data.plain import INFINITE, USUAL, Table, hints_of_members
from rankbars.errors import DataError, RankbarsError

__all__ = ["from_plain"]

LARGEST_WHOLE = 2**53  # what every reader of JSON can hold
LARGEST = 1e300  # so that differences and shares can be computed


def from_plain(
    plain: Any, hint: Any, table: Table, place: str = "", given: Mapping[str, Any] | None = None
) -> Any:
    """The value that `to_plain` made `plain` from.

    Parameters
    ----------
    plain : object
        Lists, dicts, strings, numbers and None, from anywhere.
    hint : type hint
        What it is to be: a dataclass, or the hint of a field.
    table : mapping from type to Keys
        Types that are kept in a way of their own.
    place : str
        Where it stands, for errors.
    given : mapping from str to object, optional
        What the object is a part of, by field.

    Raises
    ------
    DataError
        If anything has another type or lies outside of its range, or what was put together is
        refused; the message begins with the place.

    Examples
    --------
    >>> from rankbars.data.notes import Note
    >>> from_plain({"code": "few-items", "message": "3 items."}, Note, {})
    Note(code='few-items', message='3 items.', task=None, models=())
    >>> from_plain({"code": "few-items", "message": 3}, Note, {})
    Traceback (most recent call last):
    ...
    rankbars.errors.DataError: message must be a text; found 3.
    """
    return _Reader(table).read(plain, hint, place, {} if given is None else given)


class _Reader:
    def __init__(self, table: Table) -> None:
        self.table = table

    def read(self, plain: Any, hint: Any, place: str, given: Mapping[str, Any]) -> Any:
        if hint is Any:
            return plain
        if get_origin(hint) in (Union, UnionType):
            hint = without_none(hint)
            if plain is None:
                return None
        numbers = numbers_of(hint)
        if numbers is not None:
            return _read_numbers(plain, *numbers, place, given)
        if is_dataclass(hint):
            return self._read_object(plain, hint, place, given)
        origin = get_origin(hint)
        if hint is str:
            return _read_text(plain, place)
        if hint is bool:
            return _expect(plain, bool, "true or false", place)
        if origin is None:
            return _read_numbers(plain, hint, Numbers(), place, {})
        if origin is Literal:
            known = get_args(hint)
            if not isinstance(plain, str) or plain not in known:
                raise _wrong(place, "one of " + ", ".join(map(repr, known)), plain)
            return plain
        return self._read_members(plain, origin, get_args(hint), place, given)

    def _read_object(self, plain: Any, kind: Any, place: str, given: Mapping[str, Any]) -> Any:
        keys = self.table.get(kind, USUAL)
        values = _expect(plain, dict, "an object", place)
        found: dict[str, Any] = {name: given[name] for name in keys.inherited}
        if keys.named_by is not None:
            found[keys.named_by] = given["name"]
        for name, key, hint, needed in keys.kept(kind):
            here = f"{place}.{key}" if place else key
            if key in values:
                found[name] = self.read(values[key], hint, here, {**given, **found})
            elif needed:
                raise DataError(f"{here} is missing.")
        said = {
            key: self.read(values.get(key), derived.hint, f"{place}.{key}" if place else key, given)
            for key, derived in keys.derived.items()
        }
        try:
            made = kind(**found)
        except RankbarsError as error:
            raise DataError(f"{place}: {error}" if place else str(error)) from error
        for key, derived in keys.derived.items():
            if derived.checked and said[key] is not None:
                _check_said(said[key], derived.value(made), f"{place}.{key}" if place else key)
        return made

    def _read_members(
        self, plain: Any, origin: Any, parts: tuple[Any, ...], place: str, given: Mapping[str, Any]
    ) -> Any:
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return self._read_mapping(plain, parts, place, given)
        members = _expect(plain, list, "a list", place)
        hints = hints_of_members(parts, len(members))
        if len(hints) != len(members):
            raise DataError(f"{place} must hold {len(hints)} values; found {len(members)}.")
        read = (
            self.read(one, kind, f"{place}[{k}]", given)
            for k, (one, kind) in enumerate(zip(members, hints, strict=True))
        )
        return tuple(read)

    def _read_mapping(
        self, plain: Any, parts: tuple[Any, ...], place: str, given: Mapping[str, Any]
    ) -> dict[Any, Any]:
        kind = parts[1]
        return {
            _read_text(name, place): self.read(
                one, kind, f"{place}[{name!r}]", {**given, "name": name}
            )
            for name, one in _expect(plain, dict, "an object", place).items()
        }


def _check_said(said: Any, follows: Any, place: str) -> None:
    if not np.array_equal(said, follows):
        raise DataError(f"{place} does not follow from the rest of what it stands in.")


def _expect(plain: Any, kind: type, what: str, place: str) -> Any:
    if type(plain) is not kind:
        raise _wrong(place, what, plain)
    return plain


def _wrong(place: str, what: str, plain: Any) -> DataError:
    kinds = {dict: "an object", list: "a list", type(None): "null", bool: str(plain).lower()}
    shown = kinds.get(type(plain)) or repr(plain)
    return DataError(
        f"{place or 'The file'} must be {what}; found {shown[:60]}{'…' * (len(shown) > 60)}."
    )


def _read_text(plain: Any, place: str) -> str:
    text: str = _expect(plain, str, "a text", place)
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise _wrong(place, "a text of valid characters", plain)
    return text


def _read_numbers(
    plain: Any, kind: type[Any], about: Numbers, place: str, given: Mapping[str, Any]
) -> Any:
    if kind is np.bool_:
        read = _read_relation if len(about.axes) > 1 else _read_chosen
        return read(plain, place, given["models"])
    whole = issubclass(kind, (int, np.integer))
    if kind in (int, float):
        if about.word and plain == INFINITE:
            return math.inf
        _check_leaves([plain], whole, about, place, ())
        return about.null if plain is None else plain
    leaves, shape = _leaves(plain, about, place)
    _check_leaves(leaves, whole, about, place, shape)
    if not whole:
        # NumPy reads None as NaN when told to read numbers.
        array = np.array(leaves, dtype=np.float64)
        if about.null is not None and not math.isnan(about.null):
            array[np.isnan(array)] = about.null
        return array.reshape(shape)
    return np.array(leaves, dtype=np.int64).reshape(shape)


def _read_relation(plain: Any, place: str, models: tuple[str, ...]) -> NDArray[np.bool_]:
    position = {name: i for i, name in enumerate(models)}
    shown = np.zeros((len(models), len(models)), dtype=np.bool_)
    for k, pair in enumerate(_expect(plain, list, "a list", place)):
        if type(pair) is not list or len(pair) != 2:
            raise _wrong(f"{place}[{k}]", "a list of two models, the better one first", pair)
        for name in pair:
            if not isinstance(name, str) or name not in position:
                raise _wrong(f"{place}[{k}]", "two names of models", name)
        shown[position[pair[0]], position[pair[1]]] = True
    return shown


def _read_chosen(plain: Any, place: str, models: tuple[str, ...]) -> NDArray[np.bool_]:
    position = {name: i for i, name in enumerate(models)}
    chosen = np.zeros(len(models), dtype=np.bool_)
    for k, name in enumerate(_expect(plain, list, "a list", place)):
        if not isinstance(name, str) or name not in position:
            raise _wrong(f"{place}[{k}]", "the name of a model", name)
        chosen[position[name]] = True
    return chosen


def _leaves(plain: Any, about: Numbers, place: str) -> tuple[list[Any], tuple[int, ...]]:
    """The numbers of nested lists, and how many there are along each axis."""
    if about.or_one and type(plain) is not list:
        return [plain], ()
    leaves: list[Any] = [plain]
    shape: tuple[int, ...] = ()
    for _ in about.axes:
        for k, part in enumerate(leaves):
            if type(part) is not list:
                raise _wrong(place + _index(k, shape), "a list", part)
            if len(part) != len(leaves[0]):
                where = place + _index(k, shape)
                raise DataError(f"{where} must hold {len(leaves[0])} values; found {len(part)}.")
        shape = (*shape, len(leaves[0]) if leaves else 0)
        leaves = list(chain.from_iterable(leaves))
    return leaves, shape


def _index(k: int, shape: tuple[int, ...]) -> str:
    return "".join(f"[{int(i)}]" for i in np.unravel_index(k, shape)) if shape else ""


def _check_leaves(
    leaves: list[Any], whole: bool, about: Numbers, place: str, shape: tuple[int, ...]
) -> None:
    allowed = {int} if whole else {int, float}
    kinds = set(map(type, leaves))
    known = leaves
    if about.null is not None and type(None) in kinds:
        kinds.discard(type(None))
        known = [one for one in leaves if one is not None]
    most = LARGEST_WHOLE if whole else LARGEST
    fits = kinds <= allowed and (
        not known
        or (about.holds(min(known), max(known)) and -most <= min(known) and max(known) <= most)
    )
    if fits:
        return
    for k, one in enumerate(leaves):
        if one is None and about.null is not None:
            continue
        if type(one) not in allowed or not about.holds(one, one) or not -most <= one <= most:
            raise _wrong(place + _index(k, shape), _wanted(whole, about), one)


def _wanted(whole: bool, about: Numbers) -> str:
    words = "a whole number" if whole else "a number"
    if about.open:
        words += f" strictly between {about.least:g} and {about.most:g}"
    elif math.isfinite(about.least) and math.isfinite(about.most):
        words += f" from {about.least:g} to {about.most:g}"
    elif math.isfinite(about.least):
        words += f", {about.least:g} or more"
    return words + (" or null" if about.null is not None else "")
