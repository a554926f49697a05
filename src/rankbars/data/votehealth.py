"""What speaks for and against a set of votes: findings with their numbers, judges side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from rankbars.data.fields import Level, Numbers, Rate, frozen_array

__all__ = ["Finding", "JudgeReport", "Neighbours", "VoteHealth"]

Known = Annotated[float, Numbers(null=np.nan, word=True)]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Parameters
    ----------
    code : str
        What: ``"connectivity"``, ``"coverage"``, ``"ties"``, ``"circles"``, ``"misfit"``,
        ``"position"``, ``"clusters"``, ``"influence"``, ``"lead"``, ``"agreement"`` or
        ``"control"``.
    value : float
        The number it comes down to; NaN where there is none.
    sentence : str
        What that means, in plain words.
    concern : bool
        Whether it should make the reader careful.
    """

    code: str
    value: Known
    sentence: str
    concern: bool = False


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Two models next to each other in the order, and what it would take to tell them apart.

    Parameters
    ----------
    ahead, behind : str
        The two models, the stronger first.
    difference, se : float
        Difference of their log strengths, and its standard error.
    votes : float
        Further votes between the two until the difference would be shown with the given power, if
        it is the true one; 0 where it would be already, infinite for no difference, NaN where
        too few voters or prompts stand behind a model to know.
    growth : float
        Factor by which all votes would have to grow instead.
    """

    ahead: str
    behind: str
    difference: Known
    se: Known
    votes: Known
    growth: Known


@dataclass(frozen=True, slots=True, eq=False)
class JudgeReport:
    """One voter or judge, by itself.

    Parameters
    ----------
    name : str
        The judge.
    votes : int
        Its votes.
    best, worst : array of int, shape (M,), optional
        Rank intervals from its votes alone; None where these do not put all models on one scale.
    first_share, first_low, first_high : float
        Share of decided votes that the model shown first won, with its interval; NaN where nobody
        knows which was first.
    effects, effect_se : tuple of float
        Effect of each control on the log odds, and its standard error; empty without a fit.
    """

    name: str
    votes: int
    best: NDArray[np.int64] | None
    worst: NDArray[np.int64] | None
    first_share: float
    first_low: float
    first_high: float
    effects: tuple[float, ...] = ()
    effect_se: tuple[float, ...] = ()

    def __repr__(self) -> str:
        return f"JudgeReport({self.name!r}, {self.votes} votes)"

    def __post_init__(self) -> None:
        for name in ("best", "worst"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, frozen_array(value, np.int64, name))


@dataclass(frozen=True, slots=True)
class VoteHealth:
    """Health of the votes of one task.

    Parameters
    ----------
    task : str
        The task.
    models : tuple of str
        The models that were ranked, strongest first.
    alpha, power : float
        Error rate and power that the numbers of votes are for.
    findings : tuple of Finding
        Everything that was looked at.
    neighbours : tuple of Neighbours
        Each two models next to each other, from the top.
    judges : tuple of JudgeReport
        Voters or judges by themselves, those with most votes first; `best` and `worst` follow
        the order of `models`.
    controls : tuple of str
        What the effects of the judges are about.
    """

    task: str
    models: tuple[str, ...]
    alpha: Rate
    power: Level
    findings: tuple[Finding, ...]
    neighbours: tuple[Neighbours, ...] = ()
    judges: tuple[JudgeReport, ...] = ()
    controls: tuple[str, ...] = ()

    def __getitem__(self, code: str) -> Finding:
        """The finding called `code`; raises `KeyError`."""
        for finding in self.findings:
            if finding.code == code:
                return finding
        raise KeyError(code)
