"""Boards that lead with a posterior, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commandline import Command

import rankbars as rb
from rankbars.bayes.chains import ChainChecks
from rankbars.bayes.posterior import Posterior


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


def test_correlated_models_lead_the_board_with_their_posterior(
    rankbars: Command, binary: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {}

    def sampled(scores: rb.Scores, *, model: str, seed: int) -> Posterior:
        asked.update(model=model, seed=seed, models=scores.models)
        rng = np.random.default_rng(1)
        drawn = rng.normal([0.4, 0.8], 0.02, size=(2, 500, len(scores.tasks), 2))
        checks = ChainChecks(1.001, 900.0, 0, "score", "score")
        return Posterior(scores.models, tuple(scores.tasks), drawn, checks, model=model)

    monkeypatch.setattr(rb, "sample_posterior", sampled)
    words = ("--aggregate", "items:bayes", "--correlated", "models", "--seed", "3")
    answer = rankbars("rank", binary, *words, "-o", "board.json")
    assert answer.code == 0, answer.err
    assert asked == {"model": "correlated_models", "seed": 3, "models": ("ash", "elm")}
    board = rb.load("board.json")
    average = board.aggregate
    assert average is not None
    assert average.estimator == "correlated_models"
    assert average.score == pytest.approx([0.4, 0.8], abs=0.01)
    assert average.differences is not None
    assert average.differences.source == "draws"
    codes = {note.code for note in board.notes}
    assert "chains" in codes
    assert "quadrature" not in codes
    assert "without a guarantee" in rankbars("show", "board.json", "--differences").out


def test_correlation_belongs_to_the_posterior_over_items(rankbars: Command, binary: str) -> None:
    for words in ((), ("--aggregate", "tasks:bayes"), ("--aggregate", "items:bayes:borda")):
        refused = rankbars("rank", binary, "--correlated", "tasks", *words)
        assert refused.code == 2
        assert "add --aggregate items:bayes" in " ".join(refused.err.split())
