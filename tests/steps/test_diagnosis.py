"""Evidence against a new task being like the seen ones."""

from __future__ import annotations

import numpy as np
import pytest

import rankbars as rb


def board(families: bool = False, turned: int = 0) -> rb.Leaderboard:
    rng = np.random.default_rng(0)
    ability = np.array([0.0, 1.0, 2.0, 3.0])
    arrays = {
        f"t{i}": rng.normal(size=(60, 4)) + (ability[::-1] if i < turned else ability)
        for i in range(10)
    }
    info = {name: rb.TaskInfo(family="xy"[i % 2]) for i, name in enumerate(arrays)}
    scores = rb.Scores.from_arrays(arrays, list("abcd"), info=info if families else None)
    return rb.leaderboard(scores, alpha_overall=0.3)


def test_tasks_of_one_source_foresee_each_other() -> None:
    found = rb.diagnose(board(), top=1)
    left_out = found.left_out[0]
    assert (left_out.unit, left_out.count) == ("task", 10)
    assert (left_out.share >= found.expected - 0.2).all()
    assert (left_out.low <= left_out.share).all()
    assert (left_out.share <= left_out.high).all()


def test_a_task_of_another_source_is_not_foreseen() -> None:
    found = rb.diagnose(board(turned=1), top=1)
    assert found.left_out[0].inside.tolist() == [9, 9, 9, 9]


def test_families_are_left_out_whole_where_they_are_known() -> None:
    assert [one.unit for one in rb.diagnose(board(families=True)).left_out] == ["task", "family"]


def test_claim_by_hand() -> None:
    found = rb.diagnose(board(), top=1, coverage=0.8)
    # d is first on all 10 tasks, and rows hold for all models at once: miss <= (0 + 1) / 11 /
    # (1 - .05); the rest never is.
    miss = 1 / 11 / 0.95
    assert found.claim_miss[3] == pytest.approx(miss)
    assert found.breakdown[3] == pytest.approx(0.2 - miss)
    assert (found.breakdown[:3] < 0).all()


def test_level_falls_by_the_shift() -> None:
    found = rb.diagnose(board())
    assert found.guarantee is not None
    assert found.level_under_shift(0.1) == pytest.approx(found.guarantee - 0.1)
    assert found.level_under_shift(1.0) == 0.0


def test_one_task_or_a_silly_claim_is_refused() -> None:
    rng = np.random.default_rng(0)
    single = rb.leaderboard(rb.Scores.from_arrays({"t": rng.random((5, 2))}, ["a", "b"]))
    with pytest.raises(rb.DataError, match="at least two tasks"):
        rb.diagnose(single)
    with pytest.raises(rb.OptionError, match="top must be between 1 and 4"):
        rb.diagnose(board(), top=9)
