"""Ranks on an average, and its contrasts: which correction decides, and what it shows.

Ranks come from contrasts by the one rule, or are a band counted in draws.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.contrasts import Contrasts
from rankbars.data.draws import Draws
from rankbars.data.evidence import Estimates, Evidence, Items
from rankbars.data.notes import Note
from rankbars.data.spec import Spec, correction_facts
from rankbars.errors import DataError, OptionError
from rankbars.stats.averaging.allpairs import maximum_contrasts, maximum_paired_contrasts
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.ranks import RankBounds, count_bounds, first_bounds
from rankbars.stats.resampling.distributions import contrast_covariance, symmetric_root
from rankbars.stats.resampling.taskmeans import fewest_draws
from rankbars.steps.average.plan import AveragePlan, Estimate
from rankbars.steps.correctionchoice import (
    RESAMPLED,
    SHARPER,
    CorrectionChoice,
    can_flip,
    choose_correction,
    has_one_end,
)
from rankbars.steps.corrections import (
    Corrected,
    Family,
    correct,
    null_draws,
    resample_family,
    substitution,
)
from rankbars.steps.jointclaims import (
    claim_best_alone,
    claim_jointly,
    claim_top_alone,
    cycle_note,
    note_missed,
)
from rankbars.steps.validity import find_cell

__all__ = [
    "AverageRanks",
    "average_contrasts",
    "average_ranks",
    "choose_for_average",
]


def choose_for_average(found: Estimate, plan: AveragePlan) -> tuple[AveragePlan, CorrectionChoice]:
    """The plan with the correction that decides, and what must be said of it."""
    counted = found.pairs is None
    complete = found.samples is not None or found.unread is not None
    raw = plan.over != "items" and plan.method == "mean" and plan.normalise is None
    one_end = raw and found.rows is not None and has_one_end(found.rows)
    runs = plan.over == "items" and found.rows is not None  # one row per run
    choice = choose_correction(
        plan.correction,
        plan.alpha,
        insisted=plan.insisted,
        index=None if counted else found.skewness,
        heavy=found.heavy,
        tailed=found.tailed,
        resampled=complete and not found.clustered,
        clustered=found.clustered,
        flipped=plan.bears and _can_sharpen(found, plan),
        rows=len(found.rows) if (one_end or runs) and found.rows is not None else 0,
        one_end=one_end,
    )
    return plan._replace(correction=choice.correction, shows_nothing=choice.nothing), choice


_USUAL = ("analytic", "t")  # estimators whose contrasts the draws of max-T are those of


_ROWS_PER_MODEL = 5  # with fewer, draws from an estimated covariance claim too much


def _can_sharpen(found: Estimate, plan: AveragePlan) -> bool:
    """Whether max-T is valid on the average and can say more than Holm."""
    count, pairs = found.present.size, found.pairs
    if pairs is None or plan.estimator not in _USUAL or plan.design in (None, "few ranks"):
        return False
    if find_cell("contrasts", SHARPER, plan.scope, plan.design).verdict != "valid":
        return False
    if plan.over != "items" or found.rows is not None:
        rows = 0 if found.rows is None else len(found.rows)
        return can_flip(rows, count, plan.alpha, plan.resamples)
    if not found.whole or plan.method != "mean":
        return False
    df = pairs.freedom[pairs.se > 0]
    least = int(np.nanmin(np.minimum(df, 1e9), initial=1e9))
    enough = least >= _ROWS_PER_MODEL * count
    if not (enough and can_flip(least, count, plan.alpha, plan.resamples)):
        return False
    return _evidence(found, pairs, plan) is not None


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

    `counted` says that the ends are counted in draws; `named` has the ends of each model by itself,
    where `bounds` hold for all at once on a board.
    """

    bounds: RankBounds
    shown_better: NDArray[np.bool_]
    notes: tuple[Note, ...]
    counted: bool = False
    named: RankBounds | None = None


def average_ranks(
    found: Estimate, plan: AveragePlan, draws: Draws | None, board: Spec | None = None
) -> AverageRanks:
    """Where each model's rank on the average may lie.

    Parameters
    ----------
    found : Estimate
        The average.
    plan : AveragePlan
        How it was made; how contrasts are corrected, and for whom the guarantee holds.
    draws : Draws, optional
        Draws of the average.
    board : Spec, optional
        Of the board that the average is part of: there a share of the error rate goes to the set
        of the models that may be first.
    """
    plan, changed = _fitting_plan(found, plan)
    models, correction, alpha = plan.models, plan.correction, plan.alpha
    size, present = len(models), found.present
    notes = [*changed, *_absence(found, models)]
    if found.pairs is None:
        bounds = _band(draws, size, alpha)
        shown = np.zeros((size, size), dtype=np.bool_)
        posterior = found.source in ("posterior", "predictive")
        note = _BAND_NOTE if posterior else _RANGE_NOTE
        return AverageRanks(bounds, shown, (note, *notes), counted=True)
    if not present.size or plan.shows_nothing:
        return AverageRanks(_anywhere(size), np.zeros((size, size), np.bool_), tuple(notes))
    family = _family(found, found.pairs, plan).among(present)
    split = board is not None and plan.scope == "all"
    # What stands in shown_better is claimed for all pairs at once, whatever was asked for.
    claims = claim_jointly(correction, family, alpha, split=split)
    shown = np.zeros((size, size), dtype=np.bool_)
    shown[np.ix_(present, present)] = claims.shown_better
    circles = [tuple(models[i] for i in present[some]) for some in claims.cycles]
    notes = [cycle_note(names, "On the average these") for names in circles] + notes
    if correction == "bootstrap_band":
        bounds = _band(draws, size, alpha)
        return AverageRanks(bounds, shown, (_BAND_NOTE, *notes), counted=True)
    cell = find_cell("contrasts", correction, plan.scope, plan.design)
    if plan.scope == "all" and correction != "none":
        first = np.ones(size, dtype=np.bool_)  # nothing is known of a model without an average
        first[present] = claims.may_be_first
        notes.extend(
            replace(one, message=f"On the average: {one.message}")
            for one in substitution(correction, cell)
        )
        if board is not None and board.top_alone is not None:
            notes.append(claim_top_alone(correction, family, alpha, board.top_alone))
        if board is not None and board.best_alone:
            notes.append(claim_best_alone(correction, family, alpha))
        scores = plan.unit == "score" and (plan.rule.linear or "difference") == "difference"
        if board is not None and scores and present.size > 1 and not shown.any():
            notes.extend(note_missed(correction, family, alpha, "On this average"))
        named = None
        if board is not None and present.size > 2:
            one = find_cell("contrasts", correction, "each", plan.design)
            named = _counted(correct(correction, family, "each", alpha, one), present, size)
        return AverageRanks(first_bounds(shown, first), shown, tuple(notes), named=named)
    corrected = correct(correction, family, plan.scope, alpha, cell)
    notes.extend(corrected.notes)
    return AverageRanks(_counted(corrected, present, size), shown, tuple(notes))


def _counted(corrected: Corrected, present: NDArray[np.intp], size: int) -> RankBounds:
    """Ends of intervals from who is shown better and worse, among those with an average."""
    better, worse = np.zeros((2, size), dtype=np.int64)
    better[present] = corrected.decisions.better
    worse[present] = corrected.decisions.worse
    return count_bounds(better, worse)


def average_contrasts(
    found: Estimate, plan: AveragePlan, bounds: tuple[float, float]
) -> Contrasts | None:
    """Differences of all pairs, with intervals under the correction that was asked for.

    `bounds` are the least and the greatest average there can be, as they are shown.
    """
    if found.pairs is None or not found.present.size:
        return None
    plan, _ = _fitting_plan(found, plan)
    for table in (found.pairs.diff, found.pairs.se, found.pairs.statistic):
        table.setflags(write=False)  # nobody else holds them, so they need not be copied
    scale = plan.rule.linear or "difference"
    kept = correction_facts(plan.correction).pairs
    if kept is None:
        return None  # a correction that adjusts no p-values of pairs
    largest = _largest(bounds, scale)
    if plan.shows_nothing:
        none = np.full(found.pairs.diff.shape, np.nan)
        return Contrasts(plan.models, found.pairs, plan.alpha, "holm", scale, None, largest, none)
    if found.rankings is not None and kept != "none":
        exact = _exact_p(found, found.pairs, plan)
        return Contrasts(plan.models, found.pairs, plan.alpha, "maxt", scale, None, largest, exact)
    maxima = _maxima(found, found.pairs, plan) if plan.correction == "maxt" else None
    if plan.correction == RESAMPLED:
        family = _family(found, found.pairs, plan).among(found.present)
        maxima = np.sort(resample_family(family).largest.max(axis=1))
    return Contrasts(plan.models, found.pairs, plan.alpha, kept, scale, maxima, largest)


def _exact_p(found: Estimate, pairs: PairStatistics, plan: AveragePlan) -> NDArray[np.float64]:
    """Adjusted p-values of all pairs by reversed rankings; NaN for models without an average."""
    from rankbars.stats.multiplicity.nulllaws import reversal_p

    present = found.present
    one_sided = reversal_p(null_draws(_family(found, pairs, plan).among(present)))
    # Both directions are in the family, so that the smaller of the two speaks for the pair.
    p = np.minimum(one_sided, one_sided.T)
    np.fill_diagonal(p, np.nan)
    size = len(plan.models)
    exact = np.full((size, size), np.nan)
    exact[np.ix_(present, present)] = p
    return exact


def _fitting_plan(found: Estimate, plan: AveragePlan) -> tuple[AveragePlan, tuple[Note, ...]]:
    """The plan with a correction that has a law for what was found, and what was changed."""
    if found.clustered and plan.correction.startswith("maxt"):
        return plan._replace(correction="holm"), (_CLUSTERED,)
    return plan, ()


_CLUSTERED = Note(
    "average-holm",
    "Holm's method was used on the average in place of max-T: the rows of some task come in "
    "clusters, and draws from the covariance of few clusters claim too much.",
)


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


def _family(found: Estimate, pairs: PairStatistics, plan: AveragePlan) -> Family:
    resampled = _evidence(found, pairs, plan) if plan.correction == "maxt" else None
    if resampled is None and plan.correction == "maxt":
        raise OptionError(_UNFIT if np.isfinite(_covariance(found, pairs)).all() else _INCOMPLETE)
    return Family(
        pairs.statistic,
        pairs.df,
        None,
        pairs.se,
        resampled,
        "average",
        plan.seed,
        plan.resamples,
        rankings=found.rankings,
        samples=found.samples if plan.correction == RESAMPLED else None,
        models=plan.models,
    )


def _evidence(found: Estimate, pairs: PairStatistics, plan: AveragePlan) -> Evidence | None:
    """What max-T resamples: tasks, or scores with the covariance of the average; None without one.

    The errors of pairs of nearly equal 0/1 rows are widened one by one. Where tasks have few rows
    those of all pairs need not fit one covariance any more.
    """
    present = found.present
    names = tuple(plan.models[i] for i in present)
    if found.rows is not None:
        return Items(names, found.rows[:, present])
    mean, cov = found.summary.mean[present], _covariance(found, pairs)
    # Scores without spread leave rounding, which is no covariance matrix.
    if (np.abs(cov) <= np.square(_ROUNDING * np.abs(mean).max(initial=0.0))).all():
        cov = np.zeros_like(cov)
    try:
        return Estimates(names, mean, cov=cov)
    except DataError:
        return None


_ROUNDING = 8 * float(np.finfo(np.float64).eps)


_INCOMPLETE = (
    "max-T on the average needs complete scores. Use --missing listwise, fail, drop_models or "
    "bounds, or --correction holm."
)
_UNFIT = (
    "max-T on the average draws the errors of all pairs of models together, and these do not fit "
    "one covariance: on tasks with few rows, models that answer nearly alike get wider errors, "
    "pair by pair. Use --correction holm."
)


def _covariance(found: Estimate, pairs: PairStatistics) -> NDArray[np.float64]:
    present = found.present
    return contrast_covariance(
        np.square(found.summary.se[present]), np.square(pairs.se[np.ix_(present, present)])
    )


def _maxima(found: Estimate, pairs: PairStatistics, plan: AveragePlan) -> NDArray[np.float64]:
    present = found.present
    block = np.ix_(present, present)
    se = pairs.se[block]
    usable = np.isfinite(se) & (se > 0)
    streams = plan.streams("maximum")
    if found.rows is not None:
        rows = found.rows[:, present]
        return maximum_paired_contrasts(rows, usable, streams, plan.resamples)
    cov = _covariance(found, pairs)
    if not np.isfinite(cov).all():
        raise OptionError(_INCOMPLETE)
    df = pairs.freedom[block][usable]
    least = float(np.min(df[df > 0], initial=np.inf))  # tails as heavy as those of any pair
    return maximum_contrasts(symmetric_root(cov).root, se, streams, plan.resamples, least)


def _absence(found: Estimate, models: tuple[str, ...]) -> tuple[Note, ...]:
    absent = tuple(name for i, name in enumerate(models) if np.isnan(found.summary.mean[i]))
    if not absent:
        return ()
    message = (
        "No score on some task, so no average: its rank on the average may be any, and it is in "
        "the first tier, because nothing was shown to be better."
    )
    return (Note("no-average", message, models=absent),)
