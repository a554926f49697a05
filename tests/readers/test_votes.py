"""Tables of votes: every layout, the words for outcomes, and what is wrong input."""

from __future__ import annotations

import ast
import contextlib
import re
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from votefiles import CROWD, JUDGES, draw_rows, only_votes, same_votes, write_rows

import rankbars as rb
from rankbars.readers import explain
from rankbars.tables.votes import votetasks

ROWS = draw_rows(300, (1.0, 0.0, 0.5, -1.0))


def write(folder: Path, text: str, name: str = "votes.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def read_text(folder: Path, text: str, **options: Any) -> rb.Votes:
    return only_votes(rb.read(write(folder, text), **options))


@pytest.mark.parametrize("suffix", ["csv", "tsv", "json", "jsonl", "parquet"])
def test_every_file_format_counts_the_same(suffix: str, tmp_path: Path) -> None:
    path = write_rows(ROWS, tmp_path / f"arena.{suffix}")
    scores = rb.read(path)
    assert list(scores.tasks) == ["arena"]
    assert explain(path)[0].format == "votes"
    assert same_votes(only_votes(scores), only_votes(rb.Scores.from_frame(pd.DataFrame(ROWS))))
    assert only_votes(scores).n == 300


def test_every_data_frame_counts_the_same() -> None:
    frame = pd.DataFrame(ROWS)
    expected = only_votes(rb.Scores.from_frame(frame))
    for other in (pl.DataFrame(ROWS), pl.DataFrame(ROWS).to_arrow(), duckdb.from_df(frame)):
        assert same_votes(only_votes(rb.Scores.from_frame(other)), expected)


def test_putting_equal_votes_together_changes_nothing(tmp_path: Path) -> None:
    """The engine groups equal rows; a judge for each vote keeps them apart."""
    path = write_rows(ROWS, tmp_path / "fast.parquet")
    single = [row | {"judge": f"j{i % 7}"} for i, row in enumerate(ROWS)]
    slow = only_votes(rb.read(write_rows(single, tmp_path / "slow.parquet")))
    fast = only_votes(rb.read(path))
    assert same_votes(fast, slow)
    assert fast.ballots is None
    assert slow.ballots is not None
    assert slow.ballots.labels["judge"].groups == 7


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("model_a,model_b,winner", ["a,b,model_a", "b,a,tie", "b,a,model_a", "a,b,tie (bothbad)"]),
        ("left,right,winner", ["a,b,left", "b,a,tie", "b,a,left", "a,b,both_bad"]),
        ("model_a,model_b,winner", ["a,b,A", "b,a,draw", "b,a,B>A", "b,a,bothbad"]),
        ("model_a,model_b,winner", ["a,b,a", "a,b,tie (inconsistent)", "a,b,B", "a,b,neither"]),
        ("model_1,model_2,verdict", ["b,a,second", "b,a,A=B", "a,b,2", "a,b,Both are bad"]),
        ("model_a,model_b,winner", ["cy,b,cy", "cy,b,tie", "b,cy,b", "b,cy,both bad"]),
        (
            "model_a,model_b,winner",
            [
                "a,b,A is much better",
                "a,b,About the same",
                "a,b,2 is slightly better",
                "a,b,neither",
            ],
        ),
        ("left,right,winner", ["a,b,right worse", "a,b,1=2", "b,a,prefer left", "a,b,both_bad"]),
    ],
)
def test_words_for_outcomes(header: str, rows: list[str], tmp_path: Path) -> None:
    if "B>A" in rows[2]:
        rows[2] = "a,b,B>A"
    votes = read_text(tmp_path, "\n".join([header, *rows]) + "\n")
    first = 1 if "cy" in votes.models else 0
    assert votes.wins[first, 1 - first] == 1
    assert votes.wins.sum() == 2
    assert votes.ties is not None
    assert votes.both_bad is not None
    assert votes.ties.sum() == votes.both_bad.sum() == 2


def test_other_layouts_count_the_same(tmp_path: Path) -> None:
    counts = read_text(tmp_path, "model_a,model_b,wins_a,wins_b,ties,both_bad\na,b,3,2,1,4\n"
                       "b,a,1,0,0,0\n")  # fmt: skip
    assert counts.n == 11
    assert counts.wins.tolist() == [[0, 3], [3, 0]]
    square = read_text(tmp_path, "model,a,b\na,7,3\nb,3,9\n")
    assert np.array_equal(square.wins, counts.wins)
    flags = read_text(tmp_path, "LLM_1,LLM_2,first_is_chosen\na,b,1\na,b,0\nb,a,true\n")
    assert flags.wins.tolist() == [[0, 1], [2, 0]]
    long = read_text(tmp_path, "model_a,model_b,winner,count\na,b,model_a,3\nb,a,model_a,3\n")
    assert np.array_equal(long.wins, counts.wins)
    losers = read_text(tmp_path, "winner,loser\na,b\nb,a\nb,a\n")
    assert losers.wins.tolist() == [[0, 1], [2, 0]]


def test_shares_between_win_and_tie_count_in_part(tmp_path: Path) -> None:
    votes = read_text(tmp_path, "model_a,model_b,outcome\na,b,1\na,b,0.25\nb,a,0.5\n")
    assert votes.wins.tolist() == [[0, 1.25], [0.75, 0]]
    assert votes.ties is not None
    assert votes.ties[0, 1] == 1
    assert votes.n == 3
    preference = read_text(tmp_path, "generator_1,generator_2,preference\na,b,1\na,b,1.75\nb,a,0\n")
    assert np.array_equal(preference.wins, votes.wins)


def test_rankings_and_choices_are_votes_between_each_two(tmp_path: Path) -> None:
    ranked = read_text(tmp_path, "judge,ranking\nx,a > b = c\ny,c > a\n")
    assert ranked.n == 4
    assert ranked.wins.tolist() == [[0, 1, 1], [0, 0, 0], [1, 0, 0]]
    assert ranked.ballots is not None
    assert ranked.ballots.labels["cluster"].groups == 2
    chosen = read_text(tmp_path, "options,choice\na|b|c,a\nb|c,c\n")
    assert chosen.wins.tolist() == [[0, 1, 1], [0, 0, 0], [0, 1, 0]]


def test_a_condition_chooses_rankings_choices_and_no_square(tmp_path: Path) -> None:
    text = "judge,ranking\nx,a > b = c\ny,c > a\nz,b > a\n"
    chosen = read_text(tmp_path, text, where="judge != 'x'")
    alone = read_text(tmp_path, "judge,ranking\ny,c > a\nz,b > a\n")
    assert same_votes(chosen, alone)
    with pytest.raises(rb.DataError, match=r"row 4.*'b' twice"):
        read_text(tmp_path, "judge,ranking\nx,a > a\ny,c > a\nz,b > b\n", where="judge != 'x'")
    some = read_text(tmp_path, "options,choice,day\na|b|c,a,1\nb|c,c,2\n", where="day = 2")
    assert some.n == 1
    with pytest.raises(rb.DataError, match="no rows to choose from"):
        read_text(tmp_path, ",a,b,c\na,,3,2\nb,1,,4\nc,2,2,\n", where="a > 1")


def test_numbers_below_zero_are_no_words_for_a_side(tmp_path: Path) -> None:
    text = "model_a,model_b,winner\na,b,1\na,b,-1\nb,a,-1\n"
    with pytest.raises(rb.DataError, match=r"the winner '-1'.*--word -1=0 --word 1=1"):
        read_text(tmp_path, text)
    votes = read_text(tmp_path, text, words={"-1": 0, "1": 1})
    assert votes.wins.tolist() == [[0, 2], [1, 0]]
    codes = "model_a,model_b,winner\na,b,1\na,b,2\nb,a,0\nb,a,-1\n"
    with pytest.raises(rb.DataError, match=r"--word 0=tie --word -1=tie"):
        read_text(tmp_path, codes)


def test_grades_of_preference_are_read_as_whom_the_high_ones_favour(tmp_path: Path) -> None:
    text = "model_a,model_b,outcome\na,b,-2\na,b,3\nb,a,0\nb,a,1\n"
    with pytest.raises(rb.DataError, match="grades of preference") as caught:
        read_text(tmp_path, text)
    first, second = re.findall(r"words=(\{.*?\}), or (\{.*?\})", str(caught.value))[0]
    assert read_text(tmp_path, text, words=ast.literal_eval(first)).wins.tolist() == [
        [0, 1],
        [2, 0],
    ]
    assert read_text(tmp_path, text, words=ast.literal_eval(second)).wins.tolist() == [
        [0, 2],
        [1, 0],
    ]


def _pasted(text: str, folder: Path, **options: Any) -> rb.Votes:
    """The votes that the line of pandas in a message makes of a table."""
    frame = pd.read_csv(write(folder, text))
    with pytest.raises(rb.DataError, match="in pandas: ") as caught:
        rb.Scores.from_frame(frame, **options)
    line = str(caught.value).partition("in pandas: ")[2].partition("index=False)")[0]
    with contextlib.chdir(folder):
        exec(f"{line}index=False)", {"frame": frame})
        return only_votes(rb.read("votes.csv", **options))


def test_both_orders_are_counted_as_the_answer_to_the_question_says(tmp_path: Path) -> None:
    rows = ["1,a,b,False,A", "1,a,b,True,A", "2,a,b,False,B", "2,a,b,True,A", "3,a,b,True,tie"]
    text = "\n".join(["prompt_id,model_a,model_b,swapped,winner", *rows, ""])
    assert _pasted(text, tmp_path).wins.tolist() == [[0, 1], [3, 0]]
    as_it_is = read_text(tmp_path, text, columns={"position": ""})
    assert as_it_is.wins.tolist() == [[0, 3], [1, 0]]
    named = re.sub(r"A$", "a", re.sub(r"B$", "b", text, flags=re.M), flags=re.M)
    assert read_text(tmp_path, named).wins.tolist() == [[0, 3], [1, 0]]


def test_two_scores_in_a_row_make_a_vote_by_the_line_that_is_proposed(tmp_path: Path) -> None:
    text = "prompt,model_a,model_b,score_a,score_b\n1,a,b,4,2\n2,b,a,5,5\n3,b,a,3,1\n"
    line = "--column score_a=score_a --column score_b=score_b "
    with pytest.raises(rb.DataError, match=line):
        rb.read(write(tmp_path, text))
    votes = read_text(tmp_path, text, columns={"score_a": "score_a", "score_b": "score_b"})
    assert votes.wins.tolist() == [[0, 1], [1, 0]]
    assert votes.ties.sum() == 2
    shares = "model_a,model_b,score_a,score_b\na,b,1,0\nb,a,0.5,0.5\n"
    assert read_text(tmp_path, shares).n == 2


def test_several_voters_in_a_row_make_votes_by_the_line_that_is_proposed(tmp_path: Path) -> None:
    rows = "1,a,b,A,A,A\n2,b,a,A,B,tie\n3,a,b,B,B,B\n4,a,b,A,A,A\n"
    text = f"item,model_a,model_b,ann,bo,majority\n{rows}"
    assert _pasted(text, tmp_path).wins.tolist() == [[0, 5], [3, 0]]


def test_a_voter_called_the_majority_is_one_where_nobody_else_saw_its_prompts(
    tmp_path: Path,
) -> None:
    text = "prompt_id,judge,model_a,model_b,winner\n1,majority,a,b,A\n2,u1,a,b,B\n"
    assert read_text(tmp_path, text).n == 2


def test_weights_times_and_labels_are_kept(tmp_path: Path) -> None:
    text = (
        "model_a,model_b,winner,weight,tstamp,annotator,question_id,shown_first\n"
        "x,y,model_a,2,1,j1,q1,y\ny,x,tie,1,2,j2,q1,y\nx,y,model_b,1,3,j1,q2,left\n"
    )
    scores = rb.read(write(tmp_path, text))
    ballots = only_votes(scores).ballots
    assert ballots is not None
    assert ballots.weights.tolist() == [2, 1, 1]
    assert ballots.squares.tolist() == [4, 1, 1]
    assert ballots.position is not None
    assert ballots.position.tolist() == [-1, 1, 1]
    assert {name: labels.groups for name, labels in ballots.labels.items()} == {
        "judge": 2, "prompt": 2,
    }  # fmt: skip
    assert "unordered-times" not in {note.code for note in scores.notes}


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_times_out_of_order_are_noted_with_the_row(suffix: str, tmp_path: Path) -> None:
    rows = [row | {"timestamp": k} for k, row in enumerate(ROWS[:20])]
    rows[11]["timestamp"] = 3
    scores = rb.read(write_rows(rows, tmp_path / f"votes.{suffix}"))
    (note,) = [note for note in scores.notes if note.code == "unordered-times"]
    assert ("row 13" if suffix == "csv" else "row 12") in note.message


def test_controls_are_differences_seen_from_the_first_model(tmp_path: Path) -> None:
    text = "left,right,winner,length_a,length_b,polite\na,b,left,3,5,1\nb,a,left,9,2,0\n"
    ballots = read_text(tmp_path, text, controls=["position", "length", "polite"]).ballots
    assert ballots is not None
    assert ballots.covariate_names == ("position", "length", "polite")
    assert ballots.covariates is not None
    assert ballots.covariates.tolist() == [[1, -2, 1], [1, 7, 0]]


def test_real_votes_of_people_and_of_judges() -> None:
    crowd = only_votes(rb.read(CROWD))
    assert (crowd.n, len(crowd.models)) == (643, 9)
    assert crowd.ballots is not None
    assert {name: one.groups for name, one in crowd.ballots.labels.items()} == {
        "judge": 93, "prompt": 13, "cluster": 154,
    }  # fmt: skip
    judges = only_votes(rb.read(JUDGES, columns={"position": "model_a"}))
    assert judges.ballots is not None
    assert judges.ballots.position is not None
    assert (judges.ballots.position == 1).all()


def test_categories_are_tasks_where_they_are_chosen() -> None:
    whole = rb.read(CROWD)
    assert "categories-unused" in {note.code for note in whole.notes}
    parts = rb.read(CROWD, columns={"category": "category"})
    assert list(parts.tasks) == ["creativity", "instruct", "knowledge", "reflexion"]
    assert sum(part.n for part in parts.tasks.values() if isinstance(part, rb.Votes)) == 643


def test_a_column_of_tasks_makes_tasks(tmp_path: Path) -> None:
    rows = [row | {"task": "xy"[i % 2]} for i, row in enumerate(ROWS)]
    assert list(rb.read(write_rows(rows, tmp_path / "votes.csv")).tasks) == ["x", "y"]


def test_overlapping_categories_are_refused_with_the_reason(tmp_path: Path) -> None:
    rows = [row | {"prompt": f"p{i}", "category": "xy"[i % 2]} for i, row in enumerate(ROWS)]
    assert len(
        rb.read(write_rows(rows, tmp_path / "a.csv"), columns={"category": "category"}).tasks
    )
    twice = [row | {"category": name} for row in rows for name in ("x", "hard")]
    with pytest.raises(rb.DataError, match=r"categories overlap.*share votes.*--column category="):
        rb.read(write_rows(twice, tmp_path / "b.csv"), columns={"category": "category"})


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "model_a,model_b,winner\na,b,model_a\nb,a,won\n",
            ["row 3", "'won'", "not a known", "tie"],
        ),
        ("model_a,model_b,winner\na,b,model_a\nb,b,tie\n", ["row 3", "'b'", "itself", "drop"]),
        ("model_a,model_b,winner\na,,model_a\n", ["row 2", "second model has no name"]),
        ("model_a,model_b,winner\na,b,1\na,b,0\n", ["row 3", "'0'", "--column score=winner"]),
        ("model_a,model_b,winner\na,b,1\na,b,?\n", ["row 3", "'?'", "not a known"]),
        ("model_a,model_b,winner\na,b,c\nc,a,a\n", ["row 2", "'c'", "does not take part"]),
        ("model_a,model_b,outcome\na,b,1\na,b,1.5\n", ["row 3", "1.5", "from 0"]),
        ("model_a,model_b,preference\na,b,1\na,b,0.2\n", ["preference", "above 1"]),
        ("model_a,model_b,first_is_chosen\na,b,0.5\n", ["row 2", "0.5"]),
        ("model_a,model_b,wins_a,wins_b\na,b,3,-1\n", ["row 2", "-1", "not a count"]),
        ("model_a,model_b,wins_a,wins_b\na,b,3,x\n", ["row 2", "'x'", "not a number"]),
        ("model_a,model_b,winner,weight\na,b,tie,0\n", ["row 2", "weight", "above 0"]),
        ("model_a,model_b,winner,weight\na,b,tie,1e200\n", ["row 2", "1e+200", "to 1e+12"]),
        ("model_a,model_b,winner,weight\na,b,tie,1e-200\n", ["row 2", "1e-200", "from 1e-12"]),
        ("model_a,model_b,winner\n", ["no row below"]),
        ("model_a,model_b,mood\na,b,good\n", ["column says who won", "mood"]),
        ("model_a,model_b,winner\na,b,\n", ["no vote has an outcome"]),
        ("model_a,model_b,winner,worker,rater\na,b,tie,x,y\n", ["could be the judge"]),
        ("options,choice\na|b,c\n", ["row 2", "'c'", "not one of the options"]),
        ("ranking\na > b > a\n", ["row 2", "'a' twice"]),
        ("left,right,winner,position\na,b,left,top\n", ["row 2", "'top'", "shown first"]),
    ],
)  # fmt: skip
def test_wrong_input_is_named_with_its_row(text: str, parts: list[str], tmp_path: Path) -> None:
    with pytest.raises(rb.DataError) as caught:
        rb.read(write(tmp_path, text))
    for part in parts:
        assert part in str(caught.value)


def test_errors_of_big_files_name_the_row_too(tmp_path: Path) -> None:
    rows = [*ROWS, {"model_a": "m0", "model_b": "m1", "winner": "m7"}]
    with pytest.raises(rb.DataError, match=r"row 301.*'m7'"):
        rb.read(write_rows(rows, tmp_path / "votes.parquet"))


def test_votes_without_outcome_and_with_names_in_sight_are_left_out_and_counted(
    tmp_path: Path,
) -> None:
    text = "model_a,model_b,winner,anony\na,b,model_a,True\na,b,,True\nb,a,tie,False\nb,a,A,True\n"
    scores = rb.read(write(tmp_path, text))
    notes = {note.code: note.message for note in scores.notes}
    assert only_votes(scores).n == 2
    assert "1 vote without" in notes["votes-unscored"]
    assert "1 vote cast" in notes["votes-not-anonymous"]
    own = rb.read(write(tmp_path, "model_a,model_b,winner\na,b,A\nb,b,tie\n"), self_votes="drop")
    assert "1 vote of a model" in {n.code: n.message for n in own.notes}["votes-against-self"]


def test_names_that_are_also_words_are_read_as_names_where_they_can_be(tmp_path: Path) -> None:
    scores = rb.read(write(tmp_path, "model_a,model_b,winner\na,b,a\nb,a,a\nb,a,tie\n"))
    assert only_votes(scores).wins.tolist() == [[0, 2], [0, 0]]
    assert "names of the models" in {n.code: n.message for n in scores.notes}["winners"]
    sides = read_text(tmp_path, "model_a,model_b,winner\na,c,b\nb,a,b\nb,c,a\n")
    assert sides.wins[2, 0] == 1  # "b" is a side here: model b does not take part


def test_texts_of_prompts_are_not_kept(tmp_path: Path) -> None:
    secret = "Tell me the story of the three little pigs, and why the third one built with bricks."
    rows = [row | {"prompt": f"{secret}{i % 9}"} for i, row in enumerate(ROWS)]
    ballots = only_votes(rb.read(write_rows(rows, tmp_path / "votes.csv"))).ballots
    assert ballots is not None
    assert not [name for name in ballots.labels["prompt"].names if "pigs" in name]
    assert ballots.labels["prompt"].groups == 9


def test_named_columns_make_a_table_of_votes(tmp_path: Path) -> None:
    text = "one,two,who\nx,y,first\ny,x,tie\n"
    named = {"model_a": "one", "model_b": "two", "winner": "who"}
    assert read_text(tmp_path, text, columns=named).n == 2
    with pytest.raises(rb.DataError, match="no column 'whom'"):
        rb.read(write(tmp_path, text), columns=named | {"winner": "whom"})


def test_tasks_of_one_name_in_several_files_are_put_together(tmp_path: Path) -> None:
    rows = [row | {"task": "all"} for row in ROWS]
    for k, part in enumerate((rows[:100], rows[100:])):
        write_rows(part, tmp_path / f"{k}.csv")
    assert only_votes(rb.read(tmp_path)).n == 300


def test_ten_days_in_folders_are_one_arena_of_all_their_votes(tmp_path: Path) -> None:
    rows = [row | {"judge": f"j{i % 7}"} for i, row in enumerate(ROWS)]
    for day in range(10):
        folder = tmp_path / "days" / f"2025-03-{day + 1:02}"
        folder.mkdir(parents=True)
        write_rows(rows[30 * day : 30 * day + 30], folder / "votes.csv")
    scores = rb.read(tmp_path / "days")
    whole = rb.read(write_rows(rows, tmp_path / "whole.csv"))
    assert same_votes(only_votes(scores), only_votes(whole))
    assert list(scores.tasks) == ["votes"]
    (note,) = [note for note in scores.notes if note.code == "votes-pooled"]
    assert "votes of 10 files are one arena, 'votes'" in note.message
    one, other = (rb.leaderboard(each) for each in (scores, whole))
    assert one.tasks["votes"].mean.tolist() == other.tasks["whole"].mean.tolist()
    assert one.tasks["votes"].se.tolist() == other.tasks["whole"].se.tolist()
    apart = rb.read(tmp_path / "days", arena_per_file=True)
    assert list(apart.tasks) == [f"2025-03-{day + 1:02}" for day in range(10)]
    assert "votes-pooled" not in {note.code for note in apart.notes}


@pytest.mark.parametrize(
    ("names", "arena"),
    [
        (("arena-2025-03-01", "arena-2025-03-02"), "arena"),
        (("20250301_chat", "20250302_chat"), "chat"),
        (("2025-03-01",), "votes"),
        (("a", "b"), "votes"),
        (("chat-2025-03", "code-2025-03"), "votes"),
        (("model-2025",), "model-2025"),
    ],
)
def test_an_arena_is_called_as_its_files_without_dates(
    names: tuple[str, ...], arena: str, tmp_path: Path
) -> None:
    for name in names:
        write_rows(ROWS[:50], tmp_path / f"{name}.csv")
    assert list(rb.read(tmp_path).tasks) == [arena]


def test_voters_with_one_vote_a_file_are_known_over_all_files(tmp_path: Path) -> None:
    for k in range(3):
        rows = [row | {"judge": f"j{i}"} for i, row in enumerate(ROWS[20 * k : 20 * k + 20])]
        write_rows(rows, tmp_path / f"{k}.csv")
    ballots = only_votes(rb.read(tmp_path)).ballots
    assert ballots is not None
    assert np.bincount(ballots.labels["judge"].codes).tolist() == [3] * 20
    # In one file alone nothing is clustered by them.
    assert only_votes(rb.read(tmp_path / "0.csv")).ballots is None


def test_votes_that_stand_in_two_files_are_told_and_honest_days_are_not(tmp_path: Path) -> None:
    def repeated(*parts: list[dict[str, Any]]) -> list[str]:
        for old in tmp_path.glob("*.csv"):
            old.unlink()
        for k, part in enumerate(parts):
            write_rows(part, tmp_path / f"{k}.csv")
        return [n.message for n in rb.read(tmp_path).notes if n.code == "votes-repeated"]

    named = [row | {"judge": f"j{i % 150}"} for i, row in enumerate(ROWS)]
    (said,) = repeated(named[:100], named[:220])
    assert "100 of 100 votes of " in said
    assert "0.csv stand in " in said
    assert "(same models, same outcome, same judge), and count each time" in said
    assert repeated(named[:100], named[100:]) == []
    # Two voters vote alike all the time, and votes without voters are all alike.
    few = [row | {"judge": f"j{i % 2}"} for i, row in enumerate(ROWS)]
    assert repeated(few[:150], few[150:]) == []
    assert repeated(ROWS[:100], ROWS[:200]) == []


def test_of_many_votes_a_part_tells_that_files_repeat_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(votetasks, "MOST_COMPARED", 1000)
    rng = np.random.default_rng(3)
    rows = [{"model_a": f"m{k}", "model_b": f"n{k}", "winner": "model_a", "judge": f"j{i}"}
            for i, k in enumerate(rng.integers(0, 9, 4000).tolist())]  # fmt: skip
    write_rows(rows[:3000], tmp_path / "0.csv")
    write_rows(rows, tmp_path / "1.csv")
    (said,) = [n.message for n in rb.read(tmp_path).notes if n.code == "votes-repeated"]
    shared, size = (int(text.replace(",", "")) for text in re.findall(r"[\d,]{3,}", said)[:2])
    assert said.startswith("About ")
    assert shared == size
    assert 2000 < shared < 4000
    write_rows(rows[3000:], tmp_path / "1.csv")
    assert "votes-repeated" not in {note.code for note in rb.read(tmp_path).notes}


def test_a_vote_in_a_list_of_categories_is_refused() -> None:
    frame = pd.DataFrame(ROWS[:20])
    frame["category"] = [["math", "hard"]] * 20
    assert only_votes(rb.Scores.from_frame(frame)).n == 20
    with pytest.raises(
        rb.DataError, match=r"several categories in one cell.*columns=\{'category': ''\}"
    ):
        rb.Scores.from_frame(frame, columns={"category": "category"})


def test_labels_that_only_some_files_have_are_dropped_and_said_so(tmp_path: Path) -> None:
    rows = [row | {"task": "all"} for row in ROWS]
    write_rows([row | {"judge": f"j{i % 9}"} for i, row in enumerate(rows)], tmp_path / "1.csv")
    write_rows(rows, tmp_path / "2.csv")
    scores = rb.read(tmp_path)
    votes = only_votes(scores)
    assert votes.n == 2 * len(ROWS)
    assert votes.ballots is None
    (note,) = [note for note in scores.notes if note.code == "labels-dropped"]
    assert "name judge of their votes" in note.message
    alike = rb.read(tmp_path / "1.csv")
    assert "labels-dropped" not in {note.code for note in alike.notes}


def test_more_models_than_can_be_paired_are_refused(tmp_path: Path) -> None:
    size = 10_001
    rows = "".join(f"m{i},m{(i + 1) % size},tie\n" for i in range(size))
    path = tmp_path / "ids.csv"
    path.write_text("model_a,model_b,winner\n" + rows, encoding="utf-8")
    with pytest.raises(rb.DataError, match=r"name 10,001 models.*--column model_a=NAME"):
        rb.read(path)


def test_a_series_of_numbered_models_is_no_pair_of_sides(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("item,model-0,model-1,model-2\n1,0,1,1\n2,1,1,0\n3,0,0,1\n")
    scores = rb.read(path)
    assert scores.models == ("model-0", "model-1", "model-2")
    assert next(iter(scores.tasks.values())).kind == "items"


def test_thousands_of_voters_have_the_votes_that_they_cast(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    voters = [f"voter {number}" for number in rng.integers(0, 9_000, 20_000)]
    voters[17] = voters[300] = ""
    wins = rng.random(20_000) < 0.6
    rows = [f"a,b,{'a' if won else 'b'},{name}" for won, name in zip(wins, voters, strict=True)]
    path = write(tmp_path, "\n".join(["model_a,model_b,winner,judge", *rows, ""]))
    ballots = only_votes(rb.read(path)).ballots
    assert ballots is not None
    labels = ballots.labels["judge"]
    assert [labels.names[code] if code >= 0 else "" for code in labels.codes] == voters
    assert (ballots.outcome == np.where(wins, 0, 2)).all()


def test_a_vote_that_is_shared_out_is_one_vote_in_messages(tmp_path: Path) -> None:
    text = "model_a,model_b,score,task\na,b,0.7,\nb,a,1,x\n"
    with pytest.raises(rb.DataError, match="1 votes have no task"):
        rb.read(write(tmp_path, text))


def test_models_that_look_alike_are_told_for_votes_too(tmp_path: Path) -> None:
    text = "model_a,model_b,winner\nGPT,o1,GPT\no1,gpt ,o1\ngpt ,GPT,GPT\n"
    notes = rb.read(write(tmp_path, text)).notes
    assert [note.models for note in notes if note.code == "look-alike"] == [("GPT", "gpt ")]


def test_names_that_many_votes_have_to_themselves_are_left_aside_and_said(tmp_path: Path) -> None:
    n = 1 << 16
    names = [f"u{k}" for k in range(n + 1)]
    frame = pd.DataFrame({"model_a": "a", "model_b": "b", "winner": "tie", "user": names})
    for name, votes, said in (("many", n + 1, True), ("few", n, False)):
        path = tmp_path / f"{name}.parquet"
        frame[:votes].to_parquet(path)
        scores = rb.read(path, columns={"judge": "user"})
        notes = [note.message for note in scores.notes if note.code == "names-of-one-vote"]
        assert len(notes) == said
        assert all("Every name of 'user' has one vote" in text for text in notes)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_voters_without_a_name_are_nobody_and_names_are_as_written(
    tmp_path: Path, ending: str
) -> None:
    names = ["anna", "Anna", " ", "", "anna", "Anna"]
    frame = pd.DataFrame({"model_a": "a", "model_b": "b", "winner": "tie", "voter": names})
    path = tmp_path / f"votes.{ending}"
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    votes = only_votes(rb.read(path))
    assert votes.ballots is not None
    voters = votes.ballots.labels["judge"]
    assert voters.names == ("Anna", "anna")
    assert (voters.codes < 0).sum() == 2


@pytest.mark.parametrize("cell", ["0", "-0.1", "1.5", "", "inf", "1e-300", "often"])
def test_what_is_no_probability_is_told_with_its_row(cell: str, tmp_path: Path) -> None:
    rows = ["model_a,model_b,winner,sampling_probability"]
    rows += [f"a,b,model_{'ab'[k % 2]},{cell if k == 5 else 0.5}" for k in range(12)]
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    with pytest.raises(rb.DataError, match=r"row 7: .* in column 'sampling_probability'"):
        rb.read(path)
