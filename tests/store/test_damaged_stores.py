"""Whatever is in the file of a store: what it held before, or words that say what is wrong."""

from __future__ import annotations

import io
import random
import shutil
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from limits import time_limit
from storefiles import add, held, inside
from storemutations import STORE, change_catalogue, change_rows, damage_bytes, make_another
from tablefiles import csv_text
from votefiles import draw_rows, write_rows

import rankbars as rb
from rankbars.cli.app import run
from rankbars.store.pairs import PairCache

DATA = Path(__file__).parent.parent / "data"
SECRET = "what nobody may see"
RANK = ["rank", STORE, "-q", "-o", "board.json", "--missing", "pairwise"]
MANY = 1_000

Change = Callable[[Path, random.Random], None]


class Sound(NamedTuple):
    """A store before it is damaged, and its board."""

    store: Path
    board: bytes


@pytest.fixture(scope="session")
def stores(tmp_path_factory: pytest.TempPathFactory) -> list[Sound]:
    """Rows of a table and what is remembered of their pairs, votes, and a log."""
    made = []
    for fill in (_fill_with_rows, _fill_with_votes, _fill_with_logs):
        folder = tmp_path_factory.mktemp("store")
        with inside(folder):
            fill()
            assert answer(RANK)[0] == 0
        made.append(Sound(folder / STORE, (folder / "board.json").read_bytes()))
    return made


def _fill_with_rows() -> None:
    rng = np.random.default_rng(1)
    for seed, name in enumerate("abc"):
        columns = {
            "task": ["t"] * 12, "item": list(range(12)), "cluster": ["p", "q", "r"] * 4,
            "weight": [1, 2] * 6, "score": (rng.random(12) + seed / 4).round(2).tolist(),
        }  # fmt: skip
        Path(f"{name}.csv").write_text(csv_text(columns), encoding="utf-8")
    add("a.csv", "b.csv", "c.csv")
    remembered = PairCache(STORE, least_rows=0, least_work=0)
    rb.leaderboard(held(), memory=remembered)
    assert remembered.save()


def _fill_with_votes() -> None:
    write_rows(draw_rows(60, (0.0, 0.5, 1.0)), Path("votes.csv"))
    add("votes.csv")


def _fill_with_logs() -> None:
    shutil.copytree(DATA / "fixtures" / "inspect_ai" / "json_pair", "logs")
    add("logs")


def answer(words: list[str]) -> tuple[int, str]:
    """What a command says, within its bounds."""
    said = io.StringIO()
    with time_limit(), redirect_stderr(said), redirect_stdout(said):
        status = run(words)
    text = said.getvalue()
    assert SECRET not in text
    assert "\x1b" not in text
    assert len(text) < 4000, text[:1000]
    return status, text


def check(sound: Sound, change: Change, rng: random.Random) -> str:
    """What a changed store is answered with; raises what must not be raised."""
    for name in (STORE, f"{STORE}.wal", "board.json"):
        Path(name).unlink(missing_ok=True)
    shutil.copy(sound.store, STORE)
    change(Path(STORE), rng)
    for words in (["log", STORE], RANK) if rng.random() < 0.4 else (RANK,):
        status, text = answer(words)
        assert status in (0, 1), text
        # Other rows may be results with gaps, which is told in a list.
        if status == 1 and change is not change_rows:
            assert STORE in text, text
            assert len(text.strip().splitlines()) == 1, text
        assert status == 0 or text.startswith("Error: "), text
    if status == 1:
        return "refused"
    content = Path("board.json").read_bytes()
    if content == sound.board:
        return "the same"
    assert change is change_rows
    rb.load("board.json")
    return "another"


def run_all(stores: list[Sound], change: Change, numbers: Iterable[int], folder: Path) -> set[str]:
    """Changes with these numbers; all failures are told."""
    found, failures = set(), []
    with inside(folder):
        Path("secret.txt").write_text(SECRET, encoding="utf-8")
        for number in numbers:
            rng = random.Random(f"{change.__name__} {number}")
            try:
                found.add(check(stores[number % len(stores)], change, rng))
            except Exception as error:  # noqa: BLE001  (all of them are what is looked for)
                failures.append(f"{number}: {type(error).__name__}: {error}"[:1000])
    assert not failures, "\n".join(failures[:20])
    return found


def test_damaged_bytes_give_the_same_board_or_are_refused_in_a_line(
    stores: list[Sound], tmp_path: Path
) -> None:
    assert run_all(stores, damage_bytes, range(10), tmp_path) == {"the same", "refused"}


def test_what_no_store_holds_is_refused_in_a_line(stores: list[Sound], tmp_path: Path) -> None:
    assert run_all(stores, change_catalogue, range(8), tmp_path) <= {"the same", "refused"}


def test_other_databases_are_refused_in_a_line(stores: list[Sound], tmp_path: Path) -> None:
    assert run_all(stores, make_another, range(3), tmp_path) == {"refused"}


def test_other_rows_give_a_board_or_a_clear_error(stores: list[Sound], tmp_path: Path) -> None:
    assert {"the same", "refused"} <= run_all(stores, change_rows, range(10), tmp_path)


def test_texts_without_end_or_with_signs_and_nothing_where_a_text_belongs_are_answered(
    stores: list[Sound], tmp_path: Path
) -> None:
    # Found by the test of many more: each was a traceback, a raw sign, or a page of one text.
    found = (228, 248, 453, 505, 511, 564, 678, 740)
    assert run_all(stores, change_rows, found, tmp_path) == {"the same", "refused"}


@pytest.mark.soak
@pytest.mark.parametrize(
    "change", [damage_bytes, change_catalogue, make_another, change_rows],
    ids=lambda change: change.__name__,
)  # fmt: skip
def test_many_more_changes_of_stores_end_as_the_few_do(
    change: Change, stores: list[Sound], tmp_path: Path
) -> None:
    run_all(stores, change, range(100, 100 + MANY), tmp_path)
