"""What the entries of a race say: its design, the open batch, and where it stands."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.raceboard import Call, Stop
from rankbars.stats.bets import (
    RaceState,
    add_racer,
    race_evidence,
    running,
    settle_batch,
    start_race,
)
from rankbars.store.racefile import RaceLog

__all__ = [
    "UNNAMED",
    "RaceBatch",
    "RaceDesign",
    "Standing",
    "answers_of",
    "close_batch",
    "enter_model",
    "name_calls",
    "read_standing",
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
    """The open batch: its rows, its models, and the answers so far."""

    first: int
    rows: int
    models: list[int]
    answers: dict[tuple[int, int], float | None]

    def calls(self, cells: int) -> Iterator[tuple[int, int]]:
        """Cell and model of every call, row by row."""
        for row in range(self.first, self.first + self.rows):
            for model in self.models:
                for cell in range(row * cells, (row + 1) * cells):
                    yield cell, model


@dataclass
class Standing:
    """A race as its entries tell it."""

    design: RaceDesign
    models: list[str]
    batch: int
    budget: int | None
    state: RaceState
    open: RaceBatch | None
    history: list[tuple[int, list[float | None]]]
    totals: dict[int, list[int]]
    joined: list[tuple[str, int]]

    @property
    def used(self) -> int:
        """Calls that were made."""
        return sum(made for made, _ in self.totals.values())

    @property
    def stop(self) -> Stop | None:
        """Why nothing more is to be run."""
        if self.open is not None:
            return None
        runs = int(running(self.state).sum())
        if not runs:
            return "settled"
        if self.state.at >= self.design.of:
            return "items"
        return "budget" if self.rows_paid < 1 else None

    @property
    def waiting(self) -> int:
        """Calls of the open batch that have no answer."""
        if self.open is None:
            return 0
        return self.open.rows * self.design.cells * len(self.open.models) - len(self.open.answers)

    @property
    def rows_paid(self) -> int:
        """Rows of the next batch: no more than there are, and than the budget pays."""
        rows = min(self.batch, self.design.of - self.state.at)
        if self.budget is not None:
            row = int(running(self.state).sum()) * self.design.cells
            rows = min(rows, (self.budget - self.used) // max(row, 1))
        return rows


def read_standing(log: RaceLog) -> Standing:
    """The race as it stands, from its entries and the wealth of the last batch."""
    facts = log.entries[0].facts
    design = RaceDesign(
        tuple(facts["tasks"]), facts["order"], tuple(facts["weights"]), facts["rows"],
        facts["trials"], tuple(facts["limits"]), facts["lower"], facts["alpha"], facts["k"],
        facts["seed"], facts["named"],
    )  # fmt: skip
    models, batch, budget = list(facts["models"]), facts["batch"], facts["budget"]
    opened: RaceBatch | None = None
    history: list[tuple[int, list[float | None]]] = []
    totals: dict[int, list[int]] = {}
    joined = []
    for entry in log.entries[1:]:
        if entry.kind == "told":
            continue
        told = entry.facts
        if entry.kind == "pace":
            batch, budget = told["batch"], told["budget"]
        elif entry.kind == "joined":
            models.append(told["model"])
            joined.append((told["model"], told["at"]))
        elif entry.kind == "batch":
            opened = RaceBatch(told["first"], told["rows"], told["models"], {})
        else:
            history.append((told["at"], told["log_e"]))
            if opened is not None:
                for place, model in enumerate(opened.models):
                    made = totals.setdefault(model, [0, 0])
                    made[0] += opened.rows * design.cells
                    made[1] += told["failed"][place]
            opened = None
    if opened is not None:
        _take_answers(log, opened)
        for (_, model), score in opened.answers.items():
            made = totals.setdefault(model, [0, 0])
            made[0] += 1
            made[1] += score is None
    state = _unpacked(log.wealth) if log.wealth else start_race(len(models), design.k)
    return Standing(design, models, batch, budget, state, opened, history, totals, joined)


def _take_answers(log: RaceLog, batch: RaceBatch) -> None:
    """Put into the open batch what was told since it began."""
    for entry in reversed(log.entries):
        if entry.kind == "batch":
            return
        if entry.kind == "told":
            batch.answers.update(answers_of(entry.facts))


def answers_of(told: Mapping[str, Any]) -> dict[tuple[int, int], float | None]:
    """Scores by cell and model, None where a call failed."""
    return dict(zip(zip(told["cells"], told["models"], strict=True), told["scores"], strict=True))


def _packed(state: RaceState) -> bytes:
    made = io.BytesIO()
    parts: dict[str, Any] = {name: np.asarray(one) for name, one in state._asdict().items()}
    np.savez(made, **parts)
    return made.getvalue()


def _unpacked(wealth: bytes) -> RaceState:
    with np.load(io.BytesIO(wealth), allow_pickle=False) as found:
        parts = dict(found)
    return RaceState(**{**parts, "k": int(parts["k"]), "at": int(parts["at"])})


def name_calls(now: Standing, calls: Iterable[tuple[int, int]]) -> Iterator[Call]:
    """Calls by the numbers of cells and models."""
    cells, row = now.design.cells, -1
    known: list[tuple[str, str, int]] = []
    for cell, model in calls:
        if cell // cells != row:
            row = cell // cells
            known = now.design.row(row)
        yield Call(now.models[model], *known[cell % cells])


def close_batch(log: RaceLog) -> None:
    """End the open batch, whose answers are all there."""
    now = read_standing(log)
    batch = now.open
    if batch is None:
        return
    scaled = _scaled(now.design, batch)
    state = settle_batch(now.state, scaled, now.design.alpha)
    runs = set(batch.models)
    evidence = race_evidence(state).tolist()
    failed = dict.fromkeys(batch.models, 0)
    for (_, model), score in batch.answers.items():
        failed[model] += score is None
    facts = {
        "at": state.at,
        "wealth": log.keep(_packed(state)),
        "log_e": [one if model in runs else None for model, one in enumerate(evidence)],
        "failed": [failed[model] for model in batch.models],
    }
    if log.leases:
        log.lease({})
    log.add("closed", facts)


def enter_model(log: RaceLog, name: str) -> None:
    """Let a model in between two batches."""
    now = read_standing(log)
    state = add_racer(now.state, now.design.alpha)
    log.add("joined", {"model": name, "at": state.at, "wealth": log.keep(_packed(state))})


def _scaled(design: RaceDesign, batch: RaceBatch) -> NDArray[np.float64]:
    """Rows × models of a complete batch, from 0 for the worst score to 1 for the best."""
    low, high = design.limits
    cells = design.cells
    values = np.array([batch.answers[call] for call in batch.calls(cells)], dtype=np.float64)
    share = (values - low) / (high - low)
    if design.lower:
        share = 1.0 - share
    share[np.isnan(values)] = 0.0
    return np.asarray(share.reshape(batch.rows, len(batch.models), cells) @ design.shares)
