"""Strengths from votes, and how sure they are: one fit, one covariance, and what they assume."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.voteoptions import VoteOptions
from rankbars.data.votes import Votes
from rankbars.errors import DataError
from rankbars.stats.votes.bradleyterry import fit_bradley_terry
from rankbars.stats.votes.ties import fit_davidson, fit_rao_kupper
from rankbars.stats.votes.voteclusters import ClusterCounts
from rankbars.stats.votes.votecovariance import (
    cluster_covariance,
    model_covariance,
    sandwich_covariance,
)
from rankbars.stats.votes.votefit import VoteFit
from rankbars.stats.votes.votehealth import design_effect
from rankbars.stats.votes.voteresample import VoteDraws, bootstrap_clusters, bootstrap_votes
from rankbars.stats.votes.voterows import VoteCounts
from rankbars.steps.tallies import (
    CLUSTER_WORDS,
    MIN_CLUSTERS,
    choose_clusters,
    tally,
    tally_clusters,
)
from rankbars.steps.tested import Setting

__all__ = ["FITS", "Strengths", "fit_strengths", "fit_tally"]

FITS = {
    "half": fit_bradley_terry,
    "drop": fit_bradley_terry,
    "rao-kupper": fit_rao_kupper,
    "davidson": fit_davidson,
}


class Strengths(NamedTuple):
    """Fitted strengths of all models of a task.

    Attributes
    ----------
    counts : VoteCounts
        The votes that were fitted.
    fit : VoteFit
        Their fit.
    covariance : array of float, shape (M, M)
        Covariance of the strengths; NaN where nothing supports one.
    df : float
        Degrees of freedom behind it; infinite for independent votes.
    clusters : tuple of str
        What votes were clustered by.
    assumptions : tuple of str
        What must hold.
    notes : tuple of (str, str)
        What must be said: code and message.
    """

    counts: VoteCounts
    fit: VoteFit
    covariance: NDArray[np.float64]
    df: float
    clusters: tuple[str, ...]
    assumptions: tuple[str, ...]
    notes: tuple[tuple[str, str], ...]


class _Spread(NamedTuple):
    covariance: NDArray[np.float64]
    df: float
    assumption: str
    notes: tuple[tuple[str, str], ...] = ()


def fit_strengths(votes: Votes, options: VoteOptions, setting: Setting) -> Strengths:
    """Strengths of models whose votes are connected.

    Parameters
    ----------
    votes : Votes
        Votes that put all models on one scale.
    options : VoteOptions
        Ties, covariance, clusters and ridge.
    setting : Setting
        Seed, number of resamples and key, for the bootstrap.

    Raises
    ------
    DataError
        If a strength, a tie parameter or the effect of a covariate has no finite value.
    OptionError
        If clusters are asked for that the votes do not name.
    ConvergenceError
        If the fit does not converge.
    """
    counts = tally(votes, options)
    names = choose_clusters(votes, options)
    fit = fit_tally(counts, options, setting.key)
    spread = _spread(votes, options, setting, counts, fit, names)
    return Strengths(
        counts,
        fit,
        spread.covariance,
        spread.df,
        names,
        (*_model_words(votes, options), spread.assumption),
        (*spread.notes, *_model_notes(votes, options)),
    )


def fit_tally(counts: VoteCounts, options: VoteOptions, task: str = "") -> VoteFit:
    """Fit of counts; raises `DataError` that names the task."""
    try:
        return FITS[options.ties](counts, ridge=options.ridge)
    except DataError as error:
        raise DataError(f"Task {task!r}: {error}" if task else str(error)) from error


def _spread(
    votes: Votes,
    options: VoteOptions,
    setting: Setting,
    counts: VoteCounts,
    fit: VoteFit,
    names: tuple[str, ...],
) -> _Spread:
    if options.covariance == "bootstrap":
        return _bootstrap(votes, options, setting, counts, fit, names)
    if names:
        return _clustered(votes, options, fit, names)
    if options.covariance == "hessian":
        words = "Votes are independent, and the model of the votes holds as it stands."
        return _Spread(_strengths_only(model_covariance(fit), counts), np.inf, words)
    words = "Votes are independent of each other; nothing else is assumed about their variation."
    return _Spread(_strengths_only(sandwich_covariance(counts, fit), counts), np.inf, words)


def _clustered(votes: Votes, options: VoteOptions, fit: VoteFit, names: tuple[str, ...]) -> _Spread:
    parts = [tally_clusters(votes, options, (name,)) for name in names]
    groups = min(part.n_clusters for part in parts)
    words = " and the ".join(
        f"{part.n_clusters:,} {CLUSTER_WORDS[name]}"
        for name, part in zip(names, parts, strict=True)
    )
    assumption = f"The {words} are independent draws; votes of one may depend on each other."
    if names == ("vote",):
        assumption = "Votes are independent of each other."
    size = fit.strength.size
    if groups < MIN_CLUSTERS:
        note = (
            "few-clusters",
            f"{groups} {CLUSTER_WORDS[names[0]]}: fewer than {MIN_CLUSTERS} cannot show any model "
            "better than another.",
        )
        return _Spread(np.full((size, size), np.nan), np.nan, assumption, (note,))
    covariance = cluster_covariance(parts[0], fit)
    if len(parts) == 2:
        both = tally_clusters(votes, options, names)
        covariance = covariance + cluster_covariance(parts[1], fit) - cluster_covariance(both, fit)
        covariance = _without_negative(covariance)
    kept = covariance[:size, :size]
    return _Spread(
        kept, float(groups - 1), assumption, _width_note(votes, options, fit, kept, names)
    )


def _width_note(
    votes: Votes,
    options: VoteOptions,
    fit: VoteFit,
    covariance: NDArray[np.float64],
    names: tuple[str, ...],
) -> tuple[tuple[str, str], ...]:
    """What clusters do to the intervals."""
    if names == ("vote",):
        return ()
    counts = tally(votes, options)
    effect = design_effect(covariance, _strengths_only(sandwich_covariance(counts, fit), counts))
    words = " and ".join(CLUSTER_WORDS[name] for name in names)
    text = (
        f"Intervals allow for votes that depend on each other within {words}: variances are "
        f"{effect:.1f} times those of independent votes."
    )
    return (("clustered-votes", text),)


def _bootstrap(
    votes: Votes,
    options: VoteOptions,
    setting: Setting,
    counts: VoteCounts,
    fit: VoteFit,
    names: tuple[str, ...],
) -> _Spread:
    key = ("strengths", setting.key)
    df = np.inf
    if names:
        clusters: ClusterCounts = tally_clusters(votes, options, names)
        drawn: VoteDraws = bootstrap_clusters(clusters, fit, setting.resamples, setting.seed, key)
        what, df = CLUSTER_WORDS[names[0]], float(clusters.n_clusters - 1)
    else:
        drawn = bootstrap_votes(counts, fit, setting.resamples, setting.seed, key)
        what = "votes"
    kept = drawn.strength.shape[0]
    notes: tuple[tuple[str, str], ...] = ()
    if drawn.without_fit:
        text = (
            f"{drawn.without_fit:,} of {setting.resamples:,} resamples put no finite strength on "
            "some model and were left out, so the errors of such models are too small. Use "
            "--covariance sandwich."
        )
        notes = (("resamples-without-fit", text),)
    if kept < 2:
        raise DataError(
            f"Task {setting.key!r}: {kept} of {setting.resamples:,} resamples could be fitted, too "
            "few for a bootstrap. Use --covariance sandwich."
        )
    return _Spread(
        np.cov(drawn.strength, rowvar=False).reshape(counts.n_models, counts.n_models),
        df,
        f"The {what} are independent draws; strengths vary as over {kept:,} resamples of them.",
        notes,
    )


def _strengths_only(covariance: NDArray[np.float64], counts: VoteCounts) -> NDArray[np.float64]:
    return covariance[: counts.n_models, : counts.n_models]


def _without_negative(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """The nearest matrix that is a covariance; sums of three need not be one."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray((vectors * np.clip(values, 0.0, None)) @ vectors.T)


def _model_words(votes: Votes, options: VoteOptions) -> tuple[str, ...]:
    tied = votes.ties is not None or (votes.both_bad is not None and options.both_bad == "tie")
    bad = votes.both_bad is not None
    model = {
        "half": "Bradley and Terry's model",
        "drop": "Bradley and Terry's model",
        "rao-kupper": "Rao and Kupper's model, with a threshold for ties",
        "davidson": "Davidson's model, with a parameter for ties",
    }[options.ties]
    words = [
        f"Strengths are those of {model} that fit these votes best; their differences are log odds."
    ]
    if tied and options.ties == "half":
        words.append("A tie counts as half a win for either side.")
    if tied and options.ties == "drop":
        words.append("Only votes with a winner count; ties are left out.")
    if bad and options.ties != "drop":
        words.append(
            "A vote that both are bad counts as a tie."
            if options.both_bad == "tie"
            else "Votes that both are bad are left out."
        )
    if votes.ballots is not None and votes.ballots.covariate_names:
        names = ", ".join(votes.ballots.covariate_names)
        words.append(f"Strengths are those of answers that do not differ in: {names}.")
    return tuple(words)


def _model_notes(votes: Votes, options: VoteOptions) -> tuple[tuple[str, str], ...]:
    notes = []
    if options.ridge > 0:
        notes.append(
            (
                "ridge",
                f"Strengths are drawn together by a ridge of {options.ridge:g}: they, and their "
                "differences, are too small, and intervals speak of the penalised strengths.",
            )
        )
    if votes.wins.sum() == 0:
        notes.append(("all-ties", "Every vote is a tie: nothing can tell these models apart."))
    ballots = votes.ballots
    judges = None if ballots is None else ballots.labels.get("judge")
    if judges is not None and judges.groups == 1:
        text = "All votes come from one voter: the results are about that voter's preferences."
        notes.append(("one-voter", text))
    elif judges is not None and judges.groups < MIN_CLUSTERS:
        text = (
            f"{judges.groups} voters: too few to say that other voters would agree. The results "
            "are about these."
        )
        notes.append(("few-voters", text))
    return tuple(notes)
