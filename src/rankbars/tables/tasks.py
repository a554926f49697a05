"""Tasks of rows by models: held in memory, or kept in files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankbars.data.drafts import TemporaryFolder
from rankbars.data.evidence import Coverage, Evidence, Folds, Items, take_models
from rankbars.data.storedtasks import (
    Change,
    Outline,
    StoredTasks,
    TaskFile,
    TaskReference,
    change_tasks,
    digest_names,
)
from rankbars.errors import DataError
from rankbars.tables.cleanrows import Records
from rankbars.tables.designs import NamedKind, fold_design
from rankbars.tables.matrices import Matrix, RowIndex, TaskCells
from rankbars.tables.rowstates import ERROR, MISSING, SCORED, UNSCORED

__all__ = ["Shelf", "count_coverage", "fold_designs", "split_weights"]


class Shelf:
    """Takes the scores of tasks as they are read, and gives the tasks once all were.

    Parameters
    ----------
    records : Records
        The rows.
    index : RowIndex
        Rows of each task.
    turned : collection of int
        Tasks whose scores are better when lower; they change their sign.
    folder : Path, optional
        Where tasks are kept in files although memory holds them; it lives as long as they do.
    """

    def __init__(
        self, records: Records, index: RowIndex, turned: Collection[int], folder: Path | None = None
    ) -> None:
        self._records = records
        self._index = index
        self._turned = turned
        sizes = [span.stop - span.start for span in map(index.span, range(index.tasks))]
        models, room = len(records.names["model"]), records.options.room
        self.groups: Sequence[range] = room.group(sizes, models)
        self._own = None if folder or room.holds(sizes, models) else TemporaryFolder()
        self._folder = folder if self._own is None else self._own.path
        self._cells: dict[int, TaskCells] = {}
        self._stored: dict[int, Outline] = {}

    def put(self, task: int, cells: TaskCells, outline: Outline | None = None) -> None:
        """Take the scores of one task, of which an outline may be known; they change in place."""
        several = cells.answers is not None and cells.answers.max(initial=0) > 1
        crossing, values = cells.crossing, cells.values
        if task in self._turned:
            np.subtract(0.0, values, out=values)
            crossing = crossing.turned()
        answers, within = (cells.answers, cells.within) if several else (None, None)
        if self._folder is not None:
            TaskFile.put_scores(
                self._folder / str(task),
                {
                    "values": values, "answers": answers, "runs": crossing.cube, "within": within,
                    "trials": crossing.trials,
                },
            )  # fmt: skip
            known = outline or Outline.of(values, answers, averaged=crossing.averaged)
            self._stored[task] = known
            return
        values.setflags(write=False)
        self._cells[task] = TaskCells(values, answers, crossing, within)

    def tasks(
        self, matrix: Matrix, designs: Mapping[str, Folds] | None, kind: NamedKind
    ) -> Mapping[str, Evidence]:
        """All tasks that have rows.

        Parameters
        ----------
        matrix : Matrix
            What is known of all rows.
        designs : mapping from str to Folds, or None
            Design by task, where rows are folds.
        kind : {"items", "runs", "prompts"}
            What a row is otherwise.
        """
        names = self._records.names
        ids = np.array(self._records.key_names, dtype=object)[self._index.key_of_row]
        # A model without any row of a task is there with all its scores missing, and counted so.
        present = np.flatnonzero(matrix.present.any(axis=0))
        changes: dict[str, Change | None] = {}
        items: dict[str, Evidence] = {}
        files: dict[str, TaskReference] = {}
        models = tuple(names["model"][model] for model in present)
        for code, task in enumerate(names["task"]):
            span = self._index.span(code)
            if span.start == span.stop:
                continue
            clusters, weights = _compact(matrix.clusters, span), split_weights(matrix, span)[1]
            design = kind if designs is None else designs[task]
            changes[task] = None
            if len(models) < len(names["model"]):
                changes[task] = Change(partial(take_models, columns=present), models)
            if self._folder is not None:
                path = self._folder / str(code)
                TaskFile.put_rows(path, ids[span], clusters, weights)
                told = digest_names(ids[span], clusters, weights)
                about = self._stored[code]._replace(design=design, names=told)
                files[task] = TaskFile(str(path), names["model"], design, about, about.averaged)
                continue
            values, answers, crossing, within = self._cells.pop(code)
            items[task] = Items(
                names["model"], values, clusters, weights, design, tuple(ids[span]), answers,
                crossing.cube, crossing.averaged, within, crossing.trials,
            )  # fmt: skip
        stored: Mapping[str, Evidence] = items
        if files:
            stored = StoredTasks(files, () if self._own is None else (self._own,))
        return change_tasks(stored, changes)


def count_coverage(index: RowIndex, matrix: Matrix, task: int) -> Coverage:
    """What became of the rows of one task."""
    span = index.span(task)
    counts = matrix.counts[:, task, np.flatnonzero(matrix.present.any(axis=0))]
    return Coverage(
        span.stop - span.start, counts[SCORED], counts[UNSCORED], counts[ERROR], counts[MISSING]
    )


def split_weights(matrix: Matrix, span: slice) -> tuple[float, NDArray[np.float64] | None]:
    """Weight of the task and weights of its rows: equal weights belong to the task.

    Rows that were drawn with unequal probabilities weigh one over it.
    """
    drawn = None
    if matrix.probabilities is not None and np.ptp(matrix.probabilities[span]) > 0:
        drawn = 1.0 / matrix.probabilities[span]
    if matrix.weights is None:
        return 1.0, drawn
    weights = matrix.weights[span]
    if (weights == weights[0]).all():
        return float(weights[0]), drawn
    if (weights == 0).any():
        raise DataError("Weights of rows that differ within a task must be above 0; found 0.")
    return 1.0, weights if drawn is None else weights * drawn


def _compact(clusters: NDArray[np.int64] | None, span: slice) -> NDArray[np.int64] | None:
    """Clusters of one task, numbered from 0."""
    if clusters is None:
        return None
    return np.unique(clusters[span], return_inverse=True)[1].reshape(-1)


def fold_designs(records: Records, index: RowIndex) -> dict[str, Folds]:
    """Design of each task whose rows are folds."""
    names = records.names
    fold_names = names[records.keys[-1]]
    folds: dict[str, NDArray[np.int64]] = {}
    repeats: dict[str, int] = {}
    for code, task in enumerate(names["task"]):
        keys = index.key_of_row[index.span(code)]
        if not len(keys):
            continue
        repeat, fold = np.divmod(keys, len(fold_names))
        folds[task] = np.unique(fold)
        repeats[task] = len(np.unique(repeat))
    with_repeats = repeats if len(records.keys) > 1 else None
    return fold_design(folds, fold_names, with_repeats, records.options)
