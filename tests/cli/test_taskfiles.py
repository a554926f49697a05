"""Two-column files about tasks: read however they are written, refused where they are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

import rankbars as rb
from rankbars.cli.taskfiles import describe_tasks, limit_tasks, read_task_file

EXPECTED = {"math": "reasoning", "law, tort": "knowledge"}


@pytest.fixture
def scores() -> rb.Scores:
    return rb.Scores.from_arrays({"math": [[1, 0]], "law": [[0, 1]]}, ["a", "b"])


def write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.csv", 'math,reasoning\n"law, tort",knowledge\n'),
        ("c.csv", '\ufefftask,category\nmath,reasoning\n\n"law, tort",knowledge'),
        ("c.csv", 'Dataset,what\nmath, reasoning \n"law, tort",knowledge\r\n'),
        ("c.txt", 'math,reasoning\n"law, tort",knowledge\n'),
        ("c.tsv", "math\treasoning\nlaw, tort\tknowledge\n"),
        ("c.json", '{"math": "reasoning", "law, tort": "knowledge"}'),
        ("c.yaml", "math: reasoning\nlaw, tort: knowledge\n"),
        ("c.YML", "{math: reasoning, 'law, tort': knowledge}"),
        ("c.json", '{"reasoning": ["math"], "knowledge": ["law, tort"]}'),
        ("c.yaml", "reasoning: [math]\nknowledge:\n  - law, tort\n"),
    ],
)
def test_every_way_of_writing_says_the_same(tmp_path: Path, name: str, text: str) -> None:
    assert read_task_file(write(tmp_path, name, text)) == EXPECTED


def test_yaml_words_and_numbers_stay_what_was_written(tmp_path: Path) -> None:
    path = write(tmp_path, "c.yaml", "no: yes\n007: 1.50\n")
    assert read_task_file(path) == {"no": "yes", "007": "1.50"}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("c.csv", "", "it is empty"),
        ("c.csv", "task,weight\n", "it is empty"),
        ("c.csv", "math,1\nlaw,2,3\n", "row 2: expected two columns"),
        ("c.csv", "task,weight\n\n\nmath,2\nlaw,1,3\n", "row 5: expected two columns"),
        ("c.csv", "math\n", "found 1"),
        ("c.csv", "math,1\nmath,2\n", "'math' stands there twice"),
        ("c.csv", 'math,"1\n', "no table of cells"),
        ("c.json", '{"math": 1, "math": 2}', "'math' stands there twice"),
        ("c.json", '{"math": [1]}', "must have one plain value"),
        ("c.json", '{"math": null}', "must have one plain value"),
        ("c.json", '["math"]', "expected one JSON object"),
        ("c.json", '{"math": 1', "valid JSON"),
        ("c.json", "[" * 100_000, "valid JSON"),
        ("c.yaml", "math: 1\nmath: 2\n", "'math' stands there twice"),
        ("c.yaml", "- math\n", "expected a YAML mapping"),
        ("c.yaml", "math: [1, 2]\n", "one plain value per task"),
        ("c.yaml", "math: 'x\n", "valid YAML"),
        ("c.yaml", "", "expected a YAML mapping"),
    ],
)
def test_a_wrong_file_is_named_with_what_is_wrong(
    tmp_path: Path, name: str, text: str, words: str
) -> None:
    path = write(tmp_path, name, text)
    with pytest.raises(rb.ReadError, match=words) as caught:
        read_task_file(path)
    assert path in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_or_not_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(rb.ReadError, match="No such file"):
        read_task_file(str(tmp_path / "none.csv"))
    (tmp_path / "c.csv").write_bytes(b"math,\xff\xfe\n")
    with pytest.raises(rb.ReadError, match="not UTF-8"):
        read_task_file(str(tmp_path / "c.csv"))


def test_values_land_in_the_tasks(tmp_path: Path, scores: rb.Scores) -> None:
    path = write(tmp_path, "w.csv", "math,2\nlaw,0.5\n")
    described = describe_tasks(scores, "weight", path, tuple(scores.tasks))
    assert [described.info[task].weight for task in ("math", "law")] == [2.0, 0.5]
    path = write(tmp_path, "c.csv", "math,x\nlaw,y\n")
    described = describe_tasks(described, "family", path, tuple(scores.tasks))
    described = describe_tasks(described, "category", path, tuple(scores.tasks))
    law = described.info["law"]
    assert (law.weight, law.family, law.category) == (0.5, "y", "y")


def test_a_task_that_was_not_read_is_an_error_that_names_the_nearest(
    tmp_path: Path, scores: rb.Scores
) -> None:
    path = write(tmp_path, "c.csv", "maths,x\n")
    with pytest.raises(rb.UnknownOptionError, match=r"'maths'. Did you mean 'math'\?"):
        describe_tasks(scores, "category", path, tuple(scores.tasks))


def test_a_task_that_was_read_but_not_chosen_may_be_named(
    tmp_path: Path, scores: rb.Scores
) -> None:
    path = write(tmp_path, "c.csv", "math,x\nlaw,y\n")
    chosen = scores.select(tasks=["math"])
    assert describe_tasks(chosen, "category", path, ("law", "math")).info["math"].category == "x"


def test_a_task_without_category_is_noted_and_one_without_weight_is_an_error(
    tmp_path: Path, scores: rb.Scores
) -> None:
    path = write(tmp_path, "c.csv", "math,1\n")
    described = describe_tasks(scores, "category", path, tuple(scores.tasks))
    assert [note.code for note in described.notes] == ["no-category"]
    assert described.info["law"].category is None
    with pytest.raises(rb.DataError, match="gives no weight for 'law'"):
        describe_tasks(scores, "weight", path, tuple(scores.tasks))


@pytest.mark.parametrize(
    ("weight", "words"),
    [("-1", "0 or more"), ("nan", "0 or more"), ("inf", "0 or more"), ("heavy", "'heavy'")],
)
def test_a_weight_that_is_none_is_refused(
    tmp_path: Path, scores: rb.Scores, weight: str, words: str
) -> None:
    path = write(tmp_path, "w.csv", f"math,1\nlaw,{weight}\n")
    with pytest.raises(rb.RankbarsError, match=words):
        describe_tasks(scores, "weight", path, tuple(scores.tasks))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("l.csv", "task,least,greatest\nmath,0.25,1\n"),
        ("l.csv", "math, 0.25, 1\n\n"),
        ("l.tsv", "math\t0.25\t1\n"),
        ("l.json", '{"math": [0.25, 1]}'),
    ],
)
def test_limits_of_tasks_are_their_least_and_greatest_score(
    tmp_path: Path, scores: rb.Scores, name: str, text: str
) -> None:
    info = limit_tasks(scores, write(tmp_path, name, text), ("math", "law")).info
    assert (info["math"].minimum, info["math"].maximum) == (0.25, 1.0)
    assert info["law"] == scores.info["law"]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("l.csv", "", "it is empty"),
        ("l.csv", "math,1\n", "expected three columns"),
        ("l.csv", "math,0,1\nmath,0,2\n", "'math' stands there twice"),
        ("l.csv", "math,1,0\n", "the least and the greatest possible score"),
        ("l.csv", "math,a,b\n", "are a and b"),
        ("l.json", '{"math": 1}', "expected one JSON object"),
        ("l.json", '{"math": [false, true]}', "are False and True"),
        ("l.json", "[", "valid JSON"),
        ("l.csv", "maths,0,1\n", "maths"),
    ],
)
def test_limits_that_are_none_are_refused(
    tmp_path: Path, scores: rb.Scores, name: str, text: str, words: str
) -> None:
    with pytest.raises(rb.RankbarsError, match=words):
        limit_tasks(scores, write(tmp_path, name, text), ("math", "law"))
