"""Write the reference pages of the documentation from the code: public names, and commands.

Usage: ``python scripts/make_reference.py``. A test compares the pages with the code, so run it
after a change of a public name, of the first line of its docstring, or of a command.
"""

from __future__ import annotations

import inspect
from pathlib import Path

import click

import rankbars
from rankbars.cli.app import app

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs"
WIDTH = 80

NAMES_HEAD = """\
# Public names

Everything that `import rankbars as rb` offers. `help(rb.leaderboard)` shows the whole text: shapes,
units, errors, the source of the method, and an example.

Names that are not listed here, and modules inside the package, may change without notice.
"""
COMMANDS_HEAD = """\
# Commands

What `rankbars COMMAND --help` says. Every command reads, makes one call of the library, and writes.
"""
HEADINGS = (
    ("Functions", inspect.isroutine),
    ("Errors", lambda one: inspect.isclass(one) and issubclass(one, Exception)),
    ("Types", inspect.isclass),
)


def main() -> None:
    """Write both pages."""
    (PAGES / "names.md").write_text(names_page(), encoding="utf-8")
    (PAGES / "commands.md").write_text(commands_page(), encoding="utf-8")


def names_page() -> str:
    """Public names with the first line of their docstrings."""
    left = {name: getattr(rankbars, name) for name in rankbars.__all__ if name != "__version__"}
    parts = [NAMES_HEAD]
    for heading, belongs in HEADINGS:
        names = [name for name in left if belongs(left[name])]
        rows = [f"| `{name}` | {_first_line(left.pop(name))} |" for name in names]
        parts.append(
            "\n".join([f"## {heading}\n", "| name | what it is |", "|---|---|", *rows, ""])
        )
    if left:
        raise SystemExit(f"No heading for the public names {', '.join(left)}")
    return "\n".join(parts)


def commands_page() -> str:
    """Help texts of all commands."""
    parts = [COMMANDS_HEAD]
    # Those of the program itself; without them a context does not know the short one.
    settings = {"terminal_width": WIDTH, **app.context_settings}
    context = click.Context(app, info_name="rankbars", **settings)
    for name in app.list_commands(context):
        command = app.get_command(context, name)
        if command is None:
            raise SystemExit(f"There is no command {name}")
        inside = click.Context(command, context, name, **settings)
        parts.append(f"## {name}\n\n```text\n{command.get_help(inside)}\n```\n")
    return "\n".join(parts)


def _first_line(thing: object) -> str:
    # Double backquotes are code in a docstring, single ones in Markdown.
    line = (inspect.getdoc(thing) or "").partition("\n\n")[0]
    return " ".join(line.split()).replace("``", "`").replace("|", "\\|")


if __name__ == "__main__":
    main()
