"""Where results go: checked before any long work."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from rankbars.data.files import real_path
from rankbars.errors import OptionError, WriteError

__all__ = ["STANDARD", "check_targets"]

STANDARD = "-"  # the name of standard input and output


def check_targets(targets: Mapping[str, str], inputs: Sequence[str] = ()) -> None:
    """Refuse targets that cannot be written.

    Parameters
    ----------
    targets : mapping from option to path
        Such as ``{"--html": "report.html"}``; ``-`` is standard output.
    inputs : sequence of str
        Paths that are read; none of them may be overwritten.

    Raises
    ------
    OptionError
        If two targets are the same, or a target is an input.
    WriteError
        If the folder of a target does not exist or cannot be written to.
    """
    printed = [option for option, path in targets.items() if path == STANDARD]
    if len(printed) > 1:
        raise OptionError(
            f"{' and '.join(printed)} both go to standard output; only one result can. "
            "Name a file for the others."
        )
    taken: dict[Path, str] = {}
    read = {real_path(path) for path in inputs if path != STANDARD}
    for option, path in targets.items():
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
