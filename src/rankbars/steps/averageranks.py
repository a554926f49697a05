"""Ranks on an average: from its contrasts by the one rule, or a band counted in its draws."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.contrasts import Contrasts
from rankbars.data.draws import Draws
from rankbars.data.evidence import Estimates, Evidence, Items
from rankbars.data.intervals import Scope
from rankbars.data.notes import Note
from rankbars.errors import DataError, OptionError
from rankbars.stats.averaging.allpairs import maximum_contrasts, maximum_paired_contrasts
from rankbars.stats.pairwise.pairs import PairStatistics
from rankbars.stats.ranks import RankBounds, rank_bounds
from rankbars.stats.resampling.distributions import contrast_covariance, symmetric_root
from rankbars.stats.resampling.taskmeans import fewest_draws
from rankbars.steps.corrections import (
    Family,
    simultaneous_order,
    strict_correction,
    take_correction,
)
from rankbars.steps.plans import Estimate, Sampling

__all__ = ["AverageRanks", "average_contrasts", "average_ranks"]

BAND = "bootstrap_band"
_BAND_NOTE = Note(
    "average-band",
    "Ranks on this average are bands counted in draws, not confidence intervals: tied models are "
    "missed far more often than the level suggests, and nothing is claimed about pairs.",
)
_RANGE_NOTE = Note(
    "average-band",
    "Over items, ranks and wins are counted in draws: their intervals, and the ranks that follow, "
    "are ranges of draws and not confidence intervals. Models that are close or tied are missed "
    "far more often than the level suggests, and nothing is claimed about pairs.",
)


class AverageRanks(NamedTuple):
    """Ends of the rank intervals, what is claimed for all pairs at once, and notes.

    `counted` says that the ends are counted in draws.
    """

    bounds: RankBounds
    shown_better: NDArray[np.bool_]
    notes: tuple[Note, ...]
    counted: bool = False


def average_ranks(
    found: Estimate,
    models: tuple[str, ...],
    correction: str,
    scope: Scope,
    sampling: Sampling,
    draws: Draws | None,
) -> AverageRanks:
    """Where each model's rank on the average may lie.

    Parameters
    ----------
    found : Estimate
        The average.
    models : tuple of str
        The M models.
    correction, scope
        How contrasts are corrected, and for whom the guarantee holds.
    sampling : Sampling
        Seed, resamples and error rate.
    draws : Draws, optional
        Draws of the average.
    """
    size = len(models)
    notes = list(_absence(found, models))
    if found.pairs is None:
        bounds = _band(draws, size, sampling.alpha)
        shown = np.zeros((size, size), dtype=np.bool_)
        posterior = found.source in ("posterior", "predictive")
        note = _BAND_NOTE if posterior else _RANGE_NOTE
        return AverageRanks(bounds, shown, (note, *notes), counted=True)
    present = np.flatnonzero(~np.isnan(found.summary.mean))
    if not present.size:
        return AverageRanks(_anywhere(size), np.zeros((size, size), np.bool_), tuple(notes))
    family = _family(found, found.pairs, models, correction, sampling).among(present)
    # What stands in shown_better is claimed for all pairs at once, whatever was asked for.
    strict = take_correction(strict_correction(correction))(family, "all", sampling.alpha)
    relation = strict.decisions.shown_better
    if relation is None:
        raise OptionError(f"Correction {correction!r} does not say which models are better.")
    order, cycles = simultaneous_order(relation)
    shown = np.zeros((size, size), dtype=np.bool_)
    shown[np.ix_(present, present)] = order
    notes = [_cycle(models, present, members) for members in cycles] + notes
    if correction == BAND:
        bounds = _band(draws, size, sampling.alpha)
        return AverageRanks(bounds, shown, (_BAND_NOTE, *notes), counted=True)
    if scope == "all" and correction != "none":
        return AverageRanks(rank_bounds(shown), shown, tuple(notes))
    corrected = take_correction(correction)(family, scope, sampling.alpha)
    notes.extend(
        Note(code, text, models=tuple(models[present[i]] for i in members))
        for code, text, members in corrected.notes
    )
    best, worst = _anywhere(size)
    best[present] = 1 + corrected.decisions.better
    worst[present] = size - corrected.decisions.worse
    return AverageRanks(RankBounds(best, worst), shown, tuple(notes))


def average_contrasts(
    found: Estimate,
    models: tuple[str, ...],
    correction: str,
    sampling: Sampling,
    scale: Literal["difference", "log ratio"],
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> Contrasts | None:
    """Differences of all pairs, with intervals under the correction that was asked for.

    `bounds` are the least and the greatest average there can be, as they are shown.
    """
    if found.pairs is None or np.isnan(found.summary.mean).all():
        return None
    for table in (found.pairs.diff, found.pairs.se, found.pairs.statistic):
        table.setflags(write=False)  # nobody else holds them, so they need not be copied
    largest = _largest(bounds, scale)
    if correction.startswith("maxt"):
        maxima = _maxima(found, found.pairs, sampling)
        return Contrasts(models, found.pairs, sampling.alpha, "maxt", scale, maxima, largest)
    kept: Literal["holm", "bonferroni", "none"] = "holm"
    if correction == "none":
        kept = "none"
    elif correction == "bonferroni":
        kept = "bonferroni"
    return Contrasts(models, found.pairs, sampling.alpha, kept, scale, largest=largest)


def _largest(bounds: tuple[float, float], scale: Literal["difference", "log ratio"]) -> float:
    """The largest contrast between two averages within `bounds`."""
    low, high = bounds
    if scale == "difference":
        return high - low
    return float(np.log(high / low)) if low > 0 and np.isfinite(high) else np.inf


def _band(draws: Draws | None, size: int, alpha: float) -> RankBounds:
    if draws is None or draws.size < fewest_draws(alpha):
        return _anywhere(size)
    return draws.rank_band(alpha)


def _anywhere(size: int) -> RankBounds:
    return RankBounds(np.ones(size, dtype=np.int64), np.full(size, size, dtype=np.int64))


def _family(
    found: Estimate,
    pairs: PairStatistics,
    models: tuple[str, ...],
    correction: str,
    sampling: Sampling,
) -> Family:
    evidence = _evidence(found, pairs, models) if correction.startswith("maxt") else None
    return Family(
        pairs.statistic,
        pairs.df,
        None,
        pairs.se,
        evidence,
        "average",
        sampling.seed,
        sampling.resamples,
    )


def _evidence(found: Estimate, pairs: PairStatistics, models: tuple[str, ...]) -> Evidence:
    """What max-T resamples: tasks, or scores with the covariance of the average."""
    present = np.flatnonzero(~np.isnan(found.summary.mean))
    names = tuple(models[i] for i in present)
    if found.rows is not None:
        return Items(names, found.rows[:, present])
    cov = _covariance(found, pairs, present)
    try:
        return Estimates(names, found.summary.mean[present], cov=cov)
    except DataError as error:
        raise OptionError(_INCOMPLETE) from error


_INCOMPLETE = (
    "max-T on the average needs complete scores. Use --missing listwise, fail, drop_models or "
    "bounds, or --correction holm."
)


def _covariance(
    found: Estimate, pairs: PairStatistics, present: NDArray[np.intp]
) -> NDArray[np.float64]:
    return contrast_covariance(
        np.square(found.summary.se[present]), np.square(pairs.se[np.ix_(present, present)])
    )


def _maxima(found: Estimate, pairs: PairStatistics, sampling: Sampling) -> NDArray[np.float64]:
    present = np.flatnonzero(~np.isnan(found.summary.mean))
    block = np.ix_(present, present)
    se = pairs.se[block]
    usable = np.isfinite(se) & (se > 0)
    streams = sampling.streams("average", "maximum")
    if found.rows is not None:
        rows = found.rows[:, present]
        return maximum_paired_contrasts(rows, usable, streams, sampling.resamples)
    cov = _covariance(found, pairs, present)
    if not np.isfinite(cov).all():
        raise OptionError(_INCOMPLETE)
    df = np.broadcast_to(np.asarray(pairs.df, dtype=np.float64), pairs.se.shape)[block][usable]
    least = float(np.min(df[df > 0], initial=np.inf))  # tails as heavy as those of any pair
    return maximum_contrasts(symmetric_root(cov).root, se, streams, sampling.resamples, least)


def _absence(found: Estimate, models: tuple[str, ...]) -> tuple[Note, ...]:
    absent = tuple(name for i, name in enumerate(models) if np.isnan(found.summary.mean[i]))
    if not absent:
        return ()
    message = (
        "No score on some task, so no average: may stand anywhere on it, and stands in the first "
        "tier, because nothing was shown to be better."
    )
    return (Note("no-average", message, models=absent),)


def _cycle(models: tuple[str, ...], present: NDArray[np.intp], members: list[int]) -> Note:
    return Note(
        "cycle",
        "On the average these models were each shown better than another in a circle, so at "
        "least one of the findings is false. Nothing is claimed among them.",
        models=tuple(models[present[i]] for i in members),
    )
