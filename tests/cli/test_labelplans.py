"""How many labels a goal takes with a judge: by arithmetic of other hands, and by simulation."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commandline import Command
from scipy import stats

import rankbars as rb
from rankbars.stats.pairwise.judgedpairs import judged_t

NAMES = ("new", "old", "other")
PILOTS = 30
OF_A_PILOT = 0.18  # SD of the share that reaches a width, from pilot to pilot of 500 labels


def drawn(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    people = rng.normal(size=(rows, 1)) + rng.gamma(1.0, size=(rows, 3)) + [0.25, 0.0, -0.2]
    return people, people + 0.8 * rng.normal(size=people.shape)


def judged(labels: int, rows: int, seed: int = 0) -> rb.Scores:
    people, judge = drawn(np.random.default_rng(seed), rows)
    names = tuple(map(str, range(rows)))
    return rb.with_judge(
        rb.Scores({"t": rb.Items(NAMES, people[:labels], ids=names[:labels])}),
        rb.Scores({"t": rb.Items(NAMES, judge, ids=names)}),
    )


def test_the_number_gives_the_power_and_one_less_does_not():
    scores = judged(150, 2000)
    made = rb.plan(scores, pair=("new", "old"))
    board = rb.leaderboard(scores.select(models=("new", "old")), pairs=True)
    use, pair = board.judge["t"], board.pairs.tasks["t"]
    explained = use.correlation**2
    whole = (1 - explained) / 150 + explained / 2000

    def power(labels: float) -> float:
        se = pair.se[0] * np.sqrt(((1 - explained) / labels + explained / 2000) / whole)
        likewise = pair.se[0] ** 2 / se**2 * 150  # rows of a plain test that are as sure
        df = likewise * (pair.df[0] + 1) / 150 - 1
        return float(stats.nct.sf(stats.t.isf(0.025, df), df, abs(pair.difference[0]) / se))

    assert made.unit == "labels"
    assert power(made.needed.likely) >= 0.8 > power(made.needed.likely - 2)
    assert made.labels.judged == 2000
    # Without the judge as many as with it are worth, and with judgements without end fewer.
    worth = made.needed.likely / (1 - explained * (1 - made.needed.likely / 2000))
    assert made.labels.alone.likely == pytest.approx(worth, abs=3)
    assert made.labels.unlimited == pytest.approx(worth * (1 - explained), abs=3)


def test_more_labels_than_judged_items_are_out_of_reach():
    made = rb.plan(judged(60, 120), pair=("new", "old"), effect=0.05)
    assert made.needed.likely == np.inf
    assert np.isfinite(made.labels.alone.likely)
    assert "A label for each of the 120 items that the judge scored does not reach it" in str(made)


def test_where_the_judge_is_not_used_items_are_planned():
    people, judge = drawn(np.random.default_rng(3), 200)
    names = tuple(map(str, range(200)))
    useless = np.random.default_rng(4).normal(size=judge.shape)
    made = rb.plan(
        rb.with_judge(
            rb.Scores({"t": rb.Items(NAMES, people[:80], ids=names[:80])}),
            rb.Scores({"t": rb.Items(NAMES, useless, ids=names)}),
        )
    )
    assert (made.unit, made.labels) == ("items", None)


def test_a_width_is_what_half_of_all_samples_have():
    people, _ = drawn(np.random.default_rng(5), 4000)
    pilot = rb.Scores.from_arrays({"t": people[:400]}, list(NAMES))
    made = rb.plan(pilot, pair=("new", "old"), width=0.2)
    rng, n = np.random.default_rng(6), int(made.needed.likely)
    apart = people[:, 0] - people[:, 1]
    half = [
        stats.t.isf(0.025, n - 1) * stats.sem(apart[rng.choice(4000, n, replace=False)])
        for _ in range(400)
    ]
    assert np.median(half) == pytest.approx(0.2, rel=0.08)
    assert "to ± 0.2 (95 %, in half of all samples)" in " ".join(str(made).split())


@pytest.mark.slow
@pytest.mark.parametrize("goal", ["pair", "top", "width"])
def test_boards_with_so_many_labels_reach_the_goal(goal: str, calibration):
    words = {
        "pair": {"pair": ("new", "old"), "effect": 0.25},
        "top": {"top": 1, "effect": 0.25},
        "width": {"pair": ("new", "old"), "width": 0.2},
    }[goal]
    rng, hits, level = np.random.default_rng(9), 0, 0.0
    runs = calibration.runs(105, 2100)
    for run in range(runs):
        if run % (runs // PILOTS) == 0:
            made = rb.plan(judged(500, 600, seed=100 + run), **words)
            labels, level = int(made.needed.likely), made.level
        people, judge = drawn(rng, 600)
        given = np.where(np.arange(600)[:, None] < labels, people, np.nan)
        found = judged_t(given, judge[:, None]).pairs
        far = stats.t.isf(level, np.asarray(found.df)) * found.se
        if goal == "width":
            hits += far[0, 1] <= 0.2
        else:
            shown = found.diff[0, 1:] > far[0, 1:]
            hits += bool(shown[0] if goal == "pair" else shown.all())
    if goal == "top":  # planned as if all were as near as the nearest
        calibration.at_least(hits, runs, 0.8, of=goal)
        return
    share = 0.5 if goal == "width" else 0.8
    error = 3 * np.sqrt(share * (1 - share) / runs + OF_A_PILOT**2 / PILOTS)
    calibration.near(hits, runs, share, error, of=goal)


def test_the_command_says_it_and_refuses_what_does_not_fit(rankbars: Command):
    people, judge = drawn(np.random.default_rng(1), 400)
    for path, scores, rows in (("human.csv", people, 90), ("judge.csv", judge, 400)):
        lines = ["model,item,score"] + [
            f"{name},q{i},{scores[i, k]:.4f}" for i in range(rows) for k, name in enumerate(NAMES)
        ]
        Path(path).write_text("\n".join(lines))
    both = "--labels", "human.csv", "--judge", "judge.csv"
    answer = rankbars("plan", *both, "--pair", "new", "other", "--json", "--quiet")
    made = json.loads(answer.out)
    assert (made["unit"], made["labels"]["judged"]) == ("labels", 400)
    assert made["needed"]["likely"] < made["labels"]["alone"]["likely"]
    text = rankbars("plan", *both, "--pair", "new", "other", "--quiet").out
    assert "labels like these" in text
    assert "Labels alone: " in text
    for words, says in (
        ((*both, "--width", "0.1", "--margin", "0.1"), "leave out --margin"),
        ((*both, "--width", "0.1", "--top", "2"), "A width is about two models"),
        ((*both, "--width", "0"), "above 0"),
        (("--judge", "judge.csv"), "INPUT"),
        ((*both, "--plot", "x.svg"), "no curve of labels"),
        ((*both, "--pair", "new", "nobody"), "nobody"),
    ):
        answer = rankbars("plan", *words)
        assert answer.code in (1, 2), words
        assert "Traceback" not in answer.err
        assert says in " ".join(answer.err.split()), answer.err
