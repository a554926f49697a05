"""What an everyday case is: files as people write them, a line as they type it, what must come."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Case(NamedTuple):
    """Files in a folder, one line, and what must come out.

    Attributes
    ----------
    name : str
        Cause and variant, as ``cause/variant``; at most three variants of one cause.
    line : str
        What is typed after ``rankbars``.
    files : mapping from str to str or bytes
        Contents by path.
    says : tuple of str
        Words that must be printed; line breaks do not count.
    hides : tuple of str
        Words that must not be printed.
    code : int
        Exit code.
    models, tasks : tuple of str
        What the board holds, in any order; not checked where empty.
    items : int
        Rows of the first task; not checked where 0.
    means : mapping from str to float
        Scores on the first task, by model; those not named are not checked.
    """

    name: str
    line: str
    files: Mapping[str, str | bytes]
    says: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    code: int = 0
    models: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    items: int = 0
    means: Mapping[str, float] = {}


def right(share: float, items: int = 60, seed: int = 1) -> list[int]:
    """Answers: 1 where right, 0 where wrong."""
    source = random.Random(f"{share} {seed}")
    return [int(source.random() < share) for _ in range(items)]


def lines(header: str, *rows: object) -> str:
    """A text of one line per row, with a line break at its end."""
    return "\n".join([header, *map(str, rows)]) + "\n"


def table(columns: Mapping[str, Sequence[object]], mark: str = ",") -> str:
    """A delimited text of columns of equal length."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=mark, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def records(columns: Mapping[str, Sequence[object]]) -> list[dict[str, object]]:
    """One mapping per row."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def json_lines(columns: Mapping[str, Sequence[object]]) -> str:
    """One JSON object per line."""
    return "".join(json.dumps(record) + "\n" for record in records(columns))


def one_file(score: str, share: float, *, item: str = "id", items: int = 60) -> str:
    """A file of one model: ids and right answers."""
    return table({item: range(1, items + 1), score: right(share, items)})


def long_table(
    names: Mapping[str, float], *, header: str = "model,item,score", items: int = 60
) -> str:
    """A row per model and item."""
    return lines(
        header,
        *(
            f"{name},q{number},{value}"
            for name, share in names.items()
            for number, value in enumerate(right(share, items))
        ),
    )


def parquet(columns: Mapping[str, Sequence[object]]) -> bytes:
    """A Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(pa.table({name: list(cells) for name, cells in columns.items()}), sink)
    return sink.getvalue()
