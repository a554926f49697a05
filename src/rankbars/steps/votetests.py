"""Tests of votes: strengths with their covariance, single pairs, evidence at any time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Estimates, Evidence
from rankbars.data.votes import Votes
from rankbars.errors import OptionError
from rankbars.stats.pairwise.estimates import z_from_cov
from rankbars.stats.pairwise.pairs import PairStatistics
from rankbars.stats.pairwise.summaries import ModelSummary
from rankbars.stats.votes.binomial import pair_p_values
from rankbars.stats.votes.connectivity import find_components
from rankbars.stats.votes.eprocess import log_e_better
from rankbars.steps.components import connected_models
from rankbars.steps.strengths import Strengths, fit_strengths, fit_tally
from rankbars.steps.tallies import count_used, tally
from rankbars.steps.tested import Setting, Tested

__all__ = ["binomial_test", "e_process_test", "strength_test"]

_FEW_VOTES = 20


def strength_test(votes: Votes, setting: Setting) -> Tested:
    """Contrasts of Bradley–Terry strengths with their covariance."""
    size = len(votes.models)
    chosen = connected_models(votes, setting.votes, setting.key)
    kept = votes if chosen.size == size else votes.take(chosen)
    found = fit_strengths(kept, setting.votes, setting)
    pairs = _contrasts(found, kept)
    variance = np.diag(found.covariance)
    # Votes that do not vary, such as ties only, say nothing about how sure a strength is.
    se = np.sqrt(np.where(variance > 0, variance, np.nan))
    summary = ModelSummary(found.fit.strength, se, np.full(se.shape, found.df))
    known = np.isfinite(found.covariance).all()
    tested = Tested(
        summary,
        pairs,
        found.assumptions,
        notes=found.notes,
        about=_few_votes(kept),
        fitted=Estimates(kept.models, found.fit.strength, cov=found.covariance if known else None),
        rows=count_used(kept, setting.votes),
    )
    if chosen.size == size:
        return tested
    out = np.setdiff1d(np.arange(size), chosen)
    text = (
        f"Left out, because the votes do not put them on one scale with the other {chosen.size} "
        "models; ranks are among those."
    )
    return tested._replace(
        kept=chosen, about=(*tested.about, ("not-connected", text, tuple(out.tolist())))
    )


def binomial_test(evidence: Evidence, setting: Setting) -> Tested:
    """Exact test of each pair from its own decided votes; no model links the pairs."""
    votes = _votes(evidence, "binomial")
    clustered = votes.ballots is not None and bool(votes.ballots.labels)
    notes = []
    if clustered:
        notes.append(
            (
                "clusters-ignored",
                "Votes of one voter or prompt may depend on each other, which the binomial test "
                "ignores: its intervals are too short. Use --test z.",
            )
        )
    if votes.ballots is not None and votes.ballots.weight is not None:
        raise OptionError("Test 'binomial' counts votes, and these have weights. Use --test z.")
    tested = _without_model(votes, setting, "binomial")
    return tested._replace(
        exact_p=pair_p_values(np.rint(votes.wins)),
        notes=(*tested.notes, *notes),
        guaranteed=not clustered,
    )


def e_process_test(evidence: Evidence, setting: Setting) -> Tested:
    """E-processes of wins and losses of each pair, valid however often one looks."""
    votes = _votes(evidence, "e_process")
    if votes.ballots is not None and votes.ballots.weight is not None:
        raise OptionError("Test 'e_process' counts votes, and these have weights.")
    log_e = log_e_better(votes.wins, votes.wins.T)
    np.fill_diagonal(log_e, 0.0)
    tested = _without_model(votes, setting, "e_process")
    return tested._replace(exact_p=np.exp(-np.maximum(log_e, 0.0)), log_e=log_e)


def _votes(evidence: Evidence, test: str) -> Votes:
    if isinstance(evidence, Votes):
        return evidence
    raise OptionError(f"Test {test!r} is for pairwise votes; this task has none. Use --test auto.")


def _contrasts(found: Strengths, votes: Votes) -> PairStatistics:
    if not np.isfinite(found.covariance).all():
        size = found.fit.strength.size
        diff = found.fit.strength[:, None] - found.fit.strength
        se = np.full((size, size), np.nan)
        np.fill_diagonal(se, 0.0)
        never = np.zeros((size, size), dtype=np.bool_)
        return PairStatistics(diff, se, np.zeros((size, size)), np.inf, 0, never, never)
    pairs = z_from_cov(found.fit.strength, found.covariance)
    return pairs._replace(df=found.df, n=np.rint(votes.met).astype(np.int64))


def _without_model(votes: Votes, setting: Setting, test: str) -> Tested:
    """What tests of single pairs share: they need no strengths, which are shown where there are."""
    counts = tally(votes, setting.votes)
    notes: tuple[tuple[str, str], ...] = ()
    if counts.first.size and find_components(counts).component.max(initial=0) == 0:
        mean = fit_tally(counts, setting.votes, setting.key).strength
    else:
        mean = _win_odds(votes)
        text = (
            "The votes do not put all models on one scale, so there are no strengths yet; shown "
            "is the log odds of each model's own share of wins. Ranks do not use it."
        )
        notes = (("no-strengths", text),)
    missing = np.full(mean.shape, np.nan)
    return Tested(
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
        notes=notes,
        rows=round(float(votes.wins.sum())),
    )


def _win_odds(votes: Votes) -> NDArray[np.float64]:
    won, lost = votes.wins.sum(axis=1), votes.wins.sum(axis=0)
    odds = np.log((won + 0.5) / (lost + 0.5))
    return np.asarray(odds - odds.mean())


def _few_votes(votes: Votes) -> tuple[tuple[str, str, tuple[int, ...]], ...]:
    few = np.flatnonzero(votes.met.sum(axis=1) < _FEW_VOTES)
    if not few.size:
        return ()
    text = f"Fewer than {_FEW_VOTES} votes: the normal approximation is rough here."
    return (("few-votes", text, tuple(few.tolist())),)
