"""Races held against real results: what they cost, whom they lose, and what ties do to them.

Usage, from the root of the repository::

    PYTHONPATH=src python scripts/measure_races.py FOLDER [replay|ties]

FOLDER holds ``mmlu_pro/scores.parquet``, ``swebench_pro/scores.parquet`` and
``swebench_bash_only/instances.parquet``. Prints the tables of docs/race.md. A replay draws random
orders of the recorded items; "all calls" are those of all models on all items. A fixed design of
equal cost runs all models on as many items as the race paid for, and is ranked as `rankbars rank`
does. For ties the best models of a board are made exchangeable: on each item their scores are dealt
out anew.
"""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

import rankbars as rb
from rankbars.stats.racestates import (
    RaceState,
    add_racer,
    going_on,
    race_evidence,
    settle_batch,
    start_race,
)

BOARDS = {
    "MMLU-Pro": ("mmlu_pro/scores.parquet", "task || '/' || item", "score"),
    "SWE-bench Pro": ("swebench_pro/scores.parquet", "task || '/' || item", "score"),
    "SWE-bench, bash only": ("swebench_bash_only/instances.parquet", "item", "score"),
}
ORDERS, TIED_ORDERS, FIXED = 200, 1000, 40
ALPHA, LEAST_COVERED, TIED = 0.05, 0.98, 5

Array = NDArray[np.float64]


def complete(path: Path, item: str, score: str) -> Array:
    """Items × models: models with nearly every item, on the items that all of these have."""
    rows = duckdb.connect().execute(
        f"select {item} as item, model, {score}::double from '{path}' where {score} is not null"
    ).fetchall()  # fmt: skip
    items = {name: k for k, name in enumerate(sorted({row[0] for row in rows}))}
    models = {name: k for k, name in enumerate(sorted({row[1] for row in rows}))}
    values = np.full((len(items), len(models)), np.nan)
    for name, model, value in rows:
        values[items[name], models[model]] = value
    values = values[:, (~np.isnan(values)).mean(axis=0) >= LEAST_COVERED]
    whole: Array = values[~np.isnan(values).any(axis=1)]
    return whole


def race(values: Array, k: int, batch: int) -> tuple[RaceState, int]:
    """The race to its end, and its calls."""
    state, calls = start_race(values.shape[1], k), 0
    while going_on(state.call).any() and state.at < len(values):
        rows = values[state.at : state.at + batch][:, going_on(state.call)]
        calls += rows.size
        state = settle_batch(state, rows, ALPHA)
    return state, calls


def possible(values: Array, k: int) -> int:
    """How many models may be first, or among the first k, on these items with all of them run."""
    names = [f"{j:03d}" for j in range(values.shape[1])]
    return len(rb.leaderboard(rb.Scores.from_arrays({"t": values}, names)).top(k))


def replay(name: str, values: Array) -> None:
    """One line of the table for each goal and batch."""
    best = np.argsort(-values.mean(axis=0), kind="stable")
    for k, batches in ((1, (5, 25, 100)), (3, (25,))):
        if k >= values.shape[1]:
            continue
        fixed = possible(values, k)
        for batch in batches:
            shares, left, lost, equal = [], [], 0, []
            for seed in range(ORDERS if k == 1 else ORDERS // 4):
                shuffled = values[np.random.default_rng(seed).permutation(len(values))]
                state, calls = race(shuffled, k, batch)
                shares.append(calls / values.size)
                left.append(int((state.call != -1).sum()))
                lost += bool((state.call[best[:k]] == -1).any())
                if seed < FIXED and batch == 25:
                    equal.append(possible(shuffled[: max(calls // values.shape[1], 2)], k))
            low, high = np.quantile(shares, [0.1, 0.9])
            beside = f"{np.mean(equal):.1f}" if equal else ""
            goal = "first" if k == 1 else f"top {k}"
            print(
                f"| {name} ({values.shape[1]} × {len(values):,}) | {goal} | {batch} | "
                f"{np.mean(shares):.3f} | {low:.3f} to {high:.3f} | {np.mean(left):.1f} | {fixed} "
                f"| {beside} | {lost} |",
                flush=True,
            )


def tied_race(values: Array, k: int, seed: int) -> RaceState:
    """A race with batches of 5 to 500 that depend on what was seen, and a late model."""
    rng = np.random.default_rng(seed)
    size = values.shape[1]
    state = start_race(size - 1, k)
    while going_on(state.call).any() and state.at < len(values):
        near = race_evidence(state).max() > 2.0
        batch = 5 if near else int(rng.choice([25, 100, 500]))
        if state.call.size < size and state.at >= 50:
            state = add_racer(state, ALPHA)
        rows = values[state.at : state.at + batch, : state.call.size][:, going_on(state.call)]
        state = settle_batch(state, rows, ALPHA)
    return state


def ties(name: str, values: Array) -> None:
    """How often a tied best model is dropped, or a call contradicts one choice of the first k."""
    best = np.argsort(-values.mean(axis=0), kind="stable")[:TIED]
    for k in (1, 2):
        wrong = 0
        for seed in range(TIED_ORDERS):
            rng = np.random.default_rng(seed)
            shuffled = values[rng.permutation(len(values))][:3000][:, best]
            tied = rng.permuted(shuffled, axis=1)
            call = tied_race(tied, k, seed).call
            wrong += bool((call[:k] == -1).any() or (k > 1 and (call[k:] == 1).any()))
        goal = "first" if k == 1 else f"top {k}"
        error = np.sqrt(ALPHA * (1 - ALPHA) / TIED_ORDERS)
        print(
            f"| {name}, the best {TIED} made exchangeable | {goal} | {wrong / TIED_ORDERS:.3f} | "
            f"≤ {ALPHA + 3 * error:.3f} |",
            flush=True,
        )


def main() -> None:
    """Print what is asked for."""
    folder, what = Path(sys.argv[1]), sys.argv[2:] or ["replay", "ties"]
    for name, (path, item, score) in BOARDS.items():
        values = complete(folder / path, item, score)
        if "replay" in what:
            replay(name, values)
        if "ties" in what:
            ties(name, values)


if __name__ == "__main__":
    main()
