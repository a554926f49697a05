"""Cells of a sheet as text, one line per row, as a CSV file has them."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from typing import IO, Any, NamedTuple
from xml.etree import ElementTree as ET

from rankbars.data.notes import list_words
from rankbars.errors import ReadError
from rankbars.tables.tablerows import MOST_COLUMNS

__all__ = ["FACTS", "MOST_ROWS", "Facts", "SheetCopy"]

# Rows of a sheet, as the format allows them.
MOST_ROWS = 1 << 20

# Ten million cells are a large sheet; empty ones between others count.
MOST_CELLS = 1 << 25

# What a sheet may hold beside values, by how its text then looks.
FACTS = {
    "formulas": re.compile(rb"<(?:\w+:)?f[\s>/]"),
    "merged": re.compile(rb"<(?:\w+:)?mergeCell\s"),
    "hidden": re.compile(rb"\shidden=[\"'](?:1|true)[\"']"),
}
_ERRORS = frozenset(
    ("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA",
     "#SPILL!", "#CALC!")
)  # fmt: skip
_AREA = re.compile(r"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})")
_YES = ("1", "true")


class Area(NamedTuple):
    """Cells that were merged into one: columns and rows from 1, ends included."""

    left: int
    top: int
    right: int
    bottom: int


class Facts(NamedTuple):
    """What a sheet says beside the values of its cells.

    Parameters
    ----------
    areas : tuple of Area
        Merged cells.
    uncomputed : str
        The first cell with a formula whose value is not there; empty if there is none.
    rows : int
        How many rows are hidden.
    columns : tuple of int
        Hidden columns, from 1.
    """

    areas: tuple[Area, ...] = ()
    uncomputed: str = ""
    rows: int = 0
    columns: tuple[int, ...] = ()

    @classmethod
    def of(cls, part: IO[bytes]) -> Facts:
        """What stands in the XML of a sheet."""
        areas: list[Area] = []
        columns: list[int] = []
        uncomputed, rows = "", 0
        for _, element in ET.iterparse(part):
            kind = element.tag.rpartition("}")[2]
            if kind == "c":
                if not uncomputed and _lacks_value(element):
                    uncomputed = element.get("r", "?")
            elif kind == "row":
                rows += element.get("hidden") in _YES
                element.clear()
            elif kind == "col" and element.get("hidden") in _YES:
                last = min(int(element.get("max", 0)), MOST_COLUMNS)
                columns += range(int(element.get("min", 1)), last + 1)
            elif kind == "mergeCell" and (found := _AREA.fullmatch(element.get("ref", ""))):
                left, top, right, bottom = found.groups()
                areas.append(Area(_number(left), int(top), _number(right), int(bottom)))
        return cls(tuple(areas), uncomputed, rows, tuple(columns))


def _lacks_value(cell: ET.Element) -> bool:
    """Whether a cell has a formula, and nobody computed it."""
    held = {part.tag.rpartition("}")[2]: part.text for part in cell}
    if "f" not in held:
        return False
    return "v" not in held or (not held["v"] and cell.get("t") != "str")


class SheetCopy:
    """A sheet that is written as a CSV file, one line per row.

    Parameters
    ----------
    rows : iterable of tuple
        Its rows from the first one, as values, each as wide as it is.
    facts : Facts
        What it says beside these.
    decimal : {".", ","}
        What separates the fraction of a number where text is read.

    Attributes
    ----------
    gaps : bool
        Whether there are empty rows between others.
    durations : tuple of int
        Places of columns that hold durations.
    remark : str
        What is to be said of it.
    """

    def __init__(self, rows: Iterable[tuple[Any, ...]], facts: Facts, decimal: str) -> None:
        self.gaps = False
        self.durations: tuple[int, ...] = ()
        self.remark = ""
        self._rows, self._facts, self._decimal = rows, facts, decimal

    def write(self, target: IO[str], source: str) -> None:
        """Write all rows; `source` is what messages call the sheet.

        Raises
        ------
        ReadError
            If a formula was never computed, or there are more rows than a sheet has.
        """
        if self._facts.uncomputed:
            raise ReadError.at(
                source,
                f"the cell {self._facts.uncomputed} holds a formula, and its value is not in the "
                "file: the program that wrote it did not compute it. Open the workbook in Excel "
                "or LibreOffice, save it, and read it again.",
            )
        carried = _Carried(self._facts.areas)
        lines: list[list[str]] = []
        errors: list[str] = []
        lasting: set[int] = set()
        size = 0
        for number, row in enumerate(self._rows, start=1):
            if number > MOST_ROWS:
                raise ReadError.at(source, f"the sheet has more than {MOST_ROWS:,} rows.")
            values = carried.fill(number, [*row]) if row or carried.waits(number) else []
            size += len(values)
            if len(values) > MOST_COLUMNS or size > MOST_CELLS:
                what = f"{MOST_CELLS:,} cells" if size > MOST_CELLS else f"{MOST_COLUMNS:,} columns"
                raise ReadError.at(
                    source, f"the sheet has more than {what}, which one of results has not."
                )
            while values and values[-1] in (None, ""):
                values.pop()
            cells = []
            for place, value in enumerate(values):
                text = self._text(value)
                if isinstance(value, timedelta):
                    lasting.add(place)
                elif text in _ERRORS:
                    errors.append(f"{_letters(place + 1)}{number} ({text})")
                cells.append(text if not carried.in_head else " ".join(text.split("\n")))
            lines.append(cells)
        while lines and not lines[-1]:
            lines.pop()
        if max(map(len, lines), default=0) * len(lines) > 2 * MOST_CELLS:
            raise ReadError.at(source, "the sheet has cells far beside its table. Remove them.")
        self._put(target, lines, lasting)
        self.remark = " ".join([*carried.remarks(), *self._told(errors)])

    def _put(self, target: IO[str], lines: Sequence[Sequence[str]], lasting: set[int]) -> None:
        """Lines of one width, without empty columns to the left, and blank ones above as such."""
        filled = [line for line in lines if line]
        width = max(map(len, filled), default=0)
        left = min((_first(line) for line in filled), default=0)
        self.durations = tuple(sorted(place - left for place in lasting))
        writer = csv.writer(target, lineterminator="\n")
        above = True
        for line in lines:
            above = above and not line
            if above:
                target.write("\n")
                continue
            self.gaps |= not line
            cells = [*line[left:], *[""] * (width - max(len(line), left))]
            if width - left == 1 and not cells[0]:
                target.write('""\n')
            else:
                writer.writerow(cells)

    def _text(self, value: object) -> str:
        """A value as a CSV file has it."""
        if value is None:
            return ""
        if isinstance(value, str):
            return value
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, timedelta):
            value = value.total_seconds()
        if isinstance(value, float):
            plain = str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
            return plain.replace(".", self._decimal)
        if isinstance(value, datetime) and value.time() == time():
            return value.date().isoformat()
        if isinstance(value, datetime):
            return value.isoformat(" ")
        return value.isoformat() if isinstance(value, date | time) else str(value)

    def _told(self, errors: Sequence[str]) -> Iterator[str]:
        """What is said of cells that are not seen, or hold an error."""
        if errors:
            verb = "holds an error" if len(errors) == 1 else "hold errors"
            yield f"{list_words(errors, 5)} {verb} of a formula."
        hidden = [f"{self._facts.rows:,} row{'s' if self._facts.rows > 1 else ''}"] * bool(
            self._facts.rows
        )
        columns = [_letters(one) for one in self._facts.columns]
        if columns:
            hidden.append(f"column{'s' if len(columns) > 1 else ''} {list_words(columns, 5)}")
        if hidden:
            yield f"What is hidden is read as well: {' and '.join(hidden)}."


class _Carried:
    """Merged cells, whose value is that of each cell: in a header to the right, below it down.

    A number is not, for it would count more than once; nor is what stands alone in its row, as a
    title does.
    """

    def __init__(self, areas: Collection[Area]) -> None:
        self.in_head = True
        self._starts: dict[int, list[Area]] = {}
        for area in areas:
            self._starts.setdefault(area.top, []).append(area)
        self._down: list[tuple[Area, str]] = []
        self._named = False  # whether a row names the first column
        self._shown: list[str] = []

    def waits(self, number: int) -> bool:
        """Whether merged cells reach into a row or begin there."""
        return bool(self._down) or number in self._starts

    def fill(self, number: int, values: list[Any]) -> list[Any]:
        """The cells of a row with what merged ones say."""
        filled = sum(value not in (None, "") for value in values)
        if self.in_head:
            self._look(values, filled)
        for area, text in self._down:
            if number <= area.bottom:
                _set(values, area.left, text)
        self._down = [one for one in self._down if number < one[0].bottom]
        for area in self._starts.get(number, ()):
            value = values[area.left - 1] if area.left <= len(values) else None
            if not isinstance(value, str) or not value.strip() or filled < 2:
                continue
            if self.in_head and area.left < area.right:
                for place in range(area.left, min(area.right, MOST_COLUMNS) + 1):
                    _set(values, place, value)
                self._shown.append(_spelled(area))
            elif not self.in_head and area.top < area.bottom:
                self._down.append((area, value))
                self._shown.append(_spelled(area))
        return values

    def _look(self, values: Sequence[Any], filled: int) -> None:
        """Whether the header goes on: no number, and nothing that names a row."""
        numbers = any(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
        first = values[0] if values else None
        if numbers or (self._named and first not in (None, "")):
            self.in_head = False
        elif filled > 1 and first not in (None, ""):
            self._named = True

    def remarks(self) -> Iterator[str]:
        """Which cells were taken for several."""
        if self._shown:
            shown = list_words(self._shown, 5)
            yield f"The value of merged cells is that of each of them: {shown}."


def _set(values: list[Any], place: int, value: str) -> None:
    values += [None] * (place - len(values))
    values[place - 1] = value


def _first(line: Sequence[str]) -> int:
    return next((place for place, cell in enumerate(line) if cell), len(line))


def _spelled(area: Area) -> str:
    return f"{_letters(area.left)}{area.top}:{_letters(area.right)}{area.bottom}"


def _number(letters: str) -> int:
    """The number of a column, from 1.

    Examples
    --------
    >>> _number("A"), _number("AB"), _letters(28)
    (1, 28, 'AB')
    """
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number


def _letters(number: int) -> str:
    found = ""
    while number:
        number, rest = divmod(number - 1, 26)
        found = chr(65 + rest) + found
    return found
