"""Step-down max-T: exact cases by hand, R csranks, and scipy's permutation test."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from calibration import Calibration
from hypothesis import given
from hypothesis import strategies as st
from reference import oracle_columns, oracle_scores
from scipy import stats

from rankbars.stats.multiplicity.maxt import (
    flip_draws,
    gaussian_draws,
    max_t_all,
    max_t_each,
)
from rankbars.stats.multiplicity.stepdown import decide
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.streams import stream


def seeded(name: str) -> Callable[[int], np.random.Generator]:
    return lambda chunk: stream(0, name, chunk)


def test_flip_statistic_orders_pairs_as_the_paired_t() -> None:
    values = np.random.default_rng(0).normal(size=(12, 4))
    u = flip_draws(values, seeded("u"), 10).statistic
    t = u * np.sqrt(11 / (12 - u**2))
    np.testing.assert_allclose(t, paired_t(values).statistic, rtol=1e-10, atol=1e-12)


@given(seed=st.integers(0, 10**6), rows=st.integers(3, 9))
def test_two_models_give_the_exact_sign_flip_test(seed: int, rows: int) -> None:
    d = np.random.default_rng(seed).normal(size=rows) + 0.7
    values = np.column_stack([d, np.zeros(rows)])
    p = stats.permutation_test(
        (d,), np.mean, permutation_type="samples", alternative="greater", n_resamples=np.inf
    ).pvalue
    draws = flip_draws(values, seeded("unused"), n_draws=2**rows)
    assert draws.complete
    for alpha in (0.1, 0.25, 0.5):
        made = max_t_each(draws, alpha)
        assert made.worse[0] == (p <= alpha / 2)


@pytest.mark.parametrize(("scope", "column"), [("each", "each"), ("all", "all")])
def test_gaussian_draws_agree_with_csranks(scope: str, column: str) -> None:
    scores = oracle_scores()
    n = scores.shape[0]
    pairs = paired_t(scores)
    spread = (scores - scores.mean(axis=0)) / np.sqrt(n * (n - 1))
    draws = gaussian_draws(pairs.statistic, spread, pairs.se, seeded("csranks"), n_draws=20_000)
    each = scope == "each"
    made = max_t_each(draws, 0.05, one_family=True) if each else max_t_all(draws, 0.05)
    table = oracle_columns("csranks_synth30x200_50k")
    order = [int(name[1:]) - 1 for name in table["model"]]
    ends = np.concatenate([(1 + made.better)[order], (30 - made.worse)[order]])
    expected = np.array([int(x) for x in table[f"{column}_best"] + table[f"{column}_worst"]])
    assert (ends == expected).sum() >= 57
    assert np.abs(ends - expected).max() <= 1


def test_identical_models_spoil_nobody() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(60, 4)) + [0.0, 1.0, 2.0, 3.0]
    doubled = np.column_stack([values, values[:, 0]])
    made = max_t_all(flip_draws(doubled, seeded("f"), 500), 0.05)
    assert made.shown_better is not None
    assert not made.shown_better[0, 4]
    assert made.shown_better[3, 0]
    assert made.better[0] == made.better[4]


def test_draws_start_anew_with_the_same_numbers() -> None:
    values = np.random.default_rng(2).normal(size=(40, 3))
    draws = flip_draws(values, seeded("again"), 100)
    assert np.array_equal(np.concatenate([*draws.start()]), np.concatenate([*draws.start()]))


@pytest.mark.slow
def test_all_tied_models_are_covered_at_once(calibration: Calibration) -> None:
    covered = 0
    repetitions = calibration.runs(100, 300)
    for repetition in range(repetitions):
        values = np.random.default_rng(repetition).normal(size=(10, 8))
        made = max_t_all(flip_draws(values, seeded(f"r{repetition}"), 499), 0.1)
        covered += not made.better.any()
    calibration.at_least(covered, repetitions, 0.9)


@pytest.mark.slow
def test_sharper_than_holm_on_average_for_few_rows(calibration: Calibration) -> None:
    gain = 0
    for repetition in range(calibration.runs(30, 60)):
        rng = np.random.default_rng(repetition)
        values = np.sqrt(np.arange(1, 9)) + 0.7 * rng.normal(size=(30, 8))
        pairs = paired_t(values)
        made = max_t_each(flip_draws(values, seeded(f"g{repetition}"), 999), 0.05)
        holm = decide(pairs.statistic, pairs.df, 0.05)
        gain += int((made.better - holm.better).sum())
    assert gain > 0
