"""What published scores are made of: found where it is so, and never by chance."""

import sys

import numpy as np
import pytest

from rankbars.tables.derivedscores import find_derived

NAMES = [f"task {k}" for k in range(9)]


def scores(seed, rows=6, columns=8):
    rng = np.random.default_rng(seed)
    level, ease = rng.normal(0, 8, (rows, 1)), rng.normal(60, 10, columns)
    return np.round(level + ease + rng.normal(0, 3, (rows, columns)), 1)


def test_of_scores_by_themselves_nothing_is_found():
    found = [
        name
        for seed in range(40)
        for table in (scores(seed), scores(seed, rows=3), scores(seed, rows=20).round())
        for models in (True, False)
        for name in find_derived(table, NAMES[:8], models=models)
    ]
    assert found == []


@pytest.mark.parametrize("items", [100, 150, 164, 1319])
def test_shares_of_few_tasks_are_not_made_of_each_other(items):
    rng = np.random.default_rng(items)
    found = [
        name
        for _ in range(20)
        for tasks in (1, 2)
        for shares in [rng.binomial(items, rng.uniform(0.2, 0.9, 20), (tasks, 20)) / items]
        for table in (shares, np.round(100 * shares, 1), 100 * shares)
        for name in find_derived(table, [f"m{k}" for k in range(20)], models=True)
    ]
    assert found == []


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("made", ["mean", "block", "difference", "greatest"])
def test_what_is_made_of_others_is_found_whatever_its_name(seed, made):
    table = scores(seed)
    place, column = {
        "mean": (0, table.mean(axis=1)),
        "block": (3, table[:, 3:6].mean(axis=1)),
        "difference": (8, table[:, 2] - table[:, 5]),
        "greatest": (8, table.max(axis=1)),
    }[made]
    if made == "greatest":  # somebody else is best on some row
        table[0, 1], table[1, 2] = 99.1, 98.2
        column = table.max(axis=1)
    whole = np.insert(table, place, np.round(column, 1), axis=1)
    found = find_derived(whole, NAMES, models=made in ("difference", "greatest"))
    if made == "difference" and abs(np.median(column)) > table[:, [2, 5]].mean():
        pytest.fail("a difference of scores is smaller than they are")
    assert list(found) == [NAMES[place]]


def test_a_model_in_the_middle_of_others_is_no_mean():
    table = np.linspace(0.5, 0.9, 5) + np.array([[0.0], [0.05], [0.1], [0.02]])
    assert find_derived(table, NAMES[:5], models=True) == {}


def test_the_same_model_twice_is_no_composite():
    table = scores(1)
    twice = np.column_stack([table, table[:, 3]])
    assert find_derived(twice, NAMES, models=True) == {}


def test_a_name_that_says_mean_must_agree():
    table = scores(2, columns=4)
    wrong = np.column_stack([table, table.mean(axis=1) + 2.0])
    right = np.column_stack([table, table.mean(axis=1)])
    names = [*NAMES[:4], "Average"]
    assert find_derived(wrong, names) == {}
    assert find_derived(right[:1], names) == {"Average": "the mean of all others"}


def test_what_is_named_counts():
    table = scores(3)
    whole = np.column_stack([table, table.mean(axis=1)])
    assert find_derived(whole, NAMES, ("task 8",)) == {}


def test_gaps_are_passed_over():
    table = scores(4)
    whole = np.column_stack([table, table.mean(axis=1)])
    whole[0, 0] = whole[2, 8] = np.nan
    assert list(find_derived(whole, NAMES)) == ["task 8"]


def test_pairs_that_may_agree_by_chance_are_not_looked_at_one_by_one():
    """Answers to three items: nearly every model is the difference of some two."""

    def count_calls(columns):
        table = np.random.default_rng(columns).integers(0, 2, (3, columns)).astype(float)
        calls = 0

        def count(_frame, event, _argument):
            nonlocal calls
            calls += event == "call"

        sys.setprofile(count)
        try:
            find_derived(table, [f"model {k}" for k in range(columns)], models=True)
        finally:
            sys.setprofile(None)
        return calls

    assert count_calls(60) < 8 * count_calls(15)


def test_a_mean_is_found_where_some_rows_have_more_digits():
    table = scores(3, rows=12)
    mean = np.round(table.mean(axis=1), 1)
    mean[4] = table[4].mean()
    found = find_derived(np.insert(table, 0, mean, axis=1), NAMES)
    assert found == {NAMES[0]: "the mean of all others"}
