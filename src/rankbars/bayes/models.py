"""The models, as NumPyro functions: a plain dict from name to function.

A model function takes `Answers` and says, with NumPyro's words, how they come about. It has to
name an array ``"score"`` of shape (N, M): the true share of right answers of every model on every
task. Anything else is up to it, so that a user can write one, or wrap one of these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

__all__ = ["MODELS", "Answers", "ModelFunction", "correlated_models", "correlated_tasks",
           "independent"]  # fmt: skip


class Answers(NamedTuple):
    """What a model function is given.

    Attributes
    ----------
    right, total : array, shape (N, M)
        Right answers, and answers, of M models on N tasks; 0 where a model has none.
    centred : bool
        Whether shares are known well enough by themselves that it is easier to sample them, than
        to sample how far they are from their mean.
    """

    right: Any
    total: Any
    centred: bool = True


ModelFunction: TypeAlias = Callable[[Answers], None]


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
            _observe(data.right, data.total, logit)


def _observe(right: Any, total: Any, logit: Any, *, columns: bool = False) -> None:
    """Binomial counts, without the factor that depends on no unknown: it is costly to compile."""
    import jax
    import numpyro

    wrong = total - right
    density = right * jax.nn.log_sigmoid(logit) + wrong * jax.nn.log_sigmoid(-logit)
    numpyro.factor("right", density.sum(axis=-1) if columns else density)


def _log_beta(logit: Any, a: Any, b: Any) -> Any:
    """Log density of Beta(a, b) at the share with this logit."""
    import jax
    from jax.scipy.special import betaln

    right, wrong = jax.nn.log_sigmoid(logit), jax.nn.log_sigmoid(-logit)
    return (a - 1.0) * right + (b - 1.0) * wrong - betaln(a, b)


def correlated_models(data: Answers) -> None:
    """Models that do well and badly on the same tasks.

    The logits of the shares of all models on one task come from one multivariate normal
    distribution: a mean and a spread for every model, and a correlation for every pair. So a
    difference between two models is surer than their shares are, and a task that a model lacks is
    filled in from the others.
    """
    import jax.numpy as jnp

    _logistic_normal(data.right, data.total, data.centred, jnp.asarray)


def correlated_tasks(data: Answers) -> None:
    """Tasks on which the same models do well and badly.

    The logits of the shares of one model on all tasks come from one multivariate normal
    distribution: a mean and a spread for every task, and a correlation for every pair of tasks.
    Models are the sample, so that models with few answers borrow from the others.
    """
    _logistic_normal(data.right.T, data.total.T, data.centred, lambda table: table.T)


def _logistic_normal(right: Any, total: Any, centred: bool, shape: Callable[[Any], Any]) -> None:
    """Rows are independent; their columns are correlated. `shape` makes rows tasks again."""
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist

    rows, columns = right.shape
    mean = numpyro.sample("mean", dist.Normal(0.0, 1.5).expand([columns]).to_event(1))
    spread = numpyro.sample("spread", dist.HalfNormal(1.5).expand([columns]).to_event(1))
    if columns > 1:
        root = numpyro.sample("root", dist.LKJCholesky(columns, concentration=2.0))
    else:
        root = jnp.ones((1, 1))
    numpyro.deterministic("correlation", root @ root.T)
    scale = spread[:, None] * root
    with numpyro.plate("row", rows):
        if centred:
            logit = numpyro.sample("logit", dist.MultivariateNormal(mean, scale_tril=scale))
        else:
            away = numpyro.sample("away", dist.Normal(0.0, 1.0).expand([columns]).to_event(1))
            logit = mean + away @ scale.T
        _observe(right, total, logit, columns=True)
    numpyro.deterministic("score", shape(jax.nn.sigmoid(logit)))


MODELS: dict[str, ModelFunction] = {
    "correlated_models": correlated_models,
    "correlated_tasks": correlated_tasks,
    "independent": independent,
}
"""What is known about the answers, by name."""
