"""Tests of mean differences: t, corrected t, cluster t and z."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Estimates, Evidence, Folds, Items, Votes
from rankbars.data.fields import names_where
from rankbars.data.notes import Note
from rankbars.data.rightanswers import count_right, is_binary
from rankbars.errors import OptionError
from rankbars.stats.pairwise.clusters import (
    FEWEST_CLUSTERS,
    LARGEST_SHARE,
    Grouping,
    cluster_df,
    group_rows,
)
from rankbars.stats.pairwise.discordance import MOST_COUNTED
from rankbars.stats.pairwise.modelscores import (
    ModelSummary,
    cluster_summary,
    fold_summary,
    item_summary,
    share_summary,
)
from rankbars.stats.pairwise.paired import cluster_t, corrected_t, paired_t
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.steps.correctionchoice import cluster_skewness, has_one_end, row_skewness
from rankbars.steps.testrows import (
    Setting,
    Tested,
    VoteTests,
    counted_pairs,
    item_rows,
    row_assumptions,
    row_notes,
    row_word,
    weighted_values,
)

if TYPE_CHECKING:
    from rankbars.stats.pairwise.estimates import ZeroErrors

__all__ = [
    "SIZES_SAY_NOTHING",
    "UNSEEN_ROWS",
    "cluster_t_test",
    "corrected_t_test",
    "discordance_note",
    "few_discordant",
    "t_test",
    "unseen_text",
    "z_test",
]

UNSEEN_ROWS = "unseen-rows"
"""Note on failures that so few rows may not show; of boards and comparisons of one task."""

SIZES_SAY_NOTHING = "How large a cluster is says nothing about which model does better in it."

FEW_DISCORDANT = 10

_FOLDS_AS_INDEPENDENT = Note(
    "folds-as-independent",
    "The paired t-test treats cross-validation folds as independent. They share training data, so "
    "its intervals miss far more often than stated. Use --test corrected_t.",
)
_CLUSTERS_IGNORED = Note(
    "clusters-ignored",
    "Rows come in clusters, which the paired t-test ignores: its intervals are too short. Use "
    "--test cluster_t.",
)


def t_test(evidence: Evidence, setting: Setting) -> Tested:
    """Paired t-test; rows are independent items (or runs)."""
    items = item_rows(evidence, "t")
    values = weighted_values(items)
    notes = row_notes(items)
    if isinstance(items.design, Folds):
        notes.append(_FOLDS_AS_INDEPENDENT)
    if items.clusters is not None:
        notes.append(_CLUSTERS_IGNORED)
    pairs = _unweighted_policy(_paired_pairs(items, values, setting), items, paired_t)
    pairs = counted_pairs(pairs, items)
    notes.extend(_discordance_notes(items, pairs))
    rows = items if items.weights is None else values
    skewness = None if isinstance(items.design, Folds) else row_skewness(rows)
    assumptions: tuple[str, ...] = (
        f"{row_word(items).capitalize()} are independent draws and their mean difference "
        "is close to normal.",
        *row_assumptions(items),
    )
    if skewness is not None and 1 < items.n < _TAIL_SEEN:
        text = unseen_text(items.n, row_word(items))
        assumptions += (text,)
        if items.clusters is None and not (np.isinf(skewness) or has_one_end(items)):
            notes.append(Note(UNSEEN_ROWS, text))
    if items.weights is None and is_binary(items, _ANSWERS):
        summary = _shares(items)
    else:
        summary = item_summary(values)
    return Tested(summary, pairs, assumptions, notes=tuple(notes), skewness=skewness)


def unseen_text(rows: int, word: str) -> str:
    """What rows cannot tell: failures so rare that they show none, with .05 or more.

    Examples
    --------
    >>> unseen_text(12, "items").partition(": ")[2]
    'up to 23 % of all items could be such.'
    """
    most = math.ceil(100 * (1.0 - _UNSEEN ** (1.0 / rows)))
    return (
        f"Large failures that none of these {rows} {word} shows are not covered: up to {most} % of "
        f"all {word} could be such."
    )


def _paired_pairs(items: Items, values: NDArray[np.float64], setting: Setting) -> PairStatistics:
    """Paired t statistics; from what is remembered, where there is a memory and no gap."""
    plain = items.weights is None and len(values) > 1 and values.shape[1] > 1
    memory = None if isinstance(setting.memory, VoteTests) else setting.memory
    if memory is None or not plain or np.isnan(values).any():
        return paired_t(values)
    from rankbars.stats.pairwise.updates import known_t

    return known_t(memory.recall(setting.key, items))


# More folds may be those of several repeats, numbered through.
_MOST_OF_A_PASS = 10


def corrected_t_test(evidence: Evidence, setting: Setting) -> Tested:
    """Nadeau–Bengio corrected t-test; rows are folds of (repeated) cross-validation."""
    items = item_rows(evidence, "corrected_t")
    if not isinstance(items.design, Folds):
        raise OptionError(
            "The corrected t-test is for cross-validation folds, and the rows of this task are "
            f"{row_word(items)}. Declare them with --rows folds --folds K, or use --test t."
        )
    share = items.design.test_share
    notes = row_notes(items)
    if items.design.repeats == 1:
        folds = items.design.folds
        text = (
            f"One pass of {folds} folds: the corrected test is conservative here, so intervals are "
            "wider than they need to be."
        )
        if folds > _MOST_OF_A_PASS:
            text = (
                f"If the {folds} folds are one pass, the corrected test is conservative here, and "
                "intervals are wider than they need to be; if they are of several repeats, say how "
                "many one has (--folds K): intervals are too short without it."
            )
        notes.append(Note("one-pass", text))
    assumptions = (
        "The correlation between folds equals the share of test data "
        f"({share:.3g}); a heuristic of Nadeau and Bengio (2003), checked by simulation.",
        "The target is the learning algorithm at this training size, not one fitted model.",
    )
    return Tested(
        fold_summary(items.values, share),
        corrected_t(items.values, share),
        assumptions,
        notes=tuple(notes),
    )


def cluster_t_test(evidence: Evidence, setting: Setting) -> Tested:
    """Cluster-robust t-test; rows come in groups that are independent of each other."""
    items = item_rows(evidence, "cluster_t")
    if items.clusters is None:
        raise OptionError(
            "The cluster t-test needs to know which rows belong together. Name the column with "
            "--column cluster=NAME, or use --test t."
        )
    clusters = items.clusters
    sizes = np.unique(clusters, return_counts=True)[1]
    assumptions = (
        f"The {sizes.size} clusters are independent draws; rows within one may depend on each "
        "other.",
        *((SIZES_SAY_NOTHING,) if np.ptp(sizes) else ()),
        *row_assumptions(items),
    )
    values = weighted_values(items)
    pairs = _unweighted_policy(
        cluster_t(values, clusters, items.weights), items, lambda rows: cluster_t(rows, clusters)
    )
    notes = (*row_notes(items), *_cluster_notes(items, pairs))
    summary = cluster_summary(values, clusters, items.weights)
    skewness = cluster_skewness(values, group_rows(clusters, items.weights))
    return Tested(summary, pairs, assumptions, notes=notes, skewness=skewness)


def z_test(evidence: Evidence, setting: Setting) -> Tested:
    """Normal test of published scores with standard errors, or of strengths fitted to votes."""
    from rankbars.stats.pairwise.estimates import fill_zero_errors, z_from_cov, z_from_se

    if isinstance(evidence, Votes):
        from rankbars.steps.votes.votetests import strength_test

        return strength_test(evidence, setting)
    if not isinstance(evidence, Estimates):
        raise OptionError(
            "The z-test is for published scores with standard errors; this task has scores "
            "per row. Use --test t (or auto)."
        )
    mean = evidence.mean
    summary = ModelSummary(mean, np.full(mean.shape, np.nan), np.full(mean.shape, np.inf))
    if not evidence.has_uncertainty:
        pairs = z_from_se(mean, np.full(mean.shape, np.nan))
        lacks = "without a standard error or a number of items"
        if evidence.n is not None:
            lacks = "with a number of items and no standard error (which follows for shares alone)"
        text = f"Scores {lacks}: nothing can be said about ranks on this task itself."
        note = Note("no-uncertainty", text)
        return Tested(summary, pairs, ("Nothing is assumed; nothing is shown.",), notes=(note,))
    fitted: Estimates | None = None
    if evidence.cov is not None:
        filled = fill_zero_errors(mean, np.sqrt(np.clip(np.diag(evidence.cov), 0.0, None)), None)
        pairs = z_from_cov(mean, evidence.cov)
        assumptions: tuple[str, ...] = ("Scores are close to normal with the given covariance.",)
    else:
        given = evidence.se if evidence.se is not None else np.full(mean.shape, np.nan)
        filled = fill_zero_errors(mean, given, evidence.n, largest=setting.zero_se == "largest")
        if filled.se is not given:
            fitted = replace(evidence, se=filled.se)
        pairs = z_from_se(mean, filled.se)
        if evidence.n is not None and (evidence.n > 1).any():
            # Errors that were estimated from few rows are themselves uncertain; where nobody
            # knows from how many, they are taken for the true ones.
            own = np.where(evidence.n > 1, evidence.n - 1.0, np.inf)
            pairs = pairs._replace(df=_welch_df(filled.se, own))
            summary = summary._replace(df=own)
        assumptions = (
            "Scores are close to normal with the given standard errors.",
            "Errors of different models are independent. If models answered the same items, "
            "their answers per item would separate them better.",
        )
    return Tested(
        summary._replace(se=filled.se),
        pairs,
        assumptions,
        notes=_zero_errors(filled, evidence.models),
        fitted=fitted,
    )


def _zero_errors(filled: ZeroErrors, models: tuple[str, ...]) -> tuple[Note, ...]:
    """Notes about models whose error was published as 0, and what stands in its place."""
    seen = "Published with a standard error of 0, which says only that no spread was seen. "
    texts = (
        (
            filled.by_items,
            "The number of 0/1 items is known: the error shown, differences and averages are as "
            "Agresti and Caffo add one item on either side, the model's own interval is Wilson's.",
        ),
        (filled.largest, "The largest error of another model on this task stands in its place."),
        (
            filled.left,
            "Differences from other models have the other's error alone. On an average these "
            "scores add no error.",
        ),
    )
    notes = [
        Note("zero-se", seen + text, models=names_where(models, members))
        for members, text in texts
        if members.any()
    ]
    if filled.left.sum() > 1:
        text = (
            "Both scores of each two of these models were published with a standard error of 0, "
            "so nothing says how far their difference may be off: it is not shown on this task. "
            "The number of 0/1 items behind each score (a column n) would say it."
        )
        notes.append(Note("no-spread", text, models=names_where(models, filled.left)))
    return tuple(notes)


def _welch_df(se: NDArray[np.float64], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Welch–Satterthwaite degrees of freedom of every difference, from those of each model."""
    variance = se**2
    share = variance**2 / own
    with np.errstate(divide="ignore", invalid="ignore"):
        df = (variance[:, None] + variance[None, :]) ** 2 / (share[:, None] + share[None, :])
    return np.where(np.isfinite(df), df, np.inf)


def _unweighted_policy(
    pairs: PairStatistics, items: Items, test: Callable[[NDArray[np.float64]], PairStatistics]
) -> PairStatistics:
    """The same statistics, with pairs whose plain differences do not vary decided on those.

    Weights multiply the rounding of a constant difference, which would then look as if it varied.
    """
    if items.weights is None:
        return pairs
    plain = test(items.values)
    still = plain.constant | plain.identical
    if not still.any():
        return pairs
    return pairs._replace(
        statistic=np.where(still, plain.statistic, pairs.statistic),
        se=np.where(still, plain.se, pairs.se),
        constant=plain.constant,
        identical=plain.identical,
    )


def _shares(items: Items) -> ModelSummary:
    """Shares of right answers, with errors that are not far too small near 0 and 1.

    With fewer than ten of either answer, the error of Agresti and Coull (two more of each) is
    used where it is larger.
    """
    count, right = count_right(items)
    plain = share_summary(count, right)
    share = (right + 2.0) / (count + 4.0)
    wide = np.sqrt(share * (1.0 - share) / (count + 4.0))
    rare = np.minimum(right, count - right) < FEW_DISCORDANT
    return plain._replace(
        se=np.where(rare & ~np.isnan(plain.se), np.fmax(wide, plain.se), plain.se)
    )


def _discordance_notes(items: Items, pairs: PairStatistics) -> list[Note]:
    models = len(items.models)
    if models < 2:
        return []
    upper = np.triu_indices(models, k=1)
    few = int(few_discordant(items, pairs)[upper].sum())
    return [discordance_note(few, upper[0].size)] if few else []


def few_discordant(items: Items, pairs: PairStatistics) -> NDArray[np.bool_]:
    """Pairs of models with 0/1 scores that differ on few of many items, shape (M, M).

    The t-test is only approximate for them; of fewer items its law is counted.
    """
    if not is_binary(items, _ANSWERS):
        return np.zeros(pairs.diff.shape, dtype=np.bool_)
    n = np.asarray(pairs.n, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        discordant = np.rint(n * (n - 1) * pairs.se**2 + n * pairs.diff**2)
        few = (discordant > 0) & (discordant < FEW_DISCORDANT)
        return np.asarray(few & (n > MOST_COUNTED))


def discordance_note(few: int, pairs: int) -> Note:
    """What must be said where `few` of so many pairs differ on few items."""
    return Note(
        "few-discordant",
        f"Pairs that differ on fewer than {FEW_DISCORDANT} items: {few} of {pairs}. The "
        "t-test is approximate for them.",
    )


_ANSWERS = (0.0, 1.0)
_UNSEEN = 0.05  # probability that rows show none of the most that could be such
_TAIL_SEEN = 50  # rows: fewer may well lack failures that are not so rare
_FEW_CLUSTERS = 4  # so many and fewer are told


def _cluster_notes(items: Items, pairs: PairStatistics) -> list[Note]:
    """What must be said about rows in clusters: too few, one too large, or of unequal sizes."""
    if items.clusters is None:
        return []
    grouping = group_rows(items.clusters, items.weights)
    count, largest = grouping.sizes.size, float(grouping.shares.max(initial=0.0))
    if count < FEWEST_CLUSTERS:
        text = f"{count} clusters: fewer than {FEWEST_CLUSTERS} cannot show any model better than "
        return [Note("few-clusters", f"{text}another.")]
    if largest > LARGEST_SHARE:
        text = (
            f"{_name_cluster(items, grouping)} holds {largest:.0%} of the rows. Above "
            f"{LARGEST_SHARE:.0%} nothing tells how much clusters differ, and no model can be "
            "shown better than another."
        )
        return [Note("dominant-cluster", text)]
    notes = []
    lost = int((np.isnan(pairs.se) & np.isfinite(pairs.diff)).sum()) // 2
    if lost:
        text = (
            f"Pairs with common rows in fewer than {FEWEST_CLUSTERS} clusters, or with more than "
            f"{LARGEST_SHARE:.0%} of them in one: {lost:,}. They cannot be told apart."
        )
        notes.append(Note("dominant-cluster", text))
    df = float(cluster_df(grouping.shares))
    if count <= _FEW_CLUSTERS:
        text = f"{count} clusters: with so few, only very large differences can be shown."
        notes.append(Note("few-clusters", text))
    elif df < (count - 1) / 2:
        text = (
            f"Clusters are of unequal sizes: {count} clusters count as about {df + 1:.1f} of equal "
            "size, and only large differences can be shown."
        )
        notes.append(Note("unequal-clusters", text))
    return notes


def _name_cluster(items: Items, grouping: Grouping) -> str:
    """The largest cluster, known by one of its rows where these have names."""
    largest = int(np.argmax(grouping.shares))
    if items.ids is None:
        return f"Cluster {largest + 1} of {grouping.sizes.size}"
    return f"The cluster of {items.ids[grouping.order[grouping.starts[largest]]]!r}"
