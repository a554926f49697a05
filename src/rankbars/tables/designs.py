"""What a row of a task is: an item, a fold of cross-validation, a run, a prompt, or nothing.

A fold column always means cross-validation. What columns do not say is declared by options.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Folds
from rankbars.data.notes import list_names
from rankbars.errors import DataError, OptionError
from rankbars.tables.columns import cross_validated, fold_name
from rankbars.tables.readoptions import ReadOptions

__all__ = [
    "FOLDS_BY_ORDER", "RowPlan", "Size", "fold_design", "has_row_per_fold", "numbers_of_folds",
    "plan_rows", "refuse_fold_columns", "refuse_unnamed_repeats",
]  # fmt: skip

Kind = Literal["items", "folds", "runs", "prompts", "estimates", "positions"]
NamedKind = Literal["items", "runs", "prompts"]

# Roles that name a row, or an answer to one.
_ROW_ROLES = ("item", "fold", "repeat", "run", "epoch", "variant")
ANSWER_ROLES = ("repeat", "run", "epoch", "variant")


class RowPlan(NamedTuple):
    """How rows of a table become rows of a task.

    Parameters
    ----------
    kind : {"items", "folds", "runs", "prompts", "estimates", "positions"}
        What a row is; ``"estimates"``: there is one per model and task; ``"positions"``: items
        without a name, in the order of the table.
    keys : tuple of str
        Label roles that together name a row; of folds none where their order numbers them.
    answers : tuple of str
        Label roles that number several answers to one row, which are averaged.
    ignored : tuple of str
        Label roles that play no part in this design.
    """

    kind: Kind
    keys: tuple[str, ...]
    answers: tuple[str, ...]
    ignored: tuple[str, ...]


def plan_rows(roles: Mapping[str, str], options: ReadOptions) -> RowPlan:
    """Plan for a table whose columns play `roles` (column by role).

    Examples
    --------
    >>> plan_rows({"model": "m", "item": "i", "epoch": "e"}, ReadOptions()).answers
    ('epoch',)
    >>> plan_rows({"model": "m", "item": "i", "fold": "f"}, ReadOptions()).keys
    ('fold',)
    """
    here = [role for role in _ROW_ROLES if role in roles]
    if options.rows == "folds" or (options.rows is None and "fold" in here):
        return _plan_folds(here)
    if options.rows == "prompts":
        return _plan("prompts", _first(here, ("variant",)), here)
    if options.rows == "runs":
        return _plan("runs", _first(here, ("run", "repeat", "item", "fold", "epoch")), here)
    if options.rows == "items" and "item" not in here:
        if "fold" in here:
            return _plan("items", ("repeat", "fold") if "repeat" in here else ("fold",), here)
        keys = _first(here, ("epoch", "run", "repeat", "variant"))
        return _plan("items", keys, here) if keys else RowPlan("positions", (), (), ())
    if "item" in here:
        return _plan("items", ("item",), here)
    if here[:1] == ["epoch"] and fold_name(roles["epoch"]) == "sample":
        # Without an item column a sample is what was asked, not one answer of several.
        return _plan("items", ("epoch",), here)
    keys = _first(here, ("run", "repeat", "epoch"))
    if keys:
        return _plan("runs", keys, here)
    if "variant" in here:
        return _plan("prompts", ("variant",), here)
    return RowPlan("estimates", (), (), ())


def _first(here: Collection[str], order: Sequence[str]) -> tuple[str, ...]:
    return next(((role,) for role in order if role in here), ())


def _plan(kind: NamedKind, keys: tuple[str, ...], here: Sequence[str]) -> RowPlan:
    if not keys:
        role = "variant" if kind == "prompts" else "run"
        raise OptionError(
            f"rows={kind!r} needs a column that names the {kind}, and none was found. Name it: "
            f"--column {role}=NAME (in Python: columns={{{role!r}: 'NAME'}})."
        )
    others = [role for role in here if role not in keys]
    answers = [role for role in others if role in ANSWER_ROLES or kind != "items"]
    return RowPlan(
        kind, keys, tuple(answers), tuple(role for role in others if role not in answers)
    )


def _plan_folds(here: Sequence[str]) -> RowPlan:
    fold = _first(here, ("fold", "item", "run", "epoch", "repeat"))
    if not fold:
        return RowPlan("folds", (), (), ())
    keys = ("repeat", *fold) if "repeat" in here and fold != ("repeat",) else fold
    return RowPlan("folds", keys, (), tuple(role for role in here if role not in keys))


class Size(NamedTuple):
    """How large a group of tables is.

    Parameters
    ----------
    largest : int
        Rows of the largest task.
    rows : int
        Rows of all tasks.
    cells : int
        Rows of the tables.
    models : int
        Number of models.
    """

    largest: int
    rows: int
    cells: int
    models: int


def fold_design(
    keys: Mapping[str, NDArray[np.int64]],
    fold_names: Sequence[str],
    repeats: Mapping[str, int] | None,
    options: ReadOptions,
) -> dict[str, Folds]:
    """Design of each task whose rows are folds.

    Parameters
    ----------
    keys : mapping from str to array of int
        Codes of the folds that occur, by task.
    fold_names : sequence of str
        Names of the fold codes.
    repeats : mapping from str to int, or None
        Number of repeats by task, if a column names them.
    options : ReadOptions
        Folds per repeat and share of test data, where declared.

    Raises
    ------
    DataError
        If a task holds fewer folds than one repeat needs, or names that cannot be counted.
    """
    share = options.test_share or 0.0
    common = _common_folds(keys)
    designs = {}
    for task, codes in keys.items():
        passes = 1 if repeats is None else repeats[task]
        if options.folds is None:
            # Some folds of a task may be missing for all models; the others tell how many it had.
            inside = set(codes.tolist()) <= set(common)
            count = len(common) if inside else len(codes)
        else:
            count = options.folds
            if repeats is None:
                passes = _passes(task, [fold_names[code] for code in codes], count)
            elif len(codes) > count:
                raise _not_whole(task, len(codes), count)
        if count < 2:
            raise DataError(
                f"Task {task!r}: cross-validation needs at least 2 folds per repeat; found "
                f"{count}. If the rows are not folds, say what they are: --rows items or --rows "
                "runs; if folds are missing, say how many a repeat has: --folds K."
            )
        designs[task] = Folds(passes, count, share)
    return designs


def _common_folds(keys: Mapping[str, NDArray[np.int64]]) -> tuple[int, ...]:
    """The set of folds that most tasks have; of equally frequent ones the larger."""
    counts = Counter(tuple(codes.tolist()) for codes in keys.values())
    return max(counts, key=lambda folds: (counts[folds], len(folds), folds))


def _passes(task: str, labels: Sequence[str], folds: int) -> int:
    """Repeats behind folds that are numbered through all repeats."""
    if all(re.fullmatch(r"[0-9]{1,9}", label) for label in labels):
        last = max(int(label) for label in labels)
        # Numbering starts at 0 or at 1; a missing fold leaves the last number as it is.
        positions = last if last % folds == 0 and "0" not in labels else last + 1
        if positions % folds and len(labels) == positions:
            raise _not_whole(task, len(labels), folds)
        return -(-positions // folds)
    if len(labels) % folds:
        raise _not_whole(task, len(labels), folds)
    return len(labels) // folds


def _not_whole(task: str, found: int, folds: int) -> DataError:
    return DataError(
        f"Task {task!r}: {found} folds are not whole repeats of {folds} folds. Declare the folds "
        "of one repeat with --folds K, or name the column of repeats: --column repeat=NAME "
        "(in Python: columns={'repeat': 'NAME'})."
    )


def numbers_of_folds(rows: int) -> list[int]:
    """How many folds a repeat may have that so many rows are made of, the usual ones first.

    Examples
    --------
    >>> numbers_of_folds(30), numbers_of_folds(25), numbers_of_folds(12)
    ([10, 5, 30], [5, 25], [])
    """
    several = [count for count in (10, 5) if rows % count == 0 and rows >= 2 * count]
    return [*several, rows] if several and rows >= _FEWEST_OF_SEVERAL else []


_FEWEST_OF_SEVERAL = 15


def refuse_unnamed_repeats(rows: int, what: str) -> None:
    """Raises `DataError` where nothing says whether so many folds are one pass or several."""
    counts = numbers_of_folds(rows)
    if not counts:
        return
    ways = [f"{rows // count} repeats of {count} folds: --folds {count}" for count in counts[:-1]]
    raise DataError(
        f"{what}: {rows} folds, and nothing says whether they are one pass or several, on which "
        f"the intervals depend. If they are {'; if '.join(ways)}; if one pass: --folds {rows} (in "
        f"Python: folds={counts[0]}, or one of the others)."
    )


FOLDS_BY_ORDER = (
    "Rows are folds of cross-validation, for fit_time and score_time stand beside the scores; they "
    "are numbered in their order within each model and task. If they are not: --rows items."
)

# A column of a fold, as scikit-learn writes it.
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
    return bool(cross_validated(columns)) and not {*_ROW_ROLES} & {*roles}


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
    if "params" in columns:  # "{'C': 1, 'kernel': 'rbf'}" is shown as "C=1, kernel=rbf"
        short = """.str.replace("[{}']", '', regex=True).str.replace(': ', '=')"""
        frame = f"frame.assign(model=frame['params'].astype(str){short})"
    elif named is not None:
        frame = f"frame.rename(columns={{{named!r}: 'model'}}).astype({{'model': str}})"
    else:
        frame = "frame.rename_axis('model').reset_index().astype({'model': str})"
    each = f" for each of {list_names(metrics, 4)}" if len(metrics) > 1 else ""
    raise DataError(
        f"{source}: this is cv_results_ of scikit-learn, which has a row for each candidate, and a "
        f"column for each fold{each}. Make a row of each score, in Python: "
        f"{frame}.melt('model', [f'split{{k}}_test_{metric}' for k in "
        f"range({len(folds)})], 'fold', {metric!r})"
        ".to_csv('folds.csv', index=False)."
    )
