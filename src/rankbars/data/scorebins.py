"""How the scores of a task are spread: one histogram per model, in bins that all models share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from rankbars.data.fields import Numbers, freeze
from rankbars.errors import DataError

__all__ = ["MOST_BINS", "MOST_CELLS", "ScoreBins", "bin_scores"]

MOST_BINS = 20
_SMALLEST = 1e-150  # so that no power of ten overflows
MOST_CELLS = 100_000  # bins times models times tasks; more would make a page slow to open


@dataclass(frozen=True, slots=True, eq=False)
class ScoreBins:
    """Histograms of the scores of one task, higher is better.

    Parameters
    ----------
    edges : array of float, shape (B + 1,)
        Rising. A bin holds its lower edge; the last one holds its upper edge too.
    counts : array of int, shape (M, B)
        Rows of each model whose score lies in each bin.

    Raises
    ------
    DataError
        If shapes disagree, or the edges do not rise.
    """

    edges: Annotated[NDArray[np.float64], Numbers("E")]
    counts: Annotated[NDArray[np.int64], Numbers("MB", least=0)]

    def __post_init__(self) -> None:
        models, bins = (*np.shape(self.counts), 0, 0)[:2]
        freeze(self, E=int(np.size(self.edges)), M=models, B=bins)
        if self.edges.size < 2 or not (np.diff(self.edges) > 0).all():
            raise DataError("The edges of bins must be two or more rising numbers.")
        if bins != self.edges.size - 1:
            raise DataError(
                f"Bins between {self.edges.size} edges need {self.edges.size - 1} counts for each "
                f"model; got {bins}."
            )


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
