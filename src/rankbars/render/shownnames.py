"""How names are written: what is not seen as an escape, and every cut of a long name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

__all__ = [
    "NameWriter",
    "graphemes",
    "plain_name",
    "short_names",
    "shorten",
    "shorten_all",
    "visible",
]

_PICTOGRAPH = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\U0001f000-\U0001f1e5\U0001f200-\U0001faff][\ufe0f\U0001f3fb-\U0001f3ff]*"
)
# Emoji that are joined to one, and the flags of England, Scotland and Wales.
_FLAG = "\U0001f3f4" + "\U000e0067\U000e0062(?:{})\U000e007f".format(
    "|".join("".join(chr(0xE0000 + ord(c)) for c in tag) for tag in ("eng", "sct", "wls"))
)
_JOINED = f"{_FLAG}|{_PICTOGRAPH}(?:\u200d{_PICTOGRAPH})+"
_MARKS = "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f]*"
_GRAPHEME = f"{_JOINED}|[\U0001f1e6-\U0001f1ff]{{2}}|{_PICTOGRAPH}|.{_MARKS}"
_NAME_WIDTH = 60  # of a name in a sentence
_CHARACTERS_PER_CELL = 4  # more than that are marks stacked on each other

NameWriter = Callable[[str], str]
"""How a name is written in a sentence, for formats that must escape it."""


def visible(name: str) -> str:
    r"""`name` with every character that is not seen written as an escape.

    Control characters, line breaks, marks that change the direction of writing, joiners, spaces
    of other kinds and broken surrogates could make two names look alike, or change the text
    around them. What joins emoji to one stays.

    Examples
    --------
    >>> print(visible("gpt\u202e4\n"))
    gpt\u202e4\n
    """
    if name.isprintable():
        return name
    return "".join(
        part if _is_joined(part) else "".join(map(_seen, part)) for part in graphemes(name)
    )


def _is_joined(part: str) -> bool:
    known = part.replace("\u200d", "").isprintable() or part[0] == "\U0001f3f4"
    return known and re.fullmatch(_JOINED, part) is not None


def _seen(char: str) -> str:
    return char if char.isprintable() else char.encode("unicode_escape").decode("ascii")


def graphemes(text: str) -> list[str]:
    """`text` in pieces that are seen as one sign: letters with their marks, joined emoji, flags.

    Examples
    --------
    >>> [len(one) for one in graphemes("a\u0301b\U0001f469\u200d\U0001f467\U0001f1eb\U0001f1f7")]
    [2, 1, 3, 2]
    """
    return re.findall(_GRAPHEME, text, re.DOTALL)


def shorten(
    name: str,
    width: int,
    *,
    mark: str = "…",
    tail: int | None = None,
    measure: Callable[[str], int] = len,
) -> str:
    """`name` in at most `width` cells, its middle left out where it does not fit.

    Parameters
    ----------
    name : str
        A visible name.
    width : int
        Cells, at least 3.
    mark : str
        What stands for the part left out.
    tail : int, optional
        Cells kept of the end; two fifths where not given.
    measure : callable
        How many cells a text takes.

    Examples
    --------
    >>> shorten("meta-llama/Llama-3.1-70B-Instruct", 16)
    'meta-llam…struct'
    """
    if measure(name) <= width and len(name) <= _CHARACTERS_PER_CELL * width:
        return name
    room = width - measure(mark)
    end_room = room * 2 // 5 if tail is None else min(tail, room)
    pieces = graphemes(name)
    end = _fit(pieces[::-1], end_room, measure)
    return "".join((*_fit(pieces, room - end_room, measure), mark, *end[::-1]))


def shorten_all(
    names: Sequence[str],
    widths: Sequence[int],
    *,
    mark: str = "…",
    measure: Callable[[str], int] = len,
) -> list[str]:
    """Every name within its width, and names that differ still differ where possible.

    Names that would look alike are cut elsewhere; where no cut tells them apart they get their
    number among the names in place of their end.

    Examples
    --------
    >>> shorten_all(["model-aaaaaaaa-a-chat", "model-aaaaaaaa-b-chat"], [10, 10])
    ['mod…a-chat', 'mod…b-chat']
    """
    pairs = list(zip(names, widths, strict=True))
    shown = [shorten(name, width, mark=mark, measure=measure) for name, width in pairs]
    for same in _look_alikes(shown):
        usual = min(pairs[i][1] for i in same) * 2 // 5
        for tail in sorted(range(2 * usual + 1), key=lambda tail: abs(tail - usual)):
            cut = [shorten(*pairs[i], mark=mark, tail=tail, measure=measure) for i in same]
            if len(set(cut)) == len(cut) and not set(cut) & set(shown):
                break
        else:
            cut = [_numbered(*pairs[i], i + 1, mark, measure) for i in same]
        for i, text in zip(same, cut, strict=True):
            shown[i] = text
    return shown


def short_names(
    names: Iterable[str], width: int, *, measure: Callable[[str], int] = len
) -> list[str]:
    """Names as they are seen, all within one width; see `shorten_all`."""
    seen = [visible(name) for name in names]
    return shorten_all(seen, [width] * len(seen), measure=measure)


def plain_name(name: str) -> str:
    """A name as it stands in a sentence of plain text."""
    return shorten(visible(name), _NAME_WIDTH)


def _fit(pieces: Sequence[str], room: int, measure: Callable[[str], int]) -> list[str]:
    kept, used, most = [], 0, _CHARACTERS_PER_CELL * max(room, 0)
    for piece in pieces:
        used += measure(piece)
        most -= len(piece)
        if used > room or most < 0:
            break
        kept.append(piece)
    return kept


def _look_alikes(shown: Sequence[str]) -> list[list[int]]:
    repeated = {text for text, count in Counter(shown).items() if count > 1}
    groups: dict[str, list[int]] = {}
    for i, text in enumerate(shown):
        if text in repeated:
            groups.setdefault(text, []).append(i)
    return list(groups.values())


def _numbered(name: str, width: int, number: int, mark: str, measure: Callable[[str], int]) -> str:
    label = f"{mark}#{number}"
    return "".join((*_fit(graphemes(name), width - measure(label), measure), label))
