"""What votes are adjusted for: effects with their intervals, on the board and in its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from calibration import Calibration
from scipy.stats import t

import rankbars as rb

STRENGTH = np.array([0.8, 0.2, -0.1, -0.9])
EFFECT = np.array([0.4, 0.25])


def draw(seed: int, n: int = 400, voters: int = 30, swing: float = 0.3) -> pd.DataFrame:
    """Votes swayed by the length and by the side, each voter in an own measure."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 4, n)
    second = (first + rng.integers(1, 4, n)) % 4
    length, voter = rng.normal(size=(2, n)), rng.integers(0, voters, n)
    sway = EFFECT[0] + rng.normal(0, swing, voters)[voter]
    eta = STRENGTH[first] - STRENGTH[second] + sway * (length[0] - length[1]) + EFFECT[1]
    u = rng.random(n)
    won = np.where(u < 1 / (1 + np.exp(-eta)), "model_a", "model_b")
    names = np.array(list("abcd"))
    return pd.DataFrame({
        "model_a": names[first], "model_b": names[second],
        "winner": np.where(rng.random(n) < 0.1, "tie", won), "judge": [f"v{k}" for k in voter],
        "length_a": length[0], "length_b": length[1], "position": "model_a",
    })  # fmt: skip


def effects_of(frame: pd.DataFrame, alpha: float = 0.05, **options: str) -> rb.TaskResult:
    scores = rb.Scores.from_frame(frame, controls=["length", "position"])
    board = rb.leaderboard(scores, alpha=alpha, votes=rb.VoteOptions(**options))
    return board.tasks["votes"]


@pytest.mark.parametrize(("covariance", "tail"), [("cluster", 29), ("sandwich", np.inf)])
def test_effects_and_intervals_are_those_of_statsmodels(covariance: str, tail: float) -> None:
    frame = draw(3)
    place = {name: k for k, name in enumerate("abcd")}
    design = np.zeros((len(frame), 4))
    design[np.arange(len(frame)), frame["model_a"].map(place)] = 1
    design[np.arange(len(frame)), frame["model_b"].map(place)] = -1
    won = frame["winner"].map({"model_a": 1.0, "tie": 0.5, "model_b": 0.0})
    columns = [design[:, 1:], frame["length_a"] - frame["length_b"], np.ones(len(frame))]
    model = sm.GLM(won, np.column_stack(columns), family=sm.families.Binomial())
    voters = frame["judge"].factorize()[0]
    robust = {"cov_type": "HC0"}
    if covariance == "cluster":
        keywords = {"groups": voters, "use_correction": False}
        robust = {"cov_type": "cluster", "cov_kwds": keywords}
    reference = model.fit(tol=1e-12, tol_criterion="params", **robust)
    error = reference.bse[3:] * (np.sqrt(30 / 29) if covariance == "cluster" else 1)

    effects = effects_of(frame, alpha=0.1, covariance=covariance).effects
    assert effects is not None
    order = [effects.names.index(name) for name in ("length", "position")]
    np.testing.assert_allclose(effects.value[order], reference.params[3:], rtol=1e-8)
    np.testing.assert_allclose(effects.se[order], error, rtol=1e-7)
    half = t.isf(0.05, tail) * error
    low, high = effects.interval
    np.testing.assert_allclose(low[order], reference.params[3:] - half, rtol=1e-6)
    np.testing.assert_allclose(high[order], reference.params[3:] + half, rtol=1e-6)
    difference = frame["length_a"] - frame["length_b"]
    np.testing.assert_allclose(effects.spread[order], [np.sqrt((difference**2).mean()), 1])


def test_effects_are_in_the_board_file_and_in_its_words(tmp_path: Path) -> None:
    scores = rb.Scores.from_frame(draw(3), controls=["length", "position"])
    board = rb.leaderboard(scores)
    board.save(tmp_path / "board.json")
    again = rb.load(tmp_path / "board.json")
    one, other = board.tasks["votes"].effects, again.tasks["votes"].effects
    assert one is not None
    assert other is not None
    assert one.names == other.names
    np.testing.assert_array_equal(one.interval, other.interval)
    text = " ".join(board.to_text().split())
    at = one.names.index("length")
    factor, spread = np.exp(one.value[at] * one.spread[at]), one.spread[at]
    assert f"{spread:.3g} more of length, a usual difference, multiply the odds" in text
    assert f"of a win by {factor:.3g} (95 %" in text
    assert "being shown first multiplies the odds of a win by" in text


def test_effects_without_enough_voters_have_no_interval() -> None:
    effects = effects_of(draw(3, voters=3), cluster="judge").effects
    assert effects is not None
    assert np.isnan(effects.interval).all()


def test_resampled_votes_have_the_effects_and_errors_of_the_formula() -> None:
    frame = draw(3)
    drawn, known = (effects_of(frame, covariance=name).effects for name in ("bootstrap", "auto"))
    assert drawn is not None
    assert known is not None
    np.testing.assert_array_equal(drawn.se, known.se)


def test_one_file_with_two_arenas_is_told_how_to_rank_them_apart() -> None:
    rows = [("a", "b"), ("b", "a"), ("x", "y"), ("y", "x")]
    frame = pd.DataFrame(rows, columns=["winner", "loser"])
    with pytest.raises(rb.DataError, match=r"--arena-per-file .* --column task=NAME"):
        rb.leaderboard(rb.Scores.from_frame(frame))


@pytest.mark.slow
def test_intervals_of_effects_cover(calibration: Calibration) -> None:
    """Voters are swayed in different measure; what is covered is the fit of endless votes."""

    def fitted(frame: pd.DataFrame, covariance: str) -> Any:
        scores = rb.Scores.from_frame(frame, controls=["length", "position"])
        votes = rb.VoteOptions(covariance=covariance)
        return rb.compare(scores, votes=votes)["votes"].effects

    many = calibration.runs(20_000, 100_000)
    for swing, covariance in ((0.0, "sandwich"), (0.8, "cluster")):
        endless = fitted(draw(10**6, n=many, voters=many // 10, swing=swing), "sandwich")
        held, runs = np.zeros(2), calibration.runs(10, 1000)
        for seed in range(runs):
            low, high = fitted(draw(seed, n=1000, voters=60, swing=swing), covariance).interval
            held += (low <= endless.value) & (endless.value <= high)
        for name, number in zip(endless.names, held, strict=True):
            calibration.at_least(number, runs, 0.95, of=f"{name}, {covariance}")


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"tone": 1.0, "twice": 2.0}, "The control 'twice' follows from the models"),
        ({"none": 0.0}, "The control 'none' is zero on every vote"),
    ],
)
def test_a_control_that_cannot_be_told_is_named(columns: dict[str, float], words: str) -> None:
    frame = draw(1)
    frame = frame.assign(**{name: by * frame["length_a"] for name, by in columns.items()})
    scores = rb.Scores.from_frame(frame, controls=list(columns))
    with pytest.raises(rb.DataError, match=words):
        rb.leaderboard(scores)
