"""What a store holds of the pairs of a task.

In the store an entry has one row for each pair, under numbers of models. A new model adds its own
pairs; those of models that are gone stay until the entry is written anew, and are not looked at.
One sum over all rows, and a digest of the rest, tell whether they are what was put in.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.pairwise.degenerate import DegeneratePairs
from rankbars.stats.pairwise.moments import PairMoments
from rankbars.stats.pairwise.updates import (
    KnownPairs,
)

if TYPE_CHECKING:
    import duckdb


__all__ = ["PairEntry", "RawEntry", "build_entry", "fetch_entries", "write_entry"]

# Up to this many pairs of all tasks are fetched at once.
FREE_CELLS = 1 << 23

_NUMBER, _OTHER, _DIFF, _NORM = (np.uint64(2 * n + 1) for n in (
    0x1F83D9ABFB41BD6B, 0x3C6EF372FE94F82B, 0x510E527FADE682D1, 0x5BE0CD19137E2179,
))  # fmt: skip
_HALF = np.uint64(32)
_DIGEST_BYTES = 16


class PairEntry(NamedTuple):
    """What is known of one task.

    Parameters
    ----------
    models : sequence of str
        The models.
    columns : sequence of str
        A digest of the scores of each.
    numbers : sequence of int
        Number of each in the rows of the store.
    following : int
        The next number, which none has had.
    rows : sequence of str or None
        Names of the rows of scores, in their order; None where they have none.
    size : int
        Number of rows of scores.
    known : KnownPairs
        Their pairs.
    origin : str or None
        Digest of what the store had of the task when it was looked at; None if it had nothing.
    """

    models: Sequence[str]
    columns: Sequence[str]
    numbers: Sequence[int]
    following: int
    rows: Sequence[str] | None
    size: int
    known: KnownPairs
    origin: str | None


class RawEntry(NamedTuple):
    """An entry as the store has it.

    Parameters
    ----------
    facts : str
        Everything but the pairs, as JSON.
    digest : str
        Of all of it.
    number, other : ndarray of int32
        The two models of each pair.
    diff, norm : ndarray of float64
        Its mean difference (number less other), and the root of its sum of squares.
    """

    facts: str
    digest: str
    number: NDArray[np.int32]
    other: NDArray[np.int32]
    diff: NDArray[np.float64]
    norm: NDArray[np.float64]


def fetch_entries(connection: duckdb.DuckDBPyConnection, task: str) -> dict[str, RawEntry]:
    """Entries by task: that of `task`, and all others too unless they are large."""
    counted = connection.execute("SELECT count(*) FROM pair_cells").fetchall()
    few = counted[0][0] <= FREE_CELLS
    found = {}
    for name, place, facts, key in connection.execute(
        "SELECT task, id, facts, digest FROM pair_tasks"
    ).fetchall():
        if few or name == task:
            cells = connection.execute(
                "SELECT number, other, diff, norm FROM pair_cells WHERE task = ?", [place]
            ).fetchnumpy()
            columns = (np.ma.getdata(cells[role]) for role in ("number", "other", "diff", "norm"))
            found[name] = RawEntry(facts, key, *columns)
    return found


def build_entry(raw: RawEntry) -> PairEntry | None:
    """The entry; None if it is damaged, or another version wrote it in another form."""
    total = _sum_cells(raw.number, raw.other, raw.diff, raw.norm)
    if raw.digest != _digest_entry(raw.facts, total):
        return None
    try:
        return _put_together(raw, json.loads(raw.facts))
    except (KeyError, IndexError, TypeError, ValueError):
        return None


def _put_together(raw: RawEntry, facts: Mapping[str, Any]) -> PairEntry | None:
    models, columns, following = facts["models"], facts["columns"], int(facts["following"])
    count, size = len(models), int(facts["size"])
    numbers = np.array(facts["numbers"], dtype=np.intp).reshape(count)
    flat = np.array(facts["level"], dtype=np.float64).reshape(-1, 4).T
    first, second = flat[:2].astype(np.intp)
    for these in (numbers, raw.number, raw.other, first, second):
        if these.size and not 0 <= these.min() <= these.max() < following:
            return None
    place = np.full(following, -1, dtype=np.intp)
    place[numbers] = np.arange(count)
    i, j = place[raw.number], place[raw.other]
    cells, diffs, norms = i * count + j, raw.diff, raw.norm
    live = (i >= 0) & (j >= 0)
    if not live.all():
        cells, diffs, norms = cells[live], diffs[live], norms[live]
    if not _is_each_pair(cells, count):
        return None
    diff, norm = (_spread(part, cells, count) for part in (diffs, norms))
    diff, norm = diff - diff.T, norm + norm.T
    first, second = place[first], place[second]
    total, square, peak = (
        np.array(facts[name], dtype=np.float64).reshape(count)
        for name in ("total", "square", "peak")
    )
    if len(columns) != count or min(first.min(initial=0), second.min(initial=0)) < 0:
        return None
    level = DegeneratePairs(first, second, flat[2].copy(), flat[3] != 0.0)
    moments = PairMoments(diff, norm, size, size, level)
    known = KnownPairs(moments, total, square, peak, bool(facts["whole"]))
    return PairEntry(
        models, columns, numbers.tolist(), following, facts["rows"], size, known, raw.digest
    )


def _is_each_pair(cells: NDArray[np.intp], size: int) -> bool:
    """Whether the cells of a square are one of each two that lie across its diagonal."""
    if 2 * cells.size != size * (size - 1):
        return False
    seen = _spread(np.ones(cells.size), cells, size)
    return bool((seen + seen.T + np.eye(size) == 1.0).all())


def _spread(values: NDArray[np.float64], cells: NDArray[np.intp], size: int) -> NDArray[np.float64]:
    """A square with values at some of its cells, and zeros elsewhere."""
    square = np.zeros(size * size)
    square[cells] = values
    return square.reshape(size, size)


def write_entry(
    connection: duckdb.DuckDBPyConnection, task: str, entry: PairEntry, *, fresh: Collection[int]
) -> None:
    """Put an entry in; in a transaction.

    Parameters
    ----------
    connection : duckdb connection
        An open store.
    task : str
        Name of the task.
    entry : PairEntry
        What is known of it.
    fresh : collection of int
        Numbers of the models whose pairs the store does not have; if these are all models, what it
        has of the task is replaced.

    Notes
    -----
    Nothing is written if the store has something else of the task than when the entry was made:
    somebody else has saved meanwhile, and rows of two entries must not mix.
    """
    found = connection.execute("SELECT id, digest FROM pair_tasks WHERE task = ?", [task])
    before = found.fetchall()
    if [key for _, key in before] != ([] if entry.origin is None else [entry.origin]):
        return
    total = 0
    if before and len(fresh) < len(entry.numbers):
        # The sum of the cells stands first in a digest.
        place, total = before[0][0], int(before[0][1][:16], 16)
        connection.execute("DELETE FROM pair_tasks WHERE id = ?", [place])
    else:
        for old, _ in before:
            connection.execute("DELETE FROM pair_tasks WHERE id = ?", [old])
            connection.execute("DELETE FROM pair_cells WHERE task = ?", [old])
        following = connection.execute("SELECT coalesce(max(id) + 1, 0) FROM pair_tasks")
        place = following.fetchall()[0][0]
    numbers = np.array(entry.numbers, dtype=np.int32)
    moments = entry.known.moments
    # Each pair once: the new model first, or of two new ones the one with the higher number.
    new = np.isin(numbers, list(fresh))
    i, j = np.nonzero(new[:, None] & (~new[None, :] | (numbers[:, None] > numbers[None, :])))
    cells = (numbers[i], numbers[j], moments.diff[i, j], moments.norm[i, j])
    total = (total + _sum_cells(*cells)) % 2**64
    facts = _facts_of(entry)
    connection.execute(
        "INSERT INTO pair_tasks VALUES (?, ?, ?, ?)",
        [place, task, facts, _digest_entry(facts, total)],
    )
    given = dict(zip(("number", "other", "diff", "norm"), cells, strict=True))
    connection.register("given", given)
    try:
        connection.execute(
            f"INSERT INTO pair_cells SELECT {int(place)}, number, other, diff, norm FROM given"
        )
    finally:
        connection.unregister("given")


def _facts_of(entry: PairEntry) -> str:
    known, numbers = entry.known, np.array(entry.numbers)
    level = known.moments.degenerate
    facts: dict[str, Any] = {
        "models": list(entry.models),
        "columns": list(entry.columns),
        "numbers": [int(number) for number in entry.numbers],
        "following": int(entry.following),
        "rows": None if entry.rows is None else list(entry.rows),
        "size": entry.size,
        "whole": known.whole,
        "total": known.total.tolist(),
        "square": known.square.tolist(),
        "peak": known.peak.tolist(),
        "level": list(zip(
            numbers[level.first].tolist(), numbers[level.second].tolist(), level.sign.tolist(),
            level.identical.tolist(), strict=True,
        )),
    }  # fmt: skip
    return json.dumps(facts)


def _sum_cells(
    number: NDArray[np.int32], other: NDArray[np.int32], diff: NDArray[np.float64],
    norm: NDArray[np.float64],
) -> int:  # fmt: skip
    """A sum over all pairs, modulo 2**64, in which each bit of each counts; in any order."""
    # Integers wrap around, which is what is wanted.
    mixed = number.astype(np.uint64) * _NUMBER + other.astype(np.uint64) * _OTHER
    for cells, key in ((diff, _DIFF), (norm, _NORM)):
        bits = np.ascontiguousarray(cells).view(np.uint64)
        mixed ^= (bits ^ (bits >> _HALF)) * key
        mixed ^= mixed >> _HALF
        mixed *= _NUMBER
    return int(mixed.sum(dtype=np.uint64)) if mixed.size else 0


def _digest_entry(facts: str, total: int) -> str:
    # Those of older stores stay good.
    return f"{total:016x}{hashlib.blake2b(facts.encode(), digest_size=_DIGEST_BYTES).hexdigest()}"
