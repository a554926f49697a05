"""Records of an evaluation harness as a plain table: ``rankbars table``."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankbars.cli.options import named_option, resamples_option, seed_option
from rankbars.cli.outputs import STANDARD, emit, emit_text, say, standard_input
from rankbars.errors import ReadError

if TYPE_CHECKING:
    from rankbars.data.plaintable import PlainTable

__all__ = ["parse_records", "plain_text", "table_command"]

_MOST_NAMED = 5
_INTERVALS = ("auto", "t", "percentile")
_TABLE_HELP = """\
Show records of an evaluation harness as a plain table: rank, mean, interval, win rate.

RECORDS is a JSON list of objects, one object per line, or a CSV or TSV table; - reads standard
input. Each record is one score, from 0 to 1, of one model on one task: model_id, task_id,
metric_name and score, and optionally category and weight of the task. No record makes an empty
table.

Intervals of means do not say which of two models is better: --pairs adds their difference on the
tasks that both have, and whether its interval excludes 0. For ranks with error bars give the same
file to `rankbars rank`.

\b
  rankbars table runs.jsonl
  rankbars table runs.json --metric accuracy --json > report.json
  rankbars table runs.json --pairs --scores
  cat runs/*.jsonl | rankbars table -
"""


@click.command("table", help=_TABLE_HELP, short_help="Plain table of evaluation records.")
@click.argument("records", metavar="RECORDS")
@click.option("--metric", metavar="NAME", help="Only records with this metric.")
@named_option(
    "--interval", known=_INTERVALS, default="auto", show_default=True,
    help="Of the mean over tasks like these: t, or percentiles of resampled tasks; auto takes t "
    "unless every model has 30 tasks.",
)  # fmt: skip
@click.option(
    "--alpha", type=float, default=0.05, show_default=True,
    help="Error rate of the intervals; 0.05 stands for 95 %.",
)  # fmt: skip
@resamples_option
@seed_option
@click.option(
    "--pairs",
    is_flag=True,
    help="Also differences of all pairs of models, each on the tasks that both have: with "
    "intervals, whether they exclude 0, and p-values by Holm.",
)
@click.option("--scores", is_flag=True, help="Also the score of each model on each task.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print JSON, with means per category, differences and scores.",
)
def table_command(
    *,
    records: str,
    pairs: bool,
    scores: bool,
    as_json: bool,
    **asked: Any,
) -> None:
    """Read, average, print."""
    import rankbars as rb
    from rankbars.data.notes import list_words
    from rankbars.render.shownnames import visible

    rows = parse_records(_content(records), "standard input" if records == STANDARD else records)
    table = rb.plain_table(rows, **asked)
    if as_json:
        emit(table.to_json())
        return
    emit_text(plain_text(table, pairs=pairs, scores=scores))
    for note in table.notes:
        models = [visible(name) for name in note.models]
        say(note.message + (f" ({list_words(models, _MOST_NAMED)})" if models else ""))


def plain_text(table: PlainTable, *, pairs: bool, scores: bool) -> str:
    """The table as Markdown, with the scores behind it and the differences where asked for."""
    parts = [table.to_markdown()]
    if scores:
        parts.append(table.scores_to_markdown())
    if pairs:
        parts.append(table.pairs_to_markdown())
    return "\n\n".join(parts) + "\n"


def _content(path: str) -> bytes:
    if path == STANDARD:
        return standard_input()
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ReadError(f"Cannot read {path}: {error.strerror or error}.") from error


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
