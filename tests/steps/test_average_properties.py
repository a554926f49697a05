"""Every combination of options gives a sound average or says why it cannot."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from strategies import score_tables

import rankbars as rb
from rankbars.data.boardfile import board_json
from rankbars.data.boardreading import board_from_dict
from rankbars.steps.average.averagechoices import ESTIMATORS
from rankbars.steps.average.averagemethods import METHODS
from rankbars.steps.average.scales import NORMALISATIONS


@st.composite
def described_scores(draw: st.DrawFn) -> rb.Scores:
    """Small coarse tables: items, gaps, or published scores, with all that can be declared."""
    scores = draw(score_tables(max_models=4, max_tasks=4).filter(lambda s: len(s.tasks) > 1))
    kind = draw(st.sampled_from(("items", "shares", "estimates", "counts", "gaps")))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    tasks: dict[str, rb.Items | rb.Estimates] = {}
    for name, task in scores.tasks.items():
        values = task.values if isinstance(task, rb.Items) else np.zeros((1, 1))
        if kind in ("shares", "counts"):
            values = (values > 0).astype(float)
        if kind == "gaps":
            values = np.where(rng.random(values.shape) < 0.1, np.nan, values)
        mean, count = values.mean(axis=0), len(values)
        if kind == "estimates":
            tasks[name] = rb.Estimates(task.models, mean, se=rng.random(mean.size) / 10)
        elif kind == "counts":
            tasks[name] = rb.Estimates(task.models, mean, n=np.full(mean.size, count))
        else:
            tasks[name] = rb.Items(task.models, values)
    return rb.Scores(
        tasks,
        {
            name: rb.TaskInfo(
                category=f"c{i % 2}", family=f"f{i % 3}", minimum=-9.0, maximum=9.0, chance=-5.0,
                weight=float(draw(st.sampled_from((1, 1, 2)))),
            )
            for i, name in enumerate(tasks)
        },
    )  # fmt: skip


@settings(max_examples=200)
@given(
    scores=described_scores(),
    over=st.sampled_from(("auto", "items", "tasks", "families")),
    estimator=st.sampled_from(("auto", *ESTIMATORS)),
    method=st.sampled_from(("auto", *METHODS)),
    normalise=st.sampled_from((None, *NORMALISATIONS)),
    correction=st.sampled_from(("holm", "maxt", "none", "bootstrap_band", "simes")),
    scope=st.sampled_from(("each", "all")),
)
def test_any_choice_gives_a_sound_average_or_a_reason(
    scores: rb.Scores,
    over: str,
    estimator: str,
    method: str,
    normalise: str | None,
    correction: str,
    scope: str,
) -> None:
    try:
        found = rb.aggregate(
            scores,
            over=over,
            estimator=estimator,
            method=method,
            normalise=normalise,
            correction=correction,
            scope=scope,
            resamples=40,
        )
    except rb.RankbarsError:
        return
    size = len(found.models)
    known = ~np.isnan(found.score)
    constant = next((n.models for n in found.notes if n.code == "constant-score"), ())
    unsure = np.isin(found.models, constant)
    assert (np.isnan(found.low) == np.isnan(found.high)).all()
    assert np.isnan(found.low[unsure]).all()
    ended = known & ~np.isnan(found.low)
    assert (found.low[ended] <= found.high[ended]).all()
    for values in (found.score[known], found.low[ended], found.high[ended]):
        assert ((values >= found.bounds[0]) & (values <= found.bounds[1])).all()
    assert found.target
    assert ((found.best >= 1) & (found.best <= found.worst) & (found.worst <= size)).all()
    assert (found.worst[~known] == size).all()
    assert not (found.shown_better & found.shown_better.T).any()
    if found.rank_probability is not None and known.any():
        inside = found.rank_probability[known]
        assert inside.sum(axis=1) == pytest.approx(1.0)
        assert inside.sum(axis=0)[: known.sum()] == pytest.approx(1.0)
    if found.contrasts is not None:
        assert found.contrasts.low == pytest.approx(-found.contrasts.high.T, nan_ok=True)


@settings(max_examples=60)
@given(
    scores=described_scores(),
    over=st.sampled_from(("auto", "tasks", "families")),
    method=st.sampled_from(("auto", *METHODS)),
)
def test_boards_with_any_average_survive_their_file(
    scores: rb.Scores, over: str, method: str
) -> None:
    spec = rb.Spec(over=over, method=method, resamples=20, missing="bounds")
    try:
        board = rb.leaderboard(scores, spec=spec)
    except rb.RankbarsError:
        return
    text = board_json(board)
    assert board_json(board_from_dict(json.loads(text))) == text


def test_head_to_head_over_families_is_the_paired_t_on_family_means() -> None:
    rows = np.random.default_rng(3).normal(size=(13, 2)) + [0.0, 0.4]
    names = [f"t{i:02}" for i in range(13)]
    scores = rb.Scores(
        {name: rb.Estimates(("a", "b"), row) for name, row in zip(names, rows, strict=True)},
        {name: rb.TaskInfo(family=f"f{i % 6}") for i, name in enumerate(names)},
    )
    duel = rb.head_to_head(scores, "b", "a", over="families", test="z").average
    means = np.array([rows[k::6].mean(axis=0) for k in range(6)])
    low, high = stats.ttest_rel(means[:, 1], means[:, 0]).confidence_interval(0.95)
    assert duel is not None
    assert (duel.low, duel.high) == pytest.approx((low, high))
    assert duel.n == 6
    assert "families" in duel.name
