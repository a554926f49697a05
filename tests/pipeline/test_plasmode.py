"""Rows of real results, drawn again and again, with all models tied: what prints a level holds it.

Rows (or whole clusters, or tasks) are drawn with replacement from real results that are skewed,
unbalanced or clustered, and each model is shifted so that all are exactly tied. Then whoever is
shown better than another is a mistake, whoever is left out of those that may be first is one, and
the leader's interval must hold the score that all share. Boards that print no level are left out.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from calibration import Calibration

import rankbars as rb

FOLDER = Path(__file__).parents[1] / "data" / "plasmode"
LEVEL = 0.95 - 0.01  # beside three standard errors
VERIFIED = (231, 75, 44, 34, 32, 22, 22, 19, 10, 8, 2, 1)  # instances of its repositories
SEED = 0x19CA7CC  # of the cells that are drawn: the commit they were drawn at, after the code


class Design(NamedTuple):
    """Which rows are drawn, how many, and of how many models."""

    data: str
    n: int
    models: int


@cache
def table(name: str) -> pd.DataFrame:
    return pd.read_csv(FOLDER / f"{name}.csv")


def tied(design: Design, rng: np.random.Generator) -> tuple[rb.Scores, float]:
    """Scores of tied models, and the score that all have in truth."""
    if design.data == "ranks":  # models are the same on a task up to their order
        return shuffled(design, rng), (design.models + 1) / 2  # the mean rank of all
    frame = table("repositories" if design.data == "sizes" else design.data)
    values = frame.iloc[:, 1:].to_numpy(float)[:, : design.models]
    names = [f"m{i}" for i in range(design.models)]
    codes = pd.factorize(frame.iloc[:, 0])[0]
    if design.data == "judges":  # five tasks of unequal sizes; n rows in the smallest
        places = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
        means = np.array([values[rows].mean(axis=0) for rows in places]).mean(axis=0)
        values = values - means + means.mean()
        sizes = [design.n, *(rows.size for rows in places[1:])]
        drawn = {
            f"t{k}": values[rng.choice(rows, size)]
            for k, (rows, size) in enumerate(zip(places, sizes, strict=True))
        }
        return rb.Scores.from_arrays(drawn, names), float(means.mean())
    if design.data == "seconds":  # less is better: stored below 0, which is the end of all
        values = -values
    truth = float(values.mean(axis=0).min())
    values = values - values.mean(axis=0) + truth
    if design.data == "sizes":  # clusters as large as those of SWE-bench Verified
        return filled(values, codes, tuple(names), design.n, rng)
    if design.data == "repositories":  # whole clusters
        chosen = rng.integers(0, codes.max() + 1, design.n)
        rows = [np.flatnonzero(codes == code) for code in chosen]
        clusters = np.repeat(np.arange(design.n), [one.size for one in rows])
        items = rb.Items(tuple(names), values[np.concatenate(rows)], clusters=clusters)
        return rb.Scores({"x": items}), truth
    rows = values[rng.integers(0, len(values), design.n)]
    if design.data == "embeddings":  # tasks are the sample
        tasks = {f"t{k:03}": rb.Estimates(tuple(names), row) for k, row in enumerate(rows)}
        return rb.Scores(tasks), truth
    return rb.Scores.from_arrays({"x": rows}, names), truth


def filled(
    values: np.ndarray, codes: np.ndarray, names: tuple[str, ...], n: int, rng: np.random.Generator
) -> tuple[rb.Scores, float]:
    """Clusters of drawn sizes, each filled with rows of a repository that is drawn as well.

    Models are tied over repositories, so that they are in clusters of any size: where whole
    repositories of unequal size are drawn, models tied over all are not where the largest lacks.
    """
    places = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
    means = np.array([values[rows].mean(axis=0) for rows in places]).mean(axis=0)
    sizes = rng.choice(VERIFIED, n)
    rows = [rng.choice(places[rng.integers(len(places))], size) for size in sizes]
    held = values[np.concatenate(rows)] - means + means.mean()
    items = rb.Items(names, held, clusters=np.repeat(np.arange(n), sizes))
    return rb.Scores({"x": items}), float(means.mean())


def shuffled(design: Design, rng: np.random.Generator) -> rb.Scores:
    """Tasks on metrics of their own, on which the scores of all models change places."""
    values = table("embeddings").iloc[:, 1:].to_numpy(float)[:, : design.models]
    rows = rng.permuted(values[rng.integers(0, len(values), design.n)], axis=1)
    names = tuple(f"m{i}" for i in range(design.models))
    tasks = {f"t{k:03}": rb.Estimates(names, row) for k, row in enumerate(rows)}
    info = {name: rb.TaskInfo(metric=f"metric {name}", direction="higher") for name in tasks}
    return rb.Scores(tasks, info)


def count(design: Design, runs: int, seed: int) -> tuple[Counter[str], Counter[str]]:
    """How often each kind of statement held, and how often it was made with a level."""
    held: Counter[str] = Counter()
    made: Counter[str] = Counter()
    rng = np.random.default_rng([seed, design.n, design.models])
    for _ in range(runs):
        scores, truth = tied(design, rng)
        board = rb.leaderboard(scores, resamples=300, over=_OVER.get(design.data, "auto"))
        lead = board.aggregate or next(iter(board.tasks.values()))
        kept = {"pairs": not board.shown_better.any(), "may be first": bool(lead.may_be_first[0])}
        if lead.guarantee is not None:
            made.update(kept.keys())
            held.update(key for key, holds in kept.items() if holds)
        if board.leader is not None:
            made["leader"] += 1
            held["leader"] += board.leader.low <= truth <= board.leader.high
        duel = rb.head_to_head(scores, "m0", "m1")
        contrast = duel.average or next(iter(duel.tasks.values()))
        if not contrast.approximate:
            made["compare"] += 1
            held["compare"] += contrast.verdict == "cannot tell"
    return held, made


_OVER = {"embeddings": "tasks"}


def check(calibration: Calibration, design: Design, runs: int, seed: int) -> None:
    held, made = count(design, runs, seed)
    for kind, times in sorted(made.items()):
        if times >= runs // 4:
            calibration.at_least(held[kind], times, LEVEL, of=kind)


@pytest.mark.slow
@pytest.mark.parametrize(
    "design",
    [
        Design("seconds", 60, 8),
        Design("judges", 46, 6),
        Design("judges", 8, 6),
        Design("repositories", 6, 9),
        Design("repositories", 11, 9),
        Design("repositories", 50, 9),
        Design("embeddings", 20, 10),
        Design("ranks", 8, 10),
        Design("ranks", 40, 6),
    ],
    ids=lambda one: f"{one.data}-{one.n}",
)
def test_what_prints_a_level_holds_it_on_rows_of_real_results(
    calibration: Calibration, design: Design
) -> None:
    check(calibration, design, calibration.runs(12, 400), 1)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "models"), [(12, 8), (12, 5)])
def test_few_rows_with_a_tail_print_no_level_and_what_prints_one_is_seldom_false(
    calibration: Calibration, n: int, models: int
) -> None:
    """Of one provider an answer in seven is slow; a dozen rows often have none of them."""
    runs, false, held, unsure = calibration.runs(42, 400), 0, 0, 0
    rng = np.random.default_rng([1, n, models])
    for _ in range(runs):
        board = rb.leaderboard(tied(Design("seconds", n, models), rng)[0], resamples=300)
        task = board.tasks["x"]
        wrong = bool(board.shown_better.any())
        false += wrong and task.guarantee is not None
        unsure += task.approximate
        held += task.approximate and not wrong
        if task.approximate:
            assert task.measured_level == 0.77
            if not any(note.code == "skewed" for note in board.notes):
                continue  # no slow answer was seen, and seconds have one end only
            (note,) = (note.message for note in board.notes if note.code == "skewed")
            assert "Rare large failures that these rows do not contain are not covered." in note
    calibration.at_most(false, runs, 0.05 + 0.01, of="false, with a level")
    calibration.above(unsure, runs, 0.6, of="without a level")
    calibration.at_least(held, unsure, 0.77, of="held without a level")


@pytest.mark.slow
@pytest.mark.parametrize(("n", "share"), [(8, 0.77), (12, 0.77), (30, 0.92)])
def test_seconds_of_two_providers_hold_as_often_as_the_board_says(
    calibration: Calibration, n: int, share: float
) -> None:
    """Pairs at random; one provider has 0 seconds but in a row of seven, which few may not show."""
    values = -table("seconds").iloc[:, 1:].to_numpy(float)
    values = values - values.mean(axis=0) + values.mean(axis=0).min()
    rng, runs, held = np.random.default_rng([3, n]), calibration.runs(42, 800), 0
    for _ in range(runs):
        pair = rng.choice(values.shape[1], 2, replace=False)
        drawn = values[rng.integers(0, len(values), n)][:, pair]
        board = rb.leaderboard(rb.Scores.from_arrays({"x": drawn}, ["a", "b"]), resamples=200)
        assert (board.tasks["x"].guarantee, board.tasks["x"].measured_level) == (None, share)
        held += not board.shown_better.any()
    calibration.at_least(held, runs, share)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "share"), [(8, 0.77), (30, 0.87)])
def test_averages_with_a_small_task_of_seconds_hold_as_often_as_the_board_says(
    calibration: Calibration, n: int, share: float
) -> None:
    """Beside two tasks of 100 requests; which provider is slow changes from task to task."""
    values = -table("seconds").iloc[:, 1:].to_numpy(float)
    values = values - values.mean(axis=0) + values.mean(axis=0).min()
    rng, runs = np.random.default_rng([4, n]), calibration.runs(21, 300)
    unsure, held, false = 0, 0, 0
    names = [f"m{i}" for i in range(values.shape[1])]
    for _ in range(runs):
        rows = {
            f"t{k}": values[rng.integers(0, len(values), size)][:, rng.permutation(len(names))]
            for k, size in enumerate((n, 100, 100))
        }
        board = rb.leaderboard(rb.Scores.from_arrays(rows, names), over="items", resamples=200)
        assert board.aggregate is not None
        wrong = bool(board.shown_better.any())
        if board.aggregate.approximate:
            assert (board.aggregate.guarantee, board.aggregate.measured_level) == (None, share)
            unsure += 1
            held += not wrong
        else:  # no slow answer was drawn, and the small task says too little to matter
            false += wrong
    calibration.above(unsure, runs, 0.9, of="without a level")
    calibration.at_least(held, unsure, share, of="held without a level")
    calibration.at_most(false, runs, 0.05, of="false, with a level")


@pytest.mark.slow
@pytest.mark.parametrize(("n", "share"), [(12, 0.83), (20, 0.90), (40, 0.94)])
def test_failures_that_few_rows_do_not_contain_are_not_covered_and_the_board_says_so(
    calibration: Calibration, n: int, share: float
) -> None:
    """Marks of two models that are as good on average; one loses 7 points in a tenth of rows.

    A sample without failures has the law of a world without them: what is shown of such samples
    would be true there, and no test can tell the two apart. The sentence says how many it may be.
    """
    rng, runs, held = np.random.default_rng([7, n]), calibration.runs(28, 800), 0
    most = np.ceil(100 * (1 - 0.05 ** (1 / n)))
    for _ in range(runs):
        marks = 8 + rng.normal(0, 0.6, (n, 1)) + rng.normal(0, 0.7, (n, 2))
        marks -= np.column_stack([np.full(n, 0.7), 7.0 * (rng.random(n) < 0.1)])
        board = rb.leaderboard(rb.Scores.from_arrays({"x": marks}, ["a", "b"]), resamples=200)
        said = [*board.tasks["x"].assumptions, *(note.message for note in board.notes)]
        unseen = f"up to {most:.0f} % of all items could be such"
        assert any(unseen in text for text in said)
        shown = bool(board.shown_better.any())
        assert (unseen in " ".join(board.to_text().split())) == shown
        held += not shown
    calibration.within(held, runs, share, slack=0.02)


@pytest.mark.slow
def test_whole_clusters_that_are_resampled_hold_and_by_name_holm_does_not(
    calibration: Calibration,
) -> None:
    """Figures of the notes on skewed clusters: above 92 %, and 88 % where Holm was asked for."""
    runs, held = calibration.runs(60, 400), Counter[str]()
    rng = np.random.default_rng(5)
    for _ in range(runs):
        scores, _ = tied(Design("repositories", 11, 9), rng)
        compared = rb.compare(scores)
        for name in ("maxt_bootstrap", "holm"):
            made = rb.rank(compared, correction=name, scope="all", resamples=300)["x"]
            held[name] += not made.shown_better.any()
    calibration.at_least(held["maxt_bootstrap"], runs, 0.94, of="resampled")
    calibration.within(held["holm"], runs, 0.88, of="Holm")


@pytest.mark.slow
def test_clusters_of_unequal_size_hold_whatever_decides(calibration: Calibration) -> None:
    """Flips decide where few degrees of freedom are left, else whole clusters are resampled."""
    made, held = Counter[str](), Counter[str]()
    rng = np.random.default_rng(6)
    for _ in range(calibration.runs(56, 800)):
        board = rb.leaderboard(tied(Design("sizes", 12, 9), rng)[0], resamples=300)
        assert board.tasks["x"].guarantee is not None
        flips = any(note.code == "cluster-flips" for note in board.notes)
        kind = "flipped" if flips else "resampled"
        made[kind] += 1
        held[kind] += not board.shown_better.any()
    for kind, times in sorted(made.items()):
        calibration.at_least(held[kind], times, LEVEL, of=kind)


def all_designs() -> list[Design]:
    """Every size at which such rows print a level, for two models, three, and all."""
    return [
        Design(data, n, models)
        for data, sizes, most in (
            ("seconds", (30, 50, 100, 140), 8),
            ("judges", (5, 6, 8, 12, 20, 30), 6),
            ("repositories", (6, 8, 11, 15, 20, 40, 60, 80), 9),
            ("sizes", (8, 12, 20, 30), 9),
            ("embeddings", (5, 6, 8, 10, 15, 20, 30, 40), 10),
            ("ranks", (6, 7, 8, 12, 20, 30, 40), 10),
        )
        for n in sizes
        for models in (2, 3, most)
        if data != "seconds" or n >= 50 or models == most
    ]


def drawn_designs() -> list[Design]:
    """Ten cells of the grid, drawn by a seed."""
    grid = all_designs()
    return [grid[i] for i in np.random.default_rng(SEED).choice(len(grid), 10, replace=False)]


@pytest.mark.slow
@pytest.mark.parametrize("place", range(10))
def test_cells_drawn_by_a_seed_hold(calibration: Calibration, place: int) -> None:
    check(calibration, drawn_designs()[place], calibration.runs(12, 400), 2)
