"""Records of evaluation runs in a file: JSON, one JSON object per line, or a table with commas.

What is in the records is checked where they are used; here they only become dicts.
"""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from rankbars.errors import ReadError

__all__ = ["parse_records"]

_NUMBERS = ("score", "weight")
_WORDS = ("null", "true", "false")  # JSON, but no records; not the header of a table either


def parse_records(content: bytes, name: str) -> list[dict[str, Any]]:
    r"""The records in the bytes of a file.

    Parameters
    ----------
    content : bytes
        A JSON list of objects, one JSON object per line, or CSV or TSV with a header.
    name : str
        What the file is called in errors.

    Returns
    -------
    list of dict
        Empty for an empty list, or a header alone. Empty cells of a table are left out.

    Raises
    ------
    ReadError
        If the file is empty, is not UTF-8, or does not hold records.

    Examples
    --------
    >>> parse_records(b"model_id,task_id,score,category\na,t,0.5,\n", "runs.csv")
    [{'model_id': 'a', 'task_id': 't', 'score': 0.5}]
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError.at(name, "it is not UTF-8 text.") from error
    start = text.lstrip()[:1]
    if not start:
        raise ReadError.at(name, "the file is empty. Without any record, write an empty list: [].")
    if text.strip() in _WORDS:
        raise ReadError.at(
            name,
            f"it holds {text.strip()} and no records. Without any record, write an empty list: [].",
        )
    if start == "[":
        return _objects(_parsed(text, name), name)
    if start == "{":
        lines = [(row, line) for row, line in enumerate(text.split("\n"), 1) if line.strip()]
        if lines[0][1].strip() == "{":  # one object over several lines
            return _objects([_parsed(text, name)], name)
        return _objects([_parsed(line, name, row) for row, line in lines], name)
    return _rows(text, name)


def _parsed(text: str, name: str, row: int | None = None) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ReadError.at(
            name,
            f"it holds no valid JSON ({error}). Records are a list of objects, one object per "
            "line, or a table with a header.",
            row=row,
        ) from error


def _objects(values: Any, name: str) -> list[dict[str, Any]]:
    for number, value in enumerate(values, start=1):
        if not isinstance(value, dict):
            kind = type(value).__name__
            raise ReadError.at(name, f"record {number} is no object with fields, but a {kind}.")
    return list(values)


def _rows(text: str, name: str) -> list[dict[str, Any]]:
    header = text.lstrip().split("\n", 1)[0]
    reader = csv.DictReader(
        io.StringIO(text.lstrip("\n\r"), newline=""), delimiter="\t" if "\t" in header else ","
    )
    try:
        return [_cells(row, name, number) for number, row in enumerate(reader, start=2)]
    except csv.Error as error:
        raise ReadError.at(name, f"it is no table with a header ({error}).") from error


def _cells(row: dict[Any, Any], name: str, number: int) -> dict[str, Any]:
    if None in row:
        raise ReadError.at(name, "there are more cells than columns.", row=number)
    found = {column.strip(): cell for column, cell in row.items() if cell not in (None, "")}
    return found | {column: _number(found[column]) for column in _NUMBERS if column in found}


def _number(cell: str) -> float | str:
    """The number in a cell; another text stays, for the check of the record to name it."""
    try:
        return float(cell)
    except ValueError:
        return cell
