"""What draws say of ranks on the only task of a board."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

import rankbars as rb
from rankbars.data.boardfile import board_to_dict
from rankbars.data.boardreading import board_from_dict

MEAN, SE = [0.50, 0.52, 0.60, 0.61, 0.61], [0.02, 0.02, 0.02, 0.03, 0.01]


def estimates(mean=MEAN, se=SE, **options):
    names = tuple("abcdefgh"[: len(mean)])
    return rb.leaderboard(rb.Scores({"x": rb.Estimates(names, mean, se=se)}), **options)


def votes():
    rng = np.random.default_rng(5)
    wins = np.array(
        [[rng.binomial(60, 1 / (1 + np.exp(j - i))) for j in range(4)] for i in range(4)]
    )
    wins = np.triu(wins, 1) + np.tril(60 - wins.T, -1)
    return rb.Scores({"arena": rb.Votes(tuple("abcd"), wins)})


def voted():
    return rb.leaderboard(votes())


def answered():
    rows = np.random.default_rng(2).random((150, 4)) < [0.5, 0.55, 0.6, 0.75]
    return rb.leaderboard(rb.Scores.from_arrays({"x": rows}, list("abcd")))


def test_of_two_models_the_probabilities_are_the_normal_tail():
    shares = estimates([0.5, 0.53], [0.02, 0.03]).rank_shares()
    ahead = stats.norm.sf(0, 0.03, np.hypot(0.02, 0.03))
    assert shares.dominance[1, 0] == pytest.approx(ahead, rel=1e-12)
    assert shares.probability[1, 0] == pytest.approx(ahead, abs=0.015)


def test_probabilities_of_ranks_are_those_of_plain_draws():
    made = np.random.default_rng(9).normal(MEAN, SE, size=(40_000, 5))
    ranks = 1 + (made[:, None, :] > made[:, :, None]).sum(axis=2)
    counted = [[(ranks[:, i] == r).mean() for r in range(1, 6)] for i in range(5)]
    shares = estimates().rank_shares()
    np.testing.assert_allclose(shares.probability, counted, atol=0.02)
    np.testing.assert_allclose(
        shares.top_probability(2), np.sum(counted, axis=1, where=[1, 1, 0, 0, 0]), atol=0.02
    )
    low, high = np.quantile(ranks, [0.025, 0.975], axis=0, method="inverted_cdf")
    assert np.abs(np.array(shares.band()) - [low, high]).max() <= 1


@pytest.mark.parametrize("made", [estimates, voted, answered])
def test_mean_ranks_follow_from_the_probabilities_of_pairs(made):
    """The mean rank is 1 plus the expected number of better models: two ways to the same number."""
    shares = made().rank_shares()
    np.testing.assert_allclose(shares.probability.sum(axis=0), 1.0)
    np.testing.assert_allclose(shares.probability.sum(axis=1), 1.0)
    np.testing.assert_allclose(shares.expected_rank, 1 + shares.dominance.sum(axis=0), atol=0.06)


def test_pairs_are_marked_as_the_two_corrections_do_by_hand():
    shares = estimates().rank_shares()
    p, first, second = [], *np.triu_indices(5, 1)
    for i, j in zip(first, second, strict=True):
        p.append(2 * stats.norm.sf(abs(MEAN[i] - MEAN[j]) / np.hypot(SE[i], SE[j])))
    bh = stats.false_discovery_control(p) <= 0.05
    for name, chosen in (("bonferroni", np.array(p) <= 0.05 / 10), ("bh", bh)):
        stated = shares.state_pairs(name).stated
        assert (stated | stated.T)[first, second].tolist() == chosen.tolist()
        assert not (stated & stated.T).any()


def test_the_rule_of_one_half_may_name_fewer_than_k():
    shares = estimates([0.5, 0.5, 0.5, 0.9], [0.1, 0.1, 0.1, 0.01]).rank_shares()
    assert shares.top(2, exactly=False) == ("d",)  # the others reach two with 1/3 each
    assert len(shares.top(2)) == 2


def test_shares_that_say_more_than_the_ranks_do_not_stand_beside_them():
    # Seven equal models, and one 2.8 standard errors ahead of each: not enough for 28 pairs.
    board = estimates([0.5] * 7 + [0.5 + 0.02 * np.sqrt(2) * 2.8], [0.02] * 8)
    task, shares = board.tasks["x"], board.rank_shares()
    assert (task.best[7], task.worst[7]) != (1, 1)
    assert shares.probability[7, 0] > 0.95
    assert task.draws_agree is shares.agrees is False
    assert task.top_share(1) is None
    assert estimates([0.5, 0.51, 0.52], [0.1] * 3).tasks["x"].draws_agree


def test_shares_survive_the_board_file_and_are_left_out_where_errors_are_not_known():
    board = voted()
    again = board_from_dict(json.loads(json.dumps(board_to_dict(board))))
    np.testing.assert_array_equal(again.rank_shares().probability, board.rank_shares().probability)
    np.testing.assert_array_equal(again.rank_shares().dominance, board.rank_shares().dominance)
    bare = rb.leaderboard(rb.Scores({"x": rb.Estimates(("a", "b"), [0.1, 0.2])}))
    assert "rank_probability" not in board_to_dict(bare)["tasks"][0]
    with pytest.raises(rb.DataError, match="errors of its scores are not known"):
        bare.rank_shares()


def test_models_with_equal_rows_share_their_ranks_evenly():
    one = np.random.default_rng(0).random(40)
    rows = np.column_stack([one, one, one + 0.3 * np.random.default_rng(1).random(40) - 0.1])
    shares = rb.leaderboard(rb.Scores.from_arrays({"x": rows}, list("abc"))).rank_shares()
    np.testing.assert_array_equal(shares.probability[0], shares.probability[1])
    assert shares.dominance[0, 1] == shares.dominance[1, 0] == 0.0


def test_a_band_of_scores_with_errors_is_drawn_and_promises_nothing():
    scores = rb.Scores({"x": rb.Estimates(tuple("abcde"), MEAN, se=SE)})
    found = rb.rank(rb.compare(scores)["x"], correction="bootstrap_band", resamples=4000)
    assert found.guarantee is None
    assert [note.code for note in found.notes if note.code == "band"] == ["band"]
    drawn = rb.Draws.normal(list("abcde"), MEAN, np.diag(np.square(SE))).rank_band()
    assert np.abs(np.array([found.best, found.worst]) - drawn).max() <= 1
    bare = rb.Scores({"x": rb.Estimates(("a", "b"), [0.1, 0.2])})
    with pytest.raises(rb.OptionError, match="some have none"):
        rb.rank(rb.compare(bare)["x"], correction="bootstrap_band")


def test_a_band_of_votes_follows_the_covariance_of_strengths():
    found = rb.rank(rb.compare(votes())["arena"], correction="bootstrap_band", resamples=4000)
    band = rb.leaderboard(votes()).rank_shares().band()
    assert np.abs(np.array([found.best, found.worst]) - band).max() <= 1
