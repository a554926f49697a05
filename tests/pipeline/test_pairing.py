"""Votes on pairs that earlier results chose: what is promised, and what holds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from calibration import Calibration

import rankbars as rb
from rankbars.render.text import render_text
from rankbars.steps.validity import VALIDITY

MODELS = tuple("abcdef")


def arena(
    rng: np.random.Generator, votes: int = 400, even: float = 0.1, sharp: float = 10.0
) -> rb.Votes:
    """Six equal models; all pairs but a part are the closest by the strengths so far."""
    first, second = np.triu_indices(6, 1)
    wins, strength = np.zeros((6, 6)), np.zeros(6)
    for batch in range(20):
        apart = np.abs(strength[first] - strength[second])
        chance = np.exp(-sharp * apart) if batch else np.ones(15)
        probability = even / 15 + (1 - even) * chance / chance.sum()
        drawn = rng.choice(15, votes // 20, p=probability)
        heads = rng.random(drawn.size) < 0.5
        one, two = first[drawn], second[drawn]
        np.add.at(wins, (np.where(heads, one, two), np.where(heads, two, one)), 1)
        strength = strengths(wins + 0.5 * (1 - np.eye(6)))
    return rb.Votes(MODELS, wins)


def connected(rng: np.random.Generator, **how: float) -> rb.Scores:
    """An arena in which every model won and lost; a few with votes for close pairs are not."""
    while True:
        scores = rb.Scores({"x": arena(rng, **how)})  # type: ignore[arg-type]
        try:
            rb.compare(scores)
        except rb.DataError:
            continue
        return scores


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


def logged(rng: np.random.Generator, even: float = 0.1, votes: int = 400) -> pd.DataFrame:
    """Votes of six equal models with the probability of their pairs, of which `even` are alike."""
    first, second = np.triu_indices(6, 1)
    wins, strength, parts = np.zeros((6, 6)), np.zeros(6), []
    for batch in range(20):
        chance = np.exp(-10 * np.abs(strength[first] - strength[second])) if batch else np.ones(15)
        probability = even / 15 + (1 - even) * chance / chance.sum()
        drawn = rng.choice(15, votes // 20, p=probability)
        heads = rng.random(drawn.size) < 0.5
        one, two = first[drawn], second[drawn]
        np.add.at(wins, (np.where(heads, one, two), np.where(heads, two, one)), 1)
        part = {"model_a": np.array(MODELS)[one], "model_b": np.array(MODELS)[two]}
        part |= {"winner": np.where(heads, "model_a", "model_b")}
        parts.append(pd.DataFrame(part | {"sampling_probability": probability[drawn]}))
        strength = strengths(wins + 0.5 * (1 - np.eye(6)))
    return pd.concat(parts, ignore_index=True)


def adaptive_note(frame: pd.DataFrame) -> str:
    options = rb.VoteOptions(pairing="adaptive")
    compared = rb.compare(rb.Scores.from_frame(frame), votes=options)["votes"]
    return next(note.message for note in compared.notes if note.code == "adaptive-pairs")


def test_votes_are_weighted_by_one_over_the_probability_of_their_pair():
    frame = logged(np.random.default_rng(3))
    by_probability = rb.Scores.from_frame(frame)
    weights = frame.assign(weight=1 / frame.pop("sampling_probability"))
    one, other = (rb.compare(scores)["votes"] for scores in
                  (by_probability, rb.Scores.from_frame(weights)))  # fmt: skip
    np.testing.assert_allclose(one.mean, other.mean, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(one.mean_se, other.mean_se, rtol=1e-9)
    ballots = by_probability.tasks["votes"].ballots
    assert ballots.weight.mean() == pytest.approx(1.0, abs=0.2)


def test_the_note_on_probabilities_says_where_one_vote_weighs_too_much():
    even = logged(np.random.default_rng(3))
    assert "held in 92 to 97 % where the weights" in adaptive_note(even)
    thin = even.copy()
    thin.loc[0, "sampling_probability"] = 1e-4
    assert "Here one vote weighs" in adaptive_note(thin)
    assert "70 to 97 %" in adaptive_note(even.drop(columns="sampling_probability"))


def test_a_probability_is_above_0_and_at_most_1():
    frame = logged(np.random.default_rng(3))
    frame.loc[4, "sampling_probability"] = 1.5
    with pytest.raises(
        rb.DataError, match=r"1\.5 in column 'sampling_probability' is not the prob"
    ):
        rb.Scores.from_frame(frame)


def test_probabilities_keep_the_level_at_any_time_and_nothing_else_does():
    frame = logged(np.random.default_rng(3))
    thin = frame.copy()
    thin.loc[0, "sampling_probability"] = 1e-4
    plain = frame.drop(columns="sampling_probability")
    for given, level in ((frame, 0.95), (thin, None), (plain, None)):
        board = rb.leaderboard(
            rb.Scores.from_frame(given), test="e_strength", correction="e_average",
            votes=rb.VoteOptions(pairing="adaptive"),
        )  # fmt: skip
        assert board.tasks["votes"].guarantee == level
        warned = [note.message for note in board.notes if note.code == "adaptive-pairs"]
        assert bool(warned) == (level is None)
        assert all(text.count("--") == text.count("--test e_process holds") for text in warned)


@pytest.mark.slow
def test_declared_probabilities_repair_most_of_what_adaptive_pairs_break():
    """24 data sets; the plain fit holds in .79 of many, the weighted one in .93."""
    rng, held = np.random.default_rng(5), {"weighted": [], "plain": []}
    for _ in range(24):
        frame = logged(rng)
        plain = frame.drop(columns="sampling_probability")
        for name, votes in (("weighted", frame), ("plain", plain)):
            made = rb.Scores({"x": rb.Scores.from_frame(votes).tasks["votes"]})
            held[name].append(shows_nothing(made, "z", "holm"))
    assert np.mean(held["weighted"]) >= 0.92 - 3 * 0.055
    assert np.mean(held["plain"]) < np.mean(held["weighted"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("votes", "even", "sharp", "share"),
    [(400, 0.1, 10.0, 0.80), (1_500, 0.1, 3.0, 0.93), (400, 0.02, 10.0, 0.70)],
    ids=["strongly", "mildly", "a fiftieth at random"],
)
def test_fits_of_close_pairs_hold_as_rarely_as_the_note_says(
    calibration: Calibration, votes: int, even: float, sharp: float, share: float
) -> None:
    """The least of the 70 to 97 % of the note, and the figures of the page on votes."""
    rng, runs = np.random.default_rng(7), calibration.runs(28, 600)
    drawn = (connected(rng, votes=votes, even=even, sharp=sharp) for _ in range(runs))
    held = sum(shows_nothing(scores, "z", "holm") for scores in drawn)
    calibration.within(held, runs, share, slack=0.03)


@pytest.mark.slow
@pytest.mark.parametrize(("models", "votes"), [(6, 100), (10, 100), (10, 500), (6, 2_000)])
def test_jointly_normal_strengths_hold_as_often_as_the_table_says(
    calibration: Calibration, models: int, votes: int
) -> None:
    rng, runs, held = np.random.default_rng(8), calibration.runs(28, 600), 0
    stated = VALIDITY["z", "votes"]["maxt"].measured_among(models)
    assert stated is not None
    for _ in range(runs):
        one = rng.integers(models, size=votes)
        wins = np.zeros((models, models))
        np.add.at(wins, (one, (one + rng.integers(1, models, size=votes)) % models), 1)
        fit = rb.compare(rb.Scores({"x": rb.Votes(tuple("abcdefghij"[:models]), wins)}))
        made = rb.rank(fit, correction="maxt", scope="all", resamples=999)["x"]
        assert made.measured_level == stated
        held += not made.shown_better.any()
    calibration.within(held, runs, stated, slack=0.01)
