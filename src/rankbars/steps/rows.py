"""Rows of a task as the tests see them, and what must be said about them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Evidence, Items, Votes
from rankbars.errors import OptionError
from rankbars.stats.pairwise.modelscores import weighted_rows

__all__ = [
    "averaged_words",
    "fixed_answers",
    "item_rows",
    "row_notes",
    "row_word",
    "runs_only",
    "weighted_values",
]

FEW_ROWS = 5


def item_rows(evidence: Evidence, test: str) -> Items:
    """The evidence as rows; raises `OptionError` where there are only published scores."""
    if isinstance(evidence, Items):
        return evidence
    if isinstance(evidence, Votes):
        raise OptionError(
            f"Test {test!r} needs scores per item, fold or run; this task has votes. Use --test z, "
            "binomial or e_process (or auto)."
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


def averaged_words(items: Items) -> str:
    """What the answers averaged into a row differ in, in the plural; empty where not known."""
    known = items.averaged or (() if items.runs is None else ("runs",))
    return " and ".join(known)


def runs_only(items: Items) -> tuple[str, ...]:
    """The assumption that goes with training runs or prompt variants as rows."""
    if items.kind != "runs":
        return ()
    return (f"Over {row_word(items)} only: the items of the task are taken as fixed.",)


def fixed_answers(items: Items) -> tuple[str, ...]:
    """The assumption that goes with averages over runs or prompts within a row."""
    words = averaged_words(items)
    # Where rows are runs or prompts, that their items are fixed is said by `runs_only`.
    if words in ("", "items"):
        return ()
    return (
        f"Answers were averaged over {words}, and the guarantee is for new {row_word(items)}: an "
        f"effect that all {row_word(items)} share in one of the {words} is not covered.",
    )


def row_notes(items: Items) -> list[tuple[str, str]]:
    """What must be said about few rows."""
    n, word = items.n, row_word(items)
    if n == 1:
        return [("one-row", f"One row ({word}): one observation separates nobody.")]
    if n < FEW_ROWS:
        return [
            (
                "few-items",
                f"{n} {word}: the t-test rests on normal differences, which so few cannot show. "
                "Where they are skewed, the stated level does not hold.",
            )
        ]
    return []
