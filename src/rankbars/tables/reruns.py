"""Rows of one model that stand several times: by their time, their condition, or in pairs.

Where a run was made again, the newest count, or all; calls that failed are told from answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from rankbars.errors import DataError
from rankbars.tables.asides import tells_horizon
from rankbars.tables.cleanrows import Records
from rankbars.tables.columns import NUMBER_ROLES, fold_name, names_source, paste_columns
from rankbars.tables.conditions import paste_condition, quote_column
from rankbars.tables.database import quote, quote_text
from rankbars.tables.entries import refuse_entries_of_rows
from rankbars.tables.likelyroles import RATERS, SENDERS
from rankbars.tables.parsedtables import Group, TidyTable
from rankbars.tables.proposals import ask_whom_it_is_about, split_values
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.relations import Relation, Selection
from rankbars.tables.repeats import DuplicateRowsError
from rankbars.tables.rowstates import NO_WORDS, SCORED
from rankbars.tables.runnames import TIMES, numbers_steps, refuse_times
from rankbars.tables.tableheads import HEAD_ROWS, UNNAMED, Header, find_keys
from rankbars.tables.tablerows import Rows, Table

__all__ = [
    "ISO", "TEXTS", "find_steps", "find_time", "keep_newest", "newest_of_runs", "number_by_time",
    "pairing_column", "refuse_failed_calls", "refuse_retries", "split_by_condition", "take_item",
    "with_roles",
]  # fmt: skip

# Columns with what was asked, which names items where their ids are new in every run.
TEXTS = ("prompt", "question", "input", "problem", "query", "instruction", "text")

# Columns without a role that are looked at.
_MOST_CROSSED = 8

ISO = re.compile(r"\d{4}-\d\d(-\d\d.*)?|\d{8,}(\.\d+)?")

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


def pairing_column(group: Group, options: ReadOptions) -> str | None:
    """The column without a role that names one row of every model; None where there is none.

    Raises
    ------
    DataError
        If two such columns do so together; says how to name them.
    """
    (part, *more) = group.parts
    settled = any(code == "reruns" for code, _ in part.remarks)
    if part.table is None or settled or "item" in dict(options.columns):
        return None
    return _pairing_of_files(group.parts) if more else _pairing_of_rows(part, part.table, options)


def _pairing_of_rows(part: TidyTable, table: Table, options: ReadOptions) -> str | None:
    """The column that names one row of every model in one table."""
    used = set(part.roles.values())
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

    time = find_time(table, part.roles) if options.reruns is not None else None
    models = ask("max(models)", ())
    if models < 2 or ask("max(cells)", ()) <= models:
        return None
    for names in (*combinations(unused, 1), *combinations(unused, 2)):
        # Each name stands once at a model, and at most of the models.
        if ask(f"count(*) FILTER (cells > models OR 2 * models <= {models})", names):
            continue
        if names[0] == time:
            break
        _ask_about_steps(part, names)
        if len(names) == 1:
            _refuse_split(table, relation, names[0])
            refuse_entries_of_rows(table, part.roles, names, compared=True)
            place = table.columns.index(names[0])
            times = list(dict.fromkeys(str(row[place]) for row in table.head(HEAD_ROWS)))
            one = paste_condition(f"{quote_column(names[0])} = '{times[-1]}'")
            wordings = all(re.fullmatch(r"[vV]\d+", name) for name in times)
            if not wordings or "version" in names[0].casefold():  # of prompts, say
                items, runs = (paste_columns({role: names[0]}) for role in ("item", "run"))
                refuse_times(part.rows.source, times, one, items, runs)
            return names[0]
        item, variant = sorted(names, key=lambda name: -ask("count(*)", (name,)))
        raise DataError(
            f"{part.rows.source}: rows of different models belong together by {item!r} and "
            f"{variant!r}, and no role was recognised. Name what they are: "
            f"{paste_columns({'item': item, 'variant': variant})} (prompt variants; "
            "epoch= for answers that were made "
            "again). To take rows as unrelated: --column item= (in Python: columns={'item': ''})."
        )
    if time is not None:
        raise DuplicateRowsError(f"{part.rows.source}: rows of one model stand several times.")
    refuse_entries_of_rows(table, part.roles, unused)
    _ask_about_raters(part, table, rows, unused)
    return None


def _refuse_split(table: Table, relation: Relation, column: str) -> None:
    """Raises where rows of a model are those of training and test data, and no items."""
    cell = relation.columns[column][0]
    few = relation.engine.ask(f"SELECT DISTINCT {cell}::VARCHAR FROM {relation.clause} LIMIT 9")
    if split := split_values([name for (name,) in few]):
        condition = f"{quote_column(column)} = {quote_text(split)}"
        raise DataError(
            f"{table.source}: {column!r} says which part of the data rows were measured on. Choose "
            f"one: {paste_condition(condition)} (in Python: where={condition!r})."
        )


def _ask_about_steps(part: TidyTable, names: Sequence[str]) -> None:
    """Raises where what names rows says how far ahead forecasts look: one has several steps."""
    ahead = next(filter(tells_horizon, names), None)
    if ahead is None or part.table is None:
        return
    series = part.roles.get("task", "")
    item = next((name for name in names if name != ahead), series)
    if item not in part.table.columns:
        return
    named = "task" in part.named
    roles = {"item": item, "epoch": ahead}
    if item == series and not named:
        roles = {"task": "", **roles}
    each, apart = paste_columns(roles), paste_columns({"task": ahead, "item": item})
    if named:  # what was typed is to be typed anew
        apart = f"name {ahead!r} as the task, and {item!r} as the item"
        each += f", with {item!r} as no task" * (item == series)
    raise DataError(
        f"{part.rows.source}: {ahead!r} says how far ahead forecasts look, and errors of one "
        f"forecast at several steps go together. If they are averaged for each {item!r}: "
        f"--runs independent {each} (in Python: columns={roles!r}, and "
        f"rb.leaderboard(scores, runs='independent')). If each step is a task of its own: {apart}."
    )


def _pairing_of_files(parts: Sequence[TidyTable]) -> str | None:
    """The column without a role that names the same rows in each file, where files are models."""
    names: list[str] | None = None
    held: dict[str, set[object]] = {}
    for part in parts:
        if part.table is None or not {"model", "task"} <= part.rows.constants.keys():
            return None
        used = {*part.roles.values()}
        free = [name for name in part.table.columns if name not in {*used, *UNNAMED}]
        names = free[:_MOST_CROSSED] if names is None else [one for one in names if one in free]
        if not names:
            return None
        relation = part.table.relate_columns(names)
        cells = ", ".join(f"{relation.columns[name][0]}::VARCHAR" for name in names)
        rows = relation.engine.ask(
            f"SELECT {cells} FROM {relation.clause} LIMIT {_MOST_PAIRED + 1}"
        )
        if not 1 < len(rows) <= _MOST_PAIRED:
            return None
        own = {name: {*values} for name, values in zip(names, zip(*rows, strict=True), strict=True)}
        names = [name for name in names if len(own[name] - {None}) == len(rows)
                 and held.setdefault(name, own[name]) == own[name]]  # fmt: skip
    table = parts[0].table
    numbers = Header.of(table).numbers if table is not None else ()
    texts = [name for name in names or () if name not in numbers]
    found = next(iter(texts or names or ()), None)
    if found is not None:
        last = sorted(map(str, held[found]))[-1]
        one = paste_condition(f"{quote_column(found)} = '{last}'")
        items, runs = (paste_columns({role: found}) for role in ("item", "run"))
        refuse_times(parts[0].rows.source, sorted(map(str, held[found])), one, items, runs)
    return found


_MOST_PAIRED = 100_000  # rows of a file


def _ask_about_raters(
    part: TidyTable, table: Table, rows: Sequence[str], unused: Sequence[str]
) -> None:
    """Raises where several rows of a model are those of one person, and nothing names the rows.

    What one person says of a model goes together, so such rows do not count as independent.
    """
    # Who sent what is rated is a cluster of its rows, unasked.
    raters = [name for name in unused if fold_name(name) in RATERS or names_source(name)]
    rater = next((name for name in raters if fold_name(name) not in SENDERS), None)
    if rater is None or len({*Header.of(table).cells[rater]}) < _FEWEST_RATERS:
        return
    others = [name for name in unused if name != rater]
    relation = table.relate_columns((*rows, *unused))
    cell = {name: relation.columns[name][0] for name in (*rows, *unused)}

    def most(names: Sequence[str], beside: Sequence[str] = rows) -> int:
        keys = ", ".join(cell[name] for name in (*beside, *names))
        ((found,),) = relation.engine.ask(
            f"SELECT max(n) FROM (SELECT count(*) AS n FROM {relation.clause} GROUP BY {keys})"
        )
        return int(found)

    if most([rater], ()) == 1:
        return  # everybody gave one score
    score, named = part.roles["score"], {"model": part.roles["model"]}
    rated = next((name for name in others if most([name]) > 1 and most([rater, name]) == 1), None)
    if most([rater]) == 1:
        said = (
            f"If models are compared by what each of them gave: {paste_columns({'item': rater})}."
        )
    elif rated is not None:
        said = ask_whom_it_is_about({**named, "item": rated, "score": score}, rater)
    else:
        keys = [*rows, rater]
        said = (
            "Number what each of them gave, in pandas: frame['answer'] = "
            f"frame.groupby({keys!r}).cumcount(), and name both: "
            f"{paste_columns({'item': rater, 'epoch': 'answer'})}."
        )
    raise DataError(
        f"{part.rows.source}: no column was recognised as naming what a row is about, and rows of "
        f"one {rater!r} go together, so they are not independent. {said} To take rows as "
        "unrelated: --column item= (in Python: columns={'item': ''})."
    )


_FEWEST_RATERS = 2


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
        selection=rows.selection.alone().select(change),
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
        unclear = next((text for (text,) in texts if not ISO.fullmatch(text.strip())), None)
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
        selection=Selection(engine, newest),
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


# What befalls a call or a machine, and is no answer.
_BROKEN = (
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
    broken = [code for code, name in enumerate(names) if re.search(_BROKEN, name)]
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
