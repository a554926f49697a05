"""A sign of life during long work: on a terminal only, and gone when the work is done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeAlias

__all__ = ["Advance", "counting", "reading_files", "working"]

# Takes how much is done, and how much there is.
Advance: TypeAlias = Callable[[int, int], None]


def working(message: str, *, quiet: bool = False) -> AbstractContextManager[Advance | None]:
    """Show `message` with a moving bar and the time spent while the block runs.

    Nothing is shown in a pipe, and nothing stays on the screen.
    """
    return counting(message, None, quiet=quiet)


def reading_files(*, quiet: bool = False) -> AbstractContextManager[Advance | None]:
    """Show how much of the input has been read, and how fast, while the block runs.

    Gives what `rankbars.read` takes as ``progress``; None in a pipe, where nothing is shown.
    """
    return counting("Reading", "byte", then="Putting together", quiet=quiet)


@contextmanager
def counting(
    message: str, unit: str | None, *, then: str | None = None, quiet: bool = False
) -> Iterator[Advance | None]:
    """Show how many things are done, and how fast, while the block runs.

    Parameters
    ----------
    message : str
        What is being done.
    unit : str, optional
        What is counted, one of them; None where nothing is.
    then : str, optional
        What is being done after the last of them.
    quiet : bool
        Whether nothing is shown.

    Yields
    ------
    callable or None
        Takes how many are done, and how many there are; None in a pipe, where nothing is shown.
    """
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rankbars.cli.bars import drawn_bar

    with drawn_bar(message, unit, then) as advance:
        yield advance
