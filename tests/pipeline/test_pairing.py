"""Votes on pairs that earlier results chose: what is promised, and what holds."""

from __future__ import annotations

import numpy as np
import pytest

import rankbars as rb
from rankbars.render.text import render_text

MODELS = tuple("abcdef")


def arena(rng: np.random.Generator, votes: int = 400, batches: int = 20) -> rb.Votes:
    """Six equal models; nine tenths of all pairs are the closest by the strengths so far."""
    first, second = np.triu_indices(6, 1)
    wins, strength = np.zeros((6, 6)), np.zeros(6)
    for batch in range(batches):
        chance = np.exp(-10 * np.abs(strength[first] - strength[second])) if batch else np.ones(15)
        drawn = rng.choice(15, votes // batches, p=0.1 / 15 + 0.9 * chance / chance.sum())
        heads = rng.random(drawn.size) < 0.5
        one, two = first[drawn], second[drawn]
        np.add.at(wins, (np.where(heads, one, two), np.where(heads, two, one)), 1)
        strength = strengths(wins + 0.5 * (1 - np.eye(6)))
    return rb.Votes(MODELS, wins)


def strengths(wins: np.ndarray) -> np.ndarray:
    """Log strengths by the algorithm of Zermelo."""
    met, odds = wins + wins.T, np.ones(6)
    for _ in range(30):
        odds = wins.sum(axis=1) / (met / (odds[:, None] + odds)).sum(axis=1)
    return np.log(odds / odds.mean())


def shows_nothing(scores: rb.Scores, test: str, correction: str) -> bool:
    compared = rb.compare(scores, test=test, votes=rb.VoteOptions(pairing="adaptive"))
    return not rb.rank(compared, correction=correction, scope="all")["x"].shown_better.any()


def test_the_fit_fails_where_close_pairs_are_preferred_and_the_e_process_holds():
    """60 data sets of 400 votes; a share near .8 has an error of .05, one near .95 of .03."""
    rng = np.random.default_rng(1)
    made = [rb.Scores({"x": arena(rng)}) for _ in range(60)]
    assert np.mean([shows_nothing(one, "z", "holm") for one in made]) < 0.87
    assert np.mean([shows_nothing(one, "e_process", "e_average") for one in made]) >= 0.95


@pytest.mark.parametrize("test", ["z", "binomial"])
def test_adaptive_pairs_have_no_level(test):
    scores = rb.Scores({"x": arena(np.random.default_rng(0))})
    board = rb.leaderboard(scores, test=test, votes=rb.VoteOptions(pairing="adaptive"))
    assert board.tasks["x"].approximate
    assert board.tasks["x"].guarantee is None
    assert board.leader is None
    assert any(
        note.code == "adaptive-pairs" and "--anytime" in note.message for note in board.notes
    )
    text = render_text(board)
    assert "Approximate: earlier results chose which models met" in " ".join(text.split())
    assert "95 % confidence" not in text


def test_adaptive_pairs_keep_the_level_at_any_time():
    scores = rb.Scores({"x": arena(np.random.default_rng(0))})
    options = rb.VoteOptions(pairing="adaptive")
    board = rb.leaderboard(scores, test="e_process", correction="e_average", votes=options)
    assert board.tasks["x"].guarantee == 0.95


@pytest.mark.parametrize("pairing", ["unknown", "uniform", "fixed"])
def test_the_assumption_stands_where_nobody_says_it(pairing):
    scores = rb.Scores({"x": arena(np.random.default_rng(0))})
    board = rb.leaderboard(scores, votes=rb.VoteOptions(pairing=pairing))
    stated = "Pairs were not chosen by earlier results." in board.tasks["x"].assumptions
    assert stated == (pairing == "unknown")
    assert board.tasks["x"].guarantee == 0.95


def test_other_words_are_refused():
    with pytest.raises(rb.UnknownOptionError, match="pairing of models"):
        rb.VoteOptions(pairing="random")
