"""Data frames of a mean per model are read as files of the same columns are."""

from __future__ import annotations

import pandas as pd
import pytest

import rankbars as rb
from rankbars.data.evidence import Estimates

FRAME = pd.DataFrame({
    "model": ["a"] * 4 + ["b"] * 4,
    "score": [1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0],
})  # fmt: skip


def estimates(frame: pd.DataFrame) -> Estimates:
    direction = "higher" if "mean" in frame.columns else {}
    (found,) = rb.Scores.from_frame(frame, direction=direction).tasks.values()
    assert isinstance(found, Estimates)
    return found


@pytest.mark.parametrize("statistics", [["mean", "sem"], ["mean", "std", "count"]])
def test_a_grouped_frame_gives_means_and_their_errors(statistics: list[str]) -> None:
    grouped = FRAME.groupby("model").score
    for frame in (grouped.agg(statistics), grouped.agg(statistics).reset_index()):
        found = estimates(frame)
        assert found.mean.tolist() == [0.75, 0.25]
        assert found.se is not None
        assert found.se.tolist() == pytest.approx(grouped.sem().tolist(), abs=1e-12)


def test_right_answers_of_a_total_are_a_share_with_a_binomial_error() -> None:
    found = estimates(
        pd.DataFrame({"model": ["a", "b"], "correct": [92, 150], "total": [100, 300]})
    )
    assert found.mean.tolist() == [0.92, 0.5]
    assert found.se is not None
    assert found.se.tolist() == pytest.approx(
        [(0.92 * 0.08 / 100) ** 0.5, (0.25 / 300) ** 0.5], abs=1e-12
    )
