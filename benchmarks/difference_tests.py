"""Tests of differences beside the t-test."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.inputs import draw_scores
from benchmarks.rows import Ratio, Row, Sides
from rankbars.stats.pairwise.robust import wilcoxon

TITLE = "Other tests of differences"


def wilcoxon_against_loop(models: int, items: int) -> Sides:
    """The signed-rank test of every ordered pair."""
    # Whole marks, so that zeros and ties occur as they do in benchmarks.
    values = np.rint(10 * draw_scores(models, items))
    return Sides(lambda: wilcoxon(values), lambda: wilcoxon_by_scipy(values), _same_p)


def wilcoxon_by_scipy(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same by scipy, pair by pair and side by side."""
    from scipy.stats import wilcoxon as scipy_wilcoxon

    n_models = values.shape[1]
    p = np.ones((n_models, n_models))
    for i in range(n_models):
        for j in range(n_models):
            if i != j:
                p[i, j] = scipy_wilcoxon(
                    values[:, i] - values[:, j],
                    zero_method="pratt",
                    correction=True,
                    alternative="greater",
                    method="asymptotic",
                ).pvalue
    return p


def _same_p(one: NDArray[np.float64], other: NDArray[np.float64]) -> None:
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-300)


ROWS: tuple[Row, ...] = (
    Ratio(
        "wilcoxon_100x500",
        "Wilcoxon signed-rank test of all pairs, both sides",
        "`scipy.stats.wilcoxon` in a loop",
        wilcoxon_against_loop,
        {"models": 100, "items": 500},
        {"models": 4, "items": 60},
        at_least=20,
        slow=True,
    ),
)
