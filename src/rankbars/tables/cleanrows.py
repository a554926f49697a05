"""Rows of scores in the database, made clean: what was left out, what state each score is in."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError, Lacking, ReadError
from rankbars.tables.columns import NAMING_ROLES, TRAIT_ROLES, fold_name
from rankbars.tables.database import as_numbers, quote, quote_text, report_damage
from rankbars.tables.labels import Codes, code_names
from rankbars.tables.oddscores import ask_about_mark, find_mark, is_mark
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.rowstates import LEFT_OUT, SCORED, Rules
from rankbars.tables.tablerows import Rows
from rankbars.tables.unitedrows import Piece, is_blank, is_full, unite

__all__ = ["Batch", "Records", "spell_metric"]

# Rows worked on at once: so few that they stay in the cache.
_CACHED_ROWS = 1 << 15

# Types by which whole numbers are fetched, the smallest first.
_NARROW = {
    "UTINYINT": (0, 255), "TINYINT": (-128, 127),
    "USMALLINT": (0, 65_535), "SMALLINT": (-32_768, 32_767),
}  # fmt: skip

# From so many rows on, it pays to find out what they are by counting them.
_FEWEST_OF_GRID = 1 << 16


class Batch(NamedTuple):
    """Some rows that count.

    Parameters
    ----------
    codes : mapping from str to array of int
        Codes of names by role, -1 where a cell is empty.
    numbers : mapping from str to array of float
        ``value``, the score of a row that is scored, and other numbers by role; NaN = empty.
        Where all scores are whole numbers and none is empty, they may be of a type of these.
    state : array of int or None
        Position in `STATES`; None if all rows are scored.
    """

    codes: Mapping[str, NDArray[Any]]
    numbers: Mapping[str, NDArray[Any]]
    state: NDArray[Any] | None


class Records:
    """Rows of tables of one design, under common codes, and the rules by which they count.

    Parameters
    ----------
    parts : sequence of Rows
        The rows of each table, in one database; label roles ``model`` and ``task`` at least,
        number role ``score``.
    keys : tuple of str
        Label roles that together name a row of a task; may be empty.
    options : ReadOptions
        Metric and limits of the scores.
    named : frozenset of str
        Roles that the caller named.
    by_position : bool
        Whether rows without a name are called after their place among those of model and task.
    status_column : str
        What the column of states is called, for messages.
    as_grid : bool
        Whether rows that are as many as models, tasks and items give may be taken for all of these;
        whoever puts them into cells finds one filled twice where they are not.

    Attributes
    ----------
    names : dict of str to tuple of str
        Names of label roles in their order; codes index them.
    numbers : frozenset of str
        Number roles.
    rows : int
        Number of rows.
    is_grid : bool
        Whether the rows are taken for all of models by tasks by items.
    """

    def __init__(
        self, parts: Sequence[Rows], keys: tuple[str, ...], options: ReadOptions,
        named: frozenset[str] = frozenset(), *, by_position: bool = False,
        status_column: str = "status", as_grid: bool = False,
    ) -> None:  # fmt: skip
        self.parts = tuple(parts)
        self.engine = parts[0].engine
        self.keys = keys
        self.options = options
        self.named = named
        self.status_column = status_column
        self.rows = sum(part.count for part in parts)
        united = unite(self.parts, keys)
        self.numbers, self._kinds, self._pieces = united.numbers, united.kinds, united.pieces
        self.names: dict[str, tuple[str, ...]] = {}
        self._codes: dict[str, Codes] = {}
        self._raw = f"({united.clause})"
        if by_position:
            self._number_rows()
        self.is_grid = False
        self._find_names(as_grid=as_grid)

    @property
    def roles(self) -> frozenset[str]:
        """Label roles that some table has."""
        return frozenset(self._kinds)

    @property
    def key_names(self) -> tuple[str, ...]:
        """Name of each key code; parts are joined by a colon."""
        names: list[str] = [""]
        for role in self.keys:
            names = [
                f"{before}:{name}" if before else name
                for before in names
                for name in self.names[role]
            ]
        return tuple(names)

    @property
    def key_count(self) -> int:
        """Number of key codes."""
        return int(np.prod([len(self.names[role]) for role in self.keys], dtype=np.int64))

    @property
    def all_scored(self) -> bool:
        """Whether it is known that every row has a score that counts."""
        full = all(is_full(part) for part in self.parts)
        return full and not {"status", "error", "imputed"} & self.roles and not self._marks

    @cached_property
    def _marks(self) -> tuple[float, ...]:
        """The number beyond each declared limit that stands for no score, if it is the only one."""
        low, high = self.options.minimum, self.options.maximum
        beyond = [] if low is None else [f"score < {low!r}"]
        beyond += [] if high is None else [f"score > {high!r}"]
        found = []
        for condition in beyond:
            ((several, mark),) = self.ask(
                f"SELECT min(score) < max(score), min(score) FROM {self._raw} WHERE {condition}"
            )
            if mark is not None and not several and is_mark(mark):
                found.append(float(mark))
        return tuple(found)

    @cached_property
    def _rules(self) -> Rules:
        """By what rows count, once their names are found."""
        return Rules(
            self.names, self.options.metric, self.status_column, self.all_scored, self._marks,
            tuple(number for number, part in enumerate(self.parts) if part.is_matrix),
        )  # fmt: skip

    def ask_about_mark(self, task: int, values: NDArray[np.float64]) -> None:
        """Raise `DataError` where a number stands for no score and no limit says so."""
        mark = find_mark(values)
        limits = (self.options.minimum, self.options.maximum)
        if mark is None or limits[mark.value > 0.0] is not None:
            return
        found = self.find(f"value = {mark.value!r} AND task_code = {task}", ("task",))
        place = self.parts[0].source if found is None else found[0]
        number = int(np.count_nonzero(values == mark.value))
        raise ask_about_mark(place, self.names["task"][task], mark, number)

    def _number_rows(self) -> None:
        """Give rows an item, or a fold: the place of each among those of its model and task."""
        role = self.keys[0]
        counts = self.ask(
            f"SELECT task, model, count(*) FROM {self._raw} GROUP BY ALL ORDER BY task, model"
        )
        seen: dict[str, tuple[str, int]] = {}
        for task, model, number in counts:
            one, known = seen.setdefault(task, (model, number))
            if known != number:
                raise DataError(
                    f"Rows of task {task!r} cannot be paired by position: model "
                    f"{one!r} has {known} rows, model "
                    f"{model!r} has {number}. Name the column that "
                    f"says which {role} a row is about: --column {role}=NAME (in Python: "
                    f"columns={{{role!r}: 'NAME'}})."
                )
        table = self.engine.new_name()
        self.engine.run(
            f"CREATE TEMP TABLE {table} AS SELECT *, row_number() OVER (PARTITION BY task, model "
            f"ORDER BY part, place) AS {role} FROM {self._raw}"
        )
        self._raw = table
        self._kinds[role] = "BIGINT"
        self._pieces = [Piece(table, self.rows, 0, self.parts)]

    def _find_names(self, *, as_grid: bool) -> None:
        """Names of all that may be asked for, and what goes together."""
        some = [
            role for role in ("task", *self.keys, *TRAIT_ROLES, "status") if role in self._kinds
        ]
        some = list(dict.fromkeys(some))
        self._combinations = self.engine.new_name()
        source = self._grid(some) if as_grid else None
        self.is_grid = source is not None
        if source is None:
            cells = ", ".join(quote(role) for role in some)
            source = f"SELECT DISTINCT {cells} FROM {self._raw} WHERE NOT blank"
        with self._report():
            self.engine.run(f"CREATE TEMP TABLE {self._combinations} AS {source}")
        for role in some:
            if role not in self.names:
                self._name(role, self._combinations)
        for role in self._kinds:
            if role in ("model", "cluster", "error", "imputed", "repeat", "run", "epoch", "variant",
                        "item", "fold") and role not in self.names:  # fmt: skip
                self._name(role, self._raw)
        self.options = spell_metric(self.names.get("metric"), self.options)
        self._check_names()

    def _grid(self, roles: Sequence[str]) -> str | None:
        """A query of all tasks by all items, where there are as many rows as these give.

        To look for the pairs of a task and an item that occur takes as long as a third of all
        reading.
        """
        if self.rows < _FEWEST_OF_GRID or len(self.keys) != 1 or not self.all_scored:
            return None
        (key,) = self.keys
        if list(roles) != ["task", key]:
            return None
        whole, low, high = self._kinds[key] == "BIGINT", 0, 0
        if whole:
            ends = f"SELECT min({quote(key)}), max({quote(key)}) FROM {self._raw}"
            ((low, high),) = self.ask(ends)
            if low is None or self.rows % (high - low + 1):
                return None
        self._name("model", self._raw)
        told = {part.constants.get("task") for part in self.parts if part.count}
        listed = ", ".join(f"({quote_text(name)})" for name in told if name is not None)
        self._name("task", self._raw if None in told else f"(VALUES {listed}) AS t(task)")
        rows = len(self.names["model"]) * len(self.names["task"])
        items, left = divmod(self.rows, rows) if rows else (0, 1)
        if left or (whole and items != high - low + 1):
            return None
        if not whole:
            self._name(key, self._raw)
            if self._codes[key].open or len(self.names[key]) != items:
                return None
        named = (
            f"range({low}, {high + 1}) AS k(name)" if whole else f"{self._codes[key].table} AS k"
        )
        return (
            f"SELECT t.name AS task, k.name AS {quote(key)} "
            f"FROM {self._codes['task'].table} AS t, {named}"
        )

    def _name(self, role: str, source: str) -> None:
        with self._report():
            self._codes[role] = code_names(self.engine, source, role)
        self.names[role] = self._codes[role].names

    def _joined(self, roles: Collection[str], source: str) -> tuple[str, str]:
        """Code columns of some roles, and where they come from."""
        tables = {role: self._codes[role].table for role in roles}
        cells = "".join(f", {table}.code AS {role}_code" for role, table in tables.items())
        joins = "".join(
            f" LEFT JOIN {table} ON r.{quote(role)} = {table}.name"
            for role, table in tables.items()
        )
        return cells, f"{source} AS r{joins}"

    def _clean(
        self, roles: Collection[str], source: str = "", where: str = "",
        more: Sequence[str] = (),
    ) -> str:  # fmt: skip
        """Rows that count: all columns, codes of some roles, the key, the state and the value."""
        joined = dict.fromkeys((*roles, *self._rules.roles))
        cells, joins = self._joined(joined, source or self._raw)
        keys = "0"
        if set(self.keys) <= set(joined):
            for role in self.keys:
                code = f"{self._codes[role].table}.code::BIGINT"
                keys = f"({keys} * {len(self.names[role])} + {code})"
        inner = f" WHERE {where}" if where else ""
        added = "".join(f", {cell}" for cell in more)
        state, wanted = self._rules.state(), ("NOT blank", *self._rules.wanted())
        return (
            f"(SELECT *, CASE WHEN state = {SCORED} THEN score END AS value FROM "
            f"(SELECT *, {state} AS state FROM (SELECT r.*{cells}{added}, {keys} AS key "
            f"FROM {joins}{inner})) WHERE {' AND '.join(wanted)})"
        )

    def select(self, cells: str, roles: Collection[str], rest: str = "") -> str:
        """A query of all rows that count."""
        return f"SELECT {cells} FROM {self._clean(roles)} {rest}"

    def arrays(self, cells: str, roles: Collection[str], rest: str = "") -> dict[str, NDArray[Any]]:
        """The result of `select`, by column."""
        with self._report():
            return self.engine.arrays(self.select(cells, roles, rest))

    def batches(
        self, roles: Sequence[str], numbers: Sequence[str], tasks: Collection[int] | None = None
    ) -> Iterator[Batch]:
        """Rows that count, so many at a time; of some tasks only, if they are given.

        Parameters
        ----------
        roles : sequence of str
            Label roles whose codes are wanted.
        numbers : sequence of str
            Number roles that are wanted beside the scores.
        tasks : collection of int, optional
            Codes of tasks.
        """
        some = ""
        if tasks is not None:
            names = [self.names["task"][task] for task in tasks]
            listed = names if self._kinds["task"] == "BIGINT" else map(quote_text, names)
            some = f"r.task IN ({', '.join(listed)})"
        codes = {role: self._codes[role] for role in roles}
        joined = [role for role, one in codes.items() if one.joined]
        cells = [f"{one.cell} AS {role}_c" for role, one in codes.items() if not one.joined]
        selected = [self._value, *numbers, *(f"{role}_{'code' if role in joined else 'c'}"
                                        for role in roles)]  # fmt: skip
        if not self.all_scored:
            selected.append("state::UTINYINT AS state")
        wide = {"value", *numbers} if self._value == "value" else {*numbers}
        for piece in self._pieces:
            blocks = piece.blocks()
            for block in blocks:
                where = " AND ".join(filter(None, (block, some)))
                rows = self._clean(joined, piece.clause, where, cells)
                with self._report():
                    found = self.engine.arrays(f"SELECT {', '.join(selected)} FROM {rows}")
                told = {role: found[f"{role}_{'code' if one.joined else 'c'}"]
                        for role, one in codes.items()}  # fmt: skip
                for start in range(0, len(found["value"]), _CACHED_ROWS):
                    few = slice(start, start + _CACHED_ROWS)
                    yield Batch(
                        {role: one.decode(told[role][few]) for role, one in codes.items()},
                        {
                            name: as_numbers(found[name][few]) if name in wide else found[name][few]
                            for name in ("value", *numbers)
                        },
                        None if self.all_scored else np.ma.getdata(found["state"][few]),
                    )
                for one in piece.parts:
                    if one.report is not None:
                        one.report(1.0 / len(blocks))

    @cached_property
    def _value(self) -> str:
        """The score of a row, as the smallest type that holds all of them."""
        ranges = [part.numbers["score"].whole for part in self.parts]
        known = [one for one in ranges if one is not None]
        if not self.all_scored or len(known) < len(ranges):
            return "value"
        low, high = min(low for low, _ in known), max(high for _, high in known)
        fit = (name for name, (least, most) in _NARROW.items() if least <= low and high <= most)
        kind = next(fit, "DOUBLE")
        return f"value::{kind} AS value"

    def traits(self, role: str) -> list[tuple[int, str]]:
        """Distinct pairs of a task's code and a name of a role that describes tasks."""
        codes = self.ask(
            f"SELECT DISTINCT task_code, {role}_code FROM {self._combined(('task', role))} "
            f"WHERE task_code IS NOT NULL AND {role}_code IS NOT NULL"
        )
        names = self.names[role]
        return sorted((task, names[code]) for task, code in codes)

    def pairs(self) -> NDArray[np.int64]:
        """``task * key_count + key`` of every row of a task, ascending."""
        if self.is_grid:
            return np.arange(len(self.names["task"]) * self.key_count, dtype=np.int64)
        codes = {role: self._codes[role] for role in ("task", *self.keys)}
        joined = [role for role, one in codes.items() if one.joined]
        cells = ", ".join(f"{one.cell} AS {role}_c" for role, one in codes.items())
        with self._report():
            found = self.engine.arrays(
                f"SELECT {', '.join(f'{role}_c' for role in codes)} "
                f"FROM {self._combined(joined, cells)}"
            )
        pairs = np.zeros(len(found["task_c"]), np.int64)
        full = np.ones(len(pairs), np.bool_)
        for role, one in codes.items():
            code = one.decode(found[f"{role}_c"])
            pairs = pairs * len(one.names) + code
            full &= code >= 0
        return np.unique(pairs[full])

    def _combined(self, roles: Collection[str], cells: str = "NULL") -> str:
        """What goes together in rows that count, with codes of some roles and other cells."""
        joined = dict.fromkeys((*roles, *(r for r in ("metric", "status") if r in self.names)))
        codes, joins = self._joined(joined, self._combinations)
        wanted = "".join(f" AND {one}" for one in self._rules.wanted())
        return f"(SELECT * FROM (SELECT r.*{codes}, {cells} FROM {joins}) WHERE true{wanted})"

    def left_out(self) -> dict[str, int]:
        """Rows left out, scores not used, and scores used of rows with an error, by reason."""
        wanted = self._rules.left_out()
        if all(is_blank(part, self.keys) == "false" for part in self.parts):
            del wanted[LEFT_OUT[0]]
        if not wanted:
            return {}
        codes, joins = self._joined(self._rules.roles, self._raw)
        counts = ", ".join(f"count(*) FILTER (WHERE {one})" for one in wanted.values())
        (numbers,) = self.ask(
            f"SELECT {counts} FROM (SELECT *, {self._rules.state()} AS state FROM "
            f"(SELECT r.*{codes} FROM {joins}))"
        )
        return {reason: n for reason, n in zip(wanted, numbers, strict=True) if n}

    def find(
        self, condition: str, roles: Collection[str] = (), cells: str = "NULL",
        computed: str = "NULL",
    ) -> tuple[str, Any] | None:  # fmt: skip
        """The first row that counts and meets a condition: its place for messages, and a cell."""
        naming = [role for role in ("model", "task", *NAMING_ROLES) if role in self._kinds]
        named = "".join(f", {quote(role)}::VARCHAR" for role in naming)
        found = self.ask(
            f"SELECT part, place, {cells}{named} FROM (SELECT *, {computed} "
            f"FROM {self._clean(roles)}) WHERE {condition} ORDER BY part, place LIMIT 1"
        )
        if not found:
            return None
        part, place, cell, *names = found[0]
        rows = self.parts[part]
        return rows.place(place, dict(zip(naming, names, strict=True))), cell

    def refuse(self, condition: str, problem: str, roles: Collection[str] = ()) -> None:
        """Raise `DataError` about the first row that meets a condition, if there is one."""
        found = self.find(condition, roles)
        if found is not None:
            raise DataError(f"{found[0]}: {problem}")

    def _check_names(self) -> None:
        for role in dict.fromkeys(("model", "task", *self.keys)):
            gap = any(role not in part.filled and role not in part.constants for part in self.parts)
            if gap or self._codes[role].open:
                self.refuse(
                    f"{role}_code IS NULL",
                    f"the {role} is empty. Every row needs a {role}; fill the cell or remove the "
                    "row.",
                    (role,),
                )

    def refuse_outside(self, values: NDArray[np.float64]) -> None:
        """Raise `DataError` about the first score that is infinite or outside of its limits.

        All of them are looked at only where one of `values` is.
        """
        if not len(values):
            return
        least, most = values.min(), values.max()
        if np.isnan(most):
            least, most = np.fmin.reduce(values), np.fmax.reduce(values)
        low, high = self.options.minimum, self.options.maximum
        if not (
            np.isinf(least) or np.isinf(most)
            or (low is not None and least < low) or (high is not None and most > high)
        ):  # fmt: skip
            return
        self.refuse(
            "isinf(value)",
            "the score is infinite. Scores must be finite; leave the cell empty if nothing was "
            "observed.",
        )
        outside = [] if low is None else [f"value < {low!r}"]
        outside += [] if high is None else [f"value > {high!r}"]
        found = self.find(" OR ".join(outside) or "false", cells="value")
        if found is not None:
            raise DataError(
                f"{found[0]}: the score {found[1]:g} lies outside the declared limits, "
                f"{'−∞' if low is None else f'{low:g}'} to {'∞' if high is None else f'{high:g}'}. "
                "Correct the score or the limits."
            )

    def ask(self, query: str) -> list[Any]:
        """What the engine answers; an error of it is one about the file at fault."""
        with self._report():
            return self.engine.ask(query)

    @contextmanager
    def _report(self) -> Iterator[None]:
        """Errors of the engine as errors about the file that is at fault."""
        try:
            with report_damage(self.parts[0].source):
                yield
        except ReadError:
            for part in self.parts:
                with report_damage(part.source):
                    self.engine.ask(f"SELECT max(hash(t)) FROM {part.clause} AS t")
            raise


def spell_metric(names: Sequence[str] | None, options: ReadOptions) -> ReadOptions:
    """Options with the metric spelt as in the table."""
    if names is None or options.metric is None or options.metric in names:
        return options
    same = [name for name in names if fold_name(name) == fold_name(options.metric)]
    if len(same) != 1:
        error = DataError(
            f"The metric {options.metric!r} is not in the table. Metrics: "
            f"{', '.join(map(repr, names))}."
        )
        raise error.about(Lacking("metric", (options.metric,), tuple(names)))
    return replace(options, metric=same[0])
