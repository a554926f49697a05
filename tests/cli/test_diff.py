"""``rankbars diff``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commandline import Command, table
from render.hostile import NASTY


@pytest.fixture
def boards(rankbars: Command, results: str) -> tuple[str, str]:
    rankbars("rank", results, "-o", "old.json")
    rows = [row for row in table() if not row.startswith("m2,")]
    Path("fewer.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    rankbars("rank", "fewer.csv", "-o", "new.json")
    return "old.json", "new.json"


def test_text_says_who_went_and_what_follows(rankbars: Command, boards: tuple[str, str]) -> None:
    answer = rankbars("diff", *boards)
    assert answer.code == 0
    assert "Models that went (1): m2." in answer.out
    assert all(len(line) <= 80 for line in answer.out.splitlines())


def test_the_same_board_changes_nothing(rankbars: Command, boards: tuple[str, str]) -> None:
    assert rankbars("diff", boards[0], boards[0]).out == "Nothing changed.\n"


def test_json_holds_what_text_says(rankbars: Command, boards: tuple[str, str]) -> None:
    values = json.loads(rankbars("diff", *boards, "--format", "json").out)
    assert values["schema"] == "rankbars.diff/1"
    assert values["removed_models"] == ["m2"]
    assert {one["cause"] for one in values["models"]} <= {"pool", "interval", "nothing"}


def test_markdown_starts_with_its_marker_and_names_act_on_nothing(
    rankbars: Command, tmp_path: Path
) -> None:
    import rankbars as rb

    rows = {name: [0.1 * k, 0.2 + 0.1 * k, 0.9] for k, name in enumerate(NASTY[:4])}
    for number in (3, 4):
        names = list(rows)[:number]
        values = [[rows[name][i % 3] + 0.01 * i for name in names] for i in range(30)]
        rb.leaderboard(rb.Scores.from_arrays({"t": values}, names)).save(f"{number}.json")
    text = rankbars("diff", "3.json", "4.json", "--format", "md").out
    assert text.startswith("<!-- rankbars:diff -->\n")
    assert "<script" not in text
    assert len(text) < 65_536


def test_a_board_from_standard_input_and_two_of_them(
    rankbars: Command, boards: tuple[str, str]
) -> None:
    piped = Path(boards[1]).read_bytes()
    assert rankbars("diff", boards[0], "-", stdin=piped).out == rankbars("diff", *boards).out
    answer = rankbars("diff", "-", "-")
    assert answer.code == 2
    assert "Only one of the two boards" in answer.err


def test_what_is_no_board_is_told(rankbars: Command, results: str, boards: tuple[str, str]) -> None:
    answer = rankbars("diff", results, boards[0])
    assert answer.code == 1
    assert answer.out == ""
    assert "results.csv" in answer.err
