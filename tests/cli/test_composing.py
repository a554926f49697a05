"""Several metrics from the command line: as one, ``--composite``, or beside, ``--also``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commandline import Command

import rankbars as rb

SE = 0.0006**0.5  # of the second task: the covariance of the page of averages
LINES = ["model,task,score,se"] + [
    line
    for model, math, code in (("fir", 0.71, 0.64), ("oak", 0.66, 0.61), ("yew", 0.60, 0.55))
    for line in (f"{model},math,{math},0.02", f'{model},"co,de",{code},{SE}')
]
PARTS = ("--composite", "math=1", "--composite", "co,de=1")


@pytest.fixture(autouse=True)
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_text("\n".join(LINES) + "\n", encoding="utf-8")


def test_correlated_errors_widen_the_interval_of_the_sum(rankbars: Command) -> None:
    declared = f"math,co,de={3 / 24**0.5}"  # 3e-4 over the root of 4e-4 times 6e-4
    answer = rankbars("rank", "scores.csv", *PARTS, "--task-correlation", declared, "-o", "b.json")
    assert answer.code == 0, answer.err
    assert "correlation of errors declared: math and co,de 0.612" in answer.err
    assert rankbars("rank", "scores.csv", *PARTS, "-o", "alone.json").code == 0
    for path, se in (("b.json", 0.02), ("alone.json", 0.0158113883)):
        task = rb.load(path).tasks["composite"]
        assert task.mean == pytest.approx(np.array([0.675, 0.635, 0.575]))
        low, high = task.score_interval()
        assert (high - low) / (2 * 1.959964) == pytest.approx(np.full(3, se), rel=1e-5)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--composite", "math"), "must look like TASK=WEIGHT"),
        (("--composite", "math=1:0"), "must look like TASK=WEIGHT"),
        (("--composite", "math=1", "--composite", "math=2"), "given twice"),
        (("--task-correlation", "math,co,de=0.1"), "--composite; name them"),
        ((*PARTS, "--task-correlation", "math=0.1"), "must name two tasks of --composite"),
        ((*PARTS, "--task-correlation", "math,art=0.1"), "two tasks of --composite: math, co,de"),
        ((*PARTS, "--also", "f1"), "Leave them out"),
        ((*PARTS, "--by-reference"), "sums rows"),
        (("--composite", "math=1"), "two tasks or more"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(
    rankbars: Command, words: tuple[str, ...], message: str
) -> None:
    answer = rankbars("rank", "scores.csv", *words, "-o", "b.json")
    assert answer.code in (1, 2)
    assert message in answer.err
    assert not Path("b.json").exists()


def test_the_side_of_a_metric_beside_is_declared_or_said(rankbars: Command) -> None:
    rows = [f"{model},q{item},{item % (2 + k)},{5 + 40 * k + item % 3},{1 + k + item % 2}"
            for k, model in enumerate("ab") for item in range(20)]  # fmt: skip
    Path("calls.csv").write_text("model,item,score,value,cost_usd\n" + "\n".join(rows) + "\n")

    def order(*words: str) -> tuple[list[int], str]:
        answer = rankbars("rank", "calls.csv", "--also", "value", *words, "-o", "b.json")
        assert answer.code == 0, answer.err
        return json.loads(Path("b.json").read_text())["also"][0]["best"], answer.err

    best, said = order()
    assert best == [2, 1]
    assert "--also value: Direction: higher is better" in said
    assert "if not: --direction value=lower" in said
    best, said = order("--direction", "value=lower", "--cost", "cost_usd")
    assert best == [1, 2]
    assert "--also value" not in said
    assert order("--cost", "cost_usd", "--direction", "cost_usd=lower")[0] == [2, 1]
    assert order("--column", "score=score")[0] == [2, 1]
    words = ("--cost", "cost_usd", "--direction", "cost_usd=higher")
    assert "less is better" in rankbars("rank", "calls.csv", *words).err


def test_several_metrics_that_are_named_lead_to_one_and_others_beside_it(
    rankbars: Command,
) -> None:
    rows = [f"{model},q{item},{item % (2 + k)},{item % (3 + k)}"
            for k, model in enumerate("ab") for item in range(20)]  # fmt: skip
    Path("mt.csv").write_text("model,item,comet,chrf\n" + "\n".join(rows) + "\n")
    line = "--metric comet --also chrf"
    for words in (("--metric", "comet,chrf"), ("--metric", "comet", "--metric", "chrf")):
        answer = rankbars("rank", "mt.csv", *words)
        assert (answer.code, line in answer.err) == (1, True), answer.err
    assert rankbars("rank", "mt.csv", *line.split()).code == 0


def test_a_column_that_is_named_is_not_called_after_its_file(rankbars: Command) -> None:
    rows = [f"{model},q{item},{int(item % (2 + k) > 0)},{1 + k + item % 2}"
            for k, model in enumerate("ab") for item in range(20)]  # fmt: skip
    Path("cost.csv").write_text("model,item,correct,usd\n" + "\n".join(rows) + "\n")
    answer = rankbars("rank", "cost.csv", "--cost", "usd", "-o", "b.json")
    assert answer.code == 0, answer.err
    assert json.loads(Path("b.json").read_text())["front"]["metric"] == "usd"
