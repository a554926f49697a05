"""Strengths from votes and the tests of their differences."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from calibration import Calibration
from hypothesis import given
from hypothesis import strategies as st
from reference import golden as golden_section
from votefiles import CROWD, draw_rows

import rankbars as rb
from rankbars.data.votes import Ballots, Labels

CASE = golden_section("bradley_terry")
NAMES = ("a", "b", "c", "d")


def golden() -> rb.Scores:
    """The 60 battles of the golden example, ties and clusters included."""
    battles = np.array(CASE["battles_i_j_y_cluster"])
    first, second, cluster = battles[:, [0, 1, 3]].T.astype(int)
    ballots = Ballots(
        first, second, (2 - 2 * battles[:, 2]).astype(int),
        labels={"judge": Labels(cluster, tuple(map(str, range(10))))},
    )  # fmt: skip
    return rb.Scores({"arena": rb.Votes.from_ballots(NAMES, ballots)})


def arena(wins: Any, **tables: Any) -> rb.Scores:
    table = np.asarray(wins, dtype=float)
    return rb.Scores({"arena": rb.Votes(tuple("abcdefghij"[: len(table)]), table, **tables)})


def compare(scores: rb.Scores, test: str = "auto", **options: Any) -> Any:
    return rb.compare(scores, test=test, votes=rb.VoteOptions(**options))["arena"]


@pytest.mark.parametrize(
    ("covariance", "key"),
    [("hessian", "hessian"), ("sandwich", "sandwich"), ("cluster", "cluster"), ("auto", "cluster")],
)
def test_golden_strengths_and_contrasts(covariance: str, key: str) -> None:
    found = compare(golden(), covariance=covariance)
    assert found.mean == pytest.approx(CASE["theta_sum_zero"], abs=1e-7)
    assert found.se == pytest.approx(np.array(CASE[f"se_contrast_{key}"]), abs=1e-7)
    assert float(found.df.max()) == (9 if key == "cluster" else np.inf)
    assert found.rows == 60
    assert found.test == "z"


def test_three_models_by_hand() -> None:
    """Wins 2:1 around a chain of equal pairs: strengths are log 2 apart, as in BradleyTerry2."""
    found = compare(arena([[0, 20, 40], [10, 0, 20], [10, 10, 0]]), covariance="hessian")
    assert found.mean == pytest.approx(np.log(2) * np.array([1, 0, -1]), abs=1e-12)
    # Information: 30 p q per pair, p = 2/3 for neighbours; 50 · .8 · .2 for the ends.
    near, far = 30 * 2 / 9, 50 * 0.16
    information = np.array(
        [[near + far, -near, -far], [-near, 2 * near, -near], [-far, -near, near + far]]
    )
    inverse = np.linalg.pinv(information)
    expected = np.sqrt(inverse[0, 0] + inverse[1, 1] - 2 * inverse[0, 1])
    assert found.se[0, 1] == pytest.approx(expected, rel=1e-9)


def test_bootstrap_agrees_with_the_sandwich() -> None:
    scores = arena([[0, 300, 200], [200, 0, 260], [100, 240, 0]], ties=100.0 * (1 - np.eye(3)))
    one, other = compare(scores), compare(scores, covariance="bootstrap")
    assert other.se[0, 1] == pytest.approx(one.se[0, 1], rel=0.1)
    assert "resamples" in " ".join(other.assumptions)


def test_conventions_for_ties_and_bad_answers() -> None:
    ties, bad = np.array([[0, 4], [4, 0]]), np.array([[0, 6], [6, 0]])
    scores = arena([[0, 6], [2, 0]], ties=ties, both_bad=bad)
    odds = {
        "half": (6 + 5) / (2 + 5), "drop": 3.0, "davidson": 3.0,
    }  # fmt: skip
    for name, expected in odds.items():
        found = compare(scores, ties=name)
        assert np.exp(found.diff[0, 1]) == pytest.approx(expected, rel=1e-9)
        assert found.rows == (8 if name == "drop" else 18)
    without = compare(scores, both_bad="drop")
    assert np.exp(without.diff[0, 1]) == pytest.approx((6 + 2) / (2 + 2), rel=1e-9)
    assert without.rows == 12
    assert "both are bad" in " ".join(without.assumptions)
    rao = compare(scores, ties="rao-kupper")
    assert "threshold" in " ".join(rao.assumptions)


def test_shares_of_votes_vary_as_one_vote() -> None:
    """A vote of 0.8 is one observation, not 0.8 of a win beside 0.2 of a loss."""
    share = np.random.default_rng(3).choice([0.1, 0.8, 0.9], 200)
    rows = [{"model_a": "a", "model_b": "b", "outcome": float(value)} for value in share]
    import pandas as pd

    scores = rb.Scores.from_frame(pd.DataFrame(rows))
    for covariance in ("auto", "sandwich"):
        found = rb.compare(scores, votes=rb.VoteOptions(covariance=covariance))["votes"]
        p = share.mean()
        expected = share.std() / np.sqrt(200) / (p * (1 - p)) * np.sqrt(200 / 199)
        assert found.se[0, 1] == pytest.approx(expected, rel=1e-9)


def test_two_kinds_of_clusters_together() -> None:
    scores = rb.read(CROWD)

    def spread(cluster: str) -> Any:
        votes = rb.VoteOptions(cluster=cluster)
        return rb.compare(scores, votes=votes)["llmfao_crowd"]

    judge, prompt, both = spread("judge"), spread("prompt"), spread("judge+prompt")
    assert (both.se == spread("auto").se).all()
    assert float(both.df.max()) == 12
    # 93 voters; the votes about each model come from fewer of them.
    assert 20 < float(judge.df.min()) < float(judge.df.max()) < 40
    assert both.se.sum() > max(judge.se.sum(), 0.9 * prompt.se.sum())
    assert "clustered-votes" in {note.code for note in both.notes}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cluster": "prompt"}, "they name: judge"),
        ({"cluster": "judge+judge"}, "or by two"),
    ],
)
def test_clusters_that_are_not_there_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(rb.OptionError, match=message):
        compare(golden(), **options)
    with pytest.raises(rb.OptionError, match="no two of them are known to share a prompt"):
        compare(arena([[0, 3], [2, 0]]), **options | {"cluster": "prompt"})


def test_one_vote_a_prompt_is_no_cluster_and_is_said_so() -> None:
    import pandas as pd

    rows = [row | {"prompt": f"p{i}"} for i, row in enumerate(draw_rows(40, (1.0, 0.0)))]
    scores = rb.Scores.from_frame(pd.DataFrame(rows))
    with pytest.raises(rb.OptionError, match=r"share a prompt\. If each vote has its own, there"):
        rb.compare(scores, votes=rb.VoteOptions(cluster="prompt"))
    with pytest.raises(rb.OptionError, match="share a voter, prompt or conversation"):
        rb.compare(scores, votes=rb.VoteOptions(covariance="cluster"))


def test_few_clusters_separate_nobody() -> None:
    rows = draw_rows(400, (3.0, 0.0), ties=0.0, bad=0.0)
    import pandas as pd

    frame = pd.DataFrame([row | {"judge": f"j{i % 4}"} for i, row in enumerate(rows)])
    scores = rb.Scores.from_frame(frame)
    found = rb.compare(scores, votes=rb.VoteOptions(cluster="judge"))["votes"]
    assert rb.rank(found).worst.tolist() == [2, 2]
    assert {"few-clusters", "few-voters"} <= {note.code for note in found.notes}
    # Of its own accord nothing is clustered by four voters, and the board says what that means.
    own = rb.compare(scores)["votes"]
    assert rb.rank(own).worst.tolist() == [1, 2]
    assert "few-voters" in {note.code for note in own.notes}


@pytest.mark.parametrize(
    ("wins", "parts"),
    [
        ([[0, 3, 2], [1, 0, 2], [0, 0, 0]], ["'c' never won or tied", "2 of 3 models"]),
        ([[0, 3, 2], [0, 0, 2], [0, 1, 0]], ["'a' never lost or tied"]),
        (
            [[0, 3, 0, 0], [2, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]],
            ["'c' and 'd' met only each other"],
        ),
        ([[0, 3, 0], [2, 0, 0], [0, 0, 0]], ["'c' met nobody"]),
        (
            [[0, 3, 1, 0], [2, 0, 0, 1], [0, 0, 0, 2], [0, 0, 2, 0]],
            ["'c' and 'd' always lost to the others"],
        ),
    ],
)
@pytest.mark.parametrize("test", ["z"])
def test_models_that_cannot_be_compared_stop_it_by_name(
    test: str, wins: list[list[int]], parts: list[str]
) -> None:
    with pytest.raises(rb.DataError) as caught:
        compare(arena(wins), test)
    for part in (*parts, "Task 'arena'", "--largest-component"):
        assert part in str(caught.value)
    with pytest.raises(rb.DataError):
        compare(arena(wins), test, ridge=1.0)


def test_the_largest_component_goes_on_without_the_others() -> None:
    scores = arena([[0, 30, 20], [20, 0, 20], [0, 0, 0]])
    found = compare(scores, largest_component=True)
    assert np.isnan(found.mean[2])
    assert found.mean[0] == pytest.approx(np.log(1.5) / 2)
    assert [note.models for note in found.notes if note.code == "not-connected"] == [("c",)]
    board = rb.leaderboard(scores, votes=rb.VoteOptions(largest_component=True))
    assert board.models == ("a", "b")
    assert "'c'" in {note.code: note.message for note in board.notes}["not-connected"]


def test_all_ties_and_one_voter_are_noted() -> None:
    tied = compare(arena(np.zeros((3, 3)), ties=5.0 * (1 - np.eye(3))))
    assert "all-ties" in {note.code for note in tied.notes}
    assert rb.rank(tied).best.tolist() == [1, 1, 1]
    assert rb.rank(tied).worst.tolist() == [3, 3, 3]
    ballots = Ballots(
        np.zeros(60, int), np.ones(60, int), np.arange(60) % 3,
        labels={"judge": Labels(np.zeros(60, int), ("only",))},
    )  # fmt: skip
    one = compare(rb.Scores({"arena": rb.Votes.from_ballots(("a", "b"), ballots)}))
    assert "one-voter" in {note.code for note in one.notes}


def test_ridge_is_stated() -> None:
    scores = arena([[0, 30], [10, 0]])
    plain, drawn = compare(scores), compare(scores, ridge=5.0)
    assert drawn.diff[0, 1] < plain.diff[0, 1]
    assert "ridge" in {note.code for note in drawn.notes}


def test_every_correction_and_scope_works_on_strengths() -> None:
    wins = 60 + 8 * np.subtract.outer(np.arange(5), np.arange(5))[::-1, ::-1]
    found = compare(arena(np.where(np.eye(5, dtype=bool), 0, wins)))
    widths = {}
    for correction in ("none", "simes", "holm", "bonferroni", "maxt"):
        for scope in ("each", "all"):
            ranks = rb.rank(found, correction=correction, scope=scope)
            widths[correction, scope] = int(ranks.width.sum())
    assert widths["none", "each"] <= widths["maxt", "each"] <= widths["bonferroni", "each"]
    assert widths["maxt", "all"] <= widths["holm", "all"] <= widths["bonferroni", "all"]


def test_pairs_by_themselves() -> None:
    scores = arena([[0, 9, 5], [1, 0, 5], [5, 5, 0]])
    found = compare(scores, "binomial")
    assert found.p[0, 1] == pytest.approx(11 / 1024)
    assert found.p[1, 0] == pytest.approx(1023 / 1024)
    assert rb.rank(found, alpha=0.1).best.tolist() == [1, 2, 1]
    with pytest.raises(rb.OptionError, match="needs scores per item"):
        compare(scores, "t")
    with pytest.raises(rb.OptionError, match="is for pairwise votes"):
        rb.compare(rb.Scores.from_arrays({"x": [[1.0, 0.0]]}, ["a", "b"]), test="binomial")


def test_pairs_by_themselves_are_not_adjusted_and_say_so() -> None:
    import pandas as pd

    rows = [row | {"length": i % 7 - 3} for i, row in enumerate(draw_rows(200, (0.5, 0.0)))]
    scores = rb.Scores.from_frame(pd.DataFrame(rows), controls="length")
    assert "controls-ignored" in {
        note.code for note in rb.compare(scores, test="binomial")["votes"].notes
    }
    assert "controls-ignored" not in {note.code for note in rb.compare(scores)["votes"].notes}


def test_evidence_at_any_time_needs_no_strengths() -> None:
    scores = arena([[0, 40, 9], [0, 0, 9], [0, 9, 0]])
    found = compare(scores, "e_process")
    ranks = rb.rank(found, correction="e_average")
    assert ranks["a"] == (1, 1)
    assert ranks.guarantee == 0.95
    assert "no-strengths" in {note.code for note in found.notes}
    assert np.isfinite(found.mean).all()
    assert (rb.rank(found, correction="holm").width >= 0).all()
    with pytest.raises(rb.OptionError, match="it averages e-values"):
        rb.rank(compare(golden()), correction="e_average")


@given(seed=st.integers(0, 10**6))
def test_spelling_of_models_and_sides_of_votes_carry_no_information(seed: int) -> None:
    rng = np.random.default_rng(seed)
    wins = rng.integers(1, 40, (4, 4)) * (1 - np.eye(4))
    ties = np.triu(rng.integers(0, 9, (4, 4)), 1)
    votes = rb.Votes(("a", "b", "c", "d"), wins, ties + ties.T)
    order = rng.permutation(4)
    turned = rb.Votes(
        tuple("wxyz"), wins[np.ix_(order, order)], (ties + ties.T)[np.ix_(order, order)]
    )
    one = rb.compare(rb.Scores({"t": votes}))["t"]
    other = rb.compare(rb.Scores({"t": turned}))["t"]
    assert other.mean == pytest.approx(one.mean[order], abs=1e-9)
    assert other.se == pytest.approx(one.se[np.ix_(order, order)], abs=1e-9)
    ranks, again = rb.rank(one), rb.rank(other)
    assert again.best.tolist() == ranks.best[order].tolist()
    assert again.worst.tolist() == ranks.worst[order].tolist()


def draw_about(rng: np.random.Generator, own: np.ndarray, about: np.ndarray, n: int) -> rb.Scores:
    """Votes of voters with their own strengths; on model a, voters are drawn from `about`."""
    voters, size = own.shape
    first = rng.integers(0, size, n)
    second = (first + rng.integers(1, size, n)) % size
    on_a = (first == 0) | (second == 0)
    voter = np.where(on_a, rng.choice(about, n), rng.integers(0, voters, n))
    won = rng.random(n) < 1 / (1 + np.exp(own[voter, second] - own[voter, first]))
    labels = {"judge": Labels(voter, tuple(map(str, range(voters))))}
    ballots = Ballots(first, second, np.where(won, 0, 2), labels=labels)
    return rb.Scores({"arena": rb.Votes.from_ballots(tuple("abcdefgh"[:size]), ballots)})


def test_a_model_that_few_voters_know_is_not_separated() -> None:
    """Its own equation makes the scores of a lone voter zero: the covariance sees no error."""
    rng = np.random.default_rng(0)
    for voters in (1, 4):
        own = rng.normal(0, 0.6, (60, 5))
        own[:, 0] += 3
        found = compare(draw_about(rng, own, np.arange(voters), 1200))
        assert np.isnan(found.se[0, 1:]).all()
        assert np.isfinite(found.se[1:, 1:]).all()
        ranks = rb.rank(found)
        assert (ranks.best[0], ranks.worst[0]) == (1, 5)
        (note,) = [note for note in found.notes if note.code == "few-clusters"]
        assert note.models == ("a",)


@pytest.mark.parametrize("covariance", ["auto", "sandwich", "bootstrap"])
def test_a_model_with_very_few_votes_is_not_separated(covariance: str) -> None:
    """A single tie fits exactly, so that independent votes would show no error for it."""
    wins = np.zeros((4, 4))
    wins[0, 1], wins[1, 0], wins[1, 2], wins[2, 1] = 80, 20, 80, 20
    ties = np.zeros((4, 4))
    ties[1, 3] = ties[3, 1] = 1
    found = compare(arena(wins, ties=ties), covariance=covariance)
    for correction in ("holm", "simes", "maxt"):
        ranks = rb.rank(found, correction=correction)
        assert ranks.best.tolist() == [1, 2, 3, 1]
        assert ranks.worst.tolist() == [2, 3, 4, 4]
    (note,) = [note for note in found.notes if note.code == "few-clusters"]
    assert note.models == (found.models[3],)
    trusting = compare(arena(wins, ties=ties), covariance="hessian")
    assert np.isfinite(trusting.se).all()


def test_nothing_is_said_between_groups_that_one_vote_joins() -> None:
    """The fit meets the only vote between two groups exactly."""
    wins, ties = np.zeros((6, 6)), np.zeros((6, 6))
    for one, other in ((0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)):
        wins[one, other], wins[other, one] = 80, 20
    ties[2, 3] = ties[3, 2] = 1
    found = compare(arena(wins, ties=ties), covariance="sandwich")
    apart = np.ix_([0, 1, 2], [3, 4, 5])
    assert np.isnan(found.se[apart]).all()
    assert (found.p[apart] == 1).all()
    ranks = rb.rank(found)
    assert (ranks.best.tolist(), ranks.worst.tolist()) == ([1, 2, 3] * 2, [4, 5, 6] * 2)
    (note,) = [note for note in found.notes if note.code == "few-votes-between"]
    assert note.models == found.models[3:]
    wins[2, 3] = wins[3, 2] = 5
    assert np.isfinite(compare(arena(wins), covariance="sandwich").se).all()


def test_with_five_voters_errors_are_those_of_five() -> None:
    rng = np.random.default_rng(0)
    found = compare(draw_about(rng, rng.normal(0, 0.6, (60, 5)), np.arange(5), 1500))
    assert (found.df[0, 1:] > 3).all()
    assert (found.df[0, 1:] <= 4).all()
    assert (found.df[1:, 1:][~np.eye(4, dtype=bool)] > 20).all()
    corrections = [rb.rank(found, correction=name) for name in ("holm", "simes", "maxt")]
    assert all((one.best <= one.worst).all() for one in corrections)


@pytest.mark.slow
@pytest.mark.parametrize("voters", [2, 6])
def test_ranks_cover_a_model_that_few_voters_know(calibration: Calibration, voters: int) -> None:
    """All models are equal on average: every claim about one is false."""
    rng = np.random.default_rng(voters)
    missed, runs = 0, calibration.runs(40, 150)
    for _ in range(runs):
        scores = draw_about(rng, rng.normal(0, 0.6, (80, 6)), np.arange(voters), 1500)
        ranks = rb.rank(compare(scores))
        missed += bool(ranks.best[0] > 1 or ranks.worst[0] < 6)
    calibration.at_most(missed, runs, 0.05)


def test_resampled_voters_and_prompts_agree_with_the_covariance() -> None:
    """Two kinds of clusters are resampled each by itself and both at once."""
    scores = rb.read(CROWD)

    def spread(**options: Any) -> Any:
        return rb.compare(scores, resamples=200, votes=rb.VoteOptions(**options))["llmfao_crowd"]

    drawn, known = spread(covariance="bootstrap"), spread()
    upper = np.triu_indices(9, 1)
    assert np.median(drawn.se[upper] / known.se[upper]) == pytest.approx(1.1, abs=0.2)
    assert (drawn.df == known.df).all()
    assert "93 voters and the 13 prompts" in " ".join(drawn.assumptions)


def test_conversations_stand_in_where_prompts_are_too_few() -> None:
    rows = draw_rows(300, (0.5, 0.0, -0.5))
    import pandas as pd

    frame = pd.DataFrame(
        [
            row | {"judge": f"j{i % 20}", "prompt": f"p{i % 3}", "conversation_id": str(i // 2)}
            for i, row in enumerate(rows)
        ]
    )
    found = rb.compare(rb.Scores.from_frame(frame))["votes"]
    assert "20 voters and the 150 clusters" in " ".join(found.assumptions)
    assert "few-prompts" in {note.code for note in found.notes}


def test_pairs_by_themselves_count_one_vote_of_each_voter() -> None:
    voter = np.repeat(np.arange(30), 10)
    ballots = Ballots(
        np.zeros(300, int), np.ones(300, int), np.where(voter < 20, 0, 2),
        labels={"judge": Labels(voter, tuple(map(str, range(30))))},
    )  # fmt: skip
    scores = rb.Scores({"arena": rb.Votes.from_ballots(("a", "b"), ballots)})
    one_each = rb.Scores({"arena": rb.Votes(("a", "b"), [[0, 20], [10, 0]])})
    for test in ("binomial", "e_process"):
        found = compare(scores, test=test)
        assert found.p[0, 1] == compare(one_each, test=test).p[0, 1]
        assert found.guaranteed
        assert found.rows == 30
        assert "repeated-votes" in {note.code for note in found.notes}
        free = compare(scores, test=test, cluster="none")
        assert free.rows == 300
        assert free.p[0, 1] < found.p[0, 1]


@pytest.mark.slow
def test_contrasts_cover_with_ties_and_with_voters(calibration: Calibration) -> None:
    """methods.md 9.2: the sandwich holds with ties, clusters where voters have preferences."""
    strength = np.linspace(-1, 1, 8)
    rng = np.random.default_rng(11)
    covered: dict[str, list[float]] = {"hessian": [], "sandwich": [], "voters": [], "plain": []}

    def cover(scores: rb.Scores, truth: np.ndarray, **options: Any) -> float:
        found = compare(scores, **options)
        upper = np.triu_indices(8, 1)
        error = np.abs(found.diff - np.subtract.outer(truth, truth))[upper]
        return float((error <= 1.959964 * found.se[upper]).mean())

    def draw(own: np.ndarray, voter: np.ndarray, ties: float) -> rb.Scores:
        n = voter.size
        first = rng.integers(0, 8, n)
        second = (first + rng.integers(1, 8, n)) % 8
        eta = own[voter, first] - own[voter, second]
        won = rng.random(n) < 1 / (1 + np.exp(-eta))
        outcome = np.where(rng.random(n) < ties, 1, np.where(won, 0, 2))
        labels = {"judge": Labels(voter, tuple(map(str, range(own.shape[0]))))}
        return rb.Scores(
            {"arena": rb.Votes.from_ballots(
                tuple("abcdefgh"), Ballots(first, second, outcome, labels=labels))}
        )  # fmt: skip

    def truth_of(own: np.ndarray, ties: float) -> np.ndarray:
        """The strengths that fit the expected shares."""
        p = (1 / (1 + np.exp(-(own[:, :, None] - own[:, None, :])))).mean(axis=0)
        share = (1 - ties) * p + ties / 2
        wins = np.where(np.eye(8, dtype=bool), 0, share * 1e6)
        return compare(arena(wins)).mean

    same = np.tile(strength, (150, 1))
    same_truth = truth_of(same[:1], 0.35)
    wide = np.random.default_rng(5).normal(size=(4000, 8)) * 0.6 + strength
    wide_truth = truth_of(wide, 0.0)
    runs = calibration.runs(30, 60)
    for _ in range(runs):
        scores = draw(same, rng.integers(0, 150, 3000), 0.35)
        for name in ("hessian", "sandwich"):
            covered[name].append(cover(scores, same_truth, covariance=name))
        own = rng.normal(size=(150, 8)) * 0.6 + strength
        scores = draw(own, rng.integers(0, 150, 3000), 0.0)
        covered["voters"].append(cover(scores, wide_truth, covariance="cluster"))
        covered["plain"].append(cover(scores, wide_truth, covariance="sandwich"))
    held = {name: sum(values) for name, values in covered.items()}
    calibration.above(held["hessian"], runs, 0.97, of="the model, ties")
    calibration.near(held["sandwich"], runs, 0.95, 0.015, of="the sandwich, ties")
    calibration.near(held["voters"], runs, 0.95, 0.02, of="clusters, voters of their own taste")
    calibration.below(held["plain"], runs, 0.92, of="the sandwich, voters of their own taste")


def test_pairs_weigh_alike_where_it_is_asked_for() -> None:
    """Three models in a circle of unequal counts: weighed alike, no model is ahead."""
    table = np.array([[0, 600, 30], [200, 0, 75], [90, 25, 0]])
    scores = rb.Scores({"arena": rb.Votes(tuple("abc"), table)})
    plain = rb.compare(scores)["arena"]
    even = rb.compare(scores, votes=rb.VoteOptions(reweight="uniform"))["arena"]
    np.testing.assert_allclose(even.mean, 0, atol=1e-9)
    assert plain.mean[0] > plain.mean[1] + 0.3
    assert any("Every pair of models weighs alike" in words for words in even.assumptions)


def test_errors_of_weighed_pairs_are_those_of_drawing_the_votes_again() -> None:
    table = np.array([[0, 400, 50], [400, 0, 60], [50, 60, 0]])
    scores = rb.Scores({"arena": rb.Votes(tuple("abc"), table)})
    even = rb.compare(scores, votes=rb.VoteOptions(reweight="uniform"))["arena"]
    rng = np.random.default_rng(0)
    share = rng.binomial([800, 120, 100], 0.5, (4000, 3)) / [800, 120, 100]
    turns = np.array([[1, -1, 0], [0, 1, -1], [-1, 0, 1]])
    drawn = (share - 0.5) @ turns / (3 * 0.25)  # one step of Newton from equal strengths
    np.testing.assert_allclose(even.mean_se, drawn.std(axis=0), rtol=0.05)


def test_clusters_weigh_pairs_as_the_fit_does() -> None:
    rng = np.random.default_rng(1)
    first, second = np.triu_indices(4, 1)
    pair = rng.choice(6, 3000, p=[0.5, 0.3, 0.1, 0.05, 0.03, 0.02])
    labels = {"judge": Labels(np.arange(3000), tuple(map(str, range(3000))))}
    ballots = Ballots(first[pair], second[pair], 2 * rng.integers(0, 2, 3000))
    options = rb.VoteOptions(reweight="uniform")
    alone = rb.compare(
        rb.Scores({"x": rb.Votes.from_ballots(tuple("abcd"), ballots)}), votes=options
    )["x"]
    named = replace(ballots, labels=labels)
    scores = rb.Scores({"x": rb.Votes.from_ballots(tuple("abcd"), named)})
    options = rb.VoteOptions(reweight="uniform", cluster="judge")
    clustered = rb.compare(scores, votes=options)["x"]
    np.testing.assert_allclose(clustered.mean, alone.mean, atol=1e-9)
    np.testing.assert_allclose(clustered.mean_se, alone.mean_se, rtol=1e-3)


def test_weights_of_pairs_do_not_go_with_what_takes_votes_as_they_come() -> None:
    with pytest.raises(rb.OptionError, match="takes every vote as it is"):
        rb.VoteOptions(reweight="uniform", covariance="hessian")
    scores = rb.Scores({"arena": rb.Votes(("a", "b"), [[0, 60], [50, 0]])})
    with pytest.raises(rb.OptionError, match="weighs earlier ones by later"):
        rb.compare(scores, test="e_strength", votes=rb.VoteOptions(reweight="uniform"))
