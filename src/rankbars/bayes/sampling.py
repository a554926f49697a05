"""The verb `sample_posterior`: scores in, a checked posterior out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.bayes.chains import Chains, ChainSettings, check_chains, run_chains
from rankbars.bayes.models import MODELS, Answers, ModelFunction
from rankbars.bayes.posterior import Posterior
from rankbars.data.rightanswers import RightAnswers, count_answers, settle_shift
from rankbars.data.scores import Scores
from rankbars.data.taskgroups import count_groups
from rankbars.errors import DataError, OptionError, UnknownOptionError

__all__ = ["sample_posterior"]


def sample_posterior(
    scores: Scores,
    *,
    model: str | ModelFunction = "correlated_models",
    draws: int = 1000,
    warmup: int = 1000,
    chains: int = 4,
    seed: int = 0,
    accept: float = 0.95,
    max_rhat: float = 1.01,
    min_effective: float = 400.0,
    max_divergences: int = 0,
) -> Posterior:
    """Sample a Bayesian model of right and wrong answers; needs the extra ``rankbars[bayes]``.

    Parameters
    ----------
    scores : Scores
        Right or wrong answers per item, or shares of right answers with their number of items.
    model : str or callable
        What is known about the answers. ``"correlated_models"``, ``"correlated_tasks"``: any two
        models, or tasks, are correlated by the same number. ``"factor_models"``,
        ``"factor_tasks"``: each has a loading of its own. ``"lkj_models"``, ``"lkj_tasks"``: every
        pair has a correlation, which takes many tasks, or models, and few of the others.
        ``"independent"``: nothing goes together. A function of your own takes `Answers` and uses
        NumPyro's words; it has to name an array ``"score"`` of shape (N, M). Those of `rankbars`
        are in ``rankbars.bayes.models`` and can be wrapped or copied.
    draws, warmup, chains : int
        Draws per chain that are kept, draws before them, and chains.
    seed : int
        Start of the random numbers.
    accept : float
        Acceptance that the sampler aims at; larger is slower and surer.
    max_rhat, min_effective, max_divergences : float, float, int
        What the chains have to reach; no draws are handed out otherwise.

    Returns
    -------
    Posterior
        Draws of the true share of every model on every task; ``posterior.aggregate()`` is the
        average, ``posterior.draws()`` its draws, `rankbars.to_arviz` their export.

    Raises
    ------
    MissingPackageError
        If NumPyro is not installed.
    DataError
        If a task is not made of right and wrong answers.
    OptionError
        If an option is out of range, or the model names no score.
    ConvergenceError
        If the chains disagree, are worth too little, or diverged.

    Notes
    -----
    Models are put in the order of their names first. Random numbers depend on the seed and the
    name of the model; draws may differ in their last digits between machines, as those of any
    Markov chain do.

    References
    ----------
    Vehtari, Gelman, Simpson, Carpenter & Bürkner 2021, *Bayesian Analysis* 16, for the checks.
    """
    settings = ChainSettings(
        draws, warmup, chains, seed, accept, max_rhat, min_effective, max_divergences
    )
    name = model if isinstance(model, str) else getattr(model, "__name__", "given")
    if isinstance(model, str) and model not in MODELS:
        raise UnknownOptionError.among("model of the answers", model, tuple(MODELS))
    function = MODELS[model] if isinstance(model, str) else model
    counts = _counts(scores)
    right, total = (np.array([getattr(one, part) for one in counts]) for part in ("right", "total"))
    found = run_chains(function, Answers(right, total), settings, name)
    drawn = _scores(found, right.shape)
    checks = check_chains(found, settings)
    shift = np.array([one.shift for one in counts])[:, None]
    lower = {scores.info[task].direction for task in scores.tasks} == {"lower"}
    return Posterior(
        scores.models,
        tuple(scores.tasks),
        drawn + shift,
        checks,
        {site: values for site, values in found.sites.items() if site != "score"},
        name,
        {task: one.weight for task, one in count_groups(scores).info.items()},
        found.diverging,
        "share of right answers" if not lower else "share of wrong answers",
        "lower" if lower else "higher",
    )


def _counts(scores: Scores) -> list[RightAnswers]:
    found = []
    for name, evidence in scores.tasks.items():
        seen = tuple(model for model in scores.models if model in evidence.models)
        counts = count_answers(evidence, seen)
        if counts is None:
            raise DataError(
                f"Task {name!r} is not made of right and wrong answers. sample_posterior() needs "
                "answers per item (0 or 1, independent of each other), or shares of right answers "
                "with their number of items (n). For other scores with standard errors use "
                "rankbars.aggregate(..., estimator='bayes')."
            )
        found.append(_widened(counts, seen, scores.models))
    return settle_shift(found)


def _widened(counts: RightAnswers, seen: tuple[str, ...], models: tuple[str, ...]) -> RightAnswers:
    """Models without an answer have none."""
    place = [models.index(name) for name in seen]
    right, total = np.zeros(len(models)), np.zeros(len(models))
    right[place], total[place] = counts.right, counts.total
    return RightAnswers(right, total, counts.shift)


def _scores(found: Chains, shape: tuple[int, ...]) -> NDArray[np.float64]:
    drawn = found.sites.get("score")
    if drawn is None or drawn.shape[2:] != shape:
        what = "none" if drawn is None else f"shape {drawn.shape[2:]}"
        raise OptionError(
            f"The model must name an array 'score' of shape {shape} (tasks by models), by "
            f"numpyro.deterministic('score', ...); found {what}."
        )
    return drawn
