"""Tables with many columns: what is looked at grows with the columns, not with their pairs."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import rankbars as rb
from rankbars.tables.companions import end_pairs

_ROWS = 20


def _write(folder: Path, columns: int) -> Path:
    path = folder / f"of_{columns}.csv"
    names = ",".join(f"net-{number:04d}" for number in range(columns))
    cells = np.random.default_rng(1).random((_ROWS, columns)).round(2)
    rows = [f"q{number}," + ",".join(map(str, row)) for number, row in enumerate(cells)]
    path.write_text("\n".join([f"item,{names}", *rows]), encoding="utf-8")
    return path


def _count_calls(path: Path) -> int:
    calls = 0

    def notice(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(notice)
    try:
        rb.read(path, layout="items-by-models")
    finally:
        sys.setprofile(None)
    return calls


def test_twice_the_columns_take_about_twice_the_calls(tmp_path: Path) -> None:
    _count_calls(_write(tmp_path, 20))  # what is imported and kept once
    few, many = (_count_calls(_write(tmp_path, columns)) for columns in (300, 600))
    assert many < 2.3 * few


def test_ends_of_intervals_are_found_among_many_names() -> None:
    names = [f"net-{number:04d}" for number in range(9)]
    assert end_pairs([*names, "elo", "elo_q975", "elo_q025"]) == [("elo_q025", "elo_q975")]
    assert len(end_pairs([f"m{number}" for number in range(101)])) == 49  # m1 and m99, and so on
