"""Choosing tasks by their results, on rows of their own."""

from __future__ import annotations

import numpy as np
import pytest
from calibration import Calibration

import rankbars as rb


def scores() -> rb.Scores:
    rng = np.random.default_rng(0)
    return rb.Scores.from_arrays(
        {
            "sharp": rng.normal(size=(80, 3)) + [0.0, 2.0, 4.0],
            "blunt": rng.normal(size=(80, 3)),
            "turned": rng.normal(size=(80, 3)) + [4.0, 2.0, 0.0],
        },
        ["a", "b", "c"],
    )


def test_chosen_tasks_come_with_the_rows_that_did_not_choose() -> None:
    original = scores()
    chosen = rb.select_tasks(original, by="width", max_width=0.3, share=0.25)
    assert list(chosen.tasks) == ["sharp", "turned"]
    assert chosen.tasks["sharp"].n == 60
    kept = {tuple(row) for row in chosen.tasks["sharp"].values}
    assert kept < {tuple(row) for row in original.tasks["sharp"].values}
    note = next(note for note in chosen.notes if note.code == "selected")
    assert "2 of 3 tasks" in note.message
    assert "25 % of the rows" in note.message


def test_choosing_and_inferring_on_the_same_rows_must_be_asked_for_and_is_noted() -> None:
    chosen = rb.select_tasks(scores(), by="width", max_width=0.3, same_data=True)
    assert chosen.tasks["sharp"].n == 80
    assert "no stated error rate holds" in chosen.notes[-1].message


def test_tasks_that_agree_on_their_best_models_become_a_category() -> None:
    chosen = rb.select_tasks(scores(), by="top_k", k=1)
    assert chosen.info["sharp"].category == "top 1: c"
    assert chosen.info["turned"].category == "top 1: a"
    board = rb.leaderboard(chosen, merge="group")
    assert board.overall is not None
    assert set(board.overall.groups or {}) >= {"top 1: a", "top 1: c"}


def test_whole_clusters_are_split() -> None:
    values = np.random.default_rng(1).normal(size=(20, 2)) + [0, 3]
    clusters = np.repeat(np.arange(10), 2)
    one = rb.Scores({"t": rb.Items(("a", "b"), values, clusters=clusters)})
    chosen = rb.select_tasks(one, by="top_k", k=1)
    left = chosen.tasks["t"].clusters
    assert left is not None
    assert left.size == 10
    assert all((left == code).sum() == 2 for code in set(left.tolist()))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "widht"}, "Did you mean 'width'"),
        ({"by": "width", "max_width": 1.5}, "max_width must be strictly between 0 and 1"),
        ({"by": "top_k", "k": 4}, "k must be between 1 and 3"),
        ({"by": "width", "share": 0.0}, "share must be strictly between"),
        ({"by": "width", "max_width": 0.01, "alpha": 1e-12}, "Raise max_width"),
    ],
)
def test_wrong_choices_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(rb.RankbarsError, match=message):
        rb.select_tasks(scores(), **options)  # type: ignore[arg-type]


def test_published_scores_cannot_be_split() -> None:
    one = rb.Scores({"t": rb.Estimates(("a", "b"), [0.0, 1.0], se=[0.1, 0.1])})
    with pytest.raises(rb.OptionError, match="no independent rows to split"):
        rb.select_tasks(one, by="width")


@pytest.mark.slow
def test_intervals_cover_after_choosing_on_other_rows(calibration: Calibration) -> None:
    # All models tied: choosing narrow tasks on the same rows would pick false findings.
    missed, made, runs = 0, 0, calibration.runs(75, 150)
    for repetition in range(runs):
        rng = np.random.default_rng(repetition)
        arrays = {f"t{i}": rng.normal(size=(40, 6)) for i in range(8)}
        full = rb.Scores.from_arrays(arrays, list("abcdef"))
        try:
            chosen = rb.select_tasks(full, by="width", max_width=0.95, alpha=0.6, seed=repetition)
        except rb.DataError:
            continue
        for intervals in rb.rank(rb.compare(chosen), alpha=0.2).values():
            missed += int(((intervals.best > 1) | (intervals.worst < 6)).sum())
            made += 6
    assert made > 4 * runs
    calibration.at_most(missed / 6, made // 6, 0.2)
