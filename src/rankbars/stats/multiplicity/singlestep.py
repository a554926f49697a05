"""Single-step decisions: Bonferroni, and no correction at all.

The same conventions, scopes and results as in `rankbars.stats.multiplicity.stepdown`; every pair
of a family is held to one and the same level, so that counting replaces sorting.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import row_blocks
from rankbars.stats.multiplicity.thresholds import (
    Decisions,
    check_alpha,
    count_relation,
    family_sizes,
    keep_tested,
    positive_critical,
    reach,
    reject_nan,
    total_size,
)

__all__ = [
    "bonferroni_all",
    "bonferroni_all_from_p",
    "bonferroni_each",
    "bonferroni_each_from_p",
    "unadjusted_all",
    "unadjusted_all_from_p",
    "unadjusted_each",
    "unadjusted_each_from_p",
]

_BELOW_HALF = float(np.nextafter(0.5, 0.0))


def bonferroni_each(
    statistic: NDArray[np.float64],
    df: NDArray[np.float64] | float,
    alpha: float,
    *,
    tested: NDArray[np.bool_] | None = None,
) -> Decisions:
    """Bonferroni for each model by itself: every pair at ``alpha / 2 / K`` on each side.

    Parameters
    ----------
    statistic, df, alpha, tested
        As in `rankbars.stats.multiplicity.stepdown.holm_each`; K is the size of the model's family.

    Returns
    -------
    Decisions
        Counts of each model, never larger than Holm's; ``shown_better`` is None.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).
    DataError
        If a statistic is NaN or `tested` has the wrong shape.

    Examples
    --------
    >>> t = np.array([[0.0, 4.0, 2.2], [-4.0, 0.0, 1.0], [-2.2, -1.0, 0.0]])
    >>> bonferroni_each(t, 20.0, 0.05).worse.tolist()
    [1, 0, 0]
    """
    level = check_alpha(alpha) / 2
    n_models = statistic.shape[0]
    return _count_each(
        statistic,
        df,
        level / np.maximum(family_sizes(n_models, tested, axis=1), 1),
        level / np.maximum(family_sizes(n_models, tested, axis=0), 1),
        tested,
    )


def bonferroni_all(
    statistic: NDArray[np.float64],
    df: NDArray[np.float64] | float,
    alpha: float,
    *,
    tested: NDArray[np.bool_] | None = None,
) -> Decisions:
    """Bonferroni over all ordered pairs at once, each at ``alpha / (M (M - 1))``.

    Parameters
    ----------
    statistic, df, alpha, tested
        As in `rankbars.stats.multiplicity.stepdown.holm_all`.

    Returns
    -------
    Decisions
        With the relation ``shown_better``.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).
    DataError
        If a statistic is NaN or `tested` has the wrong shape.

    Examples
    --------
    >>> t = np.array([[0.0, 4.0, 2.2], [-4.0, 0.0, 1.0], [-2.2, -1.0, 0.0]])
    >>> bonferroni_all(t, 20.0, 0.05).better.tolist()
    [0, 1, 0]
    """
    rate = check_alpha(alpha)
    return _relate(statistic, df, rate / max(total_size(statistic.shape[0], tested), 1), tested)


def unadjusted_each(
    statistic: NDArray[np.float64],
    df: NDArray[np.float64] | float,
    alpha: float,
    *,
    tested: NDArray[np.bool_] | None = None,
) -> Decisions:
    """No correction: every pair at ``alpha / 2`` on each side; no guarantee for a rank follows.

    Parameters
    ----------
    statistic, df, alpha, tested
        As in `rankbars.stats.multiplicity.stepdown.holm_each`.

    Returns
    -------
    Decisions
        Counts of each model; ``shown_better`` is None.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).
    DataError
        If a statistic is NaN or `tested` has the wrong shape.

    Examples
    --------
    >>> t = np.array([[0.0, 4.0, 2.2], [-4.0, 0.0, 1.0], [-2.2, -1.0, 0.0]])
    >>> unadjusted_each(t, 20.0, 0.05).worse.tolist()
    [2, 0, 0]
    """
    level = np.array([check_alpha(alpha) / 2])
    family_sizes(statistic.shape[0], tested, axis=1)  # checks the shape of the mask
    return _count_each(statistic, df, level, level, tested)


def unadjusted_all(
    statistic: NDArray[np.float64],
    df: NDArray[np.float64] | float,
    alpha: float,
    *,
    tested: NDArray[np.bool_] | None = None,
) -> Decisions:
    """No correction: every ordered pair at `alpha`; no guarantee for all pairs follows.

    Parameters
    ----------
    statistic, df, alpha, tested
        As in `rankbars.stats.multiplicity.stepdown.holm_all`.

    Returns
    -------
    Decisions
        With the relation ``shown_better``.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).
    DataError
        If a statistic is NaN or `tested` has the wrong shape.

    Examples
    --------
    >>> t = np.array([[0.0, 4.0, 2.2], [-4.0, 0.0, 1.0], [-2.2, -1.0, 0.0]])
    >>> unadjusted_all(t, 20.0, 0.05).better.tolist()
    [0, 1, 1]
    """
    rate = check_alpha(alpha)
    total_size(statistic.shape[0], tested)  # checks the shape of the mask
    return _relate(statistic, df, rate, tested)


def bonferroni_each_from_p(
    p: NDArray[np.float64], alpha: float, *, tested: NDArray[np.bool_] | None = None
) -> Decisions:
    """`bonferroni_each` from p-values; arguments and errors as in `holm_each_from_p`.

    Returns
    -------
    Decisions
        The same counts as `bonferroni_each` wherever the test has a statistic.

    Examples
    --------
    >>> p = np.array([[1.0, 0.001, 0.02], [0.999, 1.0, 0.2], [0.98, 0.8, 1.0]])
    >>> bonferroni_each_from_p(p, 0.05).worse.tolist()
    [1, 0, 0]
    """
    level = check_alpha(alpha) / 2
    n_models = p.shape[0]
    return _count_each_from_p(
        p,
        level / np.maximum(family_sizes(n_models, tested, axis=1), 1),
        level / np.maximum(family_sizes(n_models, tested, axis=0), 1),
        tested,
    )


def bonferroni_all_from_p(
    p: NDArray[np.float64], alpha: float, *, tested: NDArray[np.bool_] | None = None
) -> Decisions:
    """`bonferroni_all` from p-values; arguments and errors as in `holm_all_from_p`.

    Returns
    -------
    Decisions
        The same relation as `bonferroni_all` wherever the test has a statistic.

    Examples
    --------
    >>> p = np.array([[1.0, 0.001, 0.02], [0.999, 1.0, 0.2], [0.98, 0.8, 1.0]])
    >>> bonferroni_all_from_p(p, 0.05).better.tolist()
    [0, 1, 0]
    """
    rate = check_alpha(alpha)
    return _relate_from_p(p, rate / max(total_size(p.shape[0], tested), 1), tested)


def unadjusted_each_from_p(
    p: NDArray[np.float64], alpha: float, *, tested: NDArray[np.bool_] | None = None
) -> Decisions:
    """`unadjusted_each` from p-values; arguments and errors as in `holm_each_from_p`.

    Returns
    -------
    Decisions
        The same counts as `unadjusted_each` wherever the test has a statistic.

    Examples
    --------
    >>> p = np.array([[1.0, 0.001, 0.02], [0.999, 1.0, 0.2], [0.98, 0.8, 1.0]])
    >>> unadjusted_each_from_p(p, 0.05).worse.tolist()
    [2, 0, 0]
    """
    level = np.array([check_alpha(alpha) / 2])
    family_sizes(p.shape[0], tested, axis=1)  # checks the shape of the mask
    return _count_each_from_p(p, level, level, tested)


def unadjusted_all_from_p(
    p: NDArray[np.float64], alpha: float, *, tested: NDArray[np.bool_] | None = None
) -> Decisions:
    """`unadjusted_all` from p-values; arguments and errors as in `holm_all_from_p`.

    Returns
    -------
    Decisions
        The same relation as `unadjusted_all` wherever the test has a statistic.

    Examples
    --------
    >>> p = np.array([[1.0, 0.001, 0.02], [0.999, 1.0, 0.2], [0.98, 0.8, 1.0]])
    >>> unadjusted_all_from_p(p, 0.05).better.tolist()
    [0, 1, 1]
    """
    rate = check_alpha(alpha)
    total_size(p.shape[0], tested)  # checks the shape of the mask
    return _relate_from_p(p, rate, tested)


def _count_each(
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


def _count_each_from_p(
    p: NDArray[np.float64],
    level_worse: NDArray[np.float64],
    level_better: NDArray[np.float64],
    tested: NDArray[np.bool_] | None,
) -> Decisions:
    """As `_count_each`, from p-values."""
    n_models = p.shape[0]
    better = np.zeros(n_models, dtype=np.int64)
    worse = np.zeros(n_models, dtype=np.int64)
    for rows in row_blocks(n_models, n_models):
        block = keep_tested(reject_nan(p[rows]), tested, rows, fill=1.0)
        own_level = _rows_of(level_worse, rows)[:, None]
        worse[rows] = np.count_nonzero(block <= own_level, axis=1)
        better += np.count_nonzero(block <= level_better, axis=0)
    return Decisions(better, worse, None)


def _relate(
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


def _relate_from_p(
    p: NDArray[np.float64], level: float, tested: NDArray[np.bool_] | None
) -> Decisions:
    """As `_relate`, from p-values; one half and above favours the other direction."""
    shown = np.zeros(p.shape, dtype=bool)
    for rows in row_blocks(*p.shape):
        block = keep_tested(reject_nan(p[rows]), tested, rows, fill=1.0)
        shown[rows] = block <= min(level, _BELOW_HALF)
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
