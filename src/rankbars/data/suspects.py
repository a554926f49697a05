"""Votes that do not fit the others: of whom they are, of which period, and what they change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from rankbars.data.fields import Level, Numbers, Rate

__all__ = ["MovedModel", "SuspectGroup", "SuspectVoter", "SuspectVoters", "SuspectVotes"]


@dataclass(frozen=True, slots=True)
class SuspectVotes:
    """Votes that do not fit the others, and have something in common.

    Parameters
    ----------
    name : str
        Of whom they are, or on what: the voter, the period or the prompt.
    votes : int
        All votes there.
    habit : {"for", "against", "order", "position"}
        What is odd: votes for a model, or against it, that do not follow the order of the
        strengths, or that follow the position.
    model : str, optional
        The model that the habit is about.
    about : int
        Votes that the habit is about.
    won, expected : float
        Share that the model (for the position: the model shown first; for the order: the stronger
        model) won of these, ties as halves, and that by the fit without these votes.
    p : float
        About the largest chance of such votes from one like the others, for one habit.
    moves : int, optional
        Largest change of a rank without these votes alone, by one step from the fit; None where
        the other votes do not put all models on one scale.
    """

    name: str
    votes: Annotated[int, Numbers(least=0)]
    habit: Literal["for", "against", "order", "position"]
    model: str | None
    about: Annotated[int, Numbers(least=0)]
    won: Level
    expected: Level
    p: Level
    moves: Annotated[int, Numbers(least=0)] | None = None


@dataclass(frozen=True, slots=True)
class SuspectVoter(SuspectVotes):
    """A voter whose votes do not fit those of the others."""

    @property
    def voter(self) -> str:
        """The voter: `name`."""
        return self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspectGroup(SuspectVotes):
    """Votes of one period, or on one prompt, that do not fit those of the others.

    Parameters
    ----------
    kind : {"period", "prompt"}
        What the votes have in common.
    arrival : bool
        Whether it is the first period in which the model has votes.
    """

    kind: Literal["period", "prompt"]
    arrival: bool = False


@dataclass(frozen=True, slots=True)
class MovedModel:
    """A model whose rank depends on voters who are suspected.

    Parameters
    ----------
    model : str
        The model.
    counted : int
        Its rank by strength where all votes count.
    without : int
        Its rank where those of suspected voters do not.
    """

    model: str
    counted: Annotated[int, Numbers(least=1)]
    without: Annotated[int, Numbers(least=1)]


@dataclass(frozen=True, slots=True)
class SuspectVoters:
    """Voters whose votes do not fit those of the others: a reason to look, no proof.

    Parameters
    ----------
    false_discoveries : float
        Share of the voters named that is false on average, at most.
    tested : int
        Voters with enough votes to be tested.
    votes : int
        Votes of all suspected voters together.
    voters : tuple of SuspectVoter
        Those whose votes fit least first.
    moved : tuple of MovedModel, optional
        Models whose rank changes without all of them, those that change most first; None where
        the other votes do not put all models on one scale.
    weight : float
        Weight of each of their votes on the board; 0 where they are left out.
    """

    false_discoveries: Rate
    tested: Annotated[int, Numbers(least=0)]
    votes: Annotated[int, Numbers(least=0)]
    voters: tuple[SuspectVoter, ...]
    moved: tuple[MovedModel, ...] | None
    weight: Level = 1.0
