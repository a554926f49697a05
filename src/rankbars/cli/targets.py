"""Files that a command writes: refused before long work, told when it is stopped, drawn."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rankbars.cli.outputs import STANDARD, say
from rankbars.cli.stopping import account_for_files
from rankbars.data.drafts import real_path
from rankbars.errors import OptionError, WriteError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["check_targets", "drawn_bytes", "picture_kind"]


def check_targets(targets: Mapping[str, str | None], inputs: Sequence[str] = ()) -> dict[str, str]:
    """Refuse targets that cannot be written, and account for the others if the command is stopped.

    Parameters
    ----------
    targets : mapping from option to path
        Such as ``{"--html": "report.html"}``; ``-`` is standard output, and None was not given.
    inputs : sequence of str
        Paths that are read; none of them may be overwritten.

    Returns
    -------
    dict from option to path
        The targets that were given.

    Raises
    ------
    OptionError
        If two targets are the same, or a target is an input.
    WriteError
        If the folder of a target does not exist or cannot be written to.
    """
    given = {option: path for option, path in targets.items() if path is not None}
    printed = [option for option, path in given.items() if path == STANDARD]
    if len(printed) > 1:
        raise OptionError(
            f"{' and '.join(printed)} both go to standard output; only one result can. "
            "Name a file for the others."
        )
    taken: dict[Path, str] = {}
    read = {real_path(path) for path in inputs if path != STANDARD}
    for option, path in given.items():
        if path == STANDARD:
            continue
        target = real_path(path)
        if target in taken:
            raise OptionError(f"{taken[target]} and {option} both write {path}; name two files.")
        if target in read:
            raise OptionError(
                f"{option} {path} would overwrite an input. Name another file; nothing was read."
            )
        taken[target] = option
        _check_place(option, path, target)
    account_for_files(given.values())
    return given


def _check_place(option: str, path: str, target: Path) -> None:
    if target.is_dir():
        raise WriteError(f"{option} {path}: it is a folder. Name a file in it.")
    if not target.parent.is_dir():
        raise WriteError(
            f"{option} {path}: the folder {target.parent} does not exist. Make it first."
        )
    given = Path(path)
    place = given if given.exists() and not given.is_file() else target.parent
    if not os.access(place, os.W_OK):
        raise WriteError(f"{option} {path}: no permission to write in {place}.")


def picture_kind(path: str, *others: str) -> str:
    """What a file with a picture is, by its suffix: svg, pdf or png; or one of `others`.

    Raises
    ------
    OptionError
        If the suffix says something else.
    MissingPackageError
        If it is a picture, and what draws it is not installed.
    """
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind in others:
        return kind
    if kind not in _DRAWN:
        *most, last = (f".{one}" for one in (*others, *_DRAWN))
        raise OptionError(f"{path}: the name must end in {', '.join(most)} or {last}.")
    from rankbars.render.plotting.style import check_picture

    check_picture(kind, drawn=True)
    return kind


def drawn_bytes(figure: Figure, kind: str, dpi: float = 200) -> bytes:
    """The file of a picture; says once which letters no font has."""
    from rankbars.render.plotting.lettering import letters_note, set_letters
    from rankbars.render.plotting.style import picture_bytes

    missing = set_letters(figure, replace=kind != "svg")
    if missing and kind != "svg":
        say(letters_note(missing))
    return picture_bytes(figure, kind, dpi)


_DRAWN = ("svg", "pdf", "png")
