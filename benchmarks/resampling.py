"""Bootstrap over items, and what is counted in its draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import rankbars as rb
from benchmarks.inputs import draw_scores, model_names, task_arrays
from benchmarks.rows import Job, Once, Ratio, Row, Sides, require
from rankbars.stats.resampling.distributions import CHUNK, Streams, chunk_sizes
from rankbars.stats.resampling.itembootstrap import bootstrap_means
from rankbars.stats.resampling.rankcounts import dominance, rank_probability

TITLE = "Resampling"

Array = NDArray[np.float64]
LEVELS = (0.025, 0.975)


class Board(NamedTuple):
    """What draws of an average of tasks say about ranks."""

    probability: Array
    better: Array


def means_against_loop(models: int, items: int, draws: int) -> Sides:
    """Bootstrap draws of all means, beside a loop over draws."""
    values = draw_scores(models, items)

    def loop() -> Array:
        return np.array([values[rows].mean(axis=0) for rows in resampled_rows(items, draws, 0)])

    return Sides(lambda: bootstrap_means(values, streams_of(0), draws), loop, _close)


def means_against_index(models: int, items: int, draws: int) -> Sides:
    """The same, beside one large index."""
    values = draw_scores(models, items)

    def index() -> Array:
        rows = np.array(list(resampled_rows(items, draws, 0)))
        means: Array = values[rows].mean(axis=1)
        return means

    return Sides(lambda: bootstrap_means(values, streams_of(0), draws), index, _close)


def means_against_product(models: int, items: int, draws: int) -> Sides:
    """The same, beside how often each row is drawn, in one matrix product."""
    values = draw_scores(models, items)

    def product() -> Array:
        rows = np.array(list(resampled_rows(items, draws, 0)))
        rows += items * np.arange(draws)[:, None]
        counts = np.bincount(rows.ravel(), minlength=draws * items).reshape(draws, items)
        means: Array = counts @ values / items
        return means

    return Sides(lambda: bootstrap_means(values, streams_of(0), draws), product, _close)


def means_against_scipy(models: int, items: int, draws: int) -> Sides:
    """Draws and percentile intervals of all means, beside scipy's."""
    # The package itself never waits for this import.
    from scipy.stats import bootstrap

    values = draw_scores(models, items)

    def ours() -> Array:
        return np.quantile(bootstrap_means(values, streams_of(0), draws), LEVELS, axis=0)

    def theirs() -> Array:
        found = bootstrap(
            (values,), np.mean, axis=0, n_resamples=draws, vectorized=True, method="percentile",
            rng=np.random.default_rng(0),
        ).confidence_interval  # fmt: skip
        return np.array([found.low, found.high])

    return Sides(ours, theirs, _near(values))


def means_against_arch(models: int, items: int, draws: int) -> Sides:
    """The same, beside arch, which draws the rows of all models together as we do."""
    values = draw_scores(models, items)

    def ours() -> Array:
        return np.quantile(bootstrap_means(values, streams_of(0), draws), LEVELS, axis=0)

    def theirs() -> Array:
        from arch.bootstrap import IIDBootstrap

        found: Array = IIDBootstrap(values, seed=0).conf_int(
            lambda rows: rows.mean(axis=0), reps=draws, method="percentile"
        )
        return found

    return Sides(ours, theirs, _near(values))


def average_against_rliable(models: int, items: int, tasks: int, draws: int) -> Sides:
    """Intervals of the average of tasks, beside rliable, which resamples every model by itself."""
    arrays = [draw_scores(models, items, seed=t) for t in range(tasks)]
    by_model = np.stack(arrays, axis=1)  # (items, tasks, models)
    scores = {str(j): np.ascontiguousarray(by_model[:, :, j]) for j in range(models)}

    def ours() -> Array:
        average = sum(bootstrap_means(one, streams_of(t), draws) for t, one in enumerate(arrays))
        return np.quantile(np.asarray(average) / tasks, LEVELS, axis=0)

    def theirs() -> Array:
        from rliable import library, metrics

        _, found = library.get_interval_estimates(
            scores, lambda one: np.array([metrics.aggregate_mean(one)]), reps=draws
        )
        return np.concatenate([found[str(j)] for j in range(models)], axis=1)

    error = np.sqrt(np.mean([one.var(axis=0) / items for one in arrays], axis=0) / tasks)

    def agree(one: Array, other: Array) -> None:
        require(bool((np.abs(one - other) < 0.7 * error).all()), "the same intervals")

    return Sides(ours, theirs, agree)


def board_against_loop(models: int, items: int, tasks: int, draws: int) -> Sides:
    """Draws of the average of tasks, their ranks, and who is better how often."""
    arrays = [draw_scores(models, items, seed=t) for t in range(tasks)]

    def ours() -> Board:
        average = np.zeros((draws, models))
        for number, values in enumerate(arrays):
            average += bootstrap_means(values, streams_of(number), draws) / tasks
        return Board(rank_probability(average), dominance(average))

    def loop() -> Board:
        average = np.zeros((draws, models))
        for number, values in enumerate(arrays):
            for draw, rows in enumerate(resampled_rows(items, draws, number)):
                average[draw] += values[rows].mean(axis=0) / tasks
        rank = np.empty((draws, models), dtype=np.intp)
        for draw in range(draws):
            rank[draw, np.argsort(-average[draw])] = np.arange(models)
        counts = [np.bincount(rank[:, j], minlength=models) for j in range(models)]
        return Board(np.array(counts) / draws, better_by_column(average))

    return Sides(ours, loop, _same_board)


def average_of_arrays(models: int, items: int, tasks: int, draws: int) -> Job:
    """Arrays to the average with its intervals, ranks, rank histogram and dominance."""
    scores = rb.Scores.from_arrays(task_arrays(models, items, tasks), model_names(models))
    average = rb.aggregate  # loaded at first access: not part of what is timed

    def check(found: rb.Aggregate) -> None:
        require(found.rank_probability is not None, "rank probabilities")
        require(found.dominance is not None, "dominance")
        require(found.draws is not None and found.draws.size == draws, f"{draws} draws")

    return Job(lambda: average(scores, estimator="bootstrap", resamples=draws), check)


def dominance_against_columns(models: int, draws: int) -> Sides:
    """Who is better how often, in draws that are there."""
    values = draw_scores(models, draws)
    return Sides(
        lambda: dominance(values), lambda: better_by_column(values), np.testing.assert_array_equal
    )


def streams_of(task: int) -> Streams:
    """Random numbers of one task, chunk by chunk."""
    return lambda chunk: np.random.default_rng([task, chunk])


def resampled_rows(items: int, draws: int, task: int) -> Iterator[NDArray[np.int64]]:
    """The rows of each resample that `bootstrap_means` takes from the same streams."""
    make: Callable[[int], np.random.Generator] = streams_of(task)
    for number, used in enumerate(chunk_sizes(draws)):
        yield from make(number).integers(0, items, size=(CHUNK, items))[:used]


def better_by_column(values: Array) -> Array:
    """Share of draws in which a model is better than each other one, model by model."""
    return np.array([(values[:, [j]] > values).mean(axis=0) for j in range(values.shape[1])])


def _near(values: Array) -> Callable[[Array, Array], None]:
    """Ends of intervals from different draws: within half a standard error."""
    error = values.std(axis=0) / np.sqrt(len(values))

    def agree(one: Array, other: Array) -> None:
        require(bool((np.abs(one - other) < 0.5 * error).all()), "the same intervals")

    return agree


def _close(one: Array, other: Array) -> None:
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-5)


def _same_board(one: Board, other: Board) -> None:
    # Averages are rounded to single precision: two models may change places in a draw of 10,000.
    np.testing.assert_allclose(one.probability, other.probability, atol=2e-3)
    np.testing.assert_allclose(one.better, other.better, atol=2e-3)


def _sizes(models: int, items: int, draws: int) -> dict[str, int]:
    return {"models": models, "items": items, "draws": draws}


ROWS: tuple[Row, ...] = (
    *(
        Ratio(
            f"{name}_{models}x{items}",
            "bootstrap means of one task",
            peer,
            prepare,
            _sizes(models, items, 1000),
            _sizes(4, 30, 300),
            at_least=3.5,
        )
        for name, peer, prepare in (
            ("loop", "loop over `X[index].mean(0)`", means_against_loop),
            ("index", "one large `X[index].mean(1)`", means_against_index),
        )
        for models, items in ((30, 200), (100, 500))
    ),
    *(
        Ratio(
            f"product_{models}x{items}",
            "bootstrap means of one task",
            "counts of the rows drawn, and one matrix product",
            means_against_product,
            _sizes(models, items, 1000),
            _sizes(4, 30, 300),
        )
        for models, items in ((30, 200), (100, 500))
    ),
    *(
        Ratio(
            f"{name}_{models}x{items}",
            "bootstrap means of one task, with percentile intervals",
            peer,
            prepare,
            _sizes(models, items, 1000),
            _sizes(3, 30, 1000),
            at_least=5,
            needs=needs,
            peers=needs[0] if needs else "",
        )
        for name, peer, prepare, needs in (
            ("scipy", "`scipy.stats.bootstrap`", means_against_scipy, ()),
            ("arch", "`arch.bootstrap.IIDBootstrap`", means_against_arch, ("arch",)),
        )
        for models, items in ((30, 200), (100, 500))
    ),
    Ratio(
        "rliable_30x200x20",
        "bootstrap of the average of tasks, with percentile intervals",
        "`rliable.library.get_interval_estimates`, which draws for every model apart",
        average_against_rliable,
        {"models": 30, "items": 200, "tasks": 20, "draws": 1000},
        {"models": 3, "items": 30, "tasks": 4, "draws": 1000},
        slow=True,
        needs=("rliable", "arch"),
        peers="rliable",
    ),
    Ratio(
        "board_30x200x60",
        "bootstrap of the average, ranks and dominance",
        "careful numpy loops over tasks and draws",
        board_against_loop,
        {"models": 30, "items": 200, "tasks": 60, "draws": 10_000},
        {"models": 4, "items": 30, "tasks": 3, "draws": 300},
        at_least=8,
        slow=True,
    ),
    Once(
        "average_30x200x60",
        "arrays to the average by bootstrap, 10,000 draws, with rank histogram and dominance",
        average_of_arrays,
        {"models": 30, "items": 200, "tasks": 60, "draws": 10_000},
        {"models": 4, "items": 30, "tasks": 3, "draws": 50},
        {"cpu_s": 4, "peak_mb": 500},
        repeats=2,
    ),
    *(
        Ratio(
            f"dominance_{models}",
            "dominance in draws",
            "means of booleans, column by column",
            dominance_against_columns,
            {"models": models, "draws": 10_000},
            {"models": 4, "draws": 99},
            at_least=3,
        )
        for models in (30, 100)
    ),
)
