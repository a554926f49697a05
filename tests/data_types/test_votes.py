"""What votes may hold, and how they are cut and merged."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import rankbars as rb
from rankbars.data.mergedvotes import merge_votes
from rankbars.data.votes import Ballots, Labels

WINS = np.array([[0.0, 3.0, 1.0], [1.0, 0.0, 2.0], [0.0, 2.0, 0.0]])
TIES = np.array([[0.0, 2.0, 0.0], [2.0, 0.0, 1.0], [0.0, 1.0, 0.0]])


def some_ballots() -> Ballots:
    return Ballots(
        np.array([0, 1, 2, 0]),
        np.array([1, 0, 1, 2]),
        np.array([0, 1, 2, 3]),
        labels={"judge": Labels(np.array([0, 1, 0, -1]), ("x", "y"))},
        position=np.array([1, 1, -1, 0]),
    )


def test_tables_are_copied_and_locked() -> None:
    votes = rb.Votes(("a", "b", "c"), WINS, TIES)
    with pytest.raises(ValueError, match="read-only"):
        votes.wins[0, 1] = 9
    assert votes.n == 12
    assert votes.kind == "votes"


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"wins": -WINS}, "finite counts"),
        ({"wins": WINS + np.eye(3)}, "'a' against itself"),
        ({"wins": WINS, "ties": WINS}, "must be symmetric"),
        ({"wins": WINS[:2, :2]}, "shape"),
        ({"wins": np.where(WINS > 2, np.inf, WINS)}, "finite counts"),
    ],
)
def test_tables_that_are_no_votes_are_refused(tables: dict[str, Any], message: str) -> None:
    with pytest.raises(rb.DataError, match=message):
        rb.Votes(("a", "b", "c"), **tables)


def test_single_votes_are_counted() -> None:
    votes = rb.Votes.from_ballots(("a", "b", "c"), some_ballots())
    assert votes.wins.tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    assert votes.ties is not None
    assert votes.both_bad is not None
    assert votes.ties[0, 1] == votes.ties[1, 0] == 1
    assert votes.both_bad[0, 2] == 1
    assert votes.n == 4
    assert votes.met.sum() == 8


def test_weights_count_in_tables_and_not_in_the_number_of_votes() -> None:
    ballots = Ballots(
        np.array([0, 0]), np.array([1, 1]), np.array([0, 2]),
        weight=np.array([2.5, 0.5]), squared=np.array([6.25, 0.25]),
    )  # fmt: skip
    votes = rb.Votes.from_ballots(("a", "b"), ballots)
    assert votes.wins.tolist() == [[0, 2.5], [0.5, 0]]
    assert votes.n == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"second": np.array([0, 0, 1, 2])}, "with itself"),
        ({"outcome": np.array([0, 1, 2, 4])}, "Outcomes must be"),
        ({"weight": np.ones(4)}, "together"),
        ({"weight": np.zeros(4), "squared": np.ones(4)}, "above 0"),
        ({"labels": {"mood": Labels(np.zeros(4, int), ("x",))}}, "must name one of"),
        ({"covariates": np.full((4, 1), np.nan), "covariate_names": ("x",)}, "finite"),
    ],
)
def test_single_votes_are_checked(change: dict[str, Any], message: str) -> None:
    given = {"first": np.array([0, 1, 2, 0]), "second": np.array([1, 0, 1, 2]),
             "outcome": np.array([0, 1, 2, 3])}  # fmt: skip
    with pytest.raises(rb.DataError, match=message):
        Ballots(**(given | change))


def test_a_vote_for_somebody_unknown_is_refused() -> None:
    with pytest.raises(rb.DataError, match="not among the models"):
        rb.Votes(("a", "b"), np.zeros((2, 2)), ballots=some_ballots())


def test_taking_models_keeps_the_votes_between_them() -> None:
    votes = rb.Votes.from_ballots(("a", "b", "c"), some_ballots()).take(np.array([1, 0]))
    assert votes.models == ("b", "a")
    assert votes.ballots is not None
    assert votes.ballots.first.tolist() == [1, 0]
    assert votes.ballots.labels["judge"].codes.tolist() == [0, 1]
    assert votes.wins.tolist() == [[0, 0], [1, 0]]


def test_votes_survive_pickling() -> None:
    votes = rb.Votes.from_ballots(("a", "b", "c"), some_ballots())
    again = pickle.loads(pickle.dumps(votes))
    assert again.ballots.labels["judge"].names == ("x", "y")
    assert np.array_equal(again.wins, votes.wins)


def test_merging_adds_counts_and_joins_names() -> None:
    one = rb.Votes.from_ballots(("a", "b", "c"), some_ballots())
    other = rb.Votes.from_ballots(("b", "c", "d"), some_ballots())
    merged = merge_votes([one, other])
    assert merged.models == ("a", "b", "c", "d")
    assert merged.n == 8
    assert merged.ballots is not None
    assert merged.ballots.labels["judge"].codes.tolist() == [0, 1, 0, -1, 0, 1, 0, -1]
    counted = merge_votes([one, rb.Votes(other.models, other.wins, other.ties, other.both_bad)])
    assert np.array_equal(counted.wins, merged.wins)
    assert counted.ballots is None


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"ties": "quarter"}, rb.UnknownOptionError),
        ({"both_bad": "half"}, rb.UnknownOptionError),
        ({"covariance": "robust"}, rb.UnknownOptionError),
        ({"ridge": -1.0}, rb.OptionError),
        ({"elo": "high"}, rb.OptionError),
        ({"elo": "=1000"}, rb.OptionError),
        ({"cluster": "judge", "covariance": "hessian"}, rb.OptionError),
        ({"cluster": "none", "covariance": "cluster"}, rb.OptionError),
    ],
)
def test_choices_are_checked(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        rb.VoteOptions(**options)


def test_choices_are_part_of_the_spec_and_of_its_file() -> None:
    spec = rb.Spec(votes=rb.VoteOptions(ties="davidson", elo="a=b=1200"))
    assert rb.Spec.from_dict(spec.to_dict()) == spec
    assert spec.votes.anchor is not None
    assert spec.votes.anchor.model == "a=b"
    older = {name: value for name, value in spec.to_dict().items() if name != "votes"}
    assert rb.Spec.from_dict(older).votes == rb.VoteOptions()


def test_counts_merged_with_weighted_votes_stay_what_they_are() -> None:
    weighted = rb.Votes.from_ballots(
        ("a", "b"), Ballots([0, 1], [1, 0], [0, 1], None, [0.5, 2.0], [0.25, 4.0])
    )
    counted = rb.Votes(
        ("b", "c"), [[0, 3], [1, 0]], ties=[[0, 2], [2, 0]], both_bad=[[0, 1], [1, 0]]
    )
    both = merge_votes([weighted, counted])
    assert both.models == ("a", "b", "c")
    assert both.wins.tolist() == [[0, 0.5, 0], [0, 0, 3], [0, 1, 0]]
    assert both.ties is not None
    assert both.ties[0, 1] == both.ties[1, 2] == 2
    assert both.n == 9
    assert both.ballots is not None
    assert sorted(both.ballots.squares.tolist()) == [0.25, 1, 1, 2, 3, 4]
