"""Rows that summarise others: which they are, by their names and cells, and whether they agree."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from rankbars.tables.asides import is_summary, without_extent
from rankbars.tables.cells import read_number
from rankbars.tables.columns import fold_name
from rankbars.tables.metricwords import split_words

__all__ = [
    "MARGIN", "beside_numbered", "check_summaries", "describe_left_out", "is_share_right",
    "is_statistic", "names_summaries", "repeats_means",
]  # fmt: skip

# What pandas calls the margins of a table; without means beside it a name like others.
MARGIN = "All"

_CLOSE = 1e-9
_MOST_NAMED = 3

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


def is_share_right(name: str) -> bool:
    """Whether a row of a matrix is called the share of right answers, as summaries of items are.

    Examples
    --------
    >>> is_share_right("Accuracy (%)"), is_share_right("q12")
    (True, False)
    """
    return fold_name(name) in _SHARES_RIGHT


# A row that may hold the share of right answers of each model.
_SHARES_RIGHT = split_words("""
    accuracy acc score scores correct percent percentcorrect pct passrate successrate result
    results final
""")


def describe_left_out(names: Sequence[str]) -> str:
    """That rows of these names are left aside."""
    shown = ", ".join(map(repr, names))
    if len(names) == 1:
        return f"The row {shown} summarises the others, and is left aside."
    return f"The rows {shown} summarise the others, and are left aside."


def check_summaries(
    summaries: Mapping[str, Sequence[object]],
    values: Sequence[Sequence[object]],
    places: Sequence[str],
    what: str,
) -> str:
    """Which summaries do not agree with what they summarise; empty if all that can be checked do.

    Parameters
    ----------
    summaries : mapping from str to sequence
        Cells of each summary by its name, one for each of the `places`.
    values : sequence of sequence
        Cells that are summarised at each place.
    places : sequence of str
        What each place is called.
    what : {"column", "row"}
        What summaries are.
    """
    found = []
    for name, cells in summaries.items():
        plain, count = without_extent(name)
        rule = _RULES.get(fold_name(plain))
        if rule is None or count not in (None, len(next(iter(values), ()))):
            continue
        wrong = []
        for place, cell, beside in zip(places, cells, values, strict=True):
            told, numbers = _number(cell), [_number(one) for one in beside]
            if math.isnan(told) or len(numbers) < 2 or any(map(math.isnan, numbers)):
                continue
            close = 0.51 * (_step(cell) + max(_step(one) for one in beside)) + _CLOSE
            made = [one(numbers) for one in rule]
            if all(abs(told - one) > close for one in made):
                wrong.append(f"{place!r}, {told:g} beside {made[0]:.4g}")
        if wrong:
            more = f" and {len(wrong) - _MOST_NAMED} more" if len(wrong) > _MOST_NAMED else ""
            found.append(
                f"The {what} {name!r} does not agree with the data: for "
                f"{'; '.join(wrong[:_MOST_NAMED])}{more}."
            )
    return " ".join(found)


def repeats_means(cells: Sequence[object], values: Sequence[Sequence[object]]) -> bool:
    """Whether each cell is the mean of the values at its place, as share or in percent.

    Examples
    --------
    >>> repeats_means(["0.75", "0.5"], [["1", "1", "1", "0"], ["1", "0", "1", "0"]])
    True
    >>> repeats_means(["1", "0"], [["1", "1", "1", "0"], ["1", "0", "1", "0"]])
    False
    """
    matched = False
    for cell, beside in zip(cells, values, strict=True):
        told = _number(cell)
        numbers = [one for one in map(_number, beside) if not math.isnan(one)]
        if math.isnan(told):
            continue
        if not numbers or not _is_mean(told, _mean(numbers), _step(cell)):
            return False
        matched = True
    return matched


def _is_mean(told: float, mean: float, step: float) -> bool:
    # A whole number may be a rounded percentage; as a share it must be exact.
    close = 0.51 * step if step < 1.0 else 0.0
    return abs(told - mean) <= close + _CLOSE or abs(told - 100.0 * mean) <= 0.51 * step + _CLOSE


def _mean(numbers: Sequence[float]) -> float:
    return math.fsum(numbers) / len(numbers)


def _median(numbers: Sequence[float]) -> float:
    return float(np.median(numbers))


# What a summary of a name may be.
_RULES: Mapping[str, tuple[Callable[[Sequence[float]], float], ...]] = {
    **dict.fromkeys(("mean", "average", "avg", "overall"), (_mean,)),
    "total": (math.fsum, _mean),
    "median": (_median,),
}


def _number(cell: object) -> float:
    number = read_number(cell)
    return math.nan if number is None else number


def _step(cell: object) -> float:
    """What the last digit of a cell stands for."""
    digits = re.search(r"[.,](\d+)", cell if isinstance(cell, str) else repr(cell))
    return 10.0 ** -len(digits[1]) if digits else 1.0
