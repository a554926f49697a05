"""Groups of tasks that count as one in an average, as reports of suites count them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from rankbars.data.checks import check_mapping, check_name, check_number, finite_weights
from rankbars.data.evidence import Estimates, Items
from rankbars.data.spec import WITHIN_GROUPS
from rankbars.data.storedtasks import known_outline
from rankbars.errors import DataError, OptionError

if TYPE_CHECKING:
    from rankbars.data.scores import Scores

__all__ = ["nested_weights"]


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
    members = {name: sum(one == name for one in group.values()) for name in known}
    alone = {task for task, name in group.items() if members[name] == 1}
    own = {
        task: 1.0 if within == "equal" or task in alone else _rows(scores, task) for task in tasks
    }
    sizes = dict.fromkeys(known, 0.0)
    for task, name in group.items():
        sizes[name] += own[task]
    return {
        task: (name, share[name] / whole * own[task] / sizes[name]) for task, name in group.items()
    }


def _rows(scores: Scores, task: str) -> float:
    """How many rows a task has."""
    outline = known_outline(scores.tasks, task)
    if outline is not None:
        return float(outline.rows)
    evidence = scores.tasks[task]
    if isinstance(evidence, Items):
        return float(evidence.n)
    if isinstance(evidence, Estimates) and evidence.n is not None:
        return float(np.nanmax(evidence.n))
    raise DataError(
        f"Task {task!r}: nothing says how many rows it has, so tasks cannot count in their group "
        "by size. Use --within-groups equal (within='equal')."
    )
