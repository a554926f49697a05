"""Matrices: models by tasks, tasks by models, items by models, tasks by folds.

A matrix becomes a coded table with one row per cell, and then goes the way of a tidy table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.tables.coding import (
    Block,
    CodedTable,
    NumberColumn,
    Table,
    sort_names,
    take_codes,
)
from rankbars.tables.columns import ROLES, fold_name
from rankbars.tables.decorated import describe_decoration
from rankbars.tables.layouts import (
    HEAD_ROWS,
    corner_names,
    find_numeric,
    find_row_numbers,
    is_helper,
)
from rankbars.tables.tidy import FileNames, TidyTable, check_numbers

__all__ = ["HEADER", "POSITION", "describes_rows", "prepare_wide"]

# What stands in the place of a column's name where the rows or the header of a matrix give names.
HEADER, POSITION = "(header)", "(position)"

# Endings of a column that holds the standard error of another.
SE_ENDINGS = ("_se", "_stderr", "_std_err", "_std_error", "_standard_error", " se", " stderr")

# Endings of a column that holds the number of items behind another.
N_ENDINGS = ("_n", "_n_items", "_num_samples", "_n_samples", " n")

# Cells that a block holds at least, if the matrix has as many.
BLOCK_ROWS = 1 << 14

# What rows and columns of each layout are; the third name is left to the file.
AXES: Mapping[str, tuple[str, str, str]] = {
    "models-by-tasks": ("model", "task", ""),
    "tasks-by-models": ("task", "model", ""),
    "items-by-models": ("item", "model", "task"),
    "tasks-by-folds": ("task", "fold", "model"),
}

# Columns of a matrix whose rows are tasks that describe the task.
TASK_LABELS = ("metric", "category", "family")
TASK_NUMBERS = ("n", "weight")


class _Parts(NamedTuple):
    """The columns of a matrix by what they hold."""

    row_names: str | None
    values: tuple[str, ...]
    errors: Mapping[str, str]
    counts: Mapping[str, str]
    traits: Mapping[str, str]
    dropped: tuple[str, ...]


def describes_rows(name: str) -> bool:
    """Whether a column of a matrix describes its rows: a rank, a number of items, a category.

    Examples
    --------
    >>> describes_rows("n"), describes_rows("Average"), describes_rows("GSM8K")
    (True, True, False)
    """
    return is_helper(name) or fold_name(name) in {*TASK_LABELS, *TASK_NUMBERS, *_N_NAMES}


# A column of this name holds the number of items behind every score of its row.
_N_NAMES = frozenset(fold_name(name) for name in ("n", *ROLES["n"].aliases))


def prepare_wide(table: Table, layout: str, names: FileNames) -> TidyTable:
    """The matrix as a coded table with one row per cell, ready for `take_names`.

    Parameters
    ----------
    table : Table
        The matrix.
    layout : str
        One of the keys of `AXES`.
    names : FileNames
        Names for what the matrix does not say.

    Raises
    ------
    DataError
        If a cell holds something beside a number, or nothing names the models.
    """
    rows, columns, missing = AXES[layout]
    parts, coded = _code(table, rows, columns)
    beside = (*parts.errors.values(), *parts.counts.values())
    check_numbers(coded, {f"value {name}": name for name in beside})
    kept, text = _numeric_columns(table, coded, parts.values)
    remarks = [("columns", _describe(layout, parts, kept, text))]
    melted = _melt(table, coded, parts, kept, rows, columns)
    if parts.row_names is None:
        remarks.append(
            ("row-order", f"No column names the {rows}s; rows are paired by their position.")
        )
    if missing == "model" and names.model is None:
        raise DataError(
            f"{table.source}: a matrix of tasks by folds needs one file per model, named after "
            "it. Give a tidy table with a column of models instead."
        )
    roles = {rows: parts.row_names or POSITION, columns: HEADER, "score": "cells"}
    beside = (*(("se",) if parts.errors else ()), *(("n",) if parts.counts else ()))
    roles |= {role: role for role in (*parts.traits, *beside)}
    lacking = (missing,) if missing else ()
    return TidyTable(melted, roles, frozenset(), None, tuple(remarks), lacking, renamed=True)


def _code(table: Table, rows: str, columns: str) -> tuple[_Parts, CodedTable]:
    """Parts and coded form; once more if a file without a header had columns further down."""
    while True:
        known = table.columns
        parts = _split(table, rows, columns)
        labels = dict(parts.traits)
        if parts.row_names is not None:
            labels["index"] = parts.row_names
        numbers = {role: labels.pop(role) for role in TASK_NUMBERS if role in labels}
        beside = (*parts.errors.values(), *parts.counts.values())
        numbers |= {f"value {name}": name for name in (*parts.values, *beside)}
        coded = table.code(labels, numbers)
        if table.columns == known:
            return parts, coded


def _split(table: Table, rows: str, columns: str) -> _Parts:
    numeric = find_numeric(table.columns, table.head(HEAD_ROWS))
    numbers = find_row_numbers(table.columns, numeric)
    names = [name for name in table.columns if name not in numbers]
    row_names = _row_names(names, numeric, rows)
    rest = [name for name in names if name != row_names]
    traits: dict[str, str] = {}
    dropped = [name for name in table.columns if name in numbers]
    if rows == "task":
        for role in (*TASK_LABELS, *TASK_NUMBERS):
            found = next((name for name in rest if fold_name(name) == role), None)
            if found is not None:
                traits[role] = found
        rest = [name for name in rest if name not in traits.values()]
    if columns == "task":
        dropped += [name for name in rest if is_helper(name)]
        rest = [name for name in rest if not is_helper(name)]
        found = next((name for name in rest if fold_name(name) in _N_NAMES), None)
        if found is not None:
            traits["n"] = found
            rest.remove(found)
    errors = _companions(rest, SE_ENDINGS)
    counts = _companions(rest, N_ENDINGS) if columns == "task" else {}
    beside = {*errors.values(), *counts.values()}
    values = tuple(name for name in rest if name not in beside)
    if errors and set(errors) != set(values):
        lacking = next(name for name in values if name not in errors)
        raise DataError(
            f"{table.source}: some columns have a standard error beside them (such as "
            f"{next(iter(errors.values()))!r}), {lacking!r} has none. Give one for every column, "
            "or none."
        )
    return _Parts(row_names, values, errors, counts, traits, tuple(dropped))


def _companions(names: Sequence[str], endings: Sequence[str]) -> dict[str, str]:
    """Columns that say something about another column, by that column."""
    found = {}
    for name in names:
        for ending in endings:
            base = name.removesuffix(ending)
            if base != name and base in names:
                found[base] = name
    return found


def _row_names(names: Sequence[str], numeric: Collection[str], rows: str) -> str | None:
    """Column that names the rows; None if rows are items without a name."""
    spellings = corner_names(rows)
    named = [name for name in names if fold_name(name) in spellings]
    if named:
        return named[0]
    if not names or (rows == "item" and names[0] in numeric):
        return None
    return names[0]


def _numeric_columns(
    table: Table, coded: CodedTable, values: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Value columns that hold numbers, and those that hold text only."""
    kept, text = [], []
    for name in values:
        column = coded.columns[f"value {name}"]
        unread = column.unread
        if unread is None and (column.plain or column.percentages or coded.rows):
            kept.append(name)
        elif unread is not None:
            plain_text = column.plain + column.percentages == 0
            if not plain_text or unread.text.lstrip("+-")[:1].isdigit():
                row = table.header_rows + 1 + unread.row
                raise DataError(
                    f"{table.source}, row {row}, column {name!r}: the cell {unread.text[:40]!r} is "
                    "not one plain number. Expected a number, a percentage or an empty cell. "
                    f"{_advise(unread.text)}"
                )
            text.append(name)
    if not kept:
        shown = ", ".join(map(repr, text[:5]))
        raise DataError(
            f"{table.source}: no column of the matrix holds numbers ({shown} hold text). "
            "Expected a score in each cell, such as 1 for right and 0 for wrong. If these are "
            "answers, score them first."
        )
    shares = [coded.columns[f"value {name}"] for name in kept]
    if any(c.percentages for c in shares) and any(c.plain for c in shares):
        raise DataError(
            f"{table.source}: some cells are percentages and some are plain numbers. Write all of "
            "them the same way."
        )
    return tuple(kept), tuple(text)


def _advise(text: str) -> str:
    usual = "Put what else it says into a column of its own, or remove the column."
    return describe_decoration(text) or usual


def _melt(
    table: Table, coded: CodedTable, parts: _Parts, kept: Sequence[str], rows: str, columns: str
) -> CodedTable:  # fmt: skip
    count = coded.rows
    block = coded.whole()
    header, place = sort_names(kept, numeric=columns == "fold")
    if parts.row_names is None:
        row_names: tuple[str, ...] = tuple(str(number) for number in range(1, count + 1))
        row_codes: NDArray[Any] = np.arange(count, dtype=np.int32)
    else:
        row_names, row_codes = coded.names["index"], block.labels["index"]
        if rows == "item":
            row_names, order = sort_names(row_names, numeric=True)
            row_codes = take_codes(row_codes, order)
    names = {rows: row_names, columns: header}
    names |= {role: coded.names[role] for role in parts.traits if role in coded.names}
    traits = [role for role in parts.traits if role in coded.names]
    numbers = [role for role in parts.traits if role not in coded.names]

    def counts_of(name: str) -> NDArray[np.float64]:
        own = parts.counts.get(name)
        known = block.numbers.get("n", np.full(count, np.nan))
        return known if own is None else block.numbers[f"value {own}"]

    def read_blocks(roles: Collection[str] | None) -> Iterator[Block]:
        # A block holds whole columns, one below the other; many, where they are short.
        step = max(1, BLOCK_ROWS // max(count, 1))
        for start in range(0, len(kept), step):
            some = kept[start : start + step]
            size = len(some)
            labels = {
                rows: np.tile(row_codes, size),
                columns: np.repeat(place[start : start + size], count),
                **{role: np.tile(block.labels[role], size) for role in traits},
            }
            values = {"score": _below([block.numbers[f"value {name}"] for name in some])}
            if parts.errors:
                values["se"] = _below(
                    [block.numbers[f"value {parts.errors[name]}"] for name in some]
                )
            values |= {role: np.tile(block.numbers[role], size) for role in numbers}
            if parts.counts:
                values["n"] = _below([counts_of(name) for name in some])
            if roles is not None:
                values = {role: column for role, column in values.items() if role in roles}
            lines = np.tile(np.arange(block.first, block.first + count), size)
            yield Block(
                block.first, count * size, labels, values, table.source, lines, is_matrix=True
            )

    summary = [coded.columns[f"value {name}"] for name in kept]
    whole = NumberColumn(
        None,
        sum(column.plain for column in summary),
        sum(column.percentages for column in summary),
        all(column.truths for column in summary),
    )
    seen = {"score": whole, **({"se": whole} if parts.errors else {})}
    seen |= {role: coded.columns[role] for role in numbers}
    if parts.counts:
        seen.setdefault("n", whole)
    return CodedTable(names, count * len(kept), read_blocks, seen)


def _below(columns: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Columns one below the other; a single one is not copied."""
    return columns[0] if len(columns) == 1 else np.concatenate(columns)


def _describe(layout: str, parts: _Parts, kept: Sequence[str], text: Sequence[str]) -> str:
    message = f"A matrix, {layout.replace('-', ' ')}, with {len(kept)} columns of scores"
    if parts.row_names is not None:
        message += f"; rows are named by {parts.row_names!r}"
    dropped = [*(name or "(unnamed index)" for name in parts.dropped), *text]
    return f"{message}. Not used: {', '.join(map(repr, dropped))}." if dropped else f"{message}."
