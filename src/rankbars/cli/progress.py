"""A sign of life during long work: on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["reading_files", "working"]


@contextmanager
def working(message: str, *, quiet: bool = False) -> Iterator[None]:
    """Show `message` with a moving bar and the time spent while the block runs.

    Nothing is shown in a pipe, and nothing stays on the screen.
    """
    if not _is_watched(quiet):
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task(message, total=None)
        yield


@contextmanager
def reading_files(*, quiet: bool = False) -> Iterator[Callable[[int, int], None] | None]:
    """Show how much of the input has been read while the block runs.

    Gives what `rankbars.read` takes as ``progress``; None in a pipe, where nothing is shown.
    """
    if not _is_watched(quiet):
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(),
        TimeElapsedColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("Reading", total=None)

        def advance(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        yield advance


def _is_watched(quiet: bool) -> bool:
    return not quiet and sys.stderr is not None and sys.stderr.isatty()
