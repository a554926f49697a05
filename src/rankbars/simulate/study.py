"""What a study is: pieces of work that can be done anywhere, and how they become tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rankbars.errors import OptionError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "Cell",
    "Row",
    "Study",
    "Table",
    "Unit",
    "check_repetitions",
    "flatten",
    "number",
    "numbers",
]

Cell = str | int | float | None
Row = dict[str, Cell]
Table = list[Row]


class Unit(NamedTuple):
    """One piece of work, of about a second.

    Attributes
    ----------
    function : callable
        A function of a module, so that worker processes find it. It draws its random numbers from
        streams named after its arguments: the same arguments give the same rows, wherever and
        whenever it runs.
    arguments : tuple
        Plain values.
    """

    function: Callable[..., Table]
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Study:
    """A simulation study: what is to be done, and what is made of it.

    Parameters
    ----------
    name : str
        Its name in `STUDIES`.
    units : tuple of Unit
        The work.
    finish : callable
        Makes the tables, by name of the file, from the rows of every unit in their order.
    draw : callable, optional
        Makes the pictures, by name of the file, from those tables.
    page : callable, optional
        Makes one HTML page, called `name`, from those tables and the pictures by name of the
        file, as text that stands for the picture in the page.
    summary : callable, optional
        Says in some lines of text what the tables show.
    """

    name: str
    units: tuple[Unit, ...]
    finish: Callable[[Sequence[Table]], dict[str, Table]]
    draw: Callable[[Mapping[str, Table]], dict[str, Figure]] | None = None
    page: Callable[[Mapping[str, Table], Mapping[str, str]], str] | None = None
    summary: Callable[[Mapping[str, Table]], str] | None = None


def flatten(parts: Sequence[Table]) -> Table:
    """The rows of all parts, in order.

    Examples
    --------
    >>> flatten([[{"a": 1}], [{"a": 2}]])
    [{'a': 1}, {'a': 2}]
    """
    return [row for part in parts for row in part]


def number(row: Row, column: str) -> float:
    """A cell that must be a number.

    Raises
    ------
    TypeError
        If it is text or empty.

    Examples
    --------
    >>> number({"width": 0.5}, "width")
    0.5
    """
    cell = row[column]
    if cell is None or isinstance(cell, str):
        raise TypeError(f"expected a number as {column}, found {cell!r}")
    return float(cell)


def numbers(table: Table, column: str) -> list[float]:
    """A column that must hold numbers only.

    Raises
    ------
    TypeError
        If a cell is text or empty.

    Examples
    --------
    >>> numbers([{"width": 0.5}, {"width": 1}], "width")
    [0.5, 1.0]
    """
    return [number(row, column) for row in table]


def check_repetitions(repetitions: int, least: int = 1) -> int:
    """The number of repetitions, if a study can be made of it.

    Raises
    ------
    OptionError
        If it is not a whole number of at least `least`.

    Examples
    --------
    >>> check_repetitions(100)
    100
    """
    whole = isinstance(repetitions, int) and not isinstance(repetitions, bool)
    if not whole or repetitions < least:
        raise OptionError.out_of_range(
            "repetitions", repetitions, f"a whole number, {least} or more"
        )
    return repetitions
