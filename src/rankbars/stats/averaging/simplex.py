"""Which weights of the categories make which model win.

Weights are points of the simplex: 0 or more each, adding up to 1. Corners are single categories.
What is drawn there is a description: the winner and the runner-up are chosen by the data at every
point, and there are thousands of points.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import row_blocks

__all__ = [
    "Duels",
    "WeightChange",
    "WeightGrid",
    "random_weights",
    "share_ahead",
    "smallest_change",
    "weigh",
    "weight_grid",
]


class WeightGrid(NamedTuple):
    """Points of the simplex and how much of it each stands for.

    Attributes
    ----------
    points : array of float, shape (P, C)
        Weights.
    areas : array of float, shape (P,)
        Share of the simplex; they add up to 1.
    """

    points: NDArray[np.float64]
    areas: NDArray[np.float64]


class Duels(NamedTuple):
    """First and second model at each point; shape (P,).

    Attributes
    ----------
    winner, runner_up : array of int
        Positions of the two models.
    margin : array of float
        By how much the first is ahead.
    error : array of float
        Standard error of that difference; NaN where not known.
    """

    winner: NDArray[np.int64]
    runner_up: NDArray[np.int64]
    margin: NDArray[np.float64]
    error: NDArray[np.float64]


class WeightChange(NamedTuple):
    """The smallest change of weights after which a rival is level with the winner.

    Attributes
    ----------
    moved : float
        Share of all weight that has to move from some categories to others; infinite where no
        weights do.
    weights : array of float, shape (C,)
        Weights after the move; NaN where there are none.
    """

    moved: float
    weights: NDArray[np.float64]


def weight_grid(categories: int, steps: int = 100) -> WeightGrid:
    """All weights that are multiples of ``1 / steps``; for up to three categories.

    Parameters
    ----------
    categories : int
        Number of categories C, 1 to 3.
    steps : int
        Steps along an edge L; three categories make ``(L + 1)(L + 2) / 2`` points.

    Examples
    --------
    >>> grid = weight_grid(3, 100)
    >>> len(grid.points), round(float(grid.areas.sum()), 12)
    (5151, 1.0)
    >>> weight_grid(2, 2).points.tolist()
    [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]]
    """
    whole = [
        (*head, steps - sum(head))
        for head in itertools.product(range(steps + 1), repeat=categories - 1)
        if sum(head) <= steps
    ]
    counts = np.array(whole, dtype=np.float64)
    # A point stands for the part of its neighbourhood that lies in the simplex: all of it inside,
    # half on an edge, a sixth (of a triangle) or half (of a line) in a corner.
    zeros = np.count_nonzero(counts == 0, axis=1)
    corner = 1 / 6 if categories == 3 else 1 / 2
    areas = np.where(zeros == 0, 1.0, np.where(zeros == categories - 1, corner, 1 / 2))
    return WeightGrid(counts / steps, areas / areas.sum())


def random_weights(categories: int, count: int, rng: np.random.Generator) -> WeightGrid:
    """Weights drawn evenly from the simplex (a flat Dirichlet distribution).

    Examples
    --------
    >>> grid = random_weights(5, 1000, np.random.default_rng(0))
    >>> grid.points.shape, bool((abs(grid.points.sum(axis=1) - 1) < 1e-12).all())
    ((1000, 5), True)
    """
    drawn = rng.standard_exponential((count, categories))
    return WeightGrid(drawn / drawn.sum(axis=1, keepdims=True), np.full(count, 1.0 / count))


def weigh(
    points: NDArray[np.float64],
    score: NDArray[np.float64],
    variance: NDArray[np.float64],
    linked: Iterable[tuple[int, int, NDArray[np.float64]]] = (),
) -> Duels:
    """First and second model at each point, their distance and its standard error.

    Parameters
    ----------
    points : array of float, shape (P, C)
        Weights.
    score : array of float, shape (C, M)
        Mean of each model in each category, higher is better; NaN for models that are left out.
        At least two models have all.
    variance : array of float, shape (C, M, M)
        Variance of the difference of two models in each category.
    linked : iterable of (int, int, array of float, shape (M, M))
        Two categories that are not independent, and the covariance of the difference of two
        models in one with that in the other; NaN where it is not known.

    Returns
    -------
    Duels
        Between equal scores the model that comes first.

    Examples
    --------
    >>> score = np.array([[0.9, 0.5], [0.2, 0.4]])
    >>> duels = weigh(np.array([[0.5, 0.5], [0.0, 1.0]]), score, np.full((2, 2, 2), 0.01))
    >>> duels.winner.tolist(), duels.margin.round(3).tolist(), duels.error.round(3).tolist()
    ([0, 1], [0.1, 0.2], [0.071, 0.1])
    >>> together = [(0, 1, np.full((2, 2), 0.01))]
    >>> weigh(np.array([[0.5, 0.5]]), score, np.full((2, 2, 2), 0.01), together).error.round(3)
    array([0.1])
    """
    complete = ~np.isnan(score).any(axis=0)
    totals = np.where(complete, points @ np.where(complete, score, 0.0), -np.inf)
    rows = np.arange(len(points))
    winner = totals.argmax(axis=1)
    best = totals[rows, winner]
    totals[rows, winner] = -np.inf
    runner_up = totals.argmax(axis=1)
    square = (np.square(points).T * variance[:, winner, runner_up]).sum(axis=0)
    for first, second, covariance in linked:
        both = points[:, first] * points[:, second]
        square += np.where(both > 0, 2.0 * both * covariance[winner, runner_up], 0.0)
    error = np.sqrt(np.maximum(square, 0.0))
    return Duels(winner, runner_up, best - totals[rows, runner_up], error)


def share_ahead(
    points: NDArray[np.float64], draws: NDArray[np.float64], duels: Duels
) -> NDArray[np.float64]:
    """Share of the draws in which the first model is ahead of the second, at each point.

    Parameters
    ----------
    points : array of float, shape (P, C)
        Weights.
    draws : array of float, shape (S, C, M)
        Joint draws of the means of each model in each category.
    duels : Duels
        First and second model at each point.

    Returns
    -------
    array of float, shape (P,)
        A tie counts one half.

    Examples
    --------
    >>> draws = np.array([[[0.9, 0.5]], [[0.8, 0.6]], [[0.6, 0.7]], [[0.5, 0.5]]])
    >>> point = np.ones((1, 1))
    >>> share_ahead(point, draws, weigh(point, draws.mean(axis=0), np.zeros((1, 2, 2)))).tolist()
    [0.625]
    """
    found = np.empty(len(points))
    pairs = np.stack([duels.winner, duels.runner_up], axis=1)
    known, which = np.unique(pairs, axis=0, return_inverse=True)
    for number, (first, second) in enumerate(known):
        lead = draws[:, :, first] - draws[:, :, second]  # [S, C]
        own = np.flatnonzero(which.reshape(-1) == number)
        for block in row_blocks(own.size, len(draws)):
            gap = lead @ points[own[block]].T  # [S, block]
            found[own[block]] = ((gap > 0).mean(axis=0) + (gap >= 0).mean(axis=0)) / 2
    return found


def smallest_change(base: NDArray[np.float64], ahead: NDArray[np.float64]) -> WeightChange:
    """How much weight must move between categories until a model has lost its lead.

    Parameters
    ----------
    base : array of float, shape (C,)
        Weights now; they add up to 1.
    ahead : array of float, shape (C,)
        By how much the leading model is ahead in each category; negative where it is behind. Its
        weighted mean is not negative.

    Returns
    -------
    WeightChange
        The lead is gone when weight `moved` has gone from the categories where it is largest to
        the one where it is smallest. No smaller share of weight can do that.

    Notes
    -----
    A linear programme (least total variation distance on the simplex) with a greedy solution:
    every unit of weight that moves from category c to the category with the smallest lead takes
    ``ahead[c] - min(ahead)`` off the total, so the largest go first.

    Examples
    --------
    >>> found = smallest_change(np.array([0.5, 0.5]), np.array([0.3, -0.1]))
    >>> round(found.moved, 3), found.weights.round(3).tolist()
    (0.25, [0.25, 0.75])
    >>> smallest_change(np.array([0.5, 0.5]), np.array([0.3, 0.1])).moved
    inf
    """
    lead = float(base @ ahead)
    target = int(ahead.argmin())
    if ahead[target] > 0:
        return WeightChange(float(np.inf), np.full(base.size, np.nan))
    weights = base.astype(np.float64)
    moved = 0.0
    for source in np.argsort(-ahead, kind="stable"):
        gain = ahead[source] - ahead[target]
        if lead <= 0 or gain <= 0:
            break
        step = min(float(weights[source]), lead / gain)
        weights[source] -= step
        weights[target] += step
        moved += step
        lead -= step * gain
    return WeightChange(float(moved), weights)
