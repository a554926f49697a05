"""Every row of the benchmark at tiny size: both sides answer alike. No time is looked at."""

import gc
import math
from pathlib import Path

import pytest

import benchmarks
from benchmarks import environments, timing
from benchmarks.__main__ import kept_before, write_pages
from benchmarks.environments import LISTS, missing_for, search_path
from benchmarks.measured import Machine, Measured, keep_measured, load_measured
from benchmarks.page import fill_parts, render_page
from benchmarks.picture import write_picture
from benchmarks.rows import TOPICS, Growth, Job, Once, Ratio, Sides, all_paths, find_row
from benchmarks.words import demand_of, describe, sizes_of

PATHS = all_paths()
ROWS = {path: find_row(path) for path in PATHS}
RATIOS = [path for path, row in ROWS.items() if isinstance(row, Ratio)]
ALONE = [path for path in RATIOS if missing_for(ROWS[path]) or ROWS[path].compiled]
COMPARED = [path for path in RATIOS if path not in ALONE]
JOBS = [path for path in PATHS if path not in RATIOS]


def unlike(paths):
    """The first row of each kind: several sizes of one comparison are the same at tiny size."""
    kinds = {(ROWS[path].prepare, str(ROWS[path].tiny)): path for path in reversed(paths)}
    return [path for path in paths if path in kinds.values()]


MACHINE = Machine("2001-02-03", "abacus, 1 cores", 0.1, {"Python": "3.x"})


@pytest.mark.parametrize("path", unlike(COMPARED))
def test_both_sides_give_the_same_answer(path):
    row = ROWS[path]
    sides = row.prepare(**row.tiny)
    with timing.without_collector():
        sides.agree(sides.ours(), sides.peer())


@pytest.mark.parametrize("path", unlike(ALONE))
def test_our_side_runs_where_the_peer_is_not_installed(path):
    row = ROWS[path]
    assert row.prepare(**row.tiny).ours() is not None


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=pytest.mark.soak if path.startswith("workers.") else ())
        for path in unlike(JOBS)
    ],
)
def test_whole_runs_end_in_what_they_should(path):
    row = ROWS[path]
    missing = missing_for(row)
    if missing:
        pytest.skip(f"needs {' and '.join(missing)}")
    job = row.prepare(**row.tiny)
    answer = job.run()
    job.check(answer)
    figures = dict(job.figures(answer)) if job.figures else {}
    # Every figure that is demanded is one that is found.
    limits = row.limits if isinstance(row, Once) else {}
    assert set(limits) <= {"cpu_s", "wall_s", "peak_mb", *figures}


@pytest.mark.parametrize("path", unlike(COMPARED))
def test_a_wrong_answer_is_noticed(path):
    row = ROWS[path]
    sides, larger = row.prepare(**row.tiny), row.prepare(**row.sizes | halved(row.tiny))
    with timing.without_collector(), pytest.raises((AssertionError, ValueError)):
        sides.agree(sides.ours(), larger.peer())


def halved(sizes):
    """Other sizes, so that answers cannot be the same."""
    return {
        name: value // 2 + 2 if isinstance(value, int) else value for name, value in sizes.items()
    }


def test_names_of_rows_are_unique():
    assert len(set(PATHS)) == len(PATHS)


def test_every_module_with_rows_is_measured():
    folder = Path(benchmarks.__file__).parent
    with_rows = {path.stem for path in folder.glob("*.py") if "\nROWS:" in path.read_text("utf-8")}
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
        return [1.0, times[len(asked) - 1]]

    monkeypatch.setattr(timing, "time_in_turn", time_in_turn)
    sides = Sides(lambda: 1, lambda: 1, lambda one, other: None)
    return Ratio("row", "job", "peer", lambda: sides, {}, {}, at_least=at_least), asked


def test_a_missed_demand_is_measured_once_more_and_the_better_counts(monkeypatch):
    row, asked = counting_row(10, [9.0, 8.0], monkeypatch)
    assert timing.time_ratio(row)["peer"] == 9.0
    assert asked == [timing.ROUNDS, timing.MORE * timing.ROUNDS]


def test_every_side_has_as_many_rounds_of_enough_calls(monkeypatch):
    calls = []

    def cpu_seconds(side, number):
        calls.append((side, number))
        return {"quick": 0.01, "slow": 8.0 / len(calls)}[side] * number

    monkeypatch.setattr(timing, "_cpu_seconds", cpu_seconds)
    assert timing.time_in_turn(["slow", "quick"], 2) == [2.0, pytest.approx(0.01)]
    # The first call of what takes long counts as its first round.
    assert calls == [("slow", 1), ("quick", 1), ("quick", 5), ("slow", 1), ("quick", 5)]


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


def test_the_exponent_of_a_power_is_found_with_its_error():
    sizes = (10, 20, 40, 80)
    exponent, error = timing.fit_exponent(sizes, [3e-6 * size**1.7 for size in sizes])
    assert exponent == pytest.approx(1.7, abs=1e-12)
    assert error == pytest.approx(0, abs=1e-7)
    # Off the line by factors 1, 2, 2, 1: the slope stays, and is known less well.
    bent = [2**bend * size for bend, size in zip((0, 1, 1, 0), sizes, strict=True)]
    exponent, error = timing.fit_exponent(sizes, bent)
    assert exponent == pytest.approx(1.0)
    # Residuals of half an octave, 4 points; the sizes are -1.5, -.5, .5, 1.5 octaves off.
    assert error == pytest.approx(math.sqrt(4 * 0.25 / 2 / 5))


def test_growth_is_measured_at_every_size(monkeypatch):
    made = []

    def prepare(models, items):
        made.append((models, items))
        return Job(lambda: models, lambda answer: None)

    monkeypatch.setattr(timing, "time_in_turn", lambda runs, _: [run() ** 2.0 for run in runs])
    row = Growth("row", "job", prepare, "models", (2, 4, 8), {"items": 7}, {})
    found = timing.time_growth(row)
    assert made == [(2, 7), (4, 7), (8, 7)]
    assert found["seconds"] == [4, 16, 64]
    assert found["exponent"] == pytest.approx(2)


def test_every_peer_has_an_environment_that_is_searched_first():
    for row in ROWS.values():
        if isinstance(row, Ratio) and row.peers:
            assert (LISTS / f"{row.peers}.txt").exists()
            (place,) = search_path(row, Path("peers"))
            assert place.endswith(f"peers/{row.peers}")
            assert search_path(row, None) == []


def test_a_peer_that_cannot_be_installed_is_said_and_leaves_nothing(tmp_path, monkeypatch):
    lists, folder = tmp_path / "lists", tmp_path / "made"
    lists.mkdir()
    (lists / "empty.txt").write_text("# nothing\n", encoding="utf-8")
    (lists / "wrong.txt").write_text(f"{tmp_path}/no-such-wheel.whl\n", encoding="utf-8")
    monkeypatch.setattr(environments, "LISTS", lists)
    assert environments.install_peers(folder) == ["wrong"]
    assert [path.name for path in folder.iterdir()] == ["empty"]


RATIO = Ratio("loop_30x200", "our job", "their way", lambda: None, {"models": 3000}, {}, 4)
ONCE = Once("help", "all of it", lambda: None, {"models": 9}, {}, {"cpu_s": 3.0, "MB of page": 1})
GROWTH = Growth("joint_tasks", "a job", lambda: None, "tasks", (5, 9000), {"models": 7}, {}, 1.3)
LOAD = {"load": 1.0, "took_s": 60.0}


def measured_ratio(row=RATIO, **found):
    """A row with its times: ours took a tenth of a second, the peer half a second."""
    times = {"ours": 0.1, "peer": 0.5, "ours_mb": 1.2, "peer_mb": 30.0}
    return Measured("resampling.loop_30x200", row, times | LOAD | found)


def measured_once(**found):
    numbers = {"cpu_s": 2.0, "wall_s": 9.0, "peak_mb": 100.0, "MB of page": 0.5}
    return Measured("whole_runs.help", ONCE, numbers | LOAD | found)


def measured_growth(**found):
    numbers = {"seconds": [0.001, 2.0], "exponent": 1.25, "error": 0.031, "mb": 12.0}
    return Measured("growth.joint_tasks", GROWTH, numbers | LOAD | found)


def page_of(*measured):
    return render_page(measured, MACHINE, "picture.svg")


def test_the_page_is_one_table_with_a_line_for_every_topic():
    page = page_of(measured_ratio(), measured_once(), measured_growth())
    table = [line for line in page.splitlines() if line.startswith("|")]
    assert table == [
        "| job | ours | theirs | found | demanded | MB |",
        "|---|--:|--:|--:|--:|--:|",
        "| **Resampling** | | | | | |",
        "| our job: 3,000 models<br>*beside* their way | 100 ms | 500 ms | 5× | ≥ 4× | 1 / 30 |",
        "| **Whole runs** | | | | | |",
        "| all of it: 9 models | 2 CPU s, 9 wall s |  | 0.5 MB of page "
        "| ≤ 3 CPU s, ≤ 1 MB of page | 100 |",
        "| **How cost grows: exponents** | | | | | |",
        "| a job: 5 to 9,000 tasks, 7 models | 1 ms to 2 s |  | 1.25 ± 0.03 | ≤ 1.3 | 12 |",
    ]
    assert "All 3 demands were met." in page
    assert "2001-02-03: abacus" in page
    assert "in 3 minutes" in page
    assert "](picture.svg)" in page


@pytest.mark.parametrize(
    "missed",
    [
        measured_ratio(peer=0.3),
        measured_once(cpu_s=3.5),
        measured_once(**{"MB of page": 1.5}),
        measured_growth(exponent=1.4),
        measured_ratio(
            Ratio("loop_30x200", "job", "peer", lambda: None, {}, {}, memory_at_most=0.5),
            ours_mb=16.0,
        ),
    ],
)
def test_a_missed_demand_is_said(missed):
    assert f"| **{demand_of(missed.row)}** |" in page_of(missed)
    assert "0 of 1 demands were met" in page_of(missed)
    assert describe(missed).endswith("MISSED")


def test_a_row_without_a_demand_cannot_miss_it():
    row = Ratio("loop_30x200", "job", "peer", lambda: None, {}, {})
    assert measured_ratio(row).met is None
    assert Measured("whole_runs.help", ONCE, missing=("it",)).met is None


def test_a_missing_peer_is_said():
    row = Ratio(
        "loop_30x200", "our job", "their way", lambda: None, {}, {}, needs=("no_such_package",)
    )
    assert missing_for(row) == ("no_such_package",)
    left_out = Measured("resampling.loop_30x200", row, missing=missing_for(row))
    assert "| not measured: no_such_package not installed |" in page_of(measured_once(), left_out)
    assert describe(left_out) == "not measured: no_such_package not installed"


def test_a_missing_program_is_said():
    row = Once("row", "job", lambda: None, {}, {}, {}, programs=("no-such-program", "nor-this"))
    assert missing_for(row) == ("no-such-program",)


def test_numbers_are_kept_and_make_the_same_page(tmp_path):
    found = measured_ratio(row=find_row("resampling.loop_30x200"))
    left_out = Measured("votes.complete_200", find_row("votes.complete_200"), missing=("choix",))
    keep_measured([left_out, found], MACHINE, tmp_path / "kept" / "all.json")
    kept, machine = load_measured(tmp_path / "kept" / "all.json")
    assert kept == [found, left_out]  # in the order of the page
    assert machine == MACHINE


def test_rows_are_renewed_among_those_of_the_same_day_only(tmp_path):
    kept = tmp_path / "all.json"
    assert kept_before(kept, MACHINE) == []
    found = measured_ratio(row=find_row("resampling.loop_30x200"))
    keep_measured([found], MACHINE, kept)
    assert kept_before(kept, MACHINE) == [found]
    with pytest.raises(SystemExit, match="2001-02-03"):
        kept_before(kept, Machine("2001-02-04", "abacus, 1 cores", 0.1, {}))


def test_pages_are_written_only_when_every_row_is_there(tmp_path):
    with pytest.raises(SystemExit, match=r"not measured: .*whole_runs\.help"):
        write_pages([measured_ratio()], MACHINE, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_measured_parts_of_a_page_are_made_anew():
    page = "before\n<!-- measured: growth -->\nold\n<!-- end -->\nafter\n"
    made = fill_parts(page, [measured_growth(), measured_once()], MACHINE)
    assert made.startswith("before\n<!-- measured: growth -->\n| job |")
    line = "| a job | tasks | 1.25 ± 0.03 | 5 to 9,000 tasks, 7 models | 1 ms to 2 s | 12 |"
    assert line in made
    assert made.endswith("2001-02-03 on abacus, 1 cores.\n<!-- end -->\nafter\n")
    assert "old" not in made
    assert fill_parts(made, [measured_growth()], MACHINE) == made


def test_the_page_about_scale_has_the_parts_that_are_filled():
    page = (Path(benchmarks.__file__).parents[1] / "docs" / "scale.md").read_text("utf-8")
    made = fill_parts(page, [measured_growth()], MACHINE)
    assert made.count("abacus") == 2


def test_the_picture_shows_every_ratio_and_is_the_same_each_time(tmp_path):
    for name in ("one.svg", "two.svg"):
        write_picture([measured_ratio(), measured_ratio(peer=0.01)], tmp_path / name)
    drawn = (tmp_path / "one.svg").read_text("utf-8")
    assert "our job" in drawn
    assert "5×" in drawn
    assert "0.1×" in drawn
    assert drawn == (tmp_path / "two.svg").read_text("utf-8")


def test_sizes_that_grow_come_first():
    assert sizes_of(GROWTH) == "5 to 9,000 tasks, 7 models"
