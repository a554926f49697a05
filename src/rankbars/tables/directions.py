"""Which side of the scores of a task is better: said, recorded, usual for a metric, or asked."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from rankbars.data.notes import Note, list_names
from rankbars.errors import DataError, Lacking, UnknownOptionError
from rankbars.tables.asides import is_mean_of_losses
from rankbars.tables.columns import fold_name
from rankbars.tables.metrics import (
    CORPORA,
    ends_in_loss,
    is_amount,
    is_plain,
    stated_direction,
    states_loss,
    usual_direction,
)

__all__ = [
    "RECORDED", "RECORDED_WORDS", "Direction", "Side", "is_assumed", "read_directions",
    "settle_directions",
]  # fmt: skip

Direction = Literal["higher", "lower"]

# Spellings in a direction column; a column called "lower_is_better" turns them round.
RECORDED_WORDS: Mapping[str, Direction] = {
    **dict.fromkeys(("higher", "high", "max", "maximize", "maximise", "up", "true", "1", "yes"),
                    "higher"),
    **dict.fromkeys(("lower", "low", "min", "minimize", "minimise", "down", "false", "0", "no"),
                    "lower"),
    "↑": "higher",
    "↓": "lower",
}  # fmt: skip


RECORDED = "recorded in the input"


def read_directions(
    values: Mapping[str, Sequence[str]], column: str
) -> dict[str, Direction | None]:
    """The recorded direction of each task; raises `DataError` for an unknown word."""
    turned = fold_name(column) == "lowerisbetter"
    found: dict[str, Direction | None] = {}
    for task, words in values.items():
        sides: set[Direction] = set()
        for word in words:
            side = RECORDED_WORDS.get(word.strip().casefold())
            if side is None:
                raise DataError(
                    f"Task {task!r}: the direction {word!r} in column {column!r} is not known. "
                    "Known: higher, lower (or true, false in a column higher_is_better)."
                )
            if turned:
                side = "lower" if side == "higher" else "higher"
            sides.add(side)
        if len(sides) > 1:
            raise DataError(
                f"Task {task!r}: the column {column!r} says both higher and lower. Declare one: "
                "--direction higher or --direction lower."
            )
        found[task] = next(iter(sides), None)
    return found


class Side(NamedTuple):
    """What is known about one task before its direction is settled.

    Parameters
    ----------
    metric : str or None
        Name of the metric.
    recorded : {"higher", "lower"} or None
        What the table says.
    named_column : bool
        Whether `metric` is only the name of the score column.
    origin : str
        Where `recorded` comes from, if the table does not say it in so many words.
    plain : bool
        Whether all scores are 0 and 1, or words for them, or their column says no more than that
        they are scores, whatever the caller calls the metric.
    """

    metric: str | None
    recorded: Direction | None
    named_column: bool = False
    origin: str = RECORDED
    plain: bool = False


def settle_directions(
    sides: Mapping[str, Side], declared: Mapping[str, Direction], roles: Mapping[str, str] = {},
    *, by_file: bool = False,
) -> tuple[dict[str, Direction], tuple[Note, ...]]:  # fmt: skip
    """Direction of every task, and where it came from.

    Where arrows stand in the names of some tasks, those whose names say nothing are asked about.

    Parameters
    ----------
    sides : mapping from str to Side
        What is known, by task.
    declared : mapping from str to {"higher", "lower"}
        What the caller declared, by task or metric; ``""`` for all others.
    roles : mapping from str to str
        Column by role, where the results come from tables: what is asked about may be left out.
    by_file : bool
        Whether metrics or tasks have their names from files.

    Raises
    ------
    UnknownOptionError
        If a declared name is neither a task nor a metric.
    DataError
        If a metric is usually lower-is-better and its name does not say so, or is not known, and
        nothing was declared; or if the table contradicts what is usual.

    Examples
    --------
    >>> settle_directions({"math": Side("accuracy", None)}, {})[0]
    {'math': 'higher'}
    """
    metrics = {side.metric for side in sides.values() if side.metric is not None}
    known = sorted(metrics | set(sides))
    if unknown := tuple(name for name in declared if name and name not in known):
        error = UnknownOptionError.among("task or metric (direction)", unknown[0], known)
        raise error.about(Lacking("direction", unknown, tuple(known)))
    settled: dict[str, Direction] = {}
    origins: dict[str, list[str]] = {}
    open_metrics: dict[str, list[str]] = {}
    arrows = any(stated_direction(task) is not None for task in sides)
    for task, side in sides.items():
        direction, origin = _settle(task, side, declared)
        if direction is None or (arrows and origin == _ASSUMED and not _is_known(task)):
            called = side.named_column and fold_name(side.metric or "") == "score"
            metric = None if called else side.metric
            open_metrics.setdefault(metric or task, []).append(task)
        else:
            settled[task] = direction
            origins.setdefault(f"{direction} is better ({origin})", []).append(task)
    if open_metrics:
        asked = _ask(open_metrics, settled, by_file=by_file)
        raise DataError(asked + _leave_out(open_metrics, sides, roles))
    notes = []
    for text, tasks in origins.items():
        some = "" if len(tasks) == len(sides) else f" of {list_names(tasks, 3)}"
        notes.append(Note("direction", f"Direction{some}: {text}."))
    return settled, tuple(notes)


def _settle(
    task: str, side: Side, declared: Mapping[str, Direction]
) -> tuple[Direction | None, str]:
    told = _declared(task, side, declared)
    if told is not None:
        return told, "declared"
    usual = None if side.metric is None else usual_direction(side.metric)
    if side.named_column and fold_name(side.metric or "") == "score":
        usual = None
    if side.recorded is not None:
        if usual is not None and usual != side.recorded:
            said = "the input says that" if side.origin == RECORDED else f"{side.origin},"
            raise DataError(
                f"Task {task!r}: {said} {side.recorded} is better for the metric "
                f"{side.metric!r}, which is usually {usual}-is-better. Declare which is right: "
                f"{_paste_side(str(side.metric), side.recorded)} or "
                f"{_paste_side(str(side.metric), usual)}."
            )
        return side.recorded, side.origin
    names = (task, side.metric or "")
    stated = {stated_direction(name) for name in names} - {None}
    if "lower" in stated:
        plain = stated == {"lower"} and usual != "higher" and any(map(states_loss, names))
        return ("lower", "as the name says") if plain else (None, "")
    if side.metric is None or (side.named_column and usual is None):
        if any(ends_in_loss(name) or is_amount(name) for name in names):
            return None, ""
        if stated:
            return "higher", "as the name says"
        known = side.metric is None or side.plain or is_plain(side.metric)
        return ("higher", _ASSUMED) if known else (None, "")
    if stated and usual is None:
        return "higher", "as the name says"
    if usual == "higher":
        return "higher", f"usual for {side.metric!r}"
    return None, ""


_ASSUMED = "no name of a metric says otherwise; if not: --direction lower"


def is_assumed(task: str, side: Side, declared: Mapping[str, Direction]) -> bool:
    """Whether nothing says which side is better, so that higher is taken for it."""
    return side.metric is None and _settle(task, side, declared) == ("higher", _ASSUMED)


def _is_known(task: str) -> bool:
    """Whether the name of a task is that of a metric, and of no data set."""
    return usual_direction(task) is not None and fold_name(task) not in CORPORA


def _declared(task: str, side: Side, declared: Mapping[str, Direction]) -> Direction | None:
    for name in (task, side.metric):
        if name is not None and name in declared:
            return declared[name]
    if "" in declared:
        _check_arrow(task, declared[""])
    return declared.get("")


def _check_arrow(task: str, declared: Direction) -> None:
    """Raises `DataError` where the name of a task says otherwise than what is said of all."""
    stated = stated_direction(task)
    if stated is not None and stated != declared:
        raise DataError(
            f"The name {task!r} says that {stated} is better, and --direction {declared} holds for "
            f"all tasks. Say what holds for this one: {_paste_side(task, stated)} or "
            f"{_paste_side(task, declared)} (in Python: direction={{'': {declared!r}, {task!r}: "
            f"{stated!r}}})."
        )


def _paste_side(name: str, side: Direction) -> str:
    return shlex.join(("--direction", f"{name}={side}"))


def _ask(
    open_metrics: Mapping[str, Sequence[str]], settled: Mapping[str, Direction], *, by_file: bool
) -> str:
    """The question which side is better, with the lines to paste.

    Where tasks are of one kind and one word holds for all, it is the line.
    """
    names = sorted(open_metrics)
    lower = [name for name in names if usual_direction(name) == "lower" or ends_in_loss(name)]
    stated = [name for name in names if name not in lower and stated_direction(name) == "lower"]
    unknown = [name for name in names if name not in lower and name not in stated]
    origin = " (a word from the file's name)" if by_file else ""
    parts = []
    if lower:
        parts.append(
            f"{list_names(lower, 6)}{origin} {'is' if len(lower) == 1 else 'are'} usually "
            "lower-is-better, but results are often stored negated already"
        )
    if stated:
        parts.append(
            f"{list_names(stated, 6)}{origin} {'says' if len(stated) == 1 else 'say'} that lower "
            "is better, but results are often stored negated already"
        )
    if unknown:
        parts.append(f"it is not known which side of {list_names(unknown, 6)}{origin} is better")
    every = {*names}.union(*open_metrics.values())
    against = {stated_direction(name) for name in every} | {*settled.values()} - {None}
    lines = [
        " ".join(f"--direction {shlex.quote(f'{name}={side}')}" for name in names)
        if len(names) == 1 or other in against or 0 < len(unknown) < len(names)
        else f"--direction {side}"
        for side, other in (("lower", "higher"), ("higher", "lower"))
    ]
    or_not = ", or the name of the file says nothing of them" if by_file else ""
    told = dict.fromkeys(names, "lower") if "=" in lines[0] else "lower"
    return (
        f"Declare which side is better: {'; and '.join(parts)}. If low values are good, add: "
        f"{lines[0]}. If the values are negated already{or_not}, so that high is good, add: "
        f"{lines[1]}. "
        f"(In Python: direction={told!r}, or 'higher'.)"
    )


def _leave_out(
    open_metrics: Mapping[str, Sequence[str]], sides: Mapping[str, Side], roles: Mapping[str, str]
) -> str:
    """How the rest is read without what is asked about; nothing where there is no rest."""
    asked = {task for tasks in open_metrics.values() for task in tasks}
    others = [task for task in sides if task not in asked and not is_mean_of_losses(task)]
    column = roles.get("metric") if asked.isdisjoint(open_metrics) else roles.get("task")
    if not others or column is None:
        return ""
    if column == _HEADER:
        lines = shlex.join(part for name in others for part in ("--metric", name))
    else:
        names = ", ".join("'" + name.replace("'", "''") + "'" for name in open_metrics)
        quoted = column.replace('"', '""')
        lines = shlex.join(("--where", f'"{quoted}" NOT IN ({names})'))
    return f" If {'it is no score' if len(open_metrics) == 1 else 'they are no scores'}: {lines}."


_HEADER = "(header)"
