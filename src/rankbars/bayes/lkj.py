"""Correlations that are all free: for many rows and few columns.

A matrix of correlations of C columns has C (C - 1) / 2 numbers, and R rows can only tell about so
many of them: with fewer rows than a few times the columns the prior decides, and the sampler slows
down. `rankbars.bayes.onefactor` holds the models for boards as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rankbars.bayes.modelterms import Answers, observe, observed_logits

__all__ = ["lkj_models", "lkj_tasks"]


def lkj_models(data: Answers) -> None:
    """Models that do well and badly on the same tasks, a correlation for every pair of models.

    The logits of the shares of all models on one task come from one multivariate normal
    distribution: a mean and a spread for every model, and a correlation for every pair.

    Means are normal with mean 0 and standard deviation 1.5 beforehand, spreads half-normal with
    scale 1.5, both on the scale of logits; the matrix of correlations has the prior of Lewandowski,
    Kurowicka & Joe 2009 with shape 2. It draws correlations towards 0, strongly so where there are
    many columns and few rows: large correlations are then understated, intervals included.
    """
    import jax.numpy as jnp

    _logistic_normal(data.right, data.total, jnp.asarray)


def lkj_tasks(data: Answers) -> None:
    """Tasks on which the same models do well and badly, a correlation for every pair of tasks.

    As `lkj_models`, with a mean and a spread for every task; models are the sample.
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
    observe(right, total, logit, columns=True)
    numpyro.deterministic("score", shape(jax.nn.sigmoid(logit)))


def _stretch(step: Any, right: Any, total: Any, mean: Any, scale: Any) -> tuple[Any, Any]:
    """Standard normal places of the rows, from steps off where they probably are.

    Logits are ``mean + scale @ away``. With observed logits that are normal with precision
    ``known``, `away` has precision ``1 + scale' known scale``.
    """
    import jax.numpy as jnp
    from jax.scipy.linalg import solve_triangular

    observed, known = observed_logits(right, total)
    precision = jnp.eye(mean.size) + jnp.einsum("ki,rk,kj->rij", scale, known, scale)
    lower = jnp.linalg.cholesky(precision)
    pull = (known * (observed - mean)) @ scale
    centre = solve_triangular(lower, pull[..., None], lower=True)
    away = solve_triangular(lower, centre + step[..., None], lower=True, trans=1)[..., 0]
    return away, -jnp.log(jnp.diagonal(lower, axis1=-2, axis2=-1)).sum()
