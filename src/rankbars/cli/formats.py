"""``rankbars formats``: what can be read, and what a file was recognised as."""

from __future__ import annotations

import click

from rankbars.cli.options import refuse_empty

__all__ = ["formats_command"]


@click.command("formats", short_help="What can be read, and what a file is.")
@click.argument("paths", metavar="[PATH]...", nargs=-1, callback=refuse_empty)
def formats_command(*, paths: tuple[str, ...]) -> int:
    """List the formats that can be read, or say what each PATH was recognised as, and why.

    Exit code 1 if nothing is recognised.
    """
    from rankbars.cli.streams import emit_text, say
    from rankbars.readers import FORMATS, explain

    if not paths:
        emit_text("".join(f"{name:<10} {one.description}\n" for name, one in FORMATS.items()))
        return 0
    reports = explain(list(paths))
    for report in reports:
        emit_text(f"{report.path}: {report.format or 'not recognised'}. {report.reason}\n")
    if any(report.format is not None for report in reports):
        return 0
    say(
        f"Error: nothing in {', '.join(paths)} is recognised. `rankbars formats` lists what can "
        "be read."
    )
    return 1
