"""A board for other programs: CSV, LaTeX, its own file (JSON) and Graphviz."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence

from rankbars.data.board import Leaderboard
from rankbars.data.boardfile import board_json, board_to_dict
from rankbars.data.boardparts import PartlyScored
from rankbars.data.notes import list_words
from rankbars.data.plain import json_text
from rankbars.errors import OptionError
from rankbars.render.boardnotes import remark_text
from rankbars.render.claims import APPROXIMATE, lead_claim, overall_claim, task_claim
from rankbars.render.newtasklines import new_task_line
from rankbars.render.notation import show_level
from rankbars.render.ranktable import Row, Table, board_table, take_task, task_order, task_table
from rankbars.render.sentences import headline, task_line
from rankbars.render.shownnames import shorten, visible
from rankbars.render.sidetables import placed_table

__all__ = ["attributes_text", "render_csv", "render_dot", "render_json", "render_latex"]

# What spreadsheets take for the start of a formula, also in full width.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_BOARD_COLUMNS = (
    "model", "tier", "score", "score_low", "score_high", "best", "worst",
    "new_task_best", "new_task_worst", "coverage",
)  # fmt: skip
_PLACED_COLUMNS = ("field", "tasks_scored", "partly_scored")
_TASK_COLUMNS = (
    "task", "model", "score", "se", "best", "worst", "observed_best", "observed_worst", "coverage",
)  # fmt: skip
_SPREAD_COLUMNS = ("spread_best", "spread_worst")
_NAME_WIDTH = 60
_MOST_ATTRIBUTES = 12
_LIGATURE = re.compile(r"([-',])(?=\1)")  # two of these in a row become another character
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",
    "`": r"\textasciigrave{}",
    "–": "--",
    "±": r"$\pm$\,",
    "…": r"\ldots{}",
    "×": r"$\times$",
    "√": r"$\surd$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "−": r"$-$",
} | {char: f"\\{char}" for char in "&%$#_{}"}


def render_csv(board: Leaderboard, *, task: str | None = None) -> str:
    """The board as CSV, one row per model, numbers in full and names as they are.

    Parameters
    ----------
    board : Leaderboard
        The result.
    task : str, optional
        One task instead of the whole board.

    Returns
    -------
    str
        Header and rows. A name that a spreadsheet would take for a formula gets an apostrophe
        in front. An empty cell is a value that does not exist. Scores are in the units of the
        input. ``level`` is that of the ranks, or "approximate", or "no guarantee".

    Raises
    ------
    UnknownOptionError
        If there is no such task.
    """
    columns = _BOARD_COLUMNS if task is None else _task_columns(board, task)
    rows = _board_rows(board) if task is None else _task_rows(board, task)
    if board.partly is not None:
        columns = (*columns, *_PLACED_COLUMNS)
        size, count = len(board.models), len(board.tasks)
        rows = [(*row, size, count, "no") for row in rows]
        rows += _placed_rows(board.partly, task, len(columns))
    columns = (*columns, *(("level", "new_task_level") if task is None else ("level",)))
    levels, size = _levels(board, task), len(board.models)
    rows = [(*row, *levels[k >= size]) for k, row in enumerate(rows)]
    known = dict.fromkeys(name for said in board.attributes.values() for name in said)
    if task is None and known:
        columns = (*columns, *map(_csv_cell, known))
        said = [board.attributes.get(str(row[0]), {}) for row in rows]
        beside = [[own.get(name, "") for name in known] for own in said]
        rows = [(*row, *more) for row, more in zip(rows, beside, strict=True)]
    lines = [columns, *([_csv_cell(value) for value in row] for row in rows)]
    return "".join(f"{','.join(line)}\n" for line in lines)


def attributes_text(board: Leaderboard) -> str:
    """What the input said of the models beside their scores, a line each; empty without any.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> from dataclasses import replace
    >>> rows = np.random.default_rng(1).random((40, 2)) + [0.5, 0.0]
    >>> board = rb.leaderboard(rb.Scores.from_arrays({"math": rows}, ["a", "b"]))
    >>> said = {"a": {"licence": "MIT"}, "b": {"licence": "none"}}
    >>> print(attributes_text(replace(board, attributes=said)), end="")
    Said of the models, and not ranked:
    - licence: a MIT, b none
    """
    known = dict.fromkeys(name for said in board.attributes.values() for name in said)
    if not known:
        return ""
    ordered = [board.models[place] for place in board.order]
    lines = ["Said of the models, and not ranked:"]
    for name in known:
        has = [one for one in ordered if name in board.attributes.get(one, {})]
        each = [f"{visible(one)} {visible(board.attributes[one][name])}" for one in has]
        lines.append(f"- {visible(name)}: {list_words(each, _MOST_ATTRIBUTES)}")
    return "\n".join(lines) + "\n"


def render_latex(board: Leaderboard, *, task: str | None = None) -> str:
    """The board as a LaTeX table; it needs the package ``booktabs``.

    Parameters
    ----------
    board : Leaderboard
        The result.
    task : str, optional
        One task instead of the whole board.

    Returns
    -------
    str
        A ``table`` environment whose caption states the levels. Every special character of a
        name is escaped and pictographs are written as their code points; letters stay, and those
        outside the Latin alphabet need an engine and a font that know them.

    Raises
    ------
    UnknownOptionError
        If there is no such task.
    """
    table = board_table(board) if task is None else task_table(board, task)
    sentences = [
        headline(board, _unescaped) if task is None else task_line(board, task, _unescaped)
    ]
    sentences.append(f"{table.claim.title}: {table.claim.words}.")
    if task is None:
        sentences.append(new_task_line(board))
    titles = [_latex(title) for title in _titles(table)]
    lines = [
        "% needs \\usepackage{booktabs}; lualatex or xelatex where names are not in Latin letters",
        "\\begin{table}",
        "\\centering",
        f"\\caption{{{_latex(' '.join(filter(None, sentences)))}}}",
        f"\\begin{{tabular}}{{lll{''.join('l' if one.claim else 'r' for one in table.further)}}}",
        "\\toprule",
        _latex_line(titles),
        "\\midrule",
        *(_latex_line(_latex_cells(row, table)) for row in table.rows),
        *_latex_placed(board, task, len(titles)),
        "\\bottomrule",
        "\\end{tabular}",
        *_latex_notes(table),
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def render_json(board: Leaderboard, *, task: str | None = None) -> str:
    """The board as its file (schema ``rankbars.board/1``), or one task as it stands in there.

    Parameters
    ----------
    board : Leaderboard
        The result.
    task : str, optional
        One task: its object of the board file, with the models its lists are aligned with.

    Returns
    -------
    str
        JSON, its keys in the order of the board file.

    Raises
    ------
    UnknownOptionError
        If there is no such task.
    """
    if task is None:
        return board_json(board)
    name = take_task(board, task).name
    values = next(one for one in board_to_dict(board)["tasks"] if one["name"] == name)
    values["models"] = list(board.models)
    return json_text(values)


def render_dot(board: Leaderboard, *, task: str | None = None) -> str:
    """Who was shown better than whom on what the board shows first, as text for Graphviz.

    Parameters
    ----------
    board : Leaderboard
        The result.
    task : str, optional
        Refused, unless it is the only task: a board keeps one order, that of what it shows first.

    Raises
    ------
    OptionError
        If a task of several is asked for.
    UnknownOptionError
        If there is no such task.
    """
    if task is not None and len(board.tasks) > 1:
        take_task(board, task)  # names the known ones if there is no such task
        raise OptionError(
            "A board keeps one order, that of what it shows first. Rank the task by itself: "
            "rankbars rank INPUT --tasks NAME."
        )
    return board.partial_order().to_dot() + "\n"


def _board_rows(board: Leaderboard) -> Iterable[Sequence[object]]:
    average, overall = board.aggregate, board.overall
    task = next(iter(board.tasks.values()))
    task_low, task_high = task.score_interval()
    for i in board.order:
        name, tier, nothing = board.models[i], int(board.tier[i]), math.nan
        score, low, high = board.score[i], nothing, nothing
        best: object = nothing
        worst: object = nothing
        if board.lead == "task":
            score, low, high = task.mean[i], task_low[i], task_high[i]
            best, worst = int(task.best[i]), int(task.worst[i])
        elif board.lead == "aggregate" and average is not None:
            score, low, high = average.score[i], average.low[i], average.high[i]
            best, worst = int(average.best[i]), int(average.worst[i])
        elif overall is not None:
            score = -board.score[i]  # mean observed rank
            best, worst = int(overall.best[i]), int(overall.worst[i])
        new: tuple[object, object] = (nothing, nothing)
        if overall is not None:
            new = int(overall.best[i]), int(overall.worst[i])
        coverage = float(board.coverage[i])
        yield name, tier, float(score), float(low), float(high), best, worst, *new, coverage


def _levels(board: Leaderboard, task: str | None) -> tuple[Sequence[object], Sequence[object]]:
    """Levels of the ranks: of the models of the board, and of those that lack tasks."""
    partly = board.partly
    placed = "" if partly is None else show_level(partly.alpha)
    if partly is not None and partly.approximate:
        placed = APPROXIMATE
    if task is not None:
        return (task_claim(take_task(board, task)).level,), (placed,)
    new = math.nan if board.overall is None else overall_claim(board.overall).level
    return (lead_claim(board).level, new), (placed, math.nan)


def _placed_rows(partly: PartlyScored, task: str | None, width: int) -> Iterable[Sequence[object]]:
    """Models that lack tasks, in the columns of the others; an adjusted score is no score."""
    nothing = math.nan
    if task is None:
        for i in partly.order:
            share = float(partly.tasks[i] / partly.n_tasks)
            ends = int(partly.best[i]), int(partly.worst[i])
            shown = float(partly.adjusted[i]), nothing, nothing
            row = (partly.models[i], nothing, *shown, *ends, nothing, nothing, share)
            yield *row, partly.field, int(partly.tasks[i]), "yes"
        return
    for found in partly.by_task:
        if found.name != task:
            continue
        for i, name in enumerate(found.models):
            score = float(found.mean[i]), float(found.se[i])
            ends = int(found.best[i]), int(found.worst[i])
            known: list[object] = [task, name, *score, *ends, nothing, nothing, 1.0]
            count = int(partly.tasks[partly.models.index(name)])
            known += [nothing] * (width - len(known) - len(_PLACED_COLUMNS))
            yield *known, partly.field, count, "yes"


def _task_columns(board: Leaderboard, name: str) -> tuple[str, ...]:
    """Where scores come with errors of their own, ranks by overlap stand beside the others."""
    spread = take_task(board, name).spread_best is not None
    return (*_TASK_COLUMNS, *_SPREAD_COLUMNS) if spread else _TASK_COLUMNS


def _task_rows(board: Leaderboard, name: str) -> Iterable[Sequence[object]]:
    task = take_task(board, name)
    for i in task_order(task):
        ranks = (task.best[i], task.worst[i], task.observed_best[i], task.observed_worst[i])
        yield (
            name,
            board.models[i],
            float(task.mean[i]),
            float(task.se[i]),
            *(int(rank) for rank in ranks),
            float(task.scored_share[i]),
            *(int(ends[i]) for ends in (task.spread_best, task.spread_worst) if ends is not None),
        )


def _csv_cell(value: object) -> str:
    if not isinstance(value, str):
        return "" if isinstance(value, float) and math.isnan(value) else repr(value)
    known = value.encode("utf-8", "backslashreplace").decode("utf-8")
    if known.startswith(_FORMULA_STARTS):
        known = f"'{known}"
    # The csv module leaves a lone carriage return without quotes.
    if set(known) & set(',"\r\n') or known != known.strip():
        return '"' + known.replace('"', '""') + '"'
    return known


def _titles(table: Table) -> list[str]:
    score = f"{table.score_title} ({table.score_note})".removesuffix(" ()")
    further = (
        one.title if one.claim is None else f"{one.title} ({one.claim.level})"
        for one in table.further
    )  # fmt: skip
    return ["Rank", "Model", score, *further]


def _latex_cells(row: Row, table: Table) -> list[str]:
    marks = ",".join(str(number) for number in row.marks)
    name = _latex(shorten(visible(row.model), _NAME_WIDTH))
    numbers = (row.score, *(getattr(row, one.field) for one in table.further))
    named = f"{name}$^{{{marks}}}$" if marks else name
    return [_latex(row.ranks), named, *map(_latex, numbers)]


def _latex_placed(board: Leaderboard, task: str | None, width: int) -> list[str]:
    """Models that lack tasks, below a line of their own; nothing without any."""
    placed = placed_table(board, task)
    if placed is None:
        return []
    words = _latex(f"{placed.title}. {placed.note}")
    span = f"\\multicolumn{{{width}}}{{p{{.95\\linewidth}}}}{{\\footnotesize {words}}} \\\\"
    rows = [
        _latex_line(
            [_latex(ranks), _latex(shorten(visible(model), _NAME_WIDTH)),
             _latex(f"{score} ({tasks} tasks)"), *[""] * (width - 3)]
        )
        for ranks, model, score, tasks in placed.rows
    ]  # fmt: skip
    return ["\\midrule", span, *rows]


def _latex_notes(table: Table) -> list[str]:
    notes = []
    for remark in table.remarks:
        number = "" if remark.number is None else f"$^{{{remark.number}}}$"
        text = _latex(remark_text(remark))
        notes.append(f"\\par\\smallskip{{\\footnotesize\\raggedright {number}{text}\\par}}")
    return notes


def _latex_line(cells: Iterable[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _unescaped(name: str) -> str:
    return shorten(visible(name), _NAME_WIDTH)


def _latex(text: str) -> str:
    escaped = "".join(_latex_char(char) for char in re.sub(_LIGATURE, "\\1\0", text))
    return escaped.replace("\0", "{}").replace(" \\%", "~\\%")


def _latex_char(char: str) -> str:
    if char in _LATEX:
        return _LATEX[char]
    if char.isascii() or unicodedata.category(char)[0] in "LMNP":
        return char
    return f"U+{ord(char):04X}"
