"""Step-down and single-step decisions: critical values and p-values decide alike, and rightly."""

import itertools
import tracemalloc
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from reference import golden, oracle_columns, oracle_scores
from scipy import special

from rankbars.errors import DataError, OptionError
from rankbars.stats import tails
from rankbars.stats.multiplicity import stepdown
from rankbars.stats.ranks import count_bounds
from rankbars.stats.tails import critical_value, upper_tail

PROCEDURES = ("holm", "bonferroni", "none")
SCOPES = ("each", "all")
ALPHAS = (0.01, 0.05, 0.1, 0.5, 0.8)
procedures, scopes = st.sampled_from(PROCEDURES), st.sampled_from(SCOPES)


def decide(procedure, scope, *arguments):
    return stepdown.decide(*arguments, procedure, scope)


def decide_from_p(procedure, scope, p, alpha):
    return stepdown.decide_from_p(p, alpha, procedure, scope)


def paired_statistics(scores):
    """t statistics of all pairs, pair by pair."""
    size = scores.shape[1]
    t = np.zeros((size, size))
    for i, j in itertools.combinations(range(size), 2):
        d = scores[:, i] - scores[:, j]
        t[i, j] = d.mean() / (d.std(ddof=1) / np.sqrt(len(d)))
        t[j, i] = -t[i, j]
    return t


def statistics_at_once(scores):
    """As `paired_statistics`, from the covariance; quick enough for simulations."""
    mean, cov = scores.mean(axis=0), np.cov(scores.T)
    variance = np.add.outer(np.diag(cov), np.diag(cov)) - 2 * cov
    np.fill_diagonal(variance, 1.0)
    t = np.subtract.outer(mean, mean) / np.sqrt(variance / len(scores))
    upper = np.triu(t, 1)
    return upper - upper.T


def rejected_plainly(p, level, procedure):
    """Positions of the rejected hypotheses of one family, as the textbook says it."""
    family = len(p)
    if procedure == "none":
        return [k for k in range(family) if p[k] <= level]
    if procedure == "bonferroni":
        return [k for k in range(family) if p[k] <= level / family]
    rejected = []
    for step, k in enumerate(sorted(range(family), key=p.__getitem__)):
        if p[k] > level / (family - step):
            break
        rejected.append(k)
    return rejected


def decide_plainly(p, alpha, procedure, scope):
    """Counts (better, worse) by plain loops over p-values."""
    size = len(p)
    better, worse = [0] * size, [0] * size
    pairs = list(itertools.permutations(range(size), 2))
    if scope == "all":
        found = rejected_plainly([p[pair] for pair in pairs], alpha, procedure)
        for i, j in (pairs[k] for k in found if p[pairs[k]] < 0.5):
            worse[i] += 1
            better[j] += 1
        return better, worse
    for model in range(size):
        down = [p[pair] for pair in pairs if pair[0] == model]
        up = [p[pair] for pair in pairs if pair[1] == model]
        worse[model] = len(rejected_plainly(down, alpha / 2, procedure))
        better[model] = len(rejected_plainly(up, alpha / 2, procedure))
    return better, worse


@st.composite
def evidence(draw, own_df=False):
    """Statistics, degrees of freedom, p-values and alpha, rich in ties and exact hits.

    A pair's p-value is the level itself where its statistic is that level's critical value.
    """
    size = draw(st.integers(1, 5))
    alpha = draw(st.sampled_from(ALPHAS))
    shared = draw(st.sampled_from((1.0, 9.0, 199.0, np.inf)))
    steps = list(range(1, max(2, size * (size - 1)) + 1))
    statistic = np.zeros((size, size))
    p = np.ones((size, size))
    df = np.full((size, size), shared)
    for i, j in itertools.combinations(range(size), 2):
        pair_df = draw(st.sampled_from((1.0, 2.0, 7.5, 30.0, np.inf))) if own_df else shared
        level = draw(st.sampled_from((alpha, alpha / 2))) / draw(st.sampled_from(steps))
        kind = draw(st.sampled_from(("zero", "hit", "number", "number")))
        if kind == "hit" and level < 0.5:
            value, tail = float(critical_value(level, pair_df)), level
        elif kind == "number":
            value = draw(st.integers(1, 60)) / 8
            tail = float(upper_tail(value, pair_df))
        else:
            value, tail = 0.0, 1.0
        up, down = draw(st.permutations((i, j)))
        statistic[up, down], statistic[down, up] = value, -value
        p[up, down], p[down, up] = tail, 1.0 if value == 0 else float(upper_tail(-value, pair_df))
        df[up, down] = df[down, up] = pair_df
    return statistic, df if own_df else shared, p, alpha


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("procedure", PROCEDURES)
@given(case=evidence())
def test_critical_values_p_values_and_plain_loops_agree(procedure, scope, case):
    """Also at statistics exactly at a threshold, and at ties."""
    statistic, df, p, alpha = case
    by_statistic = decide(procedure, scope, statistic, df, alpha)
    by_p = decide_from_p(procedure, scope, p, alpha)
    better, worse = decide_plainly(p, alpha, procedure, scope)
    assert by_statistic.better.tolist() == by_p.better.tolist() == better
    assert by_statistic.worse.tolist() == by_p.worse.tolist() == worse


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("procedure", PROCEDURES)
@given(case=evidence(own_df=True))
def test_own_degrees_of_freedom_agree_with_p_values_and_plain_loops(procedure, scope, case):
    statistic, df, p, alpha = case
    by_statistic = decide(procedure, scope, statistic, df, alpha)
    by_p = decide_from_p(procedure, scope, p, alpha)
    better, worse = decide_plainly(p, alpha, procedure, scope)
    assert by_statistic.better.tolist() == by_p.better.tolist() == better
    assert by_statistic.worse.tolist() == by_p.worse.tolist() == worse


@given(procedure=procedures, scope=scopes, case=evidence())
def test_a_matrix_of_equal_degrees_of_freedom_decides_like_the_number(procedure, scope, case):
    statistic, df, _, alpha = case
    shared = decide(procedure, scope, statistic, df, alpha)
    own = decide(procedure, scope, statistic, np.full(statistic.shape, df), alpha)
    assert shared.better.tolist() == own.better.tolist()
    assert shared.worse.tolist() == own.worse.tolist()


@pytest.mark.parametrize("size", [300, 520])
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("procedure", PROCEDURES)
def test_blocks_of_rows_leave_no_seam(procedure, scope, size):
    """More models than fit into one block."""
    rng = np.random.default_rng(size)
    t = statistics_at_once(rng.normal(size=(20, size)) + np.linspace(0, 2, size))
    p = upper_tail(t, 19.0)
    np.fill_diagonal(p, 1.0)
    by_statistic = decide(procedure, scope, t, 19.0, 0.05)
    by_p = decide_from_p(procedure, scope, p, 0.05)
    own = decide(procedure, scope, t, np.full(t.shape, 19.0), 0.05)
    for other in (by_p, own):
        np.testing.assert_array_equal(by_statistic.better, other.better)
        np.testing.assert_array_equal(by_statistic.worse, other.worse)
    if scope == "all":
        np.testing.assert_array_equal(by_statistic.shown_better, by_p.shown_better)


@pytest.mark.parametrize("section", ["paired_t_12x5", "paired_t_10x8"])
@pytest.mark.parametrize("scope", SCOPES)
def test_holm_gives_the_golden_intervals(section, scope):
    case = golden(section)
    scores, p = np.array(case["X"]), np.array(case["p_better"])
    t = paired_statistics(scores)
    rows = [row for row in case["task_ci"] if (row["correction"], row["scope"]) == ("holm", scope)]
    assert len(rows) >= 3
    for row in rows:
        expected = (row["best"], row["worst"])
        found = decide("holm", scope, t, len(scores) - 1.0, row["alpha"])
        found_from_p = decide_from_p("holm", scope, p, row["alpha"])
        for decisions in (found, found_from_p):
            bounds = count_bounds(decisions.better, decisions.worse)
            assert (bounds.best.tolist(), bounds.worst.tolist()) == expected, row


@pytest.mark.parametrize("scope", SCOPES)
def test_holm_gives_the_intervals_of_the_oracle(scope):
    expected = oracle_columns("holm_synth30x200")
    found = decide("holm", scope, paired_statistics(oracle_scores()), 199.0, 0.05)
    bounds = count_bounds(found.better, found.worse)
    assert bounds.best.tolist() == [int(cell) for cell in expected[f"{scope}_best"]]
    assert bounds.worst.tolist() == [int(cell) for cell in expected[f"{scope}_worst"]]


def test_holm_counts_as_the_golden_families_say():
    rows = [row for row in golden("shown_counts")["rows"] if row["rule"] == "holm"]
    assert len(rows) >= 6
    for row in rows:
        p = np.ones((len(row["p"]) + 1, len(row["p"]) + 1))
        p[0, 1:] = row["p"]
        # The level of the family is one side of the model's alpha.
        assert stepdown.decide_from_p(p, 2 * row["alpha"]).worse[0] == row["count"], row


@pytest.mark.parametrize("case", golden("degenerate"), ids=lambda case: case["case"])
def test_degenerate_p_values_give_the_golden_intervals(case):
    size = case["n_models"]
    p = np.array(case.get("p_better", np.full((size, size), case.get("p_better_offdiag", 1.0))))
    found = stepdown.decide_from_p(p, case["alpha"])
    bounds = count_bounds(found.better, found.worse)
    assert (bounds.best.tolist(), bounds.worst.tolist()) == (case["best"], case["worst"])


@given(st.lists(st.sampled_from((0.001, 0.01, 0.0125, 0.02, 0.025, 0.04, 0.3)), max_size=5))
def test_holm_is_closed_testing_with_bonferroni(family):
    """A hypothesis falls if every intersection that contains it falls."""
    size, level = len(family), 0.05
    subsets = [
        set(chosen)
        for count in range(1, size + 1)
        for chosen in itertools.combinations(range(size), count)
    ]
    standing = [s for s in subsets if min(family[k] for k in s) > level / len(s)]
    falls = [k for k in range(size) if not any(k in s for s in standing)]
    p = np.ones((size + 1, size + 1))
    p[1:, 0] = family
    assert stepdown.decide_from_p(p, 2 * level).better[0] == len(falls)


@given(evidence())
def test_holm_rejects_what_its_adjusted_p_values_say(case):
    _, _, p, alpha = case
    assume(len(p) > 1)
    rows = p[~np.eye(len(p), dtype=bool)].reshape(len(p), -1)
    from statsmodels.stats.multitest import multipletests

    with patch("gc.collect"):  # which it calls each time, for all that the test run holds
        adjusted = np.array([multipletests(row, method="holm")[1] for row in rows])
    # p * m <= a and p <= a / m can differ in the last bit: leave out what lies on the line.
    assume(not np.isclose(adjusted, alpha / 2, rtol=1e-12).any())
    expected = np.count_nonzero(adjusted <= alpha / 2, axis=1)
    np.testing.assert_array_equal(stepdown.decide_from_p(p, alpha).worse, expected)


@pytest.mark.parametrize("own_df", [False, True])
@given(procedure=procedures, scope=scopes, data=st.data())
def test_reordering_models_reorders_the_decisions(procedure, scope, own_df, data):
    statistic, df, _, alpha = data.draw(evidence(own_df=own_df))
    order = np.array(data.draw(st.permutations(range(len(statistic)))))
    moved_df = df[np.ix_(order, order)] if own_df else df
    found = decide(procedure, scope, statistic, df, alpha)
    moved = decide(procedure, scope, statistic[np.ix_(order, order)], moved_df, alpha)
    assert moved.better.tolist() == found.better[order].tolist()
    assert moved.worse.tolist() == found.worse[order].tolist()
    if scope == "all":
        np.testing.assert_array_equal(moved.shown_better, found.shown_better[np.ix_(order, order)])


@given(procedure=procedures, scope=scopes, case=evidence())
def test_negated_scores_exchange_better_and_worse(procedure, scope, case):
    statistic, df, _, alpha = case
    found = decide(procedure, scope, statistic, df, alpha)
    mirrored = decide(procedure, scope, -statistic, df, alpha)
    assert mirrored.better.tolist() == found.worse.tolist()
    assert mirrored.worse.tolist() == found.better.tolist()


@pytest.mark.parametrize("own_df", [False, True])
@given(procedure=procedures, scope=scopes, data=st.data())
def test_a_smaller_alpha_never_shows_more(procedure, scope, own_df, data):
    statistic, df, _, _ = data.draw(evidence(own_df=own_df))
    shown = [decide(procedure, scope, statistic, df, alpha) for alpha in ALPHAS]
    for less, more in itertools.pairwise(shown):
        assert (less.better <= more.better).all()
        assert (less.worse <= more.worse).all()


@pytest.mark.parametrize("scope", SCOPES)
@given(case=evidence())
def test_holm_shows_at_least_bonferroni_and_at_most_no_correction(scope, case):
    statistic, df, _, alpha = case
    counts = [
        decide(procedure, scope, statistic, df, alpha).worse
        for procedure in ("bonferroni", "holm", "none")
    ]
    assert (counts[0] <= counts[1]).all()
    assert (counts[1] <= counts[2]).all()


@pytest.mark.parametrize("procedure", PROCEDURES)
@given(case=evidence())
def test_the_relation_agrees_with_the_counts_and_has_no_pair_both_ways(procedure, case):
    statistic, df, p, alpha = case
    for found in (
        decide(procedure, "all", statistic, df, alpha),
        decide_from_p(procedure, "all", p, alpha),
    ):
        assert found.better.tolist() == found.shown_better.sum(axis=0).tolist()
        assert found.worse.tolist() == found.shown_better.sum(axis=1).tolist()
        assert not (found.shown_better & found.shown_better.T).any()
        assert not found.shown_better.diagonal().any()


def test_the_last_step_of_one_family_is_taken():
    """Every pair is shown, the last one only because all the others were."""
    alpha, df = 0.05, 25.0
    left = 4  # hypotheses left at the last step, of six
    p = np.array([[1.0, 1e-9, 1e-9], [1.0, 1.0, 0.99 * alpha / left], [1.0, 1.0, 1.0]])
    upper = np.triu(critical_value(p, df), 1)
    statistic = upper - upper.T
    for found in (
        stepdown.decide(statistic, df, alpha, scope="all"),
        stepdown.decide(statistic, np.full((3, 3), df), alpha, scope="all"),
        stepdown.decide_from_p(p, alpha, scope="all"),
    ):
        assert found.worse.tolist() == [2, 1, 0]
    p[1, 2] = 1.01 * alpha / left
    assert stepdown.decide_from_p(p, alpha, scope="all").worse.tolist() == [2, 0, 0]


@pytest.mark.parametrize("alpha", [0.6, 0.8, 0.95])
def test_two_models_are_never_each_shown_better_than_the_other(alpha):
    """At such levels plain Holm would reject both directions of a single pair."""
    statistic = np.array([[0.0, 1.0], [-1.0, 0.0]])
    found = stepdown.decide(statistic, 9.0, alpha, scope="all")
    assert found.shown_better.tolist() == [[False, True], [False, False]]
    p = upper_tail(statistic, 9.0)
    assert stepdown.decide_from_p(p, alpha, scope="all").worse.tolist() == [1, 0]


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("procedure", PROCEDURES)
@pytest.mark.parametrize("size", [0, 1])
def test_nobody_to_compare_with_shows_nothing(procedure, scope, size):
    nothing = [0] * size
    for df in (9.0, np.full((size, size), 9.0)):
        found = decide(procedure, scope, np.zeros((size, size)), df, 0.05)
        assert (found.better.tolist(), found.worse.tolist()) == (nothing, nothing)
    found = decide_from_p(procedure, scope, np.ones((size, size)), 0.05)
    assert (found.better.tolist(), found.worse.tolist()) == (nothing, nothing)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("procedure", PROCEDURES)
@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, float("nan")])
def test_an_alpha_outside_its_range_is_refused(procedure, scope, alpha):
    with pytest.raises(OptionError, match="alpha must be strictly between 0 and 1"):
        decide(procedure, scope, np.zeros((2, 2)), 9.0, alpha)
    with pytest.raises(OptionError, match="alpha"):
        decide_from_p(procedure, scope, np.ones((2, 2)), alpha)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("procedure", PROCEDURES)
def test_nan_as_evidence_is_refused(procedure, scope):
    """It would silently end the step-down of its row."""
    broken = np.array([[0.0, np.nan], [np.nan, 0.0]])
    for df in (9.0, np.full((2, 2), 9.0)):
        with pytest.raises(DataError, match="NaN"):
            decide(procedure, scope, broken, df, 0.05)
    with pytest.raises(DataError, match="NaN"):
        decide_from_p(procedure, scope, broken, 0.05)


def spread_out_statistics(size, seed=0):
    scores = np.random.default_rng(seed).normal(size=(30, size)) + np.linspace(0, 2, size)
    return statistics_at_once(scores)


@pytest.fixture
def quantiles_only(monkeypatch):
    """Forbid distribution functions; collect how many quantiles are asked for."""

    def refuse(*_):
        raise AssertionError("a decision evaluated a distribution function")

    asked = []
    quantile = special.stdtrit

    def count(df, level):
        asked.append(np.broadcast(df, level).size)
        return quantile(df, level)

    for name in ("stdtr", "ndtr", "betainc", "log_ndtr"):
        monkeypatch.setattr(special, name, refuse)
    monkeypatch.setattr(special, "stdtrit", count)
    tails.critical_steps.cache_clear()
    return asked


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_decisions_evaluate_few_quantiles_and_no_distribution_function(procedure, quantiles_only):
    size = 60
    t = spread_out_statistics(size)
    most = {"each": size - 1, "all": 12}
    for scope in SCOPES:
        quantiles_only.clear()
        decide(procedure, scope, t, 29.0, 0.05)
        assert 0 < sum(quantiles_only) <= most[scope]


def test_own_degrees_of_freedom_need_far_fewer_quantiles_than_pairs(quantiles_only):
    size = 60
    t = spread_out_statistics(size)
    df = np.random.default_rng(1).integers(20, 30, (size, size)).astype(float)
    df = np.maximum(df, df.T)
    stepdown.decide(t, df, 0.05, scope="all")
    assert 0 < sum(quantiles_only) < size * (size - 1) / 2
    quantiles_only.clear()
    stepdown.decide(t, df, 0.05)
    assert 0 < sum(quantiles_only) < size * (size - 1)


@pytest.mark.parametrize("own_df", [False, True])
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("procedure", PROCEDURES)
def test_scratch_memory_is_a_fraction_of_the_matrix(procedure, scope, own_df):
    size = 1000
    rng = np.random.default_rng(2)
    level = np.sort(rng.normal(size=size))
    t = np.subtract.outer(level, level) * 3
    df = np.full(t.shape, 199.0) if own_df else 199.0
    relation = size * size if scope == "all" else 0  # one byte for each pair of the result
    tracemalloc.start()
    decide(procedure, scope, t, df, 0.05)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak - relation < t.nbytes / 2


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [0.0, 0.6])
def test_intervals_of_tied_models_cover_as_often_as_promised(calibration, correlation):
    """All models tied is the hardest case: any separation is an error."""
    rng = np.random.default_rng(17)
    size, n, alpha, repetitions = 8, 12, 0.1, calibration.runs(600, 3000)
    misses_each = np.zeros(size)
    misses_all = 0
    for _ in range(repetitions):
        common = rng.normal(size=(n, 1))
        scores = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * rng.normal(
            size=(n, size)
        )
        t = statistics_at_once(scores)
        found = stepdown.decide(t, n - 1.0, alpha)
        misses_each += (found.better > 0) | (found.worse > 0)
        misses_all += stepdown.decide(t, n - 1.0, alpha, scope="all").shown_better.any()
    calibration.at_most(misses_each.max(), repetitions, alpha, of="the worst model")
    calibration.at_most(misses_all, repetitions, alpha, of="all statements")


@pytest.mark.slow
def test_intervals_cover_rank_sets_when_half_of_the_models_are_tied(calibration):
    """Whole rank sets, ties included, under unequal variances."""
    rng = np.random.default_rng(18)
    n, alpha, repetitions = 15, 0.1, calibration.runs(600, 3000)
    truth = np.array([0.0, 0.0, 0.0, 0.0, 0.8, 1.2, 1.2, 3.0])
    spread = np.array([0.5, 1.0, 2.0, 1.0, 1.0, 0.5, 1.5, 1.0])
    low = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    high = len(truth) - (truth[None, :] < truth[:, None]).sum(axis=1)
    covered = np.zeros(len(truth))
    covered_at_once = 0
    for _ in range(repetitions):
        t = statistics_at_once(truth + spread * rng.normal(size=(n, len(truth))))
        each = stepdown.decide(t, n - 1.0, alpha)
        bounds = count_bounds(each.better, each.worse)
        covered += (bounds.best <= low) & (high <= bounds.worst)
        every = stepdown.decide(t, n - 1.0, alpha, scope="all")
        bounds = count_bounds(every.better, every.worse)
        covered_at_once += ((bounds.best <= low) & (high <= bounds.worst)).all()
    calibration.at_least(covered.min(), repetitions, 1 - alpha, of="the worst model")
    calibration.at_least(covered_at_once, repetitions, 1 - alpha, of="all models")
