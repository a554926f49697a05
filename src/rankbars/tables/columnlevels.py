"""Columns of several levels, as pivoted and aggregated frames of pandas have them.

What a level says is told by its name or by what is in it. Levels of models, tasks and rows become
columns, with one row per score; a level that says the same everywhere names the metric.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from rankbars.errors import DataError
from rankbars.tables.columns import ROLES, fold_name
from rankbars.tables.headers import find_metric, join_levels, names_metric
from rankbars.tables.layouts import corner_names
from rankbars.tables.statistics import kind_of_statistic

__all__ = ["FlatFrame", "flatten_columns"]

_ROW_ROLES = ("item", "fold", "repeat", "run", "epoch", "variant")
_NO_NAME = re.compile(r"(Unnamed: \d+.*)?")


class FlatFrame(NamedTuple):
    """A frame whose columns have one level, and the metric of its cells that another one named."""

    frame: Any
    metric: str | None


def flatten_columns(frame: Any) -> FlatFrame:
    """The frame of pandas with one level of columns.

    Raises
    ------
    DataError
        If levels are models and tasks and it is not certain what the others are.
    """
    frame = _with_index(frame)
    names = [level if level is None else str(level) for level in frame.columns.names]
    cells = [[str(cell) for cell in level] for level in zip(*frame.columns, strict=True)]
    if any(_NO_NAME.fullmatch(cell) for level in cells for cell in level):
        return FlatFrame(_joined(frame, cells), None)
    telling = [place for place, level in enumerate(cells) if len(set(level)) > 1]
    metric = find_metric(cells)
    if len(telling) < 2:
        return FlatFrame(_joined(frame, cells), metric)
    frame = frame.droplevel([n for n in range(len(cells)) if n not in telling], axis="columns")
    levels = {place: _Level(names[old], tuple(cells[old])) for place, old in enumerate(telling)}
    rows = [None if name is None else str(name) for name in frame.index.names]
    roles = _roles(levels, rows)
    if roles is None:
        return FlatFrame(_joined(frame, [cells[old] for old in telling]), metric)
    return FlatFrame(_stacked(frame, roles, metric or "score"), None)


class _Level(NamedTuple):
    name: str | None
    cells: tuple[str, ...]

    @property
    def role(self) -> str | None:
        """What the level is by its name, or by what is in it."""
        if {"mean"} <= set(self.cells) and all(map(kind_of_statistic, self.cells)):
            return "statistic"
        return None if self.name is None else _role_of(self.name)


def _role_of(name: str) -> str | None:
    folded = fold_name(name)
    for role in ("model", "task", "item"):
        if folded in corner_names(role):
            return role
    others = (*_ROW_ROLES, "metric")
    known = {fold_name(one): role for role in others for one in (role, *ROLES[role].aliases)}
    return known.get(folded)


def _roles(levels: Mapping[int, _Level], rows: Sequence[str | None]) -> dict[int, str] | None:
    """What each level is, by place; None where they are told as one name.

    Raises
    ------
    DataError
        If one is a model or a task by its name, and another cannot be told.
    """
    roles = {place: level.role for place, level in levels.items()}
    known = {role for role in roles.values() if role} | {_role_of(name) for name in rows if name}
    unknown = [place for place, role in roles.items() if role is None]
    metrics = [
        place for place in unknown
        if all(map(names_metric, levels[place].cells)) and "metric" not in known
    ]  # fmt: skip
    model_in_rows = "model" in {_role_of(name) for name in rows if name}
    if len(metrics) == 1 and len(unknown) < 3 and not model_in_rows:
        roles[metrics[0]] = "metric"
        unknown.remove(metrics[0])
    unnamed_rows = "model" not in known and list(rows) == [None] and "statistic" in known
    lacking = [
        role for role in ("model", "task")
        if role not in known and not (role == "model" and unnamed_rows)
    ]  # fmt: skip
    if len(unknown) == 1 and lacking:
        roles[unknown.pop()] = lacking[0]
    found = [role for role in roles.values() if role]
    if not unknown and len(set(found)) == len(found):
        return {place: role for place, role in roles.items() if role}
    if not set(found) - {"metric"} and (model_in_rows or not known - {"metric"}):
        return None
    shown = ", ".join(
        f"{number} ({repr(level.name) if level.name else 'no name'}: {level.cells[0]!r}, …)"
        for number, level in levels.items()
    )
    raise DataError(
        f"data frame: its columns have several levels, and it is not certain what each says: "
        f"level {shown}. Name them, such as frame.columns.names = ['task', 'model'], or write one "
        "row per score with frame.stack([0, 1]).reset_index()."
    )


def _with_index(frame: Any) -> Any:
    """The frame whose index is again what `reset_index` made columns of, ``(fold, "")``."""
    first = [str(column[0]) for column in frame.columns]
    places = [
        place for place, column in enumerate(frame.columns)
        if first[place] and not any(map(str, column[1:]))
    ]  # fmt: skip
    if not places or len(places) == len(first) or frame.index.names != [None]:
        return frame
    if frame.index.dtype.kind not in "iu":
        return frame
    index = [frame.columns[place] for place in places]
    return frame.set_index(index).rename_axis(index=[first[place] for place in places])


def _joined(frame: Any, cells: Sequence[Sequence[str]]) -> Any:
    return frame.set_axis(list(join_levels(cells)), axis="columns")


def _stacked(frame: Any, roles: Mapping[int, str], score: str) -> Any:
    """One row per score, or per mean with its statistics."""
    import pandas as pd

    statistic = next((place for place, role in roles.items() if role == "statistic"), None)
    names = [str(name or roles[place]) for place, name in enumerate(frame.columns.names)]
    frame = frame.rename_axis(columns=names)
    frame = frame.rename_axis(index=_row_names(frame, roles.values()))
    if statistic is None:
        long = frame.melt(ignore_index=False, value_name=score).reset_index()
        return long[long[score].notna()].reset_index(drop=True)
    keys = [*frame.index.names, *(name for place, name in enumerate(names) if place != statistic)]
    found = {}
    for what in dict.fromkeys(frame.columns.get_level_values(statistic)):
        part = frame.xs(what, axis="columns", level=statistic).melt(
            ignore_index=False, value_name="value"
        )
        found[str(what)] = part.reset_index().set_index(keys)["value"]
    long = pd.concat(found, axis="columns").reset_index()
    return long[long["mean"].notna()].rename(
        columns={} if score == "score" else {"mean": score}
    ).reset_index(drop=True)  # fmt: skip


def _row_names(frame: Any, roles: Collection[str]) -> list[str]:
    """Names of the levels of the index; one without a name numbers the rows, or names models."""
    unnamed = "item" if "model" in roles else "model"
    return [str(name) if name is not None else unnamed for name in frame.index.names]
