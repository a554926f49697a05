"""Columns of one task: by several metrics, in two writings, or what is right and what is wrong."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

import numpy as np

from rankbars.data.notes import list_names
from rankbars.errors import DataError
from rankbars.tables.columns import fold_name
from rankbars.tables.metrics import (
    ends_in_loss,
    name_words,
    usual_direction,
    without_metric,
)
from rankbars.tables.metricwords import split_words
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.tableheads import Header
from rankbars.tables.tablerows import Table

__all__ = ["columns_left_aside", "find_complements"]


def columns_left_aside(table: Table, values: Sequence[str], options: ReadOptions) -> list[str]:
    """Columns of tasks that stand in another column as well, and are not the chosen ones.

    Parameters
    ----------
    table : Table
        The matrix.
    values : sequence of str
        Its columns of scores.
    options : ReadOptions
        What the caller declares.

    Raises
    ------
    DataError
        If none is chosen: such tasks would count several times.
    """
    if len(options.metrics) > 1:
        return []
    _refuse_complements(table, values, options)
    if {*values} & {*options.direction}:
        return []
    _refuse_two_writings(table, values)
    told = {name: found for name in values if (found := _task_and_metric(name)) is not None}
    metrics: dict[str, dict[str, str]] = {}
    for name, (task, metric) in told.items():
        metrics.setdefault(task, {})[metric] = name
    several = {task: own for task, own in metrics.items() if task and len(own) > 1}
    if len(several) < (1 if any(map(_EVALUATED.fullmatch, values)) else 2):
        return []
    spellings = {_spelling(metric): metric for own in several.values() for metric in own}
    chosen = spellings.get(_spelling(options.metric or ""))
    if chosen is None:
        task = next(iter(several))
        names = [str(one) for one in several[task]]
        every = [next(iter(own.values())) for own in metrics.values()]
        whole = set.intersection(*(set(own) for own in metrics.values()))
        raise DataError(
            f"{table.source}: {list_names(several, 3)} have {len(names)} columns each, one for "
            f"each metric ({list_names(names, 4)}), and would count as so many tasks. A board "
            f"shows one metric per task; choose it: "
            + (
                f"{shlex.join(('--metric', names[0]))} (in Python: metric={names[0]!r}). If each "
                "column is a task: --metric NAME for each."
                if whole
                else f"{_lines(every)} (in Python: metric={every!r})."
            )
        )
    return [name for name in values if told.get(name, ("", chosen))[1] != chosen]


def find_complements(header: Header) -> Mapping[str, str]:
    """Columns of numbers, by the one with which they make 1, or 100, in every row.

    Examples
    --------
    >>> rows = [("a", 71.3, 28.7), ("b", 65.0, 35.0), ("c", 60.2, 39.8)]
    >>> find_complements(Header(["model", "right", "wrong"], rows))
    {'right': 'wrong', 'wrong': 'right'}
    """
    names = [name for name in header.columns if name in header.numbers]
    if len(names) > _MOST_COLUMNS:
        return {}
    cells = np.array([header.read[name] for name in names], dtype=float)
    known = ~np.isnan(cells)
    found: dict[str, str] = {}
    for one, own, there in zip(names, cells, known, strict=True):
        sums = (own + cells)[:, there]
        different = len({*own[there].tolist()})
        for whole in (1.0, 100.0):
            near = (np.abs(sums - whole) <= _ROUNDED * whole).all(axis=1)
            alike = np.flatnonzero(near & (known == there).all(axis=1)).tolist()
            if len(alike) == 1 and different >= _FEWEST_VALUES and names[alike[0]] != one:
                found[one] = names[alike[0]]
    return {one: other for one, other in found.items() if found.get(other) == one}


# Percents are rounded to a tenth at least, and so many of them make whole ones by no chance.
_ROUNDED, _FEWEST_VALUES = 1.01e-3, 3
_MOST_COLUMNS = 200


def _largest(header: Header, name: str) -> float:
    return float(np.fmax.reduce(np.array(header.read[name], dtype=float)))


def _refuse_complements(table: Table, values: Sequence[str], options: ReadOptions) -> None:
    """Raises `DataError` where a share stands in one column, and its rest to 100 % in another."""
    header = Header.of(table)
    pairs: dict[str, str] = {}
    sure = False
    for one, other in find_complements(header).items():
        if one in values and other in values and one not in pairs.values():
            told = [name for name in (one, other) if name in options.direction]
            loss = [name for name in (one, other) if usual_direction(name) == "lower"
                    or ends_in_loss(name)]  # fmt: skip
            sure = bool(told or loss)
            first = told[0] == one if told else one not in loss
            pairs |= {one: other} if first else {other: one}
    if not pairs:
        return
    one, two = next(iter(pairs.items()))
    known = {*pairs, *pairs.values()}
    percent = _largest(header, one) > 1.0
    rest = [
        name for name in _varying(table, values)
        if name not in known and (1.0 < _largest(header, name) <= 100.0) == percent
    ]  # fmt: skip
    more = f", and {len(pairs) - 1} more such pairs" if len(pairs) > 1 else ""
    chosen, others = [*pairs, *rest], [*pairs.values(), *rest]
    choose = "Choose one of each"
    python = f"(in Python: metric={chosen if len(chosen) > 1 else one!r})"
    lines = f"{_lines(chosen)} {python}"
    if not sure:
        choose = "Choose those in which high values are good"
        lines += f"; or {_lines(others)}"
    raise DataError(
        f"{table.source}: {one!r} and {two!r} add up to the whole in every row{more}, so they say "
        f"the same and would count twice. {choose}: {lines}."
    )


# As results of an evaluation are flattened: task/metric,filter.
_EVALUATED = re.compile(r"(?P<task>[^,]+)[/.|](?P<metric>[^/.,|]+),(?P<filter>[^,/]+)")


def _task_and_metric(name: str) -> tuple[str, str] | None:
    """The task in the name of a column, and its metric; None where there is none.

    Examples
    --------
    >>> _task_and_metric("results.arc/acc_norm,none"), _task_and_metric("boolq_f1")
    (('results.arc', 'acc_norm,none'), ('boolq', 'f1'))
    >>> _task_and_metric("CNN/DM R-L"), _task_and_metric("DeepSeek-R1")
    (('CNN/DM', 'R-L'), None)
    """
    found = _EVALUATED.fullmatch(name)
    if found is None:
        overlap = _OVERLAP.fullmatch(name)
        return (overlap["task"], overlap["metric"]) if overlap else without_metric(name)
    return found["task"], f"{found['metric']},{found['filter']}"


# ROUGE as summaries are reported, behind the data set.
_OVERLAP = re.compile(r"(?P<task>.*\S)[\s_/:|]+(?P<metric>R(?:G|OUGE)?-?(?:1|2|L|Lsum))")


def _spelling(metric: str) -> str:
    """How a metric is compared; a filter that does nothing need not be said."""
    return fold_name(metric.removesuffix(",none"))


def _lines(names: Sequence[str]) -> str:
    quoted = [f"'{name}'" if shlex.quote(name) == name and "," in name else shlex.quote(name)
              for name in names]  # fmt: skip
    return " ".join(f"--metric {name}" for name in quoted)


# What is said of the same scores before something is done with their scale, and after.
_WRITINGS = split_words("raw normalized normalised norm unnormalized unnormalised scaled unscaled "
                        "percent pct rescaled")  # fmt: skip


def _refuse_two_writings(table: Table, values: Sequence[str]) -> None:
    """Raises `DataError` if a task stands in one column as it was measured, in another rescaled."""
    folded = {fold_name(name): name for name in values}
    found: dict[str, str] = {}
    for name in values:
        plain = _without_writing(name)
        if plain in folded and folded[plain] != name:
            found[folded[plain]] = name
    if not found:
        return
    rest = [name for name in _varying(table, values) if name not in {*found, *found.values()}]
    one, two = next(iter(found.items()))
    ways = [[*found, *rest], [*found.values(), *rest]]
    more = f", and {len(found) - 1} more such pairs" if len(found) > 1 else ""
    plain, other = map(_lines, ways)
    raise DataError(
        f"{table.source}: {one!r} and {two!r} are two writings of one task by their names{more}, "
        f"and would count as two tasks. Choose one of each: {plain}; or {other} "
        f"(in Python: metric={ways[0]!r})."
    )


def _varying(table: Table, values: Sequence[str]) -> list[str]:
    """Columns of numbers, of which at least two differ."""
    header = Header.of(table)
    return [
        name for name in values
        if name in header.numbers and len({*map(str, header.cells[name])} - {"True", "False"}) > 1
    ]  # fmt: skip


def _without_writing(name: str) -> str | None:
    """The name without a word that says how its scale is written; None if it has none.

    Examples
    --------
    >>> _without_writing("IFEval Raw"), _without_writing("raw_bbh"), _without_writing("MMLU")
    ('ifeval', 'bbh', None)
    """
    words = name_words(name)
    if len(words) < 2:
        return None
    if words[-1] in _WRITINGS and words[-2] != "acc":
        return fold_name("".join(words[:-1]))
    return fold_name("".join(words[1:])) if words[0] in _WRITINGS else None
