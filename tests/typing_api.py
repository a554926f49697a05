"""Uses of the public interface that must type-check; mypy reads this file, nothing runs it."""

from pathlib import Path
from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import rankbars as rb


def rank_in_one_call(path: Path) -> rb.Leaderboard:
    """The main path."""
    scores = rb.read(path)
    board = rb.leaderboard(
        scores,
        test="auto",
        correction="holm",
        scope="each",
        alpha=0.05,
        merge="joint",
        alpha_overall=0.2,
        missing="raise",
        seed=0,
        n_jobs=1,
    )
    assert_type(board.tasks["math"].best, NDArray[np.int64])
    if board.overall is not None:
        assert_type(board.overall.worst, NDArray[np.int64])
    board.save("board.json")
    assert_type(rb.load("board.json"), rb.Leaderboard)
    return rb.leaderboard(scores, spec=board.spec)


def rank_step_by_step(paths: list[str]) -> rb.RankIntervals:
    """The steps that the main path calls."""
    scores = rb.read(paths, format="auto")
    comparisons = rb.compare(scores, test="t")
    assert_type(comparisons, dict[str, rb.Comparisons])
    intervals = rb.rank(comparisons, correction="holm", scope="each", alpha=0.05)
    assert_type(intervals, dict[str, rb.RankIntervals])
    assert_type(rb.rank(comparisons["math"], correction="bonferroni"), rb.RankIntervals)
    average = rb.aggregate(
        scores, over="items", estimator="bootstrap", method="mean", normalise=None, alpha=0.05
    )
    assert_type(average, rb.Aggregate)
    if average.draws is not None:
        assert_type(average.draws, rb.Draws)
        assert_type(average.draws.top(3), tuple[str, ...])
        assert_type(average.draws.partial_order(), rb.PartialOrder)
    assert_type(average.contrasts, rb.Contrasts | None)
    assert_type(average.partial_order().edges, tuple[tuple[str, str], ...])
    if average.by_category is not None:
        assert_type(average.by_category, rb.CategoryMeans)
        assert_type(average.by_category.weight_map(z=2.0), rb.WeightMap)
    assert_type(scores.weigh_categories({"math": 1.0}), rb.Scores)
    return rb.predict(intervals, merge="joint", alpha=0.2)


def tabulate_records(records: list[dict[str, object]]) -> str:
    """Records of evaluation runs, plain and ranked."""
    assert_type(rb.plain_table(records), rb.PlainTable)
    assert_type(rb.Scores.from_records(records), rb.Scores)
    return rb.plain_table(records).to_markdown()


def catch_every_error(path: Path) -> str:
    """One root, and the built-in that a caller would expect."""
    try:
        rb.read(path)
    except rb.RankbarsError as error:
        return str(error)
    return rb.__version__
