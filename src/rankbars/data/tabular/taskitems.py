"""Tasks whose rows have names: items, folds or runs by models."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Coverage, Folds, Items
from rankbars.data.tabular.crossing import Crossing
from rankbars.data.tabular.designs import NamedKind, fold_design
from rankbars.data.tabular.matrices import Matrix, RowIndex
from rankbars.data.tabular.records import ERROR, MISSING, SCORED, UNSCORED, Records
from rankbars.errors import DataError

__all__ = ["build_items", "fold_designs", "split_weights"]


def build_items(
    records: Records, index: RowIndex, matrix: Matrix, designs: Mapping[str, Folds] | None,
    kind: NamedKind,
) -> dict[str, tuple[Items, Coverage]]:  # fmt: skip
    """Evidence and coverage of each task, scores as given.

    Parameters
    ----------
    records : Records
        The rows.
    index : RowIndex
        Rows of each task.
    matrix : Matrix
        Scores of all tasks.
    designs : mapping from str to Folds, or None
        Design by task, where rows are folds.
    kind : {"items", "runs", "prompts"}
        What a row is otherwise.
    """
    names = records.table.names
    ids = np.array(records.key_names, dtype=object)[index.key_of_row]
    # A model without any row of a task is there with all its scores missing, and is counted so.
    present = np.flatnonzero(matrix.present.any(axis=0))
    models = tuple(names["model"][model] for model in present)
    built = {}
    for code, task in enumerate(names["task"]):
        span = index.span(code)
        if span.start == span.stop:
            continue
        answers = None
        if matrix.answers is not None:
            answers = matrix.answers[span][:, present]
        several = answers is not None and answers.max() > 1
        crossing = Crossing((), None)
        if several and matrix.labels is not None:
            crossing = matrix.labels.cross(span, matrix.values.shape[1])
        items = Items(
            models,
            matrix.values[span][:, present],
            clusters=_compact(matrix.clusters, span),
            weights=split_weights(matrix, span)[1],
            design=kind if designs is None else designs[task],
            ids=tuple(ids[span]),
            answers=answers if several else None,
            runs=None if crossing.cube is None else crossing.cube[:, :, present],
            averaged=crossing.averaged,
        )
        counts = matrix.counts[:, code, present]
        coverage = Coverage(
            span.stop - span.start, counts[SCORED], counts[UNSCORED], counts[ERROR], counts[MISSING]
        )
        built[task] = (items, coverage)
    return built


def split_weights(matrix: Matrix, span: slice) -> tuple[float, NDArray[np.float64] | None]:
    """Weight of the task and weights of its rows: equal weights belong to the task."""
    if matrix.weights is None:
        return 1.0, None
    weights = matrix.weights[span]
    if (weights == weights[0]).all():
        return float(weights[0]), None
    if (weights == 0).any():
        raise DataError("Weights of rows that differ within a task must be above 0; found 0.")
    return 1.0, weights


def _compact(clusters: NDArray[np.int64] | None, span: slice) -> NDArray[np.int64] | None:
    """Clusters of one task, numbered from 0."""
    if clusters is None:
        return None
    return np.unique(clusters[span], return_inverse=True)[1].reshape(-1)


def fold_designs(records: Records, index: RowIndex) -> dict[str, Folds]:
    """Design of each task whose rows are folds."""
    names = records.table.names
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
