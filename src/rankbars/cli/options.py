"""Options that several commands share, checked, each group collected into one value.

A group is a decorator: it adds its options to a command, and hands the command one frozen value
instead of a dozen arguments. An option that does not fit is answered with what does.
"""

from __future__ import annotations

import difflib
import functools
import shlex
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, NamedTuple, TypeAlias

import click

from rankbars.cli.backends import BACKENDS, Workers
from rankbars.data.about import About
from rankbars.data.spec import (
    MISSING_ITEMS,
    MISSING_POLICIES,
    MISSING_TASKS,
    OVERS,
    RUNS,
    SCOPES,
    ZERO_SE,
    Spec,
)

__all__ = [
    "Command",
    "Decorator",
    "about_options",
    "add_options",
    "alpha_option",
    "analysis_options",
    "average_anyway_option",
    "chance_option",
    "collect_options",
    "first_option",
    "inputs_argument",
    "json_option",
    "judging_options",
    "known_name",
    "limits_option",
    "missing_inputs",
    "missing_items_option",
    "named_option",
    "named_values",
    "one_cost",
    "over_option",
    "quiet_option",
    "refuse_empty",
    "resamples_option",
    "runs_option",
    "seed_option",
    "tasks_option",
    "test_option",
    "zero_se_option",
]

Command: TypeAlias = Callable[..., None]
Decorator: TypeAlias = Callable[[Command], Command]


def known_name(
    known: Sequence[str],
) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    """Callback that takes one of a few names, and answers a wrong one with the known names.

    Parameters
    ----------
    known : sequence of str
        The names; the nearest one is suggested.
    """

    def check(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
        if value is None or value in known:
            return value
        near = difflib.get_close_matches(value, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise click.BadParameter(
            f"{value!r} is not known.{hint} Known: {', '.join(known)}.", ctx, param
        )

    return check


def named_option(*names: str, known: Sequence[str], **settings: Any) -> Decorator:
    """Option whose value is one of the `known` names, which its help lists."""
    metavar = "[" + "|".join(known) + "]"
    return click.option(*names, metavar=metavar, callback=known_name(known), **settings)


def named_values(
    expected: str, value: Callable[[str], Any] = str, *, first: bool = False, bare: bool = False
) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], tuple[tuple[str, Any], ...]]:
    """Callback that takes ``NAME=VALUE`` apart, and answers what is not such with what is.

    Parameters
    ----------
    expected : str
        What must be given, after the word "must".
    value : callable
        Makes a value of its text, and raises `ValueError` of a text that is none.
    first : bool
        Whether the first equals sign is the one between the two; else names may hold some.
    bare : bool
        Whether a value may stand alone; its name is empty then.
    """

    def split(
        ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]
    ) -> tuple[tuple[str, Any], ...]:
        found: dict[str, Any] = {}
        for text in texts:
            name, sign, said = text.partition("=") if first else text.rpartition("=")
            name = name.strip() if first else name
            try:
                if not (name if sign else bare):
                    raise ValueError
                made = value(said)
            except ValueError:
                raise click.BadParameter(f"{text!r} must {expected}.", ctx, param) from None
            if name in found and found[name] != made:
                what = repr(name) if name else "everything"
                raise click.BadParameter(
                    f"{what} is given twice, as {found[name]!r} and as {made!r}.", ctx, param
                )
            found[name] = made
        return tuple(found.items())

    return split


def refuse_empty(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    """Refuse an empty word: it is a variable of the shell that holds nothing, not a folder."""
    if "" in values:
        raise click.BadParameter("one of them is empty; name a file or a folder.", ctx, param)
    return values


def one_cost(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> str | None:
    """The one cost that is taken into account: a second one is refused, not put in its place."""
    if len(values) > 1:
        option = f"--{param.name}"
        runs = " and ".join(f"{option} {shlex.quote(name)}" for name in values)
        raise click.UsageError(
            f"One cost stands beside the scores, and {len(values)} are given. Ask once for each "
            f"({runs}), or give one column that sums them in one unit.",
            ctx,
        )
    return values[0] if values else None


def missing_inputs() -> click.UsageError:
    """The error of a command that is given nothing to read."""
    context = click.get_current_context()
    (inputs,) = (one for one in context.command.params if one.name == "inputs")
    return click.MissingParameter(ctx=context, param=inputs)


def add_options(*options: Decorator) -> Decorator:
    """Decorator that adds `options` to a command, in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def collect_options(
    group: type[Any], argument: str, options: Sequence[Decorator], *, given: Sequence[str] = ()
) -> Decorator:
    """Decorator that adds `options` and passes their values on as one `group` called `argument`.

    Fields that are `given` some other way are left at their defaults.
    """
    names = [name for name in group.__match_args__ if name not in given]  # its fields

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def collected(**values: Any) -> None:
            taken = {name: values.pop(name) for name in names}
            command(**values, **{argument: group(**taken)})

        return add_options(*options)(collected)

    return decorate


inputs_argument = click.argument(
    "inputs", metavar="INPUT...", nargs=-1, required=True, callback=refuse_empty
)


models_option = click.option(
    "--models", metavar="NAME", multiple=True, help="Only this model. Repeat for more."
)
tasks_option = click.option(
    "--tasks", metavar="NAME", multiple=True,
    help="Only this task, or those that a pattern such as 'QSAR*' fits. Repeat for more.",
)  # fmt: skip

_ABOUT = {
    "title": ("TEXT", "Name of the leaderboard."),
    "source": ("TEXT", "Where the results are from: a benchmark and its version, a paper."),
    "date": ("DATE", "The day the results are of, such as 2026-05-31."),
    "link": ("ADDRESS", "Address of the source, with https:// or http://."),
    "description": ("TEXT", "One or two sentences for readers, and for previews of links."),
}


def about_options(command: Command) -> Command:
    """Add what a board is about, checked, and passed on as the arguments of `titled`."""

    @functools.wraps(command)
    def collected(**values: Any) -> None:
        about = {name: values.pop(name) for name in _ABOUT}
        About(**about)  # what does not fit is said before anything is read
        command(**values, about=about)

    return add_options(
        *(
            click.option(f"--{name}", metavar=kind, help=words)
            for name, (kind, words) in _ABOUT.items()
        )
    )(collected)


json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON instead of text, for programs."
)


first_option = click.option(
    "--first", type=click.IntRange(min=1), metavar="N",
    help="Print only the first N rows of the table. Ranks are those among all.",
)  # fmt: skip


quiet_option = click.option(
    "-q", "--quiet", is_flag=True, help="Do not report on standard error what was read."
)

test_option = click.option(
    "--test", metavar="NAME", default="auto", show_default=True,
    help="Test of two models on one task: auto (the design of the rows decides), t (paired), "
    "corrected_t (cross-validation folds), cluster_t, wilcoxon, trimmed_t, signflip, mcnemar and "
    "mcnemar_midp (0/1 scores), two_way (items by runs), z (scores with standard errors, strengths "
    "from votes), welch (unpaired), judge_t (labels that a judge corrects), binomial, e_process "
    "and e_strength (votes).",
)  # fmt: skip
alpha_option = click.option(
    "--alpha", type=float, default=0.05, show_default=True,
    help="Error rate of task intervals and of the average; 0.05 stands for 95 %.",
)  # fmt: skip
average_anyway_option = click.option(
    "--average-anyway", is_flag=True, help="Average scores of different metrics as they are."
)
chance_option = click.option("--chance", metavar="FILE", help="Score of guessing on each task.")
limits_option = click.option(
    "--limits", metavar="FILE",
    help="Least and greatest possible score of each task, for --normalise bounds: CSV of task, "
    "least, greatest; or JSON. Instead of one --score-min and --score-max for all.",
)  # fmt: skip
missing_items_option = named_option(
    "--missing-items", known=MISSING_ITEMS,
    help="What to do where a task was run and some of its rows have no score.",
)  # fmt: skip
over_option = named_option(
    "--aggregate", "over", known=OVERS, default="auto", show_default=True,
    help="The average over these items and tasks, over a population of tasks, or none.",
)  # fmt: skip
zero_se_option = named_option(
    "--zero-se", known=ZERO_SE, default="zero", show_default=True,
    help="What a published standard error of 0 counts as, where the number of 0/1 items is not "
    "known: 0, or the largest error of another model on the task.",
)  # fmt: skip
runs_option = named_option(
    "--runs", known=RUNS, default="auto", show_default=True,
    help="What several answers to one item are: independent (drawn anew for each item), or shared: "
    "an effect of the run, such as a training seed, a prompt or a day, moves all its answers; "
    "auto: shared where the answers show that whole runs differ. "
    "Where rows are runs, one label is one run on all tasks; anew: every task was trained anew.",
)  # fmt: skip


seed_option = click.option(
    "--seed", type=int, default=0, show_default=True, help="Start of random numbers."
)
resamples_option = click.option(
    "--resamples", type=int, metavar="N", default=1000, show_default=True,
    help="Number of resamples, for methods that resample.",
)  # fmt: skip
judging_options = add_options(
    test_option, missing_items_option, zero_se_option, runs_option, over_option,
    average_anyway_option, seed_option, resamples_option,
)  # fmt: skip
"""Options of ``check`` and ``compare`` that the library takes as they are."""


class AverageChoice(NamedTuple):
    """Which average: over what, how estimated, of what."""

    over: str = "auto"
    estimator: str = "auto"
    method: str = "auto"


def _split_average(ctx: click.Context, param: click.Parameter, value: str) -> AverageChoice:
    """``OVER``, ``OVER:ESTIMATOR`` or ``OVER:ESTIMATOR:METHOD``; an empty part is ``auto``."""
    parts = value.split(":")
    if len(parts) > len(AverageChoice._fields):
        raise click.BadParameter(
            f"{value!r} has too many parts; OVER:ESTIMATOR:METHOD has three.", ctx, param
        )
    choice = AverageChoice(*(part or "auto" for part in parts))
    known_name(OVERS)(ctx, param, choice.over)
    return choice


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ValueError
    return int(text)


_missing_options = (
    named_option(
        "--missing", known=MISSING_POLICIES,
        help="What to do where a model has no score: sets each of the next two that knows the "
        "word.",
    ),
    named_option(
        "--missing-tasks", known=MISSING_TASKS, default="insert", show_default=True,
        help="What to do with a model that never ran a task: rank the models scored on every "
        "task, and place it among them by the tasks it has (insert); one additive fit of models "
        "and tasks; let it have any rank (bounds); leave out models or tasks; or stop.",
    ),
    named_option(
        "--missing-items", known=MISSING_ITEMS, default="raise", show_default=True,
        help="What to do where a task was run and some of its rows have no score.",
    ),
)  # fmt: skip
_ANALYSIS = (
    test_option,
    click.option(
        "--correction", metavar="NAME", default="auto", show_default=True,
        help="Correction for many comparisons: auto (maxt where rows are complete and few "
        "enough, maxt_bootstrap where a few rows weigh heavily, else holm), holm, "
        "bonferroni, simes, maxt, maxt_bootstrap, bootstrap_band, e_average (with "
        "--test e_process or e_strength) or none.",
    ),
    named_option(
        "--scope", known=SCOPES, default="all", show_default=True,
        help="Whether everything holds for all models at once, or each interval for one model "
        "named in advance.",
    ),
    alpha_option,
    click.option(
        "--merge", metavar="NAME", default="joint", show_default=True,
        help="How task intervals become one for a new task: joint, quantile, union, family, "
        "weighted, simultaneous, group or observed.",
    ),
    click.option(
        "--alpha-overall", type=float, default=0.2, show_default=True,
        help="Error rate of that step.",
    ),
    click.option(
        "--aggregate", metavar="OVER[:ESTIMATOR[:METHOD]]", default="auto", show_default=True,
        callback=_split_average,
        help="The average over these items and tasks, over a population of tasks or of "
        "families, or none: items, tasks, families or none. The estimator: analytic, t, "
        "bootstrap, bootstrap_t, two_level, bayes or bayes_predictive. What is averaged: "
        "mean, geometric, skill (with --baseline), "
        "average_rank, average_rank_noise, average_rank_bins, kemeny, elo, borda, "
        "win_rate, win_rate_field or win_rate_top1. Such as items:bootstrap, tasks::borda.",
    ),
    click.option(
        "--normalise", metavar="NAME",
        help="Scale of the scores before they are averaged: bounds (--limits, or "
        "--score-min and --score-max, to 0 and 1), chance (--chance to 0), "
        "zscore, rank or minmax_draws.",
    ),
    click.option(
        "--baseline", metavar="NAME",
        help="Average skill scores: one minus the geometric mean of losses relative to those "
        "of this model.",
    ),
    click.option(
        "--baseline-fills", is_flag=True,
        help="Count scores that are missing as those of the baseline.",
    ),
    average_anyway_option,
    click.option(
        "--prior", metavar="NAME", default="auto", show_default=True,
        help="What bayes assumes beforehand: exponential[:MEAN], uniform_log[:LOW:HIGH], "
        "log_normal[:MEAN:SD] for right answers; uniform_spread, exponential_spread:MEAN, "
        "uniform_log_spread:LOW:HIGH for scores with errors.",
    ),
    *_missing_options,
    zero_se_option,
    click.option(
        "--variants", multiple=True, metavar="NAME=K",
        callback=named_values("look like NAME=K with a whole number K, at least 1", _count),
        help="NAME is the best of K tries whose other results are not in the input; counts in "
        "the score of the leader. Several times for several models.",
    ),
    runs_option,
    click.option(
        "--best-alone", is_flag=True,
        help="Also say which models may be first at the whole of --alpha: a statement by "
        "itself, which does not hold together with the others.",
    ),
    click.option(
        "--top-alone", type=int, metavar="K",
        help="Also say which models are among the first K, and which may be, at the whole of "
        "--alpha: a statement by itself. Choose K before looking.",
    ),
    seed_option,
    resamples_option,
    click.option(
        "--jobs", type=int, metavar="N", default=1, show_default=True,
        help="Number of workers; -1 for one per core.",
    ),
    named_option(
        "--backend", known=BACKENDS,
        help="What workers are: threads, processes of this machine (loky, the default) or a "
        "Dask cluster.",
    ),
    click.option(
        "--scheduler", metavar="ADDRESS",
        help="Address of the Dask scheduler, such as tcp://head:8786.",
    ),
)  # fmt: skip
# What has another name, or another shape, on the command line.
_NO_OPTION = ("votes", "independent_rows", *AverageChoice._fields)
_OF_SPEC = tuple(field.name for field in fields(Spec) if field.name not in _NO_OPTION)


def analysis_options(command: Command) -> Command:
    """Add the options of an analysis: passed on as one `spec`, and the `workers` that do it."""

    @functools.wraps(command)
    def collected(**values: Any) -> None:
        workers = Workers(values.pop("backend"), values.pop("scheduler"), values.pop("jobs"))
        taken = {name: values.pop(name) for name in _OF_SPEC}
        taken["missing"] = taken["missing"] or "auto"
        taken["variants"] = dict(taken["variants"])
        taken["normalise"] = None if taken["normalise"] == "none" else taken["normalise"]
        spec = Spec(**taken, **values.pop("aggregate")._asdict())
        command(**values, spec=spec, workers=workers)

    return add_options(*_ANALYSIS)(collected)
