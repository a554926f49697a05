"""Which votes to ask next: what is undecided gets them, and they come back as valid votes."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest
from calibration import Calibration

import rankbars as rb
from rankbars.data.votes import Ballots

WINS = np.array([[0, 30, 45, 48, 9], [28, 0, 44, 47, 9], [5, 6, 0, 30, 8], [2, 3, 20, 0, 9],
                 [1, 1, 2, 1, 0]])  # fmt: skip
ARENA = rb.Scores({"arena": rb.Votes(tuple("abcde"), WINS)})


def shares(made: rb.Allocation) -> dict[str, float]:
    """Probability that a model is in a vote."""
    found = dict.fromkeys(made.models, 0.0)
    for one, other, chance in zip(made.first, made.second, made.probability, strict=True):
        found[made.models[one]] += chance
        found[made.models[other]] += chance
    return found


def test_votes_go_to_those_that_may_be_first() -> None:
    made = rb.allocate(ARENA, decide="first")
    assert made.undecided == ("a", "b")
    share = shares(made)
    assert min(share["a"], share["b"]) > 0.6
    assert max(share["c"], share["d"], share["e"]) < 0.4
    assert made.probability.min() >= 0.2 / 10 - 1e-12


def test_the_order_asks_about_pairs_that_are_not_told_apart() -> None:
    made = rb.allocate(ARENA, decide="order")
    shown = rb.rank(rb.compare(ARENA), scope="all")["arena"].shown_better
    alone = {name for name, open_ in zip("abcde", (shown | shown.T).sum(axis=1) < 4, strict=True)
             if open_}  # fmt: skip
    assert set(made.undecided) == alone


def test_which_are_the_first_k_is_decided_by_those_on_the_border() -> None:
    assert rb.allocate(ARENA, decide=2).undecided == ()
    assert np.ptp(rb.allocate(ARENA, decide=2).probability) == pytest.approx(0)
    assert {"c", "d"} <= set(rb.allocate(ARENA, decide=3).undecided)


def test_new_models_come_first_until_they_are_known_to_the_width() -> None:
    made = rb.allocate(ARENA, 1000, new=["new"])
    assert made.new == ("new",)
    assert 0 < made.for_new <= 1000
    assert max(shares(made), key=shares(made).__getitem__) == "new"
    known = rb.allocate(ARENA, 1000, width=5.0)
    assert (known.new, known.for_new) == ((), 0)


def test_so_many_votes_make_a_new_model_known_as_widely_as_was_asked() -> None:
    """Votes of equal models; all of the plan is for the new one, and its interval is as asked."""
    rng = np.random.default_rng(0)
    names = tuple("abcd")
    wins = rng.binomial(400, 0.5, (4, 4)).astype(float)
    np.fill_diagonal(wins, 0)
    base = rb.allocate(rb.Scores({"x": rb.Votes(names, wins)}), 10**6, new=["new"], width=0.25)
    asked = rb.allocate(
        rb.Scores({"x": rb.Votes(names, wins)}), base.for_new, new=["new"], width=0.25
    )
    frame = pd.read_csv(io.StringIO(asked.to_csv()))
    frame["winner"] = rng.choice(["model_a", "model_b"], len(frame))
    compared = rb.compare(rb.Scores.from_frame(frame))["votes"]
    error = compared.mean_se[compared.models.index("new")]
    assert 1.96 * error == pytest.approx(0.25, rel=0.1)


def test_what_is_asked_comes_back_as_weighted_votes() -> None:
    made = rb.allocate(ARENA, 400, seed=3)
    frame = pd.read_csv(io.StringIO(made.to_csv()))
    assert list(frame.columns) == ["model_a", "model_b", "sampling_probability"]
    assert len(frame) == made.votes == 400
    frame["winner"] = "model_a"
    votes = rb.Scores.from_frame(frame).tasks["votes"]
    assert votes.largest_weight is not None
    assert votes.largest_weight <= rb.data.votes.MOST_WEIGHT
    pairs = {frozenset(pair[:2]): pair[2] for pair in made.rows()}
    plain = json.loads(made.to_json())
    table = {
        frozenset((one["model_a"], one["model_b"])): one["sampling_probability"]
        for one in plain["pairs"]
    }
    assert pairs.items() <= table.items()
    assert sum(table.values()) == pytest.approx(1)
    assert sum(one["votes"] for one in plain["pairs"]) == 400
    again = rb.allocate(ARENA, 400, seed=3)
    assert again.to_csv() == made.to_csv()
    assert rb.allocate(ARENA, 400, seed=4).to_csv() != made.to_csv()


def test_models_that_the_votes_do_not_link_are_new() -> None:
    wins = np.zeros((6, 6))
    wins[:5, :5] = WINS
    wins[5, 0] = 3
    made = rb.allocate(rb.Scores({"arena": rb.Votes(tuple("abcdef"), wins)}), width=0.5)
    assert "f" in made.new


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"number": 0}, "number of votes"),
        ({"even": 0.05}, "even"),
        ({"width": -1.0}, "width"),
        ({"decide": "best"}, "got 'best'"),
        ({"decide": 5}, "with K from 1 to 4"),
        ({"new": ["a"]}, "'a' has votes already"),
        ({"new": "zed"}, "new must be a list of names of models; got 'zed'"),
        ({"new": [" "]}, "new must be a list of names of models"),
        ({"new": [None]}, "new must be a list of names of models"),
        ({"width": 1e-300}, "width must be 0.0001 or more"),
        ({"seed": -1}, "seed must be a whole number, at least 0; got -1"),
    ],
)
def test_what_cannot_be_asked_is_said(options: dict[str, object], message: str) -> None:
    with pytest.raises(rb.OptionError, match=message):
        rb.allocate(ARENA, **options)


def test_one_model_alone_has_nobody_to_meet() -> None:
    alone = rb.Scores({"arena": rb.Votes(("a",), np.zeros((1, 1)))})
    with pytest.raises(rb.DataError, match="between two models; there is one"):
        rb.allocate(alone)
    assert rb.allocate(alone, 5, new=["z"]).models == ("a", "z")


def test_only_votes_can_be_asked() -> None:
    scores = rb.Scores.from_arrays({"x": np.eye(4)}, list("abcd"))
    with pytest.raises(rb.DataError, match="takes one task of votes"):
        rb.allocate(scores)


@pytest.mark.slow
@pytest.mark.parametrize("decide", ["first", "order"])
def test_looks_at_votes_so_asked_keep_the_level(decide: str, calibration: Calibration) -> None:
    """Six equal models, 20 days of 200 votes; a look after each day; a false statement at any."""
    names, runs, wrong = tuple("abcdef"), calibration.runs(4, 150), 0
    first, second = np.triu_indices(6, 1)
    for run in range(runs):
        rng = np.random.default_rng([11, run])
        chance, parts, false = np.full(15, 1 / 15), [], False
        for _ in range(20):
            drawn = rng.choice(15, 200, p=chance)
            parts.append((first[drawn], second[drawn], 2 * rng.integers(0, 2, 200), chance[drawn]))
            one, other, outcome, p = (np.concatenate(column) for column in zip(*parts, strict=True))
            weight = 1 / (15 * p)
            ballots = Ballots(one, other, outcome, weight=weight, squared=weight**2)
            scores = rb.Scores({"x": rb.Votes.from_ballots(names, ballots)})
            found = rb.compare(scores, test="e_strength")["x"]
            shown = rb.rank(found, correction="e_average", scope="all").shown_better
            false |= bool(shown.any())
            asked = rb.allocate(scores, 200, decide=decide)
            chance = chances(asked, names)[first, second]
        wrong += false
    calibration.at_most(wrong, runs, 0.05)


def chances(asked: rb.Allocation, names: tuple[str, ...]) -> np.ndarray:
    """Probability of every pair, in this order of the models."""
    place = np.array([names.index(name) for name in asked.models])
    table = np.zeros((len(names), len(names)))
    one, other = place[asked.first], place[asked.second]
    table[one, other] = table[other, one] = asked.probability
    return table
