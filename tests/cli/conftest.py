"""Running the command line inside the test process."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from commandline import Answer, Command, table

from rankbars.cli.app import run


@pytest.fixture
def rankbars(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Command]:
    """The command ``rankbars``, run in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)

    def command(*words: object, stdin: bytes | None = None) -> Answer:
        if stdin is not None:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = run([str(word) for word in words])
        captured = capfdbinary.readouterr()
        return Answer(code, captured.out.decode(), captured.err.decode())

    return command


@pytest.fixture
def results(tmp_path: Path) -> str:
    """A tidy CSV of three models, four tasks and forty items each."""
    path = tmp_path / "results.csv"
    path.write_text("\n".join(table()) + "\n", encoding="utf-8")
    return path.name
