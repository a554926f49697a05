"""The page of the VTAB study: published numbers beside ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from rankbars.simulate.study import Cell, Row, Table
from rankbars.simulate.vtabfigures import CAPTIONS

__all__ = ["INTERVAL_TOLERANCE", "RANK_TOLERANCE", "VALUE_TOLERANCE", "agrees", "make_page"]

VALUE_TOLERANCE, INTERVAL_TOLERANCE, RANK_TOLERANCE = 0.1, 0.2, 0.5
"""Points of percent between points and ends of intervals, and ranks between ends."""

_ROUNDING = 1e-9
_RANK_TABLES = (4, 5, 8, 10, 11)
_TITLES = {
    2: "Table 2. Mean accuracy of the six best models, and normalised. 83.4 % intervals.",
    3: "Table 3. Differences among the three best models. 95 % intervals, Bonferroni over three.",
    4: "Table 4. Five ways to aggregate ranks, six best models. 95 % of the draws.",
    5: "Table 5. The same on normalised scores.",
    6: "Table 6. Scores by category, bootstrap. 83.4 % intervals.",
    7: "Table 7. Scores by category, hierarchical model (posterior predictive). 83.4 % intervals.",
    8: "Table 8. Five ways to aggregate ranks, bootstrap. 95 % of the draws.",
    9: "Table 9. Normalised scores by category, bootstrap. 83.4 % intervals.",
    10: "Table 10. Five ways to aggregate ranks of normalised scores. 95 % of the draws.",
    11: "Table 11. Five ways to aggregate ranks, hierarchical model (posterior predictive).",
}


@dataclass(frozen=True, slots=True)
class _Shown:
    published: str
    ours: str
    agrees: bool
    note: str


@dataclass(frozen=True, slots=True)
class _Block:
    title: str
    columns: list[str]
    rows: list[tuple[str, list[_Shown | None]]]
    labels: list[str]


@dataclass(frozen=True, slots=True)
class _Picture:
    name: str
    caption: str
    source: str


def agrees(row: Row) -> bool:
    """Whether a cell is as published, within the tolerances; what is illegible is not compared.

    Examples
    --------
    >>> cell = {"table": 6, "published": 68.0, "ours": 68.1, "published_low": 67.8,
    ...         "ours_low": 67.9, "published_high": 68.1, "ours_high": 68.4}
    >>> agrees(cell), agrees({**cell, "table": 8})
    (False, True)
    """
    ends = RANK_TOLERANCE if row["table"] in _RANK_TABLES else INTERVAL_TOLERANCE
    return (
        _close(row["published"], row["ours"], VALUE_TOLERANCE)
        and _close(row["published_low"], row["ours_low"], ends)
        and _close(row["published_high"], row["ours_high"], ends)
    )


def _close(published: Cell, ours: Cell, tolerance: float) -> bool:
    if isinstance(published, float) and isinstance(ours, float):
        return abs(published - ours) <= tolerance + _ROUNDING
    return True


def make_page(tables: Mapping[str, Table], pictures: Mapping[str, str]) -> str:
    """The page: one file, no network needed.

    Parameters
    ----------
    tables : mapping from str to list of dict
        Those of the study.
    pictures : mapping from str to str
        Source of each picture that was drawn.
    """
    from jinja2 import Environment, StrictUndefined

    template = resources.files("rankbars.simulate").joinpath("vtab.html.j2").read_text("utf-8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    cells = tables["vtab"]
    compared = [row for row in cells if not row["label"]]
    return environment.from_string(template).render(
        blocks=[_block(number, cells) for number in _TITLES],
        pictures=[
            _Picture(name, caption, pictures[name])
            for name, caption in CAPTIONS.items()
            if name in pictures
        ],
        winners=[
            (row["figure"], row["model"], f"{_percent(row['share'])}",
             f"{_percent(row['clear_share'])}")
            for row in tables["vtab_winners"]
            if row["share"]
        ],
        compared=len(compared),
        agreeing=sum(agrees(row) for row in compared),
    ) + "\n"  # fmt: skip


def _block(number: int, cells: Table) -> _Block:
    own = [row for row in cells if row["table"] == number]
    columns = list(dict.fromkeys(str(row["column"]) for row in own))
    by_place = {(row["row"], row["column"]): row for row in own}
    names = list(dict.fromkeys(str(row["row"]) for row in own))
    return _Block(
        _TITLES[number],
        columns,
        [(name, [_shown(by_place.get((name, column))) for column in columns]) for name in names],
        list(dict.fromkeys(str(row["label"]) for row in own if row["label"])),
    )


def _shown(row: Row | None) -> _Shown | None:
    if row is None:
        return None
    return _Shown(
        _text(row["published"], row["published_low"], row["published_high"]),
        _text(row["ours"], row["ours_low"], row["ours_high"]),
        agrees(row),
        str(row["note"]),
    )


def _text(value: Cell, low: Cell, high: Cell) -> str:
    if not isinstance(value, float):
        return "illegible"
    if not (isinstance(low, float) and isinstance(high, float)):
        return f"{value:.1f} (illegible)"
    return f"{value:.1f} ({low:.1f}, {high:.1f})"


def _percent(share: Cell) -> str:
    return f"{100 * share:.1f} %" if isinstance(share, float) else "–"
