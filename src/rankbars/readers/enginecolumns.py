"""Columns of a scanned file: an expression for the engine, and how its answers become codes."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.tables.cells import WORDS, NumberCells, label_text, parse_number
from rankbars.tables.coding import ROW_ROLES, NumberColumn, sort_names, take_codes
from rankbars.tables.database import Scan

__all__ = [
    "LabelColumn", "UnusualTextError", "convert_text", "is_text", "label_column", "number_column",
    "number_text_column", "take_survey", "text_column",
]  # fmt: skip

INTEGERS = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT",
                      "UINTEGER"})  # fmt: skip
# Distinct values of these are turned into names one by one.
VALUES = frozenset({"UBIGINT", "HUGEINT", "UHUGEINT", "FLOAT", "DOUBLE", "BOOLEAN"})
# A column without any value.
NOTHING = frozenset({"NULL", '"NULL"'})
# The text of these is their name.
MOMENTS = ("DATE", "TIME", "UUID")

# A table of all whole numbers between the least and the greatest is used up to this many gaps.
GAPS = 1 << 20

ROWS_AT_ONCE = 1 << 21


class UnusualTextError(DataError):
    """A text column holds more than plain numbers; it has to be read cell by cell."""


class LabelColumn(NamedTuple):
    """A column of names.

    Parameters
    ----------
    cell : str
        The cell as a name is found by it.
    code : callable
        What to select, from an expression for the cell.
    names : tuple of str
        Names in their order; codes index them.
    finish : callable
        Turns what the engine answers into codes.
    filled : bool
        Whether it is known that no cell is empty.
    as_is : bool
        Whether cells are the names themselves.
    """

    cell: str
    code: Callable[[str], str]
    names: tuple[str, ...]
    finish: Callable[[NDArray[Any]], NDArray[np.int32]]
    filled: bool = False
    as_is: bool = False

    @property
    def expression(self) -> str:
        """What to select."""
        return self.code(self.cell)


def is_text(kind: str) -> bool:
    """Whether the type holds text.

    Examples
    --------
    >>> is_text("VARCHAR"), is_text("DOUBLE")
    (True, False)
    """
    return kind == "VARCHAR" or kind.startswith("ENUM")


class Survey(NamedTuple):
    """What one scan tells about a file that is slow to scan.

    Parameters
    ----------
    rows : int
        Number of rows.
    texts : mapping from str to sequence of str
        Distinct cells of each column of names; of each column of numbers those that are none.
    known : mapping from str to int
        Plain numbers in each column of numbers.
    """

    rows: int
    texts: Mapping[str, Sequence[str]]
    known: Mapping[str, int]


def take_survey(scan: Scan, labels: Collection[str], numbers: Collection[str]) -> Survey:
    """What is needed to code columns of text, in one scan.

    Parameters
    ----------
    scan : Scan
        The file; its columns hold text.
    labels, numbers : collection of str
        Columns of names and of numbers.
    """
    wanted = ["count(*)", *(f"list(DISTINCT {scan.column(name)[0]})" for name in labels)]
    for name in numbers:
        column = scan.column(name)[0]
        wanted.append(f"count({_as_number(column)})")
        wanted.append(f"list(DISTINCT {column}) FILTER (WHERE {_unusual(column)})")
    answer = list(scan.ask(", ".join(wanted)).fetchall()[0])
    rows = int(answer.pop(0))
    texts = {name: _present(answer.pop(0)) for name in labels}
    known = {}
    for name in numbers:
        known[name] = int(answer.pop(0))
        texts[f"number {name}"] = _present(answer.pop(0))
    return Survey(rows, texts, known)


def _present(texts: Sequence[str | None] | None) -> list[str]:
    return [text for text in texts or () if text is not None]


def _as_number(column: str) -> str:
    return f"try_cast({column} AS DOUBLE)"


def _unusual(column: str) -> str:
    # The engine also reads 1_000, which is no number here.
    return f"{column} IS NOT NULL AND ({_as_number(column)} IS NULL OR contains({column}, '_'))"


def text_column(scan: Scan, role: str, name: str, survey: Survey) -> LabelColumn:
    """The column `name`, which holds text, as names."""
    texts = survey.texts[name]
    return _texts(scan, role, scan.column(name)[0], texts, texts)


def label_column(scan: Scan, role: str, name: str) -> LabelColumn:
    """The column `name` as names; raises `DataError` if its type cannot be one."""
    column, kind = scan.column(name)
    if kind in NOTHING:
        return _texts(scan, role, column, (), ())
    if kind in INTEGERS:
        return _whole_numbers(scan, role, column)
    if is_text(kind):
        found = scan.values(f"DISTINCT {column}")
        texts = [text for text in found if text is not None]
        names = _texts(scan, role, column, texts, texts)
        return names._replace(filled=all(found), as_is=True)
    if kind in VALUES or kind.startswith("DECIMAL"):
        pairs = scan.ask(f"DISTINCT {column}, {column}::VARCHAR").fetchall()
        known = [(label_text(value) or "", text) for value, text in pairs if text is not None]
        return _texts(
            scan, role, f"{column}::VARCHAR", [text for _, text in known], [one for one, _ in known]
        )
    if kind.startswith(MOMENTS):
        texts = [text for text in scan.values(f"DISTINCT {column}::VARCHAR") if text is not None]
        return _texts(scan, role, f"{column}::VARCHAR", texts, texts)
    raise DataError(
        f"{scan.source}: the column {name!r} ({role}) has the type {kind}, which cannot be a name. "
        f"Name another column: --column {role}=NAME (in Python: columns={{{role!r}: 'NAME'}})."
    )


def _whole_numbers(scan: Scan, role: str, column: str) -> LabelColumn:
    found = scan.ask(f"DISTINCT {column} AS v").fetchnumpy()["v"]
    values = np.sort(np.ma.compressed(found).astype(np.int64))
    names, position = sort_names(
        [str(value) for value in values.tolist()], numeric=role in ROW_ROLES
    )
    first = int(values[0]) if len(values) else 0
    span = int(values[-1]) - first + 1 if len(values) else 0
    table = None
    if span <= 4 * len(values) + GAPS:
        table = np.full(span, -1, np.int32)
        table[values - first] = position

    plain_order = table is not None and bool((table == np.arange(span, dtype=np.int32)).all())

    def finish(cells: NDArray[Any]) -> NDArray[np.int32]:
        plain = np.ma.getdata(cells).astype(np.int64)
        if not len(values):
            return np.full(len(plain), -1, np.int32)
        empty = np.ma.getmaskarray(cells) if np.ma.is_masked(cells) else None
        if empty is not None:
            plain[empty] = first
        if table is None:
            codes = position[np.searchsorted(values, plain)]
        else:
            plain -= first
            codes = plain.astype(np.int32) if plain_order else table[plain]
        if empty is not None:
            codes[empty] = -1
        return codes

    return LabelColumn(column, str, names, finish, len(values) == len(found), as_is=True)


def _texts(
    scan: Scan, role: str, cell: str, texts: Sequence[str], names: Sequence[str]
) -> LabelColumn:
    """Column whose cells are `texts`, which stand for `names`; several may share a name."""
    if not texts:
        return LabelColumn(
            "NULL::INTEGER", str, (), lambda cells: np.full(len(cells), -1, np.int32)
        )
    ordered, _ = sort_names(tuple({name for name in names if name}), numeric=role in ROW_ROLES)
    code_of = {name: code for code, name in enumerate(ordered)}
    # In the order of their names, so that codes need not be renumbered where there are no others.
    codes, texts = zip(
        *sorted((code_of.get(name, -1), text) for name, text in zip(names, texts, strict=True)),
        strict=True,
    )
    position = np.array(codes, np.int32)
    in_order = len(position) == len(ordered) and bool((position >= 0).all())
    kind = f"names_{uuid.uuid4().hex}"
    scan.engine.execute(f"CREATE TEMP TABLE {kind}_list (name VARCHAR)")
    scan.engine.execute(f"INSERT INTO {kind}_list SELECT unnest(?::VARCHAR[])", [list(texts)])
    scan.engine.execute(f"CREATE TYPE {kind} AS ENUM (SELECT name FROM {kind}_list)")
    scan.engine.execute(f"DROP TABLE {kind}_list")

    def finish(cells: NDArray[Any]) -> NDArray[np.int32]:
        codes = np.ma.getdata(cells).astype(np.int32)
        if np.ma.is_masked(cells):
            codes[np.ma.getmaskarray(cells)] = -1
        return codes if in_order else take_codes(codes, position)

    return LabelColumn(cell, lambda text: f"enum_code({text}::{kind})", ordered, finish)


def number_column(scan: Scan, role: str, name: str) -> tuple[str, NumberColumn]:
    """Expression for a column of numbers, and what it holds; `DataError` if its type holds none."""
    column, kind = scan.column(name)
    if kind in NOTHING:
        return "NULL::DOUBLE", NumberColumn(None, 0, 0, truths=False)
    if kind in INTEGERS or kind in VALUES or kind.startswith("DECIMAL"):
        known = int(scan.values(f"count({column})")[0])
        return f"{column}::DOUBLE", NumberColumn(None, known, 0, truths=kind == "BOOLEAN")
    raise DataError(
        f"{scan.source}: the column {name!r} ({role}) has the type {kind}; expected numbers. "
        f"Name another column: --column {role}=NAME (in Python: columns={{{role!r}: 'NAME'}})."
    )


def number_text_column(scan: Scan, name: str, survey: Survey) -> tuple[str, NumberColumn]:
    """Expression for a text column of plain numbers, and what it holds.

    Raises
    ------
    UnusualTextError
        If it holds more than plain numbers and the usual words for none.
    """
    column = scan.column(name)[0]
    cases, truths = "", False
    for text in survey.texts[f"number {name}"]:
        value = parse_number(text)
        if value is None or text.strip().casefold() not in WORDS:
            raise UnusualTextError(f"{scan.source}: the column {name!r} holds {text!r}.")
        truths |= not np.isnan(value)
        quoted = text.replace("'", "''")
        cases += f" WHEN {column} = '{quoted}' THEN {'NULL' if np.isnan(value) else value}"
    number = _as_number(column)
    expression = f"CASE{cases} ELSE {number} END" if cases else number
    known = survey.known[name]
    return expression, NumberColumn(None, known, 0, truths=truths and not known)


def convert_text(scan: Scan, name: str, rows: int) -> tuple[NDArray[np.float64], NumberColumn]:
    """A text column of numbers, cell by cell, with every spelling that is known."""
    column, _ = scan.column(name)
    cells = NumberCells()
    for low in range(0, rows, ROWS_AT_ONCE):
        part = scan.ask(
            f"{column}::VARCHAR AS v",
            f"WHERE file_row_number >= {low} AND file_row_number < {low + ROWS_AT_ONCE}",
        )
        cells.extend(part.fetchnumpy()["v"].tolist())
    seen = NumberColumn(cells.unread, cells.plain, cells.percentages, cells.truths)
    return cells.values(), seen
