"""Statistics stay right where sums of products cancel: clones, offsets, wild columns, extremes."""

import tracemalloc

import numpy as np
import pytest
from pair_reference import explicit_statistics

from rankbars.stats.pairwise import masked, moments
from rankbars.stats.pairwise.paired import cluster_t, corrected_t, paired_t

CLUSTERS = np.arange(200) % 20


def off_diagonal(matrix):
    return matrix[~np.eye(len(matrix), dtype=bool)]


def largest_error(found, expected):
    """Largest error relative to 1 + |t|: absolute near zero, relative for large statistics."""
    error = np.abs(found - expected) / (1.0 + np.abs(expected))
    return off_diagonal(error).max()


def normal_scores(n=200, n_models=12, seed=0):
    return np.random.default_rng(seed).normal(size=(n, n_models))


@pytest.fixture
def recomputed(monkeypatch):
    """Number of pairs in each call of the two-pass recomputation."""
    counts = []
    original = moments.recompute_pairs

    def spy(values, first, second, grouping=None):
        counts.append(first.size)
        return original(values, first, second, grouping)

    monkeypatch.setattr(moments, "recompute_pairs", spy)
    return counts


@pytest.mark.parametrize("noise", [1e-3, 1e-5, 1e-7, 1e-8, 1e-10, 1e-12])
def test_clones_are_right_to_eight_digits(noise):
    values = normal_scores(n=1000)
    values[:, 1] = values[:, 0] + noise * np.random.default_rng(1).normal(size=1000)
    found, expected = paired_t(values).statistic, explicit_statistics(values)
    np.testing.assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.parametrize("noise", [1e-3, 1e-6, 1e-9, 1e-12])
def test_a_field_of_clones_is_right_to_eight_digits(noise):
    rng = np.random.default_rng(2)
    values = rng.normal(size=(200, 1)) + noise * rng.normal(size=(200, 8))
    np.testing.assert_allclose(paired_t(values).statistic, explicit_statistics(values), rtol=1e-8)


@pytest.mark.parametrize("noise", [1e-5, 1e-8, 1e-11])
def test_clones_are_right_for_clusters_and_for_missing_rows(noise):
    values = normal_scores()
    values[:, 1] = values[:, 0] + noise * np.random.default_rng(1).normal(size=200)
    found = cluster_t(values, CLUSTERS).statistic
    np.testing.assert_allclose(found, explicit_statistics(values, clusters=CLUSTERS), rtol=1e-8)
    values[::9, :7] = np.nan
    np.testing.assert_allclose(paired_t(values).statistic, explicit_statistics(values), rtol=1e-8)
    found = cluster_t(values, CLUSTERS).statistic
    np.testing.assert_allclose(found, explicit_statistics(values, clusters=CLUSTERS), rtol=1e-8)


@pytest.mark.parametrize("item_spread", [0.0, 1.0, 1e6])
def test_large_offsets_do_not_matter(item_spread):
    rng = np.random.default_rng(3)
    values = rng.normal(size=(1000, 20)) + 1e6 + item_spread * rng.normal(size=(1000, 1))
    error = np.abs(paired_t(values).statistic - explicit_statistics(values))
    assert error.max() < 1e-8
    assert error.max() < 1e-12  # what centring by rows gives; by columns alone 7e-8


def test_large_offsets_do_not_matter_when_rows_are_missing():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(300, 8)) + 1e6 * rng.normal(size=(300, 1))
    values[rng.random(values.shape) < 0.1] = np.nan
    assert largest_error(paired_t(values).statistic, explicit_statistics(values)) < 1e-12


@pytest.mark.parametrize("n_models", [2, 3, 5])
def test_constant_shifts_of_one_another_are_constant(n_models, recomputed):
    # Centred by rows nothing is left but rounding, which no relative test can notice.
    values = normal_scores(n_models=1) + np.array([0.0, 0.3, 0.7, 1.1, 1.9])[:n_models]
    found = paired_t(values)
    assert off_diagonal(found.constant).all()
    assert recomputed == [n_models * (n_models - 1) // 2]


@pytest.mark.parametrize("scale", [1e3, 1e6, 1e9])
def test_a_model_on_another_scale_poisons_nobody(scale, recomputed):
    values = normal_scores(n_models=40)
    values[:, 3] *= scale
    assert largest_error(paired_t(values).statistic, explicit_statistics(values)) < 1e-12
    assert sum(recomputed) < 0.05 * 40 * 39 / 2


@pytest.mark.parametrize("missing", [False, True])
def test_a_wild_model_among_large_offsets_does_not_slow_down_all_others(missing, recomputed):
    values = normal_scores(n_models=40) + 1e6
    values[:, 3] += 1e7 * np.random.default_rng(1).normal(size=200)
    if missing:
        values[5, 7] = np.nan
    found, expected = paired_t(values).statistic, explicit_statistics(values)
    assert sum(recomputed) < 0.05 * 40 * 39 / 2
    others = np.delete(np.arange(40), 3)
    block = np.ix_(others, others)
    assert largest_error(found[block], expected[block]) < 1e-8


@pytest.mark.parametrize("offset", [1e3, 1e6])
def test_a_model_with_another_offset_poisons_nobody(offset):
    values = normal_scores()
    values[:, 3] += offset
    found, expected = paired_t(values).statistic, explicit_statistics(values)
    others = np.delete(np.arange(12), 3)
    block = np.ix_(others, others)
    assert largest_error(found[block], expected[block]) < 1e-12
    np.testing.assert_allclose(found[3, others], expected[3, others], rtol=1e-10)


def test_half_of_the_models_far_away_poison_nobody():
    values = 1e-5 * normal_scores()
    values[:, 6:] += 1e6
    found, expected = paired_t(values).statistic, explicit_statistics(values)
    assert largest_error(found[:6, :6], expected[:6, :6]) < 1e-10


def test_means_far_from_zero_keep_their_digits():
    values = 1e-6 * normal_scores(n=500, seed=1)
    values[:, 6:] += 1e3
    found, expected = paired_t(values).statistic, explicit_statistics(values)
    assert largest_error(found[:6, :6], expected[:6, :6]) < 1e-6


@pytest.mark.parametrize("missing", [False, True])
def test_cluster_sums_that_cancel_are_recomputed(missing, recomputed):
    # Rows vary by 1, cluster means by 1e-9: the sums of centred scores are mostly rounding.
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(10), 20)
    values = rng.normal(size=(200, 4))
    for cluster in range(10):
        values[clusters == cluster] -= values[clusters == cluster].mean(axis=0)
    values += 1e-9 * rng.normal(size=(10, 4))[clusters]
    if missing:
        values[:20, 3] = np.nan
    found = cluster_t(values, clusters).statistic
    expected = explicit_statistics(values, clusters=clusters)
    assert sum(recomputed) >= 6
    assert largest_error(found, expected) < 1e-6


def test_constant_pair_beside_a_constant_giant_is_constant():
    # The row mean is 2e5: its rounding in the two small models is far above their own.
    values = np.tile([0.5, 0.3, 0.1, 0.25, 1e6], (20, 1))
    values[:, 2] += np.arange(20) % 3 / 7
    found = paired_t(values)
    assert found.constant[0, 1]
    assert found.constant[1, 3]
    assert not found.constant[0, 2]


@pytest.mark.parametrize("scale", [1e-290, 1e-160, 1e-80, 1e80, 1e160, 1e290])
@pytest.mark.parametrize("missing", [False, True])
def test_tiny_and_huge_scores_neither_vanish_nor_overflow(scale, missing):
    values = normal_scores(n=50, n_models=5)
    values[:, 1] = values[:, 0] + 1e-9 * values[:, 2]
    if missing:
        values[3, 2] = values[7, 0] = np.nan
    for test in (paired_t, lambda v: cluster_t(v, np.arange(50) % 9)):
        found, expected = test(values * scale), test(values)
        np.testing.assert_allclose(found.statistic, expected.statistic, rtol=1e-6)
        np.testing.assert_allclose(found.diff, expected.diff * scale, rtol=1e-6)
        np.testing.assert_allclose(found.se, expected.se * scale, rtol=1e-6)


def test_tiny_scores_beside_ordinary_ones():
    values = normal_scores(n=40, n_models=5)
    values[:, :2] *= 1e-200
    found = paired_t(values)
    expected = paired_t(values[:, :2] * 1e200)
    np.testing.assert_allclose(found.statistic[0, 1], expected.statistic[0, 1], rtol=1e-12)


@pytest.mark.parametrize("n_models", [13, 37, 70])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_copies_get_identical_bits_wherever_they_stand(n_models, missing, grouped):
    # A product may add up in another order at its edges; real scores show it, whole ones do not.
    values = normal_scores(n=61, n_models=n_models, seed=n_models)
    if missing:
        values[np.random.default_rng(0).random(values.shape) < 0.1] = np.nan
    values[:, n_models - 1] = values[:, 0]
    values[:, n_models // 2] = values[:, 0]
    found = cluster_t(values, CLUSTERS[:61]) if grouped else paired_t(values)
    copies = [0, n_models // 2, n_models - 1]
    others = np.delete(np.arange(n_models), copies)
    for matrix in (found.statistic, found.diff, found.se):
        for copy in copies[1:]:
            np.testing.assert_array_equal(matrix[0, others], matrix[copy, others])
    assert off_diagonal(found.identical[np.ix_(copies, copies)]).all()
    assert found.identical.sum() == 6


def jitter(matrix, seed=0):
    """The matrix with its last digits changed at random, as another library might compute it."""
    return matrix * (1.0 + 1e-12 * np.random.default_rng(seed).random(matrix.shape))


def test_copies_get_identical_bits_whatever_the_product_does(monkeypatch):
    original = moments._multiply

    def inexact(chunks, rest):
        for product in original(chunks, rest):
            noisy = jitter(product)
            yield np.tril(noisy) + np.tril(noisy, -1).T

    monkeypatch.setattr(moments, "_multiply", inexact)
    values = normal_scores(n_models=6)
    values[:, 4] = values[:, 1]
    found = paired_t(values)
    others = [0, 2, 3, 5]
    np.testing.assert_array_equal(found.statistic[1, others], found.statistic[4, others])
    assert found.identical[1, 4]


def test_masked_groups_are_symmetric_whatever_the_product_does(monkeypatch):
    original = masked._spread_of_block

    def inexact(*arguments):
        spread, groups, near = original(*arguments)
        return jitter(spread), groups, near

    monkeypatch.setattr(masked, "_spread_of_block", inexact)
    values = normal_scores(n_models=6)
    values[::7, 2:] = np.nan
    values[:, 5] = values[:, 3]
    found = cluster_t(values, CLUSTERS)
    np.testing.assert_array_equal(found.statistic, -found.statistic.T)
    others = [0, 1, 2, 4]
    np.testing.assert_array_equal(found.statistic[3, others], found.statistic[5, others])
    assert found.identical[3, 5]


def test_products_over_blocks_of_rows_add_up():
    values = normal_scores(n=2200, n_models=520)
    assert values.size > 2**20
    found = paired_t(values)
    few = [0, 1, 255, 519]
    block = np.ix_(few, few)
    expected = explicit_statistics(values[:, few])
    np.testing.assert_allclose(found.statistic[block], expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(found.statistic, -found.statistic.T)


def test_ordinary_pairs_are_not_recomputed(recomputed):
    paired_t(normal_scores())
    corrected_t(normal_scores(), 0.1)
    cluster_t(normal_scores(), CLUSTERS)
    assert recomputed == []


def test_only_alike_pairs_are_recomputed(recomputed):
    values = normal_scores(n_models=30)
    values[:, 1] = values[:, 0] + 1e-7 * values[:, 2]
    paired_t(values)
    assert recomputed == [1]


@pytest.mark.parametrize("missing", [False, True])
def test_exact_and_floating_routes_agree(monkeypatch, missing):
    rng = np.random.default_rng(5)
    values = np.round(rng.normal(size=(120, 9)) * 4) / 4
    if missing:
        values[rng.random(values.shape) < 0.1] = np.nan
    exact = paired_t(values)
    route = masked if missing else moments
    monkeypatch.setattr(route, "find_lattice", lambda _: None)
    floating = paired_t(values)
    for one, two in zip(exact[:3], floating[:3], strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-14)


def test_scratch_memory_is_bounded():
    values = normal_scores(n=1000, n_models=1000)
    tracemalloc.start()
    try:
        for scores in (values, (values > 0).astype(float)):
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            found = paired_t(scores)
            peak = tracemalloc.get_traced_memory()[1] - before
            returned = sum(np.asarray(field).nbytes for field in found)
            assert peak - returned < 20e6
    finally:
        tracemalloc.stop()
