"""What files hold, as plain facts and coded rows, and back: nothing of it is lost on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rankbars.readers.logs.records import Run
from rankbars.readers.packing.storedjudgements import JUDGED, pack_judged, unpack_judged
from rankbars.readers.packing.storedruns import (
    HEEDED,
    RUN,
    pack_board,
    pack_heeded,
    pack_run,
    unpack_heeded,
    unpack_runs,
)
from rankbars.readers.packing.storedscores import READY, is_same, pack_ready, unpack_ready
from rankbars.readers.packing.storedtables import TABLE, pack_table, unpack_table
from rankbars.readers.packing.storedvotes import VOTES, pack_votes, unpack_votes
from rankbars.readers.parts import (
    Heeded,
    JudgedFile,
    Leaderboard,
    Part,
    ReadyScores,
    VoteTable,
)
from rankbars.readers.pieces import Piece
from rankbars.tables.assembly import ParsedTable

__all__ = ["is_same", "pack", "unpack"]

# What stores before version 0.2 left to the format of a file.
_EARLIER: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "tabarena": {TABLE: {"errors": True}},
    "pair-counts": {VOTES: {"said": [[
        "pair-counts",
        "Counts per pair: each vote counts as independent of the others, and nothing says which "
        "model was shown first.", None, [],
    ]]}},
    "alpaca-eval": {
        JUDGED: {
            "tool": "AlpacaEval", "ordered": False, "shared": ["judge", "baseline"], "unnamed": "",
        },
        RUN: {"instead": "Leaderboards are not read: they sum up votes like those that are."},
    },
    "arena-hard": {
        JUDGED: {
            "tool": "Arena-Hard", "ordered": True, "shared": ["judge"], "unnamed": "baseline",
        },
        RUN: {"instead": "Leaderboards are not read: they sum up judgements like those that are."},
    },
}  # fmt: skip


def pack(parts: Iterable[Part]) -> list[tuple[str, Piece]]:
    """What a file holds, as pieces, each with the file that it came from; notes are left out."""
    pieces: list[tuple[str, Piece]] = []
    for part in parts:
        if isinstance(part, ParsedTable):
            pieces.append((part.source, pack_table(part)))
        elif isinstance(part, Run):
            pieces.append((part.source, pack_run(part)))
        elif isinstance(part, Leaderboard):
            pieces += [(part.source, piece) for piece in pack_board(part)]
        elif isinstance(part, JudgedFile):
            pieces.append((part.source, pack_judged(part)))
        elif isinstance(part, VoteTable):
            pieces += [(part.source, piece) for piece in pack_votes(part)]
        elif isinstance(part, ReadyScores):
            pieces += [(part.source, piece) for piece in pack_ready(part)]
        elif isinstance(part, Heeded) and part.filters:
            pieces.append((part.source, pack_heeded(part)))
    return pieces


def unpack(pieces: Sequence[Piece], format: str = "") -> list[Part]:
    """What a file held."""
    kinds: dict[str, list[Piece]] = {
        kind: [] for kind in (TABLE, RUN, VOTES, JUDGED, READY, HEEDED)
    }
    for piece in pieces:
        earlier = _EARLIER.get(format, {}).get(piece.kind, {})
        if piece.kind == RUN and piece.facts["rows"] is not None:
            earlier = {}  # no leaderboard
        kinds[piece.kind].append(replace(piece, facts={**earlier, **piece.facts}))
    return [
        *(unpack_table(piece) for piece in kinds[TABLE]),
        *unpack_runs(kinds[RUN]),
        *unpack_votes(kinds[VOTES]),
        *(unpack_judged(piece) for piece in kinds[JUDGED]),
        *unpack_ready(kinds[READY]),
        *(unpack_heeded(piece) for piece in kinds[HEEDED]),
    ]
