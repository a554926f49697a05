"""From tables to scores: the way every table goes, whatever it was stored in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Evidence
from rankbars.data.notes import Note
from rankbars.data.scores import Scores, TaskInfo
from rankbars.errors import DataError
from rankbars.tables.cleanrows import DuplicateRowsError, Records
from rankbars.tables.columns import fold_name
from rankbars.tables.database import Engine
from rankbars.tables.descriptions import AboutTasks, Group, check_scale, check_signs, describe_tasks
from rankbars.tables.designs import NamedKind, RowPlan, plan_rows
from rankbars.tables.joining import join_scores
from rankbars.tables.layouts import HEAD_ROWS, find_layout, find_numeric
from rankbars.tables.matrices import Filling, RowIndex, index_rows
from rankbars.tables.relations import Table
from rankbars.tables.remarks import (
    check_swapped,
    describe_group,
    describe_rows,
    refuse_resamples,
)
from rankbars.tables.tableoptions import TableOptions
from rankbars.tables.tasks import (
    Shelf,
    count_coverage,
    fold_designs,
    references,
    split_weights,
)
from rankbars.tables.tidy import FileNames, TidyTable, prepare_tidy, take_names
from rankbars.tables.wide import describes_rows, prepare_wide

if TYPE_CHECKING:
    from rankbars.tables.decorated import SplitCells

__all__ = ["ParsedTable", "parse_table", "scores_from_parsed", "scores_from_tables"]


class ParsedTable(NamedTuple):
    """One table, read without regard to any other.

    Parameters
    ----------
    source : str
        Name of the table for messages.
    table : TidyTable
        What it holds; names that only its file can give are not in it yet.
    names : FileNames
        Those names; they depend on what other files there are.
    notes : tuple of Note
        What must be said about the file.
    """

    source: str
    table: TidyTable
    names: FileNames
    notes: tuple[Note, ...] = ()


def scores_from_tables(
    tables: Sequence[tuple[Table, FileNames]], options: TableOptions, engine: Engine
) -> Scores:
    """Scores from one or more tables.

    Tables of one design are read as one; those of different designs are joined task by task.

    Parameters
    ----------
    tables : sequence of (Table, FileNames)
        Each table, and names for what it does not say.
    options : TableOptions
        What the caller declares.
    engine : Engine
        The database that rows are put into.

    Raises
    ------
    DataError
        If a table cannot be understood; the message names the place and what to do.
    """
    return scores_from_parsed(
        [parse_table(table, names, options, engine) for table, names in tables], options
    )


def scores_from_parsed(tables: Sequence[ParsedTable], options: TableOptions) -> Scores:
    """Scores from tables whose columns are known already; see `scores_from_tables`.

    Raises
    ------
    DataError
        If tables cannot be put together.
    """
    engines = [parsed.table.rows.engine for parsed in tables]
    known = next((engine for engine in engines if engine is not None), None)
    if known is not None:
        return _put_together(tables, options, known)
    with Engine(options.room.engine_bytes) as engine:
        return _put_together(tables, options, engine)


def _put_together(tables: Sequence[ParsedTable], options: TableOptions, engine: Engine) -> Scores:
    groups: dict[RowPlan, list[TidyTable]] = defaultdict(list)
    sources: dict[RowPlan, list[str]] = defaultdict(list)
    for parsed in tables:
        part = take_names(parsed.table, parsed.names)
        refuse_resamples(parsed.source, part, options)
        plan = plan_rows(part.roles, options)
        groups[plan].append(part)
        sources[plan].append(parsed.source)
    found = []
    for plan, parts in groups.items():
        scores = _read_group(Group.of(plan, parts), options, engine)
        remarks = describe_group(parts, sources[plan])
        found.append(replace(scores, notes=remarks + scores.notes))
    notes = [note for parsed in tables for note in parsed.notes]
    return join_scores(found).with_notes(notes)


def parse_table(
    table: Table, names: FileNames, options: TableOptions, engine: Engine
) -> ParsedTable:
    """The table by the roles of its columns.

    Raises
    ------
    DataError
        If it cannot be understood; the message names the place and what to do.
    """
    return ParsedTable(table.source, _prepare(table, names, options, engine), names)


def _prepare(table: Table, names: FileNames, options: TableOptions, engine: Engine) -> TidyTable:
    if not table.head(1):
        raise DataError(
            f"{table.source}: there is a header and no row below it. Expected one row per score."
        )
    if options.cells is not None:
        from rankbars.tables.decorated import split_cells

        return _prepare_split(split_cells(table, options.cells, engine), names, options)
    layout = _layout(table, options)
    if layout == "tidy":
        return prepare_tidy(table, names, options)
    return _prepare_matrix(table, layout, names, options)


def _prepare_matrix(
    table: Table, layout: str, names: FileNames, options: TableOptions
) -> TidyTable:
    """A matrix; where nothing names its metric, the caller may."""
    found = prepare_wide(table, layout, names)
    if "metric" in found.roles:
        return found
    return found._replace(metric=options.metric)


def _prepare_split(split: SplitCells, names: FileNames, options: TableOptions) -> TidyTable:
    """A table whose cells held values and their errors."""
    layout = _layout(split.values, options)
    if layout == "tidy":
        full = split.with_errors(list(split.errors))
        score = prepare_tidy(split.values, names, options).roles["score"]
        if score in split.errors:
            options = replace(options, columns={**options.columns, "se": f"{score}_se"})
        found = prepare_tidy(full, names, options)
    else:
        numbers = find_numeric(split.values.columns, split.values.head(HEAD_ROWS))
        with_errors = [
            name
            for name in split.values.columns
            if name in split.errors or (name in numbers and not describes_rows(name))
        ]
        found = _prepare_matrix(split.with_errors(with_errors), layout, names, options)
    return found._replace(remarks=(*found.remarks, ("cells", split.remark)))


def _layout(table: Table, options: TableOptions) -> str:
    named = dict(options.columns)
    if options.metric in table.columns:
        named.setdefault("score", str(options.metric))
    return find_layout(table, options.layout, named).name


def _read_group(group: Group, options: TableOptions, engine: Engine) -> Scores:
    by_position = group.plan.kind == "positions"
    if by_position:
        group = replace(group, plan=RowPlan("items", ("item",), (), ()))
    records = Records(
        engine, [part.rows for part in group.parts], group.plan.keys, options, group.named,
        by_position=by_position,
    )  # fmt: skip
    index = index_rows(records)
    if not len(index.pairs):
        raise DataError("No row is left to read: all of them are empty or excluded.")
    simpler = _without_rows(group, records, index)
    if simpler is not None:
        return _read_group(simpler, options, engine)
    about = describe_tasks(group, records, index, records.options)
    if group.plan.kind == "estimates":
        return _read_estimates(group, records, about)
    try:
        return _read_items(group, records, index, about)
    except DuplicateRowsError as error:
        other = _seed_as_repeat(group)
        if other is None:
            raise DuplicateRowsError(f"{error}{_telling_columns(group)}") from error
        return _read_group(other, options, engine)


_MOST_COLUMNS = 20


def _telling_columns(group: Group) -> str:
    """Which columns that play no role would tell rows apart that stand twice; empty if none can."""
    (part, *others) = group.parts
    if others or part.table is None:
        return ""
    table, used = part.table, set(part.roles.values())
    unused = [name for name in table.columns if name and name not in used][:_MOST_COLUMNS]
    known = [part.roles[role] for role in ("model", "task", *group.plan.keys, *group.plan.answers)
             if role in part.roles]  # fmt: skip
    if not unused:
        return ""
    relation = table.relate({f"column {name!r}": name for name in (*known, *unused)}, {})
    telling = []
    for name in unused:
        cells = ", ".join(relation.columns[one][0] for one in (*known, name))
        if not relation.engine.ask(
            f"SELECT 1 FROM {relation.clause} GROUP BY {cells} HAVING count(*) > 1 LIMIT 1"
        ):
            telling.append(name)
    if not telling:
        shown = ", ".join(map(repr, unused))
        return f" Not used: {shown}; none of them alone tells these rows apart."
    return (
        f" The column {telling[0]!r} is not used and tells these rows apart: if it numbers the "
        f"answers to an item, --column epoch={telling[0]}; if it names the items, --column "
        f"item={telling[0]}."
    )


def _without_rows(group: Group, records: Records, index: RowIndex) -> Group | None:
    """The group as one score per model and task, if its row column only looks like one.

    A single fold, run or prompt per task, or an "id" or prompt that no two models share, names
    no row.
    """
    options = records.options
    if options.rows is not None or options.folds is not None:
        return None
    largest = int(np.bincount(index.task_of_row).max())
    single = group.plan.kind in ("folds", "runs", "prompts") and largest == 1
    by_id = (
        group.plan.kind == "items"
        and "item" not in group.named
        and fold_name(group.roles.get("item", "")) == "id"
    )
    numbers_rows = (
        (by_id or (group.plan.kind == "prompts" and "variant" not in group.named))
        and len(records.names["model"]) > 1
        and len(index.pairs) == records.rows
    )
    if not (single or numbers_rows):
        return None
    ignored = (*group.plan.keys, *group.plan.answers, *group.plan.ignored)
    return replace(group, plan=RowPlan("estimates", (), (), ignored))


def _seed_as_repeat(group: Group) -> Group | None:
    """The group with its column of seeds as the repeats of a cross-validation, if it has one."""
    if group.plan.kind != "folds" or "repeat" in group.plan.keys:
        return None
    role = next((role for role in ("run", "epoch") if role in group.plan.ignored), None)
    if role is None:
        return None
    keys = (role, *group.plan.keys)
    rest = tuple(one for one in group.plan.ignored if one != role)
    return replace(group, plan=RowPlan("folds", keys, (), rest))


def _read_items(group: Group, records: Records, index: RowIndex, about: AboutTasks) -> Scores:
    names = records.names["task"]
    turned = {code for code, task in enumerate(names) if about.directions.get(task) == "lower"}
    shelf = Shelf(records, index, turned)
    filling = Filling(records, index, group.plan.answers)
    for some in shelf.groups:
        for code, cells in filling.fill(some):
            shelf.put(code, cells)
    matrix = filling.finish()
    designs = fold_designs(records, index) if group.plan.kind == "folds" else None
    kind: NamedKind = "items"
    if group.plan.kind == "runs" or group.plan.kind == "prompts":
        kind = group.plan.kind
    refer = None
    if records.options.room.by_reference:
        turned_tasks = {names[code] for code in turned}
        refer = references(records, group.roles, group.plan.answers, matrix, turned_tasks)
    tasks = shelf.tasks(matrix, designs, kind, refer)
    largest = {task: matrix.largest[code] for code, task in enumerate(names)}
    _refuse_scales(largest, records, about)
    info: dict[str, TaskInfo] = {}
    for code, task in enumerate(names):
        if task in tasks:
            weight, _ = split_weights(matrix, index.span(code))
            info[task] = about.info(task, weight, count_coverage(index, matrix, code))
    scores = Scores(tasks, info, about.notes)
    check_swapped(scores, group)
    return scores.with_notes(describe_rows(group, records, scores, matrix, designs))


def _refuse_scales(
    largest: Mapping[str, NDArray[np.float64]], records: Records, about: AboutTasks
) -> None:
    known = {task: values for task, values in largest.items() if task in about.metrics}
    declared = [limit for limit in about.limits if limit is not None]
    check_scale(known, about.metrics, records.names["model"], declared)
    check_signs(known, about.metrics, about.directions, about.limits[1])


def _read_estimates(group: Group, records: Records, about: AboutTasks) -> Scores:
    from rankbars.tables.taskestimates import build_estimates, read_summaries, task_weight

    summaries = read_summaries(records)
    names = records.names
    codes = {task: code for code, task in enumerate(names["task"]) if task in about.metrics}
    _refuse_scales({task: summaries.mean[code] for task, code in codes.items()}, records, about)
    percent = group.score.percentages > 0
    built, notes = build_estimates(summaries, names, about.metrics, percent=percent)
    tasks: dict[str, Evidence] = {}
    info: dict[str, TaskInfo] = {}
    for task, estimates in built.items():
        info[task] = about.info(task, task_weight(summaries, codes[task], task), None)
        lower = about.directions[task] == "lower"
        tasks[task] = replace(estimates, mean=0.0 - estimates.mean) if lower else estimates
    scores = Scores(tasks, info, (*about.notes, *notes))
    return scores.with_notes(describe_rows(group, records, scores, summaries, None))
