"""What describes tasks: metric, category, family, and which side of their scores is better."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from rankbars.data.evidence import Coverage
from rankbars.data.notes import Note, list_names
from rankbars.data.taskinfo import TaskInfo
from rankbars.errors import DataError, Lacking, UnknownOptionError
from rankbars.tables.asides import is_mean_of_losses
from rankbars.tables.columns import fold_name
from rankbars.tables.conditions import paste_condition, quote_column
from rankbars.tables.database import quote_text
from rankbars.tables.metrics import (
    ends_in_loss,
    is_amount,
    is_interval_coverage,
    is_plain,
    is_virtue,
    stated_direction,
    states_loss,
    usual_direction,
)
from rankbars.tables.metricwords import CORPORA
from rankbars.tables.parsedtables import Group
from rankbars.tables.readoptions import ReadOptions

__all__ = ["RECORDED", "AboutTasks", "Direction", "Side", "describe_tasks", "settle_directions"]

Direction = Literal["higher", "lower"]

# Spellings in a direction column; a column called "lower_is_better" turns them round.
_RECORDED_WORDS: Mapping[str, Direction] = {
    **dict.fromkeys(("higher", "high", "max", "maximize", "maximise", "up", "true", "1", "yes"),
                    "higher"),
    **dict.fromkeys(("lower", "low", "min", "minimize", "minimise", "down", "false", "0", "no"),
                    "lower"),
    "↑": "higher",
    "↓": "lower",
}  # fmt: skip


RECORDED = "recorded in the input"


def _read_directions(
    values: Mapping[str, Sequence[str]], column: str
) -> dict[str, Direction | None]:
    """The recorded direction of each task; raises `DataError` for an unknown word."""
    turned = fold_name(column) == "lowerisbetter"
    found: dict[str, Direction | None] = {}
    for task, words in values.items():
        sides: set[Direction] = set()
        for word in words:
            side = _RECORDED_WORDS.get(word.strip().casefold())
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
    if side.recorded is None and is_interval_coverage(side.metric or task):
        return None, ""
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
    if usual == "higher" or (usual is None and is_virtue(side.metric)):
        return "higher", f"usual for {side.metric!r}"
    return None, ""


_ASSUMED = "no name of a metric says otherwise; if not: --direction lower"


def _is_assumed(task: str, side: Side, declared: Mapping[str, Direction]) -> bool:
    """Whether nothing says which side is better, so that higher is taken for it."""
    return side.metric is None and _settle(task, side, declared) == ("higher", _ASSUMED)


def _is_known(task: str) -> bool:
    """Whether the name of a task is that of a metric, and of no data set."""
    return usual_direction(task) is not None and fold_name(task) not in CORPORA


def _declared(task: str, side: Side, declared: Mapping[str, Direction]) -> Direction | None:
    for name in (task, side.metric):
        if name is not None and name in declared:
            return declared[name]
    if is_interval_coverage(side.metric or task):
        return None  # what holds for all metrics was not said of one that is best between
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
    covering = list(filter(is_interval_coverage, names))
    if covering:
        high = shlex.join(part for name in covering for part in ("--direction", f"{name}=higher"))
        one = len(covering) == 1
        return (
            f"{list_names(covering, 6)} {'is' if one else 'are'}, by the name, the share of "
            "outcomes within intervals. Neither side of it is better: it is best at the level of "
            "the intervals, and far too wide ones reach 1. Rank a score that counts width and "
            "misses together: an interval score (MSIS, Winkler), the quantile loss or CRPS. If it "
            "is a share that should be high, such as of lines that tests run, add: "
            f"{high} (in Python: direction={dict.fromkeys(covering, 'higher')!r})."
        )
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
        names = ", ".join(map(quote_text, open_metrics))
        lines = paste_condition(f"{quote_column(column)} NOT IN ({names})")
    return f" If {'it is no score' if len(open_metrics) == 1 else 'they are no scores'}: {lines}."


_HEADER = "(header)"


def _read_metrics(values: Mapping[str, Sequence[str]]) -> dict[str, str | None]:
    """The one metric of each task; raises `DataError` if a task has several."""
    for task, metrics in values.items():
        if len(metrics) > 1:
            every = sorted({metric for found in values.values() for metric in found})
            raise DataError(
                f"Task {task!r} holds {len(metrics)} metrics: {', '.join(map(repr, metrics))}. A "
                f"board shows one metric per task; choose it: "
                f"{shlex.join(('--metric', metrics[0]))} (in Python: "
                f"metric={metrics[0]!r}). Metrics in the table: {', '.join(map(repr, every))}."
            )
    return {task: metrics[0] if metrics else None for task, metrics in values.items()}


def _read_traits(
    role: str, values: Mapping[str, Sequence[str]], *, named: bool
) -> tuple[dict[str, str | None], tuple[Note, ...]]:
    """The category or family of each task.

    A column that was only recognised by its name and differs within a task describes something
    else (often the model) and is left aside with a note; one that was named raises `DataError`.
    """
    mixed = next((task for task, found in values.items() if len(found) > 1), None)
    if mixed is None:
        return {task: found[0] if found else None for task, found in values.items()}, ()
    few = ", ".join(repr(value) for value in values[mixed][:3])
    if named:
        raise DataError(
            f"Task {mixed!r} has several values in its {role} column ({few}, …); a task belongs to "
            f"one {role}."
        )
    note = Note(
        f"{role}-ignored",
        f"The {role} column differs within a task ({few} in {mixed!r}), so it does not describe "
        "tasks; it is not used.",
    )
    return dict.fromkeys(values), (note,)


class AboutTasks(NamedTuple):
    """What is known about each task of a group.

    Parameters
    ----------
    metrics, categories, families : mapping from str to str or None
        By task.
    directions : mapping from str to {"higher", "lower"}
        Which side is better, by task.
    limits : tuple of (float or None, float or None)
        Declared limits of the scores.
    notes : tuple of Note
        What was chosen or left aside.
    assumed : frozenset of str
        Tasks of which nothing says which side is better, so that higher is taken for it.
    """

    metrics: Mapping[str, str | None]
    categories: Mapping[str, str | None]
    families: Mapping[str, str | None]
    directions: Mapping[str, Direction]
    limits: tuple[float | None, float | None]
    notes: tuple[Note, ...]
    assumed: frozenset[str] = frozenset()

    def worst(self, tasks: Iterable[str]) -> list[float]:
        """The worst score of each task, NaN where nothing says it."""
        ends = [self.limits[self.directions.get(task) == "lower"] for task in tasks]
        return [math.nan if end is None else end for end in ends]

    def info(self, task: str, weight: float, coverage: Coverage | None) -> TaskInfo:
        """Everything known about one task."""
        return TaskInfo(
            self.categories[task], self.families[task], self.metrics[task], weight,
            self.directions[task], self.limits[0], self.limits[1], coverage,
        )  # fmt: skip


def _is_named_by_file(group: Group, options: ReadOptions) -> bool:
    """Whether only the name of a file says what the metric is or, where there is none, the task."""
    if group.metric is None:
        return "task" not in group.roles
    return group.metric not in (*group.roles.values(), options.metric)


_IN_WORDS = "words such as pass and fail say it"


def describe_tasks(
    group: Group, present: Sequence[str], values: Mapping[str, Mapping[str, Sequence[str]]],
    options: ReadOptions,
) -> AboutTasks:  # fmt: skip
    """Metric, category, family and direction of each task.

    Parameters
    ----------
    group : Group
        The tables.
    present : sequence of str
        Tasks that have rows.
    values : mapping from str to mapping
        What columns that describe tasks say of each, by role.
    options : ReadOptions
        What the caller declares.

    Raises
    ------
    DataError
        If a task has several metrics or its direction cannot be settled.
    """
    nothing: dict[str, str | None] = dict.fromkeys(present)
    by_column = "metric" not in values
    metrics = dict.fromkeys(present, group.metric) if by_column else _read_metrics(values["metric"])
    notes: list[Note] = []
    found = {"category": nothing, "family": nothing}
    for role in found:
        if role in values:
            found[role], more = _read_traits(role, values[role], named=role in group.named)
            notes += more
    recorded: Mapping[str, Direction | None] = dict.fromkeys(present)
    if "direction" in values:
        recorded = _read_directions(values["direction"], group.roles["direction"])
    by_file = by_column and _is_named_by_file(group, options)
    words = {"word", "right"} & {*dict(group.score.spellings)}
    if by_file and words and group.score.only_truths and group.metric not in options.direction:
        metrics = nothing
        sides = {task: Side(None, recorded[task] or "higher", origin=_IN_WORDS) for task in present}
    else:
        plain = group.score.only_truths or group.score.whole == (0, 1)
        plain = plain or (group.metric == options.metric and is_plain(group.roles.get("score", "")))
        sides = {
            task: Side(metrics[task], recorded[task], by_column, plain=plain) for task in present
        }
        if "duration" in dict(group.score.spellings):
            # Whatever they are called, less is usually better, and it is asked.
            by_file = False
            sides = {
                task: side._replace(metric="duration") if is_plain(side.metric or "score") else side
                for task, side in sides.items()
            }
    directions, said = settle_directions(sides, options.direction, group.roles, by_file=by_file)
    if by_column and group.metric not in (None, options.metric):
        # The name of a column such as "score" or "result" is no metric.
        known = fold_name(str(group.metric)) != "score" and usual_direction(str(group.metric))
        metrics = metrics if known else nothing
    limits = (options.minimum, options.maximum)
    if group.score.only_truths and limits == (None, None):
        limits = (0.0, 1.0)
    assumed = frozenset(t for t, side in sides.items() if _is_assumed(t, side, options.direction))
    return AboutTasks(
        metrics, found["category"], found["family"], directions, limits, (*notes, *said), assumed
    )
