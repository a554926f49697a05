"""What speaks for and against: new-task intervals, methods, votes. Findings with their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.board import Leaderboard
from rankbars.data.fields import (
    Counts,
    Frozen,
    Level,
    Numbers,
    Ranks,
    Rate,
    Reals,
)
from rankbars.data.intervals import RankIntervals
from rankbars.errors import DataError

__all__ = [
    "Choice",
    "Diagnosis",
    "Explanation",
    "Finding",
    "HeldOut",
    "JudgeReport",
    "LeftOut",
    "MethodOutcome",
    "Neighbours",
    "Shift",
    "VoteHealth",
]


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut(Frozen):
    """Share of left-out tasks (or families) that the others foresaw, per model.

    Parameters
    ----------
    unit : {"task", "family"}
        What was left out, one at a time.
    count : int
        How many there are.
    inside : array of int, shape (M,)
        Left-out units whose interval lay inside the one made from the others.
    low, high : array of float, shape (M,)
        Exact 95 % limits of the share, as if units were independent: a guide, not a proof.
    """

    unit: Literal["task", "family"]
    count: int
    inside: Counts
    low: Reals
    high: Reals

    def __repr__(self) -> str:
        return f"LeftOut({self.count} {self.unit} intervals, {np.size(self.inside)} models)"

    @property
    def share(self) -> NDArray[np.float64]:
        """Share of left-out units inside, shape (M,)."""
        return self.inside / self.count


class Shift(NamedTuple):
    """How new-task intervals do where new tasks are drawn with other weights than the seen ones.

    Attributes
    ----------
    kind : {"difficulty", "domain"}
        Weights rise or fall with the mean score of a task, or one category has more of them.
    towards : str
        ``"harder"``, ``"easier"``, or the category.
    size : float
        Total-variation distance between the weights and equal ones, 0 to 1.
    inside : array of float, shape (M,)
        Share of draws of a left-out task, by these weights, whose interval lies inside the one made
        from the others.
    least : float
        What the analytic bound leaves of the share that is expected without a shift.
    """

    kind: Literal["difficulty", "domain"]
    towards: str
    size: float
    inside: NDArray[np.float64]
    least: float


@dataclass(frozen=True, slots=True, eq=False)
class Diagnosis(Frozen):
    """Leave-one-out containment, and how much shift the statements on a new task bear.

    Parameters
    ----------
    models : tuple of str
        The M models.
    expected : float
        Share of left-out intervals that should lie inside if tasks are exchangeable, at least.
    left_out : tuple of LeftOut
        By task, and by family where families are known.
    guarantee : float, optional
        Probability promised for a new task of the same source; the level of the statement "at
        least ``guarantee - shift`` as long as the new source is within `shift` of the old one".
    top : int
        The claim "never outside the top `top`" that `claim_miss` and `breakdown` speak of.
    coverage : float
        Probability asked of that claim.
    claim_miss : array of float, shape (M,)
        Bound on the probability that the claim fails on a new task of the same source; NaN where
        the task intervals have no guarantee.
    breakdown : array of float, shape (M,)
        Largest shift (total variation) at which the claim still has that probability; negative
        where it does not have it even without a shift.
    shifts : tuple of Shift
        What controlled shifts of the source of tasks would do: of difficulty, where all tasks have
        one metric, and towards each of up to 20 categories.
    gains : mapping from task to float
        By how many ranks the new-task intervals would be narrower, on average over models, if the
        ranks on that task were known exactly: where more rows would help most.
    """

    models: tuple[str, ...]
    expected: float
    left_out: tuple[LeftOut, ...]
    guarantee: float | None
    top: int
    coverage: float
    claim_miss: Reals
    breakdown: Reals
    shifts: tuple[Shift, ...] = ()
    gains: Mapping[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Diagnosis({len(self.models)} models, shares from {self.expected:.3g})"

    def level_under_shift(self, shift: float) -> float | None:
        """Level the intervals keep while the new source is within `shift` of the old one.

        Parameters
        ----------
        shift : float
            Total-variation distance between the sources of tasks, 0 to 1.
        """
        return None if self.guarantee is None else max(0.0, self.guarantee - shift)


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Ranks on tasks that were held out, beside the intervals for a new task from the others.

    Parameters
    ----------
    board : Leaderboard
        Of the other tasks; `board.overall` holds the M intervals for a new task.
    tasks : mapping from str to RankIntervals
        Rank intervals on the K tasks that were held out, made as those that were merged.
    expected : float
        Share of them that lies within the intervals for a new task, at least and on average, if
        tasks are exchangeable.

    Raises
    ------
    DataError
        If nothing was held out, models differ, or the board has no interval for a new task.
    """

    board: Leaderboard
    tasks: Mapping[str, RankIntervals]
    expected: float

    def __repr__(self) -> str:
        return f"HeldOut({len(self.tasks)} tasks, {len(self.models)} models, {self.share:.3g})"

    def __post_init__(self) -> None:
        if not self.tasks:
            raise DataError("Ranks on at least one task that was held out are needed.")
        for name, one in self.tasks.items():
            if one.models != self.new_task.models:
                raise DataError(f"The models of task {name!r} are not those of the board.")

    @property
    def models(self) -> tuple[str, ...]:
        """The M models."""
        return self.board.models

    @property
    def new_task(self) -> RankIntervals:
        """Intervals for a new task."""
        if self.board.overall is None:
            raise DataError("The other tasks give no rank interval for a new one.")
        return self.board.overall

    @property
    def inside(self) -> NDArray[np.bool_]:
        """Whether the interval on a task lies within that for a new one, shape (K, M)."""
        new = self.new_task
        rows = [(one.best >= new.best) & (one.worst <= new.worst) for one in self.tasks.values()]
        return np.array(rows)

    @property
    def meets(self) -> NDArray[np.bool_]:
        """Whether the two have a rank in common, shape (K, M)."""
        new = self.new_task
        rows = [(one.best <= new.worst) & (one.worst >= new.best) for one in self.tasks.values()]
        return np.array(rows)

    @property
    def share(self) -> float:
        """Share of all K × M intervals that lies within."""
        return float(self.inside.mean())


@dataclass(frozen=True, slots=True)
class Choice:
    """What ``auto`` chose for some tasks.

    Parameters
    ----------
    test : str
        The test.
    reason : str
        Why, in plain words.
    tasks : tuple of str
        The tasks it was chosen for.
    """

    test: str
    reason: str
    tasks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MethodOutcome:
    """What one combination of test and correction says.

    Parameters
    ----------
    test, correction : str
        The combination.
    width : float
        Mean width of the task intervals, in ranks.
    winners : tuple of str
        Models that may be first on what the board shows first, all models at once; empty where
        the combination makes no such statement.
    used : bool
        Whether it is the combination that the board uses.
    decided : tuple of str
        Corrections that decided on the tasks: what ``auto`` stands for here.
    """

    test: str
    correction: str
    width: float
    winners: tuple[str, ...]
    used: bool = False
    decided: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Choices, reasons and agreement of methods.

    Parameters
    ----------
    choices : tuple of Choice
        What ``auto`` stands for here.
    correction : str
        Why this correction, in plain words.
    outcomes : tuple of MethodOutcome
        Every applicable method; looking at them is no licence to pick the narrowest.
    skipped : tuple of tuple of str
        Methods that do not apply or would take too long, each with the reason.
    """

    choices: tuple[Choice, ...]
    correction: str
    outcomes: tuple[MethodOutcome, ...]
    skipped: tuple[tuple[str, str], ...]


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
class JudgeReport(Frozen):
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
    best: Ranks | None
    worst: Ranks | None
    first_share: float
    first_low: float
    first_high: float
    effects: tuple[float, ...] = ()
    effect_se: tuple[float, ...] = ()

    def __repr__(self) -> str:
        return f"JudgeReport({self.name!r}, {self.votes} votes)"


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
