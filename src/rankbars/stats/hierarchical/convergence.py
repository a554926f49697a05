"""Whether Markov chains have forgotten where they started, and how much they are worth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

__all__ = [
    "effective_draws",
    "split_rhat",
]


def split_rhat(chains: NDArray[np.float64]) -> NDArray[np.float64]:
    """R-hat of rank-normalised split chains, the larger of that of the values and of their folds.

    Parameters
    ----------
    chains : array of float, shape (C, D, ...)
        D draws of each of C chains, of any number of quantities.

    Returns
    -------
    array of float, shape (...)
        Near 1 where chains agree; NaN for a quantity that never varies.

    References
    ----------
    Vehtari, Gelman, Simpson, Carpenter & Bürkner 2021, *Bayesian Analysis* 16.

    Examples
    --------
    >>> chains = np.random.default_rng(0).normal(size=(4, 500))
    >>> bool(split_rhat(chains) < 1.01), bool(split_rhat(chains + np.arange(4)[:, None]) > 1.1)
    (True, True)
    """
    flat = _split(chains)
    folded = np.abs(flat - np.median(flat, axis=(0, 1)))
    found = np.fmax(_rhat(_normal_scores(flat)), _rhat(_normal_scores(folded)))
    found[_constant(flat)] = np.nan
    return np.asarray(found.reshape(chains.shape[2:]))


def effective_draws(chains: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many independent draws the chains are worth, for the bulk of each distribution.

    Parameters
    ----------
    chains : array of float, shape (C, D, ...)
        D draws of each of C chains, of any number of quantities.

    Returns
    -------
    array of float, shape (...)
        At most ``C D log10(C D)``; NaN for a quantity that never varies.

    Notes
    -----
    Autocorrelations of the rank-normalised split chains, summed in pairs by Geyer's initial
    monotone sequence.

    References
    ----------
    Vehtari, Gelman, Simpson, Carpenter & Bürkner 2021, *Bayesian Analysis* 16.

    Examples
    --------
    >>> chains = np.random.default_rng(0).normal(size=(4, 500))
    >>> bool(1600 < effective_draws(chains) < 2600)
    True
    """
    flat = _split(chains)
    scores = _normal_scores(flat)
    count, size, number = scores.shape
    total = count * size
    covariance = _autocovariance(scores).mean(axis=1)  # (size, number)
    within = covariance[0] * size / (size - 1)
    means = scores.mean(axis=1)
    both = covariance[0] + (means.var(axis=0, ddof=1) if count > 1 else 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = 1.0 - (within - covariance) / both
    correlation[0] = 1.0
    even = size - size % 2
    pairs = correlation[:even].reshape(-1, 2, number).sum(axis=1)
    ended = np.cumsum(~(pairs > 0), axis=0) > 0  # from the first pair that is not positive
    kept = np.where(ended, 0.0, np.minimum.accumulate(pairs, axis=0))
    time = np.maximum(-1.0 + 2.0 * kept.sum(axis=0), 1.0 / np.log10(total))
    found = total / time
    found[_constant(flat)] = np.nan
    return np.asarray(found.reshape(chains.shape[2:]))


def _split(chains: NDArray[np.float64]) -> NDArray[np.float64]:
    """Halves of the chains as chains of their own; quantities in one axis."""
    count, size = chains.shape[:2]
    half = size // 2
    flat = np.asarray(chains, dtype=np.float64).reshape(count, size, -1)
    return np.concatenate([flat[:, :half], flat[:, size - half :]], axis=0)


def _normal_scores(flat: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks among all draws of a quantity, turned into normal quantiles; ties share their mean."""
    count, size, number = flat.shape
    values = flat.reshape(-1, number)
    total = count * size
    ranks = np.empty(values.shape)
    for column in range(number):
        _, place, times = np.unique(values[:, column], return_inverse=True, return_counts=True)
        last = np.cumsum(times)
        ranks[:, column] = (last - (times - 1) / 2.0)[place]
    return np.asarray(special.ndtri((ranks - 0.375) / (total + 0.25)).reshape(flat.shape))


def _rhat(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    size = scores.shape[1]
    within = scores.var(axis=1, ddof=1).mean(axis=0)
    between = scores.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.sqrt((size - 1) / size + between / within))


def _autocovariance(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Autocovariance of each chain at every lag, shape (size, chains, number)."""
    size = scores.shape[1]
    centred = np.moveaxis(scores - scores.mean(axis=1, keepdims=True), 1, 0)
    spectrum = np.fft.rfft(centred, n=2 * size, axis=0)
    return np.asarray(np.fft.irfft(np.abs(spectrum) ** 2, n=2 * size, axis=0)[:size] / size)


def _constant(flat: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray(np.ptp(flat, axis=(0, 1)) == 0)
