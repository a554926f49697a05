"""From ranks on these tasks to the rank on a new one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankbars as rb


def task_intervals(seed: int, n_tasks: int, size: int) -> dict[str, rb.RankIntervals]:
    rng = np.random.default_rng(seed)
    names = tuple(f"m{i}" for i in range(size))
    made = {}
    for index in range(n_tasks):
        ends = np.sort(rng.integers(1, size + 1, (2, size)), axis=0)
        made[f"t{index:02}"] = rb.RankIntervals(
            names, ends[0], ends[1], 0.05, "each", "task", "holm", guarantee=0.95, side_level=0.025
        )
    return made


def test_guarantee_is_the_sharpened_bound() -> None:
    twenty = rb.predict(task_intervals(0, 20, 4), merge="quantile", alpha=0.3)
    assert twenty.guarantee == pytest.approx(1 - (6 / 21) / 0.975, rel=1e-12)
    assert round(twenty.guarantee, 3) == 0.707  # methods: NB's setting
    many = rb.predict(task_intervals(0, 47, 4), merge="quantile", alpha=0.5)
    assert round(many.guarantee, 3) == 0.487


def test_too_few_tasks_give_the_whole_range_and_say_how_many_it_takes() -> None:
    new = rb.predict(task_intervals(1, 3, 5), alpha=0.2)
    assert new.trivial
    assert new.guarantee == 1.0
    assert new.best.tolist() == [1] * 5
    assert new.worst.tolist() == [5] * 5
    assert [note.message for note in new.notes] == [
        "3 tasks; a new-task interval at this level needs 4."
    ]


def test_task_intervals_without_a_guarantee_give_none() -> None:
    tasks = task_intervals(2, 9, 3)
    bare = {
        name: rb.RankIntervals(one.models, one.best, one.worst, 0.05, "each", "task", "none")
        for name, one in tasks.items()
    }
    assert rb.predict(bare).guarantee is None


def observed_ranks(seed: int, n_tasks: int, size: int) -> dict[str, rb.RankIntervals]:
    tasks = task_intervals(seed, n_tasks, size)
    return {
        name: rb.RankIntervals(one.models, one.best, one.best, 1.0, "each", "task", "observed")
        for name, one in tasks.items()
    }


@pytest.mark.parametrize("merge", ["family", "joint", "quantile", "union", "weighted"])
def test_observed_ranks_keep_the_guarantee_of_the_merge(merge: str) -> None:
    ranks = observed_ranks(3, 18, 5)
    families = {name: f"family {i // 2}" for i, name in enumerate(ranks)}
    found = rb.predict(ranks, merge=merge, families=families, weights=dict.fromkeys(ranks, 1.0))
    sure = {
        name: rb.RankIntervals(
            one.models, one.best, one.worst, 0.05, "each", "task", "holm", side_level=0.0
        )
        for name, one in ranks.items()
    }
    exact = rb.predict(sure, merge=merge, families=families, weights=dict.fromkeys(ranks, 1.0))
    assert found.guarantee == exact.guarantee
    assert found.guarantee is not None
    assert any("will be observed" in text for text in found.assumptions)


def test_the_best_of_nine_families_misses_a_tenth_on_either_side() -> None:
    ranks = observed_ranks(3, 18, 5)
    families = {name: f"family {i // 2}" for i, name in enumerate(ranks)}
    found = rb.predict(ranks, merge="family", families=families)
    assert found.guarantee == pytest.approx(1 - 2 / 10, rel=1e-12)


def test_tasks_over_different_models_are_refused() -> None:
    tasks = task_intervals(2, 2, 3) | {"other": task_intervals(2, 1, 4)["t00"]}
    with pytest.raises(rb.DataError, match="Task 'other' ranks other models"):
        rb.predict(tasks)


def test_unknown_merge_lists_the_known_ones() -> None:
    with pytest.raises(rb.UnknownOptionError, match="Did you mean 'joint'"):
        rb.predict(task_intervals(0, 5, 3), merge="joiint")


@given(seed=st.integers(0, 10**6), n_tasks=st.integers(1, 25), size=st.integers(1, 6))
def test_non_trivial_quantile_interval_lies_within_the_union(
    seed: int, n_tasks: int, size: int
) -> None:
    tasks = task_intervals(seed, n_tasks, size)
    union = rb.predict(tasks, merge="union")
    inner = rb.predict(tasks, merge="quantile", alpha=0.5)
    if not inner.trivial:
        assert (inner.best >= union.best).all()
        assert (inner.worst <= union.worst).all()


@given(
    seed=st.integers(0, 10**6),
    n_tasks=st.integers(1, 25),
    merge=st.sampled_from(("quantile", "union", "joint")),
    rates=st.tuples(st.floats(0.01, 0.9), st.floats(0.01, 0.9)),
)
def test_smaller_alpha_overall_never_narrows(
    seed: int, n_tasks: int, merge: str, rates: tuple[float, float]
) -> None:
    tasks = task_intervals(seed, n_tasks, 5)
    strict, loose = (rb.predict(tasks, merge=merge, alpha=rate) for rate in sorted(rates))
    assert (strict.best <= loose.best).all()
    assert (strict.worst >= loose.worst).all()


def test_spread_is_the_width_left_if_observed_ranks_were_exact() -> None:
    tasks = task_intervals(5, 12, 4)
    points = {
        name: rb.RankIntervals(one.models, one.best, one.best, 1.0, "each", "task", "observed")
        for name, one in tasks.items()
    }
    new = rb.predict(tasks, merge="quantile", alpha=0.4, observed=points)
    expected = rb.predict(points, merge="quantile", alpha=0.4).width
    assert new.spread is not None
    assert new.spread.tolist() == np.minimum(expected, new.width).tolist()


def many_tasks() -> rb.Scores:
    rng = np.random.default_rng(5)
    tasks = {
        f"t{i:02}": rng.normal(size=(60, 5)) + np.arange(5) * 0.3 + rng.normal(0, 0.3, 5)
        for i in range(19)
    }
    return rb.Scores.from_arrays(tasks, list("abcde"))


@pytest.mark.parametrize("options", [{"scope": "each"}, {"merge": "quantile"}])
def test_a_board_alone_gives_the_published_algorithm(options, tmp_path) -> None:
    scores = many_tasks()
    rb.leaderboard(scores, over="none", correction="holm", **options).save(tmp_path / "b.json")
    board = rb.load(tmp_path / "b.json")
    ranks = rb.rank(rb.compare(scores), correction="holm", scope="each")
    for alpha, left in ((0.2, 2), (0.3, 3), (0.5, 5)):  # floor(20 alpha / 2) on either side
        found = rb.predict(board, merge="quantile", alpha=alpha)
        ends = np.sort([one.best for one in ranks.values()], axis=0)
        assert found.best.tolist() == ends[left - 1].tolist()
        ends = np.sort([one.worst for one in ranks.values()], axis=0)
        assert found.worst.tolist() == ends[-left].tolist()
        assert found.guarantee == pytest.approx(1 - 2 * left / 20 / 0.975, rel=1e-12)
        assert not found.notes


def test_a_board_with_ranks_for_all_models_at_once_says_so() -> None:
    board = rb.leaderboard(many_tasks(), over="none", correction="holm")
    found = rb.predict(board, merge="quantile", alpha=0.2)
    ends = np.sort([task.best for task in board.tasks.values()], axis=0)
    assert found.best.tolist() == ends[1].tolist()
    assert found.guarantee == pytest.approx(1 - 4 / 20 / 0.95, rel=1e-12)
    assert [note.code for note in found.notes] == ["ranks-for-all-models"]


def test_a_board_brings_its_categories_and_lacks_none_silently() -> None:
    with pytest.raises(rb.OptionError, match="needs the category of each task"):
        rb.predict(rb.leaderboard(many_tasks(), over="none"), merge="group")
    scores = many_tasks()
    info = {name: rb.TaskInfo(category=name[:2]) for name in scores.tasks}
    arrays = {name: one.values for name, one in scores.tasks.items()}
    board = rb.leaderboard(rb.Scores.from_arrays(arrays, list("abcde"), info=info), scope="each")
    found = rb.predict(board, merge="group", alpha=0.3)
    assert found.groups is not None
    assert list(found.groups) == ["t0", "t1"]
    only = {name: one for name, one in board.tasks.items() if name[:2] == "t1"}
    part = rb.predict(rb.leaderboard(scores.select(tasks=list(only)), scope="each"), alpha=0.3)
    assert found.groups["t1"].best.tolist() == part.best.tolist()
