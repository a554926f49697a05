"""The board in a terminal: it fits, it is plain where it must be, and it is always the same."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from render.boards import (
    BEST,
    NAMES,
    SCORE,
    WORST,
    average_board,
    board_of,
    new_task_board,
    task,
    task_board,
)
from render.hostile import hostile_boards
from rich.cells import cell_len

from rankbars.data.boardparts import OtherOrder
from rankbars.data.notes import Note
from rankbars.errors import UnknownOptionError
from rankbars.render.text import render_text


def widest(text: str) -> int:
    return max(cell_len(line) for line in text.splitlines())


def test_the_board_reads_as_meant(snapshot):
    assert render_text(average_board()) == snapshot


def test_a_single_task_reads_as_meant(snapshot):
    assert render_text(task_board(), encoding="ascii") == snapshot


def test_a_new_task_reads_as_meant(snapshot):
    assert render_text(new_task_board()) == snapshot


def test_one_task_of_several_reads_as_meant(snapshot):
    assert render_text(average_board(), task="c") == snapshot


def test_everything_fits_80_columns_with_names_of_60_characters():
    names = tuple(f"{letter * 30}-{'z' * 29}" for letter in "abcde")
    share = np.array([1.0, 0.9999, 0.86, 0.5, 1.0])
    tasks = {name: task(name, coverage=share) for name in "abcdefghi"}
    notes = (Note("missing", "Some scores are missing.", models=names[:2]),)
    board = average_board(names, tasks=tasks, notes=notes)
    text = render_text(board)
    assert widest(text) <= 80
    for letter in "abcde":
        assert f"  {letter * 5}" in text  # the names can still be told apart
    assert "Scored in part: " in text
    assert "chosen in" in text
    assert "79.4 %" in text


def test_a_long_name_stays_whole_in_a_table_below_where_there_is_room():
    names = (*NAMES[:4], f"{'very-long-' * 7}eel-name-8")
    other = OtherOrder(names, "f1", SCORE, BEST, WORST)
    board = average_board(names, also=(other,))
    rows = {
        width: render_text(board, width=width).split("by the others.")[1] for width in (80, 120)
    }
    assert f"\n{names[4]}  5" in rows[120]
    assert names[4] not in rows[80].split("Each order")[0]
    assert widest(rows[80]) <= 80


def test_a_thousand_models_fit_80_columns():
    board = board_of(1000)
    low = replace(board.overall, best=np.arange(1, 1001))
    assert widest(render_text(replace(board, overall=low))) <= 80


def test_long_numbers_and_many_incomplete_models_fit_80_columns():
    board = board_of(20)
    score = np.linspace(-40_000, -30_000, 20)
    means = replace(board.aggregate, score=score, low=score - 1234.5, high=score + 2345.6)
    share = np.linspace(0.5, 0.99, 20)
    tasks = {name: replace(one, coverage=share) for name, one in board.tasks.items()}
    low = replace(board.overall, best=np.arange(1, 21))
    text = render_text(replace(board, aggregate=means, tasks=tasks, overall=low))
    assert widest(text) <= 80
    assert "[-41,234, -37,654]" in text
    assert any(line.endswith("Scored") for line in text.splitlines())


def test_the_coverage_of_a_few_models_is_a_sentence_where_a_column_would_cut_names():
    share = np.array([1.0, 0.9999, 0.86, 1.0, 1.0])
    names = tuple(f"{letter * 36}" for letter in "abcde")
    tasks = {name: task(name, coverage=share) for name in "abc"}
    text = render_text(average_board(names, tasks=tasks, notes=()))
    assert f"Scored in part: {'b' * 36} >99.9 %, {'c' * 36} 86.0 %." in " ".join(text.split())
    assert "Scored" in render_text(average_board(tasks=tasks)).split("ant", 2)[1]


FAMILY = "\u200d".join("👩👩👧👦")


@given(hostile_boards())
def test_names_neither_break_lines_nor_the_width_nor_the_terminal(board):
    text = render_text(board)
    assert widest(text) <= 80
    # Joined emoji stay whole; a joiner anywhere else is written out.
    assert all(line.isprintable() for line in text.replace(FAMILY, "").splitlines())
    rows = [line for line in text.splitlines() if "━" in line or "╼" in line or "╾" in line]
    assert len(rows) >= 5


@given(hostile_boards())
def test_a_terminal_of_ascii_gets_ascii(board):
    text = render_text(board, encoding="ascii")
    text.encode("ascii")
    assert widest(text) <= 80


def test_colors_change_nothing_but_colors():
    from rich.text import Text

    board = average_board()
    colored = render_text(board, color=True)
    assert "\x1b[" in colored
    plain = "\n".join(line.rstrip() for line in Text.from_ansi(colored).plain.splitlines())
    assert plain.strip() == render_text(board).strip()


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_a_wider_terminal_is_used_and_a_narrow_one_is_respected(width):
    assert widest(render_text(average_board(), width=width)) <= width


def test_a_wide_terminal_draws_longer_bars():
    short, long = (render_text(board_of(40), width=width) for width in (80, 120))
    assert short.count("━") <= long.count("━")


def test_notes_stand_below_with_the_number_that_marks_their_rows():
    text = render_text(average_board())
    assert "dog [1]" in text
    assert "[1] 1.5 % of the answers are missing." in text


def test_no_word_of_the_trade_is_read_first():
    for board in (average_board(), task_board(), new_task_board()):
        text = render_text(board).lower()
        for word in ("merge", "scope", "mondrian", "trivial"):
            assert word not in text


def test_an_unknown_task_is_refused_with_the_nearest_name():
    board = replace(task_board(), tasks={"math": task("math")})
    with pytest.raises(UnknownOptionError, match="Did you mean 'math'"):
        render_text(board, task="maths")


def test_of_a_board_longer_than_the_screen_the_headline_comes_last_as_well():
    board = average_board()
    whole = render_text(board)
    lines = whole.splitlines()
    assert render_text(board, height=len(lines)) == whole
    long = render_text(board, height=len(lines) - 1)
    assert long.startswith(whole)
    assert lines[0][:20] in long[len(whole) :]
