"""Units of claims: whether a margin has one, how large a point is, and what is too wide."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankbars.data.claim import Claim
from rankbars.data.evidence import Evidence, Items, Votes
from rankbars.data.headtohead import Contrast
from rankbars.data.notes import Note
from rankbars.data.rightanswers import is_binary
from rankbars.data.scores import Scores
from rankbars.data.taskinfo import TaskInfo
from rankbars.errors import OptionError

__all__ = [
    "check_margin", "check_means", "check_sign", "check_value", "in_units", "note_margin",
    "scale_of",
]  # fmt: skip

_FEW_HUNDREDTHS = 0.05  # of a point; smaller margins on percentages are meant as shares
_MOST_AHEAD = 0.2  # of a point; by so little nobody asks a model to be better
_MOST_RATING = 10  # scores above it that end at 100 may be percentages


def check_means(claim: Claim, one: Contrast) -> None:
    """Raises `OptionError` where a difference has no unit in which a margin could be said."""
    if one.kind == "votes":
        raise OptionError(
            f"Claim {claim.text!r}: votes say who is better, not by how much in units of a score. "
            "Claim it without a margin."
        )
    if one.unit == "rank":
        raise OptionError(
            f"Claim {claim.text!r}: these tasks are on different scales and are averaged as ranks, "
            "in which a margin or a score has no unit. Say on which task it is meant: on TASK."
        )
    if one.test in _NOT_OF_MEANS:
        raise OptionError(
            f"Claim {claim.text!r}: a margin or a score is about means, and --test {one.test} is "
            "not. Use --test auto."
        )


def check_sign(scores: Scores, claim: Claim) -> None:
    """Raises `OptionError` where a sign between two models says two things.

    Of the scores, ``new < old + 5`` says that new is hardly worse where lower is better; of which
    is better it says that old is.
    """
    tasks = _tasks_of(claim, scores)
    if not claim.sign or any(scores.info[name].direction != "lower" for name in tasks):
        return
    said = replace(claim, sign="").line
    turned = ""
    if len(claim.others) == 1:  # of the scores it is the other way round
        other = replace(claim, model=claim.others[0], others=(claim.model,))
        turned = f"{other.line!r} (what {claim.sign} says of the scores) or "
    raise OptionError(
        f"Claim {claim.text!r}: lower is better on {tasks[0]!r}, so that {claim.sign} can be read "
        f"of the scores or of which model is better. Say it in words: {turned}{said!r} (what it "
        "says if > means better)."
    )


_NOT_OF_MEANS = ("wilcoxon", "trimmed_t", "signflip", "mcnemar", "mcnemar_midp")


def _tasks_of(claim: Claim, scores: Scores) -> tuple[str, ...]:
    return tuple(scores.tasks) if claim.task is None else (claim.task,)


def scale_of(scores: Scores, claim: Claim) -> float:
    """Largest score of a scale that begins at 0; 1 where the claim does not ask for it."""
    if not claim.in_points:
        return 1.0
    found: set[float | None] = set()
    for name in _tasks_of(claim, scores):
        entry, evidence = scores.info[name], scores.tasks[name]
        if entry.minimum == 0 and entry.maximum in (1, 100):
            found.add(entry.maximum)
        elif isinstance(evidence, Items) and is_binary(evidence):
            found.add(1.0)
        else:
            found.add(None)
    if len(found) == 1 and None not in found:
        return float(found.pop() or 1.0)
    open_ = [name for name in _tasks_of(claim, scores) if not isinstance(scores.tasks[name], Votes)]
    ends = [_ends(scores.tasks[name]) for name in open_]
    size = 0
    if ends and min(low for low, _ in ends) >= 0:
        size = next((one for one in (1, 100) if max(high for _, high in ends) <= one), 0)
    python = f"in Python, where results are read: minimum=0, maximum={size}"
    declare = f"Declare it (--score-min 0 --score-max {size}; {python}), or write"
    declare = declare if size else "Write"
    raise OptionError(
        f"Claim {claim.text!r}: a point or a percent is one hundredth of a scale from 0 to 1 or "
        f"from 0 to 100, and it is not declared that scores have one. {declare} the margin in "
        f"units of the score{f', such as {size / 100:g}' if size else ''}."
    )


def in_units(scores: Scores, claim: Claim) -> Claim:
    """The claim with its margin and value in units of the score."""
    size = scale_of(scores, claim) / 100 if claim.in_points else 1.0
    margin, value = (float(f"{one * size:.12g}") for one in (claim.margin, claim.value))
    return replace(claim, margin=margin, value=value, in_points=False)


def check_value(scores: Scores, claim: Claim, value: float) -> None:
    """Raises `OptionError` where no score can be the value that is claimed."""
    for name in _tasks_of(claim, scores):
        entry, evidence = scores.info[name], scores.tasks[name]
        low, high = entry.minimum, entry.maximum
        if isinstance(evidence, Items) and is_binary(evidence):
            low, high = 0.0, 1.0
        if 0 < value < 1 and not claim.at_most:
            _refuse_share(claim, value, name, scores)
        elif value > _MOST_RATING and low is None and _ends(evidence)[0] >= 0:
            low, high = 0.0, 1.0 if _ends(evidence)[1] <= 1 else None
        if low is None or high is None or entry.direction == "lower" or low <= value <= high:
            continue
        near = next((one for one in (value / 100, value * 100) if low < one <= high), None)
        hint = "" if near is None else f" Did you mean {near:g}?"
        raise OptionError(
            f"Claim {claim.text!r}: scores on {name!r} go from {low:g} to {high:g}, so none is "
            f"{value:g}.{hint}"
        )


def check_margin(scores: Scores, claim: Claim, margin: float) -> None:
    """Raises `OptionError` where a margin is wider than all scores can be apart."""
    size = abs(margin)
    if size == 0.0:
        return
    if claim.kind == "within" and margin < 0:
        raise OptionError(f"Claim {claim.text!r}: the margin must be above 0.")
    for name in _tasks_of(claim, scores):
        if claim.margin < 0 and size <= _MOST_AHEAD:
            _refuse_share(claim, size, name, scores)
        low, high = _reach(scores.info[name], scores.tasks[name], size)
        if size >= high - low > 0:
            hint = f" Did you mean {size / 100:g}?" if size / 100 < high - low else ""
            raise OptionError(
                f"Claim {claim.text!r}: a margin of {size:g} is as wide as all scores on {name!r} "
                f"(they lie from {low:g} to {high:g}), so it says nothing.{hint}"
            )


def note_margin(scores: Scores, claim: Claim, margin: float) -> tuple[Note, ...]:
    """A note where a margin on percentages may be meant as a share."""
    if claim.in_points or claim.of_cost or not 0 < abs(margin) < _FEW_HUNDREDTHS:
        return ()
    for name in _tasks_of(claim, scores):
        high = _percent(scores, name)
        if high is not None:
            text = (
                f"Claim {claim.text!r}: scores on {name!r} go up to {high:g}. If they are "
                f"percentages, a margin of {abs(margin):g} is that part of one point; a point is "
                "a margin of 1."
            )
            return (Note("small-margin", text),)
    return ()


def _refuse_share(claim: Claim, size: float, name: str, scores: Scores) -> None:
    """Raises `OptionError` where so small a part of a percentage would let nearly all pass."""
    high = _percent(scores, name)
    if high is None or claim.in_points or claim.of_cost:
        return
    raise OptionError(
        f"Claim {claim.text!r}: scores on {name!r} go up to {high:g}, and if they are percentages, "
        f"{size:g} is less than one point. Did you mean {100 * size:g}? If not, declare the limits "
        "of these scores (--score-min 0 --score-max HIGH; in Python, where results are read: "
        f"minimum=0, maximum=HIGH), and on a scale from 0 to 100 write {size:g}%."
    )


def _percent(scores: Scores, name: str) -> float | None:
    """The greatest score on a task whose scores look like percentages; else None."""
    entry, evidence = scores.info[name], scores.tasks[name]
    if isinstance(evidence, Votes) or entry.direction == "lower":
        return None
    low, high = _ends(evidence)
    looks = low >= 0 and _MOST_RATING < high <= 100 and entry.maximum in (None, 100)
    return high if looks else None


def _ends(evidence: Evidence) -> tuple[float, float]:
    """The least and the greatest score; of votes none."""
    if isinstance(evidence, Votes):
        return np.nan, np.nan
    values = evidence.values if isinstance(evidence, Items) else evidence.mean
    return float(np.nanmin(values)), float(np.nanmax(values))


def _reach(entry: TaskInfo, evidence: Evidence, size: float) -> tuple[float, float]:
    """Between which limits scores lie, as far as that is known; else 0 and 0.

    Published scores of two models are near each other on any scale, and rows may be alike far from
    0: only a margin that is larger than every score, too, is held against the span of rows.
    """
    if entry.minimum is not None and entry.maximum is not None:
        return entry.minimum, entry.maximum
    low, high = _ends(evidence)
    if low >= 0 and high <= 1 and entry.direction != "lower":
        return 0.0, 1.0
    if isinstance(evidence, Items) and size >= max(-low, high):
        return low, high
    return 0.0, 0.0
