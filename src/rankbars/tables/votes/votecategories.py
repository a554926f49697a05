"""Votes sorted into categories, which may overlap, and into periods of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankbars.data.notes import Note
from rankbars.data.votes import MOST_CATEGORIES, PERIOD_MARK
from rankbars.errors import DataError
from rankbars.tables.conditions import Cell, Compiler, TableView
from rankbars.tables.database import quote_text
from rankbars.tables.readoptions import PERIODS
from rankbars.tables.relations import Relation
from rankbars.tables.tablerows import Table

__all__ = ["SortedTable"]


class SortedTable(TableView):
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
        A day, a week, a month, or a date as `ReadOptions.over_time` has it.

    Raises
    ------
    DataError
        If there is no such column, or it has too many values.
    """

    column = "categories of the row"  # of numbers whose bits are the `names`

    def __init__(
        self, table: Table, by: Sequence[str], time: str | None = None, period: str = ""
    ) -> None:
        super().__init__(table)
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
        compiler = Compiler(relation, self.source)
        self._found: dict[str, tuple[str, str | None]] = {}
        for name in self._by:
            self._found |= _categories_of(name, compiler.cell(name), relation, self.source)
        self.notes: tuple[Note, ...] = ()
        if time is not None:
            spans, self.notes = _periods_of(time, period, relation, self.source, self.header_rows)
            self._found |= {name: (time, span) for name, span in spans.items()}
        self.names = tuple(sorted(self._found))

    def relate(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> Relation:
        """The table in the database, with a column of the categories."""
        known = {role: name for role, name in numbers.items() if name != self.column}
        relation = self._related(labels, known)
        # The same column has another expression each time.
        compiler = Compiler(relation, self.source)
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
    name: str, cell: Cell, relation: Relation, source: str
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
    # Whole numbers are told without their fraction.
    return {f"{name} {text.removesuffix('.0')}": (name, text) for text in texts}


def _is_in(cell: Cell, value: str | None) -> str:
    """When a row belongs to a category: the column is true, holds the value, or is it."""
    if value is None:
        return cell.sql
    if cell.kind == "list":
        return f"list_contains({cell.sql}, {quote_text(value)})"
    return f"({cell.sql}::VARCHAR = {quote_text(value)})"
