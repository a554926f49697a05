"""Votes with covariates: position on the screen, length of the answer, style.

A covariate is a number per vote, as seen from its first model: for a style feature the
difference of the two answers, for the position +1 if the first model stood on the left.
Turned around, a vote has its covariates negated. Effects enter the log odds as extra columns
beside the strengths; the strengths are then those at covariates zero.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rankbars.stats.votes.votechecks import check_covariates, check_votes
from rankbars.stats.votes.voterows import VoteCounts, code_votes

__all__ = ["count_covariate_votes", "count_position_votes"]


def count_covariate_votes(
    first: ArrayLike,
    second: ArrayLike,
    outcome: ArrayLike,
    covariates: ArrayLike,
    n_models: int,
    weight: ArrayLike | None = None,
) -> VoteCounts:
    """Counts per pair and value of the covariates.

    Parameters
    ----------
    first, second, outcome, n_models, weight
        As in `rankbars.stats.votes.votecounts.count_votes`.
    covariates : array_like of float, shape (n, q)
        Covariates of each vote, as seen from its first model.

    Returns
    -------
    VoteCounts
        One row per pair and distinct values; continuous covariates give a row per vote.
        Every fit takes it, and returns one effect per covariate.

    Raises
    ------
    DataError
        As for `count_votes`, and if covariates are not finite or of another length.

    Notes
    -----
    Rows of answers with equal covariates are merged: the likelihood depends on their sum only.

    Examples
    --------
    The answer that is longer by one unit wins three times out of four, whoever gave it.

    >>> from rankbars.stats.votes.bradleyterry import fit_bradley_terry
    >>> sides = [0] * 8, [1] * 8, [0, 0, 0, 2, 2, 2, 2, 0]
    >>> counts = count_covariate_votes(*sides, [[1.0]] * 4 + [[-1.0]] * 4, 2)
    >>> counts.covariates[:, 0].tolist()
    [-1.0, 1.0]
    >>> fit = fit_bradley_terry(counts)
    >>> round(float(fit.effect[0]), 6), round(float(np.log(3)), 6)
    (1.098612, 1.098612)
    """
    a, b, coded, loads = check_votes(first, second, outcome, n_models, weight)
    table = check_covariates(covariates, a.size)
    return code_votes(a, b, coded, n_models, loads, table)[1]


def count_position_votes(
    first: ArrayLike,
    second: ArrayLike,
    outcome: ArrayLike,
    n_models: int,
    weight: ArrayLike | None = None,
) -> VoteCounts:
    """Counts per pair and order, for a fit with a position effect.

    Parameters
    ----------
    first, second, outcome, n_models, weight
        As in `rankbars.stats.votes.votecounts.count_votes`; `first` is the model in first position.

    Returns
    -------
    VoteCounts
        With one covariate, +1 where the first model of the row stood in first position and -1
        where it stood in second. The effect is the log odds of the first position between equally
        strong models.

    Raises
    ------
    DataError
        As for `count_votes`.

    Examples
    --------
    >>> count_position_votes([0, 1], [1, 0], [0, 0], 2).covariates[:, 0].tolist()
    [-1.0, 1.0]
    """
    return count_covariate_votes(
        first, second, outcome, np.ones((np.asarray(first).size, 1)), n_models, weight
    )
