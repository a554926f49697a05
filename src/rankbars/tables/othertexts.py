"""Texts beside ids: whether models that share ids were asked the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rankbars.data.notes import Note
from rankbars.errors import DataError
from rankbars.tables.columns import fold_name, paste_columns
from rankbars.tables.database import quote_text
from rankbars.tables.designs import plan_rows
from rankbars.tables.parsedtables import ParsedTable, TidyTable, take_names
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.reruns import TEXTS, take_item, with_roles
from rankbars.tables.tablerows import Rows

__all__ = ["OtherTexts", "other_texts", "texts_of_sides"]


class OtherTexts(NamedTuple):
    """A column of texts that are not the same where ids are."""

    column: str
    parts: list[TidyTable]  # with the texts as items, if they match rows; else none
    notes: tuple[Note, ...] = ()  # where they do not


def other_texts(parts: Sequence[TidyTable], *, disjoint: bool, anyway: bool) -> OtherTexts | None:
    """Where models share ids, and have other texts beside them; None if they have the same.

    Where the caller named the items, only right answers beside them are looked at.

    Parameters
    ----------
    parts : sequence of TidyTable
        The tables.
    disjoint : bool
        Whether no two models share an id; then texts may match their rows.
    anyway : bool
        Whether the caller compares them although texts of some ids differ.

    Raises
    ------
    DataError
        If texts of some ids differ, and those of others do not: these are not the same questions.
    """
    named = any("item" in part.named for part in parts)
    for name in () if named else TEXTS:
        if not all(
            part.roles.get("item") != name and part.table and name in part.table.columns
            for part in parts
        ):
            continue
        shared, other = (0, 0) if disjoint else _count_others(parts, name)
        if not disjoint and not other:
            continue
        if 2 * other >= shared:
            taken = [take_item(part, name) for part in parts]
            if _are_shared([part.rows for part in taken]):
                return OtherTexts(name, taken)
            if disjoint:
                continue
        note = _note_texts(parts[0].rows.source, name, other, shared, anyway=anyway)
        return OtherTexts(name, [], (note,))
    return _other_truths(parts, disjoint=disjoint, anyway=anyway)


def texts_of_sides(
    sides: Mapping[str, Sequence[ParsedTable]], options: ReadOptions
) -> OtherTexts | None:
    """Whether ids of sides, of one model each, name other rows in each of them.

    None where ids name the same rows, as far as texts tell.
    """
    parts = []
    for side, tables in sides.items():
        for parsed in tables:
            part = take_names(parsed.table, parsed.names)
            ids = plan_rows(part.roles, options).kind == "items" and "item" in part.roles
            if not ids or "condition" in part.roles:
                return None
            parts.append(part.with_constants({"model": side}))
    return other_texts(parts, disjoint=False, anyway=options.compare_anyway)


# Right answers to the items, as no answer of a model is called; names are folded.
_TRUTHS = frozenset({
    "gold", "golds", "goldlabel", "goldanswer", "goldanswers", "target", "targets", "ytrue",
    "truth", "groundtruth", "reference", "referenceanswer", "expected", "expectedanswer",
    "correctanswer", "truelabel", "goldstandard", "answerkey",
})  # fmt: skip


def _other_truths(parts: Sequence[TidyTable], *, disjoint: bool, anyway: bool) -> OtherTexts | None:
    """Where models share ids, and other answers are right; None if the same are.

    Raises
    ------
    DataError
        If more than a few differ, and the caller does not compare them `anyway`.
    """
    tables = [part.table for part in parts if part.table is not None]
    if disjoint or len(tables) < len(parts):
        return None
    for name in tables[0].columns:
        used = any(name in part.roles.values() for part in parts)
        if used or fold_name(name) not in _TRUTHS:
            continue
        if not all(name in table.columns for table in tables):
            continue
        shared, other = _count_others(parts, name)
        if not other:
            continue
        found = (
            f"{parts[0].rows.source}: for {other:,} of {shared:,} ids the right answer in {name!r} "
            "is another one in each model"
        )
        if other <= _SLIPS * shared or anyway:
            text = f"{found}; they are paired by id all the same."
            return OtherTexts(name, [], (Note("texts-differ", text),))
        raise DataError(
            f"{found}: they were not asked the same, or not marked by the same key. To pair them "
            "by id all the same: --compare-anyway (in Python: compare_anyway=True)."
        )
    return None


# Shares of ids with another text: fewer are slips, more are other wordings of the same questions.
_SLIPS, _WORDINGS = 0.05, 0.95


def _note_texts(source: str, column: str, other: int, shared: int, *, anyway: bool) -> Note:
    if other >= _WORDINGS * shared:
        text = (
            f"{source}: For most ids the text in {column!r} is another one in each model. They are "
            "paired as wordings of the same question. If they are other questions, nothing pairs "
            "them: --column item= (in Python: columns={'item': ''})."
        )
        return Note("texts-differ", text)
    found = f"{source}: {other:,} of {shared:,} ids have another text in {column!r} for each model"
    same = f"{paste_columns({'item': column})} --missing pairwise"
    if other <= _SLIPS * shared or anyway:
        text = f"{found}, and are paired by id. Only rows with the same text: {same}."
        return Note("texts-differ", text)
    raise DataError(
        f"{found}: they were not asked the same. To compare the rows with the same text alone: "
        f"{same}. To pair all by id: --compare-anyway (in Python: compare_anyway=True)."
    )


def _count_others(parts: Sequence[TidyTable], column: str) -> tuple[int, int]:
    """How many items models share, and how many of these have another text in each of them.

    None differ where a model has several texts of one item.
    """
    ((shared, other, several),) = _ask_items(
        [_take_text(part, column) for part in parts],
        "count(*), count(*) FILTER (texts > 1), count(*) FILTER (own > models)",
        "count(DISTINCT variant) AS texts, count(DISTINCT (model, variant)) AS own",
        "WHERE models > 1",
    )
    return int(shared), 0 if several else int(other)


def _take_text(part: TidyTable, column: str) -> Rows:
    """The rows of the table with a `column` of texts beside what names their items."""
    roles = {role: name for role, name in part.roles.items() if name != column}
    return with_roles(part, roles | {"variant": column})


def _are_shared(rows: Sequence[Rows]) -> bool:
    """Whether texts name one row of a model each, and half of them rows of several models."""
    ((texts, shared, twice),) = _ask_items(
        rows,
        "count(*), count(*) FILTER (models > 1), count(*) FILTER (cells > models)",
        "count(*) AS cells",
    )
    return bool(texts and not twice and 2 * shared >= texts)


def _ask_items(rows: Sequence[Rows], cells: str, counts: str, where: str = "") -> list[Any]:
    """What is asked of the counts of each item of a task, over all rows; `models` is one."""
    every = " UNION ALL ".join(
        f"(SELECT {_cell(one, 'model')} AS model, {_cell(one, 'task')} AS task, item::VARCHAR AS "
        f"item, {'trim(variant::VARCHAR)' if 'variant' in counts else 'NULL'} AS variant "
        f"FROM {one.clause})"
        for one in rows
    )
    return rows[0].engine.ask(
        f"SELECT {cells} FROM (SELECT count(DISTINCT model) AS models, {counts} FROM ({every}) "
        f"WHERE item IS NOT NULL GROUP BY task, item) {where}"
    )


def _cell(rows: Rows, role: str) -> str:
    """A label of rows in the words of the database, wherever it stands."""
    if role in rows.constants:
        return quote_text(str(rows.constants[role]))
    return f"{role}::VARCHAR"
