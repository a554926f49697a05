"""Items crossed with runs: mean squares, degenerate layouts, and what averaging misses."""

import numpy as np
import pytest
from reference import golden
from scipy import stats

from rankbars.errors import DataError
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.pairwise.pairstatistics import p_values
from rankbars.stats.pairwise.twoway import two_way_t


def against_zero(d):
    """Scores of two models that differ by `d`, on items of their own difficulty."""
    return np.stack([d, np.zeros(d.shape)], axis=2)


def written_out(d):
    """Statistic and degrees of freedom of one table of differences, from plain loops."""
    n, runs = d.shape
    grand = d.mean()
    item = sum(runs * (d[i].mean() - grand) ** 2 for i in range(n)) / (n - 1)
    run = sum(n * (d[:, s].mean() - grand) ** 2 for s in range(runs)) / (runs - 1)
    rest = sum(
        (d[i, s] - d[i].mean() - d[:, s].mean() + grand) ** 2 for i in range(n) for s in range(runs)
    ) / ((n - 1) * (runs - 1))
    variance = max(item + run - rest, item, run) / (n * runs)
    df = (item + run - rest) ** 2 / (
        item**2 / (n - 1) + run**2 / (runs - 1) + rest**2 / ((n - 1) * (runs - 1))
    )
    return grand / np.sqrt(variance), max(df, 1.0)


def test_equals_the_reference_values():
    case = golden("two_way_items_by_runs")
    found = two_way_t(against_zero(np.array(case["d"])))
    assert found.diff[0, 1] == pytest.approx(case["mean"], rel=1e-10)
    assert found.se[0, 1] ** 2 == pytest.approx(case["variance_of_mean"], rel=1e-10)
    assert found.df[0, 1] == pytest.approx(case["df"], rel=1e-10)
    assert p_values(found)[0, 1] == pytest.approx(case["p_better"], rel=1e-10)


@pytest.mark.parametrize(("item", "run", "rest"), [(1, 1, 1), (1, 0.1, 1), (0, 0, 1), (0, 1, 0.1)])
def test_equals_the_formula_written_out(item, run, rest):
    rng = np.random.default_rng(4)
    cube = 50 * rng.normal(size=(9, 4, 1)) + rest * rng.normal(size=(9, 4, 5))
    cube += item * rng.normal(size=(9, 1, 5)) + run * rng.normal(size=(1, 4, 5))
    found = two_way_t(cube)
    for i in range(5):
        for j in range(5):
            if i != j:
                t, df = written_out(cube[:, :, i] - cube[:, :, j])
                assert found.statistic[i, j] == pytest.approx(t, rel=1e-9)
                assert found.df[i, j] == pytest.approx(df, rel=1e-9)
    assert found.n == 4


def test_nearly_equal_models_keep_their_digits():
    """Clones that differ by a millionth and less of what the items do."""
    rng = np.random.default_rng(6)
    base = rng.normal(size=(20, 6))
    noise = np.round(rng.normal(size=(20, 6)) * 2**20) * 2.0**-50
    base = np.round(base * 2**20) * 2.0**-20
    cube = np.stack([base + noise, base, rng.normal(size=(20, 6))], axis=2)
    t, df = written_out(noise)
    found = two_way_t(cube)
    assert found.statistic[0, 1] == pytest.approx(t, rel=1e-5)
    assert found.df[0, 1] == pytest.approx(df, rel=1e-5)


def test_difficulty_of_an_item_in_a_run_does_not_matter():
    """Numbers with few bits, so that adding the difficulty rounds nothing away."""
    rng = np.random.default_rng(8)
    cube = np.round(rng.normal(size=(12, 3, 4)) * 2**20) * 2.0**-20
    shifted = cube + np.round(2**20 * rng.normal(size=(12, 3, 1)))
    np.testing.assert_allclose(
        two_way_t(shifted).statistic, two_way_t(cube).statistic, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("shape", [(1, 5, 3), (5, 1, 3), (0, 5, 3), (5, 0, 3)])
def test_one_item_or_one_run_separates_nobody(shape):
    values = np.random.default_rng(0).normal(size=shape) + np.array([0, 10, 20])
    np.testing.assert_array_equal(p_values(two_way_t(values)), np.ones((3, 3)))


@pytest.mark.parametrize(("n", "runs"), [(4, 6), (6, 4)])
def test_constant_differences_count_the_smaller_side(n, runs):
    """If runs differ from each other only, there are no more independent signs than runs."""
    values = np.random.default_rng(1).normal(size=(n, runs, 1)).round(3) + np.array([0.5, 0.0])
    np.testing.assert_allclose(p_values(two_way_t(values)), [[1, 2.0**-4], [1, 1]], rtol=1e-12)


@pytest.mark.parametrize("numbers", [(3.0, 2.0, 1.0), (0.3, 0.2, 0.1), (0.7, -0.3, -0.399)])
def test_a_table_whose_means_do_not_vary_is_no_evidence(numbers):
    """A Latin square: all item means and run means are equal up to rounding."""
    a, b, c = numbers
    found = two_way_t(against_zero(np.array([[a, b, c], [b, c, a], [c, a, b]])))
    np.testing.assert_array_equal(p_values(found), np.ones((2, 2)))
    assert not found.constant.any()


def test_missing_scores_are_refused():
    values = np.zeros((3, 3, 2))
    values[1, 2, 0] = np.nan
    with pytest.raises(DataError, match="every item in every run"):
        two_way_t(values)


def test_matrices_agree_with_each_other():
    found = two_way_t(np.random.default_rng(2).normal(size=(8, 3, 6)))
    np.testing.assert_array_equal(found.statistic, -found.statistic.T)
    np.testing.assert_array_equal(found.se, found.se.T)
    np.testing.assert_array_equal(found.df, found.df.T)


@pytest.mark.slow
def test_averaging_over_runs_misses_the_spread_of_runs(calibration):
    """Run SD .06, item SD .5, 200 items, 5 runs: type I .107 against .045 of the two-way test."""
    rng = np.random.default_rng(49)
    repetitions = calibration.runs(1000, 4000)
    averaged = crossed = 0
    limit = stats.t.ppf(0.975, 199)
    for _ in range(repetitions):
        d = 0.5 * rng.normal(size=(200, 1)) + 0.06 * rng.normal(size=5)
        cube = against_zero(d + 0.5 * rng.normal(size=(200, 5)))
        averaged += abs(paired_t(cube.mean(axis=1)).statistic[0, 1]) > limit
        found = two_way_t(cube)
        crossed += 2 * p_values(found)[[0, 1], [1, 0]].min() <= 0.05
    for count, published in ((averaged, 0.107), (crossed, 0.045)):
        # Both the study and its published figure have a Monte-Carlo error.
        error = np.sqrt(2 * published * (1 - published) / repetitions)
        assert count / repetitions == pytest.approx(published, abs=3 * error)
