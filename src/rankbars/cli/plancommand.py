"""``rankbars plan``: how much to run, from a pilot or before there are any results."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from rankbars.cli.judgelabels import JudgeFiles, LabelSources, judge_options
from rankbars.cli.options import (
    average_anyway_option,
    json_option,
    models_option,
    named_option,
    over_option,
    quiet_option,
    refuse_empty,
    seed_option,
    tasks_option,
)
from rankbars.cli.outputs import emit, emit_text
from rankbars.cli.readingoptions import Reading, reading_options
from rankbars.cli.targets import check_targets, drawn_bytes, picture_kind
from rankbars.data.spec import MISSING_POLICIES

if TYPE_CHECKING:
    from rankbars.data.board import Leaderboard
    from rankbars.data.scores import Scores

__all__ = ["plan_command"]

HELP = """Say how much to run: items, trials, tasks.

From a pilot (results, a board file, a store), or before there are any results. Every number from a
pilot comes with its uncertainty: the difference in a pilot is known no better than the pilot knows
it.

\b
  rankbars plan --rates 0.70 0.65                  right or wrong, before anything is run
  rankbars plan pilot.csv                          the first from the second
  rankbars plan pilot.csv --pair new old
  rankbars plan pilot.csv --top 3                  settle which three are best
  rankbars plan pilot.csv --pair new old --margin 0.01
  rankbars plan pilot.csv --pair new old --width 0.02
  rankbars plan --labels human.csv --judge judge.csv   how many labels, with this judge
  rankbars plan pilot.csv --cost-item 1 --cost-trial 0.2
"""


@click.command("plan", help=HELP, short_help="Say how much to run.")
@click.argument("inputs", metavar="[INPUT]...", nargs=-1, callback=refuse_empty)
@click.option(
    "--pair", nargs=2, metavar="A B", default=None,
    help="Tell A from B. Without a question: the first of the pilot from the second.",
)  # fmt: skip
@click.option(
    "--top", type=int, metavar="K",
    help="Settle the first K: show each better than each other model.",
)  # fmt: skip
@click.option("--tiers", is_flag=True, help="Tell every model from every other.")
@click.option(
    "--margin", type=float, metavar="X",
    help="Show A to be not worse than B by more than this, in units of the score, if they are "
    "equal (or differ by --effect).",
)  # fmt: skip
@click.option(
    "--width", type=float, metavar="X",
    help="Know how far A is ahead of B to plus or minus this, in units of the score.",
)  # fmt: skip
@click.option(
    "--effect", type=float, metavar="X",
    help="True difference to plan for, in place of the observed ones.",
)  # fmt: skip
@click.option(
    "--power", type=float, default=0.8, show_default=True,
    help="Probability to show it.",
)  # fmt: skip
@click.option(
    "--alpha", type=float, default=0.05, show_default=True,
    help="Error rate: both sides of a pair; of all comparisons of --top and --tiers together.",
)  # fmt: skip
@click.option(
    "--rates", nargs=2, type=float, metavar="P Q", default=None,
    help="Without results: how often each of two models is right, as shares.",
)  # fmt: skip
@click.option(
    "--discordance", type=float, metavar="D",
    help="With --rates: share of items on which only one of the two is right.",
)  # fmt: skip
@click.option(
    "--sd", type=float, metavar="S",
    help="Without results: standard deviation of paired differences of single items.",
)  # fmt: skip
@click.option(
    "--of", type=int, metavar="M", help="Without results, with --top or --tiers: how many models."
)
@click.option(
    "--flip", type=float, metavar="F",
    help="How often two answers of one model to an item differ, where results do not show it.",
)  # fmt: skip
@click.option(
    "--cost-item", type=float, metavar="X", help="What an item costs, however often it is asked."
)
@click.option(
    "--cost-trial", type=float, metavar="Y",
    help="What one answer of both models costs. With both costs the cheapest number of answers "
    "to an item is said.",
)  # fmt: skip
@click.option(
    "--most-items", type=int, metavar="N", help="No more items exist: how many answers to each do."
)
@judge_options
@json_option
@click.option(
    "--plot", metavar="FILE",
    help="Draw how many neighbours are told apart over items (.svg, .pdf, .png).",
)  # fmt: skip
@models_option
@tasks_option
@named_option(
    "--missing", known=MISSING_POLICIES,
    help="What to do where a model has no score, as for rank.",
)  # fmt: skip
@over_option
@average_anyway_option
@seed_option
@reading_options
@quiet_option
def plan_command(
    *,
    inputs: tuple[str, ...],
    pair: tuple[str, str] | None,
    judged: JudgeFiles,
    as_json: bool,
    plot: str | None,
    models: tuple[str, ...],
    tasks: tuple[str, ...],
    missing: str | None,
    reading: Reading,
    quiet: bool,
    **asked: Any,
) -> None:
    """Read, plan, print."""
    kind = "" if plot is None else picture_kind(plot)
    if plot is not None:
        if judged.judges:
            raise click.UsageError("--plot draws no curve of labels with a judge: leave one out.")
        if not inputs:
            raise click.UsageError("--plot needs results: without a pilot there is no curve.")
    check_targets({"--plot": plot}, inputs)

    from rankbars.cli.progress import working
    from rankbars.data.drafts import write_bytes
    from rankbars.planned import plan

    limits = None
    pilot: Leaderboard | Scores | None = None
    if judged:
        pilot = _labelled(judged.beside(inputs), reading,
                          pair or models, tasks, quiet=quiet)  # fmt: skip
    elif inputs:
        pilot = _pilot(inputs, reading, pair, models, tasks, quiet=quiet)
    elif reading.minimum is not None and reading.maximum is not None:
        limits = (reading.minimum, reading.maximum)
    with working("Planning", quiet=quiet):
        made = plan(pilot, pair=pair, limits=limits, missing=missing or "auto", **asked)
    if plot is not None:
        from rankbars.render.plotting.workplots import curve_picture

        write_bytes(plot, drawn_bytes(curve_picture(made), kind))
    if as_json:
        emit(made.to_json())
        return
    said = frozenset(() if pilot is None else pilot.notes)
    notes = tuple(note for note in made.notes if note not in said)
    emit_text(replace(made, notes=notes).to_text())


def _pilot(
    inputs: tuple[str, ...], reading: Reading, pair: tuple[str, str] | None,
    models: tuple[str, ...], tasks: tuple[str, ...], *, quiet: bool,
) -> Leaderboard | Scores:  # fmt: skip
    """Results so far: a board file, or what is read."""
    from rankbars.cli.comparing import sides_of_one_model
    from rankbars.cli.inputs import choose, read_scores, report_reading
    from rankbars.cli.progress import reading_files
    from rankbars.planned import load_pilot

    board = load_pilot(inputs[0]) if len(inputs) == 1 else None
    if board is not None:
        if models or tasks or reading.where:
            raise click.UsageError(
                "--models, --tasks and --where choose from results; a board file has none. Name "
                "the results."
            )
        return board
    with reading_files(quiet=quiet) as progress:
        read = read_scores(inputs, reading, progress=progress, models=pair or models)
    if not (models or pair):
        read = sides_of_one_model(read, inputs, reading) or read
    scores = choose(read, models, tasks, reading.patterns)
    report_reading(scores, quiet=quiet)
    return scores


def _labelled(
    sources: LabelSources, reading: Reading, models: tuple[str, ...], tasks: tuple[str, ...], *,
    quiet: bool,
) -> Scores:  # fmt: skip
    """Labels with the judges that correct them."""
    from rankbars.cli.inputs import choose, read_scores, report_reading
    from rankbars.cli.progress import reading_files

    def take(paths: tuple[str, ...], how: Reading) -> Scores:
        with reading_files(quiet=quiet) as progress:
            read = read_scores(paths, how, progress=progress, models=models, beside=True)
        return choose(read, models, tasks, how.patterns)

    scores = sources.join(take(sources.labels, sources.reading(reading)), take, reading)
    report_reading(scores, quiet=quiet)
    return scores
