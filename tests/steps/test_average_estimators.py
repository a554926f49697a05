"""Estimators of an average: reference values, scipy, by hand, calibration."""

from __future__ import annotations

import numpy as np
import pytest
from calibration import Calibration
from reference import golden
from scipy import special, stats

import rankbars as rb


def accuracies(**given: object) -> rb.Scores:
    """The two models of the reference: shares of right answers on three tasks."""
    rows = golden("weighted_aggregate")
    tasks, info = {}, {}
    columns = zip(
        rows["accuracy_a"], rows["accuracy_b"], rows["n_items"], rows["weights"], strict=True
    )
    for number, (a, b, n, weight) in enumerate(columns):
        tasks[f"t{number}"] = rb.Estimates(("a", "b"), [a, b], n=[n, n], **given)
        info[f"t{number}"] = rb.TaskInfo(weight=weight)
    return rb.Scores(tasks, info)


def with_binomial_errors(scores: rb.Scores) -> rb.Scores:
    tasks = {}
    for name, task in scores.tasks.items():
        se = np.sqrt(task.mean * (1 - task.mean) / task.n)
        tasks[name] = rb.Estimates(task.models, task.mean, se=se)
    return rb.Scores(tasks, scores.info)


def item_tasks(seed: int = 0, gap: float = 0.0, models: int = 3) -> rb.Scores:
    rng = np.random.default_rng(seed)
    difficulty = rng.normal(size=(90, 1))
    tasks = {
        "law": rng.normal(size=(40, models)) + difficulty[:40] + gap * np.arange(models),
        "math": rng.normal(size=(25, models)) * 2 + gap * np.arange(models),
        "zoo": rng.normal(size=(90, models)) + difficulty + gap * np.arange(models),
    }
    return rb.Scores.from_arrays(tasks, list("abcdefgh")[:models])


def population(count: int, seed: int = 0) -> rb.Scores:
    rows = np.random.default_rng(seed).normal(size=(count, 2)) + [0.0, 0.3]
    return rb.Scores(
        {f"t{i:02d}": rb.Estimates(("a", "b"), row) for i, row in enumerate(rows)},
        {f"t{i:02d}": rb.TaskInfo(family=f"f{i % 4}") for i in range(count)},
    )


# --- over items ----------------------------------------------------------------------------------


def test_weighted_average_of_the_reference() -> None:
    rows = golden("weighted_aggregate")
    average = rb.aggregate(with_binomial_errors(accuracies()))
    assert average.score == pytest.approx([rows["score_a"], rows["score_b"]])
    assert average.se == pytest.approx(np.sqrt([rows["var_a"], rows["var_b"]]))
    assert average.contrasts is not None
    assert average.contrasts.se[0, 1] == pytest.approx(rows["se_diff_independent"])
    assert average.contrasts.diff[0, 1] == pytest.approx(rows["score_a"] - rows["score_b"])
    assert average.target == "weighted average score over exactly these 3 tasks"


def test_draws_of_the_analytic_estimator_have_its_covariance() -> None:
    average = rb.aggregate(item_tasks(gap=0.2), resamples=50_000)
    assert average.draws is not None
    assert average.contrasts is not None
    values = average.draws.values
    assert average.draws.source == "normal"
    assert values.mean(axis=0) == pytest.approx(average.score, abs=0.005)
    assert values.std(axis=0) == pytest.approx(average.se, rel=0.02)
    difference = values[:, :1] - values
    assert difference.std(axis=0)[1:] == pytest.approx(average.contrasts.se[0, 1:], rel=0.02)
    z = average.contrasts.diff[0, 1:] / average.contrasts.se[0, 1:]
    assert average.dominance is not None
    assert average.dominance[0, 1:] == pytest.approx(stats.norm.cdf(z), abs=0.01)


def test_bootstrap_over_items_agrees_with_the_analytic_errors() -> None:
    scores = item_tasks(gap=0.3)
    analytic = rb.aggregate(scores)
    resampled = rb.aggregate(scores, estimator="bootstrap", resamples=20_000)
    assert resampled.score == pytest.approx(analytic.score, rel=1e-12)
    # The bootstrap divides by n, the standard error by n - 1.
    assert resampled.se == pytest.approx(analytic.se, rel=0.03)
    # Percentiles know nothing of degrees of freedom, so they lie a little inside.
    assert resampled.low == pytest.approx(analytic.low, abs=0.05)
    assert resampled.high == pytest.approx(analytic.high, abs=0.05)
    # Ranks come from the same paired contrasts.
    assert (resampled.shown_better == analytic.shown_better).all()
    assert (resampled.best == analytic.best).all()
    assert resampled.rank_probability == pytest.approx(analytic.rank_probability, abs=0.03)


def test_binomial_bootstrap_when_only_shares_and_their_numbers_of_items_are_known() -> None:
    rows = golden("weighted_aggregate")
    average = rb.aggregate(accuracies(), over="items", estimator="bootstrap", resamples=40_000)
    assert average.draws is not None
    assert average.draws.values.var(axis=0) == pytest.approx(
        [rows["var_a"], rows["var_b"]], rel=0.03
    )
    assert average.contrasts is not None
    assert average.contrasts.se[0, 1] == pytest.approx(rows["se_diff_independent"])
    with pytest.raises(rb.OptionError, match="without an error"):
        rb.aggregate(accuracies(), over="items")


def test_published_errors_are_used_where_they_are_not_binomial() -> None:
    scores = rb.Scores(
        {
            name: rb.Estimates(("a", "b"), [0.5, 0.6], se=[0.1, 0.2], n=[100, 100])
            for name in ("x", "y")
        }
    )
    average = rb.aggregate(scores, estimator="bootstrap", resamples=20_000)
    assert average.se == pytest.approx(np.array([0.1, 0.2]) / 2**0.5, rel=0.03)


def test_clusters_are_resampled_whole() -> None:
    rng = np.random.default_rng(3)
    passages = np.repeat(np.arange(20), 6)
    shared = rng.normal(size=(20, 1))[passages]
    values = shared + rng.normal(size=(120, 2)) * 0.3
    plain = {"x": rb.Items(("a", "b"), values), "y": rb.Items(("a", "b"), values[::-1].copy())}
    clustered = {
        name: rb.Items(("a", "b"), task.values, clusters=passages) for name, task in plain.items()
    }
    naive, honest = (
        rb.aggregate(rb.Scores(tasks), estimator="bootstrap") for tasks in (plain, clustered)
    )
    assert honest.se is not None
    assert naive.se is not None
    assert (honest.se > 1.8 * naive.se).all()
    assert honest.se == pytest.approx(rb.aggregate(rb.Scores(clustered)).se, rel=0.15)


def test_folds_and_incomplete_rows_are_not_resampled() -> None:
    folds = rb.Scores.from_arrays(
        {name: np.random.default_rng(0).normal(size=(6, 2)) for name in "xy"},
        ["a", "b"],
        design=rb.Folds(repeats=2, folds=3),
    )
    with pytest.raises(rb.OptionError, match="cross-validation folds"):
        rb.aggregate(folds, estimator="bootstrap")
    values = np.random.default_rng(0).normal(size=(6, 2))
    values[2, 1] = np.nan
    gaps = rb.Scores.from_arrays({"x": values, "y": values}, ["a", "b"])
    with pytest.raises(rb.OptionError, match="--missing listwise"):
        rb.aggregate(gaps, estimator="bootstrap")
    assert rb.aggregate(gaps).draws is not None


@pytest.mark.parametrize("correction", ["holm", "maxt"])
@pytest.mark.parametrize("method", ["mean", "borda"])
def test_without_a_model_that_every_task_has_nothing_is_claimed(
    correction: str, method: str
) -> None:
    x = rb.Items(("a",), np.arange(6.0)[:, None])
    y = rb.Items(("b",), np.arange(6.0)[:, None])
    average = rb.aggregate(rb.Scores({"x": x, "y": y}), correction=correction, method=method)
    assert np.isnan(average.score).all()
    assert average.best.tolist() == [1, 1]
    assert average.worst.tolist() == [2, 2]
    assert average.contrasts is None
    assert any(note.code == "no-average" and note.models == ("a", "b") for note in average.notes)


# --- over tasks and families ---------------------------------------------------------------------


def test_t_over_tasks_by_scipy() -> None:
    scores = population(9)
    rows = np.array([task.mean for task in scores.tasks.values()])
    average = rb.aggregate(scores, correction="holm")
    assert (average.over, average.estimator) == ("tasks", "t")
    for column in (0, 1):
        low, high = stats.ttest_1samp(rows[:, column], 0.0).confidence_interval(0.95)
        assert (average.low[column], average.high[column]) == pytest.approx((low, high))
    paired = stats.ttest_rel(rows[:, 1], rows[:, 0])
    assert average.contrasts is not None
    assert average.contrasts.p[1, 0] == pytest.approx(paired.pvalue)
    low, high = paired.confidence_interval(0.95)
    assert average.contrasts.low[1, 0] == pytest.approx(low)
    assert average.contrasts.high[1, 0] == pytest.approx(high)


def test_percentile_bootstrap_over_tasks_by_scipy() -> None:
    scores = population(19, seed=2)
    rows = np.array([task.mean for task in scores.tasks.values()])
    average = rb.aggregate(scores, estimator="bootstrap", resamples=20_000)
    theirs = stats.bootstrap(
        (rows[:, 0],), np.mean, n_resamples=20_000, method="percentile", rng=1
    ).confidence_interval
    assert (average.low[0], average.high[0]) == pytest.approx(tuple(theirs), abs=0.02)
    assert average.assumptions[0].endswith("the population that these tasks were drawn from.")
    # With 19 tasks percentiles are too short, and a note says so.
    assert "few-resampled" in {note.code for note in average.notes}
    assert not rb.aggregate(population(31), estimator="bootstrap", resamples=50).notes


def test_studentised_intervals_are_wider_than_percentile_ones_for_few_tasks() -> None:
    scores = population(7, seed=2)
    percentile, studentised = (
        rb.aggregate(scores, estimator=name) for name in ("bootstrap", "bootstrap_t")
    )
    assert (studentised.high - studentised.low > percentile.high - percentile.low).all()
    # The contrasts behind the ranks are those of the paired t over tasks in either case.
    assert (studentised.best == rb.aggregate(scores, estimator="t").best).all()


@pytest.mark.parametrize("bounded", [False, True])
def test_two_tasks_are_too_few_for_studentised_ends_and_a_note_says_so(bounded: bool) -> None:
    given = population(2)
    if bounded:
        info = {name: rb.TaskInfo(minimum=-9.0, maximum=9.0) for name in given.tasks}
        given = rb.Scores(given.tasks, info)
    average = rb.aggregate(given, estimator="bootstrap_t")
    ends = np.stack([average.low, average.high])
    assert np.isnan(ends).all() if not bounded else (ends == [[-9.0], [9.0]]).all()
    note = next(note for note in average.notes if note.code == "unbounded")
    assert note.models == average.models
    assert note.message.endswith("end of the scale." if bounded else "there are no intervals.")


def test_families_are_the_sample_and_each_counts_the_same() -> None:
    scores = population(10)
    rows = np.array([task.mean for task in scores.tasks.values()])
    means = np.array([rows[k::4].mean(axis=0) for k in range(4)])  # of 3, 3, 2 and 2 tasks
    average = rb.aggregate(scores, over="families")
    assert average.score == pytest.approx(means.mean(axis=0))
    low, high = stats.ttest_1samp(means[:, 1], 0.0).confidence_interval(0.95)
    assert (average.low[1], average.high[1]) == pytest.approx((low, high))
    assert "4 families (10 tasks)" in average.target
    resampled = rb.aggregate(scores, over="families", estimator="bootstrap", resamples=5_000)
    assert resampled.draws is not None
    expected = means.std(axis=0) / 2
    assert resampled.draws.values.std(axis=0) == pytest.approx(expected, rel=0.05)


def test_families_must_be_known_and_more_than_one() -> None:
    with pytest.raises(rb.OptionError, match="--families FILE"):
        rb.aggregate(item_tasks(), over="families")
    scores = population(4)
    same = {name: rb.TaskInfo(family="one") for name in scores.tasks}
    with pytest.raises(rb.DataError, match="at least two families"):
        rb.aggregate(rb.Scores(scores.tasks, same), over="families")


def test_two_levels_never_claim_more_than_the_items_allow() -> None:
    # Task means that happen to be nearly equal, although each rests on few items.
    rng = np.random.default_rng(0)
    tasks = {}
    for name in "uvwxyz":
        values = rng.normal(size=(20, 2))
        tasks[name] = values - values.mean(axis=0) + rng.normal(size=2) * 0.01
    scores = rb.Scores.from_arrays(tasks, ["a", "b"])
    plain = rb.aggregate(scores, over="tasks")
    honest = rb.aggregate(scores, over="tasks", estimator="two_level")
    assert honest.components is not None
    assert (honest.components.between == 0).all()
    items = rb.aggregate(scores, over="items")
    assert honest.se == pytest.approx(items.se)
    assert plain.se is not None
    assert honest.se is not None
    assert (honest.se > 3 * plain.se).all()
    assert honest.contrasts is not None
    assert items.contrasts is not None
    assert honest.contrasts.se[0, 1] == pytest.approx(items.contrasts.se[0, 1])


def test_two_levels_equal_t_where_tasks_differ_more_than_items_explain() -> None:
    rng = np.random.default_rng(0)
    tasks = {f"t{i}": rng.normal(size=(30, 2)) + rng.normal(size=2) * 3 for i in range(8)}
    scores = rb.Scores.from_arrays(tasks, ["a", "b"])
    plain, honest = (
        rb.aggregate(scores, over="tasks", estimator=name) for name in ("t", "two_level")
    )
    assert honest.se == pytest.approx(plain.se)
    assert honest.low == pytest.approx(plain.low)
    means = np.array([task.mean(axis=0) for task in tasks.values()])
    noise = np.mean([task.var(axis=0, ddof=1) / 30 for task in tasks.values()], axis=0)
    assert honest.components is not None
    assert honest.components.within == pytest.approx(noise)
    assert honest.components.between == pytest.approx(means.var(axis=0, ddof=1) - noise)


def test_an_estimator_for_another_average_is_refused() -> None:
    with pytest.raises(rb.OptionError, match="Estimator 't' is for over='tasks' or 'families'"):
        rb.aggregate(item_tasks(), over="items", estimator="t")
    with pytest.raises(rb.OptionError, match="Did you mean 'bootstrap'"):
        rb.aggregate(item_tasks(), estimator="bootstap")


# --- all of them ---------------------------------------------------------------------------------

ALL = [
    ("items", "analytic"), ("items", "bootstrap"), ("tasks", "t"), ("tasks", "bootstrap"),
    ("tasks", "bootstrap_t"), ("tasks", "two_level"), ("families", "t"), ("families", "bootstrap"),
]  # fmt: skip


def with_families(scores: rb.Scores) -> rb.Scores:
    info = {name: rb.TaskInfo(family=name[0]) for name in scores.tasks}
    return rb.Scores(scores.tasks, info)


@pytest.mark.parametrize(("over", "estimator"), ALL)
def test_identical_models_get_identical_everything(over: str, estimator: str) -> None:
    tasks = {
        name: np.column_stack([task.values, task.values[:, 0]])
        for name, task in item_tasks().tasks.items()
    }
    scores = with_families(rb.Scores.from_arrays(tasks, ["a", "b", "c", "twin"]))
    average = rb.aggregate(scores, over=over, estimator=estimator)
    for values in (average.score, average.low, average.high, average.best, average.worst):
        assert np.array_equal(values[0], values[3], equal_nan=True)
    assert average.rank_probability is not None
    assert average.dominance is not None
    assert (average.rank_probability[0] == average.rank_probability[3]).all()
    assert average.dominance[0, 3] == average.dominance[3, 0] == 0.0
    assert not average.shown_better[0, 3]


@pytest.mark.parametrize(("over", "estimator"), ALL)
def test_results_depend_on_neither_the_order_of_models_nor_that_of_tasks(
    over: str, estimator: str
) -> None:
    scores = with_families(item_tasks(gap=0.2))
    arrays = {name: task.values[:, [2, 0, 1]] for name, task in reversed(scores.tasks.items())}
    again = with_families(rb.Scores.from_arrays(arrays, ["c", "a", "b"]))
    one, two = (
        rb.aggregate(given, over=over, estimator=estimator, resamples=300)
        for given in (scores, again)
    )
    assert one.low == pytest.approx(two.low, rel=1e-12, nan_ok=True)
    assert (one.rank_probability == two.rank_probability).all()


@pytest.mark.parametrize(("over", "estimator"), ALL)
def test_better_models_have_better_ranks_in_every_way(over: str, estimator: str) -> None:
    scores = with_families(item_tasks(gap=1.5))
    average = rb.aggregate(scores, over=over, estimator=estimator)
    assert average.score.argsort().tolist() == [0, 1, 2]
    assert average.expected_rank is not None
    assert average.expected_rank == pytest.approx([3.0, 2.0, 1.0], abs=0.2)
    assert estimator == "bootstrap_t" or not np.isnan(average.low).any()  # three tasks: no ends
    assert not (average.low > average.score).any()
    assert not (average.score > average.high).any()
    assert average.guarantee == 0.95


@pytest.mark.parametrize(("over", "estimator"), ALL)
def test_the_seed_decides_the_draws_and_nothing_else(over: str, estimator: str) -> None:
    scores = with_families(item_tasks())
    first, again, other = (
        rb.aggregate(scores, over=over, estimator=estimator, seed=seed, resamples=200)
        for seed in (0, 0, 1)
    )
    assert first.draws is not None
    assert again.draws is not None
    assert other.draws is not None
    assert (first.draws.values == again.draws.values).all()
    assert not (first.draws.values == other.draws.values).all()
    assert (first.best == other.best).all()


@pytest.mark.slow
def test_intervals_over_items_cover_the_average_of_these_tasks(calibration: Calibration) -> None:
    """Nominal 95 % on skewed 0/1 and continuous scores of two models."""
    rng = np.random.default_rng(5)
    truth = np.array([0.7, 0.8])
    hits, runs = {"analytic": 0, "bootstrap": 0}, calibration.runs(70, 300)
    for run in range(runs):
        tasks = {
            "x": (rng.random((60, 2)) < truth).astype(float),
            "y": truth + rng.exponential(size=(40, 2)) - 1.0,
        }
        scores = rb.Scores.from_arrays(tasks, ["a", "b"])
        for name in hits:
            found = rb.aggregate(scores, over="items", estimator=name, seed=run, resamples=400)
            hits[name] += int(((found.low <= truth) & (truth <= found.high)).sum())
    for name, count in hits.items():
        calibration.within(count, 2 * runs, 0.95, slack=0.008, of=name)


@pytest.mark.slow
def test_ranks_over_tasks_miss_tied_models_no_more_often_than_stated(
    calibration: Calibration,
) -> None:
    rng = np.random.default_rng(1)
    missed, runs = 0, calibration.runs(100, 400)
    for run in range(runs):
        rows = rng.normal(size=(8, 4)) + rng.normal(size=(8, 1))
        scores = rb.Scores(
            {f"t{i}": rb.Estimates(tuple("abcd"), row) for i, row in enumerate(rows)}
        )
        found = rb.aggregate(scores, seed=run, resamples=50)
        missed += int(((found.best > 1) | (found.worst < 4)).sum())
    calibration.at_most(missed / 4, runs, 0.05)


def easy_and_hard_rows() -> rb.Scores:
    """Two models with equal chances: one answered mostly the easy half, the other the hard one."""
    rng = np.random.default_rng(1)
    tasks = {}
    for name in ("x", "y", "z"):
        easy = np.arange(120) < 60
        level = np.where(easy, 0.9, 0.3)[:, None]
        values = (rng.random((120, 3)) < level + [0.0, 0.08, 0.0]).astype(float)
        values[~easy & (rng.random(120) < 0.8), 0] = np.nan
        values[easy & (rng.random(120) < 0.8), 1] = np.nan
        tasks[name] = values
    return rb.Scores.from_arrays(tasks, ["a", "b", "c"])


def test_draws_follow_paired_differences_where_models_miss_different_rows() -> None:
    average = rb.leaderboard(easy_and_hard_rows(), missing="pairwise", resamples=20_000).aggregate
    assert average is not None
    assert average.contrasts is not None
    assert average.dominance is not None
    assert average.draws is not None
    # a has the higher mean, on easier rows; on the rows it shares with c or b it is no better.
    assert average.score[0] > average.score[2] + 0.1
    assert average.contrasts.diff[0, 2] < 0.1
    one_sided = special.ndtr(average.contrasts.pairs.statistic)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert average.dominance[i, j] == pytest.approx(one_sided[i, j], abs=0.12)
    assert "paired-draws" in {note.code for note in average.notes}


def test_draws_of_complete_scores_stay_at_the_means() -> None:
    rng = np.random.default_rng(0)
    scores = rb.Scores.from_arrays({n: rng.random((40, 3)) for n in "xy"}, ["a", "b", "c"])
    average = rb.aggregate(scores, resamples=5000)
    assert average.draws is not None
    assert average.se is not None
    close = 4 * average.se.max() / np.sqrt(5000)
    assert average.draws.values.mean(axis=0) == pytest.approx(average.score, abs=close)
    assert "paired-draws" not in {note.code for note in average.notes}
