"""Names for what the producer calls the same although its settings differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from rankbars.data.notes import Note
from rankbars.readers.logs.records import Run
from rankbars.readers.logs.remarks import list_names

__all__ = ["name_systems", "name_tasks", "take_leaves"]

LONGEST_SETTING = 60


def name_systems(runs: Sequence[Run]) -> tuple[list[Run], list[Note]]:
    """Runs whose models have different names where their settings differ."""
    ways = _ways_within_a_task(runs)
    named, changed = _tell_apart(
        runs,
        lambda run: run.model,
        lambda run: {**run.system, **{key: run.manner[key] for key in ways.get(run.model, ())
                                      if key in run.manner}},
    )  # fmt: skip
    found = [replace(run, model=name) for run, name in zip(runs, named, strict=True)]
    return found, _note("systems", "different settings are different systems", changed)


def name_tasks(runs: Sequence[Run]) -> tuple[list[Run], list[Note]]:
    """Runs whose tasks have different names where their settings differ."""
    named, changed = _tell_apart(runs, lambda run: run.task, lambda run: run.setup)
    found = [replace(run, task=name) for run, name in zip(runs, named, strict=True)]
    return found, _note("task-settings", "different settings make different tasks", changed)


def take_leaves(runs: Sequence[Run]) -> tuple[list[Run], list[Note]]:
    """Runs without the wholes whose parts are there: no part counts together with its whole."""
    tasks = {run.task for run in runs}
    wholes = {run.task for run in runs if tasks.intersection(run.parts) - {run.task}}
    if not wholes:
        return list(runs), []
    note = Note(
        "groups",
        f"Put together from other tasks, and therefore not tasks: {list_names(sorted(wholes))}. "
        "They are the categories of their parts.",
    )
    return [run for run in runs if run.task not in wholes], [note]


def _ways_within_a_task(runs: Sequence[Run]) -> dict[str, list[str]]:
    """By model, the settings that differ between its runs on one task."""
    keys_of: dict[str, set[str]] = {}
    for run in runs:
        keys_of.setdefault(run.model, set()).update(run.manner)
    seen: dict[tuple[str, str, str], set[str | None]] = {}
    for run in runs:
        for key in keys_of[run.model]:
            place = (run.model, run.task, key)
            seen.setdefault(place, set()).add(run.manner.get(key))
    found: dict[str, dict[str, None]] = {}
    for (model, _, key), values in seen.items():
        if len(values) > 1:
            found.setdefault(model, {})[key] = None
    return {model: sorted(keys) for model, keys in found.items()}


def _tell_apart(
    runs: Sequence[Run], name: Callable[[Run], str], settings: Callable[[Run], Mapping[str, str]]
) -> tuple[list[str], dict[str, list[str]]]:
    """Name of each run, and new names by old ones."""
    kinds: dict[str, dict[tuple[tuple[str, str], ...], None]] = {}
    for run in runs:
        kinds.setdefault(name(run), {})[tuple(sorted(settings(run).items()))] = None
    suffixes: dict[tuple[str, tuple[tuple[str, str], ...]], str] = {}
    changed: dict[str, list[str]] = {}
    for plain, different in kinds.items():
        if len(different) < 2:
            continue
        keys = sorted({key for one in different for key, _ in one})
        differing = [key for key in keys if len({dict(one).get(key) for one in different}) > 1]
        for one in different:
            given = dict(one)
            parts = [f"{key}={_short(given[key])}" for key in differing if key in given]
            text = f"{plain} ({', '.join(parts)})" if parts else plain
            suffixes[plain, one] = text
            if text != plain:
                changed.setdefault(plain, []).append(text)
    return [
        suffixes.get((name(run), tuple(sorted(settings(run).items()))), name(run)) for run in runs
    ], changed


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_SETTING else f"{text[: LONGEST_SETTING - 1]}…"


def _note(code: str, reason: str, changed: Mapping[str, Sequence[str]]) -> list[Note]:
    return [
        Note(code, f"{plain!r}: {reason}, named {list_names(found)}.")
        for plain, found in changed.items()
    ]
