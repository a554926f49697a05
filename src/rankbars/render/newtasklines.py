"""What a board says of a new task: in a sentence on one model, of the column, and of its width."""

from __future__ import annotations

import numpy as np

from rankbars.data.board import Leaderboard
from rankbars.render.boardnotes import SHOWN_ELSEWHERE
from rankbars.render.claims import (
    APPROXIMATE,
    NO_GUARANTEE,
    overall_claim,
    says_nothing,
)
from rankbars.render.notation import show_number
from rankbars.render.shownnames import NameWriter, plain_name, visible

__all__ = ["new_task_line", "new_task_sentence", "width_line"]

_TOO_FEW = {
    "items": "too few items",
    "folds": "too few folds",
    "runs": "too few runs",
    "votes": "too few votes",
    "estimates": "scores with errors of their own",
}


def new_task_sentence(board: Leaderboard, model: str, name: NameWriter = plain_name) -> str:
    """What the new-task interval of one model states; empty where there is none."""
    overall = board.overall
    if overall is None:
        return ""
    if overall.trivial:
        return new_task_line(board)
    best, worst = overall[model]
    ranks = f"{best}" if best == worst else f"{best} to {worst}"
    who = f"{name(model)}, if chosen before looking," if overall.scope == "each" else name(model)
    claim = overall_claim(overall)
    where = f"On a {claim.title.lower()}"
    if claim.level == NO_GUARANTEE:
        return f"{where}, {who} may rank {ranks}; this carries no guarantee."
    if overall.approximate:
        return (
            f"{where}, {who} ranks {ranks} ({APPROXIMATE}: on some task the level is not assured)."
        )
    return f"{where}, {who} ranks {ranks} with probability at least {claim.level}."


def new_task_line(board: Leaderboard) -> str:
    """How to read the new-task column, or why there is none; empty for a single task."""
    overall = board.overall
    if len(board.models) == 1:
        return ""
    if overall is None or overall.trivial:
        for note in board.notes:
            if note.code == SHOWN_ELSEWHERE:
                return visible(note.message)
        return "" if overall is None else "Too few tasks for a new-task interval at this level."
    claim = overall_claim(overall)
    if claim.level == NO_GUARANTEE:
        return f"{claim.title}: the intervals carry no guarantee."
    if overall.approximate:
        return f"{claim.title}: {APPROXIMATE}, because on some task the level is not assured."
    if says_nothing(overall):
        return f"{claim.title}: at {claim.level}, every model may rank anywhere."
    subject = "a model chosen before looking ranks within its interval"
    if overall.scope == "all":
        subject = "every model ranks within its interval, all at once,"
    line = f"{claim.title}: {subject} with probability at least {claim.level}."
    if _seems_surer(board):
        line += (
            " Where it is narrower than the ranks beside it, that is no contradiction: it is of "
            "one model at a time, at another level, and tells no two models apart."
        )
    if overall.groups:
        line += " Each category has an interval of its own, on the page and in the board file."
    return line


def _seems_surer(board: Leaderboard) -> bool:
    """Whether nothing is told apart, and new-task intervals exclude ranks all the same."""
    average, overall = board.aggregate, board.overall
    if board.lead != "aggregate" or average is None or overall is None:
        return False
    if (average.scope, overall.scope) != ("all", "each"):
        return False
    size = len(average.models)
    open_ = ((average.best == 1) & (average.worst == size)).all()
    return size > 2 and bool(open_) and not says_nothing(overall)


def width_line(board: Leaderboard) -> str:
    """How much of the new-task width comes from what; empty where that is not known."""
    overall = board.overall
    if overall is None or overall.trivial or overall.spread is None or len(board.models) == 1:
        return ""
    width = float(np.mean(overall.width))
    between = float(np.mean(overall.spread))
    cause = _too_few(board)
    ranks = f"{show_number(width, 1)} {'rank' if width == 1 else 'ranks'}"
    mean = f"On average intervals for a new task reach {ranks} from best to worst"
    if width == 0:
        return ""
    if says_nothing(overall) or overall.method == "observed":
        return f"{mean}."
    # Observed ranks carry noise of their own, so their part is an upper bound.
    if between == 0:
        return f"{mean}, all of it from {cause}."
    if between >= width:
        return f"{mean}; how much of it comes from {cause} cannot be said."
    return (
        f"{mean}: at least {show_number(width - between, 1)} of that from {cause}, at most "
        f"{show_number(between, 1)} because models rank differently on different tasks."
    )


def _too_few(board: Leaderboard) -> str:
    kinds = {task.kind for task in board.tasks.values()}
    return _TOO_FEW[kinds.pop()] if len(kinds) == 1 else "too few rows"
