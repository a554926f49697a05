"""Ranks on a new task that were made of a board: as lines of text, and as plain values."""

from __future__ import annotations

import textwrap
from typing import Any

from rankbars.data.board import Leaderboard
from rankbars.data.boardfile import KEYS
from rankbars.data.intervals import RankIntervals
from rankbars.data.plain import to_plain
from rankbars.render.claims import overall_claim
from rankbars.render.notation import counted, shorten_all, show_ranks, visible

__all__ = ["predicted_to_dict", "render_predicted"]

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
    names = shorten_all([visible(board.models[i]) for i in order], [_NAME_WIDTH] * len(order))
    rows = [["Model", *(visible(title) for title in columns)]]
    for name, i in zip(names, order, strict=True):
        ranks = [show_ranks(int(one.best[i]), int(one.worst[i])) for one in columns.values()]
        rows.append([name, *ranks])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    tasks = counted(len(board.tasks), "task")
    said = [f"{claim.title}: {claim.words} ({found.method} merge of {tasks} at {found.alpha:g})."]
    after = [*found.assumptions, *(note.message for note in found.notes)]
    return "\n".join([*_wrapped(said), "", *lines, "", *_wrapped(after)]) + "\n"


def _wrapped(sentences: list[str]) -> list[str]:
    return [line for text in sentences for line in textwrap.wrap(text, _WIDTH)]


def predicted_to_dict(found: RankIntervals) -> dict[str, Any]:
    """The intervals as a dict of lists, strings and numbers, keys as under `overall` in a board."""
    plain = to_plain(found, KEYS, RankIntervals, found.models)
    notes = [{"code": note.code, "message": note.message} for note in found.notes]
    return {"models": list(found.models), **plain, "notes": notes}
