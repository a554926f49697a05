"""Statistics of k of n answers: all subsets, one by one, say the same."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from rankbars.stats.countscores import all_right, any_right, best_of, most_right


@pytest.mark.parametrize("n", range(1, 7))
def test_closed_forms_are_means_over_all_subsets(n: int) -> None:
    right, total = np.arange(n + 1), np.full(n + 1, n)
    for k in range(1, n + 1):
        found = {"all": [], "any": [], "most": []}  # type: dict[str, list[float]]
        for c in range(n + 1):
            sums = [sum(one) for one in combinations([1] * c + [0] * (n - c), k)]
            found["all"].append(float(np.mean([s == k for s in sums])))
            found["any"].append(float(np.mean([s > 0 for s in sums])))
            found["most"].append(float(np.mean([(2 * s > k) + 0.5 * (2 * s == k) for s in sums])))
        assert all_right(right, total, k) == pytest.approx(found["all"], abs=1e-14)
        assert any_right(right, total, k) == pytest.approx(found["any"], abs=1e-14)
        assert most_right(right, total, k) == pytest.approx(found["most"], abs=1e-12)


@pytest.mark.parametrize(("p", "n", "k"), [(0.3, 4, 2), (0.7, 6, 4), (0.5, 5, 5)])
def test_the_mean_over_all_answers_is_what_k_new_ones_give(p: float, n: int, k: int) -> None:
    every = [sum(one) for one in product((0, 1), repeat=n)]
    weight = np.array([p**c * (1 - p) ** (n - c) for c in every])
    right, total = np.array(every), np.full(len(every), n)
    assert weight @ all_right(right, total, k) == pytest.approx(p**k, abs=1e-12)
    assert weight @ any_right(right, total, k) == pytest.approx(1 - (1 - p) ** k, abs=1e-12)


def test_the_best_of_graded_scores_is_the_mean_over_all_subsets() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(5, 6))
    scores[1, 4:] = np.nan
    for k in range(1, 5):
        brute = [np.mean([max(one) for one in combinations(row[~np.isnan(row)], k)])
                 for row in scores]  # fmt: skip
        assert best_of(scores, k) == pytest.approx(brute, abs=1e-12)
    assert np.isnan(best_of(scores, 5)[1])


def test_more_answers_make_any_easier_and_all_harder() -> None:
    right, total = np.arange(9), np.full(9, 8)
    for k in range(1, 8):
        assert (any_right(right, total, k + 1) >= any_right(right, total, k)).all()
        assert (all_right(right, total, k + 1) <= all_right(right, total, k)).all()
