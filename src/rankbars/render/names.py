"""Names of models and tasks, made safe to look at. Data files keep them as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

__all__ = ["listed", "shorten", "shorten_all", "visible"]

_CHARACTERS_PER_CELL = 4  # more than that are marks stacked on each other


def visible(name: str) -> str:
    r"""`name` with every character that is not seen written as an escape.

    Control characters, line breaks, marks that change the direction of writing, joiners, spaces
    of other kinds and broken surrogates could make two names look alike, or change the text
    around them.

    Examples
    --------
    >>> print(visible("gpt\u202e4\n"))
    gpt\u202e4\n
    """
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in name
    )


def listed(names: Sequence[str], most: int) -> str:
    """Names in a sentence: ``"a, b and 3 more"``.

    Examples
    --------
    >>> listed(["a", "b", "c", "d"], 2), listed(["a", "b"], 2)
    ('a, b and 2 more', 'a, b')
    """
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


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
    end = _fit(name[::-1], end_room, measure)[::-1]
    return _fit(name, room - end_room, measure) + mark + end


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


def _fit(text: str, room: int, measure: Callable[[str], int]) -> str:
    kept, used = [], 0
    for char in text[: _CHARACTERS_PER_CELL * max(room, 0)]:
        used += measure(char)
        if used > room:
            break
        kept.append(char)
    return "".join(kept)


def _look_alikes(shown: Sequence[str]) -> list[list[int]]:
    repeated = {text for text, count in Counter(shown).items() if count > 1}
    groups: dict[str, list[int]] = {}
    for i, text in enumerate(shown):
        if text in repeated:
            groups.setdefault(text, []).append(i)
    return list(groups.values())


def _numbered(name: str, width: int, number: int, mark: str, measure: Callable[[str], int]) -> str:
    label = f"{mark}#{number}"
    return _fit(name, width - measure(label), measure) + label
