"""Votes of a table as rows, whose outcomes, weights and places are checked."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.votes import BAD, TIE, WIN
from rankbars.errors import DataError
from rankbars.tables.cells import parse_number
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.tablerows import Table
from rankbars.tables.votes.votecategories import SortedTable
from rankbars.tables.votes.votecells import (
    LABEL_ROLES,
    Controls,
    Integers,
    Names,
    VoteCells,
    find_controls,
    read_vote_cells,
)
from rankbars.tables.votes.votecolumns import VoteColumns
from rankbars.tables.votes.voteoutcomes import (
    SHARES,
    Outcomes,
    count_outcomes,
    read_outcomes,
    share_out,
    spell_winners,
    winners_read_as,
)
from rankbars.tables.votes.votewords import (
    KNOWN_WORDS,
    MOST_WORDS,
    NO_VOTE,
    UNKNOWN,
    are_grades,
    ask_about_grades,
    ask_about_words,
    grades_of_winners,
    word_code,
)

__all__ = ["VoteRows", "cast_votes"]


# Weights beyond this, or below its inverse, are slips, and their squares lose all digits.
LARGEST_WEIGHT = 1e12


class VoteRows(NamedTuple):
    """Votes as rows, before they are sorted into tasks.

    Attributes
    ----------
    models : tuple of str
        Names, in code-point order.
    first, second, outcome : array of int, shape (R,)
        As in `Ballots`.
    labels : mapping from str to Names
        What rows belong to, by role.
    single : frozenset of str
        Roles of which each vote has a name of its own, which therefore bring none together.
    votes : array of int, shape (R,), optional
        Votes behind each row; one each where not given.
    weight, squared : array of float, shape (R,), optional
        Sums of their weights and of the squares; the number of votes where not given.
    position : array of int, shape (R,), optional
        1 where the first model was shown first, -1 where the second was, 0 where nobody knows.
    covariates : array of float, shape (R, q), optional
        Values of the controls.
    unit : array of int, shape (R,), optional
        Number of the vote, where some votes are shared out over several rows.
    unscored, against_self, named : int
        Votes without an outcome; of a model against itself; that were not anonymous.
    winners : {"", "names", "words"}
        How winners were read that could be the name of a model or a word for a side.
    spelled : mapping from str to str
        Models by how winners write them, where the case differs.
    graded : tuple of str, optional
        Two words for one side that differ in how much it was preferred.
    categories : array of int, shape (R,), optional
        Bits of the `category_names`, as in `Ballots`.
    category_names : tuple of str
        Names of categories that may overlap.
    """

    models: tuple[str, ...]
    first: Integers
    second: Integers
    outcome: Integers
    labels: Mapping[str, Names]
    single: frozenset[str] = frozenset()
    votes: NDArray[np.int64] | None = None
    weight: NDArray[np.float64] | None = None
    squared: NDArray[np.float64] | None = None
    position: Integers | None = None
    covariates: NDArray[np.float64] | None = None
    unit: Integers | None = None
    unscored: int = 0
    against_self: int = 0
    named: int = 0
    winners: str = ""
    spelled: Mapping[str, str] = MappingProxyType({})
    graded: tuple[str, str] | None = None
    categories: NDArray[np.int64] | None = None
    category_names: tuple[str, ...] = ()

    def count(self, rows: NDArray[np.bool_]) -> int:
        """Votes behind the rows where `rows` is true."""
        return int(np.count_nonzero(rows) if self.votes is None else self.votes[rows].sum())

    def take(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> VoteRows:
        """The rows where `rows` is true, or at these positions."""
        if rows.dtype == np.bool_ and rows.all():
            return self
        columns = ("first", "second", "outcome", "votes", "weight", "squared", "position",
                   "covariates", "unit", "categories")  # fmt: skip
        known = {name: getattr(self, name) for name in columns}
        taken = {name: cells[rows] for name, cells in known.items() if cells is not None}
        labels = {role: Names(own.names, own.codes[rows]) for role, own in self.labels.items()}
        return self._replace(labels=labels, **taken)


def cast_votes(table: Table, columns: VoteColumns, options: ReadOptions) -> VoteRows:
    """All votes of a table whose rows compare two models.

    Parameters
    ----------
    table : Table
        The table.
    columns : VoteColumns
        What its columns mean.
    options : ReadOptions
        Controls, and what to do with votes of a model against itself.

    Raises
    ------
    DataError
        If an outcome is not known, a model has no name or meets itself, or a number is missing
        or out of range; the message names the row.
    """
    controls = find_controls(table, options.controls)
    cells = read_vote_cells(table, columns, controls, options.words)
    models = tuple(sorted({*cells.names["model_a"].names, *cells.names["model_b"].names}))
    first, second = (_model_codes(cells, role, models) for role in ("model_a", "model_b"))
    rows = VoteRows(
        models, first, second, np.full(first.size, NO_VOTE, np.int8),
        {role: cells.names[role] for role in LABEL_ROLES if role in cells.names},
        cells.single, cells.votes,
        position=_positions(cells, models, first, second, columns.ordered),
        covariates=_covariates(cells, controls),
    )  # fmt: skip
    if isinstance(table, SortedTable):
        bits = cells.numbers["categories"].astype(np.int64)
        rows = rows._replace(categories=bits, category_names=table.names)
    lower = {*options.direction.values()} == {"lower"}
    found, rows = _outcomes(cells, columns.layout, rows, options.words, lower=lower)
    spread = rows if found.row is None else rows.take(found.row)
    rows = _weigh(cells, spread._replace(outcome=found.outcome), found)
    return _leave_out(cells, rows, found.row, drop_self=options.self_votes == "drop")


def _model_codes(cells: VoteCells, role: str, models: tuple[str, ...]) -> Integers:
    """Models of one side of the votes, as positions in `models`."""
    names, codes = cells.names[role]
    if codes.size and codes.dtype.kind == "i" and codes.min() < 0:
        raise DataError(
            f"{cells.place(codes < 0)}: the {'first' if role == 'model_a' else 'second'} model has "
            "no name. Every vote needs two models; correct the row or leave it out."
        )
    place = {name: code for code, name in enumerate(models)}
    position = np.array([place[name] for name in names], np.min_scalar_type(len(models)))
    return position[codes]


def _outcomes(
    cells: VoteCells, layout: str, rows: VoteRows, worth: Mapping[str, float], *, lower: bool
) -> tuple[Outcomes, VoteRows]:
    """Outcomes of all votes, and the rows with how doubtful winners were read."""
    if layout == "scores":
        ahead = cells.numbers["score_a"] - cells.numbers["score_b"]
        share = (1.0 + np.sign(-ahead if lower else ahead)) / 2.0
        return share_out(share, "score", {"score": cells.columns["score_a"]}, cells.place), rows
    if layout == "counts":
        return count_outcomes(cells.numbers, cells.place), rows
    if layout == "loser":
        return Outcomes(np.full(rows.first.size, WIN, np.int8)), rows
    if "winner" not in cells.names:
        role = next(role for role in SHARES if role in cells.numbers)
        return share_out(cells.numbers[role], role, cells.columns, cells.place), rows
    given, codes = cells.names["winner"]
    free = [word for word in given if word.strip().casefold() not in worth]
    spelled = {word: name for word, name in zip(free, spell_winners(free, rows.models), strict=True)
               if word != name}  # fmt: skip
    names = [spelled.get(word, word) for word in given]
    try:
        numbers = next((_NUMBERS[role] for role in _NUMBERS if role in cells.columns), {})
        outcome = read_outcomes(
            rows.first, rows.second, rows.models, codes, names, {**numbers, **worth}
        )
    except DataError as error:
        raise DataError(f"{cells.source}: {error}") from error
    _refuse_unknown(cells, rows, outcome)
    winners = winners_read_as(codes, names, outcome, rows.models)
    graded = grades_of_winners(free) if winners != "names" else None
    return Outcomes(outcome), rows._replace(winners=winners, spelled=spelled, graded=graded)


# What part of a vote the first model gets by a number that stands among words.
_NUMBERS: Mapping[str, Mapping[str, float]] = {
    "score": {"1": 1.0, "0.5": 0.5, "0": 0.0},
    "preference": {"1": 1.0, "0": 0.5, "2": 0.0},
    "chosen": {"1": 1.0, "0": 0.0},
}


def _refuse_unknown(cells: VoteCells, rows: VoteRows, outcome: Integers) -> None:
    unknown = outcome == UNKNOWN
    if not unknown.any():
        return
    row, text = int(unknown.argmax()), cells.name("winner", unknown)
    words, codes = cells.names["winner"]
    others = sorted({words[code] for code in np.unique(codes[unknown])} - {text})
    more = f" (also unknown: {', '.join(map(repr, others[:5]))})" if others else ""
    hint = "Correct the cell, or name another column: --column winner=NAME."
    zero = word_code(text) == UNKNOWN and text.strip() in ("0", "0.0")
    numbers = [parse_number(word) for word in words if word_code(word) != NO_VOTE]
    grades = [number for number in numbers if number is not None]
    if len(grades) == len(numbers) and are_grades(grades):
        hint = ask_about_grades(grades, (cells.columns["model_a"], cells.columns["model_b"]))
    elif zero and not others and 2.0 not in numbers:
        hint = (
            "If 1 means that the first model won and 0 that the second did: --column "
            f"score={cells.columns.get('winner', 'NAME')} (and --column winner=)."
        )
    elif text in rows.models:
        hint = "It is the name of a model that does not take part in this vote."
    elif len(others) < MOST_WORDS and not {*others} & {*rows.models}:
        hint = f"{ask_about_words([text, *others])} If it is a slip, correct the cell."
    raise DataError(
        f"{cells.place(row)}: the winner {text!r} of {rows.models[rows.first[row]]!r} against "
        f"{rows.models[rows.second[row]]!r} is not a known outcome{more}; "
        f"{rows.count(unknown):,} rows have such a value. Known: {KNOWN_WORDS}. {hint}"
    )


def _positions(
    cells: VoteCells, models: tuple[str, ...], first: Integers, second: Integers, ordered: bool
) -> Integers | None:
    """Which model was shown first: 1 for the first, -1 for the second; None if nothing tells."""
    if "position" not in cells.names:
        return np.ones(first.size, dtype=np.int8) if ordered else None
    names, codes = cells.names["position"]
    outcome = read_outcomes(first, second, models, codes, names)
    bad = np.isin(outcome, (UNKNOWN, TIE, BAD))
    if bad.any():
        raise DataError(
            f"{cells.place(bad)}: the position {cells.name('position', bad)!r} does not say which "
            "model was shown first. Expected the name of a model, or a word such as model_a, left "
            "or first."
        )
    return np.where(outcome == NO_VOTE, 0, 1 - outcome).astype(np.int8)


def _covariates(cells: VoteCells, controls: Controls) -> NDArray[np.float64] | None:
    """Values of the controls, shape (R, q): of the first model less the second."""
    if not controls:
        return None
    table = np.empty((cells.row.size, len(controls)))
    for number, (name, one, other) in enumerate(controls):
        table[:, number] = _control(cells, f"control {name}", name, one)
        if other is not None:
            table[:, number] -= _control(cells, f"other {name}", name, other)
    return table


def _control(cells: VoteCells, role: str, name: str, column: str) -> NDArray[np.float64]:
    values = cells.numbers[role]
    gone = np.isnan(values)
    if gone.any():
        raise DataError(
            f"{cells.place(gone)}: there is no value of {column!r} to control for. Fill it, or "
            f"leave out --control {shlex.quote(name)}."
        )
    return values


def _weigh(cells: VoteCells, rows: VoteRows, found: Outcomes) -> VoteRows:
    """Rows with the votes and weights behind them."""
    votes = rows.votes if found.votes is None else found.votes
    weight, squared = found.share, None if found.share is None else found.share**2
    number, loads, chance = (
        _checked(cells, role, found) for role in ("count", "weight", "probability")
    )
    if number is not None:
        whole = number.astype(np.int64)
        votes = whole if votes is None else votes * whole
        if weight is not None and squared is not None:
            weight, squared = weight * number, squared * number
    if chance is not None:
        # The chance of the pair had all pairs been alike, over the one that it had.
        alike = 2.0 / max(len(rows.models) * (len(rows.models) - 1), 1)
        loads = alike / chance if loads is None else loads * alike / chance
    if loads is not None and (loads != 1).any():
        plain = np.ones(loads.size) if votes is None else votes.astype(np.float64)
        weight = (plain if weight is None else weight) * loads
        squared = (plain if squared is None else squared) * loads**2
    unit = None if found.share is None else found.row
    return rows._replace(votes=votes, weight=weight, squared=squared, unit=unit)


_EXPECTED = {
    "count": "a whole number of votes above 0",
    "weight": "a weight above 0",
    "probability": "the probability, above 0 and at most 1, with which the pair was chosen",
}


def _checked(cells: VoteCells, role: str, found: Outcomes) -> NDArray[np.float64] | None:
    """Counts, weights or probabilities of the rows of votes, each above 0."""
    if role not in cells.numbers:
        return None
    values = cells.numbers[role]
    wrong = ~(values > 0) | ~np.isfinite(values)
    if role == "count":
        wrong |= values != np.round(values)
    else:
        largest = 1.0 if role == "probability" else LARGEST_WEIGHT
        wrong |= (values < 1 / LARGEST_WEIGHT) | (values > largest)
    if wrong.any():
        value = values[wrong][0]
        what = _EXPECTED[role]
        if role == "weight" and 0 < value < np.inf:
            what = f"a weight from {1 / LARGEST_WEIGHT:g} to {LARGEST_WEIGHT:g}"
        raise DataError(
            f"{cells.place(wrong)}: {value:g} in column {cells.columns[role]!r} is not {what}. "
            "Correct the row, leave it out, or switch the column off: --column "
            f"{role}=."
        )
    return values if found.row is None else values[found.row]


def _if_answers(cells: VoteCells) -> str:
    """What to do where most votes are of a model and itself, as labels of two classifiers are."""
    names = [cells.columns.get(role) for role in ("model_a", "model_b", "winner")]
    if None in names:
        return ""
    *models, truth = names
    return (
        f" If {truth!r} holds right answers, and {models[0]!r} and {models[1]!r} hold what models "
        f"answered, score them first, in pandas: frame[{models!r}].eq(frame[{truth!r}], axis=0)"
        ".astype(int).rename_axis('item').to_csv('right.csv'). Read that."
    )


def _leave_out(
    cells: VoteCells, rows: VoteRows, origin: NDArray[np.intp] | None, *, drop_self: bool
) -> VoteRows:
    """Rows that count: with an outcome, of two models, cast without their names in sight."""
    keep = rows.outcome != NO_VOTE
    rows = rows._replace(unscored=rows.count(~keep))
    same = (rows.first == rows.second) & keep
    if same.any():
        if not drop_self:
            row = int(same.argmax())
            place = cells.place(row if origin is None else int(origin[row]))
            raise DataError(
                f"{place}: model {rows.models[rows.first[row]]!r} is compared with itself "
                f"({rows.count(same):,} such votes). A vote needs two different models. Correct "
                "the rows, or leave them out: --self-votes drop."
                f"{_if_answers(cells) if 2 * rows.count(same) > rows.count(keep) else ''}"
            )
        rows = rows._replace(against_self=rows.count(same))
        keep &= ~same
    if "anonymous" in cells.names:
        names, codes = cells.names["anonymous"]
        named = np.array([*(parse_number(name) == 0.0 for name in names), False])[codes]
        seen = named if origin is None else named[origin]
        rows = rows._replace(named=rows.count(keep & seen))
        keep &= ~seen
    return rows.take(keep)
