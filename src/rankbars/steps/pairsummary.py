"""Details of every pair of models on a task, as a page shows them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankbars.data.comparisons import Comparisons
from rankbars.data.evidence import Evidence, Items, Votes
from rankbars.data.taskresult import ScoreBins, TaskPairs

__all__ = ["MOST_BINS", "MOST_CELLS", "bin_scores", "summarise_pairs"]

MOST_BINS = 20
MOST_CELLS = 100_000  # bins times models times tasks; more would make a page slow to open
_SMALLEST = 1e-150  # so that no power of ten overflows
_CELLS = 2**22  # of a block of rows times pairs


def summarise_pairs(
    evidence: Evidence, comparisons: Comparisons, *, bins: bool = False
) -> TaskPairs:
    """Differences, errors and rows ahead of all pairs of one task.

    Parameters
    ----------
    evidence : Items, Estimates or Votes
        The evidence as it was read.
    comparisons : Comparisons
        What was made of it.
    bins : bool
        Also count the scores of each model in bins, where they are more than right or wrong.

    Examples
    --------
    >>> import rankbars as rb
    >>> scores = rb.Scores.from_arrays({"x": [[1, 0], [1, 1], [1, 0], [0, 1]]}, ["a", "b"])
    >>> pairs = summarise_pairs(scores.tasks["x"], rb.compare(scores)["x"])
    >>> pairs.difference.item(), pairs.ahead.item(), pairs.behind.item(), pairs.binary
    (0.25, 2, 1, True)
    """
    size = len(comparisons.models)
    first, second = np.triu_indices(size, k=1)
    df, n = np.asarray(_freedom(comparisons)), np.asarray(_rows(comparisons))
    ahead = behind = None
    binary, spread = False, None
    if isinstance(evidence, Votes):
        won = _placed(evidence.wins, evidence.models, comparisons.models)
        met = _placed(evidence.met, evidence.models, comparisons.models)
        ahead, behind = _whole(won[first, second]), _whole(won[second, first])
        n = _whole(met[first, second])
    elif isinstance(evidence, Items):
        values = np.full((evidence.n, size), np.nan)
        columns = {name: i for i, name in enumerate(comparisons.models)}
        values[:, [columns[name] for name in evidence.models]] = evidence.values
        ahead, behind = _count_ahead(values, first, second)
        # Where lower is better, 0/1 scores are stored as 0 and -1.
        known = np.abs(evidence.values[~np.isnan(evidence.values)])
        binary = bool(known.size) and bool(((known == 0) | (known == 1)).all())
        spread = bin_scores(values) if bins and not binary else None
    return TaskPairs(
        difference=comparisons.diff[first, second],
        se=comparisons.se[first, second],
        df=df if df.ndim == 0 else df[first, second],
        n=n if n.ndim != 2 else n[first, second],
        model_df=np.where(np.isnan(comparisons.mean_df), np.inf, comparisons.mean_df),
        ahead=ahead,
        behind=behind,
        binary=binary,
        bins=spread,
    )


def _freedom(comparisons: Comparisons) -> NDArray[np.float64] | float:
    return np.inf if comparisons.pairs is None else comparisons.pairs.df


def _rows(comparisons: Comparisons) -> NDArray[np.int64] | int:
    return comparisons.rows if comparisons.pairs is None else comparisons.pairs.n


def _placed(
    table: NDArray[np.float64], names: tuple[str, ...], models: tuple[str, ...]
) -> NDArray[np.float64]:
    """A table of votes over the models of the board."""
    if names == models:
        return table
    position = {name: i for i, name in enumerate(models)}
    at = [position[name] for name in names if name in position]
    kept = [i for i, name in enumerate(names) if name in position]
    placed = np.zeros((len(models),) * 2)
    placed[np.ix_(at, at)] = table[np.ix_(kept, kept)]
    return placed


def _whole(counts: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.rint(counts).astype(np.int64)


def _count_ahead(
    values: NDArray[np.float64], first: NDArray[np.intp], second: NDArray[np.intp]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows on which the first of each pair did better, and the second; NaN counts for neither."""
    ahead, behind = np.empty(first.size, dtype=np.int64), np.empty(first.size, dtype=np.int64)
    step = max(_CELLS // max(len(values), 1), 1)
    columns = np.ascontiguousarray(values.T)
    for start in range(0, first.size, step):
        block = slice(start, start + step)
        one, two = columns[first[block]], columns[second[block]]
        ahead[block] = np.count_nonzero(one > two, axis=1)
        behind[block] = np.count_nonzero(one < two, axis=1)
    return ahead, behind


def bin_scores(values: NDArray[np.float64]) -> ScoreBins | None:
    """Histograms of the columns of `values`, in at most `MOST_BINS` bins with round edges.

    Parameters
    ----------
    values : array of float, shape (n, M)
        Scores; NaN = none.

    Returns
    -------
    ScoreBins or None
        None where there are no two different scores.

    Examples
    --------
    >>> bins = bin_scores(np.array([[0.12, 0.5], [0.31, 0.5], [0.88, np.nan]]))
    >>> bins.edges[:3].tolist(), bins.counts.sum(axis=1).tolist()
    ([0.1, 0.15, 0.2], [3, 2])
    """
    known = values[np.isfinite(values)]
    if not known.size or known.min() == known.max():
        return None
    edges = _round_edges(float(known.min()), float(known.max()))
    if edges is None:
        return None
    counts = [np.histogram(column[np.isfinite(column)], bins=edges)[0] for column in values.T]
    return ScoreBins(edges, np.array(counts, dtype=np.int64))


def _round_edges(low: float, high: float) -> NDArray[np.float64] | None:
    """Multiples of 1, 2 or 5 times a power of ten around the scores; None if too close to tell."""
    if high - low < _SMALLEST:
        return None
    exponent = math.floor(math.log10((high - low) / MOST_BINS))
    for mantissa, power in [(m, exponent + k) for k in (0, 1) for m in (1, 2, 5)]:
        # Dividing by a whole number gives 0.15, where multiplying by 0.05 would not.
        step, divisor = mantissa * 10.0 ** max(power, 0), 10.0 ** max(-power, 0)
        first, last = math.floor(low * divisor / step), math.ceil(high * divisor / step)
        if last - first <= MOST_BINS:
            edges = np.arange(first, last + 1, dtype=np.float64) * step / divisor
            return _outermost(edges, low, high)
    return None


def _outermost(edges: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64] | None:
    """Edges that hold the ends although they were rounded; None if they no longer rise."""
    edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)
    return edges if (np.diff(edges) > 0).all() else None
