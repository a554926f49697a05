"""Columns of a table of votes as arrays of codes and numbers: what each row says, checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.votes import BAD, LOSS, TIE, WIN
from rankbars.errors import DataError
from rankbars.tables.cells import parse_number
from rankbars.tables.coding import CodedTable
from rankbars.tables.voting.rows import RowSource
from rankbars.tables.voting.words import UNKNOWN, read_outcomes

__all__ = [
    "SUMS", "RawColumns", "controls_of", "labels_of", "model_codes", "named_votes", "positions_of",
    "read_columns",
]  # fmt: skip

LABEL_ROLES = ("winner", "position", "judge", "prompt", "cluster", "task", "category", "loser",
               "anonymous")  # fmt: skip

NUMBER_ROLES = ("score", "preference", "chosen", "weight", "count", "wins_a", "wins_b", "ties",
                "both_bad")  # fmt: skip
SUMS = ("votes", "sum", "squares")


class RawColumns(NamedTuple):
    """Columns of the whole table by role, under the codes of the table."""

    names: Mapping[str, tuple[str, ...]]
    labels: Mapping[str, NDArray[np.int64]]
    numbers: Mapping[str, NDArray[np.float64]]
    place: Callable[[int], str]


def read_columns(source: RowSource) -> RawColumns:
    """All columns that votes are read from.

    Raises
    ------
    DataError
        If a cell of a column of numbers is none; the message names the row.
    """
    roles = source.columns.roles
    labels = {role: roles[role] for role in ("model_a", "model_b") if role in roles}
    if "loser" in roles:
        labels = {"model_a": roles["winner"], "model_b": roles["loser"]}
    labels |= {
        role: roles[role]
        for role in LABEL_ROLES
        if role in roles and not ("loser" in roles and role in ("winner", "loser"))
    }
    numbers = {role: roles[role] for role in NUMBER_ROLES if role in roles}
    if source.sums is not None:
        numbers |= dict(zip(SUMS, source.sums, strict=True))
    text = _text_outcome(source)
    if text is not None:
        labels["winner"] = numbers.pop(text)
    for name, one, other in source.controls:
        numbers[f"control {name}"] = one
        if other is not None:
            numbers[f"other {name}"] = other
    coded = source.table.code(labels, numbers)
    _check_numbers(source, coded, numbers)
    blocks = list(coded.blocks())
    starts = np.cumsum([0, *(block.rows for block in blocks)])

    def place(row: int) -> str:
        number = int(np.searchsorted(starts, row, side="right")) - 1
        block = blocks[number]
        return f"{block.source}, row {block.row_number(row - int(starts[number]))}"

    def joined(role: str) -> NDArray[np.int64]:
        parts = [np.asarray(block.labels[role]) for block in blocks]
        return np.concatenate(parts).astype(np.int64) if parts else np.empty(0, np.int64)

    def values(role: str) -> NDArray[np.float64]:
        parts = [block.numbers[role] for block in blocks]
        return np.concatenate(parts) if parts else np.empty(0)

    return RawColumns(
        coded.names,
        {role: joined(role) for role in labels},
        {role: values(role) for role in numbers},
        place,
    )


def _text_outcome(source: RowSource) -> str | None:
    """The role of a column of numbers that holds words for outcomes instead."""
    for role in ("score", "preference", "chosen"):
        if role in source.columns.roles:
            column = source.table.columns.index(source.columns.roles[role])
            cells = [row[column] for row in source.table.head(50)]
            texts = [cell for cell in cells if isinstance(cell, str) and cell.strip()]
            if any(parse_number(text) is None for text in texts):
                return role
    return None


def _check_numbers(source: RowSource, coded: CodedTable, numbers: Mapping[str, str]) -> None:
    for role, name in numbers.items():
        column = coded.columns[role]
        if column.unread is not None:
            row = source.table.header_rows + 1 + column.unread.row
            raise DataError(
                f"{source.table.source}, row {row}: {column.unread.text!r} in column {name!r} "
                f"({role}) is not a number. Correct the cell, or name another column."
            )


def model_codes(raw: RawColumns, role: str, models: tuple[str, ...]) -> NDArray[np.int64]:
    """Models of one side of the votes, as positions in `models`.

    Raises
    ------
    DataError
        If a model has no name.
    """
    place = {name: code for code, name in enumerate(models)}
    codes = raw.labels[role]
    if (codes < 0).any():
        row = int(np.flatnonzero(codes < 0)[0])
        raise DataError(
            f"{raw.place(row)}: the {'first' if role == 'model_a' else 'second'} model has no "
            "name. Every vote needs two models; correct the row or leave it out."
        )
    position = np.array([place[name] for name in raw.names[role]], dtype=np.int64)
    return position[codes] if position.size else codes


def labels_of(raw: RawColumns) -> dict[str, tuple[tuple[str, ...], NDArray[np.int64]]]:
    """What rows belong to, by role: names, and codes of rows."""
    kept = ("judge", "prompt", "cluster", "task", "category")
    return {role: (raw.names[role], raw.labels[role]) for role in kept if role in raw.labels}


def positions_of(
    raw: RawColumns,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    models: tuple[str, ...],
    ordered: bool,
) -> NDArray[np.int64] | None:
    """Which model was shown first: 1 for the first, -1 for the second; None if nothing tells.

    Raises
    ------
    DataError
        If a cell does not say it.
    """
    if "position" not in raw.labels:
        return np.ones(first.size, dtype=np.int64) if ordered else None
    outcome = read_outcomes(first, second, models, raw.labels["position"], raw.names["position"])
    bad = np.isin(outcome, (UNKNOWN, TIE, BAD))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        text = raw.names["position"][raw.labels["position"][row]]
        raise DataError(
            f"{raw.place(row)}: the position {text!r} does not say which model was shown first. "
            "Expected the name of a model, or a word such as model_a, left or first."
        )
    return np.select([outcome == WIN, outcome == LOSS], [1, -1], 0)


def controls_of(raw: RawColumns, source: RowSource) -> NDArray[np.float64]:
    """Values of the controls, shape (R, q): of the first model less the second.

    Raises
    ------
    DataError
        If one is missing.
    """
    size = raw.labels["model_a"].size
    table = np.empty((size, len(source.controls)))
    for k, (name, column, other) in enumerate(source.controls):
        sides = {column: raw.numbers[f"control {name}"]}
        if other is not None:
            sides[other] = raw.numbers[f"other {name}"]
        for side, cells in sides.items():
            if np.isnan(cells).any():
                row = int(np.flatnonzero(np.isnan(cells))[0])
                raise DataError(
                    f"{raw.place(row)}: there is no value of {side!r} to control for. Fill it, or "
                    f"leave out --control {name}."
                )
        values = sides[column]
        if other is not None:
            values = values - sides[other]
        table[:, k] = values
    return table


def named_votes(raw: RawColumns) -> NDArray[np.bool_]:
    """Votes that were cast with the names of the models in sight."""
    names, codes = raw.names["anonymous"], raw.labels["anonymous"]
    value = np.array([*(parse_number(name) == 0.0 for name in names), False])
    return np.asarray(value[codes])
