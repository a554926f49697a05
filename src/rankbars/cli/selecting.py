"""Tasks chosen by what they show, and ranks on them: ``rankbars select``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import click

from rankbars.cli.backends import Workers, running_on
from rankbars.cli.options import (
    analysis_options,
    inputs_argument,
    json_option,
    models_option,
    named_option,
    quiet_option,
    tasks_option,
)
from rankbars.cli.outputs import STANDARD, deliver, emit_text, printed_json
from rankbars.cli.readingoptions import Reading, reading_options
from rankbars.cli.targets import check_targets

if TYPE_CHECKING:
    from rankbars.data.scores import Scores
    from rankbars.data.spec import Spec

__all__ = ["select_command"]

_HELP = """Choose tasks by what they show, and rank models on them.

A task that separates nobody makes the interval for a new task wide. Choosing tasks by results and
ranking on the same results voids every guarantee, so one part of the rows chooses, and the other
part is ranked. Of folds whole repeats are split, which share their data: no level is assured then.
To choose tasks by name or category, use --tasks and --where; that costs nothing.

\b
  rankbars select results.csv --by width --max-width 0.3 -o board.json
  rankbars select results.csv --by top-k --k 3
  rankbars select results.csv --by width --split alpha     # says at which rate to rank
"""


@click.command("select", help=_HELP, short_help="Choose tasks by what they show.")
@inputs_argument
@named_option(
    "--by",
    known=("width", "top-k"),
    required=True,
    help="Keep tasks with narrow rank intervals (width), or put tasks with much the same best "
    "models together, with an interval for a new task of each group (top-k).",
)
@click.option(
    "--max-width",
    type=float,
    default=0.5,
    show_default=True,
    metavar="SHARE",
    help="With --by width: largest mean width that is kept, as a share of the field.",
)
@click.option(
    "--k", type=int, default=3, show_default=True, help="With --by top-k: how many best models."
)
@click.option(
    "--overlap",
    type=float,
    default=0.5,
    show_default=True,
    metavar="SHARE",
    help="With --by top-k: any two tasks of a group share at least this share of them.",
)
@named_option(
    "--split",
    known=("items", "alpha"),
    default="items",
    show_default=True,
    help="What is split between choosing and ranking: the rows, or the error rate. With alpha it "
    "is said at which smaller rate all rows can be ranked.",
)
@click.option(
    "--share",
    type=float,
    default=0.5,
    show_default=True,
    metavar="SHARE",
    help="Share of the rows that chooses.",
)
@click.option("-o", "--output", metavar="FILE", help="Write the board as JSON; - prints it.")
@click.option("--html", metavar="FILE", help="Write a page that needs no network.")
@models_option
@tasks_option
@reading_options
@analysis_options
@json_option
@quiet_option
def select_command(
    *,
    inputs: tuple[str, ...],
    by: str,
    split: Literal["items", "alpha"],
    output: str | None,
    html: str | None,
    models: tuple[str, ...],
    tasks: tuple[str, ...],
    reading: Reading,
    spec: Spec,
    workers: Workers,
    as_json: bool,
    quiet: bool,
    **asked: Any,
) -> None:
    """Read, choose, rank, write."""
    output = printed_json(output, as_json=as_json)
    if split == "alpha" and (output, html) != (None, None):
        raise click.UsageError(
            "--split alpha says at which rate the chosen tasks can be ranked, and ranks nothing: "
            "leave out -o and --html."
        )
    targets = check_targets({"-o": output, "--html": html}, inputs)

    import rankbars as rb
    from rankbars.cli.inputs import take_scores
    from rankbars.cli.progress import counting

    scores, said = take_scores(inputs, reading, models, tasks, quiet=quiet)
    chosen = rb.select_tasks(
        scores, by=by.replace("-", "_"), split=split, alpha=spec.alpha, seed=spec.seed, **asked
    )
    if output != STANDARD:
        emit_text(_told(scores, chosen, by))
    if split == "alpha":
        return
    if by == "top-k" and spec.merge == "joint":
        spec = replace(spec, merge="group")
    with (
        counting("Comparing models", "task", then="Averaging", quiet=quiet) as progress,
        running_on(workers) as n_jobs,
    ):
        board = rb.leaderboard(
            chosen, spec=spec, n_jobs=n_jobs, pairs=html is not None, progress=progress
        )
    deliver(board, targets, quiet=quiet, said=said)


def _told(scores: Scores, chosen: Scores, by: str) -> str:
    """Which tasks were chosen, or which ones belong together."""
    from rankbars.render.textlines import each_wrapped, text_of

    if by == "width":
        others = [name for name in scores.tasks if name not in chosen.tasks]
        lines = [_listed("Chosen", list(chosen.tasks))]
        lines += [_listed("Not chosen", others)] if others else []
        after = [note.message for note in chosen.notes if note.code.startswith("selected-at")]
    else:
        groups: dict[str, list[str]] = {}
        for name, info in chosen.info.items():
            groups.setdefault(info.category or "", []).append(name)
        largest = sorted(groups.items(), key=lambda one: (-len(one[1]), one[0]))
        lines, after = [_listed(title, names) for title, names in largest], []
    return text_of(each_wrapped([*lines, *after])) + "\n"


def _listed(title: str, names: Sequence[str]) -> str:
    from rankbars.render.notation import counted
    from rankbars.render.shownnames import visible

    shown = ", ".join(visible(name) for name in names)
    return f"{visible(title)} ({counted(len(names), 'task')}): {shown}."
