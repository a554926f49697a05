"""What became of the rows of a task, as lines of text."""

from __future__ import annotations

import numpy as np

from rankbars.data.board import Leaderboard, TaskResult
from rankbars.render.grid import Pen
from rankbars.render.names import shorten_all, visible
from rankbars.render.rows import task_order

__all__ = ["lost_rows", "outcome_lines", "outcome_sentence"]

_TITLES = ("Scored", "of these 0", "Unscored", "Failed", "Missing")
_ROWS = {"items": "items", "folds": "folds", "runs": "runs", "estimates": "items"}
_LOST = (("errors", "failed"), ("unscored", "unscored"), ("missing", "missing"))
_GAP = 2
_NARROWEST = 8


def outcome_sentence(board: Leaderboard) -> str:
    """The outcomes on all tasks, as one sentence; nothing if every row is scored.

    Examples
    --------
    >>> import rankbars as rb
    >>> scores = rb.Scores.from_arrays({"math": [[1, 0], [0, float("nan")]]}, ["a", "b"])
    >>> outcome_sentence(rb.leaderboard(scores, missing="pairwise"))
    'Of 4 expected scores 1 is missing; 2 of the others are 0.'
    """
    counted = [task.counts for task in board.tasks.values() if task.counts is not None]
    expected = sum(one.expected * len(board.models) for one in counted)
    lost = []
    for name, what in (("errors", "failed"), ("unscored", "ran unscored"), ("missing", "missing")):
        number = sum(int(getattr(one, name).sum()) for one in counted)
        if number:
            verb = "" if what != "missing" else "is " if number == 1 else "are "
            lost.append(f"{number:,} {verb}{what}")
    if not lost:
        return ""
    text = f"Of {expected:,} expected scores {_listed(lost)}"
    if all(one.zeros is not None for one in counted):
        zeros = sum(int(one.zeros.sum()) for one in counted if one.zeros is not None)
        text += f"; {zeros:,} of the others {'is' if zeros == 1 else 'are'} 0"
    return f"{text}."


def lost_rows(board: Leaderboard, model: int) -> str:
    """What became of the rows on which the model at this position has no score, over all tasks.

    Examples
    --------
    >>> import rankbars as rb
    >>> scores = rb.Scores.from_arrays({"math": [[1, 0], [0, float("nan")]]}, ["a", "b"])
    >>> board = rb.leaderboard(scores, missing="pairwise")
    >>> lost_rows(board, 0), lost_rows(board, 1)
    ('', '1 missing')
    """
    counted = [task.counts for task in board.tasks.values() if task.counts is not None]
    numbers = [
        (sum(int(getattr(one, name)[model]) for one in counted), what) for name, what in _LOST
    ]
    return ", ".join(f"{number:,} {what}" for number, what in numbers if number)


def outcome_lines(board: Leaderboard, task: TaskResult, width: int, pen: Pen) -> list[str]:
    """The outcomes on one task, one line per model, best score first.

    Parameters
    ----------
    board : Leaderboard
        The result.
    task : TaskResult
        One of its tasks.
    width : int
        Columns of the terminal.
    pen : Pen
        What the terminal can show.

    Returns
    -------
    list of str
        Nothing where the outcomes are not known.
    """
    from rich.cells import cell_len

    counts = task.counts
    if counts is None:
        return []
    kinds = [counts.scored, counts.zeros, counts.unscored, counts.errors, counts.missing]
    shown = [(title, kind) for title, kind in zip(_TITLES, kinds, strict=True) if kind is not None]
    if not any(np.any(kind) for title, kind in shown if title != "Scored"):
        what = _ROWS.get(task.kind, "rows")
        return [f"All {counts.expected:,} {what} of all models are scored, none of them with 0."]
    room = width - sum(_GAP + len(title) for title, _ in shown)
    order = task_order(task)
    names = shorten_all(
        [pen.known(visible(board.models[i])) for i in order],
        [max(room, _NARROWEST)] * len(order),
        mark=pen.mark,
        measure=cell_len,
    )
    widest = max(cell_len(one) for one in names)
    lines = [f"Outcomes of {counts.expected:,} {_ROWS.get(task.kind, 'rows')}:"]
    lines.append(" " * widest + "".join(f"  {title}" for title, _ in shown))
    for model, i in zip(names, order, strict=True):
        cells = "".join(f"  {int(kind[i]):>{len(title)},}" for title, kind in shown)
        lines.append(model + " " * (widest - cell_len(model)) + cells)
    return lines


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
