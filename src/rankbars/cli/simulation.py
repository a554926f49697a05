"""``rankbars simulate``: a simulation study in, its tables and pictures out."""

from __future__ import annotations

from typing import Any

import click

from rankbars.cli.options import add_options, json_option, named_option
from rankbars.cli.outputs import print_files, say
from rankbars.cli.readingoptions import Reading, reading_options
from rankbars.cli.stopping import account_for

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


running_options = add_options(
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
)  # fmt: skip
"""Options of every study: where to, how often, with which seed and how many workers."""

picture_option = named_option(
    "--picture", known=("svg", "png", "pdf", "none"), default="svg", show_default=True,
    help="Kind of the pictures; all but none need the extra rankbars[plot].",
)  # fmt: skip


part_options = add_options(
    click.option("--models", type=int, multiple=True, metavar="M", help="Only 10 or 30 models."),
    click.option(
        "--rows", type=int, multiple=True, metavar="n", help="Only 10 or 200 rows per task."
    ),
    click.option(
        "--sigma", "sigmas", type=float, multiple=True, metavar="SD",
        help="Only this standard deviation: 0.3, 0.7 or 1.2.",
    ),
    click.option(
        "--correlation", "correlations", type=float, multiple=True, metavar="R",
        help="Only this correlation in blocks: 0, 0.2, 0.5 or 0.8.",
    ),
)  # fmt: skip
"""Options that name some configurations of the published study."""


def _part(
    *,
    models: tuple[int, ...],
    rows: tuple[int, ...],
    sigmas: tuple[float, ...],
    correlations: tuple[float, ...],
    **others: Any,
) -> dict[str, Any]:
    """What was given, with the configurations as one argument."""
    from rankbars.simulate.publishedtables import Part

    return {"part": Part(models, rows, sigmas, correlations), **others}


@simulate_group.command("tables", short_help="Tables 2 to 7 of the published study.")
@click.option(
    "--table", "numbers", type=int, multiple=True, metavar="NUMBER",
    help="Only this table, 2 to 7. Repeat for more.",
)  # fmt: skip
@part_options
@running_options
def tables_command(**given: Any) -> None:
    """Recompute Tables 2 to 7 of Neuhof and Benjamini (2026): table_2.csv to table_7.csv.

    One row per published cell; published.csv has the published number beside ours, and
    equations_14_16.csv coverage on the training tasks and of all models at once. Says how far the
    numbers are apart. 100 repetitions take some minutes on two cores.
    """
    _run("tables", **_part(**given))


@simulate_group.command("figures", short_help="Figures 1 and 6 of the published study.")
@click.option(
    "--figure", "names", multiple=True, metavar="NAME",
    help="Only this one: 1a, 1b, 6, or tasks (coverage on a task). Repeat for more.",
)  # fmt: skip
@part_options
@picture_option
@running_options
def figures_command(**given: Any) -> None:
    """Recompute Figures 1 (a, b) and 6 of Neuhof and Benjamini (2026), with their numbers.

    1a is width and coverage of the quantile merge and of the union over all configurations, 1b
    width over the number of tasks, 6 the seconds of Algorithm 2 over the number of tasks.
    """
    _run("figures", **_part(**given))


@simulate_group.command("vtab", short_help="Published tables and figures of VTAB, recomputed.")
@picture_option
@running_options
def vtab_command(**given: Any) -> None:
    """Recompute Tables 2 to 11 and Figures 3 to 6 of Longjohn, Gopalan and Casleton (2025).

    Writes vtab.csv, one row per published cell with ours beside it, the numbers behind the
    figures, and vtab.html, which shows all of it. --repetitions is the number of draws.
    """
    _run("vtab", **given)


@simulate_group.command("posterior", short_help="The hierarchical model, published and checked.")
@running_options
def posterior_command(**given: Any) -> None:
    """Recompute the study of Longjohn, Gopalan and Casleton (2025), and check posterior intervals.

    Writes posterior.csv: published values beside ours, and how often 95 % intervals hold when the
    prior is right, and when it is not.
    """
    _run("posterior", **given)


@simulate_group.command("coverage", short_help="What each method would give on your evaluation.")
@click.option("--models", type=int, metavar="M", help="Number of models.  [default: 10]")
@click.option(
    "--tasks", "n_tasks", type=int, multiple=True, metavar="N",
    help="Number of tasks. Repeat to compare several.  [default: 20]",
)  # fmt: skip
@click.option(
    "--items", "n_rows", type=int, multiple=True, metavar="n",
    help="Items (rows) per task. Repeat to compare several.  [default: 200]",
)  # fmt: skip
@click.option(
    "--spread", type=float, metavar="SD",
    help="Standard deviation of the models' mean scores, in standard deviations of one row.  "
    "[default: 0.3]",
)  # fmt: skip
@click.option(
    "--task-sd", type=float, metavar="SD",
    help="Standard deviation of one model's true score between tasks, likewise.  [default: 0.2]",
)  # fmt: skip
@click.option(
    "--correlation", type=float, metavar="R",
    help="Correlation of the scores of two models on a row.  [default: 0.3]",
)  # fmt: skip
@click.option(
    "--ties", type=float, default=0.0, show_default=True, metavar="SHARE",
    help="Share of the models that are exactly tied on every task.",
)  # fmt: skip
@click.option(
    "--like", multiple=True, metavar="INPUT",
    help="Take models, spread, tasks and rows from these results instead. Repeat for more files.",
)  # fmt: skip
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Error rate on a task.")
@click.option(
    "--alpha-overall", type=float, default=0.2, show_default=True,
    help="Error rate of the step to a new task.",
)  # fmt: skip
@reading_options
@picture_option
@running_options
def coverage_command(
    *,
    models: int | None,
    n_tasks: tuple[int, ...],
    n_rows: tuple[int, ...],
    spread: float | None,
    task_sd: float | None,
    correlation: float | None,
    ties: float,
    like: tuple[str, ...],
    reading: Reading,
    **given: Any,
) -> None:
    """Width and coverage of every method on an evaluation, before it is paid for.

    Describe the evaluation, or let it be taken from results you have (--like). Several numbers of
    tasks and items are compared with each other.
    """
    from rankbars.simulate import evaluation_like, planned_evaluation

    described: dict[str, Any] = {"spread": spread, "task_sd": task_sd, "correlation": correlation}
    described = {name: value for name, value in described.items() if value is not None}
    if like:
        from rankbars.cli.inputs import read_scores

        refused = ["--models"] * (models is not None)
        refused += [f"--{name.replace('_', '-')}" for name in described]
        if refused:
            raise click.UsageError(
                f"--like takes the models from results; {' and '.join(refused)} cannot be given "
                "too."
            )
        evaluation, tasks_there, rows_there = evaluation_like(read_scores(like, reading), ties=ties)
        n_tasks, n_rows = n_tasks or (tasks_there,), n_rows or (rows_there,)
    else:
        evaluation = planned_evaluation(10 if models is None else models, ties=ties, **described)
    _run("coverage", evaluation=evaluation, n_tasks=n_tasks, n_rows=n_rows, **given)


def _trap_command(name: str, line: str) -> click.Command:
    @click.command(name, help=f"{line}\n\nWrites {name}.csv: published values beside ours.",
                   short_help=line)  # fmt: skip
    @running_options
    def command(**given: Any) -> None:
        _run(name, **given)

    return command


for _name, _line in TRAPS.items():
    simulate_group.add_command(_trap_command(_name, _line))


def _run(
    name: str,
    *,
    output: str,
    jobs: int,
    as_json: bool,
    quiet: bool,
    picture: str = "none",
    **chosen: Any,
) -> None:
    """Make the study of what was chosen, run it, say what was written."""
    from rankbars.cli.backends import Workers, running_on
    from rankbars.cli.progress import counting
    from rankbars.simulate import STUDIES, run

    study = STUDIES[name](
        **{option: value for option, value in chosen.items() if value not in (None, ())}
    )
    said: list[str] = []
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
        print_files(paths, said=said)
    elif not quiet:
        say(f"Wrote {', '.join(str(path) for path in paths)}.")
