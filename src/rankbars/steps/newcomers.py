"""Results that come to a store: names, items, scales and copies at which somebody must look."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankbars.data.boardchange import Finding
from rankbars.data.evidence import Estimates, Items, Votes
from rankbars.data.notes import list_words
from rankbars.steps.gappolicies import keep_pairs
from rankbars.tables.labels import find_alike

if TYPE_CHECKING:
    from rankbars.data.notes import NameKind
    from rankbars.data.scores import Scores

__all__ = ["examine_newcomers"]

_MOST = 5  # names in one message
_FEWEST = 10  # equal answers that say something
_PERCENT = 100.0
_FAR = 10.0
_LONGEST_NAME = 200


def examine_newcomers(
    own: Scores,
    before: Scores,
    after: Scores | None,
    known: Mapping[NameKind, Sequence[str]],
    *,
    new_tasks: bool,
    new_items: bool,
) -> Iterator[Finding]:
    """What is to be said of results beside those of a store.

    Parameters
    ----------
    own : Scores
        The results.
    before, after : Scores
        What the store holds without them, and with them; None where they do not fit.
    known : mapping from kind to sequence of str
        Names of models and tasks that the store was ever told.
    new_tasks, new_items : bool
        Tasks, and items of known tasks, that the store does not have are no fault.
    """
    yield from _names(own, before, known, new_tasks=new_tasks)
    yield from _items(own, before, new_items=new_items)
    yield from _scales(own, before)
    if after is not None:
        yield from _copies(own, after)
        yield from _harder(own, after)


def _names(
    own: Scores, before: Scores, known: Mapping[NameKind, Sequence[str]], *, new_tasks: bool
) -> Iterator[Finding]:
    strange = [task for task in own.tasks if task not in before.tasks]
    if strange and not new_tasks:
        yield Finding(
            "fault", "unknown-task",
            f"The store has no {'task' if len(strange) == 1 else 'tasks'} {_quoted(strange)}. "
            f"Known: {_quoted(sorted(before.tasks), 20)}. Correct the name (a file without a "
            "column task is called after itself: add one); if the task is new, allow it: "
            "--new-tasks.",
        )  # fmt: skip
    for kind, held in (("model", own.models), ("task", tuple(own.tasks))):
        hidden = [one for one in held if not one.isprintable() or len(one) > _LONGEST_NAME]
        if hidden:
            yield Finding(
                "warning", "strange-name",
                f"Names of {kind}s hold signs that are not seen, or are longer than "
                f"{_LONGEST_NAME} characters: {_quoted([one[:60] for one in hidden])}.",
            )  # fmt: skip
    added = [model for model in own.models if model not in before.models]
    new: Mapping[NameKind, Sequence[str]] = {"model": added, "task": strange}
    for what, names in new.items():
        for name in names[:100]:
            for other, how in find_alike(name, known[what]):
                yield Finding(
                    "warning", "look-alike",
                    f"The new {what} {name!r} looks like {other!r}, which the store knows ({how}). "
                    "If they are the same, write the known name; if not, leave it.",
                )  # fmt: skip
    again = [model for model in own.models if model in before.models]
    # More votes between models that are known are nothing to be told.
    if again and not all(isinstance(one, Votes) for one in own.tasks.values()):
        yield Finding(
            "warning", "known-model",
            f"The store has other results of {_quoted(again)} already; these would change "
            f"{'its' if len(again) == 1 else 'their'} ranks.",
        )  # fmt: skip
    wanted = [task for task in before.tasks if task not in own.tasks]
    if wanted and added:
        yield Finding(
            "warning", "lacking-tasks",
            f"There are no results on {len(wanted):,} of the {len(before.tasks):,} tasks of the "
            f"store: {_quoted(wanted)}.",
        )  # fmt: skip


def _items(own: Scores, before: Scores, *, new_items: bool) -> Iterator[Finding]:
    for task, mine in own.tasks.items():
        theirs = before.tasks.get(task)
        if not (isinstance(mine, Items) and isinstance(theirs, Items)):
            if theirs is not None and type(mine) is not type(theirs):
                yield Finding(
                    "warning", "other-kind",
                    f"{task}: the store holds {_kind(theirs)}, and the submission {_kind(mine)}.",
                )  # fmt: skip
            continue
        if mine.ids is None or theirs.ids is None:
            if len(mine.values) != len(theirs.values):
                yield Finding(
                    "warning", "lacking-items",
                    f"{task}: {len(mine.values):,} rows without names, where the store has "
                    f"{len(theirs.values):,}.",
                )  # fmt: skip
            continue
        known = set(theirs.ids)
        strange = [one for one in mine.ids if one not in known]
        if strange and not new_items:
            yield Finding(
                "fault", "unknown-item",
                f"{task}: the store has no {'item' if len(strange) == 1 else 'items'} "
                f"{_quoted(strange)} ({len(strange):,} of {len(mine.ids):,}). Correct the names; "
                "if the items are new, allow them: --new-items.",
            )  # fmt: skip
        for column, model in enumerate(mine.models):
            done = ~np.isnan(mine.values[:, column])
            answered = {one for one, is_done in zip(mine.ids, done, strict=True) if is_done}
            lacking = [one for one in theirs.ids if one not in answered]
            if lacking and answered and model not in theirs.models:
                yield Finding(
                    "warning", "lacking-items",
                    f"{task}: {model!r} has no answer to {len(lacking):,} of {len(theirs.ids):,} "
                    f"items: {_quoted(lacking)}.",
                )  # fmt: skip


def _kind(evidence: object) -> str:
    kinds = {Items: "answers to items", Estimates: "published scores"}
    return kinds.get(type(evidence), "votes")


def _scales(own: Scores, before: Scores) -> Iterator[Finding]:
    for task in own.tasks:
        if task not in before.tasks:
            continue
        mine, theirs = (_ends(scores, task) for scores in (own, before))
        if mine is None or theirs is None:
            continue
        said = f"{task}: scores from {mine[0]:g} to {mine[1]:g}, where those of the store go from "
        said += f"{theirs[0]:g} to {theirs[1]:g}"
        sizes = [max(abs(low), abs(high)) for low, high in (mine, theirs)]
        info = before.info[task]
        least, most = (-math.inf if info.minimum is None else info.minimum,
                       math.inf if info.maximum is None else info.maximum)  # fmt: skip
        if mine[0] < least or mine[1] > most:
            yield Finding("fault", "scale", f"{said}. Its limits are {least:g} and {most:g}.")
        elif theirs[0] >= 0 and sizes[1] <= 1 and _FAR < sizes[0] <= _PERCENT:
            yield Finding(
                "fault", "scale", f"{said}; they look like percentages. Bring them to one scale."
            )
        elif sizes[0] > _FAR * sizes[1] > 0 or sizes[1] > _FAR * sizes[0] > 0:
            yield Finding("warning", "scale", f"{said}. Look whether the scale is the same.")


def _ends(scores: Scores, task: str) -> tuple[float, float] | None:
    """The least and the largest score on a task; None where there is none, as for votes."""
    evidence = scores.tasks[task]
    if isinstance(evidence, Items):
        values = evidence.values
    elif isinstance(evidence, Estimates):
        values = evidence.mean
    else:
        return None
    known = values[~np.isnan(values)] * (-1 if scores.info[task].direction == "lower" else 1)
    return (float(known.min()), float(known.max())) if known.size else None


def _copies(own: Scores, after: Scores) -> Iterator[Finding]:
    """Models that answer as another one, item by item, wherever both answer."""
    alike: dict[tuple[str, str], int] = {}
    differ: set[tuple[str, str]] = set()
    for task in own.tasks:
        items = after.tasks.get(task)
        if not isinstance(items, Items):
            continue
        for model in own.models:
            if model not in items.models:
                continue
            mine = items.values[:, [items.models.index(model)]]
            both = ~np.isnan(mine) & ~np.isnan(items.values)
            unequal = (both & (items.values != mine)).any(axis=0)
            plain = both.sum(axis=0)
            for other, other_than, size in zip(items.models, unequal, plain, strict=True):
                if other == model or not size:
                    continue
                if other_than:
                    differ.add((model, other))
                alike[model, other] = alike.get((model, other), 0) + int(size)
    for (model, other), size in sorted(alike.items()):
        if (model, other) not in differ and size >= _FEWEST and _varies(after, model):
            yield Finding(
                "warning", "copy",
                f"{model!r} has the same scores as {other!r} on all {size:,} items that both "
                "answered.",
            )  # fmt: skip


def _harder(own: Scores, after: Scores) -> Iterator[Finding]:
    """Models whose rows are the easier ones of a task, as boards say it, too."""
    for note in keep_pairs(after, []).notes:
        if note.code == "harder-rows" and not set(own.models).isdisjoint(note.models):
            yield Finding("warning", note.code, f"{note.task}: {note.message}")


def _varies(scores: Scores, model: str) -> bool:
    """Whether the scores of a model on some task are not all the same."""
    for items in scores.tasks.values():
        if isinstance(items, Items) and model in items.models:
            values = items.values[:, items.models.index(model)]
            if len(np.unique(values[~np.isnan(values)])) > 1:
                return True
    return False


def _quoted(names: Sequence[str], most: int = _MOST) -> str:
    return list_words(map(repr, names), most)
