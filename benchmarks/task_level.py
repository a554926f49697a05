"""Rank intervals on one task, and on many small ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.inputs import draw_scores, model_names, task_arrays
from benchmarks.rows import Ratio, Row, Sides, require
from benchmarks.straight import bounds_by_differences, bounds_by_moments, bounds_by_scipy
from rankbars.stats.multiplicity.stepdown import decide, decide_from_p
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.pairwise.pairstatistics import p_values
from rankbars.stats.ranks import RankBounds, count_bounds
from rankbars.stats.tails import Decisions

TITLE = "Rank intervals on tasks"
ALPHA = 0.05

SCIPY = "`scipy.stats.ttest_rel` per model, `multipletests`"
PAIRWISE = "all differences at once, then `scipy.stats.t`, `multipletests` per model and side"
MOMENTS = "means and `numpy.cov`, then `scipy.stats.t`, `multipletests` per model and side"


def against_scipy(models: int, items: int) -> Sides:
    """Array to intervals: the mathematics alone."""
    values = draw_scores(models, items)
    return Sides(lambda: bounds_of(values), lambda: bounds_by_scipy(values), same_bounds)


def against_differences(models: int, items: int) -> Sides:
    """Array to intervals, beside the way of the published study: the differences of every pair."""
    values = draw_scores(models, items)
    return Sides(lambda: bounds_of(values), lambda: bounds_by_differences(values), same_bounds)


def against_moments(models: int, items: int) -> Sides:
    """Array to intervals, beside the same from means and covariances."""
    values = draw_scores(models, items)
    return Sides(lambda: bounds_of(values), lambda: bounds_by_moments(values), same_bounds)


def many_against_scipy(models: int, items: int, tasks: int) -> Sides:
    """Arrays to the intervals of every task: the mathematics alone."""
    arrays = list(task_arrays(models, items, tasks).values())
    return Sides(
        lambda: [bounds_of(values) for values in arrays],
        lambda: [bounds_by_scipy(values) for values in arrays],
        _same_tasks,
    )


def verbs_against_scipy(models: int, items: int) -> Sides:
    """Array to intervals through the public functions, with checks, names and standard errors."""
    import rankbars as rb

    values, names = draw_scores(models, items), model_names(models)

    def ours() -> RankBounds:
        scores = rb.Scores.from_arrays({"task": values}, names)
        intervals = rb.rank(rb.compare(scores), correction="holm", alpha=ALPHA)["task"]
        return RankBounds(intervals.best, intervals.worst)

    return Sides(ours, lambda: bounds_by_scipy(values), same_bounds)


def tasks_against_scipy(models: int, items: int, tasks: int) -> Sides:
    """The same for many small tasks."""
    import rankbars as rb

    arrays, names = task_arrays(models, items, tasks), model_names(models)

    def ours() -> list[RankBounds]:
        ranked = rb.rank(rb.compare(rb.Scores.from_arrays(arrays, names)), alpha=ALPHA)
        return [RankBounds(one.best, one.worst) for one in ranked.values()]

    return Sides(ours, lambda: [bounds_by_scipy(values) for values in arrays.values()], _same_tasks)


def against_product(models: int, items: int) -> Sides:
    """Intervals, beside the one matrix product that no such computation can do without."""
    values = draw_scores(models, items)

    def agree(bounds: RankBounds, product: NDArray[np.float64]) -> None:
        np.testing.assert_allclose(np.diagonal(product), np.square(values).sum(axis=0))
        require(bool((bounds.best <= bounds.worst).all()), "intervals")

    return Sides(lambda: bounds_of(values), lambda: values.T @ values, agree)


def against_p_matrix(models: int, items: int) -> Sides:
    """Critical values, beside the p-value of every pair."""
    values = draw_scores(models, items)

    def by_p() -> RankBounds:
        return _bounds(decide_from_p(p_values(paired_t(values)), ALPHA))

    return Sides(lambda: bounds_of(values), by_p, same_bounds)


def all_against_p(models: int, items: int) -> Sides:
    """One Holm over all pairs, beside the textbook way over adjusted p-values."""
    from statsmodels.stats.multitest import multipletests

    found = paired_t(draw_scores(models, items))
    pairs = ~np.eye(models, dtype=bool)

    def by_p() -> NDArray[np.bool_]:
        shown = np.zeros((models, models), dtype=bool)
        shown[pairs] = multipletests(p_values(found)[pairs], ALPHA, "holm")[0]
        return shown

    def ours() -> NDArray[np.bool_] | None:
        return decide(found.statistic, found.df, ALPHA, scope="all").shown_better

    return Sides(ours, by_p, np.testing.assert_array_equal)


def exact_against_float(models: int, items: int) -> Sides:
    """0/1 scores in whole numbers, beside the same scores in a unit that is none."""
    binary = (draw_scores(models, items) > 0.5).astype(np.float64)
    scaled = binary * (np.pi / 4)
    return Sides(lambda: bounds_of(binary), lambda: bounds_of(scaled), same_bounds)


def bounds_of(values: NDArray[np.float64]) -> RankBounds:
    """Rank intervals by this package's mathematics."""
    found = paired_t(values)
    return _bounds(decide(found.statistic, found.df, ALPHA))


def _same_tasks(one: list[RankBounds], other: list[RankBounds]) -> None:
    for mine, theirs in zip(one, other, strict=True):
        same_bounds(mine, theirs)


def same_bounds(one: RankBounds, other: RankBounds) -> None:
    """Both ends of all intervals are the same."""
    np.testing.assert_array_equal(one.best, other.best)
    np.testing.assert_array_equal(one.worst, other.worst)


def _bounds(decisions: Decisions) -> RankBounds:
    return count_bounds(decisions.better, decisions.worse)


def _size(models: int, items: int, **more: int) -> dict[str, Any]:
    return {"models": models, "items": items, **more}


ROWS: tuple[Row, ...] = (
    *(
        Ratio(
            f"mathematics_{models}x{items}",
            "paired t and Holm, array to intervals",
            SCIPY,
            against_scipy,
            _size(models, items),
            _size(6, 20),
            at_least=60,
            slow=models > 100,
        )
        for models, items in ((30, 200), (300, 1000))
    ),
    *(
        Ratio(
            f"differences_{models}x{items}",
            "paired t and Holm, array to intervals",
            PAIRWISE,
            against_differences,
            _size(models, items),
            _size(6, 20),
            at_least=demanded,
            slow=models > 100,
        )
        for models, items, demanded in ((30, 200, None), (300, 1000, 50))
    ),
    Ratio(
        "moments_300x1000",
        "paired t and Holm, array to intervals",
        MOMENTS,
        against_moments,
        _size(300, 1000),
        _size(6, 20),
        at_least=15,
    ),
    Ratio(
        "mathematics_30x200x60",
        "paired t and Holm on every task, arrays to intervals",
        SCIPY,
        many_against_scipy,
        _size(30, 200, tasks=60),
        _size(4, 20, tasks=3),
        at_least=60,
        slow=True,
    ),
    *(
        Ratio(
            f"functions_{models}x{items}",
            "paired t and Holm by `rank(compare(scores))`",
            SCIPY,
            verbs_against_scipy,
            _size(models, items),
            _size(6, 20),
            slow=models > 100,
        )
        for models, items in ((30, 200), (300, 1000))
    ),
    Ratio(
        "functions_30x200x60",
        "paired t and Holm on every task by `rank(compare(scores))`",
        SCIPY,
        tasks_against_scipy,
        _size(30, 200, tasks=60),
        _size(4, 20, tasks=3),
        slow=True,
    ),
    Ratio(
        "product_300x1000",
        "paired t and Holm, array to intervals",
        "nothing but `X.T @ X`",
        against_product,
        _size(300, 1000),
        _size(6, 20),
        at_least=1 / 6,
    ),
    *(
        Ratio(
            f"without_p_{models}x{items}",
            "paired t and Holm by critical values",
            "the same by a matrix of p-values",
            against_p_matrix,
            _size(models, items),
            _size(6, 20),
            at_least=3,
        )
        for models, items in ((100, 500), (300, 1000))
    ),
    *(
        Ratio(
            f"all_{models}x{items}",
            'one Holm over all pairs (`scope="all"`)',
            "p-values of all pairs, adjusted",
            all_against_p,
            _size(models, items),
            _size(6, 20),
            at_least=5,
        )
        for models, items in ((100, 500), (300, 1000))
    ),
    *(
        Ratio(
            f"binary_{models}x10000",
            "0/1 scores in exact whole numbers",
            "the same in floating point",
            exact_against_float,
            _size(models, 10_000),
            _size(6, 50),
            at_least=1,
        )
        for models in (300, 1000)
    ),
)
