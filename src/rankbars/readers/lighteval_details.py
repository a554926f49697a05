"""Details of lighteval: one Parquet file per task, one row per document, in three layouts.

Text (0.4 to 0.7): every cell is the text of a Python literal. Flat (0.8 to 0.10): columns
``example``, ``metrics``. Nested (from 0.11): ``doc``, ``metric``. No text leaves the engine: items
are known by their id or by a hash that the engine makes.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator

from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile
from rankbars.readers.logs.jsonvalues import fingerprint
from rankbars.readers.logs.records import Answers
from rankbars.tables.database import Engine, report_damage
from rankbars.tables.relations import Relation

__all__ = ["find_layout", "read_details"]

# Columns that hold the question, the first one that is there.
QUESTIONS = ("example", "query", "full_prompt")

BLOCK_ROWS = 2048

LONGEST = 1 << 22

_NAMES = {"nan": math.nan, "inf": math.inf, "None": None, "True": True, "False": False}


def find_layout(scan: Relation) -> str | None:
    """``"nested"``, ``"flat"`` or ``"text"``; None if the columns are not those of details."""
    metric = next((name for name in ("metric", "metrics") if name in scan.columns), None)
    if metric is None or not {"doc", *QUESTIONS} & set(scan.columns):
        return None
    if _kind(scan, metric) == "VARCHAR":
        return "text"
    if "doc" in scan.columns and _kind(scan, "doc").startswith("STRUCT"):
        return "nested"
    return "flat" if _kind(scan, metric).startswith(("STRUCT", "MAP")) else None


def read_details(file: InputFile) -> Answers:
    """Scores of the documents of one task; metrics whose values are no single numbers, declined.

    Raises
    ------
    ReadError
        If the file is damaged, or its columns are not those of details.
    """
    from rankbars.readers.parquet import open_parquet

    with Engine() as engine:
        scan = open_parquet(file, engine).relate()
        layout = find_layout(scan)
        if layout is None:
            raise ReadError.at(
                file.label,
                "the columns are not those of lighteval's details: expected doc and metric, or "
                f"full_prompt and metrics; found {', '.join([*scan.columns][:8])}.",
            )
        answers = Answers(("the document's id or question", "the number of the row"))
        with report_damage(file.label):
            for row, (item, cell) in enumerate(_iterate(scan, layout)):
                place = f"{file.label}, row {row + 1}"
                given = _parse_literal(cell, place) if isinstance(cell, str) else cell
                name = _item(item, layout, place)
                if not isinstance(given, dict):
                    raise ReadError.at(place, "there are no metrics.")
                scores = {
                    str(key): _score(str(key), value, answers.declined, place)
                    for key, value in given.items()
                }
                answers.add(name or f"row {row + 1}", scores, other=str(row))
    return answers


def _iterate(scan: Relation, layout: str) -> Iterator[tuple[object, object]]:
    metric = scan.columns[next(name for name in ("metric", "metrics") if name in scan.columns)][0]
    item = "NULL"
    if "doc" in scan.columns:
        doc, kind = scan.columns["doc"]
        item = doc
        if layout == "nested":
            fields = [name for name in ("id", "query") if re.search(rf'[(,]\s*"?{name}"? ', kind)]
            parts = {"id": f"nullif(CAST({doc}.id AS VARCHAR), '')",
                     "query": f"md5(CAST({doc}.query AS VARCHAR))"}  # fmt: skip
            chosen = [parts[name] for name in fields]
            item = f"coalesce({', '.join(chosen)})" if chosen else f"md5(CAST({doc} AS VARCHAR))"
    else:
        question = next(name for name in QUESTIONS if name in scan.columns)
        item = f"md5(CAST({scan.columns[question][0]} AS VARCHAR))"
    answer = scan.engine.start().execute(f"SELECT {item}, {metric} FROM {scan.clause}")
    while rows := answer.fetchmany(BLOCK_ROWS):
        yield from rows


def _item(cell: object, layout: str, place: str) -> str | None:
    """Name of an item; a document that is the text of a literal is known by its id."""
    if layout != "text" or not isinstance(cell, str) or not cell.lstrip().startswith("{"):
        return None if cell is None else str(cell)
    doc = _parse_literal(cell, place)
    name = doc.get("id") if isinstance(doc, dict) else None
    if name not in (None, ""):
        return str(name)
    query = doc.get("query") if isinstance(doc, dict) else None
    return fingerprint(cell if query is None else query)


def _score(name: str, value: object, declined: dict[str, str], place: str) -> float:
    if value is None:
        return math.nan
    try:
        if isinstance(value, bool | int | float):
            return float(value)
        if hasattr(value, "as_tuple"):  # a decimal number of the engine
            return float(str(value))
    except OverflowError:
        pass
    declined.setdefault(name, f"its values are not single numbers ({place})")
    return math.nan


def _kind(scan: Relation, name: str) -> str:
    return scan.columns[name][1]


def _parse_literal(text: str, place: str) -> object:
    """The value that the text of a literal stands for; lists and what they hold stay lists.

    Parameters
    ----------
    text : str
        The text; numbers may be wrapped in the name of a NumPy type.
    place : str
        File and row, for messages.

    Raises
    ------
    ReadError
        If it is not a literal, or too long or too deep.

    Examples
    --------
    >>> _parse_literal("{'acc': 1, 'em': np.float64(0.5)}", "x")
    {'acc': 1, 'em': 0.5}
    """
    if len(text) > LONGEST:
        raise ReadError.at(place, f"a cell is longer than {LONGEST >> 20} MiB.")
    try:
        return _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise ReadError.at(
            place, f"{text[:40]!r} is not the text of a Python literal. Expected one such as "
            "{'acc': 1}.",
        ) from error  # fmt: skip


def _value(node: ast.expr) -> object:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name in _NAMES:
            return _NAMES[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            number = _value(inner)
            if isinstance(number, int | float):
                return -number
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return [_value(part) for part in parts]
        case ast.Dict(keys=keys, values=values):
            return {
                str(_value(key)): _value(value)
                for key, value in zip(keys, values, strict=True)
                if key is not None
            }
        # A number in the spelling of NumPy, such as np.float64(0.5).
        case ast.Call(args=[inner], keywords=[]):
            return _value(inner)
    raise ValueError(ast.dump(node)[:80])
