"""Bootstrap over tasks: percentile and studentised intervals, two levels counted once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankbars.stats.resampling.distributions import CHUNK
from rankbars.stats.resampling.taskmeans import (
    StudentisedDraws,
    percentile_ends,
    resample_tasks,
    split_variance,
    studentised_ends,
)


def streams(seed=0):
    return lambda chunk: np.random.default_rng([seed, chunk])


def picked(count, draws):
    return np.random.default_rng([0, 0]).integers(0, count, size=(CHUNK, count))[:draws]


def test_draws_and_errors_are_those_of_the_tasks_that_were_picked():
    rows = np.random.default_rng(1).normal(size=(8, 3)) + 50
    made = resample_tasks(rows, streams(), 100)
    sample = rows[picked(8, 100)]
    assert made.values == pytest.approx(sample.mean(axis=1), rel=1e-12)
    assert made.errors == pytest.approx(sample.std(axis=1, ddof=1) / 8**0.5, rel=1e-6)


def test_weights_go_with_the_tasks_that_were_picked():
    rng = np.random.default_rng(1)
    rows, weights = rng.normal(size=(6, 2)), rng.uniform(1, 3, size=6)
    made = resample_tasks(rows, streams(), 100, weights)
    w, sample = weights[picked(6, 100)][:, :, None], rows[picked(6, 100)]
    mean = (w * sample).sum(axis=1) / w.sum(axis=1)
    assert made.values == pytest.approx(mean, rel=1e-12)
    squares = (np.square(w * (sample - mean[:, None]))).sum(axis=1)
    errors = np.sqrt(squares / w.sum(axis=1) ** 2 * 6 / 5)
    assert made.errors == pytest.approx(errors, rel=1e-6)


def test_percentile_interval_agrees_with_scipy():
    rows = np.random.default_rng(3).gamma(2.0, size=(19, 1))
    ours = percentile_ends(resample_tasks(rows, streams(), 20_000).values, 0.05)
    theirs = stats.bootstrap(
        (rows[:, 0],), np.mean, n_resamples=20_000, method="percentile", rng=5
    ).confidence_interval
    width = theirs.high - theirs.low
    assert [ours.low[0], ours.high[0]] == pytest.approx(list(theirs), abs=0.02 * width)


def test_studentised_interval_by_hand():
    made = StudentisedDraws(
        np.array([[1.0], [2.0], [3.0], [5.0], [4.0]]), np.array([[1.0], [2.0], [1.0], [0.5], [2.0]])
    )
    # t* = (value - 2) / error: -1, 0, 1, 6, 1; ordered -1, 0, 1, 1, 6.
    ends = studentised_ends(np.array([2.0]), np.array([0.5]), made, 0.5)
    assert (ends.low.tolist(), ends.high.tolist()) == ([1.5], [2.0])
    wide = studentised_ends(np.array([2.0]), np.array([0.5]), made, 0.2)
    assert (wide.low.tolist(), wide.high.tolist()) == ([-1.0], [2.5])


def test_a_resample_of_one_task_only_has_no_error_and_an_infinite_ratio():
    made = resample_tasks(np.array([[0.1], [0.7]]), streams(), 400)
    alone = made.errors[:, 0] == 0
    assert 0.4 < alone.mean() < 0.6
    ends = studentised_ends(np.array([0.4]), np.array([0.3]), made, 0.05)
    assert (ends.low[0], ends.high[0]) == (-np.inf, np.inf)


def test_a_model_with_the_same_score_everywhere_has_an_interval_of_no_width():
    rows = np.full((7, 1), 0.3)
    made = resample_tasks(rows, streams(), 300)
    ends = studentised_ends(rows.mean(axis=0), np.zeros(1), made, 0.05)
    assert ends.low == pytest.approx([0.3])
    assert ends.high == pytest.approx([0.3])


def test_equal_columns_get_equal_draws():
    rows = np.random.default_rng(0).normal(size=(12, 5))[:, [0, 1, 2, 3, 4, 1]]
    made = resample_tasks(rows, streams(), 300)
    assert (made.values[:, 1] == made.values[:, 5]).all()
    assert (made.errors[:, 1] == made.errors[:, 5]).all()


@given(spread=st.floats(0, 10), noise=st.floats(0, 10), count=st.integers(2, 50))
def test_item_noise_is_counted_once(spread, noise, count):
    found = split_variance(np.array([spread]), np.array([noise]), count)
    assert found.variance[0] == pytest.approx(max(spread, noise) / count)
    assert found.between[0] == max(spread - noise, 0)


@pytest.mark.slow
def test_resampling_tasks_and_items_would_count_the_noise_twice():
    """The figures of the reference: 20 tasks, 300 data sets, true standard error .0650."""
    rng = np.random.default_rng(0)
    tasks, items, between, within = 20, 50, 0.25, 1.02
    truth = np.sqrt(between**2 / tasks + within**2 / (tasks * items))
    once, twice, resampled = [], [], []
    for _ in range(300):
        level = rng.normal(scale=between, size=tasks)
        scores = level[:, None] + rng.normal(scale=within, size=(tasks, items))
        means = scores.mean(axis=1)
        noise = (scores.var(axis=1, ddof=1) / items).mean()
        found = split_variance(np.array([means.var(ddof=1)]), np.array([noise]), tasks)
        once.append(found.variance[0])
        twice.append((means.var(ddof=1) + noise) / tasks)
        made = resample_tasks(means[:, None], streams(len(once)), 300)
        resampled.append(made.values.var() * tasks / (tasks - 1))
    assert np.sqrt(np.mean(once)) == pytest.approx(truth, rel=0.04)
    assert np.sqrt(np.mean(resampled)) == pytest.approx(truth, rel=0.04)
    assert np.sqrt(np.mean(twice)) > 1.08 * truth


@pytest.mark.slow
@pytest.mark.parametrize(("tasks", "share"), [(5, 0.84), (12, 0.91)])
def test_coverage_over_few_tasks_percentile_too_low_studentised_and_t_kept(
    tasks, share, calibration
):
    """Nominal 95 %; were the means of resamples normal, .846 and .913 would be covered."""
    reach = 1.96 * ((tasks - 1) / tasks) ** 0.5
    assert 1 - 2 * stats.t.sf(reach, tasks - 1) == pytest.approx(share, abs=0.006)
    rng = np.random.default_rng(11)
    repetitions = calibration.runs(4_000, 8_000)
    hits = np.zeros(3)
    # Data sets stand side by side as models: they share resamples, which leaves each one's
    # interval what it is.
    for part in range(repetitions // 20):
        rows = rng.normal(size=(tasks, 20))
        mean, se = rows.mean(axis=0), rows.std(axis=0, ddof=1) / np.sqrt(tasks)
        made = resample_tasks(rows, streams(part), 1_000)
        half = stats.t.ppf(0.975, tasks - 1) * se
        intervals = (
            percentile_ends(made.values, 0.05),
            studentised_ends(mean, se, made, 0.05),
            (mean - half, mean + half),
        )
        hits += [((low <= 0) & (high >= 0)).sum() for low, high in intervals]
    percentile, studentised, t = hits
    calibration.near(percentile, repetitions, share, 0.02, of="percentiles")
    calibration.above(t, repetitions, 0.94, of="t")
    calibration.above(studentised, repetitions, 0.93, of="studentised")
