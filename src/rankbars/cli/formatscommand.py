"""What can be read, and what a file is: ``rankbars formats``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankbars.cli.inputs import describe_reading, name_inputs
from rankbars.cli.options import json_option, refuse_empty
from rankbars.cli.outputs import STANDARD, emit_text, print_answer
from rankbars.errors import RankbarsError, ReadError

if TYPE_CHECKING:
    from rankbars.readers import FileReport

__all__ = ["formats_command"]


@click.command("formats", short_help="What can be read, and what a file is.")
@click.argument("paths", metavar="[PATH]...", nargs=-1, callback=refuse_empty)
@json_option
def formats_command(*, paths: tuple[str, ...], as_json: bool) -> None:
    """List the formats that can be read, or say what each PATH was recognised as, and why.

    Then what reading the recognised files gives, without any option. Exit code 1 if nothing is
    recognised.
    """
    from rankbars.readers import explain

    if not paths:
        _list_formats(as_json=as_json)
        return
    named = name_inputs(paths)
    reports = explain(list(named.values()) if isinstance(named, dict) else named)
    known = [report for report in reports if report.format is not None]
    hints = _hints([report.path for report in reports if report.format is None])
    is_read = known and all(report.path != STANDARD for report in known)
    lines = _contents(known, named if isinstance(named, dict) else None) if is_read else []
    if lines and lines[0].startswith(_NOT_READ):
        hints |= _hints([report.path for report in known if report.format == "tidy"])
    if not as_json:
        for report in reports:
            emit_text(f"{report.path}: {report.format or 'not recognised'}. {report.reason}\n")
        for hint in [*hints.values(), *([lines] if is_read else [])]:
            emit_text("\n" + "".join(f"{line}\n" for line in hint))
    else:
        files = [one._asdict() | {"hints": hints.get(one.path, [])} for one in reports]
        print_answer(_EMPTY | {"files": files, "reading": lines})
    if not known:
        raise ReadError(
            f"nothing in {', '.join(paths)} is recognised. `rankbars formats` lists what can be "
            "read."
        )


_EMPTY: dict[str, Any] = {
    "schema": "rankbars.formats/1", "formats": {}, "problems": [], "files": [], "reading": [],
}  # fmt: skip
_NOT_READ = "Not read without options: "
# Files whose content is shown where no format knows them.
_MOST_SHOWN = 3


def _hints(paths: Sequence[str]) -> dict[str, list[str]]:
    """What JSON files hold that no format knows, and how to read them."""
    from rankbars.readers.inputfiles import InputFile
    from rankbars.readers.mapped import describe_json

    hints = {}
    for path in [path for path in paths if path != STANDARD][:_MOST_SHOWN]:
        try:
            lines = describe_json(InputFile(Path(path), path))
        except (RankbarsError, OSError):
            continue  # what is wrong with it was said
        if lines:
            hints[path] = lines
    return hints


def _list_formats(*, as_json: bool) -> None:
    """Formats of this package, of others, and why some of those cannot be used."""
    from rankbars.readers import FORMATS
    from rankbars.readers.recognition import load_plugins

    plugins = load_plugins(FORMATS)
    every = {name: one.description for name, one in {**FORMATS, **plugins.formats}.items()}
    if as_json:
        print_answer(_EMPTY | {"formats": every, "problems": list(plugins.problems)})
        return
    width = max(map(len, every))
    lines = [f"{name:<{width}} {description}" for name, description in every.items()]
    emit_text("".join(f"{line}\n" for line in (*lines, *plugins.problems)))


def _contents(reports: Sequence[FileReport], named: dict[str, str] | None) -> list[str]:
    """What the files hold, or what stands in the way."""
    import rankbars as rb
    from rankbars.cli.progress import reading_files

    try:
        with reading_files() as progress:
            known = [report.path for report in reports]
            scores = rb.read(named or known, progress=progress)
    except rb.RankbarsError as error:
        return [f"{_NOT_READ}{error}"]
    return list(describe_reading(scores).lines)
