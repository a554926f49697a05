"""Boards that lead with a posterior, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commandline import Command


@pytest.fixture
def binary(tmp_path: Path) -> str:
    rng = np.random.default_rng(0)
    rows = [
        f"{model},t{task},{item},{int(rng.random() < level)}"
        for model, level in (("ash", 0.4), ("elm", 0.8))
        for task in range(4)
        for item in range(50)
    ]
    path = tmp_path / "binary.csv"
    path.write_text("\n".join(["model,task,item,score", *rows]), encoding="utf-8")
    return str(path)


def test_a_posterior_leads_the_board_and_promises_nothing(rankbars: Command, binary: str) -> None:
    words = ("--aggregate", "items:bayes", "--prior", "exponential:50")
    answer = rankbars("rank", binary, *words, "-o", "board.json")
    assert answer.code == 0, answer.err
    assert "no guarantee" in answer.out
    assert "Draws come from quadrature, not from a Markov chain" in " ".join(answer.out.split())
    board = json.loads(Path("board.json").read_text(encoding="utf-8"))
    assert board["spec"]["prior"] == "exponential:50"
    average = board["aggregate"]
    assert (average["estimator"], average["best"], average["worst"]) == ("bayes", [2, 1], [2, 1])
    assert any("a and b exponential with mean 50" in text for text in average["assumptions"])
    assert board["tiers"] == []


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ("items", ("On the average of fresh items of these 4 tasks", "on fresh items")),
        ("tasks", ("On one new task, elm comes first", "on one new task")),
    ],
)
def test_a_prediction_says_what_it_predicts(
    rankbars: Command, binary: str, over: str, words: tuple[str, ...]
) -> None:
    answer = rankbars("rank", binary, "--aggregate", f"{over}:bayes_predictive")
    assert answer.code == 0, answer.err
    assert all(one in " ".join(answer.out.split()) for one in words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--aggregate", "items:bayes", "--prior", "exponental"), "Did you mean 'exponential'"),
        (("--prior", "exponential"), "belongs to the estimators bayes"),
        (("--aggregate", "families:bayes"), "famil"),
    ],
)
def test_what_does_not_fit_is_refused(
    rankbars: Command, binary: str, words: tuple[str, ...], message: str
) -> None:
    answer = rankbars("rank", binary, *words)
    assert answer.code in (1, 2)
    assert message in " ".join(answer.err.split())
