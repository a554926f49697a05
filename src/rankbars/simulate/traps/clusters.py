"""Rows that come in clusters: what a test that ignores them does.

Two models that are equal, so that every rejection is false. Differences of a cluster share a part.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

import rankbars as rb
from rankbars.simulate.measures import tally_rows
from rankbars.simulate.study import Study, Table, check_repetitions
from rankbars.simulate.traps.common import TWO_SIDED, against_zero, portions, rejections, trap
from rankbars.stats.streams import stream

__all__ = ["clusters"]

DESIGNS = ((20, 10, 0.3), (8, 25, 0.3), (50, 10, 0.05))  # clusters, rows of each, correlation
CRITICAL = NormalDist().inv_cdf(1 - TWO_SIDED / 2)
BATCH = 20  # data sets per call of the test

PUBLISHED = {
    ("20 x 10, 0.3", "ignoring clusters", "type I error"): 0.327,
    ("20 x 10, 0.3", "normal, uncorrected", "type I error"): 0.075,
    ("20 x 10, 0.3", "cluster_t", "type I error"): 0.054,
    ("8 x 25, 0.3", "ignoring clusters", "type I error"): 0.511,
    ("8 x 25, 0.3", "normal, uncorrected", "type I error"): 0.110,
    ("8 x 25, 0.3", "cluster_t", "type I error"): 0.053,
    ("50 x 10, 0.05", "ignoring clusters", "type I error"): 0.115,
    ("50 x 10, 0.05", "normal, uncorrected", "type I error"): 0.067,
    ("50 x 10, 0.05", "cluster_t", "type I error"): 0.056,
}


def clusters(*, repetitions: int = 4000, seed: int = 0) -> Study:
    """Type I error of two-sided 5 % tests when rows come in clusters.

    Parameters
    ----------
    repetitions : int
        Data sets per design, rounded up to a multiple of 20.
    seed : int
        Start of the random streams.

    Returns
    -------
    Study
        Table ``clusters``: a t-test that ignores clusters, the usual cluster-robust normal test
        without a correction for few clusters, and ``cluster_t``.

    Raises
    ------
    OptionError
        If `repetitions` is below 1.
    """
    batches = -(-check_repetitions(repetitions) // BATCH)
    arguments = [
        (*design, *portion, seed) for design in DESIGNS for portion in portions(batches, 50)
    ]
    return trap("clusters", measure, arguments, ("design", "method"), PUBLISHED)


def measure(
    n_clusters: int, size: int, correlation: float, first: int, count: int, seed: int
) -> Table:
    """False rejections of three tests on some batches of data sets."""
    design = f"{n_clusters} x {size}, {correlation}"
    codes = np.repeat(np.arange(n_clusters), size)
    found: dict[str, list[NDArray[np.bool_]]] = {}
    for batch in range(first, first + count):
        rng = stream(seed, "clusters", design, batch)
        shared = np.sqrt(correlation) * rng.standard_normal((n_clusters, BATCH))
        own = np.sqrt(1 - correlation) * rng.standard_normal((codes.size, BATCH))
        models, values = against_zero(shared[codes] + own)
        scores = rb.Scores({"pairs": rb.Items(models, values, clusters=codes)})
        robust = rb.compare(scores, test="cluster_t")["pairs"]
        found.setdefault("ignoring clusters", []).append(
            rejections(rb.compare(scores, test="t")["pairs"])
        )
        found.setdefault("normal, uncorrected", []).append(_normal(robust, n_clusters))
        found.setdefault("cluster_t", []).append(rejections(robust))
    return [
        row
        for method, rejected in found.items()
        for row in tally_rows(
            {"design": design, "method": method}, {"type I error": np.concatenate(rejected)}
        )
    ]


def _normal(robust: rb.Comparisons, n_clusters: int) -> NDArray[np.bool_]:
    """The same variance without its factor G / (G - 1), and a normal critical value."""
    se = robust.se[0, 1:] * np.sqrt((n_clusters - 1) / n_clusters)
    return np.asarray(np.abs(robust.diff[0, 1:]) >= CRITICAL * se)
