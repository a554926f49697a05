"""Merges of task intervals into an interval for a new task."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchmarks.rows import Ratio, Row, Sides, require
from benchmarks.task_level import same_bounds
from rankbars.stats.newtask.guarantees import order_index
from rankbars.stats.newtask.merges import joint_merge, quantile_merge
from rankbars.stats.ranks import RankBounds

if TYPE_CHECKING:
    import pandas as pd

TITLE = "Intervals for a new task"
ALPHA = 0.3


def against_series(models: int, tasks: int) -> Sides:
    """The quantile merge, beside two quantiles of a pandas series per model."""
    import pandas as pd

    best, worst = draw_intervals(models, tasks)
    frames = pd.DataFrame(best), pd.DataFrame(worst)
    return Sides(
        lambda: quantile_merge(best, worst, models, ALPHA),
        lambda: quantiles_of_series(*frames),
        same_bounds,
    )


def against_frame(models: int, tasks: int) -> Sides:
    """The quantile merge, beside two quantiles of whole pandas frames."""
    import pandas as pd

    best, worst = draw_intervals(models, tasks)
    frames = pd.DataFrame(best), pd.DataFrame(worst)
    return Sides(
        lambda: quantile_merge(best, worst, models, ALPHA),
        lambda: quantiles_of_frames(*frames),
        same_bounds,
    )


def against_partition(models: int, tasks: int) -> Sides:
    """The quantile merge, beside the two order statistics by `numpy.partition`."""
    best, worst = draw_intervals(models, tasks)
    k = order_index(tasks, ALPHA)

    def peer() -> RankBounds:
        low = np.partition(best, k - 1, axis=0)[k - 1]
        high = np.partition(worst, tasks - k, axis=0)[tasks - k]
        return RankBounds(low, high)

    return Sides(lambda: quantile_merge(best, worst, models, ALPHA), peer, same_bounds)


def joint_against_quantile(models: int, tasks: int) -> Sides:
    """The joint merge, beside the quantile merge."""
    best, worst = draw_intervals(models, tasks)

    def agree(joint: RankBounds, quantile: RankBounds) -> None:
        # Neither lies inside the other; both lie inside the hull of all tasks.
        for bounds in (joint, quantile):
            inside = (bounds.best >= best.min(axis=0)) & (bounds.worst <= worst.max(axis=0))
            require(bool(inside.all()), "intervals inside the hull")

    return Sides(
        lambda: joint_merge(best, worst, models, ALPHA),
        lambda: quantile_merge(best, worst, models, ALPHA),
        agree,
    )


def draw_intervals(models: int, tasks: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ends of rank intervals, shape (tasks, models)."""
    rng = np.random.default_rng(0)
    middle = np.linspace(1, models, models) + rng.normal(0, models / 10, (tasks, models))
    reach = rng.gamma(2.0, models / 20, (tasks, models))
    best = np.clip(np.rint(middle - reach), 1, models).astype(np.int64)
    worst = np.clip(np.rint(middle + reach), 1, models).astype(np.int64)
    return best, worst


def quantiles_of_series(best: pd.DataFrame, worst: pd.DataFrame) -> RankBounds:
    """The merge as one would write it with pandas, model by model; same index rule."""
    low, high = _shares(len(best))
    ends = [
        (
            best[model].quantile(low, interpolation="nearest"),
            worst[model].quantile(high, interpolation="nearest"),
        )
        for model in best.columns
    ]
    return RankBounds(*np.array(ends, dtype=np.int64).T)


def quantiles_of_frames(best: pd.DataFrame, worst: pd.DataFrame) -> RankBounds:
    """The same for all models at once."""
    low, high = _shares(len(best))
    return RankBounds(
        best.quantile(low, interpolation="nearest").to_numpy(dtype=np.int64),
        worst.quantile(high, interpolation="nearest").to_numpy(dtype=np.int64),
    )


def _shares(tasks: int) -> tuple[float, float]:
    """The k-th smallest and the k-th largest as quantiles."""
    k = order_index(tasks, ALPHA)
    return (k - 1) / (tasks - 1), (tasks - k) / (tasks - 1)


ROWS: tuple[Row, ...] = (
    *(
        Ratio(
            f"quantile_{models}x{tasks}",
            "quantile merge (Algorithm 2)",
            "`Series.quantile` per model, pandas",
            against_series,
            {"models": models, "tasks": tasks},
            {"models": 5, "tasks": 20},
            at_least=demanded,
        )
        for models, tasks, demanded in ((30, 60, 50), (100, 100, 50), (1000, 1000, 25))
    ),
    Ratio(
        "quantile_frame_100x100",
        "quantile merge (Algorithm 2)",
        "`DataFrame.quantile` of all models, pandas",
        against_frame,
        {"models": 100, "tasks": 100},
        {"models": 5, "tasks": 20},
    ),
    *(
        Ratio(
            f"quantile_partition_{models}x{tasks}",
            "quantile merge (Algorithm 2)",
            "`numpy.partition`, without any check of the intervals",
            against_partition,
            {"models": models, "tasks": tasks},
            {"models": 5, "tasks": 20},
        )
        for models, tasks in ((100, 100), (1000, 1000))
    ),
    Ratio(
        "joint_100x100",
        "joint merge (the default)",
        "quantile merge",
        joint_against_quantile,
        {"models": 100, "tasks": 100},
        {"models": 5, "tasks": 20},
    ),
)
