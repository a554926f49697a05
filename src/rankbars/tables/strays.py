"""What stands apart: names that look alike, tasks and items of one model, runs on few items."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Items
from rankbars.data.notes import Note, list_words
from rankbars.data.scores import Scores
from rankbars.data.storedtasks import known_outline
from rankbars.errors import DataError
from rankbars.tables.labels import plain_form

__all__ = ["items_with_gaps", "note_lookalikes", "note_strays", "refuse_alike_rows"]

# With two models, whatever one of them lacks the other has alone.
_FEWEST_MODELS = 3

# A model with less than this share of what the middle one has stands apart.
_FEW = 0.25

# Fewer right answers than this are no sign that wrong ones were left out.
_MANY_RIGHT = 10

_MOST_NAMED = 8  # models to leave out, each by its option


def note_lookalikes(scores: Scores) -> Scores:
    """The scores with a note for names of models, or of tasks, that look the same."""
    notes = []
    for what, names in (("models", scores.models), ("tasks", tuple(scores.tasks))):
        forms: dict[str, dict[str, None]] = defaultdict(dict)
        for name in names:
            forms[plain_form(name)][name] = None
        for alike in (tuple(sorted(found)) for found in forms.values() if len(found) > 1):
            shown = list_words(map(repr, alike), 3, " and ")
            notes.append(Note(
                "look-alike",
                f"The {what} {shown} look alike, and count as different ones. If they are "
                "the same, write their names in one way.",
                models=alike if what == "models" else (),
            ))  # fmt: skip
    return scores.with_notes(notes) if notes else scores


def note_strays(scores: Scores) -> Scores:
    """The scores with notes on what stands apart; tasks that are kept in files are not looked at.

    Parameters
    ----------
    scores : Scores
        Scores of all inputs.

    Raises
    ------
    DataError
        If most rows that models lack are there under a name that looks the same.
    """
    gaps = items_with_gaps(scores)
    if gaps:
        refuse_alike_rows(gaps)
    if len(scores.models) < _FEWEST_MODELS or (not gaps and len(scores.tasks) == 1):
        return scores
    notes = [*_own_tasks(scores, gaps), *_own_items(gaps), *_few_items(gaps)]
    return scores.with_notes(notes) if notes else scores


def items_with_gaps(scores: Scores) -> dict[str, Items]:
    """Tasks of items with gaps, which are in memory."""
    found = {}
    for name in scores.tasks:
        if known_outline(scores.tasks, name) is not None:
            continue
        evidence = scores.tasks[name]
        if not isinstance(evidence, Items) or evidence.design != "items":
            continue
        if np.isnan(evidence.values).any():
            found[name] = evidence
    return found


def refuse_alike_rows(gaps: Mapping[str, Items]) -> None:
    """Raises `DataError` where models have the same rows under names that only look the same."""
    for task, items in gaps.items():
        there = ~np.isnan(items.values)
        if items.ids is None or there.all(axis=0).any():
            continue
        rows = np.flatnonzero(~there.all(axis=1))
        alike: dict[str, list[int]] = defaultdict(list)
        for row in rows.tolist():
            alike[_ZEROS.sub("", plain_form(items.ids[row]))].append(row)
        pairs = [one for one in alike.values() if len(one) > 1 and there[one].sum(axis=0).max() < 2]
        if 2 * sum(map(len, pairs)) >= len(rows) > 0:
            names = " and ".join(repr(items.ids[row]) for row in pairs[0][:2])
            raise DataError(
                f"Task {task!r}: the rows {names} look alike and count as different ones, so that "
                f"no model has both; {len(pairs) - 1:,} more such pairs. Write the names of rows "
                "in one way in all files."
            )


_ZEROS = re.compile(r"(?<![\d.])0+(?=\d)")  # before a number


def _own_tasks(scores: Scores, gaps: dict[str, Items]) -> Iterator[Note]:
    """Tasks that one model has alone, where there are others beside them."""
    owned = defaultdict(list)
    for name in scores.tasks:
        if known_outline(scores.tasks, name) is not None:
            return
        evidence = scores.tasks[name]
        models = tuple(evidence.models)
        if name in gaps:
            seen = [bool(count) for count in (~np.isnan(gaps[name].values)).sum(axis=0)]
            models = tuple(model for model, one in zip(models, seen, strict=True) if one)
        elif hasattr(evidence, "mean"):
            known = ~np.isnan(evidence.mean)
            models = tuple(model for model, one in zip(models, known, strict=True) if one)
        if len(models) == 1:
            owned[models[0]].append(name)
    for model, tasks in owned.items():
        if len(tasks) < len(scores.tasks):
            yield Note(
                "own-tasks",
                f"{_count(len(tasks), 'task')} only {model!r} has (such as {tasks[0]!r}). Is the "
                "name written as on the board?",
                models=(model,),
            )


def _own_items(gaps: dict[str, Items]) -> Iterator[Note]:
    for name, items in gaps.items():
        seen = ~np.isnan(items.values)
        alone = seen.sum(axis=1) == 1
        for place, model in enumerate(items.models):
            rows = np.flatnonzero(alone & seen[:, place])
            # Nothing is compared with a model that shares no item; that is said elsewhere.
            if rows.size and rows.size < seen[:, place].sum():
                shown = f" (such as {items.ids[rows[0]]!r})" if items.ids else ""
                yield Note(
                    "own-items",
                    f"{_count(rows.size, 'item')} of {items.n:,} only {model!r} has{shown}. Do "
                    "they belong to the task?",
                    name,
                    (model,),
                )


def _few_items(gaps: dict[str, Items]) -> Iterator[Note]:
    for name, items in gaps.items():
        seen = ~np.isnan(items.values)
        counts = seen.sum(axis=0)
        here = counts > 0
        if not here.any():
            continue
        few = here & (counts < _FEW * np.quantile(counts[here], 0.5, method="higher"))
        for place in np.flatnonzero(few):
            model = items.models[place]
            others = [one for one, little in zip(items.models, few, strict=True) if not little]
            lines = " ".join(shlex.join(("--models", other)) for other in others)
            way = lines if len(others) <= _MOST_NAMED else "--missing drop_models"
            yield Note(
                "far-fewer",
                f"{model!r} has {counts[place]:,} of {items.n:,} items, far fewer than the others, "
                f"and stands apart. To leave it out: {way}.",
                name,
                (model,),
            )
        yield from _only_right(name, items, seen, counts)


def _only_right(
    name: str, items: Items, seen: NDArray[np.bool_], counts: NDArray[np.int64]
) -> Iterator[Note]:
    """Models whose every answer is right, where answers lack and all others have wrong ones."""
    values = items.values
    if not np.isin(values[seen], (0.0, 1.0)).all():
        return
    wrong = (values == 0.0).sum(axis=0)
    spotless = (wrong == 0) & (counts >= _MANY_RIGHT) & (counts < items.n)
    if spotless.sum() != 1 or (wrong > 0).sum() < _FEWEST_MODELS - 1:
        return
    place = int(np.argmax(spotless))
    yield Note(
        "only-right",
        f"{items.models[place]!r} has only right answers, {counts[place]:,} of them, and none to "
        f"{items.n - counts[place]:,} of {items.n:,} items ({counts[place]:,} of {items.n:,}). "
        "Were the wrong ones left out?",
        name,
        (items.models[place],),
    )


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
