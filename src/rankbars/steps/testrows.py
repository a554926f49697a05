"""Rows of a task as the tests see them, and what must be said about them.

That is, where a stated level is not assured, or little can be shown: few or skewed rows, few or
unequal clusters.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Evidence, Items, Votes
from rankbars.errors import OptionError
from rankbars.stats.pairwise.modelscores import weighted_rows

__all__ = [
    "LEVEL_CODES",
    "averaged_words",
    "has_answers_of_runs",
    "item_rows",
    "row_assumptions",
    "row_notes",
    "row_word",
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
