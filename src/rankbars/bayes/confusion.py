"""The verb `sample_confusion`: tables of truth by answer in, draws of F1 and its kin out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.bayes.chains import Chains, ChainSettings, check_chains, run_chains
from rankbars.bayes.posterior import Posterior
from rankbars.errors import DataError, UnknownOptionError
from rankbars.stats.countscores import METRICS, Metric
from rankbars.stats.streams import stream

__all__ = ["Cells", "dirichlet_multinomial", "sample_confusion"]


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
