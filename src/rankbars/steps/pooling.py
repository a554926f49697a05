"""Rows of several looks at the same models put together, and items that change by themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from rankbars.data.evidence import Evidence, Items, take_rows
from rankbars.data.ledger import TaskRows
from rankbars.data.notes import Note, list_words
from rankbars.data.scores import Scores
from rankbars.errors import DataError

__all__ = ["flaky_items", "flaky_note", "leave_out_items", "luck_note", "pool_looks", "rows_of"]

_MOST_NAMED = 10


def rows_of(scores: Scores) -> dict[str, TaskRows]:
    """The rows of scores, as a ledger keeps them.

    Raises
    ------
    DataError
        If a task has no rows of items.
    """
    found = {}
    for task, evidence in scores.tasks.items():
        if not isinstance(evidence, Items) or evidence.design != "items":
            raise DataError(
                f"Task {task!r} has no rows of items, and a ledger pools rows of items. Judge it "
                "without a ledger."
            )
        columns = {
            model: tuple(evidence.values[:, place].tolist())
            for place, model in enumerate(evidence.models)
        }
        found[task] = TaskRows(_names(evidence), columns, scores.info[task].direction)
    return found


def pool_looks(scores: Scores, earlier: Sequence[Mapping[str, TaskRows]]) -> Scores:
    """Scores with the rows of earlier looks: an item has the mean of its answers.

    Parameters
    ----------
    scores : Scores
        What this look has read: rows of items.
    earlier : sequence of mapping from str to TaskRows
        What earlier looks have read. A column that is the same as another one, answer for answer,
        is a run that was read again, and counts once.

    Returns
    -------
    Scores
        Every item of any look.

    Raises
    ------
    DataError
        If a look had other tasks, or rows come in clusters or with weights and another look had
        other items.
    """
    if not earlier:
        return scores
    now = rows_of(scores)
    for look in earlier:
        if set(look) != set(now) or any(look[t].direction != now[t].direction for t in now):
            raise DataError(
                "An earlier look at this change had other tasks, or another direction of a score: "
                f"{', '.join(look)}; now {', '.join(now)}. Looks pool the same tasks."
            )
    tasks: dict[str, Evidence] = {}
    info = dict(scores.info)
    for task, evidence in scores.tasks.items():
        if not isinstance(evidence, Items):  # not reached: refused above
            continue
        looks = [*(look[task] for look in earlier), now[task]]
        items = tuple(dict.fromkeys(item for look in looks for item in look.items))
        tied = evidence.clusters is not None or evidence.weights is not None
        if tied and set(items) != set(now[task].items):
            raise DataError(
                f"Task {task!r} has clusters or weights of rows, and looks with other items "
                "cannot be pooled with it."
            )
        tasks[task] = _pooled(evidence, items, looks)
        # Means of answers of 0 and 1 are on the scale of their answers.
        plain = all({*column} <= {0.0, 1.0} for look in looks for column in look.scores.values())
        entry = scores.info[task]
        if plain and entry.minimum is None and entry.maximum is None:
            entry = replace(entry, minimum=0.0, maximum=1.0)
        info[task] = replace(entry, coverage=None)
    return replace(scores, tasks=tasks, info=info)


def _pooled(evidence: Items, items: tuple[str, ...], looks: Sequence[TaskRows]) -> Items:
    place = {item: number for number, item in enumerate(items)}
    total = np.zeros((len(items), len(evidence.models)))
    count = np.zeros_like(total)
    for number, model in enumerate(evidence.models):
        columns = {(look.items, repr(look.scores[model])): look for look in looks
                   if model in look.scores}  # fmt: skip
        for look in columns.values():
            rows = np.array([place[item] for item in look.items])
            values = np.array(look.scores[model])
            seen = ~np.isnan(values)
            np.add.at(total[:, number], rows[seen], values[seen])
            np.add.at(count[:, number], rows[seen], 1.0)
    with np.errstate(invalid="ignore"):
        values = np.where(count > 0, total / count, np.nan)
    order = [place[item] for item in _names(evidence)]
    if len(order) == len(items):  # the same items: as they stand in this look
        values, count = values[order], count[order]
        return replace(
            evidence, values=values, answers=count.astype(np.int64), runs=None, within=None,
            trials=None,
        )  # fmt: skip
    return Items(evidence.models, values, ids=items, answers=count.astype(np.int64))


def flaky_items(looks: Sequence[Mapping[str, TaskRows]]) -> dict[str, tuple[str, ...]]:
    """Items to which one and the same model gave answers of different scores, by task.

    Examples
    --------
    >>> first = {"math": TaskRows(("q1", "q2"), {"new": (1.0, 0.0)})}
    >>> again = {"math": TaskRows(("q1", "q2"), {"new": (1.0, 1.0)})}
    >>> flaky_items([first, again])
    {'math': ('q2',)}
    """
    seen: dict[tuple[str, str, str], float] = {}
    found: dict[str, dict[str, None]] = {}
    for look in looks:
        for task, rows in look.items():
            for place, item in enumerate(rows.items):
                for model, column in rows.scores.items():
                    value = column[place]
                    if value == value and seen.setdefault((task, model, item), value) != value:
                        found.setdefault(task, {})[item] = None
    return {task: tuple(items) for task, items in found.items()}


def luck_note(
    scores: Scores, looks: Sequence[Mapping[str, TaskRows]], model: str, baseline: str
) -> Note:
    """How often a baseline was run, and how much of a difference is the luck of its runs.

    Parameters
    ----------
    scores : Scores
        What the last look has read.
    looks : sequence of mapping from str to TaskRows
        All looks, the last one included.
    model, baseline : str
        Who is compared with the baseline.
    """
    runs, noise, total = 0, 0.0, 0.0
    for task, evidence in scores.tasks.items():
        if not isinstance(evidence, Items) or not {model, baseline} <= set(evidence.models):
            continue
        items = looks[-1][task].items
        columns = {look[task].scores[baseline] for look in looks if look[task].items == items}
        new, old = (evidence.models.index(name) for name in (model, baseline))
        if len(columns) > 1:
            answers = np.full(evidence.n, len(columns), dtype=np.int64)
            within = np.array(list(columns)).var(axis=0, ddof=1)
        elif evidence.answers is not None and evidence.within is not None:
            answers, within = evidence.answers[:, old], evidence.within[:, old]
        else:
            answers = np.ones(evidence.n, dtype=np.int64)
            within = np.full(evidence.n, np.nan)
        runs = max(runs, int(answers.max()))
        difference = evidence.values[:, new] - evidence.values[:, old]
        with np.errstate(invalid="ignore"):
            noise += float(np.mean(within / answers)) / evidence.n
            total += float(np.nanvar(difference, ddof=1)) / evidence.n
    if runs < 2 or not total > 0 or np.isnan(noise):
        text = (
            f"{baseline} was run once, and the luck of that run is part of every look. In "
            "simulations with 500 items one stored run made a gate of 5 % alarm in 0 to 70 % of "
            "runs. Store several runs of it, and "
            "renew them at merges."
        )
    else:
        text = (
            f"{baseline} was run {runs} times. The luck of its runs is part of every look: about "
            f"{min(noise / total, 1.0):.0%} of the variance of the difference."
        )
    return Note("baseline-luck", text)


def leave_out_items(scores: Scores, named: Sequence[str]) -> Scores:
    """Scores without items that are known to be flaky, and a note that lists them.

    Parameters
    ----------
    scores : Scores
        Results with names of items.
    named : sequence of str
        Each an item, or ``task/item`` where several tasks have it.

    Raises
    ------
    DataError
        If an item is not there.
    """
    tasks, left = dict(scores.tasks), list(dict.fromkeys(named))
    gone: list[str] = []
    for task, evidence in scores.tasks.items():
        if not isinstance(evidence, Items):
            continue
        names = _names(evidence)
        out = [name in left or f"{task}/{name}" in left for name in names]
        if any(out):
            gone += [one for name in names for one in (name, f"{task}/{name}") if one in left]
            tasks[task] = take_rows(evidence, ~np.array(out))
    unknown = [name for name in left if name not in gone]
    if unknown:
        raise DataError(
            f"Item {unknown[0]!r} is listed as flaky, and no task has it. Take it off the list."
        )
    info = {task: replace(entry, coverage=None) for task, entry in scores.info.items()}
    text = f"{_count(len(left))} known to be flaky and left out: {', '.join(left)}."
    return replace(scores, tasks=tasks, info=info).with_notes([Note("flaky-items", text)])


def flaky_note(looks: Sequence[Mapping[str, TaskRows]]) -> tuple[Note, ...]:
    """A note on items that changed between looks; none is left out for that."""
    names = [
        f"{task}/{item}" if len(looks[-1]) > 1 else item
        for task, items in flaky_items(looks).items()
        for item in items
    ]
    if not names:
        return ()
    text = (
        f"{_count(len(names))} answered differently by the same model at another look: "
        f"{list_words(names, _MOST_NAMED)}. None is left out."
    )
    return (Note("flaky-items", text),)


def _count(number: int) -> str:
    return f"{number:,} item{'s are' if number > 1 else ' is'}"


def _names(evidence: Items) -> tuple[str, ...]:
    if evidence.ids is not None:
        return evidence.ids
    return tuple(f"row {number}" for number in range(1, evidence.n + 1))
