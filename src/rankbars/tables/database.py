"""The database in which rows of results lie while they are read."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import count
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.drafts import TemporaryFolder
from rankbars.errors import DataError, ReadError

if TYPE_CHECKING:
    import duckdb

__all__ = ["Engine", "Glance", "as_numbers", "quote", "quote_text", "report_damage"]

# Bytes beyond which a database is not kept for the next read.
_MUCH = 1 << 25

# Names of tables, of which no two in a process are the same.
_NUMBERS = count()


class Engine(ExitStack):
    """A database in memory, started only if something is put into it; closed with the context.

    It reads no other files than those it is told to, and its tables are its own. To start one takes
    longer than most reads, so that those without limits are connections to one of the process.

    Parameters
    ----------
    memory : int, optional
        Bytes that it may take; beyond them it uses its temporary folder.
    threads : int, optional
        Threads that it may use; one per core where not given.
    """

    # Whether what Parquet files say of themselves is read once.
    keeps_footers = True

    _started: duckdb.DuckDBPyConnection | None = None
    _of_process: Engine | None = None

    def __init__(self, memory: int | None = None, threads: int | None = None) -> None:
        super().__init__()
        self._memory = memory
        self._threads = threads

    def start(self) -> duckdb.DuckDBPyConnection:
        """The running engine."""
        if self._started is None:
            if self._memory is None and self._threads is None:
                # Its folder stays as long as somebody may put something into it.
                self._of_process, connection = _connected(type(self))
                self._started = self.enter_context(connection)
                self.callback(self._leave)
            else:
                self._started = self._start_alone()
        return self._started

    def _leave(self) -> None:
        """Let go of the database of the process; for good if it holds much, as it keeps memory."""
        import duckdb

        self._of_process = None
        try:
            ((used,),) = self.ask("SELECT sum(memory_usage_bytes) FROM duckdb_memory()")
        except duckdb.Error:  # a fault ended it; the next one that asks for it starts another
            return
        if used > _MUCH:
            with _STARTING:
                _shared.cache_clear()

    def _start_alone(self) -> duckdb.DuckDBPyConnection:
        folder = TemporaryFolder()
        self.callback(folder.close)
        started = self._connect(str(folder.path))
        if self._threads is not None:
            started.execute(f"SET threads = {self._threads}")
        if self._memory is not None:
            started.execute(f"SET memory_limit = '{self._memory}B'")
        return started

    def _connect(self, folder: str) -> duckdb.DuckDBPyConnection:
        import duckdb

        settings: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": folder,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
        connection = self.enter_context(duckdb.connect(":memory:", config=settings))
        connection.execute("SET enable_progress_bar = false")
        return connection

    def another(self) -> Engine:
        """One that shares the database, which need not start again; its tables are its own."""
        other = Engine()
        other._started = other.enter_context(self.connect())
        return other

    def connect(self) -> duckdb.DuckDBPyConnection:
        """A further connection to the database."""
        connection = self.start().cursor()
        connection.execute("SET enable_progress_bar = false")
        return connection

    def run(self, command: str) -> None:
        """Do something that has no result."""
        self.start().execute(command)

    def ask(self, query: str) -> list[Any]:
        """Rows of a result."""
        return self.start().execute(query).fetchall()

    def arrays(self, query: str) -> dict[str, NDArray[Any]]:
        """Columns of a result; those with gaps are masked."""
        # A relation would bind the query twice, and hold its rows beside the arrays.
        return self.start().execute(query).fetchnumpy()

    def put(self, columns: Mapping[str, NDArray[Any]]) -> str:
        """A new table with the given columns; gives its name."""
        name, given = self.new_name(), self.new_name()
        running = self.start()
        running.register(given, dict(columns))
        # An array of Python objects holds texts, even where it is empty.
        selected = ", ".join(
            f"{quote(column)}{'::VARCHAR' if cells.dtype.kind == 'O' else ''} AS {quote(column)}"
            for column, cells in columns.items()
        )
        running.execute(f"CREATE TEMP TABLE {name} AS SELECT {selected} FROM {given}")
        running.unregister(given)
        return name

    @staticmethod
    def new_name() -> str:
        """A name that no table has."""
        return f"rows_{next(_NUMBERS)}"


class Glance(Engine):
    """A database for a look at what a file is, in memory, without temporary files."""

    def _start_alone(self) -> duckdb.DuckDBPyConnection:
        started = self._connect("")
        started.execute("SET threads = 1")  # more of them cost more than a look takes
        return started


# Held while the database of the process is looked up, so that two threads do not start two. Garbage
# that is collected meanwhile may leave a database, in the same thread.
_STARTING = RLock()


@cache
def _shared(kind: type[Engine]) -> Engine:
    """What stays as long as the process."""
    engine = kind()
    engine._started = engine._start_alone()
    return engine


def _let_go() -> None:
    _STARTING.acquire()
    if _shared.cache_info().currsize:
        _shared.cache_clear()
        gc.collect()  # of those that nobody can reach any more


if hasattr(os, "register_at_fork"):
    # A process that is forked off would wait for threads that it does not have, or crash, where it
    # closes a database that it did not start.
    os.register_at_fork(
        before=_let_go, after_in_parent=_STARTING.release, after_in_child=_STARTING.release
    )


def _connected(kind: type[Engine]) -> tuple[Engine, duckdb.DuckDBPyConnection]:
    """The database of this process, and a new connection to it."""
    import duckdb

    with _STARTING:
        try:
            return _shared(kind), _shared(kind).connect()
        except duckdb.FatalException:  # a fault ended it before
            _shared.cache_clear()
            return _shared(kind), _shared(kind).connect()


@contextmanager
def report_damage(source: str) -> Iterator[None]:
    """Errors of the engine as errors about the file."""
    import duckdb

    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise DataError(
            f"{source}: the memory limit is too small to read it. Give more: --memory-limit."
        ) from error
    except duckdb.Error as error:
        text = str(error).partition("\n")[0].removeprefix("Invalid Input Error: ")
        raise ReadError.at(
            source, f"the file is damaged or cut off ({text}). Copy or write it again."
        ) from error


def quote(name: str) -> str:
    """A name of a column or table, as a query takes it.

    Examples
    --------
    >>> quote('a "b" c')
    '"a ""b"" c"'
    """
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """A text, as a query takes it.

    Examples
    --------
    >>> quote_text("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def as_numbers(cells: NDArray[Any]) -> NDArray[np.float64]:
    """A column of a result as numbers, NaN where there is none."""
    values = np.asarray(np.ma.getdata(cells), dtype=np.float64)
    if np.ma.is_masked(cells):
        values[np.ma.getmaskarray(cells)] = np.nan
    return values
