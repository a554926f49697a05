"""Coded tables one below the other, under common codes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rankbars.tables.coding import (
    ROW_ROLES,
    Block,
    CodedTable,
    NumberColumn,
    sort_names,
    take_codes,
)
from rankbars.tables.sources import JoinedSource, TableSource

__all__ = ["concatenate"]


def concatenate(tables: Sequence[CodedTable]) -> CodedTable:
    """The rows of several tables, one after the other, under common codes.

    A role that only some of them have is empty on the rows of the others.
    """
    if len(tables) == 1:
        return tables[0]
    names: dict[str, tuple[str, ...]] = {}
    positions: list[dict[str, NDArray[np.int32]]] = [{} for _ in tables]
    for role in dict.fromkeys(role for table in tables for role in table.names):
        union = {name for table in tables for name in table.names.get(role, ())}
        names[role], _ = sort_names(tuple(union), numeric=role in ROW_ROLES)
        place = {name: code for code, name in enumerate(names[role])}
        for table, position in zip(tables, positions, strict=True):
            position[role] = np.array(
                [place[name] for name in table.names.get(role, ())], dtype=np.int32
            )
    number_roles = tuple(dict.fromkeys(role for table in tables for role in table.columns))

    def read_tasks(codes: Collection[int]) -> Iterator[Block]:
        for table, position in zip(tables, positions, strict=True):
            own = [code for code, place in enumerate(position["task"].tolist()) if place in codes]
            if -1 in codes and "task" not in table.filled:
                own.append(-1)
            if own:
                some = table.read_tasks
                for block in table.read_blocks(None) if some is None else some(own):
                    yield _recode(block, position, tuple(names), number_roles)

    def read(roles: Collection[str] | None, combinations: bool) -> Iterator[Block]:
        kept = [role for role in names if roles is None or role in roles]
        numbers = [role for role in number_roles if roles is None or role in roles]
        for table, position in zip(tables, positions, strict=True):
            short = combinations and roles is not None
            for block in table.combinations(roles or ()) if short else table.read_blocks(roles):
                yield _recode(block, position, kept, numbers)

    return CodedTable(
        names,
        sum(table.rows for table in tables),
        lambda roles: read(roles, combinations=False),
        _merge_columns(tables),
        frozenset.intersection(*(table.filled for table in tables)),
        lambda roles: read(roles, combinations=True),
        read_tasks if all("task" in table.names for table in tables) else None,
        _join_sources(tables),
    )


def _join_sources(tables: Sequence[CodedTable]) -> TableSource | None:
    parts = [
        (table.source, frozenset(table.names["task"]))
        for table in tables
        if table.source is not None and "task" in table.names
    ]
    return JoinedSource(tuple(parts)) if len(parts) == len(tables) else None


def _recode(
    block: Block, position: Mapping[str, NDArray[np.int32]], roles: Sequence[str],
    numbers: Sequence[str],
) -> Block:  # fmt: skip
    nothing = np.broadcast_to(np.full(1, -1, np.int32), (block.rows,))
    empty = np.broadcast_to(np.full(1, np.nan), (block.rows,))
    return block._replace(
        labels={
            role: take_codes(block.labels[role], position[role])
            if role in block.labels
            else nothing
            for role in roles
        },
        numbers={role: block.numbers.get(role, empty) for role in numbers},
    )


def _merge_columns(tables: Sequence[CodedTable]) -> dict[str, NumberColumn]:
    merged: dict[str, NumberColumn] = {}
    for table in tables:
        for role, column in table.columns.items():
            before = merged.get(role)
            merged[role] = column if before is None else NumberColumn(
                before.unread or column.unread,
                before.plain + column.plain,
                before.percentages + column.percentages,
                before.truths and column.truths,
            )  # fmt: skip
    return merged
