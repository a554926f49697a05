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


class _Known(ProgressColumn):
    """Another column, as long as it is known how much there is to do."""

    def __init__(self, column: ProgressColumn) -> None:
        super().__init__()
        self._column = column

    def render(self, task: Task) -> Text:
        """What the other column shows; nothing while it cannot tell."""
        found = self._column(task) if task.total is not None else Text("")
        return found if isinstance(found, Text) else Text(str(found))


class _Left(TimeRemainingColumn):
    """Time to go."""

    def render(self, task: Task) -> Text:
        """The time, and that it is what is left."""
        return super().render(task).append(" left")


class _Count(ProgressColumn):
    """``7/20 tasks, 3.1 tasks/s``; seconds for each where they are slow."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Task) -> Text:
        """How many are done, of how many, and how fast."""
        done = f"{int(task.completed):,}/{int(task.total or 0):,} {self._unit}s"
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
    sizes = (DownloadColumn(), TransferSpeedColumn())
    with _drawn(message, *sizes, _Left()) as bar:
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
        *(_Known(column) for column in columns),
        console=Console(stderr=True),
        transient=True,
    )
    with shown:
        yield Bar(shown, message)
