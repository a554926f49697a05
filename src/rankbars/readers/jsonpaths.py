"""Paths in JSON: the records that they tell apart, and those that a file has.

A path is keys with dots between them: ``config.model``. ``results[]`` is each element of a list and
``tasks.*`` each member of an object, by its key where the path ends there. A list at the top, and
the lines of a file, need no brackets: ``task_id`` is that of each record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from rankbars.errors import OptionError
from rankbars.readers.inputfiles import InputFile, data_suffix, open_text
from rankbars.readers.logs.jsontext import (
    LARGEST_LINE,
    load_json,
    read_json_lines,
    read_records,
    record_keys,
)
from rankbars.readers.scoredrows import is_csv, read_table
from rankbars.tables.givenoptions import MAP_TOKEN

__all__ = ["Seen", "Spot", "bind_paths", "path_keys", "seen_paths"]

_BY_KEY = ("model", "task", "item", "trial")  # of a path that ends in a star the key counts

# Records that a look takes in, and the longest path that it describes.
_LOOKED_AT, _LONGEST_PATH = 500, 200


class Spot(NamedTuple):
    """One record: the value at each path, None where there is none, its place, and the paths."""

    values: Mapping[str, Any]
    place: str
    paths: Mapping[str, str]


def path_keys(path: str) -> tuple[str, ...]:
    """The keys of a path, with ``[]`` and ``*`` as keys of their own.

    Examples
    --------
    >>> path_keys("tasks.*.results[].score")
    ('tasks', '*', 'results', '[]', 'score')
    """
    return tuple(one.removeprefix(".") for one in MAP_TOKEN.findall(path))


def bind_paths(file: InputFile, paths: Mapping[str, str]) -> Iterator[Spot]:
    """Every record that the paths tell apart: each step into a list or object is one of them."""
    keys = {role: path_keys(path) for role, path in paths.items()}
    axes: dict[tuple[str, ...], None] = {}
    for tokens in keys.values():
        for end, token in enumerate(tokens, start=1):
            if token in ("[]", "*"):
                axes[tokens[:end]] = None
    ordered = sorted(axes, key=len)
    for one, two in pairwise(ordered):
        if two[: len(one)] != one:
            raise OptionError(
                f"The map steps into two lists that lie beside each other, {''.join(one)} and "
                f"{''.join(two)}. One must lie in the other."
            )
    first = ordered[0] if ordered else ()
    for number, root in enumerate(_roots(file, first), start=1):
        place = f"{file.label}, record {number}"
        yield from (Spot(values, place, paths) for values in _bind(root, keys, ordered, {}))


def _roots(file: InputFile, first: tuple[str, ...]) -> Iterator[Any]:
    """The documents that paths begin in; lists are taken one element at a time."""
    if is_csv(file.path):
        yield from (row for _, row in read_table(file))
    elif first != ("*",) and record_keys(file.path):
        yield from (row for _, row in read_records(file))
    elif _is_lines(file):
        yield from (row for _, row in read_json_lines(file))
    elif len(first) == 2 and first[1] == "[]":
        # The list lies in the file beside what holds for all of its records.
        header: dict[str, Any] = {}
        for _ in read_records(file, first[0], header):
            pass
        for _, record in read_records(file, first[0]):
            yield {**header, first[0]: [record]}
    else:
        yield load_json(file)


def _is_lines(file: InputFile) -> bool:
    """Whether there is an object on each line, not one object on one line or many."""
    if data_suffix(file.path) == ".jsonl":
        return True
    with open_text(file) as text:
        first = text.readline(LARGEST_LINE)
        return first.endswith("\n") and first.rstrip().endswith("}") and (
            text.readline(16).lstrip().startswith("{")
        )  # fmt: skip


def _bind(
    root: Any, keys: Mapping[str, tuple[str, ...]], axes: Sequence[tuple[str, ...]],
    bound: Mapping[tuple[str, ...], tuple[Any, Any]],
) -> Iterator[dict[str, Any]]:  # fmt: skip
    if not axes:
        yield {
            role: bound[tokens][0]
            if tokens[-1] == "*" and role in _BY_KEY
            else _value(root, tokens, bound)
            for role, tokens in keys.items()
        }
        return
    axis = axes[0]
    holder = _value(root, axis[:-1], bound)
    steps: Any = ()
    if axis[-1] == "[]" and isinstance(holder, list):
        steps = enumerate(holder)
    elif axis[-1] == "*" and isinstance(holder, dict):
        steps = holder.items()
    for step in steps:
        yield from _bind(root, keys, axes[1:], {**bound, axis: step})


def _value(
    root: Any, tokens: tuple[str, ...], bound: Mapping[tuple[str, ...], tuple[Any, Any]]
) -> Any:
    start = max((axis for axis in bound if tokens[: len(axis)] == axis), key=len, default=())
    value = bound[start][1] if start else root
    for token in tokens[len(start) :]:
        value = value.get(token) if isinstance(value, dict) else None
    return value


def _are_members(value: Mapping[str, Any]) -> bool:
    """Whether the keys of an object name things of one kind: many of them, or with equal keys."""
    inner = list(value.values())
    if len(inner) > 8 and len(set(map(type, inner))) == 1:
        return isinstance(inner[0], dict | list)
    alike = len(inner) > 1 and all(isinstance(one, dict) and one for one in inner)
    return alike and len(set(map(frozenset, inner))) == 1


class Seen(NamedTuple):
    """What stands at a path."""

    types: dict[str, int]
    example: str


def seen_paths(file: InputFile) -> dict[str, Seen]:
    """Paths of single values in the first records, with their types and how many there are."""
    found: dict[str, Seen] = {}

    def look(value: Any, path: str) -> None:
        if len(path) >= _LONGEST_PATH:
            return
        if isinstance(value, dict):
            many = _are_members(value)
            for key, one in [*value.items()][:_LOOKED_AT]:
                plain = "*" if many or not MAP_TOKEN.fullmatch(key) else key
                look(one, f"{path}.{plain}" if path else plain)
        elif isinstance(value, list):
            for one in value[:_LOOKED_AT]:
                look(one, f"{path}[]")
        else:
            kind = {bool: "true/false", str: "text", int: "number", float: "number"}.get(
                type(value), "null"
            )
            seen = found.setdefault(path, Seen({}, ""))
            seen.types[kind] = seen.types.get(kind, 0) + 1
            if not seen.example and kind != "null" and len(str(value)) <= 24:
                found[path] = seen._replace(example=str(value))

    for number, root in enumerate(_roots(file, ())):
        if number >= _LOOKED_AT:
            break
        look(root, "")
    return found
