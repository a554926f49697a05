"""The observed winner: an interval for one model named in advance is not one for the winner.

Models are exactly tied: all of them, or in two groups.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import rankbars as rb
from rankbars.simulate.coverages import covers, tally_rows
from rankbars.simulate.populations import model_names, true_rank_sets
from rankbars.simulate.study import Study, Table, check_repetitions
from rankbars.simulate.traps.common import portions, trap
from rankbars.stats.streams import stream

__all__ = ["winner"]

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


def winner(*, repetitions: int = 2000, seed: int = 0) -> Study:
    """Coverage of 95 % intervals for one model, for the observed winner and for all models.

    Parameters
    ----------
    repetitions : int
        Data sets per design, of 200 items each.
    seed : int
        Start of the random streams.

    Returns
    -------
    Study
        Table ``winner``: Holm with scope "each" and with scope "all".

    Raises
    ------
    OptionError
        If `repetitions` is below 1.
    """
    arguments = [
        (name, *portion, seed)
        for name in DESIGNS
        for portion in portions(check_repetitions(repetitions), 250)
    ]
    return trap("winner", measure, arguments, ("design", "scope"), PUBLISHED)


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
