"""Calls that failed and were made again: two rows of an answer, one with the text of an error."""

from __future__ import annotations

import re

from rankbars.errors import DataError
from rankbars.tables.cleanrows import Records
from rankbars.tables.columns import paste_columns
from rankbars.tables.conditions import paste_condition, quote_column
from rankbars.tables.database import quote
from rankbars.tables.rowstates import NO_WORDS, SCORED

__all__ = ["refuse_failed_calls", "refuse_retries"]

# What befalls a call or a machine, and is no answer.
_BROKEN = re.compile(
    r"(?i)time[d ]?[- _]?out|connection|network|socket|unreachable|dns|ssl|rate[- _]?limit|quota"
    r"|too many requests|overloaded|unavailable|gateway|server[- _]?error|internal error"
    r"|\b(?:429|50[0-4]|529)\b|api[- _]?error|sandbox|docker|container|out[- _]?of[- _]?memory"
    r"|\boom\b|killed|evicted|preempted|node[- _]?fail|disk|cuda"
)


def refuse_retries(records: Records, column: str) -> None:
    """Raises `DataError` where calls seem to have failed and to have been made again.

    Answers of one model to one item then have scores with and without the error of a machine or
    of a connection beside them, and not every item was answered equally often. What a model
    itself ran into, in a fixed number of tries, is no such error.

    Parameters
    ----------
    records : Records
        The rows.
    column : str
        What the column of errors is called.
    """
    names = records.names["error"]
    broken = [code for code, name in enumerate(names) if _BROKEN.search(name)]
    if not broken or not records.keys:
        return
    bad = f"coalesce(error_code IN ({', '.join(map(str, broken))}), false)"
    groups = records.select(
        f"count(*) FILTER (WHERE {bad}) AS bad, count(*) AS tries",
        ("model", "task", *records.keys),
        f"WHERE state = {SCORED} GROUP BY model_code, task_code, key",
    )
    ((again, sizes),) = records.ask(
        f"SELECT count(*) FILTER (WHERE bad > 0 AND bad < tries), count(DISTINCT tries) "
        f"FROM ({groups})"
    )
    if not again or sizes < 2:
        return
    absent, text = f"{quote(column)} IS NULL", names[broken[0]]
    text = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    raise DataError(
        f"{records.parts[0].source}: {again:,} items have an answer with a text in the column "
        f"{column!r} (such as {text!r}) and a score, and another of the same model without one: "
        "calls that failed seem to have been made again. Do the failed ones count? Choose (the "
        "line to paste, what it says):\n"
        f"  {paste_condition(absent)}    no: they are no answers, and are left out\n"
        f"  {paste_columns({'error': ''})}    yes: they are answers, and count as they are scored\n"
        f"In Python: where={absent!r}, or columns={{'error': ''}}."
    )


_SHOWN = 60  # letters of an error


def refuse_failed_calls(records: Records, column: str | None, error: DataError) -> None:
    """Raises an error about rows that stand twice once more, where all but one tell an error.

    Not where some answer would be left with none or with several rows.
    """
    names = records.names.get("error", ())
    told = [code for code, name in enumerate(names) if name.casefold() not in NO_WORDS]
    if column is None or not told or not records.keys:
        return
    bad = f"coalesce(error_code IN ({', '.join(map(str, told))}), false)"
    groups = records.select(
        f"count(*) AS tries, count(*) FILTER (WHERE NOT {bad}) AS good",
        ("model", "task", *records.keys), "GROUP BY model_code, task_code, key",
    )  # fmt: skip
    ((others,),) = records.ask(
        f"SELECT count(*) FILTER (WHERE good <> 1) FROM ({groups}) WHERE tries > 1"
    )
    if others:
        return
    absent = f"{quote_column(column)} is null"
    raise type(error)(
        f"{error} Of rows that stand twice, all but one have a text in the column {column!r} (such "
        f"as {names[told[0]][:_SHOWN]!r}): calls that failed seem to have been made again. Leave "
        f"out the failed ones: {paste_condition(absent)} (in Python: where={absent!r})."
    ) from error
