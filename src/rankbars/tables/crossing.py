"""Columns that say which rows of different models belong together, and have no role."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from rankbars.errors import DataError
from rankbars.tables.descriptions import Group
from rankbars.tables.readoptions import ReadOptions

__all__ = ["pairing_column"]

_MOST_CROSSED = 8


def pairing_column(group: Group, options: ReadOptions) -> str | None:
    """The column without a role that names one row of every model; None where there is none.

    Raises
    ------
    DataError
        If two such columns do so together; says how to name them.
    """
    (part, *more) = group.parts
    if more or part.table is None or "item" in dict(options.columns):
        return None
    table, used = part.table, set(part.roles.values())
    unused = [name for name in table.columns if name and name not in used][:_MOST_CROSSED]
    rows = [part.roles[role] for role in ("model", "task", "metric") if role in part.roles]
    if not unused or "model" not in part.roles:
        return None
    relation = table.relate({f"column {name!r}": name for name in (*rows, *unused)}, {})
    cell = {name: relation.columns[name][0] for name in (*rows, *unused)}
    others = [cell[name] for name in rows if name != part.roles["model"]]
    model = cell[part.roles["model"]]

    def ask(what: str, names: Sequence[str]) -> int:
        keys = ", ".join([*others, *(cell[name] for name in names)])
        grouped = f"GROUP BY {keys}" if keys else ""
        ((found,),) = relation.engine.ask(
            f"SELECT {what} FROM (SELECT count(*) AS cells, count(DISTINCT {model}) AS models "
            f"FROM {relation.clause} {grouped})"
        )
        return int(found)

    models = ask("max(models)", ())
    if models < 2 or ask("max(cells)", ()) <= models:
        return None
    for names in (*combinations(unused, 1), *combinations(unused, 2)):
        # Each name stands once at a model, and at most of the models.
        if ask(f"count(*) FILTER (cells > models OR 2 * models <= {models})", names):
            continue
        if len(names) == 1:
            return names[0]
        item, variant = sorted(names, key=lambda name: -ask("count(*)", (name,)))
        raise DataError(
            f"{part.rows.source}: rows of different models belong together by {item!r} and "
            f"{variant!r}, and no role was recognised. Name what they are: --column item={item} "
            f"--column variant={variant} (prompt variants; epoch= for answers that were made "
            "again). To take rows as unrelated: --column item= (in Python: columns={'item': ''})."
        )
    return None
