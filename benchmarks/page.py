"""The measurements as Markdown: one table for the page, and parts of another page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from benchmarks.measured import Machine, Measured
from benchmarks.rows import Growth, Once, Ratio, title_of
from benchmarks.words import (
    FIELDS,
    demand_of,
    exponent_of,
    figures_of,
    in_time,
    missing_of,
    short,
    sizes_of,
    times_of,
)

__all__ = ["fill_parts", "render_page"]

_COLUMNS = 6


def render_page(every: Sequence[Measured], machine: Machine, picture: str) -> str:
    """The whole page.

    Parameters
    ----------
    every : sequence of Measured
        In the order of the page.
    machine : Machine
        Where and when.
    picture : str
        Address of the picture.
    """
    lines = [_HEAD]
    for title, rows in groupby(every, key=lambda one: title_of(one.path)):
        lines.append(f"| **{title}** |{' |' * (_COLUMNS - 1)}")
        lines.extend(map(_line, rows))
    parts = [
        _INTRODUCTION,
        f"{_where(every, machine)} {_verdict(every)}",
        f"![Ratio of every row on a logarithmic axis, with what is demanded]({picture})",
        "\n".join(lines),
    ]
    return "\n\n".join(parts) + "\n"


def fill_parts(page: str, every: Sequence[Measured], machine: Machine) -> str:
    """A page with its measured parts made anew.

    A part stands between ``<!-- measured: NAME -->`` and ``<!-- end -->``; NAME is ``growth`` or
    ``workers``.
    """
    made = {"growth": _growth_table(every), "workers": _workers_table(every)}

    def replace(part: re.Match[str]) -> str:
        text = f"{made[part[1]]}\n\nMeasured on {machine.date} on {machine.processor}."
        return f"<!-- measured: {part[1]} -->\n{text}\n<!-- end -->"

    return re.sub(r"<!-- measured: (\w+) -->\n.*?<!-- end -->", replace, page, flags=re.DOTALL)


# A table of this width has use for the room of a table of contents.
_INTRODUCTION = """\
---
hide: [toc]
---
<!-- Written by `make bench`. Changes by hand are lost. -->

# What it costs

How long rankbars takes beside other ways to the same answers. `make bench` measures this page anew.

* **Each row is a process of its own**: both sides on the same input, one thread, CPU time. Answers
  are compared first. Then the sides take turns, as many calls as fill 50 ms, in 5 rounds (2 where
  the peer takes seconds), and the fastest round of each counts. A row that misses its demand is
  measured once more, with three times as many rounds.
* **Found** is a ratio, the time of the peer divided by ours (above 1× we are faster); or an
  exponent, the slope of the time over the size, both as logarithms, with the standard error of that
  line.
* **Demanded** ratios are about half of what an idle machine shows: such times move by a factor of 2
  between runs. Nothing is extrapolated unless the row says so.
* **MB** is the peak of memory: what one call adds to a process that holds the input (ours / theirs;
  at the largest size for an exponent), and the whole process where a row has no peer.
* statsmodels starts Python's garbage collector in every correction. That call does nothing here: it
  would flatter us. Every peer runs in an environment of its own (benchmarks/peers)."""

_HEAD = """\
| job | ours | theirs | found | demanded | MB |
|---|--:|--:|--:|--:|--:|"""


def _where(every: Sequence[Measured], machine: Machine) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in machine.versions.items())
    loads = [one.found["load"] for one in every if one.found]
    minutes = sum(one.found["took_s"] for one in every if one.found) / 60
    return (
        f"Measured on {machine.date}: {machine.processor}, {machine.dgemm:.0f} GFLOP/s in double "
        f"precision on one thread, in {minutes:.0f} minutes at a load of {min(loads):.1f} to "
        f"{max(loads):.1f} processes, the measured one included. {versions}."
    )


def _verdict(every: Sequence[Measured]) -> str:
    asked = [one for one in every if one.met is not None]
    missed = [one for one in asked if one.met is False]
    if not missed:
        return f"All {len(asked)} demands were met."
    return f"{len(asked) - len(missed)} of {len(asked)} demands were met; the others are **bold**."


def _line(measured: Measured) -> str:
    row, demand = measured.row, demand_of(measured.row)
    sizes = sizes_of(row)
    job = f"{row.job}: {sizes}" if sizes else row.job
    job += f"<br>*beside* {row.peer}" if isinstance(row, Ratio) else ""
    if measured.missing:
        cells = [job, "", "", f"not measured: {missing_of(measured)}", demand, ""]
    else:
        ours, theirs, found, memory = _cells(measured)
        demand = f"**{demand}**" if measured.met is False else demand
        cells = [job, ours, theirs, found, demand, memory]
    return f"| {' | '.join(cells)} |"


def _cells(measured: Measured) -> tuple[str, str, str, str]:
    """Ours, theirs, found and memory."""
    row, found = measured.row, measured.found
    match row:
        case Once():
            times = [f"{short(found[key])} {FIELDS[key]}" for key in ("cpu_s", "wall_s")]
            figures = ", ".join(figures_of(measured))
            return ", ".join(times), "", figures, _memory(found["peak_mb"])
        case Growth():
            return times_of(found["seconds"]), "", exponent_of(found), _memory(found["mb"])
        case Ratio():
            memory = _memory(found["ours_mb"], found["peer_mb"])
            ours, theirs = in_time(found["ours"]), in_time(found["peer"])
            return ours, theirs, f"{short(measured.ratio)}×", memory


def _memory(*sizes: float | None) -> str:
    return " / ".join("–" if size is None else f"{size:,.0f}" for size in sizes)


def _growth_table(every: Sequence[Measured]) -> str:
    lines = ["| job | grows with | exponent | size | CPU time | MB |", "|---|---|--:|---|--:|--:|"]
    for one in every:
        if isinstance(one.row, Growth) and one.found:
            cells = (
                one.row.job, one.row.along.replace("_", " "), exponent_of(one.found),
                sizes_of(one.row), times_of(one.found["seconds"]), _memory(one.found["mb"]),
            )  # fmt: skip
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _workers_table(every: Sequence[Measured]) -> str:
    # What a kind of workers costs; other rows of the topic compare whole runs.
    every = [one for one in every if "s to start" in one.found]
    rows = [one for one in every if one.path.startswith("workers.")]
    heads = list(dict.fromkeys(name for one in rows for name in one.found if " " in name))
    lines = [f"| workers | {' | '.join(heads)} |", f"|---|{'--:|' * len(heads)}"]
    for one in rows:
        cells = [short(one.found[head]) if head in one.found else "" for head in heads]
        lines.append(f"| {one.row.job} | {' | '.join(cells)} |")
    return "\n".join(lines)
