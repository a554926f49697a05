"""Cells of a table: from what a file or a frame holds to names and numbers.

Only the spellings listed here are numbers. Anything else is remembered with its row, so that the
message can name it; nothing unknown ever becomes 0.
"""

from __future__ import annotations

import decimal
import math
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError

__all__ = [
    "LONGEST_NUMBER", "PLAIN_WORDS", "WORDS", "CodedTexts", "LabelCells", "NumberCells",
    "NumberColumn", "Unread", "label_text", "merge_columns", "parse_number", "read_number",
    "spellings_of",
]  # fmt: skip

# What text may stand for a number; compared without case and surrounding blanks.
WORDS = {
    **dict.fromkeys(("true", "yes", "pass", "passed"), 1.0),
    **dict.fromkeys(("false", "no", "fail", "failed"), 0.0),
    **dict.fromkeys(("wahr", "vrai", "verdadero"), 1.0),  # as sheets write them elsewhere
    **dict.fromkeys(("falsch", "faux", "falso"), 0.0),
    **dict.fromkeys(("succeeded", "right"), 1.0),
    **dict.fromkeys(("correct", "solved", "resolved", "success", "✓", "✔", "✔️", "✅"), 1.0),
    **dict.fromkeys(("incorrect", "wrong", "unsolved", "unresolved", "failure"), 0.0),
    **dict.fromkeys(("✗", "✘", "✖", "❌"), 0.0),
    **dict.fromkeys(
        ("", "-", "--", "---", "–", "—", "na", "n/a", "n.a.", "nan", "null", "none"), math.nan
    ),
    **dict.fromkeys(("#n/a", "#div/0!"), math.nan),  # as sheets write them
    **dict.fromkeys(("skip", "skipped"), math.nan),  # as runners of tests write them
}

# Words whose meaning nobody asks about.
PLAIN_WORDS = frozenset({"true", "false", "yes", "no", "wahr", "falsch", "vrai", "faux",
                          "verdadero", "falso"})  # fmt: skip

# Marks behind a value, which point to a footnote.
_MARKS = "*†‡§¶"
# Further ones; a figure is one only behind a fraction: 10^2 and 61 [3] may be more than that.
_FOOTNOTE = re.compile(
    r"(?:(?P<value>.*[0-9]\s*%?)\s*"
    r"(?:\^\{?[a-z]{1,2}\}?|<sup>[a-z*†‡§¶]{1,2}</sup>|\[\^?[a-z]\]|[ᵃᵇᶜᵈᵉ])"
    r"|(?P<fraction>.*\.[0-9]+\s*%?)\s*"
    r"(?:\^\{?[0-9]{1,2}\}?|<sup>[0-9]{1,2}</sup>|\[\^?[0-9]{1,2}\]|[⁰¹²³⁴-⁹]{1,2}))",
    re.IGNORECASE,
)
_LONGEST_MARKED = 40
_THOUSANDS = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]*)?")
_DECIMAL_COMMA = re.compile(r"[-+]?[0-9]*,[0-9]+(?:[eE][-+]?[0-9]+)?")

_BOLD = re.compile(r"(\*\*|__|\*)(.*[0-9].*)\1")

# Texts of cells that are no numbers, of which each is remembered.
_MOST_WORDS = 20

# Far above every way to write a number with its full precision.
LONGEST_NUMBER = 2000


class Unread(NamedTuple):
    """Cells of a number column that are not numbers.

    Parameters
    ----------
    row : int
        Index of the first such row, from 0.
    text : str
        What it holds.
    cells : int
        How many there are.
    words : tuple of (str, int)
        The first different texts, and how often each stands there.
    """

    row: int
    text: str
    cells: int
    words: tuple[tuple[str, int], ...] = ()

    def also(self, text: str, cells: int) -> Unread:
        """The same with further cells that hold a text."""
        known = dict(self.words)
        if text in known or len(known) < _MOST_WORDS:
            known[text] = known.get(text, 0) + cells
        return self._replace(cells=self.cells + cells, words=tuple(known.items()))


class NumberColumn(NamedTuple):
    """What is known of the cells of a column of numbers.

    Parameters
    ----------
    unread : Unread or None
        Cells that are not numbers.
    plain, percentages : int
        Cells that are plain numbers or truth values; cells with a percent sign.
    truths : int
        Cells that are truth values (true, false).
    largest : float
        The largest number; NaN where there is none.
    spellings : tuple of (str, str)
        Unusual spellings of numbers that occur, each with an example.
    whole : (int, int) or None
        Least and largest number, where the type of the column says that all are whole.
    """

    unread: Unread | None = None
    plain: int = 0
    percentages: int = 0
    truths: int = 0
    largest: float = math.nan
    spellings: tuple[tuple[str, str], ...] = ()
    whole: tuple[int, int] | None = None

    @property
    def only_truths(self) -> bool:
        """Whether there are values and all of them are true or false."""
        return 0 < self.plain == self.truths and not self.percentages

    @property
    def mixture(self) -> str:
        """What stands beside each other and has no scale in common; empty if nothing does.

        Examples
        --------
        >>> NumberColumn(plain=7, truths=2, largest=88.0).mixture
        '2 times true or false and numbers up to 88'
        """
        if self.plain and self.percentages:
            return f"{self.percentages} percentages and {self.plain} plain numbers"
        if 0 < self.truths < self.plain and self.largest > 1.0:
            return f"{self.truths} times true or false and numbers up to {self.largest:g}"
        return ""


def merge_columns(one: NumberColumn, two: NumberColumn) -> NumberColumn:
    """What is known of the cells of both."""
    unread = one.unread or two.unread
    if one.unread is not None and two.unread is not None:
        for text, cells in two.unread.words:
            unread = (unread or one.unread).also(text, cells)
    return NumberColumn(
        unread,
        one.plain + two.plain,
        one.percentages + two.percentages,
        one.truths + two.truths,
        float(np.fmax(one.largest, two.largest)),
        tuple((dict(two.spellings) | dict(one.spellings)).items()),
        _join_ranges([column.whole for column in (one, two) if column.plain or column.percentages]),
    )


def _join_ranges(ranges: Sequence[tuple[int, int] | None]) -> tuple[int, int] | None:
    known = [one for one in ranges if one is not None]
    if not known or len(known) < len(ranges):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def parse_number(text: str, decimal: str = ".") -> float | None:
    """Value of a cell: NaN if it is empty, None if it is not a number.

    A percentage keeps its scale: ``"45.3%"`` is 45.3.

    Parameters
    ----------
    text : str
        The cell.
    decimal : {".", ","}
        What separates the fraction; where it is a comma, none stands between thousands.

    Examples
    --------
    >>> parse_number(" 0.5 "), parse_number("TRUE"), parse_number("45.3%"), parse_number("1,5")
    (0.5, 1.0, 45.3, None)
    >>> parse_number("1,284"), parse_number("1,284", decimal=","), parse_number("61.2†")
    (1284.0, 1.284, 61.2)
    """
    if len(text) > LONGEST_NUMBER:
        return None  # reading its digits would take longer than it is worth
    return _parse(text, decimal)


def read_number(cell: object) -> float | None:
    """The number in a cell, with either decimal mark; NaN where it is empty, None where it is none.

    Examples
    --------
    >>> read_number("0.5"), read_number("0,5"), read_number(None), read_number("about 7")
    (0.5, 0.5, nan, None)
    """
    if cell is None:
        return math.nan
    if isinstance(cell, str):
        number = parse_number(cell)
        return parse_number(cell, ",") if number is None else number
    try:
        return float(cell)  # type: ignore[arg-type]  # whatever a frame holds
    except (TypeError, ValueError, OverflowError):
        return None


# The same cells stand in many rows, and are looked at more than once.
@lru_cache(maxsize=4096)
def _parse(text: str, decimal: str) -> float | None:
    plain = text.strip()
    word = WORDS.get(plain.casefold())
    if word is not None:
        return word
    bold = _BOLD.fullmatch(plain)
    plain = _unmarked((bold[2] if bold else plain).strip()).replace("−", "-")
    plain = plain.removesuffix("%").rstrip()
    if "_" in plain or not plain.isascii():
        return None
    if "," in plain:
        if decimal == "," and _DECIMAL_COMMA.fullmatch(plain):
            plain = plain.replace(",", ".")
        elif decimal == "." and _THOUSANDS.fullmatch(plain):
            plain = plain.replace(",", "")
    try:
        return float(plain)
    except ValueError:
        return None


def _unmarked(plain: str) -> str:
    """A cell without the marks behind its value that point to a footnote.

    Examples
    --------
    >>> _unmarked("61.2*"), _unmarked("72.8 [1]"), _unmarked("72.8^a"), _unmarked("10^2")
    ('61.2', '72.8', '72.8', '10^2')
    """
    shorter = plain.rstrip(_MARKS).rstrip()
    if (shorter[-1:].isdecimal() and "^" not in shorter) or len(shorter) > _LONGEST_MARKED:
        return shorter
    found = _FOOTNOTE.fullmatch(shorter)
    return (found["value"] or found["fraction"]).rstrip() if found else shorter


def spellings_of(text: str, decimal: str = ".") -> tuple[str, ...]:
    """What is unusual about a cell that is a number.

    Examples
    --------
    >>> spellings_of("1,284*"), spellings_of("Pass"), spellings_of("0.5"), spellings_of("72.8¹")
    (('mark', 'thousands'), ('word',), (), ('mark',))
    """
    plain = text.strip()
    found = []
    if plain.casefold() in ("pass", "passed", "fail", "failed"):
        found.append("word")
    elif plain.casefold() in ("skip", "skipped"):
        found.append("skipped")
    elif (known := WORDS.get(plain.casefold())) == known and plain.casefold() not in PLAIN_WORDS:
        found += [] if known is None else ["right"]
    if _BOLD.fullmatch(plain):
        found.append("bold")
    elif _unmarked(plain) != plain:
        found.append("mark")
    if "," in plain:
        found.append("comma" if decimal == "," else "thousands")
    return tuple(found)


def label_text(value: object) -> str | None:
    """Name of a cell, unchanged if it is text; None if it is empty.

    Whole numbers are written without a fraction, so that an identifier is the same name whether
    a file stored it as 7, 7.0 or "7".

    Raises
    ------
    DataError
        If the cell holds something that cannot be a name, such as a list.

    Examples
    --------
    >>> label_text(7.0), label_text("007"), label_text(True), label_text(float("nan"))
    ('7', '007', 'true', None)
    """
    if value is None:
        return None
    if isinstance(value, str):
        return str(value) or None
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating):
        number = float(value)
        if math.isnan(number):
            return None
        return str(int(number)) if number.is_integer() else repr(number)
    if isinstance(value, dict | list | tuple | set | bytes | bytearray | np.ndarray):
        raise DataError(f"holds a {type(value).__name__}, which cannot be a name")
    return str(value)


class CodedTexts(Sequence["str | None"]):
    """Cells of text as they come from libraries that keep each text once.

    Parameters
    ----------
    texts : sequence of str
        The texts.
    codes : array of int, shape (rows,)
        Which of them stands in each row; -1 where the cell is empty.
    """

    def __init__(self, texts: Sequence[str], codes: NDArray[np.integer]) -> None:
        self.texts, self.codes = texts, codes

    def __len__(self) -> int:
        return self.codes.size

    @overload
    def __getitem__(self, place: int) -> str | None: ...
    @overload
    def __getitem__(self, place: slice) -> list[str | None]: ...
    def __getitem__(self, place: int | slice) -> str | list[str | None] | None:
        if isinstance(place, slice):
            known = [*self.texts, None]
            return [known[code] for code in self.codes[place].tolist()]
        return self[place : place + 1 or None][0]

    def __iter__(self) -> Iterator[str | None]:
        return iter(self[:])


class LabelCells:
    """A column of names, coded as it is read: one integer per row, -1 where the cell is empty."""

    def __init__(self) -> None:
        self._codes = array("i")
        self._known: dict[str, int] = {}

    def extend(self, cells: Iterable[object] | NDArray[Any]) -> None:
        """Append cells; raises `DataError` for one that cannot be a name."""
        if isinstance(cells, np.ndarray) and cells.dtype.kind in "biuf":
            values, inverse = np.unique(cells, return_inverse=True)
            codes = np.array([self._code(value) for value in values], dtype=np.intc)
            self._codes.frombytes(codes[inverse.reshape(-1)].tobytes())
            return
        if isinstance(cells, CodedTexts):
            codes = np.array([*map(self._code, cells.texts), -1], dtype=np.intc)
            self._codes.frombytes(codes[cells.codes].tobytes())
            return
        known, code = self._known, self._code
        self._codes.extend([known[c] if type(c) is str and c in known else code(c) for c in cells])

    def _code(self, cell: object) -> int:
        text = label_text(cell)
        return -1 if text is None else self._known.setdefault(text, len(self._known))

    def codes(self) -> NDArray[np.int32]:
        """Codes so far, shape (rows,); they index `names`."""
        return np.frombuffer(self._codes, dtype=np.int32) if self._codes else np.empty(0, np.int32)

    @property
    def names(self) -> tuple[str, ...]:
        """Names in order of first appearance."""
        return tuple(self._known)


class NumberCells:
    """A column of numbers, converted as it is read; NaN where a cell is empty or not a number."""

    def __init__(self) -> None:
        self._values = array("d")
        self._unread: Unread | None = None
        self._percentages = self._plain = self._truths = 0
        self._spellings: dict[str, str] = {}

    def extend(self, cells: Sequence[object] | NDArray[Any]) -> None:
        """Append cells."""
        if isinstance(cells, np.ndarray) and cells.dtype.kind in "biuf":
            values = np.asarray(cells, dtype=np.float64)
            known = int(np.count_nonzero(~np.isnan(values)))
            self._plain += known
            self._truths += known if cells.dtype.kind == "b" else 0
            self._values.frombytes(values.tobytes())
            return
        append, convert = self._values.append, self._convert
        for cell in cells:
            append(convert(cell))

    def values(self) -> NDArray[np.float64]:
        """Values so far, shape (rows,)."""
        return np.frombuffer(self._values, np.float64) if self._values else np.empty(0)

    def column(self) -> NumberColumn:
        """What is known of them."""
        largest = float(np.fmax.reduce(self.values(), initial=np.nan))
        spellings = tuple(self._spellings.items())
        return NumberColumn(
            self._unread, self._plain, self._percentages, self._truths, largest, spellings
        )

    def _convert(self, cell: object) -> float:
        if isinstance(cell, str):
            return self._convert_text(cell)
        if cell is None:
            return math.nan
        if isinstance(cell, bool | np.bool_):
            self._plain += 1
            self._truths += 1
            return float(cell)
        if isinstance(cell, int | float | np.integer | np.floating | decimal.Decimal):
            try:
                value = float(cell)
            except OverflowError:
                return self._remember(str(cell)[:40])
            self._plain += not math.isnan(value)
            return value
        return self._remember(f"a {type(cell).__name__}")

    def _convert_text(self, cell: str) -> float:
        value = parse_number(cell)
        if value is None:
            return self._remember(cell[:LONGEST_NUMBER])
        if math.isnan(value):
            if "skipped" in spellings_of(cell):
                self._spellings.setdefault("skipped", cell)
            return value
        for kind in spellings_of(cell):
            self._spellings.setdefault(kind, cell)
        if "%" in cell:
            self._percentages += 1
        else:
            self._plain += 1
            self._truths += cell.strip().casefold() in WORDS
        return value

    def _remember(self, text: str) -> float:
        known = self._unread or Unread(len(self._values), text, 0)
        self._unread = known.also(text, 1)
        return math.nan
