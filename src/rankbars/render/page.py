"""A board as one self-contained HTML page, and as a piece of a notebook or of another page.

The page is complete as it is written here. Its script, built from ``web/``, adds what needs a
reader's choice: sorting, opening a model, comparing two, recomputing an average.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankbars.data.board import Leaderboard
from rankbars.data.noise import Noise
from rankbars.errors import OptionError
from rankbars.render.arenatables import category_rows, suspect_tables, time_tables
from rankbars.render.boardnotes import Remark, all_remarks, remark_text
from rankbars.render.claims import only_metric
from rankbars.render.examination import health_blocks
from rankbars.render.exploration import can_explore
from rankbars.render.firstscreen import (
    compared,
    new_task_level,
    new_task_title,
    opening,
    what_is_ranked,
)
from rankbars.render.glossary import glossary
from rankbars.render.methodbox import method_entries
from rankbars.render.newtasklines import new_task_line, width_line
from rankbars.render.noisetext import NoiseTable, noise_sentences, noise_table
from rankbars.render.pagedata import page_json, shares_line
from rankbars.render.pagelayout import (
    PageRow,
    average_matrix,
    group_matrix,
    page_rows,
    rank_ticks,
    score_matrix,
    task_matrix,
)
from rankbars.render.pagetemplates import asset, escaped, html_name, page_environment, trusted
from rankbars.render.paragraph import citation, methods_paragraph, references
from rankbars.render.ranktable import SideTable, Table, board_table, task_table
from rankbars.render.sentences import (
    field_line,
    headline,
    headline_sentences,
    leader_lines,
    outcome_sentence,
    scale_line,
    scopes_line,
    task_line,
)
from rankbars.render.shownnames import visible
from rankbars.render.sidetables import cost_table, order_table, placed_table
from rankbars.stats.resampling.rankcounts import TOP

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["PageFrame", "fragment_html", "render_html"]

_SHORT_NAME = 26  # letters: it fits a line of a phone in the size of titles
_NAMES = ((24, "names"), (40, "long-names"), (10_000, "longest-names"))
_SCORES = ((8, "short-scores"), (12, "scores"), (16, "wide-scores"), (10_000, "long-scores"))
_FIRST_ROWS = 25  # of the fragment
_MOST_PLACED = 20  # models that lack tasks, besides those that may be first
_MOST_ROWS = 40  # with more models, the script shows the first 25 until somebody wants all
_MOST_DETAILS = 1_500  # models times tasks; beyond it scores of tasks share one table


@dataclass(frozen=True, slots=True)
class _TaskBlock:
    """The folded table of one task."""

    summary: Markup
    table: Table
    placed: SideTable | None = None


@dataclass(frozen=True, slots=True)
class _NoiseBlock:
    """Where the errors of one task come from."""

    task: str
    rows: str
    answers: str
    text: str
    table: NoiseTable


@dataclass(frozen=True, slots=True)
class _NoteLine:
    """One note, with the number that rows point to."""

    number: int | None
    code: str
    text: Markup


class PageFrame(NamedTuple):
    """What stands around a page that is one of a site.

    Attributes
    ----------
    title : str
        Name of the site.
    links : tuple of (str, str)
        Other pages, each with its address.
    logo : str, optional
        Address of a picture.
    css : str
        Further style.
    models : mapping from str to str, optional
        Address of the page of each model, where names lead.
    slim_style : str, optional
        Address of the style of a small page, a table without script. Others have theirs inside.
    card : str, optional
        Address of the picture that other sites show of a link to the page.
    """

    title: str
    links: tuple[tuple[str, str], ...]
    logo: str | None = None
    css: str = ""
    models: Mapping[str, str] | None = None
    slim_style: str | None = None
    card: str | None = None


def render_html(
    board: Leaderboard, *, task: str | None = None, frame: PageFrame | None = None
) -> str:
    """The board as one page that opens from disk, is complete without scripts and loads nothing.

    With pairs on the board (``leaderboard(..., pairs=True)``) its script compares any two models
    and recomputes averages of other tasks and weights.

    Parameters
    ----------
    board : Leaderboard
        The result.
    task : None
        The page holds every task; naming one is refused.
    frame : PageFrame, optional
        The site that the page is one of.

    Returns
    -------
    str
        A complete HTML document; the same board gives the same bytes.

    Raises
    ------
    OptionError
        If a task is named.
    """
    if task is not None:
        raise OptionError(
            f"The page shows every task, so it cannot show {task!r} alone. Leave the task out, "
            "or use the text, md, csv, latex or json format."
        )
    script, views = asset("page.js"), asset("views.js")
    css = asset("page.css") + ("" if frame is None else frame.css)
    slim = frame is not None and frame.slim_style is not None
    remarks = all_remarks(board)
    template = page_environment().get_template("page.html.j2")
    made = template.render(
        page=_slim(_page(board, remarks)) if slim else _page(board, remarks),
        frame=frame,
        slim=slim,
        css=trusted(css),
        css_hash=_digest(css),
        script=trusted(script),
        script_hash=_digest(script),
        views=trusted(views),
        views_hash=_digest(views),
        data="" if slim else trusted(page_json(board, remarks)),
        explorable=can_explore(board),
    )
    return _shortened(made) if slim else _quick(made)


def _shortened(page: str) -> str:
    """The page with its rows in fewer letters: a site may have tens of thousands of them.

    Examples
    --------
    >>> _shortened('<body><tr data-model="7"><td class="a b" role="cell">x</td><td>y</td></tr><tr>')
    '<body><tr><td class="a b" role=cell>x<td>y<tr>'
    """
    head, body, rest = page.partition("<body>")
    # Ends of cells and rows may be left out of HTML. Quotes in a text are escaped, so that what
    # looks like an attribute is one.
    short = re.sub(r"</t[dhr]>\n?(?=<)", "", rest)
    # Only the script asks which row and which column it is, but for columns that hide or stretch.
    short = re.sub(r' data-(?:model="\d+"|key="(?:bar|score|lead|new)")', "", short)
    short = short.replace(' role="rowheader" scope="row"', ' role="rowheader"')
    return head + body + re.sub(r'(?<=[a-z]=)"([\w.%-]+)"(?!/)', r"\1", short)


def _quick(page: str) -> str:
    r"""The page as browsers read it fastest: no text between cells, and one byte for every letter.

    A single letter beyond ASCII makes all that comes after it twice as wide in memory, and as slow
    to decode. Scripts, styles and data are ASCII as they are made.

    Examples
    --------
    >>> _quick("<tr>\n<td>1–3</td>\n<td>4</td>\n</tr>\n")
    '<tr><td>1&#8211;3</td><td>4</td></tr>\n'
    """
    short = re.sub(r"(</?t[dhr]\b[^<>]*>)\n(?=<)", r"\1", page)
    return short.encode("ascii", "xmlcharrefreplace").decode("ascii")


def _slim(page: dict[str, Any]) -> dict[str, Any]:
    """The page without what needs its script: rows by ranks alone, and no matrices."""
    return page | {
        "rows": tuple(replace(line, first="", top="") for line in page["rows"]),
        "table": page["table"]._replace(has_tiers=False),
        "fits": page["fits"].removesuffix(" many-models"),
        "average": None, "groups": None, "noise": (), "matrix": None, "tasks": (), "scores": None,
    }  # fmt: skip


class _FragmentRow(NamedTuple):
    """One row of the fragment, and which of its rows it is not told apart from."""

    line: PageRow
    near: tuple[int, ...]
    said: str


def fragment_html(board: Leaderboard) -> str:
    """The sentence, its level and the first rows, for a notebook or as a piece of another page.

    Complete without its script, which sorts rows and lights up those that are not told apart.
    Several may stand on one page, or one in an ``iframe`` by its ``srcdoc``.

    Parameters
    ----------
    board : Leaderboard
        The result.

    Returns
    -------
    str
        One ``div`` of HTML that loads nothing; its style reaches nothing outside of it.
    """
    sentences = headline_sentences(board, html_name)
    footer = (
        scale_line(board),
        *leader_lines(board),
        scopes_line(board),
        new_task_line(board),
        width_line(board),
    )
    above, table = opening(board, html_name), board_table(board)
    rows = page_rows(board, table, marks_first=above.marks_first)[:_FIRST_ROWS]
    lowest = max(line.row.worst for line in rows)
    return (
        page_environment()
        .get_template("fragment.html.j2")
        .render(
            about=board.about,
            first=_title(above.title),
            opening=above,
            headline=_title(" ".join(sentences)),
            field=field_line(board),
            footer=" ".join(filter(None, footer)),
            table=table,
            rows=_with_those_near(board, rows),
            last=table.n_models if lowest > 0.8 * table.n_models else lowest,
            falling=_direction(board),
            placed=placed_table(board),
            most=_FIRST_ROWS,
            notes=_notes(table.remarks),
            css=trusted(asset("fragment.css")),
            script=trusted(asset("fragment.js")),
        )
    )


def _with_those_near(board: Leaderboard, rows: tuple[PageRow, ...]) -> list[_FragmentRow]:
    """Rows with the places of those that each is not told apart from, as the page lights them."""
    if board.lead == "new_task":
        return [_FragmentRow(line, (), "") for line in rows]
    apart = board.shown_better | board.shown_better.T
    places = {line.position: place for place, line in enumerate(rows)}
    found = []
    for line in rows:
        others = [int(i) for i in np.flatnonzero(~apart[line.position]) if i != line.position]
        near = tuple(sorted(places[i] for i in others if i in places))
        more = f" ({len(others) - len(near)} of them not shown here)" * (len(others) > len(near))
        told = f"not told apart from {len(others)}{more}" if others else "told apart from all"
        found.append(_FragmentRow(line, near, f"{visible(line.row.model)}: {told}"))
    return found


def _page(board: Leaderboard, remarks: tuple[Remark, ...]) -> dict[str, Any]:
    """Everything the template prints, ready to show."""
    table = board_table(board, remarks)
    above = opening(board, html_name)
    rows = page_rows(board, table, marks_first=above.marks_first)
    blocks = _task_blocks(board)
    placed, more = _placed(board)
    source = PurePath(board.inputs[0].path).name if len(board.inputs) == 1 else ""
    about = board.about
    scopes = (scale_line(board), *leader_lines(board), scopes_line(board), shares_line(board))
    return {
        "title": (about and about.title) or f"{source or 'Leaderboard'}: {field_line(board)}",
        "summary": (about and about.description) or headline(board),
        "about": about,
        "opening": above,
        "first": _title(above.title),
        "whole": trusted(" ".join(headline_sentences(board, html_name))),
        "new_first": _title(new_task_title(board, html_name)),
        "new_level": new_task_level(board),
        "ranked": what_is_ranked(board),
        "fits": _widths(rows, table),
        "falling": _direction(board),
        "new_task": " ".join(filter(None, (new_task_line(board), width_line(board)))),
        "field": compared(board),
        "source": "" if about and about.title else source,
        "metric": only_metric(board) or "",
        "scopes": " ".join(filter(None, scopes)),
        "outcomes": outcome_sentence(board),
        "table": table,
        "rows": rows,
        "placed": placed,
        "placed_more": more,
        "orders": order_table(board),
        "costs": cost_table(board),
        "categories": category_rows(board),
        "over_time": time_tables(board),
        "suspects": suspect_tables(board),
        "ticks": rank_ticks(table.n_models),
        "average": average_matrix(board),
        "groups": group_matrix(board),
        "noise": _noise_blocks(board),
        "matrix": task_matrix(board) if len(board.tasks) > 1 else None,
        "tasks": blocks,
        "scores": None if blocks or board.lead == "task" else score_matrix(board),
        "terms": glossary(board),
        "top": TOP,
        "bibtex": citation(board),
        "health": health_blocks(board),
        "notes": _notes(remarks),
        "entries": method_entries(board),
        "paragraph": methods_paragraph(board),
        "references": references(board),
        "inputs": board.inputs,
        "options": _options(board),
        "version": board.version,
    }


def _placed(board: Leaderboard) -> tuple[SideTable | None, SideTable | None]:
    """The models that lack tasks: those below the rows of the board, and more in a fold."""
    every = placed_table(board)
    if every is None or len(every.rows) <= _MOST_PLACED:
        return every, None
    name = every.named
    seen = {row[name] for row in every.rows[:_MOST_PLACED]} | set(every.badges)
    first = tuple(row for row in every.rows if row[name] in seen)
    rest = tuple(row for row in every.rows if row[name] not in seen)
    more = replace(every, rows=rest, title="", note="") if rest else None
    return replace(every, rows=first), more


def _title(html: str) -> Markup:
    """The sentence at the top: lines break neither in ranges of ranks nor in short names."""
    kept = re.sub(rf"<bdi>(?=[^<]{{1,{_SHORT_NAME}}}</bdi>)", '<bdi class="short">', html)
    return trusted(kept.replace("–", "\u2060–\u2060"))


def _direction(board: Leaderboard) -> str:
    """How the scores of the main table run, best first, in the words of ``aria-sort``."""
    if board.lead == "task":
        way = next(iter(board.tasks.values())).direction
    else:
        average = board.aggregate if board.lead == "aggregate" else None
        way = "lower" if average is None else average.direction
    return "descending" if way == "higher" else "ascending"


def _widths(rows: tuple[PageRow, ...], table: Table) -> str:
    """Classes of the table by its longest name, with its marks, and its longest score."""
    name = max(_letters(line) for line in rows)
    # Beside a title stand an arrow and a question mark; notes have smaller letters.
    head = max(len(table.score_title) + 3, 0.6 * len(table.score_note))
    score = max(head, *(len(line.row.score) for line in rows))
    classes = [
        next(word for most, word in limits if length <= most)
        for limits, length in ((_NAMES, name), (_SCORES, score))
    ]
    if len(rows) > _MOST_ROWS:
        classes.append("many-models")
    return " ".join(classes)


def _letters(line: PageRow) -> int:
    """About how many letters the name takes, with what stands beside it."""
    row = line.row
    marks = 4 * len(row.marks) + 12 * line.may_be_first + 15 * (row.coverage not in ("", "100 %"))
    return len(visible(row.model)) + marks


def _task_blocks(board: Leaderboard) -> tuple[_TaskBlock, ...]:
    if board.lead == "task":
        return ()
    if len(board.tasks) * len(board.models) > _MOST_DETAILS:
        return ()
    return tuple(
        _TaskBlock(
            trusted(task_line(board, name, html_name)),
            task_table(board, name, ()),
            placed_table(board, name),
        )
        for name in board.tasks
    )


def _noise_blocks(board: Leaderboard) -> tuple[_NoiseBlock, ...]:
    found = {name: task.noise for name, task in board.tasks.items() if task.noise is not None}
    noise = Noise(board.models, found, board.spec.alpha, shared=board.spec.runs == "shared")
    order = {board.models[place]: rank for rank, place in enumerate(board.order)}
    blocks = []
    for name, task in found.items():
        table = noise_table(board.models, task)
        rows = tuple(sorted(table.rows, key=lambda row: order.get(row[0], len(order))))
        rows = rows if len(found) * len(rows) <= _MOST_DETAILS else ()
        text = " ".join(noise_sentences(noise, name))
        table = table._replace(rows=rows)
        blocks.append(_NoiseBlock(name, task.row, task.answer, text, table))
    return tuple(blocks)


def _notes(remarks: tuple[Remark, ...]) -> tuple[_NoteLine, ...]:
    return tuple(
        _NoteLine(
            remark.number,
            remark.code,
            trusted(remark_text(remark, html_name, lambda text: str(escaped(visible(text))))),
        )
        for remark in remarks
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _options(board: Leaderboard) -> tuple[tuple[str, str], ...]:
    """Every option with its value; those for votes where there are any."""
    plain = board.spec.to_dict()
    votes = plain.pop("votes")
    if any(task.kind == "votes" for task in board.tasks.values()):
        plain |= {f"votes.{name}": value for name, value in votes.items()}
    return tuple((name, str(value)) for name, value in plain.items())
