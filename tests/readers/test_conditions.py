"""Rows chosen by conditions on columns: what they say, against Python; and what they cannot do."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankbars as rb
from rankbars.cli.app import run
from rankbars.errors import OptionError
from rankbars.tables.conditions import ChosenTable, parse_condition
from rankbars.tables.database import Engine
from rankbars.tables.dataframes import table_from_frame

_RNG = np.random.default_rng(4)
FRAME = pd.DataFrame({
    "model_a": _RNG.choice(list("abc"), 300), "model_b": _RNG.choice(list("def"), 300),
    "winner": _RNG.choice(["model_a", "model_b", "tie"], 300),
    "language": _RNG.choice(["de", "en", "it's", None], 300),
    "turns": _RNG.integers(1, 5, 300), "two words": _RNG.normal(size=300),
    "is_code": _RNG.random(300) < 0.4, "day": _RNG.choice(["2025-03-01", "2025-03-02"], 300),
})  # fmt: skip
ROWS = [{name: None if cell != cell else cell for name, cell in row.items()}
        for row in FRAME.to_dict("records")]  # fmt: skip

CASES: list[tuple[str, Any]] = [
    ("language = 'de' and turns > 1", lambda r: r["language"] == "de" and r["turns"] > 1),
    ("language = 'it''s'", lambda r: r["language"] == "it's"),
    ("is_code", lambda r: r["is_code"]),
    ("NOT is_code OR turns == 2", lambda r: not r["is_code"] or r["turns"] == 2),
    ("is_code = true and turns <> 3", lambda r: r["is_code"] and r["turns"] != 3),
    ("is_code = 0", lambda r: not r["is_code"]),
    ('"two words" * 2 - 1 >= -.5', lambda r: r["two words"] * 2 - 1 >= -0.5),
    ("turns between 2 and 3", lambda r: 2 <= r["turns"] <= 3),
    ("turns not in (1, 4)", lambda r: r["turns"] not in (1, 4)),
    ("language in ('de', 'en')", lambda r: r["language"] in ("de", "en")),
    ("language like 'd%'", lambda r: r["language"] == "de"),
    ("language is null", lambda r: r["language"] is None),
    ("not (language is not null and turns < 3)",
     lambda r: r["language"] is None or r["turns"] >= 3),
    ("language != 'de'", lambda r: r["language"] is not None and r["language"] != "de"),
    ("day >= '2025-03-02'", lambda r: r["day"] >= "2025-03-02"),
    ("turns > -1 and (1 = 1)", lambda r: True),
]  # fmt: skip


def chosen(text: str, frame: pd.DataFrame = FRAME) -> list[int]:
    with Engine() as engine:
        table = ChosenTable(table_from_frame(frame, engine), [parse_condition(text)])
        relation = table.relate({}, {})
        return [row for (row,) in engine.ask(f"SELECT place FROM {relation.clause} ORDER BY place")]


@pytest.mark.parametrize(("text", "holds"), CASES, ids=[text for text, _ in CASES])
def test_rows_are_those_on_which_python_says_that_it_holds(text: str, holds: Any) -> None:
    assert chosen(text) == [k for k, row in enumerate(ROWS) if holds(row)]


def test_what_a_csv_file_holds_is_compared_as_what_it_is(tmp_path: Path) -> None:
    """Cells of a CSV file are text; 10 is more than 9 there, too."""
    frame = FRAME.assign(turns=FRAME["turns"] * 3)
    frame.to_csv(tmp_path / "votes.csv", index=False)
    frame.to_parquet(tmp_path / "votes.parquet")
    text = "turns >= 9 and is_code and language != 'en'"
    whole = rb.Scores.from_frame(frame, where=text).tasks["votes"].n
    for name in ("votes.csv", "votes.parquet"):
        (votes,) = rb.read(tmp_path / name, where=text).tasks.values()
        assert votes.n == whole
    expected = frame[(frame["turns"] >= 9) & frame["is_code"] & (frame["language"] != "en")]
    assert whole == len(expected.dropna(subset=["language"]))


def test_lists_hold_what_is_in_them(tmp_path: Path) -> None:
    frame = FRAME.assign(tags=[["coding", "hard"] if k % 3 else ["math"] for k in range(300)])
    frame.to_parquet(tmp_path / "votes.parquet")
    (votes,) = rb.read(tmp_path / "votes.parquet", where="'hard' in tags").tasks.values()
    assert votes.n == 200


def test_conditions_choose_rows_of_scores(tmp_path: Path) -> None:
    frame = pd.DataFrame({
        "model": ["a", "b"] * 6, "item": np.repeat(range(6), 2), "score": [1, 0] * 6,
        "level": np.repeat(["easy", "hard"], 6),
    })  # fmt: skip
    frame.to_csv(tmp_path / "scores.csv", index=False)
    scores = rb.read(tmp_path / "scores.csv", where="level = 'hard'")
    assert scores.tasks["scores"].n == 3
    assert "chosen-rows" in {note.code for note in scores.notes}


@pytest.mark.parametrize("text", [
    "", "turns >", "turns = 1; drop table rows", "read_csv('secret.csv') = 1", "(select 1) = 1",
    "turns = 1 --", "exists (select 1)", "turns = 1 union select 2", "getenv('HOME') = 'x'",
    "a.b = 1", "turns::varchar = 'x'", "turns = $1", "turns = 1 /* x */", "turns = 'x", "(" * 200,
    "case when turns = 1 then 1 end = 1", "turns = 1 limit 1", "turns ~ 'x'", "turns[1] = 1",
    "1 1", "x" * 20_000, "turns not 1", "'a' || 'b' = 'ab'", 'turns = E"x"', "\x00", "turns = 1_0",
])  # fmt: skip
def test_nothing_but_comparisons_is_a_condition(text: str) -> None:
    with pytest.raises(OptionError, match="condition"):
        parse_condition(text)


@settings(max_examples=60)
@given(st.text(alphabet="abturns01'\"()<>=!,.+-*/ \n\t;%anotisyin", max_size=40))
def test_any_text_is_refused_in_words_or_chooses_rows(text: str) -> None:
    with suppress(rb.RankbarsError):
        assert chosen(text)


@pytest.mark.parametrize(("text", "message"), [
    ("speed > 1", "no column has that name"), ("language = de", "quotation marks: 'de'"),
    ("language > 1", "texts stand in quotes"), ("language", "neither true nor false"),
    ("turns like 'x'", "is no text"), ("'x' in turns", "holds no lists"),
    ("turns > 99", "no row has turns > 99"), ("language + 1 > 2", "is no number"),
])  # fmt: skip
def test_what_does_not_fit_the_columns_is_said(text: str, message: str) -> None:
    with pytest.raises(rb.DataError, match=message):
        chosen(text)


def test_a_number_that_is_too_large_is_told_and_not_the_file_blamed() -> None:
    with pytest.raises(rb.RankbarsError, match="cannot be read at '1e400'"):
        chosen("turns < 1e400")


def test_a_day_without_such_a_vote_is_left_out_in_words(tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "one.csv", index=False)
    FRAME.assign(language="en").to_csv(tmp_path / "two.csv", index=False)
    scores = rb.read(tmp_path, where="language = 'de'")
    (votes,) = scores.tasks.values()
    assert votes.n == (FRAME["language"] == "de").sum()
    assert any("No row of 1 of 2 files was chosen" in note.message for note in scores.notes)


def test_a_store_keeps_its_condition(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    FRAME.to_csv(tmp_path / "one.csv", index=False)
    words = ["--where", "language = 'de'"]
    store = str(tmp_path / "arena.duckdb")
    assert run(["add", str(tmp_path / "one.csv"), "--store", store, *words]) == 0
    assert run(["rank", store]) == 0
    assert f"{(FRAME['language'] == 'de').sum()} votes" in capsys.readouterr().out
    assert run(["rank", store, "--where", "language = 'en'"]) == 1
    assert "read with --where 'language = '\"'\"'de'\"'\"''" in capsys.readouterr().err


def test_tasks_are_still_chosen_by_pattern(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "x.csv", "--where", "category=law"]) == 2
    assert "chooses tasks, which compare does by name only" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        pytest.param(
            ["model,mean,std,n", "a,0.5,0.1,20", "c,0.9,0.2,50", "b,0.6,0.1,30"],
            {"direction": "higher"},
            id="means",
        ),
        pytest.param(
            ["model,num_correct,num_total", "a,50,100", "c,90,400", "b,55,100"], {}, id="counts"
        ),
        pytest.param(
            ["model,acc", "a,0.5 ± 0.1", "c,0.9 ± 0.3", "b,0.6 ± 0.2"],
            {"cells": "se"},
            id="errors in cells",
        ),
        pytest.param(
            ["model,score,ci_low,ci_high", "a,0.5,0.4,0.6", "c,0.9,0.8,1.0", "b,0.6,0.5,0.7"],
            {},
            id="intervals",
        ),
        pytest.param(
            ["model,tp,fp,fn,tn", "a,50,10,20,30", "c,90,5,5,10", "b,55,10,15,30"],
            {"metric": "f1"},
            id="confusion",
        ),
        pytest.param(
            ["model,t1,t2,t3", "[a](https://x.org/a),50,60,70", "[c](https://x.org/c),90,91,92",
             "[b](https://x.org/b),55,61,73"],
            {},
            id="links",
        ),
    ],
)  # fmt: skip
def test_conditions_hold_where_cells_are_read_as_statistics(
    tmp_path: Path, rows: list[str], options: dict[str, Any]
) -> None:
    whole, part = tmp_path / "whole" / "r.csv", tmp_path / "part" / "r.csv"
    for path, kept in ((whole, rows), (part, [rows[0], rows[1], rows[3]])):
        path.parent.mkdir()
        path.write_text("\n".join(kept) + "\n", encoding="utf-8")
    found = rb.read(whole, where="model != 'c'", **options)
    expected = rb.read(part, **options)
    assert found.models == ("a", "b")
    for task, evidence in expected.tasks.items():
        for field in ("values", "mean", "se", "n"):
            if (value := getattr(evidence, field, None)) is not None:
                np.testing.assert_array_equal(getattr(found.tasks[task], field), value)


def test_conditions_hold_where_counts_of_truth_by_answer_are_added(tmp_path: Path) -> None:
    rows = [
        f"{model},{split},{truth},{said},{n + (20 if split == 'dev' and truth == said else 0)}"
        for model, n in (("a", 30), ("b", 40)) for split in ("dev", "test")
        for truth in ("no", "yes") for said in ("no", "yes")
    ]  # fmt: skip
    path = tmp_path / "r.csv"
    path.write_text("\n".join(["model,split,truth,prediction,count", *rows]) + "\n", "utf-8")
    found = rb.read(path, where="split = 'test'", metric="accuracy")
    (task,) = found.tasks.values()
    np.testing.assert_array_equal(task.mean, [0.5, 0.5])
    np.testing.assert_array_equal(task.n, [120, 160])


COUNTS = ["a,5,10,test", "b,7,10,test", "a,oops,10,dev", "b,12,10,dev"]


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [2, 0, 3, 1]])
def test_counts_are_checked_where_a_condition_lets_them_count(
    tmp_path: Path, order: list[int]
) -> None:
    path = tmp_path / "t.csv"
    rows = [COUNTS[at] for at in order]
    path.write_text("\n".join(["model,n_correct,n_total,split", *rows]) + "\n", "utf-8")
    (task,) = rb.read(path, where="split = 'test'").tasks.values()
    np.testing.assert_array_equal(task.mean, [0.5, 0.7])
    np.testing.assert_array_equal(task.n, [10, 10])
    with pytest.raises(rb.DataError, match=r"row \d \(model 'a'.* 'oops' in column 'n_correct'"):
        rb.read(path)
    for right, total in (("oops", "10"), ("7", "ten")):
        path.write_text(f"model,n_correct,n_total\na,5,10\nb,{right},{total}\nc,8,10\n", "utf-8")
        with pytest.raises(
            rb.DataError, match=r"row 3 .*'(oops|ten)' in column 'n_(correct|total)'"
        ):
            rb.read(path)


SPOILT = pd.DataFrame({
    "model": ["a", "b", "a", "b", "a"], "item": ["x", "x", "y", "y", "z"],
    "score": [0.5, "oops", 0.7, 0.8, "51%"], "split": ["test", "dev", "test", "test", "dev"],
})  # fmt: skip


def test_what_rows_that_do_not_count_hold_is_no_fault_of_frames_and_records(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(SPOILT.to_json(orient="records", lines=True), "utf-8")
    for read in (partial(rb.Scores.from_frame, SPOILT), partial(rb.read, path)):
        (task,) = read(where="split = 'test'").tasks.values()
        np.testing.assert_array_equal(task.values, [[0.5, np.nan], [0.7, 0.8]])
        with pytest.raises(rb.DataError, match=r"row 2 .*'oops' in column 'score'"):
            read(where="item != 'z'")
        with pytest.raises(rb.DataError, match="percent"):
            read(where="model = 'a'")


def test_values_with_errors_and_counts_are_split_where_a_condition_leaves_out_what_is_neither(
    tmp_path: Path,
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("model,score,split\na,0.5 ± 0.1,test\nb,0.7 ± 0.1,test\nc,oops,dev\n", "utf-8")
    (task,) = rb.read(path, where="split = 'test'", cells="se").tasks.values()
    np.testing.assert_array_equal([task.mean, task.se], [[0.5, 0.7], [0.1, 0.1]])
    path.write_text(
        "model,tp,fp,fn,tn,split\na,5,1,2,9,test\nb,6,2,1,8,test\nc,x,1,1,1,dev\nd,0,0,0,0,dev\n",
        "utf-8",
    )
    (task,) = rb.read(path, where="split = 'test'", metric="f1").tasks.values()
    np.testing.assert_allclose(task.mean, [10 / 13, 12 / 15])
