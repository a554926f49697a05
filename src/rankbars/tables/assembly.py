"""From tables to scores: the way every table goes, whatever it was stored in."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.taskinfo import TaskInfo
from rankbars.errors import DataError, Lacking, UnknownOptionError
from rankbars.tables.cleanrows import Records
from rankbars.tables.columns import ITEM_NUMBERS, TRAIT_ROLES, fold_name, paste_columns
from rankbars.tables.descriptions import AboutTasks, describe_tasks
from rankbars.tables.designs import (
    FOLDS_BY_ORDER,
    NamedKind,
    RowPlan,
    Size,
    has_row_per_fold,
    plan_rows,
)
from rankbars.tables.joining import join_attributes, join_scores
from rankbars.tables.likelyroles import likely_roles
from rankbars.tables.matrices import Filling, RowIndex, index_rows
from rankbars.tables.metrics import usual_direction
from rankbars.tables.oddscores import (
    check_scores,
    note_row_scales,
    refuse_low_baseline,
    refuse_ranks,
    refuse_signed,
)
from rankbars.tables.othertexts import OtherTexts, other_texts
from rankbars.tables.parsedtables import Group, ParsedTable, TidyTable, take_names
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.remarks import (
    Counted,
    check_swapped,
    describe_group,
    describe_rows,
    refuse_resamples,
)
from rankbars.tables.repeats import DuplicateRowsError, refuse_lacking_raters
from rankbars.tables.reruns import (
    find_steps,
    find_time,
    keep_newest,
    newest_of_runs,
    number_by_time,
    pairing_column,
    refuse_failed_calls,
    refuse_retries,
    split_by_condition,
    take_item,
)
from rankbars.tables.rowstates import SCORED_ERRORS
from rankbars.tables.settings import share_settings
from rankbars.tables.tasks import (
    Shelf,
    count_coverage,
    fold_designs,
    split_weights,
)

__all__ = ["scores_from_parsed"]


def scores_from_parsed(tables: Sequence[ParsedTable], options: ReadOptions) -> Scores:
    """Scores from one or more tables.

    Tables of one design are read as one; those of different designs are joined task by task.

    Parameters
    ----------
    tables : sequence of ParsedTable
        Each table, and names for what it does not say.
    options : ReadOptions
        What the caller declares.

    Raises
    ------
    DataError
        If tables cannot be put together.
    """
    every: Sequence[ParsedTable] = [
        one._replace(table=newest_of_runs(one.table, options)) for one in tables
    ]
    if len(every) > 1:
        from rankbars.tables.filesagain import newest_of_files, runs_of_files

        every = newest_of_files(every) if options.reruns == "newest" else every
        every = runs_of_files(every, options)
    one_task = _share_a_task(every)
    groups: dict[RowPlan, list[TidyTable]] = defaultdict(list)
    for parsed in every:
        names = parsed.names
        if one_task:
            names = names._replace(task=names.shared_task)
        part = take_names(parsed.table, names)
        if "condition" in part.named:
            part = split_by_condition(part)
        refuse_resamples(part, options)
        plan = plan_rows(part.roles, options)
        columns = () if part.table is None or options.rows else part.table.columns
        if plan.kind == "estimates" and has_row_per_fold(columns, part.roles):
            plan = RowPlan("folds", (), (), ())
            part = part.with_remark("folds-by-order", FOLDS_BY_ORDER)
        groups[plan].append(part)
    found = []
    read = _heed_directions(len(groups))
    for plan, parts in groups.items():
        scores = read(Group.of(plan, parts), options)
        given = [(one, part.rows.constants) for part in parts for one in part.settings]
        scores = share_settings(scores, given, anyway=options.compare_anyway)
        notes = tuple(dict.fromkeys(describe_group(parts) + scores.notes))
        attributes = join_attributes(part.attributes for part in parts)
        found.append(replace(scores, notes=notes, attributes=attributes))
    joined = join_scores(found, anyway=options.compare_anyway)
    joined = joined.with_notes(note for parsed in every for note in parsed.notes)
    if len(joined.models) == len(every) == 1:
        joined = joined.with_notes(_note_other_models(every[0], options))
    if not options.direction and not any(
        usual_direction(one.metric) for one in joined.info.values() if one.metric
    ):
        refuse_ranks(joined, every[0].source)
        if not any("direction" in one.table.roles for one in every):
            refuse_low_baseline(joined, every[0].source)
    refuse_signed(joined, every[0].table)
    told = note_row_scales(joined)
    return joined if told is None else joined.with_notes([told])


def _note_other_models(parsed: ParsedTable, options: ReadOptions) -> tuple[Note, ...]:
    """That a column seems to name models, where a file is taken for one of one model."""
    table = parsed.table.table
    if "model" not in parsed.table.lacking or table is None or options.columns.get("model"):
        return ()
    named = likely_roles(table).get("model")
    if named is None or named in parsed.table.roles.values():
        return ()
    text = (
        f"{table.source}: The file is taken for that of one model. The column {named!r} has few "
        f"names, which repeat. If it names the models: {paste_columns({'model': named})}."
    )
    return (Note("maybe-models", text),)


def _heed_directions(groups: int) -> Callable[[Group, ReadOptions], Scores]:
    """Reads groups of rows of several kinds; a task of one has no direction in the others."""
    lacking: Counter[str] = Counter()
    known: set[str] = set()

    def read_one(group: Group, options: ReadOptions) -> Scores:
        try:
            return _read_group(group, options)
        except UnknownOptionError as error:
            unknown = error.lacking
            if unknown is None or unknown.option != "direction":
                raise
            lacking.update(unknown.names)
            known.update(unknown.known)
            nowhere = [name for name in unknown.names if lacking[name] == groups]
            if nowhere:
                about = Lacking("direction", tuple(nowhere), tuple(sorted(known)))
                what = "task or metric (direction)"
                raise UnknownOptionError.among(what, nowhere[0], about.known).about(about) from None
            others = {k: v for k, v in options.direction.items() if k not in unknown.names}
            return _read_group(group, replace(options, direction=others))

    return read_one


def _share_a_task(tables: Sequence[ParsedTable]) -> bool:
    """Whether files that name models but no task hold one task.

    No model is in two of them, or each file is called after the one model it holds.
    """
    found = [parsed.table for parsed in tables]
    if len(found) < 2 or any(
        "task" not in table.lacking or "model" in table.lacking for table in found
    ):
        return False
    from rankbars.tables.filesagain import is_of_model

    every = [table.rows.selection.ask(lambda rows, key: f"SELECT DISTINCT {key}model FROM {rows}")
             for table in found]  # fmt: skip
    held = [{str(model) for (model,) in models} for models in every]
    apart = sum(map(len, held)) == len(set().union(*held))
    called = all(
        is_of_model(parsed.names.task, models) for parsed, models in zip(tables, held, strict=True)
    )
    return apart or (called and len(set().union(*held)) > 1)


def _read_group(group: Group, options: ReadOptions, *, as_grid: bool = True) -> Scores:
    by_position = group.plan.kind != "estimates" and not group.plan.keys
    if by_position and group.plan.kind == "folds":
        group = replace(group, plan=RowPlan("folds", ("fold",), (), ()))
    elif by_position:
        group = replace(group, plan=RowPlan("items", ("item",), (), ()))
    if options.room.by_reference and group.plan.kind != "estimates":
        return _refer_to_group(group, options, by_position=by_position)
    records = Records(
        [part.rows for part in group.parts], group.plan.keys, options, group.named,
        by_position=by_position, status_column=group.roles.get("status", "status"),
        as_grid=as_grid and group.plan.kind == "items" and not group.plan.answers,
    )  # fmt: skip
    if not records.is_grid:
        return _read_records(group, records, options)
    with suppress(DataError):  # of rows that are no grid, it may not be true
        index = index_rows(records)
        size = _size_of(records, index)
        if not (_by_text(group, records.options, size)
                or _without_rows(group, records.options, size)):  # fmt: skip
            found = _read_items(group, records, index, _about_tasks(group, records, index))
            return _with_raters(found, group, options)
    return _read_group(group, options, as_grid=False)


def _size_of(records: Records, index: RowIndex) -> Size:
    largest = int(np.bincount(index.task_of_row).max())
    return Size(largest, len(index.pairs), records.rows, len(records.names["model"]))


def _read_records(group: Group, records: Records, options: ReadOptions) -> Scores:
    index = index_rows(records)
    if not len(index.pairs):
        raise DataError(_NO_ROW)
    size = _size_of(records, index)
    texts = _by_text(group, records.options, size)
    if texts is not None and texts.parts:
        return _read_by_text(texts, options)
    simpler = _without_rows(group, records.options, size)
    if simpler is not None:
        return _read_group(simpler, options)
    about = _about_tasks(group, records, index)
    try:
        if group.plan.kind == "estimates":
            told = {"n", "se", "ci_low"} & group.roles.keys()  # of rows that are no items
            column = None if told else pairing_column(group, records.options)
            if column is not None:
                return _read_paired(group, column, options)
            from rankbars.tables.senders import ask_about_senders, with_senders
            from rankbars.tables.taskestimates import read_estimates

            if not told and (sent := with_senders(group, records.options)) is not None:
                return _read_group(sent, options)
            asked = None if told else ask_about_senders(group, records.options)
            read = read_estimates(group, records, about)
            return read if asked is None else read.with_notes([asked])
        found = _read_items(group, records, index, about)
        found = _with_raters(found, group, options)
        return found if texts is None else found.with_notes(texts.notes)
    except DuplicateRowsError as error:
        refuse_failed_calls(records, group.roles.get("error"), error)
        return _read_again(group, error, options)


def _with_raters(found: Scores, group: Group, options: ReadOptions) -> Scores:
    """Scores with the question about people of whom each judged some of the items."""
    if group.plan.kind != "items" or group.plan.answers:
        return found
    from rankbars.tables.senders import ask_about_raters

    asked = ask_about_raters(group, options)
    return found if asked is None else found.with_notes([asked])


def _read_again(group: Group, error: DuplicateRowsError, options: ReadOptions) -> Scores:
    """Scores of rows that stand twice, read in another way; raises the error if there is none."""
    other = (
        _by_condition(group) or _seed_as_repeat(group) or _numbered_anew(group)
        or _settle_reruns(group, options)
    )  # fmt: skip
    if other is None:
        from rankbars.tables.tellingcolumns import describe_copies

        raise DuplicateRowsError(describe_copies(group, str(error))) from error
    once = replace(options, reruns=None)
    return _read_group(other, once).with_notes(
        Note(code, f"{part.rows.source}: {text}")
        for part in other.parts
        for code, text in part.remarks
        if code in ("condition", "reruns", "numbered-anew")
    )


def _by_condition(group: Group) -> Group | None:
    """The group with each model once for each condition, if it has a column of them."""
    if not all("condition" in part.rows.labels for part in group.parts):
        return None
    if any(code == "condition" for part in group.parts for code, _ in part.remarks):
        return None
    return replace(group, parts=tuple(map(split_by_condition, group.parts)))


def _settle_reruns(group: Group, options: ReadOptions) -> Group | None:
    """The group with one row of several, or with all as answers, as the caller says.

    Raises
    ------
    DataError
        If no column says when a row was made.
    """
    if options.reruns is None:
        return None
    parts = []
    for part in group.parts:
        column = find_time(part.table, part.roles)
        if column is None and options.reruns == "newest":
            column = find_steps(part.table, part.roles)
        if column is None or (options.reruns == "all" and "epoch" in part.roles):
            raise DataError(
                f"{part.rows.source}: there are rows that stand several times, and no column says "
                f"which of them are newer, as --reruns {options.reruns} needs it. Give a column "
                "such as date or timestamp."
            )
        settle = keep_newest if options.reruns == "newest" else number_by_time
        parts.append(settle(part, column))
    once = replace(options, reruns=None)
    return Group.of(plan_rows(parts[0].roles, once), parts)


def _about_tasks(group: Group, records: Records, index: RowIndex) -> AboutTasks:
    names = records.names["task"]
    present = [names[code] for code in np.unique(index.task_of_row).tolist()]
    values: dict[str, dict[str, list[str]]] = {}
    for role in TRAIT_ROLES:
        if role in records.roles:
            values[role] = {task: [] for task in present}
            for task, name in records.traits(role):
                values[role][names[task]].append(name)
    return describe_tasks(group, present, values, records.options)


def _refer_to_group(group: Group, options: ReadOptions, *, by_position: bool) -> Scores:
    """Scores of tasks that stay in their files."""
    from rankbars.tables.byreference import look_over

    survey = look_over(group, options, by_position=by_position)
    if not survey.tasks:
        raise DataError(_NO_ROW)
    simpler = _without_rows(group, survey.options, survey.size)
    if simpler is not None:
        return _read_group(simpler, options)
    about = describe_tasks(group, survey.tasks, survey.traits, survey.options)
    if options.failed:
        survey = survey.with_worst(about.worst)
    try:
        survey.raise_first()
    except DuplicateRowsError as error:
        return _read_again(group, error, options)
    designs = survey.designs()
    turned = {task: about.directions.get(task) == "lower" for task in survey.tasks}
    tasks = survey.references(designs, turned)
    largest = {task: survey.largest(task) for task in survey.tasks}
    check_scores(largest, survey.models, about)
    info = {
        task: about.info(task, survey.weight(task), survey.coverage(task)) for task in survey.tasks
    }
    scores = Scores(tasks, info, about.notes)
    check_swapped(scores, group)
    counted = survey.counted()
    return scores.with_notes(describe_rows(group, survey.options, scores, counted, designs))


_NO_ROW = "No row is left to read: all of them are empty or excluded."


def _by_text(group: Group, options: ReadOptions, size: Size) -> OtherTexts | None:
    """Texts that are not the same where ids of items are, if these name other rows in each model.

    A text must name one row of a model, and half of all texts must be those of several models.
    """
    ids = group.plan.kind == "items" and options.rows is None
    if not ids or size.models < 2 or "condition" in group.roles:
        return None
    disjoint = size.rows >= size.cells
    return other_texts(group.parts, disjoint=disjoint, anyway=options.compare_anyway)


def _read_by_text(texts: OtherTexts, options: ReadOptions) -> Scores:
    group = Group.of(plan_rows(texts.parts[0].roles, options), texts.parts)
    places = ", ".join(part.rows.source for part in group.parts[:3])
    note = Note(
        "matched-by-text",
        f"{places}: The ids name other rows in each model, so rows are matched by the text in "
        f"{texts.column!r}. To match them by something else: --column item=NAME.",
    )
    return _read_group(group, options).with_notes([note])


def _read_paired(group: Group, column: str, options: ReadOptions) -> Scores:
    parts = [take_item(part, column) for part in group.parts]
    what = "folds" if parts[0].roles.get("fold") == column else "items"
    note = Note(
        "paired-by",
        f"{parts[0].rows.source}: Each value of {column!r} names one row of a model, the same of "
        f"all, so it names the {what}. If it names tasks: {paste_columns({'task': column})}; if "
        "rows are "
        "unrelated: --column item= (in Python: columns={'item': ''}).",
    )
    paired = Group.of(plan_rows(parts[0].roles, options), parts)
    return _read_group(paired, options).with_notes([note])


def _without_rows(group: Group, options: ReadOptions, size: Size) -> Group | None:
    """The group as one score per model and task, if its row column only looks like one.

    A single fold, run or prompt per task, or an "id" or prompt that no two models share, names
    no row.
    """
    if options.rows is not None or options.folds is not None:
        return None
    single = group.plan.kind in ("folds", "runs", "prompts") and size.largest == 1
    by_id = (
        group.plan.kind == "items"
        and "item" not in group.named
        and fold_name(group.roles.get("item", "")) in {"id", *ITEM_NUMBERS}
    )
    numbers_rows = (
        (by_id or (group.plan.kind == "prompts" and "variant" not in group.named))
        and size.models > 1
        and size.rows == size.cells
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


def _numbered_anew(group: Group) -> Group | None:
    """The group with items that are named in each cluster by itself, such as segments of documents.

    None where no item of a model stands in several clusters.
    """
    if group.plan.kind != "items" or group.plan.keys != ("item",) or "cluster" not in group.roles:
        return None
    if fold_name(group.roles["cluster"]) == "group" and "cluster" not in group.named:
        return None  # that may be anything, such as the language of the same item
    for part in group.parts:
        keys = ", ".join(role for role in ("model", "task", "item") if role in part.rows.labels)
        several = f"GROUP BY {keys} HAVING count(DISTINCT cluster) > 1 LIMIT 1"
        asked = f"SELECT 1 FROM {part.rows.clause} {several}"
        if "cluster" not in part.rows.labels or not part.rows.engine.ask(asked):
            return None
    cluster, item = group.roles["cluster"], group.roles["item"]
    text = (
        f"{item!r} names items anew in each {cluster!r}, so an item is both; those of one "
        f"{cluster!r} go together."
    )
    first, *others = group.parts
    plan = group.plan._replace(keys=("cluster", "item"))
    parts = (first.with_remark("numbered-anew", text), *others)
    return replace(group, parts=parts, plan=plan)


def _read_items(group: Group, records: Records, index: RowIndex, about: AboutTasks) -> Scores:
    refuse_lacking_raters(group, records)
    names = records.names["task"]
    turned = {code for code, task in enumerate(names) if about.directions.get(task) == "lower"}
    shelf = Shelf(records, index, turned)
    worst = about.worst(names) if records.options.failed else None
    filling = Filling(records, index, group.plan.answers, worst)
    for some in shelf.groups:
        for code, cells in filling.fill(some):
            shelf.put(code, cells)
    matrix = filling.finish()
    if SCORED_ERRORS in matrix.left_out:
        refuse_retries(records, group.roles["error"])
    designs = fold_designs(records, index) if group.plan.kind == "folds" else None
    kind: NamedKind = "items"
    if group.plan.kind == "runs" or group.plan.kind == "prompts":
        kind = group.plan.kind
    tasks = shelf.tasks(matrix, designs, kind)
    largest = {task: matrix.largest[code] for code, task in enumerate(names)}
    matrix_of_models = any(part.header for part in group.parts)
    check_scores(largest, records.names["model"], about, fewest=1 if matrix_of_models else 2)
    info: dict[str, TaskInfo] = {}
    for code, task in enumerate(names):
        if task in tasks:
            weight, _ = split_weights(matrix, index.span(code))
            info[task] = about.info(task, weight, count_coverage(index, matrix, code))
    scores = Scores(tasks, info, about.notes)
    check_swapped(scores, group)
    trials = dict(zip(records.names["model"], matrix.trials.sum(axis=1).T.tolist(), strict=True))
    counted = Counted.of(
        records.names, matrix.left_out, matrix.most_answers, matrix.set_aside, trials
    )
    return scores.with_notes(describe_rows(group, records.options, scores, counted, designs))
