"""A large arena whose truth is known, as Parquet files by day: ``make_arena.py FOLDER``.

Voters have tastes of their own and vote as often as Pareto's law says; longer answers win more;
the last tenth of the models come one after the other; every vote is of one of three languages and
hard or not; and the accounts of a ring vote for one model in the middle. ``--puppets`` adds a burst
on one day, of accounts with two votes each for another model; ``--drift`` changes a third one; with
``--adaptive`` pairs that looked close on the days before are asked more often, and every vote has
the probability of its pair. ``--votes`` and the like make it smaller; the same seed gives the same
votes.
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
EVEN = 0.2
CLOSE = 0.3
FIRST_DAY = np.datetime64("2025-03-03")


class Truth(NamedTuple):
    """What the votes are made of."""

    strength: NDArray[np.float64]
    arrival: NDArray[np.int64]
    activity: NDArray[np.float64]
    pushed: int
    burst: int
    changed: int


def draw_truth(rng: np.random.Generator, models: int, voters: int, days: int = DAYS) -> Truth:
    """Strengths from the best to the worst; a tenth of the models arrive on a later day."""
    arrival = np.zeros(models, dtype=np.int64)
    strength = np.sort(rng.normal(0, 0.6, models))[::-1]
    late = rng.choice(models, max(models // 10, 1), replace=False)
    arrival[late] = rng.integers(1, days // 2 + 1, late.size)
    activity = rng.pareto(2.5, voters) + 1
    activity /= activity.sum()
    first = np.flatnonzero(arrival == 0)
    burst, changed = (int(first[first.size * k // 8]) for k in (6, 2))
    return Truth(strength, arrival, activity, models // 2, burst, changed)


class Findable(NamedTuple):
    """What is hidden beside the ring: shares of votes, a change in log odds, how pairs are asked.

    Attributes
    ----------
    puppets : float
        Share of the votes of one day, after seven tenths of all, that new accounts cast for one
        model, two each.
    drift : float
        By how much one model is better in the later half of the days.
    adaptive : bool
        Whether earlier results choose pairs.
    """

    puppets: float = 0.0
    drift: float = 0.0
    adaptive: bool = False


_NOTHING = Findable()


def draw_days(
    seed: int,
    models: int,
    votes: int,
    voters: int,
    *,
    ring: float = 0.0005,
    draw: int = 0,
    days: int = DAYS,
    hidden: Findable = _NOTHING,
) -> Iterator[tuple[Truth, dict[str, NDArray[np.generic]]]]:
    """The truth, and the columns of one day after the other; other votes for each `draw`."""
    truth = draw_truth(np.random.default_rng([seed, 0]), models, voters, days)
    rng = np.random.default_rng([seed, 1, draw])
    other = np.random.default_rng([seed, 2, draw])
    names = np.array([f"model-{k:03}" for k in range(models)])
    wins, met = np.zeros((2, models))
    for day in range(days):
        n = votes // days
        there = np.flatnonzero(truth.arrival <= day)
        one = rng.integers(0, there.size, n)
        first, second = there[one], there[(one + rng.integers(1, there.size, n)) % there.size]
        chance = _chances(there, wins, met, even=1.0 if day == 0 else EVEN)
        if hidden.adaptive:
            drawn = other.choice(chance.size, n, p=chance.ravel())
            first, second = there[drawn // there.size], there[drawn % there.size]
        voter = rng.choice(voters, n, p=truth.activity)
        length = rng.normal(size=n)
        liked = _taste(draw, voter * models + first) - _taste(draw, voter * models + second)
        better = hidden.drift * (day >= days // 2)
        now = truth.strength + better * (np.arange(models) == truth.changed)
        eta = now[first] - now[second] + STYLE * length
        fans = rng.random(n) < ring * (truth.arrival[truth.pushed] <= day)
        size = int(fans.sum())
        voter[fans] = voters + rng.integers(0, RING, size)
        first[fans] = truth.pushed
        second[fans] = rng.choice(there[there != truth.pushed], size)
        won = rng.random(n) < 1 / (1 + np.exp(-eta - liked))
        puppets = ~fans & (other.random(n) < hidden.puppets * (day == days * 7 // 10))
        size = int(puppets.sum())
        voter[puppets] = voters + RING + np.arange(size) // 2
        first[puppets] = truth.burst
        second[puppets] = other.choice(there[there != truth.burst], size)
        won[fans | puppets] = True
        tie = (rng.random(n) < TIES) & ~fans & ~puppets
        seconds = np.sort(rng.integers(0, 86_400, n)).astype("timedelta64[s]")
        moment = (FIRST_DAY + np.timedelta64(day, "D")).astype("datetime64[s]") + seconds
        share = np.where(tie, 0.5, won)
        wins += np.bincount(first, share, models) + np.bincount(second, 1 - share, models)
        met += np.bincount(first, minlength=models) + np.bincount(second, minlength=models)
        place = np.searchsorted(there, [first, second])
        asked = {"sampling_probability": 2 * chance[place[0], place[1]]} if hidden.adaptive else {}
        yield truth, {
            "model_a": names[first], "model_b": names[second],
            "winner": np.where(tie, "tie", np.where(won, "model_a", "model_b")),
            "voter": voter, "length": length.round(3), "time": moment,
            "language": np.array(["de", "en", "zh"])[rng.integers(0, 3, n)],
            "hard": rng.random(n) < 0.3, **asked,
        }  # fmt: skip


def _chances(
    there: NDArray[np.int64], wins: NDArray[np.float64], met: NDArray[np.float64], *, even: float
) -> NDArray[np.float64]:
    """Probability of each model first and each second: mostly of those that look close so far."""
    share = (wins[there] + 1) / (met[there] + 2)
    looks = np.log(share / (1 - share))
    close = np.exp(-np.abs(looks[:, None] - looks) / CLOSE)
    apart = 1.0 - np.eye(there.size)
    close *= apart
    return np.asarray(even * apart / apart.sum() + (1 - even) * close / close.sum())


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
    parser.add_argument("--days", type=int, default=DAYS)
    parser.add_argument("--ring", type=float, default=0.0005, help="its share of the votes")
    parser.add_argument("--puppets", type=float, default=0.0, help="their share of one day's votes")
    parser.add_argument("--drift", type=float, default=0.0, help="a change of one model, log odds")
    parser.add_argument("--adaptive", action="store_true", help="earlier results choose pairs")
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    hidden = Findable(chosen.puppets, chosen.drift, chosen.adaptive)
    sizes = chosen.seed, chosen.models, chosen.votes, chosen.voters
    days = draw_days(*sizes, ring=chosen.ring, days=chosen.days, hidden=hidden)
    for day, (_, columns) in enumerate(days):
        frame = pd.DataFrame(columns)
        frame["voter"] = "voter-" + frame["voter"].astype(str)
        frame.to_parquet(chosen.folder / f"{FIRST_DAY + day}.parquet", index=False)


if __name__ == "__main__":
    main()
