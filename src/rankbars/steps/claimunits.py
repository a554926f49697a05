"""Units of claims: whether a margin has one, how large a point is, and what is too wide."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankbars.data.claim import Claim
from rankbars.data.evidence import Items, Votes
from rankbars.data.headtohead import Contrast
from rankbars.data.rightanswers import is_binary
from rankbars.data.scores import Scores
from rankbars.errors import OptionError

__all__ = ["check_margin", "check_means", "check_value", "in_units", "scale_of"]


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


_NOT_OF_MEANS = ("wilcoxon", "trimmed_t", "signflip", "mcnemar", "mcnemar_midp")


def scale_of(scores: Scores, claim: Claim) -> float:
    """Largest score of a scale that begins at 0; 1 where the claim does not ask for it."""
    if not claim.in_points:
        return 1.0
    names = (claim.task,) if claim.task is not None else tuple(scores.tasks)
    found: set[float | None] = set()
    for name in names:
        entry, evidence = scores.info[name], scores.tasks[name]
        if entry.minimum == 0 and entry.maximum in (1, 100):
            found.add(entry.maximum)
        elif isinstance(evidence, Items) and is_binary(evidence.values):
            found.add(1.0)
        else:
            found.add(None)
    if len(found) == 1 and None not in found:
        return float(found.pop() or 1.0)
    raise OptionError(
        f"Claim {claim.text!r}: a point or a percent is one hundredth of a scale from 0 to 1 or "
        "from 0 to 100, and it is not declared that scores have one. Declare it (--score-min 0 "
        "--score-max 1), or write the margin in units of the score, such as 0.01."
    )


def in_units(scores: Scores, claim: Claim) -> Claim:
    """The claim with its margin and value in units of the score."""
    size = scale_of(scores, claim) / 100 if claim.in_points else 1.0
    margin, value = (float(f"{one * size:.12g}") for one in (claim.margin, claim.value))
    return replace(claim, margin=margin, value=value, in_points=False)


def check_value(scores: Scores, claim: Claim, value: float) -> None:
    """Raises `OptionError` where no score can be the value that is claimed."""
    names = (claim.task,) if claim.task is not None else tuple(scores.tasks)
    for name in names:
        entry, evidence = scores.info[name], scores.tasks[name]
        low, high = entry.minimum, entry.maximum
        if isinstance(evidence, Items) and is_binary(evidence.values):
            low, high = 0.0, 1.0
        if low is None or high is None or entry.direction == "lower" or low <= value <= high:
            continue
        near = next((one for one in (value / 100, value * 100) if low < one <= high), None)
        hint = "" if near is None else f" Did you mean {near:g}?"
        raise OptionError(
            f"Claim {claim.text!r}: scores on {name!r} go from {low:g} to {high:g}, so none is "
            f"{value:g}.{hint}"
        )


def check_margin(scores: Scores, claim: Claim, margin: float) -> None:
    """Raises `OptionError` where a margin is wider than all scores."""
    size = abs(margin)
    if size == 0.0:
        return
    if claim.kind == "within" and margin < 0:
        raise OptionError(f"Claim {claim.text!r}: the margin must be above 0.")
    names = (claim.task,) if claim.task is not None else tuple(scores.tasks)
    for name in names:
        entry, evidence = scores.info[name], scores.tasks[name]
        if isinstance(evidence, Votes):
            continue
        values = evidence.values if isinstance(evidence, Items) else evidence.mean
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        if entry.minimum is not None and entry.maximum is not None:
            low, high = entry.minimum, entry.maximum
        if size >= high - low > 0:
            hint = f" Did you mean {size / 100:g}?" if size / 100 < high - low else ""
            raise OptionError(
                f"Claim {claim.text!r}: a margin of {size:g} is as wide as all scores on {name!r} "
                f"(they span {high - low:g}), so it says nothing.{hint}"
            )
