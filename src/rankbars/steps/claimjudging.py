"""The verb `judge_claims`: what results say about claims, all of them with one error rate."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from rankbars.data.claim import Claim, known_names
from rankbars.data.headtohead import Contrast
from rankbars.data.judged import OUT_OF_REACH, JudgedClaim
from rankbars.data.notes import Note, join_words
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec
from rankbars.errors import OptionError
from rankbars.stats.multiplicity.claimtests import (
    Judgement,
    chance_if_equal,
    half_width,
    judge_sides,
)
from rankbars.stats.samplesize import sample_size
from rankbars.steps.claimparts import ClaimField, Contrasts, Part, Weighed, weigh_claim
from rankbars.steps.claimunits import in_units

__all__ = ["claimed_models", "enough_resamples", "judge_claims", "refuse_contradictions"]

_POWER = 0.8
_EVEN = 0.5
_MOST_DRAWS = 100_000
_DRAWS = 4  # resamples per claim and error rate, so that the last step of Holm can be reached


def claimed_models(claims: Sequence[Claim], models: Sequence[str]) -> tuple[str, ...]:
    """The models that claims speak of; all where one claims a place among them."""
    if any(claim.kind == "top" for claim in claims):
        return tuple(models)
    return tuple(sorted({name for claim in claims for name in (claim.model, *claim.others)}))


def judge_claims(
    scores: Scores,
    claims: Sequence[Claim],
    spec: Spec,
    contrasts: Contrasts,
    *,
    together: bool = True,
    costs: Scores | None = None,
    bets: bool = False,
) -> tuple[tuple[JudgedClaim, ...], tuple[Note, ...]]:
    """Judge claims about scores without gaps that are still open.

    Parameters
    ----------
    scores : Scores
        Results of the models that are claimed about.
    claims : sequence of Claim
        What is claimed; each a must.
    spec : Spec
        `alpha`, `over` and `resamples` count here.
    contrasts : callable
        Two models of scores, face to face.
    together : bool
        Whether all verdicts hold together.
    costs : Scores, optional
        What the models cost, for claims about that.
    bets : bool
        Whether p-values are those of bets, valid however often new rows are added.

    Returns
    -------
    tuple of JudgedClaim, tuple of Note
        The claims in their order, and what was said of the comparisons behind them.

    Raises
    ------
    OptionError
        If claims do not fit the scores, or contradict each other.
    """
    asked = [claim for claim in claims if not claim.of_cost]
    known_names(asked, scores.models, tuple(scores.tasks))
    if len(asked) < len(claims):
        if costs is None:
            raise OptionError("There are claims about costs, and no costs to judge them by.")
        priced = [claim for claim in claims if claim.of_cost]
        known_names(priced, costs.models, tuple(costs.tasks))
        refuse_contradictions([in_units(costs, one) for one in priced], tuple(costs.tasks))
    refuse_contradictions([in_units(scores, one) for one in asked], tuple(scores.tasks))
    about, of_cost = (ClaimField(one or scores, spec, contrasts, bets) for one in (scores, costs))
    weighed = [weigh_claim(of_cost if claim.of_cost else about, claim) for claim in claims]
    level = spec.alpha / 2
    notes = _out_of_reach(weighed, level, together=together)
    verdicts, support, refute = judge_sides(
        [one.sides for one in weighed], spec.alpha, together=together
    )
    found = tuple(
        _told(one, verdict, support, refute) for one, verdict in zip(weighed, verdicts, strict=True)
    )
    if bets:  # the rows that a t-test takes are too few for bets
        found = tuple(replace(one, needed=None, supposing="") for one in found)
    return found, (*notes, *about.notes, *of_cost.notes)


def _out_of_reach(weighed: Sequence[Weighed], level: float, *, together: bool) -> tuple[Note, ...]:
    """A note on margins that so many claims and so few rows can hardly show to be kept.

    It looks at the spread of the rows and at the number of claims, not at any difference.
    """
    margins = []
    for one in weighed:
        part = one.by_place[0][0]
        single = len(one.by_place) == len(one.by_place[0]) == 1
        if single and one.claim.kind == "better" and part.border < 0 and part.found.se > 0:
            margins.append((one.claim.text, -part.border, part.found.se))

    def chances(claims: int) -> list[float]:
        each = level / (claims if together else 1)
        return [chance_if_equal(margin, se, each) for _, margin, se in margins]

    count = len(weighed)
    order = sorted(zip(chances(count), margins, strict=True))
    hard = [f"{text} ({chance:.0%})" for chance, (text, _, _) in order if chance < _EVEN]
    if not hard:
        return ()
    among = f"With {count} claims at once" if count > 1 else "With these rows"
    text = (
        f"{among}, even models that are equal would seldom be shown to keep these margins: "
        f"{', '.join(hard)}. In brackets: how often equal models would pass. "
    )
    drop = next(
        d
        for d in range(len(hard) + 1)
        if sorted(chances(max(count - d, 1)))[d:][:1] >= [_EVEN] or d == len(hard)
    )
    if together and drop < count:
        names = ", ".join(repr(name) for _, (name, _, _) in order[:drop])
        text += f"Drop {names}, allow wider margins, or use more rows."
    else:
        text += "Allow wider margins, or use more rows."
    return (Note(OUT_OF_REACH, text),)


def enough_resamples(asked: int, claims: int, alpha: float) -> int:
    """Resamples with which the smallest level of Holm's procedure can be reached.

    With as many as can be had, a smaller level is never reached, so that nothing is shown at it.
    """
    return max(asked, min(math.ceil(_DRAWS * claims / alpha), _MOST_DRAWS))


def _shown(one: Weighed, verdict: str) -> tuple[Part, int, int]:
    """The comparison that decides, and by how many its two levels are divided."""
    claim, places = one.claim, one.by_place
    refuted = verdict == "refuted"
    if claim.least:
        side = [whole.refute if refuted else whole.support for whole in one.whole]
        order = sorted(range(len(side)), key=side.__getitem__)
        # As many as make the verdict are at least as sure.
        place = places[order[len(side) - claim.least if refuted else claim.least - 1]]
        return _weakest(place, refuted=refuted), 1, 1
    if claim.kind == "top":
        best = max if not refuted else min
        side = [whole.refute if refuted else whole.support for whole in one.whole]
        parts = places[side.index(best(side))]
        ranked = sorted(parts, key=lambda p: p.sides.refute if refuted else p.sides.support)
        part = ranked[claim.k - 1 if refuted else len(parts) - claim.k]
        return part, claim.k, (len(parts) + 1 - claim.k) * len(places)
    every = [part for parts in places for part in parts]
    return _weakest(every, refuted=refuted), 1, len(every)


def _weakest(parts: Sequence[Part], *, refuted: bool) -> Part:
    """Of comparisons that must all hold the one that is refuted, or least supported."""
    if refuted:
        return min(parts, key=lambda part: part.sides.refute)
    return max(parts, key=lambda part: (part.sides.support, -part.sides.refute))


def _told(one: Weighed, verdict: Judgement, support: float, refute: float) -> JudgedClaim:
    """The claim with its verdict; the interval says no more than the p-values do."""
    claim = one.claim
    part, by_support, by_refute = _shown(one, verdict)
    support, refute = support / by_support, refute / by_refute
    parts = [part for parts in one.by_place for part in parts]
    low = part.found.value - half_width(part.found, support)
    high = part.found.value + half_width(part.found, refute)
    if claim.kind == "within":
        high = part.found.value + half_width(part.found, support)
        if verdict != "supported":
            edge = -part.border
            low, high = (min(low, -edge), high) if -low > high else (low, max(high, edge))
    else:
        if part.sides.support > support:
            low = min(low, part.border)
        if part.sides.refute > refute:
            high = max(high, part.border)
    shown = [part.offset + part.sign * value for value in (part.found.value, low, high)]
    if part.sign < 0:
        shown[1], shown[2] = shown[2], shown[1]
    needed, supposing = None, ""
    if verdict == "cannot_tell" and len(parts) == 1:
        needed, supposing = _needed(claim, part, support)
    return JudgedClaim(
        claim,
        one.words,
        verdict,
        "must",
        shown[0],
        shown[1],
        shown[2],
        p_support=one.sides.support,
        p_refute=one.sides.refute,
        against=part.against if len(parts) > 1 else None,
        task=part.task if claim.least is not None else None,
        parts=len(parts),
        kind=part.contrast.kind,
        n=part.contrast.n,
        needed=needed,
        supposing=supposing,
        approximate=any(part.contrast.approximate for part in parts),
        score=part.means[0],
        score_other=part.means[1],
        direction=part.contrast.direction,
    )


def _needed(claim: Claim, part: Part, support: float) -> tuple[float | None, str]:
    """Rows that would support a claim of one comparison, and what that supposes."""
    n = part.contrast.n
    runs_too = isinstance(part.contrast, Contrast) and part.contrast.test == "two_way"
    if n == 0 or claim.kind == "within" or runs_too:  # more items alone do not tell of new runs
        return None, ""
    difference = part.found.value
    supposing = "if the true difference is the observed one"
    if claim.kind == "score":
        supposing = "if the true score is the observed one"
    if part.border < 0:
        difference, supposing = 0.0, "if the true difference is 0"
    effect = difference - part.border
    if not (effect > 0 and part.found.se > 0 and part.found.df > 0):
        return None, ""
    spread, freedom = part.found.se * math.sqrt(n), (part.found.df + 1) / n
    rows = sample_size(effect, spread, support, _POWER, freedom)
    return (max(rows, float(n)) if math.isfinite(rows) else None), supposing


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
        other = seen.setdefault(replace(claim, text="", sign=""), claim)
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
        first = [claim for claim in here if claim.kind == "top" and claim.k == 1]
        circle = first[:2] if len(first) > 1 else _circle([*_borders(here)])
        if circle:
            names = [repr(claim.text) for claim in claims if claim in circle]
            raise OptionError(
                f"Claims {join_words(names)} contradict each other. Leave one of them out."
            )


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
