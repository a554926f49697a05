"""How often the leader's score is held: uncorrected, by the interval of the board, by all at once.

Rows are drawn from real results, as they are or with all models made equal.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from calibration import Calibration
from scipy import stats

import rankbars as rb
from rankbars.stats.selection import largest_deviations, simultaneous_score

TESTS = Path(__file__).parents[1]
DEMO = TESTS.parent / "src" / "rankbars" / "demos" / "mmlu_pro.parquet"


class Cell(NamedTuple):
    """Which rows are drawn, how many, and which shares and widths the docs have of them."""

    data: str
    equal: bool
    n: int
    held: tuple[float, float, float]  # uncorrected, corrected, simultaneous
    width: tuple[float, float]  # of the latter two, beside the first


CELLS = (
    Cell("mmlu_pro", False, 300, (0.96, 0.97, 1.0), (1.02, 1.53)),
    Cell("mmlu_pro", True, 300, (0.65, 0.98, 0.97), (1.35, 1.56)),
    Cell("judges", True, 100, (0.88, 0.96, 0.96), (1.22, 1.30)),
    Cell("seconds", True, 60, (0.89, 0.96, 0.94), (2.02, 1.40)),
)


@cache
def rows_of(data: str) -> np.ndarray:
    """Complete rows, higher is better."""
    if data != "mmlu_pro":
        frame = pd.read_csv(TESTS / "data" / "plasmode" / f"{data}.csv")
        return frame.iloc[:, 1:].to_numpy(float) * (-1 if data == "seconds" else 1)
    scores = rb.read(DEMO)
    tables = [pd.DataFrame(one.values, columns=one.models) for one in scores.tasks.values()]
    table = pd.concat(tables)[list(scores.models)].to_numpy(float)
    table = table[:, np.isnan(table).mean(axis=0) < 0.001]  # two models lack many questions
    return table[~np.isnan(table).any(axis=1)]


def drawn(cell: Cell, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and the true scores of the models."""
    values = rows_of(cell.data)
    mean = values.mean(axis=0)
    rows = values[rng.integers(len(values), size=cell.n)]
    if not cell.equal:
        return rows, mean
    if cell.data == "mmlu_pro":  # right answers are taken away at random until all have as few
        rows = rows * (rng.random(rows.shape) < mean.min() / mean)
    else:
        rows = rows - mean + mean.min()
    return rows, np.full_like(mean, mean.min())


def all_at_once(rows: np.ndarray, leader: int, rng: np.random.Generator) -> tuple[float, float]:
    """The interval that holds for every model."""
    correlation = np.corrcoef(rows.T)
    critical = largest_deviations(correlation, (0.95,), rng, draws=2_000, df=len(rows) - 1)[0]
    error = rows[:, leader].std(ddof=1) / np.sqrt(len(rows))
    count = len(rows) if np.isin(rows, (0.0, 1.0)).all() else 0
    found = simultaneous_score(float(rows[:, leader].mean()), float(error), critical, count)
    return found.low, found.high


@pytest.mark.slow
@pytest.mark.parametrize("cell", CELLS, ids=lambda one: f"{one.data}-{one.equal}")
def test_leaders_are_held_as_often_as_the_page_of_methods_says(
    cell: Cell, calibration: Calibration
) -> None:
    rng, runs = np.random.default_rng([7, cell.n]), calibration.runs(20, 400)
    held, widths = np.zeros(3), np.zeros(3)
    for _ in range(runs):
        rows, truth = drawn(cell, rng)
        names = [f"{i:02}" for i in range(rows.shape[1])]
        board = rb.leaderboard(rb.Scores.from_arrays({"x": rows}, names), resamples=200)
        winner = board.winner()
        leader, mean = int(winner.model), rows.mean(axis=0)
        half = stats.t.ppf(0.975, cell.n - 1) * stats.sem(rows[:, leader])
        ends = (
            (mean[leader] - half, mean[leader] + half),
            (winner.low, winner.high),
            all_at_once(rows, leader, rng),
        )
        held += [low <= truth[leader] <= high for low, high in ends]
        widths += [high - low for low, high in ends]
    for kind, hits, level in zip(
        ("uncorrected", "on the board", "all at once"), held, cell.held, strict=True
    ):
        calibration.within(hits, runs, level, slack=0.02, of=kind)
    np.testing.assert_allclose(widths[1:] / widths[0], cell.width, rtol=0.06)


def test_the_page_of_methods_has_these_figures() -> None:
    page = (TESTS.parent / "docs" / "methods.md").read_text("utf-8")
    for cell in CELLS:
        shares = " | ".join(f"{share:.2f}".removeprefix("0") for share in cell.held)
        assert f"| {shares} | {cell.width[0]:.2f} | {cell.width[1]:.2f} |" in page, cell
