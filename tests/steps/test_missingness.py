"""What happens where a model has no score."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankbars as rb
from rankbars.render.duel import head_to_head_text
from rankbars.render.sentences import headline
from rankbars.steps.missingness import resolve_missing

NAN = float("nan")
GAPPY = {"law": [[1, 0, 1], [1, NAN, 0], [0, 1, NAN]], "math": [[1, 1, 0], [0, 1, 0]]}


def scores(info: dict[str, rb.TaskInfo] | None = None) -> rb.Scores:
    return rb.Scores.from_arrays(GAPPY, ["a", "b", "c"], info=info)


def test_complete_scores_pass_untouched() -> None:
    complete = rb.Scores.from_arrays({"math": [[1, 0]]}, ["a", "b"])
    assert resolve_missing(complete, "raise") is complete


def test_raise_shows_what_each_policy_would_keep() -> None:
    with pytest.raises(rb.DataError) as error:
        resolve_missing(scores(), "raise")
    text = str(error.value)
    assert "2 of 15 scores (13.3 %) are missing" in text
    assert "model 'b' on 1 of 3 rows of task 'law'" in text
    for line in (
        "--missing pairwise",
        "--missing listwise",
        "--missing drop_models",
        "--missing bounds",
        "--missing fail",
    ):
        assert line in text
    assert "3 of 3 models, 2 of 2 tasks, 3 of 5 rows" in text
    assert "1 of 3 models, 2 of 2 tasks, 5 of 5 rows" in text


def read_rows(tmp_path: Path, missing: str) -> rb.Scores:
    """Two models on 20 items; the second has no score on the last 6, which it got wrong."""
    lines = ["model,task,item,correct,error"]
    for item in range(20):
        lines.append(f"a,t,{item},{item % 2},")
        lines += [f"b,t,{item},1,"] if item < 14 else [missing.format(item)] if missing else []
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    return rb.read(tmp_path / "rows.csv")


def offers(error: str) -> list[str]:
    return [line.split()[1] for line in error.splitlines() if line.startswith("  --missing ")]


def test_failed_answers_offer_fail_first_and_a_condition_on_what_leaves_them_out(
    tmp_path: Path,
) -> None:
    failed = read_rows(tmp_path, "b,t,{},,timeout")
    with pytest.raises(rb.DataError) as error:
        rb.leaderboard(failed)
    assert offers(str(error.value)) == ["fail", "pairwise", "listwise", "drop_models", "bounds"]
    assert str(error.value).count("valid only if what failed has nothing to do") == 2
    assert 'rb.read(path, minimum=0); rb.leaderboard(scores, missing="fail")' in str(error.value)
    assert "doubtful" not in str(error.value)
    with pytest.raises(rb.DataError) as error:
        rb.head_to_head(failed, "a", "b")
    assert offers(str(error.value)) == ["fail", "pairwise", "listwise"]


def test_absent_answers_offer_fail_last_and_doubtful(tmp_path: Path) -> None:
    absent = read_rows(tmp_path, "")
    with pytest.raises(rb.DataError) as error:
        rb.head_to_head(absent, "a", "b")
    assert offers(str(error.value)) == ["pairwise", "listwise", "fail"]
    assert "doubtful: 6 of them are not there" in str(error.value)
    with pytest.raises(rb.DataError, match="that is every task"):
        rb.head_to_head(absent, "a", "b", missing="bounds")


def test_what_is_shown_without_the_failures_carries_the_condition(tmp_path: Path) -> None:
    condition = "if what is missing does not depend on the score"
    failed = read_rows(tmp_path, "b,t,{},,timeout")
    board = rb.leaderboard(failed, missing="pairwise")
    assert condition in headline(board)
    assert condition in head_to_head_text(
        rb.head_to_head(failed, "a", "b", missing="pairwise"), width=200
    )
    filled = rb.read(tmp_path / "rows.csv", minimum=0)
    assert condition not in headline(rb.leaderboard(filled, missing="fail"))
    absent = read_rows(tmp_path, "")
    assert condition not in headline(rb.leaderboard(absent, missing="pairwise"))


def test_listwise_keeps_rows_that_every_model_has() -> None:
    kept = resolve_missing(scores(), "listwise")
    assert kept.tasks["law"].values.tolist() == [[1.0, 0.0, 1.0]]
    assert kept.tasks["math"].n == 2


def test_listwise_leaves_out_a_task_without_complete_rows_and_says_so() -> None:
    gappy = rb.Scores.from_arrays({"law": [[1, NAN]], "math": [[1, 0]]}, ["a", "b"])
    kept = resolve_missing(gappy, "listwise")
    assert list(kept.tasks) == ["math"]
    assert any(note.code == "tasks-left-out" and "law" in note.message for note in kept.notes)


def test_fail_gives_the_declared_minimum() -> None:
    info = {"law": rb.TaskInfo(minimum=0.0)}
    kept = resolve_missing(scores(info), "fail")
    assert kept.tasks["law"].values[1, 1] == 0.0
    assert kept.tasks["law"].values[2, 2] == 0.0


def test_fail_on_a_lower_is_better_task_gives_the_declared_maximum() -> None:
    info = {"law": rb.TaskInfo(direction="lower", maximum=9.0)}
    assert resolve_missing(scores(info), "fail").tasks["law"].values[1, 1] == -9.0


def test_fail_without_a_declared_minimum_says_how_to_declare_it() -> None:
    with pytest.raises(rb.OptionError, match="--score-min 0"):
        resolve_missing(scores(), "fail")


def test_drop_models_leaves_out_models_with_a_gap() -> None:
    assert resolve_missing(scores(), "drop_models").models == ("a",)


def test_bounds_lets_an_incomplete_model_stand_anywhere_on_that_task() -> None:
    board = rb.leaderboard(scores(), missing="bounds")
    law = board.tasks["law"]
    assert (law.best[1], law.worst[1]) == (1, 3)
    assert np.isnan(law.mean[1])
    assert not np.isnan(board.tasks["math"].mean).any()


def test_bounds_makes_nobody_else_wider() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(30, 4)) + [0.0, 0.8, 1.6, 2.4]
    alone = rb.leaderboard(rb.Scores.from_arrays({"t": values}, ["a", "b", "c", "d"]))
    gappy = np.column_stack([values, rng.normal(size=30)])
    gappy[0, 4] = NAN
    names = ["a", "b", "c", "d", "e"]
    wider = rb.leaderboard(rb.Scores.from_arrays({"t": gappy}, names), missing="bounds")
    assert wider.tasks["t"].best[:4].tolist() == alone.tasks["t"].best.tolist()
    # The absent model may stand below anybody, so only the worst rank moves, by one.
    assert wider.tasks["t"].worst[:4].tolist() == (alone.tasks["t"].worst + 1).tolist()


def test_pairwise_names_the_models_with_gaps_in_a_note() -> None:
    board = rb.leaderboard(scores(), missing="pairwise")
    note = next(note for note in board.notes if note.code == "missing")
    assert note.models == ("b", "c")
    assert "b (1), c (1)" in note.message


def test_unknown_policy_lists_the_known_ones_and_the_nearest() -> None:
    with pytest.raises(rb.UnknownOptionError, match="Did you mean 'pairwise'"):
        resolve_missing(scores(), "pairwisee")


def test_models_without_a_common_row_are_named_with_their_rows() -> None:
    values = np.full((60, 3), np.nan)
    values[:30, 0] = values[30:, 1] = values[30:, 2] = 1.0
    values[::4, 0] = values[31::3, 2] = 0.0
    values[30:, 0] = np.nan
    ids = tuple(f"r{i:02d}" for i in range(60))
    scores = rb.Scores({"t": rb.Items(("a", "b", "c"), values, ids=ids)})
    with pytest.raises(rb.DataError, match=r"share no row .* 'a' \(first rows: 'r00'\)"):
        rb.leaderboard(scores)
    board = rb.leaderboard(scores, missing="pairwise")
    (note,) = [note for note in board.notes if note.code == "no-common-rows"]
    assert note.models == ("a",)
    assert not [
        note
        for note in rb.leaderboard(scores.select(models=["b", "c"]), missing="pairwise").notes
        if note.code == "no-common-rows"
    ]


def test_an_advice_on_models_with_rows_of_their_own_names_only_what_is_not_chosen() -> None:
    values = np.full((60, 3), np.nan)
    values[:30, 0], values[30:, 1:] = np.arange(30) % 2, np.arange(60).reshape(30, 2) % 3 > 0
    scores = rb.Scores({"t": rb.Items(("a", "b", "c"), values)})
    with pytest.raises(rb.DataError, match=r"compared: --missing pairwise \(") as caught:
        rb.leaderboard(scores, test="welch")
    assert "each on its own rows" in str(caught.value)
    found = {
        test: {
            note.code: note.message
            for note in rb.leaderboard(scores, test=test, missing="pairwise").notes
        }
        for test in ("t", "welch")
    }
    assert "can be compared: --test welch (in" in found["t"]["no-common-rows"]
    assert "no-common-rows" not in found["welch"]
    assert "Means are of all rows that each model has" in found["welch"]["missing"]


def test_bounds_that_leave_nobody_on_a_task_are_not_offered() -> None:
    gaps = np.array([[1.0, np.nan], [np.nan, 0.0], [1.0, 1.0]])
    scores = rb.Scores.from_arrays({"t": gaps}, ["a", "b"])
    with pytest.raises(rb.DataError, match=r"--missing bounds +nothing"):
        rb.leaderboard(scores)
    with pytest.raises(rb.DataError, match="misses some row of task 't'"):
        rb.leaderboard(scores, missing="bounds")


@pytest.mark.parametrize("word", ["insert", "additive", "drop_tasks"])
def test_two_models_are_compared_on_the_tasks_that_both_ran(word: str) -> None:
    rng = np.random.default_rng(5)
    tasks = {name: rng.random((30, 2)) for name in ("bio", "law", "math")}
    both = rb.Scores.from_arrays({name: tasks[name] for name in ("bio", "math")}, ["a", "b"])
    tasks["law"][:, 1] = np.nan
    tasks["math"][:4, 0] = np.nan
    given = rb.Scores.from_arrays(tasks, ["a", "b"])
    seen = rb.Scores.from_arrays({"bio": tasks["bio"], "math": tasks["math"][4:]}, ["a", "b"])
    found = rb.head_to_head(given, "a", "b", missing_tasks=word, missing_items="pairwise")
    expected = rb.head_to_head(seen, "a", "b")
    assert list(found.tasks) == list(both.tasks)
    assert found.average is not None
    assert expected.average is not None
    assert found.average.difference == pytest.approx(expected.average.difference, abs=1e-12)
    by_hand = [np.mean(tasks["bio"] @ [1, -1]), np.mean(tasks["math"][4:] @ [1, -1])]
    assert found.average.difference == pytest.approx(np.mean(by_hand), abs=1e-12)


def test_a_task_that_one_of_two_never_ran_has_no_average_under_bounds() -> None:
    tasks = {"bio": np.eye(2).repeat(9, 0), "law": np.full((9, 2), [1.0, np.nan])}
    given = rb.Scores.from_arrays(tasks, ["a", "b"])
    found = rb.head_to_head(given, "a", "b", missing_tasks="bounds")
    assert found.average is None
    assert found.tasks["law"].verdict == "cannot tell"
    with pytest.raises(rb.DataError, match="missing-tasks insert"):
        rb.head_to_head(given, "a", "b", missing_items="pairwise", missing_tasks="raise")
    with pytest.raises(rb.DataError, match="drop_models leaves out"):
        rb.head_to_head(given, "a", "b", missing="insert", missing_tasks="drop_models")
