"""Simulations make some of their runs or all of them, and the page says what all of them gave."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from calibration import PAGE, Calibration, Row, read_rows, title_of, update

TESTS = Path(__file__).parent


def test_all_runs_are_made_only_where_they_are_asked_for() -> None:
    assert Calibration("x", full=False).runs(20, 100) == 20
    assert Calibration("x", full=True).runs(20, 100) == 100


def test_shares_are_held_to_three_standard_errors_of_their_trials() -> None:
    counted = Calibration("x", full=False)
    counted.at_least(89, 100, 0.95)  # three errors are .065
    counted.at_most(11, 100, 0.05)
    counted.within(1000, 1000, 0.98, slack=0.01)
    for check in (counted.at_least, counted.within):
        with pytest.raises(AssertionError):
            check(88, 100, 0.95)
    with pytest.raises(AssertionError):
        counted.at_most(12, 100, 0.05)


def test_what_shows_a_failure_is_held_to_its_bound() -> None:
    counted = Calibration("x", full=False)
    counted.below(84, 100, 0.85)
    counted.above(86, 100, 0.85)
    for check in (counted.below, counted.above):
        with pytest.raises(AssertionError):
            check(85, 100, 0.85)


def test_rows_that_are_measured_again_replace_the_old_and_others_stay(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    first, second = Calibration("a", full=True), Calibration("b", full=True)
    first.within(949, 1000, 0.95, of="scores")
    second.at_most(4, 100, 0.05)
    update(page, {"a": first.rows, "b": second.rows}, "2026-01-01")
    again = Calibration("a", full=True)
    again.within(955, 1000, 0.95, of="ranks")
    update(page, {"a": again.rows}, "2026-02-02")
    assert read_rows(page.read_text("utf-8")) == [
        Row("a", "ranks", "0.95", "0.9550", "1,000", "± 0.021", "2026-02-02"),
        Row("b", "", "≤ 0.05", "0.0400", "100", "≤ 0.115", "2026-01-01"),
    ]


def test_every_row_of_the_page_has_its_test() -> None:
    known = {
        title_of(f"tests/{path.relative_to(TESTS).as_posix()}::{name}")
        for path in TESTS.rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
    }
    rows = read_rows(PAGE.read_text("utf-8"))
    assert {row.test.partition("[")[0] for row in rows} <= known
    assert all(row.day for row in rows)
