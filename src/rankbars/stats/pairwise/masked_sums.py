"""Sums over the rows that two models have in common, from products with the mask.

With `Y` the centred scores, zero where missing, and `B` the mask of observed scores,
``B'B`` counts common rows, ``Y'B`` sums the scores of one model over the rows of the other,
``(Y*Y)'B`` their squares, and ``Y'Y`` the products.
Models that have every row need no mask.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import accumulate, product_blocks, row_blocks
from rankbars.stats.pairwise.centring import column_sums

__all__ = [
    "CommonRows",
    "MaskedSums",
    "ScoresAndMask",
    "centre_observed",
    "count_common",
    "observed_chunks",
    "sum_masked",
]

ScoresAndMask = tuple[NDArray[np.floating], NDArray[np.floating]]
"""Rows of scores, zero where missing, and the mask (0 or 1) of the incomplete models."""


class CommonRows(NamedTuple):
    """Rows that two models have in common.

    Attributes
    ----------
    rows : ndarray of int64, shape (M, M)
        Their number.
    incomplete : ndarray of intp, shape (I,)
        Models that miss a row.
    """

    rows: NDArray[np.int64]
    incomplete: NDArray[np.intp]


class MaskedSums(NamedTuple):
    """Sums over common rows; each of shape (M, M).

    Attributes
    ----------
    score : ndarray
        Scores of the first model.
    square : ndarray
        Squares of the scores of the first model.
    cross : ndarray
        Products of the scores of both; symmetric.
    """

    score: NDArray[np.float64]
    square: NDArray[np.float64]
    cross: NDArray[np.float64]


def count_common(values: NDArray[np.float64]) -> CommonRows:
    """Number of rows that two models have in common, for all pairs.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Scores; NaN where not observed.

    Returns
    -------
    CommonRows
        Numbers of rows, and the models that miss some.

    Examples
    --------
    >>> count_common(np.array([[1.0, np.nan], [0.0, 1.0]])).rows
    array([[2, 1],
           [1, 1]])
    """
    n, n_models = values.shape
    own = np.full(n_models, n, dtype=np.int64)
    for block in row_blocks(n, n_models):
        own -= np.isnan(values[block]).sum(axis=0)
    incomplete = np.flatnonzero(own < n)
    rows = np.minimum(own[:, None], own)  # right where at least one of the two misses nothing
    masks = (
        (~np.isnan(values[block][:, incomplete])).astype(np.float32)  # exact below 2^24
        for block in product_blocks(n, n_models)
    )
    rows[np.ix_(incomplete, incomplete)] = accumulate(mask.T @ mask for mask in masks)
    return CommonRows(rows, incomplete)


def centre_observed(
    values: NDArray[np.float64], reference: NDArray[np.float64], own: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Mean of each model's observed scores after `reference` was taken off the rows.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Scores; NaN where not observed.
    reference : ndarray, shape (n,)
        Number taken off each row.
    own : ndarray of int64, shape (M,)
        Rows that each model has.

    Returns
    -------
    ndarray, shape (M,)
        Means; 0 for a model without scores.

    Examples
    --------
    >>> scores = np.array([[1.0, 2.0], [np.nan, 5.0]])
    >>> centre_observed(scores, np.array([1.0, 1.0]), np.array([1, 2]))
    array([0. , 2.5])
    """
    nobody = np.empty(0, dtype=np.intp)
    chunks = observed_chunks(values, reference, 0.0, nobody)
    return accumulate(column_sums(scores) for scores, _ in chunks) / np.maximum(own, 1)


def observed_chunks(
    values: NDArray[np.float64],
    reference: NDArray[np.float64],
    mean: NDArray[np.float64] | float,
    incomplete: NDArray[np.intp],
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Blocks of centred scores with zeros for missing ones, and the mask of incomplete models.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Scores; NaN where not observed.
    reference : ndarray, shape (n,)
        Number taken off each row.
    mean : ndarray, shape (M,), or 0
        Number taken off each column.
    incomplete : ndarray of intp, shape (I,)
        Models whose mask is wanted.

    Yields
    ------
    scores : ndarray, shape (rows, M)
        Scores of consecutive rows.
    mask : ndarray, shape (rows, I)
        1 where observed, else 0.
    """
    for rows in product_blocks(*values.shape):
        scores = values[rows] - reference[rows, None]
        scores -= mean
        missing = np.isnan(scores)
        np.copyto(scores, 0.0, where=missing)
        yield scores, 1.0 - missing[:, incomplete]


def sum_masked(
    chunks: Iterator[ScoresAndMask], incomplete: NDArray[np.intp], n_models: int, *, binary: bool
) -> MaskedSums:
    """Sums over common rows for all pairs.

    Parameters
    ----------
    chunks : iterator of (ndarray, ndarray)
        Scores and mask, block by block; the blocks of scores may be overwritten.
    incomplete : ndarray of intp, shape (I,)
        Models that the mask is about.
    n_models : int
        M.
    binary : bool
        Whether all scores are 0 or 1, so that each is its own square.

    Returns
    -------
    MaskedSums
        Sums.
    """
    own_score = np.zeros(n_models)
    score, square = (np.zeros((n_models, incomplete.size)) for _ in range(2))
    cross = np.zeros((n_models, n_models))
    for scores, mask in chunks:
        own_score += scores.sum(axis=0, dtype=np.float64)
        score += scores.T @ mask
        cross += scores.T @ scores
        if not binary:
            square += np.square(scores, out=scores).T @ mask
    own_square = np.diagonal(cross)
    if binary:
        square = score
    return MaskedSums(
        _widen(own_score, score, incomplete), _widen(own_square, square, incomplete), cross
    )


def _widen(
    own: NDArray[np.float64], sums: NDArray[np.float64], incomplete: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Sums for all pairs: over all own rows, but for the columns of incomplete models."""
    wide = np.repeat(own[:, None], own.size, axis=1)
    wide[:, incomplete] = sums
    return wide
