"""``rankbars site``: a public leaderboard from one file, as a folder of static pages."""

from __future__ import annotations

from pathlib import Path

import click

from rankbars.cli.answers import files_answer, print_answer
from rankbars.cli.options import json_option, quiet_option
from rankbars.cli.outputs import say

__all__ = ["site_command"]

_HELP = """Make a public leaderboard of one YAML file: a folder of pages that works on any host.

CONFIG names the results (files, or a store), a title, and what else the site should have: boards
per category, attributes of models, earlier boards, two colours. Only what has changed since the
last time is ranked and written, and files that were not made by this command are left alone.

\b
  rankbars site site.yaml -o public
"""


@click.command("site", help=_HELP, short_help="Make a public leaderboard: a folder of pages.")
@click.argument("config", metavar="CONFIG")
@click.option(
    "-o", "--output", metavar="FOLDER", default="public", show_default=True,
    help="Folder of the site; made where there is none.",
)  # fmt: skip
@click.option(
    "--whole", is_flag=True,
    help="Rank and make everything anew. The files are the same; use it after a doubt.",
)  # fmt: skip
@click.option("--jobs", type=int, default=1, show_default=True, help="Workers; -1 for all cores.")
@json_option
@quiet_option
def site_command(
    *, config: str, output: str, whole: bool, jobs: int, as_json: bool, quiet: bool
) -> None:
    """Read the configuration, build, say what was done."""
    from rankbars.cli.backends import Workers
    from rankbars.cli.progress import counting
    from rankbars.publication import build_site
    from rankbars.readers.sitefile import read_site

    Workers(jobs=jobs).check()
    plan = read_site(config)
    with counting("Ranking", "board", then="Writing pages", quiet=quiet) as progress:
        built = build_site(plan, output, whole=whole, n_jobs=jobs, progress=progress)
    if as_json:
        print_answer(
            files_answer(
                built.written, removed=built.removed, kept=built.kept, ranked=built.ranked,
                said=built.said,
            )
        )  # fmt: skip
        return
    for line in built.lacking if quiet else built.said:
        say(line)
    if quiet:
        return
    boards = "board" if len(built.ranked) == 1 else "boards"
    say(
        f"{output}: {len(built.written):,} files written, {len(built.removed):,} removed, "
        f"{len(built.kept):,} as they were; {len(built.ranked):,} {boards} ranked. "
        f"Open {Path(output) / 'index.html'}."
    )
