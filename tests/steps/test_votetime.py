"""Strengths over time: separate fits on one scale, and tests of changes that share voters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from calibration import Calibration
from storefiles import add, inside

import rankbars as rb
from rankbars.cli.app import run
from rankbars.data.spec import VoteOptions
from rankbars.data.votes import Ballots, Labels, Votes
from rankbars.steps.testrows import Setting
from rankbars.steps.votes.voteparts import follow_strengths

NAMES = np.array(list("abcde"))
VOTERS = tuple(map(str, range(60)))
STRENGTH = np.array([0.8, 0.4, 0.0, -0.4, -0.8])


def draw(n: int = 1500, *, drift: float = 0.0, taste: float = 0.0, seed: int = 3) -> pd.DataFrame:
    """Votes of four weeks by 60 voters; the second model changes after two of them."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 5, n)
    second = (first + rng.integers(1, 5, n)) % 5
    voter = rng.integers(0, 60, n)
    day = np.sort(rng.integers(0, 28, n))
    liked = rng.normal(0, taste, (60, 5)) + STRENGTH
    eta = liked[voter, first] - liked[voter, second]
    eta += drift * (day >= 14) * ((first == 1) * 1.0 - (second == 1))
    return pd.DataFrame({
        "model_a": NAMES[first], "model_b": NAMES[second], "judge": [f"v{k}" for k in voter],
        "winner": np.where(rng.random(n) < 1 / (1 + np.exp(-eta)), "model_a", "model_b"),
        "time": (pd.Timestamp("2025-03-03") + pd.to_timedelta(day, unit="D")).astype(str),
    })  # fmt: skip


def columns_of(frame: pd.DataFrame) -> np.ndarray:
    """One column per model, its mean over models taken out."""
    first, second = (
        np.searchsorted(NAMES, frame[name].to_numpy(str)) for name in ("model_a", "model_b")
    )
    return np.eye(5)[first] - np.eye(5)[second]


def test_change_is_that_of_one_logistic_regression_on_both_parts() -> None:
    frame = draw(taste=0.7)
    found = rb.leaderboard(rb.Scores.from_frame(frame, over_time="2025-03-17")).over_time
    assert found is not None
    assert [one.name for one in found.periods] == ["before 2025-03-17", "since 2025-03-17"]
    assert found.clusters == ("judge",)
    late = (frame["time"] >= "2025-03-17").to_numpy()
    base = columns_of(frame)[:, :4]
    fit = sm.Logit(
        (frame["winner"] == "model_a").astype(float).to_numpy(),
        np.hstack([base * ~late[:, None], base * late[:, None]]),
    ).fit(disp=0, cov_type="cluster", cov_kwds={"groups": pd.factorize(frame["judge"])[0],
                                                "use_correction": False})  # fmt: skip
    lead = np.vstack([np.eye(4), np.zeros(4)]) - np.full((5, 4), 0.2)
    lead = np.hstack([-lead, lead])
    value, variance = lead @ fit.params, np.diag(lead @ fit.cov_params() @ lead.T)
    design = np.hstack([base * ~late[:, None], base * late[:, None]])
    voter = pd.factorize(frame["judge"])[0]
    score = pd.DataFrame(fit.resid_response[:, None] * design).groupby(voter).sum().to_numpy()
    u = score @ np.linalg.inv(-fit.model.hessian(fit.params)) @ lead.T
    freedom = 3 / np.mean((u**4).sum(axis=0) / (u**2).sum(axis=0) ** 2) - 2
    assert 40 < freedom < 59
    hidden = np.ones(5)
    for part in (late, ~late):
        load = pd.DataFrame(np.abs(columns_of(frame))[part]).groupby(voter[part]).sum()
        share = load.to_numpy() / load.to_numpy().sum(axis=0)
        squared = (share**2).sum(axis=0)
        seen = (share**2 * (1 - 2 * share + squared)).sum(axis=0)
        hidden = np.maximum(hidden, squared / seen)
    ours = {one.model: one for one in found.changes}
    for k, name in enumerate(NAMES):
        assert ours[name].value == pytest.approx(value[k], abs=1e-8)
        # All voters are in both parts; G / (G - 1) is the library's, and where a voter has more
        # votes than others, m / (m - 1) for such shares.
        assert ours[name].se == pytest.approx(
            np.sqrt(variance[k] * max(60 / 59, hidden[k])), rel=1e-6
        )
        assert ours[name].df == pytest.approx(freedom, rel=1e-6)


def test_strengths_of_a_week_are_those_of_its_votes_alone() -> None:
    frame = draw()
    frame = frame[~((frame["model_a"] == "e") | (frame["model_b"] == "e"))
                  | (frame["time"] >= "2025-03-17")]  # fmt: skip
    board = rb.leaderboard(rb.Scores.from_frame(frame.sample(frac=1, random_state=1),
                                                over_time="week"))  # fmt: skip
    found = board.over_time
    assert found is not None
    assert found.anchors == ("a", "b", "c", "d")
    assert found.arrivals == {"e": "2025-03-17"}
    assert found.since == "2025-03-17"
    starts = ["2025-03-03", "2025-03-10", "2025-03-17", "2025-03-24"]
    assert [one.name for one in found.periods] == starts
    for one, end in zip(found.periods, [*starts[1:], "2026"], strict=True):
        own = frame[(frame["time"] >= one.name) & (frame["time"] < end)]
        alone = rb.leaderboard(rb.Scores.from_frame(own))
        (task,) = alone.tasks.values()
        assert one.votes == len(own)
        places = [found.models.index(model) for model in alone.models]
        np.testing.assert_allclose(
            one.strength[places], task.mean - task.mean[:4].mean(), atol=1e-9
        )
    assert np.isnan(found.periods[0].strength[4])


@pytest.mark.parametrize(("drift", "least", "most"), [(0.0, 0, 8), (0.6, 32, 40)])
def test_changes_are_found_and_none_are_invented(drift: float, least: int, most: int) -> None:
    # At most 2 of 40 are expected without a change; 9 and more have a chance below 1e-3. With one,
    # 0.48 beside the others is 4 standard errors.
    hits = 0
    for seed in range(40):
        frame = draw(3000, drift=drift, taste=0.3, seed=seed)
        at = [np.searchsorted(NAMES, frame[name].to_numpy(str)) for name in ("model_a", "model_b")]
        votes = Votes.from_ballots(
            tuple(NAMES.tolist()),
            Ballots(
                at[0], at[1], np.where(frame["winner"] == "model_a", 0, 2),
                labels={"judge": Labels(pd.factorize(frame["judge"])[0], VOTERS)},
                categories=1 << (frame["time"] >= "2025-03-17").to_numpy(np.int64),
                category_names=("time: before 2025-03-17", "time: since 2025-03-17"),
            ),
        )  # fmt: skip
        found = follow_strengths(votes, VoteOptions(), Setting(), 0.05)
        assert found is not None
        changed = [one.model for one in found.changed]
        hits += "b" in changed if drift else bool(changed)
    assert least <= hits <= most


def changed_in(
    rng: np.random.Generator, *, votes: int = 2400, busy: np.ndarray | None, drift: float = 0.0
) -> tuple[bool, bool]:
    """Whether the second of eight models is called changed, and whether another one is.

    Voters have tastes of their own and vote all along; without any, votes are independent.
    """
    voters = 0 if busy is None else len(busy)
    names = tuple("abcdefgh")
    first = rng.integers(0, 8, votes)
    second = (first + rng.integers(1, 8, votes)) % 8
    late = np.arange(votes) >= votes // 2
    lead = np.linspace(0.7, -0.7, 8)[first] - np.linspace(0.7, -0.7, 8)[second]
    labels = {}
    if busy is not None:
        voter = rng.choice(voters, votes, p=busy / busy.sum())
        taste = rng.normal(size=(voters, 8))
        lead += taste[voter, first] - taste[voter, second]
        labels = {"judge": Labels(voter, tuple(map(str, range(voters))))}
    lead += drift * late * ((first == 1) * 1.0 - (second == 1))
    found = follow_strengths(
        Votes.from_ballots(
            names,
            Ballots(
                first, second, np.where(rng.random(votes) < 1 / (1 + np.exp(-lead)), 0, 2),
                labels=labels,
                categories=1 << late.astype(np.int64),
                category_names=("time: before 2025-03-17", "time: since 2025-03-17"),
            ),
        ),
        VoteOptions(), Setting(), 0.05,
    )  # fmt: skip
    assert found is not None
    changed = {one.model for one in found.changed}
    return "b" in changed, bool(changed - {"b"})


UNEVEN = np.where(np.arange(30) < 10, 5.0, 1.0)  # ten of thirty are five times as busy


@pytest.mark.slow
@pytest.mark.parametrize("busy", [UNEVEN, np.ones(150), None], ids=["uneven", "even", "nobody"])
def test_changes_are_seldom_invented(calibration: Calibration, busy: np.ndarray | None) -> None:
    # With 29 degrees of freedom it was .072 of 1,000 where voters are uneven.
    runs, hits = calibration.runs(21, 1000), 0
    for seed in range(runs):
        hits += any(changed_in(np.random.default_rng([seed, 77]), busy=busy))
    calibration.at_most(hits, runs, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize(("votes", "power"), [(6_000, 0.51), (12_000, 0.87), (24_000, 0.99)])
def test_a_change_is_found_as_often_as_the_page_says(
    calibration: Calibration, votes: int, power: float
) -> None:
    """By 0.3, with independent votes; the others move by a seventh of it the other way."""
    runs, hits, others = calibration.runs(21, 300), 0, 0
    for seed in range(runs):
        rng = np.random.default_rng([seed, votes])
        found, other = changed_in(rng, votes=votes, busy=None, drift=0.3)
        hits += found
        others += other
    calibration.within(hits, runs, power, slack=0.05, of="the model that changed")
    if votes == 24_000:
        calibration.within(others, runs, 0.2, slack=0.05, of="another one")


def test_times_are_read_as_they_come() -> None:
    frame = draw()
    whole = rb.leaderboard(rb.Scores.from_frame(frame, over_time="week")).over_time
    moment = pd.to_datetime(frame["time"])
    ways = [
        moment, moment.dt.tz_localize("UTC"), moment.dt.strftime("%Y-%m-%dT02:00:00+02:00"),
        moment.astype("datetime64[s]").astype("int64"),
        moment.astype("datetime64[ms]").astype("int64").astype(str),
    ]  # fmt: skip
    assert whole is not None
    for way in ways:
        other = rb.leaderboard(rb.Scores.from_frame(frame.assign(time=way), over_time="week"))
        assert other.over_time is not None
        assert [one.votes for one in other.over_time.periods] == [
            one.votes for one in whole.periods
        ]


def test_times_that_are_missing_late_or_none_are_said() -> None:
    frame = draw()
    frame.loc[:9, "time"] = None
    frame.loc[1490:, "time"] = "2124-01-01"
    board = rb.leaderboard(rb.Scores.from_frame(frame, over_time="month"))
    codes = {note.code: note.message for note in board.notes}
    assert "10 votes have no time" in codes["times-missing"]
    assert "10 votes carry times in the future" in codes["times-in-future"]
    assert board.over_time is not None
    assert sum(one.votes for one in board.over_time.periods) == 1490
    last = board.over_time.periods[-1]
    assert (last.name, last.votes) == ("2124-01", 10)
    assert last.reason
    assert np.isnan(last.strength).all()
    with pytest.raises(rb.DataError, match=r"row 11: 'noon' in column 'time' is not a time"):
        rb.Scores.from_frame(
            frame.assign(time=frame["time"].where(frame.index != 10, "noon")), over_time="week"
        )
    with pytest.raises(rb.DataError, match="no column says when"):
        rb.Scores.from_frame(frame.drop(columns="time"), over_time="week")
    with pytest.raises(rb.OptionError, match="day, week, month, or a date"):
        rb.Scores.from_frame(frame, over_time="fortnight")
    with pytest.raises(rb.DataError, match="more than 50 periods"):
        rb.Scores.from_frame(frame.assign(time=86_400 * (4000 + frame.index)), over_time="day")


def test_one_period_shows_strengths_and_no_change() -> None:
    board = rb.leaderboard(rb.Scores.from_frame(draw()[:300], over_time="month"))
    assert board.over_time is not None
    assert (board.over_time.changes, board.over_time.since) == ((), "")
    assert "lie in one period" in board.to_text().replace("\n", " ")
    assert "No changes were tested" in board.to_html()


def test_changes_are_said_to_hold_for_one_look_where_there_are_many() -> None:
    scores = rb.Scores.from_frame(draw()[:600], over_time="week")
    looked = rb.leaderboard(scores, test="e_strength", correction="e_average")
    for board, many in ((looked, True), (rb.leaderboard(scores), False)):
        (note,) = (note for note in board.notes if note.code == "over-time")
        assert ("They hold for one look" in note.message) == many


def test_boards_and_stores_keep_strengths_over_time(tmp_path: Path) -> None:
    with inside(tmp_path):
        frame = draw(drift=1.0)
        frame[:800].to_csv("one.csv", index=False)
        frame[800:].to_csv("two.csv", index=False)
        for day in ("one.csv", "two.csv"):
            add(day, "--over-time", "week")
        assert run(["rank", "board.duckdb", "-o", "board.json", "-q"]) == 0
        kept = rb.load("board.json")
        whole = rb.leaderboard(rb.Scores.from_frame(frame, over_time="week"))
        assert kept.over_time is not None
        assert whole.over_time is not None
        assert [one.model for one in kept.over_time.changed] == ["b"]
        for one, other in zip(kept.over_time.periods, whole.over_time.periods, strict=True):
            np.testing.assert_allclose(one.low, other.low, atol=1e-9)
        whole.save("whole.json")
        again = rb.load("whole.json")
        assert again.to_html() == whole.to_html()
        assert "Change since 2025-03-17" in again.to_markdown()
        assert run(["plot", "whole.json", "strengths_over_time", "-o", "strengths.svg"]) == 0
        assert run(["rank", "one.csv", "--over-time", "week", "--anytime", "-q"]) == 2
