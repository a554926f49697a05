"""How the difference of two models is decided: by its t, by resampling rows, or approximately."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.rightanswers import is_binary
from rankbars.stats.averaging.allpairs import upper_order_statistic
from rankbars.stats.multiplicity.symmetricbootstrap import (
    Sample,
    largest_differences,
    symmetric_p,
)
from rankbars.stats.resampling.distributions import Streams
from rankbars.stats.streams import stream
from rankbars.steps.correctionchoice import RESAMPLED, choose_correction

__all__ = [
    "FEW_ROWS",
    "PairDecision",
    "PairRows",
    "average_rows",
    "decide_pair",
    "pair_streams",
    "row_sample",
]

FEW_ROWS, _MUCH = 20, 0.5  # a task with fewer rows and more of the variance is badly known


class PairRows(NamedTuple):
    """The rows behind a difference.

    Attributes
    ----------
    skewness : float, optional
        How much a few of them weigh; infinite with too few to say, None where it does not matter.
    samples : tuple of Sample
        Rows that can be resampled, of the two models; empty if they cannot.
    heavy : int
        Rows of a task with few of them that carries most of the error.
    clustered : bool
        Whether rows come in clusters.
    task_rows : int
        Independent rows of a task; 0 for clusters and averages.
    one_end : bool
        Whether scores have an end on their better side only.
    tailed : int
        Rows of the least of the tasks with few of them whose scores have one end only, where these
        carry most of the error.
    """

    skewness: float | None
    samples: tuple[Sample, ...] = ()
    heavy: int = 0
    clustered: bool = False
    task_rows: int = 0
    one_end: bool = False
    tailed: int = 0


class PairDecision(NamedTuple):
    """What decides in place of the t of a pair.

    Attributes
    ----------
    critical : float, optional
        Standard errors to either side of the difference that decide; NaN: nothing is shown.
        None where the t-test decides as ever.
    p : float
        P-value of both sides, where rows were resampled.
    approximate, measured
        Whether the level is not assured, and how often 95 % statements held.
    shows_nothing : bool
        Whether there are too few rows to show anything; an interval is approximate then.
    notes : tuple of (str, str)
        Codes and texts.
    resampled : array of float, shape (B,), optional
        The ``|t|`` of every resample, ascending, where rows were resampled.
    """

    critical: float | None = None
    p: float = np.nan
    approximate: bool = False
    measured: float | None = None
    notes: tuple[tuple[str, str], ...] = ()
    shows_nothing: bool = False
    resampled: NDArray[np.float64] | None = None


def decide_pair(
    rows: PairRows, statistic: float, alpha: float, *, insisted: bool, resamples: int
) -> PairDecision:
    """What decides about two models whose difference has the t `statistic`."""
    choice = choose_correction(
        "auto",
        alpha,
        insisted=insisted,
        index=rows.skewness,
        heavy=rows.heavy,
        tailed=rows.tailed,
        resampled=bool(rows.samples),
        clustered=rows.clustered,
        rows=rows.task_rows,
        one_end=rows.one_end,
    )
    if choice.nothing:
        return PairDecision(approximate=True, notes=choice.notes, shows_nothing=True)
    if choice.correction != RESAMPLED:
        return PairDecision(None, np.nan, choice.approximate, choice.measured, choice.notes)
    table = np.array([[0.0, statistic], [-statistic, 0.0]])
    found = largest_differences(rows.samples, table, resamples)
    if found.left_out[0, 1]:
        text = "Too few rows tell the two models apart to be resampled: nothing is shown."
        notes = (*choice.notes, ("too-few-differing-rows", text))
        return PairDecision(np.nan, np.nan, choice.approximate, choice.measured, notes)
    largest = np.sort(found.largest[:, 0])
    critical = upper_order_statistic(largest, alpha)
    p = symmetric_p(statistic, largest)
    return PairDecision(
        critical, p, choice.approximate, choice.measured, choice.notes, resampled=largest
    )


def row_sample(values: NDArray[np.float64], seed: int, key: str, weight: float = 1.0) -> Sample:
    """Rows of two models on one task, to be resampled."""
    return Sample(values, weight, pair_streams(seed, key))


def pair_streams(seed: int, key: str) -> Streams:
    """Random generator of each chunk of draws for two models on one task."""
    return lambda chunk: stream(seed, "pair", key, chunk)


def average_rows(
    tasks: Sequence[tuple[Sample, float]], variance: float, *, whole: bool, tails: Sequence[bool]
) -> PairRows:
    """The rows of all tasks of an average.

    Parameters
    ----------
    tasks : sequence of (Sample, float)
        Rows of each task, and what it adds to the variance of the difference.
    variance : float
        Of the difference of the averages.
    whole : bool
        Whether these are all the tasks, so that they can be resampled.
    tails : sequence of bool
        Of each task, whether its rows do not tell how far its scores reach.
    """
    matter = [(one, own) for one, own in tasks if not is_binary(one.values)]
    if not matter or not variance > 0:
        return PairRows(None)
    third, heavy = 0.0, 0
    for (values, weight, _, _), own in matter:
        difference = values[:, 0] - values[:, 1]
        n = len(difference)
        third += weight**3 * float(((difference - difference.mean()) ** 3).mean()) / n**2
        if n < FEW_ROWS and own > _MUCH * variance:
            heavy = n
    samples = tuple(one for one, _ in tasks) if whole else ()
    open_ended = [pair for pair, tail in zip(tasks, tails, strict=True) if tail]
    much = sum(own for _, own in open_ended) > _MUCH * variance
    tailed = min(len(one.values) for one, _ in open_ended) if much else 0
    return PairRows(abs(third) / variance**1.5, samples, heavy, tailed=tailed)
