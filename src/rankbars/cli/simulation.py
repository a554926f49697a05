"""``rankbars simulate``: a simulation study in, its tables and pictures out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rankbars.cli.answers import files_answer, print_answer
from rankbars.cli.options import Command, json_option, named_option
from rankbars.cli.outputs import say
from rankbars.cli.readingoptions import Reading, reading_options
from rankbars.cli.stopping import account_for

if TYPE_CHECKING:
    from rankbars.simulate import Evaluation, Study
    from rankbars.simulate.publishedtables import Part

__all__ = ["TRAPS", "simulate_group"]

HELP = """Check the methods by simulation: the published tables, your own plans, and the traps.

Each study writes one CSV file per table into a folder. A study that was interrupted goes on where
it stopped when the same command is given again.

\b
  rankbars simulate tables -o results --jobs 2          the published tables, recomputed
  rankbars simulate coverage --models 8 --tasks 20 --items 100 --items 400 -o results
  rankbars simulate coverage --like results.csv -o results
  rankbars simulate vtab -o results                     published averages beside ours
"""

TRAPS = {
    "winner": "Intervals for one model, read as intervals for the observed winner.",
    "clusters": "Rows that come in clusters, taken as independent.",
    "folds": "Cross-validation folds, taken as independent.",
    "runs": "Items crossed with runs, averaged over the runs.",
    "ties": "All corrections side by side, with and without exact ties.",
    "families": "Tasks that come in families, taken as independent.",
    "observed": "Intervals for observed ranks, read as intervals for true ranks.",
    "peeking": "Looking again and again at growing data.",
}
"""The studies of what goes wrong, each with one line of help."""


@click.group("simulate", help=HELP, short_help="Check the methods by simulation.")
def simulate_group() -> None:
    """The command ``rankbars simulate``."""


def running_options(command: Command) -> Command:
    """Options of every study: where to, how often, with which seed and how many workers."""
    for option in reversed(
        (
            click.option(
                "-o", "--output", metavar="DIR", required=True,
                help="Folder for the tables; made if it does not exist.",
            ),
            click.option(
                "--repetitions", type=int, metavar="R",
                help="Repetitions per configuration; each study has its own default.",
            ),
            click.option(
                "--seed", type=click.IntRange(min=0), default=0, show_default=True,
                help="Start of random numbers.",
            ),
            click.option(
                "--jobs", type=int, metavar="N", default=1, show_default=True,
                help="Number of workers; -1 for one per core. Results do not depend on it.",
            ),
            json_option,
            click.option("-q", "--quiet", is_flag=True, help="Do not name the files written."),
        )
    ):  # fmt: skip
        command = option(command)
    return command


picture_option = named_option(
    "--picture", known=("svg", "png", "pdf", "none"), default="svg", show_default=True,
    help="Kind of the pictures; all but none need the extra rankbars[plot].",
)  # fmt: skip


def part_options(command: Command) -> Command:
    """Options that name some configurations of the published study."""
    for option in reversed(
        (
            click.option("--models", type=int, multiple=True, metavar="M",
                         help="Only 10 or 30 models."),
            click.option("--rows", type=int, multiple=True, metavar="n",
                         help="Only 10 or 200 rows per task."),
            click.option("--sigma", "sigmas", type=float, multiple=True, metavar="SD",
                         help="Only this standard deviation: 0.3, 0.7 or 1.2."),
            click.option("--correlation", "correlations", type=float, multiple=True, metavar="R",
                         help="Only this correlation in blocks: 0, 0.2, 0.5 or 0.8."),
        )
    ):  # fmt: skip
        command = option(command)
    return command


def _part(
    models: tuple[int, ...],
    rows: tuple[int, ...],
    sigmas: tuple[float, ...],
    correlations: tuple[float, ...],
) -> Part:
    from rankbars.simulate.publishedtables import Part

    return Part(models, rows, sigmas, correlations)


@simulate_group.command("tables", short_help="Tables 2 to 7 of the published study.")
@click.option(
    "--table", "numbers", type=int, multiple=True, metavar="NUMBER",
    help="Only this table, 2 to 7. Repeat for more.",
)  # fmt: skip
@part_options
@running_options
def tables_command(
    *,
    numbers: tuple[int, ...],
    models: tuple[int, ...],
    rows: tuple[int, ...],
    sigmas: tuple[float, ...],
    correlations: tuple[float, ...],
    **running: Any,
) -> None:
    """Recompute Tables 2 to 7 of Neuhof and Benjamini (2026): table_2.csv to table_7.csv.

    One row per published cell; published.csv has the published number beside ours, and
    equations_14_16.csv coverage on the training tasks and of all models at once. Says how far the
    numbers are apart. 100 repetitions take some minutes on two cores.
    """
    chosen: dict[str, Any] = {"part": _part(models, rows, sigmas, correlations)}
    if numbers:
        chosen["numbers"] = numbers
    _run("tables", chosen, "none", **running)


@simulate_group.command("figures", short_help="Figures 1 and 6 of the published study.")
@click.option(
    "--figure", "names", multiple=True, metavar="NAME",
    help="Only this one: 1a, 1b, 6, or tasks (coverage on a task). Repeat for more.",
)  # fmt: skip
@part_options
@picture_option
@running_options
def figures_command(
    *,
    names: tuple[str, ...],
    models: tuple[int, ...],
    rows: tuple[int, ...],
    sigmas: tuple[float, ...],
    correlations: tuple[float, ...],
    picture: str,
    **running: Any,
) -> None:
    """Recompute Figures 1 (a, b) and 6 of Neuhof and Benjamini (2026), with their numbers.

    1a is width and coverage of the quantile merge and of the union over all configurations, 1b
    width over the number of tasks, 6 the seconds of Algorithm 2 over the number of tasks.
    """
    chosen: dict[str, Any] = {"part": _part(models, rows, sigmas, correlations)}
    if names:
        chosen["names"] = names
    _run("figures", chosen, picture, **running)


@simulate_group.command("vtab", short_help="Published tables and figures of VTAB, recomputed.")
@picture_option
@running_options
def vtab_command(*, picture: str, **running: Any) -> None:
    """Recompute Tables 2 to 11 and Figures 3 to 6 of Longjohn, Gopalan and Casleton (2025).

    Writes vtab.csv, one row per published cell with ours beside it, the numbers behind the
    figures, and vtab.html, which shows all of it. --repetitions is the number of draws.
    """
    _run("vtab", {}, picture, **running)


@simulate_group.command("posterior", short_help="The hierarchical model, published and checked.")
@running_options
def posterior_command(**running: Any) -> None:
    """Recompute the study of Longjohn, Gopalan and Casleton (2025), and check posterior intervals.

    Writes posterior.csv: published values beside ours, and how often 95 % intervals hold when the
    prior is right, and when it is not.
    """
    _run("posterior", {}, "none", **running)


@simulate_group.command("coverage", short_help="What each method would give on your evaluation.")
@click.option("--models", type=int, metavar="M", help="Number of models.  [default: 10]")
@click.option(
    "--tasks",
    type=int,
    multiple=True,
    metavar="N",
    help="Number of tasks. Repeat to compare several.  [default: 20]",
)
@click.option(
    "--items",
    "sizes",
    type=int,
    multiple=True,
    metavar="n",
    help="Items (rows) per task. Repeat to compare several.  [default: 200]",
)
@click.option(
    "--spread",
    type=float,
    metavar="SD",
    help="Standard deviation of the models' mean scores, in standard deviations of one row.  "
    "[default: 0.3]",
)
@click.option(
    "--task-sd",
    type=float,
    metavar="SD",
    help="Standard deviation of one model's true score between tasks, likewise.  [default: 0.2]",
)
@click.option(
    "--correlation",
    type=float,
    metavar="R",
    help="Correlation of the scores of two models on a row.  [default: 0.3]",
)
@click.option(
    "--ties",
    type=float,
    default=0.0,
    show_default=True,
    metavar="SHARE",
    help="Share of the models that are exactly tied on every task.",
)
@click.option(
    "--like",
    multiple=True,
    metavar="INPUT",
    help="Take models, spread, tasks and rows from these results instead. Repeat for more files.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Error rate on a task.")
@click.option(
    "--alpha-overall",
    type=float,
    default=0.2,
    show_default=True,
    help="Error rate of the step to a new task.",
)
@reading_options
@picture_option
@running_options
def coverage_command(
    *,
    models: int | None,
    tasks: tuple[int, ...],
    sizes: tuple[int, ...],
    spread: float | None,
    task_sd: float | None,
    correlation: float | None,
    ties: float,
    like: tuple[str, ...],
    alpha: float,
    alpha_overall: float,
    reading: Reading,
    picture: str,
    **running: Any,
) -> None:
    """Width and coverage of every method on an evaluation, before it is paid for.

    Describe the evaluation, or let it be taken from results you have (--like). Several numbers of
    tasks and items are compared with each other.
    """
    described = {
        "--models": models, "--spread": spread, "--task-sd": task_sd, "--correlation": correlation
    }  # fmt: skip
    given = {option: value for option, value in described.items() if value is not None}
    chosen: dict[str, Any] = {"alpha": alpha, "alpha_overall": alpha_overall}
    if like:
        if given:
            raise click.UsageError(
                f"--like takes the models from results; {' and '.join(given)} cannot be given too."
            )
        evaluation, n_tasks, n_rows = _evaluation_like(like, reading, ties)
        chosen |= {"n_tasks": (n_tasks,), "n_rows": (n_rows,)}
    else:
        from rankbars.simulate import planned_evaluation

        values = {option.lstrip("-").replace("-", "_"): value for option, value in given.items()}
        count = values.pop("models", 10)
        evaluation = planned_evaluation(int(count), ties=ties, **values)
    chosen["evaluation"] = evaluation
    if tasks:
        chosen["n_tasks"] = tasks
    if sizes:
        chosen["n_rows"] = sizes
    _run("coverage", chosen, picture, **running)


def _trap_command(name: str, line: str) -> click.Command:
    @click.command(name, help=f"{line}\n\nWrites {name}.csv: published values beside ours.",
                   short_help=line)  # fmt: skip
    @running_options
    def command(**running: Any) -> None:
        _run(name, {}, "none", **running)

    return command


for _name, _line in TRAPS.items():
    simulate_group.add_command(_trap_command(_name, _line))


def _evaluation_like(
    like: tuple[str, ...], reading: Reading, ties: float
) -> tuple[Evaluation, int, int]:
    from rankbars.cli.inputs import read_scores
    from rankbars.simulate import evaluation_like

    return evaluation_like(read_scores(like, reading), ties=ties)


def _run(
    name: str,
    chosen: dict[str, Any],
    picture: str,
    *,
    output: str,
    repetitions: int | None,
    seed: int,
    jobs: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Make a study, run it, say what was written."""
    from rankbars.cli.backends import Workers, running_on
    from rankbars.cli.progress import counting
    from rankbars.simulate import STUDIES, run

    if repetitions is not None:
        chosen = {**chosen, "repetitions": repetitions}
    said: list[str] = []
    study: Study = STUDIES[name](seed=seed, **chosen)
    account_for(
        lambda: f"Stopped; what was done is kept in {output}, and the same command goes on from it."
    )
    with (
        running_on(Workers(jobs=jobs)) as workers,
        counting(f"Simulating {name}", "part", then="Finishing", quiet=quiet) as progress,
    ):
        paths = run(
            study, output, n_jobs=workers, picture=picture, progress=progress,
            summarise=said.append if as_json else click.echo,
        )  # fmt: skip
    if as_json:
        print_answer(files_answer(paths, said=said))
    elif not quiet:
        say(f"Wrote {', '.join(str(path) for path in paths)}.")
