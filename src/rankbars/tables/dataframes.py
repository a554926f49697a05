"""Scores from data frames of pandas, polars, pyarrow, duckdb and whatever else narwhals knows.

Of columns of several levels, as pivoted and aggregated frames of pandas have them, what a level
says is told by its name or by what is in it. Levels of models, tasks and rows become columns, with
one row per score; a level that says the same everywhere names the metric.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rankbars.data.scores import Scores
from rankbars.data.storedtasks import has_uneven_trials
from rankbars.errors import DataError, RankbarsError
from rankbars.tables.assembly import scores_from_parsed
from rankbars.tables.chosenmodels import choose_models
from rankbars.tables.columns import fold_name, role_names
from rankbars.tables.companions import kind_of_statistic
from rankbars.tables.conditions import choose_rows
from rankbars.tables.database import Engine
from rankbars.tables.givenoptions import options_of
from rankbars.tables.headers import find_metric, join_levels, names_metric
from rankbars.tables.metrics import is_trial_metric
from rankbars.tables.parsedtables import FileNames
from rankbars.tables.parsing import parse_table
from rankbars.tables.readoptions import SHARED_TASK, ReadOptions
from rankbars.tables.remarks import note_chosen_rows
from rankbars.tables.strays import note_lookalikes
from rankbars.tables.tableheads import corner_names
from rankbars.tables.tablerows import Table
from rankbars.tables.valuetables import Chunk, CodedTexts, ValueTable
from rankbars.tables.votes.votecopies import refuse_copies
from rankbars.tables.votes.votetables import find_vote_layout, scores_of_votes, wants_votes
from rankbars.tables.words import WordsView

__all__ = ["scores_from_frame", "table_from_frame"]

# Rows turned into Python values at once; the first are few, as many a look is at those alone.
CHUNK_ROWS = 1 << 18
_FIRST_ROWS = 1 << 8

# An option of the command line with its value; several of them, and what they are in Python.
_OPTION = (
    r"--(?:column|metric|layout|rows|direction|folds|score-min|score-max|cells|where|word|reruns|"
    r"models|within|over-time|self-votes|test-share|trials|failed) "
    r"""(?:'[^']*'(?:"'"'[^']*')*|"[^"]*"|[^\s;,:()'"]+)"""
)
_DECIMAL = "If the comma is the decimal mark: --decimal , (in Python: decimal=',')."
_IN_PYTHON = re.compile(r" \(In Python: [^()]*\)")
_LINE = re.compile(rf"({_OPTION}(?: {_OPTION})*)(?: \(in Python: .+?\)(?=[.;,: ]))?")


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
            table = WordsView(table, options.words) if options.words else table
            if _holds_votes(table, options):
                scores = scores_of_votes(table, options, "votes")
                refuse_copies([table], options.columns)
            else:
                names = FileNames(None, SHARED_TASK, SHARED_TASK)
                scores = _of_trials(
                    lambda given: scores_from_parsed(
                        [parse_table(table, names, given, engine)], given
                    ),
                    options,
                )
    except RankbarsError as error:
        # Who holds a frame types Python, not options of a command.
        text = str(error).replace(_DECIMAL, "If the comma is the decimal mark, put points there.")
        told = _IN_PYTHON.sub("", _LINE.sub(_in_python, text))
        error.args = (told, *error.args[1:])
        raise
    scores = replace(
        scores,
        notes=tuple(replace(note, message=_LINE.sub(_told, note.message)) for note in scores.notes),
    )
    scores = choose_models(scores.with_notes(note_chosen_rows(options.where)), options.models)
    return replace(note_lookalikes(scores), library=type(frame).__module__.partition(".")[0])


def _of_trials(read: Callable[[ReadOptions], Scores], options: ReadOptions) -> Scores:
    """What is read, with a metric of several answers where that is asked for."""
    fixed = options.trials == "fixed"
    try:
        scores = read(options)
    except RankbarsError as error:
        lacks = error.lacking is not None and error.lacking.option == "metric"
        if options.metric is None or not is_trial_metric(options.metric) or not lacks:
            raise
        from rankbars.tables.trialmetrics import take_trial_metrics

        scores = read(replace(options, metric=None))
        return take_trial_metrics(scores, (options.metric,), fixed=fixed)
    if fixed or not has_uneven_trials(scores.tasks):
        return scores
    from rankbars.tables.trialmetrics import note_stopped

    return note_stopped(scores)


def _in_python(line: re.Match[str]) -> str:
    """Options of the command line as a call of `Scores.from_frame` with them."""
    return f"rb.Scores.from_frame(frame, {_arguments(line)})" + "." * line[1].endswith(".")


def _arguments(line: re.Match[str]) -> str:
    """Options of the command line as `Scores.from_frame` takes them."""
    given: dict[str, list[str]] = {}
    words = shlex.split(line[1].rstrip("."))
    for option, value in zip(words[::2], words[1::2], strict=True):
        name = _NAMES.get(option[2:], option[2:].replace("-", "_"))
        given.setdefault(name, []).append(value)
    return ", ".join(f"{name}={_value(name, values)}" for name, values in given.items())


def _told(line: re.Match[str]) -> str:
    return _arguments(line) + "." * line[1].endswith(".")


_NAMES = {
    "column": "columns", "word": "words", "score-min": "minimum", "score-max": "maximum",
}  # fmt: skip


def _value(name: str, values: Sequence[str]) -> str:
    """Values of one option as they are written in Python."""
    if all("=" in value for value in values) and name in ("columns", "direction", "words"):
        return repr(dict(value.split("=", 1) for value in values))
    if name in ("folds", "minimum", "maximum", "test_share"):
        return values[-1]
    if len(values) > 1:
        return repr(list(values))
    return " or ".join(map(repr, values[0].split("|")))


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
            + (" Of a Series: series.reset_index()." if hasattr(frame, "reset_index") else "")
        ) from error
    except nw.exceptions.NarwhalsError as error:
        raise DataError(f"The data frame cannot be read: {error}") from error
    if isinstance(wrapped, nw.LazyFrame):
        wrapped = wrapped.collect()
    named = {str(name): name for name in wrapped.columns}
    columns = tuple(str(name) for name in wrapped.columns)

    def read_chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        rows = len(wrapped)
        for start in (0, *range(_FIRST_ROWS, rows, CHUNK_ROWS)) if rows else ():
            part = wrapped[start : start + (CHUNK_ROWS if start else _FIRST_ROWS)]
            yield {name: _cells(part.get_column(named[name])) for name in wanted}

    table = ValueTable("data frame", columns, read_chunks, 0, engine)
    table.durations = frozenset(
        name for name in columns if isinstance(wrapped.schema[named[name]], nw.Duration)
    )
    return table


def _one_level(frame: Any) -> _FlatFrame:
    """The frame with one level of columns, and the metric that another one named."""
    import narwhals as nw

    if nw.dependencies.is_pandas_dataframe(frame) and frame.columns.nlevels > 1:
        return _flatten_columns(frame)
    return _FlatFrame(frame, None)


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
    """Cells of a narwhals series: numbers as an array, texts coded, others as Python values.

    Durations are seconds.
    """
    import narwhals as nw

    texts = _coded(series)
    if texts is not None:
        return texts
    if isinstance(series.dtype, nw.Duration):
        fine = series.dtype.time_unit == "ns"
        parts = series.dt.total_nanoseconds() if fine else series.dt.total_microseconds()
        series = parts / (1e9 if fine else 1e6)
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

    table = ValueTable("duckdb relation", columns, read_chunks, 0, engine)
    kinds = zip(columns, relation.types, strict=True)
    table.durations = frozenset(name for name, kind in kinds if str(kind) == "INTERVAL")
    return table


def _plain(cells: Any) -> Any:
    """A NumPy array of numbers as it is, durations in seconds; else, and gaps, Python values."""
    if cells.dtype.kind == "m":
        cells = cells / np.timedelta64(1, "s")
    if cells.dtype.kind == "M":  # nanoseconds would become whole numbers
        cells = cells.astype("M8[us]")
    if isinstance(cells, np.ma.MaskedArray) or cells.dtype.kind not in "biuf":
        return cells.tolist()
    return cells


_ROW_ROLES = ("item", "fold", "repeat", "run", "epoch", "variant")


_NO_NAME = re.compile(r"(Unnamed: \d+.*)?")


class _FlatFrame(NamedTuple):
    """A frame whose columns have one level, and the metric of its cells that another one named."""

    frame: Any
    metric: str | None


def _flatten_columns(frame: Any) -> _FlatFrame:
    """The frame of pandas with one level of columns.

    Raises
    ------
    DataError
        If levels are models and tasks and it is not certain what the others are.
    """
    frame = _index_again(frame)
    names = [level if level is None else str(level) for level in frame.columns.names]
    cells = [[str(cell) for cell in level] for level in zip(*frame.columns, strict=True)]
    if any(_NO_NAME.fullmatch(cell) for level in cells for cell in level):
        return _FlatFrame(_joined(frame, cells), None)
    telling = [place for place, level in enumerate(cells) if len(set(level)) > 1]
    metric = find_metric(cells)
    if len(telling) < 2:
        return _FlatFrame(_joined(frame, cells), metric)
    frame = frame.droplevel([n for n in range(len(cells)) if n not in telling], axis="columns")
    levels = {place: _Level(names[old], tuple(cells[old])) for place, old in enumerate(telling)}
    rows = [None if name is None else str(name) for name in frame.index.names]
    roles = _roles(levels, rows)
    if roles is None:
        return _FlatFrame(_joined(frame, [cells[old] for old in telling]), metric)
    return _FlatFrame(_stacked(frame, roles, metric or "score"), None)


class _Level(NamedTuple):
    name: str | None
    cells: tuple[str, ...]

    @property
    def role(self) -> str | None:
        """What the level is by its name, or by what is in it."""
        if {"mean"} <= set(self.cells) and all(map(kind_of_statistic, self.cells)):
            return "statistic"
        return None if self.name is None else _role_of(self.name)


def _role_of(name: str) -> str | None:
    folded = fold_name(name)
    for role in ("model", "task", "item"):
        if folded in corner_names(role):
            return role
    others = (*_ROW_ROLES, "metric")
    return next((role for role in others if folded in role_names(role)), None)


def _roles(levels: Mapping[int, _Level], rows: Sequence[str | None]) -> dict[int, str] | None:
    """What each level is, by place; None where they are told as one name.

    Raises
    ------
    DataError
        If one is a model or a task by its name, and another cannot be told.
    """
    roles = {place: level.role for place, level in levels.items()}
    known = {role for role in roles.values() if role} | {_role_of(name) for name in rows if name}
    unknown = [place for place, role in roles.items() if role is None]
    metrics = [
        place for place in unknown
        if all(map(names_metric, levels[place].cells)) and "metric" not in known
    ]  # fmt: skip
    model_in_rows = "model" in {_role_of(name) for name in rows if name}
    if len(metrics) == 1 and len(unknown) < 3 and not model_in_rows:
        roles[metrics[0]] = "metric"
        unknown.remove(metrics[0])
    unnamed_rows = "model" not in known and list(rows) == [None] and "statistic" in known
    lacking = [
        role for role in ("model", "task")
        if role not in known and not (role == "model" and unnamed_rows)
    ]  # fmt: skip
    if len(unknown) == 1 and lacking:
        roles[unknown.pop()] = lacking[0]
    found = [role for role in roles.values() if role]
    if not unknown and len(set(found)) == len(found):
        return {place: role for place, role in roles.items() if role}
    if not set(found) - {"metric"} and (model_in_rows or not known - {"metric"}):
        return None
    shown = ", ".join(
        f"{number} ({repr(level.name) if level.name else 'no name'}: {level.cells[0]!r}, …)"
        for number, level in levels.items()
    )
    raise DataError(
        f"data frame: its columns have several levels, and it is not certain what each says: "
        f"level {shown}. Name them, such as frame.columns.names = ['task', 'model'], or write one "
        "row per score with frame.stack([0, 1]).reset_index()."
    )


def _index_again(frame: Any) -> Any:
    """The frame whose index is again what `reset_index` made columns of, ``(fold, "")``."""
    first = [str(column[0]) for column in frame.columns]
    places = [
        place for place, column in enumerate(frame.columns)
        if first[place] and not any(map(str, column[1:]))
    ]  # fmt: skip
    if not places or len(places) == len(first) or frame.index.names != [None]:
        return frame
    if frame.index.dtype.kind not in "iu":
        return frame
    index = [frame.columns[place] for place in places]
    return frame.set_index(index).rename_axis(index=[first[place] for place in places])


def _joined(frame: Any, cells: Sequence[Sequence[str]]) -> Any:
    return frame.set_axis(list(join_levels(cells)), axis="columns")


def _stacked(frame: Any, roles: Mapping[int, str], score: str) -> Any:
    """One row per score, or per mean with its statistics."""
    import pandas as pd

    statistic = next((place for place, role in roles.items() if role == "statistic"), None)
    names = [str(name or roles[place]) for place, name in enumerate(frame.columns.names)]
    frame = frame.rename_axis(columns=names)
    frame = frame.rename_axis(index=_row_names(frame, roles.values()))
    if statistic is None:
        long = frame.melt(ignore_index=False, value_name=score).reset_index()
        return long[long[score].notna()].reset_index(drop=True)
    keys = [*frame.index.names, *(name for place, name in enumerate(names) if place != statistic)]
    found = {}
    for what in dict.fromkeys(frame.columns.get_level_values(statistic)):
        part = frame.xs(what, axis="columns", level=statistic).melt(
            ignore_index=False, value_name="value"
        )
        found[str(what)] = part.reset_index().set_index(keys)["value"]
    long = pd.concat(found, axis="columns").reset_index()
    return long[long["mean"].notna()].rename(
        columns={} if score == "score" else {"mean": score}
    ).reset_index(drop=True)  # fmt: skip


def _row_names(frame: Any, roles: Collection[str]) -> list[str]:
    """Names of the levels of the index; one without a name numbers the rows, or names models."""
    unnamed = "item" if "model" in roles else "model"
    return [str(name) if name is not None else unnamed for name in frame.index.names]


def _holds_votes(table: Table, options: ReadOptions) -> bool:
    """Whether a table is one of votes: its header says so, or the caller does.

    Raises
    ------
    DataError
        If two columns name the models of a vote, and nothing says who won.
    """
    if wants_votes(options):
        return True
    return options.layout is None and find_vote_layout(table, options.columns) is not None
