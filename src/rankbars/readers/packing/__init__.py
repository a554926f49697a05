"""What readers find, as plain facts and coded rows, and back: nothing of it is lost on the way."""

from __future__ import annotations

from collections.abc import Sequence

from rankbars.readers.keeping import Found
from rankbars.readers.packing.evidence import READY, is_same, pack_ready, unpack_ready
from rankbars.readers.packing.judged import JUDGED, pack_judged, unpack_judged
from rankbars.readers.packing.runs import RUN, pack_run, unpack_run
from rankbars.readers.packing.tables import TABLE, pack_table, unpack_table
from rankbars.readers.packing.votes import VOTES, pack_votes, unpack_votes
from rankbars.readers.pieces import Piece

__all__ = ["is_same", "pack", "unpack"]


def pack(found: Found) -> list[tuple[str, Piece]]:
    """What a reader found, as pieces, each with the file that it came from."""
    pieces = [(table.source, pack_table(table)) for table in found.tables]
    pieces += [(run.source, pack_run(run)) for run in found.runs]
    pieces += [(part.source, pack_judged(part)) for part in found.judged]
    for part in found.votes:
        pieces += [(part.source, piece) for piece in pack_votes(part)]
    for ready in found.ready:
        pieces += [(ready.source, piece) for piece in pack_ready(ready)]
    return pieces


def unpack(pieces: Sequence[Piece]) -> Found:
    """What a reader had found."""
    kinds: dict[str, list[Piece]] = {kind: [] for kind in (TABLE, RUN, VOTES, JUDGED, READY)}
    for piece in pieces:
        kinds[piece.kind].append(piece)
    return Found(
        [unpack_table(piece) for piece in kinds[TABLE]],
        [unpack_run(piece) for piece in kinds[RUN]],
        unpack_votes(kinds[VOTES]),
        [unpack_judged(piece) for piece in kinds[JUDGED]],
        unpack_ready(kinds[READY]),
    )
