"""Correlation by one factor: what all models, or all tasks, have in common, and what is their own.

On the scale of logits, and with models as the columns of a table whose rows are tasks,

    logit[row, column] = mean[column] + spread[column] * (sqrt(share) * general[row]
                         + sqrt(1 - share) * own[row, column]),

where ``general`` and ``own`` are standard normal. So every two columns are correlated by the same
``share`` between 0 and 1, one number that a board of a few models and tasks can tell about. With
loadings, every column has a share of its own, and two columns are correlated by the root of their
product.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rankbars.bayes.modelterms import Answers, Observed, observe, observed_logits

__all__ = ["correlated_models", "correlated_tasks", "factor_models", "factor_tasks"]

_FAR = 1.5  # prior standard deviation of means


def correlated_models(data: Answers) -> None:
    """Models that find the same tasks easy and hard.

    The logit of the share of a model on a task is a mean of the model plus its spread times a
    standard normal number, of which `correlation` is the part that all models share on that task:
    how easy it is in general. So a difference between two models is surer than their shares are,
    and a task that a model lacks is filled in from the others.

    Beforehand, means are normal with mean 0 and standard deviation 1.5, the typical spread
    half-normal with scale 1.5, the logs of spreads normal around its log with a standard deviation
    that is half-normal with scale 0.5, and the correlation is uniform from 0 to 1. All but the
    last three sit on the scale of logits. Correlations below 0 are not thought of.
    """
    import jax.numpy as jnp

    _one_factor(data.right, data.total, jnp.asarray)


def correlated_tasks(data: Answers) -> None:
    """Tasks on which the same models do well and badly.

    The logit of the share of a model on a task is a mean of the task plus its spread times a
    standard normal number, of which `correlation` is the part that the model shares between all
    tasks: its general ability. Models are the sample, so that models with few answers borrow from
    the others. Priors are those of `correlated_models`.
    """
    _one_factor(data.right.T, data.total.T, lambda table: table.T)


def factor_models(data: Answers) -> None:
    """Models that find the same tasks easy and hard, some of them more than others.

    As `correlated_models`, but each model has a `loading` of its own: the root of the part of its
    spread that is due to how easy a task is in general. Two models are correlated by the product of
    their loadings. The log odds of these parts are normal around a common value with a standard
    deviation that is half-normal with scale 1 beforehand, so that few tasks leave them alike.
    """
    import jax.numpy as jnp

    _one_factor(data.right, data.total, jnp.asarray, loadings=True)


def factor_tasks(data: Answers) -> None:
    """Tasks on which the same models do well and badly, some of them more than others.

    As `correlated_tasks`, but each task has a `loading` of its own, as models do in
    `factor_models`.
    """
    _one_factor(data.right.T, data.total.T, lambda table: table.T, loadings=True)


def _one_factor(
    right: Any, total: Any, shape: Callable[[Any], Any], *, loadings: bool = False
) -> None:
    """Rows are independent; their columns are correlated. `shape` makes rows tasks again.

    With a normal approximation of the likelihood, means, general and own parts are normal together
    once spreads and correlation are known. What is sampled is how far they are from their mean
    there, in units of their spread there: steps that are close to standard normal and know little
    of each other and of the rest, with few answers as with many. A factor takes the approximation
    out again: the posterior is exact. The idea is that of Papaspiliopoulos, Roberts & Sköld 2007,
    *Statistical Science* 22, on centred and non-centred parametrisations.
    """
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist

    rows, columns = right.shape
    normal = dist.Normal(0.0, 1.0)
    typical = numpyro.sample("typical_spread", dist.HalfNormal(1.5))
    variety = numpyro.sample("variety", dist.HalfNormal(0.5))
    if loadings:
        share = _shares_of_their_own(columns)
    else:
        share = numpyro.sample("correlation", dist.Uniform(0.0, 1.0))
    steps = _Unknowns(
        numpyro.sample("step_mean", normal.expand([columns]).to_event(1)),
        numpyro.sample("step_general", normal.expand([rows]).to_event(1)),
        numpyro.sample("step_own", normal.expand([rows, columns]).to_event(2)),
    )
    step_spread = numpyro.sample("step_spread", normal.expand([columns]).to_event(1))
    seen = observed_logits(right, total)
    # As a function of its own, so that the sampler need not trace it again wherever it calls it.
    spread, change = jax.jit(_unfold_spreads)(step_spread, seen, typical, variety)
    numpyro.factor("unfold_spreads", change)
    numpyro.deterministic("spread", spread)
    found, log_volume = jax.jit(_unfold)(steps, seen, spread, share)
    numpyro.factor("unfold", _log_normal(found, _FAR) - _log_normal(steps, 1.0) + log_volume)
    numpyro.deterministic("mean", found.mean)
    numpyro.deterministic("general", found.general)
    general, own = found.general[:, None], found.own
    both = jnp.sqrt(share) * general + jnp.sqrt(1.0 - share) * own
    logit = found.mean + spread * both
    observe(right, total, logit, columns=True)
    numpyro.deterministic("score", shape(jax.nn.sigmoid(logit)))


def _shares_of_their_own(columns: int) -> Any:
    """The part of each column that is general, shape (columns,); around a common value."""
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist

    typical = numpyro.sample("typical_share", dist.Uniform(0.0, 1.0))
    variety = numpyro.sample("variety_of_shares", dist.HalfNormal(1.0))
    unlike = numpyro.sample("unlike_share", dist.Normal(0.0, 1.0).expand([columns]).to_event(1))
    share = jax.nn.sigmoid(jnp.log(typical) - jnp.log1p(-typical) + variety * unlike)
    numpyro.deterministic("loading", jnp.sqrt(share))
    return share


class _Unknowns(NamedTuple):
    """Means of the columns, what a row has in general, and what is its own in every column."""

    mean: Any
    general: Any
    own: Any


def _log_normal(values: _Unknowns, far: float) -> Any:
    """Log density of independent normal values, those of `mean` with standard deviation `far`."""
    import jax.numpy as jnp

    inner = jnp.square(values.mean / far).sum() + jnp.square(values.general).sum()
    return -0.5 * (inner + jnp.square(values.own).sum()) - values.mean.size * jnp.log(far)


def _unfold_spreads(step: Any, seen: Observed, typical: Any, variety: Any) -> tuple[Any, Any]:
    """The spreads that steps stand for, and what it changes in the log density.

    The logs of the spreads of the observed logits count as normal around those of the true ones.
    """
    import jax.numpy as jnp

    known = seen.precision > 0
    rows = known.sum(axis=0)
    middle = (seen.logit * known).sum(axis=0) / jnp.maximum(rows, 1)
    noise = jnp.where(known, 1.0 / jnp.where(known, seen.precision, 1.0), 0.0)
    off = jnp.square(seen.logit - middle) * known
    square = jnp.maximum(off.sum(axis=0) - noise.sum(axis=0), 0.1 * off.sum(axis=0))
    degrees = jnp.maximum(rows - 1, 1)
    away = 0.5 * jnp.log(square / degrees + 1e-4) - jnp.log(typical)
    known_by = 2.0 * (rows > 2) * degrees  # precision of a log spread
    firm = 1.0 + known_by * jnp.square(variety)
    unlike = known_by * variety * away / firm + step / jnp.sqrt(firm)
    change = 0.5 * (jnp.square(step) - jnp.square(unlike) - jnp.log(firm)).sum()
    return typical * jnp.exp(variety * unlike), change


def _unfold(steps: _Unknowns, seen: Observed, spread: Any, share: Any) -> tuple[_Unknowns, Any]:
    """The unknowns that steps stand for, and the log of the volume of a unit step.

    With logits observed with normal errors: the means given all, then the general part of each row
    given the means, then each own part given both. Every one of them is a mean plus a step.
    """
    import jax.numpy as jnp
    from jax.scipy.linalg import solve_triangular

    common, own = spread * jnp.sqrt(share), spread * jnp.sqrt(1.0 - share)
    sharper = 1.0 + seen.precision * jnp.square(own)  # precision of the own parts
    weight = seen.precision / sharper  # of an observed logit, given the general part
    pulled = weight * common
    firm = 1.0 + (pulled * common).sum(axis=-1)  # precision of the general parts
    # Precision of the means, and what the rows add up to, general and own parts integrated out.
    inner = jnp.diag(_FAR**-2 + weight.sum(axis=0)) - (pulled / firm[:, None]).T @ pulled
    through = (pulled * seen.logit).sum(axis=-1) / firm
    lower = jnp.linalg.cholesky(inner)
    centre = solve_triangular(lower, (weight * seen.logit).sum(axis=0) - through @ pulled,
                              lower=True)  # fmt: skip
    mean = solve_triangular(lower, centre + steps.mean, lower=True, trans=1)
    left = seen.logit - mean
    general = (pulled * left).sum(axis=-1) / firm + steps.general / jnp.sqrt(firm)
    left = left - common * general[:, None]
    parts = seen.precision * own * left / sharper + steps.own / jnp.sqrt(sharper)
    log_volume = -jnp.log(jnp.diagonal(lower)).sum()
    log_volume -= 0.5 * (jnp.log(firm).sum() + jnp.log(sharper).sum())
    return _Unknowns(mean, general, parts), log_volume
