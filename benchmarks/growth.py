"""How cost grows with models, items, tasks, draws, votes and rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import rankbars as rb
from benchmarks.bayes import posterior_alone
from benchmarks.inputs import draw_scores, draw_wins, model_names, task_arrays
from benchmarks.leaderboard_level import draw_intervals
from benchmarks.reading import board_of_parquet
from benchmarks.resampling import streams_of
from benchmarks.rows import Growth, Job, Row, require
from benchmarks.task_level import bounds_of
from rankbars.stats.multiplicity.closedtesting import simes_guarded
from rankbars.stats.newtask.merges import joint_merge, quantile_merge
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.ranks import RankBounds
from rankbars.stats.resampling.itembootstrap import bootstrap_means
from rankbars.stats.resampling.rankcounts import dominance
from rankbars.stats.votes.votecounts import VoteCounts, code_votes, from_matrices
from rankbars.stats.votes.votemodels import fit_bradley_terry

TITLE = "How cost grows: exponents"
ALPHA = 0.05


def pairs_of_task(models: int, items: int) -> Job:
    """Statistics of all pairs of one task."""
    values = draw_scores(models, items)
    return Job(lambda: paired_t(values), lambda found: _finite(found.statistic))


def intervals_of_task(models: int, items: int) -> Job:
    """The same and Holm, to rank intervals."""
    values = draw_scores(models, items)
    return Job(lambda: bounds_of(values), _ordered)


def guarded_simes(models: int, items: int) -> Job:
    """Simes counts with the check of their condition, the statistics being there."""
    found = paired_t(draw_scores(models, items))

    def run() -> np.ndarray[Any, Any]:
        return simes_guarded(found.statistic, found.df, found.se, ALPHA).decisions.better

    return Job(run, _finite)


def board_of_tasks(models: int, items: int, tasks: int) -> Job:
    """Arrays to a whole leaderboard."""
    arrays, names = task_arrays(models, items, tasks), model_names(models)
    scores, rank = rb.Scores, rb.leaderboard

    def check(board: rb.Leaderboard) -> None:
        require(len(board.tasks) == tasks, "every task")

    return Job(lambda: rank(scores.from_arrays(arrays, names)), check)


def quantiles(models: int, tasks: int) -> Job:
    """The quantile merge."""
    best, worst = draw_intervals(models, tasks)
    return Job(lambda: quantile_merge(best, worst, models, 0.3), _ordered)


def joint(models: int, tasks: int) -> Job:
    """The joint merge."""
    best, worst = draw_intervals(models, tasks)
    return Job(lambda: joint_merge(best, worst, models, 0.3), _ordered)


def resampled_means(models: int, items: int, draws: int) -> Job:
    """Bootstrap draws of the means of one task."""
    values = draw_scores(models, items)
    return Job(lambda: bootstrap_means(values, streams_of(0), draws), _finite)


def shares_of_draws(models: int, draws: int) -> Job:
    """Who is better how often in draws."""
    values = draw_scores(models, draws)
    return Job(lambda: dominance(values), _finite)


def strengths(models: int, reach: int | None = None) -> Job:
    """Counts to strengths, votes on every pair or among neighbours."""
    counts = from_matrices(draw_wins(models, models if reach is None else reach))
    return Job(lambda: fit_bradley_terry(counts), lambda fit: _finite(fit.strength))


class Coded(NamedTuple):
    """Votes with models and outcomes as numbers."""

    first: np.ndarray[Any, Any]
    second: np.ndarray[Any, Any]
    outcome: np.ndarray[Any, Any]


def counted(models: int, votes: int) -> Job:
    """Votes that are arrays already, to counts per pair."""
    coded = _coded(models, votes)

    def check(counts: Any) -> None:
        require(counts.weight.sum() == votes, "every vote")

    return Job(lambda: _counts(coded, models), check)


def fit_of_votes(models: int, votes: int) -> Job:
    """Strengths from counts, of more and more votes."""
    counts = _counts(_coded(models, votes), models)
    return Job(lambda: fit_bradley_terry(counts), lambda fit: _finite(fit.strength))


def _counts(coded: Coded, models: int) -> VoteCounts:
    return code_votes(*coded, models, None, np.empty((coded.first.size, 0)))[1]


def _coded(models: int, votes: int) -> Coded:
    rng = np.random.default_rng(0)
    first = rng.integers(0, models, votes)
    second = (first + rng.integers(1, models, votes)) % models
    gap = np.linspace(-1.5, 1.5, models)[first] - np.linspace(-1.5, 1.5, models)[second]
    won = rng.random(votes) < 1 / (1 + np.exp(-gap))
    return Coded(first, second, np.where(rng.random(votes) < 0.3, 1, np.where(won, 0, 2)))


def _finite(values: np.ndarray[Any, Any]) -> None:
    require(bool(np.isfinite(values).all()), "finite numbers")


def _ordered(bounds: RankBounds) -> None:
    require(bool((bounds.best <= bounds.worst).all()), "intervals")


def _row(
    job: str,
    prepare: Callable[..., Job],
    along: str,
    values: tuple[int, ...],
    at_most: float | None,
    tiny: dict[str, int],
    **sizes: int,
) -> Growth:
    name = f"{prepare.__name__}_{along}" + ("_neighbours" if "reach" in sizes else "")
    return Growth(name, job, prepare, along, values, sizes, tiny, at_most)


SMALL = {"models": 5, "items": 20}

# Demands are the growth of the algorithm itself, with some room for small sizes.
ROWS: tuple[Row, ...] = (
    _row(
        "paired t of all pairs", pairs_of_task, "models", (125, 250, 500, 1000), 2.3, SMALL,
        items=1000,
    ),
    _row(
        "paired t of all pairs", pairs_of_task, "items", (1000, 2000, 4000, 8000), 1.2, SMALL,
        models=300,
    ),
    _row(
        "paired t and Holm, array to intervals", intervals_of_task, "models",
        (125, 250, 500, 1000), 2.4, SMALL, items=1000,
    ),
    _row(
        "Simes counts with their guard", guarded_simes, "models", (50, 100, 200, 400), 3.6, SMALL,
        items=500,
    ),
    _row(
        "arrays to the whole leaderboard", board_of_tasks, "tasks", (10, 20, 40, 80), 1.2,
        SMALL | {"tasks": 4}, models=30, items=200,
    ),
    _row("quantile merge", quantiles, "tasks", (100, 300, 1000), 1.3, {"models": 5, "tasks": 20},
         models=300),
    _row("joint merge", joint, "tasks", (50, 100, 200, 400), 1.4, {"models": 5, "tasks": 20},
         models=100),
    _row("joint merge", joint, "models", (50, 100, 200, 400), 2.3, {"models": 5, "tasks": 20},
         tasks=50),
    _row(
        "bootstrap means of one task", resampled_means, "draws", (1000, 2000, 4000, 8000), 1.2,
        SMALL | {"draws": 300}, models=100, items=500,
    ),
    _row(
        "bootstrap means of one task", resampled_means, "items", (250, 500, 1000, 2000), 1.2,
        SMALL | {"draws": 300}, models=100, draws=1000,
    ),
    _row("dominance in draws", shares_of_draws, "models", (30, 60, 120, 240), 2.3,
         {"models": 4, "draws": 99}, draws=4096),
    _row("Bradley–Terry fit, votes on every pair", strengths, "models", (125, 250, 500, 1000), 3.1,
         {"models": 6}),
    _row("Bradley–Terry fit, votes among neighbours", strengths, "models", (125, 250, 500, 1000),
         3.1, {"models": 8}, reach=5),
    _row("votes to counts per pair", counted, "votes", (10**5, 10**6, 5 * 10**6), 1.2,
         {"models": 5, "votes": 2000}, models=200),
    _row("Bradley–Terry fit from counts", fit_of_votes, "votes", (10**5, 10**6, 5 * 10**6), 0.2,
         {"models": 5, "votes": 2000}, models=200),
    _row("posterior of the hierarchical model", posterior_alone, "models", (10, 20, 40), 1.2,
         {"models": 2, "tasks": 3, "draws": 200}, tasks=20, draws=1000),
    _row("posterior of the hierarchical model", posterior_alone, "tasks", (10, 20, 40, 80), 1.2,
         {"models": 2, "tasks": 3, "draws": 200}, models=8, draws=1000),
    _row("Parquet to the whole leaderboard", board_of_parquet, "rows",
         (500_000, 1_000_000, 2_000_000, 4_000_000), 1.2,
         {"models": 3, "tasks": 2, "rows": 60}, models=50, tasks=20),
)  # fmt: skip
