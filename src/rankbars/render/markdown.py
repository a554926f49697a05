"""A board as Markdown, for pull requests, issues and committed files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from rankbars.data.board import Leaderboard
from rankbars.render.boardnotes import Remark, remark_text
from rankbars.render.claims import lead_claim, only_metric
from rankbars.render.newtasklines import new_task_line, width_line
from rankbars.render.notation import show_count
from rankbars.render.ranktable import Row, SideTable, Table, board_table, task_table
from rankbars.render.sentences import (
    field_parts,
    headline,
    leader_lines,
    outcome_sentence,
    scale_line,
    scopes_line,
    standing_apart,
    states_who_is_first,
    task_line,
)
from rankbars.render.shownnames import shorten, visible
from rankbars.render.sidetables import may_share_first, side_tables

__all__ = ["LIMIT", "MARKER", "code_of", "render_markdown", "words_of"]

LIMIT = 65_536  # characters that a comment on GitHub may have
MARKER = "<!-- rankbars:board -->"
_NAME_WIDTH, _NOTE_WIDTH = 100, 1000
_POINTER = "`rankbars show board.json`"
_SPARE = 400  # room kept for the sentence that says what was left out
_SPECIAL = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    "@": "&#64;<!-- -->",  # an empty comment keeps people from being notified
    "#": "&#35;<!-- -->",
    "://": "&#58;//",
} | {char: f"\\{char}" for char in "\\`*_{}[]|~$"}
_SPECIAL_PATTERN = re.compile("|".join(re.escape(text) for text in _SPECIAL))


def render_markdown(board: Leaderboard, *, task: str | None = None) -> str:
    """The board as GitHub-flavored Markdown; the same board gives the same bytes.

    Parameters
    ----------
    board : Leaderboard
        The result.
    task : str, optional
        One task instead of the whole board.

    Returns
    -------
    str
        A comment by which a program finds its own post, one or two sentences, badges, one table,
        notes, and a folded table per task. What does not fit into `LIMIT` characters is left out
        with a pointer to it. Names stand in code, where nothing in them has a meaning.

    Raises
    ------
    UnknownOptionError
        If there is no such task.
    """
    if task is not None:
        table = task_table(board, task)
        top = [MARKER, f"**{task_line(board, task, code_of)}**"]
        bottom = [f"{_READING} {table.score_line}".strip(), *_notes(table.remarks)]
        placed = _sides(board, task)
        return _joined([*top, _cut_grid(table, [*top, *placed, *bottom]), *placed, *bottom])
    table = board_table(board)
    top = [MARKER, *_about(board), f"**{headline(board, code_of)}**", _badges(board)]
    reading = [
        _READING,
        table.score_line,
        outcome_sentence(board),
        scale_line(board),
        scopes_line(board),
        new_task_line(board),
        width_line(board),
    ]
    leader = " ".join(leader_lines(board))
    bottom = [" ".join(filter(None, reading)), *filter(None, (leader,)), *_notes(table.remarks)]
    placed = _sides(board)
    grid = _cut_grid(table, [*top, *placed, *bottom], _first(board))
    parts = [*top, grid, *placed, *bottom]
    if board.lead != "task":
        parts += _folded_tasks(board, _room_left(parts))
    return _joined(parts)


def _about(board: Leaderboard) -> list[str]:
    """Title, description, and source with its link; nothing where none is known."""
    about = board.about
    if about is None:
        return []
    credit = [words_of(text) for text in about.credit]
    if about.link is not None:
        # In angle brackets, nothing that an address may hold ends it.
        words = credit.pop(0) if about.source else words_of(about.link)
        credit.insert(0, f"[{words}](<{about.link}>)")
    title = "" if about.title is None else f"### {words_of(about.title)}"
    text = "" if about.description is None else words_of(about.description)
    return [part for part in (title, text, ", ".join(credit)) if part]


_READING = "Ranks are best–worst; 1 is the best."


def _badges(board: Leaderboard) -> str:
    """The board in a few words, each in a box of its own."""
    parts = [*field_parts(board), lead_claim(board).level]
    if states_who_is_first(board):
        count = len(board.undominated())
        parts.append("1 model may be first" if count == 1 else f"{count} models may be first")
    if may_share_first(board) and board.partly is not None:
        parts.append(f"and {len(board.partly.first)} partly scored")
    if board.tiers:
        parts.append(f"{len(board.tiers)} {'tier' if len(board.tiers) == 1 else 'tiers'}")
    shown = [f"`{part}`" for part in parts]
    if (metric := only_metric(board)) is not None:
        shown.insert(len(field_parts(board)), code_of(metric))
    return " ".join(shown)


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(parts) + "\n"


def _room_left(parts: Sequence[str]) -> int:
    return LIMIT - _SPARE - len(_joined(parts))


def _first(board: Leaderboard) -> dict[str, str]:
    """What stands beside the models that may be first."""
    if not states_who_is_first(board):
        return {}
    models = board.undominated()
    alone = len(models) == 1 and not may_share_first(board)
    badge = "first" if alone else "may be first"
    apart = standing_apart(board)
    return {model: "stands apart" if model in apart else badge for model in models}


def _cut_grid(table: Table, others: Sequence[str], first: Mapping[str, str] | None = None) -> str:
    """The table, with the last rows left out where they do not fit beside `others`."""
    head, rows = _grid(table, first)
    room = _room_left([*others, *head])
    kept = _that_fit(rows, room)
    lines = [*head, *rows[:kept]]
    if kept < len(rows):
        left = show_count(len(rows) - kept)
        lines += ["", f"{left} more models are left out here; {_POINTER} shows all."]
    return "\n".join(lines)


def _sides(board: Leaderboard, task: str | None = None) -> list[str]:
    return [part for table in side_tables(board, task) for part in _side_grid(table)]


def _side_grid(table: SideTable) -> list[str]:
    """A table below the main one, in a part of the room, with what is said of it."""
    lines = [
        _line(words_of(head.title) for head in table.heads),
        _line("--:" if head.kind == "number" else ":--" for head in table.heads),
    ]
    rows = [_side_line(table, row) for row in table.rows]
    kept = _that_fit(rows, LIMIT // 4)
    lines += rows[:kept]
    if kept < len(rows):
        left = show_count(len(rows) - kept)
        lines += ["", f"{left} more of them are left out here; {_POINTER} shows all."]
    title = f"{table.title}." if table.title else ""
    above = f"**{title}** {table.note}" if table.note else words_of(title)
    first, *steps = map(words_of, table.listed or ("",))
    listed = "\n".join([first, "", *(f"- {step}" for step in steps)]) if first else ""
    said = (words_of(" ".join(part)) for part in table.below)
    return [part for part in (above, "\n".join(lines), listed, *said) if part]


def _side_line(table: SideTable, row: Sequence[str]) -> str:
    cells = []
    for head, cell in zip(table.heads, row, strict=True):
        if head.kind == "name":
            badge = table.badges.get(cell)
            cells.append(code_of(cell) + (f" **{badge}**" if badge else ""))
        elif head.kind == "words":
            cells.append(words_of(cell))
        else:
            cells.append(("~ " if head.kind == "place" else "") + cell.replace("<", "&lt;"))
    return _line(cells)


def _folded_tasks(board: Leaderboard, room: int) -> list[str]:
    blocks = []
    for name in board.tasks:
        head, rows = _grid(task_table(board, name, ()))
        summary = f"<summary>{task_line(board, name, _html_code)}</summary>"
        blocks.append("\n".join(["<details>", summary, "", *head, *rows, "", "</details>"]))
    kept = _that_fit(blocks, room)
    if kept == len(blocks):
        return blocks
    left = len(blocks) - kept
    what = "1 more task is" if left == 1 else f"{show_count(left)} more tasks are"
    return [*blocks[:kept], f"{what} left out here; {_POINTER} `--task NAME` shows each."]


def _that_fit(parts: Sequence[str], room: int) -> int:
    for count, part in enumerate(parts):
        room -= len(part) + 2
        if room < 0:
            return count
    return len(parts)


def _grid(table: Table, first: Mapping[str, str] | None = None) -> tuple[list[str], list[str]]:
    """Header lines and row lines of a table."""
    columns: list[tuple[str, str]] = [
        (f"{table.claim.title} ({table.claim.words})", ":--"),
        ("Model", ":--"),
        (f"{table.score_title} ({table.score_note})", ":--"),
    ]
    for one in table.further:
        said = "" if one.claim is None else one.claim.words
        columns.append((f"{one.title} ({said})", "--:" if one.claim is None else ":--"))
    head = [
        _line(title.removesuffix(" ()") for title, _ in columns),
        _line(rule for _, rule in columns),
    ]
    return head, [_line(_cells(row, table, first or {})) for row in table.rows]


def _cells(row: Row, table: Table, first: Mapping[str, str]) -> list[str]:
    marks = "".join(f" ({number})" for number in row.marks)
    badge = f" **{first[row.model]}**" if row.model in first else ""
    numbers = (row.score, *(getattr(row, one.field) for one in table.further))
    shown = (cell.replace("<", "&lt;") for cell in numbers)
    return [row.ranks, code_of(row.model) + badge + marks, *shown]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _notes(remarks: Sequence[Remark]) -> list[str]:
    lines = []
    for remark in remarks:
        number = "" if remark.number is None else f"({remark.number}) "
        lines.append(f"- {number}{remark_text(remark, code_of, words_of)}")
    kept = _that_fit(lines, LIMIT // 4)
    if kept < len(lines):
        lines[kept:] = [f"- {show_count(len(lines) - kept)} more notes; {_POINTER} shows all."]
    return ["\n".join(lines)] if lines else []


def code_of(name: str) -> str:
    """A name as inline code: no markup, no mention, no link."""
    shown = shorten(visible(name), _NAME_WIDTH)
    if shown.strip() and not set(shown) & set("`|\\"):
        return f"`{shown}`"
    return _html_code(name)


def _html_code(name: str) -> str:
    """Inline code in HTML, for what backticks cannot hold."""
    shown = shorten(visible(name), _NAME_WIDTH)
    return f"<code>{''.join(_entity(char) for char in shown)}</code>"


def _entity(char: str) -> str:
    return char if char.isalnum() or char in " -." or not char.isascii() else f"&#{ord(char)};"


def words_of(text: str) -> str:
    """Somebody's words as plain text."""
    shown = shorten(visible(text), _NOTE_WIDTH)
    return _SPECIAL_PATTERN.sub(lambda found: _SPECIAL[found.group()], shown)
