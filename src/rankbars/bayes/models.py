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
    """

    right: Any
    total: Any


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

    Means are normal with mean 0 and standard deviation 1.5 beforehand, spreads half-normal with
    scale 1.5, both on the scale of logits; the matrix of correlations has the prior of Lewandowski,
    Kurowicka & Joe 2009 with shape 2. It draws correlations towards 0, strongly so where there are
    many columns and few rows: large correlations are then understated, intervals included.
    """
    import jax.numpy as jnp

    _logistic_normal(data.right, data.total, jnp.asarray)


def correlated_tasks(data: Answers) -> None:
    """Tasks on which the same models do well and badly.

    The logits of the shares of one model on all tasks come from one multivariate normal
    distribution: a mean and a spread for every task, and a correlation for every pair of tasks.
    Models are the sample, so that models with few answers borrow from the others. Priors are those
    of `correlated_models`.
    """
    _logistic_normal(data.right.T, data.total.T, lambda table: table.T)


def _logistic_normal(right: Any, total: Any, shape: Callable[[Any], Any]) -> None:
    """Rows are independent; their columns are correlated. `shape` makes rows tasks again.

    What is sampled of a row is how far its logits are from where a normal approximation of the
    likelihood puts them, given mean, spread and correlation, in units of that approximation. These
    steps are close to standard normal and know little of the other unknowns, with few answers as
    with many, so that one sampler gets everywhere. A factor takes the approximation out again:
    the posterior is exact. The idea is that of Papaspiliopoulos, Roberts & Sköld 2007,
    *Statistical Science* 22, on centred and non-centred parametrisations.
    """
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
    step = numpyro.sample("step", dist.Normal(0.0, 1.0).expand([rows, columns]).to_event(2))
    # As a function of its own, so that the sampler need not trace it again wherever it calls it.
    away, log_volume = jax.jit(_stretch)(step, right, total, mean, scale)
    # The standard normal density of `away`, in place of that of `step`.
    change = 0.5 * (jnp.square(step).sum() - jnp.square(away).sum())
    numpyro.factor("stretch", change + log_volume)
    logit = mean + away @ scale.T
    _observe(right, total, logit, columns=True)
    numpyro.deterministic("score", shape(jax.nn.sigmoid(logit)))


def _stretch(step: Any, right: Any, total: Any, mean: Any, scale: Any) -> tuple[Any, Any]:
    """Standard normal places of the rows, from steps off where they probably are.

    Logits are ``mean + scale @ away``. With observed logits that are normal with precision
    ``known``, `away` has precision ``1 + scale' known scale``.
    """
    import jax.numpy as jnp
    from jax.scipy.linalg import solve_triangular

    share = (right + 0.5) / (total + 1.0)
    observed = jnp.log(share) - jnp.log1p(-share)
    known = total * share * (1.0 - share)  # 0 where there is no answer
    precision = jnp.eye(mean.size) + jnp.einsum("ki,rk,kj->rij", scale, known, scale)
    lower = jnp.linalg.cholesky(precision)
    pull = (known * (observed - mean)) @ scale
    centre = solve_triangular(lower, pull[..., None], lower=True)
    away = solve_triangular(lower, centre + step[..., None], lower=True, trans=1)[..., 0]
    return away, -jnp.log(jnp.diagonal(lower, axis1=-2, axis2=-1)).sum()


MODELS: dict[str, ModelFunction] = {
    "correlated_models": correlated_models,
    "correlated_tasks": correlated_tasks,
    "independent": independent,
}
"""What is known about the answers, by name."""
