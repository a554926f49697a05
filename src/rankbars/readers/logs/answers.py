"""Answers of a run as they are read, one after the other; columns at the end."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rankbars.readers.logs.records import SCORED, Rows

__all__ = ["Answers"]


class Answers:
    """Answers and their scores, in any order.

    Parameters
    ----------
    identity : (str, str)
        What the two names of an item are, for messages.

    Examples
    --------
    >>> answers = Answers()
    >>> _ = answers.add("q1", {"accuracy": 1.0})
    >>> _ = answers.add("q2")
    >>> answers.rows().ids, answers.column("accuracy").tolist()
    (('q1', 'q2'), [1.0, nan])
    """

    def __init__(self, identity: tuple[str, str] = ("id", "position")) -> None:
        self._identity = identity
        self._items: list[str] = []
        self._others: list[str | None] = []
        self._clusters: list[str | None] = []
        self._status = bytearray()
        self._repeats = array("q")
        self._columns: dict[str, array[float]] = {}

    def __len__(self) -> int:
        return len(self._items)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics seen so far."""
        return tuple(self._columns)

    def add(
        self,
        item: str,
        scores: Mapping[str, float] | None = None,
        *,
        status: int = SCORED,
        repeat: int = 0,
        other: str | None = None,
        cluster: str | None = None,
    ) -> int:
        """Append an answer; its row.

        Parameters
        ----------
        item : str
            Name of the item.
        scores : mapping from str to float, optional
            Score by metric.
        status : int
            As in `Rows`.
        repeat : int
            Which answer to the item it is.
        other : str, optional
            Another name of the item.
        cluster : str, optional
            Its cluster.
        """
        self._items.append(item)
        self._others.append(other)
        self._clusters.append(cluster)
        self._status.append(status)
        self._repeats.append(repeat)
        row = len(self._items) - 1
        for name, score in (scores or {}).items():
            self.put(row, name, score)
        return row

    def put(self, row: int, name: str, score: float) -> None:
        """Set a score of an answer that was added; the first one counts."""
        column = self._columns.setdefault(name, array("d"))
        if len(column) <= row:
            column.extend([math.nan] * (row + 1 - len(column)))
        if math.isnan(column[row]):
            column[row] = score

    def column(self, name: str) -> NDArray[np.float64]:
        """Scores of one metric, NaN where there is none."""
        scores = np.full(len(self), np.nan)
        known = self._columns.get(name, array("d"))
        scores[: len(known)] = known
        return scores

    def rows(self) -> Rows:
        """The answers without their scores."""
        repeats = np.array(self._repeats, np.int64)
        others = tuple(other for other in self._others if other is not None)
        return Rows(
            tuple(self._items),
            np.frombuffer(bytes(self._status), np.uint8),
            repeats=repeats if len(np.unique(repeats)) > 1 else None,
            clusters=tuple(self._clusters),
            other_ids=others if len(others) == len(self) else None,
            identity=self._identity,
        )
