"""The bars of `rankbars.cli.progress`, drawn on standard error by rich."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.text import Text

__all__ = ["drawn_bar"]


class _Size(DownloadColumn):
    """``0.6/1.2 MB``, as long as it is known how much there is."""

    def render(self, task: Task) -> Text:
        """How much is done; nothing while the whole is not known."""
        return Text("") if task.total is None else super().render(task)


class _Speed(TransferSpeedColumn):
    """``8.1 MB/s``, as soon as it is known."""

    def render(self, task: Task) -> Text:
        """How fast it goes; nothing while that is not known."""
        return super().render(task) if task.speed else Text("")


class _Left(TimeRemainingColumn):
    """``0:01:07 left``, as soon as it is known."""

    def render(self, task: Task) -> Text:
        """Time to go; nothing while that is not known."""
        if task.time_remaining is None:
            return Text("")
        return super().render(task).append(" left")


class _Count(ProgressColumn):
    """``7/20 tasks, 3.1 tasks/s``; seconds for each where they are slow."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Task) -> Text:
        """How many are done, of how many, and how fast; nothing while the number is not known."""
        if task.total is None:
            return Text("")
        done = f"{int(task.completed):,}/{int(task.total):,} {self._unit}s"
        speed = task.finished_speed or task.speed
        if not speed:
            return Text(done)
        if speed >= 1:
            return Text(f"{done}, {speed:,.1f} {self._unit}s/s")
        return Text(f"{done}, {1 / speed:,.1f} s each")


@contextmanager
def drawn_bar(
    message: str, unit: str | None, then: str | None
) -> Iterator[Callable[[int, int], None]]:
    """A bar for work of unknown length, or for so many of a unit; bytes as megabytes.

    Yields
    ------
    callable
        Takes how many are done, and how many there are. When all are, the bar shows what comes
        `then`, whose length is not known.
    """
    columns: list[ProgressColumn] = []
    if unit is not None:
        counted = [_Size(), _Speed()] if unit == "byte" else [_Count(unit)]
        columns = [*counted, _Left()]
    shown = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
        *columns,
        console=Console(stderr=True),
        transient=True,
    )
    with shown:
        task = shown.add_task(message, total=None)

        def advance(done: int, total: int) -> None:
            nonlocal task
            if then is None or done < total:
                shown.update(task, completed=done, total=total)
            else:
                shown.remove_task(task)
                task = shown.add_task(then, total=None)

        yield advance
