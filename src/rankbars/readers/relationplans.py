"""How the columns of a scanned file are coded: what the engine is asked for, and for what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankbars.readers.enginecolumns import (
    LabelColumn,
    convert_text,
    is_text,
    label_column,
    number_column,
    number_text_column,
    take_survey,
    text_column,
)
from rankbars.tables.coding import NumberColumn
from rankbars.tables.database import Scan

__all__ = ["Plan", "plan_text", "plan_typed"]


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """How the columns of a file are coded.

    Parameters
    ----------
    rows : int
        Number of rows.
    labels : mapping from str to LabelColumn
        Columns of names by role.
    numbers : mapping from str to str
        Expressions for columns of numbers by role.
    converted : mapping from str to array of float
        Columns of numbers that are there already.
    seen : mapping from str to NumberColumn
        What columns of numbers hold.
    """

    rows: int
    labels: Mapping[str, LabelColumn]
    numbers: Mapping[str, str]
    converted: Mapping[str, NDArray[np.float64]]
    seen: Mapping[str, NumberColumn]

    def names(self, role: str) -> tuple[str, ...]:
        """Names of a role; none if no column plays it."""
        return self.labels[role].names if role in self.labels else ()

    def finds(self, role: str) -> bool:
        """Whether the engine finds the rows with a name by itself."""
        return role in self.labels and self.labels[role].filled and self.labels[role].as_is

    @property
    def filled(self) -> frozenset[str]:
        """Label roles without an empty cell."""
        return frozenset(role for role, column in self.labels.items() if column.filled)

    @property
    def expressions(self) -> dict[str, str]:
        """What to select, by role."""
        return {role: column.expression for role, column in self.labels.items()} | {**self.numbers}


def plan_typed(scan: Scan, labels: Mapping[str, str], numbers: Mapping[str, str]) -> Plan:
    """Plan for a file whose columns have types."""
    rows = int(scan.values("count(*)")[0])
    coded = {role: label_column(scan, role, name) for role, name in labels.items()}
    expressions: dict[str, str] = {}
    converted: dict[str, NDArray[np.float64]] = {}
    seen: dict[str, NumberColumn] = {}
    for role, name in numbers.items():
        if is_text(scan.column(name)[1]):
            converted[role], seen[role] = convert_text(scan, name, rows)
        else:
            expressions[role], seen[role] = number_column(scan, role, name)
    return Plan(rows, coded, expressions, converted, seen)


def plan_text(scan: Scan, labels: Mapping[str, str], numbers: Mapping[str, str]) -> Plan:
    """Plan for a file that holds text only and is slow to scan."""
    survey = take_survey(scan, set(labels.values()), set(numbers.values()))
    columns = {role: number_text_column(scan, name, survey) for role, name in numbers.items()}
    return Plan(
        survey.rows,
        {role: text_column(scan, role, name, survey) for role, name in labels.items()},
        {role: expression for role, (expression, _) in columns.items()},
        {},
        {role: seen for role, (_, seen) in columns.items()},
    )
