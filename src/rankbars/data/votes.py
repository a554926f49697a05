"""Pairwise votes: single ones with all that is known of each, or counts of wins and ties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankbars.data.fields import (
    Frozen,
    Numbers,
    PairTable,
    freeze,
)
from rankbars.errors import DataError

__all__ = [
    "BAD",
    "LABELS",
    "LOSS",
    "MOST_CATEGORIES",
    "MOST_WEIGHT",
    "PERIOD_MARK",
    "TIE",
    "WIN",
    "Ballots",
    "Labels",
    "Votes",
    "controls_of",
    "labels_of",
]

WIN, TIE, LOSS, BAD = 0, 1, 2, 3
"""Outcome of a vote for its first model; `BAD` is a vote for neither of the two."""

MOST_WEIGHT = 20
"""Largest weight of a vote, over the mean, with which weighted fits were seen to hold.

Where a tenth of all pairs is drawn with equal chances it is about 10.
"""

MOST_CATEGORIES = 50  # each is a bit of a number that floats hold

PERIOD_MARK = "time: "
"""What the names of categories begin with that are periods: ``"time: week 2025-03-03"``."""

LABELS = ("judge", "prompt", "cluster", "vote")
"""What votes may belong to together: a voter or judge, a prompt, a conversation; and ``vote``,
where one vote is shared out over several rows."""

RowCodes = Annotated[NDArray[np.int64], Numbers("R")]
RowReals = Annotated[NDArray[np.float64], Numbers("R")]


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

    codes: RowCodes
    names: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Labels({self.codes.size} rows, {len(self.names)} names)"

    def __post_init__(self) -> None:
        freeze(self)
        size = len(self.names)
        if self.codes.size and not (self.codes.min() >= -1 and self.codes.max() < size):
            raise DataError(f"Labels must be codes from -1 to {size - 1}.")

    @property
    def groups(self) -> int:
        """How many of the names occur."""
        return int(np.count_nonzero(np.bincount(self.codes + 1, minlength=1)[1:]))


@dataclass(frozen=True, slots=True, eq=False)
class Ballots(Frozen):
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
    categories : array of int, shape (R,), optional
        Categories of each row, which may overlap: bit k stands for the k-th of `category_names`.
    category_names : tuple of str
        Their names, at most `MOST_CATEGORIES`.

    Raises
    ------
    DataError
        If shapes disagree, a code is out of range, or a weight is not positive.
    """

    first: RowCodes
    second: RowCodes
    outcome: RowCodes
    votes: RowCodes | None = None
    weight: RowReals | None = None
    squared: RowReals | None = None
    labels: Mapping[str, Labels] = field(default_factory=dict)
    position: RowCodes | None = None
    covariates: Annotated[NDArray[np.float64], Numbers("RC")] | None = None
    covariate_names: tuple[str, ...] = ()
    categories: RowCodes | None = None
    category_names: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Ballots({np.shape(self.first)[0]} rows)"

    def __post_init__(self) -> None:
        freeze(self, C=len(self.covariate_names))
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
            if name not in LABELS or labels.codes.shape != self.first.shape:
                raise DataError(f"Labels {name!r} must name one of {LABELS} for each row.")
        if (self.categories is None) != (not self.category_names):
            raise DataError("Give the categories of votes and their names together.")
        if len(self.category_names) > MOST_CATEGORIES:
            raise DataError(
                f"Votes have {len(self.category_names)} categories and periods; at most "
                f"{MOST_CATEGORIES} are ranked. Name columns with fewer values (--within COLUMN), "
                "or longer periods (--over-time month)."
            )
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
            some(self.categories), self.category_names,
        )  # fmt: skip


def labels_of(votes: Votes) -> Mapping[str, Labels]:
    """What single votes belong to; nothing where votes are counts."""
    return {} if votes.ballots is None else votes.ballots.labels


def controls_of(votes: Votes) -> tuple[str, ...]:
    """What is shown beside single votes, by name."""
    return () if votes.ballots is None else votes.ballots.covariate_names


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """Pairwise votes of one task, as counts.

    Parameters
    ----------
    models : tuple of str
        The M models, each once.
    wins : array of float, shape (M, M)
        ``[i, j]``: votes (or sum of weights) for i against j; the diagonal is zero.
    ties : array of float, shape (M, M), optional
        Votes without a winner, symmetric: ``[i, j]`` and ``[j, i]`` name the same votes.
    both_bad : array of float, shape (M, M), optional
        Votes for neither side, symmetric; kept apart from `ties`.
    ballots : Ballots, optional
        The single votes behind the counts, where votes have weights, belong together or come
        with covariates. Use `from_ballots`, which counts them.

    Raises
    ------
    DataError
        If shapes disagree, a count is negative or not finite, a model meets itself, or a table
        of ties is not symmetric.

    Examples
    --------
    >>> votes = Votes(("a", "b"), [[0, 3], [1, 0]], [[0, 2], [2, 0]])
    >>> votes.n
    6
    """

    models: tuple[str, ...]
    wins: PairTable
    ties: PairTable | None = None
    both_bad: PairTable | None = None
    ballots: Ballots | None = None

    def __repr__(self) -> str:
        return f"Votes({len(self.models)} models, {self.n:g} votes)"

    def __post_init__(self) -> None:
        freeze(self)
        for name in ("wins", "ties", "both_bad"):
            self._check(name, getattr(self, name))
        if self.ballots is not None and self.ballots.first.size:
            largest = max(self.ballots.first.max(), self.ballots.second.max())
            least = min(self.ballots.first.min(), self.ballots.second.min())
            if least < 0 or largest >= len(self.models):
                raise DataError("A vote names a model that is not among the models.")

    def _check(self, name: str, table: NDArray[np.float64] | None) -> None:
        if table is None:
            return
        if not (np.isfinite(table).all() and (table >= 0).all()):
            raise DataError(f"The table of {name} must hold finite counts, none below 0.")
        if np.diagonal(table).any():
            model = self.models[int(np.flatnonzero(np.diagonal(table))[0])]
            raise DataError(f"The table of {name} has votes of model {model!r} against itself.")
        if name != "wins" and not np.array_equal(table, table.T):
            raise DataError(
                f"The table of {name} must be symmetric: a tie of i and j is also one of j and i. "
                "If each tie is written once, pass ties + ties.T."
            )

    @classmethod
    def from_ballots(cls, models: Sequence[str], ballots: Ballots, *, keep: bool = True) -> Votes:
        """Votes counted from single ones.

        Parameters
        ----------
        models : sequence of str
            The M models.
        ballots : Ballots
            The votes.
        keep : bool
            Whether to keep the single votes; without them only counts are known.
        """
        size = len(models)
        place = (ballots.outcome * size + ballots.first) * size + ballots.second
        found = np.bincount(place, ballots.load, 4 * size * size).astype(np.float64)
        won, ties, lost, bad = found.reshape(4, size, size)
        return cls(
            tuple(models),
            won + lost.T,
            ties + ties.T if ties.any() else None,
            bad + bad.T if bad.any() else None,
            ballots if keep else None,
        )

    @property
    def n(self) -> int:
        """Number of votes."""
        if self.ballots is not None:
            return self.ballots.n
        total = self.wins.sum()
        for table in (self.ties, self.both_bad):
            total += 0.0 if table is None else table.sum() / 2
        return round(float(total))

    @property
    def kind(self) -> Literal["votes"]:
        """The word used in the board file."""
        return "votes"

    @property
    def met(self) -> NDArray[np.float64]:
        """Votes (or sum of weights) between each two models, shape (M, M), symmetric."""
        total = self.wins + self.wins.T
        for table in (self.ties, self.both_bad):
            if table is not None:
                total = total + table
        return total

    @property
    def per_model(self) -> NDArray[np.int64]:
        """Votes that each model took part in, shape (M,), whatever their weight.

        Examples
        --------
        >>> Votes(("a", "b", "c"), [[0, 3, 1], [1, 0, 0], [0, 0, 0]]).per_model.tolist()
        [5, 4, 1]
        """
        if self.ballots is None:
            return np.asarray(np.rint(self.met.sum(axis=1)), dtype=np.int64)
        sides = np.concatenate([self.ballots.first, self.ballots.second])
        counts = np.tile(self.ballots.counts, 2)
        return np.asarray(np.bincount(sides, counts, len(self.models)), dtype=np.int64)

    @property
    def largest_weight(self) -> float | None:
        """The largest weight of a vote over the mean of all; None where votes count alike.

        Weights of one over the probability of a pair, times the chance it had if pairs were alike,
        have a mean of 1 in the long run.
        """
        ballots = self.ballots
        if ballots is None or ballots.weight is None:
            return None
        mean = float(ballots.weight.sum() / ballots.counts.sum())
        return float((ballots.weight / np.maximum(ballots.counts, 1)).max() / mean)

    def take(self, columns: NDArray[np.intp]) -> Votes:
        """The votes among the models at the given positions, in that order."""
        block = np.ix_(columns, columns)
        ballots = self.ballots
        if ballots is not None:
            place = np.full(len(self.models), -1, dtype=np.int64)
            place[columns] = np.arange(len(columns))
            kept = ballots.take((place[ballots.first] >= 0) & (place[ballots.second] >= 0))
            ballots = replace(kept, first=place[kept.first], second=place[kept.second])
        return Votes(
            tuple(self.models[i] for i in columns),
            self.wins[block],
            None if self.ties is None else self.ties[block],
            None if self.both_bad is None else self.both_bad[block],
            ballots,
        )
