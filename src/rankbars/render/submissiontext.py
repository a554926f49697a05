"""A submission to a store, examined: as text, as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankbars.data.boardchange import Span, Submitted
from rankbars.data.notes import list_words
from rankbars.data.plain import answer_json
from rankbars.render.changes import LEVEL_KEYS, level_json
from rankbars.render.claims import stated_words
from rankbars.render.markdown import code_of, words_of
from rankbars.render.notation import MISSING, counted, show_ranks
from rankbars.render.shownnames import shorten, visible
from rankbars.render.textlines import each_wrapped, in_columns, text_of, wrapped

__all__ = ["submitted_json", "submitted_markdown", "submitted_text"]

MARKER = "<!-- rankbars:submit -->"
SCHEMA = "rankbars.submit/1"
_LIMIT = 60_000  # characters; a comment on GitHub may have 65,536
_MOST_ROWS, _MOST_NAMES, _MOST_OF_A_KIND = 30, 8, 3
_NARROWEST, _WIDEST_NAME = 60, 50
_LEADS = {"task": "on the task", "aggregate": "on the average", "new_task": "on a new task"}


def submitted_text(report: Submitted, *, width: int = 80) -> str:
    """What was found, as lines of text.

    Parameters
    ----------
    report : Submitted
        From `rankbars.submit`.
    width : int
        Columns of the terminal, at least 60.
    """
    width = max(width, _NARROWEST)
    lines = wrapped(_verdict(report), width)
    if report.files:
        lines += wrapped(_holds(report, _short), width)
    for level, message in _told(report):
        lines += wrapped(f"- {level.capitalize()}: {visible(message)}", width, inside="  ")
    moved, pushed = _parted(report)
    if report.ranks:
        lines += ["", *wrapped(_heading(report), width)]
        rows = [(f"  {_short(name)}", _moved(*spans)) for name, *spans in moved[:_MOST_ROWS]]
        lines += [*in_columns(rows), *_more_rows(len(moved))]
        said = [*_pushed(pushed), " ".join(_first(report, _short))]
        lines += each_wrapped(said, width)
    return text_of(lines)


def submitted_markdown(report: Submitted) -> str:
    """What was found, as GitHub-flavored Markdown of at most 60,000 characters.

    It starts with a comment by which a program finds its own post. Names stand in code, where
    nothing in them has a meaning.
    """
    parts = [MARKER, f"**{words_of(_verdict(report))}**"]
    if report.files:
        parts.append(_holds(report, code_of))
    if report.findings:
        shown = [
            f"- {'❌' if level == 'fault' else '⚠️'} {words_of(message)}"
            for level, message in _told(report)
        ]
        whole = len(shown)
        while sum(map(len, shown)) > _LIMIT // 2:
            shown.pop()
        more = ["- More is found than has room here."] if len(shown) < whole else []
        parts.append("\n".join([*shown, *more]))
    moved, pushed = _parted(report)
    if report.ranks:
        rows = ["| Model | Rank before | Rank after |", "| :-- | :-- | :-- |"]
        rows += [
            f"| {code_of(name)} | {_span(before)} | {_span(after)} |"
            for name, before, after in moved[:_MOST_ROWS]
        ]
        parts += [_heading(report), "\n".join(rows), *_more_rows(len(moved)), *_pushed(pushed)]
        parts.append(" ".join(_first(report, code_of)))
    return "\n\n".join(part for part in parts if part) + "\n"


def submitted_json(report: Submitted) -> str:
    """What was found, as JSON text."""
    return answer_json({
        "schema": SCHEMA,
        "ok": report.ok,
        "added": report.added,
        "store": report.store,
        "files": report.files,
        "models": report.models,
        "tasks": report.tasks,
        "findings": [
            {"level": one.level, "code": one.code, "message": one.message}
            for one in report.findings
        ],
        "ranks": [
            {"model": name, "before": before, "after": after}
            for name, before, after in report.ranks
        ],
        "may_be_first": report.first,
        "lead": report.lead or None,
        **(dict.fromkeys(LEVEL_KEYS) if report.level is None else level_json(report.level)),
    })  # fmt: skip


def _short(name: str) -> str:
    return shorten(visible(name), _WIDEST_NAME)


def _verdict(report: Submitted) -> str:
    faults, warnings = len(report.faults), len(report.findings) - len(report.faults)
    more = f", {counted(warnings, 'warning')} to look at" if warnings else ""
    if faults:
        return f"Not fit to be added: {counted(faults, 'fault')}{more}."
    if not report.files:
        return "Nothing to add."
    if report.added:
        return f"Added{more}."
    return f"Fit to be added{more}. Nothing was added."


def _holds(report: Submitted, name: Any) -> str:
    files = list_words([name(one) for one in report.files], _MOST_NAMES)
    models = list_words([name(one) for one in report.models], _MOST_NAMES)
    count = counted(len(report.tasks), "task")
    held = f"{counted(len(report.files), 'file')}: {files}."
    return f"{held} {_of(report.models)} {models} on {count}." if report.models else held


def _of(models: tuple[str, ...]) -> str:
    return "Model" if len(models) == 1 else "Models"


def _heading(report: Submitted) -> str:
    level = "" if report.level is None else f", {stated_words(report.level)}"
    return (
        f"Rank intervals {_LEADS[report.lead]}{level}; of the models submitted, and of others "
        "whose interval changes, not only because there are more models:"
    )


def _span(span: Span | None) -> str:
    return MISSING if span is None else show_ranks(*span)


def _moved(before: Span | None, after: Span | None) -> str:
    if before is None:
        return f"new: {_span(after)}"
    return _span(before) if before == after else f"{_span(before)} → {_span(after)}"


def _more_rows(count: int) -> list[str]:
    left = count - _MOST_ROWS
    return [f"{counted(left, 'more model')}."] if left > 0 else []


def _parted(report: Submitted) -> tuple[list[tuple[str, Span | None, Span | None]], int]:
    """Rows to show, those submitted first, and how many others only have more ranks at the end."""
    more = sum(before is None for _, before, _ in report.ranks)
    own, others, pushed = [], [], 0
    for row in report.ranks:
        name, before, after = row
        if name in report.models:
            own.append(row)
        elif more and before and after and after == (before[0], before[1] + more):
            pushed += 1
        else:
            others.append(row)
    return [*own, *others], pushed


def _pushed(count: int) -> list[str]:
    if not count:
        return []
    return [f"{counted(count, 'other model')} may rank further down only because there are more."]


def _told(report: Submitted) -> Iterator[tuple[str, str]]:
    """Level and message of each finding; of many of a kind, the first and how many more."""
    kinds: dict[tuple[str, str], list[str]] = {}
    for one in report.findings:
        kinds.setdefault((one.level, one.code), []).append(one.message)
    for (level, _), messages in kinds.items():
        most = _MOST_OF_A_KIND if len(messages) > _MOST_OF_A_KIND + 1 else len(messages)
        yield from ((level, message) for message in messages[:most])
        if len(messages) > most:
            yield level, f"{len(messages) - most:,} more of this kind; --json tells all."


def _first(report: Submitted, name: Any) -> Iterator[str]:
    before, after = report.first
    came = [name(one) for one in after if one not in before]
    went = [name(one) for one in before if one not in after]
    if not before or not (came or went):
        yield f"May be first: {list_words([name(one) for one in after], _MOST_NAMES)}."
        return
    if came:
        yield f"May be first then, and not before: {list_words(came, _MOST_NAMES)}."
    if went:
        yield f"No longer: {list_words(went, _MOST_NAMES)}."
    if stay := len(after) - len(came):
        yield f"{counted(stay, 'model')} may be first as before."
