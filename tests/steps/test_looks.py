"""Looking again and again at votes that keep coming in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from calibration import Calibration

import rankbars as rb
from rankbars.data.growingvotes import RunningRecord, load_record, record_json, record_path
from rankbars.data.spec import VoteOptions
from rankbars.data.votes import Ballots, Labels
from rankbars.steps.votes.looks import continue_looks

Look = tuple[rb.Leaderboard, RunningRecord]


def look(
    wins: object,
    record: RunningRecord | None = None,
    *,
    scope: str = "each",
    alpha: float = 0.05,
    test: str = "e_process",
) -> Look:
    table = np.asarray(wins, dtype=float)
    scores = rb.Scores({"arena": rb.Votes(tuple("abcd"[: len(table)]), table)})
    board = rb.leaderboard(
        scores, test=test, correction="e_average", alpha=alpha,
        scope="all" if scope == "all" else "each",
    )  # fmt: skip
    return continue_looks(board, scores, record)


FIRST = [[0, 40, 40], [3, 0, 20], [3, 22, 0]]
# The lead of a melts away, but what was shown stays shown.
SECOND = [[0, 48, 48], [30, 0, 20], [30, 22, 0]]


@pytest.mark.parametrize("scope", ["each", "all"])
def test_what_a_look_has_shown_stays_shown(scope: str) -> None:
    board, record = look(FIRST, scope=scope)
    assert board.tasks["arena"].worst[0] == 1
    alone, _ = look(SECOND, scope=scope)
    assert alone.tasks["arena"].worst[0] > 1
    later, record = look(SECOND, record, scope=scope)
    assert later.tasks["arena"].worst[0] == 1
    assert record.looks == 2
    assert "looks" in {note.code for note in later.notes}
    assert later.shown_better[0].tolist() == [False, True, True]
    assert later.undominated() == ("a",)
    assert later.tiers[:1] == ((("a",),) if scope == "all" else ())


def test_a_new_model_leaves_what_was_shown() -> None:
    _, record = look(FIRST)
    table = np.zeros((4, 4))
    table[:3, :3] = FIRST
    table[3, 0] = table[0, 3] = 2
    board, _ = look(table, record)
    # Two models were shown worse than a; the new one may be better.
    assert (board.tasks["arena"].best[0], board.tasks["arena"].worst[0]) == (1, 2)


def test_looks_that_exclude_each_other_are_named() -> None:
    _, record = look([[0, 60], [2, 0]])
    board, record = look([[0, 60], [300, 0]], record)
    assert record.contradicted == {"a", "b"}
    assert board.tasks["arena"].best.tolist() == [1, 2]
    assert "looks-contradict" in {note.code for note in board.notes}


def test_votes_that_went_missing_stop_it() -> None:
    _, record = look(FIRST)
    with pytest.raises(rb.DataError, match="'a' had won 40 votes against 'b', and now has won 4"):
        look([[0, 4, 40], [3, 0, 20], [3, 22, 0]], record)


def test_looks_add_up_at_one_level_only() -> None:
    _, record = look(FIRST)
    with pytest.raises(rb.OptionError, match="alpha"):
        look(FIRST, record, alpha=0.1)
    with pytest.raises(rb.OptionError, match="scope"):
        look(FIRST, record, scope="all")


def test_looks_add_up_for_one_test_only() -> None:
    _, record = look(FIRST, test="e_strength")
    assert record.test == "e_strength"
    with pytest.raises(rb.OptionError, match="test 'e_strength', and this one is at 'e_process'"):
        look(FIRST, record)


def test_weighted_votes_are_counted_and_not_weighed_where_looks_are_compared() -> None:
    """Weights change when models join; the votes of the earlier look are still all there."""
    record = None
    for weight in (1.0, 0.4):
        votes = np.arange(60)
        ballots = Ballots(
            votes * 0, votes * 0 + 1, np.where(votes % 3, 0, 2),
            weight=np.full(60, weight), squared=np.full(60, weight**2),
        )  # fmt: skip
        scores = rb.Scores({"arena": rb.Votes.from_ballots(("a", "b"), ballots)})
        board = rb.leaderboard(scores, test="e_strength", correction="e_average", scope="all")
        _, record = continue_looks(board, scores, record)
    assert record is not None
    assert record.looks == 2
    assert record.wins == {("a", "b"): 40.0, ("b", "a"): 20.0}


def test_models_with_few_votes_wait() -> None:
    table = np.array([[0, 300, 40], [60, 0, 0], [8, 0, 0]])
    board, _ = look(table, test="e_strength", scope="all")
    ranks = dict(zip(board.models, board.tasks["arena"].best.tolist(), strict=True))
    assert ranks == {"a": 1, "b": 2, "c": 1}
    waiting = [note.models for note in board.notes if note.code == "looks-begin"]
    assert waiting == [("c",)]
    assert any("Asymptotic" in words for words in board.tasks["arena"].assumptions)
    assert any("Asymptotic" in note.message for note in board.notes if note.code == "looks")
    assert np.isnan(board.tasks["arena"].se).all()


def test_looks_add_up_for_one_choice_of_clusters_only() -> None:
    scores = rb.Scores({"arena": rb.Votes(("a", "b"), [[0, 40], [3, 0]])})
    _, record = look([[0, 40], [3, 0]])
    for options in (VoteOptions(cluster="none"), VoteOptions(covariance="sandwich")):
        board = rb.leaderboard(
            scores, test="e_process", correction="e_average", votes=options, scope="each"
        )
        with pytest.raises(rb.OptionError, match="cluster 'auto', and this one is at 'none'"):
            continue_looks(board, scores, record)


def test_only_boards_that_are_valid_at_any_time_can_be_continued() -> None:
    scores = rb.Scores({"arena": rb.Votes(("a", "b"), [[0, 9], [4, 0]])})
    with pytest.raises(rb.OptionError, match="e_process"):
        continue_looks(rb.leaderboard(scores), scores)


def test_the_record_survives_its_file(tmp_path: Path) -> None:
    _, record = look(FIRST)
    path = record_path(tmp_path / "board.json")
    assert path.name == "board.running.json"
    assert load_record(path) is None
    path.write_text(record_json(record), encoding="utf-8")
    assert load_record(path) == record


@pytest.mark.parametrize(
    "text", ["", "[]", '{"schema": "other"}', '{"schema": "rankbars.running/1"}']
)
def test_a_damaged_record_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "board.running.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(rb.ReadError, match=r"board\.running\.json should hold"):
        load_record(path)


@pytest.mark.slow
def test_forty_looks_keep_the_level_where_a_repeated_z_test_does_not(
    calibration: Calibration,
) -> None:
    """Two equal models, 2,000 votes, a look every 50: wrong at some look."""
    rng = np.random.default_rng(2)
    wrong = {"e_process": 0, "z": 0}
    runs = calibration.runs(8, 100)
    for _ in range(runs):
        won = np.cumsum(rng.random(2000) < 0.5)
        seen = dict.fromkeys(wrong, False)
        for n in range(50, 2001, 50):
            wins = np.array([[0, won[n - 1]], [n - won[n - 1], 0]])
            scores = rb.Scores({"arena": rb.Votes(("a", "b"), wins)})
            for test, correction in (("e_process", "e_average"), ("z", "holm")):
                found = rb.rank(rb.compare(scores, test=test), correction=correction)["arena"]
                seen[test] |= bool((found.width == 0).any())
        for test, shown in seen.items():
            wrong[test] += shown
    calibration.at_most(wrong["e_process"], runs, 0.05, of="e-process")
    calibration.above(wrong["z"], runs, 0.2, of="z test")


def ever_false(
    rng: np.random.Generator, *, preferred: str | None, votes: int = 3000, weighted: bool = True
) -> bool:
    """Six equal models, a look every 100 votes; whether a look has shown one better."""
    first, second = np.triu_indices(6, 1)
    rows: list[tuple[np.ndarray, ...]] = []
    chance, false = np.full(15, 1 / 15), False
    for _ in range(votes // 100):
        drawn = rng.choice(15, 100, p=chance)
        rows.append((first[drawn], second[drawn], 2 * rng.integers(0, 2, 100), chance[drawn]))
        columns = zip(*rows, strict=True)
        one, other, outcome, probability = (np.concatenate(column) for column in columns)
        weight = 1 / (15 * probability)
        weights = {"weight": weight, "squared": weight**2} if weighted else {}
        ballots = Ballots(one, other, outcome, **weights)
        scores = rb.Scores({"x": rb.Votes.from_ballots(tuple("abcdef"), ballots)})
        found = rb.compare(scores, test="e_strength")["x"]
        shown = rb.rank(found, correction="e_average", scope="all").shown_better
        false |= bool(shown.any())
        if preferred == "wide":
            liked = rb.compare(scores, test="z")["x"].se[first, second] ** 8
            chance = 0.1 / 15 + 0.9 * liked / liked.sum()
        elif preferred is not None:
            gap = found.mean[first] - found.mean[second]
            sum_ = found.mean[first] + found.mean[second]
            liked = np.exp(-10 * np.abs(gap) if preferred == "close" else 3 * sum_)
            chance = 0.1 / 15 + 0.9 * liked / liked.sum()
    return false


@pytest.mark.slow
@pytest.mark.parametrize("preferred", [None, "close", "top", "wide", "close, unweighted"])
def test_looks_at_all_votes_keep_the_level_whatever_chose_the_pairs(
    preferred: str | None, calibration: Calibration
) -> None:
    """Thirty looks; pairs are drawn alike, or by earlier results with known probabilities.

    For those that are not weighted nothing is promised; the page has what was seen.
    """
    rng = np.random.default_rng(3)
    runs = calibration.runs(6, 300)
    how, _, plain = (preferred or "").partition(", ")
    seen = [ever_false(rng, preferred=how or None, weighted=not plain) for _ in range(runs)]
    calibration.at_most(sum(seen), runs, 0.05)


def ever_false_of_voters(
    rng: np.random.Generator, case: str, *, votes: int = 3000, looks: int = 20
) -> bool:
    """Eight models (or fewer) that are equal for voters with tastes of their own."""
    voters = {"again and again": 150, "one session": 150, "few": 40, "capped": 60}.get(case, 0)
    size = {"capped": 5}.get(case, 8)
    names = tuple("abcdefgh"[:size])
    first = rng.integers(0, size, votes)
    second = (first + rng.integers(1, size, votes)) % size
    if case == "arrivals":  # four of the eight, one after the other
        known = 4 + np.arange(votes) // (votes // 5)
        first, second = first % known, second % known
        kept = first != second
        first, second = first[kept], second[kept]
    lead, options = np.zeros(first.size), VoteOptions(largest_component=True)
    labels = {}
    if voters:
        busy = rng.pareto(1.2, voters) + 1 if case == "capped" else np.ones(voters)
        voter = rng.choice(voters, votes, p=busy / busy.sum())
        if case == "one session":
            voter = np.sort(voter)
        taste = rng.normal(size=(voters, size))
        lead = taste[voter, first] - taste[voter, second]
        labels = {"judge": Labels(voter, tuple(map(str, range(voters))))}
        options = VoteOptions(cap=20) if case == "capped" else options
    outcome = np.where(rng.random(first.size) < 1 / (1 + np.exp(-lead)), 0, 2)
    false = False
    for end in np.linspace(votes // looks, first.size, looks).astype(int):
        part = {name: Labels(one.codes[:end], one.names) for name, one in labels.items()}
        ballots = Ballots(first[:end], second[:end], outcome[:end], labels=part)
        scores = rb.Scores({"x": rb.Votes.from_ballots(names, ballots)})
        found = rb.compare(scores, test="e_strength", votes=options)["x"]
        false |= bool(rb.rank(found, correction="e_average", scope="all").shown_better.any())
    return false


@pytest.mark.slow
@pytest.mark.parametrize("case", ["again and again", "one session", "few", "capped", "arrivals"])
def test_looks_at_votes_of_voters_with_tastes_keep_the_level(
    case: str, calibration: Calibration
) -> None:
    rng = np.random.default_rng(4)
    runs = calibration.runs(5, 150)
    calibration.at_most(sum(ever_false_of_voters(rng, case) for _ in range(runs)), runs, 0.05)
