"""What the entries of a race say: its design, the open batch, and where it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.raceboard import Call, Stop
from rankbars.stats.racestates import going_on
from rankbars.store.racefile import SETTLED, RaceLog

__all__ = [
    "UNNAMED",
    "RaceBatch",
    "RaceDesign",
    "Standing",
    "name_calls",
    "read_standing",
    "scaled_rows",
]

UNNAMED: Final = "all"
"""The task of items that were given without one."""


@dataclass(frozen=True)
class RaceDesign:
    """What never changes: the models it began with are in the entry, but not here.

    A cell is one answer of a row; those of row r are numbered from ``r * cells``.
    """

    tasks: tuple[str, ...]
    order: Mapping[str, list[str]] | list[list[str]]
    weights: tuple[float, ...]
    rows: str
    trials: int
    limits: tuple[float, float]
    lower: bool
    alpha: float
    k: int
    seed: int
    named: bool

    @property
    def pooled(self) -> bool:
        """Whether a row is one item, of whatever task."""
        return isinstance(self.order, list)

    @property
    def cells(self) -> int:
        """Answers of a model in a row."""
        if self.rows == "trials":
            return sum(len(items) for _, items in self._lists())
        return self.trials * (1 if self.pooled else len(self.tasks))

    @property
    def of(self) -> int:
        """Rows that there are."""
        if self.rows == "trials":
            return self.trials
        if isinstance(self.order, list):
            return len(self.order)
        return min(len(items) for items in self.order.values())

    @property
    def shares(self) -> NDArray[np.float64]:
        """Weight of each cell of a row."""
        if self.pooled:
            return np.full(self.cells, 1.0 / self.cells)
        sizes = [len(items) if self.rows == "trials" else self.trials for _, items in self._lists()]
        each = [np.full(size, w / size) for w, size in zip(self.weights, sizes, strict=True)]
        return np.concatenate(each)

    def _lists(self) -> list[tuple[str, list[str]]]:
        if isinstance(self.order, list):
            return [(UNNAMED, [item for _, item in self.order])]
        return [(task, self.order[task]) for task in self.tasks]

    def row(self, number: int) -> list[tuple[str, str, int]]:
        """Task, item and trial of each cell of a row."""
        if isinstance(self.order, list):
            if self.rows == "trials":
                return [(task, item, number + 1) for task, item in self.order]
            task, item = self.order[number]
            return [(task, item, trial + 1) for trial in range(self.trials)]
        if self.rows == "trials":
            return [(task, item, number + 1) for task, items in self._lists() for item in items]
        return [
            (task, items[number], trial + 1)
            for task, items in self._lists()
            for trial in range(self.trials)
        ]


class RaceBatch(NamedTuple):
    """A batch and its answers so far: arrays of rows × models × cells of a row.

    The place of a call is its index in such an array made flat; calls are listed in this order.

    Attributes
    ----------
    first : int
        The first row.
    models : list of int
        Who runs.
    told : array of bool, shape (rows, M, C)
        Which calls have an answer.
    scores : array of float, shape (rows, M, C)
        Scores; NaN where a call failed or has no answer.
    """

    first: int
    models: list[int]
    told: NDArray[np.bool_]
    scores: NDArray[np.float64]

    @classmethod
    def begin(cls, facts: Mapping[str, Any], cells: int) -> RaceBatch:
        """As it is before its first answer."""
        shape = facts["rows"], len(facts["models"]), cells
        return cls(facts["first"], facts["models"], np.zeros(shape, bool), np.full(shape, np.nan))

    def take(self, facts: Mapping[str, Any]) -> None:
        """Answers as the entry has them that kept them."""
        cells = self.told.shape[2]
        row, cell = np.divmod(np.array(facts["cells"], np.int64), cells)
        column = np.zeros(max(self.models) + 1, np.int64)
        column[self.models] = np.arange(len(self.models))
        where = row - self.first, column[facts["models"]], cell
        self.told[where] = True
        self.scores[where] = np.array(facts["scores"], np.float64)

    def keys(self, places: Sequence[int]) -> tuple[list[int], list[int]]:
        """Cell and model of calls."""
        row, column, cell = np.unravel_index(np.asarray(places, np.intp), self.told.shape)
        models = np.array(self.models)[column]
        return ((row + self.first) * self.told.shape[2] + cell).tolist(), models.tolist()

    def answers(self) -> list[float | None]:
        """Of each call the score; None where it failed or has no answer."""
        flat = self.scores.ravel()
        found: list[float | None] = [*flat.tolist()]
        for place in np.flatnonzero(np.isnan(flat)).tolist():
            found[place] = None
        return found


@dataclass
class Standing:
    """A race as its entries tell it; the wealth of its bets is fetched where it is needed.

    `made` and `failed` count the calls of each model, those of the open batch included.
    """

    design: RaceDesign
    models: list[str]
    batch: int
    budget: int | None
    at: int
    call: NDArray[np.int8]
    since: NDArray[np.int64]
    rows: NDArray[np.int64]
    sums: NDArray[np.float64]
    made: NDArray[np.int64]
    failed: NDArray[np.int64]
    open: RaceBatch | None

    @cached_property
    def racing(self) -> frozenset[str]:
        """All models, to be looked up once per result."""
        return frozenset(self.models)

    @property
    def runs(self) -> NDArray[np.intp]:
        """Models that go on; none where all is decided."""
        return np.flatnonzero(going_on(self.call))

    @property
    def used(self) -> int:
        """Calls that were made."""
        return int(self.made.sum())

    @property
    def stop(self) -> Stop | None:
        """Why nothing more is to be run."""
        if self.open is not None:
            return None
        if not self.runs.size:
            return "settled"
        if self.at >= self.design.of:
            return "items"
        return "budget" if self.rows_paid < 1 else None

    @property
    def waiting(self) -> int:
        """Calls of the open batch that have no answer."""
        if self.open is None:
            return 0
        return int(self.open.told.size - self.open.told.sum())

    @property
    def rows_paid(self) -> int:
        """Rows of the next batch: no more than there are, and than the budget pays."""
        rows = min(self.batch, self.design.of - self.at)
        if self.budget is not None:
            row = self.runs.size * self.design.cells
            rows = min(rows, (self.budget - self.used) // max(row, 1))
        return rows


def read_standing(log: RaceLog) -> Standing:
    """The race as it stands, from its first entry and the last ones."""
    facts = log.entries[0].facts
    design = RaceDesign(
        tuple(facts["tasks"]), facts["order"], tuple(facts["weights"]), facts["rows"],
        facts["trials"], tuple(facts["limits"]), facts["lower"], facts["alpha"], facts["k"],
        facts["seed"], facts["named"],
    )  # fmt: skip
    pace = next(entry for entry in reversed(log.entries) if entry.kind in ("pace", "start")).facts
    models = [
        *facts["models"],
        *(one.facts["model"] for one in log.entries if one.kind == "joined"),
    ]
    nothing = [0] * len(models)
    known: dict[str, Any] = {"at": 0, "call": nothing, "since": [-1] * len(models), "rows": nothing,
             "sums": nothing, "made": nothing, "failed": nothing}  # fmt: skip
    last = next((one for one in reversed(log.entries) if one.kind in SETTLED), None)
    if last is not None:
        known = last.facts
    now = Standing(
        design, models, pace["batch"], pace["budget"], known["at"],
        np.array(known["call"], np.int8), np.array(known["since"], np.int64),
        np.array(known["rows"], np.int64), np.array(known["sums"], np.float64),
        np.array(known["made"], np.int64), np.array(known["failed"], np.int64),
        _open_batch(log, design.cells),
    )  # fmt: skip
    if now.open is not None:
        told = now.open.told
        now.made[now.open.models] += told.sum(axis=(0, 2))
        now.failed[now.open.models] += (told & np.isnan(now.open.scores)).sum(axis=(0, 2))
    return now


def _open_batch(log: RaceLog, cells: int) -> RaceBatch | None:
    """The batch that is not complete, with the answers so far."""
    told = []
    for entry in reversed(log.entries):
        if entry.kind == "told":
            told.append(entry.facts)
        elif entry.kind == "batch":
            batch = RaceBatch.begin(entry.facts, cells)
            for facts in told:
                batch.take(facts)
            return batch
        elif entry.kind in SETTLED:
            return None
    return None


def name_calls(now: Standing, batch: RaceBatch, places: Sequence[int]) -> list[Call]:
    """Calls of a batch by their places."""
    size = batch.told.shape[2]
    rows, columns, cells = np.unravel_index(np.asarray(places, np.intp), batch.told.shape)
    asked = (rows * size + cells).tolist()
    known = {
        row * size + cell: one
        for row in np.unique(rows).tolist()
        for cell, one in enumerate(now.design.row(batch.first + row))
    }
    models = [now.models[batch.models[column]] for column in columns.tolist()]
    tasks, items, trials = zip(*map(known.__getitem__, asked), strict=True) if asked else ((),) * 3
    # There are thousands, and made one by one they would take longer than the bets on them.
    return list(map(tuple.__new__, repeat(Call), zip(models, tasks, items, trials, strict=True)))


def scaled_rows(design: RaceDesign, batch: RaceBatch) -> NDArray[np.float64]:
    """Rows × models of a complete batch, from 0 for the worst score to 1 for the best."""
    low, high = design.limits
    share = (batch.scores - low) / (high - low)
    if design.lower:
        share = 1.0 - share
    share[np.isnan(batch.scores)] = 0.0
    return np.asarray(share @ design.shares)
