"""A file is known by the path it was given under; where that leads is another fact."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from storefiles import add, assert_equals_files, held, inside, remove
from tablefiles import csv_text

import rankbars as rb
from rankbars.cli.app import run
from rankbars.store.access import open_store
from rankbars.store.opening import place_of

STORES = Path(__file__).parent.parent / "data" / "stores"


def write(path: Path, value: float = 0.5) -> None:
    path.parent.mkdir(exist_ok=True)
    columns: dict[str, list[Any]] = {
        "task": ["t"] * 5, "item": list(range(5)), "score": [value, 1, 0, 1, 0],
    }  # fmt: skip
    path.write_text(csv_text(columns), encoding="utf-8")


def point(link: Path, target: str) -> None:
    link.unlink(missing_ok=True)
    link.symlink_to(target)


def equal_content(scores: rb.Scores) -> list[str]:
    return [note.message for note in scores.notes if note.code == "equal-content"]


@pytest.mark.parametrize("named", [True, False])
def test_two_names_of_one_file_are_two_inputs_and_told(named: bool, tmp_path: Path) -> None:
    write(tmp_path / "a.csv")
    point(tmp_path / "b.csv", "a.csv")
    with inside(tmp_path):
        scores = rb.read(["a.csv", "b.csv"] if named else ".")
        assert scores.models == ("a", "b")
        assert len(scores.inputs) == 2
        (said,) = equal_content(scores)
        assert "a.csv = b.csv" in said
        add("a.csv", "b.csv")
        assert_equals_files(["a.csv", "b.csv"])


def test_one_name_written_in_two_ways_is_one_input(tmp_path: Path) -> None:
    write(tmp_path / "a.csv")
    write(tmp_path / "b.csv", 0.25)
    with inside(tmp_path):
        scores = rb.read(["a.csv", "./a.csv", str(tmp_path / "a.csv"), "b.csv"])
        assert len(scores.inputs) == 2
        assert not equal_content(scores)


def test_equal_content_is_told_when_it_is_added(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "a.csv")
    write(tmp_path / "b.csv")
    with inside(tmp_path):
        add("a.csv")
        assert run(["add", "b.csv", "--store", "board.duckdb"]) == 0
        assert "a.csv = b.csv" in capsys.readouterr().err


def test_a_link_that_points_to_a_new_version_replaces_its_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "v1.csv", 0.25)
    write(tmp_path / "v2.csv", 0.75)
    with inside(tmp_path):
        point(tmp_path / "model.csv", "v1.csv")
        add("model.csv")
        point(tmp_path / "model.csv", "v2.csv")
        assert run(["add", "model.csv", "--store", "board.duckdb"]) == 0
        assert "Replaced model.csv" in capsys.readouterr().out
        assert_equals_files(["model.csv"])
        assert run(["log", "board.duckdb"]) == 0
        assert "led to v2.csv" in capsys.readouterr().out
        remove("model.csv")


def test_a_folder_that_is_a_link_is_known_by_its_name(tmp_path: Path) -> None:
    write(tmp_path / "run1" / "x.csv", 0.25)
    write(tmp_path / "run2" / "x.csv", 0.75)
    with inside(tmp_path):
        point(tmp_path / "latest", "run1")
        add("latest")
        point(tmp_path / "latest", "run2")
        add("latest")
        assert [entry.path for entry in held().inputs] == ["latest/x.csv"]
        assert_equals_files(["latest"])


def test_no_board_says_where_a_link_leads(tmp_path: Path) -> None:
    write(tmp_path / "secret" / "a.csv")
    write(tmp_path / "b.csv", 0.25)
    with inside(tmp_path):
        point(tmp_path / "a.csv", "secret/a.csv")
        add("a.csv", "b.csv")
        words = ["rank", "board.duckdb", "-q", "-o", "board.json", "--html", "page.html"]
        assert run(words) == 0
        for name in ("board.json", "page.html"):
            assert "secret" not in Path(name).read_text(encoding="utf-8")
        with open_store("board.duckdb") as store:
            assert [entry.target for entry in store.entries] == ["secret/a.csv", "b.csv"]


def test_a_store_reached_through_a_link_has_the_same_files(tmp_path: Path) -> None:
    write(tmp_path / "real" / "a.csv")
    point(tmp_path / "other", "real")
    with inside(tmp_path):
        folder = (tmp_path / "real").resolve()
        ways = ("real/a.csv", "other/a.csv", str(tmp_path / "other" / "a.csv"))
        assert {place_of(way, folder) for way in ways} == {"a.csv"}


def test_links_of_an_older_store_get_their_own_names(tmp_path: Path) -> None:
    write(tmp_path / "v1.csv", 0.25)
    write(tmp_path / "v2.csv", 0.75)
    write(tmp_path / "other.csv")
    with inside(tmp_path):
        point(tmp_path / "model.csv", "v1.csv")
        packed = (STORES / "links.schema2.duckdb.gz").read_bytes()
        Path("board.duckdb").write_bytes(gzip.decompress(packed))
        with open_store("board.duckdb") as store:
            assert [entry.place for entry in store.entries] == ["model.csv", "other.csv"]
        point(tmp_path / "model.csv", "v2.csv")
        add("model.csv")
        assert_equals_files(["model.csv", "other.csv"])
        assert run(["rank", "board.duckdb", "-q", "-o", "board.json"]) == 0
        assert json.loads(Path("board.json").read_bytes())["models"] == ["model", "other"]
