"""What each method would give: widths and coverages for an evaluation that is planned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

import rankbars as rb
from rankbars.simulate.coverages import Tally, covers, portions, share_of_field
from rankbars.simulate.populations import (
    Evaluation,
    RankSets,
    model_names,
    planned_evaluation,
    tie_closest,
    tied_models,
    true_rank_sets,
)
from rankbars.simulate.study import (
    Row,
    Study,
    Table,
    Unit,
    check_repetitions,
    flatten,
    number,
    numbers,
)
from rankbars.stats.streams import stream

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["coverage"]

UNSEEN = 50  # new tasks per repetition

CORRECTIONS = (
    ("holm", "each"),
    ("simes", "each"),
    ("maxt", "each"),
    ("holm", "all"),
    ("maxt", "all"),
    ("bootstrap_band", "each"),
)
MERGES = ("joint", "quantile", "union", "simultaneous", "observed")

QUANTITIES = ("width", "coverage", "coverage_all")
_LABELS = {
    "width": "mean width, share of the field",
    "coverage": "coverage of one model",
    "coverage_all": "coverage of all models at once",
}


class Levels(NamedTuple):
    """Error rates of the intervals on a task and of the merge."""

    alpha: float
    alpha_overall: float


def coverage(
    evaluation: Evaluation | None = None,
    *,
    n_tasks: Sequence[int] = (20,),
    n_rows: Sequence[int] = (200,),
    alpha: float = 0.05,
    alpha_overall: float = 0.2,
    repetitions: int = 100,
    seed: int = 0,
) -> Study:
    """Width and coverage of every method for an evaluation, before it is paid for.

    Parameters
    ----------
    evaluation : Evaluation, optional
        From `planned_evaluation` or `evaluation_like`; ten models by default.
    n_tasks, n_rows : sequence of int
        Numbers of tasks, and of rows per task, to try; every combination is.
    alpha, alpha_overall : float
        Error rates of intervals on a task, and of the merge.
    repetitions : int
        Simulated evaluations per combination.
    seed : int
        Start of the random streams.

    Returns
    -------
    Study
        Table and picture ``coverage``. Per method: the mean width as a share of the field, and how
        often the true rank sets are covered, of one model and of all at once; on a task, and on a
        new task. For the merge of observed ranks, the rank meant is the observed one.

    Raises
    ------
    OptionError
        If a value is out of range.

    Notes
    -----
    Scores are simulated as normal; tasks have true scores that are normal around the means.
    """
    evaluation = planned_evaluation(10) if evaluation is None else evaluation
    for name, counts, least in (("tasks", n_tasks, 1), ("rows", n_rows, 2)):
        for count in counts:
            if count < least:
                raise rb.OptionError.out_of_range(name, count, f"{least} or more")
    rb.Spec(alpha=alpha, alpha_overall=alpha_overall)  # checks the rates
    units = tuple(
        Unit(measure, (evaluation, *sizes, Levels(alpha, alpha_overall), *portion, seed))
        for sizes in product(dict.fromkeys(n_tasks), dict.fromkeys(n_rows))
        for portion in portions(check_repetitions(repetitions), 5)
    )
    return Study("coverage", units, _finish, _draw)


def measure(
    evaluation: Evaluation,
    n_tasks: int,
    n_rows: int,
    levels: Levels,
    first: int,
    count: int,
    seed: int,
) -> Table:
    """Widths and coverages of all methods on some simulated evaluations."""
    rows: Table = []
    for repetition in range(first, first + count):
        key = " ".join(str(part) for part in (*evaluation, n_tasks, n_rows, repetition))
        made = _one_evaluation(evaluation, n_tasks, n_rows, levels, key, seed)
        for (target, method, scope), (guarantee, values) in made.items():
            row: Row = {
                "target": target,
                "method": method,
                "scope": scope,
                "n_models": len(evaluation.means),
                "n_tasks": n_tasks if target == "new task" else None,
                "n_rows": n_rows,
                "guarantee": guarantee,
            }
            rows.append({**row, **dict(zip(QUANTITIES, values, strict=True))})
    return rows


_Measured = dict[tuple[str, str, str], tuple[float | None, tuple[float, float, float]]]


def _one_evaluation(
    evaluation: Evaluation, n_tasks: int, n_rows: int, levels: Levels, key: str, seed: int
) -> _Measured:
    """Guarantee, width and coverages by target, method and scope."""
    names = model_names(len(evaluation.means))
    measured: _Measured = {}
    intervals, seen, tasks = {}, {}, {}
    for task in range(n_tasks):
        rng = stream(seed, "coverage", key, task)
        truth = _true_scores(evaluation, 1, rng)
        rows = truth + _noise(evaluation, (n_rows, len(names)), rng)
        name = f"{key} {task:05d}"
        tasks[name] = rows
        compared = rb.compare(rb.Scores.from_arrays({name: rows}, names), test="t")[name]
        intervals[name] = rb.rank(compared, alpha=levels.alpha)
        sets = true_rank_sets(compared.mean)
        seen[name] = rb.RankIntervals(
            names, sets.best, sets.worst, levels.alpha, "each", "task", "observed"
        )
        if task == 0:
            measured |= _measure_task(compared, true_rank_sets(truth[0]), levels, seed)
    rng = stream(seed, "coverage", key, "new")
    truth = _true_scores(evaluation, UNSEEN, rng)
    # The mean of n rows has the covariance of a row divided by n.
    means = truth + _noise(evaluation, truth.shape, rng) / np.sqrt(n_rows)
    for merge in MERGES:
        if merge == "joint":
            new = _of_a_board(tasks, names, levels)
        else:
            new = rb.predict(intervals, merge=merge, alpha=levels.alpha_overall, observed=seen)
        target = true_rank_sets(means if merge == "observed" else truth)
        measured["new task", merge, new.scope] = new.guarantee, _values(new, target)
    return measured


def _of_a_board(
    tasks: dict[str, NDArray[np.float64]], names: tuple[str, ...], levels: Levels
) -> rb.RankIntervals:
    """New-task intervals as a board has them, whose task intervals are made for the merge."""
    scores = rb.Scores.from_arrays(tasks, names)
    rates = levels._asdict()
    new = rb.leaderboard(scores, test="t", correction="holm", over="none", **rates).overall
    if new is not None:
        return new
    # One task alone says nothing of a new one, and its board has no such block.
    intervals = rb.rank(rb.compare(scores, test="t"), alpha=levels.alpha)
    return rb.predict(intervals, alpha=levels.alpha_overall)


def _measure_task(
    compared: rb.Comparisons, truth: RankSets, levels: Levels, seed: int
) -> _Measured:
    measured: _Measured = {}
    for correction, scope in CORRECTIONS:
        made = rb.rank(compared, correction=correction, scope=scope, alpha=levels.alpha, seed=seed)
        measured["this task", correction, scope] = made.guarantee, _values(made, truth)
    return measured


def _values(made: rb.RankIntervals, truth: RankSets) -> tuple[float, float, float]:
    covered = covers(made.best, made.worst, truth)
    width = share_of_field(made.best, made.worst, len(made.models))
    return float(width), float(covered.mean()), float(covered.all(axis=-1).mean())


def _true_scores(
    evaluation: Evaluation, count: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """True scores of random tasks, shape (count, M)."""
    n_models = len(evaluation.means)
    scores = np.array(evaluation.means) + evaluation.task_sd * rng.standard_normal(
        (count, n_models)
    )
    return tie_closest(scores, tied_models(n_models, evaluation.ties))


def _noise(
    evaluation: Evaluation, shape: tuple[int, ...], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Rows with standard deviation 1 and the given correlation between models."""
    shared = np.sqrt(evaluation.correlation) * rng.standard_normal((shape[0], 1))
    own = np.sqrt(1 - evaluation.correlation) * rng.standard_normal(shape)
    return np.asarray(shared + own)


def _finish(results: Sequence[Table]) -> dict[str, Table]:
    """One row per method and size: means over repetitions, with their standard errors."""
    columns = ("target", "method", "scope", "n_models", "n_tasks", "n_rows")
    groups: dict[tuple[object, ...], Table] = {}
    # What holds on one task comes first: it does not depend on the number of tasks.
    for row in sorted(flatten(results), key=lambda row: row["target"] != "this task"):
        groups.setdefault(tuple(row[name] for name in columns), []).append(row)
    table: Table = []
    for rows in groups.values():
        made: Row = {name: rows[0][name] for name in columns}
        # Some samples look skewed, and nothing is promised of them: all runs are one row all the
        # same, because coverage of the others alone would be that of samples chosen by their look.
        promised = [row["guarantee"] for row in rows]
        made["guarantee"] = None if None in promised else min(numbers(rows, "guarantee"))
        for quantity in QUANTITIES:
            tally = Tally.of(numbers(rows, quantity))
            made[quantity] = tally.mean
            made[f"{quantity}_se"] = tally.standard_error
        made["repetitions"] = len(rows)
        table.append(made)
    return {"coverage": table}


def _draw(tables: Mapping[str, Table]) -> dict[str, Figure]:
    from matplotlib.figure import Figure

    table = tables["coverage"]
    figure = Figure(figsize=(12.0, 7.0), layout="constrained")
    figure.set_label("Width and coverage of each method; the numbers are in coverage.csv")
    targets = ("this task", "new task")
    panels = figure.subplots(len(targets), len(QUANTITIES), sharex="col", squeeze=False)
    for line, target in enumerate(targets):
        part = [row for row in table if row["target"] == target]
        for column, quantity in enumerate(QUANTITIES):
            axes = panels[line, column]
            _draw_dots(axes, part, quantity)
            axes.tick_params(labelleft=column == 0)
            axes.set_title(f"{target}: {_LABELS[quantity]}", fontsize="medium")
        panels[line, -1].legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.02, 1.0))
    return {"coverage": figure}


def _draw_dots(axes: Axes, table: Table, quantity: str) -> None:
    """A line per method, a dot per size; bars are Monte-Carlo standard errors.

    A grey stroke is the coverage that is promised.
    """
    sizes = list(dict.fromkeys((row["n_tasks"], row["n_rows"]) for row in table))
    methods = list(dict.fromkeys((row["method"], row["scope"]) for row in table))
    for position, (n_tasks, n_rows) in enumerate(sizes):
        rows = [row for row in table if (row["n_tasks"], row["n_rows"]) == (n_tasks, n_rows)]
        shift = 0.6 * ((position + 0.5) / len(sizes) - 0.5)
        places = [methods.index((row["method"], row["scope"])) + shift for row in rows]
        scope = {"coverage": "each", "coverage_all": "all"}.get(quantity)
        for row, place in zip(rows, places, strict=True):
            if row["guarantee"] is not None and row["scope"] == scope:
                axes.plot(number(row, "guarantee"), place, "|", color="grey", markersize=12)
        axes.errorbar(
            numbers(rows, quantity),
            places,
            xerr=numbers(rows, f"{quantity}_se"),
            fmt="os^vDP*X"[position % 8],
            label=f"{n_rows} rows" if n_tasks is None else f"{n_tasks} tasks × {n_rows} rows",
        )
    axes.set_yticks(range(len(methods)), [f"{name}, {scope}" for name, scope in methods])
    axes.set_ylim(len(methods) - 0.5, -0.5)
    axes.set_xlim(-0.02, 1.02)
    axes.grid(axis="x", alpha=0.3)
