"""Rows without a name, paired by their position."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np

from rankbars.errors import DataError
from rankbars.tables.coding import Block, CodedTable, keep_roles

__all__ = ["number_rows"]


def number_rows(table: CodedTable) -> CodedTable:
    """The table with a role ``item``: the place of each row among those of its model and task.

    Raises
    ------
    DataError
        If two models have different numbers of rows of a task, so that places mean nothing.
    """
    models, tasks = table.names["model"], table.names["task"]
    blocks = list(table.read_blocks(("model", "task")))
    owner = np.concatenate([
        block.labels["task"].astype(np.int64) * len(models) + block.labels["model"]
        for block in blocks
    ]) if blocks else np.empty(0, np.int64)  # fmt: skip
    order = np.argsort(owner, kind="stable")
    owners, starts, counts = np.unique(owner[order], return_index=True, return_counts=True)
    place = np.empty(len(owner), np.int32)
    place[order] = np.arange(len(owner)) - np.repeat(starts, counts)
    for task in np.unique(owners // max(len(models), 1)):
        mine = np.flatnonzero(owners // len(models) == task)
        odd = mine[counts[mine] != counts[mine[0]]]
        if len(odd):
            one, two = mine[0], odd[0]
            raise DataError(
                f"Rows of task {tasks[task]!r} cannot be paired by position: model "
                f"{models[owners[one] % len(models)]!r} has {counts[one]} rows, model "
                f"{models[owners[two] % len(models)]!r} has {counts[two]}. Name the column that "
                "says which item a row is about: --column item=NAME (in Python: item='NAME')."
            )

    def read_blocks(roles: Collection[str] | None) -> Iterator[Block]:
        done = 0
        for block in table.read_blocks(roles):
            mine = place[done : done + block.rows]
            done += block.rows
            yield keep_roles(block._replace(labels={**block.labels, "item": mine}), roles)

    longest = int(counts.max()) if len(counts) else 0
    names = {**table.names, "item": tuple(str(number) for number in range(1, longest + 1))}
    return replace(table, names=names, read_blocks=read_blocks)
