"""Differences of all pairs on the average, with intervals that hold together."""

from __future__ import annotations

import numpy as np
import pytest
from calibration import Calibration
from reference import golden
from scipy import stats
from statsmodels.stats.multitest import multipletests

import rankbars as rb
from rankbars.data.contrasts import Contrasts
from rankbars.simulate.vtabreport import published_cells, vtab_scores

PAIRS = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def scores(seed: int = 0, gap: float = 0.3, count: int = 10) -> rb.Scores:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(count, 4)) + gap * np.arange(4) + rng.normal(size=(count, 1)) * 3
    return rb.Scores({f"t{i:02d}": rb.Estimates(tuple("abcd"), r) for i, r in enumerate(rows)})


def contrasts(given: rb.Scores, **options: object) -> Contrasts:
    found = rb.aggregate(given, **options).contrasts  # type: ignore[arg-type]
    assert found is not None
    return found


@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
def test_adjusted_p_values_agree_with_statsmodels(correction: str) -> None:
    given = scores()
    rows = np.array([task.mean for task in given.tasks.values()])
    p = [stats.ttest_rel(rows[:, i], rows[:, j]).pvalue for i, j in PAIRS]
    found = contrasts(given, correction=correction)
    adjusted = multipletests(p, method=correction)[1]
    assert [found.p[pair] for pair in PAIRS] == pytest.approx(adjusted)
    assert (found.p == found.p.T)[~np.eye(4, dtype=bool)].all()
    assert np.isnan(np.diag(found.p)).all()


def test_simultaneous_intervals_share_the_error_rate() -> None:
    given = scores()
    rows = np.array([task.mean for task in given.tasks.values()])
    found = contrasts(given)
    assert found.count == 6
    low, high = stats.ttest_rel(rows[:, 0], rows[:, 3]).confidence_interval(1 - 0.05 / 6)
    assert (found.low[0, 3], found.high[0, 3]) == pytest.approx((low, high))
    alone = contrasts(given, correction="none")
    low, high = stats.ttest_rel(rows[:, 0], rows[:, 3]).confidence_interval(0.95)
    assert (alone.low[0, 3], alone.high[0, 3]) == pytest.approx((low, high))


def test_three_normal_pairs_need_the_critical_value_of_the_reference() -> None:
    tasks = {n: rb.Estimates(("a", "b", "c"), [0.1, 0.2, 0.3], se=[0.1] * 3) for n in ("x", "y")}
    found = contrasts(rb.Scores(tasks))
    assert found.critical[0, 1] == pytest.approx(golden("weighted_aggregate")["z_bonferroni_3"])


def test_maximum_contrasts_of_independent_models_are_tukeys() -> None:
    tasks = {n: rb.Estimates(tuple("abcd"), np.arange(4.0), se=np.ones(4)) for n in ("x", "y")}
    found = contrasts(rb.Scores(tasks), correction="maxt", resamples=40_000)
    tukey = stats.studentized_range.ppf(0.95, 4, np.inf) / 2**0.5
    assert found.critical[0, 1] == pytest.approx(tukey, rel=0.01)
    z = found.diff[3, 0] / found.se[3, 0]
    assert found.p[3, 0] == pytest.approx(
        stats.studentized_range.sf(z * 2**0.5, 4, np.inf), abs=0.005
    )


def test_maximum_contrasts_over_few_tasks_know_the_degrees_of_freedom() -> None:
    # Rows that are independent between models; with many models Tukey's t version applies.
    found = contrasts(scores(count=8), correction="maxt", resamples=40_000)
    tukey = stats.studentized_range.ppf(0.95, 4, 7) / 2**0.5
    bonferroni = stats.t.ppf(1 - 0.05 / 12, 7)
    assert stats.t.ppf(0.975, 7) < found.critical[0, 1] < bonferroni
    assert found.critical[0, 1] == pytest.approx(tukey, rel=0.1)


def test_two_models_under_max_t_have_the_paired_t_interval() -> None:
    rows = np.random.default_rng(3).normal(size=(6, 2)) + [0.0, 0.8]
    given = rb.Scores({f"t{i}": rb.Estimates(("a", "b"), row) for i, row in enumerate(rows)})
    found = contrasts(given, correction="maxt", resamples=40_000)
    tested = stats.ttest_rel(rows[:, 1], rows[:, 0])
    assert found.critical[1, 0] == pytest.approx(stats.t.ppf(0.975, 5), rel=0.03)
    assert found.p[1, 0] == pytest.approx(tested.pvalue, abs=0.008)


def test_max_t_over_many_tasks_uses_what_models_have_in_common() -> None:
    # Two groups of near-equal models: few of the pairs are news, so they need less than Tukey's.
    rng = np.random.default_rng(5)
    groups = np.repeat(rng.normal(size=(200, 2)), 3, axis=1)
    rows = groups + 0.1 * rng.normal(size=(200, 6))
    names = tuple("abcdef")
    given = rb.Scores({f"t{i:03d}": rb.Estimates(names, row) for i, row in enumerate(rows)})
    found = contrasts(given, correction="maxt", resamples=4_000)
    tukey = stats.studentized_range.ppf(0.95, 6, np.inf) / 2**0.5
    assert stats.norm.ppf(0.975) < found.critical[0, 1] < tukey - 0.05


def test_over_few_items_max_t_knows_the_degrees_of_freedom() -> None:
    rows = np.random.default_rng(1).normal(size=(2, 4, 2))
    given = rb.Scores({f"t{i}": rb.Items(("a", "b"), task) for i, task in enumerate(rows)})
    found = contrasts(given, over="items", correction="maxt", resamples=40_000)
    assert 3 <= found.df[0, 1] <= 6
    assert found.critical[0, 1] == pytest.approx(stats.t.ppf(0.975, found.df[0, 1]), rel=0.03)


@pytest.mark.parametrize(("count", "claimed"), [(6, False), (9, True)])
def test_a_pair_without_spread_counts_among_all_pairs_under_max_t(
    count: int, claimed: bool
) -> None:
    rows = np.random.default_rng(2).normal(size=(count, 4))
    rows[:, 1] = rows[:, 0] + 0.5
    given = rb.Scores({f"t{i}": rb.Estimates(tuple("abcd"), row) for i, row in enumerate(rows)})
    found = contrasts(given, correction="maxt")
    sign_test = 2 * 0.5**count
    assert found.p[0, 1] == pytest.approx(6 * sign_test)
    assert found.excludes_zero[0, 1] == claimed
    alone = contrasts(given, correction="none")
    assert alone.p[0, 1] == pytest.approx(sign_test)


def test_contrasts_are_antisymmetric_and_agree_with_the_averages() -> None:
    average = rb.aggregate(scores())
    found = average.contrasts
    assert found is not None
    assert found.diff == pytest.approx(average.score[:, None] - average.score[None, :])
    assert found.low == pytest.approx(-found.high.T, nan_ok=True)
    assert (found.excludes_zero == found.excludes_zero.T).all()


def test_models_without_an_average_are_compared_with_nobody() -> None:
    rng = np.random.default_rng(0)
    tasks = {f"t{i}": rb.Estimates(("a", "b"), rng.normal(size=2)) for i in range(5)}
    tasks["t9"] = rb.Estimates(("a", "b", "c"), [1.0, 2.0, 3.0])
    found = contrasts(rb.Scores(tasks))
    assert found.count == 1
    assert np.isnan(found.low[0, 2])
    assert not found.excludes_zero[:, 2].any()


@pytest.mark.slow
@pytest.mark.parametrize("correction", ["bonferroni", "maxt"])
def test_all_intervals_hold_together_as_often_as_stated(
    calibration: Calibration, correction: str
) -> None:
    rng = np.random.default_rng(7)
    missed, runs = 0, calibration.runs(53, 300)
    for run in range(runs):
        rows = rng.normal(size=(12, 4)) + rng.normal(size=(12, 1))
        given = rb.Scores({f"t{i:02d}": rb.Estimates(tuple("abcd"), r) for i, r in enumerate(rows)})
        found = contrasts(given, correction=correction, seed=run, resamples=500)
        inside = (found.low <= 0) & (found.high >= 0)
        missed += not inside[np.triu_indices(4, 1)].all()
    calibration.at_most(missed, runs, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [(1.0, 1.0, 1.0, 1.0), (1.0, 1.0, 1.0, 5.0)])
def test_max_t_over_six_tasks_keeps_its_level(
    calibration: Calibration, noise: tuple[float, ...]
) -> None:
    rng = np.random.default_rng(11)
    runs, false, missed = calibration.runs(53, 700), 0, 0
    upper = np.triu_indices(4, 1)
    for run in range(runs):
        rows = noise * rng.normal(size=(6, 4)) + rng.normal(size=(6, 1))
        given = rb.Scores({f"t{i}": rb.Estimates(tuple("abcd"), r) for i, r in enumerate(rows)})
        found = contrasts(given, correction="maxt", seed=run, resamples=500)
        false += int(found.excludes_zero.any())
        missed += int(not ((found.low <= 0) & (found.high >= 0))[upper].all())
    calibration.at_most(false, runs, 0.05, errors=2.5, of="statements")
    calibration.at_most(missed, runs, 0.05, errors=2.5, of="intervals")


def test_max_t_draws_no_covariance_of_few_clusters_on_an_average() -> None:
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(8), 5)
    tasks = {
        name: rb.Items(("a", "b", "c"), rng.normal(size=(40, 3)) + [0.0, 1.0, 2.0], clusters=groups)
        for name in ("x", "y")
    }
    found, holm = (rb.aggregate(rb.Scores(tasks), correction=c) for c in ("maxt", "holm"))
    assert found.shown_better.tolist() == holm.shown_better.tolist()
    assert "average-holm" in {note.code for note in found.notes}
    assert "average-holm" not in {note.code for note in holm.notes}


def test_too_few_tasks_claim_nothing_of_contrasts_either() -> None:
    rng = np.random.default_rng(1)
    tasks = {
        f"t{k}": rb.Estimates(("a", "b", "c"), [0.1, 0.5, 0.9] + 0.01 * rng.normal(size=3))
        for k in range(4)
    }
    found = rb.aggregate(rb.Scores(tasks), over="tasks", method="mean")
    assert found.best.tolist() == [1, 1, 1]
    assert not found.contrasts.excludes_zero.any()
    assert np.isnan(found.contrasts.p).all()
    assert np.isnan(found.contrasts.low).all()


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "maxt", "none"])
def test_the_table_of_pairs_has_both_adjustments_beside_its_own(correction: str) -> None:
    given = scores()
    rows = np.array([task.mean for task in given.tasks.values()])
    p = [stats.ttest_rel(rows[:, i], rows[:, j]).pvalue for i, j in PAIRS]
    average = rb.aggregate(given, correction=correction)
    found, own = average.differences, average.contrasts
    assert found is not None
    assert own is not None
    assert found.source == "test"
    assert found.pairs == tuple(("abcd"[i], "abcd"[j]) for i, j in PAIRS)
    assert found.p_bonferroni == pytest.approx(multipletests(p, method="bonferroni")[1])
    assert found.p_holm == pytest.approx(multipletests(p, method="holm")[1])
    for name in ("low", "high", "p"):
        assert getattr(found, name).tolist() == [getattr(own, name)[pair] for pair in PAIRS]
    assert found.difference == pytest.approx([(rows[:, i] - rows[:, j]).mean() for i, j in PAIRS])


def test_differences_of_draws_are_those_of_normal_theory() -> None:
    mean, cov = np.array([0.0, 0.4, 1.1]), np.array([[1, 0.5, 0], [0.5, 1, 0], [0, 0, 2.0]]) / 9
    found = rb.Draws.normal(list("abc"), mean, cov, size=60_000).differences(0.05)
    gaps = np.array([mean[0] - mean[1], mean[0] - mean[2], mean[1] - mean[2]])
    se = np.sqrt([cov[i, i] + cov[j, j] - 2 * cov[i, j] for i, j in ((0, 1), (0, 2), (1, 2))])
    half = stats.norm.isf(0.05 / 6) * se
    assert found.source == "draws"
    assert found.difference == pytest.approx(gaps, abs=0.01)
    assert found.se == pytest.approx(se, rel=0.02)
    assert found.low == pytest.approx(gaps - half, abs=0.03)
    assert found.high == pytest.approx(gaps + half, abs=0.03)
    p = 2 * stats.norm.sf(np.abs(gaps) / se)
    assert found.p_bonferroni == pytest.approx(multipletests(p, method="bonferroni")[1], abs=0.01)
    assert found.p_holm == pytest.approx(multipletests(p, method="holm")[1], abs=0.01)


def test_differences_of_draws_do_not_depend_on_the_order_of_models_and_need_draws() -> None:
    values = np.random.default_rng(2).normal(size=(500, 3)) + [0.0, 1.0, np.nan]
    found = rb.Draws(("a", "b", "c"), values, "posterior").differences()
    turned = rb.Draws(("b", "a", "c"), values[:, [1, 0, 2]], "posterior").differences()
    assert turned.difference[0] == pytest.approx(-found.difference[0])
    assert (turned.low[0], turned.high[0]) == pytest.approx((-found.high[0], -found.low[0]))
    assert turned.p_holm[0] == found.p_holm[0]
    assert np.isnan(found.difference[1:]).all()
    few = rb.Draws(("a", "b"), values[:20, :2], "posterior").differences()
    assert np.isnan(few.low).all()
    alike = rb.Draws(("a", "b"), values[:, :2] - [0, 1], "posterior", alike=((0, 1),)).differences()
    assert alike.difference.tolist() == [0.0]
    assert alike.low[0] == -alike.high[0]


def test_a_posterior_has_differences_without_a_guarantee() -> None:
    shares = [rb.Estimates(("a", "b"), [0.5, 0.9], n=[100, 100]) for _ in range(2)]
    found = rb.aggregate(
        rb.Scores(dict(zip("xy", shares, strict=True))), over="items", estimator="bayes"
    )
    assert found.guarantee is None
    assert found.contrasts is None
    assert found.differences is not None
    assert found.differences.source == "draws"
    assert found.differences.excludes_zero.tolist() == [True]


def test_differences_are_those_of_the_published_table_3() -> None:
    leaders = ("Sup-Rotation-100%", "Sup-Exemplar-100%", "Sup-100%")
    given = vtab_scores().select(models=leaders)
    published = {
        (str(cell["row"]), str(cell["column"])): cell
        for cell in published_cells()
        if cell["table"] == 3 and "Norm" not in str(cell["column"])
    }
    assert len(published) == 6
    for column, options in (
        ("Avg Acc Diff (Bootstrap)", {"estimator": "analytic"}),
        ("Avg Acc Diff (Bayesian HM)", {"estimator": "bayes_predictive", "prior": "exponential"}),
    ):
        made = rb.aggregate(given, over="items", scope="all", resamples=4000, **options)  # type: ignore[arg-type]
        found = made.differences
        assert found is not None
        for k, (one, other) in enumerate(found.pairs):
            cell = published[f"{other} - {one}", column]  # names are sorted, worst first
            ours = [-100 * found.difference[k], -100 * found.high[k], -100 * found.low[k]]
            names = ("published", "published_low", "published_high")
            assert ours == pytest.approx([float(str(cell[name])) for name in names], abs=0.15)
