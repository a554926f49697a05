"""Tidy tables: one row per score. From the header to a coded table whose roles are known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import reduce

import numpy as np

from rankbars.data.notes import list_names
from rankbars.errors import DataError, Lacking
from rankbars.tables.asides import (
    describes_models,
    is_summary,
    likely_scores,
)
from rankbars.tables.cells import NumberColumn, Unread, merge_columns, parse_number
from rankbars.tables.columns import (
    NUMBER_ROLES,
    Columns,
    find_columns,
    fold_name,
    paste_columns,
    role_names,
)
from rankbars.tables.conditions import paste_condition, quote_column
from rankbars.tables.database import quote
from rankbars.tables.likelyroles import describe_lists
from rankbars.tables.metrics import is_trial_metric, usual_direction
from rankbars.tables.metricwords import split_words
from rankbars.tables.parsedtables import FileNames, TidyTable, take_names
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.scoresides import ask_about_label, refuse_other_sides
from rankbars.tables.settings import find_settings
from rankbars.tables.summaryrows import describe_left_out, is_share_right, names_summaries
from rankbars.tables.tableheads import HEAD_ROWS, Header, find_state
from rankbars.tables.tablerows import Rows, Table
from rankbars.tables.tasktwice import find_complements
from rankbars.tables.words import ask_about_words

__all__ = ["check_numbers", "prepare_tidy", "spelling_remark"]


def prepare_tidy(table: Table, names: FileNames, options: ReadOptions) -> TidyTable:
    """The rows by role; what only its file can name is left open for `take_names`.

    Raises
    ------
    DataError
        If the score column cannot be found or holds text, or there is no name for the model.
    """
    columns, rows, summaries = _code(table, options)
    ask_about_label(table, columns, options)
    roles = dict(columns.roles)
    numbers = {role: name for role, name in roles.items() if role in NUMBER_ROLES}
    remarks = [("columns", _describe(columns)), *_origins(columns), *_lengths(table, columns)]
    lacking = tuple(role for role in ("model", "task") if role not in roles)
    if "model" in lacking and names.model is None:
        raise DataError(
            f"{table.source}: no column names the model. Columns: {list_names(table.columns, 20)}. "
            "Name it: --column model=NAME (in Python: model='NAME')."
        )
    remarks += spelling_remark(rows.numbers.values())
    if summaries:
        remarks.append(("summaries", describe_left_out(summaries)))
    remarks += [] if options.where else _failed_calls(table, columns)
    refuse_other_sides(table, roles, columns.unused, options.direction)
    beside = [name for name in columns.unused if describes_models(name)]
    said = table.said_of(roles["model"], beside) if "model" in roles else {}
    found = TidyTable(
        rows, roles, columns.named, None, tuple(remarks), lacking, table=table, attributes=said,
        settings=find_settings(table, roles, columns.unused),
    )  # fmt: skip
    check_numbers(take_names(found, names).rows, numbers)
    if "metric" in roles:
        return found
    metric, renamed = _metric_name(table, roles["score"], options)
    return found._replace(metric=metric, renamed=renamed)


_ORIGINS = frozenset({"cutoff", "origin", "forecastorigin", "forecastdate", "fcd", "inputend"})


def _origins(columns: Columns) -> list[tuple[str, str]]:
    """What is said where a column names from when forecasts were made, and nobody uses it."""
    if "cluster" in columns.roles or "item" not in columns.roles:
        return []
    found = next((name for name in columns.unused if fold_name(name) in _ORIGINS), None)
    if found is None:
        return []
    return [(
        "forecast-origins",
        f"{found!r} seems to say from when forecasts were made. Errors of several steps from one "
        "origin are high or low together, which makes intervals too short where rows count as "
        f"independent: {paste_columns({'cluster': found})} (in Python: columns="
        f"{{'cluster': {found!r}}}).",
    )]  # fmt: skip


# Errors per word or character, which whole corpora have as the sum of errors over that of words.
_PER_LENGTH = split_words("wer cer ter mer wil per ser jer der worderrorrate charactererrorrate")


def _lengths(table: Table, columns: Columns) -> list[tuple[str, str]]:
    """What is said where rates of errors have one mean over items, and another over their words.

    A column holds the lengths where each rate times it is a whole number, as errors are.
    """
    score = columns.roles["score"]
    if fold_name(score) not in _PER_LENGTH or "item" not in columns.roles:
        return []
    if "weight" in columns.roles:
        return []
    header = Header.of(table)
    rates = np.array(header.read[score], float)
    digits = max((len(str(cell).partition(".")[2]) for cell in header.cells[score]), default=0)
    said = (
        f"The score is the mean of {score!r} over items, each of which counts the same. That of a "
        "whole corpus is the sum of errors over the sum of words, and may have another order: "
    )
    for name in columns.unused:
        if name not in header.numbers:
            continue
        lengths = np.array(header.read[name], float)
        slack = 0.5 * lengths * 10.0**-digits + 1e-9
        errors = rates * lengths
        whole = (lengths % 1.0 == 0.0) & (lengths > 0.0)
        known = ~np.isnan(errors)
        if not known.any() or np.ptp(lengths[known]) == 0.0 or slack[known].max() > _MOST_SLACK:
            continue
        if (whole & (abs(errors - errors.round()) <= slack))[known].all():
            line = paste_columns({"weight": name})
            return [("mean-of-rates", f"{said}{line} (in Python: columns={{'weight': {name!r}}}).")]
    return [("mean-of-rates", f"{said}give the number of words in a column, and name it: "
             "--column weight=NAME.")]  # fmt: skip


_MOST_SLACK = 0.1  # of an error, from digits that were rounded

_FAILED = re.compile(r"(?i)\W{0,2}(error|exception|traceback|timeout)\b")
_STATUS_CODES = frozenset({"statuscode", "httpstatus", "httpcode", "httpstatuscode"})


def _failed_calls(table: Table, columns: Columns) -> list[tuple[str, str]]:
    """What columns without a role say of calls that gave no answer, and have a score all the same.

    A column called after errors has a role of its own; here it is the text of the answer.
    """
    head, found = table.head(HEAD_ROWS), []
    for name in columns.unused:
        cells = [row[table.columns.index(name)] for row in head]
        if fold_name(name) in _STATUS_CODES:
            codes = [parse_number(str(cell)) or 0.0 for cell in cells]
            failed, condition = sum(code >= 400.0 for code in codes), f"{quote_column(name)} < 400"
        else:
            texts = [match[0] for cell in cells if isinstance(cell, str)
                     and (match := _FAILED.match(cell))]  # fmt: skip
            failed, words = len(texts), set(texts)
            condition = " and ".join(
                f"{quote_column(name)} not like '{word}%'" for word in sorted(words)
            )
        if 0 < failed < len(head):
            found.append((
                "scored-errors",
                f"{failed:,} of the first {len(head):,} rows have an error in {name!r} and a "
                "score, which counts like any other. If those calls failed and the model gave no "
                f"answer, leave them out: {paste_condition(condition)} (in Python: "
                f"where={condition!r}).",
            ))  # fmt: skip
    return found


def spelling_remark(columns: Iterable[NumberColumn]) -> list[tuple[str, str]]:
    """What was read of numbers that are written in an unusual way."""
    text = _describe_spellings(reduce(merge_columns, columns, NumberColumn()))
    return [("spelling", text)] if text else []


def _code(table: Table, options: ReadOptions) -> tuple[Columns, Rows, list[str]]:
    """Roles, the rows, and the names of models, tasks and items that summarise others.

    Once more if a file without a header had columns further down.
    """
    while True:
        known = table.columns
        columns = _find(table, options)
        if "score" not in columns.roles:
            raise DataError(_no_score(table, columns))
        roles = columns.roles.items()
        left_out = _summaries(table, columns.roles)
        labels = {role: name for role, name in roles if role not in NUMBER_ROLES}
        numbers = {role: name for role, name in roles if role in NUMBER_ROLES}
        rows = table.rows(labels, numbers, left_out)
        below = _summary_items(rows)
        if below:
            left_out = {labels["item"]: below}
            rows = table.rows(labels, numbers, left_out)
        if table.columns == known or _find(table, options).roles == columns.roles:
            return columns, rows, [name for names in left_out.values() for name in names]


def _summaries(table: Table, roles: Mapping[str, str]) -> dict[str, list[str]]:
    """Names that summarise others, by column: of runs, and of tasks and models without answers."""
    again = {"fold", "repeat", "run", "epoch"} & set(roles)
    looked = sorted(again) or (("model", "task") if {"model", "task"} <= set(roles) else ())
    if {"item", "variant"} & set(roles):
        return {}
    texts = {roles[role]: table.texts_in(roles[role]) for role in looked}
    found = {column: names_summaries(names, tasks=not again) for column, names in texts.items()}
    return {column: names for column, names in found.items() if 0 < len(names) < len(texts[column])}


def _summary_items(rows: Rows) -> list[str]:
    """Names of items that summarise the others, which all have a number in their names."""
    if rows.labels.get("item") != "text" or rows.count > _MOST_LOOKED_AT:
        return []
    numbered = "regexp_matches(item, '[0-9]')"
    found = rows.selection.ask(
        lambda every, key: (
            f"SELECT DISTINCT {key}item FROM {every} WHERE NOT {numbered}"
            + ("" if key else f" LIMIT {_MOST_SUMMARIES}")
        )
    )[:_MOST_SUMMARIES]
    names = sorted(name for (name,) in found)
    named = all(is_summary(name) or is_share_right(name) for name in names)
    if not names or not named or len(names) == _MOST_SUMMARIES:
        return []
    others = rows.engine.ask(f"SELECT 1 FROM {rows.clause} WHERE {numbered} LIMIT 1")
    return names if others else []


_MOST_LOOKED_AT, _MOST_SUMMARIES = 200_000, 10  # rows, and names


def check_numbers(rows: Rows, numbers: Mapping[str, str]) -> None:
    """Raises `DataError` if a cell of a number column (by role) is not a number."""
    for role, name in numbers.items():
        column = rows.numbers[role]
        if column.unread is not None:
            raise DataError(_not_a_number(rows, role, name, column.unread))
        if column.either:
            raise DataError(f"{rows.source}: the column {name!r} ({role}) holds {column.either}")
        if column.mixture:
            raise DataError(
                f"{rows.source}: the column {name!r} ({role}) holds {column.mixture}. Write all "
                f"of them the same way.{_where_largest(rows, role, column)}"
            )


def _where_largest(rows: Rows, role: str, column: NumberColumn) -> str:
    """Where the number stands that is no truth value."""
    if not column.truths:
        return ""
    cell = quote(role)
    found = rows.engine.ask(
        f"SELECT place FROM {rows.clause} WHERE {cell} IS NOT NULL ORDER BY {cell} DESC LIMIT 1"
    )
    place = rows.place(found[0][0], _names_at(rows, found[0][0]))
    return (
        f" {column.largest:g} stands in {place}. If that is no result, take the others: --where "
        "CONDITION on a column that tells them apart."
    )


def _not_a_number(rows: Rows, role: str, name: str, unread: Unread) -> str:
    from rankbars.tables.decorated import advise_about_cell, describe_decoration

    place = rows.place(unread.row, _names_at(rows, unread.row))
    more = f" ({unread.cells} such cells)" if unread.cells > 1 else ""
    hint = ""
    asked = ask_about_words(rows.numbers[role])
    if asked:
        return f"{place}: the {role} {unread.text!r} in column {name!r} is no number{more}. {asked}"
    if "," in unread.text and parse_number(unread.text, ",") is not None:
        return (
            f"{place}: the {role} {unread.text!r} in column {name!r} is no number with a decimal "
            f"point{more}. {advise_about_cell(unread.text)}"
        )
    if "." in unread.text and parse_number(unread.text) is not None:  # read with a decimal comma
        return (
            f"{place}: the {role} {unread.text!r} in column {name!r} is no number with a decimal "
            f"comma{more}. Write all of them the same way, or leave out --decimal ,."
        )
    if unread.text.lstrip().startswith("["):
        hint = f" {describe_lists(name)}"
    elif re.match(r"\s*[-+]?[0-9.]+\s*(±|\+/-|\(|/|\*)", unread.text):
        hint = " A cell may hold one number only; move the rest to a column of its own."
        hint = f" {describe_decoration(unread.text)}" if describe_decoration(unread.text) else hint
    shown = unread.text if len(unread.text) <= 40 else unread.text[:39] + "…"
    return (
        f"{place}: the {role} {shown!r} in column {name!r} is not a number{more}. Expected a "
        f"number, true or false, a percentage, or an empty cell.{hint} Correct the cell, or name "
        f"another column: --column {role}=NAME (in Python: columns={{{role!r}: 'NAME'}})."
    )


def _names_at(rows: Rows, place: int) -> dict[str, str | None]:
    """Names of one row, by role."""
    roles = list(rows.labels)
    cells = ", ".join([*(f"{quote(role)}::VARCHAR" for role in roles), "NULL"])
    found = rows.engine.ask(f"SELECT {cells} FROM {rows.clause} WHERE place = {place} LIMIT 1")
    return {**dict(zip(roles, found[0][:-1], strict=True)), **rows.constants}


def _find(table: Table, options: ReadOptions) -> Columns:
    """Roles of the columns; a column of the states of runs says which of them have a score."""
    columns = _find_named(table, options)
    error = columns.roles.get("se")
    if error and find_complements(Header.of(table)).get(error) == columns.roles.get("score"):
        # What is wrong, not how sure it is what is right.
        roles = {role: name for role, name in columns.roles.items() if role != "se"}
        columns = columns._replace(roles=roles, unused=(*columns.unused, error))
    state = find_state(Header.of(table))
    if state not in columns.unused or {"status"} & {*columns.roles, *options.columns}:
        return columns
    unused = tuple(name for name in columns.unused if name != state)
    return columns._replace(roles={**columns.roles, "status": str(state)}, unused=unused)


def _find_named(table: Table, options: ReadOptions) -> Columns:
    named = dict(options.columns)
    texts = frozenset(table.columns) - Header.of(table).numbers
    columns = find_columns(
        table.columns, {"score": "", **named} if options.metric else named, source=table.source,
        texts=texts,
    )  # fmt: skip
    if measured := _names_of_metrics(table, columns):
        named = {"model": "", "metric": measured, **named}
        columns = find_columns(
            table.columns, {"score": "", **named} if options.metric else named,
            source=table.source, texts=texts,
        )  # fmt: skip
    if options.metric is None or "score" in named:
        return columns
    if options.metric in table.columns and "metric" not in columns.roles:
        # Metrics may stand side by side, each in its column.
        named["score"] = options.metric
    return find_columns(table.columns, named, source=table.source, texts=texts)


def _names_of_metrics(table: Table, columns: Columns) -> str:
    """The column that would be that of the models, if it names metrics instead; else empty."""
    column = columns.roles.get("model", "")
    told = "model" in columns.named or "metric" in columns.roles
    if not column or told or fold_name(column) in role_names("model"):
        return ""
    names = {str(cell) for cell in Header.of(table).cells[column]}
    return column if names and all(map(usual_direction, names)) else ""


def _metric_name(table: Table, column: str, options: ReadOptions) -> tuple[str, bool]:
    """Name of the metric where there is no column of metrics; whether the file's goes first."""
    unnamed = usual_direction(column) is None or fold_name(column) == "score"
    if options.metric is None or options.metric == column:
        return column, unnamed and options.metric is None
    if unnamed and not is_trial_metric(options.metric):  # that is made of scores, and no name
        return options.metric, False
    error = DataError(
        f"{table.source}: the metric {options.metric!r} is not in the table; its score column is "
        f"{column!r}. Columns: {', '.join(map(repr, table.columns))}."
    )
    raise error.about(Lacking("metric", (options.metric,), (column,)))


def _describe(columns: Columns) -> str:
    text = f"{columns.describe()}."
    if columns.passed_over:
        text += f" Passed over for a better name: {list_names(columns.passed_over, 20)}."
    unused = [name for name in columns.unused if name not in columns.passed_over]
    return f"{text} Not used: {list_names(unused, 20)}." if unused else text


def _no_score(table: Table, columns: Columns) -> str:
    numeric = Header.of(table).numeric
    free = [name for name in columns.unused if name]
    candidates = likely_scores(name for name in free if name in numeric)
    candidates = candidates or [name for name in free if usual_direction(name)] or free
    name = candidates[0] if candidates else "NAME"
    return (
        f"{table.source}: no column is recognised as the score. Columns: "
        f"{list_names(table.columns, 20)}. Name it: {paste_columns({'score': name})} (in Python: "
        f"score={name!r})."
    )


# Unusual spellings of numbers, and what is done with them.
_SPELLINGS = {
    "thousands": "commas between thousands are left out",
    "points": "points between thousands are left out",
    "comma": "a comma is the decimal mark",
    "point": "the point is the decimal mark; if it stands between thousands, --decimal ,",
    "duration": "durations are read as seconds",
    "mark": "marks behind a value are left aside",
    "word": "pass counts as 1, fail as 0",
    "skipped": "skipped counts as no score",
    "right": "correct, solved, ✓ and the like count as 1, their opposites as 0",
    "bold": "marks around a value are left aside",
}


def _describe_spellings(column: NumberColumn) -> str:
    """Which unusual spellings of numbers were read, and how; empty if there are none.

    Examples
    --------
    >>> _describe_spellings(NumberColumn(spellings=(("mark", "61.2*"),)))
    "Cells such as '61.2*': marks behind a value are left aside."
    """
    return " ".join(
        f"Cells such as {example!r}: {_SPELLINGS[kind]}."
        for kind, example in column.spellings
        if kind in _SPELLINGS
    )
