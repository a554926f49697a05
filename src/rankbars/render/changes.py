"""What changed between two boards: as text, as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from rankbars.data.boardchange import (
    BoardChange,
    Cause,
    ModelChange,
    PartlyChange,
    StatedLevel,
)
from rankbars.data.notes import list_words
from rankbars.data.plain import answer_json
from rankbars.render.claims import level_words, stated_words
from rankbars.render.markdown import code_of
from rankbars.render.notation import (
    MISSING,
    counted,
    show_count,
    show_number,
    show_ranks,
    suitable_decimals,
)
from rankbars.render.shownnames import shorten_all, visible
from rankbars.render.textlines import cells_of, each_wrapped, in_columns, text_of, wrapped

__all__ = [
    "LEVEL_KEYS",
    "ChangeParts",
    "change_json",
    "change_markdown",
    "change_parts",
    "change_text",
    "level_json",
]

_CHANGE_MARKER = "<!-- rankbars:diff -->"
CHANGE_SCHEMA = "rankbars.diff/1"
LEVEL_KEYS = ("guarantee", "approximate", "measured_level", "scope", "alpha")
_LIMIT = 60_000  # characters; a comment on GitHub may have 65,536
_NARROWEST = 60
_HEADS = ("Rank", "Model", "Place", "Score", "New task", "Why")
_MOST_NAMES, _MOST_PAIRS, _MOST_TASKS = 8, 10, 2
_WORDS: dict[Cause, str] = {
    "own scores": "own scores",
    "pool": "pool",
    "interval": "intervals",
    "nothing": "nothing",
}
_LEGEND = (
    "Why: own scores = results of the model itself came, went or changed. pool = its own did not, "
    "but other models or their results did. intervals = only rank intervals moved."
)


class ChangeParts(NamedTuple):
    """What changed, in words and cells that are ready to show; names are as they were given.

    Attributes
    ----------
    sentences : tuple of str
        What changed on the whole.
    header : tuple of str
        Headings of the rows.
    rows : tuple of tuple of str
        Models that changed, in the order of the new board.
    models : tuple of str
        The model of each row.
    pairs : tuple of str
        Pairs that are told apart now, or no longer.
    legend : str
        What the causes mean.
    """

    sentences: tuple[str, ...]
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    models: tuple[str, ...]
    pairs: tuple[str, ...]
    legend: str


def change_parts(change: BoardChange) -> ChangeParts:
    """What changed, for pages that lay it out themselves."""
    head, *rows = _table(change) or [()]
    return ChangeParts(
        tuple(_sentences(change)),
        head,
        tuple(rows),
        tuple(one.model for one in _changed(change)),
        tuple(_pair_sentences(change)),
        _LEGEND,
    )


def change_text(change: BoardChange, *, width: int = 80) -> str:
    """What changed, as lines of text.

    Parameters
    ----------
    change : BoardChange
        From `rankbars.diff`.
    width : int
        Columns of the terminal, at least 60.

    Returns
    -------
    str
        Lines that end with a line break.
    """
    width = max(width, _NARROWEST)
    lines = each_wrapped(_sentences(change), width)
    table = _table(change, visible)
    if table:
        lines += ["", *_lines(table, width), "", *wrapped(_LEGEND, width)]
    pairs = _pair_sentences(change)
    if pairs:
        lines += ["", *each_wrapped(pairs, width)]
    return text_of(lines)


def change_markdown(change: BoardChange) -> str:
    """What changed, as GitHub-flavored Markdown of at most 60,000 characters.

    It starts with a comment by which a program finds its own post. Names stand in code, where
    nothing in them has a meaning.
    """
    parts = [_CHANGE_MARKER, f"**{_verdict(change)}**"]
    details = _sentences(change, code_of)[1:]
    if details:
        parts.append("\n".join(f"- {text}" for text in details))
    head, *rows = _table(change, code_of) or [()]
    pairs = _pair_sentences(change, code_of)
    if rows:
        lines = [_markdown_line(head), _markdown_line([":--"] * len(head))]
        room = _LIMIT - len("\n\n".join([*parts, *lines, *pairs, _LEGEND]))
        for count, row in enumerate(rows):
            line = _markdown_line(row)
            room -= len(line) + 1
            if room < 200:
                lines.append(f"\n{show_count(len(rows) - count)} more models are left out here.")
                break
            lines.append(line)
        parts += ["\n".join(lines), _LEGEND]
    parts += pairs
    return "\n\n".join(parts) + "\n"


def change_json(change: BoardChange) -> str:
    """What changed as JSON text: shortest round trip of floats."""
    named = ("added_models", "removed_models", "added_tasks", "removed_tasks", "gained", "lost",
             "options", "leads")  # fmt: skip
    names = ("versions", "renamed_models", "renamed_tasks", "retired_models", "retired_tasks")
    of_model = ("model", "cause", "tasks", "place", "score", "ranks", "new_task", "tier")
    of_partly = ("model", "tasks", "lacking", "ranks")
    return answer_json({
        "schema": CHANGE_SCHEMA,
        "models": [{name: getattr(one, name) for name in of_model} for one in change.models],
        **{name: getattr(change, name) for name in named},
        "levels": [level_json(one) for one in change.levels or ()],
        "new_task_levels": [level_json(one) for one in change.new_task_levels or ()],
        **{name: getattr(change, name) for name in names},
        "partly": [{name: getattr(one, name) for name in of_partly} for one in change.partly],
    })  # fmt: skip


def level_json(level: StatedLevel) -> dict[str, Any]:
    """At which level a board states what it shows first, for programs."""
    return {key: getattr(level, key) for key in LEVEL_KEYS}


def _verdict(change: BoardChange) -> str:
    if change.nothing:
        return "Nothing changed."
    if not change.models:
        return "No model stands on both boards."
    counts = {cause: len(change.caused_by(cause)) for cause in _WORDS}
    said = [
        f"{counted(counts['own scores'], 'model')} changed in {_their(counts['own scores'])} own "
        "scores",
        f"{show_count(counts['pool'])} because others changed",
        f"{show_count(counts['interval'])} only in intervals",
    ]
    numbers = (counts["own scores"], counts["pool"], counts["interval"])
    parts = [text for text, count in zip(said, numbers, strict=True) if count]
    if parts and not counts["own scores"]:
        first = counts["pool"] or counts["interval"]
        noun = "model" if first == 1 else "models"
        parts[0] = parts[0].replace(show_count(first), f"{show_count(first)} {noun} changed", 1)
    if not parts:
        parts = ["no model of both boards changed"]
    text = ", ".join(parts) + f"; {show_count(counts['nothing'])} did not change at all."
    return text[0].upper() + text[1:]


def _sentences(change: BoardChange, name: Callable[[str], str] = visible) -> list[str]:
    """The verdict, and what came, went and was set differently."""
    sentences = [_verdict(change)]
    for words, names in (
        ("Models that came", change.added_models),
        ("Models that went", change.removed_models),
        ("Tasks that came", change.added_tasks),
        ("Tasks that went", change.removed_tasks),
    ):
        if names:
            shown = list_words([name(one) for one in names], _MOST_NAMES)
            sentences.append(f"{words} ({show_count(len(names))}): {shown}.")
    if change.partly:
        shown = list_words([_partly(one, name) for one in change.partly], _MOST_NAMES)
        many = show_count(len(change.partly))
        sentences.append(f"Models that lack tasks, and changed ({many}): {shown}.")
    for what, renamed in (("Models", change.renamed_models), ("Tasks", change.renamed_tasks)):
        if renamed:
            shown = list_words([f"{name(old)} → {name(new)}" for old, new in renamed], _MOST_NAMES)
            sentences.append(f"{what} with a new name ({show_count(len(renamed))}): {shown}.")
    for what, retired in (("Models", change.retired_models), ("Tasks", change.retired_tasks)):
        if retired:
            shown = list_words(
                [f"{name(one)}{f' ({name(why)})' if why else ''}" for one, why in retired],
                _MOST_NAMES,
            )
            sentences.append(f"{what} that were retired ({show_count(len(retired))}): {shown}.")
    if change.retired_tasks:
        sentences.append("What a retired task moves counts as the pool, not as own scores.")
    return [*sentences, *_made(change)]


def _made(change: BoardChange) -> list[str]:
    """How the two boards were made, and at which level they speak."""
    sentences = []
    if change.options:
        shown = ", ".join(f"{option} {old} → {new}" for option, old, new in change.options)
        sentences.append(f"Options differ: {visible(shown)}.")
    if change.levels and (change.partly or _changed(change)):
        sentences.append(f"Rank intervals: {_pair(*map(stated_words, change.levels))}.")
    if change.new_task_levels and any(one.new_task is not None for one in _changed(change)):
        sentences.append(f"On a new task: {_pair(*map(stated_words, change.new_task_levels))}.")
    if change.leads[0] != change.leads[1]:
        sentences.append(
            f"The old board shows the {_lead(change.leads[0])} first, the new one the "
            f"{_lead(change.leads[1])}: their ranks and scores answer different questions."
        )
    if change.versions[0] != change.versions[1]:
        sentences.append(f"Made by rankbars {change.versions[0]} and {change.versions[1]}.")
    return sentences


def _partly(one: PartlyChange, name: Callable[[str], str]) -> str:
    ranks = _pair(*(show_ranks(*span) for span in one.ranks))
    said = [f"rank {ranks}"]
    if one.lacking[0] != one.lacking[1]:
        said.append(f"{one.lacking[0]} → {counted(one.lacking[1], 'task')} lacking")
    if one.tasks:
        said.append(f"own scores on {list_words([name(task) for task in one.tasks], _MOST_TASKS)}")
    return f"{name(one.model)} ({'; '.join(said)})"


def _lead(lead: str) -> str:
    return {"task": "one task", "aggregate": "average", "new_task": "new task"}.get(lead, lead)


def _pair_sentences(change: BoardChange, name: Callable[[str], str] = visible) -> list[str]:
    sentences = []
    old, new = change.levels or (None, None)
    for words, pairs, level in (
        ("Newly shown better", change.gained, new),
        ("No longer shown better", change.lost, old),
    ):
        if pairs:
            shown = [f"{name(better)} than {name(worse)}" for better, worse in pairs]
            many = show_count(len(pairs))
            at = "" if level is None else f"; {level_words(level.alpha, level)}"
            sentences.append(f"{words} ({many}{at}): {list_words(shown, _MOST_PAIRS)}.")
    return sentences


def _changed(change: BoardChange) -> list[ModelChange]:
    return [one for one in change.models if one.cause != "nothing"]


def _table(change: BoardChange, name: Callable[[str], str] = str) -> list[tuple[str, ...]]:
    """Heads, and a row for each model that changed; only columns in which something stands."""
    changed = _changed(change)
    values = np.array([one.score for one in changed]).reshape(-1, 2)
    steps = np.abs(values[:, 1] - values[:, 0])
    known = steps[steps > 0]
    decimals = suitable_decimals(values.ravel(), known if known.size else np.array([0.01]))
    same_lead = change.leads[0] == change.leads[1]
    rows = [
        (
            _pair(show_ranks(*one.ranks[0]), show_ranks(*one.ranks[1])),
            name(one.model),
            _pair(str(one.place[0]), str(one.place[1])),
            _pair(*(_score(value, decimals) for value in one.score)) if same_lead else MISSING,
            MISSING if one.new_task is None else _pair(*(show_ranks(*s) for s in one.new_task)),
            _why(one),
        )
        for one in changed
    ]
    columns = zip(_HEADS, *rows, strict=True)
    return list(zip(*(one for one in columns if {*one[1:]} - {MISSING}), strict=True))


def _score(value: float, decimals: int | None) -> str:
    # Averages of ranks are held with their sign changed; readers know them without it.
    return show_number(abs(value) if value < 0 else value, decimals)


def _why(one: ModelChange) -> str:
    if one.cause != "own scores":
        return _WORDS[one.cause]
    return f"{_WORDS[one.cause]}: {list_words([visible(task) for task in one.tasks], _MOST_TASKS)}"


def _pair(old: str, new: str) -> str:
    return old if old == new else f"{old} → {new}"


def _lines(table: list[tuple[str, ...]], width: int) -> Iterator[str]:
    """The rows as lines: names lose their middle first, then reasons go on below."""
    head, *rows = table
    at, gap = head.index("Model"), 2
    widths = [max(map(cells_of, column)) for column in zip(*table, strict=True)]
    room = width - sum(widths[:-1]) + widths[at] - gap * (len(head) - 1)
    longest = max(cells_of(row[at]) for row in rows)
    size = max(14, min(longest, room - min(widths[-1], 30)))
    names = shorten_all([row[at] for row in rows], [size] * len(rows), measure=cells_of)
    named = zip(table, ("Model", *names), strict=True)
    starts = in_columns([(*row[:at], name, *row[at + 1 : -1]) for row, name in named])
    indent = max(map(cells_of, starts)) + gap
    for start, row in zip(starts, table, strict=True):
        text = start + " " * (indent - cells_of(start)) + row[-1]
        yield from wrapped(text, max(width, indent + 12), inside=" " * indent)


def _markdown_line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('<', '&lt;') for cell in cells)} |"


def _their(count: int) -> str:
    return "its" if count == 1 else "their"
