"""Tables as relations of the database, and their columns by the roles that they play."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from rankbars.errors import DataError, ReadError
from rankbars.tables.cells import (
    LONGEST_NUMBER,
    ONE_POINT,
    WORDS,
    NumberColumn,
    Unread,
    merge_columns,
    parse_number,
    spellings_of,
    without_points,
)
from rankbars.tables.columns import NAMING_ROLES
from rankbars.tables.database import Engine, quote, quote_text, report_damage
from rankbars.tables.piles import FILE, Piled, Query, ask_about

__all__ = [
    "Origin", "Relation", "Rows", "Table", "check_width",
]  # fmt: skip

# What is said of a model is a word or two; a longer text is something else.
_LONGEST_SAID = 80
_FIRST_ROWS = 100

# Every column of a matrix is a model, a task or a fold; a wider file is something else.
MOST_COLUMNS = 10_000

_INTEGERS = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT",
                       "UINTEGER"})  # fmt: skip
_FLOATS = frozenset({"FLOAT", "DOUBLE"})
_WHOLE = _INTEGERS | {"BOOLEAN"}
# Types by whose cells rows are found.
_FOUND = _INTEGERS | {"VARCHAR"}
# Their text is their name.
_EXACT = ("UBIGINT", "HUGEINT", "UHUGEINT", "BOOLEAN", "DECIMAL", "DATE", "TIME", "UUID")
# A column without any value.
_NOTHING = frozenset({"NULL", '"NULL"'})


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


class Relation(NamedTuple):
    """Columns of a table in the database.

    Parameters
    ----------
    engine : Engine
        The database.
    clause : str
        What to select from; beside the columns there is one called ``place``, from 0.
    columns : mapping from str to (str, str)
        Expression and type of each column.
    known : mapping from str to NumberColumn
        Columns of numbers of which it is known already what they hold.
    dense : bool
        Whether there is a row at every place up to the number of rows.
    decimal : {".", ","}
        What separates the fraction of numbers in text.
    is_told : bool
        Whether the caller said so.
    piled : Piled, optional
        Where the table lies among others of its shape.
    """

    engine: Engine
    clause: str
    columns: Mapping[str, tuple[str, str]]
    known: Mapping[str, NumberColumn] = {}
    dense: bool = True
    decimal: str = "."
    is_told: bool = False
    piled: Piled | None = None

    def ask(self, query: Query) -> list[Any]:
        """Rows of a query, as `ask_about`."""
        return ask_about(self.engine, self.clause, self.piled, query)

    def total(self, cells: str) -> tuple[Any, ...] | None:
        """What is counted of all rows; None of a table in a pile that has none."""
        found = self.ask(
            lambda rows, key: f"SELECT {key}{cells} FROM {rows}{' GROUP BY file' if key else ''}"
        )
        return found[0] if found else None

    def without(self, name: str, cells: Collection[str]) -> Relation:
        """The rows whose cell in a column of text is none of `cells`."""
        listed = ", ".join(quote_text(cell) for cell in cells)
        kept = f"{self.columns[name][0]} IS NULL OR {self.columns[name][0]} NOT IN ({listed})"
        return self._replace(clause=f"(SELECT * FROM {self.clause} WHERE {kept})", dense=False)

    def is_text(self, name: str) -> bool:
        """Whether a column holds text."""
        return (kind := self.columns[name][1]) == "VARCHAR" or kind.startswith("ENUM")


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
    engine : Engine
        The database that they lie in.
    clause : str
        What to select from there: columns called after their roles, and ``place``.
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
    piled : Piled, optional
        Where they lie among those of other tables.
    """

    source: str
    first: int
    count: int
    labels: Mapping[str, str]
    numbers: Mapping[str, NumberColumn]
    filled: frozenset[str]
    engine: Engine
    clause: str
    places: int = 0
    is_matrix: bool = False
    constants: Mapping[str, str] = field(default_factory=dict)
    report: Callable[[float], None] | None = None
    origin: Origin | None = None
    piled: Piled | None = None

    def ask(self, query: Query) -> list[Any]:
        """Rows of a query, as `ask_about`."""
        return ask_about(self.engine, self.clause, self.piled, query)

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
    _held_numbers: tuple[Relation, _Numbers] | None = None

    @property
    def shape(self) -> Hashable | None:
        """What it shares with others that lie with it in the database; None if none may."""
        return None

    def pile_up(self, tables: Sequence[Any], engine: Engine) -> None:
        """Let small tables of this kind and shape lie together in the database."""
        raise NotImplementedError

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
            cells |= {role: found.expression(relation, name) for role, name in numbers.items()}
        named = (f"{cell} AS {quote(role)}" for role, cell in cells.items())
        selected = ", ".join(("place", *named))
        clause = f"(SELECT {selected} FROM {relation.clause} AS t{found.joins})"
        piled = relation.piled
        if found.is_alone:
            piled = None
        elif piled is not None and piled.answers(relation.clause):
            every = f"(SELECT file, {selected} FROM {piled.clause} AS t{found.joins})"
            piled = piled._replace(clause=every, alone=clause)
        seen = {role: found.seen[name] for role, name in numbers.items()}
        return Rows(
            self.source, self.header_rows + 1, count, kinds, seen, filled, relation.engine, clause,
            count if relation.dense else 0, constants=constants,
            report=self.report, origin=self._origin(relation, labels, numbers), piled=piled,
        )  # fmt: skip

    def _relate(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> Relation:
        """As `relate`; many columns of numbers are looked up by place, for each table alone."""
        relation = self.relate(labels, numbers)
        return relation if len(numbers) <= _FEW else relation._replace(piled=None)

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
            found = relation.ask(
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
            found = relation.ask(
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
            relation = self.relate(labels, roles)._replace(piled=None)
            relation = relation if left_out is None else relation.without(*left_out)
            found = self._read_numbers(relation, roles)
            cells, kinds, filled, count = _name_cells(relation, labels, self.source)
        beside = {role: found.expression(relation, name) for role, name in numbers.items()}
        cells |= {role: cell for role, cell in beside.items() if role not in lists}
        if numbered is not None:
            cells[numbered] = "(place + 1)::BIGINT"
        told = {
            role: [beside.get(role, "NULL") if name is None else found.expression(relation, name)
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
            filled | {header}, relation.engine, clause, count if relation.dense else 0,
            is_matrix=True, report=self.report,
        )  # fmt: skip

    def _read_numbers(self, relation: Relation, roles: Mapping[str, str]) -> _Numbers:
        """Columns of numbers by role; what was read before is not read again."""
        held = self._held_numbers
        if (
            held is not None
            and _is_same(held[0], relation)
            and (held[1].seen.keys() >= set(roles.values()))
        ):
            return held[1]
        found = _Numbers.of(relation, self.source, roles)
        for name in self.durations & found.seen.keys():
            if not found.seen[name].plain:
                continue
            told = ("duration", f"{found.seen[name].largest:g} s")
            found.seen[name] = found.seen[name]._replace(spellings=(told,))
        self._held_numbers = relation, found
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


def _put_worth(
    relation: Relation, unusual: Iterable[tuple[Any, ...]], points: Mapping[str, float],
    find_unusual: Query,
) -> str:  # fmt: skip
    """A table of what unusual texts are worth as numbers, one for a pile; empty if none is one."""

    def put(unusual: Iterable[tuple[Any, ...]]) -> str:
        texts = dict.fromkeys(text for _, text, *_ in unusual)
        read = {text: parse_number(text, relation.decimal) for text in texts}
        worth = {text: one for text, one in read.items() if one is not None and one == one}
        worth |= points
        if not worth:
            return ""
        return relation.engine.put(
            {"text": np.array(list(worth), dtype=object), "value": np.array([*worth.values()])}
        )

    piled = relation.piled
    if points or piled is None or not piled.answers(relation.clause):
        return put(unusual)
    return piled.pile.made(find_unusual(piled.clause, FILE), put)


def _is_same(one: Relation, other: Relation) -> bool:
    return (
        one.engine is other.engine and one.clause == other.clause
        and (one.piled is None) == (other.piled is None)
    )  # fmt: skip


class _Numbers:
    """Columns of numbers: what they hold, and how the engine reads them.

    Text is read by the engine where it is a plain number. What else is there is read once for each
    distinct text, by the rules of `parse_number`, and looked up.
    """

    def __init__(self, seen: dict[str, NumberColumn]) -> None:
        self.joins = ""  # what is looked up beside the rows, which are called t
        self.seen = seen
        self._odd: dict[str, str] = {}
        self.is_alone = False  # whether what cells are worth holds for this table alone
        self.dotted: list[str] = []  # columns of text with plain numbers that have a point

    @classmethod
    def of(cls, relation: Relation, source: str, roles: Mapping[str, str]) -> _Numbers:
        names = list(dict.fromkeys(roles.values()))
        role_of = {name: role for role, name in reversed([*roles.items()])}
        texts = [name for name in names if relation.is_text(name)]
        typed = [name for name in names if name not in texts and name not in relation.known]
        seen = {name: relation.known[name] for name in names if name in relation.known}
        for name in typed:
            _check_kind(relation, name, role_of[name], source)
        seen |= _survey_typed(relation, typed)
        found = cls(seen)
        if texts:
            found._read_texts(relation, texts)
        for name in found.dotted:
            if "comma" in dict(found.seen[name].spellings):
                raise DataError(
                    f"{source}: the column {name!r} holds numbers with a decimal comma and numbers "
                    "with a point. Write all of them the same way."
                )
        return found

    def _read_texts(self, relation: Relation, names: Sequence[str]) -> None:
        engine = relation.engine
        cells = [relation.columns[name][0] for name in names]
        column, below = "0", f"{cells[0]}::VARCHAR"
        if len(cells) > 1:
            column = f"unnest(range({len(cells)}))"
            below = f"unnest([{', '.join(cells)}]::VARCHAR[])"
        number, odd = _plain_number("text"), _is_odd("text")

        def list_cells(rows: str, key: str) -> str:
            return f"(SELECT {key}place, {column} AS c, {below} AS text FROM {rows})"

        def find_unusual(rows: str, key: str) -> str:
            return (
                f"SELECT {key}c, left(text, {LONGEST_NUMBER + 1}), count(*), min(place) "
                f"FROM {list_cells(rows, key)} WHERE {odd} GROUP BY {key}c, text "
                f"ORDER BY {key}c, min(place)"
            )

        asked = relation.decimal == "," and not relation.is_told
        either = _either("text") if asked else "NULL, NULL, NULL"

        def count_numbers(rows: str, key: str) -> str:
            return (
                f"SELECT {key}c, count(n) FILTER (NOT odd), max(n) FILTER (NOT odd), {either}, "
                "bool_or(odd), bool_or(NOT odd AND dotted) "
                f"FROM (SELECT {key}c, text, {number} AS n, {odd} AS odd, "
                f"contains(text, '.') AS dotted FROM {list_cells(rows, key)}) GROUP BY {key}c"
            )

        known = relation.ask(count_numbers)
        for place, plain, largest, *_, dotted in known:
            value = np.nan if largest is None else float(largest)
            self.seen[names[place]] = NumberColumn(plain=plain, largest=value)
            self.dotted += [names[place]] if dotted else []
        unusual = relation.ask(find_unusual) if any(odd for *_, odd, _ in known) else []
        for place, text, size, first in unusual:
            before = self.seen.get(names[place], NumberColumn())
            number_of = parse_number(text, relation.decimal)
            added = _add_odd(before, text, number_of, size, first, relation.decimal)
            self.seen[names[place]] = added
        points: dict[str, float] = {}
        told = relation.is_told and relation.decimal == ","
        if told or any("points" in dict(one.spellings) for one in self.seen.values()):
            points = self._read_points(engine, list_cells(relation.clause, ""), names)
        for name in names:
            self.seen.setdefault(name, NumberColumn())
        self._note_either(names, known)
        self.is_alone = bool(points)
        table = _put_worth(relation, unusual, points, find_unusual)
        if not table:
            return
        if len(names) > _FEW:
            # One look-up for all columns of a matrix; each row is put together again.
            self._look_up_lists(engine, relation, names, table)
            return
        for place, name in enumerate(names):
            cell = relation.columns[name][0]
            self.joins += f" LEFT JOIN {table} AS u{place} ON {cell} = u{place}.text"
            self._odd[name] = f"coalesce(u{place}.value, {_plain_number(cell)})"

    def _note_either(self, names: Sequence[str], known: Iterable[tuple[Any, ...]]) -> None:
        """Remember what may be whole numbers with a point between thousands, or fractions."""
        for place, _, _, one_point, whole, example, *_ in known:
            name = names[place]
            if one_point and whole is not False and name in self.dotted:
                spelt = (("either" if whole else "point", example),)
                self.seen[name] = merge_columns(self.seen[name], NumberColumn(spellings=spelt))

    def _read_points(self, engine: Engine, rows: str, names: Sequence[str]) -> dict[str, float]:
        """Cells such as 1.234 in a table that has 1.234,5, where a point is none of a decimal."""
        found: dict[str, float] = {}
        for place, name in enumerate(names):
            if name not in self.dotted:
                continue
            texts = [text for (text,) in engine.ask(
                f"SELECT DISTINCT text FROM {rows} WHERE c = {place} AND contains(text, '.') "
                f"AND NOT {_is_odd('text')} ORDER BY text"
            )]  # fmt: skip
            numbers = [without_points(text) for text in texts]
            if None in numbers:
                continue
            self.dotted.remove(name)
            own = dict(zip(texts, map(float, filter(None, numbers)), strict=True))
            told = NumberColumn(largest=max(own.values()), spellings=(("points", texts[0]),))
            self.seen[name] = merge_columns(self.seen[name], told)
            found |= own
        return found

    def _look_up_lists(
        self, engine: Engine, relation: Relation, names: Sequence[str], table: str
    ) -> None:
        cells = ", ".join(relation.columns[name][0] for name in names)
        known = engine.new_name()
        engine.run(
            f"CREATE TEMP TABLE {known} AS SELECT place AS at, list(coalesce(u.value, "
            f"{_plain_number('r.text')}) ORDER BY c) AS cells FROM (SELECT place, "
            f"unnest(range({len(names)})) AS c, unnest([{cells}]::VARCHAR[]) AS text "
            f"FROM {relation.clause}) AS r LEFT JOIN {table} AS u ON r.text = u.text GROUP BY place"
        )
        self.joins += f" LEFT JOIN {known} ON t.place = {known}.at"
        for number, name in enumerate(names, start=1):
            self._odd[name] = f"{known}.cells[{number}]"

    def expression(self, relation: Relation, name: str) -> str:
        """The cell of a column as a number."""
        if name in self._odd:
            return self._odd[name]
        cell, kind = relation.columns[name]
        if kind in _NOTHING:
            return "NULL::DOUBLE"
        if relation.is_text(name):
            return _plain_number(cell)
        return f"nullif({cell}::DOUBLE, 'NaN'::DOUBLE)" if kind in _FLOATS else f"{cell}::DOUBLE"


# From more columns of text on, unusual cells are looked up for all of them at once.
_FEW = 8


def _either(cell: str) -> str:
    """Whether a point may stand between thousands in all cells that have one, with such a cell.

    In the middle, whether all others are whole and below 1000, as they are then; NULL if there are
    none.
    """
    return (
        f"bool_and(regexp_full_match(trim({cell}), '{ONE_POINT}')) FILTER (NOT odd AND dotted), "
        "bool_and(n = trunc(n) AND abs(n) < 1000) FILTER (NOT odd AND NOT dotted), "
        f"min({cell}) FILTER (NOT odd AND dotted)"
    )


def _plain_number(cell: str) -> str:
    return f"nullif(try_cast({cell} AS DOUBLE), 'NaN'::DOUBLE)"


def _is_odd(cell: str) -> str:
    # The engine also reads 1_000, which is no number here.
    return (
        f"({cell} IS NOT NULL AND (try_cast({cell} AS DOUBLE) IS NULL OR contains({cell}, '_') "
        f"OR strlen({cell}) > {LONGEST_NUMBER}))"
    )


def _add_odd(
    before: NumberColumn, text: str, value: float | None, size: int, first: int, decimal: str
) -> NumberColumn:
    """A column with cells whose text is no plain number: so many of them, the first one there."""
    if value is None:
        known = before.unread or Unread(first, text[:LONGEST_NUMBER], 0)
        return before._replace(unread=known.also(text[:LONGEST_NUMBER], size))
    spelt = tuple((kind, text) for kind in spellings_of(text, decimal))
    if value != value:
        skipped = dict(spelt).keys() & {"skipped"}
        return merge_columns(before, NumberColumn(spellings=spelt)) if skipped else before
    found = NumberColumn(largest=value, spellings=spelt)
    if "%" in text:
        return merge_columns(before, found._replace(percentages=size))
    truths = size if text.strip().casefold() in WORDS else 0
    return merge_columns(before, found._replace(plain=size, truths=truths))


def _survey_typed(relation: Relation, names: Sequence[str]) -> dict[str, NumberColumn]:
    if not names:
        return {}
    wanted = []
    for name in names:
        cell, kind = relation.columns[name]
        cell = f"nullif({cell}, 'NaN')" if kind in _FLOATS else cell
        if kind in _NOTHING:
            wanted += ["0", "NULL", "NULL"]
        else:
            # Footers of files tell both ends of whole numbers.
            least = f"min({cell})::BIGINT" if kind in _WHOLE else "NULL"
            wanted += [f"count({cell})", f"max({cell})::DOUBLE", least]
    none = tuple(0 if text.startswith("count") else None for text in wanted)
    answer = relation.total(", ".join(wanted)) or none
    found = {}
    for name, known, largest, least in zip(
        names, answer[::3], answer[1::3], answer[2::3], strict=True
    ):
        whole = None if least is None else (int(least), int(largest))
        truths = known if relation.columns[name][1] == "BOOLEAN" else 0
        value = np.nan if largest is None else float(largest)
        found[name] = NumberColumn(plain=known, truths=truths, largest=value, whole=whole)
    return found


def _check_kind(relation: Relation, name: str, role: str, source: str) -> None:
    kind = relation.columns[name][1]
    known = kind in _NOTHING or kind in _INTEGERS or kind in _FLOATS
    if known or kind in ("BOOLEAN", "UBIGINT", "HUGEINT", "UHUGEINT") or kind.startswith("DECIMAL"):
        return
    held = "intervals: write seconds" if kind == "INTERVAL" else f"the type {kind}"
    which, hint = "", "Leave the column out, or write numbers."
    if not role.startswith("column "):
        which = f" ({role})"
        hint = (
            f"Name another column: --column {role}=NAME (in Python: columns={{{role!r}: 'NAME'}})."
        )
    raise DataError(f"{source}: the column {name!r}{which} has {held}; expected numbers. {hint}")


def _label(relation: Relation, name: str, role: str, source: str) -> tuple[str, str]:
    """A cell as a name, and whether names are texts or whole numbers."""
    cell, kind = relation.columns[name]
    if kind in _NOTHING:
        return "NULL::VARCHAR", "text"
    if kind in _INTEGERS:
        return f"{cell}::BIGINT", "integer"
    if kind == "VARCHAR":
        return cell, "text"
    if kind in _FLOATS:
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
    rows, *known = relation.total(counts) or [0] * (1 + len(cells))
    filled = {role for role, number in zip(cells, known, strict=True) if number == rows}
    return cells, {role: kind for role, (_, kind) in named.items()}, frozenset(filled), int(rows)
