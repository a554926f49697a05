"""Boards of votes: what they lead with, what they promise, and what carries no information."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
from boardschema import board_schema
from hypothesis import given
from hypothesis import strategies as st
from reference import DATA
from strategies import FEWER
from votefiles import CROWD, draw_rows, only_votes, same_votes, write_rows

import rankbars as rb
from rankbars.data.boardfile import board_json
from rankbars.data.mergedvotes import merge_votes
from rankbars.demos import DEMOS, demo_path
from rankbars.render.exports import render_csv
from rankbars.render.sentences import headline
from rankbars.render.text import render_text

SEED = st.integers(0, 10**6)
MIRROR = {"model_a": "model_b", "model_b": "model_a", "tie": "tie", "both_bad": "both_bad"}


def from_rows(rows: object, **options: str) -> rb.Scores:
    return rb.Scores.from_frame(pd.DataFrame(rows), **options)


@pytest.fixture(scope="module")
def arena() -> rb.Leaderboard:
    """The vote arena of August 2024."""
    return rb.leaderboard(rb.read(demo_path(DEMOS["arena"])))


def test_the_arena_comes_out_in_its_published_order(arena: rb.Leaderboard) -> None:
    task = arena.tasks["arena_counts"]
    assert [arena.models[i] for i in arena.order[:5]] == [
        "chatgpt-4o-latest",
        "gemini-1.5-pro-exp-0801",
        "gpt-4o-2024-05-13",
        "gpt-4o-mini-2024-07-18",
        "claude-3-5-sonnet-20240620",
    ]
    assert (task.kind, task.n, len(arena.models)) == ("votes", 1_670_250, 129)
    assert task.mean.sum() == pytest.approx(0, abs=1e-9)
    assert arena.lead == "task"
    assert arena.overall is None
    assert arena.aggregate is None
    assert headline(arena).startswith(
        "In these votes, chatgpt-4o-latest leads: it is shown better than all 128 others (95 %"
    )


def test_the_board_file_of_votes_keeps_to_its_schema(arena: rb.Leaderboard, tmp_path: Path) -> None:
    text = board_json(arena)
    jsonschema.validate(json.loads(text), board_schema())
    arena.save(tmp_path / "board.json")
    assert board_json(rb.load(tmp_path / "board.json")) == text
    repeated = rb.leaderboard(rb.read(demo_path(DEMOS["arena"])), spec=arena.spec)
    assert board_json(repeated) == text


def test_rank_spread_of_the_published_table_is_exact() -> None:
    """Table 1 of Neuhof and Benjamini: 45 of 45 on either side, from the printed intervals."""
    path = DATA / "votes" / "arena_table1.csv"
    columns = {"score": "bt_score", "ci_low": "bt_ci_low", "ci_high": "bt_ci_high"}
    board = rb.leaderboard(rb.read(path, columns=columns), scope="each")
    (task,) = board.tasks.values()
    with path.open(encoding="utf-8", newline="") as stream:
        printed = {row["model"]: row for row in csv.DictReader(stream)}
    rows = [printed[name] for name in board.models]
    assert task.spread_best is not None
    assert task.spread_worst is not None
    assert task.spread_best.tolist() == [int(row["spread_best"]) for row in rows]
    assert task.spread_worst.tolist() == [int(row["spread_worst"]) for row in rows]
    for ours, name in ((task.best, "holm_best"), (task.worst, "holm_worst")):
        apart = np.abs(ours - [int(row[name]) for row in rows])
        assert (apart == 0).sum() >= 42
        assert apart.max() <= 1


def test_rank_spread_stands_beside_the_intervals_and_is_labelled(arena: rb.Leaderboard) -> None:
    task = arena.tasks["arena_counts"]
    assert task.spread_best is not None
    assert task.spread_worst is not None
    lines = render_csv(arena, task="arena_counts").splitlines()
    assert "spread_best,spread_worst" in lines[0]
    # Overlap controls nothing: it may be narrower than what can be said.
    assert (task.spread_worst < task.worst).any()


def test_several_models_may_be_tied_first() -> None:
    rows = draw_rows(900, (0.1, 0.0, -2.0))
    board = rb.leaderboard(from_rows(rows))
    assert "first place is open between m0 and m1." in headline(board)


def test_elo_is_a_display_with_a_stated_anchor() -> None:
    scores = from_rows(draw_rows(900, (1.0, 0.0, -1.0)))
    plain = rb.leaderboard(scores)
    elo = rb.leaderboard(scores, votes=rb.VoteOptions(elo="m1=1200"))
    one, other = plain.tasks["votes"], elo.tasks["votes"]
    assert one.elo is None
    assert other.elo is not None
    assert other.elo[1] == pytest.approx(1200)
    assert other.elo - 1200 == pytest.approx(400 / np.log(10) * (one.mean - one.mean[1]))
    assert other.mean.tolist() == one.mean.tolist()
    assert other.best.tolist() == one.best.tolist()
    text = render_text(elo)
    assert "Elo (m1=1200)" in text
    assert "1,200 ±" in text
    with pytest.raises(rb.UnknownOptionError, match="anchor"):
        rb.leaderboard(scores, votes=rb.VoteOptions(elo="m9=1200"))


def test_few_categories_say_nothing_about_a_new_one() -> None:
    board = rb.leaderboard(rb.read(CROWD, columns={"category": "category"}))
    assert len(board.tasks) == 4
    assert board.lead == "aggregate"
    assert {task.kind for task in board.tasks.values()} == {"votes"}
    strict = rb.leaderboard(rb.read(CROWD, columns={"category": "category"}), alpha_overall=0.05)
    assert strict.overall is None
    assert "too-few-tasks" in {note.code for note in strict.notes}
    assert "a new-task interval at this level needs" in render_text(strict)


def test_categories_enough_give_prediction_intervals_for_a_new_one() -> None:
    strength = np.array([1.5, 0.0, -1.5])
    rows = []
    for k in range(12):
        rows += [row | {"category": f"c{k}"} for row in draw_rows(400, strength, seed=k)]
    board = rb.leaderboard(from_rows(rows, columns={"category": "category"}))  # type: ignore[arg-type]
    assert board.overall is not None
    assert not board.overall.trivial
    assert board.overall["m0"] == (1, 1)
    assert board.aggregate is not None
    assert board.aggregate.score[0] > 0.5


def test_a_model_without_votes_in_a_category_is_missing_there() -> None:
    rows = []
    for k in range(3):
        drawn = draw_rows(300, (0.5, 0.0, -0.5), seed=k)
        if k == 0:
            drawn = [row for row in drawn if "m2" not in (row["model_a"], row["model_b"])]
        rows += [row | {"task": f"c{k}"} for row in drawn]
    scores = from_rows(rows)
    with pytest.raises(rb.DataError, match="'m2' never ran 'c0'"):
        rb.leaderboard(scores, missing="raise")
    placed = rb.leaderboard(scores)
    assert placed.models == ("m0", "m1")
    assert [one.name for one in placed.partly.by_task] == ["c1", "c2"]
    board = rb.leaderboard(scores, missing="bounds")
    assert board.tasks["c0"].worst[2] == 3
    assert board.tasks["c0"].best[2] == 1
    assert rb.leaderboard(scores, missing="drop_models").models == ("m0", "m1")


@FEWER
@given(seed=SEED)
def test_which_side_a_model_stands_on_carries_no_information(seed: int) -> None:
    rows = draw_rows(120, (0.8, 0.0, -0.5), seed=seed)
    rng = np.random.default_rng(seed)
    turned = [
        {"model_a": row["model_b"], "model_b": row["model_a"], "winner": MIRROR[row["winner"]]}
        if rng.random() < 0.5
        else row
        for row in rows
    ]
    rng.shuffle(turned)
    assert same_votes(only_votes(from_rows(rows)), only_votes(from_rows(turned)))


@FEWER
@given(seed=SEED, cut=st.integers(1, 149))
def test_splitting_votes_and_merging_counts_gives_the_same_board(seed: int, cut: int) -> None:
    rows = draw_rows(150, (0.8, 0.0, -0.5), seed=seed, ties=0.3)
    whole = only_votes(from_rows(rows))
    parts = merge_votes([only_votes(from_rows(part)) for part in (rows[:cut], rows[cut:])])
    assert same_votes(parts, whole)


@FEWER
@given(seed=SEED)
def test_names_of_models_carry_no_information(seed: int) -> None:
    rows = draw_rows(400, (1.0, 0.0, -0.5, 0.2), seed=seed)
    names = {"m0": "z", "m1": "b", "m2": "y", "m3": "a"}
    renamed = [
        row | {"model_a": names[row["model_a"]], "model_b": names[row["model_b"]]} for row in rows
    ]
    board, other = rb.leaderboard(from_rows(rows)), rb.leaderboard(from_rows(renamed))
    where = [other.models.index(names[name]) for name in board.models]
    task, again = board.tasks["votes"], other.tasks["votes"]
    assert again.best[where].tolist() == task.best.tolist()
    assert again.worst[where].tolist() == task.worst.tolist()
    assert again.mean[where] == pytest.approx(task.mean, abs=1e-9)


def test_explanations_of_votes_try_the_tests_for_votes() -> None:
    found = rb.explain(from_rows(draw_rows(400, (1.0, 0.0, -1.0))))
    assert found.choices[0].test == "z"
    tried = {(outcome.test, outcome.correction) for outcome in found.outcomes}
    assert {test for test, _ in tried} == {"z", "binomial", "e_process", "e_strength"}
    # Each can be used as it is listed, so nothing is listed that cannot.
    assert found.skipped == ()
    assert ("e_process", "e_average") in tried
    assert "strengths" in found.choices[0].reason


def test_two_models_are_compared_by_the_votes_between_them() -> None:
    scores = from_rows(draw_rows(900, (1.0, 0.0, -1.0)))
    duel = rb.head_to_head(scores, "m0", "m1")
    (task,) = duel.tasks.values()
    votes = only_votes(scores)
    assert (task.ahead, task.behind) == (votes.wins[0, 1], votes.wins[1, 0])
    assert task.n == votes.met[0, 1]
    assert task.verdict == "better"
    assert task.difference == pytest.approx(task.score_a - task.score_b)


def test_workers_do_not_matter(tmp_path: Path) -> None:
    rows = [row | {"task": f"t{i % 3}"} for i, row in enumerate(draw_rows(600, (0.6, 0.0, -0.6)))]
    scores = rb.read(write_rows(rows, tmp_path / "votes.csv"))
    assert board_json(rb.leaderboard(scores)) == board_json(rb.leaderboard(scores, n_jobs=2))
