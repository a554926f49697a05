"""Votes that do not fit the others: of whom they are, of which period, and what they change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from rankbars.data.fields import Level, Numbers, Rate

__all__ = ["MovedModel", "SuspectGroup", "SuspectVoter", "SuspectVoters"]


@dataclass(frozen=True, slots=True)
class SuspectVoter:
    """A voter whose votes do not fit those of the others.

    Parameters
    ----------
    voter : str
        The voter.
    votes : int
        All votes of this voter.
    habit : {"for", "against", "order", "position"}
        What is odd: votes for a model, or against it, that do not follow the order of the
        strengths, or that follow the position.
    model : str, optional
        The model that the habit is about.
    about : int
        Votes that the habit is about.
    won, expected : float
        Share that the model (for the position: the model shown first; for the order: the stronger
        model) won of these, ties as halves, and that by the fit without this voter.
    p : float
        About the largest chance that a voter like the others votes so, for one habit of one voter.
    moves : int, optional
        Largest change of a rank without this voter alone, by one step from the fit; None where
        the other votes do not put all models on one scale.
    """

    voter: str
    votes: Annotated[int, Numbers(least=0)]
    habit: Literal["for", "against", "order", "position"]
    model: str | None
    about: Annotated[int, Numbers(least=0)]
    won: Level
    expected: Level
    p: Level
    moves: Annotated[int, Numbers(least=0)] | None = None


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


@dataclass(frozen=True, slots=True)
class SuspectGroup:
    """Votes of one period, or on one prompt, that do not fit those of the others.

    Parameters
    ----------
    kind : {"period", "prompt"}
        What the votes have in common.
    name : str
        The period or the prompt.
    votes : int
        Its votes.
    habit : {"for", "against", "order", "position"}
        What is odd, as in `SuspectVoter`.
    model : str, optional
        The model that it is about.
    about : int
        Votes that it is about.
    won, expected : float
        As in `SuspectVoter`.
    p : float
        About the largest chance of such votes in a period (on a prompt) like the others.
    arrival : bool
        Whether it is the first period in which the model has votes.
    moves : int, optional
        As in `SuspectVoter`, without this period or prompt alone.
    """

    kind: Literal["period", "prompt"]
    name: str
    votes: Annotated[int, Numbers(least=0)]
    habit: Literal["for", "against", "order", "position"]
    model: str | None
    about: Annotated[int, Numbers(least=0)]
    won: Level
    expected: Level
    p: Level
    arrival: bool = False
    moves: Annotated[int, Numbers(least=0)] | None = None
