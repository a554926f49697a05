"""Decisions at levels that are fixed beforehand: of each model's pairs, or of all pairs.

Every pair of a family is held to one and the same level, so that counting replaces sorting.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import row_blocks
from rankbars.stats.multiplicity.thresholds import (
    BELOW_HALF,
    Decisions,
    count_relation,
    keep_tested,
    positive_critical,
    reach,
    reject_nan,
)

__all__ = ["count_each", "count_each_from_p", "relate", "relate_from_p"]


def count_each(
    statistic: NDArray[np.float64],
    df: NDArray[np.float64] | float,
    level_worse: NDArray[np.float64],
    level_better: NDArray[np.float64],
    tested: NDArray[np.bool_] | None,
) -> Decisions:
    """Counts of each model at one level per side, shared (shape (1,)) or its own (shape (M,))."""
    n_models = statistic.shape[0]
    above = None if tested is None else tested.T
    better = np.zeros(n_models, dtype=np.int64)
    worse = np.zeros(n_models, dtype=np.int64)
    for rows in row_blocks(n_models, n_models):
        block = reject_nan(statistic[rows])
        own_df = _rows_of_df(df, rows)
        down = keep_tested(block, tested, rows)
        worse[rows] = np.count_nonzero(_reach(down, own_df, _rows_of(level_worse, rows)), axis=1)
        up = keep_tested(-block, above, rows)
        better[rows] = np.count_nonzero(_reach(up, own_df, _rows_of(level_better, rows)), axis=1)
    return Decisions(better, worse, None)


def count_each_from_p(
    p: NDArray[np.float64],
    level_worse: NDArray[np.float64],
    level_better: NDArray[np.float64],
    tested: NDArray[np.bool_] | None,
) -> Decisions:
    """As `count_each`, from p-values."""
    n_models = p.shape[0]
    better = np.zeros(n_models, dtype=np.int64)
    worse = np.zeros(n_models, dtype=np.int64)
    for rows in row_blocks(n_models, n_models):
        block = keep_tested(reject_nan(p[rows]), tested, rows, fill=1.0)
        own_level = _rows_of(level_worse, rows)[:, None]
        worse[rows] = np.count_nonzero(block <= own_level, axis=1)
        better += np.count_nonzero(block <= level_better, axis=0)
    return Decisions(better, worse, None)


def relate(
    statistic: NDArray[np.float64],
    df: NDArray[np.float64] | float,
    level: float,
    tested: NDArray[np.bool_] | None,
) -> Decisions:
    """The relation 'reaches `level`'."""
    shown = np.zeros(statistic.shape, dtype=bool)
    for rows in row_blocks(*statistic.shape):
        block = keep_tested(reject_nan(statistic[rows]), tested, rows)
        shown[rows] = _reach(block, _rows_of_df(df, rows), np.array([level]))
    return count_relation(shown)


def relate_from_p(
    p: NDArray[np.float64], level: float, tested: NDArray[np.bool_] | None
) -> Decisions:
    """As `relate`, from p-values; one half and above favours the other direction."""
    shown = np.zeros(p.shape, dtype=bool)
    for rows in row_blocks(*p.shape):
        block = keep_tested(reject_nan(p[rows]), tested, rows, fill=1.0)
        shown[rows] = block <= min(level, BELOW_HALF)
    return count_relation(shown)


def _rows_of(level: NDArray[np.float64], rows: slice) -> NDArray[np.float64]:
    """Levels of a block of rows; one shared level stays one."""
    return level if level.size == 1 else level[rows]


def _rows_of_df(df: NDArray[np.float64] | float, rows: slice) -> NDArray[np.float64] | float:
    """Degrees of freedom of a block of rows; a shared number stays a number."""
    return df[rows] if isinstance(df, np.ndarray) and df.ndim else float(df)


def _reach(
    block: NDArray[np.float64],
    df: NDArray[np.float64] | float,
    level: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Whether statistics reach the level of their row, with shared or own degrees of freedom."""
    if isinstance(df, np.ndarray):
        return reach(block, df, np.broadcast_to(level, block.shape[0]))
    return np.asarray(block >= positive_critical(level, df)[:, None])
