"""Several rows of one model that a column without a role tells apart: entries, runs or reruns.

Sizes of a model, its quantisations and its versions are entries, and no answers whose mean counts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from rankbars.data.notes import list_names
from rankbars.errors import DataError
from rankbars.tables.asides import describes_models, is_rating, is_summary
from rankbars.tables.columns import fold_name, paste_columns
from rankbars.tables.conditions import paste_condition, quote_column
from rankbars.tables.likelyroles import COMPARED
from rankbars.tables.proposals import RATERS
from rankbars.tables.relations import Table
from rankbars.tables.tableheads import UNNAMED, Header
from rankbars.tables.times import TIMES, are_times

__all__ = ["refuse_entries_of_matrix", "refuse_entries_of_rows"]

# Rows that are looked at, of a matrix and of a table with one row per score.
_MOST_ROWS, _MOST_TIDY_ROWS = 1000, 5000

# Entries of a model, on average: more rows are items.
_MOST_ENTRIES = 12


def refuse_entries_of_matrix(table: Table, model: str, scores: Collection[str]) -> None:
    """Raises `DataError` where a column beside the scores of a matrix tells rows of models apart.

    Text goes before numbers.
    """
    (models,) = _cells(table, [model], _MOST_ROWS)
    if not len(set(models)) < len(models) <= _MOST_ENTRIES * len(set(models)):
        return
    header = Header.of(table)
    numeric = header.numbers
    skipped = {model, *scores, *UNNAMED, *header.row_numbers}
    names = [
        name for name in table.columns
        if name not in skipped and not is_rating(name)
        and (name not in numeric or not is_summary(name))
    ]  # fmt: skip
    for name in sorted(names, key=numeric.__contains__):
        pairs = [*zip(*_cells(table, [model, name], _MOST_ROWS), strict=True)]
        if len(set(pairs)) == len(pairs) and not any(one == "" for pair in pairs for one in pair):
            _refuse(table, name, pairs, layout="models-by-tasks")


def refuse_entries_of_rows(
    table: Table, roles: Mapping[str, str], unused: Sequence[str], *, compared: bool = False
) -> None:
    """Raises `DataError` where entries of models have a row each on most tasks of a tidy table.

    If only what is called after what is `compared` may name entries, numbers and texts of other
    names are passed over.
    """
    numeric = Header.of(table).numbers
    others = [roles[one] for one in ("task", "metric") if one in roles]
    for name in unused:
        known = fold_name(name) in COMPARED or (not compared and describes_models(name))
        if fold_name(name) in RATERS or not (known or (name not in numeric and not compared)):
            continue
        models, own, *cells = _cells(table, [roles["model"], name, *others], _MOST_TIDY_ROWS)
        pairs = [*zip(models, own, strict=True)]
        entries, tasks = set(pairs), set(zip(*cells, strict=True))
        once = len(set(zip(models, own, *cells, strict=True))) == len(pairs)
        crossed = len(pairs) >= 2 * len(entries) if len(tasks) > 1 else known
        few = len(set(models)) < len(entries) <= _MOST_ENTRIES * len(set(models))
        if once and crossed and few and not (compared and are_times(own)):
            _refuse(table, name, pairs)


def _cells(table: Table, names: Sequence[str], most: int) -> list[list[str]]:
    """The first cells of columns as text, "" where one is empty."""
    relation = table.relate_columns(names)
    cells = ", ".join(f"coalesce(trim({relation.columns[name][0]}::VARCHAR), '')" for name in names)
    rows = relation.engine.ask(f"SELECT {cells} FROM {relation.clause} ORDER BY place LIMIT {most}")
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in names]


def _refuse(
    table: Table, column: str, rows: Sequence[tuple[str, str]], *, layout: str = ""
) -> None:
    """Raises `DataError`: what rows of a model are that a column tells apart.

    Parameters
    ----------
    table : Table
        The table.
    column : str
        What tells them apart.
    rows : sequence of tuple of str
        In each row the model, and the cell of that column.
    layout : str
        Layout that has to be said where columns are named.
    """
    pairs = list(dict.fromkeys(rows))
    models = list(dict.fromkeys(one for one, _ in pairs))
    values = list(dict.fromkeys(one for _, one in pairs))
    several = [one for one in models if sum(one == name for name, _ in pairs) > 1]
    option = f"--layout {layout} " if layout else ""
    said = f"layout={layout!r}, " if layout else ""

    def line(role: str) -> str:
        python = f"(in Python: {said}columns={{{role!r}: {column!r}}})"
        return f"{option}{paste_columns({role: column})} {python}"

    ways = []
    if fold_name(column) in TIMES:
        ways.append("the newest of a model counts: --reruns newest (in Python: reruns='newest')")
    first, value = next(pair for pair in pairs if pair[0] == several[0])
    ways.append(f"each is an entry of its own ('{first} · {value}'): {line('condition')}")
    common = [one for one in values if sum(one == value for _, value in pairs) == len(models)]
    if len(common) == len(values):
        ways.append(f"they are runs of one model: {line('run')}")
    if common:
        number = column in Header.of(table).numbers
        chosen = f"{quote_column(column)} = " + (common[0] if number else f"'{common[0]}'")
        ways.append(f"one of them counts: {paste_condition(chosen)} (in Python: where={chosen!r})")
    if 2 * len(several) >= len(models):
        ways.append(
            "they are answers whose mean counts: --column item= (in Python: columns={'item': ''})"
        )
    raise DataError(
        f"{table.source}: {list_names(several, 3)} {'has' if len(several) == 1 else 'have'} "
        f"several rows, which {column!r} tells apart ({list_names(values, 3)}), and nothing says "
        f"what they are. If {'; if '.join(ways)}."
    )
