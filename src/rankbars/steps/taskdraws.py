"""Draws of the scores of all models on one task: resampled items, or a distribution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Estimates, Folds, Items
from rankbars.data.rightanswers import is_share
from rankbars.errors import OptionError
from rankbars.stats.pairwise.consensus import consensus_scores
from rankbars.stats.resampling.counts import Streams
from rankbars.stats.resampling.distributions import (
    binomial_draws,
    contrast_covariance,
    normal_draws,
    symmetric_root,
)
from rankbars.stats.resampling.itemmeans import bootstrap_means
from rankbars.steps.plans import TaskPart

__all__ = ["draw_normal", "draw_resampled", "is_share"]


def draw_resampled(
    part: TaskPart, models: tuple[str, ...], streams: Streams, draws: int
) -> NDArray[np.float64]:
    """Scores of `models` on resampled items of one task, shape (S, M)."""
    evidence = part.evidence
    columns = [evidence.models.index(name) for name in models]
    if isinstance(evidence, Items):
        values = evidence.values[:, columns]
        _refuse_rows(part.task, evidence, values)
        return bootstrap_means(
            values, streams, draws, clusters=evidence.clusters, weights=evidence.weights
        )
    if isinstance(evidence, Estimates) and evidence.n is not None and is_share(evidence):
        return binomial_draws(evidence.mean[columns], evidence.n[columns], streams, draws)
    return draw_normal(part, models, streams, draws)


def draw_normal(
    part: TaskPart, models: tuple[str, ...], streams: Streams, draws: int
) -> NDArray[np.float64]:
    """Normal draws of the scores of `models` on one task, shape (S, M)."""
    compared = part.comparisons
    chosen = np.array([compared.models.index(name) for name in models], dtype=np.intp)
    block = np.ix_(chosen, chosen)
    pairs, mean = compared.pairs, compared.mean[chosen]
    own = np.square(compared.mean_se[chosen])
    among = np.full(own.shape * 2, np.nan) if pairs is None else np.square(pairs.se[block])
    if pairs is None or not (np.isfinite(own).all() and np.isfinite(among).all()):
        raise OptionError(
            f"Task {part.task!r} does not say how sure its scores are, so nothing can be drawn. "
            'Use over="tasks" (--aggregate tasks).'
        )
    root = symmetric_root(contrast_covariance(own, among)).root
    centre = consensus_scores(mean, pairs.diff[block], pairs.se[block])
    made = normal_draws(centre, root, streams, draws, identical=pairs.identical[block])
    if part.limits is None:
        return made
    # Comparisons are on the common scale already; draws are handed over as they were read.
    return made * part.limits.width + part.limits.low


def _refuse_rows(task: str, evidence: Items, values: NDArray[np.float64]) -> None:
    if isinstance(evidence.design, Folds):
        raise OptionError(
            f"Task {task!r}: rows are cross-validation folds, which share training data, and "
            "cannot be resampled. Use the estimator 'analytic', or over=\"tasks\"."
        )
    if np.isnan(values).any():
        raise OptionError(
            f"Task {task!r}: resampling items needs complete scores. Use --missing listwise, "
            "fail, drop_models or bounds, or the estimator 'analytic'."
        )
