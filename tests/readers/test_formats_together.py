"""Folders that mix formats, models and runs."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from logfiles import (
    LATER,
    inspect_header,
    lm_rows,
    peak_kilobytes,
    sample,
    write_json_log,
    write_lm_eval,
    write_simple,
)
from tablefiles import codes, message, write_csv

import rankbars as rb
from rankbars.data.evidence import Items
from rankbars.readers.gathering import merge_sources


def table(folder: Path, model: str, scores: dict[str, float], task: str = "arc") -> Path:
    size = len(scores)
    columns = {"model": [model] * size, "task": [task] * size, "item": list(scores),
               "acc": list(scores.values())}  # fmt: skip
    return write_csv(columns, folder, f"table-{model}")


def hashes(size: int) -> list[str]:
    return [str(row["doc_hash"]) for row in lm_rows({"acc": [0.0] * size})]


def test_one_task_of_two_formats_is_joined_by_the_names_of_its_rows(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0, 1.0])
    table(tmp_path, "b", dict(zip(hashes(4), [0.0, 1.0, 1.0, 0.0], strict=True)))
    scores = rb.read(tmp_path)
    task, coverage = scores.tasks["arc"], scores.info["arc"].coverage
    assert isinstance(task, Items)
    assert task.models == ("a", "b")
    assert coverage is not None
    assert (coverage.expected, coverage.missing.tolist()) == (4, [1, 0])
    note = message(scores, "joined")
    assert "4 rows, paired by their names, of which 3 are in both" in note
    by_name = dict(zip(task.ids or (), task.values.tolist(), strict=True))
    assert by_name[hashes(1)[0]] == [1.0, 0.0]


def test_one_task_of_two_formats_without_a_row_in_common_is_refused(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0])
    table(tmp_path, "b", {"q1": 1.0, "q2": 0.0})
    with pytest.raises(rb.DataError, match=r"'arc'.*cannot be joined.*none has a name in common"):
        rb.read(tmp_path)


def test_votes_and_scores_are_never_one_task(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0])
    write_csv({"model_a": ["x", "y"], "model_b": ["y", "x"], "winner": ["model_a", "tie"],
               "task": ["arc", "arc"]}, tmp_path, "votes")  # fmt: skip
    with pytest.raises(rb.DataError, match="one of them holds votes, which are no scores"):
        rb.read(tmp_path)


def test_a_model_with_other_scores_in_another_format_is_refused(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0])
    table(tmp_path, "a", dict(zip(hashes(2), [1.0, 1.0], strict=True)))
    with pytest.raises(rb.DataError, match=r"model 'a' occurs in both, with different .*--format"):
        rb.read(tmp_path)
    table(tmp_path, "a", dict(zip(hashes(2), [1.0, 0.0], strict=True)))
    assert rb.read(tmp_path).models == ("a",)


def test_a_whole_in_another_format_is_no_task_beside_its_parts(tmp_path: Path) -> None:
    parts = write_lm_eval(
        tmp_path, "a", {"arc_easy": {"acc,none": 0.5}, "arc_hard": {"acc,none": 0.5},
                        "arc": {"acc,none": 0.5}},
        rows={"arc_easy": lm_rows({"acc": [1.0, 0.0]}), "arc_hard": lm_rows({"acc": [1.0, 0.0]})},
        group_subtasks={"arc": ["arc_easy", "arc_hard"], "arc_easy": [], "arc_hard": []},
        groups={"arc": {"acc,none": 0.5}},
    )  # fmt: skip
    assert list(rb.read(parts.parent).tasks) == ["arc_easy", "arc_hard"]
    write_csv({"model": ["b", "a"], "task": ["arc", "arc"], "acc": [0.5, 0.5]}, tmp_path, "whole")
    scores = rb.read(tmp_path)
    assert list(scores.tasks) == ["arc_easy", "arc_hard"]
    assert "'arc'" in message(scores, "groups")


def test_the_newest_run_counts_and_all_are_repeats_where_asked(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0])
    write_simple(tmp_path, "a", [1.0, 1.0], time=LATER)
    table(tmp_path, "b", dict(zip(hashes(2), [0.0, 0.0], strict=True)))
    newest, repeats = rb.read(tmp_path), rb.read(tmp_path, reruns="all")
    assert "newest" in message(newest, "reruns")
    means = []
    for scores in (newest, repeats):
        task = scores.tasks["arc"]
        assert isinstance(task, Items)
        means.append(np.nanmean(task.values, axis=0).tolist())
    assert means == [[1.0, 0.0], [0.75, 0.0]]


def test_a_limited_run_cuts_no_items_of_another(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0, 1.0, 1.0], config={"limit": None})
    write_simple(tmp_path, "b", [1.0, 0.0], config={"limit": 2}, time=LATER)
    scores = rb.read(tmp_path)
    task = scores.tasks["arc"]
    assert isinstance(task, Items)
    assert task.n == 4
    assert np.isnan(task.values).sum(axis=0).tolist() == [0, 2]


def test_a_smoke_run_does_not_take_the_place_of_a_whole_one(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0] * 6)
    write_simple(tmp_path / "later", "a", [1.0, 1.0], config={"limit": 2}, time=LATER)
    scores = rb.read(tmp_path)
    assert scores.tasks["arc"].n == 12
    said = message(scores, "reruns")
    assert "the newest that is not far smaller is used" in said
    assert "has 2 of 12 items" in said


def test_other_task_hashes_are_refused_unless_told(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0])
    write_simple(tmp_path, "b", [1.0, 0.0], task_hashes={"arc": "another"})
    with pytest.raises(rb.DataError, match=r"not given the same task.*--compare-anyway"):
        rb.read(tmp_path)
    scores = rb.read(tmp_path, compare_anyway=True)
    assert scores.models == ("a", "b")
    assert "task-differs" in codes(scores)


def test_one_of_many_damaged_logs_costs_one_more_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        write_json_log(tmp_path / f"{number}.json", inspect_header(f"m{number}"), [sample(1, "C")])
    for number in range(3):
        (tmp_path / f"{number}.json").write_text('{"version": 2, "status": "success", "eval": {')
    opened: list[str] = []
    reading = rb.readers.inspect_ai.read_document  # type: ignore[attr-defined]

    def count(file: Any, cluster: str | None) -> Any:
        opened.append(file.path.name)
        return reading(file, cluster)

    monkeypatch.setattr("rankbars.readers.inspect_ai.read_document", count)
    scores = rb.read(tmp_path, direction="higher")
    assert scores.models == ("m3", "m4", "m5")
    assert len(opened) == 6 + 3
    told = message(scores, "files-damaged")
    assert [told.count(f"{number}.json") for number in range(6)] == [1, 1, 1, 0, 0, 0]
    assert told.count("ends too early") == 1


def test_folders_that_cannot_be_opened_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_simple(tmp_path / "open", "a", [1.0, 0.0])
    closed = tmp_path / "closed"
    closed.mkdir()
    listing = os.scandir

    def refuse(path: Any) -> Any:
        if Path(path) == closed:
            raise PermissionError(13, "Permission denied", str(path))
        return listing(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert "closed: The folder cannot be opened" in message(rb.read(tmp_path), "files-damaged")


def test_what_is_no_file_is_passed_over(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0])
    os.mkfifo(tmp_path / "pipe.csv")
    assert rb.read(tmp_path).models == ("a",)


def test_sources_of_one_format_are_what_they_are(tmp_path: Path) -> None:
    scores = rb.read(write_simple(tmp_path, "a", [1.0, 0.0]))
    assert merge_sources([scores]) is scores


def test_progress_is_told_in_bytes(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0] * 500)
    table(tmp_path, "b", {"x": 1.0}, task="other")
    steps: list[tuple[int, int]] = []
    rb.read(tmp_path, progress=lambda done, total: steps.append((done, total)))
    size = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
    assert steps[-1] == (size, size)
    assert all(one[0] < two[0] for one, two in itertools.pairwise(steps))


@pytest.mark.slow
def test_tables_in_json_lines_are_streamed(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    peaks = []
    for rows in (10_000, 40_000):
        with path.open("w") as out:
            for item in range(rows):
                out.write(f'{{"model": "a", "task": "t", "item": "q{item}", "score": {item % 2}, '
                          f'"answer": "{"x" * 3_000}"}}\n')  # fmt: skip
        peaks.append(peak_kilobytes(path, rows))
    assert max(peaks) < 300_000
    assert peaks[1] - peaks[0] < 30_000  # of 90,000 more in the file
