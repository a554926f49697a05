"""Matrices: models by tasks, tasks by models, items by models, tasks by folds.

A matrix becomes rows, one for each cell, and then goes the way of a tidy table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from rankbars.data.notes import list_names
from rankbars.errors import DataError
from rankbars.tables.asides import (
    describes_models,
    is_attribute,
    is_summary,
    tells_horizon,
)
from rankbars.tables.cells import NumberColumn
from rankbars.tables.columnkinds import (
    refuse_totals_of_wins,
)
from rankbars.tables.columns import fold_name, paste_columns
from rankbars.tables.companions import SE_ENDINGS, spread_columns
from rankbars.tables.conditions import paste_condition, quote_column
from rankbars.tables.database import quote_text
from rankbars.tables.entries import refuse_entries_of_matrix
from rankbars.tables.matrixcolumns import MOST_ROWS, MatrixColumns, numeric_columns, survey_columns
from rankbars.tables.matrixkeys import TASK_NUMBERS
from rankbars.tables.measuredcolumns import refuse_metrics
from rankbars.tables.metrics import is_metric_of_matrix, name_words
from rankbars.tables.modelcolumns import (
    MOST_ITEMS,
    ask_about_readers,
    ask_beside_models,
    names_of_rows,
    outside_answers,
    without_composed,
    without_outside,
    without_rows,
)
from rankbars.tables.parsedtables import FileNames, TidyTable
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.reruns import find_time, keep_newest
from rankbars.tables.runnames import answer_role
from rankbars.tables.summaryrows import (
    MARGIN,
    beside_numbered,
    check_summaries,
    describe_left_out,
    is_share_right,
    is_statistic,
    names_summaries,
    repeats_means,
)
from rankbars.tables.tableheads import Header, corner_names
from rankbars.tables.tablerows import Rows, Table
from rankbars.tables.tidy import spelling_remark
from rankbars.tables.valuetables import hold_cells

__all__ = ["HEADER", "POSITION", "prepare_wide"]

# What stands in the place of a column's name where the rows or the header of a matrix give names.
HEADER, POSITION = "(header)", "(position)"

# What rows and columns of each layout are; further names are left to the file.
AXES: Mapping[str, tuple[str, ...]] = {
    "models-by-tasks": ("model", "task"),
    "tasks-by-models": ("task", "model"),
    "items-by-models": ("item", "model", "task"),
    "models-by-items": ("model", "item", "task"),
    "tasks-by-folds": ("task", "fold", "model"),
    "items-by-trials": ("item", "epoch", "model", "task"),
}


def prepare_wide(table: Table, layout: str, names: FileNames, options: ReadOptions) -> TidyTable:
    """The matrix with one row per cell, ready for `take_names`.

    Parameters
    ----------
    table : Table
        The matrix.
    layout : str
        One of the keys of `AXES`.
    names : FileNames
        Names for what the matrix does not say.
    options : ReadOptions
        What the caller declares: several metrics are the only columns that are scores, and what
        has a direction is one.

    Raises
    ------
    DataError
        If a cell holds something beside a number, or nothing names the models.
    """
    named, columns, *missing = AXES[layout]
    rows = _row_role(table, named, options)
    parts, seen = survey_columns(table, rows, columns, options)
    if layout == "items-by-trials":
        columns = answer_role(parts.values) or columns
    summaries = _summary_rows(table, parts, seen, rows)
    outside = outside_answers(table, parts, seen, summaries) if rows == "item" else []
    if outside:
        parts = without_outside(table, parts, outside, options)
    parts, made = without_composed(table, parts, rows, summaries, options)
    kept, text, others = numeric_columns(table, seen, parts.values, columns)
    _refuse_other_tasks(table, layout, parts, [*kept], summaries, options)
    answers = kept if columns == "model" and rows != "task" else ()
    if layout == "models-by-tasks":
        parts = _settle_entries(table, parts, kept, options)
    ask_about_readers(table, parts, [*kept, *text] if answers else [], options)
    predicted = ask_beside_models(table, parts, answers, summaries, options)
    remarks = [("columns", _describe(rows, columns, parts, kept, text)), *predicted]
    remarks += _say_of_columns(table, parts, kept, others)
    remarks += spelling_remark(seen[name] for name in kept)
    remarks += made
    if summaries or parts.summaries:
        remarks += _say_of_summaries(table, parts, kept, summaries)
    weights = [name for role, name in parts.traits.items() if role == "weight"]
    remarks += [("task-weights", f"The column {name!r} holds the weights of tasks on the average.")
                for name in weights]  # fmt: skip
    amounts = _amounts(table, parts) if rows == "task" else []
    if amounts:
        shown = ", ".join(map(repr, amounts))
        remarks.append(("amounts", f"Not scores, and left aside: the rows {shown}."))
    if layout == "models-by-items" and options.layout is None:
        remarks.append(("answers", _describe_answers(len(kept))))
    if layout in _UNNAMED_ROWS and _is_unnamed(layout, table, parts, options):
        remarks.append(("unnamed-rows", _UNNAMED_ROWS[layout]))
    below = _footnotes(table, parts, kept)
    remarks += [("footnotes", f"Left aside, below the table: {list_names(below, 3)}.")] * bool(
        below
    )
    melted = _melt(table, parts, kept, rows, columns, [*summaries, *amounts, *below])
    if parts.row_names is None:
        remarks.append(
            ("row-order", f"No column names the {rows}s; rows are paired by their position.")
        )
    if layout == "items-by-trials" and options.layout is None:
        remarks.append(("answers", _describe_trials(kept)))
    roles = {rows: parts.row_names or POSITION, columns: HEADER, "score": "cells"}
    beside = (*(("se",) if parts.errors else ()), *(("n",) if parts.counts else ()))
    roles |= {role: role for role in (*parts.traits, *beside)} | dict(parts.keys)
    lacking = tuple(role for role in missing if role not in roles)
    if names.model is None:
        _refuse_unnamed_model(table, layout, lacking)
    said = _said_of_models(table, parts, kept, rows, amounts)
    corner = parts.row_names or ""
    metric = corner if is_metric_of_matrix(corner) else None
    found = TidyTable(
        melted, roles, frozenset({"condition"} & {*parts.keys}), metric, tuple(remarks), lacking,
        renamed=True, attributes=said, header=tuple(kept),
    )  # fmt: skip
    return keep_newest(found, parts.keys["time"]) if "time" in parts.keys else found


def _settle_entries(
    table: Table, parts: MatrixColumns, kept: Sequence[str], options: ReadOptions
) -> MatrixColumns:
    """The parts, with the column of times if of several rows of a model the newest is to count.

    Raises
    ------
    DataError
        If scores are totals of wins, or a column beside them tells rows of one model apart and
        nothing says what they are.
    """
    if len(options.metrics) < 2:
        refuse_totals_of_wins(table.source, [*parts.values, *parts.dropped])
    if not parts.row_names or parts.keys or "item" in options.columns:
        return parts
    used = {str(place): name for place, name in enumerate(kept)}
    time = find_time(table, used) if options.reruns == "newest" else None
    if time is not None:
        return parts._replace(keys={"time": time})
    refuse_entries_of_matrix(table, parts.row_names, [*kept, *parts.errors.values()])
    return parts


def _refuse_other_tasks(
    table: Table, layout: str, parts: MatrixColumns, kept: Sequence[str], summaries: Sequence[str],
    options: ReadOptions,
) -> None:  # fmt: skip
    """Raises `DataError` where tasks are metrics, or steps that forecasts look ahead."""
    by_row = names_of_rows(table, parts)
    if {*AXES[layout]} == {"model", "task"} and options.layout is None and not options.metrics:
        every = [] if by_row is None else table.texts_in(by_row)
        rows = [name for name in every if name not in summaries]
        refuse_metrics(table.source, layout, parts.row_names or "", rows, kept)
    if layout == "tasks-by-models" and by_row:
        _refuse_steps(table, by_row, (*parts.dropped, *parts.descriptions))


def _refuse_steps(table: Table, named: str, beside: Sequence[str]) -> None:
    """Raises `DataError` where a task has a row for each step that forecasts look ahead."""
    ahead = next(filter(tells_horizon, beside), None)
    if ahead is None:
        return
    relation = table.relate_columns([named, ahead])
    task, step = (f"{relation.columns[name][0]}::VARCHAR" for name in (named, ahead))
    ((tasks, both, first),) = relation.engine.ask(
        f"SELECT count(DISTINCT {task}), count(DISTINCT ({task}, {step})), first({step}) "
        f"FROM {relation.clause}"
    )
    if both == tasks:
        return
    first = first if ahead in Header.of(table).numbers else quote_text(str(first))
    condition = f"{quote_column(ahead)} = {first}"
    joined = f"frame[{named!r}] + ' ' + frame[{ahead!r}].astype(str)"
    raise DataError(
        f"{table.source}: {ahead!r} says how far ahead forecasts look, and each {named!r} has a "
        f"row for each. For one of them: {paste_condition(condition)} (in Python: "
        f"where={condition!r}). If each is a task of its own, join the names, in pandas: "
        f"frame[{named!r}] = {joined}; those of one {named!r} go together (--families FILE)."
    )


def _said_of_models(
    table: Table, parts: MatrixColumns, kept: Sequence[str], rows: str, amounts: Collection[str]
) -> dict[str, dict[str, str]]:
    """What columns beside the scores, or rows of amounts, say of each model."""
    if parts.row_names is None:
        return {}
    if rows == "model":
        beside = [name for name in table.columns if name not in (*kept, parts.row_names)]
        return table.said_of(parts.row_names, [name for name in beside if describes_models(name)])
    held = hold_cells(table, MOST_ROWS) if amounts else {}
    said: dict[str, dict[str, str]] = {}
    for model in kept if amounts else ():
        for named, cell in zip(held[parts.row_names], held[model], strict=True):
            if named in amounts and cell is not None:
                said.setdefault(model, {})[str(named)] = str(cell)
    return said


def _say_of_columns(
    table: Table, parts: MatrixColumns, kept: Sequence[str], others: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """What is said of columns that are no scores."""
    if parts.ratings:
        yield "ratings", _describe_ratings(parts.ratings)
    if others:
        yield "no-scores", _describe_no_scores(others)
    if parts.descriptions:
        yield "no-models", _describe_no_models(parts.descriptions)
    if parts.dropped:
        spreads = [one for one in spread_columns(table.columns) if one in parts.dropped]
        spreads += [one for one in parts.dropped if one.endswith(SE_ENDINGS) and one not in spreads]
        if spreads:
            yield "spreads", _describe_spreads(spreads, kept)


def _say_of_summaries(
    table: Table, parts: MatrixColumns, kept: Sequence[str], summaries: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """What is said of rows and columns that summarise others."""
    if summaries:
        yield "summaries", describe_left_out(summaries)
    if wrong := _wrong_summaries(table, parts, kept, summaries):
        yield "summaries-differ", wrong


def _describe_spreads(names: Sequence[str], scores: Sequence[str]) -> str:
    """What is said of columns that tell how sure others are, and the line by which ends count."""
    ends = {
        role: [name for name in names if word & set(name_words(name))]
        for role, word in (("ci_low", {"lower", "low"}), ("ci_high", {"upper", "high"}))
    }
    line = ""
    if [len(scores), *map(len, ends.values())] == [1, 1, 1]:
        roles = {"score": scores[0]} | {role: found[0] for role, found in ends.items()}
        line = f" If they are the ends of the intervals of {scores[0]!r}: {paste_columns(roles)}."
    return (
        f"Left aside, as no scores: {list_names(names, 6)}. A standard error counts: a column "
        f"whose name ends in _se (of n rows, their standard deviation over √n).{line}"
    )


def _describe_answers(columns: int) -> str:
    return (
        f"All {columns} columns hold 0 and 1, so each is taken for an item, wrong or right, and "
        "the file for one task. If each is a task: --layout models-by-tasks."
    )


def _refuse_unnamed_model(table: Table, layout: str, lacking: Collection[str]) -> None:
    if "model" in lacking:
        raise DataError(
            f"{table.source}: a matrix of {layout.replace('-', ' ')} needs one file per model, "
            "named after it. Give a tidy table with a column of models instead."
        )


def _describe_trials(columns: Sequence[str]) -> str:
    return (
        f"{list_names(columns, 3)} number answers, so each row holds {len(columns)} answers of one "
        "model to an item. If each is a model: --layout items-by-models."
    )


_UNNAMED_ROWS = {
    "models-by-tasks": "The first column has no name; its rows are taken for models. If they are "
    "not: --layout tasks-by-models or items-by-models.",
    "items-by-models": "The first column has no name; its rows are taken for items, which are many "
    "and hold 0 and 1. If they are not: --layout models-by-tasks or tasks-by-models.",
}


def _is_unnamed(layout: str, table: Table, parts: MatrixColumns, options: ReadOptions) -> bool:
    if layout == "models-by-tasks":
        return not parts.row_names
    first = table.columns[0]
    guessed = options.layout is None and options.rows is None and first in ("", "Unnamed: 0")
    return guessed and parts.row_names in (None, first)


def _describe_no_models(names: Sequence[str]) -> str:
    one = len(names) == 1
    what = "The column" if one else "The columns"
    rest = "is no model by its name, and is" if one else "are no models by their names, and are"
    which = "it is one" if one else "one of them is a model"
    return (
        f"{what} {list_names(names, 6)} {rest} left aside. If {which}, name all models: --models "
        "NAME."
    )


def _summary_rows(
    table: Table, parts: MatrixColumns, seen: Mapping[str, NumberColumn], rows: str
) -> list[str]:
    """Names of rows that summarise the others, by name or as the means of the items above them."""
    named = names_of_rows(table, parts)
    if named is None:
        return []
    items = rows == "item"
    every = table.texts_in(named)
    plain = names_summaries(every, tasks=rows == "task") if rows != "model" else []
    apart = [] if plain or rows == "model" else beside_numbered(every)
    wanted = _if_not_all(every, lambda name: (
        is_summary(name) or name in plain or name in apart
        or (items and (is_share_right(name) or name == MARGIN))
    ))  # fmt: skip
    shares = [name for name in wanted if not (is_summary(name) or name in plain)]
    if not shares:
        return wanted
    means: set[str] = set()
    held = hold_cells(table, MOST_ITEMS + 1)
    if len(held[named]) <= MOST_ITEMS:
        values = [name for name in parts.values if seen[name].unread is None]
        items_only = without_rows(held, named, wanted)
        columns = [items_only[name] for name in values]
        rows_of = zip(held[named], *(held[name] for name in values), strict=True)
        means = {str(name) for name, *row in rows_of if name in shares
                 and repeats_means(row, columns)}  # fmt: skip
    if means & set(apart):
        means |= {name for name in apart if rows != "task" or is_statistic(name)}
    return [name for name in wanted if name in means or name not in shares]


def _amounts(table: Table, parts: MatrixColumns) -> list[str]:
    """Rows of tasks that hold times, costs or sizes of models."""
    if parts.row_names is None:
        return []
    return _if_not_all(table.texts_in(parts.row_names), is_attribute)


def _footnotes(table: Table, parts: MatrixColumns, kept: Sequence[str]) -> list[str]:
    """Names of rows without a score that begin as notes below a table do."""
    if parts.row_names is None:
        return []
    names = [name for name in table.texts_in(parts.row_names) if _FOOTNOTE.match(name)]
    held = hold_cells(table, MOST_ROWS) if names else {}
    cells = zip(*(held[name] for name in kept), strict=True) if names else ()
    empty = {str(name) for name, own in zip(held.get(parts.row_names, ()), cells, strict=True)
             if all(cell in (None, "") for cell in own)}  # fmt: skip
    return [name for name in names if name in empty]


_FOOTNOTE = re.compile(r"(?i)[*†‡§]+\s*\S|(?:notes?|sources?|legend|anmerkung(?:en)?|quellen?)\s*:")


def _if_not_all(names: Sequence[str], wanted: Callable[[str], bool]) -> list[str]:
    """Those names that are `wanted`; none where all are."""
    found = [name for name in names if wanted(name)]
    return found if len(found) < len(names) else []


def _wrong_summaries(
    table: Table, parts: MatrixColumns, kept: Sequence[str], summaries: Sequence[str]
) -> str:
    """Which summaries, in rows and columns, are not those of the data beside them."""
    if parts.row_names is None:
        return ""
    held = hold_cells(table, MOST_ROWS + 1)
    names = held[parts.row_names]
    if len(names) > MOST_ROWS:
        return ""
    plain = without_rows(held, parts.row_names, summaries)
    columns = [plain[name] for name in kept]
    above = {name: plain[name] for name in parts.summaries}
    below = {str(name): [held[one][at] for one in kept]
             for at, name in enumerate(names) if name in summaries}  # fmt: skip
    called = list(map(str, plain[parts.row_names]))
    rows = [list(row) for row in zip(*columns, strict=True)]
    found = [
        check_summaries(above, rows, called, "column"),
        check_summaries(below, columns, kept, "row"),
    ]
    return " ".join(filter(None, found))


def _row_role(table: Table, named: str, options: ReadOptions) -> str:
    """What names the rows of a matrix; folds, runs, repeats or trials may stand for items."""
    if named != "item" or options.columns.get("item"):
        return named
    if any(fold_name(name) in corner_names("item") for name in table.columns):
        return named
    return next(iter(Header.of(table).keys), "item")


def _describe_ratings(names: Sequence[str]) -> str:
    one = len(names) == 1
    return (
        f"Left aside, as {'a rating, which has' if one else 'ratings, which have'} no average with "
        f"scores: {list_names(names, 6)}. If {'it is a task' if one else 'they are tasks'}, name "
        "all tasks: --metric NAME for each."
    )


def _describe_no_scores(names: Sequence[str]) -> str:
    return (
        f"Left aside, as no scores: {list_names(names, 6)} (nothing in it, or true and false "
        "beside numbers). If true and false are scores, write 1 and 0."
    )


def _melt(
    table: Table, parts: MatrixColumns, kept: Sequence[str], rows: str, columns: str,
    summaries: Sequence[str],
) -> Rows:  # fmt: skip
    labels = {role: name for role, name in parts.traits.items() if role not in TASK_NUMBERS}
    labels |= parts.keys
    numbers = {role: name for role, name in parts.traits.items() if role in TASK_NUMBERS}
    if parts.row_names is not None:
        labels[rows] = parts.row_names
    lists: dict[str, Sequence[str | None]] = {"score": kept}
    if parts.errors:
        lists["se"] = [parts.errors[name] for name in kept]
    if parts.counts:
        lists["n"] = [parts.counts.get(name) for name in kept]
    named = names_of_rows(table, parts)
    left_out = (named, summaries) if named is not None and summaries else None
    numbered = None if rows in labels else rows
    return table.below(labels, numbers, columns, lists, kept, numbered, left_out)


def _describe(
    rows: str, columns: str, parts: MatrixColumns, kept: Sequence[str], text: Sequence[str]
) -> str:
    many = "column" if len(kept) == 1 else "columns"
    across = "trial" if columns == "epoch" else columns
    message = f"A matrix, {rows}s by {across}s, with {len(kept)} {many} of scores"
    if columns == "task" and len(kept) <= _MOST_TASKS_NAMED:
        message += f" ({', '.join(map(repr, kept))})"
    if parts.row_names is not None:
        by = repr(parts.row_names) if parts.row_names else "the first column"
        message += f"; rows are named by {by}"
    if "task" in parts.keys:
        message += f", within tasks by {parts.keys['task']!r}"
    if "cluster" in parts.keys:
        message += f", and go together by {parts.keys['cluster']!r}"
    dropped = [*(name or "(unnamed index)" for name in parts.dropped), *text]
    return f"{message}. Not used: {', '.join(map(repr, dropped))}." if dropped else f"{message}."


_MOST_TASKS_NAMED = 12
