"""What a reader of another distribution is built from; these names are kept.

See the page "Add a format" of the documentation, and `rankbars.readers.logs.records` for what a
`Run` is and what is decided about it later.
"""

from __future__ import annotations

from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.errors import DataError, ReadError
from rankbars.readers.inputfiles import InputFile, open_text, read_each
from rankbars.readers.logs.decisions import scores_from_runs
from rankbars.readers.logs.jsontext import load_json, read_json_lines, top_level_keys
from rankbars.readers.logs.records import (
    ERROR,
    MISSING,
    SCORED,
    UNSCORED,
    Agreement,
    Measure,
    Rows,
    Run,
)
from rankbars.readers.parts import Part
from rankbars.readers.recognition import Recognition
from rankbars.tables.readoptions import ReadOptions

__all__ = [
    "ERROR", "MISSING", "SCORED", "UNSCORED", "Agreement", "DataError", "InputFile", "Measure",
    "Note", "Part", "ReadError", "ReadOptions", "Recognition", "Rows", "Run", "Scores", "load_json",
    "open_text", "read_each", "read_json_lines", "scores_from_runs", "top_level_keys",
]  # fmt: skip
