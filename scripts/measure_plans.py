"""Plans held against what came: parts of large results as pilots, the whole as the truth.

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

from rankbars.stats.samplesize import needed_by_pilot, paired_power, sample_size
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


def main(folder: Path) -> None:
    """Print the table."""
    print("| results | pilot | interval holds | observed: ≥ .8 | mean | 80 % sure: ≥ .8 | mean |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name, rows in (
        ("MMLU-Pro", right_or_wrong(folder / "mmlu_pro" / "scores.parquet")),
        ("AMLB", places(folder / "amlb" / "amlb2022.parquet")),
    ):
        rng = np.random.default_rng(1)
        for share in SHARES:
            cells = " | ".join(f"{one:.2f}" for one in measure(rows, share, rng))
            print(f"| {name} | {round(share * len(rows)):,} | {cells} |")
        print(rows.shape, drawn_power(rows, rng))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
