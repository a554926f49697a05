"""Votes as pieces: counts of pairs, and ballots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.votes import Ballots, Labels, Votes
from rankbars.readers.packing.storedcells import code, column, notes_of, notes_to_json, whole
from rankbars.readers.parts import VoteTable
from rankbars.readers.pieces import Piece
from rankbars.tables.coding import Block, CodedTable
from rankbars.tables.tidy import FileNames

__all__ = ["VOTES", "facts_of_votes", "pack_counts", "pack_votes", "unpack_counts", "unpack_votes"]

VOTES = "votes"
_NOBODY = FileNames(None, "", "")


def pack_votes(part: VoteTable) -> list[Piece]:
    """One piece per task; the notes stand with the first."""
    pieces: list[Piece] = []
    for task, votes in part.scores.tasks.items():
        if not isinstance(votes, Votes):
            continue
        facts = {
            "source": part.source,
            "task": task,
            "notes": notes_to_json(() if pieces else part.scores.notes),
            "said": notes_to_json(part.notes),
            **facts_of_votes(votes),
        }
        pieces.append(Piece(VOTES, facts, pack_counts(votes, part.source)))
    return pieces


def facts_of_votes(votes: Votes) -> dict[str, object]:
    """Everything about votes but their rows."""
    return {
        "models": list(votes.models),
        "ties": votes.ties is not None,
        "both_bad": votes.both_bad is not None,
        "ballots": None if votes.ballots is None else list(votes.ballots.covariate_names),
    }


def pack_counts(votes: Votes, source: str) -> dict[str, CodedTable]:
    """The rows of votes, by kind."""
    tables = {"wins": votes.wins, "ties": votes.ties, "both_bad": votes.both_bad}
    known = {name: table for name, table in tables.items() if table is not None}
    first, second = np.nonzero(np.sum([table != 0 for table in known.values()], axis=0))
    names = np.array(votes.models, dtype=object)
    frames = {
        "counts": code(
            {"first": names[first], "second": names[second]},
            {name: table[first, second] for name, table in known.items()},
            source,
        )
    }
    ballots = votes.ballots
    if ballots is None:
        return frames
    labels: dict[str, Iterable[str | None]] = {
        "first": names[ballots.first], "second": names[ballots.second],
    }  # fmt: skip
    for role, own in ballots.labels.items():
        labels[role] = np.array([*own.names, None], dtype=object)[own.codes]
    numbers = {"outcome": ballots.outcome}
    for name in ("votes", "weight", "squared", "position"):
        values = getattr(ballots, name)
        if values is not None:
            numbers[name] = values
    frames["ballots"] = code(labels, numbers, source)
    if ballots.covariates is not None:
        rows = [name for name in ballots.covariate_names for _ in range(ballots.first.size)]
        cells = ballots.covariates.T.ravel()
        frames["covariates"] = code({"name": rows}, {"value": cells}, source)
    return frames


def unpack_votes(pieces: Sequence[Piece]) -> list[VoteTable]:
    """The votes of each file."""
    tasks: dict[str, dict[str, Votes]] = {}
    notes: dict[str, tuple[Note, ...]] = {}
    said: dict[str, tuple[Note, ...]] = {}
    for piece in pieces:
        source = piece.facts["source"]
        tasks.setdefault(source, {})[piece.facts["task"]] = unpack_counts(piece)
        notes[source] = (*notes.get(source, ()), *notes_of(piece.facts["notes"]))
        said[source] = notes_of(piece.facts.get("said", ()))
    return [
        VoteTable(source, Scores(own, notes=notes[source]), _NOBODY, said[source])
        for source, own in tasks.items()
    ]


def unpack_counts(piece: Piece) -> Votes:
    """The votes of one task."""
    facts = piece.facts
    models = tuple(facts["models"])
    place = {name: number for number, name in enumerate(models)}
    counts = piece.frames["counts"]
    block = whole(counts)
    first, second = (_places(counts, block, role, place) for role in ("first", "second"))

    def table(name: str) -> NDArray[np.float64]:
        filled = np.zeros((len(models),) * 2)
        filled[first, second] = block.numbers[name]
        return filled

    return Votes(
        models,
        table("wins"),
        table("ties") if facts["ties"] else None,
        table("both_bad") if facts["both_bad"] else None,
        None if facts["ballots"] is None else _unpack_ballots(piece, place),
    )


def _unpack_ballots(piece: Piece, place: Mapping[str, int]) -> Ballots:
    table = piece.frames["ballots"]
    block = whole(table)
    names = tuple(piece.facts["ballots"])
    covariates = None
    if "covariates" in piece.frames:
        cells = column(piece.frames["covariates"], "value")
        covariates = np.ascontiguousarray(cells.reshape(len(names), block.rows).T)
    labels = {
        role: Labels(block.labels[role].astype(np.int64), own)
        for role, own in table.names.items()
        if role not in ("first", "second")
    }

    def integers(name: str) -> NDArray[np.int64] | None:
        return block.numbers[name].astype(np.int64) if name in block.numbers else None

    return Ballots(
        _places(table, block, "first", place),
        _places(table, block, "second", place),
        block.numbers["outcome"].astype(np.int64),
        integers("votes"),
        block.numbers.get("weight"),
        block.numbers.get("squared"),
        labels,
        integers("position"),
        covariates,
        names,
    )


def _places(
    table: CodedTable, block: Block, role: str, place: Mapping[str, int]
) -> NDArray[np.int64]:
    """Positions of the models that a column names."""
    known = np.array([place[name] for name in table.names[role]], dtype=np.int64)
    found: NDArray[np.int64] = known[block.labels[role]]
    return found
