"""Conditions on the columns of a table, such as ``language = 'de' and turns > 1``.

A condition is read here, not by the database: nothing but comparisons of columns, numbers and texts
gets there, whatever a condition says.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from rankbars.errors import DataError, OptionError
from rankbars.tables.database import quote, quote_text
from rankbars.tables.relations import Relation
from rankbars.tables.tablerows import Table

__all__ = [
    "Cell", "ChosenTable", "Compiler", "Condition", "NoRowError", "TableView", "choose_rows",
    "parse_condition", "paste_condition", "quote_column",
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


class Cell(NamedTuple):
    """An expression of the database: ``number``, ``text``, ``truth`` or ``list``; and its name."""

    sql: str
    kind: str
    name: str = ""


class Compiler:
    """Writes conditions as the database takes them, by what the columns hold."""

    def __init__(self, relation: Relation, source: str) -> None:
        self.relation = relation
        self.source = source
        self.known: dict[str, Cell] = {}

    def cell(self, name: str) -> Cell:
        """A column by what it holds; text that is all numbers, or true and false, is read so."""
        if name not in self.known:
            self.known[name] = self._look(name)
        return self.known[name]

    def _look(self, name: str) -> Cell:
        cell, kind = self.relation.columns[name]
        if kind.endswith("[]"):
            return Cell(cell, "list", name)
        if kind == "BOOLEAN":
            return Cell(cell, "truth", name)
        if not self.relation.is_text(name):
            if kind.startswith(("DATE", "TIME", "UUID")):
                return Cell(f"{cell}::VARCHAR", "text", name)
            if kind.startswith(("STRUCT", "MAP", "UNION", "BLOB")):
                raise DataError(
                    f"{self.source}: the column {name!r} has the type {kind}, which no condition "
                    "compares."
                )
            return Cell(f"{cell}::DOUBLE", "number", name)
        text = f"nullif(trim({cell}::VARCHAR), '')"
        ((filled, numbers, truths),) = self.relation.engine.ask(
            f"SELECT count({text}), count(try_cast({text} AS DOUBLE)), "
            f"count(*) FILTER (lower({text}) IN ('true', 'false')) FROM {self.relation.clause}"
        )
        if filled and truths == filled:
            return Cell(f"(lower({text}) = 'true')", "truth", name)
        if filled and numbers == filled:
            return Cell(f"try_cast({text} AS DOUBLE)", "number", name)
        return Cell(text, "text", name)

    def write(self, condition: Condition) -> str:
        """The condition; true or false, and false where a cell is empty."""
        found = self.value(condition.node, condition)
        return f"coalesce({self._truth(found, condition)}, false)"

    def value(self, node: Node, condition: Condition) -> Cell:
        """What a part of the condition is worth on a row."""
        kind = node[0]
        if kind == "column":
            return self.cell(node[1])
        if kind == "number":
            return Cell(f"{node[1]!r}::DOUBLE", "number")
        if kind == "text":
            return Cell(quote_text(node[1]), "text")
        if kind == "truth":
            return Cell(str(node[1]).lower(), "truth")
        if kind in ("and", "or"):
            parts = [self._truth(self.value(one, condition), condition) for one in node[1]]
            return Cell(f"({f' {kind} '.join(parts)})", "truth")
        if kind == "not":
            return Cell(f"(NOT {self._truth(self.value(node[1], condition), condition)})", "truth")
        if kind == "empty":
            known = "NOT NULL" if node[2] else "NULL"
            return Cell(f"({self.value(node[1], condition).sql} IS {known})", "truth")
        return self._of_two(node, condition)

    def _of_two(self, node: Node, condition: Condition) -> Cell:
        kind, *rest = node
        one, two = (self.value(part, condition) for part in rest[-2:])
        if kind == "count":
            self._expect((one, two), "number", condition)
            two_sql = f"nullif({two.sql}, 0)" if rest[0] == "/" else two.sql
            return Cell(f"({one.sql} {rest[0]} {two_sql})", "number")
        if kind == "like":
            self._expect((one, two), "text", condition)
            return Cell(f"({one.sql} LIKE {two.sql})", "truth")
        if kind == "holds":
            if one.kind != "list":
                raise self._misfit(condition, f"{one.name or 'what is behind in'} holds no lists")
            return Cell(f"list_contains({one.sql}, {two.sql})", "truth")
        one, two = _as_truths(one, two)
        if one.kind != two.kind or one.kind == "list":
            raise self._misfit(condition, _told(one, two))
        return Cell(f"({one.sql} {rest[0]} {two.sql})", "truth")

    def _truth(self, cell: Cell, condition: Condition) -> str:
        if cell.kind == "number" and cell.name and self._of_zeros(cell):
            return f"({cell.sql} = 1)"
        if cell.kind != "truth":
            raise self._misfit(condition, f"{_named(cell)} is neither true nor false")
        return cell.sql

    def _of_zeros(self, cell: Cell) -> bool:
        """Whether a column of numbers holds 0 and 1 only."""
        ((others,),) = self.relation.engine.ask(
            f"SELECT count(*) FROM {self.relation.clause} WHERE {cell.sql} NOT IN (0, 1)"
        )
        return not others

    def _expect(self, cells: Sequence[Cell], kind: str, condition: Condition) -> None:
        for cell in cells:
            if cell.kind != kind:
                raise self._misfit(condition, f"{_named(cell)} is no {kind}")

    def _misfit(self, condition: Condition, what: str) -> DataError:
        return DataError(f"{self.source}: the condition {condition.text!r} does not fit: {what}.")


def _as_truths(one: Cell, two: Cell) -> tuple[Cell, Cell]:
    """A column of true and false beside 1 or 'true', as what it is compared with."""
    if {one.kind, two.kind} == {"truth", "number"}:
        one, two = (cell._replace(sql=f"({cell.sql}::INTEGER::DOUBLE)", kind="number")
                    if cell.kind == "truth" else cell for cell in (one, two))  # fmt: skip
    return one, two


def _named(cell: Cell) -> str:
    return f"the column {cell.name!r}" if cell.name else cell.sql.removesuffix("::DOUBLE")


def _told(one: Cell, two: Cell) -> str:
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


class TableView(Table):
    """Another table, of which some rows or columns are seen differently; its header is the same."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.source, self.header_rows, self.remark = table.source, table.header_rows, table.remark
        self.partitions, self.report = table.partitions, table.report
        self.metric, self.measured, self.decimal = table.metric, table.measured, table.decimal
        self.durations, self.is_told = table.durations, table.is_told

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]  # those of JSON lines grow
        """Header."""
        return self._table.columns

    def chosen(self) -> list[int] | None:
        """Places of the rows that the caller chose; None where all count."""
        return self._table.chosen()

    def head(self, rows: int) -> list[tuple[object, ...]]:
        """First rows as they are, whether they are chosen or not."""
        return self._table.head(rows)


class ChosenTable(TableView):
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
        super().__init__(table)
        self.conditions = tuple(conditions)
        self.fixed = frozenset(name for one in conditions for name in one.columns)
        for condition in conditions:
            for name in condition.columns:
                if name not in table.columns:
                    shown = ", ".join(map(repr, table.columns[:20]))
                    raise DataError(
                        f"{table.source}: the condition {condition.text!r} speaks of {name!r}, and "
                        f"no column has that name. Columns: {shown}. A text stands in quotation "
                        f"marks: {quote_text(name)}."
                    )

    def relate(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> Relation:
        """The chosen rows in the database."""
        names = dict.fromkeys(name for one in self.conditions for name in one.columns)
        beside = {f"condition on {name!r}": name for name in names}
        relation = self._table.relate({**labels, **beside}, numbers)
        compiler = Compiler(relation, self.source)
        kept = " AND ".join(compiler.write(one) for one in self.conditions)
        chosen = relation.chosen(kept)
        if not chosen.engine.ask(f"SELECT 1 FROM {chosen.clause} LIMIT 1"):
            texts = " and ".join(one.text for one in self.conditions)
            raise NoRowError(f"{self.source}: no row has {texts}. Correct the condition.")
        return chosen

    def chosen(self) -> list[int]:
        """Places of the rows on which the conditions hold."""
        relation = self.relate({}, {})
        found = relation.engine.ask(f"SELECT place FROM {relation.clause} ORDER BY place")
        return [int(place) for (place,) in found]


def quote_column(name: str) -> str:
    """A column as a condition names it."""
    plain = name.isidentifier() and name.lower() not in _WORDS
    return name if plain else quote(name)


def paste_condition(condition: str) -> str:
    r"""The option that takes the rows of a condition, to be pasted into a shell.

    Examples
    --------
    >>> print(paste_condition("split = 'test'"))
    --where "split = 'test'"
    >>> print(paste_condition('"model size" = \'7B\''))
    --where "\"model size\" = '7B'"
    """
    if set(condition) & set("$`\\!"):
        return f"--where {shlex.quote(condition)}"
    escaped = condition.replace('"', '\\"')
    return f'--where "{escaped}"'
