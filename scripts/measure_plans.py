"""Plans held against what came: parts of large results as pilots, the whole as the truth.

Also several comparisons at once, and neighbours told apart.

Usage, from the root of the repository::

    PYTHONPATH=src python scripts/measure_plans.py FOLDER

FOLDER holds ``mmlu_pro/scores.parquet`` and ``amlb/amlb2022.parquet``. Prints the table of
docs/plan.md: for pilots of 10, 20 and 40 % of the rows and every pair of models, how often the 95 %
interval of the number that is needed holds the true one, and how often the two plans reach a power
of 80 %.
"""

from __future__ import annotations

import itertools
import math
import sys
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

import rankbars as rb
from rankbars.stats.samplesize import (
    Needed,
    needed_by_pilot,
    paired_power,
    sample_size,
    separated_neighbours,
)
from rankbars.stats.tails import critical_value

SHARES = (0.1, 0.2, 0.4)
PILOTS, LEVEL, POWER = 40, 0.025, 0.8
CHECKED = 200  # boards that are drawn for each plan of the first and the second
MOST = 100_000


def right_or_wrong(path: Path) -> NDArray[np.float64]:
    """Answers of MMLU-Pro, items by models, on the items that all models have."""
    query = (
        f"select model, task || '/' || item as item, score from '{path}' where score is not null"
    )
    return _complete(query)


def places(path: Path) -> NDArray[np.float64]:
    """Ranks of frameworks on the data sets of AMLB, turned so that higher is better."""
    ranked = (
        "select model, task as item, -rank() over (partition by task order by mean desc) as score "
        f"from (select model, task, avg(score) as mean from '{path}' group by all)"
    )
    return _complete(ranked)


def _complete(query: str) -> NDArray[np.float64]:
    wide = duckdb.connect().execute(
        f"pivot ({query}) on model using any_value(score) group by item order by item"
    )
    columns = wide.fetchnumpy()
    values = np.column_stack(
        [
            np.ma.filled(part.astype(float), np.nan)
            for name, part in columns.items()
            if name != "item"
        ]
    )
    kept: NDArray[np.float64] = values[:, np.isnan(values).mean(axis=0) <= 0.02]
    return kept[~np.isnan(kept).any(axis=1)]


def measure(rows: NDArray[np.float64], share: float, rng: np.random.Generator) -> list[float]:
    """Shares of pairs and pilots, and the realised power of both plans."""
    count = len(rows)
    size = round(share * count)
    counts = np.zeros(5)
    tried = 0
    realised: list[list[float]] = [[], []]
    pilots = [rng.choice(count, size, replace=False) for _ in range(PILOTS)]
    for i, j in itertools.combinations(range(rows.shape[1]), 2):
        differences = rows[:, i] - rows[:, j]
        true, spread = abs(differences.mean()), differences.std(ddof=1)
        if true == 0:
            continue
        truth = sample_size(true, spread, LEVEL, POWER)
        for pilot in pilots:
            part = differences[pilot]
            gap, se = abs(part.mean()), part.std(ddof=1) / math.sqrt(size)
            if gap == 0 or se == 0:
                continue
            needed = needed_by_pilot(gap, se, size, LEVEL, POWER, size - 1)
            tried += 1
            counts[0] += needed.low <= truth <= needed.high
            for place, rows_planned in enumerate((needed.likely, needed.safe)):
                if math.isinf(rows_planned):
                    counts[2 * place + 1] += 1
                    continue
                power = paired_power(true, spread, max(rows_planned, 2), LEVEL)
                counts[2 * place + 1] += power >= POWER - 0.005
                realised[place].append(power)
        counts[4] += PILOTS
    held = counts[:4] / tried
    return [held[0], held[1], float(np.mean(realised[0])), held[3], float(np.mean(realised[1]))]


def drawn_power(rows: NDArray[np.float64], rng: np.random.Generator) -> list[float]:
    """Share of drawn boards on which planned numbers show the difference, over pairs."""
    shares = []
    for i, j in itertools.combinations(range(rows.shape[1]), 2):
        differences = rows[:, i] - rows[:, j]
        true, spread = abs(differences.mean()), differences.std(ddof=1)
        if true == 0:
            continue
        n = sample_size(true, spread, LEVEL, POWER)
        if n > MOST:
            continue
        values, where = np.unique(differences, return_counts=True)
        drawn = rng.multinomial(int(n), where / where.sum(), size=CHECKED)
        mean = drawn @ values / n
        variance = (drawn @ values**2 - n * mean**2) / (n - 1)
        t = np.sign(differences.mean()) * mean / np.sqrt(variance / n)
        shown = t >= critical_value(LEVEL, n - 1)
        shares.append(float(shown.mean()))
    return [float(np.mean(shares)), *np.quantile(shares, [0.05, 0.95])]


def errors_of(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standard errors of all differences of column means."""
    covariance = np.cov(rows.T) / len(rows)
    own = np.diag(covariance)
    return np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * covariance, 0.0))


def curves(rows: NDArray[np.float64], share: float, rng: np.random.Generator) -> list[float]:
    """Neighbours told apart by all rows; foreseen from a part; how often its band holds them."""
    count, models = rows.shape
    level = 0.05 / (models * (models - 1))
    critical = float(critical_value(level, math.inf))
    mean, se = rows.mean(axis=0), errors_of(rows)
    order = np.argsort(-mean)
    ahead, behind = order[:-1], order[1:]
    seen = int((mean[ahead] - mean[behind] >= critical * se[ahead, behind]).sum())
    expected, held = [], []
    for _ in range(100):
        part = rows[rng.choice(count, round(share * count), replace=False)]
        counts = separated_neighbours(
            part.mean(axis=0), errors_of(part), len(part), np.array([float(count)]), level,
            rng.standard_normal((3, 400, models)),
        )[:, 0]  # fmt: skip
        low, high = np.quantile(counts, [0.1, 0.9])
        expected.append(counts.mean())
        held.append(low <= seen <= high)
    return [seen, float(np.mean(expected)), float(np.mean(held))]


def several(rows: NDArray[np.float64], k: int, rng: np.random.Generator) -> list[float]:
    """Rows that settle the first k of ten; how often drawn boards do; the same from pilots."""
    ten = rows[:, np.argsort(-rows.mean(axis=0))[:10]]
    names = [f"m{i}" for i in range(ten.shape[1])]
    whole = _planned(ten, names, k)
    truth, settled = whole.likely, 0
    critical = float(critical_value(0.05 / (k * (10 - k)), truth - 1))
    for _ in range(400):
        board = ten[rng.integers(0, len(ten), int(truth))]
        mean = board.mean(axis=0)
        t = (mean[:k, None] - mean[None, k:]) / errors_of(board)[:k, k:]
        settled += bool((t >= critical).all())
    found = []
    for _ in range(60):
        part = ten[rng.choice(len(ten), len(ten) // 10, replace=False)]
        needed = _planned(part, names, k)
        found.append((needed.low <= truth <= needed.high, needed.safe >= truth))
    return [truth, settled / 400, *np.mean(found, axis=0)]


def _planned(rows: NDArray[np.float64], names: list[str], k: int) -> Needed:
    needed = rb.plan(rb.Scores.from_arrays({"x": rows}, names), top=k).needed
    if needed is None:
        raise SystemExit("The plan of a pilot has no numbers.")
    return needed


def main(folder: Path) -> None:
    """Print the table."""
    print("| results | pilot | holds | observed: reaches | mean | 80 % sure: reaches | mean |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name, rows in (
        ("MMLU-Pro", right_or_wrong(folder / "mmlu_pro" / "scores.parquet")),
        ("AMLB", places(folder / "amlb" / "amlb2022.parquet")),
    ):
        rng = np.random.default_rng(1)
        for share in SHARES:
            cells = " | ".join(f"{one:.2f}" for one in measure(rows, share, rng))
            print(f"| {name} | {round(share * len(rows)):,} | {cells} |")
        print("power of drawn boards, with its spread over pairs:", drawn_power(rows, rng))
        for share in SHARES:
            print("neighbours told apart, foreseen, held:", share, curves(rows, share, rng))
        for k in (1, 3) if name == "MMLU-Pro" else ():
            print("the first", k, "settled by, realised, held, 80 % sure:", several(rows, k, rng))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
