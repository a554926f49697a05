"""Rows of tidy tables made clean: what was left out, what state each score is in.

Errors, zeros and absences are three things. A row is scored, unscored (it ran, there is no score),
an error (it did not run to an end) or missing (another result stands in, or it says so).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.tables.coding import Block, CodedTable
from rankbars.tables.columns import fold_name
from rankbars.tables.tableoptions import TableOptions

__all__ = ["ERROR", "MISSING", "SCORED", "STATES", "UNSCORED", "CleanRows", "Records"]

SCORED, UNSCORED, ERROR, MISSING = range(4)
STATES = ("scored", "unscored", "error", "missing")
_EXCLUDED, _UNDECIDED = 4, 5

STATUS_WORDS = {
    "scored": SCORED, "ok": SCORED, "done": SCORED, "success": SCORED, "complete": SCORED,
    "completed": SCORED, "finished": SCORED,
    "unscored": UNSCORED, "notscored": UNSCORED, "ungraded": UNSCORED, "noscore": UNSCORED,
    "error": ERROR, "errored": ERROR, "failed": ERROR, "failure": ERROR, "crashed": ERROR,
    "timeout": ERROR, "exception": ERROR,
    "missing": MISSING, "absent": MISSING, "imputed": MISSING,
    "excluded": _EXCLUDED, "skipped": _EXCLUDED, "invalid": _EXCLUDED, "filtered": _EXCLUDED,
}  # fmt: skip

NO_WORDS = frozenset({"false", "0", "no", "none", "nan", "null"})


class CleanRows(NamedTuple):
    """Rows of one block that count.

    Parameters
    ----------
    block : Block
        The rows.
    model, task, key : array of int, shape (rows,)
        Codes; `key` numbers the rows of a task (item, fold, run), 0 where there is no such column.
    score : array of float, shape (rows,)
        Scores as given, NaN unless the state is scored.
    state : array of int, shape (rows,)
        Position in `STATES`.
    left_out : mapping from str to int
        Rows left out and scores not used, by reason.
    """

    block: Block
    model: NDArray[np.int64]
    task: NDArray[np.int64]
    key: NDArray[np.int64]
    score: NDArray[np.float64]
    state: NDArray[np.uint8]
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """A coded table of scores, and the rules by which its rows count.

    Parameters
    ----------
    table : CodedTable
        Label roles ``model`` and ``task`` at least, number role ``score``.
    keys : tuple of str
        Label roles that together name a row of a task; may be empty.
    options : TableOptions
        Metric and limits of the scores.
    named : frozenset of str
        Roles that the caller named.
    """

    table: CodedTable
    keys: tuple[str, ...]
    options: TableOptions
    named: frozenset[str] = frozenset()

    @property
    def key_names(self) -> tuple[str, ...]:
        """Name of each key code; parts are joined by a colon."""
        names: list[str] = [""]
        for role in self.keys:
            names = [
                f"{before}:{name}" if before else name
                for before in names
                for name in self.table.names[role]
            ]
        return tuple(names)

    @property
    def key_count(self) -> int:
        """Number of key codes."""
        return int(np.prod([len(self.table.names[role]) for role in self.keys], dtype=np.int64))

    def rows(self, roles: Sequence[str] | None = None) -> Iterator[CleanRows]:
        """Clean rows, block by block; without scores if `roles` leaves them out."""
        rules = _Rules.of(self)
        wanted = None if roles is None else {"model", "task", *self.keys, *rules.roles, *roles}
        for block in self.table.blocks(wanted):
            yield rules.clean(block)

    def rows_of(self, tasks: Collection[int]) -> Iterator[CleanRows]:
        """Clean rows of some tasks, block by block; those without a task belong to the first."""
        rules = _Rules.of(self)
        wanted = [*tasks, -1] if 0 in tasks else tasks
        for block in self.table.tasks(wanted):
            if block.rows:
                yield rules.clean(block)

    def combinations(self, roles: Sequence[str]) -> Iterator[CleanRows]:
        """Clean rows that tell what tasks, keys and `roles` go together; of models nothing.

        Where a row is at fault, the error does not name it as `rows` does.
        """
        if "model" not in self.table.filled:
            yield from self.rows(roles)
            return
        rules = _Rules.of(self)
        wanted = {"task", *self.keys, *rules.roles, *roles}
        for whole in self.table.combinations(wanted):
            for block in whole.slices():
                models = np.zeros(block.rows, np.int32)
                yield rules.clean(block._replace(labels={**block.labels, "model": models}))


@dataclass(frozen=True, slots=True, eq=False)
class _Rules:
    records: Records
    metric: int | None
    status: NDArray[np.uint8] | None
    failed: NDArray[np.bool_] | None
    imputed: NDArray[np.bool_] | None

    @classmethod
    def of(cls, records: Records) -> _Rules:
        names = records.table.names
        metric = None
        if "metric" in names and records.options.metric is not None:
            metric = names["metric"].index(records.options.metric)
        return cls(
            records,
            metric,
            _states(names["status"]) if "status" in names else None,
            _flags(names["error"]) if "error" in names else None,
            _flags(names["imputed"]) if "imputed" in names else None,
        )

    @property
    def roles(self) -> tuple[str, ...]:
        return (
            *(("metric",) if self.metric is not None else ()),
            *(("status",) if self.status is not None else ()),
        )

    def clean(self, block: Block) -> CleanRows:
        left_out: dict[str, int] = {}
        block = self._leave_out(block, left_out)
        codes = {
            role: block.labels[role].astype(np.int64)
            for role in dict.fromkeys(("model", "task", *self.records.keys))
        }
        self._require_names(block, codes)
        key = np.zeros(block.rows, np.int64)
        for role in self.records.keys:
            key = key * len(self.records.table.names[role]) + codes[role]
        score = block.numbers.get("score")
        if score is None:
            score = np.full(block.rows, np.nan)
            state = np.full(block.rows, UNSCORED, np.uint8)
        else:
            score, state = self._settle(block, score, left_out)
            self._check_range(block, score)
        return CleanRows(block, codes["model"], codes["task"], key, score, state, left_out)

    def _leave_out(self, block: Block, left_out: dict[str, int]) -> Block:
        # A name that was not read but holds for the whole file says nothing about a single row;
        # nor does the header of a matrix, which is never empty.
        read = [
            block.labels[role]
            for role in ("model", "task", *self.records.keys)
            if _says_something(block, role)
        ]
        empty = np.full(block.rows, bool(read))
        for codes in read:
            empty &= codes < 0
        if "score" in block.numbers:
            empty &= np.isnan(block.numbers["score"])
        keep = ~empty
        _count(left_out, "empty rows", empty)
        if self.metric is not None:
            keep &= block.labels["metric"] == self.metric
        if self.status is not None:
            excluded = keep & (self.status[block.labels["status"]] == _EXCLUDED)
            _count(left_out, "excluded rows", excluded)
            keep &= ~excluded
        return block.take(keep)

    def _require_names(self, block: Block, codes: Mapping[str, NDArray[np.int64]]) -> None:
        for role, column in codes.items():
            if column.size and column.min() < 0:
                index = int(np.argmin(column))
                raise DataError(
                    f"{self.records.table.describe_row(block, index)}: the {role} is empty. "
                    f"Every row needs a {role}; fill the cell or remove the row."
                )

    def _settle(
        self, block: Block, score: NDArray[np.float64], left_out: dict[str, int]
    ) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
        empty = np.isnan(score)
        without = MISSING if block.is_matrix else UNSCORED
        state = np.where(empty, np.uint8(without), np.uint8(SCORED))
        if self.failed is not None:
            state[empty & self.failed[block.labels["error"]]] = ERROR
        if self.status is not None:
            said = self.status[block.labels["status"]]
            decided = (said != _UNDECIDED) & (said != SCORED)
            state[decided] = said[decided]
        if self.imputed is not None:
            stands_in = self.imputed[block.labels["imputed"]]
            _count(left_out, "imputed scores", stands_in & ~empty)
            state[stands_in] = MISSING
        unused = (state != SCORED) & ~empty
        if unused.any():
            score = np.where(unused, np.nan, score)
        if self.imputed is not None:
            unused &= ~self.imputed[block.labels["imputed"]]
        _count(left_out, "scores of rows that are not scored", unused)
        return score, state

    def _check_range(self, block: Block, score: NDArray[np.float64]) -> None:
        infinite = np.isinf(score)
        if infinite.any():
            place = self.records.table.describe_row(block, int(np.argmax(infinite)))
            raise DataError(
                f"{place}: the score is infinite. Scores must be finite; leave the cell empty if "
                "nothing was observed."
            )
        low, high = self.records.options.minimum, self.records.options.maximum
        outside = np.zeros(len(score), np.bool_)
        if low is not None:
            outside |= score < low
        if high is not None:
            outside |= score > high
        if outside.any():
            index = int(np.argmax(outside))
            raise DataError(
                f"{self.records.table.describe_row(block, index)}: the score {score[index]:g} lies "
                f"outside the declared limits, {'−∞' if low is None else f'{low:g}'} to "
                f"{'∞' if high is None else f'{high:g}'}. Correct the score or the limits."
            )


def _says_something(block: Block, role: str) -> bool:
    codes = block.labels[role]
    if block.is_matrix:
        return bool((codes < 0).any())
    return block.rows == 1 or codes.strides != (0,)


def _states(names: Sequence[str]) -> NDArray[np.uint8]:
    """State by status code; the last entry serves empty cells."""
    states = []
    for name in names:
        state = STATUS_WORDS.get(fold_name(name))
        if state is None:
            raise DataError(
                f"The status column holds {name!r}. Known: {', '.join(STATES)}, excluded. "
                "Correct it, or switch the column off: --column status= (in Python: "
                "columns={'status': ''})."
            )
        states.append(state)
    return np.array([*states, _UNDECIDED], np.uint8)


def _flags(names: Sequence[str]) -> NDArray[np.bool_]:
    """Whether a cell says yes, by code; the last entry serves empty cells."""
    return np.array([*(name.casefold() not in NO_WORDS for name in names), False], np.bool_)


def _count(counts: dict[str, int], reason: str, mask: NDArray[Any]) -> None:
    number = int(np.count_nonzero(mask))
    if number:
        counts[reason] = counts.get(reason, 0) + number
