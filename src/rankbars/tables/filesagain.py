"""Files that hold one evaluation again: their names differ in a date or a number alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rankbars.errors import DataError
from rankbars.tables.database import quote_text
from rankbars.tables.metrics import split_words
from rankbars.tables.parsedtables import SHARED_TASK, FileNames, ParsedTable, take_names
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.reruns import STAMP, find_time
from rankbars.tables.runnames import names_run, split_run

__all__ = ["runs_of_files"]

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
    stamps = [STAMP.findall(name) for name in names]
    if all(len(found) == 1 for found in stamps) and len({STAMP.sub("", n) for n in names}) == 1:
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
