"""Weights of categories, as weights of their tasks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rankbars.data.checks import check_mapping, check_name, check_number, finite_weights
from rankbars.errors import OptionError

if TYPE_CHECKING:
    from rankbars.data.scores import TaskInfo

__all__ = ["weigh_tasks"]


def weigh_tasks(info: Mapping[str, TaskInfo], weights: Mapping[str, float]) -> dict[str, float]:
    """Weights of tasks such that the mean of each category has the weight of the category.

    Parameters
    ----------
    info : mapping from task to TaskInfo
        Categories of the tasks, and the weights that tasks have within their category.
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
        If a task has no category, a weight is negative or not finite, or all are zero.
    """
    category = {task: one.category for task, one in info.items()}
    lacking = [task for task, name in category.items() if name is None]
    if lacking:
        shown = ", ".join(repr(task) for task in lacking[:3])
        shown += f" and {len(lacking) - 3} more tasks" if len(lacking) > 3 else ""
        raise OptionError(
            f"Weights of categories need the category of every task; not known for {shown}. Give "
            "them with --categories FILE or TaskInfo(category=...)."
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
