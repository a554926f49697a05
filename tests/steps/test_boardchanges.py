"""What changed between two boards is put down to its first cause."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankbars as rb
from rankbars.data.notes import NameFact, NameKind
from rankbars.render.changes import change_markdown, change_text
from rankbars.store.naming import put_names

NAMES = ("a", "b", "c", "d")


def make_scores(**changes: np.ndarray) -> rb.Scores:
    rng = np.random.default_rng(3)
    tasks = {f"t{k}": rng.normal(size=(50, 4)) + [0.9, 0.6, 0.3, 0.0] for k in range(4)}
    return rb.Scores.from_arrays({**tasks, **changes}, list(NAMES))


def causes(change) -> dict[str, str]:
    return {one.model: one.cause for one in change.models}


def test_the_same_results_change_nothing():
    change = rb.diff(rb.leaderboard(make_scores()), rb.leaderboard(make_scores()))
    assert change.nothing
    assert set(causes(change).values()) == {"nothing"}


def test_models_that_lack_tasks_are_told_when_they_change_come_or_go():
    rng = np.random.default_rng(4)
    tasks = {f"t{k}": rng.normal(size=(40, 4)) + [0.9, 0.6, 0.3, 0.0] for k in range(4)}
    tasks["t0"] = tasks["t0"].copy()
    tasks["t0"][:, 3] = np.nan

    def board(shift=0.0, names=NAMES, lacking=True):
        made = {name: values.copy() for name, values in tasks.items()}
        made["t1"][:, 3] += shift
        if not lacking:
            made["t0"][:, 3] = 0.0
        kept = [NAMES.index(name) for name in names]
        return rb.leaderboard(
            rb.Scores.from_arrays({n: v[:, kept] for n, v in made.items()}, list(names))
        )

    old = board()
    assert old.partly is not None
    assert rb.diff(old, board()).nothing
    change = rb.diff(old, board(shift=30.0))
    ((model, changed, ranks, lacking),) = [
        (one.model, one.tasks, one.ranks, one.lacking) for one in change.partly
    ]
    assert (model, changed, lacking) == ("d", ("t1",), (1, 1))
    assert ranks[0] != ranks[1]
    assert "Models that lack tasks, and changed (1): d (rank " in change_text(change)
    assert rb.diff(old, board(names=NAMES[:3])).removed_models == ("d",)
    whole = rb.diff(old, board(lacking=False))
    assert (whole.added_models, whole.partly[0].lacking) == ((), (1, 0))
    assert "1 → 0 tasks lacking" in change_markdown(whole)


def test_rounding_of_an_updated_store_is_no_change():
    board = rb.leaderboard(make_scores())
    tasks = {n: replace(t, mean=t.mean * (1 + 1e-12), se=t.se * 1) for n, t in board.tasks.items()}
    assert rb.diff(board, replace(board, tasks=tasks)).nothing


def test_a_model_whose_scores_changed_is_told_from_those_that_it_moved():
    scores = make_scores()
    values = scores.tasks["t1"].values.copy()
    values[:, 3] += 3.0
    old, new = rb.leaderboard(scores), rb.leaderboard(make_scores(t1=values))
    change = rb.diff(old, new)
    found = causes(change)
    assert found["d"] == "own scores"
    assert {one.model: one.tasks for one in change.models}["d"] == ("t1",)
    assert found["a"] == "pool"  # it is no longer first on t1
    assert not change.added_models
    assert not change.options


def test_models_that_came_above_move_the_others():
    old = rb.leaderboard(make_scores().select(models=["b", "c", "d"]))
    new = rb.leaderboard(make_scores())
    change = rb.diff(old, new)
    assert change.added_models == ("a",)
    assert set(causes(change).values()) == {"pool"}
    assert [one.place for one in change.models] == [(1, 2), (2, 3), (3, 4)]
    assert rb.diff(new, old).removed_models == ("a",)


def test_another_level_moves_intervals_only():
    scores = make_scores()
    old, new = rb.leaderboard(scores, alpha=0.3), rb.leaderboard(scores, alpha=1e-6)
    change = rb.diff(old, new)
    assert change.options == (("alpha", "0.3", "1e-06"),)
    assert "interval" in causes(change).values()
    assert set(causes(change).values()) <= {"interval", "nothing"}
    assert change.lost
    assert not change.gained
    assert all(old.shown_better[NAMES.index(i), NAMES.index(j)] for i, j in change.lost)


def test_tasks_that_came_are_own_scores_of_the_models_that_have_them():
    old, new = rb.leaderboard(make_scores()), rb.leaderboard(make_scores(t9=np.eye(50)[:, :4]))
    change = rb.diff(old, new)
    assert change.added_tasks == ("t9",)
    assert {one.tasks for one in change.models} == {("t9",)}


def test_boards_that_lead_with_different_things_say_so():
    one = rb.leaderboard(make_scores().select(tasks=["t1"]))
    change = rb.diff(one, rb.leaderboard(make_scores()))
    assert change.leads == ("task", "aggregate")
    assert not change.nothing


@given(st.sets(st.sampled_from(NAMES), min_size=2), st.sets(st.sampled_from(NAMES), min_size=2))
def test_forwards_and_backwards_mirror_each_other(one, two):
    boards = [rb.leaderboard(make_scores().select(models=sorted(chosen))) for chosen in (one, two)]
    there, back = rb.diff(*boards), rb.diff(*reversed(boards))
    assert there.added_models == back.removed_models
    assert sorted(there.gained) == sorted(back.lost)
    assert causes(there) == causes(back)
    assert {m.model: m.ranks for m in there.models} == {m.model: m.ranks[::-1] for m in back.models}


@pytest.mark.parametrize("missing", ["pairwise", "bounds"])
def test_a_score_that_came_in_is_an_own_change(missing):
    gap = make_scores().tasks["t1"].values.copy()
    gap[7, 2] = np.nan
    old = rb.leaderboard(make_scores(t1=gap), missing=missing)
    found = causes(rb.diff(old, rb.leaderboard(make_scores(), missing=missing)))
    assert found["c"] == "own scores"


def told(kind: NameKind, name: str, called: str, reason: str | None = None) -> NameFact:
    return NameFact(kind, name, called, reason is not None, reason or "", "2026-11-23")


def of_store(scores: rb.Scores, *facts: NameFact) -> rb.Leaderboard:
    """The board that a store gives which was told these facts."""
    return rb.leaderboard(put_names(scores, facts))


def test_a_renamed_model_and_task_are_the_same_ones():
    scores = make_scores()
    names = told("model", scores.models[0], "new"), told("task", next(iter(scores.tasks)), "exam")
    change = rb.diff(of_store(scores), of_store(scores, *names))
    assert set(causes(change).values()) == {"nothing"}
    assert change.renamed_models == ((scores.models[0], "new"),)
    assert change.renamed_tasks == ((next(iter(scores.tasks)), "exam"),)
    assert (change.added_models, change.removed_models) == ((), ())
    assert (change.added_tasks, change.removed_tasks) == ((), ())
    assert (change.gained, change.lost) == ((), ())
    assert not change.nothing
    back = rb.diff(of_store(scores, *names), of_store(scores))
    assert back.renamed_models == (("new", scores.models[0]),)
    assert set(causes(back).values()) == {"nothing"}
    further = told("model", scores.models[0], "newer"), names[1]
    assert rb.diff(of_store(scores, *names), of_store(scores, *further)).renamed_models == (
        ("new", "newer"),
    )


def test_a_retired_task_is_no_changed_score():
    scores = make_scores()
    task = next(iter(scores.tasks))
    plain, without = of_store(scores), of_store(scores, told("task", task, task, "leaked"))
    change = rb.diff(plain, without)
    assert change.retired_tasks == ((task, "leaked"),)
    assert change.removed_tasks == ()
    assert "own scores" not in causes(change).values()
    assert "own scores" not in causes(rb.diff(without, plain)).values()
    # One that went without being retired is.
    assert (
        "own scores"
        in causes(
            rb.diff(
                plain, rb.leaderboard(scores.select(tasks=[t for t in scores.tasks if t != task]))
            )
        ).values()
    )


def test_a_retired_model_did_not_just_go():
    scores = make_scores()
    model = scores.models[0]
    change = rb.diff(of_store(scores), of_store(scores, told("model", model, "x", "too old")))
    assert change.retired_models == (("x", "too old"),)
    assert change.removed_models == change.added_models == ()
    assert "Models that were retired (1): x (too old)." in " ".join(change_text(change).split())
    assert "`x` (`too old`)" in change_markdown(change)


def test_a_name_that_both_boards_have_is_not_taken_for_another():
    scores = make_scores()
    one, two = scores.models[:2]
    new = replace(of_store(scores), names=(told("model", one, two),))
    assert rb.diff(of_store(scores), new).renamed_models == ()
