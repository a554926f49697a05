"""Every error and warning of the package: one root each, messages that say what to do.

A message states what was asked, what was found, and what to do next.
Facts go to a class method that builds the sentence; the constructor takes one finished message,
so that an error survives pickling and a worker process can report it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Sequence
from typing import NamedTuple, Self, TypeVar

__all__ = [
    "ConvergenceError",
    "DataError",
    "MissingPackageError",
    "OptionError",
    "RankbarsError",
    "ReadError",
    "UnknownOptionError",
    "WriteError",
]

T = TypeVar("T", bound=str)

# So many damaged files are told one by one.
MOST_FILES = 3


class Lacking(NamedTuple):
    """Names that the caller declared and some results do not know; others may.

    Parameters
    ----------
    option : str
        ``"direction"``, ``"metric"``, ``"filter"`` or ``"cluster"``.
    names : tuple of str
        The names that are not known.
    known : tuple of str
        Those that are.
    """

    option: str
    names: tuple[str, ...]
    known: tuple[str, ...]


# A quoted name that fills lines, not what stands between two; behind an option it is pasted, but
# for what no name is, such as a cell that a damaged file goes on in.
_LONG_NAME = re.compile(r"""(--[\w-]+[ =])?(?:'([^'\s]{160,})'|"([^"\s]{160,})")|(\S{1000,})""")
_MOST_PASTED = 1000


def shorten_names(text: str) -> str:
    """A message in which names of hundreds of characters are shown by their begin and their end.

    Examples
    --------
    >>> shorten_names(f"no column 'a{'9' * 400}z'.") == f"no column 'a{'9' * 99}…{'9' * 19}z'."
    True
    >>> shorten_names(f"--column 'item={'9' * 200}'") == f"--column 'item={'9' * 200}'"
    True
    """
    return text if len(text) < _FEWEST_LONG else _LONG_NAME.sub(_shorten, text)


_FEWEST_LONG = 160


def _shorten(found: re.Match[str]) -> str:
    name = found[2] or found[3] or found[4]
    if found[1] and len(name) < _MOST_PASTED:
        return found[0]
    return found[0].replace(name, f"{name[:100]}…{name[-20:]}")


class RankbarsError(Exception):
    """Root of every error that the package raises on purpose.

    `lacking` holds the declared names that the results do not know, where the error is about such.
    """

    lacking: Lacking | None = None

    def __init__(self, *args: object) -> None:
        super().__init__(*(shorten_names(one) if isinstance(one, str) else one for one in args))

    def about(self, lacking: Lacking | None) -> Self:
        """Say that the error is about names that the results do not know."""
        self.lacking = lacking
        return self


class DataError(RankbarsError, ValueError):
    """The evaluation results do not allow what was asked."""


class ReadError(DataError):
    """A file could not be read as evaluation results; names file and, where known, place.

    `places` holds the file, as far as it is known; `errors` what is wrong with single files,
    where it is about several.
    """

    places: tuple[str, ...] = ()
    errors: tuple[ReadError, ...] = ()

    @classmethod
    def at(cls, path: object, problem: str, *, row: int | None = None) -> Self:
        """Error about `path`, optionally about one of its rows (from 1, header included)."""
        place = f"{path}, row {row}" if row is not None else str(path)
        error = cls(f"{place}: {problem}")
        error.places = (str(path),)
        return error

    @staticmethod
    def joined(errors: Sequence[ReadError]) -> ReadError:
        """One error about several files; says what is wrong with the first few.

        Examples
        --------
        >>> str(ReadError.joined([ReadError.at(name, "it is empty.") for name in "abcde"]))
        'a: it is empty. b: it is empty. c: it is empty. And so with 2 more.'
        """
        if len(errors) == 1:
            return errors[0]
        first = errors[:MOST_FILES]
        more = len(errors) - len(first)
        rest = [f"And so with {more} more."] if more else []
        error = ReadError(" ".join([*map(str, first), *rest]))
        error.errors = tuple(errors)
        return error


class WriteError(RankbarsError, OSError):
    """A result could not be written; nothing was left half-written."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class OptionError(RankbarsError, ValueError):
    """A value the caller chose is out of range or does not fit the data."""

    @classmethod
    def out_of_range(cls, name: str, given: object, expected: str) -> Self:
        """Error for a value outside of its range."""
        return cls(f"{name} must be {expected}; got {given!r}.")


class UnknownOptionError(OptionError):
    """A name the caller chose is not known; lists the known ones and the nearest."""

    @classmethod
    def among(cls, what: str, given: object, known: Collection[str]) -> Self:
        """Error for a name that is not one of `known`."""
        near = difflib.get_close_matches(str(given), list(known), n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        offer = f"Known: {', '.join(known)}." if known else "There is none to choose."
        return cls(f"Unknown {what} {given!r}.{hint} {offer}")


def one_of(what: str, given: object, known: Sequence[T]) -> T:
    """What was given, which is one of the `known` values.

    Parameters
    ----------
    what : str
        What it is, for the message.
    given : object
        What a caller chose.
    known : sequence of str
        What can be chosen.

    Raises
    ------
    UnknownOptionError
        If it is none of them.

    Examples
    --------
    >>> one_of("side", "lower", ("higher", "lower"))
    'lower'
    """
    for value in known:
        if value == given:
            return value
    raise UnknownOptionError.among(what, given, known)


class MissingPackageError(RankbarsError, ImportError):
    """An optional package is needed; names the extra that installs it."""

    @classmethod
    def for_extra(cls, package: str, purpose: str, install: str) -> Self:
        """Error for a `package` that `purpose` needs and `install` provides."""
        return cls(f"{purpose} needs the package {package!r}. Install it: pip install {install}")


class ConvergenceError(RankbarsError, ArithmeticError):
    """An iterative fit did not reach its stopping rule; nothing half-fitted is returned."""

    @classmethod
    def after(cls, what: str, iterations: int, left: float, tolerance: float, remedy: str) -> Self:
        """Error for a fit that stopped `left` away from where `tolerance` would have ended it."""
        return cls(
            f"{what} did not converge in {iterations} iterations: {left:.3g} is left, "
            f"{tolerance:.3g} is allowed. {remedy}"
        )
