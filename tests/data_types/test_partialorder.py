"""The partial order: few lines, no cycles, safe names."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankbars as rb
from rankbars.data.partialorder import PartialOrder
from rankbars.stats.orders import transitive_closure


@st.composite
def orders(draw: st.DrawFn) -> np.ndarray:
    size = draw(st.integers(1, 7))
    seed = draw(st.integers(0, 999))
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((size, size)) < draw(st.sampled_from((0.0, 0.3, 0.8))), 1)
    place = rng.permutation(size)
    return transitive_closure(upper)[np.ix_(place, place)]


@given(shown=orders())
def test_lines_and_what_follows_from_them_are_the_relation(shown: np.ndarray) -> None:
    names = tuple("abcdefg"[: len(shown)])
    order = PartialOrder(names, shown)
    lines = np.zeros_like(shown)
    for better, worse in order.edges:
        lines[names.index(better), names.index(worse)] = True
    assert (transitive_closure(lines) == shown).all()
    # No line can be left out.
    for better, worse in order.edges:
        fewer = lines.copy()
        fewer[names.index(better), names.index(worse)] = False
        assert not (transitive_closure(fewer) == shown).all()


@given(shown=orders())
def test_every_model_stands_below_all_that_are_better(shown: np.ndarray) -> None:
    names = tuple("abcdefg"[: len(shown)])
    layers = PartialOrder(names, shown).layers
    level = {name: number for number, layer in enumerate(layers) for name in layer}
    assert sorted(level) == sorted(names)
    for i, j in np.argwhere(shown):
        assert level[names[i]] < level[names[j]]
    assert all(layers)


def test_a_cycle_has_no_diagram() -> None:
    loop = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=bool)
    with pytest.raises(rb.DataError, match="cycle"):
        PartialOrder(("a", "b", "c"), loop)


def test_names_cannot_break_out_of_the_dot_text() -> None:
    name = 'x"]; evil [label="\\'
    text = PartialOrder((name, "b\nc"), [[False, True], [False, False]]).to_dot()
    assert '"x\\"]; evil [label=\\"\\\\"' in text
    assert text.count("\n") == 8
    assert "b c" in text


def test_a_board_gives_its_partial_order() -> None:
    rng = np.random.default_rng(0)
    tasks = {n: rng.normal(size=(60, 3)) + [0.0, 1.0, 2.0] for n in ("x", "y")}
    board = rb.leaderboard(rb.Scores.from_arrays(tasks, ["a", "b", "c"]))
    assert board.partial_order().edges == (("b", "a"), ("c", "b"))
