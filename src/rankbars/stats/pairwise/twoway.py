"""Two-way t-test of all pairs of models whose items are crossed with runs or prompts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.stats.pairwise.differences import build_statistics, find_degenerate, no_pairs
from rankbars.stats.pairwise.moments import measure_complete
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.pairwise.scorerows import rescale

__all__ = ["two_way_t"]

_ROUNDING = 8.0 * float(np.finfo(np.float64).eps)
_FEWEST = 2


def two_way_t(values: NDArray[np.float64]) -> PairStatistics:
    """Two-way t statistics of all pairs for items and runs that are both drawn at random.

    Parameters
    ----------
    values : ndarray, shape (n, S, M)
        Finite scores of M models on n items in S runs (training seeds, prompt templates);
        the same runs for all items and models, nothing missing.

    Returns
    -------
    PairStatistics
        ``mean(d) / sqrt(V)`` with the mean squares of the two-way layout of the differences d,
        ``V = max(MS_item + MS_run - MS_res, MS_item, MS_run) / (n S)``, and Satterthwaite
        degrees of freedom of the first of the three, at least 1, (M, M).
        `n` is the smaller of n and S: so many independent signs a constant difference has.
        With one item or one run nothing is separated.

    Raises
    ------
    DataError
        If a score is missing.

    Notes
    -----
    The guarantee is for new items and new runs.
    Averaging over runs and testing over items answers for these runs only; as an answer for all
    runs it is too short.

    Differences whose means vary neither over items nor over runs, although single scores do, give
    no variance: no evidence in either direction.

    References
    ----------
    Satterthwaite 1946, Biometrics Bulletin 2.

    Examples
    --------
    >>> d = np.array([[0.3, 0.1, 0.2], [0.6, 0.1, 0.4], [0.1, -0.2, 0.3], [0.2, 0.0, 0.1]])
    >>> found = two_way_t(np.stack([d, np.zeros((4, 3))], axis=2))
    >>> found.statistic[0, 1].round(4), found.df[0, 1].round(4)
    (np.float64(1.6775), np.float64(3.2294))
    """
    values = np.asarray(values, dtype=np.float64)
    n, n_runs, n_models = values.shape
    if np.isnan(values).any():
        raise DataError(
            "The two-way test needs every model's score on every item in every run; some are "
            "missing. Leave out the items or runs that are not complete, or average over runs."
        )
    units = min(n, n_runs)
    if units < _FEWEST:
        return _separate_nothing(values, units)
    rows, magnitude, exponent = rescale(values.reshape(n * n_runs, n_models))
    cube = rows.reshape(values.shape)
    diff, items, runs, residual = _mean_squares(cube)
    # Spread of means that rounding of the scores alone could make.
    floor = np.square(_ROUNDING * np.maximum(magnitude[:, None], magnitude))
    items[items <= floor * n_runs] = 0.0
    runs[runs <= floor * n] = 0.0
    total = items + runs - residual
    variance = np.maximum(np.maximum(total, items), runs)
    with np.errstate(divide="ignore", invalid="ignore"):
        df = np.square(total) / (
            np.square(items) / (n - 1)
            + np.square(runs) / (n_runs - 1)
            + np.square(residual) / ((n - 1) * (n_runs - 1))
        )
    return build_statistics(
        np.ldexp(diff, exponent),
        np.ldexp(np.sqrt(variance / (n * n_runs)), exponent),
        np.where(df > 1, df, 1.0),
        np.asarray(units),
        find_degenerate(rows),
    )


def _mean_squares(
    cube: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Mean difference, and mean squares for items, runs and residual, of every pair."""
    n, n_runs, n_models = cube.shape
    # What is common to all models on one item in one run cancels in every difference.
    centred = cube - cube.mean(axis=2, keepdims=True)
    by_item = centred.mean(axis=1)
    by_run = centred.mean(axis=0)
    rest = centred - by_item[:, None, :] - by_run + by_item.mean(axis=0)
    over_items = measure_complete(np.ascontiguousarray(by_item))
    over_runs = measure_complete(np.ascontiguousarray(by_run))
    left_over = measure_complete(rest.reshape(n * n_runs, n_models))
    return (
        over_items.diff,
        np.square(over_items.norm) * n_runs / (n - 1),
        np.square(over_runs.norm) * n / (n_runs - 1),
        np.square(left_over.norm) / ((n - 1) * (n_runs - 1)),
    )


def _separate_nothing(values: NDArray[np.float64], units: int) -> PairStatistics:
    """Statistics without evidence, for a single item or run."""
    n, n_runs, n_models = values.shape
    mean = np.full(n_models, np.nan)
    if n and n_runs:
        mean = values.mean(axis=(0, 1))
    blank = np.full((n_models, n_models), np.nan)
    return build_statistics(
        mean[:, None] - mean, blank, np.ones(blank.shape), np.asarray(units), no_pairs()
    )
