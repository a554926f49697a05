"""What changed from one board to the next: own scores, the pool, or only the intervals."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.aggregate import Aggregate
from rankbars.data.board import Leaderboard, TaskResult
from rankbars.data.boardchange import (
    BoardChange,
    Cause,
    ModelChange,
    PartlyChange,
    Span,
    StatedLevel,
)
from rankbars.data.intervals import RankIntervals
from rankbars.data.notes import NameKind
from rankbars.data.standings import shown_first

__all__ = ["diff", "stated_level"]

# Boards from an updated store agree with others up to this, relative.
TOLERANCE = 1e-9


def diff(old: Leaderboard, new: Leaderboard) -> BoardChange:
    """What changed from one board to another, and for each model why.

    Parameters
    ----------
    old, new : Leaderboard
        Two boards, from `rankbars.leaderboard` or `rankbars.load`.

    Returns
    -------
    BoardChange
        Per model the first of these that applies: its own scores changed; the pool changed (models
        or tasks came or went, or others' scores changed, so that its place moved); only its
        intervals moved; nothing.

    Notes
    -----
    Numbers that agree to 1e-9, relative, count as equal. A description of two boards: whether a
    model became better is a question for `rankbars.head_to_head`.

    Boards from a store know which names were changed there: a model or a task with another name is
    the same. A task that was retired is no result that a model lost; what it moves is the pool.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rng = np.random.default_rng(0)
    >>> x = rng.random((60, 3)) + [0.6, 0.3, 0.0]
    >>> old = rb.leaderboard(rb.Scores.from_arrays({"math": x[:, :2]}, ["a", "b"]))
    >>> new = rb.leaderboard(rb.Scores.from_arrays({"math": x}, ["a", "b", "c"]))
    >>> change = diff(old, new)
    >>> change.added_models, [(one.model, one.cause, one.ranks) for one in change.models]
    (('c',), [('a', 'nothing', ((1, 1), (1, 1))), ('b', 'nothing', ((2, 2), (2, 2)))])
    """
    models, tasks = (_renamings(old, new, kind) for kind in _KINDS)
    before, after = _Facts.of(old, models, tasks), _Facts.of(new)
    retired_models, retired_tasks = (_retired(new, kind) for kind in _KINDS)
    aside = {name for name in _retired(old, "task") if name not in before.tasks}
    aside |= {name for name in retired_tasks if name not in after.tasks}
    common = [name for name in after.printed if name in before.at]
    stand = [
        {name: k for k, name in enumerate(n for n in facts.printed if n in set(common))}
        for facts in (before, after)
    ]
    changes = tuple(
        _change(name, before, after, (stand[0][name], stand[1][name]), aside) for name in common
    )
    pairs = [facts.pairs(common) for facts in (before, after)]
    every = [dict.fromkeys((*facts.at, *facts.partly)) for facts in (before, after)]
    return BoardChange(
        changes,
        added_models=_only(every[1], every[0]),
        removed_models=_only(every[0], {*every[1], *retired_models}),
        added_tasks=_only(new.tasks, before.tasks),
        removed_tasks=_only(before.tasks, {*new.tasks, *retired_tasks}),
        gained=tuple(pair for pair in pairs[1] if pair not in pairs[0]),
        lost=tuple(pair for pair in pairs[0] if pair not in pairs[1]),
        options=_options(old, new),
        leads=(old.lead, new.lead),
        levels=(stated_level(old), stated_level(new)),
        new_task_levels=None
        if old.overall is None or new.overall is None
        else (_level(old.overall), _level(new.overall)),
        versions=(old.version, new.version),
        renamed_models=_pairs_in(models, after.at),
        renamed_tasks=_pairs_in(tasks, after.tasks),
        retired_models=_gone(retired_models, every[0], every[1]),
        retired_tasks=_gone(retired_tasks, before.tasks, after.tasks),
        partly=tuple(_partly_changes(before, after, aside)),
    )


def stated_level(board: Leaderboard) -> StatedLevel:
    """At which level a board states what it shows first."""
    shown = shown_first(board)
    if shown is None:
        return StatedLevel(None, False, None, board.spec.scope, board.spec.alpha_overall)
    drawn = board.lead == "aggregate" and any(one.code == "average-band" for one in board.notes)
    return replace(_level(shown), guarantee=None) if drawn else _level(shown)


def _level(result: TaskResult | Aggregate | RankIntervals) -> StatedLevel:
    return StatedLevel(
        result.guarantee, result.approximate, result.measured_level, result.scope, result.alpha
    )


_KINDS: tuple[NameKind, NameKind] = ("model", "task")


def _renamings(old: Leaderboard, new: Leaderboard, kind: NameKind) -> dict[str, str]:
    """Names on the new board, by those on the old one, of what a store renamed in between."""
    here = old.models if kind == "model" else tuple(old.tasks)
    own: dict[str, list[str]] = {}  # several of a model that was merged
    for fact in old.names:
        if fact.kind == kind:
            own.setdefault(fact.called, []).append(fact.name)
    called = {fact.name: fact.called for fact in new.names if fact.kind == kind}
    found = {}
    for name in here:
        now = [called.get(result, result) for result in own.get(name, [name])]
        if name not in now and now[0] not in here:
            found[name] = now[0]
    return found


def _retired(board: Leaderboard, kind: NameKind) -> dict[str, str]:
    """What a store has retired, and why."""
    return {one.called: one.reason for one in board.names if one.kind == kind and one.retired}


def _gone(
    retired: Mapping[str, str], before: Collection[str], after: Collection[str]
) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name, why) for name, why in retired.items() if name in before and name not in after
    )


def _pairs_in(renamed: Mapping[str, str], names: Collection[str]) -> tuple[tuple[str, str], ...]:
    return tuple((old, now) for old, now in renamed.items() if now in names)


class _Partly(NamedTuple):
    """A model that is placed by the tasks it has."""

    ranks: Span
    lacking: int
    scores: dict[str, tuple[float, float]]  # score and standard error, by task


def _partly(
    board: Leaderboard, models: Mapping[str, str], tasks: Mapping[str, str]
) -> dict[str, _Partly]:
    placed = board.partly
    if placed is None:
        return {}
    scores: dict[str, dict[str, tuple[float, float]]] = {name: {} for name in placed.models}
    for one in placed.by_task:
        errors = np.full(len(one.models), np.nan) if one.se is None else one.se
        for name, mean, se in zip(one.models, one.mean, errors, strict=True):
            scores[name][tasks.get(one.name, one.name)] = float(mean), float(se)
    rows = zip(placed.models, placed.best, placed.worst, placed.tasks, strict=True)
    return {
        models.get(name, name): _Partly(
            (int(best), int(worst)), placed.n_tasks - int(count), scores[name]
        )
        for name, best, worst, count in rows
    }


class _Facts(NamedTuple):
    """A board, looked up by model."""

    board: Leaderboard
    tasks: Mapping[str, TaskResult]
    at: Mapping[str, int]
    printed: tuple[str, ...]
    best: NDArray[np.int64]
    worst: NDArray[np.int64]
    score: NDArray[np.float64]
    partly: Mapping[str, _Partly]

    @classmethod
    def of(
        cls,
        board: Leaderboard,
        models: Mapping[str, str] = {},
        tasks: Mapping[str, str] = {},
    ) -> _Facts:
        """Its facts, under other names of some models and tasks."""
        best, worst = board.ranks
        called = [models.get(name, name) for name in board.models]
        return cls(
            board,
            {tasks.get(name, name): task for name, task in board.tasks.items()},
            {name: i for i, name in enumerate(called)},
            tuple(called[i] for i in board.order),
            best,
            worst,
            board.score,
            _partly(board, models, tasks),
        )

    def pairs(self, names: list[str]) -> dict[tuple[str, str], None]:
        """Pairs shown to differ among `names`, in the order of the board."""
        rows = [self.at[name] for name in names]
        shown = np.argwhere(self.board.shown_better[np.ix_(rows, rows)])
        return {(names[i], names[j]): None for i, j in shown}

    def interval(self, name: str) -> Span:
        return int(self.best[self.at[name]]), int(self.worst[self.at[name]])

    def new_task(self, name: str) -> Span | None:
        overall = self.board.overall
        if overall is None or overall.trivial:
            return None
        return overall[self.board.models[self.at[name]]]


def _change(
    name: str, before: _Facts, after: _Facts, stand: Span, aside: Collection[str]
) -> ModelChange:
    i, j = before.at[name], after.at[name]
    tasks = tuple(one for one in _own_tasks(before, after, i, j) if one not in aside)
    ranks = before.interval(name), after.interval(name)
    first, second = before.new_task(name), after.new_task(name)
    new_task = None if first is None or second is None else (first, second)
    score = float(before.score[i]), float(after.score[j])
    cause: Cause = "nothing"
    if tasks:
        cause = "own scores"
    elif stand[0] != stand[1] or not _same(*score) or _moved(before, after, i, j):
        cause = "pool"
    elif ranks[0] != ranks[1] or first != second:
        cause = "interval"
    return ModelChange(
        name,
        cause,
        tasks,
        (before.printed.index(name) + 1, after.printed.index(name) + 1),
        score,
        ranks,
        new_task,
        (int(before.board.tier[i]), int(after.board.tier[j])),
    )


def _partly_changes(
    before: _Facts, after: _Facts, aside: Collection[str]
) -> Iterable[PartlyChange]:
    """What changed for models that lack tasks on one of the boards, or on both."""
    for name in sorted({*before.partly, *after.partly}):
        old, new = _as_partly(name, before), _as_partly(name, after)
        if old is None or new is None:
            continue
        changed = tuple(
            task
            for task in sorted({*old.scores, *new.scores})
            if task not in aside
            and not all(map(_same, *(one.scores.get(task, (math.nan,) * 2) for one in (old, new))))
        )
        if changed or old.ranks != new.ranks or old.lacking != new.lacking:
            yield PartlyChange(name, changed, (old.ranks, new.ranks), (old.lacking, new.lacking))


def _as_partly(name: str, facts: _Facts) -> _Partly | None:
    """The model on a board, whether it lacks tasks there or not."""
    if name not in facts.at:
        return facts.partly.get(name)
    at = facts.at[name]
    scores = {
        task: (float(one.mean[at]), float(one.se[at]))
        for task, one in facts.tasks.items()
        if _has(one, at)
    }
    return _Partly(facts.interval(name), 0, scores)


def _own_tasks(old: _Facts, new: _Facts, i: int, j: int) -> tuple[str, ...]:
    """Tasks on which the model's own results are not the same."""
    changed = []
    for name in sorted({*old.tasks, *new.tasks}):
        one, two = old.tasks.get(name), new.tasks.get(name)
        here = [
            None if task is None or not _has(task, at) else task
            for task, at in ((one, i), (two, j))
        ]
        if here[0] is None or here[1] is None:
            if here != [None, None]:
                changed.append(name)
        elif not _same_results(here[0], here[1], i, j):
            changed.append(name)
    return tuple(changed)


def _has(task: TaskResult, at: int) -> bool:
    return not math.isnan(task.mean[at]) or task.coverage[at] > 0


def _same_results(one: TaskResult, two: TaskResult, i: int, j: int) -> bool:
    if one.kind == "votes":
        # Strengths are relative to the field; what a model has of its own are its votes.
        return one.n == two.n and _same(one.mean[i], two.mean[j])
    rows = round(one.n * one.coverage[i]), round(two.n * two.coverage[j])
    return rows[0] == rows[1] and _same(one.mean[i], two.mean[j]) and _same(one.se[i], two.se[j])


def _moved(old: _Facts, new: _Facts, i: int, j: int) -> bool:
    """Whether the observed rank on some common task is not the same."""
    for name in old.tasks.keys() & new.tasks.keys():
        one, two = old.tasks[name], new.tasks[name]
        if one.observed_best[i] != two.observed_best[j]:
            return True
    return False


def _same(one: float, two: float) -> bool:
    if math.isnan(one) or math.isnan(two):
        return math.isnan(one) and math.isnan(two)
    return math.isclose(one, two, rel_tol=TOLERANCE, abs_tol=1e-12)


def _only(names: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    known = set(others)
    return tuple(name for name in names if name not in known)


def _options(old: Leaderboard, new: Leaderboard) -> tuple[tuple[str, str, str], ...]:
    one, two = (_flat(board.spec.to_dict()) for board in (old, new))
    return tuple(
        (name, one.get(name, "–"), two.get(name, "–"))
        for name in sorted({*one, *two})
        if one.get(name) != two.get(name)
    )


def _flat(options: Mapping[str, object], prefix: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in options.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{prefix}{name}.")
        else:
            found[f"{prefix}{name}"] = str(value)
    return found
