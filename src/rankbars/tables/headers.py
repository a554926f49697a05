"""Headers of several rows, as pivoted frames and sheets with merged cells have them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from rankbars.tables.cells import parse_number
from rankbars.tables.columns import fold_name, role_names
from rankbars.tables.metrics import is_measure, usual_direction

__all__ = [
    "MOST_HEADER_ROWS", "JoinedHeader", "find_header_rows", "find_metric", "join_levels",
    "names_metric",
]  # fmt: skip

MOST_HEADER_ROWS = 5

# What pandas calls a cell of a header that was empty.
_NO_NAME = re.compile(r"Unnamed: \d+(_level_\d+)?")


class JoinedHeader(NamedTuple):
    """A header of several rows: one name per column, and how many rows it has.

    Attributes
    ----------
    names : tuple of str
        One name per column.
    rows : int
        How many rows it has.
    metric : str, optional
        The metric, where a row that says the same everywhere names one.
    crossed : tuple of str
        Names of its rows, where one says models and another one tasks.
    measured : mapping from str to mapping
        Columns by metric and by what is measured, where one row names metrics and another one that.
    """

    names: tuple[str, ...]
    rows: int
    metric: str | None = None
    crossed: tuple[str, ...] = ()
    measured: Mapping[str, Mapping[str, str]] = MappingProxyType({})

    @property
    def remark(self) -> str:
        """What was done, for a note."""
        shown = ", ".join(map(repr, self.names[:4])) + (" …" if len(self.names) > 4 else "")
        return f"The {self.rows} rows of the header were joined: {shown}."


def find_header_rows(rows: Sequence[Sequence[str]]) -> JoinedHeader | None:
    """The header that the first rows of a table make, where it has more than one.

    Rows of names have no number and nothing in their first cell, and numbers stand below; or they
    end with a row that names nothing but the index, as pandas writes it.

    Examples
    --------
    >>> table = [["", "mmlu", "mmlu"], ["", "acc", "stderr"], ["model", "", ""], ["ash", "1", "2"]]
    >>> find_header_rows(table)[:2]
    (('model', 'acc', 'stderr'), 3)
    >>> find_header_rows([["Model", "MMLU", ""], ["", "acc", "f1"], ["ash", "1", "2"]]).names
    ('Model', 'acc', 'f1')
    >>> find_header_rows([["", "skills", ""], ["Model", "GSM8K", "MATH"], ["ash", "1", "2"]]).names
    ('Model', 'GSM8K', 'MATH')
    >>> table = [["", "rmse", "", "r2", ""], ["task", "a", "b", "a", "b"], ["t1", *"1234"]]
    >>> find_header_rows(table).names
    ('task', 'rmse_a', 'rmse_b', 'r2_a', 'r2_b')
    >>> find_header_rows([["item", "ash", "birch"], ["q1", "right", "wrong"]]) is None
    True
    """
    levels: list[list[str]] = []
    for row in rows[:MOST_HEADER_ROWS]:
        cells = [cell.strip() for cell in row]
        if not any(cells) or (levels and len(cells) != len(levels[0])):
            return None
        index = next((place for place, cell in enumerate(cells) if not cell), 0)
        if len(levels) > 1 and index and not any(cells[index:]):
            pivot = not levels[0][0] or len(set(levels[0])) < len(cells)
            return _join(levels, cells[:index], len(levels) + 1) if pivot else None
        if levels and any(map(_is_number, cells[1:])):
            break
        levels.append(cells)
    else:
        return None  # no number below
    if len(levels) == 2 and not levels[0][0] and all(levels[1]):
        if len(set(levels[1])) == len(levels[1]):  # the first one names groups of them
            return JoinedHeader(tuple(levels[1]), 2)
        width = _first(levels[0])
        joined = _join(levels, levels[1][:width], 2)
        return joined if len(set(joined.names)) == len(joined.names) else None
    width = min((_first(level) for level in levels[1:]), default=0)
    return _join(levels, levels[0][:width], len(levels)) if width else None


def join_levels(levels: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """One name per column of several rows of names; a row that tells nothing apart is left out.

    Examples
    --------
    >>> join_levels([["mmlu", "", "gsm8k"], ["acc", "f1", "acc"]])
    ('mmlu_acc', 'mmlu_f1', 'gsm8k_acc')
    >>> join_levels([["score", "score"], ["math", "law"]])
    ('math', 'law')
    """
    filled = _carried(levels)
    telling = [level for level in filled if len(set(level)) > 1] or filled[-1:]
    return tuple("_".join(filter(None, names)) for names in zip(*telling, strict=True))


def _carried(levels: Sequence[Sequence[str]]) -> list[list[str]]:
    """Rows of names, of which all but the last hold for the empty cells behind them, too."""
    filled = [["" if _NO_NAME.fullmatch(name) else name for name in level] for level in levels]
    for level in filled[:-1]:
        for place, name in enumerate(level):
            level[place] = name or (level[place - 1] if place else "")
    return filled


def _join(levels: Sequence[Sequence[str]], index: Sequence[str], rows: int) -> JoinedHeader:
    cells = [level[len(index) :] for level in levels]
    names = tuple(level[0] for level in levels)
    known = {role for name in names for role in ("model", "task")
             if fold_name(name) in role_names(role)}  # fmt: skip
    crossed = names if len(known) > 1 else ()
    joined = join_levels(cells)
    measured = _measured(_carried(cells), joined)
    return JoinedHeader((*index, *joined), rows, find_metric(cells), crossed, measured)


def _measured(levels: Sequence[Sequence[str]], names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Columns by metric and by what is measured; empty unless one of two rows holds metrics.

    >>> _measured([["rmse", "r2", "rmse", "r2"], ["ash", "ash", "oak", "oak"]], list("abcd"))
    {'rmse': {'ash': 'a', 'oak': 'c'}, 'r2': {'ash': 'b', 'oak': 'd'}}
    """
    telling = [level for level in levels if len(set(level)) > 1 and all(level)]
    telling.sort(key=lambda level: not all(map(names_metric, level)))
    if len(telling) != 2 or not all(map(names_metric, telling[0])) or (
        all(map(names_metric, telling[1])) or len(set(telling[1])) == len(names)
    ):  # fmt: skip
        return {}
    found: dict[str, dict[str, str]] = {}
    for metric, measured, name in zip(*telling, names, strict=True):
        found.setdefault(metric, {})[measured] = name
    return found


def find_metric(levels: Sequence[Sequence[str]]) -> str | None:
    """The metric that a row of names gives all columns, if one does.

    Examples
    --------
    >>> find_metric([["rmse", "rmse"], ["ash", "birch"]]), find_metric([["a", "b"], ["c", "d"]])
    ('rmse', None)
    """
    if len({len(set(level)) == 1 for level in levels}) < 2:
        return None  # all rows tell columns apart, or none does
    same = [level[0] for level in levels if len(set(level)) == 1]
    return next((name for name in same if names_metric(name)), None)


def names_metric(name: str) -> bool:
    """Whether a name is that of a metric."""
    return is_measure(name) or usual_direction(name) is not None


def _first(level: Sequence[str]) -> int:
    """Place of the first cell that is not empty."""
    return next(place for place, cell in enumerate(level) if cell)


def _is_number(cell: str) -> bool:
    return bool(cell) and (parse_number(cell) or parse_number(cell, ",")) is not None
