"""Kemeny's order: exact, by every permutation, and free of names."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray

import rankbars as rb
from rankbars.stats.orders import kemeny_orders, pair_wins


def by_permutations(wins: NDArray[np.float64]) -> tuple[NDArray[np.float64], float, int]:
    """Mean ranks over all best orders, their cost and their number, one order after the other."""
    size = int(np.sqrt(wins.size))
    table = wins.reshape(size, size)
    cost = {
        order: sum(table[order[b], order[a]] for a in range(size) for b in range(a + 1, size))
        for order in permutations(range(size))
    }
    least = min(cost.values())
    best = [order for order, one in cost.items() if one < least + 1e-9]
    ranks = np.mean([[order.index(i) + 1 for i in range(size)] for order in best], axis=0)
    return ranks, float(least), len(best)


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
def test_best_orders_are_those_of_all_permutations(size: int) -> None:
    rng = np.random.default_rng(size)
    rounds = [rng.integers(0, 3, size=(5, size)).astype(float) for _ in range(8 if size < 6 else 3)]
    wins = np.stack([pair_wins(values).sum(axis=0) for values in rounds])
    found = kemeny_orders(wins)
    for k, one in enumerate(wins):
        ranks, cost, count = by_permutations(one)
        np.testing.assert_allclose(found.ranks[k], ranks)
        assert (found.cost[k], found.orders[k]) == (cost, count)


def test_twelve_models_with_one_order_on_all_tasks_are_in_it() -> None:
    order = np.random.default_rng(1).permutation(12)
    found = kemeny_orders(pair_wins(-order.astype(float)))
    assert found.ranks.tolist() == (order + 1).tolist()
    assert (found.cost.item(), found.orders.item()) == (0.0, 1.0)


def test_a_circle_of_three_has_no_first() -> None:
    votes = np.array([[3.0, 2, 1], [1.0, 3, 2], [2.0, 1, 3]])
    found = kemeny_orders(pair_wins(votes).sum(axis=0))
    assert found.ranks.tolist() == [2.0, 2.0, 2.0]
    assert found.orders == 3


def test_the_winner_of_every_pair_comes_first_where_mean_ranks_say_otherwise() -> None:
    # a beats b and c on two tasks of three, and is last on the third, where b is far ahead.
    tasks = {"x": [0.9, 0.8, 0.1, 0.2], "y": [0.9, 0.8, 0.1, 0.2], "z": [0.1, 0.9, 0.8, 0.7]}
    scores = rb.Scores(
        {name: rb.Estimates(tuple("abcd"), row, se=[0.001] * 4) for name, row in tasks.items()}
    )
    kemeny = rb.aggregate(scores, over="items", method="kemeny", resamples=200)
    assert kemeny.score.tolist() == [1.0, 2.0, 4.0, 3.0]
    assert kemeny.unit == "rank"
    assert kemeny.guarantee is None
    assert kemeny.draws is not None
    assert (kemeny.draws.values == -kemeny.score).all()  # scores hardly vary
    assert rb.aggregate(scores, over="items", method="average_rank").score[1] < 2.0


def test_each_draw_has_ranks_of_its_own() -> None:
    rng = np.random.default_rng(4)
    tasks = {name: (rng.random((30, 4)) < 0.5).astype(float) for name in "xyz"}
    made = rb.aggregate(
        rb.Scores.from_arrays(tasks, list("abcd")), over="items", method="kemeny", resamples=40
    )
    assert made.draws is not None
    np.testing.assert_allclose(made.draws.values.sum(axis=1), -10.0)  # 1 + 2 + 3 + 4
    assert len(np.unique(made.draws.values, axis=0)) > 5


def test_kemeny_names_its_limits() -> None:
    models = [f"m{i:02d}" for i in range(13)]
    rows = np.random.default_rng(0).random((5, 13))
    scores = rb.Scores.from_arrays({"x": rows, "y": rows[::-1]}, models)
    with pytest.raises(rb.OptionError, match="up to 12 models; there are 13"):
        rb.aggregate(scores, over="items", method="kemeny")
    with pytest.raises(rb.OptionError, match="items::kemeny"):
        rb.aggregate(scores.select(models=models[:3]), over="tasks", method="kemeny")
