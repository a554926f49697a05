"""The counted law of t on right and wrong answers: every outcome enumerated, beside Student's."""

from __future__ import annotations

from math import comb, sqrt

import numpy as np
import pytest
from scipy import stats

import rankbars as rb
from rankbars.stats.pairwise.discordance import MOST_COUNTED, largest_tail

SHARES = np.linspace(0.001, 1.0, 1_000)  # not the shares that the package looks at


def outcomes(n: int) -> list[tuple[int, int]]:
    """Items that only the one model solves, and only the other."""
    return [(b, c) for b in range(n + 1) for c in range(n + 1 - b)]


def chances(n: int, b: int, c: int) -> np.ndarray:
    """Probability of an outcome for every share of items that differ, without a difference."""
    rest = n - b - c
    return comb(n, b) * comb(n - b, c) * (SHARES / 2) ** (b + c) * (1 - SHARES) ** rest


def plain_t(n: int, b: int, c: int) -> float:
    """The paired t of b differences of 1, c of -1 and the others 0; infinite if all are 1."""
    difference = (b - c) / n
    variance = (b + c - n * difference**2) / (n - 1)
    return difference / sqrt(variance / n) if variance > 1e-12 else (b > c) * 1e9


@pytest.mark.parametrize("n", [5, 7, 10, 13])
def test_a_tail_is_the_largest_over_all_outcomes_with_as_large_a_t(n: int) -> None:
    table = {cell: plain_t(n, *cell) for cell in outcomes(n)}
    for b, c in [(n - 1, 0), (n, 0), (n - 2, 1), (3, 1), (2, 0)]:
        least = table[b, c] - 1e-9
        reached = sum(chances(n, *cell) for cell, t in table.items() if t >= least)
        (found,) = largest_tail(n, np.array([b]), np.array([c]))
        assert found == pytest.approx(reached.max(), rel=2e-4)


def false_verdicts(n: int, alpha: float = 0.05) -> tuple[float, float]:
    """Largest probability to tell two equal models apart: as `compare` does, by Student's t."""
    counted, student = np.zeros(SHARES.size), np.zeros(SHARES.size)
    for b, c in outcomes(n):
        if b <= c:
            continue
        p = float(largest_tail(n, np.array([b]), np.array([c]))[0])
        chance = 2 * chances(n, b, c)
        counted += chance * (p <= alpha / 2)
        # One that solves everything alone has a half to the n, as ever.
        tail = 2.0**-n if b == n else stats.t.sf(plain_t(n, b, c), n - 1)
        student += chance * (tail <= alpha / 2)
    return float(counted.max()), float(student.max())


@pytest.mark.parametrize(
    ("n", "student"),
    [(5, 0.0512), (6, 0.0649), (7, 0.125), (8, 0.0856), (10, 0.0529), (13, 0.0923), (16, 0.0768),
     (21, 0.0784), (50, 0.0649)],
)  # fmt: skip
def test_counted_tests_of_equal_models_err_in_at_most_five_percent(n: int, student: float) -> None:
    counted, other = false_verdicts(n)
    assert counted <= 0.05 + 1e-4
    assert other == pytest.approx(student, abs=2e-4)


def test_beyond_two_hundred_rows_students_table_errs_in_at_most_six_percent():
    """Two models that differ on every item are the worst case; there the law is binomial."""
    worst = 0.0
    for n in range(MOST_COUNTED + 1, 1_000):
        won = np.arange(n // 2 + 1, n)
        t = (2 * won - n) / n / np.sqrt((1 - ((2 * won - n) / n) ** 2) / (n - 1))
        least = won[t >= stats.t.isf(0.025, n - 1)][0]
        worst = max(worst, 2 * stats.binom.sf(least - 1, n, 0.5))
    assert worst == pytest.approx(0.0584, abs=2e-4)


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_a_board_and_a_comparison_read_it_in_both_directions(direction: str) -> None:
    rows = np.array([[1.0, 0.0]] * 6 + [[0.0, 1.0]] + [[1.0, 1.0]] * 3)
    info = rb.TaskInfo(direction=direction)
    values = rows if direction == "higher" else -rows
    scores = rb.Scores({"t": rb.Items(("a", "b"), values)}, info={"t": info})
    (p,) = largest_tail(10, np.array([6]), np.array([1]))
    duel = rb.head_to_head(scores, "a", "b").tasks["t"]
    cell = duel.p_better if direction == "higher" else duel.p_worse
    assert cell == pytest.approx(p, rel=1e-9)
    assert rb.compare(scores)["t"].p.min() == pytest.approx(p, rel=1e-9)
    assert (duel.verdict == "cannot tell") == (p > 0.025) == (duel.low < 0.0 < duel.high)


def test_rows_with_gaps_are_counted_pair_by_pair():
    rng = np.random.default_rng(3)
    rows = (rng.random((30, 3)) < [0.8, 0.5, 0.4]).astype(float)
    rows[:12, 2] = np.nan
    p = rb.compare(rb.Scores.from_arrays({"t": rows}, ["a", "b", "c"]))["t"].p
    for i, j in ((0, 1), (0, 2)):
        both = ~np.isnan(rows[:, i]) & ~np.isnan(rows[:, j])
        b = int((rows[both, i] > rows[both, j]).sum())
        c = int((rows[both, i] < rows[both, j]).sum())
        found = largest_tail(int(both.sum()), np.array([b]), np.array([c]))
        assert p[i, j] == pytest.approx(float(found[0]), rel=1e-9)
