"""What every test of differences holds to, whether it ranks, trims, counts or flips them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import golden

from rankbars.stats.pairwise.discordance import mcnemar_exact, mcnemar_midp
from rankbars.stats.pairwise.estimates import welch_t
from rankbars.stats.pairwise.pairstatistics import p_values
from rankbars.stats.pairwise.robust import trimmed_t, wilcoxon
from rankbars.stats.pairwise.runeffects import two_way_t
from rankbars.stats.pairwise.signflip import sign_flip


def trimmed(values):
    return p_values(trimmed_t(values))


def flipped(values):
    return sign_flip(values, draws=199)


def cluster_flipped(values):
    return sign_flip(values, np.arange(len(values)) // 2, draws=199)


def row_flipped(values):
    """Every row a cluster of its own."""
    return sign_flip(values, np.arange(len(values)), draws=199)


def crossed(values):
    """Every row seen as one item; as many runs as items, which repeat it."""
    return p_values(two_way_t(np.repeat(values[:, None, :], len(values), axis=1)))


def crossed_at_random(values):
    """The same with runs that differ."""
    n = len(values)
    noise = np.round(np.random.default_rng(n).normal(size=(n, 3, 1)), 2)
    return p_values(two_way_t(values[:, None, :] * (1 + noise) + noise))


def welch(values):
    return p_values(welch_t(values))


GRADED = {"wilcoxon": wilcoxon, "trimmed": trimmed, "sign_flip": flipped}
BINARY = {"mcnemar_exact": mcnemar_exact, "mcnemar_midp": mcnemar_midp}
PAIRED = {**GRADED, "cluster_flip": row_flipped, "two_way": crossed}
ALL = {**GRADED, **BINARY, "cluster_flip": cluster_flipped, "two_way": crossed_at_random}
# Matrix products may add up the columns of another order in another order.
NEARLY = {"two_way"}


@st.composite
def score_matrices(draw, *, binary=False, rows=(5, 26), missing=False):
    """Scores of a few models with ties, copies and constant differences among them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, n_models = draw(st.integers(*rows)), draw(st.integers(2, 6))
    values = rng.standard_t(3, size=(n, n_models)) + rng.normal(size=(n, 1))
    if binary:
        values = (values > 0).astype(float)
    elif draw(st.booleans()):
        values = np.round(values * 3) / 3
    for _ in range(draw(st.integers(0, 2))):
        source, target = rng.integers(0, n_models, size=2)
        shift = 0.0 if binary else draw(st.sampled_from([0.0, 0.1]))
        values[:, target] = values[:, source] + shift
    if missing:
        values[rng.random(values.shape) < 0.2] = np.nan
    return values


def matrices_for(name, **options):
    return score_matrices(binary=name in BINARY, **options)


def assert_same(name, found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-9 if name in NEARLY else 0, atol=0)


@pytest.mark.parametrize("name", PAIRED)
def test_differences_that_do_not_vary_follow_the_one_policy(name):
    test = PAIRED[name]
    cases = golden("degenerate")
    constant = {10: cases[1], 4: cases[2], 3: cases[4]}  # by number of rows
    item = np.random.default_rng(3).normal(size=(10, 1))
    for n in (10, 4):
        values = np.round(item[:n], 3) + np.array([1.0, 0.0])
        np.testing.assert_allclose(test(values), constant[n]["p_better"], rtol=1e-12)
    shifted = np.array([[0.3, 0.2], [0.4, 0.3], [0.5, 0.4]])
    np.testing.assert_allclose(test(shifted), constant[3]["p_better"], rtol=1e-12)
    np.testing.assert_array_equal(test(np.repeat(item, 5, axis=1)), np.ones((5, 5)))
    np.testing.assert_array_equal(test(np.array([[0.1 + 0.2, 0.3]] * 6)), np.ones((2, 2)))
    np.testing.assert_array_equal(test(np.array([[0.9, 0.5, 0.1]])), np.ones((3, 3)))
    np.testing.assert_array_equal(test(item), [[1.0]])


@pytest.mark.parametrize("name", BINARY)
def test_solved_or_not_follows_the_one_policy(name):
    test = BINARY[name]
    for n in (2, 4, 10):
        values = np.array([[1.0, 0.0]] * n)
        np.testing.assert_array_equal(test(values), [[1.0, 2.0**-n], [1.0, 1.0]])
    np.testing.assert_array_equal(test(np.array([[1.0, 0.0]])), np.ones((2, 2)))
    np.testing.assert_array_equal(test(np.array([[1.0] * 4, [0.0] * 4])), np.ones((4, 4)))
    np.testing.assert_array_equal(test(np.zeros((0, 2))), np.ones((2, 2)))


def test_unpaired_samples_that_do_not_vary_follow_the_one_policy():
    values = np.array([[1.0, 0.0]] * 6)
    values[4:, 0] = np.nan
    np.testing.assert_allclose(welch(values), [[1.0, 2.0**-4], [1.0, 1.0]], rtol=1e-12)
    np.testing.assert_array_equal(welch(np.array([[0.1 + 0.2, 0.3]] * 6)), np.ones((2, 2)))
    np.testing.assert_array_equal(welch(np.array([[0.9, 0.5, 0.1]])), np.ones((3, 3)))
    np.testing.assert_array_equal(welch(np.array([[1.0], [2.0]])), [[1.0]])


@pytest.mark.parametrize("name", ["wilcoxon", "trimmed", "sign_flip", "mcnemar_exact"])
def test_models_that_share_no_rows_are_not_compared(name):
    nan = np.nan
    values = np.array([[1.0, nan, 0.0], [1.0, nan, 0.0], [nan, 1.0, nan], [nan, 0.0, nan]])
    p = ALL[name](values)
    np.testing.assert_array_equal(p[1], 1.0)
    np.testing.assert_array_equal(p[:, 1], 1.0)
    assert p[0, 2] == pytest.approx(0.25, rel=1e-12)


@pytest.mark.parametrize("name", ["wilcoxon", "sign_flip"])
def test_certainty_is_never_claimed(name):
    """A p-value of 0 would be false certainty: the floor is the smallest normal number."""
    values = np.zeros((3000, 2))
    values[:, 0] = np.linspace(1, 2, 3000) if name == "wilcoxon" else 1.0
    p = GRADED[name](values)
    assert p[0, 1] > 0
    assert p[0, 1] < 1e-300


@pytest.mark.parametrize("name", ALL)
@given(data=st.data())
def test_reordering_the_models_reorders_the_p_values(name, data):
    values = data.draw(matrices_for(name))
    order = np.random.default_rng(0).permutation(values.shape[1])
    assert_same(name, ALL[name](values[:, order]), ALL[name](values)[np.ix_(order, order)])


@pytest.mark.parametrize("name", ALL)
@given(data=st.data())
def test_another_model_changes_nothing_for_the_others(name, data):
    values = data.draw(matrices_for(name))
    assert_same(name, ALL[name](values)[:-1, :-1], ALL[name](values[:, :-1]))


@pytest.mark.parametrize("name", ALL)
@given(data=st.data())
def test_negated_scores_transpose_the_p_values(name, data):
    values = data.draw(matrices_for(name))
    mirrored = 1 - values if name in BINARY else -values
    if name == "two_way":
        cube = values[:, None, :] * np.array([1.0, 1.5, 0.75])[:, None]
        np.testing.assert_allclose(
            p_values(two_way_t(-cube)), p_values(two_way_t(cube)).T, rtol=1e-12
        )
    else:
        np.testing.assert_array_equal(ALL[name](mirrored), ALL[name](values).T)


@pytest.mark.parametrize("name", [*GRADED, "cluster_flip", "two_way"])
@given(data=st.data())
def test_difficulty_of_rows_and_units_of_scores_do_not_matter(name, data):
    values = data.draw(matrices_for(name))
    test = crossed if name == "two_way" else ALL[name]
    difficulty = np.random.default_rng(1).normal(size=(len(values), 1)) * 30
    expected = test(values)
    np.testing.assert_allclose(test(values + difficulty), expected, rtol=1e-8)
    np.testing.assert_allclose(test(values * 3.7), expected, rtol=1e-8)
    np.testing.assert_array_equal(test(values * 2.0**700), expected)
    np.testing.assert_array_equal(test(values * 2.0**-700), expected)


@pytest.mark.parametrize("name", ALL)
@given(data=st.data())
def test_identical_models_get_identical_p_values(name, data):
    values = data.draw(matrices_for(name))
    p = ALL[name](np.hstack([values, values[:, :1]]))
    others = slice(1, values.shape[1])
    np.testing.assert_array_equal(p[0, others], p[-1, others])
    np.testing.assert_array_equal(p[others, 0], p[others, -1])
    assert p[0, -1] == p[-1, 0] == 1.0


@pytest.mark.parametrize("name", ["wilcoxon", "trimmed", "sign_flip", *BINARY])
@given(data=st.data())
def test_a_pair_is_compared_on_the_rows_that_both_have(name, data):
    # Up to 20 rows all sign patterns are counted, so that rows elsewhere cannot matter.
    values = data.draw(matrices_for(name, rows=(3, 20), missing=True))
    p = ALL[name](values)
    for i in range(values.shape[1]):
        for j in range(values.shape[1]):
            both = values[:, [i, j]]
            both = both[~np.isnan(both).any(axis=1)]
            expected = 1.0 if i == j else ALL[name](both)[0, 1]
            assert p[i, j] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", ALL)
@given(data=st.data())
def test_p_values_are_probabilities_that_do_not_contradict_each_other(name, data):
    p = ALL[name](data.draw(matrices_for(name)))
    assert ((p > 0) & (p <= 1)).all()
    np.testing.assert_array_equal(np.diag(p), 1.0)
    assert (p + p.T >= 1 - 1e-12).all()
