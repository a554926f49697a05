"""Which results of Every Eval Ever are put together from others, as far as names tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rankbars.readers.every_eval_records import Aggregate, Result
from rankbars.tables.columns import fold_name

__all__ = ["category_of", "find_groups", "find_wholes"]

WHOLE_WORDS = frozenset({"overall", "average", "avg", "mean", "total", "aggregate"})
_BREAKS = re.compile(r"[\s/_.:()\[\]-]+")
# Between the name of a whole and that of a part. Not "-" or "_": mmlu_pro is no part of mmlu.
SEPARATORS = ("/", ".", ":", " (", " - ")


def find_wholes(results: Sequence[Result]) -> dict[str, tuple[str, ...]]:
    """Parts by whole, as far as the names of tasks and data sets tell.

    Parameters
    ----------
    results : sequence of Result
        Results of one record.
    """
    of_task = {result.task: result for result in results}
    by_start = _by_start(list(of_task))
    found = {}
    for task, result in of_task.items():
        words = _words(task)
        stem = words[:-1] if words[-1:] and words[-1] in WHOLE_WORDS else None
        if stem is None and words[:1] and words[0] in WHOLE_WORDS:
            stem = words[1:]
        if stem is not None:
            named = _parts_of_stem(result, stem, of_task.values())
            parts = [*dict.fromkeys((*by_start.get(task, ()), *named))]
        else:
            parts = by_start.get(task) or _parts_of_data(result, of_task.values())
        if parts:
            found[task] = tuple(parts)
    return found


def find_groups(aggregates: Sequence[Aggregate]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Groups of the lm-evaluation-harness, which get records of their own, by model and name.

    A group has no data set of its own, and its tasks bear its name.
    """
    leaves: dict[str, set[str]] = {}
    for one in aggregates:
        if one.library == "lmeval":
            leaves.setdefault(one.model, set()).update(r.task for r in one.results if r.has_data)
    found = {}
    for one in aggregates:
        names = leaves.get(one.model, set())
        for result in one.results:
            parts = tuple(sorted(name for name in names if name.startswith(f"{result.task}_")))
            if one.library == "lmeval" and not result.has_data and len(parts) > 1:
                found[one.model, result.task] = parts
    return found


def category_of(task: str, wholes: Mapping[str, tuple[str, ...]]) -> str | None:
    """The smallest whole that a task is a part of."""
    containing = [whole for whole, parts in wholes.items() if task in parts]
    return min(containing, key=lambda whole: len(wholes[whole]), default=None)


def _by_start(tasks: Sequence[str]) -> dict[str, list[str]]:
    """Tasks by what stands before a separator in their name."""
    found: dict[str, list[str]] = {}
    for task in tasks:
        starts = {task[:at] for mark in SEPARATORS for at in _places(task, mark)}
        for start in starts - {task}:
            found.setdefault(start, []).append(task)
    return found


def _places(text: str, mark: str) -> Iterator[int]:
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + 1)


def _parts_of_stem(whole: Result, stem: Sequence[str], every: Iterable[Result]) -> list[str]:
    """Parts of a mean or an overall score: what bears its name, or is on the same data."""
    parts = []
    for other in every:
        words = _words(other.task)
        same = words[: len(stem)] == list(stem) if stem else other.dataset == whole.dataset
        if other is not whole and same and not WHOLE_WORDS.intersection(words):
            parts.append(other.task)
    return parts


def _parts_of_data(whole: Result, every: Iterable[Result]) -> list[str]:
    """Parts of a task that is called like the data set of the others."""
    if not whole.dataset or fold_name(whole.task) != fold_name(whole.dataset):
        return []
    return [
        other.task
        for other in every
        if other is not whole
        and other.dataset == whole.dataset
        and other.metric.name == whole.metric.name
    ]


def _words(name: str) -> list[str]:
    return [word for word in _BREAKS.split(name.casefold()) if word]
