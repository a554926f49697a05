"""The traps: small versions of each study, held against published and exact values."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pytest

from rankbars.simulate import STUDIES, Study, measure, randomtasks
from rankbars.simulate.coverages import compare_with_published
from rankbars.simulate.randomtasks import DESIGNS
from rankbars.simulate.study import Row, number
from rankbars.stats.votes.anytime import log_e_two_sided


def rows_of(name: str, repetitions: int, seed: int = 0) -> list[Row]:
    return measure(STUDIES[name](repetitions=repetitions, seed=seed))[name]


def value(rows: Iterable[Row], **columns: object) -> float:
    """The one value with these columns."""
    found = [row for row in rows if all(row[name] == cell for name, cell in columns.items())]
    assert len(found) == 1, columns
    return number(found[0], "value")


def assert_near_published(rows: Iterable[Row], published_repetitions: int) -> None:
    """Within four standard errors of the difference, and the rounding of what is printed."""
    checked = 0
    for row in rows:
        if row["published_low"] is None:
            continue
        low, high = number(row, "published_low"), number(row, "published_high")
        ours, error = number(row, "value"), number(row, "standard_error")
        spread = error * math.sqrt(number(row, "repetitions"))
        both = math.hypot(error, spread / math.sqrt(published_repetitions))
        miss = max(low - ours, ours - high, 0.0)
        assert miss <= 4 * both + 0.005, row
        checked += 1
    assert checked


def test_the_observed_winner_is_not_a_model_named_in_advance() -> None:
    rows = rows_of("winner", 300)
    assert_near_published(rows, 500)
    tied = "30 models, all tied"
    winner = "coverage of the observed winner"
    assert value(rows, design=tied, scope="each", quantity=winner) < 0.8
    for design in ("10 models, all tied", tied):
        floor = 0.95 - 3 * math.sqrt(0.05 * 0.95 / 300)
        one = "coverage of one model"
        assert value(rows, design=design, scope="each", quantity=one) >= floor
        assert value(rows, design=design, scope="all", quantity=winner) >= floor
        assert value(rows, design=design, scope="all", quantity="coverage of all models") >= floor


def test_ignoring_clusters_rejects_far_too_often() -> None:
    rows = rows_of("clusters", 800)
    assert_near_published(rows, 4000)
    design = "20 x 10, 0.3"
    assert value(rows, design=design, method="ignoring clusters") > 0.2
    assert 0.03 <= value(rows, design=design, method="cluster_t") <= 0.08
    # Variance of the mean is inflated 3.7 times: 2 (1 - Phi(1.972 / 1.94)) = 0.31.
    assert value(rows, design=design, method="ignoring clusters") == pytest.approx(0.31, abs=0.06)


@pytest.mark.slow
def test_folds_are_not_independent_rows() -> None:
    rows = rows_of("folds", 120)
    assert_near_published(rows, 250)
    for design, least in (("3 x 3 folds", 0.2), ("10 x 3 folds", 0.4)):
        assert value(rows, design=design, method="t", quantity="type I error") > least
        assert value(rows, design=design, method="corrected_t", quantity="type I error") < 0.08


def test_averaging_over_runs_answers_for_these_runs_only() -> None:
    rows = rows_of("runs", 1000)
    assert_near_published(rows, 2000)
    # The mean of 5 runs has variance .25/200 + .0036/5 + .25/1000, of which the test sees
    # all but .0036/5: 2 (1 - Phi(1.972 / 1.217)) = .105.
    assert value(rows, method="average over runs") == pytest.approx(0.105, abs=0.035)
    assert value(rows, method="two_way") == pytest.approx(0.05, abs=0.025)


def test_a_new_family_needs_the_family_merge() -> None:
    rows = rows_of("families", 4000)
    assert_near_published(rows, 6000)
    assert value(rows, design="8 x 5, 0.8", method="quantile", quantity="coverage") < 0.70
    for design in ("8 x 5, 0.8", "15 x 4, 0.8", "30 x 2, 0.5"):
        covered = value(rows, design=design, method="family", quantity="coverage")
        assert covered >= 0.70 - 3 * math.sqrt(0.21 / 4000)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(10, 200, 20), (30, 10, 20)])
def test_observed_ranks_are_covered_and_true_ones_need_intervals(
    size: tuple[int, int, int],
) -> None:
    whole = STUDIES["observed"](repetitions=12)
    units = tuple(
        unit
        for unit in whole.units
        if (
            *DESIGNS[unit.arguments[0]][0][:2],
            DESIGNS[unit.arguments[0]][1],
        )
        == size
    )
    rows = measure(Study(whole.name, units, whole.finish))["observed"]
    assert_near_published(rows, 50)
    for row in rows:
        if row["method"] == "observed" and row["quantity"] == "coverage of the observed rank":
            assert number(row, "value") >= 0.70 - 3 * number(row, "standard_error")
        if row["method"] != "observed" and row["quantity"] == "coverage of the true rank set":
            assert number(row, "value") >= 0.65


def test_true_rank_sets_with_ties_escape_the_merge_of_observed_ranks() -> None:
    position = next(
        i for i, (design, n) in enumerate(DESIGNS) if design[:2] == (10, 10) and n == 20
        and design.ties
    )  # fmt: skip
    rows = compare_with_published(randomtasks.measure(position, 0, 6, 0), ("method",), {})
    quantity = "coverage of the true rank set"
    assert value(rows, method="observed", quantity=quantity) < 0.70
    assert value(rows, method="joint", quantity=quantity) > 0.85


@pytest.mark.slow
def test_corrections_side_by_side_are_as_published() -> None:
    rows = randomtasks.measure_ties("10 models, 10 rows, half tied", 0, 40, 0)
    made = compare_with_published(rows, ("design", "method"), randomtasks.PUBLISHED)
    assert_near_published(made, 100)


def test_ties_break_the_band_and_not_the_interval() -> None:
    rows = randomtasks.measure_ties("30 models, 200 rows, all tied", 0, 5, 0)
    made = compare_with_published(rows, ("design", "method"), {})
    quantity = "coverage of one model"
    assert value(made, method="bootstrap band", quantity=quantity) < 0.05
    assert value(made, method="Holm", quantity=quantity) > 0.9
    width = {
        method: value(made, method=method, quantity="width") for method in ("Holm", "Simes count")
    }
    assert width["Simes count"] <= width["Holm"]


def crossing(steps: int, chance: float) -> float:
    """Exact probability that the two-sided e-process ever reaches 20, over all paths."""
    probability, crossed = np.array([1.0]), 0.0
    for n in range(1, steps + 1):
        longer = np.zeros(n + 1)
        longer[:-1] += probability * (1 - chance)
        longer[1:] += probability * chance
        wins = np.arange(n + 1)
        over = log_e_two_sided(wins, n - wins) >= math.log(20)
        crossed += longer[over].sum()
        longer[over] = 0.0
        probability = longer
    return crossed


def test_peeking_breaks_the_z_test_and_not_the_e_process() -> None:
    rows = rows_of("peeking", 400)
    assert_near_published(rows, 1000)
    none, some = "no difference", "wins 56 %"
    assert value(rows, design=none, method="z-test, 40 looks") > 0.2
    for method in ("e-process, two-sided", "e-process, better"):
        limit = 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)
        assert value(rows, design=none, method=method) <= limit
    for design, chance, known in ((none, 0.5, 0.0370), (some, 0.56, 0.9787)):
        exact = crossing(2000, chance)
        assert exact == pytest.approx(known, abs=1e-4)
        error = math.sqrt(exact * (1 - exact) / 400)
        assert abs(value(rows, design=design, method="e-process, two-sided") - exact) <= 4 * error
