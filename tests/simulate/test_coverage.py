"""The study of a planned evaluation, described or taken from results."""

from __future__ import annotations

import numpy as np
import pytest

import rankbars as rb
from rankbars.simulate import STUDIES, evaluation_like, measure, planned_evaluation, run
from rankbars.simulate.study import number


def results(
    n_models: int = 8, n_tasks: int = 40, n_rows: int = 60, seed: int = 0, scale: float = 1.0
) -> rb.Scores:
    """Scores with a known make-up: task SD .4, row SD 1, plus rows that differ in difficulty."""
    rng = np.random.default_rng(seed)
    means = np.linspace(-1, 1, n_models)
    tasks = {}
    for task in range(n_tasks):
        truth = means + 0.4 * rng.standard_normal(n_models)
        difficulty = 3 * rng.standard_normal((n_rows, 1))
        noise = rng.standard_normal((n_rows, n_models))
        tasks[f"t{task:02d}"] = scale * (truth + difficulty + noise)
    return rb.Scores.from_arrays(tasks, [f"m{i}" for i in range(n_models)])


def test_evaluation_is_recovered_from_results() -> None:
    evaluation, n_tasks, n_rows = evaluation_like(results())
    assert (n_tasks, n_rows) == (40, 60)
    assert evaluation.task_sd == pytest.approx(0.4, abs=0.05)
    np.testing.assert_allclose(evaluation.means, np.linspace(-1, 1, 8), atol=0.25)


def test_units_of_the_scores_do_not_matter() -> None:
    first, *_ = evaluation_like(results())
    second, *_ = evaluation_like(results(scale=100.0))
    np.testing.assert_allclose(first.means, second.means)
    assert first.task_sd == pytest.approx(second.task_sd)


def test_equal_models_are_pulled_together() -> None:
    rng = np.random.default_rng(3)
    tasks = {f"t{i}": rng.standard_normal((20, 6)) for i in range(10)}
    evaluation, *_ = evaluation_like(rb.Scores.from_arrays(tasks, list("abcdef")))
    raw = np.std([tasks[name].mean(axis=0) for name in tasks], axis=1).mean()
    assert np.std(evaluation.means) < raw / 2


def test_rows_that_lack_a_model_are_left_out() -> None:
    whole = results(n_tasks=3)
    tasks = {name: np.array(items.values) for name, items in whole.tasks.items()}
    tasks["t00"][:10, 0] = np.nan
    _, n_tasks, n_rows = evaluation_like(rb.Scores.from_arrays(tasks, whole.models))
    assert (n_tasks, n_rows) == (3, 60)


def test_folds_cannot_be_imitated() -> None:
    rows = np.random.default_rng(0).random((6, 2))
    scores = rb.Scores.from_arrays({"a": rows, "b": rows}, ["x", "y"], design=rb.Folds(2, 3))
    with pytest.raises(rb.DataError, match="independent rows"):
        evaluation_like(scores)


def test_one_task_says_nothing_about_others() -> None:
    with pytest.raises(rb.DataError, match="Fewer than two tasks"):
        evaluation_like(results(n_tasks=1))


def test_one_model_has_nobody_to_be_compared_with() -> None:
    with pytest.raises(rb.DataError, match="two models"):
        evaluation_like(results().select(models=["m0"]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"spread": -1.0}, "spread"),
        ({"task_sd": float("nan")}, "task_sd"),
        ({"correlation": 1.0}, "correlation"),
        ({"ties": 1.5}, "ties"),
    ],
)
def test_impossible_evaluations_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(rb.OptionError, match=message):
        planned_evaluation(5, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_tasks": (0,)}, "tasks must be"),
        ({"n_rows": (1,)}, "rows must be"),
        ({"alpha": 1.0}, "alpha must be"),
        ({"alpha_overall": 0.0}, "alpha_overall must be"),
    ],
)
def test_impossible_plans_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(rb.OptionError, match=message):
        STUDIES["coverage"](**options)


def test_a_planned_evaluation_has_the_spread_asked_for() -> None:
    evaluation = planned_evaluation(7, spread=0.5)
    assert np.std(evaluation.means, ddof=1) == pytest.approx(0.5)
    with pytest.raises(rb.OptionError, match="models"):
        planned_evaluation(1)


@pytest.mark.slow
def test_methods_keep_their_guarantee_and_more_rows_help() -> None:
    study = STUDIES["coverage"](
        planned_evaluation(6, ties=0.5), n_tasks=(12,), n_rows=(20, 100), repetitions=20
    )
    rows = measure(study)["coverage"]
    for row in rows:
        if row["guarantee"] is None:
            continue
        quantity = "coverage_all" if row["scope"] == "all" else "coverage"
        error = number(row, f"{quantity}_se")
        assert number(row, quantity) >= number(row, "guarantee") - 3 * error, row
    widths = {
        (row["method"], row["n_rows"]): number(row, "width")
        for row in rows
        if row["target"] == "this task" and row["scope"] == "each"
    }
    for method in ("holm", "simes", "maxt"):
        assert widths[method, 100] < widths[method, 20]
    assert widths["simes", 20] <= widths["holm", 20]


def test_tables_and_picture_of_a_plan(tmp_path) -> None:
    study = STUDIES["coverage"](planned_evaluation(3), n_tasks=(5, 6), n_rows=(10,), repetitions=2)
    paths = run(study, tmp_path)
    assert [path.name for path in paths] == ["coverage.csv", "coverage.svg"]
    drawing = paths[1].read_text(encoding="utf-8")
    assert "<title>Width and coverage of each method" in drawing
    assert run(study, tmp_path / "again")[1].read_bytes() == paths[1].read_bytes()
    rows = measure(study)["coverage"]
    alone = [row for row in rows if row["target"] == "this task"]
    assert {row["n_tasks"] for row in alone} == {None}
    assert {row["repetitions"] for row in alone} == {4}  # of both plans, which share it
    # Some of so few rows look skewed, so that nothing is promised of all of them together.
    assert {row["guarantee"] for row in alone} == {None}
    assert {row["n_tasks"] for row in rows if row["target"] == "new task"} == {5, 6}
