"""Records of evaluation runs: refused by name, tabulated plainly, ranked."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import golden
from scipy import stats

import rankbars as rb
from rankbars.demos import lesson_records


@dataclass
class EvalRun:
    """A record as a harness would have it."""

    model_id: str
    task_id: str
    metric_name: str
    score: float
    category: str | None = None
    weight: float = 1.0


def records(table: dict[str, dict[str, float]], **more: Any) -> list[dict[str, Any]]:
    return [
        {"model_id": model, "task_id": task, "metric_name": "accuracy", "score": score} | more
        for task, row in table.items()
        for model, score in row.items()
    ]


def random_records(count: int, seed: int = 0) -> list[dict[str, Any]]:
    values = np.random.default_rng(seed).random((count, 3))
    return records(
        {f"t{i:02d}": dict(zip("abc", row.tolist(), strict=True)) for i, row in enumerate(values)}
    )


# --- the table -----------------------------------------------------------------------------------


def test_table_of_the_reference() -> None:
    expected = golden("win_rate")
    table = rb.plain_table(records(expected["scores"]))
    rows = {row.model_id: row for row in table.rows}
    for name in "abc":
        assert rows[name].mean_score == pytest.approx(expected["mean"][name])
        assert rows[name].win_rate == pytest.approx(expected["top1_rate_ties_split"][name])
        pairwise = expected["pairwise_win_rate_half_ties"][name]
        assert rows[name].pairwise_win_rate == pytest.approx(pairwise)
        assert rows[name].tasks_completed == expected["tasks_completed"][name]
    assert [row.model_id for row in table.rows] == ["b", "a", "c"]
    note = next(note for note in table.notes if note.code == "different-tasks")
    assert note.models == ("b",)
    assert "share 3 of them" in note.message


def test_few_tasks_get_t_intervals_and_many_get_percentiles() -> None:
    few = rb.plain_table(random_records(12))
    assert few.interval == "t"
    scores = [r["score"] for r in random_records(12) if r["model_id"] == "a"]
    low, high = stats.ttest_1samp(scores, 0.0).confidence_interval(0.95)
    row = next(row for row in few.rows if row.model_id == "a")
    assert (row.mean_ci_lo, row.mean_ci_hi) == pytest.approx((low, high))
    many = rb.plain_table(random_records(40), resamples=20_000)
    assert many.interval == "percentile"
    scores = [r["score"] for r in random_records(40) if r["model_id"] == "a"]
    theirs = stats.bootstrap(
        (scores,), np.mean, n_resamples=20_000, method="percentile", rng=0
    ).confidence_interval
    row = next(row for row in many.rows if row.model_id == "a")
    assert (row.mean_ci_lo, row.mean_ci_hi) == pytest.approx(tuple(theirs), abs=0.005)
    assert rb.plain_table(random_records(12), interval="percentile").interval == "percentile"


def test_weights_count_in_the_mean_and_not_in_the_wins() -> None:
    rows = records({"x": {"a": 0.8, "b": 0.2}}, weight=3.0, category="easy")
    rows += records({"y": {"a": 0.0, "b": 1.0}, "z": {"a": 0.5, "b": 0.5}}, category="hard")
    table = {row.model_id: row for row in rb.plain_table(rows).rows}
    assert table["a"].mean_score == pytest.approx((3 * 0.8 + 0.0 + 0.5) / 5)
    assert table["a"].win_rate == pytest.approx((1 + 0 + 0.5) / 3)
    assert dict(table["a"].categories) == pytest.approx({"easy": 0.8, "hard": 0.25})


def test_models_with_equal_means_share_a_rank() -> None:
    table = rb.plain_table(
        records({"x": {"a": 0.1, "b": 0.2, "c": 0.9}, "y": {"a": 0.2, "b": 0.1, "c": 0.9},
                 "z": {"a": 0.3, "b": 0.3, "c": 0.9}})
    )  # fmt: skip
    assert [(row.rank, row.model_id) for row in table.rows] == [(1, "c"), (2, "a"), (2, "b")]


def test_no_records_give_an_empty_table_and_no_scores() -> None:
    table = rb.plain_table([])
    assert table.rows == ()
    assert json.loads(table.to_json())["models"] == []
    assert len(table.to_markdown().splitlines()) == 2
    with pytest.raises(rb.DataError, match="no records"):
        rb.Scores.from_records([])


def test_a_single_task_has_no_interval() -> None:
    table = rb.plain_table(records({"x": {"a": 0.5}}))
    assert json.loads(table.to_json())["models"][0]["mean_ci_lo"] is None
    assert table.to_markdown().splitlines()[2] == "| 1 | a | 0.50 | – | 1.00 | 1 |"


# --- how it is written ---------------------------------------------------------------------------


def test_markdown_has_the_six_columns_and_two_decimals() -> None:
    table = rb.plain_table(records({"x": {"a": 0.8, "b": 0.4}, "y": {"a": 0.6, "b": 0.5}}))
    lines = table.to_markdown().splitlines()
    assert lines[0] == "| Rank | Model | Mean | CI, approximate | Win rate | Tasks |"
    assert lines[2] == "| 1 | a | 0.70 | 0.00-1.00 | 1.00 | 2 |"
    assert len(lines) == 4


def test_a_level_stands_where_it_is_known_to_hold() -> None:
    even = np.random.default_rng(5).normal(0.6, 0.1, (12, 3))
    skewed = 0.9 - np.minimum(np.random.default_rng(2).lognormal(-3, 1.5, (12, 3)), 0.9)
    for values, options, approximate in (
        (even, {}, False),
        (even[:4], {}, True),
        (even, {"interval": "percentile"}, True),
        (skewed, {}, True),
    ):
        rows = {f"t{k:02d}": dict(zip("abc", row.tolist(), strict=True))
                for k, row in enumerate(values)}  # fmt: skip
        table = rb.plain_table(records(rows), **options)
        assert json.loads(table.to_json())["approximate"] is approximate
        for text in (table.to_markdown(), table.pairs_to_markdown()):
            assert ("CI, approximate" in text) == approximate
            assert ("95%" in text) != approximate
        codes = {note.code for note in table.notes}
        assert bool(codes & {"approximate", "few-resampled"}) == approximate


def test_intervals_of_normal_scores_are_seldom_called_approximate() -> None:
    rng, called = np.random.default_rng(3), 0
    for _ in range(100):
        values = rng.normal(0.6, 0.1, (12, 4)).clip(0, 1)
        rows = {f"t{k:02d}": dict(zip("abcd", row.tolist(), strict=True))
                for k, row in enumerate(values)}  # fmt: skip
        called += rb.plain_table(records(rows)).approximate
    assert called <= 22  # .10 of them were, and 22 are four standard errors more


def test_names_are_cut_in_markdown_only() -> None:
    long = "a-model-with-a-very-long-name"
    table = rb.plain_table(records({"x": {long: 0.5, "b": 0.4}}))
    assert f"| {long[:20]} |" in table.to_markdown()
    assert json.loads(table.to_json())["models"][0]["model_id"] == long


def test_names_that_would_be_cut_to_the_same_are_both_lengthened() -> None:
    names = ["organisation/model-70b-instruct", "organisation/model-70b-chat", "short"]
    table = rb.plain_table(records({"x": dict.fromkeys(names, 0.5)}))
    text = table.to_markdown()
    assert "| organisation/model-70b-i |" in text
    assert "| organisation/model-70b-c |" in text


@given(
    names=st.lists(
        st.text(alphabet="ab|\\\n ", min_size=1, max_size=30), min_size=1, max_size=6, unique=True
    )
)
def test_no_name_breaks_a_row(names: list[str]) -> None:
    table = rb.plain_table(records({"x": dict.fromkeys(names, 0.5)}))
    lines = table.to_markdown().split("\n")
    assert len(lines) == 2 + len(names)
    for line in lines[2:]:
        bars = line.replace("\\\\", "").replace("\\|", "").count("|")
        assert bars == 7


# --- what is refused -----------------------------------------------------------------------------


def with_change(**change: Any) -> list[dict[str, Any]]:
    rows = records({"x": {"a": 0.5, "b": 0.5}, "y": {"a": 0.5, "b": 0.5}})
    rows[2] = rows[2] | change
    return rows


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (with_change(score=55.0), r"Record 3 \(model 'a', task 'y'\): the score must lie between"),
        (with_change(score=-0.1), "Record 3 .* between 0 and 1; got -0.1"),
        (with_change(score=float("nan")), "Record 3 .* must be a finite number"),
        (with_change(score="0.5"), "Record 3 .* must be a finite number; got '0.5'"),
        (with_change(score=None), "Record 3 .* must be a finite number; got None"),
        (with_change(weight=-1), "Record 3 .* the weight must be 0 or more"),
        (with_change(weight=2), "disagree about the weight of task 'y'"),
        (with_change(category="c"), "disagree about the category of task 'y'"),
        (with_change(model_id=""), "Record 3: model_id must be a name"),
        (with_change(task_id=7), "Record 3: task_id must be a name; got 7"),
        (with_change(task_id="x"), "Records 1 and 3 are both about model 'a', task 'x'"),
        (with_change(task_id="x", metric_name="f1"), "'a' has several metrics on task 'x'"),
        ([{"model_id": "a"}], "Record 1 has no task_id"),
        (records({"x": {"a": 0.5}}, weight=0), "All weights are zero"),
    ],
)
def test_bad_records_are_refused_and_named(rows: list[dict[str, Any]], message: str) -> None:
    for use in (rb.plain_table, rb.Scores.from_records):
        with pytest.raises(rb.DataError, match=message):
            use(rows)


def test_one_metric_of_several_can_be_chosen() -> None:
    rows = records({"x": {"a": 0.5, "b": 0.4}})
    other = [row | {"metric_name": "f1", "score": 0.9} for row in rows]
    table = rb.plain_table(rows + other, metric="f1")
    assert [row.mean_score for row in table.rows] == [0.9, 0.9]
    with pytest.raises(rb.OptionError, match=r"Unknown metric 'f2'\. Known: accuracy, f1"):
        rb.plain_table(rows + other, metric="f2")
    with pytest.raises(rb.OptionError, match="Unknown interval"):
        rb.plain_table(rows, interval="bca")


# --- from records to a board ---------------------------------------------------------------------


def test_objects_and_dicts_say_the_same() -> None:
    dicts = random_records(5)
    objects: Iterable[object] = [EvalRun(**row) for row in dicts]
    assert rb.plain_table(objects) == rb.plain_table(dicts)


def test_records_become_scores_with_their_weights_and_categories() -> None:
    rows = records({"x": {"a": 0.5, "b": 0.7}}, weight=2.0, category="easy")
    rows += records({"y": {"b": 0.1}})
    scores = rb.Scores.from_records(rows)
    assert scores.models == ("a", "b")
    assert (scores.info["x"].weight, scores.info["x"].category) == (2.0, "easy")
    assert scores.info["y"].metric == "accuracy"
    assert scores.tasks["y"].models == ("b",)


def test_a_board_of_records_leads_with_the_population_of_tasks() -> None:
    rng = np.random.default_rng(0)
    rows = records(
        {
            f"t{i}": {"a": 0.3 + 0.1 * x, "b": 0.7 + 0.1 * y}
            for i, (x, y) in enumerate(rng.random((8, 2)))
        }
    )
    board = rb.leaderboard(rb.Scores.from_records(rows))
    assert board.aggregate is not None
    assert (board.aggregate.over, board.aggregate.estimator) == ("tasks", "t")
    assert board.undominated() == ("b",)
    low, high = board.aggregate.low[0], board.aggregate.high[0]
    row = next(row for row in rb.plain_table(rows).rows if row.model_id == "a")
    assert (row.mean_ci_lo, row.mean_ci_hi) == pytest.approx((low, high))


@pytest.mark.parametrize("interval", ["t", "percentile"])
@pytest.mark.parametrize("tasks", ["tu", "tuv"])
def test_a_model_with_one_score_everywhere_has_a_mean_and_no_interval(
    interval: str, tasks: str
) -> None:
    records = [
        EvalRun(model, task, "acc", score)
        for model, scores in {"a": (0.5, 0.5, 0.5), "b": (0.6, 0.5, 0.7)}.items()
        for task, score in zip(tasks, scores, strict=False)
    ]
    table = rb.plain_table(records, interval=interval)
    rows = {row.model_id: row for row in table.rows}
    assert rows["a"].mean_score == 0.5
    assert np.isnan([rows["a"].mean_ci_lo, rows["a"].mean_ci_hi]).all()
    assert rows["b"].mean_ci_lo < rows["b"].mean_ci_hi
    assert [note.models for note in table.notes if note.code == "constant-score"] == [("a",)]
    assert "| 2 | a | 0.50 | – |" in table.to_markdown()


@pytest.mark.parametrize("field", ["score", "weight"])
def test_true_is_no_number(field: str) -> None:
    record = {"model_id": "a", "task_id": "t", "metric_name": "acc", "score": 0.5, field: True}
    with pytest.raises(rb.DataError, match=f"the {field} must be a finite number; got True"):
        rb.plain_table([record])


# --- differences, and scores by task ------------------------------------------------------------


def test_models_are_compared_on_the_tasks_that_both_have() -> None:
    rng = np.random.default_rng(4)
    rows = {f"t{i:02d}": dict(zip("abc", rng.random(3).tolist(), strict=True)) for i in range(14)}
    del rows["t00"]["a"], rows["t01"]["b"], rows["t02"]["b"]
    table = rb.plain_table(records(rows))
    assert [row.model_id for row in table.rows] == list(next(iter(table.scores.values())))
    assert np.isnan(table.scores["t01"]["b"])
    p = []
    for one in table.differences:
        shared = [row for row in rows.values() if {one.first, one.second} <= set(row)]
        first, second = ([row[name] for row in shared] for name in (one.first, one.second))
        found = stats.ttest_rel(first, second)
        assert one.tasks == len(shared)
        assert one.difference == pytest.approx(np.mean(first) - np.mean(second))
        assert (one.ci_lo, one.ci_hi) == pytest.approx(tuple(found.confidence_interval(0.95)))
        assert one.p == pytest.approx(found.pvalue)
        assert one.excludes_zero == (found.pvalue < 0.05)
        p.append(found.pvalue)
    smallest = min(table.differences, key=lambda one: one.p)
    assert smallest.p_holm == smallest.p_bonferroni == pytest.approx(min(1.0, 3 * min(p)))
    assert {one.tasks for one in table.differences} == {11, 12, 13}


def test_percentile_differences_resample_the_same_tasks_for_both() -> None:
    table = rb.plain_table(random_records(40), resamples=20_000)
    by_model = {
        name: np.array([r["score"] for r in random_records(40) if r["model_id"] == name])
        for name in "abc"
    }
    for one in table.differences:
        rows = by_model[one.first] - by_model[one.second]
        drawn = np.random.default_rng(1).choice(rows, size=(20_000, 40)).mean(axis=1)
        low, high = np.quantile(drawn, [0.025, 0.975])
        assert one.interval == "percentile"
        assert (one.ci_lo, one.ci_hi) == pytest.approx((low, high), abs=0.006)
        assert one.excludes_zero == (one.ci_lo > 0 or one.ci_hi < 0)
        assert one.p == pytest.approx(2 * min((drawn <= 0).mean(), (drawn >= 0).mean()), abs=0.02)


def test_pairs_that_nothing_can_be_said_of_have_no_interval() -> None:
    rows = {"x": {"a": 0.9, "b": 0.8}, "y": {"a": 0.5, "b": 0.4}, "z": {"a": 0.3, "c": 0.1}}
    found = {(one.first, one.second): one for one in rb.plain_table(records(rows)).differences}
    assert len(found) == 3
    for one in found.values():  # the same on both tasks; one task; none
        assert np.isnan([one.ci_lo, one.ci_hi, one.p, one.p_holm]).all()
        assert not one.excludes_zero
    assert sorted(one.tasks for one in found.values()) == [0, 1, 2]


def test_differences_of_very_many_models_are_left_out() -> None:
    rows = {task: {f"m{i:03d}": i / 200 for i in range(101)} for task in "xyz"}
    table = rb.plain_table(records(rows))
    assert table.differences == ()
    assert "many-pairs" in [note.code for note in table.notes]


def test_differences_and_scores_read_as_tables() -> None:
    table = rb.plain_table(lesson_records())
    pairs, scores = table.pairs_to_markdown(), table.scores_to_markdown()
    assert (
        pairs.splitlines()[2] == "| amber − birch | +0.010 | -0.017 to +0.037 | 12 | no | 0.430 |"
    )
    assert scores.splitlines()[0] == "| Task | amber | birch | cobalt |"
    assert len(scores.splitlines()) == 14
    plain = json.loads(table.to_json())
    assert [one["excludes_zero"] for one in plain["differences"]] == [False, True, True]
    assert len(plain["scores"]["task 01"]) == 3


def test_the_lesson_is_made_by_its_seed() -> None:
    assert lesson_records() == lesson_records(0) != lesson_records(1)
    runs = [rb.EvalRun(**record) for record in lesson_records()]
    assert rb.plain_table(runs) == rb.plain_table(lesson_records())
    assert all(isinstance(row, rb.LeaderboardRow) for row in rb.plain_table(runs).rows)
