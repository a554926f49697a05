"""Bars: on a terminal only, and gone when the work is done."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from commandline import table

COMMAND = (sys.executable, "-m", "rankbars")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in.csv").write_text("\n".join(table((6, 8, 100))), encoding="utf-8")
    return tmp_path


def on_terminal(*words: str, folder: Path, board: Path | None = None) -> str:
    """What a terminal is sent; standard output goes to `board` if that is given."""
    ours, theirs = pty.openpty()
    out = theirs if board is None else os.open(board, os.O_WRONLY | os.O_CREAT)
    process = subprocess.Popen(
        words,
        cwd=folder,
        stdin=theirs,
        stdout=out,
        stderr=theirs,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "80", "LINES": "60", "NO_COLOR": "1"},
    )
    for place in {out, theirs}:
        os.close(place)
    sent = b""
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # nobody writes to it any more
            break
        if not part:
            break
        sent += part
    os.close(ours)
    assert process.wait(timeout=300) == 0
    return sent.decode().replace("\r\n", "\n")


def on_pipe(folder: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, "rank", "in.csv"], cwd=folder, capture_output=True, check=True)


def test_the_board_stands_alone_when_the_bars_are_gone(folder: Path) -> None:
    sent = on_terminal(*COMMAND, "rank", "in.csv", folder=folder)
    for message in ("Reading", "Comparing models", "Averaging"):
        assert message in sent
    after = sent.rpartition("\x1b[2K")[2]
    assert on_pipe(folder).stdout.decode().split() == after.split()


def test_standard_output_never_holds_a_bar(folder: Path) -> None:
    board = folder / "board.txt"
    sent = on_terminal(*COMMAND, "rank", "in.csv", folder=folder, board=board)
    assert "Comparing models" in sent
    assert board.read_bytes() == on_pipe(folder).stdout


def test_quiet_shows_nothing(folder: Path) -> None:
    board = folder / "board.txt"
    assert on_terminal(*COMMAND, "rank", "in.csv", "-q", folder=folder, board=board) == ""


def test_a_pipe_gets_no_bar(folder: Path) -> None:
    said = on_pipe(folder).stderr
    assert b"\x1b" not in said
    assert b"Comparing" not in said


@pytest.mark.parametrize(("pause", "rate"), [(0.15, "tasks/s"), (1.2, "s each")])
def test_bars_tell_how_fast_the_work_goes(folder: Path, pause: float, rate: str) -> None:
    code = (
        "import time\n"
        "from rankbars.cli.progress import counting\n"
        "with counting('Working', 'task', then='Averaging') as advance:\n"
        "    for done in range(4):\n"
        f"        advance(done, 5); time.sleep({pause})\n"
        "    advance(5, 5)\n"
    )
    sent = on_terminal(sys.executable, "-c", code, folder=folder)
    assert "/5 tasks, " in sent
    assert rate in sent
    assert "Averaging" in sent
    assert sent.endswith("\x1b[2K")
