"""Numbers that are no scores, such as -1 for a timeout beside right answers, or ranks of models."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Estimates, Evidence, Items
from rankbars.data.scores import Scores
from rankbars.data.storedtasks import StoredTasks
from rankbars.errors import DataError

__all__ = ["Mark", "ask_about_mark", "find_mark", "is_mark", "refuse_ranks"]

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


class Mark(NamedTuple):
    """A number that may stand for no score.

    Attributes
    ----------
    value : float
        The number.
    least, most : float
        The least and the greatest of the other scores.
    end : float
        Where the scale of the others seems to end, on the side of the number.
    """

    value: float
    least: float
    most: float
    end: float


def find_mark(values: NDArray[np.float64]) -> Mark | None:
    """The number beside other scores that stands for none, if there is one.

    No other number may lie on its side of them. Scores between 0 and 1 have one only if both 0
    and 1 are among them: rewards and correlations may be -1.

    Parameters
    ----------
    values : array of float
        Scores of one task; NaN where there is none.

    Examples
    --------
    >>> find_mark(np.array([1.0, 0.0, -1.0, -1.0]))
    Mark(value=-1.0, least=0.0, most=1.0, end=0.0)
    >>> find_mark(np.array([4.0, 2.0, 5.0, 99.0] * 4))
    Mark(value=99.0, least=2.0, most=5.0, end=5.0)
    >>> find_mark(np.array([1.0, 0.0, -1.0, -2.0])), find_mark(np.array([0.3, -1.0, 0.9]))
    (None, None)
    """
    if not values.size:
        return None
    low = float(np.fmin.reduce(values, axis=None))
    high = float(np.fmax.reduce(values, axis=None))
    mark = low if low < 0.0 else high
    if not is_mark(mark):
        return None
    rest = values[(values != mark) & ~np.isnan(values)]
    if not rest.size or (rest.size < _FEWEST and 1.0 < rest.max() <= _GRADES):
        return None
    least, most = float(rest.min()), float(rest.max())
    graded = bool((2.0 * rest % 1.0 == 0.0).all()) and most > least
    if most <= 1.0:
        known = (least, most) == (0.0, 1.0)
    elif mark > 0.0:
        known = graded and least >= 0.0 and most <= _GRADES < mark
    else:
        known = least >= 0.0 and most <= _PERCENT and (graded or most > _GRADES)
    if not known:
        return None
    if mark > 0.0:
        return Mark(mark, least, most, most)
    return Mark(mark, least, most, 1.0 if graded and least >= 1.0 and most <= _GRADES else 0.0)


_FEWEST = 10  # grades that show which there are
_GRADES, _PERCENT = 10.0, 100.0  # the greatest grade, and the greatest share


def ask_about_mark(place: str, task: str, mark: Mark, number: int) -> DataError:
    """The question what such a number means, with the lines to paste.

    Parameters
    ----------
    place : str
        The first row that has it.
    task : str
        The task.
    mark : Mark
        The number.
    number : int
        How often it stands there.
    """
    above = mark.value > 0.0
    option, word = ("max", "maximum") if above else ("min", "minimum")
    times = "once" if number == 1 else f"{number:,} times"
    return DataError(
        f"{place}: {mark.value:g} stands {times} beside scores from {mark.least:g} to "
        f"{mark.most:g} on task {task!r}. Is it a score, or does it mark answers that failed (a "
        "timeout, an error)? Choose (the line to paste, what it says):\n"
        f"  --score-{option} {mark.end:<6g}it is no score: the answer failed; what that counts as "
        "is asked next\n"
        f"  --score-{option} {mark.value:<6g}it is a score, the {'greatest' if above else 'lowest'}"
        f" that there is\nIn Python: {word}={mark.end:g}, or {word}={mark.value:g}."
    )


_FEWEST_RANKED = 3  # models and tasks


def refuse_ranks(scores: Scores, source: str) -> None:
    """Scores that are the ranks of the models on every task or item do not say what is better."""
    places = list(range(1, len(scores.models) + 1))
    if isinstance(scores.tasks, StoredTasks) or len(places) < _FEWEST_RANKED:
        return

    def ranked(one: Evidence) -> bool:
        if isinstance(one, Items):
            if len(places) != len(one.models):
                return False
            by_answer = one.runs if one.runs is not None else one.trials
            if by_answer is None:
                each = one.values
            else:
                each = by_answer.reshape(-1, len(places))
                each = each[~np.isnan(each).all(axis=1)]
            return bool((np.sort(each, axis=1) == np.array(places)).all())
        if not isinstance(one, Estimates) or one.has_uncertainty:
            return False
        return sorted(one.mean.tolist()) == places

    rows = [one.n if isinstance(one, Items) else 1 for one in scores.tasks.values()]
    if sum(rows) >= _FEWEST_RANKED and all(map(ranked, scores.tasks.values())):
        what = "item" if max(rows) > 1 else "task"
        raise DataError(
            f"{source}: on every {what} the scores are the numbers 1 to {len(places)}, as ranks "
            "are. Declare which side is better: --direction lower if 1 is the best, --direction "
            "higher if not (in Python: direction='lower')."
        )
