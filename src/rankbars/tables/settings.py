"""Settings of a task, such as the number of examples shown, which must be the same for all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from rankbars.data.notes import Note, list_names
from rankbars.data.scores import Scores
from rankbars.errors import DataError
from rankbars.tables.columns import fold_name
from rankbars.tables.tablerows import Table

__all__ = [
    "Given", "Setting", "compare_settings", "describe_settings", "find_settings", "share_settings",
]  # fmt: skip

# What was given: models by value, by what it is and in which context it is compared.
Given: TypeAlias = "dict[tuple[str, str], dict[str, list[str]]]"

# Names of columns, without case and punctuation, that say which task it was: how many examples
# were shown, which version or part of the data was asked, how, and who or what marked the answers.
_NAMES = (
    r"(num|n|k)?(few)?shots?(num|count|k)?"
    r"|(task|benchmark|bench|data|dataset|testset|test|suite|eval)(version|revision|hash|split)"
    r"|split|subset|lang|language|locale"
    r"|(llm)?(judge|grader|scorer|marker|evaluator|autorater)(model|llm|name|id|version|prompt)?"
    r"|(answer)?(filter|extraction|extractor|normali[sz]ation)"
    r"|(prompt|chat)(template|format|version|style|hash)|(system)?prompt(id|name)|rubric(version)?"
    r"|(harness|framework|lmeval|evalharness)(version|revision|commit)"
)

_LONGEST = 16


class Setting(NamedTuple):
    """What a table says of a model on a task; no name where only its file can give it."""

    column: str
    model: str | None
    task: str | None
    value: str


def find_settings(
    table: Table, roles: Mapping[str, str], unused: Sequence[str]
) -> tuple[Setting, ...]:
    """Settings in columns without a role, where a model has one value on a task."""
    columns = [name for name in unused if re.fullmatch(_NAMES, fold_name(name))]
    found = []
    for column in columns:
        labels = {role: roles[role] for role in ("model", "task") if role in roles}
        try:
            rows = table.rows({**labels, "setting": column}, {}, {})
        except DataError:  # lists and the like are no setting
            continue
        who = ", ".join(
            f"{role}::VARCHAR" if role in labels else "NULL" for role in ("model", "task")
        )
        found += [
            Setting(column, model, task, _plain(value))
            for model, task, value, other in rows.engine.ask(
                f"SELECT {who}, min(setting::VARCHAR), max(setting::VARCHAR) "
                f"FROM {rows.clause} GROUP BY ALL ORDER BY ALL"
            )
            if value is not None and value == other
        ]
    return tuple(found)


def _plain(value: str) -> str:
    """A value as it is compared: 5.0 is 5."""
    return value[:-2] if re.fullmatch(r"\d+\.0", value) else value


def share_settings(
    scores: Scores,
    settings: Iterable[tuple[Setting, Mapping[str, str]]],
    *,
    anyway: bool,
) -> Scores:
    """Scores with the settings of each task, which are the same for all models.

    Parameters
    ----------
    scores : Scores
        Scores of tables.
    settings : iterable of (Setting, mapping)
        What the tables say, with names by role that they do not say themselves.
    anyway : bool
        Whether models are compared although some differ.

    Raises
    ------
    DataError
        If some differ, and the caller did not ask for that.
    """
    given: dict[str, Given] = {}
    for one, names in settings:
        task = str(one.task or names.get("task"))
        values = given.setdefault(task, {}).setdefault((f"column {one.column!r}", ""), {})
        values.setdefault(one.value, []).append(str(one.model or names.get("model")))
    if not given:
        return scores
    notes, info = list[Note](), dict(scores.info)
    for task in [task for task in scores.tasks if task in given]:
        notes += compare_settings(task, given[task], anyway=anyway)
        shared = {key: next(iter(values)) for key, values in given[task].items()}
        info[task] = replace(info[task], settings=shared)
    return replace(scores, info=info).with_notes(notes)


def compare_settings(task: str, given: Given, *, anyway: bool) -> list[Note]:
    """A note on settings that differ, where models are compared `anyway`.

    Raises
    ------
    DataError
        If some differ, and the caller did not ask for that.
    """
    found = " ".join(describe_settings(given))
    if not found:
        return []
    if anyway:
        return [Note("task-differs", f"compared as asked, although: {found}", task=task)]
    raise DataError(
        f"Task {task!r}: the models were not given the same task. {found} Compare those that "
        "were, or these anyway: --compare-anyway (in Python: compare_anyway=True)."
    )


def describe_settings(given: Given) -> list[str]:
    """A sentence on each setting that is not the same for all models."""
    return [
        f"{name[0].upper()}{name[1:]}: {_by_value(values)}."
        for (name, _), values in given.items()
        if len(values) > 1
    ]


def _by_value(values: Mapping[str, list[str]]) -> str:
    parts = [
        f"{_short(value)!r} ({list_names(dict.fromkeys(models), 2)})"
        for value, models in values.items()
    ]
    return ", ".join(parts[:4]) + (f" and {len(parts) - 4} more" if parts[4:] else "")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
