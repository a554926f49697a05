"""Scores brought to a common scale: fixed limits, chance, z-scores, ranges of draws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import rankbars as rb

NAMES = ("a", "b", "c")


def scores_on_two_scales() -> rb.Scores:
    """Accuracies with chance level 1/4, and errors in minutes where lower is better."""
    rng = np.random.default_rng(4)
    law = (rng.random((80, 3)) < [0.5, 0.6, 0.7]).astype(float)
    minutes = rng.gamma(4.0, size=(50, 3)) * [3.0, 2.0, 1.0]
    return rb.Scores.from_arrays(
        {"law": law, "trip": -minutes},
        NAMES,
        info={
            "law": rb.TaskInfo(metric="accuracy", minimum=0.0, maximum=1.0, chance=0.25),
            "trip": rb.TaskInfo(
                metric="minutes", direction="lower", minimum=0.0, maximum=60.0, chance=30.0
            ),
        },
    )


def raw_means(scores: rb.Scores) -> np.ndarray:
    law, trip = (scores.tasks[name].values.mean(axis=0) for name in ("law", "trip"))
    return np.array([law, -trip])


def test_declared_bounds_count_as_zero_and_one() -> None:
    scores = scores_on_two_scales()
    average = rb.aggregate(scores, normalise="bounds")
    law, trip = raw_means(scores)
    assert average.score == pytest.approx((law + (60 - trip) / 60) / 2)
    assert dict(average.limits) == {"law": (0.0, 1.0), "trip": (60.0, 0.0)}
    assert (average.over, average.method, average.direction) == ("items", "mean", "higher")
    parts = [scores.tasks["law"].values, scores.tasks["trip"].values / 60]
    variance = sum(x.var(axis=0, ddof=1) / len(x) for x in parts) / 4
    assert average.se == pytest.approx(np.sqrt(variance))


def test_chance_counts_as_zero_and_the_best_score_as_one() -> None:
    scores = scores_on_two_scales()
    average = rb.aggregate(scores, normalise="chance")
    law, trip = raw_means(scores)
    assert average.score == pytest.approx(((law - 0.25) / 0.75 + (30 - trip) / 30) / 2)
    assert dict(average.limits) == {"law": (0.25, 1.0), "trip": (30.0, 0.0)}


def test_given_limits_go_before_declared_ones() -> None:
    scores = scores_on_two_scales()
    limits = {"trip": (20.0, 0.0)}
    average = rb.aggregate(scores, normalise="bounds", limits=limits)
    law, trip = raw_means(scores)
    assert average.score == pytest.approx((law + (20 - trip) / 20) / 2)


def test_z_scores_use_the_models_on_each_task() -> None:
    scores = scores_on_two_scales()
    average = rb.aggregate(scores, normalise="zscore")
    law, trip = raw_means(scores)
    assert average.score == pytest.approx((stats.zscore(law) + stats.zscore(-trip)) / 2)
    centre, one = average.limits["trip"]
    assert (centre, centre - one) == pytest.approx((trip.mean(), trip.std()))


def test_ranks_within_tasks_need_no_scale() -> None:
    scores = scores_on_two_scales()
    by_scale = rb.aggregate(scores, normalise="rank", over="tasks")
    by_method = rb.aggregate(scores, method="average_rank", over="tasks")
    assert (by_scale.score == by_method.score).all()
    assert by_scale.method == "average_rank"
    with pytest.raises(rb.OptionError, match="Ranks within tasks are averaged"):
        rb.aggregate(scores, normalise="rank", method="geometric")


@pytest.mark.parametrize("normalise", ["bounds", "chance", "zscore"])
def test_a_scale_changes_no_test_on_a_single_task(normalise: str) -> None:
    """Contrasts of the average keep their signs and the resampled draws their order."""
    scores = scores_on_two_scales()
    analytic = rb.aggregate(scores, normalise=normalise)
    resampled = rb.aggregate(scores, normalise=normalise, estimator="bootstrap", resamples=4000)
    assert (resampled.shown_better == analytic.shown_better).all()
    assert resampled.score == pytest.approx(analytic.score)
    assert resampled.se == pytest.approx(analytic.se, rel=0.1)


@pytest.mark.parametrize("unit", [0.01, 1.0])
def test_the_range_of_draws_decides_as_the_same_limits_declared_do_in_any_unit(unit: float) -> None:
    rng = np.random.default_rng(1)
    rare = [(rng.random((60, 3)) < [0.02, 0.04, 0.5]) * rng.exponential(5, (60, 3))
            + rng.normal(size=(60, 3)) * 0.1 for _ in "xy"]  # fmt: skip
    tasks = {name: unit * rows for name, rows in zip("xy", rare, strict=True)}
    drawn, declared = (
        rb.leaderboard(
            rb.Scores.from_arrays(tasks, NAMES, info=info), estimator="bootstrap", normalise=scale
        ).aggregate
        for scale, info in (("minmax_draws", {}), ("bounds", known_limits(tasks)))
    )
    assert drawn is not None
    assert declared is not None
    assert {task: pytest.approx(ends) for task, ends in drawn.limits.items()} == declared.limits
    assert drawn.correction == declared.correction == "holm"
    assert (drawn.shown_better == declared.shown_better).all()
    assert {note.code for note in (*drawn.notes, *declared.notes)} == {"drifting-scale"}


def known_limits(tasks: dict[str, np.ndarray]) -> dict[str, rb.TaskInfo]:
    """The smallest and the largest draw of each task, as limits that were declared."""
    found = rb.leaderboard(
        rb.Scores.from_arrays(tasks, NAMES), estimator="bootstrap", normalise="minmax_draws"
    ).aggregate
    assert found is not None
    return {name: rb.TaskInfo(minimum=low, maximum=high)
            for name, (low, high) in found.limits.items()}  # fmt: skip


def test_the_range_of_draws_only_reproduces_and_says_so() -> None:
    scores = scores_on_two_scales()
    few, many = (
        rb.aggregate(scores, normalise="minmax_draws", estimator="bootstrap", resamples=count)
        for count in (50, 5000)
    )
    assert few.draws is not None
    for average in (few, many):
        assert "drifting-scale" in {note.code for note in average.notes}
        assert set(average.limits) == {"law", "trip"}
    # More draws, a wider range: what is estimated depends on their number.
    assert few.limits["law"][0] > many.limits["law"][0]
    assert few.limits["law"][1] < many.limits["law"][1]
    assert few.limits["trip"][0] < many.limits["trip"][0]
    with pytest.raises(rb.OptionError, match="takes its limits from draws"):
        rb.aggregate(scores, normalise="minmax_draws", over="tasks")


def test_limits_that_are_not_declared_are_asked_for() -> None:
    scores = scores_on_two_scales()
    bare = rb.Scores(scores.tasks, {"law": rb.TaskInfo(maximum=1.0)})
    with pytest.raises(rb.OptionError, match="needs both limits of every task; not declared"):
        rb.aggregate(bare, normalise="bounds")
    with pytest.raises(rb.OptionError, match="--chance FILE"):
        rb.aggregate(bare, normalise="chance")


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"law": (0.5, 0.5)}, "has no scale"),
        ({"law": (1.0, 0.0)}, "must be better than the one that counts as 0"),
        ({"law": (0.0, np.inf)}, "must be a finite number"),
        ({"lwa": (0.0, 1.0)}, "Did you mean 'law'"),
    ],
)
def test_limits_without_sense_are_refused(
    limits: dict[str, tuple[float, float]], message: str
) -> None:
    with pytest.raises(rb.RankbarsError, match=message):
        rb.aggregate(scores_on_two_scales(), normalise="bounds", limits=limits)


def test_models_with_equal_scores_have_no_z_scores() -> None:
    scores = scores_on_two_scales()
    level = replace(scores.tasks["law"], values=np.tile(np.arange(4.0)[:, None], (1, 3)))
    with pytest.raises(rb.DataError, match="'law' has no scale"):
        rb.aggregate(rb.Scores({"law": level, "trip": scores.tasks["trip"]}), normalise="zscore")


def test_without_a_model_on_every_task_there_are_no_z_scores() -> None:
    tasks = {
        "law": rb.Items(("a",), np.array([[np.nan], [np.nan]])),
        "trip": rb.Items(("a",), np.array([[0.0], [1.0]])),
    }
    for estimator, over in (("bootstrap", "items"), ("t", "tasks")):
        with pytest.raises(rb.RankbarsError, match=r"every task|At least one model"):
            rb.aggregate(rb.Scores(tasks), normalise="zscore", over=over, estimator=estimator)


def test_limits_without_a_scale_are_refused() -> None:
    with pytest.raises(rb.OptionError, match="belong to normalise="):
        rb.aggregate(scores_on_two_scales(), method="borda", limits={"law": (0.0, 1.0)})
    with pytest.raises(rb.OptionError, match="Did you mean 'bounds'"):
        rb.aggregate(scores_on_two_scales(), normalise="bound")


def test_scores_beyond_the_declared_bounds_are_refused_with_their_model() -> None:
    info = {name: rb.TaskInfo(minimum=0.0, maximum=1.0) for name in "xy"}
    tasks = {
        "x": rb.Estimates(("a", "b"), np.array([0.5, 1.2]), se=np.array([0.1, 0.1])),
        "y": rb.Estimates(("a", "b"), np.array([0.5, 0.7]), se=np.array([0.1, 0.1])),
    }
    with pytest.raises(
        rb.DataError, match=r"'x': model 'b' has the score 1\.2, outside the limits"
    ):
        rb.aggregate(rb.Scores(tasks, info), normalise="bounds")
    with pytest.raises(rb.DataError, match=r"outside the limits 0\.6 to 1\.3"):
        rb.aggregate(
            rb.Scores(tasks, info), normalise="bounds", limits={"x": (0.6, 1.3), "y": (0.0, 1.0)}
        )
