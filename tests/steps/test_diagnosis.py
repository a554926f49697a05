"""Evidence against a new task being like the seen ones."""

from __future__ import annotations

import numpy as np
import pytest

import rankbars as rb
from rankbars.stats.newtask.plausibility import tilted_weights


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


# --- shifts of the source, and where more rows would help ----------------------------------------


def test_weights_are_tilted_to_the_distance_that_is_asked_for() -> None:
    value = np.random.default_rng(3).normal(size=12)
    for size in (0.05, 0.3, 0.7):
        weights = tilted_weights(value, size)
        assert np.abs(weights - 1 / 12).sum() / 2 == pytest.approx(size, abs=1e-9)
        assert (np.diff(weights[np.argsort(value)]) > 0).all()
    assert tilted_weights(value, 0.95) is None
    assert tilted_weights(np.ones(4), 0.1) is None


def graded(turned: int) -> rb.Leaderboard:
    """Twelve tasks, each easier than the one before; on the first few the order is turned."""
    rng = np.random.default_rng(1)
    ability = np.array([0.0, 1.0, 2.0, 3.0])
    arrays = {
        f"t{i:02d}": i + rng.normal(size=(60, 4)) + (ability[::-1] if i < turned else ability)
        for i in range(12)
    }
    info = {name: rb.TaskInfo(category="old" if i < 6 else "new") for i, name in enumerate(arrays)}
    scores = rb.Scores.from_arrays(arrays, list("abcd"), info=info)
    return rb.leaderboard(scores, alpha_overall=0.3)


def test_a_shift_towards_tasks_that_are_not_foreseen_lowers_the_share_inside() -> None:
    found = rb.diagnose(graded(turned=1))
    share = found.left_out[0].share
    assert share.tolist() == [11 / 12] * 4  # the first task, the hardest, is not foreseen
    by_shift = {(one.towards, one.size): one for one in found.shifts}
    assert set(by_shift) == {
        (towards, size)
        for towards in ("harder", "easier", "old", "new")
        for size in (0.1, 0.2, 0.3)
    }
    # By hand: half of the tasks are old, so a shift of .2 gives them .7 of the weight.
    assert by_shift["old", 0.2].inside == pytest.approx([1 - 0.7 / 6] * 4)
    assert by_shift["new", 0.2].inside == pytest.approx([1 - 0.3 / 6] * 4)
    assert (by_shift["harder", 0.3].inside < by_shift["harder", 0.1].inside).all()
    assert (by_shift["harder", 0.1].inside < share).all()
    assert (by_shift["easier", 0.1].inside > share).all()
    for one in found.shifts:  # no weights can take away more than their distance
        assert one.least == pytest.approx(max(0.0, found.expected - one.size))
        assert (one.inside >= share - one.size - 1e-9).all()


def test_drawing_tasks_by_the_weights_gives_the_same_share() -> None:
    made = graded(turned=1)  # of which only the first is not foreseen
    one = next(s for s in rb.diagnose(made).shifts if (s.towards, s.size) == ("harder", 0.2))
    hardness = -np.array([task.mean.mean() for task in made.tasks.values()])
    drawn = np.random.default_rng(0).choice(12, size=40_000, p=tilted_weights(hardness, 0.2))
    assert (drawn != 0).mean() == pytest.approx(one.inside[0], abs=0.01)


def test_more_rows_help_on_the_task_that_separates_nobody() -> None:
    rng = np.random.default_rng(8)
    ability = np.array([0.0, 1.0, 2.0, 3.0])
    arrays = {
        f"t{i}": rng.normal(scale=20.0 if i == 3 else 0.5, size=(60, 4)) + ability for i in range(5)
    }
    made = rb.leaderboard(rb.Scores.from_arrays(arrays, list("abcd")), merge="union")
    gains = rb.diagnose(made).gains
    assert next(iter(gains)) == "t3"
    assert set(gains) == set(made.tasks)
    assert all(value >= 0 for value in gains.values())
