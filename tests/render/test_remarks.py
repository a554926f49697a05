"""Notes on show: once each, beside the rows they concern."""

from render.boards import NAMES, average_board

from rankbars.data.notes import Note
from rankbars.render.boardnotes import all_remarks, few_remarks, remark_text


def texts(remarks):
    return [remark_text(remark) for remark in remarks]


def test_equal_notes_of_several_tasks_become_one():
    notes = tuple(Note("one-pass", "One pass.", task=name) for name in "abcde")
    assert texts(few_remarks(average_board(notes=notes))) == ["a, b, c and 2 more: One pass."]


def test_a_note_on_every_task_says_so_and_one_on_the_board_stands_for_them():
    notes = tuple(Note("one-pass", "One pass.", task=name) for name in "abcdefghi")
    assert texts(few_remarks(average_board(notes=notes))) == ["All 9 tasks: One pass."]
    assert texts(few_remarks(average_board(notes=notes[1:])))[0].startswith("b, c, d and 5 more:")
    general = Note("no-uncertainty", "Scores of all tasks come without uncertainty.")
    each = tuple(Note("no-uncertainty", "Nothing can be said.", task=name) for name in "ab")
    assert texts(all_remarks(average_board(notes=(general, *each)))) == [general.message]
    assert texts(all_remarks(average_board(notes=each))) == ["a, b: Nothing can be said."]


def test_notes_of_one_kind_with_other_words_are_counted_in_short_and_listed_in_full():
    notes = tuple(Note("few-items", f"{i} items.", task=name) for i, name in enumerate("abc"))
    board = average_board(notes=notes)
    assert texts(few_remarks(board)) == ["a: 0 items. (2 more tasks have such a note.)"]
    assert texts(all_remarks(board)) == ["a: 0 items.", "b: 1 items.", "c: 2 items."]


def test_notes_about_single_models_come_first_and_are_numbered():
    notes = (
        Note("direction", "Higher is better."),
        Note("missing", "Incomplete.", models=("bee",)),
        Note("everybody", "All of them.", models=NAMES),
    )
    remarks = few_remarks(average_board(notes=notes))
    assert [(remark.code, remark.number) for remark in remarks] == [
        ("missing", 1), ("direction", None), ("everybody", None),
    ]  # fmt: skip


def test_one_task_shows_its_own_notes_and_those_of_the_board():
    notes = (Note("x", "Board."), Note("y", "Here.", task="a"), Note("z", "There.", task="b"))
    assert texts(few_remarks(average_board(notes=notes), "a")) == ["Board.", "a: Here."]


def test_what_stands_in_place_of_the_new_task_column_is_not_repeated():
    board = average_board(notes=(Note("too-few-tasks", "3 tasks; it needs 4."),))
    assert all_remarks(board) == ()
