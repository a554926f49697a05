"""Boards with gaps: a core, models placed among it, and what nobody's gaps may change."""

from __future__ import annotations

import numpy as np
import pytest

import rankbars as rb
from rankbars.errors import DataError, OptionError, UnknownOptionError
from rankbars.render.exports import render_csv, render_latex
from rankbars.render.markdown import render_markdown
from rankbars.render.page import fragment_html, render_html
from rankbars.render.sentences import headline
from rankbars.render.text import render_text

MODELS = [f"m{i}" for i in range(8)]


def evidence(tasks=7, rows=40, seed=0):
    rng = np.random.default_rng(seed)
    ability = np.linspace(0, 0.8, len(MODELS))
    hardness = rng.normal(0, 0.3, tasks)
    return {
        f"t{b}": ability - hardness[b] + rng.normal(0, 0.8, (rows, len(MODELS)))
        for b in range(tasks)
    }


def without(values, gaps):
    """The same, where model j never ran the tasks that `gaps` lists for it."""
    kept = {name: array.copy() for name, array in values.items()}
    for j, tasks in gaps.items():
        for b in tasks:
            kept[f"t{b}"][:, j] = np.nan
    return rb.Scores.from_arrays(kept, MODELS)


GAPS = {1: (0, 3), 6: (5,), 7: (1, 2, 4)}


@pytest.fixture(scope="module")
def board():
    return rb.leaderboard(without(evidence(), GAPS))


def same_rows(one, other):
    assert one.models == other.models
    assert one.tiers == other.tiers
    for name in ("score", "low", "high", "best", "worst", "shown_better", "se"):
        found, wanted = getattr(one.aggregate, name), getattr(other.aggregate, name)
        np.testing.assert_array_equal(found, wanted)
    assert one.tasks.keys() == other.tasks.keys()
    for name, task in one.tasks.items():
        for field in ("mean", "se", "best", "worst", "merged_best", "merged_worst"):
            np.testing.assert_array_equal(getattr(task, field), getattr(other.tasks[name], field))
    np.testing.assert_array_equal(one.overall.best, other.overall.best)
    np.testing.assert_array_equal(one.overall.worst, other.overall.worst)


def test_core_is_the_board_of_the_models_scored_everywhere(board):
    core = [name for j, name in enumerate(MODELS) if j not in GAPS]
    complete = rb.Scores.from_arrays(evidence(), MODELS).select(models=core)
    same_rows(board, rb.leaderboard(complete))
    assert board.partly.models == ("m1", "m6", "m7")
    assert board.partly.field == 6
    assert board.partly.tasks.tolist() == [5, 6, 4]


def test_each_place_is_that_of_the_field_of_the_core_and_itself(board):
    core = [name for j, name in enumerate(MODELS) if j not in GAPS]
    scores = rb.Scores.from_arrays(evidence(), MODELS)
    for j, lacks in GAPS.items():
        name = f"m{j}"
        tasks = [f"t{b}" for b in range(7) if b not in lacks]
        chosen = scores.select(models=[*core, name], tasks=tasks)
        alone = rb.leaderboard(chosen, scope="each")
        i = alone.models.index(name)
        place = alone.aggregate.best[i], alone.aggregate.worst[i]
        assert board.partly[name] == place
        on_task = next(one for one in board.partly.by_task if one.name == tasks[0])
        k = on_task.models.index(name)
        assert on_task.best[k] == alone.tasks[tasks[0]].best[i]
        assert on_task.worst[k] == alone.tasks[tasks[0]].worst[i]


def test_adjusted_score_is_what_the_core_says_of_the_tasks_it_lacks(board):
    means = {name: array.mean(axis=0) for name, array in evidence().items()}
    table = np.array([means[f"t{b}"] for b in range(7)])
    core = [j for j in range(8) if j not in GAPS]
    for k, (j, lacks) in enumerate(sorted(GAPS.items())):
        has = [b for b in range(7) if b not in lacks]
        by_hand = table[has, j].mean() + table[:, core].mean() - table[np.ix_(has, core)].mean()
        assert board.partly.adjusted[k] == pytest.approx(by_hand, abs=1e-12)


def test_model_with_gaps_and_an_unknown_task_changes_no_other_row(board):
    values = {name: array.copy() for name, array in evidence().items()}
    for j, tasks in GAPS.items():
        for b in tasks:
            values[f"t{b}"][:, j] = np.nan
    rng = np.random.default_rng(9)
    grown = {name: np.c_[array, rng.normal(3, 1, len(array))] for name, array in values.items()}
    grown["t0"][:, 8] = np.nan
    grown["brand new"] = np.full((40, 9), np.nan)
    grown["brand new"][:, 8] = rng.normal(3, 1, 40)
    after = rb.leaderboard(rb.Scores.from_arrays(grown, [*MODELS, "newcomer"]))
    same_rows(after, board)
    assert after.partly.models == (*board.partly.models, "newcomer")
    assert after.partly.new_tasks == ("brand new",)
    np.testing.assert_array_equal(after.partly.best[:3], board.partly.best)
    np.testing.assert_array_equal(after.partly.worst[:3], board.partly.worst)
    np.testing.assert_array_equal(after.partly.adjusted[:3], board.partly.adjusted)
    assert any(note.code == "new-tasks" for note in after.notes)


def test_two_complete_models_keep_their_rows_beside_a_third_with_gaps():
    values = {name: array[:, :2] for name, array in evidence().items()}
    usual = rb.leaderboard(rb.Scores.from_arrays(values, ["a", "b"]))
    grown = {name: np.c_[array, array[:, 0] + 1] for name, array in values.items()}
    grown["t2"][:, 2] = np.nan
    found = rb.leaderboard(rb.Scores.from_arrays(grown, ["a", "b", "c"]))
    same_rows(found, usual)
    assert found.partly.models == ("c",)


def test_places_are_approximate_and_in_no_tier(board):
    assert board.partly.approximate
    assert board.partly.measured_level == 0.81
    assert not {name for tier in board.tiers for name in tier} & set(board.partly.models)
    assert board.aggregate.guarantee == 0.95


def test_board_file_keeps_them(board, tmp_path):
    board.save(tmp_path / "board.json")
    kept = rb.load(tmp_path / "board.json").partly
    assert kept.models == board.partly.models
    np.testing.assert_array_equal(kept.best, board.partly.best)
    np.testing.assert_array_equal(kept.adjusted, board.partly.adjusted)
    assert kept.by_task[0].models == board.partly.by_task[0].models


@pytest.mark.parametrize(
    "render", [render_text, render_markdown, render_csv, render_latex, render_html, fragment_html]
)
def test_every_format_shows_them_marked(board, render):
    shown = render(board)
    assert all(name in shown for name in board.partly.models)
    assert "artly" in shown


def test_one_task_shows_its_places(board):
    assert "m6" in render_text(board, task="t0")
    assert "m6" not in render_text(board, task="t5")
    assert "of 6" in render_markdown(board, task="t0")


def test_headline_names_the_field_and_the_others_apart(board):
    words = headline(board)
    assert words.startswith("Among the 5 models scored on all 7 tasks, on the average of them,")
    assert "Of 3 partly scored models," in words


def test_nobody_leads_alone_while_a_partly_scored_model_may_be_first():
    values = evidence(rows=200)
    for array in values.values():
        array[:, 0] += 3
        array[:, 1] += 3
    board = rb.leaderboard(without(values, {1: (0, 1)}))
    assert board.undominated() == ("m0",)
    assert board.partly.first == ("m1",)
    words = headline(board)
    assert "leads" not in words
    assert "m1 is partly scored (5 of 7 tasks) and may be first, too" in words
    assert "**first**" not in render_markdown(board)


def test_model_on_a_single_task_is_placed_by_it_or_nowhere():
    gaps = {7: (1, 2, 3, 4, 5, 6)}
    fixed = rb.leaderboard(without(evidence(), gaps), over="items").partly
    assert fixed["m7"][0] >= 1
    assert fixed.adjusted[0] == fixed.adjusted[0]
    sampled = rb.leaderboard(without(evidence(), gaps), over="tasks").partly
    assert sampled["m7"] == (1, 8)


def test_ranks_within_tasks_are_placed_too():
    info = {f"t{b}": rb.TaskInfo(metric="acc" if b % 2 else "mae") for b in range(7)}
    scores = rb.Scores(without(evidence(), GAPS).tasks, info)
    board = rb.leaderboard(scores)
    assert board.aggregate.method == "average_rank"
    assert np.isfinite(board.partly.adjusted).all()
    assert (board.partly.worst <= 6).all()


def test_without_an_average_there_are_places_on_tasks_only():
    board = rb.leaderboard(without(evidence(), GAPS), over="none")
    assert board.partly["m1"] == (1, 6)
    assert len(board.partly.by_task) == 7


def test_rows_that_were_not_answered_stop_as_ever():
    values = evidence()
    values["t0"][:5, 2] = np.nan
    with pytest.raises(DataError, match="5 of 2,240 scores"):
        rb.leaderboard(rb.Scores.from_arrays(values, MODELS))
    board = rb.leaderboard(
        rb.Scores.from_arrays(values, MODELS), missing_items="pairwise", over="tasks"
    )
    assert board.partly is None


def test_one_word_sets_each_kind_that_knows_it():
    spec = rb.Spec(missing="drop_models")
    assert (spec.missing_tasks, spec.missing_items) == ("drop_models", "drop_models")
    assert rb.Spec(missing="pairwise").missing_tasks == "insert"
    assert rb.Spec(missing="additive").missing_items == "raise"
    assert rb.Spec(missing="raise").missing_tasks == "raise"
    assert rb.Spec(missing="bounds", missing_tasks="drop_tasks").missing_tasks == "drop_tasks"
    assert rb.Spec.from_dict(spec.to_dict()) == spec
    with pytest.raises(UnknownOptionError, match="policy for missing tasks"):
        rb.Spec(missing_tasks="pairwise")


def test_other_policies():
    scores = without(evidence(), GAPS)
    fitted = rb.leaderboard(scores, missing_tasks="additive")
    assert len(fitted.models) == 8
    assert fitted.aggregate.approximate
    assert not np.isnan(fitted.aggregate.score).any()
    assert len(rb.leaderboard(scores, missing_tasks="drop_models").models) == 5
    assert list(rb.leaderboard(scores, missing_tasks="drop_tasks").tasks) == ["t6"]
    loose = rb.leaderboard(scores, missing_tasks="bounds").aggregate
    assert (loose.worst >= 3).all()
    with pytest.raises(DataError, match="3 models never ran some of the 7 tasks"):
        rb.leaderboard(scores, missing_tasks="raise")
    with pytest.raises(OptionError, match="average over tasks like these"):
        rb.leaderboard(scores, missing_tasks="additive", over="items")


def test_without_a_core_every_pair_is_compared_on_common_tasks():
    scores = without(evidence(), {j: (j,) for j in range(7)})
    board = rb.leaderboard(scores)
    assert board.partly is None
    assert board.aggregate.estimator == "common"
    assert board.aggregate.measured_level == 0.84
    note = next(note for note in board.notes if note.code == "no-core")
    assert "--tasks" in note.message


def test_gaps_on_the_hardest_tasks_are_seen():
    rng = np.random.default_rng(4)
    hardness = np.linspace(0, 6, 16)
    values = {f"t{b:02}": rng.normal(-hardness[b], 1, (20, 8)) for b in range(16)}
    for b in range(11, 16):
        values[f"t{b:02}"][:, :4] = np.nan
    board = rb.leaderboard(rb.Scores.from_arrays(values, MODELS))
    assert board.partly.lean < 0
    assert board.partly.lean_p < 0.05
    assert "harder than the rest" in headline(board)


def test_who_entered_none_of_the_tasks_asks_for_no_policy():
    scores = without(evidence(), {1: (0,), 2: (0,)}).select(tasks=["t0"])
    board = rb.leaderboard(scores, missing="raise")
    assert board.models == ("m0", "m3", "m4", "m5", "m6", "m7")
    assert any(note.code == "no-task" and note.models == ("m1", "m2") for note in board.notes)


def test_models_without_a_task_in_common_are_told():
    apart = rb.Scores(
        {"x": rb.Estimates(("a",), np.array([0.5])), "y": rb.Estimates(("b",), np.array([0.5]))}
    )
    with pytest.raises(DataError, match="'a' and 'b' have no task in common"):
        rb.leaderboard(apart)


def test_selected_tasks_ask_only_for_the_models_that_entered_them():
    scores = without(evidence(), GAPS).select(tasks=["t0"])
    board = rb.leaderboard(scores)
    assert "m1" not in board.models
    assert len(board.models) == 7
