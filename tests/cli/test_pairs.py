"""``--pairs`` and the page: what a board file holds, and what is asked for without it."""

from __future__ import annotations

import json
from pathlib import Path

from commandline import Command


def data_of(page: str) -> dict[str, object]:
    text = Path(page).read_text(encoding="utf-8")
    island = text.split('id="rankbars-data">')[1].split("</script>")[0]
    data: dict[str, object] = json.loads(island)
    return data


def test_a_page_compares_pairs_and_the_board_file_stays_small(
    rankbars: Command, results: str
) -> None:
    rankbars("rank", results, "-o", "board.json", "--html", "one.html")
    assert data_of("one.html")["pairs"] is not None
    assert "pairs" not in json.loads(Path("board.json").read_text(encoding="utf-8"))
    rankbars("report", "board.json", "-o", "two.html")
    assert data_of("two.html")["pairs"] is None


def test_pairs_in_the_board_file_make_the_same_page(rankbars: Command, results: str) -> None:
    rankbars("rank", results, "--pairs", "-o", "board.json", "--html", "one.html")
    assert len(json.loads(Path("board.json").read_text(encoding="utf-8"))["pairs"]) == 4
    rankbars("report", "board.json", "-o", "two.html")
    assert Path("one.html").read_bytes() == Path("two.html").read_bytes()


def test_pairs_without_a_board_file_are_refused(rankbars: Command, results: str) -> None:
    answer = rankbars("rank", results, "--pairs")
    assert answer.code == 2
    assert "name one with -o" in answer.err
