"""Votes counted per cluster."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from vote_cases import count_votes, same_counts, vote_tables

from rankbars.stats.votes import voteclusters
from rankbars.stats.votes.voteclusters import (
    count_clustered_votes,
    keep_first_of_each,
    measure_reach,
)
from rankbars.stats.votes.votecovariance import cluster_covariance
from rankbars.stats.votes.votemodels import fit_bradley_terry


@given(vote_tables(), st.integers(1, 5))
def test_each_cluster_holds_the_counts_of_its_own_votes(votes, n_clusters):
    cluster = np.arange(votes.first.size) ** 2 % n_clusters
    clusters = count_clustered_votes(*votes[:3], cluster, votes.n_models)
    assert same_counts(clusters.counts, count_votes(*votes))
    assert clusters.n_clusters == np.unique(cluster).size
    for number, name in enumerate(np.unique(cluster)):
        own = cluster == name
        expected = count_votes(*(column[own] for column in votes[:3]), votes.n_models)
        cells = clusters.cluster == number
        assert clusters.counts.first[clusters.row[cells]].tolist() == expected.first.tolist()
        assert clusters.counts.second[clusters.row[cells]].tolist() == expected.second.tolist()
        np.testing.assert_array_equal(clusters.weight[:, cells], expected.weight)


def test_weights_of_votes_stay_with_their_cluster():
    clusters = count_clustered_votes([0, 0, 1], [1, 1, 0], [0, 0, 0], [1, 1, 2], 2, [2.0, 3.0, 4.0])
    assert clusters.weight.tolist() == [[5.0, 0.0], [0.0, 0.0], [0.0, 4.0]]
    assert clusters.counts.squared[:, 0].tolist() == [13.0, 0.0, 16.0]


@given(vote_tables(), st.integers(1, 5))
def test_reach_counts_the_clusters_about_each_model(votes, n_clusters):
    cluster = np.arange(votes.first.size) ** 2 % n_clusters
    reach = measure_reach(count_clustered_votes(*votes[:3], cluster, votes.n_models))
    for model in range(votes.n_models):
        about = (votes.first == model) | (votes.second == model)
        total = np.bincount(cluster[about])
        total = total[total > 0]
        assert reach.number[model] == total.size
        if not total.size:
            assert reach.effective[model] == 0
            continue
        share = total / total.sum()
        assert reach.effective[model] == pytest.approx(1 / (share**2).sum())
        # The variance that is left of independent noise of the clusters around their own mean.
        rest = np.eye(share.size) - share
        left = ((share[:, None] * rest) ** 2).sum()
        hidden = np.inf if total.size == 1 else (share**2).sum() / left
        assert reach.hidden[model] == pytest.approx(hidden)


def test_equal_clusters_hide_one_part_in_their_number():
    votes = [0] * 12, [1] * 12, [0, 2] * 6
    reach = measure_reach(count_clustered_votes(*votes, np.arange(12) % 6, 2))
    assert reach.effective.tolist() == pytest.approx([6, 6])
    assert reach.hidden.tolist() == pytest.approx([1.2, 1.2])


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 3), st.integers(-1, 3)), max_size=30))
def test_no_two_votes_that_are_kept_share_a_pair_and_a_cluster(rows):
    pair, *labels = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    keep = keep_first_of_each(pair, labels)
    for number in range(len(rows)):
        clash = any(
            keep[before] and pair[before] == pair[number]
            and any(code[before] == code[number] >= 0 for code in labels)
            for before in range(number)
        )  # fmt: skip
        assert keep[number] == (not clash)
    # What was kept stays kept when the file grows.
    half = len(rows) // 2
    assert keep_first_of_each(pair[:half], [code[:half] for code in labels]).tolist() == (
        keep[:half].tolist()
    )


@pytest.mark.parametrize("per_cluster", [2, 60])
def test_clusters_are_the_same_whole_or_in_parts(monkeypatch, per_cluster):
    rng = np.random.default_rng(3)
    first = rng.integers(0, 12, 900)
    second = (first + rng.integers(1, 12, 900)) % 12
    cluster = rng.permutation(900) // per_cluster

    def measure():
        found = count_clustered_votes(first, second, rng.integers(0, 3, 900), cluster, 12)
        return found, measure_reach(found), cluster_covariance(
            found, fit_bradley_terry(found.counts)
        )  # fmt: skip

    state = rng.bit_generator.state
    whole, reach, covariance = measure()
    monkeypatch.setattr(voteclusters, "_CHUNK", 40)
    rng.bit_generator.state = state
    parts, again, same = measure()
    assert np.array_equal(parts.weight, whole.weight)
    assert np.array_equal(parts.cluster, whole.cluster)
    assert np.array_equal(again.number, reach.number)
    np.testing.assert_allclose(again.effective, reach.effective, rtol=1e-12)
    np.testing.assert_allclose(again.hidden, reach.hidden, rtol=1e-12)
    np.testing.assert_allclose(same, covariance, rtol=1e-12)


@pytest.mark.parametrize("number", [127, 128, 129])
def test_as_many_clusters_or_votes_as_a_small_integer_just_not_holds(number):
    voters = np.arange(number).repeat(2)
    votes = np.zeros(voters.size, int), np.ones(voters.size, int), np.tile([0, 2], number)
    found = count_clustered_votes(*votes, voters, 2)
    assert measure_reach(found).number.tolist() == [number, number]
    one = count_clustered_votes(*(np.full(number, code) for code in (0, 1, 0, 5)), 2)
    assert one.weight.ravel().tolist() == [number, 0, 0]
