"""Answers of a form that asks which of two models is better, and the way from them to votes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rankbars.data.notes import list_names
from rankbars.tables.tableheads import Header

__all__ = ["ask_about_form"]

# How forms say that nobody won, beside the words of votes.
_NOBODY = re.compile(r"(?i)(?:both|equal|tie|same|neither|none|no (?:pref|diff)|about the same)")


def ask_about_form(header: Header, head: Sequence[tuple[object, ...]]) -> str:
    """The way from the answers of a form, which name one of two models, to votes."""
    answers: dict[str, set[str]] = {}
    for number, name in enumerate(header.columns):
        cells = {str(row[number]).strip() for row in head if row[number] not in (None, "")}
        if name not in header.numeric and 2 <= len(cells) <= _MOST_ANSWERS and _ASKS.search(name):
            answers[name] = cells
    every = set().union(*answers.values())
    nobody = sorted(cell for cell in every if _NOBODY.match(cell))
    sides = sorted(every - {*nobody})
    if len(sides) != 2 or not len(every) <= _MOST_ANSWERS or len(head) < _FEWEST_VOTES:
        return ""
    words = {cell: "bothbad" if _NEITHER.match(cell) else "tie" for cell in nobody}
    names = list(answers)
    frame, column = "frame", names[0]
    if len(names) > 1:
        rest = [name for name in header.columns if name not in names]
        frame, column = f"frame.melt({rest!r}, {names!r}, 'prompt', 'answer')", "answer"
    renamed = f"{frame}.rename(columns={{{column!r}: 'winner'}})"
    replaced = f".replace({{'winner': {words!r}}})" if words else ""
    return (
        f"{list_names(names, 2)} holds {list_names(sorted(every), 4)}, as a form does that asks "
        f"which of two models is better. Make votes of it, in pandas: {renamed}{replaced}"
        f".assign(model_a={sides[0]!r}, model_b={sides[1]!r}).to_csv('votes.csv', index=False)."
    )


_MOST_ANSWERS, _FEWEST_VOTES = 6, 5
_ASKS = re.compile(r"(?i)\?|\b(?:which|better|best|prefer\w*|winner|choice|choose|vote)\b")
_NEITHER = re.compile(r"(?i)neither|none|both (?:are )?(?:bad|poor|wrong)")
