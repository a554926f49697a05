"""The command as a process: pipes, signals, encodings, start-up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from commandline import table

COMMAND = (sys.executable, "-m", "rankbars")


def run(
    *words: str, folder: Path, shell: str | None = None, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        shell or [*COMMAND, *words],
        shell=shell is not None,
        cwd=folder,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"} | environment,
        capture_output=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in.csv").write_text("\n".join(table()), encoding="utf-8")
    return tmp_path


def test_without_words_the_help_is_shown_as_wrong_usage(folder: Path) -> None:
    done = run(folder=folder)
    assert done.returncode == 2
    assert b"Usage: rankbars" in done.stderr + done.stdout


@pytest.mark.parametrize("words", [("--help",), ("-h",), ("rank", "--help"), ("demo", "-h")])
def test_help_loads_nothing_heavy(folder: Path, words: tuple[str, ...]) -> None:
    code = (
        "import sys; from rankbars.cli.app import run; code = run(sys.argv[1:]); "
        "heavy = {'numpy', 'scipy', 'duckdb', 'rich', 'jinja2', 'yaml', 'joblib', 'narwhals'}; "
        "print(*heavy & set(sys.modules), file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=folder, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"\n")


def test_a_reader_that_leaves_early_is_no_error(folder: Path) -> None:
    command = " ".join(COMMAND)
    done = run(folder=folder, shell=f"{command} show --help | true; {command} rank in.csv | true")
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr


@pytest.mark.parametrize("target", ["", "-o -"])
def test_a_full_disk_behind_standard_output_is_one_message(folder: Path, target: str) -> None:
    command = " ".join(COMMAND)
    done = run(folder=folder, shell=f"{command} rank in.csv -q {target} > /dev/full")
    assert done.returncode == 1
    assert done.stderr.decode() == (
        "Error: Cannot write to standard output: No space left on device.\n"
    )


def test_the_name_of_a_pipe_may_be_written_to(folder: Path) -> None:
    command = f"{' '.join(COMMAND)} rank in.csv -q --md board.md"
    done = run(folder=folder, shell=f"{command} -o /dev/stderr 2>&1 >/dev/null | cat")
    assert json.loads(done.stdout)["schema"] == "rankbars.board/1"
    assert (folder / "board.md").is_file()


def test_closed_standard_output_is_one_message(folder: Path) -> None:
    done = run(folder=folder, shell=f"{' '.join(COMMAND)} rank in.csv -q >&-")
    assert done.returncode == 1
    assert done.stderr.startswith(b"Error: Cannot write to standard output")


def test_closed_standard_error_does_not_matter(folder: Path) -> None:
    done = run(folder=folder, shell=f"{' '.join(COMMAND)} rank in.csv 2>&-")
    assert done.returncode == 0


def test_a_terminal_that_knows_ascii_only_gets_ascii(folder: Path) -> None:
    name = "modèle"
    text = (folder / "in.csv").read_text("utf-8").replace("m1", name)
    (folder / "in.csv").write_text(text, encoding="utf-8")
    done = run("rank", "in.csv", folder=folder, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "mod\\xe8le" in done.stdout.decode("ascii")
    as_json = run("rank", "in.csv", "-q", "-o", "-", folder=folder, PYTHONIOENCODING="ascii")
    assert name in as_json.stdout.decode("utf-8")


def test_errors_of_programming_keep_their_traceback(folder: Path) -> None:
    code = (
        "import rankbars.cli.inputs as reading; "
        "reading.read_scores = lambda *words, **named: 1 / 0; "
        "from rankbars.cli.app import run; run(['rank', 'in.csv'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, check=False
    )
    assert done.returncode == 1
    assert b"ZeroDivisionError" in done.stderr


def test_a_command_with_workers_ends_when_its_work_is_done(folder: Path) -> None:
    """Workers that wait for more are let go; by themselves they would go after five minutes."""
    words = [*COMMAND, "rank", "in.csv", "--jobs", "2", "-o", "board.json", "--quiet"]
    done = subprocess.run(words, cwd=folder, capture_output=True, check=False, timeout=150)
    assert done.returncode == 0, done.stderr
    assert (folder / "board.json").exists()
