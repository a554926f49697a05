"""The front of score against cost: golden values, brute force, and how often it holds."""

import itertools

import numpy as np
import pytest

from rankbars.stats.multiplicity.closedtesting import better_counts_from_p
from rankbars.stats.multiplicity.fronts import best_within, find_front, observed_front
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.pairwise.pairstatistics import p_values

# Made apart from this package, with the method written down.
GOLDEN = np.array(
    [[1, 0.9, 0.002, 0.3], [0.1, 1, 0.001, 0.0001], [0.998, 0.999, 1, 0.6], [0.7, 0.9999, 0.4, 1]]
)


def truly_on_front(score, cost):
    return np.array([
        not any(
            (score[k] >= score[j] and cost[k] <= cost[j])
            and (score[k] > score[j] or cost[k] < cost[j])
            for k in range(len(score))
        )
        for j in range(len(score))
    ])  # fmt: skip


def test_known_costs_give_the_golden_sets():
    found = find_front(GOLDEN, np.array([1.0, 3.0, 2.0, 4.0]), 0.05)
    assert np.flatnonzero(~found.each).tolist() == [2, 3]
    assert np.argwhere(found.dominates).tolist() == [[0, 2], [1, 3]]


@pytest.mark.parametrize("measured", [False, True])
def test_a_model_is_dominated_as_holm_over_the_pairs_has_it(measured):
    rng = np.random.default_rng(2)
    for _ in range(40):
        p_score = rng.random((5, 5)) ** 6
        p_cost = rng.random((5, 5)) ** 6 if measured else None
        cost = rng.integers(0, 4, 5).astype(float)
        pairs = {}
        for k, j in itertools.permutations(range(5), 2):
            if p_cost is not None:
                pairs[k, j] = max(p_score[k, j], p_cost[k, j])
            elif cost[k] <= cost[j]:
                pairs[k, j] = p_score[k, j]
        expected = np.zeros((5, 5), dtype=bool)
        for rank, pair in enumerate(sorted(pairs, key=pairs.get)):
            if pairs[pair] > 0.1 / (len(pairs) - rank):
                break
            expected[pair] = True
        found = find_front(p_score, cost, 0.1, p_cost)
        assert (found.dominates == expected).all()
        off = [any(pairs.get((k, j), 1.0) <= 0.1 / 4 for k in range(5)) for j in range(5)]
        assert (found.each == ~np.array(off)).all()


def test_equal_costs_leave_the_models_that_may_be_first():
    p = p_values(paired_t(np.random.default_rng(3).normal(size=(60, 6)) + np.arange(6) / 4))
    found = find_front(p, np.ones(6), 0.05)
    assert (found.each == (better_counts_from_p(p, 0.05) == 0)).all()
    assert 1 <= found.each.sum() < 6


def test_the_only_cheapest_model_of_known_costs_stays_however_bad_it_is():
    p = np.where(np.arange(4)[:, None] > np.arange(4), 1e-12, 1.0)
    found = find_front(p, np.array([1.0, 2.0, 3.0, 4.0]), 0.05)
    assert found.each.all()
    assert not found.dominates.any()
    assert found.surely.all()


def test_a_model_without_a_cost_is_in_nobodys_way():
    p = np.where(np.arange(3)[:, None] < np.arange(3), 0.04, 0.9)
    with_it = find_front(p, np.array([1.0, np.nan, 2.0]), 0.05)
    without = find_front(p[::2, ::2], np.array([1.0, 2.0]), 0.05)
    assert (with_it.dominates[::2, ::2] == without.dominates).all()
    assert without.dominates[0, 1]
    assert not with_it.dominates[1].any()
    assert not with_it.dominates[:, 1].any()
    assert with_it.each.tolist() == [True, False, False]


def test_one_model_is_alone_on_the_front():
    found = find_front(np.ones((1, 1)), np.array([2.0]), 0.05)
    assert found.each.all()
    assert found.surely.all()


def test_the_observed_front_is_that_of_every_pair_compared():
    rng = np.random.default_rng(4)
    for _ in range(30):
        score, cost = rng.integers(0, 4, (2, 7)).astype(float)
        assert (observed_front(score, cost) == truly_on_front(score, cost)).all()


def test_sets_within_budgets_are_those_of_the_models_paid_for():
    rng = np.random.default_rng(5)
    shown = np.triu(rng.random((8, 8)) < 0.3, 1)
    cost = rng.integers(1, 6, 8).astype(float)
    cost[2] = np.nan
    steps = best_within(shown, cost)
    for budget in (1.0, 2.0, 3.5, 4.0, 9.0):
        paid = [j for j in range(8) if cost[j] <= budget]
        expected = [j for j in paid if not any(shown[k, j] for k in paid)]
        found = [who.tolist() for least, who in steps if least <= budget]
        assert (found[-1] if found else []) == expected


def held(rng, size, items, *, measured):
    """Does each set hold the true front of one draw; and is what is surely on it there?"""
    score = np.repeat(np.array([0.0, 0.25, 0.5]), 2)[:size]
    cost = np.array([1.0, 1.0, 2.0, 2.5, 3.0, 3.0])[:size]
    ease = rng.normal(size=(items, 1))
    rows = score + ease + rng.normal(size=(items, size))
    p_cost = None
    if measured:
        paid = cost * np.exp(0.3 * ease + rng.normal(0, 0.5, (items, size)))
        p_cost = p_values(paired_t(-paid))
    found = find_front(p_values(paired_t(rows)), cost, 0.1, p_cost)
    front = truly_on_front(score, cost)
    possible = ~found.dominates.any(axis=0)
    return possible[front].all(), found.each[front], front[found.surely].all()


@pytest.mark.parametrize("measured", [False, True])
def test_the_sets_hold_the_true_front_as_often_as_they_say(measured):
    rng = np.random.default_rng(6 + measured)
    draws = [held(rng, 6, 120, measured=measured) for _ in range(400)]
    joint, each, surely = (np.mean([one[k] for one in draws], axis=0) for k in range(3))
    least = 0.9 - 3 * np.sqrt(0.09 / 400)
    assert joint >= least
    assert (each >= least).all()
    assert surely >= least


@pytest.mark.parametrize(
    ("items", "joint", "one"), [(30, 0.814, 0.676), (100, 0.869, 0.740), (300, 0.913, 0.826)]
)
def test_costs_that_differ_in_spread_alone_hold_as_rarely_as_the_page_says(items, joint, one):
    """Twelve models far apart in score and equal in mean cost: nobody is shown dominated rightly.

    The costs of the best spread most, and few dear items are among those drawn.
    """
    rng, spread, draws = np.random.default_rng(items), np.linspace(0.3, 1.3, 12), 600
    held, each = 0, np.zeros(12)
    for _ in range(draws):
        rows = 10 * np.arange(12) + rng.normal(size=(items, 12))
        paid = np.exp(spread * rng.normal(size=(items, 12)) - spread**2 / 2)
        scores, costs = p_values(paired_t(rows)), p_values(paired_t(-paid))
        found = find_front(scores, np.ones(12), 0.05, costs)
        held += not found.dominates.any()
        each += found.each
    # Four standard errors of 600 draws and of the 2,000 of the page.
    assert held / draws == pytest.approx(joint, abs=0.075)
    assert each.min() / draws == pytest.approx(one, abs=0.085)


def twelve(case, items, rng):
    """Scores and costs of twelve models; what is known of costs; and their true front."""
    place = np.arange(12.0)
    gap = {"clear": 10.0, "near": 1e-10}.get(case.partition(",")[0], 0.0)
    truth = gap * place
    known = np.ones(12) if case == "tied, one cost" else 1.0 + place
    rows = truth + rng.normal(size=(items, 1)) + rng.normal(size=(items, 12))
    paid = None
    if case == "clear, measured":
        paid = known * np.exp(0.5 * rng.normal(size=(items, 12)) - 0.125)
    if case == "tied, measured":
        known = np.ones(12)
        paid = np.exp(rng.normal(size=(items, 12)) - 0.5)
    return rows, known, paid, truly_on_front(truth, known)


@pytest.mark.parametrize(
    ("case", "items", "share"),
    [
        ("tied, one cost", 300, 0.965),
        ("near, known", 300, 0.958),
        ("clear, known", 300, 1.0),
        ("clear, measured", 300, 1.0),
        ("tied, measured", 30, 1.0),
        ("tied, measured", 300, 1.0),
    ],
)
def test_joint_sets_hold_as_often_as_the_table_of_costs_says(case, items, share):
    rng, draws = np.random.default_rng(items + len(case)), 400
    held = observed = 0
    for _ in range(draws):
        rows, known, paid, front = twelve(case, items, rng)
        p_cost = None if paid is None else p_values(paired_t(-paid))
        cost = known if paid is None else paid.mean(axis=0)
        found = find_front(p_values(paired_t(rows)), cost, 0.05, p_cost)
        held += not found.dominates[:, front].any()
        observed += observed_front(rows.mean(axis=0), cost)[front].all()
    assert held / draws == pytest.approx(share, abs=3 * np.sqrt(0.05 * 0.95 / draws))
    assert held / draws >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / draws)
    if case == "clear, known":
        assert observed == draws
    if not case.startswith("clear"):
        assert observed == 0
