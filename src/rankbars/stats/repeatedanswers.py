"""Repeated answers: what part of an error is items, answers and whole runs, and what more buy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import row_blocks
from rankbars.stats.pairwise.clusters import group_rows
from rankbars.stats.pairwise.runeffects import RunSquares
from rankbars.stats.tails import critical_value

__all__ = [
    "Purchase",
    "RunPart",
    "Split",
    "best_answers",
    "buy",
    "flip_chance",
    "run_part",
    "split_means",
    "split_pairs",
    "spread_over_runs",
]  # fmt: skip

_CELLS = 2**20
_ROUNDING = 1e-9
_MOST_ANSWERS = 1_000_000


class Split(NamedTuple):
    """Where the variance of means comes from, one number per mean, shape (P,).

    Variances are those of one row: divided by `n` they are those of the mean.

    Attributes
    ----------
    n : ndarray of int
        Rows behind the mean.
    known : ndarray of int
        Rows whose answers show how much they differ; the others are taken to be like these.
    mean : ndarray
        The mean, or the mean difference.
    total : ndarray
        Variance of a row's mean over new rows and new answers; NaN with fewer than two rows.
    rerun : ndarray
        The part of it that answers make; NaN where no row has two answers.
    once : ndarray
        What that part would be with one answer.
    low, high : ndarray
        Interval of ``rerun / total``; NaN where there is none.
    """

    n: NDArray[np.int64]
    known: NDArray[np.int64]
    mean: NDArray[np.float64]
    total: NDArray[np.float64]
    rerun: NDArray[np.float64]
    once: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @property
    def share(self) -> NDArray[np.float64]:
        """Share of answers in the variance, shape (P,); above 1 where it is all theirs."""
        found = np.full(self.total.shape, np.nan)
        np.divide(self.rerun, self.total, out=found, where=self.total > 0)
        return found


class RunPart(NamedTuple):
    """What effects of whole runs add to the variance of means, with their interval, shape (P,)."""

    raw: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def split_means(
    values: NDArray[np.float64], answers: NDArray[np.int64], within: NDArray[np.float64],
    weights: NDArray[np.float64] | None = None, clusters: NDArray[np.int64] | None = None,
    alpha: float = 0.05,
) -> Split:  # fmt: skip
    """Split of the variance of each column's mean into rows and answers.

    Parameters
    ----------
    values : ndarray, shape (n, P)
        Mean answer of each row; NaN where there is none.
    answers : ndarray of int, shape (n, P)
        Answers behind it, equally many or not.
    within : ndarray, shape (n, P)
        Their variance, with divisor K - 1; NaN where there are fewer than two.
    weights : ndarray, shape (n,), optional
        Weights of rows.
    clusters : ndarray of int, shape (n,), optional
        Group of each row; groups are then what is independent.
    alpha : float
        Error rate of the intervals.

    Notes
    -----
    Rows are independent, and the number of answers does not depend on them. With
    ``v_i = s2_i / K_i`` and N their mean, ``N / T`` is the share of answers in the variance T of
    row means. Interval: jackknife over rows on its logarithm with a t quantile, cut at 1; rough
    below 100 rows. Nothing is assumed of whole runs: see `run_part`.

    References
    ----------
    Brennan 2001, Generalizability Theory.

    Examples
    --------
    >>> right = np.repeat([0.0, 1, 2, 3, 4], [14, 12, 10, 4, 10])[:, None] / 4
    >>> four = np.full(right.shape, 4)
    >>> found = split_means(right, four, right * (1 - right) * 4 / 3)
    >>> found.share.round(3).tolist(), np.sqrt(found.total / found.n).round(4).tolist()
    ([0.269], [0.0522])
    """
    once = np.where(np.isnan(values), np.nan, within)
    with np.errstate(invalid="ignore", divide="ignore"):
        return _split(values, once / answers, once, weights, clusters, alpha)


def split_pairs(
    values: NDArray[np.float64], answers: NDArray[np.int64], within: NDArray[np.float64],
    pairs: tuple[NDArray[np.intp], NDArray[np.intp]],
    weights: NDArray[np.float64] | None = None, clusters: NDArray[np.int64] | None = None,
    alpha: float = 0.05,
) -> Split:  # fmt: skip
    """Split of the variance of mean differences between columns; see `split_means`.

    Parameters
    ----------
    values, answers, within, weights, clusters, alpha
        As for `split_means`, (n, M).
    pairs : (ndarray of int, ndarray of int), shape (P,) each
        First and second column of each pair; rows that both have count.

    Examples
    --------
    >>> values = np.array([[0.5, 0.0], [1.0, 0.5], [0.5, 0.5]])
    >>> spread = np.array([[0.5, 0.0], [0.0, 0.5], [0.5, 0.5]])
    >>> pair = np.array([0]), np.array([1])
    >>> split_pairs(values, np.full((3, 2), 2), spread, pair).rerun.round(4).tolist()
    [0.3333]
    """
    first, second = pairs
    parts = []
    for block in row_blocks(len(first), max(len(values), 1), _CELLS):
        a, b = first[block], second[block]
        difference = values[:, a] - values[:, b]
        once = np.where(np.isnan(difference), np.nan, within[:, a] + within[:, b])
        with np.errstate(invalid="ignore", divide="ignore"):
            rerun = within[:, a] / answers[:, a] + within[:, b] / answers[:, b]
        rerun = np.where(np.isnan(once), np.nan, rerun)
        parts.append(_split(difference, rerun, once, weights, clusters, alpha))
    if not parts:
        nothing = np.empty((len(values), 0))
        return _split(nothing, nothing, nothing, weights, clusters, alpha)
    return Split(*(np.concatenate(cells) for cells in zip(*parts, strict=True)))


def _split(
    values: NDArray[np.float64], rerun: NDArray[np.float64], once: NDArray[np.float64],
    weights: NDArray[np.float64] | None, clusters: NDArray[np.int64] | None, alpha: float,
) -> Split:  # fmt: skip
    """The split of each column, by sums over groups of rows that are independent."""
    seen = ~np.isnan(values)
    known = ~np.isnan(rerun)
    weight = np.ones((len(values), 1)) if weights is None else weights[:, None]
    size = np.where(seen, weight, 0.0)
    squared = np.square(weight)
    n = seen.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        whole = size.sum(axis=0)
        mean = np.where(seen, weight * values, 0.0).sum(axis=0) / whole
        sums = _Groups.of(
            clusters, size, np.where(seen, weight * (values - mean), 0.0),
            np.where(known, squared * rerun, 0.0), np.where(known, squared, 0.0),
            np.where(seen, squared, 0.0),
        )  # fmt: skip
        groups = (sums.size > 0).sum(axis=0).astype(np.float64)
        scale = n / np.square(whole)
        total = groups / (groups - 1) * np.square(sums.off).sum(axis=0) * scale
        # Rows that show no variance of answers are taken to be like those that do.
        raised = sums.squared.sum(axis=0) / sums.known.sum(axis=0) * scale
        noise = raised * sums.rerun.sum(axis=0)
        single = raised * np.where(known, squared * once, 0.0).sum(axis=0)
        spread = sums.jackknife() * critical_value(alpha / 2, np.maximum(groups - 1, 1.0))
        total = np.where(groups > 1, total, np.nan)
        share = noise / total
        low, high = (np.minimum(share * np.exp(side * spread), 1.0) for side in (-1, 1))
    unclear = ~np.isfinite(spread) | (groups < 3)
    low, high = (np.where(unclear, np.nan, end) for end in (low, high))
    nothing = known.sum(axis=0) == 0
    noise, single = (np.where(nothing, np.nan, part) for part in (noise, single))
    return Split(n, known.sum(axis=0), np.where(n > 0, mean, np.nan), total, noise, single, low,
                 high)  # fmt: skip


class _Groups(NamedTuple):
    """Sums over groups of rows, shape (G, P).

    `size` are weights, `off` what values are off the mean, `rerun` the variance that answers make,
    `known` the squared weights of the rows that show it, and `squared` those of all.
    """

    size: NDArray[np.float64]
    off: NDArray[np.float64]
    rerun: NDArray[np.float64]
    known: NDArray[np.float64]
    squared: NDArray[np.float64]

    @classmethod
    def of(cls, clusters: NDArray[np.int64] | None, *columns: NDArray[np.float64]) -> _Groups:
        """Sums of `columns` of rows."""
        if clusters is None or not len(clusters):
            return cls(*columns)
        rows = group_rows(clusters)
        return cls(*(np.add.reduceat(one[rows.order], rows.starts, axis=0) for one in columns))

    def jackknife(self) -> NDArray[np.float64]:
        """Standard error of the logarithm of the share of answers, shape (P,)."""
        there = self.size > 0
        groups = there.sum(axis=0).astype(np.float64)
        left = self.size.sum(axis=0) - self.size
        shift = -self.off / left  # of the mean, without the group
        squares = np.square(self.off)
        crossed, sizes = self.size * self.off, np.square(self.size)
        without = (
            squares.sum(axis=0) - squares
            - 2 * shift * (crossed.sum(axis=0) - crossed)
            + np.square(shift) * (sizes.sum(axis=0) - sizes)
        )  # fmt: skip
        without = np.maximum(without, 0.0)
        parts = (self.rerun, self.known, self.squared)
        rerun, known, squared = (one.sum(axis=0) - one for one in parts)
        share = np.log(rerun / known * squared) - np.log(without * (groups - 1) / (groups - 2))
        rerun, known, squared = (one.sum(axis=0) for one in parts)
        total = squares.sum(axis=0) * groups / (groups - 1)
        full = np.log(rerun / known * squared) - np.log(total)
        pseudo = np.where(there, groups * full - (groups - 1) * share, 0.0)
        middle = pseudo.sum(axis=0) / groups
        spread = np.where(there, np.square(pseudo - middle), 0.0).sum(axis=0) / (groups - 1)
        error: NDArray[np.float64] = np.sqrt(spread / groups)
        return error


def flip_chance(
    values: NDArray[np.float64], answers: NDArray[np.int64], within: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Chance that two answers of a model to one item differ, shape (M,); NaN unless they are 0/1.

    Does not depend on the number of answers, as the share of items with different ones does.

    Parameters
    ----------
    values, answers, within : ndarray, shape (n, M)
        As for `split_means`. Answers are 0 or 1 (or 0 and -1) if means and variances say so.

    Examples
    --------
    >>> values, answers = np.array([[0.5], [1.0]]), np.array([[4], [2]])
    >>> flip_chance(values, answers, np.array([[1 / 3], [0.0]])).round(4).tolist()
    [0.3333]
    """
    share = np.abs(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        count = share * answers
        plain = np.isnan(values) | (
            (np.abs(count - np.round(count)) < _ROUNDING * np.maximum(count, 1.0))
            & (share <= 1.0)
            & (
                (answers < 2)
                | (np.abs(within - share * (1 - share) * answers / (answers - 1)) < _ROUNDING)
            )
        )
    one_sided = (np.nan_to_num(values) >= 0).all() or (np.nan_to_num(values) <= 0).all()
    known = ~np.isnan(within)
    number = known.sum(axis=0)
    found = np.full(values.shape[1], np.nan)
    np.divide(2.0 * np.where(known, within, 0.0).sum(axis=0), number, out=found, where=number > 0)
    binary = plain.all(axis=0) & one_sided
    return np.where(binary, found, np.nan)


def spread_over_runs(cube: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standard deviation of the means of runs over the root of their number, shape (M,).

    What "mean ± sd over trials" suggests for an error. It holds the items fixed, and is no error
    for new ones.

    Parameters
    ----------
    cube : ndarray, shape (n, K, M)
        Answers by run; NaN for a model whose answers are not complete.

    Examples
    --------
    >>> spread_over_runs(np.array([[[1.0], [0.0]], [[1.0], [1.0]]])).tolist()
    [0.25]
    """
    runs = cube.shape[1]
    if runs < 2 or not len(cube):
        return np.full(cube.shape[2], np.nan)
    found: NDArray[np.float64] = cube.mean(axis=0).std(axis=0, ddof=1) / math.sqrt(runs)
    return found


def run_part(squares: Sequence[RunSquares], n: int, runs: int, alpha: float = 0.05) -> RunPart:
    """What effects of whole runs add to the variance of means, or of differences of means.

    Parameters
    ----------
    squares : sequence of RunSquares
        Mean squares of complete answers, (P,) each: of one model for its mean; of the two models
        of a difference, each with runs of its own; or of the differences of two that share runs.
    n, runs : int
        Items and runs behind them.
    alpha : float
        Error rate of the interval.

    Notes
    -----
    ``sum (MSrun - MSres) / (n K)``, which may be below 0 by chance. Interval: that of a ratio of
    mean squares, whose degrees of freedom are Satterthwaite's for two models.

    References
    ----------
    Satterthwaite 1946, Biometrics Bulletin 2; Searle, Casella, McCulloch 1992, section 3.6.

    Examples
    --------
    >>> from rankbars.stats.pairwise.runeffects import run_squares
    >>> answers = np.array([[[1.0], [2.0]], [[2.0], [5.0]]])
    >>> run_part([run_squares(answers)], 2, 2).raw.tolist()
    [0.75]
    """
    from scipy.special import fdtri

    among, rest = (np.stack([one[part] for one in squares]) for part in (0, 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        sums, errors = among.sum(axis=0), rest.sum(axis=0)
        upper = np.square(sums) / (np.square(among).sum(axis=0) / (runs - 1))
        lower = np.square(errors) / (np.square(rest).sum(axis=0) / ((runs - 1) * (n - 1)))
        ratio = sums / errors
        low, high = (
            np.maximum(ratio / fdtri(upper, lower, tail) - 1.0, 0.0) * errors / (n * runs)
            for tail in (1 - alpha / 2, alpha / 2)
        )
    return RunPart((sums - errors) / (n * runs), low, high)


def best_answers(
    item_variance: float, answer_variance: float, cost_item: float, cost_answer: float
) -> float:
    """Answers per item that make the variance of a mean smallest for the money.

    Parameters
    ----------
    item_variance, answer_variance : float
        Variance of a difference between items, and what one answer of both models adds to it: with
        K answers a row has the variance ``item_variance + answer_variance / K``.
    cost_item, cost_answer : float
        Of an item, whatever is asked of it; of one answer of both models.

    Returns
    -------
    float
        A whole number; infinite where items do not vary, so that repeating is as good as asking.

    Notes
    -----
    ``(vi + ve/K)(c0 + c1 K)`` is least at ``sqrt(ve/vi * c0/c1)``; the better of its neighbours.

    Examples
    --------
    >>> [best_answers(0.1, 0.15, *costs) for costs in ((1, 1), (10, 1), (0, 1), (1, 5))]
    [1.0, 4.0, 1.0, 1.0]
    """
    if answer_variance <= 0 or cost_item == 0:
        return 1.0
    if item_variance <= 0 or cost_answer == 0:
        return math.inf
    best = math.sqrt(answer_variance / item_variance * cost_item / cost_answer)

    def price(answers: float) -> float:
        return (item_variance + answer_variance / answers) * (cost_item + cost_answer * answers)

    return min((max(float(math.floor(best)), 1.0), max(float(math.ceil(best)), 1.0)), key=price)


class Purchase(NamedTuple):
    """What a budget buys: whole items, whole answers to each, and the variance of the mean."""

    items: int
    answers: int
    variance: float
    cost: float


def buy(
    item_variance: float, answer_variance: float, cost_item: float, cost_answer: float,
    budget: float,
) -> Purchase | None:  # fmt: skip
    """The split of a budget between items and answers with the smallest variance of the mean.

    Parameters
    ----------
    item_variance, answer_variance, cost_item, cost_answer
        As for `best_answers`; an answer costs something.
    budget : float
        What may be spent.

    Returns
    -------
    Purchase or None
        Every whole number of answers is tried; fewest of equally good ones. None where the budget
        does not buy one item with one answer.

    Examples
    --------
    >>> found = buy(0.1, 0.15, cost_item=10, cost_answer=1, budget=1000)
    >>> found.items, found.answers, found.cost, round(found.variance, 6)
    (71, 4, 994, 0.001937)
    """
    most = min((budget - cost_item) / cost_answer, _MOST_ANSWERS)
    if not most >= 1:
        return None
    answers = np.arange(1, int(most) + 1)
    cost = cost_item + cost_answer * answers
    items = np.floor(budget / cost * (1 + 1e-12))
    variance = (max(item_variance, 0.0) + answer_variance / answers) / np.maximum(items, 1)
    variance[items < 1] = np.inf
    best = int(np.argmin(variance))
    number = int(items[best])
    return Purchase(number, best + 1, float(variance[best]), number * cost[best].item())
