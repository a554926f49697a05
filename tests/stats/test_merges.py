"""Quantile, union and joint merge."""

import itertools
import tracemalloc
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
from rankbars.stats.multiplicity.stepdown import decide
from rankbars.stats.newtask.guarantees import guarantee, miss_bound, order_index
from rankbars.stats.newtask.merges import joint_merge, quantile_merge, union_merge
from rankbars.stats.ranks import count_bounds, interval_width, observed_rank_sets

MERGES = {"quantile": quantile_merge, "joint": joint_merge}
alphas = st.sampled_from(ALPHAS)


def ends(bounds):
    return bounds.best.tolist(), bounds.worst.tolist()


def golden_bag():
    case = golden("prediction_interval")
    return IntervalBag(np.array(case["best"]), np.array(case["worst"]), case["n_ranks"])


@pytest.mark.parametrize("name", ["quantile", "joint"])
def test_merges_give_the_golden_intervals(name):
    bag = golden_bag()
    rows = [row for row in golden("prediction_interval")["results"] if row["merge"] == name]
    assert len(rows) == 5
    for row in rows:
        assert ends(MERGES[name](*bag, row["alpha"])) == (row["best"], row["worst"]), row


def test_union_gives_the_golden_interval():
    (row,) = [row for row in golden("prediction_interval")["results"] if row["merge"] == "union"]
    assert ends(union_merge(*golden_bag())) == (row["best"], row["worst"])


def search_all_intervals(best, worst, n_ranks, alpha):
    """The joint merge of one model, by its definition: every candidate [x, y] joins the bag."""
    need = Fraction(str(alpha)) * (len(best) + 1)
    accepted = []
    for x, y in itertools.combinations_with_replacement(range(1, n_ranks + 1), 2):
        bag = [*zip(best, worst, strict=True), (x, y)]
        depth = [
            min(sum(low <= own[0] for low, _ in bag), sum(high >= own[1] for _, high in bag))
            for own in bag
        ]
        if sum(d <= depth[-1] for d in depth) > need:
            accepted.append((x, y))
    if not accepted:
        return 1, n_ranks
    return min(x for x, _ in accepted), max(y for _, y in accepted)


@given(interval_bags(), alphas)
def test_joint_equals_the_search_over_all_candidate_intervals(bag, alpha):
    found = joint_merge(*bag, alpha)
    for model in range(bag.best.shape[1]):
        searched = search_all_intervals(
            bag.best[:, model].tolist(), bag.worst[:, model].tolist(), bag.n_ranks, alpha
        )
        assert (found.best[model], found.worst[model]) == searched


@pytest.mark.parametrize("alpha", [0.1, 0.3, 0.5])
def test_joint_equals_the_search_on_larger_bags(alpha):
    bag = random_bag(25, 6, 9, seed=4)
    found = joint_merge(*bag, alpha)
    for model in range(6):
        searched = search_all_intervals(bag.best[:, model], bag.worst[:, model], 9, alpha)
        assert (found.best[model], found.worst[model]) == searched


@given(interval_bags(), alphas)
def test_quantile_takes_the_kth_of_the_sorted_ends(bag, alpha):
    found = quantile_merge(*bag, alpha)
    k = int((len(bag.best) + 1) * Fraction(str(alpha)) / 2)
    for model, (best, worst) in enumerate(zip(*ends(found), strict=True)):
        if k == 0:
            assert (best, worst) == (1, bag.n_ranks)
        else:
            assert best == sorted(bag.best[:, model])[k - 1]
            assert worst == sorted(bag.worst[:, model], reverse=True)[k - 1]


@given(interval_bags(), alphas)
def test_union_is_the_quantile_merge_at_its_first_index_and_holds_every_other(bag, alpha):
    union = union_merge(*bag)
    n_tasks = len(bag.best)
    if n_tasks > 1:
        first = Fraction(2, n_tasks + 1)
        assert ends(quantile_merge(*bag, first)) == ends(union)
    if order_index(n_tasks, alpha) > 0:
        assert contained(quantile_merge(*bag, alpha), union).all()


@pytest.mark.parametrize("name", MERGES)
@given(bag=interval_bags(), alpha=alphas)
def test_results_are_intervals_of_ranks(name, bag, alpha):
    found = MERGES[name](*bag, alpha)
    assert (found.best >= 1).all()
    assert (found.best <= found.worst).all()
    assert (found.worst <= bag.n_ranks).all()
    assert found.best.dtype == found.worst.dtype == np.int64


@pytest.mark.parametrize("name", MERGES)
@given(bag=interval_bags())
def test_a_smaller_alpha_never_narrows(name, bag):
    found = [MERGES[name](*bag, alpha) for alpha in ALPHAS]
    for wide, narrow in itertools.pairwise(found):
        assert contained(narrow, wide).all()


@pytest.mark.parametrize("name", [*MERGES, "union"])
@given(bag=interval_bags(), alpha=alphas, data=st.data())
def test_the_order_of_tasks_and_models_carries_no_information(name, bag, alpha, data):
    def merge(some):
        return union_merge(*some) if name == "union" else MERGES[name](*some, alpha)

    tasks = data.draw(st.permutations(range(bag.best.shape[0])))
    models = data.draw(st.permutations(range(bag.best.shape[1])))
    moved = IntervalBag(bag.best[tasks][:, models], bag.worst[tasks][:, models], bag.n_ranks)
    found, again = merge(bag), merge(moved)
    assert again.best.tolist() == found.best[models].tolist()
    assert again.worst.tolist() == found.worst[models].tolist()


@pytest.mark.parametrize("name", [*MERGES, "union"])
@given(bag=interval_bags(), alpha=alphas)
def test_exchanging_first_and_last_rank_mirrors_the_result(name, bag, alpha):
    def merge(some):
        return union_merge(*some) if name == "union" else MERGES[name](*some, alpha)

    found, mirror = merge(bag), merge(mirrored(bag))
    assert (bag.n_ranks + 1 - mirror.worst).tolist() == found.best.tolist()
    assert (bag.n_ranks + 1 - mirror.best).tolist() == found.worst.tolist()


@pytest.mark.parametrize("name", MERGES)
def test_models_do_not_influence_each_other_and_blocks_leave_no_seam(name):
    """More cells than fit into one block."""
    bag = random_bag(60, 700, 700)
    found = MERGES[name](*bag, 0.2)
    for model in range(0, 700, 7):
        alone = MERGES[name](bag.best[:, [model]], bag.worst[:, [model]], bag.n_ranks, 0.2)
        assert (alone.best[0], alone.worst[0]) == (found.best[model], found.worst[model])


@pytest.mark.parametrize("name", MERGES)
@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.intp])
def test_any_integer_type_will_do(name, dtype):
    bag = random_bag(20, 4, 9)
    found = MERGES[name](bag.best.astype(dtype), bag.worst.astype(dtype), 9, 0.3)
    assert ends(found) == ends(MERGES[name](*bag, 0.3))


@pytest.mark.parametrize(("name", "n_tasks"), [("quantile", 8), ("joint", 3)])
def test_too_few_tasks_give_the_trivial_interval(name, n_tasks):
    same = np.full((n_tasks, 2), 3)
    assert ends(MERGES[name](same, same, 5, 0.2)) == ([1, 1], [5, 5])
    enough = np.full((n_tasks + 1, 2), 3)
    assert ends(MERGES[name](enough, enough, 5, 0.2)) == ([3, 3], [3, 3])


@pytest.mark.parametrize("name", MERGES)
def test_an_alpha_outside_its_range_is_refused(name):
    with pytest.raises(OptionError, match="alpha must be strictly between 0 and 1"):
        MERGES[name](np.ones((3, 1)), np.ones((3, 1)), 5, 1.0)


def merge_plainly(name, best, worst, n_ranks):
    if name == "union":
        return union_merge(best, worst, n_ranks)
    return MERGES[name](best, worst, n_ranks, 0.5)


@pytest.mark.parametrize("name", [*MERGES, "union"])
def test_no_task_is_an_error(name):
    nothing = np.ones((0, 2), dtype=int)
    with pytest.raises(DataError, match="at least one task"):
        merge_plainly(name, nothing, nothing, 5)


@pytest.mark.parametrize("name", [*MERGES, "union"])
@pytest.mark.parametrize(("best", "worst"), [(0, 2), (2, 6), (3, 2)])
def test_what_is_not_an_interval_of_ranks_is_refused(name, best, worst):
    with pytest.raises(DataError, match="1 <= best <= worst <= 5"):
        merge_plainly(name, np.full((3, 1), best), np.full((3, 1), worst), 5)


@pytest.mark.parametrize("name", [*MERGES, "union"])
@pytest.mark.parametrize("shape", [(3,), (3, 2, 1), (2, 3)])
def test_shapes_that_do_not_fit_are_refused(name, shape):
    with pytest.raises(DataError, match=r"shape \(tasks, models\)"):
        merge_plainly(name, np.ones(shape, dtype=int), np.ones((3, 2), dtype=int), 5)


@pytest.mark.parametrize("name", [*MERGES, "union"])
def test_no_model_gives_no_interval(name):
    nobody = np.ones((3, 0), dtype=int)
    assert ends(merge_plainly(name, nobody, nobody, 5)) == ([], [])


@pytest.mark.parametrize("name", MERGES)
def test_scratch_memory_does_not_grow_with_models_times_ranks_times_tasks(name):
    bag = random_bag(60, 1000, 1000)
    tracemalloc.start()
    MERGES[name](*bag, 0.2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * 2**20


# Coverage. Models are merged independently of each other, so that every column of a wide bag can
# be one repetition of the same experiment.


def draw_tasks(rng, n_tasks, repetitions, n_ranks, coarse):
    """Exchangeable intervals of different widths; coarse ones have many ties."""
    place = rng.normal(size=(n_tasks, repetitions)) * n_ranks / 6 + n_ranks * 0.4
    reach = rng.gamma(1.0, n_ranks / 10, (n_tasks, repetitions))
    if coarse:
        place, reach = np.rint(place / 3) * 3, np.rint(reach / 2) * 2
    best = np.clip(np.rint(place - reach), 1, n_ranks).astype(np.int64)
    return best, np.clip(np.rint(place + reach), best, n_ranks).astype(np.int64)


@pytest.mark.slow
@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize(("n_tasks", "alpha"), [(10, 0.2), (10, 0.5), (25, 0.3)])
@pytest.mark.parametrize("name", [*MERGES, "union"])
def test_the_new_task_lies_inside_as_often_as_promised(name, n_tasks, alpha, coarse):
    repetitions, n_ranks = 10_000, 12
    rng = np.random.default_rng([n_tasks, int(100 * alpha), coarse])
    best, worst = draw_tasks(rng, n_tasks + 1, repetitions, n_ranks, coarse)
    seen = best[:-1], worst[:-1], n_ranks
    found = union_merge(*seen) if name == "union" else MERGES[name](*seen, alpha)
    new = IntervalBag(best[-1], worst[-1], n_ranks)
    promised = 1 - float(miss_bound(name, n_tasks, alpha))
    assert contained(new, found).mean() >= promised - sampling_error(promised, repetitions)


@pytest.mark.slow
@pytest.mark.parametrize("name", MERGES)
def test_without_ties_the_promise_is_kept_exactly(name):
    """Point intervals on a fine scale: the quantile merge misses q of the time, no less."""
    repetitions, n_tasks, alpha, n_ranks = 4000, 9, 0.4, 500
    rng = np.random.default_rng(8)
    rank = 1 + np.argsort(rng.random((n_ranks, repetitions)), axis=0)[: n_tasks + 1]
    found = MERGES[name](rank[:-1], rank[:-1], n_ranks, alpha)
    covered = contained(IntervalBag(rank[-1], rank[-1], n_ranks), found).mean()
    promised = 1 - float(miss_bound(name, n_tasks, alpha))
    assert abs(covered - promised) <= sampling_error(promised, repetitions)


@pytest.mark.slow
def test_observed_ranks_of_a_new_task_are_covered():
    """Merges of observed rank sets, models tied in truth."""
    rng = np.random.default_rng(9)
    n_tasks, n_models, repetitions, alpha = 9, 5, 4000, 0.4
    ability = np.array([0.0, 0.0, 0.0, 0.5, 1.0])
    correct = rng.binomial(8, 1 / (1 + np.exp(-ability)), size=(repetitions, n_tasks + 1, n_models))
    sets = observed_rank_sets(correct / 8)
    for merge in MERGES.values():
        for model in range(n_models):
            best, worst = sets.best[..., model].T, sets.worst[..., model].T
            found = merge(best[:-1], worst[:-1], n_models, alpha)
            new = IntervalBag(best[-1], worst[-1], n_models)
            assert contained(new, found).mean() >= 1 - alpha - sampling_error(alpha, repetitions)


def task_intervals(rng, truth, n_items, alpha):
    """Task-level intervals of independent models with unit noise."""
    scores = truth + rng.normal(size=(n_items, truth.size))
    mean, spread = scores.mean(axis=0), scores.T @ scores / n_items
    variance = spread - np.outer(mean, mean)
    pair = np.add.outer(np.diag(variance), np.diag(variance)) - 2 * variance
    np.fill_diagonal(pair, 1.0)
    t = np.subtract.outer(mean, mean) / np.sqrt(pair / (n_items - 1))
    upper = np.triu(t, 1)
    found = decide(upper - upper.T, n_items - 1.0, alpha)
    return count_bounds(found.better, found.worse)


@pytest.mark.slow
@pytest.mark.parametrize("tied", [False, True])
def test_true_rank_sets_of_a_new_task_are_covered_as_often_as_guaranteed(calibration, tied):
    """Task level and merge together, per model; and joint is narrower than quantile on average."""
    rng = np.random.default_rng(31 + tied)
    n_tasks, n_models, n_items, repetitions = 10, 5, 20, calibration.runs(200, 600)
    alpha, alpha_overall = 0.1, 0.4
    covered = {name: np.zeros(n_models) for name in MERGES}
    width = dict.fromkeys(MERGES, 0.0)
    for _ in range(repetitions):
        truth = np.sqrt(np.arange(n_models)) + 0.7 * rng.normal(size=(n_tasks + 1, n_models))
        if tied:
            truth[:, 1:4] = truth[:, 1:4].mean(axis=1, keepdims=True)
        tasks = [task_intervals(rng, task, n_items, alpha) for task in truth[:-1]]
        best = np.array([task.best for task in tasks])
        worst = np.array([task.worst for task in tasks])
        new = observed_rank_sets(truth[-1])
        for name, merge in MERGES.items():
            found = merge(best, worst, n_models, alpha_overall)
            covered[name] += contained(new, found)
            width[name] += interval_width(*found, n_models) / repetitions
    for name in MERGES:
        promised = guarantee(miss_bound(name, n_tasks, alpha_overall), alpha / 2)
        calibration.at_least(covered[name].min(), repetitions, promised, of=name)
    assert width["joint"] < width["quantile"]
