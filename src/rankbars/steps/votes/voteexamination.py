"""The verb `examine_votes`: how healthy pairwise votes are, with a number for every statement.

Of judges: whether they agree, what each would rank by itself, and what sways them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankbars.data.diagnosis import Finding, JudgeReport, VoteHealth
from rankbars.data.scores import Scores
from rankbars.data.spec import VoteOptions, check_rate
from rankbars.data.votes import BAD, LOSS, TIE, Ballots, Votes, controls_of
from rankbars.errors import DataError, OptionError, RankbarsError
from rankbars.stats.multiplicity.stepdown import decide
from rankbars.stats.ranks import count_bounds
from rankbars.stats.votes.connectivity import find_components, largest_component
from rankbars.stats.votes.judgeagreement import (
    cohen_kappa,
    cross_tabulate,
    krippendorff_alpha,
    outcome_distance,
)
from rankbars.stats.votes.votecounts import code_rows
from rankbars.stats.votes.votecovariance import sandwich_covariance
from rankbars.stats.votes.votequality import position_bias
from rankbars.steps.testrows import Setting
from rankbars.steps.votes.strengths import contrast_statistics, fit_strengths
from rankbars.steps.votes.tallies import tally
from rankbars.steps.votes.votefindings import (
    find_circles,
    find_cluster_effects,
    find_connectivity,
    find_coverage,
    find_influence,
    find_lead,
    find_neighbours,
    find_position,
    find_tie_effect,
    first_outcomes,
)
from rankbars.steps.votes.votesuspects import cap_votes

__all__ = [
    "examine_votes",
]


def examine_votes(
    scores: Scores,
    *,
    votes: VoteOptions | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    simulations: int = 99,
    seed: int = 0,
) -> dict[str, VoteHealth]:
    """Look at the health of pairwise votes, task by task.

    Parameters
    ----------
    scores : Scores
        Results; tasks without votes are passed over.
    votes : VoteOptions, optional
        How votes are turned into strengths.
    alpha : float
        Error rate of intervals, and of the comparisons that votes are counted for (both sides).
    power : float
        Probability with which a difference is to be shown.
    simulations : int
        Sets of votes simulated from the fit, which circles and misfit are held against.
    seed : int
        Start of the random streams.

    Returns
    -------
    dict from str to VoteHealth
        Connectivity, coverage, ties, circles, misfit, position, clusters, influence of single
        voters, how few votes carry the lead; votes that would separate neighbours; judges side by
        side. Where the votes do not put all models on one scale, what follows is about the
        largest group that they do.

    Raises
    ------
    DataError
        If no task has votes.
    OptionError
        If a value is out of range.

    Notes
    -----
    What would have been without one voter is one Newton step from the full fit (Pregibon 1981).
    Circles and misfit are compared with votes simulated from the fit and fitted again.

    Examples
    --------
    >>> scores = Scores({"arena": Votes(("a", "b", "c"), [[0, 8, 2], [2, 0, 8], [8, 2, 0]])})
    >>> health = examine_votes(scores, simulations=19)["arena"]
    >>> health["circles"].value, health["connectivity"].sentence
    (1.0, 'The votes put all 3 models on one scale.')
    """
    check_rate("alpha", alpha)
    check_rate("power", power)
    if simulations < 1:
        raise OptionError.out_of_range("simulations", simulations, "at least 1")
    options = VoteOptions() if votes is None else votes
    tasks = {name: one for name, one in scores.tasks.items() if isinstance(one, Votes)}
    if not tasks:
        raise DataError("None of the tasks has pairwise votes, so there is nothing to examine.")
    return {
        name: _examine(one, options, alpha, power, simulations, Setting(seed, 1000, name, options))
        for name, one in tasks.items()
    }


def _examine(
    votes: Votes,
    options: VoteOptions,
    alpha: float,
    power: float,
    simulations: int,
    setting: Setting,
) -> VoteHealth:
    votes, _ = cap_votes(votes, options)
    findings: list[Finding | None] = [find_connectivity(votes, options)]
    counts = tally(votes, options)
    if find_components(counts).component.max(initial=0) > 0:
        votes = votes.take(largest_component(counts))
    findings += [find_coverage(votes, options), find_position(votes, options, alpha)]
    if len(votes.models) < 2:
        kept = tuple(one for one in findings if one is not None)
        return VoteHealth(setting.key, votes.models, alpha, power, kept)
    found = fit_strengths(votes, options, setting)
    order = np.argsort(-found.fit.strength, kind="stable")
    findings += [
        find_tie_effect(votes, options, found),
        *find_circles(found, setting, simulations),
        *find_cluster_effects(votes, options, found),
        find_influence(votes, options, found),
        find_lead(votes, found),
        _find_agreement(votes),
        *_find_controls(votes, options, alpha),
    ]
    return VoteHealth(
        setting.key,
        tuple(votes.models[i] for i in order),
        alpha,
        power,
        tuple(one for one in findings if one is not None),
        find_neighbours(votes, found, alpha, power),
        _report_judges(votes, options, alpha, order),
        controls_of(votes),
    )


_MOST_JUDGES = 8


def _find_agreement(votes: Votes) -> Finding | None:
    """Agreement of judges on the same two answers, corrected for chance.

    None where no two judges saw the same: votes are taken to be about the same if they compare
    the same models on the same prompt, in the same conversation where these are named.
    """
    ballots = votes.ballots
    if ballots is None or "judge" not in ballots.labels:
        return None
    if not {"prompt", "cluster"} & set(ballots.labels):
        return None
    unit, judge, answer = _units(ballots, len(votes.models))
    counts = np.zeros((int(unit.max(initial=-1)) + 1, 3))
    np.add.at(counts, (unit, answer), 1.0)
    seen = np.unique(unit * (int(judge.max(initial=0)) + 1) + judge).size
    several = np.bincount(np.unique(np.stack([unit, judge]), axis=1)[0]) >= 2
    if not seen or not several.any():
        return None
    alpha = krippendorff_alpha(counts, outcome_distance())
    shared = int(several.sum())
    labels = ballots.labels["judge"]
    if labels.groups == 2:
        table = cross_tabulate(*_two_judges(unit, judge, answer), 3)
        kappa = cohen_kappa(table)
        one, other = (labels.names[code] for code in np.unique(judge)[:2])
        return Finding(
            "agreement",
            kappa.kappa,
            f"{one} and {other} judged {kappa.n:,.0f} of the same comparisons and agreed on "
            f"{kappa.observed:.1%}; by chance it would be {kappa.expected:.1%}: kappa = "
            f"{kappa.kappa:.2f} (standard error {kappa.se:.2f}; 0 as by chance, 1 always).",
            concern=bool(kappa.kappa < 0.4),
        )
    return Finding(
        "agreement",
        alpha,
        f"{labels.groups:,} judges; on {shared:,} comparisons that two or more of them judged, "
        f"Krippendorff's alpha is {alpha:.2f} (0 as by chance, 1 always).",
        concern=bool(alpha < 0.4),
    )


def _find_controls(votes: Votes, options: VoteOptions, alpha: float) -> tuple[Finding, ...]:
    """Effect of what is controlled for, such as the position or the length, on all judges."""
    ballots = votes.ballots
    if ballots is None or not ballots.covariate_names:
        return ()
    found = _effects(votes, options)
    findings = []
    for name, effect, se in zip(ballots.covariate_names, *found, strict=True):
        sure = bool(abs(effect) > 1.959964 * se)
        findings.append(
            Finding(
                f"control-{name}",
                effect,
                f"One unit more of {name} changes the log odds by {effect:+.3g} ± {se:.2g}"
                + (": it sways the votes; strengths are adjusted for it." if sure else "."),
                concern=sure,
            )
        )
    return tuple(findings)


def _report_judges(
    votes: Votes, options: VoteOptions, alpha: float, order: NDArray[np.intp]
) -> tuple[JudgeReport, ...]:
    """Each judge by itself, those with most votes first; at most eight."""
    ballots = votes.ballots
    if ballots is None or "judge" not in ballots.labels:
        return ()
    labels = ballots.labels["judge"]
    totals = np.bincount(
        labels.codes[labels.codes >= 0], ballots.counts[labels.codes >= 0], len(labels.names)
    )
    if np.count_nonzero(totals) < 2:
        return ()
    chosen = np.argsort(-totals, kind="stable")[:_MOST_JUDGES]
    return tuple(
        _report(
            votes, ballots.take(labels.codes == code), labels.names[code], options, alpha, order
        )
        for code in chosen
        if totals[code] > 0
    )


def _report(
    votes: Votes,
    ballots: Ballots,
    name: str,
    options: VoteOptions,
    alpha: float,
    order: NDArray[np.intp],
) -> JudgeReport:
    own = Votes.from_ballots(votes.models, ballots)
    outcome = first_outcomes(ballots)
    share = low = high = float("nan")
    if outcome is not None and outcome.size:
        seen = position_bias(outcome, alpha)
        share, low, high = seen.share, seen.low, seen.high
    report = JudgeReport(name, own.n, None, None, share, low, high)
    counts = tally(own, options)
    if not counts.first.size or find_components(counts).component.max(initial=0) > 0:
        return report
    try:
        # One judge is no sample of judges: its votes are taken by prompt, or as independent.
        alone = replace(options, covariance="auto", cluster="auto")
        found = fit_strengths(own, alone, Setting())
        pairs = contrast_statistics(found)
        decided = decide(pairs.statistic, pairs.df, alpha)
        effects, errors = _effects(own, options)
    except RankbarsError:
        return report
    bounds = count_bounds(decided.better, decided.worse)
    return replace(
        report,
        best=bounds.best[order],
        worst=bounds.worst[order],
        effects=tuple(effects),
        effect_se=tuple(errors),
    )


def _effects(votes: Votes, options: VoteOptions) -> tuple[list[float], list[float]]:
    """Effects of the covariates and their standard errors."""
    counts = tally(votes, options)
    if not counts.covariates.shape[1]:
        return [], []
    found = fit_strengths(votes, replace(options, covariance="sandwich", cluster="auto"), Setting())
    covariance = sandwich_covariance(counts, found.fit)
    size = counts.n_models
    place = range(size, size + counts.covariates.shape[1])
    return found.fit.effect.tolist(), [float(np.sqrt(covariance[k, k])) for k in place]


def _units(
    ballots: Ballots, size: int
) -> tuple[NDArray[np.intp], NDArray[np.int64], NDArray[np.int64]]:
    """What each vote is about, who cast it, and the outcome for the first of the two models."""
    known = ballots.labels["judge"].codes >= 0
    turned = ballots.first > ballots.second
    low = np.minimum(ballots.first, ballots.second)
    high = np.maximum(ballots.first, ballots.second)
    columns = [low * size + high]
    for name in ("prompt", "cluster"):
        if name in ballots.labels:
            columns.append(ballots.labels[name].codes)
            known = known & (ballots.labels[name].codes >= 0)
    plain = np.where(ballots.outcome == BAD, TIE, ballots.outcome)
    answer = np.where(turned, LOSS - plain, plain)
    unit = code_rows([column[known] for column in columns])
    return unit, ballots.labels["judge"].codes[known], answer[known]


def _two_judges(
    unit: NDArray[np.intp], judge: NDArray[np.int64], answer: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First answer of each of the two judges on each unit; -1 where it gave none."""
    size = int(unit.max(initial=-1)) + 1
    answers = np.full((2, size), -1, dtype=np.int64)
    _, code = np.unique(judge, return_inverse=True)
    for k in (0, 1):
        mine = np.flatnonzero(code == k)[::-1]
        answers[k, unit[mine]] = answer[mine]
    return answers[0], answers[1]
