"""Tables 2 to 7: the published cells, recomputed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import rankbars as rb
from rankbars.simulate import Study, measure, run
from rankbars.simulate.levels import NewTaskPlan, measure_new_tasks
from rankbars.simulate.populations import Design
from rankbars.simulate.publishedtables import (
    NUMBERS,
    Part,
    agreement,
    beside_cells,
    designs_of,
    simulation_cells,
    tables,
)
from rankbars.simulate.study import Row, number

KEYS = ("n_models", "n_tasks", "n_base", "sigma", "alpha", "quantity")


def published(table: int, sigma: float | None = None) -> dict[tuple[str, ...], tuple[float, float]]:
    """Mean and "± SD" of published cells, by what identifies a cell."""
    return {
        identity(row): (number(row, "published"), number(row, "published_sd"))
        for row in simulation_cells()
        if row["table"] == table
        and sigma in (None, row["sigma"])
        and (row["n_models"], row["n_base"]) == (10, 10)
    }


def identity(row: Row) -> tuple[str, ...]:
    return tuple("" if row[key] is None else str(row[key]) for key in KEYS)


def measured(table: int, sigmas: tuple[float, ...], repetitions: int) -> dict[tuple[str, ...], Row]:
    part = Part((10,), (10,), sigmas)
    rows = measure(tables([table], part=part, repetitions=repetitions))[f"table_{table}"]
    return {identity(row): row for row in rows}


def differences(
    table: int, sigmas: tuple[float, ...] = (0.3, 0.7, 1.2), repetitions: int = 100
) -> Iterator[tuple[str, float, float]]:
    """Quantity, difference of the mean, difference of the SD, for every published cell."""
    ours = measured(table, sigmas, repetitions)
    for sigma in sigmas:
        for key, (mean, sd) in published(table, sigma).items():
            row = ours[key]
            yield key[-1], number(row, "value") - mean, number(row, "value_sd") - sd


@pytest.mark.parametrize(
    ("table", "sigmas", "repetitions"),
    [
        (2, (0.3,), 100),
        pytest.param(3, (0.3,), 100, marks=pytest.mark.slow),
        pytest.param(4, (0.7,), 100, marks=pytest.mark.soak),
    ],
)
def test_new_task_cells_are_within_two_hundredths(
    table: int, sigmas: tuple[float, ...], repetitions: int
) -> None:
    found = list(differences(table, sigmas, repetitions))
    assert len(found) == 16
    for quantity, mean, sd in found:
        assert abs(mean) <= 0.02, quantity
        assert abs(sd) <= 0.02, quantity


@pytest.mark.parametrize(
    ("table", "sigmas", "count"),
    [
        pytest.param(6, (0.3, 0.7, 1.2), 24, marks=pytest.mark.slow),
        pytest.param(7, (1.2,), 8, marks=pytest.mark.soak),
    ],
)
def test_task_cells_are_within_two_hundredths(
    table: int, sigmas: tuple[float, ...], count: int
) -> None:
    found = list(differences(table, sigmas))
    assert len(found) == count
    for quantity, mean, sd in found:
        tolerance = 0.04 if quantity.endswith("coverage_bootstrap") else 0.02
        assert abs(mean) <= tolerance, quantity
        assert abs(sd) <= tolerance, quantity


def test_no_ties_no_correlation_has_no_spread_over_configurations() -> None:
    rows = measured(6, (0.3,), 2).values()
    spreads = {row["value_sd"] for row in rows if str(row["quantity"]).startswith("no_ties")}
    assert spreads == {0.0}


@pytest.mark.parametrize(
    ("table", "count"), [(2, 12), (3, 36), (4, 108), (5, 324), (6, 48), (7, 432)]
)
def test_each_table_has_its_configurations(table: int, count: int) -> None:
    assert len(set(designs_of(table))) == count


def test_all_tables_together_are_all_units_in_order() -> None:
    study = tables(repetitions=3)
    assert len(study.units) == 960
    assert len({unit.arguments for unit in study.units}) == 960


@pytest.mark.parametrize("number", [1, 8])
def test_unknown_table_lists_the_known_ones(number: int) -> None:
    with pytest.raises(rb.UnknownOptionError, match="2, 3, 4, 5, 6, 7"):
        tables([number])


def test_every_published_cell_has_a_row() -> None:
    made = tables([2, 6], repetitions=1)
    few = Study("few", made.units, made.finish)
    first = [unit.function(*unit.arguments) for unit in few.units[-1:]]
    # One task-level configuration gives two methods at three levels.
    assert len(first[0]) == 6
    assert NUMBERS == (2, 3, 4, 5, 6, 7)


def test_published_cells_are_as_many_for_each_table() -> None:
    cells = simulation_cells()
    counts = [sum(cell["table"] == one for cell in cells) for one in NUMBERS]
    assert counts == [96] * 6
    assert all(0 <= number(cell, "published") <= 1 for cell in cells)


def test_differences_are_ours_less_published_and_summed_up() -> None:
    first, second = ({**cell, "value_sd": 0.0} for cell in simulation_cells()[:2])
    first["value"] = number(first, "published") + 0.01
    second["value"] = number(second, "published") - 0.03
    unknown = {**first, "sigma": 0.4}
    rows = beside_cells([first, second, unknown])
    assert [row["difference"] for row in rows] == [
        pytest.approx(0.01), pytest.approx(-0.03), None
    ]  # fmt: skip
    assert [row["source"] for row in rows] == [
        "arXiv:2606.08679, Table 2",
        "arXiv:2606.08679, Table 2",
        "published, but not in the package",
    ]
    words = agreement(rows)
    assert "2 of 3 cells" in words
    assert "mean -0.0100, rms 0.0224, largest 0.0300, within 0.02: 50 %" in words


def test_part_of_a_study_is_measured_beside_what_was_published(tmp_path: Path) -> None:
    said: list[str] = []
    study = tables([2, 6], part=Part((10,), (10,), (0.3,)), repetitions=3)
    names = [path.name for path in run(study, tmp_path, summarise=said.append)]
    assert names == ["table_2.csv", "table_6.csv", "published.csv", "equations_14_16.csv"]
    assert len(said[0].splitlines()) == 4
    assert "576 of the 1,344 published cells" in said[0]
    header, *lines = (tmp_path / "published.csv").read_text(encoding="utf-8").splitlines()
    assert "published,ours,difference" in header
    assert len(lines) == 16 + 24


def test_seen_tasks_and_all_models_at_once() -> None:
    plan = NewTaskPlan((20,), (0.05,), (0.3,), 5, 0)
    union, quantile = measure_new_tasks(Design(10, 10, 0.3), plan)
    # The union of confidence intervals contains a training task unless its own interval misses.
    assert number(union, "seen") >= number(union, "coverage")
    assert number(union, "seen") >= 0.99
    for row in (union, quantile):
        for kind in ("", "_seen"):
            each = number(row, "seen" if kind else "coverage")
            assert number(row, f"together{kind}") <= each
        assert 0 <= number(row, "all_reach") <= 1
    assert number(quantile, "together") < number(union, "together")


@pytest.mark.parametrize(
    ("part", "message"), [(Part(models=(7,)), "10, 30"), (Part(correlations=(0.5,)), "Table 2")]
)
def test_configurations_that_are_not_there(part: Part, message: str) -> None:
    with pytest.raises(rb.RankbarsError, match=message):
        tables([2], part=part)
