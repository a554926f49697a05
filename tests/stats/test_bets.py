"""Bets of races: against worked numbers, a plain loop, all sets of k, and exchangeable models."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankbars.stats import bets
from rankbars.stats.bets import LAMBDAS, bet_on_leader, bet_on_pairs, log_wealth
from rankbars.stats.racestates import (
    add_racer,
    call_top,
    going_on,
    race_evidence,
    rows_left,
    settle_batch,
    start_race,
    threshold,
)

GOLDEN = json.loads(
    (Path(__file__).parent.parent / "data" / "golden_race.json").read_text(encoding="utf-8")
)


def drawn(rows, ability, seed=0):
    return (np.random.default_rng(seed).random((rows, len(ability))) < ability).astype(float)


def plain_race(rows, batch, alpha):
    """First place by loops over numbers: who is out, since when, and the wealth of each."""
    size = len(rows[0])
    runs, wealth = list(range(size)), [[1.0] * len(LAMBDAS) for _ in range(size)]
    sums, since = [0.0] * size, {}
    for start in range(0, len(rows), batch):
        if len(runs) == 1:
            break
        for number in range(start, min(start + batch, len(rows))):
            row = rows[number]
            gained = {}
            for j in runs:
                others = [i for i in runs if i != j]
                if number == 0:
                    against = sum(row[i] for i in others) / len(others)
                else:
                    against = row[max(others, key=lambda i: (sums[i], -i))]
                gained[j] = against - row[j]
            for j in runs:
                for g, stake in enumerate(LAMBDAS):
                    wealth[j][g] *= 1 + stake * gained[j]
                sums[j] += row[j]
        out = [j for j in runs if sum(wealth[j]) / len(LAMBDAS) >= 1 / alpha]
        if len(out) == len(runs):
            out.remove(max(out, key=lambda i: (sums[i], -i)))
        for j in out:
            runs.remove(j)
            since[j] = min(start + batch, len(rows))
    return since, [math.log(sum(one) / len(LAMBDAS)) for one in wealth]


def run(rows, batch, alpha=0.05, k=1):
    state = start_race(rows.shape[1], k)
    while going_on(state.call).any() and state.at < len(rows):
        chosen = rows[state.at : state.at + batch][:, going_on(state.call)]
        state = settle_batch(state, chosen, alpha)
    return state


def test_bets_against_the_leader_are_the_worked_ones():
    lambdas = np.array(GOLDEN["lambdas"])
    found = bet_on_leader(
        np.array(GOLDEN["rows"], float), np.zeros(3), np.zeros((3, lambdas.size)), lambdas,
        first=True,
    )  # fmt: skip
    np.testing.assert_allclose(found.trace, GOLDEN["log_e_after_each_row"], rtol=0, atol=1e-14)
    assert found.opponents[1:].tolist() == GOLDEN["opponents"][1:]
    assert (found.opponents[0] == -1).all()


def test_thresholds_are_the_worked_ones():
    given_ = GOLDEN["thresholds"]
    assert threshold(1, 10, 0.05) == pytest.approx(given_["first"], rel=1e-15)
    assert threshold(3, 10, 0.05) == pytest.approx(given_["top3_of_10"], rel=1e-15)


@pytest.mark.parametrize("batch", [1, 7, 25, 300])
def test_a_race_for_first_is_what_a_plain_loop_makes_of_it(batch):
    rows = drawn(300, [0.8, 0.75, 0.5, 0.2, 0.74], seed=3)
    since, wealth = plain_race(rows.tolist(), batch, 0.05)
    state = run(rows, batch)
    assert {j: int(state.since[j]) for j in np.flatnonzero(state.call == -1)} == since
    np.testing.assert_allclose(race_evidence(state), wealth, atol=1e-9)
    assert since  # somebody was dropped, so that opponents changed


def test_bets_on_pairs_are_products_of_single_rows():
    rows = np.random.default_rng(1).random((130, 4))
    found = log_wealth(bet_on_pairs(rows, np.zeros((LAMBDAS.size, 4, 4))), axis=0)
    for i, j in itertools.product(range(4), repeat=2):
        wealth = [math.prod(1 + g * (row[i] - row[j]) for row in rows.tolist()) for g in LAMBDAS]
        assert found[i, j] == pytest.approx(math.log(sum(wealth) / len(wealth)), abs=1e-9)


@pytest.mark.parametrize("table", [0, 10**9])
def test_wealth_of_counts_is_that_of_every_pair_on_its_own(table, monkeypatch):
    monkeypatch.setattr(bets, "_FULL_TABLE", table)
    rows = (np.random.default_rng(7).random((90, 6)) < np.linspace(0.1, 0.9, 6)).astype(float)
    state = settle_batch(start_race(6, 2), rows, 1e-30)
    for i, j in itertools.permutations(range(6), 2):
        wealth = np.ones(LAMBDAS.size)
        for row in rows:
            wealth *= 1.0 + LAMBDAS * (row[i] - row[j])
        assert state.now[i, j] == pytest.approx(np.log(wealth.mean()), abs=1e-10)


@pytest.mark.parametrize("batch", [7, 60, 80])
def test_counts_of_right_and_wrong_are_bets_on_pairs_until_a_score_lies_between(batch):
    rows = np.vstack([drawn(60, [0.5, 0.6, 0.7], 4), np.random.default_rng(4).random((20, 3))])
    counted, all_rows = run(rows[:60], batch, 1e-30, k=2), run(rows, batch, 1e-30, k=2)
    assert counted.logs.shape == (3, 3)
    assert (counted.logs.sum(), counted.logs[2, 0]) == (
        sum(int(a > b) for row in rows[:60] for a in row for b in row),
        sum(int(row[2] > row[0]) for row in rows[:60]),
    )
    bets = bet_on_pairs(rows, np.zeros((LAMBDAS.size, 3, 3)))
    np.testing.assert_allclose(all_rows.logs, bets, atol=1e-10)
    np.testing.assert_allclose(all_rows.now, log_wealth(bets, axis=0), atol=1e-10)


@given(st.integers(1, 40), st.integers(0, 10_000))
def test_without_drops_batches_make_no_difference(batch, seed):
    rows = drawn(80, [0.5, 0.6, 0.7], seed)
    assert np.array_equal(run(rows, batch, 1e-30).logs, run(rows, 80, 1e-30).logs)
    pairs = run(rows, batch, 1e-30, k=2), run(rows, 80, 1e-30, k=2)
    np.testing.assert_allclose(pairs[0].logs, pairs[1].logs, atol=1e-10)


@given(st.integers(1, 59), st.integers(0, 10_000))
def test_a_later_row_changes_no_earlier_opponent_and_no_earlier_wealth(row, seed):
    rows = drawn(60, [0.5, 0.6, 0.7, 0.4], seed)
    changed = rows.copy()
    changed[row] = 1 - changed[row]
    one, other = (
        bet_on_leader(x, np.zeros(4), np.zeros((4, LAMBDAS.size)), first=True)
        for x in (rows, changed)
    )
    assert np.array_equal(one.opponents[: row + 1], other.opponents[: row + 1])
    assert np.array_equal(one.trace[:row], other.trace[:row])


def test_identical_models_are_never_told_apart():
    rows = np.repeat(drawn(500, [0.6]), 3, axis=1)
    assert not run(rows, 25).call.any()
    assert not run(rows, 25, k=2).call.any()


def test_the_last_model_is_never_dropped():
    rows = np.zeros((2, 3))
    state = start_race(3)
    full = state._replace(logs=np.full(state.logs.shape, 9.0), sums=np.array([1.0, 3.0, 2.0]), at=5)
    assert settle_batch(full, rows, 0.05).call.tolist() == [-1, 0, -1]


@given(st.integers(2, 6), st.integers(1, 5), st.integers(0, 2**36 - 1))
def test_calls_hold_for_every_set_of_k_that_the_claims_allow(size, k, bits):
    """A claim forbids every set with the worse model inside and the better one outside."""
    k = min(k, size - 1)
    shown = np.array([(bits >> place) & 1 for place in range(size * size)], bool)
    shown = np.triu(shown.reshape(size, size), 1)  # claims that one order allows
    shown = shown[np.ix_(*[np.random.default_rng(bits).permutation(size)] * 2)]
    allowed = [
        set(chosen)
        for chosen in itertools.combinations(range(size), k)
        if not any(
            shown[i, j] for i in set(range(size)) - set(chosen) for j in chosen
        )
    ]  # fmt: skip
    assert allowed
    call = call_top(shown, k)
    for model in range(size):
        if call[model]:
            assert all((model in chosen) == (call[model] == 1) for chosen in allowed)


def test_a_full_order_calls_everybody():
    assert call_top(np.triu(np.ones((5, 5), bool), 1), 2).tolist() == [1, 1, -1, -1, -1]


def test_claims_that_contradict_each_other_call_nobody_about_them():
    both = ~np.eye(3, dtype=bool)
    assert call_top(both, 1).tolist() == [0, 0, 0]


def test_a_late_model_begins_with_nothing_and_can_still_win():
    rows = drawn(400, [0.6, 0.55, 0.5], 1)
    state = settle_batch(start_race(3), rows[:100], 0.05)
    state = add_racer(state, 0.05)
    assert race_evidence(state)[3] == 0.0
    late = np.column_stack([rows, np.ones(400)])
    while going_on(state.call).any() and state.at < 400:
        state = settle_batch(state, late[state.at : state.at + 25][:, going_on(state.call)], 0.05)
    assert state.call.tolist() == [-1, -1, -1, 0]


def test_calls_among_the_first_k_are_made_anew_when_a_model_joins():
    state = run(drawn(150, [0.95, 0.6, 0.05], 4), 25, k=2)
    assert state.call.tolist() == [1, 1, -1]
    assert add_racer(state, 1e-20).call.tolist() == [0, 0, 0, 0]  # nothing is shown at that rate


def test_rows_left_follow_the_slope_of_the_last_half():
    assert rows_left([25, 50], [[1.0, 2.0], [2.0, 2.0]], 3.0).tolist() == [25.0, math.inf]
    assert rows_left([25], [[1.5]], 3.0).tolist() == [25.0]


SCENES = {
    "10 tied": [0.5] * 10,
    "2 of 10 tied": [0.6, 0.6, *[0.5] * 8],
    "30 tied": [0.4] * 30,
}


@pytest.mark.slow
@pytest.mark.parametrize("scene", SCENES)
def test_a_best_model_is_rarely_dropped_whatever_the_looks(scene, calibration):
    """Batches of 5 to 500 that depend on what was seen, a model that joins late, any scores."""
    runs = calibration.runs(14, 1000)
    ability = np.array(SCENES[scene])
    lost = 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        rows = (rng.random((1500, ability.size)) < ability).astype(float)
        state = start_race(ability.size - 1)
        while going_on(state.call).any() and state.at < 1500:
            near = race_evidence(state).max() > 2.0  # look more often where it is close
            batch = 5 if near else int(rng.choice([25, 100, 500]))
            if state.call.size < ability.size and (near or state.at > 300):
                state = add_racer(state, 0.05)
            chosen = rows[state.at : state.at + batch, : state.call.size]
            state = settle_batch(state, chosen[:, going_on(state.call)], 0.05)
        lost += state.call[0] == -1
    calibration.at_most(lost, runs, 0.05, of="a tied best model dropped")
