"""Items crossed with runs: a test over items answers for these runs only.

Two models that are equal over all items and runs. A run shifts the difference on all items.
"""

from __future__ import annotations

import numpy as np

import rankbars as rb
from rankbars.simulate.measures import tally_rows
from rankbars.simulate.study import Study, Table, check_repetitions
from rankbars.simulate.traps.common import against_zero, portions, rejections, trap
from rankbars.stats.streams import stream

__all__ = ["runs"]

ITEMS, RUNS = 200, 5
ITEM_SD, RUN_SD, REST_SD = 0.5, 0.06, 0.5  # of the difference
BATCH = 20  # data sets per call of the test

PUBLISHED = {
    ("average over runs", "type I error"): 0.107,
    ("two_way", "type I error"): 0.045,
}


def runs(*, repetitions: int = 20_000, seed: int = 0) -> Study:
    """Type I error of two-sided 5 % tests for new items and new runs.

    Parameters
    ----------
    repetitions : int
        Data sets, rounded up to a multiple of 20.
    seed : int
        Start of the random streams.

    Returns
    -------
    Study
        Table ``runs``: averaging over runs and testing over items, and ``two_way``.

    Raises
    ------
    OptionError
        If `repetitions` is below 1.
    """
    batches = -(-check_repetitions(repetitions) // BATCH)
    arguments = [(*portion, seed) for portion in portions(batches, 25)]
    return trap("runs", measure, arguments, ("method",), PUBLISHED)


def measure(first: int, count: int, seed: int) -> Table:
    """False rejections of both tests on some batches of data sets."""
    found: dict[str, list[np.ndarray]] = {"average over runs": [], "two_way": []}
    for batch in range(first, first + count):
        rng = stream(seed, "runs", batch)
        differences = (
            ITEM_SD * rng.standard_normal((ITEMS, 1, BATCH))
            + RUN_SD * rng.standard_normal((1, RUNS, BATCH))
            + REST_SD * rng.standard_normal((ITEMS, RUNS, BATCH))
        )
        models, cube = against_zero(differences)
        scores = rb.Scores({"pairs": rb.Items(models, cube.mean(axis=1), runs=cube)})
        for method, test in (("average over runs", "t"), ("two_way", "two_way")):
            found[method].append(rejections(rb.compare(scores, test=test)["pairs"]))
    return [
        row
        for method, rejected in found.items()
        for row in tally_rows({"method": method}, {"type I error": np.concatenate(rejected)})
    ]
