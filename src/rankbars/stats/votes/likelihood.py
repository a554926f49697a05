"""The likelihood of votes: what an outcome says of two strengths, and the linear side of a fit.

Each outcome model is a named tuple of pure functions of ``eta``, the difference of log strengths
(first minus second, covariates included), and of its tie parameter. All are concave in both.
Parameters stand in one vector: strengths of M models, effects of q covariates, and the tie
parameter if the outcome model has one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.votes.votecounts import VoteCounts

__all__ = [
    "SPLIT_TIES",
    "Design",
    "OutcomeModel",
    "RowTerms",
    "collect_products",
    "collect_slopes",
    "lay_out",
    "logistic",
    "mirror_upper",
    "predict_rows",
    "split_parameters",
    "sum_by",
]

Array = NDArray[np.float64]


class RowTerms(NamedTuple):
    """Log-likelihood of counted votes, with its derivatives.

    Attributes
    ----------
    log_likelihood : float
        Sum over all rows.
    slope : ndarray, shape (R,)
        Derivative of each row in ``eta``.
    curvature : ndarray, shape (R,)
        Minus the second derivative of each row in ``eta``.
    tie_slope, tie_curvature : ndarray, shape (R,)
        Derivative, and minus the second derivative, of each row in the tie parameter.
        Zeros without one, like `cross`.
    cross : ndarray, shape (R,)
        Minus the mixed derivative of each row.
    """

    log_likelihood: float
    slope: Array
    curvature: Array
    tie_slope: Array
    tie_curvature: Array
    cross: Array


class OutcomeModel(NamedTuple):
    """How wins, ties and losses follow from strengths.

    Attributes
    ----------
    name : str
        The name in the literature.
    has_tie : bool
        Whether there is a tie parameter to estimate.
    start : callable
        ``start(weight)``: first value of the tie parameter, from counts of shape (3, R).
    terms : callable
        ``terms(eta, tie, weight)``: the `RowTerms` of counts of shape (3, R).
    scores : callable
        ``scores(eta, tie)``: derivatives of the log-probability of each outcome in ``eta`` and in
        the tie parameter, two arrays of shape (3, R).
    chances : callable
        ``chances(eta, tie, weight)``: probability of each outcome, shape (3, R). Without a tie
        parameter each row keeps its own share of ties.
    """

    name: str
    has_tie: bool
    start: Callable[[Array], float]
    terms: Callable[[Array, float, Array], RowTerms]
    scores: Callable[[Array, float], tuple[Array, Array]]
    chances: Callable[[Array, float, Array], Array]


def logistic(eta: Array) -> tuple[Array, Array, Array, Array]:
    """Logistic function from both ends, and the logs of both.

    Parameters
    ----------
    eta : ndarray
        Any values.

    Returns
    -------
    p : ndarray
        ``1 / (1 + exp(-eta))``.
    q : ndarray
        ``1 - p``, to full relative precision.
    log_p, log_q : ndarray
        Their logarithms, likewise.

    Examples
    --------
    >>> p, q, log_p, log_q = logistic(np.array([0.0, 800.0]))
    >>> p.tolist(), q.tolist(), log_p.round(3).tolist(), log_q.round(3).tolist()
    ([0.5, 1.0], [0.5, 0.0], [-0.693, 0.0], [-0.693, -800.0])
    """
    small = np.exp(-np.abs(eta))
    low = small / (1.0 + small)
    high = 1.0 / (1.0 + small)
    positive = eta > 0
    log_high = -np.log1p(small)
    return (
        np.where(positive, high, low),
        np.where(positive, low, high),
        np.minimum(eta, 0.0) + log_high,
        np.minimum(-eta, 0.0) + log_high,
    )


def _split_terms(eta: Array, tie: float, weight: Array) -> RowTerms:
    """Bradley and Terry with a tie as half a win for each side."""
    total = weight.sum(axis=0)
    won = weight[0] + weight[1] / 2
    lost = total - won
    p, q, log_p, log_q = logistic(eta)
    zeros = np.zeros(eta.size)
    return RowTerms(
        log_likelihood=float(won @ log_p + lost @ log_q),
        slope=won * q - lost * p,
        curvature=total * p * q,
        tie_slope=zeros,
        tie_curvature=zeros,
        cross=zeros,
    )


def _split_scores(eta: Array, tie: float) -> tuple[Array, Array]:
    p, q, _, _ = logistic(eta)
    return np.stack([q, (q - p) / 2, -p]), np.zeros((3, eta.size))


def _split_chances(eta: Array, tie: float, weight: Array) -> Array:
    p, q, _, _ = logistic(eta)
    # The expected score of the row has to stay p, which leaves at most this many ties.
    share = np.minimum(weight[1] / weight.sum(axis=0), 2 * np.minimum(p, q))
    return np.stack([p - share / 2, share, q - share / 2])


def _no_tie(weight: Array) -> float:
    return 0.0


SPLIT_TIES = OutcomeModel(
    name="Bradley-Terry",
    has_tie=False,
    start=_no_tie,
    terms=_split_terms,
    scores=_split_scores,
    chances=_split_chances,
)
"""Bradley and Terry (1952); a tie counts as half a win for each side."""


class Design(NamedTuple):
    """Where each row of votes enters.

    Attributes
    ----------
    n_models : int
        Number of models.
    first, second : ndarray of intp, shape (R,)
        The models of each row.
    pair : ndarray of intp, shape (R,)
        Place of the pair in an (M, M) table.
    covariates : ndarray, shape (R, q)
        Covariates.
    has_tie : bool
        Whether the last parameter is a tie parameter.
    """

    n_models: int
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    pair: NDArray[np.intp]
    covariates: Array
    has_tie: bool

    @property
    def n_effects(self) -> int:
        """Number of covariates."""
        return int(self.covariates.shape[1])

    @property
    def n_parameters(self) -> int:
        """Length of the vector of parameters."""
        return self.n_models + self.n_effects + self.has_tie


def lay_out(counts: VoteCounts, has_tie: bool) -> Design:
    """Design of counted votes.

    Parameters
    ----------
    counts : VoteCounts
        Votes.
    has_tie : bool
        Whether there is a tie parameter.

    Returns
    -------
    Design
        One row per row of `counts`.

    Examples
    --------
    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> lay_out(from_matrices([[0, 1, 0], [0, 0, 1], [0, 0, 0]]), has_tie=True).n_parameters
    4
    """
    pair = counts.first * counts.n_models + counts.second
    return Design(counts.n_models, counts.first, counts.second, pair, counts.covariates, has_tie)


def split_parameters(design: Design, parameters: Array) -> tuple[Array, Array, float]:
    """Strengths, effects and tie parameter (0 without one) of a vector of parameters."""
    end = design.n_models + design.n_effects
    tie = float(parameters[end]) if design.has_tie else 0.0
    return parameters[: design.n_models], parameters[design.n_models : end], tie


def predict_rows(design: Design, parameters: Array) -> Array:
    """Linear predictor of each row: difference of strengths plus effects.

    Parameters
    ----------
    design : Design
        Rows.
    parameters : ndarray, shape (D,)
        Parameters, or a step between two.

    Returns
    -------
    ndarray, shape (R,)
        ``theta_first - theta_second + x' beta``.

    Examples
    --------
    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> design = lay_out(from_matrices([[0, 1], [0, 0]]), has_tie=False)
    >>> predict_rows(design, np.array([0.5, -0.5])).tolist()
    [1.0]
    """
    strength, effect, _ = split_parameters(design, parameters)
    eta: Array = strength[design.first] - strength[design.second]
    return eta + design.covariates @ effect if effect.size else eta


def collect_slopes(design: Design, slope: Array, tie_slope: Array) -> Array:
    """Gradient from the derivative of each row in its predictor.

    Parameters
    ----------
    design : Design
        Rows.
    slope : ndarray, shape (R,)
        Derivatives.
    tie_slope : ndarray, shape (R,)
        Derivatives in the tie parameter; ignored without one.

    Returns
    -------
    ndarray, shape (D,)
        Sums over rows.

    Examples
    --------
    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> design = lay_out(from_matrices([[0, 1], [0, 0]]), has_tie=False)
    >>> collect_slopes(design, np.array([2.0]), np.zeros(1)).tolist()
    [2.0, -2.0]
    """
    size = design.n_models
    strengths = sum_by(design.first, slope, size) - sum_by(design.second, slope, size)
    ties = [tie_slope.sum()] if design.has_tie else []
    return np.concatenate([strengths, slope @ design.covariates, ties])


def collect_products(design: Design, weight: Array, cross: Array, tie_weight: Array) -> Array:
    """Sum over rows of weighted products of the design with itself.

    Parameters
    ----------
    design : Design
        Rows.
    weight : ndarray, shape (R,)
        Weight of predictor times predictor.
    cross : ndarray, shape (R,)
        Weight of predictor times tie parameter; ignored without one.
    tie_weight : ndarray, shape (R,)
        Weight of the tie parameter with itself; ignored without one.

    Returns
    -------
    ndarray, shape (D, D)
        The upper triangle; below it the strengths are zero.

    Examples
    --------
    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> design = lay_out(from_matrices([[0, 1], [0, 0]]), has_tie=False)
    >>> collect_products(design, np.array([2.0]), np.zeros(1), np.zeros(1))
    array([[ 2., -2.],
           [ 0.,  2.]])
    """
    size, n_effects = design.n_models, design.n_effects
    block = sum_by(design.pair, -weight, size * size).reshape(size, size)
    diagonal = sum_by(design.first, weight, size) + sum_by(design.second, weight, size)
    block.ravel()[:: size + 1] = diagonal
    if design.n_parameters == size:
        return block
    product = np.zeros((design.n_parameters, design.n_parameters))
    product[:size, :size] = block
    for k in range(n_effects):
        column = design.covariates[:, k]
        product[: size + n_effects, size + k] = collect_slopes(
            design._replace(has_tie=False), weight * column, cross
        )
    if design.has_tie:
        product[:, -1] = collect_slopes(design, cross, tie_weight)
    return product


def sum_by(place: NDArray[np.intp], weight: Array, size: int) -> Array:
    """Sums of weights by place, shape (size,)."""
    return np.bincount(place, weight, size).astype(np.float64, copy=False)


def mirror_upper(matrix: Array) -> Array:
    """Symmetric matrix from its upper triangle; overwrites the lower one.

    Parameters
    ----------
    matrix : ndarray, shape (D, D)
        Its upper triangle counts.

    Returns
    -------
    ndarray, shape (D, D)
        The same array.

    Examples
    --------
    >>> mirror_upper(np.array([[1.0, 2.0], [0.0, 3.0]])).tolist()
    [[1.0, 2.0], [2.0, 3.0]]
    """
    for row in range(1, matrix.shape[0]):
        matrix[row, :row] = matrix[:row, row]
    return matrix
