"""Every row of the benchmark at tiny size: both sides answer alike. No time is looked at."""

import gc
from pathlib import Path

import pytest

import benchmarks
from benchmarks import timing
from benchmarks.page import Machine, Measured, describe, render_page
from benchmarks.rows import TOPICS, Once, Ratio, Sides, find_row, missing_peers, rows_of

PATHS = [f"{topic}.{row.name}" for topic in TOPICS for row in rows_of(topic)]
ROWS = {path: find_row(path) for path in PATHS}
RATIOS = [path for path, row in ROWS.items() if isinstance(row, Ratio)]
ALONE = [path for path in RATIOS if missing_peers(ROWS[path]) or ROWS[path].compiled]
COMPARED = [path for path in RATIOS if path not in ALONE]
WHOLE_RUNS = [path for path, row in ROWS.items() if isinstance(row, Once)]
MACHINE = Machine("2001-02-03", "abacus, 1 cores", 0.1, {"Python": "3.x"})


@pytest.mark.parametrize("path", COMPARED)
def test_both_sides_give_the_same_answer(path):
    row = ROWS[path]
    sides = row.prepare(**row.tiny)
    sides.agree(sides.ours(), sides.peer())


@pytest.mark.parametrize("path", ALONE)
def test_our_side_runs_where_the_peer_is_not_installed(path):
    row = ROWS[path]
    assert row.prepare(**row.tiny).ours() is not None


@pytest.mark.parametrize("path", WHOLE_RUNS)
def test_whole_runs_end_in_what_they_should(path):
    row = ROWS[path]
    job = row.prepare(**row.tiny)
    job.check(job.run())


@pytest.mark.parametrize("path", COMPARED)
def test_a_wrong_answer_is_noticed(path):
    row = ROWS[path]
    sides, larger = row.prepare(**row.tiny), row.prepare(**row.sizes | halved(row.tiny))
    with pytest.raises((AssertionError, ValueError)):
        sides.agree(sides.ours(), larger.peer())


def halved(sizes):
    """Other sizes, so that answers cannot be the same."""
    return {name: value // 2 + 2 for name, value in sizes.items()}


def test_names_of_rows_are_unique():
    assert len(set(PATHS)) == len(PATHS)


def test_every_module_with_rows_is_measured():
    folder = Path(benchmarks.__file__).parent
    with_rows = {path.stem for path in folder.glob("*.py") if "\nROWS" in path.read_text("utf-8")}
    assert with_rows == set(TOPICS)


def test_a_row_is_measured_in_a_process_of_its_own():
    found = timing.measure_apart("leaderboard_level.joint_100x100", "time")
    assert found["ours"] > 0
    assert found["peer"] > 0


def test_a_process_that_fails_is_an_error(capfd):
    with pytest.raises(timing.MeasurementError, match=r"task_level\.nothing"):
        timing.measure_apart("task_level.nothing", "time")
    assert "no row 'nothing'" in capfd.readouterr().err


def test_explicit_collections_do_nothing_while_a_peer_is_timed():
    collect, circle = gc.collect, []
    circle.append(circle)
    with timing.without_collector():
        assert gc.collect() == 0
    assert gc.collect is collect


def counting_row(at_least, times, monkeypatch):
    """A row whose times are given, and the list of rounds that were asked for."""
    asked = []

    def time_in_turn(_, rounds):
        asked.append(rounds)
        return {"ours": 1.0, "peer": times[len(asked) - 1], "rounds": rounds}

    monkeypatch.setattr(timing, "time_in_turn", time_in_turn)
    sides = Sides(lambda: 1, lambda: 1, lambda one, other: None)
    return Ratio("row", "job", "peer", lambda: sides, {}, {}, at_least=at_least), asked


def test_a_missed_demand_is_measured_once_more_and_the_better_counts(monkeypatch):
    row, asked = counting_row(10, [9.0, 8.0], monkeypatch)
    assert timing.time_ratio(row)["peer"] == 9.0
    assert asked == [timing.ROUNDS, timing.MORE_ROUNDS]


def test_a_met_demand_is_measured_once(monkeypatch):
    row, asked = counting_row(10, [11.0], monkeypatch)
    timing.time_ratio(row)
    assert asked == [timing.ROUNDS]


def test_different_answers_stop_a_row(monkeypatch):
    def refuse(one, other):
        raise AssertionError("different")

    _, asked = counting_row(1, [9.0], monkeypatch)
    sides = Sides(lambda: 1, lambda: 2, refuse)
    with pytest.raises(AssertionError, match="different"):
        timing.time_ratio(Ratio("row", "job", "peer", lambda: sides, {}, {}))
    assert asked == []


def measured(at_least, peer=0.5):
    """A row with its times: ours took a tenth of a second."""
    row = Ratio("row", "our job", "their way", lambda: None, {"models": 3000}, {}, at_least)
    return Measured(row, {"ours": 0.1, "peer": peer, "load": 1.0, "ours_mb": 1.2, "peer_mb": 30.0})


def test_the_page_holds_times_ratio_demand_and_memory():
    page = render_page({"Topic": [measured(4)]}, MACHINE)
    line = "| our job | 3,000 models | their way | 100 ms | 500 ms | 5 | ≥ 4 | 1 / 30 | 1.0 |"
    assert line in page
    assert "All 1 demands were met." in page
    assert "2001-02-03: abacus" in page


def test_a_missed_demand_is_said():
    missed = measured(6)
    assert "| **5** | ≥ 6 |" in render_page({"Topic": [missed]}, MACHINE)
    assert "0 of 1 demands were met" in render_page({"Topic": [missed]}, MACHINE)
    assert describe(missed).endswith("MISSED")


def test_a_row_without_a_demand_cannot_miss_it():
    assert measured(None).met is None


def test_a_missing_peer_is_said():
    row = Ratio("row", "our job", "their way", lambda: None, {}, {}, needs=("no_such_package",))
    assert missing_peers(row) == ("no_such_package",)
    page = render_page({"Topic": [Measured(row, missing=missing_peers(row))]}, MACHINE)
    assert "no_such_package was not installed: our job" in page


def test_whole_runs_are_held_to_their_limits():
    row = Once("run", "all of it", lambda: None, {"models": 9}, {}, {"cpu_s": 3.0})
    found = {"cpu_s": 2.0, "wall_s": 9.0, "peak_mb": 100.0, "load": 0.5}
    assert Measured(row, found).met
    assert not Measured(row, found | {"cpu_s": 3.5}).met
    page = render_page({"Topic": [Measured(row, found)]}, MACHINE)
    assert "| all of it | 9 models | 2 | 9 | 100 | ≤ 3 CPU s | 0.5 |" in page
