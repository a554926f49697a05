"""A check that is a look of a ledger or a record of a store: its level, and what is kept."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rankbars.data.judged import JudgedClaim, LookState
from rankbars.data.ledger import (
    Look,
    TaskRows,
    add_look,
    head_place,
    left_level,
    read_ledger,
    rows_digest,
)
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.errors import DataError
from rankbars.steps.pooling import flaky_note, luck_note, pool_looks, rows_of
from rankbars.store.access import open_store
from rankbars.store.holdings import Event

__all__ = ["Record", "StoreRecord", "open_record", "open_store_record"]


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """One look before it is written.

    Parameters
    ----------
    paths : tuple of path
        The ledger, and those that are merged into it.
    look : Look
        What will be written: without verdicts, or as it was written before.
    earlier : tuple of Look
        Looks at the same change before it.
    pooled : Scores
        Rows of all of them.
    """

    paths: tuple[str | os.PathLike[str], ...]
    look: Look
    earlier: tuple[Look, ...]
    pooled: Scores

    @property
    def level(self) -> float:
        """Error rate of this look; e-values spend nothing, and have all of it."""
        return self.look.level or self.look.alpha

    def settle(
        self, judged: Sequence[JudgedClaim]
    ) -> tuple[tuple[JudgedClaim, ...], tuple[Note, ...]]:
        """Claims with what an earlier look has decided: all looks hold together."""
        settled, kept, against = [], [], []
        for one in judged:
            told = {look.verdicts.get(one.claim.text, "cannot_tell") for look in self.earlier}
            told = (told | {one.verdict}) - {"cannot_tell"}
            if len(told) > 1:
                against.append(one.claim.text)
                settled.append(replace(one, verdict="cannot_tell"))
            elif told and one.verdict == "cannot_tell":
                kept.append(one.claim.text)
                settled.append(replace(one, verdict=told.pop()))  # type: ignore[arg-type]
            else:
                settled.append(one)
        notes = []
        if kept:
            text = f"Decided at an earlier look, and not undone by this one: {', '.join(kept)}."
            notes.append(Note("looks", text))
        if against:
            text = f"Two looks exclude each other, so one was wrong: {', '.join(against)}."
            notes.append(Note("looks-contradict", text))
        return tuple(settled), tuple(notes)

    def written(self, judged: Sequence[JudgedClaim]) -> LookState:
        """Add the look to the ledger, unless it stands there, and say what it spent."""
        again = bool(self.look.digest)
        verdicts = {one.claim.text: one.verdict for one in judged}
        digest = self.look.digest
        if not again:
            digest = add_look(self.paths[0], replace(self.look, verdicts=verdicts), self.paths[1:])
        spent = math.fsum(look.level for look in (*self.earlier, self.look))
        left = self.look.alpha - spent
        number = len(self.earlier) + 1
        return LookState(self.look.change, number, self.level, left, again, digest)


def open_record(
    ledger: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    change: str,
    alpha: float,
    rules: str,
    scores: Scores,
    pairs: Sequence[tuple[str, str]] = (),
    spend: str = "halving",
) -> Record:
    """The next look at a change, with the rows of all earlier ones; nothing is written yet.

    Parameters
    ----------
    ledger : path, or sequence of paths
        The ledger, and further ones that are merged into it.
    change : str
        What is decided about.
    alpha : float
        Error rate of all looks at it.
    rules : str
        Digest of the claims and of how they are judged.
    scores : Scores
        What this look has read.
    pairs : sequence of (str, str)
        Models, and the baselines that they are compared with.
    spend : {"halving", "e-values"}
        Whether each look has half of what is left, or is made with e-values on new items.

    Raises
    ------
    DataError
        If a ledger was edited, the change was judged by other claims or at another error rate, or
        nothing of the error rate is left.
    """
    paths = (ledger,) if isinstance(ledger, (str, os.PathLike)) else tuple(ledger)
    every: dict[str, Look] = {}
    notes = []
    for path in paths:
        found = read_ledger(path, there=path is not paths[0])
        every |= {look.digest: look for look in found}
        head = head_place(path)
        if found and not head.exists():
            text = (
                f"{head} is not there, so lines that were cut off the end of the ledger cannot be "
                "missed. It is written with the next look; keep the two together."
            )
            notes.append(Note("ledger-head", text))
    before = tuple(look for look in every.values() if look.change == change)
    for number, look in enumerate(before, 1):
        if look.rules != rules or look.alpha != alpha:
            what = f"the change {change!r}" if change else "what is decided here"
            raise DataError(
                f"{paths[0]}: look {number} at {what} was made with other claims, another error "
                "rate, or other options. All looks at a change are judged alike: restore the "
                "claims, or name the next change (--change)."
            )
    rows = rows_of(scores)
    same = [k for k, look in enumerate(before) if rows_digest(look.rows) == rows_digest(rows)]
    if same:
        earlier, look = before[: same[0]], before[same[0]]
    else:
        earlier = before
        level = 0.0 if spend == "e-values" else left_level(before, alpha)
        look = Look(change, alpha, level, rules, {}, rows)
        if level == 0.0:
            _refuse_seen(before, rows)
    looks = [*(one.rows for one in earlier), rows]
    notes += [luck_note(scores, looks, *pair) for pair in dict.fromkeys(pairs)]
    notes += [*flaky_note(looks), *_changed(tuple(every.values()), before, rules)]
    return Record(paths, look, earlier, pool_looks(scores, looks[:-1]).with_notes(notes))


def _refuse_seen(before: Sequence[Look], rows: Mapping[str, TaskRows]) -> None:
    """Raises where an item of this look was looked at before: its answers are no new evidence."""
    for look in before:
        for task, one in rows.items():
            again = {*one.items} & {*look.rows[task].items} if task in look.rows else set()
            if again:
                raise DataError(
                    f"Task {task!r}: item {min(again)!r} and {len(again) - 1:,} others were looked "
                    "at before. E-values are valid only where every look brings new items; use "
                    "--spend halving."
                )


def _changed(every: Sequence[Look], before: Sequence[Look], rules: str) -> list[Note]:
    """A note where a new change is judged by other claims than the last one was."""
    if before or not every or every[-1].rules == rules:
        return []
    text = (
        "The claims, or how they are judged, were changed since the last look in the ledger. The "
        "level holds for claims that were written before the results were read."
    )
    return [Note("claims-later", text)]


@dataclass(frozen=True, slots=True, eq=False)
class StoreRecord:
    """One record of a store before it is kept.

    Parameters
    ----------
    path : path
        The store.
    alpha : float
        Error rate of all its records.
    number : int
        Which record it is; records before have smaller ones.
    state : str
        Digest of the results, of the claims, and of how they are judged.
    earlier : int
        How many records were kept before.
    again : bool
        Whether it was kept before.
    """

    path: str | os.PathLike[str]
    alpha: float
    number: int
    state: str
    earlier: int
    again: bool

    @property
    def level(self) -> float:
        """Error rate of this record; those of all numbers add up to `alpha`."""
        return self.alpha / (self.number * (self.number + 1))

    def written(self, judged: Sequence[JudgedClaim]) -> LookState:
        """Keep the record in the log of the store, unless it stands there, and say what it spent.

        Raises
        ------
        DataError
            If another record was kept meanwhile.
        """
        if not self.again:
            lines = "; ".join(one.claim.text for one in judged)
            verdicts = ", ".join(one.verdict.replace("_", " ") for one in judged)
            with open_store(self.path, write=True) as store:
                if len(_records(store.events)) != self.earlier:
                    raise DataError(
                        f"{self.path}: another record was judged meanwhile. Nothing was kept; "
                        "judge this one again."
                    )
                rate = repr(self.alpha)
                store.keep_record(
                    store.event("judged", lines, rate, self.state, self.number, verdicts)
                )
        left = self.alpha / (self.number + 1)
        return LookState("", self.number, self.level, left, self.again, "")


def open_store_record(
    path: str | os.PathLike[str], alpha: float, state: str, models: int
) -> StoreRecord:
    """The next record of a store; nothing is written yet.

    Parameters
    ----------
    path : path
        The store.
    alpha : float
        Error rate of all its records.
    state : str
        Digest of what is judged, and how.
    models : int
        How many it holds: each was a chance to be first by luck, counted or not.

    Raises
    ------
    DataError
        If earlier records had another error rate.
    """
    with open_store(path) as store:
        before = _records(store.events)
    if before and before[-1].format != repr(alpha):
        raise DataError(
            f"{path}: earlier records were judged at an error rate of {before[-1].format} for all "
            f"of them, and this one at {alpha:g}. All records of a store share one: --alpha "
            f"{before[-1].format}."
        )
    for one in before:
        if one.sha256 == state:
            return StoreRecord(path, alpha, one.rows, state, len(before), True)
    number = max(models, 1 + max((one.rows for one in before), default=0))
    return StoreRecord(path, alpha, number, state, len(before), False)


def _records(events: Sequence[Event]) -> list[Event]:
    return [one for one in events if one.action == "judged"]
