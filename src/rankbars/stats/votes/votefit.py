"""Strengths from votes by maximum likelihood, for every outcome model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError, OptionError
from rankbars.stats.votes.connectivity import check_connected, check_tie_parameter
from rankbars.stats.votes.likelihood import (
    Design,
    OutcomeModel,
    collect_products,
    collect_slopes,
    lay_out,
    mirror_upper,
    predict_rows,
    split_parameters,
    sum_by,
)
from rankbars.stats.votes.newton import Height, Peak, factorise, maximise, solve
from rankbars.stats.votes.votecounts import VoteCounts

__all__ = [
    "VoteFit",
    "fit_votes",
    "fix_gauge",
    "gauge_constant",
    "join_parameters",
    "tie_parameter",
    "win_totals",
]

Array = NDArray[np.float64]

_GRADIENT = 1e-10
_LEAST_FREE_SHARE = 1e-10


class VoteFit(NamedTuple):
    """A fit of votes that converged.

    Attributes
    ----------
    strength : ndarray, shape (M,)
        Log strengths with sum zero; ``strength[i] - strength[j]`` is the log odds that i beats j.
    effect : ndarray, shape (q,)
        Effect of each covariate on the log odds of the first model.
    tie : float or None
        Tie parameter on the log scale; None where ties are half wins.
    information : ndarray, shape (D, D)
        Minus the Hessian of the (penalised) log-likelihood, in the order strengths, effects, tie.
        Equal shifts of all strengths are its null space.
    log_likelihood : float
        Without the penalty.
    iterations : int
        Newton steps taken.
    outcomes : OutcomeModel
        The model.
    ridge : float
        The penalty; 0 for maximum likelihood.
    """

    strength: Array
    effect: Array
    tie: float | None
    information: Array
    log_likelihood: float
    iterations: int
    outcomes: OutcomeModel
    ridge: float


def fit_votes(counts: VoteCounts, outcomes: OutcomeModel, *, ridge: float = 0.0) -> VoteFit:
    """Maximum likelihood fit of an outcome model.

    Parameters
    ----------
    counts : VoteCounts
        Votes, with covariates if there are any.
    outcomes : OutcomeModel
        The model.
    ridge : float
        At least 0. Subtracts ``ridge / 2`` times the sum of squared strengths from the
        log-likelihood; effects and tie parameter are not penalised.

    Returns
    -------
    VoteFit
        Strengths, effects and tie parameter.

    Raises
    ------
    DataError
        If the votes do not put all models on one scale (whatever the ridge), or leave a parameter
        without a finite value.
    OptionError
        If `ridge` is negative or not finite.
    ConvergenceError
        If the fit does not converge.

    Notes
    -----
    Damped Newton with a Cholesky factor, in pair form. It ends where no component of the gradient
    exceeds 1e-10 times the largest win total (for effects and tie parameter: the number of votes).

    Examples
    --------
    >>> from rankbars.stats.votes.likelihood import SPLIT_TIES
    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> fit = fit_votes(from_matrices([[0, 3], [1, 0]]), SPLIT_TIES)
    >>> (np.exp(fit.strength[0] - fit.strength[1])).round(9).item(), fit.iterations <= 6
    (3.0, True)
    """
    if not (np.isfinite(ridge) and ridge >= 0):
        raise OptionError.out_of_range("ridge", ridge, "finite and at least 0")
    check_connected(counts)
    if outcomes.has_tie:
        check_tie_parameter(counts)
    scale = _column_scale(counts.covariates)
    design = lay_out(counts._replace(covariates=counts.covariates / scale), outcomes.has_tie)
    _check_columns(design, counts.weight.sum(axis=0))
    peak = _find_peak(design, counts.weight, outcomes, ridge)
    strength, effect, tie = split_parameters(design, peak.point)
    terms = outcomes.terms(predict_rows(design, peak.point), tie, counts.weight)
    information = _penalise(
        collect_products(design, terms.curvature, terms.cross, terms.tie_curvature),
        counts.n_models,
        ridge,
    )
    columns = np.ones(design.n_parameters)
    columns[design.n_models : design.n_models + scale.size] = scale
    return VoteFit(
        strength=strength - strength.sum() / max(strength.size, 1),
        effect=effect / scale,
        tie=tie if outcomes.has_tie else None,
        information=mirror_upper(information) * columns * columns[:, None],
        log_likelihood=terms.log_likelihood,
        iterations=peak.iterations,
        outcomes=outcomes,
        ridge=ridge,
    )


def join_parameters(fit: VoteFit) -> Array:
    """Parameters of a fit as one vector: strengths, effects, tie parameter.

    Parameters
    ----------
    fit : VoteFit
        A fit.

    Returns
    -------
    ndarray, shape (D,)
        In the order of ``fit.information``.
    """
    ties = [] if fit.tie is None else [fit.tie]
    return np.concatenate([fit.strength, fit.effect, ties])


def tie_parameter(fit: VoteFit) -> float:
    """Tie parameter of a fit; 0, which nothing reads, without one."""
    return 0.0 if fit.tie is None else fit.tie


def win_totals(counts: VoteCounts) -> Array:
    """Wins of each model, ties as half wins.

    Parameters
    ----------
    counts : VoteCounts
        Votes.

    Returns
    -------
    ndarray, shape (M,)
        Sums of weights.

    Examples
    --------
    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> win_totals(from_matrices([[0, 3], [1, 0]], [[0, 1], [1, 0]])).tolist()
    [3.5, 1.5]
    """
    wins, ties, losses = counts.weight
    size = counts.n_models
    ahead = sum_by(counts.first, wins + ties / 2, size)
    return ahead + sum_by(counts.second, losses + ties / 2, size)


def _penalise(information: Array, n_models: int, ridge: float) -> Array:
    """Information with the ridge of the strengths; equal shifts of them stay free."""
    if ridge:
        block = information[:n_models, :n_models]
        block -= ridge / n_models
        information[np.arange(n_models), np.arange(n_models)] += ridge
    return information


def fix_gauge(information: Array, n_models: int) -> Array:
    """Information made positive definite: equal shifts of all strengths cost as much as others.

    Parameters
    ----------
    information : ndarray, shape (D, D)
        Its upper triangle counts; overwritten.
    n_models : int
        The first parameters, whose common shift is free.

    Returns
    -------
    ndarray, shape (D, D)
        The same array with a constant added to the block of the strengths.
    """
    information[:n_models, :n_models] += gauge_constant(information, n_models)
    return information


def gauge_constant(information: Array, n_models: int) -> float:
    """Constant on the scale of the information: its mean diagonal over the number of models."""
    mean = information.diagonal()[:n_models].sum() / max(n_models, 1) ** 2
    return float(mean) if mean > 0 else 1.0


def _find_peak(design: Design, weight: Array, outcomes: OutcomeModel, ridge: float) -> Peak:
    """Where the penalised likelihood is largest."""
    size = design.n_models

    def evaluate(point: Array) -> Height:
        strength, _, tie = split_parameters(design, point)
        terms = outcomes.terms(predict_rows(design, point), tie, weight)
        gradient = collect_slopes(design, terms.slope, terms.tie_slope)
        value = terms.log_likelihood
        if ridge:
            centred = strength - strength.mean()
            gradient[:size] -= ridge * centred
            value -= ridge / 2 * float(centred @ centred)

        def information() -> Array:
            raw = collect_products(design, terms.curvature, terms.cross, terms.tie_curvature)
            return fix_gauge(_penalise(raw, size, ridge), size)

        return Height(value, gradient, information)

    def reach(step: Array) -> float:
        moved = np.abs(predict_rows(design, step)).max(initial=0.0)
        return float(moved) + abs(split_parameters(design, step)[2])

    start = np.zeros(design.n_parameters)
    if design.has_tie:
        start[-1] = outcomes.start(weight)
    return maximise(evaluate, start, _tolerance(design, weight), reach)


def _tolerance(design: Design, weight: Array) -> Array:
    """Largest gradient at the end, for each parameter; not below the rounding of tiny weights."""
    counts = VoteCounts(
        design.n_models, design.first, design.second, weight, weight, design.covariates
    )
    tolerance = np.full(design.n_parameters, float(weight.sum()))
    tolerance[: design.n_models] = float(win_totals(counts).max(initial=0.0))
    return np.where(tolerance > 0, _GRADIENT * tolerance, _GRADIENT)


def _column_scale(covariates: Array) -> Array:
    """Largest size of each covariate, so that columns in any unit are fitted alike."""
    scale: Array = np.abs(covariates).max(axis=0, initial=0.0)
    if not np.isfinite(scale).all():
        raise DataError("Covariates must be finite; fill or drop the votes without them.")
    if covariates.shape[0] and not scale.all():
        zero = int(np.flatnonzero(scale == 0)[0])
        raise DataError(f"Covariate number {zero} is zero on every vote; leave it out.")
    return scale


def _check_columns(design: Design, total: Array) -> None:
    """Refuse covariates that the votes cannot tell from the strengths or from each other."""
    if not design.n_effects:
        return
    size = design.n_models
    products = collect_products(design._replace(has_tie=False), total, total, total)
    mirror_upper(products)
    own = products.diagonal()[size:]
    factor = factorise(fix_gauge(products[:size, :size].copy(), size))
    left = products[size:, size:] - products[size:, :size] @ solve(factor, products[:size, size:])
    for which in range(design.n_effects):
        if left[which, which] <= _LEAST_FREE_SHARE * own[which]:
            raise DataError(
                f"Covariate number {which} follows from the models compared or from the covariates "
                "before it, so that its effect cannot be told from theirs; leave it out."
            )
        left -= np.outer(left[:, which], left[which] / left[which, which])
