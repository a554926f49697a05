"""Files that hold one evaluation again: the newest counts, or they are its runs.

Runs have names that differ in a date or a number alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from rankbars.errors import DataError
from rankbars.tables.columns import fold_name
from rankbars.tables.database import quote_text
from rankbars.tables.metricwords import split_words
from rankbars.tables.parsedtables import FileNames, ParsedTable, TidyTable, take_names
from rankbars.tables.readoptions import SHARED_TASK, ReadOptions
from rankbars.tables.reruns import ISO, find_time, with_roles
from rankbars.tables.runnames import names_run, split_run
from rankbars.tables.tablerows import Rows

__all__ = ["is_of_model", "newest_of_files", "runs_of_files"]

# Before a number, what benchmarks are divided into; their items may be numbered alike.
_PARTS = split_words("""
    task tasks subtask level part parts subset split category round chapter section grade day
    domain dataset data suite set stage benchmark bench test exam paper quiz problem lang
    language topic area track group block chunk shard fold hop hops shot shots k step steps len
    length ctx context
""")
_ROLES = ("run", "epoch")  # that number the answers to an item


class _Alike(NamedTuple):
    """Names that differ in one place: what stands there, and what it is."""

    values: list[str]
    what: str  # "date" or "number"
    runs: bool  # whether the names say that they are runs


def runs_of_files(files: Sequence[ParsedTable], options: ReadOptions) -> Sequence[ParsedTable]:
    """Files of one evaluation as its runs; others as they are.

    Their names differ in a date or a number alone, and most of what one says others say, too: the
    same items of the same models. Names of seeds and runs say that themselves; elsewhere the
    caller must.

    Parameters
    ----------
    files : sequence of ParsedTable
        What each file holds.
    options : ReadOptions
        What the caller declares.

    Raises
    ------
    DataError
        If the files may be runs or tasks, and the caller does not say which.
    """
    alike = _find_alike([file.names.task for file in files])
    if alike is None or options.columns.get("run") == "":
        return files
    models = _say_the_same(files)
    if not models:
        return files
    free = [role for role in _ROLES if not any(role in file.table.roles for file in files)]
    if not free or not (alike.runs or options.reruns == "all"):
        raise DataError(_question(files, alike, models, numbered=not free))
    (role, *_) = free
    remark = (
        f"The names of files differ in a {alike.what} alone, and the files hold the same items: "
        "they count as runs of one evaluation."
    )
    found = []
    for file, value in zip(files, alike.values, strict=True):
        part = file.table.with_constants({role: value}).with_remark("run-from-file", remark)
        part = part._replace(roles={**part.roles, role: role})
        found.append(file._replace(table=part, names=_of_one_task(file.names)))
    return found


def _of_one_task(names: FileNames) -> FileNames:
    return names._replace(task=SHARED_TASK, shared_task=SHARED_TASK)


def _find_alike(names: Sequence[str]) -> _Alike | None:
    """What tells the names apart, if it is one date or one number."""
    if len(set(names)) < len(names) or len(names) < 2:
        return None
    stamps = [_STAMP.findall(name) for name in names]
    if all(len(found) == 1 for found in stamps) and len({_STAMP.sub("", n) for n in names}) == 1:
        return _Alike([found[0] for found in stamps], "date", runs=False)
    pieces = [re.split(r"(\d+)", name) for name in names]
    if len({tuple(one[::2]) for one in pieces}) > 1:
        return None
    places = [place for place, cells in enumerate(zip(*pieces, strict=True)) if len({*cells}) > 1]
    if len(places) != 1:
        return None
    words = re.findall(r"[^\W\d_]+", pieces[0][places[0] - 1].casefold())
    after = re.findall(r"[^\W\d_]+", pieces[0][places[0] + 1].casefold())
    if _PARTS & {*words[-1:], *after[:1]}:
        return None
    runs = all(names_run(name) or split_run(name)[1] for name in names)
    return _Alike([one[places[0]] for one in pieces], "number", runs)


def _say_the_same(files: Sequence[ParsedTable]) -> int:
    """How many models there are, if half of their cells stand in several of the files; else 0."""
    every = []
    for number, (part, names, _) in enumerate(files):
        if "model" in part.lacking and names.model != files[0].names.model:
            return 0
        rows = take_names(part, _of_one_task(names)).rows
        if "item" not in rows.labels:
            return 0
        cells = ", ".join(
            f"{quote_text(rows.constants[role])} AS {role}" if role in rows.constants
            else f"{role}::VARCHAR AS {role}" if role in rows.labels else f"NULL AS {role}"
            for role in ("model", "task", "item")
        )  # fmt: skip
        every.append(f"(SELECT {number} AS file, {cells} FROM {rows.clause})")
    ((twice, cells, models),) = files[0].table.rows.engine.ask(
        "SELECT count(*) FILTER (files > 1), count(*), count(DISTINCT model) FROM (SELECT "
        f"count(DISTINCT file) AS files, model FROM ({' UNION ALL '.join(every)}) "
        "GROUP BY model, task, item)"
    )
    return int(models) if int(cells) <= 2 * int(twice) else 0


def _question(files: Sequence[ParsedTable], alike: _Alike, models: int, *, numbered: bool) -> str:
    parts, sources = [file.table for file in files], [file.source for file in files]
    dated = alike.what == "date" or all(find_time(part.table, part.roles) for part in parts)
    ways = [] if numbered else ["--reruns all takes them as answers to the same items"]
    ways += ["--reruns newest takes the newest alone"] if dated else []
    tasks = all("task" in part.lacking for part in parts)
    one = models == 1 and not any("model" in part.lacking for part in parts)
    versions = "If each is another model: --column model=. " if one else ""
    more = f" and {len(sources) - 2} more" if len(sources) > 2 else ""
    text = (
        f"{sources[0]}, {sources[1]}{more}: the names of these files differ in a {alike.what} "
        "alone, and they hold the same items of the same models. If they "
        f"are runs of one evaluation: {', '.join(ways) or 'give one of them'}. {versions}"
        + ("If each is a task of its own: --column run= (in Python: columns={'run': ''})." if tasks
           else "")
    )  # fmt: skip
    return text.rstrip()


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
        stamp = next(reversed([*_STAMP.finditer(file.source)]), None)
        bare = names
        if stamp is not None:
            stem = Path(file.source).stem.partition(".")[0]
            model = names.model and _without_stamp(names.model, stem)
            task = _without_stamp(names.task, stem)
            task = SHARED_TASK if _STAMP.fullmatch(task) else task
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
_STAMP = re.compile(
    r"(?<!\d)20\d\d-?[01]\d-?[0-3]\d(?:[T_-]?[0-2]\d[-:.]?[0-5]\d(?:[-:.]?[0-5]\d)?)?"
)


def _without_stamp(name: str, file: str) -> str:
    """A name without the time in it; that of the file where nothing else is left."""
    parts = [_STAMP.sub("", part).strip("_-. ") for part in name.split("/")]
    return "/".join(filter(None, parts)) or _STAMP.sub("", file).strip("_-. ") or name


def is_of_model(name: str, models: Collection[str]) -> bool:
    """Whether a file that holds one model is called after it, and not after its task."""
    file, *held = (fold_name(one) for one in (name, *models))
    return (
        len(held) == 1 and min(len(file), len(held[0])) > 2 and (file in held[0] or held[0] in file)
    )


def _digits(stamp: re.Match[str] | None) -> str:
    return "" if stamp is None else re.sub(r"\D", "", stamp[0]).ljust(14, "0")


def _named_cells(rows: Rows) -> list[tuple[object, object]]:
    roles = ", ".join(role if role in rows.labels else "NULL" for role in ("model", "task"))
    return rows.selection.ask(lambda every, key: f"SELECT DISTINCT {key}{roles} FROM {every}")


def _time_of(part: TidyTable) -> str:
    """The last time in the column of times, as digits that sort; empty if there is none."""
    column = find_time(part.table, part.roles)
    if column is None:
        return ""
    rows = with_roles(part, {**part.roles, "time": column})
    ((last,),) = rows.engine.ask(f"SELECT max(time) FROM {rows.clause}")
    if isinstance(last, str) and ISO.fullmatch(last.strip()):
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
    selection = rows.selection.where(f"NOT ({gone})")
    return replace(rows, selection=selection, places=0, origin=None), again


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
