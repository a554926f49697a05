"""Tables that scikit-learn writes of cross-validation: a row, or a column, of each fold."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from rankbars.data.notes import list_names
from rankbars.errors import DataError

__all__ = ["FOLDS_BY_ORDER", "has_row_per_fold", "refuse_fold_columns"]

FOLDS_BY_ORDER = (
    "Rows are folds of cross-validation, for fit_time and score_time stand beside the scores; they "
    "are numbered in their order within each model and task. If they are not: --rows items."
)

_TIMES = frozenset({"fit_time", "score_time"})
_KEYS = frozenset({"item", "fold", "repeat", "run", "epoch", "variant"})
_FOLD_SCORE = re.compile(r"split(\d+)_test_(.+)")


def has_row_per_fold(columns: Collection[str], roles: Collection[str]) -> bool:
    """Whether rows are those of ``cross_validate``, one for each fold, which nothing names.

    Examples
    --------
    >>> has_row_per_fold(["fit_time", "score_time", "test_score", "model"], {"model", "score"})
    True
    >>> has_row_per_fold(["fit_time", "score_time", "test_r2", "seed"], {"run", "score"})
    False
    """
    return {*columns} >= _TIMES and not _KEYS & {*roles}


def refuse_fold_columns(source: str, columns: Sequence[str], texts: Collection[str]) -> None:
    """A column for each fold is no task.

    Parameters
    ----------
    source : str
        The file.
    columns : sequence of str
        Its columns.
    texts : collection of str
        Those of text, of which one may name the models.

    Raises
    ------
    DataError
        If there are such columns.
    """
    found = [match for match in map(_FOLD_SCORE.fullmatch, columns) if match is not None]
    metrics = list(dict.fromkeys(match[2] for match in found))
    if not metrics:
        return
    metric = next((name for name in metrics if name == "score"), metrics[0])
    folds = [match[0] for match in found if match[2] == metric]
    named = next((name for name in columns if name in texts), None)
    named = "params" if "params" in columns else named
    frame = "frame.rename_axis('model').reset_index()"
    if named is not None:
        frame = f"frame.rename(columns={{{named!r}: 'model'}})"
    each = f" for each of {list_names(metrics, 4)}" if len(metrics) > 1 else ""
    raise DataError(
        f"{source}: this is cv_results_ of scikit-learn, which has a row for each candidate, and a "
        f"column for each fold{each}. Make a row of each score, in Python: "
        f"{frame}.astype({{'model': str}}).melt('model', [f'split{{k}}_test_{metric}' for k in "
        f"range({len(folds)})], 'fold', {metric!r})"
        ".to_csv('folds.csv', index=False)."
    )
