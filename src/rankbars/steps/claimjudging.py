"""The verb `judge_claims`: what results say about claims, all of them with one error rate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from rankbars.data.claim import Claim, known_names
from rankbars.data.contradictions import refuse_contradictions
from rankbars.data.judged import OUT_OF_REACH, JudgedClaim
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec
from rankbars.errors import OptionError
from rankbars.stats.multiplicity.claimtests import Judgement, judge_sides
from rankbars.stats.pairwise.margins import chance_if_equal, half_width
from rankbars.stats.samplesize import sample_size
from rankbars.steps.claimparts import ClaimField, Contrasts, Part, Weighed, weigh_claim
from rankbars.steps.claimunits import in_units

__all__ = ["claimed_models", "enough_resamples", "judge_claims"]

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
        f"{', '.join(hard)}. The share is how often they would. "
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
    )


def _needed(claim: Claim, part: Part, support: float) -> tuple[float | None, str]:
    """Rows that would support a claim of one comparison, and what that supposes."""
    n = part.contrast.n
    if n == 0 or claim.kind == "within":
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
