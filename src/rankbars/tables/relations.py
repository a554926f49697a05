"""Tables as relations of the database; small ones of one shape lie in a pile.

One query asks about all tables of a pile.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.tables.cells import NumberColumn
from rankbars.tables.database import Engine, quote_text

__all__ = ["FILE", "Pile", "Query", "Relation", "Selection"]

# Rows to select from, and what to select and group by first → a query.
Query: TypeAlias = Callable[[str, str], str]

FILE = "file, "


class Pile:
    """Tables of one shape, one below the other, and what the database said of each.

    Parameters
    ----------
    engine : Engine
        The database.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.is_sound = True  # False if a query fails: each table then answers for itself
        self._answers: dict[str, dict[int, list[Any]]] = {}
        self._made: dict[str, str] = {}

    def select(self, clause: str, number: int) -> Selection:
        """The rows of one of its tables, where `clause` is what to select those of all from."""
        alone = f"(SELECT * FROM {clause} WHERE file = {number})"
        return Selection(self.engine, alone, self, number, clause)

    def ask(self, query: str) -> dict[int, list[Any]]:
        """Rows of a query whose first column is the number of the table, by that; asked once."""
        found = self._answers.get(query)
        if found is None:
            found = defaultdict(list)
            for number, *row in self.engine.ask(query):
                found[number].append(tuple(row))
            found = self._answers[query] = dict(found)
        return found

    def made(self, query: str, make: Callable[[list[Any]], str]) -> str:
        """The table of the database that is made of all answers to a query; made once."""
        if query not in self._made:
            self._made[query] = make([row for rows in self.ask(query).values() for row in rows])
        return self._made[query]


class Selection(NamedTuple):
    """What the rows of a table are selected from.

    Parameters
    ----------
    engine : Engine
        The database.
    clause : str
        What to select them from.
    pile : Pile, optional
        The tables that they lie among.
    number : int
        Which of these theirs is.
    every : str
        What to select the rows of all of these from; beside the columns there is one called
        ``file``, the number of the table.
    """

    engine: Engine
    clause: str
    pile: Pile | None = None
    number: int = 0
    every: str = ""

    @property
    def together(self) -> Pile | None:
        """The pile, if it answers for its tables."""
        return self.pile if self.pile is not None and self.pile.is_sound else None

    def alone(self) -> Selection:
        """The same rows, asked about without those of other tables."""
        return Selection(self.engine, self.clause)

    def select(self, cells: str, joins: str = "") -> Selection:
        """Some cells of the same rows, which are called t, and of what is joined to them."""
        return self._replace(
            clause=f"(SELECT {cells} FROM {self.clause} AS t{joins})",
            every=self.every and f"(SELECT file, {cells} FROM {self.every} AS t{joins})",
        )

    def where(self, condition: str) -> Selection:
        """The rows of which a condition holds."""
        return Selection(self.engine, f"(SELECT * FROM {self.clause} WHERE {condition})")

    def ask(self, query: Query) -> list[Any]:
        """Rows of a query about the table; of one in a pile all are asked about, once.

        Parameters
        ----------
        query : callable
            Makes the query, of what to select from, and what to select and group by first.
        """
        if (pile := self.together) is not None:
            import duckdb

            try:
                return pile.ask(query(self.every, FILE)).get(self.number, [])
            except duckdb.Error:
                pile.is_sound = False
        return self.engine.ask(query(self.clause, ""))

    def total(self, cells: str) -> tuple[Any, ...] | None:
        """What is counted of all rows; None of a table in a pile that has none."""
        found = self.ask(
            lambda rows, key: f"SELECT {key}{cells} FROM {rows}{' GROUP BY file' if key else ''}"
        )
        return found[0] if found else None


class Relation(NamedTuple):
    """Columns of a table in the database.

    Parameters
    ----------
    selection : Selection
        What to select from; beside the columns there is one called ``place``, from 0.
    columns : mapping from str to (str, str)
        Expression and type of each column.
    known : mapping from str to NumberColumn
        Columns of numbers of which it is known already what they hold.
    known_in : callable, optional
        What those hold in the rows at some places alone, where any are known.
    dense : bool
        Whether there is a row at every place up to the number of rows.
    decimal : {".", ","}
        What separates the fraction of numbers in text.
    is_told : bool
        Whether the caller said so.
    """

    selection: Selection
    columns: Mapping[str, tuple[str, str]]
    known: Mapping[str, NumberColumn] = {}
    known_in: Callable[[NDArray[np.int64]], Mapping[str, NumberColumn]] | None = None
    dense: bool = True
    decimal: str = "."
    is_told: bool = False

    @property
    def engine(self) -> Engine:
        """The database."""
        return self.selection.engine

    @property
    def clause(self) -> str:
        """What to select its own rows from."""
        return self.selection.clause

    def where(self, condition: str) -> Relation:
        """The rows of which a condition holds."""
        return self._replace(selection=self.selection.where(condition), dense=False)

    def chosen(self, condition: str) -> Relation:
        """The rows that the caller chose; what is known of numbers is of these."""
        made = self.where(condition)
        if self.known_in is None:
            return made
        places = self.engine.arrays(f"SELECT place FROM {made.clause} ORDER BY place")["place"]
        return made._replace(known=self.known_in(places))

    def without(self, name: str, cells: Collection[str]) -> Relation:
        """The rows whose cell in a column of text is none of `cells`."""
        listed = ", ".join(map(quote_text, cells))
        cell = self.columns[name][0]
        return self.where(f"{cell} IS NULL OR {cell} NOT IN ({listed})")

    def is_text(self, name: str) -> bool:
        """Whether a column holds text."""
        return (kind := self.columns[name][1]) == "VARCHAR" or kind.startswith("ENUM")
