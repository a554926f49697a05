"""Ranks on a new task, and on tasks that were held out: as lines of text, and as plain values."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np

from rankbars.data.board import Leaderboard
from rankbars.data.boardfile import KEYS
from rankbars.data.diagnosis import HeldOut
from rankbars.data.intervals import RankIntervals
from rankbars.data.plain import to_plain
from rankbars.render.claims import overall_claim
from rankbars.render.notation import counted, shorten_all, show_ranks, visible

__all__ = [
    "held_out_to_dict",
    "predicted_to_dict",
    "render_held_out",
    "render_predicted",
    "wrapped",
]

_WIDTH, _NAME_WIDTH = 80, 40


def render_predicted(board: Leaderboard, found: RankIntervals) -> str:
    """Rank intervals for a new task as lines of text.

    Parameters
    ----------
    board : Leaderboard
        What they were made of; models stand in its order.
    found : RankIntervals
        From `rankbars.predict`.

    Returns
    -------
    str
        What is stated, with what probability; the rank of each model, by category where there are
        categories; and what must hold.
    """
    claim = overall_claim(found)
    order = board.order
    columns = {"Rank": found} | dict(found.groups or {})
    rows = [["Model", *(visible(title) for title in columns)]]
    for name, i in zip(_names(board), order, strict=True):
        ranks = [show_ranks(int(one.best[i]), int(one.worst[i])) for one in columns.values()]
        rows.append([name, *ranks])
    lines = _in_columns(rows)
    tasks = counted(len(board.tasks), "task")
    said = [f"{claim.title}: {claim.words} ({found.method} merge of {tasks} at {found.alpha:g})."]
    after = [*found.assumptions, *(note.message for note in found.notes)]
    return "\n".join([*wrapped(said), "", *lines, "", *wrapped(after)]) + "\n"


def render_held_out(found: HeldOut) -> str:
    """How ranks on tasks that were held out lie to those for a new task, as lines of text.

    Parameters
    ----------
    found : HeldOut
        From `rankbars.hold_out`.

    Returns
    -------
    str
        The share that lies within and how large it should be; then, for each model, its interval
        for a new task, how many of those on held-out tasks lie within it, how many have a rank in
        common with it, and between which ranks all of them lie.
    """
    board, count = found.board, len(found.tasks)
    inside, meets = found.inside.sum(axis=0), found.meets.sum(axis=0)
    best = np.min([one.best for one in found.tasks.values()], axis=0)
    worst = np.max([one.worst for one in found.tasks.values()], axis=0)
    new = found.new_task
    rows = [["Model", "New task", "Within", "Meet", "Held out"]]
    for name, i in zip(_names(board), board.order, strict=True):
        rows.append([
            name,
            show_ranks(int(new.best[i]), int(new.worst[i])),
            f"{inside[i]}/{count}",
            f"{meets[i]}/{count}",
            show_ranks(int(best[i]), int(worst[i])),
        ])  # fmt: skip
    total = inside.size * count
    error = math.sqrt(found.expected * (1 - found.expected) / count)
    said = [
        f"{counted(count, 'task')} held out; rank intervals for a new task come from the other "
        f"{len(board.tasks)} ({new.method} merge at {new.alpha:g}).",
        f"Of {total} rank intervals on held-out tasks, {int(inside.sum())} "
        f"({100 * found.share:.0f} %) lie within those for a new task, and {int(meets.sum())} "
        f"({100 * float(meets.sum()) / total:.0f} %) have a rank in common with them.",
        f"If tasks are of one kind, at least {100 * found.expected:.1f} % lie within on average; "
        f"of {counted(count, 'task')} the share may be {100 * error:.0f} points off by chance.",
    ]
    return "\n".join([*wrapped(said), "", *_in_columns(rows)]) + "\n"


def held_out_to_dict(found: HeldOut) -> dict[str, Any]:
    """The same as a dict of lists, strings and numbers; lists of models are aligned."""
    tasks = [
        {
            "task": name,
            "best": one.best.tolist(),
            "worst": one.worst.tolist(),
            "inside": inside.tolist(),
            "meets": meets.tolist(),
        }
        for (name, one), inside, meets in zip(
            found.tasks.items(), found.inside, found.meets, strict=True
        )
    ]
    return {
        "models": list(found.models),
        "overall": predicted_to_dict(found.new_task),
        "n_tasks": len(found.board.tasks),
        "held_out": tasks,
        "share": found.share,
        "expected": found.expected,
    }


def _names(board: Leaderboard) -> list[str]:
    names = [visible(board.models[i]) for i in board.order]
    return shorten_all(names, [_NAME_WIDTH] * len(names))


def _in_columns(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def wrapped(sentences: Sequence[str]) -> list[str]:
    """Sentences as lines of at most 80 characters, each beginning a new one."""
    return [
        line for text in sentences for line in textwrap.wrap(text, _WIDTH, break_on_hyphens=False)
    ]


def predicted_to_dict(found: RankIntervals) -> dict[str, Any]:
    """The intervals as a dict of lists, strings and numbers, keys as under `overall` in a board."""
    plain = to_plain(found, KEYS, RankIntervals, found.models)
    notes = [{"code": note.code, "message": note.message} for note in found.notes]
    return {"models": list(found.models), **plain, "notes": notes}
