"""Results in, a leaderboard out: ``rankbars rank``."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from rankbars.cli.backends import Workers, running_on
from rankbars.cli.judgelabels import JudgeFiles, judge_options, refuse_without_labels
from rankbars.cli.options import (
    about_options,
    analysis_options,
    first_option,
    json_option,
    models_option,
    named_option,
    quiet_option,
    refuse_empty,
    tasks_option,
)
from rankbars.cli.othermetrics import (
    Composite,
    OtherMetrics,
    composite_options,
    other_metrics_options,
    say_side,
)
from rankbars.cli.outputs import (
    STANDARD,
    check_first,
    deliver,
    emit_text,
    fitted,
    printed_json,
    say,
)  # fmt: skip
from rankbars.cli.readingoptions import (
    Reading,
    counting_failures,
    of_costs,
    reading_options,
    taking_rows,
)
from rankbars.cli.targets import check_targets, drawn_bytes, picture_kind
from rankbars.cli.taskfiles import TaskFiles, task_file_options
from rankbars.cli.votechoices import (
    VoteReading,
    anytime_option,
    enough_votes,
    examined,
    least_votes_option,
    looks_begun,
    refuse_unused,
    take_look,
    test_of_looks,
    vote_options,
    vote_reading_options,
    with_health,
)

if TYPE_CHECKING:
    from rankbars.cli.progress import Advance
    from rankbars.data.board import Leaderboard
    from rankbars.data.diagnosis import HeldOut
    from rankbars.data.scores import Scores
    from rankbars.data.spec import Spec, VoteOptions
    from rankbars.store.pairs import PairCache

__all__ = ["rank_command"]

_RANK_HELP = """Rank models with error bars: on each task, on the average, on a new task.

INPUT is a table (CSV, TSV, JSONL, JSON, Parquet, Excel), a folder, a pattern, or - for standard
input.
What was read is reported on standard error; the board goes to standard output.

\b
  rankbars rank results.csv
  rankbars rank results/ -o board.json --html report.html
  rankbars rank folds.csv --rows folds --folds 3
  rankbars rank errors.csv --direction lower
  rankbars rank votes.parquet --elo 1000
"""


@click.command("rank", help=_RANK_HELP, short_help="Rank models with error bars.")
@click.argument("inputs", metavar="INPUT...", nargs=-1, callback=refuse_empty)
@click.option("-o", "--output", metavar="FILE", help="Write the board as JSON; - prints it.")
@click.option("--html", metavar="FILE", help="Write a page that needs no network.")
@click.option("--md", metavar="FILE", help="Write the board as Markdown.")
@reading_options
@models_option
@tasks_option
@task_file_options
@composite_options
@click.option(
    "--by-reference",
    is_flag=True,
    help="Keep nothing of Parquet files but what is known of their tasks; whoever looks at a task, "
    "such as a worker on a cluster, reads its rows from the file.",
)
@judge_options
@analysis_options
@vote_reading_options
@vote_options
@least_votes_option
@anytime_option
@named_option(
    "--correlated",
    known=("models", "tasks"),
    help="With --aggregate items:bayes: a model of right and wrong answers in which models find "
    "the same tasks easy and hard, or tasks suit the same models, sampled by NumPyro "
    "(rankbars[bayes]).",
)
@other_metrics_options
@first_option
@click.option(
    "--explain",
    is_flag=True,
    help="Also say which methods were chosen and why, whether other methods agree, whether a new "
    "task like these is plausible, and how healthy votes are; with a paragraph for the methods "
    "section of a paper and its references.",
)
@click.option(
    "--pairs",
    is_flag=True,
    help="Also write the differences of all pairs of models, and the health of votes, to the board "
    "file, for `rankbars report` (a page of --html has them anyway).",
)
@click.option(
    "--hold-out",
    type=int,
    metavar="N",
    help="Hold out N tasks, drawn by --seed: the board is of the others, and a table beside it "
    "says how many rank intervals on those held out lie within the ones for a new task.",
)
@click.option(
    "--held-out",
    metavar="FILE",
    multiple=True,
    help="Write that table: .json for numbers, .svg, .pdf or .png for a picture. Repeat for more.",
)
@about_options
@json_option
@quiet_option
def rank_command(
    *,
    inputs: tuple[str, ...],
    judged: JudgeFiles,
    output: str | None,
    html: str | None,
    md: str | None,
    reading: Reading,
    models: tuple[str, ...],
    tasks: tuple[str, ...],
    described: TaskFiles,
    composite: Composite,
    spec: Spec,
    workers: Workers,
    vote_reading: VoteReading,
    votes: VoteOptions,
    least_votes: int,
    anytime: bool,
    correlated: str | None,
    others: OtherMetrics,
    first: int | None,
    explain: bool,
    by_reference: bool,
    pairs: bool,
    hold_out: int | None,
    held_out: tuple[str, ...],
    about: dict[str, str | None],
    as_json: bool,
    quiet: bool,
) -> None:
    """Read, rank, write."""
    output = printed_json(output, as_json=as_json)
    check_first(first, printed=output != STANDARD)
    sources = judged.beside(inputs)
    inputs = sources.labels
    refuse_without_labels(
        sources, spec,
        others=bool(others or described.clusters or by_reference or anytime),
    )  # fmt: skip
    given = {"-o": output, "--html": html, "--md": md}
    tables = {path: picture_kind(path, "json") for path in held_out}
    prices = [others.prices] if others.prices else []
    targets = check_targets(
        given | {f"--held-out {path}": path for path in held_out},
        [*inputs, *judged.judges, *described.paths, *prices],
    )
    targets = {option: path for option, path in targets.items() if option in given}
    workers.check()
    _refuse_combinations(
        spec, vote_reading, pairs=pairs and output is None, hold_out=hold_out is not None,
        held_out=bool(held_out), anytime=anytime,
    )  # fmt: skip
    others.refuse(inputs, spec, hold_out=hold_out is not None, composite=bool(composite.parts))
    _check_correlated(spec, correlated)
    reading, independent = taking_rows(reading)
    spec = replace(spec, votes=votes, independent_rows=independent)
    if anytime:
        spec = _as_looks_began(replace(spec, correction="e_average"), output, quiet=quiet)
    reading = counting_failures(reading, spec.missing_items)
    import rankbars as rb
    from rankbars.cli.inputs import choose, one_model_as_sides, read_scores, report_reading
    from rankbars.cli.progress import counting, reading_files
    from rankbars.cli.readingoptions import memory_of

    with ExitStack() as stack:
        # By reference it is workers who look the tasks over, while they are read.
        jobs = stack.enter_context(running_on(workers)) if by_reference else None

        def take(
            paths: tuple[str, ...], how: Reading, about: TaskFiles = described,
            progress: Advance | None = None,
        ) -> Scores:  # fmt: skip
            """What files hold of what was chosen, with what other files say of it."""
            read = read_scores(
                paths, how, vote_reading, progress=progress, by_reference=by_reference,
                n_jobs=1 if jobs is None else jobs, models=models, beside=bool(sources.judges),
            )  # fmt: skip
            chosen = enough_votes(choose(read, models, tasks), least_votes)
            told = about.tell(chosen, tuple(read.tasks), how.patterns)
            if composite.parts and by_reference:
                raise click.UsageError("--composite sums rows, which --by-reference does not keep.")
            return composite.of(told)

        with reading_files(quiet=quiet) as progress:
            plain = others.reading(reading)
            scores = take(inputs, sources.reading(plain), progress=progress)
            scores = sources.join(scores, take, plain)
        said = report_reading(scores, quiet=quiet)
        sides = one_model_as_sides(scores, inputs, "rank")
        if sides and not quiet:
            say(sides)
        refuse_unused(scores, vote_reading, votes, least_votes, anytime)
        if anytime:
            spec = replace(spec, test=test_of_looks(scores, spec.test, votes.pairing, output))
        _refuse_runs(scores, spec.runs)
        n_jobs = stack.enter_context(running_on(workers)) if jobs is None else jobs
        memory = None if hold_out else memory_of(inputs, is_fixed=bool(models))
        with counting("Comparing models", "task", then="Averaging", quiet=quiet) as progress:
            board, found = _rank(
                scores, hold_out, memory, spec=spec, n_jobs=n_jobs, progress=progress,
                pairs=pairs or html is not None,
            )  # fmt: skip

        def rank_by(metric: str) -> Leaderboard:
            other = take(inputs, others.reading(reading, metric))
            say_side(metric, other, quiet=quiet)
            return rb.leaderboard(other, spec=spec, n_jobs=n_jobs)

        board = others.on_board(
            board, scores, rank_by=rank_by,
            costs_by=lambda metric: take(
                inputs, of_costs(others.reading(reading, metric), metric), described.of_costs()
            ),
        )  # fmt: skip
    beside: dict[str, str | bytes] = {}
    if found is not None:
        scores = scores.select(models=board.models, tasks=board.tasks)
        beside = {path: _table_of(found, kind) for path, kind in tables.items()}
    if correlated is not None:
        board = _with_correlation(board, scores, correlated, quiet=quiet)
    if anytime:
        board, record = take_look(board, scores, output)
        beside |= record
    if pairs or html is not None:
        board = with_health(board, scores, quiet=quiet)
    board = board.titled(**about)
    # With the board file on standard output, nothing else may go there.
    further = "" if output == STANDARD else _further(board, scores, found, explain, quiet=quiet)
    deliver(board, targets, quiet=quiet, pairs=pairs, beside=beside, said=said, first=first)
    if further:
        emit_text(further)


def _rank(
    scores: Scores, hold_out: int | None, memory: PairCache | None, **options: Any
) -> tuple[Leaderboard, HeldOut | None]:
    """The board, and what was found on tasks that were held out; `memory` keeps what it learns."""
    import rankbars as rb

    if hold_out is not None:
        found = rb.hold_out(scores, hold_out, **options)
        return found.board, found
    board = rb.leaderboard(scores, memory=memory, **options)
    if memory is not None:
        memory.save()
    return board, None


def _table_of(found: HeldOut, kind: str) -> str | bytes:
    """What was found on tasks that were held out: as numbers, or as a picture."""
    if kind == "json":
        from rankbars.data.plain import json_text
        from rankbars.render.askedranks import held_out_to_dict

        return json_text(held_out_to_dict(found))
    from rankbars.render.plotting import draw_picture

    return drawn_bytes(draw_picture("held_out", found), kind)


def _further(
    board: Leaderboard, scores: Scores, found: HeldOut | None, explain: bool, *, quiet: bool
) -> str:
    """What is printed after the board."""
    parts = []
    if found is not None:
        from rankbars.render.askedranks import render_held_out

        parts.append("\n" + render_held_out(found))
    if explain:
        parts.append(_explanation(scores, board, quiet=quiet))
    return "".join(parts)


def _refuse_combinations(
    spec: Spec,
    reading: VoteReading,
    *,
    pairs: bool,
    hold_out: bool,
    held_out: bool,
    anytime: bool,
) -> None:
    """Refuse options that say nothing, or two things, together."""
    if pairs:
        raise click.UsageError("--pairs adds to the board file; name one with -o.")
    if held_out and not hold_out:
        raise click.UsageError("--held-out writes what --hold-out N finds; say how many tasks.")
    if not anytime:
        return
    if spec.test not in ("auto", "e_strength", "e_process") or spec.correction != "auto":
        raise click.UsageError(
            "--anytime has a correction of its own, and two tests: --test e_strength (all votes "
            "together) and e_process (pair by pair); leave out others, and --correction."
        )
    if reading.over_time:
        raise click.UsageError(
            "--anytime takes strengths as the same on every day, and --over-time asks whether they "
            "are; leave one of them out."
        )
    if reading.within:
        raise click.UsageError(
            "--anytime remembers what looks at all votes have shown, and none of categories; leave "
            "out --within, or look at one category: --where."
        )
    if hold_out:
        raise click.UsageError("--hold-out is for one look at the results; leave out --anytime.")


def _check_correlated(spec: Spec, correlated: str | None) -> None:
    plain = spec.method in ("auto", "mean") and spec.normalise is None
    if correlated is None or ((spec.over, spec.estimator) == ("items", "bayes") and plain):
        return
    raise click.UsageError(
        "--correlated belongs to the average of scores of a posterior: add --aggregate "
        "items:bayes, without another method and --normalise."
    )


def _with_correlation(board: Leaderboard, scores: Scores, what: str, *, quiet: bool) -> Leaderboard:
    """The board with the average of a model in which models, or tasks, go together."""
    import rankbars as rb
    from rankbars.cli.progress import working

    with working("Sampling", quiet=quiet):
        posterior = rb.sample_posterior(
            scores.select(models=board.models), model=f"correlated_{what}", seed=board.spec.seed
        )
    return posterior.on_board(board)


def _refuse_runs(scores: Scores, runs: str) -> None:
    """Refuse tries that stopped at a success, and what is said of runs where there are none."""
    from rankbars.data.evidence import Items
    from rankbars.data.storedtasks import known_outline
    from rankbars.errors import OptionError
    from rankbars.intake import refuse_stopped

    refuse_stopped(scores)
    if runs in ("auto", "independent"):
        return
    of_runs = 0
    for name in scores.tasks:
        known = known_outline(scores.tasks, name)
        evidence = scores.tasks[name] if known is None else None
        one = known if known is not None else evidence
        of_runs += one is not None and one.kind == "runs"
        if of_runs > 1:
            return
        if runs == "anew":
            continue
        several = known is not None and known.answers is not None
        if several or (
            isinstance(evidence, Items)
            and (evidence.answers is not None or evidence.runs is not None)
        ):
            return
    if runs == "anew":
        raise OptionError(
            "--runs anew is for several tasks whose rows are training runs. Leave it out; a column "
            "that numbers the runs is named with --column run=NAME."
        )
    raise OptionError(
        "--runs shared is for several answers to one item, and no item has more than one. Leave it "
        "out; a column that numbers answers is named with --column epoch=NAME."
    )


def _as_looks_began(spec: Spec, output: str | None, *, quiet: bool) -> Spec:
    """Looks add up at one scope only: where none is asked for, it is that of the earlier looks."""
    asked = click.get_current_context().get_parameter_source("scope")
    began = looks_begun(output)
    if asked is not ParameterSource.DEFAULT or began is None or began.scope == spec.scope:
        return spec
    if not quiet:
        say(f"Earlier looks were at --scope {began.scope}, and this one goes on with it.")
    return replace(spec, scope=began.scope)


def _explanation(scores: Scores, board: Leaderboard, *, quiet: bool) -> str:
    """Choices, agreement of methods and, for several tasks, the diagnosis of a new one."""
    import rankbars as rb
    from rankbars.cli.progress import working
    from rankbars.render.examination import render_diagnosis, render_explanation

    with working("Comparing methods", quiet=quiet):
        parts = [render_explanation(rb.explain(scores, board.spec))]
    if board.overall is not None:
        parts.append(render_diagnosis(rb.diagnose(board), board))
    if any(task.kind == "votes" for task in board.tasks.values()):
        with working("Examining votes", quiet=quiet):
            parts += examined(scores, board)
    parts.append(f"For the methods section of a paper\n{fitted(board.methods_text())}")
    return "\n" + "\n".join(parts)
