"""Running NumPyro's sampler, and refusing what it could not sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rankbars.errors import ConvergenceError, MissingPackageError, OptionError
from rankbars.stats.ranks import midranks
from rankbars.stats.streams import stream

__all__ = [
    "ChainChecks",
    "ChainSettings",
    "Chains",
    "check_chains",
    "effective_draws",
    "run_chains",
    "split_rhat",
]


@dataclass(frozen=True, slots=True)
class ChainSettings:
    """How chains are run, and what they have to reach.

    Parameters
    ----------
    draws, warmup, chains : int
        Draws per chain that are kept, draws before them, chains.
    seed : int
        Start of the random numbers.
    accept : float
        Acceptance that the sampler aims at; larger is slower and surer.
    max_rhat : float
        Largest R-hat of any quantity.
    min_effective : float
        Smallest effective number of draws of any quantity.
    max_divergences : int
        Largest number of divergent transitions.

    Raises
    ------
    OptionError
        If a number is out of range.
    """

    draws: int = 1000
    warmup: int = 1000
    chains: int = 4
    seed: int = 0
    accept: float = 0.95
    max_rhat: float = 1.01
    min_effective: float = 400.0
    max_divergences: int = 0

    def __post_init__(self) -> None:
        for name, least in (("draws", 4), ("warmup", 1), ("chains", 2), ("max_divergences", 0)):
            if getattr(self, name) < least:
                raise OptionError.out_of_range(name, getattr(self, name), f"{least} or more")
        if not 0.0 < self.accept < 1.0:
            raise OptionError.out_of_range("accept", self.accept, "between 0 and 1")
        if not self.max_rhat > 1.0:
            raise OptionError.out_of_range("max_rhat", self.max_rhat, "above 1")


class ChainChecks(NamedTuple):
    """What the chains reached.

    Attributes
    ----------
    rhat : float
        Largest R-hat over all quantities.
    effective : float
        Smallest effective number of draws.
    divergences : int
        Divergent transitions.
    worst_rhat, worst_effective : str
        The quantities with these.
    """

    rhat: float
    effective: float
    divergences: int
    worst_rhat: str
    worst_effective: str


class Chains(NamedTuple):
    """Draws of every quantity of a model.

    Attributes
    ----------
    sites : mapping from str to array of float, shape (C, D, ...)
        By name.
    diverging : array of bool, shape (C, D)
        Which transitions diverged.
    """

    sites: Mapping[str, NDArray[np.float64]]
    diverging: NDArray[np.bool_]


def run_chains(model: Any, data: Any, settings: ChainSettings, key: str) -> Chains:
    """Sample a model function by the No-U-Turn sampler.

    Parameters
    ----------
    model : callable
        Takes `data`.
    data : NamedTuple of arrays
        What it is given; arrays of floats.
    settings : ChainSettings
        How.
    key : str
        What the random numbers are for.

    Raises
    ------
    MissingPackageError
        If NumPyro is not installed.

    References
    ----------
    Hoffman & Gelman 2014, *Journal of Machine Learning Research* 15; Phan, Pradhan & Jankowiak
    2019, arXiv:1912.11554.
    """
    try:
        import numpyro
    except ModuleNotFoundError as error:
        purpose = "A Bayesian model sampled by Markov chains"
        raise MissingPackageError.for_extra("numpyro", purpose, '"rankbars[bayes]"') from error
    import jax
    from numpyro.infer import MCMC, NUTS, init_to_uniform

    start = int(stream(settings.seed, "bayes", key).integers(2**31))
    # Counts of tens of thousands of answers need more digits than jax uses unasked; the switch
    # is back where it was when the block ends.
    with jax.enable_x64(True), numpyro.validation_enabled(False):
        # Starts that need no draws from the prior: compiling these takes longer than the rest.
        kernel = NUTS(
            model, target_accept_prob=settings.accept, init_strategy=init_to_uniform(radius=1.0)
        )
        sampler = MCMC(
            kernel,
            num_warmup=settings.warmup,
            num_samples=settings.draws,
            num_chains=settings.chains,
            chain_method="vectorized",
            progress_bar=False,
        )
        sampler.run(jax.random.key(start), data, extra_fields=("diverging",))
        sites = {
            name: np.asarray(values, dtype=np.float64)
            for name, values in sampler.get_samples(group_by_chain=True).items()
        }
        diverging = np.asarray(sampler.get_extra_fields(group_by_chain=True)["diverging"])
    return Chains(sites, diverging.astype(np.bool_))


def check_chains(chains: Chains, settings: ChainSettings) -> ChainChecks:
    """What chains reached, or an error that says what they did not.

    Raises
    ------
    ConvergenceError
        If R-hat is too large, too few draws are effective, or transitions diverged: the draws are
        then no posterior, and none are handed out.
    """
    found = _measure(chains)
    if found.divergences > settings.max_divergences:
        raise ConvergenceError(
            f"{found.divergences} of {chains.diverging.size} transitions diverged, "
            f"{settings.max_divergences} are allowed: the sampler did not get everywhere. Raise "
            "accept= towards 1, give more warmup=, or a model or prior that fits these data."
        )
    if not found.rhat <= settings.max_rhat:
        raise ConvergenceError(
            f"Chains disagree: R-hat of {found.worst_rhat} is {found.rhat:.3f}, "
            f"{settings.max_rhat:g} is allowed. Give more warmup= and draws=, or a model that fits "
            "these data."
        )
    if found.effective < settings.min_effective:
        raise ConvergenceError(
            f"Too few effective draws: {found.effective:.0f} of {found.worst_effective}, "
            f"{settings.min_effective:g} are needed. Give more draws=."
        )
    return found


def _measure(chains: Chains) -> ChainChecks:
    rhat, effective, names = [], [], []
    for name, values in chains.sites.items():
        if not np.isfinite(values).all():
            raise ConvergenceError(
                f"The chains gave values of {name} that are no numbers. Does the model fit the "
                "data?"
            )
        one, two = split_rhat(values), effective_draws(values)
        rhat.append(one.reshape(-1))
        effective.append(two.reshape(-1))
        names += [_element(name, place) for place in np.ndindex(*values.shape[2:])]
    flat_rhat, flat_effective = np.concatenate(rhat), np.concatenate(effective)
    if np.isnan(flat_rhat).all():
        raise ConvergenceError("No quantity of the model ever moved. Does the model fit the data?")
    worst = int(np.nanargmax(flat_rhat)), int(np.nanargmin(flat_effective))
    return ChainChecks(
        float(flat_rhat[worst[0]]),
        float(flat_effective[worst[1]]),
        int(chains.diverging.sum()),
        names[worst[0]],
        names[worst[1]],
    )


def _element(name: str, place: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, place))}]" if place else name


def split_rhat(chains: NDArray[np.float64]) -> NDArray[np.float64]:
    """R-hat of rank-normalised split chains, the larger of that of the values and of their folds.

    Parameters
    ----------
    chains : array of float, shape (C, D, ...)
        D draws of each of C chains, of any number of quantities.

    Returns
    -------
    array of float, shape (...)
        Near 1 where chains agree; NaN for a quantity that never varies.

    References
    ----------
    Vehtari, Gelman, Simpson, Carpenter & Bürkner 2021, *Bayesian Analysis* 16.

    Examples
    --------
    >>> chains = np.random.default_rng(0).normal(size=(4, 500))
    >>> bool(split_rhat(chains) < 1.01), bool(split_rhat(chains + np.arange(4)[:, None]) > 1.1)
    (True, True)
    """
    flat = _split(chains)
    folded = np.abs(flat - np.median(flat, axis=(0, 1)))
    found = np.fmax(_rhat(_normal_scores(flat)), _rhat(_normal_scores(folded)))
    found[_constant(flat)] = np.nan
    return np.asarray(found.reshape(chains.shape[2:]))


def effective_draws(chains: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many independent draws the chains are worth, for the bulk of each distribution.

    Parameters
    ----------
    chains : array of float, shape (C, D, ...)
        D draws of each of C chains, of any number of quantities.

    Returns
    -------
    array of float, shape (...)
        At most ``C D log10(C D)``; NaN for a quantity that never varies.

    Notes
    -----
    Autocorrelations of the rank-normalised split chains, summed in pairs by Geyer's initial
    monotone sequence.

    References
    ----------
    Vehtari, Gelman, Simpson, Carpenter & Bürkner 2021, *Bayesian Analysis* 16.

    Examples
    --------
    >>> chains = np.random.default_rng(0).normal(size=(4, 500))
    >>> bool(1600 < effective_draws(chains) < 2600)
    True
    """
    flat = _split(chains)
    scores = _normal_scores(flat)
    count, size, number = scores.shape
    total = count * size
    covariance = _autocovariance(scores).mean(axis=1)  # (size, number)
    within = covariance[0] * size / (size - 1)
    means = scores.mean(axis=1)
    both = covariance[0] + (means.var(axis=0, ddof=1) if count > 1 else 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = 1.0 - (within - covariance) / both
    correlation[0] = 1.0
    even = size - size % 2
    pairs = correlation[:even].reshape(-1, 2, number).sum(axis=1)
    ended = np.cumsum(~(pairs > 0), axis=0) > 0  # from the first pair that is not positive
    kept = np.where(ended, 0.0, np.minimum.accumulate(pairs, axis=0))
    time = np.maximum(-1.0 + 2.0 * kept.sum(axis=0), 1.0 / np.log10(total))
    found = total / time
    found[_constant(flat)] = np.nan
    return np.asarray(found.reshape(chains.shape[2:]))


def _split(chains: NDArray[np.float64]) -> NDArray[np.float64]:
    """Halves of the chains as chains of their own; quantities in one axis."""
    count, size = chains.shape[:2]
    half = size // 2
    flat = np.asarray(chains, dtype=np.float64).reshape(count, size, -1)
    return np.concatenate([flat[:, :half], flat[:, size - half :]], axis=0)


def _normal_scores(flat: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks among all draws of a quantity, turned into normal quantiles; ties share their mean."""
    count, size, number = flat.shape
    ranks = midranks(-flat.reshape(-1, number), axis=0)
    return np.asarray(special.ndtri((ranks - 0.375) / (count * size + 0.25)).reshape(flat.shape))


def _rhat(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    size = scores.shape[1]
    within = scores.var(axis=1, ddof=1).mean(axis=0)
    between = scores.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.sqrt((size - 1) / size + between / within))


def _autocovariance(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Autocovariance of each chain at every lag, shape (size, chains, number)."""
    size = scores.shape[1]
    centred = np.moveaxis(scores - scores.mean(axis=1, keepdims=True), 1, 0)
    spectrum = np.fft.rfft(centred, n=2 * size, axis=0)
    return np.asarray(np.fft.irfft(np.abs(spectrum) ** 2, n=2 * size, axis=0)[:size] / size)


def _constant(flat: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray(np.ptp(flat, axis=(0, 1)) == 0)
