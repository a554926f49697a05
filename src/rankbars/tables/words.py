"""Words in cells of scores: which columns hold outcomes, and what callers say words are worth.

Pass and fail are numbers everywhere. What else tools write beside them, such as timeout, is worth
what the caller says: a number, or no score. In votes, a tie is half of one.
"""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rankbars.errors import OptionError
from rankbars.tables.cells import PLAIN_WORDS, WORDS, NumberColumn, parse_number
from rankbars.tables.conditions import TableView
from rankbars.tables.database import quote_text
from rankbars.tables.metricwords import split_words
from rankbars.tables.relations import Relation
from rankbars.tables.tablerows import Table

__all__ = [
    "LABELLED",
    "WordsView",
    "are_outcomes",
    "are_yes_or_no",
    "ask_about_words",
    "is_answer",
    "parse_words",
]

# What the names of outcomes are worth; truth values and yes or no say nothing of their column.
_OUTCOMES = {
    word: value for word, value in WORDS.items()
    if value == value and word not in PLAIN_WORDS
    and (word.isalpha() or word.startswith(("thumbs", "👍", "👎")))
}  # fmt: skip
_SKIPPED = frozenset({"skip", "skipped"})

_MOST_WORDS = 12  # that a column of outcomes holds


def are_outcomes(cells: Iterable[object]) -> bool:
    """Whether cells are words for how something ended, at least half of them pass and fail.

    Examples
    --------
    >>> are_outcomes(["pass", "fail", "timeout"]), are_outcomes(["yes", "no"])
    (True, False)
    >>> are_outcomes(["ok", "error"]), are_outcomes(["passed", "passed", "skipped"])
    (False, True)
    """
    found = [cell for cell in cells if cell not in (None, "")]
    if not any(isinstance(cell, str) for cell in found):
        return False
    words = Counter(str(cell).strip().casefold() for cell in found)
    known = sum(number for word, number in words.items() if word in _OUTCOMES or word in _SKIPPED)
    some = not words.keys().isdisjoint(_OUTCOMES) and not {"left", "right"} <= words.keys()
    return some and len(words) <= _MOST_WORDS and 2 * known >= len(found)


def parse_words(given: str | Mapping[str, object] | Sequence[str] | None) -> dict[str, float]:
    """What words are worth, by the word without case: a number, NaN for no score.

    Raises
    ------
    OptionError
        If it is no number, pass, fail, tie or missing, or a word is declared twice.

    Examples
    --------
    >>> parse_words(["timeout=fail", "infra_error=missing", "partly right=0.5"])
    {'timeout': 0.0, 'infra_error': nan, 'partly right': 0.5}
    """
    pairs: list[tuple[str, object]] = []
    if isinstance(given, Mapping):
        pairs = list(given.items())
    else:
        for text in [given] if isinstance(given, str) else given or ():
            word, sign, value = text.rpartition("=")
            if not sign:
                raise OptionError(
                    f"A word is declared as WORD=VALUE, such as timeout=fail; got {text!r}."
                )
            pairs.append((word, value))
    found: dict[str, float] = {}
    for word, worth in pairs:
        plain = str(word).strip().casefold()
        missing = worth is None or str(worth).strip().casefold() == "missing"
        tied = str(worth).strip().casefold() == "tie"
        number = math.nan if missing else 0.5 if tied else parse_number(str(worth))
        if number is None or math.isinf(number) or not plain:
            raise OptionError.out_of_range(
                f"worth of the word {word!r}", worth, "a number, pass, fail, tie or missing"
            )
        if not _same(found.setdefault(plain, number), number):
            raise OptionError(f"The word {word!r} is declared twice; give it once.")
    return found


def _same(one: float, two: float) -> bool:
    return one == two or (one != one and two != two)


class WordsView(TableView):
    """A table in which words of columns of numbers are worth what the caller said.

    Parameters
    ----------
    table : Table
        The table.
    words : mapping from str to float
        Worth by word, as `parse_words` gives it.
    """

    def __init__(self, table: Table, words: Mapping[str, float]) -> None:
        super().__init__(table)
        self._words = dict(words)
        # Where a word is worth another number, 0 and 1 are such numbers, too.
        self._right = all(one in (0.0, 1.0) or one != one for one in words.values())
        self.fixed = table.fixed

    def head(self, rows: int) -> list[tuple[object, ...]]:
        """First rows, with what words are worth where that makes a column one of scores."""
        given = self._table.head(rows)
        columns = [[row[place] for row in given] for place in range(len(self.columns))]
        return list(zip(*map(self._turned, columns), strict=True)) if given else given

    def _turned(self, cells: Sequence[object]) -> Sequence[object]:
        words = [str(cell).strip().casefold() for cell in cells]
        turned = [
            self._worth(self._words[word]) if word in self._words else cell
            for word, cell in zip(words, cells, strict=True)
        ]
        read = all(parse_number(str(cell)) is not None for cell in turned if cell is not None)
        return turned if read and self._words.keys() & {*words} else cells

    def relate(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> Relation:
        """The rows in the database, with numbers for words in columns of numbers."""
        relation = self._table.relate(labels, numbers)
        held = {name: relation.known[name] for name in numbers.values() if name in relation.known}
        odd = {f"words of {name}": name for name, one in held.items() if one.unread is not None}
        if odd:  # read as numbers already; once more, as text
            rest = {role: name for role, name in numbers.items() if name not in odd.values()}
            relation = self._table.relate({**labels, **odd}, rest)
        columns = dict(relation.columns)
        numbers_of = {word: parse_number(word) for word in self._words}
        # Words such as none are read as no number; here they are words.
        known = {word: one if one == one else None for word, one in numbers_of.items()}
        for name in dict.fromkeys(numbers.values()):
            cell, kind = columns[name]
            text = relation.is_text(name)
            number = f"TRY_CAST({cell} AS DOUBLE)" if text else cell
            tests = {
                word: f"{number} = {known[word]!r}" if known[word] is not None
                else f"lower(trim({cell})) = {quote_text(word)}"
                for word in self._words if text or known[word] is not None
            }  # fmt: skip
            cases = " ".join(
                f"WHEN {test} THEN "
                + (
                    quote_text(self._worth(self._words[word]))
                    if text
                    else _number(self._words[word])
                )
                for word, test in tests.items()
            )
            if cases:
                columns[name] = (f"(CASE {cases} ELSE {cell} END)", "VARCHAR" if text else kind)
        same = {
            name: one for name, one in relation.known.items()
            if columns[name] == relation.columns[name]
        }  # fmt: skip
        return relation._replace(columns=columns, known=same)

    def _worth(self, value: float) -> str:
        if value != value:
            return ""
        right = {0.0: "fail", 1.0: "pass"} if self._right else {}
        return right.get(value) or repr(value)


def _number(value: float) -> str:
    return "NULL" if value != value else repr(value)


# What did not run has no score.
_NOT_RUN = (
    r"infra|skip|cancel|not[ _-]?run|pending|block|unknown|invalid|abort|exclu|setup|unable|n/?a$"
    r"|xfail|xpass|flaky|deselect|queued|running|quarantin"
)
# What stands in place of a number that did not come about.
_NO_RESULT = re.compile(rf"{_NOT_RUN}|time[ _-]?out|error|exception|fail|crash|\boom\b|killed")
_GRADES = re.compile(r"[a-f][+-]?|[a-f]")
_POINTS = {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0, "e": 0.0, "f": 0.0}


def ask_about_words(column: NumberColumn) -> str:
    """The question what words among scores count as; empty where they are something else.

    Parameters
    ----------
    column : NumberColumn
        What a column holds, some of whose cells are no numbers.

    Examples
    --------
    >>> from rankbars.tables.cells import Unread
    >>> late = NumberColumn(Unread(3, "timeout", 2, (("timeout", 2),)), plain=4, truths=4)
    >>> print(ask_about_words(late))
    Say what 'timeout' (2 cells) counts as: --word timeout=fail (in Python: words={'timeout': \
'fail'}). Behind = stands pass (1), fail (0), missing (no score), or a number.
    >>> two = Unread(0, "gut", 5, (("gut", 3), ("schlecht", 2)))
    >>> ask_about_words(NumberColumn(two)).partition(" (in Python")[0]
    "Say what 'gut' (3 cells), 'schlecht' (2 cells) count as: --word gut=pass --word schlecht=fail"
    >>> rated = Unread(0, "8: accept", 5, (("8: accept", 3), ("3: reject", 2)))
    >>> ask_about_words(NumberColumn(rated)).partition(" (in Python")[0].partition("as: ")[2]
    "--word '8: accept=8' --word '3: reject=3'"
    """
    unread = column.unread
    words = [] if unread is None else [word for word, _ in unread.words]
    if unread is None or not words or len(words) > _MOST_WORDS:
        return ""
    beside_truths, other = column.only_truths, ""
    alone = column.plain + column.percentages == 0
    graded = all(_GRADES.fullmatch(word.strip().casefold()) for word in words)
    known = {word: _ANSWERS.get(word.strip().casefold(), "") for word in words}
    labelled = [LABELLED.match(word.strip()) for word in words]
    if all(labelled):  # 6: marginally above
        worth = {word: one.group(1) for word, one in zip(words, labelled, strict=True) if one}
    elif graded and len(words) > 1:
        worth = {word: _points(word.strip().casefold()) for word in words}
    elif all(known.values()):
        worth = known
    elif beside_truths:
        worth = {word: _proposed(word.casefold()) for word in words}
    elif all(_NO_RESULT.search(word.casefold()) for word in words):
        worth = dict.fromkeys(words, "missing")
    elif alone and len(words) == 2 and all(_WORD.fullmatch(word.strip()) for word in words):
        worth = dict(zip(words, ("pass", "fail"), strict=True))
        other = ", or the other way round, if the second is right"
    else:
        return ""
    lines = " ".join(shlex.join(("--word", f"{word.strip()}={one}")) for word, one in worth.items())
    told = ", ".join(
        f"{word!r} ({number} cell{'s' * (number > 1)})" for word, number in unread.words
    )
    verb = "counts" if len(words) == 1 else "count"
    return (
        f"Say what {told} {verb} as: {lines} (in Python: words={worth!r}){other}. Behind = stands "
        "pass (1), fail (0), missing (no score), or a number."
    )


# Yes and no elsewhere, and what is right.
_ANSWERS = {
    **dict.fromkeys(split_words("ja oui sí si sim tak да はい 是 对 richtig korrekt"), "pass"),
    **dict.fromkeys(split_words("nein nee nej non não nao nie нет いいえ 否 错"), "fail"),
}
# A number and what it means, such as "6: marginally above" and "3 good"; "12.3 or 12.5" is none.
LABELLED = re.compile(r"\(?(-?\d+(?:\.\d+)?)\)?\s*(?:[:=–—-]\s*[^\W\d_]{2}|\s[^\W\d_]{2}\D*$)")
_WORD = re.compile(r"[^\W\d_][^\W\d_ -]{1,19}")


def is_answer(word: str) -> bool:
    """Whether a word says yes or no, or right or wrong, in some language.

    Examples
    --------
    >>> is_answer("Ja"), is_answer("Answer A")
    (True, False)
    """
    return word.strip().casefold() in _ANSWERS


def are_yes_or_no(column: NumberColumn) -> bool:
    """Whether all cells that are no numbers say yes or no in some language."""
    words = () if column.unread is None else column.unread.words
    return bool(words) and all(is_answer(word) for word, _ in words)


def _proposed(word: str) -> str:
    if word.strip() in _ANSWERS:
        return _ANSWERS[word.strip()]
    if "part" in word:
        return "0.5"
    return "missing" if re.search(_NOT_RUN, word) else "fail"


def _points(grade: str) -> str:
    step = {"+": 0.3, "-": -0.3}.get(grade[1:], 0.0)
    return f"{max(_POINTS[grade[0]] + step, 0.0):g}"
