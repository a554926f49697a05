"""The models, as NumPyro functions: a plain dict from name to function.

A model function takes `Answers` and says, with NumPyro's words, how they come about. It has to
name an array ``"score"`` of shape (N, M): the true share of right answers of every model on every
task. Anything else is up to it, so that a user can write one, or wrap one of these.

One factor is what all models, or all tasks, have in common, beside what is their own. On the scale
of logits, and with models as the columns of a table whose rows are tasks,

    logit[row, column] = mean[column] + spread[column] * (sqrt(share) * general[row]
                         + sqrt(1 - share) * own[row, column]),

where ``general`` and ``own`` are standard normal. So every two columns are correlated by the same
``share`` between 0 and 1, one number that a board of a few models and tasks can tell about. With
loadings, every column has a share of its own, and two columns are correlated by the root of their
product.

Correlations that are all free (``lkj_…``) are for many rows and few columns: C columns have
C (C - 1) / 2 of them, and with fewer rows than a few times the columns the prior decides, and the
sampler slows down.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

__all__ = [
    "MODELS",
    "Answers",
    "ModelFunction",
    "Observed",
    "correlated_models",
    "correlated_tasks",
    "factor_models",
    "factor_tasks",
    "independent",
    "lkj_models",
    "lkj_tasks",
]


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


class Observed(NamedTuple):
    """Logits of shares as a normal approximation sees them, and their precision."""

    logit: Any
    precision: Any


def _observe(right: Any, total: Any, logit: Any, *, columns: bool = False) -> None:
    """Binomial counts, without the factor that depends on no unknown: it is costly to compile."""
    import jax
    import numpyro

    wrong = total - right
    density = right * jax.nn.log_sigmoid(logit) + wrong * jax.nn.log_sigmoid(-logit)
    numpyro.factor("right", density.sum(axis=-1) if columns else density)


def _observed_logits(right: Any, total: Any) -> Observed:
    """Where a normal approximation of the likelihood puts the logits; precision 0 without answers.

    Models whose unknowns are all normal measure steps from there. The likelihood stays binomial.
    """
    import jax.numpy as jnp

    share = (right + 0.5) / (total + 1.0)
    return Observed(jnp.log(share) - jnp.log1p(-share), total * share * (1.0 - share))


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


def _log_beta(logit: Any, a: Any, b: Any) -> Any:
    """Log density of Beta(a, b) at the share with this logit."""
    import jax
    from jax.scipy.special import betaln

    right, wrong = jax.nn.log_sigmoid(logit), jax.nn.log_sigmoid(-logit)
    return (a - 1.0) * right + (b - 1.0) * wrong - betaln(a, b)


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
    seen = _observed_logits(right, total)
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
    _observe(right, total, logit, columns=True)
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
    _observe(right, total, logit, columns=True)
    numpyro.deterministic("score", shape(jax.nn.sigmoid(logit)))


def _stretch(step: Any, right: Any, total: Any, mean: Any, scale: Any) -> tuple[Any, Any]:
    """Standard normal places of the rows, from steps off where they probably are.

    Logits are ``mean + scale @ away``. With observed logits that are normal with precision
    ``known``, `away` has precision ``1 + scale' known scale``.
    """
    import jax.numpy as jnp
    from jax.scipy.linalg import solve_triangular

    observed, known = _observed_logits(right, total)
    precision = jnp.eye(mean.size) + jnp.einsum("ki,rk,kj->rij", scale, known, scale)
    lower = jnp.linalg.cholesky(precision)
    pull = (known * (observed - mean)) @ scale
    centre = solve_triangular(lower, pull[..., None], lower=True)
    away = solve_triangular(lower, centre + step[..., None], lower=True, trans=1)[..., 0]
    return away, -jnp.log(jnp.diagonal(lower, axis1=-2, axis2=-1)).sum()


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
