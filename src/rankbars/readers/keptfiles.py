"""What a store knows of a file, with its parts as they were read, before any were put together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from rankbars.data.notes import Note
from rankbars.readers.parts import Part

__all__ = ["KeptFile", "order_of_files"]


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
    gives : bool
        Whether there is something in it; False for a file that only describes others.
    parts : tuple of Part
        What is in it; none where it was not asked for.
    notes : tuple of Note
        What the reader said beside them.
    place : str
        What tells the file from others of the store; the same for each way to write its path.
    """

    path: str
    format: str
    sha256: str
    size: int
    gives: bool
    parts: tuple[Part, ...] = ()
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
