"""What a board says of the files it was read from: their names, not the folders of a machine."""

import json
import pickle
from pathlib import Path

import pytest

import rankbars as rb
from rankbars.data.notes import Note, without_folders

TABLE = "item,ash,birch\n" + "".join(f"{i},{i % 3},{i % 2}\n" for i in range(8))


@pytest.mark.parametrize(
    ("paths", "text", "expected"),
    [
        (["/home/eve/a.csv"], "/home/eve/a.csv: wide", "a.csv: wide"),
        (["/home/eve/a.csv"], "'/home/eve/meta.yaml' says so.", "'meta.yaml' says so."),
        (["/home/eve/a.csv"], "/home/eve: 3 files, /home/eve2/b", "eve: 3 files, eve2/b"),
        (["/home/eve/a b/c.csv"], "In /home/eve/a b/c.csv.", "In c.csv."),
        (["/a/x/r.csv", "/b/y/r.csv"], "/a/x/r.csv = /b/y/r.csv", "x/r.csv = y/r.csv"),
        (["/m/eve/x/y/r", "/m/bob/x/y/r"], "/m/eve/x/y/r", "x/y/r"),
        (["C:\\Users\\eve\\a.csv"], "C:\\Users\\eve\\a.csv: wide", "a.csv: wide"),
        (["C:\\Users\\eve\\a.csv"], "C:\\Users\\eve\\a.csv", "a.csv"),
        (["runs/a.csv", "../b.csv"], "runs/a.csv: wide", "runs/a.csv: wide"),
        (["/home/a.csv", "runs/home/b.csv"], "runs/home/b.csv", "runs/home/b.csv"),
        (["/home/a.csv"], "https://h.org/home/a.csv", "https://h.org/home/a.csv"),
        (["-"], "Read - as wide/long.", "Read - as wide/long."),
        (["/a.csv"], "right/wrong", "right/wrong"),
        ([], "/home/eve", "/home/eve"),
    ],
)
def test_only_the_folders_of_absolute_paths_go(paths: list[str], text: str, expected: str) -> None:
    assert without_folders(paths)(text) == expected


def test_nothing_on_a_board_names_the_folders_it_was_read_from(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.csv").write_text(TABLE)
    board = rb.leaderboard([tmp_path / "one" / "results.csv", tmp_path / "two"])
    assert [one.path for one in board.inputs] == ["one/results.csv", "two/results.csv"]
    board.save(tmp_path / "board.json")
    written = (tmp_path / "board.json").read_text("utf-8")
    assert json.loads(written)["notes"]
    for text in (written, board.to_html(), board.to_markdown(), board.to_text()):
        assert tmp_path.name not in text


def test_names_of_thousands_of_characters_are_shown_by_their_ends_in_errors_and_notes(
    tmp_path: Path,
) -> None:
    column = "user" + "9" * 8000
    path = tmp_path / "damaged.csv"
    path.write_text(f"{column},foo\na,b\nc,d\n")
    with pytest.raises(rb.ReadError) as error:
        rb.read(path)
    assert "'user999" in str(error.value)
    assert "999…999" in str(error.value)
    assert len(str(error.value)) < 1000
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)
    assert len(Note("columns", f"{path}: item = {column!r}.").message) < 300
