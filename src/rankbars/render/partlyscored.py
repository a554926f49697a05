"""Models that lack tasks: placed among those of the board, and who of them may be first."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rankbars.data.board import Leaderboard
from rankbars.data.boardparts import PartlyScored
from rankbars.data.notes import list_words
from rankbars.render.notation import (
    MISSING,
    show_count,
    show_number,
    show_ranks,
    show_scores,
    suitable_decimals,
)
from rankbars.render.ranktable import Head, SideTable
from rankbars.stats.tails import critical_value

__all__ = ["field_words", "may_share_first", "placed_sentence", "placed_table", "screen_sentence"]

_MOST_NAMES = 5
_SUSPECT = 0.05


def placed_table(board: Leaderboard, task: str | None = None) -> SideTable | None:
    """The models that lack tasks, on what is shown first or on one task; None without any.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rng = np.random.default_rng(0)
    >>> tasks = {name: rng.random((40, 4)) + [0, 0, 0, 0.4] for name in ("law", "math", "music")}
    >>> tasks["law"][:, 3] = np.nan
    >>> board = rb.leaderboard(rb.Scores.from_arrays(tasks, list("abcd")))
    >>> [(model, ranks, tasks) for ranks, model, _, tasks in placed_table(board).rows]
    [('d', '1 of 4', '2 of 3')]
    """
    partly = board.partly
    if partly is None:
        return None
    if task is not None:
        return _on_task(board, partly, task)
    decimals = suitable_decimals(*_alike(board))
    rows = tuple(
        (
            f"{show_ranks(int(partly.best[i]), int(partly.worst[i]))} of {partly.field}",
            partly.models[i],
            f"{show_number(float(partly.adjusted[i]), decimals)} adjusted"
            if np.isfinite(partly.adjusted[i])
            else MISSING,
            f"{int(partly.tasks[i])} of {partly.n_tasks}",
        )
        for i in partly.order
    )
    return SideTable(
        _placed_heads(partly, "Adjusted score"),
        rows,
        f"Partly scored: each placed among the {partly.field - 1} models above, by the tasks it "
        "has",
        "Approximate: a place holds if the tasks a model lacks are like those it has. Adjusted: "
        "tasks it lacks are assumed to go as for the others. Where models lacked the tasks that "
        "they failed, 95 % places held in 81 to 87 % of simulations. No row above depends on them.",
        badges=dict.fromkeys(partly.first, "may be first"),
    )


def _placed_heads(partly: PartlyScored, score: str) -> tuple[Head, ...]:
    place = Head(f"Place among {partly.field}", "place")
    return place, Head("Model", "name"), Head(score, "left"), Head("Tasks")


def _alike(board: Leaderboard) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Averages of the board and the lengths of their errors, which say how many digits to show."""
    average = board.aggregate
    if average is None:
        return np.zeros(1), np.zeros(1)
    return average.score, (average.high - average.low) / 2


def _on_task(board: Leaderboard, partly: PartlyScored, task: str) -> SideTable | None:
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
        (
            f"{show_ranks(int(found.best[i]), int(found.worst[i]))} of {partly.field}",
            found.models[i],
            cells[i],
            f"{int(partly.tasks[where[found.models[i]]])} of {partly.n_tasks}",
        )
        for i in order
    )
    level = f"{100 * (1 - partly.alpha):g} %"
    return SideTable(
        _placed_heads(partly, f"Score ± {level}"),
        rows,
        f"Lack other tasks: each placed among the {partly.field - 1} models above on this task",
        f"Each row by itself ({level}, on this task); the average leaves them out of the field.",
        badges={found.models[i]: "may be first" for i in order if found.best[i] == 1},
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
