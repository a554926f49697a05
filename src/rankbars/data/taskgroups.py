"""Weights of tasks: of groups that count as one, as in reports of suites, and of categories."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankbars.calls import check_mapping, check_name, check_number, finite_weights
from rankbars.data.evidence import Estimates, Items
from rankbars.data.notes import Note
from rankbars.data.spec import WITHIN_GROUPS
from rankbars.data.storedtasks import known_outline
from rankbars.errors import DataError, OptionError

if TYPE_CHECKING:
    from rankbars.data.scores import Scores
    from rankbars.data.taskinfo import TaskInfo

__all__ = ["count_groups", "group_note", "nested_weights", "weigh_tasks"]

_MOST_NAMES = 3


def nested_weights(
    scores: Scores,
    groups: Mapping[str, str],
    within: str = "size",
    weights: Mapping[str, float] | None = None,
) -> dict[str, tuple[str, float]]:
    """Group and weight of each task: the weight of its group times its share of the group.

    Parameters and errors are those of `Scores.group_tasks`.
    """
    check_name("weights within groups", within, WITHIN_GROUPS)
    tasks = tuple(scores.tasks)
    for name in check_mapping("groups", groups, "task to group"):
        check_name("task in the groups", name, tasks)
    group = {name: str(groups.get(name, name)) for name in tasks}
    known = tuple(dict.fromkeys(group.values()))
    share = dict.fromkeys(known, 1.0 if weights is None else 0.0)
    for name, value in ({} if weights is None else weights).items():
        check_name("group in the weights", name, known)
        share[name] = check_number(f"weight of group {name!r}", value, 0.0)
    share = dict(zip(share, finite_weights(list(share.values())), strict=True))
    whole = sum(share.values())
    if whole == 0:
        raise OptionError("All weights of groups are zero; one must be above 0.")
    sizes = _sizes(scores, group) if within == "size" else {}
    for task, size in sizes.items():
        if size is None:
            raise DataError(
                f"Task {task!r}: nothing says how many rows it has, so tasks cannot count in their "
                "group by size. Use --within-groups equal (within='equal')."
            )
    return _nest(group, {name: one / whole for name, one in share.items()}, sizes)


def count_groups(scores: Scores, otherwise: str = "") -> Scores:
    """These scores with the groups of the tool's own report as one task each in an average.

    Where weights, families or groups were declared, those count, and nothing changes. Tasks of a
    single group count in it as in the report, too.

    Parameters
    ----------
    scores : Scores
        The tasks that count, and no others: groups share their weight among these.
    otherwise : str
        How to have it otherwise, where there is an option for that.

    Examples
    --------
    >>> import rankbars as rb
    >>> tasks = {"law": [[0.0]] * 3, "art": [[1.0]], "gsm8k": [[1.0]] * 2}
    >>> info = {name: rb.TaskInfo(group="mmlu") for name in ("law", "art")}
    >>> found = count_groups(rb.Scores.from_arrays(tasks, ["a"], info=info))
    >>> {name: one.weight for name, one in found.info.items()}
    {'art': 0.125, 'gsm8k': 0.5, 'law': 0.375}
    """
    declared = any(
        one.grouped or one.family is not None or one.weight != 1.0 for one in scores.info.values()
    )
    members: dict[str, list[str]] = {}
    for task, one in scores.info.items():
        if one.group is not None:
            members.setdefault(one.group, []).append(task)
    members = {name: tasks for name, tasks in members.items() if len(tasks) > 1}
    if declared or not members:
        return scores
    group = {task: task for task in scores.tasks}
    group |= {task: name for name, tasks in members.items() for task in tasks}
    sizes: dict[str, float | None] = {}
    for tasks in members.values():
        of_group = _sizes(scores, dict.fromkeys(tasks, ""))
        if all(scores.info[task].pooled for task in tasks) and None not in of_group.values():
            sizes |= of_group
    known = tuple(dict.fromkeys(group.values()))
    found = _nest(group, dict.fromkeys(known, 1.0 / len(known)), sizes)
    several = len(known) > 1
    info = {
        task: replace(
            one,
            family=found[task][0] if several else None,
            weight=found[task][1],
            grouped=several,
        )
        for task, one in scores.info.items()
    }
    said = group_note(members, len(known), frozenset(sizes))
    text = f"As in the report of the tool, {said.message}{otherwise}"
    return replace(scores, info=info, notes=(*scores.notes, replace(said, message=text)))


def group_note(members: Mapping[str, Sequence[str]], units: int, by_size: frozenset[str]) -> Note:
    """Which tasks count as one, and how.

    Parameters
    ----------
    members : mapping from str to sequence of str
        The tasks of each group of several.
    units : int
        Groups, and tasks without one.
    by_size : frozenset of str
        Tasks that count by their number of rows.
    """
    ways = {tasks[0] in by_size for tasks in members.values()}
    said = [f"{len(tasks)} tasks of {name!r}" for name, tasks in members.items()]
    more = f" and {len(said) - _MOST_NAMES} more groups" if len(said) > _MOST_NAMES else ""
    way = {
        frozenset({True}): "by their numbers of rows",
        frozenset({False}): "each the same",
    }.get(frozenset(ways), "by their numbers of rows where these are known and the report does so")
    listed = ", ".join(said[:_MOST_NAMES]) + more
    counted = f"count as one, {way}" if units > 1 else f"count {way}"
    of = f" The average is of {units} groups and tasks." if units > 1 else ""
    return Note("grouped-tasks", f"{listed} {counted}.{of}")


def weigh_tasks(info: Mapping[str, TaskInfo], weights: Mapping[str, float]) -> dict[str, float]:
    """Weights of tasks such that the mean of each category has the weight of the category.

    Parameters
    ----------
    info : mapping from task to TaskInfo
        Categories of the tasks, and the weights that tasks have within their category. A task
        without one is a category of its own, under its name.
    weights : mapping from category to float
        0 or more; categories that are not named get 0.

    Returns
    -------
    dict from str to float
        They add up to 1.

    Raises
    ------
    UnknownOptionError
        If there is no such category.
    OptionError
        If no task has a category, a weight is negative or not finite, or all are zero.
    """
    category = {task: one.category or task for task, one in info.items()}
    if all(one.category is None for one in info.values()):
        raise OptionError(
            "Weights of categories need the categories of tasks; none is known. Give them with "
            "--categories FILE or TaskInfo(category=...)."
        )
    known = tuple(sorted({str(name) for name in category.values()}))
    given = dict.fromkeys(known, 0.0)
    for name, value in check_mapping("weights", weights, "category to weight").items():
        check_name("category in the weights", name, known)
        given[name] = check_number(f"weight of category {name!r}", value, 0.0)
    own = dict(zip(info, finite_weights([one.weight for one in info.values()]), strict=True))
    within = dict.fromkeys(known, 0.0)
    for task, one in category.items():
        within[str(one)] += own[task]
    empty = [name for name in known if given[name] > 0 and within[name] == 0]
    if empty:
        raise OptionError(f"All tasks of category {empty[0]!r} have weight 0, so it has no mean.")
    given = dict(zip(given, finite_weights(list(given.values())), strict=True))
    total = math.fsum(given.values())
    if total == 0:
        raise OptionError("All weights of categories are zero; one must be above 0.")
    return {
        task: given[name] / total * own[task] / within[name] if within[name] > 0 else 0.0
        for task, name in ((task, str(one)) for task, one in category.items())
    }


def _nest(
    group: Mapping[str, str], share: Mapping[str, float], sizes: Mapping[str, float | None]
) -> dict[str, tuple[str, float]]:
    own = {task: sizes.get(task) or 1.0 for task in group}
    total = dict.fromkeys(share, 0.0)
    for task, name in group.items():
        total[name] += own[task]
    return {task: (name, share[name] * own[task] / total[name]) for task, name in group.items()}


def _sizes(scores: Scores, group: Mapping[str, str]) -> dict[str, float | None]:
    """How many rows the tasks have that are not alone in their group; None = nothing says it."""
    members = list(group.values())
    return {task: _rows(scores, task) for task, name in group.items() if members.count(name) > 1}


def _rows(scores: Scores, task: str) -> float | None:
    outline = known_outline(scores.tasks, task)
    if outline is not None:
        return float(outline.rows)
    evidence = scores.tasks[task]
    if isinstance(evidence, Items):
        return float(evidence.n)
    if isinstance(evidence, Estimates) and evidence.n is not None:
        return float(np.nanmax(evidence.n))
    return None
