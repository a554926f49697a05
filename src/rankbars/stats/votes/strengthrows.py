"""Strengths vote by vote: rows whose mean is a fit of Bradley and Terry's model to all of them.

A row is the fit and what one vote pulls at it. So what is known of means of rows is known of
strengths: their contrasts, and how votes of a judge correct them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from rankbars.stats.votes.votecounts import merge_rows
from rankbars.stats.votes.votefit import fix_gauge
from rankbars.stats.votes.votemodels import fit_bradley_terry

__all__ = ["StrengthRows", "strength_rows"]


class StrengthRows(NamedTuple):
    """A fit of votes as a mean over them.

    Attributes
    ----------
    values : ndarray of float64, shape (R, M)
        Log odds, which add up to 0 over models; the mean over rows is the fit.
    leverage : ndarray of float64, shape (R,)
        How much of a vote's own chance it decides itself, from 0 to 1.
    """

    values: NDArray[np.float64]
    leverage: NDArray[np.float64]


def strength_rows(
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    result: NDArray[np.float64],
    size: int,
) -> StrengthRows:
    """Strengths of models as the mean of one row per vote.

    Parameters
    ----------
    first, second : ndarray of int, shape (R,)
        The two models of each vote.
    result : ndarray, shape (R,)
        What the first got of it: 1 a win, 1/2 a tie, 0 a loss, or a mean of those.
    size : int
        Number of models.

    Returns
    -------
    StrengthRows
        The fit plus R times the vote's score, times the inverse information, each divided by one
        less its leverage. Their covariance over R is the sandwich covariance of the fit with
        that correction (HC3), but for terms of order 1 / R.

    Raises
    ------
    DataError
        If the votes do not put all models on one scale.

    References
    ----------
    Efron 1982, The Jackknife, the Bootstrap and Other Resampling Plans, ch. 3 (pseudo-values).
    MacKinnon and White 1985, Journal of Econometrics 29.

    Examples
    --------
    Three wins of four: the log odds are log 3.

    >>> found = strength_rows(np.zeros(4, int), np.ones(4, int), np.array([1.0, 1, 1, 0]), 2)
    >>> (found.values.mean(axis=0) @ [1, -1] / np.log(3)).round(9).item()
    1.0
    """
    won = np.zeros((3, len(result)))
    won[0], won[2] = result, 1.0 - result
    counts = merge_rows(size, first, second, won, won, np.zeros((len(result), 0)))
    fit = fit_bradley_terry(counts)
    inverse = np.linalg.inv(fix_gauge(fit.information.copy(), size))
    chance = expit(fit.strength[first] - fit.strength[second])
    pull = inverse[first] - inverse[second]
    rows = np.arange(len(result))
    leverage = chance * (1.0 - chance) * (pull[rows, first] - pull[rows, second])
    left = np.maximum(1.0 - leverage, np.finfo(float).eps)
    values = len(result) * pull * ((result - chance) / left)[:, None]
    values -= values.mean(axis=0)
    values -= values.mean(axis=1, keepdims=True)
    return StrengthRows(values + fit.strength, leverage)
