"""What people read together holds together: rows, sentence, tiers, lists and sets of one board."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankbars as rb
from rankbars.data.boardfile import board_from_dict, board_to_dict
from rankbars.render.sentences import headline
from rankbars.stats.ranks import rank_bounds


@st.composite
def boards(draw: st.DrawFn) -> rb.Leaderboard:
    size, tasks = draw(st.integers(2, 11)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    ahead = np.linspace(0.0, draw(st.sampled_from([0.0, 1.0, 2.5])), size)
    scores = {
        f"t{k}": rng.normal(size=(draw(st.integers(8, 30)), size)) + ahead for k in range(tasks)
    }
    correction = draw(st.sampled_from(["holm", "bonferroni", "maxt"]))
    made = rb.Scores.from_arrays(scores, [f"m{i:02}" for i in range(size)])
    return rb.leaderboard(made, correction=correction, resamples=200)


@settings(max_examples=25, deadline=None)
@given(boards())
def test_nothing_on_a_board_contradicts_the_rest(board: rb.Leaderboard) -> None:
    counted, ranks = rank_bounds(board.shown_better), board.ranks
    assert (ranks.worst == counted.worst).all()
    first = {board.models[i] for i in np.flatnonzero(ranks.best == 1)}
    assert (ranks.best == np.maximum(counted.best, np.where(ranks.best == 1, 1, 2))).all()
    assert set(board.undominated()) == set(board.tiers[0]) == first
    lead = board.aggregate or next(iter(board.tasks.values()))
    assert {board.models[i] for i in np.flatnonzero(lead.may_be_first)} == first
    for k in range(1, len(board.models) + 1):
        assert set(board.top(k)) == {board.models[i] for i in np.flatnonzero(ranks.best <= k)}
    assert all(any(name.startswith("m") for name in tier) for tier in board.tiers)
    told = board.shown_better.any()
    assert ("do not tell the" in headline(board)) == (not told)
    assert (len(first) == len(board.models)) == (not told)
    again = board_from_dict(board_to_dict(board))
    assert again.undominated() == board.undominated()
    assert again.tiers == board.tiers


@pytest.mark.parametrize("seed", range(6))
def test_two_models_are_judged_as_by_a_comparison_of_the_two(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rb.Scores.from_arrays({"t": rng.normal(size=(20, 2)) + [0.0, 0.6]}, ["a", "b"])
    board, duel = rb.leaderboard(scores), rb.head_to_head(scores, "b", "a")
    verdict = duel.tasks["t"].verdict
    assert board.shown_better.any() == (verdict != "cannot tell")
    if verdict == "better":
        assert board.undominated() == ("b",)


def test_a_fifth_of_the_rate_finds_fewer_that_may_be_first_than_all_pairs_do() -> None:
    rng = np.random.default_rng(7)
    x = rng.normal(size=(60, 12)) + rng.normal(size=(60, 1)) + np.linspace(0, 1, 12)
    scores = rb.Scores.from_arrays({"t": x}, [f"m{i:02}" for i in range(12)])
    board = rb.leaderboard(scores, best_alone=True)
    strict = rb.rank(rb.compare(scores)["t"], scope="all")
    assert board.tasks["t"].may_be_first.sum() < strict.may_be_first.sum()
    note = next(note for note in board.notes if note.code == "best-alone")
    assert note.message.startswith("By itself, at 95 % ")


def test_a_statement_by_itself_stands_beside_ranks_for_all_models() -> None:
    scores = rb.Scores.from_arrays({"t": np.random.default_rng(0).normal(size=(9, 3))}, list("abc"))
    with pytest.raises(rb.OptionError, match="--scope all"):
        rb.leaderboard(scores, scope="each", best_alone=True)


def test_intervals_for_a_new_task_do_not_depend_on_the_scope_that_is_shown() -> None:
    rng = np.random.default_rng(1)
    tasks = {f"t{k}": rng.normal(size=(30, 4)) + np.arange(4) / 2 for k in range(9)}
    scores = rb.Scores.from_arrays(tasks, list("abcd"))
    for merge in ("joint", "quantile", "union"):
        one = rb.leaderboard(scores, scope="each", merge=merge).overall
        other = rb.leaderboard(scores, scope="all", merge=merge).overall
        assert one is not None
        assert other is not None
        assert (one.best == other.best).all()
        assert (one.worst == other.worst).all()
        assert one.guarantee == other.guarantee
