"""Strengths from votes, and how sure they are: one fit, one covariance, and what they assume."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import Note
from rankbars.data.spec import VoteOptions
from rankbars.data.taskresult import Effects
from rankbars.data.votes import Votes, controls_of, labels_of
from rankbars.errors import DataError
from rankbars.stats.pairwise.estimates import z_from_cov
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.votes.votecounts import VoteCounts
from rankbars.stats.votes.votefit import VoteFit
from rankbars.stats.votes.votemodels import fit_bradley_terry, fit_davidson, fit_rao_kupper
from rankbars.steps.testrows import Setting
from rankbars.steps.votes.tallies import MIN_CLUSTERS, choose_clusters, tally
from rankbars.steps.votes.voteerrors import VoteErrors, measure_errors

__all__ = ["FITS", "Strengths", "contrast_statistics", "fit_strengths", "fit_tally"]

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
        Degrees of freedom behind the covariance; infinite for independent votes.
    reach : array of float, shape (M,)
        Effective number of clusters behind each model that has fewer than others, which its
        errors rest on; infinite for the others, 0 where there are too few.
    hidden : array of float, shape (M,)
        Factor by which the variance between so few clusters is too small; 1 for the others.
    clusters : tuple of str
        What votes were clustered by.
    assumptions : tuple of str
        What must hold.
    notes : tuple of Note
        What must be said.
    groups : array of int, shape (M,)
        Groups of models that enough votes join; 0 is the largest. Nothing is known about
        differences between groups.
    effects : Effects or None
        What the votes were adjusted for.
    """

    counts: VoteCounts
    fit: VoteFit
    covariance: NDArray[np.float64]
    df: float
    reach: NDArray[np.float64]
    hidden: NDArray[np.float64]
    clusters: tuple[str, ...]
    assumptions: tuple[str, ...]
    notes: tuple[Note, ...]
    groups: NDArray[np.int64]
    effects: Effects | None = None


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
    fit = fit_tally(counts, options, setting.key, controls_of(votes))
    errors = measure_errors(votes, options, setting, counts, fit, names)
    return Strengths(
        counts,
        fit,
        errors.covariance,
        errors.df,
        np.full(fit.strength.size, np.inf) if errors.reach is None else errors.reach,
        np.ones(fit.strength.size) if errors.hidden is None else errors.hidden,
        names,
        (*_model_words(votes, options), errors.assumption),
        (*errors.notes, *_model_notes(votes, options, names)),
        np.zeros(fit.strength.size, dtype=np.int64) if errors.groups is None else errors.groups,
        _effects(votes, counts, fit, errors),
    )


def _effects(votes: Votes, counts: VoteCounts, fit: VoteFit, errors: VoteErrors) -> Effects | None:
    """What the votes were adjusted for, with its errors; None where there is nothing."""
    names = controls_of(votes)
    if not names:
        return None
    met = counts.weight.sum(axis=0)
    spread = np.sqrt(met @ counts.covariates**2 / met.sum())
    se = np.full(fit.effect.size, np.nan) if errors.effect_se is None else errors.effect_se
    df = errors.df if errors.df == errors.df else np.inf
    return Effects(names, fit.effect, se, df, spread)


def contrast_statistics(found: Strengths) -> PairStatistics:
    """Statistics of all differences of strengths.

    Models whose votes come from few clusters have few degrees of freedom: those of the effective
    number of clusters behind the model that has fewer; their variances are raised by what so few
    clusters hide.
    """
    size = found.fit.strength.size
    counts, met = found.counts, np.zeros((size, size))
    np.add.at(met, (counts.first, counts.second), counts.weight.sum(axis=0))
    n = np.rint(met + met.T).astype(np.int64)
    if not np.isfinite(found.covariance).all():
        diff = found.fit.strength[:, None] - found.fit.strength
        se = np.full((size, size), np.nan)
        np.fill_diagonal(se, 0.0)
        never = np.zeros((size, size), dtype=np.bool_)
        return PairStatistics(diff, se, np.zeros((size, size)), np.inf, n, never, never)
    joined = found.groups[:, None] == found.groups
    # Between groups the variance is zero up to rounding, which may fall on either side.
    covariance = np.where(joined, found.covariance, 0.0)
    pairs = z_from_cov(found.fit.strength, covariance)._replace(df=found.df, n=n)
    if np.isinf(found.reach).all() and not found.groups.any():
        return pairs
    reach = np.minimum(found.reach[:, None], found.reach)
    df = np.minimum(found.df, reach - 1)
    known = (df >= 1) & joined
    np.fill_diagonal(known, True)
    raised = np.maximum(found.hidden[:, None], found.hidden)
    if np.isfinite(found.df):
        raised = raised * found.df / (found.df + 1)
    factor = np.sqrt(np.where(df >= 1, np.maximum(raised, 1.0), 1.0))
    return pairs._replace(
        se=np.where(known, pairs.se * factor, np.nan),
        statistic=np.where(known, pairs.statistic / factor, 0.0),
        df=np.maximum(df, 1.0),
    )


def fit_tally(
    counts: VoteCounts, options: VoteOptions, task: str = "", controls: tuple[str, ...] = ()
) -> VoteFit:
    """Fit of counts; raises `DataError` that names the task, and the control that is at fault."""
    try:
        return FITS[options.ties](counts, ridge=options.ridge)
    except DataError as error:
        text = str(error)
        for number, name in enumerate(controls):
            text = text.replace(f"Covariate number {number} ", f"The control {name!r} ")
        raise DataError(f"Task {task!r}: {text}" if task else text) from error


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
    if options.reweight == "uniform":
        words.append(
            "Every pair of models weighs alike, however often the two met; one with fewer than 50 "
            "votes less. Strengths are those that fit such pairs best."
        )
    if controls_of(votes):
        names = ", ".join(controls_of(votes))
        words.append(f"Strengths are those of answers that do not differ in: {names}.")
    return tuple(words)


def _model_notes(votes: Votes, options: VoteOptions, clusters: tuple[str, ...]) -> tuple[Note, ...]:
    notes = []
    if options.ridge > 0:
        text = (
            f"Strengths are drawn together by a ridge of {options.ridge:g}: they, and their "
            "differences, are too small, and intervals speak of the penalised strengths."
        )
        notes.append(Note("ridge", text))
    if votes.wins.sum() == 0:
        text = "Every vote is a tie: nothing can tell these models apart."
        notes.append(Note("all-ties", text))
    judges, prompts = map(labels_of(votes).get, ("judge", "prompt"))
    if judges is not None and judges.groups == 1:
        text = "All votes come from one voter: the results are about that voter's preferences."
        notes.append(Note("one-voter", text))
    elif judges is not None and judges.groups < MIN_CLUSTERS:
        text = (
            f"{judges.groups} voters: too few to say that other voters would agree. The results "
            "are about these."
        )
        notes.append(Note("few-voters", text))
    if prompts is not None and prompts.groups < MIN_CLUSTERS and "prompt" not in clusters:
        what = "1 prompt" if prompts.groups == 1 else f"{prompts.groups} prompts"
        text = f"{what}: too few to say that other prompts would agree. The results are about "
        notes.append(Note("few-prompts", text + ("it." if prompts.groups == 1 else "these.")))
    return tuple(notes)
