"""Columns of a matrix that name its rows: models, tasks or items, and what these belong to."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from rankbars.errors import DataError
from rankbars.tables.asides import describes_answers, is_helper
from rankbars.tables.columns import existing_column, find_segments, fold_name, names_source
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.tableheads import Header, corner_names, names_items
from rankbars.tables.tablerows import Table

__all__ = ["TASK_LABELS", "TASK_NUMBERS", "RowKeys"]

# Columns of a matrix whose rows are tasks that describe the task.
TASK_LABELS = ("metric", "category", "family")
TASK_NUMBERS = ("n", "weight")


class RowKeys(NamedTuple):
    """What names the rows of a matrix.

    Parameters
    ----------
    row_names : str or None
        The column that names them; None if they are items without a name.
    keys : mapping from str to str
        Further columns that say what a row is about, by role.
    traits : mapping from str to str
        Columns that describe tasks, as the caller named them, by role.
    named : frozenset of str
        All columns that the caller named.
    """

    row_names: str | None
    keys: Mapping[str, str]
    traits: Mapping[str, str]
    named: frozenset[str]

    @classmethod
    def of(cls, table: Table, rows: str, columns: str, options: ReadOptions) -> RowKeys:
        """The keys of a matrix of such rows and columns.

        Raises
        ------
        DataError
            If a column that the caller named does not exist, or cannot be what it is named.
        """
        header = Header.of(table)
        names = [name for name in table.columns if name not in header.row_numbers]
        named = _named_columns(table, columns, options)
        inside = rows == "model" and columns == "task" and not named
        keys = _keys_within(header, names) if inside else _keys(header, names, rows, columns)
        keys = {role: name for role, name in keys.items() if name not in named.values()} | named
        traits = {role: keys.pop(role) for role in (*TASK_LABELS, *TASK_NUMBERS) if role in named}
        row_names = keys.pop(rows, None) or _row_names(
            [name for name in names if name not in keys.values()], header, rows
        )
        if rows == "item" and columns == "model":
            row_names, keys = _with_source(header, names, row_names, keys, named, options.models)
        return cls(row_names, keys, traits, frozenset(named.values()))


def _keys(header: Header, names: Sequence[str], rows: str, columns: str) -> dict[str, str]:
    """Columns that number rows, by role, and the column of tasks beside them or beside items."""
    if columns == "epoch":
        return {role: name for role in ("task", "model") for name in names
                if fold_name(name) in corner_names(role)
                and name not in header.numbers}  # fmt: skip
    if columns != "model" or rows == "task":
        return {}
    keys = header.keys
    tasks = [
        name for place, name in enumerate(names)
        if fold_name(name) in corner_names("task")
        and (keys or place == 0 or not describes_answers(name))
    ]  # fmt: skip
    found = keys or any(map(names_items, names))
    return keys | ({"task": tasks[0]} if found and tasks else {})


def _keys_within(header: Header, names: Sequence[str]) -> dict[str, str]:
    """Columns that name or number the rows of models that have several."""
    model = next((name for name in names if fold_name(name) in corner_names("model")), None)
    if model is None or header.is_different(model):
        return {}
    items = [name for name in names if name != model and names_items(name)]
    return header.keys | ({"item": items[0]} if items else {})


def _named_columns(table: Table, columns: str, options: ReadOptions) -> dict[str, str]:
    """Columns of a matrix that the caller named, by role.

    Raises
    ------
    DataError
        If one does not exist, or its role is what the header or the cells of the matrix hold.
    """
    named = {role: name for role, name in options.columns.items() if name}
    for role, name in named.items():
        existing_column(name, role, table.columns, table.source)
        if role in (columns, *_CELL_ROLES):
            holds = "header" if role == columns else "cells"
            raise DataError(
                f"{table.source}: in this matrix the {holds} hold the {role}s, so the column "
                f"{name!r} cannot. Leave {role}={name!r} out, or the layout, if there is one row "
                "per score."
            )
    return named


_CELL_ROLES = ("score", "se", "ci_low", "ci_high", "ci_level")


def _with_source(
    header: Header, names: Sequence[str], rows: str | None, keys: Mapping[str, str],
    named: Collection[str], models: Collection[str],
) -> tuple[str | None, dict[str, str]]:  # fmt: skip
    """The column of items, and keys with what they come from: patients that have several scans."""
    free = [name for name in names if name not in (*keys.values(), *models)]
    rows = _names_of_items(header, rows, free, clustered="cluster" in named)
    if "cluster" in keys:
        return rows, dict(keys)
    segments = {} if "item" in named else find_segments(names)
    if segments:
        return segments["item"], {**keys, "cluster": segments["cluster"]}
    free = [name for name in names if name not in keys.values()]
    source = next((name for name in free if name != rows and names_source(name)), None)
    if rows is not None and names_source(rows):
        texts = [name for name in free if name not in header.numbers]
        beside = next(filter(header.is_different, texts), rows)
        rows, source = (rows, source) if beside == rows else (beside, rows)
    return rows, {**keys, **({} if source is None else {"cluster": source})}


def _row_names(names: Sequence[str], header: Header, rows: str) -> str | None:
    """Column that names the rows; None if rows are items without a name.

    No model is called after its place where a text beside it names each row.
    """
    spellings = corner_names(rows)
    named = [name for name in names if fold_name(name) in spellings]
    if named:
        return named[0]
    if not names or (rows == "item" and names[0] in header.numbers):
        return None
    if rows == "model" and _holds_places(names[0], header):
        texts = (name for name in names if name not in header.numeric and not is_helper(name))
        return next(filter(header.is_different, texts), names[0])
    return names[0]


def _holds_places(name: str, header: Header) -> bool:
    """Whether a column is called after places, or a number, and holds some of 1 to n.

    >>> _holds_places("Rank", Header(["Rank", "who"], [(1, "ash"), (2, "birch")]))
    True
    """
    called = is_helper(name) or fold_name(name) in ("", "no", "nr", "number", "pos")
    cells = header.read[name]
    return called and all(one is not None and one in range(1, len(cells) + 1) for one in cells)


def _names_of_items(
    header: Header, found: str | None, free: Sequence[str], *, clustered: bool
) -> str | None:
    """The column of items: none that repeats within named groups; else one that numbers rows."""
    by_place = found is not None and fold_name(found) not in corner_names("item")
    if found is not None and clustered and by_place and not header.is_different(found):
        return None
    return next(filter(header.counts_up, free), None) if found is None else found
