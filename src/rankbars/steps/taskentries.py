"""Who entered which task: the models that are ranked among themselves, and those with gaps."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.fields import names_where
from rankbars.data.notes import Note, list_names, list_words
from rankbars.data.scores import Scores
from rankbars.data.spec import MISSING_TASKS, Spec
from rankbars.errors import DataError, OptionError, UnknownOptionError
from rankbars.steps.gaps import find_gaps, tasks_apart
from rankbars.steps.missingness import refuse_pairless, resolve_items, resolve_missing

__all__ = ["Entries", "bridged_spec", "settle_missing"]


_MOST_NAMES = 5
_listed = partial(list_names, limit=_MOST_NAMES)


class Entries(NamedTuple):
    """What is ranked, and what stands beside it.

    Attributes
    ----------
    scores : Scores
        Models that are ranked among themselves, on the tasks that count.
    whole : Scores, optional
        The same tasks with the models that are placed among those; None where there are none.
    partly : mapping from str to tuple of str
        The models that are placed, with the tasks that each has.
    new_tasks : tuple of str
        Tasks that too few models entered to count.
    estimator : str, optional
        How contrasts bridge gaps, where models with gaps are ranked with all others.
    """

    scores: Scores
    whole: Scores | None = None
    partly: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    new_tasks: tuple[str, ...] = ()
    estimator: str | None = None


class _Grid(NamedTuple):
    """Which model has a score on which task."""

    tasks: tuple[str, ...]
    models: tuple[str, ...]
    entered: NDArray[np.bool_]

    @property
    def complete(self) -> NDArray[np.bool_]:
        """The models that entered every task."""
        return np.asarray(self.entered.all(axis=0))

    def named(self, chosen: NDArray[np.bool_]) -> tuple[str, ...]:
        """The models that are chosen."""
        return names_where(self.models, chosen)

    def titled(self, chosen: NDArray[np.bool_]) -> tuple[str, ...]:
        """The tasks that are chosen."""
        return names_where(self.tasks, chosen)


def settle_missing(scores: Scores, spec: Spec) -> Entries:
    """What becomes of all that is missing: rows that were not answered, and tasks never run."""
    items, tasks = spec.missing_items, spec.missing_tasks
    if items == "pairwise":
        refuse_pairless(scores, spec.test)
    if items == tasks == "drop_models":
        return Entries(resolve_missing(scores, items, test=spec.test))
    if items == "bounds" and tasks in ("bounds", "insert"):
        # Who may stand anywhere on a task cannot be placed by the others.
        return Entries(resolve_missing(scores, items, test=spec.test))
    return _settle_entries(resolve_items(scores, items, test=spec.test), tasks)


def bridged_spec(spec: Spec, entries: Entries) -> Spec:
    """The options of an average that bridges gaps, where models with gaps are ranked, too.

    Raises
    ------
    OptionError
        If other options of the average were chosen, which cannot.
    """
    if entries.estimator is None or spec.over == "none":
        return spec
    chosen = (spec.over not in ("auto", "tasks")) or spec.estimator not in (
        "auto",
        entries.estimator,
    )
    if chosen:
        raise OptionError(
            "Gaps are bridged in the average over tasks like these, by an estimator of its own. "
            "Leave --aggregate out, or use --missing-tasks insert (where enough models are scored "
            "on every task), bounds, drop_models or drop_tasks."
        )
    return replace(spec, over="tasks", estimator=entries.estimator)


def _settle_entries(scores: Scores, policy: str) -> Entries:
    """What becomes of models that never ran some task.

    Parameters
    ----------
    scores : Scores
        Results; what is missing of tasks that were run has been settled.
    policy : str
        ``"insert"`` ranks the models scored everywhere, and leaves the others to be placed among
        them. ``"additive"`` ranks all by one fit. ``"bounds"`` lets the others stand anywhere.
        ``"drop_models"`` and ``"drop_tasks"`` leave out. ``"raise"`` stops.

    Raises
    ------
    DataError
        If models lack tasks and the policy is ``"raise"``, or it leaves nothing.
    UnknownOptionError
        If the policy is not known.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> tasks = {name: rng.random((9, 4)) for name in ("law", "math", "music")}
    >>> tasks["law"][:, 3] = np.nan
    >>> found = _settle_entries(Scores.from_arrays(tasks, list("abcd")), "insert")
    >>> found.scores.models, found.partly
    (('a', 'b', 'c'), {'d': ('math', 'music')})
    """
    if policy not in _POLICIES:
        raise UnknownOptionError.among("policy for missing tasks", policy, MISSING_TASKS)
    gaps = [gap for gap in find_gaps(scores) if gap.missing == gap.rows]
    if not gaps:
        return Entries(scores)
    tasks, models = tuple(scores.tasks), scores.models
    entered = np.ones((len(tasks), len(models)), dtype=np.bool_)
    row, column = ({name: i for i, name in enumerate(names)} for names in (tasks, models))
    for gap in gaps:
        entered[row[gap.task], column[gap.model]] = False
    grid = _Grid(tasks, models, entered)
    anywhere = np.asarray(entered.any(axis=0))
    if not anywhere.all():  # who entered none of these tasks asks for nothing
        named = grid.named(anywhere)
        scores = scores.select(models=named).with_notes([_nowhere_note(grid.named(~anywhere))])
        grid = _Grid(tasks, named, entered[:, anywhere])
    return Entries(scores) if grid.entered.all() else _POLICIES[policy](scores, grid)


def _insert(scores: Scores, grid: _Grid) -> Entries:
    from rankbars.stats.averaging.incomplete import find_core

    counted = np.array([scores.info[name].weight > 0 for name in grid.tasks])
    if not counted.any():
        counted[:] = True
    core = find_core(grid.entered[counted])
    tasks = ~counted
    tasks[counted] = core.tasks
    new = grid.titled(~tasks)
    if not core.tasks.any():
        raise DataError(
            tasks_apart(scores)
            or f"No task was entered by two of the {len(grid.models)} models, so there is nothing "
            f"to compare; for instance {grid.models[0]!r} and {grid.models[1]!r} have none in "
            "common. Are tasks named alike for all models?"
        )
    notes = [_new_note(grid, ~tasks)] if new else []
    anywhere = np.asarray(grid.entered[tasks].any(axis=0))
    if not anywhere.all():
        notes.append(_nowhere_note(grid.named(~anywhere)))
    kept = scores.select(models=grid.named(anywhere), tasks=grid.titled(tasks))
    partly = grid.named(anywhere & ~core.models)
    if partly and not core.enough:
        noted = kept.with_notes([*notes, _no_core(grid, tasks)])
        return Entries(noted, new_tasks=new, estimator="common")
    if not partly:
        return Entries(kept.with_notes(notes), new_tasks=new)
    ranked = kept.select(models=grid.named(core.models))
    notes.append(_partly_note(partly, len(ranked.models), int(core.tasks.sum())))
    there = {name: grid.titled(tasks & grid.entered[:, grid.models.index(name)]) for name in partly}
    return Entries(ranked.with_notes(notes), kept, there, new)


def _additive(scores: Scores, grid: _Grid) -> Entries:
    note = Note(
        "missing",
        f"{_summary(grid)} One additive fit of models and tasks ranks all of them: tasks that a "
        "model lacks are assumed to go for it as for the others.",
        models=grid.named(~grid.complete),
    )
    return Entries(scores.with_notes([note]), estimator="additive")


def _bounds(scores: Scores, grid: _Grid) -> Entries:
    note = Note(
        "missing",
        f"{_summary(grid)} On those tasks their rank may be any, from first to last; "
        "nothing is assumed about why.",
        models=grid.named(~grid.complete),
    )
    return Entries(scores.with_notes([note]))


def _drop_models(scores: Scores, grid: _Grid) -> Entries:
    complete = grid.complete
    if not complete.any():
        raise DataError(
            "Every model lacks some task, so --missing-tasks drop_models keeps nobody. "
            f"{_subset(grid)}"
        )
    note = Note("missing", f"{_summary(grid)} These models were left out.",
                models=grid.named(~complete))  # fmt: skip
    return Entries(scores.select(models=grid.named(complete)).with_notes([note]))


def _drop_tasks(scores: Scores, grid: _Grid) -> Entries:
    complete = np.asarray(grid.entered.all(axis=1))
    if not complete.any():
        raise DataError(
            f"Some model lacks each task, so --missing-tasks drop_tasks keeps none. {_subset(grid)}"
        )
    note = Note(
        "missing",
        f"{_summary(grid)} These tasks were left out: {_listed(grid.titled(~complete))}.",
    )
    return Entries(scores.select(tasks=grid.titled(complete)).with_notes([note]))


def _stop(scores: Scores, grid: _Grid) -> Entries:
    if apart := tasks_apart(scores):
        raise DataError(apart)
    lines = [
        _summary(grid),
        "Nothing was ranked. Choose what to do with them (the line to paste, what it does):",
        *(f"  --missing-tasks {name:<12}{words}" for name, words in _offers(grid)),
        'In Python: rb.leaderboard(scores, missing_tasks="insert").',
    ]
    raise DataError("\n".join(lines))


def _offers(grid: _Grid) -> list[tuple[str, str]]:
    from rankbars.stats.averaging.incomplete import find_core

    models, tasks = (int(grid.entered.all(axis=axis).sum()) for axis in (0, 1))
    core = find_core(grid.entered)
    among = f"{int(core.models.sum())} models on {int(core.tasks.sum())} tasks are ranked"
    return [
        ("insert", f"{among}, each of the others is placed among them"),
        ("additive", "all models, by one fit of models and tasks"),
        ("bounds", "all models; on a task that a model lacks its rank may be any"),
        ("drop_models", f"{models} of {len(grid.models)} models, all {len(grid.tasks)} tasks"),
        ("drop_tasks", f"all {len(grid.models)} models, {tasks} of {len(grid.tasks)} tasks"),
    ]


_POLICIES: dict[str, Callable[[Scores, _Grid], Entries]] = {
    "insert": _insert,
    "additive": _additive,
    "bounds": _bounds,
    "drop_models": _drop_models,
    "drop_tasks": _drop_tasks,
    "raise": _stop,
}


def _summary(grid: _Grid) -> str:
    lacking = ~grid.entered
    partly = ~grid.complete
    most = int(np.argmax(lacking.sum(axis=0)))
    first = grid.tasks[int(np.argmax(lacking[:, most]))]
    models = "1 model never ran" if partly.sum() == 1 else f"{int(partly.sum()):,} models never ran"
    return (
        f"{models} some of the {len(grid.tasks):,} tasks ({int(lacking.sum()):,} of "
        f"{lacking.size:,} scores by task): {_listed(grid.named(partly))}; for instance "
        f"{grid.models[most]!r} never ran {first!r}."
    )


def _new_note(grid: _Grid, new: NDArray[np.bool_]) -> Note:
    counts = grid.entered.sum(axis=1)
    named = [
        f"{name!r} ({int(count)} of {len(grid.models)} models)"
        for name, count in zip(grid.titled(new), counts[new], strict=True)
    ]
    one = len(named) == 1
    return Note(
        "new-tasks",
        f"New: too few models entered {list_words(named, _MOST_NAMES)}. "
        f"{'It does' if one else 'They do'} not count in this board; --tasks ranks the models "
        f"that entered {'it' if one else 'one'}.",
    )


def _nowhere_note(models: tuple[str, ...]) -> Note:
    return Note(
        "no-task",
        f"Scored on none of the tasks that count, and not on the board: {_listed(models)}.",
        models=models,
    )


def _partly_note(partly: tuple[str, ...], core: int, tasks: int) -> Note:
    who = "1 model lacks" if len(partly) == 1 else f"{len(partly):,} models lack"
    it = "It is" if len(partly) == 1 else "Each is"
    return Note(
        "partly-scored",
        f"{who} some of the {tasks} tasks. {it} placed among the {core} models scored on every "
        "task, by the tasks it has: approximate, for it holds if the tasks it lacks are like those "
        "it has. Where models lacked the tasks that they failed, 95 % statements held in 81 to "
        "87 % of simulations.",
        models=partly,
    )


def _no_core(grid: _Grid, tasks: NDArray[np.bool_]) -> Note:
    complete = int(grid.entered[tasks].all(axis=0).sum())
    return Note(
        "no-core",
        f"Only {complete} of {len(grid.models):,} models {'is' if complete == 1 else 'are'} scored "
        "on every task, too few to place the others among them. Every pair is compared on the "
        "tasks that both have, which "
        f"assumes that gaps have nothing to do with the difference of a pair. {_subset(grid)}",
    )


def _subset(grid: _Grid) -> str:
    """Tasks on which many models are complete."""
    from rankbars.stats.averaging.incomplete import best_block

    block = best_block(grid.entered)
    models = int(grid.entered[block].all(axis=0).sum())
    if models < 2:
        return "No set of tasks has two models scored on all of it."
    named = list_words(
        (shlex.join(("--tasks", name)) for name in grid.titled(block)), _MOST_NAMES, " "
    )
    return f"{models:,} models are scored on all of {int(block.sum())} tasks: {named}."
