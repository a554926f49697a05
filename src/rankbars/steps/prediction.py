"""The verb `predict`: from ranks on these tasks to the rank on a new one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_name
from rankbars.data.board import Leaderboard
from rankbars.data.evidence import Estimates, Evidence
from rankbars.data.intervals import RankIntervals, Scope
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec, check_rate, side_level
from rankbars.data.storedtasks import known_outline
from rankbars.data.taskinfo import TaskInfo
from rankbars.data.taskresult import TaskResult
from rankbars.errors import DataError, OptionError
from rankbars.stats.newtask.guarantees import Budget, Rate, guarantee, split_budget
from rankbars.steps.mergers import MERGES, Bag, Merged

__all__ = [
    "MERGE_NAMES",
    "plan_budget",
    "predict",
    "predict_for_board",
    "predict_within",
]

T = TypeVar("T")
_About: TypeAlias = Mapping[str, TaskInfo] | Mapping[str, TaskResult]

MERGE_NAMES = (*MERGES, "group", "observed")


def predict(
    intervals: Mapping[str, RankIntervals] | Leaderboard,
    *,
    merge: str = "joint",
    alpha: float = 0.2,
    categories: Mapping[str, str] | None = None,
    families: Mapping[str, str] | None = None,
    weights: Mapping[str, float] | None = None,
    new_weight: float = 1.0,
    observed: Mapping[str, RankIntervals] | None = None,
) -> RankIntervals:
    """Rank prediction intervals: where each model may stand on a new task of the same source.

    Parameters
    ----------
    intervals : mapping from task to RankIntervals, or Leaderboard
        Rank intervals per task, made the same way for every task; or a board, which holds them,
        with the categories, families and weights of its tasks and the ranks that were observed.
        Of a board the intervals of each model by itself are taken where it keeps them at its
        `alpha` (``scope="each"``, or a merge other than ``"joint"``), and those for all models at
        once otherwise, which a note says.
    merge : str
        ``"joint"`` (full conformal), ``"quantile"`` (the published Algorithm 2), ``"union"``,
        ``"group"`` (a new task of a seen category), ``"family"`` (a new task from a new family),
        ``"weighted"`` (a new source that differs by known weights), ``"simultaneous"`` (all
        models at once) or ``"observed"`` (the rank that will be observed, not the true one).
    alpha : float
        Error rate of the merge: the interval of the new task is missed with at most this
        probability. (For ``"union"`` the number of tasks decides, not `alpha`.)
    categories, families : mapping from task to str, optional
        For ``"group"`` and ``"family"``; every task needs one.
    weights : mapping from task to float, optional
        For ``"weighted"``: 0 or more, every task needs one.
    new_weight : float
        For ``"weighted"``: the weight of the new task.
    observed : mapping from task to RankIntervals, optional
        Ranks as observed: needed by ``"observed"``; for the other merges they tell how much of
        the width would stay if ranks on these tasks were exact.

    Returns
    -------
    RankIntervals
        `target` is ``"new_task"``; `guarantee` is the probability that the true rank of one
        model, named in advance, lies in its interval (of all models at once for
        ``"simultaneous"``); of the rank that will be observed, where `intervals` are themselves
        ranks as observed (method ``"observed"``). With ``"group"``, `groups` holds one block per
        category; the outer block is their hull, with the smallest of their guarantees.

    Raises
    ------
    DataError
        If there is no task, or tasks differ in their models.
    UnknownOptionError
        If the merge is not known.
    OptionError
        If a merge lacks what it needs, or `alpha` is out of range.

    Notes
    -----
    All weight rests on one assumption: the tasks, with their data, are exchangeable with the
    new one. The guarantee divides the miss probability of the merge by one minus the error rate
    of one side of the task intervals, which improves on adding the two rates (Theorem 3.3 of
    Neuhof and Benjamini 2026).

    The intervals are taken as they are given, and the merge leaves out
    ``floor(alpha (N + 1))`` of them. `rankbars.leaderboard` makes intervals on tasks for this
    purpose by themselves, at a level that the number of tasks settles, and its intervals for a new
    task are narrower for it at the same guarantee.

    Examples
    --------
    >>> ranks = RankIntervals(("a", "b"), [1, 2], [1, 2], 0.05, "each", "task", "holm",
    ...                       guarantee=0.95, side_level=0.025)
    >>> new = predict({f"task {i}": ranks for i in range(9)}, alpha=0.2)
    >>> new["a"], round(new.guarantee, 4)
    ((1, 1), 0.7949)

    The published Algorithm 2 from a board, whose scores need not be at hand:

    >>> import numpy as np
    >>> import rankbars as rb
    >>> rng = np.random.default_rng(0)
    >>> tasks = {f"task {i}": rng.random((200, 2)) + [0.0, 0.4] for i in range(19)}
    >>> board = rb.leaderboard(rb.Scores.from_arrays(tasks, ["a", "b"]), merge="quantile")
    >>> predict(board, merge="quantile", alpha=0.5)["b"]
    (1, 1)
    """
    check_name("merge", merge, MERGE_NAMES)
    check_rate("alpha_overall", alpha)
    if isinstance(intervals, Leaderboard):
        kept = _kept_ranks(intervals)
        made = predict(
            kept.intervals,
            merge=merge,
            alpha=alpha,
            categories=_declared(intervals.tasks, "category") if categories is None else categories,
            families=_declared(intervals.tasks, "family") if families is None else families,
            weights={name: task.weight for name, task in intervals.tasks.items()}
            if weights is None
            else weights,
            new_weight=new_weight,
            observed=_observed_ranks(intervals) if observed is None else observed,
        )
        return replace(made, notes=(*made.notes, *kept.notes))
    _shared_models(intervals)  # refused before anything is made of them
    lacking = [] if observed is None else [name for name in intervals if name not in observed]
    if lacking:
        raise OptionError(f"observed= lacks the task {lacking[0]!r}; it holds ranks of each task.")
    if merge == "group":
        return _by_category(
            intervals, alpha, _of_tasks("category", categories, intervals), observed
        )
    if merge == "observed" and observed is None:
        raise OptionError("The observed merge needs observed=: the ranks seen on each task.")
    bag = _bag(intervals, intervals if observed is None or merge != "observed" else observed)
    bag = bag._replace(
        families=None if families is None else _of_tasks("family", families, intervals),
        weights=None if weights is None else _of_tasks("weight", weights, intervals),
        new_weight=new_weight,
    )
    return _new_task(intervals, bag, merge, alpha, alpha, observed)


class _Kept(NamedTuple):
    """Ranks on tasks as a board keeps them, and what is to be said of them."""

    intervals: dict[str, RankIntervals]
    notes: tuple[Note, ...] = ()


def _kept_ranks(board: Leaderboard) -> _Kept:
    """Rank intervals of each task at the error rate of the board, from the board alone."""
    overall = board.overall
    # What the joint merge made for itself has an error rate of its own, fit for no other merge.
    usual = overall is not None and overall.task_alpha is None
    made: dict[str, RankIntervals] = {}
    for name, task in board.tasks.items():
        if usual and task.merged_best is not None and task.merged_worst is not None:
            promised = overall is not None and overall.guarantee is not None
            made[name] = _ranks_of(
                board, task, (task.merged_best, task.merged_worst), "each", promised=promised
            )
        else:
            made[name] = _ranks_of(
                board, task, (task.best, task.worst), task.scope,
                promised=task.guarantee is not None,
            )  # fmt: skip
    wide = any(one.scope == "all" for one in made.values()) and len(board.models) > 2
    return _Kept(made, (_ALL_AT_ONCE,) if wide else ())


def _ranks_of(
    board: Leaderboard,
    task: TaskResult,
    ends: tuple[NDArray[np.int64], NDArray[np.int64]],
    scope: Scope,
    *,
    promised: bool,
) -> RankIntervals:
    side = side_level(task.correction, scope, task.alpha) if promised else None
    return RankIntervals(
        models=board.models,
        best=ends[0],
        worst=ends[1],
        alpha=task.alpha,
        scope=scope,
        target="task",
        method=task.correction,
        guarantee=None if side is None else 1.0 - task.alpha,
        assumptions=task.assumptions,
        side_level=side,
        approximate=not promised and task.approximate,
    )


def _observed_ranks(board: Leaderboard) -> dict[str, RankIntervals]:
    return {
        name: RankIntervals(
            board.models, task.observed_best, task.observed_worst, task.alpha, "each", "task",
            "observed",
        )
        for name, task in board.tasks.items()
    }  # fmt: skip


def _declared(about: _About, what: Literal["category", "family"]) -> dict[str, str] | None:
    """What tasks say of themselves; None where none does."""
    said = {name: getattr(task, what) for name, task in about.items()}
    return {name: value for name, value in said.items() if value is not None} or None


_ALL_AT_ONCE = Note(
    "ranks-for-all-models",
    "The board keeps ranks on tasks for all models at once, and the new task is predicted from "
    "these. A board that was ranked with --merge quantile or --scope each keeps ranks of each "
    "model by itself, which are narrower.",
)


def _merge_of(scores: Scores, spec: Spec) -> str:
    """The merge that can say something: without any errors only observed ranks can be merged."""
    unsure = all(
        known_outline(scores.tasks, name) is None and _is_unsure(scores.tasks[name])
        for name in scores.tasks
    )
    return "observed" if unsure and spec.merge == "joint" else spec.merge


def _is_unsure(evidence: Evidence) -> bool:
    return isinstance(evidence, Estimates) and not evidence.has_uncertainty


def plan_budget(scores: Scores, spec: Spec) -> Budget | None:
    """How the joint merge spends its error rate; None where task intervals promise nothing."""
    nothing = side_level(spec.correction, "each", spec.alpha) is None
    if nothing or _merge_of(scores, spec) != "joint":
        return None
    return split_budget(len(scores.tasks), spec.alpha_overall, spec.alpha)


def predict_for_board(
    scores: Scores,
    spec: Spec,
    budget: Budget | None,
    intervals: Mapping[str, RankIntervals],
    observed: Mapping[str, RankIntervals],
) -> RankIntervals:
    """Ranks on a new task, from task intervals that were made within a budget, or as asked for."""
    if budget is None:
        made = predict(
            intervals,
            merge=_merge_of(scores, spec),
            alpha=spec.alpha_overall,
            categories=_declared(scores.info, "category"),
            families=_declared(scores.info, "family"),
            weights={name: info.weight for name, info in scores.info.items()},
            observed=observed,
        )
    else:
        made = predict_within(intervals, budget, spec.alpha_overall, observed=observed)
    if made.method == spec.merge:
        return made
    return replace(made, notes=(*made.notes, _OBSERVED))


_OBSERVED = Note(
    "observed-ranks",
    "The scores come without errors, so nobody can say how sure they are on any task. Intervals "
    "for a new task are for the rank that will be observed on it, not for the true one.",
)


def predict_within(
    intervals: Mapping[str, RankIntervals],
    budget: Budget,
    alpha: float,
    *,
    observed: Mapping[str, RankIntervals],
) -> RankIntervals:
    """`predict` by the joint merge, from task intervals that were made for it.

    They are of each model by itself, at the error rate that the budget allows them; `task_alpha`
    and `left_out` say how the error rate was spent.
    """
    bag = _bag(intervals, intervals)
    rate = Fraction(budget.need, len(intervals) + 1) if budget.need else alpha
    made = _new_task(intervals, bag, "joint", rate, alpha, observed)
    return replace(made, task_alpha=budget.alpha_task, left_out=budget.need)


def _bag(names: Iterable[str], ranks: Mapping[str, RankIntervals]) -> Bag:
    """Ranks on these tasks, as merges take them."""
    chosen = [ranks[name] for name in names]
    best, worst = (np.array([getattr(one, end) for one in chosen]) for end in ("best", "worst"))
    return Bag(best, worst, best.shape[1])


def _new_task(
    intervals: Mapping[str, RankIntervals],
    bag: Bag,
    merge: str,
    rate: Rate,
    alpha: float,
    observed: Mapping[str, RankIntervals] | None,
) -> RankIntervals:
    """What a merge at `rate` makes of a bag of task intervals, where `alpha` was asked for."""
    models = _shared_models(intervals)
    source = observed if merge == "observed" and observed is not None else intervals
    seen = all(one.method == "observed" for one in source.values())
    merges = MERGES["joint" if merge == "observed" else merge]
    merged = merges(bag, rate)
    made = RankIntervals(
        models=models,
        best=merged.bounds.best,
        worst=merged.bounds.worst,
        alpha=alpha,
        scope=merged.scope,
        target="new_task",
        method=merge,
        guarantee=_promise(intervals, merged, seen=seen),
        assumptions=_assumptions(merged, models, seen=seen),
        trivial=merged.miss == 0,
        notes=(_few_tasks(len(intervals), merged.smallest),) if merged.miss == 0 else (),
        approximate=merge != "observed" and any(one.approximate for one in intervals.values()),
    )
    if observed is None:
        return made
    exact = _bag(intervals, observed)
    ends = merges(bag._replace(best=exact.best, worst=exact.worst), rate).bounds
    return replace(made, spread=np.minimum(ends.worst - ends.best, made.width))


def _by_category(
    intervals: Mapping[str, RankIntervals],
    alpha: float,
    categories: tuple[str, ...],
    observed: Mapping[str, RankIntervals] | None,
) -> RankIntervals:
    members: dict[str, list[str]] = {}
    for task, category in zip(intervals, categories, strict=True):
        members.setdefault(category, []).append(task)
    groups = {
        category: predict(
            {name: intervals[name] for name in members[category]},
            alpha=alpha,
            observed=None if observed is None else {n: observed[n] for n in members[category]},
        )
        for category in sorted(members)
    }
    blocks = list(groups.values())
    notes = tuple(
        replace(note, message=f"Category {category!r}: {note.message}")
        for category, block in groups.items()
        for note in block.notes
    )
    return RankIntervals(
        models=blocks[0].models,
        best=np.min([block.best for block in blocks], axis=0),
        worst=np.max([block.worst for block in blocks], axis=0),
        alpha=alpha,
        scope="each",
        target="new_task",
        method="group",
        guarantee=min((b.guarantee for b in blocks if b.guarantee is not None), default=None)
        if all(b.guarantee is not None for b in blocks)
        else None,
        assumptions=(
            "The new task belongs to one of these categories, and is drawn from the same source "
            "as the tasks of that category, independently of them.",
            "Read the block of that category; the outer interval is the hull of all blocks.",
        ),
        trivial=all(block.trivial for block in blocks),
        groups=groups,
        notes=notes,
        approximate=any(block.approximate for block in blocks),
    )


def _promise(intervals: Mapping[str, RankIntervals], merged: Merged, *, seen: bool) -> float | None:
    if seen:
        # The observed ranks of the new task are what is predicted: no task-level error enters.
        return float(1 - merged.miss)
    sides = [one.side_level for one in intervals.values()]
    known = [side for side in sides if side is not None]
    return guarantee(merged.miss, max(known)) if len(known) == len(sides) else None


def _assumptions(merged: Merged, models: tuple[str, ...], *, seen: bool) -> tuple[str, ...]:
    about = (
        "Each statement is about one model chosen before looking at the ranks."
        if merged.scope == "each"
        else "The statements hold for all models at once."
    )
    target = (
        "The rank meant is the one that will be observed on a new task of the same size, not the "
        "true one; with ties it says little about the true rank.",
    )
    return (
        merged.assumption,
        f"Ranks are among these {len(models)} models.",
        about,
        *(target if seen else ()),
    )


def _shared_models(intervals: Mapping[str, RankIntervals]) -> tuple[str, ...]:
    if not intervals:
        raise DataError("A new task can only be predicted from at least one task; found none.")
    models = next(iter(intervals.values())).models
    for name, one in intervals.items():
        if one.models is not models and one.models != models:
            raise DataError(
                f"Task {name!r} ranks other models than the first task; ranks of different "
                "fields cannot be merged. Compare all tasks over the same models."
            )
    return models


def _of_tasks(
    what: str, values: Mapping[str, T] | None, intervals: Mapping[str, RankIntervals]
) -> tuple[T, ...]:
    if values is None:
        option = {"category": "--categories FILE", "family": "--families FILE"}.get(what)
        how = f" Give them with {option}, or in the results." if option else ""
        raise OptionError(f"This merge needs the {what} of each task; none was given.{how}")
    lacking = [name for name in intervals if name not in values]
    if lacking:
        raise OptionError(f"Task {lacking[0]!r} has no {what}; every task needs one.")
    return tuple(values[name] for name in intervals)


def _few_tasks(count: int, smallest: str) -> Note:
    tasks = "1 task" if count == 1 else f"{count} tasks"
    return Note("too-few-tasks", f"{tasks}; a new-task interval at this level needs {smallest}.")
