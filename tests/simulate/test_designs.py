"""The simulated worlds: true scores, ties, ranks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankbars.simulate.levels import pool_scores, task_scores
from rankbars.simulate.populations import (
    Design,
    block_correlation,
    legacy_normals,
    mean_scores,
    model_names,
    spread_root,
    tie_closest,
    tied_models,
    true_rank_sets,
)


def brute_force_tie(scores: np.ndarray, count: int) -> np.ndarray:
    """The window with the smallest range, found by trying all."""
    order = sorted(range(len(scores)), key=lambda i: scores[i])
    windows = [order[i : i + count] for i in range(len(scores) - count + 1)]
    chosen = min(windows, key=lambda w: scores[w[-1]] - scores[w[0]])
    tied = scores.copy()
    tied[chosen] = scores[chosen].mean()
    return tied


@given(
    st.lists(st.integers(-50, 50), min_size=3, max_size=8, unique=True),
    st.integers(2, 3),
)
def test_ties_are_the_closest_neighbours(scores: list[int], count: int) -> None:
    values = np.array(scores, dtype=float)
    made = tie_closest(values[None], count)[0]
    expected = brute_force_tie(values, count)
    np.testing.assert_allclose(made, expected)
    assert len(set(made)) == len(values) - count + 1 or len(set(expected)) < len(values) - count + 1


def test_no_ties_leave_scores_alone() -> None:
    scores = np.array([[0.0, 1.0, 1.5]])
    assert tie_closest(scores, tied_models(3, 0.0)).tolist() == scores.tolist()


@pytest.mark.parametrize(
    ("n_models", "share", "count"),
    [(10, 0.1, 2), (10, 0.5, 5), (10, 0.8, 8), (30, 0.1, 3), (30, 0.8, 24), (30, 1.0, 30)],
)
def test_at_least_two_models_tie(n_models: int, share: float, count: int) -> None:
    assert tied_models(n_models, share) == count


@given(st.lists(st.integers(0, 4), min_size=1, max_size=7))
def test_true_ranks_are_all_places_the_model_can_take(scores: list[int]) -> None:
    sets = true_rank_sets(np.array(scores, dtype=float))
    for j, score in enumerate(scores):
        ranks = [i + 1 for i, other in enumerate(sorted(scores, reverse=True)) if other == score]
        assert (sets.best[j], sets.worst[j]) == (ranks[0], ranks[-1])


def test_blocks_of_consecutive_models_share_a_correlation() -> None:
    matrix = block_correlation(7, 3, 0.5, between=0.1)
    assert matrix[0, 1] == matrix[4, 5] == 0.5
    assert matrix[2, 3] == matrix[6, 0] == 0.1
    assert np.diag(matrix).tolist() == [1.0] * 7


def test_root_gives_back_the_covariance() -> None:
    design = Design(10, 10, 0.7, 0.8, 3)
    root = spread_root(design, 0.1)
    np.testing.assert_allclose(root @ root.T, 0.49 * block_correlation(10, 3, 0.8, 0.1))


def test_true_scores_are_those_of_the_published_study() -> None:
    generator = np.random.RandomState(2026)  # the generator that the study used
    expected = generator.randn(4, 3)
    assert legacy_normals(4, 3).tolist() == expected.tolist()
    design = Design(10, 10, 0.3)
    generator = np.random.RandomState(2026)
    expected = np.sqrt(np.arange(1, 11)) + 0.3 * generator.randn(10, 1)[:, 0]
    np.testing.assert_allclose(task_scores(design), expected)


def test_pool_has_the_means_and_spread_of_its_design() -> None:
    scores = pool_scores(Design(10, 10, 0.7, 0.5, 2))
    assert scores.shape == (1000, 10)
    np.testing.assert_allclose(scores.mean(axis=0), mean_scores(10), atol=0.1)
    correlation = np.corrcoef(scores.T)
    assert correlation[0, 1] == pytest.approx(0.5, abs=0.1)
    assert correlation[1, 2] == pytest.approx(0.0, abs=0.1)


def test_tasks_of_a_pool_are_tied_one_by_one() -> None:
    scores = pool_scores(Design(10, 10, 0.7, ties=0.5))
    assert {len(set(task)) for task in scores.tolist()} == {6}


def test_names_are_in_code_point_order() -> None:
    names = model_names(120)
    assert list(names) == sorted(names)
