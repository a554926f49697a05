"""Judgements of MT-bench by FastChat: grades of turns, and pairs of games."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankbars as rb
from rankbars.data.evidence import Items, Votes

FIXTURES = Path(__file__).parent.parent / "data" / "fixtures" / "mt_bench"


def grade(question: int, turn: int, score: float, **more: Any) -> dict[str, Any]:
    judge = ["gpt-4", "single-v1"]
    return {"question_id": question, "model": "m", "judge": judge, "user_prompt": "S",
            "judgment": "S", "score": score, "turn": turn, "tstamp": 1.5} | more  # fmt: skip


def games(question: int, first: str, second: str, **more: Any) -> dict[str, Any]:
    return {"question_id": question, "model_1": "a", "model_2": "b", "g1_winner": first,
            "g2_winner": second, "judge": ["gpt-4", "pair-v2"], "turn": 1,
            "tstamp": 1.5} | more  # fmt: skip


def written(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def told(scores: rb.Scores, code: str) -> str:
    return next(note.message for note in scores.notes if note.code == code)


def test_turns_are_answers_to_a_question_and_a_grade_of_minus_one_is_none() -> None:
    scores = rb.read(FIXTURES / "grades")
    items = scores.tasks["mt-bench"]
    assert isinstance(items, Items)
    assert (items.n, items.answers.min(), items.answers.max()) == (10, 1, 2)  # type: ignore[union-attr]
    # All grades, as the producer averages them; and question 84, whose second grade is -1.
    sums = np.nansum(items.values * items.answers, axis=0)
    assert (sums / items.answers.sum(axis=0)).tolist() == pytest.approx([87 / 19, 7.45])  # type: ignore[union-attr]
    assert items.values[items.ids.index("84")].tolist() == [5.0, 8.0]  # type: ignore[union-attr]
    assert "'alpha-7b' 1 of 20 (the judge gave no grade 1)" in told(scores, "unscored-trials")


def test_two_turns_are_no_runs_of_all_questions(tmp_path: Path) -> None:
    """The second turn is harder for everybody, which says nothing of reruns."""
    rows = [grade(q, turn, 9 - 3 * turn + q % 3, model=model)
            for model in "ab" for q in range(30) for turn in (1, 2)]  # fmt: skip
    board = rb.leaderboard(rb.read(written(tmp_path / "gpt-4_single.jsonl", *rows)))
    assert not {"runs-differ", "run-effect"} & {note.code for note in board.notes}


def test_a_pair_is_won_where_both_games_have_one_winner_and_left_out_where_one_has_none() -> None:
    scores = rb.read(FIXTURES / "games")
    (votes,) = scores.tasks.values()
    assert isinstance(votes, Votes)
    ties = votes.ties
    assert ties is not None
    earned = votes.wins.sum(axis=1) + ties.sum(axis=1) / 2
    assert dict(zip(votes.models, earned.tolist(), strict=True)) == {
        "alpha-7b": 5.0, "beta-70b": 11.5, "gamma-13b": 11.5,
    }  # fmt: skip
    said = told(scores, "swapped-games")
    assert "In 17 of 28 pairs the games disagree" in said
    assert "Of 46 games with a winner, the answer shown first won 70 %" in said


@pytest.mark.parametrize(("first", "second", "won"), [
    ("model_1", "model_1", 1.0), ("model_2", "model_2", 0.0), ("model_1", "model_2", 0.5),
    ("tie", "model_2", 0.5), ("tie", "tie", 0.5),
])  # fmt: skip
def test_two_games_are_one_vote(tmp_path: Path, first: str, second: str, won: float) -> None:
    rows = [games(q, first, second) for q in range(3)]
    (votes,) = rb.read(written(tmp_path / "gpt-4_pair.jsonl", *rows)).tasks.values()
    assert isinstance(votes, Votes)
    ties = np.zeros((2, 2)) if votes.ties is None else votes.ties
    assert (votes.wins[0, 1] + ties[0, 1] / 2) / 3 == won


@pytest.mark.parametrize(("row", "words"), [
    (grade(81, 1, 11), "row 1: the grade 11 lies outside of 1 to 10"),
    (grade(81, 1, 7, model=None), "row 1: there is no model"),
    (games(81, "model_3", "tie"), "row 1: g1_winner is 'model_3'"),
    (games(81, "tie", "tie", model_2=""), "model_1 or model_2 is not there"),
    (games(81, "tie", "tie", question_id=None), "there is no question_id"),
])  # fmt: skip
def test_a_row_that_is_none_is_named(tmp_path: Path, row: dict[str, Any], words: str) -> None:
    with pytest.raises(rb.RankbarsError, match=words):
        rb.read(written(tmp_path / "x.jsonl", row))


def test_early_arena_hard_has_no_turns_and_keeps_its_name() -> None:
    folder = FIXTURES.parent / "arena_hard" / "legacy_single_score"
    assert "arena-hard" in {entry.format for entry in rb.read(folder).inputs}
