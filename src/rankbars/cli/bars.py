"""The bars of `rankbars.cli.progress`, drawn on standard error by rich."""

from __future__ import annotations

from collections.abc import Iterator
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

__all__ = ["Bar", "count_bar", "pulse_bar", "size_bar"]


class Bar:
    """A bar on the screen.

    Parameters
    ----------
    shown : Progress
        What draws it.
    message : str
        What is being done.
    """

    def __init__(self, shown: Progress, message: str) -> None:
        self._shown = shown
        self._task = shown.add_task(message, total=None)

    def move(self, done: int, total: int) -> None:
        """Show `done` of `total`."""
        self._shown.update(self._task, completed=done, total=total)

    def turn_to(self, message: str) -> None:
        """Show that something else is being done, whose length is not known."""
        self._shown.remove_task(self._task)
        self._task = self._shown.add_task(message, total=None)


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
def pulse_bar(message: str) -> Iterator[Bar]:
    """A bar for work of unknown length."""
    with _drawn(message) as bar:
        yield bar


@contextmanager
def size_bar(message: str) -> Iterator[Bar]:
    """A bar for bytes, with bytes per second."""
    with _drawn(message, _Size(), _Speed(), _Left()) as bar:
        yield bar


@contextmanager
def count_bar(message: str, unit: str) -> Iterator[Bar]:
    """A bar for things that are counted, with things per second."""
    with _drawn(message, _Count(unit), _Left()) as bar:
        yield bar


@contextmanager
def _drawn(message: str, *columns: ProgressColumn) -> Iterator[Bar]:
    shown = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
        *columns,
        console=Console(stderr=True),
        transient=True,
    )
    with shown:
        yield Bar(shown, message)
