"""Tables beside the ranks, in words and rows: categories, periods, suspects, lacking models.

Of a category: who may be first in it, and how much stands behind it. Of periods: what changed, and
the strength in each. Models that lack tasks are placed among the models of the board, and marked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.board import Leaderboard
from rankbars.data.boardparts import Change, OverTime, PartlyScored
from rankbars.data.notes import list_words
from rankbars.data.taskresult import CategoryRanks, SuspectGroup, SuspectVoter
from rankbars.render.notation import (
    MISSING,
    counted,
    show_count,
    show_number,
    show_ranks,
    show_scores,
    suitable_decimals,
    visible,
)
from rankbars.stats.tails import critical_value

__all__ = [
    "CATEGORY_TITLES",
    "MOST_CHANGES",
    "CategoryRow",
    "PlacedRow",
    "PlacedTable",
    "SuspectTable",
    "TimeTable",
    "category_rows",
    "field_words",
    "may_share_first",
    "placed_sentence",
    "placed_table",
    "screen_sentence",
    "suspect_tables",
    "time_table",
]

MOST_CHANGES = 10  # rows in text and Markdown

_UNITS = {"day": "by day", "week": "by week", "month": "by month", "date": "before and since a day"}


CATEGORY_TITLES = ("Votes", "Models", "May be first", "Widest ranks")
_MOST_FIRST = 3


_MOST_NAMES = 5
_SUSPECT = 0.05


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """One model that lacks tasks; texts are ready to show, the name is as it was given.

    Parameters
    ----------
    model : str
        The name.
    ranks, score, tasks : str
        Cells: its place in the field of the board and itself, its score, how many tasks it has.
    first : bool
        Whether it may be first.
    """

    model: str
    ranks: str
    score: str
    tasks: str
    first: bool


@dataclass(frozen=True, slots=True)
class PlacedTable:
    """The rows of models that lack tasks.

    Parameters
    ----------
    title, note : str
        What the rows are, and what they rest on.
    rank_title, score_title : str
        Headings.
    rows : tuple of PlacedRow
        One per model, best place first.
    """

    title: str
    note: str
    rank_title: str
    score_title: str
    rows: tuple[PlacedRow, ...]


def placed_table(board: Leaderboard, task: str | None = None) -> PlacedTable | None:
    """The models that lack tasks, on what is shown first or on one task; None without any.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rng = np.random.default_rng(0)
    >>> tasks = {name: rng.random((40, 4)) + [0, 0, 0, 0.4] for name in ("law", "math", "music")}
    >>> tasks["law"][:, 3] = np.nan
    >>> board = rb.leaderboard(rb.Scores.from_arrays(tasks, list("abcd")))
    >>> [(row.model, row.ranks, row.tasks) for row in placed_table(board).rows]
    [('d', '1 of 4', '2 of 3')]
    """
    partly = board.partly
    if partly is None:
        return None
    if task is not None:
        return _on_task(board, partly, task)
    decimals = suitable_decimals(*_alike(board))
    rows = tuple(
        PlacedRow(
            partly.models[i],
            f"{show_ranks(int(partly.best[i]), int(partly.worst[i]))} of {partly.field}",
            f"{show_number(float(partly.adjusted[i]), decimals)} adjusted"
            if np.isfinite(partly.adjusted[i])
            else MISSING,
            f"{int(partly.tasks[i])} of {partly.n_tasks}",
            bool(partly.may_be_first[i]),
        )
        for i in partly.order
    )
    among = f"the {partly.field - 1} models above"
    return PlacedTable(
        f"Partly scored: each placed among {among}, by the tasks it has",
        "Approximate: a place holds if the tasks a model lacks are like those it has. Adjusted: "
        "tasks it lacks are assumed to go as for the others. Where models lacked the tasks that "
        "they failed, 95 % places held in 81 to 87 % of simulations. No row above depends on them.",
        f"Place among {partly.field}",
        "Adjusted score",
        rows,
    )


def _alike(board: Leaderboard) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Averages of the board and the lengths of their errors, which say how many digits to show."""
    average = board.aggregate
    if average is None:
        return np.zeros(1), np.zeros(1)
    return average.score, (average.high - average.low) / 2


def _on_task(board: Leaderboard, partly: PartlyScored, task: str) -> PlacedTable | None:
    found = next((one for one in partly.by_task if one.name == task), None)
    if found is None:
        return None
    half = float(critical_value(partly.alpha / 2, np.inf)) * np.where(
        found.se > 0, found.se, np.nan
    )
    cells = show_scores(found.mean, found.mean - half, found.mean + half)
    where = {name: i for i, name in enumerate(partly.models)}
    order = np.lexsort((np.arange(found.best.size), found.best, found.best + found.worst))
    rows = tuple(
        PlacedRow(
            found.models[i],
            f"{show_ranks(int(found.best[i]), int(found.worst[i]))} of {partly.field}",
            cells[i],
            f"{int(partly.tasks[where[found.models[i]]])} of {partly.n_tasks}",
            bool(found.best[i] == 1),
        )
        for i in order
    )
    level = f"{100 * (1 - partly.alpha):g} %"
    return PlacedTable(
        f"Lack other tasks: each placed among the {partly.field - 1} models above on this task",
        f"Each row by itself ({level}, on this task); the average leaves them out of the field.",
        f"Place among {partly.field}",
        f"Score ± {level}",
        rows,
    )


def field_words(board: Leaderboard, where: str) -> str:
    """What the sentence at the top is about: the models scored everywhere, if some are not."""
    if board.partly is None:
        return where
    count = board.partly.n_tasks
    about = f"{where[0].lower()}{where[1:]}".replace(f"these {count} tasks", "them")
    return f"Among the {len(board.models)} models scored on all {count} tasks, {about}"


def may_share_first(board: Leaderboard) -> bool:
    """Whether a model that lacks tasks may be first, too."""
    return board.partly is not None and bool(board.partly.may_be_first.any())


def placed_sentence(board: Leaderboard, name: Callable[[str], str]) -> str:
    """What is known of who lacks tasks and first place; empty where nobody lacks any."""
    partly = board.partly
    if partly is None:
        return ""
    first = partly.first
    count = len(partly.models)
    if count == 1:
        one, it = name(partly.models[0]), "if the tasks it lacks are like those it has"
        has = f"{one} is partly scored ({int(partly.tasks[0])} of {partly.n_tasks} tasks)"
        if first:
            return f"{has} and may be first, too, {it}."
        return f"{has} and is shown worse than at least one of them, {it}."
    if_alike = "if the tasks they lack are like those they have"
    head = f"Of {show_count(count)} partly scored models, "
    if not first:
        return f"{head}none may be first, {if_alike}."
    return (
        f"{head}{show_count(len(first))} may be first, too, {if_alike}: "
        f"{list_words([name(one) for one in first], _MOST_NAMES)}."
    )


def screen_sentence(board: Leaderboard) -> str:
    """Whether the tasks that models lack differ from the rest; empty where nothing was seen."""
    partly = board.partly
    if partly is None or partly.lean is None or partly.lean_p is None:
        return ""
    if partly.lean_p > _SUSPECT:
        return ""
    which = "easier" if partly.lean > 0 else "harder"
    return (
        f"The tasks that partly scored models lack are {which} than the rest "
        f"(p = {partly.lean_p:.2g}), so their gaps are hardly by chance: read their places with "
        "care."
    )


class CategoryRow(NamedTuple):
    """One category in a table of all of them, and the ranks of its models.

    Attributes
    ----------
    title : str
        What it is called.
    cells : tuple of str
        What stands under `CATEGORY_TITLES`.
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
        return CategoryRow(title, (votes, "–", "–", "–"), (), f"{title}: {one.reason}")
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
        title, (votes, str(len(one.models)), shown, _span(*widest)), tuple(_ranks(one)), remark
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
            _span(int(one.task.best[k]), int(one.task.worst[k])), visible(one.models[k]),
            f"{value[k]:.{digits}f}{spread}",
        ))  # fmt: skip
    return rows


def _span(best: int, worst: int) -> str:
    return str(best) if best == worst else f"{best}–{worst}"


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
    left : str
        How many models stand in the board file only, where `MOST_CHANGES` are shown; or empty.
    remarks : tuple of str
        Periods without strengths, and why.
    """

    title: str
    titles: tuple[str, str, str, str]
    changes: tuple[tuple[str, str, str, str, str], ...]
    periods: tuple[str, ...]
    strengths: tuple[tuple[str, tuple[str, ...]], ...]
    left: str
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
        _left(len(order) - MOST_CHANGES, "model"),
        tuple(f"{one.name}: no strengths; {one.reason}" for one in found.periods if one.reason),
    )  # fmt: skip


def _left(number: int, noun: str) -> str:
    if number <= 0:
        return ""
    verb = "stands" if number == 1 else "stand"
    return f"{counted(number, f'more {noun}')} {verb} in the board file."


def _change(one: Change | None) -> tuple[str, str, str]:
    if one is None:
        return "–", "–", "–"
    if not np.isfinite(one.se):
        return f"{one.value:+.2f}", "–", "–"
    return f"{one.value:+.2f}", f"{one.low:+.2f} to {one.high:+.2f}", _chance(one.p)


def _chance(p: float) -> str:
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


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


class SuspectTable(NamedTuple):
    """Voters, periods or prompts whose votes do not fit those of the others.

    Attributes
    ----------
    title : str
        What it is called.
    titles : tuple of str
        Heads of the columns.
    rows : tuple of tuple of str
        Who, votes, habit, the votes that it is about, share won and expected, p-value, and by how
        many ranks a model moves without this one alone; those that fit least first.
    moved : tuple of (str, str, str)
        Model, its rank where all votes count, and its rank without all of these voters.
    """

    title: str
    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    moved: tuple[tuple[str, str, str], ...]


def suspect_tables(board: Leaderboard) -> tuple[SuspectTable, ...]:
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
        voters = task.suspects
        if voters is not None:
            rows = [_suspect(one.voter, one) for one in voters.voters]
            moved = tuple(
                (visible(one.model), str(one.counted), str(one.without))
                for one in voters.moved or ()
            )
            tables.append(_suspect_table(f"Voters{where}", "Voter", rows, moved))
        for kind in ("period", "prompt"):
            rows = [
                _suspect(one.name, one) for one in task.suspect_groups or () if one.kind == kind
            ]
            if rows:
                tables.append(
                    _suspect_table(f"{kind.capitalize()}s{where}", kind.capitalize(), rows)
                )
    return tuple(tables)


def _suspect_table(
    who: str, head: str, rows: list[tuple[str, ...]], moved: tuple[tuple[str, str, str], ...] = ()
) -> SuspectTable:
    heads = (head, "Votes", "What is odd", "About", "Won", "Expected", "p", "Moves")
    return SuspectTable(
        f"{who} whose votes do not fit those of the others", heads, tuple(rows), moved
    )


def _suspect(name: str, one: SuspectVoter | SuspectGroup) -> tuple[str, ...]:
    habit = {"order": "against the order", "position": "by position"}.get(one.habit)
    return (
        visible(name), show_count(one.votes), habit or f"{one.habit} {visible(one.model or '')}",
        show_count(one.about), f"{one.won:.0%}", f"{one.expected:.0%}", _chance(one.p),
        "–" if one.moves is None else show_count(one.moves),
    )  # fmt: skip
