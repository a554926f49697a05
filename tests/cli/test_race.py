"""``rankbars race``: begun, told, shown, killed at any moment, and shared by workers."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from commandline import Command

import rankbars as rb

BEGIN = ("next", "--models-file", "models.txt", "--items-file", "items.txt")
RATES = {"amber": 0.9, "birch": 0.5, "cobalt": 0.2}


@pytest.fixture
def race(rankbars: Command):
    """The command on a race of three models over 300 items, and files to begin it with."""
    Path("models.txt").write_text("\n".join(RATES) + "\n", encoding="utf-8")
    Path("items.txt").write_text("\n".join(f"q{i}" for i in range(300)) + "\n", encoding="utf-8")
    return lambda *words, **more: rankbars("race", "s.duckdb", *words, **more)


def answers(lines: str) -> str:
    """What a program writes that was given these calls."""
    rows = []
    for line in lines.splitlines():
        call = json.loads(line)
        number = hashlib.sha256(f"{call['model']} {call['item']}".encode()).digest()[0] / 256
        rows.append(json.dumps(call | {"score": int(number < RATES[call["model"]])}) + "\n")
    return "".join(rows)


def test_a_race_from_its_beginning_to_its_end(race) -> None:
    begun = race(*BEGIN, "--json", "--batch", "20")
    assert (begun.code, begun.err) == (0, "")
    assert race("next", "--json").out == begun.out
    while calls := race("next", "--json").out:
        Path("back.jsonl").write_text(answers(calls), encoding="utf-8")
        told = race("tell", "back.jsonl")
        assert (told.code, told.out) == (0, "")
        assert told.err.endswith("the batch is complete.\n")
    end = race("next")
    assert (end.out, end.err) == ("", "Nothing to run: all is decided.\n")
    shown = race()
    assert shown.out == race("show").out
    assert "amber is first: each other model is out." in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
    found = json.loads(race("show", "--json").out)
    board = rb.Race.open("s.duckdb").board()
    assert found["schema"] == "rankbars.race/1"
    assert found["winners"] == ["amber"] == list(board.winners)
    assert found["stop"] == "settled"
    assert found["calls"] == board.used < 900
    assert [one["model"] for one in found["models"]] == [one.model for one in board.racers]
    assert [one["since"] for one in found["models"]] == [one.since for one in board.racers]


def test_results_come_through_a_pipe(race) -> None:
    calls = race(*BEGIN, "--json").out
    told = race("tell", "-", stdin=answers(calls).encode())
    assert told.err == "Results: 75 taken; the batch is complete.\n"
    assert "takes lines of JSON" in race("tell", "-", stdin=b"model,item\n").err


def test_a_contradiction_is_said_even_quietly(race) -> None:
    calls = race(*BEGIN, "--json").out
    race("tell", "-", stdin=answers(calls).encode())
    one = json.loads(calls.splitlines()[0])
    said = race("tell", "-q", "-", stdin=(json.dumps(one | {"score": 0.25}) + "\n").encode()).err
    assert said == (
        f"Another result than the one that counts: of model {one['model']}, task {one['task']}, "
        f"item {one['item']}. The first counts.\n"
    )


def test_results_come_from_tables_and_what_lacks_one_can_be_declared_to_have_failed(race) -> None:
    calls = [json.loads(line) for line in race(*BEGIN, "--json").out.splitlines()]
    rows = [f"{one['model']},{one['item']},1" for one in calls[:70]]
    Path("back.csv").write_text("model,item,score\n" + "\n".join(rows) + "\n", encoding="utf-8")
    assert race("tell", "back.csv").err == (
        "Results: 70 taken; the batch waits for 5.\n"
        'A call that failed is told by "failed": true in its line, or for all by --failed.\n'
    )
    again = race("tell", "--failed", "back.csv").err
    assert again == (
        "Results: 5 taken, 5 of them failed, 70 had a result already; the batch is complete.\n"
    )
    assert race("tell", "-q", "back.csv").err == ""


def test_calls_are_printed_as_tools_take_them(race) -> None:
    Path("tasks.json").write_text('{"gsm8k": 50, "arc": 40}', encoding="utf-8")
    words = ("next", "--models-file", "models.txt", "--items-file", "tasks.json", "--batch", "2")
    line = json.loads(race(*words, "--for", "lm-eval").out.splitlines()[0])
    assert line["model"] == "amber"
    assert {task: len(asked) for task, asked in line["samples"].items()} == {"arc": 2, "gsm8k": 2}
    other = json.loads(race("next", "--for", "inspect").out.splitlines()[0])
    assert set(other["sample_id"]["arc"].split(",")) == set(map(str, line["samples"]["arc"]))
    text = race("next").out
    assert len(text.splitlines()) == 6
    assert text.startswith("amber, arc: ")


@pytest.mark.parametrize(
    ("name", "text", "items"),
    [
        ("items.csv", "item\n7\n8\n", ["7", "8"]),
        ("items.csv", '7\n"8, or so"\n', ["7", "8, or so"]),
        ("items.txt", "7\n8, or so\n", ["7", "8, or so"]),
        ("items.csv", 'task,item,note\nall,7,"a, b"\nall,8,c\n', ["7", "8"]),
        ("items.csv", "note,item\nx,7\ny,8\n", ["7", "8"]),
        ("items.tsv", "item\tnote\n7\ta,b\n8\tc\n", ["7", "8"]),
    ],
)
def test_items_stand_in_a_list_or_in_a_column(race, name: str, text: str, items) -> None:
    Path(name).write_text(text, encoding="utf-8")
    Path("m.txt").write_text("model\namber\nbirch\n", encoding="utf-8")
    calls = race("next", "--models-file", "m.txt", "--items-file", name, "--json").out
    found = [json.loads(line) for line in calls.splitlines()]
    assert sorted({one["item"] for one in found}) == items
    assert {one["model"] for one in found} == {"amber", "birch"}
    assert {one["task"] for one in found} == {"all"}


def test_a_table_without_a_column_of_items_is_refused(race) -> None:
    Path("items.csv").write_text('id,question\n1,"What, is"\n2,Why\n', encoding="utf-8")
    refused = race("next", "--models-file", "models.txt", "--items-file", "items.csv")
    assert refused.code == 1
    assert "its columns are id, question. Name the column of items item" in refused.err
    assert not Path("s.duckdb").exists()
    Path("items.csv").write_text("task,item\nmath,1\nmath\n", encoding="utf-8")
    refused = race("next", "--models-file", "models.txt", "--items-file", "items.csv")
    assert "2 cells were expected; got 1" in refused.err


def test_what_is_fixed_at_the_start_cannot_be_changed_and_the_rest_can(race, rankbars) -> None:
    assert race("next").code == 1
    assert "Begin one: rankbars race STATE next --models-file" in race("next").err
    race(*BEGIN)
    refused = race("next", "--goal", "top 2")
    assert refused.code == 1
    assert "this race has begun, and --goal is fixed at the start" in refused.err
    assert race("next", "--budget", "10").code == 0
    ranked = rankbars("rank", "s.duckdb")
    assert ranked.code == 1
    assert "it is the state of a race, not a store" in ranked.err
    assert race("next", "--json", "--for", "inspect").code == 2


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--goal", "tiers"), "no race for tiers"),
        (("--limits", "0", "inf"), "Bets need scores with known ends"),
        (("--alpha", "2"), "alpha"),
        (("--weights", "none.csv"), "none.csv"),
    ],
)
def test_what_cannot_be_raced_is_one_line_and_leaves_no_file(race, words, what) -> None:
    refused = race(*BEGIN, *words)
    assert refused.code in (1, 2)
    assert what in refused.err
    assert refused.err.count("\n") == 1
    assert not Path("s.duckdb").exists()


def test_results_told_twice_are_not_wanted_now(race) -> None:
    lines = answers(race(*BEGIN, "--json").out)
    Path("results.jsonl").write_text(lines)
    assert "the batch is complete" in race("tell", "results.jsonl").err
    again = race("tell", "results.jsonl")
    assert f"0 taken, {len(lines.splitlines())} not wanted now" in again.err


def test_the_evidence_is_drawn(race) -> None:
    calls = race(*BEGIN, "--json").out
    assert race("show", "--plot", "r.gif").code == 1
    assert "nothing to draw yet" in race("show", "--plot", "r.svg").err
    Path("back.jsonl").write_text(answers(calls), encoding="utf-8")
    race("tell", "back.jsonl")
    assert race("show", "--plot", "r.svg", "--html", "r.html").code == 0
    page = Path("r.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert "may still be first" in page
    assert all(f">{name}<" in page for name in RATES)
    assert "src=" not in page
    assert "<script" not in page
    assert "evidence" in Path("r.svg").read_text(encoding="utf-8")


def test_a_loop_of_fifteen_lines_runs_a_race_around_any_callable(tmp_path) -> None:
    """As on the page about races: killed in the middle, it goes on where it was."""
    loop = """
import rankbars as rb
from pathlib import Path

def ask(model, item):
    return float(int(item) * 7 % 10 < {"a": 8, "b": 5}[model])

if Path("race.duckdb").exists():
    race = rb.Race.open("race.duckdb")
else:
    race = rb.Race(["a", "b"], range(2000), state="race.duckdb")
while calls := race.next().calls:
    race.tell({call: ask(call.model, call.item) for call in calls})
    stop()
print(race.board().winners, race.board().used)
"""
    (tmp_path / "stopped.py").write_text(
        "import itertools, os\ncount = itertools.count()\n"
        "def stop():\n    if next(count) == 1: os._exit(1)\n" + loop
    )
    (tmp_path / "whole.py").write_text("stop = lambda: None\n" + loop)
    for name, code in (("stopped.py", 1), ("whole.py", 0)):
        done = subprocess.run(
            [sys.executable, name], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
    whole = rb.Race(["a", "b"], range(2000))
    rates = {"a": 8, "b": 5}
    while calls := whole.next().calls:
        whole.tell({call: float(int(call.item) * 7 % 10 < rates[call.model]) for call in calls})
    assert done.stdout == f"('a',) {whole.board().used}\n"
