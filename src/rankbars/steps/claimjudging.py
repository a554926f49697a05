"""The verb `judge_claims`: what results say about claims, all of them with one error rate."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from rankbars.data.claim import Claim, known_names, refuse_contradictions
from rankbars.data.evidence import Estimates, Evidence, Items, Votes
from rankbars.data.headtohead import Contrast, HeadToHead
from rankbars.data.judged import JudgedClaim
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec
from rankbars.errors import DataError, OptionError
from rankbars.stats.multiplicity.claimtests import (
    Judgement,
    TwoSides,
    all_hold,
    at_least,
    judge_sides,
    top_places,
)
from rankbars.stats.pairwise.margins import (
    Difference,
    chance_if_equal,
    half_width,
    null_error,
    p_beyond,
)
from rankbars.stats.pairwise.pairstatistics import detectable_difference
from rankbars.steps.claimunits import check_margin, check_means, scale_of
from rankbars.steps.correctionchoice import is_binary

__all__ = ["claimed_models", "enough_resamples", "judge_claims"]

_POWER = 0.8
_EVEN = 0.5
_DRAWS = 4  # resamples per claim and error rate, so that the last step of Holm can be reached

Contrasts = Callable[[Scores, str, str], HeadToHead]


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

    Returns
    -------
    tuple of JudgedClaim, tuple of Note
        The claims in their order, and what was said of the comparisons behind them.

    Raises
    ------
    OptionError
        If claims do not fit the scores, or contradict each other.
    """
    known_names(claims, scores.models, tuple(scores.tasks))
    refuse_contradictions(claims)
    field_ = _Field(scores, spec, contrasts)
    judged = [_judge(field_, claim) for claim in claims]
    verdicts, support, refute = judge_sides(
        [one.sides for one in judged], spec.alpha, together=together
    )
    found = tuple(
        _told(one, verdict, support, refute) for one, verdict in zip(judged, verdicts, strict=True)
    )
    level = spec.alpha / 2 / (len(claims) if together else 1)
    return found, (*field_.notes, *_out_of_reach(judged, verdicts, level))


def _out_of_reach(
    judged: Sequence[_Judged], verdicts: Sequence[Judgement], level: float
) -> tuple[Note, ...]:
    """A note on margins that so many claims and so few rows can hardly show to be kept."""
    hard = []
    for one, verdict in zip(judged, verdicts, strict=True):
        part = one.by_place[0][0]
        single = len(one.by_place) == len(one.by_place[0]) == 1
        if verdict != "cannot_tell" or not single or one.claim.kind != "better":
            continue
        if part.border < 0 and part.found.se > 0:
            chance = chance_if_equal(-part.border, part.found.se, level)
            if chance < _EVEN:
                hard.append(f"{one.claim.text} ({chance:.0%})")
    if not hard:
        return ()
    among = f"With {len(judged)} claims at once" if len(judged) > 1 else "With these rows"
    text = (
        f"{among}, even models that are equal would seldom be shown to keep these margins: "
        f"{', '.join(hard)}. The share is how often they would. "
        + ("Drop claims that matter less, allow" if len(judged) > 1 else "Allow")
        + " wider margins, or use more rows."
    )
    return (Note("margin-out-of-reach", text),)


def enough_resamples(asked: int, claims: int, alpha: float) -> int:
    """Resamples with which the smallest level of Holm's procedure can be reached."""
    return max(asked, math.ceil(_DRAWS * claims / alpha))


class _Part(NamedTuple):
    """One comparison of a claim: a difference in favour of its model, and the border."""

    sides: TwoSides
    found: Difference
    border: float
    contrast: Contrast
    against: str | None
    task: str | None
    offset: float = 0.0  # what is added to a difference to show it: the value of a claimed score
    sign: float = 1.0  # -1 where scores are shown that are better if lower


class _Judged(NamedTuple):
    """A claim with its p-values, before all claims are looked at together."""

    claim: Claim
    words: str
    sides: TwoSides
    whole: list[TwoSides]
    by_place: list[list[_Part]]


@dataclass
class _Field:
    """The scores, and the comparisons that were made already."""

    scores: Scores
    spec: Spec
    contrasts: Contrasts
    made: dict[tuple[str, str, float | None], HeadToHead] = field(default_factory=dict)
    notes: dict[Note, None] = field(default_factory=dict)

    def duel(self, model: str, other: str) -> tuple[HeadToHead, float]:
        """The two face to face, and the sign of what speaks for the first."""
        a, b = sorted((model, other))
        key = (a, b, None)
        if key not in self.made:
            self.made[key] = self._noted(self.contrasts(self.scores, a, b))
        return self.made[key], 1.0 if self.made[key].a == model else -1.0

    def against(self, model: str, value: float, task: str | None) -> HeadToHead:
        """A model face to face with one that has the same score on every row."""
        key = (model, task or "", value)
        if key not in self.made:
            scores = self.scores if task is None else self.scores.select(tasks=(task,))
            pair, name = _with_constant(scores, model, value)
            self.made[key] = self._noted(self.contrasts(pair, model, name))
        return self.made[key]

    def _noted(self, duel: HeadToHead) -> HeadToHead:
        of_reading = set(self.scores.notes)
        # What is missing was said already, once for all models.
        self.notes |= dict.fromkeys(
            note
            for note in duel.notes
            if note not in of_reading and note.code not in ("rows-in-common", "no-average")
        )
        return duel

    def places(self, claim: Claim) -> tuple[str | None, ...]:
        """The tasks on which a claim is looked at; None for the average, or the only task."""
        if claim.least is not None:
            return tuple(self.scores.tasks)
        return (claim.task,)

    def contrast(self, duel: HeadToHead, claim: Claim, task: str | None) -> Contrast:
        if task is not None and len(self.scores.tasks) > 1:
            return duel.tasks[task]
        if duel.main is not None:
            return duel.main
        why = next((f" {n.message}" for n in duel.notes if n.code == "no-average"), "")
        raise DataError(
            f"Claim {claim.text!r} is about an average, and there is none.{why} Say on which task "
            "it is meant (on TASK), or on each task."
        )


def _judge(field_: _Field, claim: Claim) -> _Judged:
    scale = scale_of(field_.scores, claim)
    size = scale / 100 if claim.in_points else 1.0
    if claim.kind == "better" or claim.kind == "within":
        check_margin(field_.scores, claim, claim.margin * size)
    by_place = []
    for task in field_.places(claim):
        if claim.kind == "top":
            by_place.append(_place_of(field_, claim, task))
        elif claim.kind == "score":
            by_place.append([_score(field_, claim, claim.value * size, task)])
        else:
            by_place.append(
                [_pair(field_, claim, other, claim.margin * size, task) for other in claim.others]
            )
    whole = [_combined(claim, parts) for parts in by_place]
    if claim.least:
        plain = all(
            isinstance(evidence, Items) and evidence.design == "items"
            for evidence in field_.scores.tasks.values()
        )
        sides = at_least(whole, claim.least, independent=plain)
    else:
        sides = all_hold(whole) if len(whole) > 1 else whole[0]
    name = by_place[0][0].contrast.name
    return _Judged(claim, claim.words(_where(field_, claim, name), scale), sides, whole, by_place)


def _combined(claim: Claim, parts: Sequence[_Part]) -> TwoSides:
    """All comparisons on one task, or on the average."""
    if claim.kind == "top":
        over = [part.sides.support for part in parts]
        under = [part.sides.refute for part in parts]
        return top_places(over, under, claim.k)
    return all_hold([part.sides for part in parts]) if len(parts) > 1 else parts[0].sides


def _shown(one: _Judged, verdict: str) -> tuple[_Part, int, int]:
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


def _weakest(parts: Sequence[_Part], *, refuted: bool) -> _Part:
    """Of comparisons that must all hold the one that is refuted, or least supported."""
    if refuted:
        return min(parts, key=lambda part: part.sides.refute)
    return max(parts, key=lambda part: (part.sides.support, -part.sides.refute))


def _pair(field_: _Field, claim: Claim, other: str, margin: float, task: str | None) -> _Part:
    duel, sign = field_.duel(claim.model, other)
    one = field_.contrast(duel, claim, task)
    if margin != 0.0:
        check_means(claim, one)
    found = Difference(sign * one.difference, one.se, one.df, one.resampled)

    def above(border: float) -> float:
        return _p(field_, duel, one, found, border, sign)

    def below(border: float) -> float:
        turned = found._replace(value=-found.value)
        return _p(field_, duel, one, turned, -border, -sign)

    if claim.kind == "within":
        sides = TwoSides(
            max(above(-margin), below(margin)), min(1.0, 2 * min(above(margin), below(-margin)))
        )
    else:
        sides = TwoSides(above(-margin), below(-margin))
    return _Part(sides, found, -margin, one, other, task)


def _place_of(field_: _Field, claim: Claim, task: str | None) -> list[_Part]:
    tasks = field_.scores.tasks if task is None else (task,)
    if any(isinstance(field_.scores.tasks[name], Votes) for name in tasks):
        raise OptionError(
            f"Claim {claim.text!r}: of votes, those between two models decide about the two, and "
            "not all models met. Claim it of two models; who may be first: rankbars rank."
        )
    others = [name for name in field_.scores.models if name != claim.model]
    return [_pair(field_, claim, other, 0.0, task) for other in others]


def _p(
    field_: _Field,
    duel: HeadToHead,
    one: Contrast,
    found: Difference,
    border: float,
    sign: float,
) -> float:
    """P-value that the difference, in one direction, is above the border."""
    given = one.p_better if sign > 0 else one.p_worse
    if border == 0.0:
        return 1.0 if math.isnan(given) else given
    if one.p_better == one.p_worse == 1.0 and found.se > 0:
        return 1.0  # there are too few rows to show anything
    # Rows on the other side of zero than the border lies on.
    towards = sign if border < 0 else -sign
    counts = [
        (task.name, (task.ahead if towards > 0 else task.behind) or 0, task.n)
        for task in (duel.tasks.values() if one is duel.average else (one,))
    ]
    if abs(border) >= 1.0 or one.kind == "tasks" or not _plain_answers(field_.scores, counts):
        return p_beyond(found, border)
    weights = _weights(field_.scores, [name for name, _, _ in counts])
    null = null_error(border, [(w, q / n, n) for w, (_, q, n) in zip(weights, counts, strict=True)])
    return p_beyond(found, border, null)


def _plain_answers(scores: Scores, counts: Sequence[tuple[str, int, int]]) -> bool:
    """Whether these tasks are independent answers of 0 and 1."""
    for name, _, rows in counts:
        evidence = scores.tasks[name]
        if not isinstance(evidence, Items) or evidence.design != "items" or rows < 2:
            return False
        if evidence.clusters is not None or evidence.weights is not None:
            return False
        if not is_binary(evidence.values):
            return False
    return True


def _weights(scores: Scores, tasks: Sequence[str]) -> list[float]:
    raw = [scores.info[name].weight for name in tasks]
    total = math.fsum(raw)
    return [weight / total for weight in raw] if total > 0 else raw


def _score(field_: _Field, claim: Claim, value: float, task: str | None) -> _Part:
    scores = field_.scores
    tasks = (task,) if task is not None else tuple(scores.tasks)
    if any(isinstance(scores.tasks[name], Votes) for name in tasks):
        raise OptionError(
            f"Claim {claim.text!r}: votes say who is better, and have no scores of their own."
        )
    directions = {scores.info[name].direction for name in tasks}
    if len(directions) > 1:
        raise OptionError(
            f"Claim {claim.text!r}: higher is better on some tasks and lower on others, so their "
            "average is no score. Say on which task it is meant: on TASK."
        )
    lower = directions == {"lower"}
    if lower != claim.at_most:
        right = "<=" if lower else ">="
        raise OptionError(
            f"Claim {claim.text!r}: {'lower' if lower else 'higher'} is better here, so write "
            f"{claim.model} {right} {value:g}."
        )
    sign = -1.0 if lower else 1.0
    duel = field_.against(claim.model, sign * value, task)
    one = duel.tasks[task] if task is not None else field_.contrast(duel, claim, task)
    check_means(claim, one)
    found = Difference(one.difference, one.se, one.df, one.resampled)
    nothing = one.p_better == one.p_worse == 1.0 and found.se > 0
    null = _null_of_score(scores, tasks, value) if one.kind != "tasks" else None
    turned = found._replace(value=-found.value)
    sides = (
        TwoSides(1.0, 1.0)
        if nothing
        else TwoSides(p_beyond(found, 0.0, null), p_beyond(turned, 0.0, null))
    )
    return _Part(sides, found, 0.0, one, None, task, offset=value, sign=sign)


def _null_of_score(
    scores: Scores, tasks: Sequence[str], value: float
) -> tuple[float, float] | None:
    """Standard error of a share of right answers that is the value, and its degrees of freedom."""
    counts = []
    for name in tasks:
        evidence = scores.tasks[name]
        counts.append((name, 0, evidence.n if isinstance(evidence, Items) else 0))
    if not 0 < value < 1 or not _plain_answers(scores, counts):
        return None
    variance = math.fsum(
        weight**2 * value * (1 - value) / rows
        for weight, (_, _, rows) in zip(_weights(scores, tasks), counts, strict=True)
    )
    return math.sqrt(variance), float(sum(rows - 1 for _, _, rows in counts))


def _with_constant(scores: Scores, model: str, value: float) -> tuple[Scores, str]:
    """The scores of a model, and one with the same value on every row."""
    name = f"{value:g}" if f"{value:g}" != model else f"score {value:g}"
    alone = scores.select(models=(model,))
    tasks: dict[str, Evidence] = {}
    for task, evidence in alone.tasks.items():
        if isinstance(evidence, Items):
            column = np.where(np.isnan(evidence.values), np.nan, value)
            tasks[task] = replace(
                evidence,
                models=(model, name),
                values=np.hstack([evidence.values, column]),
                runs=None,
                answers=None,
                within=None,
                trials=None,
            )
        elif isinstance(evidence, Estimates):
            error = evidence.se
            if evidence.cov is not None:
                error = np.sqrt(np.diag(evidence.cov))
            tasks[task] = Estimates(
                (model, name),
                np.append(evidence.mean, value),
                None if error is None else np.append(error, 0.0),
            )
    info = {task: replace(alone.info[task], coverage=None) for task in tasks}
    return replace(alone, tasks=tasks, info=info), name


def _where(field_: _Field, claim: Claim, name: str) -> str:
    count = len(field_.scores.tasks)
    if claim.least:
        return f"on at least {claim.least} of {claim.of} tasks"
    if claim.least == 0:
        return f"on each of {count} tasks" if count > 1 else f"on {name}"
    return f"on {'the ' if claim.task is None and count > 1 else ''}{name}"


def _told(one: _Judged, verdict: Judgement, support: float, refute: float) -> JudgedClaim:
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


def _needed(claim: Claim, part: _Part, support: float) -> tuple[float | None, str]:
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
    seen = detectable_difference(part.found.se, part.found.df, 2 * support, _POWER)
    if not (effect > 0 and math.isfinite(seen)):
        return None, ""
    return n * max((seen / effect) ** 2, 1.0), supposing
