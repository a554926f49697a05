"""Coded tables: names as integers and numbers as floats, delivered in blocks of rows.

Every source of rows (a data frame, a CSV file, a Parquet file, a wide matrix) is turned into this
form, and everything after it is the same for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rankbars.tables.cells import Unread
from rankbars.tables.sources import ConstantSource, TableSource

__all__ = [
    "ROW_ROLES",
    "Block",
    "CodedTable",
    "NumberColumn",
    "Table",
    "keep_roles",
    "sort_names",
    "take_codes",
]

# Their names are row labels: put in numeric order if all of them are whole numbers.
ROW_ROLES = frozenset({"item", "fold", "repeat", "run", "epoch", "variant"})

# Roles that say which row of a task a message speaks of.
NAMING_ROLES = ("item", "repeat", "fold", "run", "epoch", "metric")

# Rows that are processed at once; larger blocks only cost memory.
SLICE_ROWS = 1 << 19


class NumberColumn(NamedTuple):
    """What was seen while a number column was converted.

    Parameters
    ----------
    unread : Unread or None
        Cells that are not numbers.
    plain, percentages : int
        Cells that are plain numbers; cells with a percent sign.
    truths : bool
        Whether all cells are truth values (true, false).
    """

    unread: Unread | None
    plain: int
    percentages: int
    truths: bool


class Block(NamedTuple):
    """Some consecutive rows of one source, by role.

    Parameters
    ----------
    first : int
        Number of the first row as its source counts: from 1, header included.
    rows : int
        Number of rows.
    labels : mapping from str to array of int, shape (rows,)
        Codes of names, -1 where a cell is empty.
    numbers : mapping from str to array of float, shape (rows,)
        Values, NaN where a cell is empty.
    source : str
        Where the rows come from, for messages.
    chosen : array of int, shape (rows,), optional
        Number of each row, where some rows were left out.
    is_matrix : bool
        Whether rows are the cells of a matrix, where an empty one is no answer at all.
    """

    first: int
    rows: int
    labels: Mapping[str, NDArray[Any]]
    numbers: Mapping[str, NDArray[np.float64]]
    source: str
    chosen: NDArray[np.int64] | None = None
    is_matrix: bool = False

    def row_number(self, index: int) -> int:
        """Number of a row as its source counts."""
        return self.first + index if self.chosen is None else int(self.chosen[index])

    def take(self, mask: NDArray[np.bool_]) -> Block:
        """The rows where `mask` holds."""
        if mask.all():
            return self
        kept = np.flatnonzero(mask)
        return Block(
            self.first,
            len(kept),
            {role: codes[kept] for role, codes in self.labels.items()},
            {role: values[kept] for role, values in self.numbers.items()},
            self.source,
            kept + self.first if self.chosen is None else self.chosen[kept],
            self.is_matrix,
        )

    def slices(self, rows: int = SLICE_ROWS) -> Iterator[Block]:
        """The block in pieces of at most `rows` rows."""
        for start in range(0, self.rows, rows):
            stop = min(start + rows, self.rows)
            yield Block(
                self.first + start,
                stop - start,
                {role: codes[start:stop] for role, codes in self.labels.items()},
                {role: values[start:stop] for role, values in self.numbers.items()},
                self.source,
                None if self.chosen is None else self.chosen[start:stop],
                self.is_matrix,
            )


@dataclass(frozen=True, slots=True, eq=False)
class CodedTable:
    """A table in coded form.

    Parameters
    ----------
    names : mapping from str to tuple of str
        Names of each label role in their order; codes index them.
    rows : int
        Number of rows.
    read_blocks : callable
        Gives the blocks afresh, restricted to the roles it is passed (None for all).
    columns : mapping from str to NumberColumn
        What was seen in each number role.
    filled : frozenset of str
        Label roles that are known to have no empty cell.
    read_combinations : callable, optional
        Gives blocks in which each combination of codes of the label roles it is passed stands at
        least once, where that is quicker than to give all rows.
    read_tasks : callable, optional
        Gives the rows of the tasks with the given codes, where that is quicker than to give all.
    source : TableSource, optional
        Where another process can read the rows of a task.
    """

    names: Mapping[str, tuple[str, ...]]
    rows: int
    read_blocks: Callable[[Collection[str] | None], Iterator[Block]]
    columns: Mapping[str, NumberColumn] = field(default_factory=dict)
    filled: frozenset[str] = frozenset()
    read_combinations: Callable[[Collection[str]], Iterator[Block]] | None = None
    read_tasks: Callable[[Collection[int]], Iterator[Block]] | None = None
    source: TableSource | None = None

    def combinations(self, roles: Collection[str]) -> Iterator[Block]:
        """Every combination of codes of the given label roles, at least once.

        Row numbers of the blocks mean nothing.
        """
        return (self.read_combinations or self.read_blocks)(roles)

    def blocks(self, roles: Collection[str] | None = None) -> Iterator[Block]:
        """Pieces of the table, each small enough to work on."""
        for block in self.read_blocks(roles):
            yield from block.slices()

    def whole(self) -> Block:
        """All rows of a table of one source, at once."""
        first, *others = self.read_blocks(None)
        if not others:
            return first
        blocks = (first, *others)
        return first._replace(
            rows=sum(block.rows for block in blocks),
            labels={
                role: np.concatenate([block.labels[role] for block in blocks])
                for role in first.labels
            },
            numbers={
                role: np.concatenate([block.numbers[role] for block in blocks])
                for role in first.numbers
            },
        )

    def tasks(self, codes: Collection[int]) -> Iterator[Block]:
        """Pieces of the table with the rows of some tasks; -1 stands for an empty cell."""
        # An empty cell picks the entry added at the end.
        wanted = np.zeros(len(self.names["task"]) + 1, np.bool_)
        wanted[list(codes)] = True
        blocks = self.read_blocks(None) if self.read_tasks is None else self.read_tasks(codes)
        for block in blocks:
            for part in block.slices():
                yield part.take(wanted[part.labels["task"]])

    def with_constant(self, role: str, name: str) -> CodedTable:
        """The table with one more label role that is `name` on every row."""

        def add(blocks: Iterator[Block]) -> Iterator[Block]:
            for block in blocks:
                # A view of one zero: no memory per row.
                zeros = np.broadcast_to(np.zeros(1, np.int32), (block.rows,))
                yield block._replace(labels={**block.labels, role: zeros})

        def find(codes: Collection[int]) -> Iterator[Block]:
            return add(self.read_tasks(codes) if self.read_tasks else self.read_blocks(None))

        return replace(
            self,
            names={**self.names, role: (name,)},
            read_blocks=lambda roles: add(self.read_blocks(roles)),
            filled=self.filled | {role},
            read_combinations=lambda roles: add(self.combinations(roles)),
            read_tasks=None if role == "task" or self.read_tasks is None else find,
            source=None if self.source is None else ConstantSource(self.source, role, name),
        )

    def row_names(self, block: Block, index: int) -> dict[str, str]:
        """Names of one row of a block, by role; empty cells are left out."""
        return {
            role: self.names[role][codes[index]]
            for role, codes in block.labels.items()
            if codes[index] >= 0
        }

    def describe_row(self, block: Block, index: int) -> str:
        """Place of a row for messages: source, row, model, task and whatever names the row."""
        names = self.row_names(block, index)
        shown = [
            f"{role} {names[role]!r}" for role in ("model", "task", *NAMING_ROLES) if role in names
        ]
        place = f"{block.source}, row {block.row_number(index)}"
        return f"{place} ({', '.join(shown)})" if shown else place


class Table(Protocol):
    """A source of rows with named columns."""

    @property
    def source(self) -> str:
        """Name for messages: a path, or what kind of frame it is."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Header."""

    @property
    def header_rows(self) -> int:
        """Rows before the first row of data, for counting rows as the user sees them."""

    def head(self, rows: int) -> list[tuple[object, ...]]:
        """First rows as they are."""

    def code(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> CodedTable:
        """Columns in coded form: `labels` and `numbers` map roles to columns."""


def sort_names(names: Sequence[str], *, numeric: bool) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """The names in order, and the new position of each.

    Names stand in code-point order; whole numbers in numeric order if `numeric` asks for it.

    Examples
    --------
    >>> sort_names(["10", "9"], numeric=True)[0], sort_names(["10", "9"], numeric=False)[0]
    (('9', '10'), ('10', '9'))
    """
    if numeric and all(re.fullmatch(r"-?[0-9]{1,18}", name) for name in names):
        order = sorted(range(len(names)), key=lambda i: (int(names[i]), names[i]))
    else:
        order = sorted(range(len(names)), key=names.__getitem__)
    position = np.empty(len(names), np.int32)
    position[order] = np.arange(len(names), dtype=np.int32)
    return tuple(names[i] for i in order), position


def take_codes(codes: NDArray[Any], position: NDArray[np.int32]) -> NDArray[np.int32]:
    """Codes renumbered by `position`; -1 stays -1."""
    if not len(position):
        return np.full(len(codes), -1, np.int32)
    # Index -1 picks the entry added at the end.
    return np.asarray(np.append(position, np.int32(-1))[codes], dtype=np.int32)


def keep_roles(block: Block, roles: Collection[str] | None) -> Block:
    """The block with the given roles only."""
    if roles is None:
        return block
    return block._replace(
        labels={role: codes for role, codes in block.labels.items() if role in roles},
        numbers={role: values for role, values in block.numbers.items() if role in roles},
    )
