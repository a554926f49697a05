"""What a model earns on a task, against the reference values and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from reference import golden
from scipy import stats

from rankbars.stats.averaging.points import (
    binned_ranks,
    borda_points,
    field_wins,
    first_places,
    noise_ranks,
    noisy_ranks,
    win_shares,
)
from rankbars.stats.ranks import midranks

shares = arrays(
    np.float64,
    st.tuples(st.integers(1, 4), st.integers(1, 6)),
    elements=st.integers(0, 20).map(lambda k: k / 20),
)


def test_average_ranks_of_the_reference():
    rows = golden("rank_aggregation")
    tasks = np.array(rows["accuracy_models_by_tasks"]).T
    assert midranks(tasks).mean(axis=0) == pytest.approx(rows["average_rank"])
    assert binned_ranks(tasks).mean(axis=0) == pytest.approx(rows["average_rank_binned_max"])
    percent = np.floor(100 * tasks)
    assert midranks(percent).mean(axis=0) == pytest.approx(rows["average_rank_binned_average"])


@given(values=shares)
def test_bins_give_tied_models_their_worst_rank(values):
    percent = np.rint(values * 20) * 5
    assert (binned_ranks(values) == stats.rankdata(-percent, method="max", axis=-1)).all()


@pytest.mark.parametrize("percent", range(101))
def test_a_whole_percent_lies_in_its_own_bin(percent):
    below = np.array([percent / 100, (percent - 0.01) / 100])
    assert binned_ranks(below).tolist() == [1.0, 2.0]


def test_expected_ranks_under_noise_are_the_mean_of_draws():
    values = np.random.default_rng(0).random((1, 6)) / 20
    rng = np.random.default_rng(1)
    drawn = noisy_ranks(np.repeat(values, 40_000, axis=0), rng)
    assert noise_ranks(values)[0] == pytest.approx(drawn.mean(axis=0), abs=0.03)


@given(values=shares)
def test_points_of_all_models_add_up_to_the_number_of_pairs(values):
    size = values.shape[-1]
    assert borda_points(values).sum(axis=-1) == pytest.approx(size * (size - 1) / 2)
    assert noise_ranks(values).sum(axis=-1) == pytest.approx(size * (size + 1) / 2)
    assert first_places(values).sum(axis=-1) == pytest.approx(1.0)


@given(values=shares)
def test_wins_against_each_other_model_by_counting(values):
    size = values.shape[-1]
    ahead = values[:, :, None] - values[:, None, :]
    pairs = (ahead > 0) + 0.5 * (ahead == 0)
    expected = (pairs.sum(axis=-1) - 0.5) / (size - 1) if size > 1 else np.ones(values.shape)
    assert win_shares(values) == pytest.approx(expected)


@given(values=shares)
def test_the_field_is_the_mean_of_all_other_models(values):
    size = values.shape[-1]
    if size == 1:
        return
    others = (values.sum(axis=-1, keepdims=True) - values) / (size - 1)
    expected = np.where(np.isclose(values, others), 0.5, values > others)
    assert (field_wins(values) == expected).all()
