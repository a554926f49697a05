"""Clusters of rows: the CR2 error and its degrees of freedom, from sums alone and row by row."""

from itertools import combinations

import numpy as np
import pytest
from calibration import Calibration
from hypothesis import given
from hypothesis import strategies as st
from reference import validity

from rankbars.stats.pairwise.clusters import (
    cluster_df,
    group_rows,
    share_clusters,
    stretch_sums,
    too_uneven,
)
from rankbars.stats.pairwise.modelscores import cluster_summary
from rankbars.stats.pairwise.paired import cluster_t
from rankbars.stats.pairwise.pairstatistics import p_values
from rankbars.stats.tails import critical_value

GOLDEN = validity("cluster_cr2")
# Rows of each of the 12 repositories of SWE-bench Verified.
REPOSITORIES = np.array([231, 75, 44, 34, 32, 22, 22, 19, 10, 8, 2, 1])


def by_definition(d, cluster):
    """Row-level matrices: (I - H_gg)^(-1/2) of every cluster, then Satterthwaite twice."""
    n = d.size
    residual = np.eye(n) - 1.0 / n
    rows = []
    for name in np.unique(cluster):
        mine = cluster == name
        values, vectors = np.linalg.eigh(np.eye(mine.sum()) - 1.0 / n)
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        rows.append(np.full(mine.sum(), 1 / n) @ root @ residual[mine])
    p = np.array(rows)
    same = (cluster[:, None] == cluster).astype(float)
    found = []
    for working in (np.eye(n), same):
        spread = p @ working @ p.T
        found.append(np.trace(spread) ** 2 / np.trace(spread @ spread))
    return float(((p @ d) ** 2).sum()), sum(found) / 2


def test_the_reference_difference_has_its_error_and_its_degrees_of_freedom():
    values = np.stack([GOLDEN["d"], np.zeros(len(GOLDEN["d"]))], axis=1)
    found = cluster_t(values, GOLDEN["cluster"])
    assert found.diff[0, 1] == pytest.approx(GOLDEN["mean"], rel=1e-9)
    assert found.se[0, 1] == pytest.approx(GOLDEN["se_cr2"], rel=1e-9)
    assert found.df == pytest.approx(GOLDEN["df_used"], rel=1e-9)
    assert found.statistic[0, 1] == pytest.approx(GOLDEN["t"], rel=1e-9)
    assert p_values(found)[0, 1] == pytest.approx(GOLDEN["p_better"], rel=1e-9)
    alone = cluster_summary(values, np.array(GOLDEN["cluster"]))
    assert alone.se[0] == pytest.approx(GOLDEN["se_cr2"], rel=1e-9)
    assert alone.df[0] == pytest.approx(GOLDEN["df_used"], rel=1e-9)


@pytest.mark.parametrize("name", GOLDEN["sizes"])
def test_sizes_alone_give_the_reference_degrees_of_freedom(name):
    case = GOLDEN["sizes"][name]
    shares = np.array(case["sizes"]) / sum(case["sizes"])
    assert shares.max() == pytest.approx(case["max_share"], rel=1e-9)
    assert float(cluster_df(shares)) == pytest.approx(case["df_used"], rel=1e-9)


@given(st.integers(0, 10**6))
def test_sums_equal_the_matrices_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(rng.integers(3, 9)), 1)
    cluster = np.concatenate([cluster, rng.integers(0, cluster.size, rng.integers(0, 30))])
    d = rng.normal(size=cluster.size)
    variance, df = by_definition(d, cluster)
    grouping = group_rows(cluster)
    sums = np.add.reduceat((d - d.mean())[grouping.order], grouping.starts)
    sums *= stretch_sums(grouping.shares)
    assert np.square(sums).sum() / d.size**2 == pytest.approx(variance, rel=1e-9)
    assert float(cluster_df(grouping.shares)) == pytest.approx(df, rel=1e-9)


def test_equal_sizes_give_the_usual_error_and_one_less_than_the_clusters():
    rng = np.random.default_rng(1)
    values, clusters = rng.normal(size=(60, 4)), np.arange(60) % 12
    found = cluster_t(values, clusters)
    d = values[:, 0] - values[:, 1]
    sums = np.bincount(clusters, d - d.mean())
    assert found.se[0, 1] == pytest.approx(np.sqrt(12 / 11 * (sums**2).sum()) / 60, rel=1e-12)
    assert found.df == pytest.approx(11, rel=1e-12)


@pytest.mark.parametrize("missing", [False, True])
def test_all_pairs_at_once_equal_pairs_one_by_one(missing):
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(9), rng.integers(1, 9, 9))
    values = rng.normal(size=(clusters.size, 5)) + 3 * rng.normal(size=(clusters.size, 1))
    if missing:
        values[rng.random(values.shape) < 0.25] = np.nan
    found = cluster_t(values, clusters)
    df = np.broadcast_to(found.df, (5, 5))
    for i, j in combinations(range(5), 2):
        both = ~np.isnan(values[:, i] - values[:, j])
        d = values[both, i] - values[both, j]
        variance, expected = by_definition(d, clusters[both])
        assert found.se[i, j] ** 2 == pytest.approx(variance, rel=1e-9)
        assert df[i, j] == df[j, i] == pytest.approx(expected, rel=1e-9)
    alone, seen = cluster_summary(values, clusters), ~np.isnan(values)
    for i in range(5):
        variance, expected = by_definition(values[seen[:, i], i], clusters[seen[:, i]])
        assert alone.se[i] ** 2 == pytest.approx(variance, rel=1e-9)
        assert alone.df[i] == pytest.approx(expected, rel=1e-9)


def test_weights_of_rows_say_what_share_a_cluster_has():
    clusters, weights = np.array([0, 0, 1, 1, 2, 3]), np.array([1.0, 3, 1, 1, 2, 4])
    np.testing.assert_allclose(
        group_rows(clusters, weights).shares, np.array([4, 2, 2, 4]) / 12, rtol=1e-12
    )
    counted = np.repeat(np.arange(6), weights.astype(int))
    values = np.random.default_rng(0).normal(size=(6, 2))
    shares = share_clusters(values[counted], group_rows(clusters[counted]))
    weighted = share_clusters(values, group_rows(clusters, weights))
    assert weighted.df == pytest.approx(shares.df, rel=1e-12)


@pytest.mark.parametrize(("sizes", "lost"), [([9, 1, 1], True), ([8, 1, 1], False), ([5, 5], True)])
@pytest.mark.parametrize("missing", [False, True])
def test_one_cluster_with_most_rows_or_fewer_than_three_separate_nobody(sizes, lost, missing):
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    values = np.random.default_rng(3).normal(size=(clusters.size, 3)) + [0.0, 50.0, 100.0]
    if missing:
        values = np.concatenate([values, np.full((1, 3), np.nan)])
        values[-1, 2] = 0.0
        clusters = np.append(clusters, 0)
    found = cluster_t(values, clusters)
    assert np.isnan(found.se[0, 1]) == lost
    assert (found.statistic[0, 1] == 0) == lost
    assert bool(too_uneven(len(sizes), max(sizes) / sum(sizes))) == lost
    assert np.isnan(cluster_summary(values, clusters).se[0]) == lost


def test_a_pair_is_held_to_the_rows_that_it_has_in_common():
    clusters = np.repeat(np.arange(10), 4)
    values = np.random.default_rng(5).normal(size=(40, 3)) + [0.0, 8.0, 16.0]
    values[clusters >= 4, 0] = np.nan
    values[(clusters == 1) | (clusters == 2), 0] = np.nan
    found = cluster_t(values, clusters)
    assert found.n[0, 1] == 2
    assert found.statistic[0, 1] == 0.0
    assert found.statistic[2, 1] > 10


def simulated_sizes(rng, runs, rho):
    """Mean and variances of `runs` samples of the 12 repositories: old (CR1) and CR2."""
    n = REPOSITORIES
    # Sums over clusters of rows with common effects; the rows themselves are not needed.
    sums = n * np.sqrt(rho) * rng.normal(size=(runs, n.size))
    sums += np.sqrt(n * (1 - rho)) * rng.normal(size=(runs, n.size))
    mean = sums.sum(axis=1) / n.sum()
    rest = sums - n * mean[:, None]
    share = n / n.sum()
    old = n.size / (n.size - 1) * np.square(rest).sum(axis=1) / n.sum() ** 2
    return mean, old, np.square(rest * stretch_sums(share)).sum(axis=1) / n.sum() ** 2


@pytest.mark.slow
def test_unequal_repositories_keep_the_level_that_the_usual_error_loses(calibration: Calibration):
    runs = calibration.runs(10_000, 200_000)
    mean, old, new = simulated_sizes(np.random.default_rng(0), runs, 0.1)
    usual = int((np.abs(mean) > critical_value(0.025, 11) * np.sqrt(old)).sum())
    assert 0.16 <= usual / runs <= 0.19
    df = float(cluster_df(REPOSITORIES / REPOSITORIES.sum()))
    wrong = int((np.abs(mean) > critical_value(0.025, df) * np.sqrt(new)).sum())
    calibration.at_most(wrong, runs, 0.05)
