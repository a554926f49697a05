"""The database engine that scans Parquet and big CSV files, and what it is told to scan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankbars.data.temporary import TemporaryFolder
from rankbars.errors import ReadError

if TYPE_CHECKING:
    import duckdb

__all__ = ["Engine", "Glance", "Scan", "report_damage"]


class Engine(ExitStack):
    """The engine, started only if a file needs it; closed with the context.

    Parameters
    ----------
    memory : int, optional
        Bytes that it may take; beyond them it uses its temporary folder.
    threads : int, optional
        Threads that it may use; one per core where not given.
    """

    _started: duckdb.DuckDBPyConnection | None = None

    def __init__(self, memory: int | None = None, threads: int | None = None) -> None:
        super().__init__()
        self._memory = memory
        self._threads = threads

    def start(self) -> duckdb.DuckDBPyConnection:
        """The running engine: in memory, without network, with a temporary folder of its own."""
        if self._started is None:
            import duckdb

            folder = TemporaryFolder()
            self.callback(folder.close)
            settings: dict[str, str | bool | int | float | list[str]] = {
                "temp_directory": str(folder.path),
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
            }
            self._started = self.enter_context(duckdb.connect(":memory:", config=settings))
            self._started.execute("SET enable_progress_bar = false")
            if self._threads is not None:
                self._started.execute(f"SET threads = {self._threads}")
            if self._memory is not None:
                self._started.execute(f"SET memory_limit = '{self._memory}B'")
        return self._started


class Glance(Engine):
    """An engine for a look at what a file is.

    All that are open at the same time are one, so that to look at many files starts it once.
    """

    def start(self) -> duckdb.DuckDBPyConnection:
        """The running engine: in memory, without network or temporary files."""
        if self._started is None:
            import duckdb

            settings: dict[str, str | bool | int | float | list[str]] = {
                "temp_directory": "",
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
            }
            self._started = self.enter_context(
                duckdb.connect(":memory:rankbars-glance", config=settings)
            )
            self._started.execute("SET enable_progress_bar = false")
        return self._started


@contextmanager
def report_damage(source: str) -> Iterator[None]:
    """Errors of the engine as errors about the file."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        text = str(error).partition("\n")[0].removeprefix("Invalid Input Error: ")
        raise ReadError.at(
            source, f"the file is damaged or cut off ({text}). Copy or write it again."
        ) from error


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """A file as the engine sees it.

    Parameters
    ----------
    source : str
        Name for messages.
    columns : tuple of str
        Header; the engine knows the columns as c0, c1, and so on.
    types : tuple of str
        Type of each column in the engine.
    engine : duckdb connection
        Where to ask.
    clause : str
        What to select from; its one parameter is the path.
    path : str
        The path, as a pattern that matches this file only; empty if `clause` has no parameter.
    numbered : bool
        Whether there is a column ``file_row_number``, by which parts are found quickly.
    """

    source: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    engine: duckdb.DuckDBPyConnection
    clause: str
    path: str
    numbered: bool

    @property
    def parameters(self) -> list[str]:
        """Parameters of `clause`."""
        return [self.path] if self.path else []

    def ask(self, selected: str, rest: str = "") -> duckdb.DuckDBPyConnection:
        """Result of selecting from the file."""
        return self.engine.execute(f"SELECT {selected} FROM {self.clause} {rest}", self.parameters)

    def values(self, selected: str, rest: str = "") -> list[Any]:
        """The one column that is selected, as Python values."""
        return [row[0] for row in self.ask(selected, rest).fetchall()]

    def column(self, name: str) -> tuple[str, str]:
        """Name and type of a column in the engine."""
        position = self.columns.index(name)
        return f"c{position}", self.types[position]
