"""Order relations: closure, reduction, cycles, tiers, neighbours."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import shortest_path

from rankbars.errors import DataError
from rankbars.stats.multiplicity.stepdown import decide
from rankbars.stats.orders import (
    find_cycles,
    neighbours_not_separated,
    tiers,
    transitive_closure,
    transitive_reduction,
    unseparated_runs,
)


def relation(size, *pairs):
    shown = np.zeros((size, size), dtype=bool)
    for i, j in pairs:
        shown[i, j] = True
    return shown


@st.composite
def relations(draw, *, acyclic=False, max_size=9):
    size = draw(st.integers(0, max_size))
    pairs = list(itertools.permutations(range(size), 2))
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=14)) if pairs else []
    if acyclic:
        place = draw(st.permutations(range(size)))
        chosen = [(i, j) for i, j in chosen if place[i] < place[j]]
    return relation(size, *chosen)


def reachable(shown, start):
    """Everything that a walk from `start` can meet."""
    met, ahead = set(), list(np.flatnonzero(shown[start]))
    while ahead:
        here = ahead.pop()
        if here not in met:
            met.add(here)
            ahead.extend(np.flatnonzero(shown[here]))
    return met


@given(relations())
def test_closure_is_reachability(shown):
    closed = transitive_closure(shown)
    for model in range(len(shown)):
        assert set(np.flatnonzero(closed[model])) == reachable(shown, model)


@given(relations())
def test_closing_twice_adds_nothing(shown):
    closed = transitive_closure(shown)
    np.testing.assert_array_equal(transitive_closure(closed), closed)
    assert (closed >= shown).all()


def test_closure_leaves_its_argument_alone():
    chain = relation(3, (0, 1), (1, 2))
    transitive_closure(chain)
    assert chain.sum() == 2


@given(relations(acyclic=True))
def test_reduction_has_the_same_closure_and_no_pair_to_spare(shown):
    reduced = transitive_reduction(shown)
    closed = transitive_closure(shown)
    np.testing.assert_array_equal(transitive_closure(reduced), closed)
    for pair in np.argwhere(reduced):
        fewer = reduced.copy()
        fewer[tuple(pair)] = False
        assert (transitive_closure(fewer) != closed).any()


def test_reduction_of_a_total_order_is_a_chain():
    size = 20
    total = np.triu(np.ones((size, size), dtype=bool), 1)
    np.testing.assert_array_equal(transitive_reduction(total), np.eye(size, k=1, dtype=bool))


def test_reduction_of_a_cycle_is_refused():
    with pytest.raises(DataError, match=r"cycle among models number \[1, 2\]"):
        transitive_reduction(relation(3, (0, 1), (1, 2), (2, 1)))


@given(relations())
def test_cycles_are_the_models_that_reach_each_other(shown):
    found = find_cycles(shown)
    expected = {
        tuple(sorted({a, *(b for b in reachable(shown, a) if a in reachable(shown, b))}))
        for a in range(len(shown))
        if a in reachable(shown, a)
    }
    assert {tuple(group) for group in found.groups} == expected
    assert found.groups == sorted(found.groups)


@given(relations())
def test_without_its_cycles_a_relation_can_be_drawn(shown):
    """Only pairs inside groups go, and closing what is left brings none of them back."""
    found = find_cycles(shown)
    assert (found.closed == transitive_closure(found.shown_better)).all()
    closed = transitive_closure(found.shown_better)
    assert not closed.diagonal().any()
    group_of = {model: k for k, group in enumerate(found.groups) for model in group}
    for i, j in np.argwhere(shown):
        inside = i in group_of and group_of[i] == group_of.get(j)
        assert found.shown_better[i, j] == (not inside)
        assert not (inside and closed[i, j])


def test_a_pair_shown_both_ways_is_a_cycle():
    found = find_cycles(relation(3, (0, 1), (1, 0), (0, 2)))
    assert found.groups == [[0, 1]]
    np.testing.assert_array_equal(found.shown_better, relation(3, (0, 2)))


@given(st.integers(2, 7), st.integers(3, 30), st.floats(0, 3), st.integers(0, 10_000))
def test_complete_paired_data_give_relations_that_are_closed(size, n, spread, seed):
    """The standard error obeys the triangle inequality; so better than better is better."""
    rng = np.random.default_rng(seed)
    mixing = rng.normal(size=(size, size))
    scores = rng.normal(size=(n, size)) @ mixing + spread * np.arange(size)
    t = np.zeros((size, size))
    for i, j in itertools.combinations(range(size), 2):
        d = scores[:, i] - scores[:, j]
        t[i, j] = d.mean() / (d.std(ddof=1) / np.sqrt(n))
        t[j, i] = -t[i, j]
    for alpha in (0.05, 0.5):
        shown = decide(t, n - 1.0, alpha, scope="all").shown_better
        np.testing.assert_array_equal(transitive_closure(shown), shown)
        assert find_cycles(shown).groups == []


def test_tiers_worked_by_hand():
    """a leads with b, c; b would not let d in, but a does; e is below a, and leads."""
    a, b, c, d, e, f = range(6)
    shown = relation(6, (b, d), (a, e), (b, e), (a, f), (c, f))
    assert tiers([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], shown) == [[a, b, c, d], [e, f]]


def test_tiers_never_chain():
    """Each model is separated from the next but one only: chaining would make a single tier."""
    size = 6
    shown = np.triu(np.ones((size, size), dtype=bool), 2)
    assert tiers(np.arange(size, 0, -1), shown) == [[0, 1], [2, 3], [4, 5]]


def test_models_of_equal_score_lead_together():
    """c is shown worse than one leader only, and stays; d is worse than both, and goes."""
    a, b, c, d = range(4)
    shown = relation(4, (a, c), (a, d), (b, d))
    assert tiers([0.9, 0.9, 0.5, 0.4], shown) == [[a, b, c], [d]]
    # A test of something else than the mean may separate leaders of equal mean.
    assert tiers([0.9, 0.9], relation(2, (b, a))) == [[0, 1]]


def test_a_lower_scored_model_may_stand_in_a_better_tier():
    """Model 1 is shown worse than the leader, and model 2 is not."""
    shown = relation(3, (0, 1))
    assert tiers([0.9, 0.8, 0.7], shown) == [[0, 2], [1]]


def test_models_without_a_score_come_last():
    shown = relation(3, (1, 2))
    assert tiers([np.nan, 0.9, 0.8], shown) == [[1, 0], [2]]
    assert tiers([np.nan, np.nan], relation(2)) == [[0, 1]]
    assert tiers([], relation(0)) == []


@st.composite
def scored_relations(draw):
    shown = draw(relations(acyclic=True))
    coarse = st.sampled_from((0.1, 0.2, 0.2, 0.3, np.nan))
    return draw(st.lists(coarse, min_size=len(shown), max_size=len(shown))), shown


@given(scored_relations())
def test_tiers_hold_everyone_once_and_their_leaders_in_front(case):
    score, shown = case
    found = tiers(score, shown)
    assert sorted(model for tier in found for model in tier) == list(range(len(score)))
    filled = np.nan_to_num(score, nan=-1.0)
    left = set(range(len(score)))
    for tier in found:
        top = max(filled[model] for model in left)
        leaders = [model for model in sorted(left) if filled[model] == top]
        assert tier[: len(leaders)] == leaders
        for model in left - set(leaders):
            beaten_by_all = all(shown[leader, model] for leader in leaders)
            assert (model in tier) == (not beaten_by_all)
        assert [-filled[model] for model in tier] == sorted(-filled[model] for model in tier)
        left -= set(tier)


@given(scored_relations(), st.data())
def test_reordering_models_leaves_the_tiers_as_they_are(case, data):
    score, shown = case
    order = data.draw(st.permutations(range(len(score))))
    moved = tiers([score[model] for model in order], shown[np.ix_(order, order)])
    named = [{order[model] for model in tier} for tier in moved]
    assert named == [set(tier) for tier in tiers(score, shown)]


def test_neighbours_not_separated_counts_pairs_open_both_ways():
    shown = relation(4, (0, 1), (3, 2))
    assert neighbours_not_separated([0, 1, 2, 3], shown) == 1
    assert neighbours_not_separated([0, 2, 1, 3], shown) == 3
    assert neighbours_not_separated([0], relation(1)) == 0
    assert neighbours_not_separated([], relation(0)) == 0


@pytest.mark.parametrize("size", [7, 8, 9, 40, 64, 65, 300])
@pytest.mark.parametrize("pairs", [0.5, 1.0, 2.0, 8.0])
def test_the_closure_of_many_models_is_what_paths_reach(size, pairs):
    shown = np.random.default_rng(size).random((size, size)) < pairs / size
    ways = np.isfinite(shortest_path(shown, unweighted=True))  # from a model to itself, too
    expected = shown.astype(float) @ ways > 0
    np.testing.assert_array_equal(transitive_closure(shown), expected)


def test_large_relations_cross_the_borders_of_bytes():
    """Rows are kept as bits; sizes around multiples of eight."""
    for size in (7, 8, 9, 63, 64, 65):
        chain = np.eye(size, k=1, dtype=bool)
        np.testing.assert_array_equal(
            transitive_closure(chain), np.triu(np.ones((size, size), dtype=bool), 1)
        )


@given(relations(), st.randoms(use_true_random=False))
def test_runs_are_the_longest_stretches_without_a_separated_pair(shown, random):
    order = list(range(len(shown)))
    random.shuffle(order)
    apart = shown | shown.T
    stretches = [
        (start, stop)
        for start, stop in itertools.combinations(range(len(order) + 1), 2)
        if not apart[np.ix_(order[start:stop], order[start:stop])].any()
    ]
    longest = [
        order[a:b] for a, b in stretches
        if not any((c, d) != (a, b) and c <= a and b <= d for c, d in stretches)
    ]  # fmt: skip
    assert unseparated_runs(order, shown) == longest
