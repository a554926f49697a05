"""Priors: by name, with numbers, given by the user."""

from __future__ import annotations

import numpy as np
import pytest

import rankbars as rb
from rankbars.data.priors import PRIORS, prior_kind, take_prior


def density_in_mean_and_log(prior: rb.Prior, m: float, log: float) -> float:
    """Log density of the mean share and the log of a + b: da db = (a + b)^2 dm dlog."""
    k = np.exp(log)
    found = prior.log_density(np.array(m * k), np.array((1 - m) * k)) + 2 * log
    return float(found)


def test_uniform_log_is_uniform_in_the_mean_and_in_the_log_of_the_sum() -> None:
    prior = rb.Prior.uniform_log(1, 1000)
    found = {round(density_in_mean_and_log(prior, m, t), 9) for m in (0.1, 0.5) for t in (1, 5)}
    assert len(found) == 1
    assert prior.limits == (1.0, 1000.0)


def test_log_normal_is_normal_in_the_log_of_the_sum() -> None:
    prior = rb.Prior.log_normal(3, 1.5)
    drop = density_in_mean_and_log(prior, 0.2, 4.5) - density_in_mean_and_log(prior, 0.7, 3.0)
    assert drop == pytest.approx(-0.5)


def test_exponential_and_normal_are_densities_of_a_and_b() -> None:
    a, b = np.array(20.0), np.array(5.0)
    assert rb.Prior.exponential(10).log_density(a, b) == pytest.approx(-2.5)
    assert rb.Prior.normal(10, 5, 5, 2).log_density(a, b) == pytest.approx(-2.0)
    assert rb.Prior.exponential_spread(4).log_density(b) == pytest.approx(-1.25)


def test_names_carry_their_numbers() -> None:
    assert take_prior("uniform_log:2:50", "a", "shares").limits == (2.0, 50.0)
    assert "mean 7" in take_prior("exponential:7", "a", "shares").words
    assert take_prior("auto", "a", "shares").words == rb.Prior.uniform_log().words
    assert take_prior("auto", "a", "scores").words == rb.Prior.uniform_spread().words
    assert {prior_kind(name) for name in ("exponential", "uniform_log", "log_normal")} == {"shares"}
    assert set(PRIORS) >= {"exponential", "uniform_log", "uniform_spread"}


def test_a_mapping_is_of_one_kind_or_of_none() -> None:
    assert prior_kind({"a": "exponential", "b": rb.Prior.uniform_log()}) == "shares"
    assert prior_kind({"a": "exponential", "b": "uniform_spread"}) is None
    assert prior_kind(lambda a, b: a + b) is None


@pytest.mark.parametrize("bad", ["uniform", "exponential_spread", "normal:1", "exponential:1:2"])
def test_what_is_not_understood_is_refused(bad: str) -> None:
    with pytest.raises(rb.OptionError):
        take_prior(bad, "a", "scores")


def test_kinds_and_limits_are_checked() -> None:
    with pytest.raises(rb.OptionError, match="kind of prior"):
        rb.Prior("share", lambda a, b: a + b)  # type: ignore[arg-type]
    with pytest.raises(rb.OptionError, match="lower one first"):
        rb.Prior("shares", lambda a, b: a + b, limits=(3.0, 3.0))
