"""Boards as records of Every Eval Ever, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from commandline import Command

import rankbars as rb


def test_show_writes_a_store_that_reads_back(
    rankbars: Command, results: str, tmp_path: Path
) -> None:
    assert rankbars("rank", results, "-o", "board.json", "--quiet").code == 0
    done = rankbars("show", "board.json", "--format", "eee", "-o", "store")
    assert (done.code, done.out) == (0, "")
    assert done.err.count(".json") == 3
    board, scores = rb.load("board.json"), rb.read("store")
    assert scores.models == board.models
    for name, task in board.tasks.items():
        found = scores.tasks[name]
        assert isinstance(found, rb.Estimates)
        np.testing.assert_array_equal(found.mean, task.mean)
        np.testing.assert_array_equal(found.se, task.se)


def test_without_a_folder_there_is_one_record_per_line(rankbars: Command, results: str) -> None:
    rankbars("rank", results, "-o", "board.json", "--quiet")
    lines = rankbars("show", "board.json", "--format", "eee").out.splitlines()
    assert [json.loads(line)["model_info"]["id"] for line in lines] == ["m0", "m1", "m2"]


def test_a_folder_is_for_records_only(rankbars: Command, results: str) -> None:
    rankbars("rank", results, "-o", "board.json", "--quiet")
    for words in (("--format", "csv"), ("--format", "eee", "--task", "t0"), ()):
        answer = rankbars("show", "board.json", *words, "-o", "store")
        assert answer.code == 2
        assert "--format eee" in answer.err
