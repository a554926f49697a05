"""Rows of the parts of a store, taken out of its tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankbars.store.opening import DamageError
from rankbars.store.schema import RELATIONS, name_table
from rankbars.tables.cells import NumberColumn
from rankbars.tables.database import Engine, as_numbers, quote
from rankbars.tables.relations import Selection
from rankbars.tables.tablerows import Rows

if TYPE_CHECKING:
    pass

from rankbars.store.rows import NOTHING, Coded, CodedRows, Head, columns_of

__all__ = ["StoredRows"]


class StoredRows:
    """The rows of an open store.

    Parameters
    ----------
    engine : Engine
        Its database.
    heads : mapping from int to mapping from str to Head
        What is known of the rows of each part, by relation.

    Raises
    ------
    DamageError
        If the rows are not those that the heads tell of, or have names that are not there.
    """

    def __init__(self, engine: Engine, heads: Mapping[int, Mapping[str, Head]]) -> None:
        self._engine = engine
        self._heads = heads
        self._names: dict[str, tuple[NDArray[Any], NDArray[Any]]] = {}
        for relation in RELATIONS:
            self._check_rows(relation)

    def _check_rows(self, relation: str) -> None:
        """Compare numbers of rows, and the numbers of names with those that there are."""
        counts = self._engine.ask(f"SELECT part, count(*) FROM {relation} GROUP BY part")
        expected = {part: own[relation].rows for part, own in self._heads.items()
                    if relation in own and own[relation].rows}  # fmt: skip
        if dict(counts) != expected:
            raise DamageError(f"it does not hold the {relation} that were put in")
        if not counts:
            return
        heads = [own[relation] for own in self._heads.values() if relation in own]
        there = columns_of(self._engine.start(), relation)
        if not {role for head in heads for role in (*head.labels, *head.numbers)} <= there:
            raise DamageError(f"its {relation} lack a column")
        for role in there.intersection(RELATIONS[relation].labels):
            table = name_table(role)
            ids, _ = self._names_of(table)
            ((low, high),) = self._engine.ask(
                f"SELECT min({quote(role)}), max({quote(role)}) FROM {relation}"
            )
            if low is None:
                continue
            # Names that nothing had any more may have been between the others.
            whole = len(ids) and ids[-1] == len(ids) - 1
            if not (low >= 0 and whole and high < len(ids)) and self._engine.ask(
                f"SELECT 1 FROM {relation} WHERE {quote(role)} NOT IN (SELECT id FROM {table}) "
                "LIMIT 1"
            ):
                raise DamageError(f"the column {role!r} of its {relation} has no such name")

    def _names_of(self, table: str) -> tuple[NDArray[Any], NDArray[Any]]:
        """All names, and their numbers in order."""
        if table not in self._names:
            found = self._engine.arrays(f"SELECT id, name FROM {table} ORDER BY id")
            sound = not any(map(np.ma.is_masked, found.values()))
            ids, names = (np.ma.getdata(found[role]) for role in ("id", "name"))
            if not sound or (np.diff(ids) < 1).any() or (len(ids) and ids[0] < 0):
                raise DamageError(f"the numbers of its {table} are not those that were given")
            self._names[table] = ids, names
        return self._names[table]

    def _codes(self, role: str, cells: NDArray[Any]) -> Coded:
        ids, names = self._names_of(name_table(role))
        found = np.ma.getdata(cells)
        if len(ids) and ids[-1] != len(ids) - 1:
            found = np.searchsorted(ids, found)
        if np.ma.is_masked(cells):
            found = np.where(np.ma.getmaskarray(cells), -1, found)
        return Coded(names, found)

    def of_table(
        self, part: int, source: str, seen: Mapping[str, NumberColumn], filled: Iterable[str],
        *, is_matrix: bool,
    ) -> Rows:  # fmt: skip
        """The rows of a part that is a table; they stay where they are.

        Parameters
        ----------
        part : int
            The part.
        source : str
            Where they come from, for messages.
        seen : mapping from str to NumberColumn
            What its columns of numbers hold.
        filled : iterable of str
            Columns of names without an empty cell.
        is_matrix : bool
            Whether rows are the cells of a matrix.
        """
        ((relation, head),) = self._heads[part].items()
        selected, joins = ["s.place AS place"], ""
        for number, role in enumerate(head.labels):
            selected.append(f"n{number}.name AS {quote(role)}")
            joins += f" LEFT JOIN {name_table(role)} AS n{number} ON s.{quote(role)} = n{number}.id"
        selected += [f"s.{quote(role)} AS {quote(role)}" for role in head.numbers]
        clause = (
            f"(SELECT {', '.join(selected)} FROM {relation} AS s{joins} WHERE s.part = {int(part)})"
        )
        return Rows(
            source, 0, head.rows, dict.fromkeys(head.labels, "text"),
            {role: seen[role] for role in head.numbers}, frozenset(filled),
            Selection(self._engine, clause), is_matrix=is_matrix,
        )  # fmt: skip

    def of_parts(self, parts: Iterable[int]) -> dict[int, dict[str, CodedRows]]:
        """The rows of several parts, taken out, by part and relation."""
        found: dict[int, dict[str, CodedRows]] = {part: {} for part in parts}
        wanted: dict[str, list[int]] = defaultdict(list)
        for part in found:
            for relation in self._heads[part]:
                wanted[relation].append(part)
        for relation, some in wanted.items():
            for part, rows in self._fetch(relation, sorted(some)):
                found[part][relation] = rows
        return found

    def _fetch(self, relation: str, parts: Sequence[int]) -> Iterable[tuple[int, CodedRows]]:
        heads = {part: self._heads[part][relation] for part in parts}
        columns = RELATIONS[relation]
        labels = [one for one in columns.labels if any(one in h.labels for h in heads.values())]
        numbers = [one for one in columns.numbers if any(one in h.numbers for h in heads.values())]
        cells = ", ".join(map(quote, ["place", *labels, *numbers]))
        table = self._engine.put({"id": np.array(parts, dtype=np.int64)})
        taken = self._engine.arrays(
            f"SELECT {cells} FROM {relation} WHERE part IN (SELECT id FROM {table}) "
            "ORDER BY part, place"
        )
        start = 0
        for part, head in heads.items():
            own = slice(start, start + head.rows)
            start += head.rows
            yield (
                part,
                CodedRows(
                    np.ma.getdata(taken["place"])[own],
                    {role: self._codes(role, taken[role][own]) for role in head.labels},
                    {
                        role: _numbers(taken[role][own], columns.numbers[role])
                        for role in head.numbers
                    },
                ),
            )


def _numbers(cells: NDArray[Any], kind: str) -> NDArray[Any]:
    if kind == "DOUBLE":
        return as_numbers(cells)
    return np.asarray(np.ma.filled(cells.astype(np.int64), NOTHING))
