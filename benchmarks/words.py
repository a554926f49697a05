"""Numbers and sizes in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.measured import Measured
from benchmarks.rows import Growth, Once, Ratio, Row

__all__ = [
    "FIELDS",
    "demand_of",
    "describe",
    "exponent_of",
    "figures_of",
    "in_time",
    "missing_of",
    "short",
    "sizes_of",
    "times_of",
]

FIELDS = {"cpu_s": "CPU s", "wall_s": "wall s", "peak_mb": "MB"}
"""Units of what every whole run is measured by."""

_NOT_FIGURES = {*FIELDS, "load", "took_s"}


def describe(measured: Measured) -> str:
    """One line for the terminal."""
    if measured.missing:
        return f"not measured: {missing_of(measured)}"
    row, found = measured.row, measured.found
    match row:
        case Once():
            said = ", ".join(f"{short(found[key])} {unit}" for key, unit in FIELDS.items())
            said += "".join(f", {text}" for text in figures_of(measured))
        case Growth():
            said = f"{times_of(found['seconds'])}: {exponent_of(found)}"
        case Ratio():
            said = f"{in_time(found['ours'])} against {in_time(found['peer'])}: "
            said += f"{short(measured.ratio)}×"
    wanted = demand_of(row)
    said += f"; {wanted}" if wanted else ""
    return said + ("  MISSED" if measured.met is False else "")


def demand_of(row: Row) -> str:
    """What is demanded, empty if nothing is."""
    match row:
        case Once(limits=limits):
            parts = [f"≤ {short(value)} {FIELDS.get(key, key)}" for key, value in limits.items()]
        case Growth(at_most=most):
            parts = [] if most is None else [f"≤ {short(most)}"]
        case Ratio(at_least=least, memory_at_most=most):
            parts = [] if least is None else [f"≥ {short(least)}×"]
            parts += [] if most is None else [f"≤ {short(most)} of their MB"]
    return ", ".join(parts)


def missing_of(measured: Measured) -> str:
    """What a row that was left out would have needed."""
    return f"{' and '.join(measured.missing)} not installed"


def figures_of(measured: Measured) -> list[str]:
    """Numbers of a whole run beside times and memory."""
    return [
        f"{short(value)} {unit}"
        for unit, value in measured.found.items()
        if unit not in _NOT_FIGURES
    ]


def sizes_of(row: Row) -> str:
    """The sizes of a row, those that grow first."""
    # What is named in words, such as the kind of ids, the job says already.
    fixed = [
        f"{value:,} {name.replace('_', ' ')}"
        for name, value in row.sizes.items()
        if isinstance(value, int)
    ]
    if isinstance(row, Growth):
        grown = f"{row.values[0]:,} to {row.values[-1]:,} {row.along.replace('_', ' ')}"
        return ", ".join([grown, *fixed])
    return ", ".join(fixed)


def exponent_of(found: Mapping[str, Any]) -> str:
    """The exponent with its standard error."""
    return f"{round(found['exponent'], 2) + 0.0:.2f} ± {found['error']:.2f}"


def times_of(seconds: Sequence[float]) -> str:
    """Shortest and longest time."""
    return f"{in_time(seconds[0])} to {in_time(seconds[-1])}"


def in_time(seconds: float) -> str:
    """Seconds in a unit that suits them."""
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    return f"{short(seconds * 1e3)} ms" if seconds < 1 else f"{short(seconds)} s"


def short(value: float) -> str:
    """Two or three digits, more for larger numbers."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 10 else f"{value:.2g}"
