"""Checks of chains: known effective numbers, chains that disagree, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from numpyro.diagnostics import effective_sample_size, split_gelman_rubin

import rankbars as rb
from rankbars.bayes.chains import Chains, ChainSettings, check_chains, effective_draws, split_rhat


def autoregressive(correlation: float, chains: int = 4, draws: int = 4000) -> np.ndarray:
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(chains, draws)) * (1 - correlation**2) ** 0.5
    values = np.empty_like(noise)
    values[:, 0] = rng.normal(size=chains)
    for step in range(1, draws):
        values[:, step] = correlation * values[:, step - 1] + noise[:, step]
    return values


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9, -0.3])
def test_effective_draws_of_an_autoregression(correlation: float) -> None:
    # The sum of its autocorrelations is (1 + r) / (1 - r).
    chains = autoregressive(correlation)
    exact = chains.size * (1 - correlation) / (1 + correlation)
    assert effective_draws(chains) == pytest.approx(exact, rel=0.15)


@pytest.mark.parametrize("correlation", [0.3, 0.8])
def test_checks_agree_with_those_of_numpyro_on_normal_draws(correlation: float) -> None:
    chains = autoregressive(correlation, draws=1000)
    assert effective_draws(chains) == pytest.approx(effective_sample_size(chains), rel=0.1)
    assert split_rhat(chains) == pytest.approx(split_gelman_rubin(chains), abs=0.01)


def test_chains_that_disagree_in_place_or_in_spread_are_noticed() -> None:
    chains = np.random.default_rng(0).normal(size=(4, 1000))
    assert split_rhat(chains) < 1.01
    assert split_rhat(chains + np.array([0, 0, 0, 2.0])[:, None]) > 1.1
    assert split_rhat(chains * np.array([1, 1, 1, 6.0])[:, None]) > 1.1
    drifting = chains + np.linspace(0, 3, 1000)
    assert split_rhat(drifting) > 1.1


def test_heavy_tails_do_not_hide_behind_ranks() -> None:
    chains = np.random.default_rng(0).standard_cauchy(size=(4, 1000))
    assert split_rhat(chains) < 1.01
    assert effective_draws(chains) > 3000


def test_what_never_varies_has_no_rhat_and_is_left_out() -> None:
    values = np.random.default_rng(0).normal(size=(2, 300, 2))
    values[:, :, 1] = 1.0
    assert np.isnan(split_rhat(values)).tolist() == [False, True]
    assert np.isnan(effective_draws(values)).tolist() == [False, True]
    assert check_chains(chains_of(values), ChainSettings(min_effective=100, max_rhat=1.05))


def chains_of(values: np.ndarray, diverged: int = 0) -> Chains:
    diverging = np.zeros(values.shape[:2], dtype=np.bool_)
    diverging.reshape(-1)[:diverged] = True
    return Chains({"score": values}, diverging)


def test_good_chains_are_reported_and_bad_ones_refused() -> None:
    good = np.random.default_rng(0).normal(size=(4, 500, 2, 3))
    found = check_chains(chains_of(good), ChainSettings())
    assert found.rhat < 1.01
    assert found.effective > 1000
    assert found.divergences == 0
    bad = good.copy()
    bad[0, :, 1, 2] += 3.0
    with pytest.raises(rb.ConvergenceError, match=r"R-hat of score\[1, 2\] is"):
        check_chains(chains_of(bad), ChainSettings())
    with pytest.raises(rb.ConvergenceError, match="7 of 2000 transitions diverged, 0 are allowed"):
        check_chains(chains_of(good, diverged=7), ChainSettings())
    assert check_chains(chains_of(good, diverged=7), ChainSettings(max_divergences=7))
    with pytest.raises(rb.ConvergenceError, match="Too few effective draws"):
        check_chains(chains_of(good[:, :60]), ChainSettings(max_rhat=1.2))
    with pytest.raises(rb.ConvergenceError, match="no numbers"):
        check_chains(chains_of(good * np.nan), ChainSettings())
    with pytest.raises(rb.ConvergenceError, match="ever moved"):
        check_chains(chains_of(np.ones((4, 50))), ChainSettings())


@pytest.mark.parametrize(
    "given", [{"chains": 1}, {"draws": 3}, {"accept": 1.0}, {"max_rhat": 1.0}, {"warmup": 0}]
)
def test_settings_are_checked(given: dict[str, float]) -> None:
    with pytest.raises(rb.OptionError):
        ChainSettings(**given)  # type: ignore[arg-type]
