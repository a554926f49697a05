"""Notes where a stated level is not assured, on every path that states one."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest
from calibration import Calibration
from scipy import stats

import rankbars as rb
from rankbars.render import render
from rankbars.render.duel import head_to_head_text
from rankbars.render.paragraph import methods_text

SIZES = (231, 75, 44, 34, 32, 22, 22, 19, 10, 8, 2, 1)


def codes(notes: tuple[rb.Note, ...]) -> set[str]:
    return {note.code for note in notes}


def skewed_rows(count: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return 1e4 - rng.lognormal(0.0, 2.0, (count, 4))


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
        assert ("skewed" in found) == (path != "compare"), path  # it is about who decides


@pytest.mark.parametrize("test", ["t", "signflip"])
def test_sign_flips_are_no_remedy_for_skewed_rows(test: str) -> None:
    scores = rb.Scores.from_arrays({"x": skewed_rows(20)}, list("abcd"))
    made = rb.rank(rb.compare(scores, test=test))["x"]
    assert made.approximate
    assert made.guarantee is None
    assert "skewed" in codes(made.notes)


def test_skewed_rows_are_resampled_and_keep_their_level() -> None:
    scores = rb.Scores.from_arrays({"x": skewed_rows(40)}, list("abcd"))
    board = rb.leaderboard(scores)
    task = board.tasks["x"]
    assert (task.correction, task.approximate, task.guarantee) == ("maxt_bootstrap", False, 0.95)
    (note,) = [note for note in board.notes if note.code == "skewed"]
    assert "Rare large failures that these rows do not contain are not covered." in note.message


@pytest.mark.parametrize("insisted", [{"test": "t"}, {"correction": "holm"}])
def test_who_insists_on_t_gets_no_level_anywhere(insisted: dict[str, str]) -> None:
    arrays = {"x": skewed_rows(20) * [9, 1, 1, 1], "y": skewed_rows(20, 1) * [9, 1, 1, 1]}
    for scores in (
        rb.Scores.from_arrays({"x": arrays["x"]}, list("abcd")),
        rb.Scores.from_arrays(arrays, list("abcd")),
    ):
        board = rb.leaderboard(scores, over="items", pairs=True, **insisted)
        first = board.aggregate or board.tasks["x"]
        assert (first.approximate, first.guarantee) == (True, None)
        assert first.measured_level in (0.67, 0.78, 0.88, 0.90, 0.92, 0.94)
        duels = [rb.head_to_head(scores, "a", other, test="t") for other in "bcd"]
        duel = next(one for one in duels if one.approximate)
        shown = [
            *(render(board, form) for form in ("text", "md", "csv", "latex", "html")),
            methods_text(board), head_to_head_text(duel),
        ]  # fmt: skip
        for text in shown:
            assert "95 %" not in bare(text).replace("95\xa0%", "95 %")


def bare(text: str) -> str:
    """A text without the sentence that says how often 95 % statements held."""
    text = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    flat = " ".join(html.unescape(text).replace("\\%", "%").replace("~", " ").split())
    return flat.replace("statements made this way at 95 % held about", "")


def test_fewer_than_five_rows_show_nothing_unless_they_are_answers() -> None:
    rows = np.arange(12.0).reshape(4, 3) ** 2 + [0.0, 50.0, 900.0]
    made = rb.rank(rb.compare(rb.Scores.from_arrays({"x": rows}, list("abc"))))["x"]
    assert (made.best.tolist(), made.worst.tolist(), made.guarantee) == ([1] * 3, [3] * 3, 0.95)


def test_two_models_on_fewer_than_five_rows_have_an_approximate_interval_and_no_verdict() -> None:
    rows = np.array([[0.9, 0.1], [0.92, 0.1], [0.94, 0.11]])
    estimates = {f"t{i}": rb.Estimates(("a", "b"), row) for i, row in enumerate(rows)}
    of_rows = rb.head_to_head(rb.Scores.from_arrays({"x": rows}, ["a", "b"]), "a", "b")
    of_tasks = rb.head_to_head(rb.Scores(estimates), "a", "b", over="tasks")
    low, high = stats.ttest_rel(*rows.T).confidence_interval(0.95)
    for duel, one in ((of_rows, of_rows.tasks["x"]), (of_tasks, of_tasks.average)):
        assert one is not None
        assert (one.low, one.high) == pytest.approx((low, high))
        assert (one.verdict, one.p_better, one.approximate) == ("cannot tell", 1.0, True)
        assert "few-items" in codes(duel.notes)
        text = " ".join(head_to_head_text(duel).split())
        assert "+0.85], approximate. Approximate: so few do not tell how differences " in text
        assert "smallest true difference that these" not in text


def test_even_rows_decide_as_ever() -> None:
    switched = 0
    for seed in range(40):
        rows = np.random.default_rng(seed).normal(size=(50, 5))
        made = rb.rank(rb.compare(rb.Scores.from_arrays({"x": rows}, list("abcde"))))["x"]
        switched += made.method == "maxt_bootstrap"
    assert switched <= 8


def test_many_even_rows_and_answers_of_zero_and_one_carry_no_such_note() -> None:
    rng = np.random.default_rng(0)
    even = {"x": rng.normal(size=(300, 4)), "y": (rng.random((30, 4)) < 0.9).astype(float)}
    for one in rb.compare(rb.Scores.from_arrays(even, list("abcd"))).values():
        assert "skewed" not in codes(one.notes)


def test_the_index_of_skew_does_not_depend_on_unit_or_order() -> None:
    rows = skewed_rows(30)
    notes = [
        rb.rank(rb.compare(rb.Scores.from_arrays({"x": values}, list("abcd"))))["x"].notes
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
    assert {"few-rows-average", "skewed"} & codes(rb.head_to_head(scores, "a", "b").notes)
    rows = {"x": rng.normal(size=(500, 6)), "y": rng.normal(size=(12, 6))}
    board = rb.leaderboard(rb.Scores.from_arrays(rows, list("abcdef")))
    assert {"few-rows-average", "skewed"} & codes(board.notes)
    assert board.aggregate is not None
    assert board.aggregate.correction == "maxt_bootstrap"


def test_few_rows_with_a_clear_tail_say_approximate_and_even_ones_do_not() -> None:
    rng = np.random.default_rng(3)
    for rows, unsure in ((skewed_rows(12), True), (rng.normal(size=(12, 4)), False)):
        scores = rb.Scores.from_arrays({"x": rows}, list("abcd"))
        board = rb.leaderboard(scores)
        task = board.tasks["x"]
        assert (task.approximate, task.guarantee is None) == (unsure, unsure)
        assert task.measured_level == (0.77 if unsure else None)
        if unsure:
            duels = [rb.head_to_head(scores, *pair).tasks["x"] for pair in ("ac", "ad", "bd")]
            assert {one.measured_level for one in duels if one.approximate} == {0.77}
            (note,) = [note.message for note in board.notes if note.code == "skewed"]
            assert "do not tell how long the tail is" in note


@pytest.mark.parametrize(
    ("rows", "models", "held"),
    [(8, 2, 0.77), (19, 6, 0.77), (30, 6, 0.92), (49, 3, 0.92), (49, 6, 0.92), (50, 3, None)],
)
@pytest.mark.parametrize("over", ["items", "tasks"])
def test_few_scores_with_one_end_have_no_level(
    rows: int, models: int, held: float | None, over: str
) -> None:
    """Even ones: seconds, costs and losses reach far on one side, though few may not show it."""
    values = np.random.default_rng(rows).normal(-5.0, 1.0, (rows, models))
    names = list("abcdef"[:models])
    scores = rb.Scores.from_arrays({"x": values}, names)
    if over == "tasks":
        scores = rb.Scores(
            {f"{k:02}": rb.Estimates(tuple(names), row) for k, row in enumerate(values)}
        )
    board = rb.leaderboard(scores)
    first = board.aggregate or board.tasks["x"]
    assert (first.guarantee, first.measured_level) == (None if held else 0.95, held)
    duel = rb.head_to_head(scores, "a", "b")
    contrast = duel.average or duel.tasks["x"]
    assert contrast.measured_level == held  # one rule for the board and for two of its models
    assert ("unknown-tail" in codes(board.notes)) == (held is not None)
    raised = rb.leaderboard(rb.Scores.from_arrays({"x": values + 30.0}, names))
    assert "unknown-tail" not in codes(raised.notes)


@pytest.mark.parametrize(
    ("sizes", "held"),
    [((8, 80, 80), 0.77), ((30, 80, 80), 0.87), ((12,) * 5, 0.77), ((60, 80, 80), None),
     ((40, 200, 30), 0.87), ((40, *(100,) * 9), None)],
)  # fmt: skip
def test_averages_whose_error_comes_from_few_scores_with_one_end_have_no_level(
    sizes: tuple[int, ...], held: float | None
) -> None:
    rng = np.random.default_rng(0)
    rows = {f"t{k}": rng.normal(-9.0, 1.0, (n, 4)) for k, n in enumerate(sizes)}
    scores = rb.Scores.from_arrays(rows, list("abcd"))
    board = rb.leaderboard(scores, over="items")
    assert board.aggregate is not None
    made = board.aggregate.guarantee, board.aggregate.measured_level
    assert made == (None if held else 0.95, held)
    average = rb.head_to_head(scores, "a", "b", over="items").average
    assert average is not None
    assert (average.approximate, average.measured_level) == (held is not None, held)
    told = [note.message for note in board.notes if note.code == "unknown-tail" and not note.task]
    assert len(told) == (held is not None)
    assert all(f"(from {min(sizes)})" in one for one in told)
    if held:
        assert board.leader is None
    raised = {name: values + 30.0 for name, values in rows.items()}
    above = rb.leaderboard(rb.Scores.from_arrays(raised, list("abcd")), over="items")
    assert "unknown-tail" not in codes(above.notes)


def skewed_clusters() -> rb.Scores:
    """Eleven clusters of 0/1 answers, in one of which the first model fails."""
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(11), 30)
    chance = np.full((330, 3), 0.6)
    chance[clusters == 0, 0] = 0.0
    return rb.Scores(
        {"x": rb.Items(tuple("abc"), rng.random((330, 3)) < chance, clusters=clusters)}
    )


def test_skewed_clusters_are_resampled_whole_and_by_name_holm_says_approximate() -> None:
    board = rb.leaderboard(skewed_clusters())
    task = board.tasks["x"]
    assert (task.correction, task.approximate, task.guarantee) == ("maxt_bootstrap", False, 0.95)
    (note,) = [note.message for note in board.notes if note.code == "skewed"]
    assert "resampling whole clusters" in note
    assert not rb.head_to_head(skewed_clusters(), "a", "b").tasks["x"].approximate
    by_name = rb.leaderboard(skewed_clusters(), correction="holm").tasks["x"]
    assert (by_name.guarantee, by_name.measured_level) == (None, 0.88)


def test_fewer_than_five_clusters_are_not_resampled() -> None:
    scores = rb.Scores({"x": clustered((20,) * 4)})
    assert rb.leaderboard(scores).tasks["x"].correction == "holm"
    with pytest.raises(rb.OptionError, match="needs at least 5 clusters, and there are 4"):
        rb.leaderboard(scores, correction="maxt_bootstrap")


def test_a_model_that_never_varies_has_no_interval_of_its_own() -> None:
    rows = np.random.default_rng(0).normal(size=(30, 3))
    rows[:, 0] = 1.25
    board = rb.leaderboard(rb.Scores.from_arrays({"x": rows}, list("abc")))
    low, high = board.tasks["x"].score_interval()
    assert np.isnan([low[0], high[0]]).all()
    assert (low[1:] < high[1:]).all()


@pytest.mark.slow
def test_averages_with_a_task_of_few_rows_hold_as_the_note_says(calibration: Calibration) -> None:
    """Four tasks of 100 rows and one of 10, all skewed: 95 to 97 % by resampling inside tasks."""
    rng, runs, held = np.random.default_rng(4), calibration.runs(42, 400), 0
    for _ in range(runs):
        sizes = (100, 100, 100, 100, 10)
        rows = {f"t{k}": -rng.exponential(size=(n, 6)) for k, n in enumerate(sizes)}
        scores = rb.Scores.from_arrays(rows, list("abcdef"))
        made = rb.aggregate(scores, over="items", scope="all", resamples=300)
        held += not made.shown_better.any()
    calibration.at_least(held, runs, 0.95)
