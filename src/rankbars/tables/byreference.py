"""Tasks that stay in their files: whoever looks at one reads its rows, and no others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankbars.data.drafts import TemporaryFolder
from rankbars.data.evidence import Coverage, Folds
from rankbars.data.fields import locate_models
from rankbars.data.storedtasks import Outline, StoredTasks, TaskFile, TaskReference
from rankbars.errors import OptionError
from rankbars.tables.cleanrows import Records, spell_metric
from rankbars.tables.database import quote
from rankbars.tables.designs import Size, fold_design
from rankbars.tables.labels import sort_names
from rankbars.tables.matrices import ONE_CLUSTER, UNEVEN_CLUSTERS
from rankbars.tables.parsedtables import Group
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.remarks import Counted
from rankbars.tables.rowstates import ERROR, LEFT_OUT, MISSING, SCORED, UNSCORED
from rankbars.tables.tasksources import (
    CellFacts,
    Design,
    Facts,
    Part,
    Reading,
    SourceTask,
    examine,
    look,
)

__all__ = ["Survey", "look_over"]

# Scores of so many rows are kept in files once they were read, 8 bytes each; more are read again.
MOST_KEPT = 1 << 27

# A worker looks at tasks of so many rows together, and is asked so often at least.
MOST_TOGETHER, BATCHES = 1 << 22, 2


@dataclass(frozen=True, eq=False)
class Survey:
    """What was found out about the tasks of a group that stay in their files.

    Parameters
    ----------
    group : Group
        The tables.
    options : ReadOptions
        What the caller declares; the metric is spelt as in the tables.
    facts : mapping from str to Facts
        What was found out, by task.
    left_out : mapping from str to int
        Rows without a task that were left out, by reason.
    folder : TemporaryFolder, optional
        Where scores are kept.
    """

    group: Group
    options: ReadOptions
    reading: Reading
    facts: Mapping[str, Facts]
    left_out: Mapping[str, int]
    folder: TemporaryFolder | None

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        """Tasks that have rows, in their order."""
        by_metric = "metric" in self.group.roles and self.options.metric is not None
        return tuple(
            task
            for task, one in self.facts.items()
            if one.size and not (by_metric and one.metric != self.options.metric)
        )

    @property
    def traits(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """What columns that describe tasks say of each, by role."""
        roles = dict.fromkeys(role for task in self.tasks for role in self.facts[task].traits)
        return {
            role: {task: self.facts[task].traits.get(role, ()) for task in self.tasks}
            for role in roles
        }

    @property
    def size(self) -> Size:
        """How large the group is."""
        found = [self.facts[task] for task in self.tasks]
        sizes = [one.size for one in found]
        return Size(max(sizes, default=0), sum(sizes), sum(one.rows for one in self.facts.values()),
                    len(self.models))  # fmt: skip

    @cached_property
    def _cells(self) -> dict[str, CellFacts]:
        found = {task: self.facts[task].cells for task in self.tasks}
        return {task: cells for task, cells in found.items() if cells is not None}

    @cached_property
    def models(self) -> tuple[str, ...]:
        """Models with any row."""
        names = {model for cells in self._cells.values() for model in cells.models}
        return sort_names(sorted(names), numeric=False)[0]

    def with_worst(self, worst: Callable[[Iterable[str]], list[float]]) -> Survey:
        """The same, where answers without a score count as the worst one of their task."""
        reading = replace(self.reading, worst=dict(zip(self.tasks, worst(self.tasks), strict=True)))
        lost = [task for task, cells in self._cells.items() if cells.trials[:2].any()]
        again = _examined(reading, lost, self.options.room.jobs)
        facts = {**self.facts, **dict(zip(lost, again, strict=True))}
        return replace(self, reading=reading, facts=facts)

    def raise_first(self) -> None:
        """Raise what is wrong with the first task with which anything is."""
        for one in self.facts.values():
            if one.problem is not None:
                raise one.problem

    def largest(self, task: str) -> NDArray[np.float64]:
        """Largest score of each model, NaN where it has none."""
        found = np.full(len(self.models), np.nan)
        cells = self._cells[task]
        found[locate_models(cells.models, self.models)] = cells.largest
        return found

    def coverage(self, task: str) -> Coverage:
        """What became of the rows of a task."""
        cells, size = self._cells[task], self.facts[task].size
        counts = (cells.counts[one] for one in (SCORED, UNSCORED, ERROR, MISSING))
        return Coverage(size, *counts).spread(cells.models, self.models)

    def weight(self, task: str) -> float:
        """Weight of a task."""
        return self._cells[task].weight

    def designs(self) -> dict[str, Folds] | None:
        """Design of each task, where rows are folds."""
        if self.group.plan.kind != "folds":
            return None
        found = {task: self.facts[task] for task in self.tasks}
        every = sorted({name for one in found.values() for name in one.folds})
        names, _ = sort_names(every, numeric=True)
        code = {name: place for place, name in enumerate(names)}
        keys = {
            task: np.array(sorted(code[name] for name in one.folds), np.int64)
            for task, one in found.items()
        }
        repeats = {task: one.repeats for task, one in found.items()}
        with_repeats = repeats if len(self.group.plan.keys) > 1 else None
        return fold_design(keys, names, with_repeats, self.options)

    def counted(self) -> Counted:
        """What was counted, of all tasks."""
        found = [self.facts[task].left_out for task in self.facts]
        numbers = sum((Counter(one) for one in (*found, self.left_out)), Counter[str]())
        metrics = {name for one in self.facts.values() for name in one.metrics}
        return Counted(
            max((cells.most_answers for cells in self._cells.values()), default=0),
            self._clusters[1],
            {reason: numbers[reason] for reason in LEFT_OUT if numbers[reason]},
            sort_names(sorted(metrics), numeric=False)[0],
            tuple(self.facts),
            self._trials,
        )

    @property
    def _trials(self) -> dict[str, list[int]]:
        """Answers to rows with several, by model; as in `Counted`."""
        found = {model: np.zeros(3, np.int64) for model in self.models}
        for cells in self._cells.values():
            for model, column in zip(cells.models, cells.trials.T, strict=True):
                found[model] += column
        return {model: numbers.tolist() for model, numbers in found.items()}

    @cached_property
    def _clusters(self) -> tuple[bool, str]:
        """Whether clusters are used, and why a column of them is not."""
        found = [cells.clusters for cells in self._cells.values()]
        if "cluster" not in self.group.roles or "cluster" in self.group.plan.ignored:
            return False, ""
        if None in found:
            return False, UNEVEN_CLUSTERS
        if "cluster" not in self.group.named and set(found) == {1}:
            return False, ONE_CLUSTER
        return True, ""

    def references(
        self, designs: Mapping[str, Folds] | None, turned: Mapping[str, bool]
    ) -> StoredTasks:
        """The tasks, each where it lies.

        Parameters
        ----------
        designs : mapping from str to Folds, or None
            Design by task, where rows are folds.
        turned : mapping from str to bool
            Whether scores are better when lower, by task.

        Raises
        ------
        OptionError
            If rows are not sorted in one way in all tasks.
        """
        self._refuse_mixed_names()
        sizes = [self.facts[task].size for task in self.tasks]
        self.options.room.group(sizes, len(self.models))
        named = self.reading.named | ({"cluster"} if self._clusters[0] else set())
        reading = replace(
            self.reading, metric=self.options.metric, named=named, clustered=self._clusters[0]
        )
        kind: Design = "items"
        if self.group.plan.kind == "runs" or self.group.plan.kind == "prompts":
            kind = self.group.plan.kind
        found: dict[str, TaskReference] = {}
        for task in self.tasks:
            design = kind if designs is None else designs[task]
            cells = self._cells[task]
            about = _spread(cells, self.facts[task].size, self.models)
            # A column of clusters that tells no rows of one task apart was not kept.
            kept = None if self._clusters[0] and cells.clusters == 1 else cells.kept
            if isinstance(kept, TaskFile) and kept.models == self.models:
                kept = replace(kept, models=self.models, outline=about)  # they travel once
            about = (about.turned() if turned[task] else about)._replace(design=design)
            found[task] = SourceTask(
                reading.of(task), task, self.models, design, turned[task], about, kept
            )
        return StoredTasks(found, () if self.folder is None else (self.folder,))

    def _refuse_mixed_names(self) -> None:
        # Whoever looks at a task sorts its rows by the same rule only if it is the same for all.
        for role in self.group.plan.keys:
            kinds = [one.kinds[role] for one in self.facts.values() if role in one.kinds]
            number = next((one for one, _ in kinds if one is not None), None)
            if number is not None and any(word is not None for _, word in kinds):
                raise OptionError(
                    f"Tasks that are read by reference need one kind of names: in the column "
                    f"{self.group.roles.get(role, role)!r} some are numbers ({number!r}) and "
                    "others are not. Leave out --by-reference (by_reference=True)."
                )


def look_over(group: Group, options: ReadOptions, *, by_position: bool) -> Survey:
    """Find out about the tasks of a group; workers read their rows, a few tasks each.

    Parameters
    ----------
    group : Group
        Tables in files that can be read again.
    options : ReadOptions
        What the caller declares; `ReadOptions.room` says how many workers there are.
    by_position : bool
        As in `Records`.

    Raises
    ------
    OptionError
        If rows do not lie where they can be read again.
    DataError
        If no task can be told, or no table has the metric that was asked for.
    """
    rows = sum(part.rows.count for part in group.parts)
    folder = TemporaryFolder() if rows <= MOST_KEPT else None
    reading = _reading_of(group, options, by_position=by_position)
    reading = reading if folder is None else replace(reading, folder=str(folder.path))
    tasks, gaps = _list_tasks(group)
    left_out: Mapping[str, int] = {}
    if gaps:
        left_out = look(reading, (None,), Records.left_out) or {}
    facts = dict(zip(tasks, _examined(reading, tasks, options.room.jobs), strict=True))
    for part in group.parts:
        if part.rows.report is not None:
            part.rows.report(1.0)
    unread = [one for one in facts.values() if one.problem is not None and not one.size]
    for one in unread:
        if one.problem is not None:
            raise one.problem
    if "metric" in group.roles and any(one.metrics for one in facts.values()):
        metrics = sorted({name for one in facts.values() for name in one.metrics})
        options = spell_metric(metrics, options)
    return Survey(group, options, reading, facts, left_out, folder)


def _examined(reading: Reading, tasks: Sequence[str], jobs: int) -> list[Facts]:
    if jobs == 1:
        batches = _batches(tasks, reading.sizes, 1)
        found = [examine(reading.of(some), some) for some in batches]
    else:
        from joblib import Parallel, delayed, effective_n_jobs

        batches = _batches(tasks, reading.sizes, effective_n_jobs(jobs))
        found = Parallel(n_jobs=jobs)(delayed(examine)(reading.of(some), some) for some in batches)
    return [one for facts in found for one in facts]


def _batches(
    tasks: Sequence[str], sizes: Mapping[str, int] | None, workers: int
) -> list[tuple[str, ...]]:
    """Tasks that are looked at together, for most of the work on a small one is to begin."""
    if sizes is None:
        return [(task,) for task in tasks]
    most = min(MOST_TOGETHER, sum(sizes[task] for task in tasks) // (BATCHES * workers))
    batches: list[tuple[str, ...]] = []
    rows = 0
    for task in tasks:
        if batches and rows + sizes[task] <= most:
            batches[-1] = (*batches[-1], task)
            rows += sizes[task]
        else:
            batches.append((task,))
            rows = sizes[task]
    return batches


def _reading_of(group: Group, options: ReadOptions, *, by_position: bool) -> Reading:
    parts = []
    for part in group.parts:
        origin = part.rows.origin
        if origin is None:
            raise OptionError(
                "Tasks that are read by reference must stand in tidy Parquet files whose names and "
                "scores are typed columns. Write them as Parquet, or leave out --by-reference "
                "(by_reference=True)."
            )
        parts.append(Part(origin, tuple(part.rows.constants.items()), part.rows.count))
    limits = (options.minimum, options.maximum)
    return Reading(
        tuple(parts), group.plan.kind, group.plan.keys, group.plan.answers, options.metric, limits,
        group.named, by_position,
    )  # fmt: skip


def _list_tasks(group: Group) -> tuple[tuple[str, ...], bool]:
    """Names of all tasks, and whether some row has none; no other column is looked at."""
    names: set[str] = set()
    gaps = False
    for part in group.parts:
        rows = part.rows
        if "task" not in rows.labels:
            names.add(rows.constants["task"])
            continue
        query = f"SELECT DISTINCT {quote('task')}::VARCHAR FROM {rows.clause}"
        found = rows.engine.ask(query)
        names |= {name for (name,) in found if name}
        gaps = gaps or any(not name for (name,) in found)
    return sort_names(sorted(names), numeric=False)[0], gaps


def _spread(cells: CellFacts, size: int, models: tuple[str, ...]) -> Outline:
    """The outline of a task among further models, which have nothing there."""
    columns = locate_models(cells.models, models)
    missing = np.full(len(models), size)
    zeros = np.zeros(len(models), np.int64)
    missing[columns], zeros[columns] = cells.outline.missing, cells.outline.zeros
    reach = None
    if cells.outline.reach is not None:
        low, high = (np.full(len(models), np.nan) for _ in range(2))
        low[columns], high[columns] = cells.outline.reach
        reach = (low, high)
    return cells.outline._replace(missing=missing, zeros=zeros, reach=reach)
