"""Intervals of averages end where the scale ends; what has no interval says so."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankbars as rb
from rankbars.stats.resampling.taskmeans import fewest_draws

INF = float("inf")
UNKNOWN = (-INF, INF)


def answers(n: int = 40, seed: int = 0, sign: float = 1.0) -> dict[str, np.ndarray]:
    """Right and wrong answers of an all-right model and two others on three tasks."""
    rng = np.random.default_rng(seed)
    return {name: sign * (rng.random((n, 3)) < [1.1, 0.5, 0.4]).astype(float) for name in "xyz"}


def graded(low: float = 0.0) -> dict[str, np.ndarray]:
    return {name: low + np.random.default_rng(k).random((20, 3)) for k, name in enumerate("xyz")}


def bounds(
    tasks: dict[str, np.ndarray], *infos: rb.TaskInfo, **options: Any
) -> tuple[float, float]:
    info = dict(zip("xyz", infos * 3 if len(infos) == 1 else infos, strict=False))
    scores = rb.Scores.from_arrays(tasks, ["a", "b", "c"], info=info)
    return rb.aggregate(scores, resamples=40, **options).bounds


def test_ends_are_known_where_they_are_declared_or_follow_from_the_scores() -> None:
    assert bounds(answers()) == (0.0, 1.0)
    assert bounds(graded()) == UNKNOWN
    verdicts = {name: values.copy() for name, values in answers().items()}
    for values in verdicts.values():
        values[-1] = -1.0  # worse, equal, better
    assert bounds(verdicts) == UNKNOWN
    assert bounds(graded(), rb.TaskInfo(metric="accuracy")) == (0.0, 1.0)
    assert bounds(graded(5.0), rb.TaskInfo(metric="accuracy")) == UNKNOWN
    assert bounds(graded(), rb.TaskInfo(minimum=0.0)) == (0.0, INF)
    assert bounds(answers(), rb.TaskInfo(minimum=-1.0, maximum=2.0)) == (-1.0, 2.0)


def test_an_end_that_differs_between_tasks_is_none() -> None:
    infos = [rb.TaskInfo(minimum=0.0, maximum=top) for top in (1.0, 2.0, 1.0)]
    assert bounds(graded(), *infos) == (0.0, INF)
    guessing = [rb.TaskInfo(minimum=0.0, maximum=1.0, chance=one) for one in (0.25, 0.5, 0.25)]
    assert bounds(answers(), *guessing, normalise="chance") == (-INF, 1.0)
    assert bounds(answers(), *guessing, normalise="bounds") == (0.0, 1.0)
    assert bounds(answers(), *guessing, normalise="zscore") == UNKNOWN


def test_where_lower_is_better_ends_stay_in_the_units_of_the_input() -> None:
    lower = rb.TaskInfo(direction="lower")
    assert bounds(answers(sign=-1.0), lower) == (0.0, 1.0)
    declared = rb.TaskInfo(direction="lower", minimum=0.0, maximum=4.0)
    shown = {name: -values for name, values in graded().items()}
    assert bounds(shown, declared) == (0.0, 4.0)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("average_rank", (1.0, 3.0)),
        ("average_rank_bins", (1.0, 3.0)),
        ("average_rank_noise", (1.0, 3.0)),
        ("borda", (0.0, 2.0)),
        ("win_rate", (0.0, 1.0)),
        ("win_rate_field", (0.0, 1.0)),
        ("win_rate_top1", (0.0, 1.0)),
        ("geometric", (0.0, 1.0)),
    ],
)
def test_ranks_and_wins_have_ends_of_their_own(method: str, expected: tuple[float, float]) -> None:
    tasks = {name: 0.5 + values / 2 for name, values in answers().items()}
    info = rb.TaskInfo(minimum=0.0, maximum=1.0)
    assert bounds(tasks, info, method=method, over="tasks") == expected


def test_votes_have_no_ends_whatever_was_declared() -> None:
    wins = np.array([[0, 30], [10, 0]])
    scores = rb.Scores(
        {name: rb.Votes(("a", "b"), wins) for name in "xy"},
        {name: rb.TaskInfo(minimum=0.0, maximum=0.1) for name in "xy"},
    )
    assert rb.aggregate(scores).bounds == UNKNOWN


def test_a_score_beyond_its_declared_end_is_refused_with_model_and_task() -> None:
    info = {"y": rb.TaskInfo(minimum=0.0, maximum=0.3)}
    scores = rb.Scores.from_arrays(answers(), ["a", "b", "c"], info=info)
    with pytest.raises(rb.DataError, match=r"Task 'y': model 'a' has the score 1, outside .* 0 to"):
        rb.aggregate(scores)


@given(seed=st.integers(0, 400), over=st.sampled_from(["items", "tasks"]))
def test_a_cut_interval_holds_a_possible_value_exactly_where_the_whole_one_does(
    seed: int, over: str
) -> None:
    tasks = answers(6, seed)
    whole = {
        name: rb.TaskInfo(minimum=-1e9 * (k + 1), maximum=1e9 * (k + 1))
        for k, name in enumerate(tasks)
    }
    names = ["a", "b", "c"]
    # With a correction, few tasks give no intervals of differences.
    cut, free = (
        rb.aggregate(scores, over=over, correction="none", resamples=2)
        for scores in (
            rb.Scores.from_arrays(tasks, names),
            rb.Scores.from_arrays(tasks, names, info=whole),
        )
    )
    assert (cut.bounds, free.bounds) == ((0.0, 1.0), UNKNOWN)
    truth = np.linspace(0.0, 1.0, 41)[:, None]
    inside = [(one.low <= truth) & (truth <= one.high) for one in (cut, free)]
    assert (inside[0] == inside[1]).all()
    assert not (cut.low < 0.0).any()
    assert not (cut.high > 1.0).any()
    first, second = (one.comparison_intervals() for one in (cut, free))
    apart = [ends.low[:, None] > ends.high[None, :] for ends in (first, second)]
    assert (apart[0] == apart[1]).all()  # cutting moves no two intervals apart
    assert cut.contrasts is not None
    assert np.nanmax(np.abs([cut.contrasts.low, cut.contrasts.high])) <= 1.0


@pytest.mark.parametrize("method", ["mean", "average_rank", "win_rate_top1"])
@pytest.mark.parametrize("estimator", ["t", "bootstrap", "bootstrap_t"])
def test_the_same_on_every_task_has_no_interval_whatever_is_averaged(
    method: str, estimator: str
) -> None:
    rows = np.array([[0.875, 0.5, 0.4], [0.875, 0.3, 0.6], [0.875, 0.4, 0.2]])
    tasks = {
        f"t{i}": rb.Estimates(tuple("abc"), row) for i, row in enumerate(np.tile(rows, (5, 1)))
    }
    scores = rb.Scores(tasks)
    average = rb.aggregate(scores, method=method, over="tasks", estimator=estimator)
    assert np.isnan([average.low[0], average.high[0]]).all()
    assert average.se is not None
    assert np.isnan(average.se[0])
    note = next(note for note in average.notes if note.code == "constant-score")
    assert "a" in note.models
    assert note.message.endswith("no interval of its own.")


def test_a_rank_that_is_the_same_in_every_draw_of_items_keeps_its_range() -> None:
    scores = rb.Scores.from_arrays(answers(), ["a", "b", "c"])
    average = rb.aggregate(scores, method="average_rank", over="items")
    assert average.is_range
    assert (average.low[0], average.high[0]) == (1.0, 1.0)
    assert not rb.aggregate(scores).is_range


@pytest.mark.parametrize(
    ("over", "estimator", "method"),
    [
        ("items", "bootstrap", "mean"),
        ("items", "bootstrap", "average_rank"),
        ("items", "analytic", "borda"),
        ("tasks", "bootstrap", "mean"),
        ("tasks", "bootstrap_t", "mean"),
        ("items", "bayes", "mean"),
    ],
)
def test_ends_that_are_counted_need_draws_enough(over: str, estimator: str, method: str) -> None:
    scores = rb.Scores.from_arrays(answers(seed=1), ["a", "b", "c"])
    few, enough = (
        rb.aggregate(scores, over=over, estimator=estimator, method=method, resamples=count)
        for count in (fewest_draws(0.05) - 1, fewest_draws(0.05))
    )
    assert fewest_draws(0.05) == 39
    assert np.isnan(few.low).all()
    assert "few-draws" in {note.code for note in few.notes}
    assert "constant-score" not in {note.code for note in few.notes}
    assert "few-draws" not in {note.code for note in enough.notes}
    if method != "mean":  # bands are counted in the same draws
        assert (few.best.tolist(), few.worst.tolist()) == ([1, 1, 1], [3, 3, 3])


def test_what_is_not_counted_needs_no_draws() -> None:
    scores = rb.Scores.from_arrays(answers(), ["a", "b", "c"])
    average = rb.aggregate(scores, resamples=1)
    assert not np.isnan(average.low).any()
    assert "few-draws" not in {note.code for note in average.notes}


ODD: list[Any] = [
    None, 0, -1, 1.5, float("nan"), INF, True, "x", "", b"x", [], (), {}, {"x": "1"}, {"x": None},
    {"x": (0, 1)}, {"x": (0, "a")}, {"x": 1}, {1: 1}, ["mean"], {"mean"}, object(),
    np.float64(0.5), np.int64(3), np.array([1.0, 2.0]), Decimal("0.1"), range(3), 3 + 4j,
]  # fmt: skip
OPTIONS = (
    "over", "estimator", "method", "normalise", "limits", "weights", "test", "correction",
    "scope", "alpha", "seed", "resamples", "prior",
)  # fmt: skip


@pytest.mark.parametrize("name", OPTIONS)
def test_a_value_of_any_type_is_used_or_refused_with_a_sentence(name: str) -> None:
    info = {task: rb.TaskInfo(category=task, chance=0.2) for task in "xyz"}
    scores = rb.Scores.from_arrays(answers(10), ["a", "b", "c"], info=info)
    beside: dict[str, dict[str, str]] = {
        "limits": {"normalise": "bounds"},
        "prior": {"estimator": "bayes"},
    }
    refused: list[str] = []
    for value in ODD:
        for more in {}, beside.get(name, {}):
            chosen = {"resamples": 40, name: value, **more}
            try:
                rb.aggregate(scores, **chosen)
            except rb.RankbarsError as error:
                refused.append(str(error))
    assert len(refused) > 15
    assert min(map(len, refused)) > 25


@pytest.mark.parametrize("value", ODD)
def test_weights_of_categories_and_facts_of_tasks_of_any_type(value: Any) -> None:
    info = {task: rb.TaskInfo(category=task) for task in "xyz"}
    scores = rb.Scores.from_arrays(answers(10), ["a", "b", "c"], info=info)
    means = rb.aggregate(scores, resamples=2).by_category
    assert means is not None
    calls: list[Callable[[], object]] = [
        lambda: means.at(value),
        lambda: means.smallest_changes(value),
        lambda: means.weight_map(z=value, steps=3),
        lambda: means.weight_map(steps=value if not isinstance(value, int) else min(value, 3)),
        lambda: scores.weigh_categories(value),
        lambda: rb.Scores.from_records(value),
        *(
            partial(rb.TaskInfo, **{what: value})
            for what in ("category", "metric", "weight", "minimum", "chance", "direction")
        ),
    ]
    refused: list[str] = []
    for call in calls:
        try:
            call()
        except rb.RankbarsError as error:
            refused.append(str(error))
    assert min(map(len, refused), default=99) > 25
