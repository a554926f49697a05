"""Piles of small tables of one shape, so that one query asks about all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from rankbars.tables.database import Engine

__all__ = ["FILE", "Pile", "Piled", "Query", "ask_about", "lie_together"]

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


class Piled(NamedTuple):
    """One of the tables of a pile.

    Parameters
    ----------
    pile : Pile
        The pile.
    number : int
        Which of them it is.
    clause : str
        What to select the rows of all of them from; beside the columns there is one called
        ``file``, the number of the table.
    alone : str
        What to select its own rows from, without that column.
    """

    pile: Pile
    number: int
    clause: str
    alone: str

    def answers(self, clause: str) -> bool:
        """Whether the pile answers for the rows that are selected from `clause`."""
        return self.alone == clause and self.pile.is_sound


class Shaped(Protocol):
    """A table that may lie in a pile."""

    @property
    def shape(self) -> Hashable | None:
        """What it shares with the others of its pile; None if it is read by itself."""

    def pile_up(self, tables: Sequence[Any], engine: Engine) -> None:
        """Let tables of this kind and shape lie together in the database."""


def lie_together(tables: Iterable[Shaped], engine: Engine) -> None:
    """Let tables of one kind and shape lie together in the database."""
    shapes: dict[tuple[type, Hashable], list[Shaped]] = defaultdict(list)
    for table in tables:
        if table.shape is not None:
            shapes[type(table), table.shape].append(table)
    for alike in shapes.values():
        if len(alike) > 1:
            alike[0].pile_up(alike, engine)


def ask_about(engine: Engine, clause: str, piled: Piled | None, query: Query) -> list[Any]:
    """Rows of a query about a table; of one in a pile all are asked about, once.

    Parameters
    ----------
    engine : Engine
        The database.
    clause : str
        What to select the rows of the table from.
    piled : Piled, optional
        Where it lies in a pile.
    query : callable
        Makes the query, of what to select from, and what to select and group by first.
    """
    import duckdb

    if piled is not None and piled.answers(clause):
        try:
            return piled.pile.ask(query(piled.clause, FILE)).get(piled.number, [])
        except duckdb.Error:
            piled.pile.is_sound = False
    return engine.ask(query(clause, ""))
