"""Bootstrap over items: means of resampled rows, from counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankbars.stats.resampling.distributions import CHUNK, count_blocks, draw_counts
from rankbars.stats.resampling.itembootstrap import bootstrap_means


def streams(seed=0):
    return lambda chunk: np.random.default_rng([seed, chunk])


def test_a_draw_is_the_mean_of_the_rows_that_were_picked():
    values = np.random.default_rng(1).normal(size=(7, 3))
    made = bootstrap_means(values, streams(), 300)
    picks = np.random.default_rng([0, 0]).integers(0, 7, size=(CHUNK, 7))
    by_hand = values[picks].mean(axis=1)
    assert made[:CHUNK] == pytest.approx(by_hand, abs=1e-6)


def test_draws_of_right_and_wrong_answers_are_exact():
    values = np.random.default_rng(1).integers(0, 2, size=(31, 4)).astype(float)
    made = bootstrap_means(values, streams(), 100)
    picks = np.random.default_rng([0, 0]).integers(0, 31, size=(CHUNK, 31))
    assert (made == values[picks].sum(axis=1)[:100] / 31).all()


def test_percentile_interval_agrees_with_scipy():
    values = np.random.default_rng(3).gamma(2.0, size=(40, 1))
    ours = np.quantile(bootstrap_means(values, streams(), 20_000), [0.025, 0.975])
    theirs = stats.bootstrap(
        (values[:, 0],), np.mean, n_resamples=20_000, method="percentile", rng=5
    ).confidence_interval
    # Two Monte-Carlo runs; the ends have a standard error of about a hundredth of the width.
    assert ours == pytest.approx(list(theirs), abs=0.02 * (ours[1] - ours[0]))


def test_rounding_to_single_precision_is_far_below_the_sampling_error():
    values = 1e6 + np.random.default_rng(2).normal(size=(200, 5))
    made = bootstrap_means(values, streams(), CHUNK)
    picks = np.random.default_rng([0, 0]).integers(0, 200, size=(CHUNK, 200))
    error = np.abs(made - values[picks].mean(axis=1)).max()
    assert error < 1e-5 * made.std()


@pytest.mark.parametrize("scale", [1e-60, 1e60])
def test_scores_of_any_size_can_be_resampled(scale):
    values = np.random.default_rng(2).normal(size=(20, 2))
    made = bootstrap_means(values * scale, streams(), 50)
    assert made / scale == pytest.approx(bootstrap_means(values, streams(), 50), rel=1e-4)


def test_equal_columns_get_equal_draws():
    values = np.random.default_rng(0).normal(size=(50, 9))
    values[:, 8] = values[:, 2]
    made = bootstrap_means(values, streams(), 500)
    assert (made[:, 8] == made[:, 2]).all()


def test_clusters_are_drawn_whole_and_the_mean_is_over_rows():
    values = np.array([[1.0], [3.0], [8.0], [2.0]])
    clusters = np.array([4, 4, 7, 9])
    made = bootstrap_means(values, streams(), 200, clusters=clusters)
    picks = np.random.default_rng([0, 0]).integers(0, 3, size=(CHUNK, 3))
    sums, sizes = np.array([4.0, 8.0, 2.0]), np.array([2.0, 1.0, 1.0])
    by_hand = sums[picks].sum(axis=1) / sizes[picks].sum(axis=1)
    assert made[:, 0] == pytest.approx(by_hand[:200], rel=1e-12)


def test_weighted_mean_is_recomputed_on_the_resampled_rows():
    rng = np.random.default_rng(6)
    values, weights = rng.normal(size=(9, 2)), rng.uniform(0.5, 3.0, size=9)
    made = bootstrap_means(values, streams(), 100, weights=weights)
    picks = np.random.default_rng([0, 0]).integers(0, 9, size=(CHUNK, 9))
    w = weights[picks][:, :, None]
    by_hand = (w * values[picks]).sum(axis=1) / w.sum(axis=1)
    assert made == pytest.approx(by_hand[:100], abs=1e-6)


def test_first_draws_do_not_depend_on_how_many_are_asked_for():
    values = np.random.default_rng(0).integers(0, 2, size=(30, 3)).astype(float)
    long, short = (bootstrap_means(values, streams(), count) for count in (700, 300))
    assert (long[:300] == short).all()


def test_long_tasks_are_resampled_in_blocks_of_bounded_size():
    blocks = list(count_blocks(streams(), 300_000, 5))
    assert [counts.shape[0] for _, counts in blocks] == [3, 2]
    assert all((counts.sum(axis=1) == 300_000).all() for _, counts in blocks)


@given(units=st.integers(1, 40), seed=st.integers(0, 99))
def test_every_resample_has_as_many_units_as_there_are(units, seed):
    counts = draw_counts(np.random.default_rng(seed), units, 6)
    assert counts.shape == (6, units)
    assert (counts.sum(axis=1) == units).all()
