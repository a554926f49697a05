"""Evidence about models on one task: scores per row, published estimates, or votes.

Higher is always better here. Readers settle direction before anything gets this far.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, TypeAlias, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankbars.data.fields import (
    Counts,
    Numbers,
    PairTable,
    Reals,
    freeze,
    locate_models,
    names_where,
)
from rankbars.data.votes import Votes
from rankbars.errors import DataError, OptionError

__all__ = [
    "Coverage",
    "Estimates",
    "Evidence",
    "Folds",
    "Items",
    "Votes",
    "independent_items",
    "rename_models",
    "same_scores",
    "take_models",
    "take_rows",
]


LARGEST_SCORE = 1e150
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Folds:
    """Rows are folds of (repeated) cross-validation, which share training data.

    Parameters
    ----------
    repeats : int
        Passes over the data, at least 1.
    folds : int
        Folds per pass, at least 2.
    test_share : float, optional
        Share of the data held out in each fold, in (0, 1); ``1 / folds`` when not given.

    Raises
    ------
    OptionError
        If a value is out of range.

    Examples
    --------
    >>> Folds(repeats=10, folds=3).test_share
    0.3333333333333333
    """

    repeats: int
    folds: int
    test_share: float = 0.0

    def __post_init__(self) -> None:
        if self.repeats < 1:
            raise OptionError.out_of_range("repeats", self.repeats, "at least 1")
        if self.folds < 2:
            raise OptionError.out_of_range("folds", self.folds, "at least 2 per repeat")
        if self.test_share == 0.0:
            object.__setattr__(self, "test_share", 1.0 / self.folds)
        if not 0.0 < self.test_share < 1.0:
            raise OptionError.out_of_range("test_share", self.test_share, "between 0 and 1")


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """What became of every expected row, per model; the four counts add up to `expected`.

    Parameters
    ----------
    expected : int
        Rows of the task.
    scored, unscored, errors, missing : array of int, shape (M,)
        Rows with a score; rows that ran but got no score; rows that failed; rows without a trace.
    zeros : array of int, shape (M,), optional
        Rows whose score is 0, which are among the scored ones; None if not counted.
    """

    expected: Annotated[int, Numbers(least=0)]
    scored: Counts
    unscored: Counts
    errors: Counts
    missing: Counts
    zeros: Counts | None = None

    def __repr__(self) -> str:
        return f"Coverage({self.scored.size} models, {self.expected} rows expected)"

    def __post_init__(self) -> None:
        freeze(self)
        total = self.scored + self.unscored + self.errors + self.missing
        if np.any(total != self.expected):
            raise DataError(f"Coverage counts must add up to {self.expected}; got {total}.")

    @property
    def share(self) -> NDArray[np.float64]:
        """Share of the expected rows that have a score, shape (M,)."""
        return self.scored / max(self.expected, 1)

    @property
    def is_disjoint(self) -> bool:
        """Whether each row left a trace of one model alone: no two were given the same row."""
        given = self.expected - self.missing
        return bool(given.sum() == self.expected and np.count_nonzero(given) > 1)

    def spread(self, of_models: Sequence[str], models: Sequence[str]) -> Coverage:
        """Counts about `of_models` as counts about `models`; for further ones all are missing.

        Examples
        --------
        >>> Coverage(2, [2], [0], [0], [0]).spread(("b",), ("a", "b")).missing.tolist()
        [2, 0]
        """
        columns = locate_models(of_models, models)
        counts = {}
        for name in _COUNTS:
            given = getattr(self, name)
            if given is not None:
                counts[name] = np.full(len(models), self.expected if name == "missing" else 0)
                counts[name][columns] = given
        return Coverage(self.expected, **counts)

    def take(self, columns: Sequence[int]) -> Coverage:
        """The same counts of the models at the given positions only."""
        return replace(self, **_some(self, _COUNTS, np.asarray(columns, dtype=np.intp)))


_COUNTS = ("scored", "unscored", "errors", "missing", "zeros")

# What rows can be that are no folds.
_DESIGNS = ("items", "runs", "prompts")


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """Scores of all models on the same rows of one task.

    Parameters
    ----------
    models : tuple of str
        The M models, each once.
    values : array of float, shape (n, M)
        Row = item, fold or run; NaN = not observed; higher is better.
    clusters : array of int, shape (n,), optional
        Group of each row, for rows that are not independent.
    weights : array of float, shape (n,), optional
        Positive weight of each row in the mean of the task.
    design : {"items", "runs", "prompts"} or Folds
        What a row is; ``"prompts"``: a prompt variant.
    ids : tuple of str, optional
        Names of the rows.
    answers : array of int, shape (n, M), optional
        How many answers were averaged into each value; None where each value is one answer.
    runs : array of float, shape (n, S, M), optional
        The answers of S runs (or prompts) that all models share, where every answer is there;
        their mean over runs is `values`. NaN only for models without any value.
    averaged : tuple of str
        What the answers that were averaged into a value differ in, where that is known:
        ``"runs"``, ``"prompts"``, ``"items"``, ``"folds"``.
    within : array of float, shape (n, M), optional
        Variance of the answers behind each value, with divisor K - 1 for K answers; NaN where
        there are fewer than two. With `answers` and `values` that is all a plain mean needs, and
        for 0/1 answers the counts themselves.
    trials : array of float, shape (n, S, M), optional
        The answers by run where they are not complete, or every model has runs of its own (its
        S-th is then another than that of others); NaN where there is none. See `by_run`.
    judge : array of float, shape (N, K, M), optional
        Scores by K judges on any scale: first of the n rows, which people labelled, then of rows
        without a label. NaN where there is none.

    Raises
    ------
    DataError
        If shapes disagree, a model is named twice, or a value is infinite.
    OptionError
        If `design` is something else.

    Examples
    --------
    >>> task = Items(("a", "b"), [[1.0, 0.0], [1.0, 1.0]])
    >>> task.n
    2
    """

    models: tuple[str, ...]
    values: Annotated[NDArray[np.float64], Numbers("RM")]
    clusters: Annotated[NDArray[np.int64], Numbers("R")] | None = None
    weights: Annotated[NDArray[np.float64], Numbers("R")] | None = None
    design: Literal["items", "runs", "prompts"] | Folds = "items"
    ids: tuple[str, ...] | None = None
    answers: Annotated[NDArray[np.int64], Numbers("RM")] | None = None
    runs: Annotated[NDArray[np.float64], Numbers("RSM")] | None = None
    averaged: tuple[str, ...] = ()
    within: Annotated[NDArray[np.float64], Numbers("RM")] | None = None
    trials: Annotated[NDArray[np.float64], Numbers("RTM")] | None = None
    judge: Annotated[NDArray[np.float64], Numbers("JKM")] | None = None
    _known: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __repr__(self) -> str:
        rows, models = np.shape(self.values)
        return f"Items({models} models, {rows} rows, {self.design})"

    def __post_init__(self) -> None:
        if not isinstance(self.design, Folds) and self.design not in _DESIGNS:
            raise OptionError(
                f"design must be one of {', '.join(map(repr, _DESIGNS))}, or, for folds of "
                "cross-validation, rb.Folds(repeats, folds, test_share), such as rb.Folds(1, 10); "
                f"got {self.design!r}."
            )
        shape = np.shape(self.values)
        if len(shape) != 2 or shape[1] != len(self.models):
            raise DataError(
                f"values must have one column per model ({len(self.models)}); got shape {shape}."
            )
        freeze(self)
        values, rows = self.values, shape[0]
        self._check_size(values)
        if self.within is not None and (self.within < 0).any():
            raise DataError("within holds variances, which are 0 or more.")
        if self.runs is not None:
            seen = ~np.isnan(values).all(axis=0)
            if np.isnan(self.runs[:, :, seen]).any():
                raise DataError("runs must be complete; leave them out where answers are missing.")
        if self.judge is not None and len(self.judge) < rows:
            raise DataError(f"judge must score all {rows} rows; got {len(self.judge)}.")
        if self.weights is not None and not (
            np.isfinite(self.weights).all() and (self.weights > 0).all()
        ):
            raise DataError("weights of rows must be finite and above 0.")
        if self.weights is not None and float(self.weights.max(initial=0.0)) * rows == np.inf:
            raise DataError(
                f"weights of rows are too large to be added up (up to {self.weights.max():g}). "
                "Divide all of them by the largest; only their ratios count."
            )
        if self.ids is not None and len(self.ids) != rows:
            raise DataError(f"ids must name each of the {rows} rows; got {len(self.ids)}.")

    def _check_size(self, values: NDArray[np.float64]) -> None:
        ends = (
            np.fmax.reduce(values, axis=None, initial=0),
            np.fmin.reduce(values, axis=None, initial=0),
        )
        if max(ends[0], -ends[1]) <= LARGEST_SCORE:
            return
        size = np.abs(values)
        beyond = np.isinf(size)
        row, column = np.argwhere(beyond if beyond.any() else size > LARGEST_SCORE)[0]
        if beyond.any():
            name = self.ids[row] if self.ids is not None else str(row)
            raise DataError(
                f"Model {self.models[column]!r} has an infinite score on row {name!r}; "
                "scores must be finite (leave the cell empty if it was not observed)."
            )
        raise DataError(
            f"Model {self.models[column]!r} has a score of {values[row, column]:.3g}; scores "
            f"beyond {LARGEST_SCORE:.0e} cannot be squared and compared. Change the unit."
        )

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])

    def known(self, find: Callable[[Items], Found]) -> Found:
        """What a function finds out about these scores; it is asked once."""
        if find not in self._known:
            self._known[find] = find(self)
        found: Found = self._known[find]
        return found

    @property
    def by_run(self) -> NDArray[np.float64] | None:
        """Every answer by run, shape (n, S, M), NaN where there is none; None if not known."""
        return self.trials if self.runs is None else self.runs

    @property
    def crossed(self) -> NDArray[np.float64] | None:
        """The answers by run where every model has as many to every item, whoever's runs they are.

        None where one is missing, or the runs are not known.
        """
        if self.runs is not None or self.trials is None:
            return self.runs
        seen = ~np.isnan(self.values).all(axis=0)
        return None if np.isnan(self.trials[:, :, seen]).any() else self.trials

    @property
    def kind(self) -> Literal["items", "folds", "runs"]:
        """What a row is, as one word of the board file, where prompt variants count as runs."""
        if isinstance(self.design, Folds):
            return "folds"
        return "items" if self.design == "items" else "runs"


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Published scores of one task, with their uncertainty where it is known.

    Parameters
    ----------
    models : tuple of str
        The M models, each once.
    mean : array of float, shape (M,)
        Score of each model; NaN = not published.
    se : array of float, shape (M,), optional
        Standard error of each score; the scores are then taken as independent.
    cov : array of float, shape (M, M), optional
        Covariance of the scores; use instead of `se`.
    n : array of int, shape (M,), optional
        Rows behind each score; 0 = not known.

    Raises
    ------
    DataError
        If shapes disagree, a standard error is negative, the covariance is not symmetric and
        positive semi-definite, or both `se` and `cov` are given.
    """

    models: tuple[str, ...]
    mean: Reals
    se: Reals | None = None
    cov: PairTable | None = None
    n: Counts | None = None

    def __repr__(self) -> str:
        errors = "with errors" if self.has_uncertainty else "without errors"
        return f"Estimates({len(self.models)} models, {errors})"

    def __post_init__(self) -> None:
        freeze(self)
        if np.isinf(self.mean).any():
            name = self.models[int(np.flatnonzero(np.isinf(self.mean))[0])]
            raise DataError(f"Model {name!r} has an infinite score; scores must be finite.")
        self._check_uncertainty()

    def _check_uncertainty(self) -> None:
        if self.se is not None and self.cov is not None:
            raise DataError("Give standard errors (se) or a covariance (cov), not both.")
        if self.se is not None:
            bad = (self.se < 0) | np.isinf(self.se)
            if bad.any():
                name = self.models[int(np.flatnonzero(bad)[0])]
                raise DataError(
                    f"The standard error of model {name!r} must be 0 or more and finite."
                )
        if self.cov is not None:
            finite = np.isfinite(self.cov).all()
            if not finite or not np.allclose(self.cov, self.cov.T, rtol=1e-8, atol=0.0):
                raise DataError("cov must be a finite symmetric matrix.")
            eigenvalues = np.linalg.eigvalsh(self.cov)
            if eigenvalues[0] < -1e-8 * max(eigenvalues[-1], np.finfo(float).tiny):
                raise DataError(
                    "cov is not a covariance matrix: it has a negative eigenvalue "
                    f"({eigenvalues[0]:.3g})."
                )

    @property
    def kind(self) -> Literal["estimates"]:
        """The word used in the board file."""
        return "estimates"

    @property
    def has_uncertainty(self) -> bool:
        """Whether any score comes with a standard error."""
        return self.cov is not None or (self.se is not None and not np.isnan(self.se).all())


Evidence: TypeAlias = Items | Estimates | Votes


def independent_items(evidence: Evidence | None) -> TypeGuard[Items]:
    """Whether rows are independent items of equal weight."""
    return (
        isinstance(evidence, Items)
        and evidence.design == "items"
        and evidence.clusters is None
        and evidence.weights is None
    )


def take_models(evidence: Evidence, columns: Sequence[int] | NDArray[np.intp]) -> Evidence:
    """The same evidence about the models at the given positions only."""
    chosen = np.asarray(columns, dtype=np.intp)
    if chosen.size == len(evidence.models) and (chosen == np.arange(chosen.size)).all():
        return evidence
    models = tuple(evidence.models[i] for i in chosen)
    if isinstance(evidence, Votes):
        return evidence.take(chosen)
    if isinstance(evidence, Items):
        cells = ("values", "answers", "runs", "within", "trials", "judge")
        return replace(evidence, models=models, **_some(evidence, cells, (..., chosen)))
    cov = None if evidence.cov is None else evidence.cov[np.ix_(chosen, chosen)]
    return replace(evidence, models=models, cov=cov, **_some(evidence, ("mean", "se", "n"), chosen))


def _some(held: Coverage | Items | Estimates, names: tuple[str, ...], place: Any) -> dict[str, Any]:
    """Part of each of the arrays that are there."""
    arrays = {name: getattr(held, name) for name in names}
    return {name: array[place] for name, array in arrays.items() if array is not None}


def rename_models(evidence: Evidence, models: tuple[str, ...]) -> Evidence:
    """The same evidence, its models called `models`, in their order."""
    return evidence if evidence.models == models else replace(evidence, models=models)


def cluster_items(evidence: Evidence, clusters: Mapping[str, str], task: str) -> Evidence:
    """The same evidence, its rows in the clusters that are given by the names of rows."""
    if not isinstance(evidence, Items):
        raise DataError(f"Task {task!r} has no rows that could go together.")
    if evidence.ids is None:
        raise DataError(f"Task {task!r}: rows have no names that clusters could be given by.")
    lacking = [name for name in evidence.ids if name not in clusters]
    if lacking:
        more = f" and {len(lacking) - 1} more rows" if len(lacking) > 1 else ""
        raise DataError(
            f"Task {task!r}: there is no cluster for row {lacking[0]!r}{more}. Give every row of "
            "the task one; a row by itself is a cluster of its own."
        )
    names = [clusters[name] for name in evidence.ids]
    return replace(evidence, clusters=np.unique(names, return_inverse=True)[1].reshape(-1))


def take_rows(items: Items, keep: NDArray[np.bool_]) -> Items:
    """The same evidence on the rows where `keep` is true, shape (n,)."""
    if keep.all():
        return items
    judge = items.judge
    if judge is not None:  # rows that lose their labels are judged all the same
        order = np.argsort(~keep, kind="stable")
        rest = judge[items.n :]
        judge = np.concatenate([judge[: items.n][order], rest])
    rows = ("values", "clusters", "weights", "answers", "runs", "within", "trials")
    ids = None if items.ids is None else names_where(items.ids, keep)
    return replace(items, judge=judge, ids=ids, **_some(items, rows, keep))


def same_scores(one: Evidence, other: Evidence | None) -> bool:
    """Whether two tasks hold the same scores of rows, whichever side is better."""
    if not isinstance(one, Items) or not isinstance(other, Items):
        return False
    return np.array_equal(np.abs(one.values), np.abs(other.values), equal_nan=True)
