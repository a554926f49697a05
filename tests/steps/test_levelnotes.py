"""Notes where a stated level is not assured, on every path that states one."""

from __future__ import annotations

import numpy as np
import pytest

import rankbars as rb

SIZES = (231, 75, 44, 34, 32, 22, 22, 19, 10, 8, 2, 1)


def codes(notes: tuple[rb.Note, ...]) -> set[str]:
    return {note.code for note in notes}


def skewed_rows(count: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return -(rng.lognormal(0.0, 2.0, (count, 4)))


def every_path(scores: rb.Scores) -> dict[str, set[str]]:
    (first, second, *_) = scores.models
    return {
        "leaderboard": codes(rb.leaderboard(scores).notes),
        "workers": codes(rb.leaderboard(scores, n_jobs=2).notes),
        "aggregate": codes(rb.aggregate(scores).notes),
        "compare": set().union(*(codes(one.notes) for one in rb.compare(scores).values())),
        "head to head": codes(rb.head_to_head(scores, first, second).notes),
    }


def test_skewed_rows_carry_a_note_on_every_path() -> None:
    scores = rb.Scores.from_arrays({"x": skewed_rows(20), "y": skewed_rows(20, 1)}, list("abcd"))
    for path, found in every_path(scores).items():
        assert "skewed" in found, path


@pytest.mark.parametrize("test", ["t", "signflip"])
def test_sign_flips_are_no_remedy_for_skewed_rows(test: str) -> None:
    scores = rb.Scores.from_arrays({"x": skewed_rows(20)}, list("abcd"))
    assert "skewed" in codes(rb.compare(scores, test=test)["x"].notes)


def test_many_even_rows_and_answers_of_zero_and_one_carry_no_such_note() -> None:
    rng = np.random.default_rng(0)
    even = {"x": rng.normal(size=(300, 4)), "y": (rng.random((30, 4)) < 0.9).astype(float)}
    for one in rb.compare(rb.Scores.from_arrays(even, list("abcd"))).values():
        assert "skewed" not in codes(one.notes)


def test_the_index_of_skew_does_not_depend_on_unit_or_order() -> None:
    rows = skewed_rows(30)
    notes = [
        rb.compare(rb.Scores.from_arrays({"x": values}, list("abcd")))["x"].notes
        for values in (rows, 1e6 * rows, rows[::-1, ::-1])
    ]
    messages = [[n.message for n in found if n.code == "skewed"] for found in notes]
    assert messages[0]
    assert messages[0] == messages[1] == messages[2]


def test_skewed_tasks_carry_a_note_on_an_average_over_a_population() -> None:
    values = skewed_rows(12)
    tasks = {f"t{i:02}": rb.Estimates(tuple("abcd"), row) for i, row in enumerate(values)}
    assert "skewed" in codes(rb.aggregate(rb.Scores(tasks), over="tasks").notes)
    assert "skewed" in codes(rb.head_to_head(rb.Scores(tasks), "a", "b").notes)


def clustered(sizes: tuple[int, ...], seed: int = 0) -> rb.Items:
    groups = np.repeat(np.arange(len(sizes)), sizes)
    values = np.random.default_rng(seed).normal(size=(groups.size, 3))
    return rb.Items(tuple("abc"), values, clusters=groups)


def test_unequal_clusters_carry_a_note_on_every_path() -> None:
    scores = rb.Scores({"x": clustered(SIZES), "y": clustered(SIZES, 1)})
    for path, found in every_path(scores).items():
        assert "unequal-clusters" in found, path
    (note,) = [n for n in rb.compare(scores)["x"].notes if n.code == "unequal-clusters"]
    assert "12 clusters count as about 3.4" in note.message


def test_equal_clusters_carry_no_such_note() -> None:
    found = rb.compare(rb.Scores({"x": clustered((40,) * 12)}))["x"]
    assert "unequal-clusters" not in codes(found.notes)


@pytest.mark.parametrize(("count", "nothing"), [(5, True), (6, False)])
def test_mean_ranks_over_few_tasks_say_what_can_be_shown(count: int, nothing: bool) -> None:
    rng = np.random.default_rng(0)
    arrays = {f"t{i}": rng.random((30, 3)) for i in range(count)}
    info = {name: rb.TaskInfo(metric="xy"[i % 2]) for i, name in enumerate(arrays)}
    scores = rb.Scores.from_arrays(arrays, list("abc"), info=info)
    for notes in (
        rb.leaderboard(scores).notes,
        rb.aggregate(scores).notes,
        rb.head_to_head(scores, "a", "b").notes,
    ):
        (note,) = [note for note in notes if note.code == "few-tasks"]
        assert ("nothing can be shown at 95 %" in note.message) == nothing
        said = "by luck once in 16 times" if nothing else "exact test on ranks, 6 tasks"
        assert said in note.message


def test_a_task_of_few_rows_carries_a_note_on_the_average_of_two_models() -> None:
    rng = np.random.default_rng(0)
    scores = rb.Scores.from_arrays({"x": rng.random((500, 2)), "y": rng.random((6, 2))}, ["a", "b"])
    assert "few-rows-average" in codes(rb.head_to_head(scores, "a", "b").notes)
