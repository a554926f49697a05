"""What is averaged: the population, the scale and the weights; decided by the input's structure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.aggregate import Over
from rankbars.data.checks import check_mapping, check_name, check_number, finite_weights
from rankbars.data.evidence import Estimates, Evidence, Folds, Items, Votes
from rankbars.data.priors import PriorChoice, prior_kind
from rankbars.data.rightanswers import is_share
from rankbars.data.scores import Direction, Scores
from rankbars.data.spec import OVERS, Spec
from rankbars.data.storedtasks import known_outline, models_of
from rankbars.errors import DataError, OptionError
from rankbars.steps.average import bayesaverages, itemaverages, taskaverages
from rankbars.steps.average.plan import (
    BAYESIAN,
    FROM_ROWS,
    METHODS,
    AveragePlan,
    StartAverage,
    take_method,
)
from rankbars.steps.average.scales import fixed_limits
from rankbars.steps.validity import check_method
from rankbars.tables.metrics import depends_on_scale

__all__ = ["ESTIMATORS", "plan_average"]

ESTIMATORS: dict[str, dict[Over, StartAverage]] = {
    "analytic": {"items": itemaverages.start_analytic},
    "t": {"tasks": taskaverages.start_t, "families": taskaverages.start_t},
    "bootstrap": {
        "items": itemaverages.start_bootstrap,
        "tasks": taskaverages.start_bootstrap,
        "families": taskaverages.start_bootstrap,
    },
    "bootstrap_t": {
        "tasks": taskaverages.start_bootstrap_t,
        "families": taskaverages.start_bootstrap_t,
    },
    "two_level": {"tasks": taskaverages.start_two_level},
    "bayes": {"items": bayesaverages.start_posterior, "tasks": bayesaverages.start_posterior},
    "bayes_predictive": {
        "items": bayesaverages.start_predictive,
        "tasks": bayesaverages.start_predictive,
    },
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
    chosen = _choose_method(scores, shares, spec.method, normalise)
    over = _choose_over(scores, shares, spec, chosen)
    estimator = _choose_estimator(scores, shares, spec.estimator, over, chosen.name)
    if over not in ESTIMATORS[estimator]:
        known = " or ".join(repr(one) for one in ESTIMATORS[estimator])
        raise OptionError(f"Estimator {estimator!r} is for over={known}; got over={over!r}.")
    prior = spec.prior if prior is None else prior
    _check_prior(prior, estimator)
    if normalise == "minmax_draws" and (estimator, over) != ("bootstrap", "items"):
        raise OptionError(
            "Normalisation 'minmax_draws' takes its limits from draws of resampled items. Use "
            "over='items' and estimator='bootstrap', or normalise='bounds'."
        )
    plan = AveragePlan(
        models=scores.models,
        shared=_shared_models(scores, shares),
        over=over,
        estimator=estimator,
        method=chosen.name,
        direction=_direction(scores, shares, chosen.name, normalise),
        weights=shares,
        normalise=None if normalise == "rank" else normalise,
        limits=fixed,
        families=_families(scores, shares) if over == "families" else {},
        categories=_categories(scores, shares, chosen.name, normalise),
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


def _check_prior(prior: PriorChoice | Mapping[str, PriorChoice], estimator: str) -> None:
    prior_kind(prior)  # names are checked before the long work, not after it
    if estimator not in BAYESIAN and not (isinstance(prior, str) and prior == "auto"):
        raise OptionError(
            f"A prior belongs to the estimators {' and '.join(BAYESIAN)}; the estimator here is "
            f"{estimator!r}. Use estimator='bayes' (--aggregate items:bayes)."
        )


class _Chosen(NamedTuple):
    name: str
    fallback: bool  # ranks because the tasks have no scale in common


def _check_names(spec: Spec) -> None:
    check_name("average (over)", spec.over, tuple(name for name in OVERS if name != "none"))
    check_name("estimator", spec.estimator, ("auto", *ESTIMATORS))
    if spec.method != "auto":
        take_method(spec.method)


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


def _choose_method(
    scores: Scores, shares: Mapping[str, float], method: str, normalise: str | None
) -> _Chosen:
    common = normalise not in (None, "rank") or _one_scale(scores, shares)
    if normalise == "rank":
        if method not in ("auto", "mean", "average_rank"):
            raise OptionError(f"Ranks within tasks are averaged; got method={method!r}.")
        return _Chosen("average_rank", False)
    if method == "auto":
        return _Chosen("mean" if common else "average_rank", not common)
    if not common and METHODS[method].linear is not None:
        raise OptionError(
            "These tasks are measured in different ways (metric, direction or unit), so their "
            f"scores cannot be averaged by the method {method!r}. Use average_rank, or bring them "
            "to one scale (--normalise)."
        )
    return _Chosen(method, False)


def _choose_over(scores: Scores, shares: Mapping[str, float], spec: Spec, chosen: _Chosen) -> Over:
    counts = spec.estimator in FROM_ROWS
    sure = all(_has_error(scores, name, counts=counts) for name in shares)
    fits = ("items", "tasks") if spec.estimator == "auto" else tuple(ESTIMATORS[spec.estimator])
    wanted = spec.over
    if wanted == "auto":
        items = "items" in fits and (len(fits) == 1 or (sure and not chosen.fallback))
        wanted = "items" if items else "tasks"
    if wanted == "items":
        _refuse_items(chosen, sure)
        return "items"
    return "families" if wanted == "families" else "tasks"


def _choose_estimator(
    scores: Scores, shares: Mapping[str, float], estimator: str, over: Over, method: str
) -> str:
    if estimator != "auto":
        return estimator
    if over != "items":
        return "t"
    if METHODS[method].linear is not None:
        return "analytic"
    can = all(_can_resample(scores.tasks[name]) for name in shares)
    return "bootstrap" if can else "analytic"


def _direction(
    scores: Scores, shares: Mapping[str, float], method: str, normalise: str | None
) -> Direction:
    if METHODS[method].unit == "rank":
        return "lower"
    lower = {scores.info[name].direction for name in shares} == {"lower"}
    shown_raw = METHODS[method].linear is not None and normalise is None
    return "lower" if lower and shown_raw else "higher"


def _one_scale(scores: Scores, shares: Mapping[str, float]) -> bool:
    infos = [scores.info[name] for name in shares]
    metrics = {info.metric for info in infos}
    if len(metrics) > 1 or len({info.direction for info in infos}) > 1:
        return False
    metric = metrics.pop()
    return metric is None or not depends_on_scale(metric)


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
        outline = known_outline(scores.tasks, name)
        seen = _seen(scores.tasks[name]) if outline is None else outline.missing < outline.rows
        models = models_of(scores.tasks, name)
        shared &= {model for i, model in enumerate(models) if seen[i]}
    return tuple(sorted(shared))


def _categories(
    scores: Scores, shares: Mapping[str, float], method: str, normalise: str | None
) -> dict[str, str]:
    """Category of each task, where the means of categories can be weighed against each other.

    Methods that rank or multiply have no means to weigh.
    """
    if METHODS[method].linear != "difference" or normalise == "minmax_draws":
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
        shown = ", ".join(repr(name) for name in lacking[:3])
        shown += f" and {len(lacking) - 3} more tasks" if len(lacking) > 3 else ""
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
