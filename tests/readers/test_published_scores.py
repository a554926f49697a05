"""One published score per model and task, with whatever uncertainty comes with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tablefiles import codes, message, pandas_frame, read_columns

import rankbars as rb
from rankbars.data.evidence import Estimates
from rankbars.tables.dataframes import scores_from_frame


def table(**columns: Any) -> dict[str, list[Any]]:
    size = len(next(iter(columns.values())))
    models = ["a", "b", "c", "d"][:size]
    return {"model": models, "task": ["t"] * size, **{k: list(v) for k, v in columns.items()}}


def only(scores: rb.Scores) -> Estimates:
    (evidence,) = scores.tasks.values()
    assert isinstance(evidence, Estimates)
    return evidence


@pytest.mark.parametrize("name", ["se", "stderr", "standard_error", "Std Err"])
def test_standard_errors_are_taken_as_they_are(name: str) -> None:
    scores = read_columns(table(score=[0.5, 0.7], **{name: [0.1, None]}))
    np.testing.assert_array_equal(only(scores).se, [0.1, np.nan])
    assert only(scores).mean.tolist() == [0.5, 0.7]


@pytest.mark.parametrize(("level", "written"), [(0.95, None), (0.9, 0.9), (0.9, 90), (0.99, 99.0)])
def test_intervals_become_standard_errors(level: float, written: float | None) -> None:
    columns = table(score=[0.5, 0.7], ci_low=[0.4, 0.65], ci_high=[0.6, 0.75])
    if written is not None:
        columns["ci_level"] = [written] * 2
    scores = read_columns(columns)
    expected = np.array([0.2, 0.1]) / 2 / stats.norm.ppf(0.5 + level / 2)
    np.testing.assert_allclose(only(scores).se, expected, rtol=1e-12)
    assert ("95 %, taken because" in message(scores, "from-intervals")) == (written is None)


def test_a_standard_error_outranks_an_interval() -> None:
    columns = table(score=[0.5, 0.7], se=[0.1, None], ci_low=[0, 0.6], ci_high=[1, 0.8])
    se = only(read_columns(columns)).se
    assert se is not None
    assert se[0] == 0.1
    np.testing.assert_allclose(se[1], 0.2 / 2 / stats.norm.ppf(0.975), rtol=1e-12)


def test_n_of_a_known_proportion_gives_a_binomial_standard_error() -> None:
    scores = read_columns(table(accuracy=[0.5, 0.9, 1.0], n=[100, 400, 50]))
    edge = stats.binom.std(54, 52 / 54) / 54
    expected = [stats.binom.std(100, 0.5) / 100, stats.binom.std(400, 0.9) / 400, edge]
    np.testing.assert_allclose(only(scores).se, expected, rtol=1e-12)
    assert only(scores).n is not None
    assert only(scores).n.tolist() == [100, 400, 50]
    assert "binomial" in codes(scores)


def with_ends(folder: Path, header: str, first: str) -> rb.Scores:
    rows = [first, "b,law,0.5,0.4,0.6", "a,art,0.7,0.65,0.75", "b,art,0.6,0.55,0.65"]
    path = folder / "ends.csv"
    path.write_text("\n".join([header, *rows]) + "\n")
    return rb.read(str(path))


@pytest.mark.parametrize("names", ["score,score_lo,score_hi", "acc,acc_lower,acc_upper"])
def test_ends_that_are_called_after_a_score_are_its_interval_on_several_tasks(
    names: str, tmp_path: Path
) -> None:
    scores = with_ends(tmp_path, f"model,task,{names}", "a,law,0.8,0.7,0.9")
    for task, width in (("law", 0.2), ("art", 0.1)):
        evidence = scores.tasks[task]
        assert isinstance(evidence, Estimates)
        expected = [width / 2 / stats.norm.ppf(0.975)] * 2
        np.testing.assert_allclose(evidence.se, expected, rtol=1e-12)


def test_columns_that_do_not_hold_the_score_between_them_are_no_ends(tmp_path: Path) -> None:
    scores = with_ends(tmp_path, "model,task,score,score_lo,score_hi", "a,law,0.8,0.85,0.9")
    evidence = scores.tasks["law"]
    assert isinstance(evidence, Estimates)
    assert not evidence.has_uncertainty


def test_a_rating_with_ends_does_not_replace_the_score_of_a_task(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    rows = "a,law,1050,1041,1059,0.9\na,art,1074,1065,1083,0.6\n"
    rows += "b,law,1039,1030,1048,0.7\nb,art,1060,1050,1070,0.8\n"
    path.write_text("model,task,rating,rating_lower,rating_upper,score\n" + rows)
    scores = rb.read(path)
    evidence = scores.tasks["law"]
    assert isinstance(evidence, Estimates)
    assert evidence.mean.tolist() == [0.9, 0.7]


def test_named_columns_of_a_matrix_keep_the_numbers_of_items_that_are_called_after_them() -> None:
    columns = {"law": [0.5, 0.9], "n_law": [100, 400], "art": [0.6, 0.8], "n_art": [50, 60]}
    given = {"model": ["a", "b"], **columns, "size": [7, 8]}
    options = {"layout": "models-by-tasks", "metric": ["law", "art"], "direction": "higher"}
    scores = read_columns(given, **options)
    for task, n in (("law", [100, 400]), ("art", [50, 60])):
        evidence = scores.tasks[task]
        assert isinstance(evidence, Estimates)
        assert evidence.n is not None
        assert evidence.n.tolist() == n


def test_a_proportion_above_one_is_a_percentage() -> None:
    scores = read_columns(table(accuracy=[50.0, 90.0], n=[100, 400]))
    np.testing.assert_allclose(only(scores).se, [5.0, 1.5], rtol=1e-12)
    written = read_columns(table(accuracy=["50%", "90 %"], n=[100, 400]))
    np.testing.assert_allclose(only(written).se, [5.0, 1.5], rtol=1e-12)
    assert "percentages" in codes(written)


@pytest.mark.parametrize("metric", ["score", "f1", "balanced_accuracy"])
def test_n_alone_is_no_uncertainty_unless_the_metric_is_a_proportion(metric: str) -> None:
    scores = read_columns(table(**{metric: [0.5, 0.9]}, n=[100, 400]))
    assert only(scores).se is None
    assert not only(scores).has_uncertainty
    assert only(scores).n is not None
    assert "metric='accuracy'" in message(scores, "no-uncertainty")


def test_the_caller_may_name_the_metric_of_a_score_column() -> None:
    scores = read_columns(table(score=[0.5, 0.9], n=[100, 400]), metric="accuracy")
    np.testing.assert_allclose(only(scores).se, [0.05, 0.015], rtol=1e-12)
    assert scores.info["t"].metric == "accuracy"


def test_scores_alone_say_so() -> None:
    scores = read_columns(table(score=[0.5, 0.9]))
    assert only(scores).se is None
    assert "no-uncertainty" in codes(scores)


def test_models_without_a_row_of_a_task_are_not_in_it() -> None:
    columns = {"model": ["a", "b", "a"], "task": ["t", "t", "u"], "score": [1.0, 2.0, 3.0]}
    scores = read_columns(columns)
    assert scores.tasks["t"].models == ("a", "b")
    assert scores.tasks["u"].models == ("a",)


def test_the_weight_of_a_task_is_one_number() -> None:
    assert read_columns(table(score=[1, 2], weight=[3, 3])).info["t"].weight == 3.0
    assert read_columns(table(score=[1, 2], weight=[0, 0])).info["t"].weight == 0.0
    with pytest.raises(rb.DataError, match="Task 't': the weight must be one number"):
        read_columns(table(score=[1, 2], weight=[3, 4]))


def test_category_family_and_metric_describe_tasks() -> None:
    columns = table(score=[0.1, 0.2], category=["x", "x"], family=["y", "y"], metric=["acc", "acc"])
    info = read_columns(columns).info["t"]
    assert (info.category, info.family, info.metric) == ("x", "y", "acc")


def test_a_family_of_models_does_not_describe_tasks() -> None:
    columns = table(score=[1, 2], family=["opt", "bloom"])
    scores = read_columns(columns)
    assert scores.info["t"].family is None
    assert "family-ignored" in codes(scores)
    with pytest.raises(rb.DataError, match="several values in its family column"):
        rb.Scores.from_frame(pandas_frame(columns), columns={"family": "family"})


def test_one_metric_on_two_scales_is_refused() -> None:
    with pytest.raises(rb.DataError, match=r"model 'b' reaches 73, model 'a' only 0.73"):
        read_columns(table(accuracy=[0.73, 73.0]))
    options = {"maximum": 100.0}
    assert only(scores_from_frame(pandas_frame(table(accuracy=[0.73, 73.0])), options)).n is None
    # A low percentage on one task is no second scale.
    columns = {
        "model": ["a", "a", "b", "b"], "task": ["t", "u"] * 2, "accuracy": [0.2, 50, 60, 70],
    }  # fmt: skip
    assert len(read_columns(columns).tasks) == 2


def test_ties_of_rounded_scores_are_noted() -> None:
    assert "0.01" in message(read_columns(table(score=[0.51, 0.51, 0.6])), "rounded")
    assert "rounded" not in codes(read_columns(table(score=[0.51, 0.52, 0.6])))
    counts = table(score=[0.25, 0.25, 0.5], n=[4, 4, 4])
    assert "rounded" not in codes(read_columns(counts))


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"se": [-0.1, 0.1]}, "the standard error must be 0 or more"),
        ({"n": [10.5, 3]}, "n must be a whole number"),
        ({"n": [1e20, 3]}, "n must be at most 1,000,000,000,000,000"),
        ({"ci_low": [0.6, 0], "ci_high": [0.4, 1]}, "the interval must be finite, its low end"),
        ({"ci_low": [0, 0], "ci_high": [1, 1], "ci_level": [0, 0.9]}, "the level of the interval"),
    ],
)
def test_impossible_uncertainties_are_refused(columns: dict[str, Any], problem: str) -> None:
    with pytest.raises(rb.DataError, match=rf"row 1 \(model 'a', task 't'\): {problem}"):
        read_columns(table(score=[0.5, 0.5], **columns))


def test_a_model_twice_on_a_task_is_refused_where_uncertainty_is_given() -> None:
    columns = {"model": ["a", "a"], "task": ["t", "t"], "score": [1.0, 2.0], "se": [0.1, 0.1]}
    with pytest.raises(rb.DataError, match=r"row 1: model 'a', task 't' has 2 rows"):
        read_columns(columns)


def test_lower_scores_are_negated_and_keep_their_standard_error() -> None:
    scores = read_columns(table(score=[0.5, 0.7], se=[0.1, 0.2]), direction="lower")
    assert only(scores).mean.tolist() == [-0.5, -0.7]
    assert only(scores).se is not None
    assert only(scores).se.tolist() == [0.1, 0.2]
