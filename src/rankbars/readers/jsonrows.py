"""JSON tables: one object per line, a list of objects, or columns with their values."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, open_text
from rankbars.readers.logs.jsontext import kind_of, parse_json, read_json_lines
from rankbars.tables.columns import ROLES, fold_name
from rankbars.tables.database import Engine
from rankbars.tables.relations import Relation
from rankbars.tables.tableheads import HEAD_ROWS, corner_names
from rankbars.tables.tablerows import Table, check_width
from rankbars.tables.valuetables import Chunk, ValueTable

__all__ = ["JsonLinesTable", "open_json"]

CHUNK_ROWS = 1 << 15

# From so many on, names with 0 or 1 behind each are items; with any number, from so many.
_FEWEST_ITEMS = 3
_MANY_NAMES = 30

# Who scored, beside scores by name.
_MODEL_KEYS = frozenset({"model", "modelname", "modelid", "system", "agent", "name"})

# Under which scores stand together in a row.
_NESTS = frozenset({"metric", "metrics", "scores", "result", "results", "eval", "evaluation",
                    "grade", "grading", "judgement", "judgment"})  # fmt: skip

# Rows that a first look takes in.
FIRST_ROWS = 1000

# What an item got, beside more that is known of it.
_SCORE_KEYS = frozenset(map(fold_name, ("score", *chain(*ROLES["score"]))))

Row = dict[str, Any]


class JsonLinesTable(Table):
    """A file with one object per line, read in one go.

    Its columns are the keys of the first rows, and all further ones once it was coded: then
    `columns` has grown, and a column that matters can be asked for in a second go.

    Parameters
    ----------
    file : InputFile
        The file.
    engine : Engine
        The database.
    """

    header_rows = 0

    def __init__(self, file: InputFile, engine: Engine) -> None:
        self._file = file
        self._engine = engine
        self.source = file.label
        self._keys: dict[str, None] = {}
        first = list(itertools.islice(_read_lines(file), FIRST_ROWS))
        self._kind = _main_kind(first)
        if self._kind is not None:
            key, name = self._kind
            self.header_rows = [row.get(key) == name for row in first].index(True)
            self.remark = f"Only lines with {key} = {name!r} are rows; others are left aside."
        own = [*filter(self._is_row, first)]
        for row in own:
            self._keys |= dict.fromkeys(row)
            check_width(self._keys, file.label)
        self._first_keys = self.columns
        self._first = [tuple(map(row.get, self._first_keys)) for row in own[:HEAD_ROWS]]
        # Whether there are no more rows than those, which are not read once more.
        self.is_whole = len(first) < FIRST_ROWS and len(own) <= HEAD_ROWS

    def again(self, file: InputFile, engine: Engine) -> JsonLinesTable:
        """The same file for reading, as it was opened."""
        again = copy(self)
        again._file, again._engine, again.source = file, engine, file.label
        again._keys = dict.fromkeys(self._first_keys)
        again.__dict__.pop("values", None)
        return again

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]  # it grows
        """Keys seen so far, in order of appearance."""
        return tuple(self._keys)

    def head(self, rows: int) -> list[tuple[object, ...]]:
        """First rows as they are; few of them are read once."""
        if rows <= len(self._first) or self.is_whole:
            later = (None,) * (len(self.columns) - len(self._first_keys))
            return [(*row, *later) for row in self._first[:rows]]
        first = itertools.islice(self._read_rows(), rows)
        return [tuple(row.get(name) for name in self.columns) for row in list(first)]

    def relate(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> Relation:
        """Columns in the database; notices further columns on the way."""
        return self.values.relate(labels, numbers)

    @property
    def shape(self) -> tuple[str, ...] | None:
        """Its columns, where there are few rows."""
        return self.columns if self.is_whole else None

    def pile_up(self, tables: Sequence[JsonLinesTable], engine: Engine) -> None:
        """Let tables of the same columns lie together in the database."""
        self.values.pile_up([table.values for table in tables], engine)

    @cached_property
    def values(self) -> ValueTable:
        """Its rows."""
        table = _table(self._file, self.columns, self._read_rows, self._engine)
        table.decimal = self.decimal
        return table

    def _is_row(self, row: Row) -> bool:
        return self._kind is None or row.get(self._kind[0]) == self._kind[1]

    def _read_rows(self) -> Iterator[Row]:
        if self.is_whole:
            yield from (dict(zip(self._first_keys, row, strict=True)) for row in self._first)
            return
        keys = self._keys
        for row in filter(self._is_row, _read_lines(self._file)):
            if not row.keys() <= keys.keys():
                keys |= dict.fromkeys(row)
                check_width(keys, self._file.label)
            yield row


# What kind of record a line is, beside those of settings and summaries.
_KINDS = ("type", "kind", "event", "record_type", "recordType")
_MOST_KINDS = 6


def _main_kind(rows: Sequence[Row]) -> tuple[str, str] | None:
    """The key that says what a line is, and the kind that most are; None if lines are alike.

    Others have none of some key that all of these have, such as the score, and name no item: of an
    item that failed something is known.

    >>> _main_kind([{"type": "config", "lr": 1}, *[{"type": "sample", "correct": True}] * 3])
    ('type', 'sample')
    >>> _main_kind([{"type": "error", "id": 1}, *[{"type": "sample", "id": 2, "correct": 1}] * 3])
    >>> _main_kind([{"type": "easy", "correct": False}, *[{"type": "hard", "correct": True}] * 3])
    """
    for key in _KINDS:
        names = Counter(row.get(key) if isinstance(row.get(key), str) else None for row in rows)
        if not 2 <= len(names) <= _MOST_KINDS:
            continue
        (name, number), *_ = names.most_common(1)
        own = [row for row in rows if row.get(key) == name]
        rest = [row for row in rows if row.get(key) != name]
        always = set.intersection(*map(set, own)) if own else set()
        other = set().union(*rest)
        about_items = any(fold_name(one) in corner_names("item") for one in other)
        if name is not None and 2 * number > len(rows) and always - other and not about_items:
            return key, name
    return None


def open_json(file: InputFile, engine: Engine) -> ValueTable:
    """The file as a table.

    It may hold one object or a list of objects, ``{"columns": [...], "data": [...]}``, an object
    with one list of objects under any name, one with scores by name (or by model and name) under
    ``scores``, or one list (or object) of values per column.

    Raises
    ------
    ReadError
        If it is none of these.
    """
    with open_text(file) as text:
        content = parse_json(text.read(), file.label, once=True)
    rows = [_without_nests(row) for row in _rows_of(file, content)]
    columns = tuple(dict.fromkeys(key for row in rows for key in row))
    return _table(file, columns, lambda: iter(rows), engine)


def _table(
    file: InputFile, columns: tuple[str, ...], read: Callable[[], Iterator[Row]], engine: Engine
) -> ValueTable:
    def read_chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        rows = read()
        while True:
            # Rows are not held: beside what is wanted they may carry long texts.
            chunk: dict[str, list[object]] = {name: [] for name in wanted}
            count = 0
            for row in itertools.islice(rows, CHUNK_ROWS):
                count += 1
                for name, column in chunk.items():
                    column.append(row.get(name))
            if not count:
                return
            yield chunk

    return ValueTable(file.label, columns, read_chunks, 0, engine)


def _read_lines(file: InputFile) -> Iterator[Row]:
    return (_without_nests(row) for _, row in read_json_lines(file, once=True))


def _without_nests(row: Row) -> Row:
    """The row with the scores that stand together under one key, such as ``metrics``, beside it.

    >>> _without_nests({"id": 1, "metrics": {"f1": 0.5, "em": 0}})
    {'id': 1, 'f1': 0.5, 'em': 0}
    """
    nests = {key: _scores_in(value) for key, value in row.items() if fold_name(key) in _NESTS}
    found = {key: scores for key, scores in nests.items() if scores}
    if len(found) != 1:
        return row
    ((nest, scores),) = found.items()
    rest = {key: value for key, value in row.items() if key != nest}
    return row if scores.keys() & rest.keys() else {**rest, **scores}


def _scores_in(value: object) -> Row:
    """The numbers under a key, and what is null among them; none where there are no scores."""
    if not isinstance(value, dict):
        return {}
    if not _are_scores(value) and not any(fold_name(key) in _SCORE_KEYS for key in value):
        return {}
    return {key: one for key, one in value.items() if isinstance(one, bool | int | float | None)}


def _rows_of(file: InputFile, content: Any) -> list[Row]:
    if isinstance(content, list) and all(isinstance(row, dict) for row in content):
        return content
    if isinstance(content, dict):
        by_name = _rows_by_name(content)
        if by_name:
            return by_name
        if content and not any(isinstance(value, dict | list) for value in content.values()):
            if len(content) >= _FEWEST_ITEMS and all(_is_mark(one) for one in content.values()):
                return [{"item": name, "score": value} for name, value in content.items()]
            return [content]  # a single row
        names, data = content.get("columns"), content.get("data")
        if isinstance(names, list) and isinstance(data, list):
            return _rows_of_arrays(file, [str(name) for name in names], data)
        if isinstance(data, list) and data and all(isinstance(row, dict) for row in data):
            return data
        only = next(iter(content.values())) if len(content) == 1 else None
        if isinstance(only, list) and only and all(isinstance(row, dict) for row in only):
            return only
        if content and all(isinstance(column, list) for column in content.values()):
            return _rows_of_columns(file, content)
        if content and all(isinstance(column, dict) for column in content.values()):
            keys = dict.fromkeys(key for column in content.values() for key in column)
            # Numbers count rows, as some libraries write them; names are what the rows are called.
            named = [] if all(key.isdecimal() for key in keys) else ["(key)"]
            return [
                {**dict.fromkeys(named, key),
                 **{name: column.get(key) for name, column in content.items()}}
                for key in keys
            ]  # fmt: skip
        nested = [value for value in content.values() if isinstance(value, dict | list)]
        rows: Any = nested[0] if len(nested) == 1 else None
        if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows):
            return rows
    raise _no_table(file, content)


def _no_table(file: InputFile, content: Any) -> ReadError:
    """What to do with JSON that holds no records."""
    from rankbars.readers.mapped import propose_map

    if isinstance(content, list) and content and all(map(_is_row, content)):
        return _without_names(file, content)
    deeper = isinstance(content, dict | list) and bool(content)
    return ReadError.at(
        file.label,
        f"the JSON holds {kind_of(content)}, not a table. Expected a list of objects such as "
        '[{"model": "a", "score": 1}], or one object per line in a .jsonl file.'
        + (f" {propose_map(file)}" if deeper else ""),
    )


def _without_names(file: InputFile, rows: Sequence[Sequence[Any]]) -> ReadError:
    """What to do with rows that are lists: nothing says what is in their columns."""
    from rankbars.tables.likelyroles import names_for

    return ReadError.at(
        file.label,
        "the rows of the JSON are lists, and nothing names their columns. Name them, in Python: "
        f"import json, pandas; pandas.DataFrame(json.load(open({file.label!r})), "
        f"columns={names_for(rows)!r}).to_csv({Path(file.label).stem + '.csv'!r}, index=False). "
        "Read that.",
    )


def _is_row(value: Any) -> bool:
    plain = bool | int | float | str | None
    return isinstance(value, list) and len(value) > 1 and all(isinstance(x, plain) for x in value)


def _is_mark(value: Any) -> bool:
    return isinstance(value, bool | int) and value in (0, 1)


def _rows_by_name(content: Mapping[str, Any]) -> list[Row]:
    """Rows of an object with ``scores`` by item or task, or by model and item; else none.

    What stands beside it names the model, or is no score.
    """
    scores = content.get("scores")
    if not isinstance(scores, dict) or not scores:
        return []
    rest = [value for name, value in content.items() if name != "scores"]
    if any(isinstance(value, list) and value and isinstance(value[0], dict) for value in rest):
        return []  # a list of records is the table
    given = [name for name in content if fold_name(name) in _MODEL_KEYS]
    models = {"model": content[given[0]]} if len(given) == 1 else {}
    if _are_scores(scores):
        what = _what_is_named(scores, scores.values())
        return [{**models, what: name, "score": value} for name, value in scores.items()]
    if not all(isinstance(one, dict) and one for one in scores.values()):
        return []
    if all(any(fold_name(key) in _SCORE_KEYS for key in one) for one in scores.values()):
        return [{**models, "item": name, **one} for name, one in scores.items()]
    if not all(map(_are_scores, scores.values())):
        return []
    names = list(dict.fromkeys(name for one in scores.values() for name in one))
    answers = [value for one in scores.values() for value in one.values()]
    what = _what_is_named(names, answers)
    return [
        {"model": model, what: name, "score": value}
        for model, one in scores.items()
        for name, value in one.items()
    ]


def _are_scores(values: Mapping[str, Any]) -> bool:
    return bool(values) and all(
        value is None or isinstance(value, bool | int | float) for value in values.values()
    )


def _what_is_named(names: Collection[str], values: Collection[Any]) -> str:
    """Items where answers are right or wrong, or names are many or numbered; else tasks."""
    marks = len(names) >= _FEWEST_ITEMS and all(one is None or _is_mark(one) for one in values)
    stems = {name.rstrip("0123456789") for name in names}
    numbered = len(names) >= _FEWEST_ITEMS and len(stems) == 1 and stems != set(names)
    return "item" if marks or numbered or len(names) >= _MANY_NAMES else "task"


def _rows_of_arrays(file: InputFile, names: list[str], data: list[Any]) -> list[Row]:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ReadError.at(
            file.label, f"the column {twice!r} is named twice. Each needs a name of its own."
        )
    for number, row in enumerate(data, start=1):
        if not isinstance(row, list) or len(row) != len(names):
            found = len(row) if isinstance(row, list) else kind_of(row)
            raise ReadError.at(
                file.label, f"expected {len(names)} values under 'data', found {found}.", row=number
            )
    return [dict(zip(names, row, strict=True)) for row in data]


def _rows_of_columns(file: InputFile, content: dict[str, list[Any]]) -> list[Row]:
    lengths = {name: len(column) for name, column in content.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name!r}: {number}" for name, number in lengths.items())
        raise ReadError.at(file.label, f"the columns have different lengths ({shown}).")
    return [dict(zip(content, row, strict=True)) for row in zip(*content.values(), strict=True)]
