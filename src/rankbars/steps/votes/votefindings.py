"""What there is to say about votes: one function per question, each with its number."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankbars.data.diagnosis import Finding, Neighbours
from rankbars.data.spec import VoteOptions
from rankbars.data.votes import LOSS, WIN, Ballots, Labels, Votes, labels_of
from rankbars.errors import DataError
from rankbars.stats.binomial import clustered_share_test
from rankbars.stats.ranks import printed_places
from rankbars.stats.votes.connectivity import find_components
from rankbars.stats.votes.votecovariance import cluster_covariance, sandwich_covariance
from rankbars.stats.votes.voteinfluence import (
    drop_clusters,
    screen_clusters,
    votes_to_swap,
)
from rankbars.stats.votes.votequality import (
    design_effect,
    growth_to_separate,
    measure_coverage,
    position_bias,
    simulate_transitivity,
    votes_to_separate,
)
from rankbars.steps.testrows import Setting
from rankbars.steps.votes.strengths import Strengths, contrast_statistics, fit_tally
from rankbars.steps.votes.tallies import (
    CLUSTER_WORDS,
    MIN_CLUSTERS,
    choose_clusters,
    tally,
    tally_clusters,
    used_ballots,
)

__all__ = [
    "find_circles",
    "find_cluster_effects",
    "find_connectivity",
    "find_coverage",
    "find_influence",
    "find_lead",
    "find_neighbours",
    "find_position",
    "find_tie_effect",
]

_FEW_VOTES = 20
_LOPSIDED = 50.0  # most votes of a model over fewest
_SURE = 0.05
_MOST_CLUSTERS = 2000  # that are left out one by one
_MANY_MODELS = 400
_MOST_STEPS = 200


def find_connectivity(votes: Votes, options: VoteOptions) -> Finding:
    """Whether the votes put all models on one scale."""
    groups = find_components(tally(votes, options))
    count = int(groups.component.max(initial=0)) + 1
    size = len(votes.models)
    if count == 1:
        return Finding("connectivity", 1.0, f"The votes put all {size} models on one scale.")
    kept = int((groups.component == 0).sum())
    islands = int(groups.island.max()) + 1
    apart = f", {islands} of them without a vote between them" if islands > 1 else ""
    return Finding(
        "connectivity",
        float(count),
        f"The votes do not put all {size} models on one scale: they form {count} groups{apart}, "
        f"the largest of {kept} models; "
        f"{int(groups.undefeated.sum())} models never lost or tied and "
        f"{int(groups.winless.sum())} never won or tied.",
        concern=True,
    )


def find_coverage(votes: Votes, options: VoteOptions) -> Finding:
    """How votes spread over models and pairs."""
    found = measure_coverage(tally(votes, options))
    size = len(votes.models)
    pairs = size * (size - 1) // 2
    met = round(found.pair_share * pairs)
    least, most = int(found.votes.argmin()), int(found.votes.argmax())
    few, many = found.votes[least], found.votes[most]
    concern = bool(few < _FEW_VOTES or many > _LOPSIDED * few)
    alike = f"{found.effective_pairs:,.0f}"
    sentence = (
        f"{met:,} of {pairs:,} pairs met; their votes are spread as evenly as over "
        f"{alike} pair{'' if alike == '1' else 's'} with equally many. Fewest votes: "
        f"{votes.models[least]} ({few:,.0f}); most: {votes.models[most]} ({many:,.0f})."
    )
    if concern:
        sentence += " That is lopsided: models with few votes have wide intervals."
    return Finding("coverage", float(found.effective_pairs), sentence, concern)


def find_tie_effect(votes: Votes, options: VoteOptions, found: Strengths) -> Finding | None:
    """How much depends on what a tie counts as; None without ties."""
    ties = 0.0 if votes.ties is None else float(votes.ties.sum() / 2)
    bad = 0.0 if votes.both_bad is None else float(votes.both_bad.sum() / 2)
    total = float(votes.met.sum() / 2)
    if ties + bad == 0:
        return None
    share = (ties + bad) / total
    now = {
        "half": "count as half a win for either side",
        "drop": "are left out",
        "rao-kupper": "have a threshold of their own (Rao and Kupper)",
        "davidson": "have a parameter of their own (Davidson)",
    }[options.ties]
    of_which = f", {bad / total:.1%} for neither side" if bad else ""
    sentence = f"{share:.1%} of the votes have no winner{of_which}; they {now}."
    other = replace(options, ties="half" if options.ties == "drop" else "drop")
    moved, mover = _largest_move(votes, other, found)
    if moved is None:
        return Finding("ties", share, f"{sentence} Without them there are no strengths.", True)
    words = "With ties as half wins" if other.ties == "half" else "Without them"
    if moved == 0:
        sentence += f" {words}, the order stays the same."
    else:
        sentence += (
            f" {words}, {mover} moves by {moved} rank{'s' if moved > 1 else ''}, more than any "
            "other."
        )
    return Finding("ties", share, sentence, concern=bool(moved > max(2, len(votes.models) // 20)))


def find_circles(found: Strengths, setting: Setting, simulations: int) -> tuple[Finding, ...]:
    """Whether models beat each other in circles, or otherwise against the fit, beyond chance."""
    try:
        seen = simulate_transitivity(
            found.counts, found.fit, simulations, setting.seed, ("health", setting.key)
        )
    except DataError:
        return ()  # votes with weights cannot be simulated
    beyond = "more" if seen.p_cycles <= _SURE else "no more"
    circles = Finding(
        "circles",
        float(seen.cycles),
        f"{seen.cycles:,} triples of models beat each other in a circle; votes simulated from the "
        f"fit have {seen.expected_cycles:,.1f} on average (p = {seen.p_cycles:.2g}): {beyond} than "
        "chance explains.",
        concern=seen.p_cycles <= _SURE,
    )
    if not seen.expected_misfit > 0:
        return (circles,)  # as many strengths as results of pairs: nothing is left to explain
    ratio = seen.misfit / seen.expected_misfit
    beyond = "more" if seen.p_misfit <= _SURE else "no more"
    text = (
        f"Results of pairs differ from what the strengths explain {ratio:.2f} times as much as in "
        f"simulated votes (p = {seen.p_misfit:.2g}): {beyond} than chance explains."
    )
    if seen.p_misfit <= _SURE:
        text += (
            " One scale of strengths does not describe everything, or votes depend on each other; "
            "the errors used here allow for the first only on average over these pairs."
        )
    return circles, Finding("misfit", ratio, text, concern=seen.p_misfit <= _SURE)


def find_position(votes: Votes, options: VoteOptions, alpha: float) -> Finding | None:
    """Whether the model shown first wins more often; None where nobody knows which was first."""
    ballots = votes.ballots
    outcome = first_outcomes(ballots)
    if ballots is None or outcome is None:
        return None
    seen = position_bias(outcome, alpha)
    for name in choose_clusters(votes, options):
        code = np.repeat(ballots.labels[name].codes[_placed(ballots)], _placed_counts(ballots))
        kept = code >= 0
        if name != "vote" and np.unique(code[kept]).size >= MIN_CLUSTERS:
            wide = clustered_share_test(outcome[kept] == WIN, code[kept], alpha)
            seen = max(seen, wide, key=lambda one: one.p)
    if not seen.n:
        return None
    sure = seen.p <= alpha
    adjusted = votes.ballots is not None and "position" in votes.ballots.covariate_names
    remedy = "Strengths are adjusted for it." if adjusted else "To adjust: --control position."
    return Finding(
        "position",
        seen.share,
        f"The model shown first won {seen.share:.1%} of {seen.n:,.0f} decided votes "
        f"({seen.low:.1%} to {seen.high:.1%}, p = {seen.p:.2g})"
        + (f": position matters. {remedy}" if sure else ": no sign that position matters."),
        concern=sure and not adjusted,
    )


def first_outcomes(ballots: Ballots | None) -> NDArray[np.int64] | None:
    """Outcome of each vote for the model that was shown first, one entry per vote."""
    if ballots is None or ballots.position is None:
        return None
    known = _placed(ballots)
    outcome = ballots.outcome[known]
    facing = np.where(ballots.position[known] > 0, outcome, 2 - outcome)
    return np.asarray(np.repeat(facing, _placed_counts(ballots)), dtype=np.int64)


def _placed(ballots: Ballots) -> NDArray[np.bool_]:
    """Rows with a winner of which it is known who was shown first."""
    decided: NDArray[np.bool_] = (ballots.outcome == WIN) | (ballots.outcome == LOSS)
    if ballots.position is not None:
        decided &= ballots.position != 0
    return decided


def _placed_counts(ballots: Ballots) -> NDArray[np.int64]:
    return ballots.counts[_placed(ballots)]


def find_lead(votes: Votes, found: Strengths) -> Finding | None:
    """How few votes put the second model first."""
    if found.counts.n_models < 2 or not np.array_equal(found.counts.weight, found.counts.squared):
        return None
    order = np.argsort(-found.fit.strength, kind="stable")
    ahead, behind = int(order[0]), int(order[1])
    if found.fit.strength[ahead] <= found.fit.strength[behind]:
        return None
    number = votes_to_swap(found.counts, found.fit, ahead, behind).n_votes
    total = float(found.counts.weight.sum())
    if number == 0:
        return Finding(
            "lead",
            float("inf"),
            f"No choice of votes to leave out puts {votes.models[behind]} before "
            f"{votes.models[ahead]}.",
        )
    return Finding(
        "lead",
        float(number),
        f"Leaving out about {number:,} of {total:,.0f} votes ({number / total:.2%}), chosen to "
        f"that end, would put {votes.models[behind]} before {votes.models[ahead]}.",
        concern=number / total < 0.001,
    )


def find_neighbours(
    votes: Votes, found: Strengths, alpha: float, power: float
) -> tuple[Neighbours, ...]:
    """What it would take to tell each model from the next one in the order."""
    order = np.argsort(-found.fit.strength, kind="stable")
    ahead, behind = order[:-1], order[1:]
    difference = found.fit.strength[ahead] - found.fit.strength[behind]
    se = contrast_statistics(found).se[ahead, behind]
    coverage = measure_coverage(found.counts)
    share = 0.0 if found.fit.outcomes.has_tie else np.nan_to_num(coverage.tie_share)
    information = 1 / (4 * max(1 - share, 1e-9))
    if found.clusters not in ((), ("vote",)) and np.isfinite(found.covariance).all():
        # Further votes depend on their voters and prompts as those at hand do.
        size = found.counts.n_models
        plain = sandwich_covariance(found.counts, found.fit)[:size, :size]
        information /= max(design_effect(found.covariance, plain), 1.0)
    level = alpha / 2
    needed = votes_to_separate(difference, se, information, level, power)
    growth = growth_to_separate(difference, se, level, power)
    return tuple(
        Neighbours(votes.models[i], votes.models[j], float(d), float(s), float(n), float(g))
        for i, j, d, s, n, g in zip(ahead, behind, difference, se, needed, growth, strict=True)
    )


def find_cluster_effects(
    votes: Votes, options: VoteOptions, found: Strengths
) -> tuple[Finding, ...]:
    """How much wider voters, prompts and conversations make the intervals."""
    labels = labels_of(votes)
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
            sentence += f" To do so: --cluster {shlex.quote(name)}."
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
    if labels.groups < 2:
        return None
    clusters = tally_clusters(votes, options, ("judge",))
    codes = used_ballots(ballots, options).labels["judge"].codes
    names = [labels.names[code] for code in np.unique(codes[codes >= 0])]
    if len(names) <= _MOST_CLUSTERS and len(votes.models) <= _MANY_MODELS:
        which = np.arange(len(names))
    else:
        # To first order for all; for those with most of it one step with the others' Hessian.
        which = screen_clusters(clusters, found.fit, _MOST_STEPS)
        which = which[which < len(names)]
    change = drop_clusters(clusters, found.fit, which)
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
        f"Without the votes of {names[which[most]]} some strength would change by {size[most]:.2g} "
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


def _largest_move(votes: Votes, options: VoteOptions, found: Strengths) -> tuple[int | None, str]:
    """Ranks that the model moves by that moves most under other options; None without a fit."""
    try:
        other = fit_tally(tally(votes, options), options)
    except DataError:
        return None, ""
    before, after = printed_places(found.fit.strength), printed_places(other.strength)
    moved = np.abs(before - after)
    most = int(moved.argmax())
    return int(moved[most]), votes.models[most]
