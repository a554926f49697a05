"""A large arena whose truth is known, as Parquet files by day: ``make_arena.py FOLDER``.

Voters have tastes of their own and vote as often as Pareto's law says; longer answers win more;
the last tenth of the models come one after the other; every vote is of one of three languages and
hard or not; and the accounts of a ring vote for one model in the middle. ``--votes`` and the like
make it smaller; the same seed gives the same votes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

DAYS = 10
TIES = 0.15
STYLE = 0.3
TASTE = 0.3
RING = 40
FIRST_DAY = np.datetime64("2025-03-03")


class Truth(NamedTuple):
    """What the votes are made of."""

    strength: NDArray[np.float64]
    arrival: NDArray[np.int64]
    activity: NDArray[np.float64]
    pushed: int


def draw_truth(rng: np.random.Generator, models: int, voters: int) -> Truth:
    """Strengths from the best to the worst; a tenth of the models arrive on a later day."""
    arrival = np.zeros(models, dtype=np.int64)
    strength = np.sort(rng.normal(0, 0.6, models))[::-1]
    late = rng.choice(models, max(models // 10, 1), replace=False)
    arrival[late] = rng.integers(1, DAYS // 2 + 1, late.size)
    activity = rng.pareto(2.5, voters) + 1
    return Truth(strength, arrival, activity / activity.sum(), models // 2)


def draw_days(
    seed: int, models: int, votes: int, voters: int, *, ring: float = 0.0005, draw: int = 0
) -> Iterator[tuple[Truth, dict[str, NDArray[np.generic]]]]:
    """The truth, and the columns of one day after the other; other votes for each `draw`."""
    truth = draw_truth(np.random.default_rng([seed, 0]), models, voters)
    rng = np.random.default_rng([seed, 1, draw])
    names = np.array([f"model-{k:03}" for k in range(models)])
    for day in range(DAYS):
        n = votes // DAYS
        there = np.flatnonzero(truth.arrival <= day)
        one = rng.integers(0, there.size, n)
        first, second = there[one], there[(one + rng.integers(1, there.size, n)) % there.size]
        voter = rng.choice(voters, n, p=truth.activity)
        length = rng.normal(size=n)
        liked = _taste(draw, voter * models + first) - _taste(draw, voter * models + second)
        eta = truth.strength[first] - truth.strength[second] + STYLE * length
        fans = rng.random(n) < ring * (truth.arrival[truth.pushed] <= day)
        size = int(fans.sum())
        voter[fans] = voters + rng.integers(0, RING, size)
        first[fans] = truth.pushed
        second[fans] = rng.choice(there[there != truth.pushed], size)
        won = rng.random(n) < 1 / (1 + np.exp(-eta - liked))
        won[fans] = True
        tie = (rng.random(n) < TIES) & ~fans
        moment = (FIRST_DAY + day).astype("datetime64[s]") + np.sort(rng.integers(0, 86_400, n))
        yield truth, {
            "model_a": names[first], "model_b": names[second],
            "winner": np.where(tie, "tie", np.where(won, "model_a", "model_b")),
            "voter": voter, "length": length.round(3), "time": moment,
            "language": np.array(["de", "en", "zh"])[rng.integers(0, 3, n)],
            "hard": rng.random(n) < 0.3,
        }  # fmt: skip


def _taste(draw: int, place: NDArray[np.int64]) -> NDArray[np.float64]:
    """What a voter thinks of a model, the same on every day: normal, from mixed bits (SplitMix)."""
    bits = (place.astype(np.uint64) + np.uint64(1 + (draw << 40))) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    share = ((bits ^ (bits >> np.uint64(31))) >> np.uint64(11)).astype(np.float64)
    return np.asarray(TASTE * ndtri((share + 0.5) / 2.0**53))


def main() -> None:
    """Write the days."""
    import pandas as pd

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--models", type=int, default=300)
    parser.add_argument("--votes", type=int, default=5_000_000)
    parser.add_argument("--voters", type=int, default=600_000)
    parser.add_argument("--ring", type=float, default=0.0005, help="its share of the votes")
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    days = draw_days(chosen.seed, chosen.models, chosen.votes, chosen.voters, ring=chosen.ring)
    for day, (_, columns) in enumerate(days):
        frame = pd.DataFrame(columns)
        frame["voter"] = "voter-" + frame["voter"].astype(str)
        frame.to_parquet(chosen.folder / f"{FIRST_DAY + day}.parquet", index=False)


if __name__ == "__main__":
    main()
