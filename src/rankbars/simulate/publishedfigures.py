"""Figures 1 and 6 of the published simulation study, and the numbers behind them.

Figure 1a: coverage of task intervals over all configurations of Tables 6 and 7. Figure 1b: width of
intervals for a new task as the number of tasks grows. Figure 6: the same for all configurations,
with the coverage. Correlation 0.5 in blocks of three models, no ties.
Source: Neuhof and Benjamini 2026; which panel shows which configuration is a reading of the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

from rankbars.simulate.levels import NewTaskPlan, ThisTaskPlan, measure_new_tasks, measure_this_task
from rankbars.simulate.populations import Design
from rankbars.simulate.publishedtables import MODELS, ROWS, SIGMAS, designs_of
from rankbars.simulate.study import Row, Study, Table, Unit, check_repetitions, flatten, numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["figures"]

TASKS = (20, 40, 60, 80, 100)
LEVEL, RATE = 0.05, 0.3
RHO, BLOCK = 0.5, 3
SHOWN_IN_1B = {"n_models": 10, "n_rows": 200}

_COLORS = {0.3: "tab:blue", 0.7: "tab:orange", 1.2: "tab:green"}
_LINES = {"quantile": "-", "union": "--"}
_MARKERS = {"quantile": "o", "union": "s"}


def figures(*, repetitions: int = 50, seed: int = 0) -> Study:
    """Figures 1 (a, b) and 6 of Neuhof and Benjamini (2026), recomputed.

    Parameters
    ----------
    repetitions : int
        Repetitions per configuration.
    seed : int
        Start of the random streams.

    Returns
    -------
    Study
        Tables and pictures ``figure_1a``, ``figure_1b`` and ``figure_6``; one row per point.

    Raises
    ------
    OptionError
        If `repetitions` is below 1.
    """
    check_repetitions(repetitions)
    task_plan = ThisTaskPlan((LEVEL,), repetitions, seed)
    on_task = [
        Unit(measure_this_task, (design, task_plan))
        for number in (6, 7)
        for design in designs_of(number)
    ]
    plan = NewTaskPlan(TASKS, (LEVEL,), (RATE,), repetitions, seed)
    on_new = [
        Unit(measure_new_tasks, (Design(n_models, n_rows, sigma, RHO, BLOCK), plan))
        for n_models, n_rows, sigma in product(MODELS, ROWS, SIGMAS)
    ]

    def finish(results: Sequence[Table]) -> dict[str, Table]:
        growing = flatten(results[len(on_task) :])
        return {
            "figure_1a": flatten(results[: len(on_task)]),
            "figure_1b": [row for row in growing if _has(row, SHOWN_IN_1B)],
            "figure_6": growing,
        }

    return Study("figures", tuple(on_task + on_new), finish, _draw)


def _has(row: Row, values: Mapping[str, object]) -> bool:
    return all(row[name] == value for name, value in values.items())


def _draw(tables: Mapping[str, Table]) -> dict[str, Figure]:
    return {
        "figure_1a": _draw_coverage(tables["figure_1a"]),
        "figure_1b": _draw_width(tables["figure_1b"]),
        "figure_6": _draw_panels(tables["figure_6"]),
    }


def _draw_coverage(table: Table) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.5, 4.0), layout="constrained")
    figure.set_label(
        "Coverage of 95 % intervals on a task, with and without ties; in figure_1a.csv"
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
    figure.set_label("Width and coverage of intervals for a new task; in figure_6.csv")
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
