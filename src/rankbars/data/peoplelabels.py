"""Labels by people: which items to label next, and what a judge is worth beside the labels."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.fields import Numbers, freeze
from rankbars.errors import DataError

__all__ = ["JudgeLeaning", "JudgeUse", "JudgeWorth", "LabelSheet", "SheetItem"]

Count = Annotated[int, Numbers(least=0)]
Known = Annotated[float, Numbers(null=np.nan, word=True)]


@dataclass(frozen=True, slots=True)
class JudgeLeaning:
    """How much better a judge makes its own family than people do, beside other models.

    Parameters
    ----------
    judge : int
        Which judge, from 1.
    models : tuple of str
        The models of its family.
    labels : int
        Items that people and the judge scored for every model.
    difference, low, high : float
        Mean of the family less that of the other models, by the judge less by people, in the
        units of the labels and above 0 where the judge leans to its family; the interval holds for
        all judges and tasks together (95 %).
    """

    judge: Count
    models: tuple[str, ...]
    labels: Count
    difference: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class JudgeUse:
    """What came of the judges of one task.

    Parameters
    ----------
    used : bool
        Whether the judges correct the labels; else the labels alone are ranked.
    reason : str, optional
        Why they are not used.
    judges : int
        How many judges there are.
    labels : int
        Items that people labelled.
    judged : int
        Items that every judge scored for every model, labelled or not.
    worth, low, high : float
        How many labels without a judge these labels are worth with it, and the ends of a 95 %
        interval, which may be infinite; NaN where it was not measured.
    correlation : float
        Of differences of models by judges and by labels, all pairs together, adjusted for the
        fitted weights; below 0 where judges lean the other way, NaN where it was not measured.
    weights : tuple of (float, float)
        Smallest and largest tuned weight over all pairs of models, of each judge; in units of the
        labels per unit of the judge. Empty where none was tuned.
    leanings : tuple of JudgeLeaning
        Of judges whose family was declared.

    Raises
    ------
    DataError
        If a judge is used with a reason not to, or not used without one.

    Examples
    --------
    >>> JudgeUse(True, None, 1, 100, 600, 167.0, 140.0, 204.0, 0.69, ((0.8, 1.1),)).worth
    167.0
    """

    used: bool
    reason: str | None
    judges: Count
    labels: Count = 0
    judged: Count = 0
    worth: Known = np.nan
    low: Known = np.nan
    high: Known = np.nan
    correlation: Known = np.nan
    weights: tuple[tuple[float, float], ...] = ()
    leanings: tuple[JudgeLeaning, ...] = ()

    def __post_init__(self) -> None:
        if self.used != (self.reason is None):
            raise DataError("A judge is used, or there is a reason why it is not; found both.")


@dataclass(frozen=True, slots=True)
class JudgeWorth:
    """What labels of all tasks on which judges are used are worth.

    Parameters
    ----------
    tasks : int
        On how many tasks judges are used.
    labels : int
        Labelled items there.
    worth, low, high : float
        How many labels without a judge they are worth, and the ends of a 95 % interval.
    """

    tasks: Count
    labels: Count
    worth: Known
    low: Known
    high: Known

    @classmethod
    def of(cls, uses: Iterable[JudgeUse]) -> JudgeWorth | None:
        """The sum over tasks on which judges are used; None where they are used on none.

        Ends are those of a sum of independent estimates (MOVER).

        References
        ----------
        Zou and Donner 2008, Statistics in Medicine 27.

        Examples
        --------
        >>> one = JudgeUse(True, None, 1, 100, 600, 150.0, 120.0, 190.0, 0.6)
        >>> JudgeWorth.of([one, one])
        JudgeWorth(tasks=2, labels=200, worth=300.0, low=257.57..., high=356.56...)
        """
        used = [one for one in uses if one.used]
        if not used:
            return None
        worth, low, high = (np.array([getattr(one, end) for one in used], dtype=np.float64)
                            for end in ("worth", "low", "high"))  # fmt: skip
        middle = float(worth.sum())
        return cls(
            len(used),
            sum(one.labels for one in used),
            middle,
            middle - float(np.sqrt(np.square(worth - low).sum())),
            middle + float(np.sqrt(np.square(high - worth).sum())),
        )


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
    scores: Annotated[NDArray[np.float64], Numbers("RM")]
    strata: int

    def __repr__(self) -> str:
        return f"LabelSheet({len(self.asked)} items to label, {len(self.labelled)} labelled)"

    def __post_init__(self) -> None:
        freeze(self, R=len(self.labelled))
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
        """JSON: items to label and labelled ones, with their probabilities."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False)


def _plain(one: SheetItem) -> dict[str, Any]:
    return {
        "task": one.task,
        "item": one.item,
        "stratum": one.stratum,
        "sampling_probability": one.probability,
    }
