"""Files, folders, patterns and standard input."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import sys
from pathlib import Path

import pytest
from tablefiles import assert_same, codes, message, write_csv, write_json_lines, write_parquet

import rankbars as rb
from rankbars.readers import FORMATS, explain

COLUMNS = {
    "model": ["a", "a", "b", "b"], "task": ["t"] * 4, "item": [1, 2, 1, 2], "score": [1, 0, 1, 1],
}  # fmt: skip


def pipe(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(content))
    monkeypatch.setattr(sys, "stdin", stdin)


def log(folder: Path, name: str, scores: list[int]) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("item,correct\n" + "".join(f"q{i},{s}\n" for i, s in enumerate(scores)))
    return path


def test_inputs_name_path_format_and_digest(tmp_path: Path) -> None:
    path = write_csv(COLUMNS, tmp_path)
    (given,) = rb.read(path).inputs
    assert given.path == str(path)
    assert given.format == "tidy"
    assert given.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_models_are_named_after_their_files(tmp_path: Path) -> None:
    one, two = log(tmp_path, "gpt-4.1.csv", [1, 0, 1]), log(tmp_path, "llama.csv", [0, 0, 1])
    scores = rb.read([one, two])
    assert scores.models == ("gpt-4.1", "llama")
    assert list(scores.tasks) == ["all"]
    assert scores.tasks["all"].values.tolist() == [[1, 0], [0, 0], [1, 1]]
    assert "name-from-file" in codes(scores)


def test_files_of_the_same_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    log(tmp_path, "x/results.csv", [1, 0])
    log(tmp_path, "y/results.csv", [1, 1])
    scores = rb.read(tmp_path)
    assert scores.models == ("x", "y")


def test_tasks_are_named_after_their_files(tmp_path: Path) -> None:
    columns = {name: values for name, values in COLUMNS.items() if name != "task"}
    math = write_csv(columns, tmp_path, "math")
    code = write_csv(columns | {"score": [0] * 4}, tmp_path, "code")
    scores = rb.read([math, code])
    assert list(scores.tasks) == ["code", "math"]
    assert scores.models == ("a", "b")


def test_a_folder_is_searched_through_and_what_was_skipped_is_told(tmp_path: Path) -> None:
    write_csv(COLUMNS, tmp_path, "one")
    (tmp_path / "deeper").mkdir()
    write_json_lines(COLUMNS | {"task": ["u"] * 4}, tmp_path / "deeper", "two")
    write_parquet(COLUMNS | {"task": ["v"] * 4}, tmp_path / "deeper", "three")
    (tmp_path / "README.md").write_text("# Results\n")
    (tmp_path / "config.json").write_text('{"seed": 1}')
    (tmp_path / ".hidden.csv").write_text("x")
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "cached.csv").write_text("x")
    scores = rb.read(tmp_path)
    assert list(scores.tasks) == ["t", "u", "v"]
    assert len(scores.inputs) == 3
    note = message(scores, "files-skipped")
    assert note.startswith("2 files")
    assert "README.md" in note
    assert "hidden" not in note


def test_a_damaged_file_in_a_folder_is_left_out_and_named(tmp_path: Path) -> None:
    write_csv(COLUMNS, tmp_path, "one")
    (tmp_path / "two.parquet").write_bytes(b"PAR1 and nothing else")
    (tmp_path / "three.csv").write_bytes(b"")
    (tmp_path / "four.csv").write_text('model,task,item,score\na,u,1,1\na,u,"2,1\n')
    (tmp_path / "five.csv").symlink_to(tmp_path / "nowhere.csv")
    scores = rb.read(tmp_path)
    assert list(scores.tasks) == ["t"]
    assert [Path(given.path).name for given in scores.inputs] == ["one.csv"]
    note = message(scores, "files-damaged")
    assert note.startswith("4 files left out, because they cannot be read: ")
    for reason in ("two.parquet: The Parquet file is cut off", "three.csv: The file is empty",
                   "four.csv: ", "five.csv: "):  # fmt: skip
        assert reason in note


def test_a_damaged_file_that_was_named_is_an_error(tmp_path: Path) -> None:
    write_csv(COLUMNS, tmp_path, "one")
    damaged = tmp_path / "two.parquet"
    damaged.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(rb.ReadError, match=r"two\.parquet"):
        rb.read([tmp_path, damaged])


def test_a_folder_of_damaged_files_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"")
    (tmp_path / "b.eval").write_bytes(b"PK")
    with pytest.raises(rb.ReadError, match=r"None of 2 files can be read: .*a\.csv.*b\.eval"):
        rb.read(tmp_path)


def test_patterns_match_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_csv(COLUMNS | {"task": [name] * 4}, tmp_path, f"run-{name}")
    write_csv(COLUMNS, tmp_path, "other")
    assert list(rb.read(f"{tmp_path}/run-*.csv").tasks) == ["a", "b"]
    with pytest.raises(rb.ReadError, match="no file matches"):
        rb.read(f"{tmp_path}/nothing-*.csv")


@pytest.mark.parametrize("name", ["a[1]", "what?", "star*"])
def test_files_whose_names_look_like_patterns(tmp_path: Path, name: str) -> None:
    path = write_parquet(COLUMNS, tmp_path, name)
    write_parquet(COLUMNS | {"score": [0] * 4}, tmp_path, "a1")
    assert rb.read(str(path)).tasks["t"].values.tolist() == [[1, 1], [0, 1]]


def test_a_file_given_twice_is_read_once(tmp_path: Path) -> None:
    path = write_csv(COLUMNS, tmp_path)
    assert len(rb.read([path, str(path)]).inputs) == 1


def test_models_with_the_same_answers_are_two_models(tmp_path: Path) -> None:
    one, two = log(tmp_path, "a.csv", [1, 0]), log(tmp_path, "b.csv", [1, 0])
    assert rb.read([one, two]).models == ("a", "b")


def test_a_copy_that_names_its_models_is_refused_with_both_places(tmp_path: Path) -> None:
    write_csv(COLUMNS, tmp_path, "one")
    write_csv(COLUMNS, tmp_path, "two")
    with pytest.raises(rb.DataError, match=r"one\.csv, row 2.*has 2 rows.*two\.csv, row 2"):
        rb.read(tmp_path)


def test_what_does_not_exist_is_said(tmp_path: Path) -> None:
    with pytest.raises(rb.ReadError, match="no such file or folder"):
        rb.read(tmp_path / "nothing.csv")
    with pytest.raises(rb.ReadError, match="no path was given"):
        rb.read([])
    with pytest.raises(rb.ReadError, match="no file in it"):
        rb.read(tmp_path)


def test_a_folder_without_results_is_refused_with_reasons(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing to see\n")
    with pytest.raises(rb.ReadError, match=r"notes\.txt: .*rankbars formats"):
        rb.read(tmp_path)


@pytest.mark.parametrize("write", [write_csv, write_json_lines, write_parquet])
def test_standard_input_is_recognised_by_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: object
) -> None:
    assert callable(write)
    path = write(COLUMNS, tmp_path)
    pipe(monkeypatch, path.read_bytes())
    scores = rb.read("-")
    assert_same(scores, rb.read(path))
    assert scores.inputs[0].path == "-"
    assert scores.inputs[0].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_tabs_and_json_arrays_come_through_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe(monkeypatch, b"model\titem\tscore\na\t1\t1\nb\t1\t0\n")
    assert rb.read("-").models == ("a", "b")
    rows = [{"model": "a", "item": 1, "score": 1}, {"model": "b", "item": 1, "score": 0}]
    pipe(monkeypatch, json.dumps(rows, indent=1).encode())
    assert rb.read("-").models == ("a", "b")


def test_nothing_on_standard_input_is_an_empty_file(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, b"")
    with pytest.raises(rb.ReadError, match="-: the file is empty"):
        rb.read("-")


def test_compressed_files_are_read(tmp_path: Path) -> None:
    path = write_csv(COLUMNS, tmp_path)
    packed = tmp_path / "packed.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert_same(rb.read(path), rb.read(packed))


def test_tables_of_other_json_shapes(tmp_path: Path) -> None:
    expected = rb.read(write_csv(COLUMNS, tmp_path))
    names = list(COLUMNS)
    rows = [list(row) for row in zip(*COLUMNS.values(), strict=True)]
    shapes = {
        "columns and data": {"columns": names, "data": rows},
        "data": {"data": [dict(zip(names, row, strict=True)) for row in rows]},
        "lists": dict(COLUMNS),
        "indexed": {
            name: {str(i): value for i, value in enumerate(column)}
            for name, column in COLUMNS.items()
        },
    }
    for name, content in shapes.items():
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(content))
        assert_same(expected, rb.read(path))


def test_a_format_can_be_declared(tmp_path: Path) -> None:
    path = write_csv(COLUMNS, tmp_path)
    assert rb.read(path, format="tidy").inputs[0].format == "tidy"
    with pytest.raises(rb.UnknownOptionError, match="Did you mean 'tidy'"):
        rb.read(path, format="tidyy")


def test_tables_of_different_designs_are_joined_task_by_task(tmp_path: Path) -> None:
    write_csv(COLUMNS, tmp_path, "items")
    write_csv({"model": ["a", "b"], "task": ["u"] * 2, "score": [1, 2], "se": [0.1, 0.1]},
              tmp_path, "published")  # fmt: skip
    scores = rb.read(tmp_path)
    assert [task.kind for task in scores.tasks.values()] == ["items", "estimates"]
    write_csv({"model": ["c"], "task": ["t"], "score": [0.5], "se": [0.1]}, tmp_path, "published")
    assert rb.read(tmp_path).tasks["t"].kind == "estimates"


def test_explain_says_what_each_file_is_and_why(tmp_path: Path) -> None:
    write_csv(COLUMNS, tmp_path, "tidy")
    write_csv({"task": ["t"], "a": [1.5], "b": [2.5]}, tmp_path, "wide")
    write_csv({"left": ["a"], "right": ["b"], "winner": ["left"]}, tmp_path, "votes")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    (tmp_path / "notes.md").write_text("# Notes")
    reports = {Path(report.path).name: report for report in explain(tmp_path)}
    assert reports["tidy.csv"].format == "tidy"
    assert "score = 'score'" in reports["tidy.csv"].reason
    assert reports["wide.csv"].format == "wide"
    assert "first header cell is 'task'" in reports["wide.csv"].reason
    assert reports["votes.csv"].format == "votes"
    assert "model_a = 'left'" in reports["votes.csv"].reason
    assert reports["broken.parquet"].format is None
    assert "cut off" in reports["broken.parquet"].reason
    assert reports["notes.md"].format is None


def test_every_format_describes_itself() -> None:
    for name, entry in FORMATS.items():
        assert entry.name == name
        assert entry.description


def test_reading_twice_gives_the_same(tmp_path: Path) -> None:
    path = write_csv(COLUMNS, tmp_path)
    one, two = rb.read(path), rb.read(path)
    assert_same(one, two)
    assert one.notes == two.notes
    assert one.inputs == two.inputs


def test_a_key_that_only_occurs_late_is_a_column(tmp_path: Path) -> None:
    rows = [{"model": "a", "item": i, "score": 1} for i in range(1500)]
    rows.append({"model": "a", "item": 1500, "score": None, "failure": "out of memory"})
    rows.append({"model": "a", "item": 1501, "score": 0, "remark": "unimportant"})
    path = tmp_path / "results.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    coverage = rb.read(path).info["results"].coverage
    assert coverage is not None
    assert coverage.errors.tolist() == [1]
    assert coverage.scored.tolist() == [1501]


def test_links_to_themselves_and_to_devices_do_not_stop_a_folder(tmp_path: Path) -> None:
    write_csv(COLUMNS, tmp_path)
    (tmp_path / "self.csv").symlink_to(tmp_path / "self.csv")
    (tmp_path / "endless.json").symlink_to("/dev/zero")
    scores = rb.read(tmp_path)
    assert len(scores.inputs) == 1
    assert "self.csv" in message(scores, "files-damaged")


def test_what_may_not_be_asked_about_is_told_as_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_csv(COLUMNS, tmp_path)
    closed = tmp_path / "closed.csv"
    closed.write_text("x")
    stat, opened = Path.stat, Path.open

    def asked(path: Path, **options: bool) -> object:
        if path == closed:
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, **options)

    def open_it(path: Path, *given: object, **options: object) -> object:
        if path == closed:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *given, **options)

    monkeypatch.setattr(Path, "stat", asked)
    monkeypatch.setattr(Path, "open", open_it)
    (note,) = [one for one in rb.read(tmp_path).notes if one.code == "files-damaged"]
    assert "closed.csv: The file cannot be read (Permission denied)" in note.message
    with pytest.raises(rb.ReadError, match="cannot be read"):
        rb.read(closed)


def test_the_whole_disk_is_refused() -> None:
    with pytest.raises(rb.ReadError, match="the whole disk"):
        rb.read(Path.cwd().anchor)
