"""``rankbars formats``: what can be read, and what a file was recognised as."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from rankbars.cli.outputs import STANDARD
from rankbars.cli.words import refuse_empty

if TYPE_CHECKING:
    from rankbars.readers import FileReport

__all__ = ["formats_command"]


@click.command("formats", short_help="What can be read, and what a file is.")
@click.argument("paths", metavar="[PATH]...", nargs=-1, callback=refuse_empty)
def formats_command(*, paths: tuple[str, ...]) -> int:
    """List the formats that can be read, or say what each PATH was recognised as, and why.

    Then what reading the recognised files gives, without any option. Exit code 1 if nothing is
    recognised.
    """
    from rankbars.cli.streams import emit_text, say
    from rankbars.readers import explain

    if not paths:
        emit_text(_catalogue())
        return 0
    reports = explain(list(paths))
    for report in reports:
        emit_text(f"{report.path}: {report.format or 'not recognised'}. {report.reason}\n")
    known = [report for report in reports if report.format is not None]
    if not known:
        say(
            f"Error: nothing in {', '.join(paths)} is recognised. `rankbars formats` lists what "
            "can be read."
        )
        return 1
    if all(report.path != STANDARD for report in known):
        emit_text("\n" + _contents(known))
    return 0


def _catalogue() -> str:
    """Formats of this package, of others, and why some of those cannot be used."""
    from rankbars.readers import FORMATS
    from rankbars.readers.plugins import load_plugins

    plugins = load_plugins(FORMATS)
    every = {**FORMATS, **plugins.formats}
    width = max(len(name) for name in every)
    lines = [f"{name:<{width}} {one.description}" for name, one in every.items()]
    return "".join(f"{line}\n" for line in (*lines, *plugins.problems))


def _contents(reports: Sequence[FileReport]) -> str:
    """What the files hold, or what stands in the way."""
    import rankbars as rb
    from rankbars.cli.progress import reading_files
    from rankbars.cli.reading import describe_reading

    try:
        with reading_files() as progress:
            scores = rb.read([report.path for report in reports], progress=progress)
    except rb.RankbarsError as error:
        return f"Not read without options: {error}\n"
    return "".join(f"{line}\n" for line in describe_reading(scores).lines)
