"""The estimators bayes and bayes_predictive: what they take, what they say, whether they hold."""

from __future__ import annotations

import json

import numpy as np
import pytest
from calibration import Calibration
from reference import golden

import rankbars as rb
from rankbars.data.boardfile import board_json
from rankbars.data.boardreading import board_from_dict
from rankbars.simulate.posteriorstudy import measure_coverage, measure_published
from rankbars.simulate.study import Row, number


def shares(right: list[list[int]], total: list[int], **info: object) -> rb.Scores:
    """Counts of right answers, tasks by models."""
    names = tuple("abcdefgh"[: len(right[0])])
    tasks = {
        f"t{j}": rb.Estimates(names, np.array(row) / total[j], n=[total[j]] * len(row))
        for j, row in enumerate(right)
    }
    return rb.Scores(tasks, {name: rb.TaskInfo(**info) for name in tasks})  # type: ignore[arg-type]


def answers(seed: int = 0, tasks: int = 5, items: int = 40) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    level = np.array([0.4, 0.5, 0.55, 0.8])
    return {
        f"t{j}": (rng.random((items, 4)) < level + rng.normal() * 0.1).astype(float)
        for j in range(tasks)
    }


NAMES = ["a", "b", "c", "d"]


# --- the study of Longjohn, Gopalan and Casleton -------------------------------------------------


def values_of(rows: list[Row]) -> dict[tuple[object, object], float]:
    return {(r["method"], r["quantity"]): number(r, "total") / number(r, "number") for r in rows}


def test_the_published_study_is_reproduced() -> None:
    known = golden("beta_binomial_study")
    found = values_of(measure_published(0, 4, 0))
    slack, rough = known["posterior_tolerance"], known["bootstrap_tolerance"]
    model = "hierarchical model"
    assert found[model, "mean"] == pytest.approx(known["posterior_mean"], abs=1e-4)
    assert found[model, "low"] == pytest.approx(known["posterior_95"][0], abs=slack)
    assert found[model, "high"] == pytest.approx(known["posterior_95"][1], abs=slack)
    # As printed, to three decimals.
    assert (round(found[model, "low"], 3), round(found[model, "high"], 3)) == (-0.021, -0.003)
    assert found["bootstrap", "low"] == pytest.approx(known["bootstrap_95"][0], abs=rough)
    assert found["bootstrap", "high"] == pytest.approx(known["bootstrap_95"][1], abs=rough)


# --- calibration ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("target", ["these tasks", "tasks like these", "one new task"])
def test_intervals_hold_as_often_as_they_say_when_the_prior_is_right(
    calibration: Calibration, target: str
) -> None:
    boards = measure_coverage(target, "log_normal:3:1.5", 0, calibration.runs(5, 10), 0)
    found = {row["quantity"]: row for row in boards}
    count = number(found["coverage"], "number")
    error = 4 * (0.95 * 0.05 / count) ** 0.5 + 0.005
    calibration.near(number(found["coverage"], "total"), int(count), 0.95, error)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["these tasks", "tasks like these", "one new task"])
def test_the_default_prior_nearly_keeps_the_level_and_the_published_one_does_not(
    target: str,
) -> None:
    rows = {
        prior: {r["quantity"]: r for r in measure_coverage(target, prior, 0, 6, 0)}
        for prior in ("uniform_log", "exponential")
    }
    share = {p: number(r["coverage"], "total") / number(r["coverage"], "number")
             for p, r in rows.items()}  # fmt: skip
    assert share["uniform_log"] > 0.88
    if target != "these tasks":
        assert share["exponential"] < 0.85


# --- what the estimators say ---------------------------------------------------------------------


def test_many_items_leave_nothing_to_shrink() -> None:
    right = [[6000, 7000], [4000, 3000], [9000, 9500]]
    scores = shares(right, [10_000] * 3)
    average = rb.aggregate(scores, over="items", estimator="bayes", resamples=4000)
    plain = np.array(right).mean(axis=0) / 10_000
    assert average.score == pytest.approx(plain, abs=2e-4)
    assert average.draws is not None
    assert average.draws.source == "posterior"
    assert average.draws.values.mean(axis=0) == pytest.approx(average.score, abs=3e-4)
    assert average.draws.values.std(axis=0) == pytest.approx(average.se, rel=0.05)
    p = np.array(right) / 10_000
    binomial = np.sqrt((p * (1 - p) / 10_000).sum(axis=0)) / 3
    assert average.se == pytest.approx(binomial, rel=0.01)
    assert average.low == pytest.approx(average.score - 1.96 * binomial, abs=6e-4)


def test_few_items_are_drawn_towards_the_other_tasks() -> None:
    scores = shares([[50], [50], [5]], [100, 100, 5])
    one = rb.aggregate(scores, over="items", estimator="bayes", weights={"t2": 1.0, "t0": 1e-9})
    assert 0.5 < one.score[0] < 0.95


def test_a_prediction_of_fresh_items_is_about_the_root_of_two_wider() -> None:
    scores = shares([[600, 700], [400, 300], [900, 950]], [1000] * 3)
    made = {
        name: rb.aggregate(scores, over="items", estimator=name, resamples=4000)
        for name in ("bayes", "bayes_predictive")
    }
    wide, narrow = made["bayes_predictive"], made["bayes"]
    assert wide.draws is not None
    assert wide.draws.source == "predictive"
    assert wide.score == pytest.approx(narrow.score)
    assert wide.se is not None
    assert wide.se / narrow.se == pytest.approx([2**0.5] * 2, rel=0.01)
    assert (wide.high - wide.low) / (narrow.high - narrow.low) == pytest.approx(2**0.5, rel=0.08)
    assert wide.target == "average score over fresh items of exactly these 3 tasks"
    assert narrow.target == "average score over exactly these 3 tasks"
    # Draws are shares of whole numbers of answers.
    assert wide.draws.values * 3000 == pytest.approx(np.round(wide.draws.values * 3000))


def test_over_tasks_is_the_population_and_its_prediction_a_new_task() -> None:
    rng = np.random.default_rng(0)
    truth = rng.beta(6, 4, size=(60, 1))
    scores = shares(rng.binomial(400, truth).tolist(), [400] * 60)
    mean, new = (
        rb.aggregate(scores, over="tasks", estimator=name, resamples=4000)
        for name in ("bayes", "bayes_predictive")
    )
    assert mean.score[0] == pytest.approx(0.6, abs=0.05)
    # The spread of Beta(6, 4) is .148; the mean of 60 tasks is known to .148 / 60**.5 = .019.
    assert mean.se is not None
    assert mean.se[0] == pytest.approx(0.019, rel=0.25)
    assert new.se is not None
    assert new.se[0] == pytest.approx(0.148, rel=0.2)
    assert "population" in mean.target
    assert new.target == "score on one new task from the population that these 60 tasks are from"
    assert "one new task" in new.assumptions[0]


def test_what_is_promised_is_said() -> None:
    scores = rb.Scores.from_arrays(answers(), NAMES)
    average = rb.aggregate(scores, estimator="bayes")
    assert average.over == "items"
    assert average.guarantee is None
    assert not average.shown_better.any()
    assert average.contrasts is None
    codes = {note.code for note in average.notes}
    assert {"quadrature", "average-band"} <= codes
    text = " ".join(average.assumptions)
    assert "Prior: mean share uniform, log of a + b uniform from 0.05 to 200000." in text
    assert "one Beta distribution" in text
    assert "answered the same items is not used" in text
    assert average.draws is not None
    assert 990 <= average.draws.effective <= 1000
    assert (average.best == average.draws.rank_band(0.05).best).all()
    assert average.rank_probability is not None
    assert average.rank_probability.sum(axis=0) == pytest.approx(1.0)
    assert average.dominance is not None
    assert average.dominance[3, 0] > 0.99


def test_answers_per_item_and_their_counts_are_the_same_evidence() -> None:
    arrays = answers()
    items = rb.aggregate(rb.Scores.from_arrays(arrays, NAMES), estimator="bayes")
    counted = rb.Scores(
        {t: rb.Estimates(tuple(NAMES), x.mean(axis=0), n=[40] * 4) for t, x in arrays.items()}
    )
    again = rb.aggregate(counted, over="items", estimator="bayes")
    assert again.score == pytest.approx(items.score, abs=1e-12)
    assert again.low == pytest.approx(items.low, abs=1e-12)


def test_wrong_answers_count_like_right_ones_turned_around() -> None:
    arrays = answers()
    right = rb.aggregate(rb.Scores.from_arrays(arrays, NAMES), estimator="bayes")
    info = {name: rb.TaskInfo(direction="lower") for name in arrays}
    errors = rb.Scores({t: rb.Items(tuple(NAMES), x - 1) for t, x in arrays.items()}, info)
    wrong = rb.aggregate(errors, estimator="bayes")
    assert wrong.direction == "lower"
    assert wrong.score == pytest.approx(1 - right.score, abs=1e-9)
    assert wrong.low == pytest.approx(1 - right.high, abs=1e-9)
    assert (wrong.best == right.best).all()
    new, old = (rb.aggregate(s, over="tasks", estimator="bayes")
                for s in (errors, rb.Scores.from_arrays(arrays, NAMES)))  # fmt: skip
    assert new.score == pytest.approx(1 - old.score, abs=1e-9)


def test_a_task_without_a_wrong_answer_counts_wrong_answers_if_the_others_do() -> None:
    arrays = answers()
    arrays["t0"][:] = 1.0
    info = {name: rb.TaskInfo(direction="lower") for name in arrays}
    errors = rb.Scores({t: rb.Items(tuple(NAMES), x - 1) for t, x in arrays.items()}, info)
    right = rb.aggregate(rb.Scores.from_arrays(arrays, NAMES), estimator="bayes")
    wrong = rb.aggregate(errors, estimator="bayes")
    assert wrong.score == pytest.approx(1 - right.score, abs=1e-9)


def test_missing_answers_are_left_out_model_by_model() -> None:
    arrays = answers()
    arrays["t1"][3:9, 2] = np.nan
    found = rb.aggregate(rb.Scores.from_arrays(arrays, NAMES), estimator="bayes")
    whole = rb.aggregate(rb.Scores.from_arrays(answers(), NAMES), estimator="bayes")
    assert found.score[[0, 1, 3]] == pytest.approx(whole.score[[0, 1, 3]], abs=1e-12)
    assert found.score[2] != whole.score[2]


def test_a_model_without_a_task_has_no_average() -> None:
    arrays = answers()
    arrays["t1"][:, 2] = np.nan
    found = rb.aggregate(rb.Scores.from_arrays(arrays, NAMES), estimator="bayes")
    assert np.isnan(found.score).tolist() == [False, False, True, False]
    assert (found.best[2], found.worst[2]) == (1, 4)


# --- scores with standard errors -----------------------------------------------------------------


def test_scores_with_errors_get_the_normal_model() -> None:
    rng = np.random.default_rng(0)
    tasks = {
        f"t{j}": rb.Estimates(("a", "b"), rng.normal(0, 2, 2), se=[1.0, 0.5]) for j in range(6)
    }
    average = rb.aggregate(rb.Scores(tasks), estimator="bayes", resamples=4000)
    assert any("one normal distribution" in text for text in average.assumptions)
    assert "Prior: spread between tasks uniform." in average.assumptions
    plain = np.mean([task.mean for task in tasks.values()], axis=0)
    # The mean over all tasks is hardly shrunk: every task is drawn towards it.
    assert average.score == pytest.approx(plain, abs=0.05)
    assert average.draws is not None
    assert average.draws.values.std(axis=0) == pytest.approx(average.se, rel=0.05)
    new = rb.aggregate(rb.Scores(tasks), over="tasks", estimator="bayes_predictive")
    assert (new.se > 2 * average.se).all()  # type: ignore[operator]


def test_continuous_items_and_groups_of_rows_get_the_normal_model() -> None:
    rng = np.random.default_rng(0)
    arrays = {f"t{j}": rng.normal(size=(30, 2)) for j in range(4)}
    average = rb.aggregate(rb.Scores.from_arrays(arrays, ["a", "b"]), estimator="bayes")
    assert any("one normal distribution" in text for text in average.assumptions)
    binary = {t: (x > 0).astype(float) for t, x in arrays.items()}
    groups = {
        t: rb.Items(("a", "b"), x, clusters=np.repeat(np.arange(10), 3)) for t, x in binary.items()
    }
    average = rb.aggregate(rb.Scores(groups), estimator="bayes")
    assert any("one normal distribution" in text for text in average.assumptions)


def test_a_prior_of_the_spread_asks_for_the_normal_model() -> None:
    scores = rb.Scores.from_arrays(answers(), NAMES)
    counted, normal = (
        rb.aggregate(scores, estimator="bayes", prior=prior)
        for prior in ("auto", "exponential_spread:0.2")
    )
    assert "Prior: spread between tasks exponential with mean 0.2." in normal.assumptions
    assert normal.score == pytest.approx(counted.score, abs=0.02)


# --- priors --------------------------------------------------------------------------------------


def test_a_function_a_name_and_a_prior_say_the_same() -> None:
    scores = rb.Scores.from_arrays(answers(), NAMES)
    made = [
        rb.aggregate(scores, estimator="bayes", prior=prior)
        for prior in (
            "exponential:500",
            rb.Prior.exponential(500),
            lambda a, b: -(a + b) / 500,
            dict.fromkeys(NAMES, "exponential:500"),
        )
    ]
    for other in made[1:]:
        assert other.score == pytest.approx(made[0].score, abs=1e-12)
        assert other.low == pytest.approx(made[0].low, abs=1e-12)


def test_with_few_answers_the_prior_matters() -> None:
    scores = shares([[9], [2], [5]], [10, 10, 10])
    alike, apart = (
        rb.aggregate(scores, over="tasks", estimator="bayes", prior=prior)
        for prior in ("exponential", "uniform_log")
    )
    assert (apart.se > 1.5 * alike.se).all()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"prior": "exponental"}, "Did you mean 'exponential'"),
        ({"prior": "exponential:x"}, "Numbers follow the name"),
        ({"prior": "exponential:-1"}, "mean must be above 0"),
        ({"prior": "uniform_log:5:2"}, "limits must be"),
        ({"prior": {"a": "exponential"}}, "no prior for model 'b'"),
        ({"prior": 3}, "must be a name, a Prior, a function"),
        ({"estimator": "bootstrap", "prior": "exponential"}, "belongs to the estimators bayes"),
        ({"over": "families"}, "is for over='items' or 'tasks'"),
        ({"over": "tasks", "method": "borda"}, "about the mean score"),
        ({"over": "tasks", "weights": {"t0": 1.0, "t1": 2.0}}, "weights that differ"),
        ({"normalise": "minmax_draws"}, "draws of resampled items"),
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, object], message: str) -> None:
    scores = rb.Scores.from_arrays(answers(), NAMES)
    with pytest.raises(rb.OptionError, match=message):
        rb.aggregate(scores, **({"estimator": "bayes"} | given))  # type: ignore[arg-type]


def test_a_prior_for_counts_does_not_fit_scores() -> None:
    rng = np.random.default_rng(0)
    arrays = {f"t{j}": rng.normal(size=(30, 2)) for j in range(4)}
    with pytest.raises(rb.OptionError, match="need a prior of the spread"):
        rb.aggregate(
            rb.Scores.from_arrays(arrays, ["a", "b"]), estimator="bayes", prior="exponential"
        )


def test_scores_without_any_error_are_refused_with_what_is_needed() -> None:
    bare = rb.Scores({name: rb.Estimates(("a", "b"), [0.4, 0.5]) for name in "xyz"})
    with pytest.raises(rb.OptionError, match="without an error"):
        rb.aggregate(bare, over="items", estimator="bayes")
    with pytest.raises(rb.DataError, match=r"shares of right answers with their number of items"):
        rb.aggregate(bare, over="tasks", estimator="bayes")
    exact = rb.Scores({name: rb.Estimates(("a", "b"), [4.0, 5.0], se=[0, 1]) for name in "xyz"})
    with pytest.raises(rb.DataError, match="standard error of 0"):
        rb.aggregate(exact, over="items", estimator="bayes")
    with pytest.raises(rb.DataError, match="at least two tasks"):
        rb.aggregate(rb.Scores.from_arrays({"x": np.eye(2)}, ["a", "b"]), estimator="bayes")


# --- degenerate counts ---------------------------------------------------------------------------


@pytest.mark.parametrize("over", ["items", "tasks"])
@pytest.mark.parametrize(
    "right",
    [[[10, 0], [10, 0]], [[10, 10], [10, 10]], [[0, 0], [0, 0]], [[10, 0], [0, 10]]],
)
def test_all_right_and_all_wrong_stay_within_0_and_1(over: str, right: list[list[int]]) -> None:
    average = rb.aggregate(shares(right, [10, 10]), over=over, estimator="bayes")
    for values in (average.score, average.low, average.high):
        assert ((values >= 0) & (values <= 1)).all()
    assert (average.high > average.low).all()
    assert ((average.score > 0) & (average.score < 1)).all()


def test_one_item_per_task_says_little() -> None:
    average = rb.aggregate(shares([[1, 0], [0, 1]], [1, 1]), over="items", estimator="bayes")
    assert average.score == pytest.approx(0.5, abs=0.01)
    assert (average.high - average.low > 0.6).all()


# --- what results may depend on ------------------------------------------------------------------


def test_results_depend_on_neither_order_nor_other_models() -> None:
    arrays = answers()
    whole = rb.aggregate(rb.Scores.from_arrays(arrays, NAMES), estimator="bayes", resamples=500)
    turned = {t: x[:, [2, 0, 3, 1]] for t, x in reversed(arrays.items())}
    again = rb.aggregate(
        rb.Scores.from_arrays(turned, ["c", "a", "d", "b"]), estimator="bayes", resamples=500
    )
    fewer = rb.aggregate(
        rb.Scores.from_arrays({t: x[:, :2] for t, x in arrays.items()}, NAMES[:2]),
        estimator="bayes",
        resamples=500,
    )
    assert whole.draws is not None
    assert again.draws is not None
    assert fewer.draws is not None
    assert again.models == whole.models
    assert again.draws.values == pytest.approx(whole.draws.values, abs=1e-9)
    assert fewer.draws.values == pytest.approx(whole.draws.values[:, :2], abs=1e-12)


@pytest.mark.parametrize("method", ["mean", "average_rank"])
def test_clones_get_the_same_of_everything_and_are_even(method: str) -> None:
    # Few draws, so that chance would set them apart.
    arrays = {t: np.column_stack([x, x[:, 1]]) for t, x in answers().items()}
    average = rb.aggregate(
        rb.Scores.from_arrays(arrays, [*NAMES, "twin"]),
        over="items", estimator="bayes", method=method, resamples=60,
    )  # fmt: skip
    for values in (average.score, average.low, average.high, average.se):
        assert values is not None
        assert values[1] == values[4]
    assert average.dominance is not None
    assert average.dominance[1, 4] == average.dominance[4, 1]
    if method == "mean":  # without ties
        assert average.dominance[1, 4] == 0.5
    others = [0, 2, 3]
    assert average.dominance[1, others].tolist() == average.dominance[4, others].tolist()
    assert (average.dominance + average.dominance.T <= 1.0 + 1e-12).all()
    assert average.rank_probability is not None
    assert average.rank_probability[1].tolist() == average.rank_probability[4].tolist()
    assert average.rank_probability.sum(axis=0) == pytest.approx(1.0)
    assert average.draws is not None
    own = average.draws.interval()
    assert (own.low[1], own.high[1]) == (own.low[4], own.high[4])
    assert average.best[1] == average.best[4]
    assert average.worst[1] == average.worst[4]


# --- methods, scales, categories, boards ---------------------------------------------------------


@pytest.mark.parametrize(
    "method", ["average_rank", "average_rank_bins", "average_rank_noise", "borda", "win_rate_top1"]
)
def test_ranks_and_wins_are_counted_in_the_draws_of_each_task(method: str) -> None:
    scores = rb.Scores.from_arrays(answers(items=200), NAMES)
    average = rb.aggregate(scores, over="items", estimator="bayes", method=method)
    near = rb.aggregate(scores, over="items", estimator="bootstrap", method=method)
    assert average.draws is not None
    assert np.abs(average.draws.values.mean(axis=0)) == pytest.approx(average.score)
    assert average.score == pytest.approx(near.score, abs=0.6)


def test_geometric_means_of_draws() -> None:
    scores = shares([[600, 700], [400, 300]], [1000, 1000])
    average = rb.aggregate(scores, over="items", estimator="bayes", method="geometric")
    assert average.score == pytest.approx([0.24**0.5, 0.21**0.5], abs=2e-3)


def test_scales_are_applied_to_the_draws() -> None:
    scores = shares([[600, 700], [400, 300]], [1000, 1000], minimum=0.0, maximum=1.0, chance=0.25)
    plain, scaled = (
        rb.aggregate(scores, over="items", estimator="bayes", normalise=name)
        for name in (None, "chance")
    )
    assert scaled.score == pytest.approx((plain.score - 0.25) / 0.75)
    assert scaled.low == pytest.approx((plain.low - 0.25) / 0.75)
    assert scaled.se == pytest.approx(np.asarray(plain.se) / 0.75)


def test_categories_have_joint_draws() -> None:
    tasks = shares([[600, 700], [400, 300], [500, 500]], [1000] * 3).tasks
    info = {name: rb.TaskInfo(category="x" if name == "t0" else "y") for name in tasks}
    average = rb.aggregate(rb.Scores(tasks, info), over="items", estimator="bayes")
    means = average.by_category
    assert means is not None
    assert means.draws is not None
    assert average.draws is not None
    position = means.categories.index("x")
    mixed = means.draws[:, position] / 3 + 2 * means.draws[:, 1 - position] / 3
    assert mixed == pytest.approx(average.draws.values)


def test_a_board_with_a_posterior_survives_its_file_and_names_its_prior() -> None:
    scores = rb.Scores.from_arrays(answers(), NAMES)
    board = rb.leaderboard(scores, over="items", estimator="bayes", prior="exponential:100")
    assert board.spec.prior == "exponential:100"
    assert board.aggregate is not None
    assert board.aggregate.estimator == "bayes"
    text = board_json(board)
    assert board_json(board_from_dict(json.loads(text))) == text
    again = rb.leaderboard(scores, spec=board_from_dict(json.loads(text)).spec)
    assert again.aggregate is not None
    assert (again.aggregate.score == board.aggregate.score).all()
    assert board.tiers == ()  # ranges of draws claim nothing about pairs
