"""Which weights make which model win: by hand, by the average itself, and as properties."""

from __future__ import annotations

import numpy as np
import pytest

import rankbars as rb
from rankbars.data.categorymeans import CategoryMeans, WeightMap


def category_scores(categories: int = 3, uncertain: bool = True) -> rb.Scores:
    """Each of three models is best in one category."""
    rng = np.random.default_rng(2)
    tasks: dict[str, rb.Items | rb.Estimates] = {}
    info = {}
    for c in range(categories):
        for copy in range(1 + c % 2):
            name = f"task {c} {copy}"
            means = 0.5 + 0.2 * np.eye(3)[c % 3] + [0.05, 0.0, 0.0]
            if uncertain:
                shared = rng.normal(size=(80, 1)) * 0.3
                noise = rng.normal(size=(80, 3)) * 0.2
                tasks[name] = rb.Items(("a", "b", "c"), means + shared + noise)
            else:
                tasks[name] = rb.Estimates(("a", "b", "c"), means)
            info[name] = rb.TaskInfo(category=f"c{c}")
    return rb.Scores(tasks, info)


def means_of(scores: rb.Scores, **options: object) -> CategoryMeans:
    found = rb.aggregate(scores, **options).by_category  # type: ignore[arg-type]
    assert found is not None
    return found


def test_the_weights_of_the_average_give_the_average() -> None:
    scores = category_scores()
    average = rb.aggregate(scores)
    means = means_of(scores)
    assert means.tasks.tolist() == [1, 2, 1]
    assert means.weights == pytest.approx([0.25, 0.5, 0.25])
    standing = means.at()
    assert standing.score == pytest.approx(average.score)
    assert average.contrasts is not None
    pair = average.models.index(standing.winner), average.models.index(standing.runner_up)
    assert standing.margin == pytest.approx(average.contrasts.diff[pair])
    assert standing.error == pytest.approx(average.contrasts.se[pair])


def test_any_weights_give_what_the_average_with_these_weights_gives() -> None:
    scores = category_scores()
    weights = {"c0": 0.6, "c1": 0.1, "c2": 0.3}
    # The second category has two tasks, which share its weight.
    tasks = {n: weights[f"c{n[5]}"] / (2 if n[5] == "1" else 1) for n in scores.tasks}
    average = rb.aggregate(scores, weights=tasks)
    standing = means_of(scores).at(weights)
    assert standing.score == pytest.approx(average.score)
    assert average.contrasts is not None
    pair = average.models.index(standing.winner), average.models.index(standing.runner_up)
    assert standing.error == pytest.approx(average.contrasts.se[pair])


def test_every_model_wins_around_its_own_corner() -> None:
    found = means_of(category_scores()).weight_map(steps=50)
    assert isinstance(found, WeightMap)
    rows = zip(found.points.tolist(), found.winner, strict=True)
    corners = {tuple(point): found.models[winner] for point, winner in rows}
    assert corners[(1.0, 0.0, 0.0)] == "a"
    assert corners[(0.0, 1.0, 0.0)] == "b"
    assert corners[(0.0, 0.0, 1.0)] == "c"
    assert found.share.sum() == pytest.approx(1.0)
    assert (found.clear_share <= found.share).all()
    assert found.share.argmax() == 0


def test_fewer_points_are_clear_under_a_stricter_rule() -> None:
    means = means_of(category_scores())
    loose, strict = (means.weight_map(z=z, steps=40) for z in (2 * 0.5**0.5, 2.0))
    assert (loose.indeterminate <= strict.indeterminate).all()
    assert loose.indeterminate.sum() < strict.indeterminate.sum()
    assert (loose.margin <= 2 * loose.error).sum() == strict.indeterminate.sum()
    assert not means.weight_map(z=0.0, steps=40).indeterminate.any()


def test_without_errors_nothing_is_clear() -> None:
    found = means_of(category_scores(uncertain=False)).weight_map(steps=20)
    assert found.indeterminate.all()
    assert found.share.sum() == pytest.approx(1.0)


def test_more_than_three_categories_are_represented_by_random_weights() -> None:
    means = means_of(category_scores(categories=5))
    found = means.weight_map()
    assert found.points.shape == (10_000, 5)
    assert (means.weight_map().points == found.points).all()
    assert found.share.sum() == pytest.approx(1.0)


def test_smallest_changes_come_in_order_and_do_what_they_say() -> None:
    means = means_of(category_scores())
    changes = means.smallest_changes()
    leader = means.at().winner
    assert leader not in {change.model for change in changes}
    assert [c.moved for c in changes] == sorted(c.moved for c in changes)
    first = changes[0]
    beyond = {  # a little further than to the tie
        name: value + 0.02 * (value - base)
        for (name, value), base in zip(first.weights.items(), means.weights, strict=True)
    }
    assert means.at(beyond).winner == first.model


def test_a_model_that_is_behind_everywhere_needs_an_infinite_change() -> None:
    tasks = {n: rb.Estimates(("a", "b"), [0.9, 0.1], se=[0.1, 0.1]) for n in ("x", "y")}
    info = {n: rb.TaskInfo(category=n) for n in tasks}
    change = means_of(rb.Scores(tasks, info)).smallest_changes()[0]
    assert (change.model, change.moved, dict(change.weights)) == ("b", np.inf, {})


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"c9": 1.0}, "Unknown category 'c9'"),
        ({"c0": -1.0}, "a finite number, 0 or more"),
        ({"c0": 0.0}, "All weights of categories are zero"),
        ((0.5, 0.5), "One weight per category"),
    ],
)
def test_weights_without_sense_are_refused(weights: object, message: str) -> None:
    with pytest.raises(rb.OptionError, match=message):
        means_of(category_scores()).at(weights)  # type: ignore[arg-type]


def test_there_are_category_means_only_where_every_task_has_a_category() -> None:
    scores = category_scores()
    some = dict(scores.info) | {"task 0 0": rb.TaskInfo()}
    assert rb.aggregate(rb.Scores(scores.tasks, some)).by_category is None
    assert rb.aggregate(scores, method="borda").by_category is None
    assert rb.aggregate(scores, over="tasks").by_category is not None


def test_two_models_need_scores_in_every_category() -> None:
    tasks = {
        "x": rb.Estimates(("a", "b"), [0.1, 0.2], se=[0.1, 0.1]),
        "y": rb.Estimates(("b", "c"), [0.1, 0.2], se=[0.1, 0.1]),
    }
    info = {n: rb.TaskInfo(category=n) for n in tasks}
    with pytest.raises(rb.DataError, match="At least two models need scores in every category"):
        means_of(rb.Scores(tasks, info)).weight_map()


def test_draws_and_standard_errors_agree_on_what_is_indeterminate() -> None:
    means = means_of(category_scores(), estimator="bootstrap", resamples=4000)
    assert means.draws is not None
    assert means.draws.shape == (4000, 3, 3)
    for z in (2.0, 2 * 0.5**0.5):
        by_error = means.weight_map(z, steps=40)
        by_draws = means.weight_map(z, steps=40, from_draws=True)
        assert (by_error.winner == by_draws.winner).all()
        assert (by_error.indeterminate == by_draws.indeterminate).mean() > 0.97
        assert by_draws.clear_share == pytest.approx(by_error.clear_share, abs=0.02)
        assert by_draws.indeterminate.any()


def test_draws_of_categories_add_up_to_the_draws_of_the_average() -> None:
    average = rb.aggregate(category_scores(), estimator="bootstrap", resamples=300)
    means = average.by_category
    assert means is not None
    assert means.draws is not None
    assert average.draws is not None
    together = np.einsum("c,scm->sm", means.weights, means.draws)
    np.testing.assert_allclose(together, average.draws.values, rtol=1e-12)


def test_without_draws_there_is_no_map_from_draws() -> None:
    with pytest.raises(rb.DataError, match="no draws"):
        means_of(category_scores()).weight_map(from_draws=True)


def test_models_that_never_differ_in_draws_are_indeterminate() -> None:
    values = np.tile([[1.0, 1.0], [0.0, 0.0]], (10, 1))
    info = {name: rb.TaskInfo(category=name) for name in "pq"}
    scores = rb.Scores.from_arrays(dict.fromkeys("pq", values), ["a", "b"], info=info)
    drawn = means_of(scores, estimator="bootstrap").weight_map(steps=4, from_draws=True)
    assert drawn.ahead is not None
    assert (drawn.ahead == 0.5).all()
    assert drawn.indeterminate.all()


def shares(cov: bool = False) -> rb.Scores:
    """Published shares of two models on two categories, whose errors are taken as independent."""
    values = {"x": ([0.60, 0.55], [0.02, 0.03]), "y": ([0.40, 0.48], [0.01, 0.02])}
    tasks = {
        name: rb.Estimates(("a", "b"), mean, cov=np.diag(np.square(se)) + 1e-5)
        if cov
        else rb.Estimates(("a", "b"), mean, se=se)
        for name, (mean, se) in values.items()
    }
    return rb.Scores(tasks, {name: rb.TaskInfo(category=name) for name in values})


def test_an_assumed_correlation_makes_the_error_that_of_the_published_formula() -> None:
    means = means_of(shares(), over="items")
    own = np.array([0.25, 0.75]) ** 2 @ np.array([[0.02, 0.03], [0.01, 0.02]]) ** 2
    for rho in (-0.5, 0.0, 0.5, 1.0):
        by_hand = np.sqrt(own.sum() - 2 * rho * np.sqrt(own.prod()))
        assert means.at({"x": 0.25, "y": 0.75}, rho=rho).error == pytest.approx(by_hand)
    # With equal variances one half leaves the root of one half, as z = 1.41 in place of 2 does.
    even = means_of(
        rb.Scores(
            {name: rb.Estimates(("a", "b"), [0.6, 0.5], se=[0.03, 0.03]) for name in "xy"},
            {name: rb.TaskInfo(category=name) for name in "xy"},
        ),
        over="items",
    )
    assumed, shorter = even.weight_map(2.0, rho=0.5), even.weight_map(2 * 0.5**0.5)
    assert assumed.error == pytest.approx(shorter.error * 0.5**0.5)
    assert assumed.clear_share.tolist() == shorter.clear_share.tolist()


def test_a_correlation_is_not_assumed_where_it_is_known_or_impossible() -> None:
    with pytest.raises(rb.OptionError, match="known from their rows"):
        means_of(category_scores()).weight_map(rho=0.5)
    with pytest.raises(rb.OptionError, match="known from their rows"):
        means_of(shares(cov=True), over="items").weight_map(rho=0.5)
    with pytest.raises(rb.OptionError, match="between -1 and 1"):
        means_of(shares(), over="items").weight_map(rho=1.5)
