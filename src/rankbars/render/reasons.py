"""Why a model has its ranks: who is shown better, not told apart, and shown worse, in words."""

from __future__ import annotations

from typing import Any

from rankbars.data.board import Leaderboard
from rankbars.render.claims import lead_claim
from rankbars.render.methodbox import pairs_decided
from rankbars.render.notation import counted, show_ranks, visible
from rankbars.render.sentences import place
from rankbars.render.text import wrap_text

__all__ = ["reasons_text", "reasons_to_dict"]

_PARTS = (
    ("Shown better", "above", "no model."),
    ("Not told apart", "within", "no model: it is told apart from every other one."),
    ("Shown worse", "below", "no model."),
)


def reasons_text(board: Leaderboard, model: str, width: int = 80) -> str:
    """Why a model has its ranks on what a board shows first, as lines of text.

    Parameters
    ----------
    board : Leaderboard
        The result.
    model : str
        One of its models.
    width : int
        Columns of a line.

    Raises
    ------
    OptionError, DataError
        As `Leaderboard.why`.
    """
    found = board.why(model)
    ranks = show_ranks(found.best, found.worst)
    said = [
        f"Why {ranks}? {place(board)}, {visible(model)} ranks {ranks} of {found.models} "
        f"({lead_claim(board).words})."
    ]
    for title, name, nobody in _PARTS:
        names = getattr(found, name)
        listed = ", ".join(map(visible, names)) + "." if names else nobody
        said.append(f"{title} ({len(names)}): {listed}")
    said += [_counted_up(board, model), pairs_decided(board), "Not told apart does not mean equal."]
    lines = [line for text in said for line in wrap_text(text, width)]
    return "\n".join(lines) + "\n"


def _counted_up(board: Leaderboard, model: str) -> str:
    """How the ranks follow from the pairs, or that they do not."""
    found = board.why(model)
    better, worse = len(found.above), len(found.below)
    if found.follow:
        return (
            f"Rank {found.best} at best: 1 plus the {better} shown better. Rank {found.worst} at "
            f"worst: {counted(found.models, 'model')} minus the {worse} shown worse."
        )
    if found.best == 2 and not better and found.worst == found.models - worse:
        return (
            "No single model is shown better, but the results rule out that it is first: rank 2 "
            f"at best. Rank {found.worst} at worst: {counted(found.models, 'model')} minus the "
            f"{worse} shown worse."
        )
    return (
        "The rank interval is about this model by itself, and may say more or less than the "
        "single pairs do, which hold all at once."
    )


def reasons_to_dict(board: Leaderboard, model: str) -> dict[str, Any]:
    """The same as plain values."""
    found = {"schema": "rankbars.why/1"} | board.why(model)._asdict()
    return found | {"decided": pairs_decided(board)}
