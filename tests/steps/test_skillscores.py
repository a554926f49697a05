"""Geometric means of losses, and skill scores against a baseline."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import rankbars as rb

TABLES = Path(__file__).parent.parent / "data" / "tables"


def losses(name: str, column: str) -> dict[str, dict[str, float]]:
    """Losses by task and model, as they stand in the file."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    with (TABLES / name).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found[row["task"]][row["model"]] = float(row[column])
    return found


def published(name: str, column: str) -> rb.Scores:
    return rb.read(str(TABLES / name), columns={"score": column}, direction="lower")


def fold_losses(seed: int = 0, models: int = 3, n: int = 40) -> rb.Scores:
    """Losses of rows, on tasks whose units differ."""
    rng = np.random.default_rng(seed)
    info = {name: rb.TaskInfo(metric="mase", direction="lower") for name in "uvwxyz"}
    tasks = {
        name: -unit * np.exp(rng.normal(0, 0.3, (n, models)) + 0.2 * np.arange(models))
        for name, unit in zip("uvwxyz", (1, 5, 0.1, 30, 2, 8), strict=True)
    }
    return rb.Scores.from_arrays(tasks, list("abcdef")[:models], info=info)


def test_geometric_mean_of_published_losses_is_that_of_scipy() -> None:
    table = losses("tabarena_logloss.csv", "log_loss")
    average = rb.aggregate(
        published("tabarena_logloss.csv", "log_loss"), method="geometric", correction="holm"
    )
    rows = np.log([[table[task][model] for model in average.models] for task in sorted(table)])
    assert average.score == pytest.approx(np.exp(rows.mean(axis=0)))
    assert average.direction == "lower"
    half = stats.t.ppf(0.975, len(rows) - 1) * stats.sem(rows, axis=0)
    assert average.low == pytest.approx(np.exp(rows.mean(axis=0) - half))
    assert average.high == pytest.approx(np.exp(rows.mean(axis=0) + half))
    assert average.contrasts is not None
    paired = rows[:, 1] - rows[:, 0]  # positive where the first is better
    assert average.contrasts.diff[0, 1] == pytest.approx(paired.mean())
    assert average.contrasts.se[0, 1] == pytest.approx(stats.sem(paired))


def test_geometric_mean_of_losses_mirrors_that_of_their_inverses() -> None:
    scores = fold_losses()
    average = rb.aggregate(scores, method="geometric", over="tasks")
    values = {name: [1 / -task.values.mean(axis=0)] * 2 for name, task in scores.tasks.items()}
    inverse = rb.aggregate(
        rb.Scores.from_arrays(values, list(scores.models)), method="geometric", over="tasks"
    )
    assert average.score == pytest.approx(1 / inverse.score)
    assert average.low == pytest.approx(1 / inverse.high)
    assert (average.best == inverse.best).all()
    assert (average.worst == inverse.worst).all()


def test_errors_over_items_are_those_of_resampled_items() -> None:
    scores = fold_losses(n=200)
    average = rb.aggregate(scores, method="geometric", over="items")
    resampled = rb.aggregate(
        scores, method="geometric", over="items", estimator="bootstrap", resamples=4000
    )
    assert average.score == pytest.approx(resampled.score)
    assert resampled.se == pytest.approx(average.se, rel=0.05)
    assert (average.low < average.score).all()
    assert (average.score < average.high).all()


def test_a_loss_of_zero_is_refused_with_the_value_of_the_file() -> None:
    info = {name: rb.TaskInfo(direction="lower") for name in ("x", "y")}
    scores = rb.Scores({name: rb.Estimates(("a", "b"), [0.0, -1.36]) for name in info}, info)
    with pytest.raises(rb.DataError, match="needs losses above 0; 'a' has 0 on"):
        rb.aggregate(scores, method="geometric")


def test_negated_losses_are_told_how_to_be_declared() -> None:
    scores = rb.Scores({name: rb.Estimates(("a", "b"), [-0.5, -1.36]) for name in ("x", "y")})
    with pytest.raises(rb.DataError, match=r"'b' has -1.36 on .* take the minus signs away"):
        rb.aggregate(scores, method="geometric")


def fev_skill(table: dict[str, dict[str, float]], model: str, baseline: str) -> float:
    """As fev 0.8 computes it, failures imputed: src/fev/analysis.py, `leaderboard`."""
    relative = [min(max(row.get(model, row[baseline]) / row[baseline], 1e-2), 100.0)
                for row in table.values()]  # fmt: skip
    return 1.0 - math.exp(sum(map(math.log, relative)) / len(relative))


def test_skill_scores_are_those_of_fev() -> None:
    table = losses("fev_bench.csv", "sql")
    board = rb.leaderboard(
        published("fev_bench.csv", "sql"), baseline="Seasonal Naive", baseline_fills=True
    )
    average = board.aggregate
    assert average is not None
    expected = [fev_skill(table, model, "Seasonal Naive") for model in average.models]
    assert average.score == pytest.approx(expected, abs=1e-12)
    assert average.method == "skill"
    assert "clipped-ratios" in {note.code for note in board.notes}
    filled = next(note for note in board.notes if note.code == "filled-from-baseline")
    assert "AutoARIMA on 4, AutoETS on 3" in filled.message


def test_nothing_is_filled_without_being_asked() -> None:
    scores = published("fev_bench.csv", "sql")
    with pytest.raises(rb.DataError, match=r"are missing|never ran"):
        rb.leaderboard(scores, baseline="Seasonal Naive", missing_tasks="raise")
    placed = rb.leaderboard(scores, baseline="Seasonal Naive")
    assert "filled-from-baseline" not in {note.code for note in placed.notes}


def test_skill_is_the_geometric_mean_measured_against_the_baseline() -> None:
    scores = fold_losses(models=4)
    for over in ("items", "tasks"):
        plain = rb.aggregate(scores, method="geometric", over=over)
        skill = rb.aggregate(scores, baseline="c", over=over)
        assert skill.score == pytest.approx(1 - plain.score / plain.score[2])
        assert (skill.best == plain.best).all()
        assert (skill.worst == plain.worst).all()
        assert plain.contrasts is not None
        assert skill.contrasts is not None
        assert skill.contrasts.se == pytest.approx(plain.contrasts.se, nan_ok=True)
        # The interval of a skill score is that of the contrast with the baseline.
        assert skill.se[0] == pytest.approx((1 - skill.score[0]) * plain.contrasts.se[0, 2])
        assert np.isnan(skill.low[2])
        assert skill.score[2] == 0.0


def test_ratios_are_clipped_as_fev_does_it() -> None:
    info = {name: rb.TaskInfo(direction="lower") for name in ("x", "y")}
    losses = {"x": [-1e-5, -1.0], "y": [-0.5, -1.0]}
    scores = rb.Scores(
        {name: rb.Estimates(("a", "naive"), row) for name, row in losses.items()}, info
    )
    average = rb.aggregate(scores, baseline="naive")
    assert average.score[0] == pytest.approx(1 - math.sqrt(0.01 * 0.5))
    assert "clipped-ratios" in {note.code for note in average.notes}


def test_skill_intervals_cover_the_skill_of_the_population() -> None:
    """Tasks drawn anew: log ratios are normal with mean -0.3, so the true skill is 1 - e^-0.3."""
    rng = np.random.default_rng(4)
    info = {f"t{i}": rb.TaskInfo(direction="lower") for i in range(15)}
    true, runs, covered = 1 - math.exp(-0.3), 120, 0
    for _ in range(runs):
        units = np.exp(rng.normal(0, 2, 15))
        ratio = np.exp(rng.normal(-0.3, 0.4, 15))
        tasks = {
            name: rb.Estimates(("a", "naive"), [-unit * one, -unit])
            for name, unit, one in zip(info, units, ratio, strict=True)
        }
        average = rb.aggregate(
            rb.Scores(tasks, info), baseline="naive", correction="holm", resamples=1
        )
        covered += bool(average.low[0] <= true <= average.high[0])
    assert covered / runs > 0.95 - 3 * math.sqrt(0.95 * 0.05 / runs)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "nobody"}, "nobody"),
        ({"baseline": "a", "method": "mean"}, "baseline is for skill scores"),
        ({"method": "skill"}, "Use --baseline NAME"),
        ({"baseline": "a", "normalise": "zscore"}, "leave --normalise zscore out"),
        ({"baseline": "a", "over": "items", "estimator": "bayes"}, "knows no skill scores"),
    ],
)
def test_what_does_not_fit_a_skill_score_is_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(rb.OptionError, match=message):
        rb.aggregate(fold_losses(), **options)  # type: ignore[arg-type]


def test_skill_needs_losses() -> None:
    scores = rb.Scores.from_arrays({"x": [[1.0, 0.5]] * 3, "y": [[1.0, 0.5]] * 3}, ["a", "b"])
    with pytest.raises(rb.OptionError, match=r"higher is better.*--direction lower"):
        rb.aggregate(scores, baseline="a")


def test_a_baseline_with_gaps_fills_nothing() -> None:
    scores = rb.Scores({"x": rb.Items(("a", "naive"), [[-1.0, np.nan], [-2.0, -1.0]])})
    with pytest.raises(rb.DataError, match="nothing can take the place"):
        rb.leaderboard(scores, baseline="naive", baseline_fills=True)


def test_filling_needs_a_baseline() -> None:
    with pytest.raises(rb.OptionError, match="Add --baseline NAME"):
        rb.leaderboard(fold_losses(), baseline_fills=True)


def test_skill_and_geometric_means_of_folds_of_the_automl_benchmark() -> None:
    """1 − AUC and log loss per fold, as AMLB published them; of models that never failed."""
    frame = pd.read_parquet(TABLES / "amlb2019.parquet")
    frame["loss"] = np.where(frame.category == "binary", 1.0 - frame.score, -frame.score)
    whole = frame.groupby("model").score.apply(lambda one: one.notna().all())
    frame = frame[frame.model.isin(whole[whole].index)]
    scores = rb.Scores.from_frame(
        frame[["model", "task", "item", "loss"]],
        score="loss", columns={"fold": "item"}, direction="lower",
    )  # fmt: skip
    means = frame.groupby(["task", "model"]).loss.mean().unstack()
    baseline = means.columns[0]
    skill = rb.aggregate(scores, baseline=baseline, over="items")
    ratios = means.div(means[baseline], axis=0)
    assert skill.models == tuple(means.columns)
    assert skill.score == pytest.approx(1.0 - np.exp(np.log(ratios).mean()).to_numpy(), abs=1e-12)
    geometric = rb.aggregate(scores, method="geometric", over="tasks", correction="holm")
    assert geometric.score == pytest.approx(np.exp(np.log(means).mean()).to_numpy(), rel=1e-12)
