"""Plans from pilots and beforehand: what they ask for, and that all doors say the same."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import rankbars as rb
from rankbars.stats.samplesize import sample_size


def answers(n: int = 300, rates: tuple[float, ...] = (0.45, 0.55, 0.6), seed: int = 1) -> rb.Scores:
    rng = np.random.default_rng(seed)
    ease = rng.uniform(-0.4, 0.4, (n, 1))
    rows = (rng.random((n, len(rates))) < np.array(rates) + ease).astype(float)
    return rb.Scores.from_arrays({"math": rows}, [f"m{i}" for i in range(len(rates))])


def tasks(count: int = 8, n: int = 80) -> rb.Scores:
    rng = np.random.default_rng(7)
    parts = {}
    for k in range(count):
        level = np.array([0.45, 0.55, 0.6]) + rng.normal(0, 0.1, 3)
        parts[f"t{k}"] = (rng.random((n, 3)) < level).astype(float)
    return rb.Scores.from_arrays(parts, ["a", "b", "c"])


def test_the_plan_of_a_pair_is_what_the_comparison_says():
    for scores in (answers(), tasks()):
        first, second = rb.plan(scores).goal.models
        duel = rb.head_to_head(scores, first, second)
        made = rb.plan(scores, pair=(second, first))
        assert duel.needed is not None
        assert made.goal.models == (first, second)  # turned to what was observed
        assert made.needed == pytest.approx(duel.needed)
        assert made.difference == pytest.approx(duel.main.difference)
        assert "To tell them apart: about" in duel.to_text()


def test_items_of_one_name_on_several_tasks_are_counted_once_as_in_the_comparison():
    rng = np.random.default_rng(7)
    hard = rng.random((80, 1))
    ids = tuple(f"q{i}" for i in range(80))
    rows = [(rng.random((80, 2)) < 0.2 + 0.5 * hard + [0.05, 0.0]).astype(float) for _ in range(3)]
    tasks = zip(("de", "en", "fr"), rows, strict=True)
    scores = rb.Scores({name: rb.Items(("a", "b"), one, ids=ids) for name, one in tasks})
    duel, board = rb.head_to_head(scores, "a", "b"), rb.leaderboard(scores, pairs=True)
    assert board.aggregate.n == duel.average.n == 80
    assert duel.needed is not None
    for pilot in (scores, board):
        made = rb.plan(pilot)
        assert (made.n, made.needed.likely) == (80, duel.needed.likely)
    apart = rb.leaderboard(scores, independent_rows=True)
    assert apart.aggregate.n == 240


def test_a_gate_is_planned_as_its_claim_is_judged():
    scores = answers()
    claim = rb.check(scores, ["m2 >= m1 - 0.01"]).claims[0]
    assert claim.verdict == "cannot_tell"
    made = rb.plan(scores, pair=("m2", "m1"), margin=0.01)
    assert made.needed.likely == claim.needed
    wider = rb.plan(scores, pair=("m2", "m1"), margin=0.01, effect=0.01)
    assert wider.needed.likely < made.needed.likely


def test_nothing_is_needed_where_it_is_told_already_or_cannot_be():
    same = rb.Scores.from_arrays({"math": np.ones((50, 2))}, ["a", "b"])
    assert rb.head_to_head(same, "a", "b").needed is None
    far = answers(400, (0.2, 0.9))
    assert rb.head_to_head(far, "m1", "m0").needed is None
    few = answers(12, (0.4, 0.6))
    assert rb.head_to_head(few, "m1", "m0").needed is None


@pytest.mark.parametrize(
    ("asked", "kind", "level", "models"),
    [
        ({}, "pair", 0.025, ("m2", "m1")),
        ({"pair": ("m2", "m0")}, "pair", 0.025, ("m2", "m0")),
        ({"top": 1}, "top", 0.05 / 2, ("m2",)),
        ({"top": 2}, "top", 0.05 / 2, ("m2", "m1")),
        ({"tiers": True}, "tiers", 0.05 / 6, ("m2", "m1", "m0")),
    ],
)
def test_every_question_has_its_level_and_its_models(asked, kind, level, models):
    made = rb.plan(answers(), **asked)
    assert (made.goal.kind, made.level) == (kind, pytest.approx(level))
    assert made.goal.models == models
    assert 2 <= made.needed.low <= made.needed.likely <= made.needed.safe <= made.needed.high


def test_what_must_all_be_shown_needs_no_fewer_items_than_its_hardest_part():
    scores = answers()
    pair = rb.plan(scores).needed.likely
    assert rb.plan(scores, top=1).needed.likely >= pair
    assert rb.plan(scores, tiers=True).needed.likely > rb.plan(scores, top=1).needed.likely
    assert rb.plan(scores, power=0.9).needed.likely > pair
    assert rb.plan(scores, alpha=0.01).needed.likely > pair


def test_a_board_file_serves_as_a_pilot(tmp_path):
    scores = answers()
    board = rb.leaderboard(scores, pairs=True)
    board.save(tmp_path / "with.json", pairs=True)
    board.save(tmp_path / "without.json")
    from_results = rb.plan(scores)
    assert rb.plan(tmp_path / "with.json").needed == pytest.approx(from_results.needed)
    assert rb.plan(board).needed == from_results.needed
    without = rb.plan(str(tmp_path / "without.json"))
    assert [note.code for note in without.notes] == ["independent-models"]
    assert without.needed.likely > from_results.needed.likely
    average = rb.leaderboard(tasks())
    average.save(tmp_path / "average.json")
    loaded = rb.plan(tmp_path / "average.json").needed
    assert loaded == pytest.approx(rb.plan(average).needed, rel=0.02)  # without degrees of freedom


def test_tasks_are_planned_with_tasks_as_rows():
    """By hand: the t of task differences, and the part of their variance that items make."""
    scores = tasks()
    made = rb.plan(scores, pair=("c", "a")).tasks
    means = np.array([evidence.values.mean(axis=0) for evidence in scores.tasks.values()])
    gaps = means[:, 2] - means[:, 0]
    within = np.mean(
        [
            np.var(evidence.values[:, 2] - evidence.values[:, 0], ddof=1) / evidence.n
            for evidence in scores.tasks.values()
        ]
    )
    spread = gaps.std(ddof=1)
    assert made.seen == 8
    assert made.needed.likely == sample_size(gaps.mean(), spread, 0.025, 0.8)
    assert made.item_share == pytest.approx(min(within / spread**2, 1.0))
    assert made.item_share_interval[0] <= made.item_share <= made.item_share_interval[1]
    assert (made.fewest, made.fewest_rate) == (4, 0.2)
    over = rb.plan(scores, pair=("c", "a"), over="tasks")
    assert (over.unit, over.n, over.needed.likely) == ("tasks", 8, made.needed.likely)
    text = rb.plan(scores, pair=("c", "a")).to_text()
    assert "Of the average over all tasks like these (seen: 8):" in text


def test_ranks_over_tasks_are_planned_with_tasks_as_rows():
    board = rb.leaderboard(tasks(24), method="average_rank", over="tasks")
    made = rb.plan(board, pair=("c", "a"))
    assert (made.unit, made.n, made.tasks) == ("tasks", 24, None)
    assert made.goal.models == ("c", "a")
    assert made.difference == pytest.approx(board.aggregate.score[0] - board.aggregate.score[2])
    assert "on the average rank over tasks like these" in " ".join(made.to_text().split())


def test_a_pilot_too_small_for_a_careful_plan_says_so():
    near = rb.plan(answers(60, (0.5, 0.52)))
    assert math.isinf(near.needed.safe)
    assert "This pilot is too small for one that is 80 % sure" in " ".join(near.to_text().split())


def test_tasks_that_disagree_are_the_limit():
    rng = np.random.default_rng(3)
    parts = {}
    for k, shift in enumerate((0.5, -0.3, 0.4, 0.3, -0.2)):
        rows = rng.normal(0, 0.5, (400, 2))
        rows[:, 0] += shift
        parts[f"t{k}"] = rows
    made = rb.plan(rb.Scores.from_arrays(parts, ["a", "b"]))
    assert made.tasks.item_share < 0.05
    assert "Tasks, not items, are your limit" in made.to_text()
    assert "Tasks, not items" not in rb.plan(answers()).to_text()


def trials(n: int = 400, runs: int = 4) -> rb.Scores:
    rng = np.random.default_rng(11)
    item = rng.normal(0, 0.3, (n, 1, 2))
    values = item + rng.normal(0, 0.6, (n, runs, 2)) + [0.05, 0.0]
    rows = [
        {"model": name, "task": "t", "item": i, "trial": r, "score": values[i, r, m]}
        for m, name in enumerate("ab")
        for i in range(n)
        for r in range(runs)
    ]
    return rb.Scores.from_frame(pd.DataFrame(rows), direction="higher")


def test_items_and_answers_are_split_by_what_they_cost():
    """Of a difference: item variance .18, answer variance .72."""
    made = rb.plan(trials(), cost_item=9.0, cost_trial=1.0).split
    assert made.item_variance == pytest.approx(0.18, rel=0.25)
    assert made.answer_variance == pytest.approx(0.72, rel=0.1)
    best = math.sqrt(made.answer_variance / made.item_variance * 9)
    assert abs(made.answers - best) < 1
    assert made.cost < made.cost_single
    assert made.answers_interval[0] <= made.answers <= made.answers_interval[1]
    assert made.cost == pytest.approx(made.items.likely * (9 + made.answers))
    free = rb.plan(trials(), cost_item=0.0, cost_trial=1.0).split
    assert free.answers == 1
    # Four answers in the pilot: with one answer each the number of items grows as the variance.
    now = rb.plan(trials()).needed.likely
    ratio = (made.item_variance + made.answer_variance) / (
        made.item_variance + made.answer_variance / 4
    )
    assert free.items.likely == pytest.approx(now * ratio, rel=0.01)


def test_with_few_items_in_the_world_answers_must_do_it_or_nothing_does():
    given = {"cost_item": 1.0, "cost_trial": 1.0, "effect": 0.06}
    enough = rb.plan(trials(), **given, most_items=800).split
    assert enough.items.likely <= 800
    alone = rb.plan(trials(), effect=0.06, most_items=800)
    assert alone.split.answers == enough.answers
    assert "With so few items: " in alone.to_text()
    none = rb.plan(trials(), **given, most_items=100)
    assert none.split.exhausted
    assert "Items, not answers, are your limit" in none.to_text()


def test_beforehand_bounds_are_said_to_be_bounds():
    made = rb.plan(rates=(0.7, 0.65))
    assert [one.bound for one in made.supposed] == [True, False, False]
    text = made.to_text()
    assert "at most 2,035 items  on 0.65 (bound: the most there can be)" in text
    assert "779 items  on 0.25 (neighbours on public boards: 0.24 to 0.26)" in text
    own = rb.plan(rates=(0.7, 0.65), discordance=0.3)
    assert own.supposed[-1].rows == sample_size(0.05, math.sqrt(0.3 - 0.0025), 0.025, 0.8)
    graded = rb.plan(effect=0.5, limits=(0, 10)).supposed
    assert [(one.bound, one.sd) for one in graded] == [(True, 10)]
    many = rb.plan(rates=(0.7, 0.65), top=3, of=10).supposed[0].rows
    spread = math.sqrt(0.65 - 0.0025)
    assert many == sample_size(0.05, spread, 0.05 / 21, 1 - 0.2 / 21)
    gate = rb.plan(rates=(0.7, 0.7), margin=0.02).supposed[-1].rows
    assert gate == sample_size(0.02, 0.5, 0.025, 0.8)
    split = rb.plan(rates=(0.7, 0.65), flip=0.1, cost_item=10, cost_trial=1).split
    assert (split.answers, split.answer_variance) == (3, 0.1)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"rates": (0.7, 0.7)}, "above 0"),
        ({"effect": 0.0, "sd": 1.0}, "above 0"),
        ({"effect": 0.1}, "How do scores vary"),
        ({"rates": (0.7, 1.65)}, "two numbers between 0 and 1"),
        ({"rates": (0.7, 0.65), "discordance": 0.9}, "between 0.05 and 0.65"),
        ({"rates": (0.7, 0.65), "effect": 0.1}, "leave out"),
        ({"discordance": 0.3, "effect": 0.1, "sd": 1.0}, "goes with"),
        ({"rates": (0.7, 0.65), "top": 3}, "How many models"),
        ({"rates": (0.7, 0.65), "top": 3, "of": 3}, "between 1 and 2"),
        ({"rates": (0.7, 0.65), "power": 1.2}, "power"),
        ({"rates": (0.7, 0.65), "cost_item": -1, "cost_trial": 1}, "0 or more"),
        ({"rates": (0.7, 0.65), "cost_item": 1}, "Both costs"),
        ({"rates": (0.7, 0.65), "cost_item": 1, "cost_trial": 1}, "several answers"),
        ({"limits": (1, 0), "effect": 0.1}, "two rising numbers"),
        ({"top": 2, "tiers": True}, "One question at a time"),
        ({"pair": ("a", "a")}, "two different models"),
        ({"tiers": True, "margin": 0.1}, "about two models"),
    ],
)
def test_what_cannot_be_planned_beforehand_is_refused(asked, says):
    with pytest.raises(rb.OptionError, match=says):
        rb.plan(**asked)


@pytest.mark.parametrize(
    ("asked", "error", "says"),
    [
        ({"top": 3}, rb.OptionError, "between 1 and 2"),
        ({"pair": ("m0", "m9")}, rb.UnknownOptionError, "m9"),
        ({"rates": (0.7, 0.6)}, rb.OptionError, "without results"),
        ({"cost_item": 1.0, "cost_trial": 1.0}, rb.OptionError, "several answers"),
        ({"effect": -0.1}, rb.OptionError, "above 0"),
    ],
)
def test_what_a_pilot_does_not_fit_is_refused(asked, error, says):
    with pytest.raises(error, match=says):
        rb.plan(answers(), **asked)


def test_a_pilot_that_says_nothing_of_the_spread_is_refused():
    with pytest.raises(rb.DataError, match="says too little"):
        rb.plan(answers(10))
    same = rb.Scores.from_arrays({"math": np.ones((50, 2))}, ["a", "b"])
    with pytest.raises(rb.DataError, match="differ by the same"):
        rb.plan(same)
    one = rb.Estimates(("a", "b"), [0.5, 0.6], se=[0.1, 0.1])
    with pytest.raises(rb.DataError, match="not known"):
        rb.plan(rb.Scores({"x": one}))


def test_a_model_that_every_row_decides_does_not_stop_a_plan():
    rng = np.random.default_rng(9)
    rows = (rng.random((200, 3)) < [0.6, 0.5, 0.5]).astype(float)
    rows[:, 2] = rows[:, 0] - 1.0
    made = rb.plan(rb.Scores.from_arrays({"x": rows}, ["a", "b", "c"]), top=1)
    alone = rb.plan(rb.Scores.from_arrays({"x": rows[:, :2]}, ["a", "b"]), effect=0.1)
    assert made.goal.models == ("a",)
    assert math.isfinite(made.needed.likely)
    assert made.sd == pytest.approx(alone.sd)


def test_a_model_that_is_absent_does_not_stop_a_plan():
    rows = np.array(answers().tasks["math"].values)
    rows[:150, 2] = np.nan
    rows[150:, 0] = np.nan  # no row in common with the last
    scores = rb.Scores.from_arrays({"math": rows}, ["m0", "m1", "m2"])
    pair = rb.plan(scores, pair=("m1", "m0"), missing="pairwise")
    duel = rb.head_to_head(scores, "m1", "m0", missing="pairwise")
    assert (pair.n, pair.difference) == (duel.main.n, pytest.approx(duel.main.difference))
    board = rb.leaderboard(scores, missing="pairwise", pairs=True)
    assert rb.plan(board, pair=("m1", "m0")).goal.models == ("m1", "m0")
    with pytest.raises(rb.DataError, match="no row in common"):
        rb.plan(board, pair=("m2", "m0"))


def test_the_curve_rises_and_ends_where_neighbours_do():
    made = rb.plan(answers(400, (0.2, 0.4, 0.6, 0.8)))
    expected = [one.expected for one in made.curve]
    assert made.neighbours == 3
    assert expected == sorted(expected)
    assert expected[-1] > 2.9
    assert all(one.low <= one.expected + 0.5 and one.high <= 3 for one in made.curve)


def test_where_each_pair_has_rows_of_its_own_a_plan_counts_those():
    full = answers(400)
    smoke = full.tasks["math"].values.copy()
    smoke[40:, 2] = np.nan
    gaps = rb.Scores.from_arrays({"math": smoke}, ["m0", "m1", "m2"])
    few = rb.Scores.from_arrays({"math": full.tasks["math"].values[:40]}, ["m0", "m1", "m2"])

    def plan(scores, *pair):
        made = rb.plan(scores, pair=pair, missing="pairwise")
        return made.n, made.sd, made.needed.likely

    # Another door: a board of all three, of which only the rows of the pair count.
    board = rb.leaderboard(gaps, missing="pairwise", pairs=True)
    for pair, alike in ((("m2", "m0"), few), (("m1", "m0"), full)):
        made = rb.plan(board, pair=pair)
        assert (made.n, made.sd, made.needed.likely) == pytest.approx(plan(alike, *pair))
    both = rb.plan(gaps, tiers=True, missing="pairwise")
    assert both.n == 40
    assert both.needed.likely == pytest.approx(rb.plan(few, tiers=True).needed.likely, rel=0.3)
