"""Tasks with one published score per model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Estimates
from rankbars.data.notes import Note
from rankbars.errors import DataError
from rankbars.tables.metrics import is_proportion
from rankbars.tables.summaries import Summaries, binomial_se

__all__ = ["build_estimates", "describe_uncertainty", "task_weight"]


def build_estimates(
    summaries: Summaries, names: Mapping[str, Sequence[str]], metrics: Mapping[str, str | None],
    *, percent: bool, others: int = 0,
) -> tuple[dict[str, Estimates], tuple[Note, ...]]:  # fmt: skip
    """Evidence of each task, scores as given, and notes on where its uncertainty comes from.

    Parameters
    ----------
    summaries : Summaries
        Scores and uncertainties.
    names : mapping from str to sequence of str
        Names of models and tasks.
    metrics : mapping from str to str or None
        Metric by task that has scores.
    percent : bool
        Whether scores are written as percentages.
    others : int
        Tasks of other kinds beside these.
    """
    built: dict[str, Estimates] = {}
    binomial: list[str] = []
    without: list[str] = []
    for code, task in enumerate(names["task"]):
        present = np.flatnonzero(summaries.present[code])
        if not len(present):
            continue
        mean, n = summaries.mean[code, present], summaries.n[code, present]
        se = summaries.se[code, present]
        metric = metrics[task]
        open_cells = np.isnan(se) & ~np.isnan(mean) & (n > 0)
        if metric is not None and is_proportion(metric) and open_cells.any():
            scale = _scale(mean, task, percent=percent)
            se = np.where(open_cells, scale * binomial_se(mean / scale, n), se)
            binomial.append(task)
        unknown = bool(np.isnan(se).all())
        if unknown:
            without.append(task)
        built[task] = Estimates(
            tuple(names["model"][model] for model in present.tolist()),
            mean,
            se=None if unknown else se,
            n=n if n.any() else None,
        )
    return built, (
        *describe_uncertainty(summaries, without, binomial, len(built) + others),
        *_describe_rounding(built),
    )


def _scale(mean: NDArray[np.float64], task: str, *, percent: bool) -> float:
    """What a share of 1 is written as: 1, or 100 for percentages."""
    known = mean[~np.isnan(mean)]
    scale = 100.0 if percent or (known > 1.0).any() else 1.0
    if ((known < 0.0) | (known > scale)).any():
        raise DataError(
            f"Task {task!r}: a proportion of n items must lie between 0 and {scale:g}; found "
            f"{known.min():g} to {known.max():g}. Correct the scores, or leave out the column n."
        )
    return scale


def task_weight(summaries: Summaries, task: int, name: str) -> float:
    """Weight of a task; raises `DataError` if its rows disagree or it is not a number."""
    weights = summaries.weight[task, summaries.present[task]]
    if np.isnan(weights).all():
        return 1.0
    weight = float(weights[0])
    if not (weights == weight).all() or not np.isfinite(weight) or weight < 0:
        raise DataError(
            f"Task {name!r}: the weight must be one number, 0 or more, on all rows; found "
            f"{', '.join(f'{one:g}' for one in np.unique(weights)[:4])}."
        )
    return weight


def describe_uncertainty(
    summaries: Summaries, without: Sequence[str], binomial: Sequence[str], tasks: int
) -> tuple[Note, ...]:
    """Notes on where standard errors come from."""
    notes = []
    if "rows" in summaries.sources:
        notes.append(Note(
            "unpaired",
            "No column says which item a row is about, so rows cannot be paired between models: "
            "each model's rows were summarised by their mean and its standard error. If a column "
            "names the item: --column item=NAME; if the order of rows is the order of items: "
            "--rows items.",
        ))  # fmt: skip
    if "interval" in summaries.sources:
        level = "as given"
        if "usual level" in summaries.sources:
            level = "95 %, taken because no column says it"
        notes.append(Note(
            "from-intervals",
            "Standard errors are half the width of the given intervals over the normal quantile of "
            f"their level ({level}).",
        ))  # fmt: skip
    if binomial:
        notes.append(Note(
            "binomial",
            f"Standard errors of {_some(binomial, tasks)} are binomial, from the score and n.",
        ))  # fmt: skip
    if without:
        reason = "no standard error, no interval"
        if summaries.n.any():
            reason += (
                "; n alone gives a standard error only for a metric known to be a proportion, "
                "declared for instance as --metric accuracy"
            )
        notes.append(Note(
            "no-uncertainty",
            f"Scores of {_some(without, tasks)} come without uncertainty ({reason}): their "
            "task-level rank intervals say nothing"
            + (", the average over the population of tasks does." if tasks > 1 else "."),
        ))  # fmt: skip
    return tuple(notes)


def _describe_rounding(built: Mapping[str, Estimates]) -> tuple[Note, ...]:
    """A note if exact ties may come from rounding."""
    tied = {}
    for task, evidence in built.items():
        known = evidence.mean[~np.isnan(evidence.mean)]
        if len(np.unique(known)) == len(known) or _is_share(evidence):
            continue
        for digits in range(4):
            if np.array_equal(np.round(known, digits), known):
                tied[task] = digits
                break
    if not tied:
        return ()
    digits = max(tied.values())
    return (Note(
        "rounded",
        f"Scores of {_some(tuple(tied), len(built))} have at most {digits} decimals and exact "
        f"ties; rounding to {10.0**-digits:g} may have made ties that are not in the results.",
    ),)  # fmt: skip


def _is_share(evidence: Estimates) -> bool:
    """Whether every score is a count of items over their number, on a scale of 1 or 100."""
    if evidence.n is None:
        return False
    known = ~np.isnan(evidence.mean)
    for scale in (1.0, 100.0):
        share = evidence.mean[known] / scale
        if not len(share) or share.min() < 0.0 or share.max() > 1.0:
            continue
        count = share * evidence.n[known]
        if np.allclose(count, np.round(count), rtol=0.0, atol=1e-6 * max(1.0, count.max())):
            return True
    return False


def _some(tasks: Sequence[str], total: int) -> str:
    if len(tasks) == total:
        return "all tasks"
    shown = ", ".join(repr(task) for task in tasks[:3])
    return shown if len(tasks) <= 3 else f"{shown} and {len(tasks) - 3} more tasks"
