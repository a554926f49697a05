"""``rankbars table``: records of an evaluation harness as the plain leaderboard table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commandline import Command

import rankbars as rb

NAMES = ("an-assistant-with-a-very-long-name", "b")
RECORDS = [
    {"model_id": model, "task_id": task, "metric_name": "acc", "score": score, "category": "c"}
    for task, scores in {"x": (0.5, 0.7), "y": (0.4, 0.8), "z": (0.4, 0.75)}.items()
    for model, score in zip(NAMES, scores, strict=True)
]


def test_records_make_the_table_of_the_library(rankbars: Command) -> None:
    Path("runs.json").write_text(json.dumps(RECORDS))
    answer = rankbars("table", "runs.json")
    assert answer.code == 0
    assert "Intervals are approximate: fewer than 5 tasks" in answer.err
    assert answer.out == rb.plain_table(RECORDS).to_markdown() + "\n"
    assert "| 2 | an-assistant-with-a- | 0.43 |" in answer.out
    found = json.loads(rankbars("table", "runs.json", "--json").out)
    assert found["models"][1]["model_id"] == NAMES[0]  # cut in the table only
    assert found["models"][0]["categories"] == {"c": pytest.approx(0.75)}


def test_pairs_and_scores_follow_the_table(rankbars: Command) -> None:
    Path("runs.json").write_text(json.dumps(RECORDS))
    table = rb.plain_table(RECORDS)
    parts = table.to_markdown(), table.scores_to_markdown(), table.pairs_to_markdown()
    assert rankbars("table", "runs.json", "--pairs", "--scores").out == "\n\n".join(parts) + "\n"
    found = json.loads(rankbars("table", "runs.json", "--json").out)
    assert found["differences"][0]["first"] == "b"


def test_no_record_is_an_empty_table_and_an_empty_file_an_error(rankbars: Command) -> None:
    Path("none.json").write_text("[]")
    answer = rankbars("table", "none.json")
    assert answer.code == 0
    assert answer.out.splitlines()[0] == "| Rank | Model | Mean | 95% CI | Win rate | Tasks |"
    assert len(answer.out.splitlines()) == 2
    Path("empty.json").write_text("")
    wrong = rankbars("table", "empty.json")
    assert (wrong.code, wrong.out) == (1, "")
    assert "empty.json: the file is empty" in wrong.err


def test_a_score_beyond_one_is_refused_with_its_record(rankbars: Command) -> None:
    Path("runs.json").write_text(json.dumps([*RECORDS[:2], RECORDS[2] | {"score": 40}]))
    wrong = rankbars("table", "runs.json")
    assert (wrong.code, wrong.out) == (1, "")
    assert f"Record 3 (model {NAMES[0]!r}, task 'y')" in wrong.err


def test_notes_go_to_standard_error(rankbars: Command) -> None:
    Path("runs.json").write_text(json.dumps(RECORDS[:-1]))
    answer = rankbars("table", "runs.json", "--interval", "percentile", "--resamples", "9")
    assert "not every model has all 3 tasks" in answer.err.lower()
    assert "(b)" in answer.err
    assert "Too few resamples (9)" in answer.err
    assert answer.out.count("–") == 2


def test_null_is_no_list_of_records(rankbars: Command) -> None:
    Path("runs.json").write_text("null")
    wrong = rankbars("table", "runs.json")
    assert wrong.code == 1
    assert "it holds null and no records" in wrong.err
    Path("runs.json").write_text("[]")
    assert "There is no record in it." in rankbars("rank", "runs.json").err
