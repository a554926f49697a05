"""Outcomes of votes: what words, shares and counts say about the two models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.votes import BAD, LOSS, TIE, WIN
from rankbars.errors import DataError
from rankbars.tables.columns import paste_columns
from rankbars.tables.votes.votewords import (
    MOST_WORDS,
    NO_VOTE,
    UNKNOWN,
    are_grades,
    ask_about_grades,
    ask_about_words,
    word_code,
    word_codes,
)

__all__ = [
    "SHARES",
    "Outcomes",
    "count_outcomes",
    "read_outcomes",
    "share_out",
    "spell_winners",
    "winners_read_as",
]

# Roles of numbers that say what part of a vote the first model gets, and what they run from.
SHARES = {
    "score": "from 0 (the second model won) to 1 (the first did)",
    "preference": "from 1 (the first model is preferred) to 2 (the second is)",
    "chosen": "1 (the first model was chosen) or 0 (the second was)",
}


def read_outcomes(
    first: NDArray[np.integer],
    second: NDArray[np.integer],
    models: Sequence[str],
    winner: NDArray[np.integer],
    words: Sequence[str],
    worth: Mapping[str, float] | None = None,
) -> NDArray[np.int8]:
    """Outcome of each vote from its winner cell: a word, or the name of a model.

    Where a model has the name of a side, such as ``"a"``, cells are names if every winner is one
    of the two models of its row, and else words.

    Parameters
    ----------
    first, second : array of int, shape (R,)
        The two models, as positions in `models`.
    models : sequence of str
        Names of the models.
    winner : array of int, shape (R,)
        Codes of the cells, as positions in `words`; -1 where the cell is empty.
    words : sequence of str
        What the cells hold.
    worth : mapping from str to float, optional
        What part of a vote the first model gets by a word without case, as callers say it.

    Returns
    -------
    array of int, shape (R,)
        Outcomes; `NO_VOTE` where there is none and `UNKNOWN` where nobody can tell.

    Raises
    ------
    DataError
        If neither reading fits all cells.
    """
    place = {name: i for i, name in enumerate(models)}
    declared = {
        _plain_word(word): _declared_code(word, share) for word, share in (worth or {}).items()
    }
    known = word_codes(words)
    codes = (declared.get(_plain_word(word), known[word]) for word in words)
    by_word = np.array([*codes, NO_VOTE], dtype=np.int8)
    as_word: NDArray[np.int8] = by_word[winner]
    if not any(word in place for word in words):
        return as_word
    by_name = np.array([*(place.get(word, -1) for word in words), -1], dtype=np.int32)
    named = by_name[winner]
    as_name = np.full(winner.shape, UNKNOWN, dtype=np.int8)
    as_name[named == first] = WIN
    as_name[named == second] = LOSS
    both = (as_word >= 0) & (as_name >= 0)
    differ = both & (as_word != as_name)
    if not differ.any():
        return np.asarray(np.where(as_word != UNKNOWN, as_word, as_name))
    unknown = (as_word == UNKNOWN) & (as_name == UNKNOWN)
    name_fits = bool((np.isin(as_word, (TIE, BAD, NO_VOTE)) | (as_name >= 0) | unknown).all())
    word_fits = bool(((as_word != UNKNOWN) | unknown).all())
    if name_fits:
        return np.where(as_name >= 0, as_name, as_word)
    if word_fits:
        return as_word
    row = int(np.flatnonzero(differ)[0])
    raise DataError(
        f"the winner {words[winner[row]]!r} is the name of a model and also a word for one of the "
        f"sides, and they disagree (first model {models[first[row]]!r}, second "
        f"{models[second[row]]!r}). Rename the models, or give a column with 1, 0.5 and 0 for the "
        "first model: --column score=NAME."
    )


def _plain_word(word: str) -> str:
    """A word without case, and a whole number without what a column of fractions adds to it."""
    return word.strip().casefold().removesuffix(".0")


def _declared_code(word: str, share: float) -> int:
    """Outcome that a caller says a word is; raises `DataError` if it is none."""
    code = NO_VOTE if share != share else _BY_SHARE.get(share)
    if code is None:
        raise DataError(
            f"the word {word!r} is worth {share:g}, which is no outcome of a vote. Expected tie, "
            "missing (no vote), 1 (the first model won) or 0 (the second did)."
        )
    return code


_BY_SHARE = {1.0: WIN, 0.5: TIE, 0.0: LOSS}


def spell_winners(words: Sequence[str], models: Sequence[str]) -> list[str]:
    """Cells with the names of models as these are written, where only the case differs.

    Examples
    --------
    >>> spell_winners(["Gem", "opus", "Tie"], ["gem", "opus", "tie"])
    ['gem', 'opus', 'Tie']
    >>> spell_winners(["GEM"], ["gem", "Gem"])
    ['GEM']
    """
    folded: dict[str, list[str]] = {}
    for name in models:
        folded.setdefault(name.casefold(), []).append(name)
    known = {*models}

    def spell(word: str) -> str:
        alike = folded.get(word.casefold(), [])
        other = word not in known and word_code(word) == UNKNOWN and len(alike) == 1
        return alike[0] if other else word

    return [spell(word) for word in words]


def winners_read_as(
    winner: NDArray[np.integer], words: Sequence[str], outcome: NDArray[np.integer],
    models: Sequence[str],
) -> str:  # fmt: skip
    """How cells were read that could be names of models or words for the sides.

    Parameters
    ----------
    winner, words, models
        As in `read_outcomes`.
    outcome : array of int, shape (R,)
        What it gave.

    Returns
    -------
    {"", "names", "words"}
        Empty if no cell is doubtful.
    """
    known = word_codes(words)
    codes = np.array([*(known[word] for word in words), NO_VOTE], dtype=np.int64)
    both = [k for k, word in enumerate(words) if codes[k] in (WIN, LOSS) and word in models]
    if not both:
        return ""
    doubtful = np.isin(winner, both)
    same = bool((outcome[doubtful] == codes[winner[doubtful]]).all())
    return "words" if same else "names"


class Outcomes(NamedTuple):
    """Outcomes of votes.

    Attributes
    ----------
    outcome : array of int, shape (R,)
        As in `Ballots`, or `NO_VOTE`.
    row : array of int, shape (R,), optional
        Row of the table that each comes from, where a row may give several.
    votes : array of int, shape (R,), optional
        Votes behind each.
    share : array of float, shape (R,), optional
        What part of a vote each is, where some votes are shared out.
    """

    outcome: NDArray[np.integer]
    row: NDArray[np.intp] | None = None
    votes: NDArray[np.int64] | None = None
    share: NDArray[np.float64] | None = None


def share_out(
    values: NDArray[np.float64], role: str, columns: Mapping[str, str],
    place: Callable[[NDArray[np.bool_]], str],
) -> Outcomes:  # fmt: skip
    """Outcomes of votes from numbers; a share between win and tie becomes two.

    Parameters
    ----------
    values : array of float, shape (R,)
        What the column holds, NaN where there is no outcome.
    role : str
        One of `SHARES`.
    columns : mapping from str to str
        Column by role, for messages.
    place : callable
        Which rows → name of the first of them, for messages.

    Raises
    ------
    DataError
        If a number is no outcome.
    """
    share = _first_share(values, role, columns, place)
    plain = np.select([share == 1, share == 0, share == 0.5, np.isnan(share)],
                      [WIN, LOSS, TIE, NO_VOTE], BAD)  # fmt: skip
    parted = plain == BAD
    if not parted.any():
        return Outcomes(plain.astype(np.int8))
    more = np.flatnonzero(parted)
    return Outcomes(
        np.concatenate([np.where(parted, WIN, plain), np.full(more.size, LOSS)]),
        np.concatenate([np.arange(share.size), more]),
        np.repeat(np.array([1, 0]), (share.size, more.size)),
        np.concatenate([np.where(parted, share, 1.0), 1.0 - share[parted]]),
    )


def _first_share(
    values: NDArray[np.float64], role: str, columns: Mapping[str, str],
    place: Callable[[NDArray[np.bool_]], str],
) -> NDArray[np.float64]:  # fmt: skip
    """What part of each vote the first model gets, 0 to 1; NaN where there is no outcome."""
    known = values[~np.isnan(values)]
    expected, column = SHARES[role], columns[role]
    if role == "preference" and known.size and known.max() <= 1.0:
        raise DataError(
            f"The column {column!r} holds no value above 1; preferences run {expected}. If 1 means "
            f"that the first model won: {paste_columns({'score': column})} (and "
            "--column preference=)."
        )
    share = values
    if role == "preference":
        share = np.where(values == 0.0, 0.5, 2.0 - values)  # 0 is the old code of a draw
    wrong = (share < 0) | (share > 1)
    if role == "chosen":
        wrong |= (share != 0) & (share != 1) & ~np.isnan(share)
    if wrong.any():
        others = sorted({f"{value:g}" for value in values[wrong].tolist()})
        hint = f" {ask_about_words(others)}" if len(others) <= MOST_WORDS else ""
        grades = np.unique(known).tolist()
        if are_grades(grades):
            hint = f" {ask_about_grades(grades, (columns['model_a'], columns['model_b']))}"
        raise DataError(
            f"{place(wrong)}: the outcome {values[wrong][0]:g} in column {column!r} is not one; "
            f"expected {expected}.{hint}"
        )
    return share


def count_outcomes(
    numbers: Mapping[str, NDArray[np.float64]], place: Callable[[NDArray[np.bool_]], str]
) -> Outcomes:
    """Outcomes of votes that are counted row by row.

    Parameters
    ----------
    numbers : mapping from str to array of float, shape (R,)
        Counts by role: ``wins_a``, ``wins_b``, and ``ties`` and ``both_bad`` where they are known.
    place : callable
        Which rows → name of the first of them, for messages.

    Raises
    ------
    DataError
        If a number is not a count.
    """
    outcomes, rows, votes = [], [], []
    for role, outcome in (("wins_a", WIN), ("ties", TIE), ("wins_b", LOSS), ("both_bad", BAD)):
        if role not in numbers:
            continue
        values = np.nan_to_num(numbers[role])
        wrong = (values < 0) | (values != np.round(values))
        if wrong.any():
            raise DataError(
                f"{place(wrong)}: {values[wrong][0]:g} votes ({role}) is not a count. Expected "
                "whole numbers, 0 or more."
            )
        some = np.flatnonzero(values > 0)
        rows.append(some)
        outcomes.append(np.full(some.size, outcome, np.int8))
        votes.append(values[some].astype(np.int64))
    return Outcomes(np.concatenate(outcomes), np.concatenate(rows), np.concatenate(votes))
