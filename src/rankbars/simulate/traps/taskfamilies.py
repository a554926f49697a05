"""Tasks in families: an interval for one more task is too short for a new family.

Scores of a model are normal and share a part within a family. Ranks stand in for them on a fine
scale: each of many models is an independent replication, so that one call does all of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import rankbars as rb
from rankbars.simulate.coverages import covers, tally_rows
from rankbars.simulate.populations import RankSets, model_names
from rankbars.simulate.study import Study, Table, check_repetitions
from rankbars.simulate.traps.common import portions, trap
from rankbars.stats.streams import stream

__all__ = ["families"]

DESIGNS = ((8, 5, 0.8), (15, 4, 0.8), (30, 2, 0.5))  # families, tasks of each, correlation
ALPHA = 0.3
BATCH = 1000  # replications per call, and steps of the scale
RANGE = 6.0  # standard deviations on either side

PUBLISHED = {
    ("8 x 5, 0.8", "quantile", "coverage"): 0.658,
    ("8 x 5, 0.8", "family", "coverage"): 0.842,
    ("8 x 5, 0.8", "family", "extra width"): 0.53,
    ("15 x 4, 0.8", "quantile", "coverage"): 0.682,
    ("15 x 4, 0.8", "family", "coverage"): 0.783,
    ("15 x 4, 0.8", "family", "extra width"): 0.23,
    ("30 x 2, 0.5", "quantile", "coverage"): 0.706,
    ("30 x 2, 0.5", "family", "coverage"): 0.740,
    ("30 x 2, 0.5", "family", "extra width"): 0.08,
}


def families(*, repetitions: int = 6000, seed: int = 0) -> Study:
    """Coverage of a task of a new family at 70 %, with and without regard to families.

    Parameters
    ----------
    repetitions : int
        Replications per design, rounded up to a multiple of 1,000.
    seed : int
        Start of the random streams.

    Returns
    -------
    Study
        Table ``families``: the quantile merge, the family merge, and how much wider that is.

    Raises
    ------
    OptionError
        If `repetitions` is below 1.
    """
    batches = -(-check_repetitions(repetitions) // BATCH)
    arguments = [
        (*design, *portion, seed) for design in DESIGNS for portion in portions(batches, 2)
    ]
    return trap("families", measure, arguments, ("design", "method"), PUBLISHED)


def measure(
    n_families: int, size: int, correlation: float, first: int, count: int, seed: int
) -> Table:
    """Coverage and width of both merges on some batches of replications."""
    family_of = {f"{family:02d}-{task}": f"{family:02d}" for family in range(n_families)
                 for task in range(size)}  # fmt: skip
    design = f"{n_families} x {size}, {correlation}"
    models = model_names(BATCH)
    rows: Table = []
    for batch in range(first, first + count):
        rng = stream(seed, "families", design, batch)
        shared = np.sqrt(correlation) * rng.standard_normal((n_families + 1, 1, BATCH))
        own = np.sqrt(1 - correlation) * rng.standard_normal((n_families + 1, size, BATCH))
        ranks = _on_scale(shared + own)
        seen = dict(zip(family_of, ranks[:-1].reshape(-1, BATCH), strict=True))
        new = ranks[-1, 0]
        intervals = {
            task: rb.RankIntervals(models, rank, rank, 0.5, "each", "task", "known")
            for task, rank in seen.items()
        }
        plain = rb.predict(intervals, merge="quantile", alpha=ALPHA)
        wide = rb.predict(intervals, merge="family", alpha=ALPHA, families=family_of)
        truth = RankSets(new, new)
        for method, made in (("quantile", plain), ("family", wide)):
            measured = {"coverage": covers(made.best, made.worst, truth)}
            if method == "family":
                measured["extra width"] = made.width / plain.width.mean() - 1
            rows += tally_rows({"design": design, "method": method}, measured)
    return rows


def _on_scale(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Scores as ranks 1 to `BATCH`, low scores last."""
    share = (RANGE - np.clip(scores, -RANGE, RANGE)) / (2 * RANGE)
    return np.minimum(1 + (share * BATCH).astype(np.int64), BATCH)
