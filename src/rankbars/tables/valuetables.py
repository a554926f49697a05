"""Tables whose cells arrive as Python or NumPy values."""

from __future__ import annotations

import decimal
import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.tables.cells import (
    LONGEST_NUMBER,
    WORDS,
    NumberColumn,
    Unread,
    label_text,
    parse_number,
    spellings_of,
    without_points,
)
from rankbars.tables.database import Engine, quote
from rankbars.tables.relations import Pile, Relation, Selection
from rankbars.tables.tablerows import Table, check_width

__all__ = [
    "Chunk",
    "CodedTexts",
    "LabelCells",
    "NumberCells",
    "ValueTable",
    "hold_cells",
    "kept_places",
]

Chunk: TypeAlias = Mapping[str, Sequence[object] | NDArray[Any]]


class _Labelled(Protocol):
    @property
    def label(self) -> str: ...


class ValueTable(Table):
    """A table whose cells arrive as Python or NumPy values, a chunk of rows at a time.

    Parameters
    ----------
    source : str
        Name for messages.
    columns : tuple of str
        Header.
    read_chunks : callable
        Gives chunks (values by column) afresh, restricted to the columns it is passed.
    header_rows : int
        Rows before the first row of data.
    engine : Engine, optional
        The database that rows are put into; one of its own where not given.

    Raises
    ------
    ReadError
        If there are more columns than results have.
    """

    def __init__(
        self, source: str, columns: tuple[str, ...],
        read_chunks: Callable[[Sequence[str]], Iterator[Chunk]], header_rows: int = 1,
        engine: Engine | None = None,
    ) -> None:  # fmt: skip
        check_width(columns, source)
        self.source = source
        self.columns = columns
        self.header_rows = header_rows
        self.read_chunks = read_chunks
        self.engine = Engine() if engine is None else engine
        self.pile: ValuePile | None = None
        self._named: tuple[frozenset[str], Relation] | None = None
        self._chosen: list[int] | None = None

    @classmethod
    def of(
        cls, table: Table, data: Mapping[str, Sequence[object]], engine: Engine,
        *, anew: bool = False,
    ) -> ValueTable:  # fmt: skip
        """A table with other columns, which are held; of its rows the same ones are chosen.

        If it is made `anew`, its rows are others, and all of them count.
        """

        def read_chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
            yield {name: data[name] for name in wanted}

        made = cls(table.source, tuple(data), read_chunks, table.header_rows, engine)
        made._chosen = None if anew else table.chosen()
        return made

    def chosen(self) -> list[int] | None:
        """Places of the rows that the caller chose; None where all count."""
        return self._chosen

    def again(self, file: _Labelled, engine: Engine) -> ValueTable:
        """The same table, called otherwise in messages, whose rows go into another database."""
        return ValueTable(file.label, self.columns, self.read_chunks, self.header_rows, engine)

    def head(self, rows: int) -> list[tuple[object, ...]]:
        """First rows as they are."""
        found: list[tuple[object, ...]] = []
        for chunk in self.read_chunks(self.columns):
            cells = [chunk[name][: rows - len(found)] for name in self.columns]
            found += list(zip(*cells, strict=True))
            if len(found) >= rows:
                break
        return found

    @property
    def shape(self) -> tuple[str, ...]:
        """Its columns."""
        return self.columns

    def pile_up(self, tables: Sequence[ValueTable], engine: Engine) -> None:
        """Let tables of the same columns lie together in the database."""
        pile = ValuePile(tables, engine)
        for table in tables:
            table.pile = pile

    def relate(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> Relation:
        """The given columns in the database."""
        if self.pile is not None and (found := self.pile.find(self, labels, numbers)) is not None:
            return found
        if self._named is not None and not numbers and self._named[0] >= {*labels.values()}:
            return self._named[1]
        named = {name: LabelCells() for name in labels.values()}
        counted, rows = self.convert(named, labels, numbers)
        values = {name: cells.values() for name, cells in counted.items()}
        clause, known = _put_cells(self.engine, {"place": np.arange(rows)}, named, values)
        made = Relation(
            Selection(self.engine, clause), known,
            {name: cells.column() for name, cells in counted.items()},
            partial(self.known_in, tuple(counted)) if counted else None,
        )  # fmt: skip
        if self._chosen is not None:
            places = self.engine.put({"place": np.array(self._chosen, dtype=np.int64)})
            made = made.chosen(f"{quote('place')} IN (SELECT place FROM {places})")
        if not numbers:
            self._named = frozenset(named), made
        return made

    def convert(
        self, named: Mapping[str, LabelCells], labels: Mapping[str, str],
        numbers: Mapping[str, str],
    ) -> tuple[dict[str, NumberCells], int]:  # fmt: skip
        """Columns as numbers, and how many rows there are; those of names are added to `named`.

        Raises
        ------
        DataError
            If a name cannot be one.
        """
        counted = {
            name: NumberCells(self.decimal) for name in numbers.values() if name not in named
        }
        role_of = {name: role for role, name in labels.items()}
        wanted = tuple(dict.fromkeys((*named, *counted)))
        rows = 0
        for chunk in self.read_chunks(wanted):
            for name, cells in named.items():
                try:
                    cells.extend(chunk[name])
                except DataError as error:
                    raise DataError(
                        f"{self.source}: the column {name!r} ({role_of[name]}) {error}."
                        f"{_advise_map(self.source)}"
                    ) from error
            for name, values in counted.items():
                values.extend(chunk[name])
            rows += len(chunk[wanted[0]]) if wanted else 0
        return counted, rows

    def known_in(self, names: Sequence[str], places: NDArray[np.int64]) -> dict[str, NumberColumn]:
        """What columns of numbers hold in the rows at some places alone."""
        counted = {name: NumberCells(self.decimal) for name in names}
        start = 0
        for chunk in self.read_chunks(names):
            rows = len(chunk[names[0]])
            own = places[(places >= start) & (places < start + rows)] - start
            for name, numbers in counted.items():
                cells = chunk[name]
                if isinstance(cells, np.ndarray):
                    numbers.extend(cells[own])
                else:
                    numbers.extend([cells[at] for at in own.tolist()])
            start += rows
        return {name: numbers.column().at(places) for name, numbers in counted.items()}


class ValuePile(Pile):
    """Small tables of the same columns, whose cells are put into the database together.

    Parameters
    ----------
    tables : sequence of ValueTable
        The tables.
    engine : Engine
        The database.
    """

    def __init__(self, tables: Sequence[ValueTable], engine: Engine) -> None:
        super().__init__(engine)
        self._tables = tables
        self._found: dict[tuple[tuple[str, ...], ...], dict[ValueTable, Relation]] = {}

    def find(
        self, table: ValueTable, labels: Mapping[str, str], numbers: Mapping[str, str]
    ) -> Relation | None:
        """The given columns of a table; None if it is to be read by itself."""
        columns = tuple(labels.values()), tuple(numbers.values())
        if columns not in self._found and len(self._found) < _MOST_WAYS:
            try:
                self._found[columns] = self._put(labels, numbers)
            except DataError:  # which the table that it is about says itself
                self._found[columns] = {}
        return self._found.get(columns, {}).get(table)

    def _put(
        self, labels: Mapping[str, str], numbers: Mapping[str, str]
    ) -> dict[ValueTable, Relation]:
        named = {name: LabelCells() for name in labels.values()}
        counted, counts = [], []
        for table in self._tables:
            columns, rows = table.convert(named, labels, numbers)
            counted.append(columns)
            counts.append(rows)
        values = {
            name: np.concatenate([one[name].values() for one in counted]) for name in counted[0]
        }
        file = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        place = np.concatenate([np.arange(rows) for rows in counts])
        clause, known = _put_cells(self.engine, {"file": file, "place": place}, named, values)
        found = {}
        for number, (table, columns) in enumerate(zip(self._tables, counted, strict=True)):
            held = {name: cells.column() for name, cells in columns.items()}
            again = partial(table.known_in, tuple(columns)) if columns else None
            found[table] = Relation(self.select(clause, number), known, held, again)
        return found


# Tables of one shape are put together for so many choices of columns.
_MOST_WAYS = 4


def _put_cells(
    engine: Engine, columns: dict[str, NDArray[Any]], named: Mapping[str, LabelCells],
    values: Mapping[str, NDArray[np.float64]],
) -> tuple[str, dict[str, tuple[str, str]]]:  # fmt: skip
    """What to select rows from whose cells are in the database now, and their columns there."""
    known: dict[str, tuple[str, str]] = {}
    joins, selected = "", list(columns)
    for number, (name, labelled) in enumerate(named.items()):
        columns[f"n{number}"] = labelled.codes()
        names = engine.put({
            "code": np.arange(len(labelled.names), dtype=np.int32),
            "name": np.array([*labelled.names, None], dtype=object)[:-1],
        })  # fmt: skip
        joins += f" LEFT JOIN {names} AS t{number} ON r.n{number} = t{number}.code"
        selected.append(f"t{number}.name AS c{number}")
        known[name] = (f"c{number}", "VARCHAR")
    for number, (name, cells) in enumerate(values.items()):
        columns[f"v{number}"] = cells
        selected.append(f"v{number}")
        known[name] = (f"v{number}", "DOUBLE")
    clause = f"(SELECT {', '.join(selected)} FROM {engine.put(columns)} AS r{joins})"
    return clause, known


def hold_cells(table: Table, most: int, refusal: str = "") -> dict[str, list[object]]:
    """The cells of a table by column, of no more rows than `most`.

    Raises
    ------
    DataError
        If there are more rows, and a `refusal` says what that means.
    """
    rows = table.head(most + 1)
    if refusal and len(rows) > most:
        raise DataError(f"{table.source}: {refusal}")
    return {name: [row[at] for row in rows[:most]] for at, name in enumerate(table.columns)}


def kept_places(table: Table, rows: int) -> Sequence[int]:
    """Places of the rows that count, of so many that are held."""
    chosen = table.chosen()
    return range(rows) if chosen is None else chosen


def _advise_map(source: str) -> str:
    """What to do about columns of a JSON file that hold objects."""
    if not source.endswith((".json", ".jsonl", ".ndjson")):
        return ""
    return f" What is in it, and a map to read it by: rankbars formats {source}."


class CodedTexts(Sequence["str | None"]):
    """Cells of text as they come from libraries that keep each text once.

    Parameters
    ----------
    texts : sequence of str
        The texts.
    codes : array of int, shape (rows,)
        Which of them stands in each row; -1 where the cell is empty.
    """

    def __init__(self, texts: Sequence[str], codes: NDArray[np.integer]) -> None:
        self.texts, self.codes = texts, codes

    def __len__(self) -> int:
        return self.codes.size

    @overload
    def __getitem__(self, place: int) -> str | None: ...
    @overload
    def __getitem__(self, place: slice) -> list[str | None]: ...
    def __getitem__(self, place: int | slice) -> str | list[str | None] | None:
        if isinstance(place, slice):
            known = [*self.texts, None]
            return [known[code] for code in self.codes[place].tolist()]
        return self[place : place + 1 or None][0]

    def __iter__(self) -> Iterator[str | None]:
        return iter(self[:])


class LabelCells:
    """A column of names, coded as it is read: one integer per row, -1 where the cell is empty."""

    def __init__(self) -> None:
        self._codes = array("i")
        self._known: dict[str, int] = {}

    def extend(self, cells: Iterable[object] | NDArray[Any]) -> None:
        """Append cells; raises `DataError` for one that cannot be a name."""
        if isinstance(cells, np.ndarray) and cells.dtype.kind in "biuf":
            values, inverse = np.unique(cells, return_inverse=True)
            codes = np.array([*map(self._code, values.tolist())], dtype=np.intc)
            self._codes.frombytes(codes[inverse.reshape(-1)].tobytes())
            return
        if isinstance(cells, CodedTexts):
            codes = np.array([*map(self._code, cells.texts), -1], dtype=np.intc)
            self._codes.frombytes(codes[cells.codes].tobytes())
            return
        known, code = self._known, self._code
        self._codes.extend([known[c] if type(c) is str and c in known else code(c) for c in cells])

    def _code(self, cell: object) -> int:
        text = label_text(cell)
        return -1 if text is None else self._known.setdefault(text, len(self._known))

    def codes(self) -> NDArray[np.int32]:
        """Codes so far, shape (rows,); they index `names`."""
        return np.frombuffer(self._codes, dtype=np.int32) if self._codes else np.empty(0, np.int32)

    @property
    def names(self) -> tuple[str, ...]:
        """Names in order of first appearance."""
        return tuple(self._known)


class NumberCells:
    """A column of numbers, converted as it is read; NaN where a cell is empty or not a number.

    Parameters
    ----------
    decimal : {".", ","}
        What separates the fraction of a number in text. Where it is a comma, a point can only stand
        between thousands.

    Examples
    --------
    >>> cells = NumberCells(",")
    >>> cells.extend(["0,5", "1.284", 0.25, "0.25"])
    >>> cells.values(), cells.column().unread.text
    (array([5.000e-01, 1.284e+03, 2.500e-01,       nan]), '0.25')
    """

    def __init__(self, decimal: str = ".") -> None:
        self._decimal = decimal
        self._values = array("d")
        self._unread: Unread | None = None
        self._percentages = self._plain = self._truths = 0
        self._spellings: dict[str, str] = {}

    def extend(self, cells: Sequence[object] | NDArray[Any]) -> None:
        """Append cells."""
        if isinstance(cells, np.ndarray) and cells.dtype.kind in "biuf":
            values = np.asarray(cells, dtype=np.float64)
            known = int(np.count_nonzero(~np.isnan(values)))
            self._plain += known
            self._truths += known if cells.dtype.kind == "b" else 0
            self._values.frombytes(values.tobytes())
            return
        append, convert = self._values.append, self._convert
        for cell in cells:
            append(convert(cell))

    def values(self) -> NDArray[np.float64]:
        """Values so far, shape (rows,)."""
        return np.frombuffer(self._values, np.float64) if self._values else np.empty(0)

    def column(self) -> NumberColumn:
        """What is known of them."""
        largest = float(np.fmax.reduce(self.values(), initial=np.nan))
        spellings = tuple(self._spellings.items())
        return NumberColumn(
            self._unread, self._plain, self._percentages, self._truths, largest, spellings
        )

    def _convert(self, cell: object) -> float:
        if isinstance(cell, str):
            return self._convert_text(cell)
        if cell is None:
            return math.nan
        if isinstance(cell, bool | np.bool_):
            self._plain += 1
            self._truths += 1
            return float(cell)
        if isinstance(cell, int | float | np.integer | np.floating | decimal.Decimal):
            try:
                value = float(cell)
            except OverflowError:
                return self._remember(str(cell)[:40])
            self._plain += not math.isnan(value)
            return value
        return self._remember(f"a {type(cell).__name__}")

    def _convert_text(self, cell: str) -> float:
        value, spelt = parse_number(cell, self._decimal), spellings_of(cell, self._decimal)
        if self._decimal == "," and "." in cell and value == value and "points" not in spelt:
            value, spelt = without_points(cell), ("points",)
        if value is None:
            return self._remember(cell[:LONGEST_NUMBER])
        if math.isnan(value):
            if "skipped" in spelt:
                self._spellings.setdefault("skipped", cell)
            return value
        for kind in spelt:
            self._spellings.setdefault(kind, cell)
        if "%" in cell:
            self._percentages += 1
        else:
            self._plain += 1
            self._truths += cell.strip().casefold() in WORDS
        return value

    def _remember(self, text: str) -> float:
        known = self._unread or Unread(len(self._values), text, 0)
        self._unread = known.also(text, 1)
        return math.nan
