"""CSV keeps every digit and every name; LaTeX compiles whatever the names are."""

import csv
import re
from io import StringIO

import numpy as np
import pytest
from hypothesis import given
from render.boards import SCORE, average, average_board, new_task_board, task, task_board
from render.hostile import hostile_boards

from rankbars.render.exports import render_csv, render_latex


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text, newline="")))


def test_one_row_per_model_best_first_with_numbers_in_full():
    rows = read(render_csv(average_board()))
    assert [row["model"] for row in rows] == ["ant", "bee", "cat", "dog", "eel"]
    assert [float(row["score"]) for row in rows] == SCORE.tolist()
    assert rows[2] | {"score": "", "score_low": "", "score_high": ""} == {
        "model": "cat", "tier": "2", "score": "", "score_low": "", "score_high": "", "best": "3",
        "worst": "4", "new_task_best": "2", "new_task_worst": "4", "coverage": "1.0",
        "level": rows[2]["level"], "new_task_level": rows[2]["new_task_level"],
    }  # fmt: skip


def test_what_does_not_exist_is_empty_and_not_zero():
    board = task_board()
    row = read(render_csv(board))[0]
    assert row["new_task_best"] == ""
    assert board.aggregate is None
    unknown = task_board(tasks={"a": task("a", se=np.full(5, np.nan))})
    assert read(render_csv(unknown))[0]["score_low"] == ""


def test_scores_of_one_task_have_the_interval_that_the_board_gives_them():
    board = task_board()
    for row in read(render_csv(board)):
        standing = board[row["model"]]
        ends = (float(row["score_low"]), float(row["score_high"]))
        assert ends == (standing.score_low, standing.score_high)
        assert ends[0] < float(row["score"]) < ends[1]


def test_one_task_is_tidy_and_in_the_units_of_the_file():
    tasks = {"rmse": task("rmse", mean=-SCORE, direction="lower"), "b": task("b")}
    rows = read(render_csv(average_board(tasks=tasks), task="rmse"))
    assert [row["task"] for row in rows] == ["rmse"] * 5
    assert [float(row["score"]) for row in rows] == sorted((-SCORE).tolist())


def test_a_new_task_board_gives_its_ranks_as_best_and_worst():
    rows = read(render_csv(new_task_board()))
    assert [(row["best"], row["worst"]) for row in rows][:2] == [("1", "3"), ("1", "2")]


@pytest.mark.parametrize("start", list("=+-@\t\r\n＝＋－＠"))  # noqa: RUF001
def test_no_name_is_a_formula(start):
    names = (f"{start}1+1", "b", "c", "d", "e")
    assert read(render_csv(average_board(names)))[0]["model"] == f"'{start}1+1"


@given(hostile_boards())
def test_names_come_back_from_csv_as_they_went_in(board):
    rows = read(render_csv(board))
    for row, i in zip(rows, board.order, strict=True):
        name = board.models[i].encode("utf-8", "backslashreplace").decode("utf-8")
        assert row["model"] in (name, f"'{name}")


def test_the_latex_table_reads_as_meant(snapshot):
    assert render_latex(average_board()) == snapshot


@given(hostile_boards())
def test_no_name_is_a_command_in_latex(board):
    text = render_latex(board)
    body = text[text.index("\\caption") : text.index("\\end{table}")]
    known = (
        r"\\(?:textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|"
        r"textasciigrave|ldots)\{\}|\\[&%$#_{},]|\$\\(?:pm|times)\$|\$\^\{[\d,]+\}\$|\\\\\n|"
        r"\\(?:caption|begin\{tabular\}|end\{tabular\}|toprule|midrule|bottomrule|"
        r"par|smallskip|footnotesize|raggedright|symbol\{34\})"
    )
    rest = re.sub(known, "", body)
    assert "\\" not in rest
    assert not set(rest) & set("$#%^_")
    assert rest.count("{") == rest.count("}")


def test_two_hyphens_in_a_name_do_not_become_a_dash():
    assert "a-{}-b" in render_latex(average_board(("a--b", "b", "c", "d", "e")))


def test_ranks_as_average_keep_their_direction():
    board = average_board(
        aggregate=average(unit="rank", method="average_rank", direction="lower", over="tasks",
                          score=np.arange(1.0, 6.0),
                          low=np.arange(0.5, 5.5), high=np.arange(1.5, 6.5))
    )  # fmt: skip
    rows = read(render_csv(board))
    assert [float(row["score"]) for row in rows] == [1, 2, 3, 4, 5]
    assert "Mean rank" in render_latex(board)
