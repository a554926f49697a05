"""Cells with a value and its uncertainty, as publications print them: 71.3 ± 1.2.

What stands behind the value is taken only as the caller says: a number behind ± may be a standard
error, half an interval, or a standard deviation, and nothing in the table tells which.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from rankbars.errors import DataError, OptionError
from rankbars.stats.countscores import binomial_se
from rankbars.stats.ranks import midranks
from rankbars.tables.cells import parse_number
from rankbars.tables.database import Engine
from rankbars.tables.tablerows import Table
from rankbars.tables.valuetables import ValueTable, hold_cells

__all__ = [
    "CellMeaning", "SplitCells", "advise_about_cell", "describe_decoration", "is_count",
    "parse_meaning", "split_cells",
]  # fmt: skip

# Tables of publications are small; all rows are held.
MOST_ROWS = 100_000
_TOO_LONG = (
    f"the table has more than {MOST_ROWS:,} rows; cells with uncertainties are read in published "
    "tables only. Put them into a column of their own."
)

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)\s*%?"
_OPEN, _CLOSE = r"\s*[(\[{]\s*", r"\s*[)\]}]\s*"
_MARK = r"(?:\$?\s*(?:±|\+/-|\+-|\\pm)\s*\$?)"
_HALF = re.compile(
    rf"\s*(?P<value>{_NUMBER})(?:\s*{_MARK}\s*(?P<half>{_NUMBER})\s*"
    rf"|{_OPEN}{_MARK}?\s*(?P<inner>{_NUMBER}){_CLOSE})"
)
_RANGE = re.compile(
    rf"\s*(?P<value>{_NUMBER}){_OPEN}(?:(?:\d+\s*%\s*)?CI\s*:?\s*)?"
    rf"(?P<low>{_NUMBER})\s*(?:-|to|,|;|\.\.)\s*(?P<high>{_NUMBER}){_CLOSE}",
    re.IGNORECASE,
)
_SIDES = re.compile(
    rf"\s*(?P<value>{_NUMBER})\s*[(\[{{]?\s*\+\s*(?P<up>{_NUMBER})\s*[/,]?\s*"
    rf"-\s*(?P<down>{_NUMBER})\s*[)\]}}]?\s*"
)
_OF = re.compile(r"\s*(?P<part>\d+(?:\.\d+)?)\s*/\s*(?P<whole>\d+)\s*")
# A comma that cannot divide thousands, and what a cell of numbers is made of.
_DECIMAL_COMMA = re.compile(r"(?<!\d)0,\d|\d,(?:\d{1,2}|\d{4,})(?!\d)")
_NUMERIC = re.compile(r"[\d\s,;+\-−–—±%()\[\]{}/]*")
_BOLD = re.compile(
    r"(?:\*\*|__|<b>|\\(?:textbf|underline|mathbf|textit|emph)\{)(?P<text>.*?)(?:\*\*|__|</b>|\})",
    re.IGNORECASE,
)
# An error in small print behind its value: 81.5_{0.5}, 81.5<sub>±0.5</sub>, {\scriptsize ± 0.5}.
_SMALL = re.compile(
    rf"(?:[_^]\{{|<su[bp]>|\{{?[_^]?\{{?\\(?:tiny|scriptsize|footnotesize|small|std|sd)\b\s*\{{?"
    rf"|(?<=±)\s*\{{)\s*\(?{_MARK}?\s*(?P<error>{_NUMBER})\)?\s*(?:\}}+|</su[bp]>)+",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?!\d)")
_DASHES = str.maketrans({"−": "-", "–": "-", "—": "-", "\u00a0": " ", "\u202f": " "})


class CellMeaning(NamedTuple):
    """What stands behind a value.

    Parameters
    ----------
    kind : {"se", "ci", "std", "value", "share", "count"}
        A standard error; an interval, or half of it; the standard deviation of a number of runs;
        something that is left aside; what the value is a part of, as in 7/10; how many answers
        there are, of which the value is the number of right ones.
    level : float
        Level of the interval, in (0, 1).
    runs : int
        How many runs a standard deviation is of.
    """

    kind: str
    level: float = 0.95
    runs: int = 1

    @property
    def words(self) -> str:
        """For messages."""
        if self.kind == "se":
            return "a standard error"
        if self.kind == "value":
            return "left aside"
        if self.kind == "std":
            return f"the standard deviation of {self.runs} runs, √{self.runs} standard errors"
        return f"an interval at {100 * self.level:g} %, or half of one"


def parse_meaning(text: str) -> CellMeaning:
    """The meaning that the caller gives to what stands behind values.

    Parameters
    ----------
    text : str
        ``"se"``, ``"ci95"`` (or another level), ``"std5"`` (or another number of runs),
        ``"value"``, ``"share"``, ``"count"``; also as ``"value ± se"``.

    Raises
    ------
    OptionError
        If it is none of these.

    Examples
    --------
    >>> parse_meaning("se").kind, parse_meaning("value ± ci90").level, parse_meaning("std5").runs
    ('se', 0.9, 5)
    """
    plain = re.sub(r"±|\+/-|\+-|[\s()]", "", text.casefold())
    plain = plain.removeprefix("value") or plain
    level = re.fullmatch(r"ci(\d{2}(?:\.\d+)?)", plain)
    if level is not None and 50.0 <= float(level[1]) < 100.0:
        return CellMeaning("ci", float(level[1]) / 100.0)
    runs = re.fullmatch(r"(?:std|sd)(\d{1,6})", plain)
    if runs is not None and int(runs[1]) > 1:
        return CellMeaning("std", runs=int(runs[1]))
    if plain in ("se", "value", "share", "count"):
        return CellMeaning(plain)
    raise OptionError(
        f"cells must be se (a standard error stands behind the value), std5 (the standard "
        "deviation of 5 runs, or another number of 2 or more), ci95 (an interval or half of one, "
        "at any level such as ci90), value (leave it aside), count (61/114 is 61 right answers of "
        f"114) or share (a grade of 7/10 is 0.7); got {text!r}."
    )


class SplitCells(NamedTuple):
    """A table with its values and their errors apart.

    Parameters
    ----------
    values : ValueTable
        The table with values only.
    errors : mapping from str to list of float
        Standard errors of the columns that had something behind their values; empty where it is
        left aside.
    remark : str
        What was read, for a note.
    counts : mapping from str to list of float
        How many runs or answers each value is of, where that is known.
    """

    values: ValueTable
    errors: Mapping[str, list[float]]
    remark: str
    counts: Mapping[str, list[float]] = MappingProxyType({})

    def with_errors(self, columns: Sequence[str]) -> ValueTable:
        """The table with ``NAME_se``, and ``NAME_n`` if counts are known, for each of `columns`."""
        data: dict[str, Sequence[object]] = dict(hold_cells(self.values, MOST_ROWS))
        rows = len(next(iter(data.values()), ()))
        none = [math.nan] * rows
        for name in columns:
            made = {f"{name}_se": self.errors.get(name, none)}
            if self.counts:
                made[f"{name}_n"] = self.counts.get(name, none)
            both = next((one for one in made if one in data), None)
            if both is not None:
                raise DataError(
                    f"{self.values.source}: the column {name!r} holds errors in its cells, and "
                    f"there is a column {both!r}. Keep one of them."
                )
            data |= made
        return ValueTable.of(self.values, data, self.values.engine)


def describe_decoration(text: str) -> str:
    """What the caller may do about a cell that is more than a number; empty if it is not one.

    Examples
    --------
    >>> describe_decoration("71.3 ± 1.2")[:20], describe_decoration("about 7")
    ('Say what stands behi', '')
    >>> describe_decoration("$81.5_{0.5}$")[:20], describe_decoration("1,287 ± 4")[:20]
    ('Say what stands behi', 'Say what stands behi')
    """
    if (found := _OF.fullmatch(text)) is not None:
        count = (
            f"If {text.strip()} is a number of right answers of so many, which says how sure the "
            "score is: --cells count (in Python: cells='count'). "
        )
        return (
            f"{count if _is_count(found) else ''}If it is a grade, read it as a share, 7/10 as "
            "0.7: --cells share (in Python: cells='share')."
        )
    if not _says_more(str(_with_points([text])[0])):
        return ""
    if _SIGNED.search(text):
        return (
            "What stands behind the value has a sign, as a change against another row has. To "
            "leave it aside: --cells value (in Python: cells='value'). If it is an error of the "
            "value, say which: --cells se, or --cells ci95."
        )
    return (
        "Say what stands behind the values: --cells se (a standard error), --cells std5 (the "
        "standard deviation of 5 runs; other numbers as std10), --cells ci95 (an interval, or half "
        "of one; other levels as ci90) or --cells value (leave it aside); in Python: cells='se'."
    )


def advise_about_cell(text: str) -> str:
    """What to do about a cell among scores that is not one plain number.

    Examples
    --------
    >>> advise_about_cell("1,5")
    "If the comma is the decimal mark: --decimal , (in Python: decimal=',')."
    """
    if parse_number(text, ",") is not None:
        return "If the comma is the decimal mark: --decimal , (in Python: decimal=',')."
    usual = "Put what else it says into a column of its own, or remove the column."
    if _TWO_SCORES.fullmatch(text):
        usual = (
            "It seems to hold two scores. Write each into a column of its own, and choose one of "
            "them; or their mean, if that is how they count."
        )
    if not re.search(r"\d", text):
        line = shlex.join(("--word", f"{text.strip()}=missing"))
        usual = (
            f"If it says that there is no score: {line} (in Python: words={{{text.strip()!r}: "
            "'missing'}); if it is worth one, such as 0, write that; if not, remove the column."
        )
    return describe_decoration(text) or usual


_TWO_SCORES = re.compile(rf"\s*{_NUMBER}\s*(?:{_MARK}\s*{_NUMBER}\s*)?/\s*{_NUMBER}.*")
_SIGNED = re.compile(r"[(\[]\s*[+\-−–]\s*\d[\d.,]*\s*%?[)\]]$")


def split_cells(table: Table, meaning: CellMeaning, engine: Engine) -> SplitCells:
    """The table with what stands behind its values put apart.

    Parameters
    ----------
    table : Table
        Any table of moderate size.
    meaning : CellMeaning
        What stands behind the values.
    engine : Engine
        The database that rows are put into.

    Raises
    ------
    DataError
        If a cell does not fit the meaning, the table is too long, or no cell has anything behind
        its value.
    """
    held = hold_cells(table, MOST_ROWS, _TOO_LONG)
    columns = {name: _with_points(cells) for name, cells in held.items()}
    if meaning.kind in ("share", "count"):
        return _read_shares(table, columns, engine, counted=meaning.kind == "count")
    if meaning.kind != "value":
        _refuse_places(table.source, columns)
    errors: dict[str, list[float]] = {}
    values: dict[str, Sequence[object]] = {}
    number = 0
    for name, cells in columns.items():
        if not any(isinstance(cell, str) and _says_more(cell) for cell in cells):
            values[name] = cells
            continue
        found = [
            _split(cell, meaning, f"{table.source}, row {row}, column {name!r}")
            for row, cell in enumerate(cells, start=table.header_rows + 1)
        ]
        number += sum(not math.isnan(error) for _, error in found)
        values[name] = [value for value, _ in found]
        errors[name] = [error for _, error in found]
    if not errors:
        raise DataError(
            f"{table.source}: no cell has anything behind its value, such as 71.3 ± 1.2 or "
            "71.3 (70.1–72.5). Leave out the option cells."
        )
    where = _some(list(errors))
    counted = "1 cell" if number == 1 else f"{number:,} cells"
    remark = f"In {counted} ({where}), what follows the value was read as {meaning.words}."
    if meaning.kind == "value":
        errors = {}
        remark = f"What follows the values in the cells of {where} was left aside."
    split = ValueTable.of(table, values, engine)
    runs = {name: [float(meaning.runs)] * len(own) for name, own in errors.items()}
    return SplitCells(split, errors, remark, runs if meaning.runs > 1 else {})


def _read_shares(
    table: Table, columns: Mapping[str, Sequence[object]], engine: Engine, *, counted: bool
) -> SplitCells:
    """Cells such as 7/10 as 0.7; a column has such cells only, or none.

    Those that are `counted` are right answers of so many, from which their errors follow.
    """
    values: dict[str, Sequence[object]] = dict(columns)
    errors: dict[str, list[float]] = {}
    counts: dict[str, list[float]] = {}
    whole_parts = True
    for name, cells in columns.items():
        filled = [str(cell) for cell in cells if cell not in (None, "")]
        parts = [_OF.fullmatch(cell) for cell in filled]
        if not any(parts):
            continue
        shares = [one for one in parts if one is not None]
        other = next((cell for cell in filled if not _OF.fullmatch(cell)), None)
        if other is not None or min(int(one["whole"]) for one in shares) < 1:
            raise DataError(
                f"{table.source}: the column {name!r} holds shares such as {shares[0][0]!r}, and "
                f"{other!r} beside them. Write all of them the same way."
            )
        wrong = next((one[0] for one in shares if not _is_count(one)), None)
        whole_parts = whole_parts and wrong is None
        if counted and wrong is not None:
            raise DataError(
                f"{table.source}, column {name!r}: {wrong!r} is no number of right answers of so "
                "many. If it is a grade: --cells share (in Python: cells='share')."
            )
        both = [_OF.fullmatch(str(cell)) for cell in cells]
        part, whole = (
            np.array([math.nan if one is None else float(one[key]) for one in both])
            for key in ("part", "whole")
        )
        share = part / whole
        values[name] = [None if one != one else one for one in share.tolist()]
        errors[name] = binomial_se(share, np.nan_to_num(whole).astype(np.int64)).tolist()
        counts[name] = whole.tolist()
    if not errors:
        raise DataError(
            f"{table.source}: no cell is a part of a whole, such as 7/10. Leave out the option "
            "cells."
        )
    split = ValueTable.of(table, values, engine)
    remark = f"Cells of {_some([*errors])} were read as shares, 7/10 as 0.7."
    if counted:
        remark = f"Cells of {_some([*errors])} were read as right answers of so many."
        return SplitCells(split, errors, remark, counts)
    if whole_parts:
        remark += " If they are right answers of so many, their errors are known: --cells count."
    return SplitCells(split, {}, remark)


def is_count(text: str) -> bool:
    """Whether a cell is a number of right answers of so many.

    Examples
    --------
    >>> is_count("371/500"), is_count("7.5/10"), is_count("5/3"), is_count("371")
    (True, False, False, False)
    """
    found = _OF.fullmatch(text)
    return found is not None and _is_count(found)


def _is_count(found: re.Match[str]) -> bool:
    """Whether a part of a whole is a whole number, and no more than it."""
    return float(found["part"]).is_integer() and float(found["part"]) <= float(found["whole"])


def _refuse_places(source: str, columns: Mapping[str, Sequence[object]]) -> None:
    """Raises `DataError` where what stands in brackets are the places 1 to k of each row."""
    found = [
        [_match(str(cell))[0] for cell in row]
        for row in zip(*columns.values(), strict=True)
        if any(isinstance(cell, str) and _says_more(cell) for cell in row)
    ]
    inner = [[half["inner"] for half in row if half is not None] for row in found]
    if len(inner) > 1 and min(map(len, inner)) > 1 and all(map(_are_places, inner)):
        cell = next(half[0] for half in found[0] if half is not None)
        raise DataError(
            f"{source}: what follows the values, as in {cell!r}, are the numbers 1 to "
            f"{len(inner[0])} in each row, as ranks are. Leave them aside: --cells value (in "
            "Python: cells='value')."
        )


def _are_places(row: Sequence[str | None]) -> bool:
    """Whether numbers are the places of so many, of which equal ones share a place."""
    found = [text.strip() for text in row if text is not None]
    if len(found) < len(row) or any(re.fullmatch(r"\d+(?:\.5)?", text) is None for text in found):
        return False
    numbers = [float(text) for text in found]
    return bool((midranks(-np.array(numbers)) == numbers).all())


def _with_points(cells: Sequence[object]) -> list[object]:
    """The cells of a column, with points where its commas are decimal ones."""
    texts = [cell for cell in cells if isinstance(cell, str) and any(map(str.isdigit, cell))]
    commas = any(map(_DECIMAL_COMMA.search, texts)) and all(map(_NUMERIC.fullmatch, texts))
    if not commas:
        return list(cells)
    return [
        re.sub(r"(?<=\d),(?=\d)", ".", cell) if isinstance(cell, str) else cell for cell in cells
    ]


def _split(cell: object, meaning: CellMeaning, place: str) -> tuple[object, float]:
    """Value of a cell as it was written, and its standard error; NaN if there is none."""
    if not isinstance(cell, str) or parse_number(cell) is not None:  # a mark is no error
        return cell, math.nan
    half, interval, sides = _match(cell)
    found = half or interval or sides
    if found is None:
        plain = _undressed(cell)
        return (cell if parse_number(plain) is None else plain), math.nan
    value = found["value"].replace(" ", "")
    if meaning.kind == "value":
        return value, math.nan
    parts = [text for name, text in found.groupdict().items() if name != "value" and text]
    if any("%" in text for text in parts) and "%" not in value:
        raise DataError(f"{place}: {cell!r} has a percent sign behind the value only. Correct it.")
    numbers = [float(text.replace("%", "").replace(" ", "")) for text in parts]
    if half is not None:
        size = numbers[0]
    elif meaning.kind != "ci":
        what = "error" if meaning.kind == "se" else "deviation"
        raise DataError(
            f"{place}: {cell!r} holds an interval, not a standard {what}. Give its level, such as "
            "cells=ci95."
        )
    elif interval is not None:
        low, high = numbers
        if not low <= float(value.replace("%", "")) <= high:
            raise DataError(f"{place}: the value of {cell!r} lies outside of its interval.")
        size = (high - low) / 2.0
    else:
        size = sum(numbers) / 2.0
    if size < 0:
        raise DataError(f"{place}: the uncertainty of {cell!r} is negative. Correct it.")
    if meaning.kind == "ci":
        return value, size / NormalDist().inv_cdf(0.5 + meaning.level / 2.0)
    return value, size / math.sqrt(meaning.runs)


def _says_more(text: str) -> bool:
    """Whether a cell is a value with something behind it that is no mark of a footnote."""
    return any(_match(text)) and parse_number(text) is None


def _match(text: str) -> tuple[re.Match[str] | None, re.Match[str] | None, re.Match[str] | None]:
    plain = _undressed(text)
    if len(plain) > 80:
        return None, None, None
    return _HALF.fullmatch(plain), _RANGE.fullmatch(plain), _SIDES.fullmatch(plain)


def _undressed(text: str) -> str:
    """A cell without what makes it bold, small or mathematics, and without commas in thousands."""
    plain = text.translate(_DASHES).replace("$", "").replace("\\pm", "±").strip()
    while (bare := _BOLD.sub(r"\g<text>", plain)) != plain:
        plain = bare
    plain = _SMALL.sub(r" ± \g<error>", plain).replace("± ±", "±").replace("±  ±", "±")
    if _THOUSANDS.match(plain):
        plain = _THOUSANDS.sub(lambda found: found[0].replace(",", ""), plain)
    return plain


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more columns"
