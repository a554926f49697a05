"""Published scores with their uncertainty: one row per model and task, or rows without a name."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.tables.answers import Answers
from rankbars.tables.records import SCORED, UNSCORED, Records

__all__ = ["Summaries", "binomial_se", "read_summaries"]

FIELDS = ("se", "ci_low", "ci_high", "ci_level", "n", "weight")
USUAL_LEVEL = 0.95


class Summaries(NamedTuple):
    """Scores of all tasks, shape (T, M) each; NaN = not published.

    Parameters
    ----------
    mean, se : array of float
        Score as given, and its standard error.
    n : array of int
        Rows behind each score; 0 = not known.
    present : array of bool
        Whether the model has a row of the task.
    weight : array of float
        Weight as given.
    sources : frozenset of str
        Where standard errors come from: ``"se"``, ``"interval"``, ``"usual level"``, ``"rows"``.
    left_out : mapping from str to int
        Rows left out, by reason.
    """

    mean: NDArray[np.float64]
    se: NDArray[np.float64]
    n: NDArray[np.int64]
    present: NDArray[np.bool_]
    weight: NDArray[np.float64]
    sources: frozenset[str]
    left_out: Mapping[str, int]


def read_summaries(records: Records) -> Summaries:
    """One score per model and task.

    Several rows of one model and task are summarised by their mean and its standard error, if the
    table holds no uncertainty of its own: without names, rows cannot be paired between models.

    Raises
    ------
    DataError
        If a row stands twice in a table with uncertainties, or an uncertainty is impossible.
    """
    models = len(records.names["model"])
    shape = (len(records.names["task"]), models)
    fields = [name for name in FIELDS if name in records.numbers]
    _check(records)
    parts = list(records.batches(("model", "task"), fields))

    def column(name: str) -> NDArray[np.float64]:
        return np.concatenate([part.numbers[name] for part in parts])

    cell = np.concatenate([
        part.codes["task"].astype(np.int64) * models + part.codes["model"] for part in parts
    ])  # fmt: skip
    score = column("value")
    if records.is_outside(score):
        records.refuse_range()
    seen = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
    values = {name: np.full(shape, np.nan) for name in ("score", *fields)}
    for name, target in values.items():
        target.reshape(-1)[cell] = score if name == "score" else column(name)
    weight = values.get("weight", np.full(shape, np.nan))
    left_out = records.left_out()
    if seen.size and seen.max() > 1:
        if {"se", "ci_low", "n"} & set(fields):
            raise records.duplicates(())
        # What is no score is left out of means, whatever it is.
        state = np.where(np.isnan(score), UNSCORED, SCORED).astype(np.uint8)
        answers = Answers(cell, cell, score, state)
        mean, se, n = _summarise(Answers.joined([answers]), shape)
        return Summaries(mean, se, n, seen > 0, weight, frozenset({"rows"}), left_out)
    se, sources = _standard_errors(values, shape)
    n = np.nan_to_num(values.get("n", np.zeros(shape))).astype(np.int64)
    return Summaries(values["score"], se, n, seen > 0, weight, sources, left_out)


def binomial_se(proportion: NDArray[np.float64], n: NDArray[np.int64]) -> NDArray[np.float64]:
    """Standard error of a share of `n` items; NaN where `n` is 0.

    At 0 and 1 the usual formula says 0, which is false certainty. There the share is moved towards
    one half by two items on each side, as Agresti and Coull (1998) propose for intervals.

    Examples
    --------
    >>> binomial_se(np.array([0.5, 1.0]), np.array([100, 100])).round(4).tolist()
    [0.05, 0.0135]
    """
    items = np.where(n > 0, n, np.nan)
    edge = (proportion == 0.0) | (proportion == 1.0)
    share = np.where(edge, (proportion * items + 2.0) / (items + 4.0), proportion)
    return np.asarray(np.sqrt(share * (1.0 - share) / np.where(edge, items + 4.0, items)))


_FAULTS = (
    (("se",), "se < 0 OR isinf(se)", "the standard error must be 0 or more"),
    (("n",), "n < 0 OR isinf(n) OR n <> floor(n)", "n must be a whole number, 0 or more"),
    (("ci_low", "ci_high"), "ci_high < ci_low OR isinf(ci_low) OR isinf(ci_high)",
     "the interval must be finite, its low end below its high end"),
    (("ci_level",), "ci_level <= 0 OR ci_level >= 100 OR isinf(ci_level)",
     "the level of the interval must lie between 0 and 1, or 0 and 100 %"),
)  # fmt: skip


def _check(records: Records) -> None:
    """Raise `DataError` about the first uncertainty that is none."""
    for needed, condition, problem in _FAULTS:
        if records.numbers >= set(needed):
            records.refuse(condition, f"{problem}. Correct the cell or leave it empty.")


def _summarise(
    answers: Answers, shape: tuple[int, int]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    scored = answers.state == SCORED
    cell, score = answers.cell[scored], answers.score[scored]
    cells, starts, number = np.unique(cell, return_index=True, return_counts=True)
    mean, se = np.full(shape, np.nan), np.full(shape, np.nan)
    n = np.zeros(shape, np.int64)
    if len(cells):
        average = np.add.reduceat(score, starts) / number
        squares = np.add.reduceat((score - np.repeat(average, number)) ** 2, starts)
        known = number > 1
        mean.reshape(-1)[cells] = average
        n.reshape(-1)[cells] = number
        spread = squares[known] / (number[known] - 1) / number[known]
        se.reshape(-1)[cells[known]] = np.sqrt(spread)
    return mean, se, n


def _standard_errors(
    values: Mapping[str, NDArray[np.float64]], shape: tuple[int, int]
) -> tuple[NDArray[np.float64], frozenset[str]]:
    """Standard errors as given, else from intervals."""
    sources = set()
    se = values.get("se", np.full(shape, np.nan)).copy()
    if not np.isnan(se).all():
        sources.add("se")
    if "ci_low" in values and "ci_high" in values:
        level = values.get("ci_level", np.full(shape, np.nan))
        width = values["ci_high"] - values["ci_low"]
        use = np.isnan(se) & ~np.isnan(width)
        if (use & np.isnan(level)).any():
            sources.add("usual level")
        if use.any():
            sources.add("interval")
            level = np.where(np.isnan(level), USUAL_LEVEL, level)
            level = np.where(level > 1.0, level / 100.0, level)
            levels, inverse = np.unique(level[use], return_inverse=True)
            z = np.array([NormalDist().inv_cdf(0.5 + one / 2.0) for one in levels])
            se[use] = width[use] / (2.0 * z[inverse])
    return se, frozenset(sources)
