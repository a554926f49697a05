"""Outcomes of votes: words, shares and counts become wins, losses and ties."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.data.votes import BAD, LOSS, TIE, WIN
from rankbars.errors import DataError
from rankbars.tables.voting.rawcolumns import RawColumns, controls_of, labels_of, positions_of
from rankbars.tables.voting.rows import RowSource, VoteRows
from rankbars.tables.voting.words import KNOWN_WORDS, NO_VOTE, UNKNOWN, read_outcomes, word_code

__all__ = ["give_outcomes"]


def give_outcomes(
    source: RowSource,
    raw: RawColumns,
    models: tuple[str, ...],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
) -> VoteRows:
    """Rows with their outcomes; a count or a share makes several rows of one."""
    size = first.size
    ones = np.ones(size, dtype=np.int64)
    base = VoteRows(
        models, first, second, np.zeros(size, dtype=np.int64), ones, np.ones(size), np.ones(size),
        False, labels_of(raw), positions_of(raw, first, second, models, source.columns.ordered),
        controls_of(raw, source), np.arange(size),
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


def _winners_read_as(raw: RawColumns, outcome: NDArray[np.int64], models: tuple[str, ...]) -> str:
    """How cells were read that could be names of models or words for the sides."""
    names = raw.names["winner"]
    codes = np.array([*(word_code(name) for name in names), NO_VOTE], dtype=np.int64)
    both = [k for k, name in enumerate(names) if codes[k] in (WIN, LOSS) and name in models]
    if not both:
        return ""
    doubtful = np.isin(raw.labels["winner"], both)
    same = bool((outcome[doubtful] == codes[raw.labels["winner"]][doubtful]).all())
    return "words" if same else "names"


def _refuse_unknown(
    source: RowSource,
    raw: RawColumns,
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


def _first_share(raw: RawColumns, role: str, column: str) -> NDArray[np.float64]:
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


def _counted(raw: RawColumns, base: VoteRows) -> VoteRows:
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
