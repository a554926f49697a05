"""Numbers that stand for no score, such as -1 for a timeout beside right and wrong answers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError

__all__ = ["ask_about_mark", "find_mark", "is_mark"]

_BELOW = frozenset({-1.0, -9.0, -99.0, -100.0, -999.0, -9999.0})
_ABOVE = frozenset({99.0, 999.0, 9999.0})


def is_mark(value: float) -> bool:
    """Whether people write such a number where there is no score.

    Examples
    --------
    >>> is_mark(-1.0), is_mark(999.0), is_mark(-0.5)
    (True, True, False)
    """
    return value in _BELOW or value in _ABOVE


def find_mark(values: NDArray[np.float64]) -> float | None:
    """The number beside scores from 0 to 1 that stands for none, if there is one.

    Both 0 and 1 must be among the scores, and no other number beyond them.

    Parameters
    ----------
    values : array of float
        Scores of one task; NaN where there is none.

    Examples
    --------
    >>> find_mark(np.array([1.0, 0.0, -1.0, -1.0])), find_mark(np.array([0.0, 1.0, 999.0]))
    (-1.0, 999.0)
    >>> find_mark(np.array([1.0, 0.0, -1.0, -2.0])), find_mark(np.array([0.3, -1.0, 0.9]))
    (None, None)
    """
    if not values.size:
        return None
    low = float(np.fmin.reduce(values, axis=None))
    high = float(np.fmax.reduce(values, axis=None))
    mark = low if low < 0.0 else high
    if not is_mark(mark) or (low < 0.0 and high > 1.0):
        return None
    rest = values[(values != mark) & ~np.isnan(values)]
    if not rest.size or rest.min() != 0.0 or rest.max() != 1.0:
        return None
    return mark


def ask_about_mark(place: str, task: str, mark: float, number: int) -> DataError:
    """The question what such a number means, with the lines to paste.

    Parameters
    ----------
    place : str
        The first row that has it.
    task : str
        The task.
    mark : float
        The number.
    number : int
        How often it stands there.
    """
    option, word, end = ("max", "maximum", 1) if mark > 1.0 else ("min", "minimum", 0)
    return DataError(
        f"{place}: {mark:g} stands {number:,} times beside scores from 0 to 1 on task {task!r}. Is "
        "it a score, or does it mark answers that failed (a timeout, an error)? Choose (the line "
        f"to paste, what it says):\n  --score-{option} {end:<6}it is no score: the answer failed; "
        "what that counts as is asked next\n"
        f"  --score-{option} {mark:<6g}it is a score, the {'greatest' if end else 'lowest'} that "
        f"there is\nIn Python: {word}={end}, or {word}={mark:g}."
    )
