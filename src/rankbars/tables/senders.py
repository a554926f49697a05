"""What rows came from beside their items: users, sessions, places, people who judge.

Rows of one user depend on each other. A column that is called after such senders tells which go
together where no column names rows; another one is asked about where rows of one of its names
resemble each other. So are people each of whom judged some of the items.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import Note
from rankbars.stats.rowsigns import Resemblance, group_resemblance
from rankbars.tables.columns import fold_name, names_source, paste_columns
from rankbars.tables.likelyroles import RATERS, SENDERS
from rankbars.tables.parsedtables import Group, TidyTable
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.reruns import with_roles

__all__ = ["ask_about_raters", "ask_about_senders", "with_senders"]

_MOST_COLUMNS = 8  # that are looked at
_MOST_ROWS = 20_000
_FEWEST_GROUPS, _MOST_SINGLE = 5, 0.8  # names; of the rows
_SURE, _WIDER = 3.1, 1.1  # standard deviations of chance; standard errors over those of single rows


def with_senders(group: Group, options: ReadOptions) -> Group | None:
    """The group with those who sent its rows as clusters; None where no column is called so."""
    (part, *more) = group.parts
    if more or part.table is None or {"cluster"} & {*part.roles, *dict(options.columns)}:
        return None
    unused = {fold_name(name): name for name in reversed(_unused(part))}
    found = [unused[name] for name in SENDERS if name in unused]
    found += [name for name in unused.values() if names_source(name)]
    if not found:
        return None
    roles = {**part.roles, "cluster": found[0]}
    return Group.of(group.plan, [part._replace(rows=with_roles(part, roles), roles=roles)])


def ask_about_senders(group: Group, options: ReadOptions) -> Note | None:
    """The question about the column within whose names rows of a model resemble each other most."""
    (part, *more) = group.parts
    if more or part.table is None or {"cluster"} & {*part.roles, *dict(options.columns)}:
        return None
    found = {}
    for name in _unused(part)[:_MOST_COLUMNS]:
        rows = with_roles(part, {**part.roles, "cluster": name})
        told = [role for role in ("model", "task") if role in rows.labels]
        cells = "".join(f", {role}" for role in told)
        read = rows.engine.ask(
            f"SELECT score, cluster{cells} FROM {rows.clause} WHERE score IS NOT NULL "
            f"AND cluster IS NOT NULL ORDER BY place LIMIT {_MOST_ROWS}"
        )
        if not read:
            continue
        score, senders, *sides = zip(*read, strict=True)
        side = [" ".join(map(str, row)) for row in zip(*sides, strict=True)] or [""] * len(read)
        own = np.unique(side, return_inverse=True)[1].reshape(-1)
        values = np.array(score, float)
        if not np.isfinite(values).all():
            continue  # told by whoever checks scores
        errors = values - (np.bincount(own, values) / np.bincount(own))[own]
        names = np.unique([*map(str, senders)], return_inverse=True)[1].reshape(-1)
        if not _FEWEST_GROUPS <= names.max() + 1 <= _MOST_SINGLE * len(values):
            continue
        resemblance = group_resemblance(errors[:, None], names, _WIDER)
        if resemblance is not None and resemblance.z > _SURE:
            found[name] = resemblance
    return _ask(found)


def ask_about_raters(group: Group, options: ReadOptions) -> Note | None:
    """The question about people each of whom judged some items, for all models.

    Asked where differences of the models on the items of one person resemble each other.
    """
    (part, *more) = group.parts
    if more or part.table is None or {"cluster"} & {*part.roles, *dict(options.columns)}:
        return None
    called = [name for name in _unused(part)
              if names_source(name) or fold_name(name) in {*RATERS, *SENDERS}]  # fmt: skip
    found = {}
    for name in called:
        rows = with_roles(part, {**part.roles, "cluster": name})
        if not {"item", "model"} <= {*rows.labels}:
            return None
        key = "item, task" if "task" in rows.labels else "item, ''"
        read = rows.engine.ask(
            f"SELECT {key}, cluster, model, score FROM {rows.clause} WHERE score IS NOT NULL "
            f"AND cluster IS NOT NULL ORDER BY place LIMIT {_MOST_ROWS}"
        )
        resemblance = _of_differences(read)
        if resemblance is not None and resemblance.z > _SURE:
            found[name] = resemblance
    return _ask(found)


def _of_differences(read: Sequence[tuple[object, ...]]) -> Resemblance | None:
    """How far differences of models on items of one person resemble each other.

    None where an item has several people, or too few have items that all models were judged on.
    """
    if not read:
        return None
    item, task, person, model, score = zip(*read, strict=True)
    keys, own = _codes([f"{one}\0{other}" for one, other in zip(item, task, strict=True)])
    people, who = _codes(person)
    models, which = _codes(model)
    values = np.full((keys, models), np.nan)
    values[own, which] = np.array(score, float)
    names = np.zeros(keys, np.int64)
    names[own] = who
    complete = np.isfinite(values).all(axis=1)
    single = bool((names[own] == who).all()) and len(own) == np.unique(own * models + which).size
    several = _FEWEST_GROUPS <= people <= _MOST_SINGLE * int(complete.sum())
    if models < 2 or not (single and several):
        return None
    errors = values[complete]
    errors = errors - errors.mean(axis=1, keepdims=True)
    tasks = _codes([task[at] for at in np.unique(own, return_index=True)[1]])[1][complete]
    for number in np.unique(tasks):
        errors[tasks == number] -= errors[tasks == number].mean(axis=0)
    return group_resemblance(errors, _codes(names[complete])[1], _WIDER)


def _codes(names: Iterable[object]) -> tuple[int, NDArray[np.int64]]:
    """How many names there are, and the code of each."""
    known, codes = np.unique([str(name) for name in names], return_inverse=True)
    return len(known), codes.reshape(-1).astype(np.int64)


def _ask(found: Mapping[str, Resemblance]) -> Note | None:
    """The question about the column that widens errors most; None where there is none."""
    if not found:
        return None
    name, worst = max(found.items(), key=lambda one: one[1].widening)
    return Note(
        "dependent-rows",
        f"Rows of one {name!r} go together (correlation {worst.correlation:.2f}, z {worst.z:.0f}). "
        f"Standard errors are about {worst.widening:.1f} × too small if so. "
        f"{paste_columns({'cluster': name})} (in Python: columns={{'cluster': {name!r}}}) allows "
        "for it; --column cluster= (in Python: columns={'cluster': ''}) says that they do not.",
    )


def _unused(part: TidyTable) -> list[str]:
    """Columns of plain cells that play no role."""
    if part.table is None:
        return []
    head = part.table.head(1)
    nested = {name for name, cell in zip(part.table.columns, *head, strict=True)
              if isinstance(cell, list | dict)} if head else set()  # fmt: skip
    used = {*part.roles.values(), *nested}
    return [name for name in part.table.columns if name and name not in used]
