"""What is known about every pair of models on every task: optional, for the page of a board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.fields import Freedom, Numbers, freeze
from rankbars.data.names import check_models
from rankbars.data.scorebins import ScoreBins
from rankbars.errors import DataError

__all__ = ["MOST_PAIRS", "PairDetails", "TaskPairs", "count_pairs"]

MOST_PAIRS = 100_000  # pairs of models times tasks; more would make a page slow to open
PairCounts = Annotated[NDArray[np.int64], Numbers("P", least=0)]


@dataclass(frozen=True, slots=True, eq=False)
class TaskPairs:
    """The pairs of one task: (0, 1), (0, 2), ..., (1, 2), ..., P in all.

    Parameters
    ----------
    difference : array of float, shape (P,)
        Mean of the first minus the second on the rows that both have, higher is better; NaN where
        there are none.
    se : array of float, shape (P,)
        Its standard error under the test; NaN where the test has none.
    df : array of float, shape (P,) or ()
        Degrees of freedom; infinite for a normal tail.
    n : array of int, shape (P,) or ()
        Independent rows behind the pair: items, folds, runs, clusters or votes; 0 = not known.
    ahead, behind : array of int, shape (P,), optional
        Rows on which the first did better, and the second; votes that each won.
    model_df : array of float, shape (M,)
        Degrees of freedom behind the score of each model by itself.
    binary : bool
        Whether rows are right or wrong, so that `ahead` counts rows only the first got right.
    bins : ScoreBins, optional
        How the scores of each model are spread; None where they are right or wrong, which their
        mean says already, where single scores are not known, and on large boards.

    Raises
    ------
    DataError
        If shapes disagree.
    """

    difference: Annotated[NDArray[np.float64], Numbers("P", null=np.nan)]
    se: Annotated[NDArray[np.float64], Numbers("P", least=0.0, null=np.nan)]
    df: Annotated[NDArray[np.float64], Numbers("P", least=0.0, null=np.inf, or_one=True)]
    n: Annotated[NDArray[np.int64], Numbers("P", least=0, or_one=True)]
    model_df: Freedom
    ahead: PairCounts | None = None
    behind: PairCounts | None = None
    binary: bool = False
    bins: ScoreBins | None = None

    def __post_init__(self) -> None:
        size = int(np.size(self.model_df))
        freeze(self, P=int(np.size(self.difference)), M=size)
        if self.bins is not None and len(self.bins.counts) != size:
            raise DataError(f"Bins must count the scores of {size} models.")


@dataclass(frozen=True, slots=True, eq=False)
class PairDetails:
    """Differences of all pairs of models, task by task.

    Parameters
    ----------
    models : tuple of str
        The M models.
    tasks : mapping from task to TaskPairs
        M (M - 1) / 2 pairs each.

    Raises
    ------
    DataError
        If a task has another number of pairs.
    """

    models: tuple[str, ...]
    tasks: Mapping[str, TaskPairs]

    def __repr__(self) -> str:
        return f"PairDetails({len(self.models)} models, {len(self.tasks)} tasks)"

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", check_models(self.models))
        object.__setattr__(self, "tasks", MappingProxyType(dict(self.tasks)))
        count = len(self.models) * (len(self.models) - 1) // 2
        for name, pairs in self.tasks.items():
            if pairs.difference.shape != (count,) or pairs.model_df.shape != (len(self.models),):
                raise DataError(f"Task {name!r} must have {count} pairs of {len(self.models)}.")

    def __reduce__(self) -> tuple[Any, ...]:
        # Mapping proxies cannot be pickled; worker processes and copies need results.
        return type(self), (self.models, dict(self.tasks))


def count_pairs(n_models: int, n_tasks: int) -> int:
    """Pairs of models times tasks.

    Examples
    --------
    >>> count_pairs(29, 14)
    5684
    """
    return n_models * (n_models - 1) // 2 * n_tasks
