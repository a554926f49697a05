"""Matrices: their orientation comes from the first header cell or a declaration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tablefiles import codes, message, pandas_frame, read_columns

import rankbars as rb
from rankbars.data.evidence import Estimates, Folds, Items


def read_text(folder: Path, text: str, name: str = "results.csv", **options: Any) -> rb.Scores:
    path = folder / name
    path.write_text(text)
    return rb.read(path, **options)


def test_items_by_models() -> None:
    scores = read_columns({"question": ["q2", "q1"], "x": [1, 0], "a": [0.5, None]})
    (items,) = scores.tasks.values()
    assert isinstance(items, Items)
    assert items.models == ("a", "x")
    assert items.ids == ("q1", "q2")
    np.testing.assert_array_equal(items.values, [[np.nan, 0.0], [0.5, 1.0]])


def test_a_number_may_name_the_items() -> None:
    scores = read_columns({"question": [2, 10, 1], "a": [0.5, 0.25, 1.0], "b": [0, 1, 0]})
    assert scores.models == ("a", "b")
    assert scores.tasks["all"].ids == ("1", "2", "10")


def test_messages_about_frames_speak_python() -> None:
    columns = {"algo": ["x", "x", "y", "y"], "env": ["A", "B"] * 2, "ret": [1.5, 0.2, 2.5, 0.1]}
    with pytest.raises(rb.DataError, match="how to read") as caught:
        read_columns(columns)
    said = "columns={'model': 'algo', 'task': 'env', 'score': 'ret'}"
    assert f"rb.Scores.from_frame(frame, {said})." in str(caught.value)
    assert "--" not in str(caught.value)
    named = {"model": "algo", "task": "env", "score": "ret"}
    with pytest.raises(rb.DataError, match="which side of 'ret' is better"):
        read_columns(columns, **named)
    assert read_columns(columns, direction="higher", **named).models == ("x", "y")


def test_zeros_and_ones_without_text_are_items_by_models() -> None:
    scores = read_columns({"x": [1, 0, 1], "a": [0, 0, 1]})
    assert scores.tasks["all"].ids == ("1", "2", "3")
    assert "row-order" in codes(scores)


def test_other_numbers_without_text_need_a_layout_or_what_rows_are() -> None:
    columns = {"x": [1.5, 0.2], "a": [0.1, 0.3]}
    line = r"rb\.Scores\.from_frame\(frame, rows='items', direction='lower' or 'higher'\)"
    with pytest.raises(rb.DataError, match=line):
        read_columns(columns)
    folds = read_columns(columns, rows="folds").tasks["all"]
    assert folds.design == Folds(repeats=1, folds=2, test_share=0.5)
    scores = read_columns(columns, layout="items-by-models")
    assert scores.tasks["all"].values.tolist() == [[0.1, 1.5], [0.3, 0.2]]


@pytest.mark.parametrize("corner", ["task", "dataset", "Benchmark", "Estimators:"])
def test_tasks_by_models(corner: str) -> None:
    scores = read_columns({corner: ["t", "u"], "b": [1.0, 2.0], "a": [3.0, None]})
    assert isinstance(scores.tasks["t"], Estimates)
    np.testing.assert_array_equal(scores.tasks["u"].mean, [np.nan, 2.0])


@pytest.mark.parametrize("corner", ["model", "Method", "Model/adapter", "name"])
def test_models_by_tasks(corner: str) -> None:
    scores = read_columns({corner: ["b", "a"], "t": [1.0, 2.0], "u": [3.0, 4.0]})
    assert scores.tasks["u"].mean.tolist() == [4.0, 3.0]
    assert scores.models == ("a", "b")


def test_helper_columns_are_left_out_with_a_note() -> None:
    columns = {
        "Rank": [1, 2], "Model": ["b", "a"], "Type": ["open", "closed"], "math": [1.0, 2.0],
        "code": [3.0, 4.0], "Average": [2.0, 3.0], "#Params (B)": [7, 70], "notes": ["x", "y"],
    }  # fmt: skip
    scores = read_columns(columns)
    assert list(scores.tasks) == ["code", "math"]
    assert "'Average'" in message(scores, "columns")
    assert "'notes'" in message(scores, "columns")


def test_pairs_of_columns_are_scores_and_standard_errors() -> None:
    columns = {"model": ["a", "b"], "acc": [0.5, 0.7], "acc_stderr": [0.1, 0.2]}
    task = read_columns(columns).tasks["acc"]
    assert isinstance(task, Estimates)
    assert task.se is not None
    assert task.se.tolist() == [0.1, 0.2]
    with pytest.raises(rb.DataError, match="'f1' has none"):
        read_columns({**columns, "f1": [0.1, 0.2]})


def test_columns_of_a_task_matrix_may_describe_the_tasks() -> None:
    columns = {
        "dataset": ["t", "u"], "metric": ["rmse", "acc"], "category": ["x", "y"],
        "weight": [2, 1], "a": [1.0, 2.0], "b": [3.0, 4.0],
    }  # fmt: skip
    scores = read_columns(columns, direction={"rmse": "lower"})
    assert scores.tasks["t"].mean.tolist() == [-1.0, -3.0]
    assert scores.info["t"].category == "x"
    assert scores.info["t"].weight == 2.0
    assert scores.models == ("a", "b")


def test_one_file_per_model(tmp_path: Path) -> None:
    for name, shift in (("net_rmse", 0.0), ("tree_rmse", 1.0)):
        rows = "".join(
            f"{task},{','.join(str(k + shift) for k in range(10))}\n" for task in ("t", "u")
        )
        (tmp_path / f"{name}.csv").write_text(f"folds:,{','.join(map(str, range(10)))}\n{rows}")
    with pytest.raises(rb.DataError, match="--direction rmse=lower"):
        rb.read(tmp_path)
    scores = rb.read(tmp_path, direction={"rmse": "lower"})
    assert scores.models == ("net", "tree")
    assert scores.info["t"].metric == "rmse"
    task = scores.tasks["t"]
    assert isinstance(task, Items)
    assert task.design == Folds(1, 10)
    assert task.values[9].tolist() == [-9.0, -10.0]
    assert "name-from-file" in codes(scores)


def test_files_named_after_a_metric_beside_others(tmp_path: Path) -> None:
    for name in ("net_rmse", "tree_rmse"):
        (tmp_path / f"{name}.csv").write_text("folds:,0,1,2\nt,1,2,3\nu,2,3,4\n")
    (tmp_path / "other.csv").write_text("task,net,tree\nv,0.5,0.25\n")
    with pytest.raises(rb.DataError, match="--direction rmse=lower"):
        rb.read(tmp_path)
    with pytest.raises(rb.DataError, match="--direction rmse=lower"):
        rb.read(tmp_path / "net_rmse.csv")
    assert rb.read(tmp_path / "net_rmse.csv", direction="lower").models == ("net",)


@pytest.mark.parametrize("cell", ["93.5 ± 0.4", "98.6/99.2", "12.3 or 12.5", "0.5 (0.1)", "n=7"])
def test_decorated_cells_are_refused_by_name(tmp_path: Path, cell: str) -> None:
    text = f"model,math,code\na,1.5,2.5\nb,{cell},3.5\n"
    with pytest.raises(rb.DataError, match="row 3, column 'math'") as caught:
        read_text(tmp_path, text)
    assert cell in str(caught.value)


def test_cells_that_say_nothing_are_missing() -> None:
    columns = {"model": list("abcdef"), "t": ["1", "-", "—", "N/A", "nan", ""]}
    mean = read_columns({**columns, "u": [1.0] * 6}).tasks["t"].mean
    np.testing.assert_array_equal(mean, [1.0] + [np.nan] * 5)


def test_an_unnamed_index_is_left_out_if_it_numbers_the_rows(tmp_path: Path) -> None:
    scores = read_text(tmp_path, ",model,math,code\n0,a,1,2\n1,b,3,4\n")
    assert list(scores.tasks) == ["code", "math"]


def test_rows_under_a_header_cell_without_a_name_are_models_and_a_note_says_so(
    tmp_path: Path,
) -> None:
    scores = read_text(tmp_path, ",math,code\na,1,2.5\nb,3,4\n")
    assert scores.models == ("a", "b")
    assert list(scores.tasks) == ["code", "math"]
    assert "--layout tasks-by-models" in next(
        note.message for note in scores.notes if note.code == "unnamed-rows"
    )


def test_rights_and_wrongs_under_a_header_cell_without_a_name_are_asked_about(
    tmp_path: Path,
) -> None:
    with pytest.raises(rb.ReadError, match=r"first column has no name.*--layout models-by-items"):
        read_text(tmp_path, ",math,code\na,1,0\nb,0,1\n")


@pytest.mark.parametrize("name", ["Mean", "average", "Avg.", "Overall", "median", "std"])
def test_rows_and_columns_that_summarise_the_others_are_left_aside(
    tmp_path: Path, name: str
) -> None:
    models = read_text(tmp_path, f"model,math,code,{name}\na,1,2.5,2\nb,3,4,4\n{name},2,3,3\n")
    tasks = read_text(tmp_path, f"task,a,b,{name}\nmath,1,3,2\ncode,2.5,4,3\n{name},2,4,3\n")
    for scores in (models, tasks):
        assert scores.models == ("a", "b")
        assert list(scores.tasks) == ["code", "math"]
        assert scores.tasks["code"].mean.tolist() == [2.5, 4.0]
        (note,) = (note for note in scores.notes if note.code == "summaries")
        assert repr(name) in note.message


@pytest.mark.parametrize(
    ("cells", "numbers", "said"),
    [
        (("1,284", "987"), [1284.0, 987.0], "commas between thousands"),
        (("61.2*", "55.0†"), [61.2, 55.0], "marks behind a value"),
        (("pass", "Fail"), [1.0, 0.0], "pass counts as 1"),
    ],
)
def test_usual_spellings_of_numbers_are_read_and_told(
    tmp_path: Path, cells: tuple[str, str], numbers: list[float], said: str
) -> None:
    one, two = cells
    scores = read_text(tmp_path, f'model,math\na,"{one}"\nb,"{two}"\n')
    assert scores.tasks["math"].mean.tolist() == numbers
    assert said in next(note.message for note in scores.notes if note.code == "spelling")


def test_the_index_of_a_pandas_frame_is_a_column() -> None:
    frame = pandas_frame({"math": [1.0, 2.0], "code": [3.0, 4.0]})
    frame.index = ["a", "b"]
    with pytest.raises(rb.DataError, match="does not say how to read"):
        rb.Scores.from_frame(frame)
    assert rb.Scores.from_frame(frame, layout="models-by-tasks").models == ("a", "b")
    assert rb.Scores.from_frame(frame.rename_axis("model")).models == ("a", "b")


def test_several_header_rows_are_joined(tmp_path: Path) -> None:
    text = "regime,1000,1000,full\ndataset,A,B,A\nmethod,,,\nx,1,2,3\n"
    assert list(read_text(tmp_path, text).tasks) == ["1000_A", "1000_B", "full_A"]


def test_a_row_of_names_below_a_name_that_stands_twice_is_shown(tmp_path: Path) -> None:
    text = "model,A,A\nx,low,high\ny,low,low\n"
    with pytest.raises(rb.ReadError, match=r"several header rows.*model, A.*x, low"):
        read_text(tmp_path, text)


def test_a_header_that_is_one_cell_short_is_declined(tmp_path: Path) -> None:
    with pytest.raises(rb.ReadError, match="as R writes it"):
        read_text(tmp_path, "math,code\na,1,2\nb,3,4\n")


def test_a_model_column_with_a_score_and_more_numbers_can_be_read_in_two_ways() -> None:
    columns = {"model": ["a", "b"], "score": [1.0, 2.0], "math": [3.0, 4.0]}
    with pytest.raises(rb.DataError, match=r"layout='models-by-tasks'.*layout='tidy'"):
        read_columns(columns)
    assert list(read_columns(columns, layout="tidy").tasks) == ["all"]
    assert list(read_columns(columns, layout="models-by-tasks").tasks) == ["math"]


def test_rows_that_stand_twice_in_a_matrix_are_refused() -> None:
    with pytest.raises(rb.DataError, match="model 'x', task 'all', item '1' has 2 rows"):
        read_columns({"item": ["1", "1"], "x": [1, 0], "y": [0, 0]})


def test_a_key_that_only_occurs_late_is_a_column_of_the_matrix(tmp_path: Path) -> None:
    rows = [{"item": i, "a": 1.0} for i in range(1100)] + [{"item": 1100, "a": 0.0, "b": 1.0}]
    path = tmp_path / "results.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert rb.read(path).models == ("a", "b")


def test_a_wide_parquet_file_of_many_blocks_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    frame = pandas_frame({
        "item": [f"i{i}" for i in range(50)], "ash": rng.random(50), "birch": rng.random(50)
    })  # fmt: skip
    frame.to_parquet(tmp_path / "wide.parquet")
    whole = rb.read(tmp_path / "wide.parquet").tasks["wide"]
    monkeypatch.setattr("rankbars.tables.unitedrows.BLOCK_ROWS", 7)
    parts = rb.read(tmp_path / "wide.parquet").tasks["wide"]
    assert isinstance(whole, Items)
    assert isinstance(parts, Items)
    assert parts.ids == whole.ids
    np.testing.assert_array_equal(parts.values, whole.values)
    np.testing.assert_array_equal(np.sort(whole.values[:, 0]), np.sort(frame["ash"]))


def test_a_question_about_many_columns_has_the_whole_line_to_paste(tmp_path: Path) -> None:
    names = [f"accuracy_{k}" for k in range(30)] + [f"latency_ms_{k}" for k in range(30)]
    rows = [f"m{r}," + ",".join(["0.5"] * 30 + [str(900 + r)] * 30) for r in range(3)]
    with pytest.raises(rb.DataError, match="Say which are scores: ") as asked:
        read_text(tmp_path, "\n".join([f"model,{','.join(names)}", *rows]))
    assert str(asked.value).count("--metric accuracy_") == 30
    assert "--metric latency" not in str(asked.value)
    assert "…" not in str(asked.value)


@pytest.mark.parametrize(
    "name", ["item", "question", "question_id", "id", "idx", "qid", "sample_id", "row"]
)
@pytest.mark.parametrize("ids", [[1, 2, 3, 1, 2, 3], ["q1", "q2", "q3", "q1", "q2", "q3"]])
@pytest.mark.parametrize("first", ["dataset", "item"])
def test_items_beside_a_column_of_tasks_are_items_of_each_task(
    name: str, ids: list[object], first: str
) -> None:
    task = {"dataset": ["math"] * 3 + ["law"] * 3}
    rows = {**task, name: ids} if first == "dataset" else {name: ids, **task}
    scores = read_columns({**rows, "x": [1, 0, 1, 0, 0, 1], "a": [0.5, 0, 1, 1, 0, 1]})
    assert scores.models == ("a", "x")
    assert sorted(scores.tasks) == ["law", "math"]
    assert scores.tasks["math"].ids == tuple(map(str, ids[:3]))
    assert scores.tasks["math"].values.tolist() == [[0.5, 1], [0, 0], [1, 1]]


def test_named_columns_of_a_matrix_count() -> None:
    columns = {"Q": ["1", "2", "1"], "D": ["math", "math", "law"], "x": [1, 0, 1], "a": [0, 1, 1]}
    said = {"layout": "items-by-models", "task": "D", "item": "Q"}
    scores = read_columns(columns, **said)
    assert scores.models == ("a", "x")
    assert {name: task.ids for name, task in scores.tasks.items()} == {
        "math": ("1", "2"), "law": ("1",)
    }  # fmt: skip
    with pytest.raises(rb.DataError, match="the cells hold the scores, so the column 'x' cannot"):
        read_columns(columns, **said, score="x")
    with pytest.raises(rb.DataError, match="there is no column 'E' to be the task"):
        read_columns(columns, **said | {"task": "E"})


def test_an_id_beside_tasks_that_stand_once_is_no_model() -> None:
    columns = {"task": ["math", "law", "art"], "id": [1, 2, 3], "a": [0.5, 0.2, 1], "b": [0, 1, 0]}
    scores = read_columns(columns)
    assert scores.models == ("a", "b")
    assert "no-models" in codes(scores)


@pytest.mark.parametrize("model", ["Algorithm", "model", "classifier"])
def test_a_row_per_model_data_set_and_fold_is_no_matrix(model: str) -> None:
    rows = [(m, d, k) for m in ("gb", "rf") for d in ("car", "iris") for k in range(5)]
    names, data, folds = zip(*rows, strict=True)
    share = np.random.default_rng(1).random(len(rows)).tolist()
    columns = {model: names, "Data": data, "cv": folds, "ACC": share}
    said = {"model": model, "task": "Data", "fold": "cv", "score": "ACC"}
    for shown in (columns, {name: columns[name] for name in ("Data", model, "cv", "ACC")}):
        with pytest.raises(rb.DataError, match=r"'Data' tells them apart") as asked:
            read_columns(shown)
        assert f"columns={said!r}" in str(asked.value)
    found = rb.Scores.from_frame(pandas_frame(columns), columns=said)
    assert list(found.tasks) == ["car", "iris"]
    assert found.tasks["car"].design == Folds(1, 5, 0.2)  # type: ignore[union-attr]
    with pytest.raises(rb.DataError, match="'cv' tells them apart"):
        read_columns({name: cells[:5] * 2 if name == "cv" else [*cells[:5], *cells[10:15]]
                      for name, cells in columns.items() if name != "Data"})  # fmt: skip


def test_cv_beside_models_and_data_sets_numbers_folds() -> None:
    rows = [(m, d, k) for m in ("gb", "rf") for d in ("car", "iris") for k in range(5)]
    names, data, folds = zip(*rows, strict=True)
    share = np.random.default_rng(1).random(len(rows)).tolist()
    found = read_columns({"Method": names, "dataset_name": data, "cv": folds, "Acc": share})
    assert found.tasks["car"].design == Folds(1, 5, 0.2)  # type: ignore[union-attr]
    assert "names the folds" in message(found, "paired-by")
