"""Weighted averages over tasks: one sample of tasks, whatever their weight, fixed in advance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from calibration import Calibration
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rankbars as rb
from rankbars.render.methodbox import method_entries
from rankbars.render.paragraph import methods_text
from rankbars.stats.pairwise.modelscores import item_summary, sampled_rows
from rankbars.stats.pairwise.paired import paired_t

HEAVY = (20.0, 1.0, 1.0, 1.0, 1.0, 1.0)
WORDS = "Weights are fixed in advance, and the tasks are one sample, whatever their weight."
MODELS = ("a", "b", "c", "d")


def published(
    rows: np.ndarray,
    weights: Sequence[float] = (),
    se: float | None = None,
    families: Sequence[str] = (),
) -> rb.Scores:
    """One score per model and task."""
    names, tasks, info = MODELS[: rows.shape[1]], {}, {}
    for i, row in enumerate(rows):
        errors = None if se is None else np.full(row.size, se)
        tasks[f"t{i:02d}"] = rb.Estimates(names, row, se=errors)
        info[f"t{i:02d}"] = rb.TaskInfo(
            weight=weights[i] if weights else 1.0, family=families[i] if families else None
        )
    return rb.Scores(tasks, info)


# --- the numbers ---------------------------------------------------------------------------------


def test_a_weighted_average_of_three_tasks_by_hand() -> None:
    """Values 0, .2, .4 with weights 1/2, 1/4, 1/4: mean .15, variance .04 * 3/8 = .015.

    Residuals around .15 would give (.25 * .0225 + .0625 * .0025 + .0625 * .0625) * 3/2 = .0145.
    The differences to a model that is .1 everywhere have the same spread.
    """
    scores = published(np.array([[0.0, 0.1], [0.2, 0.1], [0.4, 0.1]]), (2, 1, 1))
    found = rb.aggregate(scores, over="tasks", correction="none")
    assert found.score == pytest.approx([0.15, 0.1])
    assert found.se is not None
    assert found.se[0] ** 2 == pytest.approx(0.015)
    half = stats.t.ppf(0.975, 2) * 0.015**0.5
    assert (found.low[0], found.high[0]) == pytest.approx((0.15 - half, 0.15 + half))
    assert found.contrasts is not None
    assert found.contrasts.diff[0, 1] == pytest.approx(0.05)
    assert found.contrasts.high[0, 1] == pytest.approx(0.05 + half)
    pair = rb.head_to_head(scores, "a", "b", over="tasks").average
    assert pair is not None
    assert (pair.difference, pair.high) == pytest.approx((0.05, 0.05 + half))
    assert WORDS in found.assumptions
    assert WORDS in pair.assumptions


@given(weights=st.lists(st.floats(0.01, 100), min_size=2, max_size=12), seed=st.integers(0, 10_000))
def test_means_and_errors_are_those_of_fixed_weights(weights: list[float], seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(len(weights), 3))
    made = sampled_rows(rows, np.array(weights))
    share = np.array(weights) / sum(weights)
    found, pairs = item_summary(made), paired_t(made)
    np.testing.assert_allclose(found.mean, share @ rows, rtol=1e-9, atol=1e-12)
    error = rows.std(axis=0, ddof=1) * np.sqrt(np.square(share).sum())
    np.testing.assert_allclose(found.se, error, rtol=1e-9)
    between = (rows[:, 0] - rows[:, 1]).std(ddof=1) * np.sqrt(np.square(share).sum())
    np.testing.assert_allclose(pairs.se[0, 1], between, rtol=1e-9)


def test_a_task_of_weight_0_is_not_in_the_sample() -> None:
    rows = np.random.default_rng(0).random((6, 3))
    found = rb.aggregate(published(rows, (3, 1, 2, 0, 1, 1)), over="tasks")
    without = rb.aggregate(published(np.delete(rows, 3, axis=0), (3, 1, 2, 1, 1)), over="tasks")
    assert found.high.tolist() == without.high.tolist()
    assert "these 5 tasks" in found.target


def test_equal_weights_are_no_weights() -> None:
    rows = np.random.default_rng(1).random((7, 3))
    for estimator in ("t", "bootstrap", "bootstrap_t"):
        one, two = (
            rb.aggregate(published(rows, weights), over="tasks", estimator=estimator)
            for weights in ((), (0.3,) * 7)
        )
        assert one.low.tolist() == two.low.tolist()
        assert one.assumptions == two.assumptions


def test_weights_within_families_make_values_of_families() -> None:
    """Families count alike: their weighted means are the sample, with the plain t over them."""
    rows = np.random.default_rng(2).random((6, 2))
    scores = published(rows, (5, 1, 2, 2, 1, 3), families=list("xxyyzz"))
    found = rb.aggregate(scores, over="families")
    values = np.array(
        [rows[:2].T @ [5 / 6, 1 / 6], rows[2:4].mean(axis=0), rows[4:].T @ [0.25, 0.75]]
    )
    assert found.score == pytest.approx(values.mean(axis=0))
    assert found.se == pytest.approx(values.std(axis=0, ddof=1) / 3**0.5)
    assert "Weights of tasks within their family are fixed in advance." in found.assumptions


def test_two_levels_weigh_what_the_items_contribute() -> None:
    """Scores vary by .02 (variance) between tasks, of which .0004 is known to be noise."""
    rows = np.array([[0.1], [0.3], [0.3], [0.5]])  # variance .08 / 3
    found = rb.aggregate(
        published(np.hstack([rows, rows[::-1]]), (5, 1, 1, 1), se=0.02),
        over="tasks",
        estimator="two_level",
    )
    squares = (25 + 3) / 64
    assert found.components is not None
    assert found.se is not None
    assert found.components.between[0] == pytest.approx(0.08 / 3 - 0.0004)
    assert found.components.within[0] == pytest.approx(0.0004)
    assert found.se[0] ** 2 == pytest.approx(0.08 / 3 * squares)


def test_two_levels_are_never_surer_than_a_heavy_task_allows() -> None:
    tasks = {f"t{i}": rb.Estimates(("a", "b"), np.array([0.5 + i / 1000, 0.4]), se=np.array([e, e]))
             for i, e in enumerate((0.1, 0.01, 0.01))}  # fmt: skip
    scores = rb.Scores(tasks)
    found = rb.aggregate(
        scores, over="tasks", estimator="two_level", weights={"t0": 8.0, "t1": 1.0, "t2": 1.0}
    )
    assert found.se is not None
    assert found.se[0] ** 2 == pytest.approx(0.64 * 0.01 + 2 * 0.01 * 0.0001)


# --- how often it holds --------------------------------------------------------------------------


def by_category(rows: np.ndarray) -> rb.Scores:
    """Three categories of 10, 1 and 1 tasks that count the same."""
    scores = published(rows)
    kinds = dict(zip(scores.tasks, "x" * 10 + "yz", strict=True))
    info = {task: rb.TaskInfo(category=kind) for task, kind in kinds.items()}
    return rb.Scores(scores.tasks, info).weigh_categories({"x": 1, "y": 1, "z": 1})


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["heavy task", "small categories"])
@pytest.mark.parametrize(
    ("estimator", "correction"),
    [("t", "holm"), ("t", "maxt"), ("bootstrap_t", "bonferroni"), ("two_level", "holm")],
)
def test_weighted_averages_hold_their_level(
    calibration: Calibration, kind: str, estimator: str, correction: str
) -> None:
    """All models are equal: scores one by one, and every claim about pairs and ranks at once."""
    rng, runs = np.random.default_rng(31), calibration.runs(14, 150)
    hits, quiet, tied = 0, 0, 0
    for seed in range(runs):
        rows = 0.5 + 0.08 * rng.normal(size=(6 if kind == "heavy task" else 12, 4))
        if estimator == "two_level":
            scores = published(rows, se=0.02)
            weights = HEAVY if len(rows) == 6 else (0.1,) * 10 + (1.0, 1.0)
            given_weights = dict(zip(scores.tasks, weights, strict=True))
        else:
            scores = published(rows, HEAVY) if len(rows) == 6 else by_category(rows)
            given_weights = None
        found = rb.aggregate(
            scores, over="tasks", estimator=estimator, correction=correction,
            weights=given_weights, resamples=400, seed=seed,
        )  # fmt: skip
        hits += int(((found.low <= 0.5) & (found.high >= 0.5)).sum())
        assert found.contrasts is not None
        quiet += not (found.shown_better.any() or found.contrasts.excludes_zero.any())
        tied += bool((found.best[0] == 1) & (found.worst[0] == 4))
    calibration.at_least(hits, 4 * runs, 0.95, of="scores")
    calibration.at_least(quiet, runs, 0.95, of="statements")
    calibration.at_least(tied, runs, 0.95, of="ranks of one model")


@pytest.mark.slow
def test_intervals_of_the_plain_table_hold_with_weights(calibration: Calibration) -> None:
    rng, runs, hits = np.random.default_rng(32), calibration.runs(100, 400), 0
    for _ in range(runs):
        values = np.clip(0.5 + 0.08 * rng.normal(size=6), 0, 1).tolist()
        row = rb.plain_table(runs_of(values, HEAVY)).rows[0]
        hits += row.mean_ci_lo <= 0.5 <= row.mean_ci_hi
    calibration.at_least(hits, runs, 0.95)


# --- the plain table -----------------------------------------------------------------------------


def runs_of(values: Sequence[float], weights: Sequence[float]) -> list[dict[str, object]]:
    return [
        {"model_id": "a", "task_id": f"t{i}", "metric_name": "m", "score": value, "weight": weight}
        for i, (value, weight) in enumerate(zip(values, weights, strict=True))
    ]


def test_the_plain_table_takes_the_tasks_as_one_sample() -> None:
    row = rb.plain_table(runs_of([0.4, 0.5, 0.6], [2, 1, 1])).rows[0]
    half = stats.t.ppf(0.975, 2) * (0.01 * 3 / 8) ** 0.5
    assert (row.mean_score, row.mean_ci_hi) == pytest.approx((0.475, 0.475 + half))


def test_percentiles_wait_for_tasks_that_share_the_weight() -> None:
    values = np.random.default_rng(3).random(40).tolist()
    assert rb.plain_table(runs_of(values, [0.1] * 40)).interval == "percentile"
    assert rb.plain_table(runs_of(values, [20.0, *[1.0] * 39])).interval == "t"
    asked = rb.plain_table(runs_of(values, [20.0, *[1.0] * 39]), interval="percentile")
    assert [note.code for note in asked.notes] == ["few-resampled"]


# --- weights without measure ---------------------------------------------------------------------


@pytest.mark.parametrize("large", [1e308, 1.7e308])
def test_large_weights_are_weights_like_others(large: float) -> None:
    rng = np.random.default_rng(4)
    values = {f"t{i}": rng.random((9, 2)) for i in range(4)}
    usual = {"t0": 1.0, "t1": 0.5, "t2": 1.0, "t3": 0.25}

    def scores(unit: float) -> rb.Scores:
        info = {
            name: rb.TaskInfo(weight=unit * usual[name], category="xy"[i % 2])
            for i, name in enumerate(values)
        }
        return rb.Scores.from_arrays(values, ["a", "b"], info=info)

    for over in ("items", "tasks"):
        one, two = (rb.aggregate(scores(unit), over=over) for unit in (1.0, large))
        np.testing.assert_allclose(two.score, one.score, rtol=1e-12)
        np.testing.assert_allclose(two.high, one.high, rtol=1e-12)
    given_weights = {name: large * weight for name, weight in usual.items()}
    named = rb.aggregate(scores(1.0), over="tasks", weights=given_weights)
    np.testing.assert_allclose(named.score, one.score, rtol=1e-12)

    weighed, expected = (
        rb.aggregate(scores(unit).weigh_categories({"x": unit, "y": unit})) for unit in (large, 1.0)
    )
    np.testing.assert_allclose(weighed.score, expected.score, rtol=1e-12)
    means = expected.by_category
    assert means is not None
    assert means.at({"x": large, "y": large}).weights == {"x": 0.5, "y": 0.5}

    tables = [
        rb.plain_table(runs_of([0.4, 0.5, 0.7], [unit, unit, unit / 2])) for unit in (1.0, large)
    ]
    assert tables[1].rows[0].mean_ci_hi == pytest.approx(tables[0].rows[0].mean_ci_hi, rel=1e-12)


def test_weights_of_rows_that_cannot_be_added_up_are_refused() -> None:
    with pytest.raises(rb.DataError, match="Divide all of them by the largest"):
        rb.Items(("a", "b"), np.ones((3, 2)), weights=np.array([1e308, 1.0, 1.0]))


# --- in words ------------------------------------------------------------------------------------


def test_the_methods_say_that_the_average_is_weighted_and_what_was_not_tested() -> None:
    rows = np.random.default_rng(5).random((6, 3))
    text = methods_text(rb.leaderboard(published(rows, HEAVY)))
    assert "For the weighted average of scores over the population" in text
    assert "Weights were fixed in advance" in text
    assert "Scores came without standard errors, so no two models were compared" in text
    assert "z-test" not in text
    plain = rb.leaderboard(published(rows, se=0.01))
    assert "weighted" not in methods_text(plain)
    assert "a z-test on the published scores and their standard errors" in methods_text(plain)


def test_the_methods_name_the_tasks_that_came_without_errors() -> None:
    rows = np.random.default_rng(6).random((4, 3))
    tasks = dict(published(rows, se=0.01).tasks) | {"bare": rb.Estimates(MODELS[:3], rows[0])}
    board = rb.leaderboard(rb.Scores(tasks), over="tasks")
    assert "Scores on bare came without standard errors" in methods_text(board)
    said = [entry.method for entry in method_entries(board) if entry.number == "Rank on bare"]
    assert said == ["No test (the scores came without standard errors): every rank is possible."]
