"""Joint draws from a distribution: covariance, tails, equal models."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankbars.stats.resampling.distributions import (
    binomial_draws,
    contrast_covariance,
    normal_draws,
    row_draws,
    symmetric_root,
)


def streams(seed=0):
    return lambda chunk: np.random.default_rng([seed, chunk])


def covariance(seed, size, rank):
    factor = np.random.default_rng(seed).normal(size=(rank, size))
    return factor.T @ factor


@given(seed=st.integers(0, 99), size=st.integers(1, 6), rank=st.integers(1, 7))
def test_the_square_of_the_root_is_the_covariance(seed, size, rank):
    cov = covariance(seed, size, rank)
    found = symmetric_root(cov)
    assert found.root @ found.root == pytest.approx(cov, abs=1e-9 * np.abs(cov).max())
    assert found.deficit == 0.0


def test_a_matrix_that_is_no_covariance_is_reported():
    found = symmetric_root(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert found.deficit == pytest.approx(1 / 3)
    assert np.linalg.eigvalsh(found.root).min() > -1e-12


def test_covariance_comes_back_from_variances_of_differences():
    cov = covariance(3, 4, 9)
    own = np.diag(cov)
    among = own[:, None] + own[None, :] - 2 * cov
    assert contrast_covariance(own, among) == pytest.approx(cov, rel=1e-12)


def test_normal_draws_have_the_mean_and_the_covariance_asked_for():
    cov = covariance(5, 4, 6)
    mean = np.array([3.0, -1.0, 0.0, 100.0])
    made = normal_draws(mean, symmetric_root(cov).root, streams(), 100_000)
    error = np.sqrt(np.diag(cov) / 100_000)
    assert (np.abs(made.mean(axis=0) - mean) < 5 * error).all()
    assert np.cov(made.T) == pytest.approx(cov, abs=0.03 * np.diag(cov).max())


def test_t_draws_follow_the_t_distribution_of_a_mean_of_few_rows():
    rows = np.random.default_rng(0).normal(size=(5, 2)) + [0.0, 2.0]
    made = row_draws(rows, streams(), 20_000)
    for column, values in enumerate(rows.T):
        expected = stats.t(4, loc=values.mean(), scale=values.std(ddof=1) / 5**0.5)
        assert stats.kstest(made[:, column], expected.cdf).pvalue > 0.001
    # The two models share the draw, so their difference has the error of a paired difference.
    difference = rows[:, 0] - rows[:, 1]
    expected = stats.t(4, loc=difference.mean(), scale=difference.std(ddof=1) / 5**0.5)
    assert stats.kstest(made[:, 0] - made[:, 1], expected.cdf).pvalue > 0.001


def test_identical_models_get_identical_draws():
    rows = np.random.default_rng(0).normal(size=(9, 3))[:, [0, 1, 2, 1]]
    made = row_draws(rows, streams(), 300)
    assert (made[:, 1] == made[:, 3]).all()
    cov = np.cov(rows.T) / 9
    twins = np.zeros((4, 4), dtype=bool)
    twins[1, 3] = twins[3, 1] = True
    made = normal_draws(
        rows.mean(axis=0), symmetric_root(cov).root, streams(), 300, identical=twins
    )
    assert (made[:, 1] == made[:, 3]).all()


def test_a_rounding_error_in_the_covariance_stays_one_in_the_draws():
    cov = covariance(1, 6, 3)  # singular: a triangular root would change at random
    noise = np.random.default_rng(2).normal(size=(6, 6)) * 1e-15
    mean = np.zeros(6)
    one, two = (
        normal_draws(mean, symmetric_root(c).root, streams(), 500)
        for c in (cov, cov + noise + noise.T)
    )
    assert one == pytest.approx(two, abs=1e-5)


def test_binomial_draws_are_shares_of_right_answers_on_as_many_items():
    share, items = np.array([0.8, 0.6, 1.0]), np.array([200, 50, 10])
    made = binomial_draws(share, items, streams(), 50_000)
    assert made.mean(axis=0) == pytest.approx(share, abs=0.002)
    assert made.var(axis=0) == pytest.approx(share * (1 - share) / items, rel=0.03, abs=1e-12)
    assert np.array_equal(np.rint(made * items) / items, made)
    assert abs(np.corrcoef(made[:, 0], made[:, 1])[0, 1]) < 0.02


def test_first_draws_do_not_depend_on_how_many_are_asked_for():
    rows = np.random.default_rng(0).normal(size=(9, 3))
    assert (row_draws(rows, streams(), 700)[:300] == row_draws(rows, streams(), 300)).all()
    arguments = np.array([0.5]), np.array([7]), streams()
    assert (binomial_draws(*arguments, 700)[:300] == binomial_draws(*arguments, 300)).all()
