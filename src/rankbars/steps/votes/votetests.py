"""Tests of votes: strengths with their covariance, single pairs, evidence at any time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Estimates, Evidence
from rankbars.data.fields import names_where
from rankbars.data.notes import Note
from rankbars.data.votes import LOSS, MOST_WEIGHT, WIN, Votes
from rankbars.errors import OptionError
from rankbars.stats.binomial import binomial_tail
from rankbars.stats.pairwise.modelscores import ModelSummary
from rankbars.stats.votes.anytime import log_e_ahead, log_e_better
from rankbars.stats.votes.connectivity import find_components
from rankbars.stats.votes.voteclusters import keep_first_of_each
from rankbars.stats.votes.votecounts import VoteCounts
from rankbars.steps.testrows import Setting, Tested
from rankbars.steps.votes.connectedvotes import connected_models
from rankbars.steps.votes.strengths import Strengths, contrast_statistics, fit_strengths, fit_tally
from rankbars.steps.votes.tallies import (
    CLUSTER_WORDS,
    choose_clusters,
    count_used,
    tally,
)
from rankbars.steps.votes.votesuspects import (
    cap_votes,
    down_weigh,
    find_suspect_groups,
    find_suspects,
)

__all__ = ["TESTS_OF_VOTES", "strength_test"]

_FEW_VOTES = 20

_LOOKED_AT_FROM = 50
"""Votes of a model (by their weights) from which looks may show something about it."""


def strength_test(votes: Votes, setting: Setting) -> Tested:
    """Contrasts of Bradley–Terry strengths with their covariance."""
    return _compare_strengths(votes, setting, _pairing_notes(votes, setting))[0]


def _e_strength_test(evidence: Evidence, setting: Setting) -> Tested:
    """E-processes of contrasts of strengths, valid in the limit however often one looks."""
    votes = _votes(evidence, "e_strength")
    if setting.votes.reweight != "none":
        raise OptionError(
            "Test 'e_strength' looks at votes as they come in, and --reweight weighs earlier ones "
            "by later ones. Leave one out, or use --test e_process."
        )
    logged = votes.largest_weight is not None and votes.largest_weight <= MOST_WEIGHT
    adaptive = setting.votes.pairing == "adaptive"
    notes = () if logged else _pairing_notes(votes, setting, "--test e_process")
    tested, found = _compare_strengths(votes, setting, notes)
    pairs = contrast_statistics(found)
    log_e = log_e_ahead(pairs.statistic, pairs.se, pairs.df)
    few = _effective_votes(found.counts) < _LOOKED_AT_FROM
    log_e[few] = log_e[:, few] = 0.0
    np.fill_diagonal(log_e, 0.0)
    every = votes.models
    members = every if tested.kept is None else tuple(every[i] for i in tested.kept)
    text = (
        f"Fewer than {_LOOKED_AT_FROM} votes (by their weights) so far: shown neither better nor "
        "worse yet."
    )
    begin = [Note("looks-begin", text, models=names_where(members, few))] if few.any() else []
    words = [
        "Asymptotic: the level of all looks together holds in the limit of many votes; a model "
        f"counts from {_LOOKED_AT_FROM} votes on."
    ]
    if adaptive and logged:
        words.append("Votes weigh one over the probability with which their pair was drawn.")
    # Errors of single strengths and of effects are those of one look.
    missing = np.full(tested.summary.mean.shape, np.nan)
    effects = tested.effects
    if effects is not None:
        effects = replace(effects, se=np.full(effects.se.shape, np.nan))
    return tested._replace(
        summary=ModelSummary(tested.summary.mean, missing, missing),
        effects=effects,
        exact_p=np.exp(-np.maximum(log_e, 0.0)),
        log_e=log_e,
        assumptions=(*tested.assumptions, *words),
        notes=(*tested.notes, *begin),
    )


def _effective_votes(counts: VoteCounts) -> NDArray[np.float64]:
    """Votes behind each model: as many of one weight as vary like those that it has."""
    total, squares = (
        np.bincount(counts.first, load.sum(axis=0), counts.n_models)
        + np.bincount(counts.second, load.sum(axis=0), counts.n_models)
        for load in (counts.weight, counts.squared)
    )
    return np.asarray(total**2 / np.where(squares > 0, squares, 1.0))


def _compare_strengths(
    votes: Votes, setting: Setting, pairing: tuple[Note, ...]
) -> tuple[Tested, Strengths]:
    """All contrasts, and the fit that they are from."""
    size = len(votes.models)
    votes, capped = cap_votes(votes, setting.votes)
    chosen = connected_models(votes, setting.votes, setting.key)
    kept = votes if chosen.size == size else votes.take(chosen)
    found = fit_strengths(kept, setting.votes, setting)
    suspects, named = find_suspects(kept, setting.votes, found.fit)
    if suspects is not None and suspects.weight < 1:
        kept = down_weigh(kept, suspects)
        found = fit_strengths(kept, setting.votes, setting)
    groups, periods = find_suspect_groups(kept, setting.votes, found.fit)
    pairs = contrast_statistics(found)
    known = np.isfinite(found.covariance).all()
    measured = (found.reach > 1) & (found.groups == 0)
    variance = np.where(measured, np.diag(found.covariance), np.nan)
    # Votes that do not vary, such as ties only, say nothing about how sure a strength is.
    se = np.sqrt(np.where(variance > 0, variance, np.nan))
    summary = ModelSummary(found.fit.strength, se, np.minimum(found.df, found.reach - 1))
    tested = Tested(
        summary,
        pairs,
        (*found.assumptions, *_pairing_words(setting)),
        notes=(*_few_votes(kept), *found.notes, *capped, *named, *periods, *pairing),
        fitted=Estimates(kept.models, found.fit.strength, cov=found.covariance if known else None),
        rows=count_used(kept, setting.votes),
        effects=found.effects,
        suspects=suspects,
        suspect_groups=groups,
    )
    if chosen.size == size:
        return tested, found
    every = votes.models
    out = tuple(every[i] for i in np.setdiff1d(np.arange(size), chosen))
    text = (
        f"Left out, because the votes do not put them on one scale with the other {chosen.size} "
        "models; ranks are among those."
    )
    left_out = Note("not-connected", text, models=out)
    return tested._replace(kept=chosen, notes=(*tested.notes, left_out)), found


def _binomial_test(evidence: Evidence, setting: Setting) -> Tested:
    """Exact test of each pair from its own decided votes; no model links the pairs."""
    votes = _votes(evidence, "binomial")
    if votes.ballots is not None and votes.ballots.weight is not None:
        raise OptionError("Test 'binomial' counts votes, and these have weights. Use --test z.")
    used, tested = _without_model(votes, setting, "binomial")
    wins = np.rint(used.wins)
    return tested._replace(
        exact_p=binomial_tail(wins, wins.T),
        assumptions=(*tested.assumptions, *_pairing_words(setting)),
        notes=(*tested.notes, *_pairing_notes(votes, setting)),
    )


def _e_process_test(evidence: Evidence, setting: Setting) -> Tested:
    """E-processes of wins and losses of each pair, valid however often one looks."""
    votes = _votes(evidence, "e_process")
    if votes.ballots is not None and votes.ballots.weight is not None:
        raise OptionError(
            "Test 'e_process' counts votes, and these have weights. Use --test e_strength."
        )
    used, tested = _without_model(votes, setting, "e_process")
    log_e = log_e_better(used.wins, used.wins.T)
    np.fill_diagonal(log_e, 0.0)
    return tested._replace(exact_p=np.exp(-np.maximum(log_e, 0.0)), log_e=log_e)


TESTS_OF_VOTES = {
    "binomial": _binomial_test,
    "e_process": _e_process_test,
    "e_strength": _e_strength_test,
}
"""Tests that are for pairwise votes only, by name."""


def _pairing_words(setting: Setting) -> tuple[str, ...]:
    """What is assumed of who meets whom, where nobody says it."""
    if setting.votes.pairing != "unknown":
        return ()
    return ("Pairs were not chosen by earlier results.",)


def _pairing_notes(votes: Votes, setting: Setting, holds: str = "--anytime") -> tuple[Note, ...]:
    if setting.votes.pairing != "adaptive":
        return ()
    text = "Earlier results chose which models met: no level is assured. In simulated arenas, 95 % "
    largest = votes.largest_weight
    if largest is None:
        text += "statements held in 70 to 97 %. "
    elif largest <= MOST_WEIGHT:
        text += (
            "statements held in 92 to 97 % where the weights are one over the probability with "
            "which a pair was chosen, and a tenth of all pairs was chosen with equal chances. "
        )
    else:
        text += (
            "statements of fits weighted by one over the probability of a pair held in 92 to 97 % "
            "where a tenth of all pairs was chosen with equal chances, and in fewer where a "
            f"fiftieth was. Here one vote weighs {largest:,.0f} times the mean; at most "
            f"{MOST_WEIGHT} times is needed. "
        )
    return (Note("adaptive-pairs", f"{text}{holds} holds, and is wider."),)


def _votes(evidence: Evidence, test: str) -> Votes:
    if isinstance(evidence, Votes):
        return evidence
    raise OptionError(f"Test {test!r} is for pairwise votes; this task has none. Use --test auto.")


def _without_model(votes: Votes, setting: Setting, test: str) -> tuple[Votes, Tested]:
    """The votes that tests of single pairs count, and what these tests share.

    They need no strengths, which are shown where there are some.
    """
    if setting.votes.cap is not None or setting.votes.suspect_weight is not None:
        raise OptionError(
            f"Test {test!r} counts votes, and a cap or a weight of suspects (--cap, "
            "--suspect-weight) weighs them. Leave these out, or use a fit: --test z."
        )
    counts = tally(votes, setting.votes)
    notes: tuple[Note, ...] = ()
    suspects = None
    if counts.first.size and find_components(counts).component.max(initial=0) == 0:
        fit = fit_tally(counts, setting.votes, setting.key)
        mean = fit.strength
        suspects, notes = find_suspects(votes, setting.votes, fit)
    else:
        mean = _win_odds(votes)
        text = (
            "The votes do not put all models on one scale, so there are no strengths yet; shown "
            "is the log odds of each model's own share of wins. Ranks do not use it."
        )
        notes = (Note("no-strengths", text),)
    used, note = _count_once(votes, setting)
    if votes.ballots is not None and votes.ballots.covariate_names:
        adjusted = ", ".join(votes.ballots.covariate_names)
        text = f"Tests of single pairs do not adjust for {adjusted}; only the strengths shown do."
        notes = (*notes, Note("controls-ignored", text))
    missing = np.full(mean.shape, np.nan)
    return used, Tested(
        ModelSummary(mean, missing, missing),
        None,
        (
            "Better means: preferred in more than half of the votes between the two that have a "
            "winner. No model links the pairs.",
            "A vote between two models, given all votes before it, favours the one that is not "
            "better with probability at most one half; who meets whom may depend on the past."
            if test == "e_process"
            else "Votes of a pair are independent of each other.",
        ),
        notes=(*notes, *note),
        rows=round(float(used.wins.sum())),
        suspects=suspects,
    )


def _count_once(votes: Votes, setting: Setting) -> tuple[Votes, tuple[Note, ...]]:
    """The votes with one of each voter and each prompt on every pair, and a note on the others.

    Further votes on a pair by a voter, or on one prompt, depend on the first one. The first in
    the order of the file is kept, so that files that grow keep what they had.
    """
    names = tuple(name for name in choose_clusters(votes, setting.votes) if name != "vote")
    if votes.ballots is None or not names:
        return votes, ()
    decided = (votes.ballots.outcome == WIN) | (votes.ballots.outcome == LOSS)
    ballots = votes.ballots.take(decided)
    low = np.minimum(ballots.first, ballots.second)
    pair = low * len(votes.models) + np.maximum(ballots.first, ballots.second)
    first = keep_first_of_each(pair, [ballots.labels[name].codes for name in names])
    kept = replace(ballots.take(first), votes=None)
    left_out = int(ballots.counts.sum()) - kept.first.size
    if not left_out:
        return votes, ()
    words = " and each of the ".join(CLUSTER_WORDS[name] for name in names)
    text = (
        f"{left_out:,} of {int(ballots.counts.sum()):,} decided votes do not count here: on each "
        f"pair of models the first vote of each of the {words} does, because further ones depend "
        "on it."
    )
    return Votes.from_ballots(votes.models, kept), (Note("repeated-votes", text),)


def _win_odds(votes: Votes) -> NDArray[np.float64]:
    won, lost = votes.wins.sum(axis=1), votes.wins.sum(axis=0)
    odds = np.log((won + 0.5) / (lost + 0.5))
    return np.asarray(odds - odds.mean())


def _few_votes(votes: Votes) -> tuple[Note, ...]:
    few = names_where(votes.models, votes.met.sum(axis=1) < _FEW_VOTES)
    text = f"Fewer than {_FEW_VOTES} votes: the normal approximation is rough here."
    return (Note("few-votes", text, models=few),) if few else ()
