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


def test_what_follows_from_the_statements_is_added() -> None:
    chain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    order = PartialOrder(("a", "b", "c"), chain)
    assert order.shown_better[0, 2]
    assert order.levels.tolist() == [0, 1, 2]
    assert (order.above("c"), order.below("a")) == (("a", "b"), ("b", "c"))
    with pytest.raises(rb.UnknownOptionError):
        order.above("d")


def test_a_model_cannot_be_better_than_itself() -> None:
    with pytest.raises(rb.DataError, match=r"'b'.*better than itself"):
        PartialOrder(("a", "b"), [[False, False], [False, True]])


def test_a_cycle_names_its_models() -> None:
    loop = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=bool)
    with pytest.raises(rb.DataError, match="'a', 'b'"):
        PartialOrder(("a", "b", "c"), loop)


def three_tied_pairs() -> rb.Aggregate:
    rng = np.random.default_rng(3)
    means = np.repeat([0.0, 1.0, 2.0], 2)
    tasks = {n: rng.normal(size=(50, 6)) + means for n in ("x", "y", "z")}
    return rb.aggregate(rb.Scores.from_arrays(tasks, list("abcdef")), resamples=4000)


def test_orders_from_draws_from_contrasts_and_of_the_average_agree_on_clear_gaps() -> None:
    average = three_tied_pairs()
    assert average.draws is not None
    assert average.contrasts is not None
    wanted = {(i, j) for i in "cd" for j in "ab"} | {(i, j) for i in "ef" for j in "cd"}
    for order in (
        average.partial_order(),
        average.contrasts.partial_order(),
        average.draws.partial_order(),
        average.draws.partial_order(correction="bonferroni"),
    ):
        assert set(order.edges) == wanted
        assert order.layers == (("e", "f"), ("c", "d"), ("a", "b"))


def test_pairs_of_which_a_share_may_be_wrong_make_no_order() -> None:
    draws = three_tied_pairs().draws
    assert draws is not None
    with pytest.raises(rb.OptionError, match="all hold at once"):
        draws.partial_order(correction="bh")  # type: ignore[arg-type]


def test_uncorrected_contrasts_make_no_order() -> None:
    rng = np.random.default_rng(0)
    scores = rb.Scores.from_arrays({n: rng.random((20, 3)) for n in "xy"}, ["a", "b", "c"])
    contrasts = rb.aggregate(scores, correction="none").contrasts
    assert contrasts is not None
    with pytest.raises(rb.OptionError, match="all hold at once"):
        contrasts.partial_order()


def test_too_few_draws_for_an_order_say_how_many_are_needed() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(598, 6)) + np.arange(6) * 50
    with pytest.raises(rb.OptionError, match="at least 599 are needed"):
        rb.Draws(tuple("abcdef"), values, "normal").partial_order()
    enough = np.vstack([values, values[:1]])
    order = rb.Draws(tuple("abcdef"), enough, "normal").partial_order()
    assert order.layers == tuple((name,) for name in "fedcba")


def test_models_without_a_score_stand_apart() -> None:
    values = np.array([[2.0, np.nan, 1.0]] * 200)
    order = rb.Draws(("a", "b", "c"), values, "normal").partial_order()
    assert order.edges == (("a", "c"),)
    assert order.above("b") == order.below("b") == ()


def test_majorities_of_draws_that_run_in_a_circle_are_not_stated() -> None:
    # a beats b, b beats c, c beats a, each in two draws of three: every draw breaks one of the
    # three, so their error rates cannot all be small.
    values = np.tile([[3.0, 2.0, 1.0], [1.0, 3.0, 2.0], [2.0, 1.0, 3.0]], (2000, 1))
    draws = rb.Draws(("a", "b", "c"), values, "normal")
    assert draws.dominance()[[0, 1, 2], [1, 2, 0]] == pytest.approx(2 / 3)
    assert draws.partial_order(alpha=0.5).edges == ()
