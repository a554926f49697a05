"""Tasks that the same runs were scored on: of an average over them, a run is one draw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Evidence, Items
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.storedtasks import known_outline
from rankbars.errors import DataError
from rankbars.stats.averaging.taskcontrasts import (
    add_task,
    average_contrasts,
    log_summary,
    start_sums,
)
from rankbars.stats.pairwise.modelscores import ModelSummary
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.tails import critical_value
from rankbars.steps.average.averagemethods import check_range
from rankbars.steps.average.plan import AveragePlan, TaskPart
from rankbars.steps.pairtests import compare_evidence

__all__ = ["JoinedTasks", "find_joined", "join_rows"]

_FEWEST = 5  # with fewer runs nothing is shown


def find_joined(scores: Scores, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Of each task that shares runs with another one, all tasks that are linked by runs.

    Runs are the same where they have the same label; without labels they are counted. Tasks whose
    rows are items, folds or prompt variants are linked with none.
    """
    linked: list[tuple[set[str], list[str]]] = []
    for name in names:
        labels = _labels_of_runs(scores, name)
        if not labels:
            continue
        members = [name]
        apart = []
        for known, others in linked:
            if known.isdisjoint(labels):
                apart.append((known, others))
            else:
                labels |= known
                members = others + members
        linked = [*apart, (labels, members)]
    return {name: tuple(one) for _, one in linked if len(one) > 1 for name in one}


def _labels_of_runs(scores: Scores, name: str) -> set[str]:
    outline = known_outline(scores.tasks, name)
    if outline is not None and outline.design != "runs":
        return set()
    items = scores.tasks[name]
    if not isinstance(items, Items) or items.design != "runs":
        return set()
    plain = items.clusters is None and items.weights is None and items.judge is None
    return set(_labels(items)) if plain else set()


def _labels(items: Items) -> tuple[str, ...]:
    return tuple(map(str, range(items.n))) if items.ids is None else items.ids


def join_rows(models: tuple[str, ...], parts: Iterable[tuple[Items, float]]) -> Items:
    """One row per run: its weighted average over the tasks.

    Parameters
    ----------
    models : tuple of str
        The models of the average.
    parts : iterable of (Items, float)
        Scores of each task on the scale that is summed, and its weight.

    Returns
    -------
    Items
        Without a score where a model lacks the run on one of its tasks. Where all tasks have the
        same runs a row is the plain weighted average. A run that is no part of some tasks counts
        there as their mean, and on the others with the share that it has in their means: the
        spread of the rows is then that of the runs' parts in the average.

    Examples
    --------
    >>> law = Items(("a", "b"), [[0.4, 0.5], [0.6, 0.7]], design="runs", ids=("0", "1"))
    >>> art = Items(("a", "b"), [[0.2, 0.1], [0.4, 0.5]], design="runs", ids=("0", "1"))
    >>> made = join_rows(("a", "b"), [(law, 0.5), (art, 0.5)])
    >>> made.ids, made.values.round(3).tolist()
    (('0', '1'), [[0.3, 0.3], [0.5, 0.6]])
    """
    taken = list(parts)
    ids = tuple(dict.fromkeys(label for items, _ in taken for label in _labels(items)))
    place = {label: at for at, label in enumerate(ids)}
    total = sum(weight for _, weight in taken)
    values = np.zeros((len(ids), len(models)))
    for items, weight in taken:
        own = np.full((items.n, len(models)), np.nan)
        own[:, [models.index(name) for name in items.models]] = items.values
        rows = [place[label] for label in _labels(items)]
        if items.n < len(ids):
            mean = _column_means(own)
            values += weight / total * mean
            values[rows] += weight / total * len(ids) / items.n * (own - mean)
        else:
            values[rows] += weight / total * own
    return Items(models, values, design="runs", ids=ids)


def _column_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0))


class JoinedTasks:
    """Takes the tasks of an average one by one, and makes one of those that are linked by runs.

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
        self._waiting: dict[str, list[TaskPart]] = {}
        self._linked = plan.joined if apart is None else _split(plan.joined, apart)
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
        waiting.append(part)
        if len(waiting) == len(members):
            del self._waiting[members[0]]
            yield self._join(members[0], waiting)

    def _join(self, name: str, parts: list[TaskPart]) -> TaskPart:
        plan = self._plan
        joined = join_rows(plan.models, [(self._summed(part), part.weight) for part in parts])
        self.made[name] = joined
        welch = all(part.comparisons.test == "welch" for part in parts)
        compared = compare_evidence(joined, plan.models, "welch" if welch else "t", name)
        weight = sum(part.weight for part in parts)
        low, high = (sum(one.weight * one.ends[k] for one in parts) / weight for k in (0, 1))
        compared = replace(compared, insisted=plan.insisted)
        return TaskPart(name, weight, compared, joined, ends=(low, high), joined=True)

    def _summed(self, part: TaskPart) -> Items:
        """The scores of a task on the scale that is summed."""
        items, rule = self._tasks[part.task], self._plan.rule
        if not isinstance(items, Items):
            raise DataError(f"Task {part.task!r} had rows when it was compared, and has none now.")
        values = items.values if part.limits is None else part.limits.apply(items.values)
        if rule.linear == "log ratio":
            mean = _column_means(values)
            check_range(self._plan.method, rule, mean, items.models, part.task)
            log = log_summary(ModelSummary(mean, mean * 0.0, mean * 0.0), rule.sign).mean
            values = log + (values - mean) / (rule.sign * mean)
        return replace(items, values=values)

    def notes(self, pairs: PairStatistics | None, *, board: bool = False) -> tuple[Note, ...]:
        """That a run is one draw on all its tasks, and what the other reading would say.

        Parameters
        ----------
        pairs : PairStatistics, optional
            Contrasts of the average, as they were found.
        board : bool
            Whether ranks on a new task stand beside the average.
        """
        joined = self._plan.joined
        if not self.made:
            return ()
        apart = None
        if self._apart is not None and pairs is not None and self._plan.rule.linear == "difference":
            apart = _narrower(average_contrasts(self._apart), pairs, self._plan.alpha)
        runs = [items.n for items in self.made.values()]
        return (Note("joined-runs", _joined_words(runs, len(joined), apart, board=board)),)


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
    widths = []
    for one in (apart, pairs):
        df = one.freedom
        usable = (one.se > 0) & (df > 0)
        widths.append(np.where(usable, critical_value(alpha / 2, np.maximum(df, 1e-9)), np.nan))
        widths[-1] = widths[-1] * one.se
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = (widths[0] / widths[1])[np.triu_indices(len(pairs.se), k=1)]
    ratio = ratio[np.isfinite(ratio)]
    return float(np.median(ratio)) if ratio.size else None


def _joined_words(runs: list[int], tasks: int, apart: float | None, *, board: bool) -> str:
    shown = f"{min(runs)}" if min(runs) == max(runs) else f"{min(runs)} to {max(runs)}"
    few = f", and {min(runs)} runs are too few to show anything" if min(runs) < _FEWEST else ""
    new = " Ranks on a new task are those of these runs." if board else ""
    size = (
        "" if apart is None else f": the ± of a difference is then about {apart:.1g} times as wide"
    )
    return (
        f"Runs of one label are the same run, scored on several tasks ({shown} runs, {tasks} "
        "tasks). What moves one of its scores may move all of them, so the average is over "
        f'runs{few}.{new} --runs anew (runs="anew") says that every task was trained anew{size}.'
    )
