"""The average in words: what is averaged, and what its ranks are."""

from __future__ import annotations

import numpy as np

from rankbars.data.aggregate import Aggregate
from rankbars.data.board import Leaderboard

__all__ = [
    "average_title",
    "average_words",
    "drawn_words",
    "is_weighted",
    "leads_with_band",
    "quantity_words",
    "scale_words",
]

_EQUAL = 1e-12  # of the largest weight; closer weights are equal but for rounding
_TITLES = {
    "mean": "Score",
    "geometric": "Geometric mean",
    "borda": "Borda points",
    "win_rate": "Win rate",
    "win_rate_field": "Wins against the field",
    "win_rate_top1": "First places",
}
_WORDS = {
    "mean": "average of scores",
    "geometric": "geometric mean of the scores",
    "average_rank": "average of ranks within tasks",
    "average_rank_noise": "average of ranks within tasks, after adding noise of one percent",
    "average_rank_bins": "average of ranks within tasks, by whole percent",
    "borda": "mean number of models beaten on a task (Borda)",
    "win_rate": "share of the other models beaten on a task",
    "win_rate_field": "share of tasks won against the mean of the other models",
    "win_rate_top1": "share of tasks won, ties shared",
}
_QUANTITIES = {
    "geometric": "geometric mean",
    "average_rank": "average rank",
    "average_rank_noise": "average rank (after adding noise of one percent)",
    "average_rank_bins": "average rank (by whole percent)",
    "borda": "average number of models beaten (Borda)",
    "win_rate": "average share of models beaten",
    "win_rate_field": "share of wins against the field",
    "win_rate_top1": "share of first places",
}
_DRAWN = {
    "bayes": "draws from the posterior of a hierarchical model of each model's tasks",
    "bayes_predictive": "predictive draws from a hierarchical model of each model's tasks",
}
_SCALES = {
    "bounds": "scaled to the limits of each task",
    "chance": "with guessing as 0 and the best score as 1",
    "zscore": "in standard deviations of the models on each task",
    "minmax_draws": "scaled to the range of the draws of each task",
}


def average_title(average: Aggregate) -> str:
    """Header of the column of averages.

    Examples
    --------
    >>> import rankbars as rb
    >>> task = rb.Estimates(("a", "b"), [0.5, 0.7], se=[0.1, 0.1])
    >>> average_title(rb.aggregate(rb.Scores({"x": task, "y": task}), method="borda"))
    'Borda points'
    """
    return "Mean rank" if average.unit == "rank" else _TITLES.get(average.method, average.method)


def average_words(average: Aggregate) -> str:
    """What one average is, as it stands in a sentence."""
    name = _kind(average)
    words = _WORDS.get(name, name)
    scale = scale_words(average)
    return f"{words} ({scale})" if scale else words


def quantity_words(average: Aggregate) -> str:
    """What was averaged, in a few words; empty for scores, where "average" says it all.

    Examples
    --------
    >>> import rankbars as rb
    >>> task = rb.Estimates(("a", "b"), [0.5, 0.7], se=[0.1, 0.1])
    >>> quantity_words(rb.aggregate(rb.Scores({"x": task, "y": task}), method="win_rate_top1"))
    'share of first places'
    """
    return _QUANTITIES.get(_kind(average), "")


def _kind(average: Aggregate) -> str:
    ranks = average.unit == "rank" and average.method == "mean"
    return "average_rank" if ranks else average.method


def scale_words(average: Aggregate) -> str:
    """How scores were brought to a common scale, in words; empty where they were not."""
    return _SCALES.get(average.normalise or "", "")


def drawn_words(average: Aggregate) -> str:
    """What the draws of an average are, as they stand in a sentence."""
    return _DRAWN.get(average.estimator, "draws")


def is_weighted(board: Leaderboard) -> bool:
    """Whether the tasks that count in the average count differently."""
    weights = np.array([task.weight for task in board.tasks.values() if task.weight > 0])
    return bool(np.ptp(weights / weights.max(initial=0.0)) > _EQUAL) if weights.size else False


def leads_with_band(board: Leaderboard) -> bool:
    """Whether the ranks shown first are counted in draws and claim nothing about pairs."""
    return board.lead == "aggregate" and any(note.code == "average-band" for note in board.notes)
