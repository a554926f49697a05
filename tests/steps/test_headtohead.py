"""Two models face to face: against scipy, by hand, and as properties."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rankbars as rb
from rankbars.data.headtohead import Contrast, HeadToHead
from rankbars.data.taskinfo import TaskInfo
from rankbars.matches import head_to_head
from rankbars.stats.pairwise.pairstatistics import detectable_difference
from rankbars.steps.duels import contrast_models

FEW = (True, "cannot tell")
MIRRORED = {"better": "worse", "worse": "better", "cannot tell": "cannot tell"}
VALUES = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@st.composite
def two_model_tables(draw: st.DrawFn) -> rb.Scores:
    """One to three tasks of two models and a bystander, gaps included, one row shared at least."""
    tasks = {}
    for t in range(draw(st.integers(1, 3))):
        n = draw(st.integers(1, 9))
        rows = draw(st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=n, max_size=n))
        array = np.array(rows)
        gaps = draw(st.lists(st.integers(0, 2 * n - 1), max_size=3))
        for gap in gaps:
            if gap // 2:
                array[gap // 2, gap % 2] = math.nan
        tasks[f"task {t}"] = array
    return rb.Scores.from_arrays(tasks, ["a", "b", "c"])


def close(x: float, y: float) -> bool:
    return (math.isnan(x) and math.isnan(y)) or math.isclose(x, y, rel_tol=1e-12, abs_tol=1e-12)


def lines(duel: HeadToHead) -> list[Contrast]:
    return [*duel.tasks.values(), *([duel.average] if duel.average else [])]


# --- numbers from elsewhere --------------------------------------------------------------------


@pytest.mark.parametrize("binary", [True, False])
def test_a_task_agrees_with_the_paired_t_test_of_scipy(binary: bool) -> None:
    rng = np.random.default_rng(7)
    n = 240 if binary else 60  # of fewer answers the law is counted
    values = rng.normal(size=(n, 2)) + [0.3, 0.0]
    if binary:
        values = (values > 0).astype(float)
    duel = contrast_models(rb.Scores.from_arrays({"t": values}, ["a", "b"]), "a", "b", alpha=0.1)
    other = stats.ttest_rel(values[:, 0], values[:, 1])
    low, high = other.confidence_interval(0.9)
    task = duel.tasks["t"]
    assert task.difference == pytest.approx(np.mean(values[:, 0] - values[:, 1]), rel=1e-12)
    assert (task.low, task.high) == pytest.approx((low, high), rel=1e-10)
    assert task.difference / task.se == pytest.approx(other.statistic, rel=1e-10)
    assert task.df == n - 1
    assert 2 * min(task.p_better, task.p_worse) == pytest.approx(other.pvalue, rel=1e-10)


def test_ten_questions_by_hand() -> None:
    """Six only a got right, one only b, two both, one neither.

    The differences sum to 5 and their squares to 7, so the mean is .5, the variance
    (7 - 2.5)/9 = .5 and the standard error sqrt(.05). With t(.975; 9) = 2.262157 the interval
    ends .5 -+ .505834: nothing is shown. t(.8; 9) = .883404, and (2.262157 + .883404) sqrt(.05)
    is .703369.
    """
    rows = [[1, 0]] * 6 + [[0, 1]] + [[1, 1]] * 2 + [[0, 0]]
    task = contrast_models(rb.Scores.from_arrays({"t": rows}, ["a", "b"]), "a", "b").tasks["t"]
    assert (task.score_a, task.score_b, task.difference) == (0.8, 0.3, 0.5)
    assert (task.n, task.ahead, task.behind, task.binary) == (10, 6, 1, True)
    assert task.se == pytest.approx(math.sqrt(0.05), rel=1e-12)
    assert task.low == pytest.approx(-0.005834, abs=1e-6)
    assert task.high == 1.0  # no difference is larger
    assert task.detectable == pytest.approx(0.703369, abs=1e-6)
    assert task.verdict == "cannot tell"


def test_the_average_of_two_tasks_by_hand() -> None:
    """Differences (1, 0, 1, 0) and (2, 0, 0, 2, 0, 2): means .5 and 1.

    Squared standard errors 1/3/4 = 1/12 and 1.2/6 = .2. With equal weights the contrast is .75,
    its variance (1/12 + .2)/4 = 17/240, and Satterthwaite's df
    (17/240)^2 / ((1/48)^2/3 + (1/20)^2/5) = 7.7828.
    """
    first = [[1, 0], [0, 0], [1, 0], [0, 0]]
    second = [[2, 0], [0, 0], [0, 0], [2, 0], [0, 0], [2, 0]]
    scores = rb.Scores.from_arrays({"t": first, "u": second}, ["a", "b"])
    average = contrast_models(scores, "a", "b", test="t").average
    assert average is not None
    assert average.difference == 0.75
    assert average.se == pytest.approx(math.sqrt(17 / 240), rel=1e-12)
    assert average.df == pytest.approx(7.782767, rel=1e-6)
    half = stats.t.ppf(0.975, average.df) * average.se
    assert (average.low, average.high) == pytest.approx((0.75 - half, 0.75 + half), rel=1e-10)
    assert average.verdict == "better"
    assert (average.n, average.ahead, average.behind) == (10, 5, 0)


def test_the_average_over_a_population_of_tasks_is_a_paired_t_over_tasks() -> None:
    rng = np.random.default_rng(3)
    tasks = {f"{i}": rng.normal(size=(5, 2)) for i in range(8)}
    average = contrast_models(
        rb.Scores.from_arrays(tasks, ["a", "b"]), "a", "b", over="tasks"
    ).average
    means = np.array([values.mean(axis=0) for values in tasks.values()])
    other = stats.ttest_rel(means[:, 0], means[:, 1])
    assert average is not None
    assert (average.kind, average.n, average.df) == ("tasks", 8, 7)
    assert average.difference / average.se == pytest.approx(other.statistic, rel=1e-10)


def test_folds_use_the_corrected_variance() -> None:
    """Nadeau and Bengio: s2 (1/J + q/(1 - q)); here J = 6 and q = 1/3, so s2 (1/6 + 1/2)."""
    difference = np.array([0.1, 0.3, 0.2, 0.0, 0.4, 0.2])
    values = np.column_stack([difference, np.zeros(6)])
    scores = rb.Scores.from_arrays({"t": values}, ["a", "b"], design=rb.Folds(2, 3))
    task = contrast_models(scores, "a", "b").tasks["t"]
    assert task.test == "corrected_t"
    assert task.se == pytest.approx(math.sqrt(difference.var(ddof=1) * (1 / 6 + 1 / 2)), rel=1e-12)
    assert task.kind == "folds"


def test_another_test_decides_the_verdict_and_a_note_says_so() -> None:
    """Nine discordant items, eight for a: the exact test gives 10/512 = .0195."""
    rows = [[1, 0]] * 8 + [[0, 1]] + [[1, 1]] * 20
    scores = rb.Scores.from_arrays({"t": rows, "u": rows}, ["a", "b"])
    duel = contrast_models(scores, "b", "a", test="mcnemar")
    task = duel.tasks["t"]
    assert task.p_worse == pytest.approx(10 / 512, rel=1e-12)
    assert (task.verdict, task.test) == ("worse", "mcnemar")
    assert contrast_models(scores, "b", "a", test="mcnemar", alpha=0.03).tasks["t"].verdict == (
        "cannot tell"
    )
    assert task.low == contrast_models(scores, "b", "a", test="t").tasks["t"].low
    assert "verdicts-by-another-test" in {note.code for note in duel.notes}
    assert duel.average is not None


def test_resampling_tests_repeat_themselves() -> None:
    values = np.random.default_rng(2).normal(size=(40, 2))
    scores = rb.Scores.from_arrays({"t": values}, ["a", "b"])
    tries = [contrast_models(scores, "a", "b", test="signflip", seed=s) for s in (1, 1, 2)]
    p = [one.tasks["t"].p_better for one in tries]
    assert p[0] == p[1] != p[2]


def test_published_scores_are_compared_by_their_standard_errors() -> None:
    """With rows known, Welch's degrees of freedom; without, the normal tail."""
    estimates = rb.Estimates(("a", "b"), [0.8, 0.7], se=[0.03, 0.04], n=[100, 120])
    task = contrast_models(rb.Scores({"t": estimates}), "a", "b").tasks["t"]
    assert task.se == pytest.approx(0.05, rel=1e-12)
    df = 0.05**4 / (0.03**4 / 99 + 0.04**4 / 119)
    assert task.df == pytest.approx(df, rel=1e-12)
    assert task.high == pytest.approx(0.1 + stats.t.ppf(0.975, df) * 0.05, rel=1e-9)
    bare = rb.Estimates(("a", "b"), [0.8, 0.7], se=[0.03, 0.04])
    assert contrast_models(rb.Scores({"t": bare}), "a", "b").tasks["t"].df == math.inf
    assert (task.n_a, task.n_b, task.ahead) == (100, 120, None)


def test_published_scores_are_averaged_with_their_standard_errors() -> None:
    """Contrasts .1 and .3 with variances .0025 each: mean .2, standard error sqrt(.005)/2."""
    one = rb.Estimates(("a", "b"), [0.8, 0.7], se=[0.03, 0.04])
    other = rb.Estimates(("a", "b"), [0.8, 0.5], se=[0.03, 0.04])
    average = contrast_models(rb.Scores({"t": one, "u": other}), "a", "b").average
    assert average is not None
    assert (average.kind, average.n, average.df) == ("estimates", 0, math.inf)
    assert average.difference == pytest.approx(0.2, rel=1e-12)
    assert average.se == pytest.approx(math.sqrt(0.005) / 2, rel=1e-12)
    assert average.verdict == "better"


@pytest.mark.parametrize("df", [5, 9, 30, 1000])
def test_the_detectable_difference_is_shown_four_times_in_five(df: int) -> None:
    detectable = detectable_difference(1.0, df, 0.05, 0.8)
    power = stats.nct.sf(stats.t.ppf(0.975, df), df, detectable)
    assert power == pytest.approx(0.8, abs=0.006)


# --- degenerate pairs --------------------------------------------------------------------------


def test_identical_models_cannot_be_told_apart_and_have_no_interval() -> None:
    values = [[1, 1], [0, 0], [1, 1], [0, 0]]
    task = contrast_models(rb.Scores.from_arrays({"t": values}, ["a", "b"]), "a", "b").tasks["t"]
    assert task.verdict == "cannot tell"
    assert (task.difference, task.p_better, task.p_worse) == (0.0, 1.0, 1.0)
    assert all(math.isnan(x) for x in (task.low, task.high, task.detectable))


@pytest.mark.parametrize(("rows", "verdict"), [(5, "cannot tell"), (6, "better")])
def test_a_constant_difference_counts_one_half_per_row(rows: int, verdict: str) -> None:
    """2^-5 is above .025 and 2^-6 below it."""
    values = [[0.3 + 0.1 * i, 0.2 + 0.1 * i] for i in range(rows)]
    task = contrast_models(rb.Scores.from_arrays({"t": values}, ["a", "b"]), "a", "b").tasks["t"]
    assert task.p_better == pytest.approx(2.0**-rows, rel=1e-9)
    assert (task.p_worse, task.verdict) == (1.0, verdict)
    assert math.isnan(task.low)


def test_one_row_tells_nobody_apart() -> None:
    task = contrast_models(rb.Scores.from_arrays({"t": [[1, 0]]}, ["a", "b"]), "a", "b").tasks["t"]
    assert task.verdict == "cannot tell"
    assert math.isnan(task.low)


# --- rows, tasks, directions -------------------------------------------------------------------


def test_only_rows_of_both_models_count_and_a_note_says_so() -> None:
    nan = math.nan
    values = [[1, 0], [1, nan], [0, 0], [nan, 1], [1, 0], [1, 1]]
    duel = contrast_models(rb.Scores.from_arrays({"t": values}, ["a", "b"]), "a", "b")
    task = duel.tasks["t"]
    assert (task.n, task.n_a, task.n_b) == (4, 5, 5)
    assert (task.score_a, task.score_b) == (0.75, 0.25)
    note = next(note for note in duel.notes if note.code == "rows-in-common")
    assert "1 rows of a and 1 of b, on 1 of 1 tasks" in note.message


def test_a_task_of_one_model_only_leaves_no_average_and_says_what_to_do() -> None:
    both = rb.Items(("a", "b"), [[1, 0], [0, 0], [1, 1]])
    alone = rb.Items(("a",), [[1.0], [0.0]])
    duel = contrast_models(rb.Scores({"t": both, "u": both, "v": alone}), "a", "b")
    assert duel.average is None
    assert duel.tasks["v"].verdict == "cannot tell"
    assert duel.tasks["v"].n == 0
    note = next(note for note in duel.notes if note.code == "no-average")
    assert "(v)" in note.message
    assert "--missing-tasks insert" in note.message


def test_no_row_in_common_is_an_error() -> None:
    values = [[1, math.nan], [math.nan, 1]]
    with pytest.raises(rb.DataError, match="no row in common on any of the 1 tasks"):
        contrast_models(rb.Scores.from_arrays({"t": values}, ["a", "b"]), "a", "b")


def test_rows_of_its_own_for_each_model_lead_to_a_test_that_pairs_none() -> None:
    values = [[1, math.nan], [0, math.nan], [math.nan, 1], [math.nan, 1]] * 4
    scores = rb.Scores.from_arrays({"t": values}, ["a", "b"])
    for done, judge in (
        ("compared", lambda **more: rb.head_to_head(scores, "a", "b", missing="pairwise", **more)),
        ("judged", lambda **more: rb.check(scores, ["b >= a"], missing="pairwise", **more)),
    ):
        with pytest.raises(rb.DataError, match=f"Nothing was {done}.*\n  --test welch\n"):
            judge()
        assert judge(test="welch") is not None


def test_lower_is_better_keeps_the_units_and_favours_the_lower_score() -> None:
    """Errors .1 and .3: stored negated, shown as they are, and a is ahead."""
    values = -np.array([[0.1, 0.3], [0.2, 0.5], [0.0, 0.1], [0.1, 0.3]])
    info = {"t": TaskInfo(direction="lower")}
    scores = rb.Scores.from_arrays({"t": values}, ["a", "b"], info=info)
    task = contrast_models(scores, "a", "b").tasks["t"]
    assert (task.score_a, task.score_b) == pytest.approx((0.1, 0.3))
    assert task.difference == pytest.approx(0.2)
    assert (task.ahead, task.behind, task.direction) == (4, 0, "lower")


def test_tasks_on_different_metrics_are_averaged_as_ranks() -> None:
    rng = np.random.default_rng(5)
    tasks = {f"{i}": rng.normal(size=(20, 2)) + [2.0, 0.0] for i in range(7)}
    info = {f"{i}": TaskInfo(metric="accuracy" if i % 2 else "rmse") for i in range(7)}
    duel = contrast_models(rb.Scores.from_arrays(tasks, ["a", "b"], info=info), "a", "b")
    assert duel.average is not None
    assert (duel.average.unit, duel.average.kind) == ("rank", "tasks")
    assert (duel.average.score_a, duel.average.score_b) == (1.0, 2.0)
    assert (duel.average.ahead, duel.average.behind) == (7, 0)
    assert duel.average.verdict == "better"  # seven of seven: 2^-7 is below .025


def test_a_task_without_weight_is_compared_but_not_averaged() -> None:
    values = [[1, 0], [0, 0], [1, 1]]
    info = {"u": TaskInfo(weight=0.0)}
    scores = rb.Scores.from_arrays({"t": values, "u": values}, ["a", "b"], info=info)
    duel = contrast_models(scores, "a", "b")
    assert set(duel.tasks) == {"t", "u"}
    assert duel.average is None


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"b": "a"}, rb.OptionError, "Two different models"),
        ({"b": "x"}, rb.UnknownOptionError, "Unknown model 'x'"),
        ({"alpha": 0.0}, rb.OptionError, "alpha must be"),
        ({"alpha": math.nan}, rb.OptionError, "alpha must be"),
        ({"over": "item"}, rb.UnknownOptionError, "Did you mean 'items'"),
        ({"test": "tt"}, rb.UnknownOptionError, "Unknown test 'tt'"),
        ({"test": "z"}, rb.OptionError, "Task 't'"),
        ({"seed": -1}, rb.OptionError, "seed must be"),
        ({"resamples": 0}, rb.OptionError, "resamples must be"),
    ],
)
def test_wrong_options_are_named(
    options: dict[str, object], error: type[Exception], words: str
) -> None:
    scores = rb.Scores.from_arrays({"t": [[1, 0], [0, 0]]}, ["a", "b"])
    arguments = {"a": "a", "b": "b"} | options
    with pytest.raises(error, match=words):
        head_to_head(scores, **arguments)


# --- properties --------------------------------------------------------------------------------


@given(two_model_tables(), st.sampled_from(["auto", "tasks", "none"]))
def test_swapping_the_models_mirrors_everything(scores: rb.Scores, over: str) -> None:
    duel, turned = (contrast_models(scores, *pair, over=over) for pair in ("ab", "ba"))
    assert len(lines(duel)) == len(lines(turned))
    for one, other in zip(lines(duel), lines(turned), strict=True):
        assert other.verdict == MIRRORED[one.verdict]
        assert (other.n_a, other.n_b) == (one.n_b, one.n_a)
        assert (other.ahead, other.behind) == (one.behind, one.ahead)
        assert close(other.difference, -one.difference)
        assert close(other.low, -one.high)
        assert close(other.high, -one.low)
        assert close(other.score_a, one.score_b)
        assert close(other.p_better, one.p_worse)
        assert close(other.detectable, one.detectable)
        assert close(other.df, one.df)


@given(two_model_tables(), st.sampled_from([0.01, 0.05, 0.3]))
def test_a_verdict_is_where_the_interval_lies(scores: rb.Scores, alpha: float) -> None:
    for one in lines(contrast_models(scores, "a", "b", alpha=alpha)):
        if not math.isnan(one.low):
            assert one.low <= one.difference <= one.high
            side = "better" if one.low > 0 else "worse" if one.high < 0 else "cannot tell"
            touches = min(abs(one.low), abs(one.high)) < 1e-9
            # Few rows keep the interval, for the eye, and show nothing.
            assert one.verdict == side or touches or (one.approximate, one.verdict) == FEW


@given(two_model_tables(), st.sampled_from([0.05, 0.2]))
def test_verdicts_are_those_of_a_leaderboard_of_two(scores: rb.Scores, alpha: float) -> None:
    pair = scores.select(models=["a", "b"])
    duel = contrast_models(scores, "a", "b", alpha=alpha)
    ranks = rb.rank(rb.compare(pair), alpha=alpha)
    for name, one in duel.tasks.items():
        expected = {"better": (1, 1), "worse": (2, 2), "cannot tell": (1, 2)}[one.verdict]
        assert ranks[name]["a"] == expected


@given(two_model_tables())
def test_a_bystander_changes_nothing(scores: rb.Scores) -> None:
    alone = contrast_models(scores.select(models=["a", "b"]), "a", "b")
    for one, other in zip(lines(alone), lines(contrast_models(scores, "a", "b")), strict=True):
        assert repr(one) == repr(other)


def test_a_result_can_be_copied_whole() -> None:
    duel = contrast_models(rb.Scores.from_arrays({"t": [[1, 0], [0, 0]]}, ["a", "b"]), "a", "b")
    assert repr(copy.deepcopy(duel).tasks["t"]) == repr(duel.tasks["t"])
