"""``rankbars weights`` and ``rankbars show --format dot``: questions to a board file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commandline import Command

import rankbars as rb


@pytest.fixture
def board() -> str:
    """Three models, each best in one of three categories."""
    rng = np.random.default_rng(1)
    tasks, info = {}, {}
    for i, name in enumerate(("law", "math", "poems")):
        level = 0.4 + 0.3 * np.eye(3)[i] + [0.05, 0.0, 0.0]
        tasks[name] = (rng.random((400, 3)) < level).astype(float)
        info[name] = rb.TaskInfo(category=name.upper())
    scores = rb.Scores.from_arrays(tasks, ["ash", "birch", "ce<dar"], info=info)
    rb.leaderboard(scores).save("board.json")
    return "board.json"


def test_winner_shares_and_changes_are_shown(rankbars: Command, board: str) -> None:
    answer = rankbars("weights", board)
    assert answer.code == 0, answer.err
    text = " ".join(answer.out.split())
    assert "With weights LAW 0.333, MATH 0.333, POEMS 0.333: ash is first" in text
    assert "Mean per category over exactly these tasks, ± 95 % for each model by itself" in text
    assert "Share of all weights of the 3 categories" in text
    assert "Smallest change of weights after which a model is level with ash" in text
    assert "this describes, it does not test" in text
    assert max(map(len, answer.out.splitlines())) <= 80


def test_weights_can_be_chosen(rankbars: Command, board: str) -> None:
    answer = rankbars("weights", board, "--at", "POEMS=3", "--at", "LAW=1", "--json")
    assert answer.code == 0, answer.err
    found = json.loads(answer.out)
    assert found["winner"] == "ce<dar"
    assert found["categories"] == ["LAW", "MATH", "POEMS"]
    assert found["mean"][2][2] > found["mean"][2][0]
    assert np.shape(found["se"]) == (3, 3)
    assert found["weights"] == {"LAW": 0.25, "MATH": 0.0, "POEMS": 0.75}
    assert sum(found["share"].values()) == pytest.approx(1.0)
    first = found["smallest_changes"][0]
    again = rankbars(
        "weights", board, "--json",
        *(word for name, value in first["weights"].items() for word in ("--at", f"{name}={value}")),
    )  # fmt: skip
    assert json.loads(again.out)["margin"] == pytest.approx(0.0, abs=1e-9)


def test_a_stricter_rule_leaves_fewer_clear_winners(rankbars: Command, board: str) -> None:
    shares = [
        sum(json.loads(rankbars("weights", board, "--z", z, "--json").out)["clear_share"].values())
        for z in (1.41, 2, 6)
    ]
    assert shares[0] > shares[1] > shares[2]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--at", "POEMS"), 2, "must look like CATEGORY=W"),
        (("--at", "POEMS=much"), 2, "must look like CATEGORY=W"),
        (("--at", "POEMS=1", "--at", "POEMS=2"), 2, "twice"),
        (("--at", "POEM=1"), 2, "Did you mean 'POEMS'"),
        (("--at", "POEMS=-1"), 1, "0 or more"),
        (("--at", "POEMS=nan"), 1, "a finite number"),
        (("--at", "POEMS=0"), 1, "All weights of categories are zero"),
        (("--z", "-1"), 1, "z must be"),
    ],
)
def test_weights_without_sense_are_refused(
    rankbars: Command, board: str, words: tuple[str, ...], code: int, message: str
) -> None:
    answer = rankbars("weights", board, *words)
    assert answer.code == code
    assert message in answer.err
    assert answer.out == ""


def test_a_board_without_categories_says_what_is_needed(rankbars: Command) -> None:
    rng = np.random.default_rng(0)
    scores = rb.Scores.from_arrays({n: rng.random((9, 2)) for n in "xy"}, ["a", "b"])
    rb.leaderboard(scores).save("plain.json")
    answer = rankbars("weights", "plain.json")
    assert answer.code == 1
    assert "--categories FILE" in answer.err


def test_the_order_is_shown_for_graphviz(rankbars: Command, board: str) -> None:
    answer = rankbars("show", board, "--format", "dot")
    assert answer.code == 0, answer.err
    assert answer.out.startswith('digraph "shown better" {')
    assert '"ash" -> "birch";' in answer.out
    refused = rankbars("show", board, "--format", "dot", "--task", "law")
    assert refused.code == 1
    assert "one order" in refused.err


def test_one_model_always_first_is_said(rankbars: Command) -> None:
    rng = np.random.default_rng(0)
    info = {name: rb.TaskInfo(category=name) for name in "xy"}
    tasks = {n: rng.random((60, 2)) + [2.0, 0.0] for n in "xy"}
    rb.leaderboard(rb.Scores.from_arrays(tasks, ["a", "b"], info=info)).save("one.json")
    answer = rankbars("weights", str(Path("one.json")))
    assert "a is first under all weights" in answer.out


def test_means_are_shown_in_the_units_of_the_results(rankbars: Command) -> None:
    rng = np.random.default_rng(0)
    info = {name: rb.TaskInfo(category=name, direction="lower") for name in "xy"}
    tasks = {n: -(rng.random((60, 2)) + [2.0, 3.0]) for n in "xy"}  # errors, turned at the door
    rb.leaderboard(rb.Scores.from_arrays(tasks, ["a", "b"], info=info)).save("errors.json")
    found = json.loads(rankbars("weights", "errors.json", "--json").out)
    assert found["winner"] == "a"
    assert 2.0 < found["mean"][0][0] < 3.0 < found["mean"][0][1]


def test_an_assumed_correlation_is_said_and_refused_where_rows_tell(
    rankbars: Command, board: str
) -> None:
    refused = rankbars("weights", board, "--rho", "0.5")
    assert refused.code == 1
    assert "leave it out" in refused.err
    scores = rb.Scores(
        {n: rb.Estimates(("a", "b"), [0.6, 0.5], se=[0.03, 0.03]) for n in "xy"},
        {n: rb.TaskInfo(category=n) for n in "xy"},
    )
    rb.leaderboard(scores).save("published.json")
    answer = rankbars("weights", "published.json", "--rho", "0.5")
    assert "models correlated by 0.5, which is assumed" in " ".join(answer.out.split())
    plain = json.loads(rankbars("weights", "published.json", "--rho", "0.5", "--json").out)
    assert plain["rho"] == 0.5
    assert plain["error"] == pytest.approx(0.03 * 0.5**0.5)
