"""Boards of real results, worked out again by slow code that shares nothing with the library.

Pairs are taken one by one, with scipy's tests, matrices of rows, all reversals written out,
resamples in loops, and integrals in place of formulas.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, linalg, optimize, stats

import rankbars as rb
from rankbars.data.standings import Winner

TESTS = Path(__file__).parents[1]
DEMO = TESTS.parent / "src" / "rankbars" / "demos" / "mmlu_pro.parquet"
P = dict[tuple[int, int], float]  # of "first better than second"


def table(name: str) -> pd.DataFrame:
    return pd.read_csv(TESTS / "data" / "plasmode" / f"{name}.csv")


@cache
def questions() -> tuple[tuple[str, ...], dict[str, np.ndarray]]:
    """Right and wrong answers of the models that lack none, task by task."""
    scores = rb.read(DEMO)
    frames = {
        name: pd.DataFrame(one.values, columns=one.models) for name, one in scores.tasks.items()
    }
    gaps = sum(frame.isna().any() for frame in frames.values())
    models = tuple(sorted(gaps.index[gaps == 0]))
    return models, {name: frame[list(models)].to_numpy(float) for name, frame in frames.items()}


def holm(p: P, alpha: float) -> set[tuple[int, int]]:
    """Holm's step-down over these hypotheses."""
    shown: set[tuple[int, int]] = set()
    for place, pair in enumerate(sorted(p, key=lambda one: p[one])):
        if p[pair] > alpha / (len(p) - place):
            break
        shown.add(pair)
    return shown


def check(board: rb.Leaderboard, p: P, size: int) -> None:
    """By Holm; from eight models on a fifth of the rate goes to those that may be first."""
    if size < 8:
        same(board, holm(p, 0.05), set(range(size)), size)
    else:
        same(board, holm(p, 0.04), bonferroni_first(p, size, 0.01), size)


def same(board: rb.Leaderboard, shown: set[tuple[int, int]], may: set[int], size: int) -> None:
    """Relation, the models that may be first, and ranks."""
    assert shown  # else nothing was compared
    found = board.aggregate or next(iter(board.tasks.values()))
    assert {tuple(pair) for pair in np.argwhere(board.shown_better).tolist()} == shown
    first = {j for j in may if not any((k, j) in shown for k in range(size))} if shown else may
    assert set(np.flatnonzero(found.may_be_first).tolist()) == first
    for j in range(size):
        better = sum((k, j) in shown for k in range(size))
        assert found.best[j] == max(1 + better, 1 if j in first else 2)
        assert found.worst[j] == size - sum((j, k) in shown for k in range(size))


def bonferroni_first(p: P, size: int, alpha: float) -> set[int]:
    """Candidates whom nobody beats by the tests against this candidate alone."""
    return {
        j for j in range(size)
        if all(p[k, j] > alpha / (size - 1) for k in range(size) if k != j)
    }  # fmt: skip


@pytest.mark.slow
def test_a_task_of_real_questions_by_holm() -> None:
    models, tasks = questions()
    rows, size = tasks["law"], len(models)
    p = {
        (i, j): float(stats.ttest_rel(rows[:, i], rows[:, j], alternative="greater").pvalue)
        for i, j in permutations(range(size), 2)
    }
    board = rb.leaderboard(rb.Scores.from_arrays({"law": rows}, models), correction="holm")
    assert len(rows) > 200  # beyond, the law of the t is no longer counted
    assert board.models == models
    check(board, p, size)


@cache
def differences_of_averages() -> tuple[P, np.ndarray, np.ndarray]:
    """P-values of all pairs on the average of 14 tasks; means, and their covariance."""
    models, tasks = questions()
    size, p = len(models), {}
    for i, j in permutations(range(size), 2):
        parts = [(np.var(d, ddof=1) / len(d), len(d) - 1)
                 for d in (rows[:, i] - rows[:, j] for rows in tasks.values())]  # fmt: skip
        variance = sum(v for v, _ in parts) / len(tasks) ** 2
        df = variance**2 / sum((v / len(tasks) ** 2) ** 2 / df for v, df in parts)
        gap = np.mean([rows[:, i].mean() - rows[:, j].mean() for rows in tasks.values()])
        p[i, j] = float(stats.t.sf(gap / math.sqrt(variance), df))
    mean = np.mean([rows.mean(axis=0) for rows in tasks.values()], axis=0)
    cov = sum(np.cov(rows.T) / len(rows) for rows in tasks.values()) / len(tasks) ** 2
    return p, mean, cov


@pytest.mark.slow
def test_an_average_of_real_tasks_by_holm() -> None:
    models, tasks = questions()
    board = rb.leaderboard(rb.Scores.from_arrays(tasks, models), correction="holm")
    p, mean, _ = differences_of_averages()
    assert board.aggregate is not None
    np.testing.assert_allclose(board.aggregate.score, mean, rtol=1e-12)
    check(board, p, len(models))


def in_clusters(d: np.ndarray, codes: np.ndarray) -> tuple[float, float]:
    """CR2 error of a mean and its degrees of freedom, by matrices with a row for every row."""
    n = len(d)
    one = np.ones((n, 1))
    left = np.eye(n) - one @ one.T / n
    picks = []
    for code in np.unique(codes):
        inside = np.flatnonzero(codes == code)
        adjust = linalg.fractional_matrix_power(left[np.ix_(inside, inside)], -0.5).real
        picks.append(np.ones(inside.size) @ adjust @ left[inside] / n)
    pick = np.array(picks)
    same_cluster = (codes[:, None] == codes).astype(float)
    freedom = []
    for working in (np.eye(n), same_cluster):
        gamma = pick @ working @ pick.T
        freedom.append(np.trace(gamma) ** 2 / np.trace(gamma @ gamma))
    return math.sqrt(float(((pick @ d) ** 2).sum())), float(np.mean(freedom))


@pytest.mark.slow
def test_repositories_as_clusters_by_matrices_of_rows() -> None:
    frame = table("repositories")
    rows, codes = frame.iloc[:, 1:].to_numpy(float), frame["repository"].to_numpy()
    models = tuple(frame.columns[1:])
    scores = rb.Scores({"x": rb.Items(models, rows, clusters=codes)})
    board = rb.leaderboard(scores, correction="holm")
    pairs = rb.compare(scores)["x"].pairs
    assert pairs is not None
    p: P = {}
    for i in range(len(models)):
        for j in range(i):
            d = rows[:, i] - rows[:, j]
            se, df = in_clusters(d, codes)
            assert pairs.se[i, j] == pytest.approx(se, rel=1e-9)
            assert pairs.df == pytest.approx(df, rel=1e-9)
            p[i, j] = float(stats.t.sf(d.mean() / se, df))
            p[j, i] = float(stats.t.sf(-d.mean() / se, df))
    check(board, p, len(models))


@pytest.mark.parametrize(("tasks", "size"), [(10, 4), (12, 5), (11, 8)])
def test_tasks_on_metrics_of_their_own_by_all_reversals(tasks: int, size: int) -> None:
    frame = table("embeddings").iloc[:tasks, 1 : size + 1]
    models = tuple(frame.columns)
    values = frame.to_numpy(float)
    names = [f"t{k:02}" for k in range(tasks)]
    made = {name: rb.Estimates(models, row) for name, row in zip(names, values, strict=True)}
    info = {name: rb.TaskInfo(metric=f"metric {name}", direction="higher") for name in names}
    board = rb.leaderboard(rb.Scores(made, info))
    assert board.aggregate is not None
    assert board.models == tuple(sorted(models))
    order = np.argsort(models)
    rank = stats.rankdata(-values[:, order], axis=1)
    signs = 1 - 2 * ((np.arange(2**tasks)[:, None] >> np.arange(tasks)) & 1)
    law = {}
    for i, j in permutations(range(size), 2):
        d = rank[:, j] - rank[:, i]  # above 0 where i is better
        law[i, j] = np.round(signs @ d / math.sqrt(float((d**2).sum()) or 1.0), 9)

    def adjusted(family: list[tuple[int, int]]) -> P:
        """Step-down: the largest of those that are left, in the share of all reversals."""
        found, left, running = {}, sorted(family, key=lambda pair: -law[pair][0]), 0.0
        while left:
            largest = np.max([law[pair] for pair in left], axis=0)
            running = max(running, float(np.mean(largest >= law[left[0]][0])))
            found[left.pop(0)] = running
        return found

    every = adjusted(list(law))
    split = size >= 8
    shown = {pair for pair, p in every.items() if p <= (0.04 if split else 0.05)}
    may = set(range(size))
    if split:
        may = {
            j for j in may
            if min(adjusted([(k, j) for k in range(size) if k != j]).values()) > 0.01
        }  # fmt: skip
    same(board, shown, may, size)


def test_seconds_by_resamples_of_requests() -> None:
    """Other resamples than the library's: pairs that are not near the limit are as on the board."""
    frame = table("seconds")
    rows = -frame.iloc[:, 1:].to_numpy(float)
    models = tuple(frame.columns[1:])
    board = rb.leaderboard(rb.Scores.from_arrays({"x": rows}, models), resamples=5_000)
    task = board.tasks["x"]
    assert task.correction == "maxt_bootstrap"
    n, size = rows.shape
    pairs = [(i, j) for i in range(size) for j in range(i)]
    d = np.stack([rows[:, i] - rows[:, j] for i, j in pairs], axis=1)
    statistic = d.mean(axis=0) / (d.std(axis=0, ddof=1) / math.sqrt(n))
    rng = np.random.default_rng(99)
    largest, candidates = [], {j: [] for j in range(size)}
    for _ in range(3_000):
        again = (d - d.mean(axis=0))[rng.integers(n, size=n)]
        t = np.abs(again.mean(axis=0)) / (again.std(axis=0, ddof=1) / math.sqrt(n))
        largest.append(t.max())
        for j in range(size):
            candidates[j].append(max(t[k] for k, pair in enumerate(pairs) if j in pair))
    limit = np.quantile(largest, 0.96)
    clear = 0
    for (i, j), t in zip(pairs, statistic, strict=True):
        if abs(abs(t) - limit) > 0.15:
            clear += 1
            assert board.shown_better[i, j] == (t > limit)
            assert board.shown_better[j, i] == (-t > limit)
    assert clear >= len(pairs) - 3
    for j in range(size):
        own = np.quantile(candidates[j], 0.99)
        beaten = max((-t if i == j else t) for (i, k), t in zip(pairs, statistic, strict=True)
                     if j in (i, k))  # fmt: skip
        if abs(beaten - own) > 0.3 and not board.shown_better[:, j].any():
            assert task.may_be_first[j] == (beaten <= own)


def test_published_errors_of_zero_by_sums_over_cells() -> None:
    frame = pd.read_csv(TESTS / "golden" / "data" / "mle_bench.csv")
    assert (frame["se"] == 0).sum() == 6
    models = sorted(frame["model"].unique())
    score = frame.pivot_table(index="model", columns="task", values="score").loc[models]
    error = frame.pivot_table(index="model", columns="task", values="se").loc[models]
    board = rb.leaderboard(rb.read(TESTS / "golden" / "data" / "mle_bench.csv"), correction="holm")
    assert board.aggregate is not None
    assert list(board.models) == models
    size, p = len(models), {}
    for i, j in permutations(range(size), 2):
        gap = variance = 0.0
        for task in score.columns:
            gap += (score[task].iloc[i] - score[task].iloc[j]) / 3
            variance += (error[task].iloc[i] ** 2 + error[task].iloc[j] ** 2) / 9
        p[i, j] = float(stats.norm.sf(gap / math.sqrt(variance)))
    check(board, p, size)


def widest(best: list[int], worst: list[int], size: int, need: int) -> tuple[int, int]:
    """The hull of all intervals that fit in with those of the tasks, each tried in turn."""
    accepted = []
    for low in range(1, size + 1):
        for high in range(low, size + 1):
            lows, highs = [*best, low], [*worst, high]
            depth = [
                min(sum(one <= b for one in lows), sum(one >= w for one in highs))
                for b, w in zip(lows, highs, strict=True)
            ]
            if sum(one <= depth[-1] for one in depth) > need:
                accepted.append((low, high))
    return min(low for low, _ in accepted), max(high for _, high in accepted)


@pytest.mark.slow
def test_a_new_task_by_trying_every_interval() -> None:
    """Eight models on 14 tasks: the rate is split, and intervals of tasks are made anew for it."""
    models, tasks = questions()
    size, names = 8, list(models[::3])[:8]
    columns = [models.index(name) for name in names]
    small = {name: rows[:300, columns] for name, rows in tasks.items()}
    board = rb.leaderboard(
        rb.Scores.from_arrays(small, names), correction="holm", merge="joint", alpha_overall=0.2
    )
    total = Fraction(1, 5) / (1 - Fraction(1, 40))
    rates = {m: 1 - m / (total * 15) for m in range(1, 15) if m < total * 15}
    need, side = max(
        (m, rate) for m, rate in rates.items() if Fraction(1, 5) <= rate <= Fraction(2, 5)
    )
    assert board.overall is not None
    assert board.overall.guarantee == pytest.approx(float(1 - Fraction(need, 15) / (1 - side)))
    best: dict[int, list[int]] = {j: [] for j in range(size)}
    worst: dict[int, list[int]] = {j: [] for j in range(size)}
    for rows in small.values():
        mean = rows.mean(axis=0)
        p = {
            (i, j): float(stats.ttest_rel(rows[:, i], rows[:, j], alternative="greater").pvalue)
            for i, j in permutations(range(size), 2)
        }
        for j in range(size):
            others = [k for k in range(size) if k != j]
            above = holm({(k, j): p[k, j] for k in others}, float(side))
            below = holm({(j, k): p[j, k] for k in others}, float(side))
            best[j].append(1 + sum(mean[k] > mean[j] for k, _ in above))
            worst[j].append(size - sum(mean[j] > mean[k] for _, k in below))
    place = [board.models.index(name) for name in names]
    for j in range(size):
        expected = widest(best[j], worst[j], size, need)
        assert (board.overall.best[place[j]], board.overall.worst[place[j]]) == expected


def hybrid(x: np.ndarray, cov: np.ndarray, critical: float, step: float) -> list[float]:
    """Estimate and ends for the best of these, by integrals of the density and by search."""
    j = int(np.argmax(x))
    error = math.sqrt(float(cov[j, j]))
    low, high = -math.inf, math.inf
    for k in range(len(x)):  # where the leader's score may lie if it still leads, given the rest
        slope = 1 - cov[k, j] / cov[j, j]
        if k != j:
            edge = x[j] - (x[j] - x[k] + step / 2) / slope
            low, high = (max(low, edge), high) if slope > 0 else (low, min(high, edge))

    def below(mean: float) -> float:
        """Chance of a leader's score below the one that was seen, inside both intervals."""
        first, last = (max(low, mean - critical * error), min(high, mean + critical * error))

        def mass(start: float, end: float) -> float:
            return integrate.quad(
                lambda y: math.exp(-(((y - mean) / error) ** 2) / 2), start, end,
                epsabs=0, epsrel=1e-10,
            )[0]  # fmt: skip

        return mass(first, min(max(float(x[j]), first), last)) / mass(first, last)

    rate = (0.05 - 0.005) / (1 - 0.005)
    inner = critical * error * (1 - 1e-6)
    found = []
    for wanted in (0.5, 1 - rate / 2, rate / 2):
        ends = (x[j] - inner, x[j] + inner)
        if below(ends[0]) <= wanted:
            found.append(ends[0])
        elif below(ends[1]) >= wanted:
            found.append(ends[1])
        else:
            found.append(optimize.brentq(lambda mean, w=wanted: below(mean) - w, *ends))
    return found


def largest_deviation(cov: np.ndarray, df: float, share: float) -> float:
    """Of any score, in its own errors: a quantile by draws of our own."""
    rng = np.random.default_rng(2024)
    made = rng.multivariate_normal(np.zeros(len(cov)), cov, size=40_000)
    largest = np.abs(made / np.sqrt(np.diag(cov))).max(axis=1)
    return float(np.quantile(largest / np.sqrt(rng.chisquare(df, len(largest)) / df), share))


def compared(winner: Winner, expected: list[float], error: float) -> None:
    """Draws of the limit differ: ends agree to three hundredths of the leader's error."""
    assert winner.method == "hybrid"
    found = [winner.score, winner.low, winner.high]
    np.testing.assert_allclose(found, expected, rtol=0, atol=0.03 * error)


@pytest.mark.parametrize(("task", "rows"), [("law", 400), ("business", 120), ("history", 60)])
def test_the_leader_of_real_questions_by_integrals(task: str, rows: int) -> None:
    models, tasks = questions()
    drawn = tasks[task][:rows]
    board = rb.leaderboard(rb.Scores.from_arrays({"x": drawn}, models))
    raw = np.cov(drawn.T) / rows
    critical = largest_deviation(raw, rows - 1, 0.995)
    x = (drawn.sum(axis=0) + 2) / (rows + 4)  # two more of either kind
    spread = np.sqrt(x * (1 - x) / (rows + 4))
    cov = np.corrcoef(drawn.T) * np.outer(spread, spread)
    winner = board.winner()
    assert winner.model == models[int(np.argmax(x))]
    compared(winner, hybrid(x, cov, critical, 1 / rows), float(spread[np.argmax(x)]))


def test_the_leader_of_real_judgements_by_integrals() -> None:
    """Scores of 0, 1/2 and 1: half a step of the mean is given away, nothing else changes."""
    frame = table("judges")
    drawn = frame[frame["set"] == "GPTInst"].iloc[:, 1:].to_numpy(float)
    models, n = tuple(frame.columns[1:]), len(drawn)
    board = rb.leaderboard(rb.Scores.from_arrays({"x": drawn}, models))
    cov = np.cov(drawn.T) / n
    expected = hybrid(drawn.mean(axis=0), cov, largest_deviation(cov, n - 1, 0.995), 0.5 / n)
    compared(board.winner(), expected, math.sqrt(float(cov.max())))


@pytest.mark.slow
def test_the_leader_of_an_average_by_integrals() -> None:
    models, tasks = questions()
    _, mean, cov = differences_of_averages()
    winner = rb.leaderboard(rb.Scores.from_arrays(tasks, models)).winner()
    j = int(np.argmax(mean))
    assert winner.model == models[j]
    expected = hybrid(mean, cov, largest_deviation(cov, 1e6, 0.995), 0.0)
    compared(winner, expected, math.sqrt(float(cov[j, j])))
