"""How models stand on an average of tasks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from reference import validity
from scipy import stats
from strategies import score_tables

import rankbars as rb


def two_tasks(seed: int = 0, gap: float = 0.0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        "law": rng.normal(size=(40, 3)) + [0.0, gap, 2 * gap],
        "math": rng.normal(size=(25, 3)) * 3 + [0.0, gap, 2 * gap],
    }


def test_average_over_these_tasks_sums_paired_contrasts_by_hand() -> None:
    tasks = two_tasks(gap=0.9)
    average = rb.aggregate(rb.Scores.from_arrays(tasks, ["a", "b", "c"]))
    law, math = tasks["law"], tasks["math"]
    score = (law.mean(axis=0) + math.mean(axis=0)) / 2
    assert average.over == "items"
    assert average.score == pytest.approx(score, rel=1e-12)
    parts = [task.var(axis=0, ddof=1) / len(task) / 4 for task in (law, math)]
    variance = parts[0] + parts[1]
    df = variance**2 / (parts[0] ** 2 / 39 + parts[1] ** 2 / 24)
    half = stats.t.ppf(0.975, df) * np.sqrt(variance)
    assert average.low == pytest.approx(score - half, rel=1e-9)
    assert average.high == pytest.approx(score + half, rel=1e-9)
    # The decision for a and c, redone pair by pair with scipy.
    d = [task[:, 2] - task[:, 0] for task in (law, math)]
    v = [x.var(ddof=1) / len(x) / 4 for x in d]
    t = (d[0].mean() + d[1].mean()) / 2 / np.sqrt(sum(v))
    p = stats.t.sf(t, sum(v) ** 2 / (v[0] ** 2 / 39 + v[1] ** 2 / 24))
    assert (p <= 0.05 / 6) == average.shown_better[2, 0]


def test_average_over_a_population_is_the_paired_t_over_task_means() -> None:
    rng = np.random.default_rng(8)
    means = rng.normal(size=(9, 2)) + [0.0, 1.4]
    names = [f"t{i}" for i in range(9)]
    scores = rb.Scores(
        {name: rb.Estimates(("a", "b"), row) for name, row in zip(names, means, strict=True)}
    )
    average = rb.aggregate(scores)
    assert average.over == "tasks"
    half = stats.t.ppf(0.975, 8) * means.std(axis=0, ddof=1) / 3
    assert average.low == pytest.approx(means.mean(axis=0) - half, rel=1e-12)
    p = stats.ttest_rel(means[:, 1], means[:, 0], alternative="greater").pvalue
    assert average.shown_better[1, 0] == (p <= 0.025)


def test_tasks_on_different_metrics_are_averaged_as_ranks_never_raw() -> None:
    info = {"law": rb.TaskInfo(metric="accuracy"), "math": rb.TaskInfo(metric="rmse")}
    scores = rb.Scores.from_arrays(two_tasks(gap=3.0), ["a", "b", "c"], info=info)
    average = rb.aggregate(scores)
    assert (average.unit, average.direction) == ("rank", "lower")
    assert average.score.tolist() == [3.0, 2.0, 1.0]
    with pytest.raises(rb.OptionError, match="--aggregate tasks"):
        rb.aggregate(scores, over="items")


def test_scores_without_error_cannot_be_averaged_over_exactly_these_tasks() -> None:
    scores = rb.Scores({name: rb.Estimates(("a", "b"), [0.1, 0.2]) for name in ("x", "y")})
    assert rb.aggregate(scores).over == "tasks"
    with pytest.raises(rb.OptionError, match="one score per model without an error"):
        rb.aggregate(scores, over="items")


def test_weights_are_scaled_and_a_task_of_weight_zero_adds_nothing() -> None:
    tasks = two_tasks() | {"zoo": np.full((5, 3), 1e6)}
    scores = rb.Scores.from_arrays(tasks, ["a", "b", "c"])
    weighted = rb.aggregate(scores, weights={"law": 3, "math": 1})
    expected = 0.75 * tasks["law"].mean(axis=0) + 0.25 * tasks["math"].mean(axis=0)
    assert weighted.score == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"law": -1.0}, "weight of task 'law'"),
        ({"law": 0.0, "math": 0.0}, "All weights of tasks are zero"),
        ({"lwa": 1.0}, "Did you mean 'law'"),
        ({"law": 1.0}, "at least two tasks with weight"),
    ],
)
def test_weights_out_of_range_are_refused(weights: dict[str, float], message: str) -> None:
    scores = rb.Scores.from_arrays(two_tasks(), ["a", "b", "c"])
    with pytest.raises(rb.RankbarsError, match=message):
        rb.aggregate(scores, weights=weights)


def test_a_model_missing_from_a_task_has_no_average_and_may_stand_anywhere() -> None:
    tasks = two_tasks(gap=2.0)
    tasks["math"][:, 0] = np.nan
    average = rb.aggregate(rb.Scores.from_arrays(tasks, ["a", "b", "c"]))
    assert np.isnan(average.score[0])
    assert (average.best[0], average.worst[0]) == (1, 3)
    assert average.worst[2] == 2  # c is shown better than b, but a could be anywhere
    assert any(note.code == "no-average" and note.models == ("a",) for note in average.notes)


def test_identical_models_are_never_shown_to_differ_on_the_average() -> None:
    tasks = {name: np.column_stack([x, x[:, 0]]) for name, x in two_tasks().items()}
    average = rb.aggregate(rb.Scores.from_arrays(tasks, ["a", "b", "c", "twin"]), scope="all")
    assert not average.shown_better[0, 3]
    assert not average.shown_better[3, 0]
    assert average.best[0] == average.best[3]
    assert average.worst[0] == average.worst[3]


def test_constant_differences_count_as_a_sign_test_on_all_rows() -> None:
    base = np.arange(3.0)[:, None]
    tasks = {name: np.hstack([base + 1, base]) for name in ("law", "math")}
    average = rb.aggregate(rb.Scores.from_arrays(tasks, ["a", "b"]), alpha=0.04)
    # 2^-6 = .0156 on six rows: enough at .02 a side, not at .01.
    assert average.shown_better[0, 1]
    strict = rb.aggregate(rb.Scores.from_arrays(tasks, ["a", "b"]), alpha=0.02)
    assert not strict.shown_better[0, 1]


@given(scores=score_tables(min_models=2))
def test_ranks_on_the_average_agree_with_shown_better(scores: rb.Scores) -> None:
    if len(scores.tasks) < 2:
        return
    average = rb.aggregate(scores, scope="all", alpha=0.3)
    size = len(average.models)
    assert average.best.tolist() == (1 + average.shown_better.sum(axis=0)).tolist()
    assert average.worst.tolist() == (size - average.shown_better.sum(axis=1)).tolist()
    assert not (average.shown_better & average.shown_better.T).any()


@given(scores=score_tables(min_models=2))
def test_simultaneous_ranks_contain_the_ranks_of_each(scores: rb.Scores) -> None:
    if len(scores.tasks) < 2:
        return
    each, every = (rb.aggregate(scores, scope=scope, alpha=0.2) for scope in ("each", "all"))
    assert (every.best <= each.best).all()
    assert (every.worst >= each.worst).all()


@pytest.mark.parametrize(
    ("options", "unsure"),
    [
        # All right on every item: the analytic error knows how little 40 items say.
        ({}, []),
        ({"estimator": "bootstrap"}, ["a"]),
        # Every task has the same three means.
        ({"over": "tasks"}, ["a", "b", "c"]),
    ],
)
def test_a_score_without_any_spread_has_no_interval(
    options: dict[str, str], unsure: list[str]
) -> None:
    right = np.random.default_rng(0).random((40, 3)) < [1.1, 0.5, 0.4]
    scores = rb.Scores.from_arrays({n: right.astype(float) for n in "xyz"}, ["a", "b", "c"])
    average = rb.aggregate(scores, **options)  # type: ignore[arg-type]
    assert average.score[0] == 1.0
    for values in (average.low, average.high):
        assert [n for n, one in zip("abc", values, strict=True) if np.isnan(one)] == unsure
    noted = [note.models for note in average.notes if note.code == "constant-score"]
    assert noted == ([tuple(unsure)] if unsure else [])


@pytest.mark.parametrize("options", [{"resamples": n} for n in (0, -5, 1.5)] + [{"seed": -1}])
@pytest.mark.parametrize("estimator", ["analytic", "bootstrap"])
def test_numbers_of_draws_and_seeds_that_make_no_sense_are_refused(
    options: dict[str, Any], estimator: str
) -> None:
    values = np.random.default_rng(0).random((20, 3))
    scores = rb.Scores.from_arrays({"x": values, "y": values + 1}, ["a", "b", "c"])
    with pytest.raises(rb.OptionError, match=next(iter(options))):
        rb.aggregate(scores, estimator=estimator, **options)


def test_scores_without_spread_are_not_said_to_lack_a_joint_distribution() -> None:
    values = np.tile([0.1, 0.2, 0.3], (10, 1))
    scores = rb.Scores.from_arrays(dict.fromkeys("xyz", values), ["a", "b", "c"])
    average = rb.aggregate(scores)
    assert [note.code for note in average.notes] == ["constant-score"]
    assert average.rank_probability is not None
    assert average.rank_probability.tolist() == np.eye(3)[::-1].tolist()


def published(*tasks: tuple[list[float], list[float]]) -> rb.Scores:
    """Published scores of three models with their standard errors."""
    return rb.Scores(
        {f"t{i}": rb.Estimates(("a", "b", "c"), mean, se=se) for i, (mean, se) in enumerate(tasks)}
    )


PLAIN = ([0.8, 0.6, 0.1], [0.02, 0.02, 0.02])


def test_a_standard_error_of_zero_adds_none_to_the_average_and_a_note_names_the_cells() -> None:
    both_zero = ([0.0, 0.0, 0.3], [0.0, 0.0, 0.02])
    found = rb.aggregate(published(PLAIN, both_zero), scope="all")
    pairs = found.contrasts.pairs
    assert pairs.se[0, 1] == pytest.approx(np.sqrt(2 * 0.02**2) / 2, rel=1e-12)
    assert pairs.statistic[0, 1] == pytest.approx(0.2 / np.sqrt(2 * 0.02**2), rel=1e-12)
    assert found.shown_better[0, 1]
    (note,) = [note for note in found.notes if note.code == "zero-se"]
    assert "a on t1, b on t1" in note.message
    assert note.models == ("a", "b")


def test_a_task_of_equal_scores_with_errors_of_zero_changes_no_order() -> None:
    more = ([0.4, 0.7, 0.1], [0.02, 0.02, 0.02])
    flat = ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0])
    plain, wide = (rb.aggregate(published(PLAIN, more, *extra)) for extra in ((), (flat,)))
    assert plain.best.tolist() == wide.best.tolist()
    assert plain.worst.tolist() == wide.worst.tolist()


def test_a_missing_error_still_removes_the_comparison() -> None:
    unknown = ([0.5, 0.5, 0.3], [np.nan, 0.02, 0.02])
    found = rb.aggregate(published(PLAIN, unknown), over="items")
    assert not found.shown_better[0].any()


def test_errors_of_zero_alone_show_nothing() -> None:
    zero = ([0.8, 0.6, 0.1], [0.0, 0.0, 0.0])
    found = rb.aggregate(published(*[zero] * 8))
    assert found.best.tolist() == [1, 1, 1]
    assert not found.shown_better.any()


@pytest.mark.parametrize("correction", ["holm", "maxt", "simes", "bonferroni"])
def test_two_errors_of_zero_on_one_task_are_not_told_apart(correction: str) -> None:
    scores = published(([0.8, 0.6, 0.1], [0.0, 0.0, 0.02]))
    board = rb.leaderboard(scores, correction=correction)
    assert board.tasks["t0"].best.tolist() == [1, 1, 3]
    (note,) = [note for note in board.notes if note.code == "zero-se"]
    assert (note.task, note.models) == ("t0", ("a", "b"))


def test_the_average_of_two_models_survives_an_error_of_zero() -> None:
    scores = published(PLAIN, ([0.0, 0.0, 0.3], [0.0, 0.0, 0.02]))
    duel = rb.head_to_head(scores, "a", "b")
    assert duel.average is not None
    assert duel.average.verdict == "better"
    assert "zero-se" in {note.code for note in duel.notes}


def golden_board(n: int | None = None) -> rb.Scores:
    """The published scores of the reference: x, and y where two scores have an error of 0."""
    case = validity("zero_se")
    return rb.Scores({
        task: rb.Estimates(
            ("a", "b", "c"),
            [case["score"][model][place] for model in "abc"],
            se=[case["se"][model][place] for model in "abc"],
            n=None if n is None else [n, n, n],
        )
        for place, task in enumerate(("x", "y"))
    })  # fmt: skip


def test_a_zero_counts_as_zero_or_as_its_items_say() -> None:
    case = validity("zero_se")
    plain = rb.aggregate(golden_board(), over="items", scope="all")
    expected = [case["se_average_zero_counts_as_zero"][model] for model in "abc"]
    np.testing.assert_allclose(plain.se, expected, rtol=1e-9)
    z = case["z_a_minus_b"]
    assert plain.contrasts.pairs.statistic[0, 1] == pytest.approx(z["zero counts as zero"])
    assert np.argwhere(plain.shown_better).tolist() == [[0, 1], [0, 2], [1, 2]]


def test_known_items_give_a_zero_its_error_on_the_average() -> None:
    case = validity("zero_se")
    found = rb.aggregate(golden_board(100), over="items")
    expected = [case["se_average_with_n_100"][model] for model in "abc"]
    np.testing.assert_allclose(found.se, expected, rtol=1e-9)
    z = found.contrasts.pairs.statistic[0, 1]
    assert z == pytest.approx(case["z_a_minus_b"]["n = 100"])
    (note,) = [note for note in found.notes if note.code == "zero-se"]
    assert "2 (a on y, b on y)" in note.message


def test_the_largest_error_of_the_task_can_stand_in_for_a_zero() -> None:
    found = rb.aggregate(golden_board(), over="items", zero_se="largest")
    np.testing.assert_allclose(found.se[0], np.hypot(0.003, 0.03) / 2, rtol=1e-12)
    board = rb.leaderboard(golden_board(), zero_se="largest")
    np.testing.assert_allclose(board.tasks["y"].se, 0.03)
    assert "no-spread" not in {note.code for note in board.notes}


def test_a_treatment_of_zeros_that_is_not_known_is_refused() -> None:
    for call in (rb.compare, rb.aggregate, rb.leaderboard):
        with pytest.raises(rb.OptionError, match="zero, largest"):
            call(golden_board(), zero_se="mean")


def test_two_zeros_without_items_are_not_shown_and_the_note_says_why() -> None:
    board = rb.leaderboard(golden_board())
    (note,) = [note for note in board.notes if note.code == "no-spread"]
    assert (note.task, note.models) == ("y", ("a", "b"))
    task = board.tasks["y"]
    assert (task.best[:2].tolist(), task.worst[:2].tolist()) == ([1, 1], [2, 2])


def test_zeros_with_items_have_wilson_intervals_of_their_own() -> None:
    scores = golden_board(100).select(tasks=("y",))
    board = rb.leaderboard(scores)
    task = board.tasks["y"]
    # 100 of 100: 0.963 to 1 by Wilson, where c with its error of 0.03 reaches 0.959.
    assert task.spread_best.tolist() == [1, 1, 3]
    np.testing.assert_allclose(task.se[:2], np.sqrt(9.51745557893e-05), rtol=1e-9)
    assert "no-spread" not in {note.code for note in board.notes}


@pytest.mark.parametrize("error", [-0.1, np.inf])
def test_an_error_that_is_negative_or_infinite_is_refused(error: float) -> None:
    with pytest.raises(rb.DataError, match="0 or more and finite"):
        rb.Estimates(("a", "b"), [0.5, 0.6], se=[0.1, error])


def test_checkpoints_that_know_nothing_of_one_task_do_not_blur_the_average() -> None:
    # 24 checkpoints of two models: 10 have an accuracy of 0, and so an error of 0, on lambada.
    scores = rb.read("tests/data/tables/pythia_checkpoints.csv")
    zero, largest = (
        rb.aggregate(scores, over="items", zero_se=choice) for choice in ("zero", "largest")
    )
    widths = [float((one.worst - one.best + 1).mean()) for one in (zero, largest)]
    assert widths[0] == pytest.approx(widths[1], abs=0.5)
    cells = [(m, t) for t, e in scores.tasks.items() for m, s in zip(e.models, e.se, strict=True)
             if s == 0]  # fmt: skip
    (note,) = [note for note in zero.notes if note.code == "zero-se"]
    assert f": {len(cells)} (" in note.message
    assert note.models == tuple(sorted({model for model, _ in cells}))
    unknown = rb.Scores({
        task: rb.Estimates(one.models, one.mean, se=np.where(one.se == 0, np.nan, one.se))
        for task, one in scores.tasks.items()
    })  # fmt: skip
    lost = rb.aggregate(unknown, over="items")
    assert (lost.worst - lost.best + 1).mean() > 1.5 * widths[0]
