"""Votes counted per cluster."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from vote_cases import same_counts, vote_tables

from rankbars.errors import DataError
from rankbars.stats.votes.voteclusters import count_clustered_votes
from rankbars.stats.votes.votecounts import count_votes


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


def test_clusters_of_another_length_are_refused():
    with pytest.raises(DataError, match="2 votes but clusters of shape"):
        count_clustered_votes([0, 1], [1, 0], [0, 0], ["x"], 2)
