"""How often intervals of labels with a judge hold, and what the judge turns out to be worth.

Prints the table of docs/judges.md. Scores are skewed (gamma, shape .5) and share an effect of the
item; the judge has a bias for each model. Four models, 1,000 judged items, two of them equal.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.special import stdtrit

import rankbars as rb
from rankbars.stats.pairwise.judgedpairs import judge_worth, judged_t

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


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
