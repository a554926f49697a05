"""How many votes `rb.allocate` saves against pairs drawn alike, in simulated arenas.

Usage: python scripts/measure_votes_asked.py [MODELS [VOTES_A_DAY [DAYS [RUNS]]]]

Strengths are normal with a standard deviation of 0.6 log odds. Each day votes are asked by
`rb.allocate` on all votes before, or of pairs drawn alike; all are ranked together, weighted by one
over their probability. Printed day by day: the share of runs in which it was decided by then who is
first, or which three are; for the whole order, among how many models a model's rank lies; and the
error of the difference of the two best models, all as means.
"""

from __future__ import annotations

import sys
from statistics import fmean

import numpy as np

import rankbars as rb
from rankbars.data.votes import Ballots

GOALS: tuple[str | int, ...] = ("first", 3, "order")


def main() -> None:
    """Print a table for each goal."""
    given = [int(word) for word in sys.argv[1:]]
    models, votes, days, runs = (*given, *(30, 2000, 15, 60)[len(given) :])
    for goal in GOALS:
        print(f"{goal}: {models} models, {votes:,} votes a day, {runs} runs")
        for asked in (False, True):
            rng = np.random.default_rng(1)
            found = [one_arena(rng, models, votes, days, goal, asked) for _ in range(runs)]
            for k, what in enumerate(("", "error ")):
                means = [fmean(one[k] for one in day) for day in zip(*found, strict=True)]
                words = what + ("asked" if asked else "alike")
                print(f"  {words:12}", *(f"{mean:6.3f}" for mean in means))


def one_arena(
    rng: np.random.Generator, models: int, votes: int, days: int, goal: str | int, asked: bool
) -> list[tuple[float, float]]:
    """What was decided by each day, or how wide ranks were; and the error between the two best."""
    names = tuple(f"m{number:03}" for number in range(models))
    truth = rng.normal(0, 0.6, models)
    dice = np.random.default_rng(rng.integers(2**32))
    first, second = np.triu_indices(models, 1)
    chance = np.full(first.size, 1 / first.size)
    parts: list[tuple[np.ndarray, ...]] = []
    best = [names[i] for i in np.argsort(-truth)[:2]]
    found, decided = [], False
    for _ in range(days):
        drawn = dice.choice(first.size, votes, p=chance)
        one, other = first[drawn], second[drawn]
        won = dice.random(votes) < 1 / (1 + np.exp(truth[other] - truth[one]))
        weight = 1 / (first.size * chance[drawn])
        parts.append((one, other, np.where(won, 0, 2), weight))
        a, b, outcome, load = (np.concatenate(column) for column in zip(*parts, strict=True))
        ballots = Ballots(a, b, outcome, weight=load, squared=load**2)
        scores = rb.Scores({"arena": rb.Votes.from_ballots(names, ballots)})
        options = rb.VoteOptions(largest_component=True)
        compared = rb.compare(scores, votes=options)["arena"]
        ranks = rb.rank(compared, scope="all")
        error = float(compared.se[tuple(compared.models.index(name) for name in best)])
        top = 1 if goal == "first" else goal
        if isinstance(top, int):
            decided = decided or not ((ranks.best <= top) & (ranks.worst > top)).any()
            found.append((float(decided), error))
        else:
            found.append((float((ranks.worst - ranks.best + 1).mean()), error))
        if asked:
            made = rb.allocate(scores, 1, decide=goal)
            order = [names.index(name) for name in made.models]
            chance = chances_by_pair(made, order, models)
    return found


def chances_by_pair(made: rb.Allocation, order: list[int], models: int) -> np.ndarray:
    """Probabilities in the order of `numpy.triu_indices`."""
    table = np.zeros((models, models))
    place = np.array(order)
    one, other = place[made.first], place[made.second]
    table[np.minimum(one, other), np.maximum(one, other)] = made.probability
    chance = table[np.triu_indices(models, 1)]
    return np.asarray(chance / chance.sum())


if __name__ == "__main__":
    main()
