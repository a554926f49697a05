"""``rankbars select``, and tasks chosen by pattern and by what they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from commandline import Command

import rankbars as rb


@pytest.fixture
def mixed(tmp_path: Path) -> str:
    """Three tasks that tell three models apart and three that do not, in two categories."""
    rng = np.random.default_rng(4)
    lines = ["model,task,item,score,category"]
    for task, gap in (("q1", 3), ("q2", 3), ("r1", 3), ("r2", 0), ("s1", 0), ("s2", 0)):
        for item in range(60):
            for model, name in enumerate("abc"):
                score = rng.normal() + gap * model
                lines.append(f"{name},{task},{item},{score:.4f},{'odd' if '1' in task else 'even'}")
    (tmp_path / "mixed.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "mixed.csv"


def test_the_board_is_of_the_rows_that_did_not_choose(rankbars: Command, mixed: str) -> None:
    answer = rankbars("select", mixed, "--by", "width", "--max-width", 0.3, "-o", "board.json")
    assert answer.code == 0, answer.err
    assert answer.out.startswith("Chosen (3 tasks): q1, q2, r1.\nNot chosen (3 tasks): r2, s1, s2.")
    board = rb.load("board.json")
    chosen = rb.select_tasks(rb.read(mixed), by="width", max_width=0.3)
    expected = rb.leaderboard(chosen)
    assert [task.n for task in board.tasks.values()] == [30, 30, 30]
    for name, task in expected.tasks.items():
        assert board.tasks[name].best.tolist() == task.best.tolist()
        assert board.tasks[name].mean.tolist() == task.mean.tolist()


def test_groups_of_tasks_have_an_interval_each(rankbars: Command, mixed: str) -> None:
    answer = rankbars(
        "select", mixed, "--by", "top-k", "--k", 1, "--tasks", "q*", "--tasks", "r1",
        "-o", "board.json",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    assert answer.out.startswith("top 1: c (3 tasks): q1, q2, r1.")
    overall = rb.load("board.json").overall
    assert overall is not None
    assert overall.method == "group"


def test_a_rate_is_said_where_the_rate_is_split(rankbars: Command, mixed: str) -> None:
    answer = rankbars("select", mixed, "--by", "width", "--max-width", 0.3, "--split", "alpha")
    assert answer.code == 0, answer.err
    assert "--scope each --alpha 0.025" in " ".join(answer.out.split())
    answer = rankbars("select", mixed, "--by", "width", "--split", "alpha", "-o", "board.json")
    assert (answer.code, "leave out -o" in answer.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "tasks"),
    [
        (("--tasks", "q*"), ["q1", "q2"]),
        (("--tasks", "q*", "--tasks", "s1"), ["q1", "q2", "s1"]),
        (("--where", "category=odd"), ["q1", "r1", "s1"]),
        (("--where", "category=e*", "--tasks", "[rs]2"), ["r2", "s2"]),
        (("--where", "category=odd", "--where", "category=o?d", "--tasks", "q1"), ["q1"]),
    ],
)
def test_tasks_are_chosen_by_pattern_and_by_what_they_are(
    words: tuple[str, ...], tasks: list[str], rankbars: Command, mixed: str
) -> None:
    answer = rankbars("rank", mixed, *words, "-o", "board.json", "-q")
    assert answer.code == 0, answer.err
    board = rb.load("board.json")
    assert list(board.tasks) == tasks
    assert f"{len(tasks)} of 6 tasks were chosen" in next(
        note.message for note in board.notes if note.code == "chosen"
    )


def test_what_fits_no_task_is_refused(rankbars: Command, mixed: str) -> None:
    answer = rankbars("rank", mixed, "--tasks", "z*")
    assert (answer.code, "z*" in answer.err) == (2, True)
    answer = rankbars("rank", mixed, "--where", "category=law")
    assert (answer.code, "Found as category: 'even', 'odd'." in answer.err) == (1, True)
    answer = rankbars("rank", mixed, "--where", "size=3")
    assert (answer.code, "no column has that name" in answer.err) == (1, True)
    answer = rankbars("rank", mixed, "--where", "size")
    assert answer.code == 1
    answer = rankbars("rank", mixed, "--where", "category=")
    assert (answer.code, "category=PATTERN" in answer.err) == (2, True)
