"""Names in rows: as codes, and as people may mistake them.

Names of a column are found once as codes, which are quick to take out of the database. People take
names for each other: letters that look alike, other spelling, a slip.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.tables.database import Engine, quote

__all__ = ["Codes", "code_names", "find_alike", "plain_form", "sort_names"]


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


# Their names are row labels: put in numeric order if all are whole numbers below this one.
_ROW_ROLES = frozenset({"item", "fold", "repeat", "run", "epoch", "variant"})
_NO_ORDER = 10**18

# A table of all whole numbers between the least and the greatest is used up to this many gaps.
GAPS = 1 << 20

# So many names are found by some bits of their hash, of which no two are the same.
MOST_HASHED, MOST_BITS = 4096, 22

# More names are found by so many bits of their hash, up to a number of names that these tell apart.
BITS, MOST_FOUND, SHARED = 22, 1 << 21, -2
_MASK = np.uint64((1 << BITS) - 1)


class Codes(NamedTuple):
    """The names of a role, and how rows get their codes.

    Parameters
    ----------
    names : tuple of str
        Names in their order; codes index them.
    put : callable
        Puts a table with the columns ``name`` and ``code`` into the database, once; gives its name.
    open : bool
        Whether some cell is empty.
    cell : str
        What to select from rows called r.
    joined : bool
        Whether `cell` needs `table` beside the rows, where it is joined by its name.
    decode : callable
        What was selected → codes, -1 where a cell is empty.
    """

    names: tuple[str, ...]
    put: Callable[[], str]
    open: bool
    cell: str
    joined: bool
    decode: Callable[[NDArray[Any]], NDArray[Any]]

    @property
    def table(self) -> str:
        """The table of names and codes, put into the database where somebody asks for it."""
        return self.put()


def code_names(engine: Engine, source: str, role: str) -> Codes:
    """Codes of the names that a role has in some rows.

    Whole numbers are found by their distance from the least, few texts by their hash: both are
    much quicker than to look each cell up, which is done for the others.

    Parameters
    ----------
    engine : Engine
        The database.
    source : str
        What to select the names from.
    role : str
        The role, which is the name of the column.
    """
    cell = quote(role)
    found = engine.arrays(
        f"SELECT name, hash(name) AS hash FROM (SELECT DISTINCT {cell} AS name FROM {source}) "
        "ORDER BY name"
    )
    numeric = found["name"].dtype.kind in "iu"
    given = found["name"].tolist()
    known = [name for name in given if name is not None and name != ""]
    if role == "judge":
        known = [name for name in known if numeric or name.strip()]
    texts = [str(name) for name in known] if numeric else known
    if numeric and role in _ROW_ROLES and max(map(abs, known), default=0) < _NO_ORDER:
        names, position = tuple(texts), np.arange(len(texts), dtype=np.int32)  # as they came
    else:
        names, position = sort_names(texts, numeric=role in _ROW_ROLES)
    # Ordered as their codes; the smallest type that holds them is the quickest to take out.
    order = np.argsort(position)
    kind = np.min_scalar_type(max(len(names), 1))
    keys: NDArray[Any] = np.array([*known, None], dtype=object)[:-1]
    keys = np.array(known, dtype=np.int64) if numeric else keys
    put = cache(
        partial(engine.put, {"name": keys[order], "code": np.arange(len(names), dtype=kind)})
    )
    gap = len(names) < len(given)
    quick = (
        _by_distance(keys, position, f"r.{cell}")
        if numeric
        else _by_hash(np.ma.getdata(found["hash"]), given, known, position, f"r.{cell}")
    )
    if quick is not None:
        return Codes(names, put, gap, quick[0], False, quick[1])
    return Codes(names, put, gap, f"{put()}.code", True, _as_they_are)


def sort_names(names: Sequence[str], *, numeric: bool) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """The names in order, and the new position of each.

    Names stand in code-point order; whole numbers in numeric order if `numeric` asks for it.

    Examples
    --------
    >>> sort_names(["10", "9"], numeric=True)[0], sort_names(["10", "9"], numeric=False)[0]
    (('9', '10'), ('10', '9'))
    """
    if numeric and all(re.fullmatch(r"-?[0-9]{1,18}", name) for name in names):
        order = sorted(range(len(names)), key=lambda i: (int(names[i]), names[i]))
    else:
        order = sorted(range(len(names)), key=names.__getitem__)
    position = np.empty(len(names), np.int32)
    position[order] = np.arange(len(names), dtype=np.int32)
    return tuple(names[i] for i in order), position


_Quick = tuple[str, Callable[[NDArray[Any]], NDArray[Any]]]


def _by_distance(values: NDArray[Any], codes: NDArray[np.int32], cell: str) -> _Quick | None:
    if not len(values):
        return None
    first, last = int(values.min()), int(values.max())
    span = last - first + 1
    if span > 4 * len(values) + GAPS:
        return None
    table = np.full(span, -1, np.int32)
    table[values - first] = codes
    kept = None if (table == np.arange(span)).all() else table
    kind = "USMALLINT" if span <= 1 << 16 else "UINTEGER"
    return f"({cell} - {first})::{kind}", partial(_look_up, table=kept)


def _by_hash(
    hashes: NDArray[Any], given: list[Any], known: list[Any], codes: NDArray[np.int32], cell: str
) -> _Quick | None:
    """Codes by bits of hashes; an empty cell has some of its own, too."""
    if not known or len(given) > MOST_FOUND:
        return None
    hashes = hashes.astype(np.uint64)
    if len(given) > MOST_HASHED:
        order = np.argsort(hashes)
        if (np.diff(hashes[order]) == 0).any():
            return None
        found = np.full(len(given), -1, np.int32)
        found[[name is not None and name != "" for name in given]] = codes
        hashes, found = hashes[order], found[order]
        # Few names share the first bits, and fewer of them the next ones.
        tables = [(low, _table_of_bits(hashes, found, low)) for low in (64 - BITS, 64 - 2 * BITS)]
        return f"hash({cell})", partial(_look_up_hash, hashes=hashes, codes=found, tables=tables)
    code_of = dict(zip(known, codes.tolist(), strict=True))
    least = max(len(given) ** 2 // 4, 1).bit_length()
    # The engine takes bits out of a hash much quicker than a remainder.
    for bits in range(least, MOST_BITS + 1):
        mask = (1 << bits) - 1
        kind = "UTINYINT" if bits <= 8 else "USMALLINT" if bits <= 16 else "UINTEGER"
        for shift in range(0, 64 - bits, 5):
            places = (hashes >> np.uint64(shift)) & np.uint64(mask)
            if len(np.unique(places)) == len(places):
                table = np.full(mask + 1, -1, np.int32)
                table[places.astype(np.int64)] = [code_of.get(name, -1) for name in given]
                hashed = f"hash({cell}) >> {shift}" if shift else f"hash({cell})"
                return f"(({hashed}) & {mask})::{kind}", partial(_look_up, table=table)
    return None


def _look_up(found: NDArray[Any], table: NDArray[np.int32] | None) -> NDArray[Any]:
    cells = np.ma.getdata(found)
    if not np.ma.is_masked(found):
        return cells if table is None else table[cells]
    gone = np.ma.getmaskarray(found)
    cells = np.where(gone, 0, cells)
    codes = cells.astype(np.int64) if table is None else table[cells]
    return np.where(gone, -1, codes)


def _as_they_are(found: NDArray[Any]) -> NDArray[Any]:
    if not np.ma.is_masked(found):
        return np.ma.getdata(found)
    return np.ma.filled(found.astype(np.int64), -1)


def _look_up_hash(
    found: NDArray[Any], hashes: NDArray[np.uint64], codes: NDArray[np.int32],
    tables: Sequence[tuple[int, NDArray[np.int32]]],
) -> NDArray[Any]:  # fmt: skip
    """Codes by some bits of hashes, then by others; those that share both with others by all."""
    cells = np.ma.getdata(found)
    taken = np.full(len(cells), SHARED, np.int32)
    again = np.arange(len(cells))
    for low, table in tables:
        taken[again] = table[(cells[again] >> np.uint64(low)) & _MASK]
        again = again[taken[again] == SHARED]
    taken[again] = codes[np.searchsorted(hashes, cells[again])]
    return taken


def _table_of_bits(
    hashes: NDArray[np.uint64], codes: NDArray[np.int32], low: int
) -> NDArray[np.int32]:
    """Codes by `BITS` bits of hashes, from the bit `low` on; `SHARED` where several have them."""
    places = ((hashes >> np.uint64(low)) & _MASK).astype(np.int64)
    table = np.full(1 << BITS, -1, np.int32)
    table[places] = codes
    table[np.bincount(places, minlength=1 << BITS) > 1] = SHARED
    return table


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
