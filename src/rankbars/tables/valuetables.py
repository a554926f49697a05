"""Tables whose cells arrive as Python or NumPy values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.tables.cells import LabelCells, NumberCells
from rankbars.tables.database import Engine
from rankbars.tables.relations import Relation, Table, check_width

__all__ = ["Chunk", "ValueTable", "hold_cells"]

Chunk: TypeAlias = Mapping[str, Sequence[object] | NDArray[Any]]


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

    @classmethod
    def of(
        cls, source: str, data: Mapping[str, Sequence[object]], header_rows: int,
        engine: Engine | None,
    ) -> ValueTable:  # fmt: skip
        """The table of columns that are held."""

        def read_chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
            yield {name: data[name] for name in wanted}

        return cls(source, tuple(data), read_chunks, header_rows, engine)

    def head(self, rows: int) -> list[tuple[object, ...]]:
        """First rows as they are."""
        found: list[tuple[object, ...]] = []
        for chunk in self.read_chunks(self.columns):
            cells = [chunk[name][: rows - len(found)] for name in self.columns]
            found += list(zip(*cells, strict=True))
            if len(found) >= rows:
                break
        return found

    def relate(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> Relation:
        """The given columns in the database."""
        engine = self.engine
        named, counted, rows = self._convert(labels, numbers)
        columns: dict[str, NDArray[Any]] = {"place": np.arange(rows)}
        known: dict[str, tuple[str, str]] = {}
        joins, selected = "", ["place"]
        for number, (name, labelled) in enumerate(named.items()):
            columns[f"n{number}"] = labelled.codes()
            names = engine.put({
                "code": np.arange(len(labelled.names), dtype=np.int32),
                "name": np.array([*labelled.names, None], dtype=object)[:-1],
            })  # fmt: skip
            joins += f" LEFT JOIN {names} AS t{number} ON r.n{number} = t{number}.code"
            selected.append(f"t{number}.name AS c{number}")
            known[name] = (f"c{number}", "VARCHAR")
        for number, (name, cells) in enumerate(counted.items()):
            columns[f"v{number}"] = cells.values()
            selected.append(f"v{number}")
            known[name] = (f"v{number}", "DOUBLE")
        clause = f"(SELECT {', '.join(selected)} FROM {engine.put(columns)} AS r{joins})"
        return Relation(
            engine, clause, known, {name: cells.column() for name, cells in counted.items()}
        )

    def _convert(
        self, labels: Mapping[str, str], numbers: Mapping[str, str]
    ) -> tuple[dict[str, LabelCells], dict[str, NumberCells], int]:
        """Columns as names and as numbers; raises `DataError` if a name cannot be one."""
        named = {name: LabelCells() for name in labels.values()}
        counted = {name: NumberCells() for name in numbers.values() if name not in named}
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
        return named, counted, rows


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


def _advise_map(source: str) -> str:
    """What to do about columns of a JSON file that hold objects."""
    if not source.endswith((".json", ".jsonl", ".ndjson")):
        return ""
    return f" What is in it, and a map to read it by: rankbars formats {source}."
