"""Tables of confusion counts are read as the score that is asked for, with its error."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankbars as rb
from rankbars.stats.countscores import confusion_scores

FOUR = [("a", "x", 80, 10, 20, 90), ("b", "x", 70, 15, 30, 85), ("a", "y", 50, 9, 10, 131),
        ("b", "y", 20, 5, 40, 135)]  # fmt: skip


def write(folder: Path, header: str, rows: list[tuple[object, ...]]) -> str:
    path = folder / "counts.csv"
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return str(path)


def expected(metric: str) -> dict[str, list[tuple[float, float]]]:
    """Score and error of a and b on each task."""
    made: dict[str, list[tuple[float, float]]] = {"x": [], "y": []}
    for _, task, tp, fp, fn, tn in FOUR:
        found = confusion_scores(np.array([[tn, fp], [fn, tp]], dtype=float), metric)
        made[task].append((found.score.item(), found.se.item()))
    return made


def check(scores: rb.Scores, metric: str) -> None:
    for task, cells in expected(metric).items():
        found = scores.tasks[task]
        assert isinstance(found, rb.Estimates)
        np.testing.assert_allclose(np.column_stack([found.mean, found.se]), cells)
        assert scores.info[task].metric == metric


@pytest.mark.parametrize("metric", ["f1", "mcc", "accuracy"])
@pytest.mark.parametrize(
    "names", ["tp,fp,fn,tn", "TP,FP,FN,TN", "true_positives,false_positives,FN,true negatives"]
)
def test_counts_of_two_classes_make_the_score_that_is_asked_for(
    metric: str, names: str, tmp_path: Path
) -> None:
    scores = rb.read(write(tmp_path, f"model,task,{names}", list(FOUR)), metric=metric)
    check(scores, metric)
    assert any("with the error of independent items" in note.message for note in scores.notes)
    n = scores.tasks["x"].n  # type: ignore[union-attr]
    assert (n is not None) == (metric == "accuracy")  # other scores are no shares of items


def test_counts_of_truth_by_answer_make_the_same(tmp_path: Path) -> None:
    rows = [
        (model, task, truth, answer, count)
        for model, task, tp, fp, fn, tn in FOUR
        for truth, answer, count in
        (("yes", "yes", tp), ("no", "yes", fp), ("yes", "no", fn), ("no", "no", tn))
    ]  # fmt: skip
    path = write(tmp_path, "model,task,truth,prediction,count", list(rows))
    scores = rb.read(path, metric="f1")
    check(scores, "f1")
    assert any("of the class 'yes'" in note.message for note in scores.notes)


def test_counts_without_a_metric_ask_for_one_and_other_tables_are_left_alone(
    tmp_path: Path,
) -> None:
    path = write(tmp_path, "model,task,tp,fp,fn,tn", list(FOUR))
    for options in ({}, {"metric": "wer"}):
        with pytest.raises(rb.DataError, match="--metric f1, or one of accuracy"):
            rb.read(path, **options)
    no_tn = write(tmp_path, "model,task,tp,fp,fn", [row[:5] for row in FOUR])
    with pytest.raises(rb.DataError, match="--metric f1, or one of precision, recall"):
        rb.read(no_tn, metric="accuracy")
    for header in ("model,task,score,tp,fp,fn,tn", "model,task,score,label,answer,n,tn"):
        rows = [(*row[:2], 0.5, *row[2:]) for row in FOUR]
        known = rb.read(write(tmp_path, header, rows), metric="f1").tasks["x"]
        assert known.mean.tolist() == [0.5, 0.5]  # type: ignore[union-attr]
    scored = write(tmp_path, "model,task,f1,tp,fp,fn,tn", [(*r[:2], 0.5, *r[2:]) for r in FOUR])
    assert rb.read(scored, metric="f1").tasks["x"].mean.tolist() == [0.5, 0.5]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (("c", "x", 0, 0, 0, 0), "not defined for c, x: all counts are 0"),
        (("c", "x", 0, 0, 0, 9), "not defined for c, x: a class it needs never came up"),
        (("c", "x", 1.5, 0, 0, 9), "row 6: tp must be a count"),
        (("c", "x", -1, 0, 0, 9), "row 6: tp must be a count"),
        (("c", "x", "?", 0, 0, 9), "row 6: tp must be a count"),
    ],
)
def test_counts_that_are_none_are_refused(
    row: tuple[object, ...], words: str, tmp_path: Path
) -> None:
    path = write(tmp_path, "model,task,tp,fp,fn,tn", [*FOUR, row])
    with pytest.raises(rb.DataError, match=words):
        rb.read(path, metric="f1")


def test_a_truth_of_one_class_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "model,truth,answer,count", [("a", "yes", "yes", 3)])
    with pytest.raises(rb.DataError, match="one class"):
        rb.read(path, metric="f1")
