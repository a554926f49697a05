"""What a gate can do before it is run, and how often it alarms where nothing changed."""

from __future__ import annotations

from dataclasses import dataclass

from rankbars.data.claim import Claim
from rankbars.data.judged import Role
from rankbars.data.notes import Note

__all__ = ["FalseAlarms", "Outlook", "Preflight"]


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
