"""Choosing tasks by their results, on rows of their own."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from calibration import Calibration

import rankbars as rb


def scores() -> rb.Scores:
    rng = np.random.default_rng(0)
    return rb.Scores.from_arrays(
        {
            "sharp": rng.normal(size=(80, 3)) + [0.0, 2.0, 4.0],
            "blunt": rng.normal(size=(80, 3)),
            "turned": rng.normal(size=(80, 3)) + [4.0, 2.0, 0.0],
        },
        ["a", "b", "c"],
    )


def test_chosen_tasks_come_with_the_rows_that_did_not_choose() -> None:
    original = scores()
    chosen = rb.select_tasks(original, by="width", max_width=0.3, share=0.25)
    assert list(chosen.tasks) == ["sharp", "turned"]
    assert chosen.tasks["sharp"].n == 60
    kept = {tuple(row) for row in chosen.tasks["sharp"].values}
    assert kept < {tuple(row) for row in original.tasks["sharp"].values}
    note = next(note for note in chosen.notes if note.code == "selected")
    assert "2 of 3 tasks" in note.message
    assert "25 % of the rows" in note.message


def test_choosing_and_inferring_on_the_same_rows_must_be_asked_for_and_is_noted() -> None:
    chosen = rb.select_tasks(scores(), by="width", max_width=0.3, same_data=True)
    assert chosen.tasks["sharp"].n == 80
    assert "no stated error rate holds" in chosen.notes[-1].message


def test_tasks_that_agree_on_their_best_models_become_a_category() -> None:
    chosen = rb.select_tasks(scores(), by="top_k", k=1)
    assert chosen.info["sharp"].category == "top 1: c"
    assert chosen.info["turned"].category == "top 1: a"
    board = rb.leaderboard(chosen, merge="group")
    assert board.overall is not None
    assert set(board.overall.groups or {}) >= {"top 1: a", "top 1: c"}


def test_whole_clusters_are_split() -> None:
    values = np.random.default_rng(1).normal(size=(20, 2)) + [0, 3]
    clusters = np.repeat(np.arange(10), 2)
    one = rb.Scores({"t": rb.Items(("a", "b"), values, clusters=clusters)})
    chosen = rb.select_tasks(one, by="top_k", k=1)
    left = chosen.tasks["t"].clusters
    assert left is not None
    assert left.size == 10
    assert all((left == code).sum() == 2 for code in set(left.tolist()))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "widht"}, "Did you mean 'width'"),
        ({"by": "width", "max_width": 1.5}, "max_width must be strictly between 0 and 1"),
        ({"by": "top_k", "k": 4}, "k must be between 1 and 3"),
        ({"by": "width", "share": 0.0}, "share must be strictly between"),
        ({"by": "width", "max_width": 0.01, "alpha": 1e-12}, "Raise --max-width"),
    ],
)
def test_wrong_choices_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(rb.RankbarsError, match=message):
        rb.select_tasks(scores(), **options)  # type: ignore[arg-type]


def test_published_scores_cannot_be_split() -> None:
    one = rb.Scores({"t": rb.Estimates(("a", "b"), [0.0, 1.0], se=[0.1, 0.1])})
    with pytest.raises(rb.OptionError, match="no independent rows to split"):
        rb.select_tasks(one, by="width")


def best_models(values: np.ndarray, k: int) -> frozenset[int]:
    return frozenset(np.argsort(-values.mean(axis=0), kind="stable")[:k].tolist())


@pytest.mark.parametrize("overlap", [1.0, 0.6, 0.5, 0.3])
def test_any_two_tasks_of_a_group_share_so_many_of_their_best_models(overlap: float) -> None:
    rng = np.random.default_rng(3)
    arrays = {f"t{i:02}": rng.normal(size=(30, 7)) + rng.normal(size=7) for i in range(25)}
    full = rb.Scores.from_arrays(arrays, list("abcdefg"))
    chosen = rb.select_tasks(full, by="top_k", k=3, overlap=overlap, same_data=True)
    top = {name: best_models(values, 3) for name, values in arrays.items()}
    groups: dict[str | None, list[str]] = {}
    for name, info in chosen.info.items():
        groups.setdefault(info.category, []).append(name)
    for names in groups.values():
        assert all(len(top[a] & top[b]) >= 3 * overlap - 1e-9 for a in names for b in names)
    if overlap == 1.0:
        assert len(groups) == len(set(top.values()))
        assert set(groups) == {
            f"top 3: {', '.join('abcdefg'[i] for i in sorted(one))}" for one in top.values()
        }
    # No two groups could be put together: some of their tasks differ by more.
    for one, other in itertools.combinations(groups.values(), 2):
        assert min(len(top[a] & top[b]) for a in one for b in other) < 3 * overlap


def folds(repeats: int, rows: int | None = None) -> rb.Scores:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(3 * repeats, 3)) + [0.0, 3.0, 6.0]
    one = rb.Items(("a", "b", "c"), values[:rows], design=rb.Folds(repeats, 3))
    return rb.Scores({"t": one})


def test_whole_repeats_of_folds_are_split_and_it_is_said_what_that_is_worth() -> None:
    full = folds(6)
    chosen = rb.select_tasks(full, by="width", max_width=0.9, share=0.5)
    part = chosen.tasks["t"]
    assert isinstance(part, rb.Items)
    assert part.design == rb.Folds(3, 3)
    assert isinstance(full.tasks["t"], rb.Items)
    passes = {values.tobytes() for values in full.tasks["t"].values.reshape(6, 3, 3)}
    assert {values.tobytes() for values in part.values.reshape(3, 3, 3)} < passes
    assert "50 % of the repeats" in chosen.notes[-1].message
    assert "no level is assured" in chosen.notes[-1].message
    for broken in (folds(1), folds(6, 17)):
        with pytest.raises(rb.OptionError, match="of folds a whole repeat"):
            rb.select_tasks(broken, by="width")


def test_the_error_rate_is_split_in_proportion_to_the_tasks_that_were_chosen() -> None:
    chosen = rb.select_tasks(scores(), by="width", max_width=0.3, split="alpha", alpha=0.06)
    assert list(chosen.tasks) == ["sharp", "turned"]
    assert chosen.tasks["sharp"].n == 80
    assert "--scope each --alpha 0.04" in chosen.notes[-1].message
    for options in ({"by": "top_k"}, {"by": "width", "same_data": True}):
        with pytest.raises(rb.OptionError, match="by width only"):
            rb.select_tasks(scores(), split="alpha", **options)


def test_at_the_split_rate_few_intervals_on_chosen_tasks_miss() -> None:
    # Models are tied on half of the tasks, where a narrow interval is a false one.
    naive, split, runs = [], [], 60
    for repetition in range(runs):
        rng = np.random.default_rng(repetition)
        skill = {f"t{i}": np.array([0.0, 0.0, 0.3 * (i % 2) + 0.0]) for i in range(10)}
        arrays = {name: rng.normal(size=(60, 3)) + one for name, one in skill.items()}
        full = rb.Scores.from_arrays(arrays, ["a", "b", "c"])
        try:
            chosen = rb.select_tasks(full, by="width", max_width=0.9, split="alpha", alpha=0.3)
        except rb.DataError:
            naive.append(0.0)
            split.append(0.0)
            continue
        for rate, found in ((0.3, naive), (0.3 * len(chosen.tasks) / 10, split)):
            ranks = rb.rank(rb.compare(chosen, test="t"), correction="holm", alpha=rate)
            found.append(
                np.mean([one.best[0] > 1 + (skill[name][2] > 0) for name, one in ranks.items()])
            )
    assert np.mean(split) <= 0.15 + 2 * np.std(split) / np.sqrt(runs)
    assert np.mean(naive) > 1.5 * np.mean(split)


@pytest.mark.slow
def test_intervals_cover_after_choosing_on_other_rows(calibration: Calibration) -> None:
    # All models tied: choosing narrow tasks on the same rows would pick false findings.
    missed, made, runs = 0, 0, calibration.runs(53, 150)
    for repetition in range(runs):
        rng = np.random.default_rng(repetition)
        arrays = {f"t{i}": rng.normal(size=(40, 6)) for i in range(8)}
        full = rb.Scores.from_arrays(arrays, list("abcdef"))
        try:
            chosen = rb.select_tasks(full, by="width", max_width=0.95, alpha=0.6, seed=repetition)
        except rb.DataError:
            continue
        for intervals in rb.rank(rb.compare(chosen), alpha=0.2).values():
            missed += int(((intervals.best > 1) | (intervals.worst < 6)).sum())
            made += 6
    assert made > 4 * runs
    calibration.at_most(missed / 6, made // 6, 0.2)
