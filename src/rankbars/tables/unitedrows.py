"""Rows of several tables as those of one, and the pieces in which they are fetched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rankbars.tables.database import quote, quote_text
from rankbars.tables.tablerows import Rows

__all__ = ["Piece", "United", "is_blank", "is_full", "unite"]

# Rows fetched at once: so many or, of large tables, a share of them, for a query costs the more the
# longer its file.
BLOCK_ROWS, _MOST_ROWS, _BLOCKS = 1 << 20, 1 << 22, 16


class Piece(NamedTuple):
    """Rows that are fetched together, or one part after the other.

    Parameters
    ----------
    clause : str
        What to select them from.
    rows, places : int
        How many they are, and how many places there are; 0 if they cannot be told apart so.
    parts : tuple of Rows
        The tables that they are of.
    """

    clause: str
    rows: int
    places: int
    parts: tuple[Rows, ...]

    def blocks(self) -> list[str]:
        """Conditions of rows called r, by which they are fetched; empty where that is at once."""
        size = max(BLOCK_ROWS, min(self.rows // _BLOCKS, _MOST_ROWS))
        steps = max(-(-self.rows // size), 1) if self.places else 1
        if steps == 1:
            return [""]
        step = max(-(-self.places // steps), 1)
        return [f"r.place >= {n * step} AND r.place < {(n + 1) * step}" for n in range(steps)]


class United(NamedTuple):
    """Rows of tables, with all columns that any has.

    Parameters
    ----------
    clause : str
        A query of all of them: ``part``, the number of the table, ``place``, ``blank``, whether
        the row says nothing at all, and columns called after their roles.
    kinds : dict of str to {"BIGINT", "VARCHAR"}
        What columns of names hold.
    numbers : frozenset of str
        Number roles.
    pieces : list of Piece
        The rows as they are fetched: those of small tables together, of large ones alone.
    """

    clause: str
    kinds: dict[str, str]
    numbers: frozenset[str]
    pieces: list[Piece]


def unite(parts: Sequence[Rows], keys: Sequence[str]) -> United:
    """The rows of tables as those of one; `keys` name a row of a task."""
    roles = dict.fromkeys(role for part in parts for role in (*part.labels, *part.constants))
    kinds = {role: _kind(parts, role) for role in roles}
    numbers = frozenset(role for part in parts for role in part.numbers)
    runs = [*_find_together(parts)]
    selects = [_select(parts, run, kinds, numbers, keys) for run in runs]
    return United(" UNION ALL ".join(selects), kinds, numbers, [*_cut(parts, runs, selects)])


def _kind(parts: Sequence[Rows], role: str) -> str:
    kinds = {part.labels.get(role, "text") for part in parts
             if role in part.labels or role in part.constants}  # fmt: skip
    return "BIGINT" if kinds == {"integer"} else "VARCHAR"


def _find_together(parts: Sequence[Rows]) -> Iterator[range]:
    """Numbers of tables that are selected by one query: those of a pile, one after the other."""
    start = rows = 0
    for number, part in enumerate(parts):
        if number > start and (
            rows + part.count > BLOCK_ROWS or not _goes_on(parts[number - 1], part)
        ):
            yield range(start, number)
            start, rows = number, 0
        rows += part.count
    yield range(start, len(parts))


def _goes_on(one: Rows, other: Rows) -> bool:
    """Whether a table is the next of a pile, and its rows are selected alike."""
    before, after = one.selection, other.selection
    return (
        before.together is not None and before.together is after.together
        and (before.every, before.number + 1) == (after.every, after.number)
        and (one.labels, [*one.constants], one.numbers.keys(), one.filled, is_full(one))
        == (other.labels, [*other.constants], other.numbers.keys(), other.filled, is_full(other))
    )  # fmt: skip


def _select(
    parts: Sequence[Rows], run: range, kinds: dict[str, str], numbers: frozenset[str],
    keys: Sequence[str],
) -> str:  # fmt: skip
    """The rows of a table, or of a run of some that lie together."""
    part = parts[run.start]
    clause, number, first = part.clause, str(run.start), 0
    if len(run) > 1:
        first, last = part.selection.number, part.selection.number + len(run) - 1
        clause = f"{part.selection.every} WHERE file BETWEEN {first} AND {last}"
        number = f"file - {first} + {number}"
    cells = [f"{number} AS part", "place", f"{is_blank(part, keys)} AS blank"]
    for role, kind in kinds.items():
        cell = f"NULL::{kind}"
        if role in part.constants:
            told = [quote_text(parts[one].constants[role]) for one in run]
            cell = told[0]
            if len(set(told)) > 1:
                cell = f"[{', '.join(told)}][file - {first} + 1]"
        elif role in part.labels:
            cell = quote(role)
            if kind == "VARCHAR" and part.labels[role] == "integer":
                cell += "::VARCHAR"
        cells.append(f"{cell} AS {quote(role)}")
    cells += [
        f"{quote(role) if role in part.numbers else 'NULL::DOUBLE'} AS {quote(role)}"
        for role in sorted(numbers)
    ]
    return f"SELECT {', '.join(cells)} FROM {clause}"


def _cut(parts: Sequence[Rows], runs: Sequence[range], selects: Sequence[str]) -> Iterator[Piece]:
    """Small tables together, large ones alone."""
    first = start = size = 0
    for number, run in enumerate(runs):
        rows = sum(part.count for part in parts[run.start : run.stop])
        if number > first and size + rows > BLOCK_ROWS:
            yield _piece(selects[first:number], size, parts[start : run.start])
            first, start, size = number, run.start, 0
        size += rows
    yield _piece(selects[first:], size, parts[start:])


def _piece(selects: Sequence[str], rows: int, parts: Sequence[Rows]) -> Piece:
    places = parts[0].places if len(parts) == 1 else 0
    return Piece(f"({' UNION ALL '.join(selects)})", rows, places, tuple(parts))


def is_blank(part: Rows, keys: Sequence[str]) -> str:
    """Whether a row says nothing at all.

    A name that was not read but holds for the whole file says nothing about a single row; nor does
    the header of a matrix, which is never empty.
    """
    read = [role for role in dict.fromkeys(("model", "task", *keys)) if role in part.labels]
    if part.is_matrix:
        read = [role for role in read if role not in part.filled]
    if not read or is_full(part):
        return "false"
    empty = [
        f"{quote(role)} IS NULL" if part.labels[role] == "integer"
        else f"coalesce({quote(role)}, '') = ''"
        for role in read
    ]  # fmt: skip
    return f"({' AND '.join(empty)} AND score IS NULL)"


def is_full(part: Rows) -> bool:
    """Whether every row has a score."""
    score = part.numbers["score"]
    return score.plain + score.percentages == part.count
