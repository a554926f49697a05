"""Results in, a table of models out: ``rankbars rank``, ``demo`` and ``table``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from click.core import ParameterSource

from rankbars.cli.backends import running_on
from rankbars.cli.composing import Correlations, Weighted, compose, composite_options
from rankbars.cli.judgelabels import judge_options, label_sources, refuse_without_labels
from rankbars.cli.options import (
    Analysis,
    Reading,
    about_options,
    analysis_options,
    chance_option,
    check_first,
    counting_failures,
    first_option,
    json_option,
    known_name,
    limits_option,
    models_option,
    named_option,
    printed_json,
    quiet_option,
    reading_options,
    refuse_empty,
    resamples_option,
    seed_option,
    tasks_option,
)
from rankbars.cli.outputs import (
    STANDARD,
    check_pictures,
    check_targets,
    deliver,
    emit,
    emit_text,
    held_out_files,
    say,
    standard_input,
)
from rankbars.cli.stopping import account_for_files
from rankbars.cli.votechoices import (
    VoteChoices,
    enough_votes,
    examined,
    looks_begun,
    refuse_unused,
    take_look,
    test_of_looks,
    vote_options,
    with_health,
)
from rankbars.data.spec import WITHIN_GROUPS
from rankbars.demos import DEMOS, LESSON, Demo, demo_path, lesson_records
from rankbars.errors import OptionError

if TYPE_CHECKING:
    from rankbars.cli.progress import Advance
    from rankbars.cli.taskfiles import Field
    from rankbars.data.board import Leaderboard
    from rankbars.data.boardparts import OtherOrder
    from rankbars.data.diagnosis import HeldOut
    from rankbars.data.plaintable import PlainTable
    from rankbars.data.scores import Scores
    from rankbars.data.spec import Spec
    from rankbars.store.pairs import PairCache

__all__ = ["board_of", "check_jobs", "demo_command", "rank_command", "table_command"]

_RANK_HELP = """Rank models with error bars: on each task, on the average, on a new task.

INPUT is a table (CSV, TSV, JSONL, JSON, Parquet), a folder, a pattern, or - for standard input.
What was read is reported on standard error; the board goes to standard output.

\b
  rankbars rank results.csv
  rankbars rank results/ -o board.json --html report.html
  rankbars rank folds.csv --rows folds --folds 3
  rankbars rank errors.csv --direction lower
  rankbars rank votes.parquet --elo 1000
"""
_FIRST = next(iter(DEMOS))
_MOST_NAMED = 5
_INTERVALS = ("auto", "t", "percentile")
_TABLE_HELP = """\
Show records of an evaluation harness as a plain table: rank, mean, interval, win rate.

RECORDS is a JSON list of objects, one object per line, or a CSV or TSV table; - reads standard
input. Each record is one score, from 0 to 1, of one model on one task: model_id, task_id,
metric_name and score, and optionally category and weight of the task. No record makes an empty
table.

Intervals of means do not say which of two models is better: --pairs adds their difference on the
tasks that both have, and whether its interval excludes 0. For ranks with error bars give the same
file to `rankbars rank`.

\b
  rankbars table runs.jsonl
  rankbars table runs.json --metric accuracy --json > report.json
  rankbars table runs.json --pairs --scores
  cat runs/*.jsonl | rankbars table -
"""


@click.command("rank", help=_RANK_HELP, short_help="Rank models with error bars.")
@click.argument("inputs", metavar="INPUT...", nargs=-1, callback=refuse_empty)
@click.option("-o", "--output", metavar="FILE", help="Write the board as JSON; - prints it.")
@click.option("--html", metavar="FILE", help="Write a page that needs no network.")
@click.option("--md", metavar="FILE", help="Write the board as Markdown.")
@reading_options
@models_option
@tasks_option
@click.option(
    "--categories", metavar="FILE", help="Category of each task: CSV, JSON or YAML, task to name."
)
@click.option("--families", metavar="FILE", help="Family of each task, in the same way.")
@click.option(
    "--weights",
    metavar="FILE",
    help="Weight of each task, or of each category, 0 or more: in the average, and for --merge "
    "weighted.",
)
@click.option(
    "--groups",
    metavar="FILE",
    help="Groups of tasks that count as one in the average, in the same way: MMLU of 57 subjects "
    "as one of three. Those that an lm-eval log gives a value for do so anyway; none: no groups.",
)
@named_option(
    "--within-groups",
    known=WITHIN_GROUPS,
    default=None,
    help="Whether tasks count in their group by their number of rows (size, the default for "
    "--groups), or the same (equal).",
)
@click.option(
    "--clusters",
    metavar="FILE",
    help="Which rows go together, such as the sentences of a document: item and cluster, or task, "
    "item and cluster.",
)
@composite_options
@chance_option
@limits_option
@click.option(
    "--by-reference",
    is_flag=True,
    help="Keep nothing of Parquet files but what is known of their tasks; whoever looks at a task, "
    "such as a worker on a cluster, reads its rows from the file.",
)
@judge_options
@analysis_options
@vote_options
@named_option(
    "--correlated",
    known=("models", "tasks"),
    help="With --aggregate items:bayes: a model of right and wrong answers in which models find "
    "the same tasks easy and hard, or tasks suit the same models, sampled by NumPyro "
    "(rankbars[bayes]).",
)
@click.option(
    "--also",
    metavar="METRIC",
    multiple=True,
    help="Another metric of the same results, whose order stands beside: --metric pass@1 --also "
    "pass^4. Repeat for more.",
)
@click.option(
    "--cost",
    metavar="METRIC",
    help="A metric of the same results that is paid, such as cost_usd: which models may be the "
    "best for the money, score and cost paired by item.",
)
@click.option(
    "--prices",
    metavar="FILE",
    help="The same with one known cost per model: CSV, JSON or YAML with model and cost.",
)
@first_option
@click.option(
    "--explain",
    is_flag=True,
    help="Also say which methods were chosen and why, whether other methods agree, whether a new "
    "task like these is plausible, and how healthy votes are.",
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
    labels: str | None,
    judge: tuple[str, ...],
    judge_family: tuple[str, ...],
    output: str | None,
    html: str | None,
    md: str | None,
    reading: Reading,
    models: tuple[str, ...],
    tasks: tuple[str, ...],
    categories: str | None,
    families: str | None,
    weights: str | None,
    groups: str | None,
    within_groups: str | None,
    clusters: str | None,
    composite: tuple[Weighted, ...],
    correlations: Correlations,
    chance: str | None,
    limits: str | None,
    analysis: Analysis,
    voting: VoteChoices,
    correlated: str | None,
    also: tuple[str, ...],
    cost: str | None,
    prices: str | None,
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
    sources = label_sources(inputs, labels, judge, judge_family)
    inputs = sources.labels
    others = bool(also or cost or prices or clusters or by_reference or voting.anytime)
    refuse_without_labels(sources, analysis, others=others)
    given = {"-o": output, "--html": html, "--md": md}
    targets = {option: path for option, path in given.items() if path is not None}
    written = {f"--held-out {path}": path for path in held_out}
    files: dict[Field | Literal["cluster"], str | None] = {
        "category": categories, "family": families, "weight": weights, "chance": chance,
        "cluster": clusters,
    }  # fmt: skip
    check_targets(
        targets | written,
        [
            *inputs,
            *judge,
            *(path for path in (*files.values(), groups, limits, prices) if path),
        ],
    )
    check_pictures(held_out)
    account_for_files([*targets.values(), *held_out])
    check_jobs(analysis.jobs)
    _refuse_combinations(
        analysis, voting, pairs=pairs and output is None, hold_out=hold_out is not None,
        held_out=bool(held_out),
    )  # fmt: skip
    if voting.anytime:
        analysis = _as_looks_began(analysis, output, quiet=quiet)
    independent = reading.rows == "independent"
    reading = counting_failures(reading, analysis.missing, analysis.missing_items)
    if independent:  # the answer to a question, and no kind of row
        reading = replace(reading, rows=None)
    _check_correlated(analysis, correlated)
    _check_also(also, inputs, hold_out, composite=bool(composite), cost=cost is not None)
    _check_cost(cost, prices, inputs, analysis, hold_out=hold_out is not None)
    _spec_of(analysis, voting)  # a value out of range is said before anything is read
    from rankbars.cli.inputs import one_model_as_sides, report_reading
    from rankbars.cli.progress import counting, reading_files
    from rankbars.cli.storing import memory_of

    with ExitStack() as workers:
        # By reference it is workers who look the tasks over, while they are read.
        jobs = workers.enter_context(_workers(analysis)) if by_reference else None
        take = partial(
            _read_chosen, voting=voting, models=models, tasks=tasks,
            files=files, limits=limits, groups=(groups, within_groups),
            by_reference=by_reference, jobs=jobs, beside=bool(sources.judges),
            composite=composite, correlations=correlations,
        )  # fmt: skip
        with reading_files(quiet=quiet) as progress:
            scores = take(inputs, sources.reading(reading), progress=progress)
            scores = sources.join(scores, take, reading)
        said = report_reading(scores, quiet=quiet)
        sides = one_model_as_sides(scores, inputs, "rank")
        if sides and not quiet:
            say(sides)
        refuse_unused(scores, voting)
        if voting.anytime:
            test = test_of_looks(scores, analysis.test, voting.pairing, output)
            analysis = replace(analysis, test=test)
        _refuse_runs(scores, analysis.runs)
        with counting("Comparing models", "task", then="Averaging", quiet=quiet) as progress:
            memory = None if hold_out else memory_of(inputs, is_fixed=bool(models))
            board, found = board_of(
                scores, analysis, voting, pairs=pairs or html is not None, memory=memory,
                progress=progress, jobs=jobs, independent=independent, hold_out=hold_out,
            )  # fmt: skip
            if memory is not None:
                memory.save()
        board = _with_orders(board, tuple(dict.fromkeys(also)), lambda metric: board_of(
            take(inputs, replace(reading, metric=(metric,))), analysis, voting,
            independent=independent, jobs=jobs,
        )[0])  # fmt: skip
        board = _with_costs(board, scores, cost, prices, lambda metric: take(
            inputs,
            replace(
                reading, metric=(metric,), score_min=None, score_max=None,
                direction=(*reading.direction, (metric, "lower")),
            ),
            files=files | {"chance": None}, limits=None,
        ))  # fmt: skip
    beside: dict[str, str | bytes] = {}
    if found is not None:
        scores = scores.select(models=board.models, tasks=board.tasks)
        beside = held_out_files(found, held_out)
    if correlated is not None:
        board = _with_correlation(board, scores, correlated, quiet=quiet)
    if voting.anytime:
        board, record = take_look(board, scores, output)
        beside |= record
    if pairs or html is not None:
        board = with_health(board, scores, quiet=quiet)
    board = board.titled(**about)
    # With the board file on standard output, nothing else may go there.
    printing = output != STANDARD
    words = _explanation(scores, board, quiet=quiet) if explain and printing else ""
    deliver(board, targets, quiet=quiet, pairs=pairs, beside=beside, said=said, first=first)
    if found is not None and printing:
        from rankbars.render.predicted import render_held_out

        emit_text("\n" + render_held_out(found))
    if words:
        emit_text(words)


def _refuse_combinations(
    analysis: Analysis, voting: VoteChoices, *, pairs: bool, hold_out: bool, held_out: bool
) -> None:
    """Refuse options that say nothing, or two things, together."""
    if pairs:
        raise click.UsageError("--pairs adds to the board file; name one with -o.")
    if held_out and not hold_out:
        raise click.UsageError("--held-out writes what --hold-out N finds; say how many tasks.")
    if not voting.anytime:
        return
    if analysis.test not in ("auto", "e_strength", "e_process") or analysis.correction != "auto":
        raise click.UsageError(
            "--anytime has a correction of its own, and two tests: --test e_strength (all votes "
            "together) and e_process (pair by pair); leave out others, and --correction."
        )
    if voting.over_time:
        raise click.UsageError(
            "--anytime takes strengths as the same on every day, and --over-time asks whether they "
            "are; leave one of them out."
        )
    if voting.within:
        raise click.UsageError(
            "--anytime remembers what looks at all votes have shown, and none of categories; leave "
            "out --within, or look at one category: --where."
        )
    if hold_out:
        raise click.UsageError("--hold-out is for one look at the results; leave out --anytime.")


def _read_chosen(
    inputs: tuple[str, ...], reading: Reading, *, voting: VoteChoices, models: tuple[str, ...],
    tasks: tuple[str, ...],
    files: Mapping[Field | Literal["cluster"], str | None], limits: str | None,
    groups: tuple[str | None, str | None], by_reference: bool, jobs: int | None,
    beside: bool = False, progress: Advance | None = None,
    composite: tuple[Weighted, ...] = (), correlations: Correlations = (),
) -> Scores:  # fmt: skip
    """What the inputs hold of what was chosen, with what files say of it."""
    from rankbars.cli.inputs import choose, read_scores
    from rankbars.cli.taskfiles import group_tasks, limit_tasks

    read = read_scores(
        inputs, reading, voting, progress=progress, by_reference=by_reference,
        n_jobs=1 if jobs is None else jobs, models=models, beside=beside,
    )  # fmt: skip
    scores = enough_votes(choose(read, models, tasks), voting.least_votes)
    scores = choose(_told(scores, files, tuple(read.tasks)), (), (), reading.patterns)
    if limits is not None:
        scores = limit_tasks(scores, limits, tuple(read.tasks))
    if groups != (None, None):
        scores = group_tasks(scores, *groups, tuple(read.tasks))
    if composite and by_reference:
        raise click.UsageError("--composite sums rows, which --by-reference does not keep.")
    return compose(scores, composite, correlations)


def _check_also(
    also: tuple[str, ...], inputs: tuple[str, ...], hold_out: int | None, *, composite: bool,
    cost: bool,
) -> None:  # fmt: skip
    if composite and (also or cost):
        raise click.UsageError(
            "--composite makes one metric of several, and --also and --cost ask for another one "
            "beside it. Leave them out."
        )
    if also and (STANDARD in inputs or hold_out is not None):
        raise click.UsageError(
            "--also reads the results again, which standard input and --hold-out do not allow."
        )


def _check_cost(
    cost: str | None, prices: str | None, inputs: tuple[str, ...], analysis: Analysis, *,
    hold_out: bool,
) -> None:  # fmt: skip
    if cost is None and prices is None:
        return
    if cost is not None and prices is not None:
        raise click.UsageError("--cost and --prices are two kinds of costs: give one of them.")
    if hold_out:
        raise click.UsageError("Costs go with the board of all tasks: leave out --hold-out.")
    if cost is not None and STANDARD in inputs:
        raise click.UsageError("--cost reads the results again, which standard input cannot.")
    if cost is not None and "fail" in (analysis.missing, analysis.missing_items):
        raise click.UsageError(
            "A missing score can count as a failure, but a missing cost is not 0: give --prices "
            "with a cost per model, or another --missing."
        )


def _read_prices(path: str) -> tuple[str, dict[str, float]]:
    """What the costs are called, and one per model."""
    from rankbars.cli.taskfiles import read_task_file
    from rankbars.errors import ReadError

    found = read_task_file(path)
    # The head of a table names the cost.
    metric = found.pop("model", None) or found.pop("Model", Path(path).stem)
    prices = {}
    for model, text in found.items():
        try:
            prices[model] = float(text)
        except ValueError:
            raise ReadError.at(
                path, f"the cost of {model!r} must be a number; found {text!r}."
            ) from None
    return metric, prices


def _with_costs(
    board: Leaderboard, scores: Scores, cost: str | None, prices: str | None,
    read_costs: Callable[[str], Scores],
) -> Leaderboard:  # fmt: skip
    """The board with its front of score against cost, where costs were given."""
    if cost is not None:
        from rankbars.costs import add_costs

        return add_costs(board, scores, read_costs(cost), metric=cost)
    if prices is not None:
        from rankbars.costs import add_costs

        metric, known = _read_prices(prices)
        return add_costs(board, scores, known, metric=metric)
    return board


def _with_orders(
    board: Leaderboard, metrics: tuple[str, ...], board_by: Callable[[str], Leaderboard]
) -> Leaderboard:
    """The board with its models' ranks by other metrics."""
    orders = tuple(_other_order(board, metric, board_by(metric)) for metric in metrics)
    return replace(board, also=orders) if orders else board


def _other_order(board: Leaderboard, metric: str, other: Leaderboard) -> OtherOrder:
    """The ranks of a board by another metric, for the models of the first."""
    import numpy as np

    from rankbars.data.boardparts import OtherOrder
    from rankbars.errors import DataError
    from rankbars.tables.metrics import is_trial_metric

    if other.models != board.models:
        lacking = sorted(set(board.models) ^ set(other.models))
        raise DataError(
            f"--also {metric} ranks other models: {', '.join(lacking[:5])} stand on one of the two "
            "boards only. Choose models that both have, with --models."
        )
    if not is_trial_metric(metric) and np.array_equal(other.score, board.score, equal_nan=True):
        raise DataError(
            f"--also {metric} gives the scores of the board again: the results hold no other "
            "metric of this name. Metrics of several answers are pass@K, pass^K, majority@K and "
            "best@K."
        )
    score = other.score
    if other.lead == "task":
        score = next(iter(other.tasks.values())).mean
    elif other.aggregate is not None:
        score = other.aggregate.score
    return OtherOrder(board.models, metric, score, other.ranks.best, other.ranks.worst)


def _told(
    scores: Scores,
    files: Mapping[Field | Literal["cluster"], str | None],
    known: tuple[str, ...],
) -> Scores:
    """The scores with what files say about tasks and rows."""
    from rankbars.cli.taskfiles import cluster_rows, describe_tasks

    for field, path in files.items():
        if path is None:
            continue
        if field == "cluster":
            scores = cluster_rows(scores, path)
        else:
            scores = describe_tasks(scores, field, path, known)
    return scores


def _check_correlated(analysis: Analysis, correlated: str | None) -> None:
    average = analysis.aggregate
    plain = average.method in ("auto", "mean") and analysis.normalise in (None, "none")
    if correlated is None or (average[:2] == ("items", "bayes") and plain):
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
    """Refuse an effect of runs where no item has several answers."""
    from rankbars.data.evidence import Items
    from rankbars.data.storedtasks import known_outline
    from rankbars.errors import OptionError

    if runs != "shared":
        return
    for name in scores.tasks:
        known = known_outline(scores.tasks, name)
        evidence = scores.tasks[name] if known is None else None
        several = known is not None and known.answers is not None
        if several or (
            isinstance(evidence, Items)
            and (evidence.answers is not None or evidence.runs is not None)
        ):
            return
    raise OptionError(
        "--runs shared is for several answers to one item, and no item has more than one. Leave it "
        "out; a column that numbers answers is named with --column epoch=NAME."
    )


def _as_looks_began(analysis: Analysis, output: str | None, *, quiet: bool) -> Analysis:
    """Looks add up at one scope only: where none is asked for, it is that of the earlier looks."""
    asked = click.get_current_context().get_parameter_source("scope")
    began = looks_begun(output)
    if asked is not ParameterSource.DEFAULT or began is None or began.scope == analysis.scope:
        return analysis
    if not quiet:
        say(f"Earlier looks were at --scope {began.scope}, and this one goes on with it.")
    return replace(analysis, scope=began.scope)


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
    return "\n" + "\n".join(parts)


def board_of(
    scores: Scores,
    analysis: Analysis,
    voting: VoteChoices | None = None,
    *,
    pairs: bool = False,
    independent: bool = False,
    memory: PairCache | None = None,
    progress: Advance | None = None,
    jobs: int | None = None,
    hold_out: int | None = None,
) -> tuple[Leaderboard, HeldOut | None]:
    """The leaderboard of `scores` with the options of the command line; on `jobs` that run.

    Where tasks are held out it is of the others, and what was found on those comes with it.
    """
    import rankbars as rb

    spec = replace(_spec_of(analysis, voting), independent_rows=independent)
    with _workers(analysis) if jobs is None else nullcontext(jobs) as n_jobs:
        if hold_out is not None:
            found = rb.hold_out(
                scores, hold_out, spec=spec, n_jobs=n_jobs, pairs=pairs, progress=progress
            )
            return found.board, found
        return rb.leaderboard(
            scores, spec=spec, n_jobs=n_jobs, pairs=pairs, memory=memory, progress=progress
        ), None


def _workers(analysis: Analysis) -> AbstractContextManager[int]:
    return running_on(analysis.backend, analysis.scheduler, analysis.jobs)


def _spec_of(analysis: Analysis, voting: VoteChoices | None = None) -> Spec:
    """The options of the command line as one value; raises `OptionError` if one is out of range."""
    import rankbars as rb

    anytime = voting is not None and voting.anytime
    return rb.Spec(
        test="e_strength" if anytime and analysis.test == "auto" else analysis.test,
        correction="e_average" if anytime else analysis.correction,
        scope="all" if analysis.scope == "all" else "each",
        alpha=analysis.alpha,
        merge=analysis.merge,
        alpha_overall=analysis.alpha_overall,
        over=analysis.aggregate.over,
        estimator=analysis.aggregate.estimator,
        method=analysis.aggregate.method,
        normalise=None if analysis.normalise == "none" else analysis.normalise,
        prior=analysis.prior,
        missing=analysis.missing or "auto",
        missing_tasks=analysis.missing_tasks,
        missing_items=analysis.missing_items,
        zero_se=analysis.zero_se,
        variants=analysis.variants,
        runs=analysis.runs,
        best_alone=analysis.best_alone,
        top_alone=analysis.top_alone,
        baseline=analysis.baseline,
        baseline_fills=analysis.baseline_fills,
        average_anyway=analysis.average_anyway,
        seed=analysis.seed,
        resamples=analysis.resamples,
        votes=rb.VoteOptions() if voting is None else voting.options,
    )


def check_jobs(jobs: int) -> None:
    """Refuse a number of workers that means nothing."""
    if jobs == 0:
        raise OptionError.out_of_range("--jobs", jobs, "1 or more, or -1 for one per core")


@click.command("demo", short_help="Rank results that come with the package.")
@click.argument("name", metavar="[NAME]", callback=known_name((*DEMOS, "lesson")), default=_FIRST)
@click.option("--list", "wants_list", is_flag=True, help="List the results there are.")
@click.option("-o", "--output", metavar="FILE", help="Write the board as JSON; - prints it.")
@click.option(
    "--html", metavar="FILE", help="Where to write the page; rankbars-NAME.html if not given."
)
@json_option
@quiet_option
def demo_command(
    *, name: str, wants_list: bool, output: str | None, html: str | None, as_json: bool, quiet: bool
) -> None:
    """Rank real results that come with the package: print the board, write a page.

    `rankbars demo lesson` begins with the plain table of made records, and what of it is shown.
    """
    output = printed_json(output, as_json=as_json)
    if wants_list and as_json:
        raise click.UsageError("--list is a list for people: leave --json out.")
    if wants_list:
        emit_text("".join(_entry(known) for known in DEMOS) + f"{'lesson':<10} {LESSON}\n")
        return
    page = f"rankbars-{name}.html" if html is None else html
    targets = {"--html": page} if output is None else {"-o": output, "--html": page}
    check_targets(targets)
    account_for_files(targets.values())

    import rankbars as rb
    from rankbars.cli.inputs import report_reading
    from rankbars.cli.progress import counting, working
    from rankbars.cli.votechoices import with_health

    demo = DEMOS.get(name)
    if demo is None:
        records = lesson_records()
        if output != STANDARD:
            emit_text(_plain_text(rb.plain_table(records), pairs=True, scores=True) + "\n")
        deliver(rb.leaderboard(rb.Scores.from_records(records)), targets, quiet=quiet)
        return
    if not quiet:
        say(f"{demo.description}.\nFrom {demo.source} ({demo.licence}).")
    with working("Reading", quiet=quiet):
        scores = _named_by_file(
            rb.read(demo_path(demo), direction=demo.direction, rows=demo.rows, folds=demo.folds),
            demo,
        )
    said = report_reading(scores, quiet=quiet)
    with counting("Comparing models", "task", then="Averaging", quiet=quiet) as progress:
        board = rb.leaderboard(scores, missing=demo.missing, pairs=True, progress=progress)
    board = with_health(board, scores, quiet=quiet).titled(
        title=demo.title,
        source=demo.source,
        date=demo.date,
        link=demo.link,
    )
    deliver(board, targets, quiet=quiet, said=said)


def _named_by_file(scores: Scores, demo: Demo) -> Scores:
    """The same scores; the file is called by its name, wherever the package lies."""
    place = str(demo_path(demo))
    return replace(
        scores,
        notes=tuple(
            replace(note, message=note.message.replace(place, demo.file)) for note in scores.notes
        ),
        inputs=tuple(replace(one, path=demo.file) for one in scores.inputs),
    )


def _entry(name: str) -> str:
    demo = DEMOS[name]
    return f"{name:<10} {demo.description}\n{'':<10} {demo.source} ({demo.licence})\n"


@click.command("table", help=_TABLE_HELP, short_help="Plain table of evaluation records.")
@click.argument("records", metavar="RECORDS")
@click.option("--metric", metavar="NAME", help="Only records with this metric.")
@named_option(
    "--interval", known=_INTERVALS, default="auto", show_default=True,
    help="Of the mean over tasks like these: t, or percentiles of resampled tasks; auto takes t "
    "unless every model has 30 tasks.",
)  # fmt: skip
@click.option(
    "--alpha", type=float, default=0.05, show_default=True,
    help="Error rate of the intervals; 0.05 stands for 95 %.",
)  # fmt: skip
@resamples_option
@seed_option
@click.option(
    "--pairs",
    is_flag=True,
    help="Also differences of all pairs of models, each on the tasks that both have: with "
    "intervals, whether they exclude 0, and p-values by Holm.",
)
@click.option("--scores", is_flag=True, help="Also the score of each model on each task.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print JSON, with means per category, differences and scores.",
)
def table_command(
    *,
    records: str,
    metric: str | None,
    interval: str,
    alpha: float,
    resamples: int,
    seed: int,
    pairs: bool,
    scores: bool,
    as_json: bool,
) -> None:
    """Read, average, print."""
    import rankbars as rb
    from rankbars.readers.runrecords import parse_records
    from rankbars.render.notation import listed, visible

    rows = parse_records(_content(records), "standard input" if records == STANDARD else records)
    table = rb.plain_table(
        rows, metric=metric, interval=interval, alpha=alpha, resamples=resamples, seed=seed
    )
    if as_json:
        emit(table.to_json())
        return
    emit_text(_plain_text(table, pairs=pairs, scores=scores))
    for note in table.notes:
        models = [visible(name) for name in note.models]
        say(note.message + (f" ({listed(models, _MOST_NAMED)})" if models else ""))


def _plain_text(table: PlainTable, *, pairs: bool, scores: bool) -> str:
    parts = [table.to_markdown()]
    if scores:
        parts.append(table.scores_to_markdown())
    if pairs:
        parts.append(table.pairs_to_markdown())
    return "\n\n".join(parts) + "\n"


def _content(path: str) -> bytes:
    from rankbars.errors import ReadError

    if path == STANDARD:
        return standard_input()
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ReadError(f"Cannot read {path}: {error.strerror or error}.") from error
