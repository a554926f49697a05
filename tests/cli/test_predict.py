"""``rankbars predict``: ranks on a new task, from a board file alone."""

from __future__ import annotations

import json

import numpy as np
import pytest
from commandline import Command

import rankbars as rb


@pytest.fixture
def board() -> str:
    """Three models on nineteen tasks; the third is the best on every one."""
    rng = np.random.default_rng(2)
    tasks = {f"t{i}": rng.normal(size=(80, 3)) + [0.0, 0.1, 2.0] for i in range(19)}
    made = rb.leaderboard(rb.Scores.from_arrays(tasks, ["ash", "birch", "cedar"]), merge="quantile")
    made.save("board.json")
    return "board.json"


def test_algorithm_2_is_printed_as_json(rankbars: Command, board: str) -> None:
    answer = rankbars("predict", board, "--merge", "quantile", "--alpha", "0.3", "--json")
    assert answer.code == 0, answer.err
    found = json.loads(answer.out)
    assert found["models"] == ["ash", "birch", "cedar"]
    assert (found["best"], found["worst"]) == ([2, 2, 1], [3, 3, 1])
    assert (found["merge"], found["alpha"], found["scope"]) == ("quantile", 0.3, "each")
    assert found["guarantee"] == pytest.approx(1 - 6 / 20 / 0.975)
    assert found["notes"] == []


def test_the_text_says_what_is_promised(rankbars: Command, board: str) -> None:
    answer = rankbars("predict", board, "--merge", "quantile", "--alpha", "0.3")
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert (
        "New task: 69.2 %, each model, chosen in advance (quantile merge of 19 tasks at"
        in " ".join(answer.out.split())
    )
    assert [line.split() for line in lines[lines.index("") + 2 :][:3]] == [
        ["cedar", "1"],
        ["birch", "2–3"],
        ["ash", "2–3"],
    ]
    assert "Ranks are among these 3 models." in lines
    assert max(map(len, lines)) <= 80


def test_what_does_not_fit_is_named(rankbars: Command, board: str) -> None:
    answer = rankbars("predict", board, "--merge", "quantil")
    assert answer.code == 2
    assert "quantile" in answer.err
    answer = rankbars("predict", board, "--alpha", "2")
    assert answer.code == 1
    assert "alpha_overall" in answer.err
    answer = rankbars("predict", board, "--merge", "group")
    assert answer.code == 1
    assert "needs the category of each task" in answer.err
