"""Every test of a pair of models keeps the same contract and the same degenerate policy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import rankbars as rb
from rankbars.steps.pairtests import TESTS, VOTE_TESTS, choose_test

ROW_TESTS = ("t", "wilcoxon", "trimmed_t", "signflip", "welch")
ALL_ROW_TESTS = (*ROW_TESTS, "mcnemar", "mcnemar_midp", "cluster_t", "corrected_t", "two_way")


def evidence(values: np.ndarray, test: str, names: str = "abcdefgh") -> rb.Scores:
    """The same scores in the design that a test is for."""
    values = np.asarray(values, dtype=float)
    rows, size = values.shape
    models = tuple(names[:size])
    if test == "corrected_t":
        items = rb.Items(models, values, design=rb.Folds(repeats=1, folds=max(rows, 2)))
    elif test == "cluster_t":
        items = rb.Items(models, values, clusters=np.arange(rows))
    elif test == "two_way":
        items = rb.Items(models, values, runs=np.repeat(values[:, None, :], 3, axis=1))
    else:
        items = rb.Items(models, values)
    return rb.Scores({"t": items})


def compared(values: np.ndarray, test: str) -> rb.Comparisons:
    return rb.compare(evidence(values, test), test=test)["t"]


def ranked(values: np.ndarray, test: str, alpha: float = 0.05) -> list[tuple[int, int]]:
    intervals = rb.rank(compared(values, test), alpha=alpha)
    return list(zip(intervals.best.tolist(), intervals.worst.tolist(), strict=True))


@pytest.mark.parametrize("test", ALL_ROW_TESTS)
def test_identical_models_may_stand_anywhere(test: str) -> None:
    column = np.random.default_rng(0).integers(0, 2, 12).astype(float)
    assert ranked(np.column_stack([column] * 4), test) == [(1, 4)] * 4


@pytest.mark.parametrize("test", [t for t in ALL_ROW_TESTS if t not in ("two_way", "corrected_t")])
def test_constant_difference_counts_as_a_sign_test(test: str) -> None:
    for rows, expected in ((10, [(1, 1), (2, 2)]), (4, [(1, 2), (1, 2)])):
        if test == "cluster_t" and rows < 5:
            continue
        values = np.column_stack([np.ones(rows), np.zeros(rows)])
        if test == "mcnemar_midp":
            continue  # mid-p halves the probability of the one outcome there is
        assert ranked(values, test) == expected
        if test != "welch":
            p = compared(values, test).p
            assert p[0, 1] == pytest.approx(2.0**-rows, rel=1e-9)
            assert p[1, 0] == 1.0


@pytest.mark.parametrize("test", ALL_ROW_TESTS)
def test_one_row_separates_nobody(test: str) -> None:
    assert ranked(np.array([[1.0, 0.0, 1.0]]), test) == [(1, 3)] * 3


@pytest.mark.parametrize("test", ALL_ROW_TESTS)
def test_one_model_ranks_first(test: str) -> None:
    assert ranked(np.array([[1.0], [0.0], [1.0]]), test) == [(1, 1)]


@pytest.mark.parametrize("test", ALL_ROW_TESTS)
def test_negating_scores_transposes_the_p_values(test: str) -> None:
    values = np.random.default_rng(1).integers(0, 2, (25, 4)).astype(float)
    p = compared(values, test).p
    mirrored = compared(1.0 - values, test).p
    np.testing.assert_allclose(mirrored, p.T, rtol=1e-9)


@pytest.mark.parametrize("test", ALL_ROW_TESTS)
def test_every_known_test_ranks_a_clear_winner_first(test: str) -> None:
    rng = np.random.default_rng(2)
    if test.startswith("mcnemar"):
        values = (rng.random((60, 3)) < [0.98, 0.3, 0.1]).astype(float)
    else:
        values = rng.normal(size=(60, 3)) + [2.0, 0.0, -2.0]
    assert ranked(values, test)[0] == (1, 1)


@pytest.mark.parametrize("test", [t for t in ALL_ROW_TESTS if t != "cluster_t"])
def test_design_that_a_test_is_not_for_is_refused(test: str) -> None:
    clustered = rb.Items(("a", "b"), np.eye(2), clusters=[0, 1])
    if test in ("t", "signflip"):
        return
    with pytest.raises(rb.OptionError, match=r"Task 't': .*--test"):
        rb.compare(rb.Scores({"t": clustered}), test=test)


def test_clusters_ignored_by_the_plain_t_are_a_note_and_no_guarantee() -> None:
    clustered = rb.Items(("a", "b"), np.random.default_rng(0).random((8, 2)), clusters=range(8))
    made = rb.compare(rb.Scores({"t": clustered}), test="t")["t"]
    assert [note.code for note in made.notes] == ["clusters-ignored"]
    assert rb.rank(made).guarantee is None


def in_clusters(sizes: list[int], ids: bool = False) -> rb.Items:
    groups = np.repeat(range(len(sizes)), sizes)
    values = np.random.default_rng(0).normal(size=(groups.size, 3)) + [20.0, 10.0, 0.0]
    names = tuple(f"question {i}" for i in range(groups.size)) if ids else None
    return rb.Items(("a", "b", "c"), values, clusters=groups, ids=names)


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ([6, 6], "2 clusters: fewer than 3 cannot show any model"),
        ([1, 20, 2, 1], "The cluster of 'question 1' holds 83% of the rows."),
    ],
)
def test_too_few_clusters_or_one_with_most_rows_separate_nobody_and_say_why(
    sizes: list[int], said: str
) -> None:
    scores = rb.Scores({"t": in_clusters(sizes, ids=True)})
    made = rb.compare(scores)["t"]
    assert [note.message for note in made.notes if said in note.message]
    for options in ({}, {"scope": "all"}, {"scope": "all", "correction": "maxt"}):
        found = rb.rank(made, **options)
        assert (found.best.tolist(), found.worst.tolist()) == ([1] * 3, [3] * 3)
    assert rb.head_to_head(scores, "a", "b").tasks["t"].verdict == "cannot tell"
    again = rb.Scores({"t": in_clusters(sizes, ids=True), "u": in_clusters(sizes)})
    average = rb.aggregate(again)
    assert not average.shown_better.any()
    assert {"few-clusters", "dominant-cluster"} & {note.code for note in average.notes}


def test_three_clusters_can_show_a_large_difference_and_say_that_they_are_few() -> None:
    made = rb.compare(rb.Scores({"t": in_clusters([5, 5, 5])}))["t"]
    assert rb.rank(made)["a"] == (1, 1)
    assert [note.code for note in made.notes] == ["few-clusters"]


SIZES = [231, 75, 44, 34, 32, 22, 22, 19, 10, 8, 2, 1]


def test_all_models_at_once_come_from_cluster_flips_where_sizes_leave_few_degrees() -> None:
    made = rb.compare(rb.Scores({"t": in_clusters(SIZES)}))["t"]
    found = rb.rank(made, scope="all")
    flipped = rb.rank(made, scope="all", correction="maxt")
    assert "cluster-flips" in {note.code for note in found.notes}
    assert found.shown_better.tolist() == flipped.shown_better.tolist()
    assert "cluster-flips" not in {note.code for note in rb.rank(made).notes}
    even = rb.compare(rb.Scores({"t": in_clusters([40] * 12)}))["t"]
    assert "cluster-flips" not in {note.code for note in rb.rank(even, scope="all").notes}


def test_five_clusters_show_nothing_by_flips_and_the_note_says_how_many_it_takes() -> None:
    five, six = (rb.compare(rb.Scores({"t": in_clusters([5] * n)}))["t"] for n in (5, 6))
    nothing = rb.rank(five, correction="maxt", scope="all")
    assert not nothing.shown_better.any()
    (text,) = [note.message for note in nothing.notes if note.code == "few-clusters"]
    assert "It takes at least 6" in text
    assert rb.rank(six, correction="maxt", scope="all").shown_better.any()


def test_auto_lets_the_design_decide() -> None:
    values = np.random.default_rng(0).random((6, 2))
    names = ("a", "b")
    assert choose_test(rb.Items(names, values)) == "t"
    assert choose_test(rb.Items(names, values, clusters=[0, 0, 1, 1, 2, 2])) == "cluster_t"
    assert choose_test(rb.Items(names, values, design=rb.Folds(2, 3))) == "corrected_t"
    assert choose_test(rb.Items(names, values, design="runs")) == "t"
    assert choose_test(rb.Estimates(names, [0.1, 0.2])) == "z"


def test_weighted_rows_equal_repeated_rows_in_the_mean() -> None:
    rng = np.random.default_rng(5)
    values = rng.random((6, 3))
    weights = np.array([1.0, 2.0, 1.0, 3.0, 1.0, 1.0])
    made = rb.compare(rb.Scores({"t": rb.Items(("a", "b", "c"), values, weights=weights)}))["t"]
    repeated = np.repeat(values, weights.astype(int), axis=0)
    np.testing.assert_allclose(made.mean, repeated.mean(axis=0), rtol=1e-12)
    # The weighted t by hand for one pair.
    d = values[:, 0] - values[:, 1]
    w = weights / weights.mean()
    residual = w * (d - (w * d).mean())
    se = np.sqrt((residual**2).sum() / 5 / 6)
    assert made.pairs is not None
    assert made.pairs.se[0, 1] == pytest.approx(se, rel=1e-10)


def test_unpaired_samples_use_welch() -> None:
    rng = np.random.default_rng(6)
    values = np.full((50, 2), np.nan)
    values[:30, 0] = rng.normal(size=30)
    values[30:, 1] = rng.normal(size=20) + 1
    p = compared(values, "welch").p
    expected = stats.ttest_ind(
        values[30:, 1], values[:30, 0], equal_var=False, alternative="greater"
    ).pvalue
    assert p[1, 0] == pytest.approx(expected, rel=1e-10)


def test_published_scores_with_a_covariance_use_contrasts() -> None:
    cov = np.array([[0.04, 0.03], [0.03, 0.04]])
    made = rb.compare(rb.Scores({"t": rb.Estimates(("a", "b"), [1.0, 0.7], cov=cov)}))["t"]
    z = 0.3 / np.sqrt(0.02)
    assert made.p[0, 1] == pytest.approx(stats.norm.sf(z), rel=1e-10)


def test_every_test_is_named_once() -> None:
    assert set(TESTS) == {*ALL_ROW_TESTS, "z", "judge_t", *VOTE_TESTS}


def test_weights_do_not_hide_a_constant_difference() -> None:
    rng = np.random.default_rng(7)
    for _ in range(30):
        base = rng.random(20)
        values = np.column_stack([base + 0.1, base])
        weights = np.exp(2 * rng.normal(size=20))
        made = rb.compare(rb.Scores({"t": rb.Items(("a", "b"), values, weights=weights)}))["t"]
        assert made.p[0, 1] == pytest.approx(2.0**-20, rel=1e-9)
        assert made.p[1, 0] == 1.0


@pytest.mark.parametrize("full_field", [False, True])
def test_order_of_the_models_of_a_task_carries_no_information(full_field: bool) -> None:
    """Evidence may hold its models in any order, whether or not others are beside it."""
    values = np.random.default_rng(0).random((30, 3)) + [0.0, 0.9, 0.4]
    others = {} if full_field else {"other": rb.Items(("d",), values[:, :1])}
    one = rb.compare(rb.Scores({"t": rb.Items(("c", "a", "b"), values), **others}))["t"]
    other = rb.compare(rb.Scores({"t": rb.Items(("a", "b", "c"), values[:, [1, 2, 0]]), **others}))
    assert np.array_equal(one.mean, other["t"].mean, equal_nan=True)
    assert np.array_equal(one.diff, other["t"].diff, equal_nan=True)
    assert rb.rank(one).best.tolist() == rb.rank(other["t"]).best.tolist()
