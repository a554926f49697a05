"""What a model function is given, and the words that all of them use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

__all__ = ["Answers", "ModelFunction", "Observed", "observe", "observed_logits"]


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


def observe(right: Any, total: Any, logit: Any, *, columns: bool = False) -> None:
    """Binomial counts, without the factor that depends on no unknown: it is costly to compile."""
    import jax
    import numpyro

    wrong = total - right
    density = right * jax.nn.log_sigmoid(logit) + wrong * jax.nn.log_sigmoid(-logit)
    numpyro.factor("right", density.sum(axis=-1) if columns else density)


def observed_logits(right: Any, total: Any) -> Observed:
    """Where a normal approximation of the likelihood puts the logits; precision 0 without answers.

    Models whose unknowns are all normal measure steps from there. The likelihood stays binomial.
    """
    import jax.numpy as jnp

    share = (right + 0.5) / (total + 1.0)
    return Observed(jnp.log(share) - jnp.log1p(-share), total * share * (1.0 - share))
