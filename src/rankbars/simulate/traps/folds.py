"""Cross-validation folds share training data: what a test that takes them as independent does.

Six least-squares models on disjoint features of one table. Features are exchangeable, so all
models are equal in expectation, and every rejection is false.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import rankbars as rb
from rankbars.simulate.designs import model_names, true_rank_sets
from rankbars.simulate.measures import covers, tally_rows
from rankbars.simulate.study import Study, Table, check_repetitions
from rankbars.simulate.traps.common import TWO_SIDED, portions, trap
from rankbars.stats.streams import stream

__all__ = ["fold_scores", "folds"]

DESIGNS = ((10, 3), (3, 3), (1, 10))  # repeats, folds
MODELS, ROWS, FEATURES = 6, 300, 5

PUBLISHED = {
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


def folds(*, repetitions: int = 250, seed: int = 0) -> Study:
    """Type I error and coverage when rows are folds of repeated cross-validation.

    Parameters
    ----------
    repetitions : int
        Data sets per design.
    seed : int
        Start of the random streams.

    Returns
    -------
    Study
        Table ``folds``: the paired t-test and the corrected one of Nadeau and Bengio, two-sided at
        5 %, and the 95 % rank intervals made from them.

    Raises
    ------
    OptionError
        If `repetitions` is below 1.
    """
    arguments = [
        (*design, *portion, seed)
        for design in DESIGNS
        for portion in portions(check_repetitions(repetitions), 25)
    ]
    return trap("folds", measure, arguments, ("design", "method"), PUBLISHED)


def fold_scores(repeats: int, n_folds: int, rng: np.random.Generator) -> NDArray[np.float64]:
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


def measure(repeats: int, n_folds: int, first: int, count: int, seed: int) -> Table:
    """False rejections and coverage of both tests on some data sets."""
    tasks = {
        f"{number:05d}": fold_scores(
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
