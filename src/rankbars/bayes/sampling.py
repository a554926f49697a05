"""The verb `sample_posterior`: scores in, a checked posterior out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.bayes.chains import Chains, ChainSettings, check_chains, run_chains
from rankbars.bayes.models import MODELS, Answers, ModelFunction
from rankbars.bayes.posterior import Posterior
from rankbars.data.rightanswers import RightAnswers, count_answers, settle_shift
from rankbars.data.scores import Scores
from rankbars.data.taskgroups import count_groups
from rankbars.errors import DataError, OptionError, UnknownOptionError
from rankbars.stats.countscores import METRICS, Metric
from rankbars.stats.streams import stream

__all__ = ["Cells", "dirichlet_multinomial", "sample_confusion", "sample_posterior"]


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


class Cells(NamedTuple):
    """What the model of the tables is given.

    Attributes
    ----------
    counts : array, shape (N, M, K)
        How often each of the K cells came up, of M models on N tasks.
    total : array, shape (N, M)
        Their sums.
    """

    counts: Any
    total: Any


def dirichlet_multinomial(data: Cells) -> None:
    """Tables of one model on different tasks come from one Dirichlet distribution.

    Its mean is uniform on all tables, the log of its concentration normal with mean 3 and standard
    deviation 1.5. The tables themselves integrate out.
    """
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist

    models, cells = data.counts.shape[1:]
    with numpyro.plate("model", models, dim=-1):
        mean = numpyro.sample("mean", dist.Dirichlet(jnp.ones(cells)))
        concentration = numpyro.sample("concentration", dist.LogNormal(3.0, 1.5))
        shape = mean * concentration[:, None]
        with numpyro.plate("task", data.counts.shape[0], dim=-2):
            rising = _log_rising(shape, data.counts).sum(axis=-1)
            numpyro.factor("tables", rising - _log_rising(concentration, data.total))


def _log_rising(shape: Any, counts: Any) -> Any:
    from jax.scipy.special import gammaln

    return gammaln(shape + counts) - gammaln(shape)


def sample_confusion(
    tables: Mapping[str, Mapping[str, ArrayLike]],
    *,
    metric: str | Metric = "f1",
    model: Callable[[Cells], None] = dirichlet_multinomial,
    draws: int = 1000,
    warmup: int = 1000,
    chains: int = 4,
    seed: int = 0,
    accept: float = 0.95,
    max_rhat: float = 1.01,
    min_effective: float = 400.0,
    max_divergences: int = 0,
) -> Posterior:
    """Sample scores that are made of confusion counts; needs the extra ``rankbars[bayes]``.

    Parameters
    ----------
    tables : mapping from task to mapping from model to array of int, shape (C, C)
        How often an item of a class (row) got an answer (column); the same classes on all tasks.
    metric : {"accuracy", "balanced_accuracy", "f1", "macro_f1", "precision", "recall", "mcc"} or
        callable
        The score. ``f1``, ``precision`` and ``recall`` are those of the last class. A function
        takes probabilities of cells, shape (..., C, C), and returns scores, shape (...).
    model : callable
        What tables have in common: takes `Cells`, names ``"mean"`` of shape (M, K) and
        ``"concentration"`` of shape (M,).
    draws, warmup, chains, seed, accept, max_rhat, min_effective, max_divergences
        As in `rankbars.sample_posterior`.

    Returns
    -------
    Posterior
        Draws of the score of every model on every task.

    Raises
    ------
    MissingPackageError
        If NumPyro is not installed.
    DataError
        If a table is missing, is no table of counts, or has other classes than the rest.
    UnknownOptionError
        If there is no metric of that name.
    ConvergenceError
        If the chains disagree, are worth too little, or diverged.

    Notes
    -----
    Given the Dirichlet distribution that the tasks of a model have in common, a table has the
    posterior Dirichlet(concentration mean + counts), from which it is drawn exactly; only the
    common distribution is sampled by chains.

    References
    ----------
    Longjohn, Gopalan & Casleton 2025, arXiv:2501.04234, section 2.2, name this model for metrics
    other than accuracy.
    """
    settings = ChainSettings(
        draws, warmup, chains, seed, accept, max_rhat, min_effective, max_divergences
    )
    if isinstance(metric, str) and metric not in METRICS:
        raise UnknownOptionError.among("metric", metric, tuple(METRICS))
    score = METRICS[metric] if isinstance(metric, str) else metric
    tasks, models = tuple(sorted(tables)), _models(tables)
    made = [[_table(tables[t][m], t, m) for m in models] for t in tasks]
    _check_classes(made, tasks)
    counts = np.array(made)
    flat = counts.reshape(*counts.shape[:2], -1)
    found = run_chains(model, Cells(flat, flat.sum(axis=-1)), settings, "confusion")
    checks = check_chains(found, settings)
    scores = _draw_scores(found, counts, score, (tasks, models), seed)
    words = metric if isinstance(metric, str) else getattr(metric, "__name__", "score")
    return Posterior(
        models, tasks, scores, checks, found.sites, "dirichlet_multinomial",
        diverging=found.diverging, words=words.replace("_", " "),
    )  # fmt: skip


def _models(tables: Mapping[str, Mapping[str, ArrayLike]]) -> tuple[str, ...]:
    if not tables:
        raise DataError("There is no table of confusion counts.")
    named = {task: set(of_task) for task, of_task in tables.items()}
    everyone = set().union(*named.values())
    for task, names in named.items():
        if names != everyone:
            lacking = sorted(everyone - names)[0]
            raise DataError(f"Model {lacking!r} has no table on task {task!r}.")
    return tuple(sorted(everyone))


def _table(given: ArrayLike, task: str, model: str) -> NDArray[np.float64]:
    table = np.asarray(given, dtype=np.float64)
    where = f"The table of model {model!r} on task {task!r}"
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.shape[0] < 2:
        raise DataError(f"{where} must be square, truth by answer; got shape {table.shape}.")
    if not (np.isfinite(table).all() and (table >= 0).all() and (table == np.round(table)).all()):
        raise DataError(f"{where} must hold counts: whole numbers of 0 or more.")
    if table.sum() == 0:
        raise DataError(f"{where} is empty.")
    return table


def _check_classes(made: list[list[NDArray[np.float64]]], tasks: tuple[str, ...]) -> None:
    wanted = made[0][0].shape[0]
    for task, of_task in zip(tasks, made, strict=True):
        for table in of_task:
            if table.shape[0] != wanted:
                raise DataError(
                    f"All tables must have the same classes: {wanted} on task {tasks[0]!r}, "
                    f"{table.shape[0]} on task {task!r}."
                )


def _draw_scores(
    found: Chains,
    counts: NDArray[np.float64],
    score: Metric,
    names: tuple[tuple[str, ...], tuple[str, ...]],
    seed: int,
) -> NDArray[np.float64]:
    shape = found.sites["mean"] * found.sites["concentration"][..., None]  # (C, D, M, K)
    tasks, models = names
    scores = np.empty((*shape.shape[:2], len(tasks), len(models)))
    for j, task in enumerate(tasks):
        for i, model in enumerate(models):
            rng = stream(seed, "bayes", "confusion", task, model)
            # A Dirichlet draw is gamma draws, divided by their sum.
            cells = rng.standard_gamma(shape[:, :, i] + counts[j, i].reshape(-1))
            cells = np.maximum(cells, np.finfo(np.float64).tiny)
            cells /= cells.sum(axis=-1, keepdims=True)
            scores[:, :, j, i] = score(cells.reshape(*cells.shape[:2], *counts.shape[2:]))
    return scores
