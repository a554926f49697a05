"""The rows of one task of a Parquet file, read where they are needed: by a worker, from a URL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rankbars.errors import ReadError
from rankbars.readers.files import is_url
from rankbars.tables.coding import CodedTable
from rankbars.tables.database import Engine, Scan, report_damage

__all__ = ["ParquetSource", "describe_source", "parquet_clause"]


# Where the rows of a task are kept in the engine.
ROWS = "rows_of_a_task"


def parquet_clause(columns: int) -> str:
    """What to select from, with the path as its one parameter; columns are c0, c1, and so on."""
    names = ", ".join(f"c{i}" for i in range(columns))
    return (
        "read_parquet(?, file_row_number = true, hive_partitioning = false, "
        f"binary_as_string = true) AS t({names})"
    )


@dataclass(frozen=True, slots=True)
class ParquetSource:
    """A Parquet file, from which any process can read the rows of one task.

    Parameters
    ----------
    source : str
        Name for messages.
    place : str
        Absolute path, or URL.
    size : int
        Bytes of the file when it was read first.
    columns, types : tuple of str
        Header, and type of each column in the engine.
    labels, numbers : tuple of (str, str)
        Columns of names and of numbers, each by role.
    """

    source: str
    place: str
    size: int
    columns: tuple[str, ...]
    types: tuple[str, ...]
    labels: tuple[tuple[str, str], ...]
    numbers: tuple[tuple[str, str], ...]

    @contextmanager
    def open(self, task: str | None) -> Iterator[CodedTable]:
        """The rows of a task in coded form; all rows for None.

        Raises
        ------
        ReadError
            If the file is not there, or is not the same any more.
        """
        from rankbars.readers.relations import RelationTable

        pattern = self.place if is_url(self.place) else self._pattern()
        labels = dict(self.labels)
        with Engine(threads=1) as engine:
            running = engine.start()
            if is_url(self.place):
                from rankbars.readers.transfers import register

                register(running, self.place)
            with report_damage(self.source):
                # Once, because the file may lie far away.
                running.execute(self._fetch(task), [pattern])
            scan = Scan(self.source, self.columns, self.types, running, ROWS, "", True)
            yield RelationTable(scan, 0, _count_nothing, at_once=True).code(
                labels, dict(self.numbers)
            )

    def _fetch(self, task: str | None) -> str:
        """What puts the rows of a task into a table of the engine."""
        place = {name: f"c{position}" for position, name in enumerate(self.columns)}
        used = dict.fromkeys(place[name] for _, name in (*self.labels, *self.numbers))
        where = ""
        if task is not None:
            quoted = task.replace("'", "''")
            where = f"WHERE {place[dict(self.labels)['task']]} = '{quoted}'"
        return (
            f"CREATE TEMP TABLE {ROWS} AS SELECT {', '.join(used)}, file_row_number "
            f"FROM {parquet_clause(len(self.columns))} {where}"
        )

    def _pattern(self) -> str:
        path = Path(self.place)
        try:
            size = path.stat().st_size
        except OSError as error:
            raise ReadError.at(
                self.source,
                f"a worker cannot open {self.place}. Tasks that are read by reference need a path "
                "or URL that all workers see; copy the file to a shared folder, or leave out "
                "--by-reference.",
            ) from error
        if size != self.size:
            raise ReadError.at(
                self.source,
                f"the file has changed since it was read first ({self.size:,} bytes then, {size:,} "
                "now). Read it again.",
            )
        return "".join(f"[{c}]" if c in "*?[" else c for c in self.place)


def _count_nothing(share: float) -> None:
    """Nobody waits for the progress of a worker."""


def describe_source(
    scan: Scan, place: str, size: int, labels: Mapping[str, str], numbers: Mapping[str, str]
) -> ParquetSource:
    """How to read the scanned file again."""
    return ParquetSource(
        scan.source, place, size, scan.columns, scan.types, tuple(labels.items()),
        tuple(numbers.items()),
    )  # fmt: skip
