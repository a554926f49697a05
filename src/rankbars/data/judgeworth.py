"""What a judge is worth beside labels by people: task by task, and in all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from rankbars.data.fields import Numbers
from rankbars.errors import DataError

__all__ = ["JudgeLeaning", "JudgeUse", "JudgeWorth"]

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
