"""What state a row is in, the words that say it, and by what rows count.

Errors, zeros and absences are three things. A row is scored, unscored (it ran, there is no score),
an error (it did not run to an end) or missing (another result stands in, or it says so).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rankbars.data.notes import list_names
from rankbars.errors import DataError
from rankbars.tables.columns import fold_name, paste_columns
from rankbars.tables.conditions import paste_condition, quote_column
from rankbars.tables.database import quote_text

__all__ = [
    "ERROR", "EXCLUDED", "LEFT_OUT", "MISSING", "NO_WORDS", "REJECTED_WORDS", "SCORED",
    "SCORED_ERRORS", "STATES", "STATUS_WORDS", "UNSCORED", "Rules", "states_of",
]  # fmt: skip

SCORED, UNSCORED, ERROR, MISSING = range(4)
STATES = ("scored", "unscored", "error", "missing")
EXCLUDED = 4  # such a row does not count

STATUS_WORDS = {
    "scored": SCORED, "ok": SCORED, "done": SCORED, "success": SCORED, "complete": SCORED,
    "completed": SCORED, "finished": SCORED, "accepted": SCORED, "approved": SCORED,
    "verified": SCORED,
    "unscored": UNSCORED, "notscored": UNSCORED, "ungraded": UNSCORED, "noscore": UNSCORED,
    "error": ERROR, "errored": ERROR, "failed": ERROR, "failure": ERROR, "crashed": ERROR,
    "timeout": ERROR, "exception": ERROR, "killed": ERROR, "preempted": ERROR, "aborted": ERROR,
    "cancelled": ERROR, "canceled": ERROR, "running": UNSCORED, "pending": MISSING,
    "missing": MISSING, "absent": MISSING, "imputed": MISSING,
    "excluded": EXCLUDED, "skipped": EXCLUDED, "invalid": EXCLUDED, "filtered": EXCLUDED,
}  # fmt: skip

# What is said of a submission that must not count, though it may have a score.
REJECTED_WORDS = frozenset({"rejected", "refused", "declined", "disqualified", "withdrawn"})

NO_WORDS = frozenset({"false", "0", "no", "none", "nan", "null"})

# Why rows are left out, or scores not used; last, those that are used although they failed.
SCORED_ERRORS = "scores of rows with an error"
LEFT_OUT = (
    "empty rows", "excluded rows", "imputed scores", "scores of rows that are not scored",
    SCORED_ERRORS,
)  # fmt: skip


class Rules(NamedTuple):
    """By what a row counts, and what state its score is in.

    Parameters
    ----------
    names : mapping from str to tuple of str
        Names of label roles; rows have codes of them.
    metric : str or None
        The metric whose rows count; all where nothing is asked for.
    status_column : str
        What the column of states is called, for messages.
    all_scored : bool
        Whether it is known that every row has a score that counts.
    marks : tuple of float
        Numbers that stand for no score.
    matrices : tuple of int
        Numbers of the tables that are matrices, where an empty cell is no answer at all.
    """

    names: Mapping[str, Sequence[str]]
    metric: str | None
    status_column: str
    all_scored: bool
    marks: tuple[float, ...]
    matrices: tuple[int, ...]

    @property
    def roles(self) -> list[str]:
        """Label roles that say something of a row."""
        told = ("status", "error", "imputed", *(() if self.metric is None else ("metric",)))
        return [role for role in told if role in self.names]

    def _with_status(self, state: int) -> str:
        if "status" not in self.names:
            return "false"
        states = states_of(self.names["status"], self.status_column)
        codes = [code for code, one in enumerate(states) if one == state]
        return f"status_code IN ({', '.join(map(str, codes))})" if codes else "false"

    def _flagged(self, role: str) -> str:
        names = enumerate(self.names[role])
        codes = [str(code) for code, name in names if name.casefold() not in NO_WORDS]
        return f"coalesce({role}_code IN ({', '.join(codes)}), false)" if codes else "false"

    def state(self) -> str:
        """State of a row: what it says of itself goes before what its score and error say."""
        if self.all_scored:
            return str(SCORED)
        cases = []
        if "imputed" in self.names:
            cases.append((self._flagged("imputed"), MISSING))
        if "status" in self.names:
            cases += [(self._with_status(one), one) for one in (UNSCORED, ERROR, MISSING)]
        cases += [(f"score = {mark!r}", ERROR) for mark in self.marks]
        if "error" in self.names:
            cases.append((f"(score IS NULL AND {self._flagged('error')})", ERROR))
        if self.matrices:
            listed = ", ".join(map(str, self.matrices))
            cases.append((f"(score IS NULL AND part IN ({listed}))", MISSING))
        cases.append(("score IS NULL", UNSCORED))
        return f"CASE {' '.join(f'WHEN {one} THEN {s}' for one, s in cases)} ELSE {SCORED} END"

    def _of_metric(self) -> list[str]:
        if "metric" not in self.names or self.metric is None:
            return []
        return [f"metric_code = {self.names['metric'].index(self.metric)}"]

    def wanted(self) -> list[str]:
        """What holds of rows that count: they are of the metric, and not excluded."""
        out = self._with_status(EXCLUDED)
        return [*self._of_metric(), *([] if out == "false" else [f"coalesce(NOT {out}, true)"])]

    def left_out(self) -> dict[str, str]:
        """Conditions of rows that are left out and of scores that are not used, by reason."""
        empty, excluded, imputed, unscored, failed = LEFT_OUT
        found = {empty: "blank"}
        if (out := self._with_status(EXCLUDED)) != "false":
            found[excluded] = " AND ".join(("NOT blank", *self._of_metric(), out))
        kept, stands_in = " AND ".join(("NOT blank", *self.wanted())), "false"
        if "imputed" in self.names:
            stands_in = self._flagged("imputed")
            found[imputed] = f"{kept} AND {stands_in} AND score IS NOT NULL"
        if {"status", "imputed"} & self.names.keys():
            unused = f"{kept} AND state <> {SCORED} AND score IS NOT NULL AND NOT {stands_in}"
            found[unscored] = unused
        if "error" in self.names and (flagged := self._flagged("error")) != "false":
            found[failed] = f"{kept} AND state = {SCORED} AND {flagged}"
        return found


def states_of(names: Sequence[str], column: str) -> list[int]:
    """What each word of a column of states says."""
    states = {name: STATUS_WORDS.get(fold_name(name)) for name in names}
    rejected = [name for name in names if fold_name(name) in REJECTED_WORDS]
    if rejected:
        taken = [name for name in names if states[name] is not None]
        told = ", ".join(map(repr, (*taken, *rejected)))
        if SCORED not in states.values():
            raise DataError(
                f"The column {column!r} holds {told} and no row that is accepted. Correct it, or "
                "remove the rows that must not count."
            )
        words = ", ".join(quote_text(name) for name in taken)
        of_taken = f"= {words}" if len(taken) == 1 else f"in ({words})"
        condition = f"{quote_column(column)} {of_taken}"
        raise DataError(
            f"The column {column!r} holds {told}: rows that were rejected must not count. Take "
            f"the others: {paste_condition(condition)} (in Python: where={condition!r})."
        )
    if names and {*states.values()} == {None}:
        raise DataError(_ask_which_count(names, column))
    for name in names:
        if states[name] is None:
            raise DataError(
                f"The status column holds {name!r}. Known: {', '.join(STATES)}, excluded. "
                "Correct it, or switch the column off: --column status= (in Python: "
                "columns={'status': ''})."
            )
    return [state for state in states.values() if state is not None]


def _ask_which_count(names: Sequence[str], column: str) -> str:
    """The question which rows count, where a column of states says something else."""
    chosen = next((name for name in names if not _AGAINST.match(name)), names[0])
    condition = f"{quote_column(column)} = {quote_text(chosen)}"
    off, none = paste_columns({"status": ""}), "columns={'status': ''}"
    return (
        f"The column {column!r} holds {list_names(names, 4)}, and no state of a row ("
        f"{', '.join(STATES)}, excluded). If only some rows count, such as those of {chosen!r}: "
        f"{paste_condition(condition)} {off} (in Python: where={condition!r}, {none}). If all "
        f"count: {off}."
    )


# How words begin that speak against a row.
_AGAINST = re.compile(r"(?i)late|not|non|un|in|dis|draft|old|over|fail|reject|withdr|test")
