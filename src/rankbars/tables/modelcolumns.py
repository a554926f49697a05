"""Columns beside those of models that may be none: measures, right answers, mixes of the others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import compress, permutations

import numpy as np

from rankbars.data.notes import list_names
from rankbars.errors import DataError
from rankbars.tables.cells import NumberColumn, parse_number
from rankbars.tables.columnkinds import (
    ask_about_models,
    find_truths,
    refuse_predictions,
    score_predictions,
    seem_predictions,
)
from rankbars.tables.columns import fold_name, paste_columns, paste_names, role_names
from rankbars.tables.derivedscores import find_changes, find_composed, find_margin
from rankbars.tables.matrixcolumns import MatrixColumns
from rankbars.tables.metrics import usual_direction
from rankbars.tables.metricwords import split_words
from rankbars.tables.oddscores import ask_about_mark, find_mark
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.tableheads import HEAD_ROWS, TRUTHS, Header
from rankbars.tables.tablerows import Table
from rankbars.tables.valuetables import hold_cells

__all__ = [
    "MOST_ITEMS",
    "ask_about_readers",
    "ask_beside_models",
    "names_of_rows",
    "outside_answers",
    "refuse_answers",
    "refuse_score",
    "without_composed",
    "without_outside",
    "without_rows",
]  # fmt: skip

# In longer tables a row called accuracy is an item.
MOST_ITEMS = 100_000

# What a model said, beside what was right: names of columns, which hold no scores.
_SAID = split_words("""
    pred preds prediction predictions predicted predictedlabel predlabel predictedanswer predanswer
    ypred yhat modelanswer modeloutput modelprediction response output completion guess
""")


def refuse_answers(table: Table, header: Header) -> None:
    """Right answers beside those of a model, before anybody compared them, are no scores."""
    truth = next((name for name in header.columns if fold_name(name) in TRUTHS), None)
    said = next((name for name in header.columns if fold_name(name) in _SAID), None)
    if truth is None or said is None or header.has("score", weak=True):
        return
    if any(usual_direction(name) for name in header.columns if name in header.numeric):
        return
    score = paste_columns({"score": said})
    more = f" If one of them is a score all the same: {score}." if said in header.numeric else ""
    raise DataError(
        f"{table.source}: {truth!r} and {said!r} are right answers and those of a model, and "
        f"nothing says which are right. Score them first, such as (in pandas) frame['correct'] = "
        f"(frame[{said!r}] == frame[{truth!r}]).astype(int), and leave both out.{more}"
    )


def refuse_score(table: Table, header: Header) -> None:
    """A column that is called as scores are, beside items, is no model."""
    known = role_names("score", weak=True)
    scores = [name for name in header.columns if fold_name(name) in known]
    others = [name for name in header.unexplained if name not in (header.corner, *scores)]
    if not scores or not others:
        return
    lines = paste_names("--models", others)
    choices = " or ".join(paste_columns({"score": name}) for name in scores)
    raise DataError(
        f"{table.source}: {list_names(scores, 4)} is called as a score is, so the file seems to "
        f"hold the answers of one model, and {list_names(others, 4)} to say more of them. If so, "
        f"name the score: {choices} (in Python: columns={{'score': {scores[0]!r}}}). If the others "
        f"are models: --layout items-by-models {lines}."
    )


def ask_beside_models(
    table: Table, parts: MatrixColumns, kept: Sequence[str], summaries: Collection[str],
    options: ReadOptions,
) -> list[tuple[str, str]]:  # fmt: skip
    """Columns of another kind than those of the models, unless the caller named models.

    And models that hold answers, where a column beside them holds the right ones. What is said
    where they may be predictions of numbers, and no scores.
    """
    if options.models or not kept:
        return []
    given = _plain_cells(table, parts, summaries)
    told = [name for name in table.columns if _is_truth(name, kept) and name != parts.row_names]
    read = {name: np.array([parse_number(str(cell), table.decimal) for cell in given[name]], float)
            for name in {*kept, *told}}  # fmt: skip
    cells = {name: read[name] for name in kept}
    truths = told or [name for name in kept if _may_be_truth(name)] or find_truths(cells)
    for truth in truths[:1]:
        models = {name: read[name] for name in kept if name not in truths}
        refuse_predictions(table.source, truth, read[truth], models, never_model=bool(told))
    if told and told[0] in kept:
        rest = [name for name in kept if name not in told]
        lines, every = (paste_names("--models", names) for names in (rest, kept))
        raise DataError(
            f"{table.source}: {told[0]!r} holds right answers by its name, and is no model. Name "
            f"the models: {lines} (in Python: models={rest!r}). If it is one: {every}."
        )
    ask_about_models(table.source, cells)
    if options.metric is not None or not seem_predictions(cells):
        return []
    said = (
        f"{list_names(kept, 4)} hold nearly the same number in each row, as predictions do, which "
        f"are no scores. If they are: score them first, "
        f"{score_predictions(parts.row_names or 'ID')}. If they are scores: "
        f"{paste_names('--models', kept)}."
    )
    return [("predictions", said)]


def ask_about_readers(
    table: Table, parts: MatrixColumns, names: Sequence[str], options: ReadOptions
) -> None:
    """Rows that nothing names, of which two columns together name each: cases and their readers.

    Raises
    ------
    DataError
        If there are two such columns, and each of one meets each of the other.
    """
    given = {"item", "cluster", "epoch"} & {*options.columns}
    if parts.row_names is not None or given or options.rows is not None:
        return
    header = Header.of(table)
    free = [name for name in (*parts.dropped, *names) if name not in options.models]
    groups = [
        name for name in free
        if name not in header.row_numbers and (name not in header.numbers
                                               or header.counts_groups(name))
    ]  # fmt: skip
    kinds = {name: len({*map(str, header.cells[name])}) for name in groups}
    rows = len(header.rows)
    for case, reader in permutations(groups, 2):
        many, few = kinds[case], kinds[reader]
        crossed = _CROSSED * many * few <= rows <= many * few
        if not (many >= few > 1 and crossed and header.is_different(case, reader)):
            continue
        readings, together = paste_columns({"item": case, "epoch": reader}), {"cluster": case}
        raise DataError(
            f"{table.source}: no column names the rows, and {case!r} and {reader!r} together do, "
            f"so that {rows}{' or more' * (rows == HEAD_ROWS)} rows may be {many} items. If "
            f"several rows of one {case!r} are readings of it, which are averaged: "
            f"{readings}. If rows are items of their own that go together: "
            f"{paste_columns(together)}. If they do not: --rows items."
        )


# Of all pairs of two columns so many have a row at least.
_CROSSED = 0.8


def _is_truth(name: str, models: Sequence[str]) -> bool:
    """Whether a column beside those of models holds right answers, as no model is called.

    >>> _is_truth("y_true", ["bert"]), _is_truth("y", ["bert", "y"]), _is_truth("y", ["x", "y"])
    (True, True, False)
    """
    letter = name == "y" and all(len(one) > 1 for one in models if one != name)
    return letter or fold_name(name) in TRUTHS - _MAY_BE_TRUTHS


def _may_be_truth(name: str) -> bool:
    return fold_name(name) in _MAY_BE_TRUTHS


# A person, or a reference, is what models are compared with, or one of those that answered.
_MAY_BE_TRUTHS = frozenset({"reference", "human", "humans", "humanlabel", "expert", "annotator",
                            "majority", "majorityvote", "consensus"})  # fmt: skip


def outside_answers(
    table: Table, parts: MatrixColumns, seen: Mapping[str, NumberColumn], summaries: Sequence[str]
) -> list[str]:
    """Columns with numbers below 0 or above 1 beside columns that hold only 0 and 1."""
    held = without_rows(Header.of(table).cells, parts.row_names, summaries)
    answers, outside = [], []
    for name in parts.values:
        if seen[name].unread is not None or seen[name].percentages:
            continue
        cells = [parse_number(str(cell), table.decimal) for cell in held[name] if cell is not None]
        found = {number for number in cells if number is not None and number == number}
        if seen[name].only_truths or (found and found <= {0.0, 1.0}):
            answers.append(name)
        elif any(not 0.0 <= number <= 1.0 for number in found):
            outside.append(name)
    return outside if len(answers) >= max(2, len(outside)) else []


def without_outside(
    table: Table, parts: MatrixColumns, outside: Sequence[str], options: ReadOptions
) -> MatrixColumns:
    """The parts without columns of another scale that are not chosen.

    Raises
    ------
    DataError
        If nothing says whether they are models.
    """
    if options.minimum is not None or options.maximum is not None:
        return parts
    chosen = set(options.models) & set(parts.values)
    others = [name for name in parts.values if name not in outside]
    if not chosen:
        _ask_about_mark(table, parts.values, outside)
        lines = paste_names("--models", others)
        raise DataError(
            f"{table.source}: {list_names(outside, 6)} {'holds' if len(outside) == 1 else 'hold'} "
            "other numbers than 0 and 1, the columns beside it only 0 and 1, so it may be no "
            f"model. If it is none, name the models: {lines} (in Python: models={others!r}). If "
            "all numbers are on one scale, declare it: --score-min LOWEST --score-max HIGHEST "
            "(in Python: minimum=LOWEST, maximum=HIGHEST)."
        )
    return parts.without([name for name in outside if name not in chosen])


def _ask_about_mark(table: Table, values: Sequence[str], outside: Sequence[str]) -> None:
    """Raises `DataError` where all that is outside of 0 and 1 is one number that people write."""
    held = hold_cells(table, MOST_ITEMS)
    cells = np.array([[parse_number(str(cell)) for cell in held[name]] for name in values], float)
    mark = find_mark(cells)
    if mark is not None:
        found = cells == mark.value
        row = table.header_rows + 1 + int(np.argmax(found.any(axis=0)))
        place = f"{table.source}, row {row}, {list_names(outside, 3)}"
        raise ask_about_mark(place, "all", mark, int(found.sum()))


def without_composed(
    table: Table, parts: MatrixColumns, rows: str, summaries: Sequence[str], options: ReadOptions
) -> tuple[MatrixColumns, list[tuple[str, str]]]:
    """The parts without columns that are made of others, and what there is to say of these.

    Raises
    ------
    DataError
        If each number of some rows has its sign: changes from another row.
    """
    named = names_of_rows(table, parts)
    held = _plain_cells(table, parts, summaries)
    cells = {name: held[name] for name in parts.values}
    composed, columns, places, margin = {}, list[str](), list[int](), None
    if rows == "item":
        composed = find_composed(cells, options.models)
        margin = find_margin(cells, options.models)
    else:
        columns, places = find_changes(cells)
    if places:
        rows_seen = len(next(iter(cells.values())))
        called = "" if named is None else f" (such as {str(held[named][places[0]])!r})"
        raise DataError(
            f"{table.source}: in {len(places)} of {rows_seen} rows{called} each number has a sign, "
            "as changes from another row have, and in the others none has. Write scores in all "
            "rows, or leave these rows out."
        )
    gone = [*composed, *columns, *([] if margin is None else [margin])]
    remarks = [
        (
            "no-models",
            f"{name!r} is right where {words}, and nowhere else: made of them, and left aside. If "
            "it is a model, name all models: --models NAME.",
        )
        for name, words in composed.items()
    ]
    if margin is not None:
        said = f"{margin!r} is the mean of all others, and left aside."
        remarks.append(("no-models", f"{said} If it is a model, name all models: --models NAME."))
    return parts.without(gone), remarks


def _plain_cells(
    table: Table, parts: MatrixColumns, summaries: Collection[str]
) -> dict[str, list[object]]:
    """Cells of the first rows by column, without those of summaries."""
    return without_rows(hold_cells(table, _LOOKED_AT), names_of_rows(table, parts), summaries)


def without_rows(
    cells: Mapping[str, list[object]], named: str | None, left_out: Collection[str]
) -> dict[str, list[object]]:
    """Cells by column, without those rows whose name is one of those `left_out`."""
    if named is None or not left_out:
        return dict(cells)
    kept = [name not in left_out for name in cells[named]]
    return {column: list(compress(own, kept)) for column, own in cells.items()}


# Rows that show whether a column is made of others.
_LOOKED_AT = 200


def names_of_rows(table: Table, parts: MatrixColumns) -> str | None:
    """The column that names rows; one without a name, where it only numbers them."""
    first = table.columns[0] if table.columns else None
    return first if parts.row_names is None and first in ("", "Unnamed: 0") else parts.row_names
