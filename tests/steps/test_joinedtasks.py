"""Runs, or items, that were scored on several tasks: of the average, one is one draw."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pandas as pd
import pytest
from calibration import Calibration
from numpy.typing import NDArray
from scipy import stats

import rankbars as rb
from rankbars.data.evidence import Items

NAMES = ("a", "b", "c")
SIX = tuple(f"t{k}" for k in range(6))


def tables(
    *, shared: float = 0.008, own: float = 0.004, runs: int = 5, seed: int = 0, models: int = 3,
    tasks: tuple[str, ...] = SIX,
) -> NDArray[np.float64]:  # fmt: skip
    """Scores of equal models, tasks by runs by models: an effect of the run moves all its tasks."""
    rng = np.random.default_rng(seed)
    level = 0.6 + 0.03 * np.arange(len(tasks))[:, None, None]
    moved = shared * rng.normal(size=(1, runs, models))
    return level + moved + own * rng.normal(size=(len(tasks), runs, models))


def scored(cube: NDArray[np.float64], **labels: tuple[str, ...]) -> rb.Scores:
    names = NAMES[: cube.shape[2]]
    seeds = tuple(map(str, range(cube.shape[1])))
    return rb.Scores({
        task: Items(names, values, design="runs", ids=labels.get(task, seeds))
        for task, values in zip(SIX, cube, strict=False)
    })  # fmt: skip


def note(found: Any) -> str:
    (one,) = [one.message for one in found.notes if one.code == "joined-runs"]
    return str(one)


def test_two_models_are_compared_by_the_means_of_their_runs() -> None:
    cube = tables()
    duel = rb.head_to_head(scored(cube), "a", "b").average
    assert duel is not None
    means = cube.mean(axis=0)
    by_hand = stats.ttest_rel(means[:, 0], means[:, 1])
    low, high = by_hand.confidence_interval(0.95)
    assert (duel.n, duel.df) == (5, 4)
    assert duel.difference == pytest.approx(means[:, 0].mean() - means[:, 1].mean())
    assert (duel.low, duel.high) == pytest.approx((low, high))
    assert min(duel.p_better, duel.p_worse) == pytest.approx(by_hand.pvalue / 2)


@pytest.mark.parametrize("correction", ["auto", "holm", "maxt"])
def test_a_board_of_them_is_that_of_one_task_of_means(correction: str) -> None:
    cube = tables() + np.array([0.0, 0.05, 0.1])
    board = rb.leaderboard(scored(cube), correction=correction).aggregate
    assert board is not None
    assert board.contrasts is not None
    alone = rb.Scores({"mean": Items(NAMES, cube.mean(axis=0), design="runs")})
    one = rb.leaderboard(alone, correction=correction)
    task = one.tasks["mean"]
    assert board.best.tolist() == task.best.tolist()
    assert board.worst.tolist() == task.worst.tolist()
    np.testing.assert_allclose(board.se, task.se)
    if correction == "holm":
        assert board.best.tolist() == [3, 2, 1]


def test_a_claim_rests_on_the_runs() -> None:
    judged = rb.check(scored(tables()), ["a > b"])
    (one,) = judged.claims
    assert (one.verdict, one.n) == ("cannot_tell", 5)
    assert "--runs anew" in note(judged)


def test_tasks_that_were_trained_anew_are_independent() -> None:
    cube = tables(models=2)
    duel = rb.head_to_head(scored(cube), "a", "b", runs="anew").average
    assert duel is not None
    gaps = cube[:, :, 0] - cube[:, :, 1]
    assert duel.se == pytest.approx(np.sqrt(gaps.var(axis=1, ddof=1).sum() / 5) / 6)
    assert duel.n == 30
    board = rb.leaderboard(scored(cube), runs="anew")
    assert not [one for one in board.notes if one.code == "joined-runs"]
    same = rb.leaderboard(scored(cube), runs="shared").aggregate
    usual = rb.leaderboard(scored(cube)).aggregate
    assert same is not None
    assert usual is not None
    assert board.aggregate is not None
    assert same.se.tolist() == usual.se.tolist()
    assert (board.aggregate.se < usual.se).all()


def test_the_note_says_how_much_narrower_the_other_reading_is() -> None:
    cube = tables(models=2)
    scores = scored(cube)
    ends = []
    for runs in ("independent", "anew"):
        duel = rb.head_to_head(scores, "a", "b", runs=runs).average
        assert duel is not None
        ends.append(duel.se * stats.t.ppf(0.975, duel.df))
    said = note(rb.head_to_head(scores, "a", "b"))
    assert f"then about {ends[1] / ends[0]:.1g} times as wide" in said
    assert "(5 runs)" in said
    few = note(rb.leaderboard(scored(cube[:, :3])))
    assert "3 runs are too few to show anything" in few


def test_three_runs_show_nothing_however_many_tasks() -> None:
    cube = tables(runs=3) + np.array([0.0, 0.5, 1.0])
    board = rb.leaderboard(scored(cube)).aggregate
    assert board is not None
    assert (board.best.tolist(), board.worst.tolist()) == ([1, 1, 1], [3, 3, 3])


def test_tasks_with_other_runs_stay_independent() -> None:
    cube = tables(models=2)
    other = {task: tuple(f"{task}-{k}" for k in range(5)) for task in SIX}
    duel = rb.head_to_head(scored(cube, **other), "a", "b").average
    anew = rb.head_to_head(scored(cube), "a", "b", runs="anew").average
    assert duel is not None
    assert anew is not None
    assert duel.se == pytest.approx(anew.se)


def test_weights_and_runs_that_some_tasks_lack() -> None:
    rng = np.random.default_rng(4)
    rows = {"x": 6, "y": 6, "z": 4}
    weight = {"x": 0.5, "y": 0.3, "z": 0.2}
    values = {task: rng.normal(size=(n, 2)) for task, n in rows.items()}
    scores = rb.Scores({
        task: Items(("a", "b"), one, design="runs", ids=tuple(map(str, range(len(one)))))
        for task, one in values.items()
    })  # fmt: skip
    found = rb.aggregate(scores, weights=weight)
    assert found.contrasts is not None
    mean = sum(weight[task] * one.mean(axis=0) for task, one in values.items())
    np.testing.assert_allclose(found.score, mean)
    # What each run adds to the average: the square sum of that, as for clusters of rows. Of one
    # task alone it is the squared error of its mean.
    parts = np.zeros((6, 2))
    for task, one in values.items():
        k = len(one)
        parts[:k] += weight[task] * (one - one.mean(axis=0)) / np.sqrt(k * (k - 1))
    assert found.se == pytest.approx(np.sqrt((parts**2).sum(axis=0)))
    gap = parts[:, 0] - parts[:, 1]
    assert found.contrasts.se[0, 1] == pytest.approx(np.sqrt((gap**2).sum()))


def test_geometric_means_have_the_errors_of_logarithms() -> None:
    cube = tables(models=2)
    found = rb.aggregate(scored(cube), method="geometric")
    mean = cube.mean(axis=1)
    assert found.score == pytest.approx(np.exp(np.log(mean).mean(axis=0)))
    parts = (cube / mean[:, None]).mean(axis=0)
    gap = parts[:, 0] - parts[:, 1]
    assert found.contrasts is not None
    assert found.contrasts.se[0, 1] == pytest.approx(gap.std(ddof=1) / np.sqrt(5))


def test_workers_and_normalised_scores_give_the_same() -> None:
    cube = tables()
    scores = scored(cube)
    one, two = (rb.leaderboard(scores, n_jobs=jobs).aggregate for jobs in (1, 2))
    assert one is not None
    assert two is not None
    assert one.se.tolist() == two.se.tolist()
    declared = rb.Scores(
        dict(scores.tasks), info={task: rb.TaskInfo(minimum=0.0, maximum=2.0) for task in SIX}
    )
    half = rb.aggregate(declared, normalise="bounds")
    np.testing.assert_allclose(half.se, rb.aggregate(scores).se / 2)


def test_means_of_categories_are_over_runs_too() -> None:
    cube = tables(models=2)
    kinds = {task: "one" if k < 3 else "two" for k, task in enumerate(SIX)}
    scores = rb.Scores(
        dict(scored(cube).tasks), info={task: rb.TaskInfo(category=kinds[task]) for task in SIX}
    )
    found = rb.aggregate(scores).by_category
    assert found is not None
    for at, part in enumerate((cube[:3], cube[3:])):
        by_hand = part.mean(axis=0).std(axis=0, ddof=1) / np.sqrt(5)
        np.testing.assert_allclose(found.se[at], by_hand)


def test_a_table_of_seeds_and_tasks_is_read_so() -> None:
    cube = tables(models=2)
    text = "model,seed,task,accuracy\n" + "".join(
        f"{NAMES[m]},{seed},{SIX[task]},{cube[task, seed, m]:.6f}\n"
        for task, seed, m in np.ndindex(cube.shape)
    )
    duel = rb.head_to_head(rb.Scores.from_frame(pd.read_csv(io.StringIO(text))), "a", "b").average
    assert duel is not None
    assert duel.n == 5


@pytest.mark.slow
@pytest.mark.parametrize("shared", [0.008, 0.0])
def test_two_equal_models_are_told_apart_no_more_often_than_stated(
    calibration: Calibration, shared: float
) -> None:
    """Five runs on six tasks, with and without an effect of the run."""
    runs = calibration.runs(42, 2000)
    wrong = {"independent": 0, "anew": 0}
    for seed in range(runs):
        scores = scored(tables(shared=shared, seed=seed, models=2))
        for reading in wrong:
            one = rb.head_to_head(scores, "a", "b", runs=reading).average
            assert one is not None
            wrong[reading] += one.verdict != "cannot tell"
    calibration.at_most(wrong["independent"], runs, 0.05, of="one label, one run")
    if shared:
        calibration.above(wrong["anew"], runs, 0.2, of="taken as trained anew")
    else:
        calibration.at_most(wrong["anew"], runs, 0.05, of="trained anew")


def asked_in_languages(
    seed: int, *, taste: float, n: int = 60, models: int = 2, tasks: tuple[str, ...] = SIX
) -> rb.Scores:  # fmt: skip
    """The same questions on six tasks; what a model knows of one moves its answers on all."""
    rng = np.random.default_rng(seed)
    known = taste * rng.normal(size=(n, models))
    hard = rng.normal(0, 1.5, (n, 1))
    found = {}
    for task in tasks:
        hard = hard if taste else rng.normal(0, 1.5, (n, 1))
        values = (rng.random((n, models)) < 1 / (1 + np.exp(hard - known))).astype(float)
        found[task] = Items(NAMES[:models], values, ids=tuple(map(str, range(n))))
    return rb.Scores(found)


def test_items_that_stand_on_several_tasks_are_one_draw_each() -> None:
    scores = asked_in_languages(1, taste=1.5)
    found = rb.head_to_head(scores, "a", "b")
    duel = found.average
    assert duel is not None
    means = np.mean([task.values for task in scores.tasks.values()], axis=0)  # type: ignore[union-attr]
    low, high = stats.ttest_rel(means[:, 0], means[:, 1]).confidence_interval(0.95)
    assert (duel.n, duel.low, duel.high) == (60, pytest.approx(low), pytest.approx(high))
    (said,) = [one.message for one in found.notes if one.code == "joined-items"]
    assert "(60 items)" in said
    apart = rb.head_to_head(scores, "a", "b", independent_rows=True).average
    assert apart is not None
    assert apart.n == 360
    assert apart.se < 0.8 * duel.se
    board = rb.leaderboard(scores).aggregate
    assert board is not None
    assert board.contrasts is not None
    assert board.contrasts.se[0, 1] == pytest.approx(duel.se)


def linked(scores: rb.Scores, **options: Any) -> bool:
    found = rb.head_to_head(scores, "a", "b", **options)
    return any(one.code == "joined-items" for one in found.notes)


def unlike(rows: dict[str, tuple[str, ...]], *, models: int = 2, seed: int = 0) -> rb.Scores:
    """Right and wrong answers that have nothing to do with each other."""
    rng = np.random.default_rng(seed)
    return rb.Scores({
        task: Items(
            ("a", "b", "c", "d")[:models], (rng.random((len(ids), models)) < 0.6) * 1.0, ids=ids
        )
        for task, ids in rows.items()
    })  # fmt: skip


def numbers(count: int, stem: str = "") -> tuple[str, ...]:
    return tuple(f"{stem}{k}" for k in range(count))


def words(count: int) -> tuple[str, ...]:
    return tuple(f"why is {k * k} {'odd' if k % 2 else 'even'}?" for k in range(count))


def test_names_say_which_items_are_the_same_and_numbers_where_there_are_as_many() -> None:
    assert linked(unlike({"x": numbers(10), "y": numbers(10)}))
    assert linked(unlike({"x": words(8), "y": words(8)}))
    assert linked(unlike({"x": words(30), "y": words(18)}))
    assert not linked(unlike({"x": numbers(10), "y": numbers(10)}), independent_rows=True)
    for seed in range(20):
        assert not linked(unlike({"x": numbers(9), "y": numbers(9)}, seed=seed))
        assert not linked(unlike({"x": numbers(9, "q-"), "y": numbers(9, "q-")}, seed=seed))
        assert not linked(unlike({"x": numbers(60), "y": numbers(40)}, seed=seed))
        assert not linked(unlike({"x": numbers(60), "y": numbers(60)[::2]}, seed=seed))
        assert not linked(unlike({"x": words(60), "y": words(20)}, seed=seed))


def test_tasks_with_as_many_items_are_linked_among_others() -> None:
    rows = {"x": numbers(60), "y": numbers(40), "z": numbers(60), "odd": words(60)}
    found = rb.head_to_head(unlike(rows), "a", "b")
    (said,) = [one.message for one in found.notes if one.code == "joined-items"]
    assert "(60 items)" in said
    assert found.average is not None
    assert found.average.n == 60 + 40 + 60


def test_few_numbered_items_are_the_same_where_the_data_show_it() -> None:
    assert linked(asked_in_languages(1, taste=4.0, n=9))


@pytest.mark.parametrize("size", [60, 200])
def test_a_gap_moves_no_average(size: int) -> None:
    whole = unlike(dict.fromkeys(("x", "y", "z"), numbers(size)), models=4)
    values = {name: np.array(task.values) for name, task in whole.tasks.items()}  # type: ignore[union-attr]
    values["x"][:3, 1] = np.nan
    values["y"][5, 0] = np.nan
    values["z"][:, 3] = np.nan  # a model that was not run at all is no gap
    scores = rb.Scores({
        name: Items(("a", "b", "c", "d"), one, ids=numbers(size)) for name, one in values.items()
    })  # fmt: skip
    found, apart = (
        rb.leaderboard(
            scores, missing="pairwise", missing_tasks="drop_models", independent_rows=one
        )
        for one in (False, True)
    )
    assert found.aggregate is not None
    assert apart.aggregate is not None
    np.testing.assert_array_equal(found.aggregate.score, apart.aggregate.score)
    for name in ("x", "y"):
        by_hand = [np.nanmean(values[name][:, k]) for k in range(3)]
        np.testing.assert_allclose(found.tasks[name].mean, by_hand)
    averages = [np.mean([np.nanmean(one[:, k]) for one in values.values()]) for k in range(3)]
    np.testing.assert_allclose(found.aggregate.score, averages)


def test_a_board_is_what_a_few_lines_of_numpy_say() -> None:
    rng = np.random.default_rng(3)
    ids = words(40)
    weight = {"en": 0.5, "de": 0.3, "sw": 0.2}
    rows = {"en": np.arange(40), "de": rng.permutation(40), "sw": rng.permutation(40)[:25]}
    taste = rng.normal(size=(40, 4))
    values = {
        task: (rng.random((len(at), 4)) < 1 / (1 + np.exp(-taste[at]))) * 1.0
        for task, at in rows.items()
    }
    names = ("a", "b", "c", "d")
    scores = rb.Scores({
        task: Items(names, one, ids=tuple(ids[k] for k in rows[task]))
        for task, one in values.items()
    })  # fmt: skip
    found = rb.aggregate(scores, weights=weight, correction="holm")
    assert found.contrasts is not None
    mean = sum(weight[task] * one.mean(axis=0) for task, one in values.items())
    np.testing.assert_allclose(found.score, mean)
    for i in range(4):
        for j in range(i):
            part = dict.fromkeys(range(40), 0.0)
            for task, one in values.items():
                gap, k = one[:, i] - one[:, j], len(one)
                for row, away in zip(rows[task], gap - gap.mean(), strict=True):
                    part[int(row)] += weight[task] * away / np.sqrt(k * (k - 1))
            se = np.sqrt(sum(one**2 for one in part.values()))
            assert found.contrasts.se[i, j] == pytest.approx(se)
            assert found.contrasts.pairs.statistic[i, j] == pytest.approx((mean[i] - mean[j]) / se)
            assert found.contrasts.pairs.freedom[i, j] == 39
    apart = rb.aggregate(scores, weights=weight, independent_rows=True)
    np.testing.assert_allclose(apart.score, found.score)


@pytest.mark.slow
@pytest.mark.parametrize("taste", [1.5, 0.7, 0.35, 0.0])
def test_items_on_several_tasks_are_told_apart_as_often_as_stated(
    calibration: Calibration, taste: float
) -> None:
    runs = calibration.runs(56, 2000)
    wrong = apart = 0
    for seed in range(runs):
        scores = asked_in_languages(seed, taste=taste)
        one = rb.head_to_head(scores, "a", "b").average
        other = rb.head_to_head(scores, "a", "b", independent_rows=True).average
        assert one is not None
        assert other is not None
        wrong += one.verdict != "cannot tell"
        apart += other.verdict != "cannot tell"
    calibration.within(wrong, runs, 0.05, of=f"taste {taste:g}")
    if taste > 1:
        calibration.above(apart, runs, 0.1, of="taken as independent")


@pytest.mark.slow
@pytest.mark.parametrize("taste", [1.5, 0.0])
def test_names_that_some_tasks_lack_keep_the_level(calibration: Calibration, taste: float) -> None:
    """Of 60 items 60, 45 and 35 are asked in three languages, or on three unlike tasks."""
    runs = calibration.runs(60, 2000)
    wrong = 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        known = taste * rng.normal(size=(60, 2))
        hard = rng.normal(0, 1.5, (60, 1))
        found = {}
        for task, count in (("x", 60), ("y", 45), ("z", 35)):
            hard = hard if taste else rng.normal(0, 1.5, (60, 1))
            values = (rng.random((60, 2)) < 1 / (1 + np.exp(hard - known))) * 1.0
            found[task] = Items(("a", "b"), values[:count], ids=words(60)[:count])
        one = rb.head_to_head(rb.Scores(found), "a", "b")
        assert one.average is not None
        assert any(said.code == "joined-items" for said in one.notes)
        wrong += one.average.verdict != "cannot tell"
    calibration.within(wrong, runs, 0.05, of=f"taste {taste:g}")
