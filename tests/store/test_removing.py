"""What is left when files are taken out is what the other files say, or nothing is taken out."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from storefiles import add, assert_equals_files, held, inside, remove
from tablefiles import csv_text

import rankbars as rb
from rankbars.cli.app import run
from rankbars.store.access import open_store
from rankbars.store.holdings import Change
from rankbars.store.opening import connect

FIXTURES = Path(__file__).parent.parent / "data" / "fixtures"


@pytest.fixture
def lm_eval(tmp_path: Path) -> tuple[Path, str, str]:
    """A store of one run, and its two files: results and samples."""
    shutil.copytree(FIXTURES / "lm_eval" / "current", tmp_path / "logs")
    with inside(tmp_path):
        add("logs")
        results, samples = sorted(str(path) for path in Path("logs").rglob("*.json*"))
    return tmp_path, results, samples


def write_table(path: str, model: str) -> None:
    columns: dict[str, list[Any]] = {
        "model": [model] * 4, "task": ["t"] * 4, "item": [1, 2, 3, 4], "score": [1, 0, 0.5, 1],
    }  # fmt: skip
    Path(path).write_text(csv_text(columns), encoding="utf-8")


@pytest.mark.parametrize("which", [1, 2])
def test_logs_that_were_read_with_a_removed_one_are_read_again(
    which: int, lm_eval: tuple[Path, str, str]
) -> None:
    folder, gone, left = lm_eval[0], lm_eval[which], lm_eval[3 - which]
    with inside(folder):
        remove(gone)
        assert_equals_files([left])
        add("logs")
        assert_equals_files(["logs"])


@pytest.mark.parametrize("which", [1, 2])
def test_half_of_a_run_that_cannot_be_read_again_is_not_removed(
    which: int, lm_eval: tuple[Path, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with inside(lm_eval[0]):
        direct = rb.read("logs")
        shutil.rmtree("logs")
        assert run(["remove", lm_eval[which], "--store", "board.duckdb"]) == 1
        said = capsys.readouterr().err
        assert "Nothing was removed" in said
        assert "Remove both" in said
        assert held().inputs == direct.inputs
        remove("logs")
        with open_store("board.duckdb") as store:
            assert store.entries == []


def test_a_file_is_not_read_again_without_another_that_is_lost(
    lm_eval: tuple[Path, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _, samples = lm_eval
    other = samples.replace("math_perturbed", "else_perturbed")
    with inside(folder):
        shutil.copy(samples, other)
        add("logs")
        before = held()
        Path(samples).unlink()
        assert run(["remove", other, "--store", "board.duckdb"]) == 1
        assert "Remove both, or put the file back" in capsys.readouterr().err
        assert held().inputs == before.inputs


def test_adding_repairs_a_store_of_which_half_a_run_is_gone(
    lm_eval: tuple[Path, str, str],
) -> None:
    folder, results, samples = lm_eval
    with inside(folder):
        with open_store("board.duckdb", write=True) as store:
            store.apply(Change.of(gone=[one for one in store.entries if one.path == results]))
        assert run(["rank", "board.duckdb"]) == 1
        add(samples)
        assert_equals_files([samples])
        add("logs")
        assert_equals_files(["logs"])


def test_a_store_that_is_of_no_use_can_be_emptied_file_by_file(
    lm_eval: tuple[Path, str, str],
) -> None:
    folder, results, samples = lm_eval
    with inside(folder):
        with open_store("board.duckdb", write=True) as store:
            store.apply(Change.of(gone=[one for one in store.entries if one.path == results]))
        shutil.rmtree("logs")
        remove(samples)
        add_table_and_check()


def add_table_and_check() -> None:
    write_table("a.csv", "a")
    add("a.csv")
    assert_equals_files(["a.csv"])


def test_notes_are_those_of_the_files_that_are_left(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "swebench" / "pro", tmp_path / "logs")
    with inside(tmp_path):
        files = sorted(str(path) for path in Path("logs").rglob("*.json"))
        add(*files)
        said = [note.code for note in held().notes]
        assert "name-from-file" in said
        for gone in files:
            remove(gone)
            assert_equals_files([path for path in files if path != gone])
            add(gone)
            assert_equals_files(files)


def test_notes_are_those_of_files_added_one_by_one(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "swebench" / "pro", tmp_path / "logs")
    with inside(tmp_path):
        files = sorted(str(path) for path in Path("logs").rglob("*.json"))
        for path in reversed(files):
            add(path)
        assert_equals_files(files)


def test_a_store_that_has_become_empty_keeps_its_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with inside(tmp_path):
        write_table("a.csv", "a")
        add("a.csv", "--direction", "lower")
        remove("a.csv")
        add("a.csv")
        assert held().info["t"].direction == "lower"
        assert run(["log", "board.duckdb"]) == 0
        assert "Read with: --direction lower" in capsys.readouterr().out
        remove("a.csv")
        add("a.csv", "--direction", "higher")
        assert held().info["t"].direction == "higher"


def test_a_format_that_is_not_known_here_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with inside(tmp_path):
        for name in "abc":
            write_table(f"{name}.csv", name)
        add("a.csv", "b.csv")
        with connect(Path("board.duckdb"), "board", write=True) as connection:
            connection.execute("UPDATE sources SET format = 'elsewhere' WHERE path = 'b.csv'")
        for words in (["rank", "board.duckdb"], ["add", "c.csv", "--store", "board.duckdb"]):
            assert run(words) == 1
            said = capsys.readouterr().err
            assert "b.csv: the store holds it as 'elsewhere'" in said
            assert "Install the package" in said
        remove("b.csv")
        assert_equals_files(["a.csv"])


def test_a_limit_of_the_memory_is_refused_where_there_is_no_table(
    lm_eval: tuple[Path, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with inside(lm_eval[0]):
        for what in ("board.duckdb", "logs"):
            assert run(["rank", what, "--memory-limit", "2GB"]) == 1
            assert "memory_limit describes tables" in capsys.readouterr().err
