"""The average in full: what is beside each average, and what it says."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rankbars as rb
from rankbars.data.boardfile import board_json
from rankbars.data.boardreading import board_from_dict
from rankbars.render.averagetables import average_table, render_average, render_differences
from rankbars.render.page import render_html

MODELS = ["ash", "birch", "cedar"]


def board(missing: bool = False, **options: str) -> rb.Leaderboard:
    rng = np.random.default_rng(4)
    tasks = {n: (rng.random((60, 3)) < [0.3, 0.5, 0.97]).astype(float) for n in "wxyz"}
    if missing:
        tasks["w"][:, 0] = np.nan
    info = {name: rb.TaskInfo(category="one" if name in "wx" else "two") for name in tasks}
    scores = rb.Scores.from_arrays(tasks, MODELS, info=info)
    return rb.leaderboard(scores, missing="bounds", **options)  # type: ignore[arg-type]


def test_each_model_has_its_intervals_its_tasks_and_its_category_means() -> None:
    found = board()
    table = average_table(found)
    assert table.models == ("cedar", "birch", "ash")
    assert list(table.columns) == [
        "Score", "To compare", "Tasks", "one", "two", "one, to compare", "two, to compare",
    ]  # fmt: skip
    assert table.columns["Tasks"] == ("4", "4", "4")
    means = found.aggregate.by_category  # type: ignore[union-attr]
    shown = table.columns["two"][0].split(" ±")
    assert float(shown[0]) == pytest.approx(means.score[1, 2], abs=0.005)  # type: ignore[union-attr]
    assert float(shown[1]) == pytest.approx(1.96 * means.se[1, 2], abs=0.005)  # type: ignore[union-attr]
    assert table.title == "Average score over exactly these 4 tasks"


def test_the_sentences_say_what_an_interval_to_compare_promises_and_what_not() -> None:
    text = " ".join(render_average(board()).split())
    assert "(83.4 % where errors are normal)" in text
    assert "the two differ at 5 %, if their averages are independent and equally sure" in text
    assert "It promises nothing about many pairs" in text
    assert "weights are one 0.5 (2 tasks), two 0.5 (2 tasks)." in text
    assert "83.4" not in render_average(board(alpha=0.1))  # type: ignore[arg-type]


def test_a_model_without_some_task_shows_how_many_it_has() -> None:
    table = average_table(board(missing=True))
    assert table.models[-1] == "ash"
    assert [column[-1] for column in table.columns.values()][:3] == ["–", "–", "3"]
    assert any("on how many of the 4" in sentence for sentence in table.sentences)


def test_ranges_of_draws_are_not_called_intervals() -> None:
    found = board(method="average_rank", over="items")
    table = average_table(found)
    assert list(table.columns) == ["Mean rank", "Tasks"]
    assert "no confidence interval. Lower is better." in table.sentences[0]
    assert json.loads(board_json(found))["aggregate"]["comparison_low"] is None


def test_lines_stay_within_eighty_columns() -> None:
    rng = np.random.default_rng(0)
    info = {f"t{i}": rb.TaskInfo(category=f"category number {i}") for i in range(9)}
    tasks = {name: rng.random((20, 2)) for name in info}
    found = rb.leaderboard(rb.Scores.from_arrays(tasks, ["a" * 60, "b"], info=info))
    assert max(map(len, render_average(found).splitlines())) <= 80


def test_the_file_keeps_what_the_table_needs() -> None:
    found = board()
    values = json.loads(board_json(found))
    ends = found.aggregate.comparison_intervals()  # type: ignore[union-attr]
    assert values["aggregate"]["comparison_low"] == pytest.approx(ends.low)
    assert values["aggregate"]["comparison_high"] == pytest.approx(ends.high)
    assert values["aggregate"]["bounds"] == [0.0, 1.0]
    again = board_from_dict(values)
    assert render_average(again) == render_average(found)
    assert board_json(again) == board_json(found)


def test_the_page_has_the_same_table_and_one_task_has_none() -> None:
    page = render_html(board())
    assert 'id="average"' in page
    assert "means of categories" in page
    one = rb.leaderboard(rb.Scores.from_arrays({"x": np.eye(3)}, MODELS))
    assert 'id="average"' not in render_html(one)
    with pytest.raises(rb.DataError, match="no average of tasks"):
        render_average(one)


def test_differences_are_kept_in_the_board_file_and_shown_best_first() -> None:
    made = board()
    again = board_from_dict(json.loads(board_json(made)))
    kept = again.aggregate.differences  # type: ignore[union-attr]
    assert kept.difference.tolist() == made.aggregate.differences.difference.tolist()  # type: ignore[union-attr]
    text = render_differences(again)
    assert text == render_differences(made)
    rows = [line for line in text.splitlines() if " − " in line]
    assert [row.split("  ")[0] for row in rows] == ["cedar − birch", "cedar − ash", "birch − ash"]
    assert all(float(row.split()[3]) > 0 for row in rows)
    assert "p Bonferroni" in text
    assert "p Holm" in text
    assert "Above 0 the first is better." in text


def test_a_posterior_board_is_read_back_and_says_that_nothing_is_promised() -> None:
    made = board(estimator="bayes")
    again = board_from_dict(json.loads(board_json(made)))
    assert "without a guarantee" in render_differences(again)


def test_a_file_without_differences_says_how_to_get_them() -> None:
    plain = json.loads(board_json(board()))
    del plain["aggregate"]["differences"]
    with pytest.raises(rb.DataError, match="rankbars rank INPUT"):
        render_differences(board_from_dict(plain))


def test_categories_have_intervals_to_compare_by_eye() -> None:
    average = board().aggregate
    assert average is not None
    means = average.by_category
    assert means is not None
    low, high = means.comparison_intervals(0.05)
    assert high - low == pytest.approx(2 * 1.385904 * means.se, rel=1e-5)  # 83.4 %
    assert (high + low) / 2 == pytest.approx(means.score)
    text = render_average(board())
    assert "one, to compare" in text
