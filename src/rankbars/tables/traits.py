"""What describes a task: its one metric, category, family and recorded direction."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import Note
from rankbars.errors import DataError
from rankbars.tables.columns import fold_name
from rankbars.tables.directions import RECORDED_WORDS, Direction
from rankbars.tables.metrics import is_proportion

__all__ = ["TRAIT_ROLES", "check_scale", "read_directions", "read_metrics", "read_traits"]

TRAIT_ROLES = ("metric", "category", "family", "direction")


def read_metrics(values: Mapping[str, Sequence[str]]) -> dict[str, str | None]:
    """The one metric of each task; raises `DataError` if a task has several."""
    for task, metrics in values.items():
        if len(metrics) > 1:
            every = sorted({metric for found in values.values() for metric in found})
            raise DataError(
                f"Task {task!r} holds {len(metrics)} metrics: {', '.join(map(repr, metrics))}. A "
                f"board shows one metric per task; choose it: --metric {metrics[0]} (in Python: "
                f"metric={metrics[0]!r}). Metrics in the table: {', '.join(map(repr, every))}."
            )
    return {task: metrics[0] if metrics else None for task, metrics in values.items()}


def read_traits(
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


def check_scale(
    largest: Mapping[str, NDArray[np.float64]], metrics: Mapping[str, str | None],
    models: Sequence[str], declared: Collection[float],
) -> None:  # fmt: skip
    """Raises `DataError` where a proportion stands as 0.73 for one model and as 73 for another.

    Parameters
    ----------
    largest : mapping from str to array of float, shape (M,)
        Largest score of each model by task, NaN where it has none.
    metrics : mapping from str to str or None
        Metric by task.
    models : sequence of str
        The M models.
    declared : collection of float
        Declared limits; if there are any, the scale is known and nothing is checked.
    """
    if declared:
        return
    for metric in sorted({m for m in metrics.values() if m is not None and is_proportion(m)}):
        tasks = [task for task, name in metrics.items() if name == metric and task in largest]
        if not tasks:
            continue
        stacked = np.stack([largest[task] for task in tasks])
        top = np.fmax.reduce(stacked, axis=0)
        above, within = top > 1.0, (top > 0.0) & (top <= 1.0)
        if above.any() and within.any():
            one, two = int(np.argmax(above)), int(np.argmax(within))
            raise DataError(
                f"The metric {metric!r} is a proportion, but its scores stand on two scales: model "
                f"{models[one]!r} reaches {top[one]:g}, model {models[two]!r} only {top[two]:g}. "
                "Bring them to one scale; if they are on one already, declare it: --score-max 100 "
                "(in Python: maximum=100)."
            )
