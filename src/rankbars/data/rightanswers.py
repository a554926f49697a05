"""Right and wrong answers: whether scores are such, and counts of them for binomial models."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Estimates, Evidence, Items, independent_items
from rankbars.stats.blocks import row_blocks

__all__ = [
    "RightAnswers", "count_answers", "count_right", "is_binary", "is_share", "settle_shift",
]  # fmt: skip


def is_binary(
    scores: Items | NDArray[np.float64], answers: tuple[float, ...] = (0.0, 1.0, -1.0)
) -> bool:
    """Whether scores are 0 or 1, or 0 or -1, as answers are stored where lower is better.

    Parameters
    ----------
    scores : Items, or array of float, shape (n, M)
        Scores; NaN where there is none. Of evidence it is found out once.
    answers : tuple of float
        What scores may be; 0 among them.

    Examples
    --------
    >>> is_binary(np.array([[1.0, np.nan], [0.0, 1.0]])), is_binary(np.array([[0.5]]))
    (True, False)
    >>> is_binary(np.array([[1.0, 0.0], [-1.0, 1.0]]))
    False
    """
    signs = scores.known(_signs_of) if isinstance(scores, Items) else _signs(scores)
    return signs is not None and signs <= set(answers)


def _signs_of(items: Items) -> frozenset[float] | None:
    return _signs(items.values)


def _signs(values: NDArray[np.float64]) -> frozenset[float] | None:
    """What binary scores are where they are not 0: one number at most; None for other scores."""
    signs: set[float] = set()
    for rows in row_blocks(*values.shape):
        some = values[rows]
        fits = some == 0.0
        for sign in (1.0, -1.0):
            if fits.all():
                break
            same = some == sign
            if same.any():
                signs.add(sign)
                fits |= same
        if len(signs) > 1:  # right, wrong, and something else
            return None
        if not fits.all() and not (fits | np.isnan(some)).all():
            return None
    return frozenset(signs)


def count_right(items: Items) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Answers of each model, and how many of them are not 0; scores are binary.

    Examples
    --------
    >>> found = count_right(Items(("a", "b"), [[1.0, np.nan], [0.0, 1.0]]))
    >>> [numbers.tolist() for numbers in found]
    [[2, 1], [1.0, 1.0]]
    """
    return items.known(_count_right)


def _count_right(items: Items) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    count, right = (np.zeros(items.values.shape[1], np.int64) for _ in range(2))
    for rows in row_blocks(*items.values.shape):
        some = items.values[rows]
        seen = some == some
        count += seen.sum(axis=0)
        right += (seen & (some != 0.0)).sum(axis=0)
    return count, right.astype(np.float64)


class RightAnswers(NamedTuple):
    """Counts of right answers of every model on one task.

    Attributes
    ----------
    right, total : array of float, shape (M,)
        Right answers, and answers.
    shift : float
        What turns a share of right answers into the score: 0, or -1 where wrong answers are
        counted (and negated, so that higher is better); NaN where all scores are 0, until
        `settle_shift` has looked at the other tasks.
    """

    right: NDArray[np.float64]
    total: NDArray[np.float64]
    shift: float


def count_answers(evidence: Evidence, models: tuple[str, ...]) -> RightAnswers | None:
    """Counts of right answers of `models`, or None where the evidence is no such thing.

    Rows must be independent items with one answer each, right or wrong; published scores must be
    shares of a known number of items, without an error other than the binomial one. Missing rows
    are left out, model by model.

    Examples
    --------
    >>> count_answers(Items(("a", "b"), [[1.0, 0.0], [1.0, 1.0]]), ("a", "b")).right
    array([2., 1.])
    """
    columns = [evidence.models.index(name) for name in models]
    if isinstance(evidence, Items):
        return _from_items(evidence, columns)
    if isinstance(evidence, Estimates):
        return _from_shares(evidence, columns)
    return None


def settle_shift(counts: list[RightAnswers]) -> list[RightAnswers]:
    """The same counts, where tasks on which every score is 0 follow the other tasks.

    Scores that are all 0 say that nobody was right; where the other tasks count wrong answers,
    that nobody was wrong.
    """
    known = [one.shift for one in counts if not np.isnan(one.shift)]
    wrong = bool(known) and min(known) < 0
    return [
        one
        if not np.isnan(one.shift)
        else one._replace(right=one.total if wrong else one.right, shift=-1.0 if wrong else 0.0)
        for one in counts
    ]


def is_share(evidence: Estimates) -> bool:
    """Whether scores can be shares of right answers: between 0 and 1, with binomial errors."""
    if evidence.n is None or evidence.cov is not None:
        return False
    seen = ~np.isnan(evidence.mean)
    share, items = evidence.mean[seen], evidence.n[seen]
    if (items < 1).any() or ((share < 0) | (share > 1)).any():
        return False
    if evidence.se is None:
        return True
    inside = (share > 0) & (share < 1)
    binomial = np.sqrt(share * (1 - share) / items)[inside]
    return bool(np.allclose(evidence.se[seen][inside], binomial, rtol=1e-3, atol=0.0))


def _from_items(evidence: Items, columns: list[int]) -> RightAnswers | None:
    if not independent_items(evidence) or (
        evidence.answers is not None and (evidence.answers > 1).any()
    ):
        return None
    values = evidence.values[:, columns]
    seen = ~np.isnan(values)
    found = np.unique(values[seen])
    if not np.isin(found, (0.0, 1.0)).all() and not np.isin(found, (-1.0, 0.0)).all():
        return None
    shift = np.nan if not found.any() else min(0.0, float(found.min()))
    total = seen.sum(axis=0).astype(np.float64)
    right = np.where(seen, values, 0.0).sum(axis=0)
    return RightAnswers(right + total if shift < 0 else right, total, shift)


def _from_shares(evidence: Estimates, columns: list[int]) -> RightAnswers | None:
    if evidence.n is None or not is_share(evidence):
        return None
    total = evidence.n[columns].astype(np.float64)
    right = np.round(np.nan_to_num(evidence.mean[columns]) * total)
    return RightAnswers(right, np.where(np.isnan(evidence.mean[columns]), 0.0, total), 0.0)
