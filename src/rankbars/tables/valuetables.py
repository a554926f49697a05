"""Tables whose cells arrive as Python or NumPy values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from rankbars.errors import DataError, ReadError
from rankbars.tables.cells import LabelCells, NumberCells
from rankbars.tables.coding import (
    ROW_ROLES,
    Block,
    CodedTable,
    NumberColumn,
    keep_roles,
    sort_names,
    take_codes,
)

__all__ = ["Chunk", "ValueTable", "check_width"]

# Every column of a matrix is a model, a task or a fold; a wider file is something else.
MOST_COLUMNS = 10_000

Chunk = Mapping[str, Sequence[object] | NDArray[Any]]


def check_width(columns: Collection[str], source: str) -> None:
    """Raises `ReadError` if there are more columns than results have."""
    if len(columns) > MOST_COLUMNS:
        raise ReadError.at(
            source,
            f"the table has {len(columns)} columns; at most {MOST_COLUMNS} are read. Results in "
            "a matrix have one column per model or task; for items or folds give one row each.",
        )


@dataclass(frozen=True, slots=True, eq=False)
class ValueTable:
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

    Raises
    ------
    ReadError
        If there are more columns than results have.
    """

    source: str
    columns: tuple[str, ...]
    read_chunks: Callable[[Sequence[str]], Iterator[Chunk]]
    header_rows: int = 1

    def __post_init__(self) -> None:
        check_width(self.columns, self.source)

    def head(self, rows: int) -> list[tuple[object, ...]]:
        """First rows as they are."""
        found: list[tuple[object, ...]] = []
        for chunk in self.read_chunks(self.columns):
            cells = [chunk[name][: rows - len(found)] for name in self.columns]
            found += list(zip(*cells, strict=True))
            if len(found) >= rows:
                break
        return found

    def code(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> CodedTable:
        """Columns in coded form; raises `DataError` if a name cannot be one."""
        label_cells = {role: LabelCells() for role in labels}
        number_cells = {role: NumberCells() for role in numbers}
        wanted = tuple(dict.fromkeys((*labels.values(), *numbers.values())))
        rows = 0
        for chunk in self.read_chunks(wanted):
            for role, column in labels.items():
                try:
                    label_cells[role].extend(chunk[column])
                except DataError as error:
                    raise DataError(
                        f"{self.source}: the column {column!r} ({role}) {error}."
                    ) from error
            for role, column in numbers.items():
                number_cells[role].extend(chunk[column])
            rows += len(chunk[wanted[0]]) if wanted else 0
        return self._coded(label_cells, number_cells, rows)

    def _coded(
        self, labels: Mapping[str, LabelCells], numbers: Mapping[str, NumberCells], rows: int
    ) -> CodedTable:
        names, codes = {}, {}
        for role, cells in labels.items():
            names[role], position = sort_names(cells.names, numeric=role in ROW_ROLES)
            codes[role] = take_codes(cells.codes(), position)
        values = {role: cells.values() for role, cells in numbers.items()}
        block = Block(self.header_rows + 1, rows, codes, values, self.source)
        columns = {
            role: NumberColumn(cells.unread, cells.plain, cells.percentages, cells.truths)
            for role, cells in numbers.items()
        }
        return CodedTable(names, rows, lambda roles: iter((keep_roles(block, roles),)), columns)
