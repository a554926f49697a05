"""Wrong input gets one message that names the place, what was expected and what to do."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tablefiles import TABLES, read_columns, write_parquet

import rankbars as rb

GOOD = "model,task,item,score\na,t,1,1\na,t,2,0\nb,t,1,1\nb,t,2,1\n"


def write(folder: Path, content: str | bytes, name: str = "results.csv") -> Path:
    path = folder / name
    if isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    else:
        path.write_bytes(content)
    return path


def refusal(path: Path, **options: Any) -> str:
    with pytest.raises(rb.DataError) as caught:
        rb.read(path, **options)
    text = str(caught.value)
    assert path.name in text
    assert "Traceback" not in text
    return text


def test_a_row_that_stands_twice(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, GOOD + "b,t,2,0\n"))
    assert "row 5" in text
    assert "row 6" in text
    assert "model 'b', task 't', item '2' has 2 rows" in text
    assert "--column epoch=NAME" in text


def test_the_same_answer_numbered_twice(tmp_path: Path) -> None:
    path = write(tmp_path, "model,item,epoch,score\na,1,1,1\na,1,1,1\na,1,2,0\n")
    assert "has 2 rows" in refusal(path)


def test_text_in_the_score_column(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, GOOD.replace("b,t,1,1", "b,t,1,oops")))
    assert "row 4 (model 'b', task 't', item '1')" in text
    assert "score 'oops' in column 'score' is not a number" in text
    assert "Expected a number" in text


def test_decimal_commas_are_named_where_semicolons_do_not_separate_the_cells(
    tmp_path: Path,
) -> None:
    text = refusal(write(tmp_path, 'model,item,score\na,1,"0,5"\n'))
    assert "'0,5'" in text
    assert "decimal mark" in text


def test_decimal_commas_are_read_between_semicolons(tmp_path: Path) -> None:
    scores = rb.read(write(tmp_path, "model;item;score\na;1;0,5\nb;1;1,284\n"))
    (task,) = scores.tasks.values()
    assert task.values.tolist() == [[0.5, 1.284]]


def test_decimal_commas_beside_points_are_refused(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, "model;item;score\na;1;0,5\nb;1;1.284\n"))
    assert "'score' holds numbers with a decimal comma and numbers with a point" in text


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (("ja", "nein"), "--word ja=pass --word nein=fail"),
        (("Non", "Oui"), "--word Non=fail --word Oui=pass"),
        (("ja", "ja"), "--word ja=pass"),
        (("gut", "schlecht"), "--word gut=pass --word schlecht=fail"),
    ],
)
def test_words_of_another_language_are_asked_about_with_lines_that_work(
    tmp_path: Path, words: tuple[str, str], lines: str
) -> None:
    rows = "".join(f"{i},{words[i % 2]}\n" for i in range(8))
    path = write(tmp_path, f"item,score\n{rows}", "a.csv")
    other = write(tmp_path, "item,score\n" + "".join(f"{i},{i % 2}\n" for i in range(8)), "b.csv")
    with pytest.raises(rb.DataError) as error:
        rb.read([path, other])
    assert f"as: {lines} (in Python: words=" in str(error.value)
    assert ("the other way round" in str(error.value)) == ("gut" in words)
    worth = [word for word in lines.split() if word != "--word"]
    (task,) = rb.read([path, other], words=worth).tasks.values()
    assert isinstance(task, rb.Items)
    right = [float(f"{word}=pass" in worth) for word in words] * 4
    assert task.values[:, 0].tolist() == right


def test_a_matrix_of_yes_and_no_in_another_language_is_asked_about(tmp_path: Path) -> None:
    path = write(tmp_path, "item,a,b\n1,ja,nein\n2,nein,nein\n")
    assert "--word ja=pass --word nein=fail" in refusal(path)
    assert "score them first" in refusal(write(tmp_path, "item,a,b\n1,A,B\n2,B,B\n", "x.csv"))


def test_the_score_that_is_proposed_is_a_column_without_a_role(tmp_path: Path) -> None:
    path = write(tmp_path, "wer,frage,punkte\na,q1,3\nb,q1,4\n")
    assert "--column score=punkte" in refusal(path, columns={"model": "wer"})


def values_of(path: Path, **options: Any) -> Any:
    (task,) = rb.read(path, **options).tasks.values()
    assert isinstance(task, rb.Items)
    return task.values.T.tolist()


def test_a_point_that_may_stand_between_thousands_is_asked_about(tmp_path: Path) -> None:
    path = write(tmp_path, "model;item;score\na;1;1.234\na;2;950\nb;1;980\nb;2;1.100\n")
    text = refusal(path)
    assert "such as '1.100' beside whole numbers below 1000" in text
    assert "thousands (1100): --decimal , (in" in text
    assert values_of(path, decimal=",") == [[1234, 950], [980, 1100]]
    assert values_of(path, decimal=".") == [[1.234, 950], [980, 1.1]]
    matrix = write(tmp_path, "item;a;b\n1;1.234;980\n2;950;1.100\n", "matrix.csv")
    assert "there are cells such as '1.234' beside whole numbers" in refusal(matrix)
    assert values_of(matrix, decimal=",", direction="higher") == [[1234, 950], [980, 1100]]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (("1.234", "2.345", "1.500"), True),  # nothing else says what the point is
        (("1.234", "0.950", "1.500"), False),
        (("1.234", "2.5", "950"), False),
        (("1.234", "1500", "950"), False),
    ],
)
def test_between_semicolons_a_point_is_a_decimal_mark_and_told_where_it_may_be_none(
    tmp_path: Path, cells: tuple[str, ...], said: bool
) -> None:
    rows = [f"{m};{i};{cell}\n" for m in "ab" for i, cell in enumerate(cells)]
    path = write(tmp_path, "model;item;score\n" + "".join(rows))
    assert values_of(path) == [[float(cell) for cell in cells]] * 2
    notes = [note.message for note in rb.read(path).notes if note.code == "spelling"]
    assert [("if it stands between thousands, --decimal ," in text) for text in notes] == [True] * (
        said
    )
    assert not [note for note in rb.read(path, decimal=".").notes if note.code == "spelling"]


@pytest.mark.parametrize("name", ["r.jsonl", "r.json", "r.parquet", "r.md"])
def test_a_decimal_comma_is_heeded_in_every_kind_of_file(tmp_path: Path, name: str) -> None:
    texts = {"model": ["a", "a", "b"], "item": ["1", "2", "1"], "score": ["0,5", "1.284", "2,25"]}
    rows = [dict(zip(texts, row, strict=True)) for row in zip(*texts.values(), strict=True)]
    path = tmp_path / name
    if name == "r.parquet":
        write_parquet(texts, tmp_path, "r")
    elif name == "r.md":
        lines = [" | ".join(row.values()) for row in rows]
        path.write_text("\n".join(["model | item | score", "--- | --- | ---", *lines, ""]))
    else:
        text = "\n".join(map(json.dumps, rows)) if name == "r.jsonl" else json.dumps(rows)
        path.write_text(text)
    assert "no number with a decimal point" in refusal(path)
    one, two = values_of(path, decimal=",")
    assert one == [0.5, 1284]
    assert two[0] == 2.25
    if name != "r.parquet":
        path.write_text(path.read_text().replace("1.284", "1.28"))
        said = "'1.28' in column 'score' is no number with a decimal comma"
        assert said in refusal(path, decimal=",")


def test_underscores_are_no_part_of_a_number(tmp_path: Path) -> None:
    assert "'1_000'" in refusal(write(tmp_path, GOOD.replace("b,t,1,1", "b,t,1,1_000")))


@pytest.mark.parametrize("cell", ["inf", "-Infinity", "1e999"])
def test_infinite_scores(tmp_path: Path, cell: str) -> None:
    text = refusal(write(tmp_path, GOOD.replace("b,t,1,1", f"b,t,1,{cell}")))
    assert "row 4 (model 'b', task 't', item '1'): the score is infinite" in text
    assert "leave the cell empty" in text


def test_an_infinite_score_in_a_frame() -> None:
    with pytest.raises(rb.DataError, match=r"row 2 \(model 'b'.*infinite"):
        read_columns({"model": ["a", "b"], "item": [1, 1], "score": [0.0, float("inf")]})


@pytest.mark.parametrize("name", ["results.csv", "results.parquet", "results.json", "x.jsonl"])
def test_an_empty_file(tmp_path: Path, name: str) -> None:
    assert "the file is empty" in refusal(write(tmp_path, b"", name))


def test_a_blank_file(tmp_path: Path) -> None:
    assert "holds no text" in refusal(write(tmp_path, "\n\n  \n"))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("results.csv", "model,task,item,score\n", "a header and no row below it"),
        ("results.json", "[]", "There is no record in it"),
    ],
)
def test_a_file_without_rows(tmp_path: Path, name: str, content: str, words: str) -> None:
    assert words in refusal(write(tmp_path, content, name))


def test_a_parquet_file_without_rows(tmp_path: Path) -> None:
    path = write_parquet({"model": [], "item": [], "score": []}, tmp_path)
    assert "header and no row" in refusal(path)


def test_a_csv_file_cut_off_inside_a_row(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, GOOD[:-5]))
    assert "row 5" in text
    assert "2 cells, the header has 4" in text
    assert "cut off" in text


def test_a_row_of_the_wrong_width_in_the_middle(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, GOOD.replace("a,t,2,0", "a,t,2,0,9")))
    assert "row 3: the row has 5 cells, the header has 4" in text


def test_a_quotation_mark_that_is_never_closed(tmp_path: Path) -> None:
    assert "never closed" in refusal(write(tmp_path, GOOD + '"b,t,3,1\n'))


def test_a_csv_file_cut_off_after_a_comma_is_noted(tmp_path: Path) -> None:
    scores = rb.read(write(tmp_path, GOOD[:-2]))
    assert "open-end" in [note.code for note in scores.notes]
    assert "open-end" not in [note.code for note in rb.read(write(tmp_path, GOOD)).notes]


def test_a_json_lines_file_cut_off(tmp_path: Path) -> None:
    lines = '{"model": "a", "item": 1, "score": 1}\n{"model": "b", "it'
    text = refusal(write(tmp_path, lines, "results.jsonl"))
    assert "row 2" in text
    assert "cut off" in text


def test_a_json_file_cut_off(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, '[{"model": "a", "item": 1, "score": 1}, {"mo', "results.json"))
    assert "cut off" in text


def test_a_line_that_is_not_json(tmp_path: Path) -> None:
    lines = '{"model": "a", "item": 1, "score": 1}\n{"model": b}\n{"model": "c"}\n'
    text = refusal(write(tmp_path, lines, "results.jsonl"))
    assert "row 2: the text is not JSON" in text


@pytest.mark.parametrize("line", ["[1, 2]", "3", '"text"', "null"])
def test_a_line_that_is_not_an_object(tmp_path: Path, line: str) -> None:
    lines = f'{{"model": "a", "item": 1, "score": 1}}\n{line}\n'
    assert "Expected an object" in refusal(write(tmp_path, lines, "results.jsonl"))


def test_a_key_that_stands_twice(tmp_path: Path) -> None:
    line = '{"model": "a", "item": 1, "score": 1, "score": 0}\n'
    assert "'score' stands twice" in refusal(write(tmp_path, line, "results.jsonl"))


@pytest.mark.parametrize("content", ["3", '"text"', '{"a": 1}', "[[1, 2]]", '{"a": [1], "b": []}'])
def test_json_that_is_no_table(tmp_path: Path, content: str) -> None:
    refusal(write(tmp_path, content, "results.json"))


def test_json_nested_too_deeply(tmp_path: Path) -> None:
    assert "nested too deeply" in refusal(
        write(tmp_path, "[" * 100_000 + "]" * 100_000, "results.json")
    )


def test_a_number_with_too_many_digits(tmp_path: Path) -> None:
    line = '{"model": "a", "item": 1, "score": ' + "1" * 5000 + "}\n"
    assert "a number cannot be read" in refusal(write(tmp_path, line, "results.jsonl"))


def test_values_that_are_lists(tmp_path: Path) -> None:
    line = '{"model": "a", "item": [1], "score": 1}\n'
    assert "'item' (item) holds a list" in refusal(write(tmp_path, line, "results.jsonl"))
    line = '{"model": "a", "item": 1, "score": [1]}\n'
    assert "he cells of 'score' hold lists" in refusal(write(tmp_path, line, "results.jsonl"))


def test_a_parquet_column_of_lists(tmp_path: Path) -> None:
    path = write_parquet({"model": ["a"], "item": [1], "score": [[1.0]]}, tmp_path)
    assert "he cells of 'score' hold lists" in refusal(path)


def test_a_compressed_file_cut_off(tmp_path: Path) -> None:
    packed = gzip.compress((GOOD + "c,t,1,0.123\n" * 500).encode())
    text = refusal(write(tmp_path, packed[: len(packed) // 2], "results.csv.gz"))
    assert "compressed file is cut off or damaged" in text


def test_a_parquet_file_that_is_none(tmp_path: Path) -> None:
    assert "is not Parquet" in refusal(write(tmp_path, GOOD, "results.parquet"))


@pytest.mark.parametrize("kept", [100, 3000, 7000])
def test_a_parquet_file_cut_off(tmp_path: Path, kept: int) -> None:
    content = (TABLES / "vtab1k.parquet").read_bytes()[:kept]
    assert "cut off or damaged" in refusal(write(tmp_path, content, "results.parquet"))


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, GOOD.replace("b,t,1", "b\x81é,t,1").encode("latin-1")))
    assert "row 4: the byte 0x81 is not UTF-8" in text


def test_windows_1252_of_sheets_is_read_with_a_note(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD.replace("b,t,1", "bé,t,1").encode("cp1252"))
    scores = rb.read(path)
    assert "bé" in scores.models
    assert any("Windows-1252" in note.message for note in scores.notes)


def test_a_table_in_another_script_is_refused(tmp_path: Path) -> None:
    text = GOOD.replace("b,t,1", "модель,t,1").encode("cp1251")
    assert "is not UTF-8" in refusal(write(tmp_path, text))


def test_text_in_another_encoding(tmp_path: Path) -> None:
    refusal(write(tmp_path, GOOD.encode("utf-16-le")))


def test_utf_16_that_says_so_is_read(tmp_path: Path) -> None:
    plain = rb.read(write(tmp_path, GOOD.encode()))
    wide = rb.read(write(tmp_path, GOOD.encode("utf-16")))
    assert wide.tasks["t"].values.tolist() == plain.tasks["t"].values.tolist()


def test_a_column_named_twice(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, "model,item,score,score\na,1,1,0\n"))
    assert "'score' is named twice" in text


def test_a_column_named_twice_in_other_sources(tmp_path: Path) -> None:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    frame = pd.DataFrame([["a", 1, 1, 0]], columns=["model", "item", "score", "score"])
    with pytest.raises(rb.DataError, match="score"):
        rb.Scores.from_frame(frame)
    table = pa.table([["a"], [1], [1], [0]], names=["model", "item", "score", "score"])
    with pytest.raises(rb.DataError, match="score"):
        rb.Scores.from_frame(table)
    path = tmp_path / "results.parquet"
    pq.write_table(table, path)
    assert "'score' is named twice" in refusal(path)


def test_columns_that_differ_only_in_case_are_two_columns(tmp_path: Path) -> None:
    path = write_parquet({"model": ["a"], "item": [1], "score": [1], "Score": [0]}, tmp_path)
    text = refusal(path)
    assert "2 columns could be the score: 'score', 'Score'" in text
    assert rb.read(path, columns={"score": "Score"}).tasks["results"].values.tolist() == [[0.0]]


def test_two_columns_that_could_be_the_model(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, "system,method,item,score\na,b,1,1\n"))
    assert "2 columns could be the model: 'system', 'method'" in text
    assert "--column model=system" in text


def test_a_column_that_does_not_exist(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, GOOD), columns={"item": "itme"})
    assert "no column 'itme' to be the item. Did you mean 'item'?" in text


def test_no_score_column(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, "model,task,item,points\na,t,1,3\n"))
    assert "--column score=points" in text


def test_an_empty_name(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, GOOD.replace("b,t,2", ",t,2")))
    assert "row 5 (task 't', item '2'): the model is empty" in text


def test_models_and_items_swapped(tmp_path: Path) -> None:
    rows = "".join(f"q{i},m{j},1\n" for i in range(2000) for j in range(3))
    path = write(tmp_path, "model,item,score\n" + rows)
    text = refusal(path)
    assert "2000 models" in text
    assert "seem to be swapped" in text
    assert "--column model=item --column item=model" in text
    right = rb.read(path, columns={"model": "item", "item": "model"})
    assert len(right.models) == 3
    assert len(rb.read(path, columns={"model": "model", "item": "item"}).models) == 2000


def test_many_models_on_few_tasks_are_no_mistake() -> None:
    columns = {"model": [f"m{i}" for i in range(2000)], "task": ["t"] * 2000,
               "score": [i / 2000 for i in range(2000)]}  # fmt: skip
    assert len(read_columns(columns).models) == 2000


def test_percentages_beside_plain_numbers(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, "model,item,score\na,1,50%\na,2,0.5\n"))
    assert "1 percentages and 1 plain numbers" in text


@pytest.mark.parametrize("frame", [[1, 2], {"model": ["a"]}, "results.csv", None])
def test_something_that_is_no_frame(frame: object) -> None:
    with pytest.raises(rb.DataError, match="Expected a data frame"):
        rb.Scores.from_frame(frame)


def test_a_frame_without_a_model_column() -> None:
    with pytest.raises(rb.DataError, match="no column names the model"):
        read_columns({"item": [1, 2], "score": [1, 0]})


def test_a_pandas_frame_with_two_header_rows() -> None:
    import pandas as pd

    columns = pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])
    frame = pd.DataFrame([[1, 2], [3, 4]], index=["m", "n"], columns=columns)
    assert list(rb.Scores.from_frame(frame.rename_axis("model")).tasks) == ["x", "y"]


@pytest.mark.parametrize(
    ("cells", "mean"),
    [
        ([(n % 2, n % 2, 0) for n in range(20)], 0.5),
        ([(n + 0.5, n + 1, n + 2.5) for n in range(20)], 2.0),
    ],
)
def test_the_line_that_scores_predictions_works_as_it_is_pasted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cells: list[tuple[float, ...]], mean: float
) -> None:
    import pandas as pd

    monkeypatch.chdir(tmp_path)
    rows = [f"{n},{y},{one},{two}" for n, (y, one, two) in enumerate(cells)]
    text = refusal(write(tmp_path, "\n".join(["id,y,pred_a,pred_b", *rows, ""])))
    found = re.search(r"in pandas: (.*?)\. Read that( with --direction lower)?", text)
    assert found is not None
    exec(found[1], {"frame": pd.read_csv("results.csv")})
    scores = rb.read("scored.csv", direction="lower" if found[2] else None)
    assert abs(scores.tasks["scored"].values[:, 1].mean()) == mean


@pytest.mark.parametrize("scores", [("true", "88"), ("false", "45%"), ("yes", "12.5")])
def test_true_and_false_beside_another_scale(tmp_path: Path, scores: tuple[str, str]) -> None:
    path = write(tmp_path, f"model,item,score\na,1,{scores[0]}\nb,1,{scores[1]}\n")
    assert "Write all of them the same way" in refusal(path)


def test_true_and_false_beside_one_and_nought_are_scores(tmp_path: Path) -> None:
    path = write(tmp_path, "model,item,score\na,1,true\nb,1,0\n")
    assert rb.read(path).tasks["results"].values.tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize(
    ("turn", "said"),
    [
        ((0, 1), "'turn' is not used and tells these rows apart: if it numbers the answers"),
        ((7, 7), "Not used: 'turn', 'topic'; none of them alone tells these rows apart."),
    ],
)
def test_rows_that_stand_twice_are_told_apart_by_a_column_that_is_not_used(
    tmp_path: Path, turn: tuple[int, int], said: str
) -> None:
    rows = [f"{m},{i},{turn[k]},x,{k}" for m in "ab" for i in range(4) for k in range(2)]
    path = write(tmp_path, "\n".join(["model,item,turn,topic,score", *rows, ""]))
    assert said in refusal(path)
    if turn == (0, 1):
        (task,) = rb.read(path, columns={"epoch": "turn"}).tasks.values()
        assert task.values.tolist() == [[0.5, 0.5]] * 4


def test_versions_of_one_model_may_be_what_is_compared(tmp_path: Path) -> None:
    rows = [f"m,{version},{item},{item % 2}" for version in ("v1", "v2") for item in range(4)]
    path = write(tmp_path, "\n".join(["model,prompt_version,question_id,correct", *rows, ""]))
    assert "if it names what is compared, --column model=prompt_version" in refusal(path)
    assert rb.read(path, columns={"model": "prompt_version"}).models == ("v1", "v2")


def test_versions_of_models_are_proposed_as_what_is_compared(tmp_path: Path) -> None:
    rows = [
        f"{model},{version},t,{item},{(item * ord(model) + version) % 3 % 2}"
        for model in "ab"
        for version in (1, 2)
        for item in range(9)
    ]
    path = write(tmp_path, "model,version,task,item,correct\n" + "\n".join(rows) + "\n")
    text = refusal(path)
    assert "if it names versions of a model, each by itself, --column condition=version" in text
    assert "epoch" not in text
    assert rb.read(path, columns={"condition": "version"}).models == (
        "a · 1", "a · 2", "b · 1", "b · 2",
    )  # fmt: skip


@pytest.mark.parametrize("error", ["sem", "std"])
@pytest.mark.parametrize("cells", ["0.5 0.7 oops", "oops odd none", "0.5 oops 0.7"])
def test_means_that_are_no_numbers_are_refused_in_a_line(
    tmp_path: Path, error: str, cells: str
) -> None:
    rows = [f"{model},{cell},0.1" for model, cell in zip("abc", cells.split(), strict=True)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join([f"model,mean,{error}", *rows]) + "\n", "utf-8")
    row = 2 + cells.split().index("oops")
    named = rf"row {row}: 'oops' in column 'mean' is not a number"
    with pytest.raises(rb.DataError, match="may hold scores" if cells[0] == "o" else named):
        rb.read(path)


def test_right_answers_of_many_rows_are_no_statistics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankbars.tables.statistics._MOST_ROWS", 20)
    path = tmp_path / "t.csv"
    rows = [f"{model},{row % 2}" for model in "ab" for row in range(30)]
    path.write_text("\n".join(["model,correct", *rows]) + "\n", "utf-8")
    (task,) = rb.read(path).tasks.values()
    assert (task.models, task.n.tolist()) == (("a", "b"), [30, 30])
