"""Markdown tables: rows between bars, as they stand in pages and issues."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, open_text
from rankbars.tables.database import Engine
from rankbars.tables.valuetables import Chunk, ValueTable

__all__ = ["has_table", "is_markdown", "open_markdown"]

_RULE = re.compile(r"\s*\|?(\s*:?-+:?\s*\|)+(\s*:?-+:?\s*)?\s*")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_BOLD_NUMBER = re.compile(r"(\*{1,3}|_{1,3}|`)([-+]?\d[\d.,]*%?)\1")
_EMPHASIS = re.compile(r"(\*\*\*|\*\*|\*|___|__|`)(.+)\1")

# A page is looked at as a whole; a longer one is something else.
_MOST_CHARACTERS = 1 << 24


def is_markdown(head: str) -> bool:
    r"""Whether text begins with a Markdown table.

    Examples
    --------
    >>> is_markdown("| Model | MMLU |\n|---|---:|\n"), is_markdown("model|score\na|1\n")
    (True, False)
    """
    lines = [line for line in head.splitlines() if line.strip()][:2]
    return len(lines) == 2 and "|" in lines[0] and bool(_RULE.fullmatch(lines[1]))


def has_table(file: InputFile) -> bool:
    """Whether a page holds a table."""
    return bool(_rules(_lines(file)))


def open_markdown(file: InputFile, engine: Engine) -> ValueTable:
    """The one table of a page, without bold print and links.

    Raises
    ------
    ReadError
        If there is no table, or more than one, or a row does not fit its header.
    """
    lines = _lines(file)
    rules = _rules(lines)
    if len(rules) != 1:
        found = "there is no table" if not rules else f"there are {len(rules)} tables"
        raise ReadError.at(
            file.label, f"{found} in this page. Expected one, between bars: | model | score |."
        )
    rule = rules[0]
    names = _cells(lines[rule - 1])
    rows = list(_rows(file, lines, rule, len(names)))

    def read_chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        yield {name: [row[names.index(name)] for row in rows] for name in wanted}

    return ValueTable(file.label, tuple(names), read_chunks, rule + 1, engine)


def _lines(file: InputFile) -> list[str]:
    with open_text(file) as text:
        return text.read(_MOST_CHARACTERS).splitlines()


def _rules(lines: Sequence[str]) -> list[int]:
    """The lines between the header of a table and its rows."""
    return [
        number for number, line in enumerate(lines)
        if number and "|" in lines[number - 1] and _RULE.fullmatch(line)
    ]  # fmt: skip


def _rows(file: InputFile, lines: Sequence[str], rule: int, width: int) -> Iterator[list[str]]:
    for number, line in enumerate(lines[rule + 1 :], start=rule + 2):
        if "|" not in line:
            return
        cells = _cells(line)
        if len(cells) != width:
            raise ReadError.at(
                file.label,
                f"the row has {len(cells)} cells, the header has {width}. Correct the row; a bar "
                r"inside a cell is written \|.",
                row=number,
            )
        yield cells


def _cells(line: str) -> list[str]:
    plain = line.strip().removeprefix("|")
    cells = re.split(r"(?<!\\)\|", plain)
    if len(cells) > 1 and not cells[-1].strip():
        cells.pop()
    return [_plain(cell) for cell in cells]


def _plain(cell: str) -> str:
    r"""The text of a cell without links and emphasis.

    Examples
    --------
    >>> _plain(" **[gpt-4](https://a.b)** "), _plain(r"a\|b")
    ('gpt-4', 'a|b')
    >>> _plain("**88.1** ± 0.9")
    '88.1 ± 0.9'
    """
    text = _LINK.sub(r"\1", cell.strip())
    while found := _EMPHASIS.fullmatch(text):
        text = found[2].strip()
    text = _BOLD_NUMBER.sub(r"\2", _LINK.sub(r"\1", text))
    return text.replace("\\|", "|").replace("\\_", "_")
