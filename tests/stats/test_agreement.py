"""Agreement between judges: published examples, statsmodels, and what must hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.stats.inter_rater import cohens_kappa

from rankbars.errors import DataError
from rankbars.stats.votes.judgeagreement import (
    cohen_kappa,
    cross_tabulate,
    krippendorff_alpha,
    outcome_distance,
)

# Krippendorff (2011), section C: four observers, twelve units, missing answers as 0.
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
        [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
    ]
)


def nominal_distance(n_answers):
    """0 for equal answers, 1 for different ones."""
    return 1.0 - np.eye(n_answers)


def tally(answers, n_answers):
    """Counts of answers 1 to n per unit."""
    return np.stack([(answers == k + 1).sum(axis=0) for k in range(n_answers)], axis=1)


@pytest.mark.parametrize(
    ("distance", "published"),
    [
        (nominal_distance(5), 0.743),
        (np.square(np.subtract.outer(np.arange(5.0), np.arange(5.0))), 0.849),
    ],
    ids=["nominal", "interval"],
)
def test_the_published_example_of_alpha_is_reproduced(distance, published):
    alpha = krippendorff_alpha(tally(KRIPPENDORFF, 5), distance)
    assert alpha == pytest.approx(published, abs=5e-4)


def alpha_by_pairs(values, n_answers, distance):
    """Alpha from all pairs of answers, one at a time."""
    within, pooled = 0.0, []
    for unit in values.T:
        answers = [k for k in unit if k >= 0]
        if len(answers) < 2:
            continue
        pooled += answers
        pairs = [distance[a, b] for i, a in enumerate(answers) for b in answers[i + 1 :]]
        within += 2 * sum(pairs) / (len(answers) - 1)
    n = len(pooled)
    between = [distance[a, b] for i, a in enumerate(pooled) for j, b in enumerate(pooled) if i != j]
    expected = sum(between) / (n - 1) if n > 1 else 0.0
    return 1 - within / expected if expected > 0 else float("nan")


@given(arrays(int, st.tuples(st.integers(1, 4), st.integers(1, 8)), elements=st.integers(-1, 2)))
def test_alpha_equals_its_definition_by_pairs(values):
    for distance in (nominal_distance(3), outcome_distance()):
        counts = tally(values + 1, 3)
        expected = alpha_by_pairs(values, 3, distance)
        assert krippendorff_alpha(counts, distance) == pytest.approx(expected, nan_ok=True)


@given(arrays(int, (3, 3), elements=st.integers(1, 30)))
def test_kappa_and_its_standard_error_equal_statsmodels(table):
    result = cohen_kappa(table)
    expected = cohens_kappa(table)
    assert result.kappa == pytest.approx(expected.kappa, abs=1e-12)
    assert result.se == pytest.approx(np.sqrt(expected.var_kappa), rel=1e-9)


@given(arrays(int, (2, 2), elements=st.integers(0, 9)), st.integers(2, 5))
def test_kappa_does_not_depend_on_the_number_of_units_and_its_error_shrinks(table, times):
    if not table.any():
        return
    one, more = cohen_kappa(table), cohen_kappa(times * table)
    assert more.kappa == pytest.approx(one.kappa, abs=1e-12, nan_ok=True)
    assert more.se == pytest.approx(one.se / np.sqrt(times), abs=1e-7, nan_ok=True)


def test_judges_who_always_agree_have_kappa_one():
    result = cohen_kappa(np.diag([5, 0, 7]))
    assert result.kappa == pytest.approx(1.0)
    assert result.se == pytest.approx(0.0, abs=1e-12)


def test_judges_who_know_one_answer_only_have_no_kappa():
    result = cohen_kappa([[9, 0], [0, 0]])
    assert np.isnan(result.kappa)
    assert result.observed == 1.0
    assert np.isnan(krippendorff_alpha([[3, 0], [2, 0]], nominal_distance(2)))


def test_units_that_one_judge_left_out_do_not_count():
    table = cross_tabulate([0, 2, -1, 1], [0, 1, 2, -1], 3)
    assert table.sum() == 2
    assert table[0, 0] == table[2, 1] == 1


def test_alpha_without_a_unit_in_common_is_not_a_number():
    assert np.isnan(krippendorff_alpha([[1, 0], [0, 1]], nominal_distance(2)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cross_tabulate([0, 1], [0], 2), "one answer below 2"),
        (lambda: cross_tabulate([0, 2], [0, 1], 2), "one answer below 2"),
        (lambda: cohen_kappa([[1, 2, 3]]), "square table"),
        (lambda: cohen_kappa([[1, -2], [0, 1]]), "square table"),
        (lambda: cohen_kappa(np.zeros((2, 2))), "No unit was judged by both"),
        (lambda: krippendorff_alpha([[1, 2]], nominal_distance(3)), "shape"),
        (lambda: krippendorff_alpha([[1, -2]], nominal_distance(2)), "shape"),
    ],
)
def test_tables_that_mean_nothing_are_refused(call, message):
    with pytest.raises(DataError, match=message):
        call()
