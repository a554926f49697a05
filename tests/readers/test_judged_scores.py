"""What judges write beside a score: words for it, reasons, what it took."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rankbars as rb

ITEMS = range(30)


def write(path: Path, header: str, rows: list[str]) -> Path:
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def judged(path: Path, words: tuple[str, str]) -> Path:
    return write(path, "item,label,score,explanation",
                 [f"q{k},{words[k % 3 == 0]},{int(k % 3 == 0)},so" for k in ITEMS])  # fmt: skip


def test_a_label_that_says_what_should_not_be_asks_for_the_side(tmp_path: Path) -> None:
    path = judged(tmp_path / "a.csv", ("factual", "hallucinated"))
    with pytest.raises(rb.errors.DataError, match="'label' says 'hallucinated'"):
        rb.read(path)
    (info,) = rb.read(path, direction="lower").info.values()
    assert info.direction == "lower"


def test_a_label_that_praises_asks_nothing(tmp_path: Path) -> None:
    scores = rb.read(judged(tmp_path / "a.csv", ("hallucinated", "factual")))
    assert scores.models == ("a",)


def test_neither_labels_nor_reasons_are_offered_as_models(tmp_path: Path) -> None:
    rows = [f"s{k},{'ab'[k % 3 == 0]},{int(k % 3 == 0)},{'yes it is' if k % 2 else 'no'}"
            for k in ITEMS]  # fmt: skip
    path = write(tmp_path / "a.csv", "context.span_id,label,score,explanation", rows)
    with pytest.raises(rb.errors.DataError) as raised:
        rb.read(path)
    assert "--column item=context.span_id --column score=score" in str(raised.value)
    assert "model=" not in str(raised.value)


@pytest.mark.parametrize("grade", ["rating", "helpfulness", "quality", "stars"])
@pytest.mark.parametrize("amount", ["latency_ms", "cost", "tokens", "lead_time"])
def test_a_grade_beside_what_it_took_is_asked_about(
    tmp_path: Path, grade: str, amount: str
) -> None:
    rows = [f"q{k},{name},{k % 5},{100 + k}" for k in ITEMS for name in "ab"]
    path = write(tmp_path / "a.csv", f"item,model,{grade},{amount}", rows)
    with pytest.raises(rb.errors.DataError, match=f"--column score={grade}"):
        rb.read(path)
    assert rb.read(path, columns={"score": grade}).models == ("a", "b")


@pytest.mark.parametrize("between", ["_", " ", "."])
def test_systems_may_have_metrics_of_several_words(tmp_path: Path, between: str) -> None:
    metrics = ("correctness", "total_tokens", "latency (s)")
    header = ["id", *(f"{name}{between}{metric}" for name in ("gpt-4", "gpt-4-mini")
                      for metric in metrics)]  # fmt: skip
    rows = [f"q{k},{k % 2},90,1.5,{k % 3 == 0:d},80,0.5" for k in ITEMS]
    path = write(tmp_path / "a.csv", ",".join(header), rows)
    with pytest.raises(rb.errors.DataError, match="--metric correctness"):
        rb.read(path)
    scores = rb.read(path, metric="correctness")
    assert scores.models == ("gpt-4", "gpt-4-mini")


def test_thumbs_are_right_and_wrong(tmp_path: Path) -> None:
    rows = [f"q{k},{name},{'👍' if k % 3 else '👎'}" for k in ITEMS for name in "ab"]
    path = write(tmp_path / "a.csv", "item,model,thumbs", rows)
    (task,) = rb.read(path).tasks.values()
    assert task.values.mean() == pytest.approx(2 / 3)


@pytest.mark.parametrize("metric", ["noise_sensitivity(mode=relevant)", "prompt_sensitivity"])
def test_sensitivity_to_noise_is_no_recall(tmp_path: Path, metric: str) -> None:
    rows = [f"why {k},it,ref,0.{k:02}" for k in ITEMS]
    path = write(tmp_path / "a.csv", f"user_input,response,reference,{metric}", rows)
    with pytest.raises(rb.errors.DataError, match="usually lower-is-better"):
        rb.read(path)


def test_faithfulness_is_better_where_it_is_more(tmp_path: Path) -> None:
    rows = [f"why {k},it,ref,0.{k:02}" for k in ITEMS]
    path = write(tmp_path / "a.csv", "user_input,response,reference,faithfulness", rows)
    (info,) = rb.read(path).info.values()
    assert info.direction == "higher"


def test_tables_of_mlflow_are_read_as_csv_too(tmp_path: Path) -> None:
    rows = [f'"what, {k}",ref,out,{k % 2},{json.dumps("so, so")}' for k in ITEMS]
    header = "inputs,ground_truth,outputs,exact_match/v1/score,exact_match/v1/justification"
    scores = rb.read(write(tmp_path / "a.csv", header, rows))
    (task,) = scores.tasks.values()
    assert task.values.mean() == 0.5
