"""Boards of one store made at the same time: what one remembers never mixes with another's."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from strategies import FEWEST

from rankbars.data.evidence import Items
from rankbars.store.access import open_store
from rankbars.store.holdings import Change
from rankbars.store.opening import connect
from rankbars.store.pairentries import build_entry, fetch_entries
from rankbars.store.pairs import PairCache

MODELS = "abcdefg"
Step = tuple[str, *tuple[Any, ...]]
Scores = Mapping[str, NDArray[np.float64]]


def draw_scores(seed: int, size: int) -> dict[str, NDArray[np.float64]]:
    random = np.random.default_rng(seed)
    return {model: random.integers(0, 5, size) / 4 + random.random(size) for model in MODELS}


FIRST = draw_scores(1, 12)
# What a store may hold at different times: as it was, some scores corrected, more items.
STATES: tuple[Scores, ...] = (
    FIRST,
    {**FIRST, **{model: draw_scores(2, 12)[model] for model in "bd"}},
    {model: np.r_[FIRST[model], draw_scores(3, 5)[model]] for model in MODELS},
)


@pytest.fixture
def store(tmp_path: Path) -> str:
    return make_store(tmp_path)


def make_store(folder: Path) -> str:
    path = str(folder / "board.duckdb")
    with open_store(path, write=True, create=True) as opened:
        opened.apply(Change.of())
    return path


def recall(store: str, models: Sequence[str], scores: Scores) -> PairCache:
    """A memory that was asked about the models; what it says is checked from scratch."""
    cache = PairCache(store, least_rows=0, least_work=0)
    values = np.column_stack([scores[model] for model in models])
    ids = tuple(f"item {number}" for number in range(len(values)))
    known = cache.recall("t", Items(tuple(models), values, ids=ids))
    means = values.mean(axis=0)
    np.testing.assert_allclose(known.moments.diff, means[:, None] - means[None, :], atol=1e-12)
    apart = values[:, :, None] - values[:, None, :]
    spread = np.sqrt(((apart - apart.mean(axis=0)) ** 2).sum(axis=0))
    np.testing.assert_allclose(known.moments.norm, spread, atol=1e-7)
    return cache


steps = st.lists(
    st.one_of(
        st.tuples(
            st.just("rank"),
            st.lists(st.sampled_from(MODELS), min_size=2, unique=True).map(sorted),
            st.sampled_from(range(len(STATES))),
        ),
        st.tuples(st.just("save"), st.integers(0, 5)),
    ),
    min_size=3,
    max_size=14,
)


@FEWEST
@given(steps=steps)
def test_boards_that_overlap_in_any_order_leave_no_wrong_pair(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = make_store(Path(folder))
        recall(store, "abc", FIRST).save()
        running: list[PairCache] = []
        for what, *about in steps:
            if what == "rank":
                models, state = about
                running.append(recall(store, models, STATES[state]))
            elif running:
                assert running.pop(about[0] % len(running)).save()
        for cache in running:
            assert cache.save()
        for state in STATES:
            for models in ("ab", "abcd", MODELS):
                recall(store, models, state)


def test_what_another_board_has_saved_stays(store: str) -> None:
    recall(store, "abc", FIRST).save()
    slow, quick = recall(store, "abcd", FIRST), recall(store, "ab", FIRST)
    assert slow.done == quick.done == {"t": "models"}
    assert slow.save()
    assert quick.save()
    assert recall(store, "abcd", FIRST).done == {"t": "kept"}


def test_two_boards_of_a_new_store_leave_one_entry(store: str) -> None:
    one, two = recall(store, "abc", FIRST), recall(store, "efg", FIRST)
    assert one.save()
    assert two.save()
    assert recall(store, "abc", FIRST).done == {"t": "kept"}
    assert recall(store, "efg", FIRST).done == {"t": "measured"}


def test_saving_twice_writes_once(store: str) -> None:
    recall(store, "abc", FIRST).save()
    cache = recall(store, "abcd", FIRST)
    assert cache.save()
    before = Path(store).read_bytes()
    assert cache.save()
    assert Path(store).read_bytes() == before
    assert recall(store, "abcd", FIRST).done == {"t": "kept"}


@pytest.mark.parametrize(
    "change",
    [
        {"following": 2},
        {"following": -1},
        {"numbers": [0, 1]},
        {"numbers": [0, 1, 7]},
        {"numbers": [0, 1, 1]},
        {"numbers": None},
        {"models": ["a", "b"]},
        {"columns": ["x"]},
        {"total": [[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]},
        {"peak": "high"},
        {"level": [[0, 9, 1.0, 0.0]]},
        {"level": [1, 2]},
        {"size": None},
    ],
    ids=str,
)
def test_an_entry_that_does_not_fit_itself_is_not_used(
    change: dict[str, object], store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    recall(store, "abc", FIRST).save()
    with connect(Path(store), store, write=False) as connection:
        raw = fetch_entries(connection, "t")["t"]
    assert build_entry(raw) is not None
    # Digests are taken for right, as they would be where two entries were mixed.
    monkeypatch.setattr("rankbars.store.pairentries._digest_entry", lambda facts, total: raw.digest)
    assert build_entry(raw._replace(facts=json.dumps({**json.loads(raw.facts), **change}))) is None


def test_pairs_that_stand_twice_are_not_used(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    recall(store, "abc", FIRST).save()
    with connect(Path(store), store, write=False) as connection:
        raw = fetch_entries(connection, "t")["t"]
    monkeypatch.setattr("rankbars.store.pairentries._digest_entry", lambda facts, total: raw.digest)
    twice = raw.number.copy(), raw.other.copy()
    twice[0][1], twice[1][1] = raw.other[0], raw.number[0]
    assert build_entry(raw._replace(number=twice[0], other=twice[1])) is None
