"""What a store keeps of a file: its parts as they were read, before any were put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from rankbars.data.notes import Note
from rankbars.tables.coding import CodedTable

__all__ = ["KeptFile", "Piece", "order_of_files"]


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """One part of a file: a table, a run, a set of votes.

    Parameters
    ----------
    kind : str
        What it is; the reader that made it knows how to read it again.
    facts : mapping from str to JSON values
        Everything but its rows.
    frames : mapping from str to CodedTable
        Its rows, by the kind of rows they are.
    """

    kind: str
    facts: Mapping[str, Any]
    frames: Mapping[str, CodedTable] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class KeptFile:
    """A file that was read, and what was found in it.

    Parameters
    ----------
    path : str
        The file as the caller wrote it.
    format : str
        What it was read as.
    sha256 : str
        Digest of its bytes.
    size : int
        Number of its bytes.
    pieces : tuple of Piece
        Its parts; none for a file that only describes others.
    notes : tuple of Note
        What the reader said beside them.
    place : str
        What tells the file from others of the store; the same for each way to write its path.
    """

    path: str
    format: str
    sha256: str
    size: int
    pieces: tuple[Piece, ...] = ()
    notes: tuple[Note, ...] = ()
    place: str = ""


def order_of_files(path: str) -> tuple[tuple[bool, str], ...]:
    """Sorts paths as a folder is searched through: files before the folders beside them.

    Examples
    --------
    >>> sorted(["r/b/1.csv", "r/z.csv", "r/a.csv"], key=order_of_files)
    ['r/a.csv', 'r/z.csv', 'r/b/1.csv']
    """
    parts = PurePosixPath(path.replace("\\", "/")).parts
    return tuple((place + 1 < len(parts), part) for place, part in enumerate(parts))
