"""Ranks on tasks that were held out lie where the other tasks say they would."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commandline import Command
from matplotlib.figure import Figure

import rankbars as rb
from rankbars.render.plotting import plot_held_out

MODELS = list("abcde")
PUBLISHED = rb.Spec(
    test="t", correction="holm", scope="each", merge="quantile", alpha_overall=0.5, over="none"
)


def tasks(seed: int, count: int = 15) -> rb.Scores:
    """Tasks of one source: scores of models differ from task to task around their means."""
    rng = np.random.default_rng(seed)
    skill = np.linspace(0.0, 1.0, 5)
    made = {
        f"t{k}": rng.normal(size=(40, 5)) + skill + rng.normal(scale=0.5, size=5)
        for k in range(count)
    }
    return rb.Scores.from_arrays(made, MODELS)


def test_intervals_and_shares_are_those_of_the_steps_by_hand() -> None:
    scores = tasks(1)
    found = rb.hold_out(scores, 6, spec=PUBLISHED)
    assert len(found.tasks) == 6
    assert set(found.tasks) | set(found.board.tasks) == set(scores.tasks)
    ranks = rb.rank(rb.compare(scores, test="t"), correction="holm", scope="each", alpha=0.05)
    others = {name: one for name, one in ranks.items() if name not in found.tasks}
    new = rb.predict(others, merge="quantile", alpha=0.5)
    within = common = 0
    for name, one in found.tasks.items():
        assert one.best.tolist() == ranks[name].best.tolist()
        assert one.worst.tolist() == ranks[name].worst.tolist()
        for model in MODELS:
            own = set(range(one[model][0], one[model][1] + 1))
            range_of_new = set(range(new[model][0], new[model][1] + 1))
            within += own <= range_of_new
            common += bool(own & range_of_new)
    assert found.share == within / 30
    assert found.meets.sum() == common
    assert within < common < 31
    # Of ten intervals the second smallest and the second largest end: two may lie outside of each.
    assert found.expected == pytest.approx(1 - 2 * 2 / 10)


@pytest.mark.parametrize("spec", [PUBLISHED, rb.Spec(test="t", correction="holm", over="none")])
def test_at_least_the_expected_share_lies_within(spec: rb.Spec) -> None:
    shares, expected = [], 0.0
    for seed in range(30):
        found = rb.hold_out(tasks(seed), 6, spec=spec)
        shares.append(found.share)
        expected = found.expected
    error = np.std(shares) / np.sqrt(len(shares))
    assert 0.5 < expected < 1
    assert np.mean(shares) >= expected - 2 * error


def test_a_task_of_another_kind_is_not_foreseen() -> None:
    rng = np.random.default_rng(0)
    made = {f"t{k}": rng.normal(size=(40, 3)) + [0.0, 2.0, 4.0] for k in range(9)}
    scores = rb.Scores.from_arrays(made, ["a", "b", "c"])
    (odd,) = rb.hold_out(scores, 1).tasks
    made[odd] = made[odd][:, ::-1]
    found = rb.hold_out(rb.Scores.from_arrays(made, ["a", "b", "c"]), 1)
    assert found.inside.tolist() == found.meets.tolist() == [[False, True, False]]


def test_the_seed_says_which_tasks_and_nothing_else_does() -> None:
    scores = tasks(0)
    turned = rb.Scores.from_arrays(
        {name: scores.tasks[name].values for name in reversed(list(scores.tasks))}, MODELS
    )
    first = rb.hold_out(scores, 5, spec=PUBLISHED)
    assert set(first.tasks) == set(rb.hold_out(turned, 5, spec=PUBLISHED).tasks)
    other = rb.Spec(merge="quantile", seed=1)
    assert set(first.tasks) != set(rb.hold_out(scores, 5, spec=other).tasks)


def test_what_cannot_be_held_out_is_refused() -> None:
    for count in (0, 14, 15):
        with pytest.raises(
            rb.OptionError, match="of 15 tasks cannot be held out: hold out at least 1"
        ):
            rb.hold_out(tasks(0), count)
    with pytest.raises(rb.OptionError, match="the group merge is not about a task that is drawn"):
        rb.hold_out(tasks(0), 5, spec=rb.Spec(merge="group"))


def test_the_picture_holds_each_interval_and_its_place() -> None:
    found = rb.hold_out(tasks(3), 4, spec=PUBLISHED)
    ax = plot_held_out(found, Figure().add_subplot())
    order = list(found.board.order)
    assert [text.get_text() for text in ax.get_yticklabels()] == [found.models[i] for i in order]
    bars = [(bar.get_x() + 0.15, bar.get_x() + bar.get_width() - 0.15) for bar in ax.patches]
    new = found.new_task
    assert bars == [pytest.approx((new.best[i], new.worst[i])) for i in order]
    drawn = {}
    for lines in ax.collections:
        for (low, y), (high, _) in lines.get_segments():
            drawn[round(float(y), 6)] = (low, high, lines.get_label())
    assert len(drawn) == 20
    shifts = np.linspace(-0.32, 0.32, 4)
    for k, one in enumerate(found.tasks.values()):
        for row, i in enumerate(order):
            low, high, label = drawn[round(row + shifts[k], 6)]
            assert (low, high) == (one.best[i], one.worst[i])
            assert label.endswith("within") == found.inside[k, i]


def test_the_command_prints_and_writes_the_same(rankbars: Command, results: str) -> None:
    answer = rankbars(
        "rank", results, "--hold-out", 2, "--held-out", "x.json", "--held-out", "x.svg"
    )
    assert answer.code == 0, answer.err
    found = rb.hold_out(rb.read(results), 2)
    words = " ".join(answer.out.split())
    assert "2 tasks held out; rank intervals for a new task come from the other 2" in words
    assert "2 of 4 tasks were held out (seed 0):" in words
    inside = int(found.inside.sum())
    assert f"Of 6 rank intervals on held-out tasks, {inside} ({100 * found.share:.0f} %)" in words
    plain = json.loads(Path("x.json").read_text(encoding="utf-8"))
    assert plain["share"] == found.share
    assert plain["expected"] == found.expected
    assert [one["task"] for one in plain["held_out"]] == list(found.tasks)
    assert plain["held_out"][0]["worst"] == next(iter(found.tasks.values())).worst.tolist()
    assert "ranks on held-out tasks over those for a new one" in Path("x.svg").read_text("utf-8")


def test_options_that_do_not_go_together_are_refused(rankbars: Command, results: str) -> None:
    for words, said in (
        (("--held-out", "x.json"), "say how many tasks"),
        (("--hold-out", "2", "--anytime"), "leave out --anytime"),
    ):
        answer = rankbars("rank", results, *words)
        assert (answer.code, said in answer.err) == (2, True)
    answer = rankbars("rank", results, "--hold-out", "2", "--held-out", "x.txt")
    assert (answer.code, "must end in .json" in answer.err) == (1, True)
    answer = rankbars("rank", results, "--hold-out", "4")
    assert (answer.code, "4 of 4 tasks cannot be held out" in answer.err) == (1, True)
