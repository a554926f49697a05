"""Rows under other names than the usual: by their time, their condition, or in pairs.

Of rows that stand several times because a run was made again, the newest count, or all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from rankbars.errors import DataError
from rankbars.tables.columns import NUMBER_ROLES, fold_name, paste_columns
from rankbars.tables.conditions import paste_condition, quote_column
from rankbars.tables.database import quote, quote_text
from rankbars.tables.entries import refuse_entries_of_rows
from rankbars.tables.parsedtables import SHARED_TASK, Group, ParsedTable, TidyTable, take_names
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.relations import Rows, Table
from rankbars.tables.repeats import DuplicateRowsError
from rankbars.tables.runnames import TIMES, numbers_steps, refuse_times
from rankbars.tables.tableheads import HEAD_ROWS, find_keys

__all__ = [
    "STAMP", "TEXTS", "find_steps", "find_time", "is_of_model", "keep_newest",
    "newest_of_files", "newest_of_runs", "number_by_time", "pairing_column", "split_by_condition",
    "take_item", "with_roles",
]  # fmt: skip

# Columns with what was asked, which names items where their ids are new in every run.
TEXTS = ("prompt", "question", "input", "problem", "query", "instruction", "text")

# Columns without a role that are looked at.
_MOST_CROSSED = 8

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


def find_steps(table: Table | None, used: Mapping[str, str]) -> str | None:
    """The column that numbers the steps of one try; None if there is none, or more than one."""
    names = () if table is None else table.columns
    score = used.get("score", "")
    found = [name for name in names if numbers_steps(name, score) and name not in used.values()]
    return found[0] if len(found) == 1 else None


class _Run(NamedTuple):
    """A file as a run: when it was made, and which models it holds on which tasks."""

    file: ParsedTable
    time: str
    cells: frozenset[tuple[str, str]]

    @property
    def rows(self) -> Rows:
        """Its rows."""
        return self.file.table.rows


def newest_of_files(files: Sequence[ParsedTable]) -> Sequence[ParsedTable]:
    """Files without what a newer one says of the same model and task.

    When a file was made says a column of times, or its name, which then is no part of the name of
    a model or task.

    Raises
    ------
    DataError
        If a model stands in two files, and nothing says which of them is newer.
    """
    runs = []
    for file in files:
        part, names = file.table, file.names
        stamp = next(reversed([*STAMP.finditer(file.source)]), None)
        bare = names
        if stamp is not None:
            stem = Path(file.source).stem.partition(".")[0]
            model = names.model and _without_stamp(names.model, stem)
            task = _without_stamp(names.task, stem)
            task = SHARED_TASK if STAMP.fullmatch(task) else task
            bare = names._replace(model=model, task=task, shared_task=SHARED_TASK)
        found = _named_cells(part.rows)
        if "model" not in part.lacking and is_of_model(bare.task, {str(one) for one, _ in found}):
            bare = bare._replace(task=SHARED_TASK)
        whole = take_names(part, bare).rows
        cells = frozenset(
            (str(whole.constants.get("model", model)), str(whole.constants.get("task", task)))
            for model, task in found
        )
        runs.append(_Run(file._replace(names=bare), _time_of(part) or _digits(stamp), cells))
    newest: dict[tuple[str, str], str] = {}
    for cell in (cell for run in runs for cell in run.cells):
        times = [run.time for run in runs if cell in run.cells]
        if len(times) < 2:
            continue
        if not all(times) or len(set(times)) < len(times):
            places = ", ".join(run.file.source for run in runs if cell in run.cells)
            raise DataError(
                f"{places}: model {cell[0]!r} stands in {len(times)} files, and no column says "
                "which of them is newer, nor do their names, as --reruns newest needs it. Give a "
                "column such as timestamp, or files names such as run_2026-05-01.csv."
            )
        newest[cell] = max(times)
    if not newest:
        return files
    kept = [(run, *_newest_rows(run, runs)) for run in runs]
    older = [run.file.source for run, rows, _ in kept if rows is None]
    text = "Of runs of one model in several files, the newest count"
    text += f"; left aside: {', '.join(older)}." if older else "."
    text += "".join(dict.fromkeys(said for _, _, said in kept))
    return [
        run.file._replace(table=run.file.table._replace(rows=rows).with_remark("reruns", text))
        for run, rows, _ in kept
        if rows is not None
    ]


# A date, and perhaps a time, in the name of a file or of its folder.
STAMP = re.compile(
    r"(?<!\d)20\d\d-?[01]\d-?[0-3]\d(?:[T_-]?[0-2]\d[-:.]?[0-5]\d(?:[-:.]?[0-5]\d)?)?"
)


def _without_stamp(name: str, file: str) -> str:
    """A name without the time in it; that of the file where nothing else is left."""
    parts = [STAMP.sub("", part).strip("_-. ") for part in name.split("/")]
    return "/".join(filter(None, parts)) or STAMP.sub("", file).strip("_-. ") or name


def is_of_model(name: str, models: Collection[str]) -> bool:
    """Whether a file that holds one model is called after it, and not after its task."""
    file, *held = (fold_name(one) for one in (name, *models))
    return (
        len(held) == 1 and min(len(file), len(held[0])) > 2 and (file in held[0] or held[0] in file)
    )


def _digits(stamp: re.Match[str] | None) -> str:
    return "" if stamp is None else re.sub(r"\D", "", stamp[0]).ljust(14, "0")


def _named_cells(rows: Rows) -> list[tuple[object, object]]:
    roles = [role if role in rows.labels else "NULL" for role in ("model", "task")]
    return rows.engine.ask(f"SELECT DISTINCT {', '.join(roles)} FROM {rows.clause}")


def _time_of(part: TidyTable) -> str:
    """The last time in the column of times, as digits that sort; empty if there is none."""
    column = find_time(part.table, part.roles)
    if column is None:
        return ""
    rows = with_roles(part, {**part.roles, "time": column})
    ((last,),) = rows.engine.ask(f"SELECT max(time) FROM {rows.clause}")
    if isinstance(last, str) and _ISO.fullmatch(last.strip()):
        digits = re.sub(r"\D", "", last)
        return digits.ljust(14, "0") if "-" in last else digits.rjust(20, "0")
    return "" if last is None or isinstance(last, str) else f"{float(last):020.3f}"


def _newest_rows(run: _Run, runs: Sequence[_Run]) -> tuple[Rows | None, str]:
    """Rows of a file that no newer one holds, None if there are none; and what is to be said.

    Where newer files hold some of its items again, its answers to the others stay.
    """
    rows, left, again, whole = run.rows, [], "", 0
    for cell in sorted(run.cells):
        newer = [one for one in runs if cell in one.cells and one.time > run.time]
        if not newer:
            continue
        items = _items_again(run, newer, cell)
        whole += items is None
        left.append(_at(rows, cell) + (f" AND item::VARCHAR IN {items}" if items else ""))
        if items:
            again = (
                f" {newer[-1].file.source} holds some items of {rows.source} again: its "
                "answers count for these, the others stay. If only failed items were tried again, "
                "that model's share of right answers is too high."
            )
    if whole == len(run.cells):
        return None, ""
    if not left:
        return rows, ""
    gone = " OR ".join(f"({one})" for one in left)
    clause = f"(SELECT * FROM {rows.clause} WHERE NOT ({gone}))"
    return replace(rows, clause=clause, places=0, origin=None), again


def _items_again(run: _Run, newer: Sequence[_Run], cell: tuple[str, str]) -> str | None:
    """The items of newer files as a query, if they are some of those of a file; else None."""
    if not all("item" in one.rows.labels for one in (run, *newer)):
        return None
    own, later = (
        " UNION ".join(
            f"SELECT item::VARCHAR AS item FROM {one.rows.clause} WHERE {_at(one.rows, cell)}"
            for one in some
        )
        for some in ((run,), newer)
    )
    ((all_items, again, new),) = run.rows.engine.ask(
        "SELECT count(*) FILTER (old), count(*) FILTER (old AND later), count(*) FILTER (NOT old) "
        "FROM (SELECT item, bool_or(mine) AS old, bool_or(NOT mine) AS later FROM (SELECT item, "
        f"true AS mine FROM ({own}) UNION ALL SELECT item, false FROM ({later})) GROUP BY item)"
    )
    return f"({later})" if not new and again <= _SOME * all_items else None


_SOME = 0.9  # of the items: fewer are a run of some of them


def _at(rows: Rows, cell: tuple[str, str]) -> str:
    """The condition that a row is of a model and a task, as far as the rows say."""
    told = [f"{role}::VARCHAR = {quote_text(name)}"
            for role, name in zip(("model", "task"), cell, strict=True)
            if role in rows.labels]  # fmt: skip
    return " AND ".join(told) or "true"


def pairing_column(group: Group, options: ReadOptions) -> str | None:
    """The column without a role that names one row of every model; None where there is none.

    Raises
    ------
    DataError
        If two such columns do so together; says how to name them.
    """
    (part, *more) = group.parts
    if more or part.table is None or "item" in dict(options.columns):
        return None
    table, used = part.table, set(part.roles.values())
    unused = [name for name in table.columns if name and name not in used][:_MOST_CROSSED]
    rows = [part.roles[role] for role in ("model", "task", "metric") if role in part.roles]
    if not unused or "model" not in part.roles:
        return None
    relation = table.relate_columns((*rows, *unused))
    cell = {name: relation.columns[name][0] for name in (*rows, *unused)}
    others = [cell[name] for name in rows if name != part.roles["model"]]
    model = cell[part.roles["model"]]

    def ask(what: str, names: Sequence[str]) -> int:
        keys = ", ".join([*others, *(cell[name] for name in names)])
        grouped = f"GROUP BY {keys}" if keys else ""
        ((found,),) = relation.engine.ask(
            f"SELECT {what} FROM (SELECT count(*) AS cells, count(DISTINCT {model}) AS models "
            f"FROM {relation.clause} {grouped})"
        )
        return int(found)

    models = ask("max(models)", ())
    if models < 2 or ask("max(cells)", ()) <= models:
        return None
    for names in (*combinations(unused, 1), *combinations(unused, 2)):
        # Each name stands once at a model, and at most of the models.
        if ask(f"count(*) FILTER (cells > models OR 2 * models <= {models})", names):
            continue
        if len(names) == 1:
            refuse_entries_of_rows(table, part.roles, names, compared=True)
            place = table.columns.index(names[0])
            times = list(dict.fromkeys(str(row[place]) for row in table.head(HEAD_ROWS)))
            one = paste_condition(f"{quote_column(names[0])} = '{times[-1]}'")
            wordings = all(re.fullmatch(r"[vV]\d+", name) for name in times)
            if not wordings or "version" in names[0].casefold():  # of prompts, say
                refuse_times(part.rows.source, times, one, paste_columns({"item": names[0]}))
            return names[0]
        item, variant = sorted(names, key=lambda name: -ask("count(*)", (name,)))
        raise DataError(
            f"{part.rows.source}: rows of different models belong together by {item!r} and "
            f"{variant!r}, and no role was recognised. Name what they are: "
            f"{paste_columns({'item': item, 'variant': variant})} (prompt variants; "
            "epoch= for answers that were made "
            "again). To take rows as unrelated: --column item= (in Python: columns={'item': ''})."
        )
    if options.reruns is not None and find_time(table, part.roles):
        raise DuplicateRowsError(f"{part.rows.source}: rows of one model stand several times.")
    refuse_entries_of_rows(table, part.roles, unused)
    return None


def number_by_time(part: TidyTable, column: str) -> TidyTable:
    """The table with its `column` of times as what numbers the answers to a row."""
    roles = {**part.roles, "epoch": column}
    return part._replace(rows=with_roles(part, roles), roles=roles)


def take_item(part: TidyTable, column: str) -> TidyTable:
    """The table with another `column` as what names its items, or its folds if it is called so."""
    role = "fold" if "fold" in find_keys([column], ()) else "item"
    roles = {one: name for one, name in part.roles.items() if name != column} | {role: column}
    found = part._replace(rows=with_roles(part, roles), roles=roles)
    return found._replace(named=part.named | {role})


def split_by_condition(part: TidyTable) -> TidyTable:
    """The table with each model once for each name in its column of conditions."""
    rows = part.rows
    told = rows.constants.get("model")
    model = "model::VARCHAR" if told is None else quote_text(told)
    both = f"concat_ws(' · ', {model}, condition::VARCHAR) AS model"
    change = f"* REPLACE ({both})" if told is None else f"*, {both}"
    found = replace(
        rows,
        labels={**rows.labels, "model": "text"},
        filled=rows.filled | {"model"},
        clause=f"(SELECT {change} FROM {rows.clause})",
        constants={role: name for role, name in rows.constants.items() if role != "model"},
        origin=None,
    )
    text = f"Each name in {part.roles['condition']!r} is a side of its model: 'MODEL · NAME'."
    if "condition" not in part.named:
        off = "--column condition= (in Python: columns={'condition': ''})"
        text += f" If it describes items: {off}."
    return part._replace(rows=found).with_remark("condition", text)


def keep_newest(part: TidyTable, column: str, *, of_runs: bool = False) -> TidyTable:
    """The table with the newest of the rows that stand several times, by its `column` of times.

    With `of_runs`, answers of several runs are rows that stand several times.

    Raises
    ------
    DataError
        If the order of times cannot be told from how they are written.
    """
    kept_roles = {
        role: name for role, name in part.roles.items() if not (of_runs and role == "run")
    }
    rows = with_roles(part, {**kept_roles, "time": column})
    engine, clause = rows.engine, rows.clause
    numbers = f"SELECT 1 FROM {clause} WHERE time IS NOT NULL AND TRY_CAST(time AS DOUBLE) IS NULL"
    order = "time" if engine.ask(f"{numbers} LIMIT 1") else "TRY_CAST(time AS DOUBLE)"
    if rows.labels["time"] == "text" and order == "time":
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
        f"ORDER BY {order} DESC NULLS LAST) = 1)"
    )
    ((count,),) = engine.ask(f"SELECT count(*) FROM {newest}")
    kept = replace(
        rows,
        count=int(count),
        labels={role: kind for role, kind in rows.labels.items() if role != "time"},
        filled=rows.filled - {"time"},
        clause=newest,
        places=0,
        origin=None,
    )
    text = (
        f"Of rows that stand several times, the newest by {column!r} count; "
        f"{rows.count - int(count):,} older ones are left aside."
    )
    if of_runs:
        text += (
            " If only failed items were tried again, the share of right answers is too high: one "
            f"run alone is --where on {part.roles['run']!r}."
        )
    return part._replace(rows=kept, roles=kept_roles).with_remark("reruns", text)


def newest_of_runs(part: TidyTable, options: ReadOptions) -> TidyTable:
    """The table with the newest answer of each item, if that is asked for and runs have a time.

    Seeds are no runs that were made again; nor are runs of which rows stand twice, whose newest
    rows count.
    """
    column = find_time(part.table, part.roles)
    run = part.roles.get("run")
    if (
        options.reruns != "newest"
        or run is None
        or column is None
        or "item" not in part.roles
        or "run" in part.named
    ):
        return part
    if "seed" in fold_name(run) or "run" in part.rows.constants:
        return part
    keys = ", ".join(quote(role) for role in _KEYS if role in part.rows.labels)
    twice = f"SELECT 1 FROM {part.rows.clause} GROUP BY {keys} HAVING count(*) > 1 LIMIT 1"
    if part.rows.engine.ask(twice):
        return part
    found = keep_newest(part, column, of_runs=True)
    return part if found.rows.count == part.rows.count else found


def with_roles(part: TidyTable, roles: Mapping[str, str]) -> Rows:
    """The rows of the whole table by other roles of its columns."""
    if part.table is None and {*roles} <= {*part.roles}:
        return part.rows
    if part.table is None:
        raise DataError(f"{part.rows.source}: only tables with one row per score have reruns.")
    found = part.table.rows(
        {role: name for role, name in roles.items() if role not in NUMBER_ROLES},
        {role: name for role, name in roles.items() if role in NUMBER_ROLES},
    )
    return replace(found, constants=part.rows.constants)
