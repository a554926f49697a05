"""Tables 2 to 7: the published cells, recomputed."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

import rankbars as rb
from rankbars.simulate import Study, measure
from rankbars.simulate.publishedtables import NUMBERS, designs_of, tables
from rankbars.simulate.study import Row

CELLS = Path(__file__).parent.parent / "data" / "simulation_cells.csv"
KEYS = ("n_models", "n_tasks", "n_base", "sigma", "alpha", "quantity")


def published(table: int, sigma: float | None = None) -> dict[tuple[str, ...], tuple[float, float]]:
    """Mean and "± SD" of published cells, by what identifies a cell."""
    with CELLS.open(encoding="utf-8", newline="") as stream:
        return {
            tuple(row[key] for key in KEYS): (float(row["published"]), float(row["published_sd"]))
            for row in csv.DictReader(stream)
            if int(row["table"]) == table and sigma in (None, float(row["sigma"]))
        }


def part(study: Study, sigmas: tuple[float, ...]) -> Study:
    """The configurations with 10 models and 10 rows."""
    units = tuple(
        unit
        for unit in study.units
        if unit.arguments[0][:2] == (10, 10) and unit.arguments[0].sigma in sigmas
    )
    # `finish` cuts the results by the number of units of each table; here there is one table.
    return Study(study.name, units, study.finish)


def measured(table: int, sigmas: tuple[float, ...], repetitions: int) -> dict[tuple[str, ...], Row]:
    rows = measure(part(tables([table], repetitions=repetitions), sigmas))[f"table_{table}"]
    return {tuple("" if row[key] is None else str(row[key]) for key in KEYS): row for row in rows}


def differences(
    table: int, sigmas: tuple[float, ...] = (0.3, 0.7, 1.2), repetitions: int = 100
) -> Iterator[tuple[str, float, float]]:
    """Quantity, difference of the mean, difference of the SD, for every published cell."""
    ours = measured(table, sigmas, repetitions)
    for sigma in sigmas:
        for key, (mean, sd) in published(table, sigma).items():
            row = ours[key]
            yield key[-1], float(row["value"]) - mean, float(row["value_sd"]) - sd


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
