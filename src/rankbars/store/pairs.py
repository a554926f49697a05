"""Pair statistics of a store: kept under digests of what they were computed from.

An entry holds, for one task, the moments of all pairs (`rankbars.stats.pairwise.updates`), a digest
of the scores of each model, and the names of the rows. What has changed since is told from these
alone: a new or changed model costs one row and column, new rows are merged, and a model that is
gone is left out.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Items
from rankbars.errors import RankbarsError
from rankbars.stats.blocks import row_blocks
from rankbars.stats.pairwise.updates import (
    KnownPairs,
    add_models,
    add_rows,
    measure_known,
    take_known,
)
from rankbars.store.opening import connect, resolve
from rankbars.store.pairentries import PairEntry, RawEntry, build_entry, fetch_entries, write_entry

if TYPE_CHECKING:
    pass


__all__ = ["PairCache"]

# With fewer rows of scores or fewer pairs, reading an entry costs more than measuring anew.
LEAST_ROWS, LEAST_WORK = 4000, 1 << 27

# Saving gives way to whoever else uses the store, after so many seconds.
SAVING_PATIENCE = 1.0

_DIGEST_SEED = 20_260_101


class _Answer(NamedTuple):
    """How a task was done, and what the store does not have of it: numbers of models."""

    how: str
    known: KnownPairs
    numbers: Sequence[int]
    following: int
    fresh: Collection[int]


@dataclass(slots=True, eq=False)
class PairCache:
    """A memory of pair statistics in a store.

    Parameters
    ----------
    path : path
        The store.
    least_rows, least_work : int
        Tasks with fewer rows, or with less work (scores times models), are measured anew.
    is_fixed : bool
        Whether it stays as it is: what is known of some models must not replace what is known of
        all.
    fresh : dict
        Entries that have changed and the models that are new in them, by task; for `save`.
    done : dict
        How each task was done: ``"kept"``, ``"models"``, ``"rows"`` or ``"measured"``.
    fetched : dict
        Entries that were fetched together with others and have not been asked for.
    """

    path: str | os.PathLike[str]
    least_rows: int = LEAST_ROWS
    least_work: int = LEAST_WORK
    is_fixed: bool = False
    fresh: dict[str, tuple[PairEntry, Collection[int]]] = field(default_factory=dict)
    done: dict[str, str] = field(default_factory=dict)
    fetched: dict[str, RawEntry] = field(default_factory=dict)

    def recall(self, task: str, items: Items) -> KnownPairs:
        """All pairs of models on complete rows, from what is known as far as it goes.

        Parameters
        ----------
        task : str
            Name of the task.
        items : Items
            Its scores, without gaps.
        """
        values = np.ascontiguousarray(items.values)
        if len(values) < self.least_rows or values.size * values.shape[1] < self.least_work:
            return measure_known(values)
        columns = _digest_columns(values)
        raw = self._load(task)
        held = None if raw is None else build_entry(raw)
        found = _update(held, items, values, columns)
        self.done[task] = found.how
        if found.how != "kept" and not self.is_fixed:
            entry = PairEntry(
                items.models,
                columns,
                found.numbers,
                found.following,
                items.ids,
                len(values),
                found.known,
                None if raw is None else raw.digest,
            )
            self.fresh[task] = entry, found.fresh
        return found.known

    def save(self) -> bool:
        """Write what has changed, in one short transaction; False if the store cannot be had.

        What somebody else has saved since stays as it is.
        """
        if not self.fresh:
            return True
        place = resolve(self.path)
        if not (os.access(place, os.W_OK) and os.access(place.parent, os.W_OK)):
            return False
        try:
            with connect(place, os.fspath(self.path), write=True,
                         patience=SAVING_PATIENCE) as connection:  # fmt: skip
                connection.execute("BEGIN TRANSACTION")
                for task, (entry, fresh) in self.fresh.items():
                    write_entry(connection, task, entry, fresh=fresh)
                connection.execute("COMMIT")
        except RankbarsError:
            # What is not remembered is measured again; the board does not depend on it.
            return False
        self.fresh.clear()
        return True

    def _load(self, task: str) -> RawEntry | None:
        """The entry of a task as the store has it; None if there is none."""
        if task not in self.fetched:
            try:
                with connect(resolve(self.path), os.fspath(self.path), write=False) as connection:
                    self.fetched |= fetch_entries(connection, task)
            except RankbarsError:
                return None
        return self.fetched.pop(task, None)


def _update(
    entry: PairEntry | None, items: Items, values: NDArray[np.float64], columns: Sequence[str]
) -> _Answer:
    """How much of an entry still holds, and all pairs."""
    if entry is None or len(entry.models) < 2:
        return _measure(values)
    if entry.size == len(values) and entry.rows == _listed(items.ids):
        return _update_models(entry, items.models, values, columns)
    if entry.rows is None or items.ids is None or list(entry.models) != list(items.models):
        return _measure(values)
    return _update_rows(entry, items.ids, values)


def _measure(values: NDArray[np.float64]) -> _Answer:
    return _anew("measured", measure_known(values))


def _anew(how: str, known: KnownPairs) -> _Answer:
    """An answer of which the store has nothing."""
    numbers = range(known.total.size)
    return _Answer(how, known, numbers, len(numbers), numbers)


def _update_models(
    entry: PairEntry, models: Sequence[str], values: NDArray[np.float64], columns: Sequence[str]
) -> _Answer:
    now = dict(zip(models, columns, strict=True))
    place = {name: number for number, name in enumerate(models)}
    held = [
        (place[name], number)
        for number, (name, digest) in enumerate(zip(entry.models, entry.columns, strict=True))
        if now.get(name) == digest
    ]
    if len(held) == len(models) == len(entry.models):
        return _Answer("kept", entry.known, entry.numbers, entry.following, ())
    if 2 * len(held) < len(models) or len(held) < 2:
        return _measure(values)
    held.sort()
    places, chosen = (np.array(part, dtype=np.intp) for part in zip(*held, strict=True))
    known = add_models(take_known(entry.known, chosen), values, places)
    following = entry.following
    if following > 2 * len(models):  # many are gone: the whole is written anew
        return _anew("models", known)
    numbers = np.full(len(models), -1)
    numbers[places] = np.array(entry.numbers)[chosen]
    new = np.flatnonzero(numbers < 0)
    numbers[new] = following + np.arange(new.size)
    following += new.size
    return _Answer("models", known, numbers.tolist(), following, numbers[new].tolist())


def _update_rows(entry: PairEntry, ids: Sequence[str], values: NDArray[np.float64]) -> _Answer:
    place = {name: number for number, name in enumerate(ids)}
    old = [place.get(name, -1) for name in entry.rows or ()]
    new = np.setdiff1d(np.arange(len(ids)), old)
    if -1 in old or len(place) < len(ids) or len(new) < 2 or len(new) > len(old):
        return _measure(values)
    if _digest_columns(values[old]) != list(entry.columns):
        return _measure(values)
    more = measure_known(np.ascontiguousarray(values[new]))
    return _anew("rows", add_rows(entry.known, more, values))


def _listed(ids: Sequence[str] | None) -> list[str] | None:
    return None if ids is None else list(ids)


def _digest_columns(values: NDArray[np.float64]) -> list[str]:
    """Digest of the scores of each model, in their order; minus zero counts as zero.

    Two sums of the bits of all scores, times odd numbers of the row, modulo 2**64: every change
    of one score changes both, and other changes go unseen with a chance below 2**-60. It takes a
    fraction of the time of a digest that withstands forgers, who could as well change the scores.
    """
    digests = np.zeros((2, values.shape[1]), dtype=np.uint64)
    keys = np.random.default_rng(_DIGEST_SEED).integers(0, 2**64, (2, len(values)), dtype=np.uint64)
    keys |= np.uint64(1)
    for rows in row_blocks(len(values), values.shape[1]):
        bits = (values[rows] + 0.0).view(np.uint64)
        # High bits into low ones: products keep only what lies low enough.
        bits ^= bits >> np.uint64(32)
        for which, key in enumerate(keys):
            # Integers wrap around, which is what is wanted.
            digests[which] += (bits * key[rows, None]).sum(axis=0, dtype=np.uint64)
    return [f"{one:016x}{two:016x}" for one, two in digests.T.tolist()]
