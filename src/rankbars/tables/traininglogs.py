"""Tables that training wrote: rows of one run at its steps, which are no independent results."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rankbars.errors import DataError
from rankbars.tables.asides import likely_scores
from rankbars.tables.columns import fold_name, paste_columns, role_names
from rankbars.tables.conditions import paste_condition, quote_column
from rankbars.tables.metrics import usual_direction
from rankbars.tables.metricwords import split_words
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.tableheads import PROGRESS, Header
from rankbars.tables.tablerows import Table

__all__ = ["refuse_log", "refuse_steps", "refuse_training"]

_PARTS = split_words("train training val valid validation eval dev test")
_LOSSES = split_words("loss losses nll perplexity ppl crossentropy")
_RUNS = frozenset({"run", "runname", "runid"})
_HELD_OUT = split_words("val valid validation eval dev test")

# Roles of columns that tell trainings apart.
_TOLD_APART = ("model", "task", "run", "metric")

# Roles with which the caller says what the points of a training are to be.
_SAID = ("model", "task", "item", "run", "fold", "repeat")


def refuse_log(table: Table, options: ReadOptions) -> None:
    """A table of losses in training is that of its steps, whatever is named as the score.

    Raises
    ------
    DataError
        If a column counts how far trainings were beside one of their losses; says how to choose a
        point.
    """
    losses = [name for name in table.columns if _is_loss(name)]
    told = {options.columns.get(role) for role in _SAID} | table.fixed
    progress = [name for name in Header.of(table).progress if name not in told]
    if not losses or not progress or options.layout is not None:
        return
    newest = options.reruns == "newest"  # that is its last step
    for column in progress:
        last = None if newest and fold_name(column) != "epoch" else _last_point(table, column)
        if last is None:
            continue
        where = paste_condition(f"{quote_column(column)} = {last:g}")
        score = "" if _has_score(table, options) else f" {_propose_score(table.columns)}"
        named = Header.of(table).has("model", weak=True)
        as_models = f"{paste_columns({'model': column})}{score}"
        runs = [name for name in table.columns if fold_name(name) in _RUNS]
        if runs and not named and "model" not in options.columns:  # else there is one model
            score = f" {paste_columns({'model': runs[0]})}{score}"
        raise DataError(
            f"{table.source}: {column!r} counts how far a training was, beside {losses[0]!r}, and "
            "the rows of one training are no answers to one item and no independent results. "
            f"Choose one point of it: {where}{score} (in Python: "
            f"where={f'{quote_column(column)} = {last:g}'!r})."
            + ("" if named else f" If each point is a model of its own: {as_models}.")
        )


def _is_loss(name: str) -> bool:
    words = set(re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).casefold()))
    return bool(words & _PARTS and words & _LOSSES)


def _has_score(table: Table, options: ReadOptions) -> bool:
    named = {options.columns.get("score"), *options.metrics}
    return bool(named & {*table.columns}) or "score" in map(fold_name, table.columns)


def _propose_score(columns: Sequence[str]) -> str:
    """The column of held-out results: a measure before a loss."""
    held = [name for name in columns if {*re.split(r"[\W_]+", name.casefold())} & _HELD_OUT]
    better = [name for name in held if usual_direction(name) == "higher"]
    return paste_columns({"score": next(iter([*better, *held]), "NAME")})


def _last_point(table: Table, column: str) -> float | None:
    """The last point that all trainings have; None where each has one point only."""
    keys = {
        role: name
        for role in ("model", "task", "run")
        for name in table.columns
        if name != column and fold_name(name) in role_names(role, weak=True)
    }
    rows = table.rows(keys, {"score": column}, {})
    grouped = f"GROUP BY {', '.join(keys)}" if keys else ""
    ((last,),) = rows.engine.ask(
        "SELECT min(last) FROM (SELECT max(score) AS last, count(DISTINCT score) AS points FROM "
        f"{rows.clause} {grouped}) WHERE points > 1"
    )
    return None if last is None else float(last)


def refuse_steps(table: Table, header: Header) -> None:
    """Rows of a matrix that are named by how far a training was are no models.

    Raises
    ------
    DataError
        If they are.
    """
    if fold_name(header.corner) not in PROGRESS:
        return
    scores = likely_scores(header.unexplained)
    roles = {"model": header.corner, "score": "".join(scores[:1])}
    line = f" To compare checkpoints: {paste_columns(roles)} (in Python: columns={roles!r})."
    raise DataError(
        f"{table.source}: {header.corner!r} counts how far a training was, so rows are neither "
        "models nor independent results. Write a row per run, with the columns model and "
        f"score, of the step that counts.{line if len(scores) == 1 else ''}"
    )


def refuse_training(table: Table) -> None:
    """Rows of one training are not independent, so none of them is a run or an item.

    Raises
    ------
    DataError
        If a column counts how far trainings were, and nothing else tells their rows apart.
    """
    header = Header.of(table)
    names = [name for name in header.progress
             if name in header.numeric and name not in table.fixed]  # fmt: skip
    if not names or header.has("item", weak=True):
        return
    told = frozenset().union(*(role_names(one, weak=True) for one in _TOLD_APART))
    keys = [own for name, own in header.cells.items() if fold_name(name) in told]
    points: dict[tuple[object, ...], set[float]] = {}
    for found, *apart in zip(header.read[names[0]], *keys, strict=True):
        if found is not None and found == found:
            points.setdefault(tuple(apart), set()).add(found)
    last = max((max(found) for found in points.values() if len(found) > 1), default=None)
    if last is not None:
        point = f"{quote_column(names[0])} = {last:g}"
        raise DataError(
            f"{table.source}: {names[0]!r} seems to count how far a training was, and the rows of "
            "one training are not independent results. Choose one point of it: "
            f"{paste_condition(point)} (in Python: where={point!r}). If it numbers repeated runs: "
            f"{paste_columns({'run': names[0]})} (in Python: columns={{'run': {names[0]!r}}})."
        )
