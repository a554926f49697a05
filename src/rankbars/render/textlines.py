"""Lines of text: sentences that wrap, and cells in columns; the same cells as HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import chain, repeat

__all__ = ["WIDTH", "cells_of", "each_wrapped", "html_table", "in_columns", "text_of", "wrapped"]

WIDTH = 80
_GAP = "  "
_ENDS, _LONGEST_END = ".,:;)'\"", 3  # what ends a word, and no line of its own


def cells_of(text: str) -> int:
    """How many cells of a terminal a text takes: letters of some scripts take two."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def wrapped(text: str, width: int = WIDTH, inside: str | None = None) -> list[str]:
    """A text in lines of at most `width` cells.

    A number stays with its percent sign, words that a no-break space joins stay together, and a
    name with hyphens stays whole where it fits a line; a longer one breaks behind a hyphen.
    Blanks at the start stay; further lines begin with `inside`, or else with the first two of them.

    Examples
    --------
    >>> wrapped("- the level is 95 %", 17, inside="  ")
    ['- the level is', '  95 %']
    """
    words = text.lstrip(" ")
    line = text[: len(text) - len(words)]
    inside = line[:2] if inside is None else inside
    lines, begun = [], False
    for word in words.replace("\n", " ").replace(" %", "\xa0%").split(" "):
        longer = f"{line} {word}" if begun else line + word
        if cells_of(longer) <= width:
            line, begun = longer, begun or bool(word)
            continue
        lines += [line] if begun else []
        *full, rest = _chopped(word, width - len(inside))
        lines += [inside + piece for piece in full]
        line, begun = inside + rest, bool(rest)
    return [one.rstrip(" ").replace("\xa0", " ") for one in (*lines, line)]


def each_wrapped(texts: Iterable[str], width: int = WIDTH) -> list[str]:
    """Several texts, each of which begins a line."""
    return [line for text in texts for line in wrapped(text, width)]


def _chopped(word: str, width: int) -> list[str]:
    """A word that is longer than a line, in pieces; any other one as it is.

    A piece ends behind a hyphen where it has one, and the last one is more than a full stop.
    """
    if cells_of(word) <= width:
        return [word]
    from rich.cells import chop_cells

    pieces = [""]
    for part in re.split(r"(?<=\w-)", word):
        if cells_of(pieces[-1] + part) <= width:
            pieces[-1] += part
        else:
            pieces += chop_cells(part, width)
    end = len(word) - len(word.rstrip(_ENDS))
    if len(pieces[-1]) <= end <= _LONGEST_END:
        pieces[-2:] = chop_cells(pieces[-2] + pieces[-1], width - end)
    return [piece for piece in pieces if piece]


def in_columns(rows: Sequence[Sequence[str]], align: str = "l") -> list[str]:
    """Rows of cells as lines, two blanks between columns.

    Parameters
    ----------
    rows : sequence of sequence of str
        The heads first; blanks that fill a head make its column wider.
    align : str
        A letter per column, "l" or "r"; the last one holds for all further columns.

    Examples
    --------
    >>> in_columns([("Model", "wins"), ("a", "12 %"), ("other", "8 %")], "lr")
    ['Model  wins', 'a      12 %', 'other   8 %']
    """
    sides = list(zip(chain(align, repeat(align[-1])), zip(*rows, strict=True), strict=False))
    widths = [max(map(cells_of, column)) for _, column in sides]
    return [
        _GAP.join(
            " " * (width - cells_of(cell)) + cell if side == "r"
            else cell + " " * (width - cells_of(cell))
            for cell, width, (side, _) in zip(row, widths, sides, strict=True)
        ).rstrip(" ")
        for row in rows
    ]  # fmt: skip


def html_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as a table of HTML: the heads first, and in each row first what it is about.

    Examples
    --------
    >>> html_table([("Task", "n"), ("a<b", "3")])[-62:]
    '<tr><th scope="row">a&lt;b</th><td>3</td></tr></tbody></table>'
    """
    heads, *body = ([escape(cell) for cell in row] for row in rows)
    top = "".join(f'<th scope="col">{head}</th>' for head in heads)
    lines = (
        f'<tr><th scope="row">{name}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for name, *cells in body
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def text_of(lines: Sequence[str]) -> str:
    """Lines as one text in which each ends with a line break, and none with blanks."""
    return "".join(f"{line.rstrip()}\n" for line in lines)
