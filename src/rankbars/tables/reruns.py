"""Rows of a table that stand several times because a run was made again: the newest, or all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from rankbars.errors import DataError
from rankbars.tables.columns import NUMBER_ROLES, fold_name
from rankbars.tables.database import Engine, quote
from rankbars.tables.metrics import split_words
from rankbars.tables.relations import Rows, Table
from rankbars.tables.tidy import TidyTable

__all__ = ["TEXTS", "find_time", "keep_newest", "number_by_time", "take_item"]

# Columns that say when a run was made.
TIMES = split_words("""
    timestamp datetime date time when created createdat createdtime createdon runtime rundate
    runtimestamp runat startedat starttime endtime finishedat completedat evaluatedat evaldate
    evaluationdate submittedat submissiondate submissiontime updatedat
""")

# Columns with what was asked, which names items where their ids are new in every run.
TEXTS = ("prompt", "question", "input", "problem", "query", "instruction", "text")

_ISO = re.compile(r"\d{4}-\d\d(-\d\d.*)?|\d{8,}(\.\d+)?")

# What names a row, of the columns of names.
_KEYS = ("model", "task", "metric", "item", "fold", "repeat", "run", "epoch", "variant")


def find_time(table: Table | None, used: Mapping[str, str]) -> str | None:
    """The column that says when a row was made; None if there is none, or more than one.

    Parameters
    ----------
    table : Table or None
        The table.
    used : mapping from str to str
        Columns that play a role.
    """
    if table is None:
        return None
    found = [
        name for name in table.columns if fold_name(name) in TIMES and name not in used.values()
    ]
    return found[0] if len(found) == 1 else None


def number_by_time(part: TidyTable, column: str) -> TidyTable:
    """The table with its `column` of times as what numbers the answers to a row."""
    roles = {**part.roles, "epoch": column}
    return part._replace(rows=_rows(part, roles), roles=roles)


def take_item(part: TidyTable, column: str) -> TidyTable:
    """The table with another `column` as what names its items."""
    roles = {role: name for role, name in part.roles.items() if name != column} | {"item": column}
    found = part._replace(rows=_rows(part, roles), roles=roles)
    return found._replace(named=part.named | {"item"})


def keep_newest(part: TidyTable, column: str) -> TidyTable:
    """The table with the newest of the rows that stand several times, by its `column` of times.

    Raises
    ------
    DataError
        If the order of times cannot be told from how they are written.
    """
    rows = _rows(part, {**part.roles, "time": column})
    engine = rows.engine or Engine()
    clause = rows.enter(engine)
    if rows.labels["time"] == "text":
        texts = engine.ask(f"SELECT DISTINCT time FROM {clause} WHERE time IS NOT NULL LIMIT 1000")
        unclear = next((text for (text,) in texts if not _ISO.fullmatch(text.strip())), None)
        if unclear is not None:
            raise DataError(
                f"{rows.source}: --reruns newest orders rows by {column!r}, and {unclear!r} does "
                "not say its place. Write times as 2026-05-01T10:00:00 or as numbers."
            )
    keys = ", ".join(quote(role) for role in _KEYS if role in rows.labels)
    newest = (
        f"(SELECT * EXCLUDE (time) FROM {clause} QUALIFY rank() OVER (PARTITION BY {keys} "
        "ORDER BY time DESC NULLS LAST) = 1)"
    )
    ((count,),) = engine.ask(f"SELECT count(*) FROM {newest}")
    kept = replace(
        rows,
        count=int(count),
        labels={role: kind for role, kind in rows.labels.items() if role != "time"},
        filled=rows.filled - {"time"},
        enter=lambda _: newest,
        places=0,
        origin=None,
    )
    text = (
        f"Of rows that stand several times, the newest by {column!r} count; "
        f"{rows.count - int(count):,} older ones are left aside."
    )
    return part._replace(rows=kept, remarks=(*part.remarks, ("reruns", text)))


def _rows(part: TidyTable, roles: Mapping[str, str]) -> Rows:
    if part.table is None:
        raise DataError(f"{part.rows.source}: only tables with one row per score have reruns.")
    found = part.table.rows(
        {role: name for role, name in roles.items() if role not in NUMBER_ROLES},
        {role: name for role, name in roles.items() if role in NUMBER_ROLES},
    )
    return replace(found, constants=part.rows.constants)
