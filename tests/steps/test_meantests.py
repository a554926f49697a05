"""What the tests of means do where plain formulas would claim too much."""

from __future__ import annotations

import numpy as np
import pytest
from calibration import Calibration
from scipy import stats

import rankbars as rb
from rankbars.stats.pairwise.modelscores import item_summary, share_summary


def test_scores_near_one_have_an_error() -> None:
    right = np.ones((20, 2))
    right[0, 1] = 0.0
    made = rb.compare(rb.Scores.from_arrays({"t": right}, ["a", "b"]))["t"]
    # Two more of each answer: 22 of 24 and 21 of 24.
    expected = [np.sqrt(22 * 2 / 24**3), np.sqrt(21 * 3 / 24**3)]
    assert made.mean_se == pytest.approx(expected, rel=1e-12)


def test_scores_away_from_the_edge_keep_the_plain_error() -> None:
    values = np.random.default_rng(0).integers(0, 2, (60, 2)).astype(float)
    made = rb.compare(rb.Scores.from_arrays({"t": values}, ["a", "b"]))["t"]
    assert made.mean_se == pytest.approx(values.std(axis=0, ddof=1) / np.sqrt(60), rel=1e-12)


def test_counts_of_right_answers_tell_what_their_rows_do() -> None:
    values = np.random.default_rng(1).integers(0, 2, (40, 5)).astype(float)
    values[::3, 1], values[1:, 2], values[:, 3] = np.nan, np.nan, np.nan
    seen = ~np.isnan(values)
    counted = share_summary(seen.sum(axis=0), np.nansum(values, axis=0))
    for one, other in zip(counted, item_summary(values), strict=True):
        assert one == pytest.approx(other, rel=1e-12, nan_ok=True)


def test_errors_estimated_from_few_rows_use_the_t_distribution() -> None:
    estimates = rb.Estimates(("a", "b"), [1.0, 0.0], se=[0.3, 0.4], n=[3, 4])
    made = rb.compare(rb.Scores({"t": estimates}))["t"]
    df = 0.25**2 / (0.09**2 / 2 + 0.16**2 / 3)
    assert made.p[0, 1] == pytest.approx(stats.t.sf(2.0, df), rel=1e-10)


def test_errors_from_few_rows_keep_their_t_distribution_beside_errors_of_unknown_rows() -> None:
    estimates = rb.Estimates(("a", "b", "c"), [1.0, 0.0, 0.0], se=[0.3, 0.4, 0.4], n=[3, 4, 0])
    made = rb.compare(rb.Scores({"t": estimates}))["t"]
    known = stats.ttest_ind_from_stats(1.0, 0.3 * 3**0.5, 3, 0.0, 0.4 * 4**0.5, 4, equal_var=False)
    assert made.p[0, 1] == pytest.approx(known.pvalue / 2, rel=1e-10)
    # c is as sure as its error says, so that only a counts: 0.25² / (0.09² / 2).
    assert made.p[0, 2] == pytest.approx(stats.t.sf(2.0, 0.25**2 / (0.09**2 / 2)), rel=1e-10)


@pytest.mark.slow
def test_tied_models_with_three_unpaired_rows_are_rarely_told_apart(
    calibration: Calibration,
) -> None:
    wrong, runs = 0, calibration.runs(70, 300)
    for repetition in range(runs):
        rows = np.random.default_rng(repetition).normal(size=(3, 10))
        estimates = rb.Estimates(
            tuple("abcdefghij"),
            rows.mean(axis=0),
            se=rows.std(axis=0, ddof=1) / np.sqrt(3),
            n=np.full(10, 3),
        )
        board = rb.leaderboard(rb.Scores({"t": estimates}))
        wrong += len(board.undominated()) < 10
    calibration.at_most(wrong, runs, 0.05)


def test_mean_ranks_over_few_tasks_carry_a_warning() -> None:
    rng = np.random.default_rng(0)
    arrays = {f"t{i}": rng.random((9, 3)) for i in range(6)}
    info = {name: rb.TaskInfo(metric="xy"[i % 2]) for i, name in enumerate(arrays)}
    scores = rb.Scores.from_arrays(arrays, list("abc"), info=info)
    assert "few-tasks" in {note.code for note in rb.leaderboard(scores).notes}


def test_an_average_that_rests_on_few_rows_carries_a_warning() -> None:
    rng = np.random.default_rng(0)
    scores = rb.Scores.from_arrays({f"t{i}": rng.random((6, 3)) for i in range(3)}, list("abc"))
    assert "few-rows-average" in {note.code for note in rb.leaderboard(scores).notes}


def test_a_mapping_is_not_taken_for_scores() -> None:
    with pytest.raises(rb.DataError, match=r"data frame or Scores; got dict.*Scores\.from_arrays"):
        rb.leaderboard({"a": [1]})  # type: ignore[arg-type]


def test_training_runs_speak_of_fixed_items_in_clusters_too() -> None:
    values = np.random.default_rng(0).random((12, 2))
    for clusters in (None, np.repeat(np.arange(6), 2)):
        runs = rb.Items(("a", "b"), values, clusters=clusters, design="runs")
        said = " ".join(rb.compare(rb.Scores({"x": runs}))["x"].assumptions)
        assert "the items of the task are taken as fixed" in said
