"""``rankbars rank --explain``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from click.testing import CliRunner

import rankbars as rb
from rankbars.cli.app import app
from rankbars.render.examination import render_diagnosis


def table(folder: Path) -> str:
    rng = np.random.default_rng(0)
    lines = ["model,task,item,score"]
    for task in ("law", "math", "art", "zoo", "war"):
        for item in range(40):
            for model, skill in (("ada", 0.8), ("bob", 0.5), ("cy", 0.2)):
                lines.append(f"{model},{task},{item},{int(rng.random() < skill)}")
    path = folder / "scores.csv"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_explains_choices_agreement_and_plausibility(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["rank", table(tmp_path), "--explain", "--quiet"])
    assert result.exit_code == 0, result.output
    for words in (
        "How this was decided",
        "All models answered the same items",
        "Do the methods agree?",
        "* t             auto",
        "mcnemar",
        "Is a new task like these plausible?",
        "left-out task",
        "What if new tasks were of another kind?",
        "harder tasks",
        "Where more rows would help most: ",
        "For the methods section of a paper\nWe compared",
        "doi:10.1093/qje/qjad043.",
    ):
        assert words in result.output


def test_standard_output_stays_pure_json(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["rank", table(tmp_path), "--explain", "--quiet", "-o", "-"])
    assert json.loads(result.stdout)["schema"] == "rankbars.board/1"


def test_of_many_kinds_of_tasks_the_worst_shifts_are_shown(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    kinds = {f"t{k:02}": f"kind {k // 2:02}" for k in range(24)}
    arrays = {name: rng.normal(size=(20, 3)) + [0, 1, 2] for name in kinds}
    info = {name: rb.TaskInfo(category=kind) for name, kind in kinds.items()}
    board = rb.leaderboard(rb.Scores.from_arrays(arrays, ["a", "b", "c"], info=info))
    found = rb.diagnose(board)
    text = render_diagnosis(found, board)
    shares = {one.towards: one.inside.mean() for one in found.shifts if one.size == 0.3}
    shown = [name for name in shares if f"more of {name}" in text or f"{name} tasks" in text]
    assert len(shown) == 8
    assert "6 other kinds do better than these." in " ".join(text.split())
    assert min(shares.values()) == min(shares[name] for name in shown)
