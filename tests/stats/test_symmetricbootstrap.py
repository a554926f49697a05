"""The symmetric bootstrap max-T: worked numbers, a loop over pairs, invariance, coverage."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from reference import validity

from rankbars.stats.multiplicity import symmetricbootstrap
from rankbars.stats.multiplicity.symmetricbootstrap import (
    Sample,
    cluster_sample,
    decide_symmetric,
    largest_differences,
    own_critical,
    symmetric_p,
)
from rankbars.stats.pairwise.paired import cluster_t, paired_t
from rankbars.stats.rowsigns import skewness_index

GOLDEN = validity("skewed")
SMALL = np.array(GOLDEN["bootstrap_exact"]["d"])


def streams(seed: int) -> symmetricbootstrap.Streams:
    return lambda chunk: np.random.default_rng((seed, chunk))


def sample(values: np.ndarray, weight: float = 1.0, seed: int = 0) -> Sample:
    return Sample(values, weight, streams(seed))


def test_all_256_resamples_of_four_rows_give_the_worked_p(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reference numbers: 256 resamples, 4 without spread, p = 74/256, by enumeration."""
    want = GOLDEN["bootstrap_exact"]
    every = np.array([np.bincount(rows, minlength=4) for rows in product(range(4), repeat=4)])
    monkeypatch.setattr(
        symmetricbootstrap, "count_blocks", lambda *_: iter([(slice(0, 256), every)])
    )
    rows = np.stack([SMALL, np.zeros(4)], axis=1)
    statistic = paired_t(rows).statistic
    assert statistic[0, 1] == pytest.approx(want["t"])
    found = largest_differences([sample(rows)], statistic, 256)
    assert not found.left_out.any()  # 4 of 256 are at most 2 %
    assert (found.largest[:, 0] == 0).sum() >= 4
    assert (found.largest[:, 0] >= statistic[0, 1] - 1e-12).mean() == want["p_symmetric"]


def test_the_index_of_the_worked_rows() -> None:
    rows = np.stack([GOLDEN["x"], np.zeros(8)], axis=1)
    assert skewness_index(rows) == pytest.approx(GOLDEN["skewness_over_root_n"], rel=1e-9)
    assert paired_t(rows).statistic[0, 1] == pytest.approx(GOLDEN["t"], rel=1e-9)


def test_resamples_agree_with_a_loop_over_pairs_and_draws() -> None:
    rng = np.random.default_rng(5)
    tasks = [sample(rng.lognormal(size=(n, 4)), w, n) for n, w in ((9, 0.7), (14, 0.3))]
    found = largest_differences(tasks, np.ones((4, 4)), 60)
    counts = [
        np.concatenate([c for _, c in symmetricbootstrap.count_blocks(one.streams, n, 60)])
        for one, n in zip(tasks, (9, 14), strict=True)
    ]
    for draw, model in product(range(0, 60, 7), range(4)):
        largest = 0.0
        for other in set(range(4)) - {model}:
            top = bottom = 0.0
            for one, count in zip(tasks, counts, strict=True):
                d = one.values[:, model] - one.values[:, other]
                again = np.repeat(d - d.mean(), count[draw])
                top += one.weight * again.mean()
                bottom += one.weight**2 * again.var(ddof=1) / again.size
            largest = max(largest, abs(top) / np.sqrt(bottom))
        assert found.largest[draw, model] == pytest.approx(largest, rel=1e-9)


def test_resampled_clusters_agree_with_the_cluster_test_on_the_rows_that_were_drawn() -> None:
    rng = np.random.default_rng(8)
    clusters = np.repeat(np.arange(7), [9, 1, 4, 6, 2, 5, 3])
    values = rng.lognormal(size=(30, 4)) + rng.normal(size=(7, 4))[clusters]
    one = cluster_sample(values, clusters, None, streams(3))
    found = largest_differences([one], np.ones((4, 4)), 50)
    counts = np.concatenate([c for _, c in symmetricbootstrap.count_blocks(one.streams, 7, 50)])
    for draw in range(0, 50, 6):
        chosen = np.repeat(np.arange(7), counts[draw])
        rows = [np.flatnonzero(clusters == cluster) for cluster in chosen]
        again = np.repeat(np.arange(7), [place.size for place in rows])
        apart = values[np.concatenate(rows)] - values.mean(axis=0)
        largest = np.abs(cluster_t(apart, again).statistic).max(axis=1)
        assert found.largest[draw] == pytest.approx(largest, rel=1e-9)


def test_clusters_of_one_row_each_are_rows() -> None:
    values = np.random.default_rng(4).lognormal(size=(12, 3))
    weights = np.random.default_rng(5).uniform(0.5, 2.0, 12)
    t = paired_t(values).statistic
    rows = largest_differences([sample(values)], t, 100).largest
    single = cluster_sample(values, np.arange(12), None, streams(0))
    assert largest_differences([single], t, 100).largest == pytest.approx(rows, rel=1e-9)
    weighted = [
        cluster_sample(values, np.arange(12), w, streams(0)) for w in (weights, 3 * weights)
    ]
    found = [largest_differences([one], t, 100).largest for one in weighted]
    assert found[0] == pytest.approx(found[1], rel=1e-9)


def test_units_and_order_of_models_change_nothing() -> None:
    rows = -np.random.default_rng(2).lognormal(0, 2, (12, 5))
    turned = [3, 1, 4, 0, 2]
    made = []
    for values in (rows, 1e6 * rows, rows[:, turned]):
        t = paired_t(values).statistic
        found = largest_differences([sample(values)], t, 300)
        made.append(decide_symmetric(found, 0.2, all_pairs=True).shown_better)
    assert (made[0] == made[1]).all()
    assert (made[0][np.ix_(turned, turned)] == made[2]).all()


def test_a_pair_that_one_row_tells_apart_is_left_out() -> None:
    rows = np.random.default_rng(0).normal(size=(40, 3))
    rows[:, 1] = rows[:, 0]
    rows[0, 1] += 5.0
    found = largest_differences([sample(rows)], paired_t(rows).statistic, 400)
    assert found.left_out[0, 1]
    assert not found.left_out[0, 2]
    assert found.statistic[0, 1] == 0


def test_the_largest_of_one_pair_is_that_of_a_model_by_itself() -> None:
    values = np.random.default_rng(1).normal(size=(400, 1))
    (critical,) = own_critical([sample(values)], 0.05, 2000)
    assert critical == pytest.approx(1.97, abs=0.12)
    assert symmetric_p(critical, np.array([0.0, critical, 9.0])) == 0.75


def test_identical_models_spoil_nobody() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(60, 4)) + [0.0, 1.0, 2.0, 3.0]
    doubled = np.column_stack([values, values[:, 0]])
    found = largest_differences([sample(doubled)], paired_t(doubled).statistic, 500)
    made = decide_symmetric(found, 0.05, all_pairs=True)
    assert made.shown_better is not None
    assert not made.shown_better[0, 4]
    assert made.shown_better[3, 0]
    assert made.better[0] == made.better[4]


def heavy(rng: np.random.Generator, count: int) -> np.ndarray:
    """Ten models of which model j loses 25 with probability .05 j / 9; their means are equal."""
    chance = 0.05 * np.arange(10) / 9
    losses = 25.0 * (rng.random((count, 10)) < chance)
    return np.asarray(rng.normal(size=(count, 10)) - losses + 25.0 * chance)


@pytest.mark.slow
def test_rare_large_losses_are_covered_by_resampling_and_not_by_t() -> None:
    from rankbars.stats.multiplicity.stepdown import decide

    runs, held = 200, {"t": 0, "bootstrap": 0}
    for run in range(runs):
        t = paired_t(rows := heavy(np.random.default_rng(run), 20))
        found = largest_differences([sample(rows, seed=run)], t.statistic, 400)
        for name, made in (
            ("t", decide(t.statistic, t.df, 0.05, "holm", "all")),
            ("bootstrap", decide_symmetric(found, 0.05, all_pairs=True)),
        ):
            assert made.shown_better is not None
            held[name] += not made.shown_better.any()
    assert held["t"] / runs < 0.6
    assert held["bootstrap"] / runs >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / runs)
