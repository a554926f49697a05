"""Two models face to face: as text for a terminal, and as JSON for programs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from html import escape
from typing import Any

import numpy as np

from rankbars.data.headtohead import Contrast, HeadToHead
from rankbars.data.judged import JudgedClaim
from rankbars.data.notes import verdict_about
from rankbars.data.plain import answer_json
from rankbars.render.boardnotes import note_lines
from rankbars.render.claims import APPROXIMATE, approximate_words, given_rows
from rankbars.render.notation import (
    MISSING,
    rows_of,
    show_count,
    show_level,
    show_number,
    show_signed,
    suitable_decimals,
)
from rankbars.render.plantext import needed_to_dict, needed_words
from rankbars.render.shownnames import short_names, shorten, visible
from rankbars.render.textlines import cells_of, each_wrapped, html_table, in_columns, text_of

__all__ = [
    "HEAD_TO_HEAD_SCHEMA", "head_to_head_html", "head_to_head_json", "head_to_head_text",
]  # fmt: skip

HEAD_TO_HEAD_SCHEMA = "rankbars.head-to-head/1"
_NARROWEST = 40
_NOTHING = (0.0,)  # the only value that a difference must not be rounded to
_ANOTHER_SCALE = 20.0  # times the scores of another task
_LONG_NAME = 48
_PLAIN = ("name", "kind", "unit", "metric", "direction", "test", "binary", "verdict", "n", "n_a",
          "n_b", "ahead", "behind", "score_a", "score_b", "difference", "low", "high", "se", "df",
          "p_value", "p_better", "p_worse", "detectable", "approximate", "measured_level",
          "assumptions")  # fmt: skip


def head_to_head_json(duel: HeadToHead, claim: Mapping[str, Any] | None = None) -> str:
    """The comparison as JSON text: shortest round trip of floats.

    What a `claim` about the two became stands under its own key.

    Numbers that cannot be had are null, and so are infinite degrees of freedom.
    """
    values = {
        "schema": HEAD_TO_HEAD_SCHEMA,
        "a": duel.a,
        "b": duel.b,
        "alpha": duel.alpha,
        "power": duel.power,
        "tasks": [_contrast_to_dict(task) for task in duel.tasks.values()],
        "average": None if duel.average is None else _contrast_to_dict(duel.average),
        # What is answered first, under one key whether there is one task or several.
        "main": None if duel.main is None else _contrast_to_dict(duel.main),
        # Rows that would tell the two apart, where the first answer could not.
        "needed": needed_to_dict(duel.needed),
        **({} if claim is None else {"claim": claim}),
        "notes": [asdict(note) for note in duel.notes],
        "provenance": {"inputs": [asdict(entry) for entry in duel.inputs]},
    }
    return answer_json(values)


def head_to_head_text(
    duel: HeadToHead, *, width: int = 80, claim: JudgedClaim | None = None
) -> str:
    """The comparison as lines of text.

    Parameters
    ----------
    duel : HeadToHead
        The result.
    width : int
        Columns of the terminal, at least 40.
    claim : JudgedClaim, optional
        A claim about the two that stands above: where its interval is the same, it is not said
        again, and where it is another, what this one decides is.

    Returns
    -------
    str
        Lines that end with a line break.
    """
    width = max(width, _NARROWEST)
    above = [] if duel.main is None else [*_answer(duel, duel.main, claim), ""]
    table = [*_table(duel, width), ""] if len(duel.tasks) > 1 else []
    return text_of([*each_wrapped(above, width), *table, *each_wrapped(_footer(duel), width)])


def head_to_head_html(duel: HeadToHead) -> str:
    """The comparison for the output of a notebook cell: a fragment without script or style.

    Parameters
    ----------
    duel : HeadToHead
        The result.
    """
    verdict, *numbers = _answer(duel, duel.main) if duel.main is not None else [""]
    parts = [f"<p><strong>{escape(verdict)}</strong></p>"] if verdict else []
    parts += [f"<p>{escape(text)}</p>" for text in numbers]
    if len(duel.tasks) > 1:
        header, rows = _task_rows(duel)
        named = zip(map(visible, duel.tasks), rows, strict=True)
        parts.append(html_table([("Task", *header), *((name, *row) for name, row in named)]))
    parts += [f"<p>{escape(text)}</p>" for text in _footer(duel)]
    return "\n".join(parts) + "\n"


def _contrast_to_dict(contrast: Contrast) -> dict[str, Any]:
    plain = {name: getattr(contrast, name) for name in _PLAIN}
    for name in ("n", "n_a", "n_b"):
        plain[name] = plain[name] or (None if contrast.kind == "estimates" else 0)
    return plain


def _answer(duel: HeadToHead, main: Contrast, claim: JudgedClaim | None = None) -> list[str]:
    """The verdict, the numbers behind it, and what could have been seen."""
    first, second = _names(duel)
    level = APPROXIMATE if main.approximate else show_level(duel.alpha)
    decimals = _decimals([main])
    a, b = (show_number(score, decimals) for score in (main.score_a, main.score_b))
    what = "mean rank within tasks" if main.unit == "rank" else "score"
    where = "" if main is not duel.average else f" on the {visible(main.name)}"
    side = f" ({main.direction} is better)" if main.direction == "lower" else ""
    scores = f"{what.capitalize()}{side}: {first} {a}, {second} {b}."
    shown, ends = _difference(main, decimals), (main.low, main.high)
    at = "." if math.isnan(main.low) else f", {level}." if main.approximate else f" at {level}."
    if claim is None:
        scores = f"{scores} Difference {shown}{at}"
    elif not np.allclose(ends, (claim.low, claim.high), equal_nan=True):
        scores = f"{scores} Which of them is better is decided by another interval: {shown}{at}"
    lines = [_verdict_sentence(duel, main, where, level), scores]
    if main.approximate:
        tests = [main] if main is not duel.average else duel.tasks.values()
        methods = [(one.test, None) for one in tests]
        lines.append(approximate_words(duel.notes, main.measured_level, methods))
    counts = _counts_sentence(duel, main)
    if counts:
        lines.append(counts)
    if not math.isnan(main.detectable):
        lines.append(
            f"The smallest true difference that {_rows(main)} would show in {duel.power:.0%} of "
            f"repetitions: {show_number(main.detectable, decimals)}."
        )
        if duel.needed is not None:
            supposing = "the true difference is the observed one"
            level = "approximate" if main.approximate else "95 %"
            words = needed_words(duel.needed, rows_of(main.kind), supposing, level)
            lines.append(f"To tell them apart: {words[0].lower()}{words[1:]}")
    elif math.isnan(main.low):
        lines.append(
            f"{_why_no_interval(duel, main)}, so there is no interval and no smallest detectable "
            "difference."
        )
    return lines


def _why_no_interval(duel: HeadToHead, main: Contrast) -> str:
    """What is lacking for an interval."""
    if main.unit == "rank" and main.test == "signflip":
        return f"Ranks on {_rows(main)} are compared by an exact test"
    if main.kind != "estimates":
        return f"{_rows(main).capitalize()} show no spread"
    codes = {note.code for note in duel.notes if main is duel.average or note.task == main.name}
    if "no-spread" in codes:
        return (
            "Both scores were published with a standard error of 0, which does not say how far "
            "their difference may be off"
        )
    return "No standard error is known of these scores"


def _verdict_sentence(duel: HeadToHead, main: Contrast, where: str, level: str) -> str:
    about = [
        *verdict_about([main.metric], duel.notes),
        level if main.approximate else f"at {level}",
    ]
    told = ", ".join(map(visible, about))
    first, second = _names(duel)
    left_out = any(note.code == "failures-left-out" for note in duel.notes)
    given = given_rows(duel.notes)
    if left_out:
        rows = " and rows are independent" if given else ""
        given = f", if what is missing does not depend on the score{rows}"
    if main.verdict == "cannot tell":
        return f"Cannot tell which of {first} and {second} is better{where} ({told}){given}."
    return f"{first} is {main.verdict} than {second}{where} ({told}){given}."


def _counts_sentence(duel: HeadToHead, main: Contrast) -> str:
    if main.ahead is None or main.behind is None:
        return ""
    first, second = _names(duel)
    ahead, behind = show_count(main.ahead), show_count(main.behind)
    if main.kind == "tasks":
        tasks = "task" if ahead == "1" else "tasks"
        return f"{first} is ahead on {ahead} {tasks}, {second} on {behind}."
    if main.binary:
        return f"Of {_rows(main)}, only {first} got {ahead} right and only {second} {behind}."
    return f"Of {_rows(main)}, {first} is ahead on {ahead} and {second} on {behind}."


def _rows(main: Contrast) -> str:
    if main.kind == "estimates" or main.n == 0:
        return "these scores"
    return f"these {show_count(main.n)} {rows_of(main.kind)}"


def _difference(one: Contrast, decimals: int | None) -> str:
    shown, low, high = (
        show_signed(end, decimals, _NOTHING) for end in (one.difference, one.low, one.high)
    )
    return shown if math.isnan(one.low) else f"{shown} [{low}, {high}]"


def _decimals(contrasts: Sequence[Contrast]) -> int | None:
    values = [(one.difference, one.score_a, one.score_b) for one in contrasts]
    halves = [(one.high - one.low) / 2 for one in contrasts]
    return suitable_decimals(np.array(values).ravel(), np.array(halves))


def _task_rows(duel: HeadToHead) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Titles and cells of the table of tasks, without their names."""
    tasks = list(duel.tasks.values())
    alike = len({(task.metric, task.direction) for task in tasks}) == 1 and _on_one_scale(tasks)
    shared = _decimals(tasks)
    rows = [_cells(task, shared if alike else _decimals([task])) for task in tasks]
    sure = not any(task.approximate for task in tasks)
    level = show_level(duel.alpha) if sure else APPROXIMATE
    header: tuple[str, ...] = (f"Difference [{level}]", "Ahead", "could show", "verdict")
    if all(row[1] == MISSING for row in rows):
        header, rows = _without(header, 1), [_without(row, 1) for row in rows]
    return header, rows


def _on_one_scale(tasks: Sequence[Contrast]) -> bool:
    """Whether scores are of one size: digits of a rate say nothing beside those of a rating."""
    largest = [max(abs(task.score_a), abs(task.score_b)) for task in tasks]
    known = [one for one in largest if one > 0]
    return not known or max(known) < _ANOTHER_SCALE * min(known)


def _table(duel: HeadToHead, width: int) -> list[str]:
    header, rows = _task_rows(duel)
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    room = max(width - sum(widths) - 2 * len(widths), 8)
    names = short_names(duel.tasks, room, measure=cells_of)
    return in_columns([("Task", *header), *((one, *r) for one, r in zip(names, rows, strict=True))])


def _cells(task: Contrast, decimals: int | None) -> tuple[str, ...]:
    counted = task.ahead is not None and task.behind is not None
    return (
        _difference(task, decimals),
        f"{task.ahead} : {task.behind}" if counted else MISSING,
        show_number(task.detectable, decimals, _NOTHING),
        task.verdict,
    )


def _without(cells: tuple[str, ...], position: int) -> tuple[str, ...]:
    return cells[:position] + cells[position + 1 :]


def _footer(duel: HeadToHead) -> list[str]:
    first, second = _names(duel)
    lines = [f"Differences are {first} minus {second}, signed so that + favours {first}."]
    if len(duel.tasks) > 1:
        binary = all(task.binary for task in duel.tasks.values())
        if any(task.ahead is not None for task in duel.tasks.values()):
            what = "alone got right" if binary else "does better on"
            lines.append(f"Ahead: how many rows {first} : {second} {what}.")
        lines.append(
            "Could show: the smallest true difference that would be shown in "
            f"{duel.power:.0%} of repetitions."
        )
        lines.append(
            f"Each verdict by itself is wrong in {_how_often(duel)} of cases where "
            f"the models are equal; {len(duel.tasks)} tasks are {len(duel.tasks)} chances for that."
        )
    return lines + note_lines(duel.notes, lambda task: shorten(visible(task), _LONG_NAME))


def _how_often(duel: HeadToHead) -> str:
    share = f"{100 * duel.alpha:.3g} %"
    sure = not any(task.approximate for task in duel.tasks.values())
    return f"at most {share}" if sure else f"about {share} ({APPROXIMATE}: perhaps more)"


def _names(duel: HeadToHead) -> list[str]:
    """Both names, cut where they are long; they still differ."""
    return short_names((duel.a, duel.b), _LONG_NAME)
