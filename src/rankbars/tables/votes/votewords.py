"""Words and numbers for who won a vote: which are known, and what is asked about others.

Phrases such as "A is much better" are known by their parts: a side, and which way it is praised.
An unknown word is never a tie.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from itertools import product

from rankbars.data.votes import BAD, LOSS, TIE, WIN
from rankbars.tables.columns import paste_columns
from rankbars.tables.metricwords import split_words

__all__ = [
    "KNOWN_WORDS", "MOST_WORDS", "NO_VOTE", "UNKNOWN", "are_grades", "ask_about_grades",
    "ask_about_words", "grades_of_winners", "is_result", "word_code", "word_codes",
]  # fmt: skip

UNKNOWN, NO_VOTE = -1, -2

KNOWN_WORDS = (
    "model_a, A, left, first or 1; model_b, B, right, second or 2; either with 'is better' or "
    "'much worse' behind; tie, draw, A=B or 0.5; both_bad or tie (bothbad); results such as 1-0; "
    "or the name of the model that won"
)

_NOUNS = split_words("""
    model llm system response answer assistant output completion option candidate generator
    player version variant side text summary translation image one team
""")
_MARKS = {
    WIN: ("a", "1", "first", "left", "home", "white"),
    LOSS: ("b", "2", "second", "right", "away", "black"),
}
_SIDES = {
    name: side
    for side, marks in _MARKS.items()
    for noun, mark in product(_NOUNS, marks)
    for name in (mark, noun + mark, mark + noun)
}
_TIE = """tie tied ties draw equal same 0.5 tiebothgood bothgood botharegood
tieinconsistent nopreference nodifference nowinner thesame aboutthesame samequality equivalent
similar indifferent equallygood bothequallygood"""
_BAD = "bothbad tiebothbad botharebad neither equallybad bothequallybad"
_NOTHING = ("", "na", "nan", "null")

_WORDS = {
    **_SIDES,
    **dict.fromkeys(_TIE.split(), TIE),
    **dict.fromkeys(_BAD.split(), BAD),
    **dict.fromkeys(_NOTHING, NO_VOTE),
}

# The parts of a phrase beside the side: which way it is praised, how much, and what says nothing.
_BETTER = split_words("""
    better best prefer prefers preferred preference wins won win winner stronger superior chosen
    favored favoured
""")
_WORSE = split_words("""
    worse worst loses lost loser weaker inferior
""")
_GRADES = split_words("""
    much far slightly slight somewhat significantly significant strongly strong clearly clear
    marginally moderately moderate considerably substantially definitely little bit lot weakly
    mildly
""")
_FILLERS = split_words("""
    is was are the i for
""")
_A_BIT = re.compile(r"\ba (?=bit\b|little\b|lot\b)")
_PART = re.compile(r"[a-z]+|\d+")
_NEGATIVE = re.compile(r"[-−–]\s*\d")
_ORDER = re.compile(r"([^<>=]+)(<+|>+|=)([^<>=]+)")


def word_code(text: str) -> int:
    """Outcome that a word stands for, for the first model; `UNKNOWN` or `NO_VOTE`.

    Case, blanks and punctuation do not count.

    Examples
    --------
    >>> [word_code(word) for word in ("model_a", "Tie (bothbad)", "B>>A", "0.5", "?", "n/a")]
    [0, 3, 2, 1, -1, -2]
    >>> [word_code(word) for word in ("A is much better", "response 2 better", "left_worse")]
    [0, 2, 2]
    >>> [word_code(word) for word in ("B is better than A", "A is not better", "better")]
    [2, -1, -1]
    >>> [word_code(word) for word in ("1", "-1", "2 > 1", "A=B")]
    [0, -1, 2, 1]
    >>> [word_code(word) for word in ("1-0", "1/2-1/2", "2 : 3", "0.5–0.5", "2026-11-28")]
    [0, 1, 2, 1, -1]
    """
    folded = text.strip().casefold()
    if (result := _RESULT.fullmatch(folded)) is not None:
        has = [_POINTS.get(part) or float(part.replace(",", ".")) for part in result.groups()]
        return WIN if has[0] > has[1] else LOSS if has[0] < has[1] else TIE
    plain = "".join(c for c in folded if c.isalnum() or c in "=<>.")
    if (not plain and folded.strip("-–—")) or _NEGATIVE.match(folded):
        return UNKNOWN  # such as "?"; dashes stand for nothing
    known = _WORDS.get(plain.removesuffix(".0"), UNKNOWN)
    if known == UNKNOWN and (order := _ORDER.fullmatch(plain)) is not None:
        one, sign, other = order.groups()
        side = _SIDES.get(one, UNKNOWN)
        if side != UNKNOWN and _SIDES.get(other) == _OTHER[side]:
            return TIE if sign == "=" else side if sign[0] == ">" else _OTHER[side]
    return _phrase_code(_parts(folded)) if known == UNKNOWN else known


# A result of a match: what either side has.
_RESULT = re.compile(r"(\d{1,3}(?:[.,]5)?|½|1/2)\s*[-–:]\s*(\d{1,3}(?:[.,]5)?|½|1/2)")
_POINTS = {"½": 0.5, "1/2": 0.5}


def is_result(word: str) -> bool:
    """Whether a word is the result of a match, such as ``"2-1"``, of which the higher side won."""
    return _RESULT.fullmatch(word.strip()) is not None


def word_codes(words: Iterable[str]) -> dict[str, int]:
    """Outcome by word, of words that stand in one column.

    Where H is the side at home, A is no first model, but the side that is away.

    Examples
    --------
    >>> word_codes(["H", "D", "A"]), word_codes(["A", "B"])
    ({'H': 0, 'D': 1, 'A': 2}, {'A': 0, 'B': 2})
    """
    known = {word: word_code(word) for word in words}
    letters = {word: word.strip().casefold() for word in known}
    if not {"h", "a"} <= {*letters.values()} <= {"h", "a", "d", *_NOTHING}:
        return known
    return known | {word: _AT_HOME[one] for word, one in letters.items() if one in _AT_HOME}


_AT_HOME = {"h": WIN, "d": TIE, "a": LOSS}


def _parts(folded: str) -> list[str]:
    return _PART.findall(_A_BIT.sub("", folded))


def _phrase_code(parts: Sequence[str]) -> int:
    """Outcome of a phrase with one side and one way of praise, or how much it is preferred."""
    ways = [part in _BETTER for part in parts if part in _BETTER | _WORSE]
    graded = any(part in _GRADES for part in parts)
    if len(ways) > 1 or not (ways or graded):
        return UNKNOWN
    rest = [part for part in parts if part not in _BETTER | _WORSE | _GRADES | _FILLERS]
    one, than, other = "".join(rest).partition("than")
    side = _SIDES.get(one, UNKNOWN)
    if side == UNKNOWN or (than and _SIDES.get(other) != _OTHER[side]):
        return UNKNOWN
    return side if not ways or ways[0] else _OTHER[side]


_OTHER = {WIN: LOSS, LOSS: WIN}


def grades_of_winners(words: Iterable[str]) -> tuple[str, str] | None:
    """Two words for one side that differ in how much it is preferred; None if there are none.

    Examples
    --------
    >>> grades_of_winners(["A is better", "A is much better", "tie"])
    ('A is better', 'A is much better')
    >>> grades_of_winners(["A>>B", "B>A", "tie"]) is None
    True
    """
    seen: dict[int, tuple[object, str]] = {}
    for word in words:
        folded = word.casefold()
        code = word_code(word)
        if code not in _OTHER:
            continue
        grade = (frozenset(_GRADES.intersection(_parts(folded))), max(map(folded.count, "<>")))
        first = seen.setdefault(code, (grade, word))
        if first[0] != grade:
            return first[1], word
    return None


# More words than these are no outcomes but another column.
MOST_WORDS = 6


def ask_about_words(words: Sequence[str]) -> str:
    """The lines that say of words that they are ties, or no votes."""
    tie, missing = (_paste(dict.fromkeys(words, worth)) for worth in ("tie", "missing"))
    it = "it is" if len(words) == 1 else "they are"
    word = words[0].strip()
    return (
        f"If {it} a tie: {tie}. If {it} no vote: {missing} (in Python: "
        f"words={dict.fromkeys(map(str.strip, words), 'missing')!r}). If {word!r} means that the "
        f"first model won: {_paste({word: '1'})}; 0 in place of 1 says that the second did."
    )


def are_grades(numbers: Iterable[float]) -> bool:
    """Whether numbers are grades of a preference: on both sides of 0, or from 1 to 5, 7 or 9.

    Codes are none: 1 and 2 for the sides, beside 0 and -1 for ties.

    Examples
    --------
    >>> are_grades([-3, -1, 0, 2]), are_grades([1, 2, 3, 4, 5]), are_grades([1, 2, 0, -1])
    (True, True, False)
    >>> are_grades([1, 0, 0.5]), are_grades([1, 2, 3]), are_grades([-0.3, 12.4, 99])
    (False, False, False)
    """
    known = {*numbers}
    if not known or any(2.0 * one % 1.0 for one in known):
        return False
    low, high = min(known), max(known)
    if low < 0.0 < high:
        return (low, high) != (-1.0, 2.0) and len(known) <= _MOST_GRADES
    return low == 1.0 and high in (5.0, 7.0, 9.0) and len(known) == high


_MOST_GRADES = 13


def ask_about_grades(
    numbers: Iterable[float], sides: Sequence[str], column: str | None = None
) -> str:
    """The lines that say of grades of preference which of two columns of models they favour.

    Where no role is known of their own column, the lines name it.
    """
    known = sorted({*numbers})
    middle = 0.0 if known[0] < 0.0 else (known[0] + known[-1]) / 2.0
    high = {f"{one:g}": "tie" if one == middle else str(int(one > middle)) for one in known}
    low = {one: {"1": "0", "0": "1"}.get(worth, worth) for one, worth in high.items()}
    first, second = sides
    named = "" if column is None else f"{paste_columns({'winner': column})} "
    python = "" if column is None else f"columns={{'winner': {column!r}}}, and "
    it = "They seem" if column is None else f"{column!r} seems"
    return (
        f"{it} to be grades of preference. If the high ones favour {first!r}: {named}"
        f"{_paste(high)}. If they favour {second!r}: {named}{_paste(low)} (in Python: {python}"
        f"words={high!r}, or {low!r}). Grades for one side count alike, as one win."
    )


def _paste(worths: dict[str, str]) -> str:
    return shlex.join(
        part for word, worth in worths.items() for part in ("--word", f"{word.strip()}={worth}")
    )
