"""The plain leaderboard table, and the records of evaluation runs that it is made of.

A record is one score of one model on one task; the table has the mean, interval, win rate and
number of tasks of each model.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np

from rankbars.calls import check_name
from rankbars.data.evidence import Estimates
from rankbars.data.notes import Note
from rankbars.data.plain import Keys, json_text, to_plain
from rankbars.data.scores import Scores
from rankbars.data.taskinfo import TaskInfo
from rankbars.errors import DataError

__all__ = [
    "EvalRun",
    "LeaderboardRow",
    "PlainDifference",
    "PlainTable",
    "read_runs",
    "scores_from_runs",
]

_MISSING = object()


_LONGEST_NAME = 20


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """One model of a plain table.

    Parameters
    ----------
    rank : int
        1 + number of models with a higher mean; models with equal means share it.
    model_id : str
        The model.
    mean_score : float
        Weighted mean over the tasks it has; NaN if none of them has weight.
    mean_ci_lo, mean_ci_hi : float
        Interval of the mean, over a population of tasks; NaN with fewer than two tasks, and where
        the score is the same on all of them.
    win_rate : float
        Share of its tasks on which it comes first; models that share a first place share the 1:
        two get one half each. Every task counts the same, whatever its weight.
    pairwise_win_rate : float
        Share of (task, other model) pairs that it wins, ties one half; NaN without others.
        Every pair counts the same.
    tasks_completed : int
        Number of tasks it has.
    categories : mapping from str to float
        Weighted mean per category.
    """

    rank: int
    model_id: str
    mean_score: float
    mean_ci_lo: float
    mean_ci_hi: float
    win_rate: float
    pairwise_win_rate: float
    tasks_completed: int
    categories: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class PlainDifference:
    """Two models of a plain table, on the tasks that both have.

    Parameters
    ----------
    first, second : str
        The models; the one with the higher mean in the table first.
    tasks : int
        Tasks with weight that both have.
    difference : float
        Weighted mean of first minus second over these tasks; NaN without any.
    ci_lo, ci_hi : float
        Its interval over a population of such tasks, for this pair by itself; NaN with fewer than
        two tasks, and where the difference is the same on all of them.
    excludes_zero : bool
        Whether 0 lies outside of it.
    p, p_bonferroni, p_holm : float
        Two-sided p-value of the pair, and adjusted for all pairs of the table.
    interval : {"t", "percentile"}
        How the interval was made.
    """

    first: str
    second: str
    tasks: int
    difference: float
    ci_lo: float
    ci_hi: float
    excludes_zero: bool
    p: float
    p_bonferroni: float
    p_holm: float
    interval: Literal["t", "percentile"]


@dataclass(frozen=True, slots=True)
class PlainTable:
    """A leaderboard as a plain table; made by `rankbars.plain_table`.

    Parameters
    ----------
    rows : tuple of LeaderboardRow
        Highest mean first, equal means in order of their names; empty without records.
    alpha : float
        Error rate of the intervals.
    interval : {"t", "percentile"}
        How intervals were made.
    notes : tuple of Note
        What the reader must know.
    differences : tuple of PlainDifference
        All pairs of models on the tasks they share, in the order of the rows; none for more than
        100 models.
    scores : mapping from task to mapping from model to float
        Score of each model on each task; NaN where there is none. Models in the order of the rows.
    approximate : bool
        Whether the level of the intervals is not known to hold; the note ``approximate`` says why.

    Examples
    --------
    >>> print(PlainTable((), 0.05, "t").to_markdown())
    | Rank | Model | Mean | 95% CI | Win rate | Tasks |
    | ---: | :--- | ---: | :---: | ---: | ---: |
    """

    rows: tuple[LeaderboardRow, ...]
    alpha: float
    interval: Literal["t", "percentile"]
    notes: tuple[Note, ...] = ()
    differences: tuple[PlainDifference, ...] = ()
    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    approximate: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain lists, strings and numbers; NaN becomes None."""
        plain: dict[str, Any] = to_plain(self, _KEYS)
        return plain

    def to_json(self) -> str:
        """JSON text: all fields, full names and full precision; one final newline."""
        return json_text(self.to_dict())

    def to_markdown(self) -> str:
        """Markdown table with two decimals; names are cut at 20 characters, here only.

        Where that makes two names equal, both keep as many characters as tell them apart.
        """
        lines = [
            f"| Rank | Model | Mean | {self._level()} | Win rate | Tasks |",
            "| ---: | :--- | ---: | :---: | ---: | ---: |",
        ]
        names = _short_names([row.model_id for row in self.rows])
        for row, name in zip(self.rows, names, strict=True):
            ends = f"{row.mean_ci_lo:.2f}-{row.mean_ci_hi:.2f}"
            cells = (
                str(row.rank),
                _escaped(name),
                _two_decimals(row.mean_score),
                "–" if math.isnan(row.mean_ci_lo) else ends,
                _two_decimals(row.win_rate),
                str(row.tasks_completed),
            )
            lines.append(f"| {' | '.join(cells)} |")
        return "\n".join(lines)

    def pairs_to_markdown(self) -> str:
        """Differences of all pairs as a Markdown table."""
        lines = [
            f"| Pair | Difference | {self._level()} | Tasks | Excludes 0 | p (Holm) |",
            "| :--- | ---: | :---: | ---: | :---: | ---: |",
        ]
        names = self._short()
        for one in self.differences:
            known = not math.isnan(one.ci_lo)
            cells = (
                f"{names[one.first]} − {names[one.second]}",
                "–" if math.isnan(one.difference) else f"{one.difference:+.3f}",
                f"{one.ci_lo:+.3f} to {one.ci_hi:+.3f}" if known else "–",
                str(one.tasks),
                ("yes" if one.excludes_zero else "no") if known else "–",
                _three_decimals(one.p_holm),
            )
            lines.append(f"| {' | '.join(cells)} |")
        return "\n".join(lines)

    def scores_to_markdown(self) -> str:
        """Score of each model on each task as a Markdown table, one line per task."""
        names = self._short()
        lines = [
            f"| Task | {' | '.join(names.values())} |",
            f"| :--- |{' ---: |' * len(names)}",
        ]
        for task, row in self.scores.items():
            cells = [_two_decimals(row[model]) for model in names]
            lines.append(f"| {' | '.join([_escaped(task), *cells])} |")
        return "\n".join(lines)

    def _level(self) -> str:
        return "CI, approximate" if self.approximate else f"{100 * (1 - self.alpha):g}% CI"

    def _short(self) -> dict[str, str]:
        names = [row.model_id for row in self.rows]
        return dict(zip(names, map(_escaped, _short_names(names)), strict=True))


_KEYS = {PlainTable: Keys(renamed={"rows": "models"}), Note: Keys(left_out=("task",))}


def _three_decimals(p: float) -> str:
    return "–" if math.isnan(p) else "<0.001" if p < 0.001 else f"{p:.3f}"


def _two_decimals(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}"


def _short_names(names: list[str]) -> list[str]:
    """Names cut at 20 characters, or later where that is needed to tell them apart."""
    kept = dict.fromkeys(names, _LONGEST_NAME)
    while True:
        seen = Counter(name[: kept[name]] for name in names)
        twice = [n for n in names if seen[n[: kept[n]]] > 1 and kept[n] < len(n)]
        if not twice:
            return [name[: kept[name]] for name in names]
        for name in twice:
            kept[name] += 1


def _escaped(name: str) -> str:
    """A name that neither ends its cell nor its line, and has nothing that is not seen."""
    plain = " ".join(name.replace("\\", "\\\\").replace("|", "\\|").split())
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in plain
    )


class EvalRun(NamedTuple):
    """One score of one model on one task.

    Attributes
    ----------
    model_id, task_id, metric_name : str
        Whose score on what, measured how.
    score : float
        Between 0 and 1, higher is better.
    category : str, optional
        Group of similar tasks.
    weight : float
        Weight of the task in the mean, 0 or more.
    """

    model_id: str
    task_id: str
    metric_name: str
    score: float
    category: str | None = None
    weight: float = 1.0


def read_runs(records: Iterable[object], metric: str | None = None) -> list[EvalRun]:
    """Checked runs from dicts or objects with the fields of `EvalRun`.

    Parameters
    ----------
    records : iterable of mappings or objects
        Fields beyond those of `EvalRun` are ignored.
    metric : str, optional
        Only runs with this metric.

    Returns
    -------
    list of EvalRun
        In the order they came; empty for no records.

    Raises
    ------
    DataError
        If a field is missing, a score is no number between 0 and 1, a run stands twice, records
        disagree about a task, or a model has several metrics on a task; names the record.
    UnknownOptionError
        If no record has the metric.

    Examples
    --------
    >>> read_runs([{"model_id": "a", "task_id": "t", "metric_name": "acc", "score": 0.5}])[0].score
    0.5
    """
    runs = [
        _read_run(number, record) for number, record in enumerate(_check_records(records), start=1)
    ]
    if metric is not None and runs:
        check_name("metric", metric, tuple(sorted({run.metric_name for run in runs})))
    _refuse_repeats(runs)
    chosen = [run for run in runs if metric in (None, run.metric_name)]
    _refuse_several_metrics(chosen)
    _refuse_disagreement(chosen)
    return chosen


def scores_from_runs(runs: Iterable[EvalRun]) -> Scores:
    """Runs as one published score per model and task, without errors.

    Raises
    ------
    DataError
        If there is no run.
    """
    tasks: dict[str, list[EvalRun]] = {}
    for run in runs:
        tasks.setdefault(run.task_id, []).append(run)
    if not tasks:
        raise DataError(
            "There are no records, so there is nothing to compare. For a table that may be empty "
            "use rankbars.plain_table(records)."
        )
    evidence, info = {}, {}
    for name, rows in tasks.items():
        rows.sort(key=lambda run: run.model_id)
        models = tuple(run.model_id for run in rows)
        evidence[name] = Estimates(models, np.array([run.score for run in rows]))
        info[name] = TaskInfo(minimum=0.0, maximum=1.0, weight=rows[0].weight)
        metrics = {run.metric_name for run in rows}
        info[name] = replace(
            info[name],
            category=rows[0].category,
            metric=metrics.pop() if len(metrics) == 1 else None,
        )
    return Scores(evidence, info)


def _read_run(number: int, record: object) -> EvalRun:
    names = {name: _field(number, record, name) for name in ("model_id", "task_id", "metric_name")}
    for name, value in names.items():
        if not isinstance(value, str) or not value:
            raise DataError(f"Record {number}: {name} must be a name; got {value!r}.")
    place = f"Record {number} (model {names['model_id']!r}, task {names['task_id']!r})"
    score = _number(place, "the score", _field(number, record, "score"))
    if not 0.0 <= score <= 1.0:
        raise DataError(
            f"{place}: the score must lie between 0 and 1; got {score:g}. A task on another scale "
            "would dominate the mean: divide percentages by 100."
        )
    weight = _number(place, "the weight", _field(number, record, "weight", 1.0))
    if weight < 0:
        raise DataError(f"{place}: the weight must be 0 or more; got {weight:g}.")
    category = _field(number, record, "category", None)
    if category is not None and not isinstance(category, str):
        raise DataError(f"{place}: the category must be a name; got {category!r}.")
    return EvalRun(**names, score=score, category=category, weight=weight)


def _field(number: int, record: object, name: str, usual: Any = _MISSING) -> Any:
    fields = record if isinstance(record, Mapping) else None
    value = getattr(record, name, usual) if fields is None else fields.get(name, usual)
    if value is _MISSING:
        raise DataError(
            f"Record {number} has no {name}. Needed are model_id, task_id, metric_name and score; "
            "category and weight are optional."
        )
    return value


def _number(place: str, what: str, value: object) -> float:
    # True is a number to Python, and hardly ever meant as one.
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Real, np.number)):
        found = math.nan
    else:
        found = float(value)
    if not math.isfinite(found):
        raise DataError(f"{place}: {what} must be a finite number; got {value!r}.")
    return found


def _refuse_repeats(runs: list[EvalRun]) -> None:
    seen: dict[tuple[str, str, str], int] = {}
    for number, run in enumerate(runs, start=1):
        first = seen.setdefault((run.model_id, run.task_id, run.metric_name), number)
        if first != number:
            raise DataError(
                f"Records {first} and {number} are both about model {run.model_id!r}, task "
                f"{run.task_id!r} and metric {run.metric_name!r}. Keep one of them."
            )


def _refuse_several_metrics(runs: list[EvalRun]) -> None:
    metric: dict[tuple[str, str], str] = {}
    for run in runs:
        known = metric.setdefault((run.model_id, run.task_id), run.metric_name)
        if known != run.metric_name:
            raise DataError(
                f"Model {run.model_id!r} has several metrics on task {run.task_id!r}: {known!r} "
                f"and {run.metric_name!r}. Choose one with metric= (--metric)."
            )


def _refuse_disagreement(runs: list[EvalRun]) -> None:
    first: dict[str, EvalRun] = {}
    for run in runs:
        known = first.setdefault(run.task_id, run)
        for what in ("weight", "category"):
            one, other = getattr(known, what), getattr(run, what)
            if one != other:
                raise DataError(
                    f"Records disagree about the {what} of task {run.task_id!r}: {one!r} for "
                    f"model {known.model_id!r}, {other!r} for {run.model_id!r}."
                )
    if runs and all(run.weight == 0 for run in runs):
        raise DataError("All weights are zero; at least one must be above 0.")


def _check_records(given: object) -> Iterable[object]:
    """`given`, if it can hold records: a list or another iterable, but no text and no mapping.

    Raises
    ------
    DataError
        If it cannot.
    """
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise DataError(
            "Records are a list of dicts or objects, one per model and task; got "
            f"{type(given).__name__}."
        )
    return given
