"""What tables say of models beside their scores is kept by model, and is no score."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pandas as pd
import pytest
from commandline import answer

import rankbars as rb

LEADERS = """\
Model,Organization,License,Params (B),MMLU,GSM8K,ARC,Average,Latency (s),Remarks
ash,Meta,,8,66.1,79.6,60.0,68.6,1.2,see the appendix
oak,Alibaba,Apache-2.0,7,70.5,82.3,61.1,71.3,0.9,see the appendix
elm,Mistral AI,Apache-2.0,7,62.5,52.2,60.3,58.3,0.8,see the appendix
"""
KNOWN = {
    "ash": {"Organization": "Meta", "Params (B)": "8", "Latency (s)": "1.2"},
    "oak": {
        "Organization": "Alibaba",
        "License": "Apache-2.0",
        "Params (B)": "7",
        "Latency (s)": "0.9",
    },
    "elm": {
        "Organization": "Mistral AI",
        "License": "Apache-2.0",
        "Params (B)": "7",
        "Latency (s)": "0.8",
    },
}


@pytest.fixture
def leaders(tmp_path: Path) -> Path:
    path = tmp_path / "leaders.csv"
    path.write_text(LEADERS)
    return path


def test_columns_that_describe_models_are_kept_with_the_board(
    leaders: Path, tmp_path: Path
) -> None:
    scores = rb.read(leaders)
    assert scores.attributes == KNOWN
    assert rb.Scores.from_frame(pd.read_csv(leaders)).attributes == KNOWN
    board = rb.leaderboard(scores)
    path = tmp_path / "board.json"
    board.save(path)
    assert json.loads(path.read_text())["attributes"] == KNOWN
    assert rb.load(path).attributes == KNOWN


def test_attributes_follow_their_models(leaders: Path) -> None:
    scores = rb.read(leaders)
    assert scores.select(models=["oak"]).attributes == {"oak": KNOWN["oak"]}
    assert scores.rename(models={"ash": "yew"}).attributes["yew"] == KNOWN["ash"]
    assert (scores | scores.rename(tasks={"ARC": "arc"}).select(tasks=["arc"])).attributes == KNOWN
    assert pickle.loads(pickle.dumps(scores)).attributes == KNOWN


def test_models_that_lack_a_task_keep_theirs(leaders: Path) -> None:
    leaders.write_text(LEADERS.replace("52.2", "").replace("58.3", "61.4"))
    board = rb.leaderboard(rb.read(leaders))
    assert board.partly is not None
    assert board.attributes == KNOWN


def test_a_store_keeps_them(leaders: Path, tmp_path: Path) -> None:
    store = str(tmp_path / "s.duckdb")
    answer(["add", str(leaders), "--store", store])
    answer(["rename", "--model", "ash", "yew", "--store", store])
    board = tmp_path / "board.json"
    assert answer(["rank", store, "-q", "-o", str(board)]).code == 0
    assert rb.load(board).attributes == {"yew" if k == "ash" else k: v for k, v in KNOWN.items()}


def test_rows_of_amounts_and_columns_that_are_not_chosen_are_kept(tmp_path: Path) -> None:
    turned = tmp_path / "turned.csv"
    turned.write_text("task,a,b\nMMLU,66,70\nGSM8K,79,82\nLatency (s),1.2,0.9\n")
    assert rb.read(turned).attributes == {"a": {"Latency (s)": "1.2"}, "b": {"Latency (s)": "0.9"}}
    kinds = tmp_path / "kinds.csv"
    kinds.write_text("model,gsm8k_acc,mmlu_acc,gsm8k_latency_s,ece\na,.5,.6,10,.02\nb,.4,.5,9,.1\n")
    found = rb.read(kinds, metric=["gsm8k_acc", "mmlu_acc"])
    assert found.attributes["a"] == {"gsm8k_latency_s": "10", "ece": ".02"}
    assert list(found.tasks) == ["gsm8k_acc", "mmlu_acc"]


def test_what_differs_between_rows_of_a_model_is_none_of_it(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    rows = [
        f"{model},{licence},q{n},{n % 2},{n / 7}"
        for model, licence in (("a", "mit"), ("b", "apache"))
        for n in range(20)
    ]
    path.write_text("\n".join(["model,license,item,score,latency_s", *rows]))
    scores = rb.read(path)
    assert scores.attributes == {"a": {"license": "mit"}, "b": {"license": "apache"}}


def test_logs_whose_amounts_are_nested_are_read(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    rows = [
        {"model": model, "item": n, "score": n % 2, "tokens": {"in": n, "out": 2}, "size": "7B"}
        for model in ("a", "b")
        for n in range(20)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert rb.read(path).attributes == {"a": {"size": "7B"}, "b": {"size": "7B"}}


def test_csv_of_a_board_has_a_column_for_each(leaders: Path) -> None:
    found = rb.leaderboard(rb.read(leaders)).to_frame("pandas")
    assert "License" not in found.columns  # a frame has numbers of the board only
    from rankbars.render.exports import render_csv

    head, first, *_ = render_csv(rb.leaderboard(rb.read(leaders))).splitlines()
    assert head.endswith("Organization,Params (B),Latency (s),License")
    assert first.endswith("Alibaba,7,0.9,Apache-2.0")
