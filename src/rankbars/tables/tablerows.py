"""Tables as files and frames hold them, and their rows by the roles that columns play."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from rankbars.errors import DataError, ReadError
from rankbars.tables.cells import NumberColumn, merge_columns
from rankbars.tables.columns import NAMING_ROLES
from rankbars.tables.database import Engine, quote, report_damage
from rankbars.tables.numbercolumns import FEW_COLUMNS, FLOATS, INTEGERS, NOTHING, Numbers
from rankbars.tables.relations import Relation, Selection

__all__ = ["Origin", "Rows", "Table", "check_width", "lie_together"]

# What is said of a model is a word or two; a longer text is something else.
_LONGEST_SAID = 80
_FIRST_ROWS = 100

# Every column of a matrix is a model, a task or a fold; a wider file is something else.
MOST_COLUMNS = 10_000

# Types by whose cells rows are found.
_FOUND = INTEGERS | {"VARCHAR"}
# Their text is their name.
_EXACT = ("UBIGINT", "HUGEINT", "UHUGEINT", "BOOLEAN", "DECIMAL", "DATE", "TIME", "UUID")


def _plain(cell: object) -> str | None:
    """A cell as text; None for what holds others."""
    return None if isinstance(cell, (Mapping, list, tuple, np.ndarray)) else str(cell)


def check_width(columns: Collection[str], source: str) -> None:
    """Raises `ReadError` if there are more columns than results have."""
    if len(columns) > MOST_COLUMNS:
        raise ReadError.at(
            source,
            f"the table has {len(columns)} columns; at most {MOST_COLUMNS} are read. Results in "
            "a matrix have one column per model or task; for items or folds give one row each.",
        )


class Place(Protocol):
    """Where any process finds the rows of a table; small, and the same in every process."""

    def open(
        self, engine: Engine, wanted: Collection[str], column: str | None, task: str | None
    ) -> Table:
        """Some columns of the rows whose `column` holds the name of a task; of all for None.

        Without a task, those whose cell is empty.
        """


class Origin(NamedTuple):
    """How rows are read again.

    Parameters
    ----------
    place : Place
        Where they are.
    labels, numbers : tuple of (str, str)
        Columns of names and of numbers, each by role.
    """

    place: Place
    labels: tuple[tuple[str, str], ...]
    numbers: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of a table, with a column for each role.

    Parameters
    ----------
    source : str
        Name of the table for messages.
    first : int
        Number of the row whose ``place`` is 0, as its source counts: from 1, header included.
    count : int
        Number of rows.
    labels : mapping from str to {"text", "integer"}
        What columns of names hold.
    numbers : mapping from str to NumberColumn
        What columns of numbers hold.
    filled : frozenset of str
        Label roles without an empty cell.
    selection : Selection
        What to select from: columns called after their roles, and ``place``.
    places : int
        How many places there are, by which parts are found; 0 if they cannot be told apart so.
    is_matrix : bool
        Whether rows are the cells of a matrix, where an empty one is no answer at all.
    constants : mapping from str to str
        Label roles that have the same name on every row.
    report : callable, optional
        Takes shares of the rows, as their scores are read.
    origin : Origin, optional
        How any process reads the rows of a task again.
    """

    source: str
    first: int
    count: int
    labels: Mapping[str, str]
    numbers: Mapping[str, NumberColumn]
    filled: frozenset[str]
    selection: Selection
    places: int = 0
    is_matrix: bool = False
    constants: Mapping[str, str] = field(default_factory=dict)
    report: Callable[[float], None] | None = None
    origin: Origin | None = None

    @property
    def engine(self) -> Engine:
        """The database that they lie in."""
        return self.selection.engine

    @property
    def clause(self) -> str:
        """What to select them alone from."""
        return self.selection.clause

    def place(self, row: int, names: Mapping[str, str | None]) -> str:
        """Where a row stands, for messages: source, row, model, task and whatever names it."""
        shown = [
            f"{role} {names[role]!r}"
            for role in ("model", "task", *NAMING_ROLES)
            if names.get(role) not in (None, "")
        ]
        where = f"{self.source}, row {self.first + row}"
        return f"{where} ({', '.join(shown)})" if shown else where


class Table(ABC):
    """A table with named columns, as a file or a frame holds it.

    Parameters
    ----------
    source : str
        Name for messages: a path, or what kind of frame it is.
    columns : tuple of str
        Header.
    header_rows : int
        Rows before the first row of data, for counting rows as the user sees them.
    remark : str
        What was left aside around the table; empty if nothing was.
    partitions : mapping from str to str
        Columns with one value on all rows, which lie in no file but in the name of its folder.
    fixed : frozenset of str
        Columns by which the caller chose rows.
    metric : str, optional
        The metric that a row of its header names for all columns.
    measured : mapping from str to mapping
        Columns by what a row of the header calls the metric, and another one what is measured.
    decimal : {".", ","}
        What separates the fraction of numbers in text.
    is_told : bool
        Whether the caller said so.
    durations : frozenset of str
        Columns of durations, which are read as seconds.
    """

    source: str
    columns: tuple[str, ...]
    header_rows: int
    remark: str = ""
    partitions: Mapping[str, str] = {}
    fixed: frozenset[str] = frozenset()
    metric: str | None = None
    measured: Mapping[str, Mapping[str, str]] = {}
    decimal: str = "."
    is_told: bool = False
    durations: frozenset[str] = frozenset()
    report: Callable[[float], None] | None = None
    place: Place | None = None
    _held_numbers: Numbers | None = None

    @property
    def shape(self) -> Hashable | None:
        """What it shares with others that lie with it in the database; None if none may."""
        return None

    def pile_up(self, tables: Sequence[Any], engine: Engine) -> None:
        """Let small tables of this kind and shape lie together in the database."""
        raise NotImplementedError

    def chosen(self) -> list[int] | None:
        """Places of the rows that the caller chose; None where all count."""
        return None

    @abstractmethod
    def head(self, rows: int) -> list[tuple[object, ...]]:
        """First rows as they are."""

    @abstractmethod
    def relate(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> Relation:
        """The table in the database, at least the given columns of names and of numbers."""

    def rows(
        self, labels: Mapping[str, str], numbers: Mapping[str, str],
        left_out: Mapping[str, Collection[str]] | None = None,
    ) -> Rows:  # fmt: skip
        """The rows by role: `labels` and `numbers` map roles to columns.

        Rows whose cell of a column in `left_out` is one of those there are left out.

        Raises
        ------
        ReadError
            If the file is damaged.
        DataError
            If a column cannot be names, or numbers.
        """
        constants = {
            role: self.partitions[name] for role, name in labels.items() if name in self.partitions
        }
        labels = {role: name for role, name in labels.items() if role not in constants}
        with report_damage(self.source):
            relation = self._relate(labels, numbers)
            for column, cells_of in (left_out or {}).items():
                relation = relation.without(column, cells_of)
            found = self._read_numbers(relation, numbers)
            cells, kinds, filled, count = _name_cells(relation, labels, self.source)
        cells |= {role: found.expression(name) for role, name in numbers.items()}
        named = (f"{cell} AS {quote(role)}" for role, cell in cells.items())
        selection = relation.selection.alone() if found.is_alone else relation.selection
        seen = {role: found.seen[name] for role, name in numbers.items()}
        return Rows(
            self.source, self.header_rows + 1, count, kinds, seen, filled,
            selection.select(", ".join(("place", *named)), found.joins),
            count if relation.dense else 0, constants=constants,
            report=self.report, origin=self._origin(relation, labels, numbers),
        )  # fmt: skip

    def _relate(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> Relation:
        """As `relate`; many columns of numbers are looked up by place, for each table alone."""
        relation = self.relate(labels, numbers)
        if len(numbers) <= FEW_COLUMNS:
            return relation
        return relation._replace(selection=relation.selection.alone())

    def _origin(
        self, relation: Relation, labels: Mapping[str, str], numbers: Mapping[str, str]
    ) -> Origin | None:
        """How any process reads the rows of a task again, if it can."""
        found_by_task = "task" not in labels or relation.columns[labels["task"]][1] in _FOUND
        if self.place is None or not found_by_task or any(map(relation.is_text, numbers.values())):
            return None
        return Origin(self.place, tuple(labels.items()), tuple(numbers.items()))

    def texts_in(self, name: str) -> list[str]:
        """The different cells of a column of text, in their order; none of other columns."""
        with report_damage(self.source):
            relation = self.relate({"row": name}, {})
            if not relation.is_text(name):
                return []
            cell = relation.columns[name][0]
            found = relation.selection.ask(
                lambda rows, key: (
                    f"SELECT {key}{cell} FROM {rows} WHERE {cell} IS NOT NULL "
                    f"GROUP BY {key}{cell} ORDER BY {key}min(place)"
                )
            )
        return [text for (text,) in found]

    def said_of(self, name: str, columns: Sequence[str]) -> dict[str, dict[str, str]]:
        """What some columns say of each name in column `name`, where it is one text of each."""
        if name in self.partitions:
            return {}
        # A first look spares another pass over logs, whose amounts differ from row to row.
        head = [
            dict(zip(self.columns, map(_plain, row), strict=True)) for row in self.head(_FIRST_ROWS)
        ]
        known = len({row[name] for row in head})
        wanted = [
            one for one in columns
            if one not in self.partitions and None not in {row[one] for row in head}
            and len({(row[name], row[one]) for row in head}) == known
        ]  # fmt: skip
        if not wanted:
            return {}
        with report_damage(self.source):
            roles = {f"column {number}": one for number, one in enumerate((name, *wanted))}
            relation = self.relate(roles, {})
            by, *cells = (f"trim({relation.columns[one][0]}::VARCHAR)" for one in (name, *wanted))
            texts = [f"nullif({cell}, '')" for cell in cells]
            ends = ", ".join(f"min({one}), max({one})" for one in texts)
            found = relation.selection.ask(
                lambda rows, key: (
                    f"SELECT {key}{by}, {ends} FROM {rows} WHERE {by} <> '' "
                    f"GROUP BY {key}{by} ORDER BY {key}min(place)"
                )
            )
        said: dict[str, dict[str, str]] = {}
        for number, one in enumerate(wanted):
            both = [(row[0], *row[2 * number + 1 : 2 * number + 3]) for row in found]
            if all(low == high and len(low or "") <= _LONGEST_SAID for _, low, high in both):
                for model, text, _ in both:
                    if text is not None:
                        said.setdefault(model, {})[one] = text
        return said

    def relate_columns(self, names: Iterable[str]) -> Relation:
        """The table in the database, at least these columns, whichever roles they play."""
        return self.relate({f"column {name!r}": name for name in names}, {})

    def survey(self, names: Sequence[str]) -> dict[str, NumberColumn]:
        """What columns hold when they are read as numbers."""
        with report_damage(self.source):
            roles = {f"column {name!r}": name for name in names}
            return self._read_numbers(self._relate({}, roles), roles).seen

    def below(
        self, labels: Mapping[str, str], numbers: Mapping[str, str], header: str,
        lists: Mapping[str, Sequence[str | None]], names: Sequence[str],
        numbered: str | None = None, left_out: tuple[str, Collection[str]] | None = None,
    ) -> Rows:  # fmt: skip
        """The cells of a matrix as rows, one column of the matrix below the other.

        Parameters
        ----------
        labels, numbers : mapping from str to str
            Columns that hold for all cells of a row, by role.
        header : str
            Role that the header plays.
        lists : mapping from str to sequence of str or None
            Columns of cells by number role, one for each name; None where there is none, and the
            column of `numbers` counts.
        names : sequence of str
            What the header calls each column of cells.
        numbered : str, optional
            Role of the rows, where nothing but their position names them.
        left_out : (str, collection of str), optional
            Column of text and those of its cells whose rows are left out.
        """
        wanted = [name for columns in lists.values() for name in columns if name is not None]
        roles = {f"column {name!r}": name for name in (*numbers.values(), *wanted)}
        with report_damage(self.source):
            relation = self.relate(labels, roles)
            relation = relation._replace(selection=relation.selection.alone())
            relation = relation if left_out is None else relation.without(*left_out)
            found = self._read_numbers(relation, roles)
            cells, kinds, filled, count = _name_cells(relation, labels, self.source)
        beside = {role: found.expression(name) for role, name in numbers.items()}
        cells |= {role: cell for role, cell in beside.items() if role not in lists}
        if numbered is not None:
            cells[numbered] = "(place + 1)::BIGINT"
        told = {
            role: [beside.get(role, "NULL") if name is None else found.expression(name)
                   for name in columns]
            for role, columns in lists.items()
        }  # fmt: skip
        below = f"{relation.clause} AS t{found.joins}"
        clause = _put_below(below, cells, header, told, names)
        seen = {role: found.seen[name] for role, name in numbers.items()}
        for role, columns in lists.items():
            for name in columns:
                if name is not None:
                    seen[role] = merge_columns(seen.get(role, NumberColumn()), found.seen[name])
        kinds[header] = "text"
        if numbered is not None:
            kinds[numbered] = "integer"
            filled |= {numbered}
        return Rows(
            self.source, self.header_rows + 1, count * len(names), kinds, seen,
            filled | {header}, Selection(relation.engine, clause), count if relation.dense else 0,
            is_matrix=True, report=self.report,
        )  # fmt: skip

    def _read_numbers(self, relation: Relation, roles: Mapping[str, str]) -> Numbers:
        """Columns of numbers by role; what was read before is not read again."""
        held = self._held_numbers
        if (
            held is not None and held.relation.selection == relation.selection
            and held.seen.keys() >= {*roles.values()}
        ):  # fmt: skip
            return held
        found = Numbers(relation, self.source, roles)
        for name in self.durations & found.seen.keys():
            if not found.seen[name].plain:
                continue
            told = ("duration", f"{found.seen[name].largest:g} s")
            found.seen[name] = found.seen[name]._replace(spellings=(told,))
        self._held_numbers = found
        return found


def _put_below(
    source: str, cells: Mapping[str, str], header: str, told: Mapping[str, Sequence[str]],
    names: Sequence[str],
) -> str:  # fmt: skip
    """The columns of numbers in `told`, one below the other, each with its name in the header."""
    selected = [f"{cell} AS {quote(role)}" for role, cell in cells.items()]
    selected += [
        f"({cell})::DOUBLE AS {quote(f'{role} {number}')}"
        for role, own in told.items() for number, cell in enumerate(own)
    ]  # fmt: skip
    below = []
    for number, name in enumerate(names):
        together = ", ".join(quote(f"{role} {number}") for role in told)
        shown = f"({together})" if len(told) > 1 else together
        below.append(f"{shown} AS {quote(name)}")
    roles = ", ".join(map(quote, told))
    return (
        f"(SELECT * FROM (SELECT {', '.join(('place', *selected))} "
        f"FROM {source}) UNPIVOT INCLUDE NULLS ({f'({roles})' if len(told) > 1 else roles} "
        f"FOR {quote(header)} IN ({', '.join(below)})))"
    )


def _label(relation: Relation, name: str, role: str, source: str) -> tuple[str, str]:
    """A cell as a name, and whether names are texts or whole numbers."""
    cell, kind = relation.columns[name]
    if kind in NOTHING:
        return "NULL::VARCHAR", "text"
    if kind in INTEGERS:
        return f"{cell}::BIGINT", "integer"
    if kind == "VARCHAR":
        return cell, "text"
    if kind in FLOATS:
        # Whole numbers are written without a fraction, as `label_text` does.
        whole = f"CASE WHEN {cell} = trunc({cell}) THEN try_cast({cell} AS HUGEINT)::VARCHAR END"
        return f"nullif(coalesce({whole}, {cell}::DOUBLE::VARCHAR), 'nan')", "text"
    if kind.startswith((*_EXACT, "ENUM")):
        return f"{cell}::VARCHAR", "text"
    raise DataError(
        f"{source}: the column {name!r} ({role}) has the type {kind}, which cannot be a name. "
        f"Name another column: --column {role}=NAME (in Python: columns={{{role!r}: 'NAME'}})."
    )


def _name_cells(
    relation: Relation, labels: Mapping[str, str], source: str
) -> tuple[dict[str, str], dict[str, str], frozenset[str], int]:
    """Cells as names and what they hold, roles without an empty cell, and the number of rows."""
    named = {role: _label(relation, name, role, source) for role, name in labels.items()}
    cells = {role: cell for role, (cell, _) in named.items()}
    counts = ", ".join(["count(*)", *(f"count({cell})" for cell in cells.values())])
    rows, *known = relation.selection.total(counts) or [0] * (1 + len(cells))
    filled = {role for role, number in zip(cells, known, strict=True) if number == rows}
    return cells, {role: kind for role, (_, kind) in named.items()}, frozenset(filled), int(rows)


def lie_together(tables: Iterable[Table], engine: Engine) -> None:
    """Let tables of one kind and shape lie together in the database."""
    shapes: dict[tuple[type, Hashable], list[Table]] = defaultdict(list)
    for table in tables:
        if table.shape is not None:
            shapes[type(table), table.shape].append(table)
    for alike in shapes.values():
        if len(alike) > 1:
            alike[0].pile_up(alike, engine)
