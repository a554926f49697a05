"""Posteriors as the rest of the package sees them: draws, averages, export."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import rankbars as rb
from rankbars.bayes.chains import ChainChecks

CHECKS = ChainChecks(1.004, 900.0, 0, "mean[0]", "spread[1]")


def posterior(**given: object) -> rb.Posterior:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(2, 600, 3, 2)) * 0.01 + [0.4, 0.6]
    return rb.Posterior(
        ("a", "b"), ("t0", "t1", "t2"), scores, CHECKS, {"spread": rng.random((2, 600, 2))},
        "correlated_models", diverging=np.zeros((2, 600), np.bool_), **given,  # type: ignore[arg-type]
    )  # fmt: skip


def test_averages_are_weighted_sums_of_the_draws() -> None:
    found = posterior()
    draws = found.draws({"t0": 3.0, "t2": 1.0})
    flat = found.scores.reshape(-1, 3, 2)
    assert draws.values == pytest.approx(0.75 * flat[:, 0] + 0.25 * flat[:, 2])
    assert draws.target == "weighted average score over exactly these 2 tasks"
    assert (draws.source, draws.effective) == ("posterior", 900.0)
    assert found.task_draws("t1").values == pytest.approx(flat[:, 1])
    with pytest.raises(rb.OptionError, match="Unknown task"):
        found.task_draws("t9")


def test_the_aggregate_is_a_band_with_its_checks_in_a_note() -> None:
    average = posterior().aggregate(alpha=0.1)
    assert average.score == pytest.approx([0.4, 0.6], abs=1e-3)
    assert average.high - average.low == pytest.approx(2 * 1.645 * 0.01 / 3**0.5, rel=0.1)
    assert (average.best.tolist(), average.worst.tolist()) == ([2, 1], [2, 1])
    assert average.guarantee is None
    assert not average.shown_better.any()
    assert average.dominance is not None
    assert average.dominance[1, 0] == 1.0
    (note,) = average.notes
    assert note.code == "chains"
    assert "R-hat is 1.004 at most, 900 draws are effective" in note.message


def test_lower_is_better_is_turned_around_when_it_is_shown() -> None:
    average = posterior(direction="lower").aggregate()
    assert average.score == pytest.approx([-0.4, -0.6], abs=1e-3)
    assert (average.low <= average.score).all()
    assert average.best.tolist() == [2, 1]


@pytest.mark.parametrize("weights", [{"t9": 1.0}, {"t0": -1.0}, {"t0": 0.0}, {"t0": float("nan")}])
def test_weights_are_checked(weights: dict[str, float]) -> None:
    with pytest.raises(rb.OptionError):
        posterior().draws(weights)


def test_shapes_are_checked() -> None:
    with pytest.raises(rb.DataError):
        rb.Posterior(("a",), ("t",), np.zeros((2, 5, 1, 2)), CHECKS)
    with pytest.raises(rb.DataError, match="finite"):
        rb.Posterior(("a",), ("t",), np.full((2, 5, 1, 1), np.nan), CHECKS)


def test_export_keeps_chains_names_and_other_quantities() -> None:
    found = posterior()
    tree = rb.to_arviz(found)
    score = tree["posterior"]["score"]
    assert score.dims == ("chain", "draw", "task", "model")
    assert score.sel(task="t1", model="b").values == pytest.approx(found.scores[:, :, 1, 1])
    assert tree["posterior"]["spread"].shape == (2, 600, 2)
    assert tree["sample_stats"]["diverging"].values.sum() == 0
    assert tree["posterior"].attrs["model"] == "correlated_models"


def test_export_of_averages() -> None:
    scores = rb.Scores(
        {name: rb.Estimates(("a", "b"), [0.4, 0.5], n=[40, 40]) for name in ("x", "y")}
    )
    average = rb.aggregate(scores, over="items", estimator="bayes", resamples=50)
    for result in (average, average.draws):
        tree = rb.to_arviz(result)
        assert tree["posterior"]["average"].dims == ("chain", "draw", "model")
        assert tree["posterior"]["average"].shape == (1, 50, 2)
        assert tree["posterior"].attrs["source"] == "posterior"


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "arviz_base", None)
    monkeypatch.setitem(sys.modules, "numpyro", None)
    with pytest.raises(rb.MissingPackageError, match=r"rankbars\[arviz\]"):
        rb.to_arviz(posterior())
    scores = rb.Scores({"x": rb.Estimates(("a", "b"), [0.4, 0.5], n=[40, 40])})
    with pytest.raises(rb.MissingPackageError, match=r"rankbars\[bayes\]"):
        rb.sample_posterior(scores)
    with pytest.raises(rb.MissingPackageError, match=r"rankbars\[bayes\]"):
        rb.sample_confusion({"x": {"a": [[3, 1], [2, 4]]}})
