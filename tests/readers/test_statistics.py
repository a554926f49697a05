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


@pytest.mark.parametrize(
    ("spoilt", "problem"),
    [
        ({"correct": [92, float("inf")]}, "the score is infinite"),
        ({"total": [100, float("inf")]}, "n must be a whole number, 0 or more"),
    ],
)
def test_an_infinite_count_is_named_with_its_row(
    spoilt: dict[str, list[float]], problem: str
) -> None:
    counts = {"model": ["a", "b"], "correct": [92, 150], "total": [100, 300], **spoilt}
    with pytest.raises(rb.DataError, match=rf"row 2 \(model 'b'.*\): {problem}"):
        rb.Scores.from_frame(pd.DataFrame(counts))


COUNTS = pd.DataFrame({
    "build": ["b1", "b1", "b2", "b2"], "suite": ["rag", "sql"] * 2,
    "trials": [150, 100, 150, 100], "successes": [121, 71, 131, 75],
    "p95_ms": [2479, 3094, 2937, 2800], "cost_usd": [2.79, 3.14, 2.42, 2.9],
})  # fmt: skip


@pytest.mark.parametrize(
    ("right", "total"),
    [("passed", "n"), ("correct", "total"), ("successes", "trials"), ("pass", "fail")],
)
@pytest.mark.parametrize("named", ["nothing", "score", "metric", "both"])
def test_counts_of_builds_on_suites_are_shares_however_they_are_named(
    right: str, total: str, named: str
) -> None:
    counts = COUNTS.rename(columns={"successes": right, "trials": total})
    if total == "fail":
        counts["fail"] -= counts["pass"]
        named = named.replace("both", "score")
    roles = {"model": "build", "task": "suite"}
    with pytest.raises(rb.DataError, match=f"'{right}' seems to count right answers beside"):
        rb.Scores.from_frame(counts)
    roles |= {"score": right} if named in ("score", "both") else {}
    roles |= {"n": total} if named == "both" else {}
    scores = rb.Scores.from_frame(
        counts, columns=roles, metric=right if named == "metric" else None
    )
    for task, (one, other), n in (("rag", (121, 131), 150), ("sql", (71, 75), 100)):
        found = scores.tasks[task]
        assert isinstance(found, Estimates)
        assert found.mean.tolist() == [one / n, other / n]
        assert found.se is not None
        by_hand = [(k / n * (1 - k / n) / n) ** 0.5 for k in (one, other)]
        assert found.se.tolist() == pytest.approx(by_hand, rel=0.02)


def test_percentages_that_the_caller_names_beside_a_count_stay_percentages() -> None:
    shares = COUNTS.assign(correct=[80, 71, 87, 75], n=[150, 100, 150, 100])
    roles = {"model": "build", "task": "suite", "score": "correct", "n": "n"}
    found = rb.Scores.from_frame(shares, columns=roles).tasks["rag"]
    assert isinstance(found, Estimates)
    assert found.mean.tolist() == [80, 87]


def test_of_several_numbers_none_is_offered_as_the_score() -> None:
    rows = pd.DataFrame({
        "ts": ["2026-11-26T01:10:00Z"] * 80, "build": ["b1"] * 40 + ["b2"] * 40,
        "suite": (["rag"] * 20 + ["sql"] * 20) * 2, "case": [f"c{i % 40:02}" for i in range(80)],
        "quality": [i % 3 % 2 for i in range(80)],
        "latency_ms": [900 + i % 7 for i in range(80)],
        "usd": [0.01 + i % 5 / 100 for i in range(80)],
    })  # fmt: skip
    with pytest.raises(rb.DataError) as caught:
        rb.Scores.from_frame(rows)
    said = str(caught.value)
    assert "which may be 'quality', 'latency_ms', 'usd'" in said
    roles = {"model": "build", "task": "suite", "item": "case"}
    assert f"columns={roles!r}, metric='NAME'" in said
    scores = rb.Scores.from_frame(rows, columns=roles, metric="quality")
    assert {name: task.values.shape for name, task in scores.tasks.items()} == {
        "rag": (20, 2), "sql": (20, 2)
    }  # fmt: skip
