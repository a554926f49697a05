"""How the error rate of a new-task interval is spent."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import validity

import rankbars as rb
from rankbars.demos import DEMOS, demo_path
from rankbars.simulate.coverages import covers
from rankbars.simulate.levels import pool_intervals, pool_scores
from rankbars.simulate.populations import Design, true_rank_sets
from rankbars.stats.newtask.guarantees import split_budget
from rankbars.steps.prediction import predict_within

GOLDEN = validity("new_task_split")
RATES = st.integers(1, 99).map(lambda per_cent: Fraction(per_cent, 100))


@pytest.mark.parametrize("row", GOLDEN["rows"], ids=lambda row: str(row["tasks"]))
def test_the_split_of_the_usual_rates(row):
    budget = split_budget(row["tasks"], GOLDEN["alpha_overall"], GOLDEN["alpha"])
    assert budget.need == row["need"]
    assert float(budget.side) == pytest.approx(row["side_level"], rel=1e-9)
    kept = 1 - Fraction(budget.need, row["tasks"] + 1) / (1 - budget.side)
    assert float(kept) == pytest.approx(row["guarantee"], rel=1e-9)


@given(n_tasks=st.integers(1, 300), overall=RATES, alpha=RATES)
def test_the_guarantee_is_never_below_the_nominal_one(n_tasks, overall, alpha):
    budget = split_budget(n_tasks, overall, alpha)
    nominal = 1 - overall / (1 - alpha / 2)
    assert 1 - Fraction(budget.need, n_tasks + 1) / (1 - budget.side) >= nominal
    assert 0 <= budget.need <= n_tasks
    assert 0 < budget.side < Fraction(1, 2)
    # Nothing can be said where nothing could be said before, and something where something could.
    assert (budget.need == 0) == (math.floor(overall * (n_tasks + 1)) == 0)


def test_a_split_needs_a_task():
    with pytest.raises(rb.DataError, match="at least one task"):
        split_budget(0, 0.2, 0.05)


def at_their_level(intervals):
    """Rows of the design are normal, so that t holds its level, however skewed ten of them look."""
    return [
        replace(one, approximate=False, measured_level=None, guarantee=1 - one.alpha,
                side_level=one.alpha / 2)
        for one in intervals
    ]  # fmt: skip


@pytest.mark.parametrize("ties", [0.0, 0.5])
def test_coverage_on_a_new_task(ties):
    """The published design; 100 draws of 14 tasks, 40 new tasks each, at the guarantee .795."""
    design = Design(n_models=10, n_rows=10, sigma=0.7, ties=ties)
    truth = pool_scores(design)[:300]
    budget = split_budget(14, 0.2, 0.05)
    made = pool_intervals(design, truth, (budget.alpha_task, 0.05), seed=0)
    made = {level: at_their_level(intervals) for level, intervals in made.items()}
    sets = true_rank_sets(truth)
    rng = np.random.default_rng(0)
    shares, widths = [], []
    for _ in range(100):
        drawn = rng.choice(len(truth), 54, replace=False)
        wide, narrow = (
            {f"{i:03d}": made[level][i] for i in drawn[:14]} for level in (0.05, budget.alpha_task)
        )
        new = predict_within(narrow, budget, 0.2, observed=narrow)
        assert new.guarantee == pytest.approx(0.7948717948717948, rel=1e-12)
        rest = type(sets)(sets.best[drawn[14:]], sets.worst[drawn[14:]])
        shares.append(covers(new.best, new.worst, rest).mean(axis=0))
        widths.append((new.width.mean(), rb.predict(wide, alpha=0.2).width.mean()))
    shares = np.array(shares)
    error = shares.std(axis=0, ddof=1) / 10
    assert (shares.mean(axis=0) >= 0.7949 - 3 * error).all()
    ours, before = np.mean(widths, axis=0)
    assert ours < before


@pytest.mark.parametrize(
    ("name", "models", "before", "now"),
    [("mmlu_pro", 28, 11.50, 9.64), ("tabarena", 11, 10.0, 9.64)],
)
def test_real_boards_are_as_wide_as_the_page_says(name, models, before, now):
    """With Holm, on complete rows; of MMLU-Pro without the run that lacks 1,681 answers."""
    demo = DEMOS[name]
    options = {} if demo.rows is None else {"rows": demo.rows, "folds": demo.folds}
    scores = rb.read(demo_path(demo), direction=demo.direction, **options)
    if name == "mmlu_pro":
        scores = scores.select(models=[m for m in scores.models if m != "DeepSeek-Coder-V2"])
        scores = rb.Scores.from_arrays(
            {task: one.values[~np.isnan(one.values).any(1)] for task, one in scores.tasks.items()},
            list(scores.models),
        )
    board = rb.leaderboard(
        scores, correction="holm", scope="each", over="none", missing="drop_models"
    )
    scores = scores.select(models=list(board.models))
    assert len(board.models) == models
    by_task = rb.rank(rb.compare(scores), correction="holm", scope="each", alpha=0.05)
    at_95 = rb.predict(by_task, alpha=0.2)
    assert round(float(at_95.width.mean()), 2) == before
    assert round(float(board.overall.width.mean()), 2) == now
