"""The scores of rows that tasks share, by which averages over other tasks and weights are made."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Items
from rankbars.data.fields import locate_models, spread_columns
from rankbars.data.rowscores import RowScores
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec
from rankbars.steps.average.joinedtasks import find_joined, joined_by_names, row_labels

__all__ = ["share_rows"]

_MOST_BYTES = 1_000_000  # more would make a page slow to open
_MOST_WORK = 2 * 10**7  # rows times pairs of models; more would make it slow to follow a slider


def share_rows(scores: Scores, spec: Spec) -> tuple[RowScores, ...]:
    """Scores of tasks that are averaged row by row, where any choice of them would be, too.

    Parameters
    ----------
    scores : Scores
        What is averaged.
    spec : Spec
        How.

    Returns
    -------
    tuple of RowScores
        One for each group of tasks with the same rows. None where some tasks are linked by what
        the data show, or by a part of their rows, so that fewer of them may be linked otherwise;
        none where scores are too many for a page, or rows of models are not paired.
    """
    found: list[RowScores] = []
    groups = {} if spec.test == "welch" else find_joined(scores, scores.tasks, spec)
    for names in dict.fromkeys(groups.values()):
        first, models = scores.tasks[names[0]], len(scores.models)
        rows = first.n if isinstance(first, Items) else 0
        if len(names) * rows * models > 8 * _MOST_BYTES or rows * models**2 > 2 * _MOST_WORK:
            return ()
        tasks = {name: one for name in names if isinstance(one := scores.tasks[name], Items)}
        if not joined_by_names(tasks):
            return ()
        signs = [1.0 if scores.info[name].direction == "higher" else -1.0 for name in names]
        values = [_in_order(one, scores.models) for one in tasks.values()]
        found.append(RowScores.of(names, np.array(values) * np.array(signs)[:, None, None]))
    size = sum(len(one.packed) * 3 // 4 for one in found)
    return tuple(found) if size <= _MOST_BYTES else ()


def _in_order(items: Items, models: tuple[str, ...]) -> NDArray[np.float64]:
    """Rows in the order of their names, and a column for each model."""
    labels = row_labels(items)
    rows = items.values[sorted(range(len(labels)), key=labels.__getitem__)]
    return spread_columns(rows, locate_models(items.models, models), len(models))
