"""P(i beats j) counted in draws, and which pairs may be stated."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.stats.multitest import multipletests

from rankbars.errors import OptionError
from rankbars.stats.resampling.rankcounts import dominance, state_pairs


@given(
    values=arrays(
        np.float64,
        st.tuples(st.integers(1, 20), st.integers(1, 5)),
        elements=st.integers(0, 3).map(float),
    )
)
def test_shares_are_counted_without_ties(values):
    expected = (values[:, :, None] > values[:, None, :]).mean(axis=0)
    assert dominance(values) == pytest.approx(expected, abs=1e-15)


def test_draws_with_and_without_ties_are_counted_alike():
    values = np.random.default_rng(0).normal(size=(1003, 6))
    values[::3] = np.round(values[::3])
    expected = (values[:, :, None] > values[:, None, :]).mean(axis=0)
    assert dominance(values) == pytest.approx(expected, abs=1e-15)


def test_many_models_are_compared_in_blocks():
    values = np.random.default_rng(0).normal(size=(100_001, 12))
    expected = np.array([(values[:, [j]] > values).mean(axis=0) for j in range(12)])
    assert (dominance(values) == expected).all()


@pytest.mark.parametrize(
    ("correction", "reference"), [("bonferroni", "bonferroni"), ("holm", "holm"), ("bh", "fdr_bh")]
)
def test_stated_pairs_agree_with_statsmodels(correction, reference):
    draws = 4_999
    values = np.random.default_rng(1).normal(size=(draws, 7)) + np.arange(7) * 0.9
    better = dominance(values)
    found = state_pairs(better, draws, 0.1, correction)
    stated = found.stated
    assert found.promise == ("share" if correction == "bh" else "all")
    first, second = np.triu_indices(7, 1)
    # Here the later model is always ahead.
    lost = (values[:, first] >= values[:, second]).sum(axis=0)
    p = np.minimum(2 * (lost + 1) / (draws + 1), 1)
    expected = multipletests(p, 0.1, method=reference)[0]
    assert 0 < expected.sum() < p.size
    assert (stated[second, first] == expected).all()
    assert not stated[first, second].any()


def test_too_few_draws_to_state_anything_are_reported():
    values = np.repeat(np.arange(30.0)[None, :], 1000, axis=0)
    few = state_pairs(dominance(values), 1000, 0.05, "bonferroni")
    assert not few.reachable
    assert not few.stated.any()
    enough = state_pairs(dominance(values), 20_000, 0.05, "bonferroni")
    assert enough.reachable
    assert enough.stated.sum() == 30 * 29 / 2


def test_tied_models_are_never_stated_to_differ():
    values = np.random.default_rng(0).normal(size=(2000, 1))
    stated = state_pairs(dominance(np.hstack([values, values])), 2000, 0.5, "bh").stated
    assert not stated.any()


def test_one_model_has_no_pairs():
    assert state_pairs(np.zeros((1, 1)), 10, 0.05).stated.tolist() == [[False]]


def test_unknown_corrections_and_levels_are_refused():
    with pytest.raises(OptionError, match="Unknown correction of dominance 'hb'"):
        state_pairs(np.zeros((2, 2)), 10, 0.05, "hb")
    with pytest.raises(OptionError, match="alpha"):
        state_pairs(np.zeros((2, 2)), 10, 1.5)
