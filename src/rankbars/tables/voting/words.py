"""Words for the outcome of a vote. Only those listed here count; an unknown one is never a tie."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankbars.data.votes import BAD, LOSS, TIE, WIN
from rankbars.errors import DataError

__all__ = ["KNOWN_WORDS", "NO_VOTE", "UNKNOWN", "read_outcomes", "word_code"]

UNKNOWN, NO_VOTE = -1, -2

_FIRST = """a modela model1 llma llm1 systema system1 left first 1 assistanta responsea answera
output1 playera player1 generator1 a>b a>>b b<a b<<a"""
_SECOND = """b modelb model2 llmb llm2 systemb system2 right second 2 assistantb responseb answerb
output2 playerb player2 generator2 b>a b>>a a<b a<<b"""
_TIE = """tie tied ties draw equal same 0.5 a=b b=a tiebothgood bothgood botharegood
tieinconsistent"""
_BAD = "bothbad tiebothbad botharebad neither"
_NOTHING = ("", "na", "nan", "null")

_WORDS = {
    **dict.fromkeys(_FIRST.split(), WIN),
    **dict.fromkeys(_SECOND.split(), LOSS),
    **dict.fromkeys(_TIE.split(), TIE),
    **dict.fromkeys(_BAD.split(), BAD),
    **dict.fromkeys(_NOTHING, NO_VOTE),
}

KNOWN_WORDS = (
    "model_a, A, left, first or 1; model_b, B, right, second or 2; tie, draw, A=B or 0.5; both_bad "
    "or tie (bothbad); or the name of the model that won"
)


def word_code(text: str) -> int:
    """Outcome that a word stands for, for the first model; `UNKNOWN` or `NO_VOTE`.

    Case, blanks and punctuation do not count.

    Examples
    --------
    >>> [word_code(word) for word in ("model_a", "Tie (bothbad)", "B>>A", "0.5", "?", "n/a")]
    [0, 3, 2, 1, -1, -2]
    """
    folded = text.strip().casefold()
    plain = "".join(c for c in folded if c.isalnum() or c in "=<>.")
    if not plain and folded.strip("-–—"):
        return UNKNOWN  # such as "?"; dashes stand for nothing
    return _WORDS.get(plain.removesuffix(".0"), UNKNOWN)


def read_outcomes(
    first: NDArray[np.integer],
    second: NDArray[np.integer],
    models: Sequence[str],
    winner: NDArray[np.integer],
    words: Sequence[str],
) -> NDArray[np.int64]:
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
    by_word = np.array([*(word_code(word) for word in words), NO_VOTE], dtype=np.int64)
    by_name = np.array([*(place.get(word, -1) for word in words), -1], dtype=np.int64)
    as_word: NDArray[np.int64] = by_word[winner]
    named = by_name[winner]
    as_name = np.full(winner.shape, UNKNOWN, dtype=np.int64)
    as_name[named == first] = WIN
    as_name[named == second] = LOSS
    both = (as_word >= 0) & (as_name >= 0)
    differ = both & (as_word != as_name)
    if not differ.any():
        return np.where(as_word != UNKNOWN, as_word, as_name)
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
