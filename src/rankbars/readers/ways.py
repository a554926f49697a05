"""Formats read in two steps: what each file holds, and all of it put together.

A store keeps what the first step finds. Readers of logs and of votes hand it over themselves
(`rankbars.readers.keeping.Keeper`); formats of other distributions may give finished scores only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from rankbars.data.scores import Scores
from rankbars.readers.files import InputFile
from rankbars.readers.judged.alpaca import parse_alpaca, put_alpaca_together, read_alpaca
from rankbars.readers.judged.arena_hard import (
    parse_arena_hard,
    put_arena_hard_together,
    read_arena_hard,
)
from rankbars.readers.judged.pair_counts import (
    parse_pair_counts,
    put_pair_counts_together,
    read_pair_counts,
)
from rankbars.readers.keeping import Found, ReadyScores, name_tables, name_votes, order_parts
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.logs.scores import scores_from_runs
from rankbars.readers.tabarena import put_tabarena_together, read_tabarena
from rankbars.readers.tables import parse_tables, read_tables
from rankbars.readers.votes import put_votes_together
from rankbars.tables.assembly import scores_from_parsed
from rankbars.tables.database import Engine
from rankbars.tables.joining import join_scores

__all__ = ["Way", "join_ready", "put_found_together", "way_of"]

Read = Callable[..., Scores]


class Way(NamedTuple):
    """The two steps of a reader.

    Parameters
    ----------
    parse : callable
        Files, options and a running engine → what the files hold; good while the engine runs.
    put : callable
        What files hold, and options → scores.
    """

    parse: Callable[[Sequence[InputFile], ReadOptions, Engine], Found]
    put: Callable[[Found, ReadOptions], Scores]


def way_of(read: Read) -> Way | None:
    """The two steps of a reader; None if they are not told apart here."""
    return _WAYS.get(read)


def put_found_together(read: Read, found: Found, options: ReadOptions) -> Scores:
    """Scores from what a reader found in all files, which need be in no order.

    Raises
    ------
    DataError
        If it cannot be put together.
    """
    found = Found(
        name_tables(found.tables),
        order_parts(found.runs),
        name_votes(found.votes),
        order_parts(found.judged),
        order_parts(found.ready),
    )
    way = way_of(read)
    if way is not None:
        return way.put(found, options)
    if found.runs:
        return scores_from_runs(found.runs, options)
    if found.votes:
        return put_votes_together(found.votes, options)
    return join_ready(found.ready)


def join_ready(parts: Sequence[ReadyScores]) -> Scores:
    """Scores of single files as one; models of a task are put side by side.

    Raises
    ------
    DataError
        If a task cannot be joined.
    """
    if len(parts) == 1:
        return parts[0].scores
    joined = join_scores([part.scores for part in parts], [part.source for part in parts])
    said = {note for part in parts for note in part.scores.notes}
    # That files were put together goes without saying where all are of one format.
    notes = tuple(note for note in joined.notes if note.code != "joined" or note in said)
    return replace(joined, notes=notes)


def _parse_tables(files: Sequence[InputFile], options: ReadOptions, engine: Engine) -> Found:
    return Found(tables=parse_tables(files, options, engine))


_WAYS: Mapping[Read, Way] = {
    read_tables: Way(
        _parse_tables, lambda found, options: scores_from_parsed(found.tables, options)
    ),
    read_tabarena: Way(
        _parse_tables, lambda found, options: put_tabarena_together(found.tables, options)
    ),
    read_alpaca: Way(lambda files, options, engine: parse_alpaca(files), put_alpaca_together),
    read_arena_hard: Way(
        lambda files, options, engine: parse_arena_hard(files), put_arena_hard_together
    ),
    read_pair_counts: Way(
        lambda files, options, engine: parse_pair_counts(files),
        lambda found, options: put_pair_counts_together(found),
    ),
}
