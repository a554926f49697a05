"""Scores of confusion counts, against scikit-learn's formulas by hand and against resampling."""

from __future__ import annotations

import numpy as np
import pytest

from rankbars.stats.countscores import METRICS, binomial_se, confusion_scores

TABLE = np.array([[90.0, 10.0], [20.0, 80.0]])  # truth by answer
BY_HAND = {
    "accuracy": 170 / 200,
    "balanced_accuracy": (0.9 + 0.8) / 2,
    "f1": 160 / 190,
    "macro_f1": (160 / 190 + 180 / 210) / 2,
    "precision": 80 / 90,
    "recall": 80 / 100,
    "mcc": (80 * 90 - 10 * 20) / np.sqrt(90 * 100 * 110 * 100),
}


@pytest.mark.parametrize("metric", sorted(METRICS))
def test_scores_are_those_by_hand_and_errors_those_of_new_samples(metric: str) -> None:
    rng = np.random.default_rng(0)
    found = confusion_scores(TABLE, metric)
    assert found.score == pytest.approx(BY_HAND[metric])
    drawn = rng.multinomial(200, TABLE.ravel() / 200, size=20_000).reshape(-1, 2, 2)
    assert found.se == pytest.approx(METRICS[metric](drawn / 200.0).std(), rel=0.03)


def test_a_perfect_score_has_an_error_and_a_score_of_nothing_is_none() -> None:
    tables = np.array([[[50.0, 0.0], [0.0, 50.0]], [[80.0, 0.0], [0.0, 0.0]]])
    accuracy = confusion_scores(tables, "accuracy")
    np.testing.assert_allclose(accuracy.se[0], binomial_se(np.array([1.0]), np.array([100])))
    f1 = confusion_scores(tables, "f1")
    assert f1.score[0] == 1.0
    assert f1.se[0] > 0.01
    assert np.isnan([f1.score[1], f1.se[1]]).all()


def test_f1_does_not_depend_on_true_negatives() -> None:
    for score, other in zip(
        confusion_scores(np.array([[0.0, 10.0], [20.0, 80.0]]), "f1"),
        confusion_scores(TABLE, "f1"),
        strict=True,
    ):
        assert score == pytest.approx(other)


def test_tables_of_three_classes_have_all_scores() -> None:
    rng = np.random.default_rng(1)
    counts = rng.integers(5, 60, size=(3, 3)).astype(float)
    own = [2 * counts[k, k] / (counts[k].sum() + counts[:, k].sum()) for k in range(3)]
    assert confusion_scores(counts, "macro_f1").score == pytest.approx(np.mean(own))
    assert confusion_scores(counts, "f1").score == pytest.approx(own[-1])
    drawn = rng.multinomial(int(counts.sum()), counts.ravel() / counts.sum(), size=20_000)
    spread = METRICS["mcc"](drawn.reshape(-1, 3, 3) / counts.sum()).std()
    assert confusion_scores(counts, "mcc").se == pytest.approx(spread, rel=0.03)
