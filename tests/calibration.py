"""How often what is stated holds: few seeded runs in `make test`, all of them in `make calibrate`.

A test asks its fixture `calibration` for the number of runs, and hands back what it counted. The
tolerance is three standard errors of a share of that many trials, so that few runs are held as
strictly as their number allows. What all runs gave goes into `docs/calibration.md`, with the day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

PAGE = Path(__file__).resolve().parent.parent / "docs" / "calibration.md"

HEAD = """\
---
hide: [toc]
---
<!-- Written by `make calibrate`. Changes by hand are lost. -->

# How often it holds

Data are drawn whose truth is known, and the share of runs is counted in which what is stated
holds. `make calibrate` measures this page anew, with all runs; `make test` makes the same runs, but
fewer of them. A row bears the day on which it was measured; a test without one was not yet measured
with all runs.

* **Stated** is the share that is promised or known; `<` and `>` stand where the point is that
  something does not hold, or does with room to spare.
* **Allowed** is what the test accepts: three standard errors of that many trials, and where trials
  depend on each other a little more.

| test | of what | stated | measured | trials | allowed | day |
|---|---|--:|--:|--:|--:|---|
"""


class Row(NamedTuple):
    """One share that was counted."""

    test: str
    of: str
    stated: str
    measured: str
    trials: str
    allowed: str
    day: str = ""


class Calibration:
    """The runs of one test, and the shares that it counted."""

    def __init__(self, test: str, *, full: bool) -> None:
        self.test, self.full = test, full
        self.rows: list[Row] = []

    def runs(self, few: int, full: int) -> int:
        """How many runs to make."""
        return full if self.full else few

    def within(
        self, hits: float, trials: int, level: float, *, slack: float = 0.0, of: str = ""
    ) -> None:
        """The share is the level."""
        self.near(hits, trials, level, three_errors(level, trials) + slack, of=of)

    def near(self, hits: float, trials: int, level: float, error: float, *, of: str = "") -> None:
        """The share is the level up to this error, whatever the number of trials."""
        share = self._note(hits, trials, of, f"{level:g}", f"± {error:.3f}")
        assert abs(share - level) <= error, share

    def at_least(self, hits: float, trials: int, level: float, *, of: str = "") -> None:
        """The share is the level or more."""
        least = level - three_errors(level, trials)
        share = self._note(hits, trials, of, f"≥ {level:g}", f"≥ {least:.3f}")
        assert share >= least, share

    def at_most(
        self, hits: float, trials: int, level: float, *, errors: float = 3.0, of: str = ""
    ) -> None:
        """The share is the level or less, but for so many standard errors."""
        most = level + three_errors(level, trials) * errors / 3
        share = self._note(hits, trials, of, f"≤ {level:g}", f"≤ {most:.3f}")
        assert share <= most, share

    def below(self, hits: float, trials: int, bound: float, *, of: str = "") -> None:
        """The share stays clear of the bound, whatever the number of trials."""
        share = self._note(hits, trials, of, f"< {bound:g}", f"< {bound:g}")
        assert share < bound, share

    def above(self, hits: float, trials: int, bound: float, *, of: str = "") -> None:
        """The share is clear of the bound, whatever the number of trials."""
        share = self._note(hits, trials, of, f"> {bound:g}", f"> {bound:g}")
        assert share > bound, share

    def _note(self, hits: float, trials: int, of: str, stated: str, allowed: str) -> float:
        share = float(hits / trials)
        self.rows.append(Row(self.test, of, stated, f"{share:.4f}", f"{trials:,}", allowed))
        return share


def three_errors(level: float, trials: int) -> float:
    return float(3 * np.sqrt(level * (1 - level) / trials))


def title_of(nodeid: str) -> str:
    """The name of a test as the page has it: its file, and the words of its name."""
    path, _, name = nodeid.partition("::")
    file = path.removeprefix("tests/").removesuffix(".py").replace("test_", "")
    return f"{file}: {name.removeprefix('test_').replace('_', ' ')}"


def read_rows(text: str) -> list[Row]:
    """The rows of a page."""
    lines = re.findall(r"^\| (.+) \|$", text, re.MULTILINE)[1:]
    return [Row(*line.split(" | ")) for line in lines]


def page_of(rows: Iterable[Row]) -> str:
    """The page with these rows, in order."""
    lines = sorted("| " + " | ".join(row) + " |\n" for row in rows)
    return HEAD + "".join(lines)


def update(page: Path, measured: Mapping[str, Iterable[Row]], day: str) -> None:
    """Write the page: rows of the tests that ran are new, those of others stay."""
    before = read_rows(page.read_text("utf-8")) if page.exists() else []
    kept = [row for row in before if row.test not in measured]
    made = [row._replace(day=day) for rows in measured.values() for row in rows]
    page.write_text(page_of([*kept, *made]), "utf-8")
