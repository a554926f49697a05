"""Tables of confusion counts: tp, fp, fn and tn of a model, or counts of truth by answer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from rankbars.errors import DataError
from rankbars.stats.countscores import METRICS, confusion_scores
from rankbars.tables.asides import COUNTS, has_counts
from rankbars.tables.cells import read_number
from rankbars.tables.columns import fold_name, role_names
from rankbars.tables.database import Engine
from rankbars.tables.metricwords import split_words
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.statistics import Statistics
from rankbars.tables.tablerows import Table
from rankbars.tables.valuetables import ValueTable, hold_cells, kept_places

__all__ = ["take_confusion"]

_TRUTH = split_words("truth true truelabel actual gold goldlabel label target expected reference")
_ANSWER = split_words("""
    answer predicted prediction predictedlabel pred response output guess
""")
_COUNT = split_words("count counts n number frequency cases")
_OF_TWO = ("f1", "precision", "recall")
_NEEDS_TN = ("accuracy", "balanced_accuracy", "macro_f1", "mcc")
_MOST_ROWS = 100_000
_TOO_LONG = f"a table of confusion counts has at most {_MOST_ROWS} rows."


def take_confusion(table: Table, options: ReadOptions, engine: Engine) -> Statistics | None:
    """The table read as confusion counts and scored by the metric, or None where it holds others.

    Parameters
    ----------
    table : Table
        Any table.
    options : ReadOptions
        What the caller declares; the metric says which score the counts make.
    engine : Engine
        The database that rows are put into.

    Raises
    ------
    DataError
        If the counts are there and no metric of theirs is named, or they make no score.
    """
    if options.layout not in (None, "tidy") or options.columns.get("score"):
        return None
    four = {COUNTS[fold_name(one)]: one for one in table.columns if fold_name(one) in COUNTS}
    metric, names = options.metric, {fold_name(name) for name in table.columns}
    scores = role_names("score")
    if has_counts(table.columns):
        if names & ({"score"} if metric else scores | set(map(fold_name, METRICS))):
            return None
        return _of_four(table, four, metric, engine)
    if metric not in METRICS or metric in table.columns or names & scores:
        return None
    found = [_one_of(table, known) for known in (_TRUTH, _ANSWER, _COUNT)]
    if None in found:
        return None
    return _of_labels(table, [str(name) for name in found], metric, engine)


def _one_of(table: Table, known: frozenset[str]) -> str | None:
    found = [name for name in table.columns if fold_name(name) in known]
    return found[0] if len(found) == 1 else None


def _of_four(
    table: Table, four: Mapping[tuple[int, int], str], metric: str | None, engine: Engine
) -> Statistics | None:
    shown = ", ".join(name for name in table.columns if name in four.values())
    known = [one for one in METRICS if (0, 0) in four or one not in _NEEDS_TN]
    if metric in table.columns:
        return None
    if metric not in known:
        asked = "" if metric is None else f"; got --metric {metric}"
        raise DataError(
            f"{table.source}: {shown} are confusion counts{asked}. Say which score they make: "
            f"--metric f1, or one of {', '.join(one for one in known if one != 'f1')}."
        )
    data = hold_cells(table, _MOST_ROWS, _TOO_LONG)
    rows = len(next(iter(data.values())))
    kept, counts = kept_places(table, rows), np.ones((rows, 2, 2))  # 1 in rows that do not count
    for (truth, answer), name in four.items():
        counts[kept, truth, answer] = _counts(table, name, data.pop(name), kept)
    what = f"{metric} of {shown}"
    return _scored(table, data, counts, str(metric), what, engine)


def _of_labels(
    table: Table, names: Sequence[str], metric: str, engine: Engine
) -> Statistics | None:
    held, (truth, answer, count) = hold_cells(table, _MOST_ROWS, _TOO_LONG), names
    keys = [name for name in table.columns if name not in names]
    kept = kept_places(table, len(held[truth]))
    right, said = ([str(held[name][at]) for at in kept] for name in (truth, answer))
    classes = sorted({*right, *said})
    if len(classes) < 2:
        raise DataError(
            f"{table.source}: {truth!r} holds one class, {classes[0]!r}; two are needed."
        )
    tables: dict[tuple[object, ...], np.ndarray] = {}
    counts = _counts(table, count, held[count], kept)
    for at, one, other, number in zip(kept, right, said, counts, strict=True):
        key = tuple(held[name][at] for name in keys)
        own = tables.setdefault(key, np.zeros((len(classes), len(classes))))
        own[classes.index(one), classes.index(other)] += number
    data = {name: [key[k] for key in tables] for k, name in enumerate(keys)}
    of_class = f", of the class {classes[-1]!r}" if metric in _OF_TWO else ""
    what = f"{metric} of {truth!r} by {answer!r}{of_class}"
    return _scored(table, data, np.array(list(tables.values())), metric, what, engine, anew=True)


def _scored(
    table: Table, data: dict[str, list[object]], counts: np.ndarray, metric: str, what: str,
    engine: Engine, *, anew: bool = False,
) -> Statistics:  # fmt: skip
    items = counts.sum(axis=(-2, -1))
    empty = np.flatnonzero(items == 0)
    found = confusion_scores(np.where(items[:, None, None] == 0, 1.0, counts), metric)
    lacking = np.flatnonzero(np.isnan(found.score) | (items == 0))
    if lacking.size:
        who = ", ".join(f"{cells[lacking[0]]}" for cells in data.values())
        why = "all counts are 0" if lacking[0] in empty else "a class it needs never came up"
        raise DataError(
            f"{table.source}: {metric} is not defined for {who}: {why}. Leave these rows out, or "
            "use --metric accuracy."
        )
    columns: dict[str, Sequence[object]] = {
        **data, metric: found.score.tolist(), "se": found.se.tolist(),
    }  # fmt: skip
    roles = {"score": metric, "se": "se"}
    if metric == "accuracy":  # a share of so many items, which other scores are not
        columns["n"], roles["n"] = items.astype(np.int64).tolist(), "n"
    taken = set(data) & {metric, "se", "n"}
    if taken:
        raise DataError(
            f"{table.source}: confusion counts stand beside {sorted(taken)[0]!r}, which would be "
            "made of them. Rename or leave out that column."
        )

    made = ValueTable.of(table, columns, engine, anew=anew)
    remark = (
        f"The score is {what}, with the error of independent items; what models have in common on "
        "the same items is not in counts."
    )
    return Statistics(made, roles, remark)


def _counts(table: Table, name: str, cells: Sequence[object], kept: Sequence[int]) -> list[float]:
    """The cells of a column of counts, in the rows that count."""
    found = []
    for place in kept:
        number = read_number(cells[place])
        if number is None or not math.isfinite(number) or number < 0 or number % 1.0:
            raise DataError(
                f"{table.source}, row {table.header_rows + 1 + place}: {name} must be a count, a "
                f"whole number of 0 or more; got {cells[place]!r}."
            )
        found.append(number)
    return found
