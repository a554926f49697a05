"""Published scores with their uncertainty: one row per model and task, or rows without a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.tables.answers import Answers, describe_duplicates
from rankbars.tables.matrices import RowIndex
from rankbars.tables.records import SCORED, CleanRows, Records

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


@dataclass(slots=True)
class _Cells:
    """The fields of every cell as they are read."""

    values: dict[str, NDArray[np.float64]]
    seen: NDArray[np.int64]


def read_summaries(records: Records, index: RowIndex) -> Summaries:
    """One score per model and task.

    Several rows of one model and task are summarised by their mean and its standard error, if the
    table holds no uncertainty of its own: without names, rows cannot be paired between models.

    Raises
    ------
    DataError
        If a row stands twice in a table with uncertainties, or an uncertainty is impossible.
    """
    models = len(records.table.names["model"])
    shape = (index.tasks, models)
    fields = ("score", *(name for name in FIELDS if name in records.table.columns))
    cells = _Cells({name: np.full(shape, np.nan) for name in fields}, np.zeros(shape, np.int64))
    left_out: Counter[str] = Counter()
    kept: list[Answers] = []
    for rows in records.rows():
        cell = rows.task * models + rows.model
        np.add.at(cells.seen.reshape(-1), cell, 1)
        for name, target in cells.values.items():
            given = rows.score if name == "score" else rows.block.numbers[name]
            target.reshape(-1)[cell] = given
        _check(records, rows)
        kept.append(Answers(cell, cell, rows.score, rows.state))
        left_out.update(rows.left_out)
    present = cells.seen > 0
    weight = cells.values.get("weight", np.full(shape, np.nan))
    if cells.seen.size and cells.seen.max() > 1:
        if {"se", "ci_low", "n"} & set(fields):
            raise describe_duplicates(records, index, ())
        mean, se, n = _summarise(Answers.joined(kept), shape)
        return Summaries(mean, se, n, present, weight, frozenset({"rows"}), left_out)
    se, sources = _standard_errors(cells.values, shape)
    n = np.nan_to_num(cells.values.get("n", np.zeros(shape))).astype(np.int64)
    return Summaries(cells.values["score"], se, n, present, weight, sources, left_out)


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


def _check(records: Records, rows: CleanRows) -> None:
    numbers = rows.block.numbers
    checks = {}
    if "se" in numbers:
        checks["the standard error must be 0 or more"] = ~_valid(numbers["se"], 0.0)
    if "n" in numbers:
        n = numbers["n"]
        checks["n must be a whole number, 0 or more"] = ~_valid(n, 0.0) | (
            np.isfinite(n) & (n != np.floor(n))
        )
    if "ci_low" in numbers and "ci_high" in numbers:
        checks["the interval must be finite, its low end below its high end"] = (
            numbers["ci_high"] < numbers["ci_low"]
        ) | np.isinf(numbers["ci_low"]) | np.isinf(numbers["ci_high"])  # fmt: skip
    if "ci_level" in numbers:
        level = numbers["ci_level"]
        checks["the level of the interval must lie between 0 and 1, or 0 and 100 %"] = (
            level <= 0
        ) | (level >= 100) | np.isinf(level)  # fmt: skip
    for problem, bad in checks.items():
        if bad.any():
            place = records.table.describe_row(rows.block, int(np.argmax(bad)))
            raise DataError(f"{place}: {problem}. Correct the cell or leave it empty.")


def _valid(values: NDArray[np.float64], low: float) -> NDArray[np.bool_]:
    return np.asarray(np.isnan(values) | ((values >= low) & np.isfinite(values)))


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
