"""Cells of a table: from what a file or a frame holds to names and numbers.

Only the spellings listed here are numbers. Anything else is remembered with its row, so that the
message can name it; nothing unknown ever becomes 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError

__all__ = [
    "LONGEST_NUMBER", "ONE_POINT", "PLAIN_WORDS", "WORDS", "NumberColumn", "Unread", "label_text",
    "merge_columns", "parse_number", "read_number", "spellings_of", "without_links",
    "without_points",
]  # fmt: skip

# What text may stand for a number; compared without case and surrounding blanks.
WORDS = {
    **dict.fromkeys(("true", "yes", "pass", "passed"), 1.0),
    **dict.fromkeys(("false", "no", "fail", "failed"), 0.0),
    **dict.fromkeys(("wahr", "vrai", "verdadero"), 1.0),  # as sheets write them elsewhere
    **dict.fromkeys(("falsch", "faux", "falso"), 0.0),
    **dict.fromkeys(("succeeded", "right"), 1.0),
    **dict.fromkeys(("correct", "solved", "resolved", "success", "✓", "✔", "✔️", "✅", "👍"), 1.0),
    **dict.fromkeys(("incorrect", "wrong", "unsolved", "unresolved", "failure"), 0.0),
    **dict.fromkeys(("✗", "✘", "✖", "❌", "👎"), 0.0),
    **dict.fromkeys(("thumbs up", "thumbs_up", "thumbsup"), 1.0),
    **dict.fromkeys(("thumbs down", "thumbs_down", "thumbsdown"), 0.0),
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
# Where the comma is the decimal mark: 1.234,5 and 1.234.567, which nothing else is.
_POINTS = re.compile(
    r"[-+]?[1-9][0-9]{0,2}(?:(?:\.[0-9]{3})+,[0-9]+|(?:\.[0-9]{3}){2,}(?:,[0-9]+)?)"
)
ONE_POINT = r"[-+]?[1-9][0-9]{0,2}\.[0-9]{3}"

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

    def at(self, places: NDArray[np.int64]) -> NumberColumn:
        """The same of rows that stand at these places of a table."""
        if self.unread is None:
            return self
        return self._replace(unread=self.unread._replace(row=int(places[self.unread.row])))

    @property
    def only_truths(self) -> bool:
        """Whether there are values and all of them are true or false."""
        return 0 < self.plain == self.truths and not self.percentages

    @property
    def either(self) -> str:
        """What to ask where points may stand between thousands as well as before a fraction."""
        example = dict(self.spellings).get("either", "")
        if not example:
            return ""
        whole = without_points(example)
        return (
            f"cells such as {example!r} beside whole numbers below 1000. If a point stands between "
            f"thousands ({whole:g}): --decimal , (in Python: decimal=','). If it is the decimal "
            "mark: --decimal . (in Python: decimal='.')."
        )

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
        What separates the fraction; where it is a comma, points may stand between thousands.

    Examples
    --------
    >>> parse_number(" 0.5 "), parse_number("TRUE"), parse_number("45.3%"), parse_number("1,5")
    (0.5, 1.0, 45.3, None)
    >>> parse_number("1,284"), parse_number("1,284", decimal=","), parse_number("61.2†")
    (1284.0, 1.284, 61.2)
    >>> parse_number("1.284,5", decimal=","), parse_number("1.284", decimal=",")
    (1284.5, 1.284)
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
    if decimal == "," and _POINTS.fullmatch(plain):
        plain = plain.replace(".", "").replace(",", ".")
    elif "," in plain:
        if decimal == "," and _DECIMAL_COMMA.fullmatch(plain):
            plain = plain.replace(",", ".")
        elif decimal == "." and _THOUSANDS.fullmatch(plain):
            plain = plain.replace(",", "")
    try:
        return float(plain)
    except ValueError:
        return None


def without_points(text: str) -> float | None:
    """The whole number in a cell where a point stands between thousands; None where none may.

    Examples
    --------
    >>> without_points("1.284"), without_points("0.284"), without_points("12.5")
    (1284.0, None, None)
    """
    plain = text.strip()
    return float(plain.replace(".", "")) if re.fullmatch(ONE_POINT, plain) else None


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
    >>> spellings_of("1.284,5", decimal=",")
    ('points', 'comma')
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
    if decimal == "," and _POINTS.fullmatch(plain):
        found.append("points")
    if "," in plain:
        found.append("comma" if decimal == "," else "thousands")
    return tuple(found)


def without_links(text: str) -> str:
    """A name without the link, in HTML or Markdown, that leads from it to a page.

    Examples
    --------
    >>> without_links("<a href='https://a.b/c'>gpt (val)</a>"), without_links("[e5](https://a.b/e5)")
    ('gpt (val)', 'e5')
    >>> without_links('<a href="https://a.b">org/m</a>  <a href="https://a.b/d">📑</a>')
    'org/m'
    """
    if not _LINK.search(text):
        return text
    plain = _LINK.sub(lambda found: found["html"] or found["name"] or "", text)
    return _SIGNS_BEHIND.sub("", plain).strip() or text


_SIGNS_BEHIND = re.compile(r"(?:\s+[^\w\s]+)+\s*$")
_LINK = re.compile(
    r"(?i)<a\s[^<>]*>\s*(?P<html>[^<>]*?)\s*</a>|\[(?P<name>[^\[\]]+)\]\((?:https?:|/)[^()\s]*\)"
)


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
    if isinstance(value, _TRUTHS):
        return "true" if value else "false"
    if isinstance(value, _FRACTIONS):
        number = float(value)
        if math.isnan(number):
            return None
        return str(int(number)) if number.is_integer() else repr(number)
    if isinstance(value, _NO_NAMES):
        raise DataError(f"holds a {type(value).__name__}, which cannot be a name")
    return str(value)


# Of millions of cells: kinds are put together once.
_TRUTHS = (bool, np.bool_)
_FRACTIONS = (float, np.floating)
_NO_NAMES = (dict, list, tuple, set, bytes, bytearray, np.ndarray)
