"""The default correction: max-T where rows allow it and sizes say that it costs little."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import rankbars as rb
from rankbars.render.pagedata import page_data
from rankbars.stats.multiplicity.maxt import flip_draws, max_t_all
from rankbars.stats.rowsigns import skewness_index
from rankbars.steps.correctionchoice import can_bear_flips, can_flip

NAMES = ("a", "b", "c", "d")


def rows(n: int = 60, models: int = 4, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 1)) + rng.normal(size=(n, models)) + np.linspace(0, 1, models)


def board(values: np.ndarray, **options: object) -> rb.Leaderboard:
    names = NAMES[: values.shape[1]]
    return rb.leaderboard(rb.Scores.from_arrays({"x": values}, names), **options)  # type: ignore[arg-type]


def decided(values: np.ndarray, **options: object) -> str:
    return board(values, **options).tasks["x"].correction


def test_complete_even_rows_take_max_t() -> None:
    assert decided(rows()) == "maxt"
    assert decided((rows() > 0.5).astype(float)) == "maxt"
    assert board(rows()).tasks["x"].guarantee == 0.95
    chosen, named = board(rows()), board(rows(), correction="maxt")
    assert chosen.tasks["x"].best.tolist() == named.tasks["x"].best.tolist()


@pytest.mark.parametrize(
    ("values", "options"),
    [
        pytest.param(rows(models=2), {}, id="two models"),
        pytest.param(rows(n=49), {}, id="few rows"),
        pytest.param(np.where(np.arange(240).reshape(60, 4) == 7, np.nan, rows()),
                     {"missing": "pairwise"}, id="gaps"),
        pytest.param(np.exp(rows() / 2), {}, id="uneven rows"),
        pytest.param(rows(), {"alpha": 0.001}, id="too few draws for so small a rate"),
        pytest.param(rows(), {"test": "wilcoxon"}, id="a test without a law"),
    ],
)  # fmt: skip
def test_other_rows_stay_with_holm_or_are_resampled(
    values: np.ndarray, options: dict[str, object]
) -> None:
    assert decided(values, **options) in ("holm", "maxt_bootstrap")


def test_sizes_decide_and_the_cost_of_all_tasks_counts() -> None:
    assert can_flip(50, 3, 0.05, 1000)
    assert not can_flip(50, 2, 0.05, 1000)
    assert can_bear_flips([(60, 5)] * 60, 1000)
    assert not can_bear_flips([(60, 5)] * 600, 1000)
    assert not can_bear_flips([(300, 300)], 1000)
    assert can_bear_flips([(0, 5000)], 1000)  # nothing there is flipped


def test_verbs_and_boards_choose_alike_whatever_the_workers() -> None:
    scores = rb.Scores.from_arrays({name: rows(seed=k) for k, name in enumerate("xyz")}, NAMES)
    ranked = rb.rank(rb.compare(scores))
    assert {one.method for one in ranked.values()} == {"maxt"}
    assert rb.rank(rb.compare(scores)["x"]).method == "maxt"
    one, two = (rb.leaderboard(scores, scope="each", n_jobs=jobs) for jobs in (1, 2))
    for name in scores.tasks:
        assert ranked[name].best.tolist() == one.tasks[name].best.tolist()
        assert one.tasks[name].worst.tolist() == two.tasks[name].worst.tolist()
    average = rb.aggregate(scores, scope="all")
    assert average.correction == one.aggregate.correction == "maxt"


def test_an_average_needs_complete_tasks_and_degrees_of_freedom() -> None:
    gap = rows()
    gap[3, 1] = np.nan
    tasks = {"x": rows(), "y": gap}
    found = rb.leaderboard(rb.Scores.from_arrays(tasks, NAMES), missing="pairwise")
    assert found.tasks["x"].correction == "maxt"
    assert found.aggregate.correction == "holm"
    wide = {name: rows(60, 30, seed) for seed, name in enumerate("xy")}
    names = [f"m{k:02}" for k in range(30)]
    assert rb.leaderboard(rb.Scores.from_arrays(wide, names)).aggregate.correction == "holm"


def test_errors_that_fit_no_covariance_leave_the_average_to_holm() -> None:
    rng = np.random.default_rng(0)
    skill = np.r_[rng.uniform(0.9, 1.0, 3), rng.uniform(0.0, 0.1, 3)]
    tasks = {f"t{k:02}": (rng.random((20, 6)) < skill).astype(float) for k in range(20)}
    scores = rb.Scores.from_arrays(tasks, list("abcdef"))

    average = rb.leaderboard(scores).aggregate
    assert average is not None
    assert average.correction == "holm"
    assert (average.worst[:3] <= 3).all()
    assert (average.best[3:] >= 4).all()
    with pytest.raises(rb.OptionError, match=r"one covariance.*--correction holm"):
        rb.leaderboard(scores, correction="maxt")


def test_the_page_computes_other_choices_with_holm_and_says_so() -> None:
    tasks = {name: (rows(seed=k) > 0.5).astype(float) for k, name in enumerate("xyz")}
    made = rb.leaderboard(rb.Scores.from_arrays(tasks, NAMES), pairs=True)
    rule = page_data(made, ())["explore"]["average"]
    assert (rule["correction"], rule["drawn"]) == ("holm", True)
    spec = replace(made.spec, correction="holm")
    plain = rb.leaderboard(rb.Scores.from_arrays(tasks, NAMES), spec=spec, pairs=True)
    assert page_data(plain, ())["explore"]["average"]["drawn"] is False


@pytest.mark.slow
def test_flips_of_rows_that_are_nearly_even_keep_their_level() -> None:
    rng = np.random.default_rng(11)
    held = []
    spread = 0.3 + np.arange(10) / 9
    for number in range(400):
        n = int(rng.choice([50, 100, 200]))
        kinds = (rng.normal, lambda size: rng.exponential(size=size) - 1)
        values = kinds[number % 2](size=(n, 10)) * spread
        if skewness_index(values) > 0.1:
            continue
        draws = flip_draws(values, lambda k, seed=number: np.random.default_rng([seed, k]), 600)
        shown = max_t_all(draws, 0.05).shown_better
        assert shown is not None
        held.append(not shown.any())
    assert len(held) >= 150
    assert np.mean(held) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / len(held)) - 0.01
