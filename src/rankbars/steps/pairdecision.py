"""The rows of two models, and how they decide: by t, by resampling, or approximately."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.comparisons import Comparisons
from rankbars.data.evidence import Evidence, Items, Votes
from rankbars.data.headtohead import Contrast, Verdict
from rankbars.data.notes import Note, on_task
from rankbars.data.rightanswers import is_binary
from rankbars.data.spec import Spec
from rankbars.data.taskinfo import Direction
from rankbars.stats.averaging.taskcontrasts import constant_errors
from rankbars.stats.multiplicity.symmetricbootstrap import (
    Sample,
    cluster_sample,
    largest_differences,
    symmetric_p,
)
from rankbars.stats.pairwise.modelscores import weighted_rows
from rankbars.stats.pairwise.pairstatistics import PairStatistics, detectable_difference, p_values
from rankbars.stats.resampling.distributions import Streams
from rankbars.stats.streams import stream
from rankbars.stats.tails import critical_of_draws, critical_value
from rankbars.steps.average.plan import AveragePlan, TaskPart
from rankbars.steps.correctionchoice import RESAMPLED, choose_correction, has_one_end, tail_unknown

__all__ = [
    "POWER",
    "Common",
    "MeanTest",
    "Pair",
    "PairRows",
    "average_rows",
    "common_rows",
    "decide_contrast",
    "mean_test",
    "pair_samples",
    "row_sample",
    "verdict_of",
]

POWER = 0.8  # the customary power of a smallest detectable difference
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


class _PairDecision(NamedTuple):
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


def _decide_pair(
    rows: PairRows, statistic: float, alpha: float, *, insisted: bool, resamples: int
) -> _PairDecision:
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
        return _PairDecision(approximate=True, notes=choice.notes, shows_nothing=True)
    if choice.correction != RESAMPLED:
        return _PairDecision(None, np.nan, choice.approximate, choice.measured, choice.notes)
    table = np.array([[0.0, statistic], [-statistic, 0.0]])
    found = largest_differences(rows.samples, table, resamples)
    if found.left_out[0, 1]:
        text = "Too few rows tell the two models apart to be resampled: nothing is shown."
        notes = (*choice.notes, Note("too-few-differing-rows", text))
        return _PairDecision(np.nan, np.nan, choice.approximate, choice.measured, notes)
    largest = np.sort(found.largest[:, 0])
    critical = float(critical_of_draws(largest, alpha))
    p = symmetric_p(statistic, largest)
    return _PairDecision(
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


def decide_contrast(
    contrast: Contrast, rows: PairRows, spec: Spec, *, insisted: bool
) -> tuple[Contrast, tuple[Note, ...]]:
    """The contrast as its rows let it be decided, and what must be said of that."""
    statistic = contrast.difference / contrast.se if contrast.se > 0 else 0.0
    made = _decide_pair(rows, statistic, spec.alpha, insisted=insisted, resamples=spec.resamples)
    task = (
        None if contrast.kind == "tasks" or contrast.name.startswith("average") else contrast.name
    )
    notes = made.notes if task is None else on_task(made.notes, task)
    return _by_resampling(contrast, made, statistic), notes


def _by_resampling(contrast: Contrast, made: _PairDecision, statistic: float) -> Contrast:
    if made.shows_nothing:
        # The interval is that of t, for the eye: so few rows do not show that it holds.
        return replace(contrast, p_better=1.0, p_worse=1.0, detectable=math.nan,
                       verdict="cannot tell", approximate=True)  # fmt: skip
    if made.approximate:
        contrast = replace(contrast, approximate=True, measured_level=made.measured)
    if made.critical is None:
        return contrast
    if math.isnan(made.critical):
        return replace(contrast, low=math.nan, high=math.nan, p_better=1.0, p_worse=1.0,
                       verdict="cannot tell")  # fmt: skip
    half = made.critical * contrast.se
    return replace(
        contrast,
        low=contrast.difference - half,
        high=contrast.difference + half,
        p_better=made.p if statistic > 0 else 1.0,
        p_worse=made.p if statistic < 0 else 1.0,
        verdict=verdict_of(statistic > made.critical, -statistic > made.critical),
        resampled=made.resampled,
    )


class MeanTest(NamedTuple):
    """What a test says about the difference of the first model and the second."""

    difference: float
    low: float
    high: float
    se: float
    df: float
    p_better: float
    p_worse: float
    detectable: float
    verdict: Verdict


def mean_test(pairs: PairStatistics, cell: tuple[int, int], alpha: float) -> MeanTest:
    """Difference, interval and verdict of the pair in one cell of a matrix of pairs."""
    difference, se = float(pairs.diff[cell]), float(pairs.se[cell])
    df = float(pairs.freedom[cell])
    statistic, opposite = float(pairs.statistic[cell]), float(pairs.statistic[cell[::-1]])
    p = p_values(pairs)
    critical = float(critical_value(alpha / 2, df))
    spread = se > 0 and df > 0
    half = critical * se if spread else math.nan
    if spread and (half >= abs(difference)) == (abs(statistic) >= critical):
        # Of few right and wrong answers the law is counted: the interval says no more than that.
        half = abs(difference)
    return MeanTest(
        difference=difference,
        low=difference - half,
        high=difference + half,
        se=se if spread else math.nan,
        df=df if spread else math.nan,
        p_better=float(p[cell]),
        p_worse=float(p[cell[::-1]]),
        detectable=detectable_difference(se, df, alpha, POWER),
        # The rule of the rank intervals: the statistic against its critical value.
        verdict=verdict_of(statistic >= critical, opposite >= critical),
    )


def verdict_of(better: bool, worse: bool) -> Verdict:
    """Better, worse, or neither of the two."""
    if better:
        return "better"
    return "worse" if worse else "cannot tell"
