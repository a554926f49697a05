"""Intervals beside one score: their two ends in columns, or both sides of it in one, +5/-4."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rankbars.data.notes import list_names
from rankbars.tables.asides import is_never_score
from rankbars.tables.cells import parse_number
from rankbars.tables.columns import fold_name
from rankbars.tables.companions import end_pairs
from rankbars.tables.matrixcolumns import describes_rows
from rankbars.tables.tableheads import Header, corner_names, find_only_score
from rankbars.tables.tablerows import Table
from rankbars.tables.valuetables import ValueTable, hold_cells

if TYPE_CHECKING:
    from rankbars.tables.database import Engine
    from rankbars.tables.decorated import SplitCells

__all__ = ["find_unnamed", "split_sides"]

_MOST_ROWS = 100_000

_AMOUNT = r"\d[\d.]*\s*%?"
_BARE = re.compile(rf"\s*{_AMOUNT}\s*[-−–]\s*{_AMOUNT}\s*")
_SIDED = re.compile(
    rf"\s*(?:\+\s*{_AMOUNT}\s*[/,]?\s*[-−–]\s*{_AMOUNT}|[(\[]\s*[-+−]?{_AMOUNT}\s*[,;–]\s*[-+−]?{_AMOUNT}"
    rf"\s*[)\]]|±\s*{_AMOUNT})\s*|{_BARE.pattern}"
)


def find_unnamed(table: Table) -> Mapping[str, str]:
    """Columns by role whose names do not say so, and whose places leave no doubt."""
    return _find_ends(table) or find_only_score(Header.of(table))


def _find_ends(table: Table) -> Mapping[str, str]:
    """Columns by role where each model has one score, or one on each task, between two ends.

    Of other levels than 95 % nothing is taken unasked.
    """
    model, numbers = _one_score_each(table)
    pairs = end_pairs(numbers)
    level = [name for name in table.columns if fold_name(name) in corner_names("ci_level")][:1]
    numbers = [name for name in numbers if name not in level]
    if model is None or len(pairs) != 1:
        return {}
    low, high = pairs[0]
    scores = [name for name in numbers if name not in pairs[0] and not is_never_score(name)]
    if len(scores) != 1 or not (_at_95(low, high) and _are_of(low, scores[0])):
        return {}
    cells = Header.of(table).cells
    read = [
        [parse_number(str(cell), table.decimal) for cell in row]
        for row in zip(cells[low], cells[scores[0]], cells[high], strict=True)
    ]
    ordered = all(
        a is not None and b is not None and c is not None and a <= b <= c for a, b, c in read
    )
    if not ordered or len(read) < 2:
        return {}
    roles = {"model": model, "score": scores[0], "ci_low": low, "ci_high": high}
    return {**roles, "ci_level": level[0]} if level else roles


def _are_of(low: str, score: str) -> bool:
    """Whether the name of a lower end says of what it is one, or that it is one.

    >>> _are_of("math low", "easy"), _are_of("low", "medium"), _are_of("score_lo", "arena score")
    (False, False, True)
    """
    words, of = (re.findall(r"[^\W\d_]+", name.casefold()) for name in (low, score))
    rest = {word for word in words if word not in _LOWER}
    return rest <= {*of, *_OF_INTERVALS} and (bool(rest) or "lower" in words)


_LOWER = frozenset({"lower", "low", "lo", "lb", "lwr"})
_OF_INTERVALS = frozenset({"ci", "conf", "confidence", "interval", "bound", "limit", "q"})


def _at_95(*names: str) -> bool:
    """Whether the level that the names of both ends, or of one interval, speak of is 95 %, or none.

    >>> _at_95("q2.5", "q97.5"), _at_95("95% CI"), _at_95("low", "high")
    (True, True, True)
    >>> _at_95("p5", "p95"), _at_95("90% CI"), _at_95("95 % lower", "97.5")
    (False, False, False)
    """
    digits = tuple(re.sub(r"\D", "", name) for name in names)
    return digits in _LEVELS_OF_95 or set(digits) <= {""} or set(digits) == {"95"}


_LEVELS_OF_95 = frozenset({("025", "975"), ("0025", "0975"), ("25", "975"), ("25975",)})


def split_sides(table: Table, engine: Engine) -> tuple[SplitCells, Mapping[str, str]] | None:
    """The scores of models with the errors that columns such as +5/-4 beside them tell, and roles.

    None where there are no such columns, called after intervals: one beside one score, or one
    called after each score. Roles are those of the one score.

    Parameters
    ----------
    table : Table
        The table.
    engine : Engine
        The database that rows are put into.
    """
    model, scores = _one_score_each(table)
    cells = Header.of(table).cells
    if model is None or len(cells[model]) < 2:
        return None
    called = [
        name for name in table.columns
        if _CALLED.search(name) and any(cell not in _EMPTY for cell in cells[name])
        and all(cell in _EMPTY or _SIDED.fullmatch(str(cell)) for cell in cells[name])
    ]  # fmt: skip
    sides: dict[str, list[str]] = {score: [] for score in scores}
    for name in called:
        of = [score for score in scores if name.startswith(score)]
        of = [max(of, key=len)] if of else scores if len(scores) == 1 else []
        for score in of if _at_95(name.removeprefix(of[0]) if of else name) else ():
            sides[score].append(name)
    if not called or any(len(own) != 1 for own in sides.values()):
        return None
    from rankbars.tables.decorated import CellMeaning, split_cells

    data = hold_cells(table, _MOST_ROWS)
    for score, (name,) in sides.items():
        both = zip(data[score], data.pop(name), strict=True)
        data[score] = [
            value if beside in _EMPTY
            else f"{value} [{beside}]" if _BARE.fullmatch(str(beside)) else f"{value} {beside}"
            for value, beside in both
        ]  # fmt: skip
    joined = ValueTable.of(table, data, engine)
    one = len(sides) == 1
    remark = f"{list_names(called, 3)} {'is' if one else 'are'} taken for the 95 % intervals of "
    remark += f"{list_names(scores, 3)}."
    split = split_cells(joined, CellMeaning("ci"), engine)._replace(remark=remark)
    return split, {"model": model, "score": scores[0]} if one else {}


_CALLED = re.compile(r"(?i)(?<![a-z])ci(?![a-z])|confidence|interval")
_EMPTY = (None, "", "-", "–", "—")


def _one_score_each(table: Table) -> tuple[str | None, list[str]]:
    """The column of models, of which each has one row (on each task), and what may be scores."""
    header = Header.of(table)
    models, tasks = (
        [name for name in table.columns if fold_name(name) in corner_names(role)]
        for role in ("model", "task")
    )
    if len(models) != 1 or len(tasks) > 1 or not header.is_different(models[0], *tasks):
        return None, []
    numbers = [name for name in table.columns if name in header.numbers]
    plain = [name for name in numbers if not describes_rows(name)]
    pair = {end for ends in end_pairs(plain) for end in ends}
    # Beside a rating of the whole the score of a row is something else; on a task it is the score.
    alone = bool(tasks) or not {*plain} - pair
    called = [name for name in numbers if fold_name(name) == "score" and alone]
    return models[0], list(dict.fromkeys([*called, *plain]))
