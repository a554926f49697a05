"""Costs beside scores: from results to the front, and what the command says of it."""

import json

import numpy as np
import pytest
from commandline import answer

import rankbars as rb
from rankbars.stats.multiplicity.fronts import find_front
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.pairwise.pairstatistics import p_values

NAMES = ["a", "b", "c", "d"]


def command(*words):
    return answer([str(word) for word in words])


def results(seed=1, items=200):
    rng = np.random.default_rng(seed)
    ease = rng.normal(size=(items, 1))
    right = (ease + rng.normal(size=(items, 4)) + [-0.8, 0.2, 0.3, 0.9] > 0).astype(float)
    paid = np.array([0.1, 0.5, 4.0, 3.0]) * np.exp(rng.normal(0, 0.4, (items, 4)))
    return right, paid


def as_scores(rows, direction="higher"):
    return rb.Scores.from_arrays({"t": rows}, NAMES, info={"t": rb.TaskInfo(direction=direction)})


def test_measured_costs_are_compared_as_means_over_the_same_items():
    right, paid = results()
    scores = as_scores(right)
    front = rb.add_costs(rb.leaderboard(scores), scores, as_scores(-paid, "lower")).front
    wanted = find_front(p_values(paired_t(right)), paid.mean(0), 0.05, p_values(paired_t(-paid)))
    assert (front.dominates == wanted.dominates).all()
    assert front.dominates[3, 2]
    assert (front.each == wanted.each).all()
    assert (front.surely == wanted.surely).all()
    assert front.cost == pytest.approx(paid.mean(0))
    assert not front.known


def test_an_average_is_compared_as_the_board_compares_it():
    (right, paid), (other, also) = results(), results(2)
    scores = rb.Scores.from_arrays({"t": right, "u": other}, NAMES)
    costs = rb.Scores.from_arrays(
        {"t": -paid, "u": -also}, NAMES, info=dict.fromkeys("tu", rb.TaskInfo(direction="lower"))
    )
    board = rb.add_costs(rb.leaderboard(scores), scores, costs)
    assert board.lead == "aggregate"
    assert board.front.cost == pytest.approx((paid.mean(0) + also.mean(0)) / 2)
    assert board.front.dominates[3, 2]


def test_a_board_file_keeps_the_front(tmp_path):
    scores = as_scores(results()[0])
    board = rb.add_costs(rb.leaderboard(scores), scores, {"a": 1, "b": 2, "d": 3}, metric="USD")
    board.save(tmp_path / "b.json")
    again = rb.load(tmp_path / "b.json").front
    assert np.isnan(again.cost[2])
    for name in ("cost", "observed", "dominates", "each", "surely"):
        np.testing.assert_array_equal(getattr(again, name), getattr(board.front, name))
    assert again.metric == "USD"


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        ({"x": 1.0}, "No model of the board has a cost"),
        ({"a": -1.0}, "at least 0"),
        (as_scores(results()[1]), "lower-is-better"),
        (as_scores(-results()[0], "lower"), "are the scores"),
    ],
)
def test_costs_that_cannot_be_used_are_refused(cost, words):
    scores = as_scores(results()[0])
    with pytest.raises(rb.DataError, match=words):
        rb.add_costs(rb.leaderboard(scores), scores, cost)


@pytest.fixture
def table(tmp_path):
    right, paid = results()
    lines = [
        f"{name},{item},{right[item, k]:g},{paid[item, k]:.5f}"
        for k, name in enumerate(NAMES)
        for item in range(len(right))
    ]
    path = tmp_path / "r.csv"
    path.write_text("\n".join(["model,item,score,cost_usd", *lines]) + "\n", encoding="utf-8")
    return path


def test_the_command_says_the_same_in_text_markdown_file_and_picture(table, tmp_path):
    board, page = tmp_path / "b.json", tmp_path / "b.md"
    done = command("rank", table, "--cost", "cost_usd", "-q", "-o", board, "--md", page)
    assert done.code == 0
    assert "dominated by d" in done.out
    said = " ".join(done.out.split())
    assert "3 may be (approximate, all at once)" in said
    assert "held in 81 % of draws at worst" in said
    assert "dominated by d" in page.read_text(encoding="utf-8")
    kept = json.loads(board.read_text(encoding="utf-8"))["front"]
    assert ["d", "c"] in kept["dominates"]
    picture = tmp_path / "f.svg"
    assert command("plot", board, "front", "-o", picture).code == 0
    drawn = picture.read_text(encoding="utf-8")
    assert "3 of 4 may be the best for the money" in drawn


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--cost", "cost_usd", "--prices", "p.csv"], "give one of them"),
        (["--cost", "cost_usd", "--missing", "fail"], "a missing cost is not 0"),
        (["--cost", "cost_usd", "--hold-out", "1"], "--hold-out"),
        (["--cost", "cost_usd", "--cost", "s"], "once for each (--cost cost_usd and --cost s)"),
        (["--prices", "p.csv", "--prices", "q.csv"], "One cost stands beside the scores"),
    ],
)
def test_options_that_do_not_go_together_are_refused(table, options, words):
    done = command("rank", table, *options)
    assert done.code == 2
    assert words in " ".join(done.err.split())


def test_a_picture_of_a_board_without_costs_says_how_to_give_them(table, tmp_path):
    command("rank", table, "-q", "-o", tmp_path / "b.json")
    done = command("plot", tmp_path / "b.json", "front", "-o", tmp_path / "f.svg")
    assert done.code == 1
    assert "--cost COLUMN" in done.err
