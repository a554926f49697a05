"""How often intervals of labels with a judge hold, and what the judge turns out to be worth.

Prints the tables of docs/judges.md. Scores are skewed (gamma, shape .5) and share an effect of the
item; the judge has a bias for each model. Four models, 1,000 judged items, two of them equal.

With ``votes`` as second argument it is votes of people on pairs of answers drawn at random, and of
a judge on 2,000, which agrees with people in some of them and in the others likes other models.

With ``voters`` people have a taste of their own and give five votes each, on average, of which a
judge saw 4,000.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.special import expit, stdtrit

import rankbars as rb
from rankbars.data.votes import Ballots, Labels, Votes
from rankbars.stats.pairwise.judgedpairs import judge_worth, judged_t
from rankbars.stats.votes.votecovariance import strength_rows
from rankbars.steps.votes.votejudging import judged_votes

ROWS, NAMES, GAPS = 1_000, ("a", "b", "c", "d"), np.array([0.3, 0.1, 0.0, 0.0])


def main(runs: int) -> None:
    """Measure every cell with so many data sets."""
    print(
        "| correlation | labels | pairs, with the judge | pairs, labels alone | error, ratio "
        "| worth, mean of squares | worth, predicted | interval of it | ranks | judge used |"
    )
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for rho in (0.3, 0.6, 0.8):
        for labels in (20, 50, 100):
            print(_cell(rho, labels, runs), flush=True)


def _cell(rho: float, labels: int, runs: int) -> str:
    rng = np.random.default_rng([int(100 * rho), labels])
    hits: list[np.ndarray] = []
    alone: list[np.ndarray] = []
    ratio, squares, inside, ranks, used = [], [], 0, 0, 0
    predicted = 1 / (1 - rho**2 * (1 - labels / ROWS))
    upper = np.triu_indices(4, 1)
    truth = (GAPS[:, None] - GAPS)[upper]
    names = tuple(map(str, range(ROWS)))
    for _ in range(runs):
        skew = rng.gamma(0.5, size=(ROWS, 4))
        people = skew + GAPS + rng.normal(size=(ROWS, 1))
        noise = np.sqrt(0.5 * (1 / rho**2 - 1)) * rng.normal(size=skew.shape)
        judge = people + noise + [0.5, 0.0, -0.3, 0.0]
        given = np.where(np.arange(ROWS)[:, None] < labels, people, np.nan)
        tuned, plain = judged_t(given, judge[:, None]), judged_t(given, 0 * judge[:, None])
        for found, kept in ((tuned, hits), (plain, alone)):
            df = np.broadcast_to(found.pairs.df, (4, 4))[upper]
            off = np.abs(found.pairs.diff[upper] - truth)
            kept.append(off <= stdtrit(df, 0.975) * found.pairs.se[upper])
        ratio.append(np.median(tuned.pairs.se[upper] / plain.pairs.se[upper]))
        squares.append([(one.pairs.diff[upper] - truth) ** 2 for one in (plain, tuned)])
        worth = judge_worth(tuned, 1)
        inside += worth.low <= predicted <= worth.high
        made = rb.leaderboard(
            rb.with_judge(
                rb.Scores({"t": rb.Items(NAMES, people[:labels], ids=names[:labels])}),
                rb.Scores({"t": rb.Items(NAMES, judge, ids=names)}),
            ),
            independent_rows=True,
        ).tasks["t"]
        used += made.test == "judge_t"
        ranks += bool((made.best <= [1, 2, 3, 3]).all() and (made.worst >= [1, 2, 4, 4]).all())
    before, after = np.mean(squares, axis=0)[0].sum(), np.mean(squares, axis=0)[1].sum()
    cells = (
        f"{rho:g}", f"{labels}", f"{np.mean(hits):.3f}", f"{np.mean(alone):.3f}",
        f"{np.median(ratio):.2f}", f"{before / after:.2f}", f"{predicted:.2f}",
        f"{inside / runs:.3f}", f"{ranks / runs:.3f}", f"{used / runs:.2f}",
    )  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def measure_votes(runs: int) -> None:
    """Measure every cell of votes with so many data sets."""
    print(
        "| models | agreement | votes | pairs, with the judge | pairs, votes alone | error, ratio "
        "| worth, mean of squares | worth, predicted | ranks | judge used |"
    )
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for models in (4, 8):
        for agreement in (0.3, 0.8):
            for votes in (50, 100, 300):
                print(_vote_cell(models, agreement, votes, runs), flush=True)


def _vote_cell(models: int, agreement: float, votes: int, runs: int) -> str:
    rng = np.random.default_rng([models, int(100 * agreement), votes])
    true = np.linspace(0.8, -0.8, models)
    true[-2] = true[-1]
    true -= true.mean()
    liked, names = np.roll(true, 1), tuple(f"m{k}" for k in range(models))
    upper = np.triu_indices(models, 1)
    truth = (true[:, None] - true)[upper]
    above, below = (true[:, None] < true).sum(axis=1), (true[:, None] > true).sum(axis=1)
    hits: list[np.ndarray] = []
    alone: list[np.ndarray] = []
    ratio, squares, gains, ranks, used, done = [], [], [], 0, 0, 0
    for _ in range(runs):
        first = rng.integers(models, size=2 * ROWS)
        second = (first + rng.integers(1, models, size=2 * ROWS)) % models
        people = rng.random(2 * ROWS) < expit(true[first] - true[second])
        other = rng.random(2 * ROWS) < expit(liked[first] - liked[second])
        judge = np.where(rng.random(2 * ROWS) < agreement, people, other)
        try:
            own = strength_rows(first[:votes], second[:votes], 1.0 * people[:votes], models)
        except rb.RankbarsError:  # somebody won or lost all votes
            continue
        done += 1
        told = strength_rows(first, second, 1.0 * judge, models).values[:, None]
        given = np.full((2 * ROWS, models), np.nan)
        given[:votes] = own.values
        tuned, plain = judged_t(given, told), judged_t(given, 0 * told)
        for found, kept in ((tuned, hits), (plain, alone)):
            df = np.broadcast_to(found.pairs.df, (models, models))[upper]
            off = np.abs(found.pairs.diff[upper] - truth)
            kept.append(off <= stdtrit(df, 0.975) * found.pairs.se[upper])
        ratio.append(np.median(tuned.pairs.se[upper] / plain.pairs.se[upper]))
        squares.append([(one.pairs.diff[upper] - truth) ** 2 for one in (plain, tuned)])
        gains.append(judge_worth(tuned, 1).gain)
        made = rb.leaderboard(
            rb.with_judge(
                rb.Scores({"votes": _votes(names, first[:votes], second[:votes], people[:votes])}),
                rb.Scores({"votes": _votes(names, first, second, judge)}),
            ),
            independent_rows=True,
        ).tasks["votes"]
        used += made.test == "judge_t"
        ranks += bool((made.best <= 1 + above).all() and (made.worst >= models - below).all())
    before, after = np.mean(squares, axis=0)[0].sum(), np.mean(squares, axis=0)[1].sum()
    cells = (
        f"{models}", f"{agreement:g}", f"{votes}", f"{np.mean(hits):.3f}", f"{np.mean(alone):.3f}",
        f"{np.median(ratio):.2f}", f"{before / after:.2f}", f"{np.mean(gains):.2f}",
        f"{ranks / done:.3f}", f"{used / done:.2f}",
    )  # fmt: skip
    return "| " + " | ".join(cells) + f" |{'' if done == runs else f' {runs - done} left out'}"


def measure_voters(runs: int) -> None:
    """Measure every cell of people with several votes each with so many data sets."""
    print(
        "| agreement | people | pairs, with the judge | pairs, votes alone "
        "| pairs, as if every vote went by itself | error, ratio |"
    )
    print("|--:|--:|--:|--:|--:|--:|")
    for agreement in (0.3, 0.8):
        for people in (50, 100, 300):
            print(_voter_cell(agreement, people, runs), flush=True)


def _voter_cell(agreement: float, people: int, runs: int) -> str:
    rng = np.random.default_rng([int(100 * agreement), people, 5])
    models, rows, names = 4, 4 * ROWS, tuple("abcd")
    true = np.array([0.7, 0.2, -0.2, -0.7])
    upper = np.triu_indices(models, 1)
    fitted = _fit_to_tastes(true)
    truth = (fitted[:, None] - fitted)[upper]
    hits: dict[str, list[np.ndarray]] = {"judge": [], "alone": [], "votes": []}
    ratio = []
    for _ in range(runs):
        first = rng.integers(models, size=rows)
        second = (first + rng.integers(1, models, size=rows)) % models
        voter = np.repeat(np.arange(people), 1 + rng.poisson(4, size=people))
        votes = len(voter)
        taste = rng.normal(size=(people, models))[voter]
        taste = np.concatenate([taste, rng.normal(size=(rows - votes, models))])
        every = np.arange(rows)
        gap = true[first] - true[second] + taste[every, first] - taste[every, second]
        won = rng.random(rows) < expit(gap)
        liked = np.roll(true, 1)
        other = rng.random(rows) < expit(liked[first] - liked[second])
        agrees = rng.random(rows) < agreement
        judge = _votes(names, first, second, np.where(agrees, won, other))
        given = first[:votes], second[:votes], won[:votes]
        errors = {}
        for kind, voters in (("judge", voter), ("votes", None)):
            ballots = _votes(names, *given, voters)
            found = judged_votes("votes", ballots, [judge])
            told = found.judges[0].values[:, None]
            labels = np.full((len(told), models), np.nan)
            labels[: found.people.n] = found.people.values
            for which, by in ((kind, told), ("alone", 0 * told))[: 1 + (kind == "judge")]:
                pairs = judged_t(labels, by).pairs
                df = np.broadcast_to(pairs.df, (models, models))[upper]
                errors[which] = pairs.se[upper]
                off = np.abs(pairs.diff[upper] - truth)
                hits[which].append(off <= stdtrit(df, 0.975) * pairs.se[upper])
        ratio.append(np.median(errors["judge"] / errors["alone"]))
    cells = (
        f"{agreement:g}", f"{people}", *(f"{np.mean(one):.3f}" for one in hits.values()),
        f"{np.median(ratio):.2f}",
    )  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def _fit_to_tastes(true: np.ndarray) -> np.ndarray:
    """Strengths that fit the votes of endlessly many people with tastes of their own."""
    at, weight = np.polynomial.hermite_e.hermegauss(60)
    size = len(true)
    first, second = np.nonzero(~np.eye(size, dtype=bool))
    gap = (true[first] - true[second])[:, None] + np.sqrt(2.0) * at
    chance = expit(gap) @ (weight / weight.sum())
    return np.asarray(strength_rows(first, second, chance, size).values.mean(axis=0))


def _votes(
    names: tuple[str, ...],
    first: np.ndarray,
    second: np.ndarray,
    won: np.ndarray,
    voter: np.ndarray | None = None,
) -> Votes:
    labels = {"prompt": Labels(np.arange(len(first)), tuple(map(str, range(len(first)))))}
    if voter is not None:
        labels["judge"] = Labels(voter, tuple(map(str, range(voter.max() + 1))))
    ballots = Ballots(first, second, np.where(won, 0, 2), labels=labels)
    return Votes.from_ballots(names, ballots)


if __name__ == "__main__":
    measures = {"votes": measure_votes, "voters": measure_voters}
    measures.get("".join(sys.argv[2:]), main)(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
