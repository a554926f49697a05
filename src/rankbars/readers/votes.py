"""Tables of votes in files; equal votes are put together by the engine, in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.errors import DataError
from rankbars.readers.files import InputFile, data_suffix
from rankbars.readers.jsonrows import JsonLinesTable
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.parts import VoteTable
from rankbars.readers.recognition import DECLINED, SIGNATURE, Recognition
from rankbars.readers.tables import TABLE_SUFFIXES, name_files, open_table
from rankbars.tables.cells import parse_number
from rankbars.tables.database import Glance, report_damage
from rankbars.tables.tableoptions import TableOptions
from rankbars.tables.valuetables import Chunk, ValueTable
from rankbars.tables.voting.assembly import join_tasks
from rankbars.tables.voting.columns import VoteColumns
from rankbars.tables.voting.reading import (
    GROUPED_ROLES,
    Grouping,
    find_vote_layout,
    scores_of_votes,
)
from rankbars.tables.voting.rows import RowSource

if TYPE_CHECKING:
    from rankbars.tables.relations import Table

__all__ = ["read_votes", "scores_from_votes", "sniff_votes"]

# A task that nothing in the table names. Tasks that a column names are never empty.
FILE_TASK = ""

SUMS = ("votes behind a row", "sum of weights", "sum of squared weights")

# More distinct rows than this are not worth putting together: they come from a column of numbers.
MOST_ROWS = 1 << 22


def sniff_votes(path: Path, head: bytes) -> Recognition | None:
    """Whether the file is a table of pairwise votes."""
    known = data_suffix(path) in TABLE_SUFFIXES or path.name == "stdin"
    if not known and not head.startswith(b"PAR1"):
        return None
    with Glance() as engine:
        table = open_table(InputFile(path, path.name), engine)
        if not table.head(1):
            return None
        try:
            reason = find_vote_layout(table, {})
        except DataError as error:
            text = str(error).removeprefix(f"{path.name}: ")
            return Recognition("votes", DECLINED, text[0].upper() + text[1:])
    return None if reason is None else Recognition("votes", SIGNATURE, f"{reason}.")


def read_votes(files: Sequence[InputFile], options: ReadOptions) -> list[VoteTable]:
    """Votes from files: one task per file, or one per task or category that a column names.

    Parameters
    ----------
    files : sequence of InputFile
        The files; tasks of one name are put together.
    options : ReadOptions
        What the caller declares.

    Raises
    ------
    ReadError
        If a file is damaged.
    DataError
        If a table cannot be understood.
    """
    parts = []
    for file, names in zip(files, name_files(files), strict=True):
        table = open_table(file, options.engine)
        part = scores_of_votes(table, options, FILE_TASK, _grouping(table))
        part = part.with_notes(_time_note(table, options))
        parts.append(VoteTable(table.source, part, names))
    return parts


def scores_from_votes(parts: Sequence[VoteTable]) -> Scores:
    """Votes of several files; tasks of one name are put together."""
    scores = join_tasks([_name_task(part) for part in parts])
    return scores.with_notes(dict.fromkeys(note for part in parts for note in part.notes))


def _name_task(part: VoteTable) -> Scores:
    """The votes with the task that is for the file to name called so."""
    name, scores = part.names.task or "votes", part.scores
    if FILE_TASK not in scores.tasks:
        return scores

    def said(task: str | None) -> str | None:
        return name if task == FILE_TASK else task

    return Scores(
        {name if task == FILE_TASK else task: one for task, one in scores.tasks.items()},
        {name if task == FILE_TASK else task: one for task, one in scores.info.items()},
        tuple(replace(note, task=said(note.task)) for note in scores.notes),
        scores.inputs,
    )


def _grouping(table: Table) -> Grouping | None:
    """The engine's way to put equal votes together, for files that it scans."""
    if isinstance(table, ValueTable | JsonLinesTable):
        return None

    def group(columns: VoteColumns) -> RowSource | None:
        roles = [role for role in GROUPED_ROLES if role in columns.roles]
        names = list(dict.fromkeys(columns.roles[role] for role in roles))
        with report_damage(table.source):
            relation = table.relate({name: name for name in names}, {})
            cells = ", ".join(
                f"{relation.columns[name][0]} AS g{i}" for i, name in enumerate(names)
            )
            found = relation.engine.arrays(
                f"SELECT {cells}, count(*) AS n FROM {relation.clause} GROUP BY ALL "
                f"LIMIT {MOST_ROWS}"
            )
        if len(found["n"]) == MOST_ROWS:
            return None
        arrays = {name: _plain(found[f"g{i}"]) for i, name in enumerate(names)}
        counts = np.ma.getdata(found["n"]).astype(np.float64)
        arrays |= dict.fromkeys(SUMS, counts)

        def read_chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
            yield {name: arrays[name] for name in wanted}

        counted = ValueTable(table.source, (*names, *SUMS), read_chunks, 1)
        return RowSource(counted, columns, sums=SUMS)

    return group


def _plain(cells: Any) -> Any:
    """Numbers as an array; anything else, and gaps, as Python values."""
    if isinstance(cells, np.ma.MaskedArray) and np.ma.getmaskarray(cells).any():
        return cells.tolist()
    plain = np.ma.getdata(cells)
    return plain if plain.dtype.kind in "biuf" else plain.tolist()


def _time_note(table: Table, options: TableOptions) -> list[Note]:
    """A note if votes carry times and do not stand in their order."""
    from rankbars.tables.voting.columns import find_vote_columns

    try:
        columns = find_vote_columns(table.columns, dict(options.columns), table.source)
    except DataError:
        return []  # a square table
    name = columns.roles.get("time")
    if name is None:
        return []
    row = _first_earlier(table, name)
    if row is None:
        return []
    return [
        Note(
            "unordered-times",
            f"The votes do not stand in the order of {name!r}: row {row} is earlier than the one "
            "above it. Strengths do not depend on the order; --anytime takes the file as it is.",
        )
    ]


def _first_earlier(table: Table, name: str) -> int | None:
    """Row of the first vote that is earlier than the one above it."""
    if not isinstance(table, ValueTable | JsonLinesTable):
        return _first_earlier_scanned(table, name)
    coded = table.code({"time": name}, {})
    # Names stand in code-point order; 10 comes before 9 there.
    numbers = [parse_number(text) for text in coded.names["time"]]
    value = np.arange(len(numbers), dtype=np.float64)
    if None not in numbers:
        value = np.array(numbers, dtype=np.float64)
    before = -np.inf
    for block in coded.blocks():
        codes = np.asarray(block.labels["time"])
        known = np.flatnonzero(codes >= 0)
        times = np.concatenate([[before], value[codes[known]]])
        earlier = np.flatnonzero(times[1:] < times[:-1])
        if earlier.size:
            return block.row_number(int(known[earlier[0]]))
        before = times[-1]
    return None


def _first_earlier_scanned(table: Table, name: str) -> int | None:
    with report_damage(table.source):
        relation = table.relate({"time": name}, {})
        column, kind = relation.columns[name]
        if kind == "VARCHAR":
            cast = f"try_cast({column} AS DOUBLE)"
            ((known, plain),) = relation.engine.ask(
                f"SELECT count({column}), count({cast}) FROM {relation.clause}"
            )
            column = cast if known == plain else column
        rows = f"SELECT place AS r, {column} AS t FROM {relation.clause}"
        # Without ORDER BY the engine streams the rows as they stand, and keeps none of them.
        inner = f"SELECT r, t < lag(t) OVER () AS earlier FROM ({rows}) WHERE t IS NOT NULL"
        found = relation.engine.ask(f"SELECT min(r) FROM ({inner}) WHERE earlier")
    return None if found[0][0] is None else int(found[0][0]) + table.header_rows + 1
