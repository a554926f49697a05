"""Rows of a task as the tests see them, and what must be said about them.

That is, where a stated level is not assured, or little can be shown: few or skewed rows, few or
unequal clusters.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Estimates, Evidence, Items, Votes
from rankbars.data.rightanswers import is_share
from rankbars.data.scores import TaskInfo
from rankbars.errors import OptionError
from rankbars.stats.pairwise.modelscores import weighted_rows
from rankbars.tables.metrics import is_proportion

__all__ = [
    "LEVEL_CODES",
    "averaged_words",
    "declared_ends",
    "has_answers_of_runs",
    "item_rows",
    "labels_and_judge",
    "may_be_strengths",
    "row_assumptions",
    "row_notes",
    "row_word",
    "score_ends",
    "weighted_values",
]

LEVEL_CODES = ("few-items", "skewed", "few-clusters", "dominant-cluster", "unequal-clusters")
"""Notes on a task that concern averages with it, too."""

_FEWEST = 5


def item_rows(evidence: Evidence, test: str) -> Items:
    """The evidence as rows; raises `OptionError` where there are only published scores."""
    if isinstance(evidence, Items):
        return evidence
    if isinstance(evidence, Votes):
        raise OptionError(
            f"Test {test!r} needs scores per item, fold or run; this task has votes. Use --test z, "
            "binomial, e_process or e_strength (or auto)."
        )
    raise OptionError(
        f"Test {test!r} needs scores per item, fold or run; this task has one score per model. "
        "Use --test z (or auto)."
    )


def weighted_values(items: Items) -> NDArray[np.float64]:
    """The scores, transformed so that an unweighted test is the weighted one."""
    if items.weights is None:
        return items.values
    if np.isnan(items.values).any():
        raise OptionError(
            "Weights of rows cannot be combined with missing scores. Use --missing listwise, "
            "fail, drop_models or bounds."
        )
    return weighted_rows(items.values, items.weights)


def labels_and_judge(items: Items) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Labels of all judged rows, NaN where there is none, and judgements."""
    judge = items.judge
    if judge is None:
        raise OptionError("These rows have no judgements.")
    labels = np.full((len(judge), len(items.models)), np.nan)
    labels[: items.n] = items.values
    return labels, judge


def row_word(items: Items) -> str:
    """What a row is, in the plural."""
    if items.design == "prompts":
        return "prompt variants"
    return {"items": "items", "folds": "folds", "runs": "training runs"}[items.kind]


def has_answers_of_runs(evidence: Evidence) -> bool:
    """Whether rows are items, and an item has several answers of a model."""
    if not isinstance(evidence, Items) or evidence.design != "items":
        return False
    return evidence.runs is not None or evidence.answers is not None


def averaged_words(items: Items) -> str:
    """What the answers averaged into a row differ in, in the plural; empty where not known."""
    known = items.averaged or (() if items.runs is None else ("runs",))
    return " and ".join(known)


def row_assumptions(items: Items) -> tuple[str, ...]:
    """What holds beside independence: over what the guarantee is, where rows are not all there is.

    That items are fixed where rows are training runs or prompt variants; that effects which all
    rows share are not covered where answers were averaged within a row.
    """
    word, averaged = row_word(items), averaged_words(items)
    found: tuple[str, ...] = ()
    if items.kind == "runs":
        found = (f"Over {word} only: the items of the task are taken as fixed.",)
    if averaged in ("", "items"):
        return found
    return (
        *found,
        f"Answers were averaged over {averaged}. The guarantee is for new {word} and new answers; "
        f"an effect that all {word} share in one of the {averaged} is not covered "
        "(--runs shared).",
    )


def row_notes(items: Items) -> list[tuple[str, str]]:
    """What must be said about few rows."""
    n, word = items.n, row_word(items)
    if n == 1:
        return [("one-row", f"One row ({word}): one observation separates nobody.")]
    if n < _FEWEST:
        return [
            (
                "few-items",
                f"{n} {word}: with fewer than {_FEWEST} the t-test shows nothing, unless scores "
                "are 0 or 1, because so few cannot show how their differences are spread.",
            )
        ]
    return []


def score_ends(evidence: Evidence | None, info: TaskInfo) -> tuple[float, float]:
    """Least and greatest possible score of a task, in the units of the input; infinite: not known.

    They were declared; or they are 0 and 1, of right and wrong answers, of shares of them, and of
    metrics that are shares.

    Examples
    --------
    >>> score_ends(Items(("a",), [[1.0], [0.0]]), TaskInfo())
    (0.0, 1.0)
    >>> score_ends(Items(("a",), [[0.5], [0.0]]), TaskInfo(minimum=0.0))
    (0.0, inf)
    """
    if may_be_strengths(evidence):
        return -np.inf, np.inf
    declared = declared_ends(info)
    if np.isfinite(declared).any():
        return declared
    sign = 1.0 if info.direction == "higher" else -1.0
    if isinstance(evidence, Items):
        fits = _within if _proportion(info) else _binary
        # One row settles most tasks.
        share = fits(sign * evidence.values[:1]) and fits(sign * evidence.values)
    elif isinstance(evidence, Estimates):
        counted = evidence.se is not None and is_share(evidence)
        share = counted or (_proportion(info) and _within(sign * evidence.mean))
    else:
        share = False
    return (0.0, 1.0) if share else (-np.inf, np.inf)


def declared_ends(info: TaskInfo) -> tuple[float, float]:
    """The limits that were declared of a task; infinite where there are none."""
    low = -np.inf if info.minimum is None else info.minimum
    return low, np.inf if info.maximum is None else info.maximum


def may_be_strengths(evidence: Evidence | None) -> bool:
    """Whether these may be strengths fitted to votes, which have no ends, whatever was declared."""
    return isinstance(evidence, Estimates) and evidence.cov is not None


def _proportion(info: TaskInfo) -> bool:
    return info.metric is not None and is_proportion(info.metric)


def _within(values: NDArray[np.float64]) -> bool:
    return bool(((values >= 0.0) & (values <= 1.0) | np.isnan(values)).all())


def _binary(values: NDArray[np.float64]) -> bool:
    return bool(((values == 0.0) | (values == 1.0) | np.isnan(values)).all())
