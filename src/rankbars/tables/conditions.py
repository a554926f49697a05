"""Conditions on the columns of a table, such as ``language = 'de' and turns > 1``.

A condition is read here, not by the database: nothing but comparisons of columns, numbers and texts
gets there, whatever a condition says.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from rankbars.data.notes import Note
from rankbars.data.votes import MOST_CATEGORIES, PERIOD_MARK
from rankbars.errors import DataError, OptionError
from rankbars.tables.database import quote_text
from rankbars.tables.relations import Relation, Table
from rankbars.tables.tableoptions import PERIODS

__all__ = [
    "ChosenTable", "Condition", "NoRowError", "SortedTable", "choose_rows", "note_chosen_rows",
    "parse_condition",
]  # fmt: skip

# What stands in a condition: a kind, and what belongs to it.
Node: TypeAlias = tuple[Any, ...]

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?![\w.])"
    r"|(?P<text>'(?:[^']|'')*')"
    r'|(?P<quoted>"(?:[^"]|"")+")'
    r"|(?P<word>[^\W\d]\w*)"
    r"|(?P<sign>==|!=|<>|<=|>=|[=<>()+\-*/,]))"
)
_COMPARISONS = {"=": "=", "==": "=", "!=": "<>", "<>": "<>", "<": "<", "<=": "<=", ">": ">",
                ">=": ">="}  # fmt: skip
_WORDS = frozenset({"and", "or", "not", "in", "between", "like", "is", "null", "true", "false"})
_DEEPEST = 100  # brackets within each other
_LONGEST = 10_000
_HELP = (
    "A condition compares columns with numbers and 'texts': language = 'de' and turns > 1. It has "
    "=, !=, <, <=, >, >=, and, or, not, in ('a', 'b'), between, like 'a%', is null, + - * / and "
    'brackets; "a name with spaces" stands in double quotes. Functions are not taken.'
)


class NoRowError(DataError):
    """A condition holds on no row of a table."""


class Condition(NamedTuple):
    """A condition as it was written, what it says, and the columns that it speaks of."""

    text: str
    node: Node
    columns: tuple[str, ...]


def parse_condition(text: str) -> Condition:
    """What a condition says.

    Raises
    ------
    OptionError
        If it is none; the message shows how far it could be read.

    Examples
    --------
    >>> parse_condition("language = 'de' and turns > 1").columns
    ('language', 'turns')
    """
    reader = _Reader(text)
    node = reader.either(0)
    if reader.token:
        raise reader.stop()
    return Condition(text, node, tuple(dict.fromkeys(_columns_of(node))))


def _columns_of(node: Node) -> list[str]:
    if node[0] == "column":
        return [node[1]]
    return [name for part in node[1:] for one in (part if isinstance(part, list) else [part])
            if isinstance(one, tuple) for name in _columns_of(one)]  # fmt: skip


class _Reader:
    """Reads a condition from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = self.before = 0
        self.kind = self.token = ""
        if len(text) > _LONGEST:
            raise OptionError(f"The condition has {len(text):,} characters; at most {_LONGEST:,}.")
        self.step()

    def step(self) -> str:
        """The token at hand; goes to the next one."""
        passed, self.before = self.token, self.at
        found = _TOKEN.match(self.text, self.at)
        if found is None:
            self.kind, self.token = "", ""
            if self.text[self.at :].strip():
                raise self.stop()
            return passed
        self.kind, self.token = str(found.lastgroup), found[str(found.lastgroup)]
        if self.kind == "word" and self.token.lower() in _WORDS:
            self.kind, self.token = "known", self.token.lower()
        self.at = found.end()
        return passed

    def stop(self) -> OptionError:
        """What is said where it cannot go on."""
        rest = self.text[self.before :].strip()
        where = f"at {rest[:30]!r}" if rest else "at its end"
        return OptionError(f"The condition {self.text!r} cannot be read {where}. {_HELP}")

    def takes(self, *tokens: str) -> bool:
        """Whether the token at hand is one of these, and no text or name; goes on if so."""
        if self.kind in ("known", "sign") and self.token in tokens:
            self.step()
            return True
        return False

    def need(self, token: str) -> None:
        if not self.takes(token):
            raise self.stop()

    def either(self, depth: int) -> Node:
        if depth > _DEEPEST:
            raise OptionError(f"The condition has more than {_DEEPEST} brackets in each other.")
        parts = [self.both(depth)]
        while self.takes("or"):
            parts.append(self.both(depth))
        return parts[0] if len(parts) == 1 else ("or", parts)

    def both(self, depth: int) -> Node:
        parts = [self.negated(depth)]
        while self.takes("and"):
            parts.append(self.negated(depth))
        return parts[0] if len(parts) == 1 else ("and", parts)

    def negated(self, depth: int) -> Node:
        times = 0
        while self.takes("not"):
            times += 1
        found = self.test(depth)
        return ("not", found) if times % 2 else found

    def test(self, depth: int) -> Node:
        left = self.sum(depth)
        if self.kind == "sign" and self.token in _COMPARISONS:
            return ("compare", _COMPARISONS[self.step()], left, self.sum(depth))
        if self.takes("is"):
            negated = self.takes("not")
            self.need("null")
            return ("empty", left, negated)
        negated = self.takes("not")
        found: Node
        if self.takes("between"):
            low = self.sum(depth)
            self.need("and")
            high = self.sum(depth)
            found = ("and", [("compare", ">=", left, low), ("compare", "<=", left, high)])
        elif self.takes("like"):
            found = ("like", left, self.sum(depth))
        elif self.takes("in"):
            found = self.members(left, depth)
        elif negated:
            raise self.stop()
        else:
            return left
        return ("not", found) if negated else found

    def members(self, left: Node, depth: int) -> Node:
        """``in (1, 2)``, or ``'coding' in categories`` of a column of lists."""
        if not self.takes("("):
            return ("holds", self.primary(depth), left)
        parts = [("compare", "=", left, self.sum(depth))]
        while self.takes(","):
            parts.append(("compare", "=", left, self.sum(depth)))
        self.need(")")
        return ("or", parts)

    def sum(self, depth: int) -> Node:
        found = self.product(depth)
        while self.kind == "sign" and self.token in "+-":
            found = ("count", self.step(), found, self.product(depth))
        return found

    def product(self, depth: int) -> Node:
        found = self.primary(depth)
        while self.kind == "sign" and self.token in "*/":
            found = ("count", self.step(), found, self.primary(depth))
        return found

    def primary(self, depth: int) -> Node:
        if self.takes("("):
            found = self.either(depth + 1)
            self.need(")")
            return found
        signs = 0
        while self.kind == "sign" and self.token == "-":
            signs += 1
            self.step()
        if self.kind == "number":
            if math.isinf(float(self.token)):
                raise self.stop()
            return ("number", float(self.step()) * (-1) ** signs)
        if self.kind == "text" and not signs:
            return ("text", self.step()[1:-1].replace("''", "'"))
        if self.kind == "known" and self.token in ("true", "false") and not signs:
            return ("truth", self.step() == "true")
        if self.kind not in ("word", "quoted"):
            raise self.stop()
        quoted = self.kind == "quoted"
        name = self.step()
        column = ("column", name[1:-1].replace('""', '"') if quoted else name)
        return ("count", "-", ("number", 0.0), column) if signs % 2 else column


class _Cell(NamedTuple):
    """An expression of the database: ``number``, ``text``, ``truth`` or ``list``; and its name."""

    sql: str
    kind: str
    name: str = ""


class _Compiler:
    """Writes conditions as the database takes them, by what the columns hold."""

    def __init__(self, relation: Relation, source: str) -> None:
        self.relation = relation
        self.source = source
        self.known: dict[str, _Cell] = {}

    def cell(self, name: str) -> _Cell:
        """A column by what it holds; text that is all numbers, or true and false, is read so."""
        if name not in self.known:
            self.known[name] = self._look(name)
        return self.known[name]

    def _look(self, name: str) -> _Cell:
        cell, kind = self.relation.columns[name]
        if kind.endswith("[]"):
            return _Cell(cell, "list", name)
        if kind == "BOOLEAN":
            return _Cell(cell, "truth", name)
        if not self.relation.is_text(name):
            if kind.startswith(("DATE", "TIME", "UUID")):
                return _Cell(f"{cell}::VARCHAR", "text", name)
            if kind.startswith(("STRUCT", "MAP", "UNION", "BLOB")):
                raise DataError(
                    f"{self.source}: the column {name!r} has the type {kind}, which no condition "
                    "compares."
                )
            return _Cell(f"{cell}::DOUBLE", "number", name)
        text = f"nullif(trim({cell}::VARCHAR), '')"
        ((filled, numbers, truths),) = self.relation.engine.ask(
            f"SELECT count({text}), count(try_cast({text} AS DOUBLE)), "
            f"count(*) FILTER (lower({text}) IN ('true', 'false')) FROM {self.relation.clause}"
        )
        if filled and truths == filled:
            return _Cell(f"(lower({text}) = 'true')", "truth", name)
        if filled and numbers == filled:
            return _Cell(f"try_cast({text} AS DOUBLE)", "number", name)
        return _Cell(text, "text", name)

    def write(self, condition: Condition) -> str:
        """The condition; true or false, and false where a cell is empty."""
        found = self.value(condition.node, condition)
        return f"coalesce({self._truth(found, condition)}, false)"

    def value(self, node: Node, condition: Condition) -> _Cell:
        kind = node[0]
        if kind == "column":
            return self.cell(node[1])
        if kind == "number":
            return _Cell(f"{node[1]!r}::DOUBLE", "number")
        if kind == "text":
            return _Cell(quote_text(node[1]), "text")
        if kind == "truth":
            return _Cell(str(node[1]).lower(), "truth")
        if kind in ("and", "or"):
            parts = [self._truth(self.value(one, condition), condition) for one in node[1]]
            return _Cell(f"({f' {kind} '.join(parts)})", "truth")
        if kind == "not":
            return _Cell(f"(NOT {self._truth(self.value(node[1], condition), condition)})", "truth")
        if kind == "empty":
            known = "NOT NULL" if node[2] else "NULL"
            return _Cell(f"({self.value(node[1], condition).sql} IS {known})", "truth")
        return self._of_two(node, condition)

    def _of_two(self, node: Node, condition: Condition) -> _Cell:
        kind, *rest = node
        one, two = (self.value(part, condition) for part in rest[-2:])
        if kind == "count":
            self._expect((one, two), "number", condition)
            two_sql = f"nullif({two.sql}, 0)" if rest[0] == "/" else two.sql
            return _Cell(f"({one.sql} {rest[0]} {two_sql})", "number")
        if kind == "like":
            self._expect((one, two), "text", condition)
            return _Cell(f"({one.sql} LIKE {two.sql})", "truth")
        if kind == "holds":
            if one.kind != "list":
                raise self._misfit(condition, f"{one.name or 'what is behind in'} holds no lists")
            return _Cell(f"list_contains({one.sql}, {two.sql})", "truth")
        one, two = _as_truths(one, two)
        if one.kind != two.kind or one.kind == "list":
            raise self._misfit(condition, _told(one, two))
        return _Cell(f"({one.sql} {rest[0]} {two.sql})", "truth")

    def _truth(self, cell: _Cell, condition: Condition) -> str:
        if cell.kind == "number" and cell.name and self._of_zeros(cell):
            return f"({cell.sql} = 1)"
        if cell.kind != "truth":
            raise self._misfit(condition, f"{_named(cell)} is neither true nor false")
        return cell.sql

    def _of_zeros(self, cell: _Cell) -> bool:
        """Whether a column of numbers holds 0 and 1 only."""
        ((others,),) = self.relation.engine.ask(
            f"SELECT count(*) FROM {self.relation.clause} WHERE {cell.sql} NOT IN (0, 1)"
        )
        return not others

    def _expect(self, cells: Sequence[_Cell], kind: str, condition: Condition) -> None:
        for cell in cells:
            if cell.kind != kind:
                raise self._misfit(condition, f"{_named(cell)} is no {kind}")

    def _misfit(self, condition: Condition, what: str) -> DataError:
        return DataError(f"{self.source}: the condition {condition.text!r} does not fit: {what}.")


def _as_truths(one: _Cell, two: _Cell) -> tuple[_Cell, _Cell]:
    """A column of true and false beside 1 or 'true', as what it is compared with."""
    if {one.kind, two.kind} == {"truth", "number"}:
        one, two = (cell._replace(sql=f"({cell.sql}::INTEGER::DOUBLE)", kind="number")
                    if cell.kind == "truth" else cell for cell in (one, two))  # fmt: skip
    return one, two


def _named(cell: _Cell) -> str:
    return f"the column {cell.name!r}" if cell.name else cell.sql.removesuffix("::DOUBLE")


def _told(one: _Cell, two: _Cell) -> str:
    held = {"number": "numbers", "text": "texts", "truth": "true or false", "list": "lists"}
    parts = [f"{_named(cell)} holds {held[cell.kind]}" if cell.name
             else f"{_named(cell)} is a {cell.kind}" for cell in (one, two)]  # fmt: skip
    hint = ""
    if "text" in (one.kind, two.kind):
        hint = "; texts stand in quotes, 'de', and numbers without"
    return f"{' and '.join(parts)}{hint}"


def choose_rows(table: Table, where: Sequence[str]) -> Table:
    """The rows of a table on which all conditions hold; raises `DataError` if there are none."""
    return ChosenTable(table, [parse_condition(text) for text in where]) if where else table


def note_chosen_rows(where: Sequence[str]) -> list[Note]:
    """What must be said of rows that were chosen by conditions."""
    if not where:
        return []
    text = (
        f"Only rows with {' and '.join(where)} count. The guarantees hold only if they were chosen "
        "without looking at the results."
    )
    return [Note("chosen-rows", text)]


class ChosenTable(Table):
    """A table without the rows that a condition leaves out.

    Parameters
    ----------
    table : Table
        The table.
    conditions : sequence of Condition
        All of them must hold.

    Raises
    ------
    DataError
        If there is no such column.
    """

    def __init__(self, table: Table, conditions: Sequence[Condition]) -> None:
        self._table = table
        self._conditions = tuple(conditions)
        self.source, self.header_rows, self.remark = table.source, table.header_rows, table.remark
        self.partitions, self.report = table.partitions, table.report
        self.fixed = frozenset(name for one in conditions for name in one.columns)
        for condition in conditions:
            for name in condition.columns:
                if name not in table.columns:
                    shown = ", ".join(map(repr, table.columns[:20]))
                    raise DataError(
                        f"{table.source}: the condition {condition.text!r} speaks of {name!r}, and "
                        f"no column has that name. Columns: {shown}."
                    )

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]  # those of JSON lines grow
        """Header."""
        return self._table.columns

    def head(self, rows: int) -> list[tuple[object, ...]]:
        """First rows as they are, whether they are chosen or not."""
        return self._table.head(rows)

    def relate(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> Relation:
        """The chosen rows in the database."""
        names = dict.fromkeys(name for one in self._conditions for name in one.columns)
        beside = {f"condition on {name!r}": name for name in names}
        relation = self._table.relate({**labels, **beside}, numbers)
        compiler = _Compiler(relation, self.source)
        kept = " AND ".join(compiler.write(one) for one in self._conditions)
        clause = f"(SELECT * FROM {relation.clause} WHERE {kept})"
        if not relation.engine.ask(f"SELECT 1 FROM {clause} LIMIT 1"):
            texts = " and ".join(one.text for one in self._conditions)
            raise NoRowError(f"{self.source}: no row has {texts}. Correct the condition.")
        return relation._replace(clause=clause, dense=False)


class SortedTable(Table):
    """A table whose rows are sorted into categories, which may overlap.

    Parameters
    ----------
    table : Table
        The table.
    by : sequence of str
        Columns of true and false, which are a category each; of texts or whole numbers, of which
        each value is one; or of lists, of which each member is one.
    time : str, optional
        A column of times, which are sorted into periods.
    period : str
        A day, a week, a month, or a date as `TableOptions.over_time` has it.

    Raises
    ------
    DataError
        If there is no such column, or it has too many values.
    """

    column = "categories of the row"  # of numbers whose bits are the `names`

    def __init__(
        self, table: Table, by: Sequence[str], time: str | None = None, period: str = ""
    ) -> None:
        self._table = table
        self._period = period
        self.source, self.header_rows, self.remark = table.source, table.header_rows, table.remark
        self.partitions, self.report = table.partitions, table.report
        self._by = tuple(dict.fromkeys(by))
        for name in self._by:
            if name not in table.columns:
                shown = ", ".join(map(repr, table.columns[:20]))
                raise DataError(
                    f"{table.source}: there is no column {name!r} to sort votes by. Columns: "
                    f"{shown}."
                )
        self._time = time
        relation = self._related({}, {})
        compiler = _Compiler(relation, self.source)
        self._found: dict[str, tuple[str, str | None]] = {}
        for name in self._by:
            self._found |= _categories_of(name, compiler.cell(name), relation, self.source)
        self.notes: tuple[Note, ...] = ()
        if time is not None:
            spans, self.notes = _periods_of(time, period, relation, self.source, self.header_rows)
            self._found |= {name: (time, span) for name, span in spans.items()}
        self.names = tuple(sorted(self._found))

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]  # those of JSON lines grow
        """Header."""
        return self._table.columns

    def head(self, rows: int) -> list[tuple[object, ...]]:
        """First rows as they are."""
        return self._table.head(rows)

    def relate(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> Relation:
        """The table in the database, with a column of the categories."""
        known = {role: name for role, name in numbers.items() if name != self.column}
        relation = self._related(labels, known)
        # The same column has another expression each time.
        compiler = _Compiler(relation, self.source)
        time = "" if self._time is None else _moment(relation, self._time)
        bits = []
        for k, name in enumerate(self.names):
            column, value = self._found[name]
            if name.startswith(PERIOD_MARK):
                holds = str(value).format(time=time)
            else:
                holds = _is_in(compiler.cell(column), value)
            bits.append(f"CASE WHEN {holds} THEN {1 << k} ELSE 0 END::BIGINT")
        cell = f"({' + '.join(bits) or '0::BIGINT'})"
        return relation._replace(columns={**relation.columns, self.column: (cell, "BIGINT")})

    def _related(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> Relation:
        beside = {f"category {name!r}": name for name in self._by}
        beside |= {} if self._time is None else {"time of the row": self._time}
        return self._table.relate({**labels, **beside}, numbers)


_ZONE = r":\d\d.*(Z|[+-]\d\d(:?\d\d)?)$"
_LEAST_SECONDS = 3e8  # July 1979: less is no time of a vote, but a number of something


def _moment(relation: Relation, name: str) -> str:
    """Microseconds since 1970, in universal time, of a column of times; null where it has none.

    Numbers are seconds, or thousandths, millionths, billionths of them, by their size.
    """
    cell, kind = relation.columns[name]
    if kind.startswith(("TIMESTAMP", "DATE")):
        return f"epoch_us({cell})"
    number = f"{cell}::DOUBLE"
    written = None
    if relation.is_text(name):
        text = f"nullif(trim({cell}::VARCHAR), '')"
        number = f"try_cast({text} AS DOUBLE)"
        ((filled, numbers),) = relation.engine.ask(
            f"SELECT count({text}), count({number}) FROM {relation.clause}"
        )
        if numbers < filled:
            written = (
                f"CASE WHEN regexp_matches({text}, '{_ZONE}') "
                f"THEN epoch_us(try_cast({text} AS TIMESTAMPTZ)) "
                f"ELSE epoch_us(try_cast({text} AS TIMESTAMP)) END"
            )
    if written is not None:
        return written
    return (
        f"CASE WHEN NOT {number} BETWEEN {_LEAST_SECONDS} AND 9e18 THEN NULL "
        f"WHEN {number} < 1e11 THEN round({number} * 1e6)::BIGINT "
        f"WHEN {number} < 1e14 THEN round({number} * 1e3)::BIGINT "
        f"WHEN {number} < 1e17 THEN round({number})::BIGINT "
        f"ELSE round({number} / 1e3)::BIGINT END"
    )


def _periods_of(
    name: str, period: str, relation: Relation, source: str, header: int
) -> tuple[dict[str, str], tuple[Note, ...]]:
    """Periods in which there are votes: when a row lies in each; and what must be said.

    Raises `DataError` where a cell is no time, or there are too many periods or none.
    """
    cell, time = relation.columns[name][0], _moment(relation, name)
    filled = f"nullif(trim({cell}::VARCHAR), '')"
    wrong = relation.engine.ask(
        f"SELECT place, {filled} FROM {relation.clause} WHERE {filled} IS NOT NULL "
        f"AND {time} IS NULL ORDER BY place LIMIT 1"
    )
    if wrong:
        raise DataError(
            f"{source}, row {header + 1 + int(wrong[0][0])}: {wrong[0][1]!r} in column {name!r} is "
            "not a time. Expected a date with or without a time, such as 2025-03-15T10:00:00Z, or "
            "seconds since 1970. Correct the cell, name another column (--column time=NAME), or "
            "leave out --over-time."
        )
    if period in PERIODS:
        start = f"date_trunc('{period}', make_timestamp({time}))::DATE::VARCHAR"
        found = relation.engine.ask(
            f"SELECT DISTINCT {start} AS start FROM {relation.clause} WHERE {time} IS NOT NULL "
            "ORDER BY start LIMIT 1000"
        )
        if len(found) > MOST_CATEGORIES:
            raise DataError(
                f"{source}: the votes stand in more than {MOST_CATEGORIES} periods of a {period}, "
                f"from {found[0][0]!r} on; at most so many are compared. Take longer ones "
                "(--over-time month), or later votes (--where)."
            )
        spans = {
            f"{PERIOD_MARK}{period} {first}": start.replace(time, "{time}") + f" = '{first}'"
            for (first,) in found
        }
    else:
        moment = f"epoch_us(TIMESTAMP '{period}')"
        spans = {
            f"{PERIOD_MARK}before {period}": f"{{time}} < {moment}",
            f"{PERIOD_MARK}since {period}": f"{{time}} >= {moment}",
        }
    ((empty, future, last),) = relation.engine.ask(
        f"SELECT count(*) FILTER ({time} IS NULL), count(*) FILTER ({time} > "
        f"epoch_us(now()) + 86400000000), max(make_timestamp({time}))::VARCHAR "
        f"FROM {relation.clause}"
    )
    if last is None:
        raise DataError(f"{source}: no vote has a time in column {name!r}. Leave out --over-time.")
    notes = []
    if empty:
        text = f"{source}: {empty:,} votes have no time. They count on the board, in no period."
        notes.append(Note("times-missing", text))
    if future:
        text = (
            f"{source}: {future:,} votes carry times in the future, up to {last}. They count in "
            "the period that they name."
        )
        notes.append(Note("times-in-future", text))
    return spans, tuple(notes)


def _categories_of(
    name: str, cell: _Cell, relation: Relation, source: str
) -> dict[str, tuple[str, str | None]]:
    """What a column makes categories of: the column and the value of each."""
    if cell.kind == "truth":
        return {name: (name, None)}
    values = f"unnest({cell.sql})" if cell.kind == "list" else cell.sql
    found = relation.engine.ask(
        f"SELECT DISTINCT {values}::VARCHAR AS value FROM {relation.clause} LIMIT 500"
    )
    texts = sorted(text for (text,) in found if text is not None and text.strip())
    if len(texts) > MOST_CATEGORIES:
        raise DataError(
            f"{source}: the column {name!r} has more than {MOST_CATEGORIES} different values, such "
            f"as {texts[0]!r}; at most so many categories are ranked. Name another column."
        )
    if any(text.startswith(PERIOD_MARK) for text in texts):
        raise DataError(
            f"{source}: values of the column {name!r} begin with {PERIOD_MARK!r}, as periods do. "
            "Name another column."
        )
    if cell.kind == "list":
        return {text: (name, text) for text in texts}
    return {f"{name} {_short(text)}": (name, text) for text in texts}


def _is_in(cell: _Cell, value: str | None) -> str:
    """When a row belongs to a category: the column is true, holds the value, or is it."""
    if value is None:
        return cell.sql
    if cell.kind == "list":
        return f"list_contains({cell.sql}, {quote_text(value)})"
    return f"({cell.sql}::VARCHAR = {quote_text(value)})"


def _short(text: str) -> str:
    """A whole number without its fraction."""
    return text.removesuffix(".0")
