"""How sure strengths are: their covariance, what it rests on, and what must be said about it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.fields import names_where
from rankbars.data.notes import UNNAMED_VOTERS, Note
from rankbars.data.spec import VoteOptions
from rankbars.data.votes import Votes, labels_of
from rankbars.errors import DataError
from rankbars.stats.votes.connectivity import joined_groups
from rankbars.stats.votes.voteclusters import ClusterCounts, measure_reach
from rankbars.stats.votes.votecounts import VoteCounts
from rankbars.stats.votes.votecovariance import (
    cluster_covariance,
    model_covariance,
    sandwich_covariance,
)
from rankbars.stats.votes.votefit import VoteFit
from rankbars.stats.votes.votequality import design_effect
from rankbars.stats.votes.voterefits import VoteDraws, bootstrap_clusters, bootstrap_votes
from rankbars.steps.testrows import Setting
from rankbars.steps.votes.tallies import CLUSTER_WORDS, MIN_CLUSTERS, tally, tally_clusters

__all__ = ["VoteErrors", "measure_errors"]

Array = NDArray[np.float64]

_ROUNDING = 1e-9


class VoteErrors(NamedTuple):
    """Errors of strengths.

    Attributes
    ----------
    covariance : array of float, shape (M, M)
        Covariance of the strengths; NaN where nothing supports one.
    df : float
        Degrees of freedom behind it; infinite for independent votes.
    assumption : str
        What must hold.
    notes : tuple of Note
        What must be said.
    reach : array of float, shape (M,), optional
        Effective number of clusters behind each model that has fewer than others; infinite for
        the others, 0 where there are too few.
    hidden : array of float, shape (M,), optional
        Factor by which the variance between clusters is too small for each model.
    groups : array of int, shape (M,), optional
        Groups of models that enough votes join; 0 is the largest.
    effect_se : array of float, shape (q,), optional
        Standard errors of the effects of covariates; NaN where nothing supports them.
    """

    covariance: Array
    df: float
    assumption: str
    notes: tuple[Note, ...] = ()
    reach: Array | None = None
    hidden: Array | None = None
    groups: NDArray[np.int64] | None = None
    effect_se: Array | None = None


def measure_errors(
    votes: Votes,
    options: VoteOptions,
    setting: Setting,
    counts: VoteCounts,
    fit: VoteFit,
    names: tuple[str, ...],
) -> VoteErrors:
    """Errors of fitted strengths, by the covariance that `options` name.

    Parameters
    ----------
    votes : Votes
        The votes.
    options : VoteOptions
        Covariance, and conventions for ties.
    setting : Setting
        Seed, number of resamples and key, for the bootstrap.
    counts : VoteCounts
        The votes as they were fitted.
    fit : VoteFit
        Their fit.
    names : tuple of str
        What votes are clustered by: nothing, one kind of label or two.
    """
    nobody = _unnamed_voters(votes, options)
    if names:
        found = _clustered(votes, options, setting, fit, names)
        return found._replace(notes=(*nobody, *found.notes))
    if options.covariance == "bootstrap":
        drawn = bootstrap_votes(counts, fit, setting.resamples, setting.seed, _key(setting))
        words = f"The votes are independent draws; {_resampled(drawn)}"
        spread, lost = _spread_of(drawn, setting), (*nobody, *_lost([drawn], setting))
        # Resamples are of strengths; effects of covariates need the formula.
        se = _effect_errors(sandwich_covariance(counts, fit), counts) if fit.effect.size else None
        return _independent(votes, counts, VoteErrors(spread, np.inf, words, lost, effect_se=se))
    if options.covariance == "hessian":
        words = "Votes are independent, and the model of the votes holds as it stands."
        covariance = model_covariance(fit)
        kept, se = _strengths_only(covariance, counts), _effect_errors(covariance, counts)
        return VoteErrors(kept, np.inf, words, nobody, effect_se=se)
    words = "Votes are independent of each other; nothing else is assumed about their variation."
    covariance = sandwich_covariance(counts, fit)
    kept, se = _strengths_only(covariance, counts), _effect_errors(covariance, counts)
    return _independent(votes, counts, VoteErrors(kept, np.inf, words, nobody, effect_se=se))


def _unnamed_voters(votes: Votes, options: VoteOptions) -> tuple[Note, ...]:
    """A note where nobody says who voted, and nobody says that this does not matter."""
    if options.cluster == "none" or "judge" in labels_of(votes):
        return ()
    text = (
        "Nobody says who cast which vote, so votes of one person count as independent of each "
        "other: where few people cast many, intervals are too short."
    )
    return (Note(UNNAMED_VOTERS, text),)


def _independent(votes: Votes, counts: VoteCounts, found: VoteErrors) -> VoteErrors:
    """The same with the reach of models of independent votes, and groups that only few votes join.

    The fit meets a model's only vote exactly, so that it shows no error, like that of a model
    that only one voter knows. A few votes between two groups are met just as well.
    """
    size = counts.n_models
    total, squares = (
        np.bincount(counts.first, load.sum(axis=0), size)
        + np.bincount(counts.second, load.sum(axis=0), size)
        for load in (counts.weight, counts.squared)
    )
    few = total**2 < (MIN_CLUSTERS - _ROUNDING) * squares
    text = f"Fewer than {MIN_CLUSTERS} votes: too few to show it better or worse than another."
    members = names_where(votes.models, few)
    notes = [Note("few-clusters", text, models=members)] if members else []
    groups = joined_groups(counts, MIN_CLUSTERS)
    for group in range(1, int(groups.max(initial=0)) + 1):
        apart = names_where(votes.models, (groups == group) & ~few)
        if apart:
            words = (
                f"Fewer than {MIN_CLUSTERS} votes join {'these models' if len(apart) > 1 else 'it'}"
                " with the others: too few to show any better or worse than those."
            )
            notes.append(Note("few-votes-between", words, models=apart))
    return found._replace(
        notes=(*found.notes, *notes), reach=np.where(few, 0.0, np.inf), groups=groups
    )


def _clustered(
    votes: Votes, options: VoteOptions, setting: Setting, fit: VoteFit, names: tuple[str, ...]
) -> VoteErrors:
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
        text = (
            f"Fewer than {MIN_CLUSTERS} {CLUSTER_WORDS[names[0]]} (here {groups}) cannot show any "
            "model better than another."
        )
        nothing = np.full((size, size), np.nan)
        return VoteErrors(nothing, np.nan, assumption, (Note("few-clusters", text),))
    if len(parts) == 2:
        parts.append(tally_clusters(votes, options, names))
    reach, hidden, about = _reach(votes, parts[: len(names)], names)
    se = None
    if options.covariance == "bootstrap":
        covariance, words, notes = _bootstrap(parts, fit, setting)
        assumption = f"{assumption} {words}"
    else:
        covariance, notes = _combined([cluster_covariance(part, fit) for part in parts]), ()
        se = _effect_errors(covariance, parts[0].counts)
    if se is None and fit.effect.size:
        formula = _combined([cluster_covariance(part, fit) for part in parts])
        se = _effect_errors(formula, parts[0].counts)
    kept = covariance[:size, :size]
    notes = (*notes, *_width_note(votes, options, fit, kept, names), *about)
    df = float(groups - 1)
    return VoteErrors(kept, df, assumption, notes, reach, hidden, effect_se=se)


def _reach(
    votes: Votes, parts: list[ClusterCounts], names: tuple[str, ...]
) -> tuple[Array, Array, list[Note]]:
    """Effective number of clusters behind models with few of them, and what these hide.

    Models whose votes spread over half of all clusters or more rest on all of them.
    """
    size = len(votes.models)
    reach, hidden = np.full(size, np.inf), np.ones(size)
    about = []
    for name, part in zip(names, parts, strict=True):
        found, words = measure_reach(part), CLUSTER_WORDS[name]
        few = found.number < MIN_CLUSTERS
        thin = few | (found.effective < part.n_clusters / 2)
        reach = np.minimum(reach, np.select([few, thin], [0.0, found.effective], np.inf))
        hidden = np.where(thin, np.maximum(hidden, found.hidden), hidden)
        uneven = thin & ~few & (found.effective < MIN_CLUSTERS)
        for members, text in (
            (
                few,
                f"The votes about this come from fewer than {MIN_CLUSTERS} {words}: too few to "
                "show it better or worse than another.",
            ),
            (
                uneven,
                f"Most votes about this come from so few {words} that they vary as between fewer "
                f"than {MIN_CLUSTERS}: its interval is wide.",
            ),
        ):
            if members.any():
                about.append(Note("few-clusters", text, models=names_where(votes.models, members)))
    return reach, hidden, about


def _combined(parts: list[Array]) -> Array:
    """Covariance from that by one kind of clusters; or by each of two, and by both at once.

    Source for two: Cameron, Gelbach and Miller (2011), Journal of Business & Economic
    Statistics 29, 238-249.
    """
    if len(parts) == 1:
        return parts[0]
    values, vectors = np.linalg.eigh(parts[0] + parts[1] - parts[2])
    # A sum of three need not be a covariance; this is the nearest one.
    return np.asarray((vectors * np.clip(values, 0.0, None)) @ vectors.T)


def _bootstrap(
    parts: list[ClusterCounts], fit: VoteFit, setting: Setting
) -> tuple[Array, str, tuple[Note, ...]]:
    """The same by resampling clusters."""
    drawn = [
        bootstrap_clusters(part, fit, setting.resamples, setting.seed, (*_key(setting), k))
        for k, part in enumerate(parts)
    ]
    spreads = [
        _spread_of(draws, setting) * part.n_clusters / (part.n_clusters - 1)
        for part, draws in zip(parts, drawn, strict=True)
    ]
    words = _resampled(min(drawn, key=lambda draws: draws.strength.shape[0]))
    return _combined(spreads), words[0].upper() + words[1:], _lost(drawn, setting)


def _key(setting: Setting) -> tuple[str, str]:
    return ("strengths", setting.key)


def _resampled(drawn: VoteDraws) -> str:
    return f"strengths vary as over {drawn.strength.shape[0]:,} resamples of them."


def _spread_of(drawn: VoteDraws, setting: Setting) -> Array:
    """Covariance of strengths over resamples; raises `DataError` if too few have a fit."""
    kept, size = drawn.strength.shape
    if kept < 2:
        raise DataError(
            f"Task {setting.key!r}: {kept} of {setting.resamples:,} resamples could be fitted, too "
            "few for a bootstrap. Use --covariance sandwich."
        )
    return np.cov(drawn.strength, rowvar=False).reshape(size, size)


def _lost(drawn: list[VoteDraws], setting: Setting) -> tuple[Note, ...]:
    """A note on resamples without a fit."""
    lost = sum(draws.without_fit for draws in drawn)
    if not lost:
        return ()
    text = (
        f"{lost:,} of {len(drawn) * setting.resamples:,} resamples put no finite strength on "
        "some model and were left out, so the errors of such models are too small. Use "
        "--covariance sandwich."
    )
    return (Note("resamples-without-fit", text),)


def _width_note(
    votes: Votes, options: VoteOptions, fit: VoteFit, covariance: Array, names: tuple[str, ...]
) -> tuple[Note, ...]:
    """What clusters do to the intervals."""
    if names == ("vote",):
        return _unnamed_voters(votes, options)
    counts = tally(votes, options)
    effect = design_effect(covariance, _strengths_only(sandwich_covariance(counts, fit), counts))
    words = " and ".join(CLUSTER_WORDS[name] for name in names)
    text = (
        f"Intervals allow for votes that depend on each other within {words}: variances are "
        f"{effect:.1f} times those of independent votes."
    )
    return (Note("clustered-votes", text),)


def _effect_errors(covariance: Array, counts: VoteCounts) -> Array:
    """Standard errors of the effects of covariates; NaN where they do not vary."""
    first = counts.n_models
    variance = np.diag(covariance)[first : first + counts.covariates.shape[1]]
    return np.sqrt(np.where(variance > 0, variance, np.nan))


def _strengths_only(covariance: Array, counts: VoteCounts) -> Array:
    return covariance[: counts.n_models, : counts.n_models]
