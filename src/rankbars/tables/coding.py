"""Coded tables: names as integers, numbers as floats; votes and stores take rows in this form."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.tables.cells import NumberColumn

__all__ = [
    "NAMING_ROLES",
    "ROW_ROLES",
    "TRAIT_ROLES",
    "Block",
    "CodedTable",
    "keep_roles",
    "sort_names",
    "take_codes",
]

# Their names are row labels: put in numeric order if all of them are whole numbers.
ROW_ROLES = frozenset({"item", "fold", "repeat", "run", "epoch", "variant"})

# Roles that describe tasks.
TRAIT_ROLES = ("metric", "category", "family", "direction")

# Roles that say which row of a task a message speaks of.
NAMING_ROLES = ("item", "repeat", "fold", "run", "epoch", "metric")


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


@dataclass(frozen=True, slots=True, eq=False)
class CodedTable:
    """Rows of a table in coded form.

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
    """

    names: Mapping[str, tuple[str, ...]]
    rows: int
    read_blocks: Callable[[Collection[str] | None], Iterator[Block]]
    columns: Mapping[str, NumberColumn] = field(default_factory=dict)

    def blocks(self, roles: Collection[str] | None = None) -> Iterator[Block]:
        """The rows."""
        return self.read_blocks(roles)

    def whole(self) -> Block:
        """All rows of a table of one source, at once."""
        first, *others = self.read_blocks(None)
        if not others:
            return first
        blocks = (first, *others)
        numbers = np.concatenate([
            np.arange(block.first, block.first + block.rows)
            if block.chosen is None else block.chosen
            for block in blocks
        ])  # fmt: skip
        return first._replace(
            rows=len(numbers),
            labels={
                role: np.concatenate([block.labels[role] for block in blocks])
                for role in first.labels
            },
            numbers={
                role: np.concatenate([block.numbers[role] for block in blocks])
                for role in first.numbers
            },
            chosen=numbers,
        )


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
