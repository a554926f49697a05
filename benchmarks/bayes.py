"""The hierarchical model of right answers: quadrature beside a Markov chain."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.rows import Job, Once, Ratio, Row, Sides, require
from rankbars.bayes.chains import effective_draws
from rankbars.data.priors import Prior
from rankbars.stats.hierarchical.betabinomial import Counts, draw_hyper, draw_shares, share_grid

TITLE = "Hierarchical model"

Array = NDArray[np.float64]

DRAWS_PER_STATE = 2
"""Effective draws of the mean share in one draw of the chain, for the model it knows worst."""


class Answered(NamedTuple):
    """Right answers and answers, shape (tasks, models)."""

    right: Array
    total: Array


def answers(models: int, tasks: int) -> Answered:
    """Tasks of very different sizes, as the Visual Task Adaptation Benchmark has them."""
    rng = np.random.default_rng(0)
    total = np.broadcast_to(rng.integers(500, 70_000, size=(tasks, 1)), (tasks, models))
    share = rng.beta(3.0, 2.0, size=(tasks, 1)) * np.linspace(0.7, 1.0, models)
    return Answered(rng.binomial(total, share).astype(float), total.astype(float))


def draws_of_shares(given: Answered, draws: int) -> Array:
    """Draws of the mean share of every model over the tasks, shape (draws, models)."""
    prior = Prior.log_normal()
    found = np.zeros((draws, given.right.shape[1]))
    for i in range(given.right.shape[1]):
        rng = np.random.default_rng([1, i])
        right, wrong = given.right[:, i], given.total[:, i] - given.right[:, i]
        hyper = draw_hyper(share_grid(Counts(right, wrong), prior.log_density), draws, rng)
        require(hyper.effective > 0.9 * draws, "nearly all draws to be effective")
        for one, other in zip(right, wrong, strict=True):
            found[:, i] += draw_shares(hyper, one, other, rng) / right.size
    return found


def posterior_beside_chain(models: int, tasks: int, draws: int, warmed: bool = False) -> Sides:
    """Draws by quadrature, beside one chain of NUTS on the whole model, compiled beforehand.

    Both sides are worth as many effective draws of what is reported: the mean share of a model over
    the tasks, of the model whose mean share the chain knows worst. A draw of the chain is worth two
    there, for it swings from side to side; a chain that gives much less or more is refused. Counts
    that favour the quadrature are left aside: by the ends of the 95 % intervals of these means a
    draw of the chain is worth half a draw, by the share on the task known worst one and a half. One
    chain with 500 draws of warm-up is the least that can be run: four are needed to check them.

    Parameters
    ----------
    models, tasks : int
        Sizes.
    draws : int
        Effective draws of either side.
    warmed : bool
        Leave out the 500 draws by which the chain finds its steps. Whoever samples pays for them,
        so they count unless this says otherwise.
    """
    given = answers(models, tasks)
    kept = draws // DRAWS_PER_STATE
    sampler: list[Any] = []

    def chain() -> Array:
        import jax
        from numpyro.infer import MCMC, NUTS, init_to_uniform

        from rankbars.bayes.models import Answers, independent

        with jax.enable_x64(True):
            if not sampler:
                kernel = NUTS(independent, init_strategy=init_to_uniform(radius=1.0))
                sampler.append(MCMC(kernel, num_warmup=500, num_samples=kept, progress_bar=False))
                if warmed:
                    sampler[0].warmup(jax.random.key(0), Answers(*given))
            sampler[0].run(jax.random.key(0), Answers(*given))
            score: Array = np.asarray(sampler[0].get_samples()["score"])
            return np.asarray(score.mean(axis=1))

    return Sides(lambda: draws_of_shares(given, draws), chain, _alike)


def without_warmup(models: int, tasks: int, draws: int) -> Sides:
    """The same, the chain warmed up beforehand: the count that favours the chain most."""
    return posterior_beside_chain(models, tasks, draws, warmed=True)


def posterior_alone(models: int, tasks: int, draws: int) -> Job:
    """Draws by quadrature."""
    given = answers(models, tasks)
    share = (given.right / given.total).mean(axis=0)

    def check(found: Array) -> None:
        require(found.shape == (draws, models), "a draw of every model")
        require(bool((np.abs(found.mean(axis=0) - share) < 0.05).all()), "means near the shares")

    return Job(lambda: draws_of_shares(given, draws), check)


def _alike(one: Array, other: Array) -> None:
    worth = float(effective_draws(other[None]).min()) / len(one)
    require(len(other) < 1000 or 0.8 < worth < 1.4, "as many effective draws of the chain")
    spread = np.maximum(one.std(axis=0), other.std(axis=0))
    slack = 6.0 * spread / min(len(one), len(other)) ** 0.5
    np.testing.assert_array_less(np.abs(one.mean(axis=0) - other.mean(axis=0)), 2.0 * slack)


ROWS: tuple[Row, ...] = (
    Ratio(
        "posterior_16x19",
        "posterior of the mean share, per effective draw",
        "NumPyro NUTS, whole model, compiled before, warm-up counted; as many effective draws of "
        "the mean share of the model it knows worst",
        posterior_beside_chain,
        {"models": 16, "tasks": 19, "draws": 4000},
        {"models": 2, "tasks": 3, "draws": 200},
        at_least=60,
        slow=True,
        needs=("numpyro",),
        compiled=True,
    ),
    Ratio(
        "posterior_16x19_warmed",
        "the same, in the count that favours the chain most",
        "as above, warm-up not counted",
        without_warmup,
        {"models": 16, "tasks": 19, "draws": 4000},
        {"models": 2, "tasks": 3, "draws": 200},
        slow=True,
        needs=("numpyro",),
        compiled=True,
    ),
    Once(
        "posterior_alone_16x19",
        "posterior of the mean share of 16 models on 19 tasks",
        posterior_alone,
        {"models": 16, "tasks": 19, "draws": 4000},
        {"models": 2, "tasks": 3, "draws": 200},
        {"cpu_s": 1.0},
    ),
)
