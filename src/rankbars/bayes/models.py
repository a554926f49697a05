"""The models, as NumPyro functions: a plain dict from name to function.

A model function takes `Answers` and says, with NumPyro's words, how they come about. It has to
name an array ``"score"`` of shape (N, M): the true share of right answers of every model on every
task. Anything else is up to it, so that a user can write one, or wrap one of these.
"""

from __future__ import annotations

from typing import Any

from rankbars.bayes.lkj import lkj_models, lkj_tasks
from rankbars.bayes.modelterms import Answers, ModelFunction, observe
from rankbars.bayes.onefactor import (
    correlated_models,
    correlated_tasks,
    factor_models,
    factor_tasks,
)

__all__ = [
    "MODELS",
    "Answers",
    "ModelFunction",
    "correlated_models",
    "correlated_tasks",
    "factor_models",
    "factor_tasks",
    "independent",
    "lkj_models",
    "lkj_tasks",
]


def independent(data: Answers) -> None:
    """The beta-binomial model of the estimator ``bayes``: every model by itself.

    The mean share is uniform, the log of the concentration normal with mean 3 and standard
    deviation 1.5, as `Prior.log_normal` has it. There to compare with the quadrature.
    """
    import jax
    import numpyro
    import numpyro.distributions as dist

    tasks, models = data.right.shape
    with numpyro.plate("model", models, dim=-1):
        mean = numpyro.sample("mean", dist.Uniform(0.0, 1.0))
        concentration = numpyro.sample("concentration", dist.LogNormal(3.0, 1.5))
        with numpyro.plate("task", tasks, dim=-2):
            # A logistic logit is a uniform share; the factor makes it a beta one.
            logit = numpyro.sample("logit", dist.Logistic(0.0, 1.0))
            numpyro.deterministic("score", jax.nn.sigmoid(logit))
            a, b = mean * concentration, (1.0 - mean) * concentration
            numpyro.factor("beta", _log_beta(logit, a, b))
            observe(data.right, data.total, logit)


def _log_beta(logit: Any, a: Any, b: Any) -> Any:
    """Log density of Beta(a, b) at the share with this logit."""
    import jax
    from jax.scipy.special import betaln

    right, wrong = jax.nn.log_sigmoid(logit), jax.nn.log_sigmoid(-logit)
    return (a - 1.0) * right + (b - 1.0) * wrong - betaln(a, b)


MODELS: dict[str, ModelFunction] = {
    "correlated_models": correlated_models,
    "correlated_tasks": correlated_tasks,
    "factor_models": factor_models,
    "factor_tasks": factor_tasks,
    "independent": independent,
    "lkj_models": lkj_models,
    "lkj_tasks": lkj_tasks,
}
"""What is known about the answers, by name."""
