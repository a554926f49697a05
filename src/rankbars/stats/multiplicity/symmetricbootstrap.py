"""Symmetric bootstrap max-T: decisions on skewed rows, of which a few weigh heavily.

One family of ``|t|`` per statement: rows, or whole clusters, are resampled within each task,
jointly for all models, and every pair is studentised anew. Two one-sided families of the same
resamples would err far more often on one side than the other together are allowed to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import row_blocks
from rankbars.stats.pairwise.clusters import group_rows, stretch_sums
from rankbars.stats.resampling.distributions import CHUNK, Streams, count_blocks
from rankbars.stats.tails import Decisions, check_alpha, critical_of_draws

__all__ = [
    "LargestDifferences",
    "Sample",
    "cluster_sample",
    "decide_symmetric",
    "largest_differences",
    "own_critical",
    "symmetric_p",
]

_NO_SPREAD = 1e-9  # of the variance in the data: a resample with less has none
_LEAST_REST = 1e-6  # of the rows of a resample, outside one cluster
_MOST_WITHOUT = 0.02  # share of resamples without spread that a pair may have


class Sample(NamedTuple):
    """Rows of one task, and the weight of their mean.

    Attributes
    ----------
    values : array of float, shape (n, M)
        Complete scores, two rows or more; with `shares`, sums of whole clusters over the number of
        all rows.
    weight : float
        Weight of the task in the average; 1 for one task alone.
    streams : callable
        Random generator of each chunk of 256 draws.
    shares : array of float, shape (n,), optional
        Of each cluster in all rows, where clusters are resampled.
    """

    values: NDArray[np.float64]
    weight: float
    streams: Streams
    shares: NDArray[np.float64] | None = None


class LargestDifferences(NamedTuple):
    """Largest ``|t|`` of each model's pairs in every resample.

    Attributes
    ----------
    statistic : array of float, shape (M, M)
        ``[i, j]``: t of i over j in the data; 0 for pairs that left the family.
    largest : array of float, shape (B, M)
        Of the pairs of each model.
    left_out : array of bool, shape (M, M)
        Pairs that too few rows tell apart: too many resamples have no spread.
    """

    statistic: NDArray[np.float64]
    largest: NDArray[np.float64]
    left_out: NDArray[np.bool_]


def largest_differences(
    samples: Sequence[Sample], statistic: NDArray[np.float64], draws: int
) -> LargestDifferences:
    """Resample all pairs of models at once.

    Parameters
    ----------
    samples : sequence of Sample
        Tasks over the same M models.
    statistic : array of float, shape (M, M)
        What the pairs show in the data, as t; antisymmetric.
    draws : int
        Number of resamples B.

    Notes
    -----
    In a resample of one task, ``t* = mean* sqrt(n) / sd*`` of the centred differences; over tasks,
    ``t* = sum w mean* / sqrt(sum w^2 var*)``. A resample without spread counts as 0. Where
    whole clusters are resampled, ``var*`` is the cluster-robust variance (CR2) of the resample, in
    which a cluster that is drawn twice counts as two.
    """
    centred = [sample._replace(values=_centre(sample)) for sample in samples]
    size = statistic.shape[0]
    blocks = list(_count_blocks(centred, draws))
    spread = _pair_variance(centred)
    usable = (spread > 0) & ~np.eye(size, dtype=np.bool_)
    largest = np.zeros((draws, size))
    without = np.zeros((size, size))
    for rows, counts in blocks:
        without += _resample(centred, counts, spread, usable, largest[rows])
    without += without.T
    left_out = ~np.eye(size, dtype=np.bool_) & ((without > _MOST_WITHOUT * draws) | ~usable)
    if (left_out & usable).any():
        largest[...] = 0.0
        for rows, counts in blocks:
            _resample(centred, counts, spread, usable & ~left_out, largest[rows])
    return LargestDifferences(np.where(left_out, 0.0, statistic), largest, left_out)


def cluster_sample(
    values: NDArray[np.float64],
    clusters: NDArray[np.int64],
    weights: NDArray[np.float64] | None,
    streams: Streams,
) -> Sample:
    """Whole clusters of rows of one task, to be resampled.

    Parameters
    ----------
    values : array of float, shape (n, M)
        Complete scores.
    clusters : array of int, shape (n,)
        Cluster of each row.
    weights : array of float, shape (n,), optional
        Positive weights of the rows.
    streams : callable
        Random generator of each chunk of 256 draws.

    Examples
    --------
    >>> rows = np.array([[3.0, 0.0], [1.0, 0.0], [2.0, 4.0], [4.0, 0.0]])
    >>> made = cluster_sample(rows, np.array([1, 1, 2, 3]), None, np.random.default_rng)
    >>> made.values[:, 0], made.shares
    (array([1. , 0.5, 1. ]), array([0.5 , 0.25, 0.25]))
    """
    grouping = group_rows(clusters, weights)
    if weights is not None:
        values = values * (weights / weights.mean())[:, None]
    sums = np.add.reduceat(values[grouping.order], grouping.starts, axis=0) / len(values)
    return Sample(sums, 1.0, streams, grouping.shares)


def decide_symmetric(found: LargestDifferences, alpha: float, *, all_pairs: bool) -> Decisions:
    """Pairs whose ``|t|`` is above the order statistic ``ceil((1 - alpha)(B + 1))``.

    Parameters
    ----------
    found : LargestDifferences
        Statistics and resamples.
    alpha : float
        Error rate: of all statements together, or of those about one model, both sides together.
    all_pairs : bool
        One family for all pairs, or one for the pairs of each model.
    """
    rate = check_alpha(alpha)
    if all_pairs:
        shown = found.statistic > critical_of_draws(found.largest.max(axis=1), rate)
        return Decisions(shown.sum(axis=0), shown.sum(axis=1), shown)
    limits = critical_of_draws(found.largest, rate)
    worse = (found.statistic > limits[:, None]).sum(axis=1)  # j better than k
    better = (found.statistic > limits[None, :]).sum(axis=0)  # k better than j
    return Decisions(better, worse, None)


def symmetric_p(statistic: float, largest: NDArray[np.float64]) -> float:
    """Share of resamples that reach a statistic, which counts as one of them; both sides."""
    reached = int((largest >= abs(statistic) * (1.0 - 1e-12)).sum())
    return (1 + reached) / (1 + largest.size)


def own_critical(samples: Sequence[Sample], alpha: float, draws: int) -> NDArray[np.float64]:
    """How many standard errors the interval of each model's own mean reaches, shape (M,)."""
    centred = [one._replace(values=one.values - one.values.mean(axis=0)) for one in samples]
    spread = sum(
        one.weight**2 * np.square(one.values).mean(axis=0) / max(len(one.values) - 1, 1)
        for one in centred
    )
    largest = np.zeros((draws, samples[0].values.shape[1]))
    for rows, counts in _count_blocks(centred, draws):
        total, variance = np.zeros_like(largest[rows]), np.zeros_like(largest[rows])
        for one, count in zip(centred, counts, strict=True):
            n = len(one.values)
            mean = count @ one.values / n
            total += one.weight * mean
            squares = count @ np.square(one.values) / n - np.square(mean)
            variance += one.weight**2 / max(n - 1, 1) * squares
        usable = variance > _NO_SPREAD * spread
        np.divide(np.abs(total), np.sqrt(np.where(usable, variance, 1.0)),
                  out=largest[rows], where=usable)  # fmt: skip
    return critical_of_draws(largest, alpha)


def _centre(sample: Sample) -> NDArray[np.float64]:
    rows = sample.values - sample.values.mean(axis=1, keepdims=True)
    if sample.shares is None:
        return np.asarray(rows - rows.mean(axis=0))
    return np.asarray(rows - sample.shares[:, None] * rows.sum(axis=0))


def _pair_variance(samples: Sequence[Sample]) -> NDArray[np.float64]:
    """Variance of the weighted mean difference of every pair; 0 where rounding is all there is."""
    size = samples[0].values.shape[1]
    total, scale = np.zeros((size, size)), 0.0
    for values, weight, _, shares in samples:
        scaled = values if shares is None else values * stretch_sums(shares)[:, None]
        gram = scaled.T @ scaled
        own = np.diag(gram)
        share = weight**2
        if shares is None:
            share /= len(values) * max(len(values) - 1, 1)
        total += share * np.maximum(own[:, None] + own - 2.0 * gram, 0.0)
        scale += share * float(own.max(initial=0.0))
    return np.where(total > 1e-14 * scale, total, 0.0)


def _count_blocks(
    samples: Sequence[Sample], draws: int
) -> Iterator[tuple[slice, list[NDArray[np.float64]]]]:
    """Counts of the resamples of all tasks, a block of draws at a time."""
    made = [
        np.concatenate(
            [counts for _, counts in count_blocks(one.streams, len(one.values), draws)]
        ).astype(np.float64)
        for one in samples
    ]
    for rows in row_blocks(draws, 1, CHUNK):
        yield rows, [counts[rows] for counts in made]


def _resample(
    samples: Sequence[Sample],
    counts: Sequence[NDArray[np.float64]],
    spread: NDArray[np.float64],
    usable: NDArray[np.bool_],
    largest: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Raise `largest` to what a block of draws shows; how many have no spread, above the diagonal.

    `largest` has shape (block, M) and is changed in place.
    """
    size = spread.shape[0]
    without = np.zeros((size, size))
    means = [
        count @ one.values / _size(one, count) for count, one in zip(counts, samples, strict=True)
    ]
    total = np.zeros_like(largest)
    for one, mean in zip(samples, means, strict=True):
        total += one.weight * mean
    for i in range(size - 1):
        others = slice(i + 1, size)
        variance = np.zeros((len(largest), size - i - 1))
        for one, count, mean in zip(samples, counts, means, strict=True):
            values, n = one.values, len(one.values)
            if one.shares is not None:
                apart = mean[:, i, None] - mean[:, others]
                differences = values[:, i, None] - values[:, others]
                variance += one.weight**2 * _cluster_variance(count, differences, apart, one.shares)
                continue
            squares = count @ np.square(values[:, i, None] - values[:, others]) / n
            squares -= np.square(mean[:, i, None] - mean[:, others])
            variance += one.weight**2 / max(n - 1, 1) * squares
        still = variance <= _NO_SPREAD * spread[i, others]
        without[i, others] = still.sum(axis=0)
        counted = ~still & usable[i, others]
        size_of = np.abs(total[:, i, None] - total[:, others])
        t = np.divide(
            size_of, np.sqrt(np.where(counted, variance, 1.0)),
            out=np.zeros_like(size_of), where=counted,
        )  # fmt: skip
        np.maximum(largest[:, i], t.max(axis=1), out=largest[:, i])
        np.maximum(largest[:, others], t, out=largest[:, others])
    return without


def _size(sample: Sample, count: NDArray[np.float64]) -> NDArray[np.float64] | int:
    """Rows of a resample, or what its clusters hold of all rows."""
    return len(sample.values) if sample.shares is None else (count @ sample.shares)[:, None]


def _cluster_variance(
    count: NDArray[np.float64],
    differences: NDArray[np.float64],
    means: NDArray[np.float64],
    shares: NDArray[np.float64],
) -> NDArray[np.float64]:
    """CR2 variance of the mean differences in resamples of whole clusters, shape (B, pairs)."""
    total = (count @ shares)[:, None]
    stretched = count / np.maximum(1.0 - shares / total, _LEAST_REST)
    squares = stretched @ np.square(differences)
    squares -= 2.0 * means * (stretched @ (shares[:, None] * differences))
    squares += np.square(means) * (stretched @ np.square(shares))[:, None]
    return np.asarray(squares / np.square(total))
