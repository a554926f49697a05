"""Figures 1 and 6: the published shapes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankbars as rb
from rankbars.simulate import Study, Unit, run
from rankbars.simulate.levels import NewTaskPlan, measure_new_tasks, measure_this_task
from rankbars.simulate.populations import Design
from rankbars.simulate.publishedfigures import RuntimePlan, figures, measure_runtime
from rankbars.simulate.publishedtables import Part
from rankbars.simulate.study import Cell, Row, Table, number, numbers


@pytest.mark.slow
def test_quantile_intervals_stay_as_wide_and_unions_grow() -> None:
    plan = NewTaskPlan((20, 60, 100), (0.05,), (0.3,), 60, 0)
    table = measure_new_tasks(Design(10, 10, 0.3, 0.5, 3), plan)
    widths = {
        merge: [number(row, "width") for row in table if row["merge"] == merge]
        for merge in ("quantile", "union")
    }
    assert max(widths["quantile"]) - min(widths["quantile"]) < 0.03
    assert widths["union"][0] + 0.03 < widths["union"][1] < widths["union"][2]
    assert min(numbers(table, "coverage")) >= 0.65


def row_of(design: Design, **values: Cell) -> Row:
    return {**design._asdict(), **values}


def made_up(part: Part) -> Study:
    """The study of a part of the configurations, with numbers made up in place of measured ones."""

    def answer(unit: Unit) -> Table:
        design, plan = unit.arguments
        if unit.function is measure_this_task:
            return [
                row_of(design, level=0.05, method=method, width=0.5, coverage=0.9)
                for method in ("holm", "bootstrap")
            ]
        if unit.function is measure_runtime:
            return [row_of(design, n_tasks=n, seconds=2e-6 * n) for n in plan.n_tasks]
        return [
            row_of(
                design, n_tasks=n, level=level, rate=rate, merge=merge,
                width=design.sigma / 2 + level + 0.1 * (merge == "union"),
                coverage=1 - rate / 2 + level / 10,
            )
            for n in plan.n_tasks for level in plan.levels for rate in plan.rates
            for merge in ("union", "quantile")
        ]  # fmt: skip

    study = figures(part=part)
    results = [answer(unit) for unit in study.units]
    return Study("drawn", (), lambda _: study.finish(results), study.draw, summary=study.summary)


@pytest.fixture(scope="module")
def drawn() -> tuple[dict[str, Table], Mapping[str, Any]]:
    study = made_up(Part((10,), (200,), (), (0.5,)))
    tables = study.finish([])
    assert study.draw is not None
    return tables, study.draw(tables)


def test_figure_1a_shows_both_merges_over_both_rates(
    drawn: tuple[dict[str, Table], Mapping[str, Any]],
) -> None:
    tables, pictures = drawn
    panels = np.reshape(pictures["figure_1a"].axes, (2, 2))
    assert [axes.get_ylabel() for axes in panels[:, 0]] == [
        "mean width, share of the field", "coverage on a new task"
    ]  # fmt: skip
    assert [axes.get_title() for axes in panels[0]] == [
        "α of the merge 0.3", "α of the merge 0.5"
    ]  # fmt: skip
    for line, quantity in enumerate(("width", "coverage")):
        for column, rate in enumerate((0.3, 0.5)):
            axes = panels[line, column]
            boxes = iter(axes.patches)
            for merge, level in product(("quantile", "union"), (0.02, 0.05, 0.1)):
                values = [
                    number(row, quantity)
                    for row in tables["figure_1a"]
                    if (row["merge"], row["rate"], row["level"]) == (merge, rate, level)
                ]
                ends = next(boxes).get_path().vertices[:4, 1]
                assert [min(ends), max(ends)] == pytest.approx(np.percentile(values, [25, 75]))
            assert list(boxes) == []
    assert [tick.get_text() for tick in panels[1, 0].get_xticklabels()] == ["0.02", "0.05", "0.1"]
    assert [text.get_text() for text in panels[0, 0].get_legend().get_texts()] == [
        "quantile", "union"
    ]  # fmt: skip


def test_figure_1a_has_every_configuration_of_tables_2_to_5(
    drawn: tuple[dict[str, Table], Mapping[str, Any]],
) -> None:
    table = drawn[0]["figure_1a"]
    # Three sigmas, three sizes of blocks, four shares of ties; two N, three alpha_t, two alpha_o.
    assert len(table) == 36 * 2 * 3 * 2 * 2
    assert {row["rho"] for row in table} == {0.5}
    assert len(figures(["1a"]).units) == 480


def test_figure_1b_has_a_line_per_sigma_and_merge_over_n(
    drawn: tuple[dict[str, Table], Mapping[str, Any]],
) -> None:
    (axes,) = drawn[1]["figure_1b"].axes
    assert axes.get_xlabel() == "tasks N"
    assert {line.get_label() for line in axes.lines} == {
        f"{merge}, σ = {sigma}" for merge in ("quantile", "union") for sigma in (0.3, 0.7, 1.2)
    }
    assert all(list(line.get_xdata()) == [20, 40, 60, 80, 100] for line in axes.lines)
    assert axes.lines[0].get_ydata() == pytest.approx(0.2)


def test_figure_6_shows_seconds_over_tasks_and_the_exponent(
    drawn: tuple[dict[str, Table], Mapping[str, Any]],
) -> None:
    (axes,) = drawn[1]["figure_6"].axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("tasks N", "seconds of processor time")
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    (line,) = axes.lines
    assert line.get_label() == "10 models: N^1.00"
    assert line.get_ydata() == pytest.approx(2e-6 * np.array(line.get_xdata()))
    for unit in figures(["6"]).units:
        assert (unit.arguments[0].rho, unit.arguments[0].block) == (0.5, 3)


def test_times_of_few_tasks_are_measured() -> None:
    table = measure_runtime(Design(10, 10, 0.7, 0.5, 3), RuntimePlan((50, 100), 0.05, 0.3, 1, 0))
    assert numbers(table, "n_tasks") == [50, 100]
    assert min(numbers(table, "seconds")) > 0


def test_pictures_are_written_with_their_numbers(tmp_path: Path) -> None:
    said: list[str] = []
    made = made_up(Part((10,), (200,), (0.3,), (0.5,)))
    names = sorted(path.name for path in run(made, tmp_path, picture="png", summarise=said.append))
    drawn = ("figure_1a", "figure_1b", "figure_1b_all", "figure_6", "task_coverage")
    assert names == [f"{name}.{kind}" for name in drawn for kind in ("csv", "png")]
    assert all((tmp_path / name).stat().st_size > 100 for name in names)
    assert "seconds grow as N^1.00 (published: linearly" in said[0]
    assert "quantile, alpha_t 0.02, alpha_o 0.3: median width 0.170" in said[0]


def test_figures_that_are_not_there() -> None:
    with pytest.raises(rb.UnknownOptionError, match="1a, 1b, 6, tasks"):
        figures(["2"])
    with pytest.raises(rb.OptionError, match=r"correlation 0\.5"):
        figures(["1b"], part=Part(correlations=(0.2,)))
