"""Whether credible intervals hold as often as they say, on boards drawn from the prior itself.

All boards are sampled side by side, one chain each: most of the time goes into compiling that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import pytest
from calibration import Calibration
from numpyro.infer import NUTS
from numpyro.infer.initialization import init_to_uniform
from numpyro.infer.util import initialize_model
from scipy import special

from rankbars.bayes.models import MODELS, Answers

BOARDS, WARMUP, DRAWS, ITEMS = 48, 300, 500, 200


def boards(models: int, tasks: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Right answers, shape (boards, models, tasks), of boards where models are the sample."""
    rng = np.random.default_rng(8)
    typical, variety = 1.5 * np.abs(rng.normal(size=BOARDS)), 0.5 * np.abs(rng.normal(size=BOARDS))
    spread = typical[:, None] * np.exp(variety[:, None] * rng.normal(size=(BOARDS, tasks)))
    mean, share = 1.5 * rng.normal(size=(BOARDS, tasks)), rng.random(BOARDS)
    general, own = rng.normal(size=(BOARDS, models)), rng.normal(size=(BOARDS, models, tasks))
    both = np.sqrt(share)[:, None, None] * general[:, :, None]
    both = both + np.sqrt(1 - share)[:, None, None] * own
    score = special.expit(mean[:, None] + spread[:, None] * both)
    truth = {"correlation": share, "typical_spread": typical, "variety": variety, "mean": mean,
             "spread": spread, "general": general, "score": np.swapaxes(score, 1, 2)}  # fmt: skip
    return np.swapaxes(rng.binomial(ITEMS, score), 1, 2).astype(float), truth


def sample_side_by_side(name: str, right: np.ndarray) -> dict[str, np.ndarray]:
    """Draws of every site, shape (boards, draws, ...)."""
    total = np.full(right.shape[1:], float(ITEMS))
    known = initialize_model(
        jax.random.key(0), MODELS[name], model_args=(Answers(right[0], total),),
        dynamic_args=True, init_strategy=init_to_uniform(radius=0.5),
    )  # fmt: skip

    def one(key: Any, answers: Any) -> Any:
        data = Answers(answers, total)
        kernel = NUTS(potential_fn=known.potential_fn(data), target_accept_prob=0.9)
        state = kernel.init(key, WARMUP, known.param_info.z, (), {})
        state = jax.lax.fori_loop(0, WARMUP, lambda _, now: kernel.sample(now, (), {}), state)

        def step(now: Any, _: None) -> tuple[Any, Any]:
            after = kernel.sample(now, (), {})
            return after, after.z

        _, drawn = jax.lax.scan(step, state, None, length=DRAWS)
        return jax.vmap(known.postprocess_fn(data))(drawn)

    keys = jax.random.split(jax.random.key(1), len(right))
    return {site: np.asarray(v) for site, v in jax.jit(jax.vmap(one))(keys, right).items()}


@pytest.fixture
def quick_sampling() -> Iterator[None]:
    """The other way round than elsewhere: so many boards repay thorough compiling."""
    jax.config.update("jax_disable_most_optimizations", False)
    yield
    jax.config.update("jax_disable_most_optimizations", True)


@pytest.mark.soak
@pytest.mark.usefixtures("quick_sampling")
def test_intervals_of_correlated_tasks_hold_as_often_as_they_say(
    calibration: Calibration,
) -> None:
    right, truth = boards(models=6, tasks=12)
    with jax.enable_x64(True):
        found = sample_side_by_side("correlated_tasks", right)
    for name, value in truth.items():
        low, high = np.quantile(found[name], [0.025, 0.975], axis=1)
        held = ((low <= value) & (value <= high)).reshape(BOARDS, -1).mean(axis=1)
        # Boards are independent, quantities of one board are not.
        slack = 4 * max(held.std(), 0.05) / BOARDS**0.5
        calibration.near(held.sum(), BOARDS, 0.95, slack, of=name)
        rank = (found[name] < value[:, None]).mean(axis=1).reshape(BOARDS, -1).mean(axis=1)
        assert rank.mean() == pytest.approx(0.5, abs=4 * rank.std() / BOARDS**0.5), name
