"""``rankbars demo`` and ``rankbars formats``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commandline import Command

from rankbars.demos import DEMOS, demo_path
from rankbars.readers import FORMATS


@pytest.mark.parametrize("name", DEMOS)
def test_every_demo_prints_a_board_and_writes_a_page(rankbars: Command, name: str) -> None:
    answer = rankbars("demo", name, "-o", "board.json")
    assert answer.code == 0
    assert DEMOS[name].licence in answer.err
    assert answer.out
    page = Path(f"rankbars-{name}.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    demo = DEMOS[name]
    assert f"<title>{demo.title}</title>" in page
    assert f'href="{demo.link}"' in page
    board = json.loads(Path("board.json").read_text("utf-8"))
    assert board["schema"] == "rankbars.board/1"
    readme = demo_path(demo).with_name("README.md").read_text("utf-8")
    for fact in filter(None, (demo.date, demo.link)):
        assert fact in readme


def test_the_first_demo_is_mmlu_pro_and_names_the_incomplete_run(rankbars: Command) -> None:
    answer = rankbars("demo", "--html", "page.html", "-o", "-")
    board = json.loads(answer.out)
    assert len(board["models"]) == 29
    assert len(board["tasks"]) == 14
    missing = [note for note in board["notes"] if note["code"] == "missing"]
    assert missing[0]["message"].index("DeepSeek-Coder-V2 (1,681)") > 0
    assert Path("page.html").exists()


def test_the_lesson_prints_the_table_the_differences_and_a_board(rankbars: Command) -> None:
    answer = rankbars("demo", "lesson")
    assert answer.code == 0
    for part in ("| 1 | amber |", "| task 12 |", "| amber − birch |", "first place is open"):
        assert part in answer.out
    assert Path("rankbars-lesson.html").exists()
    assert json.loads(rankbars("demo", "lesson", "-o", "-").out)["models"][0] == "amber"
    assert "lesson" in rankbars("demo", "--list").out


def test_the_list_names_every_demo_with_source_and_licence(rankbars: Command) -> None:
    answer = rankbars("demo", "--list")
    assert (answer.code, answer.err) == (0, "")
    for name, demo in DEMOS.items():
        for part in (name, demo.description, demo.source, demo.licence):
            assert part in answer.out
    assert list(Path().iterdir()) == []


def test_every_demo_is_described_beside_its_file() -> None:
    readme = demo_path(DEMOS["mmlu_pro"]).with_name("README.md").read_text("utf-8")
    for demo in DEMOS.values():
        assert demo_path(demo).is_file()
        assert f"`{demo.file}`" in readme


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (("mmlu",), 2, "Did you mean 'mmlu_pro'"),
        (("vtab", "--html", "none/x.html"), 1, "does not exist"),
        (("vtab", "-o", "x", "--html", "x"), 1, "both write"),
    ],
)
def test_wrong_words_are_answered(
    rankbars: Command, words: tuple[str, ...], code: int, part: str
) -> None:
    answer = rankbars("demo", *words)
    assert answer.code == code
    assert part in answer.err
    assert list(Path().iterdir()) == []


def test_formats_are_listed(rankbars: Command) -> None:
    answer = rankbars("formats")
    assert answer.code == 0
    for name in FORMATS:
        assert name in answer.out


def test_files_are_recognised_with_the_reason(rankbars: Command, results: str) -> None:
    Path("notes.xyz").write_bytes(b"\x00\x01\x02")
    answer = rankbars("formats", results, "notes.xyz")
    assert answer.code == 0
    assert f"{results}: tidy" in answer.out
    assert "notes.xyz" in answer.out


@pytest.mark.parametrize("name", ["notes.xyz", "none.csv", "folder"])
def test_nothing_recognised_is_exit_code_one(rankbars: Command, name: str) -> None:
    Path("notes.xyz").write_bytes(b"\x00\x01\x02")
    Path("folder").mkdir()
    answer = rankbars("formats", name)
    assert answer.code == 1
    assert name in answer.out + answer.err


@pytest.mark.parametrize("name", ["mmlu_pro", "arena"])
def test_no_path_of_the_machine_is_in_what_is_written(name: str, rankbars: Command) -> None:
    answer = rankbars("demo", name, "-o", "board.json", "--html", "page.html")
    assert answer.code == 0
    here = str(demo_path(DEMOS[name]).parent)
    for text in (answer.out, answer.err, Path("board.json").read_text("utf-8")):
        assert here not in text
    assert here not in Path("page.html").read_text("utf-8")
    inputs = json.loads(Path("board.json").read_text("utf-8"))["provenance"]["inputs"]
    assert [one["path"] for one in inputs] == [DEMOS[name].file]
