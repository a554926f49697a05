"""Pair statistics of a store: kept under digests of what they were computed from.

An entry holds, for one task, the moments of all pairs (`rankbars.stats.pairwise.updates`), a
digest of the scores of each model, and the names of the rows. What has changed since is told from
these alone: a new or changed model costs one row and column, new rows are merged, and a model
that is gone is left out. An entry whose own digest is wrong is not used.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Items
from rankbars.errors import RankbarsError
from rankbars.stats.blocks import row_blocks
from rankbars.stats.pairwise.degenerate import DegeneratePairs
from rankbars.stats.pairwise.moments import PairMoments
from rankbars.stats.pairwise.updates import (
    KnownPairs,
    add_models,
    add_rows,
    measure_known,
    take_known,
)
from rankbars.store.opening import connect, resolve

__all__ = ["PairCache"]

# Below this number of scores times models, reading an entry costs more than measuring anew.
LEAST_WORK = 1 << 27

# Saving gives way to whoever else uses the store, after so many seconds.
SAVING_PATIENCE = 1.0

_DIGEST_BYTES = 16
_DIGEST_SEED = 20_260_101


class _Entry(NamedTuple):
    models: Sequence[str]
    columns: Sequence[str]  # a digest for each model
    rows: Sequence[str] | None  # names, in the order of the scores; None where they have none
    size: int
    known: KnownPairs


@dataclass(slots=True, eq=False)
class PairCache:
    """A memory of pair statistics in a store.

    Parameters
    ----------
    path : path
        The store.
    least_work : int
        Tasks with less work (scores times models) are measured anew every time.
    fresh : dict
        Entries that have changed, by task; `save` writes them.
    done : dict
        How each task was done: ``"kept"``, ``"models"``, ``"rows"`` or ``"measured"``.
    """

    path: str | os.PathLike[str]
    least_work: int = LEAST_WORK
    fresh: dict[str, bytes] = field(default_factory=dict)
    done: dict[str, str] = field(default_factory=dict)

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
        if values.size * values.shape[1] < self.least_work:
            return measure_known(values)
        columns = _digest_columns(values)
        how, known = _update(self._load(task), items, values, columns)
        self.done[task] = how
        if how != "kept":
            self.fresh[task] = _pack(_Entry(items.models, columns, items.ids, len(values), known))
        return known

    def save(self) -> bool:
        """Write what has changed, in one short transaction; False if the store cannot be had."""
        if not self.fresh:
            return True
        place = resolve(self.path)
        if not (os.access(place, os.W_OK) and os.access(place.parent, os.W_OK)):
            return False
        try:
            with connect(place, os.fspath(self.path), write=True,
                         patience=SAVING_PATIENCE) as connection:  # fmt: skip
                connection.execute("BEGIN TRANSACTION")
                for task, blob in self.fresh.items():
                    connection.execute("DELETE FROM pairs WHERE task = ?", [task])
                    connection.execute(
                        "INSERT INTO pairs VALUES (?, ?, ?)", [task, _digest(blob), blob]
                    )
                connection.execute("COMMIT")
        except RankbarsError:
            # What is not remembered is measured again; the board does not depend on it.
            return False
        return True

    def _load(self, task: str) -> _Entry | None:
        """The entry of a task; None if there is none, or it is damaged."""
        try:
            with connect(resolve(self.path), os.fspath(self.path), write=False) as connection:
                found = connection.execute(
                    "SELECT digest, entry FROM pairs WHERE task = ?", [task]
                ).fetchall()
        except RankbarsError:
            return None
        if not found or _digest(found[0][1]) != found[0][0]:
            return None
        return _unpack(found[0][1])


def _update(
    entry: _Entry | None, items: Items, values: NDArray[np.float64], columns: Sequence[str]
) -> tuple[str, KnownPairs]:
    """How much of an entry still holds, and all pairs."""
    if entry is None or entry.known.moments.diff.shape[0] < 2:
        return "measured", measure_known(values)
    if entry.size == len(values) and entry.rows == _listed(items.ids):
        return _update_models(entry, items.models, values, columns)
    if entry.rows is None or items.ids is None or list(entry.models) != list(items.models):
        return "measured", measure_known(values)
    return _update_rows(entry, items.ids, values)


def _update_models(
    entry: _Entry, models: Sequence[str], values: NDArray[np.float64], columns: Sequence[str]
) -> tuple[str, KnownPairs]:
    now = dict(zip(models, columns, strict=True))
    place = {name: number for number, name in enumerate(models)}
    held = [
        (place[name], number)
        for number, (name, digest) in enumerate(zip(entry.models, entry.columns, strict=True))
        if now.get(name) == digest
    ]
    if len(held) == len(models) == len(entry.models):
        return "kept", entry.known
    if 2 * len(held) < len(models) or len(held) < 2:
        return "measured", measure_known(values)
    held.sort()
    places, chosen = (np.array(part, dtype=np.intp) for part in zip(*held, strict=True))
    return "models", add_models(take_known(entry.known, chosen), values, places)


def _update_rows(
    entry: _Entry, ids: Sequence[str], values: NDArray[np.float64]
) -> tuple[str, KnownPairs]:
    place = {name: number for number, name in enumerate(ids)}
    old = [place.get(name, -1) for name in entry.rows or ()]
    new = np.setdiff1d(np.arange(len(ids)), old)
    if -1 in old or len(place) < len(ids) or len(new) < 2 or len(new) > len(old):
        return "measured", measure_known(values)
    if _digest_columns(values[old]) != list(entry.columns):
        return "measured", measure_known(values)
    more = measure_known(np.ascontiguousarray(values[new]))
    return "rows", add_rows(entry.known, more, values)


def _listed(ids: Sequence[str] | None) -> list[str] | None:
    return None if ids is None else list(ids)


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()


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


def _pack(entry: _Entry) -> bytes:
    moments = entry.known.moments
    arrays: dict[str, Any] = {
        "diff": moments.diff,
        "norm": moments.norm,
        "first": moments.degenerate.first,
        "second": moments.degenerate.second,
        "sign": moments.degenerate.sign,
        "identical": moments.degenerate.identical,
        "total": entry.known.total,
        "square": entry.known.square,
        "peak": entry.known.peak,
    }
    facts = {
        "models": list(entry.models),
        "columns": list(entry.columns),
        "rows": _listed(entry.rows),
        "size": entry.size,
        "whole": entry.known.whole,
    }
    text = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
    stream = io.BytesIO()
    np.savez(stream, facts=text, **arrays)
    return stream.getvalue()


def _unpack(blob: bytes) -> _Entry | None:
    """The entry; None if another version of the package wrote it in another form."""
    try:
        with np.load(io.BytesIO(blob), allow_pickle=False) as found:
            facts = json.loads(found["facts"].tobytes().decode())
            level = DegeneratePairs(
                found["first"], found["second"], found["sign"], found["identical"]
            )
            size = int(facts["size"])
            moments = PairMoments(found["diff"], found["norm"], size, size, level)
            known = KnownPairs(
                moments, found["total"], found["square"], found["peak"], bool(facts["whole"])
            )
            return _Entry(facts["models"], facts["columns"], facts["rows"], size, known)
    except (ValueError, KeyError, zipfile.BadZipFile):
        return None
