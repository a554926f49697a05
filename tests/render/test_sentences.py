"""The sentences: each claims only what its guarantee covers."""

from dataclasses import replace

import numpy as np
import pytest
from render.boards import (
    HALF,
    NAMES,
    SCORE,
    SHOWN,
    average,
    average_board,
    board_of,
    new_task_board,
    order_of,
    overall,
    task,
    task_board,
)

import rankbars as rb
from rankbars.data.notes import Note
from rankbars.data.spec import Spec
from rankbars.render.boardnotes import all_remarks
from rankbars.render.claims import lead_claim, new_task_claim
from rankbars.render.newtasklines import new_task_line, new_task_sentence, width_line
from rankbars.render.sentences import headline, scale_line, scopes_line


def test_several_models_that_may_be_first_are_all_named():
    assert headline(average_board()) == (
        "On the average of these 9 tasks, first place is open between ant and bee. Each of the "
        "other 3 is shown worse than at least one model (95 % confidence, all statements "
        "together). 2 of 4 neighbours in the order are too close to call. Tiers: 3."
    )


def test_one_model_that_beats_all_is_first():
    shown = SHOWN | order_of((0, 1))
    board = average_board(shown_better=shown, tiers=(("ant",), ("bee",), NAMES[2:4], ("eel",)))
    assert headline(board) == (
        "On the average of these 9 tasks, ant leads: it is shown better than all 4 others "
        "(95 % confidence, all statements together). "
        "1 of 4 neighbours in the order is too close to call. Tiers: 4."
    )


def test_a_question_about_rows_or_tasks_leaves_the_scope_of_the_sentence():
    plain = average_board()
    asked = Note("dependent-rows", "Rows may go together.")
    open_board = replace(plain, notes=(asked,))
    assert lead_claim(open_board).scope.endswith("if rows are independent")
    assert headline(open_board) == headline(plain)
    alone = replace(plain, aggregate=average(scope="each"))
    assert scopes_line(alone)
    assert scopes_line(replace(alone, notes=(asked,))) == scopes_line(alone)


def test_the_table_of_a_single_task_states_a_question_about_its_rows():
    rows = {"law": np.random.default_rng(1).random((40, 2))}
    board = rb.leaderboard(rb.Scores.from_arrays(rows, ["ant", "bee"]))
    open_board = replace(board, notes=(Note("dependent-rows", "Rows may go together."),))
    assert "if rows are independent" in " ".join(open_board.to_text().split())
    assert "if rows are independent" not in board.to_text()


def test_a_complete_order_says_so():
    shown = np.triu(np.ones((5, 5), dtype=np.bool_), k=1)
    board = average_board(shown_better=shown, tiers=tuple((name,) for name in NAMES))
    assert "Each model is told apart from the next one in the order. Tiers: 5." in headline(board)


def test_no_evidence_is_a_result():
    board = average_board(shown_better=order_of(), tiers=(NAMES,))
    assert headline(board) == (
        "On the average of these 9 tasks, these results do not tell the 5 models apart. "
        "That does not make them equal."
    )


def test_what_is_often_missed_stands_in_the_sentence_at_the_top_and_not_among_the_notes():
    note = Note("often-missed", "With 60 items, differences under 0.2 are often missed.")
    board = average_board(shown_better=order_of(), tiers=(NAMES,), notes=(note,))
    assert headline(board).endswith(
        " apart. That does not make them equal: with 60 items, differences under 0.2 are often "
        "missed."
    )
    assert not all_remarks(board)


def test_a_population_of_tasks_is_named_as_such():
    board = average_board(aggregate=average(over="tasks", estimator="t"))
    assert headline(board).startswith("On the average over tasks like these, first place is open ")
    assert lead_claim(board).title == "Rank on average, tasks like these"


def test_weights_are_mentioned_and_tasks_without_weight_do_not_count():
    tasks = {"a": task("a", weight=0.75), "b": task("b", weight=0.25), "c": task("c", weight=0.0)}
    board = average_board(tasks=tasks)
    assert headline(board).startswith("On the weighted average of these 2 tasks, ")


def test_a_single_task_speaks_of_this_task():
    assert headline(task_board()).startswith(
        "On this task, first place is open between ant and bee. "
    )


def test_models_without_scores_are_not_ruled_out_and_not_counted_as_leaders():
    score = SCORE.copy()
    score[4] = np.nan
    shown = order_of((0, 2), (0, 3), (1, 2), (1, 3))
    board = average_board(
        aggregate=average(score=score, low=score - HALF, high=score + HALF), shown_better=shown
    )
    assert headline(board).startswith(
        "On the average of these 9 tasks, first place is open between ant and bee. "
        "Each of the other 2 is shown worse than at least one model "
        "(95 % confidence, all statements together). "
        "Not scored on everything, so not ruled out: eel."
    )


def test_text_and_markdown_name_the_metric_and_the_one_model_that_is_shown_worse():
    rows = np.random.default_rng(5).random((200, 3)) < [0.6, 0.6, 0.2]
    for name, said in (("old tree", "old tree is"), ("x" * 31, "The other one is")):
        scores = rb.Scores.from_arrays(
            {"math": rows * 1.0}, ["a", "b", name], info={"math": rb.TaskInfo(metric="f1")}
        )
        board = rb.leaderboard(scores)
        text = " ".join(board.to_text().split())
        assert f"First place is open between b and a. {said} shown worse".lower() in text.lower()
        assert "3 models, 1 task, 200 items, f1." in text
        assert board.to_text(task="math").startswith("math: 3 models, 200 items, f1.")
        assert "`200 items` `f1` `95 %" in board.to_markdown()
        assert ("`old tree` is shown worse" in board.to_markdown()) == ("tree" in name)
    two = {"math": rb.TaskInfo(metric="f1"), "law": rb.TaskInfo(metric="em")}
    scores = rb.Scores.from_arrays(dict.fromkeys(two, rows * 1.0), ["a", "b", "c"], info=two)
    assert "3 models, 2 tasks, 400 items.\n" in rb.leaderboard(scores).to_text()


def test_many_leaders_are_counted_and_the_first_of_them_named():
    board = board_of(12, shown_better=order_of(*((i, 11) for i in range(11)), size=12))
    named = ", ".join(f"model {i:02}" for i in range(8))
    assert f"first place is open among {named} and 3 more. model 11 is " in headline(board)


def test_a_set_for_the_best_may_name_one_model_that_is_not_shown_better_than_each():
    found = average(best=np.array([1, 2, 3, 3, 5]))
    assert headline(average_board(aggregate=found)).startswith(
        "On the average of these 9 tasks, only ant may be first: each of the other 4 is shown "
        "worse than at least one model (95 % confidence, all statements together)."
    )


def test_ranks_of_one_model_named_in_advance_make_no_statement_together():
    board = average_board(aggregate=average(scope="each"), tiers=())
    assert headline(board) == (
        "On the average of these 9 tasks, 2 models may be first (95 % confidence, one model named "
        "in advance): ant, bee."
    )


def test_ranks_without_a_level_say_so():
    found = average(guarantee=None)
    assert "may be first (no guarantee): ant, bee." in headline(average_board(aggregate=found))


def test_a_new_task_gets_one_statement_about_one_model_with_its_probability():
    assert headline(new_task_board()) == (
        "On a new task, ant, if chosen before looking, ranks 1 to 3 with probability at least "
        "79.4 %. The same holds for each other model by itself, not for several together."
    )


def test_two_models_and_one_model_get_plain_sentences():
    assert headline(board_of(2)) == (
        "On the average of these 9 tasks, these results do not tell the two models apart. "
        "That does not make them equal."
    )
    assert headline(board_of(1)) == "There is only one model, model 0: nothing to rank."


def test_a_test_that_breaks_its_level_is_called_approximate():
    rows = rb.Items(("a", "b"), np.arange(40.0).reshape(20, 2) % 7, clusters=np.arange(20) % 5)
    board = rb.leaderboard(rb.Scores({"x": rows}), test="t")
    assert board.tasks["x"].approximate
    assert headline(board).endswith(
        "are often missed. Approximate: a few rows weigh heavily; rows come in clusters, and the "
        "test takes them as independent; no level is assured."
    )
    assert lead_claim(board).words == "approximate, all models at once"


def test_too_few_tasks_become_one_line_and_no_column():
    note = Note("too-few-tasks", "3 tasks; a new-task interval at this level needs 4.")
    everything = overall(best=np.ones(5, int), worst=np.full(5, 5), trivial=True, guarantee=1.0)
    board = average_board(overall=everything, notes=(note,))
    assert new_task_claim(board) is None
    assert new_task_line(board) == "3 tasks; a new-task interval at this level needs 4."
    assert width_line(board) == ""


def test_intervals_that_exclude_nothing_become_one_line_too():
    board = average_board(overall=overall(best=np.ones(5, int), worst=np.full(5, 5)))
    assert new_task_claim(board) is None
    assert new_task_line(board) == "New task: at 79.4 %, every model may rank anywhere."


def test_the_new_task_header_carries_level_and_scope():
    claim = new_task_claim(average_board())
    assert claim is not None
    assert claim.words == "79.4 %, each model, chosen in advance"


def test_simultaneous_intervals_speak_of_all_models():
    board = average_board(overall=overall(scope="all"))
    assert new_task_line(board) == (
        "New task: every model ranks within its interval, all at once, "
        "with probability at least 79.4 %."
    )


def test_intervals_for_measured_ranks_are_labelled_as_such():
    board = average_board(overall=overall(method="observed", guarantee=None))
    claim = new_task_claim(board)
    assert claim is not None
    assert claim.title == "New task, as measured"
    assert claim.words == "80 %, each model, chosen in advance"
    assert new_task_sentence(board, "ant") == (
        "On a new task, as measured, ant, if chosen before looking, ranks 1 to 3 "
        "with probability at least 80 %."
    )


def test_a_category_sends_the_reader_to_its_own_interval():
    groups = {"hard": overall(), "soft": overall()}
    line = new_task_line(average_board(overall=overall(method="group", groups=groups)))
    assert line.startswith(
        "New task of a known category: a model chosen before looking ranks within"
    )
    assert line.endswith("on the page and in the board file.")


def test_intervals_without_a_guarantee_say_so():
    board = average_board(
        overall=overall(guarantee=None),
        spec=Spec(correction="none"),
        aggregate=average(guarantee=None),
    )
    assert lead_claim(board).words == "no guarantee"
    assert new_task_line(board) == "New task: the intervals carry no guarantee."
    assert "no guarantee" in new_task_sentence(board, "ant")


@pytest.mark.parametrize(
    ("spread", "line"),
    [
        (
            [1, 1, 1, 1, 1],
            "On average intervals for a new task reach 1.6 ranks "
            "from best to worst: at least 0.6 of that from too few "
            "items, at most 1.0 because models rank differently on different tasks.",
        ),
        (
            [2, 2, 2, 2, 2],
            "On average intervals for a new task reach 1.6 ranks "
            "from best to worst; how much of it comes from too few "
            "items cannot be said.",
        ),
        (
            [0, 0, 0, 0, 0],
            "On average intervals for a new task reach 1.6 ranks "
            "from best to worst, all of it from too few items.",
        ),
    ],
)
def test_the_width_is_split_into_items_and_tasks(spread, line):
    assert width_line(average_board(overall=overall(spread=np.array(spread)))) == line


def test_the_two_scopes_are_explained_only_where_they_differ():
    alone = average_board(aggregate=average(scope="each"), tiers=())
    assert "all models at once: --scope all" in scopes_line(alone)
    assert scopes_line(average_board()) == ""
    assert lead_claim(average_board(aggregate=average(scope="all"))).words == (
        "95 %, all models at once"
    )


def test_the_scale_and_the_weights_of_an_average_are_said():
    board = average_board()
    assert board.aggregate is not None
    scaled = replace(board, aggregate=replace(board.aggregate, normalise="chance"))
    assert "with guessing as 0" in scale_line(scaled)
    assert scale_line(board) == ""
    heavy = {
        name: replace(one, weight=1.0 + k) for k, (name, one) in enumerate(board.tasks.items())
    }
    for over, words in (
        ("tasks", "weighted average over tasks"),
        ("families", "weighted within each"),
        ("items", "weighted average of these"),
    ):
        average = replace(board.aggregate, over=over)
        assert words in headline(replace(board, tasks=heavy, aggregate=average))
