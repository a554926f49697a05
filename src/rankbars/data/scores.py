"""Scores: everything that was read, task by task, ready to be compared."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rankbars.calls import check_name, explaining_methods
from rankbars.data.evidence import (
    Evidence,
    Folds,
    Items,
    cluster_items,
    rename_models,
    take_models,
)
from rankbars.data.fields import Frozen, check_models
from rankbars.data.notes import NameFact, Note
from rankbars.data.storedtasks import Change, StoredTasks, change_tasks, entitle, models_of
from rankbars.data.taskinfo import Input, TaskInfo
from rankbars.errors import DataError

__all__ = ["Scores"]


@explaining_methods
@dataclass(frozen=True, slots=True, eq=False)
class Scores(Frozen):
    """Evaluation results: an ordered mapping from task to evidence, and what is known about each.

    Parameters
    ----------
    tasks : mapping from str to Items, Estimates or Votes
        Evidence per task; kept in code-point order of the task names.
    info : mapping from str to TaskInfo, optional
        What else is known; tasks that are not named get ``TaskInfo()``.
    notes : tuple of Note
        What the reader of a result made from these scores must know.
    inputs : tuple of Input
        What was read.
    library : str, optional
        The data frame library that the scores came in; frames that are made of them, or of a board
        of them, are of the same.
    names : tuple of NameFact
        What a store was told of names: what is renamed, and what is retired.
    attributes : mapping from str to mapping from str to str
        What the input says of a model beside its scores, as it stands there: licence,
        organisation, size, price; by model, and then by name.

    Raises
    ------
    DataError
        If there is no task, or `info` names a task that does not exist.

    Examples
    --------
    >>> scores = Scores({"math": Items(("a", "b"), [[1.0, 0.0], [1.0, 1.0]])})
    >>> scores.models
    ('a', 'b')
    """

    tasks: Mapping[str, Evidence]
    info: Mapping[str, TaskInfo] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    inputs: tuple[Input, ...] = ()
    library: str | None = None
    names: tuple[NameFact, ...] = ()
    attributes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __repr__(self) -> str:
        models, tasks = len(self.models), len(self.tasks)
        return f"Scores({models} model{'s' * (models != 1)}, {tasks} task{'s' * (tasks != 1)})"

    def __post_init__(self) -> None:
        if not self.tasks:
            raise DataError("There is no task in the results; at least one is needed.")
        unknown = sorted(set(self.info) - set(self.tasks))
        if unknown:
            raise DataError(f"Information about task {unknown[0]!r}, which has no scores.")
        names = sorted(self.tasks)
        tasks = self.tasks
        if isinstance(tasks, StoredTasks):
            tasks = tasks.sorted()
        else:
            tasks = MappingProxyType({name: tasks[name] for name in names})
        object.__setattr__(self, "tasks", tasks)
        object.__setattr__(
            self,
            "info",
            MappingProxyType({name: self.info.get(name, TaskInfo()) for name in names}),
        )
        object.__setattr__(self, "notes", tuple(self.notes))
        object.__setattr__(self, "inputs", tuple(self.inputs))

    @property
    def models(self) -> tuple[str, ...]:
        """Every model that has evidence on some task, in code-point order."""
        return tuple(sorted({name for task in self.tasks for name in models_of(self.tasks, task)}))

    @classmethod
    def from_arrays(
        cls,
        values: Mapping[str, ArrayLike],
        models: Sequence[str],
        *,
        design: Literal["items", "runs", "prompts"] | Folds = "items",
        info: Mapping[str, TaskInfo] | None = None,
    ) -> Scores:
        """Scores from one array per task, rows × models, higher is better.

        Parameters
        ----------
        values : mapping from str to array of float, shape (n, M)
            Scores per task; NaN = not observed.
        models : sequence of str
            Names of the M columns.
        design : {"items", "runs", "prompts"} or Folds
            What a row is.
        info : mapping from str to TaskInfo, optional
            Category, family, metric and weight of the tasks.

        Raises
        ------
        DataError
            If a shape does not fit, a score is infinite, or `values` is no mapping.
        OptionError
            If `design` is something else.

        Examples
        --------
        >>> Scores.from_arrays({"math": [[1, 0], [1, 1], [0, 0]]}, ["a", "b"]).tasks["math"].n
        3
        """
        if not isinstance(values, Mapping):
            raise DataError(
                f"Scores.from_arrays takes a mapping {{task: array}}, got {type(values).__name__}. "
                'Name the task: rb.Scores.from_arrays({"task": array}, models).'
            )
        names = check_models(tuple(models))
        order = sorted(range(len(names)), key=names.__getitem__)
        sorted_names = tuple(names[i] for i in order)
        tasks = {}
        for task, array in values.items():
            matrix = np.asarray(array)
            if matrix.ndim != 2 or matrix.shape[1] != len(names):
                raise DataError(
                    f"Task {task!r}: expected one column per model ({len(names)}), "
                    f"got an array of shape {matrix.shape}."
                )
            sorted_already = order == list(range(len(order)))
            tasks[task] = Items(
                sorted_names, matrix if sorted_already else matrix[:, order], design=design
            )
        return cls(tasks, info or {})

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        model: str | None = None,
        task: str | None = None,
        item: str | None = None,
        score: str | None = None,
        columns: Mapping[str, str] | None = None,
        direction: str | Mapping[str, str] | None = None,
        rows: str | None = None,
        folds: int | None = None,
        test_share: float | None = None,
        metric: str | None = None,
        layout: str | None = None,
        minimum: float | None = None,
        maximum: float | None = None,
        controls: str | Sequence[str] = (),
        self_votes: str = "raise",
        cells: str | None = None,
        words: Mapping[str, object] | None = None,
        where: str | Sequence[str] = (),
        within: str | Sequence[str] = (),
        over_time: str | None = None,
        failed: str | None = None,
        trials: str | None = None,
        reruns: str | None = None,
        models: str | Sequence[str] | None = None,
    ) -> Scores:
        """Scores from a data frame of pandas, polars, pyarrow or duckdb: tidy, wide, or votes.

        Parameters
        ----------
        frame : data frame
            One row per model, task and item (or fold, run or prompt), or a wide matrix.
        model, task, item, score : str, optional
            Names of the columns; recognised by their usual names where not given.
        columns : mapping from str to str, optional
            Further columns by role, such as ``{"fold": "split", "cluster": "passage"}``.
        direction : {"higher", "lower"} or mapping from task or metric to one of them, optional
            Which side is better; without it, a metric that is usually lower-is-better raises.
        rows : {"items", "folds", "runs", "prompts"}, optional
            What a row of a task is, where the columns do not say it.
        folds : int, optional
            Folds per repeat, where rows are folds.
        test_share : float, optional
            Share of the data held out in each fold.
        metric : str, optional
            The metric to use where the table holds several; where items have several answers, also
            ``"pass@4"``, ``"pass^4"``, ``"best@4"`` and ``"majority@3"``, as in `rankbars.read`.
        layout : str, optional
            How to read the table, where its header does not say it: ``"tidy"``,
            ``"items-by-models"``, ``"models-by-items"``, ``"tasks-by-models"``,
            ``"models-by-tasks"``, ``"tasks-by-folds"`` or ``"items-by-trials"``.
        minimum, maximum : float, optional
            Declared limits of every score, in the units of the frame.
        controls, self_votes
            For pairwise votes; see `rankbars.read`.
        cells : str, optional
            What stands behind values such as ``71.3 ± 1.2``: ``"se"``, ``"std5"``, ``"ci95"`` or
            ``"value"``.
        words : mapping from str to str or float, optional
            What words in cells of scores count as: ``"pass"``, ``"fail"``, ``"missing"`` or a
            number.
        where : str or sequence of str
            Only rows on which these conditions hold, such as ``"turns > 1"``; see `rankbars.read`.
        within : str or sequence of str
            For votes: columns that sort them into categories; see `rankbars.read`.
        over_time : str, optional
            For votes: periods whose strengths are compared; see `rankbars.read`.
        failed : {"lowest"}, optional
            What a trial without a score counts as, where its item has several: nothing, if not
            given, or the lowest score.
        trials : {"fixed"}, optional
            Each item was tried a number of times that did not depend on the answers; needed where
            answers look as if they had been stopped at the first right one.
        reruns : {"newest", "all"}, optional
            Which of several runs of one model on one task counts, where a column such as ``date``
            tells them apart.
        models : str or sequence of str, optional
            Only these models, as if no other were there. Choose without looking at the results.

        Raises
        ------
        DataError
            If a column cannot be found, a row stands twice, a score is not a number or lies
            outside the declared limits, or a metric that is usually lower-is-better comes without
            a declared direction.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({
        ...     "model": ["a", "a", "b", "b"], "task": ["math"] * 4,
        ...     "item": [1, 2, 1, 2], "score": [1, 0, 1, 1]})
        >>> Scores.from_frame(frame).tasks["math"].values.tolist()
        [[1.0, 1.0], [0.0, 1.0]]
        """
        from rankbars.tables.dataframes import scores_from_frame

        named = {"model": model, "task": task, "item": item, "score": score}
        given = dict(columns or {}) | {role: name for role, name in named.items() if name}
        declared = {
            "columns": given, "direction": direction, "rows": rows, "folds": folds,
            "test_share": test_share, "metric": metric, "layout": layout, "minimum": minimum,
            "maximum": maximum, "controls": controls, "self_votes": self_votes, "cells": cells,
            "words": words,
            "where": where, "within": within, "over_time": over_time, "failed": failed,
            "trials": trials, "reruns": reruns, "models": models,
        }  # fmt: skip
        return scores_from_frame(frame, declared)

    @classmethod
    def from_records(cls, records: Iterable[object], *, metric: str | None = None) -> Scores:
        """Scores from records of evaluation runs: one score per model and task, without errors.

        Parameters
        ----------
        records : iterable of dicts or objects
            With ``model_id``, ``task_id``, ``metric_name`` and ``score`` (0 to 1, higher is
            better), and optionally ``category`` and ``weight`` of the task.
        metric : str, optional
            Only records with this metric.

        Raises
        ------
        DataError
            If there is no record, a field is missing, a score is no number between 0 and 1, a
            record stands twice, or records disagree about a task; names the record.

        Examples
        --------
        >>> scores = Scores.from_records([
        ...     {"model_id": "a", "task_id": "t", "metric_name": "acc", "score": 0.5},
        ...     {"model_id": "b", "task_id": "t", "metric_name": "acc", "score": 0.7}])
        >>> scores.tasks["t"].mean.tolist()
        [0.5, 0.7]
        """
        from rankbars.data.plaintable import read_runs, scores_from_runs

        return scores_from_runs(read_runs(records, metric))

    def select(
        self, *, models: Collection[str] | None = None, tasks: Collection[str] | None = None
    ) -> Scores:
        """These scores with the named models and tasks only.

        Ranks are then ranks within the chosen field. Choose without looking at the results,
        or the guarantees do not hold.

        Raises
        ------
        UnknownOptionError
            If a name does not occur.
        """
        keep_models = _known(models, self.models, "model")
        keep_tasks = _known(tasks, tuple(self.tasks), "task")
        changes = {}
        info = {}
        for name in keep_tasks:
            known = models_of(self.tasks, name)
            columns = [i for i, m in enumerate(known) if m in keep_models]
            if columns:
                models = tuple(known[i] for i in columns)
                changes[name] = Change(partial(take_models, columns=columns), models)
                info[name] = _take_coverage(self.info[name], columns)
        if not changes:
            raise DataError("None of the chosen models has results on the chosen tasks.")
        tasks = change_tasks(self.tasks, changes)
        gone = set(self.models) - set(keep_models)
        notes = tuple(
            note
            for note in self.notes
            if (note.task is None or note.task in tasks)
            and (not note.models or not gone.issuperset(note.models))
        )
        attributes = {name: said for name, said in self.attributes.items() if name not in gone}
        return replace(self, tasks=tasks, info=info, notes=notes, attributes=attributes)

    def rename(
        self,
        *,
        models: Mapping[str, str] | None = None,
        tasks: Mapping[str, str] | None = None,
    ) -> Scores:
        """These scores with other names of models and tasks.

        Parameters
        ----------
        models, tasks : mapping from str to str, optional
            New name by old one; those that are not named keep theirs.

        Raises
        ------
        UnknownOptionError
            If a name does not occur.
        DataError
            If two models, or two tasks, would have one name.

        Examples
        --------
        >>> scores = Scores.from_arrays({"math": [[1.0, 0.0], [1.0, 1.0]]}, ["out", "base"])
        >>> scores.rename(models={"out": "tuned"}).models
        ('base', 'tuned')
        """
        called = _new_names(models or {}, self.models, "model")
        titled = _new_names(tasks or {}, tuple(self.tasks), "task")
        changes = {}
        for name in self.tasks:
            names = tuple(called[model] for model in models_of(self.tasks, name))
            changes[name] = Change(partial(rename_models, models=names), names)
        changed = change_tasks(self.tasks, changes) if models else self.tasks
        return replace(
            self,
            tasks=entitle(changed, titled) if tasks else changed,
            info={titled[name]: info for name, info in self.info.items()},
            notes=tuple(
                replace(
                    note,
                    task=titled.get(note.task or "", note.task),
                    models=tuple(called.get(model, model) for model in note.models),
                )
                for note in self.notes
            ),
            attributes={called.get(name, name): said for name, said in self.attributes.items()},
        )

    def __or__(self, other: Scores) -> Scores:
        """The models and tasks of both; rows of a task that both have are matched by their names.

        Raises
        ------
        DataError
            If a task cannot be joined; the message says why.

        Examples
        --------
        >>> one = Scores({"math": Items(("a",), [[1.0], [0.0]], ids=("1", "2"))})
        >>> two = Scores({"math": Items(("b",), [[0.0], [1.0]], ids=("2", "1"))})
        >>> (one | two).tasks["math"].values.tolist()
        [[1.0, 1.0], [0.0, 0.0]]
        """
        if not isinstance(other, Scores):
            return NotImplemented
        from rankbars.tables.joining import join_scores

        return join_scores([self, other])

    def to_frame(self, backend: str | None = None) -> Any:
        """The scores as a tidy data frame, one row per model, task and item.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; that of the frame that the scores came in, else the first
            that is installed.

        Returns
        -------
        data frame
            Columns ``model``, ``task``, ``item`` (``fold``, ``run``, ``prompt``) and ``score``, in
            the units of the input; ``se`` and ``n`` of published scores; ``cluster`` and
            ``weight`` where rows have them. Of votes: ``model_a``, ``model_b``, ``task``,
            ``votes``, ``wins_a`` and ``wins_b``. Missing scores have no row.

        Raises
        ------
        DataError
            If there are votes and scores: they do not fit into one table.
        MissingPackageError
            If no such library is installed.
        UnknownOptionError
            If `backend` is not one of the three.

        Examples
        --------
        >>> scores = Scores.from_arrays({"math": [[1, 0], [0, 1]]}, ["a", "b"])
        >>> scores.to_frame("polars").rows()[0]
        ('a', 'math', '1', 1.0)
        """
        from rankbars.data.frames import make_frame, score_columns

        return make_frame(score_columns(self), backend, self.library)

    def cluster_rows(self, clusters: Mapping[str, str] | Mapping[str, Mapping[str, str]]) -> Scores:
        """These scores with rows that belong together, such as the sentences of a document.

        Parameters
        ----------
        clusters : mapping from str to str, or from str to such a mapping
            Cluster of each row by its name, on every task; or by task, and then by row. Tasks that
            are not named keep their rows as they are.

        Raises
        ------
        UnknownOptionError
            If a task does not occur.
        DataError
            If rows have no names, or a row of a task that is named has no cluster.

        Examples
        --------
        >>> scores = Scores({"math": Items(("a",), [[1.0], [0.0], [1.0]], ids=("p1", "p2", "q1"))})
        >>> found = scores.cluster_rows({"p1": "p", "p2": "p", "q1": "q"})
        >>> found.tasks["math"].clusters.tolist()
        [0, 0, 1]
        """
        changes: dict[str, Change | None] = dict.fromkeys(self.tasks)
        named = {task: one for task, one in clusters.items() if isinstance(one, Mapping)}
        flat = {row: str(one) for row, one in clusters.items() if not isinstance(one, Mapping)}
        for task in named:
            check_name("task in the clusters", task, tuple(self.tasks))
        for task in self.tasks:
            own = named.get(task, None if named else flat)
            if own is not None:
                rows = partial(cluster_items, clusters=dict(own), task=task)
                changes[task] = Change(rows, models_of(self.tasks, task))
        return replace(self, tasks=change_tasks(self.tasks, changes))

    def group_tasks(
        self,
        groups: Mapping[str, str],
        *,
        within: str = "size",
        weights: Mapping[str, float] | None = None,
    ) -> Scores:
        """These scores with tasks in groups that count as one, as reports of suites count them.

        The average over these tasks is that of the groups. Over tasks like these, groups are the
        sample, as families are: MMLU of 57 subjects, GSM8K and ARC are three rows, and not 59;
        there all groups count the same.

        Parameters
        ----------
        groups : mapping from str to str
            Group of each task; a task that is not named is a group of its own. Empty, all tasks
            count the same, whatever the log of a tool says of groups.
        within : {"size", "equal"}
            Whether tasks count in their group by their number of rows, as lm-eval pools MMLU, or
            the same.
        weights : mapping from str to float, optional
            Weight of each group, 0 or more; all count the same where not given.

        Raises
        ------
        UnknownOptionError
            If a task or a group does not occur.
        OptionError
            If a weight is negative, or all are 0.
        DataError
            If the number of rows of a task is not known, and tasks count by it.

        Examples
        --------
        >>> tasks = {"mmlu_law": [[0.0]] * 3, "mmlu_art": [[1.0]], "gsm8k": [[1.0]] * 2}
        >>> grouped = Scores.from_arrays(tasks, ["a"]).group_tasks(
        ...     {"mmlu_law": "mmlu", "mmlu_art": "mmlu"})
        >>> {name: one.weight for name, one in grouped.info.items()}
        {'gsm8k': 0.5, 'mmlu_art': 0.125, 'mmlu_law': 0.375}
        """
        from rankbars.data.taskgroups import group_note, nested_weights

        found = nested_weights(self, groups, within, weights)
        members: dict[str, list[str]] = {}
        for task, (name, _) in found.items():
            members.setdefault(name, []).append(task)
        several = {name: tasks for name, tasks in members.items() if len(tasks) > 1}
        grouped = bool(several)
        by_size = frozenset(found) if within == "size" else frozenset()
        alike = grouped and weights is None and len(members) > 1
        said = (group_note(several, len(members), by_size),) if alike else ()
        info = {}
        for task, one in self.info.items():
            name, weight = found[task]
            family = name if grouped else one.family
            info[task] = replace(one, family=family, weight=weight, grouped=grouped, group=None)
        return replace(self, info=info, notes=self.notes + said)

    def weigh_categories(self, weights: Mapping[str, float]) -> Scores:
        """These scores with such weights of tasks that categories count as given in an average.

        Parameters
        ----------
        weights : mapping from category to float
            0 or more, for instance ``{"math": 0.5, "law": 0.5}``; scaled to sum 1. Categories that
            are not named count nothing. Within a category tasks keep their weights.

        Raises
        ------
        UnknownOptionError
            If there is no such category.
        OptionError
            If a task has no category, a weight is negative, or all are zero.

        Examples
        --------
        >>> info = {name: TaskInfo(category=name[0]) for name in ("a1", "a2", "b1")}
        >>> values = {name: [[1.0, 0.0], [0.0, 0.0]] for name in info}
        >>> scores = Scores.from_arrays(values, ["x", "y"], info=info)
        >>> weighed = scores.weigh_categories({"a": 3, "b": 1})
        >>> [round(one.weight, 3) for one in weighed.info.values()]
        [0.375, 0.375, 0.25]
        """
        from rankbars.data.taskgroups import weigh_tasks

        found = weigh_tasks(self.info, weights)
        return replace(
            self, info={task: replace(one, weight=found[task]) for task, one in self.info.items()}
        )

    def with_notes(self, notes: Iterable[Note]) -> Scores:
        """These scores with further notes."""
        return replace(self, notes=self.notes + tuple(notes))


def _new_names(changes: Mapping[str, str], known: tuple[str, ...], what: str) -> dict[str, str]:
    for name in changes:
        check_name(what, name, known)
    renamed = {name: changes.get(name, name) for name in known}
    taken: dict[str, str] = {}
    for old, new in renamed.items():
        if new in taken:
            raise DataError(
                f"Two {what}s would be called {new!r}: {taken[new]!r} and {old!r}. Give each a "
                "name of its own."
            )
        taken[new] = old
    return renamed


def _known(wanted: Collection[str] | None, known: tuple[str, ...], what: str) -> frozenset[str]:
    if wanted is None:
        return frozenset(known)
    if isinstance(wanted, str):
        wanted = (wanted,)
    for name in wanted:
        check_name(what, name, known)
    return frozenset(wanted)


def _take_coverage(info: TaskInfo, columns: list[int]) -> TaskInfo:
    if info.coverage is None:
        return info
    return replace(info, coverage=info.coverage.take(columns))
