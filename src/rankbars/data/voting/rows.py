"""Rows of a table of votes as arrays: models, outcomes, weights and what votes belong to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.ballots import BAD, LOSS, TIE, WIN
from rankbars.data.tabular.cells import parse_number
from rankbars.data.tabular.coding import CodedTable, Table
from rankbars.data.voting.columns import VoteColumns
from rankbars.data.voting.words import KNOWN_WORDS, NO_VOTE, UNKNOWN, read_outcomes, word_code
from rankbars.errors import DataError

__all__ = ["RowSource", "VoteRows", "collect_rows"]

LABEL_ROLES = ("winner", "position", "judge", "prompt", "cluster", "task", "category", "loser",
               "anonymous")  # fmt: skip
NUMBER_ROLES = ("score", "preference", "chosen", "weight", "count", "wins_a", "wins_b", "ties",
                "both_bad")  # fmt: skip
SUMS = ("votes", "sum", "squares")

_LARGEST_WEIGHT = 1e12
"""Weights beyond this, or below its inverse, are slips, and their squares lose all digits."""


class VoteRows(NamedTuple):
    """Votes as rows, before they are sorted into tasks.

    Attributes
    ----------
    models : tuple of str
        Names, in code-point order.
    first, second, outcome : array of int, shape (R,)
        As in `Ballots`.
    votes : array of int, shape (R,)
        Votes behind each row.
    weight, squared : array of float, shape (R,)
        Sums of their weights and of the squares.
    weighted : bool
        Whether any weight differs from 1.
    labels : mapping from str to (names, codes)
        What rows belong to, by role; codes are -1 where a cell is empty.
    position : array of int, shape (R,), optional
        1 where the first model was shown first, -1 where the second was.
    covariates : array of float, shape (R, q)
        Values of the controls.
    row : array of int, shape (R,)
        Row of the table that each row of votes comes from.
    shared : bool
        Whether some votes are shared out over several rows.
    unscored, against_self, named : int
        Votes without an outcome; of a model against itself; that were not anonymous.
    winners : {"", "names", "words"}
        How winners were read that could be the name of a model or a word for a side.
    """

    models: tuple[str, ...]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    outcome: NDArray[np.int64]
    votes: NDArray[np.int64]
    weight: NDArray[np.float64]
    squared: NDArray[np.float64]
    weighted: bool
    labels: Mapping[str, tuple[tuple[str, ...], NDArray[np.int64]]]
    position: NDArray[np.int64] | None
    covariates: NDArray[np.float64]
    row: NDArray[np.int64]
    shared: bool = False
    unscored: int = 0
    against_self: int = 0
    named: int = 0
    winners: str = ""

    def take(self, rows: NDArray[np.bool_]) -> VoteRows:
        """The rows where `rows` is true."""
        if rows.all():
            return self
        return self._replace(
            first=self.first[rows],
            second=self.second[rows],
            outcome=self.outcome[rows],
            votes=self.votes[rows],
            weight=self.weight[rows],
            squared=self.squared[rows],
            labels={role: (names, codes[rows]) for role, (names, codes) in self.labels.items()},
            position=None if self.position is None else self.position[rows],
            covariates=self.covariates[rows],
            row=self.row[rows],
        )


class RowSource(NamedTuple):
    """Where rows of votes come from.

    Attributes
    ----------
    table : Table
        The table.
    columns : VoteColumns
        What its columns mean.
    controls : tuple of (name, column, column or None)
        Columns to control for: one with differences, or one for each of the two models.
    sums : tuple of three str, optional
        Columns with the number of votes behind each row, the sum of their weights and that of
        the squares, where equal votes have been put together already.
    """

    table: Table
    columns: VoteColumns
    controls: tuple[tuple[str, str, str | None], ...] = ()
    sums: tuple[str, str, str] | None = None


class _Raw(NamedTuple):
    """Columns of the whole table by role, under the codes of the table."""

    names: Mapping[str, tuple[str, ...]]
    labels: Mapping[str, NDArray[np.int64]]
    numbers: Mapping[str, NDArray[np.float64]]
    place: Callable[[int], str]


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
    raw = _read_columns(source)
    models = tuple(sorted({*raw.names["model_a"], *raw.names["model_b"]}))
    first, second = (_model_codes(raw, role, models) for role in ("model_a", "model_b"))
    rows = _outcomes(source, raw, models, first, second)
    rows = _with_weights(source, raw, rows)
    keep = rows.outcome != NO_VOTE
    rows = rows._replace(unscored=int(rows.votes[~keep].sum()))
    same = (rows.first == rows.second) & keep
    if same.any():
        if not drop_self:
            raise DataError(_against_self(raw, rows, same))
        rows = rows._replace(against_self=int(rows.votes[same].sum()))
        keep &= ~same
    if "anonymous" in raw.labels:
        seen = _named_votes(raw)[rows.row]
        rows = rows._replace(named=int(rows.votes[keep & seen].sum()))
        keep &= ~seen
    return rows.take(keep)


def _read_columns(source: RowSource) -> _Raw:
    roles = source.columns.roles
    labels = {role: roles[role] for role in ("model_a", "model_b") if role in roles}
    if "loser" in roles:
        labels = {"model_a": roles["winner"], "model_b": roles["loser"]}
    labels |= {
        role: roles[role]
        for role in LABEL_ROLES
        if role in roles and not ("loser" in roles and role in ("winner", "loser"))
    }
    numbers = {role: roles[role] for role in NUMBER_ROLES if role in roles}
    if source.sums is not None:
        numbers |= dict(zip(SUMS, source.sums, strict=True))
    text = _text_outcome(source)
    if text is not None:
        labels["winner"] = numbers.pop(text)
    for name, one, other in source.controls:
        numbers[f"control {name}"] = one
        if other is not None:
            numbers[f"other {name}"] = other
    coded = source.table.code(labels, numbers)
    _check_numbers(source, coded, numbers)
    blocks = list(coded.blocks())
    starts = np.cumsum([0, *(block.rows for block in blocks)])

    def place(row: int) -> str:
        number = int(np.searchsorted(starts, row, side="right")) - 1
        block = blocks[number]
        return f"{block.source}, row {block.row_number(row - int(starts[number]))}"

    def joined(role: str) -> NDArray[np.int64]:
        parts = [np.asarray(block.labels[role]) for block in blocks]
        return np.concatenate(parts).astype(np.int64) if parts else np.empty(0, np.int64)

    def values(role: str) -> NDArray[np.float64]:
        parts = [block.numbers[role] for block in blocks]
        return np.concatenate(parts) if parts else np.empty(0)

    return _Raw(
        coded.names,
        {role: joined(role) for role in labels},
        {role: values(role) for role in numbers},
        place,
    )


def _text_outcome(source: RowSource) -> str | None:
    """The role of a column of numbers that holds words for outcomes instead."""
    for role in ("score", "preference", "chosen"):
        if role in source.columns.roles:
            column = source.table.columns.index(source.columns.roles[role])
            cells = [row[column] for row in source.table.head(50)]
            texts = [cell for cell in cells if isinstance(cell, str) and cell.strip()]
            if any(parse_number(text) is None for text in texts):
                return role
    return None


def _check_numbers(source: RowSource, coded: CodedTable, numbers: Mapping[str, str]) -> None:
    for role, name in numbers.items():
        column = coded.columns[role]
        if column.unread is not None:
            row = source.table.header_rows + 1 + column.unread.row
            raise DataError(
                f"{source.table.source}, row {row}: {column.unread.text!r} in column {name!r} "
                f"({role}) is not a number. Correct the cell, or name another column."
            )


def _model_codes(raw: _Raw, role: str, models: tuple[str, ...]) -> NDArray[np.int64]:
    place = {name: code for code, name in enumerate(models)}
    codes = raw.labels[role]
    if (codes < 0).any():
        row = int(np.flatnonzero(codes < 0)[0])
        raise DataError(
            f"{raw.place(row)}: the {'first' if role == 'model_a' else 'second'} model has no "
            "name. Every vote needs two models; correct the row or leave it out."
        )
    position = np.array([place[name] for name in raw.names[role]], dtype=np.int64)
    return position[codes] if position.size else codes


def _outcomes(
    source: RowSource,
    raw: _Raw,
    models: tuple[str, ...],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
) -> VoteRows:
    """Rows with their outcomes; a count or a share makes several rows of one."""
    size = first.size
    ones = np.ones(size, dtype=np.int64)
    base = VoteRows(
        models, first, second, np.zeros(size, dtype=np.int64), ones, np.ones(size), np.ones(size),
        False, _labels(raw), _positions(raw, first, second, models, source.columns.ordered),
        _controls(raw, source), np.arange(size),
    )  # fmt: skip
    if source.columns.layout == "counts":
        return _counted(raw, base)
    if source.columns.layout == "loser":
        return base
    if "winner" in raw.labels:
        try:
            outcome = read_outcomes(
                first, second, models, raw.labels["winner"], raw.names["winner"]
            )
        except DataError as error:
            raise DataError(f"{source.table.source}: {error}") from error
        _refuse_unknown(source, raw, outcome, first, second, models)
        return base._replace(outcome=outcome, winners=_winners_read_as(raw, outcome, models))
    role = next(role for role in ("score", "preference", "chosen") if role in raw.numbers)
    return _shared_out(base, _first_share(raw, role, source.columns.roles[role]))


def _winners_read_as(raw: _Raw, outcome: NDArray[np.int64], models: tuple[str, ...]) -> str:
    """How cells were read that could be names of models or words for the sides."""
    names = raw.names["winner"]
    codes = np.array([*(word_code(name) for name in names), NO_VOTE], dtype=np.int64)
    both = [k for k, name in enumerate(names) if codes[k] in (WIN, LOSS) and name in models]
    if not both:
        return ""
    doubtful = np.isin(raw.labels["winner"], both)
    same = bool((outcome[doubtful] == codes[raw.labels["winner"]][doubtful]).all())
    return "words" if same else "names"


def _labels(raw: _Raw) -> dict[str, tuple[tuple[str, ...], NDArray[np.int64]]]:
    kept = ("judge", "prompt", "cluster", "task", "category")
    return {role: (raw.names[role], raw.labels[role]) for role in kept if role in raw.labels}


def _positions(
    raw: _Raw,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    models: tuple[str, ...],
    ordered: bool,
) -> NDArray[np.int64] | None:
    if "position" not in raw.labels:
        return np.ones(first.size, dtype=np.int64) if ordered else None
    outcome = read_outcomes(first, second, models, raw.labels["position"], raw.names["position"])
    bad = np.isin(outcome, (UNKNOWN, TIE, BAD))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        text = raw.names["position"][raw.labels["position"][row]]
        raise DataError(
            f"{raw.place(row)}: the position {text!r} does not say which model was shown first. "
            "Expected the name of a model, or a word such as model_a, left or first."
        )
    return np.select([outcome == WIN, outcome == LOSS], [1, -1], 0)


def _controls(raw: _Raw, source: RowSource) -> NDArray[np.float64]:
    size = raw.labels["model_a"].size
    table = np.empty((size, len(source.controls)))
    for k, (name, column, other) in enumerate(source.controls):
        sides = {column: raw.numbers[f"control {name}"]}
        if other is not None:
            sides[other] = raw.numbers[f"other {name}"]
        for side, cells in sides.items():
            if np.isnan(cells).any():
                row = int(np.flatnonzero(np.isnan(cells))[0])
                raise DataError(
                    f"{raw.place(row)}: there is no value of {side!r} to control for. Fill it, or "
                    f"leave out --control {name}."
                )
        values = sides[column]
        if other is not None:
            values = values - sides[other]
        table[:, k] = values
    return table


def _refuse_unknown(
    source: RowSource,
    raw: _Raw,
    outcome: NDArray[np.int64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    models: tuple[str, ...],
) -> None:
    unknown = outcome == UNKNOWN
    if not unknown.any():
        return
    row = int(np.flatnonzero(unknown)[0])
    codes, words = raw.labels["winner"], raw.names["winner"]
    text = words[codes[row]]
    others = sorted({words[code] for code in np.unique(codes[unknown])} - {text})
    more = f" (also unknown: {', '.join(map(repr, others[:5]))})" if others else ""
    hint = "Correct the cell, or name another column: --column winner=NAME."
    if word_code(text) == UNKNOWN and text.strip() in ("0", "0.0"):
        hint = (
            "If 1 means that the first model won and 0 that the second did: --column "
            f"score={source.columns.roles.get('winner', 'NAME')} (and --column winner=)."
        )
    elif text in models:
        hint = "It is the name of a model that does not take part in this vote."
    raise DataError(
        f"{raw.place(row)}: the winner {text!r} of {models[first[row]]!r} against "
        f"{models[second[row]]!r} is not a known outcome{more}; {int(unknown.sum()):,} rows have "
        f"such a value. Known: {KNOWN_WORDS}. {hint}"
    )


def _first_share(raw: _Raw, role: str, column: str) -> NDArray[np.float64]:
    """What part of each vote the first model gets, 0 to 1; NaN where there is no outcome."""
    values = raw.numbers[role]
    known = values[~np.isnan(values)]
    expected = {
        "score": "from 0 (the second model won) to 1 (the first did)",
        "preference": "from 1 (the first model is preferred) to 2 (the second is)",
        "chosen": "1 (the first model was chosen) or 0 (the second was)",
    }[role]
    if role == "preference" and known.size and known.max() <= 1.0:
        raise DataError(
            f"The column {column!r} holds no value above 1; preferences run {expected}. If 1 means "
            f"that the first model won: --column score={column} (and --column preference=)."
        )
    share = values
    if role == "preference":
        share = np.where(values == 0.0, 0.5, 2.0 - values)  # 0 is the old code of a draw
    wrong = (share < 0) | (share > 1)
    if role == "chosen":
        wrong |= (share != 0) & (share != 1) & ~np.isnan(share)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise DataError(
            f"{raw.place(row)}: the outcome {values[row]:g} in column {column!r} is not one; "
            f"expected {expected}."
        )
    return np.asarray(share)


def _shared_out(base: VoteRows, share: NDArray[np.float64]) -> VoteRows:
    """Rows for shares of the first model; a share between win and tie becomes two rows."""
    plain = np.select([share == 1, share == 0, share == 0.5, np.isnan(share)],
                      [WIN, LOSS, TIE, NO_VOTE], BAD)  # fmt: skip
    parted = plain == BAD
    if not parted.any():
        return base._replace(outcome=plain)
    size = share.size
    index = np.concatenate([np.arange(size), np.flatnonzero(parted)])
    outcome = np.concatenate([np.where(parted, WIN, plain), np.full(int(parted.sum()), LOSS)])
    part = np.concatenate([np.where(parted, share, 1.0), 1.0 - share[parted]])
    votes = np.concatenate([np.ones(size, dtype=np.int64), np.zeros(int(parted.sum()), np.int64)])
    return _repeat(base, index)._replace(
        outcome=outcome, votes=votes, weight=part, squared=part**2, weighted=True, shared=True
    )


def _counted(raw: _Raw, base: VoteRows) -> VoteRows:
    """Rows for tables of counts: one per outcome that occurred."""
    parts, index = [], []
    for role, outcome in (("wins_a", WIN), ("ties", TIE), ("wins_b", LOSS), ("both_bad", BAD)):
        if role not in raw.numbers:
            continue
        values = np.nan_to_num(raw.numbers[role])
        wrong = (values < 0) | (values != np.round(values))
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise DataError(
                f"{raw.place(row)}: {values[row]:g} votes ({role}) is not a count. Expected whole "
                "numbers, 0 or more."
            )
        some = np.flatnonzero(values > 0)
        index.append(some)
        parts.append((np.full(some.size, outcome), values[some]))
    rows = np.concatenate(index)
    counts = np.concatenate([values for _, values in parts])
    return _repeat(base, rows)._replace(
        outcome=np.concatenate([outcome for outcome, _ in parts]),
        votes=counts.astype(np.int64),
        weight=counts,
        squared=counts,
    )


def _repeat(base: VoteRows, index: NDArray[np.intp]) -> VoteRows:
    return base._replace(
        first=base.first[index],
        second=base.second[index],
        labels={role: (names, codes[index]) for role, (names, codes) in base.labels.items()},
        position=None if base.position is None else base.position[index],
        covariates=base.covariates[index],
        row=base.row[index],
    )


def _with_weights(source: RowSource, raw: _Raw, rows: VoteRows) -> VoteRows:
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


def _named_votes(raw: _Raw) -> NDArray[np.bool_]:
    """Votes that were cast with the names of the models in sight."""
    names, codes = raw.names["anonymous"], raw.labels["anonymous"]
    value = np.array([*(parse_number(name) == 0.0 for name in names), False])
    return np.asarray(value[codes])


def _against_self(raw: _Raw, rows: VoteRows, same: NDArray[np.bool_]) -> str:
    row = int(np.flatnonzero(same)[0])
    return (
        f"{raw.place(int(rows.row[row]))}: model {rows.models[rows.first[row]]!r} is "
        f"compared with itself ({int(rows.votes[same].sum()):,} such votes). A vote needs two "
        "different models. Correct the rows, or leave them out: --self-votes drop."
    )
