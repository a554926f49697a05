"""``rankbars simulate``."""

from __future__ import annotations

from pathlib import Path

import pytest
from commandline import Command

from rankbars.cli.simulation import TRAPS, simulate_group
from rankbars.simulate import STUDIES


def test_every_study_is_a_command() -> None:
    assert set(simulate_group.commands) == set(STUDIES)
    assert set(TRAPS) < set(STUDIES)


def test_help_names_the_studies(rankbars: Command) -> None:
    answer = rankbars("simulate", "--help")
    assert answer.code == 0
    assert all(name in answer.out for name in STUDIES)


def test_a_study_writes_its_table_and_says_so(rankbars: Command) -> None:
    answer = rankbars("simulate", "families", "--repetitions", 10, "-o", "results")
    assert (answer.code, answer.out) == (0, "")
    assert answer.err == f"Wrote {Path('results/families.csv')}.\n"
    assert Path("results/families.csv").read_text(encoding="utf-8").startswith("design,method,")
    assert rankbars("simulate", "families", "--repetitions", 10, "-o", "results", "-q").err == ""


def test_coverage_like_results(rankbars: Command, results: str) -> None:
    words = ("--repetitions", 2, "--items", 30, "-o", "out", "--picture", "none")
    answer = rankbars("simulate", "coverage", "--like", results, *words)
    assert answer.code == 0, answer.err
    table = Path("out/coverage.csv").read_text(encoding="utf-8")
    assert "new task,joint,each,3,4,30," in table


def test_coverage_of_a_described_evaluation(rankbars: Command) -> None:
    words = ("--models", 4, "--tasks", 3, "--tasks", 5, "--items", 20, "--task-sd", 0.1)
    answer = rankbars(
        "simulate", "coverage", *words, "--repetitions", 1, "-o", "out", "--picture", "none"
    )
    assert answer.code == 0, answer.err
    table = Path("out/coverage.csv").read_text(encoding="utf-8")
    assert "new task,joint,each,4,3,20," in table
    assert "new task,joint,each,4,5,20," in table


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("simulate", "tables"), 2, "--output"),
        (("simulate", "tabels", "-o", "x"), 2, "tabels"),
        (("simulate", "tables", "--table", 9, "-o", "x"), 2, "Known: 2, 3, 4, 5, 6, 7."),
        (("simulate", "ties", "--repetitions", 0, "-o", "x"), 1, "repetitions must be"),
        (("simulate", "ties", "--jobs", 0, "-o", "x"), 1, "n_jobs must be"),
        (("simulate", "coverage", "--picture", "gif", "-o", "x"), 2, "gif"),
        (("simulate", "coverage", "--ties", 2, "-o", "x"), 1, "ties must be"),
        (("simulate", "coverage", "--like", "a.csv", "--models", 3, "-o", "x"), 2, "--models"),
    ],
)
def test_wrong_words(rankbars: Command, words: tuple[object, ...], code: int, message: str) -> None:
    answer = rankbars(*words)
    assert answer.code == code
    assert message in answer.err
    assert "Traceback" not in answer.err
    assert not Path("x").exists()
