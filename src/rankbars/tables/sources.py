"""Where the rows of a coded table can be read again, task by task, by another process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rankbars.tables.coding import CodedTable

__all__ = ["ConstantSource", "JoinedSource", "TableSource"]


class TableSource(Protocol):
    """Reads the rows of one task again; small, and the same in every process."""

    def open(self, task: str | None) -> AbstractContextManager[CodedTable]:
        """The rows of a task in coded form; all rows for None."""


@dataclass(frozen=True, slots=True)
class ConstantSource:
    """A source with one more label role that is `name` on every row."""

    source: TableSource
    role: str
    name: str

    @contextmanager
    def open(self, task: str | None) -> Iterator[CodedTable]:
        """The rows of a task in coded form."""
        with self.source.open(None if self.role == "task" else task) as table:
            yield table.with_constant(self.role, self.name)


@dataclass(frozen=True, slots=True)
class JoinedSource:
    """Several sources, one after the other, each with the tasks that it holds."""

    parts: tuple[tuple[TableSource, frozenset[str]], ...]

    @contextmanager
    def open(self, task: str | None) -> Iterator[CodedTable]:
        """The rows of a task in coded form."""
        from rankbars.tables.concatenation import concatenate

        with ExitStack() as stack:
            yield concatenate(
                [
                    stack.enter_context(part.open(task))
                    for part, tasks in self.parts
                    if task is None or task in tasks
                ]
            )
