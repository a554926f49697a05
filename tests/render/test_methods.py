"""The methods paragraph carries the settings of the board and nothing that does not hold."""

from render.boards import average, average_board, new_task_board, task, task_board

from rankbars.data.spec import Spec
from rankbars.render import citation, methods_text
from rankbars.render.methods import method_entries
from rankbars.render.paragraph import methods_paragraph, references


def test_the_paragraph_reads_as_meant(snapshot):
    assert methods_text(average_board()) == snapshot


def test_tasks_tested_in_different_ways_are_named():
    tasks = {"a": task("a"), "b": task("b", test="corrected_t", kind="folds")}
    text = methods_paragraph(average_board(tasks=tasks))
    assert "On a, all pairs of models were compared by a paired t-test" in text
    assert "On b, all pairs of models were compared by the corrected paired t-test" in text
    assert any("Nadeau" in source for source in references(average_board(tasks=tasks)))


def test_a_single_task_says_nothing_about_averages_and_new_tasks():
    text = methods_paragraph(task_board())
    assert "average" not in text
    assert "new task" not in text


def test_every_entry_answers_a_question_at_a_level_by_a_method():
    for board in (average_board(), task_board(), new_task_board()):
        for entry in method_entries(board):
            assert entry.question.endswith("?")
            assert entry.level
            assert entry.method.endswith(".")


def test_without_correction_the_ranks_promise_nothing_but_the_joint_statements_do():
    board = average_board(spec=Spec(correction="none"), aggregate=average())
    levels = {entry.number: entry.level for entry in method_entries(board)}
    assert levels["Rank on average"] == "no guarantee"
    assert levels["The sentence at the top, and the tiers"] == "95 %, all statements at once"


def test_the_citation_names_the_version():
    assert "version = {0.1.0}" in citation(average_board())
