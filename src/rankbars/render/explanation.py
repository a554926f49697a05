"""Explanations and diagnoses as text for a terminal."""

from __future__ import annotations

import textwrap

import numpy as np

from rankbars.data.board import Leaderboard
from rankbars.data.diagnosis import Diagnosis, LeftOut
from rankbars.data.explanation import Explanation, MethodOutcome
from rankbars.render.names import listed, shorten_all, visible
from rankbars.render.numbers import show_guarantee, show_share

__all__ = ["render_diagnosis", "render_explanation"]

WIDTH = 80
_MOST_NAMES = 3
_NAME_WIDTH = 34


def render_explanation(found: Explanation) -> str:
    """Which methods are used and why, and what the other ones say.

    Parameters
    ----------
    found : Explanation
        From `rankbars.explain`.

    Returns
    -------
    str
        Lines of at most 80 columns.
    """
    lines = ["How this was decided"]
    for choice in found.choices:
        where = listed(choice.tasks, _MOST_NAMES)
        lines += _wrapped(f"Test {choice.test} ({where}): {choice.reason}")
    lines += _wrapped(f"Correction: {found.correction}")
    lines += ["", "Do the methods agree?", *_table(found.outcomes)]
    lines += _wrapped(
        "Width: mean width of the rank intervals on the tasks. May be first: models that no other "
        "was shown better than, on what the board shows first. Choose a method for what it "
        "assumes, not for its answer."
    )
    for name, reason in found.skipped:
        lines += _wrapped(f"Not here: {name}. {reason}")
    return "\n".join(lines) + "\n"


def render_diagnosis(found: Diagnosis, board: Leaderboard) -> str:
    """Whether the seen tasks foresee each other, and how much shift a claim bears.

    Parameters
    ----------
    found : Diagnosis
        From `rankbars.diagnose`.
    board : Leaderboard
        The board it was made from; gives the order of the models.

    Returns
    -------
    str
        Lines of at most 80 columns.
    """
    lines = ["Is a new task like these plausible?"]
    lines += _wrapped(
        f"Each task was left out in turn. Its interval should lie inside the one made from the "
        f"others in at least {show_guarantee(found.expected)} of cases, for each model."
    )
    names = shorten_all([visible(name) for name in board.models], [_NAME_WIDTH] * len(board.models))
    head = [f"left-out {one.unit}" for one in found.left_out]
    claim = f"top {found.top} bears"
    lines.append("  ".join([f"{'Model':<{_NAME_WIDTH}}", *(f"{h:<22}" for h in head), claim]))
    for i in board.order:
        cells = [f"{_contained(one, i):<22}" for one in found.left_out]
        lines.append("  ".join([f"{names[i]:<{_NAME_WIDTH}}", *cells, _shift(found, i)]).rstrip())
    lines += _wrapped(
        f"Bears: the shift between old and new source of tasks (total variation, 0 to 1) under "
        f"which 'never outside the top {found.top}' still holds with probability "
        f"{show_share(found.coverage)}. The limits treat left-out tasks as independent, which "
        "they are not quite: a guide, not a proof."
    )
    if found.guarantee is not None:
        lines += _wrapped(
            f"If the new source is within e of the old one, new-task intervals keep a level of "
            f"at least {show_guarantee(found.guarantee)} minus e."
        )
    return "\n".join(lines) + "\n"


def _table(outcomes: tuple[MethodOutcome, ...]) -> list[str]:
    lines = [f"{'':<2}{'Test':<14}{'Correction':<16}{'Width':>7}  May be first"]
    for one in outcomes:
        mark = "*" if one.used else ""
        first = listed(one.winners, _MOST_NAMES) if one.winners else "no such statement"
        row = f"{mark:<2}{one.test:<14}{one.correction:<16}{one.width:>7.2f}  {first}"
        lines += textwrap.wrap(
            row, WIDTH, subsequent_indent=" " * 41, drop_whitespace=True, replace_whitespace=False
        )
    return [*lines, "* used"]


def _contained(left: LeftOut, i: int) -> str:
    low, high = show_share(float(left.low[i])), show_share(float(left.high[i]))
    return f"{int(left.inside[i])}/{left.count} ({low} to {high})"


def _shift(found: Diagnosis, i: int) -> str:
    value = float(found.breakdown[i])
    if np.isnan(value):
        return "no guarantee"
    return f"{value:.2f}" if value >= 0 else "not supported"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH)
