"""Judgements of a model against a baseline as pieces."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from rankbars.readers.packing.storedcells import code, notes_of, notes_to_json, texts_of, whole
from rankbars.readers.parts import Comparison, JudgedFile
from rankbars.readers.pieces import Piece

__all__ = ["JUDGED", "pack_judged", "unpack_judged"]

JUDGED = "judged"
_LABELS = ("first", "second", "model", "baseline", "judge", "task", "prompt", "group")
_NUMBERS = ("share", "turn", "strength", "row")


def pack_judged(part: JudgedFile) -> Piece:
    """The judgements of a file."""
    rows = part.rows
    labels: dict[str, Iterable[str | None]] = {
        name: [getattr(row, name) for row in rows] for name in _LABELS
    }
    numbers: dict[str, NDArray[np.float64]] = {
        name: np.array([getattr(row, name) for row in rows], dtype=np.float64) for name in _NUMBERS
    }
    facts = {
        "source": part.source, "notes": notes_to_json(part.notes), "tool": part.tool,
        "ordered": part.ordered, "shared": list(part.shared), "unnamed": part.unnamed,
    }  # fmt: skip
    return Piece(JUDGED, facts, {"judgements": code(labels, numbers, part.source)})


def unpack_judged(piece: Piece) -> JudgedFile:
    """The judgements of the file."""
    source, table = piece.facts["source"], piece.frames["judgements"]
    block = whole(table)
    texts = {name: texts_of(table, block, name) or () for name in _LABELS}
    numbers = {name: block.numbers[name].tolist() for name in _NUMBERS}
    rows = tuple(
        Comparison(
            **{name: str(texts[name][i]) for name in _LABELS},
            share=None if share != share else share,
            turn=int(numbers["turn"][i]),
            strength=numbers["strength"][i],
            file=source,
            row=int(numbers["row"][i]),
        )
        for i, share in enumerate(numbers["share"])
    )
    facts = piece.facts
    return JudgedFile(
        source, rows, facts["tool"], facts["ordered"], tuple(facts["shared"]), facts["unnamed"],
        notes_of(facts["notes"]),
    )  # fmt: skip
