"""Tables of Markdown: rows between bars, as they stand in pages and issues."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rankbars.data.notes import list_words
from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, open_text
from rankbars.tables.database import Engine
from rankbars.tables.valuetables import Chunk, ValueTable

__all__ = ["has_table", "is_markdown", "open_markdown"]

_RULE = re.compile(r"\s*\|?(\s*:?-+:?\s*\|)+(\s*:?-+:?\s*)?\s*")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_BOLD_NUMBER = re.compile(r"(\*{1,3}|_{1,3}|`)([-+]?\d[\d.,]*%?)\1")
_HTML = re.compile(r"</?(?:u|b|i|em|strong|mark|code|small|span|br)\b[^<>]*>", re.IGNORECASE)
_EMPHASIS = re.compile(r"(\*\*\*|\*\*|\*|___|__|`|~~)(.+)\1")
# A footnote's mark, and a remark in brackets in other letters.
_FOOTNOTE = re.compile(r"<sup\b[^<>]*>[^<>]*</sup>", re.IGNORECASE)
_ASIDE = re.compile(r"(\*{1,3}|_{1,3}|~~)(\([^()]*\))\1")

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
    if not rules:
        raise ReadError.at(
            file.label,
            "there is no table in this page. Expected one, between bars: | model | score |.",
        )
    if len(rules) > 1:
        found = list_words(f"lines {rule} to {_end(lines, rule)}" for rule in rules)
        raise ReadError.at(
            file.label,
            f"there are {len(rules)} tables in this page ({found}). A page with one is read: copy "
            "the lines of the one that is meant into a file of its own; several that belong "
            "together, each into its own, and name them all.",
        )
    rule = rules[0]
    names = _cells(lines[rule - 1])
    rows = list(_rows(file, lines, rule, len(names)))
    names, rows = _without_signs(names, rows)

    def read_chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        yield {name: [row[names.index(name)] for row in rows] for name in wanted}

    return ValueTable(file.label, tuple(names), read_chunks, rule + 1, engine)


def _without_signs(
    names: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[list[str], list[list[str]]]:
    """The table without nameless columns of ±, with arrows as directions and names filled down.

    >>> _without_signs(["Tasks", "", "Value", ""], [["arc", "↑", "1", "±"], ["", "↓", "2", "±"]])
    (['Tasks', 'direction', 'Value'], [['arc', '↑', '1'], ['arc', '↓', '2']])
    """
    nameless = [place for place, name in enumerate(names) if not name and place]
    cells = {place: {row[place] for row in rows} for place in nameless}
    arrows = [place for place in nameless if {""} < cells[place] | {""} <= {"", "↑", "↓"}]
    if not arrows:
        return list(names), [list(row) for row in rows]
    gone = {place for place in nameless if cells[place] <= {"", "±"}}
    kept = [place for place in range(len(names)) if place not in gone]
    found: list[list[str]] = []
    for row in rows:
        first = row[0] or (found[-1][0] if found else "")
        found.append([row[place] if place else first for place in kept])
    return ["direction" if place == arrows[0] else names[place] for place in kept], found


def _lines(file: InputFile) -> list[str]:
    with open_text(file) as text:
        return text.read(_MOST_CHARACTERS).splitlines()


def _rules(lines: Sequence[str]) -> list[int]:
    """The lines between the header of a table and its rows."""
    return [
        number for number, line in enumerate(lines)
        if number and "|" in lines[number - 1] and _RULE.fullmatch(line)
    ]  # fmt: skip


def _end(lines: Sequence[str], rule: int) -> int:
    """How many lines there are up to the last row of a table."""
    rows = enumerate(lines[rule + 1 :], start=rule + 1)
    return next((number for number, line in rows if "|" not in line), len(lines))


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
    >>> _plain("**88.1** ± 0.9"), _plain("<u>61.0</u>")
    ('88.1 ± 0.9', '61.0')
    >>> _plain("ash<sup>†</sup>"), _plain("~~birch~~"), _plain("cedar *(prelim.)*")
    ('ash', 'birch', 'cedar (prelim.)')
    """
    plain = _ASIDE.sub(r"\2", _FOOTNOTE.sub("", cell))
    text = _LINK.sub(r"\1", _HTML.sub(" ", plain).strip())
    while found := _EMPHASIS.fullmatch(text):
        text = found[2].strip()
    text = _BOLD_NUMBER.sub(r"\2", _LINK.sub(r"\1", text))
    return text.replace("\\|", "|").replace("\\_", "_")
