"""Single-step decisions: Bonferroni, and no correction at all.

The same conventions, scopes and results as in `rankbars.stats.multiplicity.stepdown`; here
are the levels that pairs are held to.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.multiplicity.fixedlevels import (
    count_each,
    count_each_from_p,
    relate,
    relate_from_p,
)
from rankbars.stats.multiplicity.thresholds import (
    Decisions,
    check_alpha,
    family_sizes,
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
    return count_each(
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
    return relate(statistic, df, rate / max(total_size(statistic.shape[0], tested), 1), tested)


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
    return count_each(statistic, df, level, level, tested)


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
    return relate(statistic, df, rate, tested)


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
    return count_each_from_p(
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
    return relate_from_p(p, rate / max(total_size(p.shape[0], tested), 1), tested)


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
    return count_each_from_p(p, level, level, tested)


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
    return relate_from_p(p, rate, tested)
