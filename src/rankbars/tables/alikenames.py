"""Names that people take for each other: letters that look alike, other spelling, a slip."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["find_alike", "plain_form"]

# Letters of other scripts, and digits, that look like Latin letters in most fonts; a part of the
# table of Unicode Technical Standard 39 (confusables), which is for names of domains.
_LOOKS = str.maketrans({
    foreign: latin
    for some, others in (
        (
            "\u0430\u0435\u043e\u0440\u0441\u0443\u0445"
            "\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u0261",
            "aeopcyxijshdqwg",
        ),  # Cyrillic
        (
            "\u0410\u0412\u0415\u041d\u041a\u041c\u041e"
            "\u0420\u0421\u0422\u0423\u0425\u0406\u0408\u0405",
            "ABEHKMOPCTYXIJS",
        ),  # Cyrillic
        ("\u03b1\u03bf\u03bd\u03c1\u03c4\u03c5\u03b9\u03ba\u03b3", "aovptuiky"),  # Greek
        (
            "\u0391\u0392\u0395\u0396\u0397\u0399\u039a"
            "\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7",
            "ABEZHIKMNOPTYX",
        ),  # Greek
        ("01|\u0131\u2113", "ollil"),  # digits and signs
        ("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-------"),  # dashes
    )
    for foreign, latin in zip(some, others, strict=True)
})  # fmt: skip
_WORDS = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d+")
_SHORTEST, _LONG, _LONGEST = 5, 12, 200
_MOST = 3  # names that are told of one


def plain_form(name: str) -> str:
    """A name without case, spaces around it, and forms of letters.

    Examples
    --------
    >>> plain_form(" GPT-4 ") == plain_form("gpt-4")
    True
    """
    whole = name if name.isascii() else unicodedata.normalize("NFKC", name)
    return whole.casefold().strip()


def find_alike(name: str, known: Iterable[str]) -> list[tuple[str, str]]:
    r"""Known names that somebody may take for this one, and how they differ.

    Parameters
    ----------
    name : str
        A name.
    known : iterable of str
        Others; the name itself is left out.

    Returns
    -------
    list of (str, str)
        Up to three names, the most alike first, and ``"case or spaces"``, ``"letters that look
        alike"``, ``"spaces or punctuation"`` or ``"a letter or two"``. Names with other numbers in
        them, or another single letter as a word, count as different on purpose.

    Examples
    --------
    >>> find_alike("GPT-4o ", ["gpt-4o", "gpt-4", "gpt-3o"])
    [('gpt-4o', 'case or spaces')]
    >>> find_alike("cl\u0430ude", ["claude"])  # with a Cyrillic letter
    [('claude', 'letters that look alike')]
    >>> find_alike("mistral_large", ["mistral-large", "mistral-lagre", "mistral-7b"])
    [('mistral-large', 'spaces or punctuation'), ('mistral-lagre', 'a letter or two')]
    >>> find_alike("model-a", ["model-b", "model-c"])
    []
    """
    own = _forms(name)
    found = []
    for other in known:
        if other == name:
            continue
        forms = _forms(other)
        for place, how in enumerate(_HOW):
            if own[place] == forms[place] and own[place]:
                found.append((place, other, how))
                break
        else:
            if _is_slip(own[-1], forms[-1]) and _marks(own[0]) == _marks(forms[0]):
                found.append((len(_HOW), other, "a letter or two"))
    return [(other, how) for _, other, how in sorted(found)[:_MOST]]


_HOW = ("case or spaces", "letters that look alike", "spaces or punctuation")


def _forms(name: str) -> tuple[str, str, str]:
    """A name without case; with Latin letters for those that look so; letters and digits only."""
    plain = plain_form(name)
    seen = "".join(sign for sign in name if unicodedata.category(sign) != "Cf")
    skeleton = plain_form(seen.translate(_LOOKS)).translate(_LOOKS)
    bare = "".join(_WORDS.findall(plain))
    return plain, skeleton, bare


def _marks(name: str) -> list[str]:
    """What tells versions apart: numbers, and single letters that are words."""
    return [*_DIGITS.findall(name), *(one for one in _WORDS.findall(name) if len(one) == 1)]


def _is_slip(one: str, two: str) -> bool:
    """Whether a letter or two were left out, added, taken for others, or swapped."""
    shorter, longer = sorted((len(one), len(two)))
    if shorter < _SHORTEST or longer > _LONGEST:
        return False
    most = 2 if shorter >= _LONG else 1
    if longer - shorter > most:
        return False
    before: list[int] = []
    row = list(range(len(two) + 1))
    for i, sign in enumerate(one, start=1):
        older, before, row = before, row, [i]
        for j, other in enumerate(two, start=1):
            best = min(before[j] + 1, row[-1] + 1, before[j - 1] + (sign != other))
            if i > 1 and j > 1 and sign == two[j - 2] and one[i - 2] == other:
                best = min(best, older[j - 2] + 1)
            row.append(best)
        if min(row) > most:
            return False
    return row[-1] <= most
