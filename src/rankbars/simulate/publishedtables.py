"""Tables 2 to 7 of the published simulation study: what they print, and how ours compare.

The printed cells at hand are 576 of 1344, 96 of each table: Tables 2 to 5 with 10 models, and
Tables 6 and 7 at the level 0.05.

Readings of what the text leaves open, each found by comparison with the printed numbers:
sigma is a standard deviation; ties are the closest neighbours; rows scatter independently between
models at the leaderboard level, and with the correlation of the true scores (0.1 outside blocks)
at the task level; a printed "± SD" is the spread over configurations.
Source: Neuhof and Benjamini 2026 (arXiv:2606.08679), Appendix E.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from importlib import resources
from itertools import product
from statistics import fmean, stdev
from typing import NamedTuple

from rankbars.errors import OptionError, UnknownOptionError
from rankbars.simulate.levels import NewTaskPlan, ThisTaskPlan, measure_new_tasks, measure_this_task
from rankbars.simulate.populations import Design
from rankbars.simulate.study import (
    Cell,
    Row,
    Study,
    Table,
    Unit,
    by_part,
    check_repetitions,
    flatten,
    number,
    numbers,
)

__all__ = [
    "EVERYTHING",
    "NUMBERS",
    "Part",
    "agreement",
    "beside_cells",
    "designs_of",
    "simulation_cells",
    "tables",
]

_KEYS = ("table", "n_models", "n_tasks", "n_base", "sigma", "alpha_name", "alpha", "quantity")
"""What identifies a cell."""
CLOSE = 0.02
NOT_AT_HAND = "published, but not in the package"
AT_HAND = (
    "The package has 576 of the 1,344 published cells, 96 of each table: Tables 2 to 5 with 10 "
    "models, Tables 6 and 7 at alpha_t = 0.05."
)


NUMBERS = (2, 3, 4, 5, 6, 7)
"""Tables of the published study."""

MODELS = (10, 30)
ROWS = (10, 200)
SIGMAS = (0.3, 0.7, 1.2)
TIES = (0.1, 0.5, 0.8)
BLOCKS = tuple(product((0.2, 0.5, 0.8), (2, 3, 5)))
TASKS = (20, 60)
LEVELS = (0.02, 0.05, 0.1)  # of task intervals
RATES = (0.3, 0.5)  # of the merge

_NO_BLOCKS = ((0.0, 1),)
_NO_TIES = (0.0,)
_LEADERBOARD = {
    2: (_NO_BLOCKS, _NO_TIES),
    3: (_NO_BLOCKS, TIES),
    4: (BLOCKS, _NO_TIES),
    5: (BLOCKS, TIES),
}
_TASK = {6: (_NO_BLOCKS, _NO_TIES + TIES), 7: (BLOCKS, _NO_TIES + TIES)}

_EQUATIONS = (
    "coverage", "all_reach", "together", "seen", "all_reach_seen", "together_seen",
)  # fmt: skip
_PRINTED = {"union": "union", "quantile": "order_statistic"}

Quantities = Callable[[Row], Iterator[tuple[str, float]]]


class Part(NamedTuple):
    """The configurations that are done; where nothing is named, all.

    Attributes
    ----------
    models, rows : tuple of int
        Numbers of models (10, 30) and of rows per task (10, 200).
    sigmas, correlations : tuple of float
        Standard deviations (0.3, 0.7, 1.2) and correlations in blocks (0, 0.2, 0.5, 0.8).
    """

    models: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()
    sigmas: tuple[float, ...] = ()
    correlations: tuple[float, ...] = ()

    def checked(self) -> Part:
        """Itself, if the study has all that it names.

        Raises
        ------
        UnknownOptionError
            If not.
        """
        correlations = sorted({0.0, *(rho for rho, _ in BLOCKS)})
        for field, known in zip(self._fields, (MODELS, ROWS, SIGMAS, correlations), strict=True):
            for one in getattr(self, field):
                if one not in known:
                    raise UnknownOptionError.among(field, one, [f"{value:g}" for value in known])
        return self

    def has(self, design: Design) -> bool:
        """Whether a configuration is done."""
        values = (design.n_models, design.n_rows, design.sigma, design.rho)
        return all(
            not wanted or value in wanted for wanted, value in zip(self, values, strict=True)
        )


EVERYTHING = Part()


def tables(
    numbers: Collection[int] = NUMBERS,
    *,
    part: Part = EVERYTHING,
    repetitions: int = 100,
    seed: int = 0,
) -> Study:
    """Tables 2 to 7 of Neuhof and Benjamini (2026), recomputed.

    Parameters
    ----------
    numbers : collection of int
        Which tables.
    part : Part
        Which configurations. A table then shows the means over those only.
    repetitions : int
        Repetitions per configuration.
    seed : int
        Start of the random streams. True scores do not depend on it: they are those of the
        published study.

    Returns
    -------
    Study
        Makes ``table_2`` to ``table_7``, one row per published cell: the mean over the
        configurations behind it and their standard deviation. Widths are shares of the field,
        coverages are those of true rank sets. ``published`` has all of them with the published
        value and the difference; ``equations_14_16`` (with Tables 2 to 5) has coverage on the
        training tasks and of all models at once, as in `levels.measure_new_tasks`.

    Raises
    ------
    UnknownOptionError
        If a number is not 2 to 7, or the study lacks what `part` names.
    OptionError
        If `repetitions` is below 1, or no configuration is left.

    Examples
    --------
    >>> study = tables([2], repetitions=10)
    >>> len(study.units)
    12
    """
    wanted = sorted(set(numbers))
    for one in wanted:
        if one not in NUMBERS:
            raise UnknownOptionError.among("table", one, [str(known) for known in NUMBERS])
    check_repetitions(repetitions)
    part.checked()
    parts = {one: _units(one, part, repetitions, seed) for one in wanted}
    for one, units in parts.items():
        if not units:
            raise OptionError(
                f"Table {one} has none of these configurations: tables 2, 3 and 6 have correlation "
                "0, the others 0.2, 0.5 and 0.8."
            )

    def finish(results: Sequence[Table]) -> dict[str, Table]:
        made: dict[str, Table] = {}
        equations: Table = []
        for one, rows in by_part(results, parts).items():
            made[f"table_{one}"] = _assemble(one, rows)
            if one in _LEADERBOARD:
                equations.extend(_assemble(one, rows, _equation_quantities))
        made["published"] = beside_cells(flatten(list(made.values())))
        if equations:
            made["equations_14_16"] = equations
        return made

    everything = tuple(unit for units in parts.values() for unit in units)
    return Study("tables", everything, finish, summary=_summary)


def _summary(made: Mapping[str, Table]) -> str:
    return agreement(made["published"])


def designs_of(table: int) -> Iterator[Design]:
    """Configurations behind a table.

    Examples
    --------
    >>> sum(1 for _ in designs_of(5))
    324
    """
    blocks, ties = (_LEADERBOARD | _TASK)[table]
    for n_models, n_rows, sigma, (rho, block), share in product(MODELS, ROWS, SIGMAS, blocks, ties):
        yield Design(n_models, n_rows, sigma, rho, block, share)


def _units(table: int, part: Part, repetitions: int, seed: int) -> list[Unit]:
    designs = filter(part.has, designs_of(table))
    if table in _LEADERBOARD:
        plan = NewTaskPlan(TASKS, LEVELS, RATES, repetitions, seed)
        return [Unit(measure_new_tasks, (design, plan)) for design in designs]
    task_plan = ThisTaskPlan(LEVELS, repetitions, seed)
    return [Unit(measure_this_task, (design, task_plan)) for design in designs]


def _assemble(table: int, rows: Iterable[Row], quantities: Quantities | None = None) -> Table:
    """Cells from the rows of all configurations; those published if no others are named."""
    leaderboard = table in _LEADERBOARD
    cells: dict[tuple[Cell, ...], list[float]] = {}
    if quantities is None:
        quantities = _leaderboard_quantities if leaderboard else _task_quantities
    for row in rows:
        n_tasks = row["n_tasks"] if leaderboard else None
        alpha = row["rate"] if leaderboard else row["level"]
        for quantity, value in quantities(row):
            key = (row["n_models"], n_tasks, row["n_rows"], row["sigma"], alpha, quantity)
            cells.setdefault(key, []).append(value)
    return [
        {
            "table": table,
            "n_models": n_models,
            "n_tasks": n_tasks,
            "n_base": n_base,
            "sigma": sigma,
            "alpha_name": "alpha_ldb" if leaderboard else "alpha_tsk",
            "alpha": alpha,
            "quantity": quantity,
            "value": fmean(values),
            "value_sd": stdev(values) if len(values) > 1 else 0.0,
        }
        for (n_models, n_tasks, n_base, sigma, alpha, quantity), values in cells.items()
    ]


def _leaderboard_quantities(row: Row) -> Iterator[tuple[str, float]]:
    merge = _PRINTED[str(row["merge"])]
    yield f"pi_width_{merge}", number(row, "width")
    yield f"pi_coverage_{merge}", number(row, "coverage")


def _equation_quantities(row: Row) -> Iterator[tuple[str, float]]:
    for name in _EQUATIONS:
        yield f"{name}_{_PRINTED[str(row['merge'])]}", number(row, name)


def _task_quantities(row: Row) -> Iterator[tuple[str, float]]:
    ties = "ties" if row["ties"] else "no_ties"
    yield f"{ties}_ci_width_{row['method']}", number(row, "width")
    yield f"{ties}_ci_coverage_{row['method']}", number(row, "coverage")


def simulation_cells() -> Table:
    """Published cells of Tables 2 to 7: the mean over configurations and its "± SD".

    Examples
    --------
    >>> cells = simulation_cells()
    >>> len(cells), cells[0]["quantity"], cells[0]["published"]
    (576, 'pi_width_union', 0.72)
    """
    file = resources.files("rankbars.simulate").joinpath("simulation_published.csv")
    return [
        {
            "table": int(line["table"]),
            "n_models": int(line["n_models"]),
            "n_tasks": int(line["n_tasks"]) if line["n_tasks"] else None,
            "n_base": int(line["n_base"]),
            "sigma": float(line["sigma"]),
            "alpha_name": line["alpha_name"],
            "alpha": float(line["alpha"]),
            "quantity": line["quantity"],
            "published": float(line["published"]),
            "published_sd": float(line["published_sd"]),
        }
        for line in csv.DictReader(file.read_text("utf-8").splitlines())
    ]


def beside_cells(ours: Iterable[Row]) -> Table:
    """Our cells with the published ones beside them; empty where none was transcribed.

    Parameters
    ----------
    ours : iterable of dict
        Cells with `_KEYS`, ``value`` and ``value_sd``.

    Returns
    -------
    list of dict
        One row per cell: ``published``, ``ours`` and ``difference`` (ours less published), and
        where the published one stands, or that it is not at hand.

    Examples
    --------
    >>> cell = {**simulation_cells()[0], "value": 0.715, "value_sd": 0.03}
    >>> round(beside_cells([cell])[0]["difference"], 3)
    -0.005
    """
    known = {_key(cell): cell for cell in simulation_cells()}
    table: Table = []
    for row in ours:
        cell = known.get(_key(row))
        value = number(row, "value")
        table.append(
            {
                **{key: row[key] for key in _KEYS},
                "published": cell["published"] if cell else None,
                "ours": value,
                "difference": value - number(cell, "published") if cell else None,
                "published_sd": cell["published_sd"] if cell else None,
                "ours_sd": row["value_sd"],
                "source": f"arXiv:2606.08679, Table {row['table']}" if cell else NOT_AT_HAND,
            }
        )
    return table


def _key(row: Row) -> tuple[Cell, ...]:
    return tuple(row[key] for key in _KEYS)


def agreement(cells: Table) -> str:
    """How close ours are to the published cells, table by table, as lines of text.

    Parameters
    ----------
    cells : list of dict
        From `beside_cells`.

    Examples
    --------
    >>> cell = {**simulation_cells()[0], "value": 0.715, "value_sd": 0.03}
    >>> print(agreement(beside_cells([cell])).partition(";")[0])
    Ours less published:
      Table 2: 1 of 1 cells have a published number
    """
    lines = ["Ours less published:"]
    for one in sorted({int(number(row, "table")) for row in cells}):
        own = [row for row in cells if row["table"] == one]
        found = numbers([row for row in own if row["difference"] is not None], "difference")
        line = f"  Table {one}: {len(found)} of {len(own)} cells have a published number"
        if found:
            rms = math.sqrt(fmean(value * value for value in found))
            close = fmean(abs(value) <= CLOSE for value in found)
            line += (
                f"; mean {fmean(found):+.4f}, rms {rms:.4f}, largest {max(map(abs, found)):.4f}, "
                f"within {CLOSE}: {close:.0%}".replace("%", " %")
            )
        lines.append(line)
    return "\n".join([*lines, AT_HAND])
