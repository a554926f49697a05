"""The average in words: what is averaged, and what its ranks are."""

from __future__ import annotations

from rankbars.data.aggregate import Aggregate
from rankbars.data.board import Leaderboard

__all__ = [
    "average_title",
    "average_words",
    "drawn_words",
    "leads_with_band",
    "scale_words",
]

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
    ranks = average.unit == "rank" and average.method == "mean"
    name = "average_rank" if ranks else average.method
    words = _WORDS.get(name, name)
    scale = scale_words(average)
    return f"{words} ({scale})" if scale else words


def scale_words(average: Aggregate) -> str:
    """How scores were brought to a common scale, in words; empty where they were not."""
    return _SCALES.get(average.normalise or "", "")


def drawn_words(average: Aggregate) -> str:
    """What the draws of an average are, as they stand in a sentence."""
    return _DRAWN.get(average.estimator, "draws")


def leads_with_band(board: Leaderboard) -> bool:
    """Whether the ranks shown first are counted in draws and claim nothing about pairs."""
    return board.lead == "aggregate" and any(note.code == "average-band" for note in board.notes)
