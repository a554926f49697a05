"""What a row of a task is: items, folds, runs, several answers to one item."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tablefiles import codes, message, pandas_frame, read_columns

import rankbars as rb
from rankbars.data.evidence import Estimates, Folds, Items


def grid(**axes: Any) -> dict[str, list[Any]]:
    """One row per combination; the score counts up."""
    rows = list(product(*axes.values()))
    columns = {name: [row[i] for row in rows] for i, name in enumerate(axes)}
    return {**columns, "score": [float(i) for i in range(len(rows))]}


def only(scores: rb.Scores) -> Items:
    (evidence,) = scores.tasks.values()
    assert isinstance(evidence, Items)
    return evidence


def test_a_fold_column_means_cross_validation_even_beside_an_item_column() -> None:
    columns = grid(model=["a", "b"], task=["t"], fold=range(5))
    columns["id"] = ["openml/1"] * 10
    scores = read_columns(columns)
    assert only(scores).design == Folds(1, 5)
    assert only(scores).ids == ("0", "1", "2", "3", "4")
    assert "columns-ignored" in codes(scores)


def test_repeat_and_fold_together_name_a_row_and_nothing_is_averaged() -> None:
    scores = read_columns(grid(model=["a", "b"], task=["t"], repeat=range(4), fold=range(3)))
    assert only(scores).design == Folds(repeats=4, folds=3, test_share=1 / 3)
    assert only(scores).n == 12
    assert only(scores).answers is None
    assert only(scores).ids is not None
    assert only(scores).ids[:4] == ("0:0", "0:1", "0:2", "1:0")


def test_folds_in_an_item_column_are_declared() -> None:
    columns = grid(model=["a", "b"], task=["t"], item=range(9))
    scores = read_columns(columns, rows="folds", folds=3)
    assert only(scores).design == Folds(repeats=3, folds=3)
    assert read_columns(columns, rows="folds").tasks["t"].design == Folds(1, 9)
    declared = read_columns(columns, rows="folds", folds=3, test_share=0.2)
    assert only(declared).design == Folds(3, 3, 0.2)


def test_rows_are_in_numeric_order_where_they_are_numbers() -> None:
    scores = read_columns(grid(model=["a"], task=["t"], item=["10", "9", "100"]))
    assert only(scores).ids == ("9", "10", "100")


def test_missing_folds_do_not_change_the_share_of_test_data() -> None:
    columns = grid(model=["a", "b"], task=["t", "u", "v"], fold=range(10))
    keep = [
        i
        for i in range(len(columns["score"]))
        if columns["task"][i] != "v" or columns["fold"][i] in (0, 3, 5, 9)
    ]
    scores = read_columns({name: [values[i] for i in keep] for name, values in columns.items()})
    assert scores.tasks["v"].n == 4
    assert scores.tasks["v"].design == Folds(1, 10)


def test_tasks_may_have_different_numbers_of_folds() -> None:
    nine = grid(model=["a", "b"], task=["t"], fold=range(9))
    thirty = grid(model=["a", "b"], task=["u"], fold=range(30))
    columns = {name: nine[name] + thirty[name] for name in nine}
    scores = read_columns(columns, folds=3)
    assert scores.tasks["t"].design == Folds(3, 3)
    assert scores.tasks["u"].design == Folds(10, 3)
    assert "maybe-folds" not in codes(scores)


def test_folds_that_are_no_whole_repeats_are_refused() -> None:
    with pytest.raises(rb.DataError, match=r"10 folds are not whole repeats of 3"):
        read_columns(grid(model=["a"], task=["t"], fold=range(10)), folds=3)


def test_a_seed_beside_the_fold_is_the_repeat_only_where_folds_repeat() -> None:
    crossed = read_columns(grid(model=["a", "b"], task=["t"], seed=[1, 2], fold=range(5)))
    assert only(crossed).design == Folds(2, 5)
    columns = grid(model=["a", "b"], task=["t"], fold=range(5))
    columns["seed"] = list(range(10))
    assert only(read_columns(columns)).design == Folds(1, 5)


def test_random_resamples_need_the_share_of_test_data() -> None:
    columns = grid(model=["a", "b"], task=["t"], resample=range(30))
    with pytest.raises(rb.DataError, match=r"test_share=0\.3"):
        read_columns(columns)
    assert only(read_columns(columns, test_share=0.3)).design == Folds(1, 30, 0.3)
    assert only(read_columns(columns, rows="items")).design == "items"


def test_a_single_fold_is_one_score_per_model() -> None:
    scores = read_columns(grid(model=["a", "b"], task=["t", "u"], fold=[0]))
    assert all(isinstance(task, Estimates) for task in scores.tasks.values())
    assert "no-uncertainty" in codes(scores)


def test_seeds_without_items_are_training_runs() -> None:
    scores = read_columns(grid(model=["a", "b"], task=["t"], seed=[3, 1, 2]))
    assert only(scores).design == "runs"
    assert only(scores).ids == ("1", "2", "3")
    assert "over training runs only" in message(scores, "runs")


def test_answers_to_one_item_are_averaged_and_counted() -> None:
    columns = {
        "model": ["a", "a", "a", "b", "b", "b"],
        "item": ["1", "1", "2", "1", "1", "2"],
        "epoch": [1, 2, 1, 1, 2, 1],
        "score": [1.0, 0.0, 1.0, None, 1.0, None],
    }
    scores = read_columns(columns)
    np.testing.assert_array_equal(only(scores).values, [[0.5, 1.0], [1.0, np.nan]])
    answers = only(scores).answers
    assert answers is not None
    assert answers.tolist() == [[2, 1], [1, 0]]
    assert "answers-averaged" in codes(scores)
    coverage = scores.info["all"].coverage
    assert coverage is not None
    assert coverage.scored.tolist() == [2, 1]
    assert coverage.unscored.tolist() == [0, 1]


def test_a_sample_without_an_item_column_is_an_item() -> None:
    assert only(read_columns(grid(model=["a", "b"], sample=range(7)))).design == "items"


def test_rows_can_be_declared_as_items_or_runs() -> None:
    folds = grid(model=["a", "b"], task=["t"], fold=range(5))
    assert only(read_columns(folds, rows="items")).design == "items"
    items = grid(model=["a", "b"], task=["t"], item=range(5))
    assert only(read_columns(items, rows="runs")).design == "runs"


def test_runs_crossed_with_items_can_be_the_rows() -> None:
    scores = read_columns(grid(model=["a", "b"], item=[1, 2], seed=[1, 2, 3]), rows="runs")
    assert only(scores).design == "runs"
    assert only(scores).n == 3
    # Scores of a: item 1 has 0, 1, 2 and item 2 has 3, 4, 5 over the three seeds.
    assert only(scores).values[:, 0].tolist() == [1.5, 2.5, 3.5]


@pytest.mark.parametrize("rows", [3, 5, 9, 10, 30])
def test_suspicious_numbers_of_rows_raise_the_question_of_folds(rows: int) -> None:
    columns = grid(model=["a", "b"], task=["t", "u"], item=range(rows))
    assert "maybe-folds" in codes(read_columns(columns))
    assert "maybe-folds" not in codes(read_columns(columns, rows="items"))


def test_other_numbers_of_rows_raise_no_question() -> None:
    assert "maybe-folds" not in codes(read_columns(grid(model=["a", "b"], item=range(11))))


def test_rows_without_a_name_are_summarised_model_by_model() -> None:
    columns = {"model": ["a"] * 4 + ["b"] * 2, "score": [1, 2, 3, 6, 5, 5]}
    scores = read_columns(columns)
    (estimates,) = scores.tasks.values()
    assert isinstance(estimates, Estimates)
    assert estimates.mean.tolist() == [3.0, 5.0]
    # Variance of 1, 2, 3, 6 is 14/3; over 4 rows the standard error is sqrt(14/12).
    np.testing.assert_allclose(estimates.se, [np.sqrt(14 / 12), 0.0], rtol=1e-14)
    assert estimates.n is not None
    assert estimates.n.tolist() == [4, 2]
    assert "unpaired" in codes(scores)


def test_rows_without_a_name_are_paired_by_position_on_request() -> None:
    columns = {"model": ["a", "b", "a", "b"], "score": [1, 2, 3, 4]}
    assert only(read_columns(columns, rows="items")).values.tolist() == [[1, 2], [3, 4]]
    with pytest.raises(rb.DataError, match="'a' has 2 rows, model 'b' has 1"):
        read_columns({"model": ["a", "b", "a"], "score": [1, 2, 3]}, rows="items")


def test_an_id_that_only_numbers_the_rows_is_no_item() -> None:
    columns = {
        "id": [1, 2, 3, 4], "model": ["a", "b", "a", "b"], "task": ["t", "t", "u", "u"],
        "score": [1, 2, 3, 4],
    }  # fmt: skip
    scores = read_columns(columns)
    assert all(isinstance(task, Estimates) for task in scores.tasks.values())
    named = read_columns(columns, item="id")
    assert all(isinstance(task, Items) for task in named.tasks.values())


def test_clusters_belong_to_rows() -> None:
    columns = grid(model=["a", "b"], item=range(4))
    columns["passage"] = ["p", "p", "q", "r"] * 2
    assert only(read_columns(columns)).clusters.tolist() == [0, 0, 1, 2]
    columns["passage"][5] = "q"
    with pytest.raises(rb.DataError, match=r"row 6 \(model 'b'.*two clusters"):
        rb.Scores.from_frame(pandas_frame(columns), columns={"cluster": "passage"})


@pytest.mark.parametrize("cluster", ["doc_id", "document", "repo"])
def test_items_that_are_named_anew_in_each_cluster_are_other_items(cluster: str) -> None:
    item = "seg_id" if cluster == "doc_id" else "item"
    anew = grid(system=["a", "b"], **{cluster: ["x", "y", "z"], item: range(2)})
    through = {**anew, item: [*range(6), *range(6)]}
    for columns in (anew, through):
        found = only(read_columns(columns))
        assert found.values.tolist() == [[0, 6], [1, 7], [2, 8], [3, 9], [4, 10], [5, 11]]
        assert found.clusters is not None
        assert found.clusters.tolist() == [0, 0, 1, 1, 2, 2]
    assert only(read_columns(anew)).ids == ("x:0", "x:1", "y:0", "y:1", "z:0", "z:1")
    assert "numbered-anew" in codes(read_columns(anew))
    assert "numbered-anew" not in codes(read_columns(through))
    twice = {name: [*cells, cells[0]] for name, cells in anew.items()}
    with pytest.raises(rb.DataError, match="cluster and item 'x:0' has 2 rows"):
        read_columns(twice)


def test_items_that_stand_in_several_groups_are_not_taken_for_several_items() -> None:
    with pytest.raises(rb.DataError, match="item '0' has 2 rows"):
        read_columns(grid(model=["a", "b"], group=["de", "fr"], item=range(4)))


def test_weights_belong_to_rows_or_to_the_task() -> None:
    columns = grid(model=["a", "b"], task=["t"], item=range(2))
    rows = read_columns({**columns, "weight": [1.0, 3.0, 1.0, 3.0]})
    assert only(rows).weights is not None
    assert only(rows).weights.tolist() == [1.0, 3.0]
    assert rows.info["t"].weight == 1.0
    task = read_columns({**columns, "weight": [2.0] * 4})
    assert only(task).weights is None
    assert task.info["t"].weight == 2.0
    with pytest.raises(rb.DataError, match="two weights"):
        read_columns({**columns, "weight": [1.0, 3.0, 1.0, 4.0]})
    with pytest.raises(rb.DataError, match="must be above 0"):
        read_columns({**columns, "weight": [0.0, 3.0, 0.0, 3.0]})


def test_errors_unscored_rows_and_absences_are_counted_apart() -> None:
    columns = {
        "model": ["a", "a", "a", "b", "b", "c"],
        "item": ["1", "2", "3", "1", "2", "3"],
        "score": [1.0, None, None, 0.0, None, 1.0],
        "failure": [None, "out of memory", None, None, None, None],
    }
    coverage = read_columns(columns).info["all"].coverage
    assert coverage is not None
    assert coverage.expected == 3
    assert coverage.scored.tolist() == [1, 1, 1]
    assert coverage.errors.tolist() == [1, 0, 0]
    assert coverage.unscored.tolist() == [1, 1, 0]
    assert coverage.missing.tolist() == [0, 1, 2]


def test_a_status_column_decides() -> None:
    columns = {
        "model": ["a"] * 5, "item": range(5), "score": [1.0, 0.0, 0.0, 1.0, 1.0],
        "status": ["scored", "error", "unscored", "missing", "excluded"],
    }  # fmt: skip
    scores = read_columns(columns)
    coverage = scores.info["all"].coverage
    assert coverage is not None
    assert only(scores).n == 4
    counts = [getattr(coverage, name)[0] for name in ("scored", "errors", "unscored", "missing")]
    assert counts == [1, 1, 1, 1]
    assert "1 excluded rows" in message(scores, "left-out")
    columns["status"] = ["scored", "lost", "scored", "scored", "scored"]
    with pytest.raises(rb.DataError, match=r"'lost'.*Known: scored, unscored, error, missing"):
        read_columns(columns)


def test_imputed_scores_count_as_missing() -> None:
    columns = grid(model=["a", "b"], task=["t"], item=range(2))
    columns["imputed"] = [False, True, False, False]
    scores = read_columns(columns)
    assert np.isnan(only(scores).values[1, 0])
    assert "1 imputed scores" in message(scores, "left-out")
    kept = rb.Scores.from_frame(pandas_frame(columns), columns={"imputed": ""})
    assert not np.isnan(only(kept).values).any()


def test_empty_rows_at_the_end_are_left_out() -> None:
    columns = grid(model=["a", "b"], item=range(2))
    columns = {name: [*values, None, None] for name, values in columns.items()}
    scores = read_columns(columns)
    assert only(scores).n == 2
    assert "2 empty rows" in message(scores, "left-out")


def test_a_column_that_only_looks_like_clusters_is_left_aside() -> None:
    columns = grid(model=["a", "b"], item=range(4))
    for repo in (["r"] * 8, ["x"] * 4 + ["y"] * 4, ["p", None] * 4):
        scores = read_columns({**columns, "repo": repo})
        assert only(scores).clusters is None
        assert "'repo'" in message(scores, "columns-ignored")
    named = pandas_frame({**columns, "repo": ["p", None] * 4})
    with pytest.raises(rb.DataError, match="the cluster is empty"):
        rb.Scores.from_frame(named, columns={"cluster": "repo"})


def test_uncertainties_beside_single_rows_are_left_aside() -> None:
    columns = grid(model=["a", "b"], item=range(4))
    scores = read_columns({**columns, "se": [0.1] * 8, "n": [5] * 8})
    assert "'se', 'n'" in message(scores, "columns-ignored")


def test_trials_beside_tasks_are_told_to_be_answers_if_they_are(tmp_path: Path) -> None:
    path = tmp_path / "agents.csv"
    rows = [
        f"{agent},t{task},{trial},{(task + trial) % 2}"
        for agent, task, trial in product("ab", range(4), range(3))
    ]
    path.write_text("\n".join(["agent,task,trial,success", *rows]))
    told = " ".join(note.message for note in rb.read(path).notes if note.code == "runs")
    assert "--column task= --column item=task." in told
    items = rb.read(path, columns={"item": "task", "task": ""})
    (evidence,) = items.tasks.values()
    assert evidence.values.shape == (4, 2)


@pytest.mark.parametrize("numbered", ["sample", "attempt", "trial", "try", "rollout"])
def test_answers_that_a_column_numbers_are_one_item_with_their_mean(
    tmp_path: Path, numbered: str
) -> None:
    rng = np.random.default_rng(7)
    right = rng.random((30, 3, 2)) < [0.4, 0.7]
    rows = [f"{i},{k},{m},{int(right[i, k, j])}\n"
            for i in range(30) for k in range(3) for j, m in enumerate("ab")]  # fmt: skip
    path = tmp_path / "r.csv"
    path.write_text(f"item,{numbered},model,score\n{''.join(rows)}", encoding="utf-8")
    (task,) = rb.read(path).tasks.values()
    assert isinstance(task, rb.Items)
    assert task.kind == "items"
    assert task.values == pytest.approx(right.mean(axis=1))
    means = rb.Scores.from_arrays({"r": right.mean(axis=1)}, ["a", "b"])
    one, two = (rb.leaderboard(scores).tasks["r"] for scores in (rb.read(path), means))
    assert (one.n, one.test) == (two.n, two.test) == (30, "t")
    assert one.se == pytest.approx(two.se)
    assert (one.best == two.best).all()
