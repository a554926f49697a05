"""Columns of texts and numbers as coded tables, and back; notes as plain values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import Note
from rankbars.tables.coding import Block, CodedTable, keep_roles, sort_names

__all__ = ["code", "column", "notes_of", "notes_to_json", "texts_of", "whole"]


def code(
    labels: Mapping[str, Iterable[str | None]], numbers: Mapping[str, NDArray[Any]], source: str
) -> CodedTable:
    """Columns of texts and numbers as a coded table."""
    names, codes = {}, {}
    for role, texts in labels.items():
        given = list(texts)
        used = {text for text in given if text is not None}
        names[role], _ = sort_names(tuple(used), numeric=False)
        place: dict[str | None, int] = {name: code for code, name in enumerate(names[role])}
        codes[role] = np.array([place.get(text, -1) for text in given], dtype=np.int32)
    values = {role: np.asarray(cells, dtype=np.float64) for role, cells in numbers.items()}
    rows = len(next(iter(values.values())))
    block = Block(1, rows, codes, values, source)

    def read_blocks(roles: Collection[str] | None) -> Iterator[Block]:
        return iter((keep_roles(block, roles),))

    return CodedTable(names, rows, read_blocks)


def whole(table: CodedTable) -> Block:
    """All rows as one block."""
    blocks = list(table.read_blocks(None))
    if len(blocks) == 1:
        return blocks[0]
    if not blocks:
        none = np.empty(0, dtype=np.int32)
        return Block(1, 0, dict.fromkeys(table.names, none), _NoCells(), "")
    return Block(
        blocks[0].first,
        table.rows,
        {role: np.concatenate([one.labels[role] for one in blocks]) for role in table.names},
        {role: np.concatenate([one.numbers[role] for one in blocks]) for role in blocks[0].numbers},
        blocks[0].source,
    )


class _NoCells(dict[str, NDArray[np.float64]]):
    """Columns of numbers of a table without rows."""

    def __missing__(self, role: str) -> NDArray[np.float64]:
        return np.empty(0)


def column(table: CodedTable, role: str) -> NDArray[np.float64]:
    """A column of numbers."""
    return whole(table).numbers[role]


def notes_to_json(notes: Sequence[Note]) -> list[list[Any]]:
    """Notes as plain values."""
    return [[note.code, note.message, note.task, list(note.models)] for note in notes]


def notes_of(values: Sequence[Sequence[Any]]) -> tuple[Note, ...]:
    """The notes."""
    return tuple(Note(code, text, task, tuple(models)) for code, text, task, models in values)


def texts_of(table: CodedTable, block: Block, role: str) -> tuple[str | None, ...] | None:
    """A column of texts, None where a cell is empty; None if there is no such column."""
    if role not in table.names:
        return None
    names = (*table.names[role], None)
    return tuple(names[code] for code in block.labels[role].tolist())
