"""Scores from data frames of pandas, polars, pyarrow, duckdb and whatever else narwhals knows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankbars.data.scores import Scores
from rankbars.errors import DataError, RankbarsError
from rankbars.tables.assembly import scores_from_tables
from rankbars.tables.cells import CodedTexts
from rankbars.tables.columnlevels import FlatFrame, flatten_columns
from rankbars.tables.conditions import choose_rows
from rankbars.tables.database import Engine
from rankbars.tables.readoptions import options_of
from rankbars.tables.remarks import note_chosen_rows, note_lookalikes
from rankbars.tables.tidy import FileNames
from rankbars.tables.valuetables import Chunk, ValueTable
from rankbars.tables.votetables import holds_votes, scores_of_votes

__all__ = ["scores_from_frame", "table_from_frame"]

# Rows turned into Python values at once.
CHUNK_ROWS = 1 << 18

_LAYOUT = re.compile(r"--layout ([a-z]+(?:[-|][a-z]+)*)(?: --rows ([a-z]+))?")


def scores_from_frame(frame: Any, declared: Mapping[str, Any]) -> Scores:
    """Scores from a data frame, tidy, wide or of votes; see `Scores.from_frame`.

    Parameters
    ----------
    frame : data frame
        Of pandas, polars, pyarrow, duckdb, or another library that narwhals knows.
    declared : mapping from str to object
        What the caller declares, by the names of `Scores.from_frame`.

    Raises
    ------
    DataError
        If it is no data frame, or cannot be understood as results.
    """
    options = replace(options_of(declared), metrics=())
    try:
        with Engine() as engine:
            flat = _one_level(frame)
            whole = table_from_frame(flat.frame, engine)
            whole.metric = flat.metric
            table = choose_rows(whole, options.where)
            if holds_votes(table, options):
                scores = scores_of_votes(table, options, "votes")
            else:
                tables = [(table, FileNames(None, "all", "all"))]
                scores = scores_from_tables(tables, options, engine)
    except RankbarsError as error:
        # Who holds a frame types Python, not options of a command.
        error.args = (_LAYOUT.sub(_in_python, str(error)), *error.args[1:])
        raise
    scores = scores.with_notes(note_chosen_rows(options.where))
    return replace(note_lookalikes(scores), library=type(frame).__module__.partition(".")[0])


def _in_python(option: re.Match[str]) -> str:
    """An option of the command line as `Scores.from_frame` takes it."""
    names = " or ".join(map(repr, option[1].split("|")))
    rows = f", rows={option[2]!r}" if option[2] else ""
    return f"rb.Scores.from_frame(frame, layout={names}{rows})"


def table_from_frame(frame: Any, engine: Engine | None = None) -> ValueTable:
    """The frame as a table of values."""
    import narwhals as nw

    if type(frame).__module__.partition(".")[0] in ("duckdb", "_duckdb"):
        return _relation_table(frame, engine)
    try:
        wrapped = nw.from_native(_with_index(frame))
    except TypeError as error:
        raise DataError(
            "Expected a data frame of pandas, polars, pyarrow or duckdb; got "
            f"{type(frame).__name__}."
        ) from error
    except nw.exceptions.NarwhalsError as error:
        raise DataError(f"The data frame cannot be read: {error}") from error
    if isinstance(wrapped, nw.LazyFrame):
        wrapped = wrapped.collect()
    named = {str(name): name for name in wrapped.columns}
    columns = tuple(str(name) for name in wrapped.columns)

    def read_chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        for start in range(0, len(wrapped), CHUNK_ROWS):
            part = wrapped[start : start + CHUNK_ROWS]
            yield {name: _cells(part.get_column(named[name])) for name in wanted}

    return ValueTable("data frame", columns, read_chunks, 0, engine)


def _one_level(frame: Any) -> FlatFrame:
    """The frame with one level of columns, and the metric that another one named."""
    import narwhals as nw

    if nw.dependencies.is_pandas_dataframe(frame) and frame.columns.nlevels > 1:
        return flatten_columns(frame)
    return FlatFrame(frame, None)


def _with_index(frame: Any) -> Any:
    """The frame with its row index as columns, where the index holds names."""
    import narwhals as nw

    if not nw.dependencies.is_pandas_dataframe(frame):
        return frame
    if any(name is not None for name in frame.index.names):
        return frame.reset_index()
    if frame.index.dtype.kind in "iu":
        return frame
    return frame.rename_axis("row names").reset_index()


def _cells(series: Any) -> Any:
    """Cells of a narwhals series: numbers as an array, texts coded, others as Python values."""
    texts = _coded(series)
    if texts is not None:
        return texts
    gaps = series.is_null().any()
    if not gaps and (series.dtype.is_numeric() or str(series.dtype) == "Boolean"):
        cells = series.to_numpy()
        if cells.dtype.kind in "biuf":
            return cells
    cells = series.to_list()
    if not gaps:
        return cells
    empty = series.is_null().to_list()
    return [None if gone else cell for cell, gone in zip(cells, empty, strict=True)]


def _coded(series: Any) -> CodedTexts | None:
    """Cells of text, each text once; None where they are none, or Arrow does not take them."""
    import narwhals as nw

    arrow = nw.dependencies.get_pyarrow()
    if arrow is None or series.dtype != nw.String:
        return None
    try:
        cells = arrow.chunked_array([series.to_arrow()]).combine_chunks().dictionary_encode()
    except (ValueError, TypeError, NotImplementedError):  # such as halves of a character
        return None
    codes = cells.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return CodedTexts(cells.dictionary.to_pylist(), codes)


def _relation_table(relation: Any, engine: Engine | None) -> ValueTable:
    columns = tuple(relation.columns)

    def read_chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in wanted)
        arrays = relation.project(quoted).fetchnumpy()
        yield {name: _plain(arrays[name]) for name in wanted}

    return ValueTable("duckdb relation", columns, read_chunks, 0, engine)


def _plain(cells: Any) -> Any:
    """A NumPy array of numbers as it is; anything else, and gaps, as Python values."""
    if isinstance(cells, np.ma.MaskedArray) or cells.dtype.kind not in "biuf":
        return cells.tolist()
    return cells
