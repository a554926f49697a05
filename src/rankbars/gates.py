"""Gates before they decide: what they can show, and how often they alarm where nothing changed."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from rankbars.checking import check, settle_gaps, settle_tasks
from rankbars.data.claim import Claim
from rankbars.data.evidence import Items
from rankbars.data.headtohead import Contrast
from rankbars.data.outlook import FalseAlarms, Outlook, Preflight
from rankbars.data.rightanswers import is_binary
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec
from rankbars.errors import DataError, OptionError, UnknownOptionError
from rankbars.intake import refuse_stopped, take_scores
from rankbars.readers.claimfiles import claim_lines
from rankbars.stats.binomial import share_test
from rankbars.stats.multiplicity.claimtests import chance_if_equal
from rankbars.stats.samplesize import sample_size
from rankbars.stats.tails import critical_value
from rankbars.steps.claimparts import ClaimField, place_words
from rankbars.steps.claimunits import check_margin, check_sign, note_margin, scale_of
from rankbars.steps.duels import contrast_models
from rankbars.steps.pooling import leave_out_items

if TYPE_CHECKING:
    from rankbars.intake import Results

__all__ = ["false_alarms", "preflight"]

_POWER = 0.8
_POINTS = (1.0, 3.0, 5.0)
_MOST_PAIRS = 20


def preflight(
    scores: Results,
    claims: str | Sequence[str] | os.PathLike[str],
    *,
    guards: Sequence[str] = (),
    alpha: float | None = None,
    together: bool | None = None,
    anchor: str | None = None,
    test: str = "auto",
    missing: str | None = None,
    missing_tasks: str | None = None,
    missing_items: str | None = None,
    seed: int = 0,
) -> Preflight:
    """What a gate can show, before the results are there that it will decide about.

    Parameters
    ----------
    scores : Scores, path, or data frame
        Earlier results: as many rows as the gate will have, and models such as it will compare.
        Where a claim names two models that are there, their spread is used, else the median of
        pairs of models that are neighbours by their score.
    claims, guards
        As for `rankbars.check`. Names of models need not be there; those of tasks must.
    alpha, together, anchor, test, missing, missing_tasks, missing_items, seed
        As for `rankbars.check`. Of the models that are claimed about, if all are there, else of
        all models.

    Returns
    -------
    Preflight
        For each claim about two models, on the average or on tasks, how often it would be supported
        and refuted.

    Raises
    ------
    OptionError
        If a line is no claim, or a margin has no unit.
    DataError
        If there are fewer than two models, no task has an item that the file lists as flaky, or
        a score is missing and `missing` is ``"raise"``.

    Notes
    -----
    With the standard error s of the difference, taken as known and normal, and z of the level of
    Holm's first step, a margin d is kept by equal models with probability ``Phi(d/s - z)``, and a
    true loss l beyond it is refuted with ``Phi((l - d)/s - z)``. Other claims of the file may be
    decided first, which only makes levels larger.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rows = np.random.default_rng(1).random((120, 3)) < [0.6, 0.6, 0.5]
    >>> scores = rb.Scores.from_arrays({"math": rows}, ["v1", "v2", "v3"])
    >>> found = preflight(scores, "new >= old - 1 point")
    >>> found.outlooks[0].works, found.outlooks[0].if_equal < 0.1
    (False, True)
    """
    asked = claim_lines(claims, guards, alpha=alpha, together=together, anchor=anchor)
    taken = take_scores("preflight", scores)
    file = asked.file
    flaky = () if file is None else file.flaky
    if flaky:
        taken = leave_out_items(taken, flaky)
    about = [claim for claim in asked.parsed if not claim.of_cost]
    named = {name for claim in about for name in (claim.model, *claim.others)}
    whole = all(claim.others for claim in about) and named <= set(taken.models)
    if whole and 1 < len(named) < len(taken.models):
        taken = taken.select(models=[name for name in taken.models if name in named])
    missing = missing or (file and file.missing) or "raise"
    missing_tasks = missing_tasks or (file and file.missing_tasks)
    missing_items = missing_items or (file and file.missing_items)
    if missing_tasks is not None or missing_items is not None:
        taken = settle_tasks(taken, about, missing_tasks or "insert")
    refuse_stopped(taken)
    taken = settle_gaps(taken, taken.models, missing, missing_tasks, missing_items, test)
    if len(taken.models) < 2:
        raise DataError(
            f"There is one model in these results, {taken.models[0]!r}; a spread of differences "
            "takes two. Add earlier results of another."
        )
    level = asked.alpha / 2 / (len(asked.parsed) if asked.together else 1)

    def contrasts(pair: Scores, a: str, b: str) -> object:
        return contrast_models(pair, a, b, test=test, alpha=asked.alpha, seed=seed)

    field = ClaimField(taken, Spec(test=test, alpha=asked.alpha), contrasts)  # type: ignore[arg-type]
    found, left_out = [], []
    for line, claim in zip(asked.lines, asked.parsed, strict=True):
        if claim.kind not in ("better", "within") or claim.of_cost or claim.least:
            left_out.append(claim.text)
            continue
        if claim.task is not None and claim.task not in taken.tasks:
            what = f"task in the claim {claim.text!r}:"
            raise UnknownOptionError.among(what, claim.task, tuple(taken.tasks))
        found.append(replace(_outlook(field, claim, level), role=line.role))
    if not found:
        raise OptionError(
            f"None of the claims is about two models and their scores, such as {left_out[0]!r}; "
            "only such are looked at before a gate is run."
        )
    settled = ("flaky-items", "missing") if flaky else ("missing",)
    listed = [note for note in taken.notes if note.code in settled]
    notes = (*listed, *field.notes)
    return Preflight(tuple(found), asked.alpha, level, tuple(left_out), notes)


def _outlook(field: ClaimField, claim: Claim, level: float) -> Outlook:
    scale = scale_of(field.scores, claim)
    margin = claim.margin * (scale / 100 if claim.in_points else 1.0)
    check_sign(field.scores, claim)
    check_margin(field.scores, claim, margin)
    field.tell(note_margin(field.scores, claim, margin))
    parts = [
        (task, [found for found in _spreads(field, claim, task) if found.n])
        for task in field.places(claim)
    ]
    task, seen = max(parts, key=lambda part: _middle(part[1]))
    # A claim is refuted by any of its parts, and one of equality on either side.
    count = len(parts) * len(claim.others) * (2 if claim.kind == "within" else 1)
    words = claim.words(place_words(field, claim, seen[0].name if seen else ""), scale)
    widest = task if len(parts) > 1 else None
    there = field.scores.models
    absent = tuple(name for name in (claim.model, *claim.others) if name not in there)
    outlook = Outlook(claim, words, "must", widest=widest, pairs=len(seen), absent=absent)
    if not seen:
        why = "no two models of these results have rows in common"
        return replace(outlook, impossible=why)
    first, s = seen[0], _middle(seen)
    never = _impossible(field.scores, task, first, level)
    outlook = replace(outlook, n=first.n, kind=first.kind, impossible=never)
    if not (s > 0 and math.isfinite(s)):
        why = "the differences of these results do not vary, so no spread is known"
        return replace(outlook, impossible=never or why)
    errors = [one.se for one in seen if one.se > 0]
    refute = level / count
    z, z_refute = critical_value(level, first.df), critical_value(refute, first.df)
    power = critical_value(1 - _POWER, math.inf)
    fires = tuple(
        (points, loss, chance_if_equal(loss - margin, s, refute))
        for points, loss in _losses(field.scores, claim)
    )
    equal = chance_if_equal(margin, s, level) if margin > 0 else None
    if claim.kind == "within" and equal is not None:
        equal = max(0.0, 2 * equal - 1)
    return replace(
        outlook,
        se=s,
        least=min(errors),
        most=max(errors),
        if_equal=equal,
        fires=fires,
        fires_at=margin + s * float(z_refute + power),
        margin=s * float(z + power),
        needed=_rows_for(margin, s, first, level),
    )


def _rows_for(margin: float, se: float, one: Contrast, level: float) -> float | None:
    """Rows with which equal models keep a margin with a probability of .8."""
    if margin <= 0 or one.n == 0:
        return None
    freedom = (one.df + 1) / one.n
    rows = sample_size(margin, se * math.sqrt(one.n), level, _POWER, freedom)
    return rows if math.isfinite(rows) else None


def _spreads(field: ClaimField, claim: Claim, task: str | None) -> list[Contrast]:
    """The comparisons whose spread stands for that of the claim."""
    models = field.scores.models
    pairs = [(claim.model, other) for other in claim.others]
    if not all(name in models for pair in pairs for name in pair):
        pairs = _neighbours(field.scores, task)
    return [field.contrast(field.duel(*pair)[0], claim, task) for pair in pairs]


def _neighbours(scores: Scores, task: str | None) -> list[tuple[str, str]]:
    """Pairs of models that follow each other by their mean score, no more than some."""
    means = dict.fromkeys(scores.models, 0.0)
    for name in scores.tasks if task is None else (task,):
        evidence = scores.tasks[name]
        if not isinstance(evidence, Items):
            raise DataError(f"Task {name!r} has no rows of scores, so its spread is not known.")
        with np.errstate(invalid="ignore"):
            of_task = np.nanmean(evidence.values, axis=0)
        for model, mean in zip(evidence.models, of_task, strict=True):
            means[model] += float(mean)
    ordered = sorted((mean, model) for model, mean in means.items() if not math.isnan(mean))
    pairs = [(a, b) for (_, a), (_, b) in itertools.pairwise(ordered)]
    return pairs[:: math.ceil(len(pairs) / _MOST_PAIRS)] if pairs else pairs


def _middle(seen: Sequence[Contrast]) -> float:
    errors = [one.se for one in seen if one.se > 0]
    return median(errors) if errors else 0.0


def _losses(scores: Scores, claim: Claim) -> list[tuple[float, float]]:
    """True losses to speak of: some points, where the scale has any; else twice the margin."""
    try:
        scale = scale_of(scores, replace(claim, in_points=True))
    except OptionError:
        return [(0.0, 2 * claim.margin)] if claim.margin > 0 else []
    return [(points, points * scale / 100) for points in _POINTS]


def _impossible(scores: Scores, task: str | None, one: Contrast, level: float) -> str:
    if one.p_better == one.p_worse == 1.0 and one.se > 0:
        return f"with {one.n} rows such scores show nothing"
    name = task if task is not None else next(iter(scores.tasks))
    evidence = scores.tasks[name]
    binary = isinstance(evidence, Items) and is_binary(evidence)
    if binary and one.kind == "items" and 2.0**-one.n > level:
        return f"{one.n} answers of 0 and 1 cannot reach the level of {level:.2g}"
    return ""


def false_alarms(
    runs: Mapping[str, Results] | Sequence[Results],
    claims: str | Sequence[str] | os.PathLike[str],
    *,
    guards: Sequence[str] = (),
    fail_on: str = "undecided",
    alpha: float | None = None,
    test: str = "auto",
    seed: int = 0,
) -> FalseAlarms:
    """How often a gate alarms where nothing changed: runs of one system against each other.

    Parameters
    ----------
    runs : sequence or mapping of Scores, paths or data frames
        Repeated runs of one and the same system, each of one model on the same items.
    claims, guards
        As for `rankbars.check`, about one model and one other: each run takes the place of the
        first, each other run that of the second.
    fail_on, alpha, test, seed
        As for `rankbars.check` and `Check.exit_code`.

    Returns
    -------
    FalseAlarms
        Shares for each run as the baseline, and a bound.

    Raises
    ------
    DataError
        If there are fewer than three runs, or a run holds several models.
    OptionError
        If claims are about several pairs of models.

    Notes
    -----
    Pairs share runs, so that the bound counts only pairs that share none. A false verdict is a
    refuted claim that equal models keep, or a supported one that they do not.
    """
    asked = claim_lines(claims, guards, alpha=alpha, anchor="")
    pairs = {(claim.model, claim.others) for claim in asked.parsed}
    if len(pairs) != 1 or len(next(iter(pairs))[1]) != 1 or asked.parsed[0].kind == "top":
        raise OptionError(
            "Runs of one system are held against each other by claims about one model and one "
            "other, such as new >= old - 0.01. These are about several, or about one alone."
        )
    ((new, (old,)),) = pairs
    if not isinstance(runs, (Mapping, list, tuple)):
        raise OptionError.out_of_range("runs", runs, "results of several runs, in a list")
    taken = _one_model(list(runs.values()) if isinstance(runs, Mapping) else list(runs))
    count = len(taken)
    if count < 3:
        raise DataError(f"Runs of one system: {count}; at least 3 are needed, better 10.")
    alarms, red = np.zeros((count, count), bool), np.zeros((count, count), bool)
    true = [claim.margin > 0 or not claim.strict for claim in asked.parsed]
    for baseline in range(count):
        for run in range(count):
            if run == baseline:
                continue
            pair = _beside(taken[run], taken[baseline], new, old)
            made = check(pair, claims, guards=guards, alpha=alpha, anchor="", test=test, seed=seed)
            wrong = ["refuted" if kept else "supported" for kept in true]
            alarms[baseline, run] = any(
                one.verdict == bad for one, bad in zip(made.claims, wrong, strict=True)
            )
            red[baseline, run] = bool(made.failing(fail_on))
    apart = [bool(alarms[k, k + 1]) for k in range(0, count - 1, 2)]
    bound = share_test(sum(apart), len(apart) - sum(apart), 0.1).high
    return FalseAlarms(
        runs=count,
        claims=tuple(claim.text for claim in asked.parsed),
        alarms=tuple((alarms.sum(axis=1) / (count - 1)).tolist()),
        red=tuple((red.sum(axis=1) / (count - 1)).tolist()),
        apart=sum(apart),
        among=len(apart),
        bound=bound,
        alpha=asked.alpha,
    )


def _one_model(runs: Sequence[Results]) -> list[Scores]:
    taken = []
    for number, given in enumerate(runs, 1):
        scores = take_scores("false_alarms", given)
        if len(scores.models) > 1:
            raise DataError(
                f"Run {number} holds {len(scores.models)} models ({', '.join(scores.models[:3])}); "
                "a run is of one system. Keep one of them in a file of its own."
            )
        taken.append(scores)
    return taken


def _beside(one: Scores, other: Scores, new: str, old: str) -> Scores:
    """Two runs as two models on the items of both."""
    named = (one.rename(models={one.models[0]: new}), other.rename(models={other.models[0]: old}))
    return named[0] | named[1]
