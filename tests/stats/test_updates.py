"""Updated pairs equal pairs computed from scratch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.pairwise.updates import (
    add_models,
    add_rows,
    known_t,
    measure_known,
    take_known,
)

KINDS = ("normal", "binary", "whole", "offset", "clones", "level", "mixed")


def make_values(kind: str, n: int, size: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, size))
    if kind == "binary":
        return (values > 0).astype(np.float64)
    if kind == "whole":
        return np.rint(values * 3) + 100.0
    if kind == "offset":
        return values + 1e6
    if kind == "clones":
        return values[:, :1] + 1e-12 * values
    if kind == "level":
        return np.repeat(values[:, :1], size, axis=1) + rng.integers(0, 2, size) * 0.1
    if kind == "mixed":
        values[:, ::2] = values[:, [0]]
        values[:, 1] = 0.3
    return values


def assert_same(found, expected, relative=1e-9):
    scale = np.abs(expected.diff).max(initial=0.0)
    np.testing.assert_allclose(found.diff, expected.diff, rtol=relative, atol=1e-14 * scale)
    np.testing.assert_allclose(found.statistic, expected.statistic, rtol=relative, atol=1e-9)
    assert np.array_equal(found.constant, expected.constant)
    assert np.array_equal(found.identical, expected.identical)
    assert (found.df, found.n) == (expected.df, expected.n)
    assert np.array_equal(found.statistic, -found.statistic.T)


cases = given(
    st.sampled_from(KINDS), st.integers(2, 30), st.integers(2, 7), st.integers(0, 50), st.data()
)


@cases
def test_new_models_add_what_all_models_would_have(kind, n, size, seed, data):
    values = make_values(kind, n, size, seed)
    chosen = data.draw(st.sets(st.integers(0, size - 1), min_size=1))
    places = np.array(sorted(chosen), dtype=np.intp)
    known = measure_known(np.ascontiguousarray(values[:, places]))
    assert_same(known_t(add_models(known, values, places)), paired_t(values))


@cases
def test_new_rows_merge_in_any_order(kind, n, size, seed, data):
    values = make_values(kind, n + 2, size, seed)
    cut = data.draw(st.integers(2, n))
    order = np.random.default_rng(seed).permutation(len(values))
    parts = values[order[:cut]], values[order[cut:]]
    merged = add_rows(*(measure_known(np.ascontiguousarray(p)) for p in parts), values)
    assert_same(known_t(merged), paired_t(values))


@cases
def test_models_can_be_taken_out_again(kind, n, size, seed, data):
    values = make_values(kind, n, size, seed)
    chosen = data.draw(st.permutations(range(size)))[: data.draw(st.integers(1, size))]
    kept = np.array(chosen, dtype=np.intp)
    taken = take_known(measure_known(values), kept)
    assert_same(known_t(taken), paired_t(np.ascontiguousarray(values[:, kept])))


def test_statistics_do_not_use_up_what_is_known():
    known = measure_known(make_values("normal", 20, 4, 0))
    assert np.array_equal(known_t(known).statistic, known_t(known).statistic)


@pytest.mark.parametrize("kind", ["normal", "binary"])
def test_a_chain_of_updates_ends_where_a_fresh_start_does(kind):
    values = make_values(kind, 300, 12, 4)
    first = np.ascontiguousarray(values[:150, :8])
    known = measure_known(first)
    known = add_models(known, np.ascontiguousarray(values[:150, :11]), np.arange(8))
    known = add_rows(
        known, measure_known(np.ascontiguousarray(values[150:, :11])),
        np.ascontiguousarray(values[:, :11]),
    )  # fmt: skip
    known = add_models(known, values, np.arange(11))
    assert_same(known_t(known), paired_t(values), relative=1e-12)
    assert known.whole == (kind == "binary")
    np.testing.assert_allclose(known.square, np.square(values).sum(axis=0))
