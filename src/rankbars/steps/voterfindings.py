"""What there is to say about those who voted: how much they widen intervals, who decides most."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rankbars.data.spec import VoteOptions
from rankbars.data.votehealth import Finding
from rankbars.data.votes import Labels, Votes
from rankbars.stats.votes.votecovariance import cluster_covariance, sandwich_covariance
from rankbars.stats.votes.voteinfluence import drop_clusters
from rankbars.stats.votes.votequality import design_effect
from rankbars.steps.strengths import Strengths, contrast_statistics
from rankbars.steps.tallies import CLUSTER_WORDS, MIN_CLUSTERS, tally_clusters

__all__ = ["find_cluster_effects", "find_influence"]

_MOST_CLUSTERS = 2000
_MANY_MODELS = 400


def find_cluster_effects(
    votes: Votes, options: VoteOptions, found: Strengths
) -> tuple[Finding, ...]:
    """How much wider voters, prompts and conversations make the intervals."""
    labels = {} if votes.ballots is None else votes.ballots.labels
    findings = []
    size = found.counts.n_models
    for name in labels:
        if name == "vote":
            continue
        clusters = tally_clusters(votes, options, (name,))
        totals = np.bincount(clusters.cluster, clusters.weight.sum(axis=0))
        share = float(totals.max(initial=0.0) / max(totals.sum(), 1.0))
        words = CLUSTER_WORDS[name]
        sentence = f"{clusters.n_clusters:,} {words}, the largest with {share:.1%} of the votes"
        effect = float("nan")
        if clusters.n_clusters >= 2:
            clustered = cluster_covariance(clusters, found.fit)[:size, :size]
            plain = sandwich_covariance(found.counts, found.fit)[:size, :size]
            effect = design_effect(clustered, plain)
            sentence += f"; variances are {effect:.2f} times those of independent votes, on average"
        inside = next((one for one in found.clusters if _within(labels, name, one)), None)
        used = name in found.clusters or inside is not None
        if inside is not None:
            sentence += f". They lie within {CLUSTER_WORDS[inside]}, which the intervals allow for."
        else:
            sentence += ". The intervals allow for them." if used else ". Not allowed for."
        concern = not used and bool(effect > 1.5)
        if concern and clusters.n_clusters >= MIN_CLUSTERS:
            sentence += f" To do so: --cluster {name}."
        elif concern:
            sentence += " There are too few to do so: what holds for these may not hold for others."
        findings.append(Finding(f"clusters-{name}", effect, sentence, concern))
    return tuple(findings)


def _within(labels: Mapping[str, Labels], name: str, other: str) -> bool:
    """Whether each cluster called `name` lies within one called `other`, which is another kind."""
    if other == name or other not in labels:
        return False
    inner, outer = labels[name].codes, labels[other].codes
    known = inner >= 0
    pairs = np.unique(np.stack([inner[known], outer[known]]), axis=1)
    return bool(pairs.shape[1] == np.unique(inner[known]).size and (pairs[1] >= 0).all())


def find_influence(votes: Votes, options: VoteOptions, found: Strengths) -> Finding | None:
    """The voter or judge without whom the board would change most; None without names."""
    ballots = votes.ballots
    if ballots is None or "judge" not in ballots.labels:
        return None
    labels = ballots.labels["judge"]
    if not 2 <= labels.groups <= _MOST_CLUSTERS or len(votes.models) > _MANY_MODELS:
        return None
    clusters = tally_clusters(votes, options, ("judge",))
    names = [labels.names[code] for code in np.unique(labels.codes[labels.codes >= 0])]
    change = drop_clusters(clusters, found.fit)[: len(names)]
    se = contrast_statistics(found).se
    scale = float(np.median(se[se > 0])) if (se > 0).any() else float("nan")
    size = np.nanmax(np.abs(change), axis=1, initial=0.0)
    lost = np.isnan(change).all(axis=1)
    most = int(size.argmax())
    order = np.argsort(-found.fit.strength, kind="stable")
    after = np.argsort(-(found.fit.strength + np.nan_to_num(change[most])), kind="stable")
    lead = votes.models[order[0]]
    new_lead = votes.models[after[0]]
    sentence = (
        f"Without the votes of {names[most]} some strength would change by {size[most]:.2g} "
        f"({size[most] / scale:.1f} standard errors of a typical difference), more than without "
        f"any other of {len(names):,}"
    )
    sentence += (
        f"; {new_lead} would lead instead of {lead}." if new_lead != lead else f"; {lead} would "
        "still lead."
    )  # fmt: skip
    if lost.any():
        sentence += (
            f" Without one of {int(lost.sum())} others, the votes would not put all models on one "
            "scale."
        )
    concern = bool(new_lead != lead or size[most] > scale)
    return Finding("influence", float(size[most] / scale), sentence, concern)
