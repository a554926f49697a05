"""Rows that summarise numbered ones: folds, seeds, items or subjects, and M and SD below them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rankbars.tables.asides import is_summary
from rankbars.tables.columns import fold_name
from rankbars.tables.metrics import split_words

__all__ = ["beside_numbered", "is_statistic", "names_summaries"]

_MOST = 6
_STATISTICS = split_words("m sd se sem var cv ci iqr min max range n mad rsd")


def beside_numbered(names: Sequence[str]) -> list[str]:
    """The few names without a number, where all others are one word and its number.

    Examples
    --------
    >>> beside_numbered(["Fold 1", "Fold 2", "Fold 3", "Mean", "SD", "95% CI"])
    ['Mean', 'SD', '95% CI']
    >>> beside_numbered(["iris", "wine", "Mean"]), beside_numbered(["math_1", "math_2", "art_1"])
    ([], [])
    """
    found = [name for name in names if not re.search(r"\d", name) or _NO_NUMBER.search(name)]
    shapes = Counter(re.sub(r"\d+", "0", name) for name in names if name not in found)
    alike = sum(count for count in shapes.values() if count > 1)
    few = len(found) <= _MOST and alike >= max(3, len(found))
    return found if few and alike == shapes.total() else []


_NO_NUMBER = re.compile(r"%|\bCI\b", re.IGNORECASE)


def names_summaries(names: Sequence[str], *, tasks: bool) -> list[str]:
    """Names of rows that summarise the others, as one of them says and its neighbours share.

    Parameters
    ----------
    names : sequence of str
        All names of rows.
    tasks : bool
        Whether rows may be tasks: then a name without a number is one, unless a statistic is
        called so.

    Examples
    --------
    >>> names_summaries(["1", "2", "3", "Mean", "SD"], tasks=False)
    ['Mean', 'SD']
    >>> names_summaries(["task1", "task2", "task3", "gsm", "Avg"], tasks=True)
    ['Avg']
    >>> names_summaries(["law", "art", "Mean", "s.d.", "sem"], tasks=True)
    ['Mean', 's.d.', 'sem']
    """
    apart = beside_numbered(names)
    known = [name for name in names if is_summary(name)]
    below = list(names[names.index(known[0]) :]) if known else []
    if all(name in known or is_statistic(name) for name in below):
        known = below
    if not set(known) & set(apart):
        return known
    more = [name for name in apart if not tasks or is_statistic(name)]
    return [name for name in names if name in known or name in more]


def is_statistic(name: str) -> bool:
    """Whether a row is called as a statistic is abbreviated.

    Examples
    --------
    >>> is_statistic("SD"), is_statistic("95% CI"), is_statistic("M"), is_statistic("Math")
    (True, True, True, False)
    """
    words = set(re.findall(r"[^\W\d_]+", name.casefold()))
    return fold_name(name) in _STATISTICS or (bool(words) and words <= _STATISTICS)
