"""Which method was chosen and why, and what other methods would have said."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Choice", "Explanation", "MethodOutcome"]


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
    """

    test: str
    correction: str
    width: float
    winners: tuple[str, ...]
    used: bool = False


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
