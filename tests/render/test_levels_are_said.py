"""Whatever states where models rank says at which level, or that it is approximate."""

from __future__ import annotations

import re

import numpy as np
import pytest

import rankbars as rb
from rankbars.render import render
from rankbars.render.sentences import headline_sentences

NAMES = list("abcdefghij")


def rows(kind: str, *, tasks: int = 1, size: int = 9, n: int = 60) -> rb.Scores:
    rng = np.random.default_rng(3)
    noise = rng.normal if kind == "normal" else rng.exponential
    power = 1 if kind == "normal" else 3
    made = {f"t{k}": noise(size=(n, size)) ** power + np.linspace(0, 1, size) for k in range(tasks)}
    return rb.Scores.from_arrays(made, NAMES[:size])


BOARDS = {
    "one task": (lambda: rb.leaderboard(rows("normal")), "95 %"),
    "average": (lambda: rb.leaderboard(rows("normal", tasks=4)), "95 %"),
    "new task": (lambda: rb.leaderboard(rows("normal", tasks=6), over="none"), "new task"),
    "each model": (lambda: rb.leaderboard(rows("normal"), scope="each"), "95 %"),
    "another level": (lambda: rb.leaderboard(rows("normal"), alpha=0.1), "90 %"),
    "resampled": (lambda: rb.leaderboard(rows("skewed", n=30), resamples=200), "95 %"),
    "insisted": (lambda: rb.leaderboard(rows("skewed", n=30), test="t"), "approximate"),
    "average, insisted": (
        lambda: rb.leaderboard(rows("skewed", n=30, tasks=3), test="t"), "approximate",
    ),
    "no correction": (lambda: rb.leaderboard(rows("normal"), correction="none"), "no guarantee"),
}  # fmt: skip
CLAIM = re.compile(r"may be first|first place is open|leads: |shown (?:better|worse) than|ranks \d")


@pytest.fixture(scope="module", params=BOARDS)
def case(request: pytest.FixtureRequest) -> tuple[rb.Leaderboard, str]:
    make, level = BOARDS[request.param]
    board = make()
    if level == "new task":
        assert board.overall is not None
        level = f"{np.floor(1000 * board.overall.guarantee) / 10:g} %"
    return board, level


@pytest.mark.parametrize("form", ["text", "md", "csv", "latex", "html"])
def test_every_export_says_its_level(case: tuple[rb.Leaderboard, str], form: str) -> None:
    board, level = case
    text = " ".join(render(board, form).replace("~", " ").replace("\\%", "%").split())
    assert level in text
    if form == "csv":
        lines = render(board, form).splitlines()
        assert "level" in lines[0].split(",")
        assert all(level in line for line in lines[1:])


def test_every_sentence_that_claims_a_rank_says_its_level(case: tuple[rb.Leaderboard, str]) -> None:
    board, level = case
    sentences = headline_sentences(board)
    claims = [one for one in sentences if CLAIM.search(one)]
    assert claims or "do not tell the" in sentences[0]
    assert all(level in one for one in claims)


def test_frames_and_rows_of_models_say_it(case: tuple[rb.Leaderboard, str]) -> None:
    board, level = case
    assert board.to_frame("pandas")["level"].unique().tolist() == [level]
    assert board[board.models[0]].level == level
    assert {"level"} <= set(board.to_frame("pandas", task=list(board.tasks)).columns)
