"""The page of the published work: every command on it runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from commandline import Command

from rankbars.simulate import levels

PAGE = Path(__file__).parents[2] / "docs" / "published.md"
ROWS = [
    line
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("|") and "`rankbars " in line
]
COMMANDS = list(dict.fromkeys(re.findall(r"`rankbars ([^`]*)`", "\n".join(ROWS))))
FEW = "--models 10 --rows 10 --sigma 0.3"
LONG = ("simulate vtab", "simulate posterior")  # whatever the number of repetitions
CORRELATION = {"2": 0, "3": 0, "4": 0.2, "5": 0.2, "6": 0, "7": 0.2, "1a": 0, "1b": 0.5}


def shortened(line: str) -> list[str]:
    """The same on a few configurations; one command for each table or figure that it names."""
    if line.startswith(("simulate tables", "simulate figures")):
        study, rest = line.split()[1], re.findall(r"--(?:table|figure) (\w+)", line)
        return [
            f"simulate {study} --{study.rstrip('s')} {one} {FEW} -o results --repetitions 1"
            + (f" --correlation {CORRELATION[one]}" if one in CORRELATION else "")
            + (" --picture none" if study == "figures" else "")
            for one in rest
        ]
    return [f"{line} --repetitions 2" if line.startswith("simulate") else line]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(line, marks=pytest.mark.slow) if line.startswith(LONG) else line
        for line in COMMANDS
    ],
)
def test_every_command_of_the_page_runs(
    line: str, rankbars: Command, results: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert results == "results.csv"
    monkeypatch.setattr(levels, "POOL", 200)
    for one in shortened(line):
        answer = rankbars(*shlex.split(one))
        assert answer.code == 0, answer.err
        if "tables" in one:
            assert "cells have a published number" in answer.out


def test_every_table_and_figure_of_the_simulations_has_a_row() -> None:
    rows = "\n".join(ROWS)
    named = re.findall(r"--(?:table|figure) (\w+)", rows)
    assert {"2", "3", "4", "5", "6", "7", "1a", "1b"} <= set(named)
    for what in ("Algorithm 1", "Algorithm 2", "Algorithm 3", "Equations 14 to 16", "Figure 4"):
        assert what in rows
