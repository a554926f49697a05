"""Tasks that are looked at one at a time: each lies somewhere else until it is asked for.

A `TaskFile` is one in files of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Evidence, Folds, Items
from rankbars.errors import ReadError
from rankbars.stats.blocks import row_blocks

__all__ = [
    "Change",
    "Outline",
    "StoredTasks",
    "TaskFile",
    "TaskReference",
    "change_tasks",
    "digest_names",
    "entitle",
    "has_uneven_trials",
    "known_outline",
    "models_of",
    "outline_of",
    "refer",
    "sizes_of",
    "unite_tasks",
]


class Outline(NamedTuple):
    """What is known of the rows of a task without looking at them.

    Parameters
    ----------
    rows : int
        Number of rows.
    missing, zeros : array of int, shape (M,)
        Rows without a score, and rows whose score is 0, by model.
    answers : (int, int), optional
        Fewest and most answers behind a score, where they were counted.
    design : {"items", "runs", "prompts"} or Folds
        What a row is.
    averaged : tuple of str
        As in `Items`.
    uneven : int
        Rows on which models have different numbers of answers.
    reach : (array of float, array of float), optional
        Lowest and highest score by model, higher is better; NaN where there is none.
    names : bytes
        What is equal where tasks have rows of the same names; see `digest_names`.
    """

    rows: int
    missing: NDArray[np.int64]
    zeros: NDArray[np.int64]
    answers: tuple[int, int] | None = None
    design: Literal["items", "runs", "prompts"] | Folds = "items"
    averaged: tuple[str, ...] = ()
    uneven: int = 0
    reach: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    names: bytes = b""

    @classmethod
    def of(
        cls, values: NDArray[np.float64], answers: NDArray[np.int64] | None = None,
        design: Literal["items", "runs", "prompts"] | Folds = "items",
        averaged: tuple[str, ...] = (),
    ) -> Outline:  # fmt: skip
        """The outline of scores and the numbers of answers behind them, rows by models."""
        missing, zeros = (np.zeros(values.shape[1], np.int64) for _ in range(2))
        low, high = (np.full(values.shape[1], np.nan) for _ in range(2))
        for rows in row_blocks(*values.shape):
            some = values[rows]
            least, most = some.min(axis=0), some.max(axis=0)
            if np.isnan(least).any():
                missing += np.isnan(some).sum(axis=0)
                least, most = np.fmin.reduce(some, axis=0), np.fmax.reduce(some, axis=0)
            zeros += (some == 0.0).sum(axis=0)
            np.fmin(low, least, out=low)
            np.fmax(high, most, out=high)
        ends, uneven = None, 0
        if answers is not None and (answers > 0).any():
            counted = answers[answers > 0]
            ends = int(counted.min()), int(counted.max())
            gaps = np.isnan(values)
            largest = np.where(gaps, 0, answers).max(axis=1, keepdims=True)
            uneven = int((~gaps & (answers != largest)).any(axis=1).sum())
        return cls(len(values), missing, zeros, ends, design, averaged, uneven, (low, high))

    def turned(self) -> Outline:
        """The same where less is better, and scores are held negated."""
        if self.reach is None:
            return self
        low, high = self.reach
        return self._replace(reach=(-high, -low))

    @property
    def kind(self) -> str:
        """What a row is, in one word."""
        return "folds" if isinstance(self.design, Folds) else self.design

    def take(self, columns: NDArray[np.intp]) -> Outline:
        """The same about the models at the given positions."""
        reach = self.reach and (self.reach[0][columns], self.reach[1][columns])
        return self._replace(missing=self.missing[columns], zeros=self.zeros[columns], reach=reach)


class TaskReference(Protocol):
    """Where the evidence of one task lies; small, and the same in every process."""

    @property
    def models(self) -> tuple[str, ...]:
        """The models of the task."""

    @property
    def outline(self) -> Outline | None:
        """What is known of its rows; None if they must be looked at, or it has none."""

    def load(self) -> Evidence:
        """The evidence."""


Work: TypeAlias = "Evidence | TaskReference"
"""What a worker is given of a task."""


class Change(NamedTuple):
    """A change of one task that is made when the task is looked at.

    Parameters
    ----------
    apply : callable
        Evidence → evidence; a function that another process can find.
    models : tuple of str
        The models that are left.
    """

    apply: Callable[[Evidence], Evidence]
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangedTask:
    """A task that lies somewhere else, as it is after a change."""

    source: TaskReference
    change: Change

    @property
    def models(self) -> tuple[str, ...]:
        """The models of the task."""
        return self.change.models

    @property
    def outline(self) -> Outline | None:
        """What is known of its rows."""
        return None

    def load(self) -> Evidence:
        """The evidence."""
        return self.change.apply(self.source.load())


@dataclass(frozen=True, slots=True, eq=False)
class HeldTask:
    """A task that is held in memory, beside others that are not."""

    evidence: Evidence

    @property
    def models(self) -> tuple[str, ...]:
        """The models of the task."""
        return self.evidence.models

    @property
    def outline(self) -> Outline | None:
        """What is known of its rows."""
        return None

    def load(self) -> Evidence:
        """The evidence."""
        return self.evidence


@dataclass(frozen=True, slots=True, eq=False)
class StoredTasks(Mapping[str, Evidence]):
    """Evidence by task, of which only what was asked for last is held in memory.

    Parameters
    ----------
    references : mapping from str to TaskReference
        Where each task lies.
    holders : tuple of object
        What must live as long as these tasks, such as the folder of their files.
    """

    references: Mapping[str, TaskReference]
    holders: tuple[object, ...] = ()
    _last: dict[str, Evidence] = field(default_factory=dict, repr=False)

    def __getitem__(self, name: str) -> Evidence:
        found = self._last.get(name)
        if found is None:
            reference = self.references[name]
            self._last.clear()  # before the next one needs the room
            found = reference.load()
            self._last[name] = found
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.references)

    def __len__(self) -> int:
        return len(self.references)

    def __contains__(self, name: object) -> bool:
        return name in self.references

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process does not own what the tasks lie in.
        return type(self), (dict(self.references),)

    def sorted(self) -> StoredTasks:
        """The same tasks in the order of their names."""
        names = sorted(self.references)
        return StoredTasks({name: self.references[name] for name in names}, self.holders)


def change_tasks(
    tasks: Mapping[str, Evidence], changes: Mapping[str, Change | None]
) -> Mapping[str, Evidence]:
    """The tasks that `changes` names, each changed as it says; None leaves it as it is.

    Tasks that lie somewhere else stay there, and are changed whenever they are looked at.

    Examples
    --------
    >>> change_tasks({"one": 1, "two": 2}, {"two": None})
    {'two': 2}
    """
    if not isinstance(tasks, StoredTasks):
        return {
            name: tasks[name] if change is None else change.apply(tasks[name])
            for name, change in changes.items()
        }
    references: dict[str, TaskReference] = {}
    for name, change in changes.items():
        source = tasks.references[name]
        references[name] = source if change is None else ChangedTask(source, change)
    return StoredTasks(references, tasks.holders)


def entitle(tasks: Mapping[str, Evidence], names: Mapping[str, str]) -> Mapping[str, Evidence]:
    """The same tasks under new names, by the old ones; what is stored stays where it is."""
    if isinstance(tasks, StoredTasks):
        found = {names[name]: reference for name, reference in tasks.references.items()}
        return StoredTasks(found, tasks.holders)
    return {names[name]: evidence for name, evidence in tasks.items()}


def unite_tasks(
    places: Mapping[str, Mapping[str, Evidence]], others: Mapping[str, Evidence]
) -> Mapping[str, Evidence]:
    """Tasks of several mappings as one; what is stored stays where it is.

    Parameters
    ----------
    places : mapping from str to mapping
        Which mapping each task is taken from.
    others : mapping from str to evidence
        Further tasks.
    """
    stored = [tasks for tasks in places.values() if isinstance(tasks, StoredTasks)]
    if not stored:
        return {name: tasks[name] for name, tasks in places.items()} | dict(others)
    references: dict[str, TaskReference] = {}
    for name, tasks in places.items():
        if isinstance(tasks, StoredTasks):
            references[name] = tasks.references[name]
        else:
            references[name] = HeldTask(tasks[name])
    references |= {name: HeldTask(evidence) for name, evidence in others.items()}
    holders = {id(holder): holder for one in stored for holder in one.holders}
    return StoredTasks(references, tuple(holders.values()))


def models_of(tasks: Mapping[str, Evidence], name: str) -> tuple[str, ...]:
    """The models of one task, without looking at its scores."""
    return (tasks.references[name] if isinstance(tasks, StoredTasks) else tasks[name]).models


def known_outline(tasks: Mapping[str, Evidence], name: str) -> Outline | None:
    """What is known of the rows of a task that lies somewhere else; None if nothing is."""
    return tasks.references[name].outline if isinstance(tasks, StoredTasks) else None


def outline_of(tasks: Mapping[str, Evidence], name: str) -> Outline | None:
    """What is known of the rows of a task; None if it has no rows of scores."""
    known = known_outline(tasks, name)
    if known is not None:
        return known
    evidence = tasks[name]
    return evidence.known(_outline) if isinstance(evidence, Items) else None


def _outline(items: Items) -> Outline:
    return Outline.of(items.values, items.answers, items.design, items.averaged)


def sizes_of(tasks: Mapping[str, Evidence]) -> Iterator[tuple[int, int]]:
    """Rows and models of every task, without looking at scores that lie somewhere else.

    Changes leave out rows at most; no rows are counted where nothing is known of them.
    """
    for name in tasks:
        if not isinstance(tasks, StoredTasks):
            yield _rows_in(tasks[name]), len(tasks[name].models)
            continue
        reference = tasks.references[name]
        source = reference
        while isinstance(source, ChangedTask):
            source = source.source
        known = source.outline
        held = _rows_in(source.evidence) if isinstance(source, HeldTask) else 0
        yield held if known is None else known.rows, len(reference.models)


def _rows_in(evidence: Evidence) -> int:
    return evidence.n if isinstance(evidence, Items) else 0


def refer(tasks: Mapping[str, Evidence], name: str) -> Work:
    """What to hand to a worker: a reference where there is one, else the evidence."""
    return tasks.references[name] if isinstance(tasks, StoredTasks) else tasks[name]


@dataclass(frozen=True, slots=True)
class TaskFile:
    """A task of rows by models in files.

    Parameters
    ----------
    path : str
        The files, without what their names end with.
    models : tuple of str
        The models of the task.
    design : {"items", "runs", "prompts"} or Folds
        What a row is.
    outline : Outline
        What is known of its rows.
    averaged : tuple of str
        As in `Items`.
    """

    path: str
    models: tuple[str, ...]
    design: Literal["items", "runs", "prompts"] | Folds
    outline: Outline
    averaged: tuple[str, ...] = ()

    @staticmethod
    def put_scores(path: Path, arrays: Mapping[str, NDArray[Any] | None]) -> None:
        """Write what is large, by its field of `Items`, as soon as it is known."""
        for name, array in arrays.items():
            if array is not None:
                np.save(f"{path}.{name}.npy", array)

    @staticmethod
    def put_rows(
        path: Path, ids: Iterable[str], clusters: NDArray[np.int64] | None,
        weights: NDArray[np.float64] | None,
    ) -> None:  # fmt: skip
        """Write what is known of the rows, once all of them were seen."""
        text = np.frombuffer(json.dumps(list(ids)).encode("ascii"), np.uint8)
        np.save(f"{path}.ids.npy", text)
        for name, array in (("clusters", clusters), ("weights", weights)):
            if array is not None:
                np.save(f"{path}.{name}.npy", array)

    def load(self) -> Items:
        """The task.

        Raises
        ------
        ReadError
            If the files are not there.
        """
        values, ids = self._take("values"), self._take("ids")
        if values is None or ids is None:
            raise ReadError(
                f"{self.path}: the scores of a task were kept here, and are gone. Workers on other "
                "machines must see the folder for temporary files under the same path: set TMPDIR "
                "to a shared one."
            )
        return Items(
            self.models,
            values,
            self._take("clusters"),
            self._take("weights"),
            self.design,
            tuple(json.loads(ids.tobytes())),
            self._take("answers"),
            self._take("runs"),
            self.averaged,
            self._take("within"),
            self._take("trials"),
        )

    def _take(self, name: str) -> NDArray[Any] | None:
        found: NDArray[Any] | None = None
        with suppress(FileNotFoundError):
            found = np.load(f"{self.path}.{name}.npy", allow_pickle=False)
            found.setflags(write=False)  # nobody else holds it, so it need not be copied
        return found


def digest_names(
    ids: Iterable[str], clusters: NDArray[np.int64] | None, weights: NDArray[np.float64] | None
) -> bytes:
    """What is equal for rows of the same names; nothing of rows with clusters or weights.

    Examples
    --------
    >>> digest_names(["a", "b"], None, None) == digest_names(["b", "a"], None, None)
    True
    """
    if clusters is not None or weights is not None:
        return b""
    return blake2b(json.dumps(sorted(ids)).encode(), digest_size=16).digest()


def has_uneven_trials(tasks: Mapping[str, Evidence]) -> bool:
    """Whether items in memory have unequally many answers."""
    return not isinstance(tasks, StoredTasks) and any(
        isinstance(one, Items) and one.trials is not None for one in tasks.values()
    )
