"""Item scores as one score per model, for where other models have nothing else."""

from __future__ import annotations

import numpy as np

from rankbars.data.evidence import Estimates, Items

__all__ = ["summarise_items"]


def summarise_items(items: Items) -> Estimates:
    """Mean, standard error and number of the scored items of each model.

    Parameters
    ----------
    items : Items
        Scores without clusters or weights.

    Returns
    -------
    Estimates
        The standard error is that of a mean of independent items; NaN with fewer than two.

    Examples
    --------
    >>> summarise_items(Items(("a",), [[1.0], [0.0], [1.0], [0.0]])).se.round(4).tolist()
    [0.2887]
    """
    known = ~np.isnan(items.values)
    n = known.sum(axis=0)
    mean = np.full(len(items.models), np.nan)
    np.divide(np.where(known, items.values, 0.0).sum(axis=0), n, out=mean, where=n > 0)
    squares = np.where(known, items.values - mean, 0.0) ** 2
    se = np.full(len(items.models), np.nan)
    np.divide(squares.sum(axis=0), n * (n - 1.0), out=se, where=n > 1)
    return Estimates(items.models, mean, np.sqrt(se), None, n.astype(np.int64))
