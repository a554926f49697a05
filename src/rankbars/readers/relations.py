"""Parquet files, and big CSV files, through duckdb: strings become integers inside the engine."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import ReadError
from rankbars.readers.files import InputFile
from rankbars.readers.relationplans import Plan, plan_text, plan_typed
from rankbars.readers.reopening import describe_source, parquet_clause
from rankbars.tables.coding import Block, CodedTable, keep_roles
from rankbars.tables.database import Engine, Scan, report_damage

__all__ = ["RelationTable", "big_csv_table", "parquet_table"]

# Rows fetched at once; a table that fits is fetched once and kept.
BLOCK_ROWS = 1 << 21

# Repeated values take next to no room in a file, but their rows do in memory.
FREE_ROWS = 50_000_000
ROWS_PER_BYTE = 100

# From so many models on it pays to find the rows of tasks before scores are read.
WORTHWHILE = 4

ReadBlocks = Callable[[Collection[str] | None], Iterator[Block]]


@dataclass(frozen=True, slots=True, eq=False)
class RelationTable:
    """A file that the engine scans.

    Parameters
    ----------
    scan : Scan
        The file.
    header_rows : int
        Rows before the first row of data.
    count : callable
        Takes shares of the file, as its scores are read.
    at_once : bool
        Whether all rows are fetched at once, because they are only some of a file.
    place : (str, int), optional
        Where any process finds the file, and its bytes.
    """

    scan: Scan
    header_rows: int
    count: Callable[[float], None]
    at_once: bool = False
    place: tuple[str, int] | None = None

    @property
    def source(self) -> str:
        """Name for messages."""
        return self.scan.source

    @property
    def columns(self) -> tuple[str, ...]:
        """Header."""
        return self.scan.columns

    def head(self, rows: int) -> list[tuple[object, ...]]:
        """First rows as they are."""
        selected = ", ".join(f"c{i}" for i in range(len(self.columns)))
        with report_damage(self.source):
            return self.scan.ask(selected, f"LIMIT {int(rows)}").fetchall()

    def code(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> CodedTable:
        """Columns in coded form; strings are replaced by integers inside the engine."""
        with report_damage(self.source):
            plan = (plan_typed if self.scan.numbered else plan_text)(self.scan, labels, numbers)
            read = _reader(self, plan)
            combine = find = None
            if self.at_once or plan.rows <= BLOCK_ROWS:
                read = _keep(tuple(read(None)))
            elif self.scan.numbered and len(plan.names("model")) >= WORTHWHILE:
                combine = _combiner(self, plan)
            if self.scan.numbered and plan.rows > BLOCK_ROWS and plan.finds("task"):
                find = _finder(self, plan)
        names = {role: plan.names(role) for role in plan.labels}
        source = None
        by_task = "task" not in plan.labels or plan.finds("task")
        if self.place is not None and by_task and not plan.converted:
            source = describe_source(self.scan, *self.place, labels, numbers)
        return CodedTable(names, plan.rows, read, plan.seen, plan.filled, combine, find, source)


def _keep(blocks: Sequence[Block]) -> ReadBlocks:
    return lambda roles: (keep_roles(block, roles) for block in blocks)


def _reader(table: RelationTable, plan: Plan) -> ReadBlocks:
    """Gives the blocks of a table afresh, restricted to the roles it is passed."""
    fetch = _fetch_part if table.scan.numbered else _fetch_stored(table.scan, plan.expressions)

    def read(roles: Collection[str] | None) -> Iterator[Block]:
        wanted = {
            role: expression
            for role, expression in plan.expressions.items()
            if roles is None or role in roles
        }
        step = max(plan.rows, 1) if table.at_once else BLOCK_ROWS
        for low in range(0, plan.rows, step):
            high = min(low + step, plan.rows)
            found = fetch(table.scan, wanted, low, high, plan.rows)
            if wanted.keys() & plan.numbers.keys():
                table.count((high - low) / plan.rows)
            arrays = {role: found[f"{role}_"] for role in wanted}
            block = _as_block(table, plan, arrays, table.header_rows + 1 + low, high - low)
            more = {
                role: column[low:high]
                for role, column in plan.converted.items()
                if roles is None or role in roles
            }
            yield block._replace(numbers={**block.numbers, **more})

    return read


def _finder(table: RelationTable, plan: Plan) -> Callable[[Collection[int]], Iterator[Block]]:
    """Gives the rows of some tasks; parts of the file without them are not unpacked."""
    scan, task = table.scan, plan.labels["task"]

    def read(codes: Collection[int]) -> Iterator[Block]:
        names = [task.names[code] for code in codes if code >= 0]
        listed = ", ".join("'" + name.replace("'", "''") + "'" for name in names)
        numbered = {**plan.expressions, "": "file_row_number"}
        for low in range(0, plan.rows, BLOCK_ROWS):
            high = min(low + BLOCK_ROWS, plan.rows)
            found = _fetch_part(
                scan, numbered, low, high, plan.rows + 1, f"AND {task.cell} IN ({listed})"
            )
            table.count((high - low) / plan.rows)
            place = np.ma.getdata(found["_"]).astype(np.int64)
            arrays = {role: found[f"{role}_"] for role in plan.expressions}
            block = _as_block(table, plan, arrays, table.header_rows + 1, len(place))
            more = {role: column[place] for role, column in plan.converted.items()}
            yield block._replace(
                numbers={**block.numbers, **more}, chosen=place + table.header_rows + 1
            )

    return read


def _as_block(
    table: RelationTable, plan: Plan, arrays: Mapping[str, NDArray[Any]], first: int, rows: int
) -> Block:
    """What the engine answered, by role, as codes and numbers."""
    codes, values = {}, {}
    for role, cells in arrays.items():
        if role in plan.labels:
            codes[role] = plan.labels[role].finish(cells)
        else:
            values[role] = _numbers(cells)
    return Block(first, rows, codes, values, table.source)


def _numbers(cells: NDArray[Any]) -> NDArray[np.float64]:
    values = np.asarray(np.ma.getdata(cells), dtype=np.float64)
    if np.ma.is_masked(cells):
        values[np.ma.getmaskarray(cells)] = np.nan
    return values


def _combiner(table: RelationTable, plan: Plan) -> Callable[[Collection[str]], Iterator[Block]]:
    """Gives every combination of codes of some roles; the engine finds them on all cores."""

    def read(roles: Collection[str]) -> Iterator[Block]:
        wanted = {role: plan.labels[role] for role in roles if role in plan.labels}
        if not wanted:
            return
        cells = {role: f"v{place}" for place, role in enumerate(wanted)}
        # The cells as they lie in the file are quicker to compare than their codes.
        columns = ", ".join(f"{column.cell} AS {cells[role]}" for role, column in wanted.items())
        codes = _select({role: column.code(cells[role]) for role, column in wanted.items()})
        scan = table.scan
        with report_damage(scan.source):
            found = scan.engine.execute(
                f"SELECT {codes} FROM (SELECT DISTINCT {columns} FROM {scan.clause})",
                scan.parameters,
            ).fetchnumpy()
        arrays = {role: column.finish(found[f"{role}_"]) for role, column in wanted.items()}
        rows = len(next(iter(arrays.values())))
        yield Block(table.header_rows + 1, rows, arrays, {}, scan.source)

    return read


def _fetch_part(
    scan: Scan, wanted: Mapping[str, str], low: int, high: int, rows: int, more: str = ""
) -> dict[str, NDArray[Any]]:
    """Some rows of a file whose parts are found quickly."""
    if not wanted:
        return {}
    part = ""
    if high - low < rows:
        part = f"WHERE file_row_number >= {low} AND file_row_number < {high} {more}"
    with report_damage(scan.source):
        return scan.ask(_select(wanted), part).fetchnumpy()


def _fetch_stored(scan: Scan, expressions: Mapping[str, str]) -> Callable[..., dict[str, Any]]:
    """Gives rows of a file that is slow to scan: its codes are stored in the engine, once."""
    store = f"codes_{uuid.uuid4().hex}"
    scan.engine.execute(
        f"CREATE TEMP TABLE {store} AS SELECT {_select(expressions)} FROM {scan.clause}",
        scan.parameters,
    )

    def fetch(
        scan: Scan, wanted: Mapping[str, str], low: int, high: int, rows: int
    ) -> dict[str, NDArray[Any]]:
        if not wanted:
            return {}
        columns = ", ".join(f"{role}_" for role in wanted)
        return scan.engine.execute(
            f"SELECT {columns} FROM {store} WHERE rowid >= {low} AND rowid < {high}"
        ).fetchnumpy()

    return fetch


def _select(expressions: Mapping[str, str]) -> str:
    # Roles may hold any character in a matrix, where a role is named after its column.
    return ", ".join(f'{text} AS "{_quote(role)}_"' for role, text in expressions.items())


def _quote(role: str) -> str:
    return role.replace('"', '""')


def parquet_table(file: InputFile, engine: Engine) -> RelationTable:
    """A Parquet file; raises `ReadError` if it is none."""
    import duckdb

    path, running = _as_pattern(file), engine.start()
    try:
        schema = running.execute("SELECT name, num_children FROM parquet_schema(?)", [path])
        columns = _top_level(schema.fetchall())
        names = ", ".join(f"c{i}" for i in range(len(columns)))
        clause = parquet_clause(len(columns))
        answer = running.execute(f"DESCRIBE SELECT {names} FROM {clause}", [path])
        types = tuple(str(column[1]) for column in answer.fetchall())
        counted = running.execute("SELECT sum(num_rows) FROM parquet_file_metadata(?)", [path])
        rows = int((counted.fetchone() or [0])[0] or 0)
    except duckdb.Error as error:
        with file.path.open("rb") as raw:
            starts_well = raw.read(4) == b"PAR1"
        problem = "the Parquet file is cut off or damaged. Copy it again"
        if not starts_well:
            problem = "the file is not Parquet, whatever its name says. Give it its true suffix"
        raise ReadError.at(file.label, f"{problem}.") from error
    size = file.path.stat().st_size
    if rows > max(FREE_ROWS, ROWS_PER_BYTE * size):
        raise ReadError.at(
            file.label,
            f"the file claims {rows:,} rows in {size:,} bytes, which no table of results has. It "
            "is not read.",
        )
    scan = Scan(file.label, columns, types, running, clause, path, True)
    place = (file.url or str(file.path.resolve()), size)
    return RelationTable(scan, 0, _counter(file), place=place)


def big_csv_table(
    file: InputFile, columns: tuple[str, ...], delimiter: str, engine: Engine
) -> RelationTable:
    """A CSV file that is too big to be read cell by cell in reasonable time."""
    types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(columns)))
    clause = (
        f"read_csv(?, columns = {{{types}}}, header = true, auto_detect = false, "
        f"delim = '{delimiter}', quote = '\"', escape = '\"', nullstr = '', strict_mode = true, "
        "null_padding = false, hive_partitioning = false) AS t"
    )
    scan = Scan(
        file.label, columns, ("VARCHAR",) * len(columns), engine.start(), clause,
        _as_pattern(file), numbered=False,
    )  # fmt: skip
    return RelationTable(scan, 1, _counter(file))


def _counter(file: InputFile) -> Callable[[float], None]:
    """Tells the meter of a file which share of it was read."""

    def count(share: float) -> None:
        if file.meter is not None:
            file.meter.count(file.path, round(share * file.path.stat().st_size))

    return count


def _as_pattern(file: InputFile) -> str:
    """The path with characters that would make the engine search quoted."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in str(file.path.resolve()))


def _top_level(schema: Sequence[tuple[str, int | None]]) -> tuple[str, ...]:
    """Names of the columns; the schema lists nested fields after the column they belong to."""
    names = []
    position = 1
    while position < len(schema):
        names.append(schema[position][0])
        position = _after(schema, position)
    return tuple(names)


def _after(schema: Sequence[tuple[str, int | None]], position: int) -> int:
    following = position + 1
    for _ in range(schema[position][1] or 0):
        following = _after(schema, following)
    return following
