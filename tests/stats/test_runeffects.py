"""Effects of whole runs: the test, its size and its power."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from rankbars.stats.pairwise.runeffects import (
    examine_common_runs,
    examine_runs,
    run_signal,
    signal_power,
)

RUNS = json.loads(Path("tests/data/shared_runs.json").read_text(encoding="utf-8"))


def answers(*names):
    return np.stack([np.array(RUNS[name], dtype=float) for name in names], axis=2)


@pytest.mark.parametrize("name", ["A", "B", "C"])
def test_one_model_is_as_in_the_reference(name):
    found = examine_runs(answers(name))
    expected = RUNS[f"test_{name}"]
    assert (found.q, found.p) == pytest.approx((expected["Q"], expected["p"]), rel=1e-10)
    assert found.df == expected["df"]


def test_models_add_up_as_in_the_reference():
    found = examine_runs(answers("A", "B"))
    expected = RUNS["test_pair"]
    assert (found.q, found.p) == pytest.approx((expected["Q"], expected["p"]), rel=1e-10)
    assert found.df == expected["df"]


def test_missing_answers_are_as_in_the_reference():
    cube = answers("A")
    cube[0, 1] = cube[3, 3] = cube[6, 0] = np.nan
    found = examine_runs(cube)
    expected = RUNS["test_A_with_holes"]
    assert (found.q, found.p) == pytest.approx((expected["Q"], expected["p"]), rel=1e-10)


def test_on_complete_0_1_answers_it_is_cochrans_q():
    table = np.array(RUNS["C"], dtype=float)
    runs, rows, k = table.sum(axis=0), table.sum(axis=1), table.shape[1]
    cochran = (k - 1) * (k * (runs**2).sum() - runs.sum() ** 2) / (k * rows - rows**2).sum()
    assert examine_runs(answers("C")).q == pytest.approx(cochran, rel=1e-12)


@pytest.mark.parametrize("shape", [(12, 1, 2), (12, 3, 2)])
def test_one_run_or_answers_that_never_differ_give_no_test(shape):
    found = examine_runs(np.ones(shape) * np.arange(12.0)[:, None, None])
    assert found.df == 0
    assert np.isnan(found.p)
    assert np.isnan(run_signal(np.ones(shape), 0.03))
    assert np.isnan(signal_power(np.nan, 3))


def test_few_items_are_permuted():
    cube = answers("A", "C")[:4]
    exact, rng = 0, np.random.default_rng(3)
    q = examine_runs(cube).q
    draws = 2000
    for _ in range(draws):
        made = cube.copy()
        for i in range(4):
            for m in range(2):
                made[i, :, m] = made[i, rng.permutation(4), m]
        exact += examine_runs(made).q >= q * (1 - 1e-9)
    found = examine_runs(cube, np.random.default_rng(0))
    assert found.p == pytest.approx(exact / draws, abs=0.05)
    assert found == examine_runs(cube, np.random.default_rng(0))


@pytest.mark.parametrize("n", [10, 30])
def test_equal_runs_are_found_different_as_often_as_stated(n):
    rng = np.random.default_rng(n)
    share = rng.beta(0.7, 0.7, size=(n, 1, 1))
    hits = [
        examine_runs((rng.random((n, 4, 1)) < share).astype(float)).p <= 0.05 for _ in range(600)
    ]
    assert 0.02 < np.mean(hits) < 0.06 + 3 * np.sqrt(0.06 * 0.94 / 600)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "tau", "published"),
    [(50, 0.05, 0.198), (200, 0.02, 0.143), (200, 0.05, 0.560)],
)
def test_power_is_about_that_of_the_formula(calibration, n, tau, published):
    repetitions = calibration.runs(300, 2000)
    rng, hits, formula = np.random.default_rng(51), 0, 0.0
    for _ in range(repetitions):
        chance = rng.beta(0.7, 0.7, size=(n, 1)) + tau * rng.normal(size=4)
        cube = (rng.random((n, 4)) < chance).astype(float)[:, :, None]
        found = examine_runs(cube)
        hits += found.p <= 0.05
        formula += signal_power(run_signal(cube, tau), 3) / repetitions
    error = np.sqrt(published * (1 - published) * (1 / repetitions + 1 / 2000))
    calibration.near(hits, repetitions, published, 3.5 * error)
    assert formula == pytest.approx(published, abs=0.07)


def test_power_is_the_tail_of_the_scaled_chi_square():
    cube = answers("A", "B", "C")
    spread = cube.var(axis=1, ddof=1).mean()
    cut = stats.chi2.isf(0.05, 9) / (1 + 10 * 0.2**2 / spread)
    assert signal_power(run_signal(cube, 0.2), 9) == pytest.approx(stats.chi2.sf(cut, 9), rel=1e-10)


def test_an_effect_common_to_models_is_cochrans_q_of_all_their_rows() -> None:
    rng = np.random.default_rng(3)
    cube = (rng.random((30, 4, 3)) < 0.6).astype(float)
    found = examine_common_runs(cube)
    sums = cube.sum(axis=(0, 2))
    spread = cube.var(axis=1, ddof=1).sum()
    assert found.df == 3
    assert found.q == pytest.approx(((sums - sums.mean()) ** 2).sum() / spread, rel=1e-12)


def test_an_effect_common_to_models_is_seen_where_models_alone_do_not_show_it() -> None:
    common = alone = false = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        cube = rng.normal(size=(40, 4, 6))
        false += examine_common_runs(cube).p <= 0.05
        cube += rng.normal(0, 0.15, (1, 4, 1))
        common += examine_common_runs(cube).p <= 0.05
        alone += examine_runs(cube).p <= 0.05
    # Stated: chance that a chi-square of 3 exceeds its 5 % point over 1 + 40 · 6 · 0.15².
    assert common / 200 == pytest.approx(signal_power(40 * 6 * 0.15**2, 3), abs=0.08)
    assert common > alone + 20
    assert false <= 20
