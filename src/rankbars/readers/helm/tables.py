"""Tables of a HELM release: what its board shows, one value per model and group of runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rankbars.errors import DataError, ReadError
from rankbars.readers.files import InputFile, open_text
from rankbars.readers.helm.schema import Schema
from rankbars.readers.logs.jsonstream import JsonStream
from rankbars.readers.logs.jsontext import as_mapping, as_text
from rankbars.readers.logs.records import Direction, Measure, Run
from rankbars.readers.logs.values import as_finite

__all__ = ["read_group_tables"]


class _Column(NamedTuple):
    """One column of values."""

    group: str
    metric: str
    direction: Direction | None


class _Cell(NamedTuple):
    """A value and the table it stands in."""

    value: float
    direction: Direction | None
    source: str


def read_group_tables(files: Sequence[InputFile], schemas: Sequence[Schema]) -> list[Run]:
    """Runs of the models of release tables; columns without a group of runs are left out.

    "Mean win rate" is such a column: it depends on which models stand in the table.

    Raises
    ------
    ReadError
        If a file is damaged.
    DataError
        If two tables disagree about a value.
    """
    found: dict[tuple[str, str], dict[str, _Cell]] = {}
    names = {shown: name for schema in reversed(schemas) for shown, name in schema.names.items()}
    for file in files:
        for model, column, value in _read_table(file, names):
            cells = found.setdefault((model, column.group), {})
            cell = _Cell(value, column.direction, file.label)
            known = cells.setdefault(column.metric, cell)
            if known.value != value:
                raise DataError(
                    f"{file.label}: {column.metric!r} of model {model!r} on {column.group!r} is "
                    f"{value:g} here and {known.value:g} in {known.source}. Read one of them."
                )
    return [
        Run(
            next(iter(cells.values())).source,
            model,
            group,
            {
                metric: Measure(metric, value=cell.value, direction=cell.direction)
                for metric, cell in cells.items()
            },
        )
        for (model, group), cells in found.items()
    ]


def _read_table(file: InputFile, names: Mapping[str, str]) -> list[tuple[str, _Column, float]]:
    found = []
    for content in _tables(file):
        found += _read_cells(file, content, names)
    return found


def _tables(file: InputFile) -> Iterator[Mapping[str, Any]]:
    """The table of a file, or the tables that it lists."""
    with open_text(file) as text:
        stream = JsonStream(text, file.label)
        if stream.starts_with("["):
            for _ in stream.elements():
                yield as_mapping(stream.value())
        else:
            yield as_mapping(stream.value())
        stream.end()


def _read_cells(
    file: InputFile, content: Mapping[str, Any], names: Mapping[str, str]
) -> list[tuple[str, _Column, float]]:
    header, rows = content.get("header"), content.get("rows")
    if not isinstance(header, list) or not isinstance(rows, list):
        raise ReadError.at(file.label, "the table has no header and rows.")
    columns = [_column(as_mapping(cell), names) for cell in header]
    found = []
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, list) or len(row) != len(header):
            raise ReadError.at(file.label, f"row {number} of the table is not as long as its "
                               "header.")  # fmt: skip
        cells = [as_mapping(cell).get("value") for cell in row]
        model = as_text(cells[0]) if cells else None
        if model is None:
            raise ReadError.at(file.label, f"row {number} of the table names no model.")
        for column, value in zip(columns, cells, strict=True):
            number_ = as_finite(value)
            if column is not None and number_ is not None:
                found.append((model, column, number_))
    return found


def _column(cell: Mapping[str, Any], names: Mapping[str, str]) -> _Column | None:
    about = as_mapping(cell.get("metadata"))
    group, metric = as_text(about.get("run_group")), as_text(about.get("metric"))
    shown = as_text(cell.get("value")) or ""
    if not about and " - " in shown:  # older releases say it in the title only
        group, _, metric = shown.rpartition(" - ")
    if group is None or metric is None:
        return None
    side = cell.get("lower_is_better")
    direction: Direction | None = None
    if isinstance(side, bool):
        direction = "lower" if side else "higher"
    return _Column(group, names.get(metric, metric), direction)
