"""Tasks with the same rows, runs or items: of an average over them, a row is one draw."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Evidence, Items
from rankbars.data.fields import locate_models, spread_columns
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec
from rankbars.data.storedtasks import Outline, StoredTasks, digest_names, known_outline
from rankbars.errors import DataError
from rankbars.stats.averaging.points import Limits
from rankbars.stats.averaging.taskcontrasts import (
    add_task,
    average_contrasts,
    log_summary,
    start_sums,
)
from rankbars.stats.pairwise.modelscores import ModelSummary
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.rowsigns import group_resemblance, residuals
from rankbars.stats.tails import critical_value
from rankbars.steps.average.averagemethods import check_range
from rankbars.steps.average.plan import AveragePlan, TaskPart
from rankbars.steps.pairtests import compare_evidence

__all__ = ["JoinedTasks", "find_joined", "join_rows", "joined_by_names", "row_labels"]

_FEWEST = 5  # with fewer rows nothing is shown
_SHARED = 0.5  # of the items of the smaller task are those of the other one, too
_COUNTED = 10  # fewer items that are only numbered must show it: degrees of freedom are dear
_NUMBERED = re.compile(r"(.*?)([0-9]{1,9})", re.DOTALL)
_SURE = 3.1  # standard deviations of chance
_WIDER = 1.05  # standard error of items on all their tasks over that of independent ones
_AGREE = 0.05  # widths that differ by no more are not worth a word
_MOST_MODELS = 50  # of more, as many evenly spaced ones stand for the field
_MOST_ROWS = 100_000  # with more items only tasks with the same ones are looked for


def find_joined(scores: Scores, names: Iterable[str], spec: Spec) -> dict[str, tuple[str, ...]]:
    """Of each task whose rows are those of another one, too, all tasks that are linked by them.

    Runs are the same where they have the same label; without labels they are counted. Items are the
    same where they have the same name. Where names say little (they only number the items), or the
    average would not be that of the tasks (a model lacks some), the data must show it: what models
    answer to them on different tasks goes together. Folds and prompt variants are never linked.
    """
    names = list(names)
    linked: list[list[str]] = []
    if spec.runs != "anew":
        runs = {name: set(row_labels(items)) for name, items in _plain(scores, names, "runs")}
        linked += _linked(runs, 0.0)
    if not spec.independent_rows:
        crossed = spec.runs == "shared" or spec.test == "two_way"
        if isinstance(scores.tasks, StoredTasks):
            linked += _known_alike(scores.tasks, names, crossed=crossed)
        else:
            linked += _linked_items(dict(_plain(scores, names, "items", crossed=crossed)))
    return {name: tuple(members) for members in linked for name in members}


def _plain(
    scores: Scores, names: list[str], design: str, *, crossed: bool = False
) -> Iterator[tuple[str, Items]]:
    """Tasks of such a design whose rows are independent of each other, and have names."""
    for name in names:
        outline = known_outline(scores.tasks, name)
        if outline is not None and outline.design != design:
            continue
        items = scores.tasks[name]
        if not isinstance(items, Items) or items.design != design:
            continue
        plain = items.clusters is None and items.weights is None and items.judge is None
        if design == "items":
            answered = items.answers is not None or items.runs is not None
            plain = plain and items.ids is not None and not (crossed and answered)
        if plain:
            yield name, items


def _known_alike(tasks: StoredTasks, names: list[str], *, crossed: bool) -> list[list[str]]:
    """Groups of tasks that lie elsewhere and are known to have the same items, all of them."""
    same: dict[bytes, list[str]] = {}
    for name in names:
        about = known_outline(tasks, name) or _outline(tasks[name])
        if about is None or about.design != "items" or not about.names:
            continue
        whole = ((about.missing == 0) | (about.missing == about.rows)).all()
        if whole and about.rows >= _COUNTED and not (crossed and about.answers is not None):
            same.setdefault(about.names, []).append(name)
    return [members for members in same.values() if len(members) > 1]


def _outline(evidence: Evidence) -> Outline | None:
    """What is known of a task that was changed since it was read."""
    if not isinstance(evidence, Items) or evidence.ids is None:
        return None
    about = Outline.of(evidence.values, evidence.answers, evidence.design)
    names = digest_names(evidence.ids, evidence.clusters, evidence.weights)
    return about._replace(names=names)


def _linked_items(tasks: Mapping[str, Items]) -> list[list[str]]:
    """Groups of tasks that are averaged item by item."""
    same: dict[tuple[str, ...], list[str]] = {}
    for name, items in tasks.items():
        same.setdefault(tuple(sorted(row_labels(items))), []).append(name)
    alike = [members for members in same.values() if len(members) > 1]
    if sum(items.n for items in tasks.values()) > _MOST_ROWS:
        groups = alike
    else:
        groups = _linked({name: set(row_labels(items)) for name, items in tasks.items()}, _SHARED)
    found = []
    for group in groups:
        members = {name: tasks[name] for name in group}
        if _named_alike(members) or _go_together(members):
            found.append(group)
            continue
        for others in alike:  # those of the group that have the same items, all of them
            whole = {
                name: tasks[name] for name in others if name in members and _whole(tasks[name])
            }
            if len(whole) > 1 and _named_alike(whole):
                found.append(list(whole))
    return found


def _named_alike(tasks: Mapping[str, Items]) -> bool:
    """Whether names alone make items the same, at no cost to the average."""
    if not all(map(_whole, tasks.values())):
        return False
    names = set().union(*set(map(row_labels, tasks.values())))
    fewest = min(items.n for items in tasks.values())
    if fewest == len(names) >= _COUNTED:
        return True
    return fewest > _SHARED * len(names) and not _only_number(names)


def joined_by_names(tasks: Mapping[str, Items]) -> bool:
    """Whether any two of these tasks are linked, whatever their scores: they have the same rows."""
    rows = {(one.design, frozenset(row_labels(one))) for one in tasks.values()}
    runs = all(one.design == "runs" for one in tasks.values())
    return len(rows) == 1 and all(map(_whole, tasks.values())) and (runs or _named_alike(tasks))


def _only_number(names: set[str]) -> bool:
    """Whether names count, behind the same letters if any; up to half of the numbers may be gone.

    Examples
    --------
    >>> _only_number({"q1", "q2", "q4"}), _only_number({"12", "40"}), _only_number({"a1", "b2"})
    (True, False, False)
    """
    found = [_NUMBERED.fullmatch(name) for name in names]
    stems = {one[1] for one in found if one is not None}
    numbers = {int(one[2]) for one in found if one is not None}
    if len(stems) > 1 or len(numbers) < len(names):
        return False
    return max(numbers) - min(numbers) < 2 * len(numbers)


def _whole(items: Items) -> bool:
    """Whether every model has all items of a task, or none."""
    gaps = np.isnan(items.values).sum(axis=0)
    return bool(((gaps == 0) | (gaps == items.n)).all())


def _linked(labels: Mapping[str, set[str]], least: float) -> list[list[str]]:
    """Groups of tasks that share more than such a part of the fewer names."""
    groups: list[tuple[set[str], list[str]]] = []
    for name, own in labels.items():
        known, members = set(own), [name]
        apart = []
        for others, there in groups:
            if len(others & own) > least * min(len(others), len(own)):
                known |= others
                members = there + members
            else:
                apart.append((others, there))
        groups = [*apart, (known, members)]
    return [members for _, members in groups if len(members) > 1]


def _go_together(tasks: Mapping[str, Items]) -> bool:
    """Whether what models answer to an item on one task tells of it on the others."""
    if sum(items.n for items in tasks.values()) > _MOST_ROWS:
        return False
    present = sorted(set.intersection(*map(_present, tasks.values())))
    if len(present) < 2:
        return False
    evenly = np.unique(np.linspace(0, len(present) - 1, _MOST_MODELS, dtype=int))
    models = [present[i] for i in evenly.tolist()]
    parts: list[NDArray[np.float64]] = []
    labels: list[str] = []
    for items in tasks.values():
        columns = [items.models.index(model) for model in models]
        parts.append(residuals(items.values[:, columns]))
        labels += row_labels(items)
    place = {label: at for at, label in enumerate(dict.fromkeys(labels))}
    groups = np.array([place[label] for label in labels], dtype=np.int64)
    found = group_resemblance(np.concatenate(parts), groups, _WIDER)
    return found is not None and found.z > _SURE


def _present(items: Items) -> set[str]:
    rows = np.isfinite(items.values).sum(axis=0).tolist()
    return {model for model, seen in zip(items.models, rows, strict=True) if seen}


def row_labels(items: Items) -> tuple[str, ...]:
    """Names of the rows of a task; their numbers where they have none."""
    return tuple(map(str, range(items.n))) if items.ids is None else items.ids


def join_rows(
    models: tuple[str, ...], ids: tuple[str, ...], parts: Iterable[tuple[Items, float]]
) -> Items:
    """One row per run, or item: its weighted average over the tasks.

    Parameters
    ----------
    models : tuple of str
        The models of the average.
    ids : tuple of str
        Names of the rows of all tasks.
    parts : iterable of (Items, float)
        Scores of each task on the scale that is summed, and its part of all weights.

    Returns
    -------
    Items
        Without a score where a model lacks the row on one of its tasks. Where all tasks have the
        same rows, one is the plain weighted average. A row that is no part of some tasks counts
        there as their mean, and its distance from the mean of k rows, of n in all, is larger by
        the root of ``n (n - 1) / (k (k - 1))``: rows of one task alone then have the error of its
        mean, ``s / sqrt(k)``.

    Examples
    --------
    >>> law = Items(("a", "b"), [[0.4, 0.5], [0.6, 0.7]], design="runs", ids=("0", "1"))
    >>> art = Items(("a", "b"), [[0.2, 0.1], [0.4, 0.5]], design="runs", ids=("0", "1"))
    >>> made = join_rows(("a", "b"), ("0", "1"), [(law, 0.5), (art, 0.5)])
    >>> made.ids, made.values.round(3).tolist()
    (('0', '1'), [[0.3, 0.3], [0.5, 0.6]])
    """
    place = {label: at for at, label in enumerate(ids)}
    values = np.zeros((len(ids), len(models)))
    design: Any = "items"
    for items, weight in parts:
        own, labels, design = items.values, row_labels(items), items.design
        if items.models != models:
            own = spread_columns(own, locate_models(items.models, models), len(models))
        rows = slice(None) if labels == ids else [place[label] for label in labels]
        if items.n < len(ids):
            mean = _column_means(own)
            values += weight * mean
            share = _pairs_of(len(ids)) / max(_pairs_of(items.n), 1)
            values[rows] += weight * share**0.5 * (own - mean)
        else:
            values[rows] += weight * own
        del items, own  # before the next one needs the room
    return Items(models, values, design=design, ids=ids)


def _pairs_of(rows: int) -> int:
    return rows * (rows - 1)


def _column_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0))


class _Waiting(NamedTuple):
    """What is needed of a task until all that it is linked with are there; see `TaskPart`."""

    task: str
    weight: float
    limits: Limits | None
    ends: tuple[float, float]
    welch: bool


class JoinedTasks:
    """Takes the tasks of an average one by one, and makes one of those that are linked by rows.

    Parameters
    ----------
    plan : AveragePlan
        What is averaged, and which tasks are linked.
    tasks : mapping from str to Evidence
        Where the scores of rows are found.
    apart : mapping from str to str, optional
        Tasks that are averaged apart from others: the name of the average of each.
    """

    def __init__(
        self, plan: AveragePlan, tasks: Mapping[str, Evidence],
        apart: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self._plan, self._tasks = plan, tasks
        self._waiting: dict[str, list[_Waiting]] = {}
        self._linked = plan.joined if apart is None else _split(plan.linked, apart)
        self._apart = start_sums(len(plan.models)) if plan.joined and apart is None else None
        self.made: dict[str, Items] = {}  # by the first of the tasks that it stands for

    def add(self, part: TaskPart) -> Iterator[TaskPart]:
        """What is added to the average now: the task, nothing yet, or the one made of several."""
        pairs = part.comparisons.pairs
        if self._apart is not None and pairs is not None:
            add_task(self._apart, pairs, part.summary, part.weight)
        members = self._linked.get(part.task)
        if members is None:
            yield part
            return
        waiting = self._waiting.setdefault(members[0], [])
        welch = part.comparisons.test == "welch"
        waiting.append(_Waiting(part.task, part.weight, part.limits, part.ends, welch))
        if len(waiting) == len(members):
            del self._waiting[members[0]]
            yield self._join(members[0], waiting)

    def _join(self, name: str, parts: list[_Waiting]) -> TaskPart:
        plan = self._plan
        weight = sum(part.weight for part in parts)
        summed = ((self._summed(part), part.weight / weight) for part in parts)
        joined = join_rows(plan.models, self._ids(parts), summed)
        self.made[name] = joined
        welch = all(part.welch for part in parts)
        compared = compare_evidence(joined, plan.models, "welch" if welch else "t", name)
        low, high = (sum(one.weight * one.ends[k] for one in parts) / weight for k in (0, 1))
        compared = replace(compared, insisted=plan.insisted)
        return TaskPart(name, weight, compared, joined, ends=(low, high), joined=True)

    def _ids(self, parts: list[_Waiting]) -> tuple[str, ...]:
        """Names of the rows of tasks."""
        first = self._rows(parts[0])
        if isinstance(self._tasks, StoredTasks) and first.design == "items":
            return row_labels(first)  # all have the same; see `_known_alike`
        own = [row_labels(self._rows(part)) for part in parts]
        if all(labels == own[0] for labels in own):
            return own[0]
        return tuple(dict.fromkeys(chain.from_iterable(own)))

    def _rows(self, part: _Waiting | TaskPart) -> Items:
        items = self._tasks[part.task]
        if not isinstance(items, Items):
            raise DataError(f"Task {part.task!r} had rows when it was compared, and has none now.")
        return items

    def rows_of(self, part: TaskPart) -> Items:
        """Scores of what is added to the average, of all models, on the scale that is summed."""
        if part.joined and isinstance(part.evidence, Items):
            return part.evidence
        items = self._summed(part)
        return join_rows(self._plan.models, row_labels(items), [(items, 1.0)])

    def _summed(self, part: _Waiting | TaskPart) -> Items:
        """The scores of a task on the scale that is summed."""
        items, rule = self._rows(part), self._plan.rule
        values = items.values if part.limits is None else part.limits.apply(items.values)
        if rule.linear == "log ratio":
            mean = _column_means(values)
            check_range(self._plan.method, rule, mean, items.models, part.task)
            log = log_summary(ModelSummary(mean, mean * 0.0, mean * 0.0), rule.sign).mean
            values = log + (values - mean) / (rule.sign * mean)
        return replace(items, values=values)

    def notes(self, pairs: PairStatistics | None, *, board: bool = False) -> tuple[Note, ...]:
        """That a row is one draw on all its tasks, and what the other reading would say.

        Parameters
        ----------
        pairs : PairStatistics, optional
            Contrasts of the average, as they were found.
        board : bool
            Whether ranks on a new task stand beside the average.
        """
        if not self.made:
            return ()
        apart = None
        if self._apart is not None and pairs is not None and self._plan.rule.linear == "difference":
            apart = _narrower(average_contrasts(self._apart), pairs, self._plan.alpha)
        made: dict[str, list[int]] = {}
        for items in self.made.values():
            made.setdefault(items.kind, []).append(items.n)
        words = {"runs": _runs_words, "items": _items_words}
        return tuple(
            Note(f"joined-{kind}", words[kind](rows, apart, board=board))
            for kind, rows in made.items()
        )


def _split(
    linked: Mapping[str, tuple[str, ...]], apart: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """The tasks that each task is linked with, without those that are averaged apart from it."""
    within = {
        task: tuple(one for one in members if apart[one] == apart[task])
        for task, members in linked.items()
    }
    return {task: members for task, members in within.items() if len(members) > 1}


def _narrower(apart: PairStatistics, pairs: PairStatistics, alpha: float) -> float | None:
    """How wide intervals of differences would be, of what they are: the median over pairs."""
    upper = np.triu_indices(len(pairs.se), k=1)
    widths = []
    for one in (apart, pairs):
        df, se = np.broadcast_to(one.freedom, one.se.shape)[upper], one.se[upper]
        unlike, which = np.unique(np.maximum(df, 1e-9), return_inverse=True)  # often the same
        critical = critical_value(alpha / 2, unlike)[which]
        widths.append(np.where((se > 0) & (df > 0), critical, np.nan) * se)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = widths[0] / widths[1]
    ratio = ratio[np.isfinite(ratio)]
    return float(np.median(ratio)) if ratio.size else None


def _runs_words(rows: list[int], apart: float | None, *, board: bool) -> str:
    few = f", and {min(rows)} runs are too few to show anything" if min(rows) < _FEWEST else ""
    new = " Ranks on a new task are those of these runs." if board else ""
    return (
        f"Runs of one label are the same run, scored on several tasks ({_span(rows)} runs). What "
        f"moves one of its scores may move all of them, so the average is over runs{few}.{new} "
        f'--runs anew (runs="anew") says that every task was trained anew{_size(apart)}.'
    )


def _items_words(rows: list[int], apart: float | None, *, board: bool) -> str:
    return (
        f"Items of one name stand on several tasks ({_span(rows)} items). What moves a score on "
        "one task may move those on the others, as with the same question in other words or "
        "languages, so the average is over items; it holds for unlike items, too. --rows "
        "independent (independent_rows=True) says that they are others on every "
        f"task{_size(apart)}."
    )


def _span(rows: list[int]) -> str:
    return f"{min(rows)}" if min(rows) == max(rows) else f"{min(rows)} to {max(rows)}"


def _size(apart: float | None) -> str:
    if apart is None:
        return ""
    if abs(apart - 1.0) <= _AGREE:
        return ": ± is then about as wide"
    return f": ± is then about {apart:.{2 if apart > 1.0 else 1}g} times as wide"
