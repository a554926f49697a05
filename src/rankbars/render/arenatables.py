"""Tables of votes beside the ranks: categories, strengths over time, votes that do not fit.

Of a category: who may be first in it, and how much stands behind it. Of periods: what changed, and
the strength in each.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rankbars.data.board import Leaderboard
from rankbars.data.boardparts import CategoryRanks, Change, OverTime
from rankbars.data.notes import list_words
from rankbars.data.suspects import MovedModel, SuspectVotes
from rankbars.render.notation import MISSING, counted, show_count, show_ranks
from rankbars.render.ranktable import Head, SideTable
from rankbars.render.shownnames import visible

__all__ = [
    "CategoryRow",
    "SuspectTables",
    "TimeTables",
    "category_rows",
    "category_table",
    "change_table",
    "suspect_tables",
    "time_tables",
]

_MOST_CHANGES = 10  # rows in text and Markdown
_MOST_FIRST = 3
_UNITS = {"day": "by day", "week": "by week", "month": "by month", "date": "before and since a day"}


class CategoryRow(NamedTuple):
    """One category in a table of all of them, and the ranks of its models.

    Attributes
    ----------
    title : str
        What it is called.
    cells : tuple of str
        Votes, models, which may be first, and the widest ranks.
    ranks : tuple of (str, str, str)
        Ranks, model and strength, the best first.
    remark : str
        Why nothing is ranked, or which models are left out; empty where nothing must be said.
    """

    title: str
    cells: tuple[str, str, str, str]
    ranks: tuple[tuple[str, str, str], ...]
    remark: str


def category_rows(board: Leaderboard) -> tuple[CategoryRow, ...]:
    """The categories of a board in their order; the board itself is the first of them.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> category_rows(rb.leaderboard(rb.Scores.from_arrays({"x": np.eye(3)}, ["a", "b", "c"])))
    ()
    """
    if not board.categories:
        return ()
    (whole,) = board.tasks.values()
    adjusted = () if whole.effects is None else whole.effects.names
    first = CategoryRanks("", adjusted, whole.n, board.models, (), whole)
    return tuple(_row(one) for one in (first, *board.categories))


def _row(one: CategoryRanks) -> CategoryRow:
    title = visible(one.title)
    votes = f"{one.votes:,}"
    if one.task is None:
        return CategoryRow(title, (votes, MISSING, MISSING, MISSING), (), f"{title}: {one.reason}")
    remark = ""
    if one.left_out:
        names = list_words(map(visible, one.left_out), 5)
        remark = (
            f"{title}: {names} left out, because its "
            "votes do not put them on one scale with the others."
        )
    shown = f"{len(one.first)} models"
    if len(one.first) <= _MOST_FIRST:
        shown = ", ".join(visible(name) for name in one.first)
    widest = one.widest or (1, 1)
    return CategoryRow(
        title, (votes, str(len(one.models)), shown, show_ranks(*widest)), tuple(_ranks(one)), remark
    )


def _ranks(one: CategoryRanks) -> list[tuple[str, str, str]]:
    if one.task is None:
        return []
    value, low, high = one.task.ratings()
    digits = 2 if one.task.elo is None else 0
    rows = []
    for k in np.lexsort((one.task.best + one.task.worst, -one.task.mean)).tolist():
        half = (high[k] - low[k]) / 2
        spread = f" ±{half:.{digits}f}" if np.isfinite(half) else ""
        rows.append((
            show_ranks(int(one.task.best[k]), int(one.task.worst[k])), visible(one.models[k]),
            f"{value[k]:.{digits}f}{spread}",
        ))  # fmt: skip
    return rows


def category_table(board: Leaderboard) -> SideTable | None:
    """The categories of a board, one below the other; None without any."""
    rows = category_rows(board)
    if not rows:
        return None
    heads = (
        Head("Category", "name"), Head("Votes"), Head("Models"), Head("May be first", "name"),
        Head("Widest ranks"),
    )  # fmt: skip
    said = tuple((row.remark,) for row in rows if row.remark)
    return SideTable(heads, tuple((row.title, *row.cells) for row in rows), below=said)


class TimeTables(NamedTuple):
    """What is shown of strengths over time.

    Attributes
    ----------
    title : str
        What they are called.
    changes : SideTable
        Model, first period with votes, change, its interval, p-value; the smallest p-value first.
    strengths : SideTable
        Strength of each model in each period, with half the width of its band.
    remarks : tuple of str
        Periods without strengths, and why.
    """

    title: str
    changes: SideTable
    strengths: SideTable
    remarks: tuple[str, ...]


def time_tables(board: Leaderboard) -> TimeTables | None:
    """Strengths over time of a board; None where nobody asked for them.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> time_tables(rb.leaderboard(rb.Scores.from_arrays({"x": np.eye(3)}, list("abc")))) is None
    True
    """
    found = board.over_time
    if found is None:
        return None
    first = dict.fromkeys(found.models, found.periods[0].name) | found.arrivals
    tested = {one.model: one for one in found.changes}
    order = [*tested, *(model for model in found.models if model not in tested)]
    since = f"Change since {found.since}" if found.since else "Change"
    interval = f"{100 - 100 * found.alpha:g} % interval"
    model = Head("Model", "name")
    return TimeTables(
        f"Strengths {_UNITS[found.unit]}",
        SideTable(
            (model, Head("First votes", "words"), Head(since), Head(interval), Head("p")),
            tuple((visible(one), first[one], *_change(tested.get(one))) for one in order),
        ),
        SideTable((model, *(Head(one.name) for one in found.periods)), tuple(_strengths(found))),
        tuple(f"{one.name}: no strengths; {one.reason}" for one in found.periods if one.reason),
    )


def change_table(board: Leaderboard) -> SideTable | None:
    """The surest changes over time, with what is not shown; None where nobody asked for them."""
    found = time_tables(board)
    if found is None:
        return None
    more = len(found.changes.rows) - _MOST_CHANGES
    left = f"{counted(more, 'more model')} {'stands' if more == 1 else 'stand'} in the board file."
    said = ([left] if more > 0 else []) + list(found.remarks)
    rows = found.changes.rows[:_MOST_CHANGES]
    return replace(found.changes, rows=rows, below=tuple((one,) for one in said))


def _change(one: Change | None) -> tuple[str, str, str]:
    if one is None:
        return MISSING, MISSING, MISSING
    if not np.isfinite(one.se):
        return f"{one.value:+.2f}", MISSING, MISSING
    return f"{one.value:+.2f}", f"{one.low:+.2f} to {one.high:+.2f}", _chance(one.p)


def _chance(p: float) -> str:
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def _strengths(found: OverTime) -> list[tuple[str, ...]]:
    """Models by their last known strength, and a cell for each period."""
    values = np.array([one.strength for one in found.periods])
    half = np.array([(one.high - one.low) / 2 for one in found.periods])
    last = np.full(values.shape[1], -np.inf)
    for row in values:
        last = np.where(np.isfinite(row), row, last)
    rows = []
    for k in np.argsort(-last, kind="stable").tolist():
        cells = [
            MISSING if np.isnan(value) else f"{value:.2f} ±{width:.2f}"
            for value, width in zip(values[:, k], half[:, k], strict=True)
        ]
        rows.append((visible(found.models[k]), *cells))
    return rows


class SuspectTables(NamedTuple):
    """Voters, periods or prompts whose votes do not fit those of the others.

    Attributes
    ----------
    found : SideTable
        Who, votes, habit, the votes that it is about, share won and expected, p-value, and by how
        many ranks a model moves without this one alone; those that fit least first.
    moved : SideTable
        Model, its rank where all votes count, and its rank without all of these voters.
    """

    found: SideTable
    moved: SideTable


def suspect_tables(board: Leaderboard) -> tuple[SuspectTables, ...]:
    """Whose votes do not fit, as it stands in the board file; nothing where nobody is named.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> suspect_tables(rb.leaderboard(rb.Scores.from_arrays({"x": np.eye(3)}, list("abc"))))
    ()
    """
    tables = []
    for task in board.tasks.values():
        where = f" ({visible(task.name)})" if len(board.tasks) > 1 else ""
        groups = task.suspect_groups or ()
        moved: tuple[MovedModel, ...] = ()
        rows = {
            kind: [_suspect(one.name, one) for one in groups if one.kind == kind]
            for kind in ("voter", "period", "prompt")
        }
        if task.suspects is not None:
            rows["voter"] = [_suspect(one.name, one) for one in task.suspects.voters]
            moved = task.suspects.moved or ()
        for kind, found in rows.items():
            if not found:
                continue
            heads = (
                Head(kind.capitalize(), "name"), Head("Votes"), Head("What is odd", "words"),
                *map(Head, ("About", "Won", "Expected", "p", "Moves")),
            )  # fmt: skip
            title = f"{kind.capitalize()}s{where} whose votes do not fit those of the others"
            ranks = [
                (visible(one.model), str(one.counted), str(one.without))
                for one in (moved if kind == "voter" else ())
            ]
            without = (Head("Model", "name"), Head("all votes"), Head("without"))
            tables.append(
                SuspectTables(
                    SideTable(heads, tuple(found), title), SideTable(without, tuple(ranks))
                )
            )
    return tuple(tables)


def _suspect(name: str, one: SuspectVotes) -> tuple[str, ...]:
    habit = {"order": "against the order", "position": "by position"}.get(one.habit)
    return (
        visible(name), show_count(one.votes), habit or f"{one.habit} {visible(one.model or '')}",
        show_count(one.about), f"{one.won:.0%}", f"{one.expected:.0%}", _chance(one.p),
        MISSING if one.moves is None else show_count(one.moves),
    )  # fmt: skip
