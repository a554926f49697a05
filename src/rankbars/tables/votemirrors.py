"""Votes that stand in a table twice: once from the side of each model."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from rankbars.data.votes import LOSS, WIN
from rankbars.errors import DataError
from rankbars.tables.castvotes import VoteRows
from rankbars.tables.conditions import paste_condition, quote_column
from rankbars.tables.relations import Table
from rankbars.tables.votecolumns import VoteColumns

__all__ = ["refuse_mirrors"]


def refuse_mirrors(table: Table, columns: VoteColumns, rows: VoteRows) -> None:
    """Raises `DataError` where each vote stands there twice, once from the side of each model.

    The votes on each pair and with each outcome then have either model in front equally often.
    Where who stands in front is drawn, that comes about by chance, which is worked out exactly.
    Votes with a time, a voter or a prompt are not looked at: of these each may be asked for twice.

    Parameters
    ----------
    table : Table
        A table of votes.
    columns : VoteColumns
        Its columns.
    rows : VoteRows
        Its votes.
    """
    told = {"time", "judge", "prompt", "count"} & columns.roles.keys()
    if told or columns.layout != "winner" or not rows.first.size:
        return
    votes = np.ones(rows.first.size) if rows.votes is None else rows.votes
    turned = rows.first > rows.second
    low, high = np.minimum(rows.first, rows.second), np.maximum(rows.first, rows.second)
    other = np.where(rows.outcome == WIN, LOSS, np.where(rows.outcome == LOSS, WIN, rows.outcome))
    outcome = np.where(turned, other, rows.outcome).astype(np.int64)
    size = len(rows.models)
    code = (outcome * size + low) * size + high
    _, kind = np.unique(code, return_inverse=True)
    kind = kind.reshape(-1)
    number, swapped = np.bincount(kind, weights=votes), np.bincount(kind, weights=votes * turned)
    if (2 * swapped != number).any():
        return
    chance = gammaln(number + 1) - 2 * gammaln(number / 2 + 1) - number * np.log(2.0)
    if chance.sum() > np.log(_CHANCE):
        return
    first, second = (quote_column(columns.roles[role]) for role in ("model_a", "model_b"))
    once = f"{first} < {second}"
    raise DataError(
        f"{table.source}: every one of the {number.sum():,.0f} votes stands there twice, once from "
        "the side of each model: on each pair and with each outcome either model stands in front "
        "equally often, as hardly ever happens by chance. They would count twice. Take each once: "
        f"{paste_condition(once)} (in Python: where={once!r}). If they are votes of their own: "
        "--column time= (in Python: columns={'time': ''})."
    )


_CHANCE = 1e-4  # that honest votes look like this
