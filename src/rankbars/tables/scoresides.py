"""What the columns beside a score say of the side of it that is better, where its name does not.

A result that repeats a column of losses on some tasks is one of these, and a rank that counts up
with the score says that low scores come first, and so does a board whose rows stand by their mean,
the lowest first. Judges write a score in words, too: 1 is "factual", or "hallucinated".
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import list_names
from rankbars.errors import DataError
from rankbars.stats.ranks import midranks
from rankbars.tables.asides import is_helper, is_summary
from rankbars.tables.columns import Columns, fold_name
from rankbars.tables.metrics import (
    ends_in_loss,
    name_words,
    stated_direction,
    usual_direction,
)
from rankbars.tables.metricwords import split_words
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.tableheads import Header
from rankbars.tables.tablerows import Table

__all__ = [
    "PLACES", "ask_about_label", "ranks_low_first", "refuse_low_first", "refuse_other_sides",
    "tells_score",
]  # fmt: skip

PLACES = split_words("rank place position ranking")

# So many rows of a task show that two columns are the same there, and so many places an order.
_FEWEST = 3


def refuse_other_sides(
    table: Table, roles: Mapping[str, str], unused: Sequence[str], declared: Mapping[str, str]
) -> None:
    """Raises `DataError` where columns beside the score say that low values of it are better.

    Parameters
    ----------
    table : Table
        A table of one row per score.
    roles : mapping from str to str
        Column by role.
    unused : sequence of str
        Columns that play no role.
    declared : mapping from str to str
        What the caller said of tasks and metrics; ``""`` for all others.
    """
    score = roles["score"]
    known = fold_name(score) != "score" and usual_direction(score) is not None
    told = {"metric", "direction"} & {*roles} or "" in declared or score in declared
    if known or told or stated_direction(score) is not None:
        return
    header = Header.of(table)
    numbers = [name for name in unused if name in header.numbers]
    _refuse_copies(table, roles, numbers, declared)
    if (place := ranks_low_first(header, score, roles.get("task"))) is not None:
        raise DataError(
            f"{table.source}: {place!r} counts up with {score!r}, so low values come first. {_ASK}"
        )


_ASK = (
    "If they are better: --direction lower. If not: --direction higher (in Python: "
    "direction='lower')."
)


def refuse_low_first(table: Table, values: Sequence[str]) -> None:
    """Raises `DataError` where a matrix of models by tasks has its lowest scores first.

    A column of places says so that counts up with the scores; or a mean of them by which so many
    rows are in order that nobody wrote them so by chance.

    Parameters
    ----------
    table : Table
        The matrix.
    values : sequence of str
        Columns of scores of which nothing says which side is better.
    """
    header = Header.of(table)
    read = [np.array(header.read[name], dtype=float) for name in values if name in header.numbers]
    if not read:
        return
    places = midranks(np.array(read))
    scored = (~np.isnan(places)).sum(axis=0)
    level = -np.nansum(places, axis=0) / np.maximum(scored, 1)
    for name in header.columns:
        if name in values or name not in header.numbers or not is_helper(name):
            continue
        own = np.array(header.read[name], dtype=float)
        known = ~np.isnan(own) & (scored > 0)
        placed, count = bool(PLACES & {*name_words(name)}), known.sum()
        if count < (_FEWEST_PLACES if placed else _FEWEST_IN_ORDER):
            continue
        own = own[known]
        if _agreement(own, level[known]) < _AGREE:
            continue
        if placed:
            raise DataError(
                f"{table.source}: {name!r} counts up with the scores, so low values come first. "
                f"{_ASK}"
            )
        if is_summary(name) and (np.diff(own) >= 0.0).all():
            raise DataError(
                f"{table.source}: rows are in the order of {name!r}, and the lowest come first. "
                f"{_ASK}"
            )


_FEWEST_PLACES, _FEWEST_IN_ORDER, _AGREE = 4, 8, 0.9


def _agreement(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The correlation of ranks; 0 where all are the same.

    >>> round(_agreement(np.array([1.0, 2.0, 3.0]), np.array([0.2, 0.3, 0.9])), 9)
    1.0
    """
    if one.min() == one.max() or other.min() == other.max():
        return 0.0
    return float(np.corrcoef(midranks(one), midranks(other))[0, 1])


def ranks_low_first(header: Header, score: str, task: str | None = None) -> str | None:
    """The column of places that counts up with the score; None where none does.

    Examples
    --------
    >>> rows = [(1, "ash", 0.20), (2, "birch", 0.21), (3, "cedar", 0.25)]
    >>> ranks_low_first(Header(["Rank", "Team", "Score"], rows), "Score")
    'Rank'
    >>> ranks_low_first(Header(["Rank", "Team", "Score"], [*rows, (4, "fir", 0.1)]), "Score")
    """
    own = header.cells[task] if task is not None else [None] * len(header.rows)
    for name in header.columns:
        if name == score or name not in header.numbers or fold_name(name) not in PLACES:
            continue
        pairs: dict[object, list[tuple[float, float]]] = {}
        for key, at, value in zip(own, header.read[name], header.read[score], strict=True):
            if at is not None and value is not None and at == at and value == value:
                pairs.setdefault(key, []).append((at, value))
        found = [sorted(one) for one in pairs.values() if len({at for at, _ in one}) >= _FEWEST]
        values = [[value for _, value in one] for one in found]
        if found and all(one == sorted(one) and one[0] < one[-1] for one in values):
            return name
    return None


def _refuse_copies(
    table: Table, roles: Mapping[str, str], numbers: Sequence[str], declared: Mapping[str, str]
) -> None:
    """Raises `DataError` where the score repeats a column of a loss on some tasks."""
    measures = [name for name in numbers if usual_direction(name) is not None]
    losses = [name for name in measures if usual_direction(name) == "lower"]
    if not losses:
        return
    score, task = roles["score"], roles.get("task")
    relation = table.relate_columns([score, *measures, *([] if task is None else [task])])

    def number(name: str) -> str:
        return f"try_cast({relation.columns[name][0]}::VARCHAR AS DOUBLE)"

    key = "NULL" if task is None else f"{relation.columns[task][0]}::VARCHAR"
    same = ", ".join(f"count(*) FILTER (s = m{at})" for at in range(len(measures)))
    cells = ", ".join(f"{number(name)} AS m{at}" for at, name in enumerate(measures))
    found = relation.engine.ask(
        f"SELECT t, count(s), {same} FROM (SELECT {key} AS t, {number(score)} AS s, {cells} "
        f"FROM {relation.clause}) GROUP BY t ORDER BY t"
    )
    repeats: dict[str, list[str]] = {}
    for own, scored, *counts in found:
        if scored >= _FEWEST and scored in counts:
            repeats.setdefault(measures[counts.index(scored)], []).append(own)
    asked = {name: repeats[name] for name in losses if name in repeats}
    if not asked or declared.keys() >= {own for tasks in asked.values() for own in tasks}:
        return
    others = [name for name in repeats if name not in losses]
    every = sum(map(len, asked.values())) == len(found)
    names = [own for tasks in asked.values() for own in tasks]
    lower, higher = (
        f"--direction {side}" if every
        else shlex.join(part for name in names for part in ("--direction", f"{name}={side}"))
        for side in ("lower", "higher")
    )  # fmt: skip
    python = "lower" if every else dict.fromkeys(names, "lower")
    where = "" if every else f" on {list_names(names, 3)}"
    rest = f", and {list_names(others, 3)} on others" if others and not every else ""
    raise DataError(
        f"{table.source}: {score!r} repeats {list_names([*asked], 3)}{where}{rest}, and low values "
        f"of {list_names([*asked], 3)} are usually better. If they are: {lower} (in Python: "
        f"direction={python!r}). If high ones are: {higher}."
    )


_MOST_LABELS = 12
_BAD = split_words("bad poor no negative irrelevant unrelated unfaithful ungrounded unhelpful")


def ask_about_label(table: Table, columns: Columns, options: ReadOptions) -> None:
    """The word beside the highest score may be one for what should not be, where nothing is said.

    Raises
    ------
    DataError
        If it is; says how to declare the side that is better.
    """
    score = columns.roles["score"]
    known = stated_direction(score) or (fold_name(score) != "score" and usual_direction(score))
    if known or {"", score} & {*options.direction} or {"direction", "metric"} & {*columns.roles}:
        return
    header = Header.of(table)
    numbers = header.read.get(score)
    if numbers is None:
        return
    for name in columns.unused:
        labels = [str(cell).strip().casefold() for cell in header.cells[name]]
        pairs = {(label, number) for label, number in zip(labels, numbers, strict=True)
                 if label and number is not None}  # fmt: skip
        few = 2 <= len({label for label, _ in pairs}) <= _MOST_LABELS
        if name in header.numeric or not few or not tells_score(*zip(*pairs, strict=True)):
            continue
        highest, best = max((number, label) for label, number in pairs)
        if best in _BAD or ends_in_loss(best):
            raise DataError(
                f"{table.source}: Declare which side is better: where {score!r} is {highest:g}, "
                f"{name!r} says {best!r}. If low values are good, add: --direction lower. If high "
                "values are: --direction higher. (In Python: direction='lower', or 'higher'.)"
            )


def tells_score(names: Sequence[str], scores: Collection[object]) -> bool:
    """Whether a column says the score in words: each of its names has one score, and not all one.

    Examples
    --------
    >>> tells_score(["good", "bad", "good"], ["1", "0", "1"])
    True
    >>> tells_score(["a", "b", "a"], ["1", "0", "0"])
    False
    """
    pairs = set(zip(names, scores, strict=True))
    return len(pairs) == len(set(names)) > 1 and len(set(scores)) > 1
