"""Tables of one design, and what is known about their tasks before scores are counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np

from rankbars.data.evidence import Coverage
from rankbars.data.notes import Note
from rankbars.data.scores import TaskInfo
from rankbars.tables.cells import NumberColumn, merge_columns
from rankbars.tables.columns import fold_name
from rankbars.tables.designs import RowPlan
from rankbars.tables.directions import Direction, Side, settle_directions
from rankbars.tables.matrices import RowIndex
from rankbars.tables.metrics import usual_direction
from rankbars.tables.records import Records
from rankbars.tables.tableoptions import TableOptions
from rankbars.tables.tidy import TidyTable
from rankbars.tables.traits import (
    TRAIT_ROLES,
    read_directions,
    read_metrics,
    read_traits,
)  # fmt: skip

__all__ = ["AboutTasks", "Group", "describe_tasks"]


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Tables whose rows mean the same.

    Parameters
    ----------
    plan : RowPlan
        What a row is.
    parts : tuple of TidyTable
        The tables.
    roles : mapping from str to str
        Column by role; of the first table that has the role.
    named : frozenset of str
        Roles that the caller named.
    metric : str or None
        Name of the metric where no column tells it, if all tables agree.
    """

    plan: RowPlan
    parts: tuple[TidyTable, ...]
    roles: Mapping[str, str]
    named: frozenset[str]
    metric: str | None

    @classmethod
    def of(cls, plan: RowPlan, parts: Sequence[TidyTable]) -> Group:
        """The group of `parts`."""
        roles: dict[str, str] = {}
        for part in parts:
            roles = {**part.roles, **roles}
        metrics = {part.metric for part in parts}
        if len(metrics) > 1 and any("metric" not in part.roles for part in parts):
            # Score columns with different names in different files: each name is a metric.
            parts = [
                part
                if "metric" in part.roles or part.metric is None
                else part.with_constants({"metric": part.metric})
                for part in parts
            ]
        return cls(
            plan,
            tuple(parts),
            roles,
            frozenset().union(*(part.named for part in parts)),
            next(iter(metrics)) if len(metrics) == 1 else None,
        )

    @property
    def score(self) -> NumberColumn:
        """What the columns of scores hold."""
        return reduce(merge_columns, (part.rows.numbers["score"] for part in self.parts))


class AboutTasks(NamedTuple):
    """What is known about each task of a group.

    Parameters
    ----------
    metrics, categories, families : mapping from str to str or None
        By task.
    directions : mapping from str to {"higher", "lower"}
        Which side is better, by task.
    limits : tuple of (float or None, float or None)
        Declared limits of the scores.
    notes : tuple of Note
        What was chosen or left aside.
    """

    metrics: Mapping[str, str | None]
    categories: Mapping[str, str | None]
    families: Mapping[str, str | None]
    directions: Mapping[str, Direction]
    limits: tuple[float | None, float | None]
    notes: tuple[Note, ...]

    def info(self, task: str, weight: float, coverage: Coverage | None) -> TaskInfo:
        """Everything known about one task."""
        return TaskInfo(
            self.categories[task], self.families[task], self.metrics[task], weight,
            self.directions[task], self.limits[0], self.limits[1], coverage,
        )  # fmt: skip


def describe_tasks(
    group: Group, records: Records, index: RowIndex, options: TableOptions
) -> AboutTasks:
    """Metric, category, family and direction of each task.

    Raises
    ------
    DataError
        If a task has several metrics or its direction cannot be settled.
    """
    names = records.names
    present = [names["task"][code] for code in np.unique(index.task_of_row).tolist()]
    values: dict[str, dict[str, list[str]]] = {}
    for role in TRAIT_ROLES:
        if role in records.roles:
            values[role] = {task: [] for task in present}
            for task, name in records.traits(role):
                values[role][names["task"][task]].append(name)
    nothing: dict[str, str | None] = dict.fromkeys(present)
    by_column = "metric" not in values
    metrics = dict.fromkeys(present, group.metric) if by_column else read_metrics(values["metric"])
    notes: list[Note] = []
    found = {"category": nothing, "family": nothing}
    for role in found:
        if role in values:
            found[role], more = read_traits(role, values[role], named=role in group.named)
            notes += more
    recorded: Mapping[str, Direction | None] = dict.fromkeys(present)
    if "direction" in values:
        recorded = read_directions(values["direction"], group.roles["direction"])
    sides = {task: Side(metrics[task], recorded[task], by_column) for task in present}
    directions, said = settle_directions(sides, options.direction)
    if by_column and group.metric not in (None, options.metric):
        # The name of a column such as "score" or "result" is no metric.
        known = fold_name(str(group.metric)) != "score" and usual_direction(str(group.metric))
        metrics = metrics if known else nothing
    limits = (options.minimum, options.maximum)
    if group.score.only_truths and limits == (None, None):
        limits = (0.0, 1.0)
    return AboutTasks(
        metrics, found["category"], found["family"], directions, limits, (*notes, *said)
    )
