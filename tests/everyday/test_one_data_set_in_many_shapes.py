"""One data set, written in the ways people write it, gives one board."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from commandline import answer, inside
from everyday.case import json_lines, parquet, records, table

import rankbars as rb

MODELS = ("ash", "birch", "cedar", "elm")
TASKS = ("law", "math")
ITEMS = tuple(f"q{number}" for number in range(1, 32))
SHARES = np.array([[0.95, 0.7, 0.55, 0.2], [0.85, 0.75, 0.4, 0.3]])
# Half points, so that a decimal mark occurs: tasks × items × models.
POINTS = np.random.default_rng(4).binomial(2, SHARES[:, None, :], (2, len(ITEMS), 4)) / 2

Files = Mapping[str, str | bytes]
Columns = dict[str, list[Any]]


def long(
    names: Sequence[str] = ("model", "task", "item", "score"),
    *,
    models: Sequence[str] = MODELS,
    tasks: Sequence[str] = TASKS,
    write: Callable[[float], Any] = float,
) -> Columns:
    """Columns with a row per model, task and item."""
    rows = [
        (model, task, item, write(POINTS[TASKS.index(task), place, MODELS.index(model)]))
        for model in models
        for task in tasks
        for place, item in enumerate(ITEMS)
    ]
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def without(columns: Columns, *names: str) -> Columns:
    return {name: cells for name, cells in columns.items() if name not in names}


def matrix(task: str, corner: str = "item") -> Columns:
    """Items × models."""
    points = POINTS[TASKS.index(task)]
    return {corner: list(ITEMS)} | {m: points[:, k].tolist() for k, m in enumerate(MODELS)}


def matrices(write: Callable[[Columns], str | bytes], ending: str = "csv") -> Files:
    return {f"{task}.{ending}": write(matrix(task)) for task in TASKS}


def turned(columns: Columns) -> Columns:
    """Columns and rows in another order."""
    order = np.random.default_rng(1).permutation(len(next(iter(columns.values()))))
    return {name: [columns[name][row] for row in order] for name in reversed(columns)}


def quoted(columns: Columns) -> str:
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerows([list(columns), *zip(*columns.values(), strict=True)])
    return text.getvalue()


def markdown(columns: Columns) -> str:
    rows = [list(columns), ["---"] * len(columns), *zip(*columns.values(), strict=True)]
    return "".join(f"| {' | '.join(map(str, row))} |\n" for row in rows)


def summed_up(columns: Columns) -> str:
    """A row and a column of means more."""
    names = list(columns)[1:]
    rows = np.array([columns[name] for name in names])
    grown = {name: [*columns[name], np.mean(columns[name])] for name in names}
    last = [*rows.mean(axis=0), rows.mean()]
    return table({"item": [*columns["item"], "Mean"], **grown, "Average": last})


LONG = long()
CSV = table(LONG)
COMMAS = table(long(write=lambda value: str(float(value)).replace(".", ",")), ";")
OTHER_NAMES = long(("system", "benchmark", "question_id", "correct"))
OWN_NAMES = long(("who", "exam", "nr", "points"))
OWN = "--column model=who --column task=exam --column item=nr --column score=points"
FOLDERS = " ".join(f"{model}=runs/{model}" for model in MODELS)

# Name: what is typed, and the files.
SHAPES: dict[str, tuple[str, Files]] = {
    "tidy csv": ("rank r.csv", {"r.csv": CSV}),
    "tidy tsv": ("rank r.tsv", {"r.tsv": table(LONG, "\t")}),
    "semicolons and decimal commas": ("rank r.csv", {"r.csv": COMMAS}),
    "byte order mark": ("rank r.csv", {"r.csv": "\ufeff" + CSV}),
    "line ends of windows": ("rank r.csv", {"r.csv": CSV.replace("\n", "\r\n")}),
    "utf-16": ("rank r.txt", {"r.txt": table(LONG, "\t").encode("utf-16")}),
    "compressed": ("rank r.csv.gz", {"r.csv.gz": gzip.compress(CSV.encode())}),
    "quoted": ("rank r.csv", {"r.csv": quoted(LONG)}),
    "title line": ("rank r.csv", {"r.csv": "Results of May 2026\n\n" + CSV}),
    "other order": ("rank r.csv", {"r.csv": table(turned(LONG))}),
    "other usual names": ("rank r.csv", {"r.csv": table(OTHER_NAMES)}),
    "names of one's own": (f"rank r.csv {OWN}", {"r.csv": table(OWN_NAMES)}),
    "percent": ("rank r.csv", {"r.csv": table(long(write=lambda value: 100 * float(value)))}),
    "percent signs": ("rank r.csv", {"r.csv": table(long(write=lambda v: f"{100 * v:.0f}%"))}),
    "jsonl": ("rank r.jsonl", {"r.jsonl": json_lines(LONG)}),
    "json": ("rank r.json", {"r.json": json.dumps(records(LONG))}),
    "parquet": ("rank r.parquet", {"r.parquet": parquet(LONG)}),
    "standard input": ("rank -", {"-": CSV}),
    "markdown": ("rank r.md", {"r.md": "# Results\n\n" + markdown(LONG)}),
    "a file per model": (
        "rank results",
        {f"results/{m}.csv": table(without(long(models=[m]), "model")) for m in MODELS},
    ),
    "a folder per model, a file per task": (
        f"rank {FOLDERS}",
        {
            f"runs/{m}/{t}.csv": table(without(long(models=[m], tasks=[t]), "model", "task"))
            for m in MODELS
            for t in TASKS
        },
    ),
    "a file per task": (
        "rank results",
        {f"results/{t}.jsonl": json_lines(without(long(tasks=[t]), "task")) for t in TASKS},
    ),
    "a file per model and task": (
        "rank results",
        {f"results/{m}-{t}.csv": table(long(models=[m], tasks=[t])) for m in MODELS for t in TASKS},
    ),
    "items by models": ("rank law.csv math.csv", matrices(table)),
    "items by models in parquet": ("rank law.parquet math.parquet", matrices(parquet, "parquet")),
    "items by models in markdown": ("rank law.md math.md", matrices(markdown, "md")),
    "a summary row and column": ("rank law.csv math.csv", matrices(summed_up)),
    "a store": ("add --store s.duckdb r.csv ; rank s.duckdb", {"r.csv": CSV}),
}

FRAMES: dict[str, Callable[[], rb.Scores]] = {
    "pandas": lambda: rb.Scores.from_frame(pd.DataFrame(LONG)),
    "polars": lambda: rb.Scores.from_frame(pl.DataFrame(LONG)),
    "pyarrow": lambda: rb.Scores.from_frame(pa.table(LONG)),
    "arrays": lambda: rb.Scores.from_arrays(
        {task: POINTS[k] for k, task in enumerate(TASKS)}, list(MODELS)
    ),
    "matrix in pandas": lambda: rb.Scores.from_arrays(
        {t: np.array(pd.DataFrame(matrix(t)).set_index("item")) for t in TASKS}, list(MODELS)
    ),
}

# The means of the same answers, as a paper prints them.
MEANS = np.round(POINTS.mean(axis=1), 3)
ERRORS = np.round(POINTS.std(axis=1, ddof=1) / np.sqrt(len(ITEMS)), 4)
PUBLISHED: Columns = {
    "model": [model for model in MODELS for _ in TASKS],
    "task": [*TASKS] * len(MODELS),
    "score": MEANS.T.ravel().tolist(),
    "stderr": ERRORS.T.ravel().tolist(),
}
WIDE: Columns = {"Model": [*MODELS]}
for _place, _task in enumerate(TASKS):
    WIDE |= {_task: MEANS[_place].tolist(), f"{_task}_stderr": ERRORS[_place].tolist()}
TURNED: Columns = {"task": [*TASKS]}
for _place, _model in enumerate(MODELS):
    TURNED |= {_model: MEANS[:, _place].tolist(), f"{_model}_stderr": ERRORS[:, _place].tolist()}
CELLS: Columns = {"Model": [*MODELS]} | {
    task: [f"{m} ± {e}" for m, e in zip(MEANS[k], ERRORS[k], strict=True)]
    for k, task in enumerate(TASKS)
}
PERCENT = {
    name: cells if name == "Model" else (100 * np.array(cells)).tolist()
    for name, cells in WIDE.items()
}

PUBLISHED_SHAPES: dict[str, tuple[str, Files]] = {
    "tidy": ("rank r.csv", {"r.csv": table(PUBLISHED)}),
    "models by tasks": ("rank r.csv", {"r.csv": table(WIDE)}),
    "tasks by models": ("rank r.csv", {"r.csv": table(TURNED)}),
    "plus or minus": ("rank r.csv --cells se", {"r.csv": table(CELLS)}),
    "plus or minus with decimal commas": (
        "rank r.csv --cells se",
        {"r.csv": table(CELLS).replace(",", ";").replace(".", ",")},
    ),
    "plus or minus in markdown": ("rank r.md --cells se", {"r.md": markdown(CELLS)}),
    "percent": ("rank r.csv", {"r.csv": table(PERCENT)}),
    "a summary column": (
        "rank r.csv",
        {"r.csv": table(WIDE | {"Average": MEANS.mean(axis=0).tolist()})},
    ),
    "a pivot": ("rank r.csv", {"r.csv": table(WIDE).replace("Model", "", 1)}),
    "json lines": ("rank r.jsonl", {"r.jsonl": json_lines(PUBLISHED)}),
}


def typed(line: str, files: Files, monkeypatch: pytest.MonkeyPatch) -> rb.Leaderboard:
    """The board of a line in a folder that holds the files."""
    for name, content in files.items():
        data = content.encode() if isinstance(content, str) else content
        if name == "-":
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8"))
            continue
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(data)
    for part in f"{line} -o board.json".split(" ; "):
        found = answer(part.split())
        assert found.code == 0, found.err
    return rb.load("board.json")


def what_it_says(board: rb.Leaderboard, full: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """Ranks and numbers by model, in parts of the full score."""
    ranks: dict[str, Any] = {}
    numbers: dict[str, Any] = {}
    order = np.argsort(np.array(board.models))
    for name, task in board.tasks.items():
        ranks[name] = (task.best[order].tolist(), task.worst[order].tolist())
        numbers[name] = np.asarray(task.mean)[order] / full
    assert board.aggregate is not None
    average = board.aggregate
    ranks["average"] = (average.best[order].tolist(), average.worst[order].tolist())
    ranks["models"] = sorted(board.models)
    ranks["tiers"] = board.tier[order].tolist()
    numbers["average"] = np.asarray(average.score)[order] / full
    return ranks, numbers


def hold_the_same(board: rb.Leaderboard, other: rb.Leaderboard, full: float = 1.0) -> None:
    ranks, numbers = what_it_says(board, full)
    expected, means = what_it_says(other, 1.0)
    assert ranks == expected
    assert numbers.keys() == means.keys()
    for name, found in numbers.items():
        np.testing.assert_allclose(found, means[name], rtol=1e-9)


@pytest.fixture(scope="module")
def from_arrays() -> rb.Leaderboard:
    return rb.leaderboard(FRAMES["arrays"]())  # whose items have no names that tasks could share


@pytest.fixture(scope="module")
def from_table() -> rb.Leaderboard:
    return rb.leaderboard(rb.Scores.from_frame(pd.DataFrame(PUBLISHED)))


@pytest.mark.parametrize("shape", SHAPES)
def test_answers_give_one_board_however_they_are_written(
    shape: str, from_arrays: rb.Leaderboard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with inside(tmp_path):
        line, files = SHAPES[shape]
        board = typed(f"{line} --rows independent", files, monkeypatch)
    hold_the_same(board, from_arrays, 100 if "percent" in shape else 1)


@pytest.mark.parametrize("kind", FRAMES)
def test_answers_in_memory_give_the_same_board(kind: str, from_arrays: rb.Leaderboard) -> None:
    hold_the_same(rb.leaderboard(FRAMES[kind](), independent_rows=True), from_arrays)


@pytest.mark.parametrize("shape", PUBLISHED_SHAPES)
def test_published_scores_give_one_board_however_they_are_written(
    shape: str, from_table: rb.Leaderboard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with inside(tmp_path):
        board = typed(*PUBLISHED_SHAPES[shape], monkeypatch)
    hold_the_same(board, from_table, 100 if "percent" in shape else 1)


def test_the_data_set_tells_models_apart(from_arrays: rb.Leaderboard) -> None:
    """A board on which everybody ties would be the same by itself."""
    assert from_arrays.tasks["law"].best.max() > 1
    assert len(SHAPES) + len(FRAMES) >= 25
