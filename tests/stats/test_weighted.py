"""Weighted and family merge."""

import itertools
from decimal import Decimal
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
    sampling_error,
)
from hypothesis import given
from hypothesis import strategies as st
from reference import golden

from rankbars.errors import DataError, OptionError
from rankbars.stats.newtask.guarantees import miss_bound, order_index
from rankbars.stats.newtask.merges import quantile_merge
from rankbars.stats.newtask.weighted import (
    family_merge,
    family_miss_bound,
    weighted_merge,
    weighted_miss_bound,
)

alphas = st.sampled_from(ALPHAS)
WEIGHTS = st.one_of(
    st.sampled_from((0, 1, 2, 5)), st.sampled_from((0.0, 0.1, 0.25, 1 / 3, 1e-9, 1e9, 2.5e-300))
)


def ends(bounds):
    return bounds.best.tolist(), bounds.worst.tolist()


@st.composite
def weighted_bags(draw):
    bag = draw(interval_bags())
    n_tasks = len(bag.best)
    weights = draw(st.lists(WEIGHTS, min_size=n_tasks, max_size=n_tasks))
    if not any(weights):
        weights[0] = 1
    return bag, weights, draw(WEIGHTS)


@st.composite
def family_bags(draw):
    bag = draw(interval_bags())
    n_tasks = len(bag.best)
    return bag, draw(st.lists(st.integers(0, 4), min_size=n_tasks, max_size=n_tasks))


def golden_case():
    case = golden("prediction_interval")
    return IntervalBag(np.array(case["best"]), np.array(case["worst"]), case["n_ranks"]), case


@pytest.mark.parametrize("which", ["uniform", "rule"])
def test_weighted_gives_the_golden_intervals(which):
    bag, case = golden_case()
    assert case["weights_rule"] == "task b has weight 1 + (b mod 3), the new task weight 2"
    rule = [1 + b % 3 for b in range(case["n_tasks"])]
    weights, new = ([1] * case["n_tasks"], 1) if which == "uniform" else (rule, 2)
    rows = [row for row in case["results"] if row.get("weights") == which]
    assert len(rows) == 5
    for row in rows:
        found = weighted_merge(*bag, row["alpha"], weights, new)
        assert ends(found) == (row["best"], row["worst"]), row


def test_family_gives_the_golden_intervals():
    bag, case = golden_case()
    families = [b // 2 for b in range(case["n_tasks"])]
    rows = [row for row in case["results"] if row["merge"] == "family"]
    assert len(rows) == 5
    for row in rows:
        found = family_merge(*bag, row["alpha"], families)
        assert ends(found) == (row["best"], row["worst"]), row


def largest_within(share, n_ranks, limit):
    """Largest rank c with ``share(c) <= limit``, else 1; the definition, rank by rank."""
    return max((c for c in range(1, n_ranks + 1) if share(c) <= limit), default=1)


@given(weighted_bags(), alphas)
def test_weighted_equals_its_definition(case, alpha):
    bag, weights, new = case
    found = weighted_merge(*bag, alpha, weights, new)
    limit = Fraction(str(alpha)) / 2
    exact, exact_new = [Fraction(str(w)) for w in weights], Fraction(str(new))
    total = exact_new + sum(exact)
    for model, (best, worst) in enumerate(zip(*ends(found), strict=True)):
        lows, highs = bag.best[:, model], bag.n_ranks + 1 - bag.worst[:, model]

        def share(c, values=lows):
            below = sum(w for w, value in zip(exact, values, strict=True) if value < c)
            return (exact_new + below) / total

        assert best == largest_within(share, bag.n_ranks, limit)
        mirror = largest_within(lambda c, v=highs: share(c, v), bag.n_ranks, limit)
        assert worst == bag.n_ranks + 1 - mirror


@given(family_bags(), alphas)
def test_family_equals_its_definition(case, alpha):
    bag, families = case
    found = family_merge(*bag, alpha, families)
    limit = Fraction(str(alpha)) / 2
    labels = np.array(families)
    count = len(set(families))
    for model, best in enumerate(found.best.tolist()):
        lows = bag.best[:, model]

        def share(c, lows=lows):
            means = sum(
                Fraction(int((lows[labels == f] < c).sum()), int((labels == f).sum()))
                for f in set(families)
            )
            return (1 + means) / (count + 1)

        assert best == largest_within(share, bag.n_ranks, limit)
    mirror = family_merge(*mirrored(bag), alpha, families)
    assert (bag.n_ranks + 1 - mirror.best).tolist() == found.worst.tolist()


@pytest.mark.parametrize("weight", [1, 0.1, 3, 1e-300, Decimal("0.7"), Fraction(1, 3), "0.1"])
@given(bag=interval_bags(), alpha=alphas)
def test_uniform_weights_are_the_quantile_merge(bag, alpha, weight):
    n_tasks = len(bag.best)
    found = weighted_merge(*bag, alpha, [weight] * n_tasks, weight)
    assert ends(found) == ends(quantile_merge(*bag, alpha))
    assert weighted_miss_bound(alpha, [weight] * n_tasks, weight) == miss_bound(
        "quantile", n_tasks, alpha
    )


@given(interval_bags(), alphas)
def test_families_of_one_are_the_quantile_merge(bag, alpha):
    n_tasks = len(bag.best)
    families = np.arange(n_tasks)[::-1]
    assert ends(family_merge(*bag, alpha, families)) == ends(quantile_merge(*bag, alpha))
    assert family_miss_bound(alpha, families) == miss_bound("quantile", n_tasks, alpha)


@pytest.mark.parametrize("n_models", [3, 300])
def test_a_larger_bag_with_uniform_weights_is_the_quantile_merge(n_models):
    """More cells than fit into one block."""
    bag = random_bag(300, n_models, 100)
    for alpha in (0.1, 0.3):
        plain = ends(quantile_merge(*bag, alpha))
        assert ends(weighted_merge(*bag, alpha, np.full(300, 0.1), 0.1)) == plain
        assert ends(family_merge(*bag, alpha, np.arange(300))) == plain


@given(weighted_bags(), alphas)
def test_only_the_proportions_of_weights_matter(case, alpha):
    bag, weights, new = case
    scaled = [Fraction(str(w)) * Fraction(7, 3) for w in weights]
    again = weighted_merge(*bag, alpha, scaled, Fraction(str(new)) * Fraction(7, 3))
    assert ends(again) == ends(weighted_merge(*bag, alpha, weights, new))


@given(weighted_bags(), alphas)
def test_a_task_of_weight_zero_is_a_task_left_out(case, alpha):
    bag, weights, new = case
    kept = np.array(weights) != 0
    fewer = IntervalBag(bag.best[kept], bag.worst[kept], bag.n_ranks)
    again = weighted_merge(*fewer, alpha, [w for w in weights if w], new)
    assert ends(again) == ends(weighted_merge(*bag, alpha, weights, new))


@given(weighted_bags())
def test_a_smaller_alpha_never_narrows_the_weighted_merge(case):
    bag, weights, new = case
    found = [weighted_merge(*bag, alpha, weights, new) for alpha in ALPHAS]
    for wide, narrow in itertools.pairwise(found):
        assert contained(narrow, wide).all()
        assert (narrow.best <= narrow.worst).all()


@given(family_bags())
def test_a_smaller_alpha_never_narrows_the_family_merge(case):
    bag, families = case
    found = [family_merge(*bag, alpha, families) for alpha in ALPHAS]
    for wide, narrow in itertools.pairwise(found):
        assert contained(narrow, wide).all()
        assert (narrow.best <= narrow.worst).all()


@given(weighted_bags(), alphas, st.data())
def test_the_order_of_weighted_tasks_carries_no_information(case, alpha, data):
    bag, weights, new = case
    order = data.draw(st.permutations(range(len(weights))))
    moved = IntervalBag(bag.best[order], bag.worst[order], bag.n_ranks)
    again = weighted_merge(*moved, alpha, [weights[b] for b in order], new)
    assert ends(again) == ends(weighted_merge(*bag, alpha, weights, new))


@given(family_bags(), alphas)
def test_labels_of_families_are_only_labels(case, alpha):
    bag, families = case
    names = [f"family {9 - label}" for label in families]
    assert ends(family_merge(*bag, alpha, names)) == ends(family_merge(*bag, alpha, families))


@given(weighted_bags(), alphas)
def test_the_weighted_bound_is_a_rate_and_zero_means_trivial(case, alpha):
    bag, weights, new = case
    bound = weighted_miss_bound(alpha, weights, new)
    assert 0 <= bound <= Fraction(str(alpha))
    total = Fraction(str(new)) + sum(Fraction(str(w)) for w in weights)
    # The new task alone has more weight than one side may miss.
    if Fraction(str(new)) / total > Fraction(str(alpha)) / 2:
        assert bound == 0
        assert set(weighted_merge(*bag, alpha, weights, new).best) <= {1}


@given(family_bags(), alphas)
def test_the_family_bound_is_zero_exactly_where_families_are_too_few(case, alpha):
    _, families = case
    count = len(set(families))
    bound = family_miss_bound(alpha, families)
    assert (bound == 0) == (order_index(count, alpha) == 0)
    assert bound <= Fraction(str(alpha))


def test_a_single_family_is_trivial():
    bag = random_bag(50, 3, 9)
    assert ends(family_merge(*bag, 0.5, np.zeros(50))) == ([1] * 3, [9] * 3)


@pytest.mark.parametrize("weight", [-1, -0.1, float("nan"), float("inf"), "heavy", None])
def test_a_weight_that_is_not_a_finite_number_of_0_or_more_is_refused(weight):
    bag = random_bag(3, 1, 5)
    with pytest.raises(DataError, match="finite number of 0 or more"):
        weighted_merge(*bag, 0.5, [1, weight, 1])
    with pytest.raises(DataError, match="finite number of 0 or more"):
        weighted_merge(*bag, 0.5, [1, 1, 1], weight)


def test_weights_that_are_all_zero_are_refused():
    with pytest.raises(DataError, match="All task weights are zero"):
        weighted_merge(*random_bag(3, 1, 5), 0.5, [0, 0, 0])


def test_weights_and_families_must_fit_the_tasks():
    bag = random_bag(3, 1, 5)
    with pytest.raises(DataError, match="one weight for each of the 3 tasks; got 2"):
        weighted_merge(*bag, 0.5, [1, 1])
    with pytest.raises(DataError, match="one family for each of the 3 tasks"):
        family_merge(*bag, 0.5, [1, 1])


def test_no_task_is_an_error():
    nothing = np.ones((0, 1), dtype=int)
    with pytest.raises(DataError, match="at least one task"):
        weighted_merge(nothing, nothing, 5, 0.5, [])
    with pytest.raises(DataError, match="at least one task"):
        family_merge(nothing, nothing, 5, 0.5, [])


def test_an_alpha_outside_its_range_is_refused():
    bag = random_bag(3, 1, 5)
    with pytest.raises(OptionError, match="alpha must be strictly between 0 and 1"):
        weighted_merge(*bag, 0.0, [1, 1, 1])
    with pytest.raises(OptionError, match="alpha must be strictly between 0 and 1"):
        family_merge(*bag, 1.0, [1, 2, 3])


@pytest.mark.slow
def test_the_family_merge_covers_new_families_where_the_quantile_merge_does_not():
    """8 families of 5 tasks, intraclass correlation .8, target .70: the published contrast."""
    rng = np.random.default_rng(6)
    n_families, size, correlation, alpha, repetitions = 8, 5, 0.8, 0.3, 6000
    family = rng.normal(size=(n_families + 1, 1, repetitions)) * np.sqrt(correlation)
    task = rng.normal(size=(n_families + 1, size, repetitions)) * np.sqrt(1 - correlation)
    n_ranks = 1_000_000
    rank = np.clip(np.rint((family + task) * 5e4 + n_ranks / 2), 1, n_ranks).astype(np.int64)
    seen = rank[:-1].reshape(-1, repetitions)
    new = IntervalBag(rank[-1, 0], rank[-1, 0], n_ranks)
    by_family = family_merge(seen, seen, n_ranks, alpha, np.arange(n_families * size) // size)
    plain = quantile_merge(seen, seen, n_ranks, alpha)
    target = 1 - alpha
    slack = sampling_error(target, repetitions)
    assert contained(new, by_family).mean() >= target - slack
    assert abs(contained(new, by_family).mean() - 0.842) <= sampling_error(0.842, repetitions)
    assert contained(new, plain).mean() < target - slack
    assert abs(contained(new, plain).mean() - 0.658) <= sampling_error(0.658, repetitions)


@pytest.mark.slow
def test_the_weighted_merge_covers_a_shifted_source_where_the_quantile_merge_does_not(calibration):
    """Hard tasks are rare among the seen ones and frequent among the new ones."""
    rng = np.random.default_rng(7)
    n_tasks, alpha, n_ranks, repetitions = 40, 0.3, 60, calibration.runs(1000, 4000)
    hard_share, new_hard_share = 0.15, 0.8
    ratio = np.array([(1 - new_hard_share) / (1 - hard_share), new_hard_share / hard_share])
    hits, plain_hits = 0, 0
    for _ in range(repetitions):
        hard = np.append(rng.random(n_tasks) < hard_share, rng.random() < new_hard_share)
        place = np.rint(15 + 20 * hard + 5 * rng.normal(size=n_tasks + 1))
        best = np.clip(place, 1, n_ranks).astype(np.int64)[:, None]
        worst = np.minimum(best + 2, n_ranks)
        weights = ratio[hard.astype(int)]
        found = weighted_merge(
            best[:-1], worst[:-1], n_ranks, alpha, weights[:-1], float(weights[-1])
        )
        plain = quantile_merge(best[:-1], worst[:-1], n_ranks, alpha)
        new = IntervalBag(best[-1], worst[-1], n_ranks)
        hits += contained(new, found)[0]
        plain_hits += contained(new, plain)[0]
    target = 1 - alpha
    calibration.at_least(hits, repetitions, target, of="weighted")
    bound = round(target - sampling_error(target, repetitions), 4)
    calibration.below(plain_hits, repetitions, bound, of="quantile")
