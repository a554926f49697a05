"""Claims that cannot all be true, or say the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from rankbars.data.claim import Claim
from rankbars.errors import OptionError

__all__ = ["refuse_contradictions"]


class _Border(NamedTuple):
    """That the score of `lower` is at most that of `upper` and some room."""

    upper: str | None  # None has the score 0
    lower: str | None
    room: Decimal
    strict: bool  # less than that
    claim: Claim


def refuse_contradictions(claims: Sequence[Claim], tasks: Sequence[str] = ()) -> None:
    """Raises where claims cannot all be true, or one stands there twice.

    Parameters
    ----------
    claims : sequence of Claim
        Claims about scores, or about costs, with margins in their units.
    tasks : sequence of str
        The tasks that there are; of one alone the average is that task.

    Raises
    ------
    OptionError
        Names the claims, as few as contradict each other.

    Notes
    -----
    Claims on one place are borders of differences of scores. They contradict each other where a
    circle of them asks a model to be better than itself (Bellman and Ford); "on each task" holds on
    every task and on their average. Places below the first, and "on at least u of m tasks", are
    left alone.

    Examples
    --------
    >>> from rankbars.data.claim import parse_claim
    >>> try:
    ...     refuse_contradictions([parse_claim("a > b"), parse_claim("b better than a")])
    ... except OptionError as error:
    ...     print(error)
    Claims 'a > b' and 'b better than a' contradict each other. Leave one of them out.
    """
    seen: dict[Claim, Claim] = {}
    for claim in claims:
        other = seen.setdefault(replace(claim, text=""), claim)
        if other is not claim:
            raise OptionError(
                f"Claims {other.text!r} and {claim.text!r} say the same. Leave one out."
            )
    places = {claim: None if len(tasks) == 1 else claim.task for claim in claims}
    for place in dict.fromkeys(places.values()):
        # What holds on each task holds on this one, and on the average.
        here = [
            claim for claim in claims
            if not claim.least and (claim.least == 0 or places[claim] == place)
        ]  # fmt: skip
        circle = _two_first(here) or _circle([*_borders(here)])
        if circle:
            names = [repr(claim.text) for claim in claims if claim in circle]
            raise OptionError(
                f"Claims {', '.join(names[:-1])} and {names[-1]} contradict each other. Leave one "
                "of them out."
            )


def _two_first(claims: Sequence[Claim]) -> list[Claim]:
    first = [claim for claim in claims if claim.kind == "top" and claim.k == 1]
    return first[:2] if len(first) > 1 else []


def _borders(claims: Sequence[Claim]) -> Iterator[_Border]:
    named = dict.fromkeys(name for claim in claims for name in (claim.model, *claim.others))
    for claim in claims:
        # What a float stands for in the line, so that sums of margins are exact.
        margin, value = Decimal(str(claim.margin)), Decimal(str(claim.value))
        if claim.kind == "score" and claim.at_most:
            yield _Border(None, claim.model, value, claim.strict, claim)
        elif claim.kind == "score":
            yield _Border(claim.model, None, -value, claim.strict, claim)
        elif claim.kind == "top" and claim.k == 1:
            for other in named:
                if other != claim.model:
                    yield _Border(claim.model, other, Decimal(0), False, claim)
        elif claim.kind != "top":
            for other in claim.others:
                yield _Border(claim.model, other, margin, claim.strict, claim)
                if claim.kind == "within":
                    yield _Border(other, claim.model, margin, False, claim)


def _circle(borders: Sequence[_Border]) -> list[Claim]:
    """The claims of a circle of borders without room; none where there is no such circle."""
    room = {name: (Decimal(0), 0) for one in borders for name in (one.upper, one.lower)}
    by: dict[str | None, _Border] = {}
    place: str | None = None
    for _ in range(len(room) + 1):
        moved = False
        for one in borders:
            least = room[one.upper]
            reached = (least[0] + one.room, least[1] - one.strict)
            if reached < room[one.lower]:
                room[one.lower], by[one.lower] = reached, one
                place, moved = one.lower, True
        if not moved:
            return []
    for _ in room:  # back onto the circle
        place = by[place].upper
    found: list[Claim] = []
    start = place
    while not found or place != start:
        found.append(by[place].claim)
        place = by[place].upper
    return found
