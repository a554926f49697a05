"""Matches of two sides: who is at home or has white, results, and scores of both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from votefiles import only_votes

import rankbars as rb

# Ash beats Birch twice, once on either side; they draw once, and Birch wins once, away.
EXPECTED = [[0, 2], [1, 0]]


def read(folder: Path, *lines: str, **options: Any) -> rb.Scores:
    path = folder / "matches.csv"
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return rb.read(path, **options)


def counted(scores: rb.Scores) -> list[list[float]]:
    votes = only_votes(scores)
    assert votes.ties is not None
    assert votes.ties[0, 1] == 1
    counts: list[list[float]] = votes.wins.tolist()
    return counts


@pytest.mark.parametrize(
    ("header", "results"),
    [
        ("White,Black,Result", "1-0 0-1 1/2-1/2 0-1"),
        ("White,Black,Result", "1–0 0–1 ½–½ 0–1"),
        ("home,away,score", "3-1 0-2 1-1 1:2"),
        ("HomeTeam,AwayTeam,FTR", "H A D A"),
        ("home_team,away_team,winner", "home away draw away"),
        ("agent_1,agent_2,winner", "1 2 tie 2"),
        ("engine_a,engine_b,result", "1-0 0-1 0.5-0.5 0-1"),
    ],
)
def test_results_say_which_side_won(header: str, results: str, tmp_path: Path) -> None:
    sides = ("ash,birch", "birch,ash", "ash,birch", "ash,birch")
    rows = [f"{one},{result}" for one, result in zip(sides, results.split(), strict=True)]
    assert counted(read(tmp_path, header, *rows)) == EXPECTED


def test_ratings_and_half_times_beside_a_result_do_not_count(tmp_path: Path) -> None:
    rows = ["ash,birch,3,1,H,0,1,A,1500,1700", "birch,ash,0,2,A,0,0,D,1700,1500"]
    header = "HomeTeam,AwayTeam,FTHG,FTAG,FTR,HTHG,HTAG,HTR,HomeElo,AwayElo"
    assert only_votes(read(tmp_path, header, *rows)).wins.tolist() == [[0, 2], [0, 0]]


SCORED = ("ash,birch,3,1", "birch,ash,0,2", "ash,birch,1,1", "ash,birch,1,2", "birch,ash,,")


@pytest.mark.parametrize(
    "names",
    ["home_score away_score", "homeGoals awayGoals", "score_1 score_2", "points_a points_b"],
)
def test_two_scores_are_asked_about_with_a_line_that_works(names: str, tmp_path: Path) -> None:
    one, two = names.split()
    header = f"home_team,away_team,{one},{two}"
    with pytest.raises(
        rb.DataError, match=f"--column score_a={one} --column score_b={two}"
    ) as told:
        read(tmp_path, header, *SCORED)
    assert "--layout" not in str(told.value)
    roles = {"score_a": one, "score_b": two}
    assert counted(read(tmp_path, header, *SCORED, columns=roles)) == EXPECTED
    lower = read(tmp_path, header, *SCORED, columns=roles, direction="lower")
    assert counted(lower) == [[0, 1], [2, 0]]


def test_scores_under_any_names_are_those_of_the_sides_where_they_are_named(tmp_path: Path) -> None:
    roles = {"model_a": "x", "model_b": "y", "score_a": "u", "score_b": "v"}
    assert counted(read(tmp_path, "x,y,u,v", *SCORED, columns=roles)) == EXPECTED
    del roles["score_b"]
    with pytest.raises(rb.DataError, match="name both"):
        read(tmp_path, "x,y,u,v", *SCORED, columns=roles)


def test_sides_named_the_wrong_way_round_are_refused(tmp_path: Path) -> None:
    """What says white in the outcome would count for the other side."""
    rows = ("White,Black,Result", "ash,birch,1-0", "birch,ash,0-1")
    with pytest.raises(rb.DataError, match="--column model_a=White --column model_b=Black"):
        read(tmp_path, *rows, columns={"model_a": "Black", "model_b": "White", "winner": "Result"})


def test_teams_beside_a_column_of_models_are_no_sides(tmp_path: Path) -> None:
    rows = [f"{model},{n},ash,birch,{n % 3 / 4}" for model in ("elo", "poisson") for n in range(9)]
    rows += [f"{model},9,birch,ash,0.5" for model in ("elo", "poisson")]
    scores = read(tmp_path, "model,item,home_team,away_team,score", *rows)
    assert scores.models == ("elo", "poisson")


def test_words_with_two_meanings_keep_the_one_they_had(tmp_path: Path) -> None:
    """A is the first model, but where H is the side at home."""
    rows = ("ash,birch,A", "ash,birch,B", "ash,birch,tie")
    assert counted(read(tmp_path, "model_a,model_b,winner", *rows)) == [[0, 1], [1, 0]]


def test_a_model_that_was_mostly_first_is_told_unless_that_is_adjusted_for(tmp_path: Path) -> None:
    rows = [f"{one},{two},{('1-0', '0-1')[n % 2]}"
            for n in range(20) for one, two in (("ash", "birch"), ("birch", "cedar"))]  # fmt: skip
    header = "white,black,result"
    codes = {note.code: note.message for note in read(tmp_path, header, *rows).notes}
    assert "'ash' was first in 100 % of its votes" in codes["sides-uneven"]
    controlled = read(tmp_path, header, *rows, controls="position")
    assert "sides-uneven" not in {note.code for note in controlled.notes}
    even = [row for n, row in enumerate(rows) if n < 8]
    assert "sides-uneven" not in {note.code for note in read(tmp_path, header, *even).notes}
