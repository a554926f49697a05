"""A board as one self-contained HTML page, and as a light table for notebooks.

The page is complete as it is written here. Its script, built from ``web/``, adds what needs a
reader's choice: sorting, opening a model, comparing two, recomputing an average.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

from rankbars.data.board import Leaderboard
from rankbars.data.scores import Input
from rankbars.errors import OptionError
from rankbars.render.averagetable import average_matrix
from rankbars.render.citations import citation
from rankbars.render.glossary import Term, glossary
from rankbars.render.matrix import Matrix, group_matrix, score_matrix, task_matrix
from rankbars.render.methods import MethodEntry, method_entries
from rankbars.render.names import shorten, visible
from rankbars.render.outcomes import outcome_sentence
from rankbars.render.pagedata import TOP, page_json
from rankbars.render.pagerows import PageRow, page_rows
from rankbars.render.paragraph import methods_paragraph, references
from rankbars.render.picture import Picture, interval_picture
from rankbars.render.remarks import Remark, all_remarks, remark_text
from rankbars.render.rows import Table, board_table, task_table
from rankbars.render.sentences import (
    field_line,
    headline_sentences,
    new_task_line,
    scale_line,
    scopes_line,
    task_line,
    width_line,
)
from rankbars.render.votehealth import HealthBlock, health_blocks

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = ["notebook_html", "render_html"]

_NAME_WIDTH = 120
_MOST_DETAILS = 1_500  # models times tasks; beyond it scores of tasks share one table


@dataclass(frozen=True, slots=True)
class TaskBlock:
    """The folded table of one task."""

    summary: Markup
    table: Table


@dataclass(frozen=True, slots=True)
class NoteLine:
    """One note, with the number that rows point to."""

    number: int | None
    code: str
    text: Markup


@dataclass(frozen=True, slots=True)
class Page:
    """Everything the template prints, ready to show."""

    title: str
    first: Markup
    rest: Markup
    new_task: str
    field: str
    scopes: str
    outcomes: str
    table: Table
    rows: tuple[PageRow, ...]
    picture: Picture
    average: Matrix | None
    groups: Matrix | None
    matrix: Matrix | None
    tasks: tuple[TaskBlock, ...]
    scores: Matrix | None
    terms: tuple[Term, ...]
    top: int
    bibtex: str
    health: tuple[HealthBlock, ...]
    notes: tuple[NoteLine, ...]
    entries: tuple[MethodEntry, ...]
    paragraph: str
    references: tuple[str, ...]
    inputs: tuple[Input, ...]
    options: tuple[tuple[str, str], ...]
    version: str


def render_html(board: Leaderboard, *, task: str | None = None) -> str:
    """The board as one page that opens from disk, is complete without scripts and loads nothing.

    With pairs on the board (``leaderboard(..., pairs=True)``) its script compares any two models
    and recomputes averages of other tasks and weights.

    Parameters
    ----------
    board : Leaderboard
        The result.
    task : None
        The page holds every task; naming one is refused.

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
    css, script = _asset("page.css"), _asset("page.js")
    remarks = all_remarks(board)
    template = _environment().get_template("page.html.j2")
    return template.render(
        page=_page(board, remarks),
        css=_trusted(css),
        css_hash=_digest(css),
        script=_trusted(script),
        script_hash=_digest(script),
        data=_trusted(page_json(board, remarks)),
    )


def notebook_html(board: Leaderboard) -> str:
    """The sentence and the main table of a board, for the output of a notebook cell.

    Parameters
    ----------
    board : Leaderboard
        The result.

    Returns
    -------
    str
        A fragment of HTML without script or outside style.
    """
    sentences = headline_sentences(board, _html_name)
    footer = " ".join(
        filter(
            None, (scale_line(board), scopes_line(board), new_task_line(board), width_line(board))
        )
    )
    template = _environment().get_template("notebook.html.j2")
    return template.render(
        headline=_trusted(" ".join(sentences)),
        field=field_line(board),
        footer=footer,
        table=board_table(board),
        notes=_notes(board_table(board).remarks),
    )


def _page(board: Leaderboard, remarks: tuple[Remark, ...]) -> Page:
    table = board_table(board, remarks)
    first, *rest = headline_sentences(board, _html_name)
    blocks = _task_blocks(board)
    return Page(
        title="Leaderboard: " + field_line(board),
        first=_trusted(first),
        rest=_trusted(" ".join(rest)),
        new_task=" ".join(filter(None, (new_task_line(board), width_line(board)))),
        field=field_line(board),
        scopes=" ".join(filter(None, (scale_line(board), scopes_line(board)))),
        outcomes=outcome_sentence(board),
        table=table,
        rows=page_rows(board, table),
        picture=interval_picture(table),
        average=average_matrix(board),
        groups=group_matrix(board),
        matrix=task_matrix(board) if len(board.tasks) > 1 else None,
        tasks=blocks,
        scores=None if blocks or board.lead == "task" else score_matrix(board),
        terms=glossary(board),
        top=TOP,
        bibtex=citation(board),
        health=health_blocks(board),
        notes=_notes(remarks),
        entries=method_entries(board),
        paragraph=methods_paragraph(board),
        references=references(board),
        inputs=board.inputs,
        options=_options(board),
        version=board.version,
    )


def _task_blocks(board: Leaderboard) -> tuple[TaskBlock, ...]:
    if board.lead == "task":
        return ()
    if len(board.tasks) * len(board.models) > _MOST_DETAILS:
        return ()
    return tuple(
        TaskBlock(_trusted(task_line(board, name, _html_name)), task_table(board, name, ()))
        for name in board.tasks
    )


def _notes(remarks: tuple[Remark, ...]) -> tuple[NoteLine, ...]:
    return tuple(
        NoteLine(
            remark.number,
            remark.code,
            _trusted(remark_text(remark, _html_name, lambda text: str(_escaped(visible(text))))),
        )
        for remark in remarks
    )


def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("rankbars.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["name"] = lambda name: _trusted(_html_name(name))
    environment.filters["seen"] = visible
    environment.filters["together"] = _together
    environment.filters["number"] = lambda value: f"{value:g}"
    return environment


def _asset(name: str) -> str:
    return resources.files("rankbars.render").joinpath("assets", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _html_name(name: str) -> str:
    """A name as HTML: escaped, kept apart from the direction of the text around it."""
    seen = visible(name)
    shown = shorten(seen, _NAME_WIDTH)
    title = f' title="{_escaped(seen)}"' if shown != seen else ""
    return f"<bdi{title}>{_escaped(shown)}</bdi>"


def _together(text: str) -> Markup:
    """Escape, and keep a percent sign on the line of its number."""
    return _trusted(str(_escaped(text)).replace(" %", "&nbsp;%"))


def _escaped(text: str) -> Markup:
    from markupsafe import escape

    return escape(text)


def _trusted(html: str) -> Markup:
    from markupsafe import Markup

    return Markup(html)


def _options(board: Leaderboard) -> tuple[tuple[str, str], ...]:
    """Every option with its value; those for votes where there are any."""
    plain = board.spec.to_dict()
    votes = plain.pop("votes")
    if any(task.kind == "votes" for task in board.tasks.values()):
        plain |= {f"votes.{name}": value for name, value in votes.items()}
    return tuple((name, str(value)) for name, value in plain.items())
