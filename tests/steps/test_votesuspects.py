"""Voters whose votes do not fit, from votes to the board: named, with their effect, in its file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from arenas import Arena, fans, honest_arena
from calibration import Calibration, three_errors

import rankbars as rb
from rankbars.data.spec import VoteOptions
from rankbars.data.suspects import SuspectGroup, SuspectVoters
from rankbars.render.examination import render_suspects
from rankbars.render.page import render_html


def frame_of(arena: Arena) -> pd.DataFrame:
    names = pd.Index([f"m{i:02}" for i in range(arena.strength.size)])
    return pd.DataFrame({
        "model_a": names[arena.first],
        "model_b": names[arena.second],
        "winner": pd.Index(["model_a", "tie", "model_b"])[arena.outcome],
        "judge": [f"voter {code}" for code in arena.voter],
    })  # fmt: skip


@pytest.fixture(scope="module")
def pushed() -> Arena:
    arena = honest_arena(1, models=20, voters=1000, votes=12_000)
    return arena.also(fans(1, arena.strength, 12, accounts=20, votes=20))


def suspects_on(board: rb.Leaderboard) -> SuspectVoters:
    (task,) = board.tasks.values()
    assert task.suspects is not None
    return task.suspects


def test_suspects_stand_in_a_note_and_in_the_file(pushed: Arena, tmp_path: Path) -> None:
    board = rb.leaderboard(rb.Scores.from_frame(frame_of(pushed)))
    found = suspects_on(board)
    named = {f"voter {code}" for code in pushed.odd}
    assert {one.name for one in found.voters} == named
    assert {(one.habit, one.model, one.won) for one in found.voters} == {("for", "m12", 1.0)}
    assert found.votes == 400
    (note,) = (note for note in board.notes if note.code == "suspect-voters")
    assert "20 voters cast 400 of 12,400 votes (3.2%)" in note.message
    assert "for m12: voter" in note.message
    board.save(tmp_path / "board.json")
    (task,) = json.loads((tmp_path / "board.json").read_text())["tasks"]
    assert {row["voter"] for row in task["suspects"]["voters"]} == named
    assert suspects_on(rb.load(tmp_path / "board.json")) == found


def test_ranks_without_suspects_are_those_of_the_other_votes(pushed: Arena) -> None:
    frame = frame_of(pushed)
    found = suspects_on(rb.leaderboard(rb.Scores.from_frame(frame)))
    names = {one.name for one in found.voters}
    rest = rb.leaderboard(rb.Scores.from_frame(frame[~frame["judge"].isin(names)]))
    (counted,) = rb.leaderboard(rb.Scores.from_frame(frame)).tasks.values()
    (without,) = rest.tasks.values()
    models = rest.models
    changed = {
        model: (int(one), int(other))
        for model, one, other in zip(
            models, counted.observed_best, without.observed_best, strict=True
        )
        if one != other
    }
    assert found.moved is not None
    assert {one.model: (one.counted, one.without) for one in found.moved} == changed
    assert changed["m12"][0] < changed["m12"][1]


def test_honest_voters_leave_no_trace() -> None:
    board = rb.leaderboard(rb.Scores.from_frame(frame_of(honest_arena(2, votes=6000))))
    (task,) = board.tasks.values()
    assert task.suspects is None
    assert "suspect-voters" not in {note.code for note in board.notes}


def test_single_pairs_name_them_too(pushed: Arena) -> None:
    board = rb.leaderboard(rb.Scores.from_frame(frame_of(pushed)), test="binomial")
    assert len(suspects_on(board).voters) == 20


def test_suspects_without_whom_models_are_apart_have_no_effect_stated() -> None:
    arena = honest_arena(3, models=6, voters=300, votes=4000)
    frame = frame_of(arena)
    names = [f"m0{i % 6}" for i in range(60)]
    liar = pd.DataFrame({"model_a": "m99", "model_b": names, "winner": "model_a", "judge": "liar"})
    lost = liar.iloc[:1].assign(winner="model_b", judge="voter 1")
    both = pd.concat([frame, liar, lost, fan_of("m03")])
    board = rb.leaderboard(rb.Scores.from_frame(both))
    found = suspects_on(board)
    assert "fan" in {one.name for one in found.voters}
    assert "liar" not in {one.name for one in found.voters}  # nobody else knows the model


def fan_of(model: str) -> pd.DataFrame:
    others = [f"m0{i % 6}" for i in range(120) if f"m0{i % 6}" != model]
    return pd.DataFrame({"model_a": others, "model_b": model, "winner": "model_b", "judge": "fan"})


def test_suspects_of_weight_0_are_as_if_they_had_not_voted(pushed: Arena) -> None:
    frame = frame_of(pushed)
    board = rb.leaderboard(rb.Scores.from_frame(frame), votes=rb.VoteOptions(suspect_weight=0.0))
    names = {f"voter {code}" for code in pushed.odd}
    rest = rb.leaderboard(rb.Scores.from_frame(frame[~frame["judge"].isin(names)]))
    (one,), (other,) = board.tasks.values(), rest.tasks.values()
    assert one.mean == pytest.approx(other.mean, abs=1e-9)
    assert one.se == pytest.approx(other.se, rel=1e-9)
    assert (one.best.tolist(), one.worst.tolist()) == (other.best.tolist(), other.worst.tolist())
    assert suspects_on(board).weight == 0
    (note,) = (note for note in board.notes if note.code == "suspect-voters")
    assert "They are left out here (--suspect-weight 0)" in note.message


def test_capped_votes_count_as_the_same_votes_cast_less_often() -> None:
    """A voter who casts each vote four times, capped at a fourth, is one who casts it once."""
    frame = frame_of(honest_arena(4, models=6, voters=60, votes=1200))
    busy = frame["judge"] == frame["judge"].mode()[0]
    often = pd.concat([frame, *[frame[busy]] * 3])
    cap = int(busy.sum())
    options = rb.VoteOptions(cap=cap)
    board = rb.leaderboard(rb.Scores.from_frame(often), votes=options)
    (one,) = board.tasks.values()
    (other,) = rb.leaderboard(rb.Scores.from_frame(frame)).tasks.values()
    assert one.mean == pytest.approx(other.mean, abs=1e-9)
    assert one.se == pytest.approx(other.se, rel=1e-9)
    (note,) = (note for note in board.notes if note.code == "votes-capped")
    assert f"1 of {frame['judge'].nunique()} voters cast more than {cap} votes" in note.message
    assert board.spec.votes.cap == cap
    assert rb.VoteOptions.from_dict(options.to_dict()) == options
    assert "cap" not in rb.VoteOptions().to_dict()


def test_one_account_with_many_votes_moves_a_model_little_under_a_cap() -> None:
    arena = honest_arena(2, models=15, voters=500, votes=9000)
    arena = arena.also(fans(2, arena.strength, 9, accounts=1, votes=500))
    scores = rb.Scores.from_frame(frame_of(arena))
    honest = rb.leaderboard(rb.Scores.from_frame(frame_of(honest_arena(
        2, models=15, voters=500, votes=9000))))  # fmt: skip
    (true,) = honest.tasks.values()
    (free,) = rb.leaderboard(scores).tasks.values()
    (capped,) = rb.leaderboard(scores, votes=rb.VoteOptions(cap=20)).tasks.values()
    assert free.mean[9] - true.mean[9] > 0.3
    assert abs(capped.mean[9] - true.mean[9]) < 0.1
    assert capped.worst[9] - capped.best[9] < (free.worst[9] - free.best[9])


@pytest.mark.parametrize(
    ("options", "test", "words"),
    [
        ({"cap": 5}, "binomial", "weighs them"),
        ({"suspect_weight": 0.0}, "e_process", "weighs them"),
    ],
)
def test_tests_that_count_votes_refuse_weights(options: dict, test: str, words: str) -> None:
    scores = rb.Scores.from_frame(frame_of(honest_arena(4, models=4, voters=60, votes=400)))
    with pytest.raises(rb.OptionError, match=words):
        rb.leaderboard(scores, test=test, votes=rb.VoteOptions(**options))


@pytest.mark.parametrize("options", [{"cap": 5}, {"suspect_weight": 0.0}])
def test_a_cap_and_a_weight_of_suspects_need_named_voters(options: dict) -> None:
    votes = rb.Votes(("a", "b"), [[0, 5], [4, 0]])
    with pytest.raises(rb.OptionError, match="name their voters"):
        rb.leaderboard(rb.Scores({"v": votes}), votes=rb.VoteOptions(**options))
    for wrong in ({"cap": 0}, {"suspect_weight": 1.5}):
        with pytest.raises(rb.OptionError):
            rb.VoteOptions(**wrong)


def dated(arena: Arena) -> pd.DataFrame:
    frame = frame_of(arena)
    frame["timestamp"] = pd.Timestamp("2025-03-01") + pd.to_timedelta(arena.time, unit="s")
    return frame


def groups_on(frame: pd.DataFrame, **options: str) -> tuple[SuspectGroup, ...]:
    board = rb.leaderboard(rb.Scores.from_frame(frame, **options))
    (task,) = board.tasks.values()
    return task.suspect_groups or ()


def test_a_burst_of_accounts_with_few_votes_is_seen_by_its_day(tmp_path: Path) -> None:
    arena = honest_arena(1, models=20, voters=1000, votes=12_000)
    burst = fans(1, arena.strength, 12, accounts=60, votes=4, start=9 * 86_400, length=80_000)
    frame = dated(arena.also(burst))
    board = rb.leaderboard(rb.Scores.from_frame(frame, over_time="day"))
    (task,) = board.tasks.values()
    assert task.suspects is None  # nobody has enough votes to be tested
    assert task.suspect_groups is not None
    (found,) = task.suspect_groups
    day = frame[frame["timestamp"].dt.strftime("%Y-%m-%d") == "2025-03-10"]
    shown = day[(day["model_a"] == "m12") | (day["model_b"] == "m12")]
    assert (found.name, found.habit, found.model) == ("day 2025-03-10", "for", "m12")
    assert (found.votes, found.about, found.arrival) == (len(day), len(shown), False)
    side = np.where(shown["model_a"] == "m12", "model_a", "model_b")
    won = (shown["winner"] == "tie") / 2 + (shown["winner"] == side)
    assert found.won == pytest.approx(won.mean())
    (note,) = (note for note in board.notes if note.code == "suspect-periods")
    assert "1 of 30 periods do not fit" in note.message
    board.save(tmp_path / "board.json")
    (again,) = rb.load(tmp_path / "board.json").tasks.values()
    assert again.suspect_groups == task.suspect_groups


def test_votes_pushed_on_the_day_of_an_arrival_are_called_that() -> None:
    arena = honest_arena(3, models=20, voters=1000, votes=12_000)
    frame = dated(arena)
    new = frame[["model_a", "model_b"]].eq("m12").any(axis=1)
    frame = frame[~new | (frame["timestamp"] >= "2025-03-10")]
    burst = fans(3, arena.strength, 12, accounts=60, votes=4, start=9 * 86_400, length=80_000)
    pushed = dated(burst)
    pushed["judge"] = "new " + pushed["judge"]
    (found,) = groups_on(pd.concat([frame, pushed]), over_time="day")
    assert (found.name, found.model, found.arrival) == ("day 2025-03-10", "m12", True)


def test_one_prompt_that_many_use_for_a_model_is_seen() -> None:
    (found,) = groups_on(prompted())
    assert (found.kind, found.name, found.model) == ("prompt", "who are you?", "m12")
    assert (found.votes, found.won) == (240, 1.0)


def prompted() -> pd.DataFrame:
    """An arena in which accounts ask one prompt for m12."""
    arena = honest_arena(1, models=20, voters=1000, votes=12_000)
    pushed = arena.also(fans(1, arena.strength, 12, accounts=60, votes=4))
    frame = frame_of(pushed)
    frame["prompt"] = [f"p{k}" for k in np.random.default_rng(1).integers(0, 800, len(frame))]
    frame.loc[np.isin(pushed.voter, pushed.odd), "prompt"] = "who are you?"
    return frame


def test_the_effect_of_a_prompt_is_that_of_ranking_without_it() -> None:
    frame = prompted()
    board = rb.leaderboard(rb.Scores.from_frame(frame))
    (counted,) = board.tasks.values()
    kept = rb.Scores.from_frame(frame[frame["prompt"] != "who are you?"])
    (without,) = rb.leaderboard(kept).tasks.values()
    change = np.abs(counted.observed_best - without.observed_best)
    assert counted.suspect_groups is not None
    assert [one.moves for one in counted.suspect_groups] == [change.max()]
    k = board.models.index("m12")
    (note,) = (note for note in board.notes if note.code == "suspect-prompts")
    ranks = f"rank {without.observed_best[k]} instead of {counted.observed_best[k]}"
    assert f"Without this prompt, m12 would {ranks}" in note.message


@pytest.mark.parametrize("which", ["voters", "prompts"])
def test_page_and_explanation_show_whose_votes_do_not_fit(which: str, pushed: Arena) -> None:
    frame = frame_of(pushed) if which == "voters" else prompted()
    board = rb.leaderboard(rb.Scores.from_frame(frame))
    (task,) = board.tasks.values()
    found = task.suspect_groups if task.suspects is None else task.suspects.voters
    assert found is not None
    first, page, words = found[0], render_html(board), render_suspects(board)
    name = getattr(first, "voter", "") or getattr(first, "name", "")
    part = page[page.index('id="suspects"') : page.index('id="sure"')]
    assert part.count(f"<td>for {first.model}</td>") == len(found)
    assert f'<th scope="row"><bdi>{name}</bdi></th><td class="score">{first.votes}</td>' in part
    assert f"{which.capitalize()} whose votes do not fit those of the others" in words
    (line,) = (line for line in words.splitlines() if line.startswith(f"{name} "))
    share = (f"{first.won:.0%}", f"{first.expected:.0%}")
    cells = (str(first.votes), f"for {first.model}", str(first.about), *share)
    assert line.removeprefix(name).split() == " ".join((*cells, "< .001", str(first.moves))).split()
    for one in (task.suspects.moved or ())[:3] if task.suspects else ():
        assert [one.model, str(one.counted), str(one.without)] in map(str.split, words.splitlines())
        ranks = f'<td class="score">{one.counted}</td><td class="score">{one.without}</td>'
        assert f'<th scope="row"><bdi>{one.model}</bdi></th>{ranks}' in part


def test_nothing_is_shown_where_nobody_is_named() -> None:
    board = rb.leaderboard(rb.Scores.from_frame(frame_of(honest_arena(2, votes=6000))))
    assert render_suspects(board) == ""
    assert 'id="suspects"' not in render_html(board)


@pytest.mark.parametrize("options", [VoteOptions(cap=20), VoteOptions(reweight="uniform")])
def test_one_voter_with_half_of_all_votes_is_examined_with_the_weight_that_it_has(
    options: VoteOptions,
) -> None:
    """Left out with all its votes from a fit in which they weigh less, nothing would be left."""
    rng = np.random.default_rng(1)
    n = 1_200
    voter = np.where(np.arange(n) < 600, 0, rng.integers(1, 40, n))
    first = rng.integers(0, 5, n)
    second = (first + rng.integers(1, 5, n)) % 5
    outcome = 2 * rng.integers(0, 2, n)
    own = (voter == 0) & ((first == 2) | (second == 2))  # the busy one is for one model
    outcome[own] = np.where(first[own] == 2, 0, 2)
    names = np.array(list("abcde"))
    frame = pd.DataFrame({
        "model_a": names[first], "model_b": names[second], "judge": voter.astype(str),
        "winner": np.where(outcome == 0, "model_a", "model_b"),
    })  # fmt: skip
    board = rb.leaderboard(rb.Scores.from_frame(frame), votes=options)
    (suspect,) = suspects_on(board).voters
    assert (suspect.name, suspect.model) == ("0", "c")
    assert suspect.expected == pytest.approx(0.5, abs=0.06)  # by the others, who are equal to all


@pytest.mark.slow
def test_days_and_prompts_of_honest_votes_are_seldom_named(calibration: Calibration) -> None:
    runs = calibration.runs(6, 200)
    false = np.zeros((2, runs))
    for k in range(runs):
        rng = np.random.default_rng([20261123, k])
        voters = (200, 1500)[k % 2]
        arena = honest_arena(5000 + k, models=20, voters=voters, votes=15_000, taste=0.6)
        if k % 4 < 2:  # each voter comes on one day only
            home = rng.integers(0, 30, arena.n_voters) * 86_400.0 + rng.uniform(0, 80_000)
            arena = arena._replace(time=home[arena.voter])
        false[0, k] = bool(groups_on(dated(arena), over_time="day"))
        prompt = rng.integers(0, 600, 15_000)
        likes = 0.6 * rng.normal(size=(600, 20))  # answers to a prompt are good or bad
        eta = arena.strength + likes[prompt]
        eta = (
            np.take_along_axis(eta, arena.first[:, None], 1)
            - np.take_along_axis(eta, arena.second[:, None], 1)
        ).ravel()
        outcome = np.where(rng.random(eta.size) < 1 / (1 + np.exp(-eta)), 0, 2)
        frame = frame_of(arena._replace(outcome=outcome)).assign(prompt=prompt.astype(str))
        false[1, k] = bool(groups_on(frame))
    days, prompts = false.sum(axis=1).astype(int).tolist()
    calibration.at_most(days, runs, 0.05, of="days")
    calibration.at_most(prompts, runs, 0.05, of="prompts")


@pytest.mark.slow
@pytest.mark.parametrize(("votes", "seen"), [(120, 0.825), (200, 1.0)])
def test_bursts_on_a_day_are_seen_as_often_as_the_page_says(
    votes: int, seen: float, calibration: Calibration
) -> None:
    """New accounts with four votes each for one model, among 30,000 votes of 30 days."""
    runs, hits = calibration.runs(3, 40), 0
    for k in range(runs):
        arena = honest_arena(9_000 + k)
        burst = fans(
            k, arena.strength, 14, accounts=votes // 4, votes=4, start=12 * 86_400, length=80_000
        )
        found = groups_on(dated(arena.also(burst)), over_time="day")
        hits += any((one.kind, one.model) == ("period", "m14") for one in found)
    calibration.near(hits, runs, seen, three_errors(seen, runs) + 0.1)
