"""Single votes: kept where counts per pair are not enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.arrays import frozen_array, frozen_optional
from rankbars.errors import DataError

__all__ = ["BAD", "LABELS", "LOSS", "TIE", "WIN", "Ballots", "Labels"]

WIN, TIE, LOSS, BAD = 0, 1, 2, 3
"""Outcome of a vote for its first model; `BAD` is a vote for neither of the two."""

LABELS = ("judge", "prompt", "cluster", "vote")
"""What votes may belong to together: a voter or judge, a prompt, a conversation; and ``vote``,
where one vote is shared out over several rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """What each row belongs to.

    Parameters
    ----------
    codes : array of int, shape (R,)
        Index into `names`; -1 where it is not known.
    names : tuple of str
        The names.
    """

    codes: NDArray[np.int64]
    names: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Labels({self.codes.size} rows, {len(self.names)} names)"

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", frozen_array(self.codes, np.int64, "codes"))
        size = len(self.names)
        if self.codes.size and not (self.codes.min() >= -1 and self.codes.max() < size):
            raise DataError(f"Labels must be codes from -1 to {size - 1}.")

    @property
    def groups(self) -> int:
        """How many of the names occur."""
        return int(np.count_nonzero(np.bincount(self.codes + 1, minlength=1)[1:]))


@dataclass(frozen=True, slots=True, eq=False)
class Ballots:
    """Votes as rows; equal votes may share one.

    Parameters
    ----------
    first, second : array of int, shape (R,)
        The two models, as positions in the models of the votes.
    outcome : array of int, shape (R,)
        0 the first model wins, 1 tie, 2 the second wins, 3 neither is good.
    votes : array of int, shape (R,), optional
        How many votes a row stands for; one each where not given. 0 for a further row of a vote
        that is shared out over several.
    weight, squared : array of float, shape (R,), optional
        Sum of the weights of the votes of a row, and of their squares; the number of votes where
        not given.
    labels : mapping from str to Labels
        What votes belong to together, by the words of `LABELS`.
    position : array of int, shape (R,), optional
        1 where the first model was shown first, -1 where the second was, 0 where nobody knows.
    covariates : array of float, shape (R, q), optional
        As seen from the first model: for a style feature its value less that of the second.
    covariate_names : tuple of str
        Their names.

    Raises
    ------
    DataError
        If shapes disagree, a code is out of range, or a weight is not positive.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    outcome: NDArray[np.int64]
    votes: NDArray[np.int64] | None = None
    weight: NDArray[np.float64] | None = None
    squared: NDArray[np.float64] | None = None
    labels: Mapping[str, Labels] = field(default_factory=dict)
    position: NDArray[np.int64] | None = None
    covariates: NDArray[np.float64] | None = None
    covariate_names: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Ballots({np.shape(self.first)[0]} rows)"

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", frozen_array(self.first, np.int64, "first"))
        shape = self.first.shape
        for name in ("second", "outcome"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.int64, name, shape))
        for name in ("votes", "position"):
            value = frozen_optional(getattr(self, name), np.int64, name, shape)
            object.__setattr__(self, name, value)
        for name in ("weight", "squared"):
            value = frozen_optional(getattr(self, name), np.float64, name, shape)
            object.__setattr__(self, name, value)
        columns = (shape[0], len(self.covariate_names))
        if self.covariates is not None or self.covariate_names:
            object.__setattr__(
                self,
                "covariates",
                frozen_optional(self.covariates, np.float64, "covariates", columns),
            )
        object.__setattr__(self, "labels", MappingProxyType(dict(self.labels)))
        self._check(shape[0])

    def __reduce__(self) -> tuple[Any, ...]:
        # Mapping proxies cannot be pickled; worker processes need votes.
        return type(self), (
            self.first, self.second, self.outcome, self.votes, self.weight, self.squared,
            dict(self.labels), self.position, self.covariates, self.covariate_names,
        )  # fmt: skip

    def _check(self, rows: int) -> None:
        if (self.first == self.second).any():
            raise DataError("A vote compares a model with itself; drop it.")
        if self.outcome.size and not (self.outcome.min() >= WIN and self.outcome.max() <= BAD):
            raise DataError("Outcomes must be 0 (win), 1 (tie), 2 (loss) or 3 (neither).")
        if (self.weight is None) != (self.squared is None):
            raise DataError("Give the weights of votes and their squares together.")
        if self.weight is not None and not (
            np.isfinite(self.weight).all() and (self.weight > 0).all()
        ):
            raise DataError("Weights of votes must be finite and above 0.")
        for name, labels in self.labels.items():
            if name not in LABELS or labels.codes.shape != (rows,):
                raise DataError(f"Labels {name!r} must name one of {LABELS} for each row.")
        if self.covariates is not None and not np.isfinite(self.covariates).all():
            raise DataError("Covariates of votes must be finite.")

    @property
    def counts(self) -> NDArray[np.int64]:
        """Votes behind each row, shape (R,)."""
        return np.ones(self.first.size, dtype=np.int64) if self.votes is None else self.votes

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weight of each row, shape (R,)."""
        return self.counts.astype(np.float64) if self.weight is None else self.weight

    @property
    def squares(self) -> NDArray[np.float64]:
        """Sum of squared weights of each row, shape (R,)."""
        return self.counts.astype(np.float64) if self.squared is None else self.squared

    @property
    def load(self) -> NDArray[np.float64] | NDArray[np.int64] | None:
        """Weight of each row; None where each is one vote."""
        return self.votes if self.weight is None else self.weight

    @property
    def n(self) -> int:
        """Number of votes."""
        return int(self.first.size if self.votes is None else self.votes.sum())

    def take(self, rows: NDArray[np.bool_]) -> Ballots:
        """The rows where `rows` is true; names of labels stay."""

        def some(values: Any) -> Any:
            return None if values is None else values[rows]

        return Ballots(
            self.first[rows], self.second[rows], self.outcome[rows], some(self.votes),
            some(self.weight), some(self.squared),
            {name: Labels(one.codes[rows], one.names) for name, one in self.labels.items()},
            some(self.position), some(self.covariates), self.covariate_names,
        )  # fmt: skip
