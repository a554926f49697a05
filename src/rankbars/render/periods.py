"""Strengths over time as tables: what changed, and the strength in each period."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankbars.data.board import Leaderboard
from rankbars.data.overtime import Change, OverTime
from rankbars.render.notation import visible

__all__ = ["MOST_CHANGES", "TimeTable", "time_table"]

MOST_CHANGES = 10  # rows in text and Markdown

_UNITS = {"day": "by day", "week": "by week", "month": "by month", "date": "before and since a day"}


class TimeTable(NamedTuple):
    """What is shown of strengths over time.

    Attributes
    ----------
    title : str
        What it is called.
    titles : tuple of str
        Heads of the columns beside the models.
    changes : tuple of (str, str, str, str, str)
        Model, first period with votes, change, its interval, p-value; the smallest p-value first.
    periods : tuple of str
        Heads of the columns of strengths.
    strengths : tuple of (str, tuple of str)
        Model, and its strength in each period with half the width of its band.
    remarks : tuple of str
        Periods without strengths, and why.
    """

    title: str
    titles: tuple[str, str, str, str]
    changes: tuple[tuple[str, str, str, str, str], ...]
    periods: tuple[str, ...]
    strengths: tuple[tuple[str, tuple[str, ...]], ...]
    remarks: tuple[str, ...]


def time_table(board: Leaderboard) -> TimeTable | None:
    """Strengths over time of a board; None where nobody asked for them.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> time_table(rb.leaderboard(rb.Scores.from_arrays({"x": np.eye(3)}, list("abc")))) is None
    True
    """
    found = board.over_time
    if found is None:
        return None
    first = dict.fromkeys(found.models, found.periods[0].name) | found.arrivals
    tested = {one.model: one for one in found.changes}
    order = [*tested, *(model for model in found.models if model not in tested)]
    return TimeTable(
        f"Strengths {_UNITS[found.unit]}",
        ("First votes", f"Change since {found.since}" if found.since else "Change",
         f"{100 - 100 * found.alpha:g} % interval", "p"),
        tuple((visible(model), first[model], *_change(tested.get(model))) for model in order),
        tuple(one.name for one in found.periods),
        tuple(_strengths(found)),
        tuple(f"{one.name}: no strengths; {one.reason}" for one in found.periods if one.reason),
    )  # fmt: skip


def _change(one: Change | None) -> tuple[str, str, str]:
    if one is None:
        return "–", "–", "–"
    if not np.isfinite(one.se):
        return f"{one.value:+.2f}", "–", "–"
    p = "< .001" if one.p < 0.001 else f"{one.p:.3f}".removeprefix("0")
    return f"{one.value:+.2f}", f"{one.low:+.2f} to {one.high:+.2f}", p


def _strengths(found: OverTime) -> list[tuple[str, tuple[str, ...]]]:
    """Models by their last known strength, and a cell for each period."""
    values = np.array([one.strength for one in found.periods])
    half = np.array([(one.high - one.low) / 2 for one in found.periods])
    last = np.full(values.shape[1], -np.inf)
    for row in values:
        last = np.where(np.isfinite(row), row, last)
    rows = []
    for k in np.argsort(-last, kind="stable").tolist():
        cells = [
            "–" if np.isnan(value) else f"{value:.2f} ±{width:.2f}"
            for value, width in zip(values[:, k], half[:, k], strict=True)
        ]
        rows.append((visible(found.models[k]), tuple(cells)))
    return rows
