"""One table by the roles of its columns: which way it is read, and what it holds as rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rankbars.errors import DataError
from rankbars.stats.countscores import METRICS
from rankbars.tables.asides import has_counts
from rankbars.tables.cells import without_links
from rankbars.tables.columns import paste_metrics
from rankbars.tables.companions import errors_of, take_header_counts
from rankbars.tables.conditions import ChosenTable
from rankbars.tables.database import Engine
from rankbars.tables.layouts import find_layout
from rankbars.tables.likelyroles import with_outcome
from rankbars.tables.matrixcolumns import describes_rows, refuse_decorated
from rankbars.tables.measuredcolumns import take_measure
from rankbars.tables.parsedtables import FileNames, ParsedTable, TidyTable
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.statistics import take_statistics
from rankbars.tables.tableheads import Header
from rankbars.tables.tablerows import Table
from rankbars.tables.tidy import prepare_tidy
from rankbars.tables.traininglogs import refuse_log, refuse_training
from rankbars.tables.valuetables import ValueTable, hold_cells
from rankbars.tables.wide import prepare_wide

if TYPE_CHECKING:
    from rankbars.tables.decorated import SplitCells

__all__ = ["parse_table"]


def parse_table(
    table: Table, names: FileNames, options: ReadOptions, engine: Engine
) -> ParsedTable:
    """The table by the roles of its columns.

    Raises
    ------
    DataError
        If it cannot be understood; the message names the place and what to do.
    """
    return ParsedTable(_prepare(table, names, options, engine), names)


def _prepare(table: Table, names: FileNames, options: ReadOptions, engine: Engine) -> TidyTable:
    if not table.head(1):
        raise DataError(
            f"{table.source}: there is a header and no row below it. Expected one row per score."
        )
    table = _without_links(table, engine)
    if options.cells is not None and not _has_errors_beside(table):
        from rankbars.tables.decorated import split_cells

        return _prepare_split(split_cells(table, options.cells, engine), names, options)
    table = take_measure(table, options)
    header = Header.of(table)
    named = any(options.columns.values()) or options.metrics or options.layout is not None
    if not named and header.names_models:
        from rankbars.tables.intervalends import find_unnamed, split_sides

        if (sided := split_sides(table, engine)) is not None:
            return _prepare_split(
                sided[0], names, replace(options, columns={**options.columns, **sided[1]})
            )
        options = replace(options, columns={**find_unnamed(table), **options.columns})
        refuse_decorated(table)
    options = with_outcome(table, options)
    summed = None
    if has_counts(table.columns) or options.metric in METRICS:
        from rankbars.tables.confusioncounts import take_confusion

        summed = take_confusion(table, options, engine)
    summed = summed or take_statistics(table, options, engine)
    if summed is not None:
        # What was counted, or made of it, has the caller's role.
        given = {role: name for role, name in options.columns.items() if role not in summed.roles
                 or name in summed.table.columns}  # fmt: skip
        counted = options.metric in table.columns and options.metric not in summed.table.columns
        metric = None if counted else options.metric
        options = replace(options, columns={**summed.roles, **given}, metric=metric)
        tidy = prepare_tidy(summed.table, names, options)
        remark = summed.remark or "Rows hold statistics of models, not single scores."
        return tidy._replace(remarks=(*tidy.remarks, ("statistics", remark)))
    progress = header.progress
    if progress:
        refuse_log(table, options)
    layout = _layout(table, options)
    if progress and not any(options.columns.values()) and options.layout is None:
        refuse_training(table)
    if layout == "tidy":
        return prepare_tidy(table, names, options)
    table, remark = take_header_counts(table, options, engine)
    tidy = _prepare_matrix(table, layout, names, options)
    return tidy._replace(remarks=(*tidy.remarks, *[("cells", remark)] * bool(remark)))


def _has_errors_beside(table: Table) -> bool:
    """Whether errors stand in columns of their own, so that what cells mean is of other files."""
    header = Header.of(table)
    if not errors_of(table.columns) and not header.has("se"):
        return False
    from rankbars.tables.decorated import describe_decoration

    texts = [own for name, own in header.cells.items() if name not in header.numbers]
    return not any(describe_decoration(str(cell)) for own in texts for cell in own)


def _without_links(table: Table, engine: Engine) -> Table:
    """The table with names in place of links to pages, as boards on the web are saved.

    As it is where there are none, or two names would be one.
    """
    cells = Header.of(table).cells
    linked = {
        name for name, own in cells.items()
        if any(isinstance(cell, str) and without_links(cell) != cell for cell in own)
    }  # fmt: skip
    columns = {name: without_links(name) for name in table.columns}
    if not linked and [*columns.values()] == [*columns]:
        return table
    held = hold_cells(table, _MOST_LINKED + 1)
    if len(next(iter(held.values()))) > _MOST_LINKED or len({*columns.values()}) < len(columns):
        return table
    data: dict[str, Sequence[object]] = {}
    for name, own in held.items():
        plain = [without_links(cell) if isinstance(cell, str) else cell for cell in own]
        alike = name in linked and len({*map(str, plain)}) == len({*map(str, own)})
        data[columns[name]] = plain if alike else own
    if not isinstance(table, ChosenTable) or not table.fixed <= data.keys():
        return ValueTable.of(table, data, engine)
    # Conditions speak of names as boards show them.
    return ChosenTable(ValueTable.of(table, data, engine, anew=True), table.conditions)


_MOST_LINKED = 10_000


def _prepare_matrix(table: Table, layout: str, names: FileNames, options: ReadOptions) -> TidyTable:
    """A matrix; where nothing names its metric, the caller may."""
    found = prepare_wide(table, layout, names, options)
    if "metric" in found.roles or len(options.metrics) > 1:
        return found
    return found._replace(metric=options.metric or table.metric or found.metric)


def _prepare_split(split: SplitCells, names: FileNames, options: ReadOptions) -> TidyTable:
    """A table whose cells held values and their errors."""
    layout = _layout(split.values, options)
    if layout == "tidy":
        full = split.with_errors(list(split.errors))
        score = prepare_tidy(split.values, names, options).roles["score"]
        if score in split.errors:
            beside = {"se": f"{score}_se"} | ({"n": f"{score}_n"} if split.counts else {})
            options = replace(options, columns={**options.columns, **beside})
        found = prepare_tidy(full, names, options)
    else:
        numbers = Header.of(split.values).numbers
        with_errors = [
            name
            for name in split.values.columns
            if name in split.errors
            or (split.errors and name in numbers and not describes_rows(name))
        ]
        found = _prepare_matrix(split.with_errors(with_errors), layout, names, options)
    return found._replace(remarks=(*found.remarks, ("cells", split.remark)))


def _layout(table: Table, options: ReadOptions) -> str:
    named = dict(options.columns)
    parts = [name.strip() for name in (options.metric or "").split(",")]
    if len(parts) > 1 and set(parts) <= set(table.columns) - {options.metric}:
        raise DataError(
            f"{table.source}: --metric takes one name each time; {options.metric!r} are "
            f"{len(parts)} columns. {paste_metrics(parts)}"
        )
    if options.metric in table.columns and len(options.metrics) < 2:
        named.setdefault("score", str(options.metric))
    return find_layout(table, options.layout, named, rows=options.rows).name
