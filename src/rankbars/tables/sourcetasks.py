"""Tasks that are read from their source whenever they are looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Evidence, Folds, Items
from rankbars.data.fields import locate_models
from rankbars.data.storedtasks import Outline
from rankbars.tables.matrices import Filling, index_rows
from rankbars.tables.records import Records
from rankbars.tables.sources import TableSource
from rankbars.tables.tableoptions import TableOptions
from rankbars.tables.taskitems import Shelf

__all__ = ["Reading", "SourceTask"]


@dataclass(frozen=True, slots=True)
class Reading:
    """How the rows of all tasks of a group are read.

    Parameters
    ----------
    source : TableSource
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

    source: TableSource
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
    design: Literal["items", "runs", "prompts"] | Folds
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
        with reading.source.open(self.task) as table:
            records = Records(table, reading.keys, options, reading.named)
            index = index_rows(records, ())
            code = table.names["task"].index(self.task)
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
