"""``--aggregate``, ``--normalise`` and ``--chance``: which average, how, on which scale."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commandline import Command

import rankbars as rb


def average(rankbars: Command, results: str, *options: str) -> dict[str, Any]:
    answer = rankbars("rank", results, "-o", "-", "--resamples", "50", *options)
    assert answer.code == 0, answer.err
    found: dict[str, Any] = json.loads(answer.out)["aggregate"]
    return found


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("auto", ("items", "analytic", "mean")),
        ("items", ("items", "analytic", "mean")),
        ("items:bootstrap", ("items", "bootstrap", "mean")),
        ("tasks", ("tasks", "t", "mean")),
        ("tasks:bootstrap_t", ("tasks", "bootstrap_t", "mean")),
        ("tasks::borda", ("tasks", "t", "borda")),
        ("::average_rank_bins", ("items", "bootstrap", "average_rank_bins")),
    ],
)
def test_parts_of_the_average_are_chosen_by_name(
    rankbars: Command, results: str, choice: str, expected: tuple[str, str, str]
) -> None:
    found = average(rankbars, results, "--aggregate", choice)
    assert (found["over"], found["estimator"], found["method"]) == expected
    assert sum(found["rank_probability"][0]) == pytest.approx(1.0)


def test_families_come_from_their_file(rankbars: Command, results: str) -> None:
    Path("families.csv").write_text("t0,one\nt1,one\nt2,two\nt3,three\n")
    options = ("--aggregate", "families", "--families", "families.csv")
    found = average(rankbars, results, *options)
    assert (found["over"], found["estimator"]) == ("families", "t")
    assert "3 families (4 tasks)" in found["target"]
    refused = rankbars("rank", results, "--aggregate", "families")
    assert refused.code == 1
    assert "--families FILE" in refused.err


def test_scale_from_declared_limits(rankbars: Command, results: str) -> None:
    limits = ("--score-min", "0", "--score-max", "2")
    found = average(rankbars, results, "--normalise", "bounds", *limits)
    assert found["limits"] == {f"t{i}": [0.0, 2.0] for i in range(4)}
    plain = average(rankbars, results)
    assert found["score"] == pytest.approx([value / 2 for value in plain["score"]])
    assert average(rankbars, results, "--normalise", "none")["normalise"] is None


def test_limits_of_each_task_come_from_a_file(rankbars: Command, results: str) -> None:
    Path("limits.csv").write_text("t0,0,2\nt1,0,2\nt2,-1,1\nt3,-1,1\n")
    found = average(rankbars, results, "--normalise", "bounds", "--limits", "limits.csv")
    assert found["limits"] == {"t0": [0, 2], "t1": [0, 2], "t2": [-1, 1], "t3": [-1, 1]}
    plain = average(rankbars, results)
    # Half of each score; two of the four tasks begin at -1, which adds half of their weight.
    assert found["score"] == pytest.approx([value / 2 + 0.25 for value in plain["score"]])
    refused = rankbars("rank", results, "--normalise", "bounds")
    assert "--limits FILE" in refused.err


def test_guessing_counts_as_zero(rankbars: Command, results: str) -> None:
    Path("chance.json").write_text('{"t0": 0.25, "t1": 0.25, "t2": 0.5, "t3": 0}')
    options = ("--normalise", "chance", "--chance", "chance.json", "--score-max", "1")
    found = average(rankbars, results, *options)
    assert found["limits"]["t2"] == [0.5, 1.0]
    refused = rankbars("rank", results, "--normalise", "chance", "--score-max", "1")
    assert refused.code == 1
    assert "--chance FILE" in refused.err
    Path("chance.json").write_text('{"t0": "often"}')
    refused = rankbars("rank", results, *options)
    assert refused.code == 1
    assert "the chance of task 't0' is 'often'; expected a number" in refused.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--aggregate", "item"), "Did you mean 'items'"),
        (("--aggregate", "items:bootstap"), "Did you mean 'bootstrap'"),
        (("--aggregate", "items:analytic:meen"), "Did you mean 'mean'"),
        (("--aggregate", "items:analytic:mean:x"), "too many parts"),
        (("--normalise", "bound"), "Did you mean 'bounds'"),
    ],
)
def test_unknown_names_are_wrong_usage(
    rankbars: Command, results: str, options: tuple[str, ...], message: str
) -> None:
    answer = rankbars("rank", results, *options)
    assert answer.code == 2
    assert message in answer.err


def test_an_estimator_that_does_not_fit_is_named_with_what_it_is_for(
    rankbars: Command, results: str
) -> None:
    answer = rankbars("rank", results, "--aggregate", "tasks:analytic")
    assert answer.code == 1
    assert "Estimator 'analytic' is for over='items'; got over='tasks'" in answer.err


def test_records_of_evaluation_runs_are_ranked_by_their_tasks(rankbars: Command) -> None:
    records = [
        {"model_id": model, "task_id": task, "metric_name": "accuracy", "score": score, "weight": 2}
        for task, scores in {"x": (0.5, 0.7), "y": (0.4, 0.8), "z": (0.4, 0.75)}.items()
        for model, score in zip("ab", scores, strict=True)
    ]
    Path("runs.jsonl").write_text("\n".join(map(json.dumps, records)))
    rankbars("rank", "runs.jsonl", "-o", "b.json")
    board = rb.load("b.json")
    assert list(board.tasks) == ["x", "y", "z"]
    assert board.aggregate is not None
    expected = rb.aggregate(rb.Scores.from_records(records))
    assert board.aggregate.score == pytest.approx(expected.score)
    assert board.aggregate.low == pytest.approx(expected.low)


def test_the_board_repeats_the_average_from_its_spec(rankbars: Command, results: str) -> None:
    options = ("--aggregate", "tasks:bootstrap:win_rate", "--resamples", "30")
    rankbars("rank", results, "-o", "b.json", *options)
    board = rb.load("b.json")
    again = rb.leaderboard(rb.read(results), spec=board.spec)
    again.save("again.json")
    assert Path("b.json").read_bytes() == Path("again.json").read_bytes()


def test_options_that_need_several_tasks_are_named_on_one_task(rankbars: Command) -> None:
    rows = [f"{model},x,{item},{(item + model_number) % 3}"
            for model_number, model in enumerate("abc") for item in range(12)]  # fmt: skip
    Path("one.csv").write_text("model,task,item,score\n" + "\n".join(rows), encoding="utf-8")
    answer = rankbars("rank", "one.csv", "--merge", "group", "--aggregate", "tasks")
    assert answer.code == 0, answer.err
    text = " ".join(answer.out.split())
    assert "nothing to average or to merge: unused --merge, --aggregate." in text
    assert "nothing to average" not in rankbars("rank", "one.csv").out


def test_a_constant_score_has_no_interval_and_an_absent_model_is_explained(
    rankbars: Command,
) -> None:
    rows = ["a,x,.5", "a,y,.5", "a,z,.5", "b,x,.4", "b,y,.6", "b,z,.3", "c,x,.4", "c,y,.2"]
    Path("few.csv").write_text("model,task,score\n" + "\n".join(rows), encoding="utf-8")
    answer = rankbars("rank", "few.csv", "--missing", "bounds")
    assert answer.code == 0, answer.err
    assert "±0.0" not in answer.out
    text = " ".join(answer.out.split())
    assert "The same on every task, so nothing says how far the average may be off" in text
    assert "its rank on the average may be any, and it is in the first tier, because " in text


def test_one_task_without_errors_does_not_speak_of_an_average(rankbars: Command) -> None:
    Path("one.csv").write_text("model,task,score\na,x,.5\nb,x,.4\n", encoding="utf-8")
    answer = rankbars("rank", "one.csv")
    assert "say nothing." in " ".join(answer.err.split())
    assert "population of tasks" not in answer.err + answer.out


def test_weights_may_be_those_of_categories(rankbars: Command) -> None:
    rows = [f"{model},{task},{item},{(item * 7 + model_number * len(task)) % 5}"
            for model_number, model in enumerate("abc")
            for task in ("x", "yy", "zzz") for item in range(12)]  # fmt: skip
    Path("three.csv").write_text("model,task,item,score\n" + "\n".join(rows), encoding="utf-8")
    Path("categories.csv").write_text("x,one\nyy,one\nzzz,two\n", encoding="utf-8")
    Path("weights.csv").write_text("category,weight\none,3\ntwo,1\n", encoding="utf-8")
    options = ("--categories", "categories.csv", "--weights", "weights.csv")
    answer = rankbars("rank", "three.csv", "-o", "-", *options)
    assert answer.code == 0, answer.err
    weights = [task["weight"] for task in json.loads(answer.out)["tasks"]]
    assert weights == pytest.approx([0.375, 0.375, 0.25])
    Path("weights.csv").write_text("one,3\n", encoding="utf-8")
    lacking = rankbars("rank", "three.csv", *options)
    assert lacking.code == 1
    assert "weights.csv gives no weight for 'two'. Add a line for every category" in lacking.err
    Path("weights.csv").write_text("one,3\ntwo,-1\n", encoding="utf-8")
    negative = rankbars("rank", "three.csv", *options)
    assert "weights.csv: the weight of category 'two' is '-1'; expected a number, 0" in negative.err
    Path("weights.csv").write_text("one,3\nthree,1\n", encoding="utf-8")
    wrong = rankbars("rank", "three.csv", *options)
    assert wrong.code == 2
    assert "Unknown category in the weights 'three'" in wrong.err
    Path("weights.csv").write_text("one,much\n", encoding="utf-8")
    wrong = rankbars("rank", "three.csv", *options)
    assert wrong.code == 1
    assert "the weight of category 'one' is 'much'" in wrong.err
