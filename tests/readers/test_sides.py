"""What the two sides of a comparison share: the task that only their files could name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import rankbars as rb

GENUINE = Path(__file__).parent.parent / "data" / "fixtures"


@pytest.mark.parametrize(
    ("file", "alone"),
    [
        ("alpaca_eval/leaderboards/weighted_alpaca_eval_gpt4_turbo_leaderboard.csv", "cand"),
        ("arena_hard/leaderboard/arena_hard_leaderboard_20240731.csv", "cand"),
        ("nemo_gym/rollouts/ether0/example_rollouts.jsonl", "folder"),
        ("votes/pairs/pair_counts_chatbotarena_20240814.json", "cand"),
        ("votes/pairs/food.csv", "cand"),
    ],
)
def test_a_side_never_names_the_task_after_its_file(tmp_path: Path, file: str, alone: str) -> None:
    path = tmp_path / "folder" / f"cand{Path(file).suffix}"
    path.parent.mkdir()
    shutil.copy(GENUINE / file, path)
    assert list(rb.read(path).tasks) == [alone]
    assert list(rb.read(path, beside=True).tasks) in (["all"], ["votes"])


def test_no_genuine_file_names_the_task_of_a_side(tmp_path: Path) -> None:
    read = 0
    for file in sorted(GENUINE.glob("[a-o]*/*/*.json*")):
        path = tmp_path / "folder" / f"cand{file.suffix}"
        path.parent.mkdir(exist_ok=True)
        shutil.copy(file, path)
        try:
            tasks = rb.read(path, beside=True).tasks
        except rb.RankbarsError:
            continue  # a part of a folder
        read += 1
        assert not {"cand", "folder"} & set(tasks), file
    assert read >= 20


@pytest.mark.parametrize("call", ["head_to_head", "check", "leaderboard"])
def test_tables_of_two_sides_share_their_task_in_every_door(tmp_path: Path, call: str) -> None:
    for name, rows in (("cand", (1, 1, 1)), ("base", (0, 1, 0))):
        cells = "".join(f"{name},q{i},{score}\n" for i, score in enumerate(rows))
        (tmp_path / f"{name}.csv").write_text("model,item,score\n" + cells)
    sides = {"new": tmp_path / "cand.csv", "old": tmp_path / "base.csv"}
    if call == "check":
        assert rb.check(sides, "new > old").claims[0].estimate == pytest.approx(2 / 3)
    elif call == "leaderboard":
        assert list(rb.leaderboard(sides).tasks) == ["all"]
    else:
        assert list(rb.head_to_head(sides, "new", "old").tasks) == ["all"]
