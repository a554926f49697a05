"""Items crossed with runs: mean squares, degenerate layouts, and what averaging misses."""

import json
from pathlib import Path

import numpy as np
import pytest

from rankbars.errors import DataError
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.pairwise.pairstatistics import p_values
from rankbars.stats.pairwise.runeffects import run_squares, two_way_t

RUNS = json.loads(Path("tests/data/shared_runs.json").read_text(encoding="utf-8"))


def against_zero(d):
    """Scores of two models that differ by `d`, on items of their own difficulty."""
    return np.stack([d, np.zeros(d.shape)], axis=2)


def written_out(a, b, crossed):
    """Statistic and degrees of freedom of two models, from plain loops."""
    n, runs = a.shape
    d = (a - b).mean(axis=1)
    among = sum((one - d.mean()) ** 2 for one in d) / (n - 1) / n
    excess = total = 0.0
    for table in (a - b,) if crossed else (a, b):
        grand = table.mean()
        run = sum(n * (table[:, s].mean() - grand) ** 2 for s in range(runs)) / (runs - 1)
        rest = sum(
            (table[i, s] - table[i].mean() - table[:, s].mean() + grand) ** 2
            for i in range(n)
            for s in range(runs)
        ) / ((n - 1) * (runs - 1))
        excess += (run - rest) / (n * runs)
        total += (run / (n * runs)) ** 2
    if excess <= 0:
        return d.mean() / np.sqrt(among), n - 1
    variance = among + excess
    df = variance**2 / (among**2 / (n - 1) + total / (runs - 1))
    return d.mean() / np.sqrt(variance), max(df, 1.0)


@pytest.mark.parametrize(("pair", "case"), [("AB", "A_B"), ("CB", "C_B")])
def test_equals_the_reference_values(pair, case):
    expected = RUNS[f"two_way_truncated_{case}"]
    found = two_way_t(np.stack([np.array(RUNS[one], dtype=float) for one in pair], axis=2))
    assert found.se[0, 1] ** 2 == pytest.approx(expected["var"], rel=1e-12)
    assert found.df[0, 1] == pytest.approx(expected["df"], rel=1e-12)
    assert found.statistic[0, 1] == pytest.approx(expected["t"], rel=1e-12)
    assert p_values(found)[0, 1] == pytest.approx(expected["p_better"], rel=1e-10)


def test_mean_squares_are_those_of_the_reference():
    cube = np.stack([np.array(RUNS[one], dtype=float) for one in "AB"], axis=2)
    made = run_squares(cube)
    expected = RUNS["two_way_truncated_A_B"]["ms_run_ms_res"]
    np.testing.assert_allclose(np.transpose(made), expected, rtol=1e-12)


@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize(("item", "run", "rest"), [(1, 1, 1), (1, 0.1, 1), (0, 0, 1), (0, 1, 0.1)])
def test_equals_the_formula_written_out(item, run, rest, crossed):
    rng = np.random.default_rng(4)
    cube = 50 * rng.normal(size=(9, 1, 1)) + rest * rng.normal(size=(9, 4, 5))
    cube += item * rng.normal(size=(9, 1, 5)) + run * rng.normal(size=(1, 4, 5))
    found = two_way_t(cube, crossed=crossed)
    for i in range(5):
        for j in range(5):
            if i != j:
                t, df = written_out(cube[:, :, i], cube[:, :, j], crossed)
                assert found.statistic[i, j] == pytest.approx(t, rel=1e-9)
                assert found.df[i, j] == pytest.approx(df, rel=1e-9)
    assert found.n == 4


def test_without_an_excess_of_runs_it_is_the_paired_t_test():
    rng = np.random.default_rng(11)
    answers = rng.normal(size=(30, 4, 4))
    answers -= answers.mean(axis=0)  # no run is ahead of another
    answers += rng.normal(size=(30, 1, 4))
    found, plain = two_way_t(answers), paired_t(answers.mean(axis=1))
    np.testing.assert_allclose(found.statistic, plain.statistic, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(found.df[np.triu_indices(4, 1)], 29)


def test_an_effect_that_prompts_have_on_all_models_cancels():
    rng = np.random.default_rng(12)
    cube = rng.normal(size=(20, 5, 3))
    moved = cube + 10 * rng.normal(size=(1, 5, 1))
    np.testing.assert_allclose(
        two_way_t(moved, crossed=True).statistic, two_way_t(cube, crossed=True).statistic, rtol=1e-8
    )
    assert (two_way_t(moved).se[0, 1:] > two_way_t(cube).se[0, 1:]).all()


def test_nearly_equal_models_keep_their_digits():
    """Clones that differ by a millionth and less of what the items do."""
    rng = np.random.default_rng(6)
    base = rng.normal(size=(20, 6))
    noise = np.round(rng.normal(size=(20, 6)) * 2**20) * 2.0**-50
    base = np.round(base * 2**20) * 2.0**-20
    cube = np.stack([base + noise, base, rng.normal(size=(20, 6))], axis=2)
    t, df = written_out(noise, np.zeros_like(noise), crossed=True)
    found = two_way_t(cube, crossed=True)
    assert found.statistic[0, 1] == pytest.approx(t, rel=1e-5)
    assert found.df[0, 1] == pytest.approx(df, rel=1e-5)


def test_difficulty_of_an_item_in_a_run_does_not_matter():
    """Numbers with few bits, so that adding the difficulty rounds nothing away."""
    rng = np.random.default_rng(8)
    cube = np.round(rng.normal(size=(12, 3, 4)) * 2**20) * 2.0**-20
    shifted = cube + np.round(2**20 * rng.normal(size=(12, 3, 1)))
    np.testing.assert_allclose(
        two_way_t(shifted, crossed=True).statistic,
        two_way_t(cube, crossed=True).statistic,
        rtol=0,
        atol=1e-12,
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


def errors(rng, repetitions, shape, tau, gap=0.0):
    """Share of two-sided 5 % tests that reject, by t on item means, by two_way: gaussian answers.

    Items differ by .2 and answers by .6 in a difference, runs of each model by `tau`.
    """
    n, runs = shape
    limits = np.zeros(2)
    for _ in range(repetitions):
        items = 0.2 / np.sqrt(2) * rng.normal(size=(n, 1, 2))
        answers = 0.6 / np.sqrt(2) * rng.normal(size=(n, runs, 2))
        cube = items + answers + tau * rng.normal(size=(1, runs, 2)) + [gap, 0.0]
        for place, found in enumerate((paired_t(cube.mean(axis=1)), two_way_t(cube))):
            p = p_values(found)
            limits[place] += 2 * min(p[0, 1], p[1, 0]) <= 0.05
    return limits


def test_independent_answers_keep_the_level_of_both_tests():
    rng = np.random.default_rng(21)
    by_t, by_two_way = errors(rng, 400, (50, 4), 0.0) / 400
    assert 0.02 < by_t < 0.085
    assert by_two_way <= by_t


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "tau", "by_t", "by_two_way"),
    [
        ((50, 4), 0.0, 0.053, 0.034), ((50, 4), 0.05, 0.101, 0.035),
        ((200, 4), 0.0, 0.050, 0.030), ((200, 4), 0.02, 0.080, 0.034),
        ((200, 4), 0.05, 0.251, 0.048), ((200, 2), 0.05, 0.274, 0.067),
    ],
)  # fmt: skip
def test_levels_are_those_of_the_reference(calibration, shape, tau, by_t, by_two_way):
    repetitions = calibration.runs(300, 6000)
    found = errors(np.random.default_rng(49), repetitions, shape, tau)
    for hits, published, test in zip(found, (by_t, by_two_way), ("t", "two_way"), strict=True):
        # Both the study and its published figure, of 3,000 repetitions, have an error.
        error = np.sqrt(published * (1 - published) * (1 / repetitions + 1 / 3000))
        calibration.near(hits, repetitions, published, 3.5 * error, of=test)
    if shape[1] >= 4:
        calibration.at_most(found[1], repetitions, 0.07, of="two_way")


@pytest.mark.slow
def test_power_without_an_effect_is_that_of_the_reference(calibration):
    repetitions = calibration.runs(600, 4000)
    gap = 2.9 * np.sqrt((0.04 + 0.36 / 4) / 50)  # a power of about .8 for t
    by_t, by_two_way = errors(np.random.default_rng(50), repetitions, (50, 4), 0.0, gap)
    calibration.near(by_t, repetitions, 0.815, 0.05, of="t")
    calibration.near(by_two_way, repetitions, 0.714, 0.06, of="two_way")
