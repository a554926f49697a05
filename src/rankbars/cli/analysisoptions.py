"""How results are analysed: the options that make a `Spec`, and who does the work."""

from __future__ import annotations

import functools
from dataclasses import fields
from typing import Any, NamedTuple

import click

from rankbars.cli.backends import BACKENDS, Workers
from rankbars.cli.options import (
    Command,
    add_options,
    alpha_option,
    average_anyway_option,
    known_name,
    named_option,
    named_values,
    resamples_option,
    runs_option,
    seed_option,
    test_option,
    zero_se_option,
)
from rankbars.data.spec import (
    MISSING_ITEMS,
    MISSING_POLICIES,
    MISSING_TASKS,
    OVERS,
    SCOPES,
    Spec,
)

__all__ = ["analysis_options"]


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
