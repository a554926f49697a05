"""Rankings and choices among several models, as votes between each two of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.votes import TIE, WIN
from rankbars.errors import DataError
from rankbars.tables.cells import label_text
from rankbars.tables.tablerows import Table
from rankbars.tables.votes.castvotes import VoteRows
from rankbars.tables.votes.votecells import Names
from rankbars.tables.votes.votecolumns import VoteColumns

__all__ = ["collect_rankings", "looks_like_options", "looks_like_ranking"]

_SEPARATORS = ("|", ";", ",")
_LABELS = ("judge", "prompt", "task", "category")

Vote = tuple[str, str, int]


def collect_rankings(table: Table, columns: VoteColumns) -> VoteRows:
    """Votes of a table whose rows rank several models, or choose one of several.

    A ranking of k models is k (k - 1) / 2 votes: of each two, the one ranked higher won. A choice
    of one of k models is k - 1 votes of the chosen one against each other. All votes of one row
    depend on each other, so they share a cluster.

    Raises
    ------
    DataError
        If a cell is no ranking, names a model twice, or the chosen model was not an option; the
        message names the row.
    """
    cells = _cells(table, columns)
    pairs: list[tuple[int, str, str, int]] = []
    unscored = 0
    chosen = table.chosen()
    for number in range(len(next(iter(cells.values()), []))) if chosen is None else chosen:
        place = f"{table.source}, row {table.header_rows + 1 + number}"
        votes = _row_votes(cells, number, place)
        if votes is None:
            unscored += 1
            continue
        pairs.extend((number, *vote) for vote in votes)
    models = tuple(sorted({name for _, one, other, _ in pairs for name in (one, other)}))
    code = {name: i for i, name in enumerate(models)}
    row = np.array([number for number, *_ in pairs], dtype=np.int64)
    labels = {role: _names(cells[role], row) for role in _LABELS if role in cells}
    labels["cluster"] = Names(tuple(map(str, range(int(row.max(initial=-1)) + 1))), row)
    return VoteRows(
        models,
        np.array([code[one] for _, one, _, _ in pairs], dtype=np.int64),
        np.array([code[other] for _, _, other, _ in pairs], dtype=np.int64),
        np.array([outcome for *_, outcome in pairs], dtype=np.int64),
        labels,
        unscored=unscored,
    )


def looks_like_ranking(cells: Sequence[object]) -> bool:
    """Whether cells hold orders of models: lists, or text such as ``"a > b = c"``.

    Examples
    --------
    >>> looks_like_ranking(["a > b"]), looks_like_ranking([3, 1])
    (True, False)
    """
    known = [cell for cell in cells if cell not in (None, "")]
    return bool(known) and all(
        isinstance(cell, list | tuple | np.ndarray)
        or (isinstance(cell, str) and (">" in cell or cell.lstrip().startswith("[")))
        for cell in known
    )


def looks_like_options(cells: Sequence[object]) -> bool:
    """Whether cells hold several names each.

    Examples
    --------
    >>> looks_like_options(["a|b|c", "b|c"]), looks_like_options(["a", "b"])
    (True, False)
    """
    known = [cell for cell in cells if cell not in (None, "")]
    return bool(known) and all(
        isinstance(cell, list | tuple | np.ndarray)
        or (isinstance(cell, str) and any(mark in cell for mark in _SEPARATORS))
        for cell in known
    )


def _cells(table: Table, columns: VoteColumns) -> dict[str, list[Any]]:
    """All cells of the columns that are used, by role."""
    wanted = ("ranking", "options", "winner", *_LABELS)
    position = {
        role: table.columns.index(name)
        for role, name in columns.roles.items()
        if role in wanted
    }  # fmt: skip
    rows = table.head(1 << 62)
    return {role: [row[i] for row in rows] for role, i in position.items()}


def _row_votes(cells: Mapping[str, list[Any]], number: int, place: str) -> list[Vote] | None:
    """Votes of one row; None where there is no answer."""
    if "ranking" in cells:
        return _ranked_votes(cells["ranking"][number], place)
    winner, options = label_text(cells["winner"][number]), cells["options"][number]
    return None if winner is None else _chosen_votes(winner, options, place)


def _chosen_votes(winner: str, cell: object, place: str) -> list[Vote]:
    options = _parse_list(cell, place)
    shown = ", ".join(map(repr, options[:8]))
    if winner not in options:
        raise DataError(
            f"{place}: the chosen model {winner!r} is not one of the options ({shown})."
        )
    if len(set(options)) < len(options):
        raise DataError(f"{place}: a model is named twice among the options ({shown}).")
    return [(winner, other, WIN) for other in options if other != winner]


def _ranked_votes(cell: object, place: str) -> list[Vote] | None:
    groups = _parse_ranking(cell, place)
    if groups is None:
        return None
    names = [name for group in groups for name in group]
    if len(names) < 2 or not all(names):
        raise DataError(
            f"{place}: {cell!r} is not a ranking. Expected at least two models, best first, such "
            'as "a > b = c" or a list of names.'
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{place}: the ranking names model {twice!r} twice.")
    votes: list[Vote] = []
    for i, group in enumerate(groups):
        lower = [name for below in groups[i + 1 :] for name in below]
        for k, one in enumerate(group):
            votes += [(one, other, TIE) for other in group[k + 1 :]]
            votes += [(one, other, WIN) for other in lower]
    return votes


def _parse_ranking(cell: object, place: str) -> list[tuple[str, ...]] | None:
    """Groups of equally good models, best first."""
    if cell is None or (isinstance(cell, float) and np.isnan(cell)):
        return None
    text = cell.strip() if isinstance(cell, str) else None
    if text == "":
        return None
    if text is None or text.startswith("["):
        return [(name,) for name in _parse_list(cell, place)]
    return [tuple(name.strip() for name in part.split("=")) for part in text.split(">")]


def _parse_list(cell: object, place: str) -> list[str]:
    if isinstance(cell, list | tuple | np.ndarray):
        return [str(name) for name in cell]
    text = "" if cell is None else str(cell).strip()
    if text.startswith("["):
        try:
            return [str(name) for name in json.loads(text)]
        except ValueError as error:
            raise DataError(f"{place}: {text!r} is not a list of names ({error}).") from error
    mark = next((mark for mark in _SEPARATORS if mark in text), None)
    if mark is None:
        raise DataError(
            f'{place}: expected several models, such as "a|b|c" or a list; found {text!r}.'
        )
    return [name.strip() for name in text.split(mark)]


def _names(cells: Sequence[object], row: NDArray[np.int64]) -> Names:
    texts = [label_text(cell) for cell in cells]
    named = {texts[number] for number in np.unique(row).tolist()}
    names = tuple(sorted(name for name in named if name is not None))
    place = {name: code for code, name in enumerate(names)}
    codes = np.array([-1 if text is None else place.get(text, -1) for text in texts], np.int64)
    return Names(names, codes[row])
