"""``rankbars rank --explain``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from click.testing import CliRunner

from rankbars.cli.app import app


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
    ):
        assert words in result.output


def test_standard_output_stays_pure_json(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["rank", table(tmp_path), "--explain", "--quiet", "-o", "-"])
    assert json.loads(result.stdout)["schema"] == "rankbars.board/1"
