"""What goes wrong: rows and tasks taken as independent, and what is chosen by its result.

Clusters: differences of a cluster share a part. Cross-validation folds share training data: six
least-squares models on disjoint features of one table. Items crossed with runs: a run shifts the
difference on all items. The models are equal, so that every rejection is false.

Tasks in families: an interval for one more task is too short for a new family. Scores of a model
are normal and share a part within a family. Ranks stand in for them on a fine scale: each of many
models is an independent replication, so that one call does all of them.

An interval for one model named in advance is not one for the winner: models are exactly tied, all
of them or in two groups. Looking again and again at growing data: repeated z-tests against an
e-process, on wins and losses of one pair of models; without a difference, a fair coin.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

import rankbars as rb
from rankbars.simulate.coverages import (
    TWO_SIDED,
    Published,
    against_zero,
    covers,
    rejections,
    tally_rows,
    trap,
)
from rankbars.simulate.populations import RankSets, model_names, true_rank_sets
from rankbars.simulate.study import Table
from rankbars.stats.streams import stream
from rankbars.stats.votes.anytime import log_e_better, log_e_two_sided

__all__ = ["clusters", "families", "folds", "peeking", "runs", "winner"]

FAMILIES = ((8, 5, 0.8), (15, 4, 0.8), (30, 2, 0.5))  # families, tasks of each, correlation
FAMILY_ALPHA = 0.3
FAMILIES_AT_ONCE = 1000  # replications per call, and steps of the scale
RANGE = 6.0  # standard deviations on either side

OF_FAMILIES = {
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


CLUSTERS = ((20, 10, 0.3), (8, 25, 0.3), (50, 10, 0.05))  # clusters, rows of each, correlation
TWO_SIDED_CRITICAL = NormalDist().inv_cdf(1 - TWO_SIDED / 2)
BATCH = 20  # data sets per call of the test

OF_CLUSTERS = {
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
FOLDS = ((10, 3), (3, 3), (1, 10))  # repeats, folds
MODELS, ROWS, FEATURES = 6, 300, 5

OF_FOLDS = {
    ("10 x 3 folds", "t", "type I error"): 0.568,
    ("10 x 3 folds", "t", "coverage of one model"): 0.097,
    ("10 x 3 folds", "t", "coverage of all models"): 0.016,
    ("10 x 3 folds", "corrected_t", "type I error"): 0.030,
    ("10 x 3 folds", "corrected_t", "coverage of one model"): 0.985,
    ("10 x 3 folds", "corrected_t", "coverage of all models"): 0.964,
    ("3 x 3 folds", "t", "type I error"): 0.304,
    ("3 x 3 folds", "t", "coverage of one model"): 0.531,
    ("3 x 3 folds", "t", "coverage of all models"): 0.244,
    ("3 x 3 folds", "corrected_t", "type I error"): 0.040,
    ("3 x 3 folds", "corrected_t", "coverage of one model"): 0.961,
    ("3 x 3 folds", "corrected_t", "coverage of all models"): 0.900,
    ("1 x 10 folds", "t", "type I error"): 0.056,
    ("1 x 10 folds", "t", "coverage of one model"): 0.962,
    ("1 x 10 folds", "t", "coverage of all models"): 0.904,
    ("1 x 10 folds", "corrected_t", "type I error"): 0.008,
    ("1 x 10 folds", "corrected_t", "coverage of one model"): 0.997,
    ("1 x 10 folds", "corrected_t", "coverage of all models"): 0.992,
}
RUN_ITEMS, RUNS = 200, 5
ITEM_SD, RUN_SD, REST_SD = 0.5, 0.06, 0.5  # of the difference

OF_RUNS = {
    ("average over runs", "type I error"): 0.107,
    ("two_way", "type I error"): 0.053,  # of the test as it is here: 8,000 data sets
}


def measure_clusters(
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
    return np.asarray(np.abs(robust.diff[0, 1:]) >= TWO_SIDED_CRITICAL * se)


def _fold_scores(repeats: int, n_folds: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Negative mean squared error of each model on each fold, shape (repeats * folds, 6)."""
    features = rng.standard_normal((MODELS, ROWS, FEATURES))
    target = features.sum(axis=(0, 2)) + rng.standard_normal(ROWS)
    scores = []
    for _ in range(repeats):
        fold = np.empty(ROWS, dtype=np.int64)
        fold[rng.permutation(ROWS)] = np.arange(ROWS) % n_folds
        for number in range(n_folds):
            test = fold == number
            train = features[:, ~test]
            across = train.transpose(0, 2, 1)
            weights = np.linalg.solve(across @ train, across @ target[~test, None])
            residual = target[test] - (features[:, test] @ weights)[..., 0]
            scores.append(-np.square(residual).mean(axis=1))
    return np.array(scores)


def measure_folds(repeats: int, n_folds: int, first: int, count: int, seed: int) -> Table:
    """False rejections and coverage of both tests on some data sets."""
    tasks = {
        f"{number:05d}": _fold_scores(
            repeats, n_folds, stream(seed, "folds", repeats, n_folds, number)
        )
        for number in range(first, first + count)
    }
    design = rb.Folds(repeats=repeats, folds=n_folds)
    scores = rb.Scores.from_arrays(tasks, model_names(MODELS), design=design)
    truth = true_rank_sets(np.zeros(MODELS))
    pairs = np.triu_indices(MODELS, k=1)
    rows: Table = []
    for test in ("t", "corrected_t"):
        comparisons = rb.compare(scores, test=test)
        p = np.array([np.minimum(one.p, one.p.T)[pairs] for one in comparisons.values()])
        ranked = rb.rank(comparisons, alpha=0.05).values()
        covered = np.array([covers(one.best, one.worst, truth) for one in ranked])
        rows += tally_rows(
            {"design": f"{repeats} x {n_folds} folds", "method": test},
            {
                "type I error": (p <= TWO_SIDED / 2).mean(axis=1),
                "coverage of one model": covered.mean(axis=1),
                "coverage of all models": covered.all(axis=1),
            },
        )
    return rows


def measure_runs(first: int, count: int, seed: int) -> Table:
    """False rejections of both tests on some batches of data sets."""
    found: dict[str, list[np.ndarray]] = {"average over runs": [], "two_way": []}
    for batch in range(first, first + count):
        rng = stream(seed, "runs", batch)
        differences = (
            ITEM_SD * rng.standard_normal((RUN_ITEMS, 1, BATCH))
            + RUN_SD * rng.standard_normal((1, RUNS, BATCH))
            + REST_SD * rng.standard_normal((RUN_ITEMS, RUNS, BATCH))
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


def measure_families(
    n_families: int, size: int, correlation: float, first: int, count: int, seed: int
) -> Table:
    """Coverage and width of both merges on some batches of replications."""
    family_of = {f"{family:02d}-{task}": f"{family:02d}" for family in range(n_families)
                 for task in range(size)}  # fmt: skip
    design = f"{n_families} x {size}, {correlation}"
    models = model_names(FAMILIES_AT_ONCE)
    rows: Table = []
    for batch in range(first, first + count):
        rng = stream(seed, "families", design, batch)
        shared = np.sqrt(correlation) * rng.standard_normal((n_families + 1, 1, FAMILIES_AT_ONCE))
        own = np.sqrt(1 - correlation) * rng.standard_normal(
            (n_families + 1, size, FAMILIES_AT_ONCE)
        )
        ranks = _on_scale(shared + own)
        seen = dict(zip(family_of, ranks[:-1].reshape(-1, FAMILIES_AT_ONCE), strict=True))
        new = ranks[-1, 0]
        intervals = {
            task: rb.RankIntervals(models, rank, rank, 0.5, "each", "task", "known")
            for task, rank in seen.items()
        }
        plain = rb.predict(intervals, merge="quantile", alpha=FAMILY_ALPHA)
        wide = rb.predict(intervals, merge="family", alpha=FAMILY_ALPHA, families=family_of)
        truth = RankSets(new, new)
        for method, made in (("quantile", plain), ("family", wide)):
            measured = {"coverage": covers(made.best, made.worst, truth)}
            if method == "family":
                measured["extra width"] = made.width / plain.width.mean() - 1
            rows += tally_rows({"design": design, "method": method}, measured)
    return rows


def _on_scale(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Scores as ranks 1 to `FAMILIES_AT_ONCE`, low scores last."""
    share = (RANGE - np.clip(scores, -RANGE, RANGE)) / (2 * RANGE)
    return np.minimum(1 + (share * FAMILIES_AT_ONCE).astype(np.int64), FAMILIES_AT_ONCE)


clusters = trap(
    "clusters", measure_clusters, CLUSTERS, ("design", "method"), OF_CLUSTERS,
    repetitions=4000, at_once=50, batch=BATCH,
)  # fmt: skip
"""Type I error of two-sided 5 % tests when rows come in clusters: a t-test that ignores them, the
usual cluster-robust normal test without a correction for few clusters, and ``cluster_t``."""

folds = trap(
    "folds", measure_folds, FOLDS, ("design", "method"), OF_FOLDS, repetitions=250, at_once=25
)
"""Type I error at 5 % and coverage at 95 % when rows are folds of repeated cross-validation: the
paired t-test and the corrected one of Nadeau and Bengio, and rank intervals made from them."""

runs = trap(
    "runs", measure_runs, [()], ("method",), OF_RUNS, repetitions=20_000, at_once=25, batch=BATCH
)
"""Type I error of two-sided 5 % tests for new items and new runs: averaging over runs and testing
over items, and ``two_way``."""

families = trap(
    "families", measure_families, FAMILIES, ("design", "method"), OF_FAMILIES,
    repetitions=6000, at_once=2, batch=FAMILIES_AT_ONCE,
)  # fmt: skip
"""Coverage of a task of a new family at 70 %: the quantile merge, the family merge, and how much
wider that is."""


STEPS, LOOKS = 2000, 40
COINS = {"no difference": 0.5, "wins 56 %": 0.56}

OF_LOOKS: Published = {
    ("no difference", "z-test, 40 looks", "rejections"): 0.316,
    ("no difference", "e-process, two-sided", "rejections"): (0.040, 0.044),
    ("no difference", "e-process, better", "rejections"): (0.040, 0.044),
    ("wins 56 %", "z-test, once at the end", "rejections"): 0.999,
    ("wins 56 %", "e-process, two-sided", "rejections"): 0.978,
}


ITEMS = 200
GAP = 0.3  # between two groups, in standard deviations of a score

TIED = {
    "10 models, all tied": (10, 1),
    "30 models, all tied": (30, 1),
    "30 models, two tied groups": (30, 2),
}

OF_WINNERS = {
    ("10 models, all tied", "each", "coverage of one model"): 0.963,
    ("10 models, all tied", "each", "coverage of the observed winner"): 0.860,
    ("10 models, all tied", "each", "coverage of all models"): 0.857,
    ("30 models, all tied", "each", "coverage of one model"): 0.964,
    ("30 models, all tied", "each", "coverage of the observed winner"): 0.707,
    ("30 models, all tied", "each", "coverage of all models"): 0.695,
    ("30 models, two tied groups", "each", "coverage of the observed winner"): 0.838,
}


def measure_winners(name: str, first: int, count: int, seed: int) -> Table:
    """Coverage with both scopes on some data sets."""
    n_models, groups = TIED[name]
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
    "winner", measure_winners, [(name,) for name in TIED], ("design", "scope"), OF_WINNERS,
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
    far = np.abs(2 * wins - votes) >= TWO_SIDED_CRITICAL * np.sqrt(votes)
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
    return np.asarray((log_e >= -np.log(TWO_SIDED)).any(axis=1))


peeking = trap(
    "peeking", measure_looks, [(name,) for name in COINS], ("design", "method"), OF_LOOKS,
    repetitions=4000, at_once=200,
)  # fmt: skip
"""How often tests at 5 % reject when they are looked at while 2,000 votes come in: a z-test at 40
looks, the same test once at the end, and two e-processes that are looked at after every vote."""
