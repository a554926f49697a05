"""Files that are read together, and what that asks of a store that keeps files one by one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from rankbars.data.notes import Note
from rankbars.data.scores import Input
from rankbars.readers.chosenfiles import ChosenFile
from rankbars.readers.inputfiles import InputFile, digest

if TYPE_CHECKING:
    from rankbars.readers.keptfiles import KeptFile

__all__ = ["PlaceOf", "find_again", "find_companions", "find_orphans", "group_of", "note_equal"]

# Formats whose files are read together: whether those of one folder, or all of them.
COMPANIONS: Mapping[str, bool] = {
    "lm-eval": True, "eee": True, "mteb": True, "helm": False, "lighteval": False,
    "opencompass": False, "swebench": False,
}  # fmt: skip

MOST_SHOWN = 5

PlaceOf = Callable[[str], str]


def group_of(format: str, place: str) -> tuple[str, str] | None:
    """What is the same for all files that are read together; None for formats without."""
    if format not in COMPANIONS:
        return None
    return format, str(PurePosixPath(place).parent) if COMPANIONS[format] else ""


def find_companions(
    fresh: Sequence[ChosenFile],
    same: Sequence[ChosenFile],
    held: Sequence[KeptFile],
    place_of: PlaceOf,
) -> list[ChosenFile]:
    """Files that have not changed but must be read together with some that have."""
    wanted = {group_of(one.format, place_of(one.file.label)) for one in fresh} - {None}
    found = [one for one in same if group_of(one.format, place_of(one.file.label)) in wanted]
    known = {place_of(one.file.label) for one in (*fresh, *same)}
    for file in held:
        if file.place in known or group_of(file.format, file.place) not in wanted:
            continue
        again = InputFile(Path(file.path), file.path, asked=False)
        if place_of(file.path) == file.place and again.path.is_file():
            found.append(ChosenFile(again, file.format, digest(again)))
    return found


def find_orphans(held: Sequence[KeptFile]) -> set[str]:
    """Places of files that gave nothing, and those that they were read with are gone."""
    giving = {group_of(file.format, file.place) for file in held if file.gives} - {None}
    groups = {file.place: group_of(file.format, file.place) for file in held}
    return {place for place, group in groups.items() if group is not None} - {
        place for place, group in groups.items() if group in giving
    }


def find_again(files: Iterable[KeptFile], place_of: PlaceOf) -> dict[str, ChosenFile]:
    """Those files of a store that still lie where they were read, with the same bytes, by place."""
    found = {}
    for file in files:
        again = InputFile(Path(file.path), file.path)
        if (
            place_of(file.path) == file.place
            and again.path.is_file()
            and again.path.stat().st_size == file.size
            and digest(again) == file.sha256
        ):
            found[file.place] = ChosenFile(again, file.format, file.sha256)
    return found


def note_equal(inputs: Iterable[Input]) -> list[Note]:
    """A note where several inputs have the same content.

    Files that are read together are often equal where they only describe others; those have the
    same name in several folders, and nothing is said of them.

    Examples
    --------
    >>> found = [Input("a.csv", "tidy", "1"), Input("b.csv", "tidy", "2"), Input("c", "tidy", "1")]
    >>> [note.message for note in note_equal(found)]
    ['The same content, read more than once: a.csv = c. Leave out what is a copy or a link.']
    """
    by_content: dict[str, list[Input]] = defaultdict(list)
    for one in inputs:
        by_content[one.sha256].append(one)
    equal = [
        _shown([one.path for one in found], " = ")
        for found in by_content.values()
        if len(found) > 1 and not _describe(found)
    ]
    if not equal:
        return []
    return [Note("equal-content", f"The same content, read more than once: {_shown(equal, '; ')}. "
                 "Leave out what is a copy or a link.")]  # fmt: skip


def _shown(texts: Sequence[str], between: str) -> str:
    rest = len(texts) - MOST_SHOWN
    return between.join([*texts[:MOST_SHOWN], *([f"{rest} more"] if rest > 0 else [])])


def _describe(files: Sequence[Input]) -> bool:
    names = {PurePosixPath(one.path.replace("\\", "/")).name for one in files}
    return len(names) == 1 and all(one.format in COMPANIONS for one in files)
