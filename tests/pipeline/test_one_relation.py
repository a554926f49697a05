"""What people read together holds together: rows, sentence, tiers, lists and sets of one board."""

from __future__ import annotations

import base64
import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import rankbars as rb
from rankbars.data.boardfile import board_to_dict
from rankbars.data.boardreading import board_from_dict
from rankbars.render import render
from rankbars.render.pagedata import page_data
from rankbars.render.sentences import headline
from rankbars.stats.ranks import rank_bounds
from rankbars.steps.corrections import Family
from rankbars.steps.jointclaims import call_first


@st.composite
def boards(draw: st.DrawFn) -> rb.Leaderboard:
    """Rows that are even, skewed, in unequal clusters, or not all there, and the votes of some."""
    kind = draw(st.sampled_from(["even", "even", "skewed", "clusters", "gaps", "votes"]))
    size, tasks = draw(st.integers(2, 11)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    ahead = np.linspace(0.0, draw(st.sampled_from([0.0, 1.0, 2.5])), size)
    names = tuple(f"m{i:02}" for i in range(size))
    correction = draw(st.sampled_from(["holm", "bonferroni", "maxt"])) if kind == "even" else "auto"
    if kind == "votes":
        odds = 1 / (1 + np.exp(ahead - ahead[:, None]))
        won = rng.binomial(40, odds)
        made = rb.Scores({"t0": rb.Votes(names, np.tril(won, -1) + np.tril(40 - won, -1).T)})
        return rb.leaderboard(made, correction=correction)
    scores = {}
    for k in range(tasks):
        noise = rng.exponential if kind == "skewed" else rng.normal
        rows = noise(size=(draw(st.integers(8, 30)), size)) + ahead
        if kind == "gaps":
            rows[rng.random(rows.shape) < 0.1] = np.nan
        drawn = np.sort(rng.choice(8, len(rows), p=np.arange(1, 9) / 36))
        scores[f"t{k}"] = rb.Items(names, rows, clusters=drawn if kind == "clusters" else None)
    return rb.leaderboard(
        rb.Scores(scores), correction=correction, resamples=200, missing="pairwise"
    )


@settings(max_examples=25, deadline=None)
@given(boards())
def test_nothing_on_a_board_contradicts_the_rest(board: rb.Leaderboard) -> None:
    counted, ranks = rank_bounds(board.shown_better), board.ranks
    assert (ranks.worst == counted.worst).all()
    first = {board.models[i] for i in np.flatnonzero(ranks.best == 1)}
    assert (ranks.best == np.maximum(counted.best, np.where(ranks.best == 1, 1, 2))).all()
    assert set(board.undominated()) == set(board.tiers[0]) == first
    lead = board.aggregate or next(iter(board.tasks.values()))
    assert {board.models[i] for i in np.flatnonzero(lead.may_be_first)} == first
    for k in range(1, len(board.models) + 1):
        assert set(board.top(k)) == {board.models[i] for i in np.flatnonzero(ranks.best <= k)}
    assert all(any(name.startswith("m") for name in tier) for tier in board.tiers)
    told = board.shown_better.any()
    assert ("do not tell the" in headline(board)) == (not told)
    assert (len(first) == len(board.models)) == (not told)
    apart = board.shown_better | board.shown_better.T
    near = sum(not apart[i, j] for i, j in itertools.pairwise(board.order))
    assert near == board.neighbours_not_separated
    if told and len(board.models) > 2:
        words = f"{near} of {len(board.models) - 1} neighbours" if near else "told apart from the n"
        assert words in headline(board)
    assert (page_shown(board) == board.shown_better).all()  # lists in the panel of a model
    again = board_from_dict(board_to_dict(board))
    assert again.undominated() == board.undominated()
    assert again.tiers == board.tiers


def page_shown(board: rb.Leaderboard) -> np.ndarray:
    """Who is shown better than whom, as the page reads it for the lists above and below a model."""
    packed = page_data(board, ())["shownBetter"]
    bits = np.frombuffer(base64.b64decode(packed["bytes"]), f"<{packed['kind']}")
    shape = board.shown_better.shape
    return np.unpackbits(bits, count=shape[0] * shape[1], bitorder="little").reshape(shape) == 1


@st.composite
def averages(draw: st.DrawFn) -> tuple[rb.Scores, rb.Leaderboard]:
    """Boards with an average over few or many tasks, on one metric or several, skewed or not."""
    size, tasks = draw(st.integers(2, 7)), draw(st.sampled_from([2, 4, 5, 6, 9, 16]))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    ahead = np.linspace(0.0, draw(st.sampled_from([0.0, 0.3, 1.0, 3.0])), size)
    names = [f"m{i}" for i in range(size)]
    if draw(st.booleans()):
        rows = draw(st.sampled_from([6, 12, 40]))
        noise = rng.exponential if draw(st.booleans()) else rng.normal
        made = {f"t{k}": noise(size=(rows, size)) + ahead for k in range(tasks)}
        scores = rb.Scores.from_arrays(made, names)
    else:
        cells = [(m, f"t{k}") for m in range(size) for k in range(tasks)]
        frame = {
            "model": [names[m] for m, _ in cells],
            "task": [task for _, task in cells],
            "score": [float(rng.normal() + ahead[m]) for m, _ in cells],
            "metric": [f"metric {task[1:]}" for _, task in cells],
        }
        scores = rb.Scores.from_frame(pd.DataFrame(frame), direction="higher")
    return scores, rb.leaderboard(scores, resamples=200)


@settings(max_examples=15, deadline=None)
@given(averages())
def test_shares_of_draws_stand_beside_ranks_only_where_they_say_no_more(
    made: tuple[rb.Scores, rb.Leaderboard],
) -> None:
    board = made[1]
    average, data = board.aggregate, page_data(board, ())["shares"]
    assert average is not None
    assert (data is None) == (average.rank_probability is None)
    if data is None:
        assert average.draws_agree is None
        return
    html, said = render(board, "html"), []
    for k, key in ((1, "first"), (3, "top")):
        share = data[key]
        if k >= len(board.models):
            assert share is None
            continue
        drawn = average.rank_probability[:, :k].sum(axis=1)
        claimed = (drawn <= 0.95) | (average.worst <= k)
        allowed = (drawn <= 0.05) | (average.best <= k)
        agree = bool((claimed & allowed).all())
        assert (share is not None) == agree
        said.append(agree)
    assert ("Shares of draws that would say more" in html) == (not all(said))
    assert average.draws_agree == all(said)
    if data["first"] is None:
        assert data["rankProbability"] is None
        assert data["dominance"] is None
        assert 'data-key="first"' not in html


@settings(max_examples=12, deadline=None)
@given(averages())
def test_two_models_of_a_board_compared_at_its_level_do_not_contradict_it(
    made: tuple[rb.Scores, rb.Leaderboard],
) -> None:
    scores, board = made
    for i, j in np.argwhere(board.shown_better):
        duel = rb.head_to_head(scores, board.models[i], board.models[j])
        assert duel.average is not None
        assert duel.average.verdict == "better", (board.models[i], board.models[j])
    for i, name in enumerate(board.models):
        assert (name in board.undominated()) == (board.ranks.best[i] == 1)


@pytest.mark.parametrize("seed", range(6))
def test_two_models_are_judged_as_by_a_comparison_of_the_two(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rb.Scores.from_arrays({"t": rng.normal(size=(20, 2)) + [0.0, 0.6]}, ["a", "b"])
    board, duel = rb.leaderboard(scores), rb.head_to_head(scores, "b", "a")
    verdict = duel.tasks["t"].verdict
    assert board.shown_better.any() == (verdict != "cannot tell")
    if verdict == "better":
        assert board.undominated() == ("b",)


def test_a_fifth_of_the_rate_finds_fewer_that_may_be_first_than_all_pairs_do() -> None:
    rng = np.random.default_rng(7)
    x = rng.normal(size=(60, 12)) + rng.normal(size=(60, 1)) + np.linspace(0, 1, 12)
    scores = rb.Scores.from_arrays({"t": x}, [f"m{i:02}" for i in range(12)])
    board = rb.leaderboard(scores, best_alone=True)
    strict = rb.rank(rb.compare(scores)["t"], scope="all")
    assert board.tasks["t"].may_be_first.sum() < strict.may_be_first.sum()
    note = next(note for note in board.notes if note.code == "best-alone")
    assert note.message.startswith("By itself, at 95 % ")


def test_a_statement_by_itself_stands_beside_ranks_for_all_models() -> None:
    scores = rb.Scores.from_arrays({"t": np.random.default_rng(0).normal(size=(9, 3))}, list("abc"))
    with pytest.raises(rb.OptionError, match="--scope all"):
        rb.leaderboard(scores, scope="each", best_alone=True)


@settings(max_examples=12, deadline=None)
@given(boards())
def test_rows_of_single_models_are_those_of_a_board_of_single_models(board: rb.Leaderboard) -> None:
    if len(board.models) == 2:
        with pytest.raises(rb.DataError, match="--scope each"):
            board.for_one_model()
        return
    own = board.for_one_model()
    assert own.tiers == ()
    assert (own.ranks.best <= own.ranks.worst).all()
    assert set(own.undominated()) == {board.models[i] for i in np.flatnonzero(own.ranks.best == 1)}
    assert board_from_dict(board_to_dict(board)).for_one_model().undominated() == own.undominated()


@pytest.mark.parametrize(("tasks", "correction"), [(1, "holm"), (3, "holm"), (3, "maxt")])
def test_rows_of_single_models_are_those_of_scope_each(tasks: int, correction: str) -> None:
    rng = np.random.default_rng(2)
    made = {f"t{k}": rng.normal(size=(30, 9)) + np.linspace(0, 1, 9) for k in range(tasks)}
    scores = rb.Scores.from_arrays(made, list("abcdefghi"))
    own = rb.leaderboard(scores, correction=correction, resamples=200).for_one_model()
    each = rb.leaderboard(scores, correction=correction, resamples=200, scope="each")
    assert (own.ranks.best == each.ranks.best).all()
    assert (own.ranks.worst == each.ranks.worst).all()
    assert headline(own) == headline(each)


def test_rows_of_single_models_are_not_wider_where_few_clusters_decide_for_all_at_once() -> None:
    rng = np.random.default_rng(4)
    clusters = np.repeat(np.arange(12), [110, 30, 20, 15, 15, 10, 10, 9, 5, 4, 2, 1])
    values = (rng.random((clusters.size, 8)) < np.linspace(0.2, 0.8, 8)).astype(float)
    items = rb.Items(tuple("abcdefgh"), values, clusters=clusters)
    board = rb.leaderboard(rb.Scores({"x": items}))
    assert any(note.code == "cluster-flips" for note in board.notes)
    own = board.for_one_model()
    assert (own.ranks.worst - own.ranks.best <= board.ranks.worst - board.ranks.best).all()


def test_intervals_for_a_new_task_do_not_depend_on_the_scope_that_is_shown() -> None:
    rng = np.random.default_rng(1)
    tasks = {f"t{k}": rng.normal(size=(30, 4)) + np.arange(4) / 2 for k in range(9)}
    scores = rb.Scores.from_arrays(tasks, list("abcd"))
    for merge in ("joint", "quantile", "union"):
        one = rb.leaderboard(scores, scope="each", merge=merge).overall
        other = rb.leaderboard(scores, scope="all", merge=merge).overall
        assert one is not None
        assert other is not None
        assert (one.best == other.best).all()
        assert (one.worst == other.worst).all()
        assert one.guarantee == other.guarantee


def _among_the_first(board: rb.Leaderboard) -> str:
    return next(note.message for note in board.notes if note.code == "top-alone")


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "maxt"])
def test_who_is_among_the_first_few_is_told_by_the_pairs_across_the_line(correction: str) -> None:
    """Against scipy's t-test of each pair, and the sets of k that the claims allow."""
    size, k = 7, 3
    rng = np.random.default_rng(2)
    x = rng.normal(size=(80, size)) + rng.normal(size=(80, 1)) - np.linspace(0, 1.3, size)
    names = [f"m{i}" for i in range(size)]
    board = rb.leaderboard(
        rb.Scores.from_arrays({"t": x}, names), top_alone=k, correction=correction
    )
    level = 0.05 / (k * (size - k))
    claimed = [
        (i, j)
        for i, j in itertools.permutations(range(size), 2)
        if stats.ttest_rel(x[:, i], x[:, j], alternative="greater").pvalue <= level
    ]
    allowed = [
        set(top)
        for top in itertools.combinations(range(size), k)
        if not any(i not in top and j in top for i, j in claimed)
    ]
    inside = [names[i] for i in range(size) if all(i in top for top in allowed)]
    may = [names[i] for i in range(size) if any(i in top for top in allowed)]
    told = _among_the_first(board)
    assert inside
    assert f"shown to be among the first {k}: {', '.join(inside)};" in told
    assert f"may be among them: {', '.join(one for one in may if one not in inside)};" in told
    assert told.endswith(f"not among them: the other {size - len(may)}.")


def test_the_first_few_of_an_average_are_told_too() -> None:
    rng = np.random.default_rng(4)
    tasks = {
        name: rng.normal(size=(50, 4)) - np.linspace(0, 4, 4) for name in ("law", "math", "art")
    }
    told = _among_the_first(rb.leaderboard(rb.Scores.from_arrays(tasks, list("abcd")), top_alone=2))
    assert "shown to be among the first 2: a, b; not among them: the other 2." in told


def test_the_first_few_cannot_be_told_of_fewer_models_or_one_model_at_a_time() -> None:
    scores = rb.Scores.from_arrays({"t": np.random.default_rng(0).normal(size=(9, 3))}, list("abc"))
    with pytest.raises(rb.OptionError, match="Ask for fewer"):
        rb.leaderboard(scores, top_alone=3)
    with pytest.raises(rb.OptionError, match="--scope all"):
        rb.leaderboard(scores, scope="each", top_alone=1)
    with pytest.raises(rb.OptionError, match="top_alone must be"):
        rb.leaderboard(scores, top_alone=0)


@pytest.mark.slow
def test_calls_of_the_first_few_are_wrong_as_rarely_as_they_say(calibration) -> None:
    """Ties across the line: the first two of six are fixed beforehand, three more are as good."""
    runs, wrong = calibration.runs(150, 4000), 0
    ability = np.array([0.0, 0.0, 0.0, 0.0, 0.0, -1.0])
    for seed in range(runs):
        x = np.random.default_rng(seed).normal(size=(40, 6)) + ability
        found = rb.compare(rb.Scores.from_arrays({"t": x}, list("abcdef")))["t"]
        assert found.pairs is not None
        family = Family(found.pairs.statistic, found.df)
        call = call_first("holm", family, 0.05, 2)
        wrong += bool((call[:2] == -1).any() or (call[2:] == 1).any())
    calibration.at_most(wrong, runs, 0.05, of="any wrong call of six models")
