"""Merges that hold for all models of a new task at once."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from bags import (
    ALPHAS,
    IntervalBag,
    contained,
    interval_bags,
    mirrored,
    random_bag,
)
from hypothesis import given
from hypothesis import strategies as st

from rankbars.errors import DataError, OptionError
from rankbars.stats.newtask.guarantees import miss_bound
from rankbars.stats.newtask.merges import _outermost, split_score_merge

MERGES = {"simultaneous": split_score_merge}
alphas = st.sampled_from(ALPHAS)


def ends(bounds):
    return bounds.best.tolist(), bounds.worst.tolist()


def split_score_plainly(bag, alpha):
    """The split score by its definition, rank by rank."""
    n_tasks, n_models = bag.best.shape
    first = n_tasks // 2
    second = n_tasks - first
    k = math.ceil((second + 1) * (1 - Fraction(str(alpha))))
    if first == 0 or k > second:
        return [1] * n_models, [bag.n_ranks] * n_models
    low = [float(np.median(bag.best[:first, j])) for j in range(n_models)]
    high = [float(np.median(bag.worst[:first, j])) for j in range(n_models)]
    scale = [
        max(
            1.0,
            float(np.std(bag.worst[:first, j] - bag.best[:first, j]))
            + max(float(np.std(bag.best[:first, j])), float(np.std(bag.worst[:first, j]))),
        )
        for j in range(n_models)
    ]
    scores = [
        max(
            max((low[j] - bag.best[b, j]) / scale[j], (bag.worst[b, j] - high[j]) / scale[j])
            for j in range(n_models)
        )
        for b in range(first, n_tasks)
    ]
    q = sorted(scores)[k - 1]
    ranks = range(1, bag.n_ranks + 1)
    best = [min(c for c in ranks if (low[j] - c) / scale[j] <= q) for j in range(n_models)]
    worst = [max(c for c in ranks if (c - high[j]) / scale[j] <= q) for j in range(n_models)]
    return best, worst


@given(interval_bags(max_tasks=14), alphas)
def test_split_score_equals_its_definition(bag, alpha):
    assert ends(split_score_merge(*bag, alpha)) == split_score_plainly(bag, alpha)


@pytest.mark.parametrize("seed", [0, 1, 11, 16, 28])
def test_split_score_equals_its_definition_on_larger_bags(seed):
    """In the last three, rounding would cost a rank without a second look at the score."""
    bag = random_bag(41, 7, 30, seed)
    assert ends(split_score_merge(*bag, 0.2)) == split_score_plainly(bag, 0.2)


@given(
    centre=st.integers(2, 80).map(lambda doubled: doubled / 2),
    scale=st.floats(1, 9),
    rank=st.integers(1, 40),
    nudge=st.sampled_from((-np.inf, None, np.inf)),
)
def test_the_end_of_a_box_is_the_first_rank_whose_score_fits(centre, scale, rank, nudge):
    """For a size q of the box that is the score of a rank, or the next number beside it."""
    q = (centre - rank) / scale
    q = q if nudge is None else float(np.nextafter(q, nudge))
    expected = min(c for c in range(-5, 100) if (centre - c) / scale <= q)
    assert _outermost(np.array([centre]), np.array([scale]), q, -5).tolist() == [expected]


def test_a_split_score_worked_by_hand():
    """First half: centre 5 on both sides, scale 1. Second half: scores 0, 1, 2, 3; the third."""
    rank = np.array([5, 5, 5, 5, 5, 4, 7, 8])[:, None]
    # k = ceil(5 * .6) = 3, so q = 2.
    assert ends(split_score_merge(rank, rank, 9, 0.4)) == ([3], [7])


@pytest.mark.parametrize("name", MERGES)
@given(bag=interval_bags(), alpha=alphas)
def test_results_are_intervals_of_ranks(name, bag, alpha):
    found = MERGES[name](*bag, alpha)
    assert (found.best >= 1).all()
    assert (found.best <= found.worst).all()
    assert (found.worst <= bag.n_ranks).all()
    assert found.best.dtype == found.worst.dtype == np.int64


@pytest.mark.parametrize("name", MERGES)
@given(bag=interval_bags(max_tasks=14))
def test_a_smaller_alpha_never_narrows(name, bag):
    found = [MERGES[name](*bag, alpha) for alpha in ALPHAS]
    for wide, narrow in itertools.pairwise(found):
        assert contained(narrow, wide).all()


@pytest.mark.parametrize("name", MERGES)
@given(bag=interval_bags(max_tasks=14), alpha=alphas, data=st.data())
def test_reordering_models_reorders_the_result(name, bag, alpha, data):
    models = data.draw(st.permutations(range(bag.best.shape[1])))
    moved = MERGES[name](bag.best[:, models], bag.worst[:, models], bag.n_ranks, alpha)
    found = MERGES[name](*bag, alpha)
    assert ends(moved) == (found.best[models].tolist(), found.worst[models].tolist())


@pytest.mark.parametrize("name", MERGES)
@given(bag=interval_bags(max_tasks=14), alpha=alphas)
def test_exchanging_first_and_last_rank_mirrors_the_result(name, bag, alpha):
    found, mirror = MERGES[name](*bag, alpha), MERGES[name](*mirrored(bag), alpha)
    assert (bag.n_ranks + 1 - mirror.worst).tolist() == found.best.tolist()
    assert (bag.n_ranks + 1 - mirror.best).tolist() == found.worst.tolist()


@given(interval_bags(max_tasks=14), alphas)
def test_the_split_score_box_holds_the_share_of_calibration_tasks_it_was_made_for(bag, alpha):
    """Rounding must not push the task that sets the size of the box out of it."""
    found = split_score_merge(*bag, alpha)
    first = len(bag.best) // 2
    second = len(bag.best) - first
    inside = contained(IntervalBag(bag.best[first:], bag.worst[first:], None), found).all(axis=1)
    k = math.ceil((second + 1) * (1 - Fraction(str(alpha))))
    assert inside.sum() >= min(k, second)


@pytest.mark.parametrize("name", MERGES)
def test_too_few_tasks_give_the_trivial_interval(name):
    same = np.full((1, 2), 3)
    assert ends(MERGES[name](same, same, 5, 0.1)) == ([1, 1], [5, 5])


@pytest.mark.parametrize("name", MERGES)
def test_wrong_input_is_refused(name):
    nothing = np.ones((0, 2), dtype=int)
    with pytest.raises(DataError, match="at least one task"):
        MERGES[name](nothing, nothing, 5, 0.2)
    with pytest.raises(DataError, match="1 <= best <= worst <= 5"):
        MERGES[name](np.full((3, 1), 4), np.full((3, 1), 3), 5, 0.2)
    with pytest.raises(OptionError, match="alpha must be strictly between 0 and 1"):
        MERGES[name](np.ones((3, 1)), np.ones((3, 1)), 5, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize("n_tasks", [12, 30])
@pytest.mark.parametrize("name", MERGES)
def test_all_models_of_the_new_task_are_inside_as_often_as_promised(
    calibration, name, n_tasks, coarse
):
    """Correlated models, ties if coarse; more than one model must be right at a time."""
    rng = np.random.default_rng([n_tasks, coarse])
    n_models, n_ranks, alpha, repetitions = 4, 20, 0.3, calibration.runs(600, 3000)
    level = np.array([4.0, 8.0, 11.0, 16.0])
    step = 4.0 if coarse else 1.0
    hits = 0
    for _ in range(repetitions):
        common = rng.normal(size=(n_tasks + 1, 1))
        place = level + 2 * common + 3 * rng.normal(size=(n_tasks + 1, n_models))
        reach = rng.gamma(1.0, 2.0, (n_tasks + 1, n_models))
        low, high = np.rint((place - reach) / step) * step, np.rint((place + reach) / step) * step
        best = np.clip(low, 1, n_ranks).astype(np.int64)
        worst = np.clip(high, best, n_ranks).astype(np.int64)
        found = MERGES[name](best[:-1], worst[:-1], n_ranks, alpha)
        hits += contained(IntervalBag(best[-1], worst[-1], n_ranks), found).all()
    promised = 1 - float(miss_bound(name, n_tasks, alpha))
    calibration.at_least(hits, repetitions, promised)
