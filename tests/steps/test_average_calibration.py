"""How often intervals of averages hold, kind by kind, on data whose truth is known."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from calibration import Calibration

import rankbars as rb
from rankbars.steps.average.averagechoices import ESTIMATORS
from rankbars.steps.average.plan import BAYESIAN

Array = np.ndarray
TRUTH = np.array([0.5, 0.6, 0.6, 0.8])
MODELS = list("abcd")


def item_data(rng: np.random.Generator, runs: int) -> Iterator[rb.Scores]:
    """Three tasks of 60 items that models find easy and hard together; two models are tied."""
    for _ in range(runs):
        tasks = {}
        for name in "xyz":
            ease = rng.normal(size=(60, 1))
            tasks[name] = TRUTH + 0.1 * ease + 0.2 * rng.normal(size=(60, 4))
        yield rb.Scores.from_arrays(tasks, MODELS)


def task_data(
    rng: np.random.Generator, runs: int, tasks: int = 12, families: int = 0
) -> Iterator[rb.Scores]:
    """Tasks drawn from a population; with families, tasks of one family resemble each other."""
    for _ in range(runs):
        names = [f"t{i}" for i in range(tasks)]
        group = np.arange(tasks) % max(families, 1)
        common = rng.normal(size=(max(families, 1), 4)) * (0.15 if families else 0.0)
        rows = TRUTH + common[group] + 0.1 * rng.normal(size=(tasks, 4))
        values = {
            name: row + 0.05 * rng.normal(size=(20, 4))
            for name, row in zip(names, rows, strict=True)
        }
        info = {name: rb.TaskInfo(family=f"f{one}") for name, one in zip(names, group, strict=True)}
        yield rb.Scores.from_arrays(values, MODELS, info=info)


def gappy_data(rng: np.random.Generator, runs: int) -> Iterator[rb.Scores]:
    """Sixteen tasks, hard and easy ones, of which every model lacks any four."""
    for _ in range(runs):
        rows = TRUTH + 0.2 * rng.normal(size=(16, 1)) + 0.1 * rng.normal(size=(16, 4))
        lacks = rng.permuted(np.tile(np.arange(16)[:, None] < 4, 4), axis=0)
        yield rb.Scores(
            {
                f"t{b}": rb.Estimates(tuple(np.array(MODELS)[there].tolist()), row[there])
                for b, (row, there) in enumerate(zip(rows, ~lacks, strict=True))
                if there.any()
            }
        )


def covered(found: rb.Aggregate, truth: Array) -> int:
    return int(((found.low <= truth) & (truth <= found.high)).sum())


def ranks_held(found: rb.Aggregate) -> Array:
    """Whether each rank interval holds the whole true rank set: b and c share ranks 2 and 3."""
    best, worst = np.array([4, 2, 2, 1]), np.array([4, 3, 3, 1])
    return np.asarray((found.best <= best) & (found.worst >= worst))


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["analytic", "bootstrap"])
def test_scores_and_ranks_over_items(calibration: Calibration, estimator: str) -> None:
    runs, scores, ranks = calibration.runs(28, 250), 0, 0
    for seed, data in enumerate(item_data(np.random.default_rng(1), runs)):
        found = rb.aggregate(data, estimator=estimator, resamples=400, seed=seed)
        scores += covered(found, TRUTH)
        ranks += int(ranks_held(found).sum())
    # models share their items: not 4 trials each
    calibration.within(scores, 4 * runs, 0.95, slack=0.015, of="scores")
    calibration.at_least(ranks, 4 * runs, 0.95, of="ranks")


@pytest.mark.slow
def test_all_ranks_and_all_statements_at_once(calibration: Calibration) -> None:
    runs, ranks, shown, intervals = calibration.runs(40, 250), 0, 0, 0
    for seed, data in enumerate(item_data(np.random.default_rng(2), runs)):
        found = rb.aggregate(data, scope="all", correction="maxt", resamples=400, seed=seed)
        ranks += int(ranks_held(found).all())
        shown += not (found.shown_better & (TRUTH[:, None] <= TRUTH)).any()
        assert found.contrasts is not None
        true = TRUTH[:, None] - TRUTH
        inside = (found.contrasts.low <= true) & (true <= found.contrasts.high)
        intervals += int((inside | np.eye(4, dtype=bool)).all())
    calibration.at_least(ranks, runs, 0.95, of="ranks")
    calibration.at_least(shown, runs, 0.95, of="statements")
    calibration.at_least(intervals, runs, 0.95, of="intervals of differences")


@pytest.mark.slow
@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
def test_intervals_of_all_differences_at_once(calibration: Calibration, correction: str) -> None:
    runs, held = calibration.runs(40, 250), 0
    for data in item_data(np.random.default_rng(3), runs):
        contrasts = rb.aggregate(data, correction=correction, resamples=2).contrasts
        assert contrasts is not None
        true = TRUTH[:, None] - TRUTH
        inside = (contrasts.low <= true) & (true <= contrasts.high)
        held += int((inside | np.eye(4, dtype=bool)).all())
    calibration.at_least(held, runs, 0.95)


@pytest.mark.slow
@pytest.mark.parametrize("source", ["normal", "bootstrap"])
def test_orders_from_draws_are_rarely_wrong_among_tied_models(
    calibration: Calibration, source: str
) -> None:
    """All models tied: any line is wrong, and in at most 5 % of runs there is one."""
    rng, runs, wrong = np.random.default_rng(4), calibration.runs(28, 150), 0
    estimator = "analytic" if source == "normal" else "bootstrap"
    for seed in range(runs):
        tasks = {name: rng.normal(size=(60, 4)) for name in "xyz"}
        draws = rb.aggregate(
            rb.Scores.from_arrays(tasks, MODELS), estimator=estimator, resamples=1000, seed=seed
        ).draws
        assert draws is not None
        wrong += bool(draws.partial_order(alpha=0.05).edges)
    calibration.at_most(wrong, runs, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("estimator", "tasks"), [("t", 8), ("bootstrap_t", 12), ("bootstrap", 40), ("two_level", 8)]
)
def test_scores_over_a_population_of_tasks(
    calibration: Calibration, estimator: str, tasks: int
) -> None:
    runs, scores = calibration.runs(14, 120), 0
    for seed, data in enumerate(task_data(np.random.default_rng(5), runs, tasks)):
        found = rb.aggregate(data, over="tasks", estimator=estimator, resamples=400, seed=seed)
        scores += covered(found, TRUTH)
    calibration.within(scores, 4 * runs, 0.95, slack=0.015)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["common", "additive"])
def test_scores_and_differences_over_tasks_of_which_models_lack_any(
    calibration: Calibration, estimator: str
) -> None:
    runs, scores, ranks, differences = calibration.runs(28, 200), 0, 0, 0
    true = TRUTH[:, None] - TRUTH
    for data in gappy_data(np.random.default_rng(9), runs):
        found = rb.aggregate(data, over="tasks", estimator=estimator, resamples=2)
        scores += covered(found, TRUTH)
        ranks += int(ranks_held(found).sum())
        assert found.contrasts is not None
        inside = (found.contrasts.low <= true) & (true <= found.contrasts.high)
        differences += int((inside | np.eye(4, dtype=bool)).all())
    # models share the hard tasks: not 4 trials each
    calibration.within(scores, 4 * runs, 0.95, slack=0.015, of="scores")
    calibration.at_least(ranks, 4 * runs, 0.95, of="ranks")
    calibration.at_least(differences, runs, 0.95, of="all differences")


@pytest.mark.slow
def test_bounds_over_tasks_hold_where_models_lack_their_worst(
    calibration: Calibration,
) -> None:
    runs, scores, ranks = calibration.runs(40, 200), 0, 0
    limits = rb.TaskInfo(minimum=-1.5, maximum=2.5)
    for data in gappy_data(np.random.default_rng(10), runs):
        worst = {
            name: [model for model, mean in zip(task.models, task.mean, strict=True)
                   if mean > TRUTH[MODELS.index(model)] - 0.25]
            for name, task in data.tasks.items() if isinstance(task, rb.Estimates)
        }  # fmt: skip
        kept = {
            name: rb.Estimates(tuple(models), [task.mean[task.models.index(m)] for m in models])
            for name, models in worst.items()
            if models and isinstance(task := data.tasks[name], rb.Estimates)
        }
        found = rb.aggregate(
            rb.Scores(kept, dict.fromkeys(kept, limits)), over="tasks", estimator="bounded",
            resamples=2,
        )  # fmt: skip
        scores += covered(found, TRUTH)
        ranks += int(ranks_held(found).sum())
    calibration.at_least(scores, 4 * runs, 0.95, of="scores")
    calibration.at_least(ranks, 4 * runs, 0.95, of="ranks")


@pytest.mark.slow
def test_percentiles_over_few_tasks_are_too_short_as_the_note_says(
    calibration: Calibration,
) -> None:
    runs, scores = calibration.runs(30, 200), 0
    for seed, data in enumerate(task_data(np.random.default_rng(6), runs, tasks=5)):
        found = rb.aggregate(data, over="tasks", estimator="bootstrap", resamples=400, seed=seed)
        assert "few-resampled" in {note.code for note in found.notes}
        scores += covered(found, TRUTH)
    calibration.within(scores, 4 * runs, 0.84, slack=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["t", "bootstrap_t"])
def test_scores_over_families_hold_where_those_over_tasks_do_not(
    calibration: Calibration, estimator: str
) -> None:
    runs, by_family, by_task = calibration.runs(14, 120), 0, 0
    for seed, data in enumerate(task_data(np.random.default_rng(7), runs, tasks=24, families=8)):
        options = {"estimator": estimator, "resamples": 400, "seed": seed}
        by_family += covered(rb.aggregate(data, over="families", **options), TRUTH)  # type: ignore[arg-type]
        by_task += covered(rb.aggregate(data, over="tasks", **options), TRUTH)  # type: ignore[arg-type]
    calibration.within(by_family, 4 * runs, 0.95, slack=0.02, of="over families")
    calibration.below(by_task, 4 * runs, 0.85, of="over tasks")


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", ["average_rank", "borda", "win_rate", "win_rate_field", "win_rate_top1"]
)
def test_ranks_and_wins_over_a_population_of_tasks(calibration: Calibration, method: str) -> None:
    """Two tied models: the mean of what they earn is the same, and its interval holds it."""
    runs, scores = calibration.runs(11, 200), 0
    expected = {"average_rank": 1.5, "borda": 0.5}.get(method, 0.5)
    rng = np.random.default_rng(8)
    for seed in range(runs):
        rows = rng.normal(size=(20, 2))
        data = rb.Scores({f"t{i}": rb.Estimates(("a", "b"), row) for i, row in enumerate(rows)})
        found = rb.aggregate(data, over="tasks", method=method, resamples=2, seed=seed)
        scores += covered(found, np.array([expected, expected]))
    calibration.within(scores // 2, runs, 0.95, slack=0.01)  # what one model wins the other loses


@pytest.mark.slow
def test_comparison_intervals_just_touch_at_five_percent(calibration: Calibration) -> None:
    """Two independent models of equal error: intervals stay apart as often as a test rejects."""
    rng, runs, apart = np.random.default_rng(9), calibration.runs(125, 1000), 0
    for first, second in rng.normal(size=(runs, 2)):
        one = rb.Estimates(("a", "b"), np.array([first, second]), se=np.array([1.0, 1.0]))
        found = rb.aggregate(rb.Scores({"x": one, "y": one}), weights={"x": 1e-9, "y": 1.0},
                             resamples=2).comparison_intervals()  # fmt: skip
        apart += bool(found.low.max() > found.high.min())
    calibration.within(apart, runs, 0.05, slack=0.005)


@pytest.mark.slow
def test_bands_of_ranks_miss_tied_models_which_is_why_they_promise_nothing(
    calibration: Calibration,
) -> None:
    rng, runs, held = np.random.default_rng(10), calibration.runs(25, 100), 0
    for seed in range(runs):
        tasks = {name: rng.normal(size=(40, 10)) for name in "xy"}
        found = rb.aggregate(
            rb.Scores.from_arrays(tasks, list("abcdefghij")), method="average_rank", over="items",
            resamples=300, seed=seed,
        )  # fmt: skip
        assert found.guarantee is None
        held += int(((found.best == 1) & (found.worst == 10)).sum())
    calibration.below(held, 10 * runs, 0.7)


def clustered(rng: np.random.Generator) -> Array:
    group = np.repeat(np.arange(30), 4)
    return np.asarray(
        TRUTH + 0.3 * rng.normal(size=(30, 4))[group] + 0.1 * rng.normal(size=(120, 4))
    )


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["analytic", "bootstrap"])
def test_groups_of_items_count_as_groups(calibration: Calibration, estimator: str) -> None:
    rng, runs = np.random.default_rng(11), calibration.runs(21, 200)
    groups = np.repeat(np.arange(30), 4)
    held: dict[bool, int] = {True: 0, False: 0}

    def make(values: Array, known: bool) -> rb.Items:
        return rb.Items(tuple(MODELS), values, clusters=groups if known else None)

    for seed in range(runs):
        values = {name: clustered(rng) for name in "xy"}
        for known in held:
            data = rb.Scores({name: make(one, known) for name, one in values.items()})
            found = rb.aggregate(data, estimator=estimator, resamples=300, seed=seed)
            held[known] += covered(found, TRUTH)
    calibration.within(held[True], 4 * runs, 0.95, slack=0.015, of="groups known")
    calibration.below(held[False], 4 * runs, 0.85, of="groups not known")


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["analytic", "bootstrap"])
def test_geometric_means(calibration: Calibration, estimator: str) -> None:
    truth = np.array([0.4, 0.5])
    rng, runs, held = np.random.default_rng(12), calibration.runs(40, 250), 0
    for seed in range(runs):
        tasks = {name: (rng.random((150, 2)) < truth).astype(float) for name in "xy"}
        data = rb.Scores.from_arrays(tasks, ["a", "b"])
        found = rb.aggregate(
            data, method="geometric", estimator=estimator, resamples=400, seed=seed
        )
        held += covered(found, truth)
    calibration.within(held, 2 * runs, 0.95, slack=0.015)


@pytest.mark.slow
def test_the_plain_table_keeps_its_level_with_twelve_tasks(calibration: Calibration) -> None:
    rng, runs, held = np.random.default_rng(13), calibration.runs(50, 300), 0
    for _ in range(runs):
        scores = np.clip(rng.normal(0.6, 0.1, size=12), 0, 1)
        table = rb.plain_table(
            [{"model_id": "a", "task_id": f"t{i}", "metric_name": "acc", "score": value}
             for i, value in enumerate(scores.tolist())]
        )  # fmt: skip
        held += table.rows[0].mean_ci_lo <= 0.6 <= table.rows[0].mean_ci_hi
    calibration.within(held, runs, 0.95, slack=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("errors", ["standard errors", "counts"])
def test_published_scores_over_items(calibration: Calibration, errors: str) -> None:
    """Shares of right answers of three tasks, from their standard errors or as counts."""
    truth, items = np.array([0.4, 0.5, 0.7]), np.array([200, 200, 200])
    rng, runs, held = np.random.default_rng(14), calibration.runs(50, 300), 0
    for seed in range(runs):
        tasks = {}
        for name in "xyz":
            mean = rng.binomial(items, truth) / items
            if errors == "counts":
                tasks[name] = rb.Estimates(tuple("abc"), mean, n=items)
            else:
                tasks[name] = rb.Estimates(
                    tuple("abc"), mean, se=np.sqrt(mean * (1 - mean) / items)
                )
        estimator = "bootstrap" if errors == "counts" else "analytic"
        found = rb.aggregate(rb.Scores(tasks), estimator=estimator, resamples=400, seed=seed)
        held += covered(found, truth)
    calibration.within(held, 3 * runs, 0.95, slack=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("over", ["items", "tasks"])
def test_weighted_averages(calibration: Calibration, over: str) -> None:
    rng, runs, held = np.random.default_rng(15), calibration.runs(28, 250), 0
    for seed, data in enumerate(
        item_data(rng, runs) if over == "items" else task_data(rng, runs, tasks=10)
    ):
        weights = dict(zip(data.tasks, np.resize([1.0, 2.0, 0.5], len(data.tasks)), strict=True))
        found = rb.aggregate(data, over=over, weights=weights, resamples=400, seed=seed)
        held += covered(found, TRUTH)
    calibration.within(held, 4 * runs, 0.95, slack=0.015)


@pytest.mark.slow
@pytest.mark.parametrize("normalise", ["bounds", "chance"])
def test_scores_on_a_fixed_scale(calibration: Calibration, normalise: str) -> None:
    limits = {"x": (0.0, 1.0), "y": (-1.0, 2.0), "z": (0.2, 1.5)}
    truth = np.mean([(TRUTH - low) / (high - low) for low, high in limits.values()], axis=0)
    runs, held = calibration.runs(30, 200), 0
    for data in item_data(np.random.default_rng(16), runs):
        held += covered(rb.aggregate(data, normalise=normalise, limits=limits, resamples=2), truth)
    calibration.within(held, 4 * runs, 0.95, slack=0.015)


@pytest.mark.slow
def test_z_scores_hold_at_least_as_often_as_stated(calibration: Calibration) -> None:
    """Their scale comes from the same scores, and is taken as known: the intervals are wide."""
    truth = (TRUTH - TRUTH.mean()) / TRUTH.std()
    runs, held = calibration.runs(40, 150), 0
    for data in item_data(np.random.default_rng(17), runs):
        held += covered(rb.aggregate(data, normalise="zscore", resamples=2), truth)
    calibration.at_least(held, 4 * runs, 0.95)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["t", "bootstrap_t"])
def test_geometric_means_over_a_population_of_tasks(
    calibration: Calibration, estimator: str
) -> None:
    truth = np.array([0.2, 0.4])
    rng, runs, held = np.random.default_rng(18), calibration.runs(30, 200), 0
    for seed in range(runs):
        rows = truth * np.exp(0.3 * rng.normal(size=(12, 2)))
        data = rb.Scores({f"t{i}": rb.Estimates(("a", "b"), row) for i, row in enumerate(rows)})
        found = rb.aggregate(
            data, over="tasks", method="geometric", estimator=estimator, resamples=400, seed=seed
        )
        held += covered(found, truth)
    calibration.within(held, 2 * runs, 0.95, slack=0.01)


@pytest.mark.slow
def test_percentiles_over_many_families(calibration: Calibration) -> None:
    runs, held = calibration.runs(20, 60), 0
    for seed, data in enumerate(task_data(np.random.default_rng(19), runs, tasks=40, families=40)):
        found = rb.aggregate(data, over="families", estimator="bootstrap", resamples=400, seed=seed)
        held += covered(found, TRUTH)
    calibration.within(held, 4 * runs, 0.95, slack=0.02)


@pytest.mark.slow
def test_ranks_over_tasks_hold_for_all_models_at_once(calibration: Calibration) -> None:
    runs, ranks = calibration.runs(30, 200), 0
    for seed, data in enumerate(task_data(np.random.default_rng(20), runs, tasks=10)):
        found = rb.aggregate(data, over="tasks", scope="all", resamples=2, seed=seed)
        ranks += int(ranks_held(found).all())
    calibration.at_least(ranks, runs, 0.95)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["analytic", "bootstrap"])
def test_ranges_of_mean_ranks_over_items_say_that_they_are_no_intervals(
    calibration: Calibration, estimator: str
) -> None:
    """Models two to three errors apart: noise mixes the ranks of every draw once more."""
    level = 0.1 * np.array([[0, 1, 2, 3], [1, 0, 2, 3], [0, 2, 1, 3.0]])
    truth = np.array([[4, 3, 2, 1], [3, 4, 2, 1], [4, 2, 3, 1.0]]).mean(axis=0)
    rng, runs, held = np.random.default_rng(21), calibration.runs(20, 120), 0
    for seed in range(runs):
        tasks = {
            name: row + 0.1 * rng.normal(size=(60, 1)) + 0.2 * rng.normal(size=(60, 4))
            for name, row in zip("xyz", level, strict=True)
        }
        found = rb.aggregate(
            rb.Scores.from_arrays(tasks, MODELS), over="items", method="average_rank",
            estimator=estimator, resamples=200, seed=seed,
        )  # fmt: skip
        assert found.is_range
        held += covered(found, truth)
    calibration.above(held, 4 * runs, 0.6, of="not far off")
    calibration.below(held, 4 * runs, 0.9, of="and yet not the level")


@pytest.mark.slow
def test_percentiles_of_the_plain_table_with_forty_tasks(calibration: Calibration) -> None:
    rng, runs, held = np.random.default_rng(22), calibration.runs(30, 200), 0
    for seed in range(runs):
        scores = np.clip(rng.normal(0.6, 0.1, size=40), 0, 1)
        table = rb.plain_table(
            [{"model_id": "a", "task_id": f"t{i}", "metric_name": "acc", "score": value}
             for i, value in enumerate(scores.tolist())], resamples=400, seed=seed,
        )  # fmt: skip
        assert table.interval == "percentile"
        held += table.rows[0].mean_ci_lo <= 0.6 <= table.rows[0].mean_ci_hi
    calibration.within(held, runs, 0.95, slack=0.01)


PROVED = {
    ("analytic", "items", "score"): test_scores_and_ranks_over_items,
    (
        "analytic",
        "items",
        "points",
    ): test_ranges_of_mean_ranks_over_items_say_that_they_are_no_intervals,
    ("bootstrap", "items", "score"): test_scores_and_ranks_over_items,
    (
        "bootstrap",
        "items",
        "points",
    ): test_ranges_of_mean_ranks_over_items_say_that_they_are_no_intervals,
    ("t", "tasks", "score"): test_scores_over_a_population_of_tasks,
    ("t", "tasks", "points"): test_ranks_and_wins_over_a_population_of_tasks,
    ("bootstrap", "tasks", "score"): test_scores_over_a_population_of_tasks,
    ("bootstrap_t", "tasks", "score"): test_scores_over_a_population_of_tasks,
    ("two_level", "tasks", "score"): test_scores_over_a_population_of_tasks,
    ("common", "tasks", "score"): test_scores_and_differences_over_tasks_of_which_models_lack_any,
    ("additive", "tasks", "score"): test_scores_and_differences_over_tasks_of_which_models_lack_any,
    (
        "bounded",
        "tasks",
        "score",
    ): test_bounds_over_tasks_hold_where_models_lack_their_worst,
    ("t", "families", "score"): test_scores_over_families_hold_where_those_over_tasks_do_not,
    (
        "bootstrap_t",
        "families",
        "score",
    ): test_scores_over_families_hold_where_those_over_tasks_do_not,
    ("bootstrap", "families", "score"): test_percentiles_over_many_families,
}
"""Which test shows how often intervals of an estimator hold. Ranks and wins ("points") over tasks
and families are rows like scores there, whatever the estimator; posteriors have tests of their own
(test_bayesaverages.py, simulate/test_posterior.py)."""


def test_every_estimator_has_its_coverage_tested_over_what_it_is_for() -> None:
    kinds = {(name, over) for name, overs in ESTIMATORS.items() for over in overs}
    kinds -= {(name, over) for name in BAYESIAN for over in ("items", "tasks")}
    assert {(name, over) for name, over, _ in PROVED} == kinds
