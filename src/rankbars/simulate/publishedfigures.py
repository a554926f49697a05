"""Figures 1 and 6 of the published simulation study, and the numbers behind them.

Figure 1a: width and coverage of intervals for a new task, quantile against union, over the rates
alpha_t of the task intervals and alpha_o of the merge; each box is a distribution over the
configurations of Tables 2 to 5. Figure 1b: width as the number of tasks grows. Figure 6: seconds
of Algorithm 2 as the number of tasks grows. 1b and 6 have correlation 0.5 in blocks of three models
and no ties. Two pictures more are ours: all configurations of 1b with their coverage, and coverage
on a task over the configurations of Tables 6 and 7.
Source: Neuhof and Benjamini 2026; that 1a takes 20 and 60 tasks together is a reading of the text.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import product
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import rankbars as rb
from rankbars.calls import check_name
from rankbars.errors import OptionError
from rankbars.simulate.levels import (
    NewTaskPlan,
    ThisTaskPlan,
    measure_new_tasks,
    measure_this_task,
    pool_intervals,
    pool_scores,
)
from rankbars.simulate.populations import Design
from rankbars.simulate.publishedtables import (
    EVERYTHING,
    LEVELS,
    MODELS,
    RATES,
    ROWS,
    SIGMAS,
    TASKS,
    Part,
    designs_of,
)
from rankbars.simulate.study import Row, Study, Table, Unit, by_part, check_repetitions, numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "FIGURES",
    "RuntimePlan",
    "figures",
    "growth",
    "measure_runtime",
]


FIGURES = ("1a", "1b", "6", "tasks")
"""What can be drawn; ``tasks`` is coverage on a task."""

GROWING = (20, 40, 60, 80, 100)
TIMED = (4000, 8000, 16000, 32000, 64000)  # below, fixed costs of a call are seen
LEVEL, RATE = 0.05, 0.3
RHO, BLOCK = 0.5, 3
SHOWN_IN_1B = {"n_models": 10, "n_rows": 200}
TIMED_ROWS, TIMED_SIGMA = 10, 0.7  # they do not enter the time of the merge

_COLORS = {0.3: "tab:blue", 0.7: "tab:orange", 1.2: "tab:green"}
_LINES = {"quantile": "-", "union": "--"}
_MARKERS = {"quantile": "o", "union": "s"}
_BOXES = {"quantile": "tab:blue", "union": "tab:orange"}
_QUANTITIES = {"width": "mean width, share of the field", "coverage": "coverage on a new task"}


def figures(
    names: Collection[str] = FIGURES,
    *,
    part: Part = EVERYTHING,
    repetitions: int = 50,
    seed: int = 0,
) -> Study:
    """Figures 1 (a, b) and 6 of Neuhof and Benjamini (2026), recomputed.

    Parameters
    ----------
    names : collection of str
        Which of `FIGURES`.
    part : Part
        Which configurations.
    repetitions : int
        Repetitions per configuration.
    seed : int
        Start of the random streams.

    Returns
    -------
    Study
        Tables and pictures ``figure_1a``, ``figure_1b``, ``figure_1b_all`` (all configurations,
        with coverage), ``figure_6`` and ``task_coverage``; one row per point, in `figure_1a` and
        `task_coverage` one row per configuration.

    Raises
    ------
    UnknownOptionError
        If a figure is not known, or the study lacks what `part` names.
    OptionError
        If `repetitions` is below 1, or no configuration is left for a figure.

    Examples
    --------
    >>> len(figures(["1a"]).units), len(figures(["6"]).units)
    (480, 2)
    """
    check_repetitions(repetitions)
    part.checked()
    for name in names:
        check_name("figure", name, FIGURES)
    work = {name: _WORK[name](part, repetitions, seed) for name in FIGURES if name in set(names)}
    for name, units in work.items():
        if not units:
            raise OptionError(
                f"Figure {name} has none of these configurations: 1b and 6 have correlation 0.5."
            )

    def finish(results: Sequence[Table]) -> dict[str, Table]:
        made = {_FILES[name]: rows for name, rows in by_part(results, work).items()}
        if "figure_1b_all" in made:
            shown = [row for row in made["figure_1b_all"] if _has(row, SHOWN_IN_1B)]
            made |= {"figure_1b": shown} if shown else {}
        return made

    return Study(
        "figures",
        tuple(unit for units in work.values() for unit in units),
        finish,
        _draw,
        summary=_summary,
    )


def _merge_units(part: Part, repetitions: int, seed: int) -> list[Unit]:
    plan = NewTaskPlan(TASKS, LEVELS, RATES, repetitions, seed)
    designs = [design for table in (2, 3, 4, 5) for design in designs_of(table)]
    return [Unit(measure_new_tasks, (design, plan)) for design in designs if part.has(design)]


def _growing_units(part: Part, repetitions: int, seed: int) -> list[Unit]:
    plan = NewTaskPlan(GROWING, (LEVEL,), (RATE,), repetitions, seed)
    designs = [Design(*one, RHO, BLOCK) for one in product(MODELS, ROWS, SIGMAS)]
    return [Unit(measure_new_tasks, (design, plan)) for design in designs if part.has(design)]


def _timed_units(part: Part, repetitions: int, seed: int) -> list[Unit]:
    plan = RuntimePlan(TIMED, LEVEL, RATE, repetitions, seed)
    designs = [Design(m, TIMED_ROWS, TIMED_SIGMA, RHO, BLOCK) for m in MODELS]
    return [
        Unit(measure_runtime, (design, plan))
        for design in designs
        if not part.models or design.n_models in part.models
    ]


def _task_units(part: Part, repetitions: int, seed: int) -> list[Unit]:
    plan = ThisTaskPlan((LEVEL,), repetitions, seed)
    designs = [design for table in (6, 7) for design in designs_of(table)]
    return [Unit(measure_this_task, (design, plan)) for design in designs if part.has(design)]


_WORK: dict[str, Callable[[Part, int, int], list[Unit]]] = {
    "1a": _merge_units,
    "1b": _growing_units,
    "6": _timed_units,
    "tasks": _task_units,
}
_FILES = {"1a": "figure_1a", "1b": "figure_1b_all", "6": "figure_6", "tasks": "task_coverage"}


def _has(row: Row, values: Mapping[str, object]) -> bool:
    return all(row[name] == value for name, value in values.items())


def _by_models(table: Table) -> dict[int, Table]:
    counts = sorted({int(value) for value in numbers(table, "n_models")})
    return {count: [row for row in table if row["n_models"] == count] for count in counts}


def _summary(tables: Mapping[str, Table]) -> str:
    lines = []
    for merge, (level, rate) in product(_BOXES, product(LEVELS, RATES)):
        shown = {"merge": merge, "level": level, "rate": rate}
        rows = [row for row in tables.get("figure_1a", []) if _has(row, shown)]
        if rows:
            width, coverage = (median(numbers(rows, quantity)) for quantity in _QUANTITIES)
            lines.append(
                f"{merge}, alpha_t {level:g}, alpha_o {rate:g}: "
                f"median width {width:.3f}, median coverage {coverage:.3f}"
            )
    for n_models, rows in _by_models(tables.get("figure_6", [])).items():
        lines.append(
            f"Algorithm 2, {n_models} models: seconds grow as N^{growth(rows):.2f} "
            "(published: linearly, exponent 1)"
        )
    for sigma, merge in product(_COLORS, _LINES):
        shown = {"merge": merge, "sigma": sigma}
        rows = [row for row in tables.get("figure_1b", []) if _has(row, shown)]
        if rows:
            widths = numbers(rows, "width")
            lines.append(
                f"{merge}, sigma {sigma:g}: width {widths[0]:.3f} at {GROWING[0]} tasks, "
                f"{widths[-1]:.3f} at {GROWING[-1]}"
            )
    return "\n".join(lines) or "No figure of these has a summary."


def _draw(tables: Mapping[str, Table]) -> dict[str, Figure]:
    drawers = {
        "figure_1a": _draw_merges,
        "figure_1b": _draw_width,
        "figure_1b_all": _draw_panels,
        "figure_6": _draw_seconds,
        "task_coverage": _draw_coverage,
    }
    return {name: drawers[name](table) for name, table in tables.items()}


def _draw_merges(table: Table) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 6.0), layout="constrained")
    figure.set_label("Width and coverage of intervals for a new task; in figure_1a.csv")
    panels = figure.subplots(2, len(RATES), sharex=True, sharey="row", squeeze=False)
    for column, rate in enumerate(RATES):
        for line, (quantity, label) in enumerate(_QUANTITIES.items()):
            axes = panels[line, column]
            _plot_boxes(axes, [row for row in table if row["rate"] == rate], quantity)
            axes.set_ylim(0, 1.02)
            if column == 0:
                axes.set_ylabel(label)
        panels[0, column].set_title(f"α of the merge {rate}")
        panels[1, column].set_xlabel("α of the task intervals")
        for place, level in enumerate(LEVELS):
            promised = 1 - level - rate
            panels[1, column].plot(
                [place - 0.4, place + 0.4], [promised, promised], color="grey", linestyle=":"
            )
    panels[0, 0].legend(fontsize="small")
    return figure


def _plot_boxes(axes: Axes, table: Table, quantity: str) -> None:
    """A pair of boxes, quantile and union, for each rate of the task intervals."""
    for shift, (merge, color) in zip((-0.18, 0.18), _BOXES.items(), strict=True):
        made = axes.boxplot(
            [
                numbers([r for r in table if _has(r, {"merge": merge, "level": level})], quantity)
                for level in LEVELS
            ],
            positions=[place + shift for place in range(len(LEVELS))],
            widths=0.3,
            patch_artist=True,
            manage_ticks=False,
            medianprops={"color": "black"},
            flierprops={"markersize": 3},
        )
        for box in made["boxes"]:
            box.set_facecolor(color)
            box.set_alpha(0.6)
        made["boxes"][0].set_label(merge)
    axes.set_xticks(range(len(LEVELS)), [f"{level:g}" for level in LEVELS])


def _draw_seconds(table: Table) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator

    figure = Figure(figsize=(6.0, 4.0), layout="constrained")
    figure.set_label("Seconds of Algorithm 2 over the number of tasks; in figure_6.csv")
    axes = figure.add_subplot()
    for n_models, rows in _by_models(table).items():
        axes.plot(
            numbers(rows, "n_tasks"),
            numbers(rows, "seconds"),
            marker="o",
            label=f"{n_models} models: N^{growth(rows):.2f}",
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    # The sizes themselves: powers of ten with their minor marks would run into each other.
    sizes = sorted(set(numbers(table, "n_tasks")))
    axes.set_xticks(sizes, [f"{size:,.0f}" for size in sizes])
    axes.set_xticks([], minor=True)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.set_yticks([], minor=True)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("tasks N")
    axes.set_ylabel("seconds of processor time")
    axes.set_title("Algorithm 2; linear is N^1")
    axes.legend(fontsize="small")
    return figure


def _draw_coverage(table: Table) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.5, 4.0), layout="constrained")
    figure.set_label(
        "Coverage of 95 % intervals on a task, with and without ties; in task_coverage.csv"
    )
    axes = figure.add_subplot()
    groups = [(method, tied) for tied in (False, True) for method in ("holm", "bootstrap")]
    names = {"holm": "Algorithm 1", "bootstrap": "bootstrap band"}
    axes.boxplot(
        [
            numbers(
                [row for row in table if row["method"] == method and bool(row["ties"]) == tied],
                "coverage",
            )
            for method, tied in groups
        ],
        tick_labels=[
            f"{names[method]}\n{'ties' if tied else 'no ties'}" for method, tied in groups
        ],
    )
    axes.axhline(1 - LEVEL, color="grey", linestyle=":")
    axes.set_ylim(0, 1.02)
    axes.set_ylabel("coverage of true rank sets")
    axes.set_title("95 % intervals on a task, one point per configuration")
    return figure


def _draw_width(table: Table) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.0), layout="constrained")
    figure.set_label("Width of intervals for a new task over the number of tasks; in figure_1b.csv")
    axes = figure.add_subplot()
    _plot_lines(axes, table, "width")
    axes.set_ylim(0, 1.02)
    axes.set_ylabel("mean width, share of the field")
    axes.set_title(f"{SHOWN_IN_1B['n_models']} models, {SHOWN_IN_1B['n_rows']} rows per task")
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.02, 1.0))
    return figure


def _draw_panels(table: Table) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.0, 6.0), layout="constrained")
    figure.set_label("Width and coverage of intervals for a new task; in figure_1b_all.csv")
    panels = figure.subplots(2, len(MODELS) * len(ROWS), sharex=True, sharey="row")
    for column, (n_models, n_rows) in enumerate(product(MODELS, ROWS)):
        part = [row for row in table if _has(row, {"n_models": n_models, "n_rows": n_rows})]
        for line, (quantity, label) in enumerate(
            (("width", "mean width, share of the field"), ("coverage", "coverage on a new task"))
        ):
            axes = panels[line, column]
            _plot_lines(axes, part, quantity)
            axes.set_ylim(0, 1.02)
            if column == 0:
                axes.set_ylabel(label)
        panels[0, column].set_title(f"{n_models} models, {n_rows} rows per task")
        panels[1, column].axhline(1 - LEVEL - RATE, color="grey", linestyle=":")
    panels[1, 0].legend(fontsize="small")
    return figure


def _plot_lines(axes: Axes, table: Table, quantity: str) -> None:
    """One line per sigma and merge, over the number of tasks."""
    for sigma, merge in product(_COLORS, _LINES):
        part = [row for row in table if row["sigma"] == sigma and row["merge"] == merge]
        axes.plot(
            numbers(part, "n_tasks"),
            numbers(part, quantity),
            color=_COLORS[sigma],
            linestyle=_LINES[merge],
            marker=_MARKERS[merge],
            label=f"{merge}, σ = {sigma}",
        )
    axes.set_xlabel("tasks N")


class RuntimePlan(NamedTuple):
    """What is timed.

    Attributes
    ----------
    n_tasks : tuple of int
        Numbers of tasks N. Beyond the pool of a design its tasks come again.
    level, rate : float
        Error rates of the task intervals and of the merge.
    repetitions : int
        How often each is timed; the shortest time counts, others were disturbed.
    seed : int
        Start of the streams.
    """

    n_tasks: tuple[int, ...]
    level: float
    rate: float
    repetitions: int
    seed: int


def measure_runtime(design: Design, plan: RuntimePlan) -> Table:
    """Processor time of Algorithm 2, from the intervals of N tasks to those of a new one.

    Parameters
    ----------
    design : Design
        Where the tasks come from.
    plan : RuntimePlan
        What is timed.

    Returns
    -------
    list of dict
        Seconds for each N. They differ from run to run, as times do.
    """
    pool = pool_intervals(design, pool_scores(design), (plan.level,), plan.seed)[plan.level]
    tasks = {n: {f"task {i}": pool[i % len(pool)] for i in range(n)} for n in plan.n_tasks}
    seconds = dict.fromkeys(plan.n_tasks, float("inf"))
    # Sizes take turns, so that a slow spell of the machine does not meet one of them alone.
    for _ in range(plan.repetitions):
        for n_tasks, intervals in tasks.items():
            start = time.thread_time()
            rb.predict(intervals, merge="quantile", alpha=plan.rate)
            seconds[n_tasks] = min(seconds[n_tasks], time.thread_time() - start)
    return [{**design._asdict(), "n_tasks": n, "seconds": spent} for n, spent in seconds.items()]


def growth(table: Table) -> float:
    """Exponent b of ``seconds = a * n_tasks ** b``, by least squares of the logarithms.

    Examples
    --------
    >>> round(growth([{"n_tasks": n, "seconds": 3e-6 * n} for n in (100, 200, 400)]), 6)
    1.0
    """
    sizes, seconds = (np.log(numbers(table, name)) for name in ("n_tasks", "seconds"))
    slope, _ = np.polyfit(sizes, seconds, 1)
    return float(slope)
