"""Mean ranks over few tasks: reversed rankings, counted one by one, and the level they hold."""

from itertools import product

import numpy as np
import pytest
from calibration import Calibration
from hypothesis import given
from hypothesis import strategies as st
from reference import validity

from rankbars.stats.multiplicity.maxt import max_t_all, max_t_each
from rankbars.stats.multiplicity.nulllaws import fewest_tasks, reversal_draws, reversal_p
from rankbars.stats.multiplicity.stepdown import decide
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.ranks import midranks
from rankbars.stats.streams import stream

GOLDEN = validity("few_tasks_ranks")


def drawn(rows):
    return reversal_draws(np.asarray(rows, dtype=float), lambda chunk: stream(0, "r", chunk))


def random_ranks(seed, tasks, models, levels=None):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(tasks, models)) if levels is None else rng.integers(
        0, levels, (tasks, models)
    )  # fmt: skip
    return -midranks(scores.astype(float), axis=1)


def test_adjusted_p_values_equal_the_reference_values():
    draws = drawn(-np.array(GOLDEN["ranks_tasks_by_models"]))
    assert draws.complete
    np.testing.assert_allclose(draws.statistic, GOLDEN["statistic"], rtol=1e-9, atol=1e-12)
    p = reversal_p(draws)
    np.testing.assert_array_equal(p, GOLDEN["p_adjusted_stepdown"])
    assert np.argwhere(p <= 0.05).tolist() == GOLDEN["shown_at_05"]
    assert np.argwhere(max_t_all(draws, 0.05).shown_better).tolist() == GOLDEN["shown_at_05"]


def test_a_pair_by_itself_has_the_p_value_of_the_reference():
    draws = drawn(-np.array(GOLDEN["ranks_tasks_by_models"]))
    chunks = [chunk[:, :, None] - chunk[:, None, :] for chunk in draws.start()]
    every = np.concatenate(chunks) * draws.scale
    share = (every >= draws.statistic - 1e-9).mean(axis=0)
    np.testing.assert_array_equal(share, GOLDEN["p_one_pair"])


def test_the_smallest_p_depends_on_the_tasks_alone():
    for case in GOLDEN["smallest_possible"]:
        for models in (2, 5):
            p = reversal_p(drawn(np.tile(np.arange(float(models)), (case["tasks"], 1))))
            assert p.min() == case["p_adjusted"]
        assert (case["tasks"] >= fewest_tasks(0.05)) == case["anything_at_05"]


def by_enumeration(rows):
    """Step-down over all ordered pairs, every reversal and every family written out."""
    tasks, models = rows.shape
    pairs = [(i, j) for i in range(models) for j in range(models) if i != j]

    def table(signs):
        found = {}
        for i, j in pairs:
            d = rows[:, i] - rows[:, j]
            length = np.sqrt((d**2).sum())
            found[i, j] = (signs * d).sum() / length if length > 0 else 0.0
        return found

    observed = table(np.ones(tasks))
    null = [table(np.array(signs)) for signs in product((1, -1), repeat=tasks)]
    p, running = np.ones((models, models)), 0.0
    alive = sorted(pairs, key=lambda pair: -observed[pair])
    while alive:
        pair = alive[0]
        largest = [max(one[other] for other in alive) for one in null]
        running = max(running, np.mean([value >= observed[pair] - 1e-9 for value in largest]))
        p[pair] = running
        alive = alive[1:]
    return p


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(2, 4), st.sampled_from([None, 2, 3]))
def test_full_enumeration_gives_the_same_p_values(seed, tasks, models, levels):
    rows = random_ranks(seed, tasks, models, levels)
    expected = by_enumeration(rows)
    found = reversal_p(drawn(rows))
    # Equal statistics may be dropped in either order, which changes no decision.
    np.testing.assert_allclose(np.sort(found.ravel()), np.sort(expected.ravel()), rtol=1e-12)
    shown = max_t_all(drawn(rows), 0.3).shown_better
    np.testing.assert_array_equal(shown, found <= 0.3)


@given(st.integers(0, 10**6), st.integers(2, 6), st.sampled_from([None, 2]))
def test_five_tasks_show_nothing_whatever_the_data(seed, models, levels):
    rows = random_ranks(seed, 5, models, levels) + np.arange(models) * 100
    assert not max_t_all(drawn(rows), 0.05).shown_better.any()
    made = max_t_each(drawn(rows), 0.05, one_family=True)
    assert not made.better.any()


def test_six_tasks_can_show_that_one_of_two_models_is_ahead_on_all():
    rows = np.tile([[2.0, 1.0]], (6, 1))
    assert reversal_p(drawn(rows)).tolist() == [[1.0, 2.0**-5], [1.0, 1.0]]
    assert max_t_all(drawn(rows), 0.05).shown_better.tolist() == [[False, True], [False, False]]


@given(st.integers(0, 10**6), st.integers(6, 9))
def test_reversing_all_ranks_transposes(seed, tasks):
    rows = random_ranks(seed, tasks, 4) + np.arange(4) * 1.5
    one, two = reversal_p(drawn(rows)), reversal_p(drawn(-rows))
    np.testing.assert_allclose(one, two.T, rtol=1e-12)


def test_many_tasks_take_random_reversals_and_the_observed_one():
    draws = drawn(random_ranks(0, 20, 3) + [0.0, 30.0, 60.0])
    assert not draws.complete
    assert sum(len(chunk) for chunk in draws.start()) == 10_000
    assert reversal_p(draws).min() == 1 / 10_001


@pytest.mark.slow
def test_exchangeable_models_are_told_apart_as_seldom_as_stated(calibration: Calibration):
    # Measured with 1,500 boards of 5 models on 6 tasks: .028; by the t-test with Holm .131.
    runs = calibration.runs(300, 3000)
    wrong = usual = 0
    for run in range(runs):
        rows = random_ranks(run, 6, 5)
        wrong += bool(max_t_all(drawn(rows), 0.05).shown_better.any())
        tested = paired_t(rows)
        made = decide(tested.statistic, tested.df, 0.05, "holm", "all")
        usual += bool(made.shown_better.any())
    calibration.at_most(wrong, runs, 0.05)
    calibration.above(usual, runs, 0.1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("models", "tasks", "usual", "exact"),
    [(3, 5, 0.131, 0.0), (5, 5, 0.178, 0.0), (10, 5, 0.100, 0.0),
     (3, 8, 0.061, 0.030), (5, 8, 0.072, 0.047), (10, 8, 0.092, 0.045)],
)  # fmt: skip
def test_a_t_test_of_few_ranks_errs_in_6_to_18_percent(
    models: int, tasks: int, usual: float, exact: float, calibration: Calibration
) -> None:
    """Shares of other simulations, of 800 and 1,500 boards."""
    runs, wrong = calibration.runs(140, 1500), np.zeros(2)
    for run in range(runs):
        rows = random_ranks([run, models, tasks], tasks, models)
        wrong[0] += bool(max_t_all(drawn(rows), 0.05).shown_better.any())
        tested = paired_t(rows)
        made = decide(tested.statistic, tested.df, 0.05, "holm", "all")
        wrong[1] += bool(made.shown_better.any())
    calibration.within(wrong[0], runs, exact, slack=0.02, of="reversals")
    calibration.within(wrong[1], runs, usual, slack=0.03, of="t with Holm")
