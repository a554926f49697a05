"""All votes of a table as rows: models, outcomes, weights and what votes belong to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.tables.voting.outcomes import give_outcomes
from rankbars.tables.voting.rawcolumns import (
    SUMS,
    RawColumns,
    model_codes,
    named_votes,
    read_columns,
)
from rankbars.tables.voting.rows import RowSource, VoteRows
from rankbars.tables.voting.words import NO_VOTE

__all__ = ["collect_rows"]

_LARGEST_WEIGHT = 1e12

"""Weights beyond this, or below its inverse, are slips, and their squares lose all digits."""


def collect_rows(source: RowSource, *, drop_self: bool = False) -> VoteRows:
    """All votes of a table as rows.

    Parameters
    ----------
    source : RowSource
        The table and its columns.
    drop_self : bool
        Whether to leave out votes of a model against itself, which otherwise raise.

    Raises
    ------
    DataError
        If an outcome is not known, a model has no name or meets itself, or a number is missing
        or out of range; the message names the row.
    """
    raw = read_columns(source)
    models = tuple(sorted({*raw.names["model_a"], *raw.names["model_b"]}))
    first, second = (model_codes(raw, role, models) for role in ("model_a", "model_b"))
    rows = give_outcomes(source, raw, models, first, second)
    rows = give_weights(source, raw, rows)
    keep = rows.outcome != NO_VOTE
    rows = rows._replace(unscored=int(rows.votes[~keep].sum()))
    same = (rows.first == rows.second) & keep
    if same.any():
        if not drop_self:
            raise DataError(_against_self(raw, rows, same))
        rows = rows._replace(against_self=int(rows.votes[same].sum()))
        keep &= ~same
    if "anonymous" in raw.labels:
        seen = named_votes(raw)[rows.row]
        rows = rows._replace(named=int(rows.votes[keep & seen].sum()))
        keep &= ~seen
    return rows.take(keep)


def give_weights(source: RowSource, raw: RawColumns, rows: VoteRows) -> VoteRows:
    if source.sums is not None:
        votes, total, squares = (raw.numbers[name] for name in SUMS)
        return rows._replace(
            votes=votes.astype(np.int64),
            weight=total,
            squared=squares,
            weighted=not np.array_equal(total, votes),
        )
    for role in ("count", "weight"):
        if role not in raw.numbers:
            continue
        values = raw.numbers[role]
        wrong = ~(values > 0) | ~np.isfinite(values)
        if role == "count":
            wrong |= values != np.round(values)
        else:
            wrong |= (values < 1 / _LARGEST_WEIGHT) | (values > _LARGEST_WEIGHT)
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            what = "a whole number of votes above 0" if role == "count" else "a weight above 0"
            if role == "weight" and 0 < values[row] < np.inf:
                what = f"a weight from {1 / _LARGEST_WEIGHT:g} to {_LARGEST_WEIGHT:g}"
            raise DataError(
                f"{raw.place(row)}: {values[row]:g} in column {source.columns.roles[role]!r} is "
                f"not {what}. Correct the row, leave it out, or switch the column off: "
                f"--column {role}=."
            )
        if role == "count":
            counts = values[rows.row]
            rows = rows._replace(
                votes=rows.votes * counts.astype(np.int64),
                weight=rows.weight * counts,
                squared=rows.squared * counts,
            )
        elif (values != 1).any():
            rows = rows._replace(
                weight=rows.weight * values[rows.row],
                squared=rows.squared * values[rows.row] ** 2,
                weighted=True,
            )
    return rows


def _against_self(raw: RawColumns, rows: VoteRows, same: NDArray[np.bool_]) -> str:
    row = int(np.flatnonzero(same)[0])
    return (
        f"{raw.place(int(rows.row[row]))}: model {rows.models[rows.first[row]]!r} is "
        f"compared with itself ({int(rows.votes[same].sum()):,} such votes). A vote needs two "
        "different models. Correct the rows, or leave them out: --self-votes drop."
    )
