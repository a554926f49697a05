"""What a test of all pairs says about one task, and its place in the full field of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Estimates, Items
from rankbars.data.spec import VoteOptions
from rankbars.data.taskresult import Effects, SuspectVoters
from rankbars.stats.pairwise.modelscores import ModelSummary
from rankbars.stats.pairwise.pairstatistics import PairStatistics

if TYPE_CHECKING:
    from rankbars.stats.pairwise.updates import KnownPairs

__all__ = ["PairMemory", "Setting", "Tested", "pad_tested"]


class PairMemory(Protocol):
    """Remembers pair statistics from one analysis to the next."""

    def recall(self, task: str, items: Items) -> KnownPairs:
        """What is known of all pairs of models on complete rows; measured where it is not."""


class Setting(NamedTuple):
    """What some tests need: a seed, a number of draws, what they are for; choices for votes.

    `memory` spares the paired t-test what is known already; `zero_se` says what a published error
    of 0 counts as, `runs` what several answers to an item are.
    """

    seed: int = 0
    resamples: int = 1000
    key: str = ""
    votes: VoteOptions = VoteOptions()
    memory: PairMemory | None = None
    zero_se: str = "zero"
    runs: str = "independent"


class Tested(NamedTuple):
    """What a test says about the models that are present on a task."""

    summary: ModelSummary
    pairs: PairStatistics | None
    assumptions: tuple[str, ...]
    exact_p: NDArray[np.float64] | None = None  # decides instead of `pairs`
    decided_by: PairStatistics | None = None  # decides instead of `pairs`, which describe means
    notes: tuple[tuple[str, str], ...] = ()
    about: tuple[tuple[str, str, tuple[int, ...]], ...] = ()  # notes about single models
    kept: NDArray[np.intp] | None = None  # positions of the models that were tested, if not all
    fitted: Estimates | None = None  # what corrections resample instead of the evidence
    rows: int | None = None  # rows that were used, if not all
    log_e: NDArray[np.float64] | None = None  # log e-values, where there are any
    skewness: float | None = None  # how much a few rows weigh, where that matters
    effects: Effects | None = None  # what votes were adjusted for
    suspects: SuspectVoters | None = None


def pad_tested(tested: Tested, positions: NDArray[np.int64], size: int) -> Tested:
    """The same findings among `size` models; the others are compared with nobody.

    Parameters
    ----------
    tested : Tested
        Findings about the models that are present.
    positions : array of int
        Where these models stand in the full field, ascending.
    size : int
        Number of models of the full field.
    """
    if positions.size == size:
        return tested
    vectors = [np.full(size, np.nan) for _ in range(3)]
    for target, source in zip(vectors, tested.summary, strict=True):
        target[positions] = source
    block = np.ix_(positions, positions)
    exact = tested.exact_p
    if exact is not None:
        exact = np.ones((size, size))
        exact[block] = tested.exact_p
    log_e = tested.log_e
    if log_e is not None:
        log_e = np.zeros((size, size))
        log_e[block] = tested.log_e
    return tested._replace(
        summary=ModelSummary(*vectors),
        pairs=None if tested.pairs is None else _pad_pairs(tested.pairs, block, size),
        exact_p=exact,
        log_e=log_e,
        decided_by=None
        if tested.decided_by is None
        else _pad_pairs(tested.decided_by, block, size),
    )


def _pad_pairs(pairs: PairStatistics, block: Any, size: int) -> PairStatistics:
    def square(source: Any, empty: float) -> NDArray[Any]:
        values = np.asarray(source)
        padded = np.full((size, size), empty, dtype=values.dtype)
        padded[block] = values
        return padded

    return PairStatistics(
        diff=square(pairs.diff, np.nan),
        se=square(pairs.se, np.nan),
        statistic=square(pairs.statistic, 0.0),
        df=pairs.df if np.ndim(pairs.df) == 0 else square(pairs.df, 1.0),
        n=square(pairs.n, 0),
        constant=square(pairs.constant, False),
        identical=square(pairs.identical, False),
    )
