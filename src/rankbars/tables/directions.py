"""Which side of each task's score is better: declared, recorded, or usual; never guessed."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from rankbars.data.notes import Note
from rankbars.errors import DataError, Lacking, UnknownOptionError
from rankbars.tables.columns import fold_name
from rankbars.tables.metrics import LOWER, usual_direction

__all__ = ["RECORDED", "RECORDED_WORDS", "Side", "settle_directions"]

Direction = Literal["higher", "lower"]

# Spellings in a direction column; a column called "lower_is_better" turns them round.
RECORDED_WORDS: Mapping[str, Direction] = {
    **dict.fromkeys(("higher", "high", "max", "maximize", "maximise", "up", "true", "1", "yes"),
                    "higher"),
    **dict.fromkeys(("lower", "low", "min", "minimize", "minimise", "down", "false", "0", "no"),
                    "lower"),
}  # fmt: skip


RECORDED = "recorded in the input"


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
    """

    metric: str | None
    recorded: Direction | None
    named_column: bool = False
    origin: str = RECORDED


def settle_directions(
    sides: Mapping[str, Side], declared: Mapping[str, Direction]
) -> tuple[dict[str, Direction], tuple[Note, ...]]:
    """Direction of every task, and where it came from.

    Parameters
    ----------
    sides : mapping from str to Side
        What is known, by task.
    declared : mapping from str to {"higher", "lower"}
        What the caller declared, by task or metric; ``""`` for all others.

    Raises
    ------
    UnknownOptionError
        If a declared name is neither a task nor a metric.
    DataError
        If a metric is usually lower-is-better, or not known, and nothing was declared; or if the
        table contradicts what is usual.

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
    for task, side in sides.items():
        direction, origin = _settle(task, side, declared)
        if direction is None:
            open_metrics.setdefault(side.metric or task, []).append(task)
        else:
            settled[task] = direction
            origins.setdefault(f"{direction} is better ({origin})", []).append(task)
    if open_metrics:
        raise DataError(_ask(open_metrics))
    return settled, tuple(
        Note("direction", f"{_some(tasks, len(sides))}{text}.") for text, tasks in origins.items()
    )


def _settle(
    task: str, side: Side, declared: Mapping[str, Direction]
) -> tuple[Direction | None, str]:
    for name in (task, side.metric, ""):
        if name is not None and name in declared:
            return declared[name], "declared"
    usual = None if side.metric is None else usual_direction(side.metric)
    if side.named_column and fold_name(side.metric or "") == "score":
        usual = None
    if side.recorded is not None:
        if usual is not None and usual != side.recorded:
            said = "the input says that" if side.origin == RECORDED else f"{side.origin},"
            raise DataError(
                f"Task {task!r}: {said} {side.recorded} is better for the metric "
                f"{side.metric!r}, which is usually {usual}-is-better. Declare which is right: "
                f"--direction {side.metric}={side.recorded} or --direction {side.metric}={usual}."
            )
        return side.recorded, side.origin
    if side.metric is None or (side.named_column and usual is None):
        if fold_name(task) in LOWER:
            return None, ""
        return "higher", "no name of a metric says otherwise; if not: --direction lower"
    if usual == "higher":
        return "higher", f"usual for {side.metric!r}"
    return None, ""


def _ask(open_metrics: Mapping[str, Sequence[str]]) -> str:
    """The question which side is better, with the lines to paste."""
    names = sorted(open_metrics)
    lower = [name for name in names if usual_direction(name) == "lower"]
    unknown = [name for name in names if name not in lower]
    parts = []
    if lower:
        parts.append(
            f"{_names(lower)} {'is' if len(lower) == 1 else 'are'} usually lower-is-better, but "
            "results are often stored negated already"
        )
    if unknown:
        parts.append(f"it is not known which side of {_names(unknown)} is better")
    lines = [
        " ".join(f"--direction {shlex.quote(f'{name}={side}')}" for name in names)
        for side in ("lower", "higher")
    ]
    return (
        f"Declare which side is better: {'; and '.join(parts)}. If low values are good, add: "
        f"{lines[0]}. If the values are negated already, so that high is good, add: {lines[1]}. "
        f"(In Python: direction={dict.fromkeys(names, 'lower')!r}, or 'higher'.)"
    )


def _names(names: Sequence[str], limit: int = 6) -> str:
    shown = ", ".join(repr(name) for name in names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def _some(tasks: Sequence[str], total: int) -> str:
    if len(tasks) == total:
        return "Direction: "
    return f"Direction of {_names(tasks, 3)}: "
