"""The page that a leaderboard is published as: making it, opening it, sorting it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import rankbars as rb
from benchmarks.browser import BROWSERS
from benchmarks.inputs import model_names
from benchmarks.reading import new_folder
from benchmarks.rows import Job, Once, Row, require
from rankbars.render.page import render_html

TITLE = "The page"

_ROOT = Path(__file__).resolve().parent.parent


def page_of_board(models: int, tasks: int) -> Job:
    """A board to its page."""
    board = right_and_wrong(models, tasks)

    def check(page: str) -> None:
        require("<table" in page, "a page with a table")

    def figures(page: str) -> Mapping[str, float]:
        return {"MB of page": len(page.encode()) / 1e6}

    return Job(lambda: render_html(board), check, figures)


def open_and_sort(models: int, tasks: int) -> Job:
    """The page in Chromium: until its script is ready, then sorted by the name of the model."""
    file = new_folder() / "report.html"
    file.write_text(render_html(right_and_wrong(models, tasks)), encoding="utf-8")
    command = [sys.executable, "-m", "benchmarks.browser", str(file)]

    def run() -> dict[str, float]:
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=_ROOT)
        seen: dict[str, float] = json.loads(done.stdout)
        return seen

    def check(seen: dict[str, float]) -> None:
        shown = min(models, 25)  # the page begins with its first rows; the others are on demand
        require(seen["rows"] == shown, f"{shown} rows; found {seen['rows']}")

    def figures(seen: dict[str, float]) -> Mapping[str, float]:
        return {"s to open": seen["open_s"], "s to sort": seen["sort_s"]}

    return Job(run, check, figures)


def right_and_wrong(models: int, tasks: int) -> rb.Leaderboard:
    """A board of 0/1 scores."""
    rng = np.random.default_rng(0)
    ability = np.linspace(0.35, 0.85, models)
    arrays: dict[str, Any] = {
        f"task {t:03d}": (rng.random((50, models)) < ability).astype(float) for t in range(tasks)
    }
    return rb.leaderboard(rb.Scores.from_arrays(arrays, model_names(models)))


ROWS: tuple[Row, ...] = (
    *(
        Once(
            f"made_{models}x{tasks}",
            "board to page, without details of pairs",
            page_of_board,
            {"models": models, "tasks": tasks},
            {"models": 4, "tasks": 3},
            {"MB of page": megabytes},
            repeats=2,
        )
        for models, tasks, megabytes in ((50, 60, 1.0), (500, 200, 6.0))
    ),
    Once(
        "opened_500x200",
        "the page in Chromium (times with its start, memory of its largest process)",
        open_and_sort,
        {"models": 500, "tasks": 200},
        {"models": 4, "tasks": 3},
        {"s to open": 1.0, "s to sort": 1.0},
        repeats=3,
        needs=("playwright",),
        programs=BROWSERS,
    ),
)
