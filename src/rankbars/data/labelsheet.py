"""Which items people should label next, with the probability of each, as a sheet to fill in."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.fields import check_models, frozen_array
from rankbars.errors import DataError

__all__ = ["LabelSheet", "SheetItem"]

_SCHEMA = "rankbars.ask/1"
_ALONE = "all"  # what a task is called that no file names


class SheetItem(NamedTuple):
    """An item that people label, or have labelled: task, name, stratum (from 1), probability."""

    task: str
    item: str
    stratum: int
    probability: float


@dataclass(frozen=True, slots=True, eq=False)
class LabelSheet:
    """Which items to label next; made by `rankbars.ask_labels`.

    Parameters
    ----------
    models : tuple of str
        The M models whose answers are labelled.
    asked : tuple of SheetItem
        Items to label, in the order to label them.
    labelled : tuple of SheetItem
        Items that have labels already; their probabilities count the new ones, too.
    scores : array of float, shape (L, M)
        Labels of these, in the units of the input; NaN where there is none.
    strata : int
        How many strata there are on every task, at most.

    Raises
    ------
    DataError
        If shapes do not fit, an item stands twice, or a probability is none.
    """

    models: tuple[str, ...]
    asked: tuple[SheetItem, ...]
    labelled: tuple[SheetItem, ...]
    scores: NDArray[np.float64]
    strata: int

    def __repr__(self) -> str:
        return f"LabelSheet({len(self.asked)} items to label, {len(self.labelled)} labelled)"

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", check_models(self.models))
        shape = (len(self.labelled), len(self.models))
        object.__setattr__(self, "scores", frozen_array(self.scores, np.float64, "scores", shape))
        every = (*self.asked, *self.labelled)
        if len({one[:2] for one in every}) < len(every):
            raise DataError("An item stands twice in the sheet.")
        if not all(0 < one.probability <= 1 for one in every):
            raise DataError("Probabilities of items must be above 0 and at most 1.")

    def to_csv(self) -> str:
        """A row for each model and item: those to label with an empty score, then the labelled.

        Filled in, it is a file of labels. A task that no file named has no column.
        """
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        named = {one.task for one in (*self.asked, *self.labelled)} != {_ALONE}
        head = ["item", "model", "score", "sampling_probability"]
        writer.writerow(["task", *head] if named else head)
        blank = np.full((len(self.asked), len(self.models)), np.nan)
        scores = np.concatenate([blank, self.scores])
        for one, row in zip((*self.asked, *self.labelled), scores.tolist(), strict=True):
            for model, score in zip(self.models, row, strict=True):
                cells = [one.item, model, "" if np.isnan(score) else repr(score)]
                cells.append(repr(one.probability))
                writer.writerow([one.task, *cells] if named else cells)
        return out.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as they stand in the JSON."""
        return {
            "schema": _SCHEMA,
            "models": list(self.models),
            "strata": self.strata,
            "asked": [_plain(one) for one in self.asked],
            "labelled": [_plain(one) for one in self.labelled],
        }

    def to_json(self) -> str:
        """JSON with sorted keys: items to label and labelled ones, with their probabilities."""
        return json.dumps(self.to_dict(), sort_keys=True, indent=1, ensure_ascii=False)


def _plain(one: SheetItem) -> dict[str, Any]:
    return {
        "task": one.task,
        "item": one.item,
        "stratum": one.stratum,
        "sampling_probability": one.probability,
    }
