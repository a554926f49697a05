"""What is chosen by its result: the observed winner, and the moment at which one stops.

An interval for one model named in advance is not one for the winner: models are exactly tied, all
of them or in two groups. Looking again and again at growing data: repeated z-tests against an
e-process, on wins and losses of one pair of models; without a difference, a fair coin.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

import rankbars as rb
from rankbars.simulate.coverages import Published, covers, tally_rows, trap
from rankbars.simulate.populations import model_names, true_rank_sets
from rankbars.simulate.study import Table
from rankbars.stats.streams import stream
from rankbars.stats.votes.anytime import log_e_better, log_e_two_sided

__all__ = ["peeking", "winner"]

STEPS, LOOKS = 2000, 40
ALPHA = 0.05
CRITICAL = NormalDist().inv_cdf(1 - ALPHA / 2)
COINS = {"no difference": 0.5, "wins 56 %": 0.56}

PUBLISHED_LOOKS: Published = {
    ("no difference", "z-test, 40 looks", "rejections"): 0.316,
    ("no difference", "e-process, two-sided", "rejections"): (0.040, 0.044),
    ("no difference", "e-process, better", "rejections"): (0.040, 0.044),
    ("wins 56 %", "z-test, once at the end", "rejections"): 0.999,
    ("wins 56 %", "e-process, two-sided", "rejections"): 0.978,
}


ITEMS = 200
GAP = 0.3  # between two groups, in standard deviations of a score

DESIGNS = {
    "10 models, all tied": (10, 1),
    "30 models, all tied": (30, 1),
    "30 models, two tied groups": (30, 2),
}

PUBLISHED = {
    ("10 models, all tied", "each", "coverage of one model"): 0.963,
    ("10 models, all tied", "each", "coverage of the observed winner"): 0.860,
    ("10 models, all tied", "each", "coverage of all models"): 0.857,
    ("30 models, all tied", "each", "coverage of one model"): 0.964,
    ("30 models, all tied", "each", "coverage of the observed winner"): 0.707,
    ("30 models, all tied", "each", "coverage of all models"): 0.695,
    ("30 models, two tied groups", "each", "coverage of the observed winner"): 0.838,
}


def measure(name: str, first: int, count: int, seed: int) -> Table:
    """Coverage with both scopes on some data sets."""
    n_models, groups = DESIGNS[name]
    truth = np.repeat(GAP * np.arange(groups), n_models // groups)
    tasks = {
        f"{number:05d}": truth
        + stream(seed, "winner", name, number).standard_normal((ITEMS, n_models))
        for number in range(first, first + count)
    }
    comparisons = rb.compare(rb.Scores.from_arrays(tasks, model_names(n_models)), test="t")
    sets = true_rank_sets(truth)
    leaders = np.array([one.mean.argmax() for one in comparisons.values()])
    rows: Table = []
    for scope in ("each", "all"):
        ranked = rb.rank(comparisons, scope=scope, alpha=0.05).values()
        covered: NDArray[np.bool_] = np.array([covers(one.best, one.worst, sets) for one in ranked])
        rows += tally_rows(
            {"design": name, "scope": scope},
            {
                "coverage of one model": covered.mean(axis=1),
                "coverage of the observed winner": covered[np.arange(count), leaders],
                "coverage of all models": covered.all(axis=1),
            },
        )
    return rows


winner = trap(
    "winner", measure, [(name,) for name in DESIGNS], ("design", "scope"), PUBLISHED,
    repetitions=2000, at_once=250,
)  # fmt: skip
"""Coverage of 95 % intervals for one model, for the observed winner and for all models: Holm with
scope "each" and with scope "all", on 200 items."""


def measure_looks(name: str, first: int, count: int, seed: int) -> Table:
    """Rejections of four procedures on some series of votes."""
    series = [
        stream(seed, "peeking", name, number).random(STEPS) < COINS[name]
        for number in range(first, first + count)
    ]
    wins = np.cumsum(series, axis=1)
    votes = np.arange(1, STEPS + 1)
    looks = np.arange(STEPS // LOOKS, STEPS + 1, STEPS // LOOKS) - 1
    far = np.abs(2 * wins - votes) >= CRITICAL * np.sqrt(votes)
    rejected: dict[str, NDArray[np.bool_]] = {
        "z-test, 40 looks": far[:, looks].any(axis=1),
        "z-test, once at the end": far[:, -1],
        "e-process, two-sided": _reach(log_e_two_sided(wins, votes - wins)),
        "e-process, better": _reach(log_e_better(wins, votes - wins)),
    }
    return [
        row
        for method, values in rejected.items()
        for row in tally_rows({"design": name, "method": method}, {"rejections": values})
    ]


def _reach(log_e: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each series ever reaches 1 / alpha."""
    return np.asarray((log_e >= -np.log(ALPHA)).any(axis=1))


peeking = trap(
    "peeking", measure_looks, [(name,) for name in COINS], ("design", "method"), PUBLISHED_LOOKS,
    repetitions=4000, at_once=200,
)  # fmt: skip
"""How often tests at 5 % reject when they are looked at while 2,000 votes come in: a z-test at 40
looks, the same test once at the end, and two e-processes that are looked at after every vote."""
