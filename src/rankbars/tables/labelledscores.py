"""Columns that say a score in words, as judges write them: 1 is "factual", or "hallucinated"."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rankbars.errors import DataError
from rankbars.tables.columns import Columns, fold_name
from rankbars.tables.metrics import ends_in_loss, split_words, stated_direction, usual_direction
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.tableheads import Header
from rankbars.tables.tablerows import Table

__all__ = ["ask_about_label", "tells_score"]

_MOST_LABELS = 12
_BAD = split_words("bad poor no negative irrelevant unrelated unfaithful ungrounded unhelpful")


def ask_about_label(table: Table, columns: Columns, options: ReadOptions) -> None:
    """The word beside the highest score may be one for what should not be, where nothing is said.

    Raises
    ------
    DataError
        If it is; says how to declare the side that is better.
    """
    score = columns.roles["score"]
    known = stated_direction(score) or (fold_name(score) != "score" and usual_direction(score))
    if known or {"", score} & {*options.direction} or {"direction", "metric"} & {*columns.roles}:
        return
    header = Header.of(table)
    numbers = header.read.get(score)
    if numbers is None:
        return
    for name in columns.unused:
        labels = [str(cell).strip().casefold() for cell in header.cells[name]]
        pairs = {(label, number) for label, number in zip(labels, numbers, strict=True)
                 if label and number is not None}  # fmt: skip
        few = 2 <= len({label for label, _ in pairs}) <= _MOST_LABELS
        if name in header.numeric or not few or not tells_score(*zip(*pairs, strict=True)):
            continue
        highest, best = max((number, label) for label, number in pairs)
        if best in _BAD or ends_in_loss(best):
            raise DataError(
                f"{table.source}: Declare which side is better: where {score!r} is {highest:g}, "
                f"{name!r} says {best!r}. If low values are good, add: --direction lower. If high "
                "values are: --direction higher. (In Python: direction='lower', or 'higher'.)"
            )


def tells_score(names: Sequence[str], scores: Collection[object]) -> bool:
    """Whether a column says the score in words: each of its names has one score, and not all one.

    Examples
    --------
    >>> tells_score(["good", "bad", "good"], ["1", "0", "1"])
    True
    >>> tells_score(["a", "b", "a"], ["1", "0", "0"])
    False
    """
    pairs = set(zip(names, scores, strict=True))
    return len(pairs) == len(set(names)) > 1 and len(set(scores)) > 1
