"""What the page recomputes equals what the package says: the bundle itself, run by Node."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import shutil
import subprocess
from collections import Counter
from fractions import Fraction
from importlib import resources
from typing import Any

import numpy as np
import pytest

import rankbars as rb
from rankbars.data.board import Leaderboard
from rankbars.data.evidence import Items
from rankbars.render.pagedata import page_data
from rankbars.stats.newtask.merges import joint_merge
from rankbars.stats.tails import critical_value, upper_tail

CASES = 80  # of each of five boards
RUN = """
import { readFileSync } from "node:fs"
const { bundle, data, cases } = JSON.parse(readFileSync(0, "utf8"))
new Function(bundle)()
const { Board, recompute } = globalThis.rankbarsReport
const board = new Board(data)
const list = values => values && Array.from(values)
const bounds = ends => ends && { best: list(ends.best), worst: list(ends.worst) }
console.log(JSON.stringify(cases.map(choice => {
  const found = recompute(board, choice)
  const average = found.average && { ...found.average, bounds: bounds(found.average.bounds) }
  return { ...found, newTask: bounds(found.newTask), average }
})))
"""
TAILS = """
import { readFileSync } from "node:fs"
const { bundle, values, levels } = JSON.parse(readFileSync(0, "utf8"))
new Function(bundle)()
const { criticalValue, upperTail } = globalThis.rankbarsReport
const df = value => value ?? Infinity
console.log(JSON.stringify([
  values.map(([t, d]) => upperTail(t, df(d))), levels.map(([p, d]) => criticalValue(p, df(d))),
]))
"""


def run_node(program: str, **given: Any) -> Any:
    """What a program says that gets the bundle of the page and some values."""
    node = shutil.which("node") or shutil.which("nodejs")
    if node is None:
        pytest.skip("needs Node (on Debian: apt-get install nodejs)")
    assets = resources.files("rankbars.render").joinpath("assets")
    bundle = "\n".join(assets.joinpath(name).read_text("utf-8") for name in ("page.js", "views.js"))
    done = subprocess.run(
        [node, "--input-type=module", "--eval", program],
        input=json.dumps({"bundle": bundle} | given),
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=300,
    )
    return json.loads(done.stdout)


def items(rng: np.random.Generator, n_tasks: int = 9, *, missing: bool = False) -> dict[str, Any]:
    """Right and wrong answers of six models, two of them equal, on tasks of other sizes."""
    skill = np.array([0.8, 0.75, 0.6, 0.6, 0.4, 0.2])
    tasks = {}
    for k in range(n_tasks):
        values = (rng.random((20 + 7 * k, 6)) < skill).astype(float)
        values[:, 3] = values[:, 2]  # identical models
        if missing:
            values[rng.random(values.shape) < 0.1] = np.nan
            values[:2] = rng.random((2, 6)) < skill
        tasks[f"task {k}"] = values
    if missing:
        tasks["task 8"][:, 5] = np.nan  # a model without any score on one task
    return tasks


MODELS = ["a", "b", "c", "d", "e", "f"]


def boards() -> dict[str, tuple[rb.Scores, dict[str, Any]]]:
    """Scores with the options of the board: every rule that the page knows."""
    rng = np.random.default_rng(1)
    info = {f"task {k}": rb.TaskInfo(weight=1 + k % 3) for k in range(9)}
    # So many tasks or families do not look skewed, and some choices among them do.
    lower = {
        f"task {k}": rb.TaskInfo(weight=1 + k % 3, direction="lower", metric="error")
        for k in range(20)
    }
    grouped = {f"task {k}": rb.TaskInfo(weight=1 + k % 3, family=f"f{k % 16}") for k in range(20)}
    plain, holes = items(rng), items(rng, missing=True)
    # Fewer than 20 rows may look skewed by chance; the page then recomputes no new task.
    other = np.random.default_rng(2)
    errors = {name: other.random((20, 6)) + [0.1, 0.2, 0.3, 0.4, 0.5, 0.6] for name in lower}
    build = rb.Scores.from_arrays
    return {
        "items": (build(plain, MODELS, info=info), {}),
        "missing, all models": (
            build(holes, MODELS, info=info),
            {"missing": "pairwise", "missing_tasks": "bounds", "scope": "all", "merge": "quantile"}
            | {"correction": "bonferroni"},
        ),
        "lower, tasks": (
            build(errors, MODELS, info=lower), {"over": "tasks", "merge": "union"},
        ),
        "tasks, uncorrected": (
            build(plain, MODELS, info=info), {"over": "tasks", "correction": "none"},
        ),
        "families": (
            build(items(rng, 20), MODELS, info=grouped), {"over": "families", "merge": "quantile"},
        ),
    }  # fmt: skip


BOARDS = boards()
SAMPLED = ("lower, tasks", "families")  # boards whose averages take tasks or families as a sample


def choices(board: Leaderboard, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Random tasks, weights (some of them zero, some equal) and levels."""
    n_tasks, made = len(board.tasks), []
    for k in range(CASES):
        count = int(rng.integers(1, n_tasks + 1))
        weights = rng.integers(1, 4, n_tasks) if k % 3 else np.ones(n_tasks)
        if k % 5 == 0:
            weights = weights * rng.random(n_tasks)
        if k % 7 == 0:
            weights[rng.integers(n_tasks)] = 0.0
        made.append(
            {
                "tasks": sorted(rng.choice(n_tasks, count, replace=False).tolist()),
                "weights": weights.astype(float).tolist(),
                "alpha": float(rng.choice([0.01, 0.05, 0.1, 0.2])),
                "alphaOverall": float(rng.choice([0.05, 0.1, 0.2, 0.3, 0.5])),
            }
        )
    return made


def chosen(scores: rb.Scores, names: list[str]) -> rb.Scores:
    """The scores of some tasks, with all models."""
    return rb.Scores(
        {name: scores.tasks[name] for name in names}, {name: scores.info[name] for name in names}
    )


@pytest.mark.parametrize("kind", BOARDS)
def test_the_page_recomputes_what_the_package_says(kind):
    scores, options = BOARDS[kind]
    board = rb.leaderboard(scores, pairs=True, resamples=20, **options)
    cases = choices(board, np.random.default_rng(len(kind)))
    answers = run_node(RUN, data=page_data(board, ()), cases=cases)
    comparisons = rb.compare(scores)
    ranks = rb.rank(
        comparisons, correction=board.spec.correction, scope="each", alpha=0.05, resamples=20
    )
    averages, seen = 0, Counter[str]()
    for case, answer in zip(cases, answers, strict=True):
        names = [list(board.tasks)[i] for i in case["tasks"]]
        new = rb.predict(
            {name: ranks[name] for name in names},
            merge=board.spec.merge,
            alpha=case["alphaOverall"],
        )
        found = answer["newTask"]
        assert (found["best"], found["worst"]) == (new.best.tolist(), new.worst.tolist()), case
        assert answer["guarantee"] == (
            None if new.guarantee is None else pytest.approx(new.guarantee, rel=1e-12)
        )
        weights = {name: case["weights"][list(board.tasks).index(name)] for name in names}
        counted = [name for name, weight in weights.items() if weight > 0]
        families = {board.tasks[name].family for name in counted}
        if len(counted) < 2 or (board.aggregate.over == "families" and len(families) < 2):
            assert answer["average"] is None
            continue
        averages += 1
        average = rb.aggregate(
            chosen(scores, names),
            over=board.aggregate.over,
            estimator=board.aggregate.estimator,
            method=board.aggregate.method,
            weights=weights,
            correction=board.spec.correction,
            scope=board.spec.scope,
            alpha=case["alpha"],
            resamples=5,
        )
        resampled = average.correction == "maxt_bootstrap"
        rows = families if board.aggregate.over == "families" else counted
        few = kind in SAMPLED and len(rows) < 5
        seen.update(resampled=resampled, few=few)
        assert answer["resampled"] == resampled, case
        if resampled:
            assert answer["average"] is None
            continue
        check_average(answer["average"], average, case)
        assert answer["average"]["few"] == few, case
        assert not (few and average.shown_better.any())
    assert averages > 0.6 * len(cases)
    # Answers of 0 and 1, and descriptions without correction, are never held back.
    assert (seen["few"] > 0) == (kind in SAMPLED)
    assert (seen["resampled"] > 0) == (kind in SAMPLED)
    assert sum(seen.values()) < 0.7 * averages


def test_a_pair_that_differs_by_the_same_on_every_row_of_a_task_counts_as_on_the_board():
    rng = np.random.default_rng(0)
    ahead = np.linspace(0.9, 0.3, 6)
    tasks = {name: (rng.random((rows, 6)) < ahead) * 1.0 for name, rows in (("x", 60), ("y", 50))}
    tasks["z"] = np.tile([1.0, 1, 0, 0, 0, 1], (6, 1))
    board = rb.leaderboard(rb.Scores.from_arrays(tasks, MODELS), pairs=True, resamples=20)
    case = {"tasks": [0, 1, 2], "weights": [1.0] * 3, "alpha": 0.05, "alphaOverall": 0.2}
    (answer,) = run_node(RUN, data=page_data(board, ()), cases=[case])
    check_average(answer["average"], board.aggregate, case)


def test_the_page_has_the_set_for_the_best_of_ten_models():
    rng = np.random.default_rng(0)
    ahead = np.array([0.0, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0])
    tasks = {f"task {k}": rng.random((60, 10)) < 0.2 + 0.6 * ahead for k in range(3)}
    scores = rb.Scores.from_arrays(tasks, list("abcdefghij"))
    board = rb.leaderboard(scores, correction="holm", pairs=True)
    average = board.aggregate
    # Nobody is shown better than some of those that are not first.
    alone = ~average.shown_better.any(axis=0)
    assert average.may_be_first.sum() < alone.sum()
    case = {"tasks": [0, 1, 2], "weights": [1.0] * 3, "alpha": 0.05, "alphaOverall": 0.2}
    (answer,) = run_node(RUN, data=page_data(board, ()), cases=[case])
    found = answer["average"]["bounds"]
    assert (found["best"], found["worst"]) == (average.best.tolist(), average.worst.tolist())
    names = [board.models[i] for i in answer["average"]["first"]]
    assert tuple(names) == board.undominated()


def test_the_page_merges_intervals_that_were_made_for_the_new_task():
    """Of twelve tasks; other choices leave out as many as keep the guarantee."""
    rng = np.random.default_rng(8)
    tasks = {f"task {k:02d}": rng.normal(0, 1, (30, 5)) + np.arange(5) / 4 for k in range(12)}
    board = rb.leaderboard(rb.Scores.from_arrays(tasks, MODELS[:5]), pairs=True)
    everything = {"tasks": list(range(12)), "weights": [1.0] * 12, "alpha": 0.05}
    cases = [{**everything, "alphaOverall": 0.2}, *choices(board, rng)[:30]]
    answers = run_node(RUN, data=page_data(board, ()), cases=cases)
    first = answers[0]["newTask"]
    assert first == {"best": board.overall.best.tolist(), "worst": board.overall.worst.tolist()}
    results, side = list(board.tasks.values()), Fraction(1, 4)
    for case, answer in zip(cases, answers, strict=True):
        chosen_tasks = [results[i] for i in case["tasks"]]
        count, nominal = (
            len(chosen_tasks) + 1,
            Fraction(str(case["alphaOverall"])) / Fraction("0.975"),
        )
        need = min(math.floor((1 - side) * nominal * count), count - 1)
        best, worst = np.ones(5, dtype=int), np.full(5, 5)
        if need:
            ends = [
                np.array([getattr(t, end) for t in chosen_tasks])
                for end in ("merged_best", "merged_worst")
            ]
            best, worst = joint_merge(*ends, 5, Fraction(need, count))
        assert answer["newTask"] == {"best": best.tolist(), "worst": worst.tolist()}, case
        promised = 1 - Fraction(need, count) / (1 - side)
        assert answer["guarantee"] == pytest.approx(float(max(promised, 0)), rel=1e-12)
        assert (answer["needs"] is None) == (need > 0)


def check_average(found: dict[str, Any], average: rb.Aggregate, case: dict[str, Any]) -> None:
    for name in ("score", "low", "high"):
        shown = np.array([np.nan if value is None else value for value in found[name]], dtype=float)
        expected = np.where(np.isfinite(getattr(average, name)), getattr(average, name), np.nan)
        np.testing.assert_allclose(shown, expected, rtol=1e-9, atol=1e-12, err_msg=str(case))
    assert found["bounds"]["best"] == average.best.tolist(), case
    assert found["bounds"]["worst"] == average.worst.tolist(), case
    first = np.flatnonzero(average.best == 1).tolist()
    assert sorted(found["first"]) == first, case


def test_tails_of_t_equal_those_of_the_package():
    values = [
        (t, df) for t in (-3.0, 0.0, 0.3, 1.96, 4.0, 40.0) for df in (1, 3.7, 59, 12031, None)
    ]
    levels = [(p, df) for p in (0.3, 0.025, 1e-5, 1e-12, 2**-60) for df in (1, 3.7, 59, 1e4, None)]
    tails, critical = run_node(TAILS, values=values, levels=levels)
    freedom = [np.inf if df is None else df for _, df in values]
    np.testing.assert_allclose(tails, upper_tail([t for t, _ in values], freedom), rtol=1e-11)
    freedom = [np.inf if df is None else df for _, df in levels]
    np.testing.assert_allclose(
        critical, critical_value([p for p, _ in levels], freedom), rtol=1e-11
    )


@functools.cache
def other_boards() -> dict[str, Leaderboard]:
    """Kinds of evidence beside complete items."""
    rng = np.random.default_rng(4)
    models = ("a", "b", "c")
    clusters = np.repeat(np.arange(12), 5)

    def votes() -> rb.Votes:
        return rb.Votes(models, rng.integers(5, 40, (3, 3)) * (1 - np.eye(3)))

    def clustered() -> rb.Items:
        return rb.Items(models, rng.random((60, 3)) < [0.4, 0.5, 0.6], clusters=clusters)

    def published() -> rb.Estimates:
        return rb.Estimates(models, rng.random(3))

    made = {}
    for name, make in (("votes", votes), ("clusters", clustered), ("published", published)):
        made[name] = rb.Scores({f"task {k}": make() for k in range(6)})
    boards = {
        name: rb.leaderboard(scores, pairs=True, resamples=20) for name, scores in made.items()
    }
    boards["standardised"] = rb.leaderboard(
        made["clusters"], normalise="zscore", pairs=True, resamples=20
    )
    return boards


@pytest.mark.parametrize("kind", ["votes", "clusters", "published", "standardised"])
def test_the_published_choice_gives_the_published_board(kind):
    board = other_boards()[kind]
    case = {
        "tasks": list(range(len(board.tasks))),
        "weights": [task.weight for task in board.tasks.values()],
        "alpha": board.aggregate.alpha,
        "alphaOverall": board.overall.alpha,
    }
    (answer,) = run_node(RUN, data=page_data(board, ()), cases=[case])
    check_average(answer["average"], board.aggregate, case)
    assert answer["newTask"]["best"] == board.overall.best.tolist()
    assert answer["newTask"]["worst"] == board.overall.worst.tolist()
    assert answer["guarantee"] == pytest.approx(board.overall.guarantee, rel=1e-12)


def named(
    rng: np.random.Generator, values: np.ndarray, what: str = "item", **options: Any
) -> Items:
    """A task whose rows have names, in an order of its own."""
    order = rng.permutation(len(values))
    ids = tuple(f"{what} {chr(97 + k % 26)}{k}" for k in order)
    return Items(tuple(MODELS[: values.shape[1]]), values[order], ids=ids, **options)


def joined_boards() -> dict[str, tuple[rb.Scores, dict[str, Any]]]:
    """Scores of tasks with rows in common, with the options of the board."""
    rng = np.random.default_rng(7)
    skill = np.linspace(0.8, -0.8, 6)

    def latent(rows: int, tasks: int, models: int = 6) -> np.ndarray:
        shared = rng.normal(size=(1, rows, models))
        return skill[:models] + shared + rng.normal(size=(tasks, rows, models))

    def answers(rows: int, tasks: int, what: str = "item") -> list[Items]:
        values = (latent(rows, tasks) > 0) * 1.0
        values[:, :, 3] = values[:, :, 2]  # identical models
        return [named(rng, one, what) for one in values]

    def scores(parts: list[Items], **info: Any) -> rb.Scores:
        names = [f"task {k}" for k in range(len(parts))]
        told = {name: rb.TaskInfo(weight=1 + k % 3, **info) for k, name in enumerate(names)}
        return rb.Scores(dict(zip(names, parts, strict=True)), told)

    seconds = [named(rng, -np.exp(one / 4)) for one in latent(45, 6)]
    runs = [named(rng, one, "seed", design="runs") for one in latent(9, 5)]
    lacking = answers(60, 5)
    lacking[1] = Items(tuple(MODELS[:5]), lacking[1].values[:, :5], ids=lacking[1].ids)
    alone = [Items(tuple(MODELS), rng.random((30 + 9 * k, 6)) < 0.5 + skill / 4) for k in range(3)]
    constant = Items(tuple(MODELS), np.tile([1.0, 1, 0, 0, 0, 1], (25, 1)), ids=runs_of(25))
    few = [named(rng, one / 40, "short") for one in latent(12, 2)]
    graded = [named(rng, 1 / (1 + np.exp(-one)), "graded") for one in latent(40, 3)]
    limits = {"minimum": -1.0, "maximum": 3.0}
    return {
        "answers": (scores(answers(60, 6)), {}),
        "answers, all models": (scores(answers(40, 4)), {"scope": "all", "correction": "holm"}),
        "seconds": (scores(seconds, direction="lower", metric="seconds"), {}),
        "runs": (scores(runs), {"scope": "all", "correction": "bonferroni"}),
        "a model lacks a task": (scores(lacking), {"missing_tasks": "bounds"}),
        "limits": (
            scores([named(rng, np.tanh(one) + 1) for one in latent(50, 4)], **limits),
            {"normalise": "bounds"},
        ),
        "two groups": (scores([*answers(60, 3), *answers(33, 3, "other")]), {}),
        "and rows of their own": (scores([*answers(60, 3), *alone]), {}),
        "and constant ones": (scores([*answers(60, 2), constant, alone[1]]), {}),
        "and few rows": (scores([*answers(35, 2), *few]), {}),
        "and graded ones": (scores([*answers(60, 2), *graded]), {}),
    }  # fmt: skip


def runs_of(rows: int) -> tuple[str, ...]:
    return tuple(f"only here {chr(97 + k)}" for k in range(rows))


JOINED = joined_boards()


@pytest.mark.parametrize("kind", JOINED)
def test_the_page_joins_rows_as_the_package_does(kind):
    scores, options = JOINED[kind]
    board = rb.leaderboard(scores, pairs=True, resamples=20, **options)
    assert any(note.code.startswith("joined-") for note in board.notes)
    assert page_data(board, ())["explore"]["reason"] == ""
    cases = choices(board, np.random.default_rng(len(kind)))[:40]
    shown = 0
    for case, answer in zip(
        cases, run_node(RUN, data=page_data(board, ()), cases=cases), strict=True
    ):
        names = [list(board.tasks)[i] for i in case["tasks"]]
        weights = {name: case["weights"][list(board.tasks).index(name)] for name in names}
        if sum(weight > 0 for weight in weights.values()) < 2:
            assert answer["average"] is None
            continue
        average = rb.aggregate(
            chosen(scores, names), weights=weights, normalise=board.spec.normalise,
            correction=board.spec.correction, scope=board.spec.scope, alpha=case["alpha"],
            resamples=5,
        )  # fmt: skip
        unsure = average.approximate or average.correction == "maxt_bootstrap"
        assert answer["resampled"] == unsure, case
        if not unsure:
            check_average(answer["average"], average, case)
        shown += not unsure
    assert shown > 5


MEANS = """
import { readFileSync } from "node:fs"
const { bundle, data } = JSON.parse(readFileSync(0, "utf8"))
new Function(bundle)()
const { Board, categoryLinks, categoryMeans } = globalThis.rankbarsReport
const board = new Board(data)
const means = categoryMeans(board).map(({ name, share, average: { score, contrasts } }) => (
  { name, share, score: Array.from(score), se: Array.from(contrasts.se) }))
const models = [...data.models.keys()]
const links = categoryLinks(board).map(({ first, second, covariance }) => (
  [first, second, models.map(one => models.map(two => covariance(one, two)))]))
console.log(JSON.stringify({ means, links }))
"""


@pytest.mark.parametrize(
    "kind", ["answers", "seconds", "limits", "two groups", "and rows of their own"]
)
def test_the_page_knows_what_means_of_categories_have_in_common(kind):
    scores, options = JOINED[kind]
    info = {
        name: dataclasses.replace(one, category="xyz"[k % 3])
        for k, (name, one) in enumerate(scores.info.items())
    }
    board = rb.leaderboard(
        dataclasses.replace(scores, info=info), pairs=True, resamples=20, **options
    )
    means = board.aggregate.by_category
    found = run_node(MEANS, data=page_data(board, ()))
    assert [one["name"] for one in found["means"]] == list(means.categories)
    for c, one in enumerate(found["means"]):
        assert one["share"] == pytest.approx(means.weights[c], rel=1e-12)
        assert one["score"] == pytest.approx(means.score[c], rel=1e-9, abs=1e-12)
        errors = np.reshape(one["se"], (len(board.models),) * 2)
        assert errors == pytest.approx(np.nan_to_num(means.difference_se[c]), rel=1e-9, abs=1e-12)
    assert len(found["links"]) == len(means.linked) > 0
    for (first, second, covariance), link in zip(found["links"], means.linked, strict=True):
        assert (means.categories[first], means.categories[second]) == (link.first, link.second)
        assert np.array(covariance) == pytest.approx(link.covariance, rel=1e-9, abs=1e-12)


def test_the_page_computes_no_average_again_where_tasks_share_a_part_of_their_rows() -> None:
    rng = np.random.default_rng(0)
    names = [f"item {chr(97 + k % 26)}{k}" for k in range(50)]
    scores = rb.Scores({
        task: Items(("a", "b", "c"), rng.random((40, 3)) < 0.6, ids=tuple(names[k : k + 40]))
        for k, task in enumerate(("x", "y", "z"))
    })  # fmt: skip
    told = {
        rows: page_data(rb.leaderboard(scores, pairs=True, independent_rows=rows), ())["explore"]
        for rows in (False, True)
    }
    assert told[False]["average"] is None
    assert "--rows independent" in told[False]["reason"]
    assert told[True]["average"] is not None
