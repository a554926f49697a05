"""Differences of models by few labels and many judgements: prediction-powered, with a tuned weight.

People label some rows; a judge scores all of them. The judge's differences are a control variate:
their mean is known on all rows, so what labels happen to have drawn is corrected by it, as far as
judge and labels go together. The weight is that of the regression on the labelled rows, pair by
pair; a judge that knows nothing gets a weight near 0, and its bias cancels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.pairwise.modelscores import ModelSummary, item_summary
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.tails import critical_value, upper_tail

__all__ = [
    "FEWEST_LABELS",
    "JudgedPairs",
    "Worth",
    "effective_labels",
    "judge_worth",
    "judged_t",
    "population_p",
    "sampling_p",
]

FEWEST_LABELS = 20
"""Rows with labels below which the weight of a judge is not worth its price."""

_MOST_LEVERAGE = 0.75  # one row that decides the weight of the judge nearly by itself
_RANK = 1e-10  # judges that say the same, up to rounding, are one


class JudgedPairs(NamedTuple):
    """What labels and judgements say of all pairs together.

    Attributes
    ----------
    pairs : PairStatistics
        Tuned contrasts; plain paired ones where the judge cannot be used.
    summary : ModelSummary
        The score of each model by itself, in the same way.
    total, left : ndarray of float64, shape (M, M)
        Sum of squares of the labels' differences about their mean, weighted as in the variance,
        and what the judge leaves of it; equal where it is not used.
    together : ndarray of float64, shape (M, M)
        Sum of products of labels' and judges' differences about their means, over judges.
    labels : ndarray of float64, shape (M, M)
        Labelled rows behind each pair; with weights, as many of equal weight as they count for.
    rows : ndarray of int64, shape (M, M)
        Judged rows.
    weights : ndarray of float64, shape (K, M, M)
        Tuned weight of each judge; NaN where it is not used.
    """

    pairs: PairStatistics
    summary: ModelSummary
    total: NDArray[np.float64]
    left: NDArray[np.float64]
    together: NDArray[np.float64]
    labels: NDArray[np.float64]
    rows: NDArray[np.int64]
    weights: NDArray[np.float64]


class Worth(NamedTuple):
    """How many labels without the judge one label with it is worth, with its interval.

    The correlation is negative where judges lean the other way.
    """

    gain: float
    low: float
    high: float
    correlation: float


class _Fit(NamedTuple):
    """Tuned contrasts of some pairs, each shape (P,); weights (K, P)."""

    diff: NDArray[np.float64]
    se: NDArray[np.float64]
    df: NDArray[np.float64]
    total: NDArray[np.float64]
    left: NDArray[np.float64]
    together: NDArray[np.float64]
    pairs: NDArray[np.int64]
    labels: NDArray[np.float64]
    rows: NDArray[np.int64]
    usable: NDArray[np.bool_]
    weights: NDArray[np.float64]


def judged_t(
    labels: NDArray[np.float64],
    judged: NDArray[np.float64],
    fewest: int = FEWEST_LABELS,
    drawn: NDArray[np.float64] | None = None,
) -> JudgedPairs:
    """Prediction-powered paired contrasts of all pairs of models, with a tuned weight per pair.

    Parameters
    ----------
    labels : ndarray, shape (N, M)
        Scores by people; NaN where there is none, which are most rows.
    judged : ndarray, shape (N, K, M)
        Scores by K judges of the same answers, on any scale; NaN where there is none.
    fewest : int
        Labelled rows of a pair below which its contrast is the plain paired one.
    drawn : ndarray, shape (N,), optional
        One over the probability with which a row was drawn for a label; not read where there is
        none. All alike where not given.

    Returns
    -------
    JudgedPairs
        With h and j the differences of a pair by labels and by judges, and lam the least-squares
        weight on the n labelled rows, ``mean h + lam (mean of all j - mean of labelled j)``. Its
        variance is that of the residuals, each divided by one less its leverage (HC3), and of the
        judge's mean over all N rows; t with ``n - 1 - K`` degrees of freedom. With `drawn`, means
        of labelled rows, weight and leverages are weighted by it, and n is Kish's effective number.

    Notes
    -----
    Labelled rows must be a random sample of all, with equal probabilities or with those behind
    `drawn`. A judge that is constant on the labelled rows of
    a pair, or whose weight one row decides (a leverage above .75), is not used for that pair: a
    rule about judgements alone. Rows with a label and no judgement are left out.

    References
    ----------
    Angelopoulos, Duchi and Zrnic 2023, PPI++: Efficient Prediction-Powered Inference. MacKinnon
    and White 1985, Journal of Econometrics 29. Särndal, Swensson and Wretman 1992, Model Assisted
    Survey Sampling, ch. 6. Kish 1965, Survey Sampling.

    Examples
    --------
    >>> people = np.array([[3.0, 2.0], [2.0, 2.0], [4.0, 2.0], [1.0, 3.0], [np.nan, np.nan]])
    >>> judge = np.array([[0.3, 0.1], [0.2, 0.3], [0.4, 0.1], [0.2, 0.3], [0.4, 0.2]])
    >>> found = judged_t(people, judge[:, None, :], fewest=4)
    >>> round(float(found.pairs.diff[0, 1]), 3), float(found.pairs.df[0, 1])
    (0.431, 2.0)
    """
    size = labels.shape[1]
    seen = ~np.isnan(labels) & np.isfinite(judged).all(axis=1)
    labels = np.where(seen, labels, np.nan)
    taken = labels[seen.any(axis=1)]
    plain = paired_t(taken)
    square = (size, size)
    diff, se = plain.diff.copy(), plain.se.copy()
    df = np.array(np.broadcast_to(plain.df, square), dtype=np.float64)
    total, left, together = np.zeros(square), np.zeros(square), np.zeros(square)
    effective = np.zeros(square)
    count, rows = np.zeros(square, dtype=np.int64), np.zeros(square, dtype=np.int64)
    statistic = plain.statistic.copy()
    weights = np.full((judged.shape[1], *square), np.nan)
    still, moved = plain.constant | plain.identical, (diff, se, df, statistic)
    for i in range(size - 1):
        j = np.arange(i + 1, size)
        h, told = labels[:, i, None] - labels[:, j], judged[:, :, i, None] - judged[:, :, j]
        fit = _fit(h, told, fewest, drawn)
        if drawn is not None:
            _take(_fit(h, 0.0 * told[:, :1], fewest, drawn), ~still[i, j], i, j, moved)
        tuned = fit.usable & ~still[i, j]
        _put(total, i, j, fit.total)
        _put(left, i, j, np.where(tuned, fit.left, fit.total))
        _put(together, i, j, fit.together)
        _put(count, i, j, fit.pairs)
        _put(effective, i, j, fit.labels)
        _put(rows, i, j, fit.rows)
        _take(fit, tuned, i, j, moved)
        k = j[tuned]
        weights[:, i, k] = weights[:, k, i] = fit.weights[:, tuned]
    pairs = PairStatistics(diff, se, statistic, df, count, plain.constant, plain.identical)
    own = item_summary(taken)
    if drawn is not None:
        by_weight = _fit(labels, 0.0 * judged[:, :1], fewest, drawn)
        varies = own.se > 0
        own = ModelSummary(
            by_weight.diff, np.where(varies, by_weight.se, own.se),
            np.where(varies, by_weight.df, own.df),
        )  # fmt: skip
    alone = _fit(labels, judged, fewest, drawn)
    use = alone.usable & (own.se > 0)
    summary = ModelSummary(
        np.where(use, alone.diff, own.mean),
        np.where(use, alone.se, own.se),
        np.where(use, alone.df, own.df),
    )
    return JudgedPairs(pairs, summary, total, left, together, effective, rows, weights)


def _take(
    fit: _Fit,
    use: NDArray[np.bool_],
    i: int,
    j: NDArray[np.intp],
    into: tuple[NDArray[np.float64], ...],
) -> None:
    """Put contrasts of model i with models j, where `use`, into diff, se, df and statistic."""
    k = j[use]
    found, error = fit.diff[use], fit.se[use]
    told = np.divide(found, error, out=np.zeros(len(k)), where=error > 0)
    for target, value, sign in zip(
        into, (found, error, fit.df[use], told), (-1.0, 1.0, 1.0, -1.0), strict=True
    ):
        target[i, k] = value
        target[k, i] = sign * value


def _put(target: NDArray[Any], i: int, j: NDArray[np.intp], found: NDArray[Any]) -> None:
    target[i, j] = found
    target[j, i] = found


def _fit(
    h: NDArray[np.float64],
    j: NDArray[np.float64],
    fewest: int,
    drawn: NDArray[np.float64] | None,
) -> _Fit:
    """Tuned contrasts of P pairs: differences of labels (N, P) and of judgements (N, K, P)."""
    everywhere = np.asarray(np.isfinite(j).all(axis=1))
    here = np.asarray(everywhere & ~np.isnan(h))
    count, rows = here.sum(axis=0), everywhere.sum(axis=0)
    some = np.maximum(count, 1)
    load = here.astype(np.float64)  # sums to the number of labelled rows
    if drawn is not None:
        load = np.where(here, drawn[:, None], 0.0)
        load *= some / np.maximum(load.sum(axis=0), np.finfo(float).tiny)
    n = np.array([effective_labels(one) for one in load.T])
    mean_h = (load * np.where(here, h, 0.0)).sum(axis=0) / some
    mean_j = (load[:, None] * np.where(here[:, None], j, 0.0)).sum(axis=0) / some
    all_j = np.where(everywhere[:, None], j, 0.0).sum(axis=0) / np.maximum(rows, 1)
    dh = np.where(here, h - mean_h, 0.0)
    dj = np.where(here[:, None], j - mean_j, 0.0)
    loaded = load[:, None] * dj
    spread = np.einsum("nkp,nlp->pkl", loaded, dj)
    inverse, rank = _inverse(spread, np.abs(np.where(here[:, None], j, 0.0)).max(axis=0, initial=0))
    lam = np.einsum("pkl,nlp,np->kp", inverse, loaded, dh)
    pushed = np.einsum("pkl,nlp->nkp", inverse, loaded)
    share = load / some
    leverage = share + np.einsum("nkp,nkp->np", dj, pushed)
    weight = share + np.einsum("kp,nkp->np", all_j - mean_j, pushed)
    residual = dh - np.einsum("kp,nkp->np", lam, dj)
    top = leverage.max(axis=0, initial=0.0)
    usable = (rank > 0) & (n >= fewest) & (n > rank + 1) & (top <= _MOST_LEVERAGE) & (rows > count)
    about = np.where(everywhere[:, None], j - all_j, 0.0)
    of_judge = np.einsum("kp,nkp->np", lam, about)
    freedom = np.maximum(rows - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.where(here, weight * residual / (1.0 - leverage), 0.0)
        variance = (own**2).sum(axis=0) + (of_judge**2).sum(axis=0) / freedom / np.maximum(rows, 1)
    return _Fit(
        mean_h + (lam * (all_j - mean_j)).sum(axis=0),
        np.sqrt(variance),
        np.maximum(n - 1.0 - rank, 1.0),
        ((load * dh) ** 2).sum(axis=0),
        ((load * residual) ** 2).sum(axis=0),
        np.einsum("nkp,np->p", loaded, dh),
        count,
        n,
        rows,
        usable & (variance > 0),
        lam,
    )


def effective_labels(drawn: NDArray[np.float64]) -> float:
    """As how many labels of equal weight labels of these weights count (Kish).

    Examples
    --------
    >>> effective_labels(np.array([2.0, 2.0, 2.0])), effective_labels(np.array([4.0, 1.0, 1.0]))
    (3.0, 2.0)
    """
    squares = float(np.square(drawn).sum())
    return float(drawn.sum()) ** 2 / squares if squares > 0 else 0.0


def _inverse(
    spread: NDArray[np.float64], largest: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Pseudo-inverses of sums of squares (P, K, K), whatever the scales, and their ranks."""
    size = np.sqrt(np.einsum("pkk->pk", spread))
    # What varies by no more than rounding does not vary.
    varies = size > 1e-12 * np.maximum(largest.T, np.finfo(float).tiny)
    scale = np.where(varies, 1.0 / np.where(varies, size, 1.0), 0.0)
    values, vectors = np.linalg.eigh(spread * scale[:, :, None] * scale[:, None, :])
    kept = values > _RANK
    parts = np.where(kept, 1.0 / np.where(kept, values, 1.0), 0.0)
    inverse = np.einsum("pka,pa,pla->pkl", vectors, parts, vectors)
    return inverse * scale[:, :, None] * scale[:, None, :], kept.sum(axis=1)


def judge_worth(found: JudgedPairs, judges: int) -> Worth:
    """How many labels without the judge a label with it is worth, over all pairs.

    Parameters
    ----------
    found : JudgedPairs
        Contrasts of all pairs.
    judges : int
        How many judges there are.

    Returns
    -------
    Worth
        ``1 / (1 - r2 (1 - n/N))``, with r2 the share of the labels' variance that the judge
        explains, all pairs together, adjusted for the weights that were fitted. The 95 % interval
        is that of Fisher's z of its root.
    """
    upper = np.triu_indices(len(found.total), k=1)
    total, left = found.total[upper].sum(), found.left[upper].sum()
    known = found.labels[upper] > 0
    if not known.any() or not total > 0:
        return Worth(1.0, 1.0, 1.0, 0.0)
    n, rows = found.labels[upper][known].mean(), found.rows[upper][known].mean()
    free = n - 1.0 - judges
    if n <= judges + 3:
        return Worth(1.0, 1.0, np.inf, 0.0)
    r = float(np.sqrt(max(0.0, 1.0 - (left / total) * (n - 1.0) / free)))
    half = float(critical_value(0.025, np.inf)) / np.sqrt(n - 2.0 - judges)
    z = np.arctanh(min(r, 1.0 - 1e-12))
    ends = np.tanh([max(z - half, 0.0), z + half])
    gain, low, high = 1.0 / (1.0 - np.square([r, *ends]) * (1.0 - n / rows))
    sign = -1.0 if found.together[upper].sum() < 0 else 1.0
    return Worth(float(gain), float(low), float(high), sign * r)


def sampling_p(
    judged: NDArray[np.float64],
    labelled: NDArray[np.bool_],
    drawn: NDArray[np.float64] | None = None,
) -> float:
    """p-value that labelled rows are a random sample of all, by what judges say of both kinds.

    Parameters
    ----------
    judged : ndarray, shape (N, K, M)
        Scores by K judges; NaN where there is none.
    labelled : ndarray of bool, shape (N,)
        Which rows have labels.
    drawn : ndarray, shape (N,), optional
        As of `judged_t`.

    Returns
    -------
    float
        Of Welch tests, labelled against other rows, of the mean over models, of their spread, and
        of each model about the mean, times their number; 1 with fewer than two rows of a kind.
        With `drawn`, of tests of the labelled rows' weighted means against those of all rows.

    Examples
    --------
    >>> easy = np.repeat([[0.9, 0.8], [0.2, 0.3]], 30, axis=0) + np.linspace(0, 0.1, 60)[:, None]
    >>> sampling_p(easy[:, None, :], np.arange(60) < 30) < 1e-6
    True
    """
    complete = np.isfinite(judged).all(axis=(1, 2))
    judged, labelled = judged[complete], labelled[complete]
    if labelled.sum() < 2 or (~labelled).sum() < 2:
        return 1.0
    mean = judged.mean(axis=2, keepdims=True)
    asked = np.concatenate([mean, judged.std(axis=2, keepdims=True), judged - mean], axis=2)
    asked = asked.reshape(len(asked), -1)
    one = asked[labelled]
    if drawn is None:
        other = asked[~labelled]
        a, b = one.var(axis=0, ddof=1) / len(one), other.var(axis=0, ddof=1) / len(other)
        differs = one.mean(axis=0) - other.mean(axis=0)
        df = (len(one) - 1.0, len(other) - 1.0)
    else:
        load = drawn[complete][labelled]
        n, share = effective_labels(load), load / load.sum()
        differs = share @ one - asked.mean(axis=0)
        # Rows that were sure to be drawn do not make it uncertain.
        missed = np.square(share / (1.0 - share)) * np.maximum(1.0 - 1.0 / load, 0.0)
        a = missed @ np.square(one - share @ one)
        b, df = np.zeros_like(a), (max(n - 1.0, 1.0), np.inf)
    varies = a + b > 1e-24 * np.square(np.abs(asked).max(initial=0.0))
    if not varies.any():
        return 1.0
    a, b, differs = a[varies], b[varies], np.abs(differs[varies])
    freedom = (a + b) ** 2 / (a**2 / df[0] + b**2 / df[1])
    p = 2.0 * upper_tail(differs / np.sqrt(a + b), freedom)
    return float(min(1.0, p.min() * p.size))


def population_p(drawn: NDArray[np.float64], rows: int) -> float:
    """p-value that labels drawn with these probabilities are of so many rows.

    Parameters
    ----------
    drawn : ndarray, shape (n,)
        One over the probability with which each labelled row was drawn.
    rows : int
        Rows that were judged.

    Returns
    -------
    float
        `drawn` adds up to the number of rows, up to the luck of independent draws.

    Examples
    --------
    >>> population_p(np.repeat([10.0, 2.0], [10, 50]), 200)
    1.0
    >>> population_p(np.ones(60), 200)
    0.0
    """
    off = abs(float(drawn.sum()) - rows)
    if off <= 1e-9 * rows:
        return 1.0
    luck = np.sqrt(float((drawn * np.maximum(drawn - 1.0, 0.0)).sum()))
    return 0.0 if luck == 0 else float(2.0 * upper_tail(np.array(off / luck), np.inf))
