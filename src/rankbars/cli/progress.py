"""A sign of life during long work: on a terminal only, and gone when the work is done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

__all__ = ["Advance", "counting", "reading_files", "working"]

# Takes how much is done, and how much there is.
Advance: TypeAlias = Callable[[int, int], None]


@contextmanager
def working(message: str, *, quiet: bool = False) -> Iterator[None]:
    """Show `message` with a moving bar and the time spent while the block runs.

    Nothing is shown in a pipe, and nothing stays on the screen.
    """
    if not _is_watched(quiet):
        yield
        return
    from rankbars.cli.bars import pulse_bar

    with pulse_bar(message):
        yield


@contextmanager
def reading_files(*, quiet: bool = False) -> Iterator[Advance | None]:
    """Show how much of the input has been read, and how fast, while the block runs.

    Gives what `rankbars.read` takes as ``progress``; None in a pipe, where nothing is shown.
    """
    if not _is_watched(quiet):
        yield None
        return
    from rankbars.cli.bars import size_bar

    with size_bar("Reading") as bar:
        yield _moving(bar.move, bar.turn_to, "Putting together")


@contextmanager
def counting(
    message: str, unit: str, *, then: str | None = None, quiet: bool = False
) -> Iterator[Advance | None]:
    """Show how many things are done, and how fast, while the block runs.

    Parameters
    ----------
    message : str
        What is being done.
    unit : str
        What is counted, one of them.
    then : str, optional
        What is being done after the last of them.
    quiet : bool
        Whether nothing is shown.

    Yields
    ------
    callable or None
        Takes how many are done, and how many there are; None in a pipe, where nothing is shown.
    """
    if not _is_watched(quiet):
        yield None
        return
    from rankbars.cli.bars import count_bar

    with count_bar(message, unit) as bar:
        yield bar.move if then is None else _moving(bar.move, bar.turn_to, then)


def _moving(move: Advance, turn_to: Callable[[str], None], then: str) -> Advance:
    """`move` until all is done; then the bar shows what comes after."""

    def advance(done: int, total: int) -> None:
        if done < total:
            move(done, total)
        else:
            turn_to(then)

    return advance


def _is_watched(quiet: bool) -> bool:
    return not quiet and sys.stderr is not None and sys.stderr.isatty()
