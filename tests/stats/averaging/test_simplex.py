"""Weights of categories: grids, winners, and the smallest change that takes a lead away."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from rankbars.stats.averaging.simplex import (
    random_weights,
    smallest_change,
    weigh,
    weight_grid,
)

NO_ERROR = np.zeros((3, 2, 2))


@pytest.mark.parametrize(("categories", "count"), [(1, 1), (2, 101), (3, 5151)])
def test_grid_holds_every_multiple_once(categories, count):
    grid = weight_grid(categories, 100)
    assert grid.points.shape == (count, categories)
    assert len({tuple(point) for point in np.rint(grid.points * 100).astype(int)}) == count
    assert grid.points.sum(axis=1) == pytest.approx(1.0)


def test_share_of_the_triangle_is_an_area():
    # The first model wins where w1 > (w2 + w3) / 2, that is w1 > 1/3: a triangle of side 2/3.
    score = np.array([[1.0, 0.0], [0.0, 0.5], [0.0, 0.5]])
    for grid in (weight_grid(3, 300), random_weights(3, 200_000, np.random.default_rng(0))):
        won = weigh(grid.points, score, NO_ERROR).winner == 0
        assert grid.areas[won].sum() == pytest.approx(4 / 9, abs=0.004)


def test_corners_are_single_categories():
    score = np.array([[0.9, 0.5, 0.1], [0.2, 0.4, 0.3], [0.1, 0.2, 0.6]])
    duels = weigh(np.eye(3), score, np.zeros((3, 3, 3)))
    assert duels.winner.tolist() == [0, 1, 2]
    assert duels.runner_up.tolist() == [1, 2, 1]
    assert duels.margin == pytest.approx([0.4, 0.1, 0.4])


def test_error_of_the_margin_adds_up_over_categories():
    rng = np.random.default_rng(0)
    score, variance = rng.random((3, 4)), rng.random((3, 4, 4))
    point = np.array([[0.2, 0.3, 0.5]])
    duels = weigh(point, score, variance)
    i, j = duels.winner[0], duels.runner_up[0]
    expected = sum(w**2 * variance[c, i, j] for c, w in enumerate(point[0]))
    assert duels.error[0] == pytest.approx(np.sqrt(expected))


def test_models_without_a_category_take_no_part():
    score = np.array([[0.9, 0.5, np.nan], [0.2, 0.4, 1.0]])
    duels = weigh(np.array([[0.0, 1.0]]), score, np.zeros((2, 3, 3)))
    assert (duels.winner[0], duels.runner_up[0]) == (1, 0)


@given(seed=st.integers(0, 500), categories=st.integers(1, 6))
def test_smallest_change_agrees_with_linear_programming(seed, categories):
    rng = np.random.default_rng(seed)
    base = rng.dirichlet(np.ones(categories))
    ahead = np.round(rng.normal(size=categories), 1)
    if base @ ahead < 0:
        ahead = -ahead
    found = smallest_change(base, ahead)
    # Minimise half of sum |w - base| with w = base + up - down, both 0 or more.
    size = categories
    ones = np.ones(size)
    programme = optimize.linprog(
        np.concatenate([ones, ones]) / 2,
        A_ub=[np.concatenate([ahead, -ahead])],
        b_ub=[-base @ ahead],
        A_eq=[np.concatenate([ones, -ones])],
        b_eq=[0.0],
        bounds=[(0, None)] * size + [(0, b) for b in base],
    )
    if np.isinf(found.moved):
        assert not programme.success
        return
    assert found.moved == pytest.approx(programme.fun, abs=1e-9)
    assert found.weights @ ahead == pytest.approx(min(base @ ahead, 0.0), abs=1e-9)
    assert found.weights.sum() == pytest.approx(1.0)
    assert (found.weights >= -1e-12).all()
    assert np.abs(found.weights - base).sum() / 2 == pytest.approx(found.moved, abs=1e-9)
