"""An evaluation as a simulation sees it: chosen by hand, or taken from results.

Scores are in units of the standard deviation of a row, after what all models share on a row is
taken out: only that part enters comparisons of models.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import rankbars as rb

__all__ = ["Evaluation", "evaluation_like", "planned_evaluation"]


class Evaluation(NamedTuple):
    """What determines how well models can be told apart.

    Attributes
    ----------
    means : tuple of float
        Mean true score of each model over all tasks, in row standard deviations.
    task_sd : float
        Standard deviation of a model's true score between tasks.
    correlation : float
        Correlation of the scores of two models on a row.
    ties : float
        Share of the models that are exactly tied on every task.
    """

    means: tuple[float, ...]
    task_sd: float
    correlation: float
    ties: float


def planned_evaluation(
    n_models: int,
    *,
    spread: float = 0.3,
    task_sd: float = 0.2,
    correlation: float = 0.3,
    ties: float = 0.0,
) -> Evaluation:
    """An evaluation with models that are spread like a normal sample.

    Parameters
    ----------
    n_models : int
        M, at least 2.
    spread : float
        Standard deviation of the models' mean scores, in row standard deviations.
    task_sd : float
        Standard deviation of a model's true score between tasks, likewise.
    correlation : float
        Correlation of the scores of two models on a row, from 0 to below 1.
    ties : float
        Share of the models that are exactly tied on every task, from 0 to 1.

    Raises
    ------
    OptionError
        If a value is out of range.

    Examples
    --------
    >>> [round(mean, 2) for mean in planned_evaluation(3, spread=1.0).means]
    [-1.0, 0.0, 1.0]
    """
    if n_models < 2:
        raise rb.OptionError.out_of_range("models", n_models, "at least 2")
    for name, value in (("spread", spread), ("task_sd", task_sd)):
        if not 0 <= value < np.inf:
            raise rb.OptionError.out_of_range(name, value, "0 or more")
    _check_shape(correlation, ties)
    places = (np.arange(n_models) + 0.5) / n_models
    normal = np.array([NormalDist().inv_cdf(place) for place in places])
    means = spread * normal / normal.std(ddof=1)
    return Evaluation(tuple(means.tolist()), task_sd, correlation, ties)


def evaluation_like(scores: rb.Scores, *, ties: float = 0.0) -> tuple[Evaluation, int, int]:
    """The evaluation behind some results, estimated from them.

    Parameters
    ----------
    scores : Scores
        Results with scores per row; rows that lack a model are left out.
    ties : float
        Share of the models to be tied; it cannot be estimated.

    Returns
    -------
    evaluation : Evaluation
        With correlation 0: what rows share is taken out of their unit.
    n_tasks : int
        Number of tasks used.
    n_rows : int
        Median number of their complete rows.

    Raises
    ------
    DataError
        If fewer than two models or two tasks have complete rows, rows are folds or come in
        clusters, or no model's scores vary.

    Notes
    -----
    Per task, the two-way table rows × models gives the standard deviation of what is left after
    rows and models; scores are divided by it. Method of moments then: the variance of means
    between tasks less that of a mean over rows; and means over tasks are pulled together until
    their variance is no longer that of means plus noise.
    """
    _check_shape(0.0, ties)
    tables = _complete_tables(scores)
    standardised, noise = [], []
    for table in tables:
        n, n_models = table.shape
        rest = table - table.mean(axis=1, keepdims=True)
        means = rest.mean(axis=0)
        variance = np.square(rest - means).sum() / ((n - 1) * (n_models - 1))
        if variance > 0:
            standardised.append(means / np.sqrt(variance))
            noise.append(1 / n)
    if len(standardised) < 2:
        raise rb.DataError(
            "Fewer than two tasks have scores that vary, so nothing says how ranks differ between "
            "tasks. Describe the evaluation instead: --models, --tasks, --items, --task-sd."
        )
    found = np.array(standardised)
    # Centred columns have lost one model's worth of variance.
    correct = found.shape[1] / (found.shape[1] - 1)
    between = correct * found.var(axis=0, ddof=1).mean()
    task_variance = max(0.0, float(between - np.mean(noise)))
    means = found.mean(axis=0)
    spread = float(means.var(ddof=1))
    excess = float(between) / len(found)
    shrink = np.sqrt(max(0.0, 1 - excess / spread)) if spread > 0 else 0.0
    evaluation = Evaluation(
        tuple((shrink * means).tolist()), float(np.sqrt(task_variance)), 0.0, ties
    )
    return evaluation, len(found), int(np.median([len(table) for table in tables]))


def _check_shape(correlation: float, ties: float) -> None:
    if not 0 <= correlation < 1:
        raise rb.OptionError.out_of_range("correlation", correlation, "0 or more and below 1")
    if not 0 <= ties <= 1:
        raise rb.OptionError.out_of_range("ties", ties, "a share of the models, 0 to 1")


def _complete_tables(scores: rb.Scores) -> list[NDArray[np.float64]]:
    """Complete rows of every task that has all models and at least two such rows."""
    if len(scores.models) < 2:
        raise rb.DataError("At least two models are needed; these results have one.")
    tables = []
    for name, evidence in scores.tasks.items():
        if not isinstance(evidence, rb.Items) or evidence.models != scores.models:
            continue
        if isinstance(evidence.design, rb.Folds) or evidence.clusters is not None:
            raise rb.DataError(
                f"Task {name!r}: rows are folds or come in clusters; only independent rows can be "
                "imitated. Describe the evaluation instead: --models, --tasks, --items."
            )
        complete = evidence.values[~np.isnan(evidence.values).any(axis=1)]
        if len(complete) > 1:
            tables.append(complete)
    return tables
