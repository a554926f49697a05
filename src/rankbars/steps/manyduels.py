"""One model against each other one at once, where every row is right or wrong.

Sums of right answers are whole numbers and exact, so that nothing that is said of two models
depends on the others.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankbars.data.evidence import Evidence, Items, independent_items
from rankbars.data.notes import Note, on_task
from rankbars.data.rightanswers import is_binary
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec
from rankbars.data.taskinfo import Direction
from rankbars.stats.averaging.taskcontrasts import add_task, average_contrasts, start_sums
from rankbars.stats.pairwise.modelscores import ModelSummary
from rankbars.stats.pairwise.pairstatistics import PairStatistics, p_values
from rankbars.steps.average.averagechoices import plan_average
from rankbars.steps.meantests import discordance_note, few_discordant
from rankbars.steps.pairdecision import Pair, common_rows
from rankbars.steps.pairtests import compare_evidence, identical_note
from rankbars.steps.testrows import Setting
from rankbars.steps.validity import find_cell

__all__ = ["Duel", "Duels", "duel_with_all"]


class Duel(NamedTuple):
    """A model against another one, on a task or on the average; the words of `Contrast`."""

    name: str
    n: int
    difference: float
    se: float
    df: float
    p_better: float
    p_worse: float
    approximate: bool
    score_a: float
    score_b: float
    direction: Direction
    kind: str = "items"
    unit: str = "score"


class Duels(NamedTuple):
    """A model against each other one.

    Attributes
    ----------
    duels : dict from (str, str or None) to Duel
        By the other model and the task; None for the average, or the only task.
    notes : dict from (str, str or None) to tuple of Note
        What is said of the two on a task, or, for None, on all tasks and the average.
    """

    duels: dict[tuple[str, str | None], Duel]
    notes: dict[tuple[str, str | None], tuple[Note, ...]]


def duel_with_all(scores: Scores, model: str, spec: Spec) -> Duels | None:
    """A model face to face with each other one, all of them at once.

    Parameters
    ----------
    scores : Scores
        Results of all models.
    model : str
        One of them.
    spec : Spec
        As of `rankbars.steps.duels.contrast_models`.

    Returns
    -------
    Duels, or None
        None where two models must be looked at by themselves: rows are not all right or wrong, are
        not independent items or not of equal weight, two models have no row of a task in common,
        or what is averaged is not the score of items.

    Examples
    --------
    >>> import rankbars as rb
    >>> scores = rb.Scores.from_arrays({"math": [[1, 0, 1], [1, 0, 0], [1, 1, 0]]}, ["a", "b", "c"])
    >>> found = duel_with_all(scores, "a", Spec())
    >>> round(found.duels["b", None].difference, 3), found.duels["b", None].n
    (0.667, 3)
    """
    if not all(_plain(evidence, spec) for evidence in scores.tasks.values()):
        return None
    weighted = [name for name in scores.tasks if scores.info[name].weight > 0]
    averaged = spec.over != "none" and len(weighted) > 1
    plan = plan_average(scores, spec) if averaged else None
    if plan is not None and (plan.over != "items" or plan.limits or plan.joined):
        return None
    models, at = scores.models, scores.models.index(model)
    others = [(j, other) for j, other in enumerate(models) if j != at]
    sums, setting = start_sums(len(models)), Setting(spec.seed, spec.resamples)
    made = Duels({}, {})
    for name, evidence in scores.tasks.items():
        one = compare_evidence(evidence, models, spec.test, name, setting)
        if one.pairs is None or not isinstance(evidence, Items) or np.isnan(one.diff).any():
            return None
        if plan is not None and name in plan.weights:
            summary = ModelSummary(one.mean, one.mean_se, one.mean_df)
            add_task(sums, one.pairs, summary, plan.weights[name])
        of_all = tuple(note for note in one.notes if note.code not in _OF_PAIRS)
        complete = ~np.isnan(evidence.values.sum(axis=0))
        few = few_discordant(evidence, one.pairs)
        row, p, n = _row(one.pairs, at), p_values(one.pairs), one.n[at].tolist()
        for j, other in others:
            cell = find_cell(
                "t", "holm", "each", "items" if complete[at] and complete[j] else "gaps"
            )
            side = scores.info[name].direction
            common = common_rows(Pair(model, other), evidence).in_units(side)
            made.duels[other, name] = Duel(
                name, n[j], *row[j], p[at, j].item(), p[j, at].item(), cell.verdict != "valid",
                common.score_a, common.score_b, side,
            )  # fmt: skip
            said = [*on_task([discordance_note(1, 1)], name)] if few[at, j] else []
            if one.pairs.identical[at, j]:
                said.append(identical_note(sorted((model, other)), name))
            made.notes[other, name] = (*of_all, *said)
    for _, other in others:
        planned = () if plan is None else plan.notes
        of_tasks = tuple(note for name in scores.tasks for note in made.notes[other, name])
        made.notes[other, None] = planned + of_tasks
    if plan is not None:
        pairs = average_contrasts(sums)
        row, p = _row(pairs, at), p_values(pairs)
        for j, other in others:
            used = [made.duels[other, name] for name in plan.weights]
            weighed = list(zip(plan.weights.values(), used, strict=True))
            made.duels[other, None] = Duel(
                f"average of {len(used)} tasks",
                sum(one.n for one in used),
                *row[j],
                p[at, j].item(),
                p[j, at].item(),
                any(one.approximate for one in used),
                math.fsum(weight * one.score_a for weight, one in weighed),
                math.fsum(weight * one.score_b for weight, one in weighed),
                plan.direction,
            )
    elif len(scores.tasks) == 1:
        (only,) = scores.tasks
        made.duels.update({(other, None): made.duels[other, only] for _, other in others})
    return made


_OF_PAIRS = ("few-discordant", "identical-models")  # notes on pairs, here on those of the model


def _plain(evidence: Evidence, spec: Spec) -> bool:
    """Whether rows are independent items of equal weight, right or wrong, for the paired t-test."""
    if not independent_items(evidence):
        return False
    more = (evidence.runs, evidence.answers, evidence.within, evidence.trials, evidence.judge)
    if spec.test not in ("auto", "t") or any(one is not None for one in more):
        return False
    return is_binary(evidence)


def _row(pairs: PairStatistics, at: int) -> list[tuple[float, float, float]]:
    """Difference, standard error and degrees of freedom of a model against each other one."""
    se = pairs.se[at]
    df = pairs.freedom[at]
    spread = (se > 0) & (df > 0)
    columns = (pairs.diff[at], np.where(spread, se, math.nan), np.where(spread, df, math.nan))
    return list(zip(*(column.tolist() for column in columns), strict=True))
