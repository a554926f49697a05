"""Matrices: models by tasks, tasks by models, items by models, tasks by folds.

A matrix becomes rows, one for each cell, and then goes the way of a tidy table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from typing import NamedTuple

from rankbars.errors import DataError
from rankbars.tables.cells import NumberColumn, Unread, merge_columns
from rankbars.tables.columns import ROLES, fold_name
from rankbars.tables.layouts import (
    HEAD_ROWS,
    corner_names,
    find_numeric,
    find_row_numbers,
    is_helper,
    is_summary,
)
from rankbars.tables.relations import Rows, Table
from rankbars.tables.tidy import FileNames, TidyTable, spelling_remark

__all__ = ["HEADER", "POSITION", "describes_rows", "prepare_wide"]

# What stands in the place of a column's name where the rows or the header of a matrix give names.
HEADER, POSITION = "(header)", "(position)"

# Endings of a column that holds the standard error of another.
SE_ENDINGS = ("_se", "_stderr", "_std_err", "_std_error", "_standard_error", " se", " stderr")

# Endings of a column that holds the number of items behind another.
N_ENDINGS = ("_n", "_n_items", "_num_samples", "_n_samples", " n")

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
    """The matrix with one row per cell, ready for `take_names`.

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
    parts, seen = _survey(table, rows, columns)
    kept, text = _numeric_columns(table, seen, parts.values)
    remarks = [("columns", _describe(layout, parts, kept, text))]
    remarks += spelling_remark(seen[name] for name in kept)
    summaries = [] if parts.row_names is None else table.named_like(parts.row_names, is_summary)
    if summaries:
        remarks.append(("summaries", _left_aside(summaries)))
    if layout == "models-by-tasks" and not parts.row_names:
        remarks.append(("unnamed-rows", _UNNAMED_ROWS))
    melted = _melt(table, parts, kept, rows, columns, summaries)
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


_UNNAMED_ROWS = (
    "The first column has no name; its rows are taken for models. If they are not: --layout "
    "tasks-by-models or items-by-models."
)


def _left_aside(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names))
    if len(names) == 1:
        return f"The row {shown} summarises the others, and is left aside."
    return f"The rows {shown} summarise the others, and are left aside."


def _survey(table: Table, rows: str, columns: str) -> tuple[_Parts, Mapping[str, NumberColumn]]:
    """Parts, and what their columns hold; once more if a file had columns further down."""
    while True:
        known = table.columns
        parts = _split(table, rows, columns)
        beside = (*parts.errors.values(), *parts.counts.values())
        seen = table.survey([*parts.values, *beside])
        if table.columns == known:
            break
    for name in beside:
        unread = seen[name].unread
        if unread is not None:
            raise DataError(_not_one_number(table, name, unread))
        if seen[name].mixture:
            raise DataError(_mixed(table, f"the column {name!r} holds {seen[name].mixture}"))
    return parts, seen


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
    else:
        dropped += [name for name in rest if is_summary(name)]
        rest = [name for name in rest if not is_summary(name)]
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
    table: Table, seen: Mapping[str, NumberColumn], values: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Value columns that hold numbers, and those that hold text only."""
    kept, text = [], []
    for name in values:
        column = seen[name]
        unread = column.unread
        if unread is None:
            kept.append(name)
            continue
        plain_text = column.plain + column.percentages == 0
        if not plain_text or unread.text.lstrip("+-")[:1].isdigit():
            raise DataError(_not_one_number(table, name, unread))
        text.append(name)
    if not kept:
        shown = ", ".join(map(repr, text[:5]))
        raise DataError(
            f"{table.source}: no column of the matrix holds numbers ({shown} hold text). "
            "Expected a score in each cell, such as 1 for right and 0 for wrong. If these are "
            "answers, score them first."
        )
    whole = reduce(merge_columns, (seen[name] for name in kept))
    if whole.plain and whole.percentages:
        raise DataError(_mixed(table, "some cells are percentages and some are plain numbers"))
    if whole.mixture:
        raise DataError(_mixed(table, f"the cells hold {whole.mixture}"))
    return tuple(kept), tuple(text)


def _mixed(table: Table, what: str) -> str:
    return f"{table.source}: {what}. Write all of them the same way."


def _not_one_number(table: Table, name: str, unread: Unread) -> str:
    row = table.header_rows + 1 + unread.row
    return (
        f"{table.source}, row {row}, column {name!r}: the cell {unread.text[:40]!r} is "
        "not one plain number. Expected a number, a percentage or an empty cell. "
        f"{_advise(unread.text)}"
    )


def _advise(text: str) -> str:
    from rankbars.tables.decorated import describe_decoration

    usual = "Put what else it says into a column of its own, or remove the column."
    return describe_decoration(text) or usual


def _melt(
    table: Table, parts: _Parts, kept: Sequence[str], rows: str, columns: str,
    summaries: Sequence[str],
) -> Rows:  # fmt: skip
    labels = {role: name for role, name in parts.traits.items() if role not in TASK_NUMBERS}
    numbers = {role: name for role, name in parts.traits.items() if role in TASK_NUMBERS}
    if parts.row_names is not None:
        labels[rows] = parts.row_names
    lists: dict[str, Sequence[str | None]] = {"score": kept}
    if parts.errors:
        lists["se"] = [parts.errors[name] for name in kept]
    if parts.counts:
        lists["n"] = [parts.counts.get(name) for name in kept]
    named = parts.row_names
    left_out = (named, summaries) if named is not None and summaries else None
    numbered = None if rows in labels else rows
    return table.below(labels, numbers, columns, lists, kept, numbered, left_out)


def _describe(layout: str, parts: _Parts, kept: Sequence[str], text: Sequence[str]) -> str:
    message = f"A matrix, {layout.replace('-', ' ')}, with {len(kept)} columns of scores"
    if parts.row_names is not None:
        by = repr(parts.row_names) if parts.row_names else "the first column"
        message += f"; rows are named by {by}"
    dropped = [*(name or "(unnamed index)" for name in parts.dropped), *text]
    return f"{message}. Not used: {', '.join(map(repr, dropped))}." if dropped else f"{message}."
