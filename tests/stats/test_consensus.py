"""One score per model that fits all paired differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankbars.stats.pairwise.modelscores import consensus_scores
from rankbars.stats.pairwise.paired import paired_t


def test_complete_data_keep_their_means() -> None:
    values = np.random.default_rng(0).normal(size=(30, 5))
    pairs = paired_t(values)
    mean = values.mean(axis=0)
    assert consensus_scores(mean, pairs.diff, pairs.se) is mean


@given(seed=st.integers(0, 999), size=st.integers(2, 6))
def test_the_fit_is_the_weighted_least_squares_one(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    mean = rng.normal(size=size)
    diff = rng.normal(size=(size, size))
    diff -= diff.T
    se = rng.uniform(0.1, 1.0, size=(size, size))
    se = (se + se.T) / 2
    i, j = np.triu_indices(size, 1)
    rows = (np.eye(size)[i] - np.eye(size)[j]) / se[i, j, None]
    level = np.full((1, size), 1 / size)
    wanted = np.linalg.lstsq(
        np.vstack([rows, level]), np.append(diff[i, j] / se[i, j], mean.mean()), rcond=None
    )[0]
    assert consensus_scores(mean, diff, se) == pytest.approx(wanted, abs=1e-8)


def test_differences_that_fit_some_scores_give_these() -> None:
    true = np.array([0.1, 0.5, 0.9])
    diff = true[:, None] - true[None, :]
    found = consensus_scores(np.array([0.5, 0.5, 0.5]), diff, np.ones((3, 3)))
    assert found == pytest.approx(true)


def test_pairs_without_an_error_are_kept_nearly_exactly() -> None:
    diff = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 3.0], [-1.0, -3.0, 0.0]])
    se = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    found = consensus_scores(np.zeros(3), diff, se)
    assert found[0] == pytest.approx(found[1], abs=1e-5)
    assert found[0] - found[2] == pytest.approx(2.0, abs=1e-5)
