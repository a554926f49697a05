"""The verb `continue_looks`: what all looks at growing votes together have shown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankbars.data.board import Leaderboard, TaskResult
from rankbars.data.fields import names_where
from rankbars.data.growingvotes import RunningRecord
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.votes import LOSS, WIN, Votes
from rankbars.errors import DataError, OptionError
from rankbars.stats.orders import tiers
from rankbars.stats.ranks import count_bounds, rank_bounds
from rankbars.steps.corrections import simultaneous_order

__all__ = ["continue_looks"]


def continue_looks(
    board: Leaderboard, scores: Scores, record: RunningRecord | None = None
) -> tuple[Leaderboard, RunningRecord]:
    """The board with everything that this look and all earlier ones have shown.

    Parameters
    ----------
    board : Leaderboard
        Made from `scores` with ``test="e_strength"`` (all votes together) or ``"e_process"``
        (pair by pair), and ``correction="e_average"``.
    scores : Scores
        One task of votes, which holds all votes of the earlier looks.
    record : RunningRecord, optional
        What earlier looks have shown; None at the first one.

    Returns
    -------
    board : Leaderboard
        With the intersection of the rank intervals of all looks.
    record : RunningRecord
        To be handed over at the next look.

    Raises
    ------
    OptionError
        If the board is not valid at any time, or the record was kept at another level.
    DataError
        If earlier votes are missing from `scores`.

    Notes
    -----
    The error rate covers all looks together, so their statements may be collected. "k models are
    better than this one" stays true when further models join.

    Examples
    --------
    >>> import rankbars as rb
    >>> def look(wins, record=None):
    ...     scores = rb.Scores({"arena": rb.Votes(("a", "b"), [[0, wins], [4, 0]])})
    ...     board = rb.leaderboard(scores, test="e_process", correction="e_average")
    ...     return continue_looks(board, scores, record)
    >>> first, record = look(30)
    >>> first.tasks["arena"].worst.tolist(), record.looks
    ([1, 2], 1)
    """
    task, votes = _growing_task(board, scores)
    wins = _win_table(votes)
    if record is not None:
        _refuse_other(record, task, wins, _cluster(board))
    models = board.models
    before = _counts(record, models)
    now = np.stack([task.best - 1, len(models) - task.worst])
    counts = np.maximum(before, now)
    broken = counts.sum(axis=0) > len(models) - 1
    counts[:, broken] = before[:, broken]
    shown = _shown(board, record)
    if task.scope == "all":
        best, worst = rank_bounds(shown)
    else:
        best, worst = count_bounds(counts[0], counts[1])
    contradicted = frozenset(names_where(models, broken))
    if record is not None:
        contradicted |= record.contradicted
    found = RunningRecord(
        task.name,
        task.alpha,
        task.scope,
        1 if record is None else record.looks + 1,
        task.n,
        dict(zip(models, counts[0].tolist(), strict=True)),
        dict(zip(models, counts[1].tolist(), strict=True)),
        frozenset((models[i], models[j]) for i, j in np.argwhere(shown)),
        wins,
        contradicted,
        _cluster(board),
        task.test,
    )
    groups = tiers(board.score, shown, best == 1) if board.tiers else []
    running = replace(
        board,
        tasks={task.name: replace(task, best=best, worst=worst)},
        shown_better=shown,
        tiers=tuple(tuple(models[i] for i in members) for members in groups),
        notes=(*board.notes, *_notes(found)),
    )
    return running, found


def _growing_task(board: Leaderboard, scores: Scores) -> tuple[TaskResult, Votes]:
    task = next(iter(board.tasks.values()))
    votes = scores.tasks.get(task.name)
    valid = task.test in ("e_process", "e_strength") and task.correction == "e_average"
    if len(board.tasks) != 1 or not isinstance(votes, Votes) or not valid:
        raise OptionError(
            "Looks can only be continued for one task of votes, ranked with test='e_strength' or "
            f"'e_process', and correction='e_average'; got {len(board.tasks)} tasks, "
            f"test={task.test!r} and correction={task.correction!r}."
        )
    return task, votes


def _cluster(board: Leaderboard) -> str:
    """What votes are clustered by: it decides which of them count."""
    options = board.spec.votes
    return "none" if options.covariance in ("sandwich", "hessian") else options.cluster


def _win_table(votes: Votes) -> dict[tuple[str, str], float]:
    """Votes for one model against another; as numbers, for weights change with what comes in."""
    wins, ballots = votes.wins, votes.ballots
    if ballots is not None and ballots.weight is not None:
        wins = np.zeros(wins.shape)
        for outcome, one, other in (
            (WIN, ballots.first, ballots.second),
            (LOSS, ballots.second, ballots.first),
        ):
            rows = ballots.outcome == outcome
            np.add.at(wins, (one[rows], other[rows]), ballots.counts[rows])
    return {(votes.models[i], votes.models[j]): float(wins[i, j]) for i, j in np.argwhere(wins > 0)}


def _refuse_other(
    record: RunningRecord,
    task: TaskResult,
    wins: dict[tuple[str, str], float],
    cluster: str,
) -> None:
    for what, before, now in (
        ("alpha", record.alpha, task.alpha),
        ("scope", record.scope, task.scope),
        ("cluster", record.cluster, cluster),
        ("test", record.test, task.test),
    ):
        if before != now:
            raise OptionError(
                f"Earlier looks were at {what} {before!r}, and this one is at {now!r}. What was "
                "shown adds up for one choice only. Use the same, or write to another board."
            )
    for (one, other), number in record.wins.items():
        if wins.get((one, other), 0.0) < number:
            raise DataError(
                f"Votes of an earlier look are missing: {one!r} had won {number:g} votes against "
                f"{other!r}, and now has won {wins.get((one, other), 0.0):g}. Looks add up for "
                "votes that only grow. Rank the whole file, or write to another board."
            )


def _counts(record: RunningRecord | None, models: tuple[str, ...]) -> NDArray[np.int64]:
    """How many models were shown better and worse before, shape (2, M)."""
    if record is None:
        return np.zeros((2, len(models)), dtype=np.int64)
    return np.array(
        [[counts.get(name, 0) for name in models] for counts in (record.better, record.worse)]
    )


def _shown(board: Leaderboard, record: RunningRecord | None) -> NDArray[np.bool_]:
    """All pairs that this look or an earlier one has shown, without contradictions."""
    shown = board.shown_better.copy()
    if record is not None:
        place = {name: i for i, name in enumerate(board.models)}
        for one, other in record.shown_better:
            if one in place and other in place:
                shown[place[one], place[other]] = True
    return simultaneous_order(shown)[0]


_IN_THE_LIMIT = (
    " Asymptotic: this holds in the limit of many votes, and a model counts from 50 votes on."
)


def _notes(record: RunningRecord) -> tuple[Note, ...]:
    looks = "look" if record.looks == 1 else "looks"
    notes = [
        Note(
            "looks",
            f"{record.looks} {looks} at these votes so far. The error rate covers all looks "
            "together, however many there will be; intervals keep what earlier looks have shown."
            + (_IN_THE_LIMIT if record.test == "e_strength" else ""),
        )
    ]
    if record.contradicted:
        notes.append(
            Note(
                "looks-contradict",
                "Two looks exclude each other for these models, so one of them was wrong; the "
                "earlier interval stands. Together this happens with probability at most alpha.",
                record.task,
                tuple(sorted(record.contradicted)),
            )
        )
    return tuple(notes)
