"""Where true scores, ties and rows of a task come from: as published, as planned, or as in results.

M models have mean scores ``1, sqrt(2), ..., sqrt(M)``. True scores of a task are normal around
them; within a task a share of the models may be exactly tied; rows are normal around the true
scores. Source: Neuhof and Benjamini 2026, Appendix E.

An evaluation that is planned, or like given results, is in units of the standard deviation of a
row, after what all models share on a row is taken out: only that part enters comparisons.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import rankbars as rb

__all__ = [
    "Design",
    "Evaluation",
    "RankSets",
    "block_correlation",
    "evaluation_like",
    "legacy_normals",
    "mean_scores",
    "model_names",
    "planned_evaluation",
    "spread_root",
    "tie_closest",
    "tied_models",
    "true_rank_sets",
]

Array = NDArray[np.float64]

PUBLISHED_SEED = 2026  # of the legacy generator behind the true scores of the published study
BETWEEN_BLOCKS = 0.1  # correlation of rows of models that are not in one block


class Design(NamedTuple):
    """One configuration of the published study.

    Attributes
    ----------
    n_models : int
        M.
    n_rows : int
        Rows per task.
    sigma : float
        Standard deviation of true scores between tasks, and of rows within a task.
    rho : float
        Correlation of models in one block.
    block : int
        Models per block; consecutive models make a block.
    ties : float
        Share of the models that are tied on every task; 0 = no ties.
    """

    n_models: int
    n_rows: int
    sigma: float
    rho: float = 0.0
    block: int = 1
    ties: float = 0.0

    @property
    def name(self) -> str:
        """All of it in one line, for the names of random streams."""
        return " ".join(f"{field} {value}" for field, value in self._asdict().items())


class RankSets(NamedTuple):
    """True ranks: tied models share all their ranks. Rank 1 is the best.

    Attributes
    ----------
    best, worst : ndarray of int64, shape (..., M)
        First and last rank of the set.
    """

    best: NDArray[np.int64]
    worst: NDArray[np.int64]


def mean_scores(n_models: int) -> Array:
    """Mean of each model over all tasks, shape (M,).

    Examples
    --------
    >>> mean_scores(4).round(3).tolist()
    [1.0, 1.414, 1.732, 2.0]
    """
    return np.asarray(np.sqrt(np.arange(1.0, n_models + 1)))


def block_correlation(n_models: int, block: int, rho: float, between: float = 0.0) -> Array:
    """Correlation `rho` inside consecutive blocks and `between` elsewhere, shape (M, M).

    Parameters
    ----------
    n_models : int
        M.
    block : int
        Models per block; the last block may be shorter.
    rho, between : float
        Correlations. A `rho` of 0 counts as elsewhere.

    Examples
    --------
    >>> block_correlation(3, 2, 0.5)
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0. ],
           [0. , 0. , 1. ]])
    """
    number = np.arange(n_models) // block
    same = number[:, None] == number
    matrix = np.where(same & (rho != 0.0), rho, between)
    np.fill_diagonal(matrix, 1.0)
    return matrix


def spread_root(design: Design, between: float = 0.0) -> Array:
    """Cholesky root of the covariance of a design, shape (M, M).

    Parameters
    ----------
    design : Design
        The configuration.
    between : float
        Correlation of models that are not in one block.
    """
    correlation = block_correlation(design.n_models, design.block, design.rho, between)
    return np.asarray(design.sigma * np.linalg.cholesky(correlation))


def legacy_normals(n_models: int, count: int) -> Array:
    """The standard normals behind the true scores of the published study, shape (M, count).

    Their generator and seed were identified from the printed numbers: NumPy's generator of old,
    seeded with 2026.

    Examples
    --------
    >>> legacy_normals(2, 1).round(4).ravel().tolist()
    [-0.4317, -1.3929]
    """
    generator = np.random.RandomState(PUBLISHED_SEED)
    return np.asarray(generator.standard_normal((n_models, count)))


def tied_models(n_models: int, share: float) -> int:
    """Number of models that are tied: at least two, unless the share is 0.

    Examples
    --------
    >>> tied_models(10, 0.1), tied_models(30, 0.1), tied_models(30, 0.0)
    (2, 3, 0)
    """
    return max(2, round(share * n_models)) if share else 0


def tie_closest(scores: Array, count: int) -> Array:
    """Scores with the closest `count` models of each task tied at their mean.

    Parameters
    ----------
    scores : ndarray, shape (T, M)
        True scores.
    count : int
        How many neighbours in the order of the scores are tied: those with the smallest range, the
        lowest of them if several have it. Below 2: nobody.

    Returns
    -------
    ndarray, shape (T, M)
        A copy; tied scores are equal to the last bit.

    Examples
    --------
    >>> tie_closest(np.array([[0.0, 1.0, 1.5, 4.0]]), 2).tolist()
    [[0.0, 1.25, 1.25, 4.0]]
    """
    tied = np.array(scores)
    if count < 2:
        return tied
    order = np.argsort(tied, axis=1, kind="stable")
    ordered = np.take_along_axis(tied, order, axis=1)
    ranges = ordered[:, count - 1 :] - ordered[:, : ordered.shape[1] - count + 1]
    places = np.argmin(ranges, axis=1)[:, None] + np.arange(count)
    members = np.take_along_axis(order, places, axis=1)
    means = np.take_along_axis(tied, members, axis=1).mean(axis=1, keepdims=True)
    np.put_along_axis(tied, members, means, axis=1)
    return tied


def true_rank_sets(scores: Array) -> RankSets:
    """Ranks that true scores stand for, counted from the definition.

    Parameters
    ----------
    scores : ndarray, shape (..., M)
        True scores, higher is better.

    Returns
    -------
    RankSets
        ``1 + #{better}`` to ``M - #{worse}``.

    Notes
    -----
    Counted here once more, and not with the rule of the package: a study must not judge a result
    by the code that made it.

    Examples
    --------
    >>> sets = true_rank_sets(np.array([0.5, 0.9, 0.5]))
    >>> sets.best.tolist(), sets.worst.tolist()
    ([2, 1, 2], [3, 1, 3])
    """
    own, other = scores[..., :, None], scores[..., None, :]
    better = np.count_nonzero(other > own, axis=-1)
    worse = np.count_nonzero(other < own, axis=-1)
    return RankSets(1 + better, scores.shape[-1] - worse)


def model_names(n_models: int) -> tuple[str, ...]:
    """Names of the models, in code-point order.

    Examples
    --------
    >>> model_names(3)
    ('m00', 'm01', 'm02')
    """
    digits = max(2, len(str(n_models - 1)))
    return tuple(f"m{number:0{digits}d}" for number in range(n_models))


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
