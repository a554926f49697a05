"""What is said about what was read, and what became of every row."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commandline import Command
from logfiles import write_simple

ROWS = """model,task,item,score,error
a,t,1,1,
a,t,2,0,
a,t,3,,boom
b,t,1,0,
b,t,2,0,
b,t,3,,
c,t,1,1,
c,t,2,1,
"""


@pytest.fixture
def gaps() -> str:
    Path("gaps.csv").write_text(ROWS)
    return "gaps.csv"


def test_a_folder_is_reported_file_by_file_where_something_was_left_out(
    rankbars: Command,
) -> None:
    folder = Path("mixed")
    for model in "ab":
        write_simple(folder / "logs", model, [1.0, 0.0, 1.0])
    (folder / "table.csv").write_text("model,task,item,score\na,math,1,1\nb,math,1,0\n")
    (folder / "empty.csv").write_text("")
    (folder / "notes.md").write_text("# Notes")
    answer = rankbars("rank", str(folder))
    assert answer.code == 0
    lines = answer.err.splitlines()
    assert lines[0] == "Read 5 files (4 as lm-eval, 1 as tidy)."
    assert lines[1] == "2 models, 2 tasks; 4 items (1 to 3 per task)."
    assert lines[2].startswith("Metrics: 'acc' on 1 task")
    assert "empty.csv: The file is empty" in answer.err
    assert "notes.md: " in answer.err
    assert "Direction" in answer.err
    said = {line.removeprefix("- ") for line in lines}
    assert not said & set(answer.out.splitlines()) - {""}


def test_formats_says_what_reading_gives(rankbars: Command) -> None:
    write_simple(Path("logs"), "a", [1.0, 0.0])
    answer = rankbars("formats", "logs")
    assert answer.code == 0
    assert answer.out.count(": lm-eval. ") == 2
    assert "1 model, 1 task; 2 items.\nMetric: 'acc'.\n" in answer.out
    Path("odd.csv").write_text("model,task,metric,score\na,t,rmse,1\nb,t,rmse,2\n")
    answer = rankbars("formats", "odd.csv")
    assert answer.code == 0
    assert "Not read without options: odd.csv: Declare which side is better" in answer.out
    rows = [f"{model},{task},.5,.4,.6" for model in "ab" for task in ("law", "art")]
    Path("ends.csv").write_text("\n".join(["model,task,score,score_lo,score_hi", *rows]) + "\n")
    assert "ci_low = 'score_lo', ci_high = 'score_hi'" in rankbars("formats", "ends.csv").out


def test_repeats_are_told(rankbars: Command) -> None:
    rows = [f"{m},t,{i},{e},{(i + e) % 2}" for m in "ab" for i in range(4) for e in range(3)]
    Path("epochs.csv").write_text("model,task,item,epoch,score\n" + "\n".join(rows) + "\n")
    assert "3 answers to each" in rankbars("rank", "epochs.csv").err


def test_four_kinds_of_nothing_are_four_counts(rankbars: Command, gaps: str) -> None:
    answer = rankbars("rank", gaps, "--missing", "pairwise", "-o", "board.json")
    assert "Of 9 expected scores 1 failed, 1 ran unscored and 1 is missing; 3 of" in answer.out
    (task,) = json.loads(Path("board.json").read_text())["tasks"]
    assert task["counts"] == {
        "expected": 3, "scored": [2, 2, 2], "zeros": [1, 2, 0], "unscored": [0, 1, 0],
        "errors": [1, 0, 0], "missing": [0, 0, 1],
    }  # fmt: skip
    shown = rankbars("show", "board.json", "--task", "t").out
    assert "Outcomes of 3 items:" in shown
    assert [line.split() for line in shown.splitlines() if line[:2] in ("a ", "b ", "c ")] == [
        ["c", "2", "0", "0", "0", "1"], ["a", "2", "1", "0", "1", "0"],
        ["b", "2", "2", "1", "0", "0"],
    ]  # fmt: skip


@pytest.mark.parametrize("policy", ["pairwise", "listwise", "fail"])
def test_counts_are_those_of_the_input_whatever_is_done_about_gaps(
    rankbars: Command, gaps: str, policy: str
) -> None:
    words = ["--score-min", "0"] if policy == "fail" else []
    done = rankbars("rank", gaps, "--missing", policy, *words, "-o", "b.json")
    assert done.code == 0, done.err
    (task,) = json.loads(Path("b.json").read_text())["tasks"]
    assert task["counts"]["missing"] == [0, 0, 1]
    assert task["counts"]["errors"] == [1, 0, 0]
    assert task["coverage"] == pytest.approx([2 / 3] * 3)


def test_models_without_any_row_of_a_task_miss_all_of_them(rankbars: Command) -> None:
    Path("x.csv").write_text(
        "model,task,item,score\na,t,1,1\nb,t,1,0\na,t,2,1\nb,t,2,0\na,u,1,1\na,u,2,0\n"
    )
    words = ("--missing-tasks", "bounds", "-o", "b.json")
    assert rankbars("rank", "x.csv", *words).code == 0
    tasks = json.loads(Path("b.json").read_text())["tasks"]
    assert [task["counts"]["missing"] for task in tasks] == [[0, 0], [0, 2]]


def test_empty_cells_of_a_matrix_are_missing(rankbars: Command) -> None:
    Path("m.csv").write_text("item,a,b\n1,1,\n2,0,1\n3,1,0\n")
    assert rankbars("rank", "m.csv", "--missing", "pairwise", "-o", "b.json").code == 0
    (task,) = json.loads(Path("b.json").read_text())["tasks"]
    assert task["counts"]["missing"] == [0, 1]
    assert task["counts"]["unscored"] == [0, 0]


def test_missing_published_scores_cannot_fail(rankbars: Command) -> None:
    Path("p.csv").write_text("task,a,b\nt,0.5,0.4\nu,0.3,\n")
    answer = rankbars("rank", "p.csv", "--missing", "raise")
    assert answer.code == 1
    assert "--missing-tasks bounds" in answer.err
    assert "fail" not in answer.err


def test_one_model_in_two_files_is_told_how_to_name_them(rankbars: Command) -> None:
    for name in ("one", "two"):
        Path(f"{name}.csv").write_text("model,task,item,score\na,t,1,1\n")
    answer = rankbars("rank", "one.csv", "two.csv")
    assert answer.code == 1
    assert "--column model=" in answer.err
    assert rankbars("rank", "one.csv", "two.csv", "--column", "model=").code == 0
