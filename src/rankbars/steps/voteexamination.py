"""The verb `examine_votes`: how healthy pairwise votes are, with a number for every statement."""

from __future__ import annotations

import numpy as np

from rankbars.data.scores import Scores
from rankbars.data.spec import VoteOptions, check_rate
from rankbars.data.votehealth import Finding, VoteHealth
from rankbars.data.votes import Votes
from rankbars.errors import DataError, OptionError
from rankbars.stats.votes.connectivity import find_components, largest_component
from rankbars.steps.judging import find_agreement, find_controls, report_judges
from rankbars.steps.strengths import fit_strengths
from rankbars.steps.tallies import tally
from rankbars.steps.tested import Setting
from rankbars.steps.votefindings import (
    find_circles,
    find_cluster_effects,
    find_connectivity,
    find_coverage,
    find_influence,
    find_lead,
    find_neighbours,
    find_position,
    find_tie_effect,
)

__all__ = ["examine_votes"]


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
        find_agreement(votes),
        *find_controls(votes, options, alpha),
    ]
    return VoteHealth(
        setting.key,
        tuple(votes.models[i] for i in order),
        alpha,
        power,
        tuple(one for one in findings if one is not None),
        find_neighbours(votes, found, alpha, power),
        report_judges(votes, options, alpha, order),
        () if votes.ballots is None else votes.ballots.covariate_names,
    )
