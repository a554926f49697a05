"""What Tables 2 to 7 of the published study print, and how ours compare.

The cells at hand are 576 of 1344, 96 of each table: Tables 2 to 5 with 10 models, and Tables 6
and 7 at the level 0.05.
Source: Neuhof and Benjamini 2026 (arXiv:2606.08679), Appendix E.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from importlib import resources
from statistics import fmean

from rankbars.simulate.study import Cell, Row, Table, number, numbers

__all__ = ["KEYS", "agreement", "beside_cells", "simulation_cells"]

KEYS = ("table", "n_models", "n_tasks", "n_base", "sigma", "alpha_name", "alpha", "quantity")
"""What identifies a cell."""
CLOSE = 0.02
NOT_AT_HAND = "published, but not in the package"
AT_HAND = (
    "The package has 576 of the 1,344 published cells, 96 of each table: Tables 2 to 5 with 10 "
    "models, Tables 6 and 7 at alpha_t = 0.05."
)


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
        Cells with `KEYS`, ``value`` and ``value_sd``.

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
                **{key: row[key] for key in KEYS},
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
    return tuple(row[key] for key in KEYS)


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
