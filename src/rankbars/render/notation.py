"""How numbers are written: every rounding rule in one place.

Two rules hold for numbers. One that is not exactly 0, 1 or 100 is never shown as if it were.
A guarantee is rounded down, so that what is shown claims no more than what holds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "COMPLETE",
    "EDGES",
    "MISSING",
    "counted",
    "round_up",
    "rows_of",
    "show_chance",
    "show_count",
    "show_guarantee",
    "show_interval",
    "show_level",
    "show_number",
    "show_ranks",
    "show_scores",
    "show_share",
    "show_signed",
    "suitable_decimals",
    "ticked_ranks",
    "written_decimals",
]

MISSING = "–"  # a dash, never 0
COMPLETE = "100 %"
EDGES = (-100.0, -1.0, 0.0, 1.0, 100.0)
_NO_SHARES: tuple[float, ...] = ()
_LARGE = 1e7  # from here on, powers of ten read better
_MOST_DECIMALS = 7
_TINY = 0.01  # where no number of a column is as large, no error is rounded to 0


def counted(count: int, noun: str) -> str:
    """A number of things: ``"1 model"``, ``"12,000 items"``.

    Examples
    --------
    >>> counted(1, "model"), counted(12_000, "item")
    ('1 model', '12,000 items')
    """
    return f"{show_count(count)} {noun if count == 1 else noun + 's'}"


def show_ranks(best: int, worst: int) -> str:
    """A rank interval, best end first: ``"2–5"``, or ``"3"`` where only one rank is left.

    Examples
    --------
    >>> show_ranks(2, 5), show_ranks(3, 3)
    ('2–5', '3')
    """
    return f"{best}" if best == worst else f"{best}–{worst}"


def ticked_ranks(size: int, most: int = 10) -> list[int]:
    """Ranks that stand at an axis: 1, others at even distances, round or every other, the last.

    Examples
    --------
    >>> ticked_ranks(13), ticked_ranks(29)
    ([1, 3, 5, 7, 9, 11, 13], [1, 5, 10, 15, 20, 25, 29])
    """
    if size <= most + 2:
        return list(range(1, size + 1))
    power = 10 ** (len(str(size)) - 2)
    step = next(power * k for k in (1, 2, 5, 10, 20) if size / (power * k) <= most)
    inner = range(3 if step == 2 else step, size, step)
    return [1, *(rank for rank in inner if rank < size - step / 2), size]


def show_level(alpha: float) -> str:
    """The level ``1 - alpha`` as a percentage, rounded down to two decimals.

    Examples
    --------
    >>> show_level(0.05), show_level(0.005), show_level(1e-9)
    ('95 %', '99.5 %', '99.99 %')
    """
    return _percent_down(1 - Decimal(str(alpha)), "0.01")


def show_guarantee(probability: float) -> str:
    """A guaranteed probability as a percentage, rounded down to one decimal.

    Examples
    --------
    >>> show_guarantee(0.79487), show_guarantee(0.8), show_guarantee(0.99999)
    ('79.4 %', '80 %', '99.9 %')
    """
    # Twelve digits first: 0.8 may arrive as 0.79999999999999993.
    return _percent_down(Decimal(f"{probability:.12f}"), "0.1")


def show_share(share: float) -> str:
    """A share as a percentage with one decimal; 0 % and 100 % only where exact.

    Examples
    --------
    >>> show_share(1.0), show_share(0.86034), show_share(0.99999)
    ('100 %', '86.0 %', '>99.9 %')
    """
    if math.isnan(share):
        return MISSING
    if share in (0.0, 1.0):
        return f"{share * 100:.0f} %"
    return f"{show_number(share * 100, 1)} %"


def show_chance(share: float) -> str:
    """A share of draws as a whole percentage; a thousand draws support no more digits.

    Examples
    --------
    >>> show_chance(0.6178), show_chance(0.001), show_chance(0.999), show_chance(0.0)
    ('62 %', '<1 %', '>99 %', '0 %')
    """
    if math.isnan(share):
        return MISSING
    percent = round(share * 100)
    if percent == 0 and share > 0:
        return "<1 %"
    return ">99 %" if percent == 100 and share < 1 else f"{percent} %"


def show_count(count: int) -> str:
    """A whole number with its thousands set apart.

    Examples
    --------
    >>> show_count(12032)
    '12,032'
    """
    return f"{count:,}"


def round_up(count: float) -> int:
    """A number of rows in two digits, upwards: more digits would look surer than it is.

    Examples
    --------
    >>> round_up(433.0), round_up(16905.0), round_up(7.2)
    (440, 17000, 8)
    """
    step = 10 ** max(math.floor(math.log10(max(count, 1.0))) - 1, 0)
    return int(math.ceil(count / step - 1e-9) * step)


def rows_of(kind: str) -> str:
    """What the rows of evidence of a kind are called."""
    return {"runs": "training runs", "estimates": "rows"}.get(kind, kind)


def show_number(value: float, decimals: int | None, edges: Sequence[float] = EDGES) -> str:
    """A number with so many decimals; None stands for powers of ten with four digits.

    Thousands are set apart. What rounds to one of the `edges` without being it is shown as below or
    above.

    Examples
    --------
    >>> show_number(0.71638, 3), show_number(0.99996, 3), show_number(0.0002, 3)
    ('0.716', '>0.999', '<0.001')
    >>> show_number(float("nan"), 2), show_number(1284.4, 0)
    ('–', '1,284')
    """
    if math.isnan(value):
        return MISSING
    if decimals is None:
        return f"{value:.3e}"
    landed = float(f"{value:.{decimals}f}")
    if landed != value and landed in edges:
        step = 10.0**-decimals
        if value > landed:
            return f"<{landed + step:.{decimals}f}"
        return f">{landed - step:.{decimals}f}"
    return f"{value:,.{decimals}f}"


def show_signed(value: float, decimals: int | None, edges: Sequence[float] = EDGES) -> str:
    """A difference: `show_number` with a sign in front of what is above 0.

    Examples
    --------
    >>> show_signed(0.214, 2), show_signed(-0.214, 2)
    ('+0.21', '-0.21')
    """
    shown = show_number(value, decimals, edges)
    return f"+{shown}" if value > 0 and shown[0].isdigit() else shown


def show_interval(low: float, high: float, decimals: int | None) -> str:
    """Both ends of an interval; a dash where there is none.

    Examples
    --------
    >>> show_interval(0.214, 0.3, 2), show_interval(math.nan, math.nan, 2)
    ('[0.21, 0.30]', '–')
    """
    if math.isnan(low) or math.isnan(high):
        return MISSING
    return f"[{show_number(low, decimals)}, {show_number(high, decimals)}]"


def suitable_decimals(
    values: NDArray[np.float64], errors: NDArray[np.float64], most: int | None = None
) -> int | None:
    """Decimals that show the typical error; four digits of the largest value where there is none.

    An error shows two digits where they begin with 1 to 3.54 and one digit above, so that
    rounding changes it by a few percent: 0.012, but 0.009 (the rule of the Particle Data Group).

    Parameters
    ----------
    values, errors : array of float, shape (M,)
        Numbers of one column and the lengths of their error bars; NaN is left out.
    most : int, optional
        Decimals that the numbers were given with, where they were published: more are not known.

    Returns
    -------
    int or None
        None where the numbers are too large or too small to be written out.

    Examples
    --------
    >>> suitable_decimals(np.array([0.71, 0.64]), np.array([0.012, 0.013]))
    3
    >>> suitable_decimals(np.array([71.3, 64.5]), np.array([0.16, 0.18]), most=1)
    1
    >>> suitable_decimals(np.array([0.00069, 0.000014]), np.array([0.0004, 0.000001]))
    7
    """
    sizes = np.abs(values[np.isfinite(values)])
    largest = float(sizes.max(initial=0.0))
    known = errors[np.isfinite(errors) & (errors > 0)]
    if largest >= _LARGE:
        return None
    if known.size:
        decimals = _error_decimals(float(np.median(known)))
    elif largest > 0:
        decimals = 3 - math.floor(math.log10(largest))
    else:
        decimals = 1
    if known.size and largest < _TINY:  # times of microseconds beside milliseconds
        least = float(known.min())
        if least < 0.5 * 10.0**-decimals:
            decimals = max(decimals, min(_error_decimals(least), _MOST_DECIMALS))
    if most is not None:
        decimals = min(decimals, most)
    return None if decimals > _MOST_DECIMALS else max(decimals, 0)


def written_decimals(values: NDArray[np.float64]) -> int | None:
    """With how many decimals numbers of one column were written; None where that is not seen.

    Parameters
    ----------
    values : array of float, shape (M,)
        Numbers as they were read; NaN is left out.

    Examples
    --------
    >>> written_decimals(np.array([71.3, 64.0])), written_decimals(np.array([1 / 3]))
    (1, None)
    """
    known = values[np.isfinite(values)]
    for decimals in range(_MOST_DECIMALS + 1) if known.size else ():
        if np.allclose(known, np.round(known, decimals), rtol=1e-12, atol=0):
            return decimals
    return None


def _error_decimals(error: float) -> int:
    exponent = math.floor(math.log10(error))
    return (1 if error < 3.55 * 10.0**exponent else 0) - exponent


def show_scores(
    score: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    most: int | None = None,
) -> list[str]:
    """Scores of one column with their intervals, all written the same way.

    Parameters
    ----------
    score, low, high : array of float, shape (M,)
        Scores and the ends of their intervals; NaN = none.
    most : int, optional
        Decimals that the scores were given with; see `suitable_decimals`.

    Examples
    --------
    >>> show_scores(np.array([0.7, 0.5]), np.array([0.69, 0.48]), np.array([0.71, 0.52]))
    ['0.700 ±0.010', '0.500 ±0.020']

    Where some lie on the other side of 0, all are plain numbers: 1 is then the end of nothing.

    >>> ends = np.array([0.4, 0.4])
    >>> show_scores(np.array([0.96, -0.96]), *(np.array([0.96, -0.96]) + e for e in (-ends, ends)))
    ['1.0 ±0.4', '-1.0 ±0.4']
    """
    crossing = np.nanmin(score, initial=0) < 0 < np.nanmax(score, initial=0)
    edges = _NO_SHARES if crossing else EDGES
    half = (high - low) / 2
    decimals = suitable_decimals(score, half, most)
    known = np.isfinite(half) & np.isfinite(score)
    lopsided = np.abs((high - score) - (score - low))[known]
    tolerance = 0.5 * 10.0 ** -(decimals if decimals is not None else _MOST_DECIMALS)
    symmetric = bool((lopsided <= tolerance).all())
    return [
        _show_score(float(s), float(a), float(b), decimals, symmetric, edges)
        for s, a, b in zip(score, low, high, strict=True)
    ]


def _show_score(
    score: float, low: float, high: float, decimals: int | None, symmetric: bool,
    edges: Sequence[float],
) -> str:  # fmt: skip
    """One score with its interval: ``±`` where both sides are equal, else both ends."""
    shown = show_number(score, decimals, edges)
    if math.isnan(low) or math.isnan(high):
        return shown
    if symmetric:
        half = (high - low) / 2
        places = "" if decimals is None else f"{half:,.{decimals}f}"
        # A half-width has no edge at 1 or 100; only a positive one must not read as zero.
        rounded = show_number(half, decimals) if not places or not places.strip("0.") else places
        return f"{shown} ±{rounded}"
    ends = (show_number(end, decimals, edges) for end in (low, high))
    return f"{shown} [{', '.join(ends)}]"


def _percent_down(share: Decimal, step: str) -> str:
    percent = (share * 100).quantize(Decimal(step), rounding=ROUND_FLOOR)
    if percent == 0 and share > 0:
        return f"<{step} %"
    return f"{percent.normalize():f} %"
