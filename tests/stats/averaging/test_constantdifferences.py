"""Pairs that differ by the same on every row of a task: what they add to an average."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import rankbars as rb
from rankbars.stats.averaging.taskcontrasts import (
    add_task,
    average_contrasts,
    constant_errors,
    start_sums,
)
from rankbars.stats.pairwise.modelscores import item_summary
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.pairwise.pairstatistics import PairStatistics


def apart(rows: int, by: float = 1.0) -> NDArray[np.float64]:
    """The first model ahead by the same on every row."""
    return np.column_stack([np.full(rows, by), np.zeros(rows)])


def averaged(*tasks: NDArray[np.float64]) -> PairStatistics:
    sums = start_sums(tasks[0].shape[1])
    for values in tasks:
        add_task(sums, paired_t(values), item_summary(values), 1.0 / len(tasks))
    return average_contrasts(sums)


def large(rows: int = 300) -> NDArray[np.float64]:
    """24 rows for the first model alone, 21 for the second alone, as in the first report."""
    i = np.arange(1, rows + 1)
    return np.column_stack([i % 2, (i + (i % 7 == 0)) % 2]).astype(np.float64)


@pytest.mark.parametrize(("rows", "variance"), [(2, 1.0), (3, 7 / 18)])
def test_the_error_of_two_and_of_three_rows_by_hand(rows: int, variance: float) -> None:
    """t of 1 df has the tail 1/4 at 1; t of 2 df has the tail 1/8 at sqrt(18/7)."""
    se = constant_errors(paired_t(apart(rows)))[0, 1]
    assert se**2 == pytest.approx(variance, rel=1e-12)


@pytest.mark.parametrize("rows", [2, 4, 7, 30])
@pytest.mark.parametrize("by", [1.0, -0.25])
def test_the_error_gives_the_difference_the_p_value_of_a_sign_test(rows: int, by: float) -> None:
    se = constant_errors(paired_t(apart(rows, by)))[0, 1]
    assert stats.t.sf(abs(by) / se, rows - 1) == pytest.approx(2.0**-rows, rel=1e-9)


def test_errors_are_untouched_where_no_pair_is_constant() -> None:
    pairs = paired_t(np.column_stack([large(), large()[:, 0]]))
    assert pairs.identical.any()
    assert constant_errors(pairs) is pairs.se


def test_variance_and_degrees_of_freedom_of_the_average_by_hand() -> None:
    """Three rows 3 : 0 and a large task: (7/18 + v) / 4, Satterthwaite with 2 and 299 df."""
    found, values = averaged(apart(3), large()), large()
    own = np.var(values[:, 0] - values[:, 1], ddof=1) / 300
    total = 7 / 18 + own
    assert found.se[0, 1] == pytest.approx(np.sqrt(total) / 2, rel=1e-12)
    df = np.asarray(found.df)[0, 1]
    assert df == pytest.approx(total**2 / ((7 / 18) ** 2 / 2 + own**2 / 299), rel=1e-12)
    assert not found.constant.any()


def test_rows_on_which_models_are_equal_add_nothing_to_a_sign_test() -> None:
    found = averaged(apart(3), np.zeros((300, 2)))
    assert found.constant[0, 1]
    assert found.se[0, 1] == 0.0
    assert stats.norm.sf(found.statistic[0, 1]) == pytest.approx(2.0**-3, rel=1e-9)


def test_constant_differences_of_opposite_sign_are_no_sign_test() -> None:
    found = averaged(apart(3), apart(300, -0.001))
    assert not found.constant.any()
    assert stats.t.sf(found.statistic[0, 1], np.asarray(found.df)[0, 1]) > 0.1


def two_tasks() -> rb.Scores:
    return rb.Scores.from_arrays({"smoke": apart(3), "big": large()}, ["after", "before"])


def test_a_task_that_cannot_tell_does_not_decide_the_average() -> None:
    duel = rb.head_to_head(two_tasks(), "after", "before")
    assert duel.tasks["smoke"].verdict == "cannot tell"
    assert duel.average is not None
    assert duel.average.verdict == "cannot tell"
    assert duel.average.low < 0.0 < duel.average.high
    average = rb.aggregate(two_tasks(), over="items")
    assert not average.shown_better.any()
    note = next(note for note in average.notes if note.code == "constant-on-task")
    assert "(smoke)" in note.message


def test_rows_that_decide_by_themselves_still_count() -> None:
    scores = rb.Scores.from_arrays({"small": apart(20), "big": large()}, ["a", "b"])
    duel = rb.head_to_head(scores, "a", "b")
    assert duel.average is not None
    assert duel.average.verdict == "better"
    assert rb.aggregate(scores, over="items").shown_better[0, 1]


def test_constant_differences_of_few_rows_that_are_not_0_or_1_do_not_decide() -> None:
    rng = np.random.default_rng(3)
    wide = rng.normal(size=(40, 1)) + 0.01 * rng.normal(size=(40, 2))
    scores = rb.Scores.from_arrays({"few": apart(4, 2.5), "wide": wide}, ["a", "b"])
    duel = rb.head_to_head(scores, "a", "b")
    assert duel.average is not None
    assert duel.average.verdict == "cannot tell"
    assert not rb.aggregate(scores, over="items").shown_better.any()


@pytest.mark.slow
@pytest.mark.parametrize("rows", [2, 5, 8])
def test_equal_models_with_a_small_task_are_told_apart_at_most_as_often_as_stated(
    rows: int,
) -> None:
    """100 boards of equal models: at 5 %, 12 or more false ones have a probability below .01."""
    false = 0
    for seed in range(100):
        rng = np.random.default_rng([rows, seed])
        tasks = {
            "small": rng.integers(0, 2, (rows, 2)).astype(float),
            "big": rng.integers(0, 2, (100, 2)).astype(float),
        }
        scores = rb.Scores.from_arrays(tasks, ["a", "b"])
        found = rb.aggregate(scores, over="items", resamples=100)
        false += bool(found.shown_better.any())
    assert false < 12
