"""Ctrl-C and its like: one line, the exit code of shells, nothing left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from commandline import table

# What the process under test does first: it will ask itself to stop, somewhere in its work.
START = """
import contextlib, os, signal, sys, threading
import rankbars.cli.progress, rankbars.cli.outputs
from rankbars.cli import main
STOP, sys.argv[1:] = signal.Signals[sys.argv[1]], sys.argv[2:]
# Tests may themselves have been started by nohup.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
# Nor may it go on for ever when they are killed.
signal.alarm(300)
# A terminal sends Ctrl-C to everybody.
stop = (lambda *_: os.killpg(0, STOP)) if STOP == signal.SIGINT else (
    lambda *_: os.kill(os.getpid(), STOP))
def watched(name, stop):
    @contextlib.contextmanager
    def watch(*_, **__):
        yield stop
    setattr(rankbars.cli.progress, name, watch)
"""

READING = "watched('reading_files', stop)"
RANKING = "watched('counting', lambda done, total: stop() if done == 1 else None)"
STARTING = "watched('counting', lambda done, total: stop())"
ENGINE = """
import duckdb, rankbars.cli.inputs
def read(*_, **__):
    threading.Timer(0.5, stop).start()
    while True:
        duckdb.sql('SELECT count(DISTINCT hash(i)) FROM range(1000000) t(i)').fetchall()
rankbars.cli.inputs.read_scores = read
"""
WRITING = "os.fsync = stop"
WRITTEN = "rankbars.cli.outputs.print_board = lambda *words, **named: stop()"
SAID = "import rankbars.cli.outputs; rankbars.cli.outputs.emit_text = stop"

# Bit by bit, which signals a process blocks, as Linux tells it.
WORKERS = """
import psutil
def blocks_interrupt(child):
    with open(f'/proc/{child.pid}/status') as status:
        blocked = next(line.split()[1] for line in status if line.startswith('SigBlk'))
    return bool(int(blocked, 16) >> signal.SIGINT - 1 & 1)
def look(done, total):
    workers = [child for child in psutil.Process().children(recursive=True)
               if 'tracker import' not in ' '.join(child.cmdline())]
    if not done:
        print(*map(blocks_interrupt, workers), file=sys.stderr)
    if done == 1:
        stop()
watched('counting', look)
"""

NOTHING = "Stopped; nothing was written."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for results, with a folder for temporary files beside it."""
    (tmp_path / "temporary").mkdir()
    work = tmp_path / "work"
    work.mkdir()
    (work / "in.csv").write_text("\n".join(table((4, 8, 60))), encoding="utf-8")
    return work


def stopped(
    folder: Path, where: str, *words: str, signal: str = "SIGINT"
) -> subprocess.CompletedProcess[str]:
    """What came of a command that was stopped; no process and no temporary file is left."""
    temporary = folder.parent / "temporary"
    process = subprocess.Popen(
        [sys.executable, "-c", f"{START}{where}\nmain()", signal, *words],
        cwd=folder,
        env=os.environ | {"TMPDIR": str(temporary)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    out, err = process.communicate((folder / "in.csv").read_text("utf-8"), timeout=300)
    assert not _left_of(process.pid)
    assert not list(temporary.iterdir())
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def _left_of(group: int) -> list[psutil.Process]:
    """Processes of a group that live on; those that are about to end get time to do so."""
    for _ in range(100):
        left = [process for process in psutil.process_iter() if _belongs(process, group)]
        if not left:
            return []
        time.sleep(0.1)
    return left


def _belongs(process: psutil.Process, group: int) -> bool:
    try:
        return os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.NoSuchProcess, ProcessLookupError):
        return False


@pytest.mark.parametrize("where", [READING, ENGINE, RANKING, WRITING])
def test_nothing_is_written_whatever_goes_on(folder: Path, where: str) -> None:
    (folder / "board.md").write_text("before", encoding="utf-8")
    words = ("rank", "in.csv", "--quiet", "-o", "board.json", "--md", "board.md")
    done = stopped(folder, where, *words)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", f"{NOTHING}\n")
    assert sorted(path.name for path in folder.iterdir()) == ["board.md", "in.csv"]
    assert (folder / "board.md").read_text("utf-8") == "before"


def test_a_copy_of_standard_input_is_removed(folder: Path) -> None:
    done = stopped(folder, READING, "rank", "-", "--quiet")
    assert (done.returncode, done.stderr) == (130, f"{NOTHING}\n")


@pytest.mark.parametrize(("signal", "code"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_other_signals_stop_in_the_same_way(folder: Path, signal: str, code: int) -> None:
    words = ("rank", "-", "--quiet", "-o", "board.json")
    done = stopped(folder, READING, *words, signal=signal)
    assert (done.returncode, done.stderr) == (code, f"{NOTHING}\n")


@pytest.mark.parametrize(
    ("backend", "where", "deaf"),
    [
        ("threading", RANKING, ""),
        ("loky", WORKERS, "True True\n"),
        ("dask", WORKERS, "True True\n"),
    ],
)
def test_workers_are_deaf_from_the_start_and_end_without_a_word(
    folder: Path, backend: str, where: str, deaf: str
) -> None:
    """Their first moments, in which Python starts, would be the noisiest."""
    words = ("rank", "in.csv", "-q", "-o", "board.json", "--jobs", "2", "--correction", "maxt")
    done = stopped(folder, where, *words, "--backend", backend)
    assert (done.returncode, done.stderr) == (130, f"{deaf}{NOTHING}\n")


def test_workers_that_have_not_begun_end_as_well(folder: Path) -> None:
    done = stopped(folder, STARTING, "rank", "in.csv", "-q", "--jobs", "2")
    assert (done.returncode, done.stderr) == (130, f"{NOTHING}\n")


def test_what_was_written_before_is_named(folder: Path) -> None:
    done = stopped(folder, WRITTEN, "rank", "in.csv", "-q", "-o", "board.json")
    assert done.returncode == 130
    assert done.stderr == "Stopped; written before that: board.json.\n"
    assert (folder / "board.json").is_file()


def test_a_store_is_as_it_was(folder: Path) -> None:
    add = ("add", "in.csv", "--quiet", "--store", "board.duckdb")
    assert stopped(folder, READING, *add).stderr == f"{NOTHING}\n"
    assert [path.name for path in folder.iterdir()] == ["in.csv"]
    done = stopped(folder, SAID, "add", "in.csv", "--store", "board.duckdb")
    assert done.stderr == "Stopped; board.duckdb had been changed before that.\n"
    before = (folder / "board.duckdb").read_bytes()
    (folder / "in.csv").write_text("\n".join(table((4, 8, 61))), encoding="utf-8")
    done = stopped(folder, READING, *add)
    assert (done.returncode, done.stderr) == (130, "Stopped; board.duckdb is as it was.\n")
    assert (folder / "board.duckdb").read_bytes() == before


def test_a_study_goes_on_where_it_was_stopped(folder: Path) -> None:
    words = ("simulate", "peeking", "--repetitions", "8", "-q", "-o", "study")
    done = stopped(folder, RANKING, *words)
    assert done.returncode == 130
    assert done.stderr == (
        "Stopped; what was done is kept in study, and the same command goes on from it.\n"
    )
    assert len(list((folder / "study" / ".partial").iterdir())) == 1


def test_impatience_does_not_stop_the_tidying(folder: Path) -> None:
    """The second signal comes while temporary files are removed."""
    where = f"{READING}\nimport shutil; remove, calls = shutil.rmtree, [stop]\n"
    # There may be several folders; the third signal would end it at once.
    where += (
        "shutil.rmtree = lambda *words, **named: (calls and calls.pop()(), remove(*words, **named))"
    )
    done = stopped(folder, where, "rank", "-", "--quiet")
    assert done.returncode == 130
    assert done.stderr == (
        f"\nStopping. Once more ends it at once, and may leave temporary files behind.\n{NOTHING}\n"
    )


def test_signals_that_are_ignored_stay_so(folder: Path) -> None:
    where = f"{READING}\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)"
    words = ("rank", "in.csv", "--quiet", "-o", "board.json")
    done = stopped(folder, where, *words, signal="SIGHUP")
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "board.json").is_file()
