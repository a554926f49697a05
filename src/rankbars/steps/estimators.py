"""The estimators of an average: a table from name to what starts it, for each kind of average."""

from __future__ import annotations

from rankbars.data.aggregate import Over
from rankbars.errors import OptionError, UnknownOptionError
from rankbars.steps import bayesaverages, itemaverages, taskaverages
from rankbars.steps.plans import StartAverage

__all__ = ["BAYESIAN", "ESTIMATORS", "take_estimator"]

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

BAYESIAN = ("bayes", "bayes_predictive")
"""The estimators that take a prior."""


def take_estimator(name: str, over: Over) -> StartAverage:
    """What starts the estimator called `name` for one kind of average.

    Raises
    ------
    UnknownOptionError
        If there is no such estimator.
    OptionError
        If it is for another kind of average.
    """
    if name not in ESTIMATORS:
        raise UnknownOptionError.among("estimator", name, ("auto", *ESTIMATORS))
    if over not in ESTIMATORS[name]:
        known = " or ".join(repr(one) for one in ESTIMATORS[name])
        raise OptionError(f"Estimator {name!r} is for over={known}; got over={over!r}.")
    return ESTIMATORS[name][over]
