"""The rows of two models, and how they decide: by t, by resampling, or approximately.

One model against each other one at once where every row is right or wrong: sums of right answers
are whole numbers and exact, so that nothing that is said of two models depends on the others.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.comparisons import Comparisons
from rankbars.data.evidence import Evidence, Items, Votes, independent_items
from rankbars.data.notes import Note, on_task
from rankbars.data.rightanswers import is_binary
from rankbars.data.scores import Direction, Scores
from rankbars.data.spec import Spec
from rankbars.stats.averaging.taskcontrasts import (
    add_task,
    average_contrasts,
    constant_errors,
    start_sums,
)
from rankbars.stats.multiplicity.symmetricbootstrap import (
    Sample,
    cluster_sample,
    largest_differences,
    symmetric_p,
)
from rankbars.stats.pairwise.modelscores import ModelSummary, weighted_rows
from rankbars.stats.pairwise.pairstatistics import PairStatistics, p_values
from rankbars.stats.resampling.distributions import Streams
from rankbars.stats.streams import stream
from rankbars.stats.tails import critical_of_draws
from rankbars.steps.average.averagechoices import plan_average
from rankbars.steps.average.plan import AveragePlan, TaskPart
from rankbars.steps.correctionchoice import RESAMPLED, choose_correction, has_one_end, tail_unknown
from rankbars.steps.meantests import discordance_note, few_discordant
from rankbars.steps.pairtests import compare_evidence, identical_note
from rankbars.steps.testrows import Setting
from rankbars.steps.validity import find_cell

__all__ = [
    "Common",
    "Duel",
    "Duels",
    "Pair",
    "PairDecision",
    "PairRows",
    "average_rows",
    "common_rows",
    "decide_pair",
    "duel_with_all",
    "pair_samples",
    "row_sample",
]

_FEW_ROWS, _MUCH = 20, 0.5  # a task with fewer rows and more of the variance is badly known


class Pair(NamedTuple):
    """The two models, and where they stand in canonical order: there all arrays are kept."""

    a: str
    b: str

    @property
    def models(self) -> tuple[str, str]:
        """Both, in canonical order."""
        return (self.a, self.b) if self.a < self.b else (self.b, self.a)

    @property
    def cell(self) -> tuple[int, int]:
        """Position ``[a, b]`` in a matrix of pairs."""
        return (0, 1) if self.a < self.b else (1, 0)


class Common(NamedTuple):
    """The rows that both models have; scores are inside values, higher is better."""

    n: int
    n_a: int
    n_b: int
    score_a: float
    score_b: float
    ahead: int | None = None
    behind: int | None = None
    binary: bool = False

    def in_units(self, direction: Direction) -> Common:
        """The same with scores in the units of the input."""
        if direction == "higher":
            return self
        return self._replace(score_a=0.0 - self.score_a, score_b=0.0 - self.score_b)


class PairRows(NamedTuple):
    """The rows behind a difference.

    Attributes
    ----------
    skewness : float, optional
        How much a few of them weigh; infinite with too few to say, None where it does not matter.
    samples : tuple of Sample
        Rows that can be resampled, of the two models; empty if they cannot.
    heavy : int
        Rows of a task with few of them that carries most of the error.
    clustered : bool
        Whether rows come in clusters.
    task_rows : int
        Independent rows of a task; 0 for clusters and averages.
    one_end : bool
        Whether scores have an end on their better side only.
    tailed : int
        Rows of the least of the tasks with few of them whose scores have one end only, where these
        carry most of the error.
    """

    skewness: float | None
    samples: tuple[Sample, ...] = ()
    heavy: int = 0
    clustered: bool = False
    task_rows: int = 0
    one_end: bool = False
    tailed: int = 0


class PairDecision(NamedTuple):
    """What decides in place of the t of a pair.

    Attributes
    ----------
    critical : float, optional
        Standard errors to either side of the difference that decide; NaN: nothing is shown.
        None where the t-test decides as ever.
    p : float
        P-value of both sides, where rows were resampled.
    approximate, measured
        Whether the level is not assured, and how often 95 % statements held.
    shows_nothing : bool
        Whether there are too few rows to show anything; an interval is approximate then.
    notes : tuple of Note
        What must be said.
    resampled : array of float, shape (B,), optional
        The ``|t|`` of every resample, ascending, where rows were resampled.
    """

    critical: float | None = None
    p: float = np.nan
    approximate: bool = False
    measured: float | None = None
    notes: tuple[Note, ...] = ()
    shows_nothing: bool = False
    resampled: NDArray[np.float64] | None = None


def decide_pair(
    rows: PairRows, statistic: float, alpha: float, *, insisted: bool, resamples: int
) -> PairDecision:
    """What decides about two models whose difference has the t `statistic`."""
    choice = choose_correction(
        "auto",
        alpha,
        insisted=insisted,
        index=rows.skewness,
        heavy=rows.heavy,
        tailed=rows.tailed,
        resampled=bool(rows.samples),
        clustered=rows.clustered,
        rows=rows.task_rows,
        one_end=rows.one_end,
    )
    if choice.nothing:
        return PairDecision(approximate=True, notes=choice.notes, shows_nothing=True)
    if choice.correction != RESAMPLED:
        return PairDecision(None, np.nan, choice.approximate, choice.measured, choice.notes)
    table = np.array([[0.0, statistic], [-statistic, 0.0]])
    found = largest_differences(rows.samples, table, resamples)
    if found.left_out[0, 1]:
        text = "Too few rows tell the two models apart to be resampled: nothing is shown."
        notes = (*choice.notes, Note("too-few-differing-rows", text))
        return PairDecision(np.nan, np.nan, choice.approximate, choice.measured, notes)
    largest = np.sort(found.largest[:, 0])
    critical = float(critical_of_draws(largest, alpha))
    p = symmetric_p(statistic, largest)
    return PairDecision(
        critical, p, choice.approximate, choice.measured, choice.notes, resampled=largest
    )


def row_sample(values: NDArray[np.float64], seed: int, key: str, weight: float = 1.0) -> Sample:
    """Rows of two models on one task, to be resampled."""
    return Sample(values, weight, _streams(seed, key))


def _streams(seed: int, key: str) -> Streams:
    """Random generator of each chunk of draws for two models on one task."""
    return lambda chunk: stream(seed, "pair", key, chunk)


def _both(pair: Pair, evidence: Evidence) -> NDArray[np.float64] | None:
    """Rows that both models have, in canonical order of the two; None without rows."""
    if not isinstance(evidence, Items):
        return None
    values = np.stack([_column(evidence, model) for model in pair.models], axis=1)
    kept = ~np.isnan(values).any(axis=1)
    if evidence.weights is None:
        return values[kept]
    return weighted_rows(values[kept], evidence.weights[kept])


def common_rows(pair: Pair, evidence: Evidence) -> Common:
    """The rows, or votes, that both models have."""
    if isinstance(evidence, Votes):
        return _common_votes(pair, evidence)
    if not isinstance(evidence, Items):
        rows = np.zeros(len(evidence.models)) if evidence.n is None else evidence.n
        known = {
            model: (mean, int(n))
            for model, mean, n in zip(evidence.models, evidence.mean.tolist(), rows, strict=True)
        }
        (mean_a, n_a), (mean_b, n_b) = (known.get(model, (math.nan, 0)) for model in pair)
        return Common(min(n_a, n_b), n_a, n_b, mean_a, mean_b)
    x, y = (_column(evidence, model) for model in pair)
    both = ~np.isnan(x) & ~np.isnan(y)
    u, v = x[both], y[both]
    weight = None if evidence.weights is None else evidence.weights[both]
    return Common(
        n=u.size,
        n_a=int((~np.isnan(x)).sum()),
        n_b=int((~np.isnan(y)).sum()),
        score_a=float(np.average(u, weights=weight)) if u.size else math.nan,
        score_b=float(np.average(v, weights=weight)) if u.size else math.nan,
        ahead=int((u > v).sum()),
        behind=int((u < v).sum()),
        # Where lower is better, 0/1 scores are stored as 0 and -1.
        binary=bool(u.size) and is_binary(np.stack([u, v], axis=1)),
    )


def _common_votes(pair: Pair, votes: Votes) -> Common:
    """Votes between the two models, and how many of them each won."""
    if not set(pair) <= set(votes.models):
        return Common(0, 0, 0, math.nan, math.nan)
    a, b = (votes.models.index(model) for model in pair)
    met, won, lost = votes.met[a, b], votes.wins[a, b], votes.wins[b, a]
    n = round(float(met))
    return Common(n, n, n, math.nan, math.nan, ahead=round(float(won)), behind=round(float(lost)))


def _column(items: Items, model: str) -> NDArray[np.float64]:
    if model not in items.models:
        return np.full(items.n, np.nan)
    return items.values[:, items.models.index(model)]


def pair_samples(
    pair: Pair, evidence: Evidence, compared: Comparisons, seed: int
) -> tuple[Sample, ...]:
    """Rows of two models on one task, or whole clusters of them, where they can be resampled."""
    values = _both(pair, evidence)
    if values is None or not isinstance(evidence, Items):
        return ()
    if compared.test == "t" and compared.design in ("items", "gaps"):
        return (row_sample(values, seed, compared.task),)
    clusters = evidence.clusters
    if compared.test != "cluster_t" or clusters is None or len(values) < evidence.n:
        return ()
    values = np.stack([_column(evidence, model) for model in pair.models], axis=1)
    return (cluster_sample(values, clusters, evidence.weights, _streams(seed, compared.task)),)


def average_rows(
    pair: Pair,
    plan: AveragePlan,
    parts: list[TaskPart],
    se: float,
) -> PairRows:
    """The rows of both models behind their average, whose difference has the error `se`."""
    if len(parts) == 1 and parts[0].joined:  # all tasks are one by their rows, and decided as one
        one, rows = parts[0].comparisons, parts[0].evidence
        samples = pair_samples(pair, rows, one, plan.seed)
        return PairRows(one.skewness, samples, task_rows=one.rows, one_end=has_one_end(rows))
    tasks, tails, whole = [], [], True
    for part in parts:
        name, weight, one, evidence = part.task, part.weight, part.comparisons, part.evidence
        values = _both(pair, evidence)
        if values is None or one.design not in ("items", "gaps") or len(values) < 2:
            whole = False
            continue
        errors = one.se
        if one.pairs is not None:
            whole = whole and not (one.pairs.constant[0, 1] and len(values) < _FEW_ROWS)
            errors = constant_errors(one.pairs)
        own = (weight * float(errors[0, 1])) ** 2
        if part.limits is not None:
            values = part.limits.apply(values)
        tasks.append((row_sample(values, plan.seed, name, weight), own))
        tails.append(tail_unknown(evidence))
    matter = [(one, own) for one, own in tasks if not is_binary(one.values)]
    variance = se**2
    if not matter or not variance > 0:
        return PairRows(None)
    third, heavy = 0.0, 0
    for (values, weight, _, _), own in matter:
        difference = values[:, 0] - values[:, 1]
        n = len(difference)
        third += weight**3 * float(((difference - difference.mean()) ** 3).mean()) / n**2
        if n < _FEW_ROWS and own > _MUCH * variance:
            heavy = n
    samples = tuple(one for one, _ in tasks) if whole else ()
    open_ended = [pair for pair, tail in zip(tasks, tails, strict=True) if tail]
    much = sum(own for _, own in open_ended) > _MUCH * variance
    tailed = min(len(one.values) for one, _ in open_ended) if much else 0
    return PairRows(abs(third) / variance**1.5, samples, heavy, tailed=tailed)


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
