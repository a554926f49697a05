"""What is averaged: the population, the scale and the weights; decided by the input's structure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_mapping, check_name, check_number, finite_weights
from rankbars.data.aggregate import Over
from rankbars.data.evidence import Estimates, Evidence, Folds, Items, Votes
from rankbars.data.notes import Note, list_names, list_words
from rankbars.data.priors import PriorChoice, prior_kind
from rankbars.data.rightanswers import is_share
from rankbars.data.scores import Scores
from rankbars.data.spec import OVERS, Spec
from rankbars.data.storedtasks import known_outline, models_of
from rankbars.data.taskinfo import Direction
from rankbars.errors import DataError, OptionError
from rankbars.stats.averaging.points import Limits
from rankbars.stats.orders import MOST_IN_KEMENY
from rankbars.steps.average import itemaverages
from rankbars.steps.average.averagemethods import take_method
from rankbars.steps.average.bayesaverages import HierarchicalAverage
from rankbars.steps.average.bridgedaverages import BRIDGING, BoundedAverage, BridgedAverage
from rankbars.steps.average.commonscale import CommonScale, find_common_scale
from rankbars.steps.average.joinedtasks import find_joined
from rankbars.steps.average.plan import (
    BAYESIAN,
    FROM_ROWS,
    AveragePlan,
    StartAverage,
)
from rankbars.steps.average.scales import fixed_limits
from rankbars.steps.average.taskaverages import TaskAverage, TwoLevelAverage
from rankbars.steps.testrows import declared_ends
from rankbars.steps.validity import check_method

__all__ = ["ESTIMATORS", "plan_average"]

ESTIMATORS: dict[str, dict[Over, StartAverage]] = {
    "analytic": {"items": itemaverages.start_analytic},
    "t": {"tasks": TaskAverage, "families": TaskAverage},
    "bootstrap": {
        "items": itemaverages.start_bootstrap,
        "tasks": TaskAverage,
        "families": TaskAverage,
    },
    "bootstrap_t": {"tasks": TaskAverage, "families": TaskAverage},
    "additive": {"tasks": BridgedAverage},
    "common": {"tasks": BridgedAverage},
    "bounded": {"tasks": BoundedAverage},
    "two_level": {"tasks": TwoLevelAverage},
    "bayes": {"items": HierarchicalAverage, "tasks": HierarchicalAverage},
    "bayes_predictive": {"items": HierarchicalAverage, "tasks": HierarchicalAverage},
}
"""What starts each estimator, for each of the averages that it is for."""


def plan_average(
    scores: Scores,
    spec: Spec,
    *,
    weights: Mapping[str, float] | None = None,
    limits: Mapping[str, tuple[float, float]] | None = None,
    prior: PriorChoice | Mapping[str, PriorChoice] | None = None,
) -> AveragePlan:
    """What can and should be averaged, decided by the structure of the input alone.

    Parameters
    ----------
    scores : Scores
        What is averaged.
    spec : Spec
        The options of the average: `over`, `estimator`, `method`, `normalise`, `prior`,
        `correction`, `scope`, `alpha`, `seed` and `resamples`.
    weights, limits, prior
        In place of the declared weights and limits of the tasks, and of the prior of `spec`.

    Raises
    ------
    UnknownOptionError
        If a name is not known.
    OptionError
        If options do not fit each other or the scores, or a weight is out of range.
    DataError
        If there are fewer than two tasks (or families) with weight.
    """
    normalise = spec.normalise
    _check_names(spec)
    shares = _shares(scores, weights)
    if len(shares) < 2:
        raise DataError(f"An average needs at least two tasks with weight; found {len(shares)}.")
    fixed = fixed_limits(scores, shares, normalise, limits)
    chosen = _choose_method(scores, shares, spec)
    over = _choose_over(scores, shares, spec, chosen)
    estimator = _choose_estimator(scores, shares, spec.estimator, over, chosen.name)
    if (estimator, over, chosen.name) == ("t", "tasks", "mean") and _can_bound(
        scores, shares, spec
    ):
        estimator = "bounded"
    if over not in ESTIMATORS[estimator]:
        known = " or ".join(repr(one) for one in ESTIMATORS[estimator])
        grouped = over == "families" and spec.over != "families"
        why = (
            "groups of tasks count as one here, and are what is averaged. --groups none "
            "(scores.group_tasks({})) counts all tasks the same."
            if grouped
            else f"got over={over!r}."
        )
        raise OptionError(f"Estimator {estimator!r} is for over={known}; {why}")
    if chosen.name == "kemeny":
        _check_kemeny(over, _shared_models(scores, shares))
    if chosen.name == "elo" and estimator != "t":
        raise OptionError(
            "Elo ratings are of the tasks that each two models meet on, by the estimator t: use "
            "--aggregate tasks::elo (method='elo', over='tasks'), or families::elo. For ratings "
            "from votes rank the votes."
        )
    prior = spec.prior if prior is None else prior
    _check_prior(prior, estimator)
    if normalise == "minmax_draws" and (estimator, over) != ("bootstrap", "items"):
        raise OptionError(
            "Normalisation 'minmax_draws' takes its limits from draws of resampled items. Use "
            "over='items' and estimator='bootstrap', or normalise='bounds'."
        )
    categories = _categories(scores, shares, chosen.name)
    joins = over == "items" and estimator in ("analytic", "bootstrap")
    joins = joins and normalise != "minmax_draws" and take_method(chosen.name).linear is not None
    linked = find_joined(scores, shares, spec) if joins or categories else {}
    plan = AveragePlan(
        models=scores.models,
        shared=scores.models if estimator in BRIDGING else _shared_models(scores, shares),
        over=over,
        estimator=estimator,
        method=chosen.name,
        direction=_direction(scores, shares, chosen.name, normalise),
        weights=shares,
        normalise=None if normalise == "rank" else normalise,
        limits={**chosen.limits, **fixed},
        families=_families(scores, shares) if over == "families" else {},
        categories=categories,
        baseline=spec.baseline,
        joined=linked if joins else {},
        linked=linked if categories else {},
        notes=(*chosen.notes, *(_weightless(scores, shares) if weights is None else ())),
        prior=prior,
        correction=spec.correction,
        insisted=spec.test != "auto",
        scope=spec.scope,
        alpha=spec.alpha,
        seed=spec.seed,
        resamples=spec.resamples,
    )
    if plan.design is not None:
        check_method("contrasts", spec.correction, spec.scope, plan.design)
    return plan


def _check_kemeny(over: Over, shared: tuple[str, ...]) -> None:
    if over != "items":
        raise OptionError(
            "Kemeny's order is one of exactly these tasks, and knows no population of tasks: use "
            "--aggregate items::kemeny. Scores without errors or numbers of items have no draws: "
            "use tasks::average_rank."
        )
    if len(shared) > MOST_IN_KEMENY:
        raise OptionError(
            f"Kemeny's order is found exactly for up to {MOST_IN_KEMENY} models; there are "
            f"{len(shared)}. Choose some (--models), or use average_rank or borda."
        )


def _check_prior(prior: PriorChoice | Mapping[str, PriorChoice], estimator: str) -> None:
    prior_kind(prior)  # names are checked before the long work, not after it
    if estimator not in BAYESIAN and not (isinstance(prior, str) and prior == "auto"):
        raise OptionError(
            f"A prior belongs to the estimators {' and '.join(BAYESIAN)}; the estimator here is "
            f"{estimator!r}. Use estimator='bayes' (--aggregate items:bayes)."
        )


def _can_bound(scores: Scores, shares: Mapping[str, float], spec: Spec) -> bool:
    """Whether gaps are to count as the limits of their tasks, and these are declared."""
    asked = "bounds" in (spec.missing_tasks, spec.missing_items) and spec.estimator == "auto"
    even = np.ptp(list(shares.values())) <= 1e-9 and spec.normalise in (None, "bounds", "chance")
    if not (asked and even):
        return False
    everybody = set(scores.models)
    lacking = [task for task in shares if _seen_models(scores, task) != everybody]
    ends = [end for task in lacking for end in declared_ends(scores.info[task])]
    return bool(lacking) and bool(np.isfinite(ends).all())


class _Chosen(NamedTuple):
    name: str
    fallback: bool  # ranks because the tasks have no scale in common
    limits: Mapping[str, Limits] = MappingProxyType({})  # of tasks in percent beside shares
    notes: tuple[Note, ...] = ()


def _check_names(spec: Spec) -> None:
    check_name("average (over)", spec.over, tuple(name for name in OVERS if name != "none"))
    check_name("estimator", spec.estimator, ("auto", *ESTIMATORS))
    if spec.method != "auto":
        take_method(spec.method)
    if (spec.method == "skill" and spec.baseline is None) or (
        spec.baseline is not None and spec.method not in ("auto", "skill")
    ):
        raise OptionError(
            "A skill score is measured against a baseline, and a baseline is for skill scores: "
            f"got method={spec.method!r} and baseline={spec.baseline!r}. Use --baseline NAME with "
            "the method auto or skill."
        )


def _shares(scores: Scores, weights: Mapping[str, float] | None) -> dict[str, float]:
    if weights is None:
        raw = {name: scores.info[name].weight for name in scores.tasks}
    else:
        raw = dict.fromkeys(scores.tasks, 0.0)
        for name, value in check_mapping("weights", weights, "task to weight").items():
            check_name("task in the weights", name, tuple(scores.tasks))
            raw[name] = check_number(f"weight of task {name!r}", value, 0.0)
    values = finite_weights(list(raw.values()))
    total = sum(values)
    if total == 0:
        raise OptionError("All weights of tasks are zero; at least one must be above 0.")
    shares = {name: value / total for name, value in zip(raw, values, strict=True)}
    return {name: share for name, share in shares.items() if share > 0}


def _weightless(scores: Scores, shares: Mapping[str, float]) -> tuple[Note, ...]:
    """A note on tasks that a weight of 0 keeps out of the average."""
    idle = [repr(name) for name in scores.tasks if name not in shares]
    if not idle:
        return ()
    has = f"{len(idle)} tasks have" if len(idle) > 1 else "1 task has"
    text = f"{has} weight 0 and no part in the average: {list_words(idle, _MOST_IDLE)}."
    return (Note("weightless", text),)


_MOST_IDLE = 6


def _choose_method(scores: Scores, shares: Mapping[str, float], spec: Spec) -> _Chosen:
    method, normalise = spec.method, spec.normalise
    if spec.baseline is not None:
        return _choose_skill(scores, shares, spec)
    if normalise == "rank":
        if method not in ("auto", "mean", "average_rank"):
            raise OptionError(f"Ranks within tasks are averaged; got method={method!r}.")
        return _Chosen("average_rank", False)
    if normalise is not None:
        return _Chosen("mean" if method == "auto" else method, False)
    scale = find_common_scale(scores, shares)
    if method == "auto":
        anyway = spec.average_anyway and not scale.scores
        if anyway:
            _refuse_directions(scores, shares)
        return _fitting("mean" if scale.scores or anyway else "average_rank", scale, anyway=anyway)
    linear = take_method(method).linear
    fits = scale.scores or (linear == "log ratio" and scale.ratios)
    if linear is None or fits:
        return _fitting(method, scale if linear == "difference" else _NO_SCALE)
    if spec.average_anyway:
        _refuse_directions(scores, shares)
        return _fitting(method, scale, anyway=True)
    raise OptionError(
        "These tasks are measured in different ways (metric, direction or unit), so their "
        f"scores cannot be averaged by the method {method!r}. Use average_rank, bring them "
        "to one scale (--normalise), or average them as they are (--average-anyway)."
    )


_NO_SCALE = CommonScale(True, True, MappingProxyType({}))


def _fitting(method: str, scale: CommonScale, *, anyway: bool = False) -> _Chosen:
    note = scale.note(anyway=anyway)
    ranks = method == "average_rank" and not scale.scores
    return _Chosen(method, ranks, scale.limits, () if note is None else (note,))


def _choose_skill(scores: Scores, shares: Mapping[str, float], spec: Spec) -> _Chosen:
    name = str(spec.baseline)
    check_name("baseline model", name, scores.models)
    if spec.normalise is not None:
        raise OptionError(
            "Skill scores are ratios of losses to those of the baseline, which need no other "
            f"scale; leave --normalise {spec.normalise} out."
        )
    if spec.estimator in BAYESIAN:
        raise OptionError(
            f"Estimator {spec.estimator!r} knows no skill scores. Use t, analytic or bootstrap."
        )
    higher = [task for task in shares if scores.info[task].direction == "higher"]
    if higher:
        raise OptionError(
            "A skill score is one minus a ratio of losses, of which less is better; on "
            f"{higher[0]!r} and {len(higher) - 1} more tasks higher is better. Declare the "
            "direction (--direction lower), or use another average."
            if len(higher) > 1
            else "A skill score is one minus a ratio of losses, of which less is better; on "
            f"{higher[0]!r} higher is better. Declare the direction (--direction "
            f"{higher[0]}=lower), or use another average."
        )
    lacking = [task for task in shares if name not in _seen_models(scores, task)]
    if lacking:
        raise DataError(
            f"The baseline {name!r} has no score on {lacking[0]!r}"
            f"{f' and {len(lacking) - 1} more tasks' if len(lacking) > 1 else ''}, so nothing can "
            "be measured against it there. Use another baseline, or leave out those tasks."
        )
    return _Chosen("skill", False)


def _refuse_directions(scores: Scores, shares: Mapping[str, float]) -> None:
    sides = {scores.info[name].direction: name for name in shares}
    if len(sides) > 1:
        raise OptionError(
            f"On task {sides['higher']!r} higher is better and on {sides['lower']!r} lower is, so "
            "their average means nothing: --average-anyway cannot be used. Average ranks, or "
            "bring them to one scale (--normalise)."
        )


def _choose_over(scores: Scores, shares: Mapping[str, float], spec: Spec, chosen: _Chosen) -> Over:
    counts = spec.estimator in FROM_ROWS
    sure = all(_has_error(scores, name, counts=counts) for name in shares)
    fits = ("items", "tasks") if spec.estimator == "auto" else tuple(ESTIMATORS[spec.estimator])
    wanted = spec.over
    if wanted == "auto":
        able = sure and not chosen.fallback and take_method(chosen.name).rows is None
        items = "items" in fits and (len(fits) == 1 or able)
        wanted = "items" if items else "tasks"
    if wanted == "items":
        _refuse_items(chosen, sure)
        return "items"
    # Groups are the sample: tasks of one group are no draws of their own.
    grouped = any(scores.info[name].grouped for name in shares)
    return "families" if wanted == "families" or grouped else "tasks"


def _choose_estimator(
    scores: Scores, shares: Mapping[str, float], estimator: str, over: Over, method: str
) -> str:
    if estimator != "auto":
        return estimator
    if over != "items":
        return "t"
    if take_method(method).linear is not None:
        return "analytic"
    can = all(_can_resample(scores.tasks[name]) for name in shares)
    return "bootstrap" if can else "analytic"


def _direction(
    scores: Scores, shares: Mapping[str, float], method: str, normalise: str | None
) -> Direction:
    if take_method(method).unit == "rank":
        return "lower"
    if method == "skill":
        return "higher"
    lower = {scores.info[name].direction for name in shares} == {"lower"}
    shown_raw = take_method(method).linear is not None and normalise is None
    return "lower" if lower and shown_raw else "higher"


def _has_error(scores: Scores, name: str, *, counts: bool) -> bool:
    outline = known_outline(scores.tasks, name)
    if outline is not None:
        return outline.rows >= 2
    evidence = scores.tasks[name]
    if isinstance(evidence, Items):
        return evidence.n >= 2
    if isinstance(evidence, Votes):
        return True
    return evidence.has_uncertainty or (counts and is_share(evidence))


def _can_resample(evidence: Evidence) -> bool:
    return (
        isinstance(evidence, Items)
        and not isinstance(evidence.design, Folds)
        and not np.isnan(evidence.values[:, _seen(evidence)]).any()
    )


def _seen(evidence: Evidence) -> NDArray[np.bool_]:
    """Which models of the evidence have any."""
    if isinstance(evidence, Votes):
        return np.ones(len(evidence.models), dtype=np.bool_)
    if isinstance(evidence, Estimates):
        return np.asarray(~np.isnan(evidence.mean))
    return np.asarray(~np.isnan(evidence.values).all(axis=0))


def _shared_models(scores: Scores, shares: Mapping[str, float]) -> tuple[str, ...]:
    """Models with some score on every task that has weight."""
    shared = set(scores.models)
    for name in shares:
        shared &= _seen_models(scores, name)
    return tuple(sorted(shared))


def _seen_models(scores: Scores, task: str) -> set[str]:
    """Models with some score on a task."""
    outline = known_outline(scores.tasks, task)
    seen = _seen(scores.tasks[task]) if outline is None else outline.missing < outline.rows
    return {model for i, model in enumerate(models_of(scores.tasks, task)) if seen[i]}


def _categories(scores: Scores, shares: Mapping[str, float], method: str) -> dict[str, str]:
    """Category of each task, where the means of categories can be weighed against each other.

    Methods that rank or multiply have no means to weigh.
    """
    if take_method(method).linear != "difference":
        return {}
    found = {name: scores.info[name].category for name in shares}
    known = {name: category for name, category in found.items() if category is not None}
    several = len(set(known.values())) > 1
    return known if several and len(known) == len(found) else {}


def _families(scores: Scores, shares: Mapping[str, float]) -> dict[str, str]:
    found, lacking = {}, []
    for name in shares:
        family = scores.info[name].family
        if family is None:
            lacking.append(name)
        else:
            found[name] = family
    if lacking:
        shown = list_names(lacking, 3) + " tasks" * (len(lacking) > 3)
        raise OptionError(
            f"The average over families needs the family of every task; not known for {shown}. "
            "Give them with --families FILE, or use --aggregate tasks."
        )
    if len(set(found.values())) < 2:
        raise DataError("The average over families needs at least two families; found one.")
    return found


def _refuse_items(chosen: _Chosen, sure: bool) -> None:
    if chosen.fallback:
        raise OptionError(
            "These tasks are measured in different ways (metric, direction or unit), so their "
            'scores cannot be averaged. Use over="tasks" (--aggregate tasks): it averages ranks '
            "within tasks."
        )
    if not sure:
        raise OptionError(
            "Some tasks have one score per model without an error, so nothing is known about the "
            'average over exactly these tasks. Use over="tasks" (--aggregate tasks).'
        )
