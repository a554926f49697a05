"""Whatever states where models rank says at which level, or that it is approximate."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import stats

import rankbars as rb
from rankbars.render import render
from rankbars.render.ranktable import board_table, task_table
from rankbars.render.sentences import headline_sentences

NAMES = list("abcdefghij")


def rows(kind: str, *, tasks: int = 1, size: int = 9, n: int = 60) -> rb.Scores:
    rng = np.random.default_rng(3)
    noise = rng.normal if kind == "normal" else rng.exponential
    power = 1 if kind == "normal" else 3
    made = {f"t{k}": noise(size=(n, size)) ** power + np.linspace(0, 1, size) for k in range(tasks)}
    return rb.Scores.from_arrays(made, NAMES[:size])


BOARDS = {
    "one task": (lambda: rb.leaderboard(rows("normal")), "95 %"),
    "average": (lambda: rb.leaderboard(rows("normal", tasks=4)), "95 %"),
    "new task": (lambda: rb.leaderboard(rows("normal", tasks=6), over="none"), "new task"),
    "each model": (lambda: rb.leaderboard(rows("normal"), scope="each"), "95 %"),
    "another level": (lambda: rb.leaderboard(rows("normal"), alpha=0.1), "90 %"),
    "resampled": (lambda: rb.leaderboard(rows("skewed", n=30), resamples=200), "95 %"),
    "insisted": (lambda: rb.leaderboard(rows("skewed", n=30), test="t"), "approximate"),
    "average, insisted": (
        lambda: rb.leaderboard(rows("skewed", n=30, tasks=3), test="t"), "approximate",
    ),
    "no correction": (lambda: rb.leaderboard(rows("normal"), correction="none"), "no guarantee"),
}  # fmt: skip
CLAIM = re.compile(r"may be first|first place is open|leads: |shown (?:better|worse) than|ranks \d")


@pytest.fixture(scope="module", params=BOARDS)
def case(request: pytest.FixtureRequest) -> tuple[rb.Leaderboard, str]:
    make, level = BOARDS[request.param]
    board = make()
    if level == "new task":
        assert board.overall is not None
        level = f"{np.floor(1000 * board.overall.guarantee) / 10:g} %"
    return board, level


@pytest.mark.parametrize("form", ["text", "md", "csv", "latex", "html"])
def test_every_export_says_its_level(case: tuple[rb.Leaderboard, str], form: str) -> None:
    board, level = case
    text = " ".join(render(board, form).replace("~", " ").replace("\\%", "%").split())
    assert level in text
    if form == "csv":
        lines = render(board, form).splitlines()
        assert "level" in lines[0].split(",")
        assert all(level in line for line in lines[1:])


def test_every_sentence_that_claims_a_rank_says_its_level(case: tuple[rb.Leaderboard, str]) -> None:
    board, level = case
    sentences = headline_sentences(board)
    claims = [one for one in sentences if CLAIM.search(one)]
    assert claims or "do not tell the" in sentences[0]
    assert all(level in one for one in claims)


def test_frames_and_rows_of_models_say_it(case: tuple[rb.Leaderboard, str]) -> None:
    board, level = case
    assert board.to_frame("pandas")["level"].unique().tolist() == [level]
    assert board[board.models[0]].level == level
    assert {"level"} <= set(board.to_frame("pandas", task=list(board.tasks)).columns)


def score_cells(scores: rb.Scores, task: str | None = None) -> tuple[str, dict[str, str]]:
    """What stands behind ± by the header, and the score of each model as shown."""
    board = rb.leaderboard(scores)
    table = board_table(board) if task is None else task_table(board, task)
    return table.score_note, {row.model: row.score for row in table.rows}


def test_behind_the_score_of_a_task_stands_the_t_interval_of_its_rows():
    rows = np.random.default_rng(5).random((12, 3))
    note, shown = score_cells(rb.Scores.from_arrays({"math": rows}, ["a", "b", "c"]))
    assert note == "± 95 %"
    for name, column in zip("abc", rows.T, strict=True):
        low, high = stats.t.interval(0.95, 11, column.mean(), stats.sem(column))
        assert shown[name] == f"{column.mean():.2f} ±{(high - low) / 2:.2f}"


def test_tasks_and_averages_have_the_same_header_over_their_scores():
    rng = np.random.default_rng(6)
    scores = rb.Scores.from_arrays({name: rng.random((30, 3)) for name in "xy"}, list("abc"))
    assert score_cells(scores)[0] == score_cells(scores, "x")[0] == "± 95 %"


def test_published_scores_have_a_normal_interval_and_no_more_digits_than_they_came_with():
    rows = rb.Estimates(("a", "b", "c"), [71.3, 64.0, 60.5], se=[0.12, 0.15, 0.0])
    note, shown = score_cells(rb.Scores({"exam": rows}))
    assert note == "± 95 %"
    assert shown == {"a": "71.3 ±0.2", "b": "64.0 ±0.3", "c": "60.5"}


def test_a_line_says_that_intervals_of_scores_are_of_each_model_by_itself():
    rows = np.random.default_rng(7).random((20, 3))
    board = rb.leaderboard(rb.Scores.from_arrays({"math": rows}, ["a", "b", "c"]))
    said = "Behind ±: each model's own 95 % interval, not for all models at once."
    assert said in " ".join(board.to_text().split())
    assert said in board.to_markdown()
