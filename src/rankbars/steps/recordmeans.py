"""The verb `plain_table`: records in, one line per model out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_name, finite_weights
from rankbars.data.notes import Note
from rankbars.data.plaintable import EvalRun, LeaderboardRow, PlainDifference, PlainTable, read_runs
from rankbars.data.spec import Spec, check_rate
from rankbars.stats.averaging.allpairs import adjust_p
from rankbars.stats.averaging.points import top_win_rates, win_rates
from rankbars.stats.pairwise.modelscores import item_summary, sampled_rows
from rankbars.stats.resampling.rankcounts import settle_ties
from rankbars.stats.resampling.taskmeans import fewest_draws, percentile_ends, resample_tasks
from rankbars.stats.rowsigns import skewness_index
from rankbars.stats.streams import stream
from rankbars.stats.tails import critical_value, upper_tail
from rankbars.steps.correctionchoice import skewed_beyond_chance

__all__ = ["INTERVALS", "plain_table"]

INTERVALS = ("auto", "t", "percentile")
_MANY_TASKS = 30  # fewer, and percentile intervals are too short
_FEWEST_TASKS = 5  # as on a board: fewer scores that are not 0/1 show nothing


def plain_table(
    records: Iterable[object],
    *,
    metric: str | None = None,
    interval: str = "auto",
    alpha: float = 0.05,
    resamples: int = 1000,
    seed: int = 0,
) -> PlainTable:
    """The plain leaderboard of evaluation records: mean, interval, win rate, tasks, differences.

    Two models are compared on the tasks that both have: the mean of their differences, its
    interval, and whether that excludes 0.

    Parameters
    ----------
    records : iterable of dicts or objects
        With ``model_id``, ``task_id``, ``metric_name`` and ``score``, and optionally ``category``
        and ``weight``; one per model and task.
    metric : str, optional
        Only records with this metric.
    interval : {"auto", "t", "percentile"}
        Of the mean over a population of tasks: Student's t, or percentiles of resampled tasks;
        ``"auto"`` takes t unless every model has 30 tasks or more. With weights these are as many
        tasks of equal weight as give an average with the same error, ``sum(w)^2 / sum(w^2)``.
    alpha : float
        Error rate of the intervals, one model at a time.
    resamples, seed : int
        Number of resamples and start of the random stream, for percentile intervals.

    Returns
    -------
    PlainTable
        Without any record an empty table.

    Raises
    ------
    DataError
        If a score is no number between 0 and 1, a record stands twice, or records disagree;
        names the record.
    OptionError
        If an option is out of range or not known.

    Notes
    -----
    Weights are fixed in advance, and the tasks are one sample, whatever their weight: the squared
    error of a mean is ``s^2 sum(w^2)``, with w scaled to sum 1 and s the standard deviation of the
    model's scores. Percentiles are those of ``sum(w x) / sum(w)`` over resampled tasks; where few
    tasks have most of the weight they are too short, and a note says so. Tasks are resampled in
    pairs: the same ones for both models; ``"auto"`` takes t for pairs with fewer than 30 tasks.
    "Excludes 0" speaks of one pair by itself, `p_bonferroni` and `p_holm` of all together.

    Where tasks are fewer than 5, or scores are more skewed over tasks than chance makes normal
    ones, or few tasks are resampled, intervals are called approximate, and no level is printed.

    Intervals of means say nothing about which of two models is better: use
    ``rankbars.leaderboard(rankbars.Scores.from_records(records))`` for ranks.

    Examples
    --------
    >>> import rankbars as rb
    >>> records = [
    ...     {"model_id": m, "task_id": t, "metric_name": "acc", "score": s}
    ...     for t, scores in {"x": (0.9, 0.9), "y": (0.5, 0.4)}.items()
    ...     for m, s in zip("ab", scores)
    ... ]
    >>> [(row.rank, row.model_id, row.win_rate) for row in rb.plain_table(records).rows]
    [(1, 'a', 0.75), (2, 'b', 0.25)]
    """
    check_name("interval", interval, INTERVALS)
    check_rate("alpha", alpha)
    Spec(seed=seed, resamples=resamples)  # refuses what a board would refuse
    table = _tabulate(read_runs(records, metric))
    counts = np.count_nonzero(~np.isnan(table.values), axis=0)
    few = any(
        _effective(table.weights[~np.isnan(values)]) < _MANY_TASKS for values in table.values.T
    )
    kind: Literal["t", "percentile"] = "t" if interval == "auto" and few else "percentile"
    kind = "t" if interval == "t" else kind
    means = [
        # A mean of scores between 0 and 1 lies there too.
        _mean_of(table, values, kind, alpha, resamples, seed, least=0.0)
        for values in table.values.T
    ]
    score = np.array([mean.score for mean in means])
    # Means that differ by rounding only are equal.
    settled = np.where(np.isnan(score), -np.inf, settle_ties(score))
    rank = 1 + np.count_nonzero(settled[None, :] > settled[:, None], axis=1)
    tops, pairs = top_win_rates(table.values), win_rates(table.values)
    rows = tuple(
        LeaderboardRow(
            rank=int(rank[i]),
            model_id=table.models[i],
            mean_score=means[i].score,
            mean_ci_lo=means[i].low,
            mean_ci_hi=means[i].high,
            win_rate=float(tops[i]),
            pairwise_win_rate=float(pairs[i]),
            tasks_completed=int(counts[i]),
            categories=_category_means(table, i),
        )
        for i in np.lexsort((np.arange(score.size), rank))
    )
    notes = _notes(table, counts)
    if len(rows) > _MOST_MODELS:
        notes += (_MANY_MODELS,)
    constant = tuple(name for name, mean in zip(table.models, means, strict=True) if mean.constant)
    if constant:
        notes += (Note("constant-score", _CONSTANT, models=constant),)
    if kind == "percentile" and few:
        notes += (_FEW_RESAMPLED,)
    unsure = _unsure(table.values)
    if unsure:
        notes += (Note("approximate", f"Intervals are approximate: {unsure}"),)
    if kind == "percentile" and rows and resamples < fewest_draws(alpha):
        notes += (_few_draws(resamples, alpha),)
    order = [table.models.index(row.model_id) for row in rows]
    differences = _differences(table, order, interval, alpha, resamples, seed)
    scores = {
        task: {table.models[i]: float(values[i]) for i in order}
        for task, values in zip(table.tasks, table.values, strict=True)
    }
    approximate = unsure is not None or (kind == "percentile" and few)
    return PlainTable(rows, alpha, kind, notes, differences, scores, approximate)


class _Table(NamedTuple):
    """Scores of all models on all tasks, shape (N, M); NaN = no record."""

    models: tuple[str, ...]
    tasks: tuple[str, ...]
    values: NDArray[np.float64]
    weights: NDArray[np.float64]
    categories: Mapping[str, str | None]
    metrics: frozenset[str]


class _Mean(NamedTuple):
    score: float
    low: float
    high: float
    constant: bool = False
    p: float = np.nan


_NO_SPREAD = 1e-12
_CONSTANT = (
    "The same score on every task, so nothing says how far the mean may be off: it has no interval."
)


def _tabulate(runs: list[EvalRun]) -> _Table:
    models = tuple(sorted({run.model_id for run in runs}))
    tasks = tuple(sorted({run.task_id for run in runs}))
    values = np.full((len(tasks), len(models)), np.nan)
    weights = np.ones(len(tasks))
    row = {name: i for i, name in enumerate(tasks)}
    column = {name: j for j, name in enumerate(models)}
    for run in runs:
        values[row[run.task_id], column[run.model_id]] = run.score
        weights[row[run.task_id]] = run.weight
    return _Table(
        models,
        tasks,
        values,
        np.array(finite_weights(weights.tolist())),
        {run.task_id: run.category for run in runs},
        frozenset(run.metric_name for run in runs),
    )


def _mean_of(
    table: _Table,
    values: NDArray[np.float64],
    kind: str,
    alpha: float,
    resamples: int,
    seed: int,
    *,
    least: float = -1.0,
) -> _Mean:
    """Weighted mean of values by task, shape (N,), with its interval and p-value against 0."""
    used = ~np.isnan(values) & (table.weights > 0)
    if not used.any():
        return _Mean(np.nan, np.nan, np.nan)
    rows, weights = values[used][:, None], table.weights[used]
    summary = item_summary(sampled_rows(rows, weights) if np.ptp(weights) > 0 else rows)
    score = float(summary.mean[0])
    if len(rows) < 2:
        return _Mean(score, np.nan, np.nan)
    if np.ptp(rows) <= _NO_SPREAD:
        return _Mean(score, np.nan, np.nan, constant=True)
    if kind == "percentile" and resamples < fewest_draws(alpha):
        return _Mean(score, np.nan, np.nan)
    if kind == "t":
        half = float(critical_value(alpha / 2, summary.df)[0] * summary.se[0])
        p = 2.0 * float(upper_tail(abs(score) / summary.se, summary.df)[0])
        return _Mean(score, max(score - half, least), min(score + half, 1.0), p=p)
    names = [name for name, kept in zip(table.tasks, used, strict=True) if kept]
    drawn = resample_tasks(
        rows, lambda chunk: stream(seed, "plain table", *names, chunk), resamples, weights
    ).values
    ends = percentile_ends(drawn, alpha)
    beyond = min(np.count_nonzero(drawn <= 0.0), np.count_nonzero(drawn >= 0.0))
    p = min(1.0, 2.0 * (beyond + 1) / (resamples + 1))
    return _Mean(score, float(ends.low[0]), float(ends.high[0]), p=p)


_MOST_MODELS = 100  # of more, pairs would be nearly all of the table
_MANY_MODELS = Note(
    "many-pairs",
    f"Differences of all pairs are left out: there are more than {_MOST_MODELS} models.",
)


def _differences(
    table: _Table, order: list[int], interval: str, alpha: float, resamples: int, seed: int
) -> tuple[PlainDifference, ...]:
    """All pairs on the tasks that both have, the model with the better rank first."""
    if len(order) > _MOST_MODELS:
        return ()
    pairs = [(i, j) for place, i in enumerate(order) for j in order[place + 1 :]]
    kinds: list[Literal["t", "percentile"]] = []
    counts, means = [], []
    for i, j in pairs:
        values = table.values[:, i] - table.values[:, j]
        shared = ~np.isnan(values) & (table.weights > 0)
        few = _effective(table.weights[shared]) < _MANY_TASKS
        kinds.append("t" if interval == "t" or (interval == "auto" and few) else "percentile")
        counts.append(int(np.count_nonzero(shared)))
        means.append(_mean_of(table, values, kinds[-1], alpha, resamples, seed))
    p = np.array([mean.p for mean in means])
    bonferroni, holm = adjust_p(p, "bonferroni"), adjust_p(p, "holm")
    return tuple(
        PlainDifference(
            first=table.models[i],
            second=table.models[j],
            tasks=counts[k],
            difference=means[k].score,
            ci_lo=means[k].low,
            ci_hi=means[k].high,
            excludes_zero=means[k].low > 0.0 or means[k].high < 0.0,
            p=means[k].p,
            p_bonferroni=float(bonferroni[k]),
            p_holm=float(holm[k]),
            interval=kinds[k],
        )
        for k, (i, j) in enumerate(pairs)
    )


def _effective(weights: NDArray[np.float64]) -> float:
    """How many tasks of equal weight make a mean with the same error."""
    shares = weights / max(weights.max(initial=0.0), np.finfo(np.float64).tiny)
    return float(np.square(shares.sum()) / max(np.square(shares).sum(), 1.0))


def _category_means(table: _Table, column: int) -> dict[str, float]:
    found: dict[str, float] = {}
    for category in sorted({name for name in table.categories.values() if name is not None}):
        used = np.array([table.categories[task] == category for task in table.tasks])
        used &= ~np.isnan(table.values[:, column]) & (table.weights > 0)
        if used.any():
            scores, weights = table.values[used, column], table.weights[used]
            found[category] = float(weights @ scores / weights.sum())
    return found


def _unsure(values: NDArray[np.float64]) -> str | None:
    """Why the level of intervals over these tasks is not known to hold; None where it is.

    Scores and differences of pairs are looked at: a model that is 0 throughout makes them one.
    """
    tasks = len(values)
    if tasks < 2:
        return None  # there is no interval
    if tasks < _FEWEST_TASKS:
        return f"fewer than {_FEWEST_TASKS} tasks do not show how scores are spread over tasks."
    index = skewness_index(np.column_stack([values, np.zeros(tasks)]))
    if not skewed_beyond_chance(index, tasks):
        return None
    return (
        f"scores are skewed over tasks (index {index:.2f}), and means of few of them are far from "
        "normal. `rankbars rank` resamples such tasks."
    )


_FEW_RESAMPLED = Note(
    "few-resampled",
    "Percentile intervals are too short where there are few tasks, or few with most of the weight: "
    f"fewer than {_MANY_TASKS} of equal weight. The intervals t keep the level.",
)


def _few_draws(resamples: int, alpha: float) -> Note:
    return Note(
        "few-draws",
        f"Too few resamples ({resamples}) to count the ends of intervals in: there are none. At "
        f"this level it takes at least {fewest_draws(alpha)}.",
    )


def _notes(table: _Table, counts: NDArray[np.int64]) -> tuple[Note, ...]:
    notes = []
    if counts.size and counts.min() < len(table.tasks):
        shared = int((~np.isnan(table.values).any(axis=1)).sum())
        absent = tuple(
            name
            for name, count in zip(table.models, counts, strict=True)
            if count < len(table.tasks)
        )
        notes.append(
            Note(
                "different-tasks",
                f"Not every model has all {len(table.tasks)} tasks, and means over different "
                f"tasks cannot be compared. All models share {shared} of them.",
                models=absent,
            )
        )
    if len(table.metrics) > 1:
        named = ", ".join(sorted(table.metrics))
        notes.append(
            Note("several-metrics", f"The mean is over scores on different metrics: {named}.")
        )
    return tuple(notes)
