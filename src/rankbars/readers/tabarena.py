"""Results of TabArena and bencheval: tables with an error per method, data set and split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rankbars.data.evidence import Folds, Items
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.errors import DataError
from rankbars.readers.inputfiles import InputFile, data_suffix
from rankbars.readers.openedtables import TABLE_SUFFIXES, looking
from rankbars.readers.parts import ErrorTable
from rankbars.readers.recognition import SIGNATURE, Recognition
from rankbars.readers.tables import read as read_tables
from rankbars.tables.assembly import scores_from_parsed
from rankbars.tables.columns import fold_name
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "scores_from_errors", "sniff"]

ERROR_COLUMN = "metricerror"
METHOD_COLUMNS = {"method", "framework"}

# TabArena splits by repeated 3-fold cross-validation, AMLB by one pass of 10 folds.
SPLITS_OF_THREE = frozenset({3, 9, 30})
SPLITS_OF_AMLB = 10


def sniff(path: Path, head: bytes) -> Recognition | None:
    r"""Whether the file is a table of TabArena or bencheval.

    Examples
    --------
    >>> _ = Path("x.csv").write_text("dataset,fold,method,metric_error\na,0,m,0.1\n")
    >>> sniff(Path("x.csv"), b"dataset,fold,method,metric_error").format
    'tabarena'
    """
    known = data_suffix(path) in TABLE_SUFFIXES or path.name == "stdin"
    packed = head.startswith(b"PAR1")
    if not (packed or (known and b"metric_error" in head)):
        return None
    try:
        with looking() as looks:
            columns = set(map(fold_name, looks.table(path).columns))
    except DataError:
        return None
    if ERROR_COLUMN in columns and columns & METHOD_COLUMNS:
        return Recognition("tabarena", SIGNATURE, "It is a table with a metric_error per method, "
                           "as TabArena and bencheval write it.")  # fmt: skip
    return None


def read(files: Sequence[InputFile], options: ReadOptions) -> list[ErrorTable]:
    """Tables of TabArena and bencheval: errors, lower is better, per split.

    Imputed scores are missing, unless the role ``imputed`` is switched off.
    """
    return [ErrorTable(*table) for table in read_tables(files, options)]


def scores_from_errors(tables: Sequence[ErrorTable], options: ReadOptions) -> Scores:
    """Scores from tables of errors.

    Raises
    ------
    DataError
        If it is not known how the splits were made.
    """
    given = options
    if not options.direction:
        options = replace(options, direction={"": "lower"})
    scores = scores_from_parsed(tables, options)
    if given.folds is None and given.rows is None:
        folds = _folds(scores)
        if folds is not None:
            scores = scores_from_parsed(tables, replace(options, folds=folds))
    if given.direction:
        return scores
    note = Note("direction", "Direction: lower is better (metric_error is an error, whatever the "
                "metric).")  # fmt: skip
    notes = [one for one in scores.notes if one.code != "direction"]
    info = {
        task: replace(about, metric=None if about.metric is None else _as_error(about.metric))
        for task, about in scores.info.items()
    }
    return replace(scores, info=info, notes=(note, *notes))


def _as_error(metric: str) -> str:
    """Name of a metric that was turned into an error: of roc_auc it is 1 − roc_auc."""
    return metric if fold_name(metric) == ERROR_COLUMN else f"{metric} error"


def _folds(scores: Scores) -> int | None:
    """Folds of one repeat, where the number of splits is one of the documented designs."""
    splits = {
        task: evidence.n
        for task, evidence in scores.tasks.items()
        if isinstance(evidence, Items) and isinstance(evidence.design, Folds)
        and evidence.design.repeats == 1
    }  # fmt: skip
    if not splits or set(splits.values()) == {SPLITS_OF_AMLB}:
        return None
    unknown = [task for task, n in splits.items() if n not in SPLITS_OF_THREE]
    if not unknown and len(splits) == len(scores.tasks):
        return 3
    task = next(iter(unknown or splits))
    raise DataError(
        f"Data set {task!r} has {splits[task]} splits, and the table does not say how many folds "
        "one repeat of the cross-validation has (3 in TabArena, 10 in AMLB). Say it: --folds K; or "
        "--rows items, if the splits are independent test sets."
    )
