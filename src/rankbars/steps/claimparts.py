"""What claims are made of: comparisons of two models, with the p-values of either side."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as attribute
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.claim import Claim
from rankbars.data.evidence import Estimates, Evidence, Items, Votes, independent_items
from rankbars.data.headtohead import Contrast, HeadToHead
from rankbars.data.notes import Note, verdict_about
from rankbars.data.rightanswers import is_binary
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec
from rankbars.errors import DataError, OptionError
from rankbars.stats.multiplicity.claimtests import (
    Difference,
    TwoSides,
    all_hold,
    at_least,
    bet_on,
    null_error,
    p_beyond,
    top_places,
)
from rankbars.steps.claimunits import (
    check_margin,
    check_means,
    check_sign,
    check_value,
    note_margin,
    scale_of,
)
from rankbars.steps.manyduels import Duel, Duels, duel_with_all

__all__ = ["ClaimField", "Contrasts", "Part", "Weighed", "place_words", "weigh_claim"]

_FEW = 30  # with fewer rows that differ, those that the sample does not hold weigh in

Contrasts = Callable[[Scores, str, str], HeadToHead]


class Part(NamedTuple):
    """One comparison of a claim: a difference in favour of its model, and the border."""

    sides: TwoSides
    found: Difference
    border: float
    contrast: Contrast | Duel
    against: str | None
    task: str | None
    offset: float = 0.0  # what is added to a difference to show it: the value of a claimed score
    sign: float = 1.0  # -1 where scores are shown that are better if lower
    means: tuple[float, float] = (math.nan, math.nan)  # of the claim's model, and of the other


class Weighed(NamedTuple):
    """A claim with its p-values, before all claims are looked at together."""

    claim: Claim
    words: str
    sides: TwoSides
    whole: list[TwoSides]
    by_place: list[list[Part]]


@dataclass
class ClaimField:
    """The scores, and the comparisons that were made already."""

    scores: Scores
    spec: Spec
    contrasts: Contrasts
    bets: bool = False
    made: dict[tuple[str, str, float | str | None], HeadToHead] = attribute(default_factory=dict)
    notes: dict[Note, None] = attribute(default_factory=dict)
    at_once: dict[str, Duels | None] = attribute(default_factory=dict)

    def duel(self, model: str, other: str, task: str | None = None) -> tuple[HeadToHead, float]:
        """The two face to face, and the sign of what speaks for the first.

        Where only one task is asked about, and not all were compared already, only that is.
        """
        a, b = sorted((model, other))
        key: tuple[str, str, float | str | None] = (a, b, None)
        if key not in self.made and task is not None:
            key = (a, b, task)
        if key not in self.made:
            whole = key[2] is None or task is None
            scores = self.scores if whole else self.scores.select(tasks=(str(task),))
            self.made[key] = self._noted(self.contrasts(scores, a, b))
        return self.made[key], 1.0 if self.made[key].a == model else -1.0

    def against(self, model: str, value: float, task: str | None) -> HeadToHead:
        """A model face to face with one that has the same score on every row."""
        key = (model, task or "", value)
        if key not in self.made:
            scores = self.scores if task is None else self.scores.select(tasks=(task,))
            pair, name = _with_constant(scores, model, value)
            self.made[key] = self._noted(self.contrasts(pair, model, name))
        return self.made[key]

    def duels(self, model: str) -> Duels | None:
        """A model against each other one; None where they are looked at one by one."""
        if model not in self.at_once and not self.bets:
            self.at_once[model] = duel_with_all(self.scores, model, self.spec)
        return self.at_once.get(model)

    def _noted(self, duel: HeadToHead) -> HeadToHead:
        self.tell(duel.notes)
        return duel

    def tell(self, notes: Sequence[Note]) -> None:
        """Keep what was said of two models."""
        of_reading = set(self.scores.notes)
        # What is missing was said already, once for all models.
        self.notes |= dict.fromkeys(
            note
            for note in notes
            if note not in of_reading and note.code not in ("rows-in-common", "no-average")
        )

    def places(self, claim: Claim) -> tuple[str | None, ...]:
        """The tasks on which a claim is looked at; None for the average, or the only task."""
        if claim.least is not None:
            return tuple(self.scores.tasks)
        return (claim.task,)

    def contrast(self, duel: HeadToHead, claim: Claim, task: str | None) -> Contrast:
        """The two on a task, or on what is answered first."""
        if task is not None and len(self.scores.tasks) > 1:
            return duel.tasks[task]
        if duel.main is not None:
            return duel.main
        why = next((f" {n.message}" for n in duel.notes if n.code == "no-average"), "")
        raise DataError(
            f"Claim {claim.text!r} is about an average, and there is none.{why} Say on which task "
            "it is meant (on TASK), or on each task."
        )


def weigh_claim(field: ClaimField, claim: Claim) -> Weighed:
    """The comparisons of a claim, and its p-values."""
    scale = scale_of(field.scores, claim)
    size = scale / 100 if claim.in_points else 1.0
    if claim.kind == "better" or claim.kind == "within":
        check_sign(field.scores, claim)
        check_margin(field.scores, claim, claim.margin * size)
        field.tell(note_margin(field.scores, claim, claim.margin * size))
    by_place = []
    for task in field.places(claim):
        if claim.kind == "top":
            by_place.append(_place_of(field, claim, task))
        elif claim.kind == "score":
            by_place.append([_score(field, claim, claim.value * size, task)])
        else:
            by_place.append(
                [_pair(field, claim, other, claim.margin * size, task) for other in claim.others]
            )
    whole = [_combined(claim, parts) for parts in by_place]
    if claim.least:
        plain = all(
            isinstance(evidence, Items) and evidence.design == "items"
            for evidence in field.scores.tasks.values()
        )
        sides = at_least(whole, claim.least, independent=plain)
    else:
        sides = all_hold(whole) if len(whole) > 1 else whole[0]
    words = claim.words(place_words(field, claim, by_place[0][0].contrast.name), scale)
    asked = field.scores.tasks if claim.task is None else (claim.task,)
    about = verdict_about((field.scores.info[name].metric for name in asked), field.scores.notes)
    words += f" ({', '.join(about)})" if about else ""
    return Weighed(claim, words, sides, whole, by_place)


def _combined(claim: Claim, parts: Sequence[Part]) -> TwoSides:
    """All comparisons on one task, or on the average."""
    if claim.kind == "top":
        over = [part.sides.support for part in parts]
        under = [part.sides.refute for part in parts]
        return top_places(over, under, claim.k)
    return all_hold([part.sides for part in parts]) if len(parts) > 1 else parts[0].sides


def _pair(field: ClaimField, claim: Claim, other: str, margin: float, task: str | None) -> Part:
    duel, sign = field.duel(claim.model, other, claim.task)
    one = field.contrast(duel, claim, task)
    if margin != 0.0:
        check_means(claim, one)
    found = Difference(sign * one.difference, one.se, one.df, one.resampled)

    def above(border: float) -> float:
        return _p(field, duel, one, found, border, sign)

    def below(border: float) -> float:
        turned = found._replace(value=-found.value)
        return _p(field, duel, one, turned, -border, -sign)

    if claim.kind == "within":
        sides = TwoSides(
            max(above(-margin), below(margin)), min(1.0, 2 * min(above(margin), below(-margin)))
        )
    else:
        sides = TwoSides(above(-margin), below(-margin))
    means = (math.nan, math.nan)
    if one.unit == "score":
        means = (one.score_a, one.score_b) if sign > 0 else (one.score_b, one.score_a)
    return Part(sides, found, -margin, one, other, task, means=means)


def _place_of(field: ClaimField, claim: Claim, task: str | None) -> list[Part]:
    tasks = field.scores.tasks if task is None else (task,)
    if any(isinstance(field.scores.tasks[name], Votes) for name in tasks):
        raise OptionError(
            f"Claim {claim.text!r}: of votes, those between two models decide about the two, and "
            "not all models met. Claim it of two models; who may be first: rankbars rank."
        )
    others = [name for name in field.scores.models if name != claim.model]
    at_once = field.duels(claim.model)
    on = task if len(field.scores.tasks) > 1 else None
    if at_once is not None and all((other, on) in at_once.duels for other in others):
        parts = []
        for other in others:
            field.tell(at_once.notes[other, claim.task])
            one = at_once.duels[other, on]
            sides = TwoSides(one.p_better, one.p_worse)
            found = Difference(one.difference, one.se, one.df, None)
            means = (one.score_a, one.score_b)
            parts.append(Part(sides, found, 0.0, one, other, task, means=means))
        return parts
    return [_pair(field, claim, other, 0.0, task) for other in others]


def _p(
    field: ClaimField,
    duel: HeadToHead,
    one: Contrast,
    found: Difference,
    border: float,
    sign: float,
) -> float:
    """P-value that the difference, in one direction, is above the border."""
    if field.bets:
        return _bet(field.scores, duel, one, border, sign)
    given = one.p_better if sign > 0 else one.p_worse
    if border == 0.0:
        return 1.0 if math.isnan(given) else given
    if one.p_better == one.p_worse == 1.0 and found.se > 0:
        return 1.0  # there are too few rows to show anything
    if abs(border) >= 1.0 or one.kind == "tasks":
        return p_beyond(found, border)
    # Rows on the other side of zero than the border lies on.
    towards = sign if border < 0 else -sign
    counts = []
    for task in duel.tasks.values() if one is duel.average else (one,):
        evidence = field.scores.tasks[task.name]
        if not independent_items(evidence) or task.n < 2:
            return p_beyond(found, border)
        if is_binary(evidence):
            beyond = float((task.ahead if towards > 0 else task.behind) or 0)
        else:
            seen = _few_differences(evidence, duel)
            if seen is None:
                return p_beyond(found, border)
            beyond = float((seen**2).sum() + towards * seen.sum()) / 2
        counts.append((task.name, beyond, task.n))
    weights = _weights(field.scores, [name for name, _, _ in counts])
    null = null_error(border, [(w, q / n, n) for w, (_, q, n) in zip(weights, counts, strict=True)])
    return p_beyond(found, border, null)


def _bet(scores: Scores, duel: HeadToHead, one: Contrast, border: float, sign: float) -> float:
    """P-value of all rows since the first look, by bets."""
    evidence = None if one is duel.average else scores.tasks[one.name]
    if evidence is None or not independent_items(evidence):
        raise OptionError(
            "E-values judge two models on the items of one task, without clusters or weights. Say "
            "on which task each claim is meant (on TASK), or use --spend halving."
        )
    entry = scores.info[one.name]
    if is_binary(evidence):
        reach = 1.0
    elif entry.minimum is not None and entry.maximum is not None:
        reach = entry.maximum - entry.minimum
    else:
        raise OptionError(
            f"E-values need the limits of the score on {one.name!r}. Declare them (--score-min 0 "
            "--score-max 1; in Python: minimum=0, maximum=1 where results are read), or use "
            "--spend halving (spend='halving')."
        )
    new, old = (evidence.values[:, evidence.models.index(name)] for name in (duel.a, duel.b))
    difference = sign * (new - old)
    return bet_on(difference[~np.isnan(difference)], border, reach)


def _few_differences(items: Items, duel: HeadToHead) -> NDArray[np.float64] | None:
    """Differences of means of 0/1 answers, where so few differ that unseen ones would count."""
    pair = items.values[:, [items.models.index(name) for name in (duel.a, duel.b)]]
    if items.answers is None or not bool(np.all((pair >= 0) & (pair <= 1) | np.isnan(pair))):
        return None
    difference = pair[:, 0] - pair[:, 1]
    difference = difference[~np.isnan(difference)]
    return difference if np.count_nonzero(difference) < _FEW else None


def _weights(scores: Scores, tasks: Sequence[str]) -> list[float]:
    raw = [scores.info[name].weight for name in tasks]
    total = math.fsum(raw)
    return [weight / total for weight in raw] if total > 0 else raw


def _score(field: ClaimField, claim: Claim, value: float, task: str | None) -> Part:
    scores = field.scores
    if field.bets:
        raise OptionError(
            f"Claim {claim.text!r}: e-values judge two models, not a score. Use --spend halving."
        )
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
    check_value(scores, claim, value)
    sign = -1.0 if lower else 1.0
    duel = field.against(claim.model, sign * value, task)
    one = duel.tasks[task] if task is not None else field.contrast(duel, claim, task)
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
    return Part(sides, found, 0.0, one, None, task, offset=value, sign=sign)


def _null_of_score(
    scores: Scores, tasks: Sequence[str], value: float
) -> tuple[float, float] | None:
    """Standard error of a share of right answers that is the value, and its degrees of freedom."""
    counts = []
    for name in tasks:
        evidence = scores.tasks[name]
        if not independent_items(evidence) or evidence.n < 2 or not is_binary(evidence):
            return None
        counts.append((name, evidence.n))
    if not 0 < value < 1:
        return None
    variance = math.fsum(
        weight**2 * value * (1 - value) / rows
        for weight, (_, rows) in zip(_weights(scores, tasks), counts, strict=True)
    )
    return math.sqrt(variance), float(sum(rows - 1 for _, rows in counts))


def _with_constant(scores: Scores, model: str, value: float) -> tuple[Scores, str]:
    """The scores of a model, and one with the same value on every row."""
    name = f"{value:g}" if f"{value:g}" != model else f"score {value:g}"
    alone = scores.select(models=(model,))
    tasks: dict[str, Evidence] = {}
    for task, evidence in alone.tasks.items():
        if isinstance(evidence, Items):
            column = np.where(np.isnan(evidence.values), np.nan, value)
            answers = evidence.crossed
            tasks[task] = replace(
                evidence,
                models=(model, name),
                values=np.hstack([evidence.values, column]),
                runs=None if answers is None else np.dstack([answers, _beside(answers, value)]),
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


def _beside(answers: NDArray[np.float64], value: float) -> NDArray[np.float64]:
    """Answers that are the value wherever there is one."""
    return np.where(np.isnan(answers), np.nan, value)


# What readers call the only task where nothing names it.
_UNNAMED = "all"


def place_words(field: ClaimField, claim: Claim, name: str) -> str:
    """Where a claim is said to hold; `name` is that of the task or average."""
    count = len(field.scores.tasks)
    if claim.least:
        return f"on at least {claim.least} of {claim.of} tasks"
    if claim.task is None and count == 1:
        return "on this task" if name == _UNNAMED else f"on {name}"
    if claim.least == 0:
        return f"on each of {count} tasks"
    if claim.task == _UNNAMED:
        return f"on the task {name!r}"  # not on all tasks
    return f"on {'the ' if claim.task is None and count > 1 else ''}{name}"
