"""The driver of every fit: it ends at the top or says why not."""

import numpy as np
import pytest

from rankbars.errors import ConvergenceError, DataError, RankbarsError
from rankbars.stats.votes import newton
from rankbars.stats.votes.newton import Height, factorise, maximise, solve


def logistic_height(signs):
    """Log-likelihood of one slope from observations at 1 with these signs."""

    def evaluate(point):
        p = 1 / (1 + np.exp(-signs * point[0]))
        information = np.array([[np.sum(p * (1 - p))]])
        gradient = np.array([np.sum(signs * (1 - p))])
        return Height(float(np.log(p).sum()), gradient, lambda: information)

    return evaluate


def reach(step):
    return float(np.abs(step).max())


def test_the_top_is_found_and_the_gradient_vanishes():
    evaluate = logistic_height(np.array([1.0, 1.0, 1.0, -1.0]))
    peak = maximise(evaluate, np.zeros(1), np.full(1, 1e-10), reach)
    assert abs(peak.point[0] - np.log(3)) < 1e-12
    assert abs(peak.height.gradient[0]) < 1e-10
    assert peak.iterations < 8


def test_a_function_that_rises_for_ever_is_refused_though_its_gradient_vanishes():
    evaluate = logistic_height(np.ones(4))
    assert abs(evaluate(np.full(1, 30.0)).gradient[0]) < 1e-10
    with pytest.raises(DataError, match="no best fit"):
        maximise(evaluate, np.zeros(1), np.full(1, 1e-10), reach)


def test_a_flat_direction_is_refused():
    def evaluate(point):
        return Height(
            -float(point[0] ** 2), np.array([-2 * point[0], 0.0]), lambda: np.diag([2.0, 0])
        )

    with pytest.raises(DataError, match="no best fit"):
        maximise(evaluate, np.ones(2), np.full(2, 1e-10), reach)


def test_a_step_that_overshoots_is_halved():
    """Far out on a hyperbola the Newton step is hundreds of times too long."""

    def evaluate(point):
        x = point[0]
        return Height(
            -float(np.hypot(1, x)),
            np.array([-x / np.hypot(1, x)]),
            lambda: np.array([[(1 + x * x) ** -1.5]]),
        )

    peak = maximise(evaluate, np.full(1, 20.0), np.full(1, 1e-10), reach)
    assert abs(peak.point[0]) < 1e-10


def test_a_fit_that_does_not_get_there_says_how_far_it_got(monkeypatch):
    monkeypatch.setattr(newton, "MOST_ITERATIONS", 2)
    with pytest.raises(
        ConvergenceError, match=r"not converge in 2 iterations: .* 1e-10 is allowed"
    ):
        maximise(logistic_height(np.array([1.0] * 9 + [-1])), np.zeros(1), np.full(1, 1e-10), reach)


def test_a_gradient_of_the_wrong_sign_is_noticed():
    def evaluate(point):
        return Height(-float(point @ point), 2 * point, lambda: 2 * np.eye(1))

    with pytest.raises(ConvergenceError, match="stuck"):
        maximise(evaluate, np.ones(1), np.full(1, 1e-10), reach)


def test_non_convergence_is_one_of_our_errors():
    assert issubclass(ConvergenceError, RankbarsError)
    assert issubclass(ConvergenceError, ArithmeticError)


def test_only_the_upper_triangle_is_read():
    rng = np.random.default_rng(0)
    matrix = np.cov(rng.normal(size=(5, 20)))
    spoiled = np.triu(matrix) + np.tril(np.full((5, 5), np.nan), -1)
    right = rng.normal(size=5)
    np.testing.assert_allclose(solve(factorise(spoiled), right), np.linalg.solve(matrix, right))
