"""Logs and votes come out of a store as they are in their files, whatever the order of adding."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from storefiles import add, assert_equals_files, held, inside, remove
from tablefiles import csv_text

import rankbars as rb
from rankbars.cli.app import run
from rankbars.data.votes import Votes

DATA = Path(__file__).parent.parent / "data"


def assert_same_votes(one: rb.Scores, two: rb.Scores) -> None:
    assert list(one.tasks) == list(two.tasks)
    for left, right in zip(one.tasks.values(), two.tasks.values(), strict=True):
        assert isinstance(left, Votes)
        assert isinstance(right, Votes)
        assert left.models == right.models
        for name in ("wins", "ties", "both_bad"):
            assert_same_array(getattr(left, name), getattr(right, name))
        assert (left.ballots is None) == (right.ballots is None)
        if left.ballots is not None and right.ballots is not None:
            for name in ("first", "second", "outcome", "votes", "weight", "squared", "position",
                         "covariates"):  # fmt: skip
                assert_same_array(getattr(left.ballots, name), getattr(right.ballots, name))
            assert set(left.ballots.labels) == set(right.ballots.labels)
            for kind, labels in left.ballots.labels.items():
                others = right.ballots.labels[kind]
                mine = [(*labels.names, None)[code] for code in labels.codes]
                assert mine == [(*others.names, None)[code] for code in others.codes]
    assert one.notes == two.notes
    assert one.inputs == two.inputs


def assert_same_array(one: Any, two: Any) -> None:
    assert (one is None) == (two is None)
    if one is not None:
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    "folder",
    [
        "inspect_ai/eval_deflate", "inspect_ai/json", "inspect_ai/json_pair", "lm_eval/current",
        "mteb/results", "mteb/historic", "helm/benchmark_output", "lighteval/results",
        "openai_evals/test_match", "promptfoo/echo", "swebench/invented_run", "swebench/pro",
        "tabarena/hpo_combined", "arena_hard/leaderboard", "alpaca_eval/leaderboards",
    ],
)  # fmt: skip
def test_logs_of_every_tool_survive_the_store(folder: str, tmp_path: Path) -> None:
    shutil.copytree(DATA / "fixtures" / folder, tmp_path / "logs")
    with inside(tmp_path):
        add("logs")
        kept, direct = held(), rb.read("logs")
        outside = [note for note in direct.notes if note.code.startswith("files-")]
        assert_equals_files(["logs"], leave_out=outside)
        assert kept.inputs == direct.inputs


def test_logs_added_one_by_one_equal_a_folder_of_them(tmp_path: Path) -> None:
    shutil.copytree(DATA / "fixtures" / "lm_eval" / "current", tmp_path / "logs")
    with inside(tmp_path):
        files = sorted(str(path) for path in Path("logs").rglob("*") if path.is_file())
        for path in reversed(files):
            add(path)
        assert_equals_files(["logs"])
        changed = next(path for path in files if "samples" in path)
        remove(changed)
        add(changed)
        assert_equals_files(["logs"])


@pytest.mark.parametrize(
    ("name", "options"),
    [("llmfao_crowd.csv", ()), ("llmfao_llm_judges.csv", ("--column", "judge="))],
)
def test_votes_survive_the_store(name: str, options: tuple[str, ...], tmp_path: Path) -> None:
    shutil.copy(DATA / "votes" / name, tmp_path)
    with inside(tmp_path):
        add(name, *options)
        columns = {"judge": ""} if options else None
        assert_same_votes(held(), rb.read(name, columns=columns))


def test_votes_with_weights_controls_and_gaps_survive_the_store(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {
        "model_a": ["x", "y", "z", "x", "y"], "model_b": ["y", "z", "x", "z", "x"],
        "winner": ["model_a", "tie", "model_b", "both_bad", "model_a"],
        "judge": ["p", "", "q", "p", "q"], "weight": [1, 0.5, 2, 1, 1],
        "length_a": [10, 20, 30, 40, 50], "length_b": [15, 10, 35, 10, 5],
    }  # fmt: skip
    (tmp_path / "votes.csv").write_text(csv_text(columns), encoding="utf-8")
    with inside(tmp_path):
        add("votes.csv", "--control", "length", "--column", "judge=judge")
        direct = rb.read("votes.csv", controls=["length"], columns={"judge": "judge"})
        assert_same_votes(held(), direct)
        assert run(["rank", "board.duckdb", "-q", "-o", "kept.json", "--control", "length",
                    "--column", "judge=judge"]) == 0  # fmt: skip


def test_files_of_votes_are_one_arena_in_any_order(tmp_path: Path) -> None:
    columns = {"model_a": ["x", "y", "x"], "model_b": ["y", "z", "z"], "winner": ["a", "b", "a"]}
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "v.csv").write_text(csv_text(columns), encoding="utf-8")
    with inside(tmp_path):
        add("two/v.csv")
        assert_same_votes(held(), rb.read("two/v.csv"))
        add("one/v.csv")
        assert_same_votes(held(), rb.read(["one/v.csv", "two/v.csv"]))
        assert held().tasks["v"].n == 6
        remove("two")
        assert_same_votes(held(), rb.read("one/v.csv"))


def test_a_day_is_added_to_the_arena_that_a_store_holds(tmp_path: Path) -> None:
    columns = {"model_a": ["x", "y"], "model_b": ["y", "x"], "winner": ["a", "a"]}
    with inside(tmp_path):
        for day in ("01", "02", "03"):
            seen = columns | {"judge": ["p", "p" if day == "01" else "q"]}
            Path(f"arena-2025-03-{day}.csv").write_text(csv_text(seen), encoding="utf-8")
            add(f"arena-2025-03-{day}.csv")
        days = sorted(Path().glob("arena-*.csv"))
        assert list(held().tasks) == ["arena"]
        votes = held().tasks["arena"]
        assert isinstance(votes, Votes)
        assert votes.n == 6
        # On two of the days each voter has one vote; they are the same two people.
        assert votes.ballots is not None
        assert votes.ballots.labels["judge"].names == ("p", "q")
        assert_same_votes(held(), rb.read(days))
        assert run(["rank", "board.duckdb", "--arena-per-file"]) != 0
        assert run(["add", *map(str, days), "--store", "apart.duckdb", "--arena-per-file"]) == 0
        assert run(["rank", "apart.duckdb", "-q", "-o", "apart.json"]) == 0
        tasks = json.loads(Path("apart.json").read_text(encoding="utf-8"))["tasks"]
        assert [one["name"] for one in tasks] == [path.stem for path in days]


def test_tables_and_logs_of_one_task_meet_in_the_store(tmp_path: Path) -> None:
    shutil.copytree(DATA / "fixtures" / "inspect_ai" / "json_pair", tmp_path / "logs")
    table = {"model": ["m", "k"], "other task": [0.5, 0.75]}
    (tmp_path / "table.csv").write_text(csv_text(table), encoding="utf-8")
    with inside(tmp_path):
        add("table.csv")
        add("logs")
        assert_equals_files(["table.csv", "logs"])


def test_records_of_an_unknown_tool_are_ranked_as_they_were_mapped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, scores in (("a", (1, 0, 1)), ("b", (1, 1, 1))):
        runs = [{"id": f"q{k}", "reward": score} for k, score in enumerate(scores)]
        (tmp_path / f"{name}.json").write_text(json.dumps({"model": name, "runs": runs}))
    paths = "model=model,item=runs[].id,score=runs[].reward"
    store = str(tmp_path / "s.duckdb")
    files = [str(tmp_path / "a.json"), str(tmp_path / "b.json")]
    assert run(["add", *files, "--map", paths, "--store", store, "-q"]) == 0

    assert run(["rank", store, "-q"]) == 0
    assert run(["rank", store, "-q", "--map", "model=other"]) == 1
    assert f"--map '{paths}'" in capsys.readouterr().err
