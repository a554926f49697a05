"""Rows of a task as the tests see them, and what must be said about them.

That is, where a stated level is not assured, or little can be shown: few or skewed rows, few or
unequal clusters.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Evidence, Items, Votes
from rankbars.errors import OptionError
from rankbars.stats.pairwise.clusters import (
    FEWEST_CLUSTERS,
    LARGEST_SHARE,
    Grouping,
    cluster_df,
    group_rows,
)
from rankbars.stats.pairwise.modelscores import weighted_rows
from rankbars.stats.pairwise.pairstatistics import PairStatistics

__all__ = [
    "LEVEL_CODES",
    "averaged_words",
    "cluster_notes",
    "has_answers_of_runs",
    "item_rows",
    "row_assumptions",
    "row_notes",
    "row_word",
    "weighted_values",
]

LEVEL_CODES = ("few-items", "skewed", "few-clusters", "dominant-cluster", "unequal-clusters")
"""Notes on a task that concern averages with it, too."""

_FEW_CLUSTERS = 4  # so many and fewer are told
_FEWEST = 5


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


def cluster_notes(items: Items, pairs: PairStatistics) -> list[tuple[str, str]]:
    """What must be said about rows in clusters: too few, one too large, or of unequal sizes."""
    if items.clusters is None:
        return []
    grouping = group_rows(items.clusters, items.weights)
    count, largest = grouping.sizes.size, float(grouping.shares.max(initial=0.0))
    if count < FEWEST_CLUSTERS:
        text = f"{count} clusters: fewer than {FEWEST_CLUSTERS} cannot show any model better than "
        return [("few-clusters", f"{text}another.")]
    if largest > LARGEST_SHARE:
        text = (
            f"{_name_cluster(items, grouping)} holds {largest:.0%} of the rows. Above "
            f"{LARGEST_SHARE:.0%} nothing tells how much clusters differ, and no model can be "
            "shown better than another."
        )
        return [("dominant-cluster", text)]
    notes = []
    lost = int((np.isnan(pairs.se) & np.isfinite(pairs.diff)).sum()) // 2
    if lost:
        text = (
            f"Pairs with common rows in fewer than {FEWEST_CLUSTERS} clusters, or with more than "
            f"{LARGEST_SHARE:.0%} of them in one: {lost:,}. They cannot be told apart."
        )
        notes.append(("dominant-cluster", text))
    df = float(cluster_df(grouping.shares))
    if count <= _FEW_CLUSTERS:
        text = f"{count} clusters: with so few, only very large differences can be shown."
        notes.append(("few-clusters", text))
    elif df < (count - 1) / 2:
        text = (
            f"Clusters are of unequal sizes: {count} clusters count as about {df + 1:.1f} of equal "
            "size, and only large differences can be shown."
        )
        notes.append(("unequal-clusters", text))
    return notes


def _name_cluster(items: Items, grouping: Grouping) -> str:
    """The largest cluster, known by one of its rows where these have names."""
    largest = int(np.argmax(grouping.shares))
    if items.ids is None:
        return f"Cluster {largest + 1} of {grouping.sizes.size}"
    return f"The cluster of {items.ids[grouping.order[grouping.starts[largest]]]!r}"
