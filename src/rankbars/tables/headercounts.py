"""Numbers of items that stand in the header, as in ``GSM8K (n=1319)``."""

from __future__ import annotations

import re

from rankbars.tables.database import Engine
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.relations import Table
from rankbars.tables.valuetables import ValueTable, hold_cells

__all__ = ["take_header_counts"]

_COUNT = re.compile(r"(?i)(.*\S)\s*[(\[]\s*n\s*=\s*(\d[\d,]*)\s*[)\]]\s*")
_MOST_ROWS = 10_000


def split_count(name: str) -> tuple[str, int] | None:
    """A name of a column without the number of items behind it, and that number.

    Examples
    --------
    >>> split_count("GSM8K (n=1,319)"), split_count("MATH [N = 500]"), split_count("pass@1")
    (('GSM8K', 1319), ('MATH', 500), None)
    """
    found = _COUNT.fullmatch(name)
    return (found[1], int(found[2].replace(",", ""))) if found else None


def take_header_counts(table: Table, options: ReadOptions, engine: Engine) -> tuple[Table, str]:
    """The table with the numbers of items that its header gives, and what there is to say of them.

    As it is where the header gives none.

    The same number everywhere may be one of answers to each item, and is left in the names.

    Parameters
    ----------
    table : Table
        Any table.
    options : ReadOptions
        What the caller declares; who calls columns by the names they have finds them.
    engine : Engine
        The database that rows are put into.
    """
    found = {name: split_count(name) for name in table.columns}
    counts = {name: one for name, one in found.items() if one is not None}
    plain = [counts[name][0] if name in counts else name for name in table.columns]
    called = {*options.metrics, *options.columns.values(), *options.direction}
    if len({n for _, n in counts.values()}) < 2 or len({*plain}) < len(plain):
        return table, ""
    if called & counts.keys() or options.layout not in (None, "models-by-tasks"):
        return table, ""
    held = hold_cells(table, _MOST_ROWS + 1)
    rows = len(held[table.columns[0]])
    if rows > _MOST_ROWS:
        return table, ""
    data = dict(zip(plain, held.values(), strict=True))
    data |= {f"{task}_n": [n] * rows for task, n in counts.values()}
    said = ", ".join(f"{task} {n:,}" for task, n in counts.values())
    remark = (
        f"Numbers of items are taken from the header: {said}. If they count something else, such "
        "as answers to each item, take them out of it."
    )
    return ValueTable.of(table.source, data, table.header_rows, engine), remark
