"""The verb `rank`: from comparisons of pairs to where each model's rank may lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_whole
from rankbars.data.comparisons import Comparisons
from rankbars.data.evidence import Items
from rankbars.data.intervals import RankIntervals, Scope
from rankbars.data.notes import Note, on_task
from rankbars.data.spec import SCOPES, check_rate, check_resamples, side_level
from rankbars.errors import UnknownOptionError
from rankbars.stats.blocks import PRODUCT_CELLS, row_blocks
from rankbars.stats.multiplicity.stepdown import decide_stacked
from rankbars.stats.pairwise.clusters import few_degrees, group_rows
from rankbars.stats.ranks import RankBounds, count_bounds, first_bounds, rank_bounds
from rankbars.stats.tails import Decisions
from rankbars.steps.correctionchoice import (
    RESAMPLED,
    SHARPER,
    CorrectionChoice,
    can_bear_flips,
    can_flip,
    can_resample,
    choose_correction,
    has_one_end,
)
from rankbars.steps.corrections import (
    Corrected,
    Family,
    correct,
    simultaneous_order,
    substitution,
    take_correction,
)
from rankbars.steps.jointclaims import (
    claim_best_alone,
    claim_jointly,
    claim_top_alone,
    cycle_note,
    note_missed,
)
from rankbars.steps.validity import Cell, check_method, find_cell

__all__ = ["rank", "rank_jointly", "rank_task"]


@overload
def rank(
    comparisons: Comparisons,
    *,
    correction: str = ...,
    scope: str = ...,
    alpha: float = ...,
    seed: int = ...,
    resamples: int = ...,
) -> RankIntervals: ...
@overload
def rank(
    comparisons: Mapping[str, Comparisons],
    *,
    correction: str = ...,
    scope: str = ...,
    alpha: float = ...,
    seed: int = ...,
    resamples: int = ...,
) -> dict[str, RankIntervals]: ...
def rank(
    comparisons: Comparisons | Mapping[str, Comparisons],
    *,
    correction: str = "auto",
    scope: str = "each",
    alpha: float = 0.05,
    seed: int = 0,
    resamples: int = 1000,
) -> RankIntervals | dict[str, RankIntervals]:
    """Rank confidence intervals on each task.

    The best rank of a model is 1 plus the number of models shown better than it; the worst is M
    minus the number of models it is shown better than.

    Parameters
    ----------
    comparisons : Comparisons or mapping from task to Comparisons
        From `rankbars.compare`.
    correction : str
        How the number of comparisons is accounted for. ``"auto"``: max-T where rows are
        complete, independent and not skewed, and few enough to be flipped; resampling where few
        rows are skewed and the design of the rows chose the test; else Holm's method; ``"holm"``;
        ``"bonferroni"``; ``"simes"`` (closed-testing count, never wider than Holm; falls back to
        Holm where its condition fails, and says so); ``"maxt"`` (step-down max-T by sign flips of
        rows, Gaussian draws for folds, estimates and strengths from votes); ``"maxt_bootstrap"``
        (the symmetric bootstrap of rows); ``"e_average"`` (for e-processes of votes: valid however
        often one looks); ``"bootstrap_band"`` (Algorithm 3) and
        ``"none"``, which have no guarantee.
    scope : {"each", "all"}
        ``"each"``: every interval contains the true rank of its model with probability
        ``1 - alpha``, for one model named in advance. ``"all"``: all intervals do, at once.
    alpha : float
        Error rate.
    seed, resamples : int
        Start of the random streams and number of resamples, for max-T.

    Returns
    -------
    RankIntervals or dict from task to RankIntervals
        As many as were given.

    Raises
    ------
    UnknownOptionError
        If the correction or the scope is not known.
    OptionError
        If `alpha` is not strictly between 0 and 1, or the correction has no law for the test.

    Notes
    -----
    The guarantee of scope ``"each"`` is Theorem 2.3 of Neuhof and Benjamini (2026), after Holm
    (2013): two families of M - 1 one-sided tests per model, each at ``alpha / 2``. It holds with
    exact ties, for which the true rank is a range and the interval contains all of it.

    Examples
    --------
    >>> import rankbars as rb
    >>> better = {"math": [[1.0, 0.1], [0.9, 0.2], [1.1, 0.1], [0.8, 0.3], [1.0, 0.2]]}
    >>> intervals = rb.rank(rb.compare(rb.Scores.from_arrays(better, ["a", "b"])))
    >>> intervals["math"]["a"]
    (1, 1)
    """
    checked, level = _scope(scope), check_rate("alpha", alpha)
    check_resamples(resamples)
    check_whole("seed", seed, 0)
    if isinstance(comparisons, Comparisons):
        bears = can_bear_flips([_size(comparisons)], resamples)
        return rank_task(
            comparisons, correction, checked, level, seed=seed, resamples=resamples, bears=bears
        )
    bears = can_bear_flips(map(_size, comparisons.values()), resamples)
    draws = resamples if bears else 0
    chosen = {
        name: _choose(one, correction, checked, level, draws) for name, one in comparisons.items()
    }
    decided: dict[str, Corrected] = {}
    if checked == "each":
        plain = {
            name: one
            for name, one in comparisons.items()
            if chosen[name].choice.correction == "holm" and not chosen[name].choice.nothing
        }
        decided.update(_holm_of_tasks(plain, level))
    return {
        name: _intervals(one, decided[name], chosen[name], checked, level)
        if name in decided
        else rank_task(one, correction, checked, level, seed=seed, resamples=resamples, bears=bears)
        for name, one in comparisons.items()
    }


def rank_task(
    comparisons: Comparisons,
    correction: str,
    scope: Scope,
    alpha: float,
    *,
    seed: int = 0,
    resamples: int = 1000,
    bears: bool = False,
) -> RankIntervals:
    """Rank intervals of one task; a model that is absent may stand anywhere.

    Absent models take part in no test, so they make nobody else's interval wider; ranks still
    count the full field. `bears` says whether all tasks together are small enough for max-T.
    """
    chosen = _choose(comparisons, correction, scope, alpha, resamples if bears else 0)
    present = np.flatnonzero(comparisons.present)
    if chosen.choice.nothing:
        corrected = Corrected(_nothing(present.size, scope))
    else:
        family = _family(comparisons, present)._replace(seed=seed, resamples=resamples)
        corrected = correct(chosen.choice.correction, family, scope, alpha, chosen.cell)
    return _intervals(comparisons, corrected, chosen, scope, alpha)


class _Chosen(NamedTuple):
    """Which correction decides, and what the table says of it."""

    choice: CorrectionChoice
    cell: Cell


def _choose(
    comparisons: Comparisons, correction: str, scope: Scope, alpha: float, draws: int
) -> _Chosen:
    """What decides these comparisons; raises where the table refuses it.

    `draws` are those of max-T; 0 where it would take too long.
    """
    take_correction("holm" if correction == "auto" else correction)
    evidence, design = comparisons.evidence, comparisons.design
    present = int(np.count_nonzero(comparisons.present))
    lawful = find_cell(comparisons.test, SHARPER, scope, design).verdict == "valid"
    choice = choose_correction(
        correction,
        alpha,
        insisted=comparisons.insisted,
        index=comparisons.skewness,
        resampled=isinstance(evidence, Items) and _can_resample(comparisons, evidence),
        clustered=design == "clusters",
        clusters=_usual_clusters(comparisons),
        rows=comparisons.rows if design in ("items", "gaps") else 0,
        one_end=evidence is not None and has_one_end(evidence),
        flipped=design == "items" and lawful and can_flip(comparisons.rows, present, alpha, draws),
    )
    cell = check_method(comparisons.test, choice.correction, scope, design, _units(comparisons))
    return _Chosen(choice, cell)


def _can_resample(comparisons: Comparisons, items: Items) -> bool:
    """Whether rows, or whole clusters, can be resampled for all pairs."""
    if comparisons.design == "clusters":
        lawful = find_cell(comparisons.test, RESAMPLED, "all", "clusters").verdict == "valid"
        if not lawful or np.isnan(items.values).any():
            return False
    elif comparisons.design != "items":
        return False
    return can_resample(_units(comparisons), len(items.models))


def _amount(comparisons: Comparisons) -> str:
    """How much was compared, as a sentence begins: ``"With 60 items"``."""
    rows, kind = (
        comparisons.rows,
        "rows" if comparisons.evidence is None else comparisons.evidence.kind,
    )
    return f"With {rows:,} {kind}" if rows and kind != "estimates" else "With errors of this size"


def _units(comparisons: Comparisons) -> int:
    """How many rows there are, or clusters of them."""
    items = comparisons.evidence
    if comparisons.design == "clusters" and isinstance(items, Items):
        return int(np.unique(np.asarray(items.clusters)).size)
    return comparisons.rows


def _usual_clusters(comparisons: Comparisons) -> int:
    """How many clusters there are; 0 without any, and where sizes leave few degrees of freedom."""
    items = comparisons.evidence
    if comparisons.test != "cluster_t" or not isinstance(items, Items) or items.clusters is None:
        return 0
    grouping = group_rows(items.clusters, items.weights)
    return 0 if few_degrees(grouping) is not None else int(grouping.sizes.size)


def _size(comparisons: Comparisons) -> tuple[int, int]:
    rows = comparisons.rows if comparisons.design == "items" else 0
    return rows, len(comparisons.models)


def _nothing(size: int, scope: Scope) -> Decisions:
    """Nothing is shown of anybody."""
    none = np.zeros(size, dtype=np.int64)
    shown = np.zeros((size, size), dtype=np.bool_) if scope == "all" else None
    return Decisions(none, none, shown)


def rank_jointly(
    comparisons: Comparisons,
    correction: str,
    alpha: float,
    *,
    seed: int = 0,
    resamples: int = 1000,
    best_alone: bool = False,
    top_alone: int | None = None,
    bears: bool = False,
    leads: bool = False,
) -> RankIntervals:
    """Rank intervals for all models at once, as a board shows them.

    Part of `alpha` goes to the set of the models that may be first; every other row begins with 2
    or later. The rest goes to the relation of all pairs, from which rows are counted. With
    `best_alone` a note has the set at the whole of `alpha`, with `top_alone` who is among the first
    so many. `bears` is as in `rank_task`.
    Where the task `leads` its board and nothing is shown, a note says which differences are missed.

    Raises
    ------
    OptionError
        If the correction has no law for the test, or does not say which models are better.
    """
    chosen = _choose(comparisons, correction, "all", alpha, resamples if bears else 0)
    choice, cell = chosen
    present = np.flatnonzero(comparisons.present)
    if choice.nothing:
        corrected = Corrected(_nothing(present.size, "all"))
        return _intervals(comparisons, corrected, chosen, "all", alpha)
    family = _family(comparisons, present)._replace(seed=seed, resamples=resamples)
    decides = cell.becomes or choice.correction
    claims = claim_jointly(decides, family, alpha, split=True)
    size = len(comparisons.models)
    shown = np.zeros((size, size), dtype=np.bool_)
    shown[np.ix_(present, present)] = claims.shown_better
    first = np.ones(size, dtype=np.bool_)  # nothing is known of a model that is absent
    first[present] = claims.may_be_first
    task = comparisons.task
    found = (*choice.notes, *claims.notes, *substitution(choice.correction, cell))
    notes = [*on_task(found, task)]
    models = comparisons.models
    notes += [cycle_note(tuple(models[i] for i in present[some])) for some in claims.cycles]
    alone = []
    if best_alone and present.size:
        alone.append(claim_best_alone(decides, family, alpha))
    if top_alone is not None and present.size:
        alone.append(claim_top_alone(decides, family, alpha, top_alone))
    if leads and present.size > 1 and not shown.any():
        alone += note_missed(decides, family, alpha, _amount(comparisons))
    notes += on_task(alone, task)
    bounds = first_bounds(shown, first)
    return _described(comparisons, bounds, chosen, "all", alpha, shown, notes)


def _holm_of_tasks(
    comparisons: Mapping[str, Comparisons], alpha: float
) -> Iterator[tuple[str, Corrected]]:
    """Holm's decisions on tasks that share their degrees of freedom, many tasks at a time.

    Thousands of small tasks would otherwise spend their time on calls.
    """
    alike: dict[tuple[int, float], list[tuple[str, NDArray[np.float64]]]] = {}
    for name, one in comparisons.items():
        deciding = one.deciding
        if deciding is not None and np.ndim(deciding.df) == 0 and one.present.all():
            key = len(one.models), float(deciding.df)
            alike.setdefault(key, []).append((name, deciding.statistic))
    for (size, df), members in alike.items():
        for some in row_blocks(len(members), size * size, PRODUCT_CELLS):
            names, statistics = zip(*members[some], strict=True)
            made = decide_stacked(np.stack(statistics), df, alpha)
            for name, better, worse in zip(names, made.better, made.worse, strict=True):
                yield name, Corrected(Decisions(better, worse, None))


def _intervals(
    comparisons: Comparisons,
    corrected: Corrected,
    chosen: _Chosen,
    scope: Scope,
    alpha: float,
) -> RankIntervals:
    """Rank intervals from what may be claimed about the models that are present."""
    size = len(comparisons.models)
    present = np.flatnonzero(comparisons.present)
    decisions, shown = corrected.decisions, None
    notes = [*on_task((*chosen.choice.notes, *corrected.notes), comparisons.task)]
    if decisions.shown_better is not None:
        order, cycles = simultaneous_order(decisions.shown_better)
        shown = np.zeros((size, size), dtype=np.bool_)
        shown[np.ix_(present, present)] = order
        bounds = rank_bounds(shown)
        models = comparisons.models
        notes += [cycle_note(tuple(models[i] for i in present[some])) for some in cycles]
    else:
        better, worse = np.zeros((2, size), dtype=np.int64)
        better[present], worse[present] = decisions.better, decisions.worse
        bounds = count_bounds(better, worse)
    return _described(comparisons, bounds, chosen, scope, alpha, shown, notes)


def _described(
    comparisons: Comparisons,
    bounds: RankBounds,
    chosen: _Chosen,
    scope: Scope,
    alpha: float,
    shown: NDArray[np.bool_] | None,
    notes: list[Note],
) -> RankIntervals:
    choice, cell = chosen
    promised = side_level(choice.correction, scope, alpha)
    unsure = choice.approximate or cell.verdict == "approximate"
    approximate = promised is not None and unsure
    measured = choice.measured or cell.measured_among(int(comparisons.present.sum()))
    side = None if approximate else promised
    return RankIntervals(
        models=comparisons.models,
        best=bounds.best,
        worst=bounds.worst,
        alpha=alpha,
        scope=scope,
        target="task",
        method=choice.correction,
        guarantee=None if side is None else 1.0 - alpha,
        assumptions=comparisons.assumptions,
        shown_better=shown,
        side_level=side,
        notes=(*comparisons.notes, *notes),
        approximate=approximate,
        measured_level=measured if approximate else None,
    )


def _family(comparisons: Comparisons, present: NDArray[np.intp]) -> Family:
    """The hypotheses among the models that are present."""
    deciding, p = comparisons.deciding, comparisons.exact_p
    family = Family(
        None, np.inf, p, None, comparisons.evidence, comparisons.task,
        log_e=comparisons.log_e, test=comparisons.test, models=comparisons.models,
    )  # fmt: skip
    if deciding is not None:
        family = family._replace(
            statistic=deciding.statistic, df=deciding.df, p=None, se=deciding.se
        )
    return family if present.size == len(comparisons.models) else family.among(present)


def _scope(scope: str) -> Scope:
    if scope == "each":
        return "each"
    if scope == "all":
        return "all"
    raise UnknownOptionError.among("scope", scope, SCOPES)
