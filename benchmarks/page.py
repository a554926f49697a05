"""The measurements as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.rows import Once, Ratio, Row

__all__ = ["Machine", "Measured", "describe", "render_page"]

_UNITS = {"cpu_s": "CPU s", "wall_s": "wall s", "peak_mb": "peak MB"}


@dataclass(frozen=True)
class Machine:
    """Where and when."""

    date: str
    processor: str
    dgemm: float
    versions: Mapping[str, str]


@dataclass(frozen=True)
class Measured:
    """One row and what was found.

    Parameters
    ----------
    row : Ratio or Once
        The row.
    found : mapping from str to number
        What was measured; empty where it could not be.
    missing : tuple of str
        Packages that were not there.
    """

    row: Row
    found: Mapping[str, Any] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    @property
    def ratio(self) -> float:
        """Time of the peer over ours."""
        return float(self.found["peer"] / self.found["ours"])

    @property
    def met(self) -> bool | None:
        """Whether what is demanded was reached; None where nothing is demanded or measured."""
        if not self.found:
            return None
        if isinstance(self.row, Once):
            return all(self.found[key] <= limit for key, limit in self.row.limits.items())
        return None if self.row.at_least is None else self.ratio >= self.row.at_least


def describe(measured: Measured) -> str:
    """One line for the terminal."""
    row = measured.row
    if measured.missing:
        return f"not measured: {' and '.join(measured.missing)} not installed"
    if isinstance(row, Once):
        found = ", ".join(f"{_short(measured.found[k])} {unit}" for k, unit in _UNITS.items())
        wanted = ", ".join(f"{_short(v)} {_UNITS[k]}" for k, v in row.limits.items())
        said = f"{found}; at most {wanted}"
    else:
        ours, peer = _time(measured.found["ours"]), _time(measured.found["peer"])
        said = f"{ours} against {peer}: {_short(measured.ratio)}"
        if row.at_least is not None:
            said += f"; at least {_short(row.at_least)}"
    return said + {True: "", False: "  MISSED", None: ""}[measured.met]


def render_page(topics: Mapping[str, Sequence[Measured]], machine: Machine) -> str:
    """The whole page.

    Parameters
    ----------
    topics : mapping from title to list of Measured
        In the order of the page.
    machine : Machine
        Where and when.
    """
    versions = ", ".join(f"{name} {number}" for name, number in machine.versions.items())
    every = [measured for rows in topics.values() for measured in rows]
    parts = [
        _INTRODUCTION,
        f"Measured on {machine.date}: {machine.processor}, {machine.dgemm:.0f} GFLOP/s in double "
        f"precision on one thread. {versions}.",
        _verdict(every),
    ]
    for title, rows in topics.items():
        parts.append(f"## {title}")
        ratios = [one for one in rows if isinstance(one.row, Ratio) and one.found]
        once = [one for one in rows if isinstance(one.row, Once) and one.found]
        if ratios:
            parts.append("\n".join([_RATIO_HEAD, *map(_ratio_line, ratios)]))
        if once:
            parts.append("\n".join([_ONCE_HEAD, *map(_once_line, once)]))
        parts.extend(
            f"Not measured, because {' and '.join(one.missing)} was not installed: {one.row.job} "
            f"({_sizes(one.row)})."
            for one in rows
            if one.missing
        )
    return "\n\n".join(parts) + "\n"


_INTRODUCTION = """\
<!-- Written by `make bench`. Changes by hand are lost. -->

# What it costs

How long rankbars takes beside straightforward implementations of the same thing, which give the
same answers. `make bench` measures this page anew.

* Each row is a process of its own: both sides on the same input, one thread, CPU time. Answers are
  compared first. Then the sides take turns, as many calls as fill 50 ms, in 5 rounds (2 where the
  peer takes seconds), and the fastest round of each counts. A row that misses its demand is
  measured once more, with 15 rounds.
* **Ratio**: time of the peer divided by ours; above 1 we are faster. **Demanded** is the smallest
  ratio we accept, about half of what an idle machine shows: such times move by a factor of 2
  between runs.
* statsmodels starts Python's garbage collector in every correction. That call does nothing here:
  it would flatter us.
* **Memory** is what one call adds to a process that holds the input, measured in processes apart,
  in MB (ours / peer).
* **Load** is the machine's mean number of running processes in the last minute, the measured one
  included. Above the number of cores, wall times say little."""

_RATIO_HEAD = """\
| job | size | compared with | ours | peer | ratio | demanded | memory | load |
|---|---|---|--:|--:|--:|--:|--:|--:|"""

_ONCE_HEAD = """\
| job | size | CPU s | wall s | peak MB | demanded | load |
|---|---|--:|--:|--:|---|--:|"""


def _verdict(every: Sequence[Measured]) -> str:
    asked = [one for one in every if one.met is not None]
    missed = [one for one in asked if one.met is False]
    if not missed:
        return f"All {len(asked)} demands were met."
    return f"{len(asked) - len(missed)} of {len(asked)} demands were met; the others are **bold**."


def _ratio_line(measured: Measured) -> str:
    row, found = measured.row, measured.found
    if not isinstance(row, Ratio):
        raise TypeError("a line of ratios needs a Ratio")
    ratio = _short(measured.ratio)
    cells = (
        row.job,
        _sizes(row),
        row.peer,
        _time(found["ours"]),
        _time(found["peer"]),
        f"**{ratio}**" if measured.met is False else ratio,
        "" if row.at_least is None else f"≥ {_short(row.at_least)}",
        _memory(found),
        f"{found['load']:.1f}",
    )
    return f"| {' | '.join(cells)} |"


def _once_line(measured: Measured) -> str:
    row, found = measured.row, measured.found
    if not isinstance(row, Once):
        raise TypeError("a line of whole runs needs a Once")
    numbers = {
        key: f"**{_short(found[key])}**"
        if found[key] > row.limits.get(key, float("inf"))
        else _short(found[key])
        for key in _UNITS
    }
    demanded = ", ".join(f"≤ {_short(value)} {_UNITS[key]}" for key, value in row.limits.items())
    cells = (row.job, _sizes(row), *numbers.values(), demanded, f"{found['load']:.1f}")
    return f"| {' | '.join(cells)} |"


def _sizes(row: Row) -> str:
    return ", ".join(
        f"{value:,} {name}" if isinstance(value, int) else str(value)
        for name, value in row.sizes.items()
    )


def _time(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    return f"{_short(seconds * 1e3)} ms" if seconds < 1 else f"{_short(seconds)} s"


def _memory(found: Mapping[str, Any]) -> str:
    sizes = (found.get("ours_mb"), found.get("peer_mb"))
    return "–" if None in sizes else " / ".join(f"{size:.0f}" for size in sizes)


def _short(value: float) -> str:
    """Two or three digits, more for larger numbers."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 10 else f"{value:.2g}"
