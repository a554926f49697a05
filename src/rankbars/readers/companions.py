"""Files that are read together, and what that asks of a store that keeps files one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from rankbars.readers.chosenfiles import ChosenFile
from rankbars.readers.inputfiles import InputFile, digest
from rankbars.readers.pieces import KeptFile

__all__ = ["PlaceOf", "find_again", "find_companions", "find_orphans", "group_of"]

# Formats whose files are read together: whether those of one folder, or all of them.
COMPANIONS: Mapping[str, bool] = {
    "lm-eval": True, "eee": True, "mteb": True, "helm": False, "lighteval": False,
    "opencompass": False, "swebench": False,
}  # fmt: skip

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
    giving = {group_of(file.format, file.place) for file in held if file.pieces} - {None}
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
