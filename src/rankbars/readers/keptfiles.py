"""Files as a store keeps them, one by one, each with its parts; and which are read together.

Where one of those that are read together is new, or gone, the others are read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from rankbars.data.notes import Note
from rankbars.readers.inputfiles import as_input, digest, holds_sheets
from rankbars.readers.parts import Part
from rankbars.readers.recognition import ChosenFile
from rankbars.readers.registry import COMPANIONS
from rankbars.tables.readoptions import ReadOptions

__all__ = ["KeptFile", "PlaceOf", "find_again", "group_of", "order_of_files"]


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


PlaceOf = Callable[[str], str]


def group_of(format: str, place: str) -> tuple[str, str] | None:
    """What is the same for all files that are read together; None for formats without."""
    if format not in COMPANIONS:
        return None
    return format, str(PurePosixPath(place).parent) if COMPANIONS[format] else ""


def find_again(
    files: Iterable[KeptFile], place_of: PlaceOf, options: ReadOptions
) -> dict[str, ChosenFile]:
    """Those files of a store that still lie where they were read, with the same bytes, by place."""
    found = {}
    for file in files:
        again = as_input(file.path)
        if (
            place_of(file.path) == file.place
            and again.path.is_file()
            and again.path.stat().st_size == file.size
            and digest(again) == file.sha256
        ):
            if holds_sheets(again):
                from rankbars.readers.workbooks import take_sheets

                again = take_sheets(again, options.sheets, options.decimal)[0]
            found[file.place] = ChosenFile(again, file.format, file.sha256)
    return found
