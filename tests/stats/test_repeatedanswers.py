"""Where the variance of a mean comes from: golden numbers, loops, and boards with known truth."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from rankbars.stats.pairwise.runeffects import examine_runs, run_squares, two_way_t
from rankbars.stats.repeatedanswers import (
    best_answers,
    buy,
    flip_chance,
    run_part,
    split_means,
    split_pairs,
    spread_over_runs,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "golden_trials.json").read_text())
TRIALS = GOLDEN["trials"]
PAIR = (np.array([0]), np.array([1]))
Parts = tuple[np.ndarray, np.ndarray, np.ndarray]


def parts_of(*models: list[list[float]]) -> Parts:
    """Means, numbers and variances of answers, (n, M)."""

    def table(of: Any) -> np.ndarray:
        return np.array([[of(row) for row in model] for model in models], float).T

    spread = table(lambda row: np.var(row, ddof=1) if len(row) > 1 else np.nan)
    return table(lambda row: np.mean(row) if row else np.nan), table(len).astype(int), spread


@pytest.mark.parametrize("case", [TRIALS, TRIALS["items_dominate"]])
def test_golden_splits_of_unequal_trials(case: dict[str, Any]) -> None:
    parts, expected = parts_of(case["A"], case["B"]), case["split"]
    found = split_pairs(*parts, PAIR)
    share, raw = found.share[0], found.total[0] - found.rerun[0]
    assert found.n[0] == expected["n"]
    for got, key in (
        (found.mean[0], "difference"), (found.total[0], "var_item_means"),
        (found.rerun[0], "rerun_part"), (raw, "item_part_raw"), (share, "rerun_share"),
        (1 - math.sqrt(max(0, 1 - share)), "width_saved_by_endless_reruns"),
        (math.sqrt(found.total[0] / found.n[0]), "se"),
    ):  # fmt: skip
        np.testing.assert_allclose(got, expected[key], rtol=1e-12)
    interval = expected["rerun_share_interval_log_jackknife"]
    np.testing.assert_allclose([found.low[0], found.high[0]], interval, rtol=1e-10)
    answers = [mean * number for mean, number in zip(parts[0].T, parts[1].T, strict=True)]
    t = stats.ttest_rel(answers[0] / parts[1][:, 0], answers[1] / parts[1][:, 1])
    np.testing.assert_allclose(t.statistic, expected["t"], rtol=1e-12)


def test_golden_flips_and_the_level_of_one_model() -> None:
    parts = parts_of(TRIALS["A"], TRIALS["B"])
    expected = TRIALS["flip_probability"]
    np.testing.assert_allclose(flip_chance(*parts), [expected["A"], expected["B"]], rtol=1e-12)
    airline = TRIALS["tau_bench_gpt4o_airline"]
    counts = airline["items_by_successes_of_4"]
    rows = [[1.0] * c + [0.0] * (4 - c) for c, many in enumerate(counts) for _ in range(many)]
    parts = parts_of(rows)
    found = split_means(*parts)
    np.testing.assert_allclose(found.share[0], airline["rerun_share_of_4_answers"], rtol=1e-12)
    np.testing.assert_allclose(math.sqrt(found.total[0] / 50), airline["se"], rtol=1e-12)
    np.testing.assert_allclose(flip_chance(*parts)[0], airline["flip_probability"], rtol=1e-12)
    once = max(found.total[0] - found.rerun[0], 0.0) + found.once[0]  # of one answer per item
    np.testing.assert_allclose(found.once[0] / once, 0.595, atol=5e-4)


@pytest.mark.parametrize(("first", "excess"), [("C", 0.031481481481481485), ("A", -0.0037037)])
def test_golden_parts_of_whole_runs(first: str, excess: float) -> None:
    cube = np.array([TRIALS["runs"][first], TRIALS["runs"]["B"]], float)[..., None]
    found = run_part([run_squares(one) for one in cube], 10, 4)
    np.testing.assert_allclose(found.raw, excess, rtol=1e-5)
    assert 0 <= found.low[0] <= max(excess, 0) <= found.high[0]
    # The truncated test adds just this to the variance of item means.
    if excess > 0:
        both = two_way_t(cube[..., 0].transpose(1, 2, 0))
        means = cube[0, :, :, 0].mean(axis=1) - cube[1, :, :, 0].mean(axis=1)
        variance = means.var(ddof=1) / len(means) + found.raw[0]
        np.testing.assert_allclose(both.se[0, 1], math.sqrt(variance), rtol=1e-12)


def test_groups_and_weights_against_loops() -> None:
    rng = np.random.default_rng(4)
    rows = [[float(v) for v in rng.normal(size=k)] for k in rng.integers(1, 5, 30)]
    clusters, weights = rng.integers(0, 9, 30) * 3, rng.uniform(0.5, 2, 30)
    values, answers, within = parts_of(rows)
    found = split_means(values, answers, within, weights, clusters)

    def share(keep: np.ndarray) -> tuple[float, float]:
        w, y, g = weights[keep], values[keep, 0], clusters[keep]
        v = (within / answers)[keep, 0]
        mean = float(w @ y / w.sum())
        sums = [float((w[g == one] * (y[g == one] - mean)).sum()) for one in np.unique(g)]
        total = len(sums) / (len(sums) - 1) * sum(one**2 for one in sums) / w.sum() ** 2
        known = ~np.isnan(v)
        raised = (w**2).sum() / (w[known] ** 2).sum()
        return raised * float((w**2 * v)[known].sum()) / w.sum() ** 2 / total, total

    whole, total = share(np.ones(30, bool))
    np.testing.assert_allclose(found.share[0], whole, rtol=1e-12)
    np.testing.assert_allclose(found.total[0] / 30, total, rtol=1e-12)
    groups = np.unique(clusters)
    left = [math.log(share(clusters != one)[0]) for one in groups]
    pseudo = len(groups) * math.log(whole) - (len(groups) - 1) * np.array(left)
    half = stats.t.isf(0.025, len(groups) - 1) * pseudo.std(ddof=1) / math.sqrt(len(groups))
    np.testing.assert_allclose(found.low[0], whole * math.exp(-half), rtol=1e-9)
    assert found.known[0] == (answers > 1).sum()


def test_degenerate_splits() -> None:
    one_answer = split_means(*parts_of([[1.0], [0.0], [1.0]]))
    assert np.isnan(one_answer.rerun[0])
    assert one_answer.known[0] == 0
    alike = split_means(*parts_of([[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]))
    assert alike.share[0] == 0
    assert np.isnan(alike.low[0])
    constant = split_means(*parts_of([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    assert np.isnan(constant.share[0])
    single = split_means(*parts_of([[1.0, 0.0]]))
    assert np.isnan(single.total[0])
    assert split_pairs(*parts_of([[1.0]]), (np.array([], int), np.array([], int))).n.shape == (0,)


def test_graded_answers_have_no_chance_to_flip() -> None:
    assert np.isnan(flip_chance(*parts_of([[0.5, 1.0], [0.25, 0.75]]))[0])
    assert np.isnan(flip_chance(*parts_of([[2.0, 1.0], [3.0, 1.0]]))[0])
    np.testing.assert_allclose(flip_chance(*parts_of([[-1.0, 0.0], [0.0, 0.0]])), 0.5)


def test_order_of_answers_within_items_does_not_matter() -> None:
    rng = np.random.default_rng(2)
    cube = (rng.random((20, 4, 2)) < rng.random((20, 1, 1))).astype(float)
    mixed = np.take_along_axis(cube, rng.random(cube.shape).argsort(axis=1), axis=1)
    found = [
        split_pairs(one.mean(axis=1), np.full((20, 2), 4), one.var(axis=1, ddof=1), PAIR)
        for one in (cube, mixed)
    ]
    for before, after in zip(*found, strict=True):
        np.testing.assert_allclose(before, after, rtol=1e-12)


def test_spread_over_runs_is_no_error_for_new_items() -> None:
    rng = np.random.default_rng(3)
    cube = (rng.random((50, 4, 300)) < rng.beta(0.7, 0.7, (50, 1, 300))).astype(float)
    true = cube.mean(axis=(0, 1)).std(ddof=1)
    errors = np.sqrt(cube.mean(axis=1).var(axis=0, ddof=1) / 50)
    np.testing.assert_allclose(np.median(errors), true, rtol=0.12)
    assert np.median(spread_over_runs(cube)) < true / 1.7


@pytest.mark.parametrize(("n", "least", "most"), [(50, 2, 6), (200, 4, 4), (60, 2, 20)])
def test_components_of_known_size(n: int, least: int, most: int) -> None:
    """Item SD .2, answer SD .6: means hit the truth, and 95 % intervals hold it."""
    rng = np.random.default_rng(n)
    boards = 400
    answers = np.broadcast_to(rng.integers(least, most + 1, (n, 1)), (n, boards))
    freedom = answers - 1
    values = rng.normal(0, 0.2, (n, boards)) + rng.normal(0, 0.6, (n, boards)) / np.sqrt(answers)
    within = 0.36 * rng.chisquare(freedom) / freedom
    found = split_means(values, answers, within)
    true = 0.36 * float((1 / answers).mean())
    np.testing.assert_allclose(found.rerun.mean(), true, rtol=0.02)
    three = 3 * math.sqrt(2 / (n - 1) / boards)
    np.testing.assert_allclose(found.total.mean(), 0.04 + true, rtol=three)
    covered = ((found.low <= true / (0.04 + true)) & (true / (0.04 + true) <= found.high)).mean()
    three = 3 * math.sqrt(0.95 * 0.05 / boards)
    assert 0.94 - three < covered < 0.98 + three  # as the page has it


@pytest.mark.parametrize("tau", [0.0, 0.05])
def test_parts_of_whole_runs_of_known_size(tau: float) -> None:
    rng = np.random.default_rng(7)
    boards, n, runs = 300, 40, 5
    cubes = rng.normal(0, 0.6, (2, n, runs, boards)) + rng.normal(0, tau, (2, 1, runs, boards))
    found = run_part([run_squares(one) for one in cubes], n, runs)
    true = 2 * tau**2 / runs
    np.testing.assert_allclose(found.raw.mean(), true, atol=3 * found.raw.std() / boards**0.5)
    covered = ((found.low <= true) & (true <= found.high)).mean()
    three = 3 * math.sqrt(0.95 * 0.05 / boards)
    assert 0.94 - three < covered < 0.99 + three  # as the page has it


def test_runs_of_right_and_wrong_answers_are_cochrans_q() -> None:
    """Cochran's Q by its own formula, on the answers of Cochran's kind and at random."""
    rng = np.random.default_rng(8)
    answers = (rng.random((25, 4)) < 0.4).astype(float)
    runs, totals = answers.sum(axis=0), answers.sum(axis=1)
    k = answers.shape[1]
    cochran = (k - 1) * (k * (runs**2).sum() - runs.sum() ** 2)
    cochran /= k * totals.sum() - (totals**2).sum()
    np.testing.assert_allclose(examine_runs(answers[:, :, None]).q, cochran, rtol=1e-12)


@pytest.mark.parametrize("row", GOLDEN["items_by_reruns"]["rows"])
def test_golden_best_numbers_of_answers(row: dict[str, float]) -> None:
    item, rerun = GOLDEN["items_by_reruns"]["item_var"], GOLDEN["items_by_reruns"]["rerun_var"]
    best = best_answers(item, rerun, row["c0"], row["c1"])
    assert best == row["K"]
    found = (item + rerun / best) * (row["c0"] + row["c1"] * best)
    np.testing.assert_allclose(found, row["variance_times_cost"], rtol=1e-12)


def test_a_budget_is_split_as_trying_everything_would() -> None:
    rng = np.random.default_rng(9)
    for _ in range(40):
        item, rerun, per_item, per_answer = rng.uniform([0, 0, 0, 0.3], [0.2, 1, 8, 2])
        budget = float(rng.uniform(1, 80))
        n, k = np.mgrid[1:400, 1:400]
        tried = ((item + rerun / k) / n)[n * (per_item + per_answer * k) <= budget]
        found = buy(item, rerun, per_item, per_answer, budget)
        if not tried.size:
            assert found is None
            continue
        assert found is not None
        np.testing.assert_allclose(found.variance, tried.min(), rtol=1e-12)
        assert found.cost <= budget * (1 + 1e-9)
    assert best_answers(0.0, 1.0, 1.0, 1.0) == math.inf
    assert best_answers(0.1, 0.0, 5.0, 1.0) == 1.0


@pytest.mark.parametrize(("tau", "least", "most"), [(0.0, 0.02, 0.08), (0.2, 0.5, 1.0)])
def test_runs_of_unequal_trials_keep_the_level_and_are_found(
    tau: float, least: float, most: float
) -> None:
    rng = np.random.default_rng(12)
    boards, found = 400, 0
    for _ in range(boards):
        cube = (rng.random((40, 4, 1)) < rng.beta(0.7, 0.7, (40, 1, 1))).astype(float)
        cube += rng.normal(0, tau, (1, 4, 1))
        kept = rng.random(cube.shape).argsort(axis=1) < rng.integers(2, 5, (40, 1, 1))
        found += examine_runs(np.where(kept, cube, np.nan)).p <= 0.05
    assert least <= found / boards <= most
