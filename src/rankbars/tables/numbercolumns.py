"""Columns of numbers: what they hold, and how the database reads them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from rankbars.errors import DataError
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
from rankbars.tables.relations import FILE, Relation

__all__ = ["FEW_COLUMNS", "FLOATS", "INTEGERS", "NOTHING", "Numbers"]

INTEGERS = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT",
                      "UINTEGER"})  # fmt: skip
FLOATS = frozenset({"FLOAT", "DOUBLE"})
_WHOLE = INTEGERS | {"BOOLEAN"}
# A column without any value.
NOTHING = frozenset({"NULL", '"NULL"'})

# From more columns of text on, unusual cells are looked up for all of them at once.
FEW_COLUMNS = 8


class Numbers:
    """Columns of numbers: what they hold, and how the engine reads them.

    Text is read by the engine where it is a plain number. What else is there is read once for each
    distinct text, by the rules of `parse_number`, and looked up.

    Parameters
    ----------
    relation : Relation
        The table.
    source : str
        Its name for messages.
    roles : mapping from str to str
        Columns by role.

    Attributes
    ----------
    seen : dict of str to NumberColumn
        What each column holds.
    joins : str
        What is looked up beside the rows, which are called t.
    is_alone : bool
        Whether what cells are worth holds for this table alone.
    """

    def __init__(self, relation: Relation, source: str, roles: Mapping[str, str]) -> None:
        self.relation = relation
        self.joins = ""
        self.is_alone = False
        self._odd: dict[str, str] = {}
        role_of = {name: role for role, name in reversed([*roles.items()])}
        names = list(dict.fromkeys(roles.values()))
        self.seen = {name: relation.known[name] for name in names if name in relation.known}
        texts = [name for name in names if relation.is_text(name)]
        typed = [name for name in names if name not in texts and name not in relation.known]
        for name in typed:
            _check_kind(relation, name, role_of[name], source)
        self.seen |= _survey_typed(relation, typed)
        for name in self._read_texts(texts) if texts else ():
            if "comma" in dict(self.seen[name].spellings):
                raise DataError(
                    f"{source}: the column {name!r} holds numbers with a decimal comma and numbers "
                    "with a point. Write all of them the same way."
                )

    def _read_texts(self, names: Sequence[str]) -> list[str]:
        """Columns of text with plain numbers that have a point; all are read as numbers."""
        relation, decimal = self.relation, self.relation.decimal
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

        # A comma that nobody told leaves open what points are.
        either = _either("text") if decimal == "," and not relation.is_told else "NULL, NULL, NULL"

        def count_numbers(rows: str, key: str) -> str:
            return (
                f"SELECT {key}c, count(n) FILTER (NOT odd), max(n) FILTER (NOT odd), {either}, "
                "bool_or(odd), bool_or(NOT odd AND dotted) "
                f"FROM (SELECT {key}c, text, {number} AS n, {odd} AS odd, "
                f"contains(text, '.') AS dotted FROM {list_cells(rows, key)}) GROUP BY {key}c"
            )

        self.seen |= dict.fromkeys(names, NumberColumn())
        known = relation.selection.ask(count_numbers)
        for place, plain, largest, *_ in known:
            value = np.nan if largest is None else float(largest)
            self.seen[names[place]] = NumberColumn(plain=plain, largest=value)
        pointed = {place for place, *_, has_point in known if has_point}
        dotted = [name for place, name in enumerate(names) if place in pointed]
        has_odd = any(odd for *_, odd, _ in known)
        unusual = relation.selection.ask(find_unusual) if has_odd else []
        for place, text, size, first in unusual:
            worth = parse_number(text, decimal)
            before = self.seen[names[place]]
            self.seen[names[place]] = _add_odd(before, text, worth, size, first, decimal)
        points: dict[str, float] = {}
        told = relation.is_told and decimal == ","
        if told or any("points" in dict(one.spellings) for one in self.seen.values()):
            listed = list_cells(relation.clause, "")
            points, dotted = self._read_points(listed, names, dotted)
        self._note_either(names, known, dotted)
        self.is_alone = bool(points)
        pile = None if points else relation.selection.together
        if pile is None:
            table = self._put_worth(unusual, points)
        else:
            table = pile.made(find_unusual(relation.selection.every, FILE), self._put_worth)
        if table and len(names) > FEW_COLUMNS:
            self._look_up_lists(names, table)
        elif table:
            for place, name in enumerate(names):
                cell = relation.columns[name][0]
                self.joins += f" LEFT JOIN {table} AS u{place} ON {cell} = u{place}.text"
                self._odd[name] = f"coalesce(u{place}.value, {_plain_number(cell)})"
        return dotted

    def _note_either(
        self, names: Sequence[str], known: Iterable[tuple[Any, ...]], dotted: Collection[str]
    ) -> None:
        """Remember what may be whole numbers with a point between thousands, or fractions."""
        for place, _, _, one_point, whole, example, *_ in known:
            name = names[place]
            if one_point and whole is not False and name in dotted:
                spelt = (("either" if whole else "point", example),)
                self.seen[name] = merge_columns(self.seen[name], NumberColumn(spellings=spelt))

    def _read_points(
        self, rows: str, names: Sequence[str], dotted: Sequence[str]
    ) -> tuple[dict[str, float], list[str]]:
        """Cells such as 1.234 in a table that has 1.234,5, where a point is none of a decimal.

        Beside them stand the columns whose points are those of decimals.
        """
        found: dict[str, float] = {}
        left = []
        for name in dotted:
            texts = [text for (text,) in self.relation.engine.ask(
                f"SELECT DISTINCT text FROM {rows} WHERE c = {names.index(name)} "
                f"AND contains(text, '.') AND NOT {_is_odd('text')} ORDER BY text"
            )]  # fmt: skip
            numbers = [without_points(text) for text in texts]
            if None in numbers:
                left.append(name)
                continue
            own = dict(zip(texts, map(float, filter(None, numbers)), strict=True))
            told = NumberColumn(largest=max(own.values()), spellings=(("points", texts[0]),))
            self.seen[name] = merge_columns(self.seen[name], told)
            found |= own
        return found, left

    def _put_worth(
        self, unusual: Iterable[tuple[Any, ...]], points: Mapping[str, float] = MappingProxyType({})
    ) -> str:
        """A table of what unusual texts are worth as numbers; empty if none is one."""
        texts = dict.fromkeys(text for _, text, *_ in unusual)
        read = {text: parse_number(text, self.relation.decimal) for text in texts}
        worth = {text: one for text, one in read.items() if one is not None and one == one}
        worth |= points
        if not worth:
            return ""
        return self.relation.engine.put(
            {"text": np.array(list(worth), dtype=object), "value": np.array([*worth.values()])}
        )

    def _look_up_lists(self, names: Sequence[str], table: str) -> None:
        """One look-up for all columns of a matrix; each row is put together again."""
        relation = self.relation
        cells = ", ".join(relation.columns[name][0] for name in names)
        known = relation.engine.new_name()
        relation.engine.run(
            f"CREATE TEMP TABLE {known} AS SELECT place AS at, list(coalesce(u.value, "
            f"{_plain_number('r.text')}) ORDER BY c) AS cells FROM (SELECT place, "
            f"unnest(range({len(names)})) AS c, unnest([{cells}]::VARCHAR[]) AS text "
            f"FROM {relation.clause}) AS r LEFT JOIN {table} AS u ON r.text = u.text GROUP BY place"
        )
        self.joins += f" LEFT JOIN {known} ON t.place = {known}.at"
        for number, name in enumerate(names, start=1):
            self._odd[name] = f"{known}.cells[{number}]"

    def expression(self, name: str) -> str:
        """The cell of a column as a number."""
        if name in self._odd:
            return self._odd[name]
        cell, kind = self.relation.columns[name]
        if kind in NOTHING:
            return "NULL::DOUBLE"
        if self.relation.is_text(name):
            return _plain_number(cell)
        return f"nullif({cell}::DOUBLE, 'NaN'::DOUBLE)" if kind in FLOATS else f"{cell}::DOUBLE"


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
        cell = f"nullif({cell}, 'NaN')" if kind in FLOATS else cell
        if kind in NOTHING:
            wanted += ["0", "NULL", "NULL"]
        else:
            # Footers of files tell both ends of whole numbers.
            least = f"min({cell})::BIGINT" if kind in _WHOLE else "NULL"
            wanted += [f"count({cell})", f"max({cell})::DOUBLE", least]
    none = tuple(0 if text.startswith("count") else None for text in wanted)
    answer = relation.selection.total(", ".join(wanted)) or none
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
    known = kind in NOTHING or kind in INTEGERS or kind in FLOATS
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
