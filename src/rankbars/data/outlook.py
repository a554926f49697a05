"""What is known before anything is run: how much a question needs, what a gate can show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from rankbars.calls import explaining_methods
from rankbars.data.claim import Claim
from rankbars.data.judged import Role
from rankbars.data.notes import Note
from rankbars.data.taskinfo import Input
from rankbars.stats.samplesize import Needed

__all__ = [
    "CurvePoint",
    "FalseAlarms",
    "Goal",
    "LabelNeeds",
    "Outlook",
    "Plan",
    "Preflight",
    "Split",
    "Supposed",
    "TaskNeeds",
]

_EVEN = 0.5


@dataclass(frozen=True, slots=True)
class Outlook:
    """What one claim of a gate can show, with as many rows and such a spread.

    Parameters
    ----------
    claim : Claim
        What will be claimed.
    words : str
        The claim in words, margins in units of the score.
    role : {"must", "guard"}
        Whether it passes only if it is supported, or fails only if it is refuted.
    widest : str, optional
        Of several tasks the one with the widest spread, which all numbers are about.
    n, kind : int, str
        Rows behind a difference, and what they are.
    se : float
        Standard error of the difference: of the two models, or the median over pairs of
        neighbours; with `least` and `most` of those pairs.
    pairs : int
        How many pairs of models it is the spread of.
    if_equal : float, optional
        Probability that it is supported if the two models are equal; None where that is no success.
    fires : tuple of (float, float, float)
        True losses, in points (0 where there are none) and in units of the score, with the
        probability that it is refuted.
    fires_at : float
        True loss at which it is refuted with a probability of .8.
    margin : float
        Smallest margin that equal models keep with a probability of .8.
    needed : float, optional
        Rows with which its own margin would be.
    impossible : str
        Why it can never be decided; empty where it can.
    absent : tuple of str
        Models of the claim that these results do not hold.
    """

    claim: Claim
    words: str
    role: Role
    widest: str | None = None
    n: int = 0
    kind: str = "items"
    se: float = float("nan")
    least: float = float("nan")
    most: float = float("nan")
    pairs: int = 0
    if_equal: float | None = None
    fires: tuple[tuple[float, float, float], ...] = ()
    fires_at: float = float("nan")
    margin: float = float("nan")
    needed: float | None = None
    impossible: str = ""
    absent: tuple[str, ...] = ()

    @property
    def works(self) -> bool:
        """Whether it does its work more often than not.

        A must that allows a margin passes if the two are equal; a guard fires at the largest of
        `fires`.
        """
        if self.impossible:
            return False
        if self.role == "guard":
            return not self.fires or self.fires[-1][2] >= _EVEN
        return self.if_equal is None or self.if_equal >= _EVEN


@dataclass(frozen=True, slots=True, eq=False)
class Preflight:
    """What a gate can do, before it is run.

    Parameters
    ----------
    outlooks : tuple of Outlook
        One for each claim of two models.
    alpha, level : float
        Error rate of all verdicts, and the smallest that one side of a claim may be held to.
    left_out : tuple of str
        Claims of other kinds, which are not looked at.
    notes : tuple of Note
        What the reader must know.
    """

    outlooks: tuple[Outlook, ...]
    alpha: float
    level: float
    left_out: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    def __str__(self) -> str:
        from rankbars.render.outlooks import preflight_text

        return preflight_text(self)

    def exit_code(self) -> int:
        """What ``rankbars check --preflight`` answers: 0, or 3 where a claim hardly works."""
        return 0 if all(one.works for one in self.outlooks) else 3


@dataclass(frozen=True, slots=True, eq=False)
class FalseAlarms:
    """How often a gate errs where one system is held against itself.

    Parameters
    ----------
    runs : int
        Runs of the system.
    claims : tuple of str
        What was claimed of each pair of runs.
    alarms, red : tuple of float
        For each run as the baseline the share of the other runs with a false verdict, and with
        which the gate fails for whatever reason.
    apart, among : int
        False alarms among pairs that share no run, and how many there are of these.
    bound : float
        The false-alarm rate is at most that, with a confidence of 95 % (Clopper and Pearson, of
        the pairs that share no run).
    alpha : float
        Error rate of the gate.
    """

    runs: int
    claims: tuple[str, ...]
    alarms: tuple[float, ...]
    red: tuple[float, ...]
    apart: int
    among: int
    bound: float
    alpha: float

    def __str__(self) -> str:
        from rankbars.render.outlooks import alarms_text

        return alarms_text(self)

    @property
    def share(self) -> float:
        """False alarms on average over baselines."""
        return sum(self.alarms) / len(self.alarms)


MOST_ROWS = 1e6
"""Rows; more are shown as out of reach."""


class Goal(NamedTuple):
    """What is to be shown.

    Attributes
    ----------
    kind : {"pair", "top", "tiers"}
        One model better than another; the first k apart from all others; all models apart.
    models : tuple of str
        The pair, first the one that is to be shown better; the first k; or all, in the order of
        the pilot. Empty where no models are named.
    k : int, optional
        How many are the first.
    of : int
        Models in all.
    margin : float, optional
        The first of a pair is to be shown not worse by more than this.
    width : float, optional
        The difference of a pair is to be known to plus or minus this.
    """

    kind: Literal["pair", "top", "tiers"]
    models: tuple[str, ...] = ()
    k: int | None = None
    of: int = 2
    margin: float | None = None
    width: float | None = None

    @property
    def comparisons(self) -> int:
        """How many comparisons share the error rate."""
        if self.kind == "pair":
            return 2
        return self.of * (self.of - 1) if self.k is None else self.k * (self.of - self.k)


class Supposed(NamedTuple):
    """Rows that are needed if two models differ on a supposed share of them.

    Attributes
    ----------
    words : str
        What is supposed.
    bound : bool
        Whether no more than this can be needed, whatever the answers.
    discordance : float, optional
        Share of rows on which answers of 0 and 1 differ.
    sd : float
        Standard deviation of differences of single rows.
    rows : float
        How many are needed.
    """

    words: str
    bound: bool
    discordance: float | None
    sd: float
    rows: float


class Split(NamedTuple):
    """Items and answers to each that reach the goal for the least money.

    Attributes
    ----------
    answers : float
        Answers of each model to an item; infinite: as many as can be paid.
    answers_interval : (float, float), optional
        The same at the ends of the 95 % interval of the part that answers have in the variance.
    items : Needed
        Items with so many answers.
    cost : float
        Of `items.likely` items.
    cost_single : float
        Of the items that are needed with one answer each.
    item_variance, answer_variance : float
        A difference on an item with K answers has the variance
        ``item_variance + answer_variance / K``.
    exhausted : bool
        Whether there are too few items in the world, however often they are asked.
    """

    answers: float
    answers_interval: tuple[float, float] | None
    items: Needed
    cost: float
    cost_single: float
    item_variance: float
    answer_variance: float
    exhausted: bool = False


class TaskNeeds(NamedTuple):
    """What it takes where tasks are the sample.

    Attributes
    ----------
    seen : int
        Tasks in the pilot.
    needed : Needed
        Tasks that show it of the average over all tasks like these.
    item_share : float
        Share of the variance of the hardest comparison between tasks that comes from too few
        items.
    item_share_interval : (float, float)
        Its interval at 95 %, for differences that are normal over tasks.
    fewest : int
        Tasks from which on a rank interval for a new task says anything.
    fewest_rate : float
        Error rate of that interval.
    """

    seen: int
    needed: Needed
    item_share: float
    item_share_interval: tuple[float, float]
    fewest: int
    fewest_rate: float


class LabelNeeds(NamedTuple):
    """Labels that a judge corrects.

    Attributes
    ----------
    judged : float
        Labels when every judged item has one: no more can be had.
    alone : Needed
        Labels that it takes without the judge.
    unlimited : float
        Labels that are likely to do if the judge scored items without end.
    """

    judged: float
    alone: Needed
    unlimited: float


class CurvePoint(NamedTuple):
    """Neighbours in the order that would be told apart with so many rows.

    Attributes
    ----------
    n : int
        Rows.
    expected : float
        How many neighbours, on average over what may be true.
    low, high : float
        Between them lies the number on 80 % of simulated boards.
    """

    n: int
    expected: float
    low: float
    high: float


@explaining_methods
@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """How much has to be run; made by `rankbars.plan`.

    Parameters
    ----------
    goal : Goal
        What is to be shown.
    alpha, power, level : float
        Error rate, probability to show it, and the rate that one side of one comparison gets.
    unit : {"items", "votes", "runs", "tasks", "labels"}
        What a row is; labels are corrected by a judge.
    n : int
        Rows of the pilot; 0 without one.
    difference : float
        The true difference that is planned for, in favour of what is to be shown and with the
        margin: the observed one, or the one supposed. Of several comparisons that of the hardest.
    observed : bool
        Whether it was observed in the pilot, and not supposed.
    sd : float
        Standard deviation of differences of single rows; NaN without a pilot.
    needed : Needed, optional
        Rows that it takes, by the pilot; None without one.
    supposed : tuple of Supposed
        Rows that it takes if models agree as often as is supposed; without a pilot.
    place : str
        What the pilot is about, in words.
    tasks : TaskNeeds, optional
        What it takes over a population of tasks; with several tasks.
    split : Split, optional
        Items and answers for the least money, where costs were given.
    labels : LabelNeeds, optional
        What the judge saves, where one corrects labels.
    curve : tuple of CurvePoint
        Neighbours told apart over rows, at the level of all pairs; with a pilot.
    neighbours : int
        Pairs of neighbours in all.
    notes : tuple of Note
        What the reader must know.
    inputs : tuple of Input
        What was read.

    Examples
    --------
    >>> import rankbars as rb
    >>> made = rb.plan(rates=(0.7, 0.65))
    >>> [(one.discordance, one.rows) for one in made.supposed]
    [(0.65, 2035.0), (0.44, 1376.0), (0.25, 779.0)]
    """

    goal: Goal
    alpha: float
    power: float
    level: float
    unit: str
    n: int
    difference: float
    observed: bool
    sd: float
    needed: Needed | None = None
    supposed: tuple[Supposed, ...] = ()
    place: str = ""
    tasks: TaskNeeds | None = None
    split: Split | None = None
    labels: LabelNeeds | None = None
    curve: tuple[CurvePoint, ...] = ()
    neighbours: int = 0
    notes: tuple[Note, ...] = ()
    inputs: tuple[Input, ...] = ()

    def __repr__(self) -> str:
        rows = self.needed.likely if self.needed is not None else self.supposed[0].rows
        return f"Plan({self.goal.kind}, {rows:,.0f} {self.unit}, power {self.power:g})"

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self) -> str:
        """The plan with the uncertainty of its numbers, as ``rankbars plan`` prints it."""
        from rankbars.render.plantext import plan_text

        return plan_text(self)

    def to_json(self) -> str:
        """The plan as ``rankbars plan --json`` prints it."""
        from rankbars.render.plantext import plan_json

        return plan_json(self)

    def plot(self, ax: Any = None) -> Any:
        """The curve: neighbours told apart over rows.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a figure of its own where not given.

        Returns
        -------
        matplotlib axes

        Raises
        ------
        DataError
            If there is no curve, since there was no pilot.
        MissingPackageError
            If matplotlib is not installed.
        """
        from rankbars.render.plotting.workplots import plot_curve

        return plot_curve(self, ax)
