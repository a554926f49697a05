"""Stores that version 0.1.0 and the one before wrote give the boards that their files give."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from storefiles import add, assert_equals_files, held, inside, remove

import rankbars as rb
from rankbars.cli.app import run
from rankbars.data.evidence import Items
from rankbars.readers.collecting import is_same
from rankbars.readers.parts import ReadyScores
from rankbars.store.access import open_store

STORES = Path(__file__).parent.parent / "data" / "stores"
TREES = ["ash.csv", "birch.csv", "cedar.csv"]


@pytest.fixture(params=[1, 2, 3, 4])
def schema(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[int]:
    """Its number, in a folder with the stores and the files that they were made of."""
    schema: int = request.param
    for name in ("items", "votes"):
        packed = (STORES / f"{name}.schema{schema}.duckdb.gz").read_bytes()
        (tmp_path / f"{name}.duckdb").write_bytes(gzip.decompress(packed))
    for name in (*TREES, "votes.csv"):
        shutil.copy(STORES / name, tmp_path)
    with inside(tmp_path):
        yield schema


def test_an_older_store_gives_the_board_of_its_files(schema: int) -> None:
    before = Path("items.duckdb").read_bytes()
    assert run(["rank", "items.duckdb", "-q", "-o", "board.json"]) == 0
    assert Path(f"items.duckdb.schema{schema}.bak").read_bytes() == before
    assert_equals_files(TREES, "items.duckdb")
    board, old = rb.load("board.json"), rb.load(STORES / "items.board.json")
    assert board.models == old.models
    for task, found in board.tasks.items():
        assert found.mean.tolist() == old.tasks[task].mean.tolist()
        # The law of so few answers is counted since: it shows what the old board shows, or less.
        assert (found.best <= old.tasks[task].best).all()
        assert (found.worst >= old.tasks[task].worst).all()


def test_an_older_store_goes_on(schema: int) -> None:
    add("ash.csv", store="items.duckdb")
    remove("birch.csv", store="items.duckdb")
    assert_equals_files(["ash.csv", "cedar.csv"], "items.duckdb")
    add("birch.csv", store="items.duckdb")
    assert_equals_files(TREES, "items.duckdb")
    with open_store("items.duckdb") as store:
        done = [(event.action, event.path) for event in store.events]
    assert done == [
        ("added", "ash.csv"), ("added", "birch.csv"), ("added", "gone.csv"), ("added", "cedar.csv"),
        ("replaced", "birch.csv"), ("removed", "gone.csv"),
        ("removed", "birch.csv"), ("added", "birch.csv"),
    ]  # fmt: skip


def test_votes_of_an_older_store_are_looked_at_again(schema: int) -> None:
    assert held("votes.duckdb").inputs == rb.read("votes.csv").inputs
    shutil.copy(STORES / "live.running.json", "live.running.json")
    shutil.copy(STORES / "live.running.json", "files.running.json")
    for inputs, board in (("votes.duckdb", "live.json"), ("votes.csv", "files.json")):
        assert run(["rank", inputs, "--anytime", "-q", "-o", board]) == 0
    looks = [json.loads(Path(f"{name}.running.json").read_bytes()) for name in ("live", "files")]
    assert looks[0] == looks[1]
    one, two = rb.load("live.json"), rb.load("files.json")
    assert one.tasks["votes"].best.tolist() == two.tasks["votes"].best.tolist()
    assert one.tasks["votes"].worst.tolist() == two.tasks["votes"].worst.tolist()


def test_a_store_that_another_brings_up_to_date_meanwhile_is_left_so(
    schema: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy stays that of the old one."""
    before = Path("items.duckdb").read_bytes()
    other = iter([partial(held, "items.duckdb")])
    copyfile = shutil.copyfileobj

    def copy_slowly(source: Any, made: Any) -> None:
        for open_it in other:
            open_it()
        copyfile(source, made)

    monkeypatch.setattr(shutil, "copyfileobj", copy_slowly)
    assert_equals_files(TREES, "items.duckdb")
    assert Path(f"items.duckdb.schema{schema}.bak").read_bytes() == before
    assert not list(Path.cwd().glob(".*.part"))


def test_no_database_is_open_while_it_is_copied(
    schema: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_now: list[str] = []
    copyfile = shutil.copyfileobj
    links = Path("/proc/self/fd")
    if not links.is_dir():
        return

    def copy(source: Any, made: Any) -> None:
        open_now.extend(
            str(link) for link in links.iterdir()
            if link.exists() and link.resolve().name == "items.duckdb"
        )  # fmt: skip
        copyfile(source, made)

    monkeypatch.setattr(shutil, "copyfileobj", copy)
    assert held("items.duckdb").models == ("ash", "birch", "cedar")
    assert len(open_now) == 1  # the copy reads it


@pytest.mark.parametrize(
    ("name", "folder", "options"),
    [
        ("inspect", "inspect_ai/json_pair", {}),
        ("lm-eval", "lm_eval/current", {}),
        ("mteb", "mteb/results", {"filter": "external"}),
        ("leaderboard", "arena_hard/leaderboard", {}),
        ("judged", "alpaca_eval/results/claude-2", {}),
        ("swebench", "swebench/pro", {}),
        ("pairs", "votes/pairs", {}),
        ("errors", "tabarena/hpo_combined", {}),
    ],
)
def test_what_columns_of_bytes_held_is_what_the_files_hold(
    name: str, folder: str, options: dict[str, Any], tmp_path: Path
) -> None:
    shutil.copytree(STORES.parent / "fixtures" / folder, tmp_path / "logs")
    unpack_store(name, tmp_path)
    with inside(tmp_path):
        kept, direct = held(f"{name}.duckdb"), rb.read("logs", **options)
        if name == "pairs":  # counts are called as when they were added, then with their date
            dated = {"pair_counts_chatbotarena": "pair_counts_chatbotarena_20240814"}
            direct = direct.rename(tasks=dated)
        assert is_same(kept, replace(direct, notes=kept.notes))
        assert set(kept.notes) <= set(direct.notes)
        assert kept.inputs == direct.inputs


def test_finished_scores_in_columns_of_bytes_become_rows(tmp_path: Path) -> None:
    unpack_store("ready", tmp_path)
    with inside(tmp_path), open_store("ready.duckdb") as store:
        parts = [part for file in store.files() for part in file.parts]
    assert [type(part) for part in parts] == [ReadyScores, ReadyScores]
    for part, cells in zip(parts, ([1, 0, 0.5, 1], [0, 0, 0.25, 1]), strict=True):
        assert isinstance(part, ReadyScores)
        items, info = part.scores.tasks["t"], part.scores.info["t"]
        assert isinstance(items, Items)
        assert items.values[:, 0].tolist() == cells
        assert items.ids == ("0", "1", "2", "3")
        assert info.metric == "points"
        assert info.coverage is not None
        assert info.coverage.scored.tolist() == [4]
        assert [note.message for note in part.scores.notes] == ["Said."]


def unpack_store(name: str, folder: Path) -> None:
    """A store of schema 3."""
    packed = (STORES / f"{name}.schema3.duckdb.gz").read_bytes()
    (folder / f"{name}.duckdb").write_bytes(gzip.decompress(packed))
