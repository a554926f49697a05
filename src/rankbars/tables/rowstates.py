"""What state a row is in, and the words that say it.

Errors, zeros and absences are three things. A row is scored, unscored (it ran, there is no score),
an error (it did not run to an end) or missing (another result stands in, or it says so).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rankbars.data.notes import list_names
from rankbars.errors import DataError
from rankbars.tables.columns import fold_name, paste_columns
from rankbars.tables.conditions import paste_condition, quote_column
from rankbars.tables.database import quote_text

__all__ = [
    "ERROR", "EXCLUDED", "MISSING", "NO_WORDS", "REJECTED_WORDS", "SCORED", "STATES",
    "STATUS_WORDS", "UNSCORED", "states_of",
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
