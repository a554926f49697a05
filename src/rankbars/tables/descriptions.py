"""What describes tasks: metric, category, family, and which side of their scores is better."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rankbars.data.evidence import Coverage
from rankbars.data.notes import Note
from rankbars.data.scores import TaskInfo
from rankbars.errors import DataError
from rankbars.tables.columns import fold_name
from rankbars.tables.directions import (
    Direction,
    Side,
    is_assumed,
    read_directions,
    settle_directions,
)
from rankbars.tables.metrics import is_plain, usual_direction
from rankbars.tables.parsedtables import Group
from rankbars.tables.readoptions import ReadOptions

__all__ = ["AboutTasks", "describe_tasks"]


def _read_metrics(values: Mapping[str, Sequence[str]]) -> dict[str, str | None]:
    """The one metric of each task; raises `DataError` if a task has several."""
    for task, metrics in values.items():
        if len(metrics) > 1:
            every = sorted({metric for found in values.values() for metric in found})
            raise DataError(
                f"Task {task!r} holds {len(metrics)} metrics: {', '.join(map(repr, metrics))}. A "
                f"board shows one metric per task; choose it: "
                f"{shlex.join(('--metric', metrics[0]))} (in Python: "
                f"metric={metrics[0]!r}). Metrics in the table: {', '.join(map(repr, every))}."
            )
    return {task: metrics[0] if metrics else None for task, metrics in values.items()}


def _read_traits(
    role: str, values: Mapping[str, Sequence[str]], *, named: bool
) -> tuple[dict[str, str | None], tuple[Note, ...]]:
    """The category or family of each task.

    A column that was only recognised by its name and differs within a task describes something
    else (often the model) and is left aside with a note; one that was named raises `DataError`.
    """
    mixed = next((task for task, found in values.items() if len(found) > 1), None)
    if mixed is None:
        return {task: found[0] if found else None for task, found in values.items()}, ()
    few = ", ".join(repr(value) for value in values[mixed][:3])
    if named:
        raise DataError(
            f"Task {mixed!r} has several values in its {role} column ({few}, …); a task belongs to "
            f"one {role}."
        )
    note = Note(
        f"{role}-ignored",
        f"The {role} column differs within a task ({few} in {mixed!r}), so it does not describe "
        "tasks; it is not used.",
    )
    return dict.fromkeys(values), (note,)


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
    assumed : frozenset of str
        Tasks of which nothing says which side is better, so that higher is taken for it.
    """

    metrics: Mapping[str, str | None]
    categories: Mapping[str, str | None]
    families: Mapping[str, str | None]
    directions: Mapping[str, Direction]
    limits: tuple[float | None, float | None]
    notes: tuple[Note, ...]
    assumed: frozenset[str] = frozenset()

    def worst(self, tasks: Iterable[str]) -> list[float]:
        """The worst score of each task, NaN where nothing says it."""
        ends = [self.limits[self.directions.get(task) == "lower"] for task in tasks]
        return [math.nan if end is None else end for end in ends]

    def info(self, task: str, weight: float, coverage: Coverage | None) -> TaskInfo:
        """Everything known about one task."""
        return TaskInfo(
            self.categories[task], self.families[task], self.metrics[task], weight,
            self.directions[task], self.limits[0], self.limits[1], coverage,
        )  # fmt: skip


def _is_named_by_file(group: Group, options: ReadOptions) -> bool:
    """Whether only the name of a file says what the metric is or, where there is none, the task."""
    if group.metric is None:
        return "task" not in group.roles
    return group.metric not in (*group.roles.values(), options.metric)


_IN_WORDS = "words such as pass and fail say it"


def describe_tasks(
    group: Group, present: Sequence[str], values: Mapping[str, Mapping[str, Sequence[str]]],
    options: ReadOptions,
) -> AboutTasks:  # fmt: skip
    """Metric, category, family and direction of each task.

    Parameters
    ----------
    group : Group
        The tables.
    present : sequence of str
        Tasks that have rows.
    values : mapping from str to mapping
        What columns that describe tasks say of each, by role.
    options : ReadOptions
        What the caller declares.

    Raises
    ------
    DataError
        If a task has several metrics or its direction cannot be settled.
    """
    nothing: dict[str, str | None] = dict.fromkeys(present)
    by_column = "metric" not in values
    metrics = dict.fromkeys(present, group.metric) if by_column else _read_metrics(values["metric"])
    notes: list[Note] = []
    found = {"category": nothing, "family": nothing}
    for role in found:
        if role in values:
            found[role], more = _read_traits(role, values[role], named=role in group.named)
            notes += more
    recorded: Mapping[str, Direction | None] = dict.fromkeys(present)
    if "direction" in values:
        recorded = read_directions(values["direction"], group.roles["direction"])
    by_file = by_column and _is_named_by_file(group, options)
    words = {"word", "right"} & {*dict(group.score.spellings)}
    if by_file and words and group.score.only_truths and group.metric not in options.direction:
        metrics = nothing
        sides = {task: Side(None, recorded[task] or "higher", origin=_IN_WORDS) for task in present}
    else:
        plain = group.score.only_truths or group.score.whole == (0, 1)
        plain = plain or (group.metric == options.metric and is_plain(group.roles.get("score", "")))
        sides = {
            task: Side(metrics[task], recorded[task], by_column, plain=plain) for task in present
        }
    directions, said = settle_directions(sides, options.direction, group.roles, by_file=by_file)
    if by_column and group.metric not in (None, options.metric):
        # The name of a column such as "score" or "result" is no metric.
        known = fold_name(str(group.metric)) != "score" and usual_direction(str(group.metric))
        metrics = metrics if known else nothing
    limits = (options.minimum, options.maximum)
    if group.score.only_truths and limits == (None, None):
        limits = (0.0, 1.0)
    assumed = frozenset(t for t, side in sides.items() if is_assumed(t, side, options.direction))
    return AboutTasks(
        metrics, found["category"], found["family"], directions, limits, (*notes, *said), assumed
    )
