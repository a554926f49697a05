"""Pairs that a store remembers: used as far as they hold, and never where they do not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from storefiles import add, held, inside, remove
from tablefiles import csv_text

import rankbars as rb
from rankbars.cli.app import run
from rankbars.data.boardfile import board_json
from rankbars.store.access import open_store
from rankbars.store.opening import connect
from rankbars.store.pairs import PairCache


def write_model(folder: Path, name: str, scores: Sequence[float], first: int = 0) -> None:
    columns: dict[str, list[Any]] = {
        "task": ["t"] * len(scores),
        "item": list(range(first, first + len(scores))),
        "score": list(scores),
    }
    (folder / f"{name}.csv").write_text(csv_text(columns), encoding="utf-8")


def rank(how: dict[str, str]) -> rb.Leaderboard:
    """The board of the store, which must do its tasks in the way `how` says; checked from scratch.

    Ranks, counts and notes are those without a memory, and numbers equal within 1e-9.
    """
    cache = PairCache("board.duckdb", least_rows=0, least_work=0)
    scores = held()
    board = rb.leaderboard(scores, memory=cache)
    assert cache.done == how
    assert cache.save()
    assert_same_board(board, rb.leaderboard(scores))
    return board


def assert_same_board(one: rb.Leaderboard, two: rb.Leaderboard) -> None:
    files = [json.loads(board_json(board)) for board in (one, two)]
    for content in files:
        del content["digest"]  # of every bit, and numbers are equal within 1e-9 only
    assert_close(*files)


def assert_close(one: Any, two: Any) -> None:
    if isinstance(one, dict):
        assert one.keys() == two.keys()
        for key in one:
            assert_close(one[key], two[key])
    elif isinstance(one, list):
        assert len(one) == len(two)
        for left, right in zip(one, two, strict=True):
            assert_close(left, right)
    elif isinstance(one, float):
        assert one == pytest.approx(two, rel=1e-9, abs=1e-12)
    else:
        assert one == two


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """Six models on forty items, in a store."""
    random = np.random.default_rng(5)
    for number, name in enumerate("abcdef"):
        write_model(tmp_path, name, (random.random(40) + 0.1 * number).tolist())
    with inside(tmp_path):
        add(*(f"{name}.csv" for name in "abcde"))
    return tmp_path


def test_what_has_not_changed_is_not_measured_again(filled: Path) -> None:
    with inside(filled):
        rank({"t": "measured"})
        rank({"t": "kept"})


def test_a_new_model_costs_its_own_pairs_only(filled: Path) -> None:
    with inside(filled):
        rank({"t": "measured"})
        add("f.csv")
        rank({"t": "models"})
        rank({"t": "kept"})


def test_a_corrected_model_replaces_its_own_pairs_only(filled: Path) -> None:
    with inside(filled):
        rank({"t": "measured"})
        write_model(filled, "b", np.random.default_rng(9).random(40).tolist())
        add("b.csv")
        rank({"t": "models"})


def test_a_removed_model_leaves_the_others_known(filled: Path) -> None:
    with inside(filled):
        rank({"t": "measured"})
        remove("c.csv")
        rank({"t": "models"})
        rank({"t": "kept"})


def test_some_of_the_models_are_known_too_and_replace_nothing(filled: Path) -> None:
    with inside(filled):
        rank({"t": "measured"})
        before = Path("board.duckdb").read_bytes()
        cache = PairCache("board.duckdb", 0, 0, is_fixed=True)
        some = held().select(models=["b", "d", "e"])
        board = rb.leaderboard(some, memory=cache)
        assert cache.done == {"t": "models"}
        assert_same_board(board, rb.leaderboard(some))
        assert cache.save()
        assert Path("board.duckdb").read_bytes() == before
        rank({"t": "kept"})


def test_models_that_come_and_go_leave_no_wrong_pair(filled: Path) -> None:
    random = np.random.default_rng(8)
    with inside(filled):
        rank({"t": "measured"})
        for number in range(4):
            if number == 2:
                remove("c.csv")
                rank({"t": "models"})
            write_model(filled, "c", random.random(40).tolist())
            add("c.csv")
            rank({"t": "models"})
        rank({"t": "kept"})


def test_new_items_are_merged(filled: Path) -> None:
    random = np.random.default_rng(6)
    with inside(filled):
        rank({"t": "measured"})
        (filled / "more").mkdir()
        for name in "abcde":
            # A table with a column of models: names from files would change with the folder.
            columns = {"model": [name] * 5, "task": ["t"] * 5, "item": list(range(40, 45)),
                       "score": random.random(5).tolist()}  # fmt: skip
            (filled / "more" / f"more_{name}.csv").write_text(csv_text(columns), encoding="utf-8")
        add("more")
        rank({"t": "rows"})
        rank({"t": "kept"})


def test_zeros_and_ones_are_updated_exactly(tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    for name in "abcd":
        write_model(tmp_path, name, random.integers(0, 2, 30).tolist())
    with inside(tmp_path):
        add("a.csv", "b.csv", "c.csv")
        rank({"t": "measured"})
        add("d.csv")
        board = rank({"t": "models"})
        assert board_json(board) == board_json(rb.leaderboard(held()))


def test_a_damaged_entry_is_found_and_measured_again(filled: Path) -> None:
    with inside(filled):
        rank({"t": "measured"})
        with connect(Path("board.duckdb"), "board", write=True) as connection:
            connection.execute(
                "UPDATE pair_cells SET norm = norm * (1 + 2e-16) WHERE number = 3 AND other = 1"
            )
        rank({"t": "measured"})
        rank({"t": "kept"})


def test_ranking_goes_on_where_nothing_can_be_remembered(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rankbars.store import pairs

    monkeypatch.setattr(pairs, "LEAST_WORK", 0)
    monkeypatch.setattr(pairs, "SAVING_PATIENCE", 0.1)
    with inside(filled):
        cache = PairCache("board.duckdb", least_rows=0, least_work=0)
        rb.leaderboard(held(), memory=cache)
        # Another reader holds the store; writing is not possible beside it.
        with open_store("board.duckdb"):
            assert not cache.save()
        assert cache.save()
        before = Path("board.duckdb").read_bytes()
        assert run(["rank", "board.duckdb", "--models", "a", "--models", "b", "-q"]) == 0
        assert Path("board.duckdb").read_bytes() == before


def test_the_command_line_remembers(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "rankbars.cli.readingoptions.memory_of",
        lambda inputs, **how: PairCache(inputs[0], 0, 0, **how),
    )
    with inside(filled):
        add("f.csv")
        for name in ("one.json", "two.json"):
            assert run(["rank", "board.duckdb", "-o", name, "-q"]) == 0
        with connect(Path("board.duckdb"), "board", write=False) as connection:
            assert connection.execute("SELECT task FROM pair_tasks").fetchall() == [("t",)]
        assert Path("one.json").read_bytes() == Path("two.json").read_bytes()


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_digests_see_every_change_of_scores(data: st.DataObject) -> None:
    from rankbars.store.pairs import _digest_columns

    value = st.sampled_from([0.0, 1.0, -1.0, 0.5, 2.0, -0.0, 1.0 + 2**-52, 5e-324])
    column = st.lists(value, min_size=2, max_size=40)
    one = data.draw(column)
    # What goes unseen most easily: signs turned and answers exchanged, many at once.
    other = data.draw(
        st.one_of(
            st.permutations(one),
            st.lists(st.booleans(), min_size=len(one), max_size=len(one)).map(
                lambda turned: [-x if turn else x for x, turn in zip(one, turned, strict=True)]
            ),
            st.lists(value, min_size=len(one), max_size=len(one)),
        )
    )
    found = _digest_columns(np.array([one, other]).T.copy())
    assert (found[0] == found[1]) == (one == other)


def test_digests_of_exchanged_answers_do_not_meet_by_chance() -> None:
    from rankbars.store.pairs import _digest_columns

    # All columns with two right answers among 200: 19,900 ways, every pair of which is compared.
    first, second = np.triu_indices(200, 1)
    values = np.zeros((200, first.size))
    values[first, np.arange(first.size)] = values[second, np.arange(first.size)] = 1.0
    found = _digest_columns(values)
    assert len(set(found)) == len(found)
    assert len({one[:16] for one in found}) == len(found)
