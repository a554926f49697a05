"""Tasks that are read from their files whenever they are looked at, by whoever looks at them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Evidence, Folds, Items
from rankbars.data.fields import locate_models
from rankbars.data.storedtasks import Outline, TaskReference
from rankbars.errors import OptionError
from rankbars.tables.database import Engine
from rankbars.tables.matrices import Filling, Matrix, index_rows
from rankbars.tables.records import Records
from rankbars.tables.relations import Origin
from rankbars.tables.tableoptions import TableOptions
from rankbars.tables.taskitems import Refer, Shelf

__all__ = ["Reading", "SourceTask", "references"]

Design: TypeAlias = 'Literal["items", "runs", "prompts"] | Folds'


class Part(NamedTuple):
    """Rows of one file.

    Parameters
    ----------
    origin : Origin
        Where they are.
    constants : tuple of (str, str)
        Label roles that have the same name on every row.
    """

    origin: Origin
    constants: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """How the rows of all tasks of a group are read.

    Parameters
    ----------
    parts : tuple of Part
        Where the rows are.
    keys, answers : tuple of str
        Roles that name a row, and roles that number the answers to it.
    metric : str or None
        The metric to use.
    limits : tuple of (float or None, float or None)
        Declared limits of the scores.
    named : frozenset of str
        Roles that the caller named.
    clustered : bool
        Whether clusters are used.
    """

    parts: tuple[Part, ...]
    keys: tuple[str, ...]
    answers: tuple[str, ...]
    metric: str | None
    limits: tuple[float | None, float | None]
    named: frozenset[str]
    clustered: bool


@dataclass(frozen=True, slots=True)
class SourceTask:
    """One task of rows by models, in the files that it was read from.

    Parameters
    ----------
    reading : Reading
        How it is read.
    task : str
        Its name.
    models : tuple of str
        Its models, also those without any row.
    design : {"items", "runs", "prompts"} or Folds
        What a row is.
    turned : bool
        Whether scores are better when lower, so that they change their sign.
    outline : Outline
        What is known of its rows.
    """

    reading: Reading
    task: str
    models: tuple[str, ...]
    design: Design
    turned: bool
    outline: Outline

    def load(self) -> Evidence:
        """The task.

        Raises
        ------
        ReadError
            If its files are not there.
        """
        reading = self.reading
        low, high = reading.limits
        options = TableOptions(metric=reading.metric, minimum=low, maximum=high)
        with Engine(threads=1) as engine:
            parts = []
            for origin, constants in reading.parts:
                told = dict(constants)
                labels = dict(origin.labels)
                column = labels.get("task")
                if column is None and told.get("task") != self.task:
                    continue
                wanted = [*labels.values(), *dict(origin.numbers).values()]
                table = origin.place.open(engine, wanted, column, self.task)
                rows = table.rows(labels, dict(origin.numbers))
                if rows.count:
                    parts.append(replace(rows, constants=told))
            records = Records(engine, parts, reading.keys, options, reading.named)
            index = index_rows(records)
            code = records.names["task"].index(self.task)
            shelf = Shelf(records, index, {code} if self.turned else ())
            filling = Filling(records, index, reading.answers)
            for some in shelf.groups:
                for task, cells in filling.fill(some):
                    shelf.put(task, cells)
            matrix = filling.finish()
        if not reading.clustered:
            matrix = matrix._replace(clusters=None)
        designs = {self.task: self.design} if isinstance(self.design, Folds) else None
        kind = "items" if isinstance(self.design, Folds) else self.design
        found = shelf.tasks(matrix, designs, kind)[self.task]
        return _among(found, self.models) if isinstance(found, Items) else found


def references(
    records: Records, roles: Mapping[str, str], answers: Sequence[str], matrix: Matrix,
    turned: Collection[str],
) -> Refer:  # fmt: skip
    """Makes references to tasks, which are read again from where they are.

    Parameters
    ----------
    records : Records
        The rows.
    roles : mapping from str to str
        Column by role.
    answers : sequence of str
        Label roles that number several answers to one row.
    matrix : Matrix
        What is known of all rows.
    turned : collection of str
        Tasks whose scores are better when lower.

    Raises
    ------
    OptionError
        If rows do not lie where they can be read again.
    """
    places = [part.origin for part in records.parts]
    if any(place is None for place in places):
        raise OptionError(
            "Tasks that are read by reference must stand in tidy Parquet files whose names and "
            "scores are typed columns. Write them as Parquet, or leave out --by-reference "
            "(by_reference=True)."
        )
    # Workers see the rows of one task only, and sort them by the same rule only if it is the same
    # for all of them.
    for role in records.keys:
        names = records.names[role]
        plain = [name for name in names if name.lstrip("-").isdecimal()]
        if plain and len(plain) < len(names):
            raise OptionError(
                f"Tasks that are read by reference need one kind of names: in the column "
                f"{roles.get(role, role)!r} some are numbers ({plain[0]!r}) and others are "
                "not. Leave out --by-reference (by_reference=True)."
            )
    parts = tuple(
        Part(part.origin, tuple(part.constants.items()))
        for part in records.parts if part.origin is not None
    )  # fmt: skip
    options = records.options
    reading = Reading(
        parts, records.keys, tuple(answers), options.metric, (options.minimum, options.maximum),
        records.named, matrix.clusters is not None,
    )  # fmt: skip

    def refer(
        task: str, models: tuple[str, ...], design: Design, outline: Outline
    ) -> TaskReference:
        return SourceTask(reading, task, models, design, task in turned, outline)

    return refer


def _among(items: Items, models: tuple[str, ...]) -> Items:
    """The same scores among further models, which have none."""
    if items.models == models:
        return items
    columns = locate_models(items.models, models)

    def spread(values: NDArray[np.float64], empty: float) -> NDArray[np.float64]:
        wide = np.full((*values.shape[:-1], len(models)), empty, dtype=values.dtype)
        wide[..., columns] = values
        return wide

    answers = None
    if items.answers is not None:
        answers = np.zeros((items.n, len(models)), np.int64)
        answers[:, columns] = items.answers
    return replace(
        items,
        models=models,
        values=spread(items.values, np.nan),
        answers=answers,
        runs=None if items.runs is None else spread(items.runs, np.nan),
    )
