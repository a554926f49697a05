"""Strengths by period of time, and which models changed from the earlier part to the later one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from rankbars.data.fields import Counts, Errors, Level, Numbers, Rate, Reals, check_models, freeze
from rankbars.errors import DataError

__all__ = ["Change", "OverTime", "Period"]


@dataclass(frozen=True, slots=True, eq=False)
class Period:
    """Strengths of all models in one period.

    Parameters
    ----------
    name : str
        Its first day, or ``"before"`` or ``"since"`` a date.
    votes : int
        Votes in it.
    counts : array of int, shape (M,)
        Votes in it that each model took part in.
    strength, se : array of float, shape (M,)
        Log odds relative to the mean of the anchors, and standard errors; NaN where the period does
        not put a model on one scale with them.
    low, high : array of float, shape (M,)
        Ends of bands that hold for all models and periods at once.
    reason : str
        Why the period has no strengths; empty where it has some.
    """

    name: str
    votes: Annotated[int, Numbers(least=0)]
    counts: Counts
    strength: Reals
    se: Errors
    low: Reals
    high: Reals
    reason: str = ""

    def __post_init__(self) -> None:
        freeze(self, M=np.size(self.counts))


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """Change of one model's strength from the earlier part of the votes to the later one.

    Parameters
    ----------
    model : str
        The model.
    value : float
        Strength in the later part less that in the earlier, relative to the mean of all models
        that are in both.
    se, df : float
        Standard error and degrees of freedom; NaN where too few votes or voters stand behind it.
    low, high : float
        Ends of intervals that hold for all models at once (Bonferroni).
    p : float
        P-value, corrected over all models (Holm).
    """

    model: str
    value: float
    se: Annotated[float, Numbers(least=0.0, null=np.nan)]
    df: Annotated[float, Numbers(least=0.0, null=np.inf)]
    low: Annotated[float, Numbers(null=np.nan)]
    high: Annotated[float, Numbers(null=np.nan)]
    p: Level


@dataclass(frozen=True, slots=True, eq=False)
class OverTime:
    """Strengths over time.

    Parameters
    ----------
    unit : str
        ``"day"``, ``"week"``, ``"month"``, or ``"date"`` for two periods.
    models : tuple of str
        The models that periods speak of.
    anchors : tuple of str
        The models whose mean strength is 0 in every period.
    periods : tuple of Period
        In their order.
    since : str
        Where the later part begins; empty where there are no two parts.
    changes : tuple of Change
        Of the models that are in both parts, the smallest p-value first.
    clusters : tuple of str
        What votes were clustered by.
    alpha : float
        Error rate, of all bands at once and of all changes at once.
    reason : str
        Why no changes were tested; empty where they were.

    Raises
    ------
    DataError
        If a period is about another number of models.
    """

    unit: str
    models: tuple[str, ...]
    anchors: tuple[str, ...]
    periods: tuple[Period, ...]
    since: str
    changes: tuple[Change, ...]
    clusters: tuple[str, ...]
    alpha: Rate = 0.05
    reason: str = ""

    def __post_init__(self) -> None:
        check_models(self.models)
        for one in self.periods:
            if one.counts.size != len(self.models):
                raise DataError(f"The period {one.name!r} must have a strength of every model.")

    @property
    def changed(self) -> tuple[Change, ...]:
        """Models whose strength is shown to have changed."""
        return tuple(one for one in self.changes if one.p <= self.alpha)

    @property
    def arrivals(self) -> dict[str, str]:
        """First period of each model that has no votes in the first one."""
        first = {}
        for k, model in enumerate(self.models):
            seen = [one.name for one in self.periods if one.counts[k]]
            if seen and seen[0] != self.periods[0].name:
                first[model] = seen[0]
        return first
