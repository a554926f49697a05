"""Covariance of differences on samples with common rows: by loops, and by NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from rankbars.stats.averaging.taskcontrasts import row_covariance
from rankbars.stats.pairwise.paired import paired_t


def test_of_the_same_rows_it_is_the_covariance_of_the_means() -> None:
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(2, 40, 3)) + [5.0, 0.0, -5.0]
    other += one
    rows = np.arange(40)
    found = row_covariance(one, other, np.array([rows, rows]))
    for i, j in ((0, 1), (0, 2), (2, 1)):
        by_numpy = np.cov(one[:, i] - one[:, j], other[:, i] - other[:, j])[0, 1] / 40
        assert found[i, j] == pytest.approx(by_numpy)
    assert (np.diag(found) == 0).all()
    itself = row_covariance(one, one, np.array([rows, rows]))
    np.testing.assert_allclose(itself, np.square(paired_t(one).se), rtol=1e-10)


def test_rows_in_any_order_and_gaps_give_what_loops_over_rows_give() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=(12, 3)) + 2.0, rng.normal(size=(9, 3))
    one[rng.random(one.shape) < 0.2] = np.nan
    other[rng.random(other.shape) < 0.2] = np.nan
    shared = np.array([[0, 3, 7, 9, 11, 2], [8, 1, 0, 5, 2, 4]])
    found = row_covariance(one, other, shared)
    for i, j in ((0, 1), (2, 0), (1, 2)):
        a, b = one[:, i] - one[:, j], other[:, i] - other[:, j]
        n, k = np.isfinite(a).sum(), np.isfinite(b).sum()
        total = 0.0
        for x, y in shared.T:
            if np.isfinite(a[x]) and np.isfinite(b[y]):
                total += (a[x] - np.nanmean(a)) * (b[y] - np.nanmean(b))
        assert found[i, j] == pytest.approx(total / np.sqrt(n * (n - 1) * k * (k - 1)))
        assert found[j, i] == pytest.approx(found[i, j])


def test_models_that_are_not_paired_add_their_own_covariances() -> None:
    one, other = np.random.default_rng(2).normal(size=(2, 30, 2))
    rows = np.arange(30)
    found = row_covariance(one, other, np.array([rows, rows]), paired=False)
    own = [np.cov(one[:, k], other[:, k])[0, 1] / 30 for k in (0, 1)]
    assert found[0, 1] == pytest.approx(sum(own))


def test_without_common_rows_there_is_none() -> None:
    one, other = np.random.default_rng(3).normal(size=(2, 5, 2))
    assert (row_covariance(one, other, np.empty((2, 0), dtype=np.intp)) == 0).all()
