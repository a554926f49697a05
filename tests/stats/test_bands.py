"""The bootstrap rank band: its definition, its ties, and that it is no confidence interval."""

from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

import numpy as np
import pytest
from scipy import stats

from rankbars.errors import DataError, OptionError
from rankbars.stats.resampling.distributions import CHUNK as DRAWS_PER_CHUNK
from rankbars.stats.resampling.itembootstrap import bootstrap_band
from rankbars.stats.streams import stream


def written_out(values, alpha, draws, seed, key):
    """The band from explicit resamples, for scores whose resampled means never tie."""
    n, _ = values.shape
    ranks = []
    for number in range(ceil(draws / DRAWS_PER_CHUNK)):
        picks = stream(seed, *key, "bootstrap band", number).integers(
            0, n, size=(DRAWS_PER_CHUNK, n)
        )
        ranks += [stats.rankdata(-values[rows].mean(axis=0)) for rows in picks]
    ranks = np.sort(np.array(ranks[:draws]), axis=0)
    tail = Fraction(str(alpha)) / 2
    return ranks[max(1, floor(draws * tail)) - 1], ranks[ceil(draws * (1 - tail)) - 1]


@pytest.mark.parametrize("alpha", [0.05, 0.29, 0.5, 0.9])
@pytest.mark.parametrize("draws", [1, 30, 200, 300])
def test_equals_explicit_resampling(alpha, draws):
    """Also at 0.29 x 200 / 2 = 29, which binary arithmetic makes 28.99."""
    values = np.random.default_rng(2).normal(size=(25, 6)) + np.arange(6) * 0.2
    band = bootstrap_band(values, alpha=alpha, draws=draws, seed=7, key=("math",))
    best, worst = written_out(values, alpha, draws, 7, ("math",))
    np.testing.assert_array_equal(band.best, best)
    np.testing.assert_array_equal(band.worst, worst)


@pytest.mark.parametrize("step", [1.0, np.pi])
def test_equal_models_take_both_orders(step):
    """Whole multiples of a step and other scores alike: equal means are ordered by a coin."""
    column = step * np.random.default_rng(1).integers(0, 9, size=30)
    values = np.stack([column, column, column - 100 * step], axis=1)
    band = bootstrap_band(values, alpha=0.9, draws=2000)
    assert band.best.tolist() == [1, 1, 3]
    assert band.worst.tolist() == [2, 2, 3]


def test_equal_sums_of_different_decimals_are_ties():
    """Two halves exchanged: half of the resamples of two rows tie, none prefers either model."""
    values = np.array([[0.1, 0.3], [0.3, 0.1]])
    band = bootstrap_band(values, alpha=0.9, draws=5000)
    assert band.best.tolist() == [1, 1]
    assert band.worst.tolist() == [2, 2]


def test_order_of_models_carries_no_information_without_ties():
    values = np.random.default_rng(5).normal(size=(40, 7))
    order = np.random.default_rng(6).permutation(7)
    band, moved = bootstrap_band(values), bootstrap_band(values[:, order])
    np.testing.assert_array_equal(moved.best, band.best[order])
    np.testing.assert_array_equal(moved.worst, band.worst[order])


def test_difficulty_of_rows_does_not_matter():
    values = np.random.default_rng(5).normal(size=(40, 7))
    shifted = bootstrap_band(values * 2.5 + 100 * np.arange(40)[:, None])
    np.testing.assert_array_equal(shifted, bootstrap_band(values))


def test_smaller_alpha_never_narrows():
    values = np.random.default_rng(9).integers(0, 3, size=(30, 6)).astype(float)
    bands = [bootstrap_band(values, alpha=alpha) for alpha in (0.01, 0.05, 0.2, 0.5, 0.9)]
    for wide, narrow in pairwise(bands):
        assert (wide.best <= narrow.best).all()
        assert (wide.worst >= narrow.worst).all()
        assert (narrow.best <= narrow.worst).all()


def test_seed_and_key_choose_the_resamples():
    values = np.random.default_rng(0).normal(size=(20, 12))
    first = bootstrap_band(values, draws=50, seed=1, key=("a",))
    np.testing.assert_array_equal(first, bootstrap_band(values, draws=50, seed=1, key=("a",)))
    assert np.any(np.array(first) != bootstrap_band(values, draws=50, seed=2, key=("a",)))
    assert np.any(np.array(first) != bootstrap_band(values, draws=50, seed=1, key=("b",)))


def test_one_row_says_nothing_and_one_model_has_one_rank():
    band = bootstrap_band(np.array([[0.9, 0.5, 0.1]]))
    assert band.best.tolist() == [1, 1, 1]
    assert band.worst.tolist() == [3, 3, 3]
    band = bootstrap_band(np.array([[0.9], [0.5]]))
    assert (band.best.tolist(), band.worst.tolist()) == ([1], [1])


def test_missing_scores_are_refused():
    with pytest.raises(DataError, match="Keep complete rows"):
        bootstrap_band(np.array([[1.0, np.nan], [0.0, 1.0]]))


@pytest.mark.parametrize(("alpha", "draws"), [(0.0, 10), (1.0, 10), (0.05, 0)])
def test_impossible_options_are_refused(alpha, draws):
    with pytest.raises(OptionError, match="must be"):
        bootstrap_band(np.zeros((3, 2)), alpha=alpha, draws=draws)


@pytest.mark.slow
@pytest.mark.parametrize(("n_models", "most"), [(30, 0.05), (10, 0.5)])
def test_it_does_not_cover_tied_models(calibration, n_models, most):
    """All models equal, so that the true rank set of each is 1 to M; 50 rows, 300 resamples."""
    runs = calibration.runs(50, 200)
    rng = np.random.default_rng(n_models)
    covered = 0
    for repetition in range(runs):
        values = rng.normal(size=(50, n_models))
        band = bootstrap_band(values, draws=300, seed=repetition)
        covered += ((band.best == 1) & (band.worst == n_models)).sum()
    calibration.below(covered, n_models * runs, most)
