"""The contrast of two models: on one task, or of any pair of means that was tested."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.comparisons import Comparisons
from rankbars.data.evidence import Evidence, Items, Votes
from rankbars.data.headtohead import Contrast, Verdict
from rankbars.data.scores import Direction, TaskInfo
from rankbars.stats.pairwise.pairstatistics import PairStatistics, detectable_difference, p_values
from rankbars.stats.tails import critical_value

__all__ = ["POWER", "MeanTest", "Pair", "mean_test", "task_contrast"]

POWER = 0.8  # the customary power of a smallest detectable difference


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


class _Common(NamedTuple):
    """The rows that both models have; scores are inside values, higher is better."""

    n: int
    n_a: int
    n_b: int
    score_a: float
    score_b: float
    ahead: int | None = None
    behind: int | None = None
    binary: bool = False


def task_contrast(
    pair: Pair, evidence: Evidence, compared: Comparisons, info: TaskInfo, alpha: float
) -> Contrast:
    """The two models on one task.

    Parameters
    ----------
    pair : Pair
        The models.
    evidence : Items or Estimates
        Their results, and perhaps those of others.
    compared : Comparisons
        The two models compared, in canonical order.
    info : TaskInfo
        Metric and direction of the task.
    alpha : float
        Error rate of both sides together.
    """
    common = _common_rows(pair, evidence)
    if isinstance(evidence, Votes):
        scores = [float(compared.mean[compared.models.index(model)]) for model in pair]
        common = common._replace(score_a=scores[0], score_b=scores[1])
    return Contrast(
        name=compared.task,
        kind=evidence.kind,
        test=compared.test,
        direction=info.direction,
        metric=info.metric,
        assumptions=compared.assumptions,
        **_in_units(common, info.direction)._asdict(),
        **_compared_test(compared, pair.cell, alpha)._asdict(),
    )


def _common_rows(pair: Pair, evidence: Evidence) -> _Common:
    if isinstance(evidence, Votes):
        return _common_votes(pair, evidence)
    if not isinstance(evidence, Items):
        rows = np.zeros(len(evidence.models)) if evidence.n is None else evidence.n
        known = {
            model: (mean, int(n))
            for model, mean, n in zip(evidence.models, evidence.mean.tolist(), rows, strict=True)
        }
        (mean_a, n_a), (mean_b, n_b) = (known.get(model, (math.nan, 0)) for model in pair)
        return _Common(min(n_a, n_b), n_a, n_b, mean_a, mean_b)
    x, y = (_column(evidence, model) for model in pair)
    both = ~np.isnan(x) & ~np.isnan(y)
    u, v = x[both], y[both]
    weight = np.ones(u.size) if evidence.weights is None else evidence.weights[both]
    return _Common(
        n=u.size,
        n_a=int((~np.isnan(x)).sum()),
        n_b=int((~np.isnan(y)).sum()),
        score_a=float(np.average(u, weights=weight)) if u.size else math.nan,
        score_b=float(np.average(v, weights=weight)) if u.size else math.nan,
        ahead=int((u > v).sum()),
        behind=int((u < v).sum()),
        # Where lower is better, 0/1 scores are stored as 0 and -1.
        binary=bool(u.size) and bool(np.isin(np.abs(np.concatenate([u, v])), (0.0, 1.0)).all()),
    )


def _common_votes(pair: Pair, votes: Votes) -> _Common:
    """Votes between the two models, and how many of them each won."""
    if not set(pair) <= set(votes.models):
        return _Common(0, 0, 0, math.nan, math.nan)
    a, b = (votes.models.index(model) for model in pair)
    met, won, lost = votes.met[a, b], votes.wins[a, b], votes.wins[b, a]
    n = round(float(met))
    return _Common(n, n, n, math.nan, math.nan, ahead=round(float(won)), behind=round(float(lost)))


def _column(items: Items, model: str) -> NDArray[np.float64]:
    if model not in items.models:
        return np.full(items.n, np.nan)
    return items.values[:, items.models.index(model)]


def _in_units(common: _Common, direction: Direction) -> _Common:
    if direction == "higher":
        return common
    return common._replace(score_a=0.0 - common.score_a, score_b=0.0 - common.score_b)


def _compared_test(compared: Comparisons, cell: tuple[int, int], alpha: float) -> MeanTest:
    if compared.pairs is None:
        nan = math.nan
        found = MeanTest(
            float(compared.diff[cell]), nan, nan, nan, nan, nan, nan, nan, "cannot tell"
        )
    else:
        found = mean_test(compared.pairs, cell, alpha)
    if compared.deciding is compared.pairs and compared.pairs is not None:
        return found
    # The means are described as ever; something else decides.
    better, worse = float(compared.p[cell]), float(compared.p[cell[::-1]])
    verdict = _verdict(better <= alpha / 2, worse <= alpha / 2)
    return found._replace(p_better=better, p_worse=worse, verdict=verdict)


def mean_test(pairs: PairStatistics, cell: tuple[int, int], alpha: float) -> MeanTest:
    """Difference, interval and verdict of the pair in one cell of a matrix of pairs."""
    difference, se = float(pairs.diff[cell]), float(pairs.se[cell])
    df = float(np.broadcast_to(pairs.df, pairs.diff.shape)[cell])
    statistic, opposite = float(pairs.statistic[cell]), float(pairs.statistic[cell[::-1]])
    p = p_values(pairs)
    critical = float(critical_value(alpha / 2, df))
    spread = se > 0 and df > 0
    half = critical * se if spread else math.nan
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
        verdict=_verdict(statistic >= critical, opposite >= critical),
    )


def _verdict(better: bool, worse: bool) -> Verdict:
    if better:
        return "better"
    return "worse" if worse else "cannot tell"
