"""Votes as they come in: columns of one length, codes in range, weights that weigh something."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.errors import DataError

__all__ = ["check_covariates", "check_votes"]


def check_votes(
    first: ArrayLike,
    second: ArrayLike,
    outcome: ArrayLike,
    n_models: int,
    weight: ArrayLike | None,
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp], NDArray[np.float64] | None]:
    """Votes as arrays of one length, all of them within range.

    Parameters
    ----------
    first, second, outcome, n_models, weight
        As in `count_votes`.

    Returns
    -------
    tuple of ndarray
        First model, second model, outcome, and weight or None.

    Raises
    ------
    DataError
        If one of them is out of range; it says which.
    """
    columns = [np.asarray(column) for column in (first, second, outcome)]
    # An empty list is an array of floats to NumPy.
    columns = [column.astype(np.intp) if column.size == 0 else column for column in columns]
    loads = None if weight is None else np.asarray(weight, dtype=np.float64)
    lengths = {column.shape for column in columns} | ({loads.shape} if loads is not None else set())
    if len(lengths) != 1 or columns[0].ndim != 1:
        raise DataError(
            f"Votes must be columns of one length; got shapes {sorted(map(str, lengths))}."
        )
    limits = (("first", n_models), ("second", n_models), ("outcome", 3))
    for column, (name, limit) in zip(columns, limits, strict=True):
        if column.dtype.kind not in "iu":
            raise DataError(f"{name} must hold whole numbers (codes); got {column.dtype}.")
        if column.size and not (column.min() >= 0 and column.max() < limit):
            raise DataError(
                f"{name} must lie between 0 and {limit - 1}; got {column.min()} to {column.max()}."
            )
    a, b, coded = (column.astype(np.intp, copy=False) for column in columns)
    if (a == b).any():
        raise DataError(
            f"{np.count_nonzero(a == b)} votes compare a model with itself, vote number "
            f"{int((a == b).argmax())} first; drop them."
        )
    if loads is not None and not (np.isfinite(loads).all() and (loads > 0).all()):
        raise DataError("Weights of votes must be finite and above 0; drop votes without weight.")
    return a, b, coded, loads


def check_covariates(covariates: ArrayLike | None, n_votes: int) -> NDArray[np.float64]:
    """Covariates as a table with one row per vote, all of them finite.

    Parameters
    ----------
    covariates : array_like of float, shape (n, q), optional
        Covariates; None means none.
    n_votes : int
        Number of votes.

    Returns
    -------
    ndarray of float64, shape (n, q)
        The table.

    Raises
    ------
    DataError
        If it has another number of rows, or holds a value that is not finite.
    """
    if covariates is None:
        return np.empty((n_votes, 0))
    table = np.asarray(covariates, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != n_votes:
        raise DataError(
            f"Covariates must be a table with one row for each of {n_votes} votes; got shape "
            f"{table.shape}."
        )
    if not np.isfinite(table).all():
        raise DataError("Covariates must be finite; fill or drop the votes without them.")
    return table
