"""The table that every format shows: its rows, their order, and the notes that they point to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from rankbars.calls import check_name
from rankbars.data.board import Leaderboard, TaskResult
from rankbars.data.taskresult import Ratings
from rankbars.render.boardnotes import Remark, few_remarks
from rankbars.render.claims import (
    Claim,
    average_title,
    lead_claim,
    level_words,
    new_task_claim,
    task_claim,
)
from rankbars.render.notation import (
    show_level,
    show_number,
    show_ranks,
    show_scores,
    show_share,
    suitable_decimals,
    written_decimals,
)

if TYPE_CHECKING:
    from rankbars.data.aggregate import Aggregate

__all__ = [
    "Head",
    "Row",
    "SideTable",
    "Table",
    "board_table",
    "score_title",
    "take_task",
    "task_decimals",
    "task_order",
    "task_score_note",
    "task_scores",
    "task_table",
]


class Row(NamedTuple):
    """One model; texts are ready to show, the name is as it was given.

    Parameters
    ----------
    model : str
        The name.
    best, worst : int
        Rank interval on what the table is about.
    ranks, score, tier, coverage : str
        Cells.
    new_best, new_worst : int, optional
        Rank interval on a new task; None where the table has no such column.
    new_ranks : str
        Its cell.
    marks : tuple of int
        Numbers of the remarks that concern this model.
    """

    model: str
    best: int
    worst: int
    ranks: str
    score: str
    tier: str = ""
    coverage: str = ""
    new_best: int | None = None
    new_worst: int | None = None
    new_ranks: str = ""
    marks: tuple[int, ...] = ()


class Further(NamedTuple):
    """A column that a table may have: the field of its rows, its title, and what it states."""

    field: Literal["tier", "new_ranks", "coverage"]
    title: str
    claim: Claim | None = None


class Table(NamedTuple):
    """Rows, best score first, with what their columns state.

    Parameters
    ----------
    claim : Claim
        What the rank intervals state.
    new_claim : Claim, optional
        What the new-task intervals state; None = no such column.
    score_title, score_note : str
        Heading of the score and what stands behind the ``±``.
    score_line : str
        For whom the intervals of the scores hold, as a sentence; empty without any.
    has_tiers, has_coverage : bool
        Whether these columns say anything.
    rows : tuple of Row
        One per model.
    remarks : tuple of Remark
        Notes; rows carry their numbers.
    """

    claim: Claim
    new_claim: Claim | None
    score_title: str
    score_note: str
    score_line: str
    has_tiers: bool
    has_coverage: bool
    rows: tuple[Row, ...]
    remarks: tuple[Remark, ...]

    @property
    def n_models(self) -> int:
        """How many ranks there are."""
        return len(self.rows)

    @property
    def further(self) -> list[Further]:
        """The columns behind rank, model and score that say anything, in their order."""
        found = [Further("tier", "Tier")] if self.has_tiers else []
        if self.new_claim is not None:
            found.append(Further("new_ranks", self.new_claim.title, self.new_claim))
        return [*found, Further("coverage", "Scored")] if self.has_coverage else found


class Head(NamedTuple):
    """A column of a table beside the main one.

    Attributes
    ----------
    title : str
        What stands above it.
    kind : {"number", "left", "name", "place", "words"}
        What its cells are: numbers that end together, or begin together; names as they were given;
        ranks that rest on the tasks a model has; or words, with names in them as they are seen.
    foreign : bool
        Whether the title is somebody else's word.
    """

    title: str
    kind: Literal["number", "left", "name", "place", "words"] = "number"
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class SideTable:
    """A table beside the main one, with what is said of it; every format shows it.

    Parameters
    ----------
    heads : tuple of Head
        Its columns; in the first one of names stands what a row is about.
    rows : tuple of tuple of str
        Cells, ready to show.
    title, note : str
        What it shows, without a full stop, and what must be known to read it; each may be empty.
    listed : tuple of str
        A sentence, and what is listed below it.
    below : tuple of tuple of str
        Sentences below, in paragraphs.
    badges : mapping from name to str
        What stands beside a name.
    """

    heads: tuple[Head, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    note: str = ""
    listed: tuple[str, ...] = ()
    below: tuple[tuple[str, ...], ...] = ()
    badges: Mapping[str, str] = field(default_factory=dict)

    @property
    def named(self) -> int:
        """The place of the column that says what a row is about."""
        return next(k for k, head in enumerate(self.heads) if head.kind == "name")


def board_table(board: Leaderboard, remarks: tuple[Remark, ...] | None = None) -> Table:
    """The main table of a board.

    Parameters
    ----------
    board : Leaderboard
        The result.
    remarks : tuple of Remark, optional
        Notes to mark rows with; `few_remarks` of the board where not given.
    """
    if remarks is None:
        remarks = few_remarks(board)
    if board.lead == "task":
        return task_table(board, next(iter(board.tasks)), remarks)
    scores, title, note = _lead_scores(board)
    overall, average = board.overall, board.aggregate
    if average is not None and average.is_range:
        average = None
    best, worst = board.ranks
    new_claim = None if board.lead == "new_task" else new_task_claim(board)
    tier, coverage = board.tier, board.coverage
    rows = []
    for i in board.order:
        row = Row(
            model=board.models[i],
            best=int(best[i]),
            worst=int(worst[i]),
            ranks=show_ranks(int(best[i]), int(worst[i])),
            score=scores[i],
            tier=str(tier[i]),
            coverage=show_share(float(coverage[i])),
            marks=_marks(board.models[i], remarks),
        )
        if overall is not None and new_claim is not None:
            new = int(overall.best[i]), int(overall.worst[i])
            row = row._replace(new_best=new[0], new_worst=new[1], new_ranks=show_ranks(*new))
        rows.append(row)
    return Table(
        claim=lead_claim(board),
        new_claim=new_claim,
        score_title=title,
        score_note=note,
        score_line=_score_line(scores, average) + _beyond_line(average),
        has_tiers=bool(board.tiers) and board.lead != "new_task" and len(board.models) > 1,
        has_coverage=bool((coverage < 1.0).any()),
        rows=tuple(rows),
        remarks=remarks,
    )


def task_table(board: Leaderboard, name: str, remarks: tuple[Remark, ...] | None = None) -> Table:
    """The table of one task, best score on it first.

    Raises
    ------
    UnknownOptionError
        If there is no such task.
    """
    task, tier = take_task(board, name), board.tier
    if remarks is None:
        remarks = few_remarks(board, name)
    scores = task_scores(task)
    tiers = board.lead == "task" and bool(board.tiers) and len(board.models) > 1
    rows = tuple(
        Row(
            model=board.models[i],
            best=int(task.best[i]),
            worst=int(task.worst[i]),
            ranks=show_ranks(int(task.best[i]), int(task.worst[i])),
            score=scores[i],
            tier=str(tier[i]) if tiers else "",
            coverage=show_share(float(task.scored_share[i])),
            marks=_marks(board.models[i], remarks),
        )
        for i in task_order(task)
    )
    return Table(
        claim=lead_claim(board) if board.lead == "task" else task_claim(task),
        new_claim=None,
        score_title=score_title(task),
        score_note=task_score_note(task),
        score_line=_score_line(scores, task),
        has_tiers=tiers,
        has_coverage=bool((task.scored_share < 1.0).any()),
        rows=rows,
        remarks=remarks,
    )


def score_title(task: TaskResult) -> str:
    """What the scores of a task are called."""
    if task.kind != "votes":
        return "Score"
    return "Log strength" if task.elo_anchor is None else f"Elo ({task.elo_anchor})"


def task_scores(task: TaskResult) -> list[str]:
    """The scores of a task as they are shown, each with its own interval, in the models' order.

    Scores that were published are shown with no more digits than they were published with.
    """
    value, low, high = _task_interval(task)
    return show_scores(value, low, high, _published_decimals(task))


def task_score_note(task: TaskResult) -> str:
    """What stands behind the ``±`` of the scores of a task, and which side is better."""
    level = level_words(task.alpha, task)
    known = np.isfinite(_task_interval(task).low).any()
    words = f"± {level}" if known else "no error known"
    if "[" in "".join(task_scores(task)):
        words = f"{level} interval"
    return _with_direction(words, task.direction)


def task_decimals(task: TaskResult) -> int | None:
    """Decimals of the scores of a task in its own units (of votes, log strengths)."""
    low, high = task.score_interval()
    return suitable_decimals(task.mean, (high - low) / 2, _published_decimals(task))


def _task_interval(task: TaskResult) -> Ratings:
    return task.ratings() if task.kind == "votes" else Ratings(task.mean, *task.score_interval())


def _published_decimals(task: TaskResult) -> int | None:
    return written_decimals(task.mean) if task.kind == "estimates" else None


def take_task(board: Leaderboard, name: str) -> TaskResult:
    """The task called `name`; raises `UnknownOptionError`."""
    check_name("task", name, board.tasks)
    return board.tasks[name]


def task_order(task: TaskResult) -> tuple[int, ...]:
    """Positions of the models, best score on the task first; equal scores in order of names."""
    score = task.mean if task.direction == "higher" else -task.mean
    known = np.where(np.isnan(score), -np.inf, score)
    return tuple(int(i) for i in np.lexsort((np.arange(known.size), -known)))


def _lead_scores(board: Leaderboard) -> tuple[list[str], str, str]:
    average = board.aggregate
    if board.lead == "aggregate" and average is not None:
        cells = show_scores(average.score, average.low, average.high)
        level = level_words(average.alpha, average)
        error = f"± {level}" if "±" in "".join(cells) else f"{level} interval"
        if average.is_range:
            error = f"{error.removesuffix(' interval')} of draws"
        if np.isnan(average.low).all():
            error = ""
        return cells, average_title(average), _with_direction(error, average.direction)
    cells = [show_number(float(rank), 2) for rank in -board.score]
    return cells, "Mean rank", "as observed, lower is better"


def _score_line(cells: Iterable[str], result: TaskResult | Aggregate | None) -> str:
    """For whom the intervals hold that stand behind scores; empty without intervals."""
    shown = "".join(cells)
    if result is None or ("±" not in shown and "[" not in shown):
        return ""
    where = "Behind ±" if "±" in shown else "In brackets"
    what = "approximate" if result.approximate else show_level(result.alpha)
    return f"{where}: each model's own {what} interval, not for all models at once."


def _beyond_line(average: Aggregate | None) -> str:
    """What it means that an interval holds scores that there may not be; empty elsewhere."""
    if average is None or average.over != "tasks" or not _leaves_scale(average):
        return ""
    return " Where it leaves the scale of the scores, the tasks are too few to say more."


def _leaves_scale(average: Aggregate) -> bool:
    """Whether scores all lie between 0 and 1 or 0 and 100, and ends of intervals do not."""
    known = ~np.isnan(average.low + average.high + average.score)
    score, low, high = (one[known] for one in (average.score, average.low, average.high))
    top = 1.0 if (score <= 1.0).all() else 100.0
    inside = bool(((score >= 0.0) & (score <= top)).all())
    return inside and bool(((low < 0.0) | (high > top)).any())


def _with_direction(words: str, direction: str) -> str:
    if direction == "higher":
        return words
    return f"{words}, lower is better" if words else "lower is better"


def _marks(model: str, remarks: tuple[Remark, ...]) -> tuple[int, ...]:
    return tuple(
        remark.number for remark in remarks if remark.number is not None and model in remark.models
    )
