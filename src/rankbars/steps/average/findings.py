"""What an estimate says in numbers and words: the average as it is shown, with its notes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.fields import names_where
from rankbars.data.notes import Note
from rankbars.stats.multiplicity.symmetricbootstrap import own_critical
from rankbars.stats.resampling.taskmeans import fewest_draws
from rankbars.steps.average.averagemethods import FEWEST_FOR_INTERVALS
from rankbars.steps.average.plan import AveragePlan, Estimate

__all__ = [
    "ShownAverage",
    "average_notes",
    "describe_target",
    "resampled_ends",
    "show_average",
]

_NO_SPREAD = 1e-12


class ShownAverage(NamedTuple):
    """Averages in the units of the input.

    Attributes
    ----------
    score, low, high, se : array of float, shape (M,)
        Average, ends of its interval, standard error; NaN where there is none.
    constant : array of bool, shape (M,)
        Models whose sample has no spread, and so no interval.
    unbounded : array of bool, shape (M,)
        Models with an end that the sample does not set.
    too_few : bool
        Whether there are too few draws to count the ends of intervals in.
    """

    score: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    se: NDArray[np.float64]
    constant: NDArray[np.bool_]
    unbounded: NDArray[np.bool_]
    too_few: bool


def show_average(found: Estimate, plan: AveragePlan, bounds: tuple[float, float]) -> ShownAverage:
    """What leaves is in the units of the input; inside, higher is better.

    Parameters
    ----------
    found : Estimate
        The average.
    plan : AveragePlan
        How it was made.
    bounds : (float, float)
        Least and greatest value that it can have. Intervals are cut there: the true value lies
        between them, so that what is kept holds it as often as the whole.
    """
    method = plan.rule
    sign = -1.0 if plan.direction == "lower" and method.unit == "score" else 1.0
    score, one, two = (
        sign * method.back(values) for values in (found.summary.mean, found.low, found.high)
    )
    if method.linear is None:  # ranks and wins are fractions: 0.9999999999999999 is 1
        score, one, two = (np.round(values, 12) for values in (score, one, two))
    se = found.summary.se
    if method.linear == "log ratio":
        se = se * (1.0 - score if plan.baseline is not None else score)
    low, high = np.minimum(one, two), np.maximum(one, two)
    counted = found.pairs is None or found.source not in ("normal", "t")
    too_few = counted and plan.resamples < fewest_draws(plan.alpha)
    few = found.rankings is not None and len(found.rankings) < FEWEST_FOR_INTERVALS
    unbounded = (np.isinf(found.low) | np.isinf(found.high)) & (not few)
    # A sample without any spread does not say how large the spread is. But that a model takes the
    # same rank in every draw of the items does say something about these tasks.
    ranked = method.linear is None and plan.over == "items"
    with np.errstate(invalid="ignore"):
        same = high - low <= _NO_SPREAD * np.abs(score)
    constant = np.zeros_like(same) if ranked or too_few or few else same & ~unbounded
    given = np.zeros_like(constant)  # 0 by definition
    if plan.baseline_position is not None:
        given[plan.baseline_position] = True
        constant &= ~given
    score, low, high = (np.clip(values, *bounds) for values in (score, low, high))
    none = constant | given | np.isinf(low) | np.isinf(high) | too_few | few
    low, high = (np.where(none, np.nan, values) for values in (low, high))
    drawn = too_few and plan.over == "items"  # there the error is that of the draws
    return ShownAverage(
        score, low, high, np.where(constant | drawn | few, np.nan, se), constant, unbounded, too_few
    )


def average_notes(
    shown: ShownAverage, plan: AveragePlan, *, ranges: bool = False
) -> tuple[Note, ...]:
    """What the reader of these intervals must know.

    `ranges` says that ranks are counted in draws too, and so need as many.
    """
    notes = []
    outside = (shown.score < shown.low) | (shown.score > shown.high)
    if outside.any():
        notes.append(Note("outside-interval", _OUTSIDE, models=names_where(plan.models, outside)))
    if shown.constant.any():
        what = {"items": "item", "tasks": "task", "families": "family"}[plan.over]
        message = (
            f"The same on every {what}, so nothing says how far the average may be off: it has no "
            "interval of its own."
        )
        notes.append(
            Note("constant-score", message, models=names_where(plan.models, shown.constant))
        )
    if plan.baseline is not None:
        message = "The baseline: its skill score is 0 by definition."
        notes.append(Note("baseline", message, models=(plan.baseline,)))
    if shown.too_few or (ranges and plan.resamples < fewest_draws(plan.alpha)):
        notes.append(_few_draws(plan, intervals=shown.too_few, ranges=ranges))
    elif shown.unbounded.any():
        cut = not np.isnan(shown.low[shown.unbounded]).any()
        message = f"Too few {plan.units} for studentised resampling at this level: " + (
            "intervals reach to the end of the scale." if cut else "there are no intervals."
        )
        notes.append(Note("unbounded", message, models=names_where(plan.models, shown.unbounded)))
    if plan.normalise == "minmax_draws":
        notes.append(_DRIFTS)
    return tuple(notes)


def _few_draws(plan: AveragePlan, *, intervals: bool, ranges: bool) -> Note:
    draws = "1 draw is" if plan.resamples == 1 else f"{plan.resamples} draws are"
    counted = "the ends of intervals in: there are none" if intervals else "ranges of ranks in"
    if ranges:
        counted += ", and ranges of ranks say nothing" if intervals else ": they say nothing"
    return Note(
        "few-draws",
        f"{draws} too few to count {counted}. At this level it takes at least "
        f"{fewest_draws(plan.alpha)} (--resamples).",
    )


_OUTSIDE = (
    "The value on the data lies outside of what resampled data give: resampling adds noise, which "
    "draws ranks and wins towards the middle."
)
_DRIFTS = Note(
    "drifting-scale",
    "The scale of each task is the range of its draws, which widens with their number: these "
    "averages reproduce published ones and estimate nothing fixed.",
)


def describe_target(plan: AveragePlan) -> str:
    """What an average is an average of, in plain words."""
    tasks = f"{len(plan.weights)} tasks"
    weighted = "" if plan.even else "weighted "
    scaled = _SCALES.get(plan.normalise or "", "")
    fresh = "fresh items of " if plan.estimator == "bayes_predictive" else ""
    over = {
        "items": f"over {fresh}exactly these {tasks}",
        "tasks": f"over the population that these {tasks} were drawn from",
        "families": f"over the population that these {len(set(plan.families.values()))} families "
        f"({tasks}) were drawn from",
    }[plan.over]
    if plan.estimator == "bayes_predictive" and plan.over == "tasks":
        return f"score{scaled} on one new task from the population that these {tasks} are from"
    return f"{weighted}{plan.rule.words}{scaled} {over}"


_SCALES = {
    "bounds": " (scaled to the limits of each task)",
    "chance": " (guessing counts as 0, the best score as 1)",
    "zscore": " (in standard deviations of the models on each task)",
    "minmax_draws": " (scaled to the range of the draws of each task)",
}


def resampled_ends(found: Estimate, plan: AveragePlan) -> Estimate:
    """Intervals of single averages from resampled rows; percentiles stay what they are."""
    if found.samples is None or found.source not in ("normal", "t"):
        return found
    half = np.full(len(plan.models), np.nan)
    half[found.present] = own_critical(found.samples, plan.alpha, plan.resamples)
    half *= found.summary.se
    return found._replace(low=found.summary.mean - half, high=found.summary.mean + half)
