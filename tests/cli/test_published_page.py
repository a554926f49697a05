"""The page of the published work: every command on it runs."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from commandline import Command

import rankbars as rb
from rankbars.demos import DEMOS, demo_path, lesson_records
from rankbars.render.notation import show_ranks
from rankbars.simulate import levels
from rankbars.simulate.publishedfigures import growth
from rankbars.simulate.study import Table

PAGE = Path(__file__).parents[2] / "docs" / "published.md"
ROWS = [
    line
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("|") and "`rankbars " in line
]
COMMANDS = list(dict.fromkeys(re.findall(r"`rankbars ([^`]*)`", "\n".join(ROWS))))
FEW = "--models 10 --rows 10 --sigma 0.3"
SCORES = ["model,task,score,se", "a,x,.50,.02", "b,x,.52,.02", "c,x,.60,.02", "d,x,.61,.02"]
LONG = ("simulate vtab", "simulate posterior")  # whatever the number of repetitions
CORRELATION = {"2": 0, "3": 0, "4": 0.2, "5": 0.2, "6": 0, "7": 0.2, "1a": 0, "1b": 0.5}


def shortened(line: str) -> list[str]:
    """The same on a few configurations; one command for each table or figure that it names."""
    if line.startswith(("simulate tables", "simulate figures")):
        study, rest = line.split()[1], re.findall(r"--(?:table|figure) (\w+)", line)
        return [
            f"simulate {study} --{study.rstrip('s')} {one} {FEW} -o results --repetitions 1"
            + (f" --correlation {CORRELATION[one]}" if one in CORRELATION else "")
            + (" --picture none" if study == "figures" else "")
            for one in rest
        ]
    line = line.replace("--hold-out 10", "--hold-out 2")  # of four tasks
    if line.startswith("simulate vtab"):
        line += " --picture none"  # the pictures are drawn where their data are looked at
    return [f"{line} --repetitions 2" if line.startswith("simulate") else line]


@pytest.fixture
def prompts(tmp_path: Path) -> str:
    """Two models on six questions of each of two subjects, each asked with four prompts."""
    lines = [
        f"m{model},s{subject},q{question},p{prompt},{int((question + prompt) % 3 <= model)}"
        for model in range(2)
        for subject in range(2)
        for question in range(6)
        for prompt in range(4)
    ]
    path = tmp_path / "prompts.csv"
    path.write_text("\n".join(["model,subject,question,prompt,correct", *lines]) + "\n")
    return path.name


def make_input(name: str, rankbars: Command) -> None:
    """What some rows read beside results: boards, votes with lengths of answers, limits, ..."""
    if name in MADE:
        Path(name).write_text("\n".join(MADE[name]()) + "\n")
    elif name == "runs.json":
        Path(name).write_text(json.dumps(lesson_records()), encoding="utf-8")
    elif name in BOARDS:
        words = shlex.split(BOARDS[name])
        for word in words:
            make_input(word, rankbars)
        assert rankbars("rank", *words, "-o", name).code == 0


MADE = {
    "scores.csv": lambda: SCORES,
    "shares.csv": lambda: [
        "model,task,score,se",
        *(f"m{k % 3},t{k // 3},0.{5 + k % 4},0.02" for k in range(12)),
    ],
    "metrics.csv": lambda: [
        "model,metric,item,score",
        *(f"m{k % 3},quality,i{k // 3},{k % 7 / 6:.3f}" for k in range(36)),
        *(f"m{k % 3},seconds,i{k // 3},{k % 5}" for k in range(36)),
    ],
    "tasks.csv": lambda: [
        "model,task,score,se",
        *(f"m{k},{task},0.{5 + k},0.02" for k in range(3) for task in ("math", "code")),
    ],
    "kinds.csv": lambda: [f"t{k},k{k % 2}" for k in range(4)],
    "limits.csv": lambda: [f"t{k},0,2" for k in range(4)],
    "weights.csv": lambda: [f"t{k},{k + 1}" for k in range(4)],
    "votes.csv": lambda: [
        "model_a,model_b,winner,length_a,length_b",
        *(f"m{k % 3},m{(k + 1) % 3},model_{'ab'[k % 5 > 1]},{k % 7},{k % 4}" for k in range(90)),
    ],
    "confusion.csv": lambda: [
        "model,task,tp,fp,fn,tn",
        *(f"m{k % 3},t{k // 3},{70 + k},{9 + k % 3},{20 - k},90" for k in range(6)),
    ],
    "datasets.csv": lambda: [  # nobody is ahead on every task
        "model,task,item,score",
        *(
            f"m{k % 4},t{k // 24},i{k // 4 % 6},{(k % 4 + k // 24) % 4 + k % 5 / 9}"
            for k in range(288)
        ),
    ],
}
BOARDS = {
    "board.json": "results.csv",
    "spread.json": "scores.csv",
    "categories.json": "shares.csv --categories kinds.csv",
}


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(line, marks=pytest.mark.slow) if line.startswith(LONG) else line
        for line in COMMANDS
    ],
)
def test_every_command_of_the_page_runs(
    line: str, rankbars: Command, results: str, prompts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (results, prompts) == ("results.csv", "prompts.csv")
    words = shlex.split(line)
    made = words.index("-o") + 1 if "-o" in words else 0
    for place, word in enumerate(words):
        if place != made:
            make_input(word, rankbars)
    monkeypatch.setattr(levels, "POOL", 200)
    for one in shortened(line):
        answer = rankbars(*shlex.split(one))
        assert answer.code == 0, answer.err
        if "tables" in one:
            assert "cells have a published number" in answer.out


def test_every_table_and_figure_of_the_simulations_has_a_row() -> None:
    rows = "\n".join(ROWS)
    named = re.findall(r"--(?:table|figure) (\w+)", rows)
    assert {"2", "3", "4", "5", "6", "7", "1a", "1b"} <= set(named)
    for what in (
        "Algorithm 1",
        "Algorithm 2",
        "Algorithm 3",
        "Equations 14 to 16",
        "Figure 4",
        "Figure 5b",
    ):
        assert what in rows


def test_questions_and_prompts_are_the_rows_of_the_two_published_equations(
    prompts: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    answers = np.array(  # [subject, model, question, prompt]
        [
            [[[(q + p) % 3 <= m for p in range(4)] for q in range(6)] for m in range(2)]
            for _ in range(2)
        ]
    )
    for rows, over in ((None, -1), ("prompts", -2)):
        read = rb.read(prompts, rows=rows)
        assert read.models == ("m0", "m1")
        for subject in range(2):
            found = read.tasks[f"s{subject}"]
            assert isinstance(found, rb.Items)
            expected = answers[subject].mean(axis=over).T
            np.testing.assert_allclose(
                np.sort(found.values, axis=0), np.sort(expected, axis=0), atol=1e-12
            )
            np.testing.assert_allclose(
                np.sort(found.values @ [1, 10]), np.sort(expected @ [1, 10]), atol=1e-12
            )


def test_every_picture_of_the_page_is_one_that_the_script_draws() -> None:
    shown = set(re.findall(r"\(images/published/(.*?)\.\w+\)", PAGE.read_text(encoding="utf-8")))
    folder = PAGE.parent / "images" / "published"
    there = {path.stem for path in folder.iterdir() if path.suffix != ".csv"}
    script = (PAGE.parents[1] / "scripts" / "make_pictures.py").read_text(encoding="utf-8")
    named = set(re.findall(r"intervals_\d\w?", script))
    named |= {f"aggregates_{one}" for one in re.findall(r'"figure_(\d)"', script)} & there
    assert shown == there == named
    intervals = {"1a", "1b", "2", "3", "4a", "4b", "5a", "5b", "6", "7"}
    assert named == {f"intervals_{one}" for one in intervals} | {
        f"aggregates_{one}" for one in "3456"
    }


def test_ranks_in_the_picture_of_all_subjects_are_those_of_the_code() -> None:
    """If not, run: python scripts/make_pictures.py --published."""
    board = rb.leaderboard(
        rb.read(demo_path(DEMOS["mmlu_pro"])),
        missing="pairwise",
        test="t",
        correction="holm",
        merge="quantile",
        alpha_overall=0.5,
    )
    ranks = [
        show_ranks(int(task.best[row]), int(task.worst[row]))
        for row in board.order
        for task in board.tasks.values()
    ]
    picture = PAGE.parent / "images" / "published" / "intervals_4b.svg"
    words = re.findall(r">([^<>]+)</text>", picture.read_text(encoding="utf-8"))
    shown = [one for one in words if re.fullmatch(r"\d+–\d+", one)]
    assert shown == [one for one in ranks if "–" in one]


def test_the_docs_build_draws_the_pictures_and_measured_seconds_grow_linearly() -> None:
    makefile = (PAGE.parents[1] / "Makefile").read_text(encoding="utf-8")
    recipe = makefile.split("\ndocs:")[1].split("\n\n")[0]
    assert "make_pictures.py --published" in recipe
    assert recipe.index("make_pictures") < recipe.index("zensical build")
    with (PAGE.parent / "images" / "published" / "figure_6.csv").open(encoding="utf-8") as file:
        rows: Table = [
            {key: float(cell) for key, cell in row.items()} for row in csv.DictReader(file)
        ]
    assert len(rows) == 5
    assert abs(growth(rows) - 1) <= 0.1  # as drawn: a time is measured, never asserted
