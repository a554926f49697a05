"""Win rates where not every model has every task."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from reference import golden

from rankbars.stats.averaging.points import top_win_rates, win_rates

NAMES = "abc"
tables = arrays(
    np.float64,
    st.tuples(st.integers(1, 5), st.integers(1, 5)),
    elements=st.sampled_from([0.0, 0.5, 1.0, np.nan]),
)


def reference_table():
    rows = golden("win_rate")["scores"].values()
    return np.array([[row.get(name, np.nan) for name in NAMES] for row in rows])


def test_rates_of_the_reference():
    rows = golden("win_rate")
    values = reference_table()
    assert top_win_rates(values) == pytest.approx([rows["top1_rate_ties_split"][n] for n in NAMES])
    expected = [rows["pairwise_win_rate_half_ties"][n] for n in NAMES]
    assert win_rates(values) == pytest.approx(expected)


@given(values=tables)
def test_rates_by_counting(values):
    size = values.shape[1]
    won, met = np.zeros((size, size)), np.zeros((size, size))
    for row in values:
        for i in range(size):
            for j in range(size):
                if i != j and not np.isnan(row[[i, j]]).any():
                    met[i, j] += 1
                    won[i, j] += 1.0 if row[i] > row[j] else 0.5 if row[i] == row[j] else 0.0
    with np.errstate(invalid="ignore"):
        assert win_rates(values) == pytest.approx(won.sum(1) / met.sum(1), nan_ok=True)


@given(values=tables)
def test_first_places_of_a_task_add_up_to_one(values):
    counts = np.count_nonzero(~np.isnan(values), axis=0)
    total = np.nansum(top_win_rates(values) * counts)
    assert total == pytest.approx(np.count_nonzero(~np.isnan(values).all(axis=1)))
